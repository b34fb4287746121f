"""Shapes in the picture's own units: the side of a tile is 1, y grows upwards.

Text is outlines too, so that it grows and shrinks with the board in any axes. This module loads
matplotlib; import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin, sqrt

from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from catan_cp.boards.layout import Layout

XY = tuple[float, float]

HALF_WIDTH = sqrt(3) / 2
"""Half the width of a tile."""

_CAP = 0.729  # the height of a capital or a digit in DejaVu Sans, in ems
_FONT = "DejaVu Sans"  # travels with matplotlib, so that pictures are equal on every machine


@dataclass(frozen=True)
class Box:
    """The part of the plane that a picture shows, in sides of a tile."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom


def place(point: tuple[int, int], sideways: bool = False) -> XY:
    """Return where a layout's exact integer point lies in the picture; *sideways*, a quarter to the left."""
    x, y = point[0] * HALF_WIDTH, -point[1] / 2
    return (-y, x) if sideways else (x, y)


def tile_centres(layout: Layout) -> list[XY]:
    """Return the centre of each tile."""
    return [place(point, layout.sideways) for point in layout.tiles]


def frame_centres(layout: Layout) -> list[XY]:
    """Return the centre of each hexagon of the frame."""
    return [place(point, layout.sideways) for point in layout.sea_frame]


def vertex_places(layout: Layout) -> list[XY]:
    """Return the place of each vertex."""
    return [place(point, layout.sideways) for point in layout.vertices]


def hexagon(centre: XY, side: float = 1.0, *, flat: bool = False) -> list[XY]:
    """Return the corners of a hexagon, clockwise: with a corner at the top, or *flat* there."""
    (x, y), turn = centre, pi / 6 if flat else 0.0
    angles = (pi / 3 * (i + 1) - turn for i in range(6))
    return [(x + side * sin(angle), y + side * cos(angle)) for angle in angles]


def rounded_hull(points: Sequence[XY], radius: float) -> list[XY]:
    """Return the convex hull of discs of that radius round the points, counter-clockwise."""
    ring = [(radius * cos(pi * i / 24), radius * sin(pi * i / 24)) for i in range(48)]
    around = sorted({(round(x + dx, 6), round(y + dy, 6)) for x, y in points for dx, dy in ring})
    return _half_hull(around) + _half_hull(around[::-1])


def _half_hull(points: Iterable[XY]) -> list[XY]:
    hull: list[XY] = []
    for x, y in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], (x, y)) <= 0:
            hull.pop()
        hull.append((x, y))
    return hull[:-1]


def _turn(a: XY, b: XY, c: XY) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def pier(start: XY, end: XY, width: float) -> list[XY]:
    """Return a bar of that width from *start* to *end*."""
    (x0, y0), (x1, y1) = start, end
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
    return [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]


def house(centre: XY, size: float) -> list[XY]:
    """Return a settlement: a wall as wide as 2 *size*, and a gable."""
    outline = ((-1.0, -0.85), (1.0, -0.85), (1.0, 0.35), (0.0, 1.25), (-1.0, 0.35))
    return [(centre[0] + size * x, centre[1] + size * y) for x, y in outline]


def text_width(text: str, cap: float, *, bold: bool = True) -> float:
    """Return how wide *text* is with capitals of height *cap*."""
    return _outline(text, bold)[1] * cap


def text_path(text: str, centre: XY, cap: float, *, bold: bool = True) -> Path:
    """Return the outlines of *text* with capitals of height *cap*, centred."""
    path, width = _outline(text, bold)
    at = Affine2D().translate(-width / 2, -0.5).scale(cap).translate(*centre)
    return path.transformed(at)


@cache
def _outline(text: str, bold: bool) -> tuple[Path, float]:
    """The outlines from x = 0 on the baseline, and their width, with capitals of height 1."""
    font = FontProperties(family=_FONT, weight="bold" if bold else "normal")
    path = TextPath((0, 0), text, size=1 / _CAP, prop=font)
    if not len(path.vertices):
        return path, 0.0
    box = path.get_extents()
    return Path(path.vertices - (box.x0, 0), path.codes), box.width
