"""Python processes that call functions for us, and end when we do.

A worker is a Python of its own: calls come on its standard input and answers go out on its standard output,
pickled. It is one of a `catan_cp.processes.Group`, so it ends with us however we end, together with the
solvers that it started, and Ctrl-C in a terminal does not reach it. It imports the library alone, never the
script that we are, and nothing from the working directory. `concurrent.futures` and `multiprocessing` import
both; they leave processes behind when only their parent is killed, and semaphores when all of them are.
"""

from __future__ import annotations

import atexit
import os
import pickle  # noqa: TID251 - only what our own processes wrote
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from catan_cp.errors import CatanError, check_count, show
from catan_cp.processes import Group, Process

Result = TypeVar("Result")

MOST_WORKERS = 1024
"""The most processes that are started on one machine."""

_STARTS = 3
"""How often a process is started for a call before it counts as one that cannot be."""
_KEPT_SECONDS = 60.0
"""How long workers are kept that nobody asks for."""
_LOOK = 0.5
"""Seconds between two looks for Ctrl-C, which on Windows does not end a wait."""
_CHILD = "import sys; sys.path[:] = sys.argv[1:]; from catan_cp.workers import serve; serve()"

_Call = tuple[Callable[..., Any], tuple[Any, ...]]


class WorkerDied(CatanError):
    """The process that worked on a call died; another takes its place for the next one."""


class Workers(AbstractContextManager["Workers"]):
    """Processes on this machine that call functions, each when it is first needed; a thread waits for each.

    A program that ends meanwhile stops them: it waits for no call.

    Args:
        count: how many.

    Raises:
        InvalidArgument: *count* is not a whole number from 1 to `MOST_WORKERS`.
    """

    def __init__(self, count: int) -> None:
        self._count = check_count("workers", count, 1, MOST_WORKERS)
        self._calls: queue.SimpleQueue[tuple[Future[Any], _Call] | None] = queue.SimpleQueue()
        self._first: _Call | None = None
        self._group = Group()
        self._stopping = False
        self._starting = threading.Lock()  # held while a process starts, so that `stop` misses none
        self._threads = [
            threading.Thread(target=self._serve, args=(seat,), daemon=True) for seat in range(self._count)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.stop)  # later, a thread that waits can no longer end

    def submit(self, function: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Have a function of a module called with *arguments*; all must be such that pickle can write them.

        The future fails with `WorkerDied` when the process dies, and with a `CatanError` where none starts.
        """
        future: Future[Result] = Future()
        self._calls.put((future, (function, arguments)))
        return future

    def first(self, function: Callable[..., object], /, *arguments: Any) -> None:
        """Have every process start, and call a function before any other: what all of them need to know."""
        self._first = function, arguments
        for _ in self._threads:  # wakes those that wait for work
            self.submit(bool)

    def stop(self) -> None:
        """Kill all processes at once, whatever they do; harmless when done already."""
        atexit.unregister(self.stop)
        self._stopping = True
        with self._starting:
            self._group.kill()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()
        self._group.end()  # not before: a thread may have been reading

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self, seat: int) -> None:
        """Hand calls to one process, one at a time, until `stop`; start another where it has died."""
        process: Process | None = None
        told: _Call | None = None
        while (task := self._calls.get()) is not None:
            future, call = task
            if self._stopping:
                future.cancel()
            elif future.set_running_or_notify_cancel():
                try:
                    if process is None or process.poll() is not None:
                        process, told = self._start(seat), None
                    if self._first is not None and told is not self._first:
                        told = self._first
                        _ask(process, told)
                    good, value = _ask(process, call)
                except BaseException as error:
                    if process is not None:  # it may be that half an answer is still to be read
                        process.kill()
                        process.wait()
                    died = isinstance(error, (EOFError, OSError, pickle.UnpicklingError))
                    good, value = False, WorkerDied("the process that worked on it died") if died else error
                if good:
                    future.set_result(value)
                else:
                    future.set_exception(value)

    def _start(self, seat: int) -> Process:
        """Start a process that says that it is there."""
        for _ in range(_STARTS):
            with self._starting:
                if self._stopping:
                    raise EOFError
                # Unbuffered, since a worker is killed and would lose the output of the functions it called.
                command = [*_python(), "-u", "-c", _CHILD, *_import_path()]
                try:
                    process = self._group.start(command, stdin=-1, stdout=-1)
                except OSError as error:
                    raise CatanError(
                        f"cannot start {show(command[0])} as a worker ({error.strerror}); use workers=1"
                    ) from None
            _keep_to_cores(process.pid, seat, self._count)
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                if _answer_of(process):
                    return process
            status = process.wait()
        raise CatanError(
            f"a worker process ended {_STARTS} times while it started (status {status}); what it said stands "
            "above. It may be that memory is short: take fewer workers, or workers=1, which starts none"
        )


@contextmanager
def kept_workers(count: int) -> Iterator[Workers]:
    """Give workers, and keep them for the next caller where all went well: they take a second to start.

    Nobody gets workers that were started elsewhere, with other variables, or to import from another place.
    """
    key = count, os.getpid(), _python(), _import_path(), _here(), dict(os.environ)
    crew = None
    while _kept:
        known, left, timer = _kept.pop()
        timer.cancel()
        if known == key and crew is None:
            crew = left
        else:
            left.stop()
    crew = crew or Workers(count)
    try:
        yield crew
    except BaseException:
        crew.stop()
        raise
    timer = threading.Timer(_KEPT_SECONDS, _forget, (crew,))
    timer.daemon = True
    _kept.append((key, crew, timer))
    timer.start()


def _forget(crew: Workers) -> None:
    """Stop a crew that was left, unless somebody has taken it up."""
    for left in [left for left in _kept if left[1] is crew]:
        with suppress(ValueError):
            _kept.remove(left)
            crew.stop()


_kept: list[tuple[object, Workers, threading.Timer]] = []


def share_out(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each task and what *work* made of it, in the order in which they are done.

    Args:
        work: a function of a module.
        tasks: its arguments, one tuple a task.
        workers: how many processes.

    Raises:
        WorkerDied: a process died.
        CatanError: a process did not start.
        Exception: what *work* raised.
    """
    left = iter(enumerate(tasks))
    out: dict[Future[Result], int] = {}
    with Workers(workers) as crew:
        while True:
            while len(out) < 2 * workers and (task := next(left, None)) is not None:
                out[crew.submit(work, *task[1])] = task[0]
            if not out:
                return
            for future in wait(out, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
                yield out.pop(future), future.result()


def cores_of(seat: int, seats: int, cores: Iterable[int]) -> set[int]:
    """Return the cores for one of so many workers, from 0: its share of *cores*, or all where they are few.

    A worker and its solver take turns. On cores of their own they find their data in the cache and meet no
    other worker's processes; on two cores, two workers get a tenth more done.
    """
    every = sorted(cores)
    return set(every[seat::seats] if seats <= len(every) else every)


def _keep_to_cores(pid: int, seat: int, seats: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # it is for speed alone
            os.sched_setaffinity(pid, cores_of(seat, seats, os.sched_getaffinity(0)))


def _python() -> list[str]:
    """Return the command that starts Python without importing from the working directory."""
    from multiprocessing.spawn import get_executable  # `multiprocessing.set_executable` may have said which

    return [os.fsdecode(get_executable()), "-I" if sys.flags.isolated else "-P"]


def _import_path() -> list[str]:
    """Return where a worker imports from: where we do, but for the working directory.

    The folder of this package comes last where it is that one, so that nothing in it stands before another
    module of that name.
    """
    home, here = str(Path(__file__).resolve().parents[1]), _here()
    found = [place for place in sys.path if place and os.path.realpath(place) != here]
    return found if home in found else [*found, home]


def _here() -> str:
    """Return the working directory, or nothing where somebody has removed it."""
    try:
        return str(Path.cwd().resolve())
    except FileNotFoundError:
        return ""


def _ask(process: Process, call: _Call) -> tuple[bool, Any]:
    """Return whether a call went well, and what it returned or raised."""
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(call))  # whole or not at all: pickle may refuse midway
    process.stdin.flush()
    answer: tuple[bool, Any] = _answer_of(process)
    return answer


def _answer_of(process: Process) -> Any:
    assert process.stdout is not None
    return pickle.load(process.stdout)  # noqa: S301 - written by our own child


# In a worker's process


def serve() -> None:
    """Call what comes on standard input until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a function prints is no answer
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(calls, waiting), daemon=True).start()
    try:
        answer = pickle.dumps(True)
        while True:
            answers.write(answer)
            answers.flush()
            answer = _outcome(*waiting.get())
    except OSError:  # the parent is gone, which `_receive` may not have noticed yet
        _end()


def _receive(calls: Any, waiting: queue.SimpleQueue[Any]) -> None:
    """Pass calls on while the worker is busy, and so notice at once when the parent is gone."""
    while True:
        try:
            waiting.put(pickle.load(calls))  # noqa: S301 - from our parent
        except Exception:
            _end()


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """Call *function*; return what came of it, pickled such that the parent can read it.

    Errors of other libraries may be written and not read back, so theirs are told in ours.
    """
    try:
        return pickle.dumps((True, function(*arguments)))
    except Exception as error:
        readable = isinstance(error, CatanError) or type(error).__module__ == "builtins"
        told = error if readable else CatanError(f"{type(error).__name__}: {error}")
        return pickle.dumps((False, told))


def _end() -> NoReturn:
    """End this process at once and without a word; the guards of its solvers end those."""
    os._exit(1)
