"""Commands beside the boards: layouts, export, models, page, tournament, replan and doctor."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.errors import CatanError, InvalidArgument, show_path
from catan_cp.files import read_small, write_whole
from catan_cp.terminal import bar, clock, say, tell

if TYPE_CHECKING:
    from catan_cp.tournament import Tournament

_LONGEST = 100_000
"""The bytes of the longest file of players' names, or of a plan."""


def layouts(
    *,
    names: list[str] | None = argument(
        None, "Layouts, or TOML files with one; none: all.", complete=opt.LAYOUTS_NAMED
    ),
    toml: bool = option(False, "Print each as a file of a layout.", "--toml"),
    as_json: bool = option(False, "Print the table as JSON.", "--json"),
    picture: opt.Picture,
) -> None:
    """List the layouts, and draw their printed arrangements with --save.

    [bold]catan-cp layouts new-shores-3 four-islands-4 --save boxes.png[/bold]
    """
    found = [opt.read_layout(name) for name in names or LAYOUTS]
    if toml:
        tell("\n".join(layout.to_toml() for layout in found))
    elif as_json:
        tell(json.dumps([_facts(layout) for layout in found]))
    else:
        tell(f"{'layout':40}{'tiles':>6}{'moving':>8}{'groups':>8}{'harbors':>9}  title")
        for layout in found:
            f = _facts(layout)
            numbers = f"{f['tiles']:>6}{f['moving']:>8}{f['groups']:>8}{f['harbors']:>9}"
            tell(f"{f['layout']:40}{numbers}  {f['title']}".rstrip())
        sources: dict[str, list[str]] = {}
        for layout in found:
            sources.setdefault(layout.source or "no source is said", []).append(layout.name)
        for source, named in sources.items():
            tell(f"\n{source}:\n    {', '.join(named)}")
    if picture.save is None:
        return
    from catan_cp.draw import plot_gallery

    boards = [_printed(layout) for layout in found]
    drawn = [board for board in boards if board is not None]
    if not drawn:
        raise InvalidArgument("none of these layouts has a printed arrangement to draw")
    if len(drawn) < len(found):
        missing = ", ".join(la.name for la, board in zip(found, boards, strict=True) if board is None)
        say(f"no printed arrangement to draw: {missing}")
    picture.draw(plot_gallery(drawn, [board.layout.name for board in drawn]))


def _facts(layout: Layout) -> dict[str, str | int]:
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


def _printed(layout: Layout) -> Board | None:
    """The layout's printed arrangement with its harbors and fishing grounds, where it has one."""
    if not layout.beginner_board:
        return None
    board = Board.from_notation(layout.beginner_board, layout)
    return Board(layout, board.terrain, board.markers, layout.printed_harbors, layout.fishing_grounds)


def export(
    *,
    what: Literal["terrain", "markers", "joint", "board"] = argument(
        ..., "a model: terrain, markers or joint (complete boards); or board: one that is there"
    ),
    asked: opt.Asked,
    on: str | None = option(
        None, "For markers: the terrain, in notation; for board: the board, or - for standard input.", "--on"
    ),
    how: Literal["mzn", "dzn", "json", "dimacs", "svg", "catanatron"] = option(
        "mzn",
        "mzn: one file that needs nothing else; dzn, json: the data; dimacs: clauses for model counters. For "
        "board: json, svg (outlines for cutters) or catanatron.",
        "--format",
        "-f",
    ),
) -> None:
    """Print a model for MiniZinc and its IDE, or the data for the models of catan-cp models; or a board.

    [bold]catan-cp export joint > board.mzn[/bold]
    """
    from catan_cp.search.instances import export_model

    given = None if on is None else opt.read_one(on, opt.named_file(asked.layout))
    if what == "board":
        tell(_exported(given, how), end="")
        return
    if how in ("svg", "catanatron"):
        words = "a model is exported as mzn, dzn, json or dimacs, not as"
        raise InvalidArgument(f"{words} {how}; that is for a board: catan-cp export board --format {how}")
    tell(export_model(what, asked.read(), asked.read_layout(), terrain=given, how=how), end="")


def _exported(board: Board | None, how: str) -> str:
    """Return a board as other programs read it."""
    if board is None:
        raise InvalidArgument("which board? give it in notation: --on NOTATION, or --on - for standard input")
    if how == "json":
        return f"{board.to_json()}\n"
    if how == "svg":
        from catan_cp.draw.cutting import cut_svg

        return cut_svg(board)
    if how == "catanatron":
        try:
            from catan_cp.play.bridge import map_json
        except ImportError as missing:
            raise CatanError(f"{missing}; pip install catanatron==3.2.1 brings Catanatron") from None
        return f"{map_json(board)}\n"
    raise InvalidArgument(f"a board is exported as json, svg or catanatron, not as {how}: --format svg")


def models_(
    folder: Path = argument(..., "A folder that is not there yet, or is empty."),
) -> None:
    """Copy the models into a folder, to be edited; --models FOLDER then uses them.

    [bold]catan-cp models mine[/bold]
    """
    from catan_cp.solving.models import copy_models

    say(f"copied to {copy_models(folder)}; edit them, and give --models {folder}")


def page(
    notation: str | None = argument(None, "A board in notation, or - to read from standard input."),
    port: int | None = option(None, "Where it is served; 0: any free port."),
    browser: bool = option(True, "Open it in the browser.", "--browser/--no-browser"),
    lan: bool = option(
        False, "Serve it to the local network too, and draw its address as a QR code.", "--lan"
    ),
    minutes: float | None = option(None, "How long it is served (by default 60 with --lan, else no limit)."),
) -> None:
    """Show the web page, on this machine alone, until Ctrl-C: make, judge, settle, share and print boards.

    With --lan phones in the same network open it too, at an address that nobody can guess. The environment
    variable CATAN_CP_PAGE_ADDRESS names the page's address on the web, for links that others open.

    [bold]catan-cp page o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed[/bold]
    """
    from catan_cp.page import show_page

    board = None if notation is None else opt.read_one(notation)
    show_page(board, say, port, browser, lan=lan, minutes=minutes, draw=_draw)


@dataclass(frozen=True)
class Sheets:
    """The files of a planned tournament, refused before the planning where one cannot be written."""

    plan: Path | None = option(None, "Keep the plan in this file, for replan: one that ends in .json.")
    save: Path | None = option(None, "The sheets to print: a file that ends in .pdf.")
    title: str = option("Catan tournament", "A line above every sheet.")
    paper: str = option("A4", "A4, A3 or Letter.", complete=opt.names("A4", "A3", "Letter"))
    force: opt.Force = False

    def __post_init__(self) -> None:
        from catan_cp.draw.picture import checked_path
        from catan_cp.draw.qr import qr_modules
        from catan_cp.page import public_address

        for path, ending in ((self.save, ".pdf"), (self.plan, ".json")):
            if path is not None:
                checked_path(path, (ending,), force=self.force)
        if self.save is not None and (address := public_address()):
            qr_modules(address)  # a package that is missing is told before all the planning

    def write(self, planned: Tournament) -> None:
        """Print what was planned, and write it where that was asked for."""
        from catan_cp.page import fragment, public_address
        from catan_cp.tournament import save_kit

        tell(planned)
        if self.plan is not None:
            write_whole(self.plan, planned.to_json() + "\n")
            say(f"kept: {self.plan}")
        if self.save is not None:
            address = public_address()
            links = [address + fragment(each.board) for each in planned.rounds] if address else ()
            given: dict[str, Any] = {"title": self.title, "paper": self.paper, "links": links}
            with bar("sheets") as move:
                path = save_kit(planned, self.save, **given, force=self.force, progress=move)
            say(f"printed: {path}")


def tournament(
    *,
    players: int | None = option(None, "How many play: 3, 4, or 6 and more.", "--players", "-p"),
    rounds: int = option(4, "How many rounds."),
    names: Path | None = option(None, "A text file with the players' names, one on each line."),
    asked: opt.Asked = opt.Asked(rules="tournament"),
    seed: opt.Seed = None,
    solver: opt.SolverName = "auto",
    timeout: float = option(20.0, "Seconds until the best schedule so far is taken."),
    sheets: Sheets,
) -> None:
    """Plan a tournament: a map a round, tables with other opponents and places, and sheets to print.

    The sheets are each round's map, cards for the tables, score sheets, and an overview for the director.
    Where the environment variable CATAN_CP_PAGE_ADDRESS names the web page's address, maps have its QR code.

    [bold]catan-cp tournament --players 16 --rounds 4 --plan cup.json --save kit.pdf[/bold]
    """
    from catan_cp.tournament import plan_tournament

    known = (
        None
        if names is None
        else [line.strip() for line in _read(names, "names").splitlines() if line.strip()]
    )
    if players is None and known is None:
        raise InvalidArgument("how many play? give --players N, or --names FILE")
    with clock("planning") as say_now:
        planned = plan_tournament(
            len(known or ()) if players is None else players,
            rounds,
            rules=asked.read(),
            layout=asked.read_layout(),
            seed=seed,
            names=known,
            solver=solver,
            timeout=timeout,
            progress=say_now,
        )
    sheets.write(planned)


def replan(
    *,
    file: Path = argument(..., "The plan that tournament --plan kept."),
    played: int = option(..., "How many rounds are over, or have begun."),
    leave: list[str] | None = option(None, "Who goes; it can be given again."),
    join: list[str] | None = option(None, "Who comes; it can be given again."),
    layout: opt.LayoutName = "base",
    models: str | None = option(None, "A folder with models that you edited."),
    solver: opt.SolverName = "auto",
    timeout: float = option(20.0, "Seconds until the best schedule so far is taken."),
    sheets: Sheets,
) -> None:
    """Plan the rounds of a tournament that are left anew, when players leave or come late.

    Maps stay, and as few players as can be change table. The layout is told where it is one of your own.

    [bold]catan-cp replan cup.json --played 1 --leave 7 --plan later.json --save later.pdf[/bold]
    """
    from catan_cp.tournament import Tournament

    own = opt.named_file(layout)
    on = None if own is None else opt.read_layout(own)
    before = Tournament.from_json(_read(file, "a plan"), on, models=models)
    known = {str(each): each for each in before.players}
    numbered = all(isinstance(each, int) for each in before.players)
    with clock("planning") as say_now:
        later = before.replan(
            played,
            leave=[known.get(each, each) for each in leave or ()],
            join=[int(each) if numbered and each.isdecimal() else each for each in join or ()],
            solver=solver,
            timeout=timeout,
            progress=say_now,
        )
    sheets.write(later)


def _read(path: Path, of: str) -> str:
    """Return the text of a small file."""
    try:
        return read_small(path, _LONGEST, f"file of {of}", InvalidArgument).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidArgument(f"the file of {of} {show_path(path)} is no text in UTF-8") from None


def _draw(lines: list[str]) -> None:
    """Draw a QR code on standard error, dark on light whatever the terminal's colours are."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    for line in lines:
        console.print(
            Text(line, style="black on bright_white"), no_wrap=True, overflow="crop", soft_wrap=True
        )


def doctor(
    install: bool = option(False, "Bring MiniZinc with Gecode and Chuffed, without root.", "--install"),
    portable: bool = option(
        False, "Bring and use the portable solver, which runs anywhere (slower).", "--portable"
    ),
) -> None:
    """Say what is here and what is missing: MiniZinc, its solvers, the models.

    [bold]catan-cp doctor --install[/bold]  brings MiniZinc without root, into your cache folder: by apt from
    Debian's archive, or else the portable solver, by pip and npm
    """
    from catan_cp.setup.doctor import examine

    if portable:
        from catan_cp.setup.install import install_portable

        install_portable(say)
    elif install:
        from catan_cp.setup.install import install_solver

        install_solver(say)
    report = examine()
    tell(report.text())
    if not report.ok:
        say("catan-cp: something is missing; the lines above say what brings it")
        raise typer.Exit(1)
