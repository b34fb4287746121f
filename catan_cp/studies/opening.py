"""How the file of a store is opened: to read without changing it, to write as the only one.

While a store is written, part of it is in SQLite's write-ahead log beside it. ``state.writing`` in the file
itself says so; where it says so and there is no log, something is missing: the file was copied alone, or is
being written under another name. Then reading is refused, rather than answered from a part.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from catan_cp.errors import CatanError, InvalidArgument, show_path
from catan_cp.studies.measures import MEASURES
from catan_cp.studies.migrations import bring_up_to_date
from catan_cp.studies.places import Lock, find_file, wal_of
from catan_cp.studies.schema import (
    APPLICATION_ID,
    VERSION,
    add_columns,
    check_whole,
    create_tables,
    explained,
    telling,
)

_WAIT = 10.0  # seconds; a reader stands in a writer's way for a moment at most


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection for queries only, to a file that is a whole store.

    A store of an older version is brought up to date first.

    Raises:
        InvalidArgument: there is no such file, or it is something else, or newer.
        CatanError: it is damaged, or a part of it is missing.
    """
    file = find_file(path)
    version, being_written = _look(path, file)
    if version == 0:
        raise InvalidArgument(f"{show_path(path)} is empty; `catan-cp study` begins a study in it")
    if version < VERSION:
        _update(path, file)
    with telling(path, "read"):
        try:
            # Read-only while it is written, or after that was cut short: else the last reader to close would
            # put the log into the file and delete it, and the file would seem to lack a part. Not read-only
            # otherwise: then SQLite would leave the files behind that it makes beside the store.
            connection = _connect(file, "ro" if being_written else "rw")
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise
            connection.close()
            connection = _connect(file, _untouched(file))
        try:
            check_whole(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _update(path: Path, file: Path) -> None:
    """Bring a store of an older version up to date, for a reader."""
    try:
        lock = Lock(path, file)
        try:
            close_to_write(open_to_write(path, file))
        finally:
            lock.release()
    except (OSError, InvalidArgument) as error:
        raise InvalidArgument(
            f"the store {show_path(path)} is of an older version, and to bring it up to date it must be "
            f"written: {error}; copy it to a place you may write to"
        ) from error


def open_to_write(path: Path, file: Path) -> sqlite3.Connection:
    """Return a connection to a store whose `Lock` is held.

    A store is made where there is no file, or an empty one; one of an older version is brought up to date.

    Raises:
        InvalidArgument: the file is something else, or newer, or its place cannot be written.
        CatanError: it is damaged, or written under another name.
    """
    version = _look(path, file, to_write=True)[0] if file.exists() else 0
    with telling(path, "write"):
        if version and not wal_of(file).exists():
            _check_alone(path, file)
        connection = _connect(file, "rwc")
        try:
            if version == VERSION:
                check_whole(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            # FULL, not NORMAL: what was reported as done must outlive a power cut. It costs one wait for the
            # disk per chunk, which is nothing beside the seconds that a chunk takes.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            if version == 0:
                create_tables(connection)
            elif version < VERSION:
                bring_up_to_date(connection, path, version)
            add_columns(connection, MEASURES.values())
            connection.execute("UPDATE state SET writing = 1")
            connection.execute("COMMIT")
            connection.execute(
                "PRAGMA foreign_keys = ON"
            )  # from here on: migrations move what is referred to
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # so that the file itself says so
        except BaseException:
            connection.close()
            raise
        return connection


def close_to_write(connection: sqlite3.Connection) -> None:
    """Close what `open_to_write` opened; harmless when done already."""
    try:
        connection.execute("UPDATE state SET writing = 0")
    except sqlite3.Error:  # closed already, no room, or the file is gone: then the next writer tidies up
        pass
    finally:
        connection.close()


def _connect(file: Path, mode: str, wait: float = _WAIT) -> sqlite3.Connection:
    """Return a connection in mode ``ro``, ``rw`` or ``rwc``; rows read as tuples and by name."""
    address = f"file:{quote(str(file))}?mode={mode}"
    connection = sqlite3.connect(
        address, uri=True, timeout=wait, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def _look(path: Path, file: Path, to_write: bool = False) -> tuple[int, bool]:
    """Return the version of a store's tables, 0 for an empty file, and whether it says that it is written.

    Anything else is refused. Nothing is touched.
    """
    if not file.exists():
        raise InvalidArgument(f"there is no store {show_path(path)}; `catan-cp study` makes one")
    # Not opened as a file: closing it would drop the locks that SQLite holds for this process.
    if not os.access(file, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        raise InvalidArgument(f"cannot read the store {show_path(path)}: you may not read it")
    try:
        with closing(_connect(file, _untouched(file))) as looking:
            mark = looking.execute("PRAGMA application_id").fetchone()[0]
            version: int = looking.execute("PRAGMA user_version").fetchone()[0]
            if not mark and looking.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
                return 0, False  # a run that was killed at its very beginning leaves such a file
            ours = mark == APPLICATION_ID and version == VERSION
            writing = ours and bool(looking.execute("SELECT max(writing) FROM state").fetchone()[0])
    except (sqlite3.Error, TypeError) as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise InvalidArgument(
                f"{show_path(path)} is not a store of studies; choose another file"
            ) from None
        raise explained(path, "read", error) from error
    if mark != APPLICATION_ID:
        raise InvalidArgument(f"{show_path(path)} is another program's database; choose another file")
    if version > VERSION:
        raise InvalidArgument(
            f"the store {show_path(path)} is of version {version}, and this library reads {VERSION}; "
            "update catan-cp to read it"
        )
    if writing and not _has_log(file) and (not to_write or file.stat().st_nlink > 1):
        name = show_path(wal_of(path))
        raise CatanError(
            f"a part of the store {show_path(path)} is missing: it was being written, and {name} is not "
            "beside it. If it is a copy, copy that file too; if the store has another name (a link), use "
            "that one; else the same call of the study goes on from what is here"
        )
    return version, writing


def _check_alone(path: Path, file: Path) -> None:
    """Refuse a store that is open under another name, which SQLite's lock on the file itself tells."""
    try:
        with closing(_connect(file, "rw", wait=0.5)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
            return  # such as a file that may not be written, which whoever writes it is told
        raise CatanError(
            f"another run writes the store {show_path(path)}, under another of its names; wait for its end, "
            "or give another file"
        ) from None


def _has_log(file: Path) -> bool:
    """Whether SQLite's write-ahead log lies beside the file, with something in it."""
    try:
        return wal_of(file).stat().st_size > 0
    except OSError:
        return False


def _untouched(file: Path) -> str:
    """Return the mode in which SQLite makes no file beside the store, not even for a moment."""
    return "ro" if wal_of(file).exists() else "ro&immutable=1"
