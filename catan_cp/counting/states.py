"""The states of a walk over a puzzle, many at once: place a kind, make the state canonical, pack it.

A state has a *word* per kind: the number of pieces left, shifted past a mask of the frontier slots where the
kind stands (see `frontier`). Where clusters are bounded, each slot also has the mask of the slots of
its cluster and the cluster's size; where two cells are the most, a mask of the cells in pairs says as much.
All arrays are columns: one entry a state.

So that equal states are found by sorting, they are packed into *keys*, one int64 or a few a state, and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import and_, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import NAME_BITS, Place, Plan, Puzzle

Column = NDArray[np.signedinteger[Any]]


@dataclass
class States:
    """Some states, as columns.

    Attributes:
        words: per kind, pieces left << slots | mask of the slots where it stands.
        clusters: per slot, the mask of the slots of its cluster; 0 where no bounded kind stands. None where
            clusters hold two cells at most.
        sizes: per slot, the size of its cluster, cells behind the frontier included; none either.
        paired: where clusters hold two cells at most, the mask of the slots whose cell is in one of two.
        quotas: per scope, how many of the kinds under a quota it holds.
    """

    words: list[Column]
    clusters: list[Column]
    sizes: list[Column]
    paired: list[Column]
    quotas: list[Column]

    def __len__(self) -> int:
        return len(self.words[0])

    def take(self, rows: NDArray[np.integer]) -> States:
        """Return the states of these rows."""
        parts = self.words, self.clusters, self.sizes, self.paired, self.quotas
        return States(*([column[rows] for column in part] for part in parts))


def start(puzzle: Puzzle, plan: Plan, n: int) -> tuple[States, NDArray[np.int8]]:
    """Return *n* times the state before the first step, and per kind of it what it is called."""
    slots = plan.slots if puzzle.cluster_max > 2 else 0
    dtype = dtype_of(puzzle, plan)
    words = [np.full(n, count << plan.slots, dtype=dtype) for count in puzzle.supply]
    zeros = [
        [np.zeros(n, dtype=dtype) for _ in range(m)]
        for m in (slots, slots, puzzle.cluster_max == 2, n_quotas(puzzle))
    ]
    states = States(words, *zeros)
    names = np.repeat(np.arange(puzzle.n_kinds, dtype=np.int8)[:, None], n, axis=1)
    return states, canonical(puzzle, plan, 0, states, names)


def placed(
    puzzle: Puzzle, plan: Plan, number: int, states: States, kind: int
) -> tuple[NDArray[np.intp], States]:
    """Return the rows where step *number* may place *kind*, and what their states become."""
    step = plan.steps[number]
    allowed = kind in puzzle.domains[step.group]
    fits = (states.words[kind] >> plan.slots >= len(step.places)) & allowed
    for other in puzzle.scope_clashing(kind):
        fits &= states.words[other] & step.scope_slot == 0
    if kind in puzzle.quota_kinds:
        fits &= states.quotas[step.scope] < puzzle.quota
    rows = np.flatnonzero(fits)
    states = states.take(rows)
    for place in step.places:
        fits = np.ones(len(states), dtype=bool)
        for clash, near in zip(puzzle.clashes, place.clashing, strict=True):
            for other in (k for k, clashes in enumerate(clash.kinds[kind]) if clashes):
                fits &= states.words[other] & near == 0
        for first, second in place.meeting:
            for a, b in puzzle.banned_with[kind]:
                fits &= (states.words[a] >> first) & (states.words[b] >> second) & 1 == 0
        if kind in puzzle.clustered:
            fits &= _pair(states, kind, place) if states.paired else _join(puzzle, states, kind, place)
        if not fits.all():
            rows, states = rows[fits], states.take(np.flatnonzero(fits))
        states.words[kind] += (1 << place.slot) - (1 << plan.slots)
    states.words[kind] |= step.scope_slot
    if kind in puzzle.quota_kinds:
        states.quotas[step.scope] += 1
    return rows, states


def _pair(states: States, kind: int, place: Place) -> NDArray[np.bool_]:
    """Pair the place with a cell that it touches, and return whether it is one at most, and was alone."""
    touched = states.words[kind] & place.touching
    alone: NDArray[np.bool_] = (touched & states.paired[0] == 0) & (touched & touched - 1 == 0)
    states.paired[0] |= np.where(touched, touched | 1 << place.slot, 0)
    return alone


def _join(puzzle: Puzzle, states: States, kind: int, place: Place) -> NDArray[np.bool_]:
    """Join the clusters that the place touches, and return whether the new one is small enough."""
    own = 1 << place.slot
    union = np.zeros_like(states.words[kind])
    touched = states.words[kind] & place.touching
    for slot, cluster in enumerate(states.clusters):
        union |= np.where(touched >> slot & 1, cluster, 0)
    size = np.ones_like(union)
    for slot, head in enumerate(heads_of(states)):
        size += head * (union >> slot & 1)
    union |= own
    for slot in range(len(states.clusters)):
        member = union >> slot & 1 == 1
        states.clusters[slot] = np.where(member, union, states.clusters[slot])
        states.sizes[slot] = np.where(member, size, states.sizes[slot])
    return size <= puzzle.cluster_max


def canonical(
    puzzle: Puzzle, plan: Plan, number: int, states: States, names: NDArray[np.int8] | None = None
) -> NDArray[np.int8]:
    """Make equal, in place, the states before step *number* that go on in the same ways.

    Cells that have left the frontier are dropped, and so is what can break no rule any more; twins are put in
    order. Returns *names* in that order.
    """
    if number:
        retired = plan.steps[number - 1].retired
        for mask in (*states.words, *states.paired):
            mask &= ~retired
        for slot, cluster in enumerate(states.clusters):
            if retired >> slot & 1:
                cluster[:] = 0
                states.sizes[slot][:] = 0
            else:
                cluster &= ~retired
        if states.quotas and plan.steps[number - 1].scope_ends:
            states.quotas[plan.steps[number - 1].scope][:] = 0
    _forget(puzzle, plan, number, states)
    return _sort_twins(plan, number, states, names)


def _forget(puzzle: Puzzle, plan: Plan, number: int, states: States) -> None:
    cells_left = plan.steps[number - 1].left if number else puzzle.n_cells
    slots, scopes = plan.slots, plan.scope_slots
    frontier = (1 << slots) - 1 & ~scopes
    if not puzzle.exact and not puzzle.deals:
        for kind, word in enumerate(states.words):
            more = word >> slots > cells_left
            states.words[kind] = np.where(more, word & (1 << slots) - 1 | cells_left << slots, word)
    if states.quotas:
        most_more = sum(states.words[kind] >> slots for kind in puzzle.quota_kinds)
        for quota in states.quotas:
            quota[quota + most_more <= puzzle.quota] = 0
    some_left = [word >> slots > 0 for word in states.words]
    bursting, heads = np.zeros_like(states.words[0]), heads_of(states)
    for kind, word in enumerate(states.words):
        matters = np.zeros(len(states), dtype=bool)
        for other in puzzle.clashing(kind):
            matters |= some_left[other]
        if kind in puzzle.clustered:
            bounded = some_left[kind] & _may_burst(puzzle, slots, states, word, heads)
            bursting |= np.where(bounded, word, 0)
            matters |= bounded
        np.bitwise_and(word, ~frontier, out=word, where=~matters)
        if scopes:
            scope_matters = np.zeros(len(states), dtype=bool)
            for other in puzzle.scope_clashing(kind):
                scope_matters |= some_left[other]
            np.bitwise_and(word, ~scopes, out=word, where=~scope_matters)
    for paired in states.paired:
        paired &= bursting
    for slot, (cluster, size) in enumerate(zip(states.clusters, states.sizes, strict=True)):
        harmless = bursting >> slot & 1 == 0
        cluster[harmless] = 0
        size[harmless] = 0


def heads_of(states: States) -> list[Column]:
    """Return, per slot, the size of the cluster of which it is the first slot; else 0."""
    return [
        np.where(cluster & ((1 << slot) - 1) == 0, states.sizes[slot], 0)
        for slot, cluster in enumerate(states.clusters)
    ]


def _may_burst(
    puzzle: Puzzle, slots: int, states: States, word: Column, heads: list[Column]
) -> NDArray[np.bool_]:
    """Whether all clusters of a kind on the frontier and all its pieces left, in one, would be too many."""
    total = word >> slots
    for paired in states.paired:  # what is left, a first and a second cell: with a piece, three are too many
        here = word & (1 << slots) - 1
        total = total + (here != 0) + (here & here - 1 != 0) + 2 * (here & paired != 0)
    for slot, head in enumerate(heads):
        total = total + head * (word >> slot & 1)
    return total > puzzle.cluster_max


def _sort_twins(plan: Plan, number: int, states: States, names: NDArray[np.int8] | None) -> NDArray[np.int8]:
    """Sort the words of twins in each state, and what the kinds are called along with them.

    A name is put behind its word for the time, so that one comparison sorts both; of equal words the lower
    name comes first.
    """
    words = states.words
    if names is None:
        _sort(plan.twins[number], words)
        return np.zeros((0, 0), dtype=np.int8)
    names = names.copy()
    twins = [kind for members in plan.twins[number] for kind in members]
    dtype = words[0].dtype
    bits = NAME_BITS + max((int(words[kind].max(initial=0)).bit_length() for kind in twins), default=0)
    wide: type[np.signedinteger[Any]] = np.int32 if bits < 32 else np.int64
    named = {kind: words[kind].astype(wide) << NAME_BITS | names[kind] for kind in twins}
    _sort(plan.twins[number], named)
    for kind, word in named.items():
        names[kind] = word & (1 << NAME_BITS) - 1
        words[kind] = (word >> NAME_BITS).astype(dtype)
    return names


def _sort(twins: tuple[tuple[int, ...], ...], words: list[Column] | dict[int, Column]) -> None:
    """Bubble sort as a network of compare-and-exchange: the same for every state, so for whole columns."""
    for members in twins:
        for end in range(len(members), 1, -1):
            for a, b in pairwise(members[:end]):
                words[a], words[b] = np.minimum(words[a], words[b]), np.maximum(words[a], words[b])


def n_quotas(puzzle: Puzzle) -> int:
    """Return for how many scopes a state says how full their quotas are."""
    return max(puzzle.scopes, default=-1) + 1 if puzzle.quota_kinds else 0


def dtype_of(puzzle: Puzzle, plan: Plan) -> type[np.signedinteger[Any]]:
    """Return the integers for the columns: short ones where the words fit, for they are twice as fast."""
    return np.int32 if plan.slots + max(puzzle.supply).bit_length() < 32 else np.int64


Keys = list[NDArray[np.int64]]

_KEY_BITS = 62
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number of random bits: 2**64 over the golden ratio


@dataclass(frozen=True)
class Codec:
    """Packs states into a few int64 keys each and back. Fields are (limb, shift, bits).

    A cell of the frontier has one kind, so the kinds' masks are packed as *planes*: the binary digits of the
    kind's number plus one, 0 for none, each a mask of the slots where it is set. The slot of a scope may
    stand for several kinds; where there are such slots, every kind is a plane of its own.
    """

    slots: int
    kinds: int
    planes: tuple[frozenset[int], ...]
    clusters: int
    paired: int
    fields: tuple[tuple[int, int, int], ...]
    limbs: int
    dtype: type[np.signedinteger[Any]]

    @classmethod
    def of(cls, puzzle: Puzzle, plan: Plan) -> Codec:
        """Return the codec for the states of this puzzle."""
        kinds = range(puzzle.n_kinds)
        if plan.scope_slots:
            planes = tuple(frozenset((kind,)) for kind in kinds)
        else:
            digits = range(puzzle.n_kinds.bit_length())
            planes = tuple(frozenset(k for k in kinds if k + 1 >> digit & 1) for digit in digits)
        widths = [plan.slots] * len(planes)
        widths += [max(1, count.bit_length()) for count in _most_left(puzzle, plan)]
        if puzzle.cluster_max > 2:
            for slot in range(plan.slots):
                widths += [plan.slots - slot - 1, puzzle.cluster_max.bit_length()]
        widths += [plan.slots] * (puzzle.cluster_max == 2)
        widths += [max(1, puzzle.quota.bit_length())] * n_quotas(puzzle)
        fields = []
        limb = shift = 0
        for width in widths:
            if shift + width > _KEY_BITS:
                limb, shift = limb + 1, 0
            fields.append((limb, shift, width))
            shift += width
        return cls(
            plan.slots,
            puzzle.n_kinds,
            planes,
            plan.slots if puzzle.cluster_max > 2 else 0,
            int(puzzle.cluster_max == 2),
            tuple(fields),
            limb + 1,
            dtype_of(puzzle, plan),
        )

    def pack(self, states: States) -> Keys:
        """Return the keys: equal for equal states only."""
        everywhere = (1 << self.slots) - 1
        values = [reduce(or_, (states.words[kind] for kind in kinds)) & everywhere for kinds in self.planes]
        values += [word >> self.slots for word in states.words]
        for slot, (cluster, head) in enumerate(zip(states.clusters, heads_of(states), strict=True)):
            values += [cluster >> (slot + 1), head]
        values += states.paired + states.quotas
        keys = [np.zeros(len(states), dtype=np.int64) for _ in range(self.limbs)]
        for (limb, shift, _), value in zip(self.fields, values, strict=True):
            keys[limb] |= value.astype(np.int64) << shift
        return keys

    def unpack(self, keys: Keys) -> States:
        """Return the states of these keys."""
        values = [
            (keys[limb] >> shift & (1 << bits) - 1).astype(self.dtype) for limb, shift, bits in self.fields
        ]
        planes, values = values[: len(self.planes)], values[len(self.planes) :]
        left, rest = values[: self.kinds], values[self.kinds :]
        words = [left[kind] << self.slots | self._mask(kind, planes) for kind in range(self.kinds)]
        clusters: list[Column] = []
        sizes: list[Column] = []
        for slot in range(self.clusters):
            higher, size = rest[2 * slot] << (slot + 1), rest[2 * slot + 1]
            lower = np.zeros_like(higher)
            for other, cluster in enumerate(clusters):
                linked = cluster >> slot & 1 == 1
                lower |= np.where(linked, 1 << other, 0)
                size = np.where(linked, sizes[other], size)
            clusters.append(np.where(size > 0, higher | lower | 1 << slot, 0))
            sizes.append(size)
        rest = rest[2 * self.clusters :]
        return States(words, clusters, sizes, rest[: self.paired], rest[self.paired :])

    def _mask(self, kind: int, planes: list[Column]) -> Column:
        """Return the slots of a kind: those with all digits of its number, and no other."""
        mask = reduce(
            and_, (plane for plane, kinds in zip(planes, self.planes, strict=True) if kind in kinds)
        )
        if len(self.planes) < self.kinds:
            for plane, kinds in zip(planes, self.planes, strict=True):
                if kind not in kinds:
                    mask = mask & ~plane
        return mask


def _most_left(puzzle: Puzzle, plan: Plan) -> list[int]:
    """Per kind, the most pieces that may be left; twins share the largest, for sorting moves them about."""
    most = list(puzzle.supply)
    for twins in plan.twins:
        for members in twins:
            largest = max(most[k] for k in members)
            for k in members:
                most[k] = largest
    return most


def together(keys: Keys) -> NDArray[np.intp]:
    """Return an order in which equal keys stand side by side.

    Sorting one number is several times as fast as sorting two, so keys of more limbs are sorted by a hash;
    should different keys ever have the same, they are sorted limb by limb.
    """
    if len(keys) == 1:
        return np.argsort(keys[0])
    hashed = hashes(keys)
    order = np.argsort(hashed)
    if changes([limb[order] for limb in keys]).sum() != changes([hashed[order]]).sum():
        return np.lexsort(keys)
    return order


def hashes(keys: Keys) -> NDArray[np.uint64]:
    """Return a hash of each key."""
    found = keys[0].view(np.uint64)
    for limb in keys[1:]:
        found = (found ^ found >> np.uint64(29)) * _MIX ^ limb.view(np.uint64)
    return (found ^ found >> np.uint64(29)) * _MIX


def changes(keys: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return, per key, whether it is the first or differs from the one before."""
    first = np.ones(len(keys[0]), dtype=bool)
    first[1:] = False
    for limb in keys:
        first[1:] |= limb[1:] != limb[:-1]
    return first
