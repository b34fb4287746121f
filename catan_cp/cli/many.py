"""Commands about many boards: enumerate, count, study, top, show and compare."""

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
from catan_cp.cli.judging import draw_report
from catan_cp.cli.options import (
    Asked,
    By,
    Format,
    HowWritten,
    Picture,
    Search,
    Seed,
    SolverName,
    Wanted,
    Workers,
    measures_completed,
    named_file,
    names,
    read_one,
    written,
)
from catan_cp.cli.terminal import bar, keeping, say, statistics_text, watched
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout
from catan_cp.rules.rules import PRESETS
from catan_cp.terminal import tell

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
StoreFile = Annotated[Path, typer.Argument(help="A store that catan-cp study made, such as study.db.")]
StudyName = Annotated[str | None, typer.Option("--study", help="Which study, where the store has several.")]
Kind = Annotated[What, typer.Argument(help="terrain, markers or boards")]


def enumerate_(
    *,
    what: Kind,
    asked: Asked,
    on: On = None,
    distinct: Distinct = False,
    search: Search,
    limit: Annotated[int | None, typer.Option(help="Stop after so many.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Print the best by these measures instead (+: the least, -: the greatest first); later ones "
            "settle ties.",
            autocompletion=measures_completed,
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", help=f"With --by: how many; {_TOP} if not given.")
    ] = None,
    how: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="How boards are written: notation, or, with --by, text: a table."
        ),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Say on standard error what the search took.")
    ] = False,
) -> None:
    """Print every board that the rules allow, while the solver finds them; or rank them all with --by.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg --by weak_vertices[/bold]
    """
    from catan_cp.search.enumerating import enumerate_boards, enumerate_markers, enumerate_terrain

    _check_ranking(what, by, top)
    if distinct and what is What.MARKERS:
        raise InvalidArgument("--distinct lists terrain or boards; markers stand on one given terrain")
    allowed, options = asked.read(), {"limit": limit, **vars(search)}
    board_of: Callable[[Any], Board]
    solutions: Solutions[Any]
    if what is What.MARKERS:
        terrain = _terrain(on, asked.layout)
        solutions = enumerate_markers(terrain, allowed, **options)
        board_of = partial(Board, terrain.layout, terrain.terrain)
    elif what is What.TERRAIN:
        found = asked.read_layout()
        solutions = enumerate_terrain(allowed, found, distinct=distinct, **options)
        board_of = partial(Board, found)
    else:
        solutions = enumerate_boards(allowed, asked.read_layout(), distinct=distinct, **options)
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
            tell(written(board_of(solution), how))
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
        tell("".join(f"{row['notation']}\n" for row in rows), end="")
    elif how is Format.JSON:
        tell(json.dumps(rows))
    elif rows:
        tell(top_table(rows, by))
    sys.stdout.flush()


def count(
    *,
    what: Kind,
    asked: Asked,
    on: On = None,
    distinct: Distinct = False,
    timeout: Annotated[float | None, typer.Option(help="For what must be listed: seconds.")] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(
            help="For terrain that needs too many states: a folder to count in, step by step. An "
            "interrupted count goes on where it was."
        ),
    ] = None,
    how: HowWritten = Format.TEXT,
) -> None:
    """Count exactly, also where nobody could list.

    [bold]catan-cp count terrain --rules open[/bold]
    """
    from catan_cp.counting import count_boards, count_markers, count_terrain

    allowed = asked.read()
    if distinct and what is What.MARKERS:
        raise InvalidArgument("--distinct counts terrain or boards, not the markers of one terrain")
    if scratch is not None and what is not What.TERRAIN:
        raise InvalidArgument("--scratch is for counts of terrain; markers and boards need no folder")
    stays = f"{str(scratch)!r} keeps the steps that are done, and the same command goes on"
    with keeping(lambda: stays) if scratch else nullcontext(), bar(f"counting {what}") as progress:
        options: dict[str, Any] = {"timeout": timeout, "progress": progress}
        if what is What.MARKERS:
            number = count_markers(_terrain(on, asked.layout), allowed, **options)
        elif what is What.TERRAIN:
            options |= {"distinct": distinct, "scratch": scratch}
            number = count_terrain(allowed, asked.read_layout(), **options)
        else:
            number = count_boards(allowed, asked.read_layout(), distinct=distinct, **options)
    if how is Format.JSON:
        told = {"what": what, "rules": allowed.to_mapping(), "layout": asked.layout, "count": number}
        tell(json.dumps(told))
    else:
        tell(f"{number:,}" if how is Format.TEXT else number)


def _terrain(notation: str | None, layout: str) -> Board:
    if notation is None:
        letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
        raise InvalidArgument(f"markers stand on a terrain: give it with --on NOTATION (letters: {letters})")
    return read_one(notation, named_file(layout))


def study(
    *,
    db: Annotated[Path, typer.Option("--db", help="The store: made, or gone on with.")],
    number: Annotated[int, typer.Option("-n", "--number", "--n", help="How many boards.")] = 10_000,
    asked: Asked = Asked(rules="tournament"),
    seed: Seed = None,
    players: Annotated[
        str,
        typer.Option("--players", "-p", help="How many settle; or who plays: a name for all, or one a seat."),
    ] = "4",
    games: Annotated[int, typer.Option(help="Games to play on each board; needs the extra play.")] = 0,
    wanted: Wanted,
    workers: Workers = 1,
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
    from catan_cp.studies import Study, run_study
    from catan_cp.studies.cluster import dask_executor
    from catan_cp.studies.describing import describe_study

    count, played_by = _read_players(players, games)
    study = Study(
        number,
        asked.read(),
        asked.read_layout(),
        seed=seed,
        players=count,
        objective=wanted.read(),
        games=games,
        played_by=played_by,
        solver=solver,
        chunk=chunk,
        name=name,
    )
    crew = nullcontext((None, workers)) if scheduler is None else dask_executor(scheduler)
    with keeping(lambda: f"what {db} holds is kept; the same command goes on"), crew as (executor, hands):
        done = run_study(study, db, workers=hands, executor=executor, timeout=timeout)
    if done.boards:
        say(str(describe_study(db, study=done.name)))
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
    *,
    db: StoreFile,
    by: By = "seat_spread",
    k: Annotated[int, typer.Option("--k", "-k", help="How many boards.")] = 10,
    satisfying: Annotated[
        str | None,
        typer.Option(
            help="Only boards that satisfy this preset, such as optimal.",
            autocompletion=names(lambda: PRESETS),
        ),
    ] = None,
    name: StudyName = None,
    csv: Annotated[Path | None, typer.Option(help="Write all boards and scores into this CSV file.")] = None,
    parquet: Annotated[
        Path | None, typer.Option(help="Write them into this Parquet file; needs pyarrow.")
    ] = None,
    how: HowWritten = Format.TEXT,
    picture: Picture,
) -> None:
    """List a study's best boards, and draw them as a gallery with --save.

    [bold]catan-cp top study.db --by "seat_spread, efficiency_error" --k 12 --save gallery.png[/bold]
    """
    from catan_cp.studies.pictures import plot_top
    from catan_cp.studies.store import Store, top_table

    with Store(db) as store:
        rows = store.top(by, k, name, satisfying=satisfying)
        if how is Format.NOTATION:
            tell("\n".join(row["notation"] for row in rows))
        else:
            tell(json.dumps(rows) if how is Format.JSON else top_table(rows, by))
        if csv is not None:
            say(f"written: {store.to_csv(csv, name, force=picture.force)}")
        if parquet is not None:
            say(f"written: {store.to_parquet(parquet, name, force=picture.force)}")
        if picture.save is not None:
            picture.draw(plot_top(store, by, k, name, satisfying=satisfying))


def show(
    *,
    db: StoreFile,
    board: Annotated[int, typer.Argument(help="A board's number, as catan-cp top lists it.")],
    name: StudyName = None,
    how: HowWritten = Format.TEXT,
    picture: Picture,
) -> None:
    """Say everything about one board of a study, and draw it with its settlements with --save.

    [bold]catan-cp show study.db 17 --save board.png[/bold]
    """
    from catan_cp.studies.reporting import report as report_on
    from catan_cp.studies.store import Store

    with Store(db) as store:
        asked = store.study(name)
        found = report_on(store.board(board, asked.name), asked.study.players, asked.study.objective)
    if how is Format.NOTATION:
        tell(found.board.notation())
    else:
        tell(found.to_json() if how is Format.JSON else f"{found.board}\n\n{found}")
    draw_report(found, asked.study.objective, picture)


def compare(
    *,
    first: StoreFile,
    second: StoreFile,
    by: Annotated[
        str | None,
        typer.Option(
            help="Measures, such as seat_spread, efficiency_error.", autocompletion=measures_completed
        ),
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--study", help="Twice: which studies, where stores have several.")
    ] = None,
    how: HowWritten = Format.TEXT,
    picture: Picture,
) -> None:
    """Compare two studies, as a table and, with --save, as a picture: whose boards are fairer, by how much?

    [bold]catan-cp compare tournament.db official.db --save fairer.png[/bold]
    """
    from catan_cp.studies.comparing import compare_studies
    from catan_cp.studies.measures import COMPARED
    from catan_cp.studies.pictures import plot_comparison

    if names is not None and len(names) != 2:
        raise InvalidArgument("give --study twice, for the first store and for the second, or not at all")
    studies = (names[0], names[1]) if names else (None, None)
    found = compare_studies(first, second, by or COMPARED, studies=studies)
    tell(found.to_json() if how is Format.JSON else found)
    if picture.save is not None:
        picture.draw(plot_comparison(found))


PANEL = "Many boards"
COMMANDS = (enumerate_, count, study, top, show, compare)
