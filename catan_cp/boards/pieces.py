"""What a box holds: terrains with their codes and letters, markers with their pips, harbors.

The words are the rule book's: a *terrain* is what a tile is, a *marker* is the number on it, *pips*
are the ways to roll that number with two dice, and a *red* is a 6 or an 8. The terrains here are those of
every box; a layout may have further ones, which yield nothing (`Layout.further_terrains`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from catan_cp.boards.geometry import Pair
from catan_cp.errors import InvalidBoard, listed, show

TERRAINS = ("sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold")
"""The terrains, ordered by code."""

TERRAIN_CODE = MappingProxyType({name: code for code, name in enumerate(TERRAINS, start=1)})
"""Sea 1, desert 2, brick 3, grain 4, wool 5, ore 6, lumber 7, gold 8."""

TERRAIN_LETTER = MappingProxyType(
    {
        "brick": "b", "lumber": "l", "wool": "w", "grain": "g", "ore": "o",
        "desert": "d", "gold": "a", "sea": "s",
    }
)  # fmt: skip
LETTER_TERRAIN = MappingProxyType({letter: name for name, letter in TERRAIN_LETTER.items()})

RESOURCES = ("brick", "grain", "wool", "ore", "lumber")
"""The terrains that yield one fixed resource."""

UNNUMBERED = frozenset({"sea", "desert"})
"""The terrains that carry no marker."""

MARKERS = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
REDS = frozenset({6, 8})
MOST_PIPS = 10
"""More pips than any marker has, alone or with a second one beside it."""

TRADES = ("3:1", *RESOURCES)
"""What a harbor offers: three of a kind for one, or two of one resource for one."""

TRADE_LETTER = MappingProxyType({"3:1": "3", **{name: TERRAIN_LETTER[name] for name in RESOURCES}})
LETTER_TRADE = MappingProxyType({letter: trade for trade, letter in TRADE_LETTER.items()})

_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
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
    """A coast edge with a trade: ``"3:1"``, or a resource for a 2:1 harbor."""

    vertices: Pair
    trade: str


Three = tuple[int, int, int]
"""Three neighbouring vertices, the middle one second."""


@dataclass(frozen=True)
class FishingGround:
    """Where fish are caught: three neighbouring vertices of the coast, the middle one second.

    Args:
        vertices: the three vertices, in their order along the coast.
        marker: the number that yields fish.
    """

    vertices: Three
    marker: int


def lower_first(vertices: Three) -> Three:
    """Return three vertices in a row with the lower end first, as a board and a model have them."""
    a, b, c = vertices
    return min(a, c), b, max(a, c)


def terrain_name(word: object, further: Sequence[str] = ()) -> str:
    """Return the terrain that *word* names; common names (wood, sheep, wheat, ...) count too.

    Args:
        word: a name.
        further: the terrains that a layout has beside the usual ones.

    Raises:
        InvalidBoard: no terrain has that name.
    """
    name = word.lower() if isinstance(word, str) else ""
    name = _ALIASES.get(name, name)
    if name not in TERRAIN_CODE and name not in further:
        raise InvalidBoard(f"unknown terrain {show(word)}; terrains are {listed((*TERRAINS, *further))}")
    return name


def pips(marker: int | None) -> int:
    """Return the ways, out of 36, to roll *marker*: ``6 - abs(7 - marker)``; 0 for no marker."""
    return 0 if marker is None else 6 - abs(7 - marker)


def piece_counts(pieces: Iterable[str], further: Sequence[str] = ()) -> dict[str, int]:
    """Return how often each terrain stands in *pieces*, ordered by terrain code."""
    tiles = list(pieces)
    return {name: count for name in (*TERRAINS, *further) if (count := tiles.count(name))}


def read_further_terrains(table: object) -> dict[str, str]:
    """Return the letter of each terrain that a layout adds: names in small letters, letters not yet taken.

    Raises:
        InvalidBoard: not a mapping of new names to free lower-case letters other than x.
    """
    if not isinstance(table, Mapping):
        raise InvalidBoard(f"further_terrains maps names to letters, not {show(table)}")
    taken = {**LETTER_TERRAIN, "x": "any terrain"}
    for name, letter in table.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in TERRAIN_CODE or name in _ALIASES:
            raise InvalidBoard(f"a further terrain has a new name in small letters, not {show(name)}")
        if not isinstance(letter, str) or not _LETTER.fullmatch(letter):
            raise InvalidBoard(f"the letter of {name} is one small letter, not {show(letter)}")
        if letter in taken:
            raise InvalidBoard(f"the letter {letter} of {name} stands for {taken[letter]} already")
        taken[letter] = name
    return dict(table)
