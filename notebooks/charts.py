"""Charts of the notebooks: counts as bars, numbers over steps as curves, and groups of numbers as dots."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from math import log10

import numpy as np
from matplotlib.axes import Axes

from catan_cp.draw.picture import PictureAxes, dress, legend, new_picture
from catan_cp.draw.style import default_settings, find_theme

_LOOK = find_theme("light")
_FULL = 21  # the maximum number of digits that a bar's label shows in full
_DIGIT = 0.08  # inches per digit, and the maximum per comma
_START = 0.3  # bars begin this many decades below 1, so that a bar of 1 is visible
_GOLDEN = 0.6180339887  # multiples of the golden section modulo 1 fill a width without clumps


def _axes(ax: Axes | None, height: float) -> Axes:
    if ax is not None:
        return ax
    return new_picture(7.0, height, _LOOK.background, laid_out=True).add_subplot(axes_class=PictureAxes)


@default_settings()
def plot_counts(
    counts: Mapping[str, int], ax: Axes | None = None, *, title: str | None = None, label: str | None = None
) -> Axes:
    """Plot whole numbers as bars on a logarithmic axis, each with its number at the end. 0 has no bar."""
    ax = _axes(ax, 0.6 + 0.36 * len(counts))
    rows = range(len(counts))
    ax.barh(rows, [float(count) for count in counts.values()], height=0.62, color=_LOOK.series[0], zorder=2)
    ax.set_xscale("log")
    width = 0.92 * ax.bbox.width / ax.figure.dpi  # the rest is for the names
    decades = 1.0
    for row, count in zip(rows, counts.values(), strict=True):
        power = len(str(count)) - 1
        number = f"{count:,}" if power < _FULL else f"{count / 10**power:.3f} × 10$^{{{power}}}$"
        words = ax.annotate(
            number, (max(count, 0.5), row), xytext=(5, 0), textcoords="offset points", va="center",
            fontsize=9.0, color=_LOOK.text,
        )  # fmt: skip
        words.set_in_layout(False)  # it fits inside the axes
        room = 1 - min(0.7, (_DIGIT * len(number.replace("$", "")) + 0.1) / width)
        decades = max(decades, (log10(count) + _START if count else 0.0) / room)
    ax.set_yticks(rows, [str(name) for name in counts])
    ax.set_ylim(len(counts) - 0.5, -0.5)
    ax.set_xlim(10**-_START, 10 ** min(decades - _START, 140.0))  # ticks beyond it still fit a float
    dress(ax, _LOOK, title, grid="x")
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(label or "")
    return ax


@default_settings()
def plot_curves(
    curves: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    label: str = "error",
) -> Axes:
    """Plot numbers over steps from step 0 on a logarithmic axis, as one line per name."""
    ax = _axes(ax, 3.6)
    for (name, curve), color in zip(curves.items(), cycle(_LOOK.series), strict=False):
        ax.plot(range(len(curve)), curve, color=color, linewidth=1.5, label=str(name))
    ax.set_yscale("log")
    dress(ax, _LOOK, title, grid="both")
    ax.set(xlabel="step", ylabel=label)
    if len(curves) > 1:
        legend(ax, _LOOK)
    return ax


@default_settings()
def plot_spread(
    groups: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    label: str | None = None,
) -> Axes:
    """Plot each group of numbers as dots over a box from the lower to the upper quartile.

    The line in a box is the median and the diamond the mean. Dots are spread sideways so that equal numbers
    are visible.
    """
    ax = _axes(ax, 3.6)
    for place, (values, color) in enumerate(zip(groups.values(), cycle(_LOOK.series), strict=False)):
        numbers = np.sort(np.asarray(values, dtype=float))
        low, middle, high = np.quantile(numbers, (0.25, 0.5, 0.75))
        ax.bar(place, high - low, bottom=low, width=0.66, color=(*color, 0.18), edgecolor=color, linewidth=1)
        ax.plot([place - 0.33, place + 0.33], [middle, middle], color=color, linewidth=2.2, zorder=3)
        aside = place + 0.6 * (np.arange(len(numbers)) * _GOLDEN % 1 - 0.5)
        size = min(14.0, max(2.0, 900 / len(numbers)))
        ax.scatter(aside, numbers, s=size, color=color, alpha=0.6, linewidths=0, zorder=2, gid="values")
        ax.scatter([place], [numbers.mean()], s=34, marker="D", color=_LOOK.text, zorder=4, gid="mean")
    ax.set_xticks(range(len(groups)), [str(name) for name in groups])
    ax.set_xlim(-0.6, len(groups) - 0.4)
    dress(ax, _LOOK, title, grid="y")
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel(label or "")
    return ax
