"""What rules say of markers, in the terms of a puzzle, or as a fixed order along paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, MOST_PIPS, pips
from catan_cp.rules.declared import about, has_own_text, restrictions, set_rules
from catan_cp.rules.restrictions import (
    ApartOnTerrain,
    AtVertices,
    BarredMarkers,
    FixedMarkers,
    FixedOrder,
    MarkersApart,
    Restriction,
    TerrainQuota,
)
from catan_cp.rules.rules import Rules


@dataclass(frozen=True)
class MarkerLimits:
    """What the rules say of markers, in the terms of a puzzle.

    Attributes:
        apart: markers that may not be on pairs of tiles.
        vertices: which three markers may meet at a vertex of three land tiles.
        on_terrain: markers that may not be on two tiles of one terrain.
        quota: the most tiles of one terrain with one of some markers, if there is such a bound.
        barred: which markers a terrain may not carry.
        fixed: tiles whose markers are given.
    """

    apart: tuple[MarkersApart, ...]
    vertices: tuple[AtVertices, ...]
    on_terrain: tuple[ApartOnTerrain, ...]
    quota: TerrainQuota | None
    barred: tuple[BarredMarkers, ...]
    fixed: tuple[FixedMarkers, ...] = ()

    def meet(self, markers: Sequence[int | None]) -> bool:
        """Whether these three markers, None on a desert, may meet at a vertex."""
        return all(each.allowed(markers) for each in self.vertices)

    def tells_all_apart(self, layout: Layout) -> bool:
        """Whether vertices tell markers of equal pips apart, so that the states of a diagram hardly merge."""
        markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
        pairs = list(combinations_with_replacement((*markers, None), 2))
        seen = {tuple(self.meet([a, b, marker]) for a, b in pairs) for marker in markers}
        return bool(self.vertices) and len(seen) > len({pips(marker) for marker in markers})


NO_LIMITS = MarkerLimits((), (), (), None, ())


def marker_limits(rules: Rules, layout: Layout) -> MarkerLimits | None:
    """Return what *rules* say of markers; None where a puzzle cannot express it."""
    found = restrictions(rules, layout, "markers")
    if found is None:
        return None
    groups: dict[type[Restriction], list[Any]] = {kind: [] for kind in _KNOWN}
    for each in found:
        if type(each) not in groups:
            return None
        groups[type(each)].append(each)
    apart, vertices, on_terrain, quotas, barred, fixed = map(tuple, groups.values())
    if len(quotas) > 1:
        return None
    barred = (*barred, *_bounds_of_terrains(layout))
    return MarkerLimits(apart, vertices, on_terrain, quotas[0] if quotas else None, barred, fixed)


def _bounds_of_terrains(layout: Layout) -> list[BarredMarkers]:
    """Return what the layout itself says of the pips of markers by their terrain."""
    least, most = layout.terrain_marker_pips_min, layout.terrain_marker_pips_max
    if not least and not most:
        return []

    def barred(terrain: str, marker: int) -> bool:
        ways = layout.marker_pips(marker)
        return not least.get(terrain, 0) <= ways <= most.get(terrain, MOST_PIPS)

    return [BarredMarkers(barred)]


_KNOWN = (MarkersApart, AtVertices, ApartOnTerrain, TerrainQuota, BarredMarkers, FixedMarkers)


def fixed_order(rules: Rules, layout: Layout) -> FixedOrder | None:
    """Return the order in which the rules put the markers, if they do, and no text of a user's says more."""
    if has_own_text(rules, "markers"):
        return None
    for rule, value in set_rules(rules, "markers"):
        for each in rule.counts(value, rules, layout) if rule.counts else ():
            if isinstance(each, FixedOrder):
                return each
    return None


def ordered_markers(
    terrain: Sequence[str], rules: Rules, layout: Layout, fixed: FixedOrder
) -> set[tuple[int | None, ...]]:
    """Return the ways to lay the markers in a fixed order, one a path, that the rules allow."""
    found: set[tuple[int | None, ...]] = set()
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
    """Whether the box holds the markers, and they keep the rules."""
    used = Counter(marker for marker in board.markers if marker is not None)
    if any(count > board.layout.marker_supply.get(marker, 0) for marker, count in used.items()):
        return False
    return all(broken.rule == "pieces" for broken in rules.check(board))
