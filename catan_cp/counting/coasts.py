"""Harbors and fishing grounds: counted, ranked, and sampled uniformly.

The numbers of fishing grounds are shuffled over all grounds of a layout, as `models/grounds.mzn` defines.

>>> from catan_cp.boards.layout import LAYOUTS
>>> ground_deals(LAYOUTS["fishermen-of-catan"]).total, harbor_deals(LAYOUTS["base"], "shuffled").total
(720, 15120)
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

import numpy as np

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import FishingGround, Harbor, Layout
from catan_cp.boards.pieces import TRADES
from catan_cp.counting.diagram import build
from catan_cp.counting.frontier import FrontierProblem
from catan_cp.counting.spaces import Listed, Pieces, Space, arrangements_of

CoastPiece = TypeVar("CoastPiece", Harbor, FishingGround)

_build = partial(build, max_states=2_000_000)
_CACHED = 64
_ONE = Listed(np.zeros((1, 0), dtype=np.uint8))


@dataclass(frozen=True)
class CoastDeals(Generic[CoastPiece]):
    """All arrangements of harbors, or of fishing grounds, on a coast.

    Attributes:
        piece: the class of a piece, which is called with a place and a value.
        fixed: the pieces if none are shuffled.
        places: the places for shuffled pieces.
        values: trades or markers. *space* has their indices, and index 0 means an empty place.
        space: the arrangements of values on places, a single one without places if no pieces are shuffled.
    """

    piece: type[CoastPiece]
    fixed: tuple[CoastPiece, ...] = ()
    places: tuple[Any, ...] = ()
    values: Sequence[Any] = ()
    space: Space = _ONE

    @property
    def total(self) -> int:
        """The number of arrangements."""
        return self.space.total

    def pieces_of(self, rows: Pieces) -> list[tuple[CoastPiece, ...]]:
        """Return the pieces of each arrangement of `space`, in the order of their vertices."""
        if not self.places:
            return [self.fixed] * len(rows)
        placed = (sorted(zip(self.places, row, strict=True)) for row in rows.tolist())
        return [tuple(self.piece(place, self.values[n]) for place, n in row if n) for row in placed]

    def sample(self, n: int, source: random.Random) -> list[tuple[CoastPiece, ...]]:
        """Return the pieces of *n* arrangements, sampled uniformly."""
        return self.pieces_of(self.space.arrays([source.randrange(self.total) for _ in range(n)]))

    def row_of(self, pieces: Sequence[CoastPiece]) -> list[int] | None:
        """Return pieces as an arrangement, or None if they are on other places.

        A board without pieces counts as the board with the *fixed* ones.
        """
        if not self.places:
            return [] if not pieces or {*pieces} == {*self.fixed} else None
        number = {piece.vertices: self.values.index(piece.value) for piece in pieces}
        return [number.get(p, 0) for p in self.places] if number.keys() <= {*self.places} else None


@lru_cache(maxsize=_CACHED)
def harbor_deals(layout: Layout, rule: str) -> CoastDeals[Harbor]:
    """Return the harbors of a layout under a value of the rule ``harbors``.

    Shuffled trades are ranked in lexicographic order of `TRADES` along the coast.
    """
    printed = layout.laid_harbors
    if rule != "shuffled" or not printed:
        fixed = sorted(printed if rule == "printed" else (), key=lambda harbor: harbor.vertices)
        return CoastDeals(Harbor, tuple(fixed))
    return _deals(Harbor, [(harbor.vertices, harbor.trade) for harbor in printed], ("", *TRADES), True)


@lru_cache(maxsize=_CACHED)
def ground_deals(layout: Layout) -> CoastDeals[FishingGround]:
    """Return the arrangements of the numbers of a layout's fishing grounds."""
    if not layout.fishing_grounds:
        return CoastDeals(FishingGround)
    numbers = [ground.marker for ground in layout.fishing_grounds]
    return _deals(FishingGround, [*zip(layout.ground_places, numbers, strict=True)], range(13), False)


def _deals(
    piece: type[CoastPiece], printed: Sequence[tuple[Any, Any]], values: Sequence[Any], in_order: bool
) -> CoastDeals[CoastPiece]:
    """Return the arrangements of the values of *printed* pieces on their places.

    With *in_order* they are ranked in lexicographic order of the values.
    """
    supply = Counter(values.index(value) for _, value in printed)
    indices = sorted(supply)
    domain = range(len(indices))
    problem = FrontierProblem(
        supply=tuple(supply[index] for index in indices),
        groups=tuple((variable,) for variable in range(len(printed))),
        domains=tuple(frozenset(domain) for _ in printed),
        marks=tuple(indices) if in_order else (),
    )
    sets = [(value,) for value in domain] if in_order else [tuple(domain)]
    places = tuple(place for place, _ in printed)
    return CoastDeals(piece, (), places, values, arrangements_of(problem, indices, sets, _build))


def deal_grounds(board: Board, source: random.Random) -> Board:
    """Return the board with the fishing grounds of its layout, sampled uniformly.

    The function does not change the state of *source*.
    """
    layout = board.layout
    if not layout.fishing_grounds:
        return board
    numbers = [ground.marker for ground in layout.fishing_grounds]
    dealt = zip(layout.ground_places, derived_source(source).sample(numbers, len(numbers)), strict=True)
    grounds = tuple(FishingGround(place, number) for place, number in sorted(dealt))
    return board_of(layout, board.terrain, board.markers, board.harbors, grounds)


def derived_source(source: random.Random) -> random.Random:
    """Return a random source derived from the state of another, which stays the same."""
    return random.Random(repr(source.getstate()))
