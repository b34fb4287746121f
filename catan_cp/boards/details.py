"""What a layout says: each field with its check and with the key that says it in a file.

Each check returns the value in its one normal form, so that layouts that say the same are equal. It sees the
fields above its own already checked, the shape and the further terrains first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

from catan_cp.boards.geometry import (
    CORNERS,
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
    UNNUMBERED,
    FishingGround,
    Harbor,
    Three,
    lower_first,
    pips,
    read_further_terrains,
    read_harbor,
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


def _of(kind: type, words: str) -> Check:
    def checked(what: str, value: object, layout: Said) -> Any:
        if not isinstance(value, kind):
            raise InvalidBoard(f"{what} is {words}, not {show(value)}")
        return value

    return checked


_text, _notation, _flag = _of(str, "text"), _of(str, "a notation"), _of(bool, "true or false")


def _name(what: str, value: object, layout: Said) -> str:
    word: str = _text("a layout's name", value, layout)
    if not _NAME.fullmatch(word):
        raise InvalidBoard(f"a layout's name is a word without spaces, / : , or @, not {show(word)}")
    return word


def _finite(what: str, value: object, layout: Said) -> float:
    number = real_number(value)
    if number is None:
        raise InvalidBoard(f"{what} is a number, not {show(value)}")
    return number


def _terrain(what: str, value: object, layout: Said) -> str:
    return layout.terrain_name(value)


def _tile(what: str, value: object, layout: Said) -> int:
    number = whole_number(value)
    if number is None or not 0 <= number < layout.n_tiles:
        raise InvalidBoard(f"{what} names tile {show(value)}; tiles are 0 to {layout.n_tiles - 1}")
    return number


def _one_of(allowed: Sequence[int]) -> Check:
    def checked(what: str, value: object, layout: Said) -> int:
        number = whole_number(value)
        if number is None or number not in allowed:
            raise InvalidBoard(f"{what} is one of {listed(allowed)}, not {show(value)}")
        return number

    return checked


_marker = _one_of(MARKERS)


# Checks of lists and tables


def _set_of(check: Check, things: str) -> Check:
    def checked(what: str, values: object, layout: Said) -> frozenset[Any]:
        if not isinstance(values, (list, tuple, set, frozenset)):
            raise InvalidBoard(f"{what} is a list of {things}, not {show(values)}")
        return frozenset(check(what, value, layout) for value in values)

    return checked


_tiles = _set_of(_tile, "tiles")


def _by_tile(check: Check) -> Check:
    def checked(what: str, table: object, layout: Said) -> dict[int, Any]:
        if not isinstance(table, Mapping):
            raise InvalidBoard(f"{what} maps tiles to values, not {show(table)}")
        found = dict(sorted((_tile(what, tile, layout), value) for tile, value in table.items()))
        return {tile: check(f"{what} of tile {tile}", value, layout) for tile, value in found.items()}

    return checked


def _by_terrain(check: Check) -> Check:
    def checked(what: str, table: object, layout: Said) -> dict[str, Any]:
        if not isinstance(table, Mapping):
            raise InvalidBoard(f"{what} maps terrains to numbers, not {show(table)}")
        found: dict[str, object] = {}
        for word, value in table.items():
            name = layout.terrain_name(word)
            if name in found:
                raise InvalidBoard(f"{what} names {name} twice, the second time as {show(word)}")
            found[name] = value
        return {name: check(f"{what} of {name}", value, layout) for name, value in found.items()}

    return checked


_numbers = _by_terrain(lambda what, value, layout: value)


def _whole_count(what: str, value: object) -> int:
    count = whole_number(value)
    if count is None or count < 0:
        raise InvalidBoard(f"the number of {what} is a whole number from 0, not {show(value)}")
    return count


def _by_group(what: str, table: object, groups: Collection[int]) -> dict[int, object]:
    if not isinstance(table, Mapping):
        raise InvalidBoard(f"{what} maps groups to their pieces, not {show(table)}")
    for group in table:
        if group == 0 or group not in groups:
            raise InvalidBoard(f"{what} names group {show(group)}, in which no tile is (0 gets what is left)")
    return dict(sorted(table.items()))


# Checks of pieces


def _pieces(what: str, value: object, layout: Said) -> dict[str, int]:
    """How many tiles of each terrain, ordered by code, those of 0 left out."""
    found = {name: _whole_count(f"tiles of {name}", n) for name, n in _numbers(what, value, layout).items()}
    return {name: found[name] for name in layout.all_terrains if found.get(name)}


def _further_terrains(what: str, value: object, layout: Said) -> dict[str, str]:
    return read_further_terrains(value)


def _terrain_counts(what: str, value: object, layout: Said) -> dict[str, int]:
    counts = _pieces(what, value, layout)
    if sum(counts.values()) != layout.n_tiles:
        raise InvalidBoard(f"{show(counts)} does not fill the {layout.n_tiles} tiles of {show(layout.name)}")
    return counts


def _marker_supply(what: str, value: object, layout: Said) -> dict[int, int]:
    """How many of each marker, in increasing order."""
    if not isinstance(value, Mapping):
        raise InvalidBoard(f"{what} maps markers to how many there are, not {show(value)}")
    markers = _markers(what, list(value), layout)
    counts = [_whole_count(f"markers {marker}", count) for marker, count in value.items()]
    return dict(sorted(zip(markers, counts, strict=True)))


def _markers(what: str, value: object, layout: Said) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidBoard(f"{what} is a list of markers, not {show(value)}")
    for marker in value:
        if whole_number(marker) not in MARKERS:
            raise InvalidBoard(f"{what} holds {show(marker)}; markers are {listed(MARKERS)}")
    return tuple(int(marker) for marker in value)


def _fixed_terrain(what: str, value: object, layout: Said) -> dict[int, str]:
    fixed: dict[int, str] = _by_tile(_terrain)(what, value, layout)
    for name, n in Counter(fixed.values()).items():
        if n > layout.terrain_counts.get(name, 0):
            raise InvalidBoard(f"{n} tiles are fixed as {name}, more than the box holds")
    return fixed


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
    if not isinstance(value, (list, tuple)) or len(value) not in (0, layout.n_tiles):
        raise InvalidBoard(f"{what} is a list of {layout.n_tiles} groups, one a tile, not {show(value)}")
    numbers = [whole_number(group) for group in value]
    found = tuple(number for number in numbers if number is not None and 0 <= number < 100)
    if len(found) != len(numbers):
        raise InvalidBoard(f"{what} are whole numbers from 0 to 99, not {show(value)}")
    usual = (layout.terrain_group if what == "marker_group" else ()) or (0,) * layout.n_tiles
    return () if found == usual else found


def _group_terrain(what: str, value: object, layout: Said) -> dict[int, dict[str, int]]:
    """The pieces of each group but 0, which fill its tiles and which the box holds."""
    groups = layout.terrain_group
    pieces = {
        group: _pieces(f"{what} of group {group}", counts, layout)
        for group, counts in _by_group(what, value, groups).items()
    }
    for group in sorted({*groups} - {0}):
        room = sum(groups[t] == group for t in range(layout.n_tiles) if t not in layout.fixed_terrain)
        n = sum(pieces.get(group, {}).values())
        if n != room:
            raise InvalidBoard(f"group {group} has {room} tiles to fill, but {n} pieces")
    left = _left(layout.terrain_counts, layout.fixed_terrain, pieces)
    if short := [name for name, n in left.items() if n < 0]:
        raise InvalidBoard(f"the groups and fixed tiles have more {short[0]} than the box holds")
    return {group: counts for group, counts in pieces.items() if counts}


def _group_markers(what: str, value: object, layout: Said) -> dict[int, dict[int, int]]:
    groups = layout.marker_group or layout.terrain_group
    supplies = {
        group: _marker_supply(f"{what} of group {group}", supply, layout)
        for group, supply in _by_group(what, value, groups).items()
    }
    left = _left(layout.marker_supply, layout.fixed_markers, supplies)
    if short := [marker for marker, n in left.items() if n < 0]:
        raise InvalidBoard(f"the groups and fixed markers have more markers {short[0]} than the box holds")
    return {group: supply for group, supply in supplies.items() if supply}


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
    if not isinstance(value, Mapping):
        raise InvalidBoard(f"{what} maps a marker to another, not {show(value)}")
    found = {}
    for marker, second in value.items():
        first = _marker("a marker with a second one", marker, layout)
        if layout.marker_supply.get(first) != 1:
            raise InvalidBoard(f"only a marker that the box holds once can have a second one; {first} is not")
        found[first] = _marker(f"the second marker beside {first}", second, layout)
    return found


# Checks of coasts


def _harbors(what: str, value: Any, layout: Said) -> tuple[Harbor, ...]:
    return tuple(layout.check_harbors(value))


def _place(what: str, value: object, layout: Said) -> Pair:
    pair = whole_pair(value)
    if pair is None or ordered(pair) not in {harbor.vertices for harbor in layout.printed_harbors}:
        raise InvalidBoard(f"{what} names {show(value)}, where no harbor is printed")
    return ordered(pair)


_places = _set_of(_place, "pairs of vertices")


def _fishing_grounds(what: str, value: object, layout: Said) -> tuple[FishingGround, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidBoard(f"{what} are a list, not {show(value)}")
    return tuple(_fishing_ground(ground, layout) for ground in value)


def _fishing_ground(ground: object, layout: Said) -> FishingGround:
    if not isinstance(ground, FishingGround):
        raise InvalidBoard(f"a fishing ground is a FishingGround(vertices, marker), not {show(ground)}")
    given = ground.vertices if isinstance(ground.vertices, (list, tuple)) else ()
    known = [v for v in map(whole_number, given) if v is not None and 0 <= v < layout.n_vertices]
    if (
        len(known) != 3
        or len(given) != 3
        or not {known[0], known[2]} <= set(layout.vertex_neighbors[known[1]])
    ):
        raise InvalidBoard(f"a fishing ground has three vertices in a row, not {show(ground.vertices)}")
    marker = _marker("the marker of a fishing ground", ground.marker, layout)
    movable = _flag("movable", ground.movable, layout)
    return FishingGround((known[0], known[1], known[2]), marker, movable)


# The fields


def _how(check: Check | None, form: Form = "drawn", key: str = "") -> dict[str, Entry]:
    return {"entry": Entry(check, form, key)}


def _said(empty: Any, check: Check | None, form: Form = "drawn", key: str = "") -> Any:
    """A field that is *empty* where nothing is said of it."""
    if empty == {}:  # which cannot be the default of all layouts
        return field(default_factory=dict, metadata=_how(check, form, key))
    return field(default=empty, metadata=_how(check, form, key))


_few_pips = _by_terrain(_one_of(range(6)))


@dataclass(frozen=True, repr=False)
class Said(Geometry):
    """What a layout says, field by field; `Layout` tells what each means, and has what follows from them."""

    name: str = field(metadata=_how(_name))
    rows: tuple[int, ...] = field(metadata=_how(None))
    terrain_counts: Mapping[str, int] = field(metadata=_how(_terrain_counts))
    marker_supply: Mapping[int, int] = field(metadata=_how(_marker_supply))
    target_efficiency: Mapping[str, float] = _said({}, _by_terrain(_finite), "names")
    printed_harbors: tuple[Harbor, ...] = _said((), _harbors)
    spiral_order: tuple[int, ...] = _said((), _markers, "value")
    beginner_board: str = _said("", _notation)
    _: KW_ONLY
    title: str = _said("", _text, "value")
    tiles: tuple[Point, ...] = _said((), None)
    sea_frame: tuple[Point, ...] = _said((), None)
    further_terrains: Mapping[str, str] = _said({}, _further_terrains, "names", "terrains")
    fixed_terrain: Mapping[int, str] = _said({}, _fixed_terrain)
    fixed_markers: Mapping[int, int] = _said({}, _fixed_markers)
    unmarked: frozenset[int] = _said(frozenset(), _unmarked)
    terrain_group: tuple[int, ...] = _said((), _groups)
    marker_group: tuple[int, ...] = _said((), _groups)
    group_terrain: Mapping[int, Mapping[str, int]] = _said({}, _group_terrain)
    group_markers: Mapping[int, Mapping[int, int]] = _said({}, _group_markers)
    second_marker: Mapping[int, int] = _said({}, _second_markers, "numbers", "second_markers")
    inland: frozenset[str] = _said(frozenset(), _set_of(_terrain, "terrains"), "value")
    pips_max: Mapping[int, int] = _said({}, _by_tile(_one_of(range(1, 6))), "numbers")
    terrain_marker_pips_min: Mapping[str, int] = _said({}, _few_pips, "names", "marker_pips_min")
    terrain_marker_pips_max: Mapping[str, int] = _said({}, _few_pips, "names", "marker_pips_max")
    fixed_harbors: frozenset[Pair] = _said(frozenset(), _places)
    movable_harbors: frozenset[Pair] = _said(frozenset(), _places)
    fishing_grounds: tuple[FishingGround, ...] = _said((), _fishing_grounds)
    settle: frozenset[int] = _said(frozenset(), _tiles, "value")
    rivers: frozenset[int] = _said(frozenset(), _tiles, "value")
    spinning: frozenset[int] = _said(frozenset(), _tiles, "value")
    turned: Mapping[int, int] = _said({}, _by_tile(_one_of(range(0, 360, 60))), "numbers")
    sideways: bool = _said(False, _flag, "value")
    source: str = _said("", _text, "value")
    remarks: str = _said("", _text, "value")

    def __post_init__(self) -> None:
        settle = partial(object.__setattr__, self)
        _name("name", self.name, self)
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

    @cached_property
    def terrain_pools(self) -> tuple[Pool, ...]:
        """The groups within which terrains are shuffled, by their number; fixed tiles are in none."""
        left = _left(self.terrain_counts, self.fixed_terrain, self.group_terrain)
        groups = self.terrain_group or (0,) * self.n_tiles
        return _pools(groups, {**self.group_terrain, 0: left}, frozenset(self.fixed_terrain))

    @cached_property
    def marker_pools(self) -> tuple[Pool, ...]:
        """The groups within which markers are shuffled, by their number.

        Their tiles are those that may carry a marker and have no fixed one; what is sea or desert on a board
        carries none all the same.
        """
        left = _left(self.marker_supply, self.fixed_markers, self.group_markers)
        bare = {t for t, name in self.fixed_terrain.items() if name in self.unnumbered}
        groups = self.marker_group or self.terrain_group or (0,) * self.n_tiles
        without = self.unmarked.union(self.fixed_markers, bare)
        return _pools(groups, {**self.group_markers, 0: left}, without)

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

    def ground_sides(self, vertices: Three) -> list[int]:
        """Return the tiles across the two edges between three vertices in a row, seen from their hexagon."""
        a, b, c = vertices
        middle = self.ground_hexagon(vertices)
        edges = (ordered((a, b)), ordered((b, c)))
        return [t for edge in edges for t in self.edge_tiles.get(edge, ()) if self.tiles[t] != middle]

    def hexagon_vertices(self, centre: Point) -> list[int | None]:
        """Return the vertices of a hexagon, clockwise from the upper right; None where no tile has one."""
        x, y = centre
        return [self._vertex_at.get((x + dx, y + dy)) for dx, dy in CORNERS]

    @cached_property
    def _vertex_at(self) -> Mapping[Point, int]:
        return {point: v for v, point in enumerate(self.vertices)}

    @cached_property
    def ground_places(self) -> tuple[Three, ...]:
        """The places of the fishing grounds that stay; where some may move, also all where one might lie."""
        kept = tuple(lower_first(ground.vertices) for ground in self.fishing_grounds if not ground.movable)
        if len(kept) == len(self.fishing_grounds):
            return kept
        here = {t: {name} for t, name in self.fixed_terrain.items()}
        here |= {t: set(pool.pieces) for pool in self.terrain_pools for t in pool.tiles}
        wet = (*self.sea_frame, *(self.tiles[t] for t, names in sorted(here.items()) if "sea" in names))
        taken, held = {v for three in kept for v in three}, {self.ground_hexagon(three) for three in kept}
        found = []
        for centre in (each for each in wet if each not in held):
            corners = self.hexagon_vertices(centre)
            for i in range(6):
                a, b, c = corners[i - 1], corners[i], corners[(i + 1) % 6]
                if a is None or b is None or c is None or not taken.isdisjoint((a, b, c)):
                    continue
                if len(self.ground_sides((a, b, c))) == 2:
                    found.append(lower_first((a, b, c)))
        return (*kept, *found)

    def check_grounds(self, grounds: Sequence[FishingGround]) -> list[FishingGround]:
        """Return fishing grounds as they lie on a board, the lower end first, in the order given.

        Raises:
            InvalidBoard: not three vertices in a row, an unknown marker, or two grounds at one place.
        """
        checked = _fishing_grounds("fishing_grounds", grounds, self)
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

    def _check_printed_coast(self) -> None:
        """Refuse a printed harbor between two tiles that may come to lie both on land, or both at sea."""
        here = {t: {name} for t, name in self.fixed_terrain.items()}
        here |= {t: set(pool.pieces) for pool in self.terrain_pools for t in pool.tiles}
        for harbor in self.printed_harbors:
            sides = [here[t] for t in self.edge_tiles[harbor.vertices]]
            if len(sides) == 2 and harbor.vertices not in self.movable_harbors:
                wet = [each == {"sea"} for each in sides]
                dry = ["sea" not in each for each in sides]
                if not (wet[0] and dry[1]) and not (dry[0] and wet[1]):
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
    tiles: dict[int, list[int]] = {}
    for tile, group in enumerate(groups):
        if tile not in without:
            tiles.setdefault(group, []).append(tile)
    numbers = sorted({*tiles, *(group for group, here in pieces.items() if here)})
    return tuple(Pool(g, tuple(tiles.get(g, ())), MappingProxyType(dict(pieces.get(g, {})))) for g in numbers)
