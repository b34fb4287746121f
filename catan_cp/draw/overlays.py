"""What people put on a board: settlements, values of vertices, numbers, rings; and the names below it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from catan_cp.boards.pieces import piece_counts
from catan_cp.draw.layers import Content
from catan_cp.draw.shapes import XY, Box, Canvas, circle, hexagon, house, text_width
from catan_cp.draw.style import WHITE, Color, Theme, blend, ink_on, pattern

Entry = tuple[str | int, str]
"""Of the key: a terrain or the number of a player, and its name there."""

_HOUSE = 0.23
_SPOT = 0.2

# Of the words around the board: capitals, the sign before a name, the space between names, a row of names,
# the bar, its label.
_CAP, _SIGN, _GAP, _ROW, _BAR, _LABEL = 0.24, 0.55, 0.52, 0.58, 1.7, 0.5


def picture_box(what: Content) -> Box:
    """Return the box that holds the board, the names below it and the colour bar at the right."""
    left, right, bottom, top = what.box
    beside = 0.0 if what.heat is None else _BAR + (_LABEL if what.heat_label else 0)
    scale = _scale(what)
    return Box(left, right + beside * scale, bottom - _ROW * scale * len(_key_rows(what)), top)


def _scale(what: Content) -> float:
    """How much larger words are on a large board, so that they stay legible."""
    return max(1.0, what.box.width / 12)


# The key: names of terrains, and of players


def draw_key(on: Canvas, what: Content) -> None:
    """Name the terrains if there is to be a key, and the players, in rows below the board."""
    box, scale = what.box, _scale(what)
    y = box.bottom - _ROW / 2 * scale
    for row in _key_rows(what):
        x = (box.left + box.right - scale * _row_width(row)) / 2
        for sign, name in row:
            width = scale * _entry_width(name)
            if isinstance(sign, str):
                _draw_swatch(on, what, sign, (x + 0.23 * scale, y), 0.26 * scale)
            else:
                _draw_houses(on, [(x + 0.2 * scale, y - 0.03 * scale)], 0.16 * scale, [sign], "player")
            text = (name, (x + (_SIGN * scale + width) / 2, y), _CAP * scale)
            gid = "terrain-name" if isinstance(sign, str) else "player-name"
            on.words([text], [on.theme.text], gid, bold=False)
            x += width + _GAP * scale
        y -= _ROW * scale


def _key_rows(what: Content) -> list[Sequence[Entry]]:
    """The names, terrains first, in as few rows as the board is wide enough for, and these evenly filled."""
    terrains = piece_counts(what.board.terrain, tuple(what.board.layout.further_terrains))
    named: list[Entry] = [
        (name, f"{what.letter(name)}  {name}" if what.key_letters else name) for name in terrains if what.key
    ]
    players: list[Entry] = [(n, f"player {n}") for n in sorted({player for player, _ in what.order})]
    rows: list[Sequence[Entry]] = []
    for part in (named, players):
        for columns in sorted({ceil(len(part) / n) for n in range(1, len(part) + 1)}, reverse=True):
            broken = [part[i : i + columns] for i in range(0, len(part), columns)]
            if columns == 1 or max(map(_row_width, broken)) * _scale(what) <= what.box.width:
                rows += broken
                break
    return rows


def _row_width(row: Sequence[Entry]) -> float:
    return sum(_entry_width(name) for _, name in row) + _GAP * (len(row) - 1)


def _entry_width(name: str) -> float:
    return _SIGN + text_width(name, _CAP, bold=False)


def _draw_swatch(on: Canvas, what: Content, terrain: str, spot: XY, side: float) -> None:
    """Draw a small tile as it is on the board."""
    flat, fill = what.board.layout.sideways, what.fill(terrain, on.theme)
    edge = blend(fill, on.theme.text, 0.4)
    on.polygons([hexagon(spot, side, flat=flat)], [fill], "key", edge=edge, width=0.025)
    if what.has_patterns(on.theme):
        lines = [
            [(spot[0] + side * x, spot[1] + side * y) for x, y in stroke]
            for stroke in pattern(terrain, 2.4, flat)
        ]
        on.strokes(lines, [blend(fill, ink_on(fill), on.theme.stroke)], 0.022, "key-patterns")


# Settlements


def draw_settlements(on: Canvas, what: Content) -> None:
    """Draw a house per settlement, in its player's colour, numbered in the order placed."""
    if not what.order:
        return
    sites = [what.vertices[vertex] for _, vertex in what.order]
    fills = _draw_houses(on, sites, _HOUSE, [player for player, _ in what.order], "settlements")
    numbers = [(str(i), (x, y - 0.02), 0.2) for i, (x, y) in enumerate(sites, start=1)]
    on.words(numbers, [ink_on(fill) for fill in fills], "order", level=5)


def draw_roads(on: Canvas, what: Content) -> None:
    """Draw a bar along an edge per road that is known, in its player's colour."""
    lines: list[list[XY]] = []
    fills = []
    for (player, vertex), road in zip(what.order, what.roads, strict=True):
        if road is not None:
            (x, y), (to_x, to_y) = what.vertices[vertex], what.vertices[road]
            lines.append([(x + t * (to_x - x), y + t * (to_y - y)) for t in (0.1, 0.86)])
            fills.append(_player_color(on.theme, player))
    if lines:
        on.strokes(lines, [WHITE], 0.23, "road-halo", 3.9)
        on.strokes(lines, [on.theme.house_edge], 0.17, "road-edges", 3.9)
        on.strokes(lines, fills, 0.11, "roads", 3.9)


def draw_arrows(on: Canvas, what: Content) -> None:
    """Draw a bent arrow per pair of vertices, from beside the first to beside the second."""
    from matplotlib.patches import FancyArrowPatch

    side = on.unit
    for start, end in what.arrows:
        on.ax.add_patch(
            FancyArrowPatch(
                what.vertices[start], what.vertices[end], connectionstyle="arc3,rad=0.2", mutation_scale=1,
                arrowstyle=f"-|>,head_length={0.3 * side},head_width={0.13 * side}", joinstyle="miter",
                shrinkA=0.3 * side, shrinkB=0.32 * side, color=on.theme.mark, linewidth=0.08 * side,
                gid="arrows", zorder=7,
            )
        )  # fmt: skip


def _player_color(theme: Theme, player: int) -> Color:
    return theme.players[(player - 1) % len(theme.players)]


def _draw_houses(
    on: Canvas, sites: Sequence[XY], size: float, players: Sequence[int], gid: str
) -> list[Color]:
    """Draw a house of each of these players, and return their colours."""
    fills = [_player_color(on.theme, player) for player in players]
    on.polygons([house(site, size * 1.25) for site in sites], [WHITE], "halo", level=4)
    walls = [house(site, size) for site in sites]
    on.polygons(walls, fills, gid, edge=on.theme.house_edge, width=0.035, level=4)
    return fills


# Numbers and rings


def draw_numbers(on: Canvas, what: Content, spots: Sequence[Color | None]) -> None:
    """Write each tile's number in a small hexagon on it, and each vertex's in a small disc.

    A settlement's hangs below it. *spots* are the colours of a heat map's discs, which hold the numbers.
    """
    theme, taken = on.theme, {vertex for _, vertex in what.order}
    edge = blend(theme.disc, theme.number, 0.55)
    tiles = [(x - 0.33, y - 0.57) for x, y in what.centres]
    labels = [hexagon(spot, 0.2) for spot in tiles]
    on.polygons(labels, [theme.disc], "tile-labels", edge=edge, width=0.02, level=6)
    vertices = [(x, y - 0.42) if v in taken else (x, y) for v, (x, y) in enumerate(what.vertices)]
    fills = [theme.frame if spot is None else spot for spot in spots]
    free = [v for v, spot in enumerate(spots) if spot is None or v in taken]
    bare, inside = [vertices[v] for v in free], [fills[v] for v in free]
    on.discs(bare, 0.17, inside, "vertex-labels", edge=edge, width=0.02, level=6)
    for numbered, inks, gid in (
        (tiles, [theme.number], "tile-numbers"),
        (vertices, [ink_on(fill) for fill in fills], "vertex-numbers"),
    ):
        on.words([(str(i), spot, 0.13) for i, spot in enumerate(numbered)], inks, gid, level=6)


def draw_rings(on: Canvas, what: Content) -> None:
    """Ring tiles with a hexagon inside their edges and vertices with a circle.

    Rings of tiles lie below values and settlements, and no ring covers a number.
    """
    around = [hexagon(what.centres[t], 0.86, flat=what.board.layout.sideways) for t in what.ring_tiles]
    circles = [circle(what.vertices[v], 0.3) for v in what.ring_vertices]
    mark = on.theme.mark
    for gid, color, width in (("ring-rims", ink_on(mark), 0.17), ("rings", mark, 0.09)):
        on.polygons(around, "none", gid, edge=color, width=width, level=2.8)
        on.polygons(circles, "none", gid, edge=color, width=width, level=5.5)


# Values


def draw_heat(on: Canvas, what: Content) -> list[Color | None]:
    """Draw a disc per vertex, coloured by its value (none where it is NaN), and a colour bar at the right.

    Returns:
        The colour of each vertex's disc; None where there is none.
    """
    from matplotlib.colors import Normalize

    if what.heat is None:
        return [None] * len(what.vertices)
    theme, array = on.theme, np.array(what.heat, dtype=float)
    there = ~np.isnan(array)
    shown = array[there]
    sites = [site for site, known in zip(what.vertices, there, strict=True) if known]
    rim = blend(theme.background, theme.text, 0.75)  # by night a light one, or dark spots are lost
    spots = on.discs(sites, _SPOT, None, "heat", edge=rim, width=0.025, level=3)
    on.discs(sites, _SPOT + 0.05, [theme.background], "heat-halo", level=2.9)
    low, high = float(shown.min()), float(shown.max())
    norm = Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)
    spots.set(array=shown, cmap=theme.heat, norm=norm)
    box, scale, side = what.box, _scale(what), on.unit
    left, bottom = box.right + 0.1 * scale, (box.top + box.bottom) / 2 - 0.3 * box.height
    room = on.ax.inset_axes((left, bottom, 0.3 * scale, 0.6 * box.height), transform=on.ax.transData)
    bar = on.ax.figure.colorbar(spots, cax=room)
    bar.outline.set(edgecolor=theme.text, linewidth=0.03 * side)
    size = 0.3 * scale * side
    room.tick_params(colors=theme.text, labelsize=size, pad=0.08 * side, width=0.03 * side, length=0.1 * side)
    bar.set_label(what.heat_label, color=theme.text, fontsize=size, labelpad=0.2 * scale * side)
    colors = iter(spots.to_rgba(shown)[:, :3].tolist())
    return [tuple(next(colors)) if known else None for known in there]
