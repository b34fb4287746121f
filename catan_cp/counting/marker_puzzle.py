"""What rules say of markers, and the puzzle of numbering a terrain that they make.

The tiles to be numbered are the cells of a puzzle (`frontier`) whose kinds are the markers: reds,
equal markers, 2 and 12 clash on touching tiles, three markers may be banned from meeting at a vertex, and a
terrain's tiles are a scope. Markers that no rule can tell apart, not even from each other, are one kind and
dealt out at the end: 6 and 8 are, where only reds and pips count. Rules that lay the markers in a fixed order
along paths have no puzzle, but a short list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations_with_replacement
from math import comb
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS, MOST_PIPS, pips
from catan_cp.counting.diagram import Progress, build
from catan_cp.counting.frontier import Clash, Matrix, Puzzle
from catan_cp.rules.checking import misplaced_markers
from catan_cp.rules.rule import (
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    FixedMarkers,
    FixedOrder,
    MarkersApart,
    Restriction,
    TerrainQuota,
)
from catan_cp.rules.rules import Rules, about, has_own_text, restrictions, set_rules


@dataclass(frozen=True)
class MarkerLimits:
    """What the rules say of markers, in the terms of a puzzle.

    Attributes:
        apart: markers that may not be on pairs of tiles.
        vertices: which three markers may meet at a vertex of three land tiles.
        on_terrain: markers that may not be on two tiles of one terrain.
        quota: the most tiles of one terrain with one of some markers, if there is such a bound.
        barred: which markers a terrain may not carry.
        fixed: tiles whose markers are given.
    """

    apart: tuple[MarkersApart, ...]
    vertices: tuple[AtVertices, ...]
    on_terrain: tuple[ApartOnTerrain, ...]
    quota: TerrainQuota | None
    barred: tuple[BarredMarkers, ...]
    fixed: tuple[FixedMarkers, ...] = ()

    def meet(self, markers: Sequence[int | None]) -> bool:
        """Whether these three markers, None on a desert, may meet at a vertex."""
        return all(each.allowed(markers) for each in self.vertices)

    def tells_all_apart(self, layout: Layout) -> bool:
        """Whether vertices tell markers of equal pips apart, so that the states of a diagram hardly merge."""
        markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
        pairs = list(combinations_with_replacement((*markers, None), 2))
        seen = {tuple(self.meet([a, b, marker]) for a, b in pairs) for marker in markers}
        return bool(self.vertices) and len(seen) > len({pips(marker) for marker in markers})


NO_LIMITS = MarkerLimits((), (), (), None, ())


def marker_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return what *rules* say of markers; None where a puzzle cannot express it."""
    found = restrictions(rules, layout, "markers")
    if found is None:
        return None
    groups: dict[type[Restriction], list[Any]] = {kind: [] for kind in _KNOWN}
    for each in found:
        if type(each) not in groups:
            return None
        groups[type(each)].append(each)
    apart, vertices, on_terrain, quotas, barred, fixed = map(tuple, groups.values())
    if len(quotas) > 1:
        return None
    barred = (*barred, *_bounds_of_terrains(layout))
    return MarkerLimits(apart, vertices, on_terrain, quotas[0] if quotas else None, barred, fixed)


def _bounds_of_terrains(layout: Layout) -> list[BarredMarkers]:
    """Return what the layout itself says of the pips of markers by their terrain."""
    least, most = layout.terrain_marker_pips_min, layout.terrain_marker_pips_max
    if not least and not most:
        return []

    def barred(terrain: str, marker: int) -> bool:
        ways = layout.marker_pips(marker)
        return not least.get(terrain, 0) <= ways <= most.get(terrain, MOST_PIPS)

    return [BarredMarkers(barred)]


_KNOWN = (MarkersApart, AtVertices, ApartOnTerrain, TerrainQuota, BarredMarkers, FixedMarkers)


def fixed_order(rules: Rules, layout: Layout) -> FixedOrder | None:
    """Return the order in which the rules put the markers, if they do, and no text of a user's says more."""
    if has_own_text(rules, "markers"):
        return None
    for rule, value in set_rules(rules, "markers"):
        for each in rule.counts(value, rule.given(rules), layout) if rule.counts else ():
            if isinstance(each, FixedOrder):
                return each
    return None


def ordered_markers(
    terrain: Sequence[str], rules: Rules, layout: Layout, fixed: FixedOrder
) -> set[tuple[int | None, ...]]:
    """Return the ways to lay the markers in a fixed order, one a path, that the rules allow."""
    found: set[tuple[int | None, ...]] = set()
    about_markers = about(rules, "markers")
    for path in fixed.paths:
        tiles = [t for t in path if layout.carries_marker(t, terrain[t])]
        if len(tiles) > len(fixed.order):
            return set()
        markers: list[int | None] = [None] * len(path)
        for t, marker in zip(tiles, fixed.order, strict=False):
            markers[t] = marker
        if _allowed(Board(layout, terrain, markers), about_markers):
            found.add(tuple(markers))
    return found


def _allowed(board: Board, rules: Rules) -> bool:
    """Whether the box and the layout let the markers lie so, and they keep the rules.

    The terrain need not be dealt from the box: whoever counts boards gives any that carries the markers.
    """
    used = Counter(marker for marker in board.markers if marker is not None)
    if any(count > board.layout.marker_supply.get(marker, 0) for marker, count in used.items()):
        return False
    if any(misplaced_markers(board)):
        return False
    return all(broken.rule == "pieces" for broken in rules.check(board))


MARKER_STATES = 15_000_000
"""The most states of a count: about 1.2 GB and, at worst, half a minute."""

FEW_STATES = 800_000
"""The most states of a count that listing can take the place of."""


def count_local(
    terrain: Sequence[str],
    limits: MarkerLimits,
    layout: Layout,
    max_states: int = MARKER_STATES,
    progress: Progress | None = None,
) -> int:
    """Return the number of ways to number *terrain* within *limits*.

    Raises:
        TooManyStates: the count needs more than *max_states* states.
    """
    found = marker_puzzle(terrain, limits, layout)
    if found is None:
        return 0
    return build(found.puzzle, max_states, progress).total if found.tiles else 1


@dataclass(frozen=True)
class MarkerPuzzle:
    """The puzzle of a terrain's markers, and what its cells and kinds stand for.

    Attributes:
        puzzle: the puzzle.
        tiles: the tile of each cell.
        members: per kind, the markers that it stands for.
        supplies: per kind, how many there are of each of its members.
    """

    puzzle: Puzzle
    tiles: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    supplies: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Kinds:
    """The kinds of marker in the box: those of a group are other kinds than the same ones of another.

    Attributes:
        markers: per kind, its marker.
        supply: per kind, how many there are.
        may_lie: per tile, the kinds that the layout lets lie there.
    """

    markers: tuple[int, ...]
    supply: tuple[int, ...]
    may_lie: tuple[frozenset[int], ...]


def _kinds(layout: Layout) -> _Kinds:
    pools = [(pool.tiles, dict(pool.pieces)) for pool in layout.marker_pools]
    pools += [((tile,), {marker: 1}) for tile, marker in layout.fixed_markers.items()]
    kinds = [
        (tiles, marker, pieces[marker]) for tiles, pieces in pools for marker in MARKERS if pieces.get(marker)
    ]
    may_lie: list[set[int]] = [set() for _ in range(layout.n_tiles)]
    for kind, (tiles, marker, _) in enumerate(kinds):
        for tile in tiles:
            most = MOST_PIPS if tile in layout.fixed_markers else layout.pips_max.get(tile, MOST_PIPS)
            if layout.marker_pips(marker) <= most:
                may_lie[tile].add(kind)
    return _Kinds(
        tuple(marker for _, marker, _ in kinds), tuple(n for *_, n in kinds), tuple(map(frozenset, may_lie))
    )


def numbered_tiles(terrain: Sequence[str], layout: Layout) -> list[int]:
    """Return the tiles that carry a marker on this terrain."""
    return [t for t, name in enumerate(terrain) if layout.carries_marker(t, name)]


def marker_puzzle(
    terrain: Sequence[str], limits: MarkerLimits, layout: Layout, marks: Mapping[int, int] | None = None
) -> MarkerPuzzle | None:
    """Return the puzzle of numbering *terrain*; None where markers are too few, or given to a bare tile.

    Markers that no rule tells apart are one kind, unless their *marks* differ.
    """
    plain = _puzzle(terrain, limits, layout)
    if plain is None:
        return None
    box = _kinds(layout)
    if marks is not None:
        plain = replace(plain, marks=tuple(marks[marker] for marker in box.markers))
    puzzle, classes = _merged(plain)
    members = tuple(tuple(box.markers[kind] for kind in kinds) for kinds in classes)
    supplies = tuple(tuple(box.supply[kind] for kind in kinds) for kinds in classes)
    return MarkerPuzzle(puzzle, tuple(numbered_tiles(terrain, layout)), members, supplies)


def marker_puzzle_of_cycles(
    terrain: Sequence[str], limits: MarkerLimits, layout: Layout, cycles: Sequence[Sequence[int]]
) -> Puzzle | None:
    """Return the puzzle of numbering *terrain* with one marker on all tiles of each cycle; None as above.

    A cycle has numbered tiles only, or none. The limits look at no terrain.
    """
    puzzle = _puzzle(terrain, limits, layout)
    if puzzle is None:
        return None
    tiles = numbered_tiles(terrain, layout)
    cell = {tile: number for number, tile in enumerate(tiles)}
    groups = tuple(tuple(cell[t] for t in cycle) for cycle in cycles if cycle[0] in cell)
    domains = (frozenset.intersection(*(puzzle.domains[c] for c in group)) for group in groups)
    return replace(puzzle, groups=groups, domains=tuple(domains))


def count_free(tiles: int, supply: Sequence[int]) -> int:
    """Return in how many ways markers of this supply can stand on so many tiles, with no rule at all.

    Marker after marker, by how many tiles are taken: the next one takes *n* of the others in
    ``comb(others, n)`` ways.
    """
    ways = [1] + [0] * tiles
    for most in supply:
        after = [0] * (tiles + 1)
        for taken, count in enumerate(ways):
            for n in range(min(most, tiles - taken) + 1):
                after[taken + n] += count * comb(tiles - taken, n)
        ways = after
    return ways[tiles]


def _corners(terrain: Sequence[str], layout: Layout) -> list[tuple[int, ...]]:
    """Return the tiles of each vertex of three land tiles."""
    threes = (tiles for tiles in layout.vertex_tiles if len(tiles) == 3)
    return [tiles for tiles in threes if all(terrain[t] != "sea" for t in tiles)]


def _puzzle(terrain: Sequence[str], limits: MarkerLimits, layout: Layout) -> Puzzle | None:
    """Return the puzzle whose kinds are the markers in the box; None as `marker_puzzle`."""
    tiles = numbered_tiles(terrain, layout)
    corners = _corners(terrain, layout) if limits.vertices else []
    if (
        sum(layout.marker_supply.values()) < len(tiles)
        or any(each.misses(terrain) for each in limits.fixed)
        or any(not limits.meet([None] * 3) for corner in corners if not set(corner) & set(tiles))
    ):
        return None
    cell = {tile: number for number, tile in enumerate(tiles)}
    box = _kinds(layout)
    markers, kinds = box.markers, range(len(box.markers))
    numbered = [[cell[t] for t in corner if t in cell] for corner in corners]
    clashes = [
        *(
            Clash(
                tuple((cell[a], cell[b]) for a, b in each.pairs if a in cell and b in cell),
                _matrix(markers, each.clash),
            )
            for each in _joined(limits.apart)
        ),
        Clash(
            tuple((cells[0], cells[1]) for cells in numbered if len(cells) == 2),
            _matrix(markers, lambda a, b: not limits.meet([a, b, None])),
        ),
    ]
    alone = {cells[0] for cells in numbered if len(cells) == 1}
    beside_deserts = frozenset(k for k in kinds if limits.meet([markers[k], None, None]))
    different = _matrix(markers, lambda a, b: any(each.clash(a, b) for each in limits.on_terrain))
    given = {t: marker for each in limits.fixed for t, marker in each.markers}
    names = sorted({terrain[t] for t in tiles})
    may_carry = {
        name: frozenset(k for k in kinds if not any(each.barred(name, markers[k]) for each in limits.barred))
        for name in names
    }
    quota, bound = 0, frozenset[int]()
    if limits.quota is not None:
        quota = limits.quota.most
        bound = frozenset(k for k in kinds if markers[k] in limits.quota.markers)
        if quota >= sum(box.supply[k] for k in bound):
            quota, bound = 0, frozenset()
    threes = combinations_with_replacement(kinds, 3)
    banned = frozenset(three for three in threes if not limits.meet([markers[k] for k in three]))
    return Puzzle(
        supply=box.supply,
        groups=tuple((number,) for number in range(len(tiles))),
        domains=tuple(
            may_carry[terrain[t]]
            & box.may_lie[t]
            & (beside_deserts if number in alone else may_carry[terrain[t]])
            & frozenset(k for k in kinds if given.get(t, markers[k]) == markers[k])
            for number, t in enumerate(tiles)
        ),
        clashes=tuple(clash for clash in clashes if clash.pairs and clash.kinds),
        corners=tuple((c[0], c[1], c[2]) for c in numbered if len(c) == 3) if banned else (),
        banned=banned,
        scopes=tuple(names.index(terrain[t]) for t in tiles) if different or bound else (),
        scope_clash=different,
        quota=quota,
        quota_kinds=bound,
        exact=False,
    )


def _joined(apart: Iterable[MarkersApart]) -> list[MarkersApart]:
    """Return one restriction for all that concern the same pairs, so that a count remembers them together."""
    by_pairs: dict[tuple[Pair, ...], list[MarkersApart]] = {}
    for each in apart:
        by_pairs.setdefault(each.pairs, []).append(each)
    return [MarkersApart(pairs, partial(_any_clash, group)) for pairs, group in by_pairs.items()]


def _any_clash(apart: Sequence[MarkersApart], a: int, b: int) -> bool:
    return any(each.clash(a, b) for each in apart)


def _merged(puzzle: Puzzle) -> tuple[Puzzle, list[list[int]]]:
    """Return the puzzle with kinds that no rule can tell apart made one, and the kinds of each."""
    classes: list[list[int]] = []
    for kind in range(puzzle.n_kinds):
        members = next((c for c in classes if _same(puzzle, c[0], kind)), None)
        if members is None:
            classes.append([kind])
        else:
            members.append(kind)
    if len(classes) == puzzle.n_kinds:
        return puzzle, classes
    new = {kind: number for number, members in enumerate(classes) for kind in members}

    def matrix(old: Matrix) -> Matrix:
        return tuple(tuple(old[a[0]][b[0]] for b in classes) for a in classes) if old else ()

    supplies = [[puzzle.supply[kind] for kind in members] for members in classes]
    merged = replace(
        puzzle,
        supply=tuple(map(sum, supplies)),
        domains=tuple(frozenset(new[kind] for kind in domain) for domain in puzzle.domains),
        clashes=tuple(Clash(clash.pairs, matrix(clash.kinds)) for clash in puzzle.clashes),
        banned=frozenset(_rising(new[kind] for kind in three) for three in puzzle.banned),
        scope_clash=matrix(puzzle.scope_clash),
        quota_kinds=frozenset(new[kind] for kind in puzzle.quota_kinds),
        marks=tuple(puzzle.marks[members[0]] for members in classes) if puzzle.marks else (),
        deals=tuple(
            tuple(count_free(sum(supply) - left, supply) for left in range(sum(supply) + 1))
            for supply in supplies
        ),
    )
    return merged, classes


def _same(puzzle: Puzzle, a: int, b: int) -> bool:
    """Whether one of these kinds may stand wherever the other does, whatever else stands there."""
    matrices = [matrix for matrix in (*(c.kinds for c in puzzle.clashes), puzzle.scope_clash) if matrix]
    as_a = {_rising(a if kind == b else kind for kind in three) for three in puzzle.banned}
    kinds = range(puzzle.n_kinds)
    everywhere = combinations_with_replacement(kinds, 3)
    return (
        all(matrix[a] == matrix[b] for matrix in matrices)
        and all((a in domain) == (b in domain) for domain in puzzle.domains)
        and (a in puzzle.quota_kinds) == (b in puzzle.quota_kinds)
        and (not puzzle.marks or puzzle.marks[a] == puzzle.marks[b])
        and all(
            (three in puzzle.banned) == (_rising(a if kind == b else kind for kind in three) in as_a)
            for three in everywhere
        )
    )


def _rising(kinds: Iterable[int]) -> tuple[int, int, int]:
    first, second, third = sorted(kinds)
    return first, second, third


def _matrix(markers: Sequence[int], clash: Callable[[int, int], bool]) -> Matrix:
    """Return which markers clash with which; empty where none does."""
    rows = tuple(tuple(clash(a, b) for b in markers) for a in markers)
    return rows if any(map(any, rows)) else ()
