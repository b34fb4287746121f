"""Games per second of processor time, by policy and compared with Catanatron's loop.

Games differ in length, so the two engines are compared by turns per second. Compilation is not counted.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

from benchmarks.measure import Row, rates, row
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.play import POLICIES, Action, Game, Games, View, play_games
from catan_cp.play.custom import Player

GAMES = 2000
TARGETS = {"greedy": 2000, "trader": 1000}
"""Games per second on one core."""


def rows(quick: bool) -> Iterator[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    base = LAYOUTS["base"]
    assert base.beginner_board is not None
    first = Board.from_notation(base.beginner_board)
    board = Board(base, first.terrain, first.markers, base.printed_harbors)
    runs, games = (1, 50) if quick else (3, GAMES)
    few = games // 10

    def play(n: int, players: str | list[str | Player]) -> Games:
        return play_games(board, n, players=players, seed=1)

    play(1, "greedy")  # compiles
    for policy in POLICIES:
        speeds = rates(runs, games, partial(play, games, policy), process_time)
        yield row(f"{policy} players", "games/s", speeds, TARGETS.get(policy))
    seats: list[str | Player] = [_at_random, "greedy", "greedy", "greedy"]
    play(1, seats)  # compiles
    speeds = rates(runs, few, partial(play, few, seats), process_time)
    yield row("one Python player, three greedy", "games/s", speeds, 500)
    speeds = [_rate(partial(_actions, board, few // 5)) for _ in range(runs)]
    yield row("random actions of a Game", "actions/s", speeds, 150_000)
    ours, theirs = [], []
    for _ in range(runs):  # in turns, so that whatever else runs slows both
        ours.append(_rate(lambda: int(play(games, "weighted").rows["turns"].sum())))
        theirs.append(_rate(partial(_their_turns, 4 if quick else 40)))
    yield row("turns of weighted players", "turns/s", ours, None, "Catanatron's own loop", theirs)


def _rate(work: Callable[[], int]) -> float:
    """Return the units per second of processor time, for work that returns their number."""
    began = process_time()
    return work() / (process_time() - began)


def _at_random(view: View, legal_actions: list[Action], rng: random.Random) -> Action:
    return rng.choice(legal_actions)


def _actions(board: Board, games: int) -> int:
    """Play games with random actions, and return the number of actions."""
    actions, source = 0, random.Random(1)
    for seed in range(games):
        game = Game(board, seed=seed)
        while not game.is_over:
            game.apply(source.choice(game.legal_actions()))
            actions += 1
    return actions


def _their_turns(games: int) -> int:
    """Play games of weighted players in Catanatron, and return the number of turns."""
    from catanatron.game import Game
    from catanatron.models.player import Color
    from catanatron.players.weighted_random import WeightedRandomPlayer

    turns = 0
    for seed in range(1, games + 1):
        game = Game([WeightedRandomPlayer(color) for color in Color], seed=seed)
        game.play()
        turns += game.state.num_turns
    return turns
