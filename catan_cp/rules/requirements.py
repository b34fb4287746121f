"""Requirements of layouts: their restrictions for exact counts, and their checker."""

from collections import Counter
from collections.abc import Iterator

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MOST_PIPS
from catan_cp.rules.rule import Barred, BarredMarkers, Restriction, TerrainsApart, Violation


def layout_restrictions(layout: Layout, subject: str) -> list[Restriction]:
    """Return the layout's restrictions of a subject, without groups and fixed pieces.

    Args:
        layout: the layout.
        subject: ``"terrain"`` or ``"markers"``.
    """
    if subject == "terrain" and layout.inland:
        moving = layout.coast_tiles - layout.fixed_terrain.keys()
        beside_sea = frozenset(frozenset((name, "sea")) for name in layout.inland)
        return [
            Barred(frozenset((tile, name) for tile in moving for name in layout.inland)),
            TerrainsApart(layout.adjacency("hex"), beside_sea),
        ]
    if subject == "markers" and (layout.pips_max or layout.ties_markers):
        return [BarredMarkers(lambda tile, terrain, marker: not in_bounds(layout, tile, terrain, marker))]
    return []


def in_bounds(layout: Layout, tile: int, terrain: str, marker: int) -> bool:
    """Return True if the layout's bounds on pips allow a marker on a tile of that terrain."""
    least, most = pips_bounds(layout, tile, terrain)
    return least <= layout.marker_pips(marker) <= most


def pips_bounds(layout: Layout, tile: int, terrain: str) -> tuple[int, int]:
    """Return the minimum and maximum number of pips of a marker on a tile of that terrain."""
    most = MOST_PIPS if tile in layout.fixed_markers else layout.pips_max.get(tile, MOST_PIPS)
    return (
        layout.terrain_marker_pips_min.get(terrain, 0),
        min(most, layout.terrain_marker_pips_max.get(terrain, MOST_PIPS)),
    )


# Checks


def misplaced_pieces(board: Board) -> Iterator[Violation]:
    """Yield violations of the layout's fixed tiles, groups and inland terrains."""
    layout = board.layout
    for t, name in layout.fixed_terrain.items():
        if board.terrain[t] != name:
            yield Violation("pieces", f"tile {t} of {layout.name!r} is fixed as {name}", (t,))
    if len(layout.terrain_pools) > 1:
        for pool in layout.terrain_pools:
            placed = Counter(board.terrain[t] for t in pool.tiles)
            if placed != Counter(pool.pieces):
                yield Violation("pieces", f"group {pool.number} does not have its own terrains", pool.tiles)
    near = layout.tile_neighbors()
    for t, name in enumerate(board.terrain if layout.inland else ()):
        on_rim = t in layout.coast_tiles and t not in layout.fixed_terrain
        if name in layout.inland and (on_rim or any(board.terrain[n] == "sea" for n in near[t])):
            yield Violation("pieces", f"{name} on tile {t} is beside the sea", (t,))
    yield from misplaced_markers(board)


def misplaced_markers(board: Board) -> Iterator[Violation]:
    """Yield violations of the layout's fixed markers, groups and bounds on pips."""
    layout = board.layout
    for t, marker in layout.fixed_markers.items():
        if board.has_markers and board.markers[t] not in (marker, None):
            yield Violation("pieces", f"the marker of tile {t} of {layout.name!r} is fixed as {marker}", (t,))
    if len(layout.marker_pools) > 1 or layout.fixed_markers:  # a fixed marker is on its tile or in the box
        for pool in layout.marker_pools:
            more = Counter(m for t in pool.tiles if (m := board.markers[t])) - Counter(pool.pieces)
            if more:
                yield Violation("pieces", f"group {pool.number} does not have its own markers", pool.tiles)
    if layout.pips_max or layout.terrain_marker_pips_min or layout.terrain_marker_pips_max:
        yield from _out_of_bounds(board)


def _out_of_bounds(board: Board) -> Iterator[Violation]:
    """Yield the markers whose pips the layout does not allow on their tile or terrain."""
    layout = board.layout
    for t, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True)):
        if marker is not None:
            pips = layout.marker_pips(marker)
            least, most = pips_bounds(layout, t, name)
            if not least <= pips <= most:
                text = f"the marker {marker} on tile {t} has {pips} pips, not {least} to {most}"
                yield Violation("pieces", text, (t,))
