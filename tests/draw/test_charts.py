"""Charts of games and of the notebooks show the numbers that they get."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from catan_cp import LAYOUTS, InvalidArgument, play_games
from catan_cp.play import plot_games
from notebooks.charts import plot_counts, plot_curves, plot_spread


def words(texts):
    return [text.get_text() for text in texts]


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (0, "0"),
        (10**12, f"{10**12:,}"),
        (999_999_999_999_999_999_999, "999,999,999,999,999,999,999"),
        (10**21, "1.000 × 10$^{21}$"),
        (26139010876476821536882592098239806117376000, "2.614 × 10$^{43}$"),
        (10**99, "1.000 × 10$^{99}$"),
    ],
)
def test_bars_on_log_axis(count, label):
    ax = plot_counts({"many": count, "some": 7}, label="terrains")
    assert words(ax.texts) == [label, "7"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([count, 7])
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "terrains")
    assert words(ax.get_yticklabels()) == ["many", "some"]
    ax.figure.canvas.draw()
    first, second = (ax.transData.transform((1, bar.get_y()))[1] for bar in ax.patches)
    assert first > second, "the first is at the top"
    assert all(text.get_window_extent().x1 <= ax.figure.bbox.x1 for text in ax.texts)


def test_curves_have_names_and_start():
    ax = plot_curves({"power 1": [0.3, 0.2, 0.1], "power 2": [0.3, 0.1]})
    first, second = (line.get_xydata().tolist() for line in ax.lines)
    assert first == [[0, 0.3], [1, 0.2], [2, 0.1]] and second == [[0, 0.3], [1, 0.1]]
    assert words(ax.get_legend().get_texts()) == ["power 1", "power 2"]
    assert ax.get_yscale() == "log"


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
    assert words(ax.get_xticklabels()) == ["seat 1", "seat 2"]


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_chart_of_games_replaces_axes(layout):
    figure = Figure(figsize=(26, 9), layout=layout)
    beside, ax = figure.subplots(1, 2)
    part = plot_games(play_games(LAYOUTS["base"].beginner_board, 4, seed=1), ax)
    assert part.figure is figure and not ax.axison
    assert len(part.axes) == 3
    assert not any(one.spines[side].get_visible() for one in part.axes for side in ("top", "right"))
    figure.draw_without_rendering()
    boxes = [beside.get_tightbbox(), *(one.get_tightbbox() for one in part.axes if one.axison)]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    with pytest.raises(InvalidArgument, match="ax must be matplotlib axes, not 3"):
        plot_games(play_games(LAYOUTS["base"].beginner_board, 1, seed=1), 3)
