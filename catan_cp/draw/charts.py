"""Charts of numbers in the themes of boards: counts, curves, and groups of values."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from math import log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from catan_cp.draw import picture as pictures
from catan_cp.draw.style import Theme, default_settings, find_theme
from catan_cp.errors import InvalidArgument, check_count, real_number, show

WIDTH = 7.0
"""Width of a chart in inches."""

FULL = 21
"""Maximum number of digits that a bar's label shows in full."""

MOST = 100
"""Maximum number of digits of a number in a chart."""

_TEXT = 9.0  # points
_DIGIT = 0.08  # inches per digit, and the maximum per comma
_DASHES = ("-", "--", ":", "-.")
_START = 0.3  # bars begin this many decades below 1, so that a bar of 1 is visible
_LEFT, _RIGHT, _BELOW, _ABOVE = 0.8, 0.2, 0.6, 0.7  # inches for text around panels
_BESIDE, _BETWEEN = 0.7, 0.8  # inches between columns and between rows of panels
_GOLDEN = 0.6180339887  # multiples of the golden section modulo 1 fill a width without clumps


@default_settings()
def plot_counts(
    counts: Mapping[str, int],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    label: str | None = None,
    theme: str = "light",
) -> Axes:
    """Plot whole numbers as bars on a logarithmic axis, each with its number at the end.

    Numbers of up to `FULL` digits are written in full, longer numbers are rounded.

    Args:
        counts: whole numbers from 0 with up to `MOST` digits, by name. The first is at the top. 0 has no bar.
        ax: the axes to plot on, by default those of a new figure.
        title: a line above the chart.
        label: the text below the axis.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: *counts* is empty, or a count is not a whole number from 0 or has too many digits.
    """
    look = find_theme(theme)
    if not isinstance(counts, Mapping) or not counts:
        raise InvalidArgument(f"counts must map names to whole numbers, not {show(counts)}")
    for name, count in counts.items():
        if check_count(f"the count of {show(name)}", count) >= 10**MOST:
            raise InvalidArgument(f"the count of {show(name)} has more than the {MOST} digits of a chart")
    ax = chart_axes(ax, 0.6 + 0.36 * len(counts), look)
    rows = range(len(counts))
    ax.barh(rows, [float(count) for count in counts.values()], height=0.62, color=look.series[0], zorder=2)
    ax.set_xscale("log")
    width = 0.92 * ax.bbox.width / ax.figure.dpi  # the rest is for the names
    decades = 1.0
    for row, count in zip(rows, counts.values(), strict=True):
        power = len(str(count)) - 1
        number = f"{count:,}" if power < FULL else f"{count / 10**power:.3f} × 10$^{{{power}}}$"
        words = ax.annotate(
            number, (max(count, 0.5), row), xytext=(5, 0), textcoords="offset points", va="center",
            fontsize=_TEXT, color=look.text,
        )  # fmt: skip
        words.set_in_layout(False)  # it fits inside the axes
        room = 1 - min(0.7, (_DIGIT * len(number.replace("$", "")) + 0.1) / width)
        decades = max(decades, (log10(count) + _START if count else 0.0) / room)
    ax.set_yticks(rows, [str(name) for name in counts])
    ax.set_ylim(len(counts) - 0.5, -0.5)
    ax.set_xlim(10**-_START, 10 ** min(decades - _START, 140.0))  # ticks beyond it still fit a float
    dress(ax, look, title, grid="x")
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
    log: bool = True,
    theme: str = "light",
) -> Axes:
    """Plot numbers over steps as one line per name.

    An example of *curves* is ``{"power 1": improve_evenness(...).errors}``.

    Args:
        curves: the numbers of each step from step 0, by name.
        ax: the axes to plot on, by default those of a new figure.
        title: a line above the chart.
        label: the text beside the axis.
        log: True for a logarithmic axis.
        theme: as in `plot_board`. In the print theme lines also differ by their dashes.

    Raises:
        InvalidArgument: *curves* or one of them is empty.
    """
    look = find_theme(theme)
    _check_numbers("curves", curves)
    ax = chart_axes(ax, 3.6, look)
    dashes = cycle(_DASHES if look.greys else _DASHES[:1])
    for (name, curve), color, dash in zip(curves.items(), cycle(look.series), dashes, strict=False):
        ax.plot(range(len(curve)), curve, color=color, linestyle=dash, linewidth=1.5, label=str(name))
    if log:
        ax.set_yscale("log")
    dress(ax, look, title, grid="both")
    ax.set(xlabel="step", ylabel=label)
    if len(curves) > 1:
        legend(ax, look)
    return ax


@default_settings()
def plot_spread(
    groups: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    label: str | None = None,
    theme: str = "light",
) -> Axes:
    """Plot each group of numbers as dots over a box from the lower to the upper quartile.

    The line in a box is the median and the diamond the mean. Dots are spread sideways so that equal numbers
    are visible.

    Args:
        groups: the numbers of each group, by name.
        ax: the axes to plot on, by default those of a new figure.
        title: a line above the chart.
        label: the text beside the axis.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: *groups* or a group is empty, or a number is not finite.
    """
    look = find_theme(theme)
    _check_numbers("groups", groups)
    ax = chart_axes(ax, 3.6, look)
    for place, (values, color) in enumerate(zip(groups.values(), cycle(look.series), strict=False)):
        numbers = np.sort(np.asarray(values, dtype=float))
        low, middle, high = np.quantile(numbers, (0.25, 0.5, 0.75))
        ax.bar(place, high - low, bottom=low, width=0.66, color=(*color, 0.18), edgecolor=color, linewidth=1)
        ax.plot([place - 0.33, place + 0.33], [middle, middle], color=color, linewidth=2.2, zorder=3)
        aside = place + 0.6 * (np.arange(len(numbers)) * _GOLDEN % 1 - 0.5)
        size = min(14.0, max(2.0, 900 / len(numbers)))
        ax.scatter(aside, numbers, s=size, color=color, alpha=0.6, linewidths=0, zorder=2, gid="values")
        ax.scatter([place], [numbers.mean()], s=34, marker="D", color=look.text, zorder=4, gid="mean")
    ax.set_xticks(range(len(groups)), [str(name) for name in groups])
    ax.set_xlim(-0.6, len(groups) - 0.4)
    dress(ax, look, title, grid="y")
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel(label or "")
    return ax


# Axes of charts


def chart_axes(ax: Axes | None, height: float, theme: Theme) -> Axes:
    """Return *ax*, or new axes in a figure `WIDTH` inches wide that a notebook shows.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if ax is not None:
        return pictures.checked_axes(ax)
    picture = pictures.new_picture(WIDTH, height, theme.background, laid_out=True)
    return picture.add_subplot(axes_class=pictures.PictureAxes)


def panels(
    ax: Axes | None, size: tuple[float, float], rows: int, columns: int, theme: Theme, **options: Any
) -> tuple[Figure | SubFigure, list[list[Axes]]]:
    """Return a figure and its axes in rows and columns.

    Args:
        ax: axes to replace with a part of their figure. By default, a new figure with automatic layout.
        size: the width and height of a new figure in inches.
        rows: the number of rows.
        columns: the number of columns.
        theme: the theme.
        options: further options of a figure's ``subplots``, such as ``sharex``.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if ax is None:
        figure: Figure | SubFigure = pictures.new_picture(*size, theme.background, laid_out=True)
    else:
        figure = pictures.part_at(ax, theme.background)
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        width, height = pictures.size_of(figure)
        across = (width - _LEFT - _RIGHT - _BESIDE * (columns - 1)) / columns
        down = (height - _BELOW - _ABOVE - _BETWEEN * (rows - 1)) / rows
        if min(across, down) > 0.1:
            free = {"left": _LEFT / width, "right": 1 - _RIGHT / width, "bottom": _BELOW / height}
            free |= {"top": 1 - _ABOVE / height, "wspace": _BESIDE / across, "hspace": _BETWEEN / down}
            options["gridspec_kw"] = free
    grid = figure.subplots(
        rows, columns, squeeze=False, subplot_kw={"axes_class": pictures.PictureAxes}, **options
    )
    return figure, grid.tolist()


def dress(ax: Axes, theme: Theme, title: str | None = None, *, grid: str = "both") -> None:
    """Apply the colours and font size of the theme to axes, with a grid and a title."""
    ax.set_facecolor(theme.background)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(theme.text)
    ax.tick_params(which="both", colors=theme.text, labelsize=_TEXT)
    ax.xaxis.label.set(color=theme.text, size=_TEXT + 1)
    ax.yaxis.label.set(color=theme.text, size=_TEXT + 1)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color=theme.grid, linewidth=0.8)  # type: ignore[arg-type]
    if title:
        ax.set_title(title, color=theme.text, fontsize=_TEXT + 2, parse_math=False)


def legend(ax: Axes, theme: Theme) -> None:
    """Add a legend in the emptiest part of the axes."""
    words = ax.legend(frameon=False, fontsize=_TEXT)
    for text in words.get_texts():
        text.set_color(theme.text)


def _check_numbers(label: str, groups: object) -> None:
    if not isinstance(groups, Mapping) or not groups:
        raise InvalidArgument(f"{label} must map names to lists of numbers, not {show(groups)}")
    for name, values in groups.items():
        if not isinstance(values, Iterable) or not [*values] or None in map(real_number, values):
            words = f"{label} must hold nonempty lists of finite numbers"
            raise InvalidArgument(f"{words}; {show(name)} has {show(values)}")
