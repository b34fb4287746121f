"""The store of a study: one SQLite file with boards and their scores, to rank, query and hand on.

>>> with Store("study.db") as store:  # doctest: +SKIP
...     for row in store.top("seat_spread", k=3):
...         print(row["board"], row["notation"], row["seat_spread"])

Opening a store changes nothing, and nor can a query; only `catan_cp.run_study` writes. A store can be read
while a study runs. Every row carries a checksum, which all functions but `Store.query` and `Store.rows`
compare; what they show of a stranger's store is a number, a preset, or a notation that was read as a board.
"""

from __future__ import annotations

import csv
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from catan_cp.arguments import check_count
from catan_cp.boards.board import Board
from catan_cp.errors import CatanError, InvalidArgument, extra, listed, show, show_path, visible
from catan_cp.files import replacing
from catan_cp.rules.rules import PRESETS
from catan_cp.studies.measures import MEASURES, aligned, figure, order_sql, read_criteria
from catan_cp.studies.study import Study, StudyState
from catan_cp.studies.tables import (
    as_path,
    columns_of,
    damaged,
    is_number,
    open_store,
    row_checksum,
    study_checksum,
    telling,
)

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

_BATCH = 10_000
"""Boards that are in memory at a time, and in a row group of a Parquet file."""

_FIELDS = {"board": int, "notation": str, "times": int, "presets": str}
_PRESETS = re.compile(r"([a-z0-9_-]+( [a-z0-9_-]+)*)?")


class Store:
    """A store, open to read.

    Args:
        path: its file.

    Raises:
        InvalidArgument: no such file, a folder, another program's file, or one of a newer version.
        CatanError: the file is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path(path)
        self._connection = open_store(self.path)
        self._columns = columns_of(self._connection)
        self._measures = tuple(name for name in self._columns if name in MEASURES)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, which cannot write: for ``pandas.read_sql`` and the like."""
        return self._connection

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """Return the rows of a query, each as a dict.

        The tables are studies, chunks, boards, satisfied, measures and scores; the view ``results`` has
        boards and scores side by side. See docs/studies.md.

        Raises:
            InvalidArgument: SQLite does not understand the query, or it would change something.
        """
        return list(self.rows(sql, parameters))

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query, one at a time, whatever their number; else as `query`."""
        with telling(self.path, "read"):
            try:
                cursor = self._connection.execute(sql, parameters)
            except (sqlite3.ProgrammingError, sqlite3.OperationalError) as error:
                if getattr(error, "sqlite_errorname", "SQLITE_ERROR") in ("SQLITE_ERROR", "SQLITE_READONLY"):
                    raise InvalidArgument(f"the query {show(sql)} does not work: {error}") from None
                raise
            for row in cursor:
                yield dict(row)

    def studies(self) -> list[StudyState]:
        """Return the studies in the store, in the order in which they were begun.

        Raises:
            CatanError: the row of a study is not as it was written.
        """
        return [self._state(row) for row in self.rows("SELECT * FROM studies ORDER BY study")]

    def study(self, name: str | None = None) -> StudyState:
        """Return the study of that name, or the only one.

        Raises:
            InvalidArgument: there is none of that name, or several and no name.
        """
        known = {study.name: study for study in self.studies()}
        if name is None and len(known) == 1:
            return next(iter(known.values()))
        if name is not None and name in known:
            return known[name]
        asked = "name one of its studies" if name is None else f"no study is called {show(name)}"
        raise InvalidArgument(
            f"in the store {show_path(self.path)}, {asked}: it has {listed(known) or 'none'}"
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """The names in a row of `top`, in order: board, notation, times, presets, and the measures."""
        return (*_FIELDS, *self._measures)

    def top(
        self,
        by: str = "seat_spread",
        k: int | None = 10,
        study: str | None = None,
        *,
        satisfying: str | None = None,
    ) -> list[Row]:
        """Return the *k* best boards by some criteria (all for None).

        Args:
            by: measures, the best first, as in ``seat_spread, -value_1``: see `read_criteria`.
            k: how many; 1 or more.
            study: which study; by default the only one.
            satisfying: only boards that satisfy this preset.

        Returns:
            A dict a board, with the names in `fields`.

        Raises:
            InvalidArgument: an unknown criterion, study or preset, or a *k* below 1.
            CatanError: the row of a board is not as it was written.
        """
        criteria = read_criteria(by)
        for criterion in criteria:
            self._check_measure(criterion.measure)
        k = None if k is None else check_count("k", k, 1)
        found = self.study(study)
        where, parameters = "", list[Any]()
        if satisfying is not None:
            if satisfying not in PRESETS:
                raise InvalidArgument(f"unknown preset {show(satisfying)}; presets are {listed(PRESETS)}")
            where = "AND ' ' || presets || ' ' LIKE '% ' || ? || ' %' "
            parameters.append(satisfying)
        end = f"{where}ORDER BY {order_sql(criteria)} LIMIT ?"
        return self._results(found, end, (*parameters, -1 if k is None else k))

    def row(self, board: int, study: str | None = None) -> Row:
        """Return the row of one board, by its number, as `top` does.

        Raises:
            InvalidArgument: the study has no board of that number.
            CatanError: the row is not as it was written.
        """
        found = self.study(study)
        board = check_count("a board's number", board, 1, 2**63 - 1)
        rows = self._results(found, "AND board = ?", (board,))
        if not rows:
            raise InvalidArgument(
                f"{found.name!r} has no board {board}: none of {found.made} has this number, or it repeated "
                "an earlier one; `catan-cp top` lists boards with their numbers"
            )
        return rows[0]

    def board(self, board: int, study: str | None = None) -> Board:
        """Return one board, by its number; errors are those of `row`."""
        found = self.study(study)
        return Board.from_notation(self.row(board, found.name)["notation"], found.study.layout)

    def column(self, name: str, study: str | None = None) -> list[float]:
        """Return one measure of all boards that have a value there, in the order of their numbers.

        Raises:
            InvalidArgument: no such measure or study.
            CatanError: the row of a board is not as it was written.
        """
        (criterion,) = read_criteria(name)
        return self.columns([criterion.measure], study)[criterion.measure]

    def columns(self, names: Sequence[str], study: str | None = None) -> dict[str, list[float]]:
        """Return measures by name, each as `column` does."""
        for name in names:
            self._check_measure(name)
        found: dict[str, list[float]] = {name: [] for name in names}
        for row in self._pages(self.study(study), shown=False):
            for name, values in found.items():
                if row[name] is not None:
                    values.append(row[name])
        return found

    def results(self, study: str | None = None) -> Iterator[Row]:
        """Yield the rows of all boards of a study by their numbers, as `top` does, one at a time.

        Raises:
            InvalidArgument: no such study.
            CatanError: the row of a board is not as it was written.
        """
        return self._pages(self.study(study))

    def to_csv(self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False) -> Path:
        """Write a study's boards and scores to a CSV file, a line a board, and return its path.

        The file appears whole or not at all; nothing stands where a board has no value.

        Raises:
            InvalidArgument: the file exists and *force* is not set, or its folder is missing.
            CatanError: it cannot be written, or the row of a board is not as it was written.
        """
        target, rows = _checked_target(path, force), self.results(study)
        with (
            telling(target, "write"),
            replacing(target) as beside,
            beside.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.fields)
            writer.writerows([_cell(value) for value in row.values()] for row in rows)
        return target

    def to_parquet(
        self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False
    ) -> Path:
        """Write a study's boards and scores to a Parquet file, and return its path.

        Needs pyarrow, which the extra ``frame`` brings. Errors are those of `to_csv`.
        """
        arrow, parquet = _needed("pyarrow", "Parquet"), _needed("pyarrow.parquet", "Parquet")
        target, rows = _checked_target(path, force), self.results(study)
        types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
        schema = arrow.schema([(name, types[kind]) for name, kind in self._kinds().items()])
        with (
            telling(target, "write"),
            replacing(target) as beside,
            parquet.ParquetWriter(beside, schema) as writer,
        ):
            while batch := list(islice(rows, _BATCH)):
                writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
        return target

    def to_frame(self, study: str | None = None) -> pandas.DataFrame:
        """Return a study's boards and scores as a pandas DataFrame, a row a board, indexed by their numbers.

        Its columns are those of `fields`; whole numbers are nullable (``Int64``). Needs pandas, which the
        extra ``frame`` brings.

        Raises:
            InvalidArgument: no such study.
            CatanError: pandas is missing, or the row of a board is not as it was written.
        """
        library, rows = _needed("pandas", "a DataFrame"), list(self.results(study))
        types = {int: "Int64", float: "float64", str: "str"}
        columns = {
            name: library.Series([row[name] for row in rows], dtype=types[kind])
            for name, kind in self._kinds().items()
        }
        made: pandas.DataFrame = library.DataFrame(columns).set_index("board")
        return made

    def _kinds(self) -> dict[str, type]:
        """Return the type of each field of a row."""
        return {**_FIELDS, **{name: MEASURES[name].kind for name in self._measures}}

    def _pages(self, study: StudyState, *, shown: bool = True) -> Iterator[Row]:
        """Yield all rows of a study by their numbers; between two pages of them a study can write."""
        last = 0
        while rows := self._results(study, "AND board > ? ORDER BY board LIMIT ?", (last, _BATCH), shown):
            yield from rows
            last = rows[-1]["board"]

    def _results(
        self, study: StudyState, end: str, parameters: Sequence[Any], shown: bool = True
    ) -> list[Row]:
        """Return rows of a study, checked; *end* is the end of the query.

        Where notations are *shown*, each is read as a board first.
        """
        names = ", ".join(self._columns)
        sql = f"SELECT notation, presets, checksum, board, times, {names} FROM results WHERE study = ? {end}"  # noqa: S608
        first = 5
        places = [first + self._columns.index(name) for name in self._measures]
        found = []
        with telling(self.path, "read"):
            rows = self._connection.execute(sql, (study.number, *parameters)).fetchall()
        for row in rows:
            notation, presets, checksum, board, times = row[:first]
            presets = presets or ""
            if not _is_whole(notation, presets, checksum, row[first:]):
                raise damaged(self.path, f"the row of board {board} is not as it was written")
            if shown and not _is_notation(notation, study):
                raise damaged(self.path, f"board {board} is no board of {study.study.layout.name}")
            values = (board, notation, times, presets, *[row[place] for place in places])
            found.append(dict(zip(self.fields, values, strict=True)))
        return found

    def _check_measure(self, name: str) -> None:
        if name not in self._columns:
            raise InvalidArgument(
                f"the store {show_path(self.path)} has no {name}: another version of the library wrote it; "
                "a call of `catan-cp study` adds the column, for boards that are made from then on"
            )

    def _state(self, row: Row) -> StudyState:
        return state_of(self._connection, self.path, row)

    def close(self) -> None:
        """Close the file; harmless when closed already."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def state_of(connection: sqlite3.Connection, path: Path, row: Mapping[str, Any] | sqlite3.Row) -> StudyState:
    """Return what the row of a study says, checked, and how far the study is.

    Raises:
        CatanError: the row is not as it was written, or boards are missing.
    """
    number, name, definition = row["study"], row["name"], row["definition"]
    wrong = f"the row of the study {show(name)} is not as it was written"
    if row["checksum"] != study_checksum(name, definition):
        raise damaged(path, wrong)
    try:
        study = Study.from_json(definition)
    except CatanError as error:
        raise damaged(path, f"{wrong}: {error}") from None
    if study.name != name:
        raise damaged(path, wrong)

    def asked(sql: str) -> list[Any]:
        return connection.execute(sql, (number,)).fetchall()

    with telling(path, "read"):
        ((made,),) = asked("SELECT coalesce(sum(boards), 0) FROM chunks WHERE study = ?")
        ((kept, times),) = asked("SELECT count(*), coalesce(sum(times), 0) FROM boards WHERE study = ?")
        failed = asked(
            "SELECT chunk, failure FROM chunks WHERE study = ? AND failure IS NOT NULL ORDER BY chunk"
        )
    if times != made:
        raise damaged(path, f"the chunks of the study {show(name)} made {made} boards, but {times} are there")
    return StudyState(
        study=study,
        number=number,
        library_version=row["library_version"],
        solver_version=row["solver_version"],
        made=made,
        boards=kept,
        failures={chunk: visible(failure) for chunk, failure in failed},
    )


def top_table(rows: Sequence[Row], by: str = "seat_spread") -> str:
    """Return rows of `Store.top` as plain text: number, the criteria, notation."""
    names = [criterion.measure for criterion in read_criteria(by)]
    lines = [("notation", "board", *names)]
    lines += [(row["notation"], str(row["board"]), *(figure(row[name]) for name in names)) for row in rows]
    numbers = aligned([line[1:] for line in lines], 0)
    return "\n".join(f"{cells}  {line[0]}" for cells, line in zip(numbers, lines, strict=True))


def _is_whole(notation: object, presets: str, checksum: object, values: Sequence[Any]) -> bool:
    """Whether a board's row is as it was written."""
    if not isinstance(notation, str) or not all(is_number(value) for value in values):
        return False
    known = _PRESETS.fullmatch(presets) is not None
    return known and checksum == row_checksum(notation, presets.split(), values)


def _is_notation(notation: str, study: StudyState) -> bool:
    """Whether a stored notation is that of a board, letter by letter."""
    try:
        return Board.from_notation(notation, study.study.layout).notation() == notation
    except CatanError:
        return False


def _cell(value: object) -> object:
    """Return a cell of a CSV file; what a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")) else value


def _needed(module: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise CatanError(f"{what} needs {name}: {extra('frame')} brings it") from None


def _checked_target(path: str | os.PathLike[str], force: bool) -> Path:
    target = as_path(path)
    if target.is_dir() or not target.parent.is_dir():
        raise InvalidArgument(f"{show_path(target)} is no name for a file in a folder that is there")
    if target.exists() and not force:
        raise InvalidArgument(f"{show_path(target)} exists; choose another name, or overwrite with force")
    return target
