"""Run all benchmarks: print a table a room, write one JSON file, and say what got worse."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.rows import Row, met, regressions, short

ROOMS = ("package", "solving", "counting", "entropy", "placement", "study")
RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Measure room after room, and show each as soon as it is done."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.add_argument("--quick", action="store_true", help="about a minute, with fewer repetitions")
    asked.add_argument("--only", choices=ROOMS, help="one room alone; writes no file")
    wanted = asked.parse_args()
    console = Console(width=None if os.isatty(1) else 150)
    began, found = time.monotonic(), list[Row]()
    for room in ROOMS if wanted.only is None else (wanted.only,):
        rows: list[Row] = importlib.import_module(f"benchmarks.bench_{room}").rows(wanted.quick)
        console.print(_table(room, rows))
        found += [{"room": room, **row} for row in rows]
    spent = time.monotonic() - began
    missed = [row["name"] for row in found if met(row) is False]
    print(f"{len(found)} figures in {spent:.0f} s; missed targets: {', '.join(missed) or 'none'}")
    _warn(found)
    if wanted.only is None and not wanted.quick:
        results = {"on": machine(), "seconds": round(spent), "rows": found}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        print(f"written: {RESULTS.relative_to(Path.cwd())}; `make performance` puts it on its page")


def machine() -> dict[str, Any]:
    """Return what figures depend on."""
    return {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}


def _warn(found: list[Row]) -> None:
    """Say which figures are worse than the stored ones. It is no error: machines and their days differ."""
    if not RESULTS.exists():
        return
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    for warning in regressions(found, stored):
        print(f"warning: {warning}")


def _table(room: str, rows: list[Row]) -> Table:
    table = Table("what", "median", "least", "most", "runs", "unit", "target", "against", "times", title=room)
    for column in table.columns[1:5]:
        column.justify = "right"
    for row in rows:
        mark = {True: " met", False: " MISSED", None: ""}[met(row)]
        target = "" if row["target"] is None else f"{short(row['target'])}{mark}"
        against = f"{row['against']}: {short(row['against_median'])}" if "against" in row else ""
        ratio = f"{row['ratio']:.3g}" if "ratio" in row else ""
        figures = [short(row[key]) for key in ("median", "least", "most")]
        table.add_row(row["name"], *figures, str(row["runs"]), row["unit"], target, against, ratio)
    return table


if __name__ == "__main__":
    main()
