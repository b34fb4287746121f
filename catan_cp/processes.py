"""Start programs that cannot outlive us, and end them together with all that they started.

A program runs in a process group whose leader is a guard: a small shell that waits for the end of a pipe,
of which only we hold the other end. However we end, by SIGKILL too, the pipe ends; then the guard kills its
group and removes a folder. A new process joins the group before it starts its program, and holds the pipe
until then, so at no moment is a process outside. The guard is a shell and not Python because
``sys.executable`` may be any application that Python is built into. Without a shell (Windows) a program
that searches in silence outlives a Python that is killed, until it writes again.
"""

import math
import os
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

from catan_cp.errors import show

PREFIX = "catan-cp-"
"""How the names of our temporary folders begin."""

NO_ANSWER = (OSError, subprocess.TimeoutExpired)
"""What `run` raises where the program does not start, or does not end in time."""

_SHELL = "/bin/sh"
_GUARD = (
    "trap '' HUP INT QUIT TERM PIPE; read -r _; "
    '[ $# = 0 ] || { kill -TERM 0; rm -rf -- "$@"; }; kill -KILL 0'
)

Process = subprocess.Popen[Any]

_CHUNK = 1 << 16
_TAIL = 1 << 12
"""So many of the last bytes on standard error are kept."""
_PAUSE = 2.0
"""Seconds between two calls of a function while a program runs."""
_GRACE = 2.0
"""Seconds after a time limit until a program is killed, and after its end until its output must end too."""


class Group:
    """A process group that ends when we do; then the paths *removed* are deleted, if they exist.

    `end` kills what still runs; dropping the group does the same. Ctrl-C in a terminal does not reach it.
    """

    def __init__(self, *removed: Path) -> None:
        self._started: list[Process] = []
        self._guard = _start_guard(removed)
        self._end = weakref.finalize(self, _end, self._guard, self._started)
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

        Where the system is Linux, it and all that it starts have *memory* bytes of address space each.

        Raises:
            OSError: it does not start.
        """
        if os.name == "posix":
            options["process_group"] = 0 if self._guard is None else self._guard.pid
        process: Process = subprocess.Popen(command, env={**os.environ, **env} if env else None, **options)
        self._started.append(process)
        if memory is not None and sys.platform == "linux":
            import resource

            with suppress(ProcessLookupError):  # it has ended already
                resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
        return process

    def stop(self) -> None:
        """Kill the processes that were started, and leave the guard on its post."""
        for process in self._started:
            process.kill()
            process.wait()

    def end(self) -> None:
        """Kill all processes of the group and close their pipes; harmless when done already."""
        self._end()

    def kill(self) -> None:
        """Kill all processes of the group, and leave what they printed to be read."""
        if self._end.alive:
            _kill(self._guard, self._started)

    def forget(self) -> None:
        """Leave the group to the process that made it: we are a fork of that process."""
        self._end.detach()
        for process in (self._guard, *self._started):
            if process is not None:
                process.returncode = 0  # it is not our child, so there is nothing to wait for
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()


class Program:
    """A program whose output is read as it comes; of its complaints the last ones are kept.

    It ends at a time limit, with us, and when this object is dropped. What it started, and what outlives it
    and holds its output open, is killed a little later.

    Args:
        command: the program with its arguments.
        seconds: the time limit.
        memory: how many bytes of address space it may have.
        env: variables that are set beside our own.

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
        """Kill what still runs and close its pipes; harmless when done already."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            self.process = self._group.start(command, env=env, memory=memory, bufsize=0, **pipes)
        except BaseException:
            self.end()
            raise
        said, self.process.stderr = self.process.stderr, None  # which only the listener closes
        self._tail = bytearray()
        self._listener = threading.Thread(target=_listen, args=(said, self._tail), daemon=True)
        self._listener.start()
        limit = None if seconds is None else seconds + _GRACE
        watched = self.process, self._group, limit, self._closed
        threading.Thread(target=_watch, args=watched, daemon=True).start()

    def read(self) -> bytes:
        """Return some of the output as soon as there is any; nothing at its end."""
        assert self.process.stdout is not None
        try:
            return os.read(self.process.stdout.fileno(), _CHUNK)
        except ValueError:  # closed meanwhile
            return b""

    def wait(self) -> int:
        """Return the status at the end."""
        return self.process.wait()

    @property
    def complaints(self) -> str:
        """The end of what came on standard error, after the end."""
        self._listener.join(_GRACE)
        return self._tail.decode(errors="replace")

    def kill(self) -> None:
        """Kill what still runs, and leave what was printed to be read."""
        self._group.kill()


def _close(group: Group, closed: threading.Event) -> None:
    closed.set()
    group.end()


def _listen(complaints: IO[bytes], tail: bytearray) -> None:
    """Read complaints until their end, and keep the last of them."""
    with complaints:
        while said := complaints.read(_CHUNK):
            tail.extend(said)
            del tail[:-_TAIL]


def _watch(process: Process, group: Group, seconds: float | None, closed: threading.Event) -> None:
    """Kill a program that outlives a time limit, and whatever holds its output open after its end."""
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
    """Run *command* to its end with *said* on its standard input, and return its status and what it printed.

    Args:
        command: the program and its arguments.
        said: what it can read.
        timeout: after so many seconds it is stopped; None for no limit.
        env: variables that are set beside our own.
        cwd: the folder in which it runs.
        group: whom it runs with; a group of its own where there is none.
        memory: how many bytes of address space it may have.
        waiting: called every two seconds meanwhile; only without *said*.

    Raises:
        OSError: it does not start.
        subprocess.TimeoutExpired: *timeout* passed.
    """
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    own = group or Group()
    try:
        process = own.start(command, env=env, cwd=cwd, memory=memory, text=True, errors="replace", **pipes)
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
            own.end()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def usable_cores() -> int:
    """Return the number of cores that this process may use, which its CPU affinity may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # noqa: TID251 - this system names no others


@contextmanager
def scratch_folder() -> Iterator[tuple[Path, Group]]:
    """Make a temporary folder that is removed afterwards, also when we are killed; and who works in it."""
    folder = Path(tempfile.gettempdir(), PREFIX + uuid4().hex)
    group = Group(folder)  # before the folder exists: there is no moment in which nobody would remove it
    try:
        folder.mkdir(mode=0o700)
        yield folder, group
    finally:
        group.stop()
        shutil.rmtree(folder, ignore_errors=True)
        group.end()


def last_words(text: str) -> str:
    """Return the end of what a program printed, as an error message quotes it."""
    words = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split())[-400:])
    return words or "it said nothing"


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program complained of, or else printed, as an error message quotes it."""
    return show((done.stderr or done.stdout).strip())


def _start_guard(removed: Sequence[Path]) -> Process | None:
    if os.name != "posix" or not Path(_SHELL).exists():
        return None
    return subprocess.Popen(
        [_SHELL, "-c", _GUARD, "catan-cp-guard", *removed],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        bufsize=0,
        process_group=0,
    )


def _kill(guard: Process | None, started: list[Process]) -> None:
    if guard is not None:
        with suppress(OSError):  # nothing of it is left
            os.killpg(guard.pid, signal.SIGKILL)
    for process in started:
        process.kill()


def _end(guard: Process | None, started: list[Process]) -> None:
    _kill(guard, started)
    for process in (*started, *([] if guard is None else [guard])):
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written has no reader
                    pipe.close()


def _forget_all() -> None:
    for group in tuple(_groups):
        group.forget()
    _groups.clear()


_groups: weakref.WeakSet[Group] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
