"""catan-cp place and catan-cp experiment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from json import dumps as json_text
from json import loads as json_read
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catan_cp.cli.common import (
    BoardLayout,
    Force,
    Format,
    HowWritten,
    LayoutName,
    Notation,
    Save,
    Seed,
    named_file,
    names,
    read_board,
    read_boards,
    read_layout,
)
from catan_cp.cli.terminal import bar, say
from catan_cp.errors import InvalidArgument, extra, show, show_path
from catan_cp.files import write_whole

if TYPE_CHECKING:
    from catan_cp.boards.board import Board

Players = Annotated[int, typer.Option("--players", "-p", help="How many players.")]
Weights = Annotated[
    str, typer.Option(help="Of resources, cards and hit, e.g. 0.5,0.3,0.2; or TERM=NUMBER,...")
]
Which = Annotated[
    str,
    typer.Option(
        "--objective",
        help="published, or report (as its text has it).",
        autocompletion=names(lambda: ("published", "report")),
    ),
]


def _methods() -> Iterable[str]:
    from catan_cp.placement.solve import METHODS

    return METHODS


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command()(place)
    app.command()(experiment)
    app.command()(rivals)


def place(
    notation: Notation = "-",
    layout: BoardLayout = None,
    players: Players = 4,
    weights: Weights = "",
    objective: Which = "published",
    rivalry: Annotated[
        float, typer.Option(help="How much everybody minds being behind the best rival: 0 not at all.")
    ] = 0.0,
    expansion: Annotated[
        float, typer.Option(help="How much the best vertex counts that two roads reach: 0 not at all.")
    ] = 0.0,
    method: Annotated[
        str,
        typer.Option(
            help="auto, vectorized, bounds, memo or feasibility.",
            autocompletion=names(lambda: ("auto", *_methods())),
        ),
    ] = "auto",
    placed: Annotated[
        str, typer.Option(help="Settlements on the table, in order: PLAYER:VERTEX or PLAYER:VERTEX-ROAD,...")
    ] = "",
    judge: Annotated[
        str, typer.Option("--judge", help="Say what each settlement of this draft lost: 1:42-41,2:24-25,...")
    ] = "",
    ties: Annotated[
        bool,
        typer.Option("--ties", help="Count the outcomes if ties go otherwise, and say who has what."),
    ] = False,
    rationality: Annotated[
        str,
        typer.Option(help="How well players choose: a number for all, or perfect,2,2,2; 0 by chance."),
    ] = "",
    erring: Annotated[
        str,
        typer.Option(
            help="Which settlements err with --rationality: first, or both.",
            autocompletion=names(lambda: ("first", "both")),
        ),
    ] = "first",
    error: Annotated[
        float, typer.Option(help="Largest error of a simulation, as a share of the values.")
    ] = 0.005,
    moves: Annotated[int, typer.Option(help="Rank so many next moves instead of the whole game.")] = 0,
    heat: Annotated[bool, typer.Option("--heat", help="Draw every vertex's own value too.")] = False,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Write every vertex's number on the board and its picture.")
    ] = False,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Say where perfect players settle, on the board as text, and draw it with --save.

    Vertices are numbered from 0: through the tiles in reading order, round each clockwise from its upper
    right, each corner when it is first met. --numbers shows them all.

    [bold]catan-cp generate -f notation | catan-cp place - --weights 0.5,0.3,0.2 --save place.png[/bold]
    """
    from catan_cp.draw import save_picture
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.placement import (
        Draft,
        best_moves,
        find_equilibria,
        judge_draft,
        solve_placement,
        vertex_values,
    )
    from catan_cp.placement.objective import read_objective

    _refuse_together(
        {"--judge": judge, "--moves": moves},
        {"--ties": ties, "--method": method != "auto", "--moves": moves and judge},
    )
    _refuse_together({"--judge": judge, "--ties": ties}, {"--rationality": rationality})
    _refuse_together({"--judge": judge}, {"--placed": placed})
    if save is not None:
        checked_path(save, ENDINGS, force=force)
    err: dict[str, Any] = {"rationality": _levels(rationality), "erring": erring, "error": error}
    board, done = read_board(notation, layout), Draft.from_text(placed)
    goal = read_objective(weights, objective, rivalry, expansion)
    options: dict[str, Any] = {"heat": vertex_values(board, goal) if heat else None, "numbers": numbers}
    if judge:
        draft = Draft.from_text(judge)
        verdicts = judge_draft(board, draft, players, goal)
        if how is Format.JSON:
            print(json_text([asdict(verdict) for verdict in verdicts]))
        else:
            lost = [f"{number}. {verdict}" for number, verdict in enumerate(verdicts, start=1)]
            print("\n".join([_board_text(board, draft.settlements, {}, numbers), *lost]))
        options["placement"] = draft.placed
        better = {v.best for v in verdicts if v.regret > 0} - {v.vertex for v in verdicts}
        options["ring_vertices"] = sorted(better)
    elif moves:
        best = best_moves(board, done.placed, moves, players, goal, **err)
        if how is Format.JSON:
            rows = [
                {"player": m.player, "vertex": m.vertex, "value": m.value, "lead": m.lead, "road": m.road}
                for m in best
            ]
            print(json_text(rows))
        else:
            print(
                _board_text(
                    board, done.settlements, {move.vertex: f"#{i}" for i, move in enumerate(best, 1)}, numbers
                )
            )
            for rank, move in enumerate(best, start=1):
                lead = f", lead {move.lead:.6f}" if rivalry else ""
                where = f"vertex {move.vertex}" + ("" if move.road is None else f" towards {move.road}")
                print(f"{rank}. player {move.player} on {where}: value {move.value:.6f}{lead}")
        values = {move.vertex: move.value for move in best}
        ranked = [values.get(vertex) for vertex in range(board.layout.n_vertices)]
        options |= {"placement": done.placed, "heat": options["heat"] or ranked, "ring_vertices": values}
    else:
        if players > 3 and (rivalry or rationality):
            _warn_of_wait(players, "with rivalry" if rivalry else "who err")
        result = solve_placement(board, players, goal, method=method, placed=done.placed, **err)
        if how is Format.JSON:
            told = json_read(result.to_json())
            if ties:
                found = find_equilibria(result)
                outcomes = [[sorted(pair) for pair in outcome] for outcome in found.outcomes]
                told["equilibria"] = {"exact": found.exact, "outcomes": outcomes, "values": found.values}
            print(json_text(told))
        else:
            print(f"{_board_text(board, result.order, {}, numbers)}\n{result}")
            if rivalry:
                print(result.explain())
            if ties:
                print(find_equilibria(result))
        options["placement"] = result
        if rivalry and save is not None:
            options["arrows"] = result.arrows
    if save is not None:
        say(f"drawn: {save_picture(board, save, force=force, **options)}")


def _refuse_together(some: dict[str, object], others: dict[str, object]) -> None:
    """Refuse options that would leave each other aside: any of *some* that is given with any of *others*."""
    for one, given in some.items():
        for other, too in others.items():
            if given and too and one != other:
                raise InvalidArgument(f"{one} leaves {other} aside; give one of the two")


def _levels(text: str) -> float | list[float | None] | None:
    """Read ``2``, or ``perfect,2,2,2``: one rationality a player."""
    words = [word.strip() for word in text.split(",")] if text.strip() else ["perfect"]
    levels: list[float | None] = []
    for word in words:
        try:
            levels.append(None if word == "perfect" else float(word))
        except ValueError:
            raise InvalidArgument(
                f"rationality is a number such as 2, or perfect, for all or one a player, not {show(word)}"
            ) from None
    return levels if len(levels) > 1 else levels[0]


def _warn_of_wait(players: int, how: str) -> None:
    """Say that many players take long where nothing compiles the search."""
    from catan_cp.placement.compiled import FAST

    if not FAST:
        wait = "can take a minute or more without numba, and seconds with it"
        say(f"{players} players {how} {wait}: {extra('fast')}")


def _board_text(
    board: Board, settled: Iterable[tuple[int, int]], marks: dict[int, str], numbers: bool
) -> str:
    """Return the board with its settlements, ``[PLAYER]`` each, and *marks* at other vertices."""
    from catan_cp.placement.text import vertex_map

    marks |= {vertex: f"[{player}]" for player, vertex in settled}
    return vertex_map(board, marks, numbers=numbers) + "\n"


def experiment(
    boards: Annotated[int, typer.Option(help="How many random boards, the same for all methods.")] = 30,
    players: Players = 4,
    weights: Weights = "0.5,0.3,0.2",
    objective: Which = "published",
    methods: Annotated[str, typer.Option(help="Methods to compare.")] = "feasibility,memo,bounds,vectorized",
    time_limit: Annotated[float, typer.Option(help="Seconds for one board and method.")] = 60.0,
    layout: LayoutName = "base",
    seed: Seed = 0,
    on: Annotated[
        str, typer.Option("--on", help="Your own boards instead: a notation, or - for standard input.")
    ] = "",
    csv: Annotated[Path | None, typer.Option(help="Write every run into this CSV file.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write everything into this JSON file.")] = None,
    force: Force = False,
) -> None:
    """Compare the methods on the same boards, random ones or your own, as the placement report does.

    [bold]catan-cp experiment --boards 5 --methods bounds,vectorized[/bold]
    """
    from catan_cp.experiments.placement import random_boards, run_experiment
    from catan_cp.placement.objective import read_objective

    for file in (csv, json):
        if file is not None and file.exists() and not force:
            raise InvalidArgument(
                f"{show_path(file)} exists; choose another name, or overwrite it with --force"
            )
    compared = [name.strip() for name in methods.split(",")]
    drawn = read_boards(on, named_file(layout)) if on else random_boards(boards, read_layout(layout), seed)
    with bar("runs") as move:
        result = run_experiment(
            drawn,
            players,
            read_objective(weights, objective),
            compared,
            time_limit,
            None if move is None else lambda done, total, _: move(done, total),
        )
    print(result.table())
    if csv is not None:
        write_whole(csv, result.to_csv())
    if json is not None:
        write_whole(json, result.to_json() + "\n")
    if not result.complete:
        done = f"{len(result.runs)} of {result.boards * len(compared)} runs"
        say(f"catan-cp: interrupted; {done} are done and in the table; the same command starts again")
        raise typer.Exit(1)
    if not result.agree:
        say("catan-cp: the methods do not agree; this is a mistake in catan_cp, please report it")
        raise typer.Exit(1)


def rivals(
    boards: Annotated[int, typer.Option(help="How many random boards.")] = 100,
    players: Players = 2,
    weights: Weights = "",
    objective: Which = "published",
    rivalry: Annotated[float, typer.Option(help="How much everybody minds being behind.")] = 1.0,
    rationality: Annotated[
        float | None,
        typer.Option(help="Say too how often player 1 begins elsewhere if the others err so: 0 by chance."),
    ] = None,
    layout: LayoutName = "base",
    seed: Seed = 0,
    on: Annotated[
        str, typer.Option("--on", help="Your own boards instead: a notation, or - for standard input.")
    ] = "",
    how: HowWritten = Format.TEXT,
) -> None:
    """Say what rivalry changes, seat by seat: who settles elsewhere, who gains, who loses.

    [bold]catan-cp rivals --boards 50 --players 2[/bold]
    """
    from catan_cp.experiments.placement import random_boards
    from catan_cp.experiments.rivalry import compare_rivalry, robust_share, table
    from catan_cp.placement.objective import read_objective

    drawn = (
        list(read_boards(on, named_file(layout))) if on else random_boards(boards, read_layout(layout), seed)
    )
    goal = read_objective(weights, objective)
    if players > 3:
        _warn_of_wait(players, "with rivalry")
    with bar("boards") as move:
        seats = compare_rivalry(drawn, players, goal, rivalry, move)
    share = None if rationality is None else robust_share(drawn, players, goal, rationality)
    if how is Format.JSON:
        told = {"boards": len(drawn), "seats": [asdict(seat) for seat in seats]}
        print(json_text(told if share is None else told | {"robust_elsewhere": share}))
        return
    print(table(seats))
    if share is not None:
        print(f"against players of rationality {rationality:g}, player 1 begins elsewhere on {share:.0%}")
