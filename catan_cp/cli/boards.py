"""catan-cp generate, plot, print, check and rules."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from catan_cp.boards.board import Board
from catan_cp.cli.common import (
    BoardLayout,
    Force,
    Format,
    Harbors,
    HowWritten,
    LayoutName,
    Models,
    Notation,
    OwnConstraints,
    Pattern,
    RulesName,
    Save,
    Seed,
    SolverName,
    Theme,
    Timeout,
    complete_rules,
    read_board,
    read_boards,
    read_layout,
    read_rules,
    written,
)
from catan_cp.cli.terminal import keeping, say, watched
from catan_cp.errors import InvalidArgument
from catan_cp.rules.rules import OPEN_FIELDS, PRESETS


class Said(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    for command in (generate, plot, check, rules):
        app.command()(command)
    app.command("print")(print_)


def generate(
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    seed: Seed = None,
    number: Annotated[int, typer.Option("-n", "--number", help="How many boards.")] = 1,
    method: Annotated[
        str, typer.Option(help="uniform: every board equally likely; solver; auto: as the rules allow.")
    ] = "auto",
    solver: SolverName = "auto",
    timeout: Timeout = None,
    candidates: Annotated[
        int | None, typer.Option(help="Take the evenest of so many terrains for each board.")
    ] = None,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
    show: Annotated[bool, typer.Option("--open", help="Show the last board on the web page.")] = False,
) -> None:
    """Print boards that the rules allow, and draw them with --save.

    [bold]catan-cp generate --rules tournament --save board.png[/bold]
    """
    from catan_cp.search.generate import generate_boards

    if number < 1:
        raise InvalidArgument(f"--number is at least 1, not {number}")
    if save is not None:
        _check_target(save, force)
    if show:
        from catan_cp.page import page_dir

        page_dir()  # what is missing is said before anything is made
    made = generate_boards(
        number,
        read_rules(rules, harbors, pattern, constraint, models),
        read_layout(layout),
        seed=seed,
        method=method,
        solver=solver,
        timeout=timeout,
        candidates=candidates,
    )
    boards: list[Board] = []
    with keeping(lambda: _kept(len(boards), number, save)):
        for board in watched(made, "boards", number):
            print(written(board, how), flush=True)
            boards.append(board)
        if save is not None:
            _draw(boards, save, force)
    if show:
        from catan_cp.page import show_page

        show_page(boards[-1], say)


def _kept(done: int, number: int, save: Path | None) -> str:
    """Say what an interrupted `generate` has done, and how to go on."""
    undrawn = "" if save is None else f"{save} is not drawn; "
    return f"{done} of {number} boards are printed; {undrawn}the same command starts again with other boards"


def plot(
    notation: Notation,
    layout: BoardLayout = None,
    save: Save = None,
    force: Force = False,
    title: Annotated[str | None, typer.Option(help="A line above the board.")] = None,
    theme: Theme = "light",
    letters: Annotated[bool, typer.Option("--letters", help="Write each terrain's letter.")] = False,
    patterns: Annotated[
        bool | None,
        typer.Option("--patterns/--no-patterns", help="Draw terrains' patterns; all themes but plain do."),
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Write the numbers of tiles and vertices.")
    ] = False,
) -> None:
    """Draw a board, or a gallery of the boards on standard input.

    [bold]catan-cp generate -n 6 -f notation | catan-cp plot - --save six.png[/bold]
    """
    if save is None:
        raise InvalidArgument("where to? give --save FILE with the ending .png, .svg or .pdf")
    _check_target(save, force)
    options = {"title": title, "theme": theme, "letters": letters, "patterns": patterns, "numbers": numbers}
    _draw(read_boards(notation, layout), save, force, **options)


def print_(
    notation: Notation,
    save: Annotated[Path, typer.Option(help="The page: a file that ends in .pdf.")],
    layout: BoardLayout = None,
    paper: Annotated[str, typer.Option(help="A4, A3 or Letter.")] = "A4",
    hex_mm: Annotated[
        float | None,
        typer.Option("--hex-mm", help="Width of a tile in mm (the game's: 79); as wide as fits."),
    ] = None,
    tiled: Annotated[
        bool, typer.Option("--tiled", help="Tiles as wide as the game's, on as many pages as it takes.")
    ] = False,
    title: Annotated[str | None, typer.Option(help="A line above the board.")] = None,
    theme: Annotated[str, typer.Option(help="print, or light or dark for coloured tiles.")] = "print",
    force: Force = False,
) -> None:
    """Make a page of a board for the printer and the table.

    [bold]catan-cp generate -f notation | catan-cp print - --save table.pdf[/bold]
    """
    from catan_cp.draw import print_sheet

    board = read_board(notation, layout)
    path = print_sheet(board, save, paper, hex_mm, title=title, tiled=tiled, theme=theme, force=force)
    say(f"printed: {path}")


def check(
    notation: Notation,
    layout: BoardLayout = None,
    rules: RulesName = "optimal",
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    how: Annotated[Said, typer.Option("--format", "-f", help="How the breaches are written.")] = Said.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Say which rules a board breaks, and where; status 1 when it breaks any.

    With --save, a picture rings the vertices of each breach, or its tiles where it names no vertex.

    [bold]catan-cp check o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    if save is not None:
        _check_target(save, force)
    board = read_board(notation, layout)
    broken = read_rules(rules, None, pattern, constraint, models).check(board)
    if how is Said.JSON:
        print(json.dumps([asdict(breach) for breach in broken]))
    else:
        for breach in broken:
            print(breach)
    if save is not None:
        rings = {
            "ring_vertices": {vertex for breach in broken for vertex in breach.vertices},
            "ring_tiles": {tile for breach in broken if not breach.vertices for tile in breach.tiles},
        }
        _draw([board], save, force, numbers=True, **rings)
    if broken:
        say(f"catan-cp: the board breaks the rules {rules!r} in {len(broken)} places")
        raise typer.Exit(1)
    if how is Said.TEXT:
        print(f"the board keeps the rules {rules!r}")


def rules(
    name: Annotated[
        str | None,
        typer.Argument(help="A preset or a TOML file; none: all presets.", autocompletion=complete_rules),
    ] = None,
    how: Annotated[Said, typer.Option("--format", "-f", help="How the rules are written.")] = Said.TEXT,
    toml: Annotated[bool, typer.Option("--toml", help="Print them as a rules file.")] = False,
    fields: Annotated[
        bool, typer.Option("--fields", help="Print every field that a rules file can have instead.")
    ] = False,
) -> None:
    """Explain rules in plain English."""
    if fields:
        _print_fields()
        return
    names = list(PRESETS) if name is None else [name]
    if how is Said.JSON:
        print(json.dumps({each: read_rules(each).to_mapping() for each in names}))
        return
    for each in names:
        found = read_rules(each)
        print(f"# {each}" if toml else each)
        lines = [found.to_toml().rstrip()] if toml else [f"  {sentence}" for sentence in found.explain()]
        print("\n".join(lines) + "\n")


def _print_fields() -> None:
    """Print the declaration of each rule: its field, its values, and what it asks."""
    from catan_cp.rules.declared import RULES

    for rule in RULES.values():
        values = rule.kind.values.replace("`", "")
        print(f"{rule.field}: {values}\n  {rule.asks}\n")
    for field, (values, asks) in OPEN_FIELDS.items():
        if field != "models":  # no file may name them
            print(f"{field}: {values}\n  {asks}\n")


def _check_target(save: Path, force: bool) -> None:
    """Refuse a file that could not be written before any work is done for it."""
    from catan_cp.draw.files import ENDINGS, checked_path

    checked_path(save, ENDINGS, force=force)


def _draw(boards: list[Board], save: Path, force: bool, **options: Any) -> None:
    from catan_cp.draw import plot_gallery, save_picture

    if len(boards) == 1:
        path = save_picture(boards[0], save, force=force, **options)
    else:
        captions = [str(number) for number in range(1, len(boards) + 1)]
        path = save_picture(plot_gallery(boards, captions, **options), save, force=force)
    say(f"drawn: {path}")
