"""Boards by a random walk through those that rules allow: many a second, on any layout, without a solver.

A board is dealt at random and mended: a tile that breaks a rule exchanges its piece with another tile where
that breaks less (min-conflicts; Minton, Johnston, Philips and Laird 1992). From there the walk goes on:
it proposes to exchange two pieces, drawn at random, and does so if the rules still hold (Metropolis,
Rosenbluth, Rosenbluth, Teller and Teller 1953). An exchange and its reverse are proposed with the same
chance, so a long walk meets every board that it can reach equally often. Exchanges may not connect all
boards, and `_STEPS` steps per tile may not be enough; docs/methods.md tells what was measured. Small spaces
are sampled exactly instead (`catan_cp.counting.has_few`).

It stands in for the models as shipped, for rules whose declarations come down to a few restrictions that look
at one tile, at tiles that touch, or at vertices; a user's own text and all other rules are for the solver.

>>> import random
>>> from catan_cp.boards.layout import LAYOUTS
>>> from catan_cp.rules.rules import Rules
>>> walk = board_walk(Rules.preset("tournament"), LAYOUTS["seafarers-8"])
>>> board = walk.board(random.Random(1))
>>> Rules.preset("tournament").check(board)
[]
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.geometry import neighbors
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import MARKERS
from catan_cp.counting.coasts import CoastDeals, deal_grounds, harbor_deals
from catan_cp.counting.markers import MarkerLimits, all_limits
from catan_cp.counting.terrains import Limits, local_limits
from catan_cp.rules.rules import Rules, has_own_text, set_rules

_STEPS = 12
"""Proposals of the walk a tile: half of them about terrain, half about markers."""
_DEALS = 4
"""So many boards are dealt, and mended in vain, before the walk gives up."""
_SWEEPS = 60
"""How often all tiles of a dealt board are gone through to mend it."""
_TRIES = 12
"""So many partners are tried for a tile that breaks a rule, each time it is come to."""
_WORSE = 0.05
"""The chance to make an exchange though it breaks more, which leads out of dead ends."""


def board_walk(rules: Rules, layout: Layout) -> BoardWalk | None:
    """Return what draws boards by walking; None where the rules, or edited models, say what it does not know.

    It depends on rules, models and layout alone.
    """
    return None if has_own_text(rules, "boards") else _board_walk(rules, layout)


@lru_cache(maxsize=64)
def _board_walk(rules: Rules, layout: Layout) -> BoardWalk | None:
    """Return the same for the models as shipped: whether they are edited may change from call to call."""

    def looks_at_terrain(part: str) -> bool:
        return any(rule.sees_terrain for rule, _ in set_rules(rules, part))

    if rules.symmetry != "all" or looks_at_terrain("markers"):
        return None
    if rules.harbors == "shuffled" and (
        layout.fixed_harbors or layout.movable_harbors or looks_at_terrain("harbors")
    ):
        return None
    terrain = local_limits(rules, layout)
    markers = all_limits(rules, layout)
    if terrain is None or markers is None or markers.on_terrain or markers.quotas or markers.pips:
        return None
    return BoardWalk(layout, harbor_deals(layout, rules.harbors), terrain, markers)


class BoardWalk:
    """Draws boards of a layout under rules; made by `board_walk`.

    Attributes:
        layout: the layout.
        harbors: the harbors that a board may have.
        numbered: the codes of the terrains that carry a marker.
        terrain_choices: per tile, the codes of the terrains that may be there.
        terrain_apart: per restriction, the tiles paired with each tile, and per code those it may not meet.
        cluster_max: the most tiles in a cluster of numbered terrain; 0 for no bound.
        cluster_near: the tiles that touch each tile, for clusters.
        marker_fits: whether, on a tile with a terrain of that code, there may be that marker, 0 for none.
        markers_apart: per restriction, the tiles paired with each tile, and per marker those it may not meet.
        corners: per tile, the threes of tiles that meet at a vertex of it; empty where no rule asks.
        meet: whether three markers, 0 on a bare tile, may meet at a vertex of three land tiles.
    """

    def __init__(
        self, layout: Layout, harbors: CoastDeals[Harbor], terrain: Limits, markers: MarkerLimits
    ) -> None:
        code, clusters = layout.terrain_codes, terrain.clusters
        self.layout, self.harbors = layout, harbors
        self.numbered = frozenset(code[name] for name in layout.terrains if name not in layout.unnumbered)
        self.terrain_choices = [frozenset(code[name] for name in names) for names in terrain.domains]
        self.terrain_apart = [
            (
                neighbors(layout.n_tiles, each.pairs),
                {code[a]: frozenset(code[b] for b in code if {a, b} in each.terrains) for a in code},
            )
            for each in terrain.apart
        ]
        self.cluster_max = clusters.size if clusters else 0
        self.cluster_near = neighbors(layout.n_tiles, clusters.pairs if clusters else ())
        self.marker_fits = cache(partial(_marker_fits, markers, layout))
        self.markers_apart = [
            (
                neighbors(layout.n_tiles, each.pairs),
                {
                    a: frozenset(b for b in MARKERS if each.conflicts(a, b) or each.conflicts(b, a))
                    for a in MARKERS
                },
            )
            for each in markers.apart
        ]
        threes = [three for _, three in layout.inner_vertices if markers.vertices]
        self.corners = [[three for three in threes if t in three] for t in range(layout.n_tiles)]
        self.meet = cache(lambda *three: markers.meet([marker or None for marker in three]))

    def board(self, source: random.Random) -> Board | None:
        """Return a board drawn with *source*; None where none was found on a few dealt ones."""
        for _ in range(_DEALS):
            drawn = _Drawn(self, source)
            if drawn.mend_terrain() and drawn.deal_markers() and drawn.mend_markers():
                drawn.walk(_STEPS * self.layout.n_tiles)
                return deal_grounds(drawn.board(), source)
        return None

    def finds_terrain(self, source: random.Random) -> bool:
        """Return whether an allowed terrain arrangement is found with *source*; False proves nothing."""
        return any(_Drawn(self, source).mend_terrain() for _ in range(_DEALS))


class _Drawn:
    """A board on which pieces change places; `BoardWalk` says what may lie where."""

    def __init__(self, walk: BoardWalk, source: random.Random) -> None:
        layout, code = walk.layout, walk.layout.terrain_codes
        self._walk, self._random = walk, source
        self._terrain = [code[layout.fixed_terrain.get(t, "sea")] for t in range(layout.n_tiles)]
        self._markers = [0] * layout.n_tiles
        self._left: dict[int, dict[int, int]] = {}  # per tile, how many of each marker its pool has left
        for pool in layout.terrain_pools:
            pieces = [code[name] for name in Counter(pool.pieces).elements()]
            source.shuffle(pieces)
            for tile, piece in zip(pool.tiles, pieces, strict=True):
                self._terrain[tile] = piece
        self._tiles = range(layout.n_tiles)
        # per tile, the tiles of its pool, itself among them; none for a tile in no pool
        alone: dict[int, tuple[int, ...]] = dict.fromkeys(self._tiles, ())
        self._terrain_pool = alone | {t: pool.tiles for pool in layout.terrain_pools for t in pool.tiles}
        self._marker_pool = alone | {t: pool.tiles for pool in layout.marker_pools for t in pool.tiles}
        self._sea = code["sea"]

    # What is wrong

    def _terrain_faults(self, tile: int) -> int:
        """How many restrictions the terrain of a tile breaks."""
        walk, terrain = self._walk, self._terrain
        here = terrain[tile]
        faults = _touching(terrain, tile, walk.terrain_apart) + (here not in walk.terrain_choices[tile])
        if walk.cluster_max and here in walk.numbered:
            near, most = walk.cluster_near, walk.cluster_max
            cluster = [tile]
            for member in cluster:
                for other in near[member]:
                    if terrain[other] == here and other not in cluster:
                        cluster.append(other)
                if len(cluster) > most:
                    return faults + len(cluster) - most
        return faults

    def _marker_faults(self, tile: int) -> int:
        """How many restrictions the marker of a tile breaks."""
        walk, terrain, markers, sea = self._walk, self._terrain, self._markers, self._sea
        here = markers[tile]
        faults = _touching(markers, tile, walk.markers_apart)
        faults += not walk.marker_fits(tile, terrain[tile], here)
        for a, b, c in walk.corners[tile]:
            if not walk.meet(markers[a], markers[b], markers[c]):
                faults += sea not in (terrain[a], terrain[b], terrain[c])
        return faults

    # From a deal to a board

    def mend_terrain(self) -> bool:
        """Exchange terrains until no restriction on them is broken; return whether that was reached."""
        return self._mend(self._terrain_faults, self._terrain, self._terrain_pool)

    def deal_markers(self) -> bool:
        """Put markers on the tiles that carry one; return whether there were enough."""
        layout, source = self._walk.layout, self._random
        self._markers = [0] * layout.n_tiles
        for pool in layout.marker_boxes:  # a fixed marker stays in its box while its tile is bare
            tiles = [t for t in pool.tiles if self._carries(t)]
            pieces = list(Counter(pool.pieces).elements())
            if len(pieces) < len(tiles):
                return False
            source.shuffle(pieces)
            for tile, piece in zip(tiles, pieces, strict=False):
                self._markers[tile] = piece
            unused = Counter(pieces[len(tiles) :])
            left = {marker: unused[marker] for marker in sorted(pool.pieces)}
            self._left |= dict.fromkeys(pool.tiles, left)
        return True

    def mend_markers(self) -> bool:
        """Exchange markers until no restriction on them is broken; return whether that was reached."""
        partners = {
            tile: tuple(t for t in mates if self._carries(t)) if self._carries(tile) else ()
            for tile, mates in self._marker_pool.items()
        }
        return self._mend(self._marker_faults, self._markers, partners)

    def _mend(
        self, faults: Callable[[int], int], pieces: list[int], partners: dict[int, tuple[int, ...]]
    ) -> bool:
        source, tiles = self._random, list(self._tiles)
        for _ in range(_SWEEPS):
            wrong = [tile for tile in tiles if faults(tile)]
            if not wrong:
                return True
            source.shuffle(wrong)
            for tile in wrong:
                mates = partners[tile]
                for _ in range(_TRIES if mates else 0):
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
        """Propose so many exchanges, and make those after which no restriction is broken."""
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
                elif mate in self._marker_pool[tile]:  # the one marker goes along
                    self._exchange(tile, mate, terrain, markers)
                else:
                    self._exchange_bare(*((mate, tile) if markers[tile] else (tile, mate)))
            elif marker_tiles:
                tile = marker_tiles[int(source() * len(marker_tiles))]
                mates, left = self._marker_pool[tile], self._left[tile]
                if step % 4 and any(left.values()):
                    kinds = tuple(left)
                    marker = kinds[int(source() * len(kinds))]
                    if markers[tile] and left[marker]:
                        self._trade_in(tile, marker, 1)
                else:
                    mate = mates[int(source() * len(mates))]
                    if markers[tile] and markers[mate] and markers[tile] != markers[mate]:
                        self._exchange(tile, mate, markers)

    def _exchange(self, tile: int, mate: int, *layers: list[int]) -> None:
        """Exchange what lies on two tiles, and back where that breaks a restriction."""
        two = (tile, mate)
        for pieces in layers:
            pieces[tile], pieces[mate] = pieces[mate], pieces[tile]
        if any(map(self._marker_faults, two)) or any(map(self._terrain_faults, two)):
            for pieces in layers:
                pieces[tile], pieces[mate] = pieces[mate], pieces[tile]

    def _exchange_bare(self, bare: int, full: int) -> None:
        """Exchange the terrains of a bare tile and a tile whose marker belongs to another group.

        That marker goes to its box. The bare tile takes from its own box a marker that is sampled from all
        numbers, so the reverse has the same chance.
        """
        terrain, markers, left = self._terrain, self._markers, self._left
        marker, other = MARKERS[int(self._random.random() * len(MARKERS))], markers[full]
        if left[bare].get(marker):
            markers[bare], markers[full] = marker, 0
            self._exchange(bare, full, terrain)
            if terrain[bare] not in self._walk.numbered:  # it was exchanged back
                markers[bare], markers[full] = 0, other
            else:
                left[bare][marker] -= 1
                left[full][other] += 1

    def _trade_in(self, tile: int, marker: int, most: int) -> bool:
        """Change a tile's marker for one left in the box where fewer than *most* restrictions break then."""
        here, left = self._markers[tile], self._left[tile]
        self._markers[tile] = marker
        if self._marker_faults(tile) >= most:
            self._markers[tile] = here
            return False
        left[here] += 1  # the two may be equal
        left[marker] -= 1
        return True

    # What is where

    def _carries(self, tile: int) -> bool:
        return self._terrain[tile] in self._walk.numbered and tile not in self._walk.layout.unmarked

    def board(self) -> Board:
        """Return the board as it stands."""
        walk = self._walk
        names = walk.layout.all_terrains
        return board_of(
            walk.layout,
            tuple([names[code - 1] for code in self._terrain]),
            tuple([marker or None for marker in self._markers]),
            walk.harbors.pieces_at([self._random.randrange(walk.harbors.total)])[0],
        )


def _touching(
    pieces: list[int], tile: int, apart: Iterable[tuple[Sequence[Sequence[int]], dict[int, frozenset[int]]]]
) -> int:
    """How often the piece of a tile touches one that it may not meet."""
    here, faults = pieces[tile], 0
    for near, partners in apart:
        if bad := partners.get(here):
            for other in near[tile]:
                faults += pieces[other] in bad
    return faults


def _marker_fits(limits: MarkerLimits, layout: Layout, tile: int, code: int, marker: int) -> bool:
    """Whether layout and pattern let that marker, 0 for none, be on a tile with a terrain of that code."""
    name = layout.all_terrains[code - 1]
    if name in layout.unnumbered or tile in layout.unmarked:
        return not marker and not any(
            given for each in limits.fixed for t, given in each.markers if t == tile
        )
    return marker != 0 and limits.may_carry(tile, name, marker)
