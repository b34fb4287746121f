"""Studies described and compared: confidence intervals, exact means, pictures."""

import json
import random
import statistics
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from catan_cp import InvalidArgument, Store, compare_studies
from catan_cp.studies import describe_study
from catan_cp.studies.comparing import plot_comparison, plot_top  # pictures of two commands, drawn alone
from tests.stored import make, random_boards, score

MEASURE = "vertex_pips_spread"


class Drawn(Store):
    """A store with other values of each measure."""

    def __init__(self, path, values=()):
        super().__init__(path)
        self.values, self.state = [*values], super().study()

    def study(self, name=None):
        return self.state

    def columns(self, names, study=None):
        return dict.fromkeys(names, self.values)


# Intervals


@pytest.mark.parametrize(
    ("boards", "t"),
    [  # the two-sided column for 95 % of the tables in the textbooks
        *((2, 12.706205), (3, 4.302653), (4, 3.182446), (10, 2.262157), (31, 2.042272), (121, 1.979930)),
        (10**6, 1.959964),
    ],
)
def test_margins_follow_students_t(whole, boards, t):
    with Drawn(whole, range(boards)) as store:
        one = describe_study(store, MEASURE).measures[MEASURE]
    assert one.margin == pytest.approx(t * one.spread / boards**0.5, rel=3e-6)


def test_margin_of_difference_is_welchs(whole):
    """Equal spreads have the freedom of both studies together, here 10."""
    with Drawn(whole, range(6)) as first, Drawn(whole, range(4, 10)) as second:
        (contrast,) = compare_studies(first, second, MEASURE).contrasts
    assert contrast.difference == -4 and contrast.error == pytest.approx((2 * 3.5 / 6) ** 0.5)
    assert contrast.margin == pytest.approx(2.228139 * contrast.error, rel=3e-6)


def test_one_board_has_no_spread(whole):
    with Drawn(whole, [3]) as first, Drawn(whole, [5]) as second:
        (contrast,) = compare_studies(first, second, MEASURE).contrasts
        one = describe_study(first, MEASURE).measures[MEASURE]
    assert contrast.difference == -2
    assert (contrast.error, contrast.margin, contrast.clear) == (None, None, False)
    assert (one.margin, one.spread) == (None, None) and one.cells()[2:4] == ("-", "-")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A store of many boards, and the values of a measure, of which few are drawn."""
    path = tmp_path_factory.mktemp("many") / "many.db"
    score(path, random_boards(600, seed=1), chunk=200)
    with Store(path) as store:
        return path, store.column(MEASURE)


@pytest.mark.parametrize(("boards", "least", "most"), [(2, 0.0, 0.05), (8, 0.03, 0.07)])
def test_intervals_hold_mean(many, boards, least, most):
    """At two boards each, two standard errors with n below called 27 of 100 differences clear."""
    (path, values), rng, clear, held = many, random.Random(1), [], []
    mean = np.mean(values)
    with Drawn(path) as first, Drawn(path) as second:
        for _ in range(600):
            drawn = rng.sample(values, 2 * boards)
            first.values, second.values = drawn[:boards], drawn[boards:]
            clear.append(compare_studies(first, second, MEASURE).contrasts[0].clear)
            one = describe_study(first, MEASURE).measures[MEASURE]
            held.append(abs(one.mean - mean) <= one.margin)
    assert least <= np.mean(clear) <= most and 0.93 <= np.mean(held) <= 0.98


def test_means_of_uniform_samples_have_intervals(tmp_path):
    """The exact mean over all boards is inside.

    A solver's boards and given ones make no such claim.
    """
    drawn, stored = tmp_path / "open.db", tmp_path / "given.db"
    make(drawn, 300, rules="open", seed=4, chunk=200)
    comparison = describe_study(drawn, "vertex_pips_mean, value_spread")
    assert comparison.uniform and comparison.name == "study"
    assert "study: sampled uniformly, so mean ± margin holds the mean of all boards" in str(comparison)
    with Store(drawn) as store:
        layout, column = store.board(1).layout, store.column("value_spread")
    inland = [v for v, tiles in enumerate(layout.vertex_tiles) if len(tiles) == 3]
    exact = sum(58 * len(layout.vertex_tiles[v]) / layout.n_tiles for v in inland) / len(inland)
    pips, spread = comparison.measures["vertex_pips_mean"], comparison.measures["value_spread"]
    assert pips.boards == 300 and 0 < pips.margin < 0.2 and abs(pips.mean - exact) < pips.margin
    assert spread.margin == pytest.approx(1.967930 * statistics.stdev(column) / 300**0.5)
    assert json.loads(comparison.to_json())["measures"]["value_spread"]["boards"] == 300
    score(stored, random_boards(20, seed=1))
    assert not describe_study(stored).uniform
    assert "not sampled uniformly" in str(describe_study(stored))
    assert compare_studies(drawn, stored, "value_spread").uniform == (True, False)


# Two studies


@pytest.fixture(scope="module")
def two(tmp_path_factory, whole):
    """Two stores: boards that the tournament rules allow, and any boards."""
    path = tmp_path_factory.mktemp("two") / "even.db"
    make(path)
    return path, whole


def test_two_studies_compared(two):
    comparison = compare_studies(*two)
    assert comparison.names == ("even", "study")
    first = [contrast.measure for contrast in comparison.contrasts[:3]]
    assert first == ["value_spread", "first_seat_advantage", "efficiency_error"]
    with Store(two[0]) as a, Store(two[1]) as b:
        for contrast in comparison.contrasts:
            even, other = a.column(contrast.measure), b.column(contrast.measure)
            assert contrast.first.mean == pytest.approx(statistics.fmean(even))
            assert contrast.second.spread == pytest.approx(statistics.stdev(other))
            assert (contrast.first.least, contrast.first.most) == (min(even), max(even))
            assert contrast.second.median == pytest.approx(statistics.median(other))
            assert sum(contrast.first.shares) == pytest.approx(1)
            less = sum((x < y - 1e-9) + (abs(x - y) <= 1e-9) / 2 for x in even for y in other)
            assert contrast.first_is_less == pytest.approx(less / len(even) / len(other))
    table = comparison.table()
    assert "vertex pips most: even has " in table and "less than study, which is better" in table
    assert json.loads(comparison.to_json())["names"] == ["even", "study"]


def test_study_equals_itself(two):
    comparison = compare_studies(two[0], two[0], "value_spread")
    (contrast,) = comparison.contrasts
    assert contrast.difference == 0 and contrast.first_is_less == 0.5 and not contrast.clear
    assert "no clear difference between even and even again" in str(comparison)


def test_comparisons_that_cannot_be(two, tmp_path):
    for argument, by, words in (
        (two[1], "fairness", "unknown criterion 'fairness'"),
        (two[1], "value_6", "has value_6"),
        (tmp_path / "missing.db", "value_spread", "there is no store"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            compare_studies(two[0], argument, by)


def test_comparison_drawn(two):
    comparison = compare_studies(*two)
    figure = plot_comparison(comparison)
    titles = [ax.get_title() for ax in figure.axes if ax.get_visible()]
    assert titles[0] == "Value spread" and len(titles) == 6
    key = [text.get_text() for text in figure.legends[0].get_texts()]
    assert key == ["even (30 boards)", "study (60 boards)"]
    figure.draw_without_rendering()  # which gives everything its place
    captions = [ax.xaxis.label.get_window_extent() for ax in figure.axes if ax.get_visible()]
    for left, right in pairwise(captions[:3]):
        assert captions[0].x0 >= 0 and left.x1 < right.x0 and captions[2].x1 <= figure.bbox.width
    page = Figure(figsize=(16, 8), layout="constrained")
    part = plot_comparison(comparison, page.subplots(1, 2)[1], theme="print")
    assert (part.figure, [ax.get_title() for ax in part.axes if ax.get_visible()]) == (page, titles)
    with pytest.raises(InvalidArgument, match="compare_studies"):
        plot_comparison(two)


def test_gallery_of_best(two, tmp_path):
    by = "value_spread, -efficiency_error"
    with Store(two[0]) as store:
        rows, figure = store.top(by, 5), plot_top(store, by, 5)
        part = plot_top(store, "value_spread", 5, ax=Figure(figsize=(12, 9)).add_axes((0, 0, 1, 1)))
    assert len(part.axes) == 5
    captions = [ax.get_title().split("\n") for ax in figure.axes]
    assert [caption[0] for caption in captions] == [f"board {row['board']}" for row in rows]
    assert ["".join(caption[3:]) for caption in captions] == [row["notation"] for row in rows]
    score(tmp_path / "none.db", [])
    with Store(tmp_path / "none.db") as store, pytest.raises(InvalidArgument, match="no boards yet"):
        plot_top(store)
