"""The most memory that this process had at once. It is asked at the end of what a fresh process measures."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak() -> float:
    """Return MiB.

    Where Linux tells, from ``VmHWM``: the system's other figure, ``ru_maxrss``, is never below what the
    process that started this one had when it did, for it outlives the start of a program.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
