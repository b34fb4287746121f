"""Lists every solution of a compiled model exactly once.

There are three cases, by the declaration of the solver (`catan_cp.solving.find.Backend`):

* In order, without repetitions: solutions ascend in the variables that the model branches on. Any other
  order is an error.
* In order, with repetitions (Chuffed drops clauses, and then finds their solutions again): a solution that is
  not above the last one is taken as a repetition. A hash of eight bytes per solution is stored, to check that
  the solution has really appeared before.
* In any order: the set of all solutions is stored.

If a solver crashes, another one lists the missing solutions.

Single questions go through the package `minizinc`. This module is for many solutions, and for many questions
to one compiled model. A long list takes a third of the processor time of the package. A known
FlatZinc solver runs as a child process, and its output is read into numpy without an object per solution.
MiniZinc runs the other solvers: libraries that it loads (HiGHS, CBC), and programs with options that only
MiniZinc knows. Their output has the same form.
"""

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

from catan_cp.errors import SolverFailed, SolverTimeout, amount
from catan_cp.processes import Program, last_words
from catan_cp.solving.compiling import CRASHES, Compiled, TimeLeft, compile_model, with_first
from catan_cp.solving.find import Backend, FoundSolver, another_solver

SolutionBlock = NDArray[np.int32]

_LONGEST = 1 << 20
"""A number of bytes above the size of any solution."""
_END = b"\n----------\n"
_END_LINE = re.compile(rb"(?m)^(==========|=====UNSATISFIABLE=====|=====UNSATorUNBOUNDED=====)$")
_SOLVER_COMMENT = re.compile(rb"(?m)^%.*$")
_SOLUTION_ARRAY = re.compile(rb"\[([-0-9, ]*)\]")
_STATISTIC = re.compile(rb"(?m)^%%%mzn-stat: (\w+)=(\S+)")
_BIG_ENDIAN = np.dtype(">u4")
"""Numbers whose bytes have the same order as the numbers."""

_log = logging.getLogger("catan_cp")


class SolverCrashed(SolverFailed):
    """The solver crashed, and another solver may answer."""


@dataclass
class StreamState:
    """The state of a stream of solutions.

    Attributes:
        found: the number of solutions so far.
        complete: True once it is proved that there are no more.
        statistics: the statistics that the solver reported at its end.
        stopped: set if no more solutions are wanted.
        program: the latest process of a solver.
    """

    found: int = 0
    complete: bool = False
    statistics: dict[str, float] = field(default_factory=dict)
    stopped: Event = field(default_factory=Event)
    program: Program | None = None

    def stop(self) -> None:
        """End the stream, from any thread, even while another one waits for a solution."""
        self.stopped.set()
        if self.program is not None:
            self.program.kill()


Source = Callable[[StreamState], Iterator[SolutionBlock]]
"""Yields blocks of solutions, int32 arrays (solutions, width), and updates the state."""


def distinct_blocks(
    compiled: Compiled, limit: int | None, time_left: TimeLeft, state: StreamState
) -> Iterator[SolutionBlock]:
    """Yield all solutions of a compiled model, or the first *limit*, each once, in blocks.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: the solver did not start, crashed, printed an invalid solution, stopped early, or listed
            solutions in the wrong order.
    """
    history, requested = _History(compiled), limit
    while True:
        try:
            for block in blocks(compiled, requested, time_left(), state):
                new = history.new(block.astype(np.int32))[: None if limit is None else limit - state.found]
                state.found += len(new)
                if len(new):
                    yield new
                if requested != limit and state.found == limit:
                    break
        except SolverTimeout as timeout:
            timeout.found = state.found
            raise
        except SolverCrashed as crash:
            compiled = compiled_for_another(compiled, crash, time_left())
            history.restart(compiled.solver.backend)
            requested = None
            continue
        if state.stopped.is_set():
            return
        if state.complete or state.found == limit:
            state.statistics["solutions"] = state.found
            return
        assert requested is not None  # some solutions were repetitions, so request more
        requested *= 2


def first(
    compiled: Compiled, time_left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None. Arguments and errors are those of `rows`."""
    return next(rows(compiled, time_left, seed=seed, free=free))


def rows(
    compiled: Compiled, time_left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or improving ones of an objective, and then None.

    None means that no further solution exists. If the solver crashes, another one starts from the beginning.

    Args:
        compiled: the compiled model.
        time_left: returns the seconds left.
        seed: makes the solver's random choices reproducible. With a seed the solver restarts after the Luby
            sequence. This shortens the longest runs of a random search, which stays complete (Gomes, Selman
            and Kautz 1998, Luby, Sinclair and Zuckerman 1993).
        free: let the solver ignore the search that the model states.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: the solver did not start, printed an invalid solution, or stopped without an answer.
    """
    try:
        limit = None if compiled.flatzinc.optimises else 1
        for block in blocks(compiled, limit, time_left(), StreamState(), seed, free):
            yield from block.tolist()
        yield None
    except SolverCrashed as crash:
        other = with_first(compiled_for_another(compiled, crash, time_left()), compiled.prefix)
        yield from [None] if other is None else rows(other, time_left, seed=seed, free=free)


def blocks(
    compiled: Compiled,
    limit: int | None,
    seconds: float | None,
    state: StreamState,
    seed: int | None = None,
    free: bool = False,
) -> Iterator[NDArray[np.int64]]:
    """Yield the blocks of solutions of one run of a solver, which may repeat solutions.

    *state* describes the stream, which may have several runs. The local `StreamState` describes this run.
    """
    deadline, run = None if seconds is None else time.monotonic() + seconds, StreamState()
    with compiled.written() as model:
        state.program = program = _started(compiled, model, limit, seconds, seed, free)
        try:
            if state.stopped.is_set():  # before the program existed
                return
            yield from _read(compiled, program, run)
            state.complete = run.complete
            status, complaints = program.wait(), program.complaints
        finally:
            program.end()
    if state.stopped.is_set():
        return
    if not run.complete and (limit is None or run.found < limit):
        if deadline is not None and time.monotonic() >= deadline - 0.05:
            raise late(run.found)
        raise unfinished(compiled.solver, run.found, status, complaints)
    state.statistics |= run.statistics


def _started(
    compiled: Compiled, model: Path, limit: int | None, seconds: float | None, seed: int | None, free: bool
) -> Program:
    """Start a solver on a compiled model in a file.

    Options that the solver does not have are omitted.

    Args:
        compiled: the compiled model.
        model: the file.
        limit: the maximum number of solutions, or None.
        seconds: the time limit, or None.
        seed: the random seed of a search with restarts, or None.
        free: let the solver ignore the search that the model states.

    Raises:
        SolverFailed: the solver does not start.
    """
    solver, command_line = compiled.solver, compiled.solver.backend.program
    amount = ["-a"] if limit is None else ["-n", str(limit)]
    if command_line is not None and not solver.through_minizinc:
        options = ["-s", *amount, command_line.seed, "1" if seed is None else _solver_seed(seed)]
        options += [] if seed is None else command_line.restarts
        options += [] if seconds is None else [command_line.milliseconds, _milliseconds(seconds)]
        options += ["-f"] if free else []
    else:
        options = [*solver.choice, "-s"]
        if compiled.flatzinc.optimises:
            options += [] if solver.flags.isdisjoint(("-a", "-i")) else ["-i"]
        elif solver.backend.listing != "none":
            if limit not in (None, 1) and "-n" not in solver.flags:
                amount = ["-a"]  # and the run is ended after the last one
            options += amount if amount[0] in solver.flags else []
        for name, value in minizinc_options(solver, seconds, seed, free).items():
            options += [name] if value is True else [name, str(value)]
    program = solver.minizinc.command() if solver.through_minizinc else [str(solver.executable)]
    command = [*program, *options, str(model)]
    memory = solver.minizinc.memory if solver.through_minizinc else None
    try:
        # MiniZinc's temporary files are removed with this folder.
        return Program(command, seconds=seconds, memory=memory, env={"TMPDIR": str(model.parent)})
    except OSError as problem:
        raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem


def minizinc_options(
    solver: FoundSolver, seconds: float | None, seed: int | None, free: bool
) -> dict[str, str | bool]:
    """Return MiniZinc's options for a run, without those that the solver does not have.

    Arguments are those of `_started`. The value of an option without a value is True.
    """
    options: dict[str, str | bool] = {}
    if seed is not None:
        restarts = () if solver.backend.program is None else solver.backend.program.restarts
        if solver.flags.issuperset(restarts[:1]):
            options |= zip(restarts[::2], restarts[1::2], strict=True)
        options |= {"-r": _solver_seed(seed)} if "-r" in solver.flags else {}
    options |= {"-f": True} if free and "-f" in solver.flags else {}
    return options if seconds is None else {**options, "--time-limit": _milliseconds(seconds)}


def _solver_seed(seed: int) -> str:
    return str(seed % (1 << 30) + 1)


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(1000 * seconds)))


def _read(compiled: Compiled, program: Program, state: StreamState) -> Iterator[NDArray[np.int64]]:
    """Yield the solutions that a solver prints, in blocks, and update the state.

    Raises:
        SolverFailed: it printed an invalid solution.
    """
    fits = compiled.task.fits
    for text, count in _printed(program):
        if b"%" in text:
            state.statistics |= _statistics(text)
            text = _SOLVER_COMMENT.sub(b"", text)
        if count:
            block = _solution_table(compiled, text, count)
            if fits is not None and not fits(block):
                raise _invalid_output(compiled, text)
            state.found += count
            yield block
        else:
            state.complete = _END_LINE.search(text) is not None


def _solution_table(compiled: Compiled, text: bytes, count: int) -> NDArray[np.int64]:
    """Return the solutions of a text, one per row."""
    rows = _SOLUTION_ARRAY.findall(text)
    numbers = b",".join(rows).replace(b" ", b"")
    n_numbers, width = numbers.count(b",") + 1, len(compiled.printed.elements)
    if len(rows) != count or n_numbers != count * width or b",," in b",%b," % numbers:
        raise _invalid_output(compiled, text)
    return np.fromstring(numbers, dtype=np.int64, sep=",").reshape(count, -1)


def _invalid_output(compiled: Compiled, text: bytes) -> SolverFailed:
    excerpt = last_words(text.decode(errors="replace"))
    return SolverFailed(f"{compiled.solver.name} printed an invalid solution: {excerpt}")


def _printed(program: Program) -> Iterator[tuple[bytes, int]]:
    """Yield the output of a solver in parts, each with the number of solutions in it.

    The last part is the output after the last solution, with the number 0.
    """
    rest = b"\n"
    while chunk := program.read():
        rest += chunk.replace(b"\r", b"")
        cut = rest.rfind(_END)
        if cut >= 0:
            text, rest = rest[:cut], rest[cut + len(_END) - 1 :]
            yield text, text.count(_END) + 1
        elif len(rest) > _LONGEST:
            program.kill()
            yield rest, 1
            return
    yield rest, 0


def unfinished(
    solver: FoundSolver, n_solutions: int | None, status: int | None, complaints: str
) -> SolverFailed:
    """Return the error for a solver that stopped early.

    Args:
        solver: the solver.
        n_solutions: the number of solutions so far, or None if it is unknown.
        status: its exit status, the negative number of a signal, or None if MiniZinc stopped without it.
        complaints: its error messages.
    """
    how = "stopped" if status is None else f"stopped with status {status}"
    how = f"was killed by signal {-status}" if status is not None and status < 0 else how
    crashed = status is None or -status in CRASHES or status in solver.backend.crashes
    after = "" if n_solutions is None else f", after {amount(n_solutions, 'solution')}"
    failure = SolverCrashed if crashed else SolverFailed
    program = f"{solver.name} ({solver.executable})"
    return failure(f"{program} {how} before it was done{after}: {last_words(complaints)}")


def late(n_solutions: int) -> SolverTimeout:
    """Return the error for a time limit that passed."""
    text = f"the time limit passed with {amount(n_solutions, 'solution')} found; allow more time"
    return SolverTimeout(text, n_solutions)


def _statistics(text: bytes) -> dict[str, float]:
    """Return the statistics in a solver's output, in snake case and seconds."""
    statistics: dict[str, float] = {}
    for name, value in _STATISTIC.findall(text):
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.decode()).lower()
        with suppress(ValueError):  # some values are words
            statistics["solutions" if snake == "n_solutions" else snake] = (
                int(value) if value.isdigit() else float(value)
            )
    return statistics


def compiled_for_another(compiled: Compiled, crash: SolverCrashed, timeout: float | None) -> Compiled:
    """Return the model compiled for another solver than the one that crashed.

    Raises:
        SolverCrashed: there is no other solver, or it has crashed too.
    """
    other = None if compiled.stands_in else another_solver(compiled.solver)
    if other is None:
        raise crash
    _log.info("%s; %s is used instead", crash, other.name)
    return replace(compile_model(compiled.task, other, timeout), stands_in=True)


class _History:
    """The solutions of a stream so far.

    A listing in order needs only the last one, and eight bytes of each if the solver may repeat solutions.
    Rows are compared as bytes, whose order is that of the numbers.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._backend, task = compiled.solver.backend, compiled.task
        self._ordered = self._backend.listing == "ordered" and not task.repeats
        self._branching = task.branching if self._ordered else None
        self._rows = set[bytes]()
        self._last = self._resume_after = b""
        self._hashes = array("q")

    def restart(self, backend: Backend) -> None:
        """Expect all solutions again from another solver, and skip those up to the last one."""
        self._backend, self._resume_after, self._last = backend, self._last, b""
        self._hashes = array("q")

    def new(self, block: SolutionBlock) -> SolutionBlock:
        """Return the new solutions of a block.

        Raises:
            SolverFailed: a new solution is smaller than the last one.
        """
        keys = block if self._branching is None else self._branching(block)
        text, width = keys.astype(_BIG_ENDIAN).tobytes(), 4 * keys.shape[1]
        new_rows, repeated = [], []
        for number, row in enumerate(text[start : start + width] for start in range(0, len(text), width)):
            if not self._ordered:
                fresh = row not in self._rows
                self._rows.add(row)
            elif fresh := row > self._last:
                fresh, self._last = row > self._resume_after, row
                if self._backend.repeats:
                    self._hashes.append(hash(row))
            else:
                repeated.append(row)
            if fresh:
                new_rows.append(number)
        if repeated and not (self._backend.repeats and self._has_listed(repeated)):
            raise SolverFailed(
                f"{self._backend.name} promised each solution once and in ascending order, and printed "
                f"{_numbers_of(repeated[0])} after a larger one; name another solver"
            )
        return block[new_rows]

    def _has_listed(self, rows: list[bytes]) -> bool:
        """Return True if all these rows were listed before, by hashes of eight bytes."""
        return bool(np.isin([hash(row) for row in rows], np.frombuffer(self._hashes, np.int64)).all())


def _numbers_of(row: bytes) -> list[int]:
    return np.frombuffer(row, dtype=_BIG_ENDIAN).tolist()  # type: ignore[no-any-return]
