"""What people put on a board: settlements, values of vertices, numbers, rings; and the legend.

This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import FancyArrowPatch

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import piece_counts
from catan_cp.draw.layers import discs, outlines, polygons
from catan_cp.draw.patterns import pattern
from catan_cp.draw.shapes import XY, Box, hexagon, house, text_path, text_width, tile_centres, vertex_places
from catan_cp.draw.style import WHITE, Color, Theme, blend, ink_on, terrain_color
from catan_cp.draw.water import board_box

Settlement = tuple[int, int]
"""A player, numbered from 1, and a vertex."""

_HOUSE = 0.23
_SPOT = 0.2

# Of the words around the board: capitals, the sign before a name, the space between names, a row of names,
# the bar, its label.
_CAP, _SIGN, _GAP, _ROW, _BAR, _LABEL = 0.24, 0.55, 0.52, 0.58, 1.7, 0.5


def picture_box(
    board: Board, order: Sequence[Settlement], *, heat: bool, label: str = "", key: bool = False
) -> Box:
    """Return the box that holds the board, the names below it and the colour bar at the right.

    Args:
        board: the board.
        order: the settlements, whose players are named below.
        heat: whether there is a colour bar.
        label: what the bar says beside it.
        key: whether the terrains are named below.
    """
    box = board_box(board)
    scale = _scale(box)
    below = _ROW * scale * len(_rows(_entries(board, order, key), box))
    bar = (_BAR + (_LABEL if label else 0)) * scale if heat else 0.0
    return Box(box.left, box.right + bar, box.bottom - below, box.top)


def _scale(box: Box) -> float:
    """How much larger words are on a large board, so that they stay legible."""
    return max(1.0, box.width / 12)


# The names below the board: of terrains, and of players


def _entries(board: Board, order: Sequence[Settlement], key: bool) -> list[list[str | int]]:
    """What is named below the board, part by part: terrains by name, players by number."""
    terrains: list[str | int] = list(piece_counts(board.terrain, tuple(board.layout.further_terrains)))
    players: list[str | int] = sorted({player for player, _ in order})
    return [part for part in (terrains if key else [], players) if part]


def draw_legend(
    ax: Axes,
    board: Board,
    order: Sequence[Settlement],
    theme: Theme,
    line: float,
    *,
    key: bool,
    patterns: bool,
    muted: float,
) -> None:
    """Name the players, and with *key* the terrains, in rows below the board.

    Args:
        ax: where to draw.
        board: the board.
        order: its settlements.
        theme: the look.
        line: the side of a tile in points.
        key: whether to name the terrains.
        patterns: whether they are drawn with their patterns.
        muted: how far the tiles on the board are faded into the background.
    """
    box = board_box(board)
    scale = _scale(box)
    y = box.bottom - _ROW / 2 * scale
    for row in _rows(_entries(board, order, key), box):
        x = (box.left + box.right - _row_width(row, scale)) / 2
        for entry in row:
            width = _entry_width(entry, scale)
            middle = (x + (_SIGN * scale + width) / 2, y)
            if isinstance(entry, str):
                _draw_swatch(
                    ax, board, entry, (x + 0.23 * scale, y), 0.26 * scale, theme, line, patterns, muted
                )
            else:
                site, fills = (x + 0.2 * scale, y - 0.03 * scale), [player_color(theme, entry)]
                _draw_houses(ax, [site], 0.16 * scale, fills, theme, line, "player")
            name = text_path(_name(entry), middle, _CAP * scale, bold=False)
            outlines(
                ax, [name], [theme.text], gid="terrain-name" if isinstance(entry, str) else "player-name"
            )
            x += width + _GAP * scale
        y -= _ROW * scale


def _draw_swatch(
    ax: Axes,
    board: Board,
    name: str,
    spot: XY,
    side: float,
    theme: Theme,
    line: float,
    patterns: bool,
    muted: float,
) -> None:
    """Draw a small tile as it is on the board."""
    flat = board.layout.sideways
    fill = blend(terrain_color(theme, name), theme.background, muted)
    edge = blend(fill, theme.text, 0.4)
    polygons(ax, [hexagon(spot, side, flat=flat)], [fill], gid="key", edge=edge, line=0.025 * line)
    if patterns:
        strokes = [[(spot[0] + side * x, spot[1] + side * y) for x, y in s] for s in pattern(name, 2.4, flat)]
        ink = blend(fill, ink_on(fill), theme.stroke)
        drawn = LineCollection(strokes, colors=[ink], linewidths=0.022 * line, gid="key-patterns", zorder=1)
        ax.add_collection(drawn, autolim=False)


def _rows(parts: Sequence[Sequence[str | int]], box: Box) -> list[Sequence[str | int]]:
    """Break each part's names into as few rows as the box is wide enough for, evenly filled."""
    return [row for part in parts for row in _broken(part, box)]


def _broken(entries: Sequence[str | int], box: Box) -> list[Sequence[str | int]]:
    scale = _scale(box)
    for count in range(1, len(entries) + 1):
        columns = -(-len(entries) // count)
        rows = [entries[i : i + columns] for i in range(0, len(entries), columns)]
        if columns == 1 or max(_row_width(row, scale) for row in rows) <= box.width:
            return rows
    return []


def _row_width(entries: Sequence[str | int], scale: float) -> float:
    return sum(_entry_width(entry, scale) for entry in entries) + _GAP * scale * (len(entries) - 1)


def _entry_width(entry: str | int, scale: float) -> float:
    return _SIGN * scale + text_width(_name(entry), _CAP * scale, bold=False)


def _name(entry: str | int) -> str:
    return entry if isinstance(entry, str) else f"player {entry}"


# Settlements


def draw_settlements(ax: Axes, board: Board, order: Sequence[Settlement], theme: Theme, line: float) -> None:
    """Draw a house per settlement, in its player's colour, numbered in the order placed."""
    places = vertex_places(board.layout)
    sites = [places[vertex] for _, vertex in order]
    fills = [player_color(theme, player) for player, _ in order]
    _draw_houses(ax, sites, _HOUSE, fills, theme, line, "settlements")
    numbers = [text_path(str(i), (x, y - 0.02), 0.2) for i, (x, y) in enumerate(sites, start=1)]
    outlines(ax, numbers, [ink_on(fill) for fill in fills], gid="order", zorder=5)


def draw_roads(
    ax: Axes,
    board: Board,
    order: Sequence[Settlement],
    roads: Sequence[int | None],
    theme: Theme,
    line: float,
) -> None:
    """Draw a bar along an edge per road that is known, in its player's colour."""
    places = vertex_places(board.layout)
    bars: list[list[XY]] = []
    fills = []
    for (player, vertex), road in zip(order, roads, strict=True):
        if road is not None:
            (x, y), (to_x, to_y) = places[vertex], places[road]
            bars.append([(x + t * (to_x - x), y + t * (to_y - y)) for t in (0.1, 0.86)])
            fills.append(player_color(theme, player))
    for gid, colors, width in (
        ("road-halo", [WHITE], 0.23),
        ("road-edges", [theme.house_edge], 0.17),
        ("roads", fills, 0.11),
    ):
        drawn = LineCollection(bars, colors=colors, linewidths=width * line, gid=gid, zorder=3.9)
        ax.add_collection(drawn, autolim=False)


def draw_arrows(ax: Axes, board: Board, arrows: Sequence[tuple[int, int]], theme: Theme, line: float) -> None:
    """Draw a bent arrow per pair of vertices, from beside the first to beside the second."""
    places = vertex_places(board.layout)
    tip = f"-|>,head_length={0.3 * line},head_width={0.13 * line}"
    for start, end in arrows:
        ax.add_patch(
            FancyArrowPatch(
                places[start], places[end], arrowstyle=tip, connectionstyle="arc3,rad=0.2", mutation_scale=1,
                shrinkA=0.3 * line, shrinkB=0.32 * line, color=theme.mark, linewidth=0.08 * line,
                joinstyle="miter", gid="arrows", zorder=7,
            )
        )  # fmt: skip


def player_color(theme: Theme, player: int) -> Color:
    """Return the colour of a player, numbered from 1."""
    return theme.players[(player - 1) % len(theme.players)]


def _draw_houses(
    ax: Axes, sites: Sequence[XY], size: float, fills: Sequence[Color], theme: Theme, line: float, gid: str
) -> None:
    polygons(ax, [house(site, size * 1.25) for site in sites], [WHITE], gid="halo", zorder=4)
    walls = [house(site, size) for site in sites]
    polygons(ax, walls, fills, gid=gid, edge=theme.house_edge, line=0.035 * line, zorder=4)


# Numbers and rings


def draw_numbers(
    ax: Axes,
    board: Board,
    taken: Sequence[int],
    spots: Sequence[Color | None] | None,
    theme: Theme,
    line: float,
) -> None:
    """Write each tile's number in a small hexagon on it, and each vertex's in a small disc.

    Args:
        ax: where to draw.
        board: the board.
        taken: the vertices with a settlement; their numbers hang below it.
        spots: the colour of the heat map's disc at each vertex, which then holds the number.
        theme: the look.
        line: the side of a tile in points.
    """
    edge = blend(theme.disc, theme.number, 0.55)
    tiles = [(x - 0.33, y - 0.57) for x, y in tile_centres(board.layout)]
    polygons(
        ax, [hexagon(spot, 0.2) for spot in tiles], [theme.disc], gid="tile-labels",
        edge=edge, line=0.02 * line, zorder=6,
    )  # fmt: skip
    vertices = [
        (x, y - 0.42) if v in taken else (x, y) for v, (x, y) in enumerate(vertex_places(board.layout))
    ]
    fills = [theme.frame if spot is None else spot for spot in spots or [None] * len(vertices)]
    labelled = [v for v in range(len(vertices)) if spots is None or spots[v] is None or v in taken]
    discs(
        ax, [vertices[v] for v in labelled], 0.17, [fills[v] for v in labelled], gid="vertex-labels",
        edge=edge, line=0.02 * line, zorder=6,
    )  # fmt: skip
    for places, gid, inks in (
        (tiles, "tile-numbers", [theme.number]),
        (vertices, "vertex-numbers", [ink_on(fill) for fill in fills]),
    ):
        words = [text_path(str(i), place, 0.13) for i, place in enumerate(places)]
        outlines(ax, words, inks, gid=gid, zorder=6)


def draw_rings(
    ax: Axes, board: Board, tiles: Sequence[int], vertices: Sequence[int], theme: Theme, line: float
) -> None:
    """Ring tiles with a hexagon inside their edges and vertices with a circle.

    Rings of tiles lie below values and settlements, and no ring covers a number.
    """
    centres, places = tile_centres(board.layout), vertex_places(board.layout)
    round_ = [(0.3 * cos(pi * i / 24), 0.3 * sin(pi * i / 24)) for i in range(48)]
    around = [hexagon(centres[tile], 0.86, flat=board.layout.sideways) for tile in tiles]
    circles = [[(places[v][0] + dx, places[v][1] + dy) for dx, dy in round_] for v in vertices]
    for gid, color, width in (("ring-rims", ink_on(theme.mark), 0.17), ("rings", theme.mark, 0.09)):
        polygons(ax, around, "none", gid=gid, edge=color, line=width * line, zorder=2.8)
        polygons(ax, circles, "none", gid=gid, edge=color, line=width * line, zorder=5.5)


# Values


def draw_heat(
    ax: Axes, board: Board, values: Sequence[float], label: str, theme: Theme, line: float
) -> list[Color | None]:
    """Draw a disc per vertex, coloured by its value (none where it is NaN), and a colour bar at the right.

    The bar has the *label* beside it.

    Returns:
        The colour of each vertex's disc.
    """
    array = np.array(values, dtype=float)
    shown = ~np.isnan(array)
    places = np.array(vertex_places(board.layout))[shown]
    rim = blend(theme.background, theme.text, 0.75)  # by night a light one, or dark spots are lost
    spots = discs(ax, places, _SPOT, None, gid="heat", edge=rim, line=0.025 * line, zorder=3)
    discs(ax, places, _SPOT + 0.05, [theme.background], gid="heat-halo", zorder=2.9)
    spots.set(array=array[shown], cmap=theme.heat, norm=_norm(array[shown]))
    _draw_bar(ax, spots, label, theme, board_box(board), line)
    colors = iter(spots.to_rgba(array[shown])[:, :3].tolist())
    return [tuple(next(colors)) if there else None for there in shown]


def _norm(values: np.typing.NDArray[np.float64]) -> Normalize:
    low, high = float(values.min()), float(values.max())
    return Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)


def _draw_bar(ax: Axes, spots: EllipseCollection, label: str, theme: Theme, box: Box, line: float) -> None:
    scale = _scale(box)
    height = 0.6 * box.height
    bottom = (box.top + box.bottom - height) / 2
    room = ax.inset_axes((box.right + 0.1 * scale, bottom, 0.3 * scale, height), transform=ax.transData)
    bar = ax.figure.colorbar(spots, cax=room)
    bar.outline.set(edgecolor=theme.text, linewidth=0.03 * line)
    room.tick_params(
        colors=theme.text, labelsize=0.3 * scale * line, pad=0.08 * line, width=0.03 * line, length=0.1 * line
    )
    if label:
        bar.set_label(label, color=theme.text, fontsize=0.3 * scale * line, labelpad=0.2 * scale * line)
