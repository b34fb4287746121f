"""The rules about harbors, each declared once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import TERRAIN_CODE
from catan_cp.errors import show
from catan_cp.rules import rule

_HARBORS = {
    "printed": "The harbors are those printed on the frame.",
    "shuffled": "The harbors have their trades dealt anew; movable ones stand at any coast, fixed ones stay.",
}


def _other_harbors(value: str, needs: rule.Needs, board: Board) -> Iterator[rule.Breach]:
    if not board.harbors:  # none are laid yet
        return
    for text, wrong in _not_printed(board) if value == "printed" else _wrongly_shuffled(board):
        ends = _ends(*wrong)
        yield f"{text}, {rule.at_vertices(ends)}", (), ends


def _not_printed(board: Board) -> Iterator[tuple[str, Iterable[Harbor]]]:
    here, printed = set(board.harbors), set(board.layout.laid_harbors)
    if here != printed:
        name = show(board.layout.name)
        yield f"the harbors are not those printed on the frame of {name}", here ^ printed


def _wrongly_shuffled(board: Board) -> Iterator[tuple[str, Iterable[Harbor]]]:
    layout, here, printed = board.layout, set(board.harbors), set(board.layout.printed_harbors)
    name = show(layout.name)
    edges, frame = {h.vertices for h in here}, {h.vertices for h in printed} - layout.movable_harbors
    if missing := (frame - edges if layout.movable_harbors else frame ^ edges):
        said = f"the harbors are not on the edges that the frame of {name} has them on"
        yield said, (h for h in here | printed if h.vertices in missing)
    elif Counter(h.trade for h in here) != Counter(h.trade for h in printed):
        yield f"the trades are not those of the frame of {name}", here
    elif wrong := {h for h in printed - here if h.vertices in layout.fixed_harbors & frame}:
        yield f"harbors of {name} that are fixed offer other trades", wrong
    for harbor in board.harbors:
        at_sea = all(board.terrain[t] == "sea" for t in layout.edge_tiles[harbor.vertices])
        if at_sea and harbor.vertices not in frame:
            yield "a harbor faces no land", [harbor]


def _ends(*harbors: Harbor) -> tuple[int, ...]:
    return tuple(sorted({v for harbor in harbors for v in harbor.vertices}))


def _no_frame(value: str, needs: rule.Needs, layout: Layout | None) -> Iterator[str]:
    if layout is not None and value == "shuffled" and not layout.printed_harbors:
        yield f"harbors={value!r} needs a printed frame, which {show(layout.name)} lacks"


def _needs_harbors(
    field: str, more: Callable[[rule.Needs, Layout], Iterator[str]] = lambda needs, layout: iter(())
) -> rule.Object:
    """Return what objects to a rule about harbors where none are laid, and to *more* on a layout."""

    def objections(_on: bool, needs: rule.Needs, layout: Layout | None) -> Iterator[str]:
        if needs["harbors"] == "none":
            yield f"{field} needs harbors='printed' or 'shuffled'"
        elif layout is not None:
            yield from more(needs, layout)

    return objections


HARBORS = rule.Rule(
    field="harbors",
    kind=rule.choice("none", "printed", "shuffled"),
    about=("harbors",),
    sees="nothing",
    asks="which harbors are laid: none; as the layout has them (one without any, or with movable ones, lays "
    "none); or with the trades dealt anew, movable ones at any coast and fixed ones left. A board on which "
    "none are laid yet breaks no rule by that",
    says=lambda value: [_HARBORS[value]],
    violations=_other_harbors,
    counts=lambda value, needs, layout: [],
    objections=_no_frame,
)


def _own_terrain(layout: Layout, needs: rule.Needs) -> frozenset[tuple[int, str]]:
    """Return the tiles at printed 2:1 harbors, each with the terrain that must not be there."""
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


def _at_own_terrain(_on: bool, needs: rule.Needs, board: Board) -> Iterator[rule.Breach]:
    for harbor in board.harbors:
        tiles = {t for v in harbor.vertices for t in board.layout.vertex_tiles[v]}
        own = tuple(sorted(t for t in tiles if board.terrain[t] == harbor.trade))
        if own:
            a, b = harbor.vertices
            said = f"the {harbor.trade} harbor at {a}-{b} touches its own terrain {rule.on_tiles(own)}"
            yield said, own, harbor.vertices


OWN_TERRAIN_APART = rule.Rule(
    field="harbor_own_terrain_apart",
    kind=rule.SWITCH,
    about=("terrain", "harbors"),
    sees="all",
    needs=("harbors",),
    asks="neither vertex of a 2:1 harbor touches a tile of its own terrain",
    says=lambda _: ["No 2:1 harbor's vertices touch a tile of its own terrain."],
    data={
        "board": _terrain_data,
        "harbors": lambda on, needs, view: {"own_terrain_apart": on},
    },
    violations=_at_own_terrain,
    counts=lambda _, needs, layout: [rule.Barred(_own_terrain(layout, needs))],
    objections=_needs_harbors("harbor_own_terrain_apart"),
)


def _side_by_side(layout: Layout, harbors: Sequence[Harbor]) -> Iterator[tuple[Harbor, Harbor]]:
    """Yield the pairs of harbors of which a vertex of one is next to a vertex of the other."""
    for a, b in combinations(harbors, 2):
        if any({*b.vertices}.intersection(layout.vertex_neighbors[v]) for v in a.vertices):
            yield a, b


def _not_apart(_on: bool, needs: rule.Needs, board: Board) -> Iterator[rule.Breach]:
    for a, b in _side_by_side(board.layout, board.harbors):
        yield f"two harbors stand side by side, {rule.at_vertices(_ends(a, b))}", (), _ends(a, b)


def _never_apart(needs: rule.Needs, layout: Layout) -> Iterator[str]:
    kept = [h for h in layout.printed_harbors if h.vertices not in layout.movable_harbors]
    for a, b in _side_by_side(layout, kept):
        yield f"harbors_apart: {show(layout.name)} has harbors side by side {rule.at_vertices(_ends(a, b))}"


HARBORS_APART = rule.Rule(
    field="harbors_apart",
    kind=rule.SWITCH,
    about=("harbors",),
    sees="nothing",
    needs=("harbors",),
    asks="no vertex of a harbor is next to a vertex of another; for harbors that may move",
    says=lambda _: ["No vertex of a harbor is next to a vertex of another."],
    data={"harbors": lambda on, needs, view: {"harbors_apart": on}},
    violations=_not_apart,
    counts=lambda _, needs, layout: [],
    objections=_needs_harbors("harbors_apart", _never_apart),
)


def _sides(layout: Layout, harbors: Iterable[Harbor]) -> set[int]:
    """Return the tiles that share an edge with one of the harbors."""
    return {t for harbor in harbors for t in layout.edge_tiles[harbor.vertices]}


def _printed_sides(on: bool, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    printed = on and needs["harbors"] == "printed"
    sides = _sides(view.layout, view.layout.laid_harbors) if printed else set()
    return {"islands_have_printed": printed, "printed_sides": set(view.tiles(sides))}


def _without_harbor(_on: bool, needs: rule.Needs, board: Board) -> Iterator[rule.Breach]:
    if not board.harbors:  # none are laid yet
        return
    sides = _sides(board.layout, board.harbors)
    for island in rule.islands(board):
        if not sides.intersection(island):
            yield f"an island without a harbor, {rule.on_tiles(island)}", island


def _no_harbor_for_islands(needs: rule.Needs, layout: Layout) -> Iterator[str]:
    if needs["harbors"] == "printed" and not layout.laid_harbors:
        yield f"harbor_on_every_island needs harbors, and {show(layout.name)} lays none as printed"


EVERY_ISLAND = rule.Rule(
    field="harbor_on_every_island",
    kind=rule.SWITCH,
    about=("terrain", "harbors"),
    sees="all",
    needs=("harbors",),
    asks="each island, which is land connected over edges, has a harbor",
    says=lambda _: ["Each island has a harbor."],
    data={
        "board": _printed_sides,
        "harbors": lambda on, needs, view: {"every_island": on and needs["harbors"] == "shuffled"},
    },
    violations=_without_harbor,
    objections=_needs_harbors("harbor_on_every_island", _no_harbor_for_islands),
)
