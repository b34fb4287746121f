"""The rules about markers, each declared once: what touches, one terrain, vertices, the order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product, starmap
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, REDS, TERRAINS, UNNUMBERED
from catan_cp.errors import show
from catan_cp.rules.rule import (
    EVERY,
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    Bound,
    Choice,
    FixedOrder,
    MarkersApart,
    Needs,
    NumberPerTerrain,
    Rule,
    Switch,
    TerrainNumbers,
    TerrainPips,
    TerrainQuota,
    View,
    Violation,
    amount,
    inland_vertices,
    number_for,
    on_tiles,
)

_NO_BOUND = 1000
"""What a model gets for a bound that is not set: more than anything can reach."""
_MOST_VERTEX_PIPS = 15


def _or_none(bound: int | None) -> int:
    return _NO_BOUND if bound is None else bound


# ---- Markers that touch


def _with_seconds(layout: Layout, clash: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    """Return whether two markers clash, or one of them with the second one that lies beside the other."""
    return lambda a, b: any(starmap(clash, product(layout.numbers_of(a), layout.numbers_of(b))))


def _equal(a: int, b: int) -> bool:
    return a == b


def _apart_rule(
    field: str, parameter: str, asks: str, sentence: str, clash: Callable[[int, int], bool]
) -> Rule:
    """Return a rule that keeps markers apart: on tiles that touch, no two for which *clash* is true.

    Args:
        field: its field.
        parameter: its parameter in the model.
        asks: half a sentence for the docs.
        sentence: its sentence.
        clash: whether two markers must not touch.
    """

    def violations(_on: bool, needs: Needs, board: Board) -> Iterator[Violation]:
        numbers = [board.layout.numbers_of(marker) for marker in board.markers]
        for a, b in board.layout.adjacency(needs["adjacency"]):
            for first, second in product(numbers[a], numbers[b]):
                if clash(first, second):
                    yield Violation(field, f"{first} on tile {a} touches {second} on tile {b}", (a, b))

    return Rule(
        field=field,
        kind=Switch(),
        about=("markers",),
        sees="nothing",
        needs=("adjacency",),
        asks=asks,
        says=lambda _: [sentence],
        data={"markers": lambda on, needs, view: {parameter: on}},
        violations=violations,
        counts=lambda _, needs, layout: [
            MarkersApart(layout.adjacency(needs["adjacency"]), _with_seconds(layout, clash))
        ],
    )


REDS_APART = _apart_rule(
    "reds_apart",
    "reds_apart",
    "no two of 6 and 8 touch",
    "No two reds (6 and 8) touch.",
    lambda a, b: {a, b} <= REDS,
)

EQUAL_APART = _apart_rule(
    "equal_markers_apart",
    "equal_apart",
    "no two equal markers touch",
    "No two equal markers touch.",
    _equal,
)

EXTREMES_APART = _apart_rule(
    "two_twelve_apart",
    "extremes_apart",
    "no two of 2 and 12 touch",
    "No two of the markers 2 and 12 touch.",
    lambda a, b: {a, b} <= {2, 12},
)


# ---- The markers on one terrain


def _tiles_by_terrain(board: Board) -> dict[str, list[int]]:
    """Return the numbered tiles of each terrain on the board."""
    tiles: dict[str, list[int]] = defaultdict(list)
    for t, name in enumerate(board.terrain):
        if name not in board.layout.unnumbered and t not in board.layout.unmarked:
            tiles[name].append(t)
    return tiles


def _repeated(_on: bool, needs: Needs, board: Board) -> Iterator[Violation]:
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
    data={"markers": lambda on, needs, view: {"distinct_per_terrain": on}},
    violations=_repeated,
    counts=lambda _, needs, layout: [ApartOnTerrain(_with_seconds(layout, _equal))],
)


def _too_many_reds(most: int, needs: Needs, board: Board) -> Iterator[Violation]:
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
    data={"markers": lambda most, needs, view: {"reds_per_terrain": _or_none(most)}},
    violations=_too_many_reds,
    counts=lambda most, needs, layout: [TerrainQuota(_red_markers(layout), most)],
)


def _each_terrain(numbers: TerrainNumbers, what: Callable[[int], str]) -> Iterator[str]:
    """Yield a sentence a terrain, where *what* says what its number means."""
    named = [name for name, _ in numbers if name != EVERY]
    for name, number in numbers:
        who = name.capitalize() if name != EVERY else "Each other terrain" if named else "Each terrain"
        yield f"{who} {what(number)}"


def _too_good(most: TerrainNumbers, needs: Needs, board: Board) -> Iterator[Violation]:
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
        "markers": lambda most, needs, view: {
            "marker_pips_max": [_or_none(number_for(most, name)) for name in view.layout.all_terrains]
        }
    },
    violations=_too_good,
    counts=lambda most, needs, layout: [_barred_markers(most, layout)],
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
    objections: Callable[[int | None, Needs], Iterable[str]] = lambda bound, needs: (),
    beside: tuple[str, ...] = (),
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
        beside: the fields that the objections look at.
    """

    def violations(bound: int, needs: Needs, board: Board) -> Iterator[Violation]:
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
        data={"markers": lambda bound, needs, view: {field: parameter(bound)}},
        violations=violations,
        counts=lambda bound, needs, layout: [AtVertices(lambda three: fits(measure(layout, three), bound))],
        objections=lambda bound, needs, layout: objections(bound, needs),
        beside=beside,
    )


def _crossed_pips(least: int | None, needs: Needs) -> Iterator[str]:
    most = needs["vertex_pips_max"]
    if least is not None and most is not None and least > most:
        yield f"{VERTEX_PIPS_MIN.field} {least} is above {VERTEX_PIPS_MAX.field} {most}"


VERTEX_SUM = _vertex_rule(
    "vertex_sum_below",
    Bound(least=7, slider=(18, 34)),
    "around every vertex of three land tiles the markers sum to less than this; a desert counts 7",
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
    ("vertex_pips_max",),
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


def _least_pips(least: TerrainNumbers, needs: Needs, view: View) -> dict[str, Any]:
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


def _too_few_pips(least: TerrainNumbers, needs: Needs, board: Board) -> Iterator[Violation]:
    for name, total, tiles in _terrain_totals(least, board):
        bound = number_for(least, name)
        if bound is not None and total < bound:
            text = f"{name} has {amount(total, 'pip')}, fewer than {bound}{_where(tiles)}"
            yield Violation(TERRAIN_PIPS_MIN.field, text, tiles)


def _too_many_pips(most: TerrainNumbers, needs: Needs, board: Board) -> Iterator[Violation]:
    for name, total, tiles in _terrain_totals((), board):
        bound = number_for(most, name)
        if bound is not None and total > bound:
            text = f"{name} has {amount(total, 'pip')}, more than {bound}{_where(tiles)}"
            yield Violation(TERRAIN_PIPS_MAX.field, text, tiles)


def _by_name(numbers: TerrainNumbers, layout: Layout) -> dict[str, int]:
    """Return the number of each of the layout's terrains that has one."""
    found = {name: number_for(numbers, name) for name in layout.terrains}
    return {name: number for name, number in found.items() if number is not None}


def _unreachable_pips(least: TerrainNumbers, needs: Needs, layout: Layout | None) -> Iterator[str]:
    """Bounds that cross, on a terrain that must be on the board, and a minimum for one that is not."""
    named = [name for name, number in least if number > 0]
    for name in named if layout is None else layout.terrains:
        low, high = number_for(least, name), number_for(needs["terrain_pips_max"], name)
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
    counts=lambda least, needs, layout: [TerrainPips(_by_name(least, layout), {})],
    objections=_unreachable_pips,
    beside=("terrain_pips_max",),
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
        "markers": lambda most, needs, view: {
            "terrain_pips_max": [_or_none(number_for(most, name)) for name in view.layout.all_terrains]
        }
    },
    violations=_too_many_pips,
    counts=lambda most, needs, layout: [TerrainPips({}, _by_name(most, layout))],
)


# ---- The order of the rule book


def _off_spiral(board: Board, path: Sequence[int]) -> tuple[int, ...]:
    """Return the tiles on *path* whose markers are not the next of the rule book's order."""
    numbered = [t for t in path if board.markers[t] is not None]
    order = board.layout.spiral_order
    return tuple(sorted(t for i, t in enumerate(numbered) if order[i : i + 1] != (board.markers[t],)))


def _not_on_a_spiral(_value: str, needs: Needs, board: Board) -> Iterator[Violation]:
    nearest = min((_off_spiral(board, path) for path in board.layout.spirals), key=len)
    if nearest:
        text = "from no corner do the markers follow the spiral; from the best, they differ"
        yield Violation(ORDER.field, f"{text} {on_tiles(nearest)}", nearest)


def _no_spiral(value: str, needs: Needs, layout: Layout | None) -> Iterator[str]:
    if value == "spiral" and layout is not None and not layout.spirals:
        yield f"{ORDER.field}='spiral' needs the rule book's order, which {show(layout.name)} lacks"


ORDER = Rule(
    field="marker_order",
    kind=Choice(("free", "spiral")),
    about=("markers",),
    sees="bare",
    asks="the order of the markers: with `spiral` the rule book's fixed one, from any corner, "
    "counter-clockwise inwards, deserts skipped",
    says=lambda _: [
        "The markers follow the rule book's order, from a corner, counter-clockwise inwards, deserts skipped."
    ],
    data={
        "markers": lambda value, needs, view: {
            "spirals": sorted(view.tiles(path) for path in view.layout.spirals if value == "spiral"),
            "spiral_order": list(view.layout.spiral_order),
        }
    },
    violations=_not_on_a_spiral,
    counts=lambda _, needs, layout: [FixedOrder(layout.spirals, layout.spiral_order)],
    objections=_no_spiral,
)
