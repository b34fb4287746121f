"""A filling puzzle, and the order in which to fill it so that little need be remembered.

Boards are counted by filling one cell after another and remembering only what decides which ways there are to
go on (the frontier method of zero-suppressed decision diagrams). This module says what a puzzle is and plans
the walk; `diagram` walks it. The words, here and in `states` and `diagram`:

    cell      a variable: a tile, or a tile that carries a marker
    kind      its value: a terrain where terrains are counted, a marker where markers are
    group     cells that take one kind together, as those of one orbit do under a rotation
    clash     pairs of cells, and the kinds that may not stand on such a pair together
    corner    three cells that meet, as tiles do at a vertex
    scope     cells whose kinds may have to differ, as markers on one terrain may
    neighbor  of a cell: one whose kind may rule out kinds on it
    frontier  the filled cells with a neighbor that is still empty: of all filled cells, only they matter now
    slot      a number for each cell or scope of the frontier, free again when it leaves
    state     how many pieces are left of each kind, and where on the frontier each stands
    twins     interchangeable kinds: the rest of the walk treats them alike, so states may swap their names
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations
from math import comb

from catan_cp.boards.geometry import neighbors

Matrix = tuple[tuple[bool, ...], ...]
Neighbors = tuple[tuple[int, ...], ...]

MOST_TWINS = 15
"""The most kinds of which twins are sorted: so many that a renaming of them fits a number."""
NAME_BITS = 4
"""So many bits tell one of these kinds from all others."""


@dataclass(frozen=True)
class Clash:
    """Pairs of cells, and a symmetric matrix of the kinds that may not stand on such a pair together."""

    pairs: tuple[tuple[int, int], ...]
    kinds: Matrix


@dataclass(frozen=True)
class Puzzle:
    """Cells to fill with pieces of a few kinds.

    Attributes:
        supply: how many pieces there are of each kind.
        groups: the cells; those of one group take the same kind. Together they hold every cell once.
        domains: per group, the kinds that may stand there.
        clashes: which kinds may not stand on which pairs of cells.
        corners: the threes of cells that meet.
        banned: the threes of kinds, in rising order, that may not meet.
        scopes: per cell, a number that it shares with the cells of its scope; empty: there are none.
        scope_clash: which kinds may not share a scope; empty: all may.
        quota: how many pieces of the kinds in *quota_kinds* a scope may hold. Cells in scopes stand alone in
            their groups.
        quota_kinds: the kinds that *quota* binds together; empty: none.
        cluster_max: the largest cluster (cells of one kind that *touching* joins); 0: no bound.
        clustered: the kinds that *cluster_max* binds.
        touching: the pairs of cells that touch, for clusters.
        exact: whether all pieces must be used; else some may stay in the box.
        deals: per kind and number of its pieces left at the end, in how many ways the kind's used pieces can
            be told apart, where a kind stands for several; empty: each piece is like the others.
        marks: per kind, a number; kinds with different marks are told apart though no rule does; empty: only
            rules tell kinds apart.
    """

    supply: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    domains: tuple[frozenset[int], ...]
    clashes: tuple[Clash, ...] = ()
    corners: tuple[tuple[int, int, int], ...] = ()
    banned: frozenset[tuple[int, int, int]] = frozenset()
    scopes: tuple[int, ...] = ()
    scope_clash: Matrix = ()
    quota: int = 0
    quota_kinds: frozenset[int] = frozenset()
    cluster_max: int = 0
    clustered: frozenset[int] = frozenset()
    touching: tuple[tuple[int, int], ...] = ()
    exact: bool = True
    deals: tuple[tuple[int, ...], ...] = ()
    marks: tuple[int, ...] = ()

    @property
    def n_kinds(self) -> int:
        """How many kinds there are."""
        return len(self.supply)

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return sum(map(len, self.groups))

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """All pairs of neighbors."""
        meeting = (pair for three in self.corners for pair in combinations(sorted(three), 2))
        return frozenset(self.touching).union(meeting, *(clash.pairs for clash in self.clashes))

    @cached_property
    def near(self) -> Neighbors:
        """The neighbors of each cell."""
        return neighbors(self.n_cells, tuple(self.pairs))

    @cached_property
    def touching_near(self) -> Neighbors:
        """The cells that each cell touches."""
        return neighbors(self.n_cells, self.touching)

    @cached_property
    def clash_near(self) -> tuple[Neighbors, ...]:
        """Per clash, the cells paired with each cell."""
        return tuple(neighbors(self.n_cells, clash.pairs) for clash in self.clashes)

    @cached_property
    def banned_with(self) -> tuple[frozenset[tuple[int, int]], ...]:
        """Per kind, the pairs of kinds, in any order, that it may not meet at a corner."""
        found: list[set[tuple[int, int]]] = [set() for _ in self.supply]
        for three in self.banned:
            for kind, a, b in permutations(three):
                found[kind].add((a, b))
        return tuple(map(frozenset, found))

    def clashing(self, kind: int) -> frozenset[int]:
        """Return the kinds that may not stand somewhere because *kind* does."""
        pairs = {k for clash in self.clashes for k, clashes in enumerate(clash.kinds[kind]) if clashes}
        return frozenset(pairs | {k for others in self.banned_with[kind] for k in others})

    def scope_clashing(self, kind: int) -> tuple[int, ...]:
        """Return the kinds that may not share a scope with *kind*."""
        return tuple(k for k, bad in enumerate(self.scope_clash[kind]) if bad) if self.scope_clash else ()


@dataclass(frozen=True)
class Place:
    """One cell of a step.

    Attributes:
        slot: its own slot of the frontier.
        touching: the mask of the slots that it touches.
        clashing: per clash of the puzzle, the mask of the slots of the cells paired with it.
        meeting: the pairs of slots whose cells meet it at a corner.
    """

    slot: int
    touching: int
    clashing: tuple[int, ...]
    meeting: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Step:
    """One group of cells, filled with one kind.

    Attributes:
        group: its number in the puzzle.
        places: its cells, one after another.
        scope: the scope of its cell, -1 where there is none.
        scope_slot: the mask of the one slot that stands for that scope; 0 where there is none.
        scope_ends: whether no later cell is in that scope.
        retired: the mask of the slots that leave the frontier: no later cell is their neighbor.
        left: how many cells are empty after it.
    """

    group: int
    places: tuple[Place, ...]
    scope: int
    scope_slot: int
    scope_ends: bool
    retired: int
    left: int


@dataclass(frozen=True)
class Plan:
    """The steps of a walk over all groups.

    Attributes:
        steps: in order.
        slots: how many bits the masks have.
        scope_slots: the mask of the slots that ever stand for a scope (they stand for nothing else).
        twins: before each step and at the end, the classes of kinds that what follows cannot tell apart.
    """

    steps: tuple[Step, ...]
    slots: int
    scope_slots: int
    twins: tuple[tuple[tuple[int, ...], ...], ...]


def plan(puzzle: Puzzle) -> Plan:
    """Return a walk over the puzzle's groups whose frontier stays narrow."""
    order = _narrowest_order(puzzle)
    ends = _last_uses(puzzle, order)
    free_cells: list[int] = []
    slot_of: dict[tuple[str, int], int] = {}
    slots, scope_slots, left = 0, 0, puzzle.n_cells
    steps = []
    for number, group in enumerate(order):
        places = []
        for cell in puzzle.groups[group]:
            touching = _slots(slot_of, puzzle.touching_near[cell])
            clashing = tuple(_slots(slot_of, near[cell]) for near in puzzle.clash_near)
            meeting = tuple(_meeting(slot_of, puzzle.corners, cell))
            if free_cells:
                slot = free_cells.pop()
            else:
                slot, slots = slots, slots + 1
            slot_of["cell", cell] = slot
            places.append(Place(slot, touching, clashing, meeting))
        scope = puzzle.scopes[puzzle.groups[group][0]] if puzzle.scopes else -1
        if puzzle.scope_clash and ("scope", scope) not in slot_of:
            slot_of["scope", scope], slots = slots, slots + 1
            scope_slots |= 1 << slot_of["scope", scope]
        scope_slot = 1 << slot_of["scope", scope] if puzzle.scope_clash else 0
        gone = [thing for thing in slot_of if ends[thing] == number]
        retired = _mask(slot_of.pop(thing) for thing in gone)
        free_cells += [s for s in range(slots) if retired >> s & 1 and not scope_slots >> s & 1]
        left -= len(puzzle.groups[group])
        scope_ends = scope >= 0 and ends["scope", scope] == number
        steps.append(Step(group, tuple(places), scope, scope_slot, scope_ends, retired, left))
    twins = tuple(_twins(puzzle, order[number:]) for number in range(len(order) + 1))
    return Plan(tuple(steps), slots, scope_slots, twins)


def _last_uses(puzzle: Puzzle, order: Sequence[int]) -> dict[tuple[str, int], int]:
    """Per cell and per scope, the last step that fills a neighbor, or a cell of the scope."""
    step_of = {cell: number for number, group in enumerate(order) for cell in puzzle.groups[group]}
    ends = {("cell", cell): max(step_of[c] for c in (cell, *puzzle.near[cell])) for cell in step_of}
    # Steps rise, so the last of a scope's is the one that stays.
    return ends | {("scope", puzzle.scopes[cell]): step for cell, step in step_of.items() if puzzle.scopes}


def _narrowest_order(puzzle: Puzzle) -> tuple[int, ...]:
    """Try the reading order, and from each group the order that keeps the frontier smallest at each step."""
    n = len(puzzle.groups)
    if not puzzle.pairs and not puzzle.scopes:
        return tuple(range(n))
    near = _group_graph(puzzle)
    candidates = [tuple(range(n)), *(_greedy_order(near, first) for first in range(n))]
    return min(candidates, key=lambda order: _cost(near, order))


def _group_graph(puzzle: Puzzle) -> list[set[int]]:
    """Per group, the groups that touch it or share a scope with it."""
    group_of = {cell: g for g, cells in enumerate(puzzle.groups) for cell in cells}
    scopes = puzzle.scopes
    sharing = ((a, b) for a, b in combinations(range(len(scopes)), 2) if scopes[a] == scopes[b])
    pairs = {(group_of[a], group_of[b]) for a, b in (*puzzle.pairs, *sharing)}
    return [set(near) - {g} for g, near in enumerate(neighbors(len(puzzle.groups), tuple(pairs)))]


def _greedy_order(near: list[set[int]], first: int) -> tuple[int, ...]:
    order, done = [first], {first}
    while len(order) < len(near):
        frontier = {g for g in done if near[g] - done}
        border = {g for f in frontier for g in near[f]} - done or set(range(len(near))) - done

        def width(g: int, frontier: set[int] = frontier) -> tuple[int, int, int]:
            now = done | {g}
            live = sum(1 for f in (*frontier, g) if near[f] - now)
            oldest = min((order.index(f) for f in near[g] & done), default=0)
            return live, oldest, g

        order.append(min(border, key=width))
        done.add(order[-1])
    return tuple(order)


def _cost(near: list[set[int]], order: Sequence[int]) -> float:
    done: set[int] = set()
    cost = 0.0
    for g in order:
        done.add(g)
        cost += 4.0 ** sum(1 for f in done if near[f] - done)
    return cost


def _twins(puzzle: Puzzle, groups_left: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the classes (of two kinds or more) that may be swapped without changing what can follow."""
    if puzzle.n_kinds > MOST_TWINS:
        return ()
    classes = classes_of(puzzle.n_kinds, lambda a, b: _alike(puzzle, a, b, groups_left))
    return tuple(tuple(members) for members in classes if len(members) > 1)


def classes_of(n: int, alike: Callable[[int, int], bool]) -> list[list[int]]:
    """Return the classes of the numbers below *n* of which any two are alike."""
    classes: list[list[int]] = []
    for each in range(n):
        members = next((members for members in classes if alike(members[0], each)), None)
        if members is None:
            classes.append([each])
        else:
            members.append(each)
    return classes


def interchangeable(puzzle: Puzzle) -> list[list[int]]:
    """Return the classes of kinds that could be swapped all over: as many, and bound alike."""
    groups, supply = range(len(puzzle.groups)), puzzle.supply
    return classes_of(puzzle.n_kinds, lambda a, b: supply[a] == supply[b] and _alike(puzzle, a, b, groups))


def _alike(puzzle: Puzzle, a: int, b: int, groups_left: Sequence[int]) -> bool:
    if any((a in bound) != (b in bound) for bound in (puzzle.clustered, puzzle.quota_kinds)):
        return False
    if any((a in puzzle.domains[g]) != (b in puzzle.domains[g]) for g in groups_left):
        return False
    swap = {a: b, b: a}
    if puzzle.marks and puzzle.marks[a] != puzzle.marks[b]:
        return False
    if puzzle.deals and not puzzle.exact and puzzle.deals[a] != puzzle.deals[b]:
        return False  # where all pieces are used, there are as many deals for every filling
    if {rising(swap.get(k, k) for k in three) for three in puzzle.banned} != puzzle.banned:
        return False
    return all(
        matrix[i][j] == matrix[swap.get(i, i)][swap.get(j, j)]
        for matrix in (*(clash.kinds for clash in puzzle.clashes), puzzle.scope_clash)
        if matrix
        for i in (a, b)
        for j in range(puzzle.n_kinds)
    )


def merged(puzzle: Puzzle, classes: Sequence[Sequence[int]]) -> Puzzle:
    """Return the puzzle with the kinds of each class made one; its deals say what they stood for.

    No rule tells the kinds of a class apart. Together the classes hold every kind once.
    """
    new = {kind: number for number, members in enumerate(classes) for kind in members}
    supplies = [[puzzle.supply[kind] for kind in members] for members in classes]

    def matrix(old: Matrix) -> Matrix:
        return tuple(tuple(old[a[0]][b[0]] for b in classes) for a in classes) if old else ()

    def renamed(kinds: Iterable[int]) -> frozenset[int]:
        return frozenset(new[kind] for kind in kinds)

    def deals(supply: Sequence[int]) -> tuple[int, ...]:
        most = sum(supply)
        return tuple(count_free(most - left, supply) for left in range(1 if puzzle.exact else most + 1))

    return replace(
        puzzle,
        supply=tuple(map(sum, supplies)),
        domains=tuple(map(renamed, puzzle.domains)),
        clashes=tuple(Clash(clash.pairs, matrix(clash.kinds)) for clash in puzzle.clashes),
        banned=frozenset(rising(new[kind] for kind in three) for three in puzzle.banned),
        scope_clash=matrix(puzzle.scope_clash),
        quota_kinds=renamed(puzzle.quota_kinds),
        clustered=renamed(puzzle.clustered),
        marks=tuple(puzzle.marks[members[0]] for members in classes) if puzzle.marks else (),
        deals=tuple(map(deals, supplies)),
    )


def count_free(cells: int, supply: Sequence[int]) -> int:
    """Return in how many ways pieces of this supply can stand on so many cells, with no rule at all.

    Kind after kind, by how many cells are taken: the next one takes *n* of the others in ``comb(others, n)``
    ways.
    """
    ways = [1] + [0] * cells
    for most in supply:
        after = [0] * (cells + 1)
        for taken, count in enumerate(ways):
            for n in range(min(most, cells - taken) + 1):
                after[taken + n] += count * comb(cells - taken, n)
        ways = after
    return ways[cells]


def rising(kinds: Iterable[int]) -> tuple[int, int, int]:
    """Return three kinds in rising order."""
    first, second, third = sorted(kinds)
    return first, second, third


def _slots(slot_of: Mapping[tuple[str, int], int], cells: Iterable[int]) -> int:
    """Return the mask of the slots of those cells that are filled."""
    return _mask(slot_of["cell", cell] for cell in cells if ("cell", cell) in slot_of)


def _meeting(
    slot_of: Mapping[tuple[str, int], int], corners: Iterable[tuple[int, int, int]], cell: int
) -> Iterator[tuple[int, int]]:
    """Yield the slots of the two other cells of each corner of which this cell is the last."""
    for three in corners:
        others = [slot_of["cell", c] for c in three if c != cell and ("cell", c) in slot_of]
        if cell in three and len(others) == 2:
            yield others[0], others[1]


def _mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in set(bits))
