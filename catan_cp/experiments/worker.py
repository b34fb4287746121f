"""A process that solves one board after the other, and is killed where a run outlasts its limit."""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import SolverFailed
from catan_cp.interrupts import interrupts_later, start_resource_tracker
from catan_cp.placement.game import Counters
from catan_cp.placement.objective import Objective
from catan_cp.placement.solve import solve_placement

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
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Any = None

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
            if self._process is None:
                self._start(board, goals)
            self._pipe.send((board, players, goals, method))
            if not self._pipe.poll(limit):
                self._stop()
                return run
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            self._stop()
            raise SolverFailed(
                f"the process that solves board {run.notation} with {method} died ({error!r}); in a script, "
                "call this under: if __name__ == '__main__'"
            ) from error
        if isinstance(answer, Exception):
            raise answer
        return Run(number, run.notation, method, *answer)

    def _start(self, board: Board, goals: tuple[Objective, ...]) -> None:
        self._pipe, end = self._context.Pipe()
        self._process = self._context.Process(target=_work, args=(end,), daemon=True)
        start_resource_tracker()
        with interrupts_later():
            self._process.start()
        end.close()
        # A first run brings in numpy and the layout's geometry, which no method should be charged for.
        self._pipe.send((board, 2, goals[:2], "vectorized"))
        if not self._pipe.poll(_START_LIMIT):
            raise EOFError(f"it did not start within {_START_LIMIT:.0f} s")
        self._pipe.recv()

    def _stop(self) -> None:
        if self._process is not None:
            if self._process.pid is not None:  # Ctrl-C may come before it has started
                self._process.kill()
                self._process.join()
            self._process.close()
            self._pipe.close()
        self._process = self._pipe = None


def _work(pipe: Connection) -> None:
    """Solve what comes through the pipe until it is closed; the answer is a Run's figures, or the error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    with suppress(EOFError, ConnectionError):  # the parent is done, or was killed
        while True:
            pipe.send(_answer(*pipe.recv()))


def _answer(board: Board, players: int, goals: tuple[Objective, ...], method: str) -> Any:
    try:
        found = solve_placement(board, players, goals, method=method)
    except Exception as error:  # whatever it is, the parent raises it
        return error
    count = found.counters
    figures = found.seconds, count.calls, count.cut, count.hits, count.misses
    return *figures, found.settlements, found.values, found.tied
