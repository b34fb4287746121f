"""Single questions through the `minizinc` package, whose processes and files end with ours.

A question is one run of `minizinc.Instance.solutions` on a model and its data. A solution is checked against
the pieces. If the run fails, the question goes to the compiled model (`listing.rows`), which finds the cause
or asks another solver. So crashes, invalid output and mistakes in a user's text give the same errors on both
ways. A user's text that the compiler never finishes is stopped here.

Only this module uses private names of the package. `pyproject.toml` allows its versions 0.9 and 0.10:

* `Driver._run` and `Driver._create_process` start all programs. Ours end with us and have a memory limit.
* `Driver.find`, which the package calls during its import, `Driver._executable` and `Driver._version`.
* `Solver._identifier`, which pins a configuration to its file.
* `Instance._method_cache` and `_has_output_item_cache`, which save the run that analyses a model.
* `Instance._code_fragments` and `_parent`, to know the declared names, `_data` and `_driver`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields, replace
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp.errors import InvalidArgument, did_you_mean, show
from catan_cp.model_files import models_dir
from catan_cp.processes import Group, Program, run, scratch_folder
from catan_cp.solving.compiling import MEMORY, OWN_SECONDS, Task, TimeLeft, compile_model, data_for
from catan_cp.solving.find import FoundSolver, find_minizinc
from catan_cp.solving.listing import late, rows


def _load_package() -> None:
    """Import the package without its search for MiniZinc, which starts the first one on PATH or fails on it.

    Its default driver becomes the MiniZinc of this library, found when the driver is first used.
    """
    spec = find_spec("minizinc")
    if "minizinc" in sys.modules or spec is None or spec.loader is None:
        return
    package = sys.modules["minizinc"] = module_from_spec(spec)
    base = import_module("minizinc.driver").Driver

    class Default(base):  # type: ignore[misc, valid-type]
        _executable = property(lambda _: find_minizinc().executable)

        def __init__(self) -> None:
            pass

    search = vars(base)["find"]
    base.find = Default
    try:
        spec.loader.exec_module(package)
    finally:
        base.find = search


_load_package()
import minizinc  # type: ignore[import-untyped]  # noqa: E402
from minizinc.error import parse_error  # type: ignore[import-untyped]  # noqa: E402
from minizinc.json import decode_json_stream  # type: ignore[import-untyped]  # noqa: E402

_DONE = {minizinc.Status.UNSATISFIABLE, minizinc.Status.OPTIMAL_SOLUTION, minizinc.Status.ALL_SOLUTIONS}
"""The statuses that say that no other or better solution exists."""
_FAILED = (minizinc.MiniZincError, OSError, ValueError)
"""What is raised if MiniZinc fails, does not start, or prints no solution."""
_LINE = 1 << 20
_WRITTEN = ("mzn_data", "mzn_fragment")
"""How the names of the files that the package writes begin."""
_NAME = re.compile(r"\w+")
_TICK = 0.2
"""Seconds between two looks at a wait: a wait without end does not notice Ctrl-C on Windows."""
_GRACE = 2.0


def first_answer(
    task: Task, solver: FoundSolver, left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None if there is none; arguments and errors are those of `answers`."""
    return next(answers(task, solver, left, seed=seed, free=free))


def answers(
    task: Task, solver: FoundSolver, left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or better and better ones if the model optimizes; None once no more is possible.

    A failed run is repeated on the compiled model, from the beginning.

    Args:
        task: the model and its data.
        solver: the solver.
        left: returns the seconds left.
        seed: makes the solver's random choices reproducible.
        free: let the solver ignore the search that the model states.

    Raises:
        SolverTimeout: the time limit passed.
        InvalidRules: the user's text, or an edited model, has a mistake; the message shows where.
        SolverFailed: the solver does not start, printed what is no solution, or stopped without an answer.
    """
    seconds, found, own = left(), 0, solver.backend.program
    deadline = None if seconds is None else time.monotonic() + seconds
    folder, flags = models_dir(task.models), solver.flags
    driver = Driver(solver, folder, seconds, None if task.own is None else OWN_SECONDS)
    options: dict[str, Any] = {"--disable-warnings": True, "free_search": free and "-f" in flags}
    if seconds is not None:
        options["--time-limit"] = max(1, round(1000 * seconds))
    if seed is not None:
        restarts = own.restarts if own is not None and flags.issuperset(own.restarts[:1]) else ()
        options |= dict(zip(restarts[::2], restarts[1::2], strict=True))
        options |= {"random_seed": seed % (1 << 30) + 1} if "-r" in flags else {}
    model = _model(replace(task, data=data_for(task, solver)))
    model.output_type = dict
    instance = ModelInstance(configuration(solver), model, driver)
    # Neither the method nor the variables of the model matter here, so MiniZinc need not analyse it.
    instance._method_cache, instance._has_output_item_cache = minizinc.Method.SATISFY, True
    results = instance.solutions(intermediate_solutions=not flags.isdisjoint(("-i", "-a")), **options)

    async def following() -> Any:
        return await anext(results, None)

    with suppress(*_FAILED), _event_loop() as finish:
        try:
            while (result := finish(following())) is not None:
                if result.solution is not None:
                    row = _row(task, result.solution)
                    found += 1
                    yield row
                if result.status in _DONE:
                    yield None
                    return
        finally:
            if driver.latest is not None:
                driver.latest.end()
    if deadline is not None and time.monotonic() >= deadline - 0.05:
        raise late(found)
    if task.own is not None and driver.latest is not None and driver.latest.is_silent:
        raise task.own.error(f"were not compiled within {OWN_SECONDS:g} s")
    yield from rows(compile_model(task, solver, left()), left, seed=seed, free=free)


def _row(task: Task, solution: dict[str, Any]) -> list[int]:
    """Return the numbers of a solution, which the model's output item prints.

    Raises:
        ValueError: it is no solution.
    """
    row = json.loads(solution["_output_item"])
    if not isinstance(row, list) or any(type(number) is not int for number in row):
        raise ValueError
    if task.fits is not None and not task.fits(np.array([row])):
        raise ValueError
    return row


class Driver(minizinc.Driver):  # type: ignore[misc]
    """Starts MiniZinc with one solver; each process ends with us and has a memory limit.

    Args:
        found: the solver.
        folder: the folder where included models are.
        seconds: the time limit of a process.
        patience: the seconds that the compiler may take for a user's text.

    Attributes:
        latest: the latest process.
    """

    def __init__(
        self,
        found: FoundSolver,
        folder: Path | None = None,
        seconds: float | None = None,
        patience: float | None = None,
    ) -> None:
        self._version, self._found, self._folder = found.minizinc.version, found, folder
        self._limits = seconds, patience
        self._memory = None if found.minizinc.portable else MEMORY
        self.latest: _Running | None = None
        super().__init__(found.minizinc.executable)

    def _run(self, args: list[Any], solver: Any = None) -> subprocess.CompletedProcess[bytes]:
        # The package reads statistics of the compiler as text, and leaves its files behind when that fails.
        compiles = "--compile" in args
        made = [Path(args[args.index(name) + 1]) for name in ("--fzn", "--ozn") if compiles]
        group = Group(*made)
        try:
            with nullcontext() if solver is None else solver.configuration() as chosen:
                command = self._command(args, chosen, [] if compiles else ["--json-stream"])
                done = run(command, timeout=OWN_SECONDS, memory=self._memory, group=group)
            if done.returncode != 0:
                for _ in decode_json_stream(b"" if compiles else done.stdout.encode()):
                    pass  # which raises the error that it finds there
                raise parse_error(done.stderr.encode())
        except BaseException:
            for path in made:
                path.unlink(missing_ok=True)
            raise
        finally:
            group.end()
        return subprocess.CompletedProcess(done.args, 0, done.stdout.encode(), done.stderr.encode())

    async def _create_process(self, args: list[Any], solver: str | None = None) -> _Running:
        seconds, patience = self._limits
        own = {"TMPDIR": str(Path(args[-1]).parent)}  # MiniZinc's own files are to end with ours
        command = self._command(args, solver, ["--json-stream"])
        self.latest = _Running(Program(command, seconds=seconds, memory=self._memory, env=own), patience)
        return self.latest

    def _command(self, args: Sequence[Any], chosen: str | None, more: list[str]) -> list[str]:
        choice = [] if chosen is None else ["--solver", chosen, *self._found.backend.plugin()]
        place = [] if self._folder is None else ["-I", str(self._folder)]
        rest = ["--allow-multiple-assignments", *place, *map(str, args), *more]
        return [str(self._executable), *choice, *rest]


class _Running:
    """What the package asks of a process: its output and complaints as streams, its status, its end.

    A thread reads the output, so no event loop need be able to start or watch processes. Only the last
    complaints are passed on, because the package keeps all that it gets. Dropping this ends the program.

    Attributes:
        is_silent: whether it was ended because nothing was printed for *patience* seconds.
    """

    def __init__(self, program: Program, patience: float | None) -> None:
        loop = asyncio.get_running_loop()
        self.pid, self.program, self.is_silent = program.process.pid, program, False
        self.stdout = printed = asyncio.StreamReader(_LINE)
        self.stderr = complaints = asyncio.StreamReader(_LINE)
        self._status = status = loop.create_future()
        self.terminate = weakref.finalize(self, program.kill)

        def tell(what: Callable[..., object], *values: object) -> None:
            with suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(what, *values)

        def hand_on() -> None:  # without self, or nobody could drop it
            for text in iter(program.read, b""):
                if timer is not None:
                    timer.cancel()
                tell(printed.feed_data, text)
            ended = program.wait()
            tell(complaints.feed_data, program.complaints.encode())
            tell(complaints.feed_eof)
            tell(printed.feed_eof)
            tell(status.set_result, ended)
            program.end()
            if timer is not None:
                timer.cancel()

        timer = None
        if patience is not None:
            timer = threading.Timer(patience, self._give_up)
            timer.daemon = True
            timer.start()
        self._thread = threading.Thread(target=hand_on, daemon=True)
        self._thread.start()

    def _give_up(self) -> None:
        self.is_silent = True
        self.terminate()

    async def wait(self) -> int:
        """Return the status at the end."""
        return await asyncio.shield(self._status)

    def end(self) -> None:
        """End the program."""
        self.terminate()
        self._thread.join(_GRACE)
        self.program.end()


def configuration(found: FoundSolver) -> Any:
    """Return a solver's configuration for `minizinc.Instance`, pinned to this one file."""
    known = {each.name for each in fields(minizinc.Solver)}
    values = {key: value for key, value in found.entry.items() if key in known}
    if not found.through_minizinc:
        values["executable"] = str(found.executable)
    values["mznlib"] = found.entry.get("extraInfo", {}).get("mznlib", values.get("mznlib", ""))
    solver = minizinc.Solver(**values)
    solver._identifier = found.choice[1]
    return solver


class ModelInstance(minizinc.Instance):  # type: ignore[misc]
    """An instance of a model that rejects undeclared parameters and whose files are removed if we are killed.

    Attributes:
        layout: the layout whose data it has.
    """

    layout: Any = None
    _names: frozenset[str] = frozenset()

    def __setitem__(self, name: str, value: Any) -> None:
        """Give a parameter another value.

        Raises:
            InvalidArgument: neither the models nor an added text declares it.
        """
        names: set[str] = set(self._names)
        instance: Any = self
        while instance is not None:
            names.update(*map(_NAME.findall, instance._code_fragments))
            instance = instance._parent
        if name in names:
            self._data.pop(name, None)  # the package itself accepts only one value
            super().__setitem__(name, value)
            return
        near = did_you_mean(name, sorted(self._names)).strip()
        raise InvalidArgument(
            f"parameter must be a name that the model declares, not {show(name)}; {near}".rstrip("; ")
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.layout.name!r} for {self._solver.name}>"

    def solve(self, *args: Any, **options: Any) -> Any:
        """Solve as `minizinc.Instance.solve` does, also if an event loop runs already, as in notebooks."""
        with _event_loop() as finish:
            return finish(super().solve_async(*args, **options))

    @contextmanager
    def files(self) -> Iterator[list[Path]]:
        """Yield the files of the instance; those that the package writes are moved to a guarded folder."""
        with scratch_folder() as (folder, _):
            with super().files() as files:
                kept = [
                    Path(shutil.copy(file, folder)) if file.name.startswith(_WRITTEN) else file
                    for file in files
                ]
            (folder / "last.mzn").touch()  # MiniZinc's own files go where the last file is
            yield [*kept, folder / "last.mzn"]

    @contextmanager
    def branch(self) -> Iterator[ModelInstance]:
        """Yield a child, as `minizinc.Instance.branch` does, that knows the same layout, names and driver."""
        with super().branch() as child:
            child.layout, child._names, child._driver = self.layout, self._names, self._driver
            yield child


def open_instance(task: Task, found: FoundSolver, layout: Any, names: Iterable[str]) -> ModelInstance:
    """Return an instance of a task's model with its data and text, which the user may change.

    Args:
        task: the model and its data.
        found: the solver.
        layout: the layout of the data.
        names: the names that the models declare.
    """
    instance = ModelInstance(configuration(found), _model(task), Driver(found, models_dir(task.models)))
    instance.layout, instance._names = layout, frozenset((*names, *task.data))
    return instance


def _model(task: Task) -> Any:
    """Return a task's model with its data and the user's text."""
    model = minizinc.Model([models_dir(task.models) / f"{task.model}.mzn"])
    for name, value in task.data.items():
        model[name] = value
    if task.own is not None:
        model.add_string(task.own.text)
    return model


@contextmanager
def _event_loop() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Yield what runs a coroutine to its end in an event loop of its own thread: here one may run already.

    Whoever waits for it is open to Ctrl-C, which cancels the coroutine.
    """
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    def serve() -> None:
        with runner:  # whose end cancels what still runs
            loop.run_forever()

    def finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            while not concurrent.futures.wait([future], _TICK).done:
                pass
            return future.result()
        finally:
            future.cancel()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield finish
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
