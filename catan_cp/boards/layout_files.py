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

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from catan_cp.arguments import whole_number
from catan_cp.boards.coasts import FishingGround, Harbor
from catan_cp.boards.hexagons import CORNERS, Point
from catan_cp.boards.layout import CLASSIC, LAYOUTS, Layout
from catan_cp.boards.pieces import LETTER_TERRAIN, UNNUMBERED, read_further_terrains
from catan_cp.errors import InvalidBoard, listed, show, show_path
from catan_cp.files import read_small

_WORD = re.compile(
    r"(?P<letter>[~A-Za-z])"
    r"(?:(?P<marker>[0-9]{1,2})(?:\+(?P<second>[0-9]{1,2}))?(?P<pinned>!)?"
    r"|(?P<trade>[3a-z])(?P<side>NE|E|SE|SW|W|NW)(?P<kind>[!*])?"
    r"|f(?P<fish>[0-9]{1,2})(?P<corner>NE|N|SE|SW|S|NW)(?P<free>\*)?)?"
    r"(?::(?P<group>[0-9]{1,2}))?(?:;(?P<marker_group>[0-9]{1,2}))?"
)
SIDE_NAMES = ("E", "SE", "SW", "W", "NW", "NE")
"""The sides of a hexagon: side i lies between corners i and i + 1, clockwise from the upper right."""
CORNER_NAMES = ("NE", "SE", "S", "SW", "NW", "N")
_KEYS = (
    "title", "columns", "board", "terrains", "pieces", "markers", "second_markers", "harbors",
    "fishing_grounds", "beginner", "target_efficiency", "spiral_order", "inland", "pips_max",
    "marker_pips_min", "marker_pips_max", "settle", "rivers", "spinning", "turned", "sideways", "remarks",
)  # fmt: skip
_LISTED_HARBOR = re.compile(r"([0-9]{1,6})-([0-9]{1,6})=([3bgwol])([!*])?")
_LISTED_GROUND = re.compile(r"([0-9]{1,6})-([0-9]{1,6})-([0-9]{1,6})=([0-9]{1,2})(\*)?")
_MAX_SIZE = 1_000_000


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


def read_layout_file(path: Path) -> Layout:
    """Read the layout in a file; its name is the file's.

    Raises:
        InvalidBoard: the file cannot be read, or does not describe a layout.
    """
    try:
        text = read_small(path, _MAX_SIZE, "layout file", InvalidBoard).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidBoard(f"the layout file {show_path(path)} is not text: {error}") from None
    name = path.name.removesuffix(".toml")
    if name in LAYOUTS:
        layout = read_layout(text, name, path.name, built_in=True)
        if layout == LAYOUTS[name]:
            return LAYOUTS[name]
    return read_layout(text, name, path.name)


def read_layout(text: str, name: str, source: str, *, built_in: bool = False) -> Layout:
    """Read a layout from the text of a file.

    Args:
        text: what the file says.
        name: the layout's name.
        source: how messages call the file.
        built_in: whether this is the layout's own file, by whose name its boards' notation is read.

    Raises:
        InvalidBoard: the text does not describe a layout; the message has the line and the reason.
    """
    return _Reader(text, name, source).layout(built_in)


class _Reader:
    """The text of one file, and what it says; its methods fail with the line at fault."""

    def __init__(self, text: str, name: str, source: str) -> None:
        self.lines, self.name, self.source = text.splitlines(), name, source
        try:
            self.said = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidBoard(f"{source} is not TOML: {error}") from None
        except RecursionError:
            raise InvalidBoard(f"{source} is nested too deeply") from None
        for key in self.said:
            if key not in _KEYS:
                self.fail(key, f"unknown key {show(key)}; keys are {listed(_KEYS)}")
        if "board" not in self.said:
            raise InvalidBoard(f"{source} draws no board: board = '''...''' is missing")
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

    def layout(self, built_in: bool) -> Layout:
        """The layout that the file describes."""
        groups = [int(each.parts["group"] or 0) for each in self.tiles]
        markers = [self.marker(each) for each in self.tiles]
        marker_groups = [
            group if each.parts["marker_group"] is None else int(each.parts["marker_group"])
            for each, group in zip(self.tiles, groups, strict=True)
        ]
        fixed = {
            t: self.letters[str(each.parts["letter"]).lower()]
            for t, each in enumerate(self.tiles)
            if str(each.parts["letter"]).isupper()
        }
        pinned = {t: m for t, m in enumerate(markers) if m and self.tiles[t].parts["pinned"]}
        terrain = [self.terrain(each) for each in self.tiles]
        pieces = self.terrain_pieces(groups, terrain, fixed)
        supplies = self.marker_pieces(marker_groups, markers, pinned)
        values: dict[str, Any] = {
            "name": self.name,
            "rows": (),
            "tiles": tuple(each.point for each in self.tiles),
            "sea_frame": tuple(each.point for each in self.hexagons if not each.is_tile),
            "terrain_counts": dict(sum((Counter(p) for p in pieces.values()), Counter(fixed.values()))),
            "marker_supply": dict(sum((Counter(p) for p in supplies.values()), Counter(pinned.values()))),
            "further_terrains": self.further,
            "fixed_terrain": fixed,
            "fixed_markers": pinned,
            "unmarked": frozenset(t for t, each in enumerate(self.tiles) if each.parts["marker"] == "0"),
            "terrain_group": tuple(groups),
            "marker_group": tuple(marker_groups),
            "group_terrain": {g: p for g, p in pieces.items() if g and p},
            "group_markers": {g: p for g, p in supplies.items() if g and p},
            "second_marker": {
                self.number("second_markers", m): n for m, n in self.table("second_markers").items()
            }
            | {
                marker: int(each.parts["second"])
                for marker, each in zip(markers, self.tiles, strict=True)
                if marker and each.parts["second"]
            },
            "terrain_marker_pips_min": self.table("marker_pips_min"),
            "terrain_marker_pips_max": self.table("marker_pips_max"),
            "pips_max": self.by_tile("pips_max"),
            "turned": self.by_tile("turned"),
            "target_efficiency": self.table("target_efficiency"),
        }
        for key in ("title", "spiral_order", "inland", "settle", "rivers", "spinning", "sideways", "remarks"):
            if key in self.said:
                values[key] = self.said[key]
        bare = self.made(values)
        (x, y), (left, top) = bare.tiles[0], self.tiles[0].point
        places = {(px - x + left, py - y + top): v for v, (px, py) in enumerate(bare.vertices)}
        harbors = self.harbors(places)
        values["printed_harbors"] = [harbor for harbor, _ in harbors]
        values["fixed_harbors"] = [harbor.vertices for harbor, kind in harbors if kind == "!"]
        values["movable_harbors"] = [harbor.vertices for harbor, kind in harbors if kind == "*"]
        values["fishing_grounds"] = self.fishing_grounds(places)
        layout = self.made(values)
        beginner = self.said.get("beginner")
        if beginner is None and "" not in terrain and self.is_whole(layout, terrain, markers):
            beginner = self.notation(layout, terrain, markers) + self.suffix(built_in)
        return replace(layout, beginner_board=beginner) if beginner else layout

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
        if each.parts["trade"] not in (None, "3") and each.parts["trade"] not in "bgwol":
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

    def is_whole(self, layout: Layout, terrain: Sequence[str], markers: Sequence[int | None]) -> bool:
        """Whether the drawing has a marker on all tiles that need one, or none at all."""
        needed = [
            markers[t]
            for t, name in enumerate(terrain)
            if name not in layout.unnumbered and t not in layout.unmarked
        ]
        return None not in needed or not any(needed)

    def notation(self, layout: Layout, terrain: Sequence[str], markers: Sequence[int | None]) -> str:
        """The drawing in notation."""
        letter = {name: key for key, name in layout.letters.items()}
        cells = [
            letter[name]
            + ("" if marker is None else str(marker))
            + (
                f"+{layout.second_marker[marker]}"
                if marker is not None and marker in layout.second_marker
                else ""
            )
            for name, marker in zip(terrain, markers, strict=True)
        ]
        return "/".join("".join(cells[t] for t in row) for row in layout.row_tiles)

    def suffix(self, built_in: bool) -> str:
        """What the notation of this layout's boards ends with."""
        if built_in and self.name in CLASSIC:
            return ""
        return f"@{self.name}" if built_in or self.name not in LAYOUTS else f"@own:{self.name}"

    # Coasts

    def harbors(self, places: Mapping[Point, int]) -> list[tuple[Harbor, str | None]]:
        """The harbors, first those drawn, with ``!`` or ``*`` where one is fixed or movable."""
        found: list[tuple[Harbor, str | None]] = []
        for each in self.hexagons:
            if each.parts["trade"] is not None:
                side = SIDE_NAMES.index(str(each.parts["side"]))
                ends = [places.get(_corner(each.point, side + i)) for i in (0, 1)]
                if ends[0] is None or ends[1] is None:
                    self.stop(each.line, f"{show(each.text)}: the harbor faces no tile")
                found.append((Harbor((ends[0], ends[1]), _trade(each.parts["trade"])), each.parts["kind"]))
        for text in self.list("harbors"):
            match = _LISTED_HARBOR.fullmatch(text) if isinstance(text, str) else None
            if match is None:
                self.fail("harbors", f"{show(text)} is no harbor such as '4-5=3' or '6-9=g'")
            found.append((Harbor((int(match[1]), int(match[2])), _trade(match[3])), match[4]))
        return found

    def fishing_grounds(self, places: Mapping[Point, int]) -> list[FishingGround]:
        """The fishing grounds, those drawn and then those listed by their vertices."""
        found = []
        for each in self.hexagons:
            if each.parts["fish"] is not None:
                middle = CORNER_NAMES.index(str(each.parts["corner"]))
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

    def table(self, key: str) -> dict[str, Any]:
        found = self.said.get(key, {})
        if not isinstance(found, dict):
            self.fail(key, f"{key} is a table, [{key}] with a line for each entry")
        return found

    def list(self, key: str) -> list[Any]:
        found = self.said.get(key, [])
        if not isinstance(found, list):
            self.fail(key, f"{key} is a list of texts")
        return found

    def by_tile(self, key: str) -> dict[int, Any]:
        return {self.number(key, word): value for word, value in self.table(key).items()}

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

    def made(self, values: dict[str, Any]) -> Layout:
        try:
            return Layout(**values)
        except InvalidBoard as error:
            raise InvalidBoard(f"{self.source}: {error}") from None

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
        raise InvalidBoard(f"{self.source}, line {line}: {reason}")


def _corner(centre: Point, number: int) -> Point:
    """Corner *number* of a hexagon, counted clockwise from the upper right."""
    dx, dy = CORNERS[number % 6]
    return centre[0] + dx, centre[1] + dy


def _trade(letter: str) -> str:
    return "3:1" if letter == "3" else LETTER_TERRAIN[letter]
