"""What is said on standard error: remarks, progress, and what an interrupted command has kept.

Standard output carries results and nothing else, whatever standard error is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from catan_cp.cli.streams import say as say
from catan_cp.terminal import progress_on_stderr

T = TypeVar("T")

_TELLING = ("nodes", "failures", "peak_depth", "restarts", "propagations", "init_time", "solve_time")
_SHOWN_AGAIN = 0.1  # seconds between two times that a bar comes back below results


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
