"""The tables of a store, their version, and the checksums of their rows.

A store is one SQLite file. Its ``application_id`` marks it as ours, its ``user_version`` is the version of
the tables. A new measure is a new column and no new version: see `add_columns`.
"""

from __future__ import annotations

import math
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from zlib import crc32

from catan_cp.errors import CatanError, InvalidArgument, show_path
from catan_cp.studies.measures import MEASURES, Measure, Value

APPLICATION_ID = 0x4361743E
"""The mark of our files: ``Cat>``."""

VERSION = 2
"""The version of the tables. Whoever changes one counts on, and adds to `catan_cp.studies.migrations`."""

_SQL_TYPES = {int: "INTEGER", float: "REAL"}

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


def create_tables(connection: sqlite3.Connection) -> None:
    """Make all tables, in a transaction that is open."""
    run_script(connection, TABLES)
    add_columns(connection, MEASURES.values())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements in the transaction that is open, which ``executescript`` would end."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def columns_of(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of the measures that the store keeps, in the order of their columns."""
    return tuple(row[0] for row in connection.execute("SELECT name FROM measures ORDER BY measure"))


def add_columns(connection: sqlite3.Connection, measures: Iterable[Measure]) -> None:
    """Give the tables a column for each measure that they lack, in a transaction that is open."""
    known = columns_of(connection)
    missing = [measure for measure in measures if measure.name not in known]
    if not missing:
        return
    connection.execute("DROP VIEW IF EXISTS results")
    for measure in missing:
        connection.execute(f"ALTER TABLE scores ADD COLUMN {measure.name} {_SQL_TYPES[measure.kind]}")
        connection.execute(
            "INSERT INTO measures (name, meaning) VALUES (?, ?)", (measure.name, measure.meaning)
        )
    connection.execute(view_sql(columns_of(connection)))


def view_sql(columns: Sequence[str]) -> str:
    """Return the statement that makes the view ``results``."""
    return _VIEW.format(names=", ".join(columns))


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


def insert_board(
    connection: sqlite3.Connection,
    board: tuple[int, int, str, int],
    presets: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Value],
) -> None:
    """Insert a new board: its study, number, notation and times, its presets, its scores by column."""
    study, number, notation, _ = board
    connection.execute(
        "INSERT INTO boards VALUES (?, ?, ?, ?, ?)", (*board, row_checksum(notation, presets, values))
    )
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    connection.execute(
        f"INSERT INTO scores (study, board, {names}) VALUES (?, ?, {marks})",  # noqa: S608 - names of ours
        (study, number, *values),
    )
    connection.executemany(
        "INSERT INTO satisfied VALUES (?, ?, ?)", [(study, number, preset) for preset in presets]
    )


def study_checksum(name: str, definition: str) -> int:
    """Return the checksum of a study's row."""
    return crc32(f"{name}\0{definition}".encode())


@contextmanager
def telling(path: Path, what: str = "use") -> Iterator[None]:
    """Turn SQLite's and the system's errors into ours, which say what to do."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explained(path, what, error) from error


def damaged(path: Path, words: str) -> CatanError:
    """Return the error that says that a store is damaged."""
    return CatanError(
        f"the store {show_path(path)} is damaged ({words}); restore a copy, or begin another store"
    )


def explained(path: Path, what: str, error: Exception) -> CatanError:
    """Return the error of ours that says what *error* means for the store."""
    name, words = show_path(path), str(getattr(error, "strerror", None) or error)
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "decode to UTF-8" in words:
        return damaged(path, words)
    if code.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return CatanError(
            f"cannot {what} the store {name}: {words}. It keeps what it has: make room, then call again"
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CatanError(f"another program holds the store {name} ({words}); wait for its end")
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) or isinstance(error, PermissionError):
        return InvalidArgument(f"cannot {what} the store {name}: {words}; choose a place you may write to")
    return CatanError(f"cannot {what} the store {name}: {words}")


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a store of our version that is damaged, or whose tables are not ours.

    Rows are checked by their checksums when they are read.
    """
    for (verdict,) in connection.execute("PRAGMA quick_check(1)"):
        if verdict != "ok":
            raise damaged(path, " ".join(verdict.split()))
    names = columns_of(connection)
    with closing(sqlite3.connect(":memory:")) as blank:
        run_script(blank, TABLES)
        tables = [row[0] for row in blank.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        expected = {table: _fields(blank, table) for table in tables}
    expected["scores"] += names
    for table, fields in expected.items():
        if _fields(connection, table) != fields:
            raise damaged(path, f"the table {table} has other columns than it should")
    view = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'results'").fetchone()
    if view is None or view[0] != view_sql(names):
        raise damaged(path, "the view results is not as it should be")
    if connection.execute("SELECT count(*) FROM state").fetchone()[0] != 1:
        raise damaged(path, "the table state has not one row")


def _fields(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def is_number(value: object) -> bool:
    """Whether a value read from a column of ``scores`` is one that was written there."""
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value))
