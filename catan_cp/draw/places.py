"""Where rivers run, fishing grounds lie and water is drawn, in a layout's own coordinates.

The pictures draw them from here, and so does the web page. Nothing here needs matplotlib.
"""

from __future__ import annotations

from math import atan2, degrees

from catan_cp.boards.geometry import Point
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import FishingGround

_MOUTH = "swamp"


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


def ground_middle(layout: Layout, ground: FishingGround) -> Point:
    """Return the middle m of the hexagon of which a ground's vertices a, b, c are corners: a + c = b + m."""
    (ax, ay), (bx, by), (cx, cy) = (layout.vertices[v] for v in ground.vertices)
    return ax + cx - bx, ay + cy - by


def ground_corners(layout: Layout, ground: FishingGround, on_land: bool) -> tuple[Point, ...]:
    """Return the corners of a fishing ground: its three vertices, and the middle of their hexagon.

    Where the three go round a cape, that middle is *on_land*; the ground then lies outside, before the middle
    vertex.
    """
    a, (bx, by), c = (layout.vertices[v] for v in ground.vertices)
    mx, my = ground_middle(layout, ground)
    if on_land:
        bx, by, mx, my = 2 * bx - mx, 2 * by - my, bx, by
    return a, (bx, by), c, (mx, my)
