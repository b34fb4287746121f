"""Bring a private copy of MiniZinc, Gecode and Chuffed on a Debian-family machine, without root.

Everything happens in a folder beside the final place, which is renamed at the end: whoever looks at the
final place finds a whole copy or none. One install runs at a time; the kernel drops the lock of a dead one.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from catan_cp.errors import CatanError, SolverFailed, SolverNotFound
from catan_cp.setup.apt import Progress, open_archive
from catan_cp.setup.bundle import CONFIGURATIONS, WANTED, build_bundle
from catan_cp.solving.advice import other_command_for
from catan_cp.solving.installation import private_folder
from catan_cp.solving.trial import try_solver

_UNFINISHED = "unfinished-"


def install_private_copy(progress: Progress) -> Path:
    """Bring MiniZinc with Gecode and Chuffed into `private_folder`, and return that folder.

    Takes up to a minute and about 50 MB of download; *progress* is called with a line of text for each step.
    Does nothing where a copy is that solves; replaces one that does not. It can be interrupted at any
    moment without leaving half a copy.

    Raises:
        SolverNotFound: this machine cannot do it; the message says why, and names another way.
    """
    try:
        return _install(private_folder(), progress)
    except (CatanError, OSError) as problem:
        raise SolverNotFound(
            f"no private copy of MiniZinc could be brought: {problem}; "
            f"another way: {other_command_for('minizinc')}"
        ) from problem


def _install(final: Path, progress: Progress) -> Path:
    if _works(final):  # which may be where nobody may write
        progress(f"the private copy in {final} is in order")
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with _alone(final.parent / "install.lock", progress):
        for leftover in final.parent.glob(f"{_UNFINISHED}*"):  # of installs that were killed
            shutil.rmtree(leftover, ignore_errors=True)
        if _works(final):
            progress(f"another install has brought {final} meanwhile")
            return final
        work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=final.parent))
        try:
            _build(work, progress)
            if final.exists():
                final.rename(work / "replaced")
            (work / "copy").rename(final)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        progress(f"MiniZinc, Gecode and Chuffed are in {final}")
        return final


def _build(work: Path, progress: Progress) -> None:
    """Make a checked copy as the folder ``copy`` in *work*."""
    progress("asking apt which packages are needed")
    for name in ("apt", "packages"):
        (work / name).mkdir()
    archive = open_archive(work / "apt", WANTED)
    build_bundle(archive, work / "packages", work / "copy", progress)
    progress("checking that both solvers solve")
    _check(work / "copy")


def _works(copy: Path) -> bool:
    """Tell whether *copy* is there and solves with both solvers."""
    try:
        _check(copy)
    except SolverFailed:
        return False
    return True


def _check(copy: Path) -> None:
    """Solve with both solvers of *copy*, by their configuration files: their names may be taken elsewhere."""
    for configuration in CONFIGURATIONS:
        try_solver(copy / "bin/minizinc", ("--solver", str(copy / "share/minizinc/solvers" / configuration)))


@contextmanager
def _alone(lock: Path, progress: Progress) -> Iterator[None]:
    """Hold *lock*, waiting for as long as another install holds it."""
    import fcntl  # POSIX only, and this module is read on every system

    with lock.open("w") as file:
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    progress("waiting for another install to end")
                    told = True
                time.sleep(0.1)
        yield
