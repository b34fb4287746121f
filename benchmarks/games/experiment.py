"""The study of played games, designed before its boards were made.

    python -m benchmarks.games.experiment run FILE [--scale 0.01]    # play all games, or on fewer boards
    python -m benchmarks.games.experiment tell [FILE] [--page PAGE]  # print the page, or write its tables
    python -m benchmarks.games.experiment openings                   # compare boards with one opening each

*run* writes one line per board, as notation, so that games can be played again. If it is stopped, the same
command resumes it. A second run writes the same file. *tell* reads `DATA` if no file is given.

An *arm* is a choice of players and of their first settlements. All boards have the printed harbors. A game is
*lively* if the second player is at most 2 points behind, the lead changed at least twice, and the game took
60 to 120 turns. This definition was a guess, made before the data. Intervals are 95 % intervals of means over
boards, by the normal distribution. p-values are two-sided and corrected by Holm over all tests of the page.

The search for lively rules has the rounds of `ROUNDS`. The first plays all of `SEARCHED` on few boards. The
second plays the best of them on more boards. The third plays the best of these on new boards, and only the
third is reported.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.games import worth
from catan_cp import Board, Games, Objective, Rules, play_games, solve_placement, win_chances
from catan_cp.placement import find_equilibria
from catan_cp.placement.positions import snake
from catan_cp.play.games import unfairness, wilson
from catan_cp.rules.rules import PRESETS
from catan_cp.workers import share_out

ROOT = Path(__file__).parents[2]
DATA, PAGE = Path(__file__).parent / "boards.jsonl.gz", ROOT / "docs" / "play_paper.md"
SEED = 20261124
PRESET_NAMES = ("open", "official", "tournament", "optimal", "blog")
SINGLE_RULES = {
    "reds_apart": Rules(reds_apart=True),
    "equal_markers_apart": Rules(equal_markers_apart=True),
    "vertex_pips_max": Rules(vertex_pips_max=11),
    "vertex_pips_min": Rules(vertex_pips_min=4),
    "terrain_cluster_max": Rules(terrain_cluster_max=1),
    "desert_centre": Rules(desert="centre"),
}
"""Rules that add one rule to ``open``, with the strictness of a preset."""

CHOICES: dict[str, tuple[Any, ...]] = {
    "reds_apart": (True,),
    "equal_markers_apart": (True,),
    "two_twelve_apart": (True,),
    "markers_distinct_per_terrain": (True,),
    "reds_per_terrain_max": (1, 2),
    "vertex_pips_max": (11, 12),
    "vertex_pips_min": (3, 4),
    "terrain_cluster_max": (1, 2),
    "desert": ("centre", "coast"),
}
"""Rules that the search for lively rules combines."""


def combined(number: int) -> dict[str, Rules]:
    """Return random rules with three fields each, by their description."""
    source, found = random.Random(20261123), dict[str, Rules]()
    while len(found) < number:
        fields = {name: source.choice(CHOICES[name]) for name in sorted(source.sample(sorted(CHOICES), 3))}
        found[", ".join(f"{name}={value}" for name, value in fields.items())] = Rules(**fields)
    return found


SEARCHED = combined(36)
ROUNDS = ((36, 3, 60), (6, 12, 100), (2, 60, 100))
"""Per round of the search: number of rules, of batches of boards, and of games per board.

The design had 100 batches in the last round. It was stopped at 60, before its games were analysed.
"""

ARMS = {"free": 100, "optimal": 100, "wins": 40, "trader": 40, "weighted": 20}
"""Games per board of a preset, by arm.

``free``: greedy players choose their settlements. ``optimal`` and ``wins``: greedy players on the perfect
settlements of the published value and of the chance to win. ``trader`` and ``weighted``: players of these
policies choose their settlements.
"""

SOME_ARMS = {"turned": 40, "greedy:pips": 2, "greedy:optimal": 2, "greedy:wins": 2}
"""Games per board of the first batches, by arm.

``turned``: greedy players on perfect settlements that go to each seat in turn. ``greedy:PLAN``: one greedy
seat follows a plan while three choose their own settlements, with that number of games per seat.
"""

FEW_ARMS = {"greedy:rivals": 2}
"""The same for the most expensive plan, on the boards of fewer batches."""

BATCH, BATCHES, SOME, FEW = 10, 100, 30, 4
PER_GAME = ("turns", "lively", "margin", "lead changes")


class Task(NamedTuple):
    """A batch of boards of some rules, and the games per board by arm."""

    rules: str
    batch: int
    boards: int
    arms: dict[str, int]

    @property
    def key(self) -> str:
        """The unique name of the task in a run."""
        return f"{self.rules}/{self.batch}"


def seed_of(*words: object) -> int:
    """Return a seed determined by these words."""
    return int.from_bytes(blake2b(" ".join(map(str, (SEED, *words))).encode(), digest_size=6).digest())


def summed(games: Games) -> list[list[int]]:
    """Return sums over each half of games: their number, the wins by seat, and `PER_GAME`."""
    rows = games.rows
    points, turns = np.sort(rows["points"].astype(int), axis=1), rows["turns"].astype(int)
    margin, changes = points[:, -1] - points[:, -2], rows["lead_changes"].astype(int)
    lively = (margin <= 2) & (changes >= 2) & (turns >= 60) & (turns <= 120)
    wins = [rows["winner"] == seat for seat in range(1, 5)]
    each = np.column_stack([turns >= 0, *wins, turns, lively, margin, changes]).astype(int)
    return [half.sum(axis=0).tolist() for half in np.array_split(each, 2)]


def play_arm(board: Board, arm: str, games: int, seed: int) -> list[Any]:
    """Play one arm on one board, and return its results.

    A plan gives the wins in each seat. Settlements in turn give the wins by seat and by the owner of the
    settlements. Other arms give the results of `summed`.
    """
    policy, _, plan = arm.partition(":")
    if plan:
        seats = [[policy] * k + [arm] + [policy] * (3 - k) for k in range(4)]
        return [play_games(board, games, players=seats[k], seed=seed + k).wins[k].count for k in range(4)]
    if arm == "turned":
        pairs, wins = solve_placement(board).settlements, np.zeros((4, 4), int)
        for turn in range(4):
            placed = [(seat, pairs[(seat - 1 + turn) % 4][k >= 4]) for k, seat in enumerate(snake(4))]
            found = play_games(board, games // 4, placement=drafted(placed), seed=seed + turn)
            for seat in range(4):
                wins[seat, (seat + turn) % 4] += found.wins[seat].count
        return [wins.sum(axis=1).tolist(), wins.sum(axis=0).tolist()]
    placement = "optimal" if arm == "optimal" else "free"
    if arm == "wins":
        placement = drafted(solve_placement(board, 4, Objective.wins()).order)
    players = policy if policy in ("trader", "weighted") else "greedy"
    return summed(play_games(board, games, players=players, placement=placement, seed=seed))


def drafted(placed: Iterable[tuple[int, int]]) -> str:
    """Return settlements as a draft."""
    return ",".join(f"{seat}:{vertex}" for seat, vertex in placed)


def played(task: Task) -> list[dict[str, Any]]:
    """Make the boards of a task, play on each, and return one row per board."""
    name, rows = task.rules, []
    rules = PRESETS.get(name) or SINGLE_RULES.get(name) or SEARCHED[name]
    for k, board in enumerate(worth.boards_of(rules, task.boards, seed_of(name, task.batch) % 2**31)):
        number = task.batch * BATCH + k
        row: dict[str, Any] = {"rules": name, "number": number, "board": board.notation()}
        if "optimal" in task.arms:
            perfect = solve_placement(board)
            chances = win_chances(board, perfect.settlements)
            row["said"] = round(sum((chance - 0.25) ** 2 for chance in chances), 4)
            if "greedy:rivals" in task.arms:
                spreads = [max(values) - min(values) for values in find_equilibria(perfect).values]
                row["spread"] = [round(x, 4) for x in (min(spreads), max(spreads))]
        for arm, games in task.arms.items():  # all plans with the same chance
            row[arm] = play_arm(board, arm, games, seed_of(name, number, arm.partition(":")[0]))
        rows.append(row)
    return rows


def tasks(scale: float) -> Iterator[Task]:
    """Yield all tasks but the search, batch by batch, with all rules in each batch."""
    for batch in range(max(1, round(BATCHES * scale))):
        arms = ARMS | (SOME_ARMS if batch < max(1, SOME * scale) else {})
        arms |= FEW_ARMS if batch < max(1, FEW * scale) else {}
        yield from (Task(rules, batch, BATCH, arms) for rules in PRESET_NAMES)
        yield from (Task(rules, batch, BATCH, {"free": ARMS["free"]}) for rules in SINGLE_RULES)


def gather(todo: list[Task], kept: Path, workers: int = 2) -> list[dict[str, Any]]:
    """Return the rows of all tasks in their order, without repeating tasks stored in *kept*."""
    whole = kept.read_text(encoding="utf-8") if kept.exists() else ""
    kept.write_text(whole := whole[: whole.rfind("\n") + 1], encoding="utf-8")
    done: dict[str, Any] = dict(json.loads(line) for line in whole.splitlines())
    left = [task for task in todo if task.key not in done]
    for count, (k, rows) in enumerate(share_out(played, [(task,) for task in left], workers), 1):
        done[left[k].key] = rows
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps((left[k].key, rows)) + "\n")
        print(f"{count} of {len(left)} batches", file=sys.stderr)
    return [row for task in todo for row in done[task.key]]


def run(file: Path, scale: float = 1, workers: int = 2) -> None:
    """Play everything, and write the data."""
    kept = file.with_suffix(".part")
    rows, chosen, batch = gather(list(tasks(scale)), kept, workers), list(SEARCHED), 0
    lively = dict[str, float]()
    for best, batches, games in ROUNDS:
        last, batch = batch, batch + max(1, round(batches * scale))
        chosen = chosen[:best]
        todo = [Task(rules, k, BATCH, {"free": games}) for rules in chosen for k in range(last, batch)]
        found = gather(todo, kept, workers)
        rows += found
        for rules in chosen:
            lively[rules] = mean(per_game("lively", [row for row in found if row["rules"] == rules]))
        chosen.sort(key=lambda rules: -lively[rules])
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    kept.unlink()


# Answers


class Answer(NamedTuple):
    """An estimate with its interval, p-value (None without a test) and sample size."""

    what: str
    value: float
    low: float
    high: float
    p: float | None
    n: int


def mean(values: Any) -> float:
    """Return the mean."""
    return float(np.mean(values))


def normal(what: str, values: Any, less: Any = (0.0, 0.0), test: bool = True) -> Answer:
    """Return the mean over boards, or the difference of the means of two groups."""
    x, y = np.asarray(values, float), np.asarray(less, float)
    error = math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y)) or 1e-12
    value, half = mean(x) - mean(y), 1.959963985 * error
    p = math.erfc(abs(value) / error / math.sqrt(2)) if test else None
    return Answer(what, value, value - half, value + half, p, len(x))


def correlated(
    what: str, x: Any, y: Any, test: bool = True, scaled: Callable[[float], float] = float
) -> Answer:
    """Return a correlation, or a function of it, with the interval by Fisher's z."""
    matrix: Any = np.corrcoef(x, y)
    r, error = float(matrix[0, 1]), 1 / math.sqrt(len(x) - 3)
    low, high = (math.tanh(math.atanh(r) + side * 1.959963985 * error) for side in (-1, 1))
    p = math.erfc(abs(math.atanh(r)) / error / math.sqrt(2)) if test else None
    return Answer(what, scaled(r), scaled(low), scaled(high), p, len(x))


def ranks(values: Any) -> Any:
    """Return the ranks of numbers. Numbers that differ by rounding alone share a rank."""
    _, place, count = np.unique(np.round(values, 12), return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def holm(tests: list[float]) -> list[float]:
    """Return p-values corrected by Holm."""
    order, least, found = sorted(range(len(tests)), key=tests.__getitem__), 0.0, [0.0] * len(tests)
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(tests) - rank) * tests[k]))
        found[k] = least
    return found


class Data:
    """The rows, by rules and arm."""

    def __init__(self, file: Path) -> None:
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def of(self, arm: str, *rules: str) -> list[dict[str, Any]]:
        """Return the rows of an arm for some rules, all presets, or the last search round."""
        kept = [row for row in self.rows if arm in row and row["rules"] in (rules or PRESET_NAMES)]
        unseen = BATCH * sum(batches for _, batches, _ in ROUNDS[:-1])
        return [row for row in kept if row["rules"] not in SEARCHED or row["number"] >= unseen]

    @property
    def found(self) -> list[str]:
        """The rules selected by the search."""
        return [rules for rules in SEARCHED if self.of("free", rules)]


def sums(rows: list[dict[str, Any]], arm: str, half: int | None = None) -> Any:
    """Return the sums kept for each board, of one half or of both."""
    both = np.array([row[arm] for row in rows])
    return both.sum(axis=1) if half is None else both[:, half]


def per_game(name: str, rows: list[dict[str, Any]], arm: str = "free", half: int | None = None) -> Any:
    """Return a figure per game for each board: wins, unfairness, or one of `PER_GAME`."""
    kept = sums(rows, arm, half)
    if name == "unfairness":
        return np.array([unfairness(x[1:5].tolist(), int(x[0])) for x in kept])
    return kept[:, 5 + PER_GAME.index(name) if name in PER_GAME else int(name[-1])] / kept[:, 0]


def by_rules(data: Data, name: str, arm: str, *rules: str) -> Iterator[Answer]:
    """Yield the mean of a number under ``open``, and the differences under other rules."""
    plain = per_game(name, data.of(arm, "open"), arm)
    yield normal(f"{arm}: {name}, open", plain, test=False)
    for other in rules:
        yield normal(f"{arm}: {name}, {other} less open", per_game(name, data.of(arm, other), arm), plain)


def seats(data: Data) -> Iterator[Answer]:
    """Report the seats' shares of wins, and the part due to the settlements."""
    for arm in ARMS:
        for seat in range(1, 5):
            share = per_game(f"seat {seat}", data.of(arm), arm)
            yield normal(f"{arm}: seat {seat} wins, less 1/4", share - 0.25)
    turned = np.array([row["turned"] for row in data.of("turned")]) / SOME_ARMS["turned"] - 0.25
    for seat in range(4):
        yield normal(f"order alone: seat {seat + 1} wins, less 1/4", turned[:, 0, seat])
    for seat in range(4):
        yield normal(f"settlements alone: those of seat {seat + 1} win, less 1/4", turned[:, 1, seat])


def uneven(data: Data) -> Iterator[Answer]:
    """Report the unfairness of boards by rules."""
    for arm in ("free", "optimal", "trader"):
        for rules in PRESET_NAMES:
            values = per_game("unfairness", data.of(arm, rules), arm)
            yield normal(f"{arm}: unfairness, {rules}", values, test=False)
        yield from list(by_rules(data, "unfairness", arm, *PRESET_NAMES[1:]))[1:]


def spreads(data: Data) -> Iterator[Answer]:
    """Report correlations between the values of perfect players and the unfairness of boards."""
    rows = [row for row in data.of("optimal") if "spread" in row]
    unfair = ranks(per_game("unfairness", rows, "optimal"))
    for k, end in enumerate(("least", "largest")):
        told = ranks([row["spread"][k] for row in rows])
        yield correlated(f"ranks of unfairness and of the {end} seat spread of all equilibria", unfair, told)
    wide = np.diff([row["spread"] for row in rows])[:, 0]
    yield normal("seat spread, its largest less its least over equilibria", wide, test=False)
    rows = data.of("optimal")
    unfair, said = ranks(per_game("unfairness", rows, "optimal")), ranks([row["said"] for row in rows])
    yield correlated("ranks of unfairness and of what `win_chances` says it is", unfair, said)


def plans(data: Data) -> Iterator[Answer]:
    """Report the wins of one seat that follows a plan against three without one."""

    def share(arm: str, rows: list[dict[str, Any]]) -> Any:
        return np.array([sum(row[arm]) for row in rows]) / (4 * (SOME_ARMS | FEW_ARMS)[arm])

    for plan in ("pips", "optimal", "wins", "rivals"):
        rows = data.of(f"greedy:{plan}")
        yield normal(f"one seat follows {plan}: wins, less 1/4", share(f"greedy:{plan}", rows) - 0.25)
    for plan in ("pips", "wins", "rivals"):
        rows = data.of(f"greedy:{plan}")
        paired = share(f"greedy:{plan}", rows) - share("greedy:optimal", rows)
        yield normal(f"wins, {plan} less optimal on the same boards", paired)


def lengths(data: Data) -> Iterator[Answer]:
    """Report lengths of games, effects of trade and placement, and unfinished games."""
    for arm in ARMS:
        yield from by_rules(data, "turns", arm, *PRESET_NAMES[1:])
    plain = per_game("turns", data.of("free"))
    for arm in ("optimal", "wins", "trader"):
        more = per_game("turns", data.of(arm), arm) - plain
        yield normal(f"turns, {arm} less free on the same boards", more)
    for arm in ARMS:
        total = sums(data.of(arm), arm).sum(axis=0)
        n, left = int(total[0]), int(total[0] - total[1:5].sum())
        yield Answer(f"{arm}: games that nobody won in 1,000 turns", left / n, *wilson(left, n), None, n)


def lively(data: Data) -> Iterator[Answer]:
    """Report the share of lively games by rule, and the result of the search for lively rules."""
    yield from by_rules(data, "lively", "free", *PRESET_NAMES[1:], *SINGLE_RULES, *data.found)
    yield from by_rules(data, "turns", "free", *data.found)
    yield from by_rules(data, "lively", "trader", *PRESET_NAMES[1:])


def reliable(data: Data) -> Iterator[Answer]:
    """Report the reliability of the numbers per board, and the true variation of boards.

    Reliability is estimated from halves of games (Spearman-Brown).
    """
    for arm in ("free", "optimal"):
        rows = data.of(arm)
        for name in ("seat 1", "seat 4", "unfairness", *PER_GAME):
            first, second = (per_game(name, rows, arm, half) for half in range(2))
            yield correlated(f"{arm}: reliability of {name}", first, second, False, lambda r: 2 * r / (1 + r))
            found = normal("", (first - mean(first)) * (second - mean(second)), test=False)
            value, low, high = (math.sqrt(max(0.0, x)) for x in (found.value, found.low, found.high))
            yield Answer(f"{arm}: boards' true {name}, standard deviation", value, low, high, None, len(rows))


def openings(data: Data, boards: int) -> Iterator[Answer]:
    """Report unfairness with one opening per board, by greedy and by perfect players.

    The games of the arm *free* have many openings per board, so their mean says little about one opening.
    """
    rows = [row for rules in PRESET_NAMES for row in data.of("free", rules)[:boards]]
    greedy, perfect = list[float](), per_game("unfairness", rows, "optimal")
    for row in rows:
        board, words = Board.from_notation(row["board"]), (row["rules"], row["number"])
        vertices = play_games(board, 1, seed=seed_of("one opening", *words)).rows["settlements"][0]
        placed = [(seat, int(vertices[seat - 1, k // 4])) for k, seat in enumerate(snake(4))]
        seed = seed_of("one opening games", *words)
        played = play_games(board, ARMS["free"], placement=drafted(placed), seed=seed)
        greedy.append(unfairness([share.count for share in played.wins], len(played)) or 0.0)
    yield normal("one greedy opening: unfairness", greedy, test=False)
    yield normal("perfect opening: unfairness", perfect, test=False)
    source, ratios = np.random.default_rng(1), list[float]()
    for _ in range(5000):  # bootstrap over boards
        chosen = source.integers(0, len(rows), len(rows))
        ratios.append(mean(perfect[chosen]) / mean(np.array(greedy)[chosen]))
    low, high = np.quantile(ratios, [0.025, 0.975]).tolist()
    yield Answer("perfect by greedy", mean(perfect) / mean(greedy), low, high, None, len(rows))


ANSWERS = {"a": seats, "b": uneven, "c": spreads, "d": plans, "e": lengths, "f": lively, "g": reliable}
"""Functions that answer the questions of the page, by mark."""


def told(text: str, data: Data) -> str:
    """Return the page with its tables."""
    found = {question: list(answer(data)) for question, answer in ANSWERS.items()}
    tests = [one.p for answers in found.values() for one in answers if one.p is not None]
    corrected = iter(holm(tests))
    for question, answers in found.items():
        lines = ["| | estimate | 95 % interval | p (Holm) | n |", "| --- | ---: | ---: | ---: | ---: |"]
        for one in answers:
            p = "" if one.p is None else f"{next(corrected):.3f}"
            interval = f"{one.low:+.3f} to {one.high:+.3f}"
            lines.append(f"| {one.what} | {one.value:+.3f} | {interval} | {p} | {one.n:,} |")
        text = worth.marked(text, f"answer {question}", lines)
    return text


def main(words: list[str]) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games.experiment", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("run", help="play the games and write the data")
    play.add_argument("file", type=Path, help="file to write or resume, such as boards.jsonl.gz")
    play.add_argument("--scale", type=float, default=1.0, help="share of the boards (default: 1)")
    play.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    tell = commands.add_parser("tell", help="print what the data say")
    tell.add_argument("file", type=Path, nargs="?", default=DATA, help=f"data to read (default: {DATA.name})")
    tell.add_argument(
        "--page", type=Path, help="page whose tables are replaced; without it, nothing is written"
    )
    one = commands.add_parser(
        "openings", help="compare boards with one opening each, which plays 50,000 games"
    )
    one.add_argument("--boards", type=int, default=100, help="boards of each preset (default: 100)")
    asked = parser.parse_args(words)
    if asked.command == "run":
        run(asked.file, asked.scale, asked.workers)
        return
    if asked.command == "openings":
        for answer in openings(Data(DATA), asked.boards):
            print(f"{answer.what}: {answer.value:.3f} ({answer.low:.3f} to {answer.high:.3f})")
        return
    text = (asked.page or PAGE).read_text(encoding="utf-8")
    page = worth.told(told(text, Data(asked.file)))
    if asked.page is None:
        print(page)
    else:
        asked.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    from benchmarks.games import experiment  # by its name: processes that play must find it

    experiment.main(sys.argv[1:])
