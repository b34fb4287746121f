"""Benchmarks: rows, targets, the table of the page, and the stored runs.

Nothing is measured.
"""

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import billion
from benchmarks.__main__ import TOPICS
from benchmarks.measure import met, ratio, row, suite, table
from catan_cp import Problem, unrank_board
from catan_cp.analysis.boards import evenness
from catan_cp.analysis.measures import MEASURES
from catan_cp.counting.boards import board_space

ROOT = Path(__file__).parents[1]


def test_columns_of_table():
    measured = row("work", "s", [3.0, 1.0, 2.0], 2.5, "the old way", [8.0, 4.0])
    assert ratio(measured) == 3
    assert table("topic", [measured]).splitlines() == [
        "| **topic** | | | | | |",
        "| work | 2 s | 1 s to 3 s | at most 2.5 s, met | the old way: 6 s | 3 |",
    ]
    assert "at least 9 boards/s, **missed** |" in table("topic", [row("work", "boards/s", [8.0], 9)])


@pytest.mark.parametrize(
    ("unit", "target", "is_met"),
    [
        *(("boards/s", 9, True), ("boards/s", 11, False), ("times", 9, True), ("times", 11, False)),
        *(("MiB", 11, True), ("MiB", 9, False), ("MiB", None, None)),
    ],
)
def test_larger_rates_are_better(unit, target, is_met):
    measured = row("work", unit, [10.0], target, "the old way", [5.0])
    assert met(measured) is is_met
    assert ratio(measured) == (0.5 if unit == "MiB" else 2.0)


def test_pyperf_gets_seconds_and_bytes(tmp_path):
    rows = [
        row("rate", "boards/s", [4.0], None, "other", [2.0]),
        row("memory", "MiB", [2.0]),
        row("x", "times", [3]),
    ]
    suite(("topic", one) for one in rows).dump(str(tmp_path / "new.json"))
    stored = pytest.importorskip("pyperf").BenchmarkSuite.load(str(tmp_path / "new.json"))
    assert {one.get_name(): (one.get_unit(), one.get_values()) for one in stored} == {
        "topic: rate": ("second", (0.25,)),
        "topic: rate (other)": ("second", (0.5,)),
        "topic: memory": ("byte", (2 << 20,)),
    }


def test_table_has_stored_rows():
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    assert "**missed**" not in page
    topics = dict(re.findall(r"(?s)\| \*\*([^*]+)\*\* \| \| \| \| \| \|\n(.*?)(?=\n\| \*\*|\n\n)", page))
    assert set(topics) == set(TOPICS.values())
    pyperf = pytest.importorskip("pyperf")
    for stored in pyperf.BenchmarkSuite.load(str(ROOT / "benchmarks/results.json")):
        topic, _, name = stored.get_name().partition(": ")
        rows = topics[TOPICS[topic]]
        assert f"| {name} |" in rows or f"| {name.rpartition(' (')[0]} |" in rows


# Sums of many boards


def test_sums_in_any_order():
    parts = [billion.summed("tournament", "base", seed, 15) for seed in (1, 2, 3)]
    assert billion.added(parts)[:5] == billion.added(reversed(parts))[:5]
    one, space = parts[0], board_space(Problem.of("tournament", "base"))
    source = random.Random(1)
    measured = [evenness(board) for board in space.boards([source.randrange(space.total) for _ in range(15)])]
    values = [[MEASURES[name].of(evenness_) for evenness_ in measured] for name in billion.MEASURES]
    assert one.totals == pytest.approx([sum(row) for row in values])
    assert one.squares == pytest.approx([sum(value**2 for value in row) for row in values])
    assert one.most == Counter(evenness_.vertex_pips.most for evenness_ in measured)
    spread, number = billion.added(parts).best[0]
    assert evenness(unrank_board(number, "tournament")).vertex_pips.spread == pytest.approx(spread)
