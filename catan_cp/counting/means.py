"""Means, distributions and shares over all boards that rules allow: exact, and without drawing any.

>>> exact_mean(vertex_pips(20), "open")             # three tiles, 58 pips on 19 tiles
Fraction(174, 19)
>>> float(exact_mean(red(9), "open")), round(float(exact_mean(red(9), "tournament")), 4)
(0.21052631578947367, 0.2222)

A *tile sum* is a number that a board has: what some of its tiles are worth, by their terrain and marker,
added up. Where markers do not depend on the terrain but for the bare tiles, each state of a marker diagram
carries, in place of one number of ways, the number of ways for every value of the sum (the coefficients of a
generating function). Markers that a sum tells apart are told apart by the diagram then, too.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from catan_cp.boards.layout import Layout, find_layout
from catan_cp.boards.pieces import MARKERS, TERRAINS, UNNUMBERED, pips
from catan_cp.counting import boards
from catan_cp.counting.boards import Bare, BoardSpace, ProductBlock
from catan_cp.counting.columns import Budget
from catan_cp.counting.counts import LOOKED_AT_MOST, count_boards
from catan_cp.counting.diagram import Diagram, Fillings, Ways
from catan_cp.counting.terrains import terrain_space
from catan_cp.counting.weights import WeightedTerrains
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, check_count, show
from catan_cp.rules.rules import Rules, find_rules

_STATES = 24_000_000
_CHUNK = 20_000


@dataclass(frozen=True)
class TileSum:
    """A whole number that a board has: what these tiles are worth, added up.

    Attributes:
        tiles: the tiles, numbered from 0.
        worth: what a tile with this terrain and marker (None where it carries none) is worth.
    """

    tiles: tuple[int, ...]
    worth: Callable[[str, int | None], int]

    @property
    def sees_terrain(self) -> bool:
        """Whether the worth of a marker depends on the terrain below it."""
        named = [name for name in TERRAINS if name not in UNNUMBERED]
        return any(len({self.worth(name, marker) for name in named}) > 1 for marker in MARKERS)


def vertex_pips(vertex: int, layout: str | Layout = "base") -> TileSum:
    """Return the pips of all tiles at a vertex.

    Raises:
        InvalidArgument: the layout has no such vertex.
    """
    where = find_layout(layout)
    vertex = check_count(f"a vertex of {where.name!r}", vertex, 0, where.n_vertices - 1)
    return TileSum(tuple(where.vertex_tiles[vertex]), _pips)


def red(tile: int) -> TileSum:
    """Return 1 where a 6 or an 8 is on the tile, else 0: its mean is the chance of that."""
    return TileSum((tile,), lambda terrain, marker: int(marker in (6, 8)))


def terrain_pips(name: str, layout: str | Layout = "base") -> TileSum:
    """Return the pips of all tiles of one terrain.

    Raises:
        InvalidArgument: no terrain is called so.
    """
    if name not in TERRAINS:
        raise InvalidArgument(f"unknown terrain {show(name)}")
    tiles = tuple(range(find_layout(layout).n_tiles))
    return TileSum(tiles, lambda terrain, marker: _pips(terrain, marker) if terrain == name else 0)


def _pips(terrain: str, marker: int | None) -> int:
    return 0 if marker is None else pips(marker)


def exact_mean(measure: TileSum, rules: str | Rules = "optimal", layout: str | Layout = "base") -> Fraction:
    """Return the mean of a sum over all boards that the rules allow, exactly.

    Args:
        measure: what to average, as `vertex_pips`, `red`, `terrain_pips`, or a `TileSum` of your own.
        rules: rules or a preset's name.
        layout: a layout or its name.

    Raises:
        InvalidArgument: *measure* is no `TileSum`, or names a tile that the layout lacks.
        Infeasible: the rules allow no board.
        InvalidRules, CatanError: as `catan_cp.count_boards`; or markers are tied to the terrain on too many
            boards to be looked at one by one.
    """
    read, where, space = _read(measure, rules, layout)
    found = _values(measure, read, where, space)
    if found is None:
        return sum((_mean_on(tile, measure, read, where) for tile in measure.tiles), Fraction(0))
    return Fraction(sum(value * ways for value, ways in found.items()), sum(found.values()))


def exact_distribution(
    measure: TileSum, rules: str | Rules = "optimal", layout: str | Layout = "base"
) -> dict[int, Fraction]:
    """Return the share of all allowed boards with each value of a sum, by rising value, exactly.

    Raises:
        CatanError: the sum looks at terrain and marker together, and the boards are too many to be looked at
            one by one: then only its mean can be had.
        InvalidArgument, Infeasible, InvalidRules: as `exact_mean`.
    """
    found = _values(measure, *_read(measure, rules, layout))
    if found is None:
        raise CatanError(
            "this sum looks at terrain and marker together: exact_mean tells its mean, and a sample of "
            "boards its distribution"
        )
    total = sum(found.values())
    return {value: Fraction(found[value], total) for value in sorted(found) if found[value]}


def exact_share(rules: str | Rules = "optimal", layout: str | Layout = "base", **also: Any) -> Fraction:
    """Return the share of the allowed boards that keep further rules, too.

    >>> exact_share("open", desert="centre")
    Fraction(1, 19)

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        **also: fields of `catan_cp.Rules` of which *rules* say nothing.

    Raises:
        InvalidArgument: *rules* say something of one of these fields already.
        Infeasible: the rules allow no board.
        InvalidRules, CatanError: as `catan_cp.count_boards`.
    """
    read = find_rules(rules)
    neutral = Rules()
    for field in also:
        if getattr(read, field, None) != getattr(neutral, field, None):
            raise InvalidArgument(
                f"the rules say {field}={getattr(read, field)!r} already; name another field"
            )
    every = count_boards(read, layout)
    if not every:
        raise Infeasible("the rules allow no board, so no share of them")
    return Fraction(count_boards(read.replace(**also), layout), every)


def _read(measure: TileSum, rules: str | Rules, layout: str | Layout) -> tuple[Rules, Layout, BoardSpace]:
    if not isinstance(measure, TileSum):
        raise InvalidArgument(f"a measure of all boards is a TileSum, not {show(measure)}")
    read, where = find_rules(rules), find_layout(layout)
    for tile in measure.tiles:
        check_count(f"a tile of {where.name!r}", tile, 0, where.n_tiles - 1)
    if where.special_demand is not None:
        raise CatanError(
            f"means over all boards are not told on {where.name!r} with {where.special_demand}; "
            "sample_boards draws some, uniformly"
        )
    space = boards.board_space(read, where)
    if not space.total:
        raise Infeasible(f"no board on {where.name!r} satisfies the rules")
    return read, where, space


def _values(measure: TileSum, rules: Rules, layout: Layout, space: BoardSpace) -> Counter[int] | None:
    """Return how many boards have each value; None where no diagram carries a sum that looks at terrain."""
    if any(isinstance(block, WeightedTerrains) for block in space.blocks):
        return _listed(measure, space)
    return None if measure.sees_terrain else _carried(measure, rules, layout)


# Boards that are looked at


def _listed(measure: TileSum, space: BoardSpace) -> Counter[int]:
    """Return how many boards have each value, by a look at each of them."""
    total = space.total // space.coasts
    if total > LOOKED_AT_MOST:
        raise CatanError(
            f"the rules tie markers to the terrain, and {total:,} boards are too many to be looked at (at "
            f"most {LOOKED_AT_MOST:,}); sample_boards draws as many as you like, uniformly"
        )
    table = np.array(
        [[measure.worth(name, marker or None) for marker in range(13)] for name in ("sea", *TERRAINS)],
        dtype=np.int64,
    )
    tiles = list(measure.tiles)
    found: Counter[int] = Counter()
    for begin in range(0, total, _CHUNK):
        ranks = range(begin, min(begin + _CHUNK, total))
        codes, markers, _ = space.arrays([rank * space.coasts for rank in ranks])
        values, ways = np.unique(table[codes[:, tiles], markers[:, tiles]].sum(axis=1), return_counts=True)
        found.update(dict(zip(values.tolist(), ways.tolist(), strict=True)))
    return found


# Sums that a diagram carries


def _sums(bare: Bare, block: ProductBlock, tiles: Sequence[int], worth: Callable[[int], int]) -> Counter[int]:
    """Return in how many ways a block's markers can stand, by what those on *tiles* are worth together."""
    named = dict(bare)
    numbered = [t for t in range(block.layout.n_tiles) if t not in named]
    cells = {numbered.index(t) for t in tiles if t not in named}
    if isinstance(block.markers, Fillings):
        return carried(block.markers.diagram, cells, [worth(members[0]) for members in block.markers.pieces])
    rows = block.markers.unrank(range(block.markers.total)).tolist()
    return Counter(sum(worth(row[cell]) for cell in cells) for row in rows)


def carried(diagram: Diagram, cells: set[int], worth: Sequence[int]) -> Counter[int]:
    """Return the ways through a diagram by what the kinds on some cells are worth together.

    Kinds that the diagram does not tell apart are worth the same.
    """
    dtype = np.int64 if diagram.total < 1 << 62 else object
    groups = [set(diagram.walk.puzzle.groups[step.group]) for step in diagram.walk.plan.steps]
    last = max((number for number, group in enumerate(groups) if cells & group), default=-1)
    ways = {0: diagram.ways[last + 1]}
    for number in range(last, -1, -1):
        table = diagram.followers[number]
        measured = len(cells & groups[number])
        before: dict[int, Ways] = {}
        for value, after in ways.items():
            for kind, follower in enumerate(table):
                here = value + measured * worth[kind]
                if here not in before:
                    before[here] = np.zeros(table.shape[1] + 1, dtype=dtype)
                before[here][:-1] += after[follower]
        ways = before
    return Counter({value: int(each[0]) for value, each in ways.items() if each[0]})


def _carried(measure: TileSum, rules: Rules, layout: Layout) -> Counter[int]:
    """Return how many boards have each value, harbors aside, for a sum that looks at no terrain."""

    def worth(marker: int) -> int:
        return measure.worth("wool", marker)

    found: Counter[int] = Counter()
    for bare, block in _places(rules, layout, tuple(worth(marker) for marker in MARKERS)):
        named = dict(bare)
        known: dict[tuple[int, ...], Counter[int]] = {}
        for turn in block.turns:
            tiles = tuple(sorted(turn.index(tile) for tile in measure.tiles))
            if tiles not in known:
                known[tiles] = _sums(bare, block, tiles, worth)
            more = sum(measure.worth(named[t], None) for t in tiles if t in named)
            for value, ways in known[tiles].items():
                found[value + more] += ways * block.terrains.ranks
    return found


def _mean_on(tile: int, measure: TileSum, rules: Rules, layout: Layout) -> Fraction:
    """Return the mean of what one tile is worth by terrain and marker."""
    names = [name for name in TERRAINS if name not in UNNUMBERED and layout.terrain_counts.get(name)]
    profiles = [tuple(measure.worth(name, marker) for name in names) for marker in MARKERS]
    marks = tuple(profiles.index(profile) for profile in profiles)
    every, total = 0, 0
    for bare, block in _places(rules, layout, marks):
        named, terrains = dict(bare), block.terrains.ranks
        for turn in block.turns:
            t = turn.index(tile)
            every += terrains * block.markers.total
            if t in named:
                total += measure.worth(named[t], None) * terrains * block.markers.total
                continue
            ways = _sums(bare, block, [t], lambda marker: marks[MARKERS.index(marker)])
            for i, name in enumerate(names):
                if not any(profile[i] for profile in profiles):
                    continue  # worth nothing, however many there are
                here = _terrains(rules, layout, (*bare, (t, name)))
                total += here * sum(profiles[mark][i] * number for mark, number in ways.items())
    return Fraction(total, every)


@lru_cache(maxsize=4096)
def _terrains(rules: Rules, layout: Layout, pins: Bare) -> int:
    return terrain_space(rules, layout, Budget(_STATES), dict(pins)).ranks


@lru_cache(maxsize=4)
def _places(rules: Rules, layout: Layout, marks: tuple[int, ...]) -> tuple[tuple[Bare, ProductBlock], ...]:
    """Return all boards by where the bare tiles are; markers of different marks are told apart."""
    named = dict(zip(MARKERS, marks, strict=True))
    blocks = (
        (bare, boards.product_block(bare, turns, rules, layout, Budget(_STATES), named))
        for bare, turns in boards.bare_orbits(rules, layout).items()
    )
    return tuple((bare, block) for bare, block in blocks if block is not None)
