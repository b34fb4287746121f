"""Single questions through the `minizinc` package.

A question is a `TaskInstance` of a model with its data, and its ``solutions``. Each solution is checked
against the pieces. `TaskInstance.error` converts the errors of the package. Custom text and edited models are
compiled first, to check their numbers.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import logging
import os
import signal
import threading
import time
import weakref
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np

from catan_cp.errors import CatanError, InvalidRules, SolverFailed, at_place, offset
from catan_cp.model_files import edited, model_text, models_dir
from catan_cp.processes import last_words, scratch_folder
from catan_cp.solving.compiling import (
    DATA_ENDINGS,
    MODEL_ENDINGS,
    Task,
    TimeLeft,
    compile_model,
    data_for,
    first_complaint,
    model_file,
)
from catan_cp.solving.driver import FLAT, PID, STATUS, minizinc, open_driver
from catan_cp.solving.find import FoundSolver, another_solver
from catan_cp.solving.listing import SolverCrashed, late, minizinc_options, unfinished

_LAST_STATUSES = {
    minizinc.Status.UNSATISFIABLE,
    minizinc.Status.OPTIMAL_SOLUTION,
    minizinc.Status.ALL_SOLUTIONS,
}
"""The statuses after which no other or better solution exists."""
TICK, _GRACE = 0.2, 2.0
"""The maximum seconds of one wait, so that Ctrl-C interrupts it, and from a time limit to the kill."""
_log = logging.getLogger("catan_cp")


def first_answer(
    task: Task, solver: FoundSolver, time_left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None. Arguments and errors are those of `answers`."""
    with closing(answers(task, [solver], time_left, seed=seed, free=free)) as rows:
        return next(rows)


def answers(
    task: Task,
    solvers: Sequence[FoundSolver],
    time_left: TimeLeft,
    *,
    seed: int | None = None,
    free: bool = False,
    stands_in: bool = False,
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or better and better ones if there is an objective, then None.

    None means that no further solution exists. If the solver crashes, another one starts from the beginning.
    Several solvers run at once. Then the first number of a solution is its value, the first proof ends all of
    them, and a solver that fails is ignored while another one runs.

    Args:
        task: the model and its data.
        solvers: the solvers, each of which uses one core.
        time_left: returns the seconds left.
        seed: makes the solver's random choices reproducible.
        free: True if the solver may ignore the search annotation of the model.
        stands_in: True if the solver is used instead of one that crashed.

    Raises:
        SolverTimeout: the time limit passed.
        InvalidRules: custom text or an edited model has an error. The message shows the place.
        SolverFailed: the solver did not start, printed an invalid solution, or stopped without an answer.
    """
    best, failures, n_running = None, list[SolverFailed](), len(solvers)
    with ExitStack() as stack:
        runs, streams = list[Question](), list[AsyncIterator[Any]]()
        for solver in solvers:
            try:
                solver = _able_solver(task, solver, time_left())
            except SolverFailed as error:
                failures.append(error)
                n_running -= 1
                continue
            seconds = time_left()
            runs.append(Question(replace(task, data=data_for(task, solver)), solver))
            stack.callback(runs[-1].close)
            better = not solver.flags.isdisjoint(("-i", "-a"))
            options = {"--disable-warnings": True, **minizinc_options(solver, seconds, seed, free)}
            streams.append(runs[-1].solutions(intermediate_solutions=better, **options))
        results = stack.enter_context(closing(_results(runs, streams, time_left())))
        while n_running:
            run, result = next(results)
            try:
                row = run.row(result)
            except SolverFailed as error:
                failures.append(error)
                n_running -= 1
                continue
            if row is not None and (best is None or len(runs) == 1 or row[0] < best):
                best = row[0]
                yield row
            if result.status in _LAST_STATUSES:
                yield None
                return
    other = None if stands_in else another_solver(solvers[0])
    if other is None or not isinstance(failures[-1], SolverCrashed):
        raise failures[-1]
    _log.info("%s; %s is used instead", failures[-1], other.name)
    yield from answers(task, [other], time_left, seed=seed, free=free, stands_in=True)


def _able_solver(task: Task, solver: FoundSolver, seconds: float | None) -> FoundSolver:
    """Return the solver, or another one if the numbers of custom text are too large for it."""
    if task.own is None and not edited(task.models):
        return solver
    return compile_model(task, solver, seconds).solver


def _results(
    runs: Sequence[Question], streams: Sequence[AsyncIterator[Any]], seconds: float | None
) -> Generator[tuple[Question, Any], None, None]:
    """Yield the results of several runs in the order of arrival, each with its run.

    The result of a run that failed is an exception, and that of a run that ended None.

    Raises:
        SolverTimeout: the time limit passed, and MiniZinc did not stop.
    """
    queue = Queue[tuple["Question", Any]]()
    deadline = None if seconds is None else time.monotonic() + seconds
    for run in runs:
        run.deadline = deadline

    async def follow(run: Question, stream: AsyncIterator[Any]) -> None:
        try:
            async for result in stream:
                queue.put((run, result))
            queue.put((run, None))
        except Exception as error:  # handled in the caller's thread
            queue.put((run, error))

    with event_loop() as loop:
        ends = [
            asyncio.run_coroutine_threadsafe(follow(run, stream), loop)
            for run, stream in zip(runs, streams, strict=True)
        ]
        try:
            while True:
                with suppress(Empty):
                    yield queue.get(timeout=TICK)
                    continue
                if deadline is not None and time.monotonic() > deadline + _GRACE:
                    raise late(sum(run.found for run in runs))
        finally:
            for run in runs:
                run.kill()
            concurrent.futures.wait(ends, _GRACE)  # else asyncio misses the end of a process


class TaskInstance(minizinc.Instance):  # type: ignore[misc]
    """An instance of a task, with a temporary folder for its files and those of MiniZinc.

    MiniZinc ends with this process, also after a kill.

    Attributes:
        task: the model and its data.
        found_solver: the solver.
        values: the values of the parameters.
        texts: the texts that were added.
        added_files: the files that were added.
        found: the number of solutions so far, or None if it is unknown.
        close: removes the folder. A second call has no effect.
    """

    found: int | None = None

    def __init__(self, task: Task, solver: FoundSolver) -> None:
        stack = ExitStack()
        self.close = weakref.finalize(self, _close, stack, os.getpid())
        self.folder, group = stack.enter_context(scratch_folder())
        self.task, self.found_solver, self.values = task, solver, dict(task.data)
        self.texts, self.added_files = list[str](), list[Path]()
        configured, driver = open_driver(solver, models_dir(task.models), self.folder, group)
        super().__init__(configured, None, driver)

    def __setitem__(self, name: str, value: Any) -> None:
        self.values[name] = value

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def add_string(self, code: str) -> None:
        """Add MiniZinc text."""
        self.texts.append(code)
        super().add_string(code)

    def add_file(self, file: Path | str, parse_data: bool = False) -> None:
        """Add a file."""
        path = model_file("file of a model", file, (*MODEL_ENDINGS, *DATA_ENDINGS))
        self.added_files.append(path)
        super().add_file(path, False)

    @contextmanager
    def files(self) -> Iterator[list[Path]]:
        """Yield the files of the instance, and convert the errors of the package."""
        own = [] if self.task.own is None else [self.task.own.text]
        written = {self.folder / f"own{n}.mzn": text for n, text in enumerate(own)}
        written |= {self.folder / f"added{n}.mzn": text for n, text in enumerate(self.texts)}
        written[self.folder / "data.json"] = json.dumps(self.values, cls=minizinc.json.MZNJSONEncoder)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        flat = self.folder / FLAT
        for path in (self.folder / STATUS, flat):
            path.unlink(missing_ok=True)
        try:
            yield [models_dir(self.task.models) / f"{self.task.model}.mzn", *self.added_files, *written]
        except BaseException as error:
            for name in flat.read_text().splitlines() if flat.exists() else ():  # the package leaves them
                Path(name).unlink(missing_ok=True)
            if isinstance(error, (minizinc.MiniZincError, ValueError)):  # the second if the output is no text
                raise self.error(error) from None
            raise
        finally:
            (self.folder / PID).unlink(missing_ok=True)

    def error(self, error: Any) -> CatanError:
        """Return the error of this library for one of the package, with file, line and caret."""
        message, place, status = str(error), getattr(error, "location", None), self.status
        is_killed = status is not None and status < 0  # then a location is one in the solver's source
        if is_killed or place is None or place.file is None:
            return unfinished(self.found_solver, self.found, status, message)
        path, line, column = Path(place.file), place.lines[0], max(1, place.columns[0])
        why = first_complaint(message) if "rror:" in message else message.partition("\n")[0]
        # The solver ended, so MiniZinc reads a solution in which a variable of the model has no value.
        has_no_value = status is not None and why.startswith("cannot evaluate expression")
        if has_no_value or not path.is_file():
            return SolverFailed(f"{self.found_solver.name} printed an invalid solution: {why}")
        if path.parent == self.folder and "own" in path.name and self.task.own is not None:
            return self.task.own.error_at(line, column, why)
        text = model_text(path)
        name = "the added text" if path.parent == self.folder else str(path)
        return InvalidRules(f"{name}, {at_place(text, offset(text, line, column), why)}")

    @property
    def status(self) -> int | None:
        """The exit status of the solver, the negative number of a signal, or None if it is unknown."""
        try:
            status = int((self.folder / STATUS).read_text())
        except (OSError, ValueError):
            return None
        return 128 - status if status > 128 else status

    def kill(self) -> None:
        """Kill MiniZinc, which ends its solver."""
        with suppress(OSError, ValueError):
            os.kill(int((self.folder / PID).read_text()), signal.SIGKILL)


class Question(TaskInstance):
    """An instance of which only the output text is read, so MiniZinc need not analyse its model.

    Attributes:
        deadline: the moment of the time limit, or None.
    """

    method = minizinc.Method.SATISFY
    has_output_item = True
    output_type = dict
    found: int = 0
    deadline: float | None = None

    def row(self, result: Any) -> list[int] | None:
        """Return the numbers of the solution in a result, or None if there is none.

        Raises:
            SolverFailed: the result is an exception, an invalid solution, or the end without an answer.
            SolverTimeout, InvalidRules: likewise.
        """
        if isinstance(result, minizinc.Result):
            if result.solution is None:
                return None
            output = result.solution.get("_output_item", "")
            with suppress(ValueError):
                row, fits = json.loads(output), self.task.fits
                if (
                    isinstance(row, list)
                    and all(type(number) is int for number in row)
                    and (fits is None or fits(np.array([row])))
                ):
                    self.found += 1
                    return row
            raise SolverFailed(f"{self.found_solver.name} printed an invalid solution: {last_words(output)}")
        if self.deadline is not None and time.monotonic() >= self.deadline - 0.05:
            raise late(self.found)
        if isinstance(result, OSError):
            raise SolverFailed(f"MiniZinc does not start: {result}") from result
        raise unfinished(self.found_solver, self.found, self.status, "") if result is None else result


def _close(stack: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # not a fork
        stack.close()


@contextmanager
def event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Yield an event loop that runs in a new thread, because the calling thread may already run one."""
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    def serve() -> None:
        with runner:  # its exit cancels running tasks
            loop.run_forever()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
