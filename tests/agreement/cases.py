"""Random tiny layouts with random rules, for tests against brute force.

A seed gives the same case always.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from catan_cp import Harbor, Layout
from tests.brute_force import (
    CODES,
    GROUNDS,
    HARBORS,
    LETTERS,
    MARKERS,
    MEASURES,
    RESOURCES,
    TERRAIN,
    TERRAIN_MEASURES,
    Case,
    Filling,
    Frame,
    Said,
    View,
    n_orders,
)

QUANTIFIERS = (("forall", all), ("exists", any))


class Grammar:
    """Random constraints about the boards of one frame."""

    def __init__(self, rng: random.Random, frame: Frame, with_harbors: bool):
        self.rng, self.frame, self.with_harbors = rng, frame, with_harbors
        layout = frame.layout
        self.names = sorted(layout.terrain_counts)
        self.numbers = sorted(layout.marker_supply) or [6]

    def tile(self) -> int:
        return self.rng.randrange(self.frame.n)

    def tiles(self) -> tuple[str, list[int]]:
        """Return a set of tiles, in MiniZinc and in Python."""
        t = self.tile()
        return self.rng.choice(
            [
                ("TILE", list(range(self.frame.n))),
                ("coast", sorted(self.frame.rim)),
                ("centre", sorted(self.frame.plane.nearest_middle(1))),
                (f"neighbors[{t + 1}]", self.frame.neighbors(t)),
                (f"touching[{t + 1}]", self.frame.neighbors(t, self.frame.touching)),
            ]
        )

    def about_tile(self, t: str) -> tuple[str, Callable[[View, int], bool], frozenset[str]]:
        """Return a condition on one tile, whose name in MiniZinc is *t*."""
        name, number = self.rng.choice(self.names), self.rng.choice(self.numbers)
        few = self.rng.randint(1, 5)
        return self.rng.choice(
            [
                (f"terrain[{t}] = {name.upper()}", lambda b, i: b.terrain[i] == name, TERRAIN),
                (f"terrain[{t}] != {name.upper()}", lambda b, i: b.terrain[i] != name, TERRAIN),
                (f"is[{t}, {name.upper()}]", lambda b, i: b.terrain[i] == name, TERRAIN),
                (f"marker[{t}] = {number}", lambda b, i: b.marker[i] == number, MARKERS),
                (f"marker[{t}] != {number}", lambda b, i: b.marker[i] != number, MARKERS),
                (f"pips[{t}] <= {few}", lambda b, i: b.pips[i] <= few, MARKERS),
                (f"red[{t}]", lambda b, i: b.red[i], MARKERS),
                (f"not red[{t}]", lambda b, i: not b.red[i], MARKERS),
                (f"numbered[{t}]", lambda b, i: b.numbered[i], TERRAIN),
            ]
        )

    def measure(self) -> Said:
        name = self.rng.choice([*MEASURES, *TERRAIN_MEASURES, *TERRAIN_MEASURES])
        return Said(f"{name}()", MEASURES[name], TERRAIN if name in TERRAIN_MEASURES else TERRAIN | MARKERS)

    def whole(self) -> Said:
        """Return a random expression of a whole number."""
        kind = self.rng.randrange(9)
        if kind < 6:
            return self.measure()
        text, tiles = self.tiles()
        name = self.rng.choice(self.names)
        if kind == 6:
            return Said(
                f"sum(t in {text} where terrain[t] = {name.upper()})(pips[t])",
                lambda b: sum(b.pips[t] for t in tiles if b.terrain[t] == name),
                TERRAIN | MARKERS,
            )
        if kind == 7:
            phrase, test, about = self.about_tile("t")
            return Said(f"count(t in {text})({phrase})", lambda b: sum(test(b, t) for t in tiles), about)
        if kind == 8 and self.rng.random() < 0.5:
            one, other = self.whole(), self.whole()
            return Said(
                f"({one.text} + {other.text})",
                lambda b: one.value(b) + other.value(b),
                one.about | other.about,
            )
        t, u = self.tile(), self.tile()
        return Said(
            f"abs(marker[{t + 1}] - marker[{u + 1}])", lambda b: abs(b.marker[t] - b.marker[u]), MARKERS
        )

    def compared(self, one: Said, likely: list[View]) -> Said:
        """Return a whole number compared with one that some board has."""
        n = one.value(self.rng.choice(likely)) if likely else 0
        sign, test = self.rng.choice(
            [
                ("=", lambda x: x == n),
                ("!=", lambda x: x != n),
                ("<=", lambda x: x <= n),
                (">=", lambda x: x >= n),
                ("<", lambda x: x < n),
            ]
        )
        return Said(f"{one.text} {sign} {n}", lambda b: test(one.value(b)), one.about)

    def atom(self, likely: list[View]) -> Said:
        """Return a random condition that has no parts."""
        layout = self.frame.layout
        kinds = [*range(9), *([9] if self.with_harbors else []), *([10] if layout.fishing_grounds else [])]
        kind = self.rng.choice(kinds)
        if kind == 10:
            g = self.rng.randrange(len(layout.fishing_grounds))
            number = self.rng.choice(layout.fishing_grounds).marker
            t = self.tile()
            return self.rng.choice(
                [
                    Said(f"ground[{g + 1}] = {number}", lambda b: b.ground[g] == number, GROUNDS),
                    Said(
                        f"exists(g in GROUND)(ground[g] = marker[{t + 1}])",
                        lambda b: b.marker[t] in b.ground,
                        GROUNDS | MARKERS,
                    ),
                ]
            )
        if kind < 5:
            return self.compared(self.whole(), likely)
        text, tiles = self.tiles()
        if kind == 5:
            t = self.tile()
            phrase, test, about = self.about_tile(str(t + 1))
            return Said(phrase, lambda b: test(b, t), about)
        if kind == 6:
            phrase, test, about = self.about_tile("t")
            condition, holds, also = self.about_tile("t")
            loop, quantifier = self.rng.choice(QUANTIFIERS)
            return Said(
                f"{loop}(t in {text} where {condition})({phrase})",
                lambda b: quantifier(test(b, t) for t in tiles if holds(b, t)),
                about | also,
            )
        if kind == 7:
            phrase, test, about = self.about_tile("t")
            loop, quantifier = self.rng.choice(QUANTIFIERS)
            return Said(
                f"forall(v in INLAND)({loop}(t in vertex_tiles[v])({phrase}))",
                lambda b: all(quantifier(test(b, t) for t in tiles) for tiles in b.frame.inner),
                about,
            )
        if kind == 8:
            return Said(
                f"alldifferent([marker[t] | t in {text}])",
                lambda b: len({b.marker[t] for t in tiles}) == len(tiles),
                MARKERS,
            )
        name = self.rng.choice([n for n in self.names if n not in ("sea", "desert")] or self.names)
        loop, quantifier = self.rng.choice(QUANTIFIERS)
        return Said(
            f"{loop}(h in index_set(harbor))(harbor[h] != 0 -> exists(t in harbor_tiles[h])"
            f"(terrain[t] = {name.upper()}))",
            lambda b: quantifier(
                trade == "3:1" or any(b.terrain[t] == name for t in land) for trade, land in b.harbor_land()
            ),
            HARBORS | TERRAIN,
        )

    def constraint(self, likely: list[View], *, measured: bool) -> Said:
        """Return a random condition, with a measure if asked."""
        kind = self.rng.randrange(10)
        if kind == 0 and not measured:
            # MiniZinc rejects variables of a constraint below a negation, so this one is alone.
            phrase, test, about = self.about_tile("u")
            condition, holds, also = self.about_tile("u")
            return Said(
                f"let {{ var TILE: u }} in {phrase} /\\ {condition}",
                lambda b: any(test(b, t) and holds(b, t) for t in range(b.frame.n)),
                about | also,
            )
        one = self.compared(self.measure(), likely) if measured else self.atom(likely)
        if kind < 6:
            return one
        other = self.atom(likely)
        sign, test = self.rng.choice(
            [
                ("->", lambda x, y: not x or y),
                ("\\/", lambda x, y: x or y),
                ("/\\", lambda x, y: x and y),
                ("<->", lambda x, y: bool(x) == bool(y)),
            ]
        )
        return Said(
            f"({one.text}) {sign} ({other.text})",
            lambda b: test(one.value(b), other.value(b)),
            one.about | other.about,
        )


def negated(statement: Said) -> Said:
    return Said(f"not ({statement.text})", lambda b: not statement.value(b), statement.about)


# ---- Random cases

SHAPES: tuple[tuple[int, ...], ...] = ((3,), (1, 2), (2, 1), (2, 3), (3, 2), (1, 2, 1), (2, 1, 2), (2, 3, 2))
HEXAGON = (2, 3, 2)
RandomLayout = Callable[[random.Random, int], Layout]


def random_layout(rng: random.Random, seed: int) -> Layout:
    """Return a layout of 3 to 7 tiles with some of the possible features of layouts."""
    rows, centres, options = random_shape(rng)
    n = len(centres)
    kinds = rng.sample(CODES, rng.randint(2, 4))
    if all(kind in ("sea", "desert") for kind in kinds):
        kinds.append("ore")
    terrain = kinds[:n] + rng.choices(kinds, k=max(0, n - len(kinds)))
    if rng.random() < 0.1:
        options["further_terrains"] = {"lake": "k"}
        terrain[rng.randrange(n)] = "lake"
    rng.shuffle(terrain)

    yielding = [t for t in range(n) if terrain[t] in (*RESOURCES, "gold")]
    fixed = sorted(rng.sample(range(n), rng.randint(1, 2))) if rng.random() < 0.35 else []
    options["fixed_terrain"] = {t: terrain[t] for t in fixed}
    unmarked = {t for t in fixed if t in yielding and rng.random() < 0.3}
    options["unmarked"] = frozenset(unmarked)
    numbers = rng.sample([2, 3, 4, 5, 6, 8, 9, 10, 11, 12], rng.randint(1, 4))
    if rng.random() < 0.5 and len(numbers) > 1:
        numbers = rng.sample([2, 12, 6, 8], len(numbers) - 1) + numbers[:1]
    numbers_of = {t: rng.choice(numbers) for t in yielding if t not in unmarked}
    options["fixed_markers"] = {t: numbers_of[t] for t in fixed if t in numbers_of and rng.random() < 0.4}
    spare = rng.choices(numbers, k=rng.randint(1, 2)) if rng.random() < 0.25 else []
    options |= random_groups(rng, terrain, numbers_of, [t for t in range(n) if t not in fixed])
    supply = Counter(numbers_of.values()) + Counter(spare)
    once = [m for m in supply if supply[m] == 1 and m not in options["fixed_markers"].values()]
    if once and rng.random() < 0.1:
        first, second = rng.choice(once), rng.choice([2, 3, 11, 12, 6])
        options |= {"second_marker": {first: second}} if first != second else {}
    options |= random_limits(rng, terrain, kinds, sorted(numbers_of))
    if rows == HEXAGON and "tiles" not in options and rng.random() < 0.5:
        options["spiral_order"] = tuple(rng.sample(sorted(supply.elements()), supply.total()))
    layout = Layout(f"case-{seed}", rows, Counter(terrain), supply, **options)
    if rng.random() < 0.45:
        options |= random_harbors(rng, layout, kinds)
        layout = Layout(f"case-{seed}", rows, Counter(terrain), supply, **options)
    return layout


def random_shape(rng: random.Random) -> tuple[tuple[int, ...], list[tuple[int, int]], dict]:
    """Return the rows, the centres of the tiles, and the layout's fields for them."""
    if rng.random() < 0.6:
        rows = rng.choice(SHAPES)
        centres = [(2 * i - n + 1, 3 * row) for row, n in enumerate(rows) for i in range(n)]
        return rows, centres, {"title": "Case"}
    centres = random_tiles(rng, rng.randint(3, 7))
    rows = tuple(Counter(y for _, y in centres)[y] for y in sorted({y for _, y in centres}))
    return rows, centres, {"title": "Case", "tiles": tuple(centres)}


def random_groups(
    rng: random.Random, terrain: list[str], numbers_of: dict[int, int], open_tiles: list[int]
) -> dict:
    """Return fields of a layout that shuffle groups of tiles, sometimes with their numbers."""
    if len(open_tiles) <= 3 or rng.random() >= 0.2:
        return {}
    grouped = set(rng.sample(open_tiles, rng.randint(2, len(open_tiles) - 2)))
    groups = {
        "terrain_group": tuple(int(t in grouped) for t in range(len(terrain))),
        "group_terrain": {1: Counter(terrain[t] for t in grouped)},
    }
    if rng.random() < 0.5:
        groups["marker_group"] = (0,) * len(terrain)
    elif any(t in numbers_of for t in grouped):
        groups["group_markers"] = {1: Counter(numbers_of[t] for t in grouped if t in numbers_of)}
    return groups


def random_limits(rng: random.Random, terrain: list[str], kinds: list[str], numbered: list[int]) -> dict:
    """Return fields of a layout that restrict the places of its pieces."""
    limits: dict[str, object] = {}
    if rng.random() < 0.08:
        limits["inland"] = frozenset({rng.choice([k for k in kinds if k != "sea"])})
    if numbered and rng.random() < 0.08:
        limits["pips_max"] = {rng.choice(numbered): rng.randint(2, 4)}
    for name in ("terrain_marker_pips_min", "terrain_marker_pips_max"):
        if numbered and rng.random() < 0.06:
            limits[name] = {terrain[rng.choice(numbered)]: rng.randint(2, 4)}
    return limits


def random_tiles(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """Return centres of tiles in reading order, mostly connected."""
    centres = {(0, 0)}
    while len(centres) < n:
        x, y = rng.choice(sorted(centres))
        dx, dy = rng.choice(((2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3), (1, -3)))  # to neighbors
        far = 2 if rng.random() < 0.15 else 1
        centres.add((x + far * dx, y + far * dy))
    top = min(y for _, y in centres)
    # Rows count from 0, and rows that are an odd number of rows apart are half a tile apart.
    return sorted(((x, y - top) for x, y in centres), key=lambda centre: (centre[1], centre[0]))


def random_harbors(rng: random.Random, layout: Layout, kinds: list[str]) -> dict:
    """Return fields of a layout with one or two harbors on the outer coast without a common vertex."""
    coasts = Frame(layout).coasts(("ore",) * len(layout.tiles))
    rng.shuffle(coasts)
    places: list[tuple[int, int]] = []
    most = rng.randint(1, 2)
    for place, _ in coasts:
        if len(places) < most and not {v for other in places for v in other} & set(place):
            places.append(place)
    trades = ["3:1", *(k for k in kinds if k in RESOURCES)]
    harbors = tuple(Harbor(place, rng.choice(trades)) for place in places)
    fixed = frozenset(place for place in places if rng.random() < 0.25)
    # A harbor whose tile becomes sea has to move.
    movable = frozenset(places) if "sea" in layout.terrain_counts or rng.random() < 0.15 else frozenset()
    return {
        "printed_harbors": harbors,
        "fixed_harbors": frozenset() if movable else fixed,
        "movable_harbors": movable,
    }


def random_fields(rng: random.Random, case: Case, sample: list[Filling]) -> dict[str, Any]:
    """Return a few random fields of rules."""
    layout, frame = case.layout, case.frame
    kinds = sorted(layout.terrain_counts)
    usual = [k for k in kinds if k in CODES]
    yielding = [k for k in kinds if k in (*RESOURCES, "gold")]
    views = [View(frame, filling) for filling in sample]

    def near(values: list[int], low: int, high: int) -> int:
        """Return a number near one that boards have."""
        n = rng.choice(values) if values else rng.randint(low, high)
        return min(max(n + rng.randint(-1, 1), low), high)

    def pips_of_terrain() -> object:
        totals = [n for view in views for n in view.terrain_pips().values()]
        if rng.random() < 0.4 or not yielding:
            return near(totals, 0, 20)
        names = rng.sample(yielding, rng.randint(1, min(2, len(yielding))))
        bounds = {name: near([v.terrain_pips()[name] for v in views], 0, 20) for name in names}
        return bounds | ({"every": near(totals, 0, 20)} if rng.random() < 0.2 else {})

    choices: dict[str, Callable[[], Any]] = {
        "terrain_cluster_max": lambda: rng.randint(1, 3),
        "apart": lambda: [tuple(rng.sample(usual, 2)) for _ in range(rng.randint(1, 2))],
        "symmetry": lambda: "corners" if len(layout.rows) % 2 and rng.random() < 0.5 else "distinct",
        "desert": lambda: rng.choice(["any", "centre", "coast", "inland"]),
        "gold_inland": lambda: True,
        "islands_min": lambda: rng.randint(1, 3),
        "islands_max": lambda: rng.randint(1, 3),
        "island_size_min": lambda: rng.randint(1, 4),
        "main_island_complete": lambda: True,
        "reds_apart": lambda: True,
        "equal_markers_apart": lambda: True,
        "two_twelve_apart": lambda: True,
        "markers_distinct_per_terrain": lambda: True,
        "reds_per_terrain_max": lambda: rng.randint(0, 2),
        "terrain_markers_max": lambda: (
            rng.randint(2, 5)
            if rng.random() < 0.3 or not yielding
            else {rng.choice(yielding): rng.randint(1, 4)} | ({"every": 4} if rng.random() < 0.3 else {})
        ),
        "vertex_sum_below": lambda: near([s for v in views for s in v.sums], 7, 40) + 1,
        "vertex_pips_min": lambda: near([p for v in views for p in v.vertex_pips], 0, 15),
        "vertex_pips_max": lambda: near([p for v in views for p in v.vertex_pips], 0, 15),
        "terrain_pips_min": pips_of_terrain,
        "terrain_pips_max": pips_of_terrain,
        "pattern": lambda: random_pattern(rng, layout, rng.choice(sample)),
    }
    if len(usual) < 2:
        del choices["apart"]
    if "gold" not in kinds:
        del choices["gold_inland"]
    if "desert" not in kinds:
        del choices["desert"]
    if "sea" not in kinds and rng.random() < 0.8:
        for name in ("islands_min", "islands_max", "island_size_min", "main_island_complete"):
            del choices[name]
    names = rng.sample(sorted(choices), rng.choice([0, 1, 1, 2, 2, 3, 4]))
    fields = {name: choices[name]() for name in names}
    if rng.random() < 0.2:
        fields["adjacency"] = "block"
    if layout.spiral_order and rng.random() < 0.7:
        fields["marker_order"] = "spiral"
    fields |= random_harbor_fields(rng, layout)
    # `Rules` rejects a minimum above its maximum.
    for least, most in (("vertex_pips_min", "vertex_pips_max"), ("islands_min", "islands_max")):
        if fields.get(least, 0) > fields.get(most, 15):
            del fields[least]
    if "terrain_pips_max" in fields:
        fields.pop("terrain_pips_min", None)
    return fields


def random_harbor_fields(rng: random.Random, layout: Layout) -> dict[str, object]:
    """Return random fields of rules about the harbors of a layout, if it has some."""
    if not layout.printed_harbors:
        return {}
    mode = rng.choice(["none", "printed", "shuffled", "shuffled"])
    fields: dict[str, object] = {"harbors": mode}
    has_harbors = mode == "shuffled" or (mode == "printed" and not layout.movable_harbors)
    if has_harbors and rng.random() < 0.4:
        fields["harbor_own_terrain_apart"] = True
    if has_harbors and rng.random() < 0.25:
        fields["harbor_on_every_island"] = True
    if mode == "shuffled" and layout.movable_harbors and rng.random() < 0.4:
        fields["harbors_apart"] = True
    return fields


def random_pattern(rng: random.Random, layout: Layout, filling: Filling) -> str:
    """Return a pattern that keeps a few tiles of a filling."""
    keep = set(rng.sample(range(len(filling.terrain)), rng.randint(1, min(2, len(filling.terrain)))))
    words = []
    for t, (name, marker) in enumerate(zip(filling.terrain, filling.markers, strict=True)):
        letter = LETTERS[name] if t in keep and rng.random() < 0.7 else "x"
        words.append(letter + (str(marker) if marker and t in keep and rng.random() < 0.6 else ""))
    rows, count = [], 0
    for n in layout.rows:
        rows.append("".join(words[count : count + n]))
        count += n
    return "/".join(rows)


def random_case(
    seed: int, most: int = 2000, layouts: RandomLayout = random_layout, custom: float = 0.9
) -> tuple[Case, random.Random]:
    """Return a layout with rules whose box has at most *most* boards.

    The same seed gives the same case. *layouts* makes the layout. *custom* is the probability of custom
    constraints.
    """
    rng = random.Random(seed)
    while True:
        case = Case(layouts(rng, seed), {})
        if n_orders(Counter(case.layout.terrain_counts)) > most:
            continue
        box = case.box
        if n_orders(Counter(case.layout.marker_supply)) * len(box) > 4 * most:
            continue
        fillings = [Filling(t, m) for t in box for m in case.frame.numbers(t)]
        if not fillings:
            continue
        case = Case(case.layout, random_fields(rng, case, rng.sample(fillings, min(5, len(fillings)))))
        n, n_grounds = 0, sum(1 for _ in case.frame.grounds())
        for terrain, ways in Counter(filling.terrain for filling in fillings).items():
            n += ways * sum(1 for _ in case.frame.harbors(case.harbor_mode, terrain)) * n_grounds
            if n > most:
                break
        if not 1 < n <= most:
            continue
        if rng.random() < custom:
            fixed_places = case.harbor_mode != "none" and not case.layout.movable_harbors
            grammar = Grammar(rng, case.frame, fixed_places)
            likely = [View(case.frame, f) for f in rng.sample(fillings, min(8, len(fillings)))]
            n = rng.choice([1, 1, 2])
            case.said = [grammar.constraint(likely, measured=i == 0) for i in range(n)]
        if rng.random() < 0.85:
            keep_allowed(case, rng, rng.choice(fillings))
        return case, rng


def keep_allowed(case: Case, rng: random.Random, filling: Filling) -> None:
    """Drop the broken fields and negate the broken constraints, so that some board is allowed."""
    harbors = list(case.frame.harbors(case.harbor_mode, filling.terrain))
    if harbors:
        grounds = list(case.frame.grounds())
        filling = Filling(
            filling.terrain,
            filling.markers,
            rng.choice(harbors),
            rng.choice(grounds) if grounds[0] else grounds[0],
        )
    broken = case.broken(filling)
    case.fields = {name: value for name, value in case.fields.items() if name not in broken}
    view = View(case.frame, filling)
    case.said = [
        s if s.value(view) else negated(s) for s in case.said if s.value(view) or not s.text.startswith("let")
    ]
