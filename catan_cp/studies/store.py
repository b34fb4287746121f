"""The store of studies: one SQLite file with boards and their scores.

>>> with Store("study.db") as store:  # doctest: +SKIP
...     for row in store.top("value_spread", k=3):
...         print(row["board"], row["notation"], row["value_spread"])

Only `catan_cp.run_study` writes a store. Opening it and queries change nothing. A store can be read while a
study runs. Its file may come from an untrusted source: all functions except `Store.query` and `Store.rows`
return only numbers, names of presets, and text with the characters of a notation.

The writer holds SQLite's lock and uses one transaction per chunk. A board's number is its place among all
boards that its study makes. A board that is made again keeps its lowest number, and its `times` increases.
The content of a store therefore does not depend on the order in which chunks were finished.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from catan_cp import errors
from catan_cp.analysis.boards import BoardAnalysis
from catan_cp.analysis.measures import DIGITS, MEASURES, Needs, Row, Value, read_criteria
from catan_cp.boards.board import Board
from catan_cp.errors import CatanError, InvalidArgument, InvalidRules, amount, listed, show, show_path
from catan_cp.files import checked_path, import_extra, whole_file, write_csv
from catan_cp.rules.rules import PRESETS, Rules
from catan_cp.studies import tables
from catan_cp.studies.study import Study, StudyState

if TYPE_CHECKING:
    import pandas

_BATCH = 10_000
"""Number of boards in memory at a time, and in a row group of a Parquet file."""

_FIELDS = {"board": int, "notation": str, "times": int, "presets": str}


class Store:
    """A store, open to read.

    Args:
        path: its file.
        models: the folder of the edited models of its studies. A store does not contain the path.

    Raises:
        InvalidArgument: the file is missing, is a folder, or is not a store of this version. Or a file beside
            it would let SQLite change other files.
        CatanError: the file is damaged, or a study was killed while writing. Running the study again repairs
            the store.

    Example:
        >>> import catan_cp
        >>> study = catan_cp.Study(2, "tournament", seed=1, players=3)
        >>> _ = catan_cp.run_study(study, "study.db", progress=False)
        >>> with Store("study.db") as store:
        ...     [state.made for state in store.studies()]
        [2]
    """

    _to_write = False

    def __init__(self, path: str | os.PathLike[str], *, models: str | os.PathLike[str] | None = None) -> None:
        self._models = None if models is None else Rules(models=str(models)).models
        self.path = errors.check_path("a store is a file, as in 'study.db'", path)
        self._connection = tables.open_store(self.path, to_write=self._to_write)
        try:
            with tables.sql_errors(self.path):
                self._columns = tables.columns_of(self._connection)
        except BaseException:
            self._connection.close()
            raise
        self._kinds: dict[str, type] = _FIELDS | {name: MEASURES[name].kind for name in self._columns}

    def close(self) -> None:
        """Close the file. Further calls have no effect."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to SQLite, for functions such as ``pandas.read_sql``.

        It is read-only, except in a `Writer`.
        """
        return self._connection

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """Return the rows of a query, each as a dict.

        The tables are studies, chunks, boards, satisfied, measures and scores; the view ``results`` has
        boards and scores side by side. See docs/measures.md.

        Raises:
            InvalidArgument: SQLite does not understand the query, or it would change something.
        """
        return list(self.rows(sql, parameters))

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query one at a time, with the arguments of `query`."""
        errors.check_kind("a query is SQL text", sql, str)
        with tables.sql_errors(self.path, "read"):
            try:
                cursor = self._connection.execute(sql, parameters)
            except (sqlite3.ProgrammingError, sqlite3.OperationalError) as error:
                if getattr(error, "sqlite_errorname", "SQLITE_ERROR") in ("SQLITE_ERROR", "SQLITE_READONLY"):
                    raise InvalidArgument(f"the query {show(sql)} does not work: {error}") from None
                raise
            with closing(cursor):  # otherwise an unreadable row would keep the lock
                yield from map(dict, cursor)

    def studies(self) -> list[StudyState]:
        """Return the studies in the store, in the order in which they were begun.

        Raises:
            InvalidRules: a study was made with edited models, and *models* is not their folder.
            CatanError: the description of a study is invalid, or boards of it are missing.
        """
        return [self._state(row) for row in self._rows_of_studies()]

    def _rows_of_studies(self) -> list[Row]:
        return self._select("SELECT * FROM studies ORDER BY study")

    def _select(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a built-in query, which fails only in a damaged store."""
        with (
            tables.sql_errors(self.path, "read"),
            closing(self._connection.execute(sql, parameters)) as cursor,
        ):
            return [dict(row) for row in cursor]

    def _state(self, row: Row) -> StudyState:
        """Return the checked state of a study from its row."""
        number, name, definition = row["study"], row["name"], row["definition"]
        try:
            study = Study.from_json(definition, models=self._models)
        except InvalidRules as error:
            raise InvalidRules(f"the study {show(name)} in {show_path(self.path)}: {error}") from None
        except CatanError as error:
            raise tables.damaged(self.path, f"its study {show(name)}: {error}") from None
        if study.name != name:
            raise tables.damaged(self.path, f"its study {show(name)} is called {show(study.name)}")
        (counts,) = self._select(
            "SELECT (SELECT coalesce(sum(boards), 0) FROM chunks WHERE study = ?) AS made, "
            "count(*) AS boards, coalesce(sum(times), 0) AS times FROM boards WHERE study = ?",
            (number, number),
        )
        if counts["times"] != counts["made"]:
            words = f"made {amount(counts['made'], 'board')}, but {counts['times']:,} are there"
            raise tables.damaged(self.path, f"the chunks of the study {show(name)} {words}")
        sql = "SELECT chunk, failure FROM chunks WHERE study = ? AND failure IS NOT NULL ORDER BY chunk"
        failures = {
            chunk["chunk"]: errors.visible(chunk["failure"]) for chunk in self._select(sql, (number,))
        }
        versions = row["library_version"], row["solver_version"]
        return StudyState(study, number, *versions, counts["made"], counts["boards"], failures)

    def study(self, name: str | None = None) -> StudyState:
        """Return the study of that name, or the only study if *name* is None.

        Raises:
            InvalidArgument: no study has that name. Or *name* is None, and the store has no study or several.
        """
        rows = self._rows_of_studies()
        matches = [row for row in rows if name is None or row["name"] == name]
        if len(matches) == 1:
            return self._state(matches[0])
        problem = "name one of its studies" if name is None else f"no study is called {show(name)}"
        names = listed(row["name"] for row in rows) or "none"
        raise InvalidArgument(f"in the store {show_path(self.path)}, {problem}: it has {names}")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names in a row of `top`, in order.

        They are board, notation, times, presets and the measures.
        """
        return tuple(self._kinds)

    def top(
        self,
        by: str = "value_spread",
        k: int | None = 10,
        study: str | None = None,
        *,
        satisfying: str | None = None,
    ) -> list[Row]:
        """Return the *k* best boards by some criteria, or all boards if *k* is None.

        Args:
            by: measures, most important first, as in ``value_spread, -value_1``: see `read_criteria`.
            k: number of boards, 1 or more.
            study: the study's name, by default the only one.
            satisfying: only boards that satisfy this preset.

        Returns:
            One dict per board, the best board first. The keys are `fields`.

        Raises:
            InvalidArgument: an unknown criterion, study or preset, or a *k* below 1.
            CatanError: the row of a board is damaged.
        """
        self._check_measures(read_criteria(by))
        most = -1 if k is None else errors.check_count("k", k, 1)
        state = self.study(study)
        end = f"ORDER BY {_order_sql(by)} LIMIT ?"
        if satisfying is None:
            return self._results(state, end, most)
        errors.check_choice("satisfying", satisfying, PRESETS)
        only = "AND ' ' || presets || ' ' LIKE '% ' || ? || ' %'"
        return self._results(state, f"{only} {end}", satisfying, most)

    def row(self, board: int, study: str | None = None) -> Row:
        """Return the row of one board, by its number, as `top` does.

        Raises:
            InvalidArgument: the study has no board of that number.
            CatanError: the row of a board is damaged.
        """
        state = self.study(study)
        board = errors.check_count("a board's number", board, 1, 2**63 - 1)
        for row in self._results(state, "AND board = ?", board):
            return row
        raise InvalidArgument(
            f"{state.name!r} has no board {board}: none of {state.made} has this number, or it repeated "
            "an earlier one; `catan-cp top` lists boards with their numbers"
        )

    def board(self, board: int, study: str | None = None) -> Board:
        """Return one board by its number. Errors are those of `row`."""
        state = self.study(study)
        return Board.from_notation(self.row(board, state.name)["notation"], state.study.layout)

    def column(self, name: str, study: str | None = None) -> list[float]:
        """Return one measure of all boards with a value, in the order of their numbers.

        Raises:
            InvalidArgument: no such measure or study.
            CatanError: the row of a board is damaged.
        """
        measure, *further = read_criteria(name)
        if further:
            raise InvalidArgument(f"name must be one measure, not {show(name)}")
        return self.columns([measure], study)[measure]

    def columns(self, names: Iterable[str], study: str | None = None) -> dict[str, list[float]]:
        """Return measures by name, each as `column` does."""
        if not isinstance(names, Iterable):
            raise InvalidArgument(f"names must be a list of measures, not {show(names)}")
        measures = [*names]
        self._check_measures(measures)
        columns: dict[str, list[float]] = {name: [] for name in measures}
        for row in self._pages(self.study(study)):
            for name, values in columns.items():
                if row[name] is not None:
                    values.append(row[name])
        return columns

    def results(self, study: str | None = None) -> Iterator[Row]:
        """Yield the row of each board of a study, in the order of board numbers.

        Raises:
            InvalidArgument: no such study.
            CatanError: the row of a board is damaged.
        """
        return self._pages(self.study(study))

    def to_csv(self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False) -> Path:
        """Write a study's boards and scores to a CSV file, and return its path.

        The file has one line per board, empty cells for missing values, and is written whole or not at all.

        Raises:
            InvalidArgument: the file exists and *force* is not set, or its folder is missing.
            CatanError: it cannot be written, or the row of a board is damaged.
        """
        with (
            _written(path, force) as (target, beside),
            beside.open("w", newline="", encoding="utf-8") as file,
        ):
            write_csv(file, chain([self.fields], (row.values() for row in self.results(study))))
        return target

    def to_parquet(
        self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False
    ) -> Path:
        """Write a study's boards and scores to a Parquet file, and return its path.

        Needs pyarrow, which the extra ``frame`` installs. Errors are those of `to_csv`.
        """
        arrow, parquet = import_extra("pyarrow", "Parquet"), import_extra("pyarrow.parquet", "Parquet")
        types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
        schema = arrow.schema([(name, types[kind]) for name, kind in self._kinds.items()])
        with _written(path, force) as (target, beside), parquet.ParquetWriter(beside, schema) as writer:
            rows = self.results(study)
            while batch := list(islice(rows, _BATCH)):
                writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
        return target

    def to_frame(self, study: str | None = None, *, drop_empty: bool = False) -> pandas.DataFrame:
        """Return a study's boards and scores as a pandas DataFrame, indexed by number.

        Its columns are those of `fields`, with nullable whole numbers (``Int64``). Needs pandas, which the
        extra ``frame`` installs.

        Args:
            study: the study's name, needed if the store has several.
            drop_empty: leave out columns without a value in any row.

        Raises:
            InvalidArgument: no such study.
            CatanError: pandas is missing, or the row of a board is damaged.
        """
        frame = import_extra("pandas", "a DataFrame").DataFrame(self.results(study), columns=self.fields)
        types = {int: "Int64", float: "float64", str: "str"}
        typed: pandas.DataFrame = frame.astype({name: types[kind] for name, kind in self._kinds.items()})
        typed = typed.set_index("board")
        return typed.loc[:, typed.notna().any() & (typed != "").any()] if drop_empty else typed

    def _pages(self, study: StudyState) -> Iterator[Row]:
        """Yield all rows of a study in the order of board numbers.

        They are read in pages, so that a study can write between two pages.
        """
        last, page = 0, "AND board > ? ORDER BY board LIMIT ?"
        while rows := self._results(study, page, last, _BATCH):
            yield from rows
            last = rows[-1]["board"]

    def _results(self, study: StudyState, end: str, *parameters: object) -> list[Row]:
        """Return rows of a study. *end* continues the SQL after the condition on the study.

        Raises:
            CatanError: a value is not finite, or text with control characters.
        """
        names = ", ".join(self._kinds).replace("presets", "coalesce(presets, '') AS presets")
        sql, rows = f"SELECT {names} FROM results WHERE study = {study.number} {end}", list[Row]()  # noqa: S608
        with (
            tables.sql_errors(self.path, "read"),
            closing(self._connection.execute(sql, parameters)) as cursor,
        ):
            for row in cursor:
                for name, value in zip(self._kinds, row, strict=True):
                    if not (value.isprintable() if isinstance(value, str) else isfinite(value or 0)):
                        raise tables.damaged(self.path, f"{name} of board {row['board']} is {show(value)}")
                rows.append(dict(row))
        return rows

    def _check_measures(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._columns:
                read_criteria(name)  # which rejects unknown measures
                raise InvalidArgument(
                    f"the store {show_path(self.path)} has no {name}: another version of the library wrote "
                    "it; a call of `catan-cp study` adds the column, for boards that are made from then on"
                )


@contextmanager
def _written(path: str | os.PathLike[str], force: bool) -> Iterator[tuple[Path, Path]]:
    """Yield the checked path, and a temporary file that becomes it after the block."""
    target = checked_path(path, force=force)
    with tables.sql_errors(target, "write"), whole_file(target, force=force) as beside:
        yield target, beside


# Writing


class Outcome(NamedTuple):
    """The outcome of a chunk.

    Attributes:
        chunk: its number.
        boards: for each its notation, its presets in alphabetical order, and its scores in the order of
            `catan_cp.analysis.measures.MEASURES`.
        versions: of the library, and of the solver if one was used.
        machine: the name of the machine that worked on it.
    """

    chunk: int
    boards: tuple[tuple[str, tuple[str, ...], tuple[Value, ...]], ...]
    versions: tuple[str, str | None]
    machine: str


def score_row(report: BoardAnalysis, needs: Collection[Needs] = ("board", "placement")) -> tuple[Value, ...]:
    """Return the stored numbers of an analysis, in the order of `MEASURES`.

    Measures whose input is not in *needs* are None.
    """
    return tuple([measure.of(report) if measure.needs in needs else None for measure in MEASURES.values()])


def _order_sql(by: str) -> str:
    """Return the SQL after ORDER BY.

    Boards without a value come last, and the boards' numbers break ties. Values that differ by rounding only
    are ties.
    """
    parts = []
    for name, descending in read_criteria(by).items():
        value = f"round({name}, {DIGITS})" if MEASURES[name].kind is float else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


def digest(notations: Iterable[str]) -> str:
    """Return a digest of boards in their order."""
    return blake2b("\n".join(notations).encode(), digest_size=16).hexdigest()


class Writer(Store):
    """A store open for writing, exclusively until it is closed.

    The connection is always in a transaction, which holds SQLite's lock.

    Raises:
        InvalidArgument: the path is a folder or cannot be written, or the file is not a store.
        CatanError: the file is damaged, or another run writes it.
    """

    _to_write = True

    def __init__(self, path: str | os.PathLike[str], *, models: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path, models=models)
        self._known = self.path.stat()

    def begin(self, study: Study, library_version: str, solver_version: str | None) -> StudyState:
        """Begin or resume a study, and return its state.

        The arguments of a resumed study must equal those with which it was begun, except that *n* may
        increase. If boards are generated and *study* has no seed, a resumed study keeps its seed, and a new
        one gets a random seed.

        Raises:
            InvalidArgument: a study of that name was begun with other arguments.
        """

        def facts(definition: Study, library: str, solver: str | None) -> dict[str, Any]:
            """Return the facts that must not change.

            An error names the first that differs. The source is first, since other facts depend on it.
            """
            versions = {"catan-cp's version": library, "the solver's version": solver}
            return {"source": definition.source} | definition.facts() | versions

        begun = next((self._state(row) for row in self._rows_of_studies() if row["name"] == study.name), None)
        if study.seed is None and study.source == "generated":
            new_seed = random.SystemRandom().randrange(2**32)
            study = replace(study, seed=new_seed if begun is None else begun.study.seed)
        if begun is not None:
            known, n = facts(begun.study, begun.library_version, begun.solver_version), begun.study.n
            for name, value in facts(study, library_version, solver_version).items():
                n_grows = name == "n" and n is not None and (study.n is None or study.n > n)
                if value != known[name] and not n_grows:
                    before, now = ("'none'" if fact is None else show(fact) for fact in (known[name], value))
                    raise InvalidArgument(
                        f"the study {study.name!r} in {show_path(self.path)} was begun with {name} {before}, "
                        f"not {now}; go on with the same, or choose another file or name"
                    )
        definition = study.to_json()
        with self._transaction():
            self._connection.execute(
                "INSERT INTO studies (name, definition, library_version, solver_version) "
                "VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
                (study.name, definition, library_version, solver_version),
            )
        return self.study(study.name)

    def finished(self, study: int, chunk: int) -> tuple[int, str | None]:
        """Return the stored number of boards of a chunk, and their digest (None if unknown)."""
        sql = "SELECT boards, digest FROM chunks WHERE study = ? AND chunk = ?"
        for row in self._select(sql, (study, chunk)):
            return row["boards"], row["digest"]
        return 0, digest(())

    def write(self, study: int, size: int, outcome: Outcome) -> int:
        """Write a finished chunk of a study whose chunks have *size* boards, whole or not at all.

        An earlier call may have stored the first boards of the chunk. These stay.

        Returns:
            The number of boards that were not stored yet, repeats included.

        Raises:
            CatanError: the chunk does not begin with its stored boards, or it cannot be written, for
                example because the disk is full. The store keeps its content.
        """
        n_stored, stored_digest = self.finished(study, outcome.chunk)
        notations = [notation for notation, _, _ in outcome.boards]
        if stored_digest not in (None, digest(notations[:n_stored])):
            raise CatanError(
                f"chunk {outcome.chunk} came out with other boards than those in {show_path(self.path)}; go "
                "on with the machine and the versions that began the study"
            )
        with self._transaction():
            first = outcome.chunk * size + n_stored + 1
            for number, board in enumerate(outcome.boards[n_stored:], first):
                self._write_board(study, number, *board)
            chunk = (study, outcome.chunk, len(notations), digest(notations))
            self._connection.execute("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, NULL)", chunk)
        return len(notations) - n_stored

    def _write_board(
        self, study: int, board: int, notation: str, presets: Sequence[str], scores: Sequence[Value]
    ) -> None:
        """Write a board with its scores, or count a repeat of a stored board."""
        execute = self._connection.execute
        count = "UPDATE boards SET times = times + 1, board = min(board, ?) WHERE study = ? AND notation = ?"
        if execute(count, (board, study, notation)).rowcount:
            return
        execute("INSERT INTO boards VALUES (?, ?, ?, 1)", (study, board, notation))
        names, marks = ", ".join(("study", "board", *MEASURES)), ", ".join("?" * (len(scores) + 2))
        execute(f"INSERT INTO scores ({names}) VALUES ({marks})", (study, board, *scores))  # noqa: S608
        for preset in presets:
            execute("INSERT INTO satisfied VALUES (?, ?, ?)", (study, board, preset))

    def fail(self, study: int, chunk: int, why: str) -> None:
        """Record that a chunk failed. Its stored boards stay."""
        row = (study, chunk, *self.finished(study, chunk), why)
        with self._transaction():
            self._connection.execute("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", row)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit the writes of the block, or roll all of them back."""
        self._check_place()
        try:
            with tables.sql_errors(self.path, "write"):
                yield
                tables.commit(self._connection)
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")  # fails if SQLite has already rolled back
            raise
        finally:
            with suppress(sqlite3.Error):  # the next statement then reports the error
                self._connection.execute("BEGIN IMMEDIATE")

    def _check_place(self) -> None:
        """Raise if the path no longer leads to the same file."""
        problem = "was deleted or moved"
        with suppress(OSError):
            same = os.path.samestat(self.path.stat(), self._known)
            problem = "" if same else "was replaced by another file"
        if problem:
            raise CatanError(
                f"the store {show_path(self.path)} {problem} while the study ran; put it back, or choose "
                "another file, then call again"
            )

    def close(self) -> None:
        """Close the file and let other processes write. Further calls have no effect."""
        with suppress(sqlite3.Error):  # it is closed already, the disk is full, or the file is gone
            self._connection.execute("UPDATE state SET writing = 0")
            tables.commit(self._connection, patience=10)
        super().close()
