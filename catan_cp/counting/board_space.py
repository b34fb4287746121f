"""All complete boards that rules allow, as one space with a size, a board for every rank, and the reverse.

A space is a row of *blocks*. What the boards of a block have in common is all that its markers look at:

* Rules whose markers look at no terrain have one block: every terrain goes with all markers.
* Rules whose markers look at where the bare tiles are (sea and desert, which carry none) have a block for
  each way in which those can lie, or for all ways that rotations and mirrors turn into each other: its
  terrains go with all its markers.
* Rules that tie markers to the terrain have a block for each terrain, whose *weight* is the number of its
  markers; see `weights`.

Within a block the order is by terrain, then by markers, then by harbors. So the k-th board is found by
division, and a uniform k is a uniform board (unranking). The order depends on rules and layout alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from math import comb, factorial, prod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import TRADES
from catan_cp.counting.marker_space import Markers, MarkerSpace
from catan_cp.counting.terrains import TerrainSpace


@dataclass(frozen=True)
class HarborSpace:
    """The harbors that a board may have.

    Attributes:
        layout: the layout.
        rule: the value of the rule ``harbors``: ``none``, ``printed`` or ``shuffled``.
    """

    layout: Layout
    rule: str

    @cached_property
    def total(self) -> int:
        """How many there are: 1 but for trades that are dealt anew, of which it is a multinomial."""
        if self.rule != "shuffled":
            return 1
        counts = Counter(harbor.trade for harbor in self.layout.laid_harbors)
        return _ways(counts)

    def harbors(self, rank: int) -> tuple[Harbor, ...]:
        """Return the harbors of this rank, in the order of their edges.

        Ranks go by trades along the coast, in lexicographic order of `TRADES`.
        """
        printed = self.layout.laid_harbors
        if self.rule == "none":
            return ()
        if self.rule == "printed":
            return self._printed
        left = Counter(harbor.trade for harbor in printed)
        found = []
        for harbor in printed:
            for trade in (trade for trade in TRADES if left[trade]):
                left[trade] -= 1
                ways = _ways(left)
                if rank < ways:
                    found.append(Harbor(harbor.vertices, trade))
                    break
                left[trade] += 1
                rank -= ways
        return _sorted(found)

    @cached_property
    def _printed(self) -> tuple[Harbor, ...]:
        return _sorted(self.layout.laid_harbors)

    def rank(self, harbors: Sequence[Harbor]) -> int | None:
        """Return the rank of these harbors, or None where the rule does not allow them.

        A board on which none of the printed ones are laid yet counts as the board with them.
        """
        printed = self.layout.laid_harbors
        if self.rule != "shuffled":
            wanted = printed if self.rule == "printed" else ()
            return 0 if not harbors or set(harbors) == set(wanted) else None
        trades = {harbor.vertices: harbor.trade for harbor in harbors}
        left = Counter(harbor.trade for harbor in printed)
        if set(trades) != {harbor.vertices for harbor in printed} or Counter(trades.values()) != left:
            return None
        rank = 0
        for harbor in printed:
            here = trades[harbor.vertices]
            for trade in TRADES[: TRADES.index(here)]:
                if left[trade]:
                    rank += _ways(left - Counter([trade]))
            left[here] -= 1
        return rank


def _sorted(harbors: Iterable[Harbor]) -> tuple[Harbor, ...]:
    return tuple(sorted(harbors, key=lambda harbor: harbor.vertices))


def _ways(counts: Counter[str]) -> int:
    return factorial(counts.total()) // prod(map(factorial, counts.values()))


Bare = tuple[tuple[int, str], ...]
"""The tiles without markers, in rising order, and what they are."""


class Block(Protocol):
    """Boards that share what their markers look at, harbors aside."""

    at_once: ClassVar[int]

    @property
    def total(self) -> int:
        """How many there are."""

    def unrank(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], Markers]:
        """Return terrain codes and markers of these ranks, each of shape (ranks, tiles)."""

    def ranks(self, codes: NDArray[np.uint8], markers: Markers) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""


@dataclass(frozen=True)
class ProductBlock:
    """Every terrain of a space with all markers of another, turned in several ways.

    Attributes:
        terrains: the terrains, as they are before they are turned.
        markers: the markers, likewise.
        turns: per way, the permutation: what is on tile *t* of those is on tile ``turn[t]`` of the board.
    """

    terrains: TerrainSpace
    markers: MarkerSpace
    turns: tuple[tuple[int, ...], ...]
    at_once: ClassVar[int] = 4_000

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.turns) * self.terrains.ranks * self.markers.total

    def unrank(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], Markers]:
        """Return terrain codes and markers of these ranks."""
        split = [divmod(rank, self.markers.total) for rank in ranks]
        terrains = [divmod(terrain, self.terrains.ranks) for terrain, _ in split]
        codes = self.terrains.terrains([terrain for _, terrain in terrains])
        markers = self.markers.markers([rest for _, rest in split])
        turns = np.array(self.turns)[[turn for turn, _ in terrains]]
        turned = np.empty_like(codes), np.empty_like(markers)
        for new, old in zip(turned, (codes, markers), strict=True):
            np.put_along_axis(new, turns, old, axis=1)
        return turned

    def ranks(self, codes: NDArray[np.uint8], markers: Markers) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""
        found = [-1] * len(codes)
        for number, turn in enumerate(self.turns):
            terrains = self.terrains.rank(codes[:, list(turn)])
            rows = [row for row, rank in enumerate(terrains) if rank >= 0 > found[row]]
            if not rows:
                continue
            inside = self.markers.ranks(markers[rows][:, list(turn)])
            for row, rank in zip(rows, inside, strict=True):
                if rank >= 0:
                    terrain = number * self.terrains.ranks + terrains[row]
                    found[row] = terrain * self.markers.total + rank
        return found


@dataclass(frozen=True)
class FreeBlock:
    """Every terrain of a space with all markers in any places, for rules that say nothing of markers.

    Attributes:
        terrains: the terrains.
        markers: the markers, for the tiles that carry one, in reading order.
        bare: the codes of the terrains that carry none.
    """

    terrains: TerrainSpace
    markers: MarkerSpace
    bare: tuple[int, ...]
    at_once: ClassVar[int] = 4_000

    @property
    def total(self) -> int:
        """How many there are."""
        return self.terrains.ranks * self.markers.total

    def unrank(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], Markers]:
        """Return terrain codes and markers of these ranks."""
        split = [divmod(rank, self.markers.total) for rank in ranks]
        codes = self.terrains.terrains([terrain for terrain, _ in split])
        markers = np.zeros_like(codes)
        markers[~np.isin(codes, self.bare)] = self.markers.markers([rest for _, rest in split]).ravel()
        return codes, markers

    def ranks(self, codes: NDArray[np.uint8], markers: Markers) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""
        terrains = self.terrains.rank(codes)
        bare = np.isin(codes, self.bare)
        fit = (bare == (markers == 0)).all(axis=1) & (np.array(terrains, dtype=object) >= 0)
        found = [-1] * len(codes)
        rows = np.flatnonzero(fit)
        if len(rows):
            numbers = markers[rows][~bare[rows]].reshape(len(rows), -1)
            for row, rank in zip(rows.tolist(), self.markers.ranks(numbers), strict=True):
                if rank >= 0:
                    found[row] = terrains[row] * self.markers.total + rank
        return found


def bare_codes(layout: Layout) -> tuple[int, ...]:
    """Return the codes of the terrains that carry no marker."""
    return tuple(layout.terrain_codes[name] for name in sorted(layout.unnumbered))


@dataclass(frozen=True)
class BoardSpace:
    """All boards that rules allow on a layout; see the module's docstring.

    Attributes:
        layout: the layout.
        blocks: in their order.
        harbors: the harbors that a board may have, whatever else is on it.
    """

    layout: Layout
    blocks: Sequence[Block]
    harbors: HarborSpace

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(block.total * self.harbors.total for block in self.blocks))

    @property
    def at_once(self) -> int:
        """How many boards are best asked for together: thousands, or few where each has to be searched."""
        return min((block.at_once for block in self.blocks), default=1)

    @property
    def total(self) -> int:
        """How many boards there are."""
        return self._ends[-1] if self._ends else 0

    def boards(self, ranks: Sequence[int]) -> Iterator[Board]:
        """Yield the boards of these ranks, in the order given."""
        codes, markers, harbors = self.arrays(ranks)
        names = np.array(("", *self.layout.all_terrains), dtype=object)[codes].tolist()
        numbers = [[marker or None for marker in row] for row in markers.tolist()]
        for terrain, marked, which in zip(names, numbers, harbors, strict=True):
            yield board_of(self.layout, tuple(terrain), tuple(marked), self.harbors.harbors(which))

    def arrays(self, ranks: Sequence[int]) -> tuple[NDArray[np.uint8], Markers, list[int]]:
        """Return terrain codes and markers of these ranks, each of shape (ranks, tiles), and harbor ranks."""
        n = len(ranks)
        codes = np.zeros((n, self.layout.n_tiles), dtype=np.uint8)
        markers = np.zeros((n, self.layout.n_tiles), dtype=np.uint8)
        harbors = [0] * n
        groups: dict[int, list[tuple[int, int]]] = {}
        for i, rank in enumerate(ranks):
            number = bisect_right(self._ends, rank)
            inside = rank - (self._ends[number - 1] if number else 0)
            inside, harbors[i] = divmod(inside, self.harbors.total)
            groups.setdefault(number, []).append((i, inside))
        for number, members in groups.items():
            rows = [i for i, _ in members]
            codes[rows], markers[rows] = self.blocks[number].unrank([inside for _, inside in members])
        return codes, markers, harbors

    def rank(self, board: Board) -> int | None:
        """Return the board's rank, or None where the rules do not allow it."""
        harbors = self.harbors.rank(board.harbors)
        if harbors is None:
            return None
        codes = np.array([[self.layout.terrain_codes[name] for name in board.terrain]], dtype=np.uint8)
        markers = np.array([[marker or 0 for marker in board.markers]], dtype=np.uint8)
        rank = self.ranks(codes, markers, [harbors])[0]
        return None if rank < 0 else rank

    def ranks(self, codes: NDArray[np.uint8], markers: Markers, harbors: Sequence[int]) -> list[int]:
        """Return the rank of each of these boards, what `arrays` makes of them; -1 for none."""
        found = [-1] * len(codes)
        left = np.arange(len(codes))
        for block, end in zip(self.blocks, self._ends, strict=True):
            begin = end - block.total * self.harbors.total
            for row, inside in zip(left.tolist(), block.ranks(codes[left], markers[left]), strict=True):
                if inside >= 0:
                    found[row] = begin + inside * self.harbors.total + harbors[row]
            left = left[[found[row] < 0 for row in left.tolist()]]
            if not len(left):
                break
        return found


def n_bare_places(layout: Layout) -> int:
    """Return in how many ways the bare tiles can lie, with no rule at all."""
    ways = 1
    for pool in layout.terrain_pools:
        left = len(pool.tiles)
        for name in _bare_names(layout):
            count = pool.pieces.get(name, 0)
            ways *= comb(left, count)
            left -= count
    return ways


def bare_places(layout: Layout) -> Iterator[Bare]:
    """Yield every way for deserts, sea and further terrains to lie, deserts first, in lexicographic order."""
    fixed = {t: name for t, name in layout.fixed_terrain.items() if name in layout.unnumbered}
    dealt = [
        (pool.tiles, name, pool.pieces[name])
        for pool in layout.terrain_pools
        for name in _bare_names(layout)
        if pool.pieces.get(name)
    ]
    yield from _laid(fixed, dealt)


def _laid(found: dict[int, str], dealt: Sequence[tuple[Sequence[int], str, int]]) -> Iterator[Bare]:
    if not dealt:
        yield tuple(sorted(found.items()))
        return
    tiles, name, count = dealt[0]
    for chosen in combinations([t for t in tiles if t not in found], count):
        yield from _laid(found | dict.fromkeys(chosen, name), dealt[1:])


def _bare_names(layout: Layout) -> tuple[str, ...]:
    return ("desert", "sea", *layout.further_terrains)
