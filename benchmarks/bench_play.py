"""Games per second of processor time, by policy and compared with Catanatron's loop.

Games differ in length, so the two engines are compared by turns per second. Compilation is not counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from benchmarks.rows import Row, row
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.play import POLICIES, Action, Game, View, play_games
from catan_cp.play.custom import Player

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
    few = games // 10
    seats: list[str | Player] = [_at_random, "greedy", "greedy", "greedy"]
    play_games(board, 1, players=seats, seed=1)  # compiles
    speeds = [few / _seconds(lambda: play_games(board, few, players=seats, seed=1)) for _ in range(runs)]
    found.append(row("one Python player, three greedy", "games/s", speeds, 500))
    speeds = [_actions_a_second(board, few // 5) for _ in range(runs)]
    found.append(row("random actions of a Game", "actions/s", speeds, 150_000))
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


def _at_random(view: View, legal_actions: list[Action], rng: random.Random) -> Action:
    return rng.choice(legal_actions)


def _actions_a_second(board: Board, games: int) -> float:
    actions, source, began = 0, random.Random(1), time.process_time()
    for seed in range(games):
        game = Game(board, seed=seed)
        while not game.is_over:
            game.apply(source.choice(game.legal_actions()))
            actions += 1
    return actions / (time.process_time() - began)


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
