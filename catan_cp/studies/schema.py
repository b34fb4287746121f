"""The file of a store: its tables, its mark, and how it is opened without changing it.

A store is one SQLite file with the tables below. Its ``application_id`` marks it as ours, its
``user_version`` is the version of the tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from catan_cp.errors import CatanError, InvalidArgument, show_path
from catan_cp.studies.scores import COLUMNS

APPLICATION_ID = 0x4361743E
"""The mark of our files: ``Cat>``."""

VERSION = 1
"""The version of the tables. Whoever changes a table, or `COLUMNS`, counts on."""

_HEADER = b"SQLite format 3\x00"
_WAIT = 10.0  # seconds; a reader stands in a writer's way for a moment at most

_SCORES = ",\n    ".join(f"{name} {column.kind}" for name, column in COLUMNS.items())

TABLES = f"""
CREATE TABLE studies (
    study INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    layout TEXT NOT NULL,
    rules TEXT NOT NULL,              -- JSON: the fields that differ from their defaults
    source TEXT NOT NULL,             -- 'generated', or 'given' by an iterable
    n INTEGER,                        -- how many boards were asked for; NULL: as many as are given
    chunk INTEGER NOT NULL,           -- how many boards make a chunk
    seed INTEGER,                     -- NULL where boards are given
    players INTEGER NOT NULL,
    objective TEXT NOT NULL,          -- JSON: per player, the fields of Objective
    library_version TEXT NOT NULL,
    solver TEXT,                      -- NULL where boards are given
    solver_version TEXT
) STRICT;
CREATE TABLE chunks (
    study INTEGER NOT NULL REFERENCES studies,
    chunk INTEGER NOT NULL,           -- from 0
    boards INTEGER NOT NULL,          -- how many boards it made, repeats included
    digest TEXT NOT NULL,             -- BLAKE2b of their notations, a line each
    failure TEXT,                     -- what went wrong twice; NULL: done
    PRIMARY KEY (study, chunk)
) STRICT, WITHOUT ROWID;
CREATE TABLE boards (
    study INTEGER NOT NULL REFERENCES studies,
    board INTEGER NOT NULL,           -- its place among all boards made, from 1; of repeats, the first
    notation TEXT NOT NULL,
    times INTEGER NOT NULL,           -- how often it was made
    PRIMARY KEY (study, board),
    UNIQUE (study, notation)
) STRICT, WITHOUT ROWID;
CREATE TABLE scores (
    study INTEGER NOT NULL,
    board INTEGER NOT NULL,
    {_SCORES},
    PRIMARY KEY (study, board),
    FOREIGN KEY (study, board) REFERENCES boards ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
CREATE VIEW results AS SELECT * FROM boards JOIN scores USING (study, board);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""  # noqa: S608 - our own names


@contextmanager
def telling(path: Path, what: str = "use") -> Iterator[None]:
    """Turn SQLite's and the system's errors into ours, which say what to do."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explained(path, what, error) from error


def explained(path: Path, what: str, error: Exception) -> CatanError:
    """Return the error of ours that says what *error* means for the store."""
    name, words = show_path(path), str(getattr(error, "strerror", None) or error)
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return CatanError(f"the store {name} is damaged ({words}); restore a copy, or begin another store")
    if code.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return CatanError(
            f"cannot {what} the store {name}: {words}. It keeps what it has: make room, then call again"
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CatanError(f"another program holds the store {name} ({words}); wait for its end")
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) or isinstance(error, PermissionError):
        return InvalidArgument(f"cannot {what} the store {name}: {words}; choose a place you may write to")
    return CatanError(f"cannot {what} the store {name}: {words}")


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection in mode ``ro``, ``rw`` or ``rwc``; rows read as tuples and by name."""
    place = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(
        place, uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection for queries only, to a file that is a whole store of our version.

    Raises:
        InvalidArgument: there is no such file, or it is something else, or newer.
        CatanError: it is damaged.
    """
    if _look(path):
        raise InvalidArgument(f"{show_path(path)} is empty; `catan-cp study` begins a study in it")
    with telling(path, "read"):
        try:
            # Not mode=ro, with which SQLite would leave the files behind that it makes beside the store.
            connection = connect(path, "rw")
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise
            connection.close()
            connection = connect(path, _untouched(path))
        try:
            check_whole(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def open_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection to a store; a store is made where there is no file, or an empty one.

    Raises:
        InvalidArgument: the file is something else, or newer, or its place cannot be written.
        CatanError: it is damaged.
    """
    blank = not path.exists() or _look(path)
    with telling(path, "write"):
        connection = connect(path, "rwc")
        try:
            if not blank:
                check_whole(connection, path)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            # FULL, not NORMAL: what was reported as done must outlive a power cut. It costs one wait for the
            # disk per chunk, which is nothing beside the seconds that a chunk takes.
            connection.execute("PRAGMA synchronous = FULL")
            if blank:
                connection.executescript(f"BEGIN IMMEDIATE;\n{TABLES}\nCOMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection


def _look(path: Path) -> bool:
    """Return whether a file is empty; refuse one that is not a store of our version. Touch nothing."""
    if path.is_dir():
        raise InvalidArgument(f"{show_path(path)} is a folder; name a file, such as study.db, in it")
    try:
        with path.open("rb") as file:
            start = file.read(len(_HEADER))
    except FileNotFoundError:
        raise InvalidArgument(f"there is no store {show_path(path)}; `catan-cp study` makes one") from None
    except OSError as error:
        raise InvalidArgument(f"cannot read the store {show_path(path)}: {error.strerror}") from None
    if start not in (b"", _HEADER):
        raise InvalidArgument(f"{show_path(path)} is not a store of studies; choose another file")
    with telling(path, "read"), closing(connect(path, _untouched(path))) as looking:
        mark = looking.execute("PRAGMA application_id").fetchone()[0]
        version = looking.execute("PRAGMA user_version").fetchone()[0]
        if not mark and looking.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            return True  # a run that was killed at its very beginning leaves such a file
    if mark != APPLICATION_ID:
        raise InvalidArgument(f"{show_path(path)} is another program's database; choose another file")
    if version != VERSION:
        raise InvalidArgument(
            f"the store {show_path(path)} is of version {version}, and this library reads {VERSION}; "
            "update catan-cp to read it"
        )
    return False


def _untouched(path: Path) -> str:
    """Return the mode in which SQLite makes no file beside the store, not even for a moment."""
    return "ro" if path.with_name(path.name + "-wal").exists() else "ro&immutable=1"


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a store that is damaged."""
    for (verdict,) in connection.execute("PRAGMA quick_check(1)"):
        if verdict != "ok":
            words = " ".join(verdict.split())
            raise CatanError(
                f"the store {show_path(path)} is damaged ({words}); restore a copy, or begin another store"
            )
