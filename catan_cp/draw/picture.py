"""A figure and axes that a notebook shows by themselves, made without pyplot.

Figures made by pyplot stay in memory until they are closed, and need a choice of window system; these
do neither. This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from catan_cp.draw.style import Color

DPI = 100
"""Pixels per inch of a picture on a screen."""


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


def root_figure(axes: Axes) -> Figure:
    """Return the figure that holds the axes, whole even where they stand in a part of it."""
    figure = axes.figure
    while isinstance(figure, SubFigure):
        figure = figure.figure
    assert isinstance(figure, Figure), "these axes were removed from their figure"
    return figure


def new_picture(width: float, height: float, background: Color) -> Picture:
    """Return an empty figure of that size in inches."""
    picture = Picture(figsize=(width, height), dpi=DPI, facecolor=background)
    FigureCanvasAgg(picture)
    return picture


def add_axes(picture: Figure, left: float, bottom: float, width: float, height: float) -> PictureAxes:
    """Return new axes at that place, in parts of the figure."""
    axes = PictureAxes(picture, (left, bottom, width, height))
    picture.add_axes(axes)
    return axes
