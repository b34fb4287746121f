"""Progress of long calls, as a value for a callable or a line on the terminal.

Functions that take long have the parameter ``progress``. True shows a line on the terminal, False shows
nothing, and a function is called with a `Progress` now and then.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from catan_cp.errors import InvalidArgument, amount, show
from catan_cp.terminal import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

T = TypeVar("T")

_console: Console | None = None  # of the last line
_PAUSE = 0.1  # seconds until the line is shown again after a result was printed


@dataclass(frozen=True)
class Progress:
    """The state of a long call.

    Attributes:
        done: number of units that are finished.
        total: number of all units; None if unknown.
        unit: the units, such as ``boards``; empty if nothing is counted and *text* says everything.
        text: the current step, or remarks.
        rate: units per second in this call; None before the first one is finished.
        seconds_left: estimated seconds to the end at this rate; None if *rate* or *total* is unknown.
        best: the best result so far, for calls that search for one; its type depends on the call.
    """

    done: int = 0
    total: int | None = None
    unit: str = ""
    text: str = ""
    rate: float | None = None
    seconds_left: float | None = None
    best: object = None

    def __str__(self) -> str:
        parts = []
        if self.unit:
            last = amount(self.done if self.total is None else self.total, self.unit.removesuffix("s"))
            parts.append(last if self.total is None else f"{self.done:,} of {last}")
        if self.rate:
            parts.append(f"{self.rate:,.0f}/s" if self.rate >= 10 else f"{self.rate:.2g}/s")
        if self.text:
            parts.append(self.text)
        if self.seconds_left is not None:
            minutes, seconds = divmod(round(self.seconds_left), 60)
            hours, minutes = divmod(minutes, 60)
            parts.append((f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{seconds:02} left")
        return ", ".join(parts)


Watch = Callable[[Progress], None]
"""A function that receives the progress of a call."""


@contextmanager
def watching(
    progress: bool | Watch, label: str = "", *, done: int = 0, keep_last: bool = False
) -> Iterator[Watch | None]:
    """Yield the function to call with each `Progress`. It adds rate and seconds left.

    Args:
        progress: the argument of the public function.
        label: words in the line on the terminal before counts, and before the first report.
        done: number of units that were finished before this call.
        keep_last: leave the last state on the terminal at the end.

    Raises:
        InvalidArgument: *progress* is neither True, False nor a function.
    """
    check_progress(progress)
    if not isinstance(progress, bool):
        yield _paced(progress, done)
    elif progress:
        with _progress_line(label, keep_last) as watch:
            yield _paced(watch, done)
    else:
        yield None


def check_progress(progress: object) -> None:
    """Raise InvalidArgument if *progress* is neither True, False nor a function."""
    if not isinstance(progress, bool) and not callable(progress):
        raise InvalidArgument(f"progress must be True, False or a function, not {show(progress)}")


def _paced(watch: Watch, before: int) -> Watch:
    """Return a function that adds rate and seconds left, then calls *watch*."""
    began = time.monotonic()

    def paced(progress: Progress) -> None:
        finished = progress.done - before
        if progress.unit and finished > 0:
            rate = finished / max(time.monotonic() - began, 1e-9)
            seconds = None if progress.total is None else max(0, progress.total - progress.done) / rate
            progress = replace(progress, rate=rate, seconds_left=seconds)
        watch(progress)

    return paced


@contextmanager
def _progress_line(label: str, keep_last: bool) -> Iterator[Watch]:
    """Show a line on standard error, and yield the function that updates it.

    In a notebook, the line is below the running cell. If standard error is neither a notebook nor a terminal
    that can move its cursor, a `Progress` without a unit is printed as a remark, and counts are not shown.
    """
    line = _line(label)
    show_in_notebook = None if line is not None else _notebook_line()
    last: Progress | None = None

    def show_progress(progress: Progress) -> None:
        nonlocal last
        first, last = last is None, progress
        if line is not None:
            rich, task = line
            # Text is shown at once, in case the next one follows within a refresh.
            rich.update(task, description=_described(label, progress), refresh=first or not progress.unit)
        elif show_in_notebook is not None:
            show_in_notebook(_described(label, progress), first or not progress.unit)
        elif not progress.unit:
            say(str(progress))

    try:
        if line is None:
            yield show_progress
        else:
            with line[0]:
                yield show_progress
    finally:
        if show_in_notebook is not None and last is not None:
            show_in_notebook("", True)
        if keep_last and last is not None and last.rate and sys.stderr.isatty():
            say(str(last))


def watched(items: Iterable[T], unit: str, total: int | None = None) -> Iterator[T]:
    """Yield *items* while a line on standard error counts them, if that is a terminal.

    If standard output is a terminal too, the line is hidden while the caller handles an item, so that a
    printed result never shares a line with it.
    """
    line = _line(unit)
    if line is None:
        yield from items
        return
    rich, task = line
    update = _paced(lambda progress: rich.update(task, description=str(progress)), 0)
    shared, shown_at = sys.stdout.isatty(), time.monotonic()
    with rich:
        for number, item in enumerate(items, start=1):
            if shared:
                rich.stop()
            yield item
            update(Progress(number, total, unit))
            if shared and time.monotonic() - shown_at >= _PAUSE:
                shown_at = time.monotonic()
                rich.start()


def remark(text: str) -> None:
    """Print a remark on standard error, above the line if one is shown."""
    if _console is None:
        say(text)
    else:
        _console.print(text, markup=False, highlight=False)


def _notebook_line() -> Callable[[str, bool], None] | None:
    """Return the function that shows a text below the running cell of a notebook, None outside notebooks.

    Its second argument is True if the text is shown even if the last one is only just shown.
    """
    if not type(sys.stderr).__module__.startswith("ipykernel."):
        return None
    display: Any = import_module("IPython.display").display
    handle: Any = None
    shown_at = 0.0

    def show_text(text: str, must: bool) -> None:
        nonlocal handle, shown_at
        now, data = time.monotonic(), {"text/plain": text}
        if handle is None:
            handle = display(data, raw=True, display_id=True)
        elif must or now - shown_at > _PAUSE:
            handle.update(data, raw=True)
        else:
            return
        shown_at = now

    return show_text


def _described(label: str, progress: Progress) -> str:
    return f"{label}: {progress}" if label and progress.unit else str(progress)


def _line(label: str) -> tuple[RichProgress, TaskID] | None:
    """Return a line on standard error, None if its cursor cannot move."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    global _console
    console = Console(stderr=True)
    if not console.is_interactive:
        return None
    _console = console
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    # By default rich replaces sys.stdout, and would print results on the console, which is standard error.
    rich = RichProgress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    return rich, rich.add_task(label, total=None)
