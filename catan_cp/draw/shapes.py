"""Where everything lies in a picture, and shapes on axes: the side of a tile is 1, y grows upwards.

Text is outlines too, so that it grows and shrinks with the board in any axes. Matplotlib is imported by what
draws, so that the names of this room can be had without its half second. The rivers and fishing grounds
of a layout are told in its own coordinates, for the web page draws them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import atan2, cos, degrees, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from catan_cp.boards.geometry import Point
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import FishingGround
from catan_cp.draw.style import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection, EllipseCollection
    from matplotlib.path import Path

XY = tuple[float, float]
Line = Sequence[XY]

_CAP = 0.729  # the height of a capital or a digit in DejaVu Sans, in ems
_FONT = "DejaVu Sans"  # travels with matplotlib, so that pictures are equal on every machine
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

    def add(self, shapes: Collection, gid: str, level: float = 1) -> None:
        """Draw what matplotlib calls a collection."""
        shapes.set(gid=gid, zorder=level)
        self.ax.add_collection(shapes, autolim=False)

    def polygons(
        self,
        corners: Sequence[Line],
        fill: Any,
        gid: str,
        edge: Any = "none",
        width: float = 0,
        level: float = 1,
    ) -> None:
        """Draw polygons, given by their corners."""
        from matplotlib.collections import PolyCollection

        shapes = PolyCollection(corners, facecolors=fill, edgecolors=edge, linewidths=width * self.unit)
        self.add(shapes, gid, level)

    def discs(
        self,
        centres: Line,
        radius: float,
        fill: Any,
        gid: str,
        edge: Any = "none",
        width: float = 0,
        level: float = 1,
    ) -> EllipseCollection:
        """Draw discs of one radius."""
        from matplotlib.collections import EllipseCollection

        places = np.reshape(centres, (-1, 2))  # also where there are none, for matplotlib before 3.11
        shapes = EllipseCollection(
            [2 * radius], [2 * radius], [0], units="xy", offsets=places, offset_transform=self.ax.transData,
            facecolors=fill, edgecolors=edge, linewidths=width * self.unit,
        )  # fmt: skip
        self.add(shapes, gid, level)
        return shapes

    def strokes(
        self, lines: Sequence[Line], ink: Any, width: float, gid: str, level: float = 1, **look: Any
    ) -> None:
        """Draw polylines."""
        from matplotlib.collections import LineCollection

        self.add(LineCollection(lines, colors=ink, linewidths=width * self.unit, **look), gid, level)

    def words(
        self, texts: Iterable[tuple[str, XY, float]], ink: Any, gid: str, bold: bool = True, level: float = 1
    ) -> None:
        """Write texts, each centred at a place, with capitals of that height."""
        from matplotlib.collections import PathCollection

        paths = [text_path(text, spot, cap, bold=bold) for text, spot, cap in texts]
        self.add(PathCollection(paths, facecolors=ink, edgecolors="none"), gid, level)


# Text


def text_width(text: str, cap: float, *, bold: bool = True) -> float:
    """Return how wide *text* is with capitals of height *cap*."""
    return _outline(text, bold)[1] * cap


def text_path(text: str, centre: XY, cap: float, *, bold: bool = True) -> Path:
    """Return the outlines of *text* with capitals of height *cap*, centred."""
    from matplotlib.transforms import Affine2D

    path, width = _outline(text, bold)
    return path.transformed(Affine2D().translate(-width / 2, -0.5).scale(cap).translate(*centre))


@cache
def _outline(text: str, bold: bool) -> tuple[Path, float]:
    """The outlines from x = 0 on the baseline, and their width, with capitals of height 1."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=_FONT, weight="bold" if bold else "normal")
    points, codes = text_to_path.get_text_path(font, text)
    if not len(points):
        return Path(np.empty((0, 2))), 0.0
    corners = np.array(points) / (text_to_path.FONT_SCALE * _CAP)
    left, right = Path(corners, codes).get_extents().intervalx
    return Path(corners - (left, 0), codes), float(right - left)


# Shapes


def places(points: Iterable[Point], layout: Layout) -> list[XY]:
    """Return where a layout's exact integer points lie in the picture; sideways, a quarter to the left."""
    spots = ((x * sqrt(3) / 2, -y / 2) for x, y in points)
    return [(-y, x) for x, y in spots] if layout.sideways else list(spots)


def hexagon(centre: XY, side: float = 1.0, *, flat: bool = False) -> list[XY]:
    """Return the corners of a hexagon, clockwise: with a corner at the top, or *flat* there."""
    (x, y), turn = centre, pi / 6 if flat else 0.0
    angles = (pi / 3 * (i + 1) - turn for i in range(6))
    return [(x + side * sin(angle), y + side * cos(angle)) for angle in angles]


def circle(centre: XY, radius: float) -> list[XY]:
    """Return 48 corners of a circle, counter-clockwise."""
    angles = (pi * i / 24 for i in range(48))
    return [(centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)) for angle in angles]


def rounded_hull(points: Sequence[XY], radius: float) -> list[XY]:
    """Return the convex hull of discs of that radius round the points, counter-clockwise."""
    around = sorted({(round(x, 6), round(y, 6)) for point in points for x, y in circle(point, radius)})
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


def bar(start: XY, end: XY, width: float) -> list[XY]:
    """Return the corners of a bar of that width from *start* to *end*."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
    return [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]


def house(centre: XY, size: float) -> list[XY]:
    """Return a settlement: a wall as wide as 2 *size*, and a gable."""
    outline = ((-1.0, -0.85), (1.0, -0.85), (1.0, 0.35), (0.0, 1.25), (-1.0, 0.35))
    return [(centre[0] + size * x, centre[1] + size * y) for x, y in outline]


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


def ground_corners(layout: Layout, ground: FishingGround, on_land: bool) -> tuple[Point, ...]:
    """Return the corners of a fishing ground: its three vertices, and the middle of their hexagon.

    Where the three go round a cape, that middle is *on_land*; the ground then lies outside, before the middle
    vertex.
    """
    a, (bx, by), c = (layout.vertices[v] for v in ground.vertices)
    mx, my = layout.ground_hexagon(ground.vertices)
    if on_land:
        bx, by, mx, my = 2 * bx - mx, 2 * by - my, bx, by
    return a, (bx, by), c, (mx, my)
