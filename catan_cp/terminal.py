"""What goes out to the terminal: results on standard output; remarks and progress on standard error.

Standard output carries results and nothing else, whatever standard error is. Standard streams may be
closed, or lose their reader, at any time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, TextIO, TypeVar

from catan_cp.errors import Interrupted, SolverTimeout, visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


def tell(text: object, *, end: str = "\n", flush: bool = False, error: bool = False) -> None:
    """Print *text* on standard output, or standard error, with what would steer the terminal made visible.

    Where that is a terminal, lines that are too long for it are broken between words.
    """
    stream = sys.stderr if error else sys.stdout
    print(_encodable(_broken(visible(str(text)), stream), stream), end=end, flush=flush, file=stream)


_PLAIN = str.maketrans({"·": ".", "±": "+-", "×": "x", "²": "^2"})


def _encodable(text: str, stream: TextIO) -> str:
    """Return *text* with signs that the stream cannot encode written in ASCII or as escapes."""
    encoding = stream.encoding or "utf-8"  # a stream in memory has none
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _broken(text: str, stream: IO[str]) -> str:
    """Return *text* with lines that are too wide for a terminal broken between words."""
    if not stream.isatty():
        return text
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        columns = os.get_terminal_size(stream.fileno()).columns or 80
    if max(map(len, text.split("\n"))) <= columns:
        return text
    from textwrap import wrap

    lines: list[str] = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        kept = {"break_long_words": False, "break_on_hyphens": False, "expand_tabs": False}
        lines += wrap(line, columns, subsequent_indent=indent, **kept) if len(line) > columns else [line]  # type: ignore[arg-type]
    return "\n".join(lines)


def aligned(lines: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return a table's lines with columns of equal width, all but the first *texts* flush right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ways = ["<" if i < texts else ">" for i in range(len(widths))]
    template = "  ".join(f"{{:{way}{width}}}" for way, width in zip(ways, widths, strict=True))
    return [template.format(*line).rstrip() for line in lines]


def progress_on_stderr(*columns: ProgressColumn) -> Progress | None:
    """Return what draws progress on standard error; None where that is no terminal that can move its cursor.

    Args:
        columns: what a line of progress has; none: rich's usual bar.
    """
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_interactive:
        return None
    # By default rich takes over sys.stdout, and results would be drawn on the console: on standard error.
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)


T = TypeVar("T")

_TELLING = ("nodes", "failures", "peak_depth", "restarts", "propagations", "init_time", "solve_time")
_SHOWN_AGAIN = 0.1  # seconds between two times that a bar comes back below results


def open_closed_streams() -> None:
    """Put something in the place of standard streams that were closed when we started, as in ``2>&-``.

    Python has None there, and the next file that is opened would get the stream's number. Remarks go nowhere,
    input is empty, and writing results fails, as it does in other programs.
    """
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),  # so that writing is an error
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8", closefd=False))


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
        # Drawn at once, however soon the next words come.
        yield lambda words: progress.update(task, description=words, refresh=True)


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
        if str(stopped) or not (said := kept()):
            raise
        raise KeyboardInterrupt(f"interrupted; {said}") from None


@contextmanager
def until_stopped(work: Callable[..., T], label: str, kept: str) -> Iterator[T]:
    """Give what *work* returns, under a bar; where time or Ctrl-C ended it, what it had, and then that error.

    Ctrl-C says *kept*: what is done, in place of ``{}``, and how to go on.
    """
    ended: Interrupted | SolverTimeout | None = None
    with bar(label) as progress:
        try:
            found = work(progress=progress)
        except SolverTimeout as late:
            found, ended = late.partial, late
        except Interrupted as stopped:
            found, ended = stopped.result, Interrupted(kept.format(stopped))
    yield found
    if ended is not None:
        raise ended


def statistics_text(statistics: Mapping[str, float]) -> str:
    """Return what a solver reports of its search as one line, the most telling figures first."""
    parts = []
    for name in _TELLING:
        if (value := statistics.get(name)) is not None:
            unit = f"{value:.3f} s" if name.endswith("time") else f"{value:,}"
            parts.append(f"{name.replace('_', ' ')} {unit}")
    return "statistics: " + (", ".join(parts) or "none, since no solver ran to its end")
