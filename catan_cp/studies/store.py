"""The store of a study: one SQLite file with boards and their scores, to rank, query and hand on.

>>> with Store("study.db") as store:  # doctest: +SKIP
...     for row in store.top("seat_spread", k=3):
...         print(row["board"], row["notation"], row["seat_spread"])

Opening a store changes nothing, except that one of an older version is brought up to date, and nor can a
query; only `catan_cp.run_study` writes. A store can be read while a study runs. Every row carries a checksum,
which all functions but `Store.query` and `Store.rows` compare.
"""

from __future__ import annotations

import io
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, listed, show, show_path
from catan_cp.rules.rules import PRESETS
from catan_cp.studies.measures import MEASURES, figure, order_sql, read_criteria
from catan_cp.studies.opening import open_to_read
from catan_cp.studies.places import as_path
from catan_cp.studies.schema import (
    columns_of,
    damaged,
    is_number,
    row_checksum,
    study_checksum,
    telling,
)
from catan_cp.studies.study import Study, StudyState

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


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
        self._connection = open_to_read(self.path)
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
        return ("board", "notation", "times", "presets", *self._measures)

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
        if k is not None and (type(k) is not int or k < 1):
            raise InvalidArgument(f"k is a number of boards of 1 or more, not {show(k)}")
        where, parameters = "", list[Any]([self.study(study).number])
        if satisfying is not None:
            if satisfying not in PRESETS:
                raise InvalidArgument(f"unknown preset {show(satisfying)}; presets are {listed(PRESETS)}")
            where = "AND ' ' || presets || ' ' LIKE '% ' || ? || ' %' "
            parameters.append(satisfying)
        end = f"{where}ORDER BY {order_sql(criteria)} LIMIT ?"
        return list(self._results(end, (*parameters, -1 if k is None else k)))

    def row(self, board: int, study: str | None = None) -> Row:
        """Return the row of one board, by its number, as `top` does.

        Raises:
            InvalidArgument: the study has no board of that number.
            CatanError: the row is not as it was written.
        """
        found = self.study(study)
        if type(board) is not int or not 1 <= board < 2**63:
            raise InvalidArgument(f"a board's number is a whole number from 1, not {show(board)}")
        rows = list(self._results("AND board = ?", (found.number, board)))
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
        self._check_measure(criterion.measure)
        rows = self.results(study)
        return [row[criterion.measure] for row in rows if row[criterion.measure] is not None]

    def results(self, study: str | None = None) -> Iterator[Row]:
        """Yield the rows of all boards of a study by their numbers, as `top` does, one at a time.

        Raises:
            InvalidArgument: no such study.
            CatanError: the row of a board is not as it was written.
        """
        return self._results("ORDER BY board", (self.study(study).number,))

    def to_csv(self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False) -> Path:
        """Write a study's boards and scores to a CSV file, a line a board, and return its path.

        The file appears whole or not at all; nothing stands where a board has no value.

        Raises:
            InvalidArgument: the file exists and *force* is not set, or its folder is missing.
            CatanError: it cannot be written, or the row of a board is not as it was written.
        """
        from catan_cp.studies.export import write_csv

        return write_csv(self, path, study, force)

    def to_parquet(
        self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False
    ) -> Path:
        """Write a study's boards and scores to a Parquet file, and return its path.

        Needs pyarrow, which the extra ``frame`` brings. Errors are those of `to_csv`.
        """
        from catan_cp.studies.export import write_parquet

        return write_parquet(self, path, study, force)

    def to_frame(self, study: str | None = None) -> pandas.DataFrame:
        """Return a study's boards and scores as a pandas DataFrame, a row a board, indexed by their numbers.

        Its columns are those of `fields`; whole numbers are nullable (``Int64``). Needs pandas, which the
        extra ``frame`` brings.

        Raises:
            InvalidArgument: no such study.
            CatanError: pandas is missing, or the row of a board is not as it was written.
        """
        from catan_cp.studies.export import frame

        return frame(self, study)

    def _results(self, end: str, parameters: Sequence[Any]) -> Iterator[Row]:
        """Yield rows of a study that are checked by their checksums; *end* is the end of the query."""
        names = ", ".join(self._columns)
        sql = f"SELECT notation, presets, checksum, board, times, {names} FROM results WHERE study = ? {end}"  # noqa: S608
        fields, first = self.fields, 5
        places = [first + self._columns.index(name) for name in self._measures]
        with telling(self.path, "read"):
            for row in self._connection.execute(sql, parameters):
                notation, presets, checksum, board, times = row[:first]
                presets = presets or ""
                if not _is_whole(notation, presets, checksum, row[first:]):
                    raise damaged(self.path, f"the row of board {board} is not as it was written")
                yield dict(
                    zip(fields, (board, notation, times, presets, *[row[p] for p in places]), strict=True)
                )

    def _check_measure(self, name: str) -> None:
        if name not in self._columns:
            raise InvalidArgument(
                f"the store {show_path(self.path)} has no {name}: another version of the library wrote it; "
                "a call of `catan-cp study` adds the column, for boards that are made from then on"
            )

    def _state(self, row: Row) -> StudyState:
        if row["checksum"] != study_checksum(row["name"], row["definition"]):
            raise damaged(self.path, f"the row of the study {row['name']!r} is not as it was written")
        number = row["study"]
        made = self.query("SELECT coalesce(sum(boards), 0) AS n FROM chunks WHERE study = ?", (number,))
        kept = self.query(
            "SELECT count(*) AS n, coalesce(sum(times), 0) AS made FROM boards WHERE study = ?", (number,)
        )
        if kept[0]["made"] != made[0]["n"]:
            raise damaged(
                self.path,
                f"the chunks of the study {row['name']!r} made {made[0]['n']} boards, but {kept[0]['made']} "
                "are there",
            )
        failed = self.query(
            "SELECT chunk, failure FROM chunks WHERE study = ? AND failure IS NOT NULL ORDER BY chunk",
            (number,),
        )
        return StudyState(
            study=Study.from_json(row["definition"]),
            number=number,
            library_version=row["library_version"],
            solver_version=row["solver_version"],
            made=made[0]["n"],
            boards=kept[0]["n"],
            failures={failure["chunk"]: failure["failure"] for failure in failed},
        )

    def close(self) -> None:
        """Close the file; harmless when closed already."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def top_table(rows: Sequence[Row], by: str = "seat_spread") -> str:
    """Return rows of `Store.top` as plain text: number, the criteria, notation."""
    names = [c.measure for c in read_criteria(by)]
    lines = [["board", *names, "notation"]]
    lines += [[str(row["board"]), *(figure(row[name]) for name in names), row["notation"]] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    text = io.StringIO()
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=False)]
        text.write("  ".join([*cells, line[-1]]) + "\n")
    return text.getvalue().rstrip("\n")


def _is_whole(notation: object, presets: str, checksum: object, values: Sequence[Any]) -> bool:
    """Whether a board's row is as it was written."""
    if not isinstance(notation, str) or not all(is_number(value) for value in values):
        return False
    return checksum == row_checksum(notation, presets.split(" ") if presets else (), values)
