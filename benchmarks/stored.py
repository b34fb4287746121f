"""Stored figures of full runs and of the machine, as JSON."""

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
    """Write the results of a run and its duration."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    result = {"on": machine, "seconds": round(seconds), **found}
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"written: {path}")


def load(path: Path) -> dict[str, Any]:
    """Return the stored results of the last full run."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result
