"""The look of every picture: colours of terrains and players by theme, and a drawn pattern for each terrain.

By the patterns boards read without colour. A pattern is strokes: polylines inside the hexagon of side 1 about
the origin, y upwards. Nothing here needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import cos, pi, sin, sqrt
from types import MappingProxyType
from typing import NamedTuple

from catan_cp.errors import InvalidArgument, listed, show

Color = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


def _rgb(red: int, green: int, blue: int) -> Color:
    return red / 255, green / 255, blue / 255


def _colors(text: str) -> tuple[Color, ...]:
    """Read colours as web pages write them: six hexadecimal digits each."""
    return tuple(_rgb(*bytes.fromhex(word)) for word in text.split())


WHITE = _rgb(255, 255, 255)
BLACK = _rgb(0, 0, 0)
INK = _rgb(33, 37, 41)

_DAY_AND_NIGHT = {
    "brick": (_rgb(190, 98, 66), _rgb(168, 82, 56)),
    "lumber": (_rgb(62, 113, 74), _rgb(44, 90, 60)),
    "wool": (_rgb(163, 198, 113), _rgb(132, 168, 88)),
    "grain": (_rgb(236, 199, 96), _rgb(212, 172, 76)),
    "ore": (_rgb(137, 146, 160), _rgb(112, 121, 136)),
    "gold": (_rgb(199, 160, 62), _rgb(170, 134, 46)),
    "desert": (_rgb(233, 217, 181), _rgb(204, 187, 150)),
    "sea": (_rgb(150, 206, 226), _rgb(36, 92, 118)),
    "lake": (_rgb(120, 178, 212), _rgb(58, 116, 152)),
    "oasis": (_rgb(206, 205, 142), _rgb(164, 164, 100)),
    "castle": (_rgb(190, 174, 192), _rgb(128, 112, 134)),
    "quarry": (_rgb(202, 200, 196), _rgb(142, 140, 136)),
    "glassworks": (_rgb(176, 205, 198), _rgb(112, 146, 140)),
    "swamp": (_rgb(158, 163, 116), _rgb(108, 113, 74)),
    "fog": (_rgb(222, 227, 231), _rgb(92, 100, 108)),
}
"""A terrain's colour by day and by night: as far apart in lightness as in hue, and none of them glaring."""

_DAY, _NIGHT = ({name: colors[i] for name, colors in _DAY_AND_NIGHT.items()} for i in (0, 1))

ARTICLE_COLOR: dict[str, Color] = {
    "brick": _rgb(180, 60, 30),
    "lumber": _rgb(10, 80, 10),
    "wool": _rgb(20, 200, 50),
    "grain": _rgb(250, 230, 20),
    "ore": _rgb(127, 127, 127),
    "gold": _rgb(160, 140, 50),
    "desert": _rgb(230, 210, 150),
    "sea": _rgb(80, 210, 240),
}
"""The entropy article's colours of terrains, those of the theme ``plain``."""

_PLAYERS = _colors("d62728 1f5ab4 ff8c00 fafafa 7a3e9d 6e482a")

# Blue, orange, green, vermilion, purple, sky: the palette of Okabe and Ito, made for colour-blind readers.
_SERIES = _colors("0072b2 e69f00 009e73 d55e00 cc79a7 56b4e9")


def blend(color: Color, other: Color, share: float) -> Color:
    """Return *color* with *share* (0 to 1) of *other* mixed in."""
    r, g, b = (a + (z - a) * share for a, z in zip(color, other, strict=True))
    return r, g, b


class Theme(NamedTuple):
    """Everything that differs between a picture on a screen by day (these values), by night, and on paper.

    Args:
        name: what people call it.
        background: around the board; *text* is written on it.
        frame, frame_edge: the water around the tiles and its outline.
        coast: the beach round every piece of land, and the gaps between tiles.
        sea_edge: the outline of sea tiles.
        terrain: the fill of each terrain (on dark ground all are a little deeper, or they would dazzle).
        other: the fill of terrains that a layout brings along, such as a lake.
        patterns: whether terrains carry their patterns unless asked otherwise.
        stroke: how far a pattern's ink is from its tile's colour, from 0 to 1.
        greys: whether colours cannot be told apart, so that lines need dashes, bars hatches, and discs of 6
            and 8 a second ring.
        disc, disc_edge, number, red: the marker discs and what is written on them.
        pier: the two landing stages of a harbor.
        players: the colours of the players' settlements, in the order of play.
        house_edge: the outline of settlements.
        heat: the name of matplotlib's colour map for values of vertices: in every theme, and on the web page,
            pale is low and dark is high, as ink on paper.
        change: a falling, a level and a rising value's colour; the middle recedes into the background, but
            on paper all are greys, or falling and rising would look alike.
        muted: how far tiles fade into the background under a heat map, from 0 to 1: as little as lets
            the values stand out, so that ore and desert still look different.
        mark: the rings round what a picture points at.
        series: the colours of a chart's lines and bars, told apart by colour-blind readers too.
        grid: the lines behind a chart.
    """

    name: str = "light"
    background: Color = WHITE
    text: Color = INK
    frame: Color = _rgb(203, 235, 245)
    frame_edge: Color = _rgb(150, 205, 224)
    coast: Color = _rgb(247, 238, 214)
    sea_edge: Color = _rgb(176, 220, 234)
    terrain: Mapping[str, Color] = _DAY
    other: Color = _rgb(196, 186, 205)
    patterns: bool = True
    stroke: float = 0.3
    greys: bool = False
    disc: Color = _rgb(255, 250, 236)
    disc_edge: Color = _rgb(90, 80, 60)
    number: Color = INK
    red: Color = _rgb(200, 16, 30)
    pier: Color = _rgb(122, 84, 48)
    players: tuple[Color, ...] = _PLAYERS
    house_edge: Color = _rgb(20, 20, 20)
    heat: str = "magma_r"
    change: tuple[Color, ...] = (_rgb(59, 76, 192), _rgb(221, 221, 221), _rgb(180, 4, 38))
    muted: float = 0.3
    mark: Color = _rgb(208, 0, 104)
    series: tuple[Color, ...] = _SERIES
    grid: Color = _rgb(222, 226, 230)


_THEMES = (
    Theme(),
    Theme("plain", terrain=_DAY | ARTICLE_COLOR, patterns=False, sea_edge=_rgb(160, 231, 247)),
    Theme(
        "dark",
        background=_rgb(18, 22, 28),
        text=_rgb(230, 234, 240),
        frame=_rgb(24, 52, 70),
        frame_edge=_rgb(48, 92, 116),
        coast=_rgb(36, 32, 26),
        sea_edge=_rgb(56, 128, 156),
        terrain=_NIGHT,
        other=_rgb(112, 102, 124),
        stroke=0.26,
        disc_edge=_rgb(20, 20, 20),
        pier=_rgb(178, 132, 84),
        house_edge=_rgb(10, 10, 10),
        change=(_rgb(98, 150, 255), _rgb(92, 96, 104), _rgb(255, 120, 96)),
        mark=_rgb(255, 92, 172),
        series=tuple(blend(color, WHITE, 0.25) for color in _SERIES),
        grid=_rgb(56, 64, 74),
    ),
    Theme(
        "print",
        text=BLACK,
        frame=WHITE,
        frame_edge=BLACK,
        coast=BLACK,
        sea_edge=_rgb(150, 150, 150),
        terrain=dict.fromkeys(_DAY, WHITE),
        other=WHITE,
        stroke=0.6,
        greys=True,
        disc=WHITE,
        disc_edge=BLACK,
        number=BLACK,
        red=_rgb(190, 0, 20),
        pier=BLACK,
        players=tuple(_rgb(g, g, g) for g in (255, 25, 180, 95, 220, 135)),
        house_edge=BLACK,
        heat="Greys",
        change=(_rgb(0, 0, 0), _rgb(105, 105, 105), _rgb(205, 205, 205)),
        muted=0.0,
        mark=BLACK,
        series=tuple(_rgb(g, g, g) for g in (0, 110, 170, 60, 140, 200)),
        grid=_rgb(215, 215, 215),
    ),
)

THEMES: Mapping[str, Theme] = MappingProxyType({theme.name: theme for theme in _THEMES})
"""The themes by name."""


def find_theme(name: object) -> Theme:
    """Return the theme of that name.

    Raises:
        InvalidArgument: no theme has that name.
    """
    if not isinstance(name, str) or name not in THEMES:
        raise InvalidArgument(f"unknown theme {show(name)}; themes are {listed(THEMES)}")
    return THEMES[name]


def terrain_color(theme: Theme, name: str) -> Color:
    """Return the fill of a terrain's tiles.

    The terrains that boxes bring along have one by the first part of their names (``castle-knights``: that
    of castles), and all others share one.
    """
    return theme.terrain.get(name.partition("-")[0], theme.other)


def ink_on(color: Color) -> Color:
    """Return the ink, dark or white, that reads better on *color* (by its Rec. 709 luma)."""
    red, green, blue = color
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else WHITE


Point = tuple[float, float]
Stroke = tuple[Point, ...]

_REACH = 0.92 * sqrt(3) / 2
"""How far from the middle of a tile, towards its sides, a pattern goes."""

_NORMALS: dict[bool, tuple[Point, ...]] = {
    flat: tuple((cos(pi / 3 * i + turn), sin(pi / 3 * i + turn)) for i in range(6))
    for flat, turn in ((False, 0.0), (True, pi / 6))
}
"""The directions of a hexagon's sides: with a corner at the top, and flat there."""


@cache
def pattern(terrain: str, size: float = 1.0, flat: bool = False) -> tuple[Stroke, ...]:
    """Return the strokes of a terrain's pattern: walls and waves run to the rim, other things stay whole.

    Of the terrains that a layout brings along, those that boxes have share a pattern by the first part of
    their names (``castle-knights``: castle); others have none.

    Args:
        terrain: what the tile is.
        size: how much the motifs are enlarged, for a tile that is drawn small.
        flat: whether the tile has a side at the top, and no corner.
    """
    kind = terrain.partition("-")[0]
    if kind not in _MOTIFS:
        return ()
    motif, dx, dy = _MOTIFS[kind]
    normals = _NORMALS[flat]
    strokes: list[Stroke] = []
    for x, y in _lattice(dx * size, dy * size):
        moved = [tuple((x + px * size, y + py * size) for px, py in stroke) for stroke in motif]
        if all(_inside(point, normals) for stroke in moved for point in stroke):
            strokes += moved
        elif kind in _TO_THE_RIM:
            strokes += [part for stroke in moved for part in _clipped(stroke, normals)]
    return tuple(strokes)


def icon(resource: str) -> tuple[Stroke, ...]:
    """Return the strokes of one resource's sign, about 0.3 high, with the origin in its middle."""
    return _ICONS[resource]


def _lattice(dx: float, dy: float) -> Iterator[Point]:
    """Points *dx* apart in rows *dy* apart, every other row set off by half."""
    rows, columns = int(1 / dy) + 1, int(1 / dx) + 1
    for row in range(-rows, rows + 1):
        for column in range(-columns, columns + 1):
            yield (column + row % 2 / 2) * dx, row * dy


def _inside(point: Point, normals: Sequence[Point]) -> bool:
    return all(nx * point[0] + ny * point[1] <= _REACH for nx, ny in normals)


def _clipped(stroke: Stroke, normals: Sequence[Point]) -> Iterator[Stroke]:
    """Each segment of the stroke, as far as it runs inside the hexagon."""
    for (x0, y0), (x1, y1) in pairwise(stroke):
        start, end = 0.0, 1.0
        for nx, ny in normals:
            gap, slope = _REACH - nx * x0 - ny * y0, nx * (x1 - x0) + ny * (y1 - y0)
            if slope > 0:
                end = min(end, gap / slope)
            elif slope < 0:
                start = max(start, gap / slope)
            elif gap < 0:
                end = -1.0
        if start < end:
            yield tuple((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in (start, end))


def _circle(radius: float, corners: int = 8) -> Stroke:
    turns = [2 * pi * i / corners for i in range(corners + 1)]
    return tuple((radius * cos(turn), radius * sin(turn)) for turn in turns)


def _strokes(text: str) -> tuple[Stroke, ...]:
    """Read strokes as the tables below have them: points in hundredths, and slashes between strokes."""
    points = ([tuple(map(float, point.split(","))) for point in part.split()] for part in text.split("/"))
    return tuple(tuple((x / 100, y / 100) for x, y in stroke) for stroke in points)


_WAVE: Stroke = tuple((i / 40, 0.035 * sin(i * pi / 3)) for i in range(-6, 7))
_FLEECE: Stroke = tuple(
    (0.13 * cos(pi / 8 * i) * (1 + 0.1 * (i % 2)), 0.09 * sin(pi / 8 * i) * (1 + 0.1 * (i % 2)))
    for i in range(17)
)

_MOTIFS: dict[str, tuple[tuple[Stroke, ...], float, float]] = {
    "brick": (_strokes("-17,0 17,0 / 0,0 0,17"), 0.34, 0.17),
    "lumber": (_strokes("-7,-5 0,12 7,-5 -7,-5 / 0,-5 0,-11"), 0.24, 0.24),
    "wool": ((_circle(0.055),), 0.2, 0.17),
    "grain": (_strokes("0,-12 0,12 / -5.5,10 0,3 5.5,10 / -5.5,0 0,-7 5.5,0"), 0.18, 0.24),
    "ore": (_strokes("-12,-7 -4,8 2,-2 6,3 12,-7"), 0.3, 0.18),
    "desert": ((_circle(0.012, 3),), 0.16, 0.14),
    "gold": (_strokes("0,-9 5.5,0 0,9 -5.5,0 0,-9"), 0.2, 0.19),
    "sea": ((_WAVE,), 0.42, 0.2),
    "lake": ((_WAVE,), 0.42, 0.2),
    "oasis": (_strokes("2,-13 -1,0 0,6 / -12,0 -7,8 0,6 7,10 12,2 / -5,14 0,6 6,16"), 0.34, 0.36),
    "castle": (_strokes("-8,-11 -8,11 -3,11 -3,6 3,6 3,11 8,11 8,-11 -8,-11"), 0.26, 0.32),
    "quarry": (
        _strokes("-10,-8 -10,4 4,4 4,-8 -10,-8 / -10,4 -4,10 10,10 10,-2 4,-8 / 4,4 10,10"),
        0.3,
        0.28,
    ),
    "glassworks": (_strokes("-6,-12 -6,2 -2.5,6 -2.5,13 2.5,13 2.5,6 6,2 6,-12 -6,-12"), 0.22, 0.34),
    "swamp": (_strokes("-7,-10 -9,6 / 0,-10 0,12 / 7,-10 9,6"), 0.3, 0.28),
    "fog": (_strokes("-12,0 10,0 / -6,6 16,6"), 0.42, 0.22),
}
"""What is drawn on a terrain again and again, how far apart in a row, and how far apart the rows are."""

_ICONS: dict[str, tuple[Stroke, ...]] = {
    "brick": _strokes(
        "-17,-9 17,-9 17,9 -17,9 -17,-9 / -17,0 17,0 / 0,0 0,9 / -8.5,0 -8.5,-9 / 8.5,0 8.5,-9"
    ),
    "lumber": _strokes("-10,-6 0,15 10,-6 -10,-6 / 0,-6 0,-12"),
    "wool": (_FLEECE, *_strokes("-6,-8 -6,-13 / 6,-8 6,-13 / 14,3 19,5 19,0 14,-1")),
    "grain": _strokes("0,-13 0,14 / -8,12 0,4 8,12 / -8,3 0,-5 8,3"),
    "ore": _strokes("-18,-9 -6,12 3,-2 9,5 18,-9 -18,-9"),
}
_TO_THE_RIM = {"brick", "sea", "lake"}
