"""Bring MiniZinc with Gecode and Chuffed, without root: a native copy, or one that runs anywhere.

Everything happens in a folder beside the final place, which is renamed at the end: whoever looks at the
final place finds a whole copy or none. One install runs at a time; the kernel drops the lock of a dead one.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from catan_cp.errors import CatanError, SolverFailed, SolverNotFound
from catan_cp.setup import portable
from catan_cp.setup.apt import Progress, open_archive
from catan_cp.setup.bundle import CONFIGURATIONS, WANTED, build_bundle
from catan_cp.setup.doctor import other_command
from catan_cp.solving.backends import AUTO, BACKENDS
from catan_cp.solving.find import (
    PORTABLE_PROGRAM,
    find_minizinc,
    portable_folder,
    preference,
    private_folder,
    refuse_strangers,
    try_solver,
)

_UNFINISHED = "unfinished-"


def install_solver(progress: Progress) -> None:
    """Take the first MiniZinc that works: one that is here, a native copy, the portable one.

    *progress* is called with a line of text for each step. A native one is used from now on, even where
    `install_portable` was called before.

    Raises:
        SolverNotFound: none of the three can be had; the message says why, and names another way.
    """
    native = _native()
    if native is not None and _passes(_check_native, native):
        progress(f"{native} is here, and solves")
    else:
        try:
            install_private_copy(progress)
        except SolverNotFound as problem:
            progress(f"{problem}; so the portable solver is brought")
            install_portable(progress, first=native is not None)
            return
    preference().unlink(missing_ok=True)


def install_private_copy(progress: Progress) -> Path:
    """Bring MiniZinc with Gecode and Chuffed into `private_folder`, and return that folder.

    Takes up to a minute and about 50 MB of download; *progress* is called with a line of text for each step.
    Does nothing where a copy is that solves; replaces one that does not. It can be interrupted at any
    moment without leaving half a copy.

    Raises:
        SolverNotFound: this machine cannot do it; the message says why, and names another way.
    """
    with _saying("private copy of MiniZinc"):
        return _install(private_folder(), _check_private_copy, _build_private_copy, progress)


def install_portable(progress: Progress, *, first: bool = True) -> Path:
    """Bring the portable solver into `portable_folder`, as `install_private_copy` does; return it.

    With *first* it is used even where a native MiniZinc is, until `install_solver` finds or brings one.

    Raises:
        SolverNotFound: there is neither Node nor pip, or a download failed; the message names another way.
    """
    with _saying("portable solver"):
        _install(portable_folder(), _check_portable, _build_portable, progress)
        if first:
            preference().touch()
    return portable_folder()


@contextmanager
def _saying(what: str) -> Iterator[None]:
    try:
        yield
    except (CatanError, OSError) as problem:
        another = other_command()
        raise SolverNotFound(f"no {what} could be brought: {problem}; another way: {another}") from problem


def _install(
    final: Path, check: Callable[[Path], None], build: Callable[[Path, Progress], None], progress: Progress
) -> Path:
    if final.exists():
        refuse_strangers(final)
    if _passes(check, final):  # which may be where nobody may write
        progress(f"the copy in {final} is in order")
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with _alone(final.parent / "install.lock", progress):
        for leftover in final.parent.glob(f"{_UNFINISHED}*"):  # of installs that were killed
            shutil.rmtree(leftover, ignore_errors=True)
        if _passes(check, final):
            progress(f"another install has brought {final} meanwhile")
            return final
        work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=final.parent))
        try:
            build(work, progress)
            progress("checking that both solvers solve")
            check(work / "copy")
            if final.exists():
                final.rename(work / "replaced")
            (work / "copy").rename(final)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        progress(f"MiniZinc, Gecode and Chuffed are in {final}")
        return final


def _build_private_copy(work: Path, progress: Progress) -> None:
    """Make a copy as the folder ``copy`` in *work*."""
    progress("asking apt which packages are needed")
    for name in ("apt", "packages"):
        (work / name).mkdir()
    archive = open_archive(work / "apt", WANTED)
    build_bundle(archive, work / "packages", work / "copy", progress)


def _build_portable(work: Path, progress: Progress) -> None:
    (work / "brought").mkdir()
    portable.build_portable(work / "brought", work / "copy", progress)


def _passes(check: Callable[[Path], None], copy: Path) -> bool:
    """Tell whether a copy, or a program, is there and solves with both solvers."""
    try:
        check(copy)
    except SolverFailed:
        return False
    return True


def _check_private_copy(copy: Path) -> None:
    """Solve with both solvers of *copy*, by their configuration files: their names may be taken elsewhere."""
    for configuration in CONFIGURATIONS:
        try_solver(copy / "bin/minizinc", ("--solver", str(copy / "share/minizinc/solvers" / configuration)))


def _check_portable(copy: Path) -> None:
    for solver in portable.SOLVERS:
        try_solver(copy / "bin" / PORTABLE_PROGRAM, ("--solver", solver))


def _native() -> Path | None:
    """Return the native MiniZinc that is here."""
    try:
        return find_minizinc(portable=False).executable
    except SolverNotFound:
        return None


def _check_native(minizinc: Path) -> None:
    for name in AUTO:
        try_solver(minizinc, ("--solver", BACKENDS[name].ids[0]))


@contextmanager
def _alone(lock: Path, progress: Progress) -> Iterator[None]:
    """Hold *lock*, waiting for as long as another install holds it."""
    with lock.open("wb") as file:
        told = False
        while not _hold(file):
            if not told:
                progress("waiting for another install to end")
                told = True
            time.sleep(0.1)
        yield


def _hold(file: IO[bytes]) -> bool:
    """Lock a file unless another process has it; the system drops the lock of a dead one."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
