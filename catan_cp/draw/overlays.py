"""What people put on a board: settlements with their players, and a value per vertex with its colour bar.

This module loads matplotlib; import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PathCollection, PolyCollection
from matplotlib.colors import Normalize

from catan_cp.board import Board
from catan_cp.draw.layers import add, board_box, discs
from catan_cp.draw.shapes import XY, Box, house, text_path, text_width, vertex_places
from catan_cp.draw.style import WHITE, Color, Theme, ink_on

Settlement = tuple[int, int]

_HOUSE = 0.23
_HEAT = 0.2
_CAP = 0.24
_GAP = 0.6
_ROW = 0.58
_BAR = 1.7


def picture_box(board: Board, order: Sequence[Settlement], heat: bool) -> Box:
    """Return the box that holds the board, the names of the players below, and the colour bar to the right."""
    box = board_box(board)
    scale = _scale(box)
    below = _ROW * scale * len(_rows(_players(order), box))
    return Box(box.left, box.right + (_BAR * scale if heat else 0), box.bottom - below, box.top)


def _scale(box: Box) -> float:
    """How much larger words are drawn on a large board, so that they stay legible."""
    return max(1.0, box.width / 12)


# Settlements


def draw_settlements(ax: Axes, board: Board, order: Sequence[Settlement], theme: Theme, line: float) -> None:
    """Draw a house per settlement in its player's colour, numbered in the order placed, and the players' names."""
    places = vertex_places(board.layout)
    sites = [places[vertex] for _, vertex in order]
    fills = [player_color(theme, player) for player, _ in order]
    _draw_houses(ax, sites, _HOUSE, fills, theme, line, "settlements")
    numbers = [text_path(str(i), (x, y - 0.02), 0.2) for i, (x, y) in enumerate(sites, start=1)]
    inks = [ink_on(fill) for fill in fills]
    add(ax, PathCollection(numbers, facecolors=inks, edgecolors="none", zorder=6, gid="order"))
    _draw_players(ax, board, _players(order), theme, line)


def player_color(theme: Theme, player: int) -> Color:
    """Return the colour of a player, numbered from 0."""
    return theme.players[player % len(theme.players)]


def _players(order: Sequence[Settlement]) -> list[int]:
    return sorted({player for player, _ in order})


def _draw_players(ax: Axes, board: Board, players: Sequence[int], theme: Theme, line: float) -> None:
    box = board_box(board)
    scale = _scale(box)
    y = box.bottom - _ROW / 2 * scale
    names = []
    for row in _rows(players, box):
        widths = [_entry_width(player, scale) for player in row]
        x = (box.left + box.right - sum(widths) - _GAP * scale * (len(row) - 1)) / 2
        for player, width in zip(row, widths, strict=True):
            icon = (x + 0.2 * scale, y - 0.03 * scale)
            _draw_houses(
                ax, [icon], 0.16 * scale, [player_color(theme, player)], theme, line * scale, "player"
            )
            middle = x + 0.5 * scale + (width - 0.5 * scale) / 2
            names.append(text_path(_name(player), (middle, y), _CAP * scale, bold=False))
            x += width + _GAP * scale
        y -= _ROW * scale
    add(ax, PathCollection(names, facecolors=[theme.text], edgecolors="none", gid="players"))


def _name(player: int) -> str:
    return f"player {player + 1}"


def _entry_width(player: int, scale: float) -> float:
    return 0.5 * scale + text_width(_name(player), _CAP * scale, bold=False)


def _rows(players: Sequence[int], box: Box) -> list[list[int]]:
    """Break the players' names into rows as wide as the box."""
    scale = _scale(box)
    rows: list[list[int]] = []
    room = 0.0
    for player in players:
        width = _entry_width(player, scale) + _GAP * scale
        if not rows or width > room + _GAP * scale:
            rows.append([])
            room = box.width
        rows[-1].append(player)
        room -= width
    return rows


def _draw_houses(
    ax: Axes, sites: Sequence[XY], size: float, fills: Sequence[Color], theme: Theme, line: float, gid: str
) -> None:
    halo = [house(site, size * 1.25) for site in sites]
    walls = [house(site, size) for site in sites]
    add(ax, PolyCollection(halo, facecolors=[WHITE], zorder=5, gid=f"{gid}-halo"))
    add(ax, PolyCollection(
        walls, facecolors=list(fills), edgecolors=[theme.house_edge], linewidths=0.035 * line, zorder=5.5, gid=gid
    ))  # fmt: skip


# Values


def draw_heat(ax: Axes, board: Board, values: Sequence[float], theme: Theme, line: float) -> None:
    """Draw a disc per vertex, coloured by its value (none where it is NaN), and a colour bar at the right."""
    array = np.array(values, dtype=float)
    shown = ~np.isnan(array)
    places = np.array(vertex_places(board.layout))[shown]
    spots = discs(
        ax, places, _HEAT, fill=None, edge=theme.house_edge, line=0.025 * line, gid="heat", zorder=4
    )
    spots.set(array=array[shown], cmap=theme.heat, norm=_norm(array[shown]))
    _draw_bar(ax, spots, theme, board_box(board), line)


def _norm(values: np.typing.NDArray[np.float64]) -> Normalize:
    low, high = float(values.min()), float(values.max())
    return Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)


def _draw_bar(ax: Axes, spots: EllipseCollection, theme: Theme, box: Box, line: float) -> None:
    scale = _scale(box)
    height = 0.6 * box.height
    bottom = (box.top + box.bottom - height) / 2
    room = ax.inset_axes((box.right + 0.1 * scale, bottom, 0.3 * scale, height), transform=ax.transData)
    bar = ax.figure.colorbar(spots, cax=room)
    bar.outline.set(edgecolor=theme.text, linewidth=0.03 * line)  # type: ignore[operator]
    room.tick_params(
        colors=theme.text,
        labelsize=0.3 * scale * line,
        width=0.03 * line,
        length=0.1 * scale * line,
        pad=0.08 * line,
    )
