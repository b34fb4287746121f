"""Boards under rules that tie markers to terrain, weighted by marker arrangements.

All terrain arrangements of one orbit under rotations and reflections have the same number of marker
arrangements. So one of each orbit is counted, by the place of its highest marker (the *branches* of the
search). The counts of the preset ``optimal`` on ``base`` come with the package. The script
``docs/tools/optimal_markers.py`` computed them, and tests compare a sample of them with solvers. The package
also has the number of boards before every `STRIDE`-th terrain arrangement, so a board can be sampled without
listing all arrangements.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.counting.budget import UNLIMITED, Budget
from catan_cp.counting.markers import ordered_markers
from catan_cp.counting.spaces import Ints, Listed, Pieces, Space, distinct_rows, first_chunks, moved_to_first
from catan_cp.counting.sums.search import MarkerRules, marker_rules
from catan_cp.problem.problem import Problem
from catan_cp.rules.restrictions import FixedOrder
from catan_cp.rules.rules import Rules

TERRAINS_MOST = 5_000_000
"""The maximum number of terrain arrangements that a count lists: about a minute."""

STRIDE = 32
"""The number of terrain arrangements between two stored sums of boards."""

KEPT_BYTES = 64 << 20
"""The maximum size of all marker arrangements in bytes for which lists are cached."""

SHIPPED_COUNTS = "optimal_markers.npz"


@dataclass(frozen=True)
class OrbitCounts:
    """The number of marker arrangements of each orbit of terrain arrangements.

    Attributes:
        firsts: the first terrain arrangement of each orbit, in rising order.
        branches: per orbit, the number of marker arrangements of that terrain by the place of the highest
            marker (see `MarkerSearch.branches`).
        symmetries: the rotations and reflections, the identity first.
    """

    firsts: Pieces
    branches: Ints
    symmetries: tuple[tuple[int, ...], ...]

    def of(self, codes: Pieces) -> Ints:
        """Return the branches of terrain arrangements."""
        firsts, moved_by = moved_to_first(codes, self.symmetries)
        branches = self.branches[self.find(firsts)]
        if branches.shape[1] > 1:  # The branch of a tile is that of its image in the first arrangement.
            branches[:, :-1] = np.take_along_axis(branches, np.array(self.symmetries)[moved_by], axis=1)
        return branches

    def find(self, firsts: Pieces) -> NDArray[np.intp]:
        """Return the index of each orbit, or -1 if it is not counted."""
        text = f"S{firsts.shape[1]}"  # Codes are never 0, so rows can be compared as byte strings.
        rows = np.searchsorted(self.firsts.view(text).ravel(), firsts.view(text).ravel())
        rows[rows == len(self.firsts)] = 0
        return np.where((self.firsts[rows] == firsts).all(axis=1), rows, -1)


@dataclass(frozen=True)
class OrderedRules:
    """Rules with a fixed order of markers along paths.

    The methods replace those of `MarkerRules`.
    """

    problem: Problem
    order: FixedOrder

    def branches(self, codes: Pieces, budget: Budget) -> Ints:
        """Return the number of arrangements, as the only branch of a search."""
        return np.array([self.on(codes).total])

    def on(self, codes: Pieces, counted: object = None) -> Listed:
        """Return the marker arrangements on a terrain, in the order of a search."""
        layout = self.problem.layout
        names = [layout.all_terrains[code - 1] for code in codes.tolist()]
        ordered = ordered_markers(names, self.problem, self.order)
        rows = sorted(ordered, key=lambda row: sorted((-m, t) for t, m in enumerate(row) if m))
        table = [[marker or 0 for marker in row] for row in rows]
        return Listed(np.array(table, dtype=np.uint8).reshape(-1, layout.n_tiles))


def marker_reader(problem: Problem) -> MarkerRules | OrderedRules:
    """Return the object that finds the marker arrangements on any terrain.

    The problem must have no `Problem.board_obstacle`.
    """
    order = None if problem.markers is None else problem.markers.order
    return marker_rules(problem) if order is None else OrderedRules(problem, order)


@dataclass(frozen=True)
class WeightedTerrains:
    """Boards whose marker arrangements depend on the terrain: a block of `BoardSpace`.

    Attributes:
        terrains: the terrain arrangements.
        counts: the number of marker arrangements of each.
        ends: the number of boards on the first `STRIDE` terrain arrangements, on twice as many, ..., on all.
        markers: the rules about markers.
        layout: the layout.
    """

    terrains: Space
    counts: OrbitCounts
    ends: Ints
    markers: MarkerRules | OrderedRules
    layout: Layout

    @property
    def at_once(self) -> int:
        """The fastest number of boards to compute together."""
        return 4_000 if self._is_cached else 64

    @property
    def total(self) -> int:
        """The number of boards, not counting arrangements of harbors and fishing grounds."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def width(self) -> int:
        """The number of terrain codes and markers of a board."""
        return 2 * self.layout.n_tiles

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the terrain codes of ranks, followed by the markers."""
        rank = np.array(ranks, dtype=np.int64)
        strides = np.array(sorted(set(np.searchsorted(self.ends, rank, side="right").tolist())), np.int64)
        codes, branches, begins = self._rows(strides)
        ends = begins + branches.sum(axis=1)
        terrain_rows = np.searchsorted(ends, rank, side="right")
        inside = rank - begins[terrain_rows]
        markers = np.zeros((len(rank), codes.shape[1]), dtype=np.uint8)
        for row in sorted(set(terrain_rows.tolist())):
            on_terrain = np.flatnonzero(terrain_rows == row)
            markers[on_terrain] = self._markers(codes[row], inside[on_terrain], branches[row], budget)
        return np.hstack([codes[terrain_rows], markers])

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each board in the block, or -1 if it is not in the block."""
        codes, markers = np.hsplit(arrays, 2)
        ranks = []
        for row, terrain in enumerate(self.terrains.ranks(codes)):
            inside = -1
            if terrain >= 0:
                _, branches, begins = self._rows(np.array([terrain // STRIDE]))
                place = terrain % STRIDE
                (inside,) = self.markers.on(codes[row], branches[place]).ranks(markers[[row]], budget)
            ranks.append(-1 if inside < 0 else int(begins[place]) + inside)
        return ranks

    def _rows(self, strides: Ints) -> tuple[Pieces, Ints, Ints]:
        """Return the terrain arrangements of strides, with branches and earlier boards.

        The last result is the number of boards before each terrain arrangement.
        """
        ranks = (strides[:, None] * STRIDE + np.arange(STRIDE)).ravel()
        codes = self.terrains.arrays(ranks[ranks < self.terrains.total].tolist())
        branches = self.counts.of(codes)
        weights = branches.sum(axis=1)
        before = np.cumsum(weights) - weights
        starts = np.repeat(np.append(0, self.ends)[strides] - before[::STRIDE], STRIDE)[: len(codes)]
        return codes, branches, before + starts

    @property
    def _is_cached(self) -> bool:
        return self.total * self.layout.n_tiles <= KEPT_BYTES

    def _markers(self, codes: Pieces, ranks: Ints, branches: Ints, budget: Budget) -> Pieces:
        """Return marker arrangements by rank on one terrain, from a list or a search."""
        if not self._is_cached:
            return self.markers.on(codes, branches).arrays(ranks.tolist(), budget)
        key = codes.tobytes()
        if key not in self._lists:
            self._lists[key] = self.markers.on(codes).arrays(range(int(branches.sum())), budget)
        return self._lists[key][ranks]

    @cached_property
    def _lists(self) -> dict[bytes, Pieces]:
        return {}


def weighted_terrains(terrains: Space, problem: Problem, budget: Budget) -> WeightedTerrains:
    """Return the boards on allowed terrain arrangements.

    Args:
        terrains: the terrain arrangements that the rules allow.
        problem: the rules and the layout, without `Problem.board_obstacle`.
        budget: the time limit, and the callback for the progress after each orbit.

    Raises:
        SolverTimeout: the time limit passed.
    """
    markers, layout = marker_reader(problem), problem.layout
    if whole := shipped_counts(problem, whole=True):
        return WeightedTerrains(terrains, whole.counts, whole.ends, markers, layout)
    shipped = shipped_counts(problem)
    symmetries, quiet = problem.kept_symmetries("markers"), replace(budget, watch=None)
    chunks = first_chunks(terrains, symmetries, quiet)
    firsts = distinct_rows(chunks)
    rows = shipped.counts.find(firsts).tolist() if shipped else [-1] * len(firsts)
    branches = []
    for n_done, (first, row) in enumerate(zip(firsts, rows, strict=True), start=1):
        branches.append(
            shipped.counts.branches[row] if shipped and row >= 0 else markers.branches(first, quiet)
        )
        budget.report(n_done, len(firsts), "orbits")
    table = np.stack(branches) if branches else np.zeros((0, 1), dtype=np.int64)
    counts = OrbitCounts(firsts, table, symmetries)
    weights = counts.branches.sum(axis=1)
    ends = ends_of(
        np.concatenate([weights[counts.find(chunk)] for chunk in chunks if len(chunk)] or [weights])
    )
    return WeightedTerrains(terrains, counts, ends, markers, layout)


def ends_of(weights: Ints) -> Ints:
    """Return the number of boards up to the end of each stride."""
    ends = np.cumsum(weights, dtype=np.int64)
    return np.append(ends[STRIDE - 1 : -1 : STRIDE], ends[-1:])


# The counts that come with the package


@dataclass(frozen=True)
class Shipped:
    """The counts that come with the package.

    Attributes:
        problem: the rules and the layout of the counts.
        counts: the number of marker arrangements of each orbit.
        ends: sums over all terrain arrangements of *problem* (see `WeightedTerrains`).
    """

    problem: Problem
    counts: OrbitCounts
    ends: Ints


@lru_cache(maxsize=1)
def _shipped() -> Shipped:
    with files("catan_cp").joinpath("data", SHIPPED_COUNTS).open("rb") as file, np.load(file) as table:
        layout = LAYOUTS[str(table["layout"])]
        rules = Rules.from_mapping(json.loads(str(table["rules"])))
        branches = np.zeros((len(table["classes"]), layout.n_tiles + 1), dtype=np.int64)
        branches[:, :-1] = table["branches"]
        counts = OrbitCounts(table["classes"], branches, layout.symmetries)
        ends = np.cumsum(table["strides"], dtype=np.int64)
        return Shipped(Problem.of(rules, layout), counts, ends)


def shipped_counts(problem: Problem, *, whole: bool = False) -> Shipped | None:
    """Return the counts that come with the package, or None for other rules about markers.

    With *whole*, the rules about terrain must be those of the counts too.
    """
    if problem.layout != LAYOUTS["base"] or problem.markers is None:
        return None
    shipped = _shipped()
    is_known = shipped.problem.markers == problem.markers and (
        not whole or shipped.problem.terrain == problem.terrain
    )
    return shipped if is_known else None
