"""Read and write layouts as TOML files, in which the board is drawn with letters.

A drawing has one line a row of hexagons. A hexagon stands where its first character does, in steps of
``columns`` characters to half a hexagon's width. What a hexagon's word means:

- ``~``: sea of the frame, which never moves and is no tile; any other word is a tile;
- a letter of the notation: a terrain, in capitals where it is fixed; ``x``: any piece of the group;
- a number behind it: its marker, with ``!`` where the marker is fixed, ``0`` for land that never has one, and
  ``2+12`` where a second marker lies beside;
- ``:2`` behind it: the group within which its terrain is shuffled; ``;3``: the same for its marker;
- sea (``~`` or ``s``) followed by a trade (``3`` or a letter) and a direction (``NE E SE SW W NW``): a harbor
  facing that way, with ``!`` where its trade is fixed and ``*`` where it may stand elsewhere;
- sea followed by ``f``, a marker and a corner (``N NE SE S SW NW``): a fishing ground round that corner, with
  ``*`` where it may lie elsewhere.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NoReturn

from catan_cp.boards.details import ENTRIES, Said
from catan_cp.boards.geometry import CORNERS, Geometry, Point
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

_WORD = re.compile(
    r"(?P<letter>[~A-Za-z])"
    r"(?:(?P<marker>[0-9]{1,2})(?:\+(?P<second>[0-9]{1,2}))?(?P<pinned>!)?"
    r"|(?P<trade>[3a-z])(?P<side>NE|E|SE|SW|W|NW)(?P<kind>[!*])?"
    r"|f(?P<fish>[0-9]{1,2})(?P<corner>NE|N|SE|SW|S|NW)(?P<free>\*)?)?"
    r"(?::(?P<group>[0-9]{1,2}))?(?:;(?P<marker_group>[0-9]{1,2}))?"
)
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
_LISTED_HARBOR = re.compile(r"([0-9]{1,6})-([0-9]{1,6})=([3bgwol])([!*])?")
_LISTED_GROUND = re.compile(r"([0-9]{1,6})-([0-9]{1,6})-([0-9]{1,6})=([0-9]{1,2})(\*)?")


@dataclass(frozen=True)
class _Hexagon:
    """One word of the drawing."""

    point: Point
    line: int
    text: str
    parts: Mapping[str, str | None]

    @property
    def is_tile(self) -> bool:
        return self.parts["letter"] != "~"


Drawn = tuple[Sequence[str], Sequence[int | None]]
"""The terrain and the marker of each tile of a printed arrangement."""


# Reading


def read_values(text: str, file: str, ending: str) -> dict[str, Any]:
    """Return what the text of a file says of each field of a layout but its name, not yet checked.

    Args:
        text: what the file says.
        file: how messages call the file.
        ending: what the notation of the layout's boards ends with.

    Raises:
        InvalidBoard: the text is no such file; the message has the line and the reason.
    """
    return _Reader(text, file).values(ending)


class _Reader:
    """The text of one file, and what it says; its methods fail with the line at fault."""

    def __init__(self, text: str, file: str) -> None:
        self.lines, self.file = text.splitlines(), file
        try:
            self.said = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidBoard(f"{file} is not TOML: {error}") from None
        except RecursionError:
            raise InvalidBoard(f"{file} is nested too deeply") from None
        for key in self.said:
            if key not in KEYS:
                self.fail(key, f"unknown key {show(key)}; keys are {listed(KEYS)}")
        if "board" not in self.said:
            raise InvalidBoard(f"{file} draws no board: board = '''...''' is missing")
        self.letters = dict(LETTER_TERRAIN)
        try:
            self.further = read_further_terrains(self.table("terrains"))
        except InvalidBoard as error:
            self.fail("terrains", str(error))
        self.letters.update({letter: terrain for terrain, letter in self.further.items()})
        self.hexagons = self.drawing()
        self.tiles = [each for each in self.hexagons if each.is_tile]
        if not self.tiles:
            self.fail("board", "no hexagon of the board is a tile: all are sea of the frame")

    def values(self, ending: str) -> dict[str, Any]:
        """What the file says of each field."""
        values = {
            name: self.said[key] if entry.form == "value" else self.table(key, entry.form)
            for key, (name, entry) in _BY_KEY.items()
            if key in self.said
        }
        terrain, markers = [self.terrain(each) for each in self.tiles], [*map(self.marker, self.tiles)]
        values |= self.pieces(terrain, markers)
        values.setdefault("second_marker", {}).update(
            (marker, int(each.parts["second"]))
            for marker, each in zip(markers, self.tiles, strict=True)
            if marker and each.parts["second"]
        )
        shape = Geometry()
        shape.tiles = values["tiles"] = tuple(each.point for each in self.tiles)
        values["rows"] = ()
        values["sea_frame"] = tuple(each.point for each in self.hexagons if not each.is_tile)
        places = {point: v for v, point in enumerate(shape.vertices)}
        harbors = self.harbors(places)
        values["printed_harbors"] = [harbor for harbor, _ in harbors]
        values["fixed_harbors"] = [harbor.vertices for harbor, kind in harbors if kind == "!"]
        values["movable_harbors"] = [harbor.vertices for harbor, kind in harbors if kind == "*"]
        values["fishing_grounds"] = self.fishing_grounds(places)
        beginner = self.said.get("beginner")
        if beginner is None and self.is_whole(terrain, markers):
            beginner = self.notation(shape, (terrain, markers), values["second_marker"]) + ending
        return values | {"beginner_board": beginner or ""}

    # The drawing

    def drawing(self) -> list[_Hexagon]:
        """The hexagons of the drawing, in reading order."""
        text, columns = self.said["board"], whole_number(self.said.get("columns", 2))
        if not isinstance(text, str):
            self.fail("board", "the board is drawn in text between triple quotes")
        if columns is None or not 1 <= columns <= 9:
            self.fail("columns", f"columns is a number from 1 to 9, not {show(self.said['columns'])}")
        first = self.line_of("board") + (1 if self._opens_alone() else 0)
        found: list[_Hexagon] = []
        for row, line in enumerate(text.splitlines()):
            if "\t" in line:
                self.stop(first + row, "the drawing has a tab; use spaces, so that all see the same picture")
            for word in re.finditer(r"\S+", line):
                match = _WORD.fullmatch(word[0])
                if match is None:
                    self.stop(first + row, f"{show(word[0])} is no hexagon, such as o10, w, ~ or ~3SE")
                x, rest = divmod(word.start(), columns)
                if rest:
                    self.stop(
                        first + row,
                        f"{show(word[0])} starts at column {word.start() + 1}, but half a hexagon is "
                        f"{columns} columns wide; it belongs at column {x * columns + 1} "
                        f"or {(x + 1) * columns + 1}",
                    )
                each = _Hexagon((x, 3 * row), first + row, word[0], match.groupdict())
                if found and (x + row - found[0].point[0] - found[0].point[1] // 3) % 2:
                    spot = f"{show(word[0])} at column {word.start() + 1}"
                    self.stop(each.line, f"{spot} does not lie between those of the next row")
                if found and found[-1].line == each.line and x - found[-1].point[0] < 2:
                    self.stop(
                        each.line, f"{show(word[0])} at column {word.start() + 1} lies on the one before it"
                    )
                self.check_word(each)
                found.append(each)
        if not found:
            self.fail("board", "the drawing is empty")
        return found

    def check_word(self, each: _Hexagon) -> None:
        """Stop at a word whose parts do not fit together."""
        letter = str(each.parts["letter"])
        on_coast = each.parts["trade"] or each.parts["fish"]
        if letter not in ("~", "x") and letter.lower() not in self.letters:
            known = listed(f"{key} {name}" for key, name in self.letters.items())
            self.stop(each.line, f"unknown letter {letter!r} in {show(each.text)}; letters are {known}")
        if on_coast and letter not in ("~", "s", "S", "x"):
            self.stop(each.line, f"{show(each.text)}: harbors and fishing grounds lie on sea, ~ or s")
        if letter == "~" and each.text[1:] and not on_coast:
            self.stop(each.line, f"{show(each.text)}: sea of the frame has no marker and no group")
        if letter == "~" and (each.parts["group"] or each.parts["marker_group"]):
            self.stop(each.line, f"{show(each.text)}: sea of the frame is in no group")
        if each.parts["trade"] and each.parts["trade"] not in LETTER_TRADE:
            self.stop(each.line, f"{show(each.text)}: a harbor trades 3, b, g, w, o or l")

    def marker(self, each: _Hexagon) -> int | None:
        """The marker drawn on a tile, if any."""
        digits = each.parts["marker"]
        if digits in (None, "0"):
            return None
        if not 2 <= int(digits) <= 12 or digits == "7" or digits.startswith("0"):
            self.stop(each.line, f"{show(each.text)}: markers are 2 to 12 without 7")
        if (name := self.terrain(each)) in UNNUMBERED or name in self.further:
            self.stop(each.line, f"{show(each.text)}: {name} carries no marker")
        return int(digits)

    def terrain(self, each: _Hexagon) -> str:
        """The terrain drawn on a tile; empty where it is open."""
        letter = str(each.parts["letter"]).lower()
        return "" if letter == "x" else self.letters[letter]

    # Pieces

    def pieces(self, terrain: list[str], markers: list[int | None]) -> dict[str, Any]:
        """What is fixed, what is in which group, and how much there is of each."""
        groups = [int(each.parts["group"] or 0) for each in self.tiles]
        marker_groups = [
            group if each.parts["marker_group"] is None else int(each.parts["marker_group"])
            for each, group in zip(self.tiles, groups, strict=True)
        ]
        fixed = {t: terrain[t] for t, each in enumerate(self.tiles) if str(each.parts["letter"]).isupper()}
        pinned = {t: m for t, m in enumerate(markers) if m and self.tiles[t].parts["pinned"]}
        pieces = self.terrain_pieces(groups, terrain, fixed)
        supplies = self.marker_pieces(marker_groups, markers, pinned)
        return {
            "terrain_counts": dict(sum(map(Counter, pieces.values()), Counter(fixed.values()))),
            "marker_supply": dict(sum(map(Counter, supplies.values()), Counter(pinned.values()))),
            "fixed_terrain": fixed,
            "fixed_markers": pinned,
            "unmarked": frozenset(t for t, each in enumerate(self.tiles) if each.parts["marker"] == "0"),
            "terrain_group": tuple(groups),
            "marker_group": tuple(marker_groups),
            "group_terrain": {g: p for g, p in pieces.items() if g and p},
            "group_markers": {g: p for g, p in supplies.items() if g and p},
        }

    def terrain_pieces(
        self, groups: list[int], terrain: list[str], fixed: Mapping[int, str]
    ) -> dict[int, dict[str, int]]:
        """The terrains of each group, fixed tiles not counted: those drawn, or those under [pieces]."""
        given = self.by_group("pieces")
        found: dict[int, dict[str, int]] = {}
        for group in sorted({*groups, *given}):
            here = [t for t, g in enumerate(groups) if g == group and t not in fixed]
            drawn = Counter(terrain[t] for t in here)
            if group in given:
                table = {str(word): n for word, n in given[group].items()}
                total = sum(n for n in table.values() if isinstance(n, int))
                if total != len(here):
                    self.fail("pieces", f"group {group} has {len(here)} tiles to fill, but {total} pieces")
                found[group] = table
            elif drawn[""]:
                self.fail("board", f"group {group} has open tiles (x), so its pieces stand under [pieces]")
            else:
                found[group] = dict(drawn)
        return found

    def marker_pieces(
        self, groups: list[int], markers: list[int | None], pinned: Mapping[int, int]
    ) -> dict[int, dict[int, int]]:
        """The markers of each group, fixed ones not counted: those drawn, or those under [markers]."""
        found: dict[int, dict[int, int]] = {}
        given = self.by_group("markers")
        for group in sorted({*groups, *given}):
            if group in given:
                found[group] = {self.number("markers", word): n for word, n in given[group].items()}
            else:
                here = (m for t, m in enumerate(markers) if groups[t] == group and m and t not in pinned)
                found[group] = dict(sorted(Counter(m for m in here if m is not None).items()))
        return found

    def is_whole(self, terrain: Sequence[str], markers: Sequence[int | None]) -> bool:
        """Whether the drawing has no open tile, and a marker on all tiles that need one or on none."""
        needed = [
            marker
            for name, marker, each in zip(terrain, markers, self.tiles, strict=True)
            if name not in UNNUMBERED and name not in self.further and each.parts["marker"] != "0"
        ]
        return "" not in terrain and (None not in needed or not any(needed))

    def notation(self, shape: Geometry, drawn: Drawn, second: Mapping[int, int]) -> str:
        """The drawing in notation."""
        letter = {name: key for key, name in self.letters.items()}
        cells = [letter[name] + _marker_word(marker, second) for name, marker in zip(*drawn, strict=True)]
        return "/".join("".join(cells[t] for t in row) for row in shape.row_tiles)

    # Coasts

    def harbors(self, places: Mapping[Point, int]) -> list[tuple[Harbor, str | None]]:
        """The harbors, first those drawn, with ``!`` or ``*`` where one is fixed or movable."""
        found: list[tuple[Harbor, str | None]] = []
        for each in self.hexagons:
            if each.parts["trade"] is not None:
                side = _SIDES.index(str(each.parts["side"]))
                ends = [places.get(_corner(each.point, side + i)) for i in (0, 1)]
                if ends[0] is None or ends[1] is None:
                    self.stop(each.line, f"{show(each.text)}: the harbor faces no tile")
                found.append(
                    (Harbor((ends[0], ends[1]), LETTER_TRADE[each.parts["trade"]]), each.parts["kind"])
                )
        for text in self.list("harbors"):
            match = _LISTED_HARBOR.fullmatch(text) if isinstance(text, str) else None
            if match is None:
                self.fail("harbors", f"{show(text)} is no harbor such as '4-5=3' or '6-9=g'")
            found.append((Harbor((int(match[1]), int(match[2])), LETTER_TRADE[match[3]]), match[4]))
        return found

    def fishing_grounds(self, places: Mapping[Point, int]) -> list[FishingGround]:
        """The fishing grounds, those drawn and then those listed by their vertices."""
        found = []
        for each in self.hexagons:
            if each.parts["fish"] is not None:
                middle = _CORNERS.index(str(each.parts["corner"]))
                spots = [places.get(_corner(each.point, middle + i)) for i in (-1, 0, 1)]
                known = [v for v in spots if v is not None]
                if len(known) != 3:
                    self.stop(
                        each.line, f"{show(each.text)}: not all corners of the fishing ground touch a tile"
                    )
                marker, free = int(each.parts["fish"]), bool(each.parts["free"])
                found.append(FishingGround((known[0], known[1], known[2]), marker, free))
        for text in self.list("fishing_grounds"):
            match = _LISTED_GROUND.fullmatch(text) if isinstance(text, str) else None
            if match is None:
                self.fail("fishing_grounds", f"{show(text)} is no fishing ground such as '4-5-0=6'")
            vertices = (int(match[1]), int(match[2]), int(match[3]))
            found.append(FishingGround(vertices, int(match[4]), bool(match[5])))
        return found

    # Tables

    def table(self, key: str, form: str = "names") -> dict[Any, Any]:
        found = self.said.get(key, {})
        if not isinstance(found, dict):
            self.fail(key, f"{key} is a table, [{key}] with a line for each entry")
        return found if form == "names" else {self.number(key, word): n for word, n in found.items()}

    def list(self, key: str) -> list[Any]:
        found = self.said.get(key, [])
        if not isinstance(found, list):
            self.fail(key, f"{key} is a list of texts")
        return found

    def number(self, key: str, word: str) -> int:
        if not re.fullmatch(r"[0-9]{1,4}", word):
            self.fail(key, f"{key} has the entry {show(word)}, which is no number")
        return int(word)

    def by_group(self, key: str) -> dict[int, dict[str, Any]]:
        """A table whose own entries belong to group 0, with a table inside for each other group."""
        table = self.table(key)
        found = {self.number(key, word): inner for word, inner in table.items() if isinstance(inner, dict)}
        main = {word: value for word, value in table.items() if not isinstance(value, dict)}
        return {0: main} | found if main else found

    # Failing

    def line_of(self, key: str) -> int:
        """The line, from 1, on which a key of the file stands."""
        pattern = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*(=|\.|\])")
        return next((n for n, line in enumerate(self.lines, start=1) if pattern.match(line)), 1)

    def _opens_alone(self) -> bool:
        """Whether the drawing starts on the line after its key."""
        return bool(re.search(r"(\"\"\"|''')\s*$", self.lines[self.line_of("board") - 1]))

    def fail(self, key: str, reason: str) -> NoReturn:
        self.stop(self.line_of(key), reason)

    def stop(self, line: int, reason: str) -> NoReturn:
        raise InvalidBoard(f"{self.file}, line {line}: {reason}")


# Writing


def write_values(layout: Said, drawn: Drawn | None, ending: str) -> str:
    """Return the text of a file that is read back as *layout*.

    Args:
        layout: what to write.
        drawn: the pieces of its beginner board, where it has one; they are drawn.
        ending: what the notation of the layout's boards ends with.
    """
    harbors, grounds = _drawn_harbors(layout, drawn), _drawn_grounds(layout, drawn)
    tables = {key: value for key, (name, _) in _BY_KEY.items() if (value := getattr(layout, name))}
    if [harbor for _, harbor in sorted(harbors, key=_in_reading_order)] != list(layout.printed_harbors):
        harbors = []
        tables["harbors"] = [
            f"{h.vertices[0]}-{h.vertices[1]}={TRADE_LETTER[h.trade]}{_kind(layout, h)}"
            for h in layout.printed_harbors
        ]
    on_sea = {centre for centre, _ in harbors}
    told = [ground for _, ground in sorted(grounds, key=_in_reading_order)]
    if told != list(layout.fishing_grounds) or on_sea & {centre for centre, _ in grounds}:
        grounds = []
        tables["fishing_grounds"] = [
            "-".join(map(str, g.vertices)) + f"={g.marker}{'*' * g.movable}" for g in layout.fishing_grounds
        ]
    words = _words(layout, drawn)
    for centre, harbor in harbors:
        ends = {_corner_number(layout, centre, v) for v in harbor.vertices}
        side = next(side for side in range(6) if {side, (side + 1) % 6} == ends)
        words[centre] += f"{TRADE_LETTER[harbor.trade]}{_SIDES[side]}{_kind(layout, harbor)}"
    for centre, ground in grounds:
        corner = _CORNERS[_corner_number(layout, centre, ground.vertices[1])]
        words[centre] += f"f{ground.marker}{corner}{'*' * ground.movable}"
    groups = layout.terrain_group or (0,) * layout.n_tiles
    for t, group in enumerate(groups):
        words[layout.tiles[t]] += f":{group}" if group else ""
        marker_group = layout.marker_group[t] if layout.marker_group else group
        words[layout.tiles[t]] += f";{marker_group}" if marker_group != group else ""
    shown = "".join(words.values())
    tables.pop("second_markers", None)
    if second := {m: n for m, n in layout.second_marker.items() if f"{m}+{n}" not in shown}:
        tables["second_markers"] = second
    tables |= _pieces(layout, drawn)
    text = _file(words, tables)
    if read_values(text, layout.name, ending)["beginner_board"] != layout.beginner_board:
        text = _file(words, tables | {"beginner": layout.beginner_board})
    return text


# The drawing


def _words(layout: Said, drawn: Drawn | None) -> dict[Point, str]:
    """What stands at each hexagon, without harbors and groups."""
    letter = {name: key for key, name in layout.letters.items()}
    words = dict.fromkeys(layout.sea_frame, "~")
    for t, centre in enumerate(layout.tiles):
        word = letter[drawn[0][t]] if drawn else "x"
        if t in layout.fixed_terrain:
            word = letter[layout.fixed_terrain[t]].upper()
        marker = drawn[1][t] if drawn else None
        marker = layout.fixed_markers.get(t, marker)
        if t in layout.unmarked:
            word += "0"
        else:
            word += layout.marker_words[marker] + "!" * (t in layout.fixed_markers)
        words[centre] = word
    return words


def _file(words: Mapping[Point, str], tables: Mapping[str, Any]) -> str:
    rows: dict[int, list[Point]] = {}
    for centre in words:
        rows.setdefault(centre[1] // 3, []).append(centre)
    lines = [sorted(rows.get(y, [])) for y in range(min(rows), max(rows) + 1)]
    columns = next(n for n in range(2, 10) if all(_fits(line, words, n) for line in lines))
    left = min(x for x, _ in words)
    drawn = []
    for line in lines:
        text = ""
        for x, y in line:
            text = text.ljust((x - left) * columns) + words[x, y]
        drawn.append(text)
    said = {**tables, "board": drawn} | ({"columns": columns} if columns != 2 else {})
    whole: list[str] = []
    for key in sorted(said, key=lambda key: KEYS.index(key.partition(".")[0])):
        if key == "board":
            whole += ["board = '''", *drawn, "'''"]
        elif isinstance(said[key], Mapping):
            whole += ["", f"[{key}]", *(f"{name} = {_value(value)}" for name, value in said[key].items())]
        else:
            whole.append(f"{key} = {_value(said[key])}")
    return "\n".join(whole) + "\n"


def _fits(line: Sequence[Point], words: Mapping[Point, str], columns: int) -> bool:
    return all(len(words[a]) < (b[0] - a[0]) * columns for a, b in pairwise(line))


def _value(value: Any) -> str:
    return json.dumps(sorted(value) if isinstance(value, frozenset) else value, ensure_ascii=False)


# Pieces


def _pieces(layout: Said, drawn: Drawn | None) -> dict[str, Any]:
    """The tables of pieces and markers, of those groups whose pieces are not those drawn."""
    found: dict[str, Any] = {}
    for key, pools, there in zip(
        ("pieces", "markers"), (layout.terrain_pools, layout.marker_pools), drawn or ((), ()), strict=True
    ):
        for pool in pools:
            here = Counter(there[t] for t in pool.tiles if there and there[t] is not None)
            if pool.pieces and here != Counter(pool.pieces):
                found[f"{key}.{pool.number}" if pool.number else key] = dict(pool.pieces)
    return found


# Coasts


def _in_reading_order(drawn: tuple[Point, Any]) -> Point:
    (x, y), _ = drawn
    return y, x


def _drawn_harbors(layout: Said, drawn: Drawn | None) -> list[tuple[Point, Harbor]]:
    """The harbors that can be drawn, with the hexagon of sea where they are, each on one of its own."""
    found: list[tuple[Point, Harbor]] = []
    for harbor in layout.printed_harbors:
        a, b = (layout.vertices[v] for v in harbor.vertices)
        for t in layout.edge_tiles[harbor.vertices]:
            x, y = layout.tiles[t]
            across = a[0] + b[0] - x, a[1] + b[1] - y
            if across in layout.sea_frame:
                found.append((across, harbor))
            elif drawn is not None and drawn[0][t] == "sea":
                found.append(((x, y), harbor))
    return found if len({centre for centre, _ in found}) == len(found) else []


def _drawn_grounds(layout: Said, drawn: Drawn | None) -> list[tuple[Point, FishingGround]]:
    """The fishing grounds that can be drawn, with the hexagon of sea round whose corner they lie."""
    moving = [] if drawn is None else zip(layout.tiles, drawn[0], strict=True)
    sea = {*layout.sea_frame, *(centre for centre, name in moving if name == "sea")}
    found = []
    for ground in layout.fishing_grounds:
        points = [layout.vertices[v] for v in ground.vertices]
        for i, (dx, dy) in enumerate(CORNERS):
            centre = points[1][0] - dx, points[1][1] - dy
            if centre in sea and points == [_corner(centre, i + step) for step in (-1, 0, 1)]:
                found.append((centre, ground))
    return found


def _kind(layout: Said, harbor: Harbor) -> str:
    edge = harbor.vertices
    return "!" if edge in layout.fixed_harbors else "*" if edge in layout.movable_harbors else ""


def _corner_number(layout: Said, centre: Point, vertex: int) -> int:
    x, y = layout.vertices[vertex]
    return CORNERS.index((x - centre[0], y - centre[1]))


# Words of both


def _marker_word(marker: int | None, second: Mapping[int, int]) -> str:
    """A marker, with the one that lies beside it."""
    if marker is None:
        return ""
    return f"{marker}+{second[marker]}" if marker in second else str(marker)


def _corner(centre: Point, number: int) -> Point:
    """Corner *number* of a hexagon, counted clockwise from the upper right."""
    dx, dy = CORNERS[number % 6]
    return centre[0] + dx, centre[1] + dy
