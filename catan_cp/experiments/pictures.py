"""The entropy article's two figures, drawn from the data of its experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from catan_cp.draw.style import Theme, find_theme
from catan_cp.entropy.search import NORMALIZATIONS
from catan_cp.experiments.swaps import KEPT, SkewPowers, SwapHypothesis, SwapPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure, SubFigure

SPANS = (5000, 2000, 100)
"""How many steps the three rows of the article's figure on skew powers show."""

_TITLES = {"all": "every swap kept", "improving": "only improving swaps kept"}
_QUARTERS = {
    "all": ("largest decreases", "second quarter", "third quarter", "largest increases"),
    "improving": ("largest decreases", "second quarter", "third quarter", "smallest decreases"),
}


def plot_swaps(
    points: Sequence[SwapPoint], ax: Axes | None = None, *, title: str | None = None, theme: str = "light"
) -> Axes:
    """Draw swaps as dots: the two terrains' normalised errors, coloured by the change of the error.

    Args:
        points: swaps of one run, for instance ``swap_hypothesis().of("all")``.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        theme: as in `plot_board`.
    """
    from catan_cp.draw.charts import chart_axes, dress

    look = find_theme(theme)
    ax = chart_axes(ax, 5.0, look)
    colors, label = _colors(points, look)
    _draw_dots(ax, points, colors, look)
    dress(ax, look, title)
    ax.set(xlim=_limits(points), ylim=_limits(points), aspect="equal")
    ax.set(xlabel="normalised error 1", ylabel="normalised error 2")
    bar = ax.figure.colorbar(colors, ax=ax, extend="both")
    _dress_bar(bar, label, look)
    return ax


def plot_swap_hypothesis(
    result: SwapHypothesis, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Draw the two normalised errors of each swap, by quarter of the change, for both runs.

    The article, on the swap hypothesis. Colour is the change of the mean squared error, or, where swaps
    only lower it, the decrease on a log scale. *ax* is as in `plot_gallery`, *theme* as in `plot_board`.
    """
    from catan_cp.draw.charts import dress, panels

    look = find_theme(theme)
    low, high = _limits(result.points)
    runs = [kept for kept in KEPT if result.of(kept)] or KEPT[:1]  # a run cut short may lack the second
    size = (12, 0.4 + 3.1 * len(runs))
    figure, grid = panels(ax, size, len(runs), 4, look, gaps=(0.2, 0.4), sharex=True, sharey=True)
    for axes, kept in zip(grid, runs, strict=True):
        colors, label = _colors(result.of(kept), look)
        for panel, part, name in zip(axes, result.quartiles(kept), _QUARTERS[kept], strict=True):
            _draw_dots(panel, part, colors, look)
            dress(panel, look, f"{name} ({len(part):,})")
            panel.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        axes[0].set_ylabel(f"{_TITLES[kept]}\nnormalised error 2")
        bar = figure.colorbar(colors, ax=axes, extend="both")
        _dress_bar(bar, f"{label} (r = {result.correlation(kept):.3f})", look)
    for panel in grid[-1]:
        panel.set_xlabel("normalised error 1")
    boards = len({p.board for p in result.points})
    title = f"Swap hypothesis: {boards} boards of {result.layout.name}, skew power 0, static"
    figure.suptitle(title, color=look.text)
    return figure


def plot_skew_powers(
    result: SkewPowers, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Draw the mean error over the steps, one line a skew power, one column a normalisation.

    The article, on skew powers: a log axis, and the first `SPANS` steps, row by row. *ax* is as in
    `plot_gallery`, *theme* as in `plot_board`.
    """
    from catan_cp.draw.charts import draw_lines, dress, panels

    look = find_theme(theme)
    names = [name for name in NORMALIZATIONS if any(run[0] == name for run in result.curves)]
    longest = max((len(curve) - 1 for curve in result.curves.values()), default=0)
    spans = sorted({min(span, longest) for span in SPANS}, reverse=True)
    room = {"edges": (0.8, 0.6, 1.2, 0.7), "gaps": (0.2, 0.8)}  # the key stands at the right
    size = (10, 1 + 2.8 * len(spans))
    figure, grid = panels(ax, size, len(spans), max(len(names), 1), look, sharey="row", **room)
    for axes, span in zip(grid, spans, strict=True):
        for panel, name in zip(axes, names, strict=False):
            curves = {
                _power_label(power): curve[: span + 1]
                for (run_name, power), curve in result.curves.items()
                if run_name == name
            }
            draw_lines(panel, curves, look)
            panel.set_yscale("log")
            dress(panel, look, f"{name}, {span:,} steps")
            panel.set_xlabel("step")
        axes[0].set_ylabel("mean error")
    handles, labels = grid[0][0].get_legend_handles_labels()
    words = figure.legend(
        handles, labels, title="skew power", loc="outside right center", frameon=False, labelcolor=look.text
    )
    words.get_title().set_color(look.text)
    figure.suptitle(f"Skew powers: {result.boards} boards of {result.layout.name}", color=look.text)
    return figure


def _draw_dots(ax: Axes, points: Sequence[SwapPoint], colors: ScalarMappable, theme: Theme) -> None:
    import numpy as np

    sign = -1 if _only_decreases(points) else 1
    ax.plot([0, 1], [0, 1], color=theme.text, linewidth=0.8, alpha=0.5)
    ax.scatter(
        [p.first_error for p in points],
        [p.second_error for p in points],
        c=colors.to_rgba(sign * np.array([p.change for p in points])),
        s=5,
        linewidths=0,
    )


def _limits(points: Sequence[SwapPoint]) -> tuple[float, float]:
    coordinates = [e for p in points for e in (p.first_error, p.second_error)]
    return min(coordinates, default=0.0) - 0.03, max(coordinates, default=1.0) + 0.03


def _only_decreases(points: Sequence[SwapPoint]) -> bool:
    return all(point.kept == "improving" for point in points)


def _colors(points: Sequence[SwapPoint], theme: Theme) -> tuple[ScalarMappable, str]:
    """The colours of one run. They end where two in a hundred points go beyond, or few would tell apart."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, LogNorm, TwoSlopeNorm

    sizes = sorted(abs(p.change) for p in points if p.change) or [1.0]
    low, high = sizes[len(sizes) // 50], sizes[-1 - len(sizes) // 50]
    if points and _only_decreases(points):
        norm = LogNorm(low, high if high > low else 2 * low)
        # On paper, dots without outlines need greys that do not end in white.
        greys = LinearSegmentedColormap.from_list("greys", theme.change[::-1])
        return ScalarMappable(norm, greys if theme.greys else theme.heat), "decrease of the error"
    change = LinearSegmentedColormap.from_list("change", theme.change)
    return ScalarMappable(TwoSlopeNorm(0.0, -high, high), change), "change of the error"


def _dress_bar(bar: object, label: str, theme: Theme) -> None:
    from matplotlib.colorbar import Colorbar

    assert isinstance(bar, Colorbar)
    bar.set_label(label, color=theme.text)
    bar.ax.tick_params(which="both", colors=theme.text)
    bar.outline.set_edgecolor(theme.text)


def _power_label(power: float) -> str:
    return "infinity" if math.isinf(power) else f"{power:g}"
