"""The readable twin of the decision diagram: the same count, with states in a dictionary.

`diagram` holds states in arrays of integers, which is fast and hard to read. `Dictionary` holds them as
tuples, and the tests compare both. ``docs/how_counting_works.md`` explains it.

A *word* of a state is about one value. It has the number of pieces left, the frontier variables with that
value, the clusters that reach the frontier, and the scopes that contain the value.

A worked example: three tiles in a row, with two pieces of value 0 and one of value 1, where neighbors must
differ. The only solution is 0, 1, 0. After two tiles, the tile at the end of the row is forgotten.

>>> from catan_cp.counting.frontier import ForbiddenPairs
>>> differ = ForbiddenPairs(((0, 1), (1, 2)), ((True, False), (False, True)))
>>> both = frozenset({0, 1})
>>> row = FrontierProblem((2, 1), ((0,), (1,), (2,)), domains=(both, both, both), forbidden=(differ,))
>>> twin = Dictionary(row)
>>> [sorted((word.left, word.variables) for word in state) for layer in twin.layers for state in layer][-1]
[(0, ()), (0, ())]
>>> twin.total
1
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

from catan_cp.counting.frontier import FrontierProblem, Plan, plan, rising


class Word(NamedTuple):
    """The part of a state about one value.

    Attributes:
        left: the number of pieces left.
        variables: the frontier variables with the value.
        clusters: the size of each cluster that reaches the frontier, and its frontier variables.
        scopes: the scopes with the value and with later variables, if values exclude each other in a scope.
        quotas: the scopes with pieces that count for the quota, one entry per piece.
    """

    left: int
    variables: tuple[int, ...] = ()
    clusters: tuple[tuple[int, tuple[int, ...]], ...] = ()
    scopes: tuple[int, ...] = ()
    quotas: tuple[int, ...] = ()


TwinState = tuple[Word, ...]
"""One word per value."""


@dataclass(frozen=True)
class Dictionary:
    """The states of a problem after each step, each with the number of ways to reach it."""

    problem: FrontierProblem

    @cached_property
    def plan(self) -> Plan:
        """The order of the groups."""
        return plan(self.problem)

    @property
    def total(self) -> int:
        """The number of solutions, counted with their deals."""
        *_, last = self.layers
        return sum(ways * self._deals(state) for state, ways in last.items())

    @property
    def layers(self) -> Iterator[dict[TwinState, int]]:
        """The states before the first step and after each step."""
        states = {tuple(map(Word, self.problem.supply)): 1}
        yield states
        for number, step in enumerate(self.plan.steps):
            following: Counter[TwinState] = Counter()
            for state, ways in states.items():
                for value in self.problem.domains[step.group]:
                    after = self._assigned(state, value, self.problem.groups[step.group])
                    if after is not None:
                        following[self._canonical(number + 1, after)] += ways
            states = following
            yield states

    def _assigned(self, state: TwinState, value: int, group: tuple[int, ...]) -> TwinState | None:
        """Return the state after a group takes a value, or None if a constraint forbids it."""
        for variable in group:
            if state[value].left == 0 or not self._may_take(state, value, variable):
                return None
            state = self._with(state, value, variable)
            if any(size > self.problem.cluster_max for size, _ in state[value].clusters):
                return None
        return state

    def _may_take(self, state: TwinState, value: int, variable: int) -> bool:
        """Test the constraints between a variable and the assigned ones."""
        problem = self.problem
        at = {v: other for other, word in enumerate(state) for v in word.variables}
        for rule, near in zip(problem.forbidden, problem.forbidden_near, strict=True):
            if any(v in at and rule.values[value][at[v]] for v in near[variable]):
                return False
        for triple in problem.triples:
            others = [at[v] for v in triple if v != variable and v in at]
            if variable in triple and len(others) == 2 and rising([value, *others]) in problem.banned:
                return False
        if not problem.scopes:
            return True
        scope = problem.scopes[variable]
        if any(scope in state[other].scopes for other in problem.scope_excluded_by(value)):
            return False
        n_counted = sum(word.quotas.count(scope) for word in state)
        return value not in problem.quota_values or n_counted < problem.quota

    def _with(self, state: TwinState, value: int, variable: int) -> TwinState:
        """Return the state after a variable takes an allowed value."""
        problem, word = self.problem, state[value]
        clusters = word.clusters
        if value in problem.clustered:
            near = problem.touching_near[variable]
            touched = [cluster for cluster in clusters if not set(near).isdisjoint(cluster[1])]
            members = sorted([variable, *(v for _, variables in touched for v in variables)])
            joined = (1 + sum(size for size, _ in touched), tuple(members))
            clusters = (*(cluster for cluster in clusters if cluster not in touched), joined)
        scope = (problem.scopes[variable],) if problem.scopes else ()
        new = Word(
            word.left - 1,
            (*word.variables, variable),
            clusters,
            tuple({*word.scopes, *scope}) if problem.scope_forbidden else (),
            (*word.quotas, *scope) if value in problem.quota_values else word.quotas,
        )
        return (*state[:value], new, *state[value + 1 :])

    def _canonical(self, number: int, state: TwinState) -> TwinState:
        """Return the state before step *number* without the parts that no later constraint reads.

        Words of interchangeable values are sorted, so that more states are equal.
        """
        later, scopes = self._later[number], self._open[number]
        near, touching = self.problem.near, self.problem.touching_near
        words = []
        for word in state:
            clusters = [
                (size, tuple(v for v in variables if not later.isdisjoint(touching[v])))
                for size, variables in word.clusters
            ]
            variables = sorted(v for v in word.variables if not later.isdisjoint(near[v]))
            words.append(
                Word(
                    word.left,
                    tuple(variables),
                    tuple(sorted(cluster for cluster in clusters if cluster[1])),
                    tuple(sorted(scopes.intersection(word.scopes))),
                    tuple(sorted(scope for scope in word.quotas if scope in scopes)),
                )
            )
        for members in self.plan.interchangeable[number]:
            for value, word in zip(members, sorted(words[value] for value in members), strict=True):
                words[value] = word
        return tuple(words)

    @cached_property
    def _later(self) -> list[set[int]]:
        """The variables that have no value before each step and at the end."""
        groups = [self.problem.groups[step.group] for step in self.plan.steps]
        return [{v for group in groups[number:] for v in group} for number in range(len(groups) + 1)]

    @cached_property
    def _open(self) -> list[set[int]]:
        """The scopes with variables that have no value before each step and at the end."""
        scopes = self.problem.scopes
        return [{scopes[v] for v in later} if scopes else set() for later in self._later]

    def _deals(self, state: TwinState) -> int:
        """Return the number of deals of the pieces in the solutions of a last state."""
        problem = self.problem
        if problem.exact and any(word.left for word in state):
            return 0
        return prod(ways[word.left] for ways, word in zip(problem.deals, state, strict=bool(problem.deals)))
