"""One board: immutable, checked, with its notation, its JSON and its pictures.

>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> board.layout.name, board.terrain[0], board.markers[0]
('base', 'ore', 10)
>>> board.notation()
'o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11'
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catan_cp.arguments import whole_number
from catan_cp.boards.layout import LAYOUTS, Harbor, Layout, find_layout
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    MARKERS,
    TERRAIN_LETTER,
    TERRAINS,
    TRADES,
    UNNUMBERED,
    piece_counts,
    pips,
    terrain_name,
)
from catan_cp.errors import InvalidArgument, InvalidBoard, listed, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_INPUT = 65_536
"""The longest notation or JSON text, in characters, that is read at all; a board needs a few thousand."""

_ROW = re.compile(r"(?:[a-z][0-9]*)+")
_TILE = re.compile(r"([a-z])([0-9]*)")
_HARBOR = re.compile(r"(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})=([a-z3])")
_MARKER = {str(marker): marker for marker in MARKERS}
_KEYS = ("layout", "terrain", "markers", "harbors")


@dataclass(frozen=True)
class Board:
    """A board: what each tile is, which marker it carries, and the harbors.

    Args:
        layout: a layout or its name.
        terrain: a terrain's name per tile; common names (wood, sheep, wheat, ...) count too.
        markers: a marker or None per tile: one on every tile but desert and sea, or none at all.
        harbors: harbors on coast edges that share no vertex.

    The pieces need not be those of the layout's box (`piece_differences` tells); everything else is checked.

    Raises:
        InvalidBoard: the wrong number of tiles, an unknown terrain, a marker where none belongs or none
            where one does, a harbor off the coast.
    """

    layout: Layout
    terrain: tuple[str, ...]
    markers: tuple[int | None, ...]
    harbors: tuple[Harbor, ...] = ()

    def __init__(
        self,
        layout: str | Layout,
        terrain: Sequence[str],
        markers: Sequence[int | None] | None = None,
        harbors: Sequence[Harbor] = (),
    ) -> None:
        place = find_layout(layout)
        names = _checked_terrain(place, terrain)
        numbers = _checked_markers(names, [None] * len(names) if markers is None else markers)
        object.__setattr__(self, "layout", place)
        object.__setattr__(self, "terrain", names)
        object.__setattr__(self, "markers", numbers)
        object.__setattr__(self, "harbors", tuple(sorted(place.check_harbors(harbors), key=_place)))

    # Questions

    @property
    def has_markers(self) -> bool:
        """Whether the markers are on the board yet."""
        return any(marker is not None for marker in self.markers)

    def vertex_pips(self) -> tuple[int, ...]:
        """Return, per vertex, the pips (ways out of 36) of the tiles that it touches."""
        return tuple(sum(pips(self.markers[t]) for t in tiles) for tiles in self.layout.vertex_tiles)

    def terrain_pips(self) -> dict[str, int]:
        """Return, per terrain on the board that can carry markers, the pips of its tiles."""
        totals = {name: 0 for name in piece_counts(self.terrain) if name not in UNNUMBERED}
        for name, marker in zip(self.terrain, self.markers, strict=True):
            if name in totals:
                totals[name] += pips(marker)
        return totals

    def piece_differences(self) -> dict[str | int, int]:
        """Return how the pieces differ from the layout's box, as more (+) or fewer (-) than it holds.

        Keys are terrains, and markers beyond the supply; empty when the box fills the board exactly.
        """
        here = piece_counts(self.terrain)
        box = self.layout.terrain_counts
        found: dict[str | int, int] = {
            name: here.get(name, 0) - box.get(name, 0)
            for name in TERRAINS
            if here.get(name, 0) != box.get(name, 0)
        }
        for marker in MARKERS:
            extra = self.markers.count(marker) - self.layout.marker_supply.get(marker, 0)
            if extra > 0:
                found[marker] = extra
        return found

    def moved(self, symmetry: int) -> Board:
        """Return the board after the layout's rotation or mirror number *symmetry*, harbors and all.

        Raises:
            InvalidArgument: `Layout.symmetries` has no such number.
        """
        last = len(self.layout.symmetries) - 1
        if whole_number(symmetry) not in range(last + 1):
            raise InvalidArgument(f"symmetry is a number from 0 to {last}, not {show(symmetry)}")
        tiles, vertices = self.layout.symmetries[symmetry], self.layout.vertex_symmetries[symmetry]
        terrain, markers = list(self.terrain), list(self.markers)
        for t, target in enumerate(tiles):
            terrain[target], markers[target] = self.terrain[t], self.markers[t]
        harbors = [Harbor((vertices[h.vertices[0]], vertices[h.vertices[1]]), h.trade) for h in self.harbors]
        return Board(self.layout, terrain, markers, harbors)

    # Text

    def notation(self) -> str:
        """Return the board on one line, e.g. ``o10w2l9/...``; `from_notation` reads it back.

        On an invented layout, it needs the layout to do so.
        """
        cells = self._cells()
        line = "/".join("".join(cells[t] for t in row) for row in self.layout.row_tiles)
        harbors = ",".join(f"{h.vertices[0]}-{h.vertices[1]}={_trade_letter(h.trade)}" for h in self.harbors)
        return f"{line} {harbors}" if harbors else line

    def _cells(self) -> list[str]:
        return [
            TERRAIN_LETTER[name] + ("" if marker is None else str(marker))
            for name, marker in zip(self.terrain, self.markers, strict=True)
        ]

    @classmethod
    def from_notation(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from its notation. The layout follows from the row lengths unless it is given.

        Raises:
            InvalidBoard: a wrong letter, marker, row length or harbor, named with its row.
        """
        line = _sized(text, "notation").strip()
        tiles_text, _, harbors_text = line.partition(" ")
        rows = [_read_row(row, number) for number, row in enumerate(tiles_text.split("/"), start=1)]
        lengths = tuple(len(row) for row in rows)
        place = _layout_of(lengths) if layout is None else find_layout(layout)
        if place.rows != lengths:
            wanted = f"{show(place.name)}, which has {_dashed(place.rows)}"
            raise InvalidBoard(f"rows of {_dashed(lengths)} tiles do not make {wanted}")
        cells = [cell for row in rows for cell in row]
        harbors = [_read_harbor(part) for part in harbors_text.split(",")] if harbors_text else []
        return cls(place, [name for name, _ in cells], [marker for _, marker in cells], harbors)

    def to_json(self) -> str:
        """Return the board as a JSON object with the keys layout, terrain, markers and harbors.

        Raises:
            InvalidBoard: an invented layout has the name of one of the seven, and would be taken for it.
        """
        name = self.layout.name
        if LAYOUTS.get(name, self.layout) != self.layout:
            raise InvalidBoard(f"this layout is not the one called {show(name)}; give it a name of its own")
        value = {
            "layout": name,
            "terrain": self.terrain,
            "markers": self.markers,
            "harbors": [{"vertices": h.vertices, "trade": h.trade} for h in self.harbors],
        }
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from the JSON that `to_json` writes; one on an invented layout needs that *layout*.

        Raises:
            InvalidBoard: not JSON, not a board, of another layout, or longer than `MAX_INPUT` characters.
        """
        read = _sized(text, "JSON")
        try:
            value = json.loads(read)
        except RecursionError:
            raise InvalidBoard(f"this JSON is nested too deeply for a board: {show(text)}") from None
        except json.JSONDecodeError as error:
            raise InvalidBoard(f"this is not JSON ({error}): {show(text)}") from None
        except ValueError:  # Python reads no whole number of more than a few thousand digits
            raise InvalidBoard(f"this JSON has a number with too many digits: {show(text)}") from None
        if not isinstance(value, dict):
            raise InvalidBoard(f"a board is a JSON object with layout and terrain, not {show(value)}")
        if unknown := [key for key in value if key not in _KEYS]:
            raise InvalidBoard(f"unknown key {show(unknown[0])}; a board has {listed(_KEYS)}")
        if missing := [key for key in ("layout", "terrain") if key not in value]:
            raise InvalidBoard(f"a board needs the key {missing[0]}, which {show(value)} lacks")
        harbors = value.get("harbors", [])
        if not isinstance(harbors, list):
            raise InvalidBoard(f"harbors are a list, not {show(harbors)}")
        place = find_layout(value["layout"] if layout is None else layout)
        if value["layout"] != place.name:
            raise InvalidBoard(f"the board's layout is {show(value['layout'])}, not {show(place.name)}")
        return cls(place, value["terrain"], value.get("markers"), [_json_harbor(h) for h in harbors])

    def __str__(self) -> str:
        cells = self._cells()
        width = 6
        leftmost = min(x for x, _ in self.layout.tiles)
        lines = []
        for row in self.layout.row_tiles:
            indent = (self.layout.tiles[row[0]][0] - leftmost) * width // 2
            lines.append((" " * indent + "".join(cells[t].center(width) for t in row)).rstrip())
        if self.harbors:
            trades = (f"{h.trade} at {h.vertices[0]}-{h.vertices[1]}" for h in self.harbors)
            lines += ["", "harbors: " + ", ".join(trades)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        layout = "" if LAYOUTS.get(self.layout.name) == self.layout else f", {self.layout!r}"
        return f"Board.from_notation({self.notation()!r}{layout})"

    # Pictures

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the board; the same as `catan_cp.plot_board`."""
        from catan_cp.draw import plot_board

        return plot_board(self, ax=ax, **options)

    def _repr_png_(self) -> bytes:
        """Return the picture for notebooks that nobody trusts yet: they show no SVG, but PNG."""
        from catan_cp.draw import board_png

        return board_png(self)

    def _repr_svg_(self) -> str:
        from catan_cp.draw import board_svg

        return board_svg(self)


def read_terrain(
    terrain: Board | Sequence[str] | str, layout: str | Layout | None = None
) -> tuple[Layout, tuple[str, ...]]:
    """Return the layout and the terrain names of a Board, a notation string or a sequence of names.

    Without *layout*, a sequence of names belongs to the layout with that many tiles.

    Raises:
        InvalidBoard: it does not make a terrain, or not one of that layout.
    """
    if isinstance(terrain, str):
        terrain = Board.from_notation(terrain, layout)
    if isinstance(terrain, Board):
        if layout is not None and find_layout(layout) != terrain.layout:
            here, asked = terrain.layout.name, find_layout(layout).name
            other = asked if here != asked else f"{asked} with other rows or pieces"
            raise InvalidBoard(f"the board's layout is {show(here)}, not {show(other)}")
        return terrain.layout, terrain.terrain
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"a terrain is a Board, a notation or a list of names, not {show(terrain)}")
    place = _layout_of_size(len(terrain)) if layout is None else find_layout(layout)
    return place, _checked_terrain(place, terrain)


# Checks


def _checked_terrain(layout: Layout, terrain: object) -> tuple[str, ...]:
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"terrain is a list of names, one per tile, not {show(terrain)}")
    if len(terrain) != layout.n_tiles:
        raise InvalidBoard(f"layout {layout.name!r} has {layout.n_tiles} tiles, not {len(terrain)}")
    return tuple(terrain_name(word) for word in terrain)


def _checked_markers(terrain: tuple[str, ...], markers: object) -> tuple[int | None, ...]:
    if not isinstance(markers, (list, tuple)):
        raise InvalidBoard(f"markers are a list, one or None per tile, not {show(markers)}")
    if len(markers) != len(terrain):
        raise InvalidBoard(
            f"{len(terrain)} tiles need {len(terrain)} markers (None where there is none), not {len(markers)}"
        )
    numbers = tuple(
        None if marker is None else _checked_marker(tile, name, marker)
        for tile, (name, marker) in enumerate(zip(terrain, markers, strict=True))
    )
    if any(numbers):
        for tile, (name, marker) in enumerate(zip(terrain, numbers, strict=True)):
            if marker is None and name not in UNNUMBERED:
                raise InvalidBoard(f"tile {tile} ({name}) has no marker while others do; number all or none")
    return numbers


def _checked_marker(tile: int, terrain: str, marker: object) -> int:
    number = whole_number(marker)
    if number is None or number not in MARKERS:
        raise InvalidBoard(f"tile {tile} has the marker {show(marker)}; markers are {listed(MARKERS)}")
    if terrain in UNNUMBERED:
        raise InvalidBoard(f"tile {tile} is {terrain}, which carries no marker, but has {number}")
    return number


# Reading


def _sized(text: object, kind: str) -> str:
    if not isinstance(text, str):
        raise InvalidBoard(f"{kind} is text, not {show(text)}")
    if len(text) > MAX_INPUT:
        raise InvalidBoard(f"this {kind} has {len(text)} characters; a board has at most {MAX_INPUT}")
    return text


def _read_row(row: str, number: int) -> list[tuple[str, int | None]]:
    if not _ROW.fullmatch(row):
        said = f"row {number} of the notation, {show(row)},"
        raise InvalidBoard(f"{said} is not small letters, each with its marker straight after it")
    cells: list[tuple[str, int | None]] = []
    for letter, digits in _TILE.findall(row):
        if letter not in LETTER_TERRAIN:
            allowed = listed(f"{key} {name}" for key, name in LETTER_TERRAIN.items())
            raise InvalidBoard(f"unknown letter {letter!r} in row {number}; letters are {allowed}")
        if digits and digits not in _MARKER:
            raise InvalidBoard(
                f"unknown marker {show(digits)} in row {number}; markers are {listed(MARKERS)}"
            )
        cells.append((LETTER_TERRAIN[letter], _MARKER[digits] if digits else None))
    return cells


def _read_harbor(part: str) -> Harbor:
    match = _HARBOR.fullmatch(part)
    trade = "" if match is None else "3:1" if match[3] == "3" else LETTER_TERRAIN.get(match[3], "")
    if match is None or trade not in TRADES:
        raise InvalidBoard(f"{show(part)} is not a harbor: VERTEX-VERTEX=TRADE, TRADE one of 3 b g w o l")
    return Harbor((int(match[1]), int(match[2])), trade)


def _json_harbor(value: object) -> Harbor:
    if isinstance(value, dict) and set(value) == {"vertices", "trade"}:
        ends = value["vertices"]
        if isinstance(ends, list) and len(ends) == 2 and all(type(v) is int for v in ends):
            return Harbor((ends[0], ends[1]), value["trade"])
    raise InvalidBoard(f'a harbor is {{"vertices": [4, 5], "trade": "3:1"}}, not {show(value)}')


def _place(harbor: Harbor) -> tuple[int, int]:
    return harbor.vertices


def _trade_letter(trade: str) -> str:
    return "3" if trade == "3:1" else TERRAIN_LETTER[trade]


def _layout_of(lengths: tuple[int, ...]) -> Layout:
    for layout in LAYOUTS.values():
        if layout.rows == lengths:
            return layout
    known = listed(f"{layout.name} {_dashed(layout.rows)}" for layout in LAYOUTS.values())
    raise InvalidBoard(f"rows of {_dashed(lengths)} tiles make no layout; layouts are {known}")


def _layout_of_size(n: int) -> Layout:
    for layout in LAYOUTS.values():
        if layout.n_tiles == n:
            return layout
    sizes = listed(f"{layout.name} {layout.n_tiles}" for layout in LAYOUTS.values())
    raise InvalidBoard(f"no layout has {n} tiles; layouts have {sizes}")


def _dashed(lengths: tuple[int, ...]) -> str:
    shown = "-".join(map(str, lengths[:20]))
    return shown if len(lengths) <= 20 else f"{shown}-..."
