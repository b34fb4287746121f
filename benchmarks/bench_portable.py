"""Processor time of the portable solver beside the native one, and of lists beside the `minizinc` package.

Each figure is the processor time of a new process with MiniZinc and the solver, less that of a process that
only imports the library. Other work on the machine raises all figures, so compare the ratios.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, processor_seconds, row, seconds
from catan_cp.solving.find import ENVIRONMENT_VARIABLE, portable_folder

LISTED = 20_000
_IMPORTS = "import catan_cp, numpy, minizinc, catan_cp.search.generate"
_PACKAGE = f"from benchmarks.bench_solving import optimal_by_package; optimal_by_package({LISTED})"
_LIST = f"assert len(catan_cp.enumerate_terrains('optimal', limit={LISTED}).array()) == {LISTED}"
_INSTALL = "from catan_cp.setup.install import install_portable; install_portable(print, first=False)"
_POST = "dlw/bgol/owbwg/lgob/wlg"
WORK: dict[str, tuple[str, float]] = {
    "a board by the solver": ("catan_cp.generate_board('optimal', seed=1, method='solver')", 20),
    "ten boards by the solver": ("list(catan_cp.generate_boards(10, 'optimal', seed=1, method='solver'))", 8),
    f"{LISTED:,} terrain arrangements": (_LIST, 8),
    "96 terrain arrangements": ("assert len(catan_cp.enumerate_terrains('blog').array()) == 96", 20),
    "11,753 arrangements of number tokens": (
        f"assert len(catan_cp.enumerate_markers('{_POST}', 'blog').array()) == 11_753",
        5,
    ),
}
"""Statements, each with the largest ratio of the portable solver's time to that of the native one."""


def rows(quick: bool) -> Iterator[Row]:
    """Measure each statement with both solvers, and the list by the package."""
    repeats = 1 if quick else 3
    with tempfile.TemporaryDirectory() as cache:
        portable = portable_folder()
        if not (portable / "bin").is_dir():
            environment = {**os.environ, "XDG_CACHE_HOME": cache}
            subprocess.run([sys.executable, "-c", _INSTALL], env=environment, check=True)
            portable = Path(cache) / "catan-cp/portable"
        imports = min(_spent("") for _ in range(3))
        for name, (work, most) in WORK.items():
            ours = [_spent(work, portable) - imports for _ in range(repeats)]
            native = [_spent(work) - imports for _ in range(repeats)]
            target = 3 if name.startswith("a board") else None
            yield row(f"{name}, portable", "s of CPU", ours, target, "native", native)
            beside = [portable_time / time for portable_time, time in zip(ours, native, strict=True)]
            yield row(f"{name}, portable beside native", "times as much", beside, most)
    native = [_spent(_LIST) - imports for _ in range(repeats)]
    package = [_spent(_PACKAGE) - imports for _ in range(repeats)]
    yield row(f"{LISTED:,} terrain arrangements", "s of CPU", native, None, "minizinc package", package)


def _spent(work: str, minizinc: Path | None = None) -> float:
    """Return the processor seconds of a new process for some work, with another MiniZinc if there is one."""
    environment = os.environ | ({} if minizinc is None else {ENVIRONMENT_VARIABLE: str(minizinc)})
    command = [sys.executable, "-W", "ignore", "-c", f"{_IMPORTS}\n{work}"]

    def run() -> None:
        subprocess.run(command, env=environment, check=True)

    return seconds(run, processor_seconds)
