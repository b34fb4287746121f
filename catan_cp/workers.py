"""Worker processes that call Python functions and end with their parent.

A worker is a Python process. Calls arrive on its standard input and results leave on its standard output,
pickled. A worker belongs to a `catan_cp.processes.Group`, so it ends with its parent, together with the
solvers that it started, even if the parent is killed. Ctrl-C in a terminal does not reach it.

A worker imports the library alone. It imports neither the main script nor anything from the working
directory. `concurrent.futures` and `multiprocessing` import both. They also leave processes behind if
only the parent is killed, and semaphores if all processes are killed.
"""

import atexit
import os
import pickle  # noqa: TID251 - data from processes of this library alone
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
from catan_cp.processes import PROCESS_LIMIT, Group, Process

Result = TypeVar("Result")

MOST_WORKERS = 1024
"""Maximum number of worker processes on one machine."""

_STARTS = 3
"""Maximum number of attempts to start a worker for one call."""
_KEPT_SECONDS = 60.0
"""Seconds for which idle workers are kept for the next caller."""
_LOOK = 0.5
"""Seconds between two checks for Ctrl-C, which does not end a wait on Windows."""
_CHILD = "import sys; sys.path[:] = sys.argv[1:]; from catan_cp.workers import serve; serve()"

_Call = tuple[Callable[..., Any], tuple[Any, ...]]


class WorkerDied(CatanError):
    """The process that worked on a call died. Another one takes its place for the next call."""


class Workers(AbstractContextManager["Workers"]):
    """A pool of worker processes on this machine, each started when first needed.

    One thread waits for each process. When the program ends, workers are stopped without waiting for calls.

    Args:
        count: number of processes.

    Raises:
        InvalidArgument: *count* is not an integer from 1 to `MOST_WORKERS`.
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
        atexit.register(self.stop)  # a later stop could not end the waiting threads

    def submit(self, function: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Submit a call of a module-level function.

        Pickle must be able to write the function and its arguments.

        The future fails with `WorkerDied` if the process dies, and with a `CatanError` if no process starts.
        """
        future: Future[Result] = Future()
        self._calls.put((future, (function, arguments)))
        return future

    def first(self, function: Callable[..., object], /, *arguments: Any) -> None:
        """Start every process, and make a function its first call.

        A process that runs already calls it before its next call.
        """
        self._first = function, arguments
        for _ in self._threads:  # An empty call per thread, which starts the process.
            self.submit(bool)

    def stop(self) -> None:
        """Kill all processes at once. A second call has no effect."""
        atexit.unregister(self.stop)
        self._stopping = True
        with self._starting:
            self._group.kill()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()
        self._group.end()  # last, because a thread may have been reading

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self, seat: int) -> None:
        """Send calls to one process, one at a time, until `stop`, and replace a dead process."""
        process: Process | None = None
        first_call: _Call | None = None
        while (task := self._calls.get()) is not None:
            future, call = task
            if self._stopping:
                future.cancel()
            elif future.set_running_or_notify_cancel():
                try:
                    if process is None or process.poll() is not None:
                        process, first_call = self._start(seat), None
                    if self._first is not None and first_call is not self._first:
                        first_call = self._first
                        _ask(process, first_call)
                    good, value = _ask(process, call)
                except BaseException as error:
                    if process is not None:  # half of a result may still be unread
                        process.kill()
                        process.wait()
                    is_dead = isinstance(error, (EOFError, OSError, pickle.UnpicklingError))
                    good, value = False, WorkerDied("the worker process died") if is_dead else error
                if good:
                    future.set_result(value)
                else:
                    future.set_exception(value)

    def _start(self, seat: int) -> Process:
        """Start a process, and wait for its first message."""
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
            f"a worker process ended {_STARTS} times while starting (status {status}); see its "
            "output above. If memory is short, use fewer workers, or workers=1 for none"
        )


@contextmanager
def kept_workers(count: int) -> Iterator[Workers]:
    """Yield a worker pool, and keep it for the next caller if all went well.

    Starting a worker takes a second. A pool is used again only with the same environment variables, working
    directory, interpreter and import path.
    """
    key = count, os.getpid(), _python(), _import_path(), _working_directory(), dict(os.environ)
    pool = None
    while _kept:
        known_key, kept, timer = _kept.pop()
        timer.cancel()
        if known_key == key and pool is None:
            pool = kept
        else:
            kept.stop()
    pool = pool or Workers(count)
    try:
        yield pool
    except BaseException:
        pool.stop()
        raise
    timer = threading.Timer(_KEPT_SECONDS, _forget, (pool,))
    timer.daemon = True
    _kept.append((key, pool, timer))
    timer.start()


def _forget(pool: Workers) -> None:
    """Stop an idle pool, unless another caller has taken it."""
    for entry in [entry for entry in _kept if entry[1] is pool]:
        with suppress(ValueError):
            _kept.remove(entry)
            pool.stop()


_kept: list[tuple[object, Workers, threading.Timer]] = []


def share_out(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Yield the index and result of each task, in order of completion.

    Args:
        work: a module-level function.
        tasks: its arguments, one tuple per task.
        workers: number of processes.

    Raises:
        WorkerDied: a process died.
        CatanError: a process did not start.
        Exception: raised by *work*.
    """
    remaining = iter(enumerate(tasks))
    running: dict[Future[Result], int] = {}
    with Workers(workers) as pool:
        while True:
            while len(running) < 2 * workers and (task := next(remaining, None)) is not None:
                running[pool.submit(work, *task[1])] = task[0]
            if not running:
                return
            for future in wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def cores_of(seat: int, seats: int, cores: Iterable[int]) -> set[int]:
    """Return the cores for one worker.

    It gets its share of *cores*, or all if there are fewer cores than workers.

    A worker and its solver take turns. On cores of their own, they find their data in the cache and do not
    compete with other workers. On two cores, two workers then complete a tenth more work.
    """
    usable = sorted(cores)
    return set(usable[seat::seats] if seats <= len(usable) else usable)


def _keep_to_cores(pid: int, seat: int, seats: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # affinity is only for speed
            os.sched_setaffinity(pid, cores_of(seat, seats, os.sched_getaffinity(0)))


def _python() -> list[str]:
    """Return the command that starts Python without imports from the working directory."""
    from multiprocessing.spawn import get_executable  # may be set by `multiprocessing.set_executable`

    return [os.fsdecode(get_executable()), "-I" if sys.flags.isolated else "-P"]


def _import_path() -> list[str]:
    """Return the import path of a worker: this process's path without the working directory.

    If the folder of this package is the working directory, it comes last. No other file in it then
    hides a module.
    """
    home, working_directory = str(Path(__file__).resolve().parents[1]), _working_directory()
    path = [place for place in sys.path if place and os.path.realpath(place) != working_directory]
    return path if home in path else [*path, home]


def _working_directory() -> str:
    """Return the working directory, or an empty text if it was removed."""
    try:
        return str(Path.cwd().resolve())
    except FileNotFoundError:
        return ""


def _ask(process: Process, call: _Call) -> tuple[bool, Any]:
    """Send a call, and return whether it succeeded, with its result or exception."""
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(call))  # serialised first, because pickle may fail midway
    process.stdin.flush()
    answer: tuple[bool, Any] = _answer_of(process)
    return answer


def _answer_of(process: Process) -> Any:
    assert process.stdout is not None
    return pickle.load(process.stdout)  # noqa: S301 - written by a worker


# In a worker's process


def serve() -> None:
    """Run the calls from standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a function is not a result
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    try:
        threading.Thread(target=_receive, args=(calls, waiting), daemon=True).start()
    except RuntimeError:
        sys.exit(PROCESS_LIMIT)
    try:
        answer = pickle.dumps(True)
        while True:
            answers.write(answer)
            answers.flush()
            answer = _outcome(*waiting.get())
    except OSError:  # the parent has ended before `_receive` noticed
        _end()


def _receive(calls: Any, waiting: queue.SimpleQueue[Any]) -> None:
    """Receive calls while the worker is busy, and exit as soon as the parent has ended."""
    while True:
        try:
            waiting.put(pickle.load(calls))  # noqa: S301 - written by the parent
        except Exception:
            _end()


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """Call *function*, and return its pickled outcome.

    Exceptions of other libraries may be written but not read back, so they become a `CatanError`.
    """
    try:
        return pickle.dumps((True, function(*arguments)))
    except Exception as error:
        readable = isinstance(error, CatanError) or type(error).__module__ == "builtins"
        outcome = error if readable else CatanError(f"{type(error).__name__}: {error}")
        return pickle.dumps((False, outcome))


def _end() -> NoReturn:
    """Exit at once and silently. The watchdogs of its solvers end those."""
    os._exit(1)
