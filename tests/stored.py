"""What a store holds, to be compared."""

from __future__ import annotations

from catan_cp import Store


def everything(path):
    """All rows of all tables of a store."""
    with Store(path) as store:
        return {
            table: store.query(f"SELECT * FROM {table} ORDER BY 1, 2")
            for table in ("studies", "chunks", "boards", "scores")
        }
