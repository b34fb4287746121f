"""What is said of speed is what was measured: rows, warnings, slopes, and the page made of them.

Nothing here measures anything: machines are as busy as they are.
"""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import billion, growth, page
from benchmarks.rows import GROWTH, RESULTS, WORSE, load, met, more_is_better, regressions, row
from catan_cp import unrank_board
from catan_cp.analysis.boards import evenness
from catan_cp.analysis.measures import MEASURES
from catan_cp.counting.boards import board_space

SPEED = st.floats(0.01, 1e6)


def in_room(found, room="study"):
    return {"room": room, **found}


# Rows


def test_a_row_has_median_spread_and_ratio():
    found = row("work", "s", [3.0, 1.0, 2.0], 2.5, "the old way", [8.0, 4.0])
    assert (found["median"], found["least"], found["most"], found["runs"]) == (2.0, 1.0, 3.0, 3)
    assert found["against_median"] == 6.0 and found["ratio"] == 3.0


@pytest.mark.parametrize(
    ("unit", "target", "is_met"),
    [
        *(("boards/s", 9, True), ("boards/s", 11, False), ("times", 9, True), ("times", 11, False)),
        *(("MiB", 11, True), ("MiB", 9, False), ("MiB", None, None)),
    ],
)
def test_more_is_better_for_rates_and_ratios_and_less_for_all_else(unit, target, is_met):
    found = row("work", unit, [10.0], target, "the old way", [5.0])
    assert met(found) is is_met
    assert found["ratio"] == (0.5 if unit == "MiB" else 2.0)


# What got worse


@given(SPEED, SPEED, st.floats(0.1, 10), st.sampled_from(["s", "boards/s", "MiB"]))
def test_a_slower_machine_is_no_regression_where_something_stands_beside_it(ours, others, slower, unit):
    before = in_room(row("work", unit, [ours], None, "the old way", [others]))
    now = in_room(row("work", unit, [ours * slower], None, "the old way", [others * slower]))
    assert regressions([now], [before]) == []


@given(SPEED, st.floats(1.01, 5), st.sampled_from(["s", "boards/s"]))
def test_a_ratio_that_got_worse_is_told(ours, factor, unit):
    worse = ours * factor if unit == "s" else ours / factor
    before = in_room(row("work", unit, [ours], None, "the old way", [1.0]))
    now = in_room(row("work", unit, [worse], None, "the old way", [1.0]))
    warnings = regressions([now], [before])
    if factor > WORSE * 1.001:
        assert len(warnings) == 1 and "study: work" in warnings[0]
    elif factor < WORSE * 0.999:
        assert warnings == []
    assert regressions([before], [now]) == [], "better is no regression"


MEMORY, WORK = row("memory", "MiB", [100.0]), row("work", "s", [1.0], None, "the plain tree", [1000.0])


@pytest.mark.parametrize(
    ("before", "now", "warnings"),
    [
        (MEMORY, in_room(row("memory", "MiB", [250.0])), 0),  # nothing stands beside it: more patience
        (MEMORY, in_room(row("memory", "MiB", [350.0])), 1),
        (row("two by one", "times", [1.6]), in_room(row("two by one", "times", [1.3])), 0),  # a ratio itself
        (row("two by one", "times", [1.6]), in_room(row("two by one", "times", [1.1])), 1),
        (WORK, in_room(row("work", "s", [1.0], None, "memo", [200.0])), 0),  # something else stands beside it
        (WORK, in_room(row("work", "s", [5.0])), 0),
        (MEMORY, in_room(row("memory", "MiB", [900.0]), room="solving"), 0),
        (MEMORY, in_room(row("other memory", "MiB", [900.0])), 0),
    ],
)
def test_rows_are_compared_with_those_that_they_can_be_compared_with(before, now, warnings):
    assert len(regressions([now], [in_room(before)])) == warnings


# How cost grows


@given(st.floats(-2, 3), st.floats(0.001, 100))
def test_the_slope_is_the_power_and_that_of_large_sizes(power, factor):
    points = [[n, factor * n**power, 0, 0] for n in (10, 100, 1000, 10_000)]
    assert growth.slope(points) == pytest.approx(power, abs=1e-6)
    points = [[n, 5.0 if n < 1000 else n / 200, 0, 0] for n in (10, 100, 1000, 10_000, 100_000)]
    assert growth.slope(points) == pytest.approx(1)


# The page


def test_the_page_says_what_was_measured():
    """If this fails, `python -m benchmarks.page` puts the stored figures on the page."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text, load(RESULTS), load(GROWTH)) == text


def test_no_target_is_missed_and_a_softer_one_is_told_with_the_old():
    text = page.PAGE.read_text(encoding="utf-8")
    results = load(RESULTS)
    assert len({(each["room"], each["name"]) for each in results["rows"]}) == len(results["rows"])
    assert [each["name"] for each in results["rows"] if met(each) is False] == []
    assert len(page.REPLACED) <= 3
    for each in results["rows"]:
        if each["name"] in page.REPLACED:
            old, _ = page.REPLACED[each["name"]]
            assert f"- **{each['name']}**" in text
            assert (old > each["target"]) == more_is_better(each["unit"])


def test_a_page_without_a_place_for_a_part_is_refused():
    with pytest.raises(ValueError, match="no place for run"):
        page.filled("# Performance\n", load(RESULTS), load(GROWTH))


@pytest.mark.parametrize("name", ["tiles", "players", "solutions", "boards"])
def test_the_pictures_can_be_drawn_anew(name, tmp_path):
    curves = load(GROWTH)
    drawn = page.draw(name, curves["pictures"][name], tmp_path)
    assert (page.PICTURES / drawn.name).exists()
    assert f"pictures/{drawn.name}" in page.PAGE.read_text(encoding="utf-8")
    assert drawn.stat().st_size > 10_000


@pytest.mark.parametrize("name", ["tiles", "players", "solutions", "boards"])
def test_every_growth_has_a_floor_measured_at_the_same_sizes(name):
    curves = load(GROWTH)["pictures"][name]
    measured = [curve for curve in curves if not curve["floor"]]
    floors = [curve for curve in curves if curve["floor"]]
    assert measured and floors
    for curve in floors:
        assert [point[0] for point in curve["points"]] == [point[0] for point in measured[0]["points"]]
        assert curve["slope"] == pytest.approx(growth.slope(curve["points"]))


# Sums of many boards


def test_sums_are_those_of_the_boards_in_any_order():
    parts = [billion.summed("tournament", "base", seed, 15) for seed in (1, 2, 3)]
    assert billion.added(parts)[:5] == billion.added(reversed(parts))[:5]
    one, space = parts[0], board_space("tournament", "base")
    source = random.Random(1)
    told = [evenness(board) for board in space.boards([source.randrange(space.total) for _ in range(15)])]
    values = [[MEASURES[name].of(each) for each in told] for name in billion.MEASURES]
    assert one.totals == pytest.approx([sum(row) for row in values])
    assert one.squares == pytest.approx([sum(value**2 for value in row) for row in values])
    assert one.most == Counter(each.vertex_pips.most for each in told)
    spread, number = billion.added(parts).best[0]
    assert evenness(unrank_board(number, "tournament")).vertex_pips.spread == pytest.approx(spread)
