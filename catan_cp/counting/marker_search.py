"""Every way to put markers on one terrain, counted, listed and ranked by compiled code.

With sums at vertices the states of a frontier hardly ever merge, so no decision diagram helps; what helps is
a search that fails early (`marker_kernel`), on tables that are made of the rules (`marker_tables`). It is
compiled by numba (the extra ``fast``); where numba is not installed, `marker_search` says so by returning
None, and a solver lists the same solutions, more slowly.

The *order* of solutions is lexicographic in the places of the tokens, twelves first, then elevens and so on
downwards; equal tokens are on tiles in rising order. It depends on the terrain, the rules and the layout
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, UNNUMBERED
from catan_cp.counting import marker_kernel as kernel
from catan_cp.counting.diagram import Progress
from catan_cp.counting.marker_tables import TableBuilder, Tables, highest_kinds
from catan_cp.interrupts import call_apart
from catan_cp.rules.declared import restrictions
from catan_cp.rules.restrictions import (
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    FixedMarkers,
    MarkersApart,
    TerrainPips,
    TerrainQuota,
)
from catan_cp.rules.rules import Rules

AT_ONCE = 2_000_000
"""The positions tried between two looks at progress and Ctrl-C: some hundredths of a second."""

MOST_TILES = 62
_BLOCK = 4096


@cache
def compiled() -> Any:
    """Return the kernel as numba's dispatcher, which compiles when first called; None without numba."""
    try:
        import numba
    except ImportError:
        return None

    def compile_one(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True)(function)
        except RuntimeError:  # no folder for numba's cache may be written: compiled anew in each process
            return numba.njit(function)

    kernel.tail_count = compile_one(kernel.tail_count)  # before the search, which calls it
    return compile_one(kernel.search)


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
        run = compiled()
        assert run is not None, "marker_search hands out no search where numba is missing"
        info = np.zeros(5, dtype=np.int64)
        rows = np.zeros((0, 0), dtype=np.uint8) if out is None else out
        aim = np.zeros(0, dtype=np.int64) if target is None else target
        state = self._state()
        while True:
            search = partial(run, *self.tables.parameters, first, aim, rows, AT_ONCE, info, *state)
            if run.signatures:
                search()
            else:  # the first call compiles, for some 20 s where numba has no cache yet
                call_apart(search)
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
        and compiled() is not None
    )


_KNOWN = (ApartOnTerrain, AtVertices, BarredMarkers, FixedMarkers, MarkersApart, TerrainPips, TerrainQuota)
