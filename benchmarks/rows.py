"""Rows of the table of figures: their runs, targets, regressions and files."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""A figure, with its comparison if it has one.

Keys: ``name``, ``unit``, ``median``, ``least`` and ``most`` of the runs (in units), ``runs`` (their
number) and ``target``. The target is the minimum for rates and ratios and the maximum for other
units, or None. With a comparison: ``against`` (its name), ``against_median`` (in the same unit) and ``ratio``
(the library's advantage as a factor).
"""

RESULTS = Path(__file__).with_name("results.json")
"""The rows of the table."""

GROWTH = Path(__file__).with_name("growth.json")
"""The curves of the pictures."""

WORSE = 1.3
"""Factor by which a ratio must be worse than the stored one to be reported."""

MUCH_WORSE = 3.0
"""The same factor for figures without a comparison, which differ between machines."""


def row(
    name: str,
    unit: str,
    values: Sequence[float],
    target: float | None = None,
    against: str | None = None,
    others: Sequence[float] = (),
) -> Row:
    """Return a row from the values of all runs and the values of its comparison."""
    median = statistics.median(values)
    figures = {"median": median, "least": min(values), "most": max(values), "runs": len(values)}
    made: Row = {"name": name, "unit": unit, **figures, "target": target}
    if against is not None:
        other = statistics.median(others)
        ratio = median / other if more_is_better(unit) else other / median
        made |= {"against": against, "against_median": other, "ratio": ratio}
    return made


def more_is_better(unit: str) -> bool:
    """Return True for a unit that is a rate or a ratio."""
    return unit.endswith("/s") or unit == "times"


def met(found: Row) -> bool | None:
    """Return True if a row meets its target, and None for a row without a target."""
    target = found["target"]
    if target is None:
        return None
    return bool(found["median"] >= target if more_is_better(found["unit"]) else found["median"] <= target)


def regressions(now: Sequence[Row], stored: Sequence[Row]) -> list[str]:
    """Return a sentence for each row that is worse than the stored row of its topic and name.

    Ratios are compared because they are measured on one machine in one run. Figures without a ratio have a
    wider margin. Rows that only one of the two runs has, or with different comparisons, are left out.
    """
    before = {(each["room"], each["name"]): each for each in stored}
    found = []
    for each in now:
        old = before.get((each["room"], each["name"]))
        if old is None or each.get("against") != old.get("against"):
            continue
        what = "ratio" if "ratio" in each else "median"
        here, there = each[what], old[what]
        times = there / here if what == "ratio" or more_is_better(each["unit"]) else here / there
        patience = WORSE if what == "ratio" or each["unit"] == "times" else MUCH_WORSE
        if times > patience:
            found.append(
                f"{each['room']}: {each['name']} is {times:.1f} times worse than stored "
                f"({what} {short(here)}, stored {short(there)})"
            )
    return found


def short(number: float) -> str:
    """Format a number with three digits, and a large one as an integer."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


# Runs


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that *work* takes."""
    began = clock()
    work()
    return clock() - began


def timed(
    runs: int, work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Return the seconds of each of some runs."""
    return [seconds(work, clock) for _ in range(runs)]


def rates(
    runs: int, amount: float, work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Return the units per second of each run, if *work* does *amount* of them."""
    return [amount / each for each in timed(runs, work, clock)]


def processor_seconds() -> float:
    """Return the processor time of this process and of its ended children, such as solvers."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def printed(program: str, *arguments: object, environment: Mapping[str, str] | None = None) -> list[float]:
    """Return the numbers that a Python program prints in a new process."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def expect(count: int, found: Sized) -> None:
    """Check the number of solutions.

    Raises:
        AssertionError: there are more or fewer.
    """
    if len(found) != count:
        raise AssertionError(f"{len(found)} solutions instead of {count}")


# Stored figures


def store(path: Path, spent: float, **found: Any) -> None:
    """Write the results of a run and its duration in seconds."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    result = {"on": machine, "seconds": round(spent), **found}
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"written: {path}")


def load(path: Path) -> dict[str, Any]:
    """Return the stored results of the last full run."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result
