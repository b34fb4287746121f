"""Start programs that end with this process, together with everything they started.

A program runs in a process group whose leader is a watchdog. The watchdog is a small shell that reads from a
pipe to which only this process can write. If this process ends, even by SIGKILL, the pipe is closed. The
watchdog then deletes the paths of its group, if any, and kills the group. A new process joins the group
before it executes its program, and keeps the pipe open until then. So no process is ever outside the group.

The watchdog is a shell, because ``sys.executable`` may be an application that embeds Python. Without a shell
(on Windows), a program outlives a killed Python until it next writes output.
"""

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from catan_cp.errors import CatanError, show

PREFIX = "catan-cp-"
"""Prefix of the names of temporary folders."""

NO_ANSWER = (OSError, subprocess.TimeoutExpired)
"""Exceptions of `run` if the program does not start or does not end in time."""

PROCESS_LIMIT = "the limit on the processes of this user is reached; end some, or raise it (ulimit -u)"
"""The message if the system starts no process or thread."""

_SHELL = "/bin/sh"
_WATCHDOG = (
    """trap '' HUP INT QUIT TERM PIPE; read -r _; kill -TERM 0; sleep 1; rm -rf -- "$@"; kill -KILL 0"""
)

Process = subprocess.Popen[Any]

_CHUNK = 1 << 16
_TAIL = 1 << 12
"""Number of bytes kept from the end of standard error."""
_PAUSE = 2.0
"""Seconds between two calls of *waiting* while a program runs."""
_GRACE = 2.0
"""Seconds from a time limit to the kill, and the maximum from a program's end to the end of its output."""
_FAREWELL = 1.0
"""The maximum seconds from SIGTERM to SIGKILL.

MiniZinc runs a solver in a process group of its own, and ends that group on SIGTERM only.
"""


class Group:
    """A process group that ends with this process.

    `end` kills the processes that still run, and so does dropping the group. If this process ends before
    that, the watchdog kills them and deletes the paths *removed*. Ctrl-C in a terminal does not reach the
    group.
    """

    def __init__(self, *removed: Path) -> None:
        self._started: list[Process] = []
        self._watchdog = _start_watchdog(removed)
        self._end = weakref.finalize(self, _end, self._watchdog, self._started)
        _groups.add(self)

    def start(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        memory: int | None = None,
        **options: Any,
    ) -> Process:
        """Start *command* in this group, with the options of `subprocess.Popen`.

        On Linux, each of its processes is limited to *memory* bytes of address space.

        Raises:
            OSError: it does not start.
        """
        if os.name == "posix":
            options["process_group"] = self.number
        process = _start(command, env={**os.environ, **env} if env else None, **options)
        self._started.append(process)
        if memory is not None:
            with suppress(ProcessLookupError):  # it has ended already
                limit_memory(memory, process.pid)
        return process

    @property
    def number(self) -> int:
        """The number of the process group, 0 without a watchdog."""
        return 0 if self._watchdog is None else self._watchdog.pid

    def stop(self) -> None:
        """Kill the started processes, but not the watchdog."""
        try:
            _terminate(self._watchdog, self._started)
        finally:
            for process in self._started:
                process.kill()
                process.wait()

    def end(self) -> None:
        """Kill all processes of the group, and close their pipes. A second call has no effect."""
        self._end()

    def kill(self) -> None:
        """Kill all processes of the group. Their output can still be read."""
        if self._end.alive:
            _kill(self._watchdog, self._started)

    def forget(self) -> None:
        """Detach from the group after a fork: it belongs to the parent process."""
        self._end.detach()
        for process in (self._watchdog, *self._started):
            if process is not None:
                process.returncode = 0  # not a child of this process, so it cannot be waited for
        if self._watchdog is not None and self._watchdog.stdin is not None:
            self._watchdog.stdin.close()


class Program:
    """A running program whose output is read as it arrives.

    The last bytes of its standard error are kept. The program is killed shortly after its time limit, when
    this process ends, or when the object is dropped. Processes that it started are killed shortly after its
    end.

    Args:
        command: the program with its arguments.
        seconds: the time limit.
        memory: maximum number of bytes of address space.
        env: additional environment variables.

    Raises:
        OSError: it does not start.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        seconds: float | None = None,
        memory: int | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._group, self._closed = Group(), threading.Event()
        self.end = weakref.finalize(self, _close, self._group, self._closed)
        """Kill the running processes, and close their pipes. A second call has no effect."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            self.process = self._group.start(command, env=env, memory=memory, bufsize=0, **pipes)
        except BaseException:
            self.end()
            raise
        errors, self.process.stderr = self.process.stderr, None  # closed by the listener
        self._tail = bytearray()
        self._listener = threading.Thread(target=_listen, args=(errors, self._tail), daemon=True)
        self._listener.start()
        limit = None if seconds is None else seconds + _GRACE
        watched = self.process, self._group, limit, self._closed
        threading.Thread(target=_watch, args=watched, daemon=True).start()

    def read(self) -> bytes:
        """Wait for output and return the available bytes. At the end of output, return none."""
        assert self.process.stdout is not None
        try:
            return os.read(self.process.stdout.fileno(), _CHUNK)
        except ValueError:  # closed meanwhile
            return b""

    def wait(self) -> int:
        """Wait for the end, and return the exit status."""
        return self.process.wait()

    @property
    def complaints(self) -> str:
        """The end of standard error, available after the program has ended."""
        self._listener.join(_GRACE)
        return self._tail.decode(errors="replace")

    def kill(self) -> None:
        """Kill the running processes. Their output can still be read."""
        self._group.kill()


def _close(group: Group, closed: threading.Event) -> None:
    closed.set()
    group.end()


def _listen(complaints: IO[bytes], tail: bytearray) -> None:
    """Read standard error until its end, and keep its last bytes."""
    with complaints:
        while chunk := complaints.read(_CHUNK):
            tail.extend(chunk)
            del tail[:-_TAIL]


def _watch(process: Process, group: Group, seconds: float | None, closed: threading.Event) -> None:
    """Kill the group at the time limit, or shortly after the program's end.

    The group may still have processes then, which hold the program's output open.
    """
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
        closed.wait(_GRACE)
    if not closed.is_set():
        group.kill()


def run(
    command: Sequence[str | Path],
    said: str = "",
    timeout: float | None = 30.0,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    group: Group | None = None,
    memory: int | None = None,
    waiting: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run *command* to its end, and return its exit status and output.

    Args:
        command: the program and its arguments.
        said: text for its standard input.
        timeout: time limit in seconds; None for no limit.
        env: additional environment variables.
        cwd: its working directory.
        group: group to run in; a new one if None.
        memory: maximum number of bytes of address space.
        waiting: function called every two seconds meanwhile; only without *said*.

    Raises:
        OSError: it does not start.
        subprocess.TimeoutExpired: *timeout* passed.
    """
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    active = group or Group()
    try:
        process = active.start(command, env=env, cwd=cwd, memory=memory, text=True, errors="replace", **pipes)
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            pause = timeout if waiting is None else min(_PAUSE, deadline - time.monotonic())
            try:
                output, errors = process.communicate(said, pause)
                break
            except subprocess.TimeoutExpired:
                if timeout is not None and time.monotonic() >= deadline:
                    raise subprocess.TimeoutExpired(command, timeout) from None
                if waiting is not None:
                    waiting()
    finally:
        if group is None:
            active.end()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def limit_memory(memory: int, pid: int = 0) -> None:
    """Limit the address space of a process on Linux to *memory* bytes. A smaller limit stays.

    Args:
        memory: number of bytes.
        pid: the process, by default this one.

    Raises:
        ProcessLookupError: the process has ended.
    """
    if sys.platform == "linux":
        import resource

        limits = resource.prlimit(pid, resource.RLIMIT_AS)
        least = min([memory, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
        resource.prlimit(pid, resource.RLIMIT_AS, (least, least))


def ignores_children() -> bool:
    """Return True if this process ignores SIGCHLD, so that the exit status of programs is lost."""
    return os.name == "posix" and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN


def is_limited() -> bool:
    """Return True if the address space of this process is limited."""
    if os.name != "posix":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def python_program() -> str | None:
    """Return the program of Python, or None in an application that embeds it."""
    program = sys.executable or ""
    return program if re.match("python|pypy", Path(program).name) else None


def usable_cores() -> int:
    """Return the number of cores that this process may use (its CPU affinity)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # noqa: TID251 - this system does not report an affinity


@contextmanager
def scratch_folder() -> Iterator[tuple[Path, Group]]:
    """Make a temporary folder and a process group to work in it.

    The folder is removed afterwards, even if this process is killed.
    """
    folder = Path(tempfile.gettempdir(), PREFIX + uuid4().hex)
    group = Group(folder)  # before the folder exists, so that it is always removed
    try:
        folder.mkdir(mode=0o700)
        yield folder, group
    finally:
        group.stop()
        shutil.rmtree(folder, ignore_errors=True)
        group.end()


def last_words(text: str) -> str:
    """Return the end of a program's output for an error message."""
    words = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split())[-400:])
    return words or "it printed nothing"


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return a program's standard error, or else its output, for an error message."""
    return show((done.stderr or done.stdout).strip())


def _start_watchdog(removed: Sequence[Path]) -> Process | None:
    if os.name != "posix" or not Path(_SHELL).exists():
        return None
    return _start(
        [_SHELL, "-c", _WATCHDOG, "catan-cp-guard", *removed],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        bufsize=0,
        process_group=0,
    )


def _start(command: Sequence[str | Path], **options: Any) -> Process:
    """Start a program, and name the limit that forbids it.

    Raises:
        OSError: it does not start.
    """
    if ignores_children():
        raise CatanError(
            "SIGCHLD must not be ignored, because the exit status of programs is lost; "
            "call signal.signal(signal.SIGCHLD, signal.SIG_DFL)"
        )
    try:
        return subprocess.Popen(command, **options)
    except BlockingIOError as problem:
        raise BlockingIOError(problem.errno, PROCESS_LIMIT) from None


def _kill(watchdog: Process | None, started: list[Process]) -> None:
    try:
        _terminate(watchdog, started)
    finally:  # also after a second Ctrl-C
        if watchdog is not None:
            with suppress(OSError):  # it has ended
                os.killpg(watchdog.pid, signal.SIGKILL)
        for process in started:
            process.kill()


def _terminate(watchdog: Process | None, started: list[Process]) -> None:
    """Send SIGTERM to the group, so that MiniZinc ends its solver, and wait a moment for its end."""
    running = [process for process in started if process.poll() is None]
    if watchdog is None or not running:
        return
    with suppress(OSError):  # it has ended
        os.killpg(watchdog.pid, signal.SIGTERM)
    end = time.monotonic() + _FAREWELL
    while time.monotonic() < end and any(process.poll() is None for process in running):
        time.sleep(0.002)


def _end(watchdog: Process | None, started: list[Process]) -> None:
    _kill(watchdog, started)
    for process in (*started, *([] if watchdog is None else [watchdog])):
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):  # unwritten data has no reader
                    pipe.close()


def _forget_all() -> None:
    for group in tuple(_groups):
        group.forget()
    _groups.clear()


_groups: weakref.WeakSet[Group] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
