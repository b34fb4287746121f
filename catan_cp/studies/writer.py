"""The only writer of a store, which keeps SQLite's lock on it, and one transaction a chunk.

A board's number is its place among all boards that its study makes, and a board that is made again only
raises `times`; of its places the first counts. So what a store holds does not depend on the order in which
chunks were finished.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from catan_cp.errors import CatanError, InvalidArgument, show, show_path
from catan_cp.studies.chunks import Outcome, digest
from catan_cp.studies.measures import MEASURES, order_sql, read_criteria
from catan_cp.studies.store import state_of
from catan_cp.studies.study import Study, StudyState
from catan_cp.studies.tables import (
    columns_of,
    commit,
    explained,
    insert_board,
    open_store,
    study_checksum,
    telling,
)


class Writer:
    """A store open to write, until it is closed; nobody else can write it meanwhile.

    The connection is always in a transaction, which keeps SQLite's lock: one ends, the next begins.

    Raises:
        InvalidArgument: the path is a folder or cannot be written, or the file is not a store of ours.
        CatanError: the file is damaged, or another run writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_store(path, to_write=True)
        self._known = path.stat()
        place = {name: place for place, name in enumerate(MEASURES)}
        # Those of another version of the library, which we do not know, stay empty.
        self._columns = [name for name in columns_of(self._connection) if name in place]
        self._places = [place[name] for name in self._columns]

    def begin(self, study: Study, library_version: str, solver_version: str | None) -> int:
        """Begin a study, or go on with it; return its number in the store.

        It goes on as it was begun only, except that *n* may grow.

        Raises:
            InvalidArgument: a study of that name was begun otherwise.
        """
        definition = study.to_json()
        values = (definition, study_checksum(study.name, definition))
        with self._transaction():
            row = self._row(study.name)
            if row is None:
                number: int = self._connection.execute(
                    "INSERT INTO studies (definition, checksum, name, library_version, solver_version) "
                    "VALUES (?, ?, ?, ?, ?) RETURNING study",
                    (*values, study.name, library_version, solver_version),
                ).fetchone()[0]
                return number
            begun = state_of(self._connection, self.path, row)
            before = begun.study
            # The source first: what else differs where boards are given follows from it.
            asked = (
                {"source": study.source}
                | study.facts()
                | {
                    "catan-cp's version": library_version,
                    "the solver's version": solver_version,
                }
            )
            known = before.facts() | {
                "catan-cp's version": begun.library_version,
                "the solver's version": begun.solver_version,
            }
            for name, value in asked.items():
                if value != known[name] and not (name == "n" and _grows(before.n, study.n)):
                    raise InvalidArgument(
                        f"the study {study.name!r} in {show_path(self.path)} was begun with "
                        f"{name} {_shown(known[name])}, not {_shown(value)}; go on with "
                        "the same, or choose another file or name"
                    )
            self._connection.execute(
                "UPDATE studies SET definition = ?, checksum = ? WHERE study = ?", (*values, begun.number)
            )
            return begun.number

    def state(self, name: str) -> StudyState | None:
        """Return how far the study of that name is; None where there is none."""
        row = self._row(name)
        return None if row is None else state_of(self._connection, self.path, row)

    def _row(self, name: str) -> sqlite3.Row | None:
        sql = "SELECT * FROM studies WHERE name = ?"
        with telling(self.path, "read"):
            row: sqlite3.Row | None = self._connection.execute(sql, (name,)).fetchone()
        return row

    def finished(self, study: int, chunk: int) -> tuple[int, str | None]:
        """Return how many boards the store has of a chunk, and their digest, None where it is not known."""
        with telling(self.path, "read"):
            row = self._connection.execute(
                "SELECT boards, digest FROM chunks WHERE study = ? AND chunk = ?",
                (study, chunk),
            ).fetchone()
        return (0, digest(())) if row is None else (row[0], row[1])

    def write(self, study: int, size: int, outcome: Outcome) -> None:
        """Write a finished chunk of a study whose chunks have *size* boards, whole or not at all.

        What the store has of it already (all of it, or the beginning where the study grew) stays.

        Raises:
            CatanError: the chunk does not begin with the boards that the store has of it, or it cannot be
                written: the disk is full, say. The store keeps what it had.
        """
        have, known = self.finished(study, outcome.chunk)
        if known not in (None, digest(outcome.notations[:have])):
            raise CatanError(
                f"chunk {outcome.chunk} came out with other boards than those in {show_path(self.path)}; go "
                "on with the machine and the versions that began the study"
            )
        with self._transaction():
            for i in range(have, len(outcome.notations)):
                self._write_board(study, outcome.chunk * size + i + 1, outcome, i)
            self._connection.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, NULL)",
                (study, outcome.chunk, len(outcome.notations), digest(outcome.notations)),
            )

    def _write_board(self, study: int, number: int, outcome: Outcome, i: int) -> None:
        notation = outcome.notations[i]
        again = self._connection.execute(
            "UPDATE boards SET times = times + 1, board = min(board, ?) WHERE study = ? AND notation = ?",
            (number, study, notation),
        )
        if not again.rowcount:
            values = [outcome.rows[i][place] for place in self._places]
            board = (study, number, notation, 1)
            insert_board(self._connection, board, outcome.presets[i], self._columns, values)

    def fail(self, study: int, chunk: int, why: str) -> None:
        """Record that a chunk failed; what the store has of it stays."""
        have, known = self.finished(study, chunk)
        with self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", (study, chunk, have, known, why)
            )

    def best(self, study: int, measure: str) -> tuple[float, int] | None:
        """Return the best value of a measure and its board's number, where there is one."""
        sql = f"SELECT {measure}, board FROM scores WHERE study = ? AND {measure} IS NOT NULL"  # noqa: S608
        order = order_sql(read_criteria(measure))
        with telling(self.path, "read"):
            row = self._connection.execute(f"{sql} ORDER BY {order} LIMIT 1", (study,)).fetchone()
        return None if row is None else (row[0], row[1])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Keep what is done in the block, all of it or nothing."""
        self._check_place()
        try:
            yield
            commit(self._connection)
        except BaseException as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")  # some errors of SQLite have done so already
            if isinstance(error, CatanError) or not isinstance(error, Exception):
                raise
            raise explained(self.path, "write", error) from error
        finally:
            with suppress(sqlite3.Error):  # then what is asked next says why
                self._connection.execute("BEGIN IMMEDIATE")

    def _check_place(self) -> None:
        """Refuse to go on where the path leads to another file than at first, or to none."""
        try:
            now = self.path.stat()
        except OSError:
            what = "was deleted or moved"
        else:
            if os.path.samestat(now, self._known):
                return
            what = "was replaced by another file"
        raise CatanError(
            f"the store {show_path(self.path)} {what} while the study ran; put it back, or choose another "
            "file, then call again"
        )

    def close(self) -> None:
        """Close the file and let others write; harmless when done already."""
        with suppress(sqlite3.Error):  # closed already, no room, or the file is gone
            self._connection.execute("UPDATE state SET writing = 0")
            commit(self._connection, 10)
        self._connection.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _shown(value: object) -> str:
    return "'none'" if value is None else show(value)


def _grows(before: int | None, after: int | None) -> bool:
    return before is not None and (after is None or after > before)
