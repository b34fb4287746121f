"""Harbors and fishing grounds: counted, ranked, and sampled uniformly.

The numbers of fishing grounds are shuffled over all grounds of a layout. `models/grounds.mzn` says the same
to a solver, and is the authority.

>>> from catan_cp.boards.layout import LAYOUTS
>>> ground_deals(LAYOUTS["fishermen-of-catan"]).total, harbor_deals(LAYOUTS["base"], "shuffled").total
(720, 15120)
"""

from __future__ import annotations

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
from catan_cp.counting.diagram import Fillings, build, fillings_of
from catan_cp.counting.frontier import Puzzle

Laid = TypeVar("Laid", Harbor, FishingGround)

_build = partial(build, max_states=2_000_000)
_KEPT = 64


@dataclass(frozen=True)
class CoastDeals(Generic[Laid]):
    """All ways to lay harbors, or fishing grounds, on a coast that is known.

    Attributes:
        piece: what is laid, made of its place and its value.
        fixed: the pieces where none are dealt.
        places: the places where one may lie.
        values: what the numbers of *fillings* stand for: trades or markers, nothing first.
        fillings: a number at each place; None where no pieces are dealt, or cannot be.
        total: how many ways there are.
    """

    piece: type[Laid]
    fixed: tuple[Laid, ...] = ()
    places: tuple[Any, ...] = ()
    values: Sequence[Any] = ()
    fillings: Fillings | None = None
    total: int = 1

    def lay(self, ranks: Sequence[int]) -> list[tuple[Laid, ...]]:
        """Return the pieces of each of these ranks, in the order of their vertices."""
        if self.fillings is None:
            return [self.fixed] * len(ranks)
        rows = (sorted(zip(self.places, row, strict=True)) for row in self.fillings.unrank(ranks).tolist())
        return [tuple(self.piece(place, self.values[n]) for place, n in row if n) for row in rows]

    def rank(self, laid: Sequence[Laid]) -> int | None:
        """Return the rank of these pieces, or None where they may not lie so.

        A board on which none of the *fixed* ones lie yet counts as the board with them.
        """
        if self.fillings is None:
            return 0 if not laid or {*laid} == {*self.fixed} else None
        values = ((p.vertices, p.trade if isinstance(p, Harbor) else p.marker) for p in laid)
        number = {place: self.values.index(value) for place, value in values}
        if not number.keys() <= {*self.places}:
            return None
        rank = self.fillings.rank(np.array([[number.get(p, 0) for p in self.places]], dtype=np.uint8))[0]
        return None if rank < 0 else rank


@lru_cache(maxsize=_KEPT)
def harbor_deals(layout: Layout, rule: str) -> CoastDeals[Harbor]:
    """Return the harbors of a layout under the *rule* ``harbors``: ``none``, ``printed`` or ``shuffled``.

    Trades that are dealt along the coast are ranked in lexicographic order of `TRADES`.
    """
    printed = layout.laid_harbors
    if rule != "shuffled" or not printed:
        laid = sorted(printed if rule == "printed" else (), key=lambda harbor: harbor.vertices)
        return CoastDeals(Harbor, tuple(laid))
    return _deals(Harbor, [(harbor.vertices, harbor.trade) for harbor in printed], ("", *TRADES), True)


@lru_cache(maxsize=_KEPT)
def ground_deals(layout: Layout) -> CoastDeals[FishingGround]:
    """Return all ways to shuffle the numbers of a layout's fishing grounds."""
    if not layout.fishing_grounds:
        return CoastDeals(FishingGround)
    numbers = [ground.marker for ground in layout.fishing_grounds]
    return _deals(FishingGround, [*zip(layout.ground_places, numbers, strict=True)], range(13), False)


def _deals(
    piece: type[Laid], printed: Sequence[tuple[Any, Any]], values: Sequence[Any], in_order: bool
) -> CoastDeals[Laid]:
    """Return all ways to shuffle the values of *printed* pieces, ranked *in_order* of the values if asked."""
    supply = Counter(values.index(value) for _, value in printed)
    kinds = sorted(supply)
    every = range(len(kinds))
    puzzle = Puzzle(
        supply=tuple(supply[kind] for kind in kinds),
        groups=tuple((cell,) for cell in range(len(printed))),
        domains=tuple(frozenset(every) for _ in printed),
        marks=tuple(kinds) if in_order else (),
    )
    classes = [(kind,) for kind in every] if in_order else [tuple(every)]
    fillings = fillings_of(puzzle, kinds, classes, _build)
    return CoastDeals(piece, (), tuple(place for place, _ in printed), values, fillings, fillings.total)


def deal_grounds(board: Board, source: random.Random) -> Board:
    """Return the board with its layout's fishing grounds, each deal with the same chance.

    It takes no random number from *source*.
    """
    layout = board.layout
    if not layout.fishing_grounds:
        return board
    numbers = [ground.marker for ground in layout.fishing_grounds]
    dealt = zip(layout.ground_places, beside(source).sample(numbers, len(numbers)), strict=True)
    grounds = tuple(FishingGround(*each) for each in sorted(dealt))
    return board_of(layout, board.terrain, board.markers, board.harbors, grounds)


def beside(source: random.Random) -> random.Random:
    """Return a source of random numbers that follows from another one, and takes nothing from it."""
    return random.Random(repr(source.getstate()))
