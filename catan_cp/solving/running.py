"""Run a solver for a listing, and read its solutions as they come, in blocks.

The package `minizinc`, through which everything else is asked, lists 5,254 terrains a second; this lists
31,196, and is there for that alone. A FlatZinc solver that we know is our own child and no grandchild
behind MiniZinc: what it prints goes straight into numpy without an object for every solution. Others run
through MiniZinc, which prints the same: libraries that it loads (HiGHS, CBC), and programs whose options
only it knows.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.processes import Program, last_words, scratch_folder
from catan_cp.solving.compiling import CRASHES, Compiled, writing

Block = NDArray[np.int32]

_LONGEST = 1 << 20
"""More bytes than any solution has."""
_END = b"\n----------\n"
_DONE = re.compile(rb"(?m)^(==========|=====UNSATISFIABLE=====|=====UNSATorUNBOUNDED=====)$")
_COMMENT = re.compile(rb"(?m)^%.*$")
_ARRAY = re.compile(rb"\[([-0-9, ]*)\]")
_STATISTIC = re.compile(rb"(?m)^%%%mzn-stat: (\w+)=(\S+)")


class SolverCrashed(SolverFailed):
    """The solver ended as only a program with a mistake does: another solver may decide."""


class Run:
    """One run of a solver: an iterator of blocks of solutions, each an int32 array (solutions, width).

    *fits* is called with a block and tells whether its rows are solutions at all.

    Attributes:
        found: how many solutions came so far.
        complete: True once the solver has proved that there are no more.
        statistics: what the solver reported at its end, by the names of `statistics_name`.

    Raises:
        SolverFailed: the solver does not start.
    """

    def __init__(
        self,
        compiled: Compiled,
        *,
        fits: Callable[[NDArray[np.int64]], bool] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._compiled = compiled
        self._fits = fits
        self._limit = limit
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._open = ExitStack()
        self._stop = weakref.finalize(self, self._open.close)
        try:
            self._process = self._start(_options(compiled, limit, timeout))
        except BaseException:
            self._stop()
            raise

    def _start(self, options: list[str]) -> Program:
        solver = self._compiled.solver
        command = [str(solver.executable), *options]
        program: IO[bytes] | int = subprocess.DEVNULL
        if solver.through_minizinc:
            command.append(str(self._file()))
        else:
            program = self._open.enter_context(self._anonymous_file())
        left = None if self._deadline is None else self._deadline - time.monotonic()
        try:
            started = Program(command, stdin=program, seconds=left)
        except OSError as problem:
            raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem
        self._open.callback(started.end)
        return started

    def _file(self) -> Path:
        """Return the file that MiniZinc reads, which knows FlatZinc by the ending of its name."""
        with writing(f"the model for {self._compiled.solver.name}"):
            folder, _ = self._open.enter_context(scratch_folder())
            program = folder / "model.fzn"
            program.write_bytes(self._compiled.flatzinc)
        return program

    def _anonymous_file(self) -> IO[bytes]:
        """Return what the solver reads: a file without a name, so that none is left behind."""
        with writing(f"the model for {self._compiled.solver.name}"):
            program: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with the run
            try:
                written = program.write(self._compiled.flatzinc)
                if written < len(self._compiled.flatzinc):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                program.seek(0)
            except BaseException:
                program.close()
                raise
        return program

    def blocks(self) -> Iterator[Block]:
        """Yield the solutions in blocks as the solver prints them.

        Raises:
            SolverTimeout: the time limit passed before the solver was done.
            SolverFailed: the solver crashed, printed what is no solution, or stopped without saying that it
                was done.
        """
        left = b"\n"
        try:
            while chunk := self._process.read():
                left += chunk.replace(b"\r", b"")
                cut = left.rfind(_END)
                if cut >= 0:
                    text, left = left[:cut], left[cut + len(_END) - 1 :]
                    block = self._block(text, text.count(_END) + 1)
                    self.found += len(block)
                    yield block
                elif len(left) > _LONGEST:
                    raise self._no_solution(left)
            if self._process.closed:
                return
            status, complaints = self._process.wait(), self._process.complaints
        finally:
            self.close()
        self._finish(left, status, complaints)

    def close(self) -> None:
        """Stop the solver and remove what it needed; harmless when done already."""
        self._stop()

    def _block(self, text: bytes, count: int) -> Block:
        if b"%" in text:
            self._keep_statistics(text)
            text = _COMMENT.sub(b"", text)
        block = self._numbers(text, count)
        if self._fits is not None and not self._fits(block):
            raise self._no_solution(text)
        return block.astype(np.int32)

    def _numbers(self, text: bytes, count: int) -> NDArray[np.int64]:
        if self._compiled.fixed:
            return np.tile(np.array(self._compiled.fixed, dtype=np.int64), (count, 1))
        rows = _ARRAY.findall(text)
        numbers = b",".join(rows).replace(b" ", b"")
        n_numbers = numbers.count(b",") + 1
        if len(rows) != count or n_numbers != count * self._compiled.width or b",," in b",%b," % numbers:
            raise self._no_solution(text)
        return np.fromstring(numbers, dtype=np.int64, sep=",").reshape(count, -1)

    def _no_solution(self, text: bytes) -> SolverFailed:
        said = last_words(text.decode(errors="replace"))
        return SolverFailed(f"{self._compiled.solver.name} printed what is no solution: {said}")

    def _keep_statistics(self, text: bytes) -> None:
        for name, value in _STATISTIC.findall(text):
            with contextlib.suppress(ValueError):  # a few are words
                self.statistics[statistics_name(name.decode())] = _number(value.decode())

    def _finish(self, rest: bytes, status: int, complaints: str) -> None:
        self.complete = _DONE.search(rest) is not None
        self._keep_statistics(rest)
        self.statistics["solutions"] = self.found
        if self.complete or (self._limit is not None and self.found >= self._limit):
            return
        raise unfinished(self._compiled, self.found, self._deadline, status, complaints)


def unfinished(
    compiled: Compiled, found: int, deadline: float | None, status: int, complaints: str
) -> SolverFailed | SolverTimeout:
    """Return the error for a solver that ended before it was done, after so many solutions."""
    if deadline is not None and time.monotonic() >= deadline - 0.05:
        return SolverTimeout(f"the time limit passed with {found} solutions found; allow more time", found)
    solver = compiled.solver
    how = f"was killed by signal {-status}" if status < 0 else f"stopped with status {status}"
    crashed = -status in CRASHES or status in solver.backend.crashes
    failure = SolverCrashed if crashed else SolverFailed
    return failure(
        f"{solver.name} ({solver.executable}) {how} before it was done, "
        f"after {found} solutions: {last_words(complaints)}"
    )


def _options(compiled: Compiled, limit: int | None, timeout: float | None) -> list[str]:
    """Return the options of the solver's program, or of MiniZinc where that runs it."""
    backend, flags = compiled.solver.backend, compiled.solver.flags
    milliseconds = None if timeout is None else str(max(1, round(1000 * timeout)))
    wanted = ["-a"] if limit is None else ["-n", str(limit)]
    own = backend.program
    if own is not None and not compiled.solver.through_minizinc:
        limits = [] if milliseconds is None else [own.milliseconds, milliseconds]
        return ["-s", *wanted, own.seed, "1", *limits, *own.standard_input]
    options = [*compiled.solver.choice, "-s"]
    if backend.listing != "one" and wanted[0] in flags:
        options += wanted
    return options + (["--time-limit", milliseconds] if milliseconds is not None else [])


def statistics_name(name: str) -> str:
    """Return our name for a statistic: the solver's own in snake case; times are in seconds."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return "solutions" if snake == "n_solutions" else snake


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)
