"""Patterns: boards with some tiles or markers left open, in the notation of boards.

``x`` is an open tile; ``o`` is ore with any marker, ``o0`` ore without one, ``x6`` any terrain with a 6.

>>> from catan_cp.boards.layout import LAYOUTS
>>> found = pattern_on("xxx/xxxx/xxdxx/xx6xx/oxx", LAYOUTS["base"])
>>> found.terrain[9], found.markers[13], found.terrain[16], found.markers[16]
('desert', 6, 'ore', None)
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from catan_cp.boards.board import Board
from catan_cp.boards.layout import CLASSIC, LAYOUTS, Layout
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.errors import InvalidRules, listed, show
from catan_cp.rules.rule import Barred, FixedMarkers, Restriction, Violation

PATTERN = "pattern"
"""The field of `Rules`."""

OPEN = "x"
_LONGEST = 10_000
_TILE = re.compile(r"([a-z])([0-9+]*)")
_MARKER = f"(?:{'|'.join(map(str, MARKERS))})"
_ROW = re.compile(rf"(?:[a-z](?:0|{_MARKER}(?:\+{_MARKER})?)?)+")
_NO_MARKER = 0


@dataclass(frozen=True)
class Pattern:
    """What a pattern gives on a layout.

    Attributes:
        terrain: per tile, its terrain, or None where it is open.
        markers: per tile, its marker, 0 where it has none, or None where that is open.
    """

    terrain: tuple[str | None, ...]
    markers: tuple[int | None, ...]


def read_pattern(value: object) -> str | None:
    """Return a pattern's text without space around it, once it is one on some layout.

    Raises:
        InvalidRules: no pattern.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRules(f"a pattern is text like 'xxx/xxxx/xxdxx/xx6xx/oxx', not {show(value)}")
    text = value.strip()
    rows, _, _ = text.partition("@")
    if len(text) > _LONGEST:
        raise InvalidRules(f"a pattern has at most {_LONGEST:,} characters, not {len(text):,}")
    if ":" in rows or " " in rows:
        raise InvalidRules(f"a pattern has no harbors, as {show(text)} has: the rule harbors says which")
    for number, row in enumerate(rows.split("/"), start=1):
        if not _ROW.fullmatch(row):
            raise InvalidRules(
                f"row {number} of the pattern, {show(row)}, is not small letters, x for an open tile, each "
                f"with its marker straight after it, one of {listed(MARKERS)}, or 0 for none"
            )
    return text


@lru_cache(maxsize=256)
def pattern_on(text: str, layout: Layout) -> Pattern:
    """Return what a pattern gives on *layout*.

    Raises:
        InvalidRules: a pattern of another layout, or pieces that cannot be there.
    """
    rows_text, at, name = text.partition("@")
    rows = [_TILE.findall(row) for row in rows_text.split("/")]
    if at and name.removeprefix("own:") != layout.name:
        raise InvalidRules(f"the pattern {show(text)} is of the layout {show(name)}, not {show(layout.name)}")
    if tuple(map(len, rows)) != layout.rows:
        here, wanted = ("-".join(str(n) for n in lengths) for lengths in (map(len, rows), layout.rows))
        raise InvalidRules(
            f"the pattern {show(text)} has rows of {here} tiles; {show(layout.name)} has {wanted}"
        )
    if not at and layout.name not in CLASSIC and layout.rows in (LAYOUTS[name].rows for name in CLASSIC):
        raise InvalidRules(f"the pattern {show(text)} is of another layout; end it with @{layout.name}")
    cells = [
        _cell(letter, digits, tile, number, layout)
        for tile, (number, letter, digits) in enumerate(
            (number, letter, digits) for number, row in enumerate(rows, 1) for letter, digits in row
        )
    ]
    found = Pattern(tuple(terrain for terrain, _ in cells), tuple(marker for _, marker in cells))
    _check_pieces(found, layout)
    return found


def _cell(letter: str, digits: str, tile: int, row: int, layout: Layout) -> tuple[str | None, int | None]:
    where = f"{letter}{digits} in row {row} of the pattern"
    if letter != OPEN and letter not in layout.letters:
        allowed = listed(f"{key} {name}" for key, name in layout.letters.items())
        raise InvalidRules(f"unknown letter in {where}; letters are x for any terrain, {allowed}")
    terrain = None if letter == OPEN else layout.letters[letter]
    first, _, second = digits.partition("+")
    marker = int(first) if first else None
    beside = layout.second_marker.get(marker or 0, 0)
    if second and second != str(beside):
        raise InvalidRules(f"{where}: beside a {marker} lies {beside or 'nothing'} on {show(layout.name)}")
    bare = tile in layout.unmarked
    if marker and (bare or terrain in layout.unnumbered):
        raise InvalidRules(f"{where}: {'this tile' if bare else terrain} carries no marker")
    if marker == _NO_MARKER and terrain is not None and not bare and terrain not in layout.unnumbered:
        raise InvalidRules(f"{where}: {terrain} always carries a marker on {show(layout.name)}")
    fixed, there = layout.fixed_terrain.get(tile), layout.fixed_markers.get(tile)
    if terrain is not None and fixed not in (None, terrain):
        raise InvalidRules(f"{where}: the tile is fixed as {fixed} on {show(layout.name)}")
    if marker and there not in (None, marker):
        raise InvalidRules(f"{where}: the marker is fixed as {there} on {show(layout.name)}")
    most = MOST_PIPS if there is not None else layout.pips_max.get(tile, MOST_PIPS)
    if marker and layout.marker_pips(marker) > most:
        raise InvalidRules(f"{where}: the tile carries markers of at most {most} pips on {show(layout.name)}")
    return terrain, marker


def _check_pieces(pattern: Pattern, layout: Layout) -> None:
    for what, given, box in (
        ("tiles of", pattern.terrain, layout.terrain_counts),
        ("markers", pattern.markers, layout.marker_supply),
    ):
        for piece, n in Counter(filter(None, given)).items():
            if n > (most := box.get(piece, 0)):  # type: ignore[call-overload]
                said = f"the pattern has {n} {what} {piece}; the box of {show(layout.name)} holds {most}"
                raise InvalidRules(said)


def allowed_terrain(pattern: Pattern, tile: int, layout: Layout) -> frozenset[str]:
    """Return the terrains that the pattern leaves for a tile."""
    terrain, marker = pattern.terrain[tile], pattern.markers[tile]
    every = frozenset(layout.all_terrains)
    if terrain is not None:
        return frozenset({terrain})
    if marker is None or tile in layout.unmarked:
        return every
    return every & layout.unnumbered if marker == _NO_MARKER else every - layout.unnumbered


def pattern_restrictions(text: str, layout: Layout, subject: str) -> list[Restriction]:
    """Return what exact counts have to keep of a pattern."""
    pattern = pattern_on(text, layout)
    if subject == "terrain":
        barred = {
            (tile, name)
            for tile in range(layout.n_tiles)
            for name in set(layout.all_terrains) - allowed_terrain(pattern, tile, layout)
        }
        return [Barred(frozenset(barred))] if barred else []
    if subject == "markers":
        fixed = tuple(
            (tile, marker)
            for tile, marker in enumerate(pattern.markers)
            if marker is not None and not (marker == _NO_MARKER and tile in layout.unmarked)
        )
        return [FixedMarkers(fixed)] if fixed else []
    return []


def only_about(text: str, subject: str) -> str | None:
    """Return a pattern with only what it says of terrain, or of markers; None where that is nothing."""
    rows, at, name = text.partition("@")

    def cut(match: re.Match[str]) -> str:
        letter, digits = match[1], match[2]
        if subject == "markers":
            return OPEN + digits
        return letter if letter != OPEN else letter + digits  # a marker on an open tile keeps deserts off

    kept = _TILE.sub(cut, rows)
    return None if not kept.replace("/", "").strip(OPEN) else kept + at + name


def pattern_violations(text: str, board: Board, numbered: bool) -> Iterator[Violation]:
    """Yield each tile that differs from the pattern; markers only where the board is *numbered*."""
    pattern = pattern_on(text, board.layout)
    for tile, (terrain, marker) in enumerate(zip(pattern.terrain, pattern.markers, strict=True)):
        name, here = board.terrain[tile], board.markers[tile]
        if terrain is not None and name != terrain:
            yield Violation(PATTERN, f"tile {tile} is {name}, and {terrain} in the pattern", (tile,))
        elif numbered and marker is not None and here != (marker or None):
            wanted = f"the marker {marker}" if marker else "no marker"
            yield Violation(
                PATTERN, f"tile {tile} has {here or 'no marker'}, and {wanted} in the pattern", (tile,)
            )
