"""The game of chances: equal to brute force, and the same figures along its line of play."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from catan_cp import Board, InvalidArgument, InvalidBoard, Layout, generate_board, sample_boards
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement.chance_game import chance_line, move_chances
from catan_cp.placement.chances import pair_log_odds
from catan_cp.placement.positions import free_vertices, snake

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
SMALL = Layout("small", (2, 3), dict.fromkeys(RESOURCES, 1), {4: 1, 5: 2, 8: 1, 9: 1}, game="base")
"""Four players of this layout hardly fit, so some drafts cannot be completed."""


def brute_force(board, log_odds, players, placed):
    """Return the line of play and the chances by a full search, or None if players do not fit."""
    if len(placed) == 2 * players:
        odds = np.exp([log_odds[placed[p], placed[-1 - p]] for p in range(players)])
        return placed, odds / odds.sum()
    player, best = snake(players)[len(placed)] - 1, None
    for vertex in free_vertices(board, placed):
        line = brute_force(board, log_odds, players, (*placed, vertex))
        if line is not None and (best is None or line[1][player] > best[1][player] + 1e-12):
            best = line
    return best


def random_start(board, turns, source):
    """Return vertices that a number of turns may have settled."""
    placed: list[int] = []
    for _ in range(turns):
        placed.append(source.choice(free_vertices(board, placed)))
    return tuple(placed)


def agree(board, players, placed):
    """Compare the line and all moves with brute force."""
    log_odds = pair_log_odds(board)
    expected = brute_force(board, log_odds, players, placed)
    if expected is None:
        with pytest.raises(InvalidBoard, match="no room"):
            chance_line(board, players, placed)
        return False
    line = chance_line(board, players, placed)
    assert line.order == expected[0]
    assert line.chances == pytest.approx(expected[1], abs=1e-12)
    if len(placed) < 2 * players:
        player, moves = snake(players)[len(placed)] - 1, {}
        for vertex in free_vertices(board, placed):
            reference = brute_force(board, log_odds, players, (*placed, vertex))
            if reference is not None:
                moves[vertex] = reference[1][player]
        assert dict(move_chances(board, players, placed)) == pytest.approx(moves, abs=1e-12)
    return True


@pytest.mark.parametrize(("players", "begun"), [(3, 1), (3, 2), (4, 3), (4, 4), (4, 6)])
def test_brute_force_agrees_on_small_layout(players, begun):
    source = random.Random(10 * players + begun)
    ended = 0
    for board in sample_boards(6, "open", layout=SMALL, seed=players):
        ended += agree(board, players, random_start(board, begun, source))
    assert ended


@pytest.mark.parametrize(("players", "begun"), [(3, 3), (3, 5), (4, 5), (4, 6), (4, 7)])
def test_end_of_draft_equals_brute_force(players, begun):
    source = random.Random(begun)
    for _ in range(3):
        assert agree(BOARD, players, random_start(BOARD, begun, source))


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_first_best_move_changes_no_figure(players, seed):
    board = generate_board("tournament", seed=seed)
    line = chance_line(board, players)
    for turn, player in enumerate(snake(players)):
        placed = line.order[:turn]
        assert chance_line(board, players, placed) == line
        moves = move_chances(board, players, placed)
        assert moves[0] == (line.order[turn], line.chances[player - 1])
        assert max(chance for _, chance in moves) <= moves[0][1] + 1e-12
        assert {vertex for vertex, _ in moves} == {*free_vertices(board, placed)}
        assert move_chances(board, players, placed, 3) == moves[:3]
    assert chance_line(board, players, line.order) == line


def test_double_turn_may_skip_vertex():
    # A limit for the vertex that player 3 tries first once hid the best reply of player 2.
    board = Board.from_notation("w6b9b6/o2db9g3/l4w8w4l12w8/o11o10g10g11/g5l3l5")
    line, moves = chance_line(board, 3, (31,)), move_chances(board, 3, (31,))
    assert moves[0] == (line.order[1], line.chances[1])
    assert line == chance_line(board, 3, (31, 29)) == chance_line(board, 3, (31, 29, 12))


def test_listed_moves_equal_games():
    for vertex, chance in move_chances(BOARD, 4, (), 4):
        assert chance_line(BOARD, 4, (vertex,)).chances[0] == chance


def test_plain_python_gives_same_line():
    starts = ((3, ()), (4, (12, 33)))
    words = f"""
from catan_cp import Board
from catan_cp.placement.chance_game import chance_line
board = Board.from_notation({BOARD.notation()!r})
print([chance_line(board, players, placed).order for players, placed in {starts!r}])
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-c", words], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == str([chance_line(BOARD, *start).order for start in starts])


def test_players_of_six_maximize_their_odds():
    board = generate_board("open", layout="base-5-6", seed=1)
    with pytest.warns(UserWarning, match="nearer to equal"):
        line, moves = chance_line(board, 6), move_chances(board, 6, (), 5)
        rest = chance_line(board, 6, line.order[:9])
    assert moves[0] == (line.order[0], line.chances[0])
    assert rest == line
    log_odds, (first, second) = pair_log_odds(board), line.settlements[0]
    later = [v for v in line.order if v not in (first, second)]
    assert log_odds[first, second] == max(log_odds[first, v] for v in free_vertices(board, (first, *later)))
    assert sum(line.chances) == pytest.approx(1)


@pytest.mark.parametrize(
    ("players", "placed", "message"),
    [
        (2, (), "not for two players"),
        (4, (0, 1), "on or next to"),
        (4, range(9), "at most 8 vertices"),
        (9, (), "players"),
    ],
)
def test_other_games_rejected(players, placed, message):
    with pytest.raises(InvalidArgument, match=message):
        chance_line(BOARD, players, placed)


def test_complete_draft_has_no_moves():
    with pytest.raises(InvalidArgument, match="at most 7 vertices"):
        move_chances(BOARD, 4, chance_line(BOARD, 4).order)
