"""A search that counts, lists and ranks the marker arrangements on one terrain.

With sums at vertices, states of a frontier are hardly ever equal, so a decision diagram would be too large. A
depth-first search that fails early (`kernel`) is used instead. `MarkerRules` converts rules to its
tables once, and completes them for each terrain arrangement. Numba (the extra ``fast``) compiles the search.
Without Numba, Python runs it about a hundred times more slowly.

Solutions are ordered lexicographically by the positions of their tokens, the highest markers first. Equal
tokens have rising positions. The order depends on terrain, rules and layout alone. If the highest marker is
one token, each of its positions is a *branch* of the search, called *place* in the code. With the number of
solutions of each branch known, a rank is searched in one branch only, from the nearer end.

A *bare* tile has no marker, such as a desert.

A worked example: tokens 9, 9 and 2 on three tiles without rules have three arrangements. They are ordered by
the positions of the two nines: tiles 0 and 1, tiles 0 and 2, tiles 1 and 2. The nines are two tokens, so all
solutions are one branch. Each kind (0 for marker 2, 1 for marker 9) may take each of the three tiles.

>>> from catan_cp.boards.layout import Layout
>>> layout = Layout("three", (1, 2), terrain_counts={"wool": 3}, marker_supply={9: 2, 2: 1})
>>> search = marker_search(("wool", "wool", "wool"), Problem.of("open", layout))
>>> search.kinds, search.tables.token_kind.tolist(), search.has_branches
((2, 9), [1, 1, 0], False)
>>> [bin(mask) for mask in search.may.tolist()]
['0b111', '0b111']

The switches of a search, and the code that sets them:

    switch            set by                          meaning
    has_branches      the layout                      the highest marker is a single token
    possible          `MarkerRules.on`                False: tokens are too few, bare tiles break a rule, or
                                                      a tile with a fixed marker is bare
    info[BACKWARDS]   `MarkerSearch.arrays`           search from the last solution to the first
    *place*           `count`, `chunks`, `arrays`     search one branch only
    *short*           `arrays`                        the search is short, so Numba need not be loaded for it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.compiled import interpreted, is_fast, is_loaded, run
from catan_cp.counting.budget import UNLIMITED, Budget
from catan_cp.counting.frontier import mask_of
from catan_cp.counting.markers import numbered
from catan_cp.counting.spaces import Ints, Pieces
from catan_cp.counting.sums import kernel
from catan_cp.errors import SolverTimeout
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import MarkerTables
from catan_cp.rules.restrictions import MarkerPairs

COMPILED_AT_ONCE, PLAIN_AT_ONCE = 2_000_000, 20_000
"""The number of search steps between checks for Ctrl-C, compiled and in Python.

Either takes hundredths of a second.
"""

_PLAIN_MOST = 4_000
"""The number of solutions that Python passes in the time of loading Numba."""
_FIRST_SEARCH = iter([True])
"""Yields True once per process, for the first short search.

Python runs that search. For further searches, loading Numba saves time.
"""

_FIRST_LISTED, _LISTED_AT_ONCE = 100, 10_000
"""The first and the maximum size of a chunk of a listing. Chunks grow with the list."""

_NONE: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class MarkerSearch:
    """The search for the marker arrangements on one terrain arrangement.

    Attributes:
        kinds: the markers of the layout, in rising order.
        tiles: the tiles with a marker.
        tables: the rules for the kernel.
        may: the mask of tiles that may take each kind, at the start.
        met: the number of bare tiles of each vertex at the start. It is 2 for a vertex at the sea, which
            needs no check.
        possible: False if there are too few markers, bare tiles break the rules, or a tile with a fixed
            marker is bare.
        counted: the result of `branches` if known, which makes `arrays` and `ranks` faster.
    """

    kinds: tuple[int, ...]
    tiles: tuple[int, ...]
    tables: kernel.Tables
    may: Ints
    met: Ints
    possible: bool
    counted: Ints | None = None

    @property
    def total(self) -> int:
        """The number of solutions."""
        return self.count() if self.counted is None else int(self.counted.sum())

    @property
    def width(self) -> int:
        """The number of tiles."""
        return self.tables.n_tiles

    @property
    def has_branches(self) -> bool:
        """True if the highest marker is a single token."""
        return list(self.tables.token_kind[:2]).count(self.tables.token_kind[0]) == 1

    def count(self, budget: Budget = UNLIMITED, place: int | None = None) -> int:
        """Return the number of solutions, or of those of the branch *place*.

        Raises:
            SolverTimeout: the time limit passed. Its ``found`` is a lower bound.
        """
        state = self._start(place)
        try:
            self._run(state, budget)
        except SolverTimeout as timeout:
            timeout.found = int(state.info[kernel.COUNT])
            raise
        return int(state.info[kernel.COUNT])

    def branches(self, budget: Budget = UNLIMITED) -> Ints:
        """Return the number of solutions of each branch.

        A branch is a position of the highest marker: a tile, or the box, which comes last. Without branches,
        the result has only the number of all solutions.
        """
        places = range(self.tables.n_tiles + 1) if self.has_branches else (None,)
        return _ints([self.count(budget, place) for place in places])

    def chunks(self, place: int | None = None, budget: Budget = UNLIMITED) -> Iterator[Pieces]:
        """Yield the solutions in order, or those of the branch *place*, in arrays."""
        state = self._start(place)
        begin, size, n_rows = 0, _FIRST_LISTED, _FIRST_LISTED
        while n_rows == size:
            state.info[kernel.WRITTEN] = 0
            size = min(_LISTED_AT_ONCE, size + begin)
            rows = self._run(state, budget, np.arange(begin, begin + size))
            n_rows = len(rows)
            begin += n_rows
            yield rows

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the solutions of ranks."""
        branches = self.counted
        distinct, inverse = np.unique(_ints(ranks), return_inverse=True)
        if branches is None or not self.has_branches:
            return self._run(self._start(None), budget, distinct)[inverse.ravel()]
        ends = np.cumsum(branches)
        places = np.searchsorted(ends, distinct, side="right")
        rows = np.zeros((len(distinct), self.tables.n_tiles), dtype=np.uint8)
        for place in sorted(set(places.tolist())):
            in_branch = np.flatnonzero(places == place)
            after = ends[place] - 1 - distinct[in_branch]  # the number of later solutions of the branch
            passed = branches[place] - 1 - after
            backwards = int(passed[-1] > after[0])  # The end of the branch is nearer.
            if backwards:
                in_branch, passed = in_branch[::-1], after[::-1]
            state = self._start(place, short=passed[-1] <= _PLAIN_MOST)
            state.info[kernel.BACKWARDS] = backwards
            rows[in_branch] = self._run(state, budget, passed)
        return rows[inverse.ravel()]

    def ranks(self, rows: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each row of markers, or -1 if it is not a solution."""
        return [self._rank(row, budget) for row in rows]

    def _rank(self, row: NDArray[np.uint8], budget: Budget) -> int:
        """Return the rank of a row by listing its branch, or all solutions without `counted`."""
        place, before = None, 0
        if self.counted is not None and self.has_branches:
            place = int(np.append(np.flatnonzero(row == self.kinds[-1]), self.tables.n_tiles)[0])
            before = int(self.counted[:place].sum())
        for rows in self.chunks(place, budget):
            equal = np.flatnonzero((rows == row).all(axis=1))
            if len(equal):
                return before + int(equal[0])
            before += len(rows)
        return -1

    def _run(self, state: kernel.State, budget: Budget, ranks: Ints = _NONE) -> Pieces:
        """Continue the search, and return the solutions of *ranks*.

        Ranks beyond the last solution are left out.
        """
        search: Callable[..., None] = partial(run, kernel.search, check=budget.report)
        at_once = COMPILED_AT_ONCE
        out = np.zeros((len(ranks), self.tables.n_tiles), dtype=np.int64)
        arguments: Any = self.tables, state, np.ascontiguousarray(ranks), out
        if isinstance(state.info, list):
            search, at_once, arguments = interpreted(kernel.search), PLAIN_AT_ONCE, _as_lists(arguments)
        state.info[kernel.STATUS] = kernel.RUNNING
        while state.info[kernel.STATUS] == kernel.RUNNING:
            search(*arguments, at_once)
            budget.report(int(state.info[kernel.COUNT]), unit="arrangements")
        kinds = np.array(arguments[3], dtype=np.int64).reshape(-1, self.tables.n_tiles)
        rows = np.zeros((int(state.info[kernel.WRITTEN]), self.tables.n_tiles), dtype=np.uint8)
        rows[:, list(self.tiles)] = np.array(self.kinds)[kinds[: len(rows), list(self.tiles)]]
        return rows

    def _start(self, place: int | None, short: bool = False) -> kernel.State:
        """Return the initial state of a search of the branch *place*.

        If *place* is None, all branches are searched. The arrays are lists if plain Python runs the search.
        """
        tables, n_tokens, n_tiles = self.tables, len(self.tables.token_kind), self.tables.n_tiles
        may = np.zeros((n_tokens + 1, len(self.kinds)), dtype=np.int64)
        may[0] = self.may
        free = np.zeros(n_tokens + 1, dtype=np.int64)
        free[0] = mask_of(self.tiles)
        candidates = np.zeros(n_tokens + 1, dtype=np.int64)
        candidates[0] = int(self.may[-1]) | (1 << n_tiles if tables.spare else 0)
        if place is not None:
            candidates[0] &= 1 << place
        n_terrains, n_vertices = len(tables.scope_tiles), len(self.met)
        scopes = _ints(tables.scope)[list(self.tiles)]
        info = np.zeros(5, dtype=np.int64)
        info[kernel.DEPTH] = 0 if self.possible else -1
        arrays = kernel.State(
            may=may,
            free=free,
            candidates=candidates,
            position=np.full(n_tokens + 1, -1, dtype=np.int64),
            met=self.met.copy(),
            first=np.full(n_vertices, len(self.kinds), dtype=np.int64),
            quota_count=np.zeros((len(tables.quota_kinds), n_terrains), dtype=np.int64),
            scope_pips=np.zeros(n_terrains, dtype=np.int64),
            scope_free=np.bincount(scopes, minlength=n_terrains),
            info=info,
            tail=np.zeros((3, kernel.MOST_TAIL + 1), dtype=np.int64),
        )
        plain = (short and not is_loaded() and next(_FIRST_SEARCH, False)) or not is_fast()
        return _as_lists(arrays) if plain else arrays


def marker_search(terrain: Sequence[str], problem: Problem) -> MarkerSearch:
    """Return the search for markers on *terrain*. The problem must be searchable."""
    codes = problem.layout.terrain_codes
    return marker_rules(problem).on([codes[name] for name in terrain])


@lru_cache(maxsize=32)
def marker_rules(problem: Problem) -> MarkerRules:
    """Return the rules about markers for the search. The problem must be searchable."""
    assert problem.is_searchable and problem.markers is not None, "callers check this"
    return MarkerRules(problem.markers, problem.layout)


class MarkerRules:
    """The rules about markers on any terrain arrangement, as tables for the kernel.

    Args:
        limits: the rules about markers.
        layout: the layout.
    """

    def __init__(self, limits: MarkerTables, layout: Layout) -> None:
        self._limits, self._layout = limits, layout
        # Without markers, the search needs one token, which stays in the box.
        supply = dict(layout.marker_supply) or {MARKERS[0]: 1}
        self._kinds = kinds = tuple(marker for marker in MARKERS if supply.get(marker))
        self._tokens = [k for k in reversed(range(len(kinds))) for _ in range(supply[kinds[k]])]
        self._names = ("", *layout.all_terrains)
        self._barred = np.zeros((len(kinds), layout.n_tiles, len(kinds)), dtype=np.int64)
        for apart in limits.apart:
            near = np.zeros(layout.n_tiles, dtype=np.int64)
            for a, b in apart.pairs:
                near[a] |= 1 << b
                near[b] |= 1 << a
            self._barred |= self._exclusions(apart.excluded)[:, None, :] * near[:, None]
        self._on_terrain = np.zeros((len(kinds), len(kinds)), dtype=np.int64)
        for rule in limits.on_terrain:
            self._on_terrain |= self._exclusions(rule.excluded)
        self._vertices = _ints(
            [tiles for tiles in layout.vertex_tiles if len(tiles) == 3] if limits.vertices else []
        ).reshape(-1, 3)
        self._may = _ints([self._tiles_of(code) for code in range(len(self._names))])
        three = self._thirds()
        at = [np.flatnonzero((self._vertices == t).any(axis=1)).tolist() for t in range(layout.n_tiles)]
        most = 6 * layout.n_tiles
        log2 = np.zeros(67, dtype=np.int64)  # Modulo 67, the powers of two up to 2**65 all differ.
        for exponent in range(63):
            log2[(1 << exponent) % 67] = exponent
        arrays = {
            "token_kind": self._tokens,
            "fewer": [
                [sum(kind < bound for kind in self._tokens[begin:]) for bound in range(len(kinds))]
                for begin in range(len(self._tokens) + 1)
            ],
            "quota_kinds": [mask_of(k for k, m in enumerate(kinds) if m in q.markers) for q in limits.quotas],
            "quota_most": [quota.most for quota in limits.quotas],
            "pips": [pips(marker) for marker in kinds],
            "pips_min": [
                max((rule.least.get(name, 0) for rule in limits.pips), default=0) for name in self._names
            ],
            "pips_max": [
                min((rule.most.get(name, most) for rule in limits.pips), default=most) for name in self._names
            ],
            "tile_vertices": [(row + [-1] * 6)[:6] for row in at],
            "vertex_tiles": [mask_of(vertex) for vertex in self._vertices.tolist()],
            "allow_two": np.bitwise_or.reduce(three[:, :-1], axis=1),
            "allow_three": three,
            "log2": log2,
        }
        self._static = {name: _ints(values) for name, values in arrays.items()}
        self._tail = self._first_of_tail()

    def _exclusions(self, excluded: MarkerPairs) -> Ints:
        """Return the matrix of kinds that exclude each other."""
        return _ints([[(a, b) in excluded for b in self._kinds] for a in self._kinds])

    def _thirds(self) -> Ints:
        """Return, for each pair of kinds at a vertex, the mask of possible third kinds.

        The last row and column are for "no marker", which the masks omit.
        """
        markers, meet = [*self._kinds, None], self._limits.meet
        return _ints(
            [
                [mask_of(k for k, marker in enumerate(self._kinds) if meet([a, b, marker])) for b in markers]
                for a in markers
            ]
        )

    def _tiles_of(self, code: int) -> list[int]:
        """Return the mask of tiles that may take each kind if they have this terrain."""
        limits, layout, name = self._limits, self._layout, self._names[code]
        spent = {marker for quota in limits.quotas if quota.most < 1 for marker in quota.markers}
        carrying = [t for t in range(layout.n_tiles) if name and layout.carries_marker(t, name)]
        return [
            0 if marker in spent else mask_of(t for t in carrying if limits.may_carry(t, name, marker))
            for marker in self._kinds
        ]

    def _first_of_tail(self) -> int:
        """Return the first token of the tail, or -1 (see `kernel.tail_count`)."""
        tokens = self._tokens
        excluded = self._on_terrain.astype(bool) | self._barred.any(axis=1)
        limited = {
            k for k, marker in enumerate(self._kinds) for q in self._limits.quotas if marker in q.markers
        }
        for begin in range(max(1, len(tokens) - kernel.MOST_TAIL), len(tokens) - 1):
            kinds = sorted(set(tokens[begin:]))
            in_tail = mask_of(kinds)
            only_equal = all(not excluded[a, b] for a in kinds for b in kinds if a != b)
            meet = not (~self._static["allow_three"][:, kinds] & in_tail).any()
            if only_equal and meet and not limited & set(kinds) and not self._limits.pips:
                return begin
        return -1

    def branches(self, codes: Pieces, budget: Budget) -> Ints:
        """Return `MarkerSearch.branches` on a terrain arrangement."""
        return self.on(codes).branches(budget)

    def on(self, codes: Sequence[int] | Pieces, counted: Ints | None = None) -> MarkerSearch:
        """Return the search for markers on the terrain arrangement of these codes."""
        layout, limits, scope = self._layout, self._limits, _ints(codes)
        has_marker = numbered(scope[None].astype(np.uint8), layout)[0]
        tiles = np.flatnonzero(has_marker)
        bits = 1 << np.arange(layout.n_tiles, dtype=np.int64)
        scope_tiles = np.zeros(len(self._names), dtype=np.int64)
        np.bitwise_or.at(scope_tiles, scope, bits)
        same_terrain = scope_tiles[scope] & ~bits
        barred = self._barred | self._on_terrain[:, None, :] * same_terrain[:, None]
        may = np.bitwise_or.reduce(self._may[scope] & bits[:, None], axis=0)
        met, is_broken = self._bare_vertices(scope, has_marker, may)
        spare = len(self._tokens) - len(tiles)
        names = [self._names[code] for code in scope.tolist()]
        is_missed = any(rule.misses(names) for rule in limits.fixed)
        # The search adds pips tile by tile, so it never sees a terrain without a tile for a number token.
        bare = np.setdiff1d(scope, scope[has_marker]) if limits.pips else scope[:0]
        is_poor = bool(self._static["pips_min"][bare].any())
        tables = kernel.Tables(
            **self._static,
            n_tiles=layout.n_tiles,
            spare=spare,
            barred=barred,
            scope=scope,
            scope_tiles=scope_tiles,
            tail=-1 if spare else self._tail,
        )
        is_enough = sum(layout.marker_supply.values()) >= len(tiles)
        possible = is_enough and not (is_broken or is_missed or is_poor)
        return MarkerSearch(self._kinds, tuple(tiles.tolist()), tables, may, met, possible, counted)

    def _bare_vertices(self, codes: Ints, has_marker: NDArray[np.bool_], may: Ints) -> tuple[Ints, bool]:
        """Return the initial `MarkerSearch.met`, and True if bare tiles break a rule.

        Kinds that may not meet these bare tiles are removed from *may*. A vertex at the sea needs no check.
        """
        if not len(self._vertices):
            return _ints([]), False
        none, two, three = len(self._kinds), self._static["allow_two"], self._static["allow_three"]
        bare = (~has_marker)[self._vertices].sum(axis=1)
        by_sea = (codes[self._vertices] == self._layout.terrain_codes["sea"]).any(axis=1)
        for n_bare, allowed in ((1, two[none]), (2, three[none, none])):
            is_barred = ~allowed >> np.arange(none) & 1
            for tiles in self._vertices[(bare == n_bare) & ~by_sea].tolist():
                may &= ~(is_barred * mask_of(t for t in tiles if has_marker[t]))
        is_broken = bool(((bare == 3) & ~by_sea).any()) and not self._limits.meet([None] * 3)
        return np.where(by_sea, 2, bare).astype(np.int64), is_broken


def _as_lists(value: Any) -> Any:
    """Return a value with its arrays, also in tuples, as lists: faster in Python."""
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)(map(_as_lists, value))
    return value.tolist() if isinstance(value, np.ndarray) else value


def _ints(values: Any) -> Ints:
    return np.array(values, dtype=np.int64)
