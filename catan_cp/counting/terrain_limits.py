"""What rules say of terrain, in the terms of a puzzle, and which rotations and mirrors keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catan_cp.boards.layout import Layout
from catan_cp.rules.declared import about, restrictions
from catan_cp.rules.regions import keeping_symmetries
from catan_cp.rules.restrictions import Barred, ClusterMax, FirstOfClass, Rising, TerrainsApart
from catan_cp.rules.rules import Rules


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


def terrain_limits(rules: Rules, layout: Layout) -> Limits | None:
    """Return what *rules* say of terrain; None where a puzzle cannot express it.

    ``symmetry="distinct"`` is left aside: it is not about a terrain alone but about its class.
    """
    return None if crosses_groups(rules, layout) else local_limits(rules, layout)


def local_limits(rules: Rules, layout: Layout) -> Limits | None:
    """Return `terrain_limits`, also where clusters reach over groups of tiles, which a puzzle cannot join."""
    found = restrictions(rules, layout, "terrain")
    if found is None:
        return None
    domains = [{name for _, name in kinds} for kinds in kinds_by_tile(layout)]
    apart: list[TerrainsApart] = []
    if layout.inland:
        beside_sea = frozenset(frozenset((name, "sea")) for name in layout.inland)
        apart.append(TerrainsApart(layout.adjacency("hex"), beside_sea))
        for tile in layout.coast_tiles - layout.fixed_terrain.keys():
            domains[tile] -= layout.inland
    clusters: list[ClusterMax] = []
    rising: list[Rising] = []
    for each in found:
        match each:
            case Barred(places):
                for tile, name in places:
                    domains[tile] -= {name}
            case TerrainsApart():
                apart.append(each)
            case ClusterMax():
                clusters.append(each)
            case Rising():
                rising.append(each)
            case FirstOfClass():
                pass
            case _:
                return None
    if len(clusters) > 1 or len(rising) > 1 or any(len(set(each.tiles)) > 3 for each in rising):
        return None
    return Limits(
        tuple(map(frozenset, domains)),
        tuple(apart),
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


def crosses_groups(rules: Rules, layout: Layout) -> bool:
    """Whether the rules bound clusters of more than one tile that could reach over groups of tiles."""
    found = restrictions(rules, layout, "terrain") or []
    return any(
        isinstance(each, ClusterMax) and each.size > 1 and _clusters_cross_groups(each, layout)
        for each in found
    )


def _clusters_cross_groups(bound: ClusterMax, layout: Layout) -> bool:
    """Whether tiles of different kinds but one bounded terrain could touch: a puzzle would not join them."""
    kinds = kinds_by_tile(layout)
    return any(
        name == other and one != another and name not in layout.unnumbered
        for a, b in bound.pairs
        for one, name in kinds[a]
        for another, other in kinds[b]
        if layout.terrain_counts[name] > bound.size
    )


def terrain_fields(rules: Rules) -> Rules:
    """Return the rules with only the fields that bear on terrain, and those that say what they mean."""
    return about(rules, "terrain").replace(adjacency=rules.adjacency)


def turns_of(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the rotations and mirrors that keep the rules' adjacency, as permutations of the tiles."""
    return tuple(layout.symmetries[number] for number in keeping_symmetries(layout, rules.adjacency))


def is_closed(rules: Rules, layout: Layout) -> bool:
    """Whether rotations and mirrors turn allowed terrains into allowed ones, *symmetry* left aside."""
    return len(closed_turns(rules, layout)) == len(turns_of(rules, layout))


def closed_turns(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return those of `turns_of` that turn allowed terrains into allowed ones, *symmetry* left aside."""
    limits = known_limits(rules, layout)
    pairs = [each.pairs for each in (*limits.apart, *((limits.clusters,) if limits.clusters else ()))]
    return tuple(
        turn
        for turn in turns_of(rules, layout)
        if all(limits.domains[t] == limits.domains[target] for t, target in enumerate(turn))
        and all(keeps(turn, each) for each in pairs)
    )


def keeps(turn: Sequence[int], pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether a permutation of the tiles moves these pairs to each other."""
    return {frozenset((turn[a], turn[b])) for a, b in pairs} == {frozenset(pair) for pair in pairs}


def known_limits(rules: Rules, layout: Layout) -> Limits:
    """Return `terrain_limits` of rules that are known to be countable."""
    limits = terrain_limits(rules, layout)
    assert limits is not None, "whoever counts asks first whether the rules can be counted"
    return limits
