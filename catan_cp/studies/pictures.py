"""Studies as pictures: two side by side, and a gallery of the best boards of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Patch

from catan_cp.boards.board import Board
from catan_cp.draw.board import plot_gallery
from catan_cp.draw.charts import dress, panels
from catan_cp.draw.style import Theme, find_theme
from catan_cp.errors import InvalidArgument, show, show_path
from catan_cp.studies.comparing import Comparison, Contrast
from catan_cp.studies.measures import MEASURES, Row, figure, read_criteria
from catan_cp.studies.store import Store

_COLUMNS = 3
_WIDTH, _HEIGHT = 4.0, 2.7  # of one chart, in inches
_TEXT = 9.0
_FOLD = 27  # characters in a line of a notation below a board
_LINE = 64  # characters of a caption that are as wide as a chart


def plot_comparison(
    comparison: Comparison, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Draw the distributions of two studies over each other, a chart a measure; lines stand at the means.

    Args:
        comparison: what `compare_studies` returns.
        ax: as in `plot_gallery`.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: it is not a `Comparison`, *ax* is no axes, or an unknown theme.
    """
    look = find_theme(theme)
    if not isinstance(comparison, Comparison):
        raise InvalidArgument(f"this draws what compare_studies returns, not {show(comparison)}")
    contrasts = comparison.contrasts
    columns = min(_COLUMNS, len(contrasts))
    rows = ceil(len(contrasts) / columns)
    size = (_WIDTH * max(columns, 2), _HEIGHT * rows + 0.6)
    picture, grid = panels(ax, size, rows, columns, look)
    charted = [panel for row in grid for panel in row]
    for panel, contrast in zip(charted, contrasts, strict=False):
        _draw(panel, contrast, look)
    for panel in charted[len(contrasts) :]:
        panel.set_visible(False)
    boards = (contrasts[0].first.boards, contrasts[0].second.boards)
    patches = [
        Patch(facecolor=(*color, 0.3), edgecolor=color, hatch=hatch, label=f"{name} ({n:,} boards)")
        for name, n, color, hatch in zip(comparison.names, boards, look.series, _hatches(look), strict=False)
    ]
    key = picture.legend(handles=patches, loc="outside upper center", ncols=2, frameon=False)
    for text in key.get_texts():
        text.set(color=look.text, fontsize=_TEXT + 2, parse_math=False)
    return picture


def _draw(ax: Axes, contrast: Contrast, look: Theme) -> None:
    sides = (contrast.first, contrast.second)
    for side, color, hatch in zip(sides, look.series, _hatches(look), strict=False):
        ax.stairs(side.shares, contrast.edges, fill=True, color=(*color, 0.3), hatch=hatch)
        ax.stairs(side.shares, contrast.edges, color=color, linewidth=1.4)
        ax.axvline(side.mean, color=color, linewidth=1.4, linestyle=(0, (4, 2)))
    measure = MEASURES[contrast.measure]
    dress(ax, look, measure.title.capitalize(), grid="y")
    means = f"means {figure(contrast.first.mean)} and {figure(contrast.second.mean)}"
    ax.set_xlabel(f"{fill(measure.meaning, _LINE)}\n{means}")
    ax.xaxis.label.set(size=_TEXT - 1)
    if all(abs(right - left - 1) < 1e-9 for left, right in pairwise(contrast.edges)):
        ax.locator_params(axis="x", integer=True)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _hatches(look: Theme) -> tuple[str | None, str | None]:
    return (None, "////") if look.greys else (None, None)


def plot_top(
    store: Store,
    by: str = "seat_spread",
    k: int = 12,
    study: str | None = None,
    ax: Axes | None = None,
    *,
    satisfying: str | None = None,
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw a gallery of a study's best boards, each with its number, its figures and its notation.

    Arguments and errors are those of `Store.top`, and of `plot_gallery` for *ax* and *theme*; a study without
    boards is an InvalidArgument.
    """
    rows = store.top(by, k, study, satisfying=satisfying)
    if not rows:
        raise InvalidArgument(f"the study in {show_path(store.path)} has no boards yet")
    layout = store.study(study).study.layout
    boards = [Board.from_notation(row["notation"], layout) for row in rows]
    names = [criterion.measure for criterion in read_criteria(by)]
    captions = [_caption(row, names) for row in rows]
    title = f"{store.path.name}: best by {by}"
    return plot_gallery(boards, captions, ax=ax, title=title, theme=theme)


def _caption(row: Row, names: Sequence[str]) -> str:
    """Return a board's number, its figures, and its notation, which is the joined lines that are left."""
    lines = [
        f"board {row['board']}",
        *(f"{name.replace('_', ' ')} {figure(row[name])}" for name in names),
        "",
    ]
    for part in re.findall(r"[^/, ]*[/, ]?", row["notation"]):
        if lines[-1] and len(lines[-1]) + len(part) > _FOLD:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
