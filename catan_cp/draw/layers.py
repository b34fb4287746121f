"""The layers of a board's picture, from the water up: each function draws one thing on the axes.

Widths of lines come in points from *line*, the side of a tile in points. This module loads matplotlib;
import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PathCollection, PolyCollection
from matplotlib.path import Path
from numpy.typing import ArrayLike

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import REDS, TERRAINS
from catan_cp.draw.patterns import pattern
from catan_cp.draw.shapes import (
    XY,
    Box,
    hexagon,
    pier,
    text_path,
    text_width,
    tile_centres,
)
from catan_cp.draw.style import Color, Theme, blend, ink_on, terrain_color

_DISC = 0.45


def points_per_side(ax: Axes, box: Box) -> float:
    """Return how many points (1/72 inch) the side of a tile takes when *ax* shows the box."""
    room = ax.get_window_extent()
    pixels = min(room.width / box.width, room.height / box.height)
    return float(pixels * 72 / ax.figure.dpi)


# The board


def tile_fills(board: Board, theme: Theme, muted: float) -> list[Color]:
    """Return the colour of each tile, faded into the background by *muted* (0 to 1)."""
    return [blend(terrain_color(theme, name), theme.background, muted) for name in board.terrain]


def draw_tiles(ax: Axes, board: Board, fills: Sequence[Color], theme: Theme, line: float) -> None:
    """Draw a hexagon per tile: the sea first, then beaches, then the land in them."""
    centres = tile_centres(board.layout)
    sea = [t for t, name in enumerate(board.terrain) if name == "sea"]
    land = [t for t, name in enumerate(board.terrain) if name != "sea"]
    flat = board.layout.sideways
    water = [hexagon(centres[t], flat=flat) for t in sea]
    polygons(ax, water, [fills[t] for t in sea], gid="sea", edge=theme.sea_edge, line=0.035 * line)
    draw_land(ax, [centres[t] for t in land], [fills[t] for t in land], theme, gid="land", flat=flat)


def draw_land(
    ax: Axes, centres: Sequence[XY], fills: Sequence[Color], theme: Theme, *, gid: str, flat: bool = False
) -> None:
    """Draw land tiles in their beaches."""
    polygons(ax, [hexagon(centre, 1.075, flat=flat) for centre in centres], [theme.coast], gid="coast")
    polygons(ax, [hexagon(centre, 0.965, flat=flat) for centre in centres], fills, gid=gid)


def draw_patterns(ax: Axes, board: Board, fills: Sequence[Color], theme: Theme, line: float) -> None:
    """Draw each terrain's pattern, with a clear ring where a marker's disc will lie."""
    centres = tile_centres(board.layout)
    covered = [0.0 if marker is None else _DISC for marker in board.markers]
    draw_strokes(ax, centres, board.terrain, fills, theme, line, covered=covered, flat=board.layout.sideways)
    numbered = [t for t, marker in enumerate(board.markers) if marker is not None]
    discs(ax, [centres[t] for t in numbered], _DISC + 0.06, [fills[t] for t in numbered], gid="clear")


def draw_strokes(
    ax: Axes,
    centres: Sequence[XY],
    terrain: Sequence[str],
    fills: Sequence[Color],
    theme: Theme,
    line: float,
    size: float = 1.0,
    covered: Sequence[float] | None = None,
    *,
    flat: bool = False,
) -> None:
    """Draw the patterns of these terrains on tiles filled with these colours.

    Args:
        ax: where to draw.
        centres: the tiles' centres.
        terrain: what they are.
        fills: their colours.
        theme: the look.
        line: the side of a tile in points.
        size: how much the motifs are enlarged.
        covered: the radius in which each tile will be covered, so that nothing need be drawn there.
        flat: whether the tiles have a side at the top.
    """
    by_ink: dict[Color, list[Path]] = {}
    radii = covered or [0.0] * len(centres)
    for (x, y), name, fill, radius in zip(centres, terrain, fills, radii, strict=True):
        strokes = [
            Path([(x + px, y + py) for px, py in stroke])
            for stroke in pattern(name, size, flat)
            if any(hypot(px, py) > radius for px, py in stroke)
        ]
        by_ink.setdefault(blend(fill, ink_on(fill), theme.stroke), []).extend(strokes)
    inked = {ink: Path.make_compound_path(*strokes) for ink, strokes in by_ink.items() if strokes}
    drawn = PathCollection(  # one path a colour: a third of the size of a file with one a stroke
        list(inked.values()), facecolors="none", edgecolors=list(inked), linewidths=0.022 * size * line,
        capstyle="round", gid="patterns", zorder=1,
    )  # fmt: skip
    ax.add_collection(drawn, autolim=False)


def draw_markers(ax: Axes, board: Board, theme: Theme, line: float) -> None:
    """Draw the marker discs: the number, with a second one beside it; its pips under it; 6 and 8 in red."""
    numbered = [
        (centre, marker, theme.red if REDS.intersection(board.layout.numbers_of(marker)) else theme.number)
        for centre, marker in zip(tile_centres(board.layout), board.markers, strict=True)
        if marker is not None
    ]
    second = board.layout.second_marker
    thin = 0.03 * line
    centres = [centre for centre, _, _ in numbered]
    discs(ax, centres, _DISC, [theme.disc], gid="discs", edge=theme.disc_edge, line=thin)
    if theme.ring_reds:
        reds = [centre for centre, _, ink in numbered if ink == theme.red]
        discs(ax, reds, _DISC - 0.06, [theme.disc], gid="rings", edge=theme.red, line=thin)
    numbers = [
        text_path(f"{marker}/{second[marker]}", (x, y + 0.08), 0.22)
        if marker in second
        else text_path(str(marker), (x, y + 0.09), 0.36)
        for (x, y), marker, _ in numbered
    ]
    outlines(ax, numbers, [ink for _, _, ink in numbered], gid="numbers")
    dots = []
    for (x, y), marker, ink in numbered:
        n = board.layout.marker_pips(marker)
        step = min(0.105, 0.56 / n)
        dots += [((x + step * (i - (n - 1) / 2), y - 0.235), ink) for i in range(n)]
    discs(ax, [dot for dot, _ in dots], 0.04, [ink for _, ink in dots], gid="pips")


def draw_letters(ax: Axes, board: Board, fills: Sequence[Color]) -> None:
    """Write each terrain's letter above its marker or name; in the middle where there is neither."""
    letters = []
    clear = []
    letter_of = {name: letter for letter, name in board.layout.letters.items()}
    for (x, y), name, marker in zip(tile_centres(board.layout), board.terrain, board.markers, strict=True):
        place, cap = ((x, y), 0.34) if marker is None and name in TERRAINS else ((x, y + 0.62), 0.2)
        letters.append(text_path(letter_of[name].upper(), place, cap))
        clear.append(hexagon(place, 0.85 * cap))
    polygons(ax, clear, fills, gid="clear")
    outlines(ax, letters, [ink_on(fill) for fill in fills], gid="letters")


def draw_names(ax: Axes, board: Board, fills: Sequence[Color]) -> None:
    """Write the names of the terrains that the layout brings along, such as a castle, on a clear band."""
    lines = [
        (x, y + 0.13 * (len(name.split("-")) - 1) - 0.26 * row, word, fill)
        for (x, y), name, fill in zip(tile_centres(board.layout), board.terrain, fills, strict=True)
        if name not in TERRAINS
        for row, word in enumerate(name.split("-"))
    ]
    caps = [min(0.17, 0.17 * 1.35 / text_width(word, 0.17)) for _, _, word, _ in lines]
    bands = [
        pier((x - text_width(word, cap) / 2 - 0.08, y), (x + text_width(word, cap) / 2 + 0.08, y), 0.3)
        for (x, y, word, _), cap in zip(lines, caps, strict=True)
    ]
    polygons(ax, bands, [fill for _, _, _, fill in lines], gid="clear")
    words = [text_path(word, (x, y), cap) for (x, y, word, _), cap in zip(lines, caps, strict=True)]
    outlines(ax, words, [ink_on(fill) for _, _, _, fill in lines], gid="names")


# Shapes on axes. Collections rather than one artist a shape: a board has hundreds of them. `fill` is a
# colour per shape, or one for all.


def polygons(
    ax: Axes, corners: Sequence[Sequence[XY]], fill: Any, *, gid: str, edge: Any = "none", line: float = 0.0,
    zorder: float = 1.0,
) -> None:  # fmt: skip
    """Draw polygons, given by their corners."""
    drawn = PolyCollection(corners, facecolors=fill, edgecolors=edge, linewidths=line, gid=gid, zorder=zorder)
    ax.add_collection(drawn, autolim=False)


def outlines(ax: Axes, paths: Sequence[Path], fill: Any, *, gid: str, zorder: float = 1.0) -> None:
    """Draw filled paths, such as those of text."""
    drawn = PathCollection(paths, facecolors=fill, edgecolors="none", gid=gid, zorder=zorder)
    ax.add_collection(drawn, autolim=False)


def discs(
    ax: Axes, centres: ArrayLike, radius: float, fill: Any, *, gid: str, edge: Any = "none",
    line: float = 0.0, zorder: float = 1.0,
) -> EllipseCollection:  # fmt: skip
    """Draw discs of one radius."""
    places = np.reshape(centres, (-1, 2))  # also where there are none, for matplotlib before 3.11
    drawn = EllipseCollection(
        [2 * radius], [2 * radius], [0], units="xy", offsets=places, offset_transform=ax.transData,
        facecolors=fill, edgecolors=edge, linewidths=line, gid=gid, zorder=zorder,
    )  # fmt: skip
    ax.add_collection(drawn, autolim=False)
    return drawn
