"""Where one may settle and build roads, by the rules of the game alone."""

from __future__ import annotations

from collections.abc import Iterable

from catan_cp.boards.board import Board


def land_edges(board: Board) -> tuple[tuple[int, int], ...]:
    """Return the edges on which a road can lie: those with land on one side at least."""
    sides = board.layout.edge_tiles
    return tuple(edge for edge, tiles in sides.items() if any(board.terrain[t] != "sea" for t in tiles))


def open_vertices(board: Board) -> tuple[int, ...]:
    """Return the vertices on which one may settle: those that touch land, where the layout lets begin."""
    settle = board.layout.settle or range(board.layout.n_tiles)
    land = {t for t in settle if board.terrain[t] != "sea"}
    return tuple(v for v, tiles in enumerate(board.layout.vertex_tiles) if not land.isdisjoint(tiles))


def closed(board: Board, vertex: int) -> str:
    """Why nobody may settle on the vertex."""
    if all(board.terrain[t] == "sea" for t in board.layout.vertex_tiles[vertex]):
        return "touches no land"
    return f"is none where {board.layout.name!r} lets players begin"


def free_vertices(board: Board, taken: Iterable[int]) -> tuple[int, ...]:
    """Return the vertices that the distance rule leaves free when settlements stand on *taken*."""
    near = board.layout.vertex_neighbors
    blocked = {u for v in taken for u in (v, *near[v])}
    return tuple(v for v in open_vertices(board) if v not in blocked)
