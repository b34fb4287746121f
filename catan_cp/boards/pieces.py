"""Pieces: terrains with their codes and letters, markers with their pips, harbors.

A *terrain* is the type of a tile. A *marker* is the number token on a tile. *Pips* are the ways, out of 36,
to roll that number with two dice. A *red* is a 6 or an 8. A layout may add terrains to those of this module;
they yield nothing (`Layout.further_terrains`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from catan_cp.boards.geometry import Pair
from catan_cp.errors import InvalidBoard, listed, show

TERRAINS = ("sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold")
"""Terrains, ordered by code."""

TERRAIN_CODE = MappingProxyType({name: code for code, name in enumerate(TERRAINS, start=1)})
"""Terrain codes: sea 1, desert 2, brick 3, grain 4, wool 5, ore 6, lumber 7, gold 8."""

TERRAIN_LETTER = MappingProxyType(
    {
        "brick": "b", "lumber": "l", "wool": "w", "grain": "g", "ore": "o",
        "desert": "d", "gold": "a", "sea": "s",
    }
)  # fmt: skip
LETTER_TERRAIN = MappingProxyType({letter: name for name, letter in TERRAIN_LETTER.items()})

RESOURCES = ("brick", "grain", "wool", "ore", "lumber")
"""Terrains that yield one fixed resource."""

UNNUMBERED = frozenset({"sea", "desert"})
"""Terrains without a marker."""

MARKERS = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
MARKER_WORD = "|".join(map(str, MARKERS[::-1]))
"""The pattern of a marker in texts, the long ones first."""
OPEN = "x"
"""The letter of an open tile in patterns and drawings."""
REDS = frozenset({6, 8})
MOST_PIPS = 10
"""Upper bound on the pips of a tile, also of one with two markers."""

TRADES = ("3:1", *RESOURCES)
"""Trades of harbors: three equal resources for one, or two of a certain resource for one."""

TRADE_LETTER = MappingProxyType({"3:1": "3", **{name: TERRAIN_LETTER[name] for name in RESOURCES}})
LETTER_TRADE = MappingProxyType({letter: trade for trade, letter in TRADE_LETTER.items()})

_TERRAIN_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_LETTER = re.compile(r"[a-z]")
_ALIASES = MappingProxyType(
    {
        "wood": "lumber", "forest": "lumber",
        "sheep": "wool", "pasture": "wool",
        "wheat": "grain", "fields": "grain",
        "stone": "ore", "mountains": "ore",
        "hills": "brick",
        "water": "sea",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Harbor:
    """Coast edge with a trade: ``"3:1"``, or a resource for a 2:1 harbor.

    Example:
        >>> harbor = Harbor((0, 1), "ore")
        >>> harbor.vertices, harbor.trade
        ((0, 1), 'ore')
    """

    vertices: Pair
    trade: str

    @property
    def value(self) -> str:
        """The trade."""
        return self.trade


Three = tuple[int, int, int]
"""Three vertices in a row, the middle vertex second."""


@dataclass(frozen=True)
class FishingGround:
    """Fishing ground beside three vertices in a row along the coast.

    Args:
        vertices: the three vertices, the middle vertex second.
        marker: the number that yields fish.
    """

    vertices: Three
    marker: int

    @property
    def value(self) -> int:
        """The number."""
        return self.marker


def lower_first(vertices: Three) -> Three:
    """Return three vertices in a row with the lower end first, the order in boards and models."""
    a, b, c = vertices
    return min(a, c), b, max(a, c)


def terrain_name(word: object, further: Sequence[str] = ()) -> str:
    """Return the terrain of a name, which may be a common name (wood, sheep, wheat, ...).

    Args:
        word: a name, in any case.
        further: additional terrains of a layout.

    Raises:
        InvalidBoard: no terrain has this name.
    """
    name = word.lower() if isinstance(word, str) else ""
    name = _ALIASES.get(name, name)
    if name not in TERRAIN_CODE and name not in further:
        raise InvalidBoard(f"unknown terrain {show(word)}; terrains are {listed((*TERRAINS, *further))}")
    return name


def pips(marker: int | None) -> int:
    """Return the ways, out of 36, to roll *marker*: ``6 - abs(7 - marker)``, or 0 for None."""
    return 0 if marker is None else 6 - abs(7 - marker)


def piece_counts(pieces: Iterable[str], further: Sequence[str] = ()) -> dict[str, int]:
    """Return the number of tiles of each terrain in *pieces*, ordered by terrain code."""
    tiles = list(pieces)
    return {name: count for name in (*TERRAINS, *further) if (count := tiles.count(name))}


def read_further_terrains(table: object) -> dict[str, str]:
    """Return the letter of each terrain that a layout adds.

    Raises:
        InvalidBoard: *table* is not a mapping of new names to free lower-case letters other than x.
    """
    if not isinstance(table, Mapping):
        raise InvalidBoard(f"further_terrains must map names to letters, not {show(table)}")
    used = {**LETTER_TERRAIN, "x": "any terrain"}
    for name, letter in table.items():
        if (
            not isinstance(name, str)
            or not _TERRAIN_NAME.fullmatch(name)
            or name in TERRAIN_CODE
            or name in _ALIASES
        ):
            raise InvalidBoard(f"a further terrain must have a new name in small letters, not {show(name)}")
        if not isinstance(letter, str) or not _LETTER.fullmatch(letter):
            raise InvalidBoard(f"the letter of {name} must be one small letter, not {show(letter)}")
        if letter in used:
            raise InvalidBoard(f"the letter {letter} of {name} already means {used[letter]}; choose another")
        used[letter] = name
    return dict(table)


def tile_word(letter: str, marker: int | None, second: Mapping[int, int]) -> str:
    """Return the word of a tile: its letter, its marker and its second marker, if any.

    >>> tile_word("o", 10, {}), tile_word("x", None, {})
    ('o10', 'x')
    """
    if not marker:
        return letter
    return f"{letter}{marker}" + (f"+{second[marker]}" if marker in second else "")
