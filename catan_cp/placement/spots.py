"""The ground of a draft: who places when, where one may settle, and where the roads lead.

Every settlement comes with a road to a neighbouring vertex. Nobody settles on that neighbour, since it
touches the settlement, so that no other road or settlement of the draft can block the way; the vertex
beyond it is lost where somebody settles on it or next to it. `Objective.expansion` weighs what is left.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> ways(board)[0]
((1, 2), (1, 8), (5, 4), (9, 6))
>>> best_way(board, Objective(), 0, taken=(0, 3))
Way(road=1, vertex=8, value=Fraction(143, 54))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective

Placed = tuple[tuple[int, int], ...]
"""Settlements in the order placed, as (player, vertex); players are numbered from 1."""

Roads = tuple[int | None, ...]
"""Per settlement, the vertex at the other end of its road; None where it may lead anywhere."""


def snake(players: int) -> tuple[int, ...]:
    """Return who places when: 1 to N, then N to 1.

    >>> snake(3)
    (1, 2, 3, 3, 2, 1)
    """
    return (*range(1, players + 1), *range(players, 0, -1))


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


class Way(NamedTuple):
    """Two roads from a settlement: the other end of the first, where they lead, and its value."""

    road: int
    vertex: int
    value: Fraction


def ways(board: Board) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return per vertex the pairs (end of the first road, end of the second), in increasing order.

    A road needs land on one side at least. The end may be any vertex; whether it is free is another question.
    """
    near: dict[int, list[int]] = {v: [] for v in range(board.layout.n_vertices)}
    for a, b in land_edges(board):
        near[a].append(b)
        near[b].append(a)
    return tuple(
        tuple(sorted((u, w) for u in near[v] for w in near[u] if w != v))
        for v in range(board.layout.n_vertices)
    )


def best_way(
    board: Board, goal: Objective, vertex: int, taken: Collection[int], road: int | None = None
) -> Way | None:
    """Return the way from a settlement to the best vertex that is free, None where none is.

    Args:
        board: the board.
        goal: what single settlements are valued by.
        vertex: where the settlement stands.
        taken: all settlements on the board.
        road: the end of its first road, where that lies.
    """
    free = set(free_vertices(board, taken))
    open_ways = [
        Way(u, w, goal.value(board, (w,))) for u, w in ways(board)[vertex] if w in free and road in (None, u)
    ]
    return max(open_ways, key=lambda way: (way.value, -way.vertex), default=None)


def best_reach(
    board: Board,
    goal: Objective,
    settlements: Sequence[int],
    taken: Collection[int],
    roads: Sequence[int | None],
) -> Fraction:
    """Return the value of the best vertex that two roads from one of the settlements reach; 0 for none."""
    found = [best_way(board, goal, v, taken, road) for v, road in zip(settlements, roads, strict=True)]
    return max((way.value for way in found if way is not None), default=Fraction(0))


def road_towards(board: Board, goal: Objective, vertex: int, taken: Collection[int]) -> int | None:
    """Return where the road of a settlement leads when the draft has ended; None where any is as good."""
    way = best_way(board, goal, vertex, taken) if goal.expansion else None
    return None if way is None else way.road


def way_tables(board: Board) -> tuple[list[int], list[int]]:
    """Return `kernel.Draft.ways` and `kernel.Draft.roads`."""
    none = board.layout.n_vertices
    reached, towards = [], []
    for found in ways(board):
        ends = list(dict.fromkeys(u for u, _ in found))
        for slot in range(3):
            end = ends[slot] if slot < len(ends) else none
            beyond = [w for u, w in found if u == end]
            towards.append(end)
            reached.extend([*beyond, *[none] * (2 - len(beyond))])
    return reached, towards
