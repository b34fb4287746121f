"""The rules about markers, each declared once: what touches, one terrain, vertices, the order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product, starmap
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, REDS, TERRAINS, UNNUMBERED
from catan_cp.errors import show
from catan_cp.rules.regions import inland_vertices
from catan_cp.rules.restrictions import (
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    FixedOrder,
    MarkersApart,
    TerrainPips,
    TerrainQuota,
)
from catan_cp.rules.rule import (
    EVERY,
    Bound,
    Check,
    Choice,
    NumberPerTerrain,
    Restrict,
    Rule,
    Switch,
    TerrainNumbers,
    View,
    Violation,
    amount,
    number_for,
    on_tiles,
)

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules

_NO_BOUND = 1000
"""What a model gets for a bound that is not set: more than anything can reach."""
_MOST_VERTEX_PIPS = 15


def _or_none(bound: int | None) -> int:
    return _NO_BOUND if bound is None else bound


# ---- Markers that touch


def _not_apart(field: str, clash: Callable[[int, int], bool]) -> Check:
    """Return the checker of a rule that keeps markers apart for which *clash* is true."""

    def violations(_on: bool, rules: Rules, board: Board) -> Iterator[Violation]:
        numbers = [board.layout.numbers_of(marker) for marker in board.markers]
        for a, b in board.layout.adjacency(rules.adjacency):
            for first, second in product(numbers[a], numbers[b]):
                if clash(first, second):
                    yield Violation(field, f"{first} on tile {a} touches {second} on tile {b}", (a, b))

    return violations


def _with_seconds(layout: Layout, clash: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    """Return whether two markers clash, or one of them with the second one that lies beside the other."""
    return lambda a, b: any(starmap(clash, product(layout.numbers_of(a), layout.numbers_of(b))))


def _kept_apart(clash: Callable[[int, int], bool]) -> Restrict:
    return lambda _, rules, layout: [
        MarkersApart(layout.adjacency(rules.adjacency), _with_seconds(layout, clash))
    ]


def _both_red(a: int, b: int) -> bool:
    return a in REDS and b in REDS


def _equal(a: int, b: int) -> bool:
    return a == b


def _both_extreme(a: int, b: int) -> bool:
    return {a, b} <= {2, 12}


REDS_APART = Rule(
    field="reds_apart",
    kind=Switch(),
    about=("markers",),
    sees="nothing",
    needs=("adjacency",),
    asks="no two of 6 and 8 touch",
    says=lambda _: ["No two reds (6 and 8) touch."],
    data={"markers": lambda on, rules, view: {"reds_apart": on}},
    violations=_not_apart("reds_apart", _both_red),
    counts=_kept_apart(_both_red),
)

EQUAL_APART = Rule(
    field="equal_markers_apart",
    kind=Switch(),
    about=("markers",),
    sees="nothing",
    needs=("adjacency",),
    asks="no two equal markers touch",
    says=lambda _: ["No two equal markers touch."],
    data={"markers": lambda on, rules, view: {"equal_apart": on}},
    violations=_not_apart("equal_markers_apart", _equal),
    counts=_kept_apart(_equal),
)

EXTREMES_APART = Rule(
    field="two_twelve_apart",
    kind=Switch(),
    about=("markers",),
    sees="nothing",
    needs=("adjacency",),
    asks="no two of 2 and 12 touch",
    says=lambda _: ["No two of the markers 2 and 12 touch."],
    data={"markers": lambda on, rules, view: {"extremes_apart": on}},
    violations=_not_apart("two_twelve_apart", _both_extreme),
    counts=_kept_apart(_both_extreme),
)


# ---- The markers on one terrain


def _tiles_by_terrain(board: Board) -> dict[str, list[int]]:
    """Return the numbered tiles of each terrain on the board."""
    tiles: dict[str, list[int]] = defaultdict(list)
    for t, name in enumerate(board.terrain):
        if name not in board.layout.unnumbered and t not in board.layout.unmarked:
            tiles[name].append(t)
    return tiles


def _repeated(_on: bool, rules: Rules, board: Board) -> Iterator[Violation]:
    for name, group in _tiles_by_terrain(board).items():
        numbers = {t: set(board.layout.numbers_of(board.markers[t])) for t in group}
        counts = Counter(number for here in numbers.values() for number in here)
        repeated = sorted(number for number, n in counts.items() if n > 1)
        if repeated:
            tiles = tuple(t for t in group if numbers[t].intersection(repeated))
            text = f"{name} has {', '.join(map(str, repeated))} more than once, {on_tiles(tiles)}"
            yield Violation(DISTINCT.field, text, tiles)


DISTINCT = Rule(
    field="markers_distinct_per_terrain",
    kind=Switch(),
    about=("markers",),
    sees="alike",
    positions=False,
    asks="the markers on one terrain all differ",
    says=lambda _: ["The markers on one terrain all differ."],
    data={"markers": lambda on, rules, view: {"distinct_per_terrain": on}},
    violations=_repeated,
    counts=lambda _, rules, layout: [ApartOnTerrain(_with_seconds(layout, _equal))],
)


def _too_many_reds(most: int, rules: Rules, board: Board) -> Iterator[Violation]:
    for name, group in _tiles_by_terrain(board).items():
        reds = tuple(t for t in group if REDS.intersection(board.layout.numbers_of(board.markers[t])))
        if len(reds) > most:
            text = f"{name} has {len(reds)} reds, more than {most}, {on_tiles(reds)}"
            yield Violation(REDS_MAX.field, text, reds)


def _red_markers(layout: Layout) -> frozenset[int]:
    return frozenset(marker for marker in MARKERS if REDS.intersection(layout.numbers_of(marker)))


REDS_MAX = Rule(
    field="reds_per_terrain_max",
    kind=Bound(least=0, slider=(0, 4)),
    about=("markers",),
    sees="alike",
    positions=False,
    asks="tiles of one terrain that carry a 6 or 8, at most",
    says=lambda most: [f"Each terrain has at most {amount(most, 'red marker')}."],
    data={"markers": lambda most, rules, view: {"reds_per_terrain": _or_none(most)}},
    violations=_too_many_reds,
    counts=lambda most, rules, layout: [TerrainQuota(_red_markers(layout), most)],
)


def _each_terrain(numbers: TerrainNumbers, what: Callable[[int], str]) -> Iterator[str]:
    """Yield a sentence a terrain, where *what* says what its number means."""
    named = [name for name, _ in numbers if name != EVERY]
    for name, number in numbers:
        who = name.capitalize() if name != EVERY else "Each other terrain" if named else "Each terrain"
        yield f"{who} {what(number)}"


def _too_good(most: TerrainNumbers, rules: Rules, board: Board) -> Iterator[Violation]:
    for t, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True)):
        bound = number_for(most, name)
        ways = board.layout.marker_pips(marker)
        if marker is not None and bound is not None and ways > bound:
            text = f"{marker} on tile {t} has {ways} pips, more than {bound} for {name}"
            yield Violation(MARKERS_MAX.field, text, (t,))


def _barred_markers(most: TerrainNumbers, layout: Layout) -> BarredMarkers:
    def barred(terrain: str, marker: int) -> bool:
        bound = number_for(most, terrain)
        return bound is not None and layout.marker_pips(marker) > bound

    return BarredMarkers(barred)


MARKERS_MAX = Rule(
    field="terrain_markers_max",
    kind=NumberPerTerrain(slider=(1, 5), least=1),
    about=("markers",),
    sees="all",
    positions=False,
    asks="pips of each single marker on a terrain, at most: `{gold = 4}` keeps 6 and 8 off gold",
    says=lambda most: _each_terrain(most, lambda n: f"has only markers of at most {amount(n, 'pip')}."),
    data={
        "markers": lambda most, rules, view: {
            "marker_pips_max": [_or_none(number_for(most, name)) for name in view.layout.all_terrains]
        }
    },
    violations=_too_good,
    counts=lambda most, rules, layout: [_barred_markers(most, layout)],
)


# ---- Round a vertex of three land tiles


def _markers_sum(layout: Layout, markers: Sequence[int | None]) -> int:
    return sum(7 if marker is None else sum(layout.numbers_of(marker)) for marker in markers)


def _pips_sum(layout: Layout, markers: Sequence[int | None]) -> int:
    return sum(map(layout.marker_pips, markers))


def _vertex_rule(
    field: str,
    kind: Bound,
    asks: str,
    sentence: Callable[[int], str],
    parameter: Callable[[int | None], int],
    measure: Callable[[Layout, Sequence[int | None]], int],
    fits: Callable[[int, int], bool],
    text: Callable[[int, int], str],
    objections: Callable[[int | None, Rules], Iterable[str]] = lambda bound, rules: (),
) -> Rule:
    """Return a rule that bounds what the three markers round each vertex of three land tiles come to.

    Args:
        field: its field, which is its parameter in the model too.
        kind: the bound's range.
        asks: half a sentence for the docs.
        sentence: its sentence for a bound.
        parameter: what the model gets for a bound.
        measure: what three markers, None on a desert, come to.
        fits: whether a value keeps a bound.
        text: what is wrong with a value that does not.
        objections: why a bound cannot be.
    """

    def violations(bound: int, rules: Rules, board: Board) -> Iterator[Violation]:
        for v, tiles in inland_vertices(board):
            value = measure(board.layout, [board.markers[t] for t in tiles])
            if not fits(value, bound):
                yield Violation(field, f"vertex {v} {text(value, bound)}, {on_tiles(tiles)}", tiles, (v,))

    return Rule(
        field=field,
        kind=kind,
        about=("markers",),
        sees="bare",
        asks=asks,
        says=lambda bound: [sentence(bound)],
        data={"markers": lambda bound, rules, view: {field: parameter(bound)}},
        violations=violations,
        counts=lambda bound, rules, layout: [AtVertices(lambda three: fits(measure(layout, three), bound))],
        objections=lambda bound, rules, layout: objections(bound, rules),
    )


def _crossed_pips(least: int | None, rules: Rules) -> Iterator[str]:
    most = rules.vertex_pips_max
    if least is not None and most is not None and least > most:
        yield f"{VERTEX_PIPS_MIN.field} {least} is above {VERTEX_PIPS_MAX.field} {most}"


VERTEX_SUM = _vertex_rule(
    "vertex_sum_below",
    Bound(least=7, slider=(18, 34)),
    "around every vertex of three land tiles the markers sum to less; a desert counts 7",
    lambda n: f"At every vertex of three land tiles the markers sum to less than {n} (a desert counts 7).",
    _or_none,
    _markers_sum,
    lambda total, below: total < below,
    lambda total, below: f"sums to {total}, not below {below}",
)

VERTEX_PIPS_MIN = _vertex_rule(
    "vertex_pips_min",
    Bound(least=0, most=_MOST_VERTEX_PIPS, slider=(1, 8)),
    "pips around every vertex of three land tiles, at least",
    lambda n: f"Every vertex of three land tiles has at least {amount(n, 'pip')}.",
    lambda least: least or 0,
    _pips_sum,
    lambda total, least: total >= least,
    lambda total, least: f"has {total} pips, fewer than {least}",
    _crossed_pips,
)

VERTEX_PIPS_MAX = _vertex_rule(
    "vertex_pips_max",
    Bound(least=0, slider=(8, 15)),
    "pips around every vertex of three land tiles, at most",
    lambda n: f"Every vertex of three land tiles has at most {amount(n, 'pip')}.",
    _or_none,
    _pips_sum,
    lambda total, most: total <= most,
    lambda total, most: f"has {total} pips, more than {most}",
)


# ---- The pips of a terrain


def _least_pips(least: TerrainNumbers, rules: Rules, view: View) -> dict[str, Any]:
    """A number for every terrain holds for those on the board, a terrain's own number in any case."""
    bounds = {
        name: number_for(least, name) if name in view.terrains else dict(least).get(name)
        for name in TERRAINS
        if name not in UNNUMBERED
    }
    return {"terrain_pips_min": [bounds.get(name) or 0 for name in view.layout.all_terrains]}


def _terrain_totals(numbers: TerrainNumbers, board: Board) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Yield each terrain on the board, and each that *numbers* names, with its pips and its tiles."""
    totals = board.terrain_pips()
    for name in TERRAINS:
        if name in totals or name in dict(numbers):
            tiles = tuple(t for t, here in enumerate(board.terrain) if here == name)
            yield name, totals.get(name, 0), tiles


def _where(tiles: Sequence[int]) -> str:
    return f", {on_tiles(tiles)}" if tiles else ""


def _too_few_pips(least: TerrainNumbers, rules: Rules, board: Board) -> Iterator[Violation]:
    for name, total, tiles in _terrain_totals(least, board):
        bound = number_for(least, name)
        if bound is not None and total < bound:
            text = f"{name} has {amount(total, 'pip')}, fewer than {bound}{_where(tiles)}"
            yield Violation(TERRAIN_PIPS_MIN.field, text, tiles)


def _too_many_pips(most: TerrainNumbers, rules: Rules, board: Board) -> Iterator[Violation]:
    for name, total, tiles in _terrain_totals((), board):
        bound = number_for(most, name)
        if bound is not None and total > bound:
            text = f"{name} has {amount(total, 'pip')}, more than {bound}{_where(tiles)}"
            yield Violation(TERRAIN_PIPS_MAX.field, text, tiles)


def _by_name(numbers: TerrainNumbers, layout: Layout) -> dict[str, int]:
    """Return the number of each of the layout's terrains that has one."""
    found = {name: number_for(numbers, name) for name in layout.terrains}
    return {name: number for name, number in found.items() if number is not None}


def _unreachable_pips(least: TerrainNumbers, rules: Rules, layout: Layout | None) -> Iterator[str]:
    """Bounds that cross, on a terrain that must be on the board, and a minimum for one that is not."""
    named = [name for name, number in least if number > 0]
    for name in named if layout is None else layout.terrains:
        low, high = number_for(least, name), number_for(rules.terrain_pips_max, name)
        if name not in UNNUMBERED and low is not None and high is not None and low > high:
            yield f"{TERRAIN_PIPS_MIN.field} {low} is above {TERRAIN_PIPS_MAX.field} {high} for {name}"
    for name in named if layout is not None else ():
        if name != EVERY and layout is not None and name not in layout.terrains:
            yield f"{TERRAIN_PIPS_MIN.field} names {name}, which the box of {show(layout.name)} lacks"


TERRAIN_PIPS_MIN = Rule(
    field="terrain_pips_min",
    kind=NumberPerTerrain(slider=(4, 12)),
    about=("markers",),
    sees="all",
    positions=False,
    asks="pips of all tiles of a terrain together, at least",
    says=lambda least: _each_terrain(least, lambda n: f"has at least {amount(n, 'pip')} in all."),
    data={"markers": _least_pips},
    violations=_too_few_pips,
    counts=lambda least, rules, layout: [TerrainPips(_by_name(least, layout), {})],
    objections=_unreachable_pips,
)

TERRAIN_PIPS_MAX = Rule(
    field="terrain_pips_max",
    kind=NumberPerTerrain(slider=(10, 20)),
    about=("markers",),
    sees="all",
    positions=False,
    asks="pips of all tiles of a terrain together, at most",
    says=lambda most: _each_terrain(most, lambda n: f"has at most {amount(n, 'pip')} in all."),
    data={
        "markers": lambda most, rules, view: {
            "terrain_pips_max": [_or_none(number_for(most, name)) for name in view.layout.all_terrains]
        }
    },
    violations=_too_many_pips,
    counts=lambda most, rules, layout: [TerrainPips({}, _by_name(most, layout))],
)


# ---- The order of the rule book


def _off_spiral(board: Board, path: Sequence[int]) -> tuple[int, ...]:
    """Return the tiles on *path* whose markers are not the next of the rule book's order."""
    numbered = [t for t in path if board.markers[t] is not None]
    order = board.layout.spiral_order
    return tuple(sorted(t for i, t in enumerate(numbered) if order[i : i + 1] != (board.markers[t],)))


def _not_on_a_spiral(_value: str, rules: Rules, board: Board) -> Iterator[Violation]:
    nearest = min((_off_spiral(board, path) for path in board.layout.spirals), key=len)
    if nearest:
        text = "from no corner do the markers follow the spiral; from the best, they differ"
        yield Violation(ORDER.field, f"{text} {on_tiles(nearest)}", nearest)


def _no_spiral(value: str, rules: Rules, layout: Layout | None) -> Iterator[str]:
    if value == "spiral" and layout is not None and not layout.spirals:
        yield f"{ORDER.field}='spiral' needs the rule book's order, which {show(layout.name)} lacks"


ORDER = Rule(
    field="marker_order",
    kind=Choice(("free", "spiral")),
    about=("markers",),
    sees="bare",
    asks="`spiral`: the rule book's fixed order, from any corner, counter-clockwise inwards, deserts skipped",
    says=lambda _: [
        "The markers follow the rule book's order, from a corner, counter-clockwise inwards, deserts skipped."
    ],
    data={
        "markers": lambda value, rules, view: {
            "spirals": sorted(view.tiles(path) for path in view.layout.spirals if value == "spiral"),
            "spiral_order": list(view.layout.spiral_order),
        }
    },
    violations=_not_on_a_spiral,
    counts=lambda _, rules, layout: [FixedOrder(layout.spirals, layout.spiral_order)],
    objections=_no_spiral,
)
