"""Charts of games and of the notebooks show the numbers that they get."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from catan_cp import LAYOUTS, InvalidArgument, play_games
from catan_cp.play import plot_games
from notebooks.charts import plot_counts, plot_curves, plot_spread

GAMES = play_games(LAYOUTS["base"].beginner_board, 4, seed=1)
COUNTS = {"no rules": 244_432_188_000, "optimal": 188_160, "blog": 96, "one": 1, "none": 0}


def words(ax):
    return [text.get_text() for text in ax.texts]


# Counts


def test_bars_on_log_axis():
    ax = plot_counts(COUNTS, label="terrains")
    assert [bar.get_width() for bar in ax.patches] == list(COUNTS.values())
    assert ax.get_xscale() == "log"
    assert words(ax) == ["244,432,188,000", "188,160", "96", "1", "0"]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(COUNTS)
    assert ax.get_xlabel() == "terrains"
    tops = [ax.transData.transform((1, bar.get_y()))[1] for bar in ax.patches]
    assert tops == sorted(tops, reverse=True), "the first is at the top"


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (1, "1"),
        (10**12, f"{10**12:,}"),
        (999_999_999_999_999_999_999, "999,999,999,999,999,999,999"),
        (10**21, "1.000 × 10$^{21}$"),
        (26139010876476821536882592098239806117376000, "2.614 × 10$^{43}$"),
        (10**99, "1.000 × 10$^{99}$"),
    ],
)
def test_numbers_end_within_picture(count, label):
    ax = plot_counts({"many": count, "some": 7})
    assert words(ax) == [label, "7"]
    ax.figure.canvas.draw()
    assert all(text.get_window_extent().x1 <= ax.figure.bbox.x1 for text in ax.texts)


# Curves


def test_curves_have_names_and_start():
    ax = plot_curves({"power 1": [0.3, 0.2, 0.1], "power 2": [0.3, 0.1]})
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [[0, 0.3], [1, 0.2], [2, 0.1]],
        [[0, 0.3], [1, 0.1]],
    ]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["power 1", "power 2"]
    assert ax.get_yscale() == "log"


# Spread


def test_spread_shows_quartiles_and_mean():
    numbers = [4.0, 1.0, 2.0, 10.0, 3.0]
    ax = plot_spread({"seat 1": numbers, "seat 2": [7.0]}, label="value")
    first, second = (dots.get_offsets() for dots in ax.collections if dots.get_gid() == "values")
    assert sorted(first[:, 1]) == sorted(numbers)
    assert np.abs(first[:, 0]).max() <= 0.31, "dots stay over their box"
    assert second.tolist()[0][1] == 7
    box = ax.patches[0]
    assert (box.get_y(), box.get_y() + box.get_height()) == (2, 4)
    assert set(ax.lines[0].get_ydata()) == {3}
    means = [dots.get_offsets()[0].tolist() for dots in ax.collections if dots.get_gid() == "mean"]
    assert means == [[0, 4], [1, 7]]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["seat 1", "seat 2"]


# All


@pytest.mark.parametrize(
    ("draw", "panels", "layout"),
    [(lambda ax: plot_games(GAMES, ax), 3, None), (lambda ax: plot_games(GAMES, ax), 3, "constrained")],
)
def test_charts_of_several_axes_replace_axes(draw, panels, layout):
    figure = Figure(figsize=(26, 9), layout=layout)
    beside, ax = figure.subplots(1, 2)
    part = draw(ax)
    assert part.figure is figure
    assert not ax.axison
    assert len(part.axes) == panels
    figure.draw_without_rendering()
    boxes = [one.get_tightbbox() for one in part.axes if one.axison]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not any(box.overlaps(beside.get_tightbbox()) for box in boxes)
    with pytest.raises(InvalidArgument, match="ax must be matplotlib axes, not 3"):
        draw(3)
