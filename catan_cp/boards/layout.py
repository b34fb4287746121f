"""A layout: a set of hexagons and the pieces that fill it, with what is fixed and what is shuffled.

The built-in layouts are the files ``layouts/*.toml`` at the top of the repository, read when first asked for.

>>> base = LAYOUTS["base"]
>>> base.n_tiles, base.n_vertices, len(base.edges), len(base.adjacency("hex"))
(19, 54, 72, 42)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from catan_cp.arguments import did_you_mean, whole_number
from catan_cp.boards.coasts import FishingGround, Harbor, read_harbor
from catan_cp.boards.details import check_details
from catan_cp.boards.geometry import ADJACENCIES, Geometry
from catan_cp.boards.hexagons import Pair, Point
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    MARKERS,
    TERRAINS,
    UNNUMBERED,
    pips,
    read_further_terrains,
    read_marker_supply,
    read_markers,
    read_terrain_counts,
    terrain_name,
)
from catan_cp.errors import CatanError, InvalidBoard, listed, show
from catan_cp.hooks import hooked

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
]

CLASSIC = (
    "base", "base-5-6", "seafarers-6", "seafarers-7", "seafarers-8", "seafarers-9", "seafarers-10"
)  # fmt: skip
"""The layouts of the first version, whose boards' notation names no layout: their rows tell them apart."""

_NAME = re.compile(r"[^\s@:,/]{1,80}")


@dataclass(frozen=True)
class Pool:
    """Places whose pieces are shuffled among themselves.

    Attributes:
        number: the group's number; 0 is the main group.
        tiles: the tiles of the group whose piece is not fixed, in increasing order.
        pieces: how many of each terrain, or of each marker, lie on them.
    """

    number: int
    tiles: tuple[int, ...]
    pieces: Mapping[Any, int]


@dataclass(frozen=True, repr=False)
class Layout(Geometry):
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
        remarks: what the edition says beside.

    Raises:
        InvalidBoard: rows that do not interlock, pieces that do not fill them, or harbors off the coast.
    """

    name: str
    rows: tuple[int, ...]
    terrain_counts: Mapping[str, int]
    marker_supply: Mapping[int, int]
    target_efficiency: Mapping[str, float] = field(default_factory=dict)
    printed_harbors: tuple[Harbor, ...] = ()
    spiral_order: tuple[int, ...] = ()
    beginner_board: str = ""
    title: str = field(default="", kw_only=True)
    tiles: tuple[Point, ...] = field(default=(), kw_only=True)
    sea_frame: tuple[Point, ...] = field(default=(), kw_only=True)
    further_terrains: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    fixed_terrain: Mapping[int, str] = field(default_factory=dict, kw_only=True)
    fixed_markers: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    unmarked: frozenset[int] = field(default=frozenset(), kw_only=True)
    terrain_group: tuple[int, ...] = field(default=(), kw_only=True)
    marker_group: tuple[int, ...] = field(default=(), kw_only=True)
    group_terrain: Mapping[int, Mapping[str, int]] = field(default_factory=dict, kw_only=True)
    group_markers: Mapping[int, Mapping[int, int]] = field(default_factory=dict, kw_only=True)
    second_marker: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    inland: frozenset[str] = field(default=frozenset(), kw_only=True)
    pips_max: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    terrain_marker_pips_min: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    terrain_marker_pips_max: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    fixed_harbors: frozenset[Pair] = field(default=frozenset(), kw_only=True)
    movable_harbors: frozenset[Pair] = field(default=frozenset(), kw_only=True)
    fishing_grounds: tuple[FishingGround, ...] = field(default=(), kw_only=True)
    settle: frozenset[int] = field(default=frozenset(), kw_only=True)
    rivers: frozenset[int] = field(default=frozenset(), kw_only=True)
    spinning: frozenset[int] = field(default=frozenset(), kw_only=True)
    turned: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    sideways: bool = field(default=False, kw_only=True)
    remarks: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        settle = partial(object.__setattr__, self)
        if not isinstance(self.name, str):
            raise InvalidBoard(f"a layout's name is text, not {show(self.name)}")
        if not _NAME.fullmatch(self.name):
            raise InvalidBoard(f"a layout's name is a word without spaces, / : , or @, not {show(self.name)}")
        if self.tiles:
            tiles, frame = _read_centres(self.tiles, self.sea_frame)
            settle("tiles", tiles)
            settle("sea_frame", frame)
            settle("rows", tuple(len(row) for row in self.row_tiles))
        else:
            settle("rows", _read_rows(self.rows))
            settle("tiles", _rowed(self.rows))
            settle("sea_frame", _read_centres(self.tiles, self.sea_frame)[1])
        settle("further_terrains", MappingProxyType(read_further_terrains(self.further_terrains)))
        counts = read_terrain_counts(self.terrain_counts, tuple(self.further_terrains))
        if sum(counts.values()) != self.n_tiles:
            raise InvalidBoard(f"{show(counts)} does not fill the {self.n_tiles} tiles of {show(self.name)}")
        settle("terrain_counts", MappingProxyType(counts))
        settle("marker_supply", MappingProxyType(read_marker_supply(self.marker_supply)))
        settle("spiral_order", read_markers("spiral_order", self.spiral_order))
        settle("printed_harbors", tuple(self.check_harbors(self.printed_harbors)))
        if not isinstance(self.beginner_board, str):
            raise InvalidBoard(f"beginner_board is a notation, not {show(self.beginner_board)}")
        for name, value in check_details(self).items():
            settle(name, value)

    def __hash__(self) -> int:
        return hash((self.name, self.tiles))

    def __reduce__(self) -> tuple[Callable[..., Layout], tuple[Any, ...]]:
        """Travel without geometry; a built-in layout arrives as the one that is there already."""
        if self.is_built_in:
            return find_layout, (self.name,)
        return _made_of, ({name: _plain(value) for name, value in self._said().items()},)

    def __repr__(self) -> str:
        if self.is_built_in:
            return f"LAYOUTS[{self.name!r}]"
        return f"Layout({', '.join(f'{name}={_plain(value)!r}' for name, value in self._said().items())})"

    def _said(self) -> dict[str, Any]:
        """The arguments that make this layout, those left out that have their default."""
        said = {}
        for each in fields(self):
            value = getattr(self, each.name)
            default = each.default_factory() if each.default_factory is not MISSING else each.default
            if default is MISSING or value != default:
                said[each.name] = value
        if self.tiles == _rowed(self.rows):
            del said["tiles"]
        return said

    @property
    def is_built_in(self) -> bool:
        """Whether this is the built-in layout of its name."""
        return self.name in LAYOUTS and LAYOUTS[self.name] == self

    # Pieces

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        """The terrains in the box, ordered by code."""
        return tuple(self.terrain_counts)

    @cached_property
    def all_terrains(self) -> tuple[str, ...]:
        """The usual terrains and then this layout's further ones, ordered by code."""
        return (*TERRAINS, *self.further_terrains)

    @cached_property
    def terrain_codes(self) -> Mapping[str, int]:
        """The code of each of `all_terrains`, from 1."""
        return MappingProxyType({name: code for code, name in enumerate(self.all_terrains, start=1)})

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """The terrain of each letter of the notation."""
        further = {letter: name for name, letter in self.further_terrains.items()}
        return MappingProxyType({**LETTER_TERRAIN, **further})

    @cached_property
    def unnumbered(self) -> frozenset[str]:
        """The terrains that carry no marker: sea, desert and the further ones."""
        return UNNUMBERED.union(self.further_terrains)

    def carries_marker(self, tile: int, terrain: str) -> bool:
        """Whether a tile has a marker where it is of this terrain."""
        return terrain not in self.unnumbered and tile not in self.unmarked

    @property
    def n_numbered(self) -> int:
        """How many tiles carry a marker when the box's own pieces are used."""
        land = sum(n for name, n in self.terrain_counts.items() if name not in self.unnumbered)
        return land - len(self.unmarked)

    def terrain_name(self, word: object) -> str:
        """Return the terrain that *word* names; common names (wood, sheep, wheat, ...) count too.

        Raises:
            InvalidBoard: this layout has no such terrain.
        """
        return terrain_name(word, tuple(self.further_terrains))

    def numbers_of(self, marker: int | None) -> tuple[int, ...]:
        """Return *marker* and the second marker that lies beside it, where there is one; none for None."""
        if marker is None:
            return ()
        return (marker, self.second_marker[marker]) if marker in self.second_marker else (marker,)

    def marker_pips(self, marker: int | None) -> int:
        """Return the ways, out of 36, to roll *marker* or the second marker that lies beside it."""
        return self._marker_pips[marker]

    @cached_property
    def _marker_pips(self) -> Mapping[int | None, int]:
        return {marker: sum(map(pips, self.numbers_of(marker))) for marker in (None, *MARKERS)}

    @cached_property
    def terrain_pools(self) -> tuple[Pool, ...]:
        """The groups within which terrains are shuffled, by their number; fixed tiles are in none."""
        pieces: dict[int, Mapping[str, int]] = {**self.group_terrain}
        left = dict(self.terrain_counts)
        for name in self.fixed_terrain.values():
            left[name] -= 1
        for counts in pieces.values():
            for name, n in counts.items():
                left[name] -= n
        pieces[0] = MappingProxyType({name: n for name, n in left.items() if n})
        groups = self.terrain_group or (0,) * self.n_tiles
        return _pools(groups, pieces, frozenset(self.fixed_terrain))

    @cached_property
    def marker_pools(self) -> tuple[Pool, ...]:
        """The groups within which markers are shuffled, by their number.

        Their tiles are those that may carry a marker and have no fixed one; what is sea or desert on a board
        carries none all the same.
        """
        pieces: dict[int, Mapping[int, int]] = {**self.group_markers}
        left = dict(self.marker_supply)
        for marker in self.fixed_markers.values():
            left[marker] -= 1
        for supply in pieces.values():
            for marker, n in supply.items():
                left[marker] -= n
        pieces[0] = MappingProxyType({marker: n for marker, n in left.items() if n})
        bare = {t for t, name in self.fixed_terrain.items() if name in self.unnumbered}
        groups = self.marker_group or self.terrain_group or (0,) * self.n_tiles
        return _pools(groups, pieces, self.unmarked.union(self.fixed_markers, bare))

    @property
    def laid_harbors(self) -> tuple[Harbor, ...]:
        """The printed harbors; none where they may move, for their printed places suit the printed board."""
        return () if self.movable_harbors else self.printed_harbors

    @cached_property
    def harbor_places(self) -> tuple[Pair, ...]:
        """The edges of the printed harbors; where some may move, also all where one might stand."""
        printed = tuple(harbor.vertices for harbor in self.printed_harbors)
        if not self.movable_harbors:
            return printed
        kept = tuple(edge for edge in printed if edge not in self.movable_harbors)
        taken = {v for edge in kept for v in edge}
        free = (edge for edge in self.edges if self._may_have_harbor(edge) and not taken.intersection(edge))
        return (*kept, *free)

    @property
    def special_demand(self) -> str | None:
        """What the layout demands beside that its box fills it, in words; None where it demands nothing."""
        demands = {
            "the fixed tiles": self.fixed_terrain,
            "the fixed markers": self.fixed_markers,
            "the groups of tiles": self.terrain_group,
            "the groups of markers": self.marker_group,
            "the further terrains": self.further_terrains,
            "the second marker": self.second_marker,
            "the bounds on pips": self.pips_max
            or self.terrain_marker_pips_min
            or self.terrain_marker_pips_max,
            "the inland terrain": self.inland,
        }
        return next((words for words, said in demands.items() if said), None)

    def _keeps_places(self, moved: Sequence[int]) -> bool:
        tables = (self.fixed_terrain, self.fixed_markers, self.pips_max)
        groups = [group for group in (self.terrain_group, self.marker_group) if group]
        return all(
            all(table.get(t) == table.get(to) for table in tables)
            and (t in self.unmarked) == (to in self.unmarked)
            and all(group[t] == group[to] for group in groups)
            for t, to in enumerate(moved)
        )

    def check_harbors(self, harbors: Sequence[Harbor], terrain: Sequence[str] | None = None) -> list[Harbor]:
        """Return *harbors* with the lower vertex first, in the order given.

        With the *terrain* of each tile, one between two tiles has to lie between land and sea.

        Raises:
            InvalidBoard: an unknown trade, a place off the coast, or two harbors that share a vertex.
        """
        if not isinstance(harbors, (list, tuple)):
            raise InvalidBoard(f"harbors are a list, not {show(harbors)}")
        taken: set[int] = set()
        checked = [read_harbor(harbor) for harbor in harbors]
        for harbor in checked:
            a, b = harbor.vertices
            if not self._may_have_harbor((a, b)):
                raise InvalidBoard(f"{show(a)}-{show(b)} is no edge of the coast of {show(self.name)}")
            between = [] if terrain is None else [terrain[t] == "sea" for t in self.edge_tiles[a, b]]
            if len(between) == 2 and between[0] == between[1]:
                raise InvalidBoard(f"the harbor at {a}-{b} does not lie between land and sea")
            if taken & {a, b}:
                raise InvalidBoard(f"the harbor at {a}-{b} shares a vertex with another")
            taken |= {a, b}
        return checked

    @cached_property
    def _rim(self) -> frozenset[Pair]:
        return frozenset(self.coast_edges)

    def _may_have_harbor(self, edge: Pair) -> bool:
        return edge in self._rim or ("sea" in self.terrain_counts and edge in self.edge_tiles)

    # Files

    @classmethod
    def from_toml(cls, path: str | Path) -> Layout:
        """Read a layout from a file as `docs/layouts.md` describes it; its name is the file's.

        Raises:
            InvalidBoard: the file cannot be read, or says what cannot be, with the line and the reason.
        """
        layout: Layout = hooked("read_layout_file")(Path(path))
        return layout

    def to_toml(self) -> str:
        """Return the text of a file that `from_toml` reads back as this layout."""
        text: str = hooked("write_layout")(self)
        return text


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

    def __init__(self) -> None:
        self._read: dict[str, Layout] = {}

    @cached_property
    def _files(self) -> dict[str, Path]:
        folder = layouts_dir()
        found = {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}
        return {name: found[name] for name in (*CLASSIC, *(name for name in found if name not in CLASSIC))}

    def __getitem__(self, name: str) -> Layout:
        if name not in self._read:
            path = self._files[name]
            text = path.read_text(encoding="utf-8")
            self._read[name] = hooked("read_layout")(text, name, path.name, built_in=True)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"LAYOUTS({listed(self)})"


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


def _made_of(values: dict[str, Any]) -> Layout:
    return Layout(**values)


def _plain(value: Any) -> Any:
    """The value without read-only wrappers, which can neither be pickled nor evaluated."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def _rowed(rows: Sequence[int]) -> tuple[Point, ...]:
    """The centres of rows of hexagons, each centred above the next."""
    return tuple((2 * i - (n - 1), 3 * row) for row, n in enumerate(rows) for i in range(n))


def _pools(
    groups: Sequence[int], pieces: Mapping[int, Mapping[Any, int]], without: frozenset[int]
) -> tuple[Pool, ...]:
    tiles: dict[int, list[int]] = {}
    for tile, group in enumerate(groups):
        if tile not in without:
            tiles.setdefault(group, []).append(tile)
    numbers = sorted({*tiles, *(group for group, here in pieces.items() if here)})
    return tuple(Pool(g, tuple(tiles.get(g, ())), MappingProxyType(dict(pieces.get(g, {})))) for g in numbers)


def _read_rows(rows: object) -> tuple[int, ...]:
    lengths = [whole_number(n) for n in rows] if isinstance(rows, (list, tuple)) else []
    known = tuple(n for n in lengths if n is not None and n > 0)
    if not known or len(known) != len(lengths) or any(abs(a - b) != 1 for a, b in pairwise(known)):
        raise InvalidBoard(
            f"rows {show(rows)} do not interlock: they are numbers of tiles, and neighbours differ by one"
        )
    return known


def _read_centres(tiles: object, frame: object) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """The centres of tiles and frame, moved so that the tiles start in row 0 and have x about 0."""
    centres, sea = (_points(points) for points in (tiles, frame))
    if list(centres) != sorted(centres, key=_reading_order):
        raise InvalidBoard("the centres of tiles are given in reading order: row by row, each from the left")
    if len(set(centres + sea)) != len(centres + sea):
        raise InvalidBoard("two hexagons have the same centre")
    if any(y % 3 for _, y in centres + sea) or len({(x + y // 3) % 2 for x, y in centres + sea}) > 1:
        raise InvalidBoard("the centres of hexagons do not interlock: rows are 3 apart and shifted by 1")
    xs = [x for x, _ in centres]
    left, top = (min(xs) + max(xs)) // 2, centres[0][1]
    return tuple((x - left, y - top) for x, y in centres), tuple(
        (x - left, y - top) for x, y in sorted(sea, key=_reading_order)
    )


def _reading_order(point: Point) -> Point:
    return point[1], point[0]


def _points(points: object) -> tuple[Point, ...]:
    if not isinstance(points, (list, tuple)):
        raise InvalidBoard(f"centres are a list of points (x, y), not {show(points)}")
    found = []
    for point in points:
        both = [whole_number(n) for n in point] if isinstance(point, (list, tuple)) else []
        if len(both) != 2 or both[0] is None or both[1] is None:
            raise InvalidBoard(f"a centre is a point (x, y) of whole numbers, not {show(point)}")
        found.append((both[0], both[1]))
    return tuple(found)


LAYOUTS: Mapping[str, Layout] = _Layouts()
"""The built-in layouts by name, those of `CLASSIC` first. Read-only; each file is read on first use."""
