"""Check what a layout says beside its shape and its box: fixed pieces, groups, bounds, fishing grounds.

Each check returns the value in its one normal form, so that layouts that say the same are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from catan_cp.arguments import whole_number
from catan_cp.boards.coasts import FishingGround
from catan_cp.boards.hexagons import ordered
from catan_cp.boards.pieces import (
    MARKERS,
    UNNUMBERED,
    by_terrain,
    read_marker_supply,
    read_terrain_counts,
)
from catan_cp.errors import InvalidBoard, listed, show

if TYPE_CHECKING:
    from catan_cp.boards.layout import Layout

_Value = TypeVar("_Value")
_Key = TypeVar("_Key", str, int)


def check_details(layout: Layout) -> dict[str, Any]:
    """Return the fields of *layout* that stand beside shape, box and harbors, each checked.

    Raises:
        InvalidBoard: one of them cannot be; the message names the field.
    """
    further = tuple(layout.further_terrains)
    bare = UNNUMBERED.union(further)
    fixed = _fixed_terrain(layout)
    markers = {
        tile: _one_of(f"fixed_markers of tile {tile}", marker, MARKERS)
        for tile, marker in _by_tile("fixed_markers", layout.fixed_markers, layout).items()
    }
    if wrong := [tile for tile in markers if fixed.get(tile) in bare]:
        raise InvalidBoard(
            f"tile {wrong[0]} is {fixed[wrong[0]]}, which carries no marker, but has a fixed one"
        )
    unmarked = _tiles("unmarked", layout.unmarked, layout)
    for tile in sorted(unmarked):
        if tile not in fixed or fixed[tile] in bare or tile in markers:
            raise InvalidBoard(
                f"tile {tile} is unmarked: so it has to be fixed land that could carry a marker, and has none"
            )
    terrain_group = _groups("terrain_group", layout.terrain_group, layout)
    marker_group = _groups("marker_group", layout.marker_group, layout)
    if marker_group == terrain_group:
        marker_group = ()
    terrains = {
        group: read_terrain_counts(counts, further, f"group_terrain of group {group}")
        for group, counts in _by_group("group_terrain", layout.group_terrain, terrain_group).items()
    }
    _check_terrain_fits(layout, fixed, terrain_group, terrains)
    supplies = {
        group: read_marker_supply(supply, f"group_markers of group {group}")
        for group, supply in _by_group(
            "group_markers", layout.group_markers, marker_group or terrain_group
        ).items()
    }
    _check_supply_lasts(layout, markers, supplies)
    places = {harbor.vertices for harbor in layout.printed_harbors}
    bounds = {
        name: _frozen({
            terrain: _one_of(f"{name} of {terrain}", value, range(6))
            for terrain, value in by_terrain(name, getattr(layout, name), further).items()
        })
        for name in ("terrain_marker_pips_min", "terrain_marker_pips_max")
    }  # fmt: skip
    for name in ("title", "remarks"):
        if not isinstance(getattr(layout, name), str):
            raise InvalidBoard(f"{name} is text, not {show(getattr(layout, name))}")
    if not isinstance(layout.sideways, bool):
        raise InvalidBoard(f"sideways is true or false, not {show(layout.sideways)}")
    return bounds | {
        "target_efficiency": _frozen(_targets(layout.target_efficiency, further)),
        "fixed_terrain": _frozen(fixed),
        "fixed_markers": _frozen(markers),
        "unmarked": unmarked,
        "terrain_group": terrain_group,
        "marker_group": marker_group,
        "group_terrain": _frozen({group: _frozen(counts) for group, counts in terrains.items() if counts}),
        "group_markers": _frozen({group: _frozen(supply) for group, supply in supplies.items() if supply}),
        "second_marker": _frozen(_second_markers(layout)),
        "inland": frozenset(_inland(layout, further)),
        "pips_max": _frozen({
            tile: _one_of(f"pips_max of tile {tile}", value, range(1, 6))
            for tile, value in _by_tile("pips_max", layout.pips_max, layout).items()
        }),
        "fixed_harbors": _places("fixed_harbors", layout.fixed_harbors, places),
        "movable_harbors": _places("movable_harbors", layout.movable_harbors, places),
        "fishing_grounds": tuple(_fishing_ground(layout, ground) for ground in layout.fishing_grounds),
        "settle": _tiles("settle", layout.settle, layout),
        "rivers": _tiles("rivers", layout.rivers, layout),
        "spinning": _tiles("spinning", layout.spinning, layout),
        "turned": _frozen({
            tile: _one_of(f"turned of tile {tile}", value, range(0, 360, 60))
            for tile, value in _by_tile("turned", layout.turned, layout).items()
        }),
    }  # fmt: skip


# Tables


def _frozen(table: Mapping[_Key, _Value]) -> Mapping[_Key, _Value]:
    return MappingProxyType(dict(table))


def _one_of(what: str, value: object, allowed: Sequence[int]) -> int:
    number = whole_number(value)
    if number is None or number not in allowed:
        raise InvalidBoard(f"{what} is one of {listed(allowed)}, not {show(value)}")
    return number


def _by_tile(what: str, table: object, layout: Layout) -> dict[int, object]:
    if not isinstance(table, Mapping):
        raise InvalidBoard(f"{what} maps tiles to values, not {show(table)}")
    return dict(sorted((_tile(what, tile, layout), value) for tile, value in table.items()))


def _tiles(what: str, tiles: object, layout: Layout) -> frozenset[int]:
    if not isinstance(tiles, (list, tuple, set, frozenset)):
        raise InvalidBoard(f"{what} is a list of tiles, not {show(tiles)}")
    return frozenset(_tile(what, tile, layout) for tile in tiles)


def _tile(what: str, tile: object, layout: Layout) -> int:
    number = whole_number(tile)
    if number is None or not 0 <= number < layout.n_tiles:
        raise InvalidBoard(f"{what} names tile {show(tile)}; tiles are 0 to {layout.n_tiles - 1}")
    return number


# Pieces


def _fixed_terrain(layout: Layout) -> dict[int, str]:
    table = _by_tile("fixed_terrain", layout.fixed_terrain, layout)
    fixed = {tile: layout.terrain_name(word) for tile, word in table.items()}
    for name, n in Counter(fixed.values()).items():
        if n > layout.terrain_counts.get(name, 0):
            raise InvalidBoard(f"{n} tiles are fixed as {name}, more than the box holds")
    return fixed


def _groups(what: str, groups: object, layout: Layout) -> tuple[int, ...]:
    """One group a tile; empty where all are in the main group."""
    if not isinstance(groups, (list, tuple)) or len(groups) not in (0, layout.n_tiles):
        raise InvalidBoard(f"{what} is a list of {layout.n_tiles} groups, one a tile, not {show(groups)}")
    numbers = [whole_number(group) for group in groups]
    found = tuple(number for number in numbers if number is not None and 0 <= number < 100)
    if len(found) != len(numbers):
        raise InvalidBoard(f"{what} are whole numbers from 0 to 99, not {show(groups)}")
    return found if any(found) else ()


def _by_group(what: str, table: object, groups: tuple[int, ...]) -> dict[int, object]:
    if not isinstance(table, Mapping):
        raise InvalidBoard(f"{what} maps groups to their pieces, not {show(table)}")
    for group in table:
        if group == 0 or group not in groups:
            raise InvalidBoard(f"{what} names group {show(group)}, in which no tile is (0 gets what is left)")
    return dict(sorted(table.items()))


def _check_terrain_fits(
    layout: Layout, fixed: Mapping[int, str], groups: tuple[int, ...], pieces: Mapping[int, Mapping[str, int]]
) -> None:
    left = Counter(layout.terrain_counts)
    left.subtract(Counter(fixed.values()))
    for group in sorted({*groups} - {0}):
        room = sum(groups[t] == group for t in range(layout.n_tiles) if t not in fixed)
        n = sum(pieces.get(group, {}).values())
        if n != room:
            raise InvalidBoard(f"group {group} has {room} tiles to fill, but {n} pieces")
        left.subtract(pieces.get(group, {}))
    if short := [name for name, n in left.items() if n < 0]:
        raise InvalidBoard(f"the groups and fixed tiles have more {short[0]} than the box holds")


def _check_supply_lasts(
    layout: Layout, fixed: Mapping[int, int], supplies: Mapping[int, Mapping[int, int]]
) -> None:
    left = Counter(layout.marker_supply)
    left.subtract(Counter(fixed.values()))
    for supply in supplies.values():
        left.subtract(supply)
    if short := [marker for marker, n in left.items() if n < 0]:
        raise InvalidBoard(f"the groups and fixed markers have more markers {short[0]} than the box holds")


def _second_markers(layout: Layout) -> dict[int, int]:
    if not isinstance(layout.second_marker, Mapping):
        raise InvalidBoard(f"second_marker maps a marker to another, not {show(layout.second_marker)}")
    found = {}
    for marker, second in layout.second_marker.items():
        first = _one_of("a marker with a second one", marker, MARKERS)
        if layout.marker_supply.get(first) != 1:
            raise InvalidBoard(f"only a marker that the box holds once can have a second one; {first} is not")
        found[first] = _one_of(f"the second marker beside {first}", second, MARKERS)
    return found


def _inland(layout: Layout, further: tuple[str, ...]) -> list[str]:
    if not isinstance(layout.inland, (list, tuple, set, frozenset)):
        raise InvalidBoard(f"inland is a list of terrains, not {show(layout.inland)}")
    return [layout.terrain_name(word) for word in layout.inland]


def _targets(targets: object, further: tuple[str, ...]) -> dict[str, float]:
    table = by_terrain("target_efficiency", targets, further)
    found = {}
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise InvalidBoard(f"target_efficiency of {name} is a number, not {show(value)}")
        found[name] = float(value)
    return found


# Coasts


def _places(what: str, chosen: object, places: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    if not isinstance(chosen, (list, tuple, set, frozenset)):
        raise InvalidBoard(f"{what} is a list of pairs of vertices, not {show(chosen)}")
    found = set()
    for pair in chosen:
        ends = [whole_number(v) for v in pair] if isinstance(pair, (list, tuple)) else []
        known = tuple(v for v in ends if v is not None)
        if len(known) != 2 or len(ends) != 2 or ordered((known[0], known[1])) not in places:
            raise InvalidBoard(f"{what} names {show(pair)}, where no harbor is printed")
        found.add(ordered((known[0], known[1])))
    return frozenset(found)


def _fishing_ground(layout: Layout, ground: FishingGround) -> FishingGround:
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
    marker = _one_of("the marker of a fishing ground", ground.marker, MARKERS)
    if not isinstance(ground.movable, bool):
        raise InvalidBoard(f"movable is true or false, not {show(ground.movable)}")
    return FishingGround((known[0], known[1], known[2]), marker, ground.movable)
