"""catan-cp page."""

from __future__ import annotations

from typing import Annotated

import typer

from catan_cp.cli.common import read_board
from catan_cp.cli.terminal import say


def add_to(app: typer.Typer) -> None:
    """Add this command to *app*."""
    app.command()(page)


def page(
    notation: Annotated[
        str | None, typer.Argument(help="A board in notation, or - to read from standard input.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Where it is served; 0: any free port.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
) -> None:
    """Show the web page, on this machine alone, until Ctrl-C: make, judge, settle, share and print boards.

    [bold]catan-cp page o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed[/bold]
    """
    from catan_cp.page import show_page

    board = None if notation is None else read_board(notation)
    show_page(board, say, port, browser)
