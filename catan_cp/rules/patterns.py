"""Patterns: boards with some tiles or markers left open, in the notation of boards.

``x`` is an open tile, ``o`` ore with any marker, ``o0`` ore without one, ``x6`` any terrain with a 6.

>>> pattern = pattern_on("xxx/xxxx/xxdxx/xx6xx/oxx", LAYOUTS["base"])
>>> pattern.terrain[9], pattern.markers[13], pattern.terrain[16], pattern.markers[16]
('desert', 6, 'ore', None)
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from catan_cp.boards.board import Board
from catan_cp.boards.layout import CLASSIC, LAYOUTS, Layout
from catan_cp.boards.notation import TILE, canonical, read_tile
from catan_cp.boards.pieces import MARKER_WORD, MARKERS, MOST_PIPS, OPEN
from catan_cp.errors import InvalidBoard, InvalidRules, listed, show
from catan_cp.rules.constraint import LONGEST
from catan_cp.rules.restrictions import Barred, FixedMarkers, Restriction
from catan_cp.rules.rule import Violation

PATTERN = "pattern"
"""The field of `Rules`."""

_PATTERN_ROW = re.compile(rf"(?:[a-z](?:0|(?:{MARKER_WORD})(?:\+(?:{MARKER_WORD}))?)?)+")
_NO_MARKER = 0


@dataclass(frozen=True)
class Pattern:
    """The fixed tiles and markers of a pattern on a layout.

    Attributes:
        terrain: the terrain of each tile, None if it is open.
        markers: the marker of each tile, 0 for no marker, None if it is open.
    """

    terrain: tuple[str | None, ...]
    markers: tuple[int | None, ...]


def read_pattern(value: object) -> str | None:
    """Return the text of a pattern without space around it, or None.

    Raises:
        InvalidRules: *value* is not a pattern of any layout.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRules(f"pattern must be text like 'xxx/xxxx/xxdxx/xx6xx/oxx', not {show(value)}")
    if len(value) > LONGEST:
        raise InvalidRules(f"pattern must have at most {LONGEST:,} characters, not {len(value):,}")
    text = canonical(value)
    rows, _, _ = text.partition("@")
    if ":" in rows or " " in rows:
        raise InvalidRules(f"pattern must not contain harbors, as {show(text)} does; set the rule harbors")
    for number, row in enumerate(rows.split("/"), start=1):
        if not _PATTERN_ROW.fullmatch(row):
            raise InvalidRules(
                f"row {number} of the pattern must be letters, x for an open tile, each directly "
                f"followed by its marker, one of {listed(MARKERS)}, or 0 for none, not {show(row)}"
            )
    return text


@lru_cache(maxsize=256)
def pattern_on(text: str, layout: Layout) -> Pattern:
    """Return the pattern with this text on *layout*.

    Raises:
        InvalidRules: the pattern is for another layout, or has pieces that this layout does not allow.
    """
    rows_text, at, name = text.partition("@")
    rows = [TILE.findall(row) for row in rows_text.split("/")]
    if at and name.removeprefix("own:") != layout.name:
        raise InvalidRules(f"the pattern {show(text)} is of the layout {show(name)}, not {show(layout.name)}")
    if tuple(map(len, rows)) != layout.rows:
        lengths, allowed = ("-".join(map(str, tiles)) for tiles in (map(len, rows), layout.rows))
        raise InvalidRules(
            f"the pattern {show(text)} has rows of {lengths} tiles; {show(layout.name)} has {allowed}"
        )
    if not at and layout.name not in CLASSIC and layout.rows in (LAYOUTS[name].rows for name in CLASSIC):
        raise InvalidRules(f"the pattern {show(text)} is of another layout; end it with @{layout.name}")
    tiles = ((number, letter, digits) for number, row in enumerate(rows, 1) for letter, digits in row)
    pieces = [
        _read_tile(letter, digits, tile, number, layout)
        for tile, (number, letter, digits) in enumerate(tiles)
    ]
    pattern = Pattern(tuple(terrain for terrain, _ in pieces), tuple(marker for _, marker in pieces))
    _check_pieces(pattern, layout)
    return pattern


def _read_tile(
    letter: str, digits: str, tile: int, row: int, layout: Layout
) -> tuple[str | None, int | None]:
    """Return the terrain and the marker that a pattern has on a tile, None for open ones."""
    place, name = f"{letter}{digits} in row {row} of the pattern", show(layout.name)
    try:
        terrain, marker = read_tile(letter, digits, layout, f"row {row} of the pattern", is_open=True)
    except InvalidBoard as error:
        raise InvalidRules(str(error)) from None
    is_unmarked = tile in layout.unmarked
    if marker and (is_unmarked or terrain in layout.unnumbered):
        raise InvalidRules(f"{place}: {'this tile' if is_unmarked else terrain} carries no marker")
    if marker == _NO_MARKER and terrain is not None and not is_unmarked and terrain not in layout.unnumbered:
        raise InvalidRules(f"{place}: {terrain} always carries a marker on {name}")
    fixed_terrain, fixed_marker = layout.fixed_terrain.get(tile), layout.fixed_markers.get(tile)
    if terrain is not None and fixed_terrain not in (None, terrain):
        raise InvalidRules(f"{place}: the tile is fixed as {fixed_terrain} on {name}")
    if marker and fixed_marker not in (None, marker):
        raise InvalidRules(f"{place}: the marker is fixed as {fixed_marker} on {name}")
    most = MOST_PIPS if fixed_marker is not None else layout.pips_max.get(tile, MOST_PIPS)
    if marker and layout.marker_pips(marker) > most:
        raise InvalidRules(f"{place}: the tile carries markers of at most {most} pips on {name}")
    return terrain, marker


def _check_pieces(pattern: Pattern, layout: Layout) -> None:
    for noun, pieces, box in (
        ("tiles of", pattern.terrain, layout.terrain_counts),
        ("markers", pattern.markers, layout.marker_supply),
    ):
        for piece, n in Counter(filter(None, pieces)).items():
            if n > (most := box.get(piece, 0)):  # type: ignore[call-overload]
                raise InvalidRules(
                    f"the pattern has {n} {noun} {piece}; the box of {show(layout.name)} holds {most}"
                )


def allowed_terrain(pattern: Pattern, tile: int, layout: Layout) -> frozenset[str]:
    """Return the terrains that the pattern allows on a tile."""
    terrain, marker = pattern.terrain[tile], pattern.markers[tile]
    all_terrains = frozenset(layout.all_terrains)
    if terrain is not None:
        return frozenset({terrain})
    if marker is None or tile in layout.unmarked:
        return all_terrains
    return all_terrains & layout.unnumbered if marker == _NO_MARKER else all_terrains - layout.unnumbered


def check_terrain(text: str, terrain: Sequence[str], layout: Layout) -> None:
    """Raise `InvalidBoard` if a terrain arrangement contradicts the pattern."""
    pattern = pattern_on(text, layout)
    for tile, name in enumerate(terrain):
        allowed = allowed_terrain(pattern, tile, layout)
        if name not in allowed:
            raise InvalidBoard(
                f"tile {tile} must be {' or '.join(sorted(allowed))}, as in the pattern {show(text)}, "
                f"not {name}; change either"
            )


def pattern_restrictions(text: str, layout: Layout, subject: str) -> list[Restriction]:
    """Return the restrictions of a pattern for exact counts of ``"terrain"`` or ``"markers"``."""
    pattern = pattern_on(text, layout)
    if subject == "terrain":
        barred = {
            (tile, name)
            for tile in range(layout.n_tiles)
            for name in set(layout.all_terrains) - allowed_terrain(pattern, tile, layout)
        }
        return [Barred(frozenset(barred))] if barred else []
    fixed = tuple(
        (tile, marker)
        for tile, marker in enumerate(pattern.markers)
        if marker is not None and not (marker == _NO_MARKER and tile in layout.unmarked)
    )
    return [FixedMarkers(fixed)] if fixed else []


def only_about(text: str, subject: str) -> str | None:
    """Return the part of a pattern about ``"terrain"`` or ``"markers"``, None if empty."""
    rows, at, name = text.partition("@")

    def cut(match: re.Match[str]) -> str:
        letter, digits = match[1], match[2]
        if subject == "markers":
            return OPEN + digits
        return letter if letter != OPEN else letter + digits  # a marker on an open tile excludes deserts

    rest = TILE.sub(cut, rows)
    return None if not rest.replace("/", "").strip(OPEN) else rest + at + name


def pattern_violations(text: str, board: Board, numbered: bool) -> Iterator[Violation]:
    """Yield a violation for each tile that differs, in its marker only if *numbered*.

    Without markers, a tile differs if it carries one and the pattern has none, or the other way around.
    """
    pattern = pattern_on(text, board.layout)
    for tile, (terrain, marker) in enumerate(zip(pattern.terrain, pattern.markers, strict=True)):
        board_terrain, board_marker = board.terrain[tile], board.markers[tile]
        if terrain is not None and board_terrain != terrain:
            yield Violation(PATTERN, f"tile {tile} is {board_terrain}, and {terrain} in the pattern", (tile,))
        elif numbered and marker is not None and board_marker != (marker or None):
            expected = f"the marker {marker}" if marker else "no marker"
            difference = f"tile {tile} has {board_marker or 'no marker'}, and {expected} in the pattern"
            yield Violation(PATTERN, difference, (tile,))
        elif not numbered and board_terrain not in allowed_terrain(pattern, tile, board.layout):
            expected = f"the marker {marker}" if marker else "no marker"
            difference = f"tile {tile} is {board_terrain}, and has {expected} in the pattern"
            yield Violation(PATTERN, difference, (tile,))
