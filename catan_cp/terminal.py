"""Progress on the terminal: on standard error, and never on standard output, which carries results."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


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
