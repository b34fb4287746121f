"""Themes of pictures: colours of terrains and players, and a pattern for each terrain.

Patterns make boards readable without colour. A pattern is a list of strokes: polylines inside the hexagon of
edge 1 around the origin, with y upwards. This module loads matplotlib only when a picture is plotted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise, product
from math import cos, hypot, pi, sin, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

from catan_cp.errors import check_choice

Color = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


@contextmanager
def default_settings() -> Iterator[None]:
    """Apply matplotlib's default settings, as a decorator of functions that plot or render.

    matplotlib reads a file ``matplotlibrc`` from the working directory, and such a file may contain LaTeX
    code to run. The backend stays, because a change would close the user's windows. The salt makes the names
    inside an SVG file reproducible.
    """
    import matplotlib

    defaults: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"
    }
    with matplotlib.rc_context({**defaults, "svg.hashsalt": "catan_cp"}):
        yield


def _colors(text: str) -> tuple[Color, ...]:
    """Return the colours in a text of six hexadecimal digits each."""
    return tuple(
        (red / 255, green / 255, blue / 255) for red, green, blue in map(bytes.fromhex, text.split())
    )


BLACK, WHITE, INK = _colors("000000 ffffff 212529")


def blend(color: Color, target: Color, share: float) -> Color:
    """Return *color* mixed with a *share* (0 to 1) of *target*."""
    r, g, b = (a + (z - a) * share for a, z in zip(color, target, strict=True))
    return r, g, b


class Theme(NamedTuple):
    """Colours and other settings that differ between light, dark, plain and printed pictures.

    Args:
        name: the theme's name.
        background: the colour around the board.
        text: the colour of text on the background.
        frame, frame_edge: the water around the tiles and its outline.
        coast: the beach around land, and the gaps between tiles.
        sea_edge: the outline of sea tiles.
        terrain: the fill of each terrain. In the dark theme all are deeper to avoid glare.
        other: the fill of further terrains of a layout that are not in *terrain*.
        patterns: True if terrains have patterns by default.
        stroke: the contrast of a pattern with its tile, from 0 to 1.
        greys: True if the theme has no colours, so that lines need dashes, bars need hatches, and the discs
            of 6 and 8 need a second ring.
        disc, disc_edge, number, red: the discs of markers and the text on them.
        pier: the two piers of a harbor.
        players: the colours of the players' settlements in the order of play.
        house_edge: the outline of settlements.
        heat: colours of the values of vertices at equal steps (`heat_color`). Low values are pale and high
            values dark in every theme and on the web page.
        muted: the fading of tiles under a heat map, from 0 to 1. It is small enough that ore and desert still
            look different.
        mark: the colour of rings and arrows.
        series: the colours of a chart's lines and bars. They are the palette of Okabe and Ito, which
            colour-blind readers can distinguish: blue, orange, green, vermilion, purple and sky.
        grid: the lines behind a chart.
    """

    name: str
    background: Color
    text: Color
    frame: Color
    frame_edge: Color
    coast: Color
    sea_edge: Color
    other: Color
    disc: Color
    disc_edge: Color
    number: Color
    red: Color
    pier: Color
    house_edge: Color
    mark: Color
    grid: Color
    terrain: Mapping[str, Color]
    patterns: bool = True
    stroke: float = 0.3
    greys: bool = False
    players: tuple[Color, ...] = _colors("d62728 1f5ab4 ff8c00 fafafa 7a3e9d 6e482a")
    heat: tuple[Color, ...] = _colors(
        "fcfdbf fde0a1 fec287 fea571 fb8761 f4695c e55064 cf4070 b5367a 9c2e7f 832681 6a1c81 "
        "51127c 36106b 1d1147 0a0822 000004"
    )
    muted: float = 0.3
    series: tuple[Color, ...] = _colors("0072b2 e69f00 009e73 d55e00 cc79a7 56b4e9")


_COLORS = """
           light  plain  dark   print
background ffffff .      12161c .
text       212529 .      e6eaf0 000000
frame      cbebf5 .      183446 ffffff
frame_edge 96cde0 .      305c74 000000
coast      f7eed6 .      24201a 000000
sea_edge   b0dcea a0e7f7 38809c 969696
other      c4bacd .      70667c ffffff
disc       fffaec .      .      ffffff
disc_edge  5a503c .      141414 000000
number     212529 .      .      000000
red        c8101e .      .      be0014
pier       7a5430 .      b28454 000000
house_edge 141414 .      0a0a0a 000000
mark       d00068 .      ff5cac 000000
grid       dee2e6 .      38404a d7d7d7
brick      be6242 b43c1e a85238 ffffff
lumber     3e714a 0a500a 2c5a3c ffffff
wool       a3c671 14c832 84a858 ffffff
grain      ecc760 fae614 d4ac4c ffffff
ore        8992a0 7f7f7f 707988 ffffff
gold       c7a03e a08c32 aa862e ffffff
desert     e9d9b5 e6d296 ccbb96 ffffff
sea        96cee2 50d2f0 245c76 ffffff
lake       78b2d4 .      3a7498 ffffff
oasis      cecd8e .      a4a464 ffffff
castle     beaec0 .      807086 ffffff
quarry     cac8c4 .      8e8c88 ffffff
glassworks b0cdc6 .      70928c ffffff
swamp      9ea374 .      6c714a ffffff
fog        dee3e7 .      5c646c ffffff
"""
"""Colours of each theme, where a dot means the colour of the light theme.

Terrains differ in lightness as well as in hue, and none of them glares in the light and dark themes.
``plain`` has the colours of dralexportfolio 2025."""

_LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "plain": {"patterns": False},
    "dark": {
        "stroke": 0.26,
        "series": _colors("4095c5 ecb740 40b696 e08640 d99abd 80c7ee"),
    },
    "print": {
        "stroke": 0.6,
        "greys": True,
        "players": _colors("ffffff 191919 b4b4b4 5f5f5f dcdcdc 878787"),
        "heat": _colors("ffffff f0f0f0 d9d9d9 bdbdbd 959595 737373 525252 252525 000000"),
        "muted": 0.0,
        "series": _colors("000000 6e6e6e aaaaaa 3c3c3c 8c8c8c c8c8c8"),
    },
}
"""Other settings of the themes."""


def _read_theme(name: str) -> Theme:
    head, *rows = (line.split() for line in _COLORS.strip().splitlines())
    column = 1 + head.index(name)
    colors: dict[str, Any] = {row[0]: _colors(row[1 if row[column] == "." else column])[0] for row in rows}
    terrain = {word: colors.pop(word) for word in list(colors) if word not in Theme._fields}
    return Theme(name=name, terrain=terrain, **colors, **_LOOKS[name])


THEMES: Mapping[str, Theme] = MappingProxyType({name: _read_theme(name) for name in _LOOKS})
"""Themes by name."""


def find_theme(name: object) -> Theme:
    """Return the theme of a name.

    Raises:
        InvalidArgument: no theme has this name.
    """
    return THEMES[check_choice("theme", name, THEMES)]


def terrain_color(theme: Theme, name: str) -> Color:
    """Return the fill of a terrain's tiles.

    The part of the name before a hyphen decides, so ``castle-knights`` has the colour of castles. Terrains
    without a colour in the theme share one.
    """
    return theme.terrain.get(name.partition("-")[0], theme.other)


def heat_color(theme: Theme, share: float) -> Color:
    """Return the colour of a value between the lowest (0) and the highest (1)."""
    place = share * (len(theme.heat) - 1)
    lower = min(int(place), len(theme.heat) - 2)
    return blend(theme.heat[lower], theme.heat[lower + 1], place - lower)


def ink_on(color: Color) -> Color:
    """Return dark or white ink, whichever is more legible on *color* (by its Rec. 709 luma)."""
    red, green, blue = color
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else WHITE


Point = tuple[float, float]
Stroke = tuple[Point, ...]

_REACH = 0.92 * sqrt(3) / 2
"""Maximum distance of a pattern from the middle of a tile, towards its edges."""


@cache
def pattern(terrain: str, size: float = 1.0, flat: bool = False, hidden: float = 0.0) -> tuple[Stroke, ...]:
    """Return the strokes of a terrain's pattern, or an empty tuple if it has none.

    Walls and waves are cut at the rim of the tile. Other motifs are left out there. The part of the name
    before a hyphen decides, so ``castle-knights`` has the pattern of castles.

    Args:
        terrain: the terrain of the tile.
        size: the scale of the motifs, above 1 for a tile that is plotted small.
        flat: True if the tile has an edge at the top, False if it has a vertex there.
        hidden: the radius of a disc that covers the middle. Strokes inside it are left out.
    """
    kind = terrain.partition("-")[0]
    if kind not in _MOTIFS:
        return ()
    motif, dx, dy = _MOTIFS[kind]
    dx, dy, angle = dx * size, dy * size, pi / 6 if flat else 0.0
    normals = [(cos(pi / 3 * i + angle), sin(pi / 3 * i + angle)) for i in range(6)]
    rows, columns = int(1 / dy) + 1, int(1 / dx) + 1
    strokes: list[Stroke] = []
    for row, column in product(range(-rows, rows + 1), range(-columns, columns + 1)):
        x, y = (column + row % 2 / 2) * dx, row * dy  # odd rows are shifted by half a column
        moved = [tuple((x + px * size, y + py * size) for px, py in stroke) for stroke in motif]
        if all(nx * px + ny * py <= _REACH for stroke in moved for px, py in stroke for nx, ny in normals):
            strokes += moved
        elif kind in _TO_THE_RIM:
            strokes += [part for stroke in moved for part in _clipped(stroke, normals)]
    return tuple(stroke for stroke in strokes if any(hypot(px, py) > hidden for px, py in stroke))


def _clipped(stroke: Stroke, normals: Sequence[Point]) -> Iterator[Stroke]:
    """Yield the part of each segment inside the hexagon whose edges have these normals."""
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


def _circle(radius: float, points: int = 8) -> Stroke:
    angles = [2 * pi * i / points for i in range(points + 1)]
    return tuple((radius * cos(angle), radius * sin(angle)) for angle in angles)


def _strokes(text: str) -> tuple[Stroke, ...]:
    """Return the strokes of a text with points in hundredths and slashes between strokes."""
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
"""Motif of each terrain, with the distance of motifs in a row and the distance of rows."""

ICONS: dict[str, tuple[Stroke, ...]] = {
    "brick": _strokes(
        "-17,-9 17,-9 17,9 -17,9 -17,-9 / -17,0 17,0 / 0,0 0,9 / -8.5,0 -8.5,-9 / 8.5,0 8.5,-9"
    ),
    "lumber": _strokes("-10,-6 0,15 10,-6 -10,-6 / 0,-6 0,-12"),
    "wool": (_FLEECE, *_strokes("-6,-8 -6,-13 / 6,-8 6,-13 / 14,3 19,5 19,0 14,-1")),
    "grain": _strokes("0,-13 0,14 / -8,12 0,4 8,12 / -8,3 0,-5 8,3"),
    "ore": _strokes("-18,-9 -6,12 3,-2 9,5 18,-9 -18,-9"),
}
"""Icon of each resource, about 0.3 high, centred on the origin."""

_TO_THE_RIM = {"brick", "sea", "lake"}
