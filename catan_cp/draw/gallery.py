"""Pictures of several boards in rows, on axes or as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from math import ceil, inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from catan_cp.boards.board import Board
from catan_cp.draw.content import Content, checked_board, checked_text
from catan_cp.draw.shapes import Box
from catan_cp.draw.style import default_settings, find_theme
from catan_cp.draw.titles import CAPTION, fitted, title_height, write_title
from catan_cp.errors import InvalidArgument, amount, check_count, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LARGEST = 400
"""Maximum number of boards in one gallery."""

_GALLERY = 10.0  # the maximum width of a gallery in inches
_BOARD = 3.2  # the maximum width of a board in a gallery in inches
_LEAST = 0.2  # the minimum width of a board in existing axes in inches
_FILLED, _GAP = 0.95, 0.05  # the width of a board and of the gap after it, in cells of a gallery


@default_settings()
def plot_gallery(
    boards: Sequence[Board],
    captions: Iterable[str] | None = None,
    columns: int | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    theme: str = "light",
) -> Figure | SubFigure:
    """Plot boards in rows and return the figure, with axes in the order of the boards.

    Args:
        boards: up to `LARGEST` boards of any layouts.
        captions: one text above each board, all in one size. Captions that would be too small are broken into
            lines of similar length.
        columns: the number of boards in a row. The default makes about as many columns as rows.
        ax: axes to replace with the gallery. They become invisible, and the result is a part of their figure.
            By default, a new figure at most 10 inches wide.
        title: a line above all boards.
        letters: as in `plot_board`.
        patterns: as in `plot_board`.
        numbers: as in `plot_board`.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: the number of boards, captions or columns is invalid.
            Or *ax* is not axes or is too small.

    Example:
        >>> import catan_cp
        >>> figure = plot_gallery(list(catan_cp.sample_boards(4, "tournament", seed=1)), columns=2)
        >>> len(figure.axes)
        4
    """
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    part: Figure | SubFigure | None = None if ax is None else pictures.part_at(ax, look.background)
    room = None if part is None else pictures.size_of(part)
    options = {"letters": letters, "patterns": patterns, "numbers": numbers}
    grid = _planned(boards, captions, columns, title, room, **options)
    if part is None:
        part = pictures.new_picture(grid.width, grid.height, look.background)
    for content, line, (left, bottom, width, height) in grid.cells:
        corner = left / grid.width, bottom / grid.height
        axes = pictures.add_axes(part, *corner, width / grid.width, height / grid.height)
        layers.paint(axes, content, look)
        write_title(axes, line, look, grid.size)
    if grid.title:
        y = 1 - 4 / 72 / grid.height
        part.suptitle(grid.title, color=look.text, fontsize=1.4 * CAPTION, parse_math=False, y=y)
    return part


def gallery_svg(
    boards: Sequence[Board],
    captions: Iterable[str] | None = None,
    columns: int | None = None,
    *,
    title: str | None = None,
    theme: str = "light",
    **options: Any,
) -> str:
    """Return boards in rows as an ``<svg>`` element, as `board_svg` writes it.

    Args:
        boards: as in `plot_gallery`.
        captions: as in `plot_gallery`.
        columns: as in `plot_gallery`.
        title: as in `plot_gallery`.
        theme: as in `plot_gallery`.
        options: *letters*, *patterns* and *numbers*, as in `plot_board`.
    """
    from catan_cp.draw.layers import paint_layers
    from catan_cp.draw.svg import SvgCanvas, svg_text

    look = find_theme(theme)
    grid = _planned(boards, captions, columns, title, None, **options)
    parts = []
    for content, line, (left, bottom, width, height) in grid.cells:
        tall = width * content.box.height / content.box.width
        above = grid.height - bottom - (height + tall) / 2
        canvas = SvgCanvas(look, content.box, 72 * width / content.box.width, 72 * above, 72 * left)
        paint_layers(canvas, content)
        canvas.title(line, grid.size, 72 * (left + width / 2), 72 * above - 4)
        parts.append(f'<g role="img" aria-label="{escape(line)}">\n{canvas.body()}\n</g>')
    if grid.title:
        whole = SvgCanvas(look, Box(0.0, grid.width, 0.0, grid.height), 72.0)
        lines = grid.title.count("\n") + 1
        whole.title(grid.title, 1.4 * CAPTION, 36 * grid.width, 4 + 1.25 * 1.4 * CAPTION * lines)
        parts.append(whole.body())
    label = f"{len(grid.cells)} Catan boards"
    return svg_text(label, 72 * grid.width, 72 * grid.height, look.background, "\n".join(parts))


class _Grid(NamedTuple):
    """Places of the boards of a gallery in inches from the lower left corner.

    Each cell has a board, its caption, and the left, bottom, width and height of its place. *size* is that of
    the captions in points.
    """

    width: float
    height: float
    title: str
    size: float
    cells: list[tuple[Content, str, tuple[float, float, float, float]]]


def _planned(
    boards: Sequence[Board],
    captions: Iterable[str] | None,
    columns: int | None,
    title: str | None,
    room: tuple[float, float] | None,
    **options: Any,
) -> _Grid:
    """Return the grid of a gallery, as large as its room or as its boards need."""
    if not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards must be a list of boards, not {show(boards)}")
    contents = [Content(checked_board(board), **options) for board in boards]
    n = len(contents)
    if not 1 <= n <= LARGEST:
        raise InvalidArgument(f"a gallery must have 1 to {LARGEST} boards, not {n}")
    title = checked_text("title", "" if title is None else title)
    lines = _checked_captions(captions, n)
    if columns is None:
        columns = ceil(sqrt(n)) if n > 3 else n
    columns = min(check_count("columns", columns, 1), n)
    batches = [contents[i : i + columns] for i in range(0, n, columns)]
    tallest = [max(content.box.height / content.box.width for content in batch) for batch in batches]
    above = title_height(title, 1.4 * CAPTION) if title else 0.0
    width, height = room or (columns * min(_BOARD, _GALLERY / columns), inf)
    lines, size, caption = fitted(lines, _FILLED * width / columns)
    # A cell is as wide as a board with its gap. The height is that of all texts and of a number of cells.
    text_height, cells = above + caption * len(batches), _FILLED * sum(tallest) + _GAP * len(batches)
    cell = min(width / columns, (height - text_height) / cells)
    if room is None:
        height = cell * cells + text_height
    elif cell < _LEAST:
        raise InvalidArgument(
            f"{amount(n, 'board')} in rows of {columns} must have more room than {width:.1f} by {height:.1f} "
            "inches"
        )
    start, board_width = (width - cell * (columns - _GAP)) / 2, _FILLED * cell
    bottom = (height + cell * (cells - _GAP) + text_height) / 2 - above
    places = []
    for batch, tall in zip(batches, tallest, strict=True):
        bottom -= caption + board_width * tall
        lefts = (start + cell * column for column in range(len(batch)))
        places += [(left, bottom, board_width, board_width * tall) for left in lefts]
        bottom -= _GAP * cell
    return _Grid(width, height, title, size, list(zip(contents, lines, places, strict=True)))


def plot_pair(
    before: Board,
    after: Board,
    captions: tuple[str, str] = ("before", "after"),
    ax: Axes | None = None,
    **options: Any,
) -> Figure | SubFigure:
    """Plot a board before and after a change, as a gallery of two boards."""
    return plot_gallery([before, after], captions, 2, ax, **options)


def _checked_captions(captions: Iterable[str] | None, n: int) -> list[str]:
    if captions is None:
        return [""] * n
    is_list = isinstance(captions, Iterable) and not isinstance(captions, str)
    lines = list(islice(captions, n + 1)) if is_list else []
    if len(lines) != n or not all(isinstance(line, str) for line in lines):
        raise InvalidArgument(f"captions must be one text per board, {n} in all, not {show(captions)}")
    return [checked_text("a caption", line) for line in lines]
