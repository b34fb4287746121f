"""Figures, axes, shapes on axes, and rendering to files and text, without pyplot.

Figures of pyplot stay in memory until they are closed, and need a window system. Figures of this module do
not, and a notebook shows them without further calls. Text on a board consists of outlines, so that it scales
with the board in any axes. This module loads matplotlib, which takes half a second, so public modules import
it inside functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import path as paths
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import Affine2D

from catan_cp.draw.glyphs import text_outline
from catan_cp.draw.shapes import XY, Box, Line, moved
from catan_cp.draw.style import Color, Theme, default_settings
from catan_cp.errors import InvalidArgument, show

DPI = 100
"""Pixels per inch of a picture on a screen."""

_PAD = 0.07  # inches around axes and their text
_TEXT = 9.0  # points of text in charts
_LEFT, _RIGHT, _BELOW, _ABOVE = 0.8, 0.2, 0.6, 0.7  # inches for text around panels
_BESIDE, _BETWEEN = 0.7, 0.8  # inches between columns and between rows of panels
_CODES = {"M": paths.Path.MOVETO, "L": paths.Path.LINETO, "Q": paths.Path.CURVE3, "C": paths.Path.CURVE4}
_CODES["Z"] = paths.Path.CLOSEPOLY
_UNDATED: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


class _WholeFigurePng:
    """Mixin that shows the whole figure in a notebook."""

    def _repr_png_(self) -> bytes:
        return render(root_figure(self), ".png", DPI)


class NotebookFigure(_WholeFigurePng, Figure):
    """Figure that a notebook shows as a picture."""

    @default_settings()
    def draw(self, renderer: RendererBase) -> None:
        """Render with default settings, because matplotlib creates ticks as late as this."""
        super().draw(renderer)


class PictureAxes(_WholeFigurePng, Axes):
    """Axes that a notebook shows as a picture of the whole figure."""


def root_figure(picture: object) -> Figure:
    """Return the figure of axes or of a part of a figure.

    Raises:
        InvalidArgument: *picture* is not a figure, a part of a figure, or axes.
    """
    figure = picture.figure if isinstance(picture, Axes) else picture
    while isinstance(figure, SubFigure):
        figure = figure.figure
    if not isinstance(figure, Figure):
        raise InvalidArgument(
            f"a picture must be a Board, or a figure or axes of matplotlib, not {show(picture)}"
        )
    return figure


def checked_axes(ax: object) -> Axes:
    """Return *ax* if it is axes.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if not isinstance(ax, Axes):
        raise InvalidArgument(f"ax must be matplotlib axes, not {show(ax)}")
    return ax


# Figures and axes


def new_picture(width: float, height: float, background: Color, *, laid_out: bool = False) -> NotebookFigure:
    """Return an empty figure.

    Args:
        width: its width in inches.
        height: its height in inches.
        background: its colour.
        laid_out: True to make room for the text around axes automatically.
    """
    picture = NotebookFigure(figsize=(width, height), dpi=DPI, facecolor=background)
    FigureCanvasAgg(picture)
    if laid_out:
        picture.set_layout_engine("constrained", w_pad=_PAD, h_pad=_PAD)
    return picture


def add_axes(picture: FigureBase, x: float, y: float, width: float, height: float) -> PictureAxes:
    """Return new axes with their lower left corner at (x, y), all in fractions of the figure."""
    axes = picture.add_axes((x, y, width, height), axes_class=PictureAxes)
    assert isinstance(axes, PictureAxes)
    return axes


def part_at(ax: Axes, background: Color) -> SubFigure:
    """Return a part of a figure in the place of its axes, which become invisible.

    Raises:
        InvalidArgument: *ax* is not axes.
    """
    checked_axes(ax).set_axis_off()
    figure = ax.figure
    spot = ax.get_subplotspec()
    if spot is None or not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        # The axes cannot move, so the part is the middle cell of a grid around their place.
        box = ax.get_position()
        widths, heights = (box.x0, box.width, 1 - box.x1), (1 - box.y1, box.height, box.y0)
        grid = figure.add_gridspec(3, 3, width_ratios=widths, height_ratios=heights, wspace=0, hspace=0)
        spot = grid[1, 1]
    return figure.add_subfigure(spot, facecolor=background)


def size_of(picture: Figure | SubFigure) -> tuple[float, float]:
    """Return width and height in inches."""
    return picture.bbox.width / picture.dpi, picture.bbox.height / picture.dpi


# Axes of charts


def panels(
    ax: Axes | None, size: tuple[float, float], rows: int, columns: int, theme: Theme, **options: Any
) -> tuple[Figure | SubFigure, list[list[Axes]]]:
    """Return a figure and its axes in rows and columns.

    Args:
        ax: axes to replace with a part of their figure. By default, a new figure with automatic layout.
        size: the width and height of a new figure in inches.
        rows: the number of rows.
        columns: the number of columns.
        theme: the theme.
        options: further options of a figure's ``subplots``, such as ``sharex``.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if ax is None:
        figure: Figure | SubFigure = new_picture(*size, theme.background, laid_out=True)
    else:
        figure = part_at(ax, theme.background)
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        width, height = size_of(figure)
        across = (width - _LEFT - _RIGHT - _BESIDE * (columns - 1)) / columns
        down = (height - _BELOW - _ABOVE - _BETWEEN * (rows - 1)) / rows
        if min(across, down) > 0.1:
            free = {"left": _LEFT / width, "right": 1 - _RIGHT / width, "bottom": _BELOW / height}
            free |= {"top": 1 - _ABOVE / height, "wspace": _BESIDE / across, "hspace": _BETWEEN / down}
            options["gridspec_kw"] = free
    grid = figure.subplots(rows, columns, squeeze=False, subplot_kw={"axes_class": PictureAxes}, **options)
    return figure, grid.tolist()


def dress(ax: Axes, theme: Theme, title: str | None = None, *, grid: str = "both") -> None:
    """Apply the colours and font size of the theme to axes, with a grid and a title."""
    ax.set_facecolor(theme.background)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(theme.text)
    ax.tick_params(which="both", colors=theme.text, labelsize=_TEXT)
    ax.xaxis.label.set(color=theme.text, size=_TEXT + 1)
    ax.yaxis.label.set(color=theme.text, size=_TEXT + 1)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color=theme.grid, linewidth=0.8)  # type: ignore[arg-type]
    if title:
        ax.set_title(title, color=theme.text, fontsize=_TEXT + 2, parse_math=False)


def legend(ax: Axes, theme: Theme) -> None:
    """Add a legend in the emptiest part of the axes."""
    words = ax.legend(frameon=False, fontsize=_TEXT)
    for text in words.get_texts():
        text.set_color(theme.text)


# Shapes on axes


@dataclass(frozen=True)
class Canvas:
    """Axes that show a box of the plane, with methods that add shapes.

    Each call adds one matplotlib collection, because a board has hundreds of shapes. *fill* and *ink* are one
    colour per shape, or one colour for all. Widths of lines are in data units, of which each is *unit*
    points.
    """

    ax: Axes
    theme: Theme
    unit: float

    @classmethod
    def on(cls, ax: Axes, theme: Theme, box: Box) -> Canvas:
        """Return a canvas on axes that show the box without ticks and spines."""
        room = ax.get_window_extent()
        pixels = min(room.width / box.width, room.height / box.height)
        ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top), aspect="equal", xticks=[], yticks=[])
        ax.set_facecolor(theme.background)
        ax.spines[:].set_visible(False)
        return cls(ax, theme, float(pixels * 72 / ax.figure.dpi))

    def add(self, shapes: Any, gid: str, width: float = 0, level: float = 1) -> None:
        """Add a matplotlib collection. A higher level covers a lower one."""
        shapes.set(gid=gid, zorder=level, linewidths=width * self.unit)
        self.ax.add_collection(shapes, autolim=False)

    def polygons(
        self, outlines: Sequence[Line], fill: Any, gid: str, edge: Any = "none", **at: float
    ) -> None:
        """Add polygons, with the width of their edges and the level in *at*."""
        self.add(PolyCollection(outlines, facecolors=fill, edgecolors=edge), gid, **at)

    def discs(
        self, centres: Line, radius: float, fill: Any, gid: str, edge: Any = "none", **at: float
    ) -> None:
        """Add discs of one radius."""
        spots = np.reshape(centres, (-1, 2))  # matplotlib before 3.11 needs the shape of an empty list
        shapes = EllipseCollection(
            [2 * radius], [2 * radius], [0], units="xy", offsets=spots, offset_transform=self.ax.transData,
            facecolors=fill, edgecolors=edge,
        )  # fmt: skip
        self.add(shapes, gid, **at)

    def strokes(
        self, lines: Sequence[Line], ink: Any, width: float, gid: str, level: float = 1, **look: Any
    ) -> None:
        """Add polylines."""
        self.add(LineCollection(lines, colors=ink, **look), gid, width, level)

    def words(
        self,
        texts: Iterable[tuple[str, XY, float]],
        ink: Any,
        gid: str,
        bold: bool = True,
        level: float = 1,
        turned: bool = False,
    ) -> None:
        """Add texts, each with its centre and the height of its capitals, *turned* to be read upwards."""
        outlines = [text_path(text, spot, cap, bold=bold, turned=turned) for text, spot, cap in texts]
        self.add(PathCollection(outlines, facecolors=ink, edgecolors="none"), gid, level=level)

    def union(self, outlines: Sequence[Line], color: Color, gid: str, width: float) -> None:
        """Add the union of polygons with a broad rounded outline."""
        path = _compound(outlines, closed=True)
        self.add(PathCollection([path], facecolors=color, edgecolors=color, joinstyle="round"), gid, width)

    def stamps(
        self,
        outlines: tuple[Line, ...],
        centres: Line,
        fill: Any,
        gid: str,
        edge: Any = "none",
        *,
        closed: bool = True,
        **at: float,
    ) -> None:
        """Add the same outlines around several centres, as one shape with one colour."""
        lines = [moved(outline, centre) for centre in centres for outline in outlines]
        path = [_compound(lines, closed)] if lines else []
        self.add(PathCollection(path, facecolors=fill, edgecolors=edge), gid, **at)


def _compound(lines: Iterable[Line], closed: bool) -> paths.Path:
    return paths.Path.make_compound_path(
        *(paths.Path([*line, line[0]] if closed else line, closed=closed) for line in lines)
    )


def text_path(text: str, centre: XY, cap: float, *, bold: bool = True, turned: bool = False) -> paths.Path:
    """Return the outlines of *text* around a centre, with capitals of height *cap*."""
    segments, width = text_outline(text, bold)
    closed: list[XY] = [(0.0, 0.0)]  # the vertex of a closing command counts for nothing
    codes = [_CODES[code] for code, line in segments for _ in line or closed]
    points = [point for _, line in segments for point in line or closed]
    path = paths.Path(np.reshape(points, (-1, 2)), codes or None)
    middle = Affine2D().translate(-width / 2, -0.5).rotate_deg(90 * turned)
    return path.transformed(middle.scale(cap).translate(*centre))


# Files


@default_settings()
def render(figure: Figure, ending: str, dpi: float) -> bytes:
    """Return the bytes of a picture file without dates and random names."""
    buffer = BytesIO()
    figure.savefig(
        buffer, format=ending[1:], dpi=dpi, facecolor=figure.get_facecolor(), metadata=_UNDATED[ending]
    )
    return buffer.getvalue()


@default_settings()
def render_pages(figures: Iterable[Figure]) -> bytes:
    """Return the bytes of a PDF with one page per figure."""
    from matplotlib.backends.backend_pdf import PdfPages  # imported late, since it is slow to load

    buffer = BytesIO()
    with PdfPages(buffer, metadata=_UNDATED[".pdf"]) as pages:
        for figure in figures:
            figure.savefig(pages, format="pdf", dpi=72, facecolor=figure.get_facecolor())
    return buffer.getvalue()
