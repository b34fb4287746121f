"""Stop solvers, and remove their files, when we are killed and have no time to.

A solver that searches in silence does not notice that nobody reads it any more. So this same file also runs
as a small process beside us: it is told which solvers run, and waits for the end of a pipe that only we hold.
The end comes however we end; what still runs then is stopped.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

PREFIX = "catan-cp-"
"""How the folders begin in which MiniZinc works."""

_END = b"\0"
_lock = threading.RLock()  # a solver may be released by the garbage collector, in the midst of anything
_guard: Popen[bytes] | None = None


def post() -> None:
    """Have a guard ready, before the solver starts; where none can be posted, the solver runs without."""
    global _guard
    with _lock:
        if _guard is None:
            _guard = _posted()


def protect(pid: int, folder: str = "") -> None:
    """Have a process stopped, and its folder removed, should this one die before `release`."""
    with _lock:
        _tell(b"+%d %s" % (pid, os.fsencode(folder)))


def release(pid: int) -> None:
    """Say that a solver is taken care of; before its end is awaited, for then its number may be another's."""
    with _lock:
        _tell(b"-%d" % pid)


def _tell(message: bytes) -> None:
    """Send a message, which is shorter than what a pipe takes at once."""
    if _guard is None or _guard.stdin is None:
        return
    try:
        os.write(_guard.stdin.fileno(), message + _END)
    except BlockingIOError:  # it stands still; work goes on all the same
        pass
    except OSError:  # somebody stopped it; the next solver gets a new one
        _dismiss()


def _posted() -> Popen[bytes] | None:
    """Start the guard, in a session of its own, where Ctrl-C does not reach it."""
    import atexit
    import subprocess

    try:
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.abspath(__file__)],  # noqa: PTH100 - pathlib loads slowly
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:  # a Python inside another program may have no program of its own
        return None
    assert guard.stdin is not None
    os.set_blocking(guard.stdin.fileno(), False)
    atexit.unregister(_dismiss)
    atexit.register(_dismiss)
    return guard


def _dismiss() -> None:
    """Let the guard go, and wait for that; it is never long about it."""
    global _guard
    guard, _guard = _guard, None
    if guard is not None and guard.stdin is not None:
        guard.stdin.close()
        guard.wait()


def _forget() -> None:
    """After a fork: the guard is our parent's, who alone may hold its pipe."""
    global _guard, _lock
    guard, _guard, _lock = _guard, None, threading.RLock()
    if guard is not None and guard.stdin is not None:
        guard.stdin.close()
        guard.returncode = 0  # not our child, so nothing to warn about


def _stand_guard() -> None:
    """Listen until the pipe ends; then stop the solvers that nobody released."""
    running: dict[int, str] = {}
    left = b""
    while heard := os.read(0, 1 << 16):
        *messages, left = (left + heard).split(_END)
        for message in messages:
            pid, _, place = message[1:].partition(b" ")
            if message.startswith(b"+"):
                running[int(pid)] = os.fsdecode(place)
            else:
                running.pop(int(pid), None)
    for solver, folder in running.items():
        with suppress(OSError):  # it ended by itself
            os.kill(solver, getattr(signal, "SIGKILL", signal.SIGTERM))
        if os.path.basename(folder).startswith(PREFIX):  # noqa: PTH119
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
if __name__ == "__main__":
    _stand_guard()
