"""The article's two figures, drawn from the data of its experiments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from catan_cp.entropy.checks import NORMALIZATIONS
from catan_cp.entropy.hypothesis import KEPT, SwapHypothesis, SwapPoint
from catan_cp.entropy.skew_powers import SkewPowers

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

SPANS = (5000, 2000, 100)
"""How many steps the three rows of the article's figure on skew powers show."""

_TITLES = {"all": "every swap kept", "improving": "only improving swaps kept"}
_QUARTERS = {
    "all": ("largest decreases", "second quarter", "third quarter", "largest increases"),
    "improving": ("largest decreases", "second quarter", "third quarter", "smallest decreases"),
}


def plot_swap_hypothesis(result: SwapHypothesis) -> Figure:
    """Draw the two normalised errors of each swap, by quarter of the change, for both runs.

    The article, on the swap hypothesis. Colour is the change of the mean squared error, or, where swaps
    only lower it, the decrease on a log scale. Save the picture with ``figure.savefig(path)``.
    """
    import numpy as np
    from matplotlib.figure import Figure

    coordinates = [e for p in result.points for e in (p.first_error, p.second_error)]
    low, high = min(coordinates, default=0.0) - 0.03, max(coordinates, default=1.0) + 0.03
    runs = [kept for kept in KEPT if result.of(kept)] or KEPT[:1]  # a run cut short may lack the second
    figure = Figure(figsize=(14, 0.4 + 3.5 * len(runs)), layout="constrained")
    grid = figure.subplots(len(runs), 4, sharex=True, sharey=True, squeeze=False)
    for axes, kept in zip(grid, runs, strict=True):
        colors, label = _colors(kept, result.of(kept))
        sign = -1 if kept == "improving" else 1
        for ax, part, name in zip(axes, result.quartiles(kept), _QUARTERS[kept], strict=True):
            ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
            ax.scatter(
                [p.first_error for p in part],
                [p.second_error for p in part],
                c=colors.to_rgba(sign * np.array([p.change for p in part])),
                s=5,
                linewidths=0,
            )
            ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
            ax.set_title(f"{name} ({len(part)})", fontsize=9)
        axes[0].set_ylabel(f"{_TITLES[kept]}\nnormalised error 2")
        bar = figure.colorbar(colors, ax=axes.tolist(), extend="both")
        bar.set_label(f"{label} (r = {result.correlation(kept):.3f})")
    for ax in grid[-1]:
        ax.set_xlabel("normalised error 1")
    boards = len({p.board for p in result.points})
    figure.suptitle(f"Swap hypothesis: {boards} boards of {result.layout.name}, skew power 0, static")
    return figure


def _colors(kept: str, points: list[SwapPoint]) -> tuple[ScalarMappable, str]:
    """The colours of one run. They end where two in a hundred points go beyond, or few would tell apart."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, TwoSlopeNorm

    sizes = sorted(abs(p.change) for p in points if p.change) or [1.0]
    low, high = sizes[len(sizes) // 50], sizes[-1 - len(sizes) // 50]
    if kept == "improving":
        return ScalarMappable(
            LogNorm(low, high if high > low else 2 * low), "viridis_r"
        ), "decrease of the error"
    return ScalarMappable(TwoSlopeNorm(0.0, -high, high), "coolwarm"), "change of the error"


def plot_skew_powers(result: SkewPowers) -> Figure:
    """Draw the mean error over the steps, one line a skew power, one column a normalisation.

    The article, on skew powers: a log axis, and the first `SPANS` steps, row by row.
    """
    from matplotlib.figure import Figure

    names = [name for name in NORMALIZATIONS if any(run[0] == name for run in result.curves)]
    longest = max((len(curve) - 1 for curve in result.curves.values()), default=0)
    spans = sorted({min(span, longest) for span in SPANS}, reverse=True)
    figure = Figure(figsize=(12, 1 + 3.6 * len(spans)), layout="constrained")
    grid = figure.subplots(len(spans), max(len(names), 1), sharey="row", squeeze=False)
    for axes, span in zip(grid, spans, strict=True):
        for ax, name in zip(axes, names, strict=False):
            for (run_name, power), curve in result.curves.items():
                if run_name == name:
                    ax.plot(curve[: span + 1], label=_power_label(power), linewidth=1.3)
            ax.set_yscale("log")
            ax.set_title(f"{name}, {span:,} steps", fontsize=10)
            ax.set_xlabel("step")
            ax.grid(alpha=0.3, which="both")
        axes[0].set_ylabel("mean error")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, title="skew power", loc="outside right center")
    figure.suptitle(f"Skew powers: {result.boards} boards of {result.layout.name}")
    return figure


def _power_label(power: float) -> str:
    return "infinity" if math.isinf(power) else f"{power:g}"
