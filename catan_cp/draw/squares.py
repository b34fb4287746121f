"""Squares of numbers, such as magic squares, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from catan_cp.arguments import whole_number
from catan_cp.draw.style import Theme, blend, find_theme
from catan_cp.errors import InvalidArgument, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LARGEST = 12
"""The most rows of a square whose numbers can still be read."""

Square = Sequence[Sequence[int]]

_CELL = 0.42  # inches
_LEAST = 0.05  # a cell in axes that are given; its number is a dot
_WIDTH = 10.0


def plot_square(
    square: Square,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    marked: Sequence[tuple[int, int]] = (),
    theme: str = "light",
) -> Axes:
    """Draw a square of whole numbers, the larger the number the deeper the blue.

    Args:
        square: rows, top to bottom, each as long as there are rows; 0 leaves a cell empty.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        marked: cells (row, column), counted from 0, with a frame: numbers that were given, for instance.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: not a square of whole numbers from 0, or one of more than `LARGEST` rows.
    """
    from catan_cp.draw.charts import chart_axes
    from catan_cp.draw.picture import PictureAxes, new_picture

    look = find_theme(theme)
    rows = _checked(square)
    if ax is None:
        side = _CELL * len(rows)
        picture = new_picture(side + 0.2, side + 0.2 + (0.3 if title else 0), look.background)
        picture.set_layout_engine("constrained")
        ax = picture.add_subplot(axes_class=PictureAxes)
    else:
        ax = chart_axes(ax, 0, look)
    _paint(ax, rows, marked, look, _CELL)
    if title:
        ax.set_title(title, color=look.text, fontsize=9, pad=3, parse_math=False)
    return ax


def plot_squares(
    squares: Sequence[Square],
    captions: Sequence[str] | None = None,
    columns: int | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    marked: Sequence[tuple[int, int]] = (),
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw squares side by side, row by row, and return the figure.

    Arguments and errors are those of `plot_square`, and of `plot_gallery` for *captions*, *columns* and *ax*.
    """
    from catan_cp.draw.picture import axes_grid, picture_in, size_of

    look = find_theme(theme)
    if not isinstance(squares, Sequence):
        raise InvalidArgument(f"squares are a list of them, not {show(squares)}")
    shown = [_checked(square) for square in squares]
    lines = [""] * len(shown) if captions is None else list(captions)
    if not shown or len(lines) != len(shown):
        raise InvalidArgument(
            f"{len(shown)} squares and {len(lines)} captions: give a caption for each square"
        )
    if columns is not None and (type(columns) is not int or columns < 1):
        raise InvalidArgument(f"columns are a whole number from 1, not {show(columns)}")
    largest = max(map(len, shown))
    room = _CELL * largest + 0.3
    across = min(len(shown), columns or max(1, int(_WIDTH / room)))
    cell = min(_CELL, (_WIDTH / across - 0.3) / largest)
    down = ceil(len(shown) / across)
    side = cell * largest + 0.3
    caption, above = 0.2 if any(lines) else 0.0, 0.35 if title else 0.0
    picture = picture_in(ax, side * across, (side + caption) * down + above, look.background)
    width, height = size_of(picture)
    cell = min(cell, (width / across - 0.3) / largest, ((height - above) / down - caption - 0.3) / largest)
    if cell < _LEAST:
        raise InvalidArgument(
            f"{len(shown)} squares in rows of {across} need more than {width:.1f} by {height:.1f} inches"
        )
    edges, gaps = (0.15, 0.15, 0.15, 0.15 + caption + above), (0.3, 0.3 + caption)
    panels = [panel for row in axes_grid(picture, down, across, edges=edges, gaps=gaps) for panel in row]
    for panel, square, line in zip(panels, shown, lines, strict=False):
        _paint(panel, square, marked, look, cell)
        if line:
            panel.set_title(line, color=look.text, fontsize=8, pad=3, parse_math=False)
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    if title:
        picture.suptitle(title, color=look.text, fontsize=11, parse_math=False)
    return picture


def _paint(
    ax: Axes, rows: list[list[int]], marked: Sequence[tuple[int, int]], look: Theme, cell: float
) -> None:
    from matplotlib.patches import Rectangle

    from catan_cp.draw.style import ink_on

    n = len(rows)
    largest = max(max(map(max, rows)), 1)
    for r, row in enumerate(rows):
        for c, number in enumerate(row):
            fill = blend(look.background, look.series[0], 0.75 * number / largest)
            ax.add_patch(Rectangle((c, r), 1, 1, facecolor=fill, edgecolor=look.grid, linewidth=0.8))
            if number:
                size = 72 * cell * (0.42 if largest < 100 else 0.32)
                ax.text(
                    c + 0.5, r + 0.53, str(number), size=size, color=ink_on(fill), ha="center", va="center"
                )
    for r, c in marked:
        frame = Rectangle((c + 0.05, r + 0.05), 0.9, 0.9, fill=False, edgecolor=look.series[3], linewidth=1.8)
        ax.add_patch(frame)
    ax.set(xlim=(-0.04, n + 0.04), ylim=(n + 0.04, -0.04), aspect="equal", xticks=[], yticks=[])
    ax.set_facecolor(look.background)
    ax.spines[:].set_visible(False)


def _checked(square: object) -> list[list[int]]:
    try:
        rows = [list(row) for row in square]  # type: ignore[attr-defined]
    except TypeError:
        rows = []
    numbers = [[whole_number(number) for number in row] for row in rows]
    found = [[number for number in row if number is not None and number >= 0] for row in numbers]
    if not rows or any(len(row) != len(rows) for row in (*rows, *found)):
        raise InvalidArgument(f"a square is n rows of n whole numbers from 0, not {show(square)}")
    if len(found) > LARGEST:
        raise InvalidArgument(f"a square of {len(found)} rows cannot be read; {LARGEST} rows at most")
    return found
