"""A layout: a set of hexagons and the pieces that fill it, with what is fixed and what is shuffled.

The built-in layouts are the files ``layouts/*.toml`` at the top of the repository, read when first asked for.
In such a file the board is drawn, one line a row of hexagons; ``docs/layouts.md`` says what each word means.

>>> base = LAYOUTS["base"]
>>> base.n_tiles, base.n_vertices, len(base.edges), len(base.adjacency("hex"))
(19, 54, 72, 42)
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from catan_cp.boards.details import ENTRIES, Pool, Said
from catan_cp.boards.geometry import ADJACENCIES, Geometry, Pair, Point, ordered, reading_order, rowed
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    LETTER_TRADE,
    TRADE_LETTER,
    UNNUMBERED,
    FishingGround,
    Harbor,
    read_further_terrains,
)
from catan_cp.errors import CatanError, InvalidBoard, did_you_mean, listed, show, whole_number
from catan_cp.files import read_small

__all__ = [
    "ADJACENCIES",
    "CLASSIC",
    "LAYOUTS",
    "FishingGround",
    "Harbor",
    "Layout",
    "Pair",
    "Pool",
    "find_layout",
    "read_layout",
]

CLASSIC = (
    "base", "base-5-6", "seafarers-6", "seafarers-7", "seafarers-8", "seafarers-9", "seafarers-10"
)  # fmt: skip
"""The layouts of the first version, whose boards' notation names no layout: their rows tell them apart."""

_LARGEST_FILE = 1_000_000

_MARKER = "[2-689]|1[0-2]"
_WORD = re.compile(
    r"(?!~.*[:;])(?P<letter>[~A-Za-z])"
    rf"(?:(?<!~)(?:(?P<bare>0)|(?P<marker>{_MARKER})(?:\+(?P<second>{_MARKER}))?(?P<pinned>!)?)"
    r"|(?<=[~sSx])(?P<trade>[3bgwol])(?P<side>NE|E|SE|SW|W|NW)(?P<kind>[!*])?"
    rf"|(?<=[~sSx])f(?P<fish>{_MARKER})(?P<corner>NE|N|SE|SW|S|NW)(?P<free>\*)?)?"
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
        re.compile(r"([0-9]{1,6}-[0-9]{1,6}-[0-9]{1,6})=([0-9]{1,2})(\*?)"),
        "fishing ground such as '4-5-0=6'",
    ),
}
"""What lies along the coast as lists tell it, and an example of each."""


class _Hexagon(NamedTuple):
    """One word of the drawing."""

    point: Point
    line: int
    word: re.Match[str]


Drawn = tuple[Sequence[str], Sequence[int | None]]
"""The terrain and the marker of each tile of a printed arrangement."""

Laid = tuple[tuple[int, ...], str, str]
"""Two vertices of a harbor or three of a fishing ground, its trade's letter or marker, and ``!`` or ``*``."""


@dataclass(frozen=True, repr=False)
class Layout(Said):
    """A board's shape and the pieces that fill it. Immutable; geometry is computed on first use.

    Layouts are equal when all of the following are, so one of your own never passes for a built-in one.

    Args:
        name: what people call it: a word without spaces, ``/``, ``:``, ``,`` or ``@``.
        rows: tiles in each row, top to bottom; neighbouring rows differ by one tile. With *tiles*, any.
        terrain_counts: how many tiles of each terrain the box holds, as many as there are tiles.
        marker_supply: how many of each marker the box holds; may be more than there are tiles to number.
        target_efficiency: per terrain, what `catan_cp.efficiency` is on boards that a designer made.
        printed_harbors: the frame's harbors; empty where the layout has no printed frame.
        spiral_order: the rule book's fixed order of markers; empty where it gives none.
        beginner_board: the rule book's first board, in notation; empty where it gives none.
        title: the name in full.
        tiles: the centre (x, y) of each tile in reading order, where rows do not tell: x in half widths of a
            tile, y in quarters of its height.
        sea_frame: the centres of sea hexagons that never move. They are drawn, and are no tiles.
        further_terrains: the letter of each terrain beside the usual ones; they yield nothing and carry no
            marker (lake, oasis, castle, fog, ...).
        fixed_terrain: the terrain of each tile that never moves.
        fixed_markers: the marker of each tile whose marker never moves.
        unmarked: fixed tiles that carry no marker though their terrain could.
        terrain_group: per tile, the group within which its terrain is shuffled; empty: all in group 0.
        marker_group: the same for markers; empty: as the terrain.
        group_terrain: the terrains of each group but 0, fixed tiles not counted.
        group_markers: the markers of each marker group but 0, fixed ones not counted.
        second_marker: for a marker that the box holds once, the marker that lies beside it on its tile.
        inland: terrains that must not lie beside the sea.
        pips_max: per tile, the most pips that a marker there may have.
        terrain_marker_pips_min: per terrain, the least pips that a marker on it may have.
        terrain_marker_pips_max: per terrain, the most.
        fixed_harbors: the places of printed harbors whose trade is never shuffled.
        movable_harbors: the places of printed harbors that may stand at any other coast.
        fishing_grounds: where fish are caught.
        settle: tiles at which the first settlements are founded; empty: anywhere on land.
        rivers, spinning: tiles with a river, and tiles drawn in any turn; for pictures only.
        turned: by how many degrees clockwise a tile is drawn turned; for pictures only.
        sideways: whether the box shows the board turned by a quarter.
        source: who made the board, and where it is from.
        remarks: what the edition says beside.

    Raises:
        InvalidBoard: rows that do not interlock, pieces that do not fill them, or harbors off the coast.
    """

    def __hash__(self) -> int:
        return hash((self.name, self.tiles))

    def __reduce__(self) -> tuple[Callable[..., Layout], tuple[Any, ...]]:
        """Travel without geometry; a built-in layout arrives as the one that is there already."""
        if self.is_built_in:
            return find_layout, (self.name,)
        return partial(Layout, **self._said()), ()

    def __repr__(self) -> str:
        if self.is_built_in:
            return f"LAYOUTS[{self.name!r}]"
        return f"Layout({', '.join(f'{name}={value!r}' for name, value in self._said().items())})"

    def _said(self) -> dict[str, Any]:
        """The arguments that make this layout, those left out that have their default."""
        values = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        said = {name: value for name, value in values.items() if value or name == "marker_supply"}
        if self.tiles == rowed(self.rows):
            del said["tiles"]
        return said

    @property
    def is_built_in(self) -> bool:
        """Whether this is the built-in layout of its name."""
        return self.name in LAYOUTS and LAYOUTS[self.name] == self

    # Files

    @classmethod
    def from_toml(cls, path: str | Path) -> Layout:
        """Read a layout from a file as `docs/layouts.md` describes it; its name is the file's.

        Raises:
            InvalidBoard: the file cannot be read, or says what cannot be, with the line and the reason.
        """
        text = read_small(path, _LARGEST_FILE, "layout file", InvalidBoard)
        file = Path(path)
        name = file.name.removesuffix(".toml")
        if name in LAYOUTS and read_layout(text, name, file.name, built_in=True) == LAYOUTS[name]:
            return LAYOUTS[name]
        return read_layout(text, name, file.name)

    def to_toml(self) -> str:
        """Return the text of a file that `from_toml` reads back as this layout.

        Raises:
            InvalidBoard: the layout's beginner board is no board of it.
        """
        from catan_cp import Board

        first = Board.from_notation(self.beginner_board, self) if self.beginner_board else None
        drawn = (first.terrain, first.markers) if first else None
        return _written(self, drawn, _ending(self.name, self.is_built_in))


def find_layout(layout: str | Layout) -> Layout:
    """Return the layout of that name, or *layout* itself where it is one.

    Raises:
        InvalidBoard: no layout has that name.
    """
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        more = f"and {len(LAYOUTS) - len(CLASSIC)} more (catan-cp layouts lists them)"
        meant = did_you_mean(layout, LAYOUTS)
        raise InvalidBoard(f"unknown layout {show(layout)}; {meant}layouts are {listed(CLASSIC)}, {more}")
    return LAYOUTS[layout]


class _Layouts(Mapping[str, Layout]):
    """The layouts in the folder, each read when it is first asked for."""

    @cached_property
    def _files(self) -> dict[str, Path]:
        folder = layouts_dir()
        found = {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}
        return {name: found[name] for name in (*CLASSIC, *(name for name in found if name not in CLASSIC))}

    def __getitem__(self, name: str) -> Layout:
        return _built_in(self._files[name])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"LAYOUTS({listed(self)})"


@cache
def _built_in(path: Path) -> Layout:
    return read_layout(path.read_text(encoding="utf-8"), path.stem, path.name, built_in=True)


def read_layout(text: str, name: str, file: str, *, built_in: bool = False) -> Layout:
    """Read a layout from the text of a file.

    Args:
        text: what the file says.
        name: the layout's name.
        file: how messages call the file.
        built_in: whether this is the layout's own file, by whose name its boards' notation is read.

    Raises:
        InvalidBoard: the text does not describe a layout; the message has the line and the reason.
    """
    values = _Reader(text, file).values(_ending(name, built_in))
    try:
        return Layout(name, **values)
    except InvalidBoard as error:
        raise InvalidBoard(f"{file}: {error}") from None


def _ending(name: str, built_in: bool) -> str:
    """What the notation of a layout's boards ends with."""
    if built_in and name in CLASSIC:
        return ""
    return f"@{name}" if built_in or name not in LAYOUTS else f"@own:{name}"


def layouts_dir() -> Path:
    """Return the folder of the built-in layouts' files: inside the package, or at the top of a checkout.

    Raises:
        CatanError: it is missing, so the package is not whole.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "layouts", package.parent / "layouts"):
        if (folder / "base.toml").is_file():
            return folder
    raise CatanError(f"the layouts are missing beside {package}; install catan-cp again")


def _plain(value: Any) -> Any:
    """The value without read-only wrappers, which can neither be pickled nor evaluated."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


LAYOUTS: Mapping[str, Layout] = _Layouts()
"""The built-in layouts by name, those of `CLASSIC` first. Read-only; each file is read on first use."""


# ---- A layout's file, read


class _Reader:
    """The text of one file, and what it says; its methods fail with the line at fault."""

    def __init__(self, text: str, file: str) -> None:
        self.lines, self.file = text.splitlines(), file
        try:
            self.said = tomllib.loads(text)
        except ValueError as error:  # not TOML, or a number of too many digits
            raise InvalidBoard(f"{file} is not TOML: {error}") from None
        except RecursionError:
            raise InvalidBoard(f"{file} is nested too deeply") from None
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
            FishingGround((three[0], three[1], three[2]), int(marker), bool(free))
            for three, marker, free in laid
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
                yield vertices, said, word["kind"] or word["free"] or ""

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


# ---- A layout's file, written


def _written(layout: Layout, drawn: Drawn | None, ending: str) -> str:
    """The text of a layout's file, with the pieces that are *drawn*; its boards' notation has that ending."""
    words = _words(layout, drawn)
    tables: dict[str, Any] = {
        key: value for key, (name, _) in _BY_KEY.items() if (value := getattr(layout, name))
    }
    moving = zip(layout.tiles, drawn[0], strict=True) if drawn else ()
    sea = [*layout.sea_frame, *(centre for centre, name in moving if name == "sea")]
    spots = {three: (at, word) for at in reversed(sea) for word, three in _facing(layout, at).items()}
    taken: set[Point] = set()
    for key, laid in _coasts(layout).items():
        drawn_at = [spots[vertices] for vertices, _, _ in laid if vertices in spots]
        centres = [centre for centre, _ in drawn_at]
        if len(centres) < len(laid) or centres != sorted({*centres} - taken, key=reading_order):
            tables[key] = [f"{'-'.join(map(str, vertices))}={what}{kind}" for vertices, what, kind in laid]
            continue
        taken.update(centres)
        for (centre, word), (_, what, kind) in zip(drawn_at, laid, strict=True):
            words[centre] += f"{'f' * (key != 'harbors')}{what}{word.removeprefix('f')}{kind}"
    for centre, group, marker_group in zip(
        layout.tiles, layout.tile_groups, layout.marker_groups, strict=True
    ):
        words[centre] += f":{group}" * (group > 0) + f";{marker_group}" * (marker_group != group)
    shown = "".join(words.values())
    tables.pop("second_markers", None)
    if second := {m: n for m, n in layout.second_marker.items() if f"{m}+{n}" not in shown}:
        tables["second_markers"] = second
    for key, pools, there in zip(
        ("pieces", "markers"), (layout.terrain_pools, layout.marker_pools), drawn or ((), ()), strict=True
    ):
        for pool in pools:
            here = Counter(there[t] for t in pool.tiles if there and there[t] is not None)
            if pool.pieces and here != Counter(pool.pieces):  # they are not those drawn
                named = pool.number > 0 or (key == "markers" and len(pools) > 1)  # 2 is a marker, and a group
                tables[f"{key}.{pool.number}" if named else key] = dict(pool.pieces)
    text = _file(words, tables)
    if _Reader(text, layout.name).values(ending)["beginner_board"] != layout.beginner_board:
        text = _file(words, tables | {"beginner": layout.beginner_board})
    return text


def _words(layout: Layout, drawn: Drawn | None) -> dict[Point, str]:
    """What stands at each hexagon, without harbors and groups."""
    letter = {name: key for key, name in layout.letters.items()}
    words = dict.fromkeys(layout.sea_frame, "~")
    for t, centre in enumerate(layout.tiles):
        word = letter[drawn[0][t]] if drawn else "x"
        if t in layout.fixed_terrain:
            word = letter[layout.fixed_terrain[t]].upper()
        if t in layout.unmarked:
            word += "0"
        else:
            marker = layout.fixed_markers.get(t, drawn[1][t] if drawn else None)
            word += layout.marker_words[marker] + "!" * (t in layout.fixed_markers)
        words[centre] = word
    return words


def _coasts(layout: Layout) -> dict[str, list[Laid]]:
    """What lies along the coast, by the key under which it is listed where it cannot be drawn."""
    kinds = dict.fromkeys(layout.movable_harbors, "*") | dict.fromkeys(layout.fixed_harbors, "!")
    laid = ((h.vertices, TRADE_LETTER[h.trade]) for h in layout.printed_harbors)
    return {
        "harbors": [(edge, letter, kinds.get(edge, "")) for edge, letter in laid],
        "fishing_grounds": [(g.vertices, str(g.marker), "*" * g.movable) for g in layout.fishing_grounds],
    }


def _file(words: Mapping[Point, str], tables: Mapping[str, Any]) -> str:
    ys = [y for _, y in words]
    lines = [sorted(centre for centre in words if centre[1] == y) for y in range(min(ys), max(ys) + 1, 3)]
    columns = next(
        n
        for n in range(2, 10)
        if all(len(words[a]) < (b[0] - a[0]) * n for line in lines for a, b in pairwise(line))
    )
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
            whole += ["", f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in said[key].items())]
        else:
            whole.append(f"{key} = {_toml(said[key])}")
    return "\n".join(whole) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(sorted(value) if isinstance(value, frozenset) else value, ensure_ascii=False)
