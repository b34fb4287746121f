"""The look of every picture: colours of terrains and players by theme, and a drawn pattern for each terrain.

By the patterns boards read without colour. A pattern is strokes: polylines inside the hexagon of side 1 about
the origin, y upwards. Nothing here loads matplotlib before a picture is plotted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise, product
from math import cos, pi, sin, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

from catan_cp.errors import check_choice

Color = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


@contextmanager
def default_settings() -> Iterator[None]:
    """Plot with matplotlib's default settings: a decorator for each function that plots or renders.

    matplotlib reads a file ``matplotlibrc`` from the working directory, and such a file may name LaTeX code
    to run. The backend stays, because changing it would close the user's windows. The salt makes the names
    inside an SVG file the same every time.
    """
    import matplotlib

    defaults: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"
    }
    with matplotlib.rc_context({**defaults, "svg.hashsalt": "catan_cp"}):
        yield


def _colors(text: str) -> tuple[Color, ...]:
    """Read colours as web pages write them: six hexadecimal digits each."""
    return tuple(
        (red / 255, green / 255, blue / 255) for red, green, blue in map(bytes.fromhex, text.split())
    )


BLACK, WHITE, INK = _colors("000000 ffffff 212529")


def blend(color: Color, other: Color, share: float) -> Color:
    """Return *color* with *share* (0 to 1) of *other* mixed in."""
    r, g, b = (a + (z - a) * share for a, z in zip(color, other, strict=True))
    return r, g, b


class Theme(NamedTuple):
    """Everything that differs between a picture on a screen by day, by night, and on paper.

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
        muted: how far tiles fade into the background under a heat map, from 0 to 1: as little as lets
            the values stand out, so that ore and desert still look different.
        mark: the rings round what a picture points at.
        series: the colours of a chart's lines and bars, told apart by colour-blind readers too: blue, orange,
            green, vermilion, purple and sky, the palette of Okabe and Ito.
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
    heat: str = "magma_r"
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
"""The colours of each theme; a dot is as by day.

Terrains are as far apart in lightness as in hue, and by day and night none of them glares; ``plain`` has the
colours of the entropy article."""

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
        "heat": "Greys",
        "muted": 0.0,
        "series": _colors("000000 6e6e6e aaaaaa 3c3c3c 8c8c8c c8c8c8"),
    },
}
"""What else differs between themes."""


def _read_theme(name: str) -> Theme:
    head, *rows = (line.split() for line in _COLORS.strip().splitlines())
    column = 1 + head.index(name)
    colors: dict[str, Any] = {row[0]: _colors(row[1 if row[column] == "." else column])[0] for row in rows}
    terrain = {word: colors.pop(word) for word in list(colors) if word not in Theme._fields}
    return Theme(name=name, terrain=terrain, **colors, **_LOOKS[name])


THEMES: Mapping[str, Theme] = MappingProxyType({name: _read_theme(name) for name in _LOOKS})
"""The themes by name."""


def find_theme(name: object) -> Theme:
    """Return the theme of that name.

    Raises:
        InvalidArgument: no theme has that name.
    """
    return THEMES[check_choice("theme", name, THEMES)]


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
    dx, dy, turn = dx * size, dy * size, pi / 6 if flat else 0.0
    sides = [(cos(pi / 3 * i + turn), sin(pi / 3 * i + turn)) for i in range(6)]
    rows, columns = int(1 / dy) + 1, int(1 / dx) + 1
    strokes: list[Stroke] = []
    for row, column in product(range(-rows, rows + 1), range(-columns, columns + 1)):
        x, y = (column + row % 2 / 2) * dx, row * dy  # every other row is set off by half
        moved = [tuple((x + px * size, y + py * size) for px, py in stroke) for stroke in motif]
        if all(nx * px + ny * py <= _REACH for stroke in moved for px, py in stroke for nx, ny in sides):
            strokes += moved
        elif kind in _TO_THE_RIM:
            strokes += [part for stroke in moved for part in _clipped(stroke, sides)]
    return tuple(strokes)


def _clipped(stroke: Stroke, sides: Sequence[Point]) -> Iterator[Stroke]:
    """Each segment of the stroke, as far as it runs inside the hexagon with its sides in these directions."""
    for (x0, y0), (x1, y1) in pairwise(stroke):
        start, end = 0.0, 1.0
        for nx, ny in sides:
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

ICONS: dict[str, tuple[Stroke, ...]] = {
    "brick": _strokes(
        "-17,-9 17,-9 17,9 -17,9 -17,-9 / -17,0 17,0 / 0,0 0,9 / -8.5,0 -8.5,-9 / 8.5,0 8.5,-9"
    ),
    "lumber": _strokes("-10,-6 0,15 10,-6 -10,-6 / 0,-6 0,-12"),
    "wool": (_FLEECE, *_strokes("-6,-8 -6,-13 / 6,-8 6,-13 / 14,3 19,5 19,0 14,-1")),
    "grain": _strokes("0,-13 0,14 / -8,12 0,4 8,12 / -8,3 0,-5 8,3"),
    "ore": _strokes("-18,-9 -6,12 3,-2 9,5 18,-9 -18,-9"),
}
"""Each resource's sign, about 0.3 high, with the origin in its middle."""

_TO_THE_RIM = {"brick", "sea", "lake"}
