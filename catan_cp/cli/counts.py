"""catan-cp enumerate and catan-cp count."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    named_file,
    read_board,
    read_layout,
    read_rules,
    written,
)
from catan_cp.cli.terminal import bar, keeping, say, statistics_text, watched
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout

if TYPE_CHECKING:
    from catan_cp.search.enumerating import Solutions


class What(StrEnum):
    """What is enumerated or counted."""

    TERRAIN = "terrain"
    MARKERS = "markers"
    BOARDS = "boards"


_TOP = 10
On = Annotated[
    str | None, typer.Option("--on", help="For markers: the terrain, in notation, or - for standard input.")
]
Distinct = Annotated[
    bool, typer.Option("--distinct", help="What rotates or mirrors into something else counts once.")
]
Scratch = Annotated[
    Path | None,
    typer.Option(
        help="For terrain that needs too many states: a folder to count in, step by step. An interrupted "
        "count goes on where it was."
    ),
]
Kind = Annotated[What, typer.Argument(help="terrain, markers or boards")]
By = Annotated[
    str | None,
    typer.Option(
        help="Print the best by these measures instead (+: the least, -: the greatest first); later ones "
        "settle ties."
    ),
]


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
    distinct: Distinct = False,
    solver: SolverName = "auto",
    timeout: Timeout = None,
    limit: Limit = None,
    by: By = None,
    top: Annotated[
        int | None, typer.Option("--top", help=f"With --by: how many; {_TOP} if not given.")
    ] = None,
    how: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="How boards are written: notation, or, with --by, text: a table."
        ),
    ] = None,
    statistics: Statistics = False,
) -> None:
    """Print every board that the rules allow, while the solver finds them; or rank them all with --by.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg --by weak_vertices[/bold]
    """
    from catan_cp.search.enumerating import enumerate_boards, enumerate_markers, enumerate_terrain

    _check_ranking(what, by, top)
    if distinct and what is What.MARKERS:
        raise InvalidArgument("--distinct lists terrain or boards; markers stand on one given terrain")
    allowed = read_rules(rules, harbors, pattern, constraint, models)
    options: dict[str, Any] = {"solver": solver, "timeout": timeout, "limit": limit}
    board_of: Callable[[Any], Board]
    solutions: Solutions[Any]
    if what is What.MARKERS:
        terrain = _terrain(on, layout)
        solutions = enumerate_markers(terrain, allowed, **options)
        board_of = partial(Board, terrain.layout, terrain.terrain)
    elif what is What.TERRAIN:
        found = read_layout(layout)
        solutions = enumerate_terrain(allowed, found, distinct=distinct, **options)
        board_of = partial(Board, found)
    else:
        solutions = enumerate_boards(allowed, read_layout(layout), distinct=distinct, **options)
        board_of = lambda board: board  # noqa: E731
    with solutions:
        if by is None:
            _print_all(solutions, board_of, f"{what} found", limit, how or Format.NOTATION)
        else:
            _print_best(solutions, board_of, by, top or _TOP, how or Format.TEXT)
        say(f"{solutions.found} found, {'no more exist' if solutions.complete else 'there may be more'}")
        if statistics:
            say(statistics_text(solutions.statistics))


def _check_ranking(what: What, by: str | None, top: int | None) -> None:
    """Refuse what cannot be ranked before a solver starts."""
    if by is None:
        if top is not None:
            raise InvalidArgument("the top of what? rank the boards with --by, such as --by weak_vertices")
        return
    if what is What.TERRAIN:
        raise InvalidArgument("terrain without markers is not ranked; enumerate markers, or boards")
    from catan_cp.studies.ranking import check_ranking

    check_ranking(by, top)


def _print_all(
    solutions: Solutions[Any], board_of: Callable[[Any], Board], label: str, limit: int | None, how: Format
) -> None:
    kept = "what was found is printed; the same command starts again from the first"
    with keeping(lambda: f"{solutions.found} found, there may be more: {kept}"):
        for solution in watched(solutions, label, limit):
            print(written(board_of(solution), how))
        sys.stdout.flush()


def _print_best(
    solutions: Solutions[Any], board_of: Callable[[Any], Board], by: str, top: int, how: Format
) -> None:
    """Print the best of all solutions; of those until then where the time is over, or after Ctrl-C."""
    from catan_cp.studies.ranking import rank_boards

    try:
        with bar("boards ranked") as progress:
            rows = rank_boards(map(board_of, solutions), by, top, progress=progress)
    except SolverTimeout as timeout:
        _print_rows(timeout.partial, by, how)
        raise
    except Interrupted as stopped:
        _print_rows(stopped.result, by, how)
        kept = "the best of them are printed; the same command starts again from the first"
        raise Interrupted(f"{stopped}, there may be more: {kept}") from None
    _print_rows(rows, by, how)


def _print_rows(rows: list[dict[str, Any]], by: str, how: Format) -> None:
    from catan_cp.studies.store import top_table

    if how is Format.NOTATION:
        print("".join(f"{row['notation']}\n" for row in rows), end="")
    elif how is Format.JSON:
        print(json.dumps(rows))
    elif rows:
        print(top_table(rows, by))
    sys.stdout.flush()


def count(
    what: Kind,
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    on: On = None,
    distinct: Distinct = False,
    timeout: Annotated[float | None, typer.Option(help="For what must be listed: seconds.")] = None,
    scratch: Scratch = None,
    how: HowWritten = Format.TEXT,
) -> None:
    """Count exactly, also where nobody could list.

    [bold]catan-cp count terrain --rules open[/bold]
    """
    from catan_cp.counting import count_boards, count_markers, count_terrain

    allowed = read_rules(rules, harbors, pattern, constraint, models)
    if distinct and what is What.MARKERS:
        raise InvalidArgument("--distinct counts terrain or boards, not the markers of one terrain")
    if scratch is not None and what is not What.TERRAIN:
        raise InvalidArgument("--scratch is for counts of terrain; markers and boards need no folder")
    stays = f"{str(scratch)!r} keeps the steps that are done, and the same command goes on"
    with keeping(lambda: stays) if scratch else nullcontext(), bar(f"counting {what}") as progress:
        if what is What.MARKERS:
            number = count_markers(_terrain(on, layout), allowed, timeout=timeout, progress=progress)
        elif what is What.TERRAIN:
            number = count_terrain(
                allowed,
                read_layout(layout),
                distinct=distinct,
                timeout=timeout,
                scratch=scratch,
                progress=progress,
            )
        else:
            number = count_boards(
                allowed, read_layout(layout), distinct=distinct, timeout=timeout, progress=progress
            )
    if how is Format.JSON:
        print(json.dumps({"what": what, "rules": allowed.to_mapping(), "layout": layout, "count": number}))
    else:
        print(f"{number:,}" if how is Format.TEXT else number)


def _terrain(notation: str | None, layout: str) -> Board:
    if notation is None:
        letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
        raise InvalidArgument(f"markers stand on a terrain: give it with --on NOTATION (letters: {letters})")
    return read_board(notation, named_file(layout))
