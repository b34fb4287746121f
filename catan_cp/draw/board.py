"""Pictures of one board or several boards, on axes, in files or as text.

All pictures of boards, including print sheets, use `layers.Content` for their content and size, and
`layers.paint` to plot it on axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from math import ceil, inf, isinf, isnan, nan, sqrt
from os import PathLike
from pathlib import Path
from textwrap import TextWrapper
from typing import IO, TYPE_CHECKING, Any, Protocol, overload

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.draw.style import Theme, default_settings, find_theme, ink_on
from catan_cp.errors import (
    CatanError,
    InvalidArgument,
    check_choice,
    check_count,
    check_kind,
    check_number,
    listed,
    show,
    whole_number,
)
from catan_cp.files import checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from catan_cp.draw.layers import Content, Settlement

WIDTH = 6.0
"""Width of a picture in inches, which is 600 pixels on a screen."""

ENDINGS = (".png", ".svg", ".pdf")
"""Endings of picture files."""

_FORMATS = tuple(ending.removeprefix(".") for ending in ENDINGS)

FILE_DPI = 200
"""Pixels per inch of a PNG file, which makes 1200 pixels for a board."""

TITLE, CAPTION = 14.0, 10.0
"""Maximum sizes of a title and of a caption in points."""

SMALLEST = 6.5
"""Size in points below which captions are broken into lines."""

LARGEST = 400
"""Maximum number of boards in one gallery."""

_MOST_PIXELS = 2**16  # matplotlib's limit, exclusive
_GALLERY = 10.0  # the maximum width of a gallery in inches
_MOST_LINES = 4  # of a caption
_BOARD = 3.2  # the maximum width of a board in a gallery in inches
_LEAST = 0.2  # the minimum width of a board in existing axes in inches
_FILLED, _GAP = 0.95, 0.05  # the width of a board and of the gap after it, in cells of a gallery


class Placed(Protocol):
    """Object with settlements in the order placed, as pairs (player from 1, vertex)."""

    @property
    def order(self) -> Sequence[tuple[int, int]]:
        """Settlements in the order placed."""
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
    """Plot a board and return its axes.

    Args:
        board: the board, with or without markers and harbors.
        placement: settlements to plot, numbered in the order placed. A `Placement`, or a list of
            (player, vertex) or (player, vertex, road). Players count from 1, and the road is the vertex at
            its other end.
        ax: the axes to plot on. By default those of a new figure, 600 pixels wide and made without pyplot.
        heat: one value per vertex, None or NaN for no value. Values are plotted as discs with a colour bar.
        heat_label: the text beside the colour bar.
        key: add the names of the terrains below the board.
        title: a line above the board.
        letters: write the letter of each terrain (as in the notation) on its tile, for colour-blind readers.
        patterns: plot the pattern of each terrain. The default is True in all themes except ``"plain"``.
        numbers: write the index of each tile (in a hexagon) and vertex (in a disc), from 0.
        ring_tiles: tiles to mark with a ring, for instance those of the violations of `Rules.check`.
        ring_vertices: vertices to mark with a ring.
        arrows: arrows as pairs of vertices, for instance `Placement.arrows`, which show who harms whom.
        theme: ``"light"``, ``"dark"``, ``"print"`` (black on white), or ``"plain"`` (the colours of
            dralexportfolio 2025, without patterns).

    Coordinates of the axes are in tile edges. A point (x, y) of `Layout.tiles` or `Layout.vertices` is
    plotted at X = x * sqrt(3) / 2 and Y = -y / 2.

    Raises:
        InvalidArgument: *board* is not a board, *theme* is unknown, a settlement, road, arrow or ring is not
            on the board, or *heat* does not have one value per vertex.
    """
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    title = checked_text("title", "" if title is None else title)
    content = _content(
        board, placement, heat, heat_label, ring_tiles, ring_vertices, arrows,
        key=key, letters=letters, patterns=patterns, numbers=numbers,
    )  # fmt: skip
    if ax is None:
        board_height = WIDTH * content.whole.height / content.whole.width
        height = board_height + (_title_height(title, TITLE) if title else 0)
        picture = pictures.new_picture(WIDTH, height, look.background)
        ax = pictures.add_axes(picture, 0, 0, 1, board_height / height)
    layers.paint(pictures.checked_axes(ax), content, look)
    if title:
        _write_title(ax, title, look, TITLE)
    return ax


def _content(
    board: Board,
    placement: Any = None,
    heat: Sequence[float | None] | None = None,
    heat_label: str = "",
    ring_tiles: Iterable[int] = (),
    ring_vertices: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
    **options: Any,
) -> Content:
    """Return the checked content of a picture, from the arguments of `plot_board`."""
    from catan_cp.draw.layers import Content

    checked_text("heat_label", heat_label)
    layout = checked_board(board).layout
    return Content(
        board, _checked_order(layout, placement), _checked_heat(layout, heat), heat_label,
        ring_tiles=_checked_numbers("tile", ring_tiles, layout.n_tiles),
        ring_vertices=_checked_numbers("vertex", ring_vertices, layout.n_vertices),
        arrows=_checked_arrows(layout, arrows),
        **options,
    )  # fmt: skip


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
    """Plot boards in rows and return the figure, whose axes are in the order of the boards.

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
    """
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    if not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards must be a list of boards, not {show(boards)}")
    contents = [
        layers.Content(checked_board(board), letters=letters, patterns=patterns, numbers=numbers)
        for board in boards
    ]
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
    above = _title_height(title, 1.4 * CAPTION) if title else 0.0
    part: Figure | SubFigure | None = None if ax is None else pictures.part_at(ax, look.background)
    width, height = columns * min(_BOARD, _GALLERY / columns), inf
    if part is not None:
        width, height = pictures.size_of(part)
    lines, size, caption = _fitted(lines, _FILLED * width / columns)
    # A cell is as wide as a board with its gap. The height is that of all texts and of a number of cells.
    text_height, cells = above + caption * len(batches), _FILLED * sum(tallest) + _GAP * len(batches)
    cell = min(width / columns, (height - text_height) / cells)
    if part is None:
        height = cell * cells + text_height
        part = pictures.new_picture(width, height, look.background)
    elif cell < _LEAST:
        room = f"{width:.1f} by {height:.1f} inches"
        raise InvalidArgument(f"{n} boards in rows of {columns} need more than {room}")
    start, board_width = (width - cell * (columns - _GAP)) / 2, _FILLED * cell
    bottom = (height + cell * (cells - _GAP) + text_height) / 2 - above
    for batch, tall in zip(batches, tallest, strict=True):
        bottom -= caption + board_width * tall
        for column, content in enumerate(batch):
            corner = (start + cell * column) / width, bottom / height
            axes = pictures.add_axes(part, *corner, board_width / width, board_width * tall / height)
            layers.paint(axes, content, look)
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
    """Plot a board before and after a change, as a gallery of two boards with its *options*."""
    return plot_gallery([before, after], captions, 2, ax, **options)


# Files and text


@overload
def save_picture(
    picture: Board | Figure | SubFigure | Axes,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> Path: ...


@overload
def save_picture(
    picture: Board | Figure | SubFigure | Axes,
    path: IO[bytes],
    *,
    format: str | None = None,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> None: ...


def save_picture(
    picture: Board | Figure | SubFigure | Axes,
    path: str | PathLike[str] | IO[bytes],
    *,
    format: str | None = None,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> Path | None:
    r"""Write a picture as PNG, SVG or PDF to a file, and return its path.

    A file with a path is written completely or not at all. The same picture gives the same bytes.

    >>> from io import BytesIO
    >>> buffer = BytesIO()
    >>> save_picture(Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12"), buffer)
    >>> buffer.getvalue()[:4]
    b'\x89PNG'

    Args:
        picture: a board, or a figure or axes of matplotlib. A part of a figure means the whole figure.
        path: the path of the file, in an existing folder, or a file object open for writing bytes.
        format: for a file object only: ``"png"`` (default), ``"svg"`` or ``"pdf"``. The ending of a path
            determines the format.
        force: overwrite an existing file.
        dpi: pixels per inch of a PNG file. A board is 6 inches wide.
        options: the options of `plot_board`, for a board.

    Returns:
        The path, or None for a file object.

    Raises:
        InvalidArgument: the ending or format is unknown, the file exists and *force* is False, the folder is
            missing, a file object does not accept bytes, or *dpi* is not a positive number or makes too many
            pixels.
        CatanError: the file cannot be written.
    """
    from catan_cp.draw import picture as pictures

    target: Path | None = None
    if isinstance(path, (str, PathLike)) or not callable(getattr(path, "write", None)):
        if format is not None:
            raise InvalidArgument("format is only for a file object; the ending of a path decides the format")
        target = checked_path(path, ENDINGS, force=force)  # type: ignore[arg-type]
        ending = target.suffix.lower()
    else:
        ending = "." + check_choice("format", "png" if format is None else format, _FORMATS)
    dpi = check_number("dpi", dpi, 0)
    if isinstance(picture, Board):
        picture = plot_board(picture, **options)
    elif options:
        raise InvalidArgument(f"{listed(options)} is only for a Board; this figure is already plotted")
    figure = pictures.root_figure(picture)
    lengths = [inches * dpi for inches in figure.get_size_inches().tolist()]
    if ending == ".png" and not 1 <= min(lengths) <= max(lengths) < _MOST_PIXELS:
        words = " by ".join(f"{length:.4g}" for length in lengths)
        raise InvalidArgument(f"dpi of {dpi:g} makes {words} pixels; a side has 1 to {_MOST_PIXELS - 1:,}")
    content = pictures.render(figure, ending, dpi)
    if target is None:
        _write_to(path, content)
    else:
        write_whole(target, content)
    return target


def _write_to(file: Any, content: bytes) -> None:
    """Write all bytes to a file object.

    Raises:
        InvalidArgument: it does not accept bytes, or is closed.
        CatanError: the system rejects the bytes.
    """
    try:
        file.write(content)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(
            f"the file must be open for writing bytes, not {show(file)} ({error}); open it with mode 'wb'"
        ) from None
    except OSError as error:
        raise CatanError(f"cannot write the picture: {error.strerror or error}") from error


def board_svg(board: Board, *, title: str | None = None, theme: str = "light", **options: Any) -> str:
    """Return the board as an ``<svg>`` element. The same arguments give the same text.

    The text is written directly, which takes a few milliseconds. matplotlib plots the same shapes.

    Args:
        board: the board.
        title: one or more lines above the board.
        theme: as in `plot_board`.
        options: the other options of `plot_board`, except its axes.
    """
    from catan_cp.draw.layers import paint_layers
    from catan_cp.draw.svg import SvgCanvas

    label = f"Catan board {checked_board(board).notation()}"
    look = find_theme(theme)
    title = checked_text("title", "" if title is None else title)
    content = _content(board, **options)
    unit = 72 * WIDTH / content.whole.width
    above = 72 * _title_height(title, TITLE) if title else 0.0
    canvas = SvgCanvas(look, content.whole, unit, above)
    paint_layers(canvas, content)
    size = min(TITLE, 0.96 * 72 * WIDTH / (_widest([title]) or 1e-9))
    cap = 0.729 * size / unit  # the height of capitals in DejaVu Sans is 0.729 em
    middle, top = (content.whole.left + content.whole.right) / 2, content.whole.top + 4 / unit + cap / 2
    lines = enumerate(reversed(title.split("\n")))
    words = [(line, (middle, top + 1.25 * size / unit * k), cap) for k, line in lines if line.strip()]
    canvas.words(words, [look.text], "title", bold=False)
    return canvas.text(label)


def board_png(board: Board, **options: Any) -> bytes:
    """Return the board as a PNG picture, 600 pixels wide.

    Args:
        board: the board.
        options: the options of `plot_board`.
    """
    from catan_cp.draw import picture as pictures

    return pictures.render(pictures.root_figure(plot_board(board, **options)), ".png", pictures.DPI)


# Titles


def _title_height(title: str, size: float) -> float:
    """Return the height in inches of a title whose font size is in points."""
    return (1.25 * size * (title.count("\n") + 1) + 8) / 72


def _widest(texts: Iterable[str]) -> float:
    """Return the width of the longest line of all texts, in ems."""
    from catan_cp.draw.glyphs import text_width

    lines = (line for text in texts for line in text.split("\n"))
    return max((text_width(line, 0.73, bold=False) for line in lines), default=0.0)  # capitals are 0.73 em


def _write_title(ax: Axes, title: str, theme: Theme, size: float) -> None:
    """Write a title above the axes, in at most *size* points and not wider than the axes."""
    from matplotlib.colors import to_rgba

    room = 0.96 * 72 * ax.get_window_extent().width / ax.figure.dpi
    behind = to_rgba(ax.figure.get_facecolor())
    color = theme.text if behind[3] == 0 or behind[:3] == theme.background else ink_on(behind[:3])
    fitting = min(size, room / (_widest([title]) or 1e-9))
    ax.set_title(title, color=color, fontsize=fitting, pad=4, parse_math=False)


def _fitted(lines: Sequence[str], width: float) -> tuple[list[str], float, float]:
    """Return captions of at most *width* inches, their size in points, and their height.

    Captions that would be smaller than `SMALLEST` are broken into few lines of similar length.
    """
    room = 0.96 * 72 * width
    broken = [line if _widest([line]) * SMALLEST <= room else _balanced(line, room) for line in lines]
    size = min(CAPTION, room / (_widest(broken) or 1e-9))
    return broken, size, max((_title_height(line, size) for line in broken if line), default=0.0)


def _balanced(text: str, room: float) -> str:
    """Break a text between words into lines that fit *room*, if possible.

    Among the ways that fit, the fewest lines are best, then the shortest longest line.
    """
    candidates = []
    for characters in range(1, len(text) + 1):
        flow = TextWrapper(characters, break_long_words=False, break_on_hyphens=False)
        if len(lines := flow.wrap(text)) <= _MOST_LINES:
            width = _widest(lines)
            # Ways that fit are equal in the first number, so the next ones decide.
            candidates.append((max(width, room / SMALLEST), len(lines), width, "\n".join(lines)))
    return min(candidates)[-1]


# Checks


def checked_board(board: object) -> Board:
    """Return *board* if it is a `Board`.

    Raises:
        InvalidArgument: *board* is something else.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(
            f"a picture shows a Board, not {show(board)}; Board.from_notation reads a notation"
        )
    return board


def checked_text(name: str, text: object) -> str:
    """Return *text* if it can be written.

    Raises:
        InvalidArgument: *text* is not text, or has half a character (a lone surrogate).
    """
    words = check_kind(f"{name} is text", text, str)
    try:
        words.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} has half a character, which no font has: {show(words)}") from None
    return words


@contextmanager
def _required(requirement: str, value: object) -> Iterator[None]:
    """Convert errors of Python about *value* to an `InvalidArgument` with the requirement."""
    try:
        yield
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{requirement}, not {show(value)}") from None


def _checked_numbers(kind: str, values: Iterable[int], n: int) -> list[int]:
    """Return the distinct numbers of tiles or vertices in ascending order."""
    with _required(f"the {kind} numbers to plot must be a list", values):
        numbers = list(values)
    return sorted({check_count(f"a {kind} to plot", number, 0, n - 1) for number in numbers})


def _checked_order(layout: Layout, placement: Any) -> list[Settlement]:
    """Return the settlements, each with the other end of its road or None."""
    order: Any = [] if placement is None else getattr(placement, "order", placement)
    form = "(player, vertex) or (player, vertex, road)"
    with _required(f"a placement must have {form} in the order placed", order):
        moves = [tuple(move) for move in order]
        roads = getattr(placement, "roads", None) or [move[2] if move[2:] else None for move in moves]
        if any(len(move) > 3 for move in moves):
            raise ValueError
        settled = [(*move[:2], road) for move, road in zip(moves, roads, strict=True)]
        vertices = [vertex for _, vertex, _ in settled]
    if len(_checked_numbers("vertex", vertices, layout.n_vertices)) < len(vertices):
        raise InvalidArgument(f"two settlements of the placement share a vertex: {show(moves)}")
    for player, vertex, road in settled:
        check_count("a player to plot", player, 1)
        if road is not None and whole_number(road) not in layout.vertex_neighbors[vertex]:
            raise InvalidArgument(f"there is no edge from vertex {vertex} to {show(road)} for a road")
    return settled


def _checked_arrows(layout: Layout, arrows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    with _required("arrows must be pairs of vertices", arrows):
        pairs = [(a, b) for a, b in arrows]
    for pair in pairs:
        if len(_checked_numbers("vertex", pair, layout.n_vertices)) < 2:
            raise InvalidArgument(f"an arrow must join two different vertices, not {show(pair)}")
    return pairs


def _checked_captions(captions: Iterable[str] | None, n: int) -> list[str]:
    if captions is None:
        return [""] * n
    is_list = isinstance(captions, Iterable) and not isinstance(captions, str)
    lines = list(islice(captions, n + 1)) if is_list else []
    if len(lines) != n or not all(isinstance(line, str) for line in lines):
        raise InvalidArgument(f"captions must be one text per board, {n} in all, not {show(captions)}")
    return [checked_text("a caption", line) for line in lines]


def _checked_heat(layout: Layout, heat: Sequence[float | None] | None) -> list[float] | None:
    if heat is None:
        return None
    with _required("heat must be one number or None per vertex", heat):
        values = [nan if value is None else float(value) for value in heat]
    if len(values) != layout.n_vertices:
        raise InvalidArgument(
            f"the board has {layout.n_vertices} vertices, but heat has {len(values)} values"
        )
    if any(isinf(value) for value in values):
        raise InvalidArgument("heat has an infinite value; use None for a vertex without a value")
    if all(isnan(value) for value in values):
        raise InvalidArgument("heat has no value at all; give at least one vertex a number")
    return values
