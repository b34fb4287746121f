"""Remarks and progress on standard error, and standard streams that may be closed.

Standard output carries results and nothing else, whatever standard error is. Standard streams may be
closed, or lose their reader, at any time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TypeVar

from catan_cp.terminal import progress_on_stderr, tell

T = TypeVar("T")

_TELLING = ("nodes", "failures", "peak_depth", "restarts", "propagations", "init_time", "solve_time")
_SHOWN_AGAIN = 0.1  # seconds between two times that a bar comes back below results


def open_closed_streams() -> None:
    """Put something in the place of standard streams that were closed when we started, as in ``2>&-``.

    Python has None there, and the next file that is opened would get the stream's number. Remarks go nowhere,
    input is empty, and writing results fails, as it does in other programs.
    """
    for number, name, mode, flags in (
        (0, "stdin", "r", os.O_RDONLY),
        (1, "stdout", "w", os.O_RDONLY),  # so that writing is an error
        (2, "stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def discard(stream: IO[str]) -> None:
    """Send what *stream* still holds nowhere, or Python would fail on it once more as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(message: str) -> None:
    """Print a remark on standard error; that nobody reads it changes nothing."""
    try:
        tell(message, flush=True, error=True)
    except OSError:
        discard(sys.stderr)


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a bar on standard error, and give what moves it: how much is done, and of how much.

    Gives None, and shows nothing, where standard error is no terminal.
    """
    progress = progress_on_stderr()
    if progress is None:
        yield None
        return
    task = progress.add_task(label, total=None)
    with progress:
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def clock(label: str) -> Iterator[Callable[[str], None]]:
    """Show the time that has passed on standard error, and give what sets the words before it.

    Where standard error is no terminal, each of these words is a remark.
    """
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = progress_on_stderr(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    if progress is None:
        yield say
        return
    task = progress.add_task(label, total=None)
    with progress:
        yield lambda words: progress.update(task, description=words)


def watched(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield *items* while a bar on standard error counts them, when that is a terminal.

    Where standard output is a terminal too, the bar is away while an item is in the caller's hands: a result
    that is printed never shares a line with it.
    """
    progress = progress_on_stderr()
    if progress is None:
        yield from items
        return
    task = progress.add_task(label, total=total)
    shared, shown = sys.stdout.isatty(), time.monotonic()
    with progress:
        for item in items:
            if shared:
                progress.stop()
            yield item
            progress.advance(task)
            if shared and time.monotonic() - shown >= _SHOWN_AGAIN:
                shown = time.monotonic()
                progress.start()


@contextmanager
def keeping(kept: Callable[[], str]) -> Iterator[None]:
    """Have Ctrl-C say what *kept* returns: what is done, and how to go on; unless it says so already."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        if str(stopped):
            raise
        raise KeyboardInterrupt(f"interrupted; {kept()}") from None


def statistics_text(statistics: Mapping[str, float]) -> str:
    """Return what a solver reports of its search as one line, the most telling figures first."""
    parts = []
    for name in _TELLING:
        if (value := statistics.get(name)) is not None:
            unit = f"{value:.3f} s" if name.endswith("time") else f"{value:,}"
            parts.append(f"{name.replace('_', ' ')} {unit}")
    return "statistics: " + (", ".join(parts) or "none, since no solver ran to its end")
