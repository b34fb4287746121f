"""Figures, axes in them, what is drawn on axes, and pictures as files and as text, all without pyplot.

Figures made by pyplot stay in memory until they are closed, and need a choice of window system; these do
neither, and a notebook shows them by themselves. Text on a board is outlines, so that it grows and shrinks
with the board in any axes. This module loads matplotlib, which takes half a second: what the package's face
shows imports it inside functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import path as paths
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from catan_cp.draw.shapes import XY, Box, Line
from catan_cp.draw.style import Color, Theme, default_settings
from catan_cp.errors import InvalidArgument, show

DPI = 100
"""Pixels per inch of a picture on a screen."""

_PAD = 0.07  # inches around axes and their words
_CAP = 0.729  # the height of a capital or a digit in DejaVu Sans, in ems
_FONT = "DejaVu Sans"  # travels with matplotlib, so that pictures are equal on every machine
_UNDATED: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


class _Shown:
    """What a notebook shows as the whole figure."""

    def _repr_png_(self) -> bytes:
        return render(root_figure(self), ".png", DPI)


class Picture(_Shown, Figure):
    """A figure that is its own picture in a notebook."""

    @default_settings()
    def draw(self, renderer: RendererBase) -> None:
        """Draw with default settings too: matplotlib makes ticks only now, also when users save a figure."""
        super().draw(renderer)


class PictureAxes(_Shown, Axes):
    """Axes that show the whole figure in a notebook."""


def root_figure(picture: object) -> Figure:
    """Return the figure that holds the axes or the part of a figure.

    Raises:
        InvalidArgument: *picture* is none of these.
    """
    figure = picture.figure if isinstance(picture, Axes) else picture
    while isinstance(figure, SubFigure):
        figure = figure.figure
    if not isinstance(figure, Figure):
        raise InvalidArgument(f"a picture is a Board, or a figure or axes of matplotlib, not {show(picture)}")
    return figure


def checked_axes(ax: object) -> Axes:
    """Return *ax* where it is axes.

    Raises:
        InvalidArgument: it is something else.
    """
    if not isinstance(ax, Axes):
        raise InvalidArgument(f"ax is matplotlib axes, not {show(ax)}")
    return ax


# Figures and axes


def new_picture(width: float, height: float, background: Color, *, laid_out: bool = False) -> Picture:
    """Return an empty figure of that size in inches; *laid_out*, one that makes room for its axes' words."""
    picture = Picture(figsize=(width, height), dpi=DPI, facecolor=background)
    FigureCanvasAgg(picture)
    if laid_out:
        picture.set_layout_engine("constrained", w_pad=_PAD, h_pad=_PAD)
    return picture


def add_axes(picture: FigureBase, left: float, bottom: float, width: float, height: float) -> PictureAxes:
    """Return new axes at that place, in parts of the figure."""
    axes = picture.add_axes((left, bottom, width, height), axes_class=PictureAxes)
    assert isinstance(axes, PictureAxes)
    return axes


def part_at(ax: Axes, background: Color) -> SubFigure:
    """Return a part of the axes' figure in their place.

    The axes stay, turned off, so that whoever laid out the figure finds it as it was.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    checked_axes(ax).set_axis_off()
    figure = ax.figure
    spot = ax.get_subplotspec()
    if spot is None or not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        # Nothing will move them, so this is the middle cell of a grid around the place that they have.
        box = ax.get_position()
        widths, heights = (box.x0, box.width, 1 - box.x1), (1 - box.y1, box.height, box.y0)
        grid = figure.add_gridspec(3, 3, width_ratios=widths, height_ratios=heights, wspace=0, hspace=0)
        spot = grid[1, 1]
    return figure.add_subfigure(spot, facecolor=background)


def size_of(picture: Figure | SubFigure) -> tuple[float, float]:
    """Return width and height in inches."""
    return picture.bbox.width / picture.dpi, picture.bbox.height / picture.dpi


# What is drawn on axes


@dataclass(frozen=True)
class Canvas:
    """Axes that show a box of the plane, and the shapes that are drawn on them.

    There are collections rather than one artist a shape, for a board has hundreds of them. *fill* and *ink*
    are a colour per shape, or one for all. Widths of lines are in the axes' own unit, which is *unit* points.
    """

    ax: Axes
    theme: Theme
    unit: float

    @classmethod
    def on(cls, ax: Axes, theme: Theme, box: Box) -> Canvas:
        """Make the axes show the box, and nothing of themselves."""
        room = ax.get_window_extent()
        pixels = min(room.width / box.width, room.height / box.height)
        ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top), aspect="equal", xticks=[], yticks=[])
        ax.set_facecolor(theme.background)
        ax.spines[:].set_visible(False)
        return cls(ax, theme, float(pixels * 72 / ax.figure.dpi))

    def add(self, shapes: Any, gid: str, width: float = 0, level: float = 1) -> None:
        """Draw what matplotlib calls a collection, with lines so wide; a higher level covers a lower one."""
        shapes.set(gid=gid, zorder=level, linewidths=width * self.unit)
        self.ax.add_collection(shapes, autolim=False)

    def polygons(self, corners: Sequence[Line], fill: Any, gid: str, edge: Any = "none", **at: float) -> None:
        """Draw polygons, given by their corners; *at*: the width of their edges, the level."""
        self.add(PolyCollection(corners, facecolors=fill, edgecolors=edge), gid, **at)

    def discs(
        self, centres: Line, radius: float, fill: Any, gid: str, edge: Any = "none", **at: float
    ) -> EllipseCollection:
        """Draw discs of one radius."""
        spots = np.reshape(centres, (-1, 2))  # also where there are none, for matplotlib before 3.11
        shapes = EllipseCollection(
            [2 * radius], [2 * radius], [0], units="xy", offsets=spots, offset_transform=self.ax.transData,
            facecolors=fill, edgecolors=edge,
        )  # fmt: skip
        self.add(shapes, gid, **at)
        return shapes

    def strokes(
        self, lines: Sequence[Line], ink: Any, width: float, gid: str, level: float = 1, **look: Any
    ) -> None:
        """Draw polylines."""
        self.add(LineCollection(lines, colors=ink, **look), gid, width, level)

    def words(
        self, texts: Iterable[tuple[str, XY, float]], ink: Any, gid: str, bold: bool = True, level: float = 1
    ) -> None:
        """Write texts, each centred at a place, with capitals of that height."""
        outlines = [text_path(text, spot, cap, bold=bold) for text, spot, cap in texts]
        self.add(PathCollection(outlines, facecolors=ink, edgecolors="none"), gid, level=level)


def text_width(text: str, cap: float, *, bold: bool = True) -> float:
    """Return how wide *text* is with capitals of height *cap*."""
    return _outline(text, bold)[1] * cap


def text_path(text: str, centre: XY, cap: float, *, bold: bool = True) -> paths.Path:
    """Return the outlines of *text* with capitals of height *cap*, centred."""
    path, width = _outline(text, bold)
    return path.transformed(Affine2D().translate(-width / 2, -0.5).scale(cap).translate(*centre))


@cache
def _outline(text: str, bold: bool) -> tuple[paths.Path, float]:
    """The outlines from x = 0 on the baseline, and their width, with capitals of height 1."""
    font = FontProperties(family=_FONT, weight="bold" if bold else "normal")
    points, codes = text_to_path.get_text_path(font, text)
    if not len(points):
        return paths.Path(np.empty((0, 2))), 0.0
    corners = np.array(points) / (text_to_path.FONT_SCALE * _CAP)
    left, right = paths.Path(corners, codes).get_extents().intervalx
    return paths.Path(corners - (left, 0), codes), float(right - left)


# Files


@default_settings()
def render(figure: Figure, ending: str, dpi: float) -> bytes:
    """Return the bytes of a picture file, without dates and random names in it."""
    buffer = BytesIO()
    figure.savefig(
        buffer, format=ending[1:], dpi=dpi, facecolor=figure.get_facecolor(), metadata=_UNDATED[ending]
    )
    return buffer.getvalue()


@default_settings()
def render_pages(figures: Iterable[Figure]) -> bytes:
    """Return the bytes of a PDF with a page per figure."""
    from matplotlib.backends.backend_pdf import PdfPages  # a sixth of what the first picture takes to load

    buffer = BytesIO()
    with PdfPages(buffer, metadata=_UNDATED[".pdf"]) as pages:
        for figure in figures:
            figure.savefig(pages, format="pdf", dpi=72, facecolor=figure.get_facecolor())
    return buffer.getvalue()


def render_svg(figure: Figure, label: str) -> str:
    """Return an ``<svg>`` element that says *label* to who cannot see it."""
    text = render(figure, ".svg", 72).decode("utf-8")
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", text)
    text = re.sub(r' d="([^"]*)"', lambda path: f' d="{_relative(path[1])}"', text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


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
        steps = (b - a for point in points for a, b in zip(here, point, strict=True))
        words = ["-" * (step < 0) + (f"{abs(step) / 100:g}".removeprefix("0") or "0") for step in steps]
        parts.append(command.lower() + re.sub(" -", "-", " ".join(words)))
        here = points[-1] if points else start
        start = here if command == "M" else start
    return "".join(parts)
