"""A board in true size on several pages, to glue together along their dashed lines.

This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

from matplotlib.figure import Figure

from catan_cp.boards.board import Board
from catan_cp.draw.board import paint
from catan_cp.draw.layers import outlines, polygons
from catan_cp.draw.paper import INCH, MARGIN, draw_scale
from catan_cp.draw.picture import add_axes, new_picture
from catan_cp.draw.shapes import Box, pier, text_path, text_width
from catan_cp.draw.style import Theme, blend, find_theme
from catan_cp.errors import InvalidArgument

MOST_PAGES = 60
"""The most pages of one board."""

_FOOT = 8.0  # the words and the scale, in millimetres
_OVERLAP = 10.0  # what a page repeats of the one before


@dataclass(frozen=True)
class _Grid:
    """Pages of one paper in rows and columns, in millimetres; the board lies in the middle of them all."""

    width: float
    height: float
    columns: int
    rows: int

    @property
    def room(self) -> tuple[float, float]:
        """What a page shows of the board."""
        return self.width - 2 * MARGIN, self.height - 2 * MARGIN - _FOOT

    def window(self, row: int, column: int, box: Box, side: float) -> Box:
        """Return the part of the plane that a page shows, where a tile's side is *side* millimetres long."""
        wide, high = (length / side for length in self.room)
        across, down = wide - _OVERLAP / side, high - _OVERLAP / side
        left = (box.left + box.right - across * (self.columns - 1) - wide) / 2 + across * column
        top = (box.top + box.bottom + down * (self.rows - 1) + high) / 2 - down * row
        return Box(left, left + wide, top - high, top)


def poster_pages(
    board: Board,
    box: Box,
    paper: tuple[float, float],
    hex_mm: float,
    theme: Theme,
    title: str | None,
    letters: bool,
) -> list[Figure]:
    """Return the pages of a board with tiles *hex_mm* wide, row by row.

    Raises:
        InvalidArgument: it would take more than `MOST_PAGES`.
    """
    side = hex_mm / sqrt(3)
    short, long = paper
    grid = min(
        (_grid(short, long, box, side), _grid(long, short, box, side)), key=lambda way: way.rows * way.columns
    )
    count = grid.rows * grid.columns
    if count > MOST_PAGES:
        raise InvalidArgument(
            f"tiles {hex_mm:g} mm wide spread this board over {count} pages, more than {MOST_PAGES}; "
            "give smaller tiles, or larger paper"
        )
    places = [(row, column) for row in range(grid.rows) for column in range(grid.columns)]
    return [_page(board, box, grid, place, side, theme, title, letters) for place in places]


def _grid(width: float, height: float, box: Box, side: float) -> _Grid:
    one = _Grid(width, height, 1, 1)
    (wide, high), lengths = one.room, (box.width * side, box.height * side)
    columns, rows = (
        max(1, ceil((length - _OVERLAP) / (room - _OVERLAP)))
        for length, room in zip(lengths, (wide, high), strict=True)
    )
    return _Grid(width, height, columns, rows)


def _page(
    board: Board,
    box: Box,
    grid: _Grid,
    place: tuple[int, int],
    side: float,
    theme: Theme,
    title: str | None,
    letters: bool,
) -> Figure:
    row, column = place
    paper = find_theme("print")
    figure = new_picture(grid.width / INCH, grid.height / INCH, paper.background)
    wide, high = grid.room
    bottom = MARGIN + _FOOT
    ax = add_axes(figure, MARGIN / grid.width, bottom / grid.height, wide / grid.width, high / grid.height)
    paint(ax, board, [], None, theme, letters=letters, window=grid.window(row, column, box, side))
    ax.patch.set_visible(False)  # the paper is white
    page = add_axes(figure, 0, 0, 1, 1)
    page.set(xlim=(0, grid.width), ylim=(0, grid.height))
    page.set_axis_off()
    faint, ink = [blend(paper.background, paper.text, 0.55)], [paper.text]
    top, right = bottom + high, MARGIN + wide
    lines = []  # where the page before it, to the left or above, ends on this one
    if column:
        lines += _dashes((MARGIN + _OVERLAP, bottom), (MARGIN + _OVERLAP, top))
    if row:
        lines += _dashes((MARGIN, top - _OVERLAP), (right, top - _OVERLAP))
    polygons(page, lines, faint, gid="glue")
    edge = [(MARGIN, bottom), (right, bottom), (right, top), (MARGIN, top)]
    polygons(page, [edge], "none", gid="cut", edge=faint, line=0.4)
    words = (
        f"{title + ': ' if title else ''}row {row + 1} of {grid.rows}, column {column + 1} of {grid.columns}"
    )
    if row or column:
        words += "; cut along the frame, glue onto the dashed line"
    cap = min(2.0, 2.0 * (wide - 60) / text_width(words, 2.0, bold=False))
    spot = (MARGIN + text_width(words, cap, bold=False) / 2, MARGIN + 2.5)
    outlines(page, [text_path(words, spot, cap, bold=False)], ink, gid="words")
    draw_scale(page, right, MARGIN + 2.0)
    return figure


def _dashes(start: tuple[float, float], end: tuple[float, float]) -> list[list[tuple[float, float]]]:
    """Return bars of 3 mm with as much between them, along an upright or level line."""
    (x0, y0), (x1, y1) = start, end
    length = max(abs(x1 - x0), abs(y1 - y0))
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    starts = [6.0 * i for i in range(int((length - 3) / 6) + 1)]
    return [pier((x0 + dx * s, y0 + dy * s), (x0 + dx * (s + 3), y0 + dy * (s + 3)), 0.3) for s in starts]
