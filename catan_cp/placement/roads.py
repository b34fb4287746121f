"""The best vertex two roads away from a settlement.

Each settlement has a road to a neighboring vertex. No player settles on that neighbor, since it is
next to the settlement. So no other road or settlement of the draft can block the way. The vertex beyond the
neighbor is lost if a player settles on it or next to it. `Objective.expansion` weighs the best vertex left.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> ways(board)[0]
((1, 2), (1, 8), (5, 4), (9, 6))
>>> best_way(board, Objective(), 0, occupied=(0, 3))
Way(road=1, vertex=8, value=Fraction(143, 54))
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.positions import free_vertices


def land_edges(board: Board) -> tuple[tuple[int, int], ...]:
    """Return the edges on which a road can be built: those with land on at least one side."""
    sides = board.layout.edge_tiles
    return tuple(edge for edge, tiles in sides.items() if any(board.terrain[t] != "sea" for t in tiles))


class Way(NamedTuple):
    """Two roads from a settlement: the end of the first, the final vertex, and its value."""

    road: int
    vertex: int
    value: Fraction


Ways = tuple[tuple[tuple[int, int], ...], ...]
"""Per vertex, pairs (end of first road, end of second road)."""


def ways(board: Board) -> Ways:
    """Return, per vertex, the pairs (end of first road, end of second road), in order.

    A road needs land on one side at least. The ends include occupied vertices.
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
    board: Board, goal: Objective, vertex: int, occupied: Collection[int], road: int | None = None
) -> Way | None:
    """Return the way from a settlement to the best free vertex, or None.

    Args:
        board: the board.
        goal: the objective that values single settlements.
        vertex: the vertex of the settlement.
        occupied: the vertices of all settlements on the board.
        road: the other end of its first road, or None if it is not fixed.
    """
    free = set(free_vertices(board, occupied))
    open_ways = [
        Way(u, w, goal.value(board, (w,))) for u, w in ways(board)[vertex] if w in free and road in (None, u)
    ]
    return max(open_ways, key=lambda way: (way.value, -way.vertex), default=None)


def best_reach(
    board: Board,
    goal: Objective,
    settlements: Sequence[int],
    occupied: Collection[int],
    roads: Sequence[int | None],
) -> Fraction:
    """Return the value of the best free vertex two roads away from a pair, or 0 for none."""
    best = [best_way(board, goal, v, occupied, road) for v, road in zip(settlements, roads, strict=True)]
    return max((way.value for way in best if way is not None), default=Fraction(0))


def road_towards(board: Board, goal: Objective, vertex: int, occupied: Collection[int]) -> int | None:
    """Return the other end of a settlement's road, or None if no direction is best."""
    way = best_way(board, goal, vertex, occupied) if goal.expansion else None
    return None if way is None else way.road
