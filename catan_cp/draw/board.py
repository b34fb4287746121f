"""Pictures of one board, on axes or as text, and picture files.

All pictures of boards, including print sheets, use `content.Content` for their content and size, and
`layers.paint` to plot it on axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, overload

from catan_cp.boards.board import Board
from catan_cp.draw.content import checked_board, checked_text, read_content
from catan_cp.draw.gallery import gallery_svg, plot_gallery
from catan_cp.draw.style import default_settings, find_theme
from catan_cp.draw.titles import TITLE, title_height, write_title
from catan_cp.errors import CatanError, InvalidArgument, check_choice, check_number, listed, show
from catan_cp.files import checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDTH = 6.0
"""Width of a picture in inches, which is 600 pixels on a screen."""

ENDINGS = (".png", ".svg", ".pdf")
"""Endings of picture files."""

_FORMATS = tuple(ending.removeprefix(".") for ending in ENDINGS)

FILE_DPI = 200
"""Pixels per inch of a PNG file, which makes 1200 pixels for a board."""

_MOST_PIXELS = 2**16  # matplotlib's limit, exclusive


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
    ghosts: Iterable[tuple[int, int]] = (),
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
        ghosts: other vertices for settlements of the placement: pairs of a settlement's number, from 1, and a
            vertex, which has a pale house with the number unless it is settled.
        theme: ``"light"``, ``"dark"``, ``"print"`` (black on white), or ``"plain"`` (the colours of
            dralexportfolio 2025, without patterns).

    Coordinates of the axes are in tile edges. A point (x, y) of `Layout.tiles` or `Layout.vertices` is
    plotted at X = x * sqrt(3) / 2 and Y = -y / 2.

    Raises:
        InvalidArgument: *board* is not a board, *theme* is unknown, a settlement, road, arrow or ring is not
            on the board, or *heat* does not have one value per vertex.

    Example:
        >>> import catan_cp
        >>> axes = plot_board(catan_cp.generate_board("tournament", seed=1), title="Game 1")
        >>> axes.figure.savefig("board.png")
    """
    from catan_cp.draw import layers
    from catan_cp.draw import picture as pictures

    look = find_theme(theme)
    title = checked_text("title", "" if title is None else title)
    content = read_content(
        board, placement, heat, heat_label, ring_tiles, ring_vertices, arrows, ghosts,
        key=key, letters=letters, patterns=patterns, numbers=numbers,
    )  # fmt: skip
    if ax is None:
        board_height = WIDTH * content.whole.height / content.whole.width
        height = board_height + (title_height(title, TITLE) if title else 0)
        picture = pictures.new_picture(WIDTH, height, look.background)
        ax = pictures.add_axes(picture, 0, 0, 1, board_height / height)
    layers.paint(pictures.checked_axes(ax), content, look)
    if title:
        write_title(ax, title, look, TITLE)
    return ax


# Files and text


@overload
def save_picture(
    picture: Board | Sequence[Board] | Figure | SubFigure | Axes,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> Path: ...


@overload
def save_picture(
    picture: Board | Sequence[Board] | Figure | SubFigure | Axes,
    path: IO[bytes],
    *,
    format: str | None = None,
    force: bool = False,
    dpi: float = FILE_DPI,
    **options: Any,
) -> None: ...


def save_picture(
    picture: Board | Sequence[Board] | Figure | SubFigure | Axes,
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
        picture: a board, a list of boards, or a figure or axes of matplotlib. A part of a figure means the
            whole figure. SVG files of boards are written without matplotlib, as by `board_svg` and
            `gallery_svg`.
        path: the path of the file, in an existing folder, or a file object open for writing bytes.
        format: for a file object only: ``"png"`` (default), ``"svg"`` or ``"pdf"``. The ending of a path
            determines the format.
        force: overwrite an existing file.
        dpi: pixels per inch of a PNG file. A board is 6 inches wide.
        options: the options of `plot_board` for a board, of `plot_gallery` for a list of boards.

    Returns:
        The path, or None for a file object.

    Raises:
        InvalidArgument: the ending or format is unknown, the file exists and *force* is False, the folder is
            missing, a file object does not accept bytes, or *dpi* is not a positive number or makes too many
            pixels.
        CatanError: the file cannot be written.
    """
    target: Path | None = None
    if isinstance(path, (str, PathLike)) or not callable(getattr(path, "write", None)):
        if format is not None:
            raise InvalidArgument("format is only for a file object; the ending of a path decides the format")
        target = checked_path(path, ENDINGS, force=force)  # type: ignore[arg-type]
        ending = target.suffix.lower()
    else:
        ending = "." + check_choice("format", "png" if format is None else format, _FORMATS)
    dpi = check_number("dpi", dpi, 0)
    content = _bytes(picture, ending, dpi, options)
    if target is None:
        _write_to(path, content)
    else:
        write_whole(target, content, force=force)
    return target


def _bytes(picture: Any, ending: str, dpi: float, options: dict[str, Any]) -> bytes:
    """Return the content of a picture file."""
    from catan_cp.draw import picture as pictures

    is_list = isinstance(picture, (list, tuple))
    if ending == ".svg" and (is_list or isinstance(picture, Board)):
        text = (gallery_svg if is_list else board_svg)(picture, **options)
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'.encode()
    if is_list or isinstance(picture, Board):
        picture = (plot_gallery if is_list else plot_board)(picture, **options)
    elif options:
        raise InvalidArgument(f"{listed(options)} is only for a Board; this figure is already plotted")
    figure = pictures.root_figure(picture)
    lengths = [inches * dpi for inches in figure.get_size_inches().tolist()]
    if ending == ".png" and not 1 <= min(lengths) <= max(lengths) < _MOST_PIXELS:
        words = " by ".join(f"{length:.4g}" for length in lengths)
        raise InvalidArgument(f"dpi of {dpi:g} makes {words} pixels; a side has 1 to {_MOST_PIXELS - 1:,}")
    return pictures.render(figure, ending, dpi)


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

    Example:
        >>> import catan_cp
        >>> board_svg(catan_cp.generate_board("tournament", seed=1))[:4]
        '<svg'
    """
    from catan_cp.draw.layers import paint_layers
    from catan_cp.draw.svg import SvgCanvas, svg_text

    label = f"Catan board {checked_board(board).notation()}"
    look = find_theme(theme)
    title = checked_text("title", "" if title is None else title)
    content = read_content(board, **options)
    unit = 72 * WIDTH / content.whole.width
    above = 72 * title_height(title, TITLE) if title else 0.0
    canvas = SvgCanvas(look, content.whole, unit, above)
    paint_layers(canvas, content)
    width, height = 72 * WIDTH, above + content.whole.height * unit
    canvas.title(title, TITLE, width / 2, above - 4)
    return svg_text(label, width, height, look.background, canvas.body())


def board_png(board: Board, **options: Any) -> bytes:
    """Return the board as a PNG picture, 600 pixels wide.

    Args:
        board: the board.
        options: the options of `plot_board`.

    Example:
        >>> import catan_cp
        >>> board_png(catan_cp.generate_board("tournament", seed=1))[1:4]
        b'PNG'
    """
    from catan_cp.draw import picture as pictures

    return pictures.render(pictures.root_figure(plot_board(board, **options)), ".png", pictures.DPI)
