"""A board on paper: one page with a key and a scale to check the printer by, or true size on many to glue."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, sqrt
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from catan_cp.arguments import check_number
from catan_cp.boards.board import Board
from catan_cp.boards.pieces import piece_counts
from catan_cp.draw.board import checked_board, paint
from catan_cp.draw.files import checked_path, render_pages
from catan_cp.draw.paper import INCH, MARGIN, PAPERS, SCALE, draw_scale
from catan_cp.draw.style import Theme, find_theme, terrain_color
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from catan_cp.draw.shapes import Box

_FOOT = 21.0  # the key and the scale
_HEAD = 12.0  # the title
TRUE_MM = 79.0
"""How wide the game's own tiles are."""


@dataclass(frozen=True)
class _Page:
    """A paper in one of its two directions, in millimetres."""

    width: float
    height: float
    head: float

    @property
    def room(self) -> tuple[float, float]:
        """What is left for the board."""
        return self.width - 2 * MARGIN, self.height - 2 * MARGIN - _FOOT - self.head

    def largest(self, box: Box) -> float:
        """The widest tiles with which the box fits."""
        width, height = self.room
        return sqrt(3) * min(width / box.width, height / box.height)


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
    force: bool = False,
) -> Path:
    """Write a PDF with the board on one page, or on as many as it takes, and return its path.

    Print it at 100 %; the scale at the bottom shows whether the printer kept to that.

    Args:
        board: the board.
        path: where to; a name that ends in .pdf.
        paper: ``"A4"``, ``"A3"`` or ``"Letter"``, upright or across, whichever fits better.
        hex_mm: the width of a tile between its parallel sides in millimetres (the game's are 79); by
            default as wide as the page allows, or those 79 with *tiled*.
        title: a line above the board.
        letters: as in `plot_board`.
        tiled: spread the board over several pages to glue together along their dashed lines.
        theme: as in `plot_board`; other themes than print have their tiles in colour, on white paper.
        force: overwrite the file where it exists.

    Raises:
        InvalidArgument: an unknown paper, a board too large for the page (it says what fits) or for 60 pages,
            or a path that `save_picture` would refuse.
        CatanError: the file cannot be written.
    """
    from catan_cp.draw.overlays import picture_box

    look = find_theme(theme)
    box = picture_box(checked_board(board), [], heat=False)
    target = checked_path(path, (".pdf",), force=force)
    if title is not None and not isinstance(title, str):
        raise InvalidArgument(f"a title is text, not {show(title)}")
    if tiled:
        from catan_cp.draw.poster import poster_pages

        size = _checked_paper(paper)
        pages = poster_pages(board, box, size, _checked_width(hex_mm or TRUE_MM), look, title, letters)
    else:
        page, width = _fit(box, paper, hex_mm, _HEAD if title else 0.0)
        pages = [_page_figure(board, box, page, width, look, title or "", letters)]
    write_whole(target, render_pages(pages))
    return target


def _fit(box: Box, paper: str, hex_mm: float | None, head: float) -> tuple[_Page, float]:
    """The page, upright unless the board fits better across, and the width of a tile."""
    short, long = _checked_paper(paper)
    upright, across = _Page(short, long, head), _Page(long, short, head)
    page = max((upright, across), key=lambda way: way.largest(box))
    if hex_mm is None:
        return page, page.largest(box)
    hex_mm = _checked_width(hex_mm)
    if hex_mm > page.largest(box):
        wide, high = box.width * hex_mm / sqrt(3), box.height * hex_mm / sqrt(3)
        fitting = floor(10 * page.largest(box)) / 10
        raise InvalidArgument(
            f"tiles {hex_mm:g} mm wide make this board {wide:.0f} by {high:.0f} mm, but {paper} has room for "
            f"{page.room[0]:.0f} by {page.room[1]:.0f} mm; hex_mm can be {fitting:g} at most "
            "on one page, and tiled spreads the board over several"
        )
    return (upright if hex_mm <= upright.largest(box) else across), float(hex_mm)


def _checked_paper(paper: object) -> tuple[float, float]:
    if not isinstance(paper, str) or paper not in PAPERS:
        raise InvalidArgument(f"unknown paper {show(paper)}; papers are {listed(PAPERS)}")
    return PAPERS[paper]


def _checked_width(hex_mm: object) -> float:
    return check_number("hex_mm, a tile's width in millimetres,", hex_mm, 0)


def _page_figure(
    board: Board, box: Box, page: _Page, width: float, theme: Theme, title: str, letters: bool
) -> Figure:
    from catan_cp.draw.picture import add_axes, new_picture

    paper = find_theme("print")
    figure = new_picture(page.width / INCH, page.height / INCH, paper.background)
    side = width / sqrt(3)
    wide, high = box.width * side, box.height * side
    left = (page.width - wide) / 2
    bottom = MARGIN + _FOOT + (page.room[1] - high) / 2
    ax = add_axes(figure, left / page.width, bottom / page.height, wide / page.width, high / page.height)
    paint(ax, board, [], None, theme, letters=letters)
    ax.patch.set_visible(False)  # the paper is white
    _draw_words(figure, board, page, theme, title, letters)
    return figure


def _draw_words(figure: Figure, board: Board, page: _Page, theme: Theme, title: str, letters: bool) -> None:
    """Draw title, key and scale on axes of the whole page, in millimetres."""
    from catan_cp.draw.layers import outlines
    from catan_cp.draw.picture import add_axes
    from catan_cp.draw.shapes import text_path, text_width

    ax = add_axes(figure, 0, 0, 1, 1)
    ax.set(xlim=(0, page.width), ylim=(0, page.height))
    ax.set_axis_off()
    ink = [find_theme("print").text]
    if title:
        cap = min(4.5, 4.5 * page.room[0] / max(text_width(title, 4.5), 1e-9))
        outlines(
            ax, [text_path(title, (page.width / 2, page.height - MARGIN - _HEAD / 2), cap)], ink, gid="title"
        )
    _draw_key(figure, board, page, theme, letters)
    draw_scale(ax, page.width - MARGIN, MARGIN + 2.5)
    start, y = page.width - MARGIN - SCALE, MARGIN + 2.5
    notation = []
    for line, height in zip(board.notation().split(" "), (y + 1.6, y - 1.6), strict=False):
        cap = min(1.8, 1.8 * (start - 2 * MARGIN) / text_width(line, 1.8, bold=False))
        notation.append(
            text_path(line, (MARGIN + text_width(line, cap, bold=False) / 2, height), cap, bold=False)
        )
    outlines(ax, notation, ink, gid="words")


def _draw_key(figure: Figure, board: Board, page: _Page, theme: Theme, letters: bool) -> None:
    """Draw a small tile of each terrain, as on the board, with its name, in one row above the scale."""
    from catan_cp.draw.layers import draw_land, draw_strokes, outlines
    from catan_cp.draw.picture import add_axes
    from catan_cp.draw.shapes import text_path, text_width

    side = 6.0
    layout = board.layout
    terrain = list(piece_counts(board.terrain, tuple(layout.further_terrains)))
    letter_of = {name: letter for letter, name in layout.letters.items()}
    names = [f"{letter_of[name].upper()}  {name}" if letters else name for name in terrain]
    widths = [2.4 + text_width(name, 0.42, bold=False) + 1.2 for name in names]
    step = min(1.0, page.room[0] / side / sum(widths))
    room = sum(widths)
    side *= step
    wide, high = room * side, 2.2 * side
    ax = add_axes(
        figure,
        (page.width - wide) / 2 / page.width,
        (MARGIN + 7) / page.height,
        wide / page.width,
        high / page.height,
    )
    ax.set(xlim=(0, room), ylim=(-1.1, 1.1))
    ax.set_axis_off()
    starts = [sum(widths[:i]) for i in range(len(widths))]
    centres = [(start + 1.2, 0.0) for start in starts]
    fills = [terrain_color(theme, name) for name in terrain]
    ink = [find_theme("print").text]
    line = side * 72 / INCH
    draw_land(ax, centres, fills, theme, gid="key", flat=layout.sideways)
    if theme.patterns:
        draw_strokes(ax, centres, terrain, fills, theme, line, size=2.2, flat=layout.sideways)
    words = [
        text_path(name, (start + 2.4 + (width - 3.6) / 2, 0), 0.42, bold=False)
        for name, start, width in zip(names, starts, widths, strict=True)
    ]
    outlines(ax, words, ink, gid="names")
