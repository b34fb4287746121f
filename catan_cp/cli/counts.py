"""catan-cp enumerate and catan-cp count."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import TERRAIN_LETTER
from catan_cp.cli.common import (
    Format,
    Harbors,
    HowWritten,
    LayoutName,
    Limit,
    Models,
    OwnConstraints,
    Pattern,
    RulesName,
    SolverName,
    Statistics,
    Timeout,
    read_board,
    read_layout,
    read_rules,
    written,
)
from catan_cp.cli.terminal import bar, keeping, say, statistics_text, watched
from catan_cp.errors import InvalidArgument


class What(StrEnum):
    """What is enumerated or counted."""

    TERRAIN = "terrain"
    MARKERS = "markers"
    BOARDS = "boards"


On = Annotated[
    str | None, typer.Option("--on", help="For markers: the terrain, in notation, or - for standard input.")
]
Kind = Annotated[What, typer.Argument(help="terrain, markers or boards")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("enumerate")(enumerate_)
    app.command("count")(count)


def enumerate_(
    what: Kind,
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    on: On = None,
    solver: SolverName = "auto",
    timeout: Timeout = None,
    limit: Limit = None,
    how: HowWritten = Format.NOTATION,
    statistics: Statistics = False,
) -> None:
    """Print every board that the rules allow, while the solver finds them.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg[/bold]
    """
    from catan_cp.search.enumerating import enumerate_boards, enumerate_markers, enumerate_terrain

    allowed = read_rules(rules, harbors, pattern, constraint, models)
    options: dict[str, Any] = {"solver": solver, "timeout": timeout, "limit": limit}
    show: Callable[[Any], str]
    solutions: Any
    if what is What.MARKERS:
        terrain = _terrain(on)
        solutions = enumerate_markers(terrain, allowed, **options)
        show = lambda markers: written(Board(terrain.layout, terrain.terrain, markers), how)  # noqa: E731
    elif what is What.TERRAIN:
        found = read_layout(layout)
        solutions = enumerate_terrain(allowed, found, **options)
        show = lambda names: written(Board(found, names), how)  # noqa: E731
    else:
        solutions = enumerate_boards(allowed, read_layout(layout), **options)
        show = lambda board: written(board, how)  # noqa: E731
    kept = "what was found is printed; the same command starts again from the first"
    with solutions, keeping(lambda: f"{solutions.found} found, there may be more: {kept}"):
        for solution in watched(solutions, f"{what} found", limit):
            print(show(solution))
        sys.stdout.flush()
        say(f"{solutions.found} found, {'no more exist' if solutions.complete else 'there may be more'}")
        if statistics:
            say(statistics_text(solutions.statistics))


def count(
    what: Kind,
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    on: On = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Terrain that rotates or mirrors into another counts once.")
    ] = False,
    timeout: Annotated[float | None, typer.Option(help="For what must be listed: seconds.")] = None,
    how: HowWritten = Format.TEXT,
) -> None:
    """Count exactly, also where nobody could list.

    [bold]catan-cp count terrain --rules open[/bold]
    """
    from catan_cp.counting import count_boards, count_markers, count_terrain

    allowed = read_rules(rules, harbors, pattern, constraint, models)
    if distinct and what is not What.TERRAIN:
        raise InvalidArgument(f"--distinct counts terrain, not {what}")
    with bar(f"counting {what}") as progress:
        if what is What.MARKERS:
            number = count_markers(_terrain(on), allowed, timeout=timeout, progress=progress)
        elif what is What.TERRAIN:
            number = count_terrain(
                allowed, read_layout(layout), distinct=distinct, timeout=timeout, progress=progress
            )
        else:
            number = count_boards(allowed, read_layout(layout), timeout=timeout, progress=progress)
    if how is Format.JSON:
        print(json.dumps({"what": what, "rules": allowed.to_mapping(), "layout": layout, "count": number}))
    else:
        print(f"{number:,}" if how is Format.TEXT else number)


def _terrain(notation: str | None) -> Board:
    if notation is None:
        letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
        raise InvalidArgument(f"markers stand on a terrain: give it with --on NOTATION (letters: {letters})")
    return read_board(notation)
