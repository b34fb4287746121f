"""The driver of the `minizinc` package: how the package finds and starts MiniZinc.

The package is imported without its search for MiniZinc. All its programs get a memory limit and end with
this process.

These private names of the package are used here:

* `Driver._run` and `Driver._create_process` start all programs.
* `Driver.find`, which the package calls during its import, `Driver._executable` and `Driver._version`.
* `Solver._identifier`, which pins a configuration to its file.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from catan_cp.processes import Group, Program, run
from catan_cp.solving.compiling import OWN_SECONDS
from catan_cp.solving.find import FoundSolver, find_minizinc


def _load_package() -> None:
    """Import the package without its search for MiniZinc.

    That search starts the first MiniZinc on PATH, and may fail. The default driver uses the result of
    `find_minizinc` instead, which is called when the driver is first used.
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
    base.find = Default  # The import calls ``find()`` for the default driver, and gets a `Default`.
    try:
        spec.loader.exec_module(package)
    finally:
        base.find = search


_load_package()
import minizinc as minizinc  # type: ignore[import-untyped]  # noqa: E402
from minizinc.error import parse_error  # type: ignore[import-untyped]  # noqa: E402
from minizinc.json import decode_json_stream  # type: ignore[import-untyped]  # noqa: E402

_LINE = 1 << 20
"""The maximum bytes of a line that the package reads."""
_TICK = 0.2
"""The maximum seconds of one wait.

On Windows, Ctrl-C does not interrupt a wait without a limit.
"""
_GRACE = 2.0
"""The maximum seconds to wait for a thread after its program was killed."""


class Driver(minizinc.Driver):  # type: ignore[misc]
    """A driver of MiniZinc with one solver and a memory limit.

    Its processes end when this process ends.

    Args:
        solver: the solver.
        folder: the folder with the included models.
        seconds: the time limit of a process.

    Attributes:
        latest: the latest process, or None before the first.
    """

    def __init__(
        self,
        solver: FoundSolver,
        folder: Path | None = None,
        seconds: float | None = None,
    ) -> None:
        self._version, self._chosen, self._folder = solver.minizinc.version, solver, folder
        self._seconds = seconds
        self._memory = solver.minizinc.memory
        self.latest: _Running | None = None
        super().__init__(solver.minizinc.executable)

    def _run(self, args: list[Any], solver: Any = None) -> subprocess.CompletedProcess[bytes]:
        # The compiler runs without --json-stream, since the package reads its statistics as text. The package
        # would leave the output files behind after a failure, so they are deleted here.
        compiles = "--compile" in args
        outputs = [Path(args[args.index(name) + 1]) for name in ("--fzn", "--ozn") if compiles]
        group = Group(*outputs)
        try:
            with nullcontext() if solver is None else solver.configuration() as configuration_file:
                command = self._command(args, configuration_file, [] if compiles else ["--json-stream"])
                result = run(command, timeout=OWN_SECONDS, memory=self._memory, group=group)
            if result.returncode != 0:
                for _ in decode_json_stream(b"" if compiles else result.stdout.encode()):
                    pass  # raises the error in the output, if there is one
                raise parse_error(result.stderr.encode())
        except BaseException:
            for path in outputs:
                path.unlink(missing_ok=True)
            raise
        finally:
            group.end()
        return subprocess.CompletedProcess(result.args, 0, result.stdout.encode(), result.stderr.encode())

    async def _create_process(self, args: list[Any], solver: str | None = None) -> _Running:
        env = {"TMPDIR": str(Path(args[-1]).parent)}  # so MiniZinc's temporary files are removed too
        command = self._command(args, solver, ["--json-stream"])
        self.latest = _Running(Program(command, seconds=self._seconds, memory=self._memory, env=env))
        return self.latest

    def _command(self, args: Sequence[Any], chosen: str | None, more: list[str]) -> list[str]:
        choice = [] if chosen is None else ["--solver", chosen, *self._chosen.backend.plugin()]
        place = [] if self._folder is None else ["-I", str(self._folder)]
        rest = [*place, *map(str, args), *more]
        return [str(self._executable), *choice, *rest]


class _Running:
    """A process in the form that the package needs.

    A thread reads the output, so the event loop need not support processes. Only the last lines of standard
    error are passed on, because the package keeps them all. The program ends when this object is deleted.
    """

    def __init__(self, program: Program) -> None:
        loop = asyncio.get_running_loop()
        self.pid, self.program = program.process.pid, program
        self.stdout = printed = asyncio.StreamReader(_LINE)
        self.stderr = complaints = asyncio.StreamReader(_LINE)
        self._status = status = loop.create_future()
        self.terminate = weakref.finalize(self, program.kill)

        def call_in_loop(function: Callable[..., object], *values: object) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(function, *values)

        def forward() -> None:  # without self, which a closure would keep alive
            chunk = program.read()
            while chunk:
                call_in_loop(printed.feed_data, chunk)
                chunk = program.read()
            ended = program.wait()
            call_in_loop(complaints.feed_data, program.complaints.encode())
            call_in_loop(complaints.feed_eof)
            call_in_loop(printed.feed_eof)
            call_in_loop(status.set_result, ended)
            program.end()

        self._thread = threading.Thread(target=forward, daemon=True)
        self._thread.start()

    async def wait(self) -> int:
        """Wait for the end of the process, and return its exit status."""
        return await asyncio.shield(self._status)

    def end(self) -> None:
        """End the program."""
        self.terminate()
        self._thread.join(_GRACE)
        self.program.end()


def configuration(solver: FoundSolver) -> Any:
    """Return a solver's configuration for `minizinc.Instance`, identified by its file."""
    known = {item.name for item in fields(minizinc.Solver)}
    values = {key: value for key, value in solver.entry.items() if key in known}
    if not solver.through_minizinc:
        values["executable"] = str(solver.executable)
    values["mznlib"] = solver.entry.get("extraInfo", {}).get("mznlib", values.get("mznlib", ""))
    configured = minizinc.Solver(**values)
    configured._identifier = solver.choice[1]  # after "--solver": the file or the name
    return configured


@contextmanager
def event_loop() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Yield a function that runs a coroutine in a new thread and returns its result.

    The new thread has its own event loop, because the calling thread may already run one. Ctrl-C during the
    wait cancels the coroutine.
    """
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    def serve() -> None:
        with runner:  # its exit cancels running tasks
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
