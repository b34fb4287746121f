"""Numbers about boards as charts, in the look of the boards: counts, curves, and values side by side."""

from __future__ import annotations

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
"""The width of a chart in inches."""

FULL = 21
"""The most digits of a number that has room at the end of its bar."""

MOST = 100
"""The most digits of a number in a chart."""

_TEXT = 9.0  # points
_DIGIT = 0.08  # inches that a digit takes, and a comma at most
_DASHES = ("-", "--", ":", "-.")
_START = 0.3  # decades below 1 at which bars begin, so that a bar of 1 can be seen
_LEFT, _RIGHT, _BELOW, _ABOVE = 0.8, 0.2, 0.6, 0.7  # inches for words around panels
_BESIDE, _BETWEEN = 0.7, 0.8  # and between their columns and rows
_GOLDEN = 0.6180339887  # multiples of the golden section, whole parts left out, fill a width without clumps


@default_settings()
def plot_counts(
    counts: Mapping[str, int],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    label: str | None = None,
    theme: str = "light",
) -> Axes:
    """Draw whole numbers, of up to `MOST` digits, as bars on a log axis, each with its number at its end.

    Numbers of up to `FULL` digits are written in full, longer ones rounded.

    Args:
        counts: numbers of 0 or more by their names, drawn from the top in this order; 0 has no bar.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        label: what is counted, below.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: no counts, or something that is no whole number of 0 or more, or has more digits.
    """
    look = find_theme(theme)
    if not isinstance(counts, Mapping) or not counts:
        raise InvalidArgument(f"counts map names to whole numbers, not {show(counts)}")
    for name, count in counts.items():
        if check_count(f"the count of {show(name)}", count) >= 10**MOST:
            raise InvalidArgument(f"the count of {show(name)} has more than the {MOST} digits of a chart")
    ax = chart_axes(ax, 0.6 + 0.36 * len(counts), look)
    rows = range(len(counts))
    ax.barh(rows, [float(count) for count in counts.values()], height=0.62, color=look.series[0], zorder=2)
    ax.set_xscale("log")
    width = 0.92 * ax.bbox.width / ax.figure.dpi  # names at the left take some
    decades = 1.0
    for row, count in zip(rows, counts.values(), strict=True):
        power = len(str(count)) - 1
        number = f"{count:,}" if power < FULL else f"{count / 10**power:.3f} × 10$^{{{power}}}$"
        words = ax.annotate(
            number, (max(count, 0.5), row), xytext=(5, 0), textcoords="offset points", va="center",
            fontsize=_TEXT, color=look.text,
        )  # fmt: skip
        words.set_in_layout(False)  # there is room for it in the axes
        room = 1 - min(0.7, (_DIGIT * len(number.replace("$", "")) + 0.1) / width)
        decades = max(decades, (log10(count) + _START if count else 0.0) / room)
    ax.set_yticks(rows, [str(name) for name in counts])
    ax.set_ylim(len(counts) - 0.5, -0.5)
    ax.set_xlim(10**-_START, 10 ** min(decades - _START, 140.0))  # a float holds ticks far beyond it
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
    """Draw numbers over steps, one line a name: for instance ``{"power 1": improve_evenness(...).errors}``.

    Args:
        curves: by name, a number for each step, from step 0.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        label: what the numbers are.
        log: whether their axis is logarithmic.
        theme: as in `plot_board`; on paper the lines are dashed differently too.

    Raises:
        InvalidArgument: no curves, or an empty one.
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
    """Draw every number of each group as a dot, side by side, over a box from quarter to quarter.

    The line in a box is the median, the diamond the mean. Dots are spread sideways so that equal ones show.

    Args:
        groups: by name, numbers.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        label: what the numbers are.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: no groups, an empty one, or a number that is not finite.
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


# The look of every chart


def chart_axes(ax: Axes | None, height: float, theme: Theme) -> Axes:
    """Return *ax*, or new axes in a figure `WIDTH` inches wide that a notebook shows by itself.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if ax is not None:
        return pictures.checked_axes(ax)
    picture = pictures.new_picture(WIDTH, height, theme.background, laid_out=True)
    return picture.add_subplot(axes_class=pictures.PictureAxes)


def panels(
    ax: Axes | None,
    size: tuple[float, float],
    rows: int,
    columns: int,
    theme: Theme,
    **options: Any,
) -> tuple[Figure | SubFigure, list[list[Axes]]]:
    """Return a figure and its axes in rows and columns.

    Args:
        ax: axes in whose place the figure is a part of theirs; without it, a new one that lays itself out.
        size: width and height of a new figure in inches.
        rows: how many rows.
        columns: how many columns.
        theme: the look.
        options: what ``subplots`` of a figure takes beside, such as ``sharex``.

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
    """Give axes the colours and the type of the theme, a grid behind what they show, and a title."""
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
    """Name the lines, where there is most room."""
    words = ax.legend(frameon=False, fontsize=_TEXT)
    for text in words.get_texts():
        text.set_color(theme.text)


def _check_numbers(what: str, groups: object) -> None:
    if not isinstance(groups, Mapping) or not groups:
        raise InvalidArgument(f"{what} map names to lists of numbers, not {show(groups)}")
    for name, values in groups.items():
        if not isinstance(values, Iterable) or not [*values] or None in map(real_number, values):
            words = f"{what} hold lists of finite numbers, none of them empty"
            raise InvalidArgument(f"{words}; {show(name)} has {show(values)}")
