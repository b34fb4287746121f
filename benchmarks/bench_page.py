"""Waiting times on the web page, from its first board to another one.

The benchmark needs the built page (``make page``), without which it returns no figures, and Chromium
(``CHROMIUM`` may name it). The browser starts with an empty cache. The slow processor is emulated by
Chromium. The emulation slows the page but not its workers, so the solver runs at full speed.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, row

PAGE = Path(__file__).resolve().parent.parent / "page"
TARGETS: dict[str, dict[str, float | None]] = {
    "desktop": {"first": 1, "redeal": 0.15, "solved": 3, "again": None},
    "phone": {"first": 3, "redeal": None, "solved": 8, "again": None},
}
"""Targets in seconds, on an idle machine with two cores."""

_NAMES = {
    "first": "first board of a first visit",
    "redeal": "redeal",
    "solved": "first board by the solver",
    "again": "redeal by the solver, without a pause",
}
_WHERE = {"desktop": "", "phone": ", processor 4 times slower"}


def rows(quick: bool) -> Iterator[Row]:
    """Measure a few first visits."""
    if not (PAGE / "dist" / "index.html").is_file() or shutil.which("node") is None:
        print("the page is not measured: make page builds it")
        return
    command = ["node", "tests/speed.mjs", "1" if quick else "5"]
    result = subprocess.run(command, cwd=PAGE, capture_output=True, text=True, check=False)
    if result.returncode:
        raise AssertionError(f"the page cannot be measured: {result.stderr}")
    outcome = json.loads(result.stdout)
    for device, targets in TARGETS.items():
        for measure, target in targets.items():
            yield row(_NAMES[measure] + _WHERE[device], "s", outcome[device][measure], target)
