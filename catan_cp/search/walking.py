"""Boards by a random walk through the allowed boards, without a solver.

A board is dealt at random and repaired. A tile that breaks a rule exchanges its piece with another tile if
that breaks less (min-conflicts, Minton, Johnston, Philips and Laird 1992). Then the walk proposes to exchange
two random pieces, and does so if the rules still hold (Metropolis, Rosenbluth, Rosenbluth, Teller and Teller
1953). An exchange and its reverse have the same probability, so a long walk visits every board that it can
reach equally often. Exchanges may not connect all boards, and `_STEPS` steps per tile may not be enough
(measurements are in docs/methods.md). Small spaces are sampled exactly instead (`engines`).

The walk does not use the models. It supports the built-in rules about single tiles, touching tiles and
vertices. Custom constraints, edited models and other rules need the solver.

>>> import random
>>> from catan_cp.boards.layout import LAYOUTS
>>> problem = Problem.of("tournament", "seafarers-8")
>>> walk = board_walk(problem)
>>> board = walk.board(random.Random(1))
>>> problem.check(board)
[]
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.geometry import neighbors
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import MARKERS
from catan_cp.clock import Clock
from catan_cp.counting.coasts import CoastDeals, deal_grounds, harbor_deals
from catan_cp.errors import listed
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import MarkerTables, TerrainTables

_STEPS = 12
"""The number of proposed exchanges per tile: half of terrain, half of markers."""
_DEALS = 4
"""The maximum number of boards to deal until one can be repaired."""
_SWEEPS = 60
"""The maximum number of passes over all tiles to repair a board."""
_STARTS_MOST = 12
"""The number of partners tried in each pass for a tile that breaks a rule."""
_WORSE = 0.05
"""The probability of an exchange that breaks more rules, to escape dead ends."""


def walk_obstacle(problem: Problem) -> str:
    """Return why the random walk does not apply to a problem, in plain English, or an empty text.

    The result depends on rules, models and layout alone.
    """
    if reasons := problem.beyond("boards"):
        return f"only a solver knows {listed(reasons)}"
    if problem.rules.symmetry != "all":
        return "it does not know symmetry"
    if problem.terrain is not None and problem.terrain.rows:
        return "it does not know constraints on several tiles"
    if problem.markers is not None and problem.markers.order is not None:
        return "it does not know a fixed order"
    return problem.harbor_obstacle or problem.tie


@lru_cache(maxsize=64)
def board_walk(problem: Problem) -> BoardWalk:
    """Return the random walk of a problem without `walk_obstacle`."""
    assert problem.terrain is not None and problem.markers is not None, "callers check this"
    harbors = harbor_deals(problem.layout, problem.rules.harbors)
    return BoardWalk(problem.layout, harbors, problem.terrain, problem.markers)


class BoardWalk:
    """The random walk on the boards of a layout under rules (see `board_walk`).

    Attributes:
        layout: the layout.
        harbors: the allowed harbor arrangements.
        numbered: the codes of the terrains with a marker.
        terrain_choices: the allowed terrain codes of each tile.
        terrain_apart: per restriction, the tiles paired with each tile, and the codes excluded by each code.
        cluster_max: the maximum size of a cluster of numbered terrain, or 0 for no maximum.
        cluster_near: the tiles that touch each tile, for clusters.
        marker_fits: the test whether a tile with a terrain code may have a marker (0 for none).
        markers_apart: per restriction, the tiles paired with each tile, and the markers that each excludes.
        triples: per tile, the triples of tiles that meet at one of its vertices. Empty without vertex rules.
        meet: the test whether three markers (0 on a bare tile) may meet at a vertex of three land tiles.
    """

    def __init__(
        self, layout: Layout, harbors: CoastDeals[Harbor], terrain: TerrainTables, markers: MarkerTables
    ) -> None:
        code, clusters = layout.terrain_codes, terrain.clusters
        self.layout, self.harbors = layout, harbors
        self.numbered = frozenset(code[name] for name in layout.terrains if name not in layout.unnumbered)
        self.terrain_choices = [frozenset(code[name] for name in names) for names in terrain.domains]
        self.terrain_apart = [
            (
                neighbors(layout.n_tiles, rule.pairs),
                {code[a]: frozenset(code[b] for b in code if {a, b} in rule.terrains) for a in code},
            )
            for rule in terrain.apart
        ]
        self.cluster_max = clusters.size if clusters else 0
        self.cluster_near = neighbors(layout.n_tiles, clusters.pairs if clusters else ())
        self.marker_fits = cache(partial(_marker_fits, markers, layout))
        self.markers_apart = [
            (
                neighbors(layout.n_tiles, rule.pairs),
                {a: frozenset(b for b in MARKERS if (a, b) in rule.excluded) for a in MARKERS},
            )
            for rule in markers.apart
        ]
        triples = [triple for _, triple in layout.inner_vertices if markers.vertices]
        self.triples = [[triple for triple in triples if t in triple] for t in range(layout.n_tiles)]
        self.meet = cache(lambda *triple: markers.meet([marker or None for marker in triple]))

    def boards(self, source: random.Random, clock: Clock) -> Iterator[Board]:
        """Yield sampled boards, until no dealt board can be repaired.

        Raises:
            SolverTimeout: the time limit passed.
        """
        return iter(lambda: self.board(source, clock), None)

    def board(self, source: random.Random, clock: Clock | None = None) -> Board | None:
        """Return a sampled board, or None if no dealt board could be repaired.

        Raises:
            SolverTimeout: the time limit of *clock* passed.
        """
        for _ in range(_DEALS):
            if clock is not None:
                clock.left()
            board = _WalkedBoard(self, source)
            if board.repair_terrain() and board.deal_markers() and board.repair_markers():
                board.walk(_STEPS * self.layout.n_tiles)
                return deal_grounds(board.board(), source)
        return None

    def finds_terrain(self, source: random.Random) -> bool:
        """Test whether an allowed terrain arrangement can be found quickly."""
        return any(_WalkedBoard(self, source).repair_terrain() for _ in range(_DEALS))


class _WalkedBoard:
    """A board whose pieces change places under the rules of a `BoardWalk`."""

    def __init__(self, walk: BoardWalk, source: random.Random) -> None:
        layout, code = walk.layout, walk.layout.terrain_codes
        self._walk, self._random = walk, source
        self._terrain = [code[layout.fixed_terrain.get(t, "sea")] for t in range(layout.n_tiles)]
        self._markers = [0] * layout.n_tiles
        self._left: dict[int, dict[int, int]] = {}  # per tile, the markers left in its pool
        for pool in layout.terrain_pools:
            pieces = [code[name] for name in Counter(pool.pieces).elements()]
            source.shuffle(pieces)
            for tile, piece in zip(pool.tiles, pieces, strict=True):
                self._terrain[tile] = piece
        self._tiles = range(layout.n_tiles)
        # Per tile, the tiles of its pool, itself included. A tile without a pool has none.
        alone: dict[int, tuple[int, ...]] = dict.fromkeys(self._tiles, ())
        self._terrain_pool = alone | {t: pool.tiles for pool in layout.terrain_pools for t in pool.tiles}
        self._marker_pool = alone | {t: pool.tiles for pool in layout.marker_pools for t in pool.tiles}
        self._sea = code["sea"]

    # Broken restrictions

    def _terrain_faults(self, tile: int) -> int:
        """Return the number of restrictions that the terrain of a tile breaks."""
        walk, terrain = self._walk, self._terrain
        code = terrain[tile]
        faults = _touching(terrain, tile, walk.terrain_apart) + (code not in walk.terrain_choices[tile])
        if walk.cluster_max and code in walk.numbered:
            near, most = walk.cluster_near, walk.cluster_max
            cluster = [tile]
            for member in cluster:
                for partner in near[member]:
                    if terrain[partner] == code and partner not in cluster:
                        cluster.append(partner)
                if len(cluster) > most:
                    return faults + len(cluster) - most
        return faults

    def _marker_faults(self, tile: int) -> int:
        """Return the number of restrictions that the marker of a tile breaks."""
        walk, terrain, markers, sea = self._walk, self._terrain, self._markers, self._sea
        marker = markers[tile]
        faults = _touching(markers, tile, walk.markers_apart)
        faults += not walk.marker_fits(tile, terrain[tile], marker)
        for a, b, c in walk.triples[tile]:
            if not walk.meet(markers[a], markers[b], markers[c]):
                faults += sea not in (terrain[a], terrain[b], terrain[c])
        return faults

    # From a deal to a board

    def repair_terrain(self) -> bool:
        """Exchange terrains until they break no restriction. Return False if that fails."""
        return self._repair(self._terrain_faults, self._terrain, self._terrain_pool)

    def deal_markers(self) -> bool:
        """Put random markers on the numbered tiles. Return False if there are too few."""
        layout, source = self._walk.layout, self._random
        self._markers = [0] * layout.n_tiles
        for pool in layout.marker_boxes:  # A fixed marker stays in its box while its tile is bare.
            tiles = [t for t in pool.tiles if self._carries(t)]
            pieces = list(Counter(pool.pieces).elements())
            if len(pieces) < len(tiles):
                return False
            source.shuffle(pieces)
            for tile, piece in zip(tiles, pieces, strict=False):
                self._markers[tile] = piece
            unused = Counter(pieces[len(tiles) :])
            in_box = {marker: unused[marker] for marker in sorted(pool.pieces)}
            self._left |= dict.fromkeys(pool.tiles, in_box)
        return True

    def repair_markers(self) -> bool:
        """Exchange markers until they break no restriction. Return False if that fails."""
        partners = {
            tile: tuple(t for t in mates if self._carries(t)) if self._carries(tile) else ()
            for tile, mates in self._marker_pool.items()
        }
        return self._repair(self._marker_faults, self._markers, partners)

    def _repair(
        self, faults: Callable[[int], int], pieces: list[int], partners: dict[int, tuple[int, ...]]
    ) -> bool:
        source, tiles = self._random, list(self._tiles)
        for _ in range(_SWEEPS):
            broken = [tile for tile in tiles if faults(tile)]
            if not broken:
                return True
            source.shuffle(broken)
            for tile in broken:
                mates = partners[tile]
                for _ in range(_STARTS_MOST if mates else 0):
                    before = faults(tile)
                    if not before:
                        break
                    mate = mates[int(source.random() * len(mates))]
                    if pieces[mate] == pieces[tile]:
                        continue
                    before += faults(mate)
                    pieces[tile], pieces[mate] = pieces[mate], pieces[tile]
                    after = faults(tile) + faults(mate)
                    if after > before and source.random() >= _WORSE:
                        pieces[tile], pieces[mate] = pieces[mate], pieces[tile]
                if pieces is self._markers and mates:
                    most = faults(tile)
                    for marker in [marker for marker, n in self._left[tile].items() if n]:
                        if self._trade_in(tile, marker, most):
                            break
        return False

    # The walk

    def walk(self, steps: int) -> None:
        """Propose *steps* exchanges, and make those that break no restriction."""
        source, terrain, markers = self._random.random, self._terrain, self._markers
        terrain_tiles = [t for t in self._tiles if len(self._terrain_pool[t]) > 1]
        marker_tiles = [t for t in self._tiles if self._marker_pool[t]]
        for step in range(steps):
            if step % 2 and terrain_tiles:
                tile = terrain_tiles[int(source() * len(terrain_tiles))]
                mates = self._terrain_pool[tile]
                mate = mates[int(source() * len(mates))]
                if terrain[tile] == terrain[mate]:
                    continue
                if bool(markers[tile]) == bool(markers[mate]):
                    self._exchange(tile, mate, terrain)
                elif mate in self._marker_pool[tile]:  # The marker moves along.
                    self._exchange(tile, mate, terrain, markers)
                else:
                    self._exchange_bare(*((mate, tile) if markers[tile] else (tile, mate)))
            elif marker_tiles:
                tile = marker_tiles[int(source() * len(marker_tiles))]
                mates, in_box = self._marker_pool[tile], self._left[tile]
                if step % 4 and any(in_box.values()):
                    choices = tuple(in_box)
                    marker = choices[int(source() * len(choices))]
                    if markers[tile] and in_box[marker]:
                        self._trade_in(tile, marker, 1)
                else:
                    mate = mates[int(source() * len(mates))]
                    if markers[tile] and markers[mate] and markers[tile] != markers[mate]:
                        self._exchange(tile, mate, markers)

    def _exchange(self, tile: int, mate: int, *layers: list[int]) -> None:
        """Exchange the pieces of two tiles, and undo it if that breaks a restriction."""
        two = (tile, mate)
        for pieces in layers:
            pieces[tile], pieces[mate] = pieces[mate], pieces[tile]
        if any(map(self._marker_faults, two)) or any(map(self._terrain_faults, two)):
            for pieces in layers:
                pieces[tile], pieces[mate] = pieces[mate], pieces[tile]

    def _exchange_bare(self, bare: int, full: int) -> None:
        """Exchange the terrains of a bare tile and a numbered tile of another marker pool.

        The marker of *full* returns to its box. The other tile takes a marker from its own box. This marker
        is sampled from all numbers, and nothing changes if the box lacks it. So an exchange and its reverse
        have the same probability.
        """
        terrain, markers, in_box = self._terrain, self._markers, self._left
        marker, partner = MARKERS[int(self._random.random() * len(MARKERS))], markers[full]
        if in_box[bare].get(marker):
            markers[bare], markers[full] = marker, 0
            self._exchange(bare, full, terrain)
            if terrain[bare] not in self._walk.numbered:  # The exchange was undone.
                markers[bare], markers[full] = 0, partner
            else:
                in_box[bare][marker] -= 1
                in_box[full][partner] += 1

    def _trade_in(self, tile: int, marker: int, most: int) -> bool:
        """Exchange the marker of a tile for one from its box. Return False if undone.

        The exchange is kept if the tile then breaks fewer than *most* restrictions.
        """
        old, in_box = self._markers[tile], self._left[tile]
        self._markers[tile] = marker
        if self._marker_faults(tile) >= most:
            self._markers[tile] = old
            return False
        in_box[old] += 1  # Both markers may be equal, so add and subtract.
        in_box[marker] -= 1
        return True

    # Results

    def _carries(self, tile: int) -> bool:
        return self._terrain[tile] in self._walk.numbered and tile not in self._walk.layout.unmarked

    def board(self) -> Board:
        """Return the current board."""
        walk = self._walk
        names = walk.layout.all_terrains
        return board_of(
            walk.layout,
            tuple([names[code - 1] for code in self._terrain]),
            tuple([marker or None for marker in self._markers]),
            walk.harbors.sample(1, self._random)[0],
        )


def _touching(
    pieces: list[int], tile: int, apart: Iterable[tuple[Sequence[Sequence[int]], dict[int, frozenset[int]]]]
) -> int:
    """Return the number of touching pieces that the piece of a tile excludes."""
    piece, faults = pieces[tile], 0
    for near, partners in apart:
        if bad := partners.get(piece):
            for partner in near[tile]:
                faults += pieces[partner] in bad
    return faults


def _marker_fits(limits: MarkerTables, layout: Layout, tile: int, code: int, marker: int) -> bool:
    """Test whether a tile with a terrain code may have a marker (0 for none)."""
    name = layout.all_terrains[code - 1]
    if name in layout.unnumbered or tile in layout.unmarked:
        return not marker and not any(
            fixed for rule in limits.fixed for t, fixed in rule.markers if t == tile
        )
    return marker != 0 and limits.may_carry(tile, name, marker)
