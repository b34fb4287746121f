"""What full runs leave behind: figures with the machine they come from, as JSON."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.json")
"""The rows of the table."""

GROWTH = Path(__file__).with_name("growth.json")
"""The curves of the pictures."""


def store(path: Path, seconds: float, **found: Any) -> None:
    """Write what was found in that many seconds, and make the page that shows it anew."""
    from benchmarks import page

    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    result = {"on": machine, "seconds": round(seconds), **found}
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"written: {path}")
    page.main()


def load(path: Path) -> dict[str, Any]:
    """Return what the last full run has stored."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result
