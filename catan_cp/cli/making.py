"""Commands that make boards and draw them: generate, best, repair, puzzle, plot and print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catan_cp.boards.board import Board
from catan_cp.cli.options import (
    Allowed,
    AllowedPattern,
    Asked,
    Force,
    Format,
    Given,
    HowWritten,
    Picture,
    Search,
    Seed,
    Title,
    names,
    written,
)
from catan_cp.cli.terminal import clock, keeping, say, watched
from catan_cp.errors import InvalidArgument, SolverNotFound
from catan_cp.terminal import tell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catan_cp.search.best import Best

    Number = int | tuple[int, ...]


def _methods() -> Iterable[str]:
    from catan_cp.search.generate import METHODS

    return METHODS


def _measures() -> Iterable[str]:
    from catan_cp.search.best import measures

    return measures()


def generate(
    *,
    asked: Asked,
    seed: Seed = None,
    number: Annotated[int, typer.Option("-n", "--number", help="How many boards.")] = 1,
    method: Annotated[
        str,
        typer.Option(
            help="uniform: every board equally likely; walk: dealt and mended; solver; auto: by the rules.",
            autocompletion=names(_methods),
        ),
    ] = "auto",
    search: Search,
    candidates: Annotated[
        int | None, typer.Option(help="Take the evenest of so many terrains for each board.")
    ] = None,
    how: HowWritten = Format.TEXT,
    picture: Picture,
    show: Annotated[bool, typer.Option("--open", help="Show the last board on the web page.")] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say how the boards were made: drawn, walked or solved; and why."),
    ] = False,
) -> None:
    """Print boards that the rules allow, and draw them with --save.

    [bold]catan-cp generate --rules tournament --save board.png[/bold]
    """
    from catan_cp.search.generate import explain_method, generate_boards

    if number < 1:
        raise InvalidArgument(f"--number is at least 1, not {number}")
    if show:
        from catan_cp.page import page_dir

        page_dir()  # what is missing is said before anything is made
    options: dict[str, Any] = {"seed": seed, "method": method, "candidates": candidates, **vars(search)}
    boards: list[Board] = []
    with keeping(lambda: _kept(len(boards), number, picture.save)):
        try:
            made = generate_boards(number, asked.read(), asked.read_layout(), **options)
            for board in watched(made, "boards", number):
                tell(written(board, how), flush=True)
                boards.append(board)
        except SolverNotFound as missing:
            if search.solver != "auto":
                raise
            raise SolverNotFound(f"{missing}; or take --rules tournament, which needs no solver") from None
        picture.draw_boards(boards)
    if explain:
        say(explain_method(asked.read(), asked.read_layout(), method=method, solver=search.solver))
    if show:
        from catan_cp.page import show_page

        show_page(boards[-1], say)


def _kept(done: int, number: int, save: Path | None) -> str:
    """Say what an interrupted `generate` has done, and how to go on."""
    undrawn = "" if save is None else f"{save} is not drawn; "
    return f"{done} of {number} boards are printed; {undrawn}the same command starts again with other boards"


def best(
    *,
    asked: Asked,
    minimize: Annotated[
        list[str] | None,
        typer.Option(
            help="A measure's name, or MiniZinc text of a number; later ones settle ties.",
            autocompletion=names(_measures),
        ),
    ] = None,
    maximize: Annotated[
        list[str] | None,
        typer.Option(help="Likewise; after those to minimize.", autocompletion=names(_measures)),
    ] = None,
    measures: Annotated[bool, typer.Option("--measures", help="Print the named measures instead.")] = False,
    search: Search,
    how: HowWritten = Format.TEXT,
    picture: Picture,
) -> None:
    """Print the best board that the rules allow, by a measure; Ctrl-C gives the best so far.

    [bold]catan-cp best --rules open --minimize largest_vertex_sum[/bold]
    """
    from catan_cp.search import best as searching

    if measures:
        for name, says in searching.measures(asked.models).items():
            tell(f"{name}: {says}")
        return
    rules, layout = asked.read(), asked.read_layout()
    goals: dict[str, Any] = {"minimize": minimize or None, "maximize": maximize or None, **vars(search)}
    with clock("no board yet") as say_now:
        found = searching.best_board(
            rules, layout, improved=lambda one: say_now(f"found: {_numbers(one.value)}"), **goals
        )
    tell(written(found.board, how))
    say(_told(found))
    picture.draw(found.board)


def _told(found: Best) -> str:
    """Say how good the board is, and how sure that is."""
    if found.proven:
        return f"value {_numbers(found.value)}: proven, no board is better"
    return f"value {_numbers(found.value)}: the best so far, not proven; a better board may exist"


def _numbers(value: Number) -> str:
    return str(value) if isinstance(value, int) else ", ".join(map(str, value))


def repair(
    *,
    given: Given,
    allowed: AllowedPattern,
    search: Search,
    how: HowWritten = Format.NOTATION,
) -> None:
    """Print the allowed board that differs from a board on the fewest tiles.

    [bold]catan-cp repair o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    from catan_cp.search.best import repair_board

    found = repair_board(given.board(), allowed.read(), **vars(search))
    tell(written(found.board, how))
    certain = "proven, fewer will not do" if found.proven else "the best so far, not proven; fewer may do"
    say(f"{_tiles(found.value)}: {certain}")


def _tiles(number: Number) -> str:
    return "1 tile differs" if number == 1 else f"{number} tiles differ"


def puzzle(*, given: Given, allowed: Allowed, seed: Seed = None, search: Search) -> None:
    """Print a pattern that the board alone completes under the rules, with no clue too many.

    [bold]catan-cp generate -f notation | catan-cp puzzle -[/bold]
    """
    from catan_cp.search.puzzles import minimal_pattern

    tell(minimal_pattern(given.board(), allowed.read(), seed=seed, **vars(search)))


def plot(
    *,
    given: Given,
    picture: Picture,
    title: Title = None,
    theme: Annotated[
        str,
        typer.Option(
            help="light, dark, print (black on white) or plain.",
            autocompletion=names(lambda: ("light", "dark", "print", "plain")),
        ),
    ] = "light",
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
    if picture.save is None:
        raise InvalidArgument("where to? give --save FILE with the ending .png, .svg or .pdf")
    options = {"title": title, "theme": theme, "letters": letters, "patterns": patterns, "numbers": numbers}
    picture.draw_boards(given.boards(), **options)


def print_(
    *,
    given: Given,
    save: Annotated[Path, typer.Option(help="The page: a file that ends in .pdf.")],
    paper: Annotated[
        str,
        typer.Option(help="A4, A3 or Letter.", autocompletion=names(lambda: ("A4", "A3", "Letter"))),
    ] = "A4",
    hex_mm: Annotated[
        float | None,
        typer.Option("--hex-mm", help="Width of a tile in mm (the game's: 79); as wide as fits."),
    ] = None,
    tiled: Annotated[
        bool, typer.Option("--tiled", help="Tiles as wide as the game's, on as many pages as it takes.")
    ] = False,
    title: Title = None,
    theme: Annotated[str, typer.Option(help="print, or light or dark for coloured tiles.")] = "print",
    force: Force = False,
) -> None:
    """Make a page of a board for the printer and the table.

    [bold]catan-cp generate -f notation | catan-cp print - --save table.pdf[/bold]
    """
    from catan_cp.draw import print_sheet

    path = print_sheet(given.board(), save, paper, hex_mm, title=title, tiled=tiled, theme=theme, force=force)
    say(f"printed: {path}")


PANEL = "Make boards"
COMMANDS = (generate, best, repair, puzzle, plot, print_)
