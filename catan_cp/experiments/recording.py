"""Rows written as they come, to a CSV or an SQLite file, so that a run that is stopped keeps them.

The suffix of the path decides: ``.csv``, or ``.db``, ``.sqlite`` and ``.sqlite3``.
"""

from __future__ import annotations

import csv
import io
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from catan_cp.errors import CatanError, InvalidArgument, listed, show_path

SUFFIXES = (".csv", ".db", ".sqlite", ".sqlite3")

Row = Sequence[str | int | float]
Write = Callable[[Iterable[Row]], None]


@contextmanager
def recording(path: str | Path | None, table: str, columns: Mapping[str, str]) -> Iterator[Write]:
    """Open a new file for rows, and give the function that writes some and sees them onto the disk.

    Args:
        path: the file; with None, rows go nowhere.
        table: the name of the table in an SQLite file.
        columns: the columns' names and SQLite types.

    Raises:
        InvalidArgument: another suffix, a file that exists, or a place where none can be made.
        CatanError: the rows could not be written, the disk being full, say.
    """
    if path is None:
        yield lambda rows: None
        return
    file = _new_file(path)
    if file.suffix == ".csv":
        _append_csv(file, [tuple(columns)])
        yield partial(_append_csv, file)
        return
    types = ", ".join(f'"{name}" {kind} NOT NULL' for name, kind in columns.items())
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names
    with closing(sqlite3.connect(file)) as connection:
        with _writing(file), connection:
            connection.execute(f"CREATE TABLE {table} ({types})")

        def append(rows: Iterable[Row]) -> None:
            with _writing(file), connection:
                connection.executemany(insert, rows)

        yield append


def _new_file(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)) or Path(path).suffix not in SUFFIXES:
        raise InvalidArgument(
            f"{show_path(path)} is no file for rows; its suffix is one of {listed(SUFFIXES)}"
        )
    file = Path(path)
    try:
        file.open("x").close()  # claims the name, and never writes over what someone recorded
    except FileExistsError:
        raise InvalidArgument(f"{show_path(path)} exists already; give a new name, or remove it") from None
    except OSError as error:
        raise InvalidArgument(f"cannot write {show_path(path)}: {error.strerror}") from None
    return file


def _append_csv(path: Path, rows: Iterable[Row]) -> None:
    with _writing(path):
        size = path.stat().st_size
        try:
            text = io.StringIO(newline="")
            csv.writer(text).writerows(rows)
            left = memoryview(text.getvalue().encode())
            with path.open("ab", buffering=0) as file:  # all rows at once: a kill between two left half a row
                while left:
                    left = left[file.write(left) or 0 :]
        except OSError:
            os.truncate(path, size)  # no half a row
            raise


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise CatanError(f"cannot write more to {show_path(path)}, which keeps its rows: {error}") from error
