"""The store of a study: one SQLite file with boards and their scores, to rank, query and hand on.

>>> with Store("study.db") as store:  # doctest: +SKIP
...     for row in store.top("seat_spread", k=3):
...         print(row["board"], row["notation"], row["seat_spread"])

Opening a store changes nothing, and nor can a query; only `catan_cp.run_study` writes. A store can be read
while a study runs. With pandas: ``pandas.DataFrame(store.query("SELECT * FROM results"))``.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, listed, show, show_path
from catan_cp.placement import Objective
from catan_cp.rules.rules import Rules
from catan_cp.studies.schema import open_to_read, telling
from catan_cp.studies.scores import COLUMNS, order_sql, read_criteria

Row = dict[str, Any]

_RESULTS = ("board", "notation", "times", *COLUMNS)


@dataclass(frozen=True)
class Study:
    """What a study was asked to do, and how far it is.

    Attributes:
        number: its number in the store.
        name: its name in the store.
        layout: the layout's name.
        rules: the rules that its boards were made by.
        source: ``generated``, or ``given`` by an iterable.
        n: how many boards were asked for; None: as many as were given.
        chunk: how many boards make a chunk.
        seed: None where boards were given.
        players: how many players the boards were scored for.
        objectives: what each of them wanted.
        library_version, solver, solver_version: what made it; the solver is None where boards were given.
        made: how many boards were made so far, repeats included.
        boards: how many different ones.
        failures: per chunk (from 0) that failed twice, what went wrong.
    """

    number: int
    name: str
    layout: str
    rules: Rules
    source: str
    n: int | None
    chunk: int
    seed: int | None
    players: int
    objectives: tuple[Objective, ...]
    library_version: str
    solver: str | None
    solver_version: str | None
    made: int
    boards: int
    failures: dict[int, str]

    def __str__(self) -> str:
        asked = "" if self.n is None else f" of {self.n:,}"
        text = f"study {self.name!r}: {self.made:,}{asked} boards of {self.layout}, {self.boards:,} different"
        if self.failures:
            text += f"; {len(self.failures)} chunks failed, the first: {next(iter(self.failures.values()))}"
        return text


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

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, which cannot write: for ``pandas.read_sql`` and the like."""
        return self._connection

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """Return the rows of a query, each as a dict.

        The tables are studies, chunks, boards and scores; the view ``results`` has boards and scores side by
        side. See docs/studies.md.

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

    def studies(self) -> list[Study]:
        """Return the studies in the store, in the order in which they were begun."""
        return [_study(self, row) for row in self.rows("SELECT * FROM studies ORDER BY study")]

    def study(self, name: str | None = None) -> Study:
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

    def top(self, by: str = "seat_spread", k: int | None = 10, study: str | None = None) -> list[Row]:
        """Return the *k* best boards by some criteria (all for None), as rows of ``results``.

        Args:
            by: columns, the least first, as in ``seat_spread, -efficiency_error``: see `read_criteria`.
            k: how many; 1 or more.
            study: which study; by default the only one.

        Raises:
            InvalidArgument: an unknown criterion or study, or a *k* below 1.
        """
        criteria = read_criteria(by)
        if k is not None and (type(k) is not int or k < 1):
            raise InvalidArgument(f"k is a number of boards of 1 or more, not {show(k)}")
        return self.query(
            f"SELECT {', '.join(_RESULTS)} FROM results WHERE study = ? "  # noqa: S608 - names of ours
            f"ORDER BY {order_sql(criteria)} LIMIT ?",
            (self.study(study).number, -1 if k is None else k),
        )

    def row(self, board: int, study: str | None = None) -> Row:
        """Return the row of one board, by its number.

        Raises:
            InvalidArgument: the study has no board of that number.
        """
        found = self.study(study)
        if type(board) is not int or not 1 <= board < 2**63:
            raise InvalidArgument(f"a board's number is a whole number from 1, not {show(board)}")
        rows = self.query(
            f"SELECT {', '.join(_RESULTS)} FROM results WHERE study = ? AND board = ?",  # noqa: S608
            (found.number, board),
        )
        if not rows:
            raise InvalidArgument(
                f"{found.name!r} has no board {board}: none of {found.made} has this number, or it repeated "
                "an earlier one; `catan-cp top` lists boards with their numbers"
            )
        return rows[0]

    def board(self, board: int, study: str | None = None) -> Board:
        """Return one board, by its number; errors are those of `row`."""
        return Board.from_notation(self.row(board, study)["notation"])

    def column(self, name: str, study: str | None = None) -> list[float]:
        """Return one column of all boards that have a value there, in the order of their numbers.

        Raises:
            InvalidArgument: no such column or study.
        """
        (criterion,) = read_criteria(name.removeprefix("-"))
        sql = f"SELECT {criterion.column} FROM results WHERE study = ? AND {criterion.column} IS NOT NULL"  # noqa: S608
        with telling(self.path, "read"):
            cursor = self._connection.execute(f"{sql} ORDER BY board", (self.study(study).number,))
            return [row[0] for row in cursor]

    def to_csv(self, path: str | os.PathLike[str], study: str | None = None, *, force: bool = False) -> Path:
        """Write a study's boards and scores to a CSV file, a line a board, and return its path.

        The file appears whole or not at all; nothing stands where a board has no value.

        Raises:
            InvalidArgument: the file exists and *force* is not set, or its folder is missing.
            CatanError: it cannot be written.
        """
        target = as_path(path)
        if target.is_dir() or not target.parent.is_dir():
            raise InvalidArgument(f"{show_path(target)} is no name for a file in a folder that is there")
        if target.exists() and not force:
            raise InvalidArgument(f"{show_path(target)} exists; choose another name, or overwrite with force")
        number = self.study(study).number
        sql = f"SELECT {', '.join(_RESULTS)} FROM results WHERE study = ? ORDER BY board"  # noqa: S608
        beside = target.with_name(f".{target.name}.{os.getpid()}.part")
        with telling(target, "write"):
            try:
                with beside.open("w", newline="", encoding="utf-8") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerow(_RESULTS)
                    writer.writerows(tuple(row) for row in self._connection.execute(sql, (number,)))
                beside.replace(target)
            finally:
                with suppress(OSError):
                    beside.unlink(missing_ok=True)
        return target

    def close(self) -> None:
        """Close the file; harmless when closed already."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def as_path(path: object) -> Path:
    """Return *path* as one.

    Raises:
        InvalidArgument: it is none.
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path) or "\x00" in str(path):
        raise InvalidArgument(f"a store is a file, as in 'study.db', not {show(path)}")
    return Path(path)


def top_table(rows: Sequence[Row], by: str = "seat_spread") -> str:
    """Return rows of `Store.top` as plain text: number, the criteria, notation."""
    from catan_cp.studies.scores import figure

    names = [c.column for c in read_criteria(by)]
    lines = [["board", *names, "notation"]]
    lines += [[str(row["board"]), *(figure(row[name]) for name in names), row["notation"]] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    text = io.StringIO()
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=False)]
        text.write("  ".join([*cells, line[-1]]) + "\n")
    return text.getvalue().rstrip("\n")


def _study(store: Store, row: Row) -> Study:
    number = row["study"]
    made = store.query("SELECT coalesce(sum(boards), 0) AS n FROM chunks WHERE study = ?", (number,))
    kept = store.query("SELECT count(*) AS n FROM boards WHERE study = ?", (number,))
    failed = store.query(
        "SELECT chunk, failure FROM chunks WHERE study = ? AND failure IS NOT NULL ORDER BY chunk", (number,)
    )
    return Study(
        number=number,
        name=row["name"],
        layout=row["layout"],
        rules=Rules.from_mapping(json.loads(row["rules"])),
        source=row["source"],
        n=row["n"],
        chunk=row["chunk"],
        seed=row["seed"],
        players=row["players"],
        objectives=tuple(read_goal(goal) for goal in json.loads(row["objective"])),
        library_version=row["library_version"],
        solver=row["solver"],
        solver_version=row["solver_version"],
        made=made[0]["n"],
        boards=kept[0]["n"],
        failures={failure["chunk"]: failure["failure"] for failure in failed},
    )


def goal_values(goal: Objective) -> dict[str, str]:
    """Return an objective as the store keeps it: its fields that say anything, weights as exact fractions."""
    from catan_cp.placement.objective import TERMS

    values = {term: str(getattr(goal, term)) for term in TERMS if getattr(goal, term)}
    return values | {"resources_as": goal.resources_as, "cards_as": goal.cards_as}


def read_goal(values: Mapping[str, str]) -> Objective:
    """Return the objective that `goal_values` describes."""
    from fractions import Fraction

    from catan_cp.placement.objective import TERMS

    weights = {term: Fraction(values.get(term, "0")) for term in TERMS}
    return Objective(**weights, resources_as=values["resources_as"], cards_as=values["cards_as"])
