"""Peak memory of this process, measured at the end of a fresh process."""

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak() -> float:
    """Return the peak memory in MiB.

    On Linux it is read from ``VmHWM``. The other figure, ``ru_maxrss``, survives the start of a program. It
    is therefore never below the memory that the parent process had at that time.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
