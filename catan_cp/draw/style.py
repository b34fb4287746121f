"""Themes of pictures: colours of terrains and players, and motifs for each terrain.

Motifs such as trees and sheep make boards readable without colour. They are outlines around the origin in
tile edges, with y upwards. The web page reads colours and motifs from here (``page/export.py``). This module
loads matplotlib only when a picture is plotted.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from math import cos, pi, sin
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
        shallow: the water along the coast, which is not plotted if it has the colour of the frame.
        coast: the beach around land, and the gaps between tiles.
        sea_edge: the outline of sea tiles.
        terrain: the fill of each terrain. In the dark theme all are deeper to avoid glare.
        other: the fill of further terrains of a layout that are not in *terrain*.
        patterns: True if terrains have motifs by default.
        stroke: the contrast of the dark parts of a motif with its tile, from 0 to 1.
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
    shallow: Color
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
    stroke: float = 0.36
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
frame      93cbe0 .      17394c ffffff
frame_edge 6fb1cb .      2b5a72 000000
shallow    b9e2ec 93cbe0 235468 ffffff
coast      f6e9c8 .      38322a 000000
sea_edge   a9d8e8 a0e7f7 2b6580 969696
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
sea        85c1d9 50d2f0 1c4a61 ffffff
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
    "dark": {"stroke": 0.34, "series": _colors("4095c5 ecb740 40b696 e08640 d99abd 80c7ee")},
    "print": {
        "stroke": 0.7,
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
Outline = tuple[Point, ...]

SLOT = 0.625
"""Distance of motifs from the middle of their tile, each towards an edge."""

LIGHTER: Mapping[str, float] = {"mid": 0.22, "light": 0.55, "pale": 0.86}
"""Share of white in the light tones of motifs."""


@cache
def scene(terrain: str, flat: bool = False) -> tuple[tuple[str, tuple[Outline, ...]], ...]:
    """Return the motifs around the middle of a tile as layers, the lowest first.

    A layer is its tone (``"dark"``, ``"line"`` or a key of `LIGHTER`) and its outlines. Six motifs
    stand upright towards the six edges. The part of the name before a hyphen decides, so
    ``castle-knights`` has the motifs of castles. A terrain without motifs has no layers.

    Args:
        terrain: the terrain of the tile.
        flat: True if the tile has an edge at the top, False if it has a vertex there.
    """
    names = SCENES.get(terrain.partition("-")[0], "").split()
    angles = [pi / 3 * (2 - i) - (pi / 6 if flat else 0.0) for i in range(len(names))]
    spots = [(SLOT * cos(angle), SLOT * sin(angle)) for angle in angles]
    parts = [
        (tone, tuple((x + px, y + py) for px, py in outline))
        for name in dict.fromkeys(names)
        if name != "."
        for tone, outline in MOTIFS[name]
        for motif, (x, y) in zip(names, spots, strict=True)
        if motif == name
    ]
    grouped = groupby(parts, key=lambda part: part[0])
    return tuple((tone, tuple(outline for _, outline in group)) for tone, group in grouped)


@cache
def icon(terrain: str, size: float = 1.0) -> tuple[tuple[str, tuple[Outline, ...]], ...]:
    """Return the layers of a terrain's first motif around the origin, or an empty tuple if it has none."""
    name = SCENES.get(terrain.partition("-")[0], "").split(" ")[0]
    return tuple(
        (tone, (tuple((size * x, size * y) for x, y in outline),)) for tone, outline in MOTIFS.get(name, ())
    )


def tone_color(theme: Theme, fill: Color, tone: str) -> Color:
    """Return the colour of a part of a motif on a tile: darker or lighter than the tile.

    Themes without colours have white motifs with dark lines.
    """
    if theme.greys:
        return blend(fill, BLACK, theme.stroke) if tone == "line" else fill
    if tone in LIGHTER:
        return blend(fill, WHITE, LIGHTER[tone])
    return blend(fill, INK, theme.stroke)


def _motif(text: str) -> tuple[tuple[str, Outline], ...]:
    """Return the parts of a motif, from a tone and points in hundredths per part, with slashes between."""
    parts = (part.split() for part in text.split("/"))
    return tuple(
        (tone, tuple((float(x) / 100, float(y) / 100) for x, y in (point.split(",") for point in points)))
        for tone, *points in parts
    )


def _oval(x: float, y: float, wide: float, high: float, waves: float = 0.0) -> Outline:
    turns = ((2 * pi * i / 24, 1 + waves * (i % 3 == 0)) for i in range(24))
    return tuple((x + wide * reach * cos(a), y + high * reach * sin(a)) for a, reach in turns)


def _turned(outline: Outline, angle: float, base: float) -> Outline:
    """Return an outline rotated around a point on the vertical axis."""
    c, s = cos(angle), sin(angle)
    return tuple((x * c - (y - base) * s, base + x * s + (y - base) * c) for x, y in outline)


_EAR = _motif(
    "dark -0.9,-16 0.9,-16 0.9,6 -0.9,6 / light 0,-3 -5,1 -4.5,5 0,1 / light 0,2 -5,6 -4.5,10 0,6 / "
    "dark 0,-3 5,1 4.5,5 0,1 / dark 0,2 5,6 4.5,10 0,6 / light 0,7 -2.5,11 0,16 2.5,11"
)
_WAVES = _motif(
    "line -16,3 -12,6 -8,6 -4,3 0,3 4,6 8,6 12,3 16,3 / line -8,-5 -4,-2 0,-2 4,-5 8,-5 12,-2 16,-2"
)

MOTIFS: Mapping[str, tuple[tuple[str, Outline], ...]] = {
    "bricks": _motif(
        "dark -16,-11 -1,-11 -1,-2 -16,-2 / dark 1,-11 16,-11 16,-2 1,-2 / mid -8,0 8,0 8,9 -8,9"
    ),
    "tree": _motif(
        "dark -2,-18 2,-18 2,-10 -2,-10 / mid 0,19 -8,4 -4,4 -12,-11 0,-11 / dark 0,19 8,4 4,4 12,-11 0,-11"
    ),
    "sheep": (
        *_motif("dark -8,-6 -5,-6 -5,-15 -8,-15 / dark 3,-6 6,-6 6,-15 3,-15"),
        ("pale", _oval(-0.015, 0.0, 0.13, 0.09, 0.12)),
        ("dark", _oval(0.125, 0.035, 0.045, 0.055)),
    ),
    "grass": _motif("dark -5,-7 -10,4 -3,-2 0,9 3,-2 10,4 5,-7"),
    "wheat": tuple(
        (tone, _turned(outline, angle, -0.25)) for angle in (0.36, -0.36, 0.0) for tone, outline in _EAR
    ),
    "mountain": _motif(
        "mid 8,6 16,-11 -2,-11 / dark -3,16 -16,-11 10,-11 / pale -3,16 -7.5,7 -5,5 -2.5,8 0,5 1.5,7"
    ),
    "cactus": _motif(
        "dark -2.5,-16 2.5,-16 2.5,-4 9,-4 9,7 5.5,7 5.5,0 2.5,0 2.5,16 -2.5,16 -2.5,5 -5.5,5 -5.5,11 "
        "-9,11 -9,1 -2.5,1"
    ),
    "dune": _motif("line -17,-6 -11,-1 -5,1 1,-1 7,-6 / line -1,2 5,6 10,7 16,3"),
    "nugget": _motif("dark 0,-12 12,1 6,9 -6,9 -12,1 / light -6,9 6,9 3,2 -3,2 / light -12,1 -3,2 0,-12"),
    "waves": _WAVES,
    "palm": _motif("line 2,-13 -1,0 0,6 / line -12,0 -7,8 0,6 7,10 12,2 / line -5,14 0,6 6,16"),
    "castle": _motif("dark -9,-11 -9,12 -4,12 -4,6 4,6 4,12 9,12 9,-11 / light -3,-11 -3,-3 3,-3 3,-11"),
    "block": _motif(
        "light -11,-9 -11,4 4,4 4,-9 / dark 4,-9 4,4 10,10 10,-3 / line -11,4 -5,10 10,10 4,4 -11,4"
    ),
    "bottle": _motif(
        "light -6,-13 -6,2 -2.5,6 -2.5,13 2.5,13 2.5,6 6,2 6,-13 / dark -6,-13 -6,-4 6,-4 6,-13"
    ),
    "reed": _motif("line -7,-12 -9,6 / line 0,-12 0,13 / line 7,-12 9,6"),
    "mist": _motif("line -14,-3 8,-3 / line -7,4 15,4"),
}
"""Parts of each motif, the lowest first: a tone and an outline, about 0.3 high."""

SCENES: Mapping[str, str] = {
    "brick": "bricks bricks bricks bricks bricks bricks",
    "lumber": "tree tree tree tree tree tree",
    "wool": "sheep grass sheep grass sheep grass",
    "grain": "wheat wheat wheat wheat wheat wheat",
    "ore": "mountain mountain mountain mountain mountain mountain",
    "desert": "cactus dune cactus dune cactus dune",
    "gold": "nugget nugget nugget nugget nugget nugget",
    "sea": "waves . . waves . .",
    "lake": "waves waves waves waves waves waves",
    "oasis": "palm grass palm grass palm grass",
    "castle": "castle grass castle grass castle grass",
    "quarry": "block block block block block block",
    "glassworks": "bottle bottle bottle bottle bottle bottle",
    "swamp": "reed grass reed grass reed grass",
    "fog": "mist mist mist mist mist mist",
}
"""Motifs towards the six edges of each terrain's tiles, clockwise from the upper left, with dots for none."""


BINS = 40
"""Maximum number of bins of a histogram."""


def whole_edges(least: float, most: float, bins: int = BINS) -> tuple[float, ...]:
    """Return the edges of at most *bins* bins with equally many whole numbers each.

    Bins of other widths have one number more or less than their neighbors, which looks like a comb.

    >>> whole_edges(2, 9, 4)
    (1.5, 3.5, 5.5, 7.5, 9.5)
    """
    numbers = int(most - least) + 1
    width = -(-numbers // bins)
    return tuple(least - 0.5 + width * k for k in range(-(-numbers // width) + 1))
