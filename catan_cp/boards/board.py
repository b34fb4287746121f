"""Boards: immutable and checked, with notation, JSON and pictures.

The notation has three parts. The first is the rows of tiles. Each tile is a letter, followed by its marker if
it has one. The second part follows a colon: the harbors, then the fishing grounds. The third part follows an
``@``: the name of the layout. It is omitted if the rows identify the layout.

>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> board.layout.name, board.terrain[0], board.markers[0]
('base', 'ore', 10)
>>> board.notation()
'o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11'
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import atan2, pi, sqrt
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import CLASSIC, LAYOUTS, FishingGround, Harbor, Layout, find_layout
from catan_cp.boards.parts import PARTS
from catan_cp.boards.pieces import LETTER_TRADE, MARKERS, TRADE_LETTER, UNNUMBERED, piece_counts
from catan_cp.errors import (
    InvalidArgument,
    InvalidBoard,
    listed,
    show,
    whole_number,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_INPUT = 65_536
"""Maximum length of a notation or JSON text in characters. A board needs a few thousand."""

OWN = "own:"
"""Prefix in the notation for a custom layout that has the name of a built-in layout."""
_ROW = re.compile(r"(?:[a-z](?:[0-9]+(?:\+[0-9]+)?)?)+")
_TILE = re.compile(r"([a-z])([0-9+]*)")
_VERTEX = "(?:0|[1-9][0-9]{0,5})"
_COAST_PIECE = re.compile(f"({_VERTEX}(?:-{_VERTEX}){{1,2}})=([a-z3]|[1-9][0-9]?)")
_MARKER = {str(marker): marker for marker in MARKERS}
_COMPASS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
_KEYS = ("layout", *(part.field for part in PARTS))


@dataclass(frozen=True)
class Board:
    """Board with the terrain and marker of each tile, harbors, and fishing grounds.

    Args:
        layout: a layout or its name.
        terrain: the terrain of each tile. Common names (wood, sheep, wheat, ...) are accepted.
        markers: the marker of each tile, None for desert and sea. Leave it out for a board without markers.
        harbors: harbors on coast edges that share no vertex.
        fishing_grounds: fishing grounds at different places, if the board has any.

    The pieces may differ from those of the layout's box. `piece_differences` returns the differences.
    Everything else is checked.

    Raises:
        InvalidBoard: a wrong number of tiles, an unknown terrain, a marker on a tile that carries none, a
            missing marker, or a harbor off the coast.
    """

    layout: Layout
    terrain: tuple[str, ...]
    markers: tuple[int | None, ...]
    harbors: tuple[Harbor, ...] = ()
    fishing_grounds: tuple[FishingGround, ...] = ()

    def __init__(
        self,
        layout: str | Layout,
        terrain: Sequence[str],
        markers: Sequence[int | None] | None = None,
        harbors: Sequence[Harbor] = (),
        fishing_grounds: Sequence[FishingGround] = (),
    ) -> None:
        layout = find_layout(layout)
        names = _checked_terrain(layout, terrain)
        numbers = _checked_markers(layout, names, [None] * len(names) if markers is None else markers)
        coast = sorted(layout.check_harbors(harbors, names), key=attrgetter("vertices"))
        grounds = sorted(layout.check_grounds(fishing_grounds), key=attrgetter("vertices"))
        vars(self).update(vars(board_of(layout, names, numbers, tuple(coast), tuple(grounds))))

    # Properties and symmetries

    @property
    def has_markers(self) -> bool:
        """True if the board has markers."""
        return any(marker is not None for marker in self.markers)

    def vertex_pips(self) -> tuple[int, ...]:
        """Return the sum of pips (ways out of 36) of the tiles at each vertex."""
        ways = [self.layout.marker_pips(marker) for marker in self.markers]
        return tuple(sum(ways[t] for t in tiles) for tiles in self.layout.vertex_tiles)

    def terrain_pips(self) -> dict[str, int]:
        """Return the sum of pips of the tiles of each terrain that can carry markers."""
        totals = {name: 0 for name in piece_counts(self.terrain) if name not in UNNUMBERED}
        for name, marker in zip(self.terrain, self.markers, strict=True):
            if name in totals:
                totals[name] += self.layout.marker_pips(marker)
        return totals

    def piece_differences(self) -> dict[str | int, int]:
        """Return the differences between the board's pieces and those of the layout's box.

        A terrain has a positive number if the board has more tiles of it than the box, and a negative one if
        it has fewer. A marker has the number of pieces beyond the supply. Unused markers are not a
        difference. Pieces without a difference are omitted.
        """
        excess = Counter(self.terrain)
        excess.subtract(self.layout.terrain_counts)
        differences: dict[str | int, int] = {
            name: excess[name] for name in self.layout.all_terrains if excess[name]
        }
        for marker in MARKERS:
            extra = self.markers.count(marker) - self.layout.marker_supply.get(marker, 0)
            if extra > 0:
                differences[marker] = extra
        return differences

    def moved(self, symmetry: int) -> Board:
        """Return the board moved by a symmetry, with its harbors and fishing grounds.

        Args:
            symmetry: the index of the rotation or reflection in `Layout.symmetries`.

        Raises:
            InvalidArgument: *symmetry* is not an index of a symmetry.
        """
        last = len(self.layout.symmetries) - 1
        if whole_number(symmetry) not in range(last + 1):
            raise InvalidArgument(f"symmetry must be a number from 0 to {last}, not {show(symmetry)}")
        return Board(self.layout, *(part.moved(self, symmetry) for part in PARTS))

    # Text

    def notation(self) -> str:
        """Return the notation of the board, which `from_notation` reads.

        It is one line, such as ``o10w2l9/...:printed``. It ends with ``@name`` unless the layout is one of
        `CLASSIC`. To read a board on a custom layout, pass that layout to `from_notation`.
        """
        layout = self.layout
        line = "/".join("".join(row) for row in self._cells())
        printed = self.harbors == tuple(sorted(layout.printed_harbors, key=attrgetter("vertices")))
        pieces = ["printed"] if self.harbors and printed else [*map(_coast_text, self.harbors)]
        pieces += map(_coast_text, self.fishing_grounds)
        line += ":" + ",".join(pieces) if pieces else ""
        if layout.is_built_in:
            return line if layout.name in CLASSIC else f"{line}@{layout.name}"
        return f"{line}@{OWN if layout.name.lower() in LAYOUTS else ''}{layout.name}"

    def pattern(self, keep: str | Collection[int] = "terrain") -> str:
        """Return a pattern for ``Rules(pattern=...)`` that fixes parts of this board.

        Args:
            keep: ``"terrain"`` or ``"markers"`` to fix these on all tiles. Or the numbers of the tiles whose
                terrain and marker are fixed.

        Raises:
            InvalidArgument: *keep* has another value.
        """
        if not isinstance(keep, Collection) or (isinstance(keep, str) and keep not in ("terrain", "markers")):
            raise InvalidArgument(
                f"keep must be 'terrain', 'markers' or the numbers of tiles, not {show(keep)}"
            )
        tiles: Collection[object] = () if isinstance(keep, str) else keep
        if wrong := [t for t in tiles if whole_number(t) not in range(self.layout.n_tiles)]:
            raise InvalidArgument(
                f"keep names tile {show(wrong[0])}; tiles are 0 to {self.layout.n_tiles - 1}"
            )
        letter = {name: key for key, name in self.layout.letters.items()}
        cells = []
        for tile, (name, marker) in enumerate(zip(self.terrain, self.markers, strict=True)):
            known = letter[name] if keep == "terrain" or tile in tiles else "x"
            cells.append(known + str(marker or "") * (keep == "markers" or tile in tiles))
        rows = "/".join("".join(cells[t] for t in row) for row in self.layout.row_tiles)
        _, at, layout = self.notation().partition("@")
        return rows + at + layout

    def _cells(self) -> list[list[str]]:
        """Return the rows of the notation, each tile a letter with its marker or markers."""
        letter, words = {name: key for key, name in self.layout.letters.items()}, self.layout.marker_words
        cells = [
            letter[name] + words[marker] for name, marker in zip(self.terrain, self.markers, strict=True)
        ]
        return [[cells[t] for t in row] for row in self.layout.row_tiles]

    @classmethod
    def from_solution(cls, solution: Any, layout: str | Layout | None = None) -> Board:
        """Return the board of a MiniZinc solution, or of a row of `Solutions.array`.

        The instance comes from `catan_cp.board_instance` or `catan_cp.terrain_instance`.

        Args:
            solution: the result of ``solve()``. If it has a list of solutions, choose one item of that list.
                An object or a mapping with these fields is allowed too: ``terrain`` and, if present,
                ``marker`` (0 for no marker), ``harbor`` and ``ground``. Or a row of the array of
                `catan_cp.enumerate_boards`. Lists and numpy arrays are allowed.
            layout: the layout, or its name. By default that of the instance, or ``base`` for other objects.

        Raises:
            InvalidBoard: *solution* has no solution, has several, or is for another layout.
        """
        inner = getattr(solution, "solution", solution)
        layout = find_layout(getattr(inner, "catan_layout", None) or "base" if layout is None else layout)
        named = inner if isinstance(inner, Mapping) else getattr(inner, "__dict__", {})
        if (row := _whole_numbers(inner)) is not None and len(row) >= 2 * layout.n_tiles:
            named = _split_solution(row, layout)
        if "terrain" not in named:
            problem = "no solution with a terrain"
            if isinstance(inner, list):
                problem = f"{len(inner)} solutions; choose one"
            elif hasattr(solution, "status"):
                problem += f" ({solution.status})"
            raise InvalidBoard(f"{problem}, such as result.solution of board_instance(...).solve()")
        arrays = {part.variable: named.get(part.variable, []) for part in PARTS}
        fields = []
        for part in PARTS:
            codes = _whole_numbers(arrays[part.variable])
            if codes is None:
                raise InvalidBoard(
                    f"a solution for {layout.name!r} must have lists of numbers, not {show(arrays)}"
                )
            places = part.places(layout) if codes else ()
            values = {code: value for value, code in part.codes(layout).items()}
            if len(codes) != len(places) or not values.keys() >= set(codes):
                raise InvalidBoard(f"the numbers do not fit the layout {layout.name!r}: {show(arrays)}")
            fields.append(part.pieces({p: values[code] for p, code in zip(places, codes, strict=True)}))
        return cls(layout, fields[0], fields[1] or None, *fields[2:])

    @classmethod
    def from_notation(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from its notation, the one line that `notation` returns.

        Args:
            text: the notation. Capitals are allowed, and spaces instead of all slashes. Slashes may be left
                out if the layout is passed or named, or if one layout of `CLASSIC` has this number of tiles.
            layout: the layout or its name. By default the built-in layout named after ``@``, otherwise the
                layout of `CLASSIC` with these rows. A custom layout must be passed.

        Raises:
            InvalidBoard: *text* has a wrong letter, marker, row length or harbor. Or the layout is custom and
                was not passed. Or the name after ``@`` is not that of *layout*.
        """
        line = _sized(text, "notation").strip()
        if "\n" in line:
            raise InvalidBoard("a notation must be one line, not several; Board.notation() returns it")
        layout = None if layout is None else find_layout(layout)
        rows_text, coast_text, name = parts(canonical(line, layout))
        rows = [_split_row(row, number) for number, row in enumerate(rows_text, start=1)]
        lengths = tuple(len(row) for row in rows)
        if layout is None and name is None:  # report a wrong letter before a wrong row length
            for number, row in enumerate(rows, start=1):
                _read_row(row, number, LAYOUTS["base"])
        layout = _layout_of(lengths, name) if layout is None else layout
        if name is not None and name.removeprefix(OWN) != layout.name:
            raise InvalidBoard(f"the board's layout is {show(name)}, not {show(layout.name)}")
        if name is not None and name.startswith(OWN) and layout.is_built_in:
            raise InvalidBoard(f"the board's layout is a custom one called {show(layout.name)}; pass it")
        if layout.rows != lengths:
            expected = f"{show(layout.name)}, which has {_dashed(layout.rows)}"
            raise InvalidBoard(f"rows of {_dashed(lengths)} tiles do not make {expected}")
        cells = [cell for number, row in enumerate(rows, start=1) for cell in _read_row(row, number, layout)]
        words = coast_text.split(",") if coast_text else []
        pieces = [_read_coast_piece(word) for word in words if word != "printed"]
        harbors = [piece for piece in pieces if isinstance(piece, Harbor)]
        if "printed" in words:
            if not layout.printed_harbors:
                raise InvalidBoard(f"no harbors are printed on {show(layout.name)}")
            if harbors or words.count("printed") > 1:
                raise InvalidBoard(
                    f"'printed' must appear once and replace all harbors, not as in {show(coast_text)}"
                )
            harbors = [*layout.printed_harbors]
        grounds = [piece for piece in pieces if isinstance(piece, FishingGround)]
        return cls(layout, [name for name, _ in cells], [marker for _, marker in cells], harbors, grounds)

    def to_json(self) -> str:
        """Return the board as the text of a JSON object.

        Its keys are layout, terrain, markers and harbors. A board with fishing grounds also has the key
        fishing_grounds.

        Raises:
            InvalidBoard: a custom layout has the name of a built-in layout, so the text would be ambiguous.
        """
        name = self.layout.name
        if name in LAYOUTS and not self.layout.is_built_in:
            raise InvalidBoard(f"this layout is not the built-in {show(name)}; give it another name")
        value: dict[str, Any] = {
            "layout": name,
            "terrain": self.terrain,
            "markers": self.markers,
        }
        return json.dumps(value | coast_json(self))

    @classmethod
    def from_json(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from the JSON that `to_json` writes.

        Args:
            text: the JSON.
            layout: the layout or its name. By default the built-in layout that the JSON names. A custom
                layout must be passed.

        Raises:
            InvalidBoard: *text* is not JSON, is not a board, has another layout, or has more than `MAX_INPUT`
                characters.
        """
        sized = _sized(text, "JSON")
        try:
            value = json.loads(sized)
        except RecursionError:
            raise InvalidBoard(f"this JSON is nested too deeply for a board: {show(text)}") from None
        except json.JSONDecodeError as error:
            raise InvalidBoard(f"this is not JSON ({error}): {show(text)}") from None
        except ValueError:  # Python limits the digits of a whole number
            raise InvalidBoard(f"this JSON has a number with too many digits: {show(text)}") from None
        if not isinstance(value, dict):
            raise InvalidBoard(f"a board must be a JSON object with layout and terrain, not {show(value)}")
        if unknown := [key for key in value if key not in _KEYS]:
            raise InvalidBoard(f"unknown key {show(unknown[0])}; a board has {listed(_KEYS)}")
        if missing := [key for key in ("layout", "terrain") if key not in value]:
            raise InvalidBoard(f"a board needs the key {missing[0]}, which is missing in {show(value)}")
        layout = find_layout(value["layout"] if layout is None else layout)
        if value["layout"] != layout.name:
            raise InvalidBoard(f"the board's layout is {show(value['layout'])}, not {show(layout.name)}")
        harbors = _json_coast(value, "harbors", "trade", '[4, 5], "trade": "3:1"')
        grounds = _json_coast(value, "fishing_grounds", "marker", '[4, 5, 0], "marker": 6')
        return cls(
            layout,
            value["terrain"],
            value.get("markers"),
            [Harbor(*fields) for fields in harbors],
            [FishingGround(*fields) for fields in grounds],
        )

    def __str__(self) -> str:
        width = 6
        leftmost = min(x for x, _ in self.layout.tiles)
        lines = []
        for row, cells in zip(self.layout.row_tiles, self._cells(), strict=True):
            text = ""
            for tile, cell in zip(row, cells, strict=True):
                start = (self.layout.tiles[tile][0] - leftmost) * width // 2
                text = text.ljust(start) + cell.center(width)
            lines.append(text.rstrip())
        notes = [harbor_words(self, harbor) for harbor in self.harbors]
        if self.fishing_grounds:
            texts = (
                f"{place.marker} at {'-'.join(map(str, place.vertices))}" for place in self.fishing_grounds
            )
            notes.append(f"fishing grounds: {', '.join(texts)}")
        if "@" in (notation := self.notation()):
            notes.append("@" + notation.partition("@")[2])
        lines += ["", *notes] if notes else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        layout = "" if self.layout.is_built_in else f", {self.layout!r}"
        return f"Board.from_notation({self.notation()!r}{layout})"

    # Pictures

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the board, as `catan_cp.plot_board` does."""
        from catan_cp import plot_board

        return plot_board(self, ax=ax, **options)

    def _repr_png_(self) -> bytes:
        """Return a PNG picture for untrusted notebooks, which do not show SVG."""
        picture: bytes = self.plot()._repr_png_()  # type: ignore[attr-defined]
        return picture

    def _repr_svg_(self) -> str:
        from catan_cp import board_svg

        return board_svg(self)


def harbor_words(board: Board, harbor: Harbor) -> str:
    """Return a harbor in words, with its coast, its vertices and the land tile beside it.

    On a board of one island the direction is that from the middle, otherwise from the tile. Directions are
    those of the board as text. They are left out if the box shows the board rotated.
    """
    layout, (a, b) = board.layout, harbor.vertices
    tiles = layout.edge_tiles[a, b]
    tile = min(tiles, key=lambda t: board.terrain[t] == "sea")
    name = f"tile {tile} ({' '.join(map(str, filter(None, (board.terrain[tile], board.markers[tile]))))})"
    ends, places = (layout.vertices[a], layout.vertices[b]), layout.vertices
    (left, right), (top, bottom) = ((min(values), max(values)) for values in zip(*places, strict=True))
    at_sea = len(tiles) == 2 or len(layout.parts) > 1
    x, y = layout.tiles[tile] if at_sea else ((left + right) / 2, (top + bottom) / 2)
    across, down = (sum(values) / 2 for values in zip(*ends, strict=True))
    side = "" if layout.sideways else _COMPASS[round(atan2(y - down, (across - x) * sqrt(3)) * 4 / pi)] + " "
    if at_sea:
        return f"{harbor.trade} harbor on the {side}coast of {name}, vertices {a}-{b}"
    return f"{harbor.trade} harbor on the {side}coast, vertices {a}-{b}, beside {name}"


def read_terrain(
    terrain: Board | Sequence[str] | str, layout: str | Layout | None = None
) -> tuple[Layout, tuple[str, ...]]:
    """Return the layout and the terrains of a board, a notation or a list of names.

    Args:
        terrain: a `Board`, a notation or a list of names.
        layout: the layout or its name. By default, a list of names belongs to the classic layout of its
            length.

    Raises:
        InvalidBoard: *terrain* is invalid or belongs to another layout.
    """
    if isinstance(terrain, str):
        terrain = Board.from_notation(terrain, layout)
    if isinstance(terrain, Board):
        if layout is not None and find_layout(layout) != terrain.layout:
            actual, expected = terrain.layout.name, find_layout(layout).name
            other = expected if actual != expected else f"{expected} with other rows or pieces"
            raise InvalidBoard(f"the board's layout is {show(actual)}, not {show(other)}")
        return terrain.layout, terrain.terrain
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"a terrain must be a Board, a notation or a list of names, not {show(terrain)}")
    layout = _layout_of_size(len(terrain)) if layout is None else find_layout(layout)
    return layout, _checked_terrain(layout, terrain)


def board_of(
    layout: Layout,
    terrain: tuple[str, ...],
    markers: tuple[int | None, ...],
    harbors: tuple[Harbor, ...],
    fishing_grounds: tuple[FishingGround, ...] = (),
) -> Board:
    """Return a board without checking its parts, which must be valid.

    Checks take most of the time of creating a board. Harbors and fishing grounds must be sorted by their
    vertices.
    """
    board = object.__new__(Board)
    board.__dict__.update(
        layout=layout, terrain=terrain, markers=markers, harbors=harbors, fishing_grounds=fishing_grounds
    )
    return board


# ---- Solutions


def _whole_numbers(row: object) -> list[int] | None:
    """Return the whole numbers of a list or an array, otherwise None."""
    if not isinstance(row, (list, tuple)) and getattr(row, "ndim", 0) != 1:
        return None
    numbers = [whole_number(number) for number in row]  # type: ignore[attr-defined]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def _split_solution(row: Sequence[int], layout: Layout) -> dict[str, Sequence[int]]:
    """Return the arrays of ``joint.mzn`` in a row of numbers. The row may have no harbors."""
    n, end = layout.n_tiles, len(row) - len(layout.ground_places)
    splits = ((0, n), (n, 2 * n), (2 * n, end), (end, len(row)))
    return {part.variable: row[a:b] for part, (a, b) in zip(PARTS, splits, strict=True)}


# ---- Notation and JSON


def _sized(text: object, kind: str) -> str:
    """Return *text* if it is text of at most `MAX_INPUT` characters."""
    if not isinstance(text, str):
        raise InvalidBoard(f"{kind} must be text, not {show(text)}")
    if len(text) > MAX_INPUT:
        raise InvalidBoard(f"this {kind} has {len(text)} characters; a board has at most {MAX_INPUT}")
    return text


def canonical(line: str, layout: Layout | None = None) -> str:
    """Return a notation in small letters, with slashes between rows if these are clear.

    Rows are clear in two cases. Either spaces separate them, and each part is a row of tiles. Or all tiles
    are one word, and the layout is *layout*, the one after ``@``, or the only one of `CLASSIC` of this size.
    Spaces inside rows between slashes are dropped, if the rows fit one of these layouts.
    """
    body, at, name = line.strip().partition("@")
    small = name.lower()
    if small in LAYOUTS if layout is None else small == layout.name:
        name = small
    tiles, colon, coast = body.lower().partition(":")
    words = tiles.split()
    fitting = [layout or LAYOUTS.get(name)] if layout or at else _classic()
    if all(map(_ROW.fullmatch, words)) and "printed" not in words:
        cells = [letter + marker for letter, marker in _TILE.findall(tiles)]
        rows = [known.rows for known in fitting if known and known.n_tiles == len(cells)]
        if len(words) == len(rows) == 1:
            remaining = iter(cells)
            words = ["".join(islice(remaining, length)) for length in rows[0]]
        tiles = "/".join(words)
    elif "/" in tiles:
        coast_words = (i for i, word in enumerate(words) if {"-", "=", ","} & {*word} or word == "printed")
        n_row_words = next(coast_words, len(words))
        joined = "".join(words[:n_row_words])
        lengths = [len(_TILE.findall(row)) for row in joined.split("/")]
        if n_row_words > 1 and any(known is not None and list(known.rows) == lengths for known in fitting):
            tiles = " ".join([joined, *words[n_row_words:]])
    return tiles + colon + coast + at + name


def parts(line: str) -> tuple[list[str], str, str | None]:
    """Return the three parts of a notation.

    These are the rows, the text of harbors and fishing grounds, and the name of the layout or None.
    """
    body, at, name = line.partition("@")
    tiles, colon, harbors = body.partition(":" if ":" in body else " ")
    if colon == ":" and not harbors:
        raise InvalidBoard(f"the colon of {show(line)} must be followed by harbors or fishing grounds")
    if colon == " " and {"/", " "}.intersection(harbors.strip()):
        raise InvalidBoard(f"{show(line)} has spaces that do not separate rows; put a slash between two rows")
    return tiles.split("/"), harbors, name if at else None


def _split_row(row: str, number: int) -> list[tuple[str, str]]:
    """Return the letter and the digits of each tile of a row."""
    if not _ROW.fullmatch(row):
        label = f"row {number} of the notation, {show(row)},"
        raise InvalidBoard(f"{label} must be letters, each followed by its marker")
    return _TILE.findall(row)


def _read_row(row: list[tuple[str, str]], number: int, layout: Layout) -> list[tuple[str, int | None]]:
    """Return the terrain and the marker of each tile of a row."""
    cells: list[tuple[str, int | None]] = []
    for letter, digits in row:
        if letter not in layout.letters:
            allowed = listed(f"{key} {name}" for key, name in layout.letters.items())
            raise InvalidBoard(f"unknown letter {letter!r} in row {number}; letters are {allowed}")
        first, plus, second = digits.partition("+")
        if digits and first not in _MARKER:
            raise InvalidBoard(
                f"unknown marker {show(digits)} in row {number}; markers are {listed(MARKERS)}"
            )
        marker = _MARKER[first] if first else None
        beside = layout.second_marker.get(marker) if marker is not None else None
        if plus and second != str(beside):
            known = f"{marker}+{beside}" if beside else f"{marker} alone"
            raise InvalidBoard(f"unknown markers {show(digits)} in row {number}; {layout.name} has {known}")
        cells.append((layout.letters[letter], marker))
    return cells


def _read_coast_piece(word: str) -> Harbor | FishingGround:
    """Return the harbor of a word like "4-5=3", or the fishing ground of "4-5-0=6"."""
    match = _COAST_PIECE.fullmatch(word)
    vertices, value = (tuple(map(int, match[1].split("-"))), match[2]) if match else ((), "")
    if len(vertices) == 2 and value in LETTER_TRADE:
        return Harbor((vertices[0], vertices[1]), LETTER_TRADE[value])
    if len(vertices) == 3 and value.isdigit():
        return FishingGround((vertices[0], vertices[1], vertices[2]), int(value))
    raise InvalidBoard(
        f"{show(word)} is not a harbor (VERTEX-VERTEX=TRADE, TRADE one of 3 b g w o l) and not a fishing "
        "ground (VERTEX-VERTEX-VERTEX=MARKER)"
    )


def _coast_text(piece: Harbor | FishingGround) -> str:
    """Return a harbor or fishing ground in notation."""
    value = str(piece.value)
    return f"{'-'.join(map(str, piece.vertices))}={TRADE_LETTER.get(value, value)}"


def coast_json(board: Board) -> dict[str, list[dict[str, Any]]]:
    """Return the harbors of a board, and its fishing grounds if it has any, as values for JSON."""
    fields = ["harbors", "fishing_grounds"] if board.fishing_grounds else ["harbors"]
    return {field: [vars(piece) for piece in getattr(board, field)] for field in fields}


def _json_coast(board: Mapping[str, Any], key: str, value_key: str, example: str) -> list[tuple[Any, Any]]:
    """Return vertices and value of each harbor or fishing ground of a JSON object."""
    pieces = board.get(key, [])
    if not isinstance(pieces, list):
        raise InvalidBoard(f"{key} must be a list, not {show(pieces)}")
    for piece in pieces:
        if not isinstance(piece, dict) or set(piece) != {"vertices", value_key}:
            raise InvalidBoard(f'each of the {key} must be like {{"vertices": {example}}}, not {show(piece)}')
    return [(piece["vertices"], piece[value_key]) for piece in pieces]


def _layout_of(lengths: tuple[int, ...], name: str | None) -> Layout:
    """Return the layout of this name, or the classic one with rows of these lengths."""
    if name is not None:
        if name not in LAYOUTS:
            custom = show(name.removeprefix(OWN))
            raise InvalidBoard(
                f"the board is of the layout {custom}, which is not built in; give it as layout"
            )
        return LAYOUTS[name]
    if matching := [layout for layout in _classic() if layout.rows == lengths]:
        return matching[0]
    known = listed(f"{layout.name} {_dashed(layout.rows)}" for layout in _classic())
    raise InvalidBoard(
        f"rows of {_dashed(lengths)} tiles do not make a layout; layouts are {known}, and those named after @"
    )


def _layout_of_size(n: int) -> Layout:
    """Return the classic layout with *n* tiles."""
    if matching := [layout for layout in _classic() if layout.n_tiles == n]:
        return matching[0]
    sizes = listed(f"{layout.name} {layout.n_tiles}" for layout in _classic())
    raise InvalidBoard(f"no layout has {n} tiles; layouts have {sizes}")


def _classic() -> Iterator[Layout]:
    return (LAYOUTS[name] for name in CLASSIC)


def _dashed(lengths: tuple[int, ...]) -> str:
    """Return the lengths of rows, joined by hyphens. Only the first twenty are shown."""
    text = "-".join(map(str, lengths[:20]))
    return text if len(lengths) <= 20 else f"{text}-..."


# ---- Checks


def _checked_terrain(layout: Layout, terrain: object) -> tuple[str, ...]:
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"terrain must be a list of names, one per tile, not {show(terrain)}")
    if len(terrain) != layout.n_tiles:
        raise InvalidBoard(f"layout {layout.name!r} has {layout.n_tiles} tiles, not {len(terrain)}")
    return tuple(layout.terrain_name(word) for word in terrain)


def _checked_markers(layout: Layout, terrain: tuple[str, ...], markers: object) -> tuple[int | None, ...]:
    if not isinstance(markers, (list, tuple)):
        raise InvalidBoard(f"markers must be a list with a number or None per tile, not {show(markers)}")
    if len(markers) != len(terrain):
        raise InvalidBoard(
            f"{len(terrain)} tiles need {len(terrain)} markers (None for no marker), not {len(markers)}"
        )
    numbers = tuple(None if marker is None else whole_number(marker) for marker in markers)
    for tile, (name, number, marker) in enumerate(zip(terrain, numbers, markers, strict=True)):
        if marker is not None and number not in MARKERS:
            raise InvalidBoard(f"tile {tile} has the marker {show(marker)}; markers are {listed(MARKERS)}")
        if number and not layout.carries_marker(tile, name):
            label = f"tile {tile} of {show(layout.name)} is {name}"
            raise InvalidBoard(f"{label}, which carries no marker there, but has {number}")
        if number is None and any(numbers) and layout.carries_marker(tile, name):
            raise InvalidBoard(f"tile {tile} ({name}) has no marker while others do; number all or none")
    return numbers
