"""What a store holds, to be compared."""

from __future__ import annotations

from catan_cp import Store, Study, run_study

RUNNING = ("executor", "progress", "timeout", "workers")


def study_in(path, n, boards=None, **options):
    """Run a study that some options describe, with the other options, and without progress."""
    running = {"progress": False} | {name: options.pop(name) for name in RUNNING if name in options}
    return run_study(Study(n, **options), path, boards=boards, **running)


def everything(path):
    """All rows of all tables of a store."""
    with Store(path) as store:
        return {
            table: store.query(f"SELECT * FROM {table} ORDER BY 1, 2")
            for table in ("studies", "chunks", "boards", "satisfied", "scores")
        }
