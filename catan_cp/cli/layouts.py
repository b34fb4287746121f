"""catan-cp layouts."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.cli.common import Force, Save, complete_layout, read_layout
from catan_cp.cli.terminal import say
from catan_cp.errors import InvalidArgument


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command()(layouts)


def layouts(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Layouts, or TOML files with one; none: all.", autocompletion=complete_layout),
    ] = None,
    toml: Annotated[bool, typer.Option("--toml", help="Print each as a file of a layout.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    save: Save = None,
    force: Force = False,
) -> None:
    """List the layouts, and draw their printed arrangements with --save.

    [bold]catan-cp layouts new-shores-3 four-islands-4 --save boxes.png[/bold]
    """
    from catan_cp.draw import plot_gallery, save_picture
    from catan_cp.draw.files import ENDINGS, checked_path

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    found = [read_layout(name) for name in names or LAYOUTS]
    if toml:
        print("\n".join(layout.to_toml() for layout in found))
    elif as_json:
        print(json.dumps([_facts(layout) for layout in found]))
    else:
        print(f"{'layout':40}{'tiles':>6}{'moving':>8}{'groups':>8}{'harbors':>9}  title")
        for layout in found:
            f = _facts(layout)
            numbers = f"{f['tiles']:>6}{f['moving']:>8}{f['groups']:>8}{f['harbors']:>9}"
            print(f"{f['layout']:40}{numbers}  {f['title']}".rstrip())
    if save is not None:
        boards = [_printed(layout) for layout in found]
        drawn = [board for board in boards if board is not None]
        if not drawn:
            raise InvalidArgument("none of these layouts has a printed arrangement to draw")
        if len(drawn) < len(found):
            missing = ", ".join(la.name for la, board in zip(found, boards, strict=True) if board is None)
            say(f"no printed arrangement to draw: {missing}")
        figure = plot_gallery(drawn, [board.layout.name for board in drawn])
        say(f"drawn: {save_picture(figure, save, force=force)}")


def _facts(layout: Layout) -> dict[str, str | int]:
    """The row of a layout in the table."""
    return {
        "layout": layout.name,
        "tiles": layout.n_tiles,
        "moving": layout.n_tiles - len(layout.fixed_terrain),
        "groups": len(layout.terrain_pools),
        "harbors": len(layout.printed_harbors),
        "title": layout.title,
    }


def _printed(layout: Layout) -> Board | None:
    """The layout's printed arrangement with its harbors, where it has one."""
    if not layout.beginner_board:
        return None
    board = Board.from_notation(layout.beginner_board, layout)
    return Board(layout, board.terrain, board.markers, layout.printed_harbors)
