"""Every way to put markers on one terrain, counted, listed and ranked by a search of our own.

With sums at vertices the states of a frontier hardly ever merge, so no decision diagram helps; what helps is
a search that fails early (`marker_kernel`), on tables that are made of the rules once, and completed for each
terrain (`MarkerRules`). Numba (the extra ``fast``) compiles it; where that is not installed, Python runs the
same search, some hundred times slower.

The *order* of solutions is lexicographic in the places of the tokens, twelves first, then elevens and so on
downwards; equal tokens are on tiles in rising order. It depends on the terrain, the rules and the layout
alone. Where the highest marker is one token, its places are the *branches* of the search: with the number of
solutions of each known, a rank is searched for in one branch alone, from its nearer end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.compiled import interpreted, is_fast, is_loaded, run
from catan_cp.counting import marker_kernel as kernel
from catan_cp.counting.diagram import Pieces
from catan_cp.counting.markers import MarkerLimits, all_limits, numbered
from catan_cp.progress import Progress, Watch
from catan_cp.rules.rules import Rules

COMPILED_AT_ONCE, PLAIN_AT_ONCE = 2_000_000, 20_000
"""The positions tried between two looks at progress and Ctrl-C: some hundredths of a second."""

_PLAIN_MOST = 4_000
"""So many solutions plain Python passes sooner than it loads numba."""
_FIRST = iter([True])
"""Gives True for the first board of a process alone: whoever asks for a second one may ask for many."""

MOST_TILES = 62

_FIRST_LISTED, _LISTED_AT_ONCE = 100, 10_000

Ints = NDArray[np.int64]
_NONE: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class MarkerSearch:
    """The search for the markers of one terrain; see the module's docstring.

    Attributes:
        kinds: the markers in the box, in rising order.
        tiles: the tiles that carry a marker.
        tables: what the kernel reads.
        may: per kind, the tiles that it may lie on at the start, as a mask.
        met: per vertex, how many of its tiles carry no marker; 2 where the vertex bars nothing later.
        possible: False where bare tiles break the rules, or markers are too few.
    """

    kinds: tuple[int, ...]
    tiles: tuple[int, ...]
    tables: kernel.Tables
    may: Ints
    met: Ints
    possible: bool

    @property
    def has_branches(self) -> bool:
        """Whether the highest marker is one token."""
        return _is_one(self.tables.token_kind)

    def count(self, watch: Watch | None = None, place: int | None = None) -> int:
        """Return how many ways there are, or how many with the highest marker at that place."""
        state = self._start(place)
        self._run(state, watch=watch)
        return int(state.info[kernel.COUNT])

    def branches(self) -> Ints:
        """Return how many ways there are by the tile of the highest marker, in the box (last) included.

        Without branches, one number is that of all ways.
        """
        places = range(self.tables.n_tiles + 1) if self.has_branches else (None,)
        return _ints([self.count(place=place) for place in places])

    def chunks(self, place: int | None = None) -> Iterator[Pieces]:
        """Yield the markers in their order, a row each, some at a time; of one branch where it is given."""
        state = self._start(place)
        begin, size, found = 0, _FIRST_LISTED, _FIRST_LISTED
        while found == size:
            state.info[kernel.WRITTEN] = 0
            size = min(_LISTED_AT_ONCE, size + begin)
            rows = self._run(state, wanted=np.arange(begin, begin + size))
            found = len(rows)
            begin += found
            yield rows

    def unrank(self, ranks: Sequence[int], branches: Ints | None = None) -> Pieces:
        """Return the markers of these ranks, which are found sooner by *branches* that are known."""
        wanted, back = np.unique(_ints(ranks), return_inverse=True)
        if branches is None or not self.has_branches:
            return self._run(self._start(None), wanted)[back.ravel()]
        ends = np.cumsum(branches)
        where = np.searchsorted(ends, wanted, side="right")
        found = np.zeros((len(wanted), self.tables.n_tiles), dtype=np.uint8)
        for place in sorted(set(where.tolist())):
            rows = np.flatnonzero(where == place)
            after = ends[place] - 1 - wanted[rows]  # how many solutions of the branch come later
            passed = branches[place] - 1 - after
            backwards = int(passed[-1] > after[0])  # it is shorter from the end
            if backwards:
                rows, passed = rows[::-1], after[::-1]
            state = self._start(place, short=passed[-1] <= _PLAIN_MOST)
            state.info[kernel.BACKWARDS] = backwards
            found[rows] = self._run(state, passed)
        return found[back.ravel()]

    def rank(self, rows: Pieces, branches: Ints | None = None) -> list[int]:
        """Return the rank of the markers of each row, -1 where they are no solution."""
        return [self._rank(row, branches) for row in rows]

    def _rank(self, row: NDArray[np.uint8], branches: Ints | None) -> int:
        """List the solutions, those with the highest marker at its place where *branches* are known."""
        place, before = None, 0
        if branches is not None and self.has_branches:
            place = int(np.append(np.flatnonzero(row == self.kinds[-1]), self.tables.n_tiles)[0])
            before = int(branches[:place].sum())
        for listed in self.chunks(place=place):
            here = np.flatnonzero((listed == row).all(axis=1))
            if len(here):
                return before + int(here[0])
            before += len(listed)
        return -1

    def _run(self, state: kernel.State, wanted: Ints = _NONE, watch: Watch | None = None) -> Pieces:
        """Search on, and return the solutions of the wanted ranks, as many as there are, a row each."""
        search: Callable[..., None] = partial(run, kernel.search)
        at_once = COMPILED_AT_ONCE
        out = np.zeros((len(wanted), self.tables.n_tiles), dtype=np.int64)
        given: Any = self.tables, state, np.ascontiguousarray(wanted), out
        if isinstance(state.info, list):
            search, at_once, given = interpreted(kernel.search), PLAIN_AT_ONCE, _listed(given)
        state.info[kernel.STATUS] = kernel.RUNNING
        while state.info[kernel.STATUS] == kernel.RUNNING:
            search(*given, at_once)
            if watch is not None:
                watch(Progress(int(state.info[kernel.COUNT]), unit="arrangements"))
        kinds = np.array(given[3], dtype=np.int64).reshape(-1, self.tables.n_tiles)
        found = np.zeros((int(state.info[kernel.WRITTEN]), self.tables.n_tiles), dtype=np.uint8)
        found[:, list(self.tiles)] = np.array(self.kinds)[kinds[: len(found), list(self.tiles)]]
        return found

    def _start(self, place: int | None, short: bool = False) -> kernel.State:
        """Return the state before a search of one branch, or of all, in lists where plain Python searches."""
        tables, n_tokens, n_tiles = self.tables, len(self.tables.token_kind), self.tables.n_tiles
        may = np.zeros((n_tokens + 1, len(self.kinds)), dtype=np.int64)
        may[0] = self.may
        free = np.zeros(n_tokens + 1, dtype=np.int64)
        free[0] = _mask(self.tiles)
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
        plain = (short and not is_loaded() and next(_FIRST, False)) or not is_fast()
        return _listed(arrays) if plain else arrays


def marker_rules(rules: Rules, layout: Layout) -> MarkerRules | None:
    """Return what the search reads of rules; None where a rule is not known to it."""
    if layout.special_demand is not None or layout.n_tiles > MOST_TILES:
        return None
    return None if all_limits(rules, layout) is None else _known_rules(rules, layout)


@lru_cache(maxsize=32)
def _known_rules(rules: Rules, layout: Layout) -> MarkerRules:
    """Return the same for the models as shipped: whether they are edited may change from call to call."""
    limits = all_limits(rules, layout)
    assert limits is not None, "whoever asks has seen that they are known"
    return MarkerRules(limits, layout)


def marker_search(terrain: Sequence[str], rules: Rules, layout: Layout) -> MarkerSearch | None:
    """Return the search for markers on *terrain*; None where a rule is not known to it."""
    known = marker_rules(rules, layout)
    return None if known is None else known.on([layout.terrain_codes[name] for name in terrain])


class MarkerRules:
    """What rules and layout say of markers on any terrain, as the kernel's tables.

    Args:
        limits: the rules.
        layout: the layout.
    """

    def __init__(self, limits: MarkerLimits, layout: Layout) -> None:
        self._limits, self._layout = limits, layout
        # Where the box holds none, the search puts one there that no tile takes.
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
            self._barred |= self._clashing(apart.clash)[:, None, :] * near[:, None]
        self._on_terrain = np.zeros((len(kinds), len(kinds)), dtype=np.int64)
        for each in limits.on_terrain:
            self._on_terrain |= self._clashing(each.clash)
        self._corners = _ints(
            [tiles for tiles in layout.vertex_tiles if len(tiles) == 3] if limits.vertices else []
        ).reshape(-1, 3)
        self._may = _ints([self._may_lie(code) for code in range(len(self._names))])
        three = self._meeting()
        at = [np.flatnonzero((self._corners == t).any(axis=1)).tolist() for t in range(layout.n_tiles)]
        most = 6 * layout.n_tiles
        log2 = np.zeros(67, dtype=np.int64)
        for exponent in range(63):
            log2[(1 << exponent) % 67] = exponent
        arrays = {
            "token_kind": self._tokens,
            "fewer": [
                [sum(kind < bound for kind in self._tokens[begin:]) for bound in range(len(kinds))]
                for begin in range(len(self._tokens) + 1)
            ],
            "quota_kinds": [_mask(k for k, m in enumerate(kinds) if m in q.markers) for q in limits.quotas],
            "quota_most": [quota.most for quota in limits.quotas],
            "pips": [pips(marker) for marker in kinds],
            "pips_min": [
                max((each.least.get(name, 0) for each in limits.pips), default=0) for name in self._names
            ],
            "pips_max": [
                min((each.most.get(name, most) for each in limits.pips), default=most) for name in self._names
            ],
            "tile_vertices": [(row + [-1] * 6)[:6] for row in at],
            "vertex_tiles": [_mask(corner) for corner in self._corners.tolist()],
            "allow_two": np.bitwise_or.reduce(three[:, :-1], axis=1),
            "allow_three": three,
            "log2": log2,
        }
        self._static = {name: _ints(values) for name, values in arrays.items()}
        self._tail = self._first_of_tail()

    def _clashing(self, clash: Any) -> Ints:
        return _ints([[bool(clash(a, b)) for b in self._kinds] for a in self._kinds])

    def _meeting(self) -> Ints:
        """Return which kinds may be the third at a vertex with two others, as masks.

        The last kind stands for no marker.
        """
        markers, meet = [*self._kinds, None], self._limits.meet
        return _ints(
            [
                [_mask(k for k, marker in enumerate(self._kinds) if meet([a, b, marker])) for b in markers]
                for a in markers
            ]
        )

    def _may_lie(self, code: int) -> list[int]:
        """Return, per kind, the tiles that may carry it where they are of a terrain, as a mask."""
        limits, layout, name = self._limits, self._layout, self._names[code]
        spent = {marker for quota in limits.quotas if quota.most < 1 for marker in quota.markers}
        carrying = [t for t in range(layout.n_tiles) if name and layout.carries_marker(t, name)]
        return [
            0 if marker in spent else _mask(t for t in carrying if limits.may_carry(t, name, marker))
            for marker in self._kinds
        ]

    def _first_of_tail(self) -> int:
        """Return the first token from which on nothing but free tiles and equal markers matter, or -1."""
        tokens = self._tokens
        clashing = self._on_terrain.astype(bool) | self._barred.any(axis=1)
        bound = {
            k for k, marker in enumerate(self._kinds) for q in self._limits.quotas if marker in q.markers
        }
        for begin in range(max(1, len(tokens) - kernel.MOST_TAIL), len(tokens) - 1):
            kinds = sorted(set(tokens[begin:]))
            left = _mask(kinds)
            only_equal = all(not clashing[a, b] for a in kinds for b in kinds if a != b)
            meet = not (~self._static["allow_three"][:, kinds] & left).any()
            if only_equal and meet and not bound & set(kinds) and not self._limits.pips:
                return begin
        return -1

    def on(self, codes: Sequence[int] | Pieces) -> MarkerSearch:
        """Return the search for markers on the terrain of these codes."""
        layout, limits, here = self._layout, self._limits, _ints(codes)
        carries = numbered(here[None].astype(np.uint8), layout)[0]
        tiles = np.flatnonzero(carries)
        bits = 1 << np.arange(layout.n_tiles, dtype=np.int64)
        scope_tiles = np.zeros(len(self._names), dtype=np.int64)
        np.bitwise_or.at(scope_tiles, here, bits)
        alike = scope_tiles[here] & ~bits
        barred = self._barred | self._on_terrain[:, None, :] * alike[:, None]
        may = np.bitwise_or.reduce(self._may[here] & bits[:, None], axis=0)
        met, bad = self._bare_corners(here, carries, may)
        spare = len(self._tokens) - len(tiles)
        lost = any(each.misses([self._names[code] for code in here.tolist()]) for each in limits.fixed)
        tables = kernel.Tables(
            **self._static,
            n_tiles=layout.n_tiles,
            spare=spare,
            barred=barred,
            scope=here,
            scope_tiles=scope_tiles,
            tail=-1 if spare else self._tail,
        )
        possible = sum(layout.marker_supply.values()) >= len(tiles) and not bad and not lost
        return MarkerSearch(self._kinds, tuple(tiles.tolist()), tables, may, met, possible)

    def _bare_corners(self, codes: Ints, carries: NDArray[np.bool_], may: Ints) -> tuple[Ints, bool]:
        """Return how full each vertex is at the start, and whether bare tiles alone break a rule.

        What two bare tiles bar from the third is taken from *may*; the sea leaves a vertex without a rule.
        """
        if not len(self._corners):
            return _ints([]), False
        none, two, three = len(self._kinds), self._static["allow_two"], self._static["allow_three"]
        bare = (~carries)[self._corners].sum(axis=1)
        by_sea = (codes[self._corners] == self._layout.terrain_codes["sea"]).any(axis=1)
        for vertex in np.flatnonzero((bare == 2) & ~by_sea).tolist():
            (tile,) = (t for t in self._corners[vertex].tolist() if carries[t])
            for k in range(none):
                if not three[none, none] >> k & 1:
                    may[k] &= ~(1 << tile)
        for vertex in np.flatnonzero((bare == 1) & ~by_sea).tolist():
            bars = ~two[none]
            may &= ~np.where(bars >> np.arange(none) & 1, _mask(self._corners[vertex].tolist()), 0)
        bad = bool(((bare == 3) & ~by_sea).any()) and not self._limits.meet([None] * 3)
        return np.where(by_sea, 2, bare).astype(np.int64), bad


def _listed(value: Any) -> Any:
    """Return arrays, in tuples or not, as lists, whose elements Python reads faster; all else as it is."""
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)(map(_listed, value))
    return value.tolist() if isinstance(value, np.ndarray) else value


def _is_one(tokens: Sequence[int]) -> bool:
    """Whether the highest marker, that of the first token, is one token."""
    return list(tokens[:2]).count(tokens[0]) == 1


def _mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def _ints(values: Any) -> Ints:
    return np.array(values, dtype=np.int64)
