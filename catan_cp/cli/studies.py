"""catan-cp report, study, top, show and compare."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    read_board,
    read_layout,
    read_rules,
)
from catan_cp.cli.placing import Players, Weights, Which
from catan_cp.cli.terminal import keeping, say
from catan_cp.errors import InvalidArgument

if TYPE_CHECKING:
    from catan_cp.placement import Objective
    from catan_cp.studies.reporting import Report

StoreFile = Annotated[Path, typer.Argument(help="A store that catan-cp study made, such as study.db.")]
StudyName = Annotated[str | None, typer.Option("--study", help="Which study, where the store has several.")]
By = Annotated[
    str,
    typer.Option(help="Measures, the best first (+: the least, -: the greatest); later ones settle ties."),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    for command in (report, study, top, show, compare):
        app.command()(command)


def report(
    notation: Notation = "-",
    layout: BoardLayout = None,
    players: Players = 4,
    weights: Weights = "",
    objective: Which = "published",
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Say everything about one board: how even, how rich, how fair to each seat, which rules it keeps.

    With --save it is drawn with its settlements, a value at each vertex with their scale, and a key to the
    terrains.

    [bold]catan-cp generate -f notation | catan-cp report - --save board.png[/bold]
    """
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.placement.objective import read_objective
    from catan_cp.studies.reporting import report as report_on

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    goal = read_objective(weights, objective)
    found = report_on(read_board(notation, layout), players, goal)
    print(found.to_json() if how is Format.JSON else found)
    if save is not None:
        _draw_report(found, [goal], save, force)


def _draw_report(found: Report, objectives: Sequence[Objective], save: Path, force: bool) -> None:
    """Draw the board with its settlements and key; and with the vertices' values, if all value them alike."""
    from catan_cp.draw import plot_board, save_picture
    from catan_cp.placement import vertex_values

    values = vertex_values(found.board, objectives[0]) if len(set(objectives)) == 1 else None
    drawn = plot_board(
        found.board, found.placement, heat=values, heat_label="value of a vertex to its owner", key=True
    )
    say(f"drawn: {save_picture(drawn, save, force=force)}")


def study(
    db: Annotated[Path, typer.Option("--db", help="The store: made, or gone on with.")],
    number: Annotated[int, typer.Option("-n", "--number", "--n", help="How many boards.")] = 10_000,
    layout: LayoutName = "base",
    rules: RulesName = "tournament",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    seed: Seed = None,
    players: Annotated[
        str,
        typer.Option("--players", "-p", help="How many settle; or who plays: a name for all, or one a seat."),
    ] = "4",
    games: Annotated[int, typer.Option(help="Games to play on each board; needs the extra play.")] = 0,
    weights: Weights = "",
    objective: Which = "published",
    workers: Annotated[int, typer.Option("--workers", "-w", help="Processes on this machine.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(help="Work on this Dask cluster instead, such as tcp://HOST:8786.")
    ] = None,
    solver: SolverName = "auto",
    timeout: Annotated[float, typer.Option(help="Seconds that a chunk's boards may take.")] = 900.0,
    chunk: Annotated[
        int | None,
        typer.Option(
            help="Boards in a chunk, the most that a crash costs: 200, or as many as play 400 games."
        ),
    ] = None,
    name: Annotated[str, typer.Option("--study", help="The study's name in the store.")] = "study",
) -> None:
    """Make many boards, score and place each, and store them; the same call goes on after an interruption.

    [bold]catan-cp study --n 10000 --rules tournament --db study.db --workers 2[/bold]
    """
    from catan_cp.placement.objective import read_objective
    from catan_cp.studies import Study, run_study
    from catan_cp.studies.cluster import dask_executor
    from catan_cp.studies.describing import describe_study

    count, played_by = _read_players(players, games)
    asked = Study(
        number,
        read_rules(rules, harbors, pattern, constraint, models),
        read_layout(layout),
        seed=seed,
        players=count,
        objective=read_objective(weights, objective),
        games=games,
        played_by=played_by,
        solver=solver,
        chunk=chunk,
        name=name,
    )
    crew = nullcontext((None, workers)) if scheduler is None else dask_executor(scheduler)
    with keeping(lambda: f"what {db} holds is kept; the same command goes on"), crew as (executor, hands):
        done = run_study(asked, db, workers=hands, executor=executor, timeout=timeout)
    if done.boards:
        say(f"{describe_study(db, study=done.name)}")
    say(f"{db}: {done}")
    if done.failures:
        say("catan-cp: the same call tries the chunks that failed again")
        raise typer.Exit(1)


def _read_players(text: str, games: int) -> tuple[int, str]:
    """Return how many settle, and who plays."""
    from catan_cp.play.specs import STYLES, read_players

    if text.isdecimal() and len(text) < 3:
        return int(text), STYLES[1]
    specs = read_players(text)
    if not games:
        raise InvalidArgument(f"say how many games {text} plays on each board: --games 50, say")
    return len(specs), ",".join(map(str, specs))


def top(
    db: StoreFile,
    by: By = "seat_spread",
    k: Annotated[int, typer.Option("--k", "-k", help="How many boards.")] = 10,
    satisfying: Annotated[
        str | None, typer.Option(help="Only boards that satisfy this preset, such as optimal.")
    ] = None,
    name: StudyName = None,
    csv: Annotated[Path | None, typer.Option(help="Write all boards and scores into this CSV file.")] = None,
    parquet: Annotated[
        Path | None, typer.Option(help="Write them into this Parquet file; needs pyarrow.")
    ] = None,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """List a study's best boards, and draw them as a gallery with --save.

    [bold]catan-cp top study.db --by "seat_spread, efficiency_error" --k 12 --save gallery.png[/bold]
    """
    import json

    from catan_cp.draw import save_picture
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.studies.pictures import plot_top
    from catan_cp.studies.store import Store, top_table

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    with Store(db) as store:
        rows = store.top(by, k, name, satisfying=satisfying)
        if how is Format.NOTATION:
            print("\n".join(row["notation"] for row in rows))
        else:
            print(json.dumps(rows) if how is Format.JSON else top_table(rows, by))
        if csv is not None:
            say(f"written: {store.to_csv(csv, name, force=force)}")
        if parquet is not None:
            say(f"written: {store.to_parquet(parquet, name, force=force)}")
        if save is not None:
            drawn = plot_top(store, by, k, name, satisfying=satisfying)
            say(f"drawn: {save_picture(drawn, save, force=force)}")


def show(
    db: StoreFile,
    board: Annotated[int, typer.Argument(help="A board's number, as catan-cp top lists it.")],
    name: StudyName = None,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Say everything about one board of a study, and draw it with its settlements with --save.

    [bold]catan-cp show study.db 17 --save board.png[/bold]
    """
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.studies.reporting import report as report_on
    from catan_cp.studies.store import Store

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    with Store(db) as store:
        asked = store.study(name)
        found = report_on(store.board(board, asked.name), asked.study.players, asked.study.objective)
    if how is Format.NOTATION:
        print(found.board.notation())
    else:
        print(found.to_json() if how is Format.JSON else f"{found.board}\n\n{found}")
    if save is not None:
        _draw_report(found, asked.study.objective, save, force)


def compare(
    first: StoreFile,
    second: StoreFile,
    by: Annotated[str | None, typer.Option(help="Measures, such as seat_spread, efficiency_error.")] = None,
    names: Annotated[
        list[str] | None, typer.Option("--study", help="Twice: which studies, where stores have several.")
    ] = None,
    how: HowWritten = Format.TEXT,
    save: Save = None,
    force: Force = False,
) -> None:
    """Compare two studies, as a table and, with --save, as a picture: whose boards are fairer, by how much?

    [bold]catan-cp compare tournament.db official.db --save fairer.png[/bold]
    """
    from catan_cp.draw import save_picture
    from catan_cp.draw.files import ENDINGS, checked_path
    from catan_cp.studies.comparing import compare_studies
    from catan_cp.studies.measures import COMPARED
    from catan_cp.studies.pictures import plot_comparison

    if save is not None:
        checked_path(save, ENDINGS, force=force)
    if names is not None and len(names) != 2:
        raise InvalidArgument("give --study twice, for the first store and for the second, or not at all")
    studies = (names[0], names[1]) if names else (None, None)
    found = compare_studies(first, second, by or COMPARED, studies=studies)
    print(found.to_json() if how is Format.JSON else found)
    if save is not None:
        say(f"drawn: {save_picture(plot_comparison(found), save, force=force)}")
