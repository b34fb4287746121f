"""The rules about terrain and about markers as tables, sorted by their form.

A table holds the restrictions of rules, pattern and layout together. Counts, random walks and deals build
their data from it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.rules import restrictions as r

Permutation = Sequence[int]
"""The tile to which each tile is moved."""

PoolTerrain = tuple[int, str]
"""The index of a pool in `Layout.terrain_pools`, and a terrain."""


@dataclass(frozen=True)
class TerrainTables:
    """The rules about terrain.

    Attributes:
        domains: per tile, the terrains that rules about single tiles allow.
        apart: per rule, pairs of tiles and the pairs of terrains that they may not have.
        clusters: the limit on the size of clusters, or None.
        rising: the corner tiles, whose terrain codes must rise in this order, or empty.
        rows: sets of several tiles, each with the combinations of terrains that it may have.
    """

    domains: tuple[frozenset[str], ...]
    apart: tuple[r.TerrainsApart, ...]
    clusters: r.ClusterMax | None
    rising: tuple[int, ...] = ()
    rows: tuple[r.AllowedTerrains, ...] = ()

    def are_kept_by(self, symmetry: Permutation) -> bool:
        """Test whether a permutation of the tiles maps allowed arrangements to allowed ones.

        The order of *rising* tiles is ignored. Rules about *rows* count as not kept.
        """
        return (
            not self.rows
            and all(self.domains[t] == self.domains[target] for t, target in enumerate(symmetry))
            and all(
                _is_mapped_to_itself(rule.pairs, symmetry)
                for rule in (*self.apart, self.clusters)
                if rule is not None
            )
        )

    def cases(self, layout: Layout) -> list[dict[int, str]] | None:
        """Return the combinations of terrains that *rising* and *rows* allow on their tiles.

        The result is None if they restrict no tiles.
        """
        tables: list[tuple[tuple[int, ...], Iterable[tuple[str, ...]]]] = [
            (table.tiles, sorted(table.rows)) for table in self.rows
        ]
        if self.rising:
            tables.append((self.rising, combinations(layout.terrains, len(self.rising))))
        cases: list[dict[int, str]] = [{}]
        for tiles, rows in tables:
            pins = [dict(zip(tiles, row, strict=True)) for row in rows]
            pins = [pin for pin in pins if len(pin) == len(tiles)]  # a tile may be two corners
            cases = [
                case | pin
                for case in cases
                for pin in pins
                if all(case.get(tile, name) == name for tile, name in pin.items())
            ]
        return cases if tables else None

    def clusters_cross_pools(self, layout: Layout) -> bool:
        """Test whether a limited cluster could span pools, which a decision diagram does not support."""
        if self.clusters is None or self.clusters.size == 1:
            return False
        limited = {
            name
            for name, count in layout.terrain_counts.items()
            if count > self.clusters.size and name not in layout.unnumbered
        }
        values = values_by_tile(layout)
        return any(
            name == second_name and pool != other_pool and name in limited
            for a, b in self.clusters.pairs
            for pool, name in values[a]
            for other_pool, second_name in values[b]
        )


def _is_mapped_to_itself(pairs: Iterable[Pair], symmetry: Permutation) -> bool:
    """Test whether a permutation of the tiles maps a set of pairs to itself."""
    return {frozenset((symmetry[a], symmetry[b])) for a, b in pairs} == {frozenset(pair) for pair in pairs}


def terrain_tables(restrictions: Iterable[r.Restriction], layout: Layout) -> TerrainTables:
    """Return the tables of restrictions on terrain. `FirstOfOrbit` is left out: it is about orbits."""
    domains = [{name for _, name in values} for values in values_by_tile(layout)]
    apart: list[r.TerrainsApart] = []
    clusters: r.ClusterMax | None = None
    rising: tuple[int, ...] = ()
    rows: list[r.AllowedTerrains] = []
    for restriction in restrictions:
        match restriction:
            case r.Barred(places):
                for tile, name in places:
                    domains[tile].discard(name)
            case r.TerrainsApart():
                apart.append(restriction)
            case r.ClusterMax():
                clusters = restriction
            case r.Rising(tiles):
                rising = tiles
            case r.AllowedTerrains([tile], allowed):
                domains[tile] &= {name for (name,) in allowed}
            case r.AllowedTerrains():
                rows.append(restriction)
            case r.FirstOfOrbit() | r.GroupPieces():  # The groups are in `values_by_tile`.
                pass
            case _:
                raise TypeError(f"a restriction on terrain must not be a {type(restriction).__name__}")
    return TerrainTables(tuple(map(frozenset, domains)), tuple(apart), clusters, rising, tuple(rows))


def supply_of(layout: Layout) -> dict[PoolTerrain, int]:
    """Return the number of pieces of each terrain of each pool.

    The piece of a tile with a fixed terrain is added to the first pool with that terrain.
    """
    supply = {
        (number, name): pool.pieces.get(name, 0)
        for number, pool in enumerate(layout.terrain_pools)
        for name in layout.terrains
        if pool.pieces.get(name)
    }
    for name in layout.fixed_terrain.values():
        first = min((number for number, second_name in supply if second_name == name), default=0)
        supply[first, name] = supply.get((first, name), 0) + 1
    return dict(sorted(supply.items(), key=lambda item: (item[0][0], layout.terrain_codes[item[0][1]])))


def values_by_tile(layout: Layout) -> list[set[PoolTerrain]]:
    """Return, per tile, the pools and terrains that its pool or its fixed terrain allows."""
    values: list[set[PoolTerrain]] = [set() for _ in range(layout.n_tiles)]
    for number, pool in enumerate(layout.terrain_pools):
        for tile in pool.tiles:
            values[tile] = {(number, name) for name, count in pool.pieces.items() if count}
    for tile, name in layout.fixed_terrain.items():
        values[tile] = {next(value for value in supply_of(layout) if value[1] == name)}
    return values


@dataclass(frozen=True)
class MarkerTables:
    """The rules about markers.

    Attributes:
        apart: pairs of tiles and the pairs of markers that they may not have.
        vertices: bounds on the sum of values at each vertex of three land tiles.
        on_terrain: pairs of markers that may not be on two tiles of one terrain.
        quotas: the maximum number of tiles of one terrain with some markers.
        pips: bounds on the sum of pips of each terrain.
        barred: the markers that a tile may not have on a terrain.
        fixed: tiles with fixed markers.
        order: a fixed order of the markers along paths, or None.
    """

    apart: tuple[r.MarkersApart, ...] = ()
    vertices: tuple[r.VertexBounds, ...] = ()
    on_terrain: tuple[r.ApartOnTerrain, ...] = ()
    quotas: tuple[r.TerrainQuota, ...] = ()
    pips: tuple[r.TerrainPips, ...] = ()
    barred: tuple[r.BarredMarkers, ...] = ()
    fixed: tuple[r.FixedMarkers, ...] = ()
    order: r.FixedOrder | None = None

    @property
    def is_empty(self) -> bool:
        """True if any tile may carry any marker."""
        return self == MarkerTables()

    @property
    def fits_diagram(self) -> bool:
        """True if a decision diagram can express the tables."""
        return self.order is None and not self.pips and len(self.quotas) <= 1

    def are_kept_by(self, symmetry: Permutation) -> bool:
        """Test whether the rules treat a board and its image under a permutation of the tiles alike.

        Rules about vertices, or about all tiles of a terrain, always do.
        """
        paths = set(self.order.paths) if self.order is not None else set()
        return (
            all(_is_mapped_to_itself(rule.pairs, symmetry) for rule in self.apart)
            and {tuple(symmetry[t] for t in path) for path in paths} == paths
            and all(rule.stays(symmetry) for rule in self.fixed)
            and all({(symmetry[t], *rest) for t, *rest in rule.places} == rule.places for rule in self.barred)
        )

    def meet(self, markers: Sequence[int | None]) -> bool:
        """Test whether three markers, None on a desert, may meet at a vertex."""
        return all(bounds.allows(markers) for bounds in self.vertices)

    def may_carry(self, tile: int, terrain: str, marker: int) -> bool:
        """Test whether a tile may have a marker on this terrain, other tiles ignored."""
        fixed = (number for rule in self.fixed for t, number in rule.markers if t == tile)
        return all(number == marker for number in fixed) and not any(
            (tile, terrain, marker) in rule.places for rule in self.barred
        )

    def distinguish_markers(self, layout: Layout) -> bool:
        """Test whether vertex rules distinguish markers of equal pips.

        If so, few states are equal, and a decision diagram is large.
        """
        markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
        pairs = list(combinations_with_replacement((*markers, None), 2))
        patterns = {tuple(self.meet([a, b, marker]) for a, b in pairs) for marker in markers}
        return bool(self.vertices) and len(patterns) > len({pips(marker) for marker in markers})


_FIELDS: dict[type[r.Restriction], str] = {
    r.MarkersApart: "apart",
    r.VertexBounds: "vertices",
    r.ApartOnTerrain: "on_terrain",
    r.TerrainQuota: "quotas",
    r.TerrainPips: "pips",
    r.BarredMarkers: "barred",
    r.FixedMarkers: "fixed",
}
"""The field of `MarkerTables` for each class of restriction, except `FixedOrder`."""


def marker_tables(restrictions: Iterable[r.Restriction]) -> MarkerTables:
    """Return the tables of restrictions on markers."""
    fields: dict[str, tuple[r.Restriction, ...]] = {}
    order = None
    for restriction in restrictions:
        if isinstance(restriction, r.FixedOrder):
            order = restriction
        elif not isinstance(restriction, r.GroupPieces):  # The groups are the pools of the layout.
            field = _FIELDS[type(restriction)]
            fields[field] = (*fields.get(field, ()), restriction)
    return MarkerTables(**fields, order=order)  # type: ignore[arg-type]
