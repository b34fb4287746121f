"""The game of chances: equal to brute force, and the same figures along its line of play."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    InvalidBoard,
    Layout,
    Objective,
    best_moves,
    generate_board,
    sample_boards,
    solve_placement,
    win_chances,
)

# The odds of each pair. A test compares win_chances with their definition, which is too slow for whole games.
from catan_cp.placement.chances import pair_log_odds
from tests.placement.by_hand import PUBLISHED, Hand, in_turn

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
RESOURCES = ("brick", "grain", "wool", "ore", "lumber")
SMALL = Layout("small", (2, 3), dict.fromkeys(RESOURCES, 1), {4: 1, 5: 2, 8: 1, 9: 1}, game="base")
"""Four players of this layout hardly fit, so some drafts cannot be completed."""


def brute_force(hand, log_odds, placed):
    """Return the line of play and the chances by a full search, or None if players do not fit."""
    players, turn = len(hand.goals), len(placed)
    if turn == 2 * players:
        odds = np.exp([log_odds[placed[p], placed[-1 - p]] for p in range(players)])
        return placed, odds / odds.sum()
    best = None
    for vertex in hand.free(placed):
        line = brute_force(hand, log_odds, (*placed, vertex))
        player = hand.turns[turn]
        if line is not None and (best is None or line[1][player] > best[1][player] + 1e-12):
            best = line
    return best


def chances(board, players, placed):
    """Return the chances to win after these vertices are settled."""
    settlements = in_turn(placed, players)
    hands = [[v for p, v in settlements if p == player] for player in range(1, players + 1)]
    return win_chances(board, hands)


def agrees(board, players, count, source):
    """Compare the line of play and all moves with brute force, after some random settlements.

    Return False if the draft cannot be completed.
    """
    hand, log_odds = Hand(board, [Objective()] * players), pair_log_odds(board)
    placed: tuple[int, ...] = ()
    for _ in range(count):
        placed = (*placed, source.choice(hand.free(placed)))
    expected = brute_force(hand, log_odds, placed)
    if expected is None:
        with pytest.raises(InvalidBoard, match="no room"):
            chances(board, players, placed)
        return False
    assert chances(board, players, placed) == pytest.approx(expected[1], abs=1e-12)
    after = {v: brute_force(hand, log_odds, (*placed, v)) for v in hand.free(placed)}
    player = hand.turns[count]
    moves = best_moves(board, in_turn(placed, players), 54, players)
    assert {move.vertex: move.chance for move in moves} == pytest.approx(
        {v: line[1][player] for v, line in after.items() if line is not None}, abs=1e-12
    )
    assert tuple(v for _, v in moves[0].placement.order) == expected[0]
    return True


@pytest.mark.parametrize(("players", "count"), [(3, 2), (4, 3), (4, 4), (4, 6)])
def test_brute_force_agrees_on_small_layout(players, count):
    source, completed = random.Random(10 * players + count), 0
    for board in sample_boards(4, "open", layout=SMALL, seed=players):
        completed += agrees(board, players, count, source)
    assert completed


@pytest.mark.parametrize(("players", "count"), [(3, 4), (4, 6), (4, 7)])
def test_end_of_draft_equals_brute_force(players, count):
    assert agrees(BOARD, players, count, random.Random(count))


@pytest.mark.parametrize(("players", "seed"), [(3, None), (4, None), (3, 1), (4, 2)])
def test_best_move_changes_no_figure(players, seed):
    board = BOARD if seed is None else generate_board("tournament", seed=seed)
    line, placed = chances(board, players, ()), tuple[int, ...]()
    for turn, (player, _) in enumerate(in_turn(range(2 * players), players)):
        moves = best_moves(board, in_turn(placed, players), 3, players)
        assert [move.chance for move in moves] == sorted((move.chance for move in moves), reverse=True)
        assert (moves[0].player, moves[0].chance) == (player, line[player - 1])
        for move in moves:
            after = (*placed, move.vertex)
            assert chances(board, players, after)[player - 1] == move.chance
            assert tuple(v for _, v in move.placement.order)[: turn + 1] == after
        placed = (*placed, moves[0].vertex)
        assert chances(board, players, placed) == line


def test_double_turn_may_skip_vertex():
    # A limit for the vertex that player 3 tries first once hid the best reply of player 2.
    board = Board.from_notation("w6b9b6/o2db9g3/l4w8w4l12w8/o11o10g10g11/g5l3l5")
    line, (move,) = chances(board, 3, (31,)), best_moves(board, [(1, 31)], 1, 3)
    assert (move.vertex, move.chance) == (29, line[1])
    assert line == chances(board, 3, (31, 29)) == chances(board, 3, (31, 29, 12))


@pytest.mark.parametrize("players", [5, 6])
def test_players_of_six_maximize_their_odds(players):
    board = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
    with pytest.warns(UserWarning, match="nearer to equal"):
        line, (move, *_) = chances(board, players, ()), best_moves(board, (), 2, players)
        order = [v for _, v in move.placement.order]
        assert sum(line) == pytest.approx(1)
        assert (move.chance, line) == (line[0], chances(board, players, order[:9]))
        free = Hand(board, [Objective()] * players).free(order[:-1])
        last = [chances(board, players, (*order[:-1], v))[0] for v in (order[-1], *free)]
    assert last[0] == max(last)


def test_plain_python_gives_same_lines():
    """Without numba, both games have the same line, and that of rivals as many positions."""
    program = f"""
import json
from catan_cp import Board, Objective, best_moves, solve_placement
from catan_cp.compiled import is_fast
chances, values = map(Board.from_notation, {(BOARD.notation(), PUBLISHED.notation())!r})
moves = [best_moves(chances, placed, 1, n)[0] for n, placed in ((3, ()), (4, [(1, 12), (2, 33)]))]
rivals = [solve_placement(values, n, Objective(rivalry=1)) for n in (2, 3)]
lines = [[m.chance, m.placement.order] for m in moves], [[r.order, r.values, r.tied, r.nodes] for r in rivals]
print(json.dumps([is_fast(), lines]))
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", program]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    moves = [best_moves(BOARD, placed, 1, n)[0] for n, placed in ((3, ()), (4, [(1, 12), (2, 33)]))]
    rivals = [solve_placement(PUBLISHED, n, Objective(rivalry=1)) for n in (2, 3)]
    expected = (
        [[move.chance, move.placement.order] for move in moves],
        [[r.order, r.values, r.tied, r.nodes] for r in rivals],
    )
    assert json.loads(output) == json.loads(json.dumps([False, expected]))
