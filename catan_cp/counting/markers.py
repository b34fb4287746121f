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
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS
from catan_cp.counting.budget import Budget
from catan_cp.counting.frontier import Exclusions, ForbiddenPairs, FrontierProblem, partition
from catan_cp.counting.spaces import Listed, Pieces, Space, arrangements_of
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import MarkerTables
from catan_cp.rules import restrictions as r
from catan_cp.rules.requirements import misplaced_pieces
from catan_cp.rules.rules import Rules, about

MARKER_STATES = 15_000_000
"""The maximum number of states of a count: about 1.2 GB and at most half a minute."""

FEW_STATES = 800_000
"""The maximum number of states if a search or a solver can be used instead."""

MarkerRow = tuple[int | None, ...]
"""The marker of each tile, or None."""


# Markers in a fixed order


def ordered_markers(terrain: Sequence[str], problem: Problem, order: r.FixedOrder) -> set[MarkerRow]:
    """Return the allowed arrangements in a fixed order, at most one per path."""
    rows: set[MarkerRow] = set()
    layout, about_markers = problem.layout, about(problem.rules, "markers")
    for path in order.paths:
        tiles = [t for t in path if layout.carries_marker(t, terrain[t])]
        if len(tiles) > len(order.order):
            return set()
        markers: list[int | None] = [None] * len(path)
        for t, marker in zip(tiles, order.order, strict=False):
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
    if any(misplaced_pieces(board, "markers")):
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


def marker_problem(terrain: Sequence[str], tables: MarkerTables, layout: Layout) -> FrontierProblem | None:
    """Return the problem whose values are markers.

    The result is None if there are too few markers, if a tile with a fixed marker is bare, or if bare tiles
    alone break a rule.
    """
    tiles = numbered_tiles(terrain, layout)
    markers, supply, by_tile = _marker_values(layout)
    variable = {tile: number for number, tile in enumerate(tiles)}
    vertices = land_vertices(terrain, layout) if tables.vertices else []
    meeting = [tuple(variable[t] for t in vertex if t in variable) for vertex in vertices]
    if (
        sum(layout.marker_supply.values()) < len(tiles)
        or any(rule.misses(terrain) for rule in tables.fixed)
        or (() in meeting and not tables.meet([None] * 3))
    ):
        return None
    alone = {variables[0] for variables in meeting if len(variables) == 1}

    def is_possible(value: int, tile: int) -> bool:
        marker = markers[value]
        return tables.may_carry(tile, terrain[tile], marker) and (
            variable[tile] not in alone or tables.meet([marker, None, None])
        )

    names = sorted({terrain[t] for t in tiles})
    on_terrain = _matrix(markers, [rule.excluded for rule in tables.on_terrain])
    quota, quota_values = _quota(tables, markers, supply)
    triples = combinations_with_replacement(range(len(markers)), 3)
    banned = frozenset(triple for triple in triples if not tables.meet([markers[v] for v in triple]))
    return FrontierProblem(
        supply=tuple(supply),
        groups=tuple((number,) for number in range(len(tiles))),
        domains=tuple(frozenset(v for v in by_tile[t] if is_possible(v, t)) for t in tiles),
        forbidden=tuple(_forbidden(tables, markers, variable, meeting)),
        triples=tuple((v[0], v[1], v[2]) for v in meeting if len(v) == 3) if banned else (),
        banned=banned,
        scopes=tuple(names.index(terrain[t]) for t in tiles) if on_terrain or quota_values else (),
        scope_forbidden=on_terrain,
        quota=quota,
        quota_values=quota_values,
        exact=False,
    )


def _forbidden(
    tables: MarkerTables,
    markers: Sequence[int],
    variable: Mapping[int, int],
    meeting: Sequence[tuple[int, ...]],
) -> Iterable[ForbiddenPairs]:
    """Yield the forbidden pairs of touching tiles, and at vertices with a bare tile.

    Rules about the same pairs are combined, so that states hold them once.
    """
    by_pairs: dict[tuple[Pair, ...], list[r.MarkerPairs]] = {}
    for rule in tables.apart:
        by_pairs.setdefault(rule.pairs, []).append(rule.excluded)
    forbidden = [
        ForbiddenPairs(
            tuple((variable[a], variable[b]) for a, b in pairs if a in variable and b in variable),
            _matrix(markers, excluded),
        )
        for pairs, excluded in by_pairs.items()
    ]
    twos = tuple((variables[0], variables[1]) for variables in meeting if len(variables) == 2)
    beside_bare = frozenset((a, b) for a in markers for b in markers if not tables.meet([a, b, None]))
    forbidden.append(ForbiddenPairs(twos, _matrix(markers, [beside_bare])))
    return (rule for rule in forbidden if rule.pairs and rule.values)


def _quota(tables: MarkerTables, markers: Sequence[int], supply: Sequence[int]) -> tuple[int, frozenset[int]]:
    """Return the quota that the supply exceeds, and its values.

    Without such a quota, the result is 0 and no values.
    """
    for quota in tables.quotas:
        values = frozenset(v for v, marker in enumerate(markers) if marker in quota.markers)
        if quota.most < sum(supply[v] for v in values):
            return quota.most, values
    return 0, frozenset()


def _matrix(markers: Sequence[int], excluded: Sequence[r.MarkerPairs]) -> Exclusions:
    """Return the matrix of the markers that exclude each other, or () if none do."""
    rows = tuple(tuple(any((a, b) in pairs for pairs in excluded) for b in markers) for a in markers)
    return rows if any(map(any, rows)) else ()


def _same(problem: FrontierProblem, a: int, b: int) -> bool:
    """Test whether no constraint distinguishes two values."""
    matrices = [rule.values for rule in problem.forbidden]
    matrices += [problem.scope_forbidden] if problem.scope_forbidden else []
    return (
        all(matrix[a] == matrix[b] for matrix in matrices if matrix)
        and all((a in values) == (b in values) for values in (*problem.domains, problem.quota_values))
        and problem.banned_with[a] == problem.banned_with[b]
    )


# Markers as a space


def marker_space(terrain: Sequence[str], problem: Problem, budget: Budget) -> Space:
    """Return the marker arrangements on *terrain*, by a diagram or a fixed order.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    tables, layout = problem.markers, problem.layout
    if tables is not None and tables.order is not None:
        tiles = numbered_tiles(terrain, layout)
        ordered = ordered_markers(terrain, problem, tables.order)
        rows = sorted([row[t] or 0 for t in tiles] for row in ordered)
        return Listed(np.array(rows, dtype=np.uint8).reshape(-1, len(tiles)))
    assert tables is not None and tables.fits_diagram, "other rules tie markers to terrain"
    return marker_arrangements(terrain, tables, layout, budget)


def marker_arrangements(
    terrain: Sequence[str], tables: MarkerTables, layout: Layout, budget: Budget
) -> Space:
    """Return the marker arrangements on *terrain* by a decision diagram.

    Markers that no rule distinguishes are one value of the diagram. If no tile needs a marker, the result is
    a list with one empty arrangement. If `marker_problem` returns None, the list is empty.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    problem = marker_problem(terrain, tables, layout)
    if problem is None or not problem.groups:
        return Listed(np.zeros((int(problem is not None), 0), dtype=np.uint8))
    markers, *_ = _marker_values(layout)
    sets = partition(problem.n_values, partial(_same, problem))
    return arrangements_of(problem, markers, sets, budget.build)
