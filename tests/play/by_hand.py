"""Games set up by hand, in the packed state of the engine.

`Game` plays from the beginning only, so a test writes a position of its own into the state. These are the
only imports of its tables, and other tests take them from this file.
"""

from itertools import pairwise
from typing import Any

from catan_cp import Board
from catan_cp.compiled import table
from catan_cp.play import Game, GameRules
from catan_cp.play.engine import apply, reset
from catan_cp.play.policies import can_swap, decide
from catan_cp.play.tables import AT, BOOK, CARD, DO, NOW, PHASE, ground_of

__all__ = [
    "AT",
    "BOOK",
    "CARD",
    "DO",
    "NOW",
    "PHASE",
    "apply",
    "can_swap",
    "decide",
    "ground_of",
    "reset",
    "table",
]

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
EDGES = {edge: k for k, edge in enumerate(BOARD.layout.edges)}


def begun(seats: int = 4, board: Board = BOARD, policy: int = 1, seed: int = 1) -> tuple[Game, Any, Any]:
    """Return a game after its first settlements, before the first roll, with its ground and its state."""
    game, g = Game(board, seats, seed=seed), ground_of(board, (policy,) * seats)
    while game.phase in ("settling", "first_road"):
        decide(g, game._s)
        apply(g, game._s)
    return game, g, game._s


def empty(seats: int = 4, seed: int = 1, **rules: Any) -> tuple[Game, Any, Any]:
    """Return a game without any building, in the first seat's turn."""
    game = Game(BOARD, seats, seed=seed, rules=GameRules(**rules))
    game._s[NOW.phase], game._s[NOW.turn] = PHASE.main, 1
    return game, game._g, game._s


def act(g: Any, s: Any, *action: int) -> None:
    for k, x in enumerate(action):
        s[AT.act + k] = x
    apply(g, s)


def give(s: Any, p: int, *cards: int) -> None:
    """Put cards from the bank into a hand, a number of each resource."""
    for r, count in enumerate(cards):
        s[AT.hand + 5 * p + r] += count
        s[AT.bank + r] -= count


def settle(g: Any, s: Any, p: int, vertex: int) -> None:
    give(s, p, 1, 1, 1, 0, 1)
    s[NOW.seat] = p
    act(g, s, DO.settle, vertex)


def lay(g: Any, s: Any, p: int, path: list[int]) -> None:
    """Build roads of a seat along a path of vertices."""
    for a, b in pairwise(path):
        give(s, p, 1, 0, 0, 0, 1)
        s[NOW.seat] = p
        act(g, s, DO.lay, EDGES[min(a, b), max(a, b)])


def path_from(start: int, length: int) -> list[int]:
    """Return a path of this number of edges that meets no vertex twice."""
    near, paths = BOARD.layout.vertex_neighbors, [[start]]
    while paths:
        path = paths.pop()
        if len(path) == length + 1:
            return path
        paths += [[*path, v] for v in near[path[-1]] if v not in path]
    raise AssertionError
