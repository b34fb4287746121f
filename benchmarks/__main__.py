"""Run all benchmarks: print a table a room, write one JSON file."""

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

ROOMS = ("package", "solving", "counting", "entropy", "placement", "study")
RESULTS = Path(__file__).with_name("results.json")

Row = dict[str, Any]


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
    if wanted.only is None and not wanted.quick:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        }
        RESULTS.write_text(json.dumps({"on": machine, "rows": found}, indent=1) + "\n", encoding="utf-8")
        print(f"written: {RESULTS.relative_to(Path.cwd())}")


def met(row: Row) -> bool | None:
    """Return whether a row meets its target: at least it for rates and ratios, at most it for all else."""
    if row.get("target") is None:
        return None
    more_is_better = row["unit"].endswith("/s") or row["unit"] == "times"
    return bool(row["median"] >= row["target"] if more_is_better else row["median"] <= row["target"])


def _table(room: str, rows: list[Row]) -> Table:
    table = Table("what", "median", "least", "most", "unit", "target", "against", "times", title=room)
    for column in table.columns[1:4]:
        column.justify = "right"
    for row in rows:
        mark = {True: " met", False: " MISSED", None: ""}[met(row)]
        target = "" if row.get("target") is None else f"{_short(row['target'])}{mark}"
        against = f"{row['against']}: {_short(row['against_median'])}" if row.get("against") else ""
        ratio = f"{row['ratio']:.3g}" if row.get("ratio") else ""
        figures = [_short(row[key]) for key in ("median", "least", "most")]
        table.add_row(row["name"], *figures, row["unit"], target, against, ratio)
    return table


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


if __name__ == "__main__":
    main()
