"""Stop solvers, and remove their files, when we are killed and have no time to.

A solver that searches in silence does not notice that nobody reads it any more. So this same file also runs
as a small process beside us: it is told which solvers run and which folders are in use, and waits for the end
of a pipe that only we hold. The end comes however we end; what still runs then is stopped,
and what is left is removed.
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


def protect(what: int | str) -> None:
    """Have a process stopped, by its number, or a folder removed, should we die before `release`."""
    with _lock:
        _tell(b"+" + os.fsencode(str(what)))


def release(what: int | str) -> None:
    """Say that it is taken care of; a process before its end is awaited: its number may be another's then."""
    with _lock:
        _tell(b"-" + os.fsencode(str(what)))


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
    """Listen until the pipe ends; then stop and remove what nobody released."""
    left: set[str] = set()
    begun = b""
    while heard := os.read(0, 1 << 16):
        *messages, begun = (begun + heard).split(_END)
        for message in messages:
            (left.add if message.startswith(b"+") else left.discard)(os.fsdecode(message[1:]))
    for process in filter(str.isdigit, left):
        with suppress(OSError):  # it ended by itself
            os.kill(int(process), getattr(signal, "SIGKILL", signal.SIGTERM))
    for folder in left:
        if os.path.basename(folder).startswith(PREFIX):  # noqa: PTH119
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
if __name__ == "__main__":
    _stand_guard()
