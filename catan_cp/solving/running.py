"""Run a solver on a compiled model and read its solutions as they come, in blocks.

A FlatZinc solver that we know is our own child and no grandchild behind MiniZinc: what it prints goes
straight into numpy without an object for every solution. Others run through MiniZinc, which prints the same:
libraries that it loads (HiGHS, CBC), and programs whose options only it knows.
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
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.solving.compiling import CRASHES, Compiled, writing
from catan_cp.solving.processes import Group, Process, last_words, scratch_folder

Block = NDArray[np.int32]

_CHUNK = 1 << 16
_LONGEST = 1 << 20
"""More bytes than any solution has."""
_TAIL = 1 << 12
"""So many of the last bytes on standard error are kept."""
_END = b"\n----------\n"
_DONE = re.compile(rb"(?m)^(==========|=====UNSATISFIABLE=====|=====UNSATorUNBOUNDED=====)$")
_COMMENT = re.compile(rb"(?m)^%.*$")
_ARRAY = re.compile(rb"\[([-0-9, ]*)\]")
_STATISTIC = re.compile(rb"(?m)^%%%mzn-stat: (\w+)=(\S+)")
_GRACE = 2.0
"""Seconds after a time limit until the solver is killed, and after its end until its output must end too."""


class SolverCrashed(SolverFailed):
    """The solver ended as only a program with a mistake does: another solver may decide."""


class Run:
    """One run of a solver: an iterator of blocks of solutions, each an int32 array (solutions, width).

    *fits* is called with a block and tells whether its rows are solutions at all. With a *seed* the solver's
    random choices follow it, and it restarts after the Luby sequence, which curbs the heavy tail of a random
    search while it stays complete (Gomes, Selman and Kautz 1998; Luby, Sinclair and Zuckerman 1993). *free*
    lets the solver search as it likes instead of as the model says.

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
        free: bool = False,
    ) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._compiled = compiled
        self._fits = fits
        self._limit = limit
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._tail = bytearray()
        self._closed = threading.Event()
        self._open = ExitStack()
        self._stop = weakref.finalize(self, self._open.close)
        try:
            self._process = self._start(_options(compiled, limit, timeout, seed, free))
        except BaseException:
            self._stop()
            raise

    def _start(self, options: list[str]) -> Process:
        solver = self._compiled.solver
        command = [str(solver.executable), *options]
        program: IO[bytes] | int = subprocess.DEVNULL
        if solver.through_minizinc:
            command.append(str(self._file()))
        else:
            program = self._open.enter_context(self._anonymous_file())
        group = Group()
        self._open.callback(group.end)
        self._open.callback(self._closed.set)
        theirs, ours = os.pipe()
        self._listener = threading.Thread(target=_listen, args=(theirs, self._tail), daemon=True)
        self._listener.start()
        try:
            process = group.start(command, stdin=program, stdout=subprocess.PIPE, stderr=ours, bufsize=0)
        except OSError as problem:
            raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem
        finally:
            os.close(ours)
        watched = process, group, self._deadline, self._closed
        threading.Thread(target=_watch, args=watched, daemon=True).start()
        return process

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
            while chunk := self._read():
                left += chunk.replace(b"\r", b"")
                cut = left.rfind(_END)
                if cut >= 0:
                    text, left = left[:cut], left[cut + len(_END) - 1 :]
                    block = self._block(text, text.count(_END) + 1)
                    self.found += len(block)
                    yield block
                elif len(left) > _LONGEST:
                    raise self._no_solution(left)
            if self._closed.is_set():
                return
            status = self._process.wait()
            self._listener.join(_GRACE)
        finally:
            self.close()
        self._finish(left, status)

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

    def _finish(self, rest: bytes, status: int) -> None:
        self.complete = _DONE.search(rest) is not None
        self._keep_statistics(rest)
        self.statistics["solutions"] = self.found
        if self.complete or (self._limit is not None and self.found >= self._limit):
            return
        if self._deadline is not None and time.monotonic() >= self._deadline - 0.05:
            raise SolverTimeout(
                f"the time limit passed with {self.found} solutions found; allow more time", self.found
            )
        solver = self._compiled.solver
        how = f"was killed by signal {-status}" if status < 0 else f"stopped with status {status}"
        crashed = -status in CRASHES or status in solver.backend.crashes
        failure = SolverCrashed if crashed else SolverFailed
        raise failure(
            f"{solver.name} ({solver.executable}) {how} before it was done, "
            f"after {self.found} solutions: {last_words(self._tail.decode(errors='replace'))}"
        )


def _options(
    compiled: Compiled, limit: int | None, timeout: float | None, seed: int | None, free: bool
) -> list[str]:
    """Return the options of the solver's program, or of MiniZinc where that runs it."""
    backend, flags = compiled.solver.backend, compiled.solver.flags
    milliseconds = None if timeout is None else str(max(1, round(1000 * timeout)))
    number = str((seed or 0) % (1 << 30) + 1)
    wanted = ["-a"] if limit is None else ["-n", str(limit)]
    if backend.program is not None:
        own = backend.program
        options = ["-s", *wanted, own.seed, number, *(own.restarts if seed is not None else ())]
        options += [own.milliseconds, milliseconds] if milliseconds is not None else []
        return options + (["-f"] if free else []) + list(own.standard_input)
    options = [*compiled.solver.choice, "-s"]
    if backend.listing != "one" and wanted[0] in flags:
        options += wanted
    if seed is not None and "-r" in flags:
        options += ["-r", number]
    if free and "-f" in flags:
        options.append("-f")
    return options + (["--time-limit", milliseconds] if milliseconds is not None else [])


def _listen(pipe: int, tail: bytearray) -> None:
    """Read a solver's complaints until their end, and keep the last of them."""
    with os.fdopen(pipe, "rb", buffering=0) as complaints:
        while said := complaints.read(_CHUNK):
            tail.extend(said)
            del tail[:-_TAIL]


def _watch(process: Process, group: Group, deadline: float | None, closed: threading.Event) -> None:
    """Kill a solver that outlives its time limit, and whatever holds its output open after its own end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(None if deadline is None else max(0.0, deadline - time.monotonic()) + _GRACE)
        closed.wait(_GRACE)
    if not closed.is_set():
        group.kill()


def statistics_name(name: str) -> str:
    """Return our name for a statistic: the solver's own in snake case; times are in seconds."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return "solutions" if snake == "n_solutions" else snake


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)
