"""How fast games are played, beside the engine's own loop, and by two processes.

Games differ in length, so the engine and we are compared by turns a second of processor time. The engine's
loop is its ``Game.play`` with its own players and nothing recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, row
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.play import play_games
from catan_cp.play.bridge import engine_map

GAMES = 40
OVERHEAD = 0.9
"""How many of the engine's own turns a second must be left, at least."""


def rows(quick: bool) -> list[Row]:
    """Measure everything, the compared thing in the same run."""
    base = LAYOUTS["base"]
    assert base.beginner_board is not None
    first = Board.from_notation(base.beginner_board)
    board = Board(base, first.terrain, first.markers, base.printed_harbors)
    runs, games = (1, 8) if quick else (3, GAMES)
    ours, engine, both = [], [], []
    for _ in range(runs):  # in turns, so that whatever else runs slows both
        ours.append(_turns_a_second(lambda: _ours(board, games)))
        engine.append(_turns_a_second(lambda: _engine(engine_map(board), games)))
        both.append(_games_a_second(board, 4 * games))
    ratios = [a / b for a, b in zip(ours, engine, strict=True)]
    found = [
        row("weighted players", "turns/s", ours, None, "the engine's own loop", engine),
        row("weighted players, beside the engine's loop", "times", ratios, OVERHEAD),
        row("games by two processes", "games/s", both, 60),
    ]
    for style in ("random", "greedy", "victory"):
        speed = _turns_a_second(lambda style=style: _ours(board, max(2, games // 8), style))  # type: ignore[misc]
        found.append(row(f"{style} players", "turns/s", [speed]))
    return found


def _turns_a_second(play: Callable[[], int]) -> float:
    """Return the turns a second of processor time."""
    began = time.process_time()
    turns = play()
    return turns / (time.process_time() - began)


def _ours(board: Board, games: int, players: str = "weighted") -> int:
    return sum(game.turns for game in play_games(board, games, players=players, seed=1).games)


def _engine(catan_map: Any, games: int) -> int:
    from catanatron.game import Game
    from catanatron.models.player import Color
    from catanatron.players.weighted_random import WeightedRandomPlayer

    turns = 0
    for seed in range(1, games + 1):
        game = Game([WeightedRandomPlayer(color) for color in Color], seed=seed, catan_map=catan_map)
        game.play()
        turns += game.state.num_turns
    return turns


def _games_a_second(board: Board, games: int) -> float:
    began = time.perf_counter()
    play_games(board, games, seed=1, workers=2)
    return games / (time.perf_counter() - began)
