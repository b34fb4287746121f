"""Hold Ctrl-C back for a moment, or let it end the wait for what cannot be stopped."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Defer Ctrl-C until the end of the ``with``, so that what starts there is either whole or not begun.

    A process started meanwhile has the signal blocked, where the system has masks for signals, until it
    unblocks it itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C comes to the main thread only
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    masks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def call_apart(function: Callable[[], object]) -> None:
    """Call *function* in a thread of its own and wait for it; Ctrl-C ends the wait, never the call.

    This is for code that would lose Ctrl-C or be left half done by it, such as a compiler. The thread ends
    with the process; what *function* raises is raised here.
    """
    raised: list[BaseException] = []

    def call() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=call, name="apart", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)  # a wait without an end would not notice Ctrl-C on Windows
    if raised:
        raise raised[0]


def start_resource_tracker() -> None:
    """Start the process that Python's worker processes share, to be called before the ``with`` they start in.

    Starting it unblocks the signal, which would otherwise happen in the middle of the start of a worker.
    """
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
