"""Run all benchmarks, print one table per topic, write a JSON file and report regressions."""

import argparse
import importlib
import os
import time

from rich.console import Console
from rich.table import Table

from benchmarks import page
from benchmarks.rows import RESULTS, Row, load, met, regressions, short, store


def main() -> None:
    """Measure topic after topic, and print each table when it is complete."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.add_argument("--quick", action="store_true", help="about a minute, with fewer repetitions")
    asked.add_argument("--only", choices=page.ROOMS, help="one room alone; writes no file")
    wanted = asked.parse_args()
    console = Console(width=None if os.isatty(1) else 150)
    began, found = time.monotonic(), list[Row]()
    for room in page.ROOMS if wanted.only is None else (wanted.only,):
        rows: list[Row] = list(importlib.import_module(f"benchmarks.bench_{room}").rows(wanted.quick))
        console.print(_table(room, rows))
        found += [{"room": room, **row} for row in rows]
    spent = time.monotonic() - began
    missed = [row["name"] for row in found if met(row) is False]
    print(f"{len(found)} figures in {spent:.0f} s; missed targets: {', '.join(missed) or 'none'}")
    if missed and wanted.quick:
        print("targets are for the sizes of a full run; in a small one, starting up weighs more")
    stored = load(RESULTS)["rows"] if RESULTS.exists() else []
    for warning in regressions(found, stored):  # machines differ, so it is not an error
        print(f"warning: {warning}")
    if wanted.only is None and not wanted.quick:
        if missed:
            raise SystemExit(
                "not stored, because targets are missed: make the slow part faster, or replace the target, "
                "with the old one and the measured reason in benchmarks.page.REPLACED"
            )
        store(RESULTS, spent, rows=found)
        page.main()


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
