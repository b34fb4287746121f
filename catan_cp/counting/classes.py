"""Complete boards counted once where rotations and mirrors turn them into each other.

A rotation or mirror moves terrain and markers. Printed harbors stay: they are the frame's, and the same on
every board. Trades that are dealt anew move along, by the rotations and mirrors that put harbors on harbors.

Where the rules allow every board that a turn makes of an allowed one, the number of classes is the mean, over
all turns, of the number of boards that the turn leaves as they are (Burnside's lemma). A turn leaves a board
as it is if tiles of one cycle have equal terrain and equal markers, so those boards are a puzzle with a
cell for every cycle. Under the rule book's spiral only rotations lead from one allowed board to another;
then each board weighs one over the number of turns that make an allowed board of it. Other rules are
counted by looking at every board, where there are not too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, TERRAIN_CODE, TRADES, UNNUMBERED
from catan_cp.counting.board_space import Bare, BoardSpace
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import Progress
from catan_cp.counting.marker_puzzle import (
    fixed_order,
    marker_limits,
    marker_puzzle_of_cycles,
    ordered_markers,
)
from catan_cp.counting.terrains import (
    closed_turns,
    cycles_of,
    first_of_class,
    keeps,
    terrains_of_cycles,
    turns_of,
)
from catan_cp.counting.weights import WeightedTerrains
from catan_cp.errors import CatanError
from catan_cp.rules.rule import ApartOnTerrain, FixedMarkers, FixedOrder, MarkersApart, Restriction
from catan_cp.rules.rules import Rules, restrictions

Turn = tuple[int, ...]
"""A permutation of the tiles: what is on tile *t* goes to tile ``turn[t]``."""

LOOKED_AT_MOST = 2_000_000
"""The most boards that are looked at one by one where no count can be had otherwise."""

PLACES_MOST = 20_000
"""In how many ways the bare tiles may lie, such that a turn leaves them where they are."""


def count_classes(space: BoardSpace, rules: Rules, layout: Layout, progress: Progress | None = None) -> int:
    """Return how many classes of boards a space has; see the module's docstring.

    Raises:
        CatanError: the rules are not the same under rotations and mirrors, and the boards too many to be
            looked at one by one.
    """
    if not space.total:
        return 0
    turns = harbor_turns(rules, layout)
    if len(turns) == 1:
        return space.total
    weighted = next((block for block in space.blocks if isinstance(block, WeightedTerrains)), None)
    if weighted is None and fixed_order(rules, layout) is not None:
        if rules.symmetry != "all" or not set(turns) <= set(closed_turns(rules, layout)):
            return _looked_at(space, turns, rules, layout, progress)
        product = _Products(rules, layout, turns)
        unchanged = [product.unchanged(turn) for turn in turns]
    elif set(turns) <= set(free_turns(rules, layout)):
        product = _Products(rules, layout, turns)
        unchanged = [Fraction(space.total, space.harbors.total * len(turns))]
        for turn in turns[1:]:
            boards = _unchanged(weighted, turn) if weighted else product.unchanged(turn)
            unchanged.append(boards / len(turns))
    else:
        return _looked_at(space, turns, rules, layout, progress)
    harbors = [_unchanged_harbors(turn, rules, layout) for turn in turns]
    classes = sum((boards * ways for boards, ways in zip(unchanged, harbors, strict=True)), Fraction(0))
    assert classes.denominator == 1, "classes come in whole numbers"
    return int(classes)


# Which turns


def free_turns(rules: Rules, layout: Layout) -> tuple[Turn, ...]:
    """Return the rotations and mirrors that turn allowed boards into allowed ones; one is the identity."""
    known = restrictions(rules, layout, "markers")
    if rules.symmetry != "all" or known is None:
        return (tuple(range(layout.n_tiles)),)
    return tuple(turn for turn in closed_turns(rules, layout) if all(_stays(each, turn) for each in known))


def _stays(restriction: Restriction, turn: Turn) -> bool:
    """Whether a restriction on markers asks the same of a board that is turned."""
    if isinstance(restriction, MarkersApart):
        return keeps(turn, restriction.pairs)
    if isinstance(restriction, FixedOrder):
        return {tuple(turn[t] for t in path) for path in restriction.paths} == set(restriction.paths)
    if isinstance(restriction, FixedMarkers):
        return restriction.stays(turn)
    return True  # the others look at vertices, or at tiles by their terrain: both are turned along


def harbor_turns(rules: Rules, layout: Layout) -> tuple[Turn, ...]:
    """Return the rotations and mirrors, the identity first; of harbors dealt anew, they keep the edges."""
    turns = turns_of(rules, layout)
    if rules.harbors != "shuffled":
        return turns
    places = {frozenset(harbor.vertices) for harbor in layout.laid_harbors}
    return tuple(
        turn
        for turn in turns
        if {frozenset(_vertices_of(turn, layout)[v] for v in place) for place in places} == places
    )


def _vertices_of(turn: Turn, layout: Layout) -> Turn:
    return layout.vertex_symmetries[layout.symmetries.index(turn)]


def _harbor_turn(turn: Turn, layout: Layout) -> Turn:
    """Return what a turn does to the harbors' edges, as a permutation of them."""
    vertices = _vertices_of(turn, layout)
    places = [frozenset(harbor.vertices) for harbor in layout.laid_harbors]
    return tuple(places.index(frozenset(vertices[v] for v in place)) for place in places)


def _unchanged_harbors(turn: Turn, rules: Rules, layout: Layout) -> int:
    """Return how many ways to lay harbors a turn leaves as they are."""
    if rules.harbors != "shuffled":
        return 1
    cycles = [len(cycle) for cycle in cycles_of(_harbor_turn(turn, layout))]
    trades = [harbor.trade for harbor in layout.laid_harbors]
    ways = {tuple(trades.count(trade) for trade in sorted(set(trades))): 1}
    for size in cycles:  # each cycle takes so many harbors of one trade
        after: dict[tuple[int, ...], int] = {}
        for left, number in ways.items():
            for i, count in enumerate(left):
                if count >= size:
                    key = (*left[:i], count - size, *left[i + 1 :])
                    after[key] = after.get(key, 0) + number
        ways = after
    return sum(ways.values())


# Boards that a turn leaves as they are


def _unchanged(block: WeightedTerrains, turn: Turn) -> Fraction:
    """Return how many boards of a block a turn leaves as they are, harbors aside."""
    if turn == tuple(range(len(turn))):
        return Fraction(block.total)
    known = restrictions(block.rules, block.layout, "markers") or []
    supply = [marker for marker in MARKERS if block.layout.marker_supply.get(marker)]
    all_differ = any(isinstance(e, ApartOnTerrain) and all(e.clash(m, m) for m in supply) for e in known)
    moved = [t for t, target in enumerate(turn) if t != target]
    found = 0
    for number in np.flatnonzero((block.codes[:, list(turn)] == block.codes).all(axis=1)).tolist():
        if all_differ and not np.isin(block.codes[number, moved], _BARE).all():
            continue  # two tiles of one terrain would carry the same marker
        markers = block.markers_of(number)
        found += int((markers[:, list(turn)] == markers).all(axis=1).sum())
    return Fraction(found)


_BARE = [TERRAIN_CODE[name] for name in sorted(UNNUMBERED)]


@dataclass(frozen=True)
class _Products:
    """Boards on which all terrains go with all markers, as long as the bare tiles lie where they do."""

    rules: Rules
    layout: Layout
    turns: tuple[Turn, ...]

    def unchanged(self, turn: Turn) -> Fraction:
        """Return how many boards *turn* leaves as they are, harbors aside.

        With markers in a fixed order, each counts as one over the number of turns that make an allowed board
        of it.
        """
        cycles = cycles_of(turn)
        found = Fraction(0)
        for bare in _bare_places(cycles, self.layout):
            markers = self._markers(turn, cycles, bare)
            if markers:
                rules, layout = self.rules, self.layout
                found += markers * terrains_of_cycles(rules, layout, cycles, dict(bare), Budget(_STATES))
        return found

    def _markers(self, turn: Turn, cycles: Sequence[tuple[int, ...]], bare: Bare) -> Fraction:
        if fixed_order(self.rules, self.layout) is not None:
            unchanged = (
                row
                for row in self._ordered(bare)
                if all(row[t] == row[target] for t, target in enumerate(turn))
            )
            return sum((Fraction(1, self._ways_on(row, bare)) for row in unchanged), Fraction(0))
        limits = marker_limits(self.rules, self.layout)
        assert limits is not None, "boards of rules that no puzzle expresses are counted by weights"
        found = marker_puzzle_of_cycles(self._terrain(bare), limits, self.layout, cycles)
        if found is None:
            return Fraction(0)
        return Fraction(Budget(_STATES).build(found).total if found.groups else 1)

    def _ways_on(self, row: Sequence[int | None], bare: Bare) -> int:
        """Return how many turns make allowed markers of these, which are allowed."""
        ways = 0
        for turn in self.turns:
            moved: list[int | None] = [None] * len(row)
            for t, target in enumerate(turn):
                moved[target] = row[t]
            ways += tuple(moved) in self._ordered(tuple(sorted((turn[t], name) for t, name in bare)))
        return ways

    def _terrain(self, bare: Bare) -> list[str]:
        """Return any terrain with these bare tiles: the markers look at no more."""
        pins = dict(bare)
        return [pins.get(t, "wool") for t in range(self.layout.n_tiles)]

    def _ordered(self, bare: Bare) -> set[tuple[int | None, ...]]:
        """Return the markers in their fixed order that go with these bare tiles."""
        if bare not in self._known:
            order = fixed_order(self.rules, self.layout)
            assert order is not None
            self._known[bare] = ordered_markers(self._terrain(bare), self.rules, self.layout, order)
        return self._known[bare]

    @cached_property
    def _known(self) -> dict[Bare, set[tuple[int | None, ...]]]:
        return {}


_STATES = 12_000_000


def _bare_places(cycles: Sequence[tuple[int, ...]], layout: Layout) -> Iterator[Bare]:
    """Yield every way for the bare tiles to lie in whole cycles.

    Raises:
        CatanError: there are too many.
    """
    names = [name for name in sorted(UNNUMBERED) if layout.terrain_counts.get(name)]
    ways: dict[tuple[int, ...], list[Bare]] = {tuple(layout.terrain_counts[name] for name in names): [()]}
    for cycle in cycles:
        after = {left: list(some) for left, some in ways.items()}
        for left, some in ways.items():
            for i, name in enumerate(names):
                if left[i] >= len(cycle):
                    key = (*left[:i], left[i] - len(cycle), *left[i + 1 :])
                    taken = tuple((tile, name) for tile in cycle)
                    after.setdefault(key, []).extend((*bare, *taken) for bare in some)
        ways = after
        if sum(map(len, ways.values())) > PLACES_MOST:
            raise CatanError(
                f"the bare tiles of {layout.name!r} may lie in more than {PLACES_MOST:,} ways, each with its "
                "own markers, which is too many to count classes; count without distinct"
            )
    for bare in ways.get((0,) * len(names), []):
        yield tuple(sorted(bare))


# Every board


def _looked_at(
    space: BoardSpace, turns: Sequence[Turn], rules: Rules, layout: Layout, progress: Progress | None
) -> int:
    """Return the number of classes that the boards of a space are in."""
    if space.total > LOOKED_AT_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.total:,} boards, and more than {LOOKED_AT_MOST:,} are too many; count without "
            "distinct"
        )
    places = len(layout.laid_harbors) if rules.harbors == "shuffled" else 0
    wide = 2 * layout.n_tiles
    columns = [
        (
            *turn,
            *(layout.n_tiles + target for target in turn),
            *(wide + target for target in (_harbor_turn(turn, layout) if places else ())),
        )
        for turn in turns
    ]
    firsts = []
    for begin in range(0, space.total, _CHUNK):
        codes, markers, harbors = space.arrays(range(begin, min(begin + _CHUNK, space.total)))
        table = np.concatenate([codes, markers + 1], axis=1)  # no zeros, as `first_of_class` needs
        if places:
            trades = np.array([_trades(space, rank) for rank in harbors], dtype=np.uint8)
            table = np.concatenate([table, trades], axis=1)
        firsts.append(first_of_class(table, columns).view(f"S{wide + places}"))
        if progress is not None:
            progress(min(begin + _CHUNK, space.total), space.total)
    return len(np.unique(np.concatenate(firsts)))


_CHUNK = 20_000


def _trades(space: BoardSpace, rank: int) -> list[int]:
    """Return the trades of this rank, from 1, in the order of the layout's harbors."""
    trades = {harbor.vertices: TRADES.index(harbor.trade) + 1 for harbor in space.harbors.harbors(rank)}
    return [trades[harbor.vertices] for harbor in space.layout.laid_harbors]
