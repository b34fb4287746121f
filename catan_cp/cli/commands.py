"""The typer application, and the commands for layouts, models, page and doctor."""

from __future__ import annotations

import json
import os
from logging import ERROR, getLogger
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import catan_cp
from catan_cp.cli import anymodel, boards, many, settling
from catan_cp.cli import options as opt
from catan_cp.cli.options import Command, argument, option, spread
from catan_cp.errors import InvalidArgument, listed
from catan_cp.terminal import say, tell

# Tools


def layouts(
    *,
    names: list[str] | None = argument(
        None, "Layouts, or TOML files with one; all if omitted.", complete=opt.COMPLETED["layout"]
    ),
    toml: bool = option(False, "Print layout files (TOML)."),
    as_json: bool = option(False, "Print JSON.", "--json"),
    picture: opt.Picture,
) -> None:
    """List the layouts, or draw their printed arrangements.

    [bold]catan-cp layouts new-shores-3 four-islands-4 --save boxes.png[/bold]
    """
    chosen = [opt.read_layout(name) for name in names or catan_cp.LAYOUTS]
    if toml:
        tell("\n".join(layout.to_toml() for layout in chosen))
    elif as_json:
        tell(json.dumps([_facts(layout) for layout in chosen]))
    else:
        row = "{layout:40}{tiles:>6}{moving:>8}{groups:>8}{harbors:>9}  {title}"
        heads: dict[str, Any] = {name: name for name in _facts(chosen[0])}
        for facts in (heads, *map(_facts, chosen)):
            tell(row.format(**facts).rstrip())
        sources: dict[str, list[str]] = {}
        for layout in chosen:
            sources.setdefault(layout.source or "no source is said", []).append(layout.name)
        for source, layout_names in sources.items():
            tell(f"\n{source}:\n    {', '.join(layout_names)}")
    if picture.save is None:
        return
    printed = [_printed(layout) for layout in chosen if layout.beginner_board]
    if not printed:
        raise InvalidArgument("none of these layouts has a printed arrangement to draw")
    if bare := [layout.name for layout in chosen if not layout.beginner_board]:
        say(f"no printed arrangement to draw: {', '.join(bare)}")
    picture.draw(printed, captions=[board.layout.name for board in printed])


def _facts(layout: catan_cp.Layout) -> dict[str, str | int]:
    """Return the row of a layout in the table."""
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
    """Return the layout's printed arrangement with its harbors and fishing grounds."""
    pieces = catan_cp.Board.from_notation(layout.beginner_board or "", layout)
    more = layout.printed_harbors, layout.fishing_grounds
    return catan_cp.Board(layout, pieces.terrain, pieces.markers, *more)


def export(
    *,
    what: Literal["terrain", "markers", "joint", "board"] = argument(
        ..., "Model: terrain, markers or joint (complete boards); or board, for a board in notation."
    ),
    allowed: opt.LayoutOptions,
    on: str | None = option(
        None, "For markers: terrain in notation; for board: the board; or a file, or - for standard input."
    ),
    how: Literal["mzn", "dzn", "json", "dimacs", "catanlog"] | None = option(
        None,
        "Format of a model: mzn (one complete file; the default), dzn or json (data only), or dimacs "
        "(clauses for model counters). Of a board: json, or catanlog (the header of a log).",
    ),
) -> None:
    """Export a MiniZinc model, its data, or a board.

    The data files belong to the models that catan-cp models copies.

    [bold]catan-cp export joint > board.mzn[/bold]
    """
    from catan_cp.search.instances import export_model

    board = None if on is None else opt.BoardInput(on, opt.named_file(allowed.layout)).board()
    formats = ("json", "catanlog") if what == "board" else ("mzn", "dzn", "json", "dimacs")
    if how not in (None, *formats):
        raise InvalidArgument(f"the format of {what} must be one of {listed(formats)}, not {how}")
    if what != "board":
        tell(export_model(what, *allowed.both(), terrain=board, how=how or "mzn"), end="")
    elif board is None:
        raise InvalidArgument(
            "export board needs a board; give it in notation: --on NOTATION, or --on - for standard input"
        )
    else:
        tell(catan_cp.formats.catanlog_header(board).rstrip() if how == "catanlog" else board.to_json())


def models_(folder: Path = argument(..., "New or empty folder.")) -> None:
    """Copy the models into a folder, to edit them.

    Other commands use the folder with --models.

    [bold]catan-cp models mine[/bold]
    """
    say(f"copied to {catan_cp.copy_models(folder)}; edit them, and use --models {folder}")


def page(
    notation: str | None = argument(None, "Board in notation, a file with one, or - for standard input."),
    port: int | None = option(None, "Port of the server; 0 for any free port."),
    browser: bool = option(True, "Open the page in the browser.", "--browser/--no-browser"),
    lan: bool = option(False, "Serve the local network too, and print a QR code of the address."),
    minutes: float | None = option(
        None, "Minutes until the server ends; by default 60 with --lan, otherwise none."
    ),
) -> None:
    """Serve the web page on this machine until Ctrl-C.

    With --lan, phones in the same network can open it at an address that cannot
    be guessed. The environment variable CATAN_CP_PAGE_ADDRESS sets the public
    address of the page for links.

    [bold]catan-cp page o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed[/bold]
    """
    from catan_cp.page import show_page

    board = None if notation is None else opt.BoardInput(notation).board()
    show_page(board, port, browser, lan=lan, minutes=minutes)


def doctor(
    install: bool = option(False, "Install MiniZinc with Gecode and Chuffed, without root."),
    portable: bool = option(False, "Install and use the portable solver, which is slower and needs no apt."),
    register_counter: bool = option(False, "Add the exact counter to the user's solvers of MiniZinc."),
    unregister_counter: bool = option(False, "Remove the counter from these solvers."),
) -> None:
    """Check the installation of MiniZinc, its solvers and the models.

    [bold]catan-cp doctor --install[/bold]  installs MiniZinc without root in the cache folder: with apt from
    Debian's archive, otherwise the portable solver with pip and npm

    [bold]catan-cp doctor --register-counter[/bold]  adds a solver that counts to MiniZinc and its IDE:
    minizinc --solver count MODEL.mzn DATA.dzn
    """
    if register_counter or unregister_counter:
        from catan_cp.setup import counter

        if unregister_counter:
            removed = counter.unregister_counter()
            say("the counter is not registered" if removed is None else f"removed {removed}")
        if register_counter:
            say(f"wrote {counter.register_counter()}; try: minizinc --solver count MODEL.mzn DATA.dzn")
        return
    from catan_cp.setup import doctor
    from catan_cp.setup import install as installation

    if portable or install:
        (installation.install_portable if portable else installation.install_solver)(say)
    report = doctor.examine()
    tell(report.text())
    if not report.ok:
        raise opt.unsatisfied("something is missing; the lines above name the command that installs it")


# All commands

PANELS: dict[str, tuple[Command, ...]] = {
    "Make boards": (boards.generate, boards.best, boards.repair, boards.puzzle, boards.plot, boards.print_),
    "Check boards": (boards.check, boards.report, boards.rules),
    "Settle and play": (
        settling.place,
        settling.review,
        settling.play,
        settling.tournament,
        settling.replan,
        settling.standings,
        settling.playoff,
    ),
    "Any MiniZinc model": (anymodel.sample, anymodel.conflict),
    "Many boards": (many.enumerate_, many.count, many.prove, many.study, many.top, many.show, many.compare),
    "Tools": (layouts, boards.import_, export, models_, page, doctor),
}
"""The commands in the order of the help, as functions with the commands' names."""
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
entropy = typer.Typer(help="Measure and improve the evenness of a board.", no_args_is_help=True)
for command in ENTROPY:
    entropy.command(command.__name__)(spread(command))
app.add_typer(entropy, name="entropy", rich_help_panel="Check boards")


def _version(is_requested: bool) -> None:
    if is_requested:
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
        KeyboardInterrupt: Ctrl-C. Its text names the kept results, or is empty.
        OSError: standard output cannot be written, BrokenPipeError if its reader has gone.
        CatanError: the command failed.
        Exception: an error of typer, with ``format_message``, for a wrong word on the command line.
    """
    getLogger("matplotlib").setLevel(ERROR)  # it reports its font cache
    if "_CATAN_CP_COMPLETE" in os.environ:  # the shell completes a word
        app(prog_name="catan-cp")
    command = typer.main.get_command(app)
    try:  # app(...) would turn Ctrl-C and closed pipes into other exit statuses
        with command.make_context("catan-cp", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except Exception as problem:  # a command without arguments has shown its help
        if hasattr(problem, "format_message") and not problem.format_message():
            return 0
        raise
    return 0
