"""Papers, and the scale that tells whether a printer kept to their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catan_cp.draw.style import find_theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPERS = {"A4": (210.0, 297.0), "A3": (297.0, 420.0), "Letter": (215.9, 279.4)}
"""Width and height of the papers, upright, in millimetres."""

MARGIN = 8.0  # what printers leave white
INCH = 25.4
SCALE = 50.0  # the length of the scale, in millimetres


def draw_scale(ax: Axes, right: float, y: float) -> None:
    """Draw a scale that ends at *right*, in axes of millimetres."""
    from catan_cp.draw.layers import outlines, polygons
    from catan_cp.draw.shapes import pier, text_path

    ink = [find_theme("print").text]
    left = right - SCALE
    bars = [pier((left, y), (right, y), 0.3)] + [pier((x, y - 1), (x, y + 1), 0.3) for x in (left, right)]
    polygons(ax, bars, ink, gid="scale")
    words = text_path(f"{SCALE:g} mm", ((left + right) / 2, y + 2.2), 1.8, bold=False)
    outlines(ax, [words], ink, gid="words")
