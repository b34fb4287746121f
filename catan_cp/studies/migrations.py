"""Stores of older versions, brought up to date in one transaction: whole, or not at all.

Each step takes the tables from one version to the next. A step whose target is not the newest version makes
the tables of that version, which it then spells out itself. tests/studies/data keeps a file of each version.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import CatanError
from catan_cp.studies.chunks import digest
from catan_cp.studies.schema import columns_of, create_tables, damaged, insert_board, study_checksum


def bring_up_to_date(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Take the tables from *version* to that of today, in a transaction that is open.

    Raises:
        CatanError: there was no such version, or the store is damaged.
    """
    for verdict in connection.execute("PRAGMA quick_check(1)"):
        if verdict[0] != "ok":
            raise damaged(path, " ".join(verdict[0].split()))
    while version in STEPS:
        try:
            STEPS[version](connection)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise damaged(path, f"{type(error).__name__}: {error}") from error
        version += 1
    if connection.execute("PRAGMA user_version").fetchone()[0] != version:
        raise damaged(path, f"there was no version {version}")


def _from_1(connection: sqlite3.Connection) -> None:
    """Put a study into one value, presets into a table, harbors after a colon; add checksums."""
    connection.execute("DROP VIEW results")
    for table in ("scores", "boards", "chunks", "studies"):
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    create_tables(connection)
    for study in connection.execute("SELECT * FROM old_studies ORDER BY study").fetchall():
        definition = json.dumps(
            {
                "n": study["n"],
                "rules": json.loads(study["rules"]),
                "layout": study["layout"],
                "seed": study["seed"],
                "players": study["players"],
                "objective": json.loads(study["objective"]),
                "solver": study["solver"],
                "chunk": study["chunk"],
                "name": study["name"],
                "source": study["source"],
            }
        )
        connection.execute(
            "INSERT INTO studies VALUES (?, ?, ?, ?, ?, ?)",
            (
                study["study"],
                study["name"],
                definition,
                study["library_version"],
                study["solver_version"],
                study_checksum(study["name"], definition),
            ),
        )
        _boards_from_1(connection, study["study"], study["layout"])
        _chunks_from_1(connection, study["study"], study["chunk"])
    for table in ("scores", "boards", "chunks", "studies"):
        connection.execute(f"DROP TABLE old_{table}")


def _boards_from_1(connection: sqlite3.Connection, study: int, layout: str) -> None:
    columns = columns_of(connection)
    rows = connection.execute(
        "SELECT * FROM old_boards JOIN old_scores USING (study, board) WHERE study = ? ORDER BY board",
        (study,),
    )
    for row in rows:
        found: Mapping[str, Any] = dict(row)
        try:
            notation = Board.from_notation(row["notation"], layout).notation()
        except CatanError as error:
            raise ValueError(str(error)) from error
        presets = sorted(
            name.removeprefix("keeps_") for name, value in found.items() if name[:6] == "keeps_" and value
        )
        insert_board(
            connection,
            (study, row["board"], notation, row["times"]),
            presets,
            columns,
            [found.get(name) for name in columns],
        )


def _chunks_from_1(connection: sqlite3.Connection, study: int, size: int) -> None:
    """Copy the chunks, with new digests for the new notations; NULL where repeats hide what was made."""
    repeats = connection.execute("SELECT max(times) > 1 FROM boards WHERE study = ?", (study,)).fetchone()[0]
    for chunk in connection.execute("SELECT * FROM old_chunks WHERE study = ?", (study,)).fetchall():
        notations = [
            row[0]
            for row in connection.execute(
                "SELECT notation FROM boards WHERE study = ? AND board > ? AND board <= ? ORDER BY board",
                (study, chunk["chunk"] * size, chunk["chunk"] * size + chunk["boards"]),
            )
        ]
        known = None if repeats or len(notations) != chunk["boards"] else digest(notations)
        connection.execute(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
            (study, chunk["chunk"], chunk["boards"], known, chunk["failure"]),
        )


STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1}
"""What takes the tables from each older version to the next."""
