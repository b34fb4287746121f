"""The states of a walk over a puzzle, many at once: place a kind, make the state canonical, pack it.

Some states are a table, a column each. Its rows:

    words     per kind, the pieces left << slots | the mask of the slots where it stands (see `frontier`)
    clusters  where clusters are bounded, per slot, the size of its cluster << slots | the mask of its slots;
              cells behind the frontier count in the size; 0 where no bounded kind stands. Where two cells are
              the most, one mask says as much: the slots whose cell is in a cluster of two
    quotas    per scope, how many of the kinds under a quota it holds

So that equal states are found by sorting, they are packed into *keys*, one int64 or a few a state, and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from math import prod
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import NAME_BITS, Place, Puzzle, plan

Table = NDArray[np.signedinteger[Any]]
Keys = list[NDArray[np.int64]]

_KEY_BITS = 62
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number of random bits: 2**64 over the golden ratio


class Walk:
    """A walk over a puzzle, and what its states become.

    Attributes:
        puzzle: what is filled.
        plan: in which order.
        widths: how many bits a number in each row of a table of states may have.
        fields: the limb of a key, the shift and the bits of each number that is packed into it.
        limbs: how many a key has.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.plan = puzzle, plan(puzzle)
        slots, kinds = self.plan.slots, range(puzzle.n_kinds)
        most = list(puzzle.supply)
        for members in chain.from_iterable(self.plan.twins):  # sorting moves their words about
            for kind in members:
                most[kind] = max(most[other] for other in members)
        self._cut = not puzzle.exact and not puzzle.deals  # as many pieces as cells are as good as more
        self._pairs = puzzle.cluster_max == 2
        sized = [slots + puzzle.cluster_max.bit_length()] * slots
        clusters = [slots] if self._pairs else sized if puzzle.cluster_max else []
        scopes = max(puzzle.scopes, default=-1) + 1 if puzzle.quota_kinds else 0
        self.widths = [slots + max(1, count.bit_length()) for count in most]
        self.widths += [*clusters, *[max(1, puzzle.quota.bit_length())] * scopes]
        self._words = slice(0, puzzle.n_kinds)
        self._clusters = slice(puzzle.n_kinds, puzzle.n_kinds + len(clusters))
        self._quotas = slice(puzzle.n_kinds + len(clusters), None)
        self._dtype: type[np.signedinteger[Any]] = np.int64
        if max(self.widths) < 32:
            self._dtype = np.int32  # twice as fast
        slots_sized = np.arange(0 if self._pairs else len(clusters))[:, None]
        self._slots: Table = slots_sized.astype(self._dtype)
        self._clustered = np.array([[kind in puzzle.clustered] for kind in kinds])
        self._bits, self._clashing, self._scope_clashing = (
            np.array(
                [[sum(1 << other for other in some(kind))] for kind in kinds],
                dtype=np.int64 if len(kinds) < 63 else object,
            )
            for some in (lambda kind: [kind], puzzle.clashing, puzzle.scope_clashing)
        )
        digits = range(puzzle.n_kinds.bit_length())
        self._planes = [[k for k in kinds if k + 1 >> digit & 1] for digit in digits]
        if self.plan.scope_slots:
            self._planes = [[kind] for kind in kinds]
        packed = [slots] * len(self._planes) + [max(1, count.bit_length()) for count in most]
        self.fields = list[tuple[int, int, int]]()
        limb = shift = 0
        for width in packed + self.widths[puzzle.n_kinds :]:
            if shift + width > _KEY_BITS:
                limb, shift = limb + 1, 0
            self.fields.append((limb, shift, width))
            shift += width
        self.limbs = limb + 1

    def start(self, n: int) -> tuple[Table, NDArray[np.int8]]:
        """Return *n* times the state before the first step, and per kind of it what it is called."""
        states = np.zeros((len(self.widths), n), dtype=self._dtype)
        states[self._words] = np.array(self.puzzle.supply, dtype=self._dtype)[:, None] << self.plan.slots
        names = np.repeat(np.arange(self.puzzle.n_kinds, dtype=np.int8)[:, None], n, axis=1)
        self._forget(0, states)
        return states, self._sorted(0, states, names)

    def placed(self, number: int, states: Table, kind: int) -> tuple[NDArray[np.intp], Table]:
        """Return the columns where step *number* may place *kind*, and what these states become."""
        puzzle, slots, step = self.puzzle, self.plan.slots, self.plan.steps[number]
        fits = (states[kind] >> slots >= len(step.places)) & (kind in puzzle.domains[step.group])
        for other in puzzle.scope_clashing(kind):
            fits &= states[other] & step.scope_slot == 0
        if kind in puzzle.quota_kinds:
            fits &= states[self._quotas][step.scope] < puzzle.quota
        columns = np.flatnonzero(fits)
        states = states.take(columns, axis=1)
        for place in step.places:
            fits = np.ones(len(columns), dtype=bool)
            for clash, near in zip(puzzle.clashes, place.clashing, strict=True):
                for other in (k for k, clashes in enumerate(clash.kinds[kind]) if clashes):
                    fits &= states[other] & near == 0
            for first, second in place.meeting:
                for a, b in puzzle.banned_with[kind]:
                    fits &= (states[a] >> first) & (states[b] >> second) & 1 == 0
            if kind in puzzle.clustered:
                fits &= self._join(states, states[kind], place)
            if not fits.all():
                columns, states = columns[fits], states.compress(fits, axis=1)
            states[kind] += (1 << place.slot) - (1 << slots)
        states[kind] |= step.scope_slot
        if kind in puzzle.quota_kinds:
            states[self._quotas][step.scope] += 1
        return columns, states

    def placed_each(
        self, number: int, states: Table, names: NDArray[np.int8], kinds: NDArray[np.intp]
    ) -> tuple[Table, NDArray[np.int8]]:
        """Return what states and names become by step *number*, each by a kind of its own, which fits."""
        if not any(self.plan.twins[number + 1 : -1]):
            return states, names  # nothing that is told apart will change places
        if self._cut:  # of twins that are equal the first is placed, and they change names before
            kinds, names = kinds.copy(), names.copy()
            for members in self.plan.twins[number]:
                for a, b in reversed([*pairwise(members)]):
                    equal = np.flatnonzero((kinds == b) & (states[a] == states[b]))
                    kinds[equal] = a
                    names[a, equal], names[b, equal] = names[b, equal], names[a, equal]
        step, states, own = self.plan.steps[number], states.copy(), (kinds, np.arange(len(kinds)))
        for place in step.places:
            if self.puzzle.clustered:  # what is noted of kinds without a bound is forgotten at once
                self._join(states, states[own], place)
            states[own] += (1 << place.slot) - (1 << self.plan.slots)
        states[own] |= step.scope_slot
        if self.puzzle.quota_kinds:
            states[self._quotas][step.scope] += np.isin(kinds, list(self.puzzle.quota_kinds))
        self._forget(number + 1, states)
        return states, self._sorted(number + 1, states, names)

    def _join(self, states: Table, words: Table, place: Place) -> NDArray[np.bool_]:
        """Join the clusters that the place touches, and return whether the new one is small enough.

        The *words* are those of the kind that is placed in each state.
        """
        own, slots, clusters = 1 << place.slot, self.plan.slots, states[self._clusters]
        touched = words & place.touching
        if self._pairs:
            alone: NDArray[np.bool_] = (touched & clusters[0] == 0) & (touched & touched - 1 == 0)
            clusters[0] |= np.where(touched, touched | own, 0)
            return alone
        near = np.where(touched >> self._slots & 1, clusters, 0)
        union = np.bitwise_or.reduce(near, axis=0) & (1 << slots) - 1
        size = 1 + (self._heads(states) * (union >> self._slots & 1)).sum(axis=0, dtype=self._dtype)
        union |= own
        clusters[:] = np.where(union >> self._slots & 1, size << slots | union, clusters)
        small: NDArray[np.bool_] = size <= self.puzzle.cluster_max
        return small

    def _heads(self, states: Table) -> Table:
        """Return, per slot, the size of the cluster of which it is the first slot; else 0."""
        clusters = states[self._clusters]
        return np.where(clusters & (1 << self._slots) - 1, 0, clusters >> self.plan.slots)

    def canonical(self, number: int, states: Table) -> None:
        """Make equal, in place, the states before step *number* that go on in the same ways.

        Cells that have left the frontier are dropped, and so is what can break no rule any more; twins are
        put in order.
        """
        self._forget(number, states)
        _sort(self.plan.twins[number], states)

    def _forget(self, number: int, states: Table) -> None:
        puzzle, slots, scopes = self.puzzle, self.plan.slots, self.plan.scope_slots
        words, clusters, quotas = states[self._words], states[self._clusters], states[self._quotas]
        everywhere = (1 << slots) - 1
        if number:
            step = self.plan.steps[number - 1]
            states[: self._clusters.stop] &= ~step.retired
            if not self._pairs:
                clusters[step.retired >> self._slots[:, 0] & 1 == 1] = 0
            if len(quotas) and step.scope_ends:
                quotas[step.scope] = 0
        if self._cut:
            cells_left = self.plan.steps[number - 1].left if number else puzzle.n_cells
            words[:] = words & everywhere | np.minimum(words >> slots, cells_left) << slots
        left = words >> slots
        if len(quotas):
            quotas[quotas + left[list(puzzle.quota_kinds)].sum(axis=0) <= puzzle.quota] = 0
        kinds_left = np.bitwise_or.reduce(np.where(left > 0, self._bits, 0), axis=0)
        matters = kinds_left & self._clashing != 0
        if puzzle.clustered:  # could all clusters of a kind and all its pieces left be one too many?
            here = words & everywhere
            if self._pairs:  # what is left, a first and a second cell: with a piece, three are too many
                total = left + (here != 0) + (here & here - 1 != 0) + 2 * (here & clusters != 0)
            else:
                total = left
                for slot, head in enumerate(self._heads(states)):
                    total = total + head * (here >> slot & 1)
            bounded = (left > 0) & (total > puzzle.cluster_max) & self._clustered
            bursting = np.bitwise_or.reduce(np.where(bounded, here, 0), axis=0)
            matters |= bounded
            if self._pairs:
                clusters &= bursting
            else:
                clusters[bursting >> self._slots & 1 == 0] = 0
        words[:] = np.where(matters, words, words & ~(everywhere & ~scopes))
        if scopes:
            words[:] = np.where(kinds_left & self._scope_clashing != 0, words, words & ~scopes)

    def _sorted(self, number: int, states: Table, names: NDArray[np.int8]) -> NDArray[np.int8]:
        """Put twins in order, and return what the kinds are called along with them.

        Its place before is put behind a word for the time, so that one comparison sorts both; of equal words
        the lower place comes first.
        """
        if not self.plan.twins[number]:
            return names
        words = states[self._words]
        placed = words.astype(np.int64) << NAME_BITS | np.arange(len(words))[:, None]
        _sort(self.plan.twins[number], placed)
        words[:] = placed >> NAME_BITS
        return np.take_along_axis(names, placed & (1 << NAME_BITS) - 1, axis=0)

    def pack(self, states: Table) -> Keys:
        """Return the keys: equal for equal states only.

        A cell of the frontier has one kind, so the kinds' masks are packed as *planes*: the binary digits of
        the kind's number plus one, 0 for none, each a mask of the slots where it is set. The slot of a scope
        may stand for several kinds; where there are such slots, every kind is a plane of its own.
        """
        words, slots = states[self._words], self.plan.slots
        planes = [np.bitwise_or.reduce(words[some], axis=0) & (1 << slots) - 1 for some in self._planes]
        keys = [np.zeros(states.shape[1], dtype=np.int64) for _ in range(self.limbs)]
        values = [*planes, *(words >> slots), *states[self._words.stop :]]
        for (limb, shift, _), value in zip(self.fields, values, strict=True):
            keys[limb] |= value.astype(np.int64) << shift
        return keys

    def unpack(self, keys: Keys) -> Table:
        """Return the states of these keys."""
        values = [keys[limb] >> shift & (1 << bits) - 1 for limb, shift, bits in self.fields]
        planes, rows = values[: len(self._planes)], values[len(self._planes) :]
        states = np.array(rows, dtype=self._dtype)
        for kind, word in enumerate(states[self._words]):
            mask = np.full_like(keys[0], (1 << self.plan.slots) - 1)
            for plane, kinds in zip(planes, self._planes, strict=True):
                if kind in kinds:
                    mask &= plane
                elif len(self._planes) < self.puzzle.n_kinds:
                    mask &= ~plane
            word[:] = word << self.plan.slots | mask
        return states

    def ends(self, keys: Keys) -> list[int]:
        """Return, per state at the end, in how many ways its pieces can be told apart."""
        deals = self.puzzle.deals
        left = (self.unpack(keys)[self._words] >> self.plan.slots).T.tolist()
        return [prod(map(getitem, deals, state)) for state in left] if deals else [1] * len(left)


def _sort(twins: tuple[tuple[int, ...], ...], words: Table) -> None:
    """Bubble sort as a network of compare-and-exchange: the same for every state, so for whole rows."""
    for members in twins:
        for end in range(len(members), 1, -1):
            for a, b in pairwise(members[:end]):
                words[a], words[b] = np.minimum(words[a], words[b]), np.maximum(words[a], words[b])


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
