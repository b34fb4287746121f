"""The `minizinc` package with processes, files and event loops of ours; no other module knows its insides.

Written against the package's versions 0.9 and 0.10, which `pyproject.toml` asks for and the tests run with.
What it needs beside their public names:

* `Driver._run` and `Driver._create_process` start every program of the package. Ours ends with us, is limited
  in memory, and is no child of an event loop.
* `Driver._version`, which is known already, so that nobody has to ask for it.
* `Instance._data`, `_code_fragments`, `_includes` and `_parent`: what `Instance.files` writes, here into a
  folder that is removed even when we are killed.
* `Instance._method_cache` and its like, where a compiled model says all that `Instance.analyse` would ask.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from datetime import timedelta
from enum import EnumMeta
from functools import partial
from pathlib import Path
from typing import Any

from catan_cp.processes import Process, Program, run, scratch_folder, status_of
from catan_cp.solving.compiling import MEMORY, OWN_SECONDS, Compiled, writing
from catan_cp.solving.find import FoundSolver
from catan_cp.solving.installation import ask, find_minizinc, import_minizinc

minizinc = import_minizinc(find_minizinc().executable)
from minizinc.error import parse_error  # type: ignore[import-untyped]  # noqa: E402 - after it was imported with care
from minizinc.json import MZNJSONEncoder, decode_json_stream  # type: ignore[import-untyped]  # noqa: E402
from minizinc.model import Method, UnknownExpression  # type: ignore[import-untyped]  # noqa: E402

MiniZincError = minizinc.MiniZincError
DONE = frozenset(
    {minizinc.Status.UNSATISFIABLE, minizinc.Status.OPTIMAL_SOLUTION, minizinc.Status.ALL_SOLUTIONS}
)
"""What says that there are no more solutions, or no better ones."""

_AS_JSON = (
    *("--no-output-comments", "--solution-separator", ""),
    *("--search-complete-msg", '{"type": "status", "status": "OPTIMAL_SOLUTION"}'),
    *("--unsat-msg", '{"type": "status", "status": "UNSATISFIABLE"}'),
    *("--unknown-msg", '{"type": "status", "status": "UNKNOWN"}'),
)
"""How MiniZinc says what the package reads: with ``--json-stream`` 2.9.2 crashes at the end of a search."""
_PRINTING = 256 << 20
"""How many bytes MiniZinc may have to print a solution: a solver that prints without end shall meet one."""
_LINE = 1 << 20
_NO_READER = getattr(signal, "SIGPIPE", 0)
_TICK = 0.2
"""So often a wait looks up, since a wait without end hears no Ctrl-C on Windows."""


class _Started:
    """What a thread of ours has started, so that whoever waits for it can stop it."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.problem: OSError | None = None
        self.ended = 0, ""
        self._stopped = False

    def add(self, program: Program) -> None:
        """Take note of a program; it is stopped at once where all are to stop."""
        self.programs.append(program)
        if self._stopped:
            program.kill()

    def stop(self) -> None:
        """Kill all that runs, and what is still to be started."""
        self._stopped = True
        for program in self.programs:
            program.kill()


_started: ContextVar[_Started | None] = ContextVar("_started", default=None)


class Driver(minizinc.Driver):  # type: ignore[misc, name-defined]
    """Starts MiniZinc with one solver: each process ends with us and has its limits of memory and time."""

    def __init__(self, found: FoundSolver, *, optimises: bool = False) -> None:
        self._version = found.minizinc.version
        self._found = found
        self._optimises = optimises
        super().__init__(found.minizinc.executable)

    @property
    def minizinc_version(self) -> str:
        """What MiniZinc says of its version."""
        return ask(self._executable, "--version", self._found.minizinc.origin)

    def _run(self, args: list[Any], solver: Any = None) -> subprocess.CompletedProcess[bytes]:
        with nullcontext() if solver is None else solver.configuration() as chosen:
            done = run(self._command(args, chosen), timeout=OWN_SECONDS, memory=self._memory)
        if done.returncode != 0:
            for _ in decode_json_stream(done.stdout.encode()):  # which raises the error that it finds there
                pass
            raise parse_error(done.stderr.encode())
        return subprocess.CompletedProcess(done.args, 0, done.stdout.encode(), done.stderr.encode())

    async def _create_process(self, args: list[Any], solver: str | None = None) -> _Running:
        flat = Path(args[-1])
        kept = flat.suffix == ".fzn"
        commands = self._programs(args[:-1], flat) if kept else [self._command(args, solver)]
        started = _started.get()
        try:
            program = Program(
                *commands,
                memory=_PRINTING if kept and self._memory else self._memory,
                env={"TMPDIR": str(flat.parent)},  # MiniZinc's own files are to end with ours
            )
        except OSError as problem:
            if started is not None:
                started.problem = problem
            raise
        if started is not None:
            started.add(program)
        return _Running(program)

    @property
    def _memory(self) -> int | None:
        return MEMORY if self._found.minizinc.limits_memory else None

    def _command(self, args: Sequence[Any], chosen: str | None) -> list[str]:
        own = self._found.backend.program
        options = self._found.options if chosen == self._found.choice[1] else ()
        if own is not None and "--random-seed" in args and own.restarts[0] in self._found.flags:
            options = (*options, *own.restarts)
        choice = [] if chosen is None else ["--solver", chosen, *options]
        rest = ["--allow-multiple-assignments", *map(str, args), "--json-stream"]
        return [str(self._executable), *choice, *rest]

    def _programs(self, args: Sequence[Any], flat: Path) -> list[list[str]]:
        """Return the solver's own program on a compiled model, and MiniZinc that reads what it prints.

        MiniZinc itself would compile FlatZinc anew, and refuses the package's options with it.
        """
        own = self._found.backend.program
        assert own is not None
        wanted, options = ["-a"] if self._optimises else ["-n", "1"], ["-s"]
        words = iter(map(str, args))
        for word in words:
            if word == "--random-seed":
                options += [own.seed, next(words), *own.restarts]
            elif word == "--time-limit":
                options += [own.milliseconds, next(words)]
            elif word == "--free-search":
                options.append("-f")
        printing = [str(self._executable), "--ozn-file", str(flat.with_suffix(".ozn")), *_AS_JSON]
        return [[str(self._found.executable), *wanted, *options, str(flat)], printing]


class _Running:
    """What the package asks of a process: its output and complaints as streams, its status, its end.

    A thread reads the output, so no event loop need be able to start or watch processes. Of the complaints
    only the last are handed on, for the package keeps all that it gets.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.pid = program.processes[0].pid
        self.stdout, self.stderr = asyncio.StreamReader(_LINE), asyncio.StreamReader(_LINE)
        loop = asyncio.get_running_loop()
        self._status: asyncio.Future[int] = loop.create_future()
        output = program.processes[-1].stdout
        assert output is not None
        # The thread has the pipe and not the program: whoever drops the program ends it.
        given = (
            os.dup(output.fileno()),
            program.processes,
            program.listener,
            program.tail,
            loop,
            self.stdout,
        )
        threading.Thread(target=_hand_on, args=(*given, self.stderr, self._status), daemon=True).start()

    async def wait(self) -> int:
        """Return the status at the end."""
        return await asyncio.shield(self._status)

    def terminate(self) -> None:
        """End the program, and all that it started."""
        self._program.kill()


def _hand_on(
    output: int,
    processes: Sequence[Process],
    listener: threading.Thread,
    tail: bytearray,
    loop: asyncio.AbstractEventLoop,
    printed: asyncio.StreamReader,
    complaints: asyncio.StreamReader,
    status: asyncio.Future[int],
) -> None:
    """Read a program's output for an event loop, until that or the loop ends."""
    with os.fdopen(output, "rb", buffering=0) as file, suppress(RuntimeError):  # the loop is closed already
        while chunk := file.read(_LINE):
            loop.call_soon_threadsafe(printed.feed_data, chunk)
        ended = status_of(processes)
        listener.join(_TICK)
        said = tail.decode(errors="replace").encode()
        for tell in (
            lambda: complaints.feed_data(said),
            complaints.feed_eof,
            printed.feed_eof,
            partial(status.set_result, ended),
        ):
            loop.call_soon_threadsafe(tell)


class OpenInstance(minizinc.Instance):  # type: ignore[misc, name-defined]
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
        work = super().solve
        (result,) = _from_thread(lambda tell: tell(work(*args, **options)), _Started())
        return result

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
        with scratch_folder() as (folder, _):
            with writing("an instance for MiniZinc"):
                for name, text in written.items():
                    (folder / name).write_text(text, encoding="utf-8")
            searched = [
                word for place in sorted({str(file.parent) for file in files}) for word in ("-I", place)
            ]
            yield [*searched, *files, *(folder / name for name in written)]

    @contextmanager
    def flat(
        self,
        time_limit: timedelta | None = None,
        optimisation_level: int | None = None,
        timeout: timedelta | None = None,
        **options: Any,
    ) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
        """Yield FlatZinc, its output model (open files) and statistics, as `minizinc.Instance.flat` does."""
        limit = time_limit or timeout
        if limit is not None:
            options["time-limit"] = str(int(1000 * limit.total_seconds()))
        if optimisation_level is not None:
            options["-O"] = str(optimisation_level)
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

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.started = _Started()
        super().__init__(compiled.solver.config, None, Driver(compiled.solver, optimises=compiled.optimises))

    def each(self, *, seconds: float | None, **options: Any) -> Generator[Any, None, None]:
        """Yield what `solutions` yields in the time of so many *seconds*."""
        if seconds is not None:
            options[_TIME_LIMIT] = timedelta(seconds=max(0.001, seconds))

        async def collect(tell: Callable[[Any], None]) -> None:
            async for result in self.solutions(**options):
                tell(result)

        self.started = _Started()
        return _from_thread(lambda tell: asyncio.run(collect(tell)), self.started)

    @property
    def ended(self) -> tuple[int, str]:
        """The solver's exit status, and the last that it complained of."""
        return self.started.ended

    def analyse(self) -> None:
        """Say what the compiler knows, so that MiniZinc need not read the model again."""
        self._method_cache = Method.MINIMIZE if self._compiled.optimises else Method.SATISFY
        self._has_output_item_cache = False
        self.output_type = self._row

    def _row(self, **fields: Any) -> tuple[int, ...]:
        """Return the numbers of a solution; those that the compiler knows are printed by nobody."""
        if self._compiled.fixed is not None:
            return self._compiled.fixed
        row = fields[self._compiled.printed]
        while row and isinstance(row[0], list):
            row = [number for part in row for number in part]
        return tuple(row)

    @contextmanager
    def files(self) -> Iterator[list[Any]]:
        """Yield FlatZinc with what prints its solutions; for a solver that MiniZinc runs, it is a model."""
        with scratch_folder() as (folder, _):
            model = folder / ("model.mzn" if self._compiled.solver.through_minizinc else "model.fzn")
            with writing(f"the model for {self._compiled.solver.name}"):
                if model.suffix == ".mzn":
                    model.write_bytes(self._compiled.as_model())
                else:
                    model.write_bytes(self._compiled.flatzinc)
                    model.with_suffix(".ozn").write_text(self._compiled.output_model(), encoding="utf-8")
            yield [model]


_TIME_LIMIT = (
    "time_limit" if "time_limit" in inspect.signature(minizinc.Instance.solve).parameters else "timeout"
)
"""What the package calls its time limit: ``timeout`` until 0.9."""


def open_instance(found: FoundSolver, model: Path, data: dict[str, Any], text: str) -> OpenInstance:
    """Return an instance of a model with data and more text, which its owner may change."""
    opened = minizinc.Model([model])
    for name, value in data.items():
        opened[name] = value
    if text:
        opened.add_string(text)
    driver = Driver(found)
    config = found.config
    config.driver = driver
    return OpenInstance(config, opened, driver)


def _from_thread(
    work: Callable[[Callable[[Any], None]], None], started: _Started
) -> Generator[Any, None, None]:
    """Yield what *work* tells while it runs in a thread, where no event loop runs yet.

    Whoever asks no more, for Ctrl-C or any other reason, stops what was *started* there.
    """
    told: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def run_it() -> None:
        _started.set(started)
        try:
            work(lambda what: told.put(("", what)))
            told.put(("end", None))
        except BaseException as problem:
            told.put(("failed", problem))

    thread = threading.Thread(target=run_it, daemon=True)
    thread.start()
    try:
        while True:
            try:
                kind, what = told.get(timeout=_TICK)
            except queue.Empty:
                continue
            if kind == "end":
                return
            if kind == "failed":
                raise started.problem or what
            yield what
    finally:
        for program in started.programs:
            status, *others = [process.poll() or 0 for process in program.processes]
            unread = program.killed or (any(others) and status == -_NO_READER)
            started.ended = 0 if unread else status, program.complaints
        started.stop()
        thread.join(10 * _TICK)
        for program in started.programs:
            program.end()
