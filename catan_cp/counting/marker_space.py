"""All ways to put markers on a terrain, as a space with a size, a numbering for every rank, and the reverse.

Three kinds of space serve three kinds of rules: a decision diagram where rules look at a few tiles at a time
(`DiagramMarkers`), a short list where the order of the markers is fixed (`ListedMarkers`), and a search where
sums tie everything together (`SearchedMarkers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import Diagram, build
from catan_cp.counting.frontier import Puzzle
from catan_cp.counting.marker_puzzle import (
    MARKER_STATES,
    NO_LIMITS,
    MarkerPuzzle,
    fixed_order,
    marker_limits,
    marker_puzzle,
    ordered_markers,
)
from catan_cp.counting.marker_search import MarkerSearch, marker_search, without_search
from catan_cp.rules.rules import Rules

Markers = NDArray[np.uint8]
"""Markers of some boards: shape (boards, tiles of the layout), 0 for none."""


class MarkerSpace(Protocol):
    """The markers that rules allow on one terrain, in an order."""

    @property
    def total(self) -> int:
        """How many there are."""

    def markers(self, ranks: Sequence[int]) -> Markers:
        """Return those of these ranks, each from 0 to below `total`."""

    def ranks(self, markers: Markers) -> list[int]:
        """Return the rank of each of these, -1 for those that are not allowed."""


@dataclass(frozen=True)
class DiagramMarkers:
    """Markers by a decision diagram.

    Kinds of marker that no rule tells apart are one kind in the diagram; which of them each tile has is dealt
    afterwards, by a diagram of its own for every number of tiles that share a kind.
    """

    puzzle: MarkerPuzzle
    diagram: Diagram
    n_tiles: int

    @property
    def total(self) -> int:
        """How many there are."""
        return self.diagram.total

    def markers(self, ranks: Sequence[int]) -> Markers:
        """Return those of these ranks."""
        kinds, rest = self.diagram.unrank(ranks)
        here = np.zeros(kinds.shape, dtype=np.uint8)
        for kind, members in enumerate(self.puzzle.members):
            mine = kinds == kind
            if len(members) == 1:
                here[mine] = members[0]
                continue
            numbers = mine.sum(axis=1)
            for used in np.unique(numbers[numbers > 0]).tolist():
                rows = np.flatnonzero(numbers == used)
                deal = self._deal(kind, used)
                dealt, _ = deal.unrank((rest[rows] % deal.total).tolist())
                rest[rows] //= deal.total
                named = np.array(members, dtype=np.uint8)[dealt]
                block = here[rows]
                block[mine[rows]] = named.ravel()  # row by row, so each tile gets its own
                here[rows] = block
        found = np.zeros((len(ranks), self.n_tiles), dtype=np.uint8)
        found[:, list(self.puzzle.tiles)] = here
        return found

    def ranks(self, markers: Markers) -> list[int]:
        """Return the rank of each of these, -1 for those that are not allowed."""
        tiles = list(self.puzzle.tiles)
        here = markers[:, tiles]
        kind_of = np.full((len(tiles), 256), len(self.puzzle.members), dtype=np.uint8)
        for cell, domain in enumerate(self.puzzle.puzzle.domains):
            for kind in sorted(domain, reverse=True):
                kind_of[cell, list(self.puzzle.members[kind])] = kind
        kinds = kind_of[np.arange(len(tiles)), here]
        found = np.array(self.diagram.rank(kinds), dtype=object)
        found[np.delete(markers, tiles, axis=1).any(axis=1)] = -1
        scale = np.ones(len(found), dtype=object)
        for kind, members in enumerate(self.puzzle.members):
            mine = kinds == kind
            numbers = np.where(found >= 0, mine.sum(axis=1), 0) if len(members) > 1 else np.zeros(len(found))
            place = np.zeros(256, dtype=np.uint8)
            place[list(members)] = range(len(members))
            for used in np.unique(numbers[numbers > 0]).tolist():
                rows = np.flatnonzero(numbers == used)
                deal = self._deal(kind, used)
                dealt = place[here[rows][mine[rows]]].reshape(len(rows), used)
                inside = np.array(deal.rank(dealt), dtype=object)
                found[rows] = np.where(inside < 0, -1, found[rows] + inside * scale[rows])
                scale[rows] *= deal.total
        return [int(rank) for rank in found]

    def _deal(self, kind: int, used: int) -> Diagram:
        return _deal(self.puzzle.supplies[kind], used)


@lru_cache(maxsize=256)
def _deal(supply: tuple[int, ...], cells: int) -> Diagram:
    """Return the ways to fill so many cells from a supply, with no rule at all."""
    kinds = frozenset(range(len(supply)))
    groups = tuple((cell,) for cell in range(cells))
    return build(Puzzle(supply, groups, tuple(kinds for _ in groups), exact=False), MARKER_STATES)


@dataclass(frozen=True)
class ListedMarkers:
    """A list of markers, in its order: that of a fixed order along paths, or what a solver listed, sorted."""

    rows: tuple[tuple[int | None, ...], ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.rows)

    def markers(self, ranks: Sequence[int]) -> Markers:
        """Return those of these ranks."""
        return self._array[list(ranks)]

    @cached_property
    def _array(self) -> Markers:
        return np.array([[marker or 0 for marker in row] for row in self.rows], dtype=np.uint8)

    def ranks(self, markers: Markers) -> list[int]:
        """Return the rank of each of these, -1 for those that are not in the list."""
        return [self._ranks.get(row.tobytes(), -1) for row in np.ascontiguousarray(markers)]

    @cached_property
    def _ranks(self) -> dict[bytes, int]:
        return {bytes(marker or 0 for marker in row): rank for rank, row in enumerate(self.rows)}


@dataclass(frozen=True)
class SearchedMarkers:
    """Markers by a search in compiled code; the count is made when it is first asked for."""

    search: MarkerSearch

    @cached_property
    def total(self) -> int:
        """How many there are."""
        return self.search.count()

    def markers(self, ranks: Sequence[int]) -> Markers:
        """Return those of these ranks: ranks in a row by one search, others by a search each."""
        if len(ranks) > 1 and list(ranks) == list(range(ranks[0], ranks[0] + len(ranks))):
            return self.search.listing(ranks[0], len(ranks))
        rows = [self.search.listing(rank, 1)[0] for rank in ranks]
        return np.array(rows, dtype=np.uint8).reshape(len(ranks), self.search.n_tiles)

    def ranks(self, markers: Markers) -> list[int]:
        """Return the rank of each of these, -1 for those that are not allowed."""
        found = (self.search.rank([marker or None for marker in row]) for row in markers.tolist())
        return [-1 if rank is None else rank for rank in found]


def free_markers(layout: Layout, budget: Budget) -> DiagramMarkers | ListedMarkers:
    """Return the markers of a layout without any rule, for its tiles that carry one, in reading order.

    All markers are in one group, and may lie on any tile that carries one.
    """
    (pool,) = layout.marker_pools
    numbered = pool.tiles[: layout.n_numbered]  # which tiles of the group does not matter
    land = ["wool" if t in numbered else "desert" for t in range(layout.n_tiles)]
    puzzle = marker_puzzle(land, NO_LIMITS, layout)
    if puzzle is None or not numbered:
        return ListedMarkers(() if numbered else ((),))
    here = replace(puzzle, tiles=tuple(range(len(numbered))))
    return DiagramMarkers(here, budget.build(puzzle.puzzle), len(numbered))


def marker_space(
    terrain: Sequence[str],
    rules: Rules,
    layout: Layout,
    budget: Budget,
    marks: Mapping[int, int] | None = None,
) -> DiagramMarkers | ListedMarkers | None:
    """Return the markers on *terrain* by a diagram or a fixed order; None where the rules have neither.

    A diagram tells markers of different *marks* apart.

    Raises:
        TooManyStates: the diagram needs more states than the budget has.
    """
    order = fixed_order(rules, layout)
    if order is not None:
        return ListedMarkers(tuple(sorted(ordered_markers(terrain, rules, layout, order), key=_by_tile)))
    limits = marker_limits(rules, layout)
    if limits is None:
        return None
    puzzle = marker_puzzle(terrain, limits, layout, marks)
    if puzzle is None:
        return ListedMarkers(())
    if not puzzle.tiles:
        return ListedMarkers(((None,) * len(terrain),))
    return DiagramMarkers(puzzle, budget.build(puzzle.puzzle), layout.n_tiles)


def searched_space(terrain: Sequence[str], rules: Rules, layout: Layout) -> SearchedMarkers | ListedMarkers:
    """Return the markers on *terrain* by compiled search, else as a solver lists them, in the same order."""
    ways = without_search(terrain, rules, layout)
    if ways is not None:
        return ListedMarkers(((None,) * len(terrain),) * ways)
    search = marker_search(terrain, rules, layout)
    if search is not None:
        return SearchedMarkers(search)
    return ListedMarkers(in_token_order(terrain, layout, listed_by_solver(terrain, rules, layout)))


def listed_by_solver(terrain: Sequence[str], rules: Rules, layout: Layout) -> Iterable[Sequence[int | None]]:
    """List the markers of a terrain with the solver, by the room above that speaks to it."""
    from catan_cp import enumerate_markers

    return enumerate_markers(terrain, rules, layout)


def in_token_order(
    terrain: Sequence[str], layout: Layout, rows: Iterable[Sequence[int | None]]
) -> tuple[tuple[int | None, ...], ...]:
    """Return markers sorted as `marker_search` orders them: by the tiles of the 12s, then of the 11s, ..."""
    tiles = [t for t, name in enumerate(terrain) if name not in UNNUMBERED]
    every = [tuple(row) for row in rows]
    if not every or not tiles:
        return tuple(every)
    here = np.array([[row[t] or 0 for t in tiles] for row in every])
    columns: list[NDArray[np.int64]] = []
    for marker in sorted(layout.marker_supply, reverse=True):
        places = np.where(here == marker, np.arange(len(tiles)), len(tiles))  # a token in the box comes last
        columns.extend(np.sort(places, axis=1)[:, : layout.marker_supply[marker]].T)
    return tuple(every[row] for row in np.lexsort(columns[::-1]))


def _by_tile(row: Sequence[int | None]) -> list[int]:
    return [marker or 0 for marker in row]
