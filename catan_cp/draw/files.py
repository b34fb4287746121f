"""Pictures as files and as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.draw.board import plot_board
from catan_cp.errors import CatanError, InvalidArgument, listed, show, show_path
from catan_cp.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ENDINGS = (".png", ".svg", ".pdf")
"""The endings of files that pictures are written to."""

DPI = 200
"""Pixels per inch of a PNG file: 1200 pixels for a board."""

_UNDATED: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_picture(
    picture: Board | Figure | SubFigure | Axes,
    path: str | PathLike[str],
    *,
    force: bool = False,
    dpi: float = DPI,
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
        InvalidArgument: an unknown or missing ending, an existing file without *force*, a missing folder.
        CatanError: the file cannot be written.
    """
    target = checked_path(path, ENDINGS, force=force)
    data = render(_figure(picture, options), target.suffix.lower(), dpi)
    write_whole(target, data)
    return target


def board_svg(board: Board, **options: Any) -> str:
    """Return the board as an ``<svg>`` element for a web page or a notebook; the same text every time."""
    from catan_cp.draw.picture import root_figure

    figure = root_figure(plot_board(board, **options))
    text = render(figure, ".svg", 72).decode("utf-8")
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", text)
    text = re.sub(r' d="([^"]*)"', lambda path: f' d="{_relative(path[1])}"', text)
    return text.replace("<svg ", f'<svg role="img" aria-label="Catan board {board.notation()}" ', 1)


def _relative(path: str) -> str:
    """Return the data of an SVG path with each point relative to the one before, in hundredths.

    That halves the size of a board, most of which are the short strokes of patterns. Every point is rounded
    by itself, so errors do not add up.
    """
    here = start = (0, 0)
    parts = []
    for command, numbers in re.findall(r"([MLQCz])([^MLQCz]*)", path):
        values = [round(100 * float(number)) for number in numbers.split()]
        points = list(zip(values[::2], values[1::2], strict=True))
        words = [_hundredths(b - a) for point in points for a, b in zip(here, point, strict=True)]
        parts.append(command.lower() + re.sub(" -", "-", " ".join(words)))
        here = points[-1] if points else start
        start = here if command == "M" else start
    return "".join(parts)


def _hundredths(number: int) -> str:
    """Return a number of hundredths as a decimal, without zeros that say nothing."""
    text = f"{abs(number) / 100:.2f}".rstrip("0").rstrip(".").removeprefix("0") or "0"
    return f"-{text}" if number < 0 else text


def board_png(board: Board, **options: Any) -> bytes:
    """Return the board as a PNG picture 600 pixels wide, for what shows no SVG."""
    from catan_cp.draw.picture import DPI as SCREEN
    from catan_cp.draw.picture import root_figure

    return render(root_figure(plot_board(board, **options)), ".png", SCREEN)


def render(figure: Figure, ending: str, dpi: float) -> bytes:
    """Return the bytes of a picture file, without dates and random names in it."""
    import matplotlib

    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "catan_cp", "svg.fonttype": "path", "savefig.bbox": None}):
        figure.savefig(
            buffer, format=ending[1:], dpi=dpi, facecolor=figure.get_facecolor(), metadata=_UNDATED[ending]
        )
    return buffer.getvalue()


def render_pages(figures: Sequence[Figure]) -> bytes:
    """Return the bytes of a PDF with a page per figure."""
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = BytesIO()
    with PdfPages(buffer, metadata=_UNDATED[".pdf"]) as pages:
        for figure in figures:
            figure.savefig(pages, format="pdf", dpi=72, facecolor=figure.get_facecolor())
    return buffer.getvalue()


def checked_path(path: str | PathLike[str], endings: Sequence[str], *, force: bool) -> Path:
    """Return *path* as a place where a file with one of these endings can be written.

    Raises:
        InvalidArgument: it has another ending or none, exists and *force* is not set, or has no folder.
        CatanError: the system refuses the name, or to look.
    """
    try:
        target = Path(path)
    except TypeError:
        raise InvalidArgument(f"a picture's file is a path, not {show(path)}") from None
    if target.suffix.lower() not in endings:
        given = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise InvalidArgument(f"{show_path(path)} has {given}; name a file that ends in {listed(endings)}")
    try:
        obstacle = _obstacle(target, force)
    except OSError as error:
        raise _unwritable(target, error) from error
    if obstacle:
        raise InvalidArgument(obstacle)
    return target


def _obstacle(target: Path, force: bool) -> str | None:
    if target.is_dir():
        return f"{show_path(target)} is a folder; name a file"
    if not target.parent.is_dir():
        return f"there is no folder {show_path(target.parent)} for {show(target.name)}; make it first"
    if (target.exists() or target.is_symlink()) and not force:
        return f"{show_path(target)} exists; choose another name, or overwrite it with force=True"
    return None


def _unwritable(target: Path, error: Exception) -> CatanError:
    return CatanError(f"cannot write {show_path(target)}: {getattr(error, 'strerror', None) or error}")


def _figure(picture: object, options: dict[str, Any]) -> Figure:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from catan_cp.draw.picture import root_figure

    if isinstance(picture, Board):
        return root_figure(plot_board(picture, **options))
    if options:
        raise InvalidArgument(f"{listed(options)} is for a Board; this figure is drawn already")
    if isinstance(picture, (Axes, Figure, SubFigure)):
        return root_figure(picture)
    raise InvalidArgument(f"a picture is a Board, or a figure or axes of matplotlib, not {show(picture)}")
