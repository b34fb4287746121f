"""Positions of a draft: settlements, the order of turns, and the free vertices.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> position = Position(board, (Objective(),) * 2, placed=((1, 0),))
>>> position.players, len(position.free()), position.is_roomy
(2, 50, True)
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidBoard
from catan_cp.placement.objective import Objective

Placed = tuple[tuple[int, int], ...]
"""Settlements in the order placed, as (player, vertex), with players from 1."""

Roads = tuple[int | None, ...]
"""Per settlement, the vertex at the other end of its road, or None if it is not fixed."""


class Position(NamedTuple):
    """A draft in progress: the input of every search.

    Attributes:
        board: a board with markers.
        goals: the objective of each player.
        placed: the settlements on the board.
        roads: per settlement placed, the other end of its road, or None. A road of None leads in the best
            direction.
    """

    board: Board
    goals: tuple[Objective, ...]
    placed: Placed = ()
    roads: Roads = ()

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.goals)

    @property
    def minds_others(self) -> bool:
        """True if any player has rivalry or expansion."""
        return any(goal.minds_others for goal in self.goals)

    def free(self) -> tuple[int, ...]:
        """Return the vertices that are free."""
        return free_vertices(self.board, [v for _, v in self.placed])

    @property
    def is_roomy(self) -> bool:
        """True if all settlements are sure to find a free vertex.

        A settlement blocks at most four vertices.
        """
        return len(self.free()) > 4 * (2 * self.players - len(self.placed) - 1)


class Solved(NamedTuple):
    """The result of a search.

    Attributes:
        line: the line of play: every vertex in the order placed.
        tied: whether another choice on the line of play had the same lead and led to other settlements.
        nodes: the number of positions that the search evaluated.
        cut: the number of candidates that a bound ruled out.
        seconds: the time used. Boards solved together share the time equally.
        values: the value of each player, if the search computed it.
        method: the name of the method.
    """

    line: Sequence[int]
    tied: bool = False
    nodes: int = 0
    cut: int = 0
    seconds: float = 0.0
    values: tuple[float, ...] | None = None
    method: str = "rivals"


def snake(players: int) -> tuple[int, ...]:
    """Return the order of turns: players 1 to N, then N to 1.

    >>> snake(3)
    (1, 2, 3, 3, 2, 1)
    """
    return (*range(1, players + 1), *range(players, 0, -1))


def open_vertices(board: Board) -> tuple[int, ...]:
    """Return the vertices that touch a land tile on which the layout allows settlements."""
    if not board.layout.settle and "sea" not in board.terrain:
        return tuple(range(board.layout.n_vertices))
    settle = board.layout.settle or range(board.layout.n_tiles)
    land = {t for t in settle if board.terrain[t] != "sea"}
    return tuple(v for v, tiles in enumerate(board.layout.vertex_tiles) if not land.isdisjoint(tiles))


def free_vertices(board: Board, occupied: Iterable[int]) -> tuple[int, ...]:
    """Return the vertices that the distance rule leaves free if *occupied* are settled."""
    near = board.layout.vertex_neighbors
    blocked = {u for v in occupied for u in (v, *near[v])}
    return tuple(v for v in open_vertices(board) if v not in blocked)


def no_room(position: Position) -> InvalidBoard:
    """Return the error for a position that cannot be completed."""
    remaining, free = 2 * position.players - len(position.placed), len(position.free())
    return InvalidBoard(
        f"layout {position.board.layout.name!r} has no room for the settlements yet to be placed by "
        f"{position.players} players: their number is {remaining}, that of free vertices is {free}, and each "
        "settlement blocks its neighbors too; use fewer players"
    )
