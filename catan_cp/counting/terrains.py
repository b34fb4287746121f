"""All terrains that rules allow, as one space with a size and a terrain for every rank.

A space is one or more *parts*, each a diagram (`diagram`) of a puzzle whose kinds are terrains:

* Each group of tiles has its own kinds, for its pieces are shuffled among them; a fixed tile takes one.
* Interchangeable terrains that may touch anything are one kind; which of them each tile has is dealt
  afterwards (`Fillings`).
* ``symmetry="corners"`` is a part for each three terrains that may stand on the three corners.
* Orbits (*classes*) under rotations and mirrors follow Burnside's lemma: the boards that a symmetry leaves
  unchanged are a part whose groups of cells are the cycles of that symmetry. All parts together have each
  class once per symmetry, so a uniform rank is a uniform class too.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.counting.budget import Budget, Cache
from catan_cp.counting.diagram import Fillings, Pieces, TooManyStates, fillings_of, in_blocks
from catan_cp.counting.frontier import Clash, Puzzle, interchangeable
from catan_cp.errors import CatanError, listed
from catan_cp.rules.rule import Barred, ClusterMax, FirstOfClass, Rising, TerrainsApart, keeping_symmetries
from catan_cp.rules.rules import Rules, about, by_kind, constraints_for, set_rules

MAX_STATES = 24_000_000
"""The most states of a count: about 1.4 GB and, at worst, a minute."""


@dataclass(frozen=True)
class Limits:
    """What the rules say of terrain, in the terms of a puzzle.

    Attributes:
        domains: per tile, the terrains that may stand there whatever stands elsewhere.
        apart: per set of pairs of tiles, the terrains that may not stand on any of these pairs.
        clusters: the bound on clusters, if there is one.
        rising: tiles whose terrain codes rise; empty: there are none.
    """

    domains: tuple[frozenset[str], ...]
    apart: tuple[TerrainsApart, ...]
    clusters: ClusterMax | None
    rising: tuple[int, ...]


def terrain_limits(rules: Rules, layout: Layout) -> Limits:
    """Return what *rules* say of terrain, in the terms of a puzzle.

    ``symmetry="distinct"`` is left aside: it is not about a terrain alone but about its class.

    Raises:
        CatanError: a puzzle cannot express a rule about terrain, or a demand of the layout.
    """
    found = local_limits(rules, layout)
    if found is None:
        fields = [rule.field for rule, _ in set_rules(rules, "terrain") if rule.counts is None]
        texts = map(str, constraints_for(rules, "terrain"))
        which = f" ({named})" if (named := listed([*fields, *texts])) else ""
        raise CatanError(
            f"exact counts know only some rules about terrain, and not these{which}; enumerate_terrains "
            "lists the terrains, and generate_board draws with the solver"
        )
    if found.clusters is not None and _clusters_cross_groups(found.clusters, layout):
        raise CatanError(
            f"exact counts do not follow clusters over the groups of tiles of {layout.name!r}; "
            "enumerate_terrains lists the terrains, and generate_board draws with the solver"
        )
    return found


def local_limits(rules: Rules, layout: Layout) -> Limits | None:
    """Return `terrain_limits`, also where clusters reach over groups of tiles; None for unknown rules."""
    found = by_kind(rules, layout, "terrain", (Barred, TerrainsApart, ClusterMax, Rising, FirstOfClass))
    if found is None:
        return None
    domains = [{name for _, name in kinds} for kinds in kinds_by_tile(layout)]
    for barred in found[Barred]:
        for tile, name in barred.places:
            domains[tile].discard(name)
    clusters, rising = found[ClusterMax], found[Rising]
    if len(clusters) > 1 or len(rising) > 1 or any(len(set(each.tiles)) > 3 for each in rising):
        return None
    return Limits(
        tuple(map(frozenset, domains)),
        tuple(found[TerrainsApart]),
        clusters[0] if clusters else None,
        rising[0].tiles if rising else (),
    )


Kind = tuple[int, str]
"""A group of tiles, by its place in `Layout.terrain_pools`, and a terrain."""


def supply_of(layout: Layout) -> dict[Kind, int]:
    """Return how many pieces there are of each kind; fixed tiles take from the first group that has it."""
    found = {
        (number, name): pool.pieces.get(name, 0)
        for number, pool in enumerate(layout.terrain_pools)
        for name in layout.terrains
        if pool.pieces.get(name)
    }
    for name in layout.fixed_terrain.values():
        home = min((number for number, other in found if other == name), default=0)
        found[home, name] = found.get((home, name), 0) + 1
    return dict(sorted(found.items(), key=lambda item: (item[0][0], layout.terrain_codes[item[0][1]])))


def kinds_by_tile(layout: Layout) -> list[set[Kind]]:
    """Return, per tile, the kinds that its group or what is fixed there allows."""
    found: list[set[Kind]] = [set() for _ in range(layout.n_tiles)]
    for number, pool in enumerate(layout.terrain_pools):
        for tile in pool.tiles:
            found[tile] = {(number, name) for name, count in pool.pieces.items() if count}
    for tile, name in layout.fixed_terrain.items():
        found[tile] = {next(kind for kind in supply_of(layout) if kind[1] == name)}
    return found


def _clusters_cross_groups(bound: ClusterMax, layout: Layout) -> bool:
    """Whether tiles of different kinds but one bounded terrain could touch: a puzzle would not join them."""
    kinds = kinds_by_tile(layout)
    return bound.size > 1 and any(
        name == other and one != another and name not in layout.unnumbered
        for a, b in bound.pairs
        for one, name in kinds[a]
        for another, other in kinds[b]
        if layout.terrain_counts[name] > bound.size
    )


def terrain_fields(rules: Rules) -> Rules:
    """Return the rules with only the fields that bear on terrain, and those that say what they mean."""
    return about(rules, "terrain").replace(adjacency=rules.adjacency)


def symmetries_of(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the rotations and mirrors that keep the rules' adjacency, as permutations of the tiles."""
    return tuple(layout.symmetries[number] for number in keeping_symmetries(layout, rules.adjacency))


def is_closed(rules: Rules, layout: Layout) -> bool:
    """Whether rotations and mirrors turn allowed terrains into allowed ones, *symmetry* left aside."""
    return len(closed_turns(rules, layout)) == len(symmetries_of(rules, layout))


def closed_turns(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return those of `symmetries_of` that turn allowed terrains into allowed ones, *symmetry* left aside."""
    limits = terrain_limits(rules, layout)
    pairs = [each.pairs for each in (*limits.apart, *((limits.clusters,) if limits.clusters else ()))]
    return tuple(
        turn
        for turn in symmetries_of(rules, layout)
        if all(limits.domains[t] == limits.domains[target] for t, target in enumerate(turn))
        and all(keeps(turn, each) for each in pairs)
    )


def keeps(turn: Sequence[int], pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether a permutation of the tiles moves these pairs to each other."""
    return {frozenset((turn[a], turn[b])) for a, b in pairs} == {frozenset(pair) for pair in pairs}


Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TerrainSpace:
    """All terrains that rules allow on a layout.

    Attributes:
        parts: what it is made of.
        turns: permutations of the tiles. More than one: the space has each class of boards under them, as its
            first board in reading order, once per permutation.
    """

    parts: tuple[Fillings, ...]
    turns: tuple[tuple[int, ...], ...]

    @cached_property
    def ranks(self) -> int:
        """How many ranks there are: `total` times the number of turns."""
        return sum(part.total for part in self.parts)

    @property
    def total(self) -> int:
        """How many terrains, or classes of terrains, the rules allow."""
        return self.ranks // len(self.turns)

    @property
    def n_bytes(self) -> int:
        """The memory of the diagrams."""
        return sum({id(part.diagram): part.diagram.n_bytes for part in self.parts}.values())

    def unrank(self, ranks: Sequence[int]) -> Pieces:
        """Return the terrain codes of these ranks (from 0 to below `ranks`), shape (ranks, tiles)."""
        found = np.zeros((len(ranks), len(self.turns[0])), dtype=np.uint8)
        ends = list(accumulate(part.total for part in self.parts))
        for number, (rows, inside) in in_blocks(ranks, ends).items():
            found[rows] = self.parts[number].unrank(inside)
        return first_of_orbit(found, self.turns) if len(self.turns) > 1 else found

    def rank(self, codes: Pieces) -> list[int]:
        """Return the rank of each of these terrains, -1 for none; not for spaces of classes."""
        found = [-1] * len(codes)
        begin = 0
        for part in self.parts:
            for row, rank in enumerate(part.rank(codes)):
                if found[row] < 0 <= rank:
                    found[row] = begin + rank
            begin += part.total
        return found

    def chunks(self, size: int = 50_000) -> Iterator[Pieces]:
        """Yield the terrain codes of all ranks, some at a time."""
        for begin in range(0, self.ranks, size):
            yield self.unrank(range(begin, min(begin + size, self.ranks)))


def first_of_orbit(codes: Pieces, turns: Sequence[Sequence[int]]) -> Pieces:
    """Return, for each row, the lexicographically first of the rows that the turns make of it."""
    return turned_to_first(codes, turns)[0]


def turned_to_first(codes: Pieces, turns: Sequence[Sequence[int]]) -> tuple[Pieces, NDArray[np.intp]]:
    """Return `first_of_orbit`, and which of the turns makes it; the first of these is the identity."""
    text = f"S{codes.shape[1]}"  # codes are never 0, so rows compare as byte strings
    first = np.ascontiguousarray(codes)
    which = np.zeros(len(codes), dtype=np.intp)
    for number, turn in enumerate(turns):
        moved = np.empty_like(first)
        moved[:, list(turn)] = codes
        earlier = moved.view(text) < first.view(text)
        first = np.where(earlier, moved, first)
        which[earlier.ravel()] = number
    return first, which


def terrain_space(
    rules: Rules,
    layout: Layout,
    budget: Budget,
    pins: Mapping[int, str] | None = None,
) -> TerrainSpace:
    """Return the space of the allowed terrains.

    Args:
        rules: rules that can be counted (`terrain_limits`).
        layout: the layout.
        budget: what the diagrams may cost.
        pins: what some tiles are.

    Raises:
        TooManyStates: the diagrams need more states than the budget has.
    """
    limits = _pinned(terrain_limits(rules, layout), pins or {})
    if limits.rising:
        parts = _corner_parts(limits, layout, budget)
    else:
        parts = [_part(limits, layout, _alone(layout), budget)]
    return TerrainSpace(tuple(parts), (tuple(range(layout.n_tiles)),))


def class_space(rules: Rules, layout: Layout, budget: Budget) -> TerrainSpace:
    """Return the space of the classes of allowed terrains under rules that are closed (`is_closed`).

    Raises:
        TooManyStates: the diagrams need more states than the budget has.
    """
    limits, turns = terrain_limits(rules, layout), symmetries_of(rules, layout)
    cycles = [cycles_of(turn) for turn in turns]
    parts = {each: _part(limits, layout, each, budget) for each in dict.fromkeys(cycles)}
    return TerrainSpace(tuple(parts[each] for each in cycles), turns)


def cycles_of(turn: Sequence[int]) -> Groups:
    """Return the cycles of a permutation, each in rising order."""
    cycles, seen = [], set()
    for tile in range(len(turn)):
        cycle = []
        while tile not in seen:
            seen.add(tile)
            cycle.append(tile)
            tile = turn[tile]
        if cycle:
            cycles.append(tuple(sorted(cycle)))
    return tuple(cycles)


def _alone(layout: Layout) -> Groups:
    """Return the tiles, each in a group of its own."""
    return tuple((tile,) for tile in range(layout.n_tiles))


def _pinned(limits: Limits, pins: Mapping[int, str]) -> Limits:
    """Return the limits where some tiles are given."""
    domains = tuple(
        domain & {pins[tile]} if tile in pins else domain for tile, domain in enumerate(limits.domains)
    )
    return dataclasses.replace(limits, domains=domains)


def _corner_parts(limits: Limits, layout: Layout, budget: Budget) -> list[Fillings]:
    """Return a part per three terrains on the corners; threes that differ in names only share a diagram."""
    corners, terrains, groups = limits.rising, layout.terrains, _alone(layout)
    if len(set(corners)) < 3:
        return []
    classes = [[kind] for kind in range(len(terrains))]
    if len(layout.terrain_pools) == 1:  # else kinds are more than terrains, and so no names for each other
        classes = interchangeable(_puzzle(limits, layout, groups))
    alike = {kind: members[0] for members in classes for kind in members}
    made: dict[tuple[int, ...], tuple[tuple[int, ...], Fillings]] = {}
    parts = []
    for three in combinations(range(len(terrains)), 3):
        key = tuple(alike[kind] for kind in three)
        if key not in made:
            named = {tile: terrains[kind] for tile, kind in zip(corners, three, strict=True)}
            made[key] = three, _part(_pinned(limits, named), layout, groups, budget)
        first, part = made[key]
        new = dict(zip(first, three, strict=True))
        for members in classes:  # the others take what is left of their like
            rest = [[kind for kind in members if kind not in some] for some in (first, three)]
            new |= zip(*rest, strict=True)
        renamed = {
            layout.terrain_codes[terrains[a]]: layout.terrain_codes[terrains[b]] for a, b in new.items()
        }
        pieces = tuple(tuple(renamed[code] for code in each) for each in part.pieces)
        parts.append(dataclasses.replace(part, pieces=pieces))
    return parts


def _part(limits: Limits, layout: Layout, groups: Groups, budget: Budget) -> Fillings:
    puzzle = _puzzle(limits, layout, groups)
    free = _free_kinds(puzzle) if all(len(group) == 1 for group in groups) else ()
    classes = [(kind,) for kind in range(puzzle.n_kinds) if kind not in free]
    codes = [layout.terrain_codes[name] for _, name in supply_of(layout)]
    return fillings_of(puzzle, codes, [*classes, *([free] if free else [])], budget.build)


def _puzzle(limits: Limits, layout: Layout, groups: Groups) -> Puzzle:
    """Return the puzzle whose kinds are the terrains of each group of tiles."""
    supply, by_tile = supply_of(layout), kinds_by_tile(layout)
    names = [name for _, name in supply]
    most, pairs = (limits.clusters.size, limits.clusters.pairs) if limits.clusters else (layout.n_tiles, ())
    bound = {name for name in names if name not in layout.unnumbered and layout.terrain_counts[name] > most}
    apart = {each.pairs: set[frozenset[str]]() for each in limits.apart}
    for each in limits.apart:
        apart[each.pairs] |= each.terrains
    if most == 1:
        apart.setdefault(pairs, set()).update(frozenset((name,)) for name in bound)
    clashes = (
        Clash(pairs, tuple(tuple(frozenset((a, b)) in clashing for b in names) for a in names))
        for pairs, clashing in apart.items()
    )
    clusters = bool(bound) and most > 1
    return Puzzle(
        supply=tuple(supply.values()),
        groups=groups,
        domains=tuple(
            frozenset(
                number
                for number, kind in enumerate(supply)
                if all(kind in by_tile[t] and kind[1] in limits.domains[t] for t in group)
            )
            for group in groups
        ),
        clashes=tuple(clash for clash in clashes if any(map(any, clash.kinds))),
        cluster_max=most if clusters else 0,
        clustered=frozenset(k for k, name in enumerate(names) if name in bound and clusters),
        touching=pairs if clusters else (),
    )


def _free_kinds(puzzle: Puzzle) -> tuple[int, ...]:
    """Return the largest set of two or more kinds that touch anything and may stand on the same tiles."""
    classes: dict[tuple[bool, ...], list[int]] = {}
    for kind in range(puzzle.n_kinds):
        if not puzzle.clashing(kind) and kind not in puzzle.clustered:
            classes.setdefault(tuple(kind in domain for domain in puzzle.domains), []).append(kind)
    largest = max(classes.values(), key=len, default=[])
    return tuple(largest) if len(largest) > 1 else ()


# The space that is kept


_kept: Cache[TerrainSpace] = Cache(512 << 20, attrgetter("n_bytes"))


def space_of(rules: Rules, layout: Layout, classes: bool, budget: Budget) -> TerrainSpace:
    """Return the (cached) space of allowed terrains or of their classes; see `terrain_space`.

    Raises:
        TooManyStates: it needs more states than the budget has.
    """
    fields = terrain_fields(rules)
    if classes or fields.symmetry == "distinct":
        fields = fields.replace(symmetry="all")
    space = class_space if classes else terrain_space
    own = dataclasses.replace(budget)
    return _kept.get((fields, layout, classes), budget.states, lambda: space(fields, layout, own))


def counted_space(rules: Rules, layout: Layout, classes: bool, budget: Budget | None = None) -> TerrainSpace:
    """Return `space_of` with up to `MAX_STATES` states, with an error that names a remedy.

    Raises:
        CatanError: the count needs more states.
    """
    try:
        return space_of(rules, layout, classes, budget or Budget(MAX_STATES))
    except TooManyStates:
        raise CatanError(
            f"the terrains of these rules on {layout.name!r} need more than {MAX_STATES:,} states to count; "
            "enumerate_terrains lists some of them"
        ) from None
