"""Rules that tie markers to the terrain: the number of markers of each, and boards by these weights.

Terrain arrangements of one orbit under rotations and reflections have as many markers each. So one of every
orbit (*class*) is counted, by the place of its highest marker (the *branches* of the search). The counts of
the preset ``optimal`` on ``base`` come with the package, as computed by ``docs/tools/optimal_markers.py``.
With them comes the number of boards on the terrain arrangements before every `STRIDE`-th, so a board is
sampled without listing all arrangements. Tests compare a sample of the counts with solvers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.counting.diagram import Pieces
from catan_cp.counting.marker_search import MarkerRules, marker_rules
from catan_cp.counting.markers import ListedMarkers, fixed_order, marker_turns, ordered_markers
from catan_cp.counting.terrains import TerrainSpace, first_of_orbit, terrain_fields, turned_to_first
from catan_cp.errors import CatanError
from catan_cp.progress import Progress, Watch
from catan_cp.rules.rule import FixedOrder
from catan_cp.rules.rules import Rules, about

LISTED_MOST = 5_000_000
"""The most terrains that are looked at one by one where no count can be had otherwise: about a minute."""

STRIDE = 32
"""The terrains between two of which it is known how many boards all before them have."""

KEPT_BYTES = 64 << 20
"""Where the markers of all terrains together take no more memory, they are listed and kept when asked for."""

SHIPPED = "optimal_markers.npz"

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ClassCounts:
    """How many markers the terrains of each class have.

    Attributes:
        classes: the first terrain of each class, in rising order.
        branches: per class, the markers of that terrain by the place of the highest; see
            `MarkerSearch.branches`.
        turns: the rotations and mirrors that make a class.
    """

    classes: Pieces
    branches: Ints
    turns: tuple[tuple[int, ...], ...]

    def of(self, codes: Pieces) -> Ints:
        """Return the branches of each of these terrains."""
        firsts, which = turned_to_first(codes, self.turns)
        found = self.branches[self.find(firsts)]
        if found.shape[1] > 1:  # what the turn moves there is counted there
            found[:, :-1] = np.take_along_axis(found, np.array(self.turns)[which], axis=1)
        return found

    def find(self, firsts: Pieces) -> NDArray[np.intp]:
        """Return the number of each of these classes, -1 for those that are not here."""
        text = f"S{firsts.shape[1]}"  # codes are never 0, so rows compare as byte strings
        rows = np.searchsorted(self.classes.view(text).ravel(), firsts.view(text).ravel())
        rows[rows == len(self.classes)] = 0
        return np.where((self.classes[rows] == firsts).all(axis=1), rows, -1)


@dataclass(frozen=True)
class OrderedRules:
    """Rules that lay the markers in a fixed order along paths, read as `MarkerRules` is."""

    rules: Rules
    layout: Layout
    order: FixedOrder

    def on(self, codes: Pieces) -> ListedMarkers:
        """Return the markers on the terrain of these codes, ordered as a search orders them."""
        names = [self.layout.all_terrains[code - 1] for code in codes.tolist()]
        ordered = ordered_markers(names, self.rules, self.layout, self.order)
        rows = sorted(ordered, key=lambda row: sorted((-m, t) for t, m in enumerate(row) if m))
        table = [[marker or 0 for marker in row] for row in rows]
        return ListedMarkers(np.array(table, dtype=np.uint8).reshape(-1, self.layout.n_tiles))


def marker_reader(rules: Rules, layout: Layout) -> MarkerRules | OrderedRules:
    """Return what tells the markers on any terrain.

    Raises:
        CatanError: a rule about markers is not known to it.
    """
    order = fixed_order(rules, layout)
    found = marker_rules(rules, layout) if order is None else OrderedRules(rules, layout, order)
    if found is None:
        raise CatanError(
            f"exact counts know only some rules about markers on {layout.name!r}, and not all of these; "
            "enumerate_boards lists the boards"
        )
    return found


@dataclass(frozen=True)
class WeightedTerrains:
    """Boards whose number of markers depends on the terrain: a block for `BoardSpace`.

    Attributes:
        terrains: the terrains.
        counts: how many markers each has.
        ends: how many boards there are on the first `STRIDE` terrains, on twice as many, ..., on all.
        markers: the rules about markers.
        layout: the layout.
    """

    terrains: TerrainSpace
    counts: ClassCounts
    ends: Ints
    markers: MarkerRules | OrderedRules
    layout: Layout

    @property
    def at_once(self) -> int:
        """How many boards are best asked for together."""
        return 4_000 if self._is_kept else 64

    @property
    def total(self) -> int:
        """How many there are."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def unrank(self, ranks: Sequence[int]) -> tuple[Pieces, Pieces]:
        """Return terrain codes and markers of these ranks, each of shape (ranks, tiles)."""
        wanted = np.array(ranks, dtype=np.int64)
        strides = np.array(sorted(set(np.searchsorted(self.ends, wanted, side="right").tolist())), np.int64)
        codes, branches, begins = self._rows(strides)
        ends = begins + branches.sum(axis=1)
        which = np.searchsorted(ends, wanted, side="right")
        inside = wanted - begins[which]
        markers = np.zeros((len(wanted), codes.shape[1]), dtype=np.uint8)
        for row in sorted(set(which.tolist())):
            mine = np.flatnonzero(which == row)
            markers[mine] = self._markers(codes[row], inside[mine], branches[row])
        return codes[which], markers

    def ranks(self, codes: Pieces, markers: Pieces) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""
        found = []
        for row, terrain in enumerate(self.terrains.rank(codes)):
            inside = -1
            if terrain >= 0:
                _, branches, begins = self._rows(np.array([terrain // STRIDE]))
                here = terrain % STRIDE
                (inside,) = self.markers.on(codes[row]).rank(markers[row : row + 1], branches[here])
            found.append(-1 if inside < 0 else int(begins[here]) + inside)
        return found

    def _rows(self, strides: Ints) -> tuple[Pieces, Ints, Ints]:
        """Return the terrains of some strides in rising order, their branches, and the boards before each."""
        every = (strides[:, None] * STRIDE + np.arange(STRIDE)).ravel()
        codes = self.terrains.unrank(every[every < self.terrains.ranks].tolist())
        branches = self.counts.of(codes)
        weights = branches.sum(axis=1)
        before = np.cumsum(weights) - weights
        starts = np.repeat(np.append(0, self.ends)[strides] - before[::STRIDE], STRIDE)[: len(codes)]
        return codes, branches, before + starts

    @property
    def _is_kept(self) -> bool:
        return self.total * self.layout.n_tiles <= KEPT_BYTES

    def _markers(self, codes: Pieces, ranks: Ints, branches: Ints) -> Pieces:
        """Return the markers of these ranks on one terrain; which way they are found makes no difference."""
        if not self._is_kept:
            return self.markers.on(codes).unrank(ranks.tolist(), branches)
        key = codes.tobytes()
        if key not in self._kept:
            self._kept[key] = np.concatenate(list(self.markers.on(codes).chunks()))
        return self._kept[key][ranks]

    @cached_property
    def _kept(self) -> dict[bytes, Pieces]:
        return {}


def weighted_terrains(
    terrains: TerrainSpace, rules: Rules, layout: Layout, watch: Watch | None = None
) -> WeightedTerrains:
    """Return the boards on these terrain arrangements, all of which the rules allow.

    Args:
        terrains: the terrain arrangements.
        rules: the rules.
        layout: the layout.
        watch: called with the progress after each orbit.

    Raises:
        CatanError: the search does not know a rule about markers.
    """
    shipped, markers = shipped_counts(rules, layout), marker_reader(rules, layout)
    if shipped is not None and shipped.terrains == terrain_key(rules):
        return WeightedTerrains(terrains, shipped.counts, shipped.ends, markers, layout)
    codes = np.concatenate([np.zeros((0, layout.n_tiles), dtype=np.uint8), *terrains.chunks()])
    turns = marker_turns(rules, layout)
    classes, inverse = np.unique(first_of_orbit(codes, turns), axis=0, return_inverse=True)
    rows = shipped.counts.find(classes).tolist() if shipped else [-1] * len(classes)
    branches = []
    for done, (first, row) in enumerate(zip(classes, rows, strict=True), start=1):
        branches.append(
            shipped.counts.branches[row] if shipped and row >= 0 else markers.on(first).branches()
        )
        if watch is not None:
            watch(Progress(done, len(classes), "orbits"))
    table = np.stack(branches) if branches else np.zeros((0, 1), dtype=np.int64)
    counts = ClassCounts(classes, table, turns)
    ends = ends_of(counts.branches.sum(axis=1)[inverse.ravel()])
    return WeightedTerrains(terrains, counts, ends, markers, layout)


def ends_of(weights: Ints) -> Ints:
    """Return how many boards there are up to the end of each stride."""
    ends = np.cumsum(weights, dtype=np.int64)
    return np.append(ends[STRIDE - 1 : -1 : STRIDE], ends[-1:])


def marker_key(rules: Rules) -> str:
    """Return what two sets of rules have in common under which every terrain has the same markers."""
    return json.dumps(about(rules, "markers").to_mapping(), sort_keys=True)


def terrain_key(rules: Rules) -> str:
    """Return what two sets of rules have in common that allow the same terrains, in the same order."""
    return json.dumps(terrain_fields(rules).to_mapping(), sort_keys=True)


# The counts that come with the package


@dataclass(frozen=True)
class Shipped:
    """The counts that come with the package.

    Attributes:
        counts: how many markers each class has.
        ends: of the terrains of which rules they are; see `WeightedTerrains`.
        terrains: what these rules have in common with others that allow the same terrains.
    """

    counts: ClassCounts
    ends: Ints
    terrains: str


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, Shipped]:
    """Return the key of the rules about markers, and their counts."""
    with files("catan_cp").joinpath("data", SHIPPED).open("rb") as file, np.load(file) as table:
        layout = LAYOUTS[str(table["layout"])]
        branches = np.zeros((len(table["classes"]), layout.n_tiles + 1), dtype=np.int64)
        branches[:, :-1] = table["branches"]
        counts = ClassCounts(table["classes"], branches, layout.symmetries)
        ends = np.cumsum(table["strides"], dtype=np.int64)
        return str(table["rules"]), Shipped(counts, ends, str(table["terrains"]))


def shipped_counts(rules: Rules, layout: Layout) -> Shipped | None:
    """Return the counts that come with the package where they are those of these rules about markers."""
    if layout != LAYOUTS["base"]:
        return None
    key, shipped = _shipped()
    return shipped if key == marker_key(rules) else None


def is_shipped(rules: Rules, layout: Layout) -> bool:
    """Whether all that drawing boards takes comes with the package."""
    shipped = shipped_counts(rules, layout)
    return shipped is not None and shipped.terrains == terrain_key(rules)
