"""Rules about markers, and the space of all marker arrangements on a terrain.

The variables of the problem (`frontier`) are the tiles with a marker, the values are markers:

* Reds, equal markers, or 2 and 12 on touching tiles are forbidden pairs.
* Rules about sums at vertices ban triples of markers.
* A scope is the tiles of one terrain.
* Markers that no rule distinguishes are merged into one value and dealt afterwards. For example, 6 and 8 are
  merged if all rules are about red markers and pips.

Rules that put the markers in a fixed order along paths have a short list of arrangements instead.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.counting.budget import UNLIMITED, Budget
from catan_cp.counting.diagram import Arrangements, Pieces, arrangements_of
from catan_cp.counting.frontier import ForbiddenPairs, Matrix, Problem, partition
from catan_cp.counting.terrains import Limits, keeps, local_limits, symmetries_of
from catan_cp.errors import InvalidRules
from catan_cp.rules import restrictions as r
from catan_cp.rules.requirements import misplaced_markers
from catan_cp.rules.rules import Rules, about, by_kind, has_own_text, restrictions, set_rules

MARKER_STATES = 15_000_000
"""The maximum number of states of a count: about 1.2 GB and at most half a minute."""

FEW_STATES = 800_000
"""The maximum number of states if a search or a solver can be used instead."""

Row = tuple[int | None, ...]
"""The marker of each tile, or None."""


@dataclass(frozen=True)
class MarkerLimits:
    """The rules about markers.

    Attributes:
        apart: pairs of tiles and the pairs of markers that they may not have.
        vertices: the triples of markers that may meet at a vertex of three land tiles.
        on_terrain: pairs of markers that may not be on two tiles of one terrain.
        quotas: the maximum number of tiles of one terrain with some markers.
        pips: bounds on the sum of pips of each terrain.
        barred: the markers that a tile may not have on a terrain.
        fixed: tiles with fixed markers.
    """

    apart: tuple[r.MarkersApart, ...] = ()
    vertices: tuple[r.VertexBounds, ...] = ()
    on_terrain: tuple[r.ApartOnTerrain, ...] = ()
    quotas: tuple[r.TerrainQuota, ...] = ()
    pips: tuple[r.TerrainPips, ...] = ()
    barred: tuple[r.BarredMarkers, ...] = ()
    fixed: tuple[r.FixedMarkers, ...] = ()

    def meet(self, markers: Sequence[int | None]) -> bool:
        """Test whether three markers, None on a desert, may meet at a vertex."""
        return all(bounds.allows(markers) for bounds in self.vertices)

    def may_carry(self, tile: int, terrain: str, marker: int) -> bool:
        """Test whether a tile may have a marker on this terrain, other tiles ignored."""
        fixed = (number for rule in self.fixed for t, number in rule.markers if t == tile)
        return all(number == marker for number in fixed) and not any(
            (tile, terrain, marker) in rule.places for rule in self.barred
        )

    def distinguish_markers(self, layout: Layout) -> bool:
        """Test whether vertex rules distinguish markers of equal pips.

        If so, few states are equal, and a decision diagram is large.
        """
        markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
        pairs = list(combinations_with_replacement((*markers, None), 2))
        patterns = {tuple(self.meet([a, b, marker]) for a, b in pairs) for marker in markers}
        return bool(self.vertices) and len(patterns) > len({pips(marker) for marker in markers})


_RESTRICTIONS = (
    r.MarkersApart, r.VertexBounds, r.ApartOnTerrain, r.TerrainQuota, r.TerrainPips,
    r.BarredMarkers, r.FixedMarkers,
)  # fmt: skip
"""The classes of the attributes of `MarkerLimits`, in their order."""


def all_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return the limits on markers, or None if a rule is unsupported."""
    by_class = by_kind(rules, layout, "markers", _RESTRICTIONS)
    if by_class is None:
        return None
    return MarkerLimits(*map(tuple, by_class.values()))


def separate_limits(rules: Rules, layout: Layout) -> tuple[Limits, MarkerLimits] | None:
    """Return the limits on terrain and those on markers if no other rule decides which boards are allowed.

    None for unsupported rules, and for harbors that depend on the board.
    """
    fixed = layout.fixed_harbors or layout.movable_harbors
    tied = any(rule.sees_terrain for rule, _ in set_rules(rules, "harbors"))
    if rules.symmetry != "all" or (rules.harbors == "shuffled" and (fixed or tied)):
        return None
    terrain, markers = local_limits(rules, layout), all_limits(rules, layout)
    return None if terrain is None or markers is None else (terrain, markers)


def marker_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return `all_limits`, or None if a decision diagram cannot express them."""
    limits = all_limits(rules, layout)
    return None if limits is None or limits.pips or len(limits.quotas) > 1 else limits


def marker_symmetries(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the symmetries that keep the rules about markers, the identity first."""
    supported = restrictions(rules, layout, "markers")
    if supported is None:
        return (tuple(range(layout.n_tiles)),)
    return tuple(
        symmetry
        for symmetry in symmetries_of(rules, layout)
        if all(_is_kept(restriction, symmetry) for restriction in supported)
    )


def _is_kept(restriction: r.Restriction, symmetry: Sequence[int]) -> bool:
    """Test whether a restriction treats a board and its image alike."""
    match restriction:
        case r.MarkersApart(pairs):
            return keeps(symmetry, pairs)
        case r.FixedOrder(paths):
            return {tuple(symmetry[t] for t in path) for path in paths} == set(paths)
        case r.FixedMarkers():
            return restriction.stays(symmetry)
    return True  # The others are about vertices or about tiles of a terrain, which a symmetry keeps.


# Markers in a fixed order


def fixed_order(rules: Rules, layout: Layout) -> r.FixedOrder | None:
    """Return the fixed order of the markers, or None.

    The result is None also under custom constraints or edited models.
    """
    if has_own_text(rules, "markers"):
        return None
    for rule, value in set_rules(rules, "markers"):
        for restriction in rule.restrictions(value, rule.needed_values(rules), layout) or ():
            if isinstance(restriction, r.FixedOrder):
                return restriction
    return None


def ordered_markers(terrain: Sequence[str], rules: Rules, layout: Layout, fixed: r.FixedOrder) -> set[Row]:
    """Return the allowed arrangements in a fixed order, at most one per path."""
    rows: set[Row] = set()
    about_markers = about(rules, "markers")
    for path in fixed.paths:
        tiles = [t for t in path if layout.carries_marker(t, terrain[t])]
        if len(tiles) > len(fixed.order):
            return set()
        markers: list[int | None] = [None] * len(path)
        for t, marker in zip(tiles, fixed.order, strict=False):
            markers[t] = marker
        if _allowed(Board(layout, terrain, markers), about_markers):
            rows.add(tuple(markers))
    return rows


def _allowed(board: Board, rules: Rules) -> bool:
    """Test whether layout and rules allow the markers of a board.

    The supply of terrains is ignored, since counts of boards pass any terrain with the right bare tiles.
    """
    used = Counter(marker for marker in board.markers if marker is not None)
    if any(count > board.layout.marker_supply.get(marker, 0) for marker, count in used.items()):
        return False
    if any(misplaced_markers(board)):
        return False
    return all(violation.rule == "pieces" for violation in rules.check(board))


# Markers as a constraint problem


def numbered_tiles(terrain: Sequence[str], layout: Layout) -> list[int]:
    """Return the tiles with a marker on this terrain."""
    return [t for t, name in enumerate(terrain) if layout.carries_marker(t, name)]


def numbered(codes: Pieces, layout: Layout) -> NDArray[np.bool_]:
    """Return a mask of the tiles with a marker, of the shape of the terrain codes."""
    bare = [layout.terrain_codes[name] for name in layout.unnumbered]
    has_marker = ~np.isin(codes, bare)
    has_marker[:, list(layout.unmarked)] = False
    return has_marker


def land_vertices(terrain: Sequence[str], layout: Layout) -> list[tuple[int, ...]]:
    """Return the tiles of each vertex of three land tiles."""
    triples = (tiles for tiles in layout.vertex_tiles if len(tiles) == 3)
    return [tiles for tiles in triples if all(terrain[t] != "sea" for t in tiles)]


def _marker_values(layout: Layout) -> tuple[list[int], list[int], list[set[int]]]:
    """Return the markers and the supplies of values, and the values of each tile.

    A value is a marker of one pool: equal markers of two pools are two values.
    """
    values = [
        (pool.tiles, marker, pool.pieces[marker])
        for pool in layout.marker_boxes
        for marker in MARKERS
        if pool.pieces.get(marker)
    ]
    by_tile: list[set[int]] = [set() for _ in range(layout.n_tiles)]
    for value, (tiles, *_) in enumerate(values):
        for tile in tiles:
            by_tile[tile].add(value)
    return [marker for _, marker, _ in values], [supply for *_, supply in values], by_tile


def marker_problem(terrain: Sequence[str], limits: MarkerLimits, layout: Layout) -> Problem | None:
    """Return the problem whose values are markers.

    The result is None if there are too few markers, if a tile with a fixed marker is bare, or if bare tiles
    alone break a rule.
    """
    tiles = numbered_tiles(terrain, layout)
    markers, supply, by_tile = _marker_values(layout)
    variable = {tile: number for number, tile in enumerate(tiles)}
    vertices = land_vertices(terrain, layout) if limits.vertices else []
    meeting = [tuple(variable[t] for t in vertex if t in variable) for vertex in vertices]
    if (
        sum(layout.marker_supply.values()) < len(tiles)
        or any(rule.misses(terrain) for rule in limits.fixed)
        or (() in meeting and not limits.meet([None] * 3))
    ):
        return None
    alone = {variables[0] for variables in meeting if len(variables) == 1}

    def is_possible(value: int, tile: int) -> bool:
        marker = markers[value]
        return limits.may_carry(tile, terrain[tile], marker) and (
            variable[tile] not in alone or limits.meet([marker, None, None])
        )

    names = sorted({terrain[t] for t in tiles})
    on_terrain = _matrix(markers, [rule.excluded for rule in limits.on_terrain])
    quota, quota_values = _quota(limits, markers, supply)
    triples = combinations_with_replacement(range(len(markers)), 3)
    banned = frozenset(triple for triple in triples if not limits.meet([markers[v] for v in triple]))
    return Problem(
        supply=tuple(supply),
        groups=tuple((number,) for number in range(len(tiles))),
        domains=tuple(frozenset(v for v in by_tile[t] if is_possible(v, t)) for t in tiles),
        forbidden=tuple(_forbidden(limits, markers, variable, meeting)),
        triples=tuple((v[0], v[1], v[2]) for v in meeting if len(v) == 3) if banned else (),
        banned=banned,
        scopes=tuple(names.index(terrain[t]) for t in tiles) if on_terrain or quota_values else (),
        scope_forbidden=on_terrain,
        quota=quota,
        quota_values=quota_values,
        exact=False,
    )


def _forbidden(
    limits: MarkerLimits,
    markers: Sequence[int],
    variable: Mapping[int, int],
    meeting: Sequence[tuple[int, ...]],
) -> Iterable[ForbiddenPairs]:
    """Yield the forbidden pairs of touching tiles, and at vertices with a bare tile.

    Rules about the same pairs are combined, so that states hold them once.
    """
    by_pairs: dict[tuple[Pair, ...], list[r.MarkerPairs]] = {}
    for rule in limits.apart:
        by_pairs.setdefault(rule.pairs, []).append(rule.excluded)
    forbidden = [
        ForbiddenPairs(
            tuple((variable[a], variable[b]) for a, b in pairs if a in variable and b in variable),
            _matrix(markers, excluded),
        )
        for pairs, excluded in by_pairs.items()
    ]
    twos = tuple((variables[0], variables[1]) for variables in meeting if len(variables) == 2)
    beside_bare = frozenset((a, b) for a in markers for b in markers if not limits.meet([a, b, None]))
    forbidden.append(ForbiddenPairs(twos, _matrix(markers, [beside_bare])))
    return (rule for rule in forbidden if rule.pairs and rule.values)


def _quota(limits: MarkerLimits, markers: Sequence[int], supply: Sequence[int]) -> tuple[int, frozenset[int]]:
    """Return the quota that the supply exceeds, and its values.

    Without such a quota, the result is 0 and no values.
    """
    for quota in limits.quotas:
        values = frozenset(v for v, marker in enumerate(markers) if marker in quota.markers)
        if quota.most < sum(supply[v] for v in values):
            return quota.most, values
    return 0, frozenset()


def _matrix(markers: Sequence[int], excluded: Sequence[r.MarkerPairs]) -> Matrix:
    """Return the matrix of the markers that exclude each other, or () if none do."""
    rows = tuple(tuple(any((a, b) in pairs for pairs in excluded) for b in markers) for a in markers)
    return rows if any(map(any, rows)) else ()


def _same(problem: Problem, a: int, b: int) -> bool:
    """Test whether no constraint distinguishes two values."""
    matrices = [rule.values for rule in problem.forbidden]
    matrices += [problem.scope_forbidden] if problem.scope_forbidden else []
    return (
        all(matrix[a] == matrix[b] for matrix in matrices if matrix)
        and all((a in values) == (b in values) for values in (*problem.domains, problem.quota_values))
        and problem.banned_with[a] == problem.banned_with[b]
    )


# Markers as a space


@dataclass(frozen=True)
class ListedMarkers:
    """A list of marker arrangements.

    It has the methods of `Arrangements` and of `MarkerSearch` that a space of boards needs.
    """

    rows: Pieces

    @property
    def total(self) -> int:
        """The number of arrangements."""
        return len(self.rows)

    def branches(self, budget: Budget = UNLIMITED) -> NDArray[np.int64]:
        """Return the number of arrangements, as the only branch of a search."""
        return np.array([self.total])

    def chunks(self, place: None = None, budget: Budget = UNLIMITED) -> Iterator[Pieces]:
        """Yield all arrangements in one chunk."""
        yield self.rows

    def unrank(self, ranks: Sequence[int], branches: object = None, budget: Budget = UNLIMITED) -> Pieces:
        """Return the arrangements of ranks."""
        return self.rows[list(ranks)]

    def rank(self, markers: Pieces, branches: object = None, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each arrangement, or -1 if it is not in the list."""
        rows = self.rows.tolist()
        return [rows.index(row) if row in rows else -1 for row in markers.tolist()]


def marker_space(
    terrain: Sequence[str], rules: Rules, layout: Layout, budget: Budget
) -> Arrangements | ListedMarkers:
    """Return the marker arrangements on *terrain*, by a diagram or a fixed order.

    Raises:
        InvalidRules: neither method supports the rules.
        TooManyStates: the diagram needs more states than the budget has.
    """
    order, limits = fixed_order(rules, layout), marker_limits(rules, layout)
    if order is not None:
        tiles = numbered_tiles(terrain, layout)
        ordered = ordered_markers(terrain, rules, layout, order)
        rows = sorted([row[t] or 0 for t in tiles] for row in ordered)
        return ListedMarkers(np.array(rows, dtype=np.uint8).reshape(-1, len(tiles)))
    if limits is None:
        raise InvalidRules(
            "exact counts know only some rules about markers, and not all of these; enumerate_boards lists"
        )
    return marker_arrangements(terrain, limits, layout, budget)


def marker_arrangements(
    terrain: Sequence[str], limits: MarkerLimits, layout: Layout, budget: Budget
) -> Arrangements | ListedMarkers:
    """Return the marker arrangements on *terrain* by a decision diagram.

    Markers that no rule distinguishes are one value of the diagram. If no tile needs a marker, the result is
    a list with one empty arrangement. If `marker_problem` returns None, the list is empty.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    problem = marker_problem(terrain, limits, layout)
    if problem is None or not problem.groups:
        return ListedMarkers(np.zeros((int(problem is not None), 0), dtype=np.uint8))
    markers, *_ = _marker_values(layout)
    sets = partition(problem.n_values, partial(_same, problem))
    return arrangements_of(problem, markers, sets, budget.build)
