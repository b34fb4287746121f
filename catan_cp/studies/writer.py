"""The one hand that writes a store: a lock against a second, and one transaction a chunk.

A board's number is its place among all boards that its study makes, and a board that is made again only
raises `times`; of its places the first counts. So what a store holds does not depend on the order in which
chunks were finished.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from catan_cp.errors import CatanError, InvalidArgument, show, show_path
from catan_cp.studies.chunks import Outcome, digest
from catan_cp.studies.schema import explained, open_to_write, telling
from catan_cp.studies.scores import COLUMNS, order_sql, read_criteria

_INSERT = f"INSERT INTO scores VALUES (?, ?, {', '.join('?' * len(COLUMNS))})"  # noqa: S608 - marks only

_WORDS = {"library_version": "catan-cp's version", "solver_version": "the solver's version"}


class Writer:
    """A store open to write, until it is closed; nobody else can write it meanwhile.

    Raises:
        InvalidArgument: the path is a folder or cannot be written, or the file is not a store of ours.
        CatanError: the file is damaged, or another run writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = _Lock(path)
        try:
            self._connection = open_to_write(path)
        except BaseException:
            self._lock.release()
            raise

    def begin(self, values: Mapping[str, Any]) -> int:
        """Begin the study with these values of the table ``studies``, or go on with it; return its number.

        A study goes on with the same values only, except that *n* may grow; a seed of None means whichever
        it has.

        Raises:
            InvalidArgument: a study of that name was begun with other values.
        """
        with self._transaction():
            row = self._connection.execute(
                "SELECT * FROM studies WHERE name = ?", (values["name"],)
            ).fetchone()
            if row is None:
                names = ", ".join(values)
                marks = ", ".join("?" * len(values))
                sql = f"INSERT INTO studies ({names}) VALUES ({marks}) RETURNING study"  # noqa: S608
                number: int = self._connection.execute(sql, tuple(values.values())).fetchone()[0]
                return number
            for name, value in values.items():
                if value != row[name] and not (name == "n" and _grows(row[name], value)):
                    raise InvalidArgument(
                        f"the study {values['name']!r} in {show_path(self.path)} was begun with "
                        f"{_WORDS.get(name, name)} {show(row[name])}, not {show(value)}; go on with "
                        "the same, or choose another file or name"
                    )
            self._connection.execute("UPDATE studies SET n = ? WHERE study = ?", (values["n"], row["study"]))
            going_on: int = row["study"]
            return going_on

    def seed(self, name: str) -> int | None:
        """Return the seed of the study of that name, None where there is none."""
        with telling(self.path, "read"):
            row = self._connection.execute("SELECT seed FROM studies WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def finished(self, study: int, chunk: int) -> tuple[int, str]:
        """Return how many boards the store has of a chunk, and their digest."""
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
        if digest(outcome.notations[:have]) != known:
            raise CatanError(
                f"chunk {outcome.chunk} came out with other boards than those in {show_path(self.path)}; go "
                "on with the machine and the versions that began the study"
            )
        with self._transaction():
            for i in range(have, len(outcome.notations)):
                place = outcome.chunk * size + i + 1
                self._write_board(study, place, outcome.notations[i], outcome.rows[i])
            self._connection.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, NULL)",
                (study, outcome.chunk, len(outcome.notations), digest(outcome.notations)),
            )

    def _write_board(self, study: int, place: int, notation: str, row: tuple[Any, ...]) -> None:
        do = self._connection.execute
        again = do(
            "UPDATE boards SET times = times + 1, board = min(board, ?) WHERE study = ? AND notation = ?",
            (place, study, notation),
        )
        if not again.rowcount:
            do("INSERT INTO boards VALUES (?, ?, ?, 1)", (study, place, notation))
            do(_INSERT, (study, place, *row))

    def fail(self, study: int, chunk: int, why: str) -> None:
        """Record that a chunk failed; what the store has of it stays."""
        have, known = self.finished(study, chunk)
        with self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", (study, chunk, have, known, why)
            )

    def made(self, study: int) -> int:
        """Return how many boards were made, repeats included."""
        sql = "SELECT coalesce(sum(boards), 0) FROM chunks WHERE study = ?"
        with telling(self.path, "read"):
            number: int = self._connection.execute(sql, (study,)).fetchone()[0]
        return number

    def best(self, study: int, column: str) -> tuple[float, int] | None:
        """Return the least value of a column and its board's number, where there is one."""
        sql = f"SELECT {column}, board FROM scores WHERE study = ? AND {column} IS NOT NULL"  # noqa: S608
        order = order_sql(read_criteria(column))
        with telling(self.path, "read"):
            row = self._connection.execute(f"{sql} ORDER BY {order} LIMIT 1", (study,)).fetchone()
        return None if row is None else (row[0], row[1])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(Exception):
                self._connection.execute("ROLLBACK")  # some errors of SQLite have done so already
            if isinstance(error, CatanError) or not isinstance(error, Exception):
                raise
            raise explained(self.path, "write", error) from error

    def close(self) -> None:
        """Close the file and let others write; harmless when done already."""
        self._connection.close()
        self._lock.release()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _grows(before: int | None, after: int | None) -> bool:
    return before is not None and (after is None or after > before)


class _Lock:
    """A file beside the store that one process at a time holds; the system lets go of it when that dies.

    A lock on the store itself would not do: closing a file drops the locks that SQLite holds on it.
    """

    def __init__(self, path: Path) -> None:
        self._place = path.with_name(path.name + "-lock")
        if path.is_dir():
            raise InvalidArgument(f"{show_path(path)} is a folder; name a file, such as study.db, in it")
        if not path.parent.is_dir():
            raise InvalidArgument(f"there is no folder {show_path(path.parent)} for the store; make it first")
        while True:
            with telling(path, "write"):
                self._file: IO[bytes] = self._place.open("ab")
            if not _hold(self._file):
                self._file.close()
                raise CatanError(
                    f"another run writes the store {show_path(path)}; wait for its end, or give another file"
                )
            if self._is_current():
                return
            self._file.close()  # its holder removed it between our two steps

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._place.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        if not self._file.closed:
            with suppress(OSError):  # Windows removes no open file; then it stays, and does no harm
                self._place.unlink(missing_ok=True)
            self._file.close()


if sys.platform == "win32":

    def _hold(file: IO[bytes]) -> bool:
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _hold(file: IO[bytes]) -> bool:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
