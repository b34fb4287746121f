"""What rules say of markers, and all ways to number a terrain by a decision diagram or in a fixed order.

The tiles to be numbered are the cells of a puzzle (`frontier`) whose kinds are the markers: reds,
equal markers, 2 and 12 clash on touching tiles, three markers may be banned from meeting at a vertex, and a
terrain's tiles are a scope. Markers that no rule can tell apart, not even from each other, are one kind and
dealt afterwards: 6 and 8 are, where only reds and pips count. Rules that lay the markers in a fixed order
along paths have no puzzle, but a short list.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import Fillings, Pieces, fillings_of
from catan_cp.counting.frontier import Clash, Matrix, Puzzle, classes_of
from catan_cp.counting.terrains import keeps, symmetries_of
from catan_cp.errors import InvalidRules
from catan_cp.rules import rule as r
from catan_cp.rules.requirements import misplaced_markers
from catan_cp.rules.rules import Rules, about, by_kind, has_own_text, restrictions, set_rules

MARKER_STATES = 15_000_000
"""The most states of a count: about 1.2 GB and, at worst, half a minute."""

FEW_STATES = 800_000
"""The most states of a count that listing can take the place of."""

Row = tuple[int | None, ...]
"""Markers, one or None a tile."""


@dataclass(frozen=True)
class MarkerLimits:
    """What the rules say of markers.

    Attributes:
        apart: markers that may not be on pairs of tiles.
        vertices: which three markers may meet at a vertex of three land tiles.
        on_terrain: markers that may not be on two tiles of one terrain.
        quotas: the most tiles of one terrain with one of some markers.
        pips: bounds on the pips of all tiles of a terrain together.
        barred: which markers a terrain may not carry.
        fixed: tiles whose markers are given.
    """

    apart: tuple[r.MarkersApart, ...] = ()
    vertices: tuple[r.AtVertices, ...] = ()
    on_terrain: tuple[r.ApartOnTerrain, ...] = ()
    quotas: tuple[r.TerrainQuota, ...] = ()
    pips: tuple[r.TerrainPips, ...] = ()
    barred: tuple[r.BarredMarkers, ...] = ()
    fixed: tuple[r.FixedMarkers, ...] = ()

    def meet(self, markers: Sequence[int | None]) -> bool:
        """Whether these three markers, None on a desert, may meet at a vertex."""
        return all(each.allowed(markers) for each in self.vertices)

    def may_carry(self, tile: int, terrain: str, marker: int) -> bool:
        """Whether a tile may carry a marker on this terrain, whatever stands elsewhere."""
        given = (number for each in self.fixed for t, number in each.markers if t == tile)
        return all(number == marker for number in given) and not any(
            each.barred(tile, terrain, marker) for each in self.barred
        )

    def tells_all_apart(self, layout: Layout) -> bool:
        """Whether vertices tell markers of equal pips apart, so that the states of a diagram hardly merge."""
        markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
        pairs = list(combinations_with_replacement((*markers, None), 2))
        seen = {tuple(self.meet([a, b, marker]) for a, b in pairs) for marker in markers}
        return bool(self.vertices) and len(seen) > len({pips(marker) for marker in markers})


_KINDS = (
    r.MarkersApart, r.AtVertices, r.ApartOnTerrain, r.TerrainQuota, r.TerrainPips,
    r.BarredMarkers, r.FixedMarkers,
)  # fmt: skip
"""The restrictions in the order of these attributes."""


def all_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return what *rules* and the layout say of markers; None where a rule is not known here."""
    found = by_kind(rules, layout, "markers", _KINDS)
    if found is None:
        return None
    return MarkerLimits(*map(tuple, found.values()))


def marker_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return `all_limits`; None where a puzzle cannot express them."""
    found = all_limits(rules, layout)
    return None if found is None or found.pips or len(found.quotas) > 1 else found


def marker_turns(rules: Rules, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the rotations and mirrors under which the rules ask the same of markers; one is the identity."""
    known = restrictions(rules, layout, "markers")
    if known is None:
        return (tuple(range(layout.n_tiles)),)
    return tuple(turn for turn in symmetries_of(rules, layout) if all(_stays(each, turn) for each in known))


def _stays(restriction: r.Restriction, turn: Sequence[int]) -> bool:
    """Whether a restriction on markers asks the same of a board that is turned."""
    match restriction:
        case r.MarkersApart(pairs):
            return keeps(turn, pairs)
        case r.FixedOrder(paths):
            return {tuple(turn[t] for t in path) for path in paths} == set(paths)
        case r.FixedMarkers():
            return restriction.stays(turn)
    return True  # the others look at vertices, or at tiles by their terrain: both are turned along


# Markers in a fixed order


def fixed_order(rules: Rules, layout: Layout) -> r.FixedOrder | None:
    """Return the order in which the rules put the markers, if they do, and no text of a user's says more."""
    if has_own_text(rules, "markers"):
        return None
    for rule, value in set_rules(rules, "markers"):
        for each in rule.counts(value, rule.given(rules), layout) if rule.counts else ():
            if isinstance(each, r.FixedOrder):
                return each
    return None


def ordered_markers(terrain: Sequence[str], rules: Rules, layout: Layout, fixed: r.FixedOrder) -> set[Row]:
    """Return the ways to lay the markers in a fixed order, one a path, that the rules allow."""
    found: set[Row] = set()
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


# Markers as a puzzle


def numbered_tiles(terrain: Sequence[str], layout: Layout) -> list[int]:
    """Return the tiles that carry a marker on this terrain."""
    return [t for t, name in enumerate(terrain) if layout.carries_marker(t, name)]


def numbered(codes: Pieces, layout: Layout) -> NDArray[np.bool_]:
    """Return which tiles carry a marker on terrains of these codes, of the same shape."""
    bare = [layout.terrain_codes[name] for name in layout.unnumbered]
    found = ~np.isin(codes, bare)
    found[:, list(layout.unmarked)] = False
    return found


def land_corners(terrain: Sequence[str], layout: Layout) -> list[tuple[int, ...]]:
    """Return the tiles of each vertex of three land tiles."""
    threes = (tiles for tiles in layout.vertex_tiles if len(tiles) == 3)
    return [tiles for tiles in threes if all(terrain[t] != "sea" for t in tiles)]


def _box(layout: Layout) -> tuple[list[int], list[int], list[set[int]]]:
    """Return each kind's marker, how many there are of each kind, and per tile the kinds that may lie there.

    The markers of a group are other kinds than the same ones of another.
    """
    kinds = [
        (pool.tiles, marker, pool.pieces[marker])
        for pool in layout.marker_boxes
        for marker in MARKERS
        if pool.pieces.get(marker)
    ]
    may_lie: list[set[int]] = [set() for _ in range(layout.n_tiles)]
    for kind, (tiles, *_) in enumerate(kinds):
        for tile in tiles:
            may_lie[tile].add(kind)
    return [marker for _, marker, _ in kinds], [supply for *_, supply in kinds], may_lie


def plain_puzzle(terrain: Sequence[str], limits: MarkerLimits, layout: Layout) -> Puzzle | None:
    """Return the puzzle whose kinds are the markers in the box.

    None where markers are too few, given to a bare tile, or bare tiles alone break a rule.
    """
    tiles = numbered_tiles(terrain, layout)
    markers, supply, may_lie = _box(layout)
    cell = {tile: number for number, tile in enumerate(tiles)}
    corners = land_corners(terrain, layout) if limits.vertices else []
    numbered = [tuple(cell[t] for t in corner if t in cell) for corner in corners]
    if (
        sum(layout.marker_supply.values()) < len(tiles)
        or any(each.misses(terrain) for each in limits.fixed)
        or (() in numbered and not limits.meet([None] * 3))
    ):
        return None
    alone = {cells[0] for cells in numbered if len(cells) == 1}

    def may_stand(kind: int, tile: int) -> bool:
        marker = markers[kind]
        return limits.may_carry(tile, terrain[tile], marker) and (
            cell[tile] not in alone or limits.meet([marker, None, None])
        )

    names = sorted({terrain[t] for t in tiles})
    different = _matrix(markers, [each.clash for each in limits.on_terrain])
    quota, bound = _quota(limits, markers, supply)
    threes = combinations_with_replacement(range(len(markers)), 3)
    banned = frozenset(three for three in threes if not limits.meet([markers[k] for k in three]))
    return Puzzle(
        supply=tuple(supply),
        groups=tuple((number,) for number in range(len(tiles))),
        domains=tuple(frozenset(k for k in may_lie[t] if may_stand(k, t)) for t in tiles),
        clashes=tuple(_clashes(limits, markers, cell, numbered)),
        corners=tuple((c[0], c[1], c[2]) for c in numbered if len(c) == 3) if banned else (),
        banned=banned,
        scopes=tuple(names.index(terrain[t]) for t in tiles) if different or bound else (),
        scope_clash=different,
        quota=quota,
        quota_kinds=bound,
        exact=False,
    )


def _clashes(
    limits: MarkerLimits,
    markers: Sequence[int],
    cell: Mapping[int, int],
    corners: Sequence[tuple[int, ...]],
) -> Iterable[Clash]:
    """Yield what may not stand on touching tiles, or on two at a vertex whose third tile is bare.

    What concerns the same pairs is one clash, so that a count remembers it once.
    """
    by_pairs: dict[tuple[Pair, ...], list[Callable[[int, int], bool]]] = {}
    for each in limits.apart:
        by_pairs.setdefault(each.pairs, []).append(each.clash)
    found = [
        Clash(
            tuple((cell[a], cell[b]) for a, b in pairs if a in cell and b in cell), _matrix(markers, clashes)
        )
        for pairs, clashes in by_pairs.items()
    ]
    twos = tuple((cells[0], cells[1]) for cells in corners if len(cells) == 2)
    found.append(Clash(twos, _matrix(markers, [lambda a, b: not limits.meet([a, b, None])])))
    return (clash for clash in found if clash.pairs and clash.kinds)


def _quota(limits: MarkerLimits, markers: Sequence[int], supply: Sequence[int]) -> tuple[int, frozenset[int]]:
    """Return how many of some kinds a terrain may have, and which; 0 and none where the box has no more."""
    for quota in limits.quotas:
        bound = frozenset(k for k, marker in enumerate(markers) if marker in quota.markers)
        if quota.most < sum(supply[k] for k in bound):
            return quota.most, bound
    return 0, frozenset()


def _matrix(markers: Sequence[int], clashes: Sequence[Callable[[int, int], bool]]) -> Matrix:
    """Return which markers clash with which; empty where none does."""
    rows = tuple(tuple(any(clash(a, b) for clash in clashes) for b in markers) for a in markers)
    return rows if any(map(any, rows)) else ()


def _same(puzzle: Puzzle, a: int, b: int) -> bool:
    """Whether one of these kinds may stand wherever the other does, whatever else stands there."""
    matrices = [matrix for matrix in (*(c.kinds for c in puzzle.clashes), puzzle.scope_clash) if matrix]
    return (
        all(matrix[a] == matrix[b] for matrix in matrices)
        and all((a in kinds) == (b in kinds) for kinds in (*puzzle.domains, puzzle.quota_kinds))
        and puzzle.banned_with[a] == puzzle.banned_with[b]
    )


# Markers as a space


@dataclass(frozen=True)
class ListedMarkers:
    """A list of markers, a row each: read as `Fillings` of a diagram are, and as a `MarkerSearch`."""

    rows: Pieces

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.rows)

    def branches(self) -> NDArray[np.int64]:
        """Return how many there are, as the one branch of a search."""
        return np.array([self.total])

    def chunks(self) -> Iterator[Pieces]:
        """Yield all of them."""
        yield self.rows

    def unrank(self, ranks: Sequence[int], branches: object = None) -> Pieces:
        """Return those of these ranks."""
        return self.rows[list(ranks)]

    def rank(self, markers: Pieces, branches: object = None) -> list[int]:
        """Return the rank of each of these, -1 for those that are not in the list."""
        rows = self.rows.tolist()
        return [rows.index(row) if row in rows else -1 for row in markers.tolist()]


def marker_space(
    terrain: Sequence[str],
    rules: Rules,
    layout: Layout,
    budget: Budget,
) -> Fillings | ListedMarkers:
    """Return the markers on *terrain* by a diagram or a fixed order.

    Raises:
        InvalidRules: the rules have neither.
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
    return dealt_markers(terrain, limits, layout, budget)


def dealt_markers(
    terrain: Sequence[str],
    limits: MarkerLimits,
    layout: Layout,
    budget: Budget,
) -> Fillings | ListedMarkers:
    """Return the markers on *terrain* within *limits* by a diagram, or by a list of one or none.

    Interchangeable markers are one value of the diagram.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    puzzle = plain_puzzle(terrain, limits, layout)
    if puzzle is None or not puzzle.groups:
        return ListedMarkers(np.zeros((int(puzzle is not None), 0), dtype=np.uint8))  # none, or none to lay
    markers, *_ = _box(layout)
    return fillings_of(puzzle, markers, classes_of(puzzle.n_kinds, partial(_same, puzzle)), budget.build)
