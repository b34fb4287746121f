"""The water round a board, and what lies in it: harbors and fishing grounds; and rivers across the land.

This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, pi, sin

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.path import Path

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import TERRAIN_LETTER, FishingGround, Harbor
from catan_cp.draw.layers import discs, outlines, polygons
from catan_cp.draw.patterns import icon
from catan_cp.draw.places import ground_corners, ground_middle, river_mouths, river_steps, shows_frame
from catan_cp.draw.shapes import (
    XY,
    Box,
    frame_centres,
    hexagon,
    pier,
    place,
    rounded_hull,
    text_path,
    tile_centres,
    vertex_places,
)
from catan_cp.draw.style import Theme, blend, ink_on, terrain_color

_HARBOR = 0.38
_RIM = 0.34  # the water outside tiles without a frame
_HARBOR_RIM = 1.05  # and where harbors lie in it
_FRAME_RIM = 0.55  # the water outside the centres of the frame's hexagons


def board_box(board: Board) -> Box:
    """Return the box that holds the board and the water around it."""
    pad = 0.12
    if shows_frame(board.layout):
        points = [(x, y, _FRAME_RIM) for x, y in frame_centres(board.layout)]
        points += [(x, y, _RIM) for x, y in vertex_places(board.layout)]
    else:
        points = [(x, y, 0.0) for x, y in _hull(board)]
    return Box(
        min(x - r for x, _, r in points) - pad,
        max(x + r for x, _, r in points) + pad,
        min(y - r for _, y, r in points) - pad,
        max(y + r for _, y, r in points) + pad,
    )


def _hull(board: Board) -> list[XY]:
    return rounded_hull(vertex_places(board.layout), _HARBOR_RIM if board.harbors else _RIM)


def draw_water(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw the water around the tiles: in the shape of the layout's frame, where it has one.

    That shape is the union of discs about all points between neighbouring hexagons' centres. It is drawn as
    triangles between centres with a broad rounded outline, so no union of polygons need be computed.
    """
    if not shows_frame(board.layout):
        polygons(ax, [_hull(board)], [theme.frame], gid="frame", edge=theme.frame_edge, line=0.05 * line)
        return
    layout = board.layout
    tiles = [hexagon(centre, flat=layout.sideways) for centre in tile_centres(layout)]
    for color, more in ((theme.frame_edge, 0.025), (theme.frame, -0.025)):
        for shapes, rim in ((list(_triangles(layout)), _FRAME_RIM), (tiles, _RIM)):
            path = Path.make_compound_path(*(Path([*shape, shape[0]], closed=True) for shape in shapes))
            drawn = PathCollection(
                [path], facecolors=color, edgecolors=color, linewidths=2 * (rim + more) * line,
                joinstyle="round", gid="frame", zorder=1,
            )  # fmt: skip
            ax.add_collection(drawn, autolim=False)


def _triangles(layout: Layout) -> Iterator[list[XY]]:
    """Triangles between three neighbouring hexagons of frame and tiles; lines between two in no triangle."""
    points = {*layout.tiles, *layout.sea_frame}
    steps = ((2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3), (1, -3))
    for x, y in sorted(points):
        near = [(x + dx, y + dy) in points for dx, dy in steps]
        for i, (dx, dy) in enumerate(steps):
            shape = [(x, y), (x + dx, y + dy)]
            if near[i] and near[(i + 1) % 6] and i < 2:
                shape.append((x + steps[i + 1][0], y + steps[i + 1][1]))
            elif i > 2 or not near[i] or near[i - 1] or near[i + 1]:
                continue
            yield [place(point, layout.sideways) for point in shape]


# Rivers


def draw_rivers(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw each river as a band from tile to tile, from its source to the swamp at its mouth."""
    courses = list(_courses(board))
    for color, width in ((blend(terrain_color(theme, "lake"), theme.number, 0.5), 0.26), (
        terrain_color(theme, "lake"), 0.2
    )):  # fmt: skip
        drawn = LineCollection(courses, colors=[color], linewidths=width * line, capstyle="round")
        drawn.set(gid="rivers", zorder=1, joinstyle="round")
        ax.add_collection(drawn, autolim=False)


def _courses(board: Board) -> Iterator[list[XY]]:
    layout = board.layout
    mouths = river_mouths(layout)
    wet = layout.rivers.union(t for t, name in enumerate(board.terrain) if name in mouths)
    centres = tile_centres(layout)
    for a, b in river_steps(layout):
        if {a, b} <= wet:
            yield _meander(centres[a], centres[b])


def _meander(start: XY, end: XY) -> list[XY]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    bends = ((i / 24, 0.06 * sin(2 * pi * i / 24)) for i in range(25))
    return [(start[0] + dx * t - dy * bend, start[1] + dy * t + dx * bend) for t, bend in bends]


# Fishing grounds


def draw_fishing_grounds(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw the layout's fishing grounds, each before its three vertices, with its number on a fish.

    One that may lie elsewhere is drawn at its printed place if that is at sea before land on this board, too.
    """
    printed = board.layout.fishing_grounds
    grounds = [ground for ground in printed if not ground.movable or _fits(board, ground)]
    shapes = [fishing_ground(board, ground) for ground in grounds]
    middles = [(sum(x for x, _ in shape) / 4, sum(y for _, y in shape) / 4) for shape in shapes]
    fill = blend(terrain_color(theme, "lake"), theme.frame, 0.25)
    polygons(ax, shapes, [fill], gid="grounds", edge=theme.frame_edge, line=0.03 * line)
    fish = [[(x + px, y + py) for px, py in _FISH] for x, y in middles]
    polygons(ax, fish, [theme.disc], gid="fish", edge=theme.disc_edge, line=0.025 * line)
    numbers = [
        text_path(str(ground.marker), (x - 0.07, y), 0.2)
        for ground, (x, y) in zip(grounds, middles, strict=True)
    ]
    outlines(ax, numbers, [theme.number], gid="fish-numbers")


def _fits(board: Board, ground: FishingGround) -> bool:
    """Whether a ground lies at sea, and all its three vertices touch land."""
    tiles = board.layout.vertex_tiles
    return not _on_land(board, ground) and all(
        any(board.terrain[t] != "sea" for t in tiles[v]) for v in ground.vertices
    )


def _on_land(board: Board, ground: FishingGround) -> bool:
    tiles, middle = board.layout.tiles, ground_middle(board.layout, ground)
    return middle in tiles and board.terrain[tiles.index(middle)] != "sea"


def fishing_ground(board: Board, ground: FishingGround) -> list[XY]:
    """Return the corners of a fishing ground, a little smaller than its place."""
    layout = board.layout
    corners = [
        place(point, layout.sideways) for point in ground_corners(layout, ground, _on_land(board, ground))
    ]
    x, y = sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4
    return [(x + 0.88 * (px - x), y + 0.88 * (py - y)) for px, py in corners]


_FISH: tuple[XY, ...] = (
    *((-0.07 + 0.3 * cos(pi / 12 * i), 0.21 * sin(pi / 12 * i)) for i in range(2, 23)),
    (0.33, -0.15),
    (0.28, 0.0),
    (0.33, 0.15),
)


# Harbors


def draw_harbors(ax: Axes, board: Board, theme: Theme, line: float, *, letters: bool) -> None:
    """Draw each harbor in the water before its edge: two piers, and a sign with its trade.

    The sign of a 2:1 harbor has the resource's colour, and its icon or letter for those who do not see it.
    """
    places = vertex_places(board.layout)
    centres = [harbor_centre(board, harbor) for harbor in board.harbors]
    ends = [(h.vertices, centre) for h, centre in zip(board.harbors, centres, strict=True)]
    polygons(ax, [pier(places[v], end, 0.09) for vs, end in ends for v in vs], [theme.pier], gid="piers")
    fills = [theme.disc if h.trade == "3:1" else terrain_color(theme, h.trade) for h in board.harbors]
    discs(ax, centres, _HARBOR, fills, gid="harbors", edge=theme.disc_edge, line=0.03 * line)
    for harbor, (x, y), fill in zip(board.harbors, centres, fills, strict=True):
        ink = ink_on(fill)
        if harbor.trade == "3:1":
            outlines(ax, [text_path("3:1", (x, y), 0.24)], [ink], gid="trade")
            continue
        outlines(ax, [text_path("2:1", (x, y - 0.14), 0.17)], [ink], gid="trade")
        if letters:
            letter = TERRAIN_LETTER[harbor.trade].upper()
            outlines(ax, [text_path(letter, (x, y + 0.13), 0.2)], [ink], gid="trade")
        else:
            strokes = [[(x + px, y + 0.12 + py) for px, py in stroke] for stroke in icon(harbor.trade)]
            drawn = LineCollection(strokes, colors=[ink], linewidths=0.035 * line, capstyle="round")
            drawn.set(gid="icon", zorder=1, joinstyle="round")
            ax.add_collection(drawn, autolim=False)


def harbor_centre(board: Board, harbor: Harbor) -> XY:
    """Return the place of a harbor's sign: off its edge, straight out of the land."""
    layout = board.layout
    a, b = harbor.vertices
    beside = sorted(set(layout.vertex_tiles[a]) & set(layout.vertex_tiles[b]))
    land = next((t for t in beside if board.terrain[t] != "sea"), beside[0])
    places = vertex_places(layout)
    x, y = (places[a][0] + places[b][0]) / 2, (places[a][1] + places[b][1]) / 2
    cx, cy = tile_centres(layout)[land]
    scale = 0.56 / hypot(x - cx, y - cy)
    return x + (x - cx) * scale, y + (y - cy) * scale
