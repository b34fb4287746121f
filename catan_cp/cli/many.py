"""Commands about many boards: enumerate, count, study, top, show and compare."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import TERRAIN_LETTER
from catan_cp.cli import options as opt
from catan_cp.cli.boards import draw_report
from catan_cp.cli.options import argument, option
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout
from catan_cp.rules.rules import PRESETS
from catan_cp.terminal import bar, keeping, say, statistics_text, tell, watched

if TYPE_CHECKING:
    from catan_cp.search.enumerating import Solutions

T = TypeVar("T")
StoreFile = Annotated[Path, typer.Argument(help="A store that catan-cp study made, such as study.db.")]
StudyName = Annotated[str | None, typer.Option("--study", help="Which study, where the store has several.")]

_TOP = 10


@dataclass(frozen=True)
class _Every(opt.Asked):
    """What is listed or counted: every terrain, every way to put markers on one, or every board."""

    what: Literal["terrain", "markers", "boards"] = argument(..., "terrain, markers or boards")
    on: str | None = option(None, "For markers: the terrain, in notation, or - for standard input.", "--on")
    distinct: bool = option(False, "What rotates or mirrors into something else counts once.", "--distinct")

    @cached_property
    def terrain(self) -> Board:
        """The terrain that markers stand on."""
        if self.on is None:
            letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
            raise InvalidArgument(
                f"markers stand on a terrain: give it with --on NOTATION (letters: {letters})"
            )
        return opt.read_one(self.on, opt.named_file(self.layout))

    def by(
        self, markers: Callable[..., T], terrain: Callable[..., T], boards: Callable[..., T], **options: Any
    ) -> T:
        """Return what the function for what is asked returns."""
        if self.what == "markers":
            return markers(self.terrain, self.read(), **options)
        function = terrain if self.what == "terrain" else boards
        return function(self.read(), self.read_layout(), distinct=self.distinct, **options)

    def boards(self, solutions: Iterable[Any]) -> Iterator[Board]:
        """Yield the board of each solution."""
        if self.what == "boards":
            yield from solutions
        elif self.what == "terrain":
            yield from map(partial(Board, self.read_layout()), solutions)
        else:
            yield from map(partial(Board, self.terrain.layout, self.terrain.terrain), solutions)


def enumerate_(
    *,
    every: _Every,
    search: opt.Search,
    limit: int | None = option(None, "Stop after so many."),
    by: str | None = option(
        None,
        "Print the best by these measures instead (+: the least, -: the greatest first); later ones settle "
        "ties.",
        complete=opt.measures_completed,
    ),
    top: int | None = option(None, f"With --by: how many; {_TOP} if not given.", "--top"),
    how: opt.Format | None = option(
        None, "How boards are written: notation, or, with --by, text: a table.", "--format", "-f"
    ),
    statistics: bool = option(False, "Say on standard error what the search took.", "--statistics"),
) -> None:
    """Print every board that the rules allow, while the solver finds them; or rank them all with --by.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg --by weak_vertices[/bold]
    """
    from catan_cp.search import enumerating

    _check_ranking(every.what, by, top)
    if every.distinct and every.what == "markers":
        raise InvalidArgument("--distinct lists terrain or boards; markers stand on one given terrain")
    kinds = (enumerating.enumerate_markers, enumerating.enumerate_terrain, enumerating.enumerate_boards)
    solutions: Solutions[Any] = every.by(*kinds, limit=limit, **vars(search))
    with solutions:
        if by is None:
            kept = "what was found is printed; the same command starts again from the first"
            with keeping(lambda: f"{solutions.found} found, there may be more: {kept}"):
                for board in every.boards(watched(solutions, f"{every.what} found", limit)):
                    tell(opt.written(board, how or "notation"))
                sys.stdout.flush()
        else:
            _print_best(every.boards(solutions), by, top or _TOP, how or "text")
        say(f"{solutions.found} found, {'no more exist' if solutions.complete else 'there may be more'}")
        if statistics:
            say(statistics_text(solutions.statistics))


def _check_ranking(what: str, by: str | None, top: int | None) -> None:
    """Refuse what cannot be ranked before a solver starts."""
    if by is None:
        if top is not None:
            raise InvalidArgument("the top of what? rank the boards with --by, such as --by weak_vertices")
        return
    if what == "terrain":
        raise InvalidArgument("terrain without markers is not ranked; enumerate markers, or boards")
    from catan_cp.studies.measures import check_ranking

    check_ranking(by, top)


def _print_best(boards: Iterable[Board], by: str, top: int, how: opt.Format) -> None:
    """Print the best of all boards; of those until then where the time is over, or after Ctrl-C."""
    from catan_cp.studies.measures import rank_boards

    try:
        with bar("boards ranked") as progress:
            rows = rank_boards(boards, by, top, progress=progress)
    except SolverTimeout as timeout:
        _print_rows(timeout.partial, by, how)
        raise
    except Interrupted as stopped:
        _print_rows(stopped.result, by, how)
        kept = "the best of them are printed; the same command starts again from the first"
        raise Interrupted(f"{stopped}, there may be more: {kept}") from None
    _print_rows(rows, by, how)


def _print_rows(rows: list[dict[str, Any]], by: str, how: opt.Format) -> None:
    from catan_cp.studies.measures import top_table

    if how == "notation":
        tell("".join(f"{row['notation']}\n" for row in rows), end="")
    elif how == "json":
        tell(json.dumps(rows))
    elif rows:
        tell(top_table(rows, by))
    sys.stdout.flush()


def count(
    *,
    every: _Every,
    timeout: float | None = option(None, "For what must be listed: seconds."),
    scratch: Path | None = option(
        None,
        "For terrain that needs too many states: a folder to count in, step by step. An interrupted count "
        "goes on where it was.",
    ),
    how: opt.HowWritten = "text",
) -> None:
    """Count exactly, also where nobody could list.

    [bold]catan-cp count terrain --rules open[/bold]
    """
    from catan_cp.counting import count_boards, count_markers, count_terrain

    if every.distinct and every.what == "markers":
        raise InvalidArgument("--distinct counts terrain or boards, not the markers of one terrain")
    if scratch is not None and every.what != "terrain":
        raise InvalidArgument("--scratch is for counts of terrain; markers and boards need no folder")
    stays = f"{str(scratch)!r} keeps the steps that are done, and the same command goes on"
    folder: dict[str, Any] = {"scratch": scratch} if scratch else {}
    with keeping(lambda: stays) if scratch else nullcontext(), bar(f"counting {every.what}") as progress:
        kinds = (count_markers, count_terrain, count_boards)
        number = every.by(*kinds, timeout=timeout, progress=progress, **folder)
    if how == "json":
        rules = every.read().to_mapping()
        tell(json.dumps({"what": every.what, "rules": rules, "layout": every.layout, "count": number}))
    else:
        tell(f"{number:,}" if how == "text" else number)


def study(
    *,
    db: Path = option(..., "The store: made, or gone on with.", "--db"),
    number: int = option(10_000, "How many boards.", "-n", "--number", "--n"),
    asked: opt.Asked = opt.Asked(rules="tournament"),
    seed: opt.Seed = None,
    players: str = option(
        "4", "How many settle; or who plays: a name for all, or one a seat.", "--players", "-p"
    ),
    games: int = option(0, "Games to play on each board; needs the extra play."),
    wanted: opt.Wanted,
    workers: opt.Workers = 1,
    scheduler: str | None = option(None, "Work on this Dask cluster instead, such as tcp://HOST:8786."),
    solver: opt.SolverName = "auto",
    timeout: float = option(900.0, "Seconds that a chunk's boards may take."),
    chunk: int | None = option(
        None, "Boards in a chunk, the most that a crash costs: 200, or as many as play 400 games."
    ),
    name: str = option("study", "The study's name in the store.", "--study"),
) -> None:
    """Make many boards, score and place each, and store them; the same call goes on after an interruption.

    [bold]catan-cp study --n 10000 --rules tournament --db study.db --workers 2[/bold]
    """
    from catan_cp.studies import Study, run_study
    from catan_cp.studies.comparing import describe_study
    from catan_cp.studies.run import dask_executor

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
    from catan_cp.play import POLICIES
    from catan_cp.play.playing import read_players

    if text.isdecimal() and len(text) < 3:
        return int(text), POLICIES[0]
    specs = read_players(text)
    if not games:
        raise InvalidArgument(f"say how many games {text} plays on each board: --games 50, say")
    return len(specs), ",".join(map(str, specs))


def top(
    *,
    db: StoreFile,
    by: str = option(
        "seat_spread",
        "Measures, the best first (+: the least, -: the greatest); later ones settle ties.",
        complete=opt.measures_completed,
    ),
    k: int = option(10, "How many boards.", "--k", "-k"),
    satisfying: str | None = option(
        None, "Only boards that satisfy this preset, such as optimal.", complete=opt.names(*PRESETS)
    ),
    name: StudyName = None,
    csv: Path | None = option(None, "Write all boards and scores into this CSV file."),
    parquet: Path | None = option(None, "Write them into this Parquet file; needs pyarrow."),
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """List a study's best boards, and draw them as a gallery with --save.

    [bold]catan-cp top study.db --by "seat_spread, efficiency_error" --k 12 --save gallery.png[/bold]
    """
    from catan_cp.studies.measures import top_table
    from catan_cp.studies.pictures import plot_top
    from catan_cp.studies.store import Store

    with Store(db) as store:
        rows = store.top(by, k, name, satisfying=satisfying)
        if how == "notation":
            tell("\n".join(row["notation"] for row in rows))
        else:
            tell(json.dumps(rows) if how == "json" else top_table(rows, by))
        if csv is not None:
            say(f"written: {store.to_csv(csv, name, force=picture.force)}")
        if parquet is not None:
            say(f"written: {store.to_parquet(parquet, name, force=picture.force)}")
        if picture.save is not None:
            picture.draw(plot_top(store, by, k, name, satisfying=satisfying))


def show(
    *,
    db: StoreFile,
    board: int = argument(..., "A board's number, as catan-cp top lists it."),
    name: StudyName = None,
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Say everything about one board of a study, and draw it with its settlements with --save.

    [bold]catan-cp show study.db 17 --save board.png[/bold]
    """
    from catan_cp.studies.reporting import report as report_on
    from catan_cp.studies.store import Store

    with Store(db) as store:
        asked = store.study(name)
        found = report_on(store.board(board, asked.name), asked.study.players, asked.study.objective)
    if how == "notation":
        tell(found.board.notation())
    else:
        tell(found.to_json() if how == "json" else f"{found.board}\n\n{found}")
    draw_report(found, asked.study.objective, picture)


def compare(
    *,
    first: StoreFile,
    second: StoreFile,
    by: str | None = option(
        None, "Measures, such as seat_spread, efficiency_error.", complete=opt.measures_completed
    ),
    names: list[str] | None = option(None, "Twice: which studies, where stores have several.", "--study"),
    how: opt.HowWritten = "text",
    picture: opt.Picture,
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
    opt.tell_answer(found, how)
    if picture.save is not None:
        picture.draw(plot_comparison(found))
