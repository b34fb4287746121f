"""Exact counts of the ways to fill a puzzle, and any one of them by its rank.

The words are those of `frontier`, and these:

    diagram   for each step of the plan its states, and per state and kind the state that follows
    follower  the state that follows when a kind is placed
    ways      of a state: how many ways lead from it to the end, the sum of the ways of its followers
    limb      58 bits of a number of ways, which may be longer than a machine's integers
    rank      the number of a filling, from 0: how many ways the followers before its own have, step by step;
              every rank below the total is a filling, and a uniform rank a uniform filling
    names     per kind of a state, what it was called before twins were put in order
    pieces    what a kind stands for: interchangeable terrains or markers are one kind
    deals     the ways to deal the pieces of a kind to its cells

Kinds that the rest of the puzzle treats alike (*twins*) are sorted in every state; so many states are one.
At the end the diagram is *reduced*, from behind: states with no way to the end are dropped, and where it pays
those with the same followers and names are made one.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod
from operator import getitem, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import NAME_BITS, Plan, Puzzle, plan
from catan_cp.counting.states import Codec, Keys, canonical, changes, placed, start, together
from catan_cp.errors import CatanError

LIMB_BITS = 58  # so that the sum over 16 kinds fits an int64
_LIMB = 1 << LIMB_BITS
_DIGIT_BITS = 29  # so that the sum over any number of states does

_CHUNK = 1 << 16  # states handled at once: their columns stay in the processor's cache

Progress = Callable[[int, int | None], None]
"""Called with what is done, and with what there is to do where that is known."""

Pieces = NDArray[np.uint8]
"""The pieces of some fillings: shape (fillings, cells), terrain codes or markers."""

_DEAL_STATES = 15_000_000

Renames = tuple[NDArray[np.int8], NDArray[np.unsignedinteger[Any]]]


class TooManyStates(CatanError):
    """The puzzle has more states than the limit; nothing was counted."""


@dataclass(frozen=True)
class Diagram:
    """The states and counts of a puzzle; see the module's docstring.

    Attributes:
        puzzle: what is filled.
        plan: in which order.
        followers: per step, int32 of shape (kinds, states): the state after placing that kind; the number of
            states of the next step (its extra last entry) where it may not be placed, or leads nowhere. Empty
            where the ways were only counted, here or on a disk (`columns`): then only the total is known.
        renames: per step, the distinct ways in which placing a kind makes the twins change places, shape
            (ways, kinds): the place that each kind had before; and which of them it is, shape (kinds,
            states). Empty where the ways were only counted.
        counts: per step and at the end, int64 of shape (limbs, states + 1): ways to the end, in limbs of 58
            bits, lowest first; the extra last entry is 0.
        n_states: how many states there were, over all steps, before it was reduced.
    """

    puzzle: Puzzle
    plan: Plan
    followers: tuple[NDArray[np.int32], ...]
    renames: tuple[Renames, ...]
    counts: tuple[NDArray[np.int64], ...]
    n_states: int = 0

    @cached_property
    def total(self) -> int:
        """How many ways there are to fill the puzzle."""
        return int(numbers(self.counts[0], [0])[0])

    @property
    def n_bytes(self) -> int:
        """The memory of the arrays."""
        renames = sum(which.nbytes for _, which in self.renames)
        return renames + sum(a.nbytes for a in self.followers) + sum(a.nbytes for a in self.counts)

    def unrank(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the fillings of these ranks, each from 0 to below `total`: the kind per cell.

        Shape (ranks, cells). A filling has one rank, or as many as its puzzle has deals for it: what is left
        of each rank, from 0 on, says which deal.
        """
        n = len(ranks)
        cells = np.zeros((n, self.puzzle.n_cells), dtype=np.uint8)
        left = np.array(ranks, dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(n, dtype=np.intp)
        names = np.repeat(self._first_names, n, axis=0)
        rows = np.arange(n)
        for number, step in enumerate(self.plan.steps):
            column = np.full(n, -1)
            for kind in range(self.puzzle.n_kinds):
                after = self.followers[number][kind, node]
                ways = numbers(self.counts[number + 1], after, left.dtype)
                here = (column < 0) & (left < ways)
                column[here] = kind
                left = np.where(column < 0, left - ways, left)
            kinds = names[rows, column]
            for cell in self.puzzle.groups[step.group]:
                cells[:, cell] = kinds
            names = self._renamed(number, names, column, node)
            node = self.followers[number][column, node].astype(np.intp)
        return cells, left

    def rank(self, cells: NDArray[np.uint8]) -> list[int]:
        """Return the first rank of each of these fillings, shape (fillings, cells); -1 where it is none."""
        found = [-1] * len(cells)
        alive = np.arange(len(cells))
        total = np.zeros(len(cells), dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(len(cells), dtype=np.intp)
        names = np.repeat(self._first_names, len(cells), axis=0)
        for number, step in enumerate(self.plan.steps):
            kinds = cells[alive][:, list(self.puzzle.groups[step.group])]
            column = (names == kinds[:, :1]).argmax(axis=1)
            for kind in range(self.puzzle.n_kinds):
                ways = numbers(self.counts[number + 1], self.followers[number][kind, node], total.dtype)
                total = np.where(kind < column, total + ways, total)
            after = self.followers[number][column, node]
            there = after < self.counts[number + 1].shape[1] - 1
            one_kind = (kinds == kinds[:, :1]).all(axis=1) & (kinds[:, 0] < self.puzzle.n_kinds)
            keep = np.flatnonzero(there & one_kind)
            names = self._renamed(number, names[keep], column[keep], node[keep])
            alive, total, node = alive[keep], total[keep], after[keep].astype(np.intp)
        ends = numbers(self.counts[-1], node)
        for row, value, ways in zip(alive.tolist(), total.tolist(), ends, strict=True):
            if ways:
                found[row] = int(value)
        return found

    @cached_property
    def _first_names(self) -> NDArray[np.int8]:
        """What the sorted kinds of the first state are called, in a row."""
        _, names = start(self.puzzle, self.plan, 1)
        return names.T

    def _renamed(
        self, number: int, names: NDArray[np.int8], column: NDArray[np.int64], node: NDArray[np.intp]
    ) -> NDArray[np.int8]:
        """Return what the sorted kinds are called after each row's own kind is placed."""
        ways, which = self.renames[number]
        if len(ways) == 1:
            return names
        renamed: NDArray[np.int8] = np.take_along_axis(names, ways[which[column, node]], axis=1)
        return renamed


def build(
    puzzle: Puzzle, max_states: int, progress: Progress | None = None, *, ranked: bool = True
) -> Diagram:
    """Return the puzzle's diagram.

    Args:
        puzzle: what is to be filled.
        max_states: how many states it may have, each about 40 bytes on the way. The walk ends early where it
            is on its way past the limit: if every step until as far behind the middle had as many states as
            this one, or where one step alone has a sixth of the limit.
        progress: called after each step with the steps done and the steps in all.
        ranked: whether fillings will be ranked or unranked. To count alone takes two thirds of the time, and
            the memory of the states of one step.

    Raises:
        TooManyStates: it has more.
    """
    walk = plan(puzzle)
    codec = Codec.of(puzzle, walk)
    first, _ = start(puzzle, walk, 1)
    keys = codec.pack(first)
    followers, renames = [], []
    seen, n_steps, ways = 1, len(walk.steps), np.ones((1, 1), dtype=np.int64)
    for number in range(n_steps):
        table, renamed, keys = _step(puzzle, walk, codec, number, keys, ranked)
        if ranked:
            followers.append(table)
            renames.append(renamed)
        else:
            ways = _ways_on(ways, table, len(keys[0]))
        seen += len(keys[0])
        before_middle = max(0, n_steps - 2 * (number + 1))
        if max(seen + len(keys[0]) * before_middle, 6 * len(keys[0])) > max_states:
            raise TooManyStates(f"more than {max_states} states after {number + 1} of {n_steps} steps")
        if progress is not None:
            progress(number + 1, n_steps)
    told = ends(puzzle, walk, codec, keys)
    if ranked:
        merging = puzzle.cluster_max > 1
        return Diagram(puzzle, walk, *_reduced(followers, renames, limbs_of(told), merging), seen)
    total = sum(map(mul, told, numbers(ways, slice(None), bits=_DIGIT_BITS).tolist()))
    return Diagram(puzzle, walk, (), (), (limbs_of([total]),), seen)


def _step(
    puzzle: Puzzle, walk: Plan, codec: Codec, number: int, keys: Keys, ranked: bool
) -> tuple[NDArray[np.int32], Renames, Keys]:
    """Return the followers of the states with these keys, how twins change places, and their keys."""
    n = len(keys[0])
    sorts = ranked and bool(walk.twins[number + 1])
    made: list[tuple[int, NDArray[np.int32], Keys]] = []
    same: list[tuple[int, int, NDArray[np.intp]]] = []
    renamings = _Renamings(puzzle.n_kinds, n if sorts else 0)
    for begin in range(0, max(n, 1), _CHUNK):
        states = codec.unpack([limb[begin : begin + _CHUNK] for limb in keys])
        for kind in range(puzzle.n_kinds):
            rows = np.arange(len(states))
            twin = next((c[c.index(kind) - 1] for c in walk.twins[number] if kind in c[1:]), None)
            if twin is not None:  # sorted twins that are equal have equal followers
                equal = states.words[twin] == states.words[kind]
                same.append((kind, twin, begin + rows[equal]))
                rows = rows[~equal]
            done, after = placed(puzzle, walk, number, states.take(rows), kind)
            before = np.repeat(np.arange(puzzle.n_kinds, dtype=np.int8)[:, None], len(done), axis=1)
            called = canonical(puzzle, walk, number + 1, after, before if sorts else None)
            if sorts:
                renamings.note(kind, begin + rows[done], called)
            made.append((kind, (begin + rows[done]).astype(np.int32), codec.pack(after)))
    found, inverse = _distinct([np.concatenate([new.pop(0) for *_, new in made]) for _ in keys])
    table = np.full((puzzle.n_kinds, n), len(found[0]), dtype=np.int32)
    begin = 0
    for kind, at, _ in made:
        table[kind, at] = inverse[begin : begin + len(at)]
        begin += len(at)
    for kind, twin, rows in same:
        table[kind, rows] = table[twin, rows]
        if sorts:  # the same, but for which of the two was placed
            swap = np.arange(puzzle.n_kinds, dtype=np.int8)
            swap[[kind, twin]] = twin, kind
            renamings.note(kind, rows, swap[renamings.called(twin, rows)])
    return table, renamings.found(), found


class _Renamings:
    """The distinct ways in which twins change places at one step, numbered as they are met."""

    def __init__(self, n_kinds: int, n: int) -> None:
        self.shifts = NAME_BITS * np.arange(n_kinds, dtype=np.int64)[:, None]
        self.codes = np.array([self._code(np.arange(n_kinds)[:, None])[0]])
        self.numbers = np.array([0])
        self.which = np.zeros((n_kinds, n), dtype=np.uint16)

    def _code(self, names: NDArray[Any]) -> NDArray[np.int64]:
        """Return columns of names as numbers of `NAME_BITS` bits a kind."""
        codes = np.zeros(names.shape[1], dtype=np.int64)
        for shift, row in zip(self.shifts.ravel(), names, strict=True):
            codes |= row.astype(np.int64) << shift
        return codes

    def note(self, kind: int, rows: NDArray[np.intp], names: NDArray[np.int8]) -> None:
        """Keep what the kinds are called, shape (kinds, rows), where *kind* is placed in these states."""
        codes = self._code(names)
        places = self._places(codes)
        missing = self.codes[places] != codes
        if missing.any():
            (new,), _ = _distinct([codes[missing]])
            numbers = np.concatenate([self.numbers, len(self.numbers) + np.arange(len(new))])
            every = np.concatenate([self.codes, new])
            order = np.argsort(every)
            self.codes, self.numbers = every[order], numbers[order]
            places = self._places(codes)
        self.which[kind, rows] = self.numbers[places]

    def _places(self, codes: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return where these codes are, or would be, among the sorted ones, none behind the last."""
        places: NDArray[np.intp] = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return places

    def found(self) -> Renames:
        """Return the ways, each as the place that every kind had before, and which of them is where."""
        ways = np.zeros((len(self.codes), len(self.shifts)), dtype=np.int8)
        ways[self.numbers] = ((self.codes >> self.shifts) & (1 << NAME_BITS) - 1).T
        return ways, self.which.astype(np.uint8) if len(ways) <= 1 << 8 else self.which

    def called(self, kind: int, rows: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return what `note` kept, shape (kinds, rows)."""
        names: NDArray[np.int8] = self.found()[0][self.which[kind, rows]].T
        return names


def _distinct(keys: Keys) -> tuple[Keys, NDArray[np.int32]]:
    """Return the distinct keys, and per key which of them it is."""
    order = together(keys)
    in_order = [limb[order] for limb in keys]
    first = changes(in_order)
    inverse = np.empty(len(order), dtype=np.int32)
    inverse[order] = np.cumsum(first, dtype=np.int32) - 1
    return [limb[first] for limb in in_order], inverse


def ends(puzzle: Puzzle, walk: Plan, codec: Codec, keys: Keys) -> list[int]:
    """Return, per state at the end, in how many ways its pieces can be told apart."""
    if not puzzle.deals:
        return [1] * len(keys[0])
    left = [(word >> walk.slots).tolist() for word in codec.unpack(keys).words]
    return [prod(map(getitem, puzzle.deals, state)) for state in zip(*left, strict=True)]


def limbs_of(values: Sequence[int]) -> NDArray[np.int64]:
    """Return numbers of ways as limbs, with the extra last entry; see `Diagram.counts`."""
    limbs = max(1, -(-max(values, default=0).bit_length() // LIMB_BITS))
    rows = [[value >> (limb * LIMB_BITS) & (_LIMB - 1) for value in (*values, 0)] for limb in range(limbs)]
    return np.array(rows, dtype=np.int64)


def _ways_on(ways: NDArray[np.int64], table: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return in how many ways each of *n* followers is reached, from how the states before are, in digits."""
    found = np.zeros((len(ways), n + 1), dtype=np.int64)
    for after, before in zip(found, ways, strict=True):
        for row in table:
            np.add.at(after, row, before)
    return _carried(found[:, :-1], _DIGIT_BITS)


def _reduced(
    tables: list[NDArray[np.int32]], renames: list[Renames], ways: NDArray[np.int64], merging: bool
) -> tuple[tuple[NDArray[np.int32], ...], tuple[Renames, ...], tuple[NDArray[np.int64], ...]]:
    """Return followers, renames and counts of a reduced diagram, from the ways at each end; empty the lists.

    Bounds on clusters make half of the states equal to others. Elsewhere few are, and not worth *merging*.
    """
    followers: list[NDArray[np.int32]] = []
    renamed: list[Renames] = []
    counts = [ways]
    into = np.arange(ways.shape[1], dtype=np.int32)
    while tables:
        table, (names, which) = into[tables.pop()], renames.pop()
        here = np.zeros((len(ways), table.shape[1]), dtype=np.int64)
        for limb, values in enumerate(ways):
            for row in table:
                here[limb] += values[row]
        here = _carried(here, LIMB_BITS)
        alive = np.flatnonzero(here.any(axis=0)) if tables else np.zeros(1, dtype=np.intp)
        table, which = table[:, alive], which[:, alive[: which.shape[1]]]
        into = np.full(here.shape[1] + 1, len(alive), dtype=np.int32)
        into[alive] = np.arange(len(alive))
        if merging:
            if which.size:
                which[table == ways.shape[1] - 1] = 0
            named = _side_by_side(which) if which.size else []
            found, inverse = _distinct([*_side_by_side(table), *named])
            one = np.empty(len(found[0]), dtype=np.intp)
            one[inverse] = np.arange(len(alive))
            table, which, alive = table[:, one], which[:, one[: which.shape[1]]], alive[one]
            into = np.append(inverse, np.int32(len(one)))[into]
        followers.append(table)
        renamed.append((names, which))
        ways = np.zeros((len(here), len(alive) + 1), dtype=np.int64)
        ways[:, :-1] = here[:, alive]
        counts.append(ways)
    return tuple(reversed(followers)), tuple(reversed(renamed)), tuple(reversed(counts))


def _side_by_side(columns: NDArray[Any]) -> Keys:
    """Return columns of small numbers as keys, as many of them in each as fit."""
    each = 8 // columns.itemsize
    rows = np.zeros((columns.shape[1], -(-len(columns) // each) * each), dtype=columns.dtype)
    rows[:, : len(columns)] = columns.T
    return list(np.ascontiguousarray(rows.view(np.int64).T))


def _carried(limbs: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return the same numbers with all limbs of so many bits, with a limb more where one is needed."""
    for low, high in pairwise(limbs):
        high += low >> bits
        low &= (1 << bits) - 1
    over = limbs[-1] >> bits
    if not over.any():
        return limbs
    limbs[-1] &= (1 << bits) - 1
    return np.concatenate([limbs, over[None]])


def numbers(limbs: NDArray[np.int64], which: Any, dtype: Any = object, bits: int = LIMB_BITS) -> NDArray[Any]:
    """Return the counts of these states, as int64 or as objects: Python's integers, which never overflow."""
    picked = limbs[:, which].astype(dtype)
    total: NDArray[Any] = picked[0]
    for number, limb in enumerate(picked[1:], start=1):
        total = total + limb * (1 << (number * bits))
    return total


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
        puzzle = self.diagram.puzzle
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


@lru_cache(maxsize=256)
def _deal(supply: tuple[int, ...], cells: int) -> Diagram:
    """Return the ways to fill so many cells from a supply, with no rule at all."""
    kinds = frozenset(range(len(supply)))
    groups = tuple((cell,) for cell in range(cells))
    return build(Puzzle(supply, groups, tuple(kinds for _ in groups), exact=False), _DEAL_STATES)
