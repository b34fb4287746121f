"""What goes out to the terminal: results on standard output; remarks and progress on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from catan_cp.errors import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


def tell(text: object, *, end: str = "\n", flush: bool = False, error: bool = False) -> None:
    """Print *text* on standard output, or standard error, with what would steer the terminal made visible.

    Where that is a terminal, lines that are too long for it are broken between words.
    """
    stream = sys.stderr if error else sys.stdout
    print(_broken(visible(str(text)), stream), end=end, flush=flush, file=stream)


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


def progress_on_stderr(*columns: ProgressColumn, transient: bool = True) -> Progress | None:
    """Return what draws progress on standard error; None where that is no terminal that can move its cursor.

    Args:
        columns: what a line of progress has; none: rich's usual bar.
        transient: whether the line goes away at the end.
    """
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_interactive:
        return None
    # By default rich takes over sys.stdout, and results would be drawn on the console: on standard error.
    return Progress(
        *columns, console=console, transient=transient, redirect_stdout=False, redirect_stderr=False
    )
