"""Several boards in one figure: galleries, and pairs before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

from catan_cp.arguments import check_count
from catan_cp.boards.board import Board
from catan_cp.draw.board import checked_board, paint, title_height, write_title
from catan_cp.draw.style import find_theme
from catan_cp.errors import InvalidArgument, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

CAPTION = 10.0
"""The size of a caption in points, where there is room for it."""

SMALLEST = 6.5
"""The size in points below which captions are broken into lines."""

LARGEST = 400
"""The most boards in one gallery."""

_WIDTH = 10.0  # inches; a gallery of a few boards is narrower
_BOARD = 3.2  # the width of a board in inches at most
_MOST_LINES = 4  # of a caption
_LEAST = 0.2  # and at least, in axes that are given
_DRAWN, _GAP = 0.95, 0.05  # what a board takes of its cell, and what is left free


def plot_gallery(
    boards: Sequence[Board],
    captions: Sequence[str] | None = None,
    columns: int | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw boards side by side, row by row, and return the figure; its axes are in the order of the boards.

    Args:
        boards: boards of any layouts, up to `LARGEST`.
        captions: a line above each board, all in one size; where they would be too small to read, they are
            broken into lines of about one length.
        columns: boards in a row; by default about as many as there are rows.
        ax: axes in whose place to draw; they are turned off, and what is returned is the part of their
            figure that has the gallery. Without it, a new figure, at most 10 inches wide.
        title: a line above them all.
        letters: as in `plot_board`.
        patterns: as in `plot_board`.
        numbers: as in `plot_board`.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: no boards or too many, not one caption per board, columns below 1, or *ax* is no axes
            or has too little room.
    """
    from catan_cp.draw.overlays import picture_box
    from catan_cp.draw.picture import add_axes, new_picture, part_at, size_of

    look = find_theme(theme)
    shown = _checked_boards(boards)
    lines = _checked_captions(captions, len(shown))
    columns = _columns(columns, len(shown))
    rows = ceil(len(shown) / columns)
    boxes = [picture_box(board, [], heat=False) for board in shown]
    tall = [box.height / box.width for box in boxes]  # and each row is as tall as its tallest board
    tallest = [max(tall[row * columns : (row + 1) * columns]) for row in range(rows)]
    cells = _DRAWN * sum(tallest) + _GAP * rows
    above = title_height(title, 1.4 * CAPTION) if title else 0.0
    picture: Figure | SubFigure
    if ax is None:
        cell = min(_BOARD, _WIDTH / columns)
        lines, size = fitted(lines, _DRAWN * cell)
        caption = max((title_height(line, size) for line in lines if line), default=0.0)
        width, height = cell * columns, cell * cells + caption * rows + above
        picture = new_picture(width, height, look.background)
    else:
        picture = part_at(ax, look.background)
        width, height = size_of(picture)
        lines, size = fitted(lines, _DRAWN * width / columns)
        caption = max((title_height(line, size) for line in lines if line), default=0.0)
        cell = min(width / columns, (height - above - caption * rows) / cells)
        if cell < _LEAST:
            raise InvalidArgument(
                f"{len(shown)} boards in rows of {columns} need more than {width:.1f} by {height:.1f} inches"
            )
    start = (width - cell * columns) / 2
    top = (height + cell * cells + caption * rows - above) / 2
    for i, (board, line) in enumerate(zip(shown, lines, strict=True)):
        row, column = divmod(i, columns)
        drawn = _DRAWN * cell * tallest[row]
        bottom = top - cell * (_DRAWN * sum(tallest[: row + 1]) + _GAP * (row + 0.5)) - caption * (row + 1)
        left = start + cell * (column + _GAP / 2)
        axes = add_axes(picture, left / width, bottom / height, _DRAWN * cell / width, drawn / height)
        paint(axes, board, [], None, look, letters=letters, patterns=patterns, numbers=numbers)
        if line:
            write_title(axes, line, look, size)
    if title:
        picture.suptitle(
            title, y=1 - 4 / 72 / height, color=look.text, fontsize=1.4 * CAPTION, parse_math=False
        )
    return picture


def plot_pair(
    before: Board,
    after: Board,
    captions: tuple[str, str] = ("before", "after"),
    ax: Axes | None = None,
    *,
    title: str | None = None,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw a board before and after something was done to it; the same as a gallery of the two."""
    return plot_gallery(
        [before, after],
        captions,
        2,
        ax,
        title=title,
        letters=letters,
        patterns=patterns,
        numbers=numbers,
        theme=theme,
    )


def fitted(lines: Sequence[str], width: float) -> tuple[list[str], float]:
    """Return captions and the one size in points in which all of them are at most *width* inches wide.

    Captions that would be smaller than `SMALLEST` are broken into lines of about one length.
    """
    from catan_cp.draw.shapes import text_width

    def widest(texts: Sequence[str]) -> float:  # in ems: 0.73 is the height of a capital
        parts = (part for text in texts for part in text.split("\n") if part.strip())
        return max((text_width(part, 0.73, bold=False) for part in parts), default=0.0)

    room = 0.96 * 72 * width
    most = room / SMALLEST
    broken = [
        text if widest([text]) <= most else _balanced(text, most, lambda part: widest([part]))
        for text in lines
    ]
    longest = widest(broken)
    return broken, min(CAPTION, room / longest) if longest else CAPTION


def _balanced(text: str, most: float, width: Callable[[str], float]) -> str:
    """Break a text at spaces into the fewest lines that fit, and these so that the longest is shortest."""
    words = text.split()
    for count in range(2, len(words) + 1):
        cuttings = combinations(range(1, len(words)), count - 1)
        ways = ([" ".join(part) for part in _split(words, cuts)] for cuts in cuttings)
        best = min(ways, key=lambda parts: max(map(width, parts)))
        if max(map(width, best)) <= most or count == _MOST_LINES:
            return "\n".join(best)
    return text


def _split(words: Sequence[str], cuts: Sequence[int]) -> list[Sequence[str]]:
    return [words[start:end] for start, end in pairwise((0, *cuts, len(words)))]


def _checked_boards(boards: Sequence[Board]) -> list[Board]:
    try:
        shown = [checked_board(board) for board in boards]
    except TypeError:
        raise InvalidArgument(f"a gallery shows a list of boards, not {show(boards)}") from None
    if not 1 <= len(shown) <= LARGEST:
        raise InvalidArgument(f"a gallery shows 1 to {LARGEST} boards, not {len(shown)}")
    return shown


def _checked_captions(captions: Sequence[str] | None, n: int) -> list[str]:
    lines = [""] * n if captions is None else list(captions)
    if isinstance(captions, str) or len(lines) != n or any(not isinstance(line, str) for line in lines):
        raise InvalidArgument(f"captions are one text per board, {n} in all, not {show(captions)}")
    return lines


def _columns(columns: int | None, n: int) -> int:
    if columns is None:
        return ceil(sqrt(n)) if n > 3 else n
    return min(check_count("columns", columns, 1), n)
