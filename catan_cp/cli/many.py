"""Commands about many boards: enumerate, count, study, top, show and compare."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
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
from catan_cp.errors import InvalidArgument, amount
from catan_cp.progress import watched
from catan_cp.rules.rules import PRESETS
from catan_cp.terminal import CountedResults, explained_interrupt, partial_result, say, statistics_text, tell

StoreFile = Annotated[Path, typer.Argument(help="Store of catan-cp study, such as study.db.")]
Models = Annotated[Path | None, typer.Option(help="Folder of the edited models of the study.")]
StudyName = Annotated[str | None, typer.Option(help="Name of the study, if the store has several.")]

_TOP = 10
_AGAIN = "the same command starts again from the first"
_RANKED = "{}, there may be more: the best of them are printed; " + _AGAIN


@dataclass(frozen=True)
class _Solutions(opt.LayoutOptions):
    """Solutions to list or count: arrangements of terrain or markers, or boards."""

    what: Literal["terrain", "markers", "boards"] = argument(..., "Solutions: terrain, markers or boards.")
    on: str | None = option(
        None, "For markers: terrain in notation, a file with it, or - for standard input."
    )
    up_to_symmetry: bool = option(
        False, "One of each set of symmetric arrangements; count supports it for terrain."
    )

    @cached_property
    def terrain(self) -> catan_cp.Board:
        """The terrain of the markers."""
        if self.on is None:
            letters = ", ".join(f"{letter} {name}" for name, letter in TERRAIN_LETTER.items())
            raise InvalidArgument(f"markers need a terrain: give it with --on NOTATION (letters: {letters})")
        return opt.BoardInput(self.on, opt.named_file(self.layout)).board()

    def call(self, verb: str, **options: Any) -> Any:
        """Call the library's function of a *verb*, such as `count_boards` for ``count``."""
        noun = "terrains" if self.what == "terrain" else self.what
        function = getattr(catan_cp, f"{verb}_{noun}")
        if self.up_to_symmetry:
            options["up_to_symmetry"] = True
        arguments = (self.terrain, self.read()) if self.what == "markers" else self.both()
        return function(*arguments, **options)

    def boards(self, solutions: Iterable[Any]) -> Iterable[catan_cp.Board]:
        """Return the boards of solutions."""
        if self.what == "boards":
            return solutions
        if self.what == "terrain":
            return map(partial(catan_cp.Board, opt.read_layout(self.layout)), solutions)
        return map(partial(catan_cp.Board, self.terrain.layout, self.terrain.terrain), solutions)


@dataclass(frozen=True)
class _Counted(_Solutions):
    """Solutions to count: those of the rules, or of any MiniZinc model."""

    what: Literal["terrain", "markers", "boards", "model"] = argument(  # type: ignore[assignment]
        ..., "Solutions: terrain, markers or boards; model: those of FILE."
    )
    file: Path | None = argument(None, "For model: a MiniZinc model, FILE.mzn.")
    data: list[Path] | None = argument(None, "For model: files of its data, *.dzn or *.json.")
    show_: list[str] | None = option(
        None, "For model: a shown variable; by default those that MiniZinc shows. Repeatable.", "--show"
    )


def enumerate_(
    *,
    solutions: _Solutions,
    search: opt.Search,
    limit: int | None = option(None, "Maximum number to list; all by default."),
    by: str | None = option(
        None, "Print the best by these measures (+ least first, - greatest first); later ones break ties."
    ),
    top: int | None = option(None, f"With --by: number of boards; {_TOP} by default."),
    how: opt.Format | None = option(None, "Output format; by default notation, or with --by text: a table."),
    statistics: bool = option(False, "Print statistics of the search on standard error."),
) -> None:
    """List all boards that the rules allow, or rank them with --by.

    [bold]catan-cp enumerate terrain --rules blog[/bold]
    [bold]catan-cp enumerate markers --rules blog --on dlw/bgol/owbwg/lgob/wlg --by weak_vertices[/bold]
    """
    if by is None and top is not None:
        raise InvalidArgument("--top needs a measure; rank the boards with --by, such as --by weak_vertices")
    if by is not None and solutions.what == "terrain":
        raise InvalidArgument("terrain without markers is not ranked; enumerate markers or boards")
    if solutions.up_to_symmetry and solutions.what == "markers":
        raise InvalidArgument("--up-to-symmetry lists terrain or boards, not the markers of one terrain")
    with solutions.call("enumerate", limit=limit, **vars(search)) as listing:
        if by is None:
            more = f"there may be more: what was found is printed; {_AGAIN}"
            # The search may be ahead of what is printed.
            with (
                CountedResults() as results,
                explained_interrupt(lambda: f"{results.printed:,} found, {more}"),
            ):
                for board in solutions.boards(watched(listing, f"{solutions.what} found", limit)):
                    results.print(partial(opt.tell_board, board, how or "notation"))
        else:
            from catan_cp.analysis.measures import rank_boards

            best = partial(rank_boards, solutions.boards(listing), by, _TOP if top is None else top)
            with partial_result(best, _RANKED) as rows:
                _print_rows(rows, by, how or "text")
        say(f"{listing.found:,} found, {'no more exist' if listing.complete else 'there may be more'}")
        if statistics:
            say(statistics_text(listing.statistics))


def _print_rows(rows: list[dict[str, Any]], by: str, how: opt.Format) -> None:
    from catan_cp.analysis.measures import top_table

    notations = "\n".join(row["notation"] for row in rows)
    tell({"notation": notations, "json": json.dumps(rows), "text": top_table(rows, by)}[how], flush=True)


def count(
    *,
    solutions: _Counted,
    timeout: float | None = option(
        None, "Time limit in seconds, for models and counts by listing; none by default."
    ),
    how: opt.RowFormat = "text",
    explain: bool = option(False, "Explain which method counts boards, and why."),
) -> None:
    """Count all boards that the rules allow, or all solutions of a MiniZinc model, exactly.

    [bold]catan-cp count terrain --rules open[/bold]
    [bold]catan-cp count model queens.mzn queens8.dzn[/bold]
    """
    if solutions.what == "model":
        _count_model(solutions, timeout, how)
        return
    if solutions.file is not None:
        raise InvalidArgument(f"with a model file, the word after count must be model, not {solutions.what}")
    if solutions.up_to_symmetry and solutions.what != "terrain":
        raise InvalidArgument(
            f"with --up-to-symmetry, the word after count must be terrain, not {solutions.what}"
        )
    if explain:
        from catan_cp.counting.counts import explain_count

        say(f"method: {explain_count(solutions.what, *solutions.both())}")
    number = solutions.call("count", timeout=timeout, progress=True)
    record = {
        "what": solutions.what,
        "rules": solutions.read().to_mapping(),
        "layout": solutions.layout,
        "count": number,
    }
    _tell_count(record, how)


def _count_model(solutions: _Counted, timeout: float | None, how: str) -> None:
    """Print the number of solutions of a model, and the method on standard error."""
    from catan_cp.anymodel.count import solution_count

    if solutions.file is None:
        raise InvalidArgument("count model needs a MiniZinc model: catan-cp count model FILE.mzn [DATA]")
    start = time.monotonic()
    number, method = solution_count(solutions.file, solutions.data, show=solutions.show_, timeout=timeout)
    record = {"what": "model", "model": str(solutions.file), "count": number, "method": method}
    _tell_count(record, how)
    say(f"counted by {method} in {time.monotonic() - start:.1f} s")


def _tell_count(record: Mapping[str, Any], how: str) -> None:
    """Print the count of a record. It may have more digits than Python converts by default."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        number = record["count"]
        tell({"json": json.dumps(record), "text": f"{number:,}", "notation": str(number)}[how])
    finally:
        sys.set_int_max_str_digits(limit)


@dataclass(frozen=True)
class _Refuted(opt.LayoutOptions):
    """Rules and a layout as words."""

    rules: str = argument(
        ..., "Preset or a TOML file of rules, which allow no board; or a MiniZinc model, FILE.mzn."
    )
    layout: str = argument(
        "base", "Layout (catan-cp layouts lists them), or a TOML file with one; or the model's data."
    )


def prove(
    *,
    refuted: _Refuted,
    save: Path = option(..., "New or empty folder for clauses, proof and a note on how to check it."),
    timeout: float | None = option(None, "Time limit in seconds; none by default."),
) -> None:
    """Write a proof that no board satisfies the rules, for other programs to check.

    It needs the extra prove, or cadical or kissat on the PATH.

    [bold]catan-cp prove optimal base-5-6 --save proof[/bold]
    [bold]catan-cp prove pigeons.mzn holes5.dzn --save proof[/bold]  for a MiniZinc model
    """
    from catan_cp.search.proofs import save_proof

    start = time.monotonic()
    if refuted.rules.endswith(".mzn"):
        data = None if refuted.layout == "base" else refuted.layout
        proof = save_proof(model=refuted.rules, data=data, folder=save, timeout=timeout)
    else:
        proof = save_proof(*refuted.both(), folder=save, timeout=timeout)
    subject = "model" if proof.what == "solution" else "rules"
    tell(f"no {proof.what} satisfies the {subject}; {save / 'note.txt'} explains how to check the proof")
    sizes = f"{amount(proof.clauses, 'clause')}, {amount(proof.steps, 'step')}"
    say(f"{sizes} in {time.monotonic() - start:.1f} s")


def study(
    *,
    db: Path = option(..., "SQLite file to create or resume."),
    number: int = option(10_000, "Number of boards.", "-n", "--number", "--n"),
    allowed: opt.LayoutOptions = opt.LayoutOptions(rules="tournament"),
    seed: opt.Seed = None,
    players: str = option("4", "Number of players, or with --games: a policy for all, or one per seat."),
    games: int = option(0, "Simulated games on each board, 0 for none; needs the extra play."),
    seats: str = option(
        "none",
        "Measures of the seats: none, estimated (chances) or played (also games).",
    ),
    objective_options: opt.ObjectiveOptions,
    workers: opt.Workers = 1,
    solver: opt.SolverName = "auto",
    timeout: float = option(900.0, "Time limit in seconds for making the boards of one chunk."),
    chunk: int | None = option(
        None, "Boards per chunk, which a crash can lose; by default 200, or 400 games' worth."
    ),
    name: str = option("study", "Name of the study in the store.", "--study"),
) -> None:
    """Generate, score and store many boards.

    The same command resumes an interrupted study.

    [bold]catan-cp study --n 10000 --rules tournament --db study.db --workers 2[/bold]
    """
    from catan_cp.studies.comparing import describe_study

    options = _read_players(players, games) | {"seed": seed, "solver": solver, "chunk": chunk, "name": name}
    options["seats"] = seats
    study = catan_cp.Study(number, *allowed.both(), objective=objective_options.read(), **options)
    with explained_interrupt(lambda: f"what {db} holds is kept; the same command goes on"):
        state = catan_cp.run_study(study, db, workers=workers, timeout=timeout)
    if state.boards:
        with catan_cp.Store(db, models=study.rules.models) as store:
            say(str(describe_study(store, study=state.name)))
    say(f"{db}: {state}")
    if state.failures:
        raise opt.unsatisfied("the same call tries the chunks that failed again")


def _read_players(text: str, games: int) -> dict[str, Any]:
    """Return the options of `Study` for a number of players, or for policies and games."""
    from catan_cp.play.playing import read_players

    if text.isdecimal() and len(text) < 3:
        return {"players": int(text), "games": games}
    specs = read_players(text)
    if not games:
        raise InvalidArgument(f"--players {text} needs the number of games on each board, such as --games 50")
    return {"players": len(specs), "games": games, "played_by": ",".join(map(str, specs))}


def top(
    *,
    db: StoreFile,
    by: str = option("value_spread", "Measures (+ least first, - greatest first); later ones break ties."),
    k: int = option(10, "Number of boards."),
    satisfying: str | None = option(
        None, "Preset that the boards must satisfy, such as optimal.", complete=opt.names(*PRESETS)
    ),
    name: StudyName = None,
    csv: Path | None = option(None, "CSV file to write, with all boards and scores."),
    parquet: Path | None = option(None, "Parquet file to write; needs pyarrow."),
    models: Models = None,
    how: opt.RowFormat = "text",
    picture: opt.Picture,
) -> None:
    """List the best boards of a study, or draw them as a gallery.

    [bold]catan-cp top study.db --by "value_spread, efficiency_error" --k 12 --save gallery.png[/bold]
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
    board: int = argument(..., "Number of the board, as listed by catan-cp top."),
    name: StudyName = None,
    models: Models = None,
    how: opt.RowFormat = "text",
    picture: opt.Picture,
) -> None:
    """Analyze one board of a study, and draw it with --save.

    [bold]catan-cp show study.db 17 --save board.png[/bold]
    """
    with catan_cp.Store(db, models=models) as store:
        state = store.study(name)
        analysis = catan_cp.analyze_board(
            store.board(board, state.name), state.study.players, state.study.objective
        )
    formats: dict[str, Callable[[], str]] = {
        "notation": analysis.board.notation,
        "json": analysis.to_json,
        "text": lambda: f"{analysis.board}\n\n{analysis}",
    }
    tell(formats[how](), tiles=True)  # the last two may play games
    draw_report(analysis, state.study.objective, picture)


def compare(
    *,
    first: StoreFile,
    second: StoreFile,
    by: str | None = option(None, "Measures to compare, such as value_spread, efficiency_error."),
    names: list[str] | None = option(
        None, "Names of the two studies, if stores have several; give it twice.", "--study"
    ),
    models: Models = None,
    how: opt.RowFormat = "text",
    picture: opt.Picture,
) -> None:
    """Compare two studies as a table, and as a picture with --save.

    [bold]catan-cp compare tournament.db official.db --save fairer.png[/bold]
    """
    from catan_cp.studies.comparing import COMPARED, plot_comparison

    if names is not None and len(names) != 2:
        raise InvalidArgument(
            "--study must be given twice, for the first and the second store, or not at all"
        )
    studies = (names[0], names[1]) if names else (None, None)
    with (
        catan_cp.Store(first, models=models) as first_store,
        catan_cp.Store(second, models=models) as second_store,
    ):
        comparison = catan_cp.compare_studies(first_store, second_store, by or COMPARED, studies=studies)
    opt.print_result(comparison, how)
    if picture.save is not None:
        picture.draw(plot_comparison(comparison))
