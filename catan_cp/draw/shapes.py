"""Where everything lies in a picture, and its shapes: the side of a tile is 1, y grows upwards.

Nothing here needs matplotlib. A layout's rivers are told in its own coordinates, for the web page draws
them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, cos, degrees, hypot, pi, sin, sqrt
from typing import NamedTuple

from catan_cp.boards.geometry import Point
from catan_cp.boards.layout import Layout, Pair

XY = tuple[float, float]
Line = Sequence[XY]

_MOUTH = "swamp"


class Box(NamedTuple):
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


def places(points: Iterable[Point], layout: Layout) -> list[XY]:
    """Return where a layout's exact integer points lie in the picture; sideways, a quarter to the left."""
    spots = ((x * sqrt(3) / 2, -y / 2) for x, y in points)
    return [(-y, x) for x, y in spots] if layout.sideways else list(spots)


def moved(shape: Line, centre: XY, size: float = 1.0) -> list[XY]:
    """Return a shape about the origin, made so large, about another centre."""
    return [(centre[0] + size * x, centre[1] + size * y) for x, y in shape]


_POINTED, _FLAT = (
    [(sin(pi / 3 * i - turn), cos(pi / 3 * i - turn)) for i in range(1, 7)] for turn in (0, pi / 6)
)
_ROUND = [(cos(pi * i / 24), sin(pi * i / 24)) for i in range(48)]
HOUSE: Line = ((-1.0, -0.85), (1.0, -0.85), (1.0, 0.35), (0.0, 1.25), (-1.0, 0.35))
"""A settlement: a wall 2 wide, and a gable."""


def hexagon(centre: XY, side: float = 1.0, *, flat: bool = False) -> list[XY]:
    """Return the corners of a hexagon, clockwise: with a corner at the top, or *flat* there."""
    return moved(_FLAT if flat else _POINTED, centre, side)


def circle(centre: XY, radius: float) -> list[XY]:
    """Return 48 corners of a circle, counter-clockwise."""
    return moved(_ROUND, centre, radius)


def rounded_hull(points: Sequence[XY], radius: float) -> list[XY]:
    """Return the convex hull of discs of that radius round the points, counter-clockwise."""
    around = sorted({(round(x, 6), round(y, 6)) for point in points for x, y in circle(point, radius)})
    hull: list[XY] = []
    for half in (around, around[::-1]):
        start = len(hull)
        for x, y in half:
            while len(hull) > start + 1:
                (ax, ay), (bx, by) = hull[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:  # it turns to the left
                    break
                hull.pop()
            hull.append((x, y))
        hull.pop()
    return hull


def bar(start: XY, end: XY, width: float) -> list[XY]:
    """Return the corners of a bar of that width from *start* to *end*."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
    return [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]


# What a layout shows besides tiles, in its own coordinates


def shows_frame(layout: Layout) -> bool:
    """Whether the water has the shape of the frame: where that holds fishing grounds, or parts islands.

    Around one island the water may be as narrow as its harbors need, so that the board is larger.
    """
    return bool(layout.sea_frame) and (bool(layout.fishing_grounds) or len(layout.parts) > 1)


def river_steps(layout: Layout) -> tuple[Pair, ...]:
    """Return the neighbouring tiles that a river joins where both are wet: those along which it is turned."""
    steps = []
    for a, b in layout.adjacency("hex"):
        (ax, ay), (bx, by) = layout.tiles[a], layout.tiles[b]
        way = round(degrees(atan2((by - ay) / 2, (bx - ax) * 3**0.5 / 2))) % 180
        if {layout.turned.get(t, 0) % 180 for t in (a, b) if t in layout.rivers} == {way}:
            steps.append((a, b))
    return tuple(steps)


def river_mouths(layout: Layout) -> tuple[str, ...]:
    """Return the terrains in which rivers end; they are as wet as the tiles in ``layout.rivers``."""
    return tuple(name for name in layout.all_terrains if name.startswith(_MOUTH))
