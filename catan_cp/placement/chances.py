"""The chance to win from given settlements, as games of programs tell it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.game import solve_placement
from catan_cp.placement.objective import Objective
from catan_cp.placement.spots import checked_board, checked_placed, checked_players, snake


def win_chances(board: Board, settlements: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return each player's chance to win; they sum to 1.

    The chances were fitted on games of four `greedy` programs that do not trade with each other, with two
    settlements each; they say nothing of people, of talk, or of who is the better player, and count the
    settlements alone, not the order of turns.

    Args:
        board: a board with markers.
        settlements: each player's vertices, player 1 first, in the order placed. In the middle of a draft
            some have one or none: the rest is placed where it is best for each player's own chances.

    Raises:
        InvalidBoard: a board without markers.
        InvalidArgument: settlements that no draft of so many players leads to.
    """
    checked_board(board)
    players = checked_players(len(settlements), board)
    left = [list(vertices) for vertices in settlements]
    placed = []
    for player in snake(players):
        if not left[player - 1]:
            break
        placed.append((player, left[player - 1].pop(0)))
    if any(left):
        raise InvalidArgument(
            f"no draft of {players} players, each placing in turn and then back, leads to {show(settlements)}"
        )
    checked_placed(tuple(placed), board, players)
    whole: Sequence[Sequence[int]] = settlements
    if len(placed) < 2 * players:
        whole = solve_placement(board, players, Objective.wins(), placed=placed).settlements
    goal = Objective.wins()
    odds = [exp(float(goal.value(board, vertices))) for vertices in whole]
    return tuple(value / sum(odds) for value in odds)
