"""Positions of a draft: settlements placed so far, the order of turns, and the vertices that are free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidBoard
from catan_cp.placement.objective import Objective

Placed = tuple[tuple[int, int], ...]
"""Settlements in the order placed, as (player, vertex); players are numbered from 1."""

Roads = tuple[int | None, ...]
"""Per settlement, the vertex at the other end of its road; None where it may lead anywhere."""


class Position(NamedTuple):
    """A draft as it stands: what is asked of every search.

    Attributes:
        board: a board with markers.
        goals: what each player wants.
        placed: the settlements on the table.
        roads: the roads of those that stood when the draft was given; others lead where they are best.
    """

    board: Board
    goals: tuple[Objective, ...]
    placed: Placed = ()
    roads: Roads = ()

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.goals)

    @property
    def minds_others(self) -> bool:
        """Whether anybody has rivalry or expansion."""
        return any(goal.minds_others for goal in self.goals)

    def free(self) -> tuple[int, ...]:
        """Return the vertices that are free."""
        return free_vertices(self.board, [v for _, v in self.placed])

    @property
    def is_roomy(self) -> bool:
        """Whether all find room, whatever is played: a settlement takes four vertices away at most."""
        return len(self.free()) > 4 * (2 * self.players - len(self.placed) - 1)


class Solved(NamedTuple):
    """What a search found.

    Attributes:
        course: every settlement in the order placed.
        tied: whether at a decision on the course another choice led as far, to other settlements.
        nodes: the number of positions that the search evaluated.
        cut: the number of candidates that a bound ruled out.
        seconds: the time it took; of boards solved together, an equal share.
        values: what each player has, where that is known.
        method: how it was found.
    """

    course: Sequence[int]
    tied: bool = False
    nodes: int = 0
    cut: int = 0
    seconds: float = 0.0
    values: tuple[float, ...] | None = None
    method: str = "rivals"


def snake(players: int) -> tuple[int, ...]:
    """Return who places when: 1 to N, then N to 1.

    >>> snake(3)
    (1, 2, 3, 3, 2, 1)
    """
    return (*range(1, players + 1), *range(players, 0, -1))


def open_vertices(board: Board) -> tuple[int, ...]:
    """Return the vertices on which one may settle: those that touch land, where the layout lets begin."""
    settle = board.layout.settle or range(board.layout.n_tiles)
    land = {t for t in settle if board.terrain[t] != "sea"}
    return tuple(v for v, tiles in enumerate(board.layout.vertex_tiles) if not land.isdisjoint(tiles))


def free_vertices(board: Board, taken: Iterable[int]) -> tuple[int, ...]:
    """Return the vertices that the distance rule leaves free when settlements stand on *taken*."""
    near = board.layout.vertex_neighbors
    blocked = {u for v in taken for u in (v, *near[v])}
    return tuple(v for v in open_vertices(board) if v not in blocked)


def no_room(position: Position) -> InvalidBoard:
    """Return the error that says that not all settlements find a place."""
    left, free = 2 * position.players - len(position.placed), len(position.free())
    return InvalidBoard(
        f"layout {position.board.layout.name!r} has no room for the {left} settlements yet to be placed by "
        f"{position.players} players: {free} vertices are free, and each settlement blocks its neighbours "
        "too; let fewer play"
    )
