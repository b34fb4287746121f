"""States packed into a few whole numbers each, so that equal ones are found by sorting.

A column of states (`states`) becomes a column of keys, one int64 or a few a state, and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import Plan, Puzzle
from catan_cp.counting.states import Column, States, dtype_of, heads_of, n_quotas

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
        if puzzle.cluster_max:
            for slot in range(plan.slots):
                widths += [plan.slots - slot - 1, puzzle.cluster_max.bit_length()]
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
            plan.slots if puzzle.cluster_max else 0,
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
        values += states.quotas
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
        return States(words, clusters, sizes, rest[2 * self.clusters :])

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
