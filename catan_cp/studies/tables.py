"""The tables of a store, and the safe opening of a file from an untrusted source.

A store is one SQLite file in rollback mode. Its ``application_id`` marks it as a store, and its
``user_version`` is the version of the tables. A new measure is a new column and no new version: see
`_add_columns`.

Readers open the file read-only: SQLite then fails on a hot journal, rather than roll it back. A writer rolls
back, but rejects a journal that names a super-journal, because SQLite deletes the file of that name. Files
that SQLite would wait for, follow or create beside the store are rejected before SQLite looks at them. One
writer at a time holds SQLite's own lock on the file, which binds under any of the file's names. A transaction
is kept whole or not at all, and is on the disk at its end.
"""

import os
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from urllib.parse import quote
from weakref import WeakSet

from catan_cp.analysis.measures import MEASURES
from catan_cp.errors import CatanError, InvalidArgument, check_working_directory, show_path

APPLICATION_ID = 0x4361743E
"""The mark of store files: ``Cat>``."""

VERSION = 3
"""The version of the tables, to be raised with every change of them."""

_SQL_TYPES = {int: "INTEGER", float: "REAL"}
_WAIT = 10.0  # seconds, because a writer blocks readers for a moment at most
_CHECKING = 300.0  # seconds that looking through a file may take
_LONGEST = 2_000_000  # bytes of a single value
_MAGIC, _JOURNAL_MAGIC = b"SQLite format 3\0", bytes.fromhex("d9d505f920a163d7")
_HEADER = 72  # bytes of a file's header, up to the end of the application_id

TABLES = """
CREATE TABLE studies (
    study INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,         -- JSON: what the study is to do, as Study.to_json writes it
    library_version TEXT NOT NULL,
    solver_version TEXT               -- NULL where boards are given, or drawn without one
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

_RESULTS = """
CREATE TEMP VIEW results AS SELECT *, (
    SELECT group_concat(preset, ' ') FROM (
        SELECT preset FROM satisfied s WHERE s.study = boards.study AND s.board = boards.board ORDER BY preset
    )
) AS presets FROM boards JOIN scores USING (study, board)
"""


# How a file is opened


class _Connection(sqlite3.Connection):
    """A connection to a store, which is in `_CONNECTIONS` until it is closed."""

    file: os.stat_result

    def close(self) -> None:
        with _OPENING:
            _CONNECTIONS.discard(self)
            super().close()


_CONNECTIONS: WeakSet[_Connection] = WeakSet()
_OPENING = RLock()


def open_store(path: Path, *, to_write: bool = False) -> sqlite3.Connection:
    """Return a connection to a checked store, whose rows have items by place and by name.

    For writing, a missing or empty file becomes a store. The connection is then in a transaction, which
    excludes other writers.

    Raises:
        InvalidArgument: the file is missing, not a store of this version, or has an unfinished or foreign
            journal, or its folder cannot be written.
        CatanError: it is damaged, or another run writes it.
    """
    real = _real(path, to_write)
    with sql_errors(path, "write" if to_write else "read"):
        connection = _connect(path, real, "rwc" if to_write else "ro")
        try:
            _distrust(connection)
            # With write access, this first query also rolls back what a killed study left.
            empty = not connection.execute("PRAGMA page_count").fetchone()[0]
            if not empty:
                _check(connection, path)
            connection.execute(_RESULTS)
            if to_write:
                _begin_to_write(connection, empty)
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _connect(path: Path, real: Path, mode: str) -> _Connection:
    """Return a connection to *real*, after checks of its header and the files beside it.

    SQLite opens a file named like the store with ``-journal`` or ``-wal`` behind, whatever its kind. For a
    store whose header names the WAL mode it creates two files, even if the store is opened read-only.
    """
    with _OPENING:
        try:
            size = real.stat().st_size
        except FileNotFoundError:
            size = 0
        _check_beside(path, real, size)
        if size:
            # Closing a file drops all POSIX locks that this process has on it. So the header is not read
            # again while this process has an open connection, which has already checked it.
            if all(not os.path.samestat(real.stat(), opened.file) for opened in _CONNECTIONS):
                with real.open("rb") as content:
                    _check_header(path, content.read(_HEADER))
        elif mode == "ro":
            raise InvalidArgument(f"{show_path(path)} is empty; `catan-cp study` begins a study in it")
        connection = sqlite3.connect(
            f"file:{quote(str(real))}?mode={mode}",
            timeout=_WAIT,
            isolation_level=None,
            check_same_thread=False,
            factory=_Connection,
            uri=True,
        )
        connection.file = real.stat()
        _CONNECTIONS.add(connection)
    connection.row_factory = sqlite3.Row
    return connection


def _check_beside(path: Path, real: Path, size: int) -> None:
    """Reject a file beside a store that would let SQLite change other files.

    Stores are never in WAL mode. A journal must not name a super-journal, nor restore more pages than the
    store has. See `readSuperJournal` and `readJournalHdr` in SQLite's ``pager.c``, and "The Rollback Journal"
    in its page on the file format.
    """
    name = show_path(path)
    for ending in ("-wal", "-shm", "-journal"):
        beside = real.with_name(real.name + ending)
        try:
            status = beside.lstat()
            remedy = f"move {show_path(beside)} away if you do not trust its author"
            if ending != "-journal":
                raise InvalidArgument(
                    f"the store {name} must be in rollback mode, not in WAL mode; close the program that "
                    f"uses it, or {remedy}"
                )
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                raise InvalidArgument(
                    f"the journal of the store {name} must be a regular file without links; {remedy}"
                )
            with beside.open("rb") as journal:
                head = journal.read(28)
                journal.seek(max(0, journal.seek(0, os.SEEK_END) - len(_JOURNAL_MAGIC)))
                tail = journal.read()
        except FileNotFoundError:
            continue
        if tail == _JOURNAL_MAGIC:
            raise InvalidArgument(f"the journal of the store {name} must not name another file; {remedy}")
        pages, page_size = (int.from_bytes(head[at : at + 4]) for at in (16, 24))
        if head.startswith(_JOURNAL_MAGIC) and pages * page_size > size:
            raise InvalidArgument(f"the journal of the store {name} must not enlarge it; {remedy}")


def _check_header(path: Path, header: bytes) -> None:
    """Reject a file whose header is not that of a store of this version."""
    name = show_path(path)
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise InvalidArgument(f"{name} is not a store of studies; choose another file")
    version, mark = (int.from_bytes(header[at : at + 4]) for at in (60, 68))
    if mark != APPLICATION_ID:
        raise InvalidArgument(f"{name} is another program's database; choose another file")
    if version != VERSION:
        raise InvalidArgument(
            f"the store {name} is of version {version}, and this library reads {VERSION}; "
            + ("update catan-cp to read it" if version > VERSION else "begin another store")
        )
    if header[18:20] != b"\1\1":
        raise InvalidArgument(
            f"the store {name} must be in rollback mode, not in WAL mode; "
            "run PRAGMA journal_mode = DELETE in the program that changed it"
        )


def _real(path: Path, to_write: bool) -> Path:
    """Return the path of a file without links, or raise if it cannot be a store."""
    if not path.is_absolute():
        check_working_directory()
    try:
        real = path.resolve()
        kind = real.stat().st_mode
    except FileNotFoundError:
        if not to_write:
            raise InvalidArgument(
                f"there is no store {show_path(path)}; `catan-cp study` makes one"
            ) from None
        if not real.parent.is_dir():
            folder = show_path(real.parent)
            raise InvalidArgument(f"there is no folder {folder} for the store; make it first") from None
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
    """Switch on SQLite's defences against crafted files (see its page on untrusted input)."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Reject a file that is damaged, or whose schema has views, triggers or indexes."""
    end = time.monotonic() + _CHECKING
    connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
    if connection.execute("SELECT 1 FROM sqlite_master WHERE sql NOT LIKE 'CREATE TABLE %'").fetchone():
        raise damaged(path, "it has a view, a trigger or an index")
    with closing(sqlite3.connect(":memory:")) as blank:
        _create_tables(blank)
        known, stored = _columns(blank), _columns(connection)
    # In strict tables SQLite's check reads the types of all values. Without their keys, the rows of two
    # tables could be joined a billion times.
    if known - stored or {column for column in stored - known if column[0] != "scores" or column[-1]}:
        raise damaged(path, "its tables are not those of a store")
    for (verdict,) in connection.execute("PRAGMA quick_check(1)"):
        if verdict != "ok":
            raise damaged(path, " ".join(verdict.split()))
    if connection.execute("SELECT count(*) FROM state").fetchone()[0] != 1:
        raise damaged(path, "the table state has not one row")
    connection.set_progress_handler(None, 0)


def _columns(connection: sqlite3.Connection) -> set[tuple[object, ...]]:
    """Return the definition of each column, hidden ones included, with its table."""
    sql = (
        'SELECT t.name, t.strict, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden '
        "FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c "
        "WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'"
    )
    return {tuple(row) for row in connection.execute(sql)}


def _begin_to_write(connection: sqlite3.Connection, empty: bool) -> None:
    """Begin an exclusive transaction, and create missing tables and columns."""
    # Chunks that were reported must survive a power cut. This costs some waits for the disk per chunk,
    # which are short compared with the seconds that a chunk takes.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA busy_timeout = 0")  # another writer holds the lock until its study ends
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("PRAGMA busy_timeout = 1000")
    if empty:
        _create_tables(connection)
    _add_columns(connection)
    connection.execute("UPDATE state SET writing = 1")
    commit(connection)
    connection.execute("BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection, patience: int = 600) -> None:
    """Commit, after at most *patience* attempts of a second each while readers read."""
    while True:
        try:
            connection.execute("COMMIT")
            return
        except sqlite3.OperationalError as error:
            patience -= 1
            if patience < 0 or not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise


def _create_tables(connection: sqlite3.Connection) -> None:
    """Create all tables in the open transaction, which ``executescript`` would end."""
    for statement in TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def columns_of(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the known measures with a column in the store."""
    stored = {row[1] for row in connection.execute("PRAGMA table_info(scores)")}
    return [name for name in MEASURES if name in stored]


def _add_columns(connection: sqlite3.Connection) -> None:
    """Add a column to the table of scores for each measure that has none."""
    known = columns_of(connection)
    for measure in MEASURES.values():
        if measure.name not in known:
            connection.execute(f"ALTER TABLE scores ADD COLUMN {measure.name} {_SQL_TYPES[measure.kind]}")
            names = (measure.name, measure.meaning)
            connection.execute("INSERT INTO measures (name, meaning) VALUES (?, ?)", names)


# Errors


@contextmanager
def sql_errors(path: Path, action: str = "use") -> Iterator[None]:
    """Convert errors of SQLite and the system to a `CatanError` with a remedy."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
        raise explained(path, action, error) from error


def damaged(path: Path, words: str) -> CatanError:
    """Return the error for a damaged store."""
    return CatanError(
        f"the store {show_path(path)} is damaged ({words}); restore a copy, or begin another store"
    )


_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_TOOBIG", "SQLITE_INTERRUPT", "SQLITE_ERROR", "SQLITE_MISMATCH")
_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR")
_NO_PLACE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


def explained(path: Path, action: str, error: Exception) -> CatanError:
    """Return the `CatanError` for an error of SQLite or the system."""
    name, words = show_path(path), str(getattr(error, "strerror", None) or error)
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_READONLY_ROLLBACK":
        return CatanError(
            f"the store {name} must not have an unfinished write; its study was stopped while it wrote: run "
            "that study again, which repairs the store"
        )
    if code.startswith("SQLITE_NOTADB"):
        return InvalidArgument(f"{name} is not a store of studies; choose another file")
    if code.startswith(_NO_ROOM):
        return CatanError(
            f"cannot {action} the store {name}: {words}. It keeps what it has: make room, then call again"
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CatanError(
            f"another run writes the store {name}, or another program reads it ({words}); wait for its end, "
            "or give another file"
        )
    if code.startswith(_NO_PLACE) or isinstance(error, PermissionError):
        return InvalidArgument(f"cannot {action} the store {name}: {words}; choose a place you may write to")
    if code.startswith(_DAMAGE) or isinstance(error, (UnicodeError, OverflowError)) or "UTF-8" in words:
        return damaged(path, words)
    return CatanError(f"cannot {action} the store {name}: {words}")
