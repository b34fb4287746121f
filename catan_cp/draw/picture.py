"""A figure and axes that a notebook shows by themselves, made without pyplot.

Figures made by pyplot stay in memory until they are closed, and need a choice of window system; these
do neither. This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from catan_cp.draw.style import Color
from catan_cp.errors import InvalidArgument, show

DPI = 100
"""Pixels per inch of a picture on a screen."""

_PAD = 0.07  # inches around axes and their words


class Picture(Figure):
    """A figure that is its own picture in a notebook."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


class PictureAxes(Axes):
    """Axes that show the whole figure in a notebook."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        root_figure(self).savefig(buffer, format="png")
        return buffer.getvalue()


def root_figure(picture: Axes | Figure | SubFigure) -> Figure:
    """Return the figure that holds the axes or the part of a figure."""
    figure = picture.figure if isinstance(picture, Axes) else picture
    while isinstance(figure, SubFigure):
        figure = figure.figure
    assert isinstance(figure, Figure), "these axes were removed from their figure"
    return figure


def new_picture(width: float, height: float, background: Color) -> Picture:
    """Return an empty figure of that size in inches."""
    picture = Picture(figsize=(width, height), dpi=DPI, facecolor=background)
    FigureCanvasAgg(picture)
    return picture


def add_axes(
    picture: Figure | SubFigure, left: float, bottom: float, width: float, height: float
) -> PictureAxes:
    """Return new axes at that place, in parts of the figure."""
    axes = PictureAxes(picture, (left, bottom, width, height))
    picture.add_axes(axes)
    return axes


# Several axes in one picture


def picture_in(ax: Axes | None, width: float, height: float, background: Color) -> Figure | SubFigure:
    """Return a figure of that size in inches that lays itself out, or, with *ax*, what `part_at` does."""
    if ax is not None:
        return part_at(ax, background)
    return laid_out(width, height, background)


def laid_out(width: float, height: float, background: Color) -> Picture:
    """Return an empty figure of that size in inches that makes room for the words of its axes."""
    picture = new_picture(width, height, background)
    picture.set_layout_engine("constrained", w_pad=_PAD, h_pad=_PAD)
    return picture


def part_at(ax: Axes, background: Color) -> SubFigure:
    """Return a part of the axes' figure in their place.

    The axes stay, turned off, so that whoever laid out the figure finds it as it was.

    Raises:
        InvalidArgument: *ax* is something else.
    """
    if not isinstance(ax, Axes):
        raise InvalidArgument(f"ax is matplotlib axes, not {show(ax)}")
    ax.set_axis_off()
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


def axes_grid(
    picture: Figure | SubFigure,
    rows: int,
    columns: int,
    *,
    edges: tuple[float, float, float, float] = (0.8, 0.6, 0.2, 0.7),
    gaps: tuple[float, float] = (0.7, 0.8),
    **options: Any,
) -> list[list[PictureAxes]]:
    """Return axes in rows and columns.

    Where the figure is not laid out for its words, *edges* (left, bottom, right, top) and *gaps* (between
    columns, between rows) in inches are kept free for them, or less where all of it is small.
    """
    if not isinstance(picture.get_layout_engine(), ConstrainedLayoutEngine):
        width, height = size_of(picture)
        left, bottom, right, top = edges
        across = (width - left - right - gaps[0] * (columns - 1)) / columns
        down = (height - bottom - top - gaps[1] * (rows - 1)) / rows
        if min(across, down) > 0.1:
            options["gridspec_kw"] = {
                "left": left / width,
                "right": 1 - right / width,
                "bottom": bottom / height,
                "top": 1 - top / height,
                "wspace": gaps[0] / across,
                "hspace": gaps[1] / down,
            }
    grid = picture.subplots(rows, columns, squeeze=False, subplot_kw={"axes_class": PictureAxes}, **options)
    return [list(row) for row in np.asarray(grid)]
