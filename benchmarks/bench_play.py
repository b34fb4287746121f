"""Games per second of processor time, by policy and compared with Catanatron's loop.

Games differ in length, so the two engines are compared by turns per second. Compilation is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.rows import Row, row
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.play import POLICIES, play_games

GAMES = 2000
TARGETS = {"greedy": 2000, "trader": 1000}
"""Games per second on one core."""


def rows(quick: bool) -> list[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    base = LAYOUTS["base"]
    assert base.beginner_board is not None
    first = Board.from_notation(base.beginner_board)
    board = Board(base, first.terrain, first.markers, base.printed_harbors)
    runs, games = (1, 50) if quick else (3, GAMES)
    play_games(board, 1, seed=1)  # compiles
    found = []
    for policy in POLICIES:
        speeds = [
            games / _seconds(lambda policy=policy: play_games(board, games, players=policy, seed=1))  # type: ignore[misc]
            for _ in range(runs)
        ]
        found.append(row(f"{policy} players", "games/s", speeds, TARGETS.get(policy)))
    turns = play_games(board, games, players="weighted", seed=1).rows["turns"].sum()
    ours, theirs = [], []
    for _ in range(runs):  # in turns, so that whatever else runs slows both
        ours.append(turns / _seconds(lambda: play_games(board, games, players="weighted", seed=1)))
        theirs.append(_their_turns_a_second(4 if quick else 40))
    found.append(row("turns of weighted players", "turns/s", ours, None, "Catanatron's own loop", theirs))
    return found


def _seconds(play: Callable[[], object]) -> float:
    """Return the seconds of processor time."""
    began = time.process_time()
    play()
    return time.process_time() - began


def _their_turns_a_second(games: int) -> float:
    from catanatron.game import Game
    from catanatron.models.player import Color
    from catanatron.players.weighted_random import WeightedRandomPlayer

    turns, began = 0, time.process_time()
    for seed in range(1, games + 1):
        game = Game([WeightedRandomPlayer(color) for color in Color], seed=seed)
        game.play()
        turns += game.state.num_turns
    return turns / (time.process_time() - began)
