"""The space of all terrain arrangements that rules allow, with ranks.

A space has one or more *parts*. Each part is a decision diagram (`diagram`) of a problem whose variables are
tiles and whose values are terrains.

* The layout shuffles the pieces of each pool among its tiles. So a value is a pool and a terrain. The piece
  of a tile with a fixed terrain is added to the first pool with that terrain.
* Terrains without any constraint are merged into one value. `Arrangements` then deals these terrains to the
  tiles with that value.
* If rules allow only some combinations of terrains on a few tiles, there is a part for each combination.
  Examples are ``symmetry="corners"`` and custom constraints on few tiles.
* Orbits under rotations and reflections are counted by Burnside's lemma, with a part for each symmetry. The
  part has the arrangements that the symmetry leaves unchanged: the tiles of each of its cycles have one
  terrain. All parts together have each orbit once per symmetry, so a uniform rank gives a uniform orbit.

A worked example: three tiles in a triangle, with pieces ore, ore, wool. There are three arrangements, which
form one orbit. The identity leaves three arrangements unchanged, each of the three reflections leaves one,
and the two other rotations leave none. The mean of 3, 1, 1, 1, 0 and 0 is 1, the number of orbits.

>>> [cycles_of(symmetry) for symmetry in ((0, 1, 2), (0, 2, 1), (1, 2, 0))]
[((0,), (1,), (2,)), ((0,), (1, 2)), ((0, 1, 2),)]
>>> codes = np.array([[2, 1, 1], [1, 2, 1]], dtype=np.uint8)
>>> first_of_orbit(codes, [(0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 0, 1), (1, 0, 2), (2, 1, 0)]).tolist()
[[1, 1, 2], [1, 1, 2]]
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.counting.budget import Budget, Cache
from catan_cp.counting.diagram import Arrangements, Pieces, TooManyStates, arrangements_of, in_blocks
from catan_cp.counting.frontier import ForbiddenPairs, FrontierProblem, interchangeable_values
from catan_cp.errors import CatanError
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import TerrainTables, supply_of, values_by_tile

MAX_STATES = 24_000_000
"""The maximum number of states of a count: about 1.4 GB and at most a minute."""


TileGroups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TerrainSpace:
    """All terrain arrangements that rules allow on a layout, or all their orbits.

    Attributes:
        parts: the parts, in the order of their ranks.
        symmetries: permutations of the tiles. If there are several, the space is one of orbits. It has each
            orbit once per permutation, as the first arrangement of the orbit.
    """

    parts: tuple[Arrangements, ...]
    symmetries: tuple[tuple[int, ...], ...]

    @cached_property
    def n_ranks(self) -> int:
        """The number of ranks: `total` times the number of symmetries."""
        return sum(part.total for part in self.parts)

    @property
    def total(self) -> int:
        """The number of terrain arrangements, or of their orbits."""
        return self.n_ranks // len(self.symmetries)

    @property
    def n_bytes(self) -> int:
        """The size of the diagrams in bytes."""
        return sum({id(part.diagram): part.diagram.n_bytes for part in self.parts}.values())

    def arrays(self, ranks: Sequence[int]) -> Pieces:
        """Return the terrain codes of *ranks*, one row per rank and one column per tile.

        Each rank must be below the property `n_ranks`.
        """
        codes = np.zeros((len(ranks), len(self.symmetries[0])), dtype=np.uint8)
        ends = list(accumulate(part.total for part in self.parts))
        for number, (rows, inside) in in_blocks(ranks, ends).items():
            codes[rows] = self.parts[number].arrays(inside)
        return first_of_orbit(codes, self.symmetries) if len(self.symmetries) > 1 else codes

    def ranks(self, codes: Pieces) -> list[int]:
        """Return the rank of each arrangement, or -1 if it is not allowed.

        Spaces of orbits do not support this.
        """
        ranks = [-1] * len(codes)
        begin = 0
        for part in self.parts:
            for row, rank in enumerate(part.ranks(codes)):
                if ranks[row] < 0 <= rank:
                    ranks[row] = begin + rank
            begin += part.total
        return ranks

    def chunks(self, size: int = 50_000) -> Iterator[Pieces]:
        """Yield the terrain codes of all ranks in chunks of shape (size, tiles)."""
        for begin in range(0, self.n_ranks, size):
            yield self.arrays(range(begin, min(begin + size, self.n_ranks)))


def first_of_orbit(codes: Pieces, symmetries: Sequence[Sequence[int]]) -> Pieces:
    """Return, for each row, the lexicographically first row of its orbit."""
    return moved_to_first(codes, symmetries)[0]


def moved_to_first(codes: Pieces, symmetries: Sequence[Sequence[int]]) -> tuple[Pieces, NDArray[np.intp]]:
    """Return `first_of_orbit`, and the index of a symmetry that maps each row to it.

    The first symmetry must be the identity.
    """
    text = f"S{codes.shape[1]}"  # Codes are never 0, so rows can be compared as byte strings.
    first = np.ascontiguousarray(codes)
    index = np.zeros(len(codes), dtype=np.intp)
    for number, symmetry in enumerate(symmetries):
        moved = np.empty_like(first)
        moved[:, list(symmetry)] = codes
        earlier = moved.view(text) < first.view(text)
        first = np.where(earlier, moved, first)
        index[earlier.ravel()] = number
    return first, index


def terrain_space(problem: Problem, budget: Budget, pins: Mapping[int, str] | None = None) -> TerrainSpace:
    """Return the space of the allowed terrain arrangements.

    Args:
        problem: the rules and the layout.
        budget: the number of states that the diagrams may have.
        pins: the terrains that some tiles must have.

    Raises:
        CatanError: see `Problem.terrain_obstacle`.
        TooManyStates: the diagrams need more states than the budget has.
    """
    tables, layout = _pinned(_tables(problem), pins or {}), problem.layout
    cases = tables.cases(layout)
    if cases is None:
        parts = [_part(tables, layout, _single_tiles(layout), budget)]
    else:
        parts = _case_parts(tables, cases, layout, budget)
    return TerrainSpace(tuple(parts), (tuple(range(layout.n_tiles)),))


def orbit_space(problem: Problem, budget: Budget) -> TerrainSpace:
    """Return the space of orbits of allowed terrain arrangements.

    The rules must be closed (`Problem.is_closed`).

    Raises:
        CatanError: see `Problem.terrain_obstacle`.
        TooManyStates: the diagrams need more states than the budget has.
    """
    tables, symmetries = _tables(problem), problem.symmetries
    cycles = [cycles_of(symmetry) for symmetry in symmetries]
    parts = {groups: _part(tables, problem.layout, groups, budget) for groups in dict.fromkeys(cycles)}
    return TerrainSpace(tuple(parts[groups] for groups in cycles), symmetries)


def _tables(problem: Problem) -> TerrainTables:
    """Return the rules about terrain, without ``symmetry="distinct"``, which is about orbits."""
    if problem.terrain is None or problem.terrain_obstacle:
        raise CatanError(
            f"{problem.terrain_obstacle}; enumerate_terrains lists the terrains, and generate_board samples "
            "with the solver"
        )
    return problem.terrain


def cycles_of(symmetry: Sequence[int]) -> TileGroups:
    """Return the cycles of a permutation, each in rising order."""
    cycles, visited = [], set()
    for tile in range(len(symmetry)):
        cycle = []
        while tile not in visited:
            visited.add(tile)
            cycle.append(tile)
            tile = symmetry[tile]
        if cycle:
            cycles.append(tuple(sorted(cycle)))
    return tuple(cycles)


def _single_tiles(layout: Layout) -> TileGroups:
    """Return groups of one tile each."""
    return tuple((tile,) for tile in range(layout.n_tiles))


def _pinned(tables: TerrainTables, pins: Mapping[int, str]) -> TerrainTables:
    """Return the tables with the terrains of some tiles fixed."""
    domains = tuple(
        domain & {pins[tile]} if tile in pins else domain for tile, domain in enumerate(tables.domains)
    )
    return dataclasses.replace(tables, domains=domains)


def _case_parts(
    tables: TerrainTables, cases: Sequence[Mapping[int, str]], layout: Layout, budget: Budget
) -> list[Arrangements]:
    """Return a part for each combination of terrains on some tiles.

    If two combinations differ only by interchangeable terrains, the part of the second one is a copy of the
    first part with these terrains exchanged.
    """
    terrains, groups = layout.terrains, _single_tiles(layout)
    sets = [[value] for value in range(len(terrains))]
    if len(layout.terrain_pools) == 1:  # With several pools, values are not terrains and cannot be renamed.
        sets = interchangeable_values(_problem(tables, layout, groups))
    first_alike = {value: members[0] for members in sets for value in members}
    parts_by_key: dict[tuple[tuple[int, int], ...], tuple[tuple[int, ...], Arrangements]] = {}
    parts = []
    for pins in cases:
        if not {*pins.values()} <= {*terrains}:
            continue
        case = tuple(terrains.index(name) for name in pins.values())
        key = tuple((first_alike[value], case.index(value)) for value in case)
        if key not in parts_by_key:
            parts_by_key[key] = case, _part(_pinned(tables, pins), layout, groups, budget)
        first_case, part = parts_by_key[key]
        new = dict(zip(first_case, case, strict=True))
        for members in sets:  # Values of a set that are in neither case are renamed to each other.
            rest = [[value for value in members if value not in used] for used in (first_case, case)]
            new |= zip(*rest, strict=True)
        code = layout.terrain_codes
        renamed = {code[terrains[a]]: code[terrains[b]] for a, b in new.items()}
        pieces = tuple(tuple(renamed[piece] for piece in value_pieces) for value_pieces in part.pieces)
        parts.append(dataclasses.replace(part, pieces=pieces))
    return parts


def _part(tables: TerrainTables, layout: Layout, groups: TileGroups, budget: Budget) -> Arrangements:
    """Return the arrangements in which the tiles of each group have the same terrain."""
    problem = _problem(tables, layout, groups)
    free = _free_values(problem) if all(len(group) == 1 for group in groups) else ()
    sets = [(value,) for value in range(problem.n_values) if value not in free]
    codes = [layout.terrain_codes[name] for _, name in supply_of(layout)]
    return arrangements_of(problem, codes, [*sets, *([free] if free else [])], budget.build)


def _problem(tables: TerrainTables, layout: Layout, groups: TileGroups) -> FrontierProblem:
    """Return the problem whose values are the terrains of each pool."""
    supply, by_tile = supply_of(layout), values_by_tile(layout)
    names = [name for _, name in supply]
    most, pairs = (tables.clusters.size, tables.clusters.pairs) if tables.clusters else (layout.n_tiles, ())
    limited = {name for name in names if name not in layout.unnumbered and layout.terrain_counts[name] > most}
    apart = {rule.pairs: set[frozenset[str]]() for rule in tables.apart}
    for rule in tables.apart:
        apart[rule.pairs] |= rule.terrains
    if most == 1:  # Then equal terrains may not touch.
        apart.setdefault(pairs, set()).update(frozenset((name,)) for name in limited)
    forbidden = (
        ForbiddenPairs(on_pairs, tuple(tuple(frozenset((a, b)) in terrains for b in names) for a in names))
        for on_pairs, terrains in apart.items()
    )
    has_clusters = bool(limited) and most > 1
    return FrontierProblem(
        supply=tuple(supply.values()),
        groups=groups,
        domains=tuple(
            frozenset(
                number
                for number, value in enumerate(supply)
                if all(value in by_tile[t] and value[1] in tables.domains[t] for t in group)
            )
            for group in groups
        ),
        forbidden=tuple(rule for rule in forbidden if any(map(any, rule.values))),
        cluster_max=most if has_clusters else 0,
        clustered=frozenset(value for value, name in enumerate(names) if name in limited and has_clusters),
        touching=pairs if has_clusters else (),
    )


def _free_values(problem: FrontierProblem) -> tuple[int, ...]:
    """Return the largest set of values with equal domains and no constraint.

    The result is empty if that set has fewer than two values.
    """
    sets: dict[tuple[bool, ...], list[int]] = {}
    for value in range(problem.n_values):
        if not problem.excluded_by(value) and value not in problem.clustered:
            sets.setdefault(tuple(value in domain for domain in problem.domains), []).append(value)
    largest = max(sets.values(), key=len, default=[])
    return tuple(largest) if len(largest) > 1 else ()


# The cached spaces


_cache: Cache[TerrainSpace] = Cache(512 << 20, attrgetter("n_bytes"))


def space_of(problem: Problem, orbits: bool, budget: Budget) -> TerrainSpace:
    """Return the cached space of allowed terrain arrangements, or of their orbits.

    Equal tables have one space, so rules about markers and harbors do not matter.

    Raises:
        CatanError: see `Problem.terrain_obstacle`.
        TooManyStates: the space needs more states than the budget has.
    """
    make = orbit_space if orbits else terrain_space
    fresh = dataclasses.replace(budget)  # Building diagrams uses up the budget, so this is a copy.
    key = _tables(problem), problem.layout, problem.symmetries if orbits else ()
    return _cache.get(key, budget, lambda: make(problem, fresh))


def counted_space(problem: Problem, orbits: bool, budget: Budget | None = None) -> TerrainSpace:
    """Return the result of `space_of`, by default with at most `MAX_STATES` states.

    Raises:
        CatanError: the space needs more states. The message names a remedy.
    """
    try:
        return space_of(problem, orbits, budget or Budget(MAX_STATES))
    except TooManyStates:
        raise CatanError(
            f"the terrains of these rules on {problem.layout.name!r} need more than {MAX_STATES:,} states to "
            "count; enumerate_terrains lists some of them"
        ) from None
