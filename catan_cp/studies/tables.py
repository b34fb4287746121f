"""The tables of a store, and how its file is opened: as a whole, as ours, and as a stranger's all the same.

A store is one SQLite file. Its ``application_id`` marks it as ours, its ``user_version`` is the version of
the tables. A new measure is a new column and no new version: see `add_columns`.

Nothing of a file is believed before its tables are, word by word, those that we make: no other view, no
trigger, no name of a column that is more than a name. One writer at a time holds SQLite's own lock on the
file, which binds under any of the file's names; a transaction is kept whole or not at all, and is on the disk
at its end.
"""

from __future__ import annotations

import re
import sqlite3
import stat
import struct
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

from catan_cp.errors import CatanError, InvalidArgument, show_path
from catan_cp.studies.measures import MEASURES, Value

APPLICATION_ID = 0x4361743E
"""The mark of our files: ``Cat>``."""

VERSION = 2
"""The version of the tables, which whoever changes a word of them raises."""

_SQL_TYPES = {int: "INTEGER", float: "REAL"}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_WAIT = 10.0  # seconds; a writer stands in a reader's way for a moment at most
_CHECKING = 300.0  # seconds that looking through a file may take
_LONGEST = 10_000_000  # bytes of a single value
_MOST_TABLES = 100

TABLES = """
CREATE TABLE studies (
    study INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,         -- JSON: what the study is to do, as Study.to_json writes it
    library_version TEXT NOT NULL,
    solver_version TEXT,              -- NULL where boards are given, or drawn without one
    checksum INTEGER NOT NULL         -- CRC-32 of name and definition, with a zero byte between
) STRICT;
CREATE TABLE chunks (
    study INTEGER NOT NULL REFERENCES studies,
    chunk INTEGER NOT NULL,           -- from 0
    boards INTEGER NOT NULL,          -- how many boards it made, repeats included
    digest TEXT,                      -- BLAKE2b of their notations, a line each; NULL: not known
    failure TEXT,                     -- what went wrong twice; NULL: done
    PRIMARY KEY (study, chunk)
) STRICT, WITHOUT ROWID;
CREATE TABLE boards (
    study INTEGER NOT NULL REFERENCES studies,
    board INTEGER NOT NULL,           -- its place among all boards made, from 1; of repeats, the first
    notation TEXT NOT NULL,
    times INTEGER NOT NULL,           -- how often it was made
    checksum INTEGER NOT NULL,        -- of notation, presets and scores: see row_checksum
    PRIMARY KEY (study, board),
    UNIQUE (study, notation)
) STRICT, WITHOUT ROWID;
CREATE TABLE satisfied (
    study INTEGER NOT NULL,
    board INTEGER NOT NULL,
    preset TEXT NOT NULL,             -- a preset whose rules the board satisfies
    PRIMARY KEY (study, board, preset),
    FOREIGN KEY (study, board) REFERENCES boards ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE measures (
    measure INTEGER PRIMARY KEY,      -- the order of the columns of scores
    name TEXT NOT NULL UNIQUE,
    meaning TEXT NOT NULL
) STRICT;
CREATE TABLE scores (
    study INTEGER NOT NULL,
    board INTEGER NOT NULL,           -- and a column a measure, by add_columns
    PRIMARY KEY (study, board),
    FOREIGN KEY (study, board) REFERENCES boards ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE state (
    writing INTEGER NOT NULL          -- 1 from a writer's first step to its last
) STRICT;
INSERT INTO state VALUES (0);
"""

_VIEW = (
    "CREATE VIEW results AS SELECT study, board, notation, times, {names}, (SELECT group_concat(preset, ' ') "
    "FROM (SELECT preset FROM satisfied s WHERE s.study = boards.study AND s.board = boards.board "
    "ORDER BY preset)) AS presets, checksum FROM boards JOIN scores USING (study, board)"
)


# How a file is opened


def open_store(path: Path, *, to_write: bool = False) -> sqlite3.Connection:
    """Return a connection to a store whose tables are as they should be; rows read as tuples and by name.

    To write, a store is made where there is no file, or an empty one; the connection is then in a
    transaction, and so nobody else writes.

    Raises:
        InvalidArgument: there is no such file, or it is something else, or of another version, or it or its
            place cannot be written.
        CatanError: it is damaged, or another run writes it.
    """
    real = _real(path, to_write)
    with telling(path, "write" if to_write else "read"):
        mode = "rwc" if to_write else "rw"  # the latter reads what may not be written, too
        address = f"file:{quote(str(real))}?mode={mode}"
        connection = sqlite3.connect(
            address, timeout=_WAIT, isolation_level=None, check_same_thread=False, uri=True
        )
        connection.row_factory = sqlite3.Row
        try:
            _distrust(connection)
            empty = _check(connection, path)
            if to_write:
                _begin_to_write(connection, empty)
            elif empty:
                raise InvalidArgument(f"{show_path(path)} is empty; `catan-cp study` begins a study in it")
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _real(path: Path, to_write: bool) -> Path:
    """Return where a file is, links followed, or is to be; what is there and is no file is refused."""
    try:
        real = path.resolve()
        kind = real.stat().st_mode
    except FileNotFoundError:
        if not to_write:
            raise InvalidArgument(
                f"there is no store {show_path(path)}; `catan-cp study` makes one"
            ) from None
        if not real.parent.is_dir():
            where = show_path(real.parent)
            raise InvalidArgument(f"there is no folder {where} for the store; make it first") from None
        return real
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"cannot read the store {show_path(path)}: {reason}") from None
    if stat.S_ISDIR(kind):
        raise InvalidArgument(f"{show_path(path)} is a folder; name a file, such as study.db, in it")
    if not stat.S_ISREG(kind):
        raise InvalidArgument(f"{show_path(path)} is a device or a pipe, not a file; choose another name")
    return real


def _distrust(connection: sqlite3.Connection) -> None:
    """Switch on SQLite's own defences against crafted files; see its page on untrusted input."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)


def _check(connection: sqlite3.Connection, path: Path) -> bool:
    """Refuse what is no store of ours, or damaged; return whether it is an empty file.

    Rows are checked by their checksums when they are read.
    """
    end = time.monotonic() + _CHECKING
    connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
    (mark,), (version,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    found = [tuple(row) for row in connection.execute(sql).fetchmany(_MOST_TABLES)]
    if not mark and not found:
        return True  # a run that was killed at its very beginning leaves such a file
    if mark != APPLICATION_ID:
        raise InvalidArgument(f"{show_path(path)} is another program's database; choose another file")
    if version != VERSION:
        raise InvalidArgument(
            f"the store {show_path(path)} is of version {version}, and this library reads {VERSION}; "
            + ("update catan-cp to read it" if version > VERSION else "begin another store")
        )
    measures = {row[1]: row[2] for row in list(connection.execute("PRAGMA table_info(scores)"))[2:]}
    sound = all(_NAME.fullmatch(name) for name in measures) and set(measures.values()) <= {"INTEGER", "REAL"}
    if not sound or sorted(found, key=repr) != _made(measures):
        raise damaged(path, "its tables are not those of a store")
    for (verdict,) in connection.execute("PRAGMA quick_check(1)"):
        if verdict != "ok":
            raise damaged(path, " ".join(verdict.split()))
    if columns_of(connection) != tuple(measures):
        raise damaged(path, "its measures are not the columns of its scores")
    if connection.execute("SELECT count(*) FROM state").fetchone()[0] != 1:
        raise damaged(path, "the table state has not one row")
    connection.set_progress_handler(None, 0)
    return False


def _made(measures: Mapping[str, str]) -> list[tuple[str | None, ...]]:
    """Return what SQLite says of the tables of a store with these columns."""
    with closing(sqlite3.connect(":memory:")) as blank:
        _create_tables(blank)
        _add_columns(blank, [(name, kind, "") for name, kind in measures.items()])
        return sorted(blank.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), key=repr)


def _begin_to_write(connection: sqlite3.Connection, empty: bool) -> None:
    """Begin a transaction, which keeps other writers away; make what the file lacks."""
    if not empty:
        connection.execute("PRAGMA journal_mode = DELETE")
    # What was reported as done must outlive a power cut. It costs some waits for the disk per chunk,
    # which are nothing beside the seconds that a chunk takes.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA busy_timeout = 0")  # another writer is one for as long as its study takes
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("PRAGMA busy_timeout = 1000")
    if empty:
        _create_tables(connection)
    known = columns_of(connection)
    declared = [(m.name, _SQL_TYPES[m.kind], m.meaning) for m in MEASURES.values()]
    _add_columns(connection, [measure for measure in declared if measure[0] not in known])
    connection.execute("UPDATE state SET writing = 1")
    commit(connection)
    connection.execute("BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection, patience: int = 600) -> None:
    """End a transaction, once all readers have read what they are about to: so many seconds at most."""
    while True:
        try:
            connection.execute("COMMIT")
            return
        except sqlite3.OperationalError as error:
            patience -= 1
            if patience < 0 or not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise


def _create_tables(connection: sqlite3.Connection) -> None:
    """Make all tables, in the transaction that is open, if any, which ``executescript`` would end."""
    for statement in TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def columns_of(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of the measures that the store keeps, in the order of their columns."""
    return tuple(row[0] for row in connection.execute("SELECT name FROM measures ORDER BY measure"))


def _add_columns(connection: sqlite3.Connection, missing: Sequence[tuple[str, str, str]]) -> None:
    """Give the tables more measures: the name, SQL type and meaning of each."""
    if not missing:
        return
    connection.execute("DROP VIEW IF EXISTS results")
    for name, kind, meaning in missing:
        connection.execute(f"ALTER TABLE scores ADD COLUMN {name} {kind}")
        connection.execute("INSERT INTO measures (name, meaning) VALUES (?, ?)", (name, meaning))
    connection.execute(_VIEW.format(names=", ".join(columns_of(connection))))


# Rows


def row_checksum(notation: str, presets: Sequence[str], values: Iterable[Value]) -> int:
    """Return the checksum of a board's row.

    The CRC-32 of the notation, a zero byte, the presets in alphabetical order with spaces between, a zero
    byte, and the values that are not NULL, in the order of their columns, as little-endian doubles. (So a
    column that is added later changes no checksum.)
    """
    text = f"{notation}\0{' '.join(presets)}\0".encode()
    # SQLite keeps no negative zero, which adding 0.0 makes a positive one.
    numbers = [value + 0.0 for value in values if value is not None]
    return crc32(struct.pack(f"<{len(numbers)}d", *numbers), crc32(text))


def study_checksum(name: str, definition: str) -> int:
    """Return the checksum of a study's row."""
    return crc32(f"{name}\0{definition}".encode())


# Errors


@contextmanager
def telling(path: Path, what: str = "use") -> Iterator[None]:
    """Turn SQLite's and the system's errors into ours, which say what to do."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
        raise explained(path, what, error) from error


def damaged(path: Path, words: str) -> CatanError:
    """Return the error that says that a store is damaged."""
    return CatanError(
        f"the store {show_path(path)} is damaged ({words}); restore a copy, or begin another store"
    )


_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_TOOBIG", "SQLITE_INTERRUPT", "SQLITE_ERROR", "SQLITE_MISMATCH")
_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR")
_NO_PLACE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


def explained(path: Path, what: str, error: Exception) -> CatanError:
    """Return the error of ours that says what *error* means for the store."""
    name, words = show_path(path), str(getattr(error, "strerror", None) or error)
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith("SQLITE_NOTADB"):
        return InvalidArgument(f"{name} is not a store of studies; choose another file")
    if code.startswith(_NO_ROOM):
        return CatanError(
            f"cannot {what} the store {name}: {words}. It keeps what it has: make room, then call again"
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CatanError(
            f"another run writes the store {name}, or another program reads it ({words}); wait for its end, "
            "or give another file"
        )
    if code.startswith(_NO_PLACE) or isinstance(error, PermissionError):
        return InvalidArgument(f"cannot {what} the store {name}: {words}; choose a place you may write to")
    if code.startswith(_DAMAGE) or isinstance(error, (UnicodeError, OverflowError)) or "UTF-8" in words:
        return damaged(path, words)
    return CatanError(f"cannot {what} the store {name}: {words}")
