"""Spaces: arrangements of pieces with ranks, and the operations on any of them.

A *space* has a number of arrangements, the arrangement of each rank, and the rank of each arrangement (see
`Space`). Counts, samples, ranks and orbits of terrain, markers, harbors and boards use these alone.

    Arrangements   the solutions of a decision diagram, with pieces instead of values
    Listed         the rows of a list
    Union          all arrangements of several spaces, one space after another
    Product        all combinations of arrangements of several spaces, side by side
    Orbits         the orbits of arrangements under symmetries

Each value of a diagram has a *piece*: a terrain or a marker. If values are merged, it has several, and a
*deal* distributes them over the variables with that value.

>>> few, more = (Listed(np.array([rows], dtype=np.uint8).T) for rows in ([1, 2], [7, 8, 9]))
>>> both = Union((few, more), 1)
>>> both.total, both.arrays([0, 4]).ravel().tolist(), both.ranks(np.array([[8], [6]], dtype=np.uint8))
(5, [1, 9], [3, -1])
>>> pairs = Product((few, more))
>>> pairs.total, pairs.arrays([0, 4]).tolist(), pairs.ranks(np.array([[2, 8]], dtype=np.uint8))
(6, [[1, 7], [2, 8]], [4])
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catan_cp.counting.budget import UNLIMITED, Budget
from catan_cp.counting.diagram import Diagram, build
from catan_cp.counting.frontier import FrontierProblem, merged

Pieces = NDArray[np.uint8]
"""Arrangements of pieces (terrain codes, markers, ...), one per row."""

Ints = NDArray[np.int64]
"""Numbers, for computations on whole columns."""

Symmetry = Sequence[int]
"""A permutation of the tiles: the piece on tile *t* moves to tile ``symmetry[t]``."""

_DEAL_STATES = 15_000_000


class Space(Protocol):
    """Arrangements with ranks from 0 to below `total`. Each is a row of `width` pieces.

    A budget limits the time of spaces that search.
    """

    @property
    def total(self) -> int:
        """The number of ranks."""

    @property
    def width(self) -> int:
        """The number of pieces of an arrangement."""

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the arrangements of ranks, one row per rank."""

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED, /) -> list[int]:
        """Return the rank of each arrangement, or -1 if it is not in the space."""


@dataclass(frozen=True)
class Arrangements:
    """All arrangements of pieces on variables, with ranks.

    Attributes:
        diagram: the assignments of values.
        pieces: per value, its pieces.
        supplies: per value, the number of each of these pieces.
    """

    diagram: Diagram
    pieces: tuple[tuple[int, ...], ...]
    supplies: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        """The number of arrangements."""
        return self.diagram.total

    @property
    def width(self) -> int:
        """The number of variables."""
        return self.diagram.transitions.problem.n_variables

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the arrangements of ranks below `total`, of shape (ranks, variables)."""
        values, rest = self.diagram.arrays(ranks)
        arranged = np.zeros(values.shape, dtype=np.uint8)
        for value, pieces in enumerate(self.pieces):
            has_value = values == value
            if len(pieces) == 1:
                arranged[has_value] = pieces[0]
                continue
            for rows, deal in self._deals(value, has_value.sum(axis=1)):
                dealt, _ = deal.arrays((rest[rows] % deal.total).tolist())
                rest[rows] //= deal.total
                block = arranged[rows]
                block[has_value[rows]] = np.array(pieces, dtype=np.uint8)[dealt].ravel()  # row by row
                arranged[rows] = block
        return arranged

    def ranks(self, arranged: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each arrangement, or -1 if it is not allowed."""
        problem = self.diagram.transitions.problem
        value_of = np.full((problem.n_variables, 256), problem.n_values, dtype=np.uint8)
        for group, domain in zip(problem.groups, problem.domains, strict=True):
            for value in sorted(domain, reverse=True):
                value_of[np.ix_(group, self.pieces[value])] = value
        values = value_of[np.arange(problem.n_variables), arranged]
        ranks = np.array(self.diagram.ranks(values), dtype=object)
        scale = np.ones(len(ranks), dtype=object)
        for value, pieces in enumerate(self.pieces):
            if len(pieces) == 1:
                continue
            has_value = values == value
            place = np.zeros(256, dtype=np.uint8)
            place[list(pieces)] = range(len(pieces))
            for rows, deal in self._deals(value, np.where(ranks >= 0, has_value.sum(axis=1), 0)):
                dealt = place[arranged[rows][has_value[rows]]].reshape(len(rows), -1)
                inside = np.array(deal.ranks(dealt), dtype=object)
                ranks[rows] = np.where(inside < 0, -1, ranks[rows] + inside * scale[rows])
                scale[rows] *= deal.total
        return [int(rank) for rank in ranks]

    def _deals(self, value: int, counts: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], Diagram]]:
        """Yield, per number of variables with a value, the rows and the deals of pieces."""
        for count in sorted(set(counts[counts > 0].tolist())):
            yield np.flatnonzero(counts == count), _deal(self.supplies[value], count)


@dataclass(frozen=True)
class Listed:
    """The rows of a list."""

    rows: Pieces

    @property
    def total(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """The length of a row."""
        return int(self.rows.shape[1])

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the rows of ranks."""
        return self.rows[list(ranks)]

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each arrangement, or -1 if it is not in the list."""
        rows = self.rows.tolist()
        return [rows.index(row) if row in rows else -1 for row in arrays.tolist()]


@dataclass(frozen=True)
class Union:
    """All arrangements of several spaces, one space after another.

    Attributes:
        spaces: the spaces. An arrangement of several spaces has several ranks.
        width: the number of pieces of an arrangement.
    """

    spaces: tuple[Space, ...]
    width: int

    @cached_property
    def _ends(self) -> list[int]:
        """The number of ranks up to the end of each space."""
        return list(accumulate(space.total for space in self.spaces))

    @property
    def total(self) -> int:
        """The number of ranks."""
        return self._ends[-1] if self._ends else 0

    @property
    def count(self) -> int:
        """The number of arrangements, if each is in one space only."""
        return self.total

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the arrangements of ranks, one row per rank."""
        rows: dict[int, list[int]] = {}
        for row, rank in enumerate(ranks):
            rows.setdefault(bisect_right(self._ends, rank), []).append(row)
        arrays = np.zeros((len(ranks), self.width), dtype=np.uint8)
        for number, members in rows.items():
            begin = self._ends[number] - self.spaces[number].total
            arrays[members] = self.spaces[number].arrays([ranks[row] - begin for row in members], budget)
        return arrays

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the first rank of each arrangement, or -1 if it is in no space."""
        ranks, rows = [-1] * len(arrays), list(range(len(arrays)))
        for space, end in zip(self.spaces, self._ends, strict=True):
            for row, rank in zip(rows, space.ranks(arrays[rows], budget), strict=True):
                ranks[row] = end - space.total + rank if rank >= 0 else -1
            rows = [row for row in rows if ranks[row] < 0]
        return ranks


@dataclass(frozen=True)
class Product:
    """All combinations of arrangements of several spaces, side by side.

    The ranks of the last space change first.
    """

    factors: tuple[Space, ...]

    @cached_property
    def total(self) -> int:
        """The number of combinations."""
        return math.prod(space.total for space in self.factors)

    @property
    def width(self) -> int:
        """The number of pieces of a combination."""
        return sum(space.width for space in self.factors)

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the combinations of ranks, one row per rank."""
        arrays: list[Pieces] = []
        for space in reversed(self.factors):
            arrays.insert(0, space.arrays([rank % space.total for rank in ranks], budget))
            ranks = [rank // space.total for rank in ranks]
        return np.hstack(arrays)

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each combination, or -1 if a space lacks its part."""
        ranks, rows, begin = [0] * len(arrays), list(range(len(arrays))), 0
        for space in self.factors:
            end = begin + space.width
            for row, rank in zip(rows, space.ranks(arrays[rows, begin:end], budget), strict=True):
                ranks[row] = ranks[row] * space.total + rank if rank >= 0 else -1
            rows, begin = [row for row in rows if ranks[row] >= 0], end
        return ranks


@dataclass(frozen=True)
class Orbits(Union):
    """The orbits of arrangements under symmetries, each once per symmetry.

    The arrangement of a rank is the first one of the orbit.

    Attributes:
        spaces: per symmetry, the arrangements that it leaves unchanged.
        symmetries: the symmetries, the identity first.
    """

    symmetries: tuple[Symmetry, ...]

    @property
    def count(self) -> int:
        """The number of orbits, by Burnside's lemma."""
        return self.total // len(self.symmetries)

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the first arrangement of the orbit of each rank."""
        return first_of_orbit(super().arrays(ranks, budget), self.symmetries)


def arrangements_of(
    problem: FrontierProblem,
    pieces: Sequence[int],
    sets: Sequence[Sequence[int]],
    make: Callable[[FrontierProblem], Diagram],
) -> Arrangements:
    """Return the arrangements of pieces in the solutions of a problem.

    Args:
        problem: the problem.
        pieces: the piece of each value.
        sets: a partition of the values. No constraint distinguishes the values of a set, so they are merged.
        make: the function that builds the diagram.
    """
    return Arrangements(
        make(problem if len(sets) == problem.n_values else merged(problem, sets)),
        tuple(tuple(pieces[value] for value in values) for values in sets),
        tuple(tuple(problem.supply[value] for value in values) for values in sets),
    )


@lru_cache(maxsize=256)
def _deal(supply: tuple[int, ...], n_variables: int) -> Diagram:
    """Return the diagram of pieces of a supply on variables without constraints."""
    values = frozenset(range(len(supply)))
    groups = tuple((variable,) for variable in range(n_variables))
    domains = tuple(values for _ in groups)
    return build(FrontierProblem(supply, groups, domains, exact=False), _DEAL_STATES)


# Operations on any space


def sampled(
    space: Space, rank: Callable[[], int], n: float, at_once: int, budget: Budget = UNLIMITED
) -> Iterator[Pieces]:
    """Yield *n* arrangements in arrays, the first one alone for a quick start.

    Args:
        space: the space.
        rank: returns a random rank.
        n: the number of arrangements, possibly infinite.
        at_once: the maximum number of arrangements of an array.
        budget: the time limit.
    """
    size = 1
    while n > 0:
        budget.report()
        size = int(min(size, n))
        yield space.arrays([rank() for _ in range(size)], budget)
        n, size = n - size, min(64 * size, at_once)


def chunks(space: Space, size: int = 50_000) -> Iterator[Pieces]:
    """Yield all arrangements in arrays of at most *size* rows."""
    for begin in range(0, space.total, size):
        yield space.arrays(range(begin, min(begin + size, space.total)))


def first_chunks(
    space: Space, symmetries: Sequence[Symmetry], budget: Budget, *, only: bool = False
) -> list[Pieces]:
    """Return the first arrangement of the orbit of each arrangement, in chunks.

    With *only*, orbits whose first arrangement is not in the space are left out.
    """
    firsts, n_listed = [np.zeros((0, space.width), dtype=np.uint8)], 0
    for codes in chunks(space):
        first = first_of_orbit(codes, symmetries)
        firsts.append(first[(codes == first).all(axis=1)] if only else first)
        n_listed += len(codes)
        budget.report(n_listed, space.total, "arrangements")
    return firsts


def distinct_rows(chunks: Sequence[Pieces]) -> Pieces:
    """Return the distinct rows of chunks in rising order."""
    return np.unique(np.concatenate([np.unique(chunk, axis=0) for chunk in chunks]), axis=0)


def first_of_orbit(codes: Pieces, symmetries: Sequence[Symmetry]) -> Pieces:
    """Return, for each row, the lexicographically first row of its orbit.

    >>> turns = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    >>> first_of_orbit(np.array([[2, 1, 1], [1, 2, 1]], dtype=np.uint8), turns).tolist()
    [[1, 1, 2], [1, 1, 2]]
    """
    return moved_to_first(codes, symmetries)[0]


def moved_to_first(codes: Pieces, symmetries: Sequence[Symmetry]) -> tuple[Pieces, NDArray[np.intp]]:
    """Return `first_of_orbit`, and the index of a symmetry that maps each row to it.

    The first symmetry must be the identity.
    """
    text = f"S{codes.shape[1]}"  # Codes are never 0, so rows can be compared as byte strings.
    first = np.ascontiguousarray(codes)
    index = np.zeros(len(codes), dtype=np.intp)
    for number, symmetry in enumerate(symmetries):
        moved = np.empty_like(first)
        moved[:, list(symmetry)] = codes
        earlier = moved.view(text) < first.view(text)
        first = np.where(earlier, moved, first)
        index[earlier.ravel()] = number
    return first, index
