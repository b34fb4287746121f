"""Texts of boards: notation, patterns, JSON, and the map in text.

The notation has three parts. The first is the rows of tiles. Each tile is a word: a letter, followed by its
marker if it has one. The second part follows a colon: the harbors, then the fishing grounds. The third part
follows an ``@``: the name of the layout. It is omitted if the rows identify the layout.

All texts share the word of a tile. `tile_word` writes it and `read_tile` reads it, also in patterns, where
``x`` is an open tile and ``0`` means a tile without a marker. The drawings of layout files add signs to it.

>>> tile_word("o", 2, {2: 12}), read_tile("o", "10", LAYOUTS["base"], "row 1")
('o2+12', ('ore', 10))
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import atan2, pi, sqrt
from operator import attrgetter
from typing import Any, Protocol

from catan_cp.boards.layout import CLASSIC, LAYOUTS, FishingGround, Harbor, Layout, find_layout
from catan_cp.boards.parts import PARTS
from catan_cp.boards.pieces import LETTER_TRADE, MARKERS, OPEN, TRADE_LETTER, tile_word
from catan_cp.errors import InvalidBoard, amount, listed, show

BoardFields = tuple[
    Layout, Sequence[str], Sequence[int | None] | None, Sequence[Harbor], Sequence[FishingGround]
]
"""The arguments of `Board`."""


class BoardPieces(Protocol):
    """The attributes of `Board` that its texts show. `Board` imports this module."""

    @property
    def layout(self) -> Layout:
        """The layout."""

    @property
    def terrain(self) -> tuple[str, ...]:
        """The terrain of each tile."""

    @property
    def markers(self) -> tuple[int | None, ...]:
        """The marker of each tile, None for none."""

    @property
    def harbors(self) -> tuple[Harbor, ...]:
        """The harbors."""

    @property
    def fishing_grounds(self) -> tuple[FishingGround, ...]:
        """The fishing grounds."""


MAX_INPUT = 65_536
"""Maximum length of a notation or JSON text in characters. A board needs a few thousand."""

OWN = "own:"
"""Prefix in the notation for a custom layout that has the name of a built-in layout."""
_NOTATION_ROW = re.compile(r"(?:[a-z](?:[0-9]+(?:\+[0-9]+)?)?)+")
TILE = re.compile(r"([a-z])([0-9+]*)")
"""The letter and the digits of a tile."""
_VERTEX = "(?:0|[1-9][0-9]{0,5})"
_COAST_PIECE = re.compile(f"({_VERTEX}(?:-{_VERTEX}){{1,2}})=([a-z3]|[1-9][0-9]?)")
_MARKER = {str(marker): marker for marker in MARKERS}
_COMPASS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
_KEYS = ("layout", *(part.field for part in PARTS))


# ---- Tiles


def read_tile(
    letter: str, digits: str, layout: Layout, place: str, *, is_open: bool = False
) -> tuple[str | None, int | None]:
    """Return the terrain and the marker of a tile, None for an open terrain and for no digits.

    Args:
        letter: the letter.
        digits: the marker, such as ``10`` or ``2+12``, or an empty text.
        layout: the layout.
        place: the place of the tile, for messages.
        is_open: True if ``x`` and ``0`` are allowed, as in patterns.

    Raises:
        InvalidBoard: an unknown letter or marker.
    """
    if letter not in layout.letters and not (is_open and letter == OPEN):
        letters = [f"{OPEN} for any terrain"] * is_open + [
            f"{key} {name}" for key, name in layout.letters.items()
        ]
        raise InvalidBoard(f"unknown letter {letter!r} in {place}; letters are {listed(letters)}")
    first, plus, second = digits.partition("+")
    known = {str(marker): marker for marker in ((0, *MARKERS) if is_open else MARKERS)}
    if digits and first not in known:
        raise InvalidBoard(f"unknown marker {show(digits)} in {place}; markers are {listed(MARKERS)}")
    marker = known[first] if first else None
    beside = layout.second_marker.get(marker) if marker is not None else None
    if plus and second != str(beside):
        both = f"{marker}+{beside}" if beside else f"{marker} alone"
        raise InvalidBoard(f"unknown markers {show(digits)} in {place}; {layout.name} has {both}")
    return layout.letters.get(letter), marker


def _notation_words(
    board: BoardPieces, terrain: Collection[int], markers: Collection[int]
) -> list[list[str]]:
    """Return the words of each row, with the terrain and the marker of these tiles only."""
    layout = board.layout
    words = [
        tile_word(
            layout.letter_of[name] if tile in terrain else OPEN,
            marker if tile in markers else None,
            layout.second_marker,
        )
        for tile, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True))
    ]
    return [[words[tile] for tile in row] for row in layout.row_tiles]


# ---- Notation


def board_line(board: BoardPieces) -> str:
    """Return the notation of a board."""
    everything = range(board.layout.n_tiles)
    layout = board.layout
    line = "/".join("".join(row) for row in _notation_words(board, everything, everything))
    printed = board.harbors == tuple(sorted(layout.printed_harbors, key=attrgetter("vertices")))
    pieces = ["printed"] if board.harbors and printed else [*map(_coast_text, board.harbors)]
    pieces += map(_coast_text, board.fishing_grounds)
    line += ":" + ",".join(pieces) if pieces else ""
    if layout.is_built_in:
        return line if layout.name in CLASSIC else f"{line}@{layout.name}"
    return f"{line}@{OWN if layout.name.lower() in LAYOUTS else ''}{layout.name}"


def pattern_line(board: BoardPieces, terrain: Collection[int], markers: Collection[int]) -> str:
    """Return the pattern that fixes the terrain and the markers of these tiles."""
    _, at, layout = board_line(board).partition("@")
    return "/".join("".join(row) for row in _notation_words(board, terrain, markers)) + at + layout


def read_line(text: str, layout: str | Layout | None = None) -> BoardFields:
    """Read a notation. Arguments and errors are those of `Board.from_notation`."""
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
    return (layout, [name for name, _ in cells], [marker for _, marker in cells], harbors, grounds)


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
    if all(map(_NOTATION_ROW.fullmatch, words)) and "printed" not in words:
        cells = [letter + marker for letter, marker in TILE.findall(tiles)]
        rows = [known.rows for known in fitting if known and known.n_tiles == len(cells)]
        if len(words) == len(rows) == 1:
            remaining = iter(cells)
            words = ["".join(islice(remaining, length)) for length in rows[0]]
        tiles = "/".join(words)
    elif "/" in tiles:
        coast_words = (i for i, word in enumerate(words) if {"-", "=", ","} & {*word} or word == "printed")
        n_row_words = next(coast_words, len(words))
        joined = "".join(words[:n_row_words])
        lengths = [len(TILE.findall(row)) for row in joined.split("/")]
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
    if not _NOTATION_ROW.fullmatch(row):
        label = f"row {number} of the notation, {show(row)},"
        raise InvalidBoard(f"{label} must be letters, each followed by its marker")
    return TILE.findall(row)


def _read_row(row: list[tuple[str, str]], number: int, layout: Layout) -> list[tuple[str, int | None]]:
    """Return the terrain and the marker of each tile of a row."""
    tiles = [read_tile(letter, digits, layout, f"row {number}") for letter, digits in row]
    return [(str(name), marker) for name, marker in tiles]


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


def layout_of_size(n: int) -> Layout:
    """Return the classic layout with *n* tiles."""
    if matching := [layout for layout in _classic() if layout.n_tiles == n]:
        return matching[0]
    sizes = listed(f"{layout.name} {layout.n_tiles}" for layout in _classic())
    raise InvalidBoard(f"no layout has {amount(n, 'tile')}; layouts have {sizes}")


def _classic() -> Iterator[Layout]:
    return (LAYOUTS[name] for name in CLASSIC)


def _dashed(lengths: tuple[int, ...]) -> str:
    """Return the lengths of rows, joined by hyphens. Only the first twenty are shown."""
    text = "-".join(map(str, lengths[:20]))
    return text if len(lengths) <= 20 else f"{text}-..."


# ---- JSON


def _sized(text: object, kind: str) -> str:
    """Return *text* if it is text of at most `MAX_INPUT` characters."""
    if not isinstance(text, str):
        raise InvalidBoard(f"{kind} must be text, not {show(text)}")
    if len(text) > MAX_INPUT:
        raise InvalidBoard(f"this {kind} has {len(text)} characters; a board has at most {MAX_INPUT}")
    return text


def board_json(board: BoardPieces) -> str:
    """Return a board as JSON. Errors are those of `Board.to_json`."""
    name = board.layout.name
    if name in LAYOUTS and not board.layout.is_built_in:
        raise InvalidBoard(f"this layout is not the built-in {show(name)}; give it another name")
    value: dict[str, Any] = {
        "layout": name,
        "terrain": board.terrain,
        "markers": board.markers,
    }
    return json.dumps(value | coast_json(board))


def json_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        InvalidBoard: it is not JSON, is nested too deeply, or has a number with too many digits.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise InvalidBoard(f"this JSON is nested too deeply for a board: {show(text)}") from None
    except json.JSONDecodeError as error:
        raise InvalidBoard(f"this is not JSON ({error}): {show(text)}") from None
    except ValueError:  # Python limits the digits of a whole number
        raise InvalidBoard(f"this JSON has a number with too many digits: {show(text)}") from None


def read_json(text: str, layout: str | Layout | None = None) -> BoardFields:
    """Read a board from JSON. Arguments and errors are those of `Board.from_json`."""
    value = json_value(_sized(text, "JSON"))
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
    return (
        layout,
        value["terrain"],
        value.get("markers"),
        [Harbor(*fields) for fields in harbors],
        [FishingGround(*fields) for fields in grounds],
    )


def coast_json(board: BoardPieces) -> dict[str, list[dict[str, Any]]]:
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


# ---- Text for terminals


def board_map(board: BoardPieces) -> str:
    """Return a board as a map in text, with its harbors and fishing grounds in words."""
    everything = range(board.layout.n_tiles)
    width = 6
    leftmost = min(x for x, _ in board.layout.tiles)
    lines = []
    for row, cells in zip(
        board.layout.row_tiles, _notation_words(board, everything, everything), strict=True
    ):
        text = ""
        for tile, cell in zip(row, cells, strict=True):
            start = (board.layout.tiles[tile][0] - leftmost) * width // 2
            text = text.ljust(start) + cell.center(width)
        lines.append(text.rstrip())
    notes = [harbor_words(board, harbor) for harbor in board.harbors]
    if board.fishing_grounds:
        texts = (f"{place.marker} at {'-'.join(map(str, place.vertices))}" for place in board.fishing_grounds)
        notes.append(f"fishing grounds: {', '.join(texts)}")
    if "@" in (notation := board_line(board)):
        notes.append("@" + notation.partition("@")[2])
    lines += ["", *notes] if notes else []
    return "\n".join(lines)


def harbor_words(board: BoardPieces, harbor: Harbor) -> str:
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
