"""Stores to be made, and what one holds, to be compared."""

import stat
import threading

from catan_cp import CatanError, Store, Study, run_study
from tests.small_boards import random_boards

BOARDS = random_boards(60, seed=7)
RUNNING = ("executor", "progress", "timeout", "workers")


def study_in(path, n, boards=None, **options):
    """Run a study that some options describe, with the other options, and without progress."""
    running = {"progress": False} | {name: options.pop(name) for name in RUNNING if name in options}
    return run_study(Study(n, **options), path, boards=boards, **running)


def score(path, boards=BOARDS, n=None, **options):
    """Score boards, ten a chunk."""
    return study_in(path, n, boards, **({"rules": "open", "chunk": 10} | options))


def make(path, n=30, **options):
    """Make boards, ten a chunk."""
    return study_in(path, n, **({"rules": "tournament", "seed": 1, "chunk": 10} | options))


def everything(path):
    """All rows of all tables of a store."""
    with Store(path) as store:
        return {
            table: store.query(f"SELECT * FROM {table} ORDER BY 1, 2")
            for table in ("studies", "chunks", "boards", "satisfied", "scores")
        }


def names_in(folder):
    """The names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def folder_of(folder):
    """The name, content, permissions and time of the last change of each file in a folder."""
    folders = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
        folders[path] = (content, status.st_mode, status.st_size, status.st_mtime_ns)
    return folders


def at_once(ask):
    """Return the error of a call that must not wait for a pipe."""
    errors = []

    def call():
        try:
            ask()
        except CatanError as error:
            errors.append(error)

    calling = threading.Thread(target=call, daemon=True)
    calling.start()
    calling.join(20)
    assert not calling.is_alive() and errors
    return errors[0]
