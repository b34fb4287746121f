"""Commands about many boards: enumerate, count, study, top, show and compare."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import catan_cp
from catan_cp.boards.pieces import TERRAIN_LETTER
from catan_cp.cli import options as opt
from catan_cp.cli.boards import draw_report
from catan_cp.cli.options import argument, option
from catan_cp.errors import InvalidArgument
from catan_cp.progress import watched
from catan_cp.rules.rules import PRESETS
from catan_cp.terminal import explained_interrupt, partial_result, say, statistics_text, tell

StoreFile = Annotated[Path, typer.Argument(help="A store that catan-cp study made, such as study.db.")]
Models = Annotated[
    Path | None, typer.Option(help="Folder of the edited models with which the study was made.")
]
StudyName = Annotated[str | None, typer.Option(help="Which study, where the store has several.")]

_TOP = 10
_AGAIN = "the same command starts again from the first"
_RANKED = "{}, there may be more: the best of them are printed; " + _AGAIN


@dataclass(frozen=True)
class _Every(opt.Asked):
    """What is listed or counted: every terrain, every way to put markers on one, or every board."""

    what: Literal["terrain", "markers", "boards"] = argument(..., "terrain, markers or boards")
    on: str | None = option(None, "For markers: the terrain, in notation, or - for standard input.")
    up_to_symmetry: bool = option(
        False, "One of those that rotations and reflections make of each other; count takes it for terrain."
    )

    @cached_property
    def terrain(self) -> catan_cp.Board:
        """The terrain that markers stand on."""
        if self.on is None:
            letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
            raise InvalidArgument(
                f"markers stand on a terrain: give it with --on NOTATION (letters: {letters})"
            )
        return opt.Given(self.on, opt.named_file(self.layout)).board()

    def call(self, verb: str, **options: Any) -> Any:
        """Return what the library's function with that *verb*, such as `count_boards`, returns."""
        noun = "terrains" if self.what == "terrain" else self.what
        function = getattr(catan_cp, f"{verb}_{noun}")
        if self.up_to_symmetry:
            options["up_to_symmetry"] = True
        asked = (self.terrain, self.read()) if self.what == "markers" else self.both()
        return function(*asked, **options)

    def boards(self, solutions: Iterable[Any]) -> Iterable[catan_cp.Board]:
        """Return the boards of solutions."""
        if self.what == "boards":
            return solutions
        bare = self.what == "terrain"
        known = (opt.read_layout(self.layout),) if bare else (self.terrain.layout, self.terrain.terrain)
        return map(partial(catan_cp.Board, *known), solutions)


def enumerate_(
    *,
    every: _Every,
    search: opt.Search,
    limit: int | None = option(None, "Stop after so many."),
    by: str | None = option(
        None,
        "Print the best by these measures instead (+: the least, -: the greatest first); later ones settle "
        "ties.",
    ),
    top: int | None = option(None, f"With --by: how many; {_TOP} if not given."),
    how: opt.Format | None = option(None, "How boards are written: notation, or, with --by, text: a table."),
    statistics: bool = option(False, "Say on standard error what the search took."),
) -> None:
    """Print every board that the rules allow, while the solver finds them; or rank them all with --by.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg --by weak_vertices[/bold]
    """
    if by is None and top is not None:
        raise InvalidArgument("the top of what? rank the boards with --by, such as --by weak_vertices")
    if by is not None and every.what == "terrain":
        raise InvalidArgument("terrain without markers is not ranked; enumerate markers, or boards")
    if every.up_to_symmetry and every.what == "markers":
        raise InvalidArgument("--up-to-symmetry lists terrain or boards; markers stand on one given terrain")
    with every.call("enumerate", limit=limit, **vars(search)) as solutions:
        if by is None:
            kept = f"there may be more: what was found is printed; {_AGAIN}"
            with explained_interrupt(lambda: f"{solutions.found} found, {kept}"):
                for board in every.boards(watched(solutions, f"{every.what} found", limit)):
                    tell(opt.written(board, how or "notation"))
                sys.stdout.flush()
        else:
            from catan_cp.studies.measures import rank_boards

            best = partial(rank_boards, every.boards(solutions), by, _TOP if top is None else top)
            with partial_result(best, _RANKED) as rows:
                _print_rows(rows, by, how or "text")
        say(f"{solutions.found} found, {'no more exist' if solutions.complete else 'there may be more'}")
        if statistics:
            say(statistics_text(solutions.statistics))


def _print_rows(rows: list[dict[str, Any]], by: str, how: opt.Format) -> None:
    from catan_cp.studies.measures import top_table

    notations = "\n".join(row["notation"] for row in rows)
    tell({"notation": notations, "json": json.dumps(rows), "text": top_table(rows, by)}[how], flush=True)


def count(
    *,
    every: _Every,
    timeout: float | None = option(None, "For what must be listed: seconds."),
    how: opt.HowWritten = "text",
) -> None:
    """Count exactly, also where nobody could list.

    [bold]catan-cp count terrain --rules open[/bold]
    """
    if every.up_to_symmetry and every.what != "terrain":
        raise InvalidArgument(
            f"with --up-to-symmetry, the word after count must be terrain, not {every.what}"
        )
    number = every.call("count", timeout=timeout, progress=True)
    told = {"what": every.what, "rules": every.read().to_mapping(), "layout": every.layout, "count": number}
    tell({"json": json.dumps(told), "text": f"{number:,}", "notation": number}[how])


def study(
    *,
    db: Path = option(..., "The store: made, or gone on with."),
    number: int = option(10_000, "How many boards.", "-n", "--number", "--n"),
    asked: opt.Asked = opt.Asked(rules="tournament"),
    seed: opt.Seed = None,
    players: str = option("4", "How many settle; or who plays: a name for all, or one a seat."),
    games: int = option(0, "Games to play on each board; needs the extra play."),
    wanted: opt.Wanted,
    workers: opt.Workers = 1,
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
    from catan_cp.studies.comparing import describe_study

    options = _read_players(players, games) | {"seed": seed, "solver": solver, "chunk": chunk, "name": name}
    study = catan_cp.Study(number, *asked.both(), objective=wanted.read(), **options)
    with explained_interrupt(lambda: f"what {db} holds is kept; the same command goes on"):
        done = catan_cp.run_study(study, db, workers=workers, timeout=timeout)
    if done.boards:
        with catan_cp.Store(db, models=study.rules.models) as store:
            say(str(describe_study(store, study=done.name)))
    say(f"{db}: {done}")
    if done.failures:
        raise opt.unsatisfied("the same call tries the chunks that failed again")


def _read_players(text: str, games: int) -> dict[str, Any]:
    """Return how many settle, and who plays how many games."""
    from catan_cp.play.playing import read_players

    if text.isdecimal() and len(text) < 3:
        return {"players": int(text), "games": games}
    specs = read_players(text)
    if not games:
        raise InvalidArgument(f"say how many games {text} plays on each board: --games 50, say")
    return {"players": len(specs), "games": games, "played_by": ",".join(map(str, specs))}


def top(
    *,
    db: StoreFile,
    by: str = option(
        "seat_spread", "Measures, the best first (+: the least, -: the greatest); later ones settle ties."
    ),
    k: int = option(10, "How many boards."),
    satisfying: str | None = option(
        None, "Only boards that satisfy this preset, such as optimal.", complete=opt.names(*PRESETS)
    ),
    name: StudyName = None,
    csv: Path | None = option(None, "Write all boards and scores into this CSV file."),
    parquet: Path | None = option(None, "Write them into this Parquet file; needs pyarrow."),
    models: Models = None,
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """List a study's best boards, and draw them as a gallery with --save.

    [bold]catan-cp top study.db --by "seat_spread, efficiency_error" --k 12 --save gallery.png[/bold]
    """
    from catan_cp.studies.comparing import plot_top

    with catan_cp.Store(db, models=models) as store:
        rows = store.top(by, k, name, satisfying=satisfying)
        _print_rows(rows, by, how)
        for file, write in ((csv, store.to_csv), (parquet, store.to_parquet)):
            if file is not None:
                say(f"written: {write(file, name, force=picture.force)}")
        if picture.save is not None:
            picture.draw(plot_top(store, by, k, name, satisfying=satisfying))


def show(
    *,
    db: StoreFile,
    board: int = argument(..., "A board's number, as catan-cp top lists it."),
    name: StudyName = None,
    models: Models = None,
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Say everything about one board of a study, and draw it with its settlements with --save.

    [bold]catan-cp show study.db 17 --save board.png[/bold]
    """
    with catan_cp.Store(db, models=models) as store:
        asked = store.study(name)
        found = catan_cp.analyze_board(
            store.board(board, asked.name), asked.study.players, asked.study.objective
        )
    text = f"{found.board}\n\n{found}"
    tell({"notation": found.board.notation(), "json": found.to_json(), "text": text}[how])
    draw_report(found, asked.study.objective, picture)


def compare(
    *,
    first: StoreFile,
    second: StoreFile,
    by: str | None = option(None, "Measures, such as seat_spread, efficiency_error."),
    names: list[str] | None = option(None, "Twice: which studies, where stores have several.", "--study"),
    models: Models = None,
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Compare two studies, as a table and, with --save, as a picture: whose boards are fairer, by how much?

    [bold]catan-cp compare tournament.db official.db --save fairer.png[/bold]
    """
    from catan_cp.studies.comparing import plot_comparison
    from catan_cp.studies.measures import COMPARED

    if names is not None and len(names) != 2:
        raise InvalidArgument("give --study twice, for the first store and for the second, or not at all")
    studies = (names[0], names[1]) if names else (None, None)
    with catan_cp.Store(first, models=models) as one, catan_cp.Store(second, models=models) as other:
        found = catan_cp.compare_studies(one, other, by or COMPARED, studies=studies)
    opt.tell_answer(found, how)
    if picture.save is not None:
        picture.draw(plot_comparison(found))
