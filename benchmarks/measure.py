"""Measure figures: runs, targets, a table in Markdown, and the file of pyperf."""

import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any

import pyperf

Row = dict[str, Any]
"""A figure, with its comparison if it has one.

Keys: ``name``, ``unit``, ``values`` (of all runs, in units) and ``target``. The target is the minimum for
rates and ratios and the maximum for other units, or None. With a comparison: ``against`` (its name) and
``others`` (the values of its runs).
"""

_SCALES = {
    "s": ("second", 1.0),
    "s of CPU": ("second", 1.0),
    "ms": ("second", 0.001),
    "MiB": ("byte", float(1 << 20)),
}


def row(
    name: str,
    unit: str,
    values: Sequence[float],
    target: float | None = None,
    against: str | None = None,
    others: Sequence[float] = (),
) -> Row:
    """Return a row from the values of all runs and the values of its comparison."""
    record: Row = {"name": name, "unit": unit, "values": list(values), "target": target}
    return record if against is None else record | {"against": against, "others": list(others)}


def more_is_better(unit: str) -> bool:
    """Return True for a unit that is a rate or a ratio."""
    return unit.endswith("/s") or unit == "times"


def met(row: Row) -> bool | None:
    """Return True if the median of a row meets its target, and None for a row without a target."""
    median, target = statistics.median(row["values"]), row["target"]
    if target is None:
        return None
    return bool(median >= target if more_is_better(row["unit"]) else median <= target)


def ratio(row: Row) -> float:
    """Return the advantage of the library over the comparison as a factor."""
    median, other = statistics.median(row["values"]), statistics.median(row["others"])
    return float(median / other if more_is_better(row["unit"]) else other / median)


# Results


def suite(rows: Iterable[tuple[str, Row]]) -> pyperf.BenchmarkSuite:
    """Return the runs of rows and of their comparisons as benchmarks of pyperf.

    Rates become seconds per unit, and memory becomes bytes. Ratios and other units are left out.

    Args:
        rows: pairs of a topic and a row.
    """
    benchmarks = []
    for topic, row in rows:
        unit, scale = _SCALES.get(row["unit"], ("second", 1.0 if row["unit"].endswith("/s") else 0.0))
        if not scale:
            continue
        for kind, values in (("", row["values"]), (row.get("against"), row.get("others"))):
            if values:
                name = f"{topic}: {row['name']}" + (f" ({kind})" if kind else "")
                metadata = {"name": name, "unit": unit, "python_version": platform.python_version()}
                scaled = [1 / value if row["unit"].endswith("/s") else value * scale for value in values]
                run = pyperf.Run(scaled, metadata=metadata, collect_metadata=False)
                benchmarks.append(pyperf.Benchmark([run]))
    return pyperf.BenchmarkSuite(benchmarks)


def table(topic: str, rows: Iterable[Row]) -> str:
    """Return the lines of a topic for the table in ``docs/performance.md``."""
    lines = [f"| **{topic}** | | | | | |"]
    for row in rows:
        values, unit = row["values"], row["unit"]
        least, most = figure(min(values), unit), figure(max(values), unit)
        spread = "one run" if len(values) == 1 else f"{least} to {most}"
        bound = "at least" if more_is_better(unit) else "at most"
        mark = "met" if met(row) else "**missed**"
        target = "" if row["target"] is None else f"{bound} {figure(row['target'], unit)}, {mark}"
        against = times = ""
        if "against" in row:
            against = f"{row['against']}: {figure(statistics.median(row['others']), unit)}"
            times = short(ratio(row))
        cells = (row["name"], figure(statistics.median(values), unit), spread, target, against, times)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def figure(value: float, unit: str) -> str:
    """Format a value with its unit, short times in milliseconds."""
    if unit == "s" and value < 0.1:
        value, unit = 1000 * value, "ms"
    return f"{short(value)} {unit}".rstrip()


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
    return [amount / seconds for seconds in timed(runs, work, clock)]


def processor_seconds() -> float:
    """Return the processor time of this process and of its ended children, such as solvers."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def printed(program: str, *arguments: object, environment: Mapping[str, str] | None = None) -> list[float]:
    """Return the numbers that a Python program prints in a new process."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in result.stdout.split()]


def expect(count: int, results: Sized) -> None:
    """Check the number of solutions.

    Raises:
        AssertionError: there are more or fewer.
    """
    if len(results) != count:
        raise AssertionError(f"{len(results)} solutions instead of {count}")
