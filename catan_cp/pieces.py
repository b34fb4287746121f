"""What a box holds: terrains with their codes and letters, markers with their pips, trades.

The words are the rule book's: a *terrain* is what a tile is, a *marker* is the number on it, *pips*
are the ways to roll that number with two dice, and a *red* is a 6 or an 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

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

TRADES = ("3:1", *RESOURCES)
"""What a harbor offers: three of a kind for one, or two of one resource for one."""

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


def terrain_name(word: object) -> str:
    """Return the terrain that *word* names; common names (wood, sheep, wheat, ...) count too.

    Raises:
        InvalidBoard: no terrain has that name.
    """
    name = word.lower() if isinstance(word, str) else ""
    name = _ALIASES.get(name, name)
    if name not in TERRAIN_CODE:
        raise InvalidBoard(f"unknown terrain {show(word)}; terrains are {listed(TERRAINS)}")
    return name


def pips(marker: int | None) -> int:
    """Return the ways, out of 36, to roll *marker*: ``6 - abs(7 - marker)``; 0 for no marker."""
    return 0 if marker is None else 6 - abs(7 - marker)


def piece_counts(pieces: Iterable[str]) -> dict[str, int]:
    """Return how often each terrain stands in *pieces*, ordered by terrain code."""
    tiles = list(pieces)
    return {name: count for name in TERRAINS if (count := tiles.count(name))}
