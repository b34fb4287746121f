"""Plans for the first settlements: each says on which vertex the seat whose turn it is should settle."""

from __future__ import annotations

from functools import lru_cache

from catan_cp.boards.board import Board
from catan_cp.placement import Objective, solve_placement
from catan_cp.placement.spots import Placed, free_vertices


def goal(plan: str) -> Objective:
    """Return what everybody wants under a plan: its own value, or that less the best rival's."""
    return Objective() if plan == "optimal" else Objective(rivalry=1)


@lru_cache(maxsize=256)
def perfect_order(board: Board, players: int, plan: str, placed: Placed = ()) -> Placed:
    """Return all first settlements, in their order, when everybody goes on from *placed* perfectly."""
    return solve_placement(board, players, goal(plan), placed=placed).order


def planned_vertex(board: Board, players: int, plan: str, placed: Placed) -> int:
    """Return where the seat whose turn it is settles; ties go to the lowest vertex.

    Args:
        board: the board.
        players: how many play.
        plan: one of `catan_cp.play.specs.PLANS`.
        placed: the settlements on the table, in order, as (seat, vertex).
    """
    if plan == "pips":
        pips = board.vertex_pips()
        return max(free_vertices(board, (v for _, v in placed)), key=lambda v: (pips[v], -v))
    return perfect_order(board, players, plan, placed)[len(placed)][1]


def road_end(board: Board, vertex: int, taken: list[int]) -> int:
    """Return towards which neighbour of a new settlement its road leads.

    To the one beyond which the best vertex that is still free has the most pips.
    """
    pips, near = board.vertex_pips(), board.layout.vertex_neighbors
    free = set(free_vertices(board, [*taken, vertex]))
    beyond = {end: max([pips[v] for v in near[end] if v in free], default=-1) for end in near[vertex]}
    return max(beyond, key=lambda end: (beyond[end], -end))
