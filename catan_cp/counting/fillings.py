"""Pieces dealt to cells, by a diagram; what diagrams may cost, and which are kept for the next call.

Interchangeable pieces are one kind of a diagram. Which of them each cell has is dealt afterwards, by a
diagram of its own for every number of cells that share the kind.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.columns import counted_on_disk
from catan_cp.counting.diagram import Diagram, Progress, TooManyStates, build
from catan_cp.counting.frontier import Puzzle

Pieces = NDArray[np.uint8]
"""The pieces of some fillings: shape (fillings, cells), terrain codes or markers."""

Built = TypeVar("Built")

_DEAL_STATES = 15_000_000


@dataclass(frozen=True)
class Fillings:
    """All ways to deal pieces to cells, with a filling for every rank, and the reverse.

    Attributes:
        diagram: the ways to fill the cells with kinds.
        pieces: per kind, the pieces that it stands for.
        supplies: per kind, how many there are of each of these.
    """

    diagram: Diagram
    pieces: tuple[tuple[int, ...], ...]
    supplies: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return self.diagram.total

    def unrank(self, ranks: Sequence[int]) -> Pieces:
        """Return the fillings of these ranks, each from 0 to below `total`."""
        kinds, rest = self.diagram.unrank(ranks)
        found = np.zeros(kinds.shape, dtype=np.uint8)
        for kind, pieces in enumerate(self.pieces):
            mine = kinds == kind
            if len(pieces) == 1:
                found[mine] = pieces[0]
                continue
            for rows, deal in self._deals(kind, mine.sum(axis=1)):
                dealt, _ = deal.unrank((rest[rows] % deal.total).tolist())
                rest[rows] //= deal.total
                block = found[rows]
                block[mine[rows]] = np.array(pieces, dtype=np.uint8)[dealt].ravel()  # row by row
                found[rows] = block
        return found

    def rank(self, filled: Pieces) -> list[int]:
        """Return the rank of each of these fillings, -1 for none."""
        puzzle = self.diagram.puzzle
        kind_of = np.full((puzzle.n_cells, 256), puzzle.n_kinds, dtype=np.uint8)
        for group, domain in zip(puzzle.groups, puzzle.domains, strict=True):
            for kind in sorted(domain, reverse=True):
                kind_of[np.ix_(group, self.pieces[kind])] = kind
        kinds = kind_of[np.arange(puzzle.n_cells), filled]
        found = np.array(self.diagram.rank(kinds), dtype=object)
        scale = np.ones(len(found), dtype=object)
        for kind, pieces in enumerate(self.pieces):
            if len(pieces) == 1:
                continue
            mine = kinds == kind
            place = np.zeros(256, dtype=np.uint8)
            place[list(pieces)] = range(len(pieces))
            for rows, deal in self._deals(kind, np.where(found >= 0, mine.sum(axis=1), 0)):
                inside = np.array(
                    deal.rank(place[filled[rows][mine[rows]]].reshape(len(rows), -1)), dtype=object
                )
                found[rows] = np.where(inside < 0, -1, found[rows] + inside * scale[rows])
                scale[rows] *= deal.total
        return [int(rank) for rank in found]

    def _deals(self, kind: int, cells: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], Diagram]]:
        """Yield the rows that have as many *cells* of a kind, and the ways to deal its pieces to so many."""
        for number in np.unique(cells[cells > 0]).tolist():
            yield np.flatnonzero(cells == number), _deal(self.supplies[kind], number)


@lru_cache(maxsize=256)
def _deal(supply: tuple[int, ...], cells: int) -> Diagram:
    """Return the ways to fill so many cells from a supply, with no rule at all."""
    kinds = frozenset(range(len(supply)))
    groups = tuple((cell,) for cell in range(cells))
    return build(Puzzle(supply, groups, tuple(kinds for _ in groups), exact=False), _DEAL_STATES)


@dataclass
class Budget:
    """The states that diagrams may still have, whom to tell how far they are, and whether they rank.

    With a *scratch* folder diagrams know only their totals, and may have any number of states.
    """

    states: int
    progress: Progress | None = None
    ranked: bool = True
    scratch: Path | None = None

    def build(self, puzzle: Puzzle) -> Diagram:
        """Return the puzzle's diagram and take its states off.

        Raises:
            TooManyStates: it has more.
            CatanError: the scratch folder cannot be written to.
        """
        if self.scratch is not None:
            return counted_on_disk(puzzle, self.scratch, self.progress)
        diagram = build(puzzle, self.states, self.progress, ranked=self.ranked)
        self.states -= diagram.n_states
        return diagram


class Kept(Generic[Built]):
    """Things that were built, those used last up to a limit.

    Whether a thing is small enough must not depend on what was asked before: a diagram that some patient call
    built is still too large for a hasty one. So with each is kept under which limit it was built, and which
    limit was too low.

    Args:
        room: the limit, in what *size* measures.
        size: how much room a thing takes.
    """

    def __init__(self, room: int, size: Callable[[Built], int] = lambda _: 1) -> None:
        self._room, self._size = room, size
        self._built: OrderedDict[Hashable, tuple[Built, int]] = OrderedDict()
        self._too_few: dict[Hashable, int] = {}
        self._lock = threading.RLock()
        _EVERY.append(self)

    def get(self, key: Hashable, max_states: int, build: Callable[[], Built]) -> Built:
        """Return what *build* returns for this key with at most *max_states* states, or returned before.

        Raises:
            TooManyStates: as *build*, which is not called where fewer states were too few already.
        """
        with self._lock:
            if max_states <= self._too_few.get(key, 0):
                raise TooManyStates(f"more than {max_states} states")
            if not self.holds(key, max_states):
                try:
                    self._built[key] = build(), max_states
                except TooManyStates:
                    self._too_few[key] = max_states
                    raise
                self._forget_oldest(key)
            self._built.move_to_end(key)
            return self._built[key][0]

    def _forget_oldest(self, key: Hashable) -> None:
        """Forget what was used longest ago, but not the thing of this key."""
        self._built.move_to_end(key)
        sizes = [self._size(thing) for thing, _ in self._built.values()]
        for begin in range(len(sizes) - 1):
            if sum(sizes[begin:]) > self._room:
                self._built.popitem(last=False)

    def holds(self, key: Hashable, max_states: int) -> bool:
        """Return whether `get` would return what was built before."""
        with self._lock:
            known = key in self._built and self._built[key][1] <= max_states
            return known and max_states > self._too_few.get(key, 0)

    def forget(self) -> None:
        """Give back the memory of all."""
        with self._lock:
            self._built.clear()
            self._too_few.clear()


def forget() -> None:
    """Give back the memory of everything counted so far."""
    for each in _EVERY:
        each.forget()


_EVERY: list[Kept[Any]] = []
