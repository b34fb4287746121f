"""Declarations of the rules about markers and harbors."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import MARKERS, REDS, TERRAIN_CODE, UNNUMBERED, pips
from catan_cp.errors import amount, show
from catan_cp.rules import rule
from catan_cp.rules.restrictions import (
    ApartOnTerrain,
    Barred,
    BarredMarkers,
    Breach,
    FixedOrder,
    MarkersApart,
    Restriction,
    TerrainPips,
    TerrainQuota,
    VertexBounds,
    at_vertices,
    marker_pairs,
    marker_values,
    on_tiles,
)

_NO_BOUND = 1000
"""The models' value for a bound that is not set, larger than any possible number."""
_MOST_VERTEX_PIPS = 15


def _or_no_bound(bound: int | None) -> int:
    return _NO_BOUND if bound is None else bound


# ---- Markers that touch


def _apart_rule(
    field: str, parameter: str, asks: str, sentence: str, exclude: Callable[[int, int], bool]
) -> rule.Rule:
    """Return a rule that forbids some pairs of markers on tiles that touch.

    Args:
        field: the field of the rule.
        parameter: its parameter in the model.
        asks: half a sentence for the docs.
        sentence: the sentence that describes the rule.
        exclude: returns True for two numbers that must not touch.
    """
    return rule.Rule(
        field=field,
        kind=rule.SWITCH,
        about=("markers",),
        sees_terrain=False,
        needs=("adjacency",),
        asks=asks,
        says=lambda _: [sentence],
        data={"markers": lambda on, needs, view: {parameter: on}},
        restrict=lambda _, needs, layout: [
            MarkersApart(layout.adjacency(needs["adjacency"]), marker_pairs(layout, exclude))
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
    operator.eq,
)

EXTREMES_APART = _apart_rule(
    "two_twelve_apart",
    "extremes_apart",
    "no two of 2 and 12 touch",
    "No two of the markers 2 and 12 touch.",
    lambda a, b: {a, b} <= {2, 12},
)


# ---- The markers on one terrain


DISTINCT = rule.Rule(
    field="markers_distinct_per_terrain",
    kind=rule.SWITCH,
    about=("markers",),
    asks="the markers on one terrain all differ",
    says=lambda _: ["The markers on one terrain all differ."],
    data={"markers": lambda on, needs, view: {"distinct_per_terrain": on}},
    restrict=lambda _, needs, layout: [ApartOnTerrain(marker_pairs(layout, operator.eq))],
)


def _red_markers(layout: Layout) -> frozenset[int]:
    return frozenset(marker for marker in MARKERS if REDS.intersection(layout.numbers_of(marker)))


REDS_MAX = rule.Rule(
    field="reds_per_terrain_max",
    kind=rule.bound(least=0, slider=(0, 4)),
    about=("markers",),
    asks="maximum number of tiles of one terrain with a 6 or 8",
    says=lambda most: [f"Each terrain has at most {amount(most, 'red marker')}."],
    data={"markers": lambda most, needs, view: {"reds_per_terrain": _or_no_bound(most)}},
    restrict=lambda most, needs, layout: [TerrainQuota(_red_markers(layout), most, "reds")],
)


def _each_terrain(numbers: rule.TerrainNumbers, predicate: Callable[[int], str]) -> Iterator[str]:
    """Yield one sentence for each key of *numbers*.

    *predicate* returns the end of the sentence for a number.
    """
    named = [name for name, _ in numbers if name != rule.EVERY]
    for name, number in numbers:
        general = "Each other terrain" if named else "Each terrain"
        subject = general if name == rule.EVERY else name.capitalize()
        yield f"{subject} {predicate(number)}"


def _bounds(most: rule.TerrainNumbers, layout: Layout) -> dict[str, int]:
    """Return the bound of each terrain, in order of their codes."""
    return {name: _or_no_bound(rule.number_for(most, name)) for name in layout.all_terrains}


def _stricter_bounds(most: rule.TerrainNumbers, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    """Return the stricter bound of rule and layout for each terrain."""
    by_layout = view.layout.terrain_marker_pips_max if view.has_requirements else {}
    bounds = _bounds(most, view.layout).items()
    return {"marker_pips_max": [min(n, by_layout.get(name, n)) for name, n in bounds]}


def _too_many_pips(most: rule.TerrainNumbers, needs: rule.Needs, layout: Layout) -> list[Restriction]:
    barred = [
        (name, marker)
        for name, bound in _bounds(most, layout).items()
        for marker in MARKERS
        if layout.marker_pips(marker) > bound
    ]
    places = frozenset((tile, name, marker) for tile in range(layout.n_tiles) for name, marker in barred)
    return [BarredMarkers(places, "which has a lower maximum")]


MARKERS_MAX = rule.Rule(
    field="terrain_markers_max",
    kind=rule.number_per_terrain(slider=(1, 5), least=1),
    about=("markers",),
    asks="maximum pips of each single marker on a terrain: `{gold = 4}` keeps 6 and 8 off gold",
    says=lambda most: _each_terrain(most, lambda n: f"has only markers of at most {amount(n, 'pip')}."),
    data={"markers": _stricter_bounds},
    restrict=_too_many_pips,
)


# ---- Vertices of three land tiles


def _vertex_rule(
    field: str,
    kind: rule.Kind,
    asks: str,
    sentence: Callable[[int], str],
    unset: int,
    bounds: Callable[[int, Layout], VertexBounds],
    upper: str | None = None,
) -> rule.Rule:
    """Return a rule that bounds a sum over the markers at each inland vertex.

    An inland vertex is one of three land tiles.

    Args:
        field: the field of the rule, and its parameter in the model.
        kind: the values that the bound takes.
        asks: half a sentence for the docs.
        sentence: returns the sentence that describes the rule with a bound.
        unset: the model's value for no bound.
        bounds: returns the restriction of a bound on a layout.
        upper: the field of the upper bound, if this is a lower bound.
    """
    return rule.Rule(
        field=field,
        kind=kind,
        about=("markers",),
        sees_terrain=False,
        asks=asks,
        says=lambda bound: [sentence(bound)],
        data={"markers": lambda bound, needs, view: {field: unset if bound is None else bound}},
        restrict=lambda bound, needs, layout: [bounds(bound, layout)],
        objections=rule.crossed(field, upper) if upper else rule.no_objection,
    )


def _pips_at_vertex(layout: Layout, least: int, most: int, text: str) -> VertexBounds:
    return VertexBounds(marker_values(layout, 0, pips), least, most, text)


VERTEX_SUM = _vertex_rule(
    "vertex_sum_below",
    rule.bound(least=7, slider=(18, 34)),
    "bound that no sum of markers around a vertex of three land tiles reaches; "
    "tiles without a marker count 7",
    lambda n: (
        f"At every vertex of three land tiles the markers sum to less than {n} (tiles without one count 7)."
    ),
    _NO_BOUND,
    lambda bound, layout: VertexBounds(
        marker_values(layout, 7, int), 0, bound - 1, f"sums to {{}}, not below {bound}"
    ),
)

VERTEX_PIPS_MIN = _vertex_rule(
    "vertex_pips_min",
    rule.bound(least=0, most=_MOST_VERTEX_PIPS, slider=(1, 8)),
    "minimum pips around every vertex of three land tiles",
    lambda n: f"Every vertex of three land tiles has at least {amount(n, 'pip')}.",
    0,
    lambda bound, layout: _pips_at_vertex(layout, bound, _NO_BOUND, f"has {{}} pips, fewer than {bound}"),
    "vertex_pips_max",
)

VERTEX_PIPS_MAX = _vertex_rule(
    "vertex_pips_max",
    rule.bound(least=0, slider=(8, 15)),
    "maximum pips around every vertex of three land tiles",
    lambda n: f"Every vertex of three land tiles has at most {amount(n, 'pip')}.",
    _NO_BOUND,
    lambda bound, layout: _pips_at_vertex(layout, 0, bound, f"has {{}} pips, more than {bound}"),
)


# ---- The pips of a terrain


def _least_pips(least: rule.TerrainNumbers, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    """Return the minimum pips of each terrain.

    A terrain without a number has that of `EVERY` if it is on the board and carries markers, otherwise 0.
    """
    named = dict(least)
    general, numbered = named.pop(rule.EVERY, 0), {*view.terrains} - view.layout.unnumbered
    bounds = [named.get(name, general * (name in numbered)) for name in view.layout.all_terrains]
    return {"terrain_pips_min": bounds}


def _by_name(numbers: rule.TerrainNumbers, layout: Layout) -> dict[str, int]:
    """Return the number of each terrain of the layout that has one and carries markers, or is named."""
    return {
        name: n
        for name in layout.terrains
        if (name not in layout.unnumbered or name in dict(numbers))
        and (n := rule.number_for(numbers, name)) is not None
    }


def _named_terrains(numbers: rule.TerrainNumbers) -> frozenset[str]:
    return frozenset(name for name, _ in numbers) - {rule.EVERY}


def _unreachable_pips(least: rule.TerrainNumbers, fields: rule.Needs, layout: Layout | None) -> Iterator[str]:
    """Yield errors about minima above maxima, or for terrains that are not in the box."""
    named = [name for name, number in least if number > 0]
    for name in named if layout is None else layout.terrains:
        low, high = rule.number_for(least, name), rule.number_for(fields["terrain_pips_max"], name)
        if name not in UNNUMBERED and low is not None and high is not None and low > high:
            yield f"terrain_pips_min {low} is above terrain_pips_max {high} for {name}"
    if layout is not None:
        for name in [name for name in named if name not in (rule.EVERY, *layout.terrains)]:
            yield f"terrain_pips_min names {name}, which the box of {show(layout.name)} lacks"


TERRAIN_PIPS_MIN = rule.Rule(
    field="terrain_pips_min",
    kind=rule.number_per_terrain(slider=(4, 12)),
    about=("markers",),
    asks="minimum pips of all tiles of a terrain together",
    says=lambda least: _each_terrain(least, lambda n: f"has at least {amount(n, 'pip')} in all."),
    data={"markers": _least_pips},
    restrict=lambda least, needs, layout: [TerrainPips(_by_name(least, layout), {}, _named_terrains(least))],
    objections=_unreachable_pips,
)

TERRAIN_PIPS_MAX = rule.Rule(
    field="terrain_pips_max",
    kind=rule.number_per_terrain(slider=(10, 20)),
    about=("markers",),
    asks="maximum pips of all tiles of a terrain together",
    says=lambda most: _each_terrain(most, lambda n: f"has at most {amount(n, 'pip')} in all."),
    data={"markers": lambda most, needs, view: {"terrain_pips_max": [*_bounds(most, view.layout).values()]}},
    restrict=lambda most, needs, layout: [TerrainPips({}, _by_name(most, layout))],
)


# ---- The order of the rule book


def _no_spiral(value: str, fields: rule.Needs, layout: Layout | None) -> Iterator[str]:
    if layout is not None and not layout.spirals:
        yield f"marker_order={value!r} needs the rule book's order, which {show(layout.name)} lacks"


ORDER = rule.Rule(
    field="marker_order",
    kind=rule.choice("free", "spiral"),
    about=("markers",),
    sees_terrain=False,
    asks="the order of the markers: with `spiral`, the rule book's fixed order from any corner, "
    "counter-clockwise inwards; tiles without markers are skipped",
    says=lambda _: [
        "The markers follow the rule book's order, from a corner, counter-clockwise inwards, "
        "tiles without markers skipped."
    ],
    data={
        "markers": lambda value, needs, view: {
            "spirals": sorted(map(view.tiles, view.layout.spirals)) if value == "spiral" else [],
            "spiral_order": list(view.layout.spiral_order),
        }
    },
    restrict=lambda _, needs, layout: [FixedOrder(layout.spirals, layout.spiral_order)],
    objections=_no_spiral,
)


# ---- Harbors

_HARBORS = {
    "printed": "The harbors are those printed on the frame.",
    "shuffled": "The trades of the harbors are shuffled, movable ones at any coast and fixed ones unchanged.",
}


def _harbor_breaches(value: str, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    if not board.harbors:  # not placed yet
        return
    for text, wrong in _not_printed(board) if value == "printed" else _wrongly_shuffled(board):
        ends = _ends(*wrong)
        yield f"{text}, {at_vertices(ends)}", (), ends


def _not_printed(board: Board) -> Iterator[tuple[str, Iterable[Harbor]]]:
    harbors, printed = set(board.harbors), set(board.layout.laid_harbors)
    if harbors != printed:
        name = show(board.layout.name)
        yield f"the harbors are not those printed on the frame of {name}", harbors ^ printed


def _wrongly_shuffled(board: Board) -> Iterator[tuple[str, Iterable[Harbor]]]:
    """Yield the text and the harbors of each breach by shuffled harbors.

    The printed edges of immovable harbors must have harbors. Other edges may have harbors only if some are
    movable.
    """
    layout, harbors, printed = board.layout, set(board.harbors), set(board.layout.printed_harbors)
    name = show(layout.name)
    edges, immovable = {h.vertices for h in harbors}, layout.immovable_harbors
    if wrong_edges := (immovable - edges if layout.movable_harbors else immovable ^ edges):
        text = f"the harbors are not on the edges of the frame of {name}"
        yield text, (h for h in harbors | printed if h.vertices in wrong_edges)
    elif Counter(h.trade for h in harbors) != Counter(h.trade for h in printed):
        yield f"the trades are not those of the frame of {name}", harbors
    elif wrong := {h for h in printed - harbors if h.vertices in layout.fixed_harbors & immovable}:
        yield f"harbors of {name} that are fixed offer other trades", wrong
    for harbor in board.harbors:
        if harbor.vertices not in immovable and not layout.is_on_coast(harbor.vertices, board.terrain):
            yield "a harbor faces no land", [harbor]


def _ends(*harbors: Harbor) -> tuple[int, ...]:
    return tuple(sorted({v for harbor in harbors for v in harbor.vertices}))


def _no_frame(value: str, fields: rule.Needs, layout: Layout | None) -> Iterator[str]:
    if layout is not None and value == "shuffled" and not layout.printed_harbors:
        yield f"harbors={value!r} needs a printed frame, which {show(layout.name)} lacks"


def _needs_harbors(
    field: str, objections_on: Callable[[rule.Needs, Layout], Iterator[str]] = lambda fields, layout: iter(())
) -> rule.Object:
    """Return a function that yields the objections to a rule that needs harbors.

    Args:
        field: the field of the rule.
        objections_on: yields further objections, for a known layout.
    """

    def objections(_on: bool, fields: rule.Needs, layout: Layout | None) -> Iterator[str]:
        if fields["harbors"] == "none":
            yield f"{field} needs harbors='printed' or 'shuffled'"
        elif layout is not None:
            yield from objections_on(fields, layout)

    return objections


HARBOR_PLACES = rule.Rule(
    field="harbors",
    kind=rule.choice("none", "printed", "shuffled"),
    about=("harbors",),
    sees_terrain=False,
    asks="the harbors: none; as printed on the layout (none if it has movable ones or no harbors); or "
    "shuffled, with movable harbors at any coast and fixed ones unchanged. A board whose harbors are not "
    "placed yet breaks no rule about them",
    says=lambda value: [_HARBORS[value]],
    restrict=lambda value, needs, layout: [],
    violations=_harbor_breaches,
    objections=_no_frame,
)


def _own_terrain(layout: Layout, needs: rule.Needs) -> frozenset[tuple[int, str]]:
    """Return the tiles at printed 2:1 harbors, each with its forbidden terrain.

    The result is empty if the rules do not use the printed harbors.
    """
    return frozenset(
        (t, harbor.trade)
        for harbor in layout.laid_harbors
        for v in harbor.vertices
        for t in layout.vertex_tiles[v]
        if needs["harbors"] == "printed" and harbor.trade in layout.terrains
    )


def _terrain_data(on: bool, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    forbidden = sorted(_own_terrain(view.layout, needs)) if on else []
    return {
        "forbidden_tile": view.tiles(t for t, _ in forbidden),
        "forbidden_terrain": [TERRAIN_CODE[name] for _, name in forbidden],
    }


def _at_own_terrain(_on: bool, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    for harbor in board.harbors:
        tiles = {t for v in harbor.vertices for t in board.layout.vertex_tiles[v]}
        same = tuple(sorted(t for t in tiles if board.terrain[t] == harbor.trade))
        if same:
            a, b = harbor.vertices
            text = f"the {harbor.trade} harbor at {a}-{b} touches its own terrain {on_tiles(same)}"
            yield text, same, harbor.vertices


OWN_TERRAIN_APART = rule.Rule(
    field="harbor_own_terrain_apart",
    kind=rule.SWITCH,
    about=("terrain", "harbors"),
    needs=("harbors",),
    asks="neither vertex of a 2:1 harbor touches a tile of its own terrain",
    says=lambda _: ["No 2:1 harbor's vertices touch a tile of its own terrain."],
    data={"board": _terrain_data, "harbors": lambda on, needs, view: {"own_terrain_apart": on}},
    restrict=lambda _, needs, layout: [Barred(_own_terrain(layout, needs))],
    violations=_at_own_terrain,
    objections=_needs_harbors("harbor_own_terrain_apart"),
)


def _side_by_side(layout: Layout, harbors: Sequence[Harbor]) -> Iterator[tuple[Harbor, Harbor]]:
    """Yield the pairs of harbors with two vertices that share an edge."""
    for a, b in combinations(harbors, 2):
        if any({*b.vertices}.intersection(layout.vertex_neighbors[v]) for v in a.vertices):
            yield a, b


def _not_apart(_on: bool, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    for a, b in _side_by_side(board.layout, board.harbors):
        yield f"two harbors are side by side, {at_vertices(_ends(a, b))}", (), _ends(a, b)


def _immovable_neighbors(fields: rule.Needs, layout: Layout) -> Iterator[str]:
    immovable = [h for h in layout.printed_harbors if h.vertices in layout.immovable_harbors]
    for a, b in _side_by_side(layout, immovable):
        yield f"harbors_apart: {show(layout.name)} has harbors side by side {at_vertices(_ends(a, b))}"


HARBORS_APART = rule.Rule(
    field="harbors_apart",
    kind=rule.SWITCH,
    about=("harbors",),
    sees_terrain=False,
    needs=("harbors",),
    asks="no vertex of a harbor is next to a vertex of another; for harbors that may move",
    says=lambda _: ["No vertex of a harbor is next to a vertex of another."],
    data={"harbors": lambda on, needs, view: {"harbors_apart": on}},
    restrict=lambda _, needs, layout: [],
    violations=_not_apart,
    objections=_needs_harbors("harbors_apart", _immovable_neighbors),
)


def _sides(layout: Layout, harbors: Iterable[Harbor]) -> set[int]:
    """Return the tiles that share an edge with one of the harbors."""
    return {t for harbor in harbors for t in layout.edge_tiles[harbor.vertices]}


def _printed_sides(on: bool, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    printed = on and needs["harbors"] == "printed"
    sides = _sides(view.layout, view.layout.laid_harbors) if printed else set()
    return {"islands_have_printed": printed, "printed_sides": set(view.tiles(sides))}


def _without_harbor(_on: bool, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    if not board.harbors:  # not placed yet
        return
    sides = _sides(board.layout, board.harbors)
    for island in rule.islands(board):
        if not sides.intersection(island):
            yield f"an island without a harbor, {on_tiles(island)}", island


def _no_harbor_for_islands(fields: rule.Needs, layout: Layout) -> Iterator[str]:
    if fields["harbors"] == "printed" and not layout.laid_harbors:
        yield f"harbor_on_every_island needs harbors, and {show(layout.name)} lays none as printed"


EVERY_ISLAND = rule.Rule(
    field="harbor_on_every_island",
    kind=rule.SWITCH,
    about=("terrain", "harbors"),
    needs=("harbors",),
    asks="each island (land tiles connected over edges) has a harbor on an edge of its tiles",
    says=lambda _: ["Each island has a harbor."],
    data={
        "board": _printed_sides,
        "harbors": lambda on, needs, view: {"every_island": on and needs["harbors"] == "shuffled"},
    },
    violations=_without_harbor,
    objections=_needs_harbors("harbor_on_every_island", _no_harbor_for_islands),
)
