"""PDF files of a board for paper: one page, or several pages to glue together.

Each page has a scale that shows whether the printer kept the size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, sqrt
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.draw.content import Content, checked_board, checked_text
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.shapes import Box, bar
from catan_cp.draw.style import BLACK, WHITE, Theme, blend, default_settings, find_theme
from catan_cp.errors import CatanError, InvalidArgument, InvalidBoard, check_choice, check_number
from catan_cp.files import checked_path, write_whole
from catan_cp.rules.rules import Rules, find_rules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
_LINE = 3.2  # the height of a line of small text
_CAP = 1.8  # the height of its capitals
_HEAD = 12.0  # the height of the title
_SCALE = 50.0  # the length of the scale
_OVERLAP = 10.0  # the part of a page under the next one
_AROUND, _GROUND, _SIGN = 0.3, 1.0, 0.42  # water around tiles, tiles with fishing, and harbors, in tile edges


@dataclass(frozen=True)
class _Paper:
    """Paper with room for a board between a title and some lines of text.

    Args:
        width: the width of the paper.
        height: the height of the paper.
        head: the height of the title.
        foot: the height of the text below the board.
    """

    width: float
    height: float
    head: float
    foot: float

    @property
    def room(self) -> tuple[float, float]:
        """Width and height for the board on a page."""
        return self.width - 2 * MARGIN, self.height - 2 * MARGIN - self.foot - self.head

    def largest(self, box: Box) -> float:
        """Return the maximum width of a tile for which the box fits on one page."""
        return sqrt(3) * min(self.room[0] / box.width, self.room[1] / box.height)

    def corner(self, window: Box, edge: float) -> tuple[float, float]:
        """Return the lower left corner of a window in the middle of the room."""
        (wide, high), (width, height) = self.room, (window.width * edge, window.height * edge)
        return MARGIN + (wide - width) / 2, MARGIN + self.foot + (high - height) / 2

    def windows(self, content: Content, box: Box, edge: float) -> list[tuple[int, int, Box]]:
        """Return row, column and box of each page for tile edges of *edge* millimetres.

        A page begins where the page before is cut, and ends 10 mm after the next cut.
        """
        cuts = []
        for axis, (low, high) in enumerate(((box.left, box.right), (-box.top, -box.bottom))):
            spots = content.obstacles(axis)
            room, overlap = self.room[axis] / edge, _OVERLAP / edge
            uncut = _starts(low, high, room, overlap, [*spots["numbers"], *spots["harbors"]])
            cut = _starts(low, high, room, overlap, spots["numbers"])
            starts = uncut if len(uncut) == len(cut) else cut
            cuts.append(list(zip(starts, [*(end + overlap for end in starts[1:]), high], strict=True)))
        return [
            (row, column, Box(left, right, -bottom, -top))
            for (row, (top, bottom)), (column, (left, right)) in product(
                enumerate(cuts[1]), enumerate(cuts[0])
            )
        ]


def _starts(
    low: float, high: float, room: float, overlap: float, blocked: list[tuple[float, float]]
) -> list[float]:
    """Return where pages begin, as far apart as possible, without a cut inside a *blocked* interval.

    >>> _starts(0, 10, 4, 1, [(2.5, 3.5)])
    [0, 2.5, 5.5, 8.5]
    """
    starts = [low]
    while high - starts[-1] > room:
        most = starts[-1] + room - overlap
        ends = [most, *(start for start, _ in blocked if starts[-1] < start < most)]
        free = [end for end in ends if not any(start < end < stop for start, stop in blocked)]
        starts.append(max(free, default=most))
    return starts


def _stated(rules: Rules, boards: Sequence[Board]) -> str:
    """Return the sentences of the rules, after a check that all boards satisfy them.

    Raises:
        InvalidBoard: a board does not satisfy the rules.
    """
    for board in boards:
        if violations := rules.check(board):
            more = f" and {len(violations) - 1} more" if len(violations) > 1 else ""
            raise InvalidBoard(
                f"the boards must satisfy the rules stated below them, but {board.notation()} does not: "
                f"{violations[0]}{more}; choose other rules"
            )
    return "Rules: " + " ".join(rules.explain())


@default_settings()
def print_sheet(
    board: Board | Sequence[Board],
    path: str | PathLike[str],
    paper: str = "A4",
    hex_mm: float | None = None,
    *,
    title: str | None = None,
    letters: bool = False,
    tiled: bool = False,
    theme: str = "print",
    numbers: bool = False,
    rules: str | Rules | None = None,
    force: bool = False,
) -> Path:
    """Write a PDF with a board on one page or several pages, and return its path.

    Print it at 100 %. The scale at the bottom shows whether the printer kept the size.

    Args:
        board: the board, or a list or tuple of boards, each on pages of its own.
        path: the file to write, with a name that ends in .pdf.
        paper: ``"A4"``, ``"A3"`` or ``"Letter"``, used upright or across, whichever fits better.
        hex_mm: the width of a tile between its parallel edges in millimetres (79 in the game). The default is
            the maximum for the page, or 79 with *tiled*.
        title: a line above the board.
        letters: as in `plot_board`.
        tiled: spread each board over several pages to glue together along their dashed lines. No page ends
            inside a number.
        theme: as in `plot_board`. Themes other than print have coloured tiles on white paper.
        numbers: as in `plot_board`.
        rules: rules, or the name of a preset, to state below each board, which must satisfy them.
        force: overwrite an existing file.

    Raises:
        InvalidRules: *rules* are invalid.
        InvalidBoard: a board does not satisfy *rules*.
        InvalidArgument: *paper* is unknown, the board is too large for the page (the message has the maximum)
            or for 60 pages, or *path* is invalid as in `save_picture`.
        CatanError: the file cannot be written.

    Example:
        >>> import catan_cp
        >>> print_sheet(catan_cp.generate_board("tournament", seed=1), "board.pdf").name
        'board.pdf'
    """
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)._replace(background=WHITE, text=BLACK)  # the paper and the ink
    boards = [checked_board(item) for item in (board if isinstance(board, (list, tuple)) else [board])]
    contents = [
        Content(item, letters=letters, key=not tiled, key_letters=letters, numbers=numbers) for item in boards
    ]
    if not contents:
        raise InvalidArgument("board must be a Board or a list of Boards, not an empty list; name a board")
    target = checked_path(path, (".pdf",), force=force)
    title = checked_text("title", "" if title is None else title)
    check_choice("paper", paper, PAPERS)
    if hex_mm is not None:
        hex_mm = check_number("hex_mm, a tile's width in millimetres,", hex_mm, _LEAST)
    words = [] if rules is None else [_stated(find_rules(rules), boards)]
    pages = []
    for content in contents:
        if tiled:
            pages += _spread(content, paper, hex_mm or TRUE_WIDTH, look, title, words)
        else:
            pages.append(_single(content, paper, hex_mm, look, title, [content.board.notation(), *words]))
    write_whole(target, pictures.render_pages(pages), force=force)
    return target


def _single(
    content: Content, paper: str, hex_mm: float | None, theme: Theme, title: str, words: list[str]
) -> Figure:
    """Return the page of a board, upright unless the board fits better across."""
    box = content.whole
    options = [
        _Paper(wide, high, _HEAD if title else 0.0, _foot(words, wide))
        for wide, high in (PAPERS[paper], PAPERS[paper][::-1])
    ]
    best = max(options, key=lambda page: page.largest(box))
    width = best.largest(box) if hex_mm is None else hex_mm
    page = next((page for page in (options[0], best) if width <= page.largest(box) and hex_mm), best)
    if width > page.largest(box):
        wide, high = box.width * width / sqrt(3), box.height * width / sqrt(3)
        fitting = floor(10 * best.largest(box)) / 10
        raise InvalidArgument(
            f"tiles {width:g} mm wide make this board {wide:.0f} by {high:.0f} mm, but {paper} has room for "
            f"{best.room[0]:.0f} by {best.room[1]:.0f} mm; hex_mm can be {fitting:g} at most on one page, "
            "and tiled spreads the board over several"
        )
    figure, canvas = _page(page, content, box, width / sqrt(3), theme, words)
    cap = min(4.5, 4.5 * page.room[0] / (text_width(title, 4.5) or 1e-9))
    canvas.words([(title, (page.width / 2, page.height - MARGIN - _HEAD / 2), cap)], [BLACK], "title")
    return figure


def _spread(
    content: Content, paper: str, hex_mm: float, theme: Theme, title: str, words: list[str]
) -> list[Figure]:
    """Return the pages of a large board with crop marks, upright or across, whichever is fewer."""
    box, reach = content.box, _GROUND if content.board.fishing_grounds else _AROUND
    spots = [(*spot, reach) for spot in content.vertices] + [(*spot, _SIGN) for spot in content.signs]
    box = Box(
        max(box.left, min(x - r for x, _, r in spots)), min(box.right, max(x + r for x, _, r in spots)),
        max(box.bottom, min(y - r for _, y, r in spots)), min(box.top, max(y + r for _, y, r in spots)),
    )  # fmt: skip
    edge = hex_mm / sqrt(3)
    plans = []
    for wide, high in (PAPERS[paper], PAPERS[paper][::-1]):
        page = _Paper(wide, high, 0.0, _foot([_instructions(title, 10, 10, 10), *words], wide))
        plans.append((page, page.windows(content, box, edge)))
    page, windows = min(plans, key=lambda plan: len(plan[1]))
    if len(windows) > MOST_PAGES:
        raise InvalidArgument(
            f"tiles {hex_mm:g} mm wide spread this board over {len(windows)} pages, more than {MOST_PAGES}; "
            "use smaller tiles or larger paper"
        )
    figures = []
    for row, column, window in windows:
        text = [_instructions(title, row + 1, column + 1, len(windows)), *words]
        figure, canvas = _page(page, content, window, edge, theme, text)
        _plot_cuts(canvas, page, window, edge, (window.right < box.right, window.bottom > box.bottom))
        figures.append(figure)
    return figures


def _instructions(title: str, row: int, column: int, pages: int) -> str:
    return (
        f"{title and f'{title}: '}sheet {chr(64 + row)}{column} of {pages}. Cut at the upper and left "
        "marks, and glue onto the dashed line of the sheet before."
    )


def _lines(words: Iterable[str], width: float) -> list[str]:
    """Return small text in lines beside the scale."""
    room = width - 2 * MARGIN - _SCALE - 4
    return [
        line
        for text in words
        for line in wrap(text, max(20, int(len(text) * room / text_width(text, 1.08 * _CAP, bold=False))))
    ]


def _foot(words: Iterable[str], width: float) -> float:
    """Return the height of the text below a board."""
    return max(7.0, _LINE * len(_lines(words, width)) + 3)


def _page(
    page: _Paper, content: Content, window: Box, edge: float, theme: Theme, words: list[str]
) -> tuple[Figure, Canvas]:
    """Return a page with the window in the middle, text and a scale below it, and a canvas for more."""
    from catan_cp.draw import picture as pictures
    from catan_cp.draw.layers import paint

    figure = pictures.new_picture(page.width / _INCH, page.height / _INCH, WHITE)
    left, bottom = page.corner(window, edge)
    at = (left / page.width, bottom / page.height)
    size = (window.width * edge / page.width, window.height * edge / page.height)
    board = pictures.add_axes(figure, *at, *size)
    paint(board, content, theme, window)
    whole = pictures.add_axes(figure, 0, 0, 1, 1)
    canvas = pictures.Canvas.on(whole, theme, Box(0.0, page.width, 0.0, page.height))
    for ax in (board, whole):
        ax.patch.set_visible(False)  # the paper is white
    lines = _lines(words, page.width)
    texts = []
    for i, line in enumerate(lines):
        y = MARGIN + 1 + _LINE * (len(lines) - 1 - i)
        texts.append((line, (MARGIN + text_width(line, _CAP, bold=False) / 2, y), _CAP))
    canvas.words(texts, [BLACK], "words", bold=False)
    end, y = page.width - MARGIN, MARGIN + 1.0
    start = end - _SCALE
    ticks = [bar((x, y - 1), (x, y + 1), 0.3) for x in (start, end)]
    canvas.polygons([bar((start, y), (end, y), 0.3), *ticks], [BLACK], "scale")
    canvas.words([(f"{_SCALE:g} mm", ((start + end) / 2, y + 2.4), _CAP)], [BLACK], "words", bold=False)
    return figure, canvas


def _plot_cuts(canvas: Canvas, page: _Paper, window: Box, edge: float, more: tuple[bool, bool]) -> None:
    """Plot the crop marks of a page, and dashed lines where the next sheets begin, if there are *more*."""
    faint = [blend(WHITE, BLACK, 0.55)]
    left, bottom = page.corner(window, edge)
    right, top = left + window.width * edge, bottom + window.height * edge
    marks = [[(x, y - 3), (x, y + 3)] for x in (left, right) for y in (bottom, top)]
    marks += [[(x - 3, y), (x + 3, y)] for x in (left, right) for y in (bottom, top)]
    canvas.strokes(marks, [BLACK], 0.2, "cut")
    glued = [[(right - _OVERLAP, bottom), (right - _OVERLAP, top)]] if more[0] else []
    glued += [[(left, bottom + _OVERLAP), (right, bottom + _OVERLAP)]] if more[1] else []
    canvas.strokes(glued, faint, 0.3, "glue", linestyle=(0, (10, 10)))


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
