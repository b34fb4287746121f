"""Ask for a placement: of one board or many, from the start or from settlements already on the table."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from catan_cp.board import Board
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.placement.game import (
    Counters,
    Placed,
    Placement,
    checked_board,
    checked_objectives,
    checked_placed,
    checked_players,
    free_vertices,
    no_room,
    open_vertices,
    snake,
)
from catan_cp.placement.objective import Objective

METHODS = ("feasibility", "memo", "bounds", "vectorized")
"""The ways to find a placement: the report's three, and the one to use."""

Goals = Objective | Sequence[Objective] | None


def solve_placement(
    board: Board,
    players: int = 4,
    objective: Goals = None,
    method: str = "vectorized",
    placed: Sequence[tuple[int, int]] = (),
) -> Placement:
    """Return where perfect players settle on *board*.

    Args:
        board: a board with markers.
        players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: what everybody wants, or one objective per player; the published one by default.
        method: one of `METHODS`; they find the same placement.
        placed: settlements on the table, as (player, vertex) with players numbered from 1, in the order
            placed: 1 to N, then N to 1. The game goes on from there.

    Raises:
        InvalidArgument: a number of players, objective, method or *placed* that cannot be.
        InvalidBoard: the board has no markers, or no room for all settlements.
    """
    checked_board(board)
    players = checked_players(players, board)
    goals = checked_objectives(objective, players)
    done = checked_placed(placed, board, players)
    if method not in METHODS:
        raise InvalidArgument(f"unknown method {show(method)}; methods are {listed(METHODS)}")
    if method == "vectorized":
        from catan_cp.placement.vectorized import solve_chunk

        return next(solve_chunk([board], players, goals, done))
    return _by_tree(board, players, goals, method, done)


def solve_placements(boards: Iterable[Board], players: int = 4, objective: Goals = None) -> list[Placement]:
    """Return where perfect players settle on each of many boards, of one layout or several.

    Memory does not grow with the number of boards, but for the placements themselves.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`, for the first board that cannot be solved.
    """
    from catan_cp.placement.vectorized import CHUNK, solve_chunk

    given = [checked_board(board) for board in boards]
    by_layout: dict[int, list[int]] = {}
    for number, board in enumerate(given):
        checked_players(players, board)
        by_layout.setdefault(id(board.layout), []).append(number)
    goals = checked_objectives(objective, players)
    found: dict[int, Placement] = {}
    for numbers in by_layout.values():
        for start in range(0, len(numbers), CHUNK):
            chunk = numbers[start : start + CHUNK]
            found.update(zip(chunk, solve_chunk([given[n] for n in chunk], players, goals, ()), strict=True))
    return [found[number] for number in range(len(given))]


def _by_tree(
    board: Board, players: int, goals: tuple[Objective, ...], method: str, placed: Placed
) -> Placement:
    from catan_cp.placement import tree
    from catan_cp.placement.tables import batch_of, score_pairs

    started = time.perf_counter()
    search = {"feasibility": tree.search_plain, "memo": tree.search_memo, "bounds": tree.search_bounds}[
        method
    ]
    batch = batch_of([board])
    wants = {
        goal: tree.preferences(score_pairs(batch, goal), 0, open_vertices(board))
        for goal in dict.fromkeys(goals)
    }
    game = tree.position(board, tuple(wants[goal] for goal in goals))
    free = sum(1 << v for v in free_vertices(board, (v for _, v in placed)))
    firsts = [v for _, v in placed[:players]]
    counters, tied = Counters(), False
    if len(firsts) < players:
        outcome, counters = search(game, len(firsts), free)
        if outcome is None:
            raise no_room(board, players, placed)
        tied = outcome.tied
        free = outcome.free
        moves = outcome.moves
        seconds = {len(firsts) + number: second for number, (_, second) in enumerate(moves)}
        firsts += [first for first, _ in moves]
    else:
        seconds = {player - 1: v for player, v in placed[players:]}
    for player in reversed(range(players)):  # those whose first settlement stood already
        if player not in seconds:
            second = tree.best_second(game.wants[player], firsts[player], free)
            if second is None:
                raise no_room(board, players, placed)
            tied = tied or tree.another_second(game.wants[player], firsts[player], second, free)
            seconds[player] = second
            free &= ~game.near[second]
    settlements = tuple((first, seconds[player]) for player, first in enumerate(firsts))
    turns = snake(players)
    order = zip(turns, (*firsts, *(seconds[player - 1] for player in turns[players:])), strict=True)
    return Placement(
        board=board,
        objectives=goals,
        settlements=settlements,
        order=tuple(order),
        values=tuple(float(goal.value(board, pair)) for goal, pair in zip(goals, settlements, strict=True)),
        tied=tied,
        method=method,
        counters=counters,
        seconds=time.perf_counter() - started,
    )
