"""Bring MiniZinc with Gecode and Chuffed, without root: a native copy, or one that runs anywhere.

Everything happens in a folder beside the final place, which is renamed at the end: whoever looks at the
final place finds a whole copy or none. One install runs at a time; the kernel drops the lock of a dead one.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from catan_cp.errors import CatanError, SolverFailed, SolverNotFound
from catan_cp.files import try_lock
from catan_cp.setup import sources
from catan_cp.setup.doctor import other_command
from catan_cp.setup.sources import Progress
from catan_cp.solving import find
from catan_cp.solving.find import AUTO, BACKENDS

_UNFINISHED = "unfinished-"


def install_solver(progress: Progress) -> None:
    """Take the first MiniZinc that works: one that is here, a native copy, the portable one.

    *progress* is called with a line of text for each step. A native one is used from now on, even where
    `install_portable` was called before.

    Raises:
        SolverNotFound: none of the three can be had; the message says why, and names another way.
    """
    here: Path | None = None
    try:
        here = find.find_minizinc(portable=False).executable
        _try_all(here, [BACKENDS[name].ids[0] for name in AUTO])
        progress(f"{here} is here, and solves")
    except (SolverNotFound, SolverFailed):
        try:
            install_private_copy(progress)
        except SolverNotFound as problem:
            progress(f"{problem}; so the portable solver is brought")
            install_portable(progress, first=here is not None)
            return
    find.preference().unlink(missing_ok=True)


def install_private_copy(progress: Progress) -> Path:
    """Bring MiniZinc with Gecode and Chuffed into `private_folder`, and return that folder.

    Takes up to a minute and about 50 MB of download; *progress* is called with a line of text for each step.
    Does nothing where a copy is that solves; replaces one that does not. It can be interrupted at any
    moment without leaving half a copy.

    Raises:
        SolverNotFound: this machine cannot do it; the message says why, and names another way.
    """

    def check(copy: Path) -> None:
        """Solve with both solvers by their configuration files: their names may be taken elsewhere."""
        folder = copy / "share/minizinc/solvers"
        _try_all(copy / "bin/minizinc", [str(folder / name) for name in sources.CONFIGURATIONS])

    with _saying("private copy of MiniZinc"):
        return _install(find.private_folder(), check, sources.build_native, progress)


def install_portable(progress: Progress, *, first: bool = True) -> Path:
    """Bring the portable solver into `portable_folder`, as `install_private_copy` does; return it.

    With *first* it is used even where a native MiniZinc is, until `install_solver` finds or brings one.

    Raises:
        SolverNotFound: there is neither Node nor pip, or a download failed; the message names another way.
    """

    def check(copy: Path) -> None:
        _try_all(copy / "bin" / find.PORTABLE_PROGRAM, sources.SOLVERS)

    with _saying("portable solver"):
        final = _install(find.portable_folder(), check, sources.build_portable, progress)
        if first:
            find.preference().touch()
    return final


@contextmanager
def _saying(what: str) -> Iterator[None]:
    try:
        yield
    except (CatanError, OSError) as problem:
        another = other_command()
        raise SolverNotFound(f"no {what} could be brought: {problem}; another way: {another}") from problem


def _install(
    final: Path,
    check: Callable[[Path], None],
    build: Callable[[Path, Path, Progress], None],
    progress: Progress,
) -> Path:
    """Build what is to be in *final* by way of an empty folder, and put it there once it passes a check."""
    if final.exists():
        find.check_private(final)
    with suppress(SolverFailed):
        check(final)  # which may be where nobody may write
        progress(f"the copy in {final} is in order")
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with _alone(final.parent / "install.lock", progress):
        for leftover in final.parent.glob(f"{_UNFINISHED}*"):  # of installs that were killed
            shutil.rmtree(leftover, ignore_errors=True)
        with suppress(SolverFailed):
            check(final)
            progress(f"another install has brought {final} meanwhile")
            return final
        with tempfile.TemporaryDirectory(
            prefix=_UNFINISHED, dir=final.parent, ignore_cleanup_errors=True
        ) as work:
            (brought := Path(work, "brought")).mkdir()
            build(brought, copy := Path(work, "copy"), progress)
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
def _alone(lock: Path, progress: Progress) -> Iterator[None]:
    """Hold *lock*, waiting for as long as another install holds it; the system drops that of a dead one."""
    with lock.open("wb") as file:
        if not try_lock(file):
            progress("waiting for another install to end")
            while not try_lock(file):
                time.sleep(0.1)
        yield
