"""Boards as pictures: one, a gallery of several, and as files or text.

Every picture of boards goes one way: `layers.Content` is what it shows and how much room that takes, and
`layers.paint` draws it on axes; print sheets go that way too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from math import ceil, inf, isinf, isnan, nan, sqrt
from os import PathLike
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, Protocol

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.draw.style import Theme, default_settings, find_theme, ink_on
from catan_cp.errors import InvalidArgument, check_count, check_kind, check_number, listed, show, whole_number
from catan_cp.files import checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from catan_cp.draw.layers import Settlement

WIDTH = 6.0
"""The width of a picture in inches: 600 pixels on a screen."""

ENDINGS = (".png", ".svg", ".pdf")
"""The endings of files that pictures are written to."""

FILE_DPI = 200
"""Pixels per inch of a PNG file: 1200 pixels for a board."""

TITLE, CAPTION = 14.0, 10.0
"""The sizes of a title and of a caption in points, where there is room for them."""

SMALLEST = 6.5
"""The size in points below which captions are broken into lines."""

LARGEST = 400
"""The most boards in one gallery."""

_MOST_PIXELS = 2**16  # less than so many across and down, as matplotlib draws them
_GALLERY = 10.0  # inches; a gallery of a few boards is narrower
_MOST_LINES = 4  # of a caption
_BOARD = 3.2  # the width of a board in inches at most
_LEAST = 0.2  # and at least, in axes that are given
_DRAWN, _GAP = 0.95, 0.05  # what a board takes of its cell, and what is left free


class Placed(Protocol):
    """Anything that knows its settlements in the order placed, as pairs (player from 1, vertex)."""

    @property
    def order(self) -> Sequence[tuple[int, int]]:
        """The settlements in the order placed."""
        ...


@default_settings()
def plot_board(
    board: Board,
    placement: Placed | Sequence[tuple[int, int] | tuple[int, int, int | None]] | None = None,
    ax: Axes | None = None,
    *,
    heat: Sequence[float | None] | None = None,
    heat_label: str = "",
    key: bool = False,
    title: str | None = None,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    ring_tiles: Iterable[int] = (),
    ring_vertices: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
    theme: str = "light",
) -> Axes:
    """Draw a board and return the axes it is drawn on.

    Args:
        board: the board, with or without markers and harbors.
        placement: settlements to draw, numbered in the order placed: a `Placement`, or (player, vertex) or
            (player, vertex, road) with players numbered from 1 and the vertex at the other end of the road.
        ax: the axes to draw on; without it, a new figure 600 pixels wide, made without pyplot.
        heat: one value per vertex, drawn as a disc there, with a colour bar; None or NaN where there is none.
        heat_label: what the values are, written beside the colour bar.
        key: name the terrains on the board below it.
        title: a line above the board.
        letters: write each terrain's letter (that of the notation) on its tile, for colour-blind readers.
        patterns: draw each terrain's pattern, or none; by default all themes but ``"plain"`` do.
        numbers: write the numbers by which tiles (in hexagons) and vertices (in discs) are known.
        ring_tiles: tiles to ring, for instance those of the violations that `Rules.check` found.
        ring_vertices: vertices to ring.
        arrows: arrows from a vertex to another, for instance `Placement.arrows`: who settles to harm whom.
        theme: ``"light"``, ``"dark"``, ``"print"`` (black on white), or ``"plain"`` (the colours of the
            entropy article, without patterns).

    Lengths on the axes are in sides of a tile; tile 0 of a layout and its neighbours lie where
    `Layout.tiles` says: X = x * sqrt(3) / 2 and Y = -y / 2.

    Raises:
        InvalidArgument: not a board, a settlement, road, arrow or ring off the board, another number of
            values than of vertices, an unknown theme.
    """
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    title = checked_text("title", "" if title is None else title)
    checked_text("heat_label", heat_label)
    layout = checked_board(board).layout
    what = layers.Content(
        board, _checked_order(layout, placement), _checked_heat(layout, heat), heat_label,
        key=key, letters=letters, patterns=patterns, numbers=numbers,
        ring_tiles=_checked_numbers("tile", ring_tiles, layout.n_tiles),
        ring_vertices=_checked_numbers("vertex", ring_vertices, layout.n_vertices),
        arrows=_checked_arrows(layout, arrows),
    )  # fmt: skip
    if ax is None:
        drawn = WIDTH * what.whole.height / what.whole.width
        height = drawn + (_title_height(title, TITLE) if title else 0)
        ax = pictures.add_axes(pictures.new_picture(WIDTH, height, look.background), 0, 0, 1, drawn / height)
    layers.paint(pictures.checked_axes(ax), what, look)
    if title:
        _write_title(ax, title, look, TITLE)
    return ax


# Several boards


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
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    if not isinstance(boards, Iterable):
        raise InvalidArgument(f"a gallery shows a list of boards, not {show(boards)}")
    shown = [
        layers.Content(checked_board(board), letters=letters, patterns=patterns, numbers=numbers)
        for board in boards
    ]
    n = len(shown)
    if not 1 <= n <= LARGEST:
        raise InvalidArgument(f"a gallery shows 1 to {LARGEST} boards, not {n}")
    title = checked_text("title", "" if title is None else title)
    lines = _checked_captions(captions, n)
    if columns is None:
        columns = ceil(sqrt(n)) if n > 3 else n
    columns = min(check_count("columns", columns, 1), n)
    batches = [shown[i : i + columns] for i in range(0, n, columns)]
    tallest = [max(what.box.height / what.box.width for what in batch) for batch in batches]
    above = _title_height(title, 1.4 * CAPTION) if title else 0.0
    part: Figure | SubFigure | None = None if ax is None else pictures.part_at(ax, look.background)
    width, height = columns * min(_BOARD, _GALLERY / columns), inf
    if part is not None:
        width, height = pictures.size_of(part)
    lines, size, caption = _fitted(lines, _DRAWN * width / columns)
    words, cells = above + caption * len(batches), _DRAWN * sum(tallest) + _GAP * len(batches)
    cell = min(width / columns, (height - words) / cells)
    if part is None:
        height = cell * cells + words
        part = pictures.new_picture(width, height, look.background)
    elif cell < _LEAST:
        room = f"{width:.1f} by {height:.1f} inches"
        raise InvalidArgument(f"{n} boards in rows of {columns} need more than {room}")
    left, drawn = (width - cell * (columns - _GAP)) / 2, _DRAWN * cell
    bottom = (height + cell * (cells - _GAP) + words) / 2 - above
    for batch, tall in zip(batches, tallest, strict=True):
        bottom -= caption + drawn * tall
        for column, what in enumerate(batch):
            at = (left + cell * column) / width, bottom / height, drawn / width, drawn * tall / height
            axes = pictures.add_axes(part, *at)
            layers.paint(axes, what, look)
            _write_title(axes, lines[len(part.axes) - 1], look, size)
        bottom -= _GAP * cell
    if title:
        y = 1 - 4 / 72 / height
        part.suptitle(title, color=look.text, fontsize=1.4 * CAPTION, parse_math=False, y=y)
    return part


def plot_pair(
    before: Board,
    after: Board,
    captions: tuple[str, str] = ("before", "after"),
    ax: Axes | None = None,
    **options: Any,
) -> Figure | SubFigure:
    """Draw a board before and after something was done to it: a gallery of the two, with its *options*."""
    return plot_gallery([before, after], captions, 2, ax, **options)


# Files and text


def save_picture(
    picture: Board | Figure | SubFigure | Axes,
    path: str | PathLike[str],
    *,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> Path:
    """Write a picture as PNG, SVG or PDF, by the file's ending, and return its path.

    The file appears whole or not at all, and the same picture gives the same bytes.

    Args:
        picture: a board, or a figure or axes of matplotlib; of a part of a figure, the whole.
        path: where to; its folder must be there.
        force: overwrite the file where it exists.
        dpi: pixels per inch of a PNG file; a board is 6 inches wide.
        options: for a board, the options of `plot_board`.

    Raises:
        InvalidArgument: an unknown or missing ending, an existing file without *force*, a missing folder, a
            *dpi* that is no number above 0, or that makes more pixels than a PNG file has.
        CatanError: the file cannot be written.
    """
    from catan_cp.draw import picture as pictures

    target = checked_path(path, ENDINGS, force=force)
    dpi = check_number("dpi", dpi, 0)
    if isinstance(picture, Board):
        picture = plot_board(picture, **options)
    elif options:
        raise InvalidArgument(f"{listed(options)} is for a Board; this figure is drawn already")
    figure, ending = pictures.root_figure(picture), target.suffix.lower()
    sides = [inches * dpi for inches in figure.get_size_inches().tolist()]
    if ending == ".png" and not 1 <= min(sides) <= max(sides) < _MOST_PIXELS:
        words = " by ".join(f"{side:.4g}" for side in sides)
        raise InvalidArgument(f"dpi of {dpi:g} makes {words} pixels; a side has 1 to {_MOST_PIXELS - 1:,}")
    write_whole(target, pictures.render(figure, ending, dpi))
    return target


def board_svg(board: Board, **options: Any) -> str:
    """Return the board as an ``<svg>`` element for a web page or a notebook; the same text every time."""
    from catan_cp.draw import picture as pictures

    figure = pictures.root_figure(plot_board(board, **options))
    return pictures.render_svg(figure, f"Catan board {board.notation()}")


def board_png(board: Board, **options: Any) -> bytes:
    """Return the board as a PNG picture 600 pixels wide, for what shows no SVG."""
    from catan_cp.draw import picture as pictures

    return pictures.render(pictures.root_figure(plot_board(board, **options)), ".png", pictures.DPI)


# Titles


def _title_height(title: str, size: float) -> float:
    """The height in inches of a title of that size in points."""
    return (1.25 * size * (title.count("\n") + 1) + 8) / 72


def _widest(texts: Iterable[str]) -> float:
    """How wide the longest line of some texts is, in ems: 0.73 of these is the height of a capital."""
    from catan_cp.draw.picture import text_width

    lines = (line for text in texts for line in text.split("\n"))
    return max((text_width(line, 0.73, bold=False) for line in lines), default=0.0)


def _write_title(ax: Axes, title: str, theme: Theme, size: float) -> None:
    """Write a title above the axes, no larger than *size* points and no wider than the axes."""
    from matplotlib.colors import to_rgba

    room = 0.96 * 72 * ax.get_window_extent().width / ax.figure.dpi
    behind = to_rgba(ax.figure.get_facecolor())
    color = theme.text if behind[3] == 0 or behind[:3] == theme.background else ink_on(behind[:3])
    fitting = min(size, room / (_widest([title]) or 1e-9))
    ax.set_title(title, color=color, fontsize=fitting, pad=4, parse_math=False)


def _fitted(lines: Sequence[str], width: float) -> tuple[list[str], float, float]:
    """Return captions at most *width* inches wide, the one size of them all in points, and their height.

    Captions that would be smaller than `SMALLEST` are broken into few lines of about one length.
    """
    room = 0.96 * 72 * width
    broken = [line if _widest([line]) * SMALLEST <= room else _balanced(line, room) for line in lines]
    size = min(CAPTION, room / (_widest(broken) or 1e-9))
    return broken, size, max((_title_height(line, size) for line in broken if line), default=0.0)


def _balanced(text: str, room: float) -> str:
    """Break a text between words into the fewest lines that fit, and these as short as they can be."""
    ways = []
    for characters in range(1, len(text) + 1):
        flow = TextWrapper(characters, break_long_words=False, break_on_hyphens=False)
        if len(way := flow.wrap(text)) <= _MOST_LINES:
            width = _widest(way)
            ways.append((max(width, room / SMALLEST), len(way), width, "\n".join(way)))
    return min(ways)[-1]


# Checks


def checked_board(board: object) -> Board:
    """Return *board* where it is one.

    Raises:
        InvalidArgument: it is not a `Board`.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(
            f"a picture shows a Board, not {show(board)}; Board.from_notation reads a notation"
        )
    return board


def checked_text(name: str, text: object) -> str:
    """Return *text* where it can be written.

    Raises:
        InvalidArgument: it is no text, or has half a character (a lone surrogate).
    """
    words = check_kind(f"{name} is text", text, str)
    try:
        words.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} has half a character, which no font has: {show(words)}") from None
    return words


@contextmanager
def _meant(what: str, given: object) -> Iterator[None]:
    """Say what an argument is where it turns out to be something else."""
    try:
        yield
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{what}, not {show(given)}") from None


def _checked_numbers(what: str, given: Iterable[int], n: int) -> list[int]:
    """Return the numbers of tiles or vertices in ascending order, each once."""
    with _meant(f"what to draw is given by {what} numbers", given):
        numbers = list(given)
    return sorted({check_count(f"a {what} to draw", number, 0, n - 1) for number in numbers})


def _checked_order(layout: Layout, placement: Any) -> list[Settlement]:
    """Return the settlements, each with the other end of its road, None where it has none."""
    order: Any = [] if placement is None else getattr(placement, "order", placement)
    with _meant("a placement is (player, vertex) or (player, vertex, road) in the order placed", order):
        moves = [tuple(move) for move in order]
        roads = getattr(placement, "roads", None) or [move[2] if move[2:] else None for move in moves]
        if any(len(move) > 3 for move in moves):
            raise ValueError
        settled = [(*move[:2], road) for move, road in zip(moves, roads, strict=True)]
        vertices = [vertex for _, vertex, _ in settled]
    if len(_checked_numbers("vertex", vertices, layout.n_vertices)) < len(vertices):
        raise InvalidArgument(f"two settlements of the placement share a vertex: {show(moves)}")
    for player, vertex, road in settled:
        check_count("a player to draw", player, 1)
        if road is not None and whole_number(road) not in layout.vertex_neighbors[vertex]:
            raise InvalidArgument(f"there is no edge from vertex {vertex} to {show(road)} for a road")
    return settled


def _checked_arrows(layout: Layout, arrows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    with _meant("arrows are pairs of vertices", arrows):
        found = [(a, b) for a, b in arrows]
    for pair in found:
        if len(_checked_numbers("vertex", pair, layout.n_vertices)) < 2:
            raise InvalidArgument(f"an arrow leads from a vertex to another, not {show(pair)}")
    return found


def _checked_captions(captions: Iterable[str] | None, n: int) -> list[str]:
    if captions is None:
        return [""] * n
    told = isinstance(captions, Iterable) and not isinstance(captions, str)
    lines = list(islice(captions, n + 1)) if told else []
    if len(lines) != n or not all(isinstance(line, str) for line in lines):
        raise InvalidArgument(f"captions are one text per board, {n} in all, not {show(captions)}")
    return [checked_text("a caption", line) for line in lines]


def _checked_heat(layout: Layout, heat: Sequence[float | None] | None) -> list[float] | None:
    if heat is None:
        return None
    with _meant("heat is one number or None per vertex", heat):
        values = [nan if value is None else float(value) for value in heat]
    if len(values) != layout.n_vertices:
        raise InvalidArgument(
            f"the board has {layout.n_vertices} vertices, but heat has {len(values)} values"
        )
    if any(isinf(value) for value in values):
        raise InvalidArgument("heat has an infinite value; give None where a vertex has no value")
    if all(isnan(value) for value in values):
        raise InvalidArgument("heat has no value at all; give at least one vertex a number")
    return values
