"""Run a solver on a compiled model and read its solutions as they come, in blocks.

The FlatZinc solver is our own child, not a grandchild behind MiniZinc, so stopping it is certain, and what
it prints goes straight into numpy without an object for every solution.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.solving import guard
from catan_cp.solving.compiling import Compiled, last_words, writing

Block = NDArray[np.int32]

_CHUNK = 1 << 16
_LONGEST = 1 << 20
"""More bytes than any solution has."""
_END = b"----------"
_DONE = (b"==========", b"=====UNSATISFIABLE=====")
_ARRAY = re.compile(rb"\[([0-9, ]*)\]")
_STATISTIC = re.compile(rb"%%%mzn-stat: (\w+)=(\S+)")
_GRACE = 2.0

_OPTIONS = {
    "chuffed": {"seed": "--rnd-seed", "timeout": "-t"},
    "gecode": {"seed": "-r", "timeout": "-time"},
}
_FROM_STDIN: dict[str, list[str]] = {"chuffed": [], "gecode": ["-"]}
_RESTARTS = {
    "chuffed": ("--restart", "luby", "--restart-scale", "50"),
    "gecode": ("-restart", "luby", "-restart-scale", "50"),
}
"""A search that branches at random now and then runs into a corner; starting again after a few failures
takes the length out of it, and as the pieces grow longer, it still ends."""


class Run:
    """One run of a solver: an iterator of blocks of solutions, each an int32 array (solutions, width).

    What *fits* (called with a block) says no to is no solution.
    With a *seed* the solver's random choices follow it, and it starts again now and then.

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
        seed: int | None = None,
    ) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._compiled = compiled
        self._fits = fits
        self._limit = limit
        self._deadline = None if timeout is None else time.monotonic() + timeout
        with writing(f"the model for {compiled.solver.name}"):
            self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by _clean_up
        try:
            self._process = self._start(timeout, seed)
        except BaseException:
            self._errors.close()
            raise
        self._stop = weakref.finalize(self, _clean_up, self._process, self._errors)
        guard.protect(self._process.pid)

    def _start(self, timeout: float | None, seed: int | None) -> subprocess.Popen[bytes]:
        solver = self._compiled.solver
        option = _OPTIONS[solver.name]
        command = [str(solver.executable), "-s"]
        command += ["-a"] if self._limit is None else ["-n", str(self._limit)]
        command += [option["seed"], str((seed or 0) % (1 << 30) + 1)]
        if seed is not None:
            command += _RESTARTS[solver.name]
        if timeout is not None:
            command += [option["timeout"], str(max(1, round(1000 * timeout)))]
        guard.post()
        with self._program() as program:
            try:
                return subprocess.Popen(
                    [*command, *_FROM_STDIN[solver.name]],
                    stdin=program,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    bufsize=0,
                )
            except OSError as problem:
                raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem

    def _program(self) -> IO[bytes]:
        """Return what the solver reads: a file without a name, so that none is left behind."""
        with writing(f"the model for {self._compiled.solver.name}"):
            program: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by _start
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
        watch = self._watch()
        left = b""
        try:
            while chunk := self._read():
                left += chunk
                cut = left.rfind(_END)
                if cut >= 0:
                    block = self._block(left[:cut], left.count(_END))
                    left = left[cut + len(_END) :]
                    self.found += len(block)
                    yield block
                elif len(left) > _LONGEST:
                    raise self._no_solution(left)
            if not self._stop.alive:
                return
            status = self._process.wait()
            last = self._last_words()
        finally:
            if watch is not None:
                watch.cancel()
            self.close()
        self._finish(left, status, last)

    def close(self) -> None:
        """Stop the solver and remove what it needed; harmless when done already."""
        self._stop()

    def _read(self) -> bytes:
        assert self._process.stdout is not None
        try:
            return os.read(self._process.stdout.fileno(), _CHUNK)
        except ValueError:  # closed meanwhile
            return b""

    def _block(self, text: bytes, count: int) -> Block:
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

    def _watch(self) -> threading.Timer | None:
        """Kill the solver when it outlives its time limit; it keeps the limit by itself as a rule."""
        if self._deadline is None:
            return None
        watch = threading.Timer(self._deadline - time.monotonic() + _GRACE, self._process.kill)
        watch.daemon = True
        watch.start()
        return watch

    def _last_words(self) -> str:
        self._errors.seek(0)
        return last_words(self._errors.read().decode(errors="replace"))

    def _finish(self, rest: bytes, status: int, last: str) -> None:
        self.complete = any(mark in rest for mark in _DONE)
        for name, value in _STATISTIC.findall(rest):
            with contextlib.suppress(ValueError):  # a few are words
                self.statistics[statistics_name(name.decode())] = _number(value.decode())
        self.statistics["solutions"] = self.found
        if self.complete or (self._limit is not None and self.found >= self._limit):
            return
        if self._deadline is not None and time.monotonic() >= self._deadline - 0.05:
            raise SolverTimeout(
                f"the time limit passed with {self.found} solutions found; allow more time", self.found
            )
        solver = self._compiled.solver
        how = f"was killed by signal {-status}" if status < 0 else f"stopped with status {status}"
        raise SolverFailed(
            f"{solver.name} ({solver.executable}) {how} before it was done, "
            f"after {self.found} solutions: {last}"
        )


def statistics_name(name: str) -> str:
    """Return our name for a statistic: the solver's own in snake case; times are in seconds."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return "solutions" if snake == "n_solutions" else snake


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


def _clean_up(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    guard.release(process.pid)
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    errors.close()
