"""The files of layouts: read and written. ``docs/layouts.md`` says what each word of the drawing means."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from catan_cp.boards.details import ENTRIES, Said
from catan_cp.boards.geometry import Geometry, Point, ordered
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    LETTER_TRADE,
    TRADE_LETTER,
    UNNUMBERED,
    FishingGround,
    Harbor,
    read_further_terrains,
)
from catan_cp.errors import InvalidBoard, listed, show, whole_number
from catan_cp.files import parse_toml

LARGEST_FILE = 65_536
"""The maximum number of bytes of a layout file, and of characters of a stored one."""

_MARKER = "[2-689]|1[0-2]"
_WORD = re.compile(
    r"(?!~.*[:;])(?P<letter>[~A-Za-z])"
    rf"(?:(?<!~)(?:(?P<bare>0)|(?P<marker>{_MARKER})(?:\+(?P<second>{_MARKER}))?(?P<pinned>!)?)"
    r"|(?<=[~sSx])(?P<trade>[3bgwol])(?P<side>NE|E|SE|SW|W|NW)(?P<kind>[!*])?"
    rf"|(?<=[~sSx])f(?P<fish>{_MARKER})(?P<corner>NE|N|SE|SW|S|NW))?"
    r"(?::(?P<group>[0-9]{1,2}))?(?:;(?P<marker_group>[0-9]{1,2}))?"
)
_REASONS = (
    (r"~(?:[0-9]+!?$|.*[:;])", "sea of the frame has no marker and is in no group"),
    (
        r"[~sSx].*[A-Z]",
        "a harbor trades 3, b, g, w, o or l and faces NE, E, SE, SW, W or NW (~3SE); fish have a marker and "
        "a corner N, NE, SE, S, SW or NW (~f6N)",
    ),
    (r"[A-Za-z].*[A-Z]", "harbors and fishing grounds lie on sea, ~ or s"),
    (r"[A-Za-z][0-9+]+!?(?:$|[:;])", "markers are 2 to 12 without 7, and 0 alone for land that has none"),
    ("", "words are such as o10, W:2, ~ or ~3SE"),
)
"""Why a word is no hexagon, the first that fits."""
_SIDES = ("E", "SE", "SW", "W", "NW", "NE")
"""The sides of a hexagon: side i lies between corners i and i + 1, clockwise from the upper right."""
_CORNERS = ("NE", "SE", "S", "SW", "NW", "N")
KEYS = (
    "title", "source", "remarks", "sideways", "columns", "harbors", "fishing_grounds", "beginner",
    "spiral_order", "inland", "settle", "rivers", "spinning", "board", "pieces", "markers", "terrains",
    "second_markers", "marker_pips_min", "marker_pips_max", "pips_max", "turned", "target_efficiency",
)  # fmt: skip
"""The keys of a file, in the order in which they are written."""
_BY_KEY = {entry.key or name: (name, entry) for name, entry in ENTRIES.items() if entry.form != "drawn"}
"""The fields that stand under a key of their own."""
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
"""What lies along the coast as lists tell it, and an example of each."""


class _Hexagon(NamedTuple):
    """One word of the drawing."""

    point: Point
    line: int
    word: re.Match[str]


Laid = tuple[tuple[int, ...], str, str]
"""Two vertices of a harbor or three of a fishing ground, its trade's letter or marker, and ``!`` or ``*``."""


def read_values(text: str, file: str, ending: str) -> dict[str, Any]:
    """Return the fields of the layout in the text of a file, except its name.

    Args:
        text: the text of the file.
        file: the name of the file in messages.
        ending: the end of the notation of the layout's boards.

    Raises:
        InvalidBoard: the text does not describe a layout; the message has the line and the reason.
    """
    return _Reader(text, file).values(ending)


class _Reader:
    """The text of one file, and what it says; its methods fail with the line at fault."""

    def __init__(self, text: str, file: str) -> None:
        self.lines, self.file = text.splitlines(), file
        if len(text) > LARGEST_FILE:  # a store may hold a longer one
            raise InvalidBoard(f"{file} must have at most {LARGEST_FILE:,} characters, not {len(text):,}")
        try:
            self.said = parse_toml(text)
        except ValueError as error:  # not TOML, or a number of too many digits
            raise InvalidBoard(f"{file} is not TOML: {error}") from None
        for key in self.said:
            if key not in KEYS:
                self.fail(key, f"unknown key {show(key)}; keys are {listed(KEYS)}")
        if "board" not in self.said:
            raise InvalidBoard(f"{file} draws no board: board = '''...''' is missing")
        try:
            further = read_further_terrains(self.table("terrains"))
        except InvalidBoard as error:
            self.fail("terrains", str(error))
        self.letters = LETTER_TERRAIN | {letter: terrain for terrain, letter in further.items()}
        self.bare = UNNUMBERED.union(further)
        self.hexagons = self.drawing()
        self.tiles = [each for each in self.hexagons if each.word["letter"] != "~"]
        if not self.tiles:
            self.fail("board", "no hexagon of the board is a tile: all are sea of the frame, or it is empty")

    def values(self, ending: str) -> dict[str, Any]:
        """What the file says of each field."""
        values = {
            name: self.said[key] if entry.form == "value" else self.table(key, entry.form)
            for key, (name, entry) in _BY_KEY.items()
            if key in self.said
        }
        terrain, markers = [self.terrain(each) for each in self.tiles], [*map(self.marker, self.tiles)]
        values |= self.pieces(terrain, markers)
        second = values.setdefault("second_marker", {})
        second |= {
            m: int(e.word["second"])
            for m, e in zip(markers, self.tiles, strict=True)
            if m and e.word["second"]
        }
        shape = Geometry()
        shape.tiles = values["tiles"] = tuple(each.point for each in self.tiles)
        values["rows"] = ()
        values["sea_frame"] = tuple(each.point for each in self.hexagons if each.word["letter"] == "~")
        laid = [*self.drawn_coasts(shape), *self.listed_coasts()]
        harbors = [each for each in laid if len(each[0]) == 2]
        values["printed_harbors"] = [Harbor((a, b), LETTER_TRADE[trade]) for (a, b), trade, _ in harbors]
        values["fixed_harbors"] = [edge for edge, _, kind in harbors if kind == "!"]
        values["movable_harbors"] = [edge for edge, _, kind in harbors if kind == "*"]
        values["fishing_grounds"] = [
            FishingGround((three[0], three[1], three[2]), int(marker))
            for three, marker, _ in laid
            if len(three) == 3
        ]
        beginner = self.said.get("beginner")
        if beginner is None and self.is_whole(terrain, markers):
            letter = {name: key for key, name in self.letters.items()}
            cells = [
                letter[name] + str(marker or "") + (f"+{second[marker]}" if marker in second else "")
                for name, marker in zip(terrain, markers, strict=True)
            ]
            beginner = "/".join("".join(cells[t] for t in row) for row in shape.row_tiles) + ending
        return values | {"beginner_board": beginner or ""}

    # The drawing

    def drawing(self) -> list[_Hexagon]:
        """The hexagons of the drawing, in reading order."""
        text, columns = self.said["board"], whole_number(self.said.get("columns", 2))
        if not isinstance(text, str):
            self.fail("board", "the board is drawn in text between triple quotes")
        if columns is None or not 1 <= columns <= 9:
            self.fail("columns", f"columns is a number from 1 to 9, not {show(self.said['columns'])}")
        line = self.line_of("board")
        opens_alone = re.search(
            r"(\"\"\"|''')\s*$", self.lines[line - 1]
        )  # it starts on the line after its key
        found: list[_Hexagon] = []
        for row, drawn in enumerate(text.splitlines()):
            number = line + row + bool(opens_alone)
            if "\t" in drawn:
                self.stop(number, "the drawing has a tab; use spaces, so that all see the same picture")
            for word in re.finditer(r"\S+", drawn):
                said, at = show(word[0]), word.start() + 1
                match = _WORD.fullmatch(word[0])
                if match is None:
                    why = next(reason for form, reason in _REASONS if re.match(form, word[0]))
                    self.stop(number, f"{said} is no hexagon: {why}")
                x, rest = divmod(word.start(), columns)
                if rest:
                    self.stop(
                        number,
                        f"{said} starts at column {at}, but half a hexagon is {columns} columns wide; it "
                        f"belongs at column {x * columns + 1} or {(x + 1) * columns + 1}",
                    )
                each = _Hexagon((x, 3 * row), number, match)
                if found and (x + row - found[0].point[0] - found[0].point[1] // 3) % 2:
                    self.stop(number, f"{said} at column {at} does not lie between those of the next row")
                if each.word["letter"] not in ("~", "x") and each.word["letter"].lower() not in self.letters:
                    known = listed(f"{key} {name}" for key, name in self.letters.items())
                    self.stop(
                        number, f"unknown letter {each.word['letter']!r} in {said}; letters are {known}"
                    )
                found.append(each)
        return found

    def marker(self, each: _Hexagon) -> int | None:
        """The marker drawn on a tile, if any."""
        if each.word["marker"] and (name := self.terrain(each)) in self.bare:
            self.stop(each.line, f"{show(each.word[0])}: {name} carries no marker")
        return int(each.word["marker"]) if each.word["marker"] else None

    def terrain(self, each: _Hexagon) -> str:
        """The terrain drawn on a tile; empty where it is open."""
        return "" if each.word["letter"] == "x" else self.letters[each.word["letter"].lower()]

    def is_whole(self, terrain: Sequence[str], markers: Sequence[int | None]) -> bool:
        """Whether the drawing has no open tile, and a marker on all tiles that need one or on none."""
        needed = [
            marker
            for name, marker, each in zip(terrain, markers, self.tiles, strict=True)
            if name not in self.bare and not each.word["bare"]
        ]
        return "" not in terrain and (None not in needed or not any(needed))

    # Pieces

    def pieces(self, terrain: list[str], markers: list[int | None]) -> dict[str, Any]:
        """What is fixed, what is in which group, and how much there is of each."""
        groups = [int(each.word["group"] or 0) for each in self.tiles]
        marker_groups = [
            int(each.word["marker_group"] or group) for each, group in zip(self.tiles, groups, strict=True)
        ]
        fixed = {t: terrain[t] for t, each in enumerate(self.tiles) if each.word["letter"].isupper()}
        pinned = {t: m for t, m in enumerate(markers) if m and self.tiles[t].word["pinned"]}
        pieces = self.dealt("pieces", groups, terrain, fixed)
        room = Counter(group for t, group in enumerate(groups) if t not in fixed)
        for group, counts in pieces.items():
            if (n := sum(counts.values())) != room[group]:
                self.fail("pieces", f"group {group} has {room[group]} tiles to fill, but {n} pieces")
        supplies = {
            group: {self.number("markers", str(m)): n for m, n in supply.items()}
            for group, supply in self.dealt("markers", marker_groups, markers, pinned).items()
        }
        return {
            "terrain_counts": dict(sum(map(Counter, pieces.values()), Counter(fixed.values()))),
            "marker_supply": dict(sum(map(Counter, supplies.values()), Counter(pinned.values()))),
            "fixed_terrain": fixed,
            "fixed_markers": pinned,
            "unmarked": frozenset(t for t, each in enumerate(self.tiles) if each.word["bare"]),
            "terrain_group": tuple(groups),
            "marker_group": tuple(marker_groups),
            "group_terrain": {g: p for g, p in pieces.items() if g and p},
            "group_markers": {g: p for g, p in supplies.items() if g and p},
        }

    def dealt(
        self, key: str, groups: Sequence[int], drawn: Sequence[Any], fixed: Mapping[int, Any]
    ) -> dict[int, dict[Any, int]]:
        """The pieces of each group, fixed ones not counted: those drawn, or those in the table *key*."""
        table = self.table(key)
        found: dict[int, dict[Any, int]] = {
            self.number(key, word): inner for word, inner in table.items() if isinstance(inner, dict)
        }
        if main := {word: n for word, n in table.items() if not isinstance(n, dict)}:
            found[0] = found.get(0, {}) | main
        for group, inner in found.items():
            for word, n in inner.items():
                if whole_number(n) is None or n < 0:
                    self.fail(key, f"{word} of group {group} is a whole number from 0, not {show(n)}")
        for group in sorted({*groups} - {*found}):
            here = [drawn[t] for t, g in enumerate(groups) if g == group and t not in fixed]
            if "" in here:
                self.fail("board", f"group {group} has open tiles (x), so its pieces stand under [{key}]")
            found[group] = Counter(piece for piece in here if piece)
        return found

    # Coasts

    def drawn_coasts(self, shape: Geometry) -> Iterator[Laid]:
        """Yield what is drawn on hexagons of sea."""
        for each in self.hexagons:
            word = each.word
            if said := word["trade"] or word["fish"]:
                vertices = _facing(shape, each.point)[word["side"] or f"f{word['corner']}"]
                if -1 in vertices:
                    self.stop(each.line, f"{show(word[0])}: not all of its corners touch a tile")
                yield vertices, said, word["kind"] or ""

    def listed_coasts(self) -> Iterator[Laid]:
        """Yield what is listed by its vertices."""
        for key, (form, such_as) in _LISTED.items():
            texts = self.said.get(key, [])
            if not isinstance(texts, list):
                self.fail(key, f"{key} is a list of texts")
            for text in texts:
                match = form.fullmatch(text) if isinstance(text, str) else None
                if match is None:
                    self.fail(key, f"{show(text)} is no {such_as}")
                yield tuple(map(int, match[1].split("-"))), match[2], match[3]

    # Tables

    def table(self, key: str, form: str = "names") -> dict[Any, Any]:
        found = self.said.get(key, {})
        if not isinstance(found, dict):
            self.fail(key, f"{key} is a table, [{key}] with a line for each entry")
        return found if form == "names" else {self.number(key, word): n for word, n in found.items()}

    def number(self, key: str, word: str) -> int:
        if not re.fullmatch(r"[0-9]{1,4}", word):
            self.fail(key, f"{key} has the entry {show(word)}, which is no number")
        return int(word)

    # Failing

    def line_of(self, key: str) -> int:
        """The line, from 1, on which a key of the file stands."""
        pattern = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*(=|\.|\])")
        return next((n for n, line in enumerate(self.lines, start=1) if pattern.match(line)), 1)

    def fail(self, key: str, reason: str) -> NoReturn:
        self.stop(self.line_of(key), reason)

    def stop(self, line: int, reason: str) -> NoReturn:
        raise InvalidBoard(f"{self.file}, line {line}: {reason}")


def _facing(shape: Geometry, centre: Point) -> dict[str, tuple[int, ...]]:
    """The vertices of all that can be drawn on a hexagon of sea; -1 where no tile has one.

    A harbor's go by the side that it faces, a fishing ground's by the corner, with an f before it.
    """
    here = shape.hexagon_vertices(centre)
    around = [(here[i - 1], here[i], here[(i + 1) % 6]) for i in range(6)]
    harbors = {side: ordered((a, b)) for side, (_, a, b) in zip(_SIDES, around, strict=True)}
    return harbors | {f"f{corner}": three for corner, three in zip(_CORNERS, around, strict=True)}


def layout_text(layout: Said) -> str:
    """Return the text of a file that describes a layout: a drawing of the fixed pieces, and lists."""
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
                named = pool.number > 0 or (key == "markers" and len(pools) > 1)  # 2 is a marker, and a group
                tables[f"{key}.{pool.number}" if named else key] = dict(pool.pieces)
    words = _words(layout)
    said = {key: value for key, value in tables.items() if value}
    said |= {"columns": max(map(len, words.values())) // 2 + 1, "beginner": layout.beginner_board}
    lines: list[str] = []
    for key in sorted({*said, "board"}, key=lambda key: KEYS.index(key.partition(".")[0])):
        if key == "board":
            lines += ["board = '''", *_drawing(words, said["columns"]), "'''"]
        elif isinstance(said[key], Mapping):
            lines += ["", f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in said[key].items())]
        else:
            lines.append(f"{key} = {_toml(said[key])}")
    return "\n".join(lines) + "\n"


def _words(layout: Said) -> dict[Point, str]:
    """Return the word of each hexagon: its fixed pieces and its groups."""
    letter = {name: key for key, name in layout.letters.items()}
    words = dict.fromkeys(layout.sea_frame, "~")
    for t, centre in enumerate(layout.tiles):
        word = letter[layout.fixed_terrain[t]].upper() if t in layout.fixed_terrain else "x"
        word += "0" * (t in layout.unmarked)
        if t in layout.fixed_markers:
            word += f"{layout.fixed_markers[t]}!"
        group, marker_group = layout.tile_groups[t], layout.marker_groups[t]
        words[centre] = word + f":{group}" * (group > 0) + f";{marker_group}" * (marker_group != group)
    return words


def _drawing(words: Mapping[Point, str], columns: int) -> Iterator[str]:
    """Yield the lines of a drawing in which half a hexagon is so many columns wide."""
    left, ys = min(x for x, _ in words), [y for _, y in words]
    for row in range(min(ys), max(ys) + 1, 3):
        line = ""
        for x, y in sorted(centre for centre in words if centre[1] == row):
            line = line.ljust((x - left) * columns) + words[x, y]
        yield line


def _toml(value: Any) -> str:
    return json.dumps(sorted(value) if isinstance(value, frozenset) else value, ensure_ascii=False)
