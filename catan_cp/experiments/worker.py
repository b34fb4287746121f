"""A process that solves one board after the other, and is killed where a run outlasts its limit."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import SolverFailed
from catan_cp.placement.game import solve_by_method
from catan_cp.placement.objective import Objective
from catan_cp.placement.spots import Counters, Position
from catan_cp.workers import WorkerDied, Workers

_START_LIMIT = 120.0
"""Seconds that a worker may take to start."""


@dataclass(frozen=True)
class Run:
    """One board solved by one method.

    Attributes:
        board: the board's number, from 0.
        notation: the board.
        method: the method.
        seconds: time for tables and search, as `Placement.seconds`; None where the limit passed first.
        calls: positions visited, as `Counters`; so are *cut*, *hits* and *misses*.
        settlements: what was found.
        values: what it is worth.
        tied: as `Placement.tied`.
    """

    board: int
    notation: str
    method: str
    seconds: float | None = None
    calls: int | None = None
    cut: int | None = None
    hits: int | None = None
    misses: int | None = None
    settlements: tuple[tuple[int, ...], ...] | None = None
    values: tuple[float, ...] | None = None
    tied: bool | None = None

    @property
    def counters(self) -> Counters:
        """What the search did; zeros where it did not end."""
        return Counters(self.calls or 0, self.cut or 0, self.hits or 0, self.misses or 0)

    @property
    def found(self) -> tuple[object, ...]:
        """What methods must agree on."""
        return self.settlements, self.values, self.tied


class Worker:
    """A process that solves boards, killed and started anew where it takes too long."""

    def __init__(self) -> None:
        self._workers: Workers | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def solve(
        self, number: int, board: Board, players: int, goals: tuple[Objective, ...], method: str, limit: float
    ) -> Run:
        """Solve one board with one method, or be killed after *limit* seconds; figures are then None."""
        run = Run(number, board.notation(), method)
        try:
            if self._workers is None:
                self._workers = Workers(1)
                # A first run brings in numpy and the layout's geometry, for which no method is charged.
                first = self._workers.submit(_figures, board, 2, goals[:2], "vectorized")
                first.result(_START_LIMIT)
            figures = self._workers.submit(_figures, board, players, goals, method).result(limit)
        except TimeoutError:
            self._stop()
            return run
        except WorkerDied as error:
            self._stop()
            words = f"the process that solves board {run.notation} with {method} died"
            raise SolverFailed(words) from error
        return Run(number, run.notation, method, *figures)

    def _stop(self) -> None:
        if self._workers is not None:
            self._workers.stop()
        self._workers = None


def _figures(board: Board, players: int, goals: tuple[Objective, ...], method: str) -> tuple[Any, ...]:
    """Solve one board; return the figures of a `Run`."""
    found = solve_by_method(Position(board, goals), method)
    count = found.counters
    figures = found.seconds, count.calls, count.cut, count.hits, count.misses
    return *figures, found.settlements, found.values, found.tied
