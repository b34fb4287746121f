"""Run a command: errors, exit status, Ctrl-C.

Every `CatanError` ends a command with status 1 and one line on standard error. For an error in a constraint,
its place follows. ``--debug`` shows the traceback.
"""

from __future__ import annotations

import _thread
import errno
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from catan_cp import terminal
from catan_cp.errors import CatanError, check_working_directory
from catan_cp.processes import PROCESS_LIMIT, ignores_children
from catan_cp.terminal import discard, open_closed_streams, say

INTERRUPTED = "interrupted; no file is left half written, and the same command starts again"
"""The message after Ctrl-C if the command has no partial results."""


def main(arguments: list[str] | None, release: Callable[[], None]) -> None:
    """Run the command line and exit, after *release* has restored Ctrl-C."""
    open_closed_streams()
    terminal.is_command = True
    if ignores_children() and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # inherited from the parent process
    status = _status(sys.argv[1:] if arguments is None else arguments, release)
    if arguments is None:  # the process ends now, so Ctrl-C has no effect
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


def _status(arguments: list[str], release: Callable[[], None]) -> int:
    """Run a command and return its exit status. Print an error as one line."""
    debug = "--debug" in arguments
    if debug:  # at any place
        arguments = ["--debug", *(word for word in arguments if word != "--debug")]
    try:
        from catan_cp.cli import commands  # errors of this import also end in one line

        release()
        check_working_directory()
        with _no_lost_interrupt(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: show_warning(message)
            status = commands.run(arguments)
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of the output has ended
        discard(sys.stdout)
        return 0
    except (Exception, KeyboardInterrupt) as problem:
        message = _message(problem)
        if debug or message is None:
            raise
        with suppress(OSError, ValueError):
            sys.stdout.flush()  # results come first
        if isinstance(problem, OSError):
            discard(sys.stdout)
        lines = filter(str.strip, message.splitlines())  # the place of an error in a constraint
        say("catan-cp: " + "\n".join(line.rstrip() for line in lines))
        return 1


def show_warning(message: Warning | str) -> None:
    """Print a warning on standard error, above the line of progress if one is shown."""
    from catan_cp.progress import remark

    remark(f"catan-cp: warning: {message}")


def _message(problem: BaseException) -> str | None:
    """Return the message for the user, None for a fault of this program."""
    if (interrupt := _interrupt_behind(problem)) is not None:
        return str(interrupt) or INTERRUPTED
    if isinstance(problem, CatanError):
        return re.sub(r"\bwith force(=True)?\b", "with --force", str(problem))
    if isinstance(problem, RuntimeError) and "start new thread" in str(problem):
        return PROCESS_LIMIT
    if isinstance(problem, OSError):
        unwritable = problem.errno in (errno.ENOSPC, errno.EBADF, errno.EIO) and problem.filename is None
        return f"cannot write to standard output: {problem.strerror}" if unwritable else str(problem)
    if hasattr(problem, "format_message"):  # an error of typer: a wrong word on the command line
        command = getattr(getattr(problem, "ctx", None), "command_path", "catan-cp")
        return f"{problem.format_message().replace('Value error, ', '')} (see {command} --help)"
    return None


def _interrupt_behind(problem: BaseException | None) -> KeyboardInterrupt | None:
    """Return the KeyboardInterrupt that *problem* is or wraps.

    Python 3.11 wraps one that comes while it makes a class.
    """
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__
    return problem


@contextmanager
def _no_lost_interrupt() -> Iterator[None]:
    """Repeat Ctrl-C if it came at a place where Python drops errors, such as a finalizer."""
    before = sys.unraisablehook

    def repeat(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            _thread.start_new_thread(_interrupt, ())  # later, because now it would be dropped again
        else:
            before(dropped)

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    """Interrupt this program as Ctrl-C does, after a pause."""
    time.sleep(0.05)
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)  # this also ends a wait
    else:
        _thread.interrupt_main()
