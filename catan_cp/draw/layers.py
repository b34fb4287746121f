"""A board's picture, layer by layer: what it shows, how much room that takes, and `paint`, which draws it.

From the water up, each function draws one thing; the last ones draw what people put on a board: settlements,
values of vertices, numbers, rings, and the names below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, cos, hypot, isnan, pi, sin
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import Normalize
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import REDS, TERRAINS, FishingGround, Harbor, piece_counts
from catan_cp.draw import shapes
from catan_cp.draw.picture import Canvas, text_width
from catan_cp.draw.shapes import XY, Box, hexagon, moved, places
from catan_cp.draw.style import ICONS, WHITE, Color, Theme, blend, ink_on, pattern, terrain_color

Settlement = tuple[int, int, int | None]
"""A player, numbered from 1, a vertex, and the other end of its road, if that is known."""

Entry = tuple[str | int, str]
"""Of the key: a terrain or the number of a player, and its name there."""

_DISC = 0.45
_HARBOR = 0.38
_HOUSE, _SPOT = 0.23, 0.2
_PAD = 0.12  # around the water
_RIM = 0.34  # the water outside tiles without a frame
_HARBOR_RIM = 1.05  # and where harbors lie in it
_FRAME_RIM = 0.55  # the water outside the centres of the frame's hexagons

# Of the words around the board: capitals, the sign before a name, the space between names, a row of names,
# the bar, its label.
_CAP, _SIGN, _GAP, _ROW, _BAR, _LABEL = 0.24, 0.55, 0.52, 0.58, 1.7, 0.5


@dataclass(frozen=True)
class Content:
    """What a picture of a board shows; `catan_cp.plot_board` says what each of these is.

    Where *key_letters*, the key has the letters of the terrains too.
    """

    board: Board
    order: Sequence[Settlement] = ()
    heat: Sequence[float] | None = None
    heat_label: str = ""
    key: bool = False
    key_letters: bool = False
    letters: bool = False
    patterns: bool | None = None
    numbers: bool = False
    ring_tiles: Sequence[int] = ()
    ring_vertices: Sequence[int] = ()
    arrows: Sequence[tuple[int, int]] = ()

    @cached_property
    def centres(self) -> list[XY]:
        """The centre of each tile."""
        return places(self.board.layout.tiles, self.board.layout)

    @cached_property
    def vertices(self) -> list[XY]:
        """The place of each vertex."""
        return places(self.board.layout.vertices, self.board.layout)

    @cached_property
    def box(self) -> Box:
        """The box that holds the board and the water around it."""
        rims = [(self.hull, 0.0)]
        if shapes.shows_frame(self.board.layout):
            frame = places(self.board.layout.sea_frame, self.board.layout)
            rims = [(self.vertices, _RIM), (frame, _FRAME_RIM)]
        xs, ys = ([spot[k] + r for spots, rim in rims for spot in spots for r in (-rim, rim)] for k in (0, 1))
        return Box(min(xs) - _PAD, max(xs) + _PAD, min(ys) - _PAD, max(ys) + _PAD)

    @cached_property
    def hull(self) -> list[XY]:
        """The water's outline where it has not the shape of a frame."""
        return shapes.rounded_hull(self.vertices, _HARBOR_RIM if self.board.harbors else _RIM)

    @property
    def scale(self) -> float:
        """How much larger the words around a large board are, so that they stay legible."""
        return max(1.0, self.box.width / 12)

    @cached_property
    def key_rows(self) -> list[list[Entry]]:
        """The names, terrains first, in as few rows as the board is wide enough for; these evenly filled."""
        kinds = piece_counts(self.board.terrain, tuple(self.board.layout.further_terrains))
        named: list[Entry] = [
            (name, f"{self.letter(name)}  {name}" if self.key_letters else name) for name in kinds if self.key
        ]
        players: list[Entry] = [(n, f"player {n}") for n in sorted({player for player, *_ in self.order})]
        rows = []
        for part in (named, players):
            for columns in (ceil(len(part) / n) for n in range(1, len(part) + 1)):
                broken = [part[i : i + columns] for i in range(0, len(part), columns)]
                if columns == 1 or max(map(_row_width, broken)) * self.scale <= self.box.width:
                    rows += broken
                    break
        return rows

    @cached_property
    def whole(self) -> Box:
        """The box that holds the board, the names below it and the colour bar at the right."""
        left, right, bottom, top = self.box
        beside = 0.0 if self.heat is None else _BAR + (_LABEL if self.heat_label else 0)
        return Box(left, right + beside * self.scale, bottom - _ROW * self.scale * len(self.key_rows), top)

    def has_patterns(self, theme: Theme) -> bool:
        """Whether terrains carry their patterns: as was asked, or as the theme has it."""
        return theme.patterns if self.patterns is None else self.patterns

    def letter(self, terrain: str) -> str:
        """The letter of a terrain in the notation, a capital."""
        return next(letter for letter, name in self.board.layout.letters.items() if name == terrain).upper()

    def fill(self, terrain: str, theme: Theme) -> Color:
        """The colour of a terrain's tiles, which fade into the background under a heat map."""
        muted = 0.0 if self.heat is None else theme.muted
        return blend(terrain_color(theme, terrain), theme.background, muted)

    def fills(self, theme: Theme) -> list[Color]:
        """The colour of each tile."""
        return [self.fill(name, theme) for name in self.board.terrain]


def paint(ax: Axes, what: Content, theme: Theme, window: Box | None = None) -> None:
    """Draw everything on the axes: the whole picture, or the part of it in *window*."""
    on = Canvas.on(ax, theme, window or what.whole)
    for draw in (
        draw_water, draw_tiles, draw_patterns, draw_rivers, draw_names, draw_markers, draw_letters,
        draw_fishing_grounds, draw_harbors, draw_roads, draw_settlements, draw_key, draw_rings, draw_arrows,
    ):  # fmt: skip
        draw(on, what)
    draw_numbers(on, what, draw_heat(on, what))


# The water


def draw_water(on: Canvas, what: Content) -> None:
    """Draw the water around the tiles: in the shape of the layout's frame, where it has one.

    That shape is the union of discs about all points between neighbouring hexagons' centres. It is drawn as
    triangles between centres with a broad rounded outline, so no union of polygons need be computed.
    """
    theme, layout = on.theme, what.board.layout
    if not shapes.shows_frame(layout):
        on.polygons([what.hull], [theme.frame], "frame", edge=theme.frame_edge, width=0.05)
        return
    tiles = [hexagon(centre, flat=layout.sideways) for centre in what.centres]
    for color, more in ((theme.frame_edge, 0.025), (theme.frame, -0.025)):
        for parts, rim in ((list(_triangles(layout)), _FRAME_RIM), (tiles, _RIM)):
            path = Path.make_compound_path(*(Path([*part, part[0]], closed=True) for part in parts))
            water = PathCollection([path], facecolors=color, edgecolors=color, joinstyle="round")
            on.add(water, "frame", 2 * (rim + more))


def _triangles(layout: Layout) -> Iterator[list[XY]]:
    """Triangles between three neighbouring hexagons of frame and tiles; lines between two in no triangle."""
    points, sides = {*layout.tiles, *layout.sea_frame}, set[Any]()
    for steps in (((2, 0), (1, 3)), ((1, 3), (-1, 3)), ((2, 0),), ((1, 3),), ((-1, 3),)):
        for x, y in sorted(points):
            shape = sorted([(x, y), *((x + dx, y + dy) for dx, dy in steps)])
            if points.issuperset(shape) and tuple(shape) not in sides:
                sides.update(combinations(shape, 2))
                yield places(shape, layout)


# The tiles


def draw_tiles(on: Canvas, what: Content) -> None:
    """Draw a hexagon per tile: the sea first, then beaches, then the land in them."""
    flat, fills = what.board.layout.sideways, what.fills(on.theme)
    sea = [t for t, name in enumerate(what.board.terrain) if name == "sea"]
    land = [t for t, name in enumerate(what.board.terrain) if name != "sea"]
    for gid, tiles, size, colors, edge, width in (
        ("sea", sea, 1.0, [fills[t] for t in sea], on.theme.sea_edge, 0.035),
        ("coast", land, 1.075, [on.theme.coast], "none", 0),
        ("land", land, 0.965, [fills[t] for t in land], "none", 0),
    ):
        on.polygons(
            [hexagon(what.centres[t], size, flat=flat) for t in tiles], colors, gid, edge, width=width
        )


def draw_patterns(on: Canvas, what: Content) -> None:
    """Draw each terrain's pattern, with a clear ring where a marker's disc will lie."""
    if not what.has_patterns(on.theme):
        return
    board, fills, by_ink = what.board, what.fills(on.theme), dict[Color, list[Path]]()
    for centre, name, fill, marker in zip(what.centres, board.terrain, fills, board.markers, strict=True):
        covered = 0.0 if marker is None else _DISC
        by_ink.setdefault(blend(fill, ink_on(fill), on.theme.stroke), []).extend(
            Path(moved(stroke, centre))
            for stroke in pattern(name, flat=board.layout.sideways)
            if any(hypot(px, py) > covered for px, py in stroke)
        )
    # One path a colour makes a third of the size of a file with one a stroke.
    inked = {ink: Path.make_compound_path(*strokes) for ink, strokes in by_ink.items() if strokes}
    drawn = PathCollection(list(inked.values()), facecolors="none", edgecolors=list(inked), capstyle="round")
    on.add(drawn, "patterns", 0.022)
    numbered = [t for t, marker in enumerate(board.markers) if marker is not None]
    on.discs([what.centres[t] for t in numbered], _DISC + 0.06, [fills[t] for t in numbered], "clear")


def draw_rivers(on: Canvas, what: Content) -> None:
    """Draw each river as a band from tile to tile, from its source to the swamp at its mouth."""
    layout, mouths = what.board.layout, shapes.river_mouths(what.board.layout)
    wet = layout.rivers.union(t for t, name in enumerate(what.board.terrain) if name in mouths)
    courses = [
        _meander(what.centres[a], what.centres[b]) for a, b in shapes.river_steps(layout) if {a, b} <= wet
    ]
    water = terrain_color(on.theme, "lake")
    for color, width in ((blend(water, on.theme.number, 0.5), 0.26), (water, 0.2)):
        on.strokes(courses, [color], width, "rivers", capstyle="round", joinstyle="round")


def _meander(start: XY, end: XY) -> list[XY]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    bends = ((i / 24, 0.06 * sin(2 * pi * i / 24)) for i in range(25))
    return [(start[0] + dx * t - dy * bend, start[1] + dy * t + dx * bend) for t, bend in bends]


def draw_names(on: Canvas, what: Content) -> None:
    """Write the names of the terrains that the layout brings along, such as a castle, on a clear band."""
    words, bands, fills = [], [], []
    for (x, y), name in zip(what.centres, what.board.terrain, strict=True):
        parts = [] if name in TERRAINS else name.split("-")
        for row, word in enumerate(parts):
            spot = (x, y + 0.13 * (len(parts) - 1) - 0.26 * row)
            cap = min(0.17, 0.17 * 1.35 / text_width(word, 0.17))
            reach = text_width(word, cap) / 2 + 0.08
            words.append((word, spot, cap))
            bands.append(shapes.bar((x - reach, spot[1]), (x + reach, spot[1]), 0.3))
            fills.append(what.fill(name, on.theme))
    on.polygons(bands, fills, "clear")
    on.words(words, [ink_on(fill) for fill in fills], "names")


def draw_markers(on: Canvas, what: Content) -> None:
    """Draw the marker discs: the number, with a second one beside it; its pips under it; 6 and 8 in red."""
    layout, theme = what.board.layout, on.theme
    numbered = [
        (spot, marker, theme.red if REDS.intersection(layout.numbers_of(marker)) else theme.number)
        for spot, marker in zip(what.centres, what.board.markers, strict=True)
        if marker is not None
    ]
    on.discs([spot for spot, *_ in numbered], _DISC, [theme.disc], "discs", theme.disc_edge, width=0.03)
    if theme.greys:  # a second ring, for paper without red ink
        reds = [spot for spot, _, ink in numbered if ink == theme.red]
        on.discs(reds, _DISC - 0.06, [theme.disc], "rings", theme.red, width=0.03)
    numbers, dots = [], []
    for (x, y), marker, ink in numbered:
        if second := layout.second_marker.get(marker):
            numbers.append((f"{marker}/{second}", (x, y + 0.08), 0.22))
        else:
            numbers.append((str(marker), (x, y + 0.09), 0.36))
        n = layout.marker_pips(marker)
        step = min(0.105, 0.56 / n)
        dots += [((x + step * (i - (n - 1) / 2), y - 0.235), ink) for i in range(n)]
    on.words(numbers, [ink for *_, ink in numbered], "numbers")
    on.discs([dot for dot, _ in dots], 0.04, [ink for _, ink in dots], "pips")


def draw_letters(on: Canvas, what: Content) -> None:
    """Write each terrain's letter above its marker or name; in the middle where there is neither."""
    if not what.letters:
        return
    board, fills = what.board, what.fills(on.theme)
    letters = [
        (what.letter(name), (x, y), 0.34)
        if marker is None and name in TERRAINS
        else (what.letter(name), (x, y + 0.62), 0.2)
        for (x, y), name, marker in zip(what.centres, board.terrain, board.markers, strict=True)
    ]
    on.polygons([hexagon(spot, 0.85 * cap) for _, spot, cap in letters], fills, "clear")
    on.words(letters, [ink_on(fill) for fill in fills], "letters")


# Fishing grounds


def draw_fishing_grounds(on: Canvas, what: Content) -> None:
    """Draw the fishing grounds, each before its three vertices, with its number on a fish."""
    theme, grounds = on.theme, what.board.fishing_grounds
    corners = [_ground(what.board, ground) for ground in grounds]
    middles = [_middle(shape) for shape in corners]
    fill = blend(terrain_color(theme, "lake"), theme.frame, 0.25)
    on.polygons(corners, [fill], "grounds", theme.frame_edge, width=0.03)
    on.polygons([moved(_FISH, spot) for spot in middles], [theme.disc], "fish", theme.disc_edge, width=0.025)
    numbers = [
        (str(ground.marker), (x - 0.07, y), 0.2) for ground, (x, y) in zip(grounds, middles, strict=True)
    ]
    on.words(numbers, [theme.number], "fish-numbers")


def _ground(board: Board, ground: FishingGround) -> list[XY]:
    """The corners of a fishing ground: its three vertices and the middle of their hexagon, drawn in a little.

    Where the three go round a cape, that middle is on land; the ground then lies outside, before the middle
    vertex.
    """
    layout, middle = board.layout, board.layout.ground_hexagon(ground.vertices)
    a, b, c = (layout.vertices[v] for v in ground.vertices)
    if middle in layout.tiles and board.terrain[layout.tiles.index(middle)] != "sea":
        b, middle = (2 * b[0] - middle[0], 2 * b[1] - middle[1]), b
    corners = places((a, b, c, middle), layout)
    x, y = _middle(corners)
    return [(x + 0.88 * (px - x), y + 0.88 * (py - y)) for px, py in corners]


def _middle(corners: Sequence[XY]) -> XY:
    return sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4


_FISH: tuple[XY, ...] = (
    *((-0.07 + 0.3 * cos(pi / 12 * i), 0.21 * sin(pi / 12 * i)) for i in range(2, 23)),
    (0.33, -0.15),
    (0.28, 0.0),
    (0.33, 0.15),
)


# Harbors


def draw_harbors(on: Canvas, what: Content) -> None:
    """Draw each harbor in the water before its edge: two piers, and a sign with its trade.

    The sign of a 2:1 harbor has the resource's colour, and its icon or letter for those who do not see it.
    """
    theme, harbors = on.theme, what.board.harbors
    centres = [harbor_centre(what, harbor) for harbor in harbors]
    ends = [(what.vertices[v], spot) for h, spot in zip(harbors, centres, strict=True) for v in h.vertices]
    on.polygons([shapes.bar(start, end, 0.09) for start, end in ends], [theme.pier], "piers")
    fills = [theme.disc if h.trade == "3:1" else terrain_color(theme, h.trade) for h in harbors]
    on.discs(centres, _HARBOR, fills, "harbors", theme.disc_edge, width=0.03)
    for harbor, (x, y), fill in zip(harbors, centres, fills, strict=True):
        ink, special = [ink_on(fill)], harbor.trade != "3:1"
        texts = [("2:1", (x, y - 0.14), 0.17)] if special else [("3:1", (x, y), 0.24)]
        if special and what.letters:
            texts.append((what.letter(harbor.trade), (x, y + 0.13), 0.2))
        on.words(texts, ink, "trade")
        if special and not what.letters:
            lines = [moved(stroke, (x, y + 0.12)) for stroke in ICONS[harbor.trade]]
            on.strokes(lines, ink, 0.035, "icon", capstyle="round", joinstyle="round")


def harbor_centre(what: Content, harbor: Harbor) -> XY:
    """The place of a harbor's sign: off its edge, straight out of the land."""
    near, (a, b) = what.board.layout.vertex_tiles, harbor.vertices
    beside = sorted(set(near[a]) & set(near[b]))
    land = next((t for t in beside if what.board.terrain[t] != "sea"), beside[0])
    (ax, ay), (bx, by), (cx, cy) = what.vertices[a], what.vertices[b], what.centres[land]
    x, y = (ax + bx) / 2, (ay + by) / 2
    scale = 0.56 / hypot(x - cx, y - cy)
    return x + (x - cx) * scale, y + (y - cy) * scale


# The key: names of terrains, and of players


def draw_key(on: Canvas, what: Content) -> None:
    """Name the terrains if there is to be a key, and the players, in rows below the board."""
    box, scale = what.box, what.scale
    for i, row in enumerate(what.key_rows):
        x, y = (box.left + box.right - scale * _row_width(row)) / 2, box.bottom - _ROW * scale * (i + 0.5)
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


def _row_width(row: Sequence[Entry]) -> float:
    return sum(_entry_width(name) for _, name in row) + _GAP * (len(row) - 1)


def _entry_width(name: str) -> float:
    return _SIGN + text_width(name, _CAP, bold=False)


def _draw_swatch(on: Canvas, what: Content, terrain: str, spot: XY, side: float) -> None:
    """Draw a small tile as it is on the board."""
    flat, fill = what.board.layout.sideways, what.fill(terrain, on.theme)
    edge = blend(fill, on.theme.text, 0.4)
    on.polygons([hexagon(spot, side, flat=flat)], [fill], "key", edge, width=0.025)
    if what.has_patterns(on.theme):
        lines = [moved(stroke, spot, side) for stroke in pattern(terrain, 2.4, flat)]
        on.strokes(lines, [blend(fill, ink_on(fill), on.theme.stroke)], 0.022, "key-patterns")


# Settlements


def draw_settlements(on: Canvas, what: Content) -> None:
    """Draw a house per settlement, in its player's colour, numbered in the order placed."""
    sites = [what.vertices[vertex] for _, vertex, _ in what.order]
    fills = _draw_houses(on, sites, _HOUSE, [player for player, *_ in what.order], "settlements")
    numbers = [(str(i), (x, y - 0.02), 0.2) for i, (x, y) in enumerate(sites, start=1)]
    on.words(numbers, [ink_on(fill) for fill in fills], "order", level=5)


def draw_roads(on: Canvas, what: Content) -> None:
    """Draw a bar along an edge per road that is known, in its player's colour."""
    known = [
        (_player_color(on.theme, player), what.vertices[vertex], what.vertices[road])
        for player, vertex, road in what.order
        if road is not None
    ]
    lines = [[(x + t * (u - x), y + t * (v - y)) for t in (0.1, 0.86)] for _, (x, y), (u, v) in known]
    on.strokes(lines, [WHITE], 0.23, "road-halo", 3.9)
    on.strokes(lines, [on.theme.house_edge], 0.17, "road-edges", 3.9)
    on.strokes(lines, [color for color, *_ in known], 0.11, "roads", 3.9)


def draw_arrows(on: Canvas, what: Content) -> None:
    """Draw a bent arrow per pair of vertices, from beside the first to beside the second."""
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
    on.polygons([moved(shapes.HOUSE, site, size * 1.25) for site in sites], [WHITE], "halo", level=4)
    walls = [moved(shapes.HOUSE, site, size) for site in sites]
    on.polygons(walls, fills, gid, edge=on.theme.house_edge, width=0.035, level=4)
    return fills


# Numbers and rings


def draw_numbers(on: Canvas, what: Content, spots: Sequence[Color | None]) -> None:
    """Write each tile's number in a small hexagon on it, and each vertex's in a small disc.

    A settlement's hangs below it. *spots* are the colours of a heat map's discs, which hold the numbers.
    """
    if not what.numbers:
        return
    theme, taken = on.theme, {vertex for _, vertex, _ in what.order}
    edge = blend(theme.disc, theme.number, 0.55)
    tiles = [(x - 0.33, y - 0.57) for x, y in what.centres]
    vertices = [(x, y - 0.42) if v in taken else (x, y) for v, (x, y) in enumerate(what.vertices)]
    fills = [theme.frame if spot is None else spot for spot in spots]
    free = [v for v, spot in enumerate(spots) if spot is None or v in taken]
    bare, inside = [vertices[v] for v in free], [fills[v] for v in free]
    on.polygons(
        [hexagon(spot, 0.2) for spot in tiles], [theme.disc], "tile-labels", edge, width=0.02, level=6
    )
    on.discs(bare, 0.17, inside, "vertex-labels", edge, width=0.02, level=6)
    at_tiles, at_vertices = ([(str(i), spot, 0.13) for i, spot in enumerate(x)] for x in (tiles, vertices))
    on.words(at_tiles, [theme.number], "tile-numbers", level=6)
    on.words(at_vertices, [ink_on(fill) for fill in fills], "vertex-numbers", level=6)


def draw_rings(on: Canvas, what: Content) -> None:
    """Ring tiles with a hexagon inside their edges and vertices with a circle.

    Rings of tiles lie below values and settlements, and no ring covers a number.
    """
    around = [hexagon(what.centres[t], 0.86, flat=what.board.layout.sideways) for t in what.ring_tiles]
    circles = [shapes.circle(what.vertices[v], 0.3) for v in what.ring_vertices]
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
    if what.heat is None:
        return [None] * len(what.vertices)
    theme = on.theme
    known = [v for v, value in enumerate(what.heat) if not isnan(value)]
    sites, shown = [what.vertices[v] for v in known], np.array([what.heat[v] for v in known])
    rim = blend(theme.background, theme.text, 0.75)  # by night a light one, or dark spots are lost
    spots = on.discs(sites, _SPOT, None, "heat", rim, width=0.025, level=3)
    on.discs(sites, _SPOT + 0.05, [theme.background], "heat-halo", level=2.9)
    low, high = float(shown.min()), float(shown.max())
    norm = Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)
    spots.set(array=shown, cmap=theme.heat, norm=norm)
    box, scale, side = what.box, what.scale, on.unit
    left, bottom = box.right + 0.1 * scale, (box.top + box.bottom) / 2 - 0.3 * box.height
    room = on.ax.inset_axes((left, bottom, 0.3 * scale, 0.6 * box.height), transform=on.ax.transData)
    bar = on.ax.figure.colorbar(spots, cax=room)
    bar.outline.set(edgecolor=theme.text, linewidth=0.03 * side)
    size = 0.3 * scale * side
    room.tick_params(colors=theme.text, labelsize=size, pad=0.08 * side, width=0.03 * side, length=0.1 * side)
    bar.set_label(what.heat_label, color=theme.text, fontsize=size, labelpad=0.2 * scale * side)
    colors = dict(zip(known, map(tuple, spots.to_rgba(shown)[:, :3].tolist()), strict=True))
    return [colors.get(v) for v in range(len(what.vertices))]
