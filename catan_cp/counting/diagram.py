"""Exact counts of the ways to fill a puzzle, and any one of them by its rank.

The words are those of `frontier`, and these:

    diagram   for each step of the plan its states, and per state and kind the state that follows
    follower  the state that follows when a kind is placed
    ways      of a state: how many ways lead from it to the end, the sum of the ways of its followers
    rank      the number of a filling, from 0: how many ways the followers before its own have, step by step;
              every rank below the total is a filling, and a uniform rank a uniform filling
    names     per kind of a state, what it was called before twins were put in order
    pieces    what a kind stands for: interchangeable terrains or markers are one kind
    deals     the ways to deal the pieces of a kind to its cells

Kinds that the rest of the puzzle treats alike (*twins*) are sorted in every state; so many states are one.
What they are called is no part of the diagram: a filling that is ranked walks along in states of its own.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import Puzzle, merged
from catan_cp.counting.states import Keys, Walk, changes, together
from catan_cp.errors import CatanError
from catan_cp.progress import Progress, Watch

MOST_SUMMED = 1 << 56
"""Numbers up to here may be added up for a hundred kinds in machine integers."""

_CHUNK = 1 << 14  # states handled at once: their columns stay in the processor's cache

Pieces = NDArray[np.uint8]
"""The pieces of some fillings: shape (fillings, cells), terrain codes or markers."""

Ways = NDArray[Any]
"""Numbers of ways: int64, or objects, Python's integers, where they are longer than that."""

_DEAL_STATES = 15_000_000


class TooManyStates(CatanError):
    """The puzzle has more states than the limit; nothing was counted."""


@dataclass(frozen=True)
class Diagram:
    """The states and counts of a puzzle; see the module's docstring.

    Attributes:
        walk: what is filled, in which order.
        followers: per step, int32 of shape (kinds, states): the state after placing that kind; the number of
            states of the next step (its extra last entry) where it may not be placed.
        ways: per step and at the end, the ways from each state to the end, shape (states + 1,); the extra
            last entry is 0.
        n_states: how many states there are, over all steps.
    """

    walk: Walk
    followers: tuple[NDArray[np.int32], ...]
    ways: tuple[Ways, ...]
    n_states: int = 0

    @cached_property
    def total(self) -> int:
        """How many ways there are to fill the puzzle."""
        return int(self.ways[0][0])

    @property
    def n_bytes(self) -> int:
        """The memory of the arrays."""
        return sum(array.nbytes for array in (*self.followers, *self.ways))

    def unrank(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], Ways]:
        """Return the fillings of these ranks, each from 0 to below `total`: the kind per cell.

        Shape (ranks, cells). A filling has one rank, or as many as its puzzle has deals for it: what is left
        of each rank, from 0 on, says which deal.
        """
        n, puzzle = len(ranks), self.walk.puzzle
        cells = np.zeros((n, puzzle.n_cells), dtype=np.uint8)
        left = np.array(ranks, dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(n, dtype=np.intp)
        rows, (states, names) = np.arange(n), self.walk.start(n)
        for number, step in enumerate(self.walk.plan.steps):
            after = self.followers[number][:, node]
            ways = self.ways[number + 1][after].astype(left.dtype)
            passed = np.cumsum(ways, axis=0)
            column = (passed <= left).sum(axis=0)
            left -= passed[column, rows] - ways[column, rows]
            cells[:, puzzle.groups[step.group]] = names[column, rows][:, None]
            node = after[column, rows]
            states, names = self.walk.placed_each(number, states, names, column)
        return cells, left

    def rank(self, cells: NDArray[np.uint8]) -> list[int]:
        """Return the first rank of each of these fillings, shape (fillings, cells); -1 where it is none."""
        found = [-1] * len(cells)
        alive = np.arange(len(cells))
        total = np.zeros(len(cells), dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(len(cells), dtype=np.intp)
        states, names = self.walk.start(len(cells))
        for number, step in enumerate(self.walk.plan.steps):
            kinds = cells[alive][:, list(self.walk.puzzle.groups[step.group])].T
            column = (names == kinds[0]).argmax(axis=0)
            after = self.followers[number][:, node]
            ways = self.ways[number + 1][after].astype(total.dtype)
            total += (ways * (np.arange(len(names))[:, None] < column)).sum(axis=0)
            after = after[column, np.arange(len(alive))]
            there = after < len(self.ways[number + 1]) - 1
            one_kind = (kinds == kinds[0]).all(axis=0) & (kinds[0] < len(names))
            keep = np.flatnonzero(there & one_kind)
            alive, total, node = alive[keep], total[keep], after[keep]
            states, names = self.walk.placed_each(
                number, states.take(keep, axis=1), names.take(keep, axis=1), column[keep]
            )
        for row, value, ways in zip(alive.tolist(), total.tolist(), self.ways[-1][node], strict=True):
            if ways:
                found[row] = int(value)
        return found


def build(puzzle: Puzzle, max_states: int, watch: Watch | None = None) -> Diagram:
    """Return the puzzle's diagram.

    Args:
        puzzle: what is to be filled.
        max_states: how many states it may have, each about 40 bytes on the way. The walk ends early where it
            is on its way past the limit: if every step until as far behind the middle had as many states as
            this one, or where one step alone has a sixth of the limit.
        watch: called with the progress after each step.

    Raises:
        TooManyStates: it has more.
    """
    walk = Walk(puzzle)
    keys = walk.pack(walk.start(1)[0])
    followers, seen, n_steps = [], 1, len(walk.plan.steps)
    for number in range(n_steps):
        table, keys = _step(walk, number, keys)
        followers.append(table)
        seen += len(keys[0])
        before_middle = max(0, n_steps - 2 * (number + 1))
        if max(seen + len(keys[0]) * before_middle, 6 * len(keys[0])) > max_states:
            raise TooManyStates(f"more than {max_states} states after {number + 1} of {n_steps} steps")
        if watch is not None:
            watch(Progress(number + 1, n_steps, "steps"))
    ways = [_ways_of(walk.ends(keys))]
    for table in reversed(followers):
        ways.append(_ways_before(table, ways[-1]))
    return Diagram(walk, tuple(followers), tuple(reversed(ways)), seen)


def _step(walk: Walk, number: int, keys: Keys) -> tuple[NDArray[np.int32], Keys]:
    """Return the followers of the states with these keys, and their keys."""
    n, kinds = len(keys[0]), range(walk.puzzle.n_kinds)
    made = list[tuple[int, NDArray[np.int32], Keys]]()
    for begin in range(0, max(n, 1), _CHUNK):
        states = walk.unpack([limb[begin : begin + _CHUNK] for limb in keys])
        for kind in kinds:
            fit, after = walk.placed(number, states, kind)
            walk.canonical(number + 1, after)
            made.append((kind, (begin + fit).astype(np.int32), walk.pack(after)))
    found, inverse = _distinct([np.concatenate([new.pop(0) for *_, new in made]) for _ in keys])
    table = np.full((len(kinds), n), len(found[0]), dtype=np.int32)
    begin = 0
    for kind, columns, _ in made:
        table[kind, columns] = inverse[begin : begin + len(columns)]
        begin += len(columns)
    return table, found


def _distinct(keys: Keys) -> tuple[Keys, NDArray[np.int32]]:
    """Return the distinct keys, and per key which of them it is; the keys themselves are sorted."""
    order = together(keys)
    for limb in keys:
        limb[:] = limb[order]  # in place, for here a count needs the most memory
    first = changes(keys)
    inverse = np.empty(len(order), dtype=np.int32)
    inverse[order] = np.cumsum(first, dtype=np.int32) - 1
    return [limb[first] for limb in keys], inverse


def _ways_of(numbers: Sequence[int]) -> Ways:
    """Return numbers of ways as an array, with the extra last entry; see `Diagram.ways`."""
    return np.array([*numbers, 0], dtype=np.int64 if max(numbers, default=0) < MOST_SUMMED else object)


def _ways_before(table: NDArray[np.int32], ways: Ways) -> Ways:
    """Return the ways from each state, from those of its followers in this table."""
    exact = ways if ways.max() < MOST_SUMMED else ways.astype(object)
    found = np.zeros(table.shape[1] + 1, dtype=exact.dtype)
    for row in table:
        found[:-1] += exact[row]
    return found


def in_blocks(ranks: Sequence[int], ends: Sequence[int]) -> dict[int, tuple[list[int], list[int]]]:
    """Return, per block that has some of these ranks, their places and their ranks in that block.

    Blocks are ranked one after another, each up to below its *end*.
    """
    found: dict[int, tuple[list[int], list[int]]] = {}
    for place, rank in enumerate(ranks):
        number = bisect_right(ends, rank)
        places, inside = found.setdefault(number, ([], []))
        places.append(place)
        inside.append(rank - (ends[number - 1] if number else 0))
    return found


# Pieces


@dataclass(frozen=True)
class Fillings:
    """All ways to deal pieces to cells, with a filling for every rank, and the reverse.

    Attributes:
        diagram: the ways to fill the cells with kinds.
        pieces: per kind, the pieces that it stands for.
        supplies: per kind, how many there are of each of these.
    """

    diagram: Diagram
    pieces: tuple[tuple[int, ...], ...]
    supplies: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return self.diagram.total

    def unrank(self, ranks: Sequence[int]) -> Pieces:
        """Return the fillings of these ranks, each from 0 to below `total`."""
        kinds, rest = self.diagram.unrank(ranks)
        found = np.zeros(kinds.shape, dtype=np.uint8)
        for kind, pieces in enumerate(self.pieces):
            mine = kinds == kind
            if len(pieces) == 1:
                found[mine] = pieces[0]
                continue
            for rows, deal in self._deals(kind, mine.sum(axis=1)):
                dealt, _ = deal.unrank((rest[rows] % deal.total).tolist())
                rest[rows] //= deal.total
                block = found[rows]
                block[mine[rows]] = np.array(pieces, dtype=np.uint8)[dealt].ravel()  # row by row
                found[rows] = block
        return found

    def rank(self, filled: Pieces) -> list[int]:
        """Return the rank of each of these fillings, -1 for none."""
        puzzle = self.diagram.walk.puzzle
        kind_of = np.full((puzzle.n_cells, 256), puzzle.n_kinds, dtype=np.uint8)
        for group, domain in zip(puzzle.groups, puzzle.domains, strict=True):
            for kind in sorted(domain, reverse=True):
                kind_of[np.ix_(group, self.pieces[kind])] = kind
        kinds = kind_of[np.arange(puzzle.n_cells), filled]
        found = np.array(self.diagram.rank(kinds), dtype=object)
        scale = np.ones(len(found), dtype=object)
        for kind, pieces in enumerate(self.pieces):
            if len(pieces) == 1:
                continue
            mine = kinds == kind
            place = np.zeros(256, dtype=np.uint8)
            place[list(pieces)] = range(len(pieces))
            for rows, deal in self._deals(kind, np.where(found >= 0, mine.sum(axis=1), 0)):
                inside = np.array(
                    deal.rank(place[filled[rows][mine[rows]]].reshape(len(rows), -1)), dtype=object
                )
                found[rows] = np.where(inside < 0, -1, found[rows] + inside * scale[rows])
                scale[rows] *= deal.total
        return [int(rank) for rank in found]

    def _deals(self, kind: int, cells: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], Diagram]]:
        """Yield the rows that have as many *cells* of a kind, and the ways to deal its pieces to so many."""
        for number in sorted(set(cells[cells > 0].tolist())):
            yield np.flatnonzero(cells == number), _deal(self.supplies[kind], number)


def fillings_of(
    puzzle: Puzzle, pieces: Sequence[int], classes: Sequence[Sequence[int]], make: Callable[[Puzzle], Diagram]
) -> Fillings:
    """Return the fillings of a puzzle whose kinds are these *pieces*; the kinds of a class are made one.

    No rule tells the kinds of a class apart; together the classes hold every kind once. *make* counts.
    """
    return Fillings(
        make(puzzle if len(classes) == puzzle.n_kinds else merged(puzzle, classes)),
        tuple(tuple(pieces[kind] for kind in kinds) for kinds in classes),
        tuple(tuple(puzzle.supply[kind] for kind in kinds) for kinds in classes),
    )


@lru_cache(maxsize=256)
def _deal(supply: tuple[int, ...], cells: int) -> Diagram:
    """Return the ways to fill so many cells from a supply, with no rule at all."""
    kinds = frozenset(range(len(supply)))
    groups = tuple((cell,) for cell in range(cells))
    return build(Puzzle(supply, groups, tuple(kinds for _ in groups), exact=False), _DEAL_STATES)
