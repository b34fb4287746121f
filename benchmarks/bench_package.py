"""Cost of starting fresh processes, in seconds and memory.

An installed copy starts like this, and so does numpy in the comparison. Some machines tell Python to keep no
bytecode, so the benchmark turns bytecode on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
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
    """Measure imports of the package and numpy, and starts of a command and matplotlib."""
    repeats = 3 if quick else 11
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        ours, all_names, numpys = (
            [_fresh(work, environment) for _ in range(repeats + 1)][1:]  # the first one keeps the bytecode
            for work in ("import catan_cp", _EVERYTHING, "import numpy")
        )
        commands, plots = (
            [_process(work, environment) for _ in range(repeats + 1)][1:]
            for work in (_DRAWN.format(path=str(Path(folder) / "board.png")), "import matplotlib.pyplot")
        )
    if any(loaded for _, _, loaded in (*ours, *all_names)):
        raise AssertionError("import catan_cp loads matplotlib")
    numpy_seconds, numpy_memory = [s for s, _, _ in numpys], [m for _, m, _ in numpys]
    beside = "import numpy"
    return [
        row("import catan_cp", "s", [s for s, _, _ in ours], 0.3, beside, numpy_seconds),
        row("import every public name", "s", [s for s, _, _ in all_names], 0.5, beside, numpy_seconds),
        row("memory after import", "MiB", [m for _, m, _ in ours], None, beside, numpy_memory),
        row("memory with every name", "MiB", [m for _, m, _ in all_names], 60, beside, numpy_memory),
        row("catan-cp generate --save board.png", "s", commands, 5, "import matplotlib.pyplot", plots),
    ]


def _fresh(work: str, environment: Mapping[str, str]) -> tuple[float, float, bool]:
    """Return seconds, MiB and whether matplotlib was loaded, for a program in a new process."""
    command = [sys.executable, "-c", _TIMED.format(work=work)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    spent, memory, loaded = done.stdout.split()
    return float(spent), float(memory), loaded == "True"


def _process(work: str, environment: Mapping[str, str]) -> float:
    """Return the seconds of a whole process, including its start and end."""
    command = [sys.executable, "-c", work]
    return seconds(lambda: subprocess.run(command, env=environment, capture_output=True, check=True))
