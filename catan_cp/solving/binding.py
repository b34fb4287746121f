"""One solution, or better and better ones, through the `minizinc` package, with processes and files of ours.

A question is one run of `minizinc.Instance.solutions` on a `KeptInstance`. What comes is believed no more
than what is listed: a solution is held against the pieces; where a solver crashes, another one is asked.

No other module knows the insides of the package. This one is written against its versions 0.9 and 0.10, which
`pyproject.toml` asks for and the tests run with. What it needs beside their public names:

* `Driver._run` and `Driver._create_process` start every program of the package. Ours ends with us, is limited
  in memory, and is no child of an event loop.
* `Driver._version`, which is known already, so that nobody has to ask for it.
* `Solver._identifier`, which pins a configuration to its file.
* `Instance._data`, `_code_fragments`, `_includes` and `_parent`: what `Instance.files` writes, here into a
  folder that is removed even when we are killed.
* `Instance._method_cache` and its like, where a compiled model says all that `Instance.analyse` would ask.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import os
import subprocess
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields
from datetime import timedelta
from enum import EnumMeta
from pathlib import Path
from typing import Any

from catan_cp.errors import SolverFailed
from catan_cp.processes import Program, run, scratch_folder
from catan_cp.solving.compiling import MEMORY, OWN_SECONDS, Compiled, with_first, writing
from catan_cp.solving.find import FoundSolver, find_minizinc
from catan_cp.solving.listing import (
    Left,
    SolverCrashed,
    Told,
    compiled_for_another,
    read,
    started,
    unfinished,
)

# On import the package starts whichever MiniZinc is first on PATH, and warns of none, or an old one.
# A PATH that is longer for a moment harms nobody.
_path = os.environ.get("PATH", os.defpath)
os.environ["PATH"] = os.pathsep.join((str(find_minizinc().executable.parent), _path))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import minizinc  # type: ignore[import-untyped]
    from minizinc.error import parse_error  # type: ignore[import-untyped]
    from minizinc.json import MZNJSONEncoder, decode_json_stream  # type: ignore[import-untyped]
    from minizinc.model import Method, UnknownExpression  # type: ignore[import-untyped]
os.environ["PATH"] = _path

_DONE = {minizinc.Status.UNSATISFIABLE, minizinc.Status.OPTIMAL_SOLUTION, minizinc.Status.ALL_SOLUTIONS}
"""What says that there are no more solutions, or no better ones."""
_LINE = 1 << 20
_TICK = 0.2
"""So often a wait looks up, since a wait without end hears no Ctrl-C on Windows."""
_GRACE = 2.0


def first(compiled: Compiled, left: Left, *, seed: int | None = None, free: bool = False) -> list[int] | None:
    """Return a solution, or None where there is none; arguments and errors are those of `rows`."""
    return next(rows(compiled, left, seed=seed, free=free))


def rows(
    compiled: Compiled, left: Left, *, seed: int | None = None, free: bool = False
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or better and better ones where the model optimises; None once no more is possible.

    With a *seed* the solver's random choices follow it, and it restarts after the Luby sequence, which curbs
    the heavy tail of a random search while it stays complete (Gomes, Selman and Kautz 1998; Luby, Sinclair
    and Zuckerman 1993). *free* lets the solver search as it likes instead of as the model says. Where the
    solver crashes, another one begins anew.

    Raises:
        SolverTimeout: the time limit, *left*, passed.
        SolverFailed: the solver does not start, printed what is no solution, or stopped without an answer.
    """
    try:
        yield from _of_one(compiled, left(), seed, free)
    except SolverCrashed as crash:
        other = with_first(compiled_for_another(compiled, crash, left()), compiled.given)
        yield from [None] if other is None else rows(other, left, seed=seed, free=free)


def _of_one(
    compiled: Compiled, seconds: float | None, seed: int | None, free: bool
) -> Generator[list[int] | None, None, None]:
    """Yield the rows of one solver."""
    deadline = None if seconds is None else time.monotonic() + seconds
    driver, found = KeptDriver(compiled, seconds, seed, free), 0
    results = KeptInstance(driver).solutions(intermediate_solutions=True)

    async def following() -> Any:
        return await anext(results, None)

    with _event_loop() as finish:
        try:
            while (result := finish(following())) is not None:
                if result.solution is not None:
                    found += 1
                    yield result.solution
                if result.status in _DONE:
                    yield None
                    return
        except minizinc.MiniZincError:  # the status and the complaints say as much
            pass
        finally:  # whoever asks no more, for Ctrl-C or otherwise, ends the solver
            if driver.latest is not None:
                driver.latest.end()
    assert driver.latest is not None
    program = driver.latest.program
    raise driver.failure or unfinished(compiled, found, deadline, program.wait(), program.complaints)


class Driver(minizinc.Driver):  # type: ignore[misc]
    """Starts MiniZinc with one solver; each process ends with us, and has its limit of memory."""

    def __init__(self, found: FoundSolver) -> None:
        self._version, self._found = found.minizinc.version, found
        self._memory = None if found.minizinc.portable else MEMORY
        super().__init__(found.minizinc.executable)

    def _run(self, args: list[Any], solver: Any = None) -> subprocess.CompletedProcess[bytes]:
        with nullcontext() if solver is None else solver.configuration() as chosen:
            done = run(self._command(args, chosen), timeout=OWN_SECONDS, memory=self._memory)
        if done.returncode != 0:
            for _ in decode_json_stream(done.stdout.encode()):  # which raises the error that it finds there
                pass
            raise parse_error(done.stderr.encode())
        return subprocess.CompletedProcess(done.args, 0, done.stdout.encode(), done.stderr.encode())

    async def _create_process(self, args: list[Any], solver: str | None = None) -> _Running:
        own = {"TMPDIR": str(Path(args[-1]).parent)}  # MiniZinc's own files are to end with ours
        program = Program(self._command(args, solver), memory=self._memory, env=own)
        return _Running(program, iter(program.read, b""))

    def _command(self, args: Sequence[Any], chosen: str | None) -> list[str]:
        choice = [] if chosen is None else ["--solver", chosen, *self._found.backend.plugin()]
        rest = ["--allow-multiple-assignments", *map(str, args), "--json-stream"]
        return [str(self._executable), *choice, *rest]


class _Running:
    """What the package asks of a process: its output and complaints as streams, its status, its end.

    A thread reads the output, so no event loop need be able to start or watch processes. Of the complaints
    only the last are handed on, for the package keeps all that it gets. Dropping this ends the program.
    """

    def __init__(self, program: Program, output: Iterable[bytes]) -> None:
        loop = asyncio.get_running_loop()
        self.pid, self.program = program.process.pid, program
        self.stdout = printed = asyncio.StreamReader(_LINE)
        self.stderr = complaints = asyncio.StreamReader(_LINE)
        self._status = status = loop.create_future()
        self.terminate = weakref.finalize(self, program.kill)

        def tell(what: Callable[..., object], *values: object) -> None:
            with suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(what, *values)

        def hand_on() -> None:  # without self, or nobody could drop it
            for text in output:
                tell(printed.feed_data, text)
            ended = program.wait()
            tell(complaints.feed_data, program.complaints.encode())
            tell(complaints.feed_eof)
            tell(printed.feed_eof)
            tell(status.set_result, ended)
            program.end()

        self._thread = threading.Thread(target=hand_on, daemon=True)
        self._thread.start()

    async def wait(self) -> int:
        """Return the status at the end."""
        return await asyncio.shield(self._status)

    def end(self) -> None:
        """End the program."""
        self.terminate()
        self._thread.join(_GRACE)
        self.program.end()


class KeptDriver(Driver):
    """Starts a solver on a model that is *compiled* already; the other arguments are those of `started`.

    Attributes:
        latest: the solver that runs, or ran last.
        failure: what was wrong with what it printed.
    """

    def __init__(self, compiled: Compiled, seconds: float | None, seed: int | None, free: bool) -> None:
        super().__init__(compiled.solver)
        self.compiled, self._asked = compiled, (seconds, seed, free)
        self.latest: _Running | None = None
        self.failure: SolverFailed | None = None

    async def _create_process(self, args: list[Any], solver: str | None = None) -> _Running:
        limit = None if self.compiled.optimises else 1
        program = started(self.compiled, args[-1], limit, *self._asked)
        self.latest = _Running(program, self._as_json(program))
        return self.latest

    def _as_json(self, program: Program) -> Iterator[bytes]:
        """Yield what the solver prints, as MiniZinc would print it for the package."""
        told = Told()
        try:
            for block in read(self.compiled, program, told):
                for row in block.tolist():
                    yield _line(type="solution", output={"json": {"row": row}}, time=0)
        except SolverFailed as problem:
            self.failure = problem
            program.kill()
        if told.complete:
            yield _line(type="status", status="ALL_SOLUTIONS")


def _line(**told: object) -> bytes:
    return json.dumps(told).encode() + b"\n"


class OpenInstance(minizinc.Instance):  # type: ignore[misc]
    """An instance that solves in notebooks too, whose files and processes end with us."""

    def __init__(self, solver: Any, model: Any = None, driver: Any = None) -> None:
        # The package's `branch` names no driver.
        super().__init__(solver, model, driver if driver is not None else getattr(solver, "driver", None))

    def __setitem__(self, name: str, value: Any) -> None:
        """Give a parameter another value; the package itself gives each one once."""
        self._data.pop(name, None)
        super().__setitem__(name, value)

    def solve(self, *args: Any, **options: Any) -> Any:
        """Solve as `minizinc.Instance.solve` does, also where an event loop runs already."""
        with _event_loop() as finish:
            return finish(super().solve_async(*args, **options))

    @contextmanager
    def files(self) -> Iterator[list[Any]]:
        """Yield the files of the instance, and where MiniZinc looks for what they include."""
        files: list[Path] = []
        texts: list[str] = []
        data: dict[str, Any] = {}
        instance: Any = self
        while instance is not None:
            for name, value in instance._data.items():
                if isinstance(value, UnknownExpression) or name in data:
                    texts.append(f"{name} = {value};\n")
                else:
                    is_enum = isinstance(value, EnumMeta)
                    data[name] = [str(each) for each in value.__members__] if is_enum else value
            texts += instance._code_fragments
            files += instance._includes
            instance = instance._parent
        written = {"data.json": json.dumps(data, cls=MZNJSONEncoder)} if data else {}
        written["added.mzn"] = "".join(texts)
        searched = [word for place in sorted({str(file.parent) for file in files}) for word in ("-I", place)]
        with scratch_folder() as (folder, _):
            with writing("an instance for MiniZinc"):
                for name, text in written.items():
                    (folder / name).write_text(text, encoding="utf-8")
            yield [*searched, *files, *(folder / name for name in written)]

    @contextmanager
    def flat(
        self,
        time_limit: timedelta | None = None,
        optimisation_level: int | None = None,
        timeout: timedelta | None = None,
        **options: Any,
    ) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
        """Yield FlatZinc, its output model (open files) and statistics, as `minizinc.Instance.flat` does.

        That one leaves its files behind when it fails, and finds no statistics in what MiniZinc says.
        """
        if (limit := time_limit or timeout) is not None:
            options["time-limit"] = int(1000 * limit.total_seconds())
        if optimisation_level is not None:
            options["-O"] = optimisation_level
        with scratch_folder() as (folder, _), self.files() as files:
            flat, output = folder / "model.fzn", folder / "model.ozn"
            command: list[Any] = ["--compile", "--statistics", "--fzn", flat, "--ozn", output]
            for name, value in options.items():
                if value is not False:
                    command.append(name if name.startswith("-") else f"--{name}")
                    command += [] if value is True else [value]
            done = self._driver._run([*command, *files], self._solver)
            statistics: dict[str, Any] = {}
            for each in decode_json_stream(done.stdout):
                statistics |= each.get("statistics", {})
            with flat.open("rb") as program, output.open("rb") as printing:
                yield program, printing, statistics


class KeptInstance(OpenInstance):
    """An instance of a model that is compiled already: a solution is a row of numbers."""

    def __init__(self, driver: KeptDriver) -> None:
        self._compiled = driver.compiled
        solver = configuration(self._compiled.solver)
        solver.stdFlags = ["-a"]  # what the driver prints comes one by one
        super().__init__(solver, None, driver)

    def analyse(self) -> None:
        """Say what the compiler knows, so that MiniZinc need not read the model again."""
        self._method_cache = Method.MINIMIZE if self._compiled.optimises else Method.SATISFY
        self._has_output_item_cache = False
        self.output_type = lambda row: row

    @contextmanager
    def files(self) -> Iterator[list[Any]]:
        """Yield the one file that is read."""
        with self._compiled.written() as model:
            yield [model]


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


def open_instance(found: FoundSolver, model: Path, data: dict[str, Any], text: str) -> OpenInstance:
    """Return an instance of a model with data and more text, which its owner may change."""
    opened = minizinc.Model([model])
    for name, value in data.items():
        opened[name] = value
    if text:
        opened.add_string(text)
    solver = configuration(found)
    solver.driver = Driver(found)
    return OpenInstance(solver, opened)


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
