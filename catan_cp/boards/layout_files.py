"""Reader and writer of layout files, whose format ``docs/layouts.md`` describes."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from catan_cp.boards.details import ENTRIES, LayoutFields
from catan_cp.boards.geometry import HexGeometry, Point, ordered
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    LETTER_TRADE,
    MARKER_WORD,
    OPEN,
    TRADE_LETTER,
    UNNUMBERED,
    FishingGround,
    Harbor,
    read_further_terrains,
    tile_word,
)
from catan_cp.errors import InvalidBoard, listed, show, whole_number
from catan_cp.files import parse_toml

LARGEST_FILE = 65_536
"""The maximum number of bytes of a layout file, and of characters of a stored one."""

_WORD = re.compile(
    r"(?!~.*[:;])(?P<letter>[~A-Za-z])"
    rf"(?:(?<!~)(?:(?P<bare>0)|(?P<marker>{MARKER_WORD})(?:\+(?P<second>{MARKER_WORD}))?(?P<pinned>!)?)"
    r"|(?<=[~sSx])(?P<trade>[3bgwol])(?P<side>NE|E|SE|SW|W|NW)(?P<kind>[!*])?"
    rf"|(?<=[~sSx])f(?P<fish>{MARKER_WORD})(?P<corner>NE|N|SE|SW|S|NW))?"
    r"(?::(?P<group>[0-9]{1,2}))?(?:;(?P<marker_group>[0-9]{1,2}))?"
)
_REASONS = (
    (r"~(?:[0-9]+!?$|.*[:;])", "sea of the frame has no marker and no group"),
    (
        r"[~sSx].*[A-Z]",
        "a harbor has a trade (3, b, g, w, o or l) and faces NE, E, SE, SW, W or NW (~3SE); a fishing ground "
        "has a marker and a corner N, NE, SE, S, SW or NW (~f6N)",
    ),
    (r"[A-Za-z].*[A-Z]", "harbors and fishing grounds must be on sea, ~ or s"),
    (r"[A-Za-z][0-9+]+!?(?:$|[:;])", "markers are 2 to 12 without 7, or 0 for land without a marker"),
    ("", "examples of words are o10, W:2, ~ and ~3SE"),
)
"""Patterns of invalid words with the reason, the most specific first."""
_EDGES = ("E", "SE", "SW", "W", "NW", "NE")
"""Edges of a hexagon. Edge i joins vertices i and i + 1, clockwise from the upper right."""
_VERTICES = ("NE", "SE", "S", "SW", "NW", "N")
"""Vertices of a hexagon, clockwise from the upper right."""
KEYS = (
    "title", "source", "remarks", "game", "sideways", "columns", "harbors", "fishing_grounds", "beginner",
    "spiral_order", "inland", "settle", "rivers", "spinning", "board", "pieces", "markers", "terrains",
    "second_markers", "marker_pips_min", "marker_pips_max", "pips_max", "turned", "target_efficiency",
)  # fmt: skip
"""Keys of a file, in the order of writing."""
_BY_KEY = {entry.key or name: (name, entry) for name, entry in ENTRIES.items() if entry.form != "drawn"}
"""Name and entry of each field with a separate key, by that key."""
_LISTED = {
    "harbors": (
        re.compile(r"([0-9]{1,6}-[0-9]{1,6})=([3bgwol])([!*]?)"),
        "harbor such as '4-5=3' or '6-9=g'",
    ),
    "fishing_grounds": (
        re.compile(r"([0-9]{1,6}-[0-9]{1,6}-[0-9]{1,6})=([0-9]{1,2})()"),
        "fishing ground such as '4-5-0=6'",
    ),
}
"""Pattern and example of the texts in each list of coast pieces."""


class _Hexagon(NamedTuple):
    """Word of the drawing with its centre and its line in the file."""

    point: Point
    line: int
    word: re.Match[str]


class _CoastPiece(NamedTuple):
    """Harbor or fishing ground of a file.

    Attributes:
        vertices: two vertices of a harbor, or three of a fishing ground.
        value: the letter of the trade, or the marker.
        kind: ``!`` for a fixed harbor, ``*`` for a movable harbor, otherwise empty.
    """

    vertices: tuple[int, ...]
    value: str
    kind: str


def read_values(text: str, file: str, ending: str) -> dict[str, Any]:
    """Return the fields of the layout in the text of a file, except its name.

    Args:
        text: the text of the file.
        file: the name of the file in messages.
        ending: the end of the notation of the layout's boards.

    Raises:
        InvalidBoard: the text does not describe a layout. The message has the line and reason.
    """
    return _Reader(text, file).values(ending)


class _Reader:
    """Parser of one layout file, whose errors name the line."""

    def __init__(self, text: str, file: str) -> None:
        self.lines, self.file = text.splitlines(), file
        if len(text) > LARGEST_FILE:  # a store may hold a longer one
            raise InvalidBoard(f"{file} must have at most {LARGEST_FILE:,} characters, not {len(text):,}")
        try:
            self.content = parse_toml(text)
        except ValueError as error:  # not TOML, or a number of too many digits
            raise InvalidBoard(f"{file} is not TOML: {error}") from None
        for key in self.content:
            if key not in KEYS:
                self.fail(key, f"unknown key {show(key)}; keys are {listed(KEYS)}")
        if "board" not in self.content:
            raise InvalidBoard(f"{file} has no drawing; add the key board = '''...'''")
        try:
            further = read_further_terrains(self.table("terrains"))
        except InvalidBoard as error:
            self.fail("terrains", str(error))
        self.letters = LETTER_TERRAIN | {letter: terrain for terrain, letter in further.items()}
        self.unnumbered = UNNUMBERED.union(further)
        self.hexagons = self.drawing()
        self.tiles = [hexagon for hexagon in self.hexagons if hexagon.word["letter"] != "~"]
        if not self.tiles:
            self.fail(
                "board", "the board has no tile; draw at least one hexagon that is not sea of the frame"
            )

    def values(self, ending: str) -> dict[str, Any]:
        """Return the value of each field in the file."""
        values = {
            name: self.content[key] if entry.form == "value" else self.table(key, entry.form)
            for key, (name, entry) in _BY_KEY.items()
            if key in self.content
        }
        terrain, markers = [*map(self.terrain, self.tiles)], [*map(self.marker, self.tiles)]
        values |= self.pieces(terrain, markers)
        second = values.setdefault("second_marker", {})
        second |= {
            marker: int(tile.word["second"])
            for marker, tile in zip(markers, self.tiles, strict=True)
            if marker and tile.word["second"]
        }
        shape = HexGeometry()
        shape.tiles = values["tiles"] = tuple(tile.point for tile in self.tiles)
        values["rows"] = ()
        values["sea_frame"] = tuple(h.point for h in self.hexagons if h.word["letter"] == "~")
        pieces = [*self.drawn_coasts(shape), *self.listed_coasts()]
        harbors = [piece for piece in pieces if len(piece.vertices) == 2]
        values["printed_harbors"] = [Harbor((a, b), LETTER_TRADE[trade]) for (a, b), trade, _ in harbors]
        values["fixed_harbors"] = [edge for edge, _, kind in harbors if kind == "!"]
        values["movable_harbors"] = [edge for edge, _, kind in harbors if kind == "*"]
        values["fishing_grounds"] = [
            FishingGround((three[0], three[1], three[2]), int(marker))
            for three, marker, _ in pieces
            if len(three) == 3
        ]
        beginner = self.content.get("beginner")
        if beginner is None and self.is_whole(terrain, markers):
            letter = {name: key for key, name in self.letters.items()}
            cells = [tile_word(letter[name], m, second) for name, m in zip(terrain, markers, strict=True)]
            beginner = "/".join("".join(cells[t] for t in row) for row in shape.row_tiles) + ending
        return values | {"beginner_board": beginner or ""}

    # The drawing

    def drawing(self) -> list[_Hexagon]:
        """Return the hexagons of the drawing in reading order."""
        text, columns = self.content["board"], whole_number(self.content.get("columns", 2))
        if not isinstance(text, str):
            self.fail("board", "board must be a drawing in text between triple quotes")
        if columns is None or not 1 <= columns <= 9:
            value = show(self.content["columns"])
            self.fail("columns", f"columns must be a number from 1 to 9, not {value}")
        line = self.line_of("board")
        starts_below_key = re.search(r"(\"\"\"|''')\s*$", self.lines[line - 1])
        hexagons: list[_Hexagon] = []
        for row, row_text in enumerate(text.splitlines()):
            number = line + row + bool(starts_below_key)
            if "\t" in row_text:
                self.stop(number, "the drawing has a tab; use spaces, which every editor shows alike")
            for word in re.finditer(r"\S+", row_text):
                quoted, column = show(word[0]), word.start() + 1
                match = _WORD.fullmatch(word[0])
                if match is None:
                    reason = next(reason for form, reason in _REASONS if re.match(form, word[0]))
                    self.stop(number, f"{quoted} is not a hexagon: {reason}")
                x, rest = divmod(word.start(), columns)
                if rest:
                    self.stop(
                        number,
                        f"{quoted} starts at column {column}, but half a hexagon is {columns} columns wide; "
                        f"start it at column {x * columns + 1} or {(x + 1) * columns + 1}",
                    )
                hexagon = _Hexagon((x, 3 * row), number, match)
                if hexagons and (x + row - hexagons[0].point[0] - hexagons[0].point[1] // 3) % 2:
                    self.stop(
                        number, f"{quoted} at column {column} is not between the hexagons of the next row"
                    )
                letter = match["letter"]
                if letter not in ("~", OPEN) and letter.lower() not in self.letters:
                    known = listed(f"{key} {name}" for key, name in self.letters.items())
                    self.stop(number, f"unknown letter {letter!r} in {quoted}; letters are {known}")
                hexagons.append(hexagon)
        return hexagons

    def marker(self, tile: _Hexagon) -> int | None:
        """Return the marker drawn on a tile, if any."""
        if tile.word["marker"] and (name := self.terrain(tile)) in self.unnumbered:
            self.stop(tile.line, f"{show(tile.word[0])}: {name} carries no marker")
        return int(tile.word["marker"]) if tile.word["marker"] else None

    def terrain(self, tile: _Hexagon) -> str:
        """Return the terrain drawn on a tile, or an empty text for an open tile."""
        return "" if tile.word["letter"] == OPEN else self.letters[tile.word["letter"].lower()]

    def is_whole(self, terrain: Sequence[str], markers: Sequence[int | None]) -> bool:
        """Return True if no tile is open and all or none of the land tiles have a marker."""
        needed = [
            marker
            for name, marker, tile in zip(terrain, markers, self.tiles, strict=True)
            if name not in self.unnumbered and not tile.word["bare"]
        ]
        return "" not in terrain and (None not in needed or not any(needed))

    # Pieces

    def pieces(self, terrain: list[str], markers: list[int | None]) -> dict[str, Any]:
        """Return the fields for fixed pieces, groups, and numbers of pieces."""
        groups = [int(tile.word["group"] or 0) for tile in self.tiles]
        marker_groups = [
            int(tile.word["marker_group"] or group) for tile, group in zip(self.tiles, groups, strict=True)
        ]
        fixed = {t: terrain[t] for t, tile in enumerate(self.tiles) if tile.word["letter"].isupper()}
        pinned = {t: m for t, m in enumerate(markers) if m and self.tiles[t].word["pinned"]}
        pieces = self.group_pieces("pieces", groups, terrain, fixed)
        free_tiles = Counter(group for t, group in enumerate(groups) if t not in fixed)
        for group, counts in pieces.items():
            if (n := sum(counts.values())) != free_tiles[group]:
                self.fail(
                    "pieces",
                    f"group {group} must have one piece per open tile, {free_tiles[group]} in all, not {n}",
                )
        supplies = {
            group: {self.number("markers", str(m)): n for m, n in supply.items()}
            for group, supply in self.group_pieces("markers", marker_groups, markers, pinned).items()
        }
        return {
            "terrain_counts": dict(sum(map(Counter, pieces.values()), Counter(fixed.values()))),
            "marker_supply": dict(sum(map(Counter, supplies.values()), Counter(pinned.values()))),
            "fixed_terrain": fixed,
            "fixed_markers": pinned,
            "unmarked": frozenset(t for t, tile in enumerate(self.tiles) if tile.word["bare"]),
            "terrain_group": tuple(groups),
            "marker_group": tuple(marker_groups),
            "group_terrain": {g: p for g, p in pieces.items() if g and p},
            "group_markers": {g: p for g, p in supplies.items() if g and p},
        }

    def group_pieces(
        self, key: str, groups: Sequence[int], drawn: Sequence[Any], fixed: Mapping[int, Any]
    ) -> dict[int, dict[Any, int]]:
        """Return the pieces of each group from the table *key*, or else from the drawing."""
        table = self.table(key)
        by_group: dict[int, dict[Any, int]] = {
            self.number(key, word): inner for word, inner in table.items() if isinstance(inner, dict)
        }
        if main := {word: n for word, n in table.items() if not isinstance(n, dict)}:
            by_group[0] = by_group.get(0, {}) | main
        for group, inner in by_group.items():
            for word, n in inner.items():
                if whole_number(n) is None or n < 0:
                    self.fail(key, f"{word} of group {group} must be a whole number from 0, not {show(n)}")
        for group in sorted({*groups} - {*by_group}):
            pieces = [drawn[t] for t, g in enumerate(groups) if g == group and t not in fixed]
            if "" in pieces:
                self.fail("board", f"group {group} has open tiles (x); list its pieces under [{key}]")
            by_group[group] = Counter(piece for piece in pieces if piece)
        return by_group

    # Coasts

    def drawn_coasts(self, shape: HexGeometry) -> Iterator[_CoastPiece]:
        """Yield the pieces drawn on hexagons of sea."""
        for hexagon in self.hexagons:
            word = hexagon.word
            if value := word["trade"] or word["fish"]:
                vertices = _facing(shape, hexagon.point)[word["side"] or f"f{word['corner']}"]
                if -1 in vertices:
                    self.stop(hexagon.line, f"{show(word[0])}: not all of its vertices touch a tile")
                yield _CoastPiece(vertices, value, word["kind"] or "")

    def listed_coasts(self) -> Iterator[_CoastPiece]:
        """Yield the pieces listed by their vertices."""
        for key, (form, example) in _LISTED.items():
            texts = self.content.get(key, [])
            if not isinstance(texts, list):
                self.fail(key, f"{key} must be a list of texts")
            for text in texts:
                match = form.fullmatch(text) if isinstance(text, str) else None
                if match is None:
                    self.fail(key, f"{show(text)} is not a {example}")
                yield _CoastPiece(tuple(map(int, match[1].split("-"))), match[2], match[3])

    # Tables

    def table(self, key: str, form: str = "names") -> dict[Any, Any]:
        table = self.content.get(key, {})
        if not isinstance(table, dict):
            self.fail(key, f"{key} must be a table, [{key}] with a line for each entry")
        return table if form == "names" else {self.number(key, word): n for word, n in table.items()}

    def number(self, key: str, word: str) -> int:
        if not re.fullmatch(r"[0-9]{1,4}", word):
            self.fail(key, f"{key} has the entry {show(word)}, which is not a number")
        return int(word)

    # Errors

    def line_of(self, key: str) -> int:
        """Return the line of a key in the file, from 1."""
        pattern = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*(=|\.|\])")
        return next((n for n, line in enumerate(self.lines, start=1) if pattern.match(line)), 1)

    def fail(self, key: str, reason: str) -> NoReturn:
        self.stop(self.line_of(key), reason)

    def stop(self, line: int, reason: str) -> NoReturn:
        raise InvalidBoard(f"{self.file}, line {line}: {reason}")


def _facing(shape: HexGeometry, centre: Point) -> dict[str, tuple[int, ...]]:
    """Return the vertices of each piece that a hexagon of sea may have, -1 if not on a tile.

    The key of a harbor is the edge that it faces, such as ``SE``. The key of a fishing ground is an f and its
    middle vertex, such as ``fN``.
    """
    vertices = shape.hexagon_vertices(centre)
    threes = [(vertices[i - 1], vertices[i], vertices[(i + 1) % 6]) for i in range(6)]
    harbors = {edge: ordered((a, b)) for edge, (_, a, b) in zip(_EDGES, threes, strict=True)}
    return harbors | {f"f{vertex}": three for vertex, three in zip(_VERTICES, threes, strict=True)}


def layout_text(layout: LayoutFields) -> str:
    """Return a layout as the text of a file: a drawing of the fixed pieces, and lists."""
    tables: dict[str, Any] = {
        key: value for key, (name, _) in _BY_KEY.items() if (value := getattr(layout, name))
    }
    kinds = dict.fromkeys(layout.movable_harbors, "*") | dict.fromkeys(layout.fixed_harbors, "!")
    tables["harbors"] = [
        f"{'-'.join(map(str, h.vertices))}={TRADE_LETTER[h.trade]}{kinds.get(h.vertices, '')}"
        for h in layout.printed_harbors
    ]
    tables["fishing_grounds"] = [
        f"{'-'.join(map(str, g.vertices))}={g.marker}" for g in layout.fishing_grounds
    ]
    for key, pools in (("pieces", layout.terrain_pools), ("markers", layout.marker_pools)):
        for pool in pools:
            if pool.pieces:
                # In [markers] a key 2 could be a marker or a group, so several groups all get a number.
                numbered = pool.number > 0 or (key == "markers" and len(pools) > 1)
                tables[f"{key}.{pool.number}" if numbered else key] = dict(pool.pieces)
    words = _drawing_words(layout)
    values = {key: value for key, value in tables.items() if value}
    values |= {"columns": max(map(len, words.values())) // 2 + 1, "beginner": layout.beginner_board}
    lines: list[str] = []
    for key in sorted({*values, "board"}, key=lambda key: KEYS.index(key.partition(".")[0])):
        if key == "board":
            lines += ["board = '''", *_drawing(words, values["columns"]), "'''"]
        elif isinstance(values[key], Mapping):
            lines += ["", f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in values[key].items())]
        else:
            lines.append(f"{key} = {_toml(values[key])}")
    return "\n".join(lines) + "\n"


def _drawing_words(layout: LayoutFields) -> dict[Point, str]:
    """Return the word of each hexagon: its fixed pieces and its groups."""
    words = dict.fromkeys(layout.sea_frame, "~")
    for t, centre in enumerate(layout.tiles):
        letter = layout.letter_of[layout.fixed_terrain[t]].upper() if t in layout.fixed_terrain else OPEN
        word = tile_word(letter, layout.fixed_markers.get(t), {}) + "!" * (t in layout.fixed_markers)
        word += "0" * (t in layout.unmarked)
        group, marker_group = layout.tile_groups[t], layout.marker_groups[t]
        words[centre] = word + f":{group}" * (group > 0) + f";{marker_group}" * (marker_group != group)
    return words


def _drawing(words: Mapping[Point, str], columns: int) -> Iterator[str]:
    """Yield the lines of a drawing in which half a hexagon takes *columns* columns."""
    first_x, ys = min(x for x, _ in words), [y for _, y in words]
    for row in range(min(ys), max(ys) + 1, 3):
        line = ""
        for x, y in sorted(centre for centre in words if centre[1] == row):
            line = line.ljust((x - first_x) * columns) + words[x, y]
        yield line


def _toml(value: Any) -> str:
    return json.dumps(sorted(value) if isinstance(value, frozenset) else value, ensure_ascii=False)
