"""The layers of a board's picture, from the water up: each function draws one thing on the axes.

This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from math import hypot
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import (
    Collection,
    EllipseCollection,
    LineCollection,
    PathCollection,
    PolyCollection,
)
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike

from catan_cp.board import Board
from catan_cp.draw.patterns import pattern
from catan_cp.draw.shapes import (
    XY,
    Box,
    hexagon,
    pier,
    rounded_hull,
    text_path,
    tile_centres,
    vertex_places,
)
from catan_cp.draw.style import Theme, blend, ink_on
from catan_cp.layout import Harbor, Layout
from catan_cp.pieces import REDS, TERRAIN_LETTER, pips

DISC = 0.45
"""The radius of a marker's disc."""

_HARBOR = 0.34


def board_box(board: Board) -> Box:
    """Return the box that holds the board and its frame."""
    edge = _frame(board)
    xs, ys = [x for x, _ in edge], [y for _, y in edge]
    pad = 0.12
    return Box(min(xs) - pad, max(xs) + pad, min(ys) - pad, max(ys) + pad)


def _frame(board: Board) -> list[XY]:
    return rounded_hull(vertex_places(board.layout), 0.98 if board.harbors else 0.34)


def points_per_side(ax: Axes, box: Box) -> float:
    """Return how many points (1/72 inch) the side of a tile takes when *ax* shows the box."""
    room = ax.get_window_extent()
    pixels = min(room.width / box.width, room.height / box.height)
    return float(pixels * 72 / ax.figure.dpi)


# The board


def draw_frame(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw the water around the tiles."""
    frame = Polygon(
        _frame(board), facecolor=theme.frame, edgecolor=theme.frame_edge, linewidth=0.05 * line, gid="frame"
    )
    ax.add_patch(frame)


def draw_tiles(ax: Axes, board: Board, theme: Theme, line: float, muted: float) -> None:
    """Draw a hexagon per tile: the sea first, then beaches, then the land in them."""
    centres = tile_centres(board.layout)
    fill = [blend(theme.terrain[name], theme.frame, muted) for name in board.terrain]
    sea = [t for t, name in enumerate(board.terrain) if name == "sea"]
    land = [t for t, name in enumerate(board.terrain) if name != "sea"]
    add(ax, PolyCollection(
        [hexagon(centres[t]) for t in sea], facecolors=[fill[t] for t in sea],
        edgecolors=[blend(theme.sea_edge, theme.frame, muted)], linewidths=0.035 * line, gid="sea",
    ))  # fmt: skip
    add(ax, PolyCollection(
        [hexagon(centres[t], 1.075) for t in land], facecolors=[blend(theme.coast, theme.frame, muted / 2)], gid="coast",
    ))  # fmt: skip
    add(ax, PolyCollection(
        [hexagon(centres[t], 0.965) for t in land], facecolors=[fill[t] for t in land], gid="land",
    ))  # fmt: skip


def draw_patterns(ax: Axes, board: Board, theme: Theme, line: float, muted: float) -> None:
    """Draw each terrain's pattern, clear of the marker's disc."""
    strokes = []
    inks = []
    for (x, y), name, marker in zip(tile_centres(board.layout), board.terrain, board.markers, strict=True):
        color = blend(theme.terrain[name], theme.frame, muted)
        ink = blend(color, ink_on(color), 0.55)
        for stroke in pattern(name, DISC + 0.08 if marker else 0.0):
            strokes.append([(x + px, y + py) for px, py in stroke])
            inks.append(ink)
    add(ax, LineCollection(strokes, colors=inks, linewidths=0.022 * line, capstyle="round", gid="patterns"))


def draw_markers(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw the marker discs: the number, its pips under it, both red for 6 and 8."""
    numbered = [
        (centre, marker)
        for centre, marker in zip(tile_centres(board.layout), board.markers, strict=True)
        if marker is not None
    ]
    if not numbered:
        return
    discs(
        ax,
        [c for c, _ in numbered],
        DISC,
        fill=theme.disc,
        edge=theme.disc_edge,
        line=0.03 * line,
        gid="discs",
    )
    reds = [centre for centre, marker in numbered if marker in REDS]
    if theme.ring_reds and reds:
        discs(ax, reds, DISC - 0.06, fill=theme.disc, edge=theme.red, line=0.03 * line, gid="rings")
    inks = [theme.red if marker in REDS else theme.number for _, marker in numbered]
    numbers = [text_path(str(marker), (x, y + 0.09), 0.36) for (x, y), marker in numbered]
    add(ax, PathCollection(numbers, facecolors=inks, edgecolors="none", gid="numbers"))
    dots = []
    dot_inks = []
    for ((x, y), marker), ink in zip(numbered, inks, strict=True):
        n = pips(marker)
        dots += [(x + 0.105 * (i - (n - 1) / 2), y - 0.235) for i in range(n)]
        dot_inks += [ink] * n
    discs(ax, dots, 0.04, fill=dot_inks, edge="none", line=0.0, gid="pips")


def draw_letters(ax: Axes, board: Board, theme: Theme, muted: float) -> None:
    """Write each terrain's letter into the upper corner of its tile; in the middle where there is no marker."""
    letters = []
    inks = []
    for (x, y), name, marker in zip(tile_centres(board.layout), board.terrain, board.markers, strict=True):
        letter = TERRAIN_LETTER[name].upper()
        letters.append(text_path(letter, (x, y + 0.62), 0.2) if marker else text_path(letter, (x, y), 0.34))
        inks.append(ink_on(blend(theme.terrain[name], theme.frame, muted)))
    add(ax, PathCollection(letters, facecolors=inks, edgecolors="none", gid="letters"))


# Harbors


def draw_harbors(ax: Axes, board: Board, theme: Theme, line: float, letters: bool) -> None:
    """Draw each harbor in the water before its edge: two piers, and the trade in the resource's colour."""
    places = vertex_places(board.layout)
    centres = [harbor_centre(board.layout, harbor) for harbor in board.harbors]
    piers = [
        pier(places[v], centre, 0.09)
        for harbor, centre in zip(board.harbors, centres, strict=True)
        for v in harbor.vertices
    ]
    add(
        ax,
        PolyCollection(
            piers, facecolors=[theme.pier], edgecolors=[theme.frame], linewidths=0.02 * line, gid="piers"
        ),
    )
    fills = [theme.disc if h.trade == "3:1" else theme.terrain[h.trade] for h in board.harbors]
    discs(ax, centres, _HARBOR, fill=fills, edge=theme.disc_edge, line=0.03 * line, gid="harbors")
    texts = []
    inks = []
    for harbor, (x, y), fill in zip(board.harbors, centres, fills, strict=True):
        if harbor.trade == "3:1" or not letters:
            texts.append(text_path("3:1" if harbor.trade == "3:1" else "2:1", (x, y), 0.22))
            inks.append(ink_on(fill))
        else:
            texts += [text_path("2:1", (x, y - 0.11), 0.16)]
            texts += [text_path(TERRAIN_LETTER[harbor.trade].upper(), (x, y + 0.12), 0.19)]
            inks += [ink_on(fill)] * 2
    add(ax, PathCollection(texts, facecolors=inks, edgecolors="none", gid="trades"))


def harbor_centre(layout: Layout, harbor: Harbor) -> XY:
    """Return the place of a harbor's sign: off its edge, straight out of the tile."""
    a, b = harbor.vertices
    (tile,) = set(layout.vertex_tiles[a]) & set(layout.vertex_tiles[b])
    places = vertex_places(layout)
    x, y = (places[a][0] + places[b][0]) / 2, (places[a][1] + places[b][1]) / 2
    cx, cy = tile_centres(layout)[tile]
    scale = 0.56 / hypot(x - cx, y - cy)
    return x + (x - cx) * scale, y + (y - cy) * scale


def discs(
    ax: Axes,
    centres: ArrayLike,
    radius: float,
    *,
    fill: Any,
    edge: Any,
    line: float,
    gid: str,
    zorder: float = 1,
) -> EllipseCollection:
    """Draw discs of one radius on the axes."""
    drawn = EllipseCollection(
        [2 * radius], [2 * radius], [0], units="xy", offsets=centres, offset_transform=ax.transData,
        facecolors=fill, edgecolors=edge, linewidths=line, gid=gid, zorder=zorder,
    )  # fmt: skip
    add(ax, drawn)
    return drawn


def add(ax: Axes, collection: Collection) -> None:
    """Put a collection on the axes as it is."""
    ax.add_collection(collection, autolim=False)
