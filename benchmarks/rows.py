"""Rows of the table: what a figure is, whether it meets its target, and whether it got worse."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

Row = dict[str, Any]
"""A figure.

``name``; ``unit``; ``median``, ``least`` and ``most`` of the runs, in units; ``runs``, how many; ``target``
(at least, for rates and ratios; at most, for all else), or None; and where there is something to compare
with, ``against``, ``against_median`` in the same unit, and ``ratio``, how many times better ours is.
"""

WORSE = 1.3
"""How many times worse a ratio must be than the stored one before anybody is told."""

MUCH_WORSE = 3.0
"""The same for figures with nothing beside them, which differ between machines."""


def row(
    name: str,
    unit: str,
    values: Sequence[float],
    target: float | None = None,
    against: str | None = None,
    others: Sequence[float] = (),
) -> Row:
    """Make a row of the values of all runs, and of the values of what it is compared with."""
    median = statistics.median(values)
    made: Row = {
        "name": name,
        "unit": unit,
        "median": median,
        "least": min(values),
        "most": max(values),
        "runs": len(values),
        "target": target,
    }
    if against is not None:
        other = statistics.median(others)
        ratio = median / other if more_is_better(unit) else other / median
        made |= {"against": against, "against_median": other, "ratio": ratio}
    return made


def more_is_better(unit: str) -> bool:
    """Return whether a figure in this unit is a rate or a ratio."""
    return unit.endswith("/s") or unit == "times"


def met(found: Row) -> bool | None:
    """Return whether a row meets its target; None where it has none."""
    target = found["target"]
    if target is None:
        return None
    return bool(found["median"] >= target if more_is_better(found["unit"]) else found["median"] <= target)


def regressions(now: Sequence[Row], stored: Sequence[Row]) -> list[str]:
    """Return a sentence for each row that is worse than the stored row of its room and name.

    Ratios are compared, for they are measured on one machine in one run. Figures without one are compared
    with more patience. Rows that only one of the two runs has, or compares with something else, are left out.
    """
    before = {(each["room"], each["name"]): each for each in stored}
    found = []
    for each in now:
        old = before.get((each["room"], each["name"]))
        if old is None or each.get("against") != old.get("against"):
            continue
        what, better, patience = "median", more_is_better(each["unit"]), MUCH_WORSE
        if "ratio" in each:
            what, better = "ratio", True
        if "ratio" in each or each["unit"] == "times":
            patience = WORSE
        here, there = each[what], old[what]
        times = there / here if better else here / there
        if times > patience:
            found.append(
                f"{each['room']}: {each['name']} is {times:.1f} times worse than stored "
                f"({what} {short(here)}, stored {short(there)})"
            )
    return found


def short(number: float) -> str:
    """Write a number with three digits, and large ones whole."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


# Runs


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how long *work* takes."""
    began = clock()
    work()
    return clock() - began


def timed(
    runs: int, work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Return the seconds of each of some runs."""
    return [seconds(work, clock) for _ in range(runs)]


def rates(runs: int, amount: int, work: Callable[[], object]) -> list[float]:
    """Return how many units a second *work*, which does *amount* of them, does in each of some runs."""
    return [amount / each for each in timed(runs, work)]
