"""The space of all terrain arrangements that rules allow, with ranks.

The space is a union of one or more *parts*. Each part is a decision diagram (`diagram`) of a problem whose
variables are tiles and whose values are terrains.

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
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from catan_cp.boards.layout import Layout
from catan_cp.counting.budget import Budget, Cache
from catan_cp.counting.diagram import TooManyStates
from catan_cp.counting.frontier import ForbiddenPairs, FrontierProblem, interchangeable_values
from catan_cp.counting.spaces import Arrangements, Orbits, Union, arrangements_of
from catan_cp.errors import CatanError
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import TerrainTables, supply_of, values_by_tile

MAX_STATES = 24_000_000
"""The maximum number of states of a count: about 1.4 GB and at most a minute."""


TileGroups = tuple[tuple[int, ...], ...]


def terrain_space(problem: Problem, budget: Budget, pins: Mapping[int, str] | None = None) -> Union:
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
    return Union(tuple(parts), layout.n_tiles)


def orbit_space(problem: Problem, budget: Budget) -> Orbits:
    """Return the space of orbits of allowed terrain arrangements.

    The rules must be closed (`Problem.is_closed`).

    Raises:
        CatanError: see `Problem.terrain_obstacle`.
        TooManyStates: the diagrams need more states than the budget has.
    """
    tables, symmetries = _tables(problem), problem.symmetries
    cycles = [cycles_of(symmetry) for symmetry in symmetries]
    parts = {groups: _part(tables, problem.layout, groups, budget) for groups in dict.fromkeys(cycles)}
    return Orbits(tuple(parts[groups] for groups in cycles), problem.layout.n_tiles, symmetries)


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


def _n_bytes(space: Union) -> int:
    """Return the size of the diagrams of a space in bytes."""
    parts: Any = space.spaces
    return sum({id(part.diagram): part.diagram.n_bytes for part in parts}.values())


_counted: Cache[Union] = Cache(512 << 20, _n_bytes)


def space_of(problem: Problem, orbits: bool, budget: Budget) -> Union:
    """Return the cached space of allowed terrain arrangements, or of their orbits.

    Equal tables have one space, so rules about markers and harbors do not matter.

    Raises:
        CatanError: see `Problem.terrain_obstacle`.
        TooManyStates: the space needs more states than the budget has.
    """
    make = orbit_space if orbits else terrain_space
    fresh = dataclasses.replace(budget)  # Building diagrams uses up the budget, so this is a copy.
    key = _tables(problem), problem.layout, problem.symmetries if orbits else ()
    return _counted.get(key, budget, lambda: make(problem, fresh))


def counted_space(problem: Problem, orbits: bool, budget: Budget | None = None) -> Union:
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
