"""What a layout says: each field with its check and with the key that says it in a file.

Each check returns the value in its one normal form, so that layouts that say the same are equal. It sees the
fields above its own already checked, the shape and the further terrains first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

from catan_cp.boards.geometry import (
    Geometry,
    Pair,
    Point,
    ordered,
    read_centres,
    read_rows,
    rowed,
    whole_pair,
)
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

_NAME = re.compile(r"[^\s@:,/]{1,80}")

Form = Literal["drawn", "value", "names", "numbers"]
Check = Callable[[str, Any, "Said"], Any]
"""From a field's name, its value and the layout so far: the value in normal form, or `InvalidBoard`."""


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


@dataclass(frozen=True)
class Entry:
    """How a field is checked, and how a file says it.

    Attributes:
        check: what reads its value; None for the shape, whose fields are checked together.
        form: ``"value"``: under its key; ``"names"``, ``"numbers"``: in a table by names, or by numbers;
            ``"drawn"``: by the drawing and what stands beside it.
        key: its key in a file, where that is not its own name.
    """

    check: Check | None
    form: Form
    key: str


# Checks of single values


def _value(words: str, read: Callable[[Any], Any]) -> Check:
    """Return the check of values that *read* returns in normal form; what is none, it makes None."""

    def checked(what: str, value: object, layout: Said) -> Any:
        found = read(value)
        if found is None:
            raise InvalidBoard(f"{what} is {words}, not {show(value)}")
        return found

    return checked


def _of(kind: type, words: str) -> Check:
    return _value(words, lambda value: value if isinstance(value, kind) else None)


def _one_of(allowed: Collection[int], words: str = "") -> Check:
    def read(value: object) -> int | None:
        number = whole_number(value)
        return number if number in allowed else None

    return _value(words or f"one of {listed(allowed)}", read)


_text, _notation, _flag = _of(str, "text"), _of(str, "a notation"), _of(bool, "true or false")
_finite, _marker = _value("a number", real_number), _one_of(MARKERS)
_count = _one_of(range(1_000_000), "a whole number from 0 to 999,999")
_group = _one_of(range(100), "a whole number from 0 to 99")


def _name(what: str, value: object, layout: Said) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise InvalidBoard(f"a layout's name is a word without spaces, / : , or @, not {show(value)}")
    return value


def _terrain(what: str, value: object, layout: Said) -> str:
    return layout.terrain_name(value)


def _tile(what: str, value: object, layout: Said) -> int:
    tile: int = _one_of(range(layout.n_tiles), f"from 0 to {layout.n_tiles - 1}")(what, value, layout)
    return tile


def _harbor(what: str, value: object, layout: Said) -> Harbor:
    pair = whole_pair(value.vertices) if isinstance(value, Harbor) else None
    if pair is None or not isinstance(value, Harbor):
        raise InvalidBoard(f"{what} is like Harbor((4, 5), 'ore'), not {show(value)}")
    if value.trade not in TRADES:
        raise InvalidBoard(f"unknown trade {show(value.trade)}; trades are {listed(TRADES)}")
    return Harbor(ordered(pair), value.trade)


def _place(what: str, value: object, layout: Said) -> Pair:
    pair = whole_pair(value)
    if pair is None or ordered(pair) not in {harbor.vertices for harbor in layout.printed_harbors}:
        raise InvalidBoard(f"{what} is one where a harbor is printed, not {show(value)}")
    return ordered(pair)


def _ground(what: str, value: object, layout: Said) -> FishingGround:
    if not isinstance(value, FishingGround):
        raise InvalidBoard(f"{what} is a FishingGround(vertices, marker), not {show(value)}")
    three = value.vertices if isinstance(value.vertices, (list, tuple)) else ()
    known = [v for v in map(whole_number, three) if v is not None and 0 <= v < layout.n_vertices]
    if not len(known) == len(three) == 3 or not {*known[::2]} <= {*layout.vertex_neighbors[known[1]]}:
        raise InvalidBoard(f"{what} has three vertices in a row, not {show(value.vertices)}")
    marker = _marker(f"the marker of {what}", value.marker, layout)
    return FishingGround((known[0], known[1], known[2]), marker)


# Checks of lists and tables


def _list(thing: str, check: Check, form: type[frozenset[Any]] | type[tuple[Any, ...]] = frozenset) -> Check:
    kinds = (list, tuple) if form is tuple else (list, tuple, set, frozenset)

    def checked(what: str, values: object, layout: Said) -> Any:
        if not isinstance(values, kinds):
            raise InvalidBoard(f"{what} is a list of {thing}s, not {show(values)}")
        return form(check(f"a {thing} of {what}", value, layout) for value in values)

    return checked


def _table(thing: str, values: str, key: Check, check: Check) -> Check:
    """Return the check of a mapping of things to values; numbers are put in order."""

    def checked(what: str, table: object, layout: Said) -> dict[Any, Any]:
        if not isinstance(table, Mapping):
            raise InvalidBoard(f"{what} maps {thing}s to {values}, not {show(table)}")
        found = {}
        for word, value in table.items():
            name = key(f"a {thing} of {what}", word, layout)
            if name in found:
                raise InvalidBoard(f"{what} names {name} twice, the second time as {show(word)}")
            found[name] = check(f"{what} of {thing} {name}", value, layout)
        return found if key is _terrain else dict(sorted(found.items()))

    return checked


_tiles, _markers = _list("tile", _tile), _list("marker", _marker, tuple)
_harbors, _places = _list("harbor", _harbor, tuple), _list("place", _place)
_grounds = _list("fishing ground", _ground, tuple)
_by_terrain = partial(_table, "terrain", "numbers", _terrain)
_by_tile = partial(_table, "tile", "values", _tile)
_supply = _table("marker", "how many there are", _marker, _count)


def _pieces(what: str, value: object, layout: Said) -> dict[str, int]:
    """How many tiles of each terrain, ordered by code, those of 0 left out."""
    found = _by_terrain(_count)(what, value, layout)
    return {name: found[name] for name in layout.all_terrains if found.get(name)}


def _terrain_counts(what: str, value: object, layout: Said) -> dict[str, int]:
    counts = _pieces(what, value, layout)
    if sum(counts.values()) != layout.n_tiles:
        raise InvalidBoard(f"{show(counts)} does not fill the {layout.n_tiles} tiles of {show(layout.name)}")
    return counts


def _fixed_markers(what: str, value: object, layout: Said) -> dict[int, int]:
    markers: dict[int, int] = _by_tile(_marker)(what, value, layout)
    fixed = layout.fixed_terrain
    if wrong := [tile for tile in markers if fixed.get(tile) in layout.unnumbered]:
        raise InvalidBoard(
            f"tile {wrong[0]} is {fixed[wrong[0]]}, which carries no marker, but has a fixed one"
        )
    return markers


def _unmarked(what: str, value: object, layout: Said) -> frozenset[int]:
    fixed, bare = layout.fixed_terrain, layout.unnumbered
    unmarked: frozenset[int] = _tiles(what, value, layout)
    for tile in sorted(unmarked):
        if tile not in fixed or fixed[tile] in bare or tile in layout.fixed_markers:
            raise InvalidBoard(
                f"tile {tile} is unmarked: so it has to be fixed land that could carry a marker, and has none"
            )
    return unmarked


def _groups(what: str, value: object, layout: Said) -> tuple[int, ...]:
    """One group a tile; empty where that says no more than the field before."""
    found: tuple[int, ...] = _list("group", _group, tuple)(what, value, layout)
    if len(found) not in (0, layout.n_tiles):
        raise InvalidBoard(f"{what} is a list of {layout.n_tiles} groups, one a tile, not of {len(found)}")
    usual = layout.tile_groups if what == "marker_group" else (0,) * layout.n_tiles
    return () if found == usual else found


def _group_pieces(what: str, value: object, layout: Said) -> dict[int, dict[Any, int]]:
    """The pieces of each group but 0, which gets what these and fixed ones leave."""
    terrain = what == "group_terrain"
    groups, pieces = (layout.tile_groups, _pieces) if terrain else (layout.marker_groups, _supply)
    box, fixed = ("terrain_counts", "fixed_terrain") if terrain else ("marker_supply", "fixed_markers")
    key = _one_of({*groups} - {0}, "one that tiles are in, but not 0, which gets what is left")
    found: dict[int, dict[Any, int]] = _table("group", "their pieces", key, pieces)(what, value, layout)
    left = _left(getattr(layout, box), getattr(layout, fixed), found)
    if short := [piece for piece, n in left.items() if n < 0]:
        more = f"{-left[short[0]]} more of {short[0]} than {box}"
        raise InvalidBoard(f"{what} and {fixed} together have {more}")
    room = Counter(group for t, group in enumerate(groups) if t not in layout.fixed_terrain)
    for group in sorted({*groups} - {0}):
        n = sum(found.get(group, {}).values())
        if terrain and n != room[group]:
            raise InvalidBoard(f"group {group} has {room[group]} tiles to fill, but {n} pieces")
    return {group: counts for group, counts in found.items() if counts}


def _left(
    box: Mapping[Any, int], fixed: Mapping[int, Any], groups: Mapping[int, Mapping[Any, int]]
) -> dict[Any, int]:
    """The pieces that fixed tiles and groups leave of the box; below 0 where they have more than it."""
    left = Counter(box)
    left.subtract(Counter(fixed.values()))
    for pieces in groups.values():
        left.subtract(pieces)
    return {piece: n for piece, n in left.items() if n}


def _second_markers(what: str, value: object, layout: Said) -> dict[int, int]:
    found: dict[int, int] = _table("marker", "another", _marker, _marker)(what, value, layout)
    if wrong := [first for first in found if layout.marker_supply.get(first) != 1]:
        raise InvalidBoard(f"only a marker that the box holds once can have a second one; {wrong[0]} is not")
    return found


# The fields


def _said(empty: Any, check: Check | None, form: Form = "drawn", key: str = "") -> Any:
    """A field that is *empty* where nothing is said of it; `MISSING` where something has to be."""
    how = {"entry": Entry(check, form, key)}
    if empty == {}:  # which cannot be the default of all layouts
        return field(default_factory=dict, metadata=how)
    return field(default=empty, metadata=how)


_few_pips = _by_terrain(_one_of(range(6)))


@dataclass(frozen=True, repr=False)
class Said(Geometry):
    """What a layout says, field by field; `Layout` tells what each means, and has what follows from them."""

    name: str = _said(MISSING, _name)
    rows: tuple[int, ...] = _said(MISSING, None)
    terrain_counts: Mapping[str, int] = _said(MISSING, _terrain_counts)
    marker_supply: Mapping[int, int] = _said(MISSING, _supply)
    target_efficiency: Mapping[str, float] = _said({}, _by_terrain(_finite), "names")
    printed_harbors: tuple[Harbor, ...] = _said(
        (), lambda what, value, layout: tuple(layout.check_harbors(value))
    )
    spiral_order: tuple[int, ...] = _said((), _markers, "value")
    beginner_board: str = _said("", _notation)
    _: KW_ONLY
    title: str = _said("", _text, "value")
    tiles: tuple[Point, ...] = _said((), None)
    sea_frame: tuple[Point, ...] = _said((), None)
    further_terrains: Mapping[str, str] = _said(
        {}, lambda what, value, layout: read_further_terrains(value), "names", "terrains"
    )
    fixed_terrain: Mapping[int, str] = _said({}, _by_tile(_terrain))
    fixed_markers: Mapping[int, int] = _said({}, _fixed_markers)
    unmarked: frozenset[int] = _said(frozenset(), _unmarked)
    terrain_group: tuple[int, ...] = _said((), _groups)
    marker_group: tuple[int, ...] = _said((), _groups)
    group_terrain: Mapping[int, Mapping[str, int]] = _said({}, _group_pieces)
    group_markers: Mapping[int, Mapping[int, int]] = _said({}, _group_pieces)
    second_marker: Mapping[int, int] = _said({}, _second_markers, "numbers", "second_markers")
    inland: frozenset[str] = _said(frozenset(), _list("terrain", _terrain), "value")
    pips_max: Mapping[int, int] = _said({}, _by_tile(_one_of(range(1, 6))), "numbers")
    terrain_marker_pips_min: Mapping[str, int] = _said({}, _few_pips, "names", "marker_pips_min")
    terrain_marker_pips_max: Mapping[str, int] = _said({}, _few_pips, "names", "marker_pips_max")
    fixed_harbors: frozenset[Pair] = _said(frozenset(), _places)
    movable_harbors: frozenset[Pair] = _said(frozenset(), _places)
    fishing_grounds: tuple[FishingGround, ...] = _said((), _grounds)
    settle: frozenset[int] = _said(frozenset(), _tiles, "value")
    rivers: frozenset[int] = _said(frozenset(), _tiles, "value")
    spinning: frozenset[int] = _said(frozenset(), _tiles, "value")
    turned: Mapping[int, int] = _said({}, _by_tile(_one_of(range(0, 360, 60))), "numbers")
    sideways: bool = _said(False, _flag, "value")
    source: str = _said("", _text, "value")
    remarks: str = _said("", _text, "value")

    def __post_init__(self) -> None:
        settle = partial(object.__setattr__, self)
        tiles, frame = read_centres(self.tiles or rowed(read_rows(self.rows)), self.sea_frame)
        settle("tiles", tiles)
        settle("sea_frame", frame)
        settle("rows", tuple(len(row) for row in self.row_tiles))
        for name in ("further_terrains", *ENTRIES):
            if check := ENTRIES[name].check:
                settle(name, _frozen(check(name, getattr(self, name), self)))
        self._check_printed_coast()

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
    def marker_words(self) -> Mapping[int | None, str]:
        """What the notation has for each marker, with the second one that lies beside it; empty for None."""
        return {marker: "+".join(map(str, self.numbers_of(marker))) for marker in (None, *MARKERS)}

    @property
    def tile_groups(self) -> tuple[int, ...]:
        """Per tile, the group within which its terrain is shuffled."""
        return self.terrain_group or (0,) * self.n_tiles

    @property
    def marker_groups(self) -> tuple[int, ...]:
        """Per tile, the group within which its marker is shuffled."""
        return self.marker_group or self.tile_groups

    @cached_property
    def _may_be(self) -> Mapping[int, Collection[str]]:
        """The terrains that each tile may have, those of its group where it is not fixed."""
        pooled = {t: pool.pieces.keys() for pool in self.terrain_pools for t in pool.tiles}
        return {t: {name} for t, name in self.fixed_terrain.items()} | pooled

    @cached_property
    def terrain_pools(self) -> tuple[Pool, ...]:
        """The groups within which terrains are shuffled, by their number; fixed tiles are in none."""
        left = _left(self.terrain_counts, self.fixed_terrain, self.group_terrain)
        return _pools(self.tile_groups, {**self.group_terrain, 0: left}, frozenset(self.fixed_terrain))

    @cached_property
    def marker_pools(self) -> tuple[Pool, ...]:
        """The groups within which markers are shuffled, by their number.

        Their tiles are those that may carry a marker and have no fixed one; what is sea or desert on a board
        carries none all the same.
        """
        left = _left(self.marker_supply, self.fixed_markers, self.group_markers)
        bare = {t for t, name in self.fixed_terrain.items() if name in self.unnumbered}
        without = self.unmarked.union(self.fixed_markers, bare)
        return _pools(self.marker_groups, {**self.group_markers, 0: left}, without)

    @property
    def marker_boxes(self) -> tuple[Pool, ...]:
        """The marker pools, and a pool of one tile for each fixed marker."""
        fixed = (Pool(0, (tile,), {marker: 1}) for tile, marker in self.fixed_markers.items())
        return (*self.marker_pools, *fixed)

    @property
    def ties_markers(self) -> bool:
        """Whether the layout bounds the pips of markers by the terrain under them."""
        return bool(self.terrain_marker_pips_min or self.terrain_marker_pips_max)

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

    def ground_hexagon(self, vertices: Three) -> Point:
        """Return the centre m of the hexagon of three vertices a, b, c in a row: a + c = b + m."""
        (ax, ay), (bx, by), (cx, cy) = (self.vertices[v] for v in vertices)
        return ax + cx - bx, ay + cy - by

    @property
    def ground_places(self) -> tuple[Three, ...]:
        """The three vertices of each fishing ground, the lower end first."""
        return tuple(lower_first(ground.vertices) for ground in self.fishing_grounds)

    def check_grounds(self, grounds: Sequence[FishingGround]) -> list[FishingGround]:
        """Return fishing grounds as they lie on a board, the lower end first, in the order given.

        Raises:
            InvalidBoard: not three vertices in a row, an unknown marker, or two grounds at one place.
        """
        checked = _grounds("fishing_grounds", grounds, self)
        places = [lower_first(ground.vertices) for ground in checked]
        if twice := [place for place in places if places.count(place) > 1]:
            raise InvalidBoard(f"two fishing grounds lie at {'-'.join(map(str, twice[0]))}")
        return [FishingGround(*each) for each in zip(places, (g.marker for g in checked), strict=True)]

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

        def said(t: int) -> list[object]:
            groups = self.tile_groups[t], self.marker_groups[t]
            return [t in self.unmarked, *groups, *(table.get(t) for table in tables)]

        return all(said(t) == said(to) for t, to in enumerate(moved))

    def check_harbors(self, harbors: Sequence[Harbor], terrain: Sequence[str] | None = None) -> list[Harbor]:
        """Return *harbors* with the lower vertex first, in the order given.

        With the *terrain* of each tile, one between two tiles has to lie between land and sea.

        Raises:
            InvalidBoard: an unknown trade, a place off the coast, or two harbors that share a vertex.
        """
        taken: set[int] = set()
        checked: list[Harbor] = [*_harbors("harbors", harbors, self)]
        for harbor in checked:
            a, b = harbor.vertices
            if not self._may_have_harbor((a, b)):
                raise InvalidBoard(f"{show(a)}-{show(b)} is no edge of the coast of {show(self.name)}")
            if terrain is not None and not self.is_on_coast((a, b), terrain):
                raise InvalidBoard(f"the harbor at {a}-{b} does not lie between land and sea")
            if taken & {a, b}:
                raise InvalidBoard(f"the harbor at {a}-{b} shares a vertex with another")
            taken |= {a, b}
        return checked

    def is_on_coast(self, edge: Pair, terrain: Sequence[str]) -> bool:
        """Whether an edge lies on the frame, or between land and sea of this *terrain*."""
        sides = [terrain[t] == "sea" for t in self.edge_tiles[edge]]
        return len(sides) != 2 or sides[0] != sides[1]

    def _check_printed_coast(self) -> None:
        """Refuse a printed harbor between two tiles that may come to lie both on land, or both at sea."""
        for harbor in self.printed_harbors:
            sides = [self._may_be[t] for t in self.edge_tiles[harbor.vertices]]
            if len(sides) == 2 and harbor.vertices not in self.movable_harbors:
                is_sea = ["sea" in each and (len(each) == 1 or None) for each in sides]
                if {*is_sea} != {True, False}:  # None where it may be either
                    a, b = harbor.vertices
                    raise InvalidBoard(
                        f"the harbor printed at {a}-{b} of {show(self.name)} lies between tiles whose "
                        "terrain may move; let it move too (movable_harbors), or fix sea on one side and "
                        "land on the other"
                    )

    @cached_property
    def _rim(self) -> frozenset[Pair]:
        return frozenset(self.coast_edges)

    def _may_have_harbor(self, edge: Pair) -> bool:
        return edge in self._rim or ("sea" in self.terrain_counts and edge in self.edge_tiles)


ENTRIES: Mapping[str, Entry] = MappingProxyType({each.name: each.metadata["entry"] for each in fields(Said)})
"""Of each field, how it is checked and how a file says it."""


def _frozen(value: Any) -> Any:
    """The value, its tables read-only."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(inner) for key, inner in value.items()})
    return value


def _pools(
    groups: Sequence[int], pieces: Mapping[int, Mapping[Any, int]], without: frozenset[int]
) -> tuple[Pool, ...]:
    tiles = {t: group for t, group in enumerate(groups) if t not in without}
    numbers = sorted({*tiles.values(), *(group for group, here in pieces.items() if here)})
    return tuple(
        Pool(
            number,
            tuple(t for t, group in tiles.items() if group == number),
            MappingProxyType(dict(pieces.get(number, {}))),
        )
        for number in numbers
    )
