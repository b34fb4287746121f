"""Counts, lists, checks and samples of random problems, compared with all boards.

`make agree` compares 2,000 problems in about an hour. It stores a line per problem, so that an interrupted
run goes on. `python -m tests.agreement.comparison --seed 17` compares one problem again.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import catan_cp as cp
from catan_cp import Layout
from tests.agreement.cases import Grammar, random_case, random_layout
from tests.brute_force import MARKERS, MEASURES, TERRAIN, Case, Filling, FishingGround, Harbors, Said, View
from tests.small_boards import chi_square, too_uneven

TIMEOUT = 60
ISLANDS = {"islands_min", "islands_max", "island_size_min", "main_island_complete", "harbor_on_every_island"}
"""The rules about terrain that exact counts leave to listing."""


class Comparison:
    """The library's answers for one case beside those of brute force."""

    def __init__(self, case: Case, rng: random.Random):
        self.case, self.rng = case, rng
        self.rules, self.layout = case.rules, case.layout
        self.functions: Counter[str] = Counter()
        self.not_answered: Counter[str] = Counter()
        self.boards = 0
        self.share = 1.0
        self.differences: list[str] = []

    def run(self, share: float = 1.0) -> None:
        """Compare all functions, or the slow ones only with this probability."""
        self.share = share
        for part in (self.terrain, self.markers, self.whole, self.one, self.check, self.best, self.repair):
            part()

    def chosen(self, probability: float = 1.0) -> bool:
        """Return True with this probability times the share, to run a comparison that starts a solver."""
        probability *= self.share
        return probability >= 1 or self.rng.random() < probability

    def ask(self, name: str, question: Callable[[], Any], *, optional: bool = False) -> Any:
        """Return the answer, or `Infeasible`.

        None for a question that the library may leave open.
        """
        try:
            answer = question()
        except cp.Infeasible:
            answer = cp.Infeasible
        except cp.CatanError as error:
            if optional:
                self.not_answered[f"{name}: {type(error).__name__}: {str(error)[:60]}"] += 1
                return None
            self.differences.append(f"{name} raised {type(error).__name__}: {error}")
            return None
        self.functions[name] += 1
        return answer

    def equal(self, name: str, question: Callable[[], object], expected: object, *, optional=False) -> None:
        answer = self.ask(name, question, optional=optional)
        if answer is not None and answer != expected:
            self.differences.append(f"{name}: {shown(answer)}, not {shown(expected)}")

    def listed(self, name: str, question: Callable[[], list], expected: list) -> None:
        """Compare lists of which the order is left open, and each item comes once."""
        answer = self.ask(name, question)
        if answer is None:
            return
        self.boards += len(expected)
        if Counter(answer) != Counter(expected):
            more, fewer = Counter(answer) - Counter(expected), Counter(expected) - Counter(answer)
            self.differences.append(
                f"{name}: {len(answer)} items, not {len(expected)}; "
                f"too many {shown(list(more.elements()))}, missing {shown(list(fewer.elements()))}"
            )

    def sampled(self, name: str, question: Callable[[int], list], expected: list) -> None:
        """Compare the support of a sample, and its frequencies if there are few items."""
        n = 30 * len(expected) if len(expected) <= 12 else 20
        answer = self.ask(name, lambda: question(n or 1), optional=True)
        if answer is None:
            return
        if answer is cp.Infeasible or not expected:
            if (answer is cp.Infeasible) != (not expected):
                self.differences.append(f"{name}: {shown(answer)}, where {len(expected)} are allowed")
        elif not set(answer) <= set(expected):
            self.differences.append(f"{name}: {shown([*{*answer} - {*expected}])} is not allowed")
        elif 1 < len(expected) <= 12:
            even = dict.fromkeys(expected, n / len(expected))
            if chi_square(answer, even) > too_uneven(len(expected)):
                self.differences.append(f"{name} is uneven: {Counter(answer)}")

    def call(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Callable[[], Any]:
        """Return a question about the rules on the layout."""
        return lambda: function(*arguments, self.rules, self.layout, timeout=TIMEOUT, **options)

    def terrain(self) -> None:
        expected, fields = self.case.terrains, self.case.fields
        uncounted = bool(
            ISLANDS & set(fields) or (self.layout.terrain_group and "terrain_cluster_max" in fields)
        )
        count, listing = self.call(cp.count_terrains), self.call(cp.enumerate_terrains)
        self.equal("count_terrains", count, len(expected), optional=uncounted)
        if self.chosen():
            self.listed("enumerate_terrains", lambda: list(listing()), expected)
        self.sampled(
            "sample_terrains",
            lambda n: cp.sample_terrains(n, self.rules, self.layout, seed=self.rng.randrange(99)),
            expected,
        )
        orbits = {self.orbit(terrain) for terrain in expected}
        if not uncounted or self.chosen(0.3):
            count = self.call(cp.count_terrains, up_to_symmetry=True)
            self.equal("count_terrains(distinct)", count, len(orbits), optional=uncounted)
        if self.chosen(0.3):
            listing = self.call(cp.enumerate_terrains, up_to_symmetry=True)
            self.listed("enumerate_terrains(distinct)", lambda: [*map(self.orbit, listing())], sorted(orbits))

    def distinct_boards(self) -> None:
        """Compare boards up to symmetry. Printed harbors stay with the frame."""
        orbits = {self.board_orbit(filling) for filling in self.case.boards}
        listing = self.call(cp.enumerate_boards, up_to_symmetry=True)
        self.listed(
            "enumerate_boards(distinct)",
            lambda: [self.board_orbit(Filling.of(board)) for board in listing()],
            list(orbits),
        )

    def board_orbit(self, filling: Filling) -> Filling:
        """Return the first of the fillings that symmetries make of a board."""
        return self.case.frame.orbit(filling, harbors=self.case.harbor_mode == "shuffled")

    def orbit(self, terrain: tuple[str, ...]) -> tuple[str, ...]:
        """Return the first of the terrains that symmetries make of one."""
        return min(tuple(terrain[t] for t in turn) for turn in self.case.frame.symmetries)

    def markers(self) -> None:
        terrains = self.case.terrains
        if not terrains:
            return
        terrain = self.rng.choice(terrains)
        expected = self.case.markers(terrain)
        self.equal("count_markers", self.call(cp.count_markers, terrain), len(expected))
        if self.chosen():
            listing = self.call(cp.enumerate_markers, terrain)
            self.listed(
                "enumerate_markers", lambda: [tuple(m or 0 for m in row) for row in listing()], expected
            )

    def whole(self) -> None:
        rules, layout, expected = self.rules, self.layout, self.case.boards
        # Constraints are listed. Some other rules need enumerate_boards, as the error says.
        optional = not self.case.said or "symmetry" in self.case.fields
        self.equal("count_boards", self.call(cp.count_boards), len(expected), optional=optional)
        if self.chosen(2.5):
            listing = self.call(cp.enumerate_boards)
            self.listed("enumerate_boards", lambda: [*map(Filling.of, listing())], expected)
        ranks = range(len(expected))
        boards = self.ask(
            "unrank_board", lambda: [cp.unrank_board(k, rules, layout) for k in ranks], optional=True
        )
        if boards is not None:
            self.equal("unrank_board", lambda: {Filling.of(board) for board in boards}, set(expected))
            some = ranks[:: 1 + len(ranks) // 50]
            self.equal("rank_board", lambda: [cp.rank_board(boards[k], rules) for k in some], [*some])
        self.sampled(
            "sample_boards",
            lambda n: [*map(Filling.of, cp.sample_boards(n, rules, layout, seed=self.rng.randrange(99)))],
            expected,
        )
        if self.chosen(0.2):
            self.distinct_boards()

    def one(self) -> None:
        allowed = set(self.case.boards)
        for method in ("auto", "uniform", "walk", "solver"):
            if self.chosen(0.3 if method == "solver" else 1):
                name, seed = f"generate_board({method})", self.rng.randrange(99)
                question = self.call(cp.generate_board, seed=seed, method=method)
                board = self.ask(name, question, optional=method in ("uniform", "walk"))
                self.allowed(name, board, allowed)

    def allowed(self, name: str, board: object, allowed: set[Filling]) -> None:
        if board is cp.Infeasible and allowed:
            self.differences.append(f"{name}: Infeasible, where {len(allowed)} are allowed")
        elif isinstance(board, cp.Board) and Filling.of(board) not in allowed:
            self.differences.append(
                f"{name}: {board.notation()} breaks {self.case.broken(Filling.of(board)) or 'the box'}"
            )

    def filling(self) -> Filling | None:
        """Return a random filling of the box. None if the box is empty, or no harbors fit on the terrain."""
        if not self.case.box:
            return None
        terrain = self.rng.choice(self.case.box)
        markers = list(self.case.frame.numbers(terrain))
        harbors = list(self.case.frame.harbors(self.case.harbor_mode, terrain))
        if not markers or not harbors:
            return None
        grounds = self.rng.choice(list(self.case.frame.grounds()))
        return Filling(terrain, self.rng.choice(markers), self.rng.choice(harbors), grounds)

    def check(self) -> None:
        n = 1 if self.case.said else 10
        some = self.rng.sample(self.case.boards, min(n, len(self.case.boards)))
        for filling in [*some, *(self.filling() for _ in range(n))]:
            if filling is not None:
                self.checked("Rules.check", filling, self.case.broken(filling))
        filling = self.filling()
        if filling is not None and all(statement.about <= TERRAIN for statement in self.case.said):
            bare = Filling(filling.terrain, (0,) * len(filling.terrain))
            about = TERRAIN if any(filling.markers) else TERRAIN | MARKERS
            self.checked("Rules.check(terrain)", bare, self.case.broken(bare, about))
        if filling is not None and not self.case.said:
            first, *rest = filling.terrain
            piece = self.rng.choice([name for name in self.layout.terrain_counts if name != first] or [first])
            same = self.case.frame.carries(0, piece) == bool(filling.markers[0])
            if same and piece != first and "sea" not in (piece, first):
                changed = replace(filling, terrain=(piece, *rest))
                self.checked("Rules.check(pieces)", changed, self.case.broken(changed) | {"pieces"})

    def checked(self, name: str, filling: Filling, expected: set[str]) -> None:
        self.boards += 1
        self.equal(name, lambda: {v.rule for v in self.rules.check(filling.board(self.layout))}, expected)

    def best(self) -> None:
        if not self.chosen():
            return
        measures = [
            Said(name, MEASURES[name], TERRAIN)
            for name in self.rng.sample(sorted(MEASURES), self.rng.choice([1, 1, 2]))
        ]
        if self.rng.random() < 0.3:
            measures[-1] = Grammar(self.rng, self.case.frame, False).whole()
        names = [measure.text for measure in measures]
        side = self.rng.choice(["minimize", "maximize"])
        best = self.ask("best_board", self.call(cp.best_board, **{side: names}))
        if best is None:
            return
        allowed = set(self.case.boards)
        self.allowed("best_board", best if best is cp.Infeasible else best.board, allowed)
        if best is not cp.Infeasible and allowed:
            values = {
                filling: tuple(measure.value(View(self.case.frame, filling)) for measure in measures)
                for filling in allowed
            }
            least = (min if side == "minimize" else max)(values.values())
            answer = (best.value, values.get(Filling.of(best.board)), best.proven)
            if answer != (least, least, True):
                self.differences.append(
                    f"best_board({side}={names}): {best}, not {least}; values {answer[1]}"
                )

    def repair(self) -> None:
        filling = self.filling() if self.chosen() else None
        if filling is None:
            return
        if self.case.harbor_mode == "none":
            coasts = [place for place, _ in self.case.frame.coasts(filling.terrain)]
            filling = replace(
                filling, harbors=frozenset((place, "3:1") for place in self.some_places(coasts))
            )
        best = self.ask(
            "repair_board", lambda: cp.repair_board(filling.board(self.layout), self.rules, timeout=TIMEOUT)
        )
        if best is None:
            return
        allowed = {
            replace(candidate, harbors=self.harbors_after(filling, candidate))
            for candidate in self.case.boards
        }
        self.allowed("repair_board", best if best is cp.Infeasible else best.board, allowed)
        if best is not cp.Infeasible and allowed:
            least = min(n_changes(filling, candidate) for candidate in allowed)
            changes = n_changes(filling, Filling.of(best.board))
            if (best.value, changes, best.proven) != (least[0], least, True):
                self.differences.append(f"repair_board({filling}): {best.value}, {changes}, not {least}")

    def some_places(self, coasts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return up to three places that share no vertex."""
        places: list[tuple[int, int]] = []
        for place in self.rng.sample(coasts, len(coasts)):
            if len(places) < 3 and not {v for place_taken in places for v in place_taken} & {*place}:
                places.append(place)
        return places

    def harbors_after(self, filling: Filling, other: Filling) -> Harbors:
        """Return the harbors after a repair.

        With harbors="none", these are the harbors of *filling* that face land.
        """
        if self.case.harbor_mode != "none":
            return other.harbors
        coast = {place for place, _ in self.case.frame.coasts(other.terrain)}
        return frozenset((place, trade) for place, trade in filling.harbors if place in coast)


def n_changes(one: Filling, other: Filling) -> tuple[int, int, int]:
    """Return the number of tiles that differ, and of harbors and grounds that are lost."""
    left, right = zip(one.terrain, one.markers, strict=True), zip(other.terrain, other.markers, strict=True)
    tiles = sum(a != b for a, b in zip(left, right, strict=True))
    return tiles, len(one.harbors - other.harbors), len(one.grounds - other.grounds)


def shown(value: object) -> str:
    text = (
        f"{len(value)} items such as {value[:2]}"
        if isinstance(value, list) and len(value) > 2
        else str(value)
    )
    return text[:400]


# ---- Random problems


def any_layout(rng: random.Random, seed: int) -> Layout:
    """Return a random layout.

    It may have fishing grounds and harbors that face no land.
    """
    layout = random_layout(rng, seed)
    if layout.printed_harbors and rng.random() < 0.5:
        edges = [harbor.vertices for harbor in layout.printed_harbors]
        n = rng.choice([0, 0, rng.randint(0, len(edges))])
        layout = replace(layout, movable_harbors=rng.sample(edges, n))
    if rng.random() < 0.25:
        rows = [
            (a, b, c)
            for b in range(layout.n_vertices)
            for a in layout.vertex_neighbors[b]
            for c in layout.vertex_neighbors[b]
            if a < c and all(v in {v for edge in layout.coast_edges for v in edge} for v in (a, b, c))
        ]
        places = rng.sample(rows, min(len(rows), rng.randint(1, 3)))
        numbers = rng.choices([4, 5, 9, 10], k=len(places))
        layout = replace(layout, fishing_grounds=tuple(map(FishingGround, places, numbers)))
    return layout


def problem(seed: int) -> tuple[Case, random.Random]:
    """Return the problem of a seed, without custom constraints in four of five cases."""
    return random_case(seed, 1000, any_layout, 0.2)


def classes(case: Case) -> set[str]:
    """Return the classes of rules and demands of a problem."""
    layout, movable = case.layout, case.layout.movable_harbors
    demands = {
        "fixed tiles": layout.fixed_terrain,
        "fixed numbers": layout.fixed_markers,
        "unmarked tiles": layout.unmarked,
        "groups": layout.terrain_group or layout.marker_group,
        "second numbers": layout.second_marker,
        "inland terrain": layout.inland,
        "bounds on pips": layout.pips_max or layout.terrain_marker_pips_min or layout.terrain_marker_pips_max,
        "further terrains": layout.further_terrains,
        "fixed harbors": layout.fixed_harbors,
        "movable harbors": movable,
        "harbors that may face no land": "sea" in layout.terrain_counts and layout.immovable_harbors,
        "fishing grounds": layout.fishing_grounds,
        "symmetric layout": len(case.frame.moves) > 1,
    }
    fields = {f"harbors={value}" if name == "harbors" else name for name, value in case.fields.items()}
    constraints = {f"constraints on {' and '.join(sorted(statement.about))}" for statement in case.said}
    return fields | constraints | {name for name, demand in demands.items() if demand} | {"all problems"}


def compared(seed: int, share: float) -> Comparison:
    """Return the comparison of the problem of a seed. See `Comparison.run`."""
    comparison = Comparison(*problem(seed))
    comparison.run(share)
    return comparison


# ---- The command


def run(store: Path, n: int, share: float) -> bool:
    """Compare the problems of seeds below *n* that the store does not have.

    Return whether all agree.
    """
    lines = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    results = {line["seed"]: line for line in lines if not line["differences"]}
    store.write_text("".join(json.dumps(line) + "\n" for line in results.values()))
    started, first = time.monotonic(), len(results)
    for seed in range(n):
        if seed in results:
            continue
        comparison = compared(seed, share)
        results[seed] = {
            "seed": seed,
            "classes": sorted(classes(comparison.case)),
            "functions": sorted(comparison.functions),
            "boards": comparison.boards,
            "differences": comparison.differences,
        }
        with store.open("a") as file:
            file.write(json.dumps(results[seed]) + "\n")
        if comparison.differences:
            print(f"seed {seed}\n{comparison.case}", *comparison.differences, sep="\n", flush=True)
        if len(results) % 100 == 0:
            seconds = (time.monotonic() - started) / (len(results) - first)
            print(f"{len(results):,} of {n:,} problems, {seconds:.1f} s each", flush=True)
    report(list(results.values()))
    return not any(result["differences"] for result in results.values())


def report(results: list[dict[str, Any]]) -> None:
    """Print the number of problems of each class, and of comparisons by each function."""
    for title in ("classes", "functions"):
        print(f"\n{title}")
        counts = Counter(name for result in results for name in result[title])
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:8,}  {name}")
    different = [result["seed"] for result in results if result["differences"]]
    boards = sum(result["boards"] for result in results)
    print(
        f"\n{len(results):,} problems, {boards:,} boards listed or checked; "
        f"seeds with a difference: {different or 'none'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=2000, help="number of problems")
    parser.add_argument(
        "--store", type=Path, default=Path(".agree.jsonl"), help="file with a line per problem"
    )
    parser.add_argument("--share", type=float, default=0.12, help="probability of each slow comparison")
    parser.add_argument("--seed", type=int, help="compare only the problem of this seed, and store nothing")
    options = parser.parse_args()
    if options.seed is None:
        raise SystemExit(not run(options.store, options.problems, options.share))
    comparison = compared(options.seed, options.share)
    print(comparison.case, *(comparison.differences or ["no difference"]), sep="\n")
    raise SystemExit(bool(comparison.differences))


if __name__ == "__main__":
    main()
