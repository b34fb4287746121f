"""catan-cp play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catan_cp.cli.common import BoardLayout, Force, Format, HowWritten, Notation, Save, read_board
from catan_cp.cli.terminal import bar, keeping, say


def add_to(app: typer.Typer) -> None:
    """Add this command to *app*."""
    app.command()(play)


def play(
    notation: Notation = "-",
    layout: BoardLayout = None,
    games: Annotated[int, typer.Option("--games", "-n", help="How many games.")] = 100,
    players: Annotated[
        str,
        typer.Option(help="Who plays: random, weighted, victory or greedy, one for all or one a seat."),
    ] = "weighted",
    placement: Annotated[
        str, typer.Option(help="First settlements: free, optimal, rivals, or a draft such as 1:42-41,2:24.")
    ] = "free",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    workers: Annotated[int, typer.Option("--workers", "-w", help="Processes that play.")] = 1,
    file: Annotated[
        Path | None, typer.Option(help="Keep the games in this file, and go on from there.")
    ] = None,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Have programs play games on a board: who wins from which seat, how long it takes, how close it is.

    A player is a style, or STYLE:PLAN, with pips, optimal or rivals for its first settlements.
    The extra `play` must be installed.

    [bold]catan-cp generate -r tournament -f notation | catan-cp play - --games 5 --players greedy[/bold]
    """
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.play import play_games

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    board = read_board(notation, layout)
    kept = "no game is kept; with --file, the same command goes on" if file is None else f"{file} is kept"
    with keeping(lambda: kept), bar("games") as move:
        found = play_games(
            board,
            games,
            players=players,
            placement=placement,
            seed=seed,
            workers=workers,
            file=file,
            progress=move,
        )
    print(found.to_json() if how is Format.JSON else found)
    if save is not None:
        from catan_cp.draw import save_picture
        from catan_cp.play.pictures import plot_games

        say(f"drawn: {save_picture(plot_games(found), save, force=force)}")
