"""Every solution exactly once, whatever the solver forgets, and whatever it can do.

* A solver that lists in order meets solutions in ascending order of the variables that the model branches on.
  One that is not above the last is a repetition, if the solver may repeat itself (Chuffed drops clauses, and
  meets again what they kept it from), and else a broken promise, which is an error. A repetition must really
  have come before: eight bytes are kept of each solution of such a solver.
* A solver that lists in any order gives each solution to a set of all that came.

Where a solver crashes, another one lists what is still missing.

Single questions go through the package `minizinc`. This module is for many solutions, and for many questions
to one compiled model. The package lists 5,254 terrains per second, this module 31,196. A known FlatZinc
solver runs as a child process, and its output goes into numpy without an object per solution. Other solvers
run through MiniZinc, which prints the same: libraries that it loads (HiGHS, CBC), and programs whose options
only it knows.
"""

from __future__ import annotations

import logging
import re
import time
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.processes import Program, last_words
from catan_cp.solving.compiling import CRASHES, MEMORY, Compiled, TimeLeft, compile_model, with_first
from catan_cp.solving.find import Backend, another_solver

Block = NDArray[np.int32]


_LONGEST = 1 << 20
"""More bytes than any solution has."""
_END = b"\n----------\n"
_DONE = re.compile(rb"(?m)^(==========|=====UNSATISFIABLE=====|=====UNSATorUNBOUNDED=====)$")
_COMMENT = re.compile(rb"(?m)^%.*$")
_ARRAY = re.compile(rb"\[([-0-9, ]*)\]")
_STATISTIC = re.compile(rb"(?m)^%%%mzn-stat: (\w+)=(\S+)")
_BIG_ENDIAN = np.dtype(">u4")
"""Numbers whose bytes are in their own order."""

_log = logging.getLogger("catan_cp")


class SolverCrashed(SolverFailed):
    """The solver ended as only a program with a mistake does: another solver may decide."""


@dataclass
class Told:
    """What is known of a stream of solutions so far.

    Attributes:
        found: how many came.
        complete: True once it is proved that there are no more.
        statistics: what a solver reported at its end.
        stopped: set where somebody asked for no more.
        program: the solver that runs, or ran last.
    """

    found: int = 0
    complete: bool = False
    statistics: dict[str, float] = field(default_factory=dict)
    stopped: Event = field(default_factory=Event)
    program: Program | None = None

    def stop(self) -> None:
        """End the stream after what came already; from any thread, also while another one waits for more."""
        self.stopped.set()
        if self.program is not None:
            self.program.kill()


Source = Callable[[Told], Iterator[Block]]
"""Starts to yield blocks of solutions, each an int32 array (solutions, width), and keeps `Told` true."""


def listed(compiled: Compiled, limit: int | None, left: TimeLeft, told: Told) -> Iterator[Block]:
    """Yield all solutions of a compiled model, or the first *limit*, in blocks; each comes once.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: the solver does not start, crashed, printed what is no solution, stopped without saying
            that it was done, or broke its promise of an order.
    """
    seen, asked = _Seen(compiled), limit
    while True:
        try:
            for block in _run(compiled, asked, left(), told):
                new = seen.new(block.astype(np.int32))[: None if limit is None else limit - told.found]
                told.found += len(new)
                if len(new):
                    yield new
                if asked != limit and told.found == limit:
                    break
        except SolverTimeout as timeout:
            timeout.found = told.found
            raise
        except SolverCrashed as crash:
            compiled = compiled_for_another(compiled, crash, left())
            seen.begin_again(compiled.solver.backend)
            asked = None
            continue
        if told.stopped.is_set():
            return
        if told.complete or told.found == limit:
            told.statistics["solutions"] = told.found
            return
        assert asked is not None  # the limit was spent on repetitions: ask again, for more solutions
        asked *= 2


def first(
    compiled: Compiled, left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None if there is none; arguments and errors are those of `rows`."""
    return next(rows(compiled, left, seed=seed, free=free))


def rows(
    compiled: Compiled, left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or better and better ones if the model optimizes; None once no more is possible.

    If the solver crashes, another one starts from the beginning.

    Args:
        compiled: the compiled model.
        left: returns the seconds left.
        seed: makes the solver's random choices reproducible. With a seed the solver restarts after the Luby
            sequence, which curbs the heavy tail of a random search while it stays complete (Gomes, Selman and
            Kautz 1998; Luby, Sinclair and Zuckerman 1993).
        free: let the solver ignore the search that the model states.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: the solver does not start, printed what is no solution, or stopped without an answer.
    """
    try:
        limit = None if compiled.optimises else 1
        for block in _run(compiled, limit, left(), Told(), seed, free):
            yield from block.tolist()
        yield None
    except SolverCrashed as crash:
        other = with_first(compiled_for_another(compiled, crash, left()), compiled.given)
        yield from [None] if other is None else rows(other, left, seed=seed, free=free)


def _run(
    compiled: Compiled,
    limit: int | None,
    seconds: float | None,
    told: Told,
    seed: int | None = None,
    free: bool = False,
) -> Iterator[NDArray[np.int64]]:
    """Yield what one run of a solver prints."""
    deadline, run = None if seconds is None else time.monotonic() + seconds, Told()
    with compiled.written() as model:
        told.program = program = _started(compiled, model, limit, seconds, seed, free)
        try:
            if told.stopped.is_set():  # before there was anything to end
                return
            yield from _read(compiled, program, run)
            told.complete = run.complete
            status, complaints = program.wait(), program.complaints
        finally:
            program.end()
    if told.stopped.is_set():
        return
    if not run.complete and (limit is None or run.found < limit):
        raise _unfinished(compiled, run.found, deadline, status, complaints)
    told.statistics |= run.statistics


def _started(
    compiled: Compiled, model: Path, limit: int | None, seconds: float | None, seed: int | None, free: bool
) -> Program:
    """Start a solver on a compiled model that was written to a file, to find so many solutions.

    With a *seed* its random choices follow that, and it restarts now and then; *free* lets it search as it
    likes instead of as the model says. What a solver does not take of this, it is not told.

    Raises:
        SolverFailed: it does not start.
    """
    solver, own, flags = compiled.solver, compiled.solver.backend.program, compiled.solver.flags
    wanted = ["-a"] if limit is None else ["-n", str(limit)]
    number = "1" if seed is None else str(seed % (1 << 30) + 1)
    milliseconds = None if seconds is None else str(max(1, round(1000 * seconds)))
    restarts = own.restarts if own is not None and seed is not None else ()
    if own is not None and not solver.through_minizinc:
        options = ["-s", *wanted, own.seed, number, *restarts]
        options += [] if milliseconds is None else [own.milliseconds, milliseconds]
        options += ["-f"] if free else []
    else:
        options = [*solver.choice, "-s"]
        if compiled.optimises:
            options += [] if flags.isdisjoint(("-a", "-i")) else ["-i"]
        elif solver.backend.listing != "none" and wanted[0] in flags:
            options += wanted
        options += ["-r", number] if seed is not None and "-r" in flags else []
        options += restarts if flags.issuperset(restarts[:1]) else ()
        options += ["-f"] if free and "-f" in flags else []
        options += [] if milliseconds is None else ["--time-limit", milliseconds]
    command = [str(solver.executable), *options, str(model)]
    memory = MEMORY if solver.through_minizinc and not solver.minizinc.portable else None
    try:
        # MiniZinc's own files are to end with ours.
        return Program(command, seconds=seconds, memory=memory, env={"TMPDIR": str(model.parent)})
    except OSError as problem:
        raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem


def _read(compiled: Compiled, program: Program, told: Told) -> Iterator[NDArray[np.int64]]:
    """Yield what a solver prints, in blocks, and keep `Told` true.

    Raises:
        SolverFailed: it printed what is no solution.
    """
    fits = compiled.task.fits
    for text, count in _printed(program):
        if b"%" in text:
            told.statistics |= _statistics(text)
            text = _COMMENT.sub(b"", text)
        if count:
            block = _numbers(compiled, text, count)
            if fits is not None and not fits(block):
                raise _no_solution(compiled, text)
            told.found += count
            yield block
        else:
            told.complete = _DONE.search(text) is not None


def _numbers(compiled: Compiled, text: bytes, count: int) -> NDArray[np.int64]:
    """Return so many solutions, a row each."""
    rows = _ARRAY.findall(text)
    numbers = b",".join(rows).replace(b" ", b"")
    n_numbers, width = numbers.count(b",") + 1, len(compiled.printed[1])
    if len(rows) != count or n_numbers != count * width or b",," in b",%b," % numbers:
        raise _no_solution(compiled, text)
    return np.fromstring(numbers, dtype=np.int64, sep=",").reshape(count, -1)


def _no_solution(compiled: Compiled, text: bytes) -> SolverFailed:
    said = last_words(text.decode(errors="replace"))
    return SolverFailed(f"{compiled.solver.name} printed what is no solution: {said}")


def _printed(program: Program) -> Iterator[tuple[bytes, int]]:
    """Yield what a solver prints: so many solutions together as they come, at last what is no solution."""
    left = b"\n"
    while chunk := program.read():
        left += chunk.replace(b"\r", b"")
        cut = left.rfind(_END)
        if cut >= 0:
            text, left = left[:cut], left[cut + len(_END) - 1 :]
            yield text, text.count(_END) + 1
        elif len(left) > _LONGEST:
            program.kill()
            yield left, 1
            return
    yield left, 0


def _unfinished(
    compiled: Compiled, found: int, deadline: float | None, status: int, complaints: str
) -> SolverFailed | SolverTimeout:
    """Return the error for a solver that ended before it was done, after so many solutions."""
    if deadline is not None and time.monotonic() >= deadline - 0.05:
        return late(found)
    solver = compiled.solver
    how = f"was killed by signal {-status}" if status < 0 else f"stopped with status {status}"
    crashed = -status in CRASHES or status in solver.backend.crashes
    failure = SolverCrashed if crashed else SolverFailed
    return failure(
        f"{solver.name} ({solver.executable}) {how} before it was done, "
        f"after {found} solutions: {last_words(complaints)}"
    )


def late(found: int) -> SolverTimeout:
    """Return the error for a time limit that passed after so many solutions."""
    return SolverTimeout(f"the time limit passed with {found} solutions found; allow more time", found)


def _statistics(text: bytes) -> dict[str, float]:
    """Return what a solver reports between its solutions: its own names in snake case; times in seconds."""
    found: dict[str, float] = {}
    for name, value in _STATISTIC.findall(text):
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.decode()).lower()
        with suppress(ValueError):  # a few are words
            found["solutions" if snake == "n_solutions" else snake] = (
                int(value) if value.isdigit() else float(value)
            )
    return found


def compiled_for_another(compiled: Compiled, crash: SolverCrashed, timeout: float | None) -> Compiled:
    """Return the model compiled for another solver than the one that crashed.

    Raises:
        SolverCrashed: there is no other solver, or it was asked already.
    """
    other = None if compiled.stands_in else another_solver(compiled.solver)
    if other is None:
        raise crash
    _log.info("%s; %s is asked instead", crash, other.name)
    return replace(compile_model(compiled.task, other, timeout), stands_in=True)


class _Seen:
    """What came so far: all of it; of a listing in order the last, and eight bytes of each that may repeat.

    Rows are compared as bytes, which are in the order of their numbers.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._backend, task = compiled.solver.backend, compiled.task
        self._ordered = self._backend.listing == "ordered" and not task.repeats
        self._branching = task.branching if self._ordered else None
        self._rows = set[bytes]()
        self._last = self._known = b""
        self._prints = array("q")

    def begin_again(self, backend: Backend) -> None:
        """Expect all solutions once more, from another solver; those up to the last one are known."""
        self._backend, self._known, self._last = backend, self._last, b""
        self._prints = array("q")

    def new(self, block: Block) -> Block:
        """Return the solutions of a block that did not come before.

        Raises:
            SolverFailed: one is smaller than the last, and did not come before.
        """
        keys = block if self._branching is None else self._branching(block)
        text, width = keys.astype(_BIG_ENDIAN).tobytes(), 4 * keys.shape[1]
        kept, again = [], []
        for number, row in enumerate(text[start : start + width] for start in range(0, len(text), width)):
            if not self._ordered:
                fresh = row not in self._rows
                self._rows.add(row)
            elif fresh := row > self._last:
                fresh, self._last = row > self._known, row
                if self._backend.repeats:
                    self._prints.append(hash(row))
            else:
                again.append(row)
            if fresh:
                kept.append(number)
        if again and not (self._backend.repeats and self._came(again)):
            raise SolverFailed(
                f"{self._backend.name} promised each solution once and in ascending order, and printed "
                f"{_numbers_of(again[0])} after a larger one; name another solver"
            )
        return block[kept]

    def _came(self, rows: list[bytes]) -> bool:
        """Whether all these rows came before, as far as eight bytes of each tell."""
        return bool(np.isin([hash(row) for row in rows], np.frombuffer(self._prints, np.int64)).all())


def _numbers_of(row: bytes) -> list[int]:
    return np.frombuffer(row, dtype=_BIG_ENDIAN).tolist()  # type: ignore[no-any-return]
