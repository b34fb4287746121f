"""What importing the package costs: seconds and memory of fresh processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import Any

_TIMED = """
import resource, sys, time
began = time.perf_counter()
import {module}
spent = time.perf_counter() - began
print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "matplotlib" in sys.modules)
"""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure the import of the package beside that of numpy."""
    repeats = 3 if quick else 11
    ours = [_import("catan_cp") for _ in range(repeats)]
    numpys = [_import("numpy") for _ in range(repeats)]
    if any(loaded for _, _, loaded in ours):
        raise AssertionError("import catan_cp loads matplotlib")
    return [
        _row("import catan_cp", "s", [s for s, _, _ in ours], 0.3, [s for s, _, _ in numpys]),
        _row("memory after it", "MiB", [m for _, m, _ in ours], None, [m for _, m, _ in numpys]),
    ]


def _import(module: str) -> tuple[float, float, bool]:
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(module=module)], capture_output=True, text=True, check=True
    )
    seconds, memory, loaded = done.stdout.split()
    return float(seconds), float(memory), loaded == "True"


def _row(
    name: str, unit: str, runs: list[float], target: float | None, numpys: list[float]
) -> dict[str, Any]:
    median, against = statistics.median(runs), statistics.median(numpys)
    return {
        "name": name,
        "unit": unit,
        "median": median,
        "least": min(runs),
        "most": max(runs),
        "runs": len(runs),
        "target": target,
        "against": "import numpy",
        "against_median": against,
        "ratio": against / median,
    }
