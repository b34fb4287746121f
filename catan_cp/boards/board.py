"""One board: immutable, checked, with its notation, its JSON and its pictures.

The notation has the rows of tiles, each a letter with its marker; the harbors, and then the fishing grounds,
behind a colon; and the name of the layout behind ``@`` unless the rows tell it.

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
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import CLASSIC, LAYOUTS, FishingGround, Harbor, Layout, Pool, find_layout
from catan_cp.boards.pieces import (
    LETTER_TRADE,
    MARKERS,
    TRADE_LETTER,
    UNNUMBERED,
    piece_counts,
)
from catan_cp.errors import (
    InvalidArgument,
    InvalidBoard,
    check_count,
    listed,
    random_source,
    show,
    whole_number,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_INPUT = 65_536
"""The longest notation or JSON text, in characters, that is read at all; a board needs a few thousand."""

OWN = "own:"
"""Before the name of a layout of one's own that is called like a built-in one."""
_ROW = re.compile(r"(?:[a-z](?:[0-9]+(?:\+[0-9]+)?)?)+")
_TILE = re.compile(r"([a-z])([0-9+]*)")
_VERTEX = "(?:0|[1-9][0-9]{0,5})"
_LAID = re.compile(f"({_VERTEX}(?:-{_VERTEX}){{1,2}})=([a-z3]|[1-9][0-9]?)")
_MARKER = {str(marker): marker for marker in MARKERS}
_KEYS = ("layout", "terrain", "markers", "harbors", "fishing_grounds")


@dataclass(frozen=True)
class Board:
    """A board: what each tile is, which marker it carries, the harbors, and where fish are caught.

    Args:
        layout: a layout or its name.
        terrain: a terrain's name per tile; common names (wood, sheep, wheat, ...) count too.
        markers: a marker or None per tile: one on every tile but desert and sea, or none at all.
        harbors: harbors on coast edges that share no vertex.
        fishing_grounds: fishing grounds, each at a place of its own; none where none are laid yet.

    The pieces need not be those of the layout's box (`piece_differences` tells); everything else is checked.

    Raises:
        InvalidBoard: the wrong number of tiles, an unknown terrain, a marker where none belongs or none
            where one does, a harbor off the coast.
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
        laid = sorted(layout.check_harbors(harbors, names), key=attrgetter("vertices"))
        caught = sorted(layout.check_grounds(fishing_grounds), key=attrgetter("vertices"))
        vars(self).update(vars(board_of(layout, names, numbers, tuple(laid), tuple(caught))))

    # Questions

    @property
    def has_markers(self) -> bool:
        """Whether the markers are on the board yet."""
        return any(marker is not None for marker in self.markers)

    def vertex_pips(self) -> tuple[int, ...]:
        """Return, per vertex, the pips (ways out of 36) of the tiles that it touches."""
        ways = [self.layout.marker_pips(marker) for marker in self.markers]
        return tuple(sum(ways[t] for t in tiles) for tiles in self.layout.vertex_tiles)

    def terrain_pips(self) -> dict[str, int]:
        """Return, per terrain on the board that can carry markers, the pips of its tiles."""
        totals = {name: 0 for name in piece_counts(self.terrain) if name not in UNNUMBERED}
        for name, marker in zip(self.terrain, self.markers, strict=True):
            if name in totals:
                totals[name] += self.layout.marker_pips(marker)
        return totals

    def piece_differences(self) -> dict[str | int, int]:
        """Return how the pieces differ from the layout's box, as more (+) or fewer (-) than it holds.

        Keys are terrains, and markers beyond the supply; empty when the box fills the board exactly.
        """
        more = Counter(self.terrain)
        more.subtract(self.layout.terrain_counts)
        found: dict[str | int, int] = {name: more[name] for name in self.layout.all_terrains if more[name]}
        for marker in MARKERS:
            extra = self.markers.count(marker) - self.layout.marker_supply.get(marker, 0)
            if extra > 0:
                found[marker] = extra
        return found

    def moved(self, symmetry: int) -> Board:
        """Return the board after the layout's rotation or mirror number *symmetry*, harbors, grounds and all.

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
        places = [(ground.vertices, ground.marker) for ground in self.fishing_grounds]
        grounds = [FishingGround((vertices[a], vertices[b], vertices[c]), m) for (a, b, c), m in places]
        return Board(self.layout, terrain, markers, harbors, grounds)

    # Text

    def notation(self) -> str:
        """Return the board on one line, e.g. ``o10w2l9/...:printed``; `from_notation` reads it back.

        It ends with ``@name`` unless the layout is one of `CLASSIC`; on a layout of your own, reading needs
        that layout.
        """
        layout = self.layout
        line = "/".join("".join(row) for row in self._cells())
        printed = self.harbors == tuple(sorted(layout.printed_harbors, key=attrgetter("vertices")))
        laid = ["printed"] if self.harbors and printed else [*map(_laid_text, self.harbors)]
        laid += map(_laid_text, self.fishing_grounds)
        line += ":" + ",".join(laid) if laid else ""
        if layout.is_built_in:
            return line if layout.name in CLASSIC else f"{line}@{layout.name}"
        return f"{line}@{OWN if layout.name in LAYOUTS else ''}{layout.name}"

    def pattern(self, keep: str | Collection[int] = "terrain") -> str:
        """Return a pattern of this board: ``Rules(pattern=...)`` fills what it leaves open.

        Args:
            keep: ``"terrain"`` or ``"markers"`` of all tiles, or the numbers of the tiles to keep whole.

        Raises:
            InvalidArgument: anything else.
        """
        if not isinstance(keep, Collection) or (isinstance(keep, str) and keep not in ("terrain", "markers")):
            raise InvalidArgument(f"keep is 'terrain', 'markers' or the numbers of tiles, not {show(keep)}")
        tiles: Collection[object] = () if isinstance(keep, str) else keep
        if wrong := [t for t in tiles if whole_number(t) not in range(self.layout.n_tiles)]:
            raise InvalidArgument(
                f"keep names tile {show(wrong[0])}; tiles are 0 to {self.layout.n_tiles - 1}"
            )
        letter = {name: key for key, name in self.layout.letters.items()}
        cells = []
        for tile, (name, marker) in enumerate(zip(self.terrain, self.markers, strict=True)):
            kept = letter[name] if keep == "terrain" or tile in tiles else "x"
            cells.append(kept + str(marker or "") * (keep == "markers" or tile in tiles))
        rows = "/".join("".join(cells[t] for t in row) for row in self.layout.row_tiles)
        _, at, layout = self.notation().partition("@")
        return rows + at + layout

    def _cells(self) -> list[list[str]]:
        """Per row, what stands on each tile: its letter, with its marker or markers behind it."""
        letter, words = {name: key for key, name in self.layout.letters.items()}, self.layout.marker_words
        cells = [
            letter[name] + words[marker] for name, marker in zip(self.terrain, self.markers, strict=True)
        ]
        return [[cells[t] for t in row] for row in self.layout.row_tiles]

    @classmethod
    def from_solution(cls, solution: Any, layout: str | Layout = "base") -> Board:
        """Return the board of a solution of `catan_cp.board_instance`, or of `catan_cp.terrain_instance`.

        Args:
            solution: what ``solve()`` returns, or, where it returns many, an item of its ``solution``: an
                object or a mapping with the models' names ``terrain`` and, where there are any, ``marker``
                (0 for none), ``harbor`` and ``ground``.
            layout: the layout of the instance, or its name.

        Raises:
            InvalidBoard: there is no solution, or more than one, or it is none of this layout's.
        """
        layout = find_layout(layout)
        one = getattr(solution, "solution", solution)
        named = one if isinstance(one, Mapping) else getattr(one, "__dict__", {})
        if "terrain" not in named:
            what = "no solution with a terrain"
            if isinstance(one, list):
                what = f"{len(one)} solutions; choose one"
            elif hasattr(solution, "status"):
                what += f" ({solution.status})"
            raise InvalidBoard(f"{what}, such as result.solution of board_instance(...).solve()")
        read = {name: named.get(name, []) for name in ("terrain", "marker", "harbor", "ground")}
        if not all(isinstance(codes, (list, tuple)) for codes in read.values()):
            raise InvalidBoard(f"a solution for {layout.name!r} has lists of numbers, not {show(read)}")
        terrain, markers, trades, numbers = read.values()
        names, places = layout.all_terrains, layout.harbor_places if trades else ()
        spots, none = layout.ground_places if numbers else (), len(layout.all_terrains) + 1
        if not (
            all(type(code) is int for codes in read.values() for code in codes)
            and (len(trades), len(numbers)) == (len(places), len(spots))
            and all(0 < code < none for code in terrain)
            and all(0 <= code <= none for code in trades)
        ):
            raise InvalidBoard(f"a solution for {layout.name!r} has other numbers than {show(read)}")
        laid = {edge: code for edge, code in zip(places, trades, strict=True) if code != none}
        return cls(
            layout,
            [names[code - 1] for code in terrain],
            [marker or None for marker in markers] or None,
            [Harbor(edge, names[code - 1] if code else "3:1") for edge, code in laid.items()],
            [FishingGround(*each) for each in zip(spots, numbers, strict=True) if each[1]],
        )

    @classmethod
    def from_notation(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from its notation, the one line that `notation` returns.

        Unless it is given, the layout is the one named behind ``@``, else the one of `CLASSIC` with
        these rows.

        Raises:
            InvalidBoard: a wrong letter, marker, row length or harbor, named with its row; a layout of your
                own that is not given; another layout than the one given.
        """
        line = _sized(text, "notation").strip()
        if "\n" in line:
            raise InvalidBoard("a notation must be one line, not several; Board.notation() returns it")
        rows_text, laid_text, name = parts(line)
        rows = [_split_row(row, number) for number, row in enumerate(rows_text, start=1)]
        lengths = tuple(len(row) for row in rows)
        if layout is None and name is None:  # a wrong letter is told before a wrong length
            for number, row in enumerate(rows, start=1):
                _read_row(row, number, LAYOUTS["base"])
        layout = _layout_of(lengths, name) if layout is None else find_layout(layout)
        if name is not None and name.removeprefix(OWN) != layout.name:
            raise InvalidBoard(f"the board's layout is {show(name)}, not {show(layout.name)}")
        if name is not None and name.startswith(OWN) and layout.is_built_in:
            raise InvalidBoard(
                f"the board's layout is one of your own called {show(layout.name)}; give that one"
            )
        if layout.rows != lengths:
            wanted = f"{show(layout.name)}, which has {_dashed(layout.rows)}"
            raise InvalidBoard(f"rows of {_dashed(lengths)} tiles do not make {wanted}")
        cells = [cell for number, row in enumerate(rows, start=1) for cell in _read_row(row, number, layout)]
        laid = laid_text.split(",") if laid_text else []
        each = [_read_laid(part) for part in laid if part != "printed"]
        harbors = [harbor for harbor in each if isinstance(harbor, Harbor)]
        if "printed" in laid:
            if not layout.printed_harbors:
                raise InvalidBoard(f"no harbors are printed on {show(layout.name)}")
            if harbors or laid.count("printed") > 1:
                raise InvalidBoard(f"'printed' stands once, for all harbors, not as in {show(laid_text)}")
            harbors = [*layout.printed_harbors]
        grounds = [ground for ground in each if isinstance(ground, FishingGround)]
        return cls(layout, [name for name, _ in cells], [marker for _, marker in cells], harbors, grounds)

    def to_json(self) -> str:
        """Return the board as a JSON object with the keys layout, terrain, markers and harbors.

        Where fishing grounds are laid, it has the key fishing_grounds too.

        Raises:
            InvalidBoard: a layout of your own has the name of a built-in one, and would be taken for it.
        """
        name = self.layout.name
        if name in LAYOUTS and not self.layout.is_built_in:
            raise InvalidBoard(f"this layout is not the one called {show(name)}; give it a name of its own")
        value: dict[str, Any] = {
            "layout": name,
            "terrain": self.terrain,
            "markers": self.markers,
            "harbors": [{"vertices": h.vertices, "trade": h.trade} for h in self.harbors],
        }
        if self.fishing_grounds:
            value["fishing_grounds"] = [
                {"vertices": g.vertices, "marker": g.marker} for g in self.fishing_grounds
            ]
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from the JSON that `to_json` writes; one on a layout of your own needs that *layout*.

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
        layout = find_layout(value["layout"] if layout is None else layout)
        if value["layout"] != layout.name:
            raise InvalidBoard(f"the board's layout is {show(value['layout'])}, not {show(layout.name)}")
        harbors = _json_laid(value, "harbors", "trade", '[4, 5], "trade": "3:1"')
        grounds = _json_laid(value, "fishing_grounds", "marker", '[4, 5, 0], "marker": 6')
        return cls(
            layout,
            value["terrain"],
            value.get("markers"),
            [Harbor(*each) for each in harbors],
            [FishingGround(*each) for each in grounds],
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
        told = []
        for kind, laid in (("harbors", self.harbors), ("fishing grounds", self.fishing_grounds)):
            if laid:
                texts = (f"{_said(each)} at {'-'.join(map(str, each.vertices))}" for each in laid)
                told.append(f"{kind}: {', '.join(texts)}")
        if "@" in (notation := self.notation()):
            told.append("@" + notation.partition("@")[2])
        lines += ["", *told] if told else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        layout = "" if self.layout.is_built_in else f", {self.layout!r}"
        return f"Board.from_notation({self.notation()!r}{layout})"

    # Pictures

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the board; the same as `catan_cp.plot_board`."""
        from catan_cp import plot_board

        return plot_board(self, ax=ax, **options)

    def _repr_png_(self) -> bytes:
        """Return the picture for notebooks that nobody trusts yet: they show no SVG, but PNG."""
        picture: bytes = self.plot()._repr_png_()  # type: ignore[attr-defined]
        return picture

    def _repr_svg_(self) -> str:
        from catan_cp import board_svg

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
    layout = _layout_of_size(len(terrain)) if layout is None else find_layout(layout)
    return layout, _checked_terrain(layout, terrain)


def board_of(
    layout: Layout,
    terrain: tuple[str, ...],
    markers: tuple[int | None, ...],
    harbors: tuple[Harbor, ...],
    fishing_grounds: tuple[FishingGround, ...] = (),
) -> Board:
    """Return a board of parts that are known to be right, without the checks that take most of the time.

    Harbors and fishing grounds come in the order of their vertices.
    """
    board = object.__new__(Board)
    board.__dict__.update(
        layout=layout, terrain=terrain, markers=markers, harbors=harbors, fishing_grounds=fishing_grounds
    )
    return board


# ---- The texts that a board is: its rows, its harbors, and which layout they are of


def random_boards(n: int, layout: str | Layout = "base", seed: int | None = None) -> list[Board]:
    """Return *n* boards without rules: the layout's terrain tiles and number tokens, shuffled.

    The same *seed* gives the same boards. Without a seed they differ from call to call.

    Raises:
        InvalidArgument: *n* is not a number of 1 or more.
    """
    layout, rng = find_layout(layout), random_source(seed)

    def shuffled(pool: Pool, tiles: Sequence[int]) -> Iterator[tuple[int, Any]]:
        pieces = [piece for piece, count in pool.pieces.items() for _ in range(count)]
        return zip(tiles, rng.sample(pieces, len(tiles)), strict=True)

    boards = []
    for _ in range(check_count("boards", n, 1)):
        terrain, markers = dict(layout.fixed_terrain), dict(layout.fixed_markers)
        for pool in layout.terrain_pools:
            terrain |= shuffled(pool, pool.tiles)
        for pool in layout.marker_pools:
            markers |= shuffled(pool, [t for t in pool.tiles if terrain[t] not in layout.unnumbered])
        every = range(layout.n_tiles)
        boards.append(Board(layout, [terrain[t] for t in every], [markers.get(t) for t in every]))
    return boards


def _sized(text: object, kind: str) -> str:
    """Return the text, if it is one and not too long."""
    if not isinstance(text, str):
        raise InvalidBoard(f"{kind} is text, not {show(text)}")
    if len(text) > MAX_INPUT:
        raise InvalidBoard(f"this {kind} has {len(text)} characters; a board has at most {MAX_INPUT}")
    return text


def parts(line: str) -> tuple[list[str], str, str | None]:
    """Return the rows, what is laid along the coast, and the layout's name of a notation."""
    body, at, name = line.partition("@")
    tiles, colon, harbors = body.partition(":" if ":" in body else " ")
    if colon == ":" and not harbors:
        raise InvalidBoard(f"no harbors stand behind the colon of {show(line)}")
    return tiles.split("/"), harbors, name if at else None


def _split_row(row: str, number: int) -> list[tuple[str, str]]:
    """Return the letter and the digits of each tile of a row."""
    if not _ROW.fullmatch(row):
        said = f"row {number} of the notation, {show(row)},"
        raise InvalidBoard(f"{said} is not small letters, each with its marker straight after it")
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


def _read_laid(part: str) -> Harbor | FishingGround:
    """Return what a notation tells as "4-5=3" or "4-5-0=6"."""
    match = _LAID.fullmatch(part)
    vertices, said = (tuple(map(int, match[1].split("-"))), match[2]) if match else ((), "")
    if len(vertices) == 2 and said in LETTER_TRADE:
        return Harbor((vertices[0], vertices[1]), LETTER_TRADE[said])
    if len(vertices) == 3 and said.isdigit():
        return FishingGround((vertices[0], vertices[1], vertices[2]), int(said))
    raise InvalidBoard(
        f"{show(part)} is not a harbor: VERTEX-VERTEX=TRADE, TRADE one of 3 b g w o l; nor a fishing ground: "
        "VERTEX-VERTEX-VERTEX=MARKER"
    )


def _laid_text(laid: Harbor | FishingGround) -> str:
    """Return the same as a notation tells it."""
    said = _said(laid)
    return f"{'-'.join(map(str, laid.vertices))}={TRADE_LETTER.get(said, said)}"


def _said(laid: Harbor | FishingGround) -> str:
    """Return what a harbor trades, or the number of a fishing ground."""
    return laid.trade if isinstance(laid, Harbor) else str(laid.marker)


def _json_laid(value: Mapping[str, Any], key: str, said: str, such_as: str) -> list[tuple[Any, Any]]:
    """Return the vertices of each harbor or fishing ground of a JSON object, and what is *said* beside."""
    laid = value.get(key, [])
    if not isinstance(laid, list):
        raise InvalidBoard(f"{key} are a list, not {show(laid)}")
    for each in laid:
        if not isinstance(each, dict) or set(each) != {"vertices", said}:
            raise InvalidBoard(f'each of the {key} is like {{"vertices": {such_as}}}, not {show(each)}')
    return [(each["vertices"], each[said]) for each in laid]


def _layout_of(lengths: tuple[int, ...], name: str | None) -> Layout:
    """Return the layout of this name, or the classic one with rows of these lengths."""
    if name is not None:
        if name not in LAYOUTS:
            own = show(name.removeprefix(OWN))
            raise InvalidBoard(f"the board is of the layout {own}, which is not built in; give it as layout")
        return LAYOUTS[name]
    if found := [layout for layout in _classic() if layout.rows == lengths]:
        return found[0]
    known = listed(f"{layout.name} {_dashed(layout.rows)}" for layout in _classic())
    raise InvalidBoard(
        f"rows of {_dashed(lengths)} tiles make no layout; layouts are {known}, and those named behind @"
    )


def _layout_of_size(n: int) -> Layout:
    """Return the classic layout with so many tiles."""
    if found := [layout for layout in _classic() if layout.n_tiles == n]:
        return found[0]
    sizes = listed(f"{layout.name} {layout.n_tiles}" for layout in _classic())
    raise InvalidBoard(f"no layout has {n} tiles; layouts have {sizes}")


def _classic() -> Iterator[Layout]:
    return (LAYOUTS[name] for name in CLASSIC)


def _dashed(lengths: tuple[int, ...]) -> str:
    """Return the lengths of rows as text, the first twenty of them."""
    shown = "-".join(map(str, lengths[:20]))
    return shown if len(lengths) <= 20 else f"{shown}-..."


# ---- Checks


def _checked_terrain(layout: Layout, terrain: object) -> tuple[str, ...]:
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"terrain is a list of names, one per tile, not {show(terrain)}")
    if len(terrain) != layout.n_tiles:
        raise InvalidBoard(f"layout {layout.name!r} has {layout.n_tiles} tiles, not {len(terrain)}")
    return tuple(layout.terrain_name(word) for word in terrain)


def _checked_markers(layout: Layout, terrain: tuple[str, ...], markers: object) -> tuple[int | None, ...]:
    if not isinstance(markers, (list, tuple)):
        raise InvalidBoard(f"markers are a list, one or None per tile, not {show(markers)}")
    if len(markers) != len(terrain):
        raise InvalidBoard(
            f"{len(terrain)} tiles need {len(terrain)} markers (None where there is none), not {len(markers)}"
        )
    numbers = tuple(None if marker is None else whole_number(marker) for marker in markers)
    for tile, (name, number, given) in enumerate(zip(terrain, numbers, markers, strict=True)):
        if given is not None and number not in MARKERS:
            raise InvalidBoard(f"tile {tile} has the marker {show(given)}; markers are {listed(MARKERS)}")
        if number and not layout.carries_marker(tile, name):
            said = f"tile {tile} of {show(layout.name)} is {name}"
            raise InvalidBoard(f"{said}, which carries no marker there, but has {number}")
        if number is None and any(numbers) and layout.carries_marker(tile, name):
            raise InvalidBoard(f"tile {tile} ({name}) has no marker while others do; number all or none")
    return numbers
