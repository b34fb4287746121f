"""Running a command: its errors, its exit status, Ctrl-C.

Every `CatanError` ends a command with status 1 and one line on standard error, and below it the place of an
error in a constraint; ``--debug`` shows the rest.
"""

from __future__ import annotations

import _thread
import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from catan_cp.errors import CatanError
from catan_cp.terminal import discard, open_closed_streams, say

INTERRUPTED = "interrupted; no file is left half written, and the same command starts again"
"""What a command says after Ctrl-C that has nothing to keep."""


def main(arguments: list[str] | None, release: Callable[[], None]) -> None:
    """Run the command line and exit; *release* lets Ctrl-C through, which was held back until now."""
    open_closed_streams()
    status = _status(sys.argv[1:] if arguments is None else arguments, release)
    if arguments is None:  # the process ends now: Ctrl-C has nothing to stop any more
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


def _status(given: list[str], release: Callable[[], None]) -> int:
    """Run a command and return its exit status; what ended it early is said in one line."""
    debug = "--debug" in given
    if debug:  # wherever it stands
        given = ["--debug", *(word for word in given if word != "--debug")]
    try:
        from catan_cp.cli import commands  # errors of this import, too, end in one line

        release()
        with _no_lost_interrupt():
            status = commands.run(given)
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read our output has seen enough
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
        lines = filter(str.strip, message.splitlines())  # the place in a constraint is shown below its error
        say("catan-cp: " + "\n".join(line.rstrip() for line in lines))
        return 1


def _message(problem: BaseException) -> str | None:
    """Return what a person is told of *problem*; None for a mistake in this program."""
    if (interrupt := _interrupt_behind(problem)) is not None:
        return str(interrupt) or INTERRUPTED
    if isinstance(problem, CatanError):
        return re.sub(r"\bwith force(=True)?\b", "with --force", str(problem))
    if isinstance(problem, OSError):
        unwritable = problem.errno in (errno.ENOSPC, errno.EBADF, errno.EIO) and problem.filename is None
        return f"cannot write to standard output: {problem.strerror}" if unwritable else str(problem)
    if hasattr(problem, "format_message"):  # typer's: a wrong word on the command line
        return f"{problem.format_message()} (catan-cp --help tells what there is)"
    return None


def _interrupt_behind(problem: BaseException | None) -> KeyboardInterrupt | None:
    """Return the Ctrl-C that *problem* is or wraps: Python 3.11 wraps one in the making of a class."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__
    return problem


@contextmanager
def _no_lost_interrupt() -> Iterator[None]:
    """Interrupt again where Ctrl-C came in a place that Python drops errors from, such as a finalizer."""
    before = sys.unraisablehook

    def again(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            _thread.start_new_thread(_interrupt, ())  # at once, it would come in this place too
        else:
            before(dropped)

    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    """Interrupt this program as Ctrl-C does, once it has left where Python drops errors from."""
    time.sleep(0.05)
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)  # this also ends a wait
    else:
        _thread.interrupt_main()
