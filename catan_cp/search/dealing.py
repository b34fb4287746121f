"""Boards by dealing the pieces at random until no rule is broken, exactly uniform and without a solver.

Each attempt deals all pieces of the box. It ends at the first piece that breaks a rule, and the next attempt
deals every piece again (rejection sampling). So each allowed board has the same probability. A method that
only repeats the last choice, or keeps the terrain and deals other markers, is faster per attempt but prefers
boards with few alternatives.

Thousands of attempts run at once, as columns of arrays. A set of tiles is a mask with one bit per tile. The
method supports rules about touching tiles, on layouts whose pieces all go to one set of tiles.

>>> from catan_cp.rules.rules import Rules
>>> problem = Problem.of(Rules(reds_apart=True, equal_markers_apart=True), "base-5-6")
>>> board = next(board_dealer(problem).boards(random.Random(1), Clock(None)))
>>> problem.check(board)
[]
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.counting.boards import boards_of
from catan_cp.counting.coasts import ground_deals, harbor_deals
from catan_cp.problem.problem import MASK_TILES, Problem
from catan_cp.problem.tables import MarkerTables, TerrainTables, values_by_tile

_BATCHES = (256, 2_048, 8_192)
"""The numbers of attempts at once: few for a single board, then many."""
FEWEST_DEALT = 8
"""The minimum number of boards from the largest batch, about one deal of a thousand."""

Masks = NDArray[np.int64]
"""Sets of tiles, one per tile (the tiles that touch it) or one per attempt."""

PiecePairs = frozenset[tuple[int, int]]
"""Pairs of pieces that exclude each other on touching tiles, in both orders."""

Slots = NDArray[np.int8]
"""The tiles of attempts in the order in which they get pieces, shape (tiles, attempts)."""


def deal_obstacle(problem: Problem, least: int) -> str:
    """Return why deals do not apply to a problem, in plain English, or an empty text.

    The result depends on rules, models and layout alone.

    Args:
        problem: the rules and the layout.
        least: the minimum number of boards from the largest batch.
    """
    if problem.board_obstacle:
        return problem.board_obstacle
    layout, terrain, markers = problem.layout, problem.terrain, problem.markers
    assert terrain is not None and markers is not None, "board_obstacle has checked this"
    bare = [name for name in layout.terrain_counts if name in layout.unnumbered]
    n_bare = sum(layout.terrain_counts[name] for name in bare)
    if (
        layout.fixed_terrain
        or len(layout.terrain_pools) != 1
        or len(layout.marker_boxes) != 1
        or not 0 < layout.n_tiles <= MASK_TILES
        or len(bare) > 1
        or sum(layout.marker_supply.values()) != layout.n_tiles - n_bare
    ):
        return "it knows only layouts with one set of pieces, all of them on the board"
    free = tuple(frozenset(name for _, name in values) for values in values_by_tile(layout))
    clusters = terrain.clusters.size if terrain.clusters else 0
    if (
        replace(terrain, apart=(), clusters=None) != TerrainTables(free, (), None)
        or clusters > 2
        or any(names & {*bare} for rule in terrain.apart for names in rule.terrains)
        or markers != MarkerTables(apart=markers.apart)
        or not (terrain.apart or clusters or markers.apart)
    ):
        return "it knows only rules about touching tiles"
    enough = board_dealer(problem).n_allowed >= least
    return "" if enough else "too few random deals satisfy these rules"


@dataclass(frozen=True)
class Deal:
    """Pieces of one kind, dealt one after another until one breaks a rule.

    Attributes:
        pieces: the pieces in the order of the deal.
        blocks: per piece, the pieces that it excludes from touching tiles, each with the masks of the tiles
            that touch each tile.
        pairs: per piece that forms clusters of at most two tiles, the masks of touching tiles.
    """

    pieces: tuple[int, ...]
    blocks: Mapping[int, Sequence[tuple[int, Masks]]]
    pairs: Mapping[int, Masks]

    @classmethod
    def of(
        cls,
        pieces: Iterable[int],
        apart: Sequence[tuple[Masks, PiecePairs]],
        pairs: Mapping[int, Masks],
    ) -> Deal:
        """Return the deal in which the pieces that exclude most others come first."""
        supply = Counter(pieces)
        blocks = {
            a: [(b, near) for near, excluded in apart for b in supply if (a, b) in excluded] for a in supply
        }
        weight = {a: sum(supply[b] for b, _ in blocks[a]) + (a in pairs) for a in supply}
        order = sorted(supply.elements(), key=lambda piece: (-weight[piece], piece))
        return cls(tuple(order), blocks, pairs)

    @property
    def is_free(self) -> bool:
        """Whether no rule is about these pieces."""
        return not self.pairs and not any(self.blocks.values())

    def run(self, slots: Slots, source: np.random.RandomState) -> tuple[Slots, NDArray[np.intp]]:
        """Deal the pieces to the slots of each attempt.

        Returns:
            The slots of the attempts that broke no rule, in the order of the pieces (slots left over are at
            the end), and the columns of these attempts.
        """
        slots = slots.copy()
        n_slots, n = slots.shape
        columns, alive = np.arange(n), np.ones(n, dtype=bool)
        masks: dict[tuple[str, int], Masks] = {}
        for number, piece in enumerate(self.pieces):
            n = len(columns)
            # Each attempt swaps the next slot with a random one from there on.
            chosen = number + (source.random_sample(n) * (n_slots - number)).astype(np.intp)
            chosen = chosen * n + np.arange(n)
            flat = slots.reshape(-1)
            tiles = flat[chosen]
            flat[chosen] = slots[number]
            slots[number] = tiles
            bit = np.left_shift(1, tiles, dtype=np.int64)
            if ("blocked", piece) in masks:
                alive &= masks["blocked", piece] & bit == 0
            for other, near in self.blocks[piece]:
                masks["blocked", other] = masks.get(("blocked", other), 0) | near[tiles]
            if piece in self.pairs:
                placed, full = masks.get(("placed", piece), 0 * bit), masks.get(("full", piece), 0 * bit)
                touched = self.pairs[piece][tiles] & placed
                alive &= (touched & touched - 1 == 0) & (touched & full == 0)
                masks["placed", piece] = placed | bit
                masks["full", piece] = full | np.where(touched, touched | bit, 0)
            # Failed attempts are removed when they are more than a quarter, and at the end.
            if 4 * np.count_nonzero(alive) < 3 * n or number == len(self.pieces) - 1:
                slots, columns = slots.compress(alive, axis=1), columns[alive]
                masks = {key: mask[alive] for key, mask in masks.items()}
                alive = np.ones(len(columns), dtype=bool)
        return slots, columns


@dataclass(frozen=True)
class BoardDealer:
    """The sampler of the boards of a layout under rules.

    Attributes:
        layout: the layout.
        harbors: the value of the rule ``harbors``.
        bare: the terrain code of the tiles that get no marker.
        deals: the deals of terrain and markers. The first one has rules.
        terrain_first: whether the first deal is that of the terrain.
    """

    layout: Layout
    harbors: str
    bare: int
    deals: tuple[Deal, Deal]
    terrain_first: bool

    @cached_property
    def n_allowed(self) -> int:
        """The number of allowed boards in a trial of the largest batch, always with the same seed."""
        return int(self.attempts(_BATCHES[-1], np.random.RandomState(0))[1].shape[1])

    def attempts(self, n: int, source: np.random.RandomState) -> tuple[Slots, Slots]:
        """Return the slots of both deals, for those of *n* attempts that broke no rule."""
        first, second = self.deals
        tiles = np.arange(self.layout.n_tiles, dtype=np.int8)
        slots, _ = first.run(np.repeat(tiles[:, None], n, axis=1), source)
        # Land and markers are equally many. So the second deal uses the tiles of the first.
        after, columns = second.run(slots[: len(first.pieces)], source)
        return slots[:, columns], after

    def boards(self, source: random.Random, clock: Clock) -> Iterator[Board]:
        """Yield sampled boards without end.

        Raises:
            SolverTimeout: the time limit passed.
        """
        layout, batches = self.layout, iter(_BATCHES)
        state = np.random.RandomState([source.getrandbits(32) for _ in range(4)])
        harbors, grounds = harbor_deals(layout, self.harbors), ground_deals(layout)
        while True:
            clock.left()
            all_slots = self.attempts(next(batches, _BATCHES[-1]), state)
            n = all_slots[0].shape[1]
            codes = np.full((n, layout.n_tiles), self.bare, dtype=np.uint8)
            markers = np.zeros_like(codes)
            tables = (codes, markers) if self.terrain_first else (markers, codes)
            for table, deal, slots in zip(tables, self.deals, all_slots, strict=True):
                pieces = np.array([deal.pieces], dtype=np.uint8)
                np.put_along_axis(table, slots[: pieces.size].T.astype(np.intp), pieces, axis=1)
            yield from boards_of(
                layout,
                codes,
                markers,
                harbors.sample(n, source),
                grounds.sample(n, source),
            )


@lru_cache(maxsize=64)
def board_dealer(problem: Problem) -> BoardDealer:
    """Return the sampler of a problem that `deal_obstacle` accepts.

    All pieces are on the board, with a marker on each land tile. At most one terrain lacks markers, and no
    rule is about it.
    """
    layout, terrain, markers = problem.layout, problem.terrain, problem.markers
    assert terrain is not None and markers is not None, "deal_obstacle has checked this"
    code, supply = layout.terrain_codes, Counter(layout.terrain_counts)
    bare = [name for name in supply if name in layout.unnumbered]
    land = [code[name] for name in supply.elements() if name not in bare]

    def near(pairs: Iterable[tuple[int, int]]) -> Masks:
        masks = np.zeros(layout.n_tiles, dtype=np.int64)
        for a, b in pairs:
            masks[a] |= 1 << b
            masks[b] |= 1 << a
        return masks

    def excluded(sets: frozenset[frozenset[str]]) -> PiecePairs:
        return frozenset((code[a], code[b]) for a in code for b in code if frozenset((a, b)) in sets)

    apart = [(near(rule.pairs), excluded(rule.terrains)) for rule in terrain.apart]
    pairs: dict[int, Masks] = {}
    if terrain.clusters and terrain.clusters.size == 1:
        apart.append((near(terrain.clusters.pairs), frozenset((piece, piece) for piece in land)))
    elif terrain.clusters:
        pairs = dict.fromkeys(land, near(terrain.clusters.pairs))
    numbers = Counter(layout.marker_supply).elements()
    deals = (
        Deal.of(numbers, [(near(rule.pairs), rule.excluded) for rule in markers.apart], {}),
        Deal.of(land, apart, pairs),
    )
    terrain_first = deals[0].is_free
    bare_code = code[bare[0]] if bare else 0
    ordered = deals[::-1] if terrain_first else deals
    return BoardDealer(layout, problem.rules.harbors, bare_code, ordered, terrain_first)
