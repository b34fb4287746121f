"""Every way to put markers on one terrain, counted, listed and ranked by compiled code.

With sums at vertices the states of a frontier hardly ever merge, so no decision diagram helps; what helps is
a search that fails early (`marker_kernel`), on tables that are made of the rules (`_tables`). It is
compiled by numba (the extra ``fast``); where numba is not installed, `marker_search` says so by returning
None, and a solver lists the same solutions, more slowly.

The *order* of solutions is lexicographic in the places of the tokens, twelves first, then elevens and so on
downwards; equal tokens are on tiles in rising order. It depends on the terrain, the rules and the layout
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.compiled import is_fast, run
from catan_cp.counting import marker_kernel as kernel
from catan_cp.counting.diagram import Pieces, Progress
from catan_cp.counting.listing import listed_markers
from catan_cp.counting.markers import ListedMarkers, MarkerLimits, all_limits, land_corners, numbered_tiles
from catan_cp.rules.rules import Rules, about

AT_ONCE = 2_000_000
"""The positions tried between two looks at progress and Ctrl-C: some hundredths of a second."""

MOST_TILES = 62


@dataclass(frozen=True)
class MarkerSearch:
    """The search for the markers of one terrain; see the module's docstring.

    Attributes:
        kinds: the markers in the box, in rising order.
        tables: what the kernel reads.
        met: what stands at the vertices at the start, -1 for nothing.
        domains: per tile, the kinds that it may take at the start.
    """

    kinds: tuple[int, ...]
    tables: kernel.Tables
    met: NDArray[np.int64]
    domains: NDArray[np.int64]

    @property
    def n_tiles(self) -> int:
        """How many tiles carry a marker."""
        return self.tables.n_tiles

    def count(self, progress: Progress | None = None) -> int:
        """Return how many ways there are."""
        return int(self._run(progress=progress)[kernel.COUNT])

    @cached_property
    def total(self) -> int:
        """How many ways there are, counted when this is first asked for."""
        return self.count()

    def unrank(self, ranks: Sequence[int]) -> Pieces:
        """Return the markers of these ranks: ranks in a row by one search, others by a search each."""
        n = len(ranks)
        if n > 1 and list(ranks) != list(range(ranks[0], ranks[0] + n)):
            return np.concatenate([self.unrank([rank]) for rank in ranks])
        out = np.zeros((n, self.n_tiles), dtype=np.uint8)
        if n:
            self._run(first=ranks[0], out=out)
        return np.array(self.kinds, dtype=np.uint8)[out]

    def rank(self, markers: Pieces) -> list[int]:
        """Return the rank of each of these, -1 for those that are no solution."""
        return [self._rank(row) for row in markers]

    def _rank(self, row: NDArray[np.uint8]) -> int:
        places = [np.flatnonzero(row == marker).tolist() for marker in self.kinds]
        supply = np.bincount(self.tables.token_kind, minlength=len(self.kinds)).tolist()
        boxed = [most - len(here) for here, most in zip(places, supply, strict=True)]
        if sum(map(len, places)) != self.n_tiles or min(boxed) < 0:
            return -1
        by_kind = [here + [self.n_tiles] * left for here, left in zip(places, boxed, strict=True)]
        info = self._run(target=_ints([place for here in reversed(by_kind) for place in here]))
        return int(info[kernel.COUNT]) if info[kernel.STATUS] == kernel.MET else -1

    def _run(
        self,
        first: int = 0,
        out: NDArray[np.uint8] | None = None,
        target: NDArray[np.int64] | None = None,
        progress: Progress | None = None,
    ) -> NDArray[np.int64]:
        """Return the kernel's *info* at the end of a search."""
        rows = np.zeros((0, 0), dtype=np.uint8) if out is None else out
        aim = _ints([]) if target is None else target
        state = self._start()
        while True:
            run(kernel.search, self.tables, state, first, aim, rows, AT_ONCE)
            if state.info[kernel.STATUS] != kernel.RUNNING:
                return state.info
            if progress is not None:
                progress(int(state.info[kernel.COUNT]), None)

    def _start(self) -> kernel.State:
        tables, n_tokens, n_tiles = self.tables, len(self.tables.token_kind), self.n_tiles
        domain = np.zeros((n_tokens + 1, n_tiles), dtype=np.int64)
        domain[0] = self.domains
        candidates = np.zeros(n_tokens + 1, dtype=np.uint64)
        candidates[0] = _mask(np.flatnonzero(self.domains >> tables.token_kind[0] & 1).tolist())
        if n_tokens > n_tiles:
            candidates[0] |= np.uint64(1 << n_tiles)
        n_terrains = len(tables.scope_tiles)
        return kernel.State(
            domain=domain,
            used=np.zeros(n_tokens + 1, dtype=np.uint64),
            candidates=candidates,
            position=np.full(n_tokens + 1, -1, dtype=np.int64),
            met=self.met.copy(),
            quota_count=np.zeros((len(tables.quota_kinds), n_terrains), dtype=np.int64),
            scope_pips=np.zeros(n_terrains, dtype=np.int64),
            scope_free=np.bincount(tables.scope, minlength=n_terrains),
            info=np.zeros(4, dtype=np.int64),
            room=np.zeros(len(self.kinds) + 2, dtype=np.int64),
            scratch=np.zeros((4, kernel.MOST_TAIL), dtype=np.uint64),
        )


def marker_search(terrain: Sequence[str], rules: Rules, layout: Layout) -> MarkerSearch | None:
    """Return the search for markers on *terrain*.

    None where numba is missing, a rule is not known to it, or there is nothing to search: no tile to number,
    or fewer markers than tiles (`without_search`).
    """
    limits = all_limits(rules, layout)
    if limits is None or not can_search(rules, layout) or without_search(terrain, rules, layout) is not None:
        return None
    tiles = tuple(numbered_tiles(terrain, layout))
    kinds = tuple(marker for marker in MARKERS if layout.marker_supply.get(marker))
    tables = _tables(terrain, tiles, kinds, limits, rules, layout)
    met, domains = _start(terrain, tiles, kinds, limits, tables)
    return MarkerSearch(kinds, tables, met, domains)


def without_search(terrain: Sequence[str], rules: Rules, layout: Layout) -> int | None:
    """Return how many ways there are, 0 or 1, where that needs no search; None where it does."""
    tiles = len(numbered_tiles(terrain, layout))
    limits = all_limits(rules, layout)
    if tiles > sum(layout.marker_supply.values()):
        return 0
    if limits is not None and any(each.misses(terrain) for each in limits.fixed):
        return 0
    if tiles:
        return None
    return int(limits is None or not land_corners(terrain, layout) or limits.meet([None] * 3))


def can_search(rules: Rules, layout: Layout) -> bool:
    """Whether numba is there, and the search knows every rule about markers."""
    known = all_limits(rules, layout) is not None and layout.special_demand is None
    return known and layout.n_tiles <= MOST_TILES and is_fast()


def searched_space(terrain: Sequence[str], rules: Rules, layout: Layout) -> MarkerSearch | ListedMarkers:
    """Return the markers on *terrain* by compiled search, else as a solver lists them, in the same order."""
    ways = without_search(terrain, rules, layout)
    if ways is not None:
        return ListedMarkers(((),) * ways)
    search = marker_search(terrain, rules, layout)
    if search is not None:
        return search
    tiles = numbered_tiles(terrain, layout)
    rows = in_token_order(terrain, layout, listed_markers(terrain, about(rules, "markers"), layout))
    return ListedMarkers(tuple(tuple(row[t] or 0 for t in tiles) for row in rows))


def in_token_order(
    terrain: Sequence[str], layout: Layout, rows: Iterable[Sequence[int | None]]
) -> tuple[tuple[int | None, ...], ...]:
    """Return markers sorted as the search orders them: by the tiles of the 12s, then of the 11s, ..."""
    tiles = numbered_tiles(terrain, layout)
    every = [tuple(row) for row in rows]
    if not every or not tiles:
        return tuple(every)
    here = np.array([[row[t] or 0 for t in tiles] for row in every])
    columns: list[NDArray[np.int64]] = []
    for marker in sorted(layout.marker_supply, reverse=True):
        places = np.where(here == marker, np.arange(len(tiles)), len(tiles))  # a token in the box comes last
        columns.extend(np.sort(places, axis=1)[:, : layout.marker_supply[marker]].T)
    return tuple(every[row] for row in np.lexsort(columns[::-1]))


def _tables(
    terrain: Sequence[str],
    tiles: tuple[int, ...],
    kinds: tuple[int, ...],
    limits: MarkerLimits,
    rules: Rules,
    layout: Layout,
) -> kernel.Tables:
    """Return what the kernel reads."""
    tokens = [k for k in reversed(range(len(kinds))) for _ in range(layout.marker_supply[kinds[k]])]
    names = sorted({terrain[t] for t in tiles})
    scope = [names.index(terrain[t]) for t in tiles]
    scope_tiles = [_mask(i for i, s in enumerate(scope) if s == number) for number in range(len(names))]
    vertices = _vertices(terrain, tiles, limits, layout)
    at = [[w for w, three in enumerate(vertices) if i in three] for i in range(len(tiles))]
    two, three = _meeting(rules, layout, kinds)
    place = {t: i for i, t in enumerate(tiles)}
    near = []
    for apart in limits.apart:
        pairs = [(place[a], place[b]) for a, b in apart.pairs if a in place and b in place]
        both = [*pairs, *((b, a) for a, b in pairs)]
        near.append([_mask({b for a, b in both if a == i}) for i in range(len(tiles))])
    near += [[scope_tiles[s] & ~(1 << i) for i, s in enumerate(scope)] for _ in limits.on_terrain]
    clashes = [*(each.clash for each in limits.apart), *(each.clash for each in limits.on_terrain)]
    clash = [[_mask(k for k, b in enumerate(kinds) if bad(a, b)) for a in kinds] for bad in clashes]
    most = 6 * len(tiles)
    tables = kernel.Tables(
        token_kind=_ints(tokens),
        n_tiles=len(tiles),
        fewer=_ints(
            [
                [sum(kind < bound for kind in tokens[begin:]) for bound in range(len(kinds) + 1)]
                for begin in range(len(tokens) + 1)
            ]
        ),
        clash_near=_masks(near).reshape(-1, len(tiles)),
        clash_kinds=_ints(clash).reshape(-1, len(kinds)),
        scope=_ints(scope),
        scope_tiles=_masks(scope_tiles),
        quota_kinds=_ints([_mask(k for k, m in enumerate(kinds) if m in q.markers) for q in limits.quotas]),
        quota_most=_ints([quota.most for quota in limits.quotas]),
        pips=_ints([pips(marker) for marker in kinds]),
        pips_min=_ints([max((each.least.get(name, 0) for each in limits.pips), default=0) for name in names]),
        pips_max=_ints(
            [min((each.most.get(name, most) for each in limits.pips), default=most) for name in names]
        ),
        vertex_tiles=_ints(vertices).reshape(-1, 3),
        tile_vertices=_ints([(row + [-1] * 6)[:6] for row in at]),
        allow_two=_ints(two),
        allow_three=_ints(three),
        tail=-1,
        highest=_highest_kinds(len(kinds)),
    )
    return tables._replace(tail=_tail(tables))


def _vertices(
    terrain: Sequence[str], tiles: tuple[int, ...], limits: MarkerLimits, layout: Layout
) -> list[list[int]]:
    """Return the tiles of each vertex of three land tiles, by their place in *tiles*, -1 for none."""
    place = {t: i for i, t in enumerate(tiles)}
    corners = land_corners(terrain, layout) if limits.vertices else []
    return [[place.get(t, -1) for t in corner] for corner in corners]


def _tail(tables: kernel.Tables) -> int:
    """Return the first token from which on nothing but domains and equal markers matter; -1 for none."""
    tokens, three = tables.token_kind.tolist(), tables.allow_three
    sizes = np.bincount(tables.scope, minlength=len(tables.scope_tiles))
    pips_matter = (tables.pips_min > sizes).any() or (tables.pips_max < 5 * sizes).any()
    if len(tokens) != tables.n_tiles or pips_matter:
        return -1
    for begin in range(max(1, len(tokens) - kernel.MOST_TAIL), len(tokens) - 1):
        kinds = sorted(set(tokens[begin:]))
        left = _mask(kinds)
        only_equal = all(not row[k] & left & ~(1 << k) for row in tables.clash_kinds for k in kinds)
        meet = all(row[k] & left == left for row in three for k in kinds)
        if only_equal and meet and not (tables.quota_kinds & left).any():
            return begin
    return -1


def _start(
    terrain: Sequence[str],
    tiles: tuple[int, ...],
    kinds: tuple[int, ...],
    limits: MarkerLimits,
    tables: kernel.Tables,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what stands at the vertices at the start, and the domains that this leaves."""
    none = len(kinds)
    spent = {marker for quota in limits.quotas if quota.most < 1 for marker in quota.markers}
    domains = [
        _mask(k for k, m in enumerate(kinds) if m not in spent and limits.may_carry(t, terrain[t], m))
        for t in tiles
    ]
    met = np.full(tables.vertex_tiles.shape, -1, dtype=np.int64)
    for w, three in enumerate(tables.vertex_tiles.tolist()):
        bare = three.count(-1)
        met[w, :bare] = none
        if bare == 3 and not limits.meet([None] * 3):
            domains = [0] * len(tiles)  # deserts alone break the rule, so nothing can be numbered
        allowed = (-1, tables.allow_two[none], tables.allow_three[none, none], -1)[bare]
        for t in three:
            if t >= 0:
                domains[t] &= int(allowed)
    return met, _ints(domains)


@lru_cache(maxsize=32)
def _meeting(rules: Rules, layout: Layout, kinds: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    """Return which kinds may be the third at a vertex with one, and with two others, as masks.

    The last kind stands for no marker. Every terrain of a layout has the same, and it takes a while.
    """
    limits = all_limits(rules, layout)
    assert limits is not None, "asked for rules that the search knows"
    markers: list[int | None] = [*kinds, None]
    three = [
        [_mask(k for k, marker in enumerate(kinds) if limits.meet([a, b, marker])) for b in markers]
        for a in markers
    ]
    return [reduce(or_, row[:-1]) for row in three], three


@cache
def _highest_kinds(n_kinds: int) -> NDArray[np.int64]:
    """Return, per mask of kinds, its highest kind, -1 for none."""
    return _ints([mask.bit_length() - 1 for mask in range(1 << n_kinds)])


def _mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _masks(values: Any) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)
