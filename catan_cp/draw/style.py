"""The look of every picture: colours of terrains and players by theme.

Nothing here needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from catan_cp.errors import InvalidArgument, listed, show

Color = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


def _rgb(red: int, green: int, blue: int) -> Color:
    return red / 255, green / 255, blue / 255


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

_PLAYERS = (
    _rgb(214, 39, 40),
    _rgb(31, 90, 180),
    _rgb(255, 140, 0),
    _rgb(250, 250, 250),
    _rgb(122, 62, 157),
    _rgb(110, 72, 42),
)

# Blue, orange, green, vermilion, purple, sky: the palette of Okabe and Ito, made for colour-blind readers.
_SERIES = (
    _rgb(0, 114, 178),
    _rgb(230, 159, 0),
    _rgb(0, 158, 115),
    _rgb(213, 94, 0),
    _rgb(204, 121, 167),
    _rgb(86, 180, 233),
)


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
