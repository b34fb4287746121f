"""A constraint problem, and an order of its variables with a narrow frontier.

Boards are counted with a decision diagram. Variables get values one after another, and a *state* holds all
that later assignments depend on: the number of pieces left of each value, and the values of the *frontier*.
The frontier is the set of assigned variables with an unassigned neighbor (the frontier method of
zero-suppressed decision diagrams). This module declares the problem and chooses the order.
The module `states` holds states in arrays, and `diagram` builds the diagram.

    variable         a tile, or a tile that carries a marker
    value            a terrain if terrain arrangements are counted, a marker if markers are counted
    group            variables that take one value together, such as an orbit under a rotation
    neighbors        two variables with a constraint on their values
    scope            variables whose values share a constraint, such as the markers on one terrain
    slot             the number of a bit for each variable or scope of the frontier. If a variable retires
                     (leaves the frontier), a later variable may reuse its slot
    interchangeable  values that the remaining constraints treat alike, so states may swap them

A worked example: three tiles in a row, with two pieces of value 0 and one of value 1, where neighbors must
differ. After tile 1 has a value, tile 0 has no unassigned neighbor, so it retires. Tile 2 reuses its slot, so
two slots suffice. Each step is shown with the mask of the slots that retire after it:

>>> differ = ForbiddenPairs(((0, 1), (1, 2)), ((True, False), (False, True)))
>>> both = frozenset({0, 1})
>>> groups = ((0,), (1,), (2,))
>>> row = FrontierProblem((2, 1), groups, domains=(both, both, both), forbidden=(differ,))
>>> [(step.group, bin(step.retired)) for step in plan(row).steps], plan(row).slots
([(0, '0b0'), (1, '0b1'), (2, '0b11')], 2)
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations
from math import comb

from catan_cp.boards.geometry import neighbors

Exclusions = tuple[tuple[bool, ...], ...]
"""Which of two values exclude each other: symmetric, of shape (values, values)."""
Neighbors = tuple[tuple[int, ...], ...]
"""The neighbors of each variable."""

MAX_SORTED = 15
"""The maximum number of values of a problem with interchangeable values."""
NAME_BITS = 4
"""The number of bits for the number of a value, which is appended before sorting."""


@dataclass(frozen=True)
class ForbiddenPairs:
    """Pairs of variables, and the matrix of values that such a pair may not take."""

    pairs: tuple[tuple[int, int], ...]
    values: Exclusions


@dataclass(frozen=True)
class FrontierProblem:
    """Variables with few values, each value limited by a number of pieces.

    Attributes:
        supply: the number of pieces of each value.
        groups: the variables. Those of one group take the same value. Each variable is in one group.
        domains: the possible values of each group.
        forbidden: the pairs of values that pairs of variables may not take.
        triples: triples of variables that meet at a vertex.
        banned: triples of values, in rising order, that may not meet.
        scopes: the scope of each variable, as a number, or empty.
        scope_forbidden: the pairs of values that may not share a scope, or empty.
        quota: the maximum number of pieces of *quota_values* in a scope. With scopes, each group has one
            variable.
        quota_values: the values that *quota* limits, or empty.
        cluster_max: the maximum size of a cluster (connected variables of one value). 0 means no limit.
        clustered: the values that *cluster_max* limits.
        touching: the pairs of variables that are connected, for clusters.
        exact: True if all pieces must be used, False if some may remain.
        deals: ``deals[value][left]`` is the number of ways to deal the pieces of a merged value to its
            variables, if *left* pieces remain. Empty if no values are merged.
        marks: a number per value, or empty. Values with different marks are not interchangeable, even if all
            constraints treat them alike.
    """

    supply: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    domains: tuple[frozenset[int], ...]
    forbidden: tuple[ForbiddenPairs, ...] = ()
    triples: tuple[tuple[int, int, int], ...] = ()
    banned: frozenset[tuple[int, int, int]] = frozenset()
    scopes: tuple[int, ...] = ()
    scope_forbidden: Exclusions = ()
    quota: int = 0
    quota_values: frozenset[int] = frozenset()
    cluster_max: int = 0
    clustered: frozenset[int] = frozenset()
    touching: tuple[tuple[int, int], ...] = ()
    exact: bool = True
    deals: tuple[tuple[int, ...], ...] = ()
    marks: tuple[int, ...] = ()

    @property
    def n_values(self) -> int:
        """The number of values."""
        return len(self.supply)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return sum(map(len, self.groups))

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """All pairs of neighbors."""
        meeting = (pair for triple in self.triples for pair in combinations(sorted(triple), 2))
        return frozenset(self.touching).union(meeting, *(rule.pairs for rule in self.forbidden))

    @cached_property
    def near(self) -> Neighbors:
        """The neighbors of each variable."""
        return neighbors(self.n_variables, tuple(self.pairs))

    @cached_property
    def touching_near(self) -> Neighbors:
        """The variables connected with each variable, for clusters."""
        return neighbors(self.n_variables, self.touching)

    @cached_property
    def forbidden_near(self) -> tuple[Neighbors, ...]:
        """For each entry of *forbidden*, the variables paired with each variable."""
        return tuple(neighbors(self.n_variables, rule.pairs) for rule in self.forbidden)

    @cached_property
    def banned_with(self) -> tuple[frozenset[tuple[int, int]], ...]:
        """For each value, the pairs of values, in both orders, that it may not meet."""
        pairs: list[set[tuple[int, int]]] = [set() for _ in self.supply]
        for triple in self.banned:
            for value, a, b in permutations(triple):
                pairs[value].add((a, b))
        return tuple(map(frozenset, pairs))

    def excluded_by(self, value: int) -> frozenset[int]:
        """Return the values that *value* excludes from some neighbors."""
        pairs = {v for rule in self.forbidden for v, is_out in enumerate(rule.values[value]) if is_out}
        return frozenset(pairs | {v for pair in self.banned_with[value] for v in pair})

    def scope_excluded_by(self, value: int) -> tuple[int, ...]:
        """Return the values that *value* excludes from its scope."""
        if not self.scope_forbidden:
            return ()
        return tuple(v for v, is_out in enumerate(self.scope_forbidden[value]) if is_out)


@dataclass(frozen=True)
class StepPlace:
    """One variable of a step.

    Attributes:
        slot: the slot of the variable.
        touching: the mask of the slots of connected variables, for clusters.
        forbidden: for each entry of `FrontierProblem.forbidden`, the mask of the slots of paired variables.
        meeting: the pairs of slots of the variables that meet it in a triple.
    """

    slot: int
    touching: int
    forbidden: tuple[int, ...]
    meeting: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Step:
    """One group of variables, which takes one value.

    Attributes:
        group: the number of the group in the problem.
        places: the variables of the group.
        scope: the scope of its variable, or -1.
        scope_slot: the mask of the slot of that scope, or 0.
        scope_ends: True if no later variable is in that scope.
        retired: the mask of the slots that leave the frontier after the step.
        n_left: the number of unassigned variables after the step.
    """

    group: int
    places: tuple[StepPlace, ...]
    scope: int
    scope_slot: int
    scope_ends: bool
    retired: int
    n_left: int


@dataclass(frozen=True)
class Plan:
    """The order in which the groups get values.

    Attributes:
        steps: the steps in order.
        slots: the number of slots.
        scope_slots: the mask of the slots of scopes, which variables never use.
        interchangeable: before each step and at the end, the sets of values that the remaining steps treat
            alike.
    """

    steps: tuple[Step, ...]
    slots: int
    scope_slots: int
    interchangeable: tuple[tuple[tuple[int, ...], ...], ...]


def plan(problem: FrontierProblem) -> Plan:
    """Return an order of the problem's groups in which the frontier stays narrow."""
    order = _narrowest_order(problem)
    ends = _last_uses(problem, order)
    free_slots: list[int] = []
    slot_of: dict[tuple[str, int], int] = {}
    slots, scope_slots, n_left = 0, 0, problem.n_variables
    steps = []
    for number, group in enumerate(order):
        places = []
        for variable in problem.groups[group]:
            touching = _slots_of(slot_of, problem.touching_near[variable])
            forbidden = tuple(_slots_of(slot_of, near[variable]) for near in problem.forbidden_near)
            meeting = tuple(_meeting(slot_of, problem.triples, variable))
            if free_slots:
                slot = free_slots.pop()
            else:
                slot, slots = slots, slots + 1
            slot_of["variable", variable] = slot
            places.append(StepPlace(slot, touching, forbidden, meeting))
        scope = problem.scopes[problem.groups[group][0]] if problem.scopes else -1
        if problem.scope_forbidden and ("scope", scope) not in slot_of:
            slot_of["scope", scope], slots = slots, slots + 1
            scope_slots |= 1 << slot_of["scope", scope]
        scope_slot = 1 << slot_of["scope", scope] if problem.scope_forbidden else 0
        retiring = [key for key in slot_of if ends[key] == number]
        retired = mask_of(slot_of.pop(key) for key in retiring)
        free_slots += [s for s in range(slots) if retired >> s & 1 and not scope_slots >> s & 1]
        n_left -= len(problem.groups[group])
        scope_ends = scope >= 0 and ends["scope", scope] == number
        steps.append(Step(group, tuple(places), scope, scope_slot, scope_ends, retired, n_left))
    alike = tuple(_interchangeable(problem, order[number:]) for number in range(len(order) + 1))
    return Plan(tuple(steps), slots, scope_slots, alike)


def _last_uses(problem: FrontierProblem, order: Sequence[int]) -> dict[tuple[str, int], int]:
    """Return the last step that needs each variable and each scope."""
    step_of = {variable: number for number, group in enumerate(order) for variable in problem.groups[group]}
    ends = {("variable", v): max(step_of[n] for n in (v, *problem.near[v])) for v in step_of}
    if not problem.scopes:
        return ends
    # Steps rise, so the last entry of each scope remains.
    return ends | {("scope", problem.scopes[v]): step for v, step in step_of.items()}


def _narrowest_order(problem: FrontierProblem) -> tuple[int, ...]:
    """Return the candidate order with the narrowest frontier.

    The candidates are the reading order and, from each group, the order that greedily keeps the frontier
    small.
    """
    n = len(problem.groups)
    if not problem.pairs and not problem.scopes:
        return tuple(range(n))
    near = _group_graph(problem)
    candidates = [tuple(range(n)), *(_greedy_order(near, first) for first in range(n))]
    return min(candidates, key=lambda order: _cost(near, order))


def _group_graph(problem: FrontierProblem) -> list[set[int]]:
    """Return, for each group, the groups with a neighbor of it or with the same scope."""
    group_of = {variable: g for g, variables in enumerate(problem.groups) for variable in variables}
    scopes = problem.scopes
    sharing = ((a, b) for a, b in combinations(range(len(scopes)), 2) if scopes[a] == scopes[b])
    pairs = {(group_of[a], group_of[b]) for a, b in (*problem.pairs, *sharing)}
    return [set(near) - {g} for g, near in enumerate(neighbors(len(problem.groups), tuple(pairs)))]


def _greedy_order(near: list[set[int]], first: int) -> tuple[int, ...]:
    """Return the order from *first* in which each next group keeps the frontier smallest.

    The next group is a neighbor of the frontier, or any group if no neighbor is left. Of equal groups, the
    one with the earliest neighbor in the order is next.
    """
    order, assigned = [first], {first}
    while len(order) < len(near):
        frontier = {g for g in assigned if near[g] - assigned}
        border = {g for f in frontier for g in near[f]} - assigned or set(range(len(near))) - assigned

        def width(g: int, frontier: set[int] = frontier) -> tuple[int, int, int]:
            now = assigned | {g}
            live = sum(1 for f in (*frontier, g) if near[f] - now)
            oldest = min((order.index(f) for f in near[g] & assigned), default=0)
            return live, oldest, g

        order.append(min(border, key=width))
        assigned.add(order[-1])
    return tuple(order)


def _cost(near: list[set[int]], order: Sequence[int]) -> float:
    """Return an estimate of the number of states: exponential in the frontier."""
    assigned: set[int] = set()
    cost = 0.0
    for g in order:
        assigned.add(g)
        cost += 4.0 ** sum(1 for f in assigned if near[f] - assigned)
    return cost


def _interchangeable(problem: FrontierProblem, groups_left: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the sets of two or more values that the remaining groups treat alike."""
    if problem.n_values > MAX_SORTED:
        return ()
    sets = partition(problem.n_values, lambda a, b: _alike(problem, a, b, groups_left))
    return tuple(tuple(members) for members in sets if len(members) > 1)


def partition(n: int, alike: Callable[[int, int], bool]) -> list[list[int]]:
    """Return the equivalence classes of the numbers below *n* under *alike*.

    >>> partition(5, lambda a, b: a % 2 == b % 2)
    [[0, 2, 4], [1, 3]]
    """
    sets: list[list[int]] = []
    for number in range(n):
        members = next((members for members in sets if alike(members[0], number)), None)
        if members is None:
            sets.append([number])
        else:
            members.append(number)
    return sets


def interchangeable_values(problem: FrontierProblem) -> list[list[int]]:
    """Return the values in sets that can be swapped in every solution.

    Values of a set have equal supplies and constraints.
    """
    groups, supply = range(len(problem.groups)), problem.supply
    return partition(problem.n_values, lambda a, b: supply[a] == supply[b] and _alike(problem, a, b, groups))


def _alike(problem: FrontierProblem, a: int, b: int, groups_left: Sequence[int]) -> bool:
    """Test whether the constraints on the remaining groups treat two values alike."""
    if any((a in limited) != (b in limited) for limited in (problem.clustered, problem.quota_values)):
        return False
    if any((a in problem.domains[g]) != (b in problem.domains[g]) for g in groups_left):
        return False
    swap = {a: b, b: a}
    if problem.marks and problem.marks[a] != problem.marks[b]:
        return False
    # If all pieces are used, every assignment has the same number of deals.
    if problem.deals and not problem.exact and problem.deals[a] != problem.deals[b]:
        return False
    if {rising(swap.get(value, value) for value in triple) for triple in problem.banned} != problem.banned:
        return False
    return all(
        matrix[i][j] == matrix[swap.get(i, i)][swap.get(j, j)]
        for matrix in (*(rule.values for rule in problem.forbidden), problem.scope_forbidden)
        if matrix
        for i in (a, b)
        for j in range(problem.n_values)
    )


def merged(problem: FrontierProblem, sets: Sequence[Sequence[int]]) -> FrontierProblem:
    """Return the problem with each set of values merged into one value.

    `FrontierProblem.deals` of the new problem counts the ways to deal the pieces of each set. No constraint
    may distinguish the values of a set. The sets are a partition of all values.
    """
    new = {value: number for number, members in enumerate(sets) for value in members}
    supplies = [[problem.supply[value] for value in members] for members in sets]

    def matrix(old: Exclusions) -> Exclusions:
        return tuple(tuple(old[a[0]][b[0]] for b in sets) for a in sets) if old else ()

    def renamed(values: Iterable[int]) -> frozenset[int]:
        return frozenset(new[value] for value in values)

    def deals(supply: Sequence[int]) -> tuple[int, ...]:
        most = sum(supply)
        return tuple(count_free(most - n_left, supply) for n_left in range(1 if problem.exact else most + 1))

    return replace(
        problem,
        supply=tuple(map(sum, supplies)),
        domains=tuple(map(renamed, problem.domains)),
        forbidden=tuple(ForbiddenPairs(rule.pairs, matrix(rule.values)) for rule in problem.forbidden),
        banned=frozenset(rising(new[value] for value in triple) for triple in problem.banned),
        scope_forbidden=matrix(problem.scope_forbidden),
        quota_values=renamed(problem.quota_values),
        clustered=renamed(problem.clustered),
        marks=tuple(problem.marks[members[0]] for members in sets) if problem.marks else (),
        deals=tuple(map(deals, supplies)),
    )


def count_free(n_variables: int, supply: Sequence[int]) -> int:
    """Return the number of ways to assign pieces to variables without constraints.

    Values are added one by one. If *n_assigned* variables have a value, *n* of the others can be chosen for
    the next value in ``comb(n_variables - n_assigned, n)`` ways.

    >>> count_free(3, [2, 1])
    3
    """
    ways = [1] + [0] * n_variables
    for most in supply:
        after = [0] * (n_variables + 1)
        for n_assigned, count in enumerate(ways):
            for n in range(min(most, n_variables - n_assigned) + 1):
                after[n_assigned + n] += count * comb(n_variables - n_assigned, n)
        ways = after
    return ways[n_variables]


def rising(values: Iterable[int]) -> tuple[int, int, int]:
    """Return three values in rising order."""
    first, second, third = sorted(values)
    return first, second, third


def _slots_of(slot_of: Mapping[tuple[str, int], int], variables: Iterable[int]) -> int:
    """Return the mask of the slots of those variables that are assigned."""
    return mask_of(slot_of["variable", v] for v in variables if ("variable", v) in slot_of)


def _meeting(
    slot_of: Mapping[tuple[str, int], int], triples: Iterable[tuple[int, int, int]], variable: int
) -> Iterator[tuple[int, int]]:
    """Yield the slots of the two others of each triple in which *variable* comes last."""
    for triple in triples:
        other_slots = [slot_of["variable", v] for v in triple if v != variable and ("variable", v) in slot_of]
        if variable in triple and len(other_slots) == 2:
            yield other_slots[0], other_slots[1]


def mask_of(bits: Iterable[int]) -> int:
    """Return the number in which these bits are set."""
    return sum(1 << bit for bit in set(bits))
