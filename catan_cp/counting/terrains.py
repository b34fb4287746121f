"""All terrains that rules allow, as one space with a size and a terrain for every rank.

A space is one or more *parts*, each a diagram (`diagram`) of a puzzle whose kinds are terrains:

* Each group of tiles has its own kinds, for its pieces are shuffled among them; a fixed tile takes one.
* Terrains that nothing tells apart from each other and that may touch anything are one kind, the *filler*; it
  is dealt out afterwards, in as many ways as a multinomial says.
* ``symmetry="corners"`` is a part for each three terrains that may stand on the three corners.
* Classes under rotations and mirrors follow Burnside: the boards that a symmetry leaves unchanged are a part
  whose groups of cells are the cycles of that symmetry. All parts together have each class once per
  symmetry, so a uniform rank is a uniform class too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout, Pair
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import Diagram, build
from catan_cp.counting.frontier import Clash, Puzzle, interchangeable
from catan_cp.rules.rule import Barred, ClusterMax, FirstOfClass, Rising, TerrainsApart, keeping_symmetries
from catan_cp.rules.rules import Rules, about, restrictions


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


Groups = tuple[tuple[int, ...], ...]

_FILLER = 0
_MOST_FILLER_STATES = 10_000_000


@dataclass(frozen=True)
class Part:
    """Terrains that one diagram stands for.

    Attributes:
        diagram: the ways to fill the tiles with kinds.
        codes: per kind its terrain code, 0 for the filler.
        filler: terrain code and count of each terrain in the filler.
    """

    diagram: Diagram
    codes: tuple[int, ...]
    filler: tuple[tuple[int, int], ...]

    @property
    def filler_ways(self) -> int:
        """In how many ways the filler can be dealt out."""
        counts = [count for _, count in self.filler]
        return factorial(sum(counts)) // prod(map(factorial, counts))

    @cached_property
    def total(self) -> int:
        """How many terrains the part has."""
        return self.diagram.total * self.filler_ways

    @cached_property
    def _filler_diagram(self) -> Diagram:
        counts = tuple(count for _, count in self.filler)
        cells = range(sum(counts))
        any_kind = frozenset(range(len(counts)))
        puzzle = Puzzle(counts, tuple((cell,) for cell in cells), tuple(any_kind for _ in cells))
        return build(puzzle, _MOST_FILLER_STATES)

    def terrains(self, ranks: Sequence[int]) -> NDArray[np.uint8]:
        """Return the terrain codes of these ranks, shape (ranks, tiles)."""
        ways = self.filler_ways
        kinds, _ = self.diagram.unrank([rank // ways for rank in ranks])
        codes = np.array(self.codes, dtype=np.uint8)[kinds]
        if len(self.filler) > 1:
            dealt, _ = self._filler_diagram.unrank([rank % ways for rank in ranks])
            codes[codes == _FILLER] = np.array([code for code, _ in self.filler], dtype=np.uint8)[
                dealt
            ].ravel()
        return codes

    def rank(self, codes: NDArray[np.uint8]) -> list[int]:
        """Return the rank of each of these terrains, shape (terrains, tiles); -1 for none."""
        dealt = [code for code, _ in self.filler]
        puzzle = self.diagram.puzzle
        kind_of = np.full((puzzle.n_cells, 256), puzzle.n_kinds, dtype=np.uint8)
        for group, domain in zip(puzzle.groups, puzzle.domains, strict=True):
            for kind in domain:
                code = self.codes[kind]
                kind_of[np.ix_(group, dealt if code == _FILLER else [code])] = kind
        kinds = kind_of[np.arange(puzzle.n_cells), codes]
        found = self.diagram.rank(kinds)
        if len(self.filler) > 1:
            which = np.full(256, len(dealt), dtype=np.uint8)
            which[dealt] = range(len(dealt))
            filler = self.codes.index(_FILLER)
            rows = [row for row, rank in enumerate(found) if rank >= 0]
            mine = which[codes[rows][kinds[rows] == filler]].reshape(
                len(rows), self._filler_diagram.puzzle.n_cells
            )
            for row, inside in zip(rows, self._filler_diagram.rank(mine) if rows else (), strict=True):
                found[row] = found[row] * self.filler_ways + inside if inside >= 0 else -1
        return found


@dataclass(frozen=True)
class TerrainSpace:
    """All terrains that rules allow on a layout.

    Attributes:
        parts: what it is made of.
        turns: permutations of the tiles. More than one: the space has each class of boards under them, as its
            first board in reading order, once per permutation.
    """

    parts: tuple[Part, ...]
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

    def terrains(self, ranks: Sequence[int]) -> NDArray[np.uint8]:
        """Return the terrain codes of these ranks (from 0 to below `ranks`), shape (ranks, tiles)."""
        n_tiles = self.parts[0].diagram.puzzle.n_cells if self.parts else 0
        found = np.zeros((len(ranks), n_tiles), dtype=np.uint8)
        begin = 0
        for part in self.parts:
            end = begin + part.total
            mine = [i for i, rank in enumerate(ranks) if begin <= rank < end]
            if mine:
                found[mine] = part.terrains([ranks[i] - begin for i in mine])
            begin = end
        return first_of_class(found, self.turns) if len(self.turns) > 1 else found

    def rank(self, codes: NDArray[np.uint8]) -> list[int]:
        """Return the rank of each of these terrains, -1 for none; not for spaces of classes."""
        found = [-1] * len(codes)
        begin = 0
        for part in self.parts:
            for row, rank in enumerate(part.rank(codes)):
                if found[row] < 0 <= rank:
                    found[row] = begin + rank
            begin += part.total
        return found

    def chunks(self, size: int = 50_000) -> Iterator[NDArray[np.uint8]]:
        """Yield the terrain codes of all ranks, some at a time."""
        for begin in range(0, self.ranks, size):
            yield self.terrains(range(begin, min(begin + size, self.ranks)))


def first_of_class(codes: NDArray[np.uint8], turns: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
    """Return, for each row, the lexicographically first of the rows that the turns make of it."""
    text = f"S{codes.shape[1]}"  # codes are never 0, so rows compare as byte strings
    first = np.ascontiguousarray(codes)
    for turn in turns:
        moved = np.empty_like(first)
        moved[:, list(turn)] = codes
        earlier = moved.view(text) < first.view(text)
        first = np.where(earlier, moved, first)
    return first


def terrain_space(
    rules: Rules, layout: Layout, classes: bool, budget: Budget, pins: Mapping[int, str] | None = None
) -> TerrainSpace:
    """Return the space of the allowed terrains, or of their classes where *classes* is asked for.

    The rules can be counted (`terrain_limits`). Their ``symmetry`` counts only where it is ``corners`` and
    *classes* is false. Classes need rules that are closed (`is_closed`), and no *pins*, which say what some
    tiles are.

    Raises:
        TooManyStates: the diagrams need more states than the budget has.
    """
    limits = known_limits(rules, layout)
    if classes:
        return _class_space(limits, layout, turns_of(rules, layout), budget)
    groups = tuple((t,) for t in range(layout.n_tiles))
    if limits.rising:
        parts = _corner_parts(limits, layout, groups, pins or {}, budget)
    else:
        parts = [_part(limits, layout, groups, pins or {}, budget)]
    return TerrainSpace(tuple(parts), (tuple(range(layout.n_tiles)),))


def _class_space(
    limits: Limits, layout: Layout, turns: tuple[tuple[int, ...], ...], budget: Budget
) -> TerrainSpace:
    by_cycles: dict[frozenset[tuple[int, ...]], Part] = {}
    parts = []
    for turn in turns:
        cycles = cycles_of(turn)
        key = frozenset(cycles)
        if key not in by_cycles:
            by_cycles[key] = _part(limits, layout, cycles, {}, budget)
        parts.append(by_cycles[key])
    return TerrainSpace(tuple(parts), turns)


def terrains_of_cycles(
    rules: Rules, layout: Layout, cycles: Groups, pins: Mapping[int, str], budget: Budget
) -> int:
    """Return the number of allowed terrains with one terrain on all tiles of each cycle, some of them given.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    return _part(known_limits(rules, layout), layout, cycles, pins, budget).total


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


def _corner_parts(
    limits: Limits, layout: Layout, groups: Groups, pins: Mapping[int, str], budget: Budget
) -> list[Part]:
    """Return a part per three terrains on the corners; threes that differ in names only share a diagram."""
    corners, terrains = limits.rising, layout.terrains
    if len(set(corners)) < 3:
        return []
    if len(layout.terrain_pools) > 1:  # kinds are more than terrains, and so no names for each other
        threes = (dict(zip(corners, three, strict=True)) for three in combinations(terrains, 3))
        return [_part(limits, layout, groups, pins, budget, three) for three in threes]
    alike = interchangeable(_puzzle(limits, layout, groups, pins))
    made: dict[tuple[int, ...], tuple[tuple[int, ...], Part]] = {}
    parts = []
    for three in combinations(range(len(terrains)), 3):
        key = tuple(alike[kind] for kind in three)
        if key not in made:
            named = ((tile, terrains[kind]) for tile, kind in zip(corners, three, strict=True))
            made[key] = three, _part(limits, layout, groups, pins, budget, dict(named))
        first, part = made[key]
        codes = [layout.terrain_codes[name] for name in terrains]
        parts.append(_renamed(part, _renaming(codes, alike, first, three)))
    return parts


def _renaming(
    code: Sequence[int], alike: Sequence[int], first: Sequence[int], three: Sequence[int]
) -> dict[int, int]:
    """Return terrain code -> code: *first* become *three*, and the others take what is left of their like."""
    new = dict(zip(first, three, strict=True))
    rest = [kind for kind in range(len(code)) if kind not in three]
    for kind in range(len(code)):
        if kind not in new:
            new[kind] = next(other for other in rest if alike[other] == alike[kind])
            rest.remove(new[kind])
    return {_FILLER: _FILLER} | {code[a]: code[b] for a, b in new.items()}


def _renamed(part: Part, code: dict[int, int]) -> Part:
    filler = tuple((code[old], count) for old, count in part.filler)
    return dataclasses.replace(part, codes=tuple(code[old] for old in part.codes), filler=filler)


def _part(
    limits: Limits,
    layout: Layout,
    groups: Groups,
    pins: Mapping[int, str],
    budget: Budget,
    corners: Mapping[int, str] | None = None,
) -> Part:
    supply = supply_of(layout)
    puzzle = _puzzle(limits, layout, groups, pins, corners or {})
    filler = _filler_kinds(puzzle) if all(len(group) == 1 for group in groups) else []
    kept = [kind for kind in range(len(supply)) if kind not in filler]
    if filler:
        puzzle = _merged(puzzle, kept, filler)
    code = [layout.terrain_codes[name] for _, name in supply]
    codes = tuple(code[kind] for kind in kept) + (_FILLER,) * bool(filler)
    count = list(supply.values())
    return Part(budget.build(puzzle), codes, tuple((code[kind], count[kind]) for kind in filler))


def _puzzle(limits: Limits, layout: Layout, groups: Groups, *pinned: Mapping[int, str]) -> Puzzle:
    """Return the puzzle whose kinds are the terrains of each group of tiles."""
    supply, by_tile = supply_of(layout), kinds_by_tile(layout)
    domains = [set(domain) for domain in limits.domains]
    for pins in pinned:
        for tile, name in pins.items():
            domains[tile] &= {name}
    most, pairs = (limits.clusters.size, limits.clusters.pairs) if limits.clusters else (layout.n_tiles, ())
    names = [name for _, name in supply]
    bound = [n not in layout.unnumbered and layout.terrain_counts[n] > most for n in names]
    clusters = any(bound) and most > 1
    return Puzzle(
        supply=tuple(supply.values()),
        groups=groups,
        domains=tuple(
            frozenset(
                number
                for number, kind in enumerate(supply)
                if all(kind in by_tile[t] and kind[1] in domains[t] for t in group)
            )
            for group in groups
        ),
        clashes=_clashes(limits.apart, names, pairs, bound if most == 1 else []),
        cluster_max=most if clusters else 0,
        clustered=frozenset(k for k, yes in enumerate(bound) if yes and clusters),
        touching=pairs if clusters else (),
    )


def _clashes(
    apart: Sequence[TerrainsApart], terrains: Sequence[str], pairs: tuple[Pair, ...], alone: Sequence[bool]
) -> tuple[Clash, ...]:
    """Return what may not stand side by side: terrains kept apart, and those that stand alone on *pairs*."""
    wanted: dict[tuple[Pair, ...], list[list[bool]]] = {}
    for each in apart:
        matrix = wanted.setdefault(each.pairs, [[False] * len(terrains) for _ in terrains])
        for i, a in enumerate(terrains):
            for j, b in enumerate(terrains):
                matrix[i][j] |= frozenset((a, b)) in each.terrains
    if any(alone):
        matrix = wanted.setdefault(pairs, [[False] * len(terrains) for _ in terrains])
        for i, a in enumerate(terrains):
            for j, b in enumerate(terrains):
                matrix[i][j] |= alone[i] and a == b
    found = (Clash(pairs, tuple(map(tuple, matrix))) for pairs, matrix in wanted.items())
    return tuple(clash for clash in found if any(map(any, clash.kinds)))


def _filler_kinds(puzzle: Puzzle) -> list[int]:
    """Return the largest set of two or more kinds that touch anything and may stand on the same tiles."""
    classes: dict[tuple[bool, ...], list[int]] = {}
    for kind in range(puzzle.n_kinds):
        if not puzzle.clashing(kind) and kind not in puzzle.clustered:
            classes.setdefault(tuple(kind in domain for domain in puzzle.domains), []).append(kind)
    largest = max(classes.values(), key=len, default=[])
    return largest if len(largest) > 1 else []


def _merged(puzzle: Puzzle, kept: list[int], filler: list[int]) -> Puzzle:
    """Return the puzzle with the filler's kinds made one, the last."""
    last = len(kept)
    clashes = []
    for clash in puzzle.clashes:
        rows = [(*(clash.kinds[a][b] for b in kept), False) for a in kept]
        clashes.append(Clash(clash.pairs, (*rows, (False,) * (last + 1))))
    domains = []
    for domain in puzzle.domains:
        kinds = {number for number, kind in enumerate(kept) if kind in domain}
        domains.append(frozenset(kinds | ({last} if filler[0] in domain else set())))
    return dataclasses.replace(
        puzzle,
        supply=(*(puzzle.supply[kind] for kind in kept), sum(puzzle.supply[kind] for kind in filler)),
        domains=tuple(domains),
        clashes=tuple(clashes),
        clustered=frozenset(number for number, kind in enumerate(kept) if kind in puzzle.clustered),
    )
