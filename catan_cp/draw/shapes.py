"""Positions and shapes in a picture, without matplotlib.

The unit of length is the edge of a tile, and y grows upwards. Rivers are in layout coordinates, because the
web page plots them too.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import atan2, cos, degrees, dist, hypot, pi, sin, sqrt
from typing import NamedTuple

from catan_cp.boards.geometry import Point
from catan_cp.boards.layout import Layout, Pair

XY = tuple[float, float]
Line = Sequence[XY]

_MOUTH = "swamp"


class Box(NamedTuple):
    """Rectangle of the plane that a picture shows, in tile edges."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """Width in tile edges."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Height in tile edges."""
        return self.top - self.bottom


def places(points: Iterable[Point], layout: Layout) -> list[XY]:
    """Return picture positions of layout points, rotated by 90 degrees to the right if `Layout.sideways`."""
    spots = ((x * sqrt(3) / 2, -y / 2) for x, y in points)
    return [(y, -x) for x, y in spots] if layout.sideways else list(spots)


def moved(shape: Line, centre: XY, size: float = 1.0) -> list[XY]:
    """Return a shape around the origin, scaled by *size* and moved to another centre."""
    return [(centre[0] + size * x, centre[1] + size * y) for x, y in shape]


_POINTED, _FLAT = (
    [(sin(pi / 3 * i - turn), cos(pi / 3 * i - turn)) for i in range(1, 7)] for turn in (0, pi / 6)
)
_ROUND = [(cos(pi * i / 24), sin(pi * i / 24)) for i in range(48)]
HOUSE: Line = ((-1.0, -0.85), (1.0, -0.85), (1.0, 0.35), (0.0, 1.25), (-1.0, 0.35))
"""Settlement: a wall 2 units wide and a gable."""


def hexagon(centre: XY, edge: float = 1.0, *, flat: bool = False) -> list[XY]:
    """Return the vertices of a hexagon clockwise, with a vertex (*flat*: an edge) at the top."""
    return moved(_FLAT if flat else _POINTED, centre, edge)


def circle(centre: XY, radius: float) -> list[XY]:
    """Return 48 points of a circle, counter-clockwise."""
    return moved(_ROUND, centre, radius)


def curve(start: XY, end: XY, clear_start: float, clear_end: float) -> list[XY]:
    """Return points of a slightly curved line that begins and ends at some distance from two points."""
    (x0, y0), (x2, y2) = start, end
    x1, y1 = (x0 + x2) / 2 + 0.2 * (y2 - y0), (y0 + y2) / 2 - 0.2 * (x2 - x0)
    parts = ((1 - i / 32, i / 32) for i in range(33))
    weights = [(s * s, 2 * s * t, t * t) for s, t in parts]
    line = [(a * x0 + b * x1 + c * x2, a * y0 + b * y1 + c * y2) for a, b, c in weights]
    first, last = cut_end(line[::-1], clear_start), cut_end(line, clear_end)
    inside = [p for p in line if dist(p, start) > clear_start and dist(p, end) > clear_end]
    return [first, *inside, last]


def cut_end(line: Line, clear: float) -> XY:
    """Return the last point of a line at a distance from its end, or the middle of a short line."""
    for (x0, y0), (x1, y1) in reversed([*pairwise(line)]):
        far, near = dist((x0, y0), line[-1]), dist((x1, y1), line[-1])
        if far >= clear > near:
            t = (far - clear) / (far - near)
            return x0 + t * (x1 - x0), y0 + t * (y1 - y0)
    return line[len(line) // 2]


def bar(start: XY, end: XY, width: float) -> list[XY]:
    """Return the vertices of a bar from *start* to *end*."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
    return [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]


# Frame and rivers, in layout coordinates


def shows_frame(layout: Layout, has_harbors: bool) -> bool:
    """Return True if the water has the shape of the layout's frame.

    Around a single island without harbors it is narrower, so that the board is larger in the picture.
    """
    return bool(layout.sea_frame) and (has_harbors or bool(layout.fishing_grounds) or len(layout.parts) > 1)


@lru_cache(maxsize=256)
def frame_shapes(layout: Layout) -> tuple[tuple[Point, ...], ...]:
    """Return the triangles between three adjacent hexagons of tiles and frame, and lines between other pairs.

    The steps lead from a hexagon to the others of a triangle or pair. Triangles come first.
    """
    points, covered = {*layout.tiles, *layout.sea_frame}, set[tuple[Point, ...]]()
    found = []
    for steps in (((2, 0), (1, 3)), ((1, 3), (-1, 3)), ((2, 0),), ((1, 3),), ((-1, 3),)):
        for x, y in sorted(points):
            shape = tuple(sorted([(x, y), *((x + dx, y + dy) for dx, dy in steps)]))
            if points.issuperset(shape) and shape not in covered:
                covered.update(combinations(shape, 2))
                found.append(shape)
    return tuple(found)


def river_steps(layout: Layout) -> tuple[Pair, ...]:
    """Return the pairs of adjacent tiles that a river joins, by the rotations of its tiles."""
    steps = []
    for a, b in layout.adjacency("hex"):
        (ax, ay), (bx, by) = layout.tiles[a], layout.tiles[b]
        angle = round(degrees(atan2((by - ay) / 2, (bx - ax) * 3**0.5 / 2))) % 180
        if {layout.turned.get(t, 0) % 180 for t in (a, b) if t in layout.rivers} == {angle}:
            steps.append((a, b))
    return tuple(steps)


def river_mouths(layout: Layout) -> tuple[str, ...]:
    """Return the terrains in which rivers end."""
    return tuple(name for name in layout.all_terrains if name.startswith(_MOUTH))
