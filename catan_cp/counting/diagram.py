"""Decision diagrams: exact counts of solutions, and solutions by their rank.

The *diagram* has a layer of states (`states`) for each step of the plan (`frontier`). A state has a successor
for each value that the step may take. Every path from the first state to the end is a solution.

    ways    of a state: the number of paths to the end. It is the sum of the ways of its successors.
    rank    the number of a solution, from 0. It is the sum, over all steps, of the ways of the successors by
            values in earlier rows of the state. Every number below the total is a rank, so a uniform rank
            gives a uniform solution.
    names   the value of each row of a state. States sort interchangeable values, so that more states are
            equal. A single solution needs the names to undo this (see `Transitions.start`).
    deals   the ways to distribute the pieces of a merged value over its variables (see `spaces`).

A worked example: three tiles in a row, with two pieces of value 0 and one of value 1, where neighbors must
differ. The only solution is 0, 1, 0. Without the constraint there are three solutions.

>>> from dataclasses import replace
>>> from catan_cp.counting.frontier import ForbiddenPairs
>>> differ = ForbiddenPairs(((0, 1), (1, 2)), ((True, False), (False, True)))
>>> both = frozenset({0, 1})
>>> groups = ((0,), (1,), (2,))
>>> row = FrontierProblem((2, 1), groups, domains=(both, both, both), forbidden=(differ,))
>>> build(row, 100).arrays([0])[0].tolist()
[[0, 1, 0]]
>>> free = build(replace(row, forbidden=()), 100)
>>> free.total, free.arrays(range(3))[0].tolist(), free.ranks(np.array([[0, 1, 0]]))
(3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1])
"""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.frontier import FrontierProblem
from catan_cp.counting.states import Keys, Transitions, changes, grouping_order
from catan_cp.errors import CatanError

MOST_SUMMED = 1 << 56
"""A hundred numbers up to this one can be added in 64-bit integers."""

_STATES_AT_ONCE = 1 << 14  # states handled at once, so that their columns stay in the processor's cache

PathCounts = NDArray[Any]
"""Numbers of ways: int64, or Python integers (dtype object) if they are longer."""

_one_thread = threading.Lock()
"""Held while ranks become solutions.

numpy lets another thread run during each of its steps. With 40 threads, changing between them took three
times as long as the steps. A forked process gets an open lock, since the thread that holds it is not copied.
"""


def _open_lock() -> None:
    global _one_thread
    _one_thread = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_lock)


class TooManyStates(CatanError):
    """The diagram needs more states than the limit."""


@dataclass(frozen=True)
class Diagram:
    """The decision diagram of a problem, with the number of ways from each state.

    Attributes:
        transitions: the problem, its plan and its states.
        successors: per step, int32 of shape (values, states): the successor of each state by each value. For
            a value that is not allowed, this is the number of states of the next layer, the index of the
            extra last entry of its *ways*.
        ways: per step and at the end, the ways from each state, shape (states + 1,). The last entry is 0.
        n_states: the number of states in all layers.
    """

    transitions: Transitions
    successors: tuple[NDArray[np.int32], ...]
    ways: tuple[PathCounts, ...]
    n_states: int = 0

    @cached_property
    def total(self) -> int:
        """The number of solutions, counted with their deals."""
        return int(self.ways[0][0])

    @property
    def n_bytes(self) -> int:
        """The size of the arrays in bytes."""
        return sum(array.nbytes for array in (*self.successors, *self.ways))

    def arrays(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], PathCounts]:
        """Return the solutions of ranks below `total`, and the rank of the deal of each.

        The solutions have shape (ranks, variables). A solution has one rank per deal of its pieces.
        """
        with _one_thread:
            return self._arrays(ranks)

    def _arrays(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], PathCounts]:
        n, problem = len(ranks), self.transitions.problem
        solutions = np.zeros((n, problem.n_variables), dtype=np.uint8)
        remaining = np.array(ranks, dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(n, dtype=np.intp)
        rows, (states, names) = np.arange(n), self.transitions.start(n)
        for number, step in enumerate(self.transitions.plan.steps):
            after = self.successors[number][:, node]
            ways = self.ways[number + 1][after].astype(remaining.dtype)
            passed = np.cumsum(ways, axis=0)
            column = (passed <= remaining).sum(axis=0)
            remaining -= passed[column, rows] - ways[column, rows]
            solutions[:, problem.groups[step.group]] = names[column, rows][:, None]
            node = after[column, rows]
            states, names = self.transitions.assign_each(number, states, names, column)
        return solutions, remaining

    def ranks(self, solutions: NDArray[np.uint8]) -> list[int]:
        """Return the first rank of each assignment, or -1 for one that is not a solution."""
        ranks = [-1] * len(solutions)
        alive = np.arange(len(solutions))
        total = np.zeros(len(solutions), dtype=np.int64 if self.total < 1 << 62 else object)
        node = np.zeros(len(solutions), dtype=np.intp)
        states, names = self.transitions.start(len(solutions))
        for number, step in enumerate(self.transitions.plan.steps):
            values = solutions[alive][:, list(self.transitions.problem.groups[step.group])].T
            column = (names == values[0]).argmax(axis=0)
            after = self.successors[number][:, node]
            ways = self.ways[number + 1][after].astype(total.dtype)
            total += (ways * (np.arange(len(names))[:, None] < column)).sum(axis=0)
            after = after[column, np.arange(len(alive))]
            is_allowed = after < len(self.ways[number + 1]) - 1
            is_one_value = (values == values[0]).all(axis=0) & (values[0] < len(names))
            keep = np.flatnonzero(is_allowed & is_one_value)
            alive, total, node = alive[keep], total[keep], after[keep]
            states, names = self.transitions.assign_each(
                number, states.take(keep, axis=1), names.take(keep, axis=1), column[keep]
            )
        for row, rank, ways in zip(alive.tolist(), total.tolist(), self.ways[-1][node], strict=True):
            if ways:
                ranks[row] = int(rank)
        return ranks


Report = Callable[..., None]
"""A function that checks a time limit, and shows the progress (`Budget.report`)."""


def build(problem: FrontierProblem, max_states: int, report: Report = lambda *_: None) -> Diagram:
    """Return the decision diagram of a problem.

    Layers grow until the middle and then shrink. So the build ends early if layers of the current size, up to
    the mirror image of the current layer, would exceed the limit. It also ends if one layer has more than a
    sixth of the limit.

    Args:
        problem: the problem.
        max_states: the maximum number of states, of about 40 bytes each while building.
        report: called with the progress after each step, and without it more often.

    Raises:
        TooManyStates: the diagram needs more states.
        SolverTimeout: *report* raised it.
    """
    transitions = Transitions(problem)
    keys = transitions.pack(transitions.start(1)[0])
    successors, n_seen, n_steps = [], 1, len(transitions.plan.steps)
    for number in range(n_steps):
        table, keys = _next_layer(transitions, number, keys, report)
        successors.append(table)
        n_seen += len(keys[0])
        before_middle = max(0, n_steps - 2 * (number + 1))
        if max(n_seen + len(keys[0]) * before_middle, 6 * len(keys[0])) > max_states:
            raise TooManyStates(f"more than {max_states} states after {number + 1} of {n_steps} steps")
        report(number + 1, n_steps, "steps")
    ways = [_with_extra(transitions.final_ways(keys))]
    for table in reversed(successors):
        report()
        ways.append(_ways_before(table, ways[-1]))
    return Diagram(transitions, tuple(successors), tuple(reversed(ways)), n_seen)


def _next_layer(
    transitions: Transitions, number: int, keys: Keys, report: Report
) -> tuple[NDArray[np.int32], Keys]:
    """Return the table of successors of a layer, and the keys of the next layer."""
    n, values = len(keys[0]), range(transitions.problem.n_values)
    batches = list[tuple[int, NDArray[np.int32], Keys]]()
    for begin in range(0, max(n, 1), _STATES_AT_ONCE):
        report()
        states = transitions.unpack([limb[begin : begin + _STATES_AT_ONCE] for limb in keys])
        for value in values:
            fitting, after = transitions.assign(number, states, value)
            transitions.make_canonical(number + 1, after)
            batches.append((value, (begin + fitting).astype(np.int32), transitions.pack(after)))
    next_keys, inverse = _distinct([np.concatenate([new.pop(0) for *_, new in batches]) for _ in keys])
    table = np.full((len(values), n), len(next_keys[0]), dtype=np.int32)
    begin = 0
    for value, columns, _ in batches:
        table[value, columns] = inverse[begin : begin + len(columns)]
        begin += len(columns)
    return table, next_keys


def _distinct(keys: Keys) -> tuple[Keys, NDArray[np.int32]]:
    """Return the distinct keys, and the index of each key in them.

    The function reorders *keys* in place.
    """
    order = grouping_order(keys)
    for limb in keys:
        limb[:] = limb[order]  # in place, since a count needs the most memory at this point
    first = changes(keys)
    inverse = np.empty(len(order), dtype=np.int32)
    inverse[order] = np.cumsum(first, dtype=np.int32) - 1
    return [limb[first] for limb in keys], inverse


def _with_extra(numbers: Sequence[int]) -> PathCounts:
    """Return numbers of ways with the extra last entry of `Diagram.ways`."""
    return np.array([*numbers, 0], dtype=np.int64 if max(numbers, default=0) < MOST_SUMMED else object)


def _ways_before(table: NDArray[np.int32], ways: PathCounts) -> PathCounts:
    """Return the ways from each state: the sum of the ways from its successors."""
    exact = ways if ways.max() < MOST_SUMMED else ways.astype(object)
    total = np.zeros(table.shape[1] + 1, dtype=exact.dtype)
    for row in table:
        total[:-1] += exact[row]
    return total
