"""All commands, as one application of typer; and the tools, which are about no board alone."""

from __future__ import annotations

import json
import os
from logging import ERROR, getLogger
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import catan_cp
from catan_cp.cli import boards, many, settling
from catan_cp.cli import options as opt
from catan_cp.cli.options import Command, argument, option, spread
from catan_cp.errors import InvalidArgument
from catan_cp.terminal import say, tell

# Tools


def layouts(
    *,
    names: list[str] | None = argument(
        None, "Layouts, or TOML files with one; none: all.", complete=opt.COMPLETED["layout"]
    ),
    toml: bool = option(False, "Print each as a file of a layout."),
    as_json: bool = option(False, "Print the table as JSON.", "--json"),
    picture: opt.Picture,
) -> None:
    """List the layouts, and draw their printed arrangements with --save.

    [bold]catan-cp layouts new-shores-3 four-islands-4 --save boxes.png[/bold]
    """
    found = [opt.read_layout(name) for name in names or catan_cp.LAYOUTS]
    if toml:
        tell("\n".join(layout.to_toml() for layout in found))
    elif as_json:
        tell(json.dumps([_facts(layout) for layout in found]))
    else:
        row = "{layout:40}{tiles:>6}{moving:>8}{groups:>8}{harbors:>9}  {title}"
        heads: dict[str, Any] = {name: name for name in _facts(found[0])}
        for facts in (heads, *map(_facts, found)):
            tell(row.format(**facts).rstrip())
        sources: dict[str, list[str]] = {}
        for layout in found:
            sources.setdefault(layout.source or "no source is said", []).append(layout.name)
        for source, named in sources.items():
            tell(f"\n{source}:\n    {', '.join(named)}")
    if picture.save is None:
        return
    drawn = [_printed(layout) for layout in found if layout.beginner_board]
    if not drawn:
        raise InvalidArgument("none of these layouts has a printed arrangement to draw")
    if bare := [layout.name for layout in found if not layout.beginner_board]:
        say(f"no printed arrangement to draw: {', '.join(bare)}")
    picture.draw(catan_cp.plot_gallery(drawn, [board.layout.name for board in drawn]))


def _facts(layout: catan_cp.Layout) -> dict[str, str | int]:
    """The row of a layout in the table."""
    return {
        "layout": layout.name,
        "tiles": layout.n_tiles,
        "moving": layout.n_tiles - len(layout.fixed_terrain),
        "groups": len(layout.terrain_pools),
        "harbors": len(layout.printed_harbors),
        "title": layout.title,
        "source": layout.source,
    }


def _printed(layout: catan_cp.Layout) -> catan_cp.Board:
    """The layout's printed arrangement with its harbors and fishing grounds."""
    pieces = catan_cp.Board.from_notation(layout.beginner_board or "", layout)
    more = layout.printed_harbors, layout.fishing_grounds
    return catan_cp.Board(layout, pieces.terrain, pieces.markers, *more)


def export(
    *,
    what: Literal["terrain", "markers", "joint", "board"] = argument(
        ..., "a model: terrain, markers or joint (complete boards); or board: one that is there"
    ),
    asked: opt.Asked,
    on: str | None = option(
        None, "For markers: the terrain, in notation; for board: the board, or - for standard input."
    ),
    how: Literal["mzn", "dzn", "json", "dimacs", "svg"] = option(
        "mzn",
        "mzn: one file that needs nothing else; dzn, json: the data; dimacs: clauses for model counters. For "
        "board: json or svg (outlines for cutters).",
    ),
) -> None:
    """Print a model for MiniZinc and its IDE, or the data for the models of catan-cp models; or a board.

    [bold]catan-cp export joint > board.mzn[/bold]
    """
    from catan_cp.search.instances import export_model

    given = None if on is None else opt.Given(on, opt.named_file(asked.layout)).board()
    if what == "board":
        tell(_exported(given, how), end="")
        return
    if how == "svg":
        words = "a model is exported as mzn, dzn, json or dimacs, not as"
        raise InvalidArgument(f"{words} {how}; that is for a board: catan-cp export board --format {how}")
    tell(export_model(what, *asked.both(), terrain=given, how=how), end="")


def _exported(board: catan_cp.Board | None, how: str) -> str:
    """Return a board as other programs read it."""
    if board is None:
        raise InvalidArgument("which board? give it in notation: --on NOTATION, or --on - for standard input")
    if how == "json":
        return f"{board.to_json()}\n"
    if how == "svg":
        from catan_cp.draw.cutting import cut_svg

        return cut_svg(board)
    raise InvalidArgument(f"a board is exported as json or svg, not as {how}: --format svg")


def models_(
    folder: Path = argument(..., "A folder that is not there yet, or is empty."),
) -> None:
    """Copy the models into a folder, to be edited; --models FOLDER then uses them.

    [bold]catan-cp models mine[/bold]
    """
    say(f"copied to {catan_cp.copy_models(folder)}; edit them, and give --models {folder}")


def page(
    notation: str | None = argument(None, "A board in notation, or - to read from standard input."),
    port: int | None = option(None, "Where it is served; 0: any free port."),
    browser: bool = option(True, "Open it in the browser.", "--browser/--no-browser"),
    lan: bool = option(False, "Serve it to the local network too, and draw its address as a QR code."),
    minutes: float | None = option(None, "How long it is served (by default 60 with --lan, else no limit)."),
) -> None:
    """Show the web page, on this machine alone, until Ctrl-C: make, judge, settle, share and print boards.

    With --lan phones in the same network open it too, at an address that nobody can guess. The environment
    variable CATAN_CP_PAGE_ADDRESS names the page's address on the web, for links that others open.

    [bold]catan-cp page o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed[/bold]
    """
    from catan_cp.page import show_page

    board = None if notation is None else opt.Given(notation).board()
    show_page(board, port, browser, lan=lan, minutes=minutes)


def doctor(
    install: bool = option(False, "Bring MiniZinc with Gecode and Chuffed, without root."),
    portable: bool = option(False, "Bring and use the portable solver, which runs anywhere (slower)."),
) -> None:
    """Say what is here and what is missing: MiniZinc, its solvers, the models.

    [bold]catan-cp doctor --install[/bold]  brings MiniZinc without root, into your cache folder: by apt from
    Debian's archive, or else the portable solver, by pip and npm
    """
    from catan_cp.setup import doctor
    from catan_cp.setup import install as bring

    if portable or install:
        (bring.install_portable if portable else bring.install_solver)(say)
    report = doctor.examine()
    tell(report.text())
    if not report.ok:
        raise opt.unsatisfied("something is missing; the lines above say what brings it")


# All commands

PANELS: dict[str, tuple[Command, ...]] = {
    "Make boards": (boards.generate, boards.best, boards.repair, boards.puzzle, boards.plot, boards.print_),
    "Judge boards": (boards.check, boards.report, boards.rules),
    "Settle and play": (
        settling.place,
        settling.rivals,
        settling.play,
        settling.tournament,
        settling.replan,
    ),
    "Many boards": (many.enumerate_, many.count, many.study, many.top, many.show, many.compare),
    "Tools": (layouts, export, models_, page, doctor),
}
"""The commands in the order of their help: a function each, named as its command is."""
ENTROPY: tuple[Command, ...] = (boards.score, boards.search, boards.official)
"""The commands below ``catan-cp entropy``."""


app = typer.Typer(
    name="catan-cp",
    help="Catan boards as a constraint problem: generate, enumerate, count, score and draw them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in PANELS.items():
    for command in commands:
        app.command(command.__name__.rstrip("_"), rich_help_panel=panel)(spread(command))
entropy = typer.Typer(help="How even a board is, and boards made to measure.", no_args_is_help=True)
for command in ENTROPY:
    entropy.command(command.__name__)(spread(command))
app.add_typer(entropy, name="entropy", rich_help_panel="Judge boards")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"catan-cp {catan_cp.__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Catan boards as a constraint problem: generate, enumerate, count, score and draw them."""


def run(arguments: list[str]) -> int:
    """Run the command that *arguments* name and return its exit status.

    Raises:
        KeyboardInterrupt: Ctrl-C; its text says what is kept, or nothing.
        OSError: standard output cannot be written; BrokenPipeError where its reader has gone.
        CatanError: what the command refuses or fails to do.
        Exception: typer's own, with ``format_message``, for a wrong word on the command line.
    """
    getLogger("matplotlib").setLevel(ERROR)  # where it keeps its fonts, and that it reads them, is no news
    if "_CATAN_CP_COMPLETE" in os.environ:  # the shell asks what completes a word
        app(prog_name="catan-cp")
    command = typer.main.get_command(app)
    try:  # not by app(...), which turns Ctrl-C and closed pipes into an exit status of its own
        with command.make_context("catan-cp", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except Exception as problem:  # a command without arguments has shown its help
        if hasattr(problem, "format_message") and not problem.format_message():
            return 0
        raise
    return 0
