"""Every solution exactly once, whatever the solver forgets, and whatever it can do.

* A solver that lists in order meets solutions in ascending order of the variables that the model branches on.
  One that is not above the last is a repetition, if the solver may repeat itself (Chuffed drops clauses, and
  meets again what they kept it from), and else a broken promise, which is an error. A repetition must really
  have come before: eight bytes are kept of each solution of such a solver.
* A solver that lists in any order gives each solution to a set of all that came.
* A solver that gives one solution a run is asked again and again, each time without those that were found.

Where a solver crashes, another one lists what is still missing.

The package `minizinc`, through which everything else is asked, lists 5,254 terrains a second; this lists
31,196, and is there for that alone. A FlatZinc solver that we know is our own child and no grandchild
behind MiniZinc: what it prints goes straight into numpy without an object for every solution. Others run
through MiniZinc, which prints the same: libraries that it loads (HiGHS, CBC), and programs whose options
only it knows.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.processes import Program, last_words
from catan_cp.solving.backends import Backend
from catan_cp.solving.compiling import CRASHES, Branching, Compiled, compile_model, without
from catan_cp.solving.find import another_solver

Block = NDArray[np.int32]

Left = Callable[[], float | None]
"""Returns the seconds that are left, None where there is no limit."""

_LONGEST = 1 << 20
"""More bytes than any solution has."""
_END = b"\n----------\n"
_DONE = re.compile(rb"(?m)^(==========|=====UNSATISFIABLE=====|=====UNSATorUNBOUNDED=====)$")
_COMMENT = re.compile(rb"(?m)^%.*$")
_ARRAY = re.compile(rb"\[([-0-9, ]*)\]")
_STATISTIC = re.compile(rb"(?m)^%%%mzn-stat: (\w+)=(\S+)")
_SPREADING = np.uint64(0x9E3779B97F4A7C15)

_log = logging.getLogger("catan_cp")


class SolverCrashed(SolverFailed):
    """The solver ended as only a program with a mistake does: another solver may decide."""


class Source:
    """Blocks of solutions, and what is known of them at their end.

    Attributes:
        found: how many solutions came so far.
        complete: True once it is proved that there are no more.
        statistics: what a solver reported at its end.
    """

    def __init__(self) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of new solutions."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop what runs; harmless when done already."""
        raise NotImplementedError


class Listing(Source):
    """All solutions of a compiled model, or the first *limit*, as blocks; each comes once.

    Args:
        compiled: the model.
        limit: stop after so many.
        left: the time limit.
    """

    def __init__(self, compiled: Compiled, limit: int | None, left: Left) -> None:
        super().__init__()
        self._compiled, self._limit, self._left = compiled, limit, left
        backend, task = compiled.solver.backend, compiled.task
        ordered = backend.listing == "ordered" and not task.repeats
        self._seen = _Ordered(backend, task.branching) if ordered else _Remembered()
        self._run = self._start(limit)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of new solutions.

        Raises:
            SolverTimeout: the time limit passed.
            SolverFailed: the solver crashed, printed what is no solution, stopped without saying that it was
                done, or broke its promise of an order.
        """
        asked = self._limit
        while True:
            try:
                for block in self._run.blocks():
                    new = self._seen.new(block)[: None if self._limit is None else self._limit - self.found]
                    self.found += len(new)
                    if len(new):
                        yield new
                    if asked != self._limit and self.found == self._limit:
                        break
            except SolverTimeout as timeout:
                timeout.found = self.found
                raise
            except SolverCrashed as crash:
                self._compiled = compiled_for_another(self._compiled, crash, self._left())
                self._seen.begin_again(self._compiled.solver.backend)
                self._run, asked = self._start(None), None
                continue
            self.complete = self._run.complete
            self._run.close()
            self.statistics |= self._run.statistics | {"solutions": self.found}
            if self.complete or self.found == self._limit:
                return
            if isinstance(self._seen, _Remembered) and self._compiled.solver.backend.listing == "one":
                self._compiled = without(self._compiled, self._seen.rows())
            else:  # the limit was spent on repetitions: once more, and further
                assert asked is not None
                asked *= 2
            self._run = self._start(asked)

    def close(self) -> None:
        """Stop the solver; harmless when done already."""
        self._run.close()

    def _start(self, limit: int | None) -> _Run:
        one = self._compiled.solver.backend.listing == "one"
        return _Run(self._compiled, 1 if one else limit, self._left())


class _Run(Source):
    """One run of a solver: blocks of solutions, each an int32 array (solutions, width).

    The names of its statistics are those of `statistics_name`.

    Raises:
        SolverFailed: the solver does not start.
    """

    def __init__(self, compiled: Compiled, limit: int | None, seconds: float | None) -> None:
        super().__init__()
        self._compiled, self._limit = compiled, limit
        self._deadline = None if seconds is None else time.monotonic() + seconds
        with ExitStack() as opened:
            model = opened.enter_context(compiled.written(whole=False))
            command = [str(compiled.solver.executable), *_options(compiled, limit, seconds), str(model)]
            left = None if self._deadline is None else self._deadline - time.monotonic()
            try:
                self._program = Program(command, seconds=left)
            except OSError as problem:
                raise SolverFailed(f"{compiled.solver.executable} does not start: {problem}") from problem
            opened.callback(self._program.end)
            self._end = weakref.finalize(self, opened.pop_all().close)

    def close(self) -> None:
        """Stop the solver and remove what it needed."""
        self._end()

    def blocks(self) -> Iterator[Block]:
        """Yield the solutions in blocks as the solver prints them."""
        fits = self._compiled.task.fits
        try:
            for text, count in printed(self._program):
                if b"%" in text:
                    self._keep_statistics(text)
                    text = _COMMENT.sub(b"", text)
                if count:
                    block = self._numbers(text, count)
                    if fits is not None and not fits(block):
                        raise no_solution(self._compiled, text)
                    self.found += count
                    yield block.astype(np.int32)
            if self._program.closed:
                return
            self.complete = _DONE.search(text) is not None
            status, complaints = self._program.wait(), self._program.complaints
        finally:
            self.close()
        if not self.complete and (self._limit is None or self.found < self._limit):
            raise unfinished(self._compiled, self.found, self._deadline, status, complaints)

    def _numbers(self, text: bytes, count: int) -> NDArray[np.int64]:
        if self._compiled.fixed:
            return np.tile(np.array(self._compiled.fixed, dtype=np.int64), (count, 1))
        rows = _ARRAY.findall(text)
        numbers = b",".join(rows).replace(b" ", b"")
        n_numbers = numbers.count(b",") + 1
        if len(rows) != count or n_numbers != count * self._compiled.width or b",," in b",%b," % numbers:
            raise no_solution(self._compiled, text)
        return np.fromstring(numbers, dtype=np.int64, sep=",").reshape(count, -1)

    def _keep_statistics(self, text: bytes) -> None:
        for name, value in _STATISTIC.findall(text):
            with contextlib.suppress(ValueError):  # a few are words
                number = int(value) if value.isdigit() else float(value)
                self.statistics[statistics_name(name.decode())] = number


def printed(program: Program) -> Iterator[tuple[bytes, int]]:
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


def read_rows(program: Program) -> Iterator[list[int] | str | None]:
    """Yield a solver's solutions one by one, text where it is none, None where it says that it is done."""
    for text, count in printed(program):
        if count:
            yield from map(_row, text.split(_END))
        elif _DONE.search(text):
            yield None


def _row(text: bytes) -> list[int] | str:
    try:
        (row,) = _ARRAY.findall(_COMMENT.sub(b"", text))
        return [int(number) for number in row.split(b",")]
    except ValueError:
        return last_words(text.decode(errors="replace"))


def no_solution(compiled: Compiled, text: bytes | str) -> SolverFailed:
    """Return the error for a solver that printed what is no solution."""
    said = last_words(text if isinstance(text, str) else text.decode(errors="replace"))
    return SolverFailed(f"{compiled.solver.name} printed what is no solution: {said}")


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
        return ["-s", *wanted, own.seed, "1", *limits]
    options = [*compiled.solver.choice, "-s"]
    if backend.listing != "one" and wanted[0] in flags:
        options += wanted
    return options + (["--time-limit", milliseconds] if milliseconds is not None else [])


def statistics_name(name: str) -> str:
    """Return our name for a statistic: the solver's own in snake case; times are in seconds."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return "solutions" if snake == "n_solutions" else snake


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


class _Ordered:
    """What an ordered listing needs to know of the past: the last solution, and prints of all of them."""

    def __init__(self, backend: Backend, branching: Branching | None) -> None:
        self._branching = branching
        self._last: list[int] | None = None
        self.begin_again(backend)

    def begin_again(self, backend: Backend) -> None:
        """Expect all solutions once more, from another solver; those up to the last one are known."""
        self._backend = backend
        self._known = self._last
        self._last = None
        self._prints: list[NDArray[np.uint64]] = []

    def new(self, block: Block) -> Block:
        """Return the solutions of a block that did not come before.

        Raises:
            SolverFailed: one is smaller than the last, and did not come before.
        """
        if not len(block):
            return block
        keys = block if self._branching is None else self._branching(block)
        kept = self._rising(keys)
        if self._backend.repeats:
            self._prints.append(_prints_of(keys[kept]))
        if len(kept) < len(keys):
            self._check(np.delete(keys, kept, axis=0))
        if self._known is not None:
            kept = np.array([n for n in kept if keys[n].tolist() > self._known], dtype=np.intp)
        return block if len(kept) == len(block) else block[kept]

    def _rising(self, keys: Block) -> NDArray[np.intp]:
        """Return the numbers of the rows that are above all before them."""
        before = keys[:1] if self._last is None else np.array([self._last], dtype=keys.dtype)
        steps = np.diff(keys, axis=0, prepend=before)
        rises = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)] > 0
        if self._last is None:
            rises[0] = True
        if rises.all():
            self._last = keys[-1].tolist()
            return np.arange(len(keys))
        kept = []
        for number, row in enumerate(keys.tolist()):
            if self._last is None or row > self._last:
                kept.append(number)
                self._last = row
        return np.array(kept, dtype=np.intp)

    def _check(self, keys: Block) -> None:
        """Refuse solutions out of order that are no repetitions."""
        if self._backend.repeats:
            self._prints = [np.sort(np.concatenate(self._prints))]
            known, wanted = self._prints[0], _prints_of(keys)
            places = np.searchsorted(known, wanted)
            if (known[np.minimum(places, len(known) - 1)] == wanted).all():
                return
        raise SolverFailed(
            f"{self._backend.name} promised each solution once and in ascending order, and printed "
            f"{keys[0].tolist()} after a larger one; name another solver"
        )


class _Remembered:
    """All solutions that came, for a solver whose order nobody knows."""

    def __init__(self) -> None:
        self._rows: dict[bytes, None] = {}

    def begin_again(self, backend: Backend) -> None:
        """Expect all solutions once more: nothing is different."""

    def new(self, block: Block) -> Block:
        """Return the solutions of a block that did not come before."""
        kept = []
        for number, row in enumerate(block):
            key = row.tobytes()
            if key not in self._rows:
                self._rows[key] = None
                kept.append(number)
        return block[kept]

    def rows(self) -> list[list[int]]:
        """Return all solutions that came."""
        return [np.frombuffer(key, dtype=np.int32).tolist() for key in self._rows]


def _prints_of(keys: Block) -> NDArray[np.uint64]:
    """Return 64 bits for each row: a polynomial of its numbers, by Horner's rule modulo 2**64."""
    prints = np.zeros(len(keys), dtype=np.uint64)
    for column in keys.T.astype(np.uint64):
        prints = (prints ^ column) * _SPREADING
        prints ^= prints >> np.uint64(29)
    return prints
