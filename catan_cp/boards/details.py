"""Fields of a layout, with the check and the file key of each field.

`LayoutFields` declares each field once: its default, its check, and how a layout file stores it. `Layout`
adds files and text. When a layout is created, the shape is checked first, then `further_terrains`, then every
other field in the order of declaration. A check gets the layout with all earlier fields checked. It returns
the value in normal form, so that layouts with equal meaning are equal, or raises `InvalidBoard`.

This layout has three tiles, with a fixed desert at the top. Its terrain names and the order of its pieces are
put into normal form. The main group has the pieces that are not on fixed tiles:

>>> from catan_cp import Layout
>>> box = {"wheat": 1, "ore": 1, "desert": 1}
>>> trio = Layout("trio", [1, 2], box, {8: 1, 6: 1}, fixed_terrain={0: "desert"})
>>> dict(trio.terrain_counts), dict(trio.marker_supply)
({'desert': 1, 'grain': 1, 'ore': 1}, {6: 1, 8: 1})
>>> group, = trio.terrain_pools
>>> group.number, group.tiles, dict(group.pieces)
(0, (1, 2), {'grain': 1, 'ore': 1})
>>> Layout("trio", [1, 2], box, {6: 1}, fixed_terrain={3: "desert"})
Traceback (most recent call last):
    ...
catan_cp.errors.InvalidBoard: a tile of fixed_terrain must be from 0 to 2, not 3
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

from catan_cp.boards import geometry
from catan_cp.boards.pieces import (
    LETTER_TERRAIN,
    MARKERS,
    TERRAINS,
    TRADES,
    UNNUMBERED,
    FishingGround,
    Harbor,
    Three,
    lower_first,
    pips,
    read_further_terrains,
    terrain_name,
)
from catan_cp.errors import InvalidBoard, listed, real_number, show, whole_number

_LAYOUT_NAME = re.compile(r"[^\s@:,/]{1,80}")

GAMES = ("base", "seafarers", "cities-knights", "traders-barbarians", "explorers-pirates")
"""The games and expansions that a layout may name."""

Form = Literal["drawn", "value", "names", "numbers"]
FieldCheck = Callable[[str, Any, "LayoutFields"], Any]
"""Function from a label for messages, a value and the layout to the value in normal form.

The label names the field, or the part of the field that has this value. Raises `InvalidBoard` if invalid."""


@dataclass(frozen=True)
class Pool:
    """Group of tiles whose pieces are shuffled among themselves.

    Attributes:
        number: the group's number, 0 for the main group.
        tiles: the tiles of the group without a fixed piece, in increasing order.
        pieces: the number of pieces of each terrain, or of each marker.
    """

    number: int
    tiles: tuple[int, ...]
    pieces: Mapping[Any, int]


@dataclass(frozen=True)
class FieldEntry:
    """Check of a field, and its form in a layout file.

    Attributes:
        check: the check of its value, or None for the shape, whose fields are checked together.
        form: ``"value"`` for a value. ``"names"`` or ``"numbers"`` for a table, by the type of its keys.
            ``"drawn"`` for a field without a key, which the reader derives from the file's drawing of the
            tiles and the lists beside it.
        key: its key in a file, if that differs from the name of the field.
    """

    check: FieldCheck | None
    form: Form
    key: str


# Checks of single values


def _normal_value(allowed: str, normal_form: Callable[[Any], Any]) -> FieldCheck:
    """Return a check that applies *normal_form*, which returns None if invalid."""

    def checked(label: str, value: object, layout: LayoutFields) -> Any:
        normal = normal_form(value)
        if normal is None:
            raise InvalidBoard(f"{label} must be {allowed}, not {show(value)}")
        return normal

    return checked


def _of(kind: type, allowed: str) -> FieldCheck:
    return _normal_value(allowed, lambda value: value if isinstance(value, kind) else None)


def _one_of(numbers: Collection[int], allowed: str = "") -> FieldCheck:
    def normal_form(value: object) -> int | None:
        number = whole_number(value)
        return number if number in numbers else None

    return _normal_value(allowed or f"one of {listed(numbers)}", normal_form)


_text, _notation, _flag = _of(str, "text"), _of(str, "a notation"), _of(bool, "true or false")
_finite, _marker = _normal_value("a number", real_number), _one_of(MARKERS)
_count = _one_of(range(1_000_000), "a whole number from 0 to 999,999")
_group = _one_of(range(100), "a whole number from 0 to 99")


def _checked_name(label: str, value: object, layout: LayoutFields) -> str:
    if not isinstance(value, str) or not _LAYOUT_NAME.fullmatch(value):
        raise InvalidBoard(f"a layout's name must be a word without spaces, / : , or @, not {show(value)}")
    return value


def _game(label: str, value: object, layout: LayoutFields) -> str:
    names = value.split("+") if isinstance(value, str) else []
    if value != "" and (not names or not {*names} <= {*GAMES} or len({*names}) < len(names)):
        raise InvalidBoard(f"{label} must be {listed(GAMES)}, or several joined by +, not {show(value)}")
    return "+".join(names)


def _terrain(label: str, value: object, layout: LayoutFields) -> str:
    return layout.terrain_name(value)


def _tile(label: str, value: object, layout: LayoutFields) -> int:
    tile: int = _one_of(range(layout.n_tiles), f"from 0 to {layout.n_tiles - 1}")(label, value, layout)
    return tile


def _harbor(label: str, value: object, layout: LayoutFields) -> Harbor:
    pair = geometry.whole_pair(value.vertices) if isinstance(value, Harbor) else None
    if pair is None or not isinstance(value, Harbor):
        raise InvalidBoard(f"{label} must be like Harbor((4, 5), 'ore'), not {show(value)}")
    if value.trade not in TRADES:
        raise InvalidBoard(f"unknown trade {show(value.trade)}; trades are {listed(TRADES)}")
    return Harbor(geometry.ordered(pair), value.trade)


def _harbor_edge(label: str, value: object, layout: LayoutFields) -> geometry.Pair:
    pair = geometry.whole_pair(value)
    if pair is None or geometry.ordered(pair) not in {harbor.vertices for harbor in layout.printed_harbors}:
        raise InvalidBoard(f"{label} must be the edge of a printed harbor, not {show(value)}")
    return geometry.ordered(pair)


def _ground(label: str, value: object, layout: LayoutFields) -> FishingGround:
    if not isinstance(value, FishingGround):
        raise InvalidBoard(f"{label} must be a FishingGround(vertices, marker), not {show(value)}")
    three = value.vertices if isinstance(value.vertices, (list, tuple)) else ()
    known = [v for v in map(whole_number, three) if v is not None and 0 <= v < layout.n_vertices]
    if not len(known) == len(three) == 3 or not {*known[::2]} <= {*layout.vertex_neighbors[known[1]]}:
        raise InvalidBoard(f"{label} must have three vertices in a row, not {show(value.vertices)}")
    marker = _marker(f"the marker of {label}", value.marker, layout)
    return FishingGround((known[0], known[1], known[2]), marker)


# Checks of lists and tables


def _list(
    element: str, check: FieldCheck, form: type[frozenset[Any]] | type[tuple[Any, ...]] = frozenset
) -> FieldCheck:
    """Return the check of a list of elements, whose normal form is a set or a tuple."""
    kinds = (list, tuple) if form is tuple else (list, tuple, set, frozenset)

    def checked(label: str, values: object, layout: LayoutFields) -> Any:
        if not isinstance(values, kinds):
            raise InvalidBoard(f"{label} must be a list of {element}s, not {show(values)}")
        return form(check(f"a {element} of {label}", value, layout) for value in values)

    return checked


def _table(key: str, values: str, check_key: FieldCheck, check_value: FieldCheck) -> FieldCheck:
    """Return the check of a mapping.

    The check sorts the mapping by its keys, unless they are terrains.
    """

    def checked(label: str, table: object, layout: LayoutFields) -> dict[Any, Any]:
        if not isinstance(table, Mapping):
            raise InvalidBoard(f"{label} must map {key}s to {values}, not {show(table)}")
        normal = {}
        for word, value in table.items():
            name = check_key(f"a {key} of {label}", word, layout)
            if name in normal:
                raise InvalidBoard(f"{label} names {name} twice, the second time as {show(word)}")
            normal[name] = check_value(f"{label} of {key} {name}", value, layout)
        return normal if check_key is _terrain else dict(sorted(normal.items()))

    return checked


_tiles, _markers = _list("tile", _tile), _list("marker", _marker, tuple)
_harbors, _harbor_edges = _list("harbor", _harbor, tuple), _list("place", _harbor_edge)
_all_grounds = _list("fishing ground", _ground, tuple)
_by_terrain = partial(_table, "terrain", "numbers", _terrain)
_by_tile = partial(_table, "tile", "values", _tile)
_supply = _table("marker", "numbers of pieces", _marker, _count)


def _pieces(label: str, value: object, layout: LayoutFields) -> dict[str, int]:
    """Return the number of tiles of each terrain, ordered by code, without zeros."""
    counts = _by_terrain(_count)(label, value, layout)
    return {name: counts[name] for name in layout.all_terrains if counts.get(name)}


def _terrain_counts(label: str, value: object, layout: LayoutFields) -> dict[str, int]:
    counts = _pieces(label, value, layout)
    if sum(counts.values()) != layout.n_tiles:
        raise InvalidBoard(f"{show(counts)} does not fill the {layout.n_tiles} tiles of {show(layout.name)}")
    return counts


def _fixed_markers(label: str, value: object, layout: LayoutFields) -> dict[int, int]:
    markers: dict[int, int] = _by_tile(_marker)(label, value, layout)
    fixed = layout.fixed_terrain
    if wrong := [tile for tile in markers if fixed.get(tile) in layout.unnumbered]:
        raise InvalidBoard(
            f"tile {wrong[0]} is {fixed[wrong[0]]}, which carries no marker, but has a fixed one"
        )
    return markers


def _unmarked(label: str, value: object, layout: LayoutFields) -> frozenset[int]:
    fixed, unnumbered = layout.fixed_terrain, layout.unnumbered
    unmarked: frozenset[int] = _tiles(label, value, layout)
    for tile in sorted(unmarked):
        if tile not in fixed or fixed[tile] in unnumbered or tile in layout.fixed_markers:
            raise InvalidBoard(
                f"tile {tile} cannot be unmarked; only fixed land that could carry a marker and has none can"
            )
    return unmarked


def _tile_groups(label: str, value: object, layout: LayoutFields) -> tuple[int, ...]:
    """Return the group of each tile, or an empty tuple for the default groups."""
    groups: tuple[int, ...] = _list("group", _group, tuple)(label, value, layout)
    if len(groups) not in (0, layout.n_tiles):
        n = layout.n_tiles
        raise InvalidBoard(f"{label} must be a list of {n} groups, one per tile, not of {len(groups)}")
    default = layout.tile_groups if label == "marker_group" else (0,) * layout.n_tiles
    return () if groups == default else groups


def _group_pieces(label: str, value: object, layout: LayoutFields) -> dict[int, dict[Any, int]]:
    """Return the pieces of each group except 0, which gets the remaining pieces."""
    is_terrain = label == "group_terrain"
    groups, pieces = (layout.tile_groups, _pieces) if is_terrain else (layout.marker_groups, _supply)
    box, fixed = ("terrain_counts", "fixed_terrain") if is_terrain else ("marker_supply", "fixed_markers")
    all_pieces, fixed_pieces = getattr(layout, box), getattr(layout, fixed)
    key = _one_of({*groups} - {0}, "the group of a tile, but not 0, which gets the remaining pieces")
    by_group: dict[int, dict[Any, int]] = _table("group", "their pieces", key, pieces)(label, value, layout)
    remaining = _remaining(all_pieces, fixed_pieces, by_group)
    if short := [piece for piece, n in remaining.items() if n < 0]:
        excess = f"{-remaining[short[0]]} more of {short[0]} than {box}"
        raise InvalidBoard(f"{label} and {fixed} together have {excess}")
    free_tiles = Counter(group for t, group in enumerate(groups) if t not in layout.fixed_terrain)
    for group in sorted({*groups} - {0}):
        n = sum(by_group.get(group, {}).values())
        if is_terrain and n != free_tiles[group]:
            raise InvalidBoard(
                f"group {group} must have one piece per open tile, {free_tiles[group]} in all, not {n}"
            )
    return {group: counts for group, counts in by_group.items() if counts}


def _remaining(
    box: Mapping[Any, int], fixed: Mapping[int, Any], groups: Mapping[int, Mapping[Any, int]]
) -> dict[Any, int]:
    """Return the pieces of the box minus those of fixed tiles and groups.

    Pieces with none left are omitted. A negative number means that fixed tiles and groups use
    more pieces than the box holds.
    """
    remaining = Counter(box)
    remaining.subtract(Counter(fixed.values()))
    for pieces in groups.values():
        remaining.subtract(pieces)
    return {piece: n for piece, n in remaining.items() if n}


def _second_markers(label: str, value: object, layout: LayoutFields) -> dict[int, int]:
    second: dict[int, int] = _table("marker", "another", _marker, _marker)(label, value, layout)
    if wrong := [first for first in second if layout.marker_supply.get(first) != 1]:
        raise InvalidBoard(f"only a marker that the box holds once can have a second one; {wrong[0]} is not")
    return second


# The fields


def _field(default: Any, check: FieldCheck | None, form: Form = "drawn", key: str = "") -> Any:
    """Return a dataclass field with its entry, required if *default* is `MISSING`."""
    metadata = {"entry": FieldEntry(check, form, key)}
    if default == {}:  # a mutable default needs a factory
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


_pips_by_terrain = _by_terrain(_one_of(range(6)))


@dataclass(frozen=True, repr=False)
class LayoutFields(geometry.HexGeometry):
    """Checked fields of a layout, and the pieces and places derived from them.

    `Layout` documents each field.
    """

    name: str = _field(MISSING, _checked_name)
    rows: tuple[int, ...] = _field(MISSING, None)
    terrain_counts: Mapping[str, int] = _field(MISSING, _terrain_counts)
    marker_supply: Mapping[int, int] = _field(MISSING, _supply)
    target_efficiency: Mapping[str, float] = _field({}, _by_terrain(_finite), "names")
    printed_harbors: tuple[Harbor, ...] = _field(
        (), lambda label, value, layout: tuple(layout.check_harbors(value))
    )
    spiral_order: tuple[int, ...] = _field((), _markers, "value")
    beginner_board: str = _field("", _notation)
    _: KW_ONLY
    title: str = _field("", _text, "value")
    tiles: tuple[geometry.Point, ...] = _field((), None)
    sea_frame: tuple[geometry.Point, ...] = _field((), None)
    further_terrains: Mapping[str, str] = _field(
        {}, lambda label, value, layout: read_further_terrains(value), "names", "terrains"
    )
    fixed_terrain: Mapping[int, str] = _field({}, _by_tile(_terrain))
    fixed_markers: Mapping[int, int] = _field({}, _fixed_markers)
    unmarked: frozenset[int] = _field(frozenset(), _unmarked)
    terrain_group: tuple[int, ...] = _field((), _tile_groups)
    marker_group: tuple[int, ...] = _field((), _tile_groups)
    group_terrain: Mapping[int, Mapping[str, int]] = _field({}, _group_pieces)
    group_markers: Mapping[int, Mapping[int, int]] = _field({}, _group_pieces)
    second_marker: Mapping[int, int] = _field({}, _second_markers, "numbers", "second_markers")
    inland: frozenset[str] = _field(frozenset(), _list("terrain", _terrain), "value")
    pips_max: Mapping[int, int] = _field({}, _by_tile(_one_of(range(1, 6))), "numbers")
    terrain_marker_pips_min: Mapping[str, int] = _field({}, _pips_by_terrain, "names", "marker_pips_min")
    terrain_marker_pips_max: Mapping[str, int] = _field({}, _pips_by_terrain, "names", "marker_pips_max")
    fixed_harbors: frozenset[geometry.Pair] = _field(frozenset(), _harbor_edges)
    movable_harbors: frozenset[geometry.Pair] = _field(frozenset(), _harbor_edges)
    fishing_grounds: tuple[FishingGround, ...] = _field((), _all_grounds)
    settle: frozenset[int] = _field(frozenset(), _tiles, "value")
    rivers: frozenset[int] = _field(frozenset(), _tiles, "value")
    spinning: frozenset[int] = _field(frozenset(), _tiles, "value")
    turned: Mapping[int, int] = _field({}, _by_tile(_one_of(range(0, 360, 60))), "numbers")
    sideways: bool = _field(False, _flag, "value")
    source: str = _field("", _text, "value")
    game: str = _field("", _game, "value")
    remarks: str = _field("", _text, "value")

    def __post_init__(self) -> None:
        assign = partial(object.__setattr__, self)  # the class is frozen
        tiles, frame = geometry.read_centres(
            self.tiles or geometry.row_centres(geometry.read_rows(self.rows)), self.sea_frame
        )
        assign("tiles", tiles)
        assign("sea_frame", frame)
        assign("rows", tuple(len(row) for row in self.row_tiles))
        for name in ("further_terrains", *ENTRIES):
            if check := ENTRIES[name].check:
                assign(name, _frozen(check(name, getattr(self, name), self)))
        self._check_printed_coast()

    # Pieces

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        """Terrains in the box, ordered by code."""
        return tuple(self.terrain_counts)

    @cached_property
    def all_terrains(self) -> tuple[str, ...]:
        """Built-in terrains, then the further terrains of this layout, ordered by code."""
        return (*TERRAINS, *self.further_terrains)

    @cached_property
    def terrain_codes(self) -> Mapping[str, int]:
        """Codes of `all_terrains`, from 1."""
        return MappingProxyType({name: code for code, name in enumerate(self.all_terrains, start=1)})

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """Terrain of each letter of the notation."""
        further = {letter: name for name, letter in self.further_terrains.items()}
        return MappingProxyType({**LETTER_TERRAIN, **further})

    @cached_property
    def letter_of(self) -> Mapping[str, str]:
        """Letter of each terrain in the notation."""
        return MappingProxyType({name: letter for letter, name in self.letters.items()})

    @cached_property
    def unnumbered(self) -> frozenset[str]:
        """Terrains without a marker: sea, desert and the further terrains."""
        return UNNUMBERED.union(self.further_terrains)

    def carries_marker(self, tile: int, terrain: str) -> bool:
        """Return True if a tile carries a marker when it has this terrain."""
        return terrain not in self.unnumbered and tile not in self.unmarked

    @property
    def n_numbered(self) -> int:
        """Number of tiles that carry a marker on a board with the pieces of the box."""
        land = sum(n for name, n in self.terrain_counts.items() if name not in self.unnumbered)
        return land - len(self.unmarked)

    def terrain_name(self, word: object) -> str:
        """Return the terrain of a name or common name (wood, sheep, wheat, ...).

        Raises:
            InvalidBoard: this layout has no terrain of this name.
        """
        return terrain_name(word, tuple(self.further_terrains))

    def numbers_of(self, marker: int | None) -> tuple[int, ...]:
        """Return *marker* and its second marker, if any, or an empty tuple for None."""
        if marker is None:
            return ()
        return (marker, self.second_marker[marker]) if marker in self.second_marker else (marker,)

    def marker_pips(self, marker: int | None) -> int:
        """Return the ways, out of 36, to roll *marker* or its second marker."""
        return self._marker_pips[marker]

    @cached_property
    def _marker_pips(self) -> Mapping[int | None, int]:
        return {marker: sum(map(pips, self.numbers_of(marker))) for marker in (None, *MARKERS)}

    @property
    def tile_groups(self) -> tuple[int, ...]:
        """Number of the group of each tile. Terrains are shuffled within each group."""
        return self.terrain_group or (0,) * self.n_tiles

    @property
    def marker_groups(self) -> tuple[int, ...]:
        """Number of the group of each tile. Markers are shuffled within each group."""
        return self.marker_group or self.tile_groups

    @cached_property
    def _possible_terrains(self) -> Mapping[int, Collection[str]]:
        """Terrains that each tile may have: its fixed terrain, or those of its group."""
        pooled = {t: pool.pieces.keys() for pool in self.terrain_pools for t in pool.tiles}
        return {t: {name} for t, name in self.fixed_terrain.items()} | pooled

    @cached_property
    def terrain_pools(self) -> tuple[Pool, ...]:
        """Groups in which terrains are shuffled, without fixed tiles, sorted by number."""
        remaining = _remaining(self.terrain_counts, self.fixed_terrain, self.group_terrain)
        return _pools(self.tile_groups, {**self.group_terrain, 0: remaining}, frozenset(self.fixed_terrain))

    @cached_property
    def marker_pools(self) -> tuple[Pool, ...]:
        """Groups in which markers are shuffled, sorted by number.

        Their tiles may carry a marker and have no fixed marker. If such a tile is sea or desert on a board,
        it carries no marker there.
        """
        remaining = _remaining(self.marker_supply, self.fixed_markers, self.group_markers)
        unnumbered = {t for t, name in self.fixed_terrain.items() if name in self.unnumbered}
        excluded = self.unmarked.union(self.fixed_markers, unnumbered)
        return _pools(self.marker_groups, {**self.group_markers, 0: remaining}, excluded)

    @property
    def marker_boxes(self) -> tuple[Pool, ...]:
        """Marker pools, and a pool of one tile for each fixed marker."""
        fixed = (Pool(0, (tile,), {marker: 1}) for tile, marker in self.fixed_markers.items())
        return (*self.marker_pools, *fixed)

    @property
    def laid_harbors(self) -> tuple[Harbor, ...]:
        """Printed harbors, or an empty tuple if any harbor may move.

        If harbors may move, the printed places suit only the printed terrain.
        """
        return () if self.movable_harbors else self.printed_harbors

    @cached_property
    def immovable_harbors(self) -> frozenset[geometry.Pair]:
        """Edges of the printed harbors that never move."""
        return frozenset(harbor.vertices for harbor in self.printed_harbors) - self.movable_harbors

    @cached_property
    def harbor_places(self) -> tuple[geometry.Pair, ...]:
        """Edges that may have a harbor.

        Without movable harbors these are the edges of the printed ones. Otherwise they are the edges of the
        immovable ones, then all possible edges that share no vertex with them.
        """
        printed = tuple(harbor.vertices for harbor in self.printed_harbors)
        if not self.movable_harbors:
            return printed
        unmoved = tuple(edge for edge in printed if edge in self.immovable_harbors)
        occupied = {v for edge in unmoved for v in edge}
        free = (
            edge for edge in self.edges if self._may_have_harbor(edge) and not occupied.intersection(edge)
        )
        return (*unmoved, *free)

    def ground_hexagon(self, vertices: Three) -> geometry.Point:
        """Return the centre m of the hexagon with vertices a, b, c in a row.

        The formula is m = a + c - b.
        """
        (ax, ay), (bx, by), (cx, cy) = (self.vertices[v] for v in vertices)
        return ax + cx - bx, ay + cy - by

    @property
    def ground_places(self) -> tuple[Three, ...]:
        """Three vertices of each fishing ground, from the end with the lower number."""
        return tuple(lower_first(ground.vertices) for ground in self.fishing_grounds)

    def check_grounds(self, grounds: Sequence[FishingGround]) -> list[FishingGround]:
        """Return *grounds* in the same order, each from the end with the lower number.

        Raises:
            InvalidBoard: vertices that are not three in a row, an unknown marker, or two grounds at one
                place.
        """
        checked = _all_grounds("fishing_grounds", grounds, self)
        places = [lower_first(ground.vertices) for ground in checked]
        if repeated := [place for place in places if places.count(place) > 1]:
            raise InvalidBoard(f"two fishing grounds are at {'-'.join(map(str, repeated[0]))}")
        return [FishingGround(place, g.marker) for place, g in zip(places, checked, strict=True)]

    def _keeps_requirements(self, permutation: Sequence[int]) -> bool:
        tables = (self.fixed_terrain, self.fixed_markers, self.pips_max)

        def requirements(t: int) -> list[object]:
            groups = self.tile_groups[t], self.marker_groups[t]
            return [t in self.unmarked, *groups, *(table.get(t) for table in tables)]

        return all(requirements(t) == requirements(target) for t, target in enumerate(permutation))

    def check_harbors(self, harbors: Sequence[Harbor], terrain: Sequence[str] | None = None) -> list[Harbor]:
        """Return *harbors* in the same order, each with the lower vertex first.

        Args:
            harbors: the harbors.
            terrain: the terrain of each tile, if known. A harbor must then lie between land and sea, or on
                the rim, where a tile may become sea.

        Raises:
            InvalidBoard: an unknown trade, an edge that is not on the coast, or two harbors at one vertex.
        """
        occupied: set[int] = set()
        checked: list[Harbor] = [*_harbors("harbors", harbors, self)]
        for harbor in checked:
            a, b = harbor.vertices
            if not self._may_have_harbor((a, b)):
                raise InvalidBoard(f"{show(a)}-{show(b)} is not an edge of the coast of {show(self.name)}")
            if terrain is not None and not (self.is_on_coast((a, b), terrain) or (a, b) in self._rim):
                raise InvalidBoard(f"the harbor at {a}-{b} is not between land and sea")
            if occupied & {a, b}:
                raise InvalidBoard(f"the harbor at {a}-{b} shares a vertex with another")
            occupied |= {a, b}
        return checked

    def is_on_coast(self, edge: geometry.Pair, terrain: Sequence[str]) -> bool:
        """Return True if an edge is between land and sea of this *terrain*; water surrounds the layout."""
        return sum(terrain[t] != "sea" for t in self.edge_tiles[edge]) == 1

    def _check_printed_coast(self) -> None:
        """Reject a printed harbor between two tiles that may both be land, or both sea."""
        for harbor in self.printed_harbors:
            possible = [self._possible_terrains[t] for t in self.edge_tiles[harbor.vertices]]
            if len(possible) == 2 and harbor.vertices not in self.movable_harbors:
                # A tile is always sea (True), never sea (False), or sea on some boards (None).
                is_sea = ["sea" in names and (len(names) == 1 or None) for names in possible]
                if {*is_sea} != {True, False}:
                    a, b = harbor.vertices
                    raise InvalidBoard(
                        f"the harbor printed at {a}-{b} of {show(self.name)} is between tiles whose "
                        "terrain may move; let it move too (movable_harbors), or fix one of the tiles as sea "
                        "and the other as land"
                    )

    @cached_property
    def _rim(self) -> frozenset[geometry.Pair]:
        return frozenset(self.coast_edges)

    def _may_have_harbor(self, edge: geometry.Pair) -> bool:
        return edge in self._rim or ("sea" in self.terrain_counts and edge in self.edge_tiles)


ENTRIES: Mapping[str, FieldEntry] = MappingProxyType(
    {spec.name: spec.metadata["entry"] for spec in fields(LayoutFields)}
)
"""Check and file form of each field."""


def _frozen(value: Any) -> Any:
    """Return the value with read-only tables."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(inner) for key, inner in value.items()})
    return value


def _pools(
    groups: Sequence[int], pieces: Mapping[int, Mapping[Any, int]], excluded: frozenset[int]
) -> tuple[Pool, ...]:
    """Return the groups that have pieces, or tiles that are not in *excluded*."""
    tiles = {t: group for t, group in enumerate(groups) if t not in excluded}
    numbers = sorted({*tiles.values(), *(group for group, counts in pieces.items() if counts)})
    return tuple(
        Pool(
            number,
            tuple(t for t, group in tiles.items() if group == number),
            MappingProxyType(dict(pieces.get(number, {}))),
        )
        for number in numbers
    )
