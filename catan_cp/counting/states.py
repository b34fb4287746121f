"""The states of a decision diagram in arrays, and the transitions between them.

States are the columns of a *table*, a NumPy array, so that one operation handles thousands of states.
The rows of a table, by the accessors of `Transitions`, with S for the number of slots (`frontier`):

    words     one row per value: the pieces left << S | the mask of the slots with that value.
    clusters  if clusters are limited, one row per slot: the cluster's size << S | the mask of its slots,
              or 0 for a value without limit. The size includes variables that left the frontier. If the limit
              is two, a single row suffices: the mask of the slots in clusters of two.
    quotas    if a quota exists, one row per scope: the number of its pieces with a value under the quota.

A canonical state has only the parts that later constraints read. These methods set and clear the parts:

    part                   set by            cleared by
    pieces left in a word  `start`           `assign` (less one), `_forget` (cut to the unassigned variables)
    slot bit of a word     `assign`          `_forget`, if the slot retires or excludes nothing more
    scope bit of a word    `assign`          `_forget`, if the scope ends or excludes nothing more
    cluster                `_join`           `_forget`, if the slot retires or the limit is out of reach
    quota count            `assign`          `_forget`, if the scope ends or the quota is out of reach
    order of equal words   `make_canonical`  -

Equal states are found by sorting *keys*: each state packed into one or a few int64 numbers (*limbs*).

A canonical state has its words of interchangeable values in rising order. So a row may change its value. The
*names* of a state store the original value of each row.

A worked example: three tiles in a row, with two pieces of value 0 and one of value 1, where neighbors must
differ. Tile 2 must have value 0, so the values are not interchangeable. There are two slots. After tile 0 has
value 0, one piece of each value is left (1 << 2), and slot 0 has value 0 (bit 0 of the first word).

>>> from catan_cp.counting.frontier import ForbiddenPairs, FrontierProblem
>>> differ = ForbiddenPairs(((0, 1), (1, 2)), ((True, False), (False, True)))
>>> both, first = frozenset({0, 1}), frozenset({0})
>>> groups = ((0,), (1,), (2,))
>>> row = FrontierProblem((2, 1), groups, domains=(both, both, first), forbidden=(differ,))
>>> transitions = Transitions(row)
>>> states, names = transitions.start(1)
>>> columns, states = transitions.assign(0, states, 0)
>>> [bin(word) for word in states[:, 0].tolist()]
['0b101', '0b100']

The neighbor, tile 1, may not take value 0, so no column remains:

>>> transitions.assign(1, states, 0)[0].tolist(), transitions.assign(1, states, 1)[0].tolist()
([], [0])
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from math import prod
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import NAME_BITS, FrontierProblem, StepPlace, plan

StateTable = NDArray[np.signedinteger[Any]]
Keys = list[NDArray[np.int64]]

_KEY_BITS = 62
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number of random bits: 2**64 over the golden ratio


class Transitions:
    """The transitions between the states of a problem.

    Attributes:
        problem: the problem.
        plan: the order of its groups.
        widths: for each row of a table, the maximum number of bits of its numbers.
        fields: for each number packed into a key: its limb, its shift and its width in bits.
        limbs: the number of limbs of a key.
    """

    def __init__(self, problem: FrontierProblem) -> None:
        self.problem, self.plan = problem, plan(problem)
        slots, values = self.plan.slots, range(problem.n_values)
        most = list(problem.supply)
        for members in chain.from_iterable(self.plan.interchangeable):  # Sorting swaps their words.
            for value in members:
                most[value] = max(most[partner] for partner in members)
        # Pieces beyond the number of unassigned variables make no difference, unless they are counted.
        self._cut = not problem.exact and not problem.deals
        self._pairs_only = problem.cluster_max == 2
        sized = [slots + problem.cluster_max.bit_length()] * slots
        clusters = [slots] if self._pairs_only else sized if problem.cluster_max else []
        scopes = max(problem.scopes, default=-1) + 1 if problem.quota_values else 0
        self.widths = [slots + max(1, count.bit_length()) for count in most]
        self.widths += [*clusters, *[max(1, problem.quota.bit_length())] * scopes]
        self._cluster_rows = slice(problem.n_values, problem.n_values + len(clusters))
        self._dtype: type[np.signedinteger[Any]] = np.int64
        if max(self.widths) < 32:
            self._dtype = np.int32  # twice as fast
        slots_sized = np.arange(0 if self._pairs_only else len(clusters))[:, None]
        self._slots: StateTable = slots_sized.astype(self._dtype)
        self._clustered = np.array([[value in problem.clustered] for value in values])
        self._bits, self._excluding, self._scope_excluding = (
            np.array(
                [[sum(1 << partner for partner in partners(value))] for value in values],
                dtype=np.int64 if len(values) < 63 else object,
            )
            for partners in (lambda value: [value], problem.excluded_by, problem.scope_excluded_by)
        )
        digits = range(problem.n_values.bit_length())
        self._planes = [[value for value in values if value + 1 >> digit & 1] for digit in digits]
        if self.plan.scope_slots:
            self._planes = [[value] for value in values]
        packed = [slots] * len(self._planes) + [max(1, count.bit_length()) for count in most]
        self.fields = list[tuple[int, int, int]]()
        limb = shift = 0
        for width in packed + self.widths[problem.n_values :]:
            if shift + width > _KEY_BITS:
                limb, shift = limb + 1, 0
            self.fields.append((limb, shift, width))
            shift += width
        self.limbs = limb + 1

    # Parts of a table, as views

    def _words(self, states: StateTable) -> StateTable:
        return states[: self.problem.n_values]

    def _clusters(self, states: StateTable) -> StateTable:
        return states[self._cluster_rows]

    def _quotas(self, states: StateTable) -> StateTable:
        return states[self._cluster_rows.stop :]

    def _pieces_left(self, words: StateTable) -> StateTable:
        return words >> self.plan.slots

    @property
    def _all_slots(self) -> int:
        return (1 << self.plan.slots) - 1

    # Transitions

    def start(self, n: int) -> tuple[StateTable, NDArray[np.int8]]:
        """Return *n* copies of the first state, and their names.

        Row *v* of the names is the original value of row *v* of the words.
        """
        states = np.zeros((len(self.widths), n), dtype=self._dtype)
        supply = np.array(self.problem.supply, dtype=self._dtype)
        self._words(states)[:] = supply[:, None] << self.plan.slots
        names = np.repeat(np.arange(self.problem.n_values, dtype=np.int8)[:, None], n, axis=1)
        self._forget(0, states)
        return states, self._sorted(0, states, names)

    def assign(self, number: int, states: StateTable, value: int) -> tuple[NDArray[np.intp], StateTable]:
        """Return the columns in which step *number* may take *value*, and the next states.

        The next states are not yet canonical.
        """
        problem, slots, step = self.problem, self.plan.slots, self.plan.steps[number]
        fits = (self._pieces_left(states[value]) >= len(step.places)) & (value in problem.domains[step.group])
        for partner in problem.scope_excluded_by(value):
            fits &= states[partner] & step.scope_slot == 0
        if value in problem.quota_values:
            fits &= self._quotas(states)[step.scope] < problem.quota
        columns = np.flatnonzero(fits)
        states = states.take(columns, axis=1)
        for place in step.places:
            fits = np.ones(len(columns), dtype=bool)
            for rule, near in zip(problem.forbidden, place.forbidden, strict=True):
                for partner in (v for v, is_out in enumerate(rule.values[value]) if is_out):
                    fits &= states[partner] & near == 0
            for first, second in place.meeting:
                for a, b in problem.banned_with[value]:
                    fits &= (states[a] >> first) & (states[b] >> second) & 1 == 0
            if value in problem.clustered:
                fits &= self._join(states, states[value], place)
            if not fits.all():
                columns, states = columns[fits], states.compress(fits, axis=1)
            states[value] += (1 << place.slot) - (1 << slots)  # One slot more, one piece less.
        states[value] |= step.scope_slot
        if value in problem.quota_values:
            self._quotas(states)[step.scope] += 1
        return columns, states

    def assign_each(
        self, number: int, states: StateTable, names: NDArray[np.int8], values: NDArray[np.intp]
    ) -> tuple[StateTable, NDArray[np.int8]]:
        """Return the states and names after step *number*, with a value per column."""
        if not any(self.plan.interchangeable[number + 1 : -1]):
            return states, names  # No values will swap, so the names remain.
        # Of equal words, the diagram assigns the first. If the value belongs to a later one, both names are
        # swapped.
        if self._cut:
            values, names = values.copy(), names.copy()
            for members in self.plan.interchangeable[number]:
                for a, b in reversed([*pairwise(members)]):
                    equal = np.flatnonzero((values == b) & (states[a] == states[b]))
                    values[equal] = a
                    names[a, equal], names[b, equal] = names[b, equal], names[a, equal]
        step, states, assigned = self.plan.steps[number], states.copy(), (values, np.arange(len(values)))
        for place in step.places:
            if self.problem.clustered:  # `_forget` drops the clusters of values without limit.
                self._join(states, states[assigned], place)
            states[assigned] += (1 << place.slot) - (1 << self.plan.slots)
        states[assigned] |= step.scope_slot
        if self.problem.quota_values:
            self._quotas(states)[step.scope] += np.isin(values, list(self.problem.quota_values))
        self._forget(number + 1, states)
        return states, self._sorted(number + 1, states, names)

    def _join(self, states: StateTable, words: StateTable, place: StepPlace) -> NDArray[np.bool_]:
        """Join the clusters that a variable touches, and test the size of the new one.

        *words* holds, for each state, the word of the value assigned.
        """
        new_bit, slots, clusters = 1 << place.slot, self.plan.slots, self._clusters(states)
        touched = words & place.touching
        if self._pairs_only:
            pair_fits: NDArray[np.bool_] = (touched & clusters[0] == 0) & (touched & touched - 1 == 0)
            clusters[0] |= np.where(touched, touched | new_bit, 0)
            return pair_fits
        near = np.where(touched >> self._slots & 1, clusters, 0)
        union = np.bitwise_or.reduce(near, axis=0) & (1 << slots) - 1
        size = 1 + (self._heads(states) * (union >> self._slots & 1)).sum(axis=0, dtype=self._dtype)
        union |= new_bit
        clusters[:] = np.where(union >> self._slots & 1, size << slots | union, clusters)
        fits: NDArray[np.bool_] = size <= self.problem.cluster_max
        return fits

    def _heads(self, states: StateTable) -> StateTable:
        """Return the size of each cluster in the row of its lowest slot, 0 in others."""
        clusters = self._clusters(states)
        return np.where(clusters & (1 << self._slots) - 1, 0, clusters >> self.plan.slots)

    # Canonical states

    def make_canonical(self, number: int, states: StateTable) -> None:
        """Make states equal, in place, if the same assignments complete them.

        The states are those before step *number*.
        """
        self._forget(number, states)
        _sort(self.plan.interchangeable[number], states)

    def _forget(self, number: int, states: StateTable) -> None:
        """Clear the parts that no later constraint reads (listed in the module's docstring)."""
        problem, scope_bits, all_slots = self.problem, self.plan.scope_slots, self._all_slots
        words, clusters = self._words(states), self._clusters(states)
        quotas = self._quotas(states) if problem.quota_values else states[:0]
        if number:
            step = self.plan.steps[number - 1]
            states[: self._cluster_rows.stop] &= ~step.retired
            if not self._pairs_only:
                clusters[step.retired >> self._slots[:, 0] & 1 == 1] = 0
            if len(quotas) and step.scope_ends:
                quotas[step.scope] = 0
        if self._cut:
            n_left = self.plan.steps[number - 1].n_left if number else problem.n_variables
            words[:] = words & all_slots | np.minimum(self._pieces_left(words), n_left) << self.plan.slots
        pieces_left = self._pieces_left(words)
        if len(quotas):
            quotas[quotas + pieces_left[list(problem.quota_values)].sum(axis=0) <= problem.quota] = 0
        values_left = np.bitwise_or.reduce(np.where(pieces_left > 0, self._bits, 0), axis=0)
        matters = values_left & self._excluding != 0
        if problem.clustered:  # Could a value's clusters, joined by all its pieces left, exceed the limit?
            assigned = words & all_slots
            # With a limit of two, it suffices to count the pieces left, at most two assigned variables, and
            # two more if one of them is in a pair.
            if self._pairs_only:
                total = pieces_left + (assigned != 0) + (assigned & assigned - 1 != 0)
                total = total + 2 * (assigned & clusters != 0)
            else:
                total = pieces_left
                for slot, head in enumerate(self._heads(states)):
                    total = total + head * (assigned >> slot & 1)
            limited = (pieces_left > 0) & (total > problem.cluster_max) & self._clustered
            in_reach = np.bitwise_or.reduce(np.where(limited, assigned, 0), axis=0)
            matters |= limited
            if self._pairs_only:
                clusters &= in_reach
            else:
                clusters[in_reach >> self._slots & 1 == 0] = 0
        words[:] = np.where(matters, words, words & ~(all_slots & ~scope_bits))
        if scope_bits:
            words[:] = np.where(values_left & self._scope_excluding != 0, words, words & ~scope_bits)

    def _sorted(self, number: int, states: StateTable, names: NDArray[np.int8]) -> NDArray[np.int8]:
        """Sort words of interchangeable values, and return the names in that order.

        The words are sorted in place. The place of each word is appended to it, so one comparison sorts both.
        Equal words keep their order.
        """
        if not self.plan.interchangeable[number]:
            return names
        words = self._words(states)
        placed = words.astype(np.int64) << NAME_BITS | np.arange(len(words))[:, None]
        _sort(self.plan.interchangeable[number], placed)
        words[:] = placed >> NAME_BITS
        return np.take_along_axis(names, placed & (1 << NAME_BITS) - 1, axis=0)

    # Keys

    def pack(self, states: StateTable) -> Keys:
        """Return the keys of states, which differ for different states.

        A variable has one value. So the masks of the values are packed as *planes*, one per binary digit of
        the value's number plus one (0 for no value). The slot of a scope may have several values. With such
        slots, each value has its own plane.
        """
        words = self._words(states)
        planes = [np.bitwise_or.reduce(words[plane], axis=0) & self._all_slots for plane in self._planes]
        keys = [np.zeros(states.shape[1], dtype=np.int64) for _ in range(self.limbs)]
        numbers = [*planes, *self._pieces_left(words), *states[len(words) :]]
        for (limb, shift, _), number in zip(self.fields, numbers, strict=True):
            keys[limb] |= number.astype(np.int64) << shift
        return keys

    def unpack(self, keys: Keys) -> StateTable:
        """Return the states of keys."""
        numbers = [keys[limb] >> shift & (1 << width) - 1 for limb, shift, width in self.fields]
        planes, rows = numbers[: len(self._planes)], numbers[len(self._planes) :]
        states = np.array(rows, dtype=self._dtype)
        for value, word in enumerate(self._words(states)):
            mask = np.full_like(keys[0], self._all_slots)
            for plane, values in zip(planes, self._planes, strict=True):
                if value in values:
                    mask &= plane
                elif len(self._planes) < self.problem.n_values:
                    mask &= ~plane
            word[:] = word << self.plan.slots | mask
        return states

    def final_ways(self, keys: Keys) -> list[int]:
        """Return the ways to deal the pieces of each final state (`FrontierProblem.deals`)."""
        deals = self.problem.deals
        if not deals:
            return [1] * len(keys[0])
        remaining = self._pieces_left(self._words(self.unpack(keys))).T.tolist()
        return [prod(map(getitem, deals, state)) for state in remaining]


def _sort(interchangeable: tuple[tuple[int, ...], ...], words: StateTable) -> None:
    """Sort the rows of each set of values, all columns at once, by a sorting network."""
    for members in interchangeable:
        for end in range(len(members), 1, -1):
            for a, b in pairwise(members[:end]):
                words[a], words[b] = np.minimum(words[a], words[b]), np.maximum(words[a], words[b])


def grouping_order(keys: Keys) -> NDArray[np.intp]:
    """Return a permutation of keys that brings equal keys together.

    Sorting one number is several times as fast as sorting two, so keys of several limbs are sorted by a hash.
    If different keys have equal hashes, the keys are sorted limb by limb instead.
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
    mixed = keys[0].view(np.uint64)
    for limb in keys[1:]:
        mixed = (mixed ^ mixed >> np.uint64(29)) * _MIX ^ limb.view(np.uint64)
    return (mixed ^ mixed >> np.uint64(29)) * _MIX


def changes(keys: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return, for each key, whether it is the first or differs from the key before."""
    first = np.ones(len(keys[0]), dtype=bool)
    first[1:] = False
    for limb in keys:
        first[1:] |= limb[1:] != limb[:-1]
    return first
