"""What starting costs: seconds and memory of fresh processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.rows import Row, row, seconds

_TIMED = """
import sys, time
began = time.perf_counter()
{work}
spent = time.perf_counter() - began
loaded = "matplotlib" in sys.modules
from benchmarks.memory import peak
print(spent, peak(), loaded)
"""
_EVERYTHING = "import catan_cp\nfor name in catan_cp.__all__: getattr(catan_cp, name)"
_DRAWN = "from catan_cp.cli import main; main(['generate', '--seed', '1', '--force', '--save', {path!r}])"


def rows(quick: bool) -> list[Row]:
    """Measure the import of the package beside that of numpy, and a command beside that of matplotlib."""
    repeats = 3 if quick else 11
    ours = [_fresh("import catan_cp") for _ in range(repeats)]
    all_names = [_fresh(_EVERYTHING) for _ in range(repeats)]
    numpys = [_fresh("import numpy") for _ in range(repeats)]
    if any(loaded for _, _, loaded in (*ours, *all_names)):
        raise AssertionError("import catan_cp loads matplotlib")
    numpy_seconds, numpy_memory = [s for s, _, _ in numpys], [m for _, m, _ in numpys]
    with tempfile.TemporaryDirectory() as folder:
        drawing = _DRAWN.format(path=str(Path(folder) / "board.png"))
        commands = [_process(drawing) for _ in range(repeats)]
    plots = [_process("import matplotlib.pyplot") for _ in range(repeats)]
    beside = "import numpy"
    return [
        row("import catan_cp", "s", [s for s, _, _ in ours], 0.3, beside, numpy_seconds),
        row("import every public name", "s", [s for s, _, _ in all_names], 0.5, beside, numpy_seconds),
        row("memory after import", "MiB", [m for _, m, _ in ours], None, beside, numpy_memory),
        row("memory with every name", "MiB", [m for _, m, _ in all_names], 60, beside, numpy_memory),
        row("catan-cp generate --save board.png", "s", commands, 5, "import matplotlib.pyplot", plots),
    ]


def _fresh(work: str) -> tuple[float, float, bool]:
    """Return the seconds and MiB of some work in a new process, and whether it loaded matplotlib."""
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(work=work)], capture_output=True, text=True, check=True
    )
    spent, memory, loaded = done.stdout.split()
    return float(spent), float(memory), loaded == "True"


def _process(work: str) -> float:
    """Return the seconds of a whole process, its start and end included."""
    command = [sys.executable, "-c", work]
    return seconds(lambda: subprocess.run(command, capture_output=True, check=True))
