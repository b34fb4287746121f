"""What exact counts understand of a rule: the few forms of restriction that they can take into account.

A rule whose declaration gives its restrictions is counted and drawn from exactly. One that gives none is left
to the solver, so that forgetting them costs time and never makes a count wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from catan_cp.boards.layout import Pair
from catan_cp.boards.pieces import UNNUMBERED


@dataclass(frozen=True)
class Barred:
    """On each of these tiles, one terrain that may not be there."""

    places: frozenset[tuple[int, str]]


@dataclass(frozen=True)
class TerrainsApart:
    """Two terrains (or one with itself) that may not be on any of these pairs of tiles."""

    pairs: tuple[Pair, ...]
    terrains: frozenset[frozenset[str]]


@dataclass(frozen=True)
class ClusterMax:
    """The most tiles in a cluster: tiles of one terrain that the pairs connect; sea and desert are exempt."""

    size: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Rising:
    """Tiles whose terrain codes rise strictly, in this order."""

    tiles: tuple[int, ...]


@dataclass(frozen=True)
class FirstOfClass:
    """Of the boards that rotations and mirrors turn into each other, the first in reading order."""


TerrainRestriction = Barred | TerrainsApart | ClusterMax | Rising | FirstOfClass


@dataclass(frozen=True)
class MarkersApart:
    """Markers that may not be on any of these pairs of tiles: those for which *clash* is true."""

    pairs: tuple[Pair, ...]
    clash: Callable[[int, int], bool]


@dataclass(frozen=True)
class AtVertices:
    """Which three markers, None on a desert, may meet at a vertex of three land tiles."""

    allowed: Callable[[Sequence[int | None]], bool]


@dataclass(frozen=True)
class ApartOnTerrain:
    """Markers that may not be on two tiles of one terrain: those for which *clash* is true."""

    clash: Callable[[int, int], bool]


@dataclass(frozen=True)
class TerrainQuota:
    """The most tiles of one terrain that may carry one of these markers."""

    markers: frozenset[int]
    most: int


@dataclass(frozen=True)
class TerrainPips:
    """Bounds on the pips of all tiles of a terrain together, by its name; a terrain not named has none."""

    least: Mapping[str, int]
    most: Mapping[str, int]


@dataclass(frozen=True)
class BarredMarkers:
    """Which marker a tile may not carry, by its terrain: those for which *barred* is true."""

    barred: Callable[[str, int], bool]


@dataclass(frozen=True)
class FixedOrder:
    """The markers in the given order along one of the paths, tiles without a marker skipped."""

    paths: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class FixedMarkers:
    """Tiles that carry a given marker, or none (0)."""

    markers: tuple[tuple[int, int], ...]

    def misses(self, terrain: Sequence[str]) -> bool:
        """Whether a tile whose marker is given carries none on this terrain."""
        return any(marker and terrain[tile] in UNNUMBERED for tile, marker in self.markers)

    def stays(self, turn: Sequence[int]) -> bool:
        """Whether a permutation of the tiles moves these tiles to those with the same markers."""
        return {(turn[tile], marker) for tile, marker in self.markers} == set(self.markers)


MarkerRestriction = (
    MarkersApart
    | AtVertices
    | ApartOnTerrain
    | TerrainQuota
    | TerrainPips
    | BarredMarkers
    | FixedOrder
    | FixedMarkers
)
Restriction = TerrainRestriction | MarkerRestriction
