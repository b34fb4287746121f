"""Every way to put markers on one terrain, counted, listed and ranked by compiled code.

With sums at vertices the states of a frontier hardly ever merge, so no decision diagram helps; what helps is
a search that fails early (`marker_kernel`), on tables that are made of the rules (`TableBuilder`). It is
compiled by numba (the extra ``fast``); where numba is not installed, `marker_search` says so by returning
None, and a solver lists the same solutions, more slowly.

The *order* of solutions is lexicographic in the places of the tokens, twelves first, then elevens and so on
downwards; equal tokens are on tiles in rising order. It depends on the terrain, the rules and the layout
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, UNNUMBERED, pips
from catan_cp.compiled import is_fast, run
from catan_cp.counting import marker_kernel as kernel
from catan_cp.counting.diagram import Progress
from catan_cp.rules.rule import (
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    FixedMarkers,
    MarkersApart,
    TerrainPips,
    TerrainQuota,
)
from catan_cp.rules.rules import Rules, restrictions


@dataclass(frozen=True)
class Tables:
    """What the kernel reads, and the state in which it starts.

    Attributes:
        parameters: its first parameters, in their order.
        start: the domains at the start: per tile, a mask of kinds.
        met: per vertex, what has no marker there; see the kernel.
        n_quotas: how many quotas there are.
        scope_sizes: how many of the tiles are of each terrain.
    """

    parameters: tuple[Any, ...]
    start: NDArray[np.int64]
    met: NDArray[np.int64]
    n_quotas: int
    scope_sizes: tuple[int, ...]


@dataclass(frozen=True)
class TableBuilder:
    """What the tables are made of.

    Attributes:
        terrain: the terrain.
        tiles: the tiles that carry a marker, in rising order.
        kinds: the markers in the box, in rising order.
        tokens: the kind of each token, highest first.
        rules: the rules.
        layout: the layout.
        known: the restrictions that the rules declare.
    """

    terrain: tuple[str, ...]
    tiles: tuple[int, ...]
    kinds: tuple[int, ...]
    tokens: tuple[int, ...]
    rules: Rules
    layout: Layout
    known: Sequence[Any]

    def tables(self) -> Tables:
        """Return the tables."""
        vertices = self._vertices()
        two, three = _meeting(self.rules, self.layout, self.kinds)
        names = sorted({self.terrain[t] for t in self.tiles})
        scope = [names.index(self.terrain[t]) for t in self.tiles]
        scope_tiles = [
            self._mask(i for i, s in enumerate(scope) if s == number) for number in range(len(names))
        ]
        near, clash = self._clashes(scope, scope_tiles)
        quotas = [each for each in self.known if isinstance(each, TerrainQuota)]
        quota_kinds = [sum(1 << k for k, m in enumerate(self.kinds) if m in q.markers) for q in quotas]
        low, high = self._pips_bounds(names)
        met, start = self._start(vertices, two, three, quotas, quota_kinds)
        tail = self._tail(clash, three, quota_kinds, low, high, [scope.count(s) for s in range(len(names))])
        n_kinds = len(self.kinds)
        fewer = [
            [sum(kind < bound for kind in self.tokens[begin:]) for bound in range(n_kinds + 1)]
            for begin in range(len(self.tokens) + 1)
        ]
        every = self._mask(range(len(self.tiles) + 1))
        parameters = (
            _ints(self.tokens),
            _masks([every] * len(self.tokens)),
            len(self.tiles),
            _ints(fewer),
            _masks(near).reshape(-1, len(self.tiles)),
            _ints(clash).reshape(-1, n_kinds),
            _ints(scope),
            _masks(scope_tiles),
            _ints(quota_kinds),
            _ints([q.most for q in quotas]),
            _ints([pips(marker) for marker in self.kinds]),
            _ints(low),
            _ints(high),
            _ints(vertices).reshape(-1, 3),
            _ints(self._tile_vertices(vertices)),
            _ints(two),
            _ints(three),
            tail,
        )
        sizes = tuple(scope.count(number) for number in range(len(names)))
        return Tables(parameters, start, met, len(quotas), sizes)

    def _mask(self, tiles: Any) -> int:
        return sum(1 << t for t in tiles)

    def _vertices(self) -> list[list[int]]:
        """The tiles of each vertex of three land tiles, by their place among the numbered, -1 for none."""
        if not any(isinstance(each, AtVertices) for each in self.known):
            return []
        place = {t: i for i, t in enumerate(self.tiles)}
        return [
            [place.get(t, -1) for t in tiles]
            for tiles in self.layout.vertex_tiles
            if len(tiles) == 3 and all(self.terrain[t] != "sea" for t in tiles)
        ]

    def _tile_vertices(self, vertices: Sequence[Sequence[int]]) -> list[list[int]]:
        at = [[w for w, three in enumerate(vertices) if t in three] for t in range(len(self.tiles))]
        return [(row + [-1] * 6)[:6] for row in at]

    def _clashes(
        self, scope: Sequence[int], scope_tiles: Sequence[int]
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Per clash, the tiles on which each tile rules kinds out, and which kinds each kind rules out."""
        near, clash = [], []
        for each in self.known:
            if isinstance(each, MarkersApart):
                place = {t: i for i, t in enumerate(self.tiles)}
                row = [0] * len(self.tiles)
                for a, b in each.pairs:
                    if a in place and b in place:
                        row[place[a]] |= 1 << place[b]
                        row[place[b]] |= 1 << place[a]
            elif isinstance(each, ApartOnTerrain):
                row = [scope_tiles[s] & ~(1 << i) for i, s in enumerate(scope)]
            else:
                continue
            near.append(row)
            clash.append(
                [sum(1 << k for k, b in enumerate(self.kinds) if each.clash(a, b)) for a in self.kinds]
            )
        return near, clash

    def _pips_bounds(self, names: Sequence[str]) -> tuple[list[int], list[int]]:
        bounds = [each for each in self.known if isinstance(each, TerrainPips)]
        most = 6 * len(self.tiles)
        low = [max((each.least.get(name, 0) for each in bounds), default=0) for name in names]
        high = [min((each.most.get(name, most) for each in bounds), default=most) for name in names]
        return low, high

    def _start(
        self,
        vertices: Sequence[Sequence[int]],
        two: Sequence[int],
        three: Sequence[Sequence[int]],
        quotas: Sequence[TerrainQuota],
        quota_kinds: Sequence[int],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What stands at the vertices at the start, and the domains that this leaves."""
        none = len(self.kinds)
        start = [(1 << none) - 1] * len(self.tiles)
        met = np.full((len(vertices), 3), -1, dtype=np.int64)
        for w, tiles in enumerate(vertices):
            bare = [none] * tiles.count(-1)
            met[w, : len(bare)] = bare
            if len(bare) == 3 and not all(
                r.allowed([None] * 3) for r in self.known if isinstance(r, AtVertices)
            ):
                start = [0] * len(self.tiles)  # deserts alone break the rule, so nothing can be numbered
            allowed = {0: -1, 1: two[none], 2: three[none][none]}.get(len(bare), -1)
            for t in tiles:
                if t >= 0:
                    start[t] &= allowed
        for i, t in enumerate(self.tiles):
            for each in self.known:
                if isinstance(each, FixedMarkers):
                    for tile, given in each.markers:
                        if tile == t:
                            start[i] &= sum(1 << k for k, marker in enumerate(self.kinds) if marker == given)
                if isinstance(each, BarredMarkers):
                    for k, marker in enumerate(self.kinds):
                        if each.barred(self.terrain[t], marker):
                            start[i] &= ~(1 << k)
            for quota, kinds in zip(quotas, quota_kinds, strict=True):
                if quota.most < 1:
                    start[i] &= ~kinds
        return met, _ints(start)

    def _tail(
        self,
        clash: Sequence[Sequence[int]],
        three: Sequence[Sequence[int]],
        quota_kinds: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        sizes: Sequence[int],
    ) -> int:
        """The first token from which on nothing but domains and equal markers matter; -1 for none."""
        n_tokens = len(self.tokens)
        pips_matter = any(a > size or b < 5 * size for a, b, size in zip(low, high, sizes, strict=True))
        if n_tokens != len(self.tiles) or pips_matter:
            return -1
        for begin in range(max(1, n_tokens - kernel.MOST_TAIL), n_tokens - 1):
            left = sum(1 << k for k in set(self.tokens[begin:]))
            kinds = sorted(set(self.tokens[begin:]))
            only_equal = all(row[k] & left & ~(1 << k) == 0 for row in clash for k in kinds)
            no_quota = all(mask & left == 0 for mask in quota_kinds)
            meet = all(three[a][b] & left == left for a in range(len(self.kinds) + 1) for b in kinds)
            if only_equal and no_quota and meet:
                return begin
        return -1


@lru_cache(maxsize=32)
def _meeting(rules: Rules, layout: Layout, kinds: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    """Return which kinds may be the third at a vertex with one, and with two others, as masks.

    The last kind stands for no marker. Every terrain of a layout has the same, and it takes a while.
    """
    markers: list[int | None] = [*kinds, None]
    known = [each for each in restrictions(rules, layout, "markers") or () if isinstance(each, AtVertices)]
    n = len(markers)
    three = [[0] * n for _ in markers]
    for a, b in product(range(n), repeat=2):
        for k, marker in enumerate(kinds):
            if all(each.allowed([markers[a], markers[b], marker]) for each in known):
                three[a][b] |= 1 << k
    two = [0] * n
    for a in range(n):
        for b in range(len(kinds)):
            two[a] |= three[a][b]
    return two, three


@cache
def highest_kinds(n_kinds: int) -> NDArray[np.int64]:
    """Return, per mask of kinds, its highest kind, -1 for none."""
    return _ints([mask.bit_length() - 1 for mask in range(1 << n_kinds)])


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _masks(values: Any) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)


AT_ONCE = 2_000_000
"""The positions tried between two looks at progress and Ctrl-C: some hundredths of a second."""

MOST_TILES = 62
_BLOCK = 4096


@dataclass(frozen=True)
class MarkerSearch:
    """The search for the markers of one terrain; see the module's docstring.

    Attributes:
        tiles: the tiles that carry a marker, in rising order.
        n_tiles: how many tiles the layout has.
        kinds: the markers in the box, in rising order.
        tokens: the kind of each token, highest first.
        tables: what the kernel reads.
    """

    tiles: tuple[int, ...]
    n_tiles: int
    kinds: tuple[int, ...]
    tokens: tuple[int, ...]
    tables: Tables

    def count(self, progress: Progress | None = None) -> int:
        """Return how many ways there are."""
        return self._run(progress=progress)[0]

    def listing(self, first: int = 0, size: int = _BLOCK) -> NDArray[np.uint8]:
        """Return the solutions of rank *first* and up, at most *size*, as markers: shape (n, layout's tiles).

        0 stands for no marker.
        """
        out = np.zeros((size, len(self.tiles)), dtype=np.uint8)
        _, written, _ = self._run(first=first, out=out)
        found = np.zeros((written, self.n_tiles), dtype=np.uint8)
        found[:, list(self.tiles)] = np.array(self.kinds, dtype=np.uint8)[out[:written]]
        return found

    def rank(self, markers: Sequence[int | None]) -> int | None:
        """Return the rank of these markers, one or None a tile; None where they are no solution."""
        places = {kind: [i for i, t in enumerate(self.tiles) if markers[t] == kind] for kind in self.kinds}
        if sum(map(len, places.values())) != len(self.tiles):
            return None
        box = len(self.tiles)
        target = []
        for kind, marker in enumerate(self.kinds):
            supply = self.tokens.count(kind)
            here = places[marker]
            if len(here) > supply:
                return None
            target.append(here + [box] * (supply - len(here)))
        flat = [place for kind in reversed(range(len(self.kinds))) for place in target[kind]]
        return self._run(target=np.array(flat, dtype=np.int64))[2]

    def _run(
        self,
        first: int = 0,
        out: NDArray[np.uint8] | None = None,
        target: NDArray[np.int64] | None = None,
        progress: Progress | None = None,
    ) -> tuple[int, int, int | None]:
        """Return how many solutions were passed, how many written, and the target's rank."""
        assert is_fast(), "marker_search hands out no search where numba is missing"
        info = np.zeros(5, dtype=np.int64)
        rows = np.zeros((0, 0), dtype=np.uint8) if out is None else out
        aim = np.zeros(0, dtype=np.int64) if target is None else target
        state = self._state()
        while True:
            run(kernel.search, *self.tables.parameters, first, aim, rows, AT_ONCE, info, *state)
            if info[kernel.STATUS] != kernel.RUNNING:
                break
            if progress is not None:
                progress(int(info[kernel.COUNT]), None)
        met = int(info[kernel.COUNT]) if info[kernel.STATUS] == kernel.MET else None
        return int(info[kernel.COUNT]), int(info[kernel.WRITTEN]), met

    def _state(self) -> tuple[Any, ...]:
        n_tokens, n_tiles, tables = len(self.tokens), len(self.tiles), self.tables
        domain = np.zeros((n_tokens + 1, n_tiles), dtype=np.int64)
        domain[0] = tables.start
        candidates = np.zeros(n_tokens + 1, dtype=np.uint64)
        first = sum(1 << t for t in range(n_tiles) if tables.start[t] >> self.tokens[0] & 1)
        candidates[0] = first | (1 << n_tiles if n_tokens > n_tiles else 0)
        return (
            domain,
            np.zeros(n_tokens + 1, dtype=np.uint64),
            candidates,
            np.full(n_tokens + 1, -1, dtype=np.int64),
            tables.met.copy(),
            np.zeros((tables.n_quotas, len(tables.scope_sizes)), dtype=np.int64),
            np.zeros(len(tables.scope_sizes), dtype=np.int64),
            np.array(tables.scope_sizes, dtype=np.int64),
            highest_kinds(len(self.kinds)),
        )


def marker_search(terrain: Sequence[str], rules: Rules, layout: Layout) -> MarkerSearch | None:
    """Return the search for markers on *terrain*.

    None where numba is missing, a rule is not known to it, or there is nothing to search: no tile to number,
    or fewer markers than tiles (`without_search`).
    """
    known = restrictions(rules, layout, "markers")
    if known is None or not can_search(rules, layout) or without_search(terrain, rules, layout) is not None:
        return None
    tiles = tuple(t for t, name in enumerate(terrain) if name not in UNNUMBERED)
    kinds = tuple(marker for marker in MARKERS if layout.marker_supply.get(marker))
    tokens = tuple(
        kind for kind in reversed(range(len(kinds))) for _ in range(layout.marker_supply[kinds[kind]])
    )
    tables = TableBuilder(tuple(terrain), tiles, kinds, tokens, rules, layout, known).tables()
    return MarkerSearch(tiles, layout.n_tiles, kinds, tokens, tables)


def without_search(terrain: Sequence[str], rules: Rules, layout: Layout) -> int | None:
    """Return how many ways there are, 0 or 1, where that needs no search; None where it does."""
    tiles = sum(name not in UNNUMBERED for name in terrain)
    known = restrictions(rules, layout, "markers") or []
    if tiles > sum(layout.marker_supply.values()):
        return 0
    if any(isinstance(each, FixedMarkers) and each.misses(terrain) for each in known):
        return 0
    if tiles:
        return None
    at_vertices = [each for each in known if isinstance(each, AtVertices)]
    deserts = [all(terrain[t] == "desert" for t in three) for three in layout.vertex_tiles if len(three) == 3]
    return int(not any(deserts) or all(each.allowed([None] * 3) for each in at_vertices))


def can_search(rules: Rules, layout: Layout) -> bool:
    """Whether numba is there, and the search knows every rule about markers."""
    known = restrictions(rules, layout, "markers")
    return (
        known is not None
        and all(isinstance(each, _KNOWN) for each in known)
        and layout.special_demand is None
        and layout.n_tiles <= MOST_TILES
        and is_fast()
    )


_KNOWN = (ApartOnTerrain, AtVertices, BarredMarkers, FixedMarkers, MarkersApart, TerrainPips, TerrainQuota)
