"""The layers of a board's picture, from the water up: each function draws one thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import REDS, TERRAIN_LETTER, TERRAINS, FishingGround, Harbor
from catan_cp.draw import shapes
from catan_cp.draw.shapes import XY, Box, Canvas, hexagon, places, text_width
from catan_cp.draw.style import Color, Theme, blend, icon, ink_on, pattern, terrain_color

if TYPE_CHECKING:
    from matplotlib.path import Path

Settlement = tuple[int, int]
"""A player, numbered from 1, and a vertex."""

_DISC = 0.45
_HARBOR = 0.38
_PAD = 0.12  # around the water
_RIM = 0.34  # the water outside tiles without a frame
_HARBOR_RIM = 1.05  # and where harbors lie in it
_FRAME_RIM = 0.55  # the water outside the centres of the frame's hexagons


@dataclass(frozen=True)
class Content:
    """What a picture of a board shows; `catan_cp.plot_board` says what each of these is.

    Where *key_letters*, the key has the letters of the terrains too.
    """

    board: Board
    order: Sequence[Settlement] = ()
    roads: Sequence[int | None] = ()
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
        if shapes.shows_frame(self.board.layout):
            points = [(x, y, _FRAME_RIM) for x, y in places(self.board.layout.sea_frame, self.board.layout)]
            points += [(x, y, _RIM) for x, y in self.vertices]
        else:
            points = [(x, y, 0.0) for x, y in self.hull]
        return Box(
            min(x - r for x, _, r in points) - _PAD,
            max(x + r for x, _, r in points) + _PAD,
            min(y - r for _, y, r in points) - _PAD,
            max(y + r for _, y, r in points) + _PAD,
        )

    @cached_property
    def hull(self) -> list[XY]:
        """The water's outline where it has not the shape of a frame."""
        return shapes.rounded_hull(self.vertices, _HARBOR_RIM if self.board.harbors else _RIM)

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


# The water


def draw_water(on: Canvas, what: Content) -> None:
    """Draw the water around the tiles: in the shape of the layout's frame, where it has one.

    That shape is the union of discs about all points between neighbouring hexagons' centres. It is drawn as
    triangles between centres with a broad rounded outline, so no union of polygons need be computed.
    """
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    theme, layout = on.theme, what.board.layout
    if not shapes.shows_frame(layout):
        on.polygons([what.hull], [theme.frame], "frame", edge=theme.frame_edge, width=0.05)
        return
    tiles = [hexagon(centre, flat=layout.sideways) for centre in what.centres]
    for color, more in ((theme.frame_edge, 0.025), (theme.frame, -0.025)):
        for parts, rim in ((list(_triangles(layout)), _FRAME_RIM), (tiles, _RIM)):
            path = Path.make_compound_path(*(Path([*part, part[0]], closed=True) for part in parts))
            width = 2 * (rim + more) * on.unit
            water = PathCollection(
                [path], facecolors=color, edgecolors=color, linewidths=width, joinstyle="round"
            )
            on.add(water, "frame")


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
            yield places(shape, layout)


# The tiles


def draw_tiles(on: Canvas, what: Content) -> None:
    """Draw a hexagon per tile: the sea first, then beaches, then the land in them."""
    flat, fills = what.board.layout.sideways, what.fills(on.theme)
    sea = [t for t, name in enumerate(what.board.terrain) if name == "sea"]
    land = [t for t, name in enumerate(what.board.terrain) if name != "sea"]
    for gid, tiles, size, colors, edge in (
        ("sea", sea, 1.0, [fills[t] for t in sea], on.theme.sea_edge),
        ("coast", land, 1.075, [on.theme.coast], "none"),
        ("land", land, 0.965, [fills[t] for t in land], "none"),
    ):
        corners = [hexagon(what.centres[t], size, flat=flat) for t in tiles]
        on.polygons(corners, colors, gid, edge=edge, width=0.035 if gid == "sea" else 0.0)


def draw_patterns(on: Canvas, what: Content) -> None:
    """Draw each terrain's pattern, with a clear ring where a marker's disc will lie."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    board, fills = what.board, what.fills(on.theme)
    by_ink: dict[Color, list[Path]] = {}
    for (x, y), name, fill, marker in zip(what.centres, board.terrain, fills, board.markers, strict=True):
        covered = 0.0 if marker is None else _DISC
        by_ink.setdefault(blend(fill, ink_on(fill), on.theme.stroke), []).extend(
            Path([(x + px, y + py) for px, py in stroke])
            for stroke in pattern(name, flat=board.layout.sideways)
            if any(hypot(px, py) > covered for px, py in stroke)
        )
    # One path a colour makes a third of the size of a file with one a stroke.
    inked = {ink: Path.make_compound_path(*strokes) for ink, strokes in by_ink.items() if strokes}
    drawn = PathCollection(list(inked.values()), facecolors="none", edgecolors=list(inked), capstyle="round")
    drawn.set_linewidth(0.022 * on.unit)
    on.add(drawn, "patterns")
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
    on.discs([spot for spot, *_ in numbered], _DISC, [theme.disc], "discs", edge=theme.disc_edge, width=0.03)
    if theme.greys:  # a second ring, for paper without red ink
        reds = [spot for spot, _, ink in numbered if ink == theme.red]
        on.discs(reds, _DISC - 0.06, [theme.disc], "rings", edge=theme.red, width=0.03)
    second = layout.second_marker
    numbers = [
        (f"{marker}/{second[marker]}", (x, y + 0.08), 0.22)
        if marker in second
        else (str(marker), (x, y + 0.09), 0.36)
        for (x, y), marker, _ in numbered
    ]
    on.words(numbers, [ink for *_, ink in numbered], "numbers")
    dots = []
    for (x, y), marker, ink in numbered:
        n = layout.marker_pips(marker)
        step = min(0.105, 0.56 / n)
        dots += [((x + step * (i - (n - 1) / 2), y - 0.235), ink) for i in range(n)]
    on.discs([dot for dot, _ in dots], 0.04, [ink for _, ink in dots], "pips")


def draw_letters(on: Canvas, what: Content) -> None:
    """Write each terrain's letter above its marker or name; in the middle where there is neither."""
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
    on.polygons(corners, [fill], "grounds", edge=theme.frame_edge, width=0.03)
    fish = [[(x + px, y + py) for px, py in _FISH] for x, y in middles]
    on.polygons(fish, [theme.disc], "fish", edge=theme.disc_edge, width=0.025)
    numbers = [
        (str(ground.marker), (x - 0.07, y), 0.2) for ground, (x, y) in zip(grounds, middles, strict=True)
    ]
    on.words(numbers, [theme.number], "fish-numbers")


def _on_land(board: Board, ground: FishingGround) -> bool:
    tiles, middle = board.layout.tiles, board.layout.ground_hexagon(ground.vertices)
    return middle in tiles and board.terrain[tiles.index(middle)] != "sea"


def _ground(board: Board, ground: FishingGround) -> list[XY]:
    """The corners of a fishing ground, a little smaller than its place."""
    points = shapes.ground_corners(board.layout, ground, _on_land(board, ground))
    corners = places(points, board.layout)
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
    on.discs(centres, _HARBOR, fills, "harbors", edge=theme.disc_edge, width=0.03)
    for harbor, (x, y), fill in zip(harbors, centres, fills, strict=True):
        ink = [ink_on(fill)]
        if harbor.trade == "3:1":
            on.words([("3:1", (x, y), 0.24)], ink, "trade")
            continue
        on.words([("2:1", (x, y - 0.14), 0.17)], ink, "trade")
        if what.letters:
            on.words([(TERRAIN_LETTER[harbor.trade].upper(), (x, y + 0.13), 0.2)], ink, "trade")
        else:
            lines = [[(x + px, y + 0.12 + py) for px, py in stroke] for stroke in icon(harbor.trade)]
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
