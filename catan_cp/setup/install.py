"""Install MiniZinc with Gecode and Chuffed without root: native or portable.

An install works in a temporary folder, which is renamed at the end, so the final folder is complete or
missing. One install runs at a time. The kernel drops the lock of a killed one.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from catan_cp.errors import CatanError, SolverFailed, SolverNotFound
from catan_cp.files import private_umask, try_lock
from catan_cp.setup import sources
from catan_cp.setup.doctor import other_command
from catan_cp.setup.sources import Log
from catan_cp.solving import find
from catan_cp.solving.find import AUTO, BACKENDS
from catan_cp.solving.portable import PORTABLE_PROGRAM

_UNFINISHED = "unfinished-"


def install_solver(progress: Log) -> None:
    """Use the first working MiniZinc: installed, a native copy, or the portable one.

    *progress* is called with a line of text for each step. If an installed one or a native copy works, it is
    used from now on, even after `install_portable`.

    Raises:
        SolverNotFound: none of the three works. The message has the reason and another command.
    """
    installed: Path | None = None
    try:
        installed = find.find_minizinc(portable=False).executable
        _try_all(installed, [BACKENDS[name].ids[0] for name in AUTO])
        progress(f"{installed} is installed, and solves")
    except (SolverNotFound, SolverFailed):
        try:
            install_private_copy(progress)
        except SolverNotFound as problem:
            progress(f"{problem}; installing the portable solver instead")
            install_portable(progress, first=installed is not None)
            return
    find.preference().unlink(missing_ok=True)


def install_private_copy(progress: Log) -> Path:
    """Install MiniZinc, Gecode and Chuffed in `private_folder`, and return the folder.

    This takes up to a minute and downloads about 50 MB. *progress* is called with a line of text for each
    step. A working copy stays, and a broken one is replaced. An interrupted install leaves no partial copy.

    Raises:
        SolverNotFound: the install failed. The message has the reason and another command.
    """

    def check(copy: Path) -> None:
        """Run both solvers by file, because other configurations may use their names."""
        folder = copy / "share/minizinc/solvers"
        _try_all(copy / "bin/minizinc", [str(folder / name) for name in sources.CONFIGURATIONS])

    with _installing("private copy of MiniZinc"):
        return _install(find.private_folder(), check, sources.build_native, progress)


def install_portable(progress: Log, *, first: bool = True) -> Path:
    """Install the portable solver in `portable_folder`, and return that folder.

    If *first* is True, it is used before a native MiniZinc. This ends when `install_solver` gets a native
    MiniZinc to work.

    Raises:
        SolverNotFound: Node and pip are missing, or a download failed. The message has another command.
    """

    def check(copy: Path) -> None:
        _try_all(copy / "bin" / PORTABLE_PROGRAM, sources.SOLVERS)

    with _installing("portable solver"):
        final = _install(find.portable_folder(), check, sources.build_portable, progress)
        if first:
            find.preference().touch()
    return final


@contextmanager
def _installing(product: str) -> Iterator[None]:
    """Convert errors of the block to a `SolverNotFound` that names another command.

    Files that others may write to would be refused later, so the block creates none.
    """
    try:
        with private_umask():
            yield
    except (CatanError, OSError) as problem:
        raise SolverNotFound(
            f"no {product} could be installed: {problem}; another way: {other_command()}"
        ) from problem


def _install(
    final: Path, check: Callable[[Path], None], build: Callable[[Path, Path, Log], None], progress: Log
) -> Path:
    """Build a copy in an empty folder, check it, and rename it to *final*."""
    if final.exists():
        find.check_private(final)
    with suppress(SolverFailed):
        check(final)  # the folder may be read-only
        progress(f"the copy in {final} is in order")
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with _locked(final.parent / "install.lock", progress):
        for leftover in final.parent.glob(f"{_UNFINISHED}*"):  # of installs that were killed
            shutil.rmtree(leftover, ignore_errors=True)
        with suppress(SolverFailed):
            check(final)
            progress(f"another install has created {final} meanwhile")
            return final
        with tempfile.TemporaryDirectory(
            prefix=_UNFINISHED, dir=final.parent, ignore_cleanup_errors=True
        ) as work:
            (downloads := Path(work, "downloads")).mkdir()
            build(downloads, copy := Path(work, "copy"), progress)
            progress("checking that both solvers solve")
            check(copy)
            if final.exists():
                final.rename(Path(work, "replaced"))
            copy.rename(final)
    progress(f"MiniZinc, Gecode and Chuffed are in {final}")
    return final


def _try_all(minizinc: Path, solvers: Iterable[str]) -> None:
    for solver in solvers:
        find.try_solver(minizinc, ("--solver", solver))


@contextmanager
def _locked(lock: Path, progress: Log) -> Iterator[None]:
    """Hold *lock*, after waiting for another install to end."""
    with lock.open("wb") as file:
        if not try_lock(file):
            progress("waiting for another install to end")
            while not try_lock(file):
                time.sleep(0.1)
        yield
