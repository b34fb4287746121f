"""PDF files of a board for paper: one page, or several pages to glue together.

Each page has a scale that shows whether the printer kept the size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.draw.board import checked_board, checked_text
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.shapes import XY, Box, bar
from catan_cp.draw.style import BLACK, WHITE, Theme, blend, default_settings, find_theme
from catan_cp.errors import CatanError, InvalidArgument, check_choice, check_number
from catan_cp.files import checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from catan_cp.draw.layers import Content
    from catan_cp.draw.picture import Canvas

PAPERS = {"A4": (210.0, 297.0), "A3": (297.0, 420.0), "Letter": (215.9, 279.4)}
"""Width and height of upright papers in millimetres, like all lengths of this module."""

MARGIN = 8.0  # the part that printers leave white
TRUE_WIDTH = 79.0
"""Width of the game's tiles in millimetres, between parallel edges."""

MOST_PAGES = 60
"""Maximum number of pages of one board."""

_LEAST = 0.1  # the minimum width of a tile
_INCH = 25.4
_FOOT = 8.0  # the height of the scale and the text beside it
_HEAD = 12.0  # the height of the title
_SCALE = 50.0  # the length of the scale
_OVERLAP = 10.0  # the part that two neighboring pages share


@dataclass(frozen=True)
class _Pages:
    """Pages of one paper in rows and columns, with the board in the middle of them all."""

    width: float
    height: float
    head: float = 0.0
    rows: int = 1
    columns: int = 1

    @property
    def room(self) -> tuple[float, float]:
        """Width and height for the board on a page."""
        return self.width - 2 * MARGIN, self.height - 2 * MARGIN - _FOOT - self.head

    def largest(self, box: Box) -> float:
        """Return the maximum width of a tile for which the box fits on one page."""
        return sqrt(3) * min(self.room[0] / box.width, self.room[1] / box.height)

    def spread(self, box: Box, hex_mm: float) -> _Pages:
        """Return the minimum rows and columns of pages that hold the box with tiles of a width."""
        columns, rows = (
            max(1, ceil((length * hex_mm / sqrt(3) - _OVERLAP) / (room - _OVERLAP)))
            for length, room in zip((box.width, box.height), self.room, strict=True)
        )
        return replace(self, rows=rows, columns=columns)

    def window(self, row: int, column: int, box: Box, edge: float) -> Box:
        """Return the box of the plane that a page shows with tile edges of *edge* millimetres."""
        wide, high = (length / edge for length in self.room)
        across, down = wide - _OVERLAP / edge, high - _OVERLAP / edge
        start = (box.left + box.right - across * (self.columns - 1) - wide) / 2 + across * column
        top = (box.top + box.bottom + down * (self.rows - 1) + high) / 2 - down * row
        return Box(start, start + wide, top - high, top)


@default_settings()
def print_sheet(
    board: Board,
    path: str | PathLike[str],
    paper: str = "A4",
    hex_mm: float | None = None,
    *,
    title: str | None = None,
    letters: bool = False,
    tiled: bool = False,
    theme: str = "print",
    numbers: bool = False,
    force: bool = False,
) -> Path:
    """Write a PDF with the board on one page or several pages, and return its path.

    Print it at 100 %. The scale at the bottom shows whether the printer kept the size.

    Args:
        board: the board.
        path: the file to write, with a name that ends in .pdf.
        paper: ``"A4"``, ``"A3"`` or ``"Letter"``, used upright or across, whichever fits better.
        hex_mm: the width of a tile between its parallel edges in millimetres (79 in the game). The default is
            the maximum for the page, or 79 with *tiled*.
        title: a line above the board.
        letters: as in `plot_board`.
        tiled: spread the board over several pages to glue together along their dashed lines.
        theme: as in `plot_board`. Themes other than print have coloured tiles on white paper.
        numbers: as in `plot_board`.
        force: overwrite an existing file.

    Raises:
        InvalidArgument: *paper* is unknown, the board is too large for the page (the message has the maximum)
            or for 60 pages, or *path* is invalid as in `save_picture`.
        CatanError: the file cannot be written.
    """
    from catan_cp.draw import picture as pictures
    from catan_cp.draw.layers import Content

    look = find_theme(theme)._replace(background=WHITE, text=BLACK)  # the paper and the ink
    content = Content(
        checked_board(board), letters=letters, key=not tiled, key_letters=letters, numbers=numbers
    )
    target = checked_path(path, (".pdf",), force=force)
    title = checked_text("title", "" if title is None else title)
    check_choice("paper", paper, PAPERS)
    if hex_mm is not None:
        hex_mm = check_number("hex_mm, a tile's width in millimetres,", hex_mm, _LEAST)
    pages, width = _planned(content.whole, paper, hex_mm, _HEAD if title and not tiled else 0.0, tiled)
    places = [(row, column) for row in range(pages.rows) for column in range(pages.columns)]
    edge = width / sqrt(3)
    figures = [_page(content, pages, place, edge, look, title, tiled) for place in places]
    write_whole(target, pictures.render_pages(figures))
    return target


def _planned(box: Box, paper: str, hex_mm: float | None, head: float, tiled: bool) -> tuple[_Pages, float]:
    """Return the pages, upright unless the board fits better across, and the tile width."""
    options = [_Pages(wide, high, head) for wide, high in (PAPERS[paper], PAPERS[paper][::-1])]
    if tiled:
        width = hex_mm or TRUE_WIDTH
        pages = min((page.spread(box, width) for page in options), key=lambda page: page.rows * page.columns)
        if (count := pages.rows * pages.columns) > MOST_PAGES:
            raise InvalidArgument(
                f"tiles {width:g} mm wide spread this board over {count} pages, more than {MOST_PAGES}; "
                "use smaller tiles or larger paper"
            )
        return pages, width
    best = max(options, key=lambda page: page.largest(box))
    if hex_mm is None:
        return best, best.largest(box)
    for page in (options[0], best):
        if hex_mm <= page.largest(box):
            return page, hex_mm
    wide, high = box.width * hex_mm / sqrt(3), box.height * hex_mm / sqrt(3)
    fitting = floor(10 * best.largest(box)) / 10
    raise InvalidArgument(
        f"tiles {hex_mm:g} mm wide make this board {wide:.0f} by {high:.0f} mm, but {paper} has room for "
        f"{best.room[0]:.0f} by {best.room[1]:.0f} mm; hex_mm can be {fitting:g} at most on one page, and "
        "tiled spreads the board over several"
    )


def _page(
    content: Content,
    pages: _Pages,
    place: tuple[int, int],
    edge: float,
    theme: Theme,
    title: str,
    tiled: bool,
) -> Figure:
    """Return one page with the board or a part of it, the scale, and text.

    The text is the title and the notation, or instructions for cutting and gluing.
    """
    from catan_cp.draw import picture as pictures
    from catan_cp.draw.layers import paint

    figure = pictures.new_picture(pages.width / _INCH, pages.height / _INCH, WHITE)
    (wide, high), bottom = pages.room, MARGIN + _FOOT
    at = (MARGIN / pages.width, bottom / pages.height, wide / pages.width, high / pages.height)
    board = pictures.add_axes(figure, *at)
    paint(board, content, theme, pages.window(*place, content.whole, edge))
    page = pictures.add_axes(figure, 0, 0, 1, 1)
    canvas = pictures.Canvas.on(page, theme, Box(0.0, pages.width, 0.0, pages.height))
    for ax in (board, page):
        ax.patch.set_visible(False)  # the paper is white
    if tiled:
        lines = [_plot_cuts(canvas, pages, place, title)]
    else:
        lines = content.board.notation().split(" ")
        cap = min(4.5, 4.5 * wide / (text_width(title, 4.5) or 1e-9))
        canvas.words([(title, (pages.width / 2, bottom + high + _HEAD / 2), cap)], [BLACK], "title")
    words = []
    for i, line in enumerate(lines):
        cap = min(1.8, 1.8 * (wide - _SCALE - MARGIN) / text_width(line, 1.8, bold=False))
        y = MARGIN + 2.5 + 1.6 * (len(lines) - 1) - 3.2 * i
        words.append((line, (MARGIN + text_width(line, cap, bold=False) / 2, y), cap))
    canvas.words(words, [BLACK], "words", bold=False)
    right, y = MARGIN + wide, MARGIN + 2.0
    left = right - _SCALE
    ticks = [bar((x, y - 1), (x, y + 1), 0.3) for x in (left, right)]
    canvas.polygons([bar((left, y), (right, y), 0.3), *ticks], [BLACK], "scale")
    canvas.words([(f"{_SCALE:g} mm", ((left + right) / 2, y + 2.2), 1.8)], [BLACK], "words", bold=False)
    return figure


def _plot_cuts(canvas: Canvas, pages: _Pages, place: tuple[int, int], title: str) -> str:
    """Plot the cutting frame of a page and the glue lines, and return the instructions."""
    faint = [blend(WHITE, BLACK, 0.55)]
    (row, column), (wide, high) = place, pages.room
    left, right, bottom, top = MARGIN, MARGIN + wide, MARGIN + _FOOT, MARGIN + _FOOT + high
    frame = [(left, bottom), (right, bottom), (right, top), (left, top)]
    canvas.polygons([frame], "none", "cut", faint, width=0.14)
    glued: list[list[XY]] = []
    if column:
        glued.append([(left + _OVERLAP, bottom), (left + _OVERLAP, top)])
    if row:
        glued.append([(left, top - _OVERLAP), (right, top - _OVERLAP)])
    canvas.strokes(glued, faint, 0.3, "glue", linestyle=(0, (10, 10)))
    words = f"{title and f'{title}: '}row {row + 1} of {pages.rows}, column {column + 1} of {pages.columns}"
    return words + ("; cut along the frame, glue onto the dashed line" if row or column else "")


def qr_modules(address: str) -> list[list[int]]:
    """Return the rows of a QR code's modules, 1 for dark, with a white border.

    Raises:
        CatanError: the package segno is not installed, or the address is too long.
    """
    try:
        import segno
    except ModuleNotFoundError:
        raise CatanError("a QR code needs the package segno: pip install segno") from None
    try:
        code = segno.make(address, error="l", micro=False)
    except segno.DataOverflowError:
        raise CatanError(f"an address of {len(address):,} letters is too long for a QR code") from None
    return [list(row) for row in code.matrix_iter(border=4)]
