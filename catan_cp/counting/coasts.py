"""What is dealt along a coast, harbors and fishing grounds: laid, counted, ranked, and drawn uniformly.

Numbers of fishing grounds are dealt over all grounds of a layout. A ground that may move lies on a hexagon of
sea without a harbor, along two edges of coast, and no two share a corner or a hexagon. So the deals on a
coast that is known are the independent sets of a graph of places, each with all ways to deal the numbers, and
a diagram counts them. `models/grounds.mzn` says the same to a solver, and is the authority.

>>> from catan_cp.boards.layout import LAYOUTS
>>> ground_deals(LAYOUTS["fishermen-of-catan"]).total, harbor_deals(LAYOUTS["base"], "shuffled").total
(720, 15120)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, Generic, TypeVar

import numpy as np

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import FishingGround, Harbor, Layout, Pair
from catan_cp.boards.pieces import TRADES, Three
from catan_cp.counting.diagram import Fillings, build, fillings_of
from catan_cp.counting.frontier import Clash, Puzzle
from catan_cp.rules.rules import Rules

Laid = TypeVar("Laid", Harbor, FishingGround)
Threes = tuple[Three, ...]

_build = partial(build, max_states=2_000_000)
_KEPT = 64
_TRIES = 50
"""So many places are drawn before those that do not clash are counted."""


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


GroundDeals = CoastDeals[FishingGround]


@lru_cache(maxsize=_KEPT)
def harbor_deals(layout: Layout, rule: str) -> CoastDeals[Harbor]:
    """Return the harbors of a layout under the *rule* ``harbors``: ``none``, ``printed`` or ``shuffled``.

    Trades that are dealt along the coast are ranked in lexicographic order of `TRADES`.
    """
    printed = layout.laid_harbors
    if rule != "shuffled" or not printed:
        laid = sorted(printed if rule == "printed" else (), key=lambda harbor: harbor.vertices)
        return CoastDeals(Harbor, tuple(laid))
    supply = Counter(harbor.trade for harbor in printed)
    kinds = [number for number, trade in enumerate(TRADES) if trade in supply]
    every = range(len(kinds))
    puzzle = Puzzle(
        supply=tuple(supply[TRADES[number]] for number in kinds),
        groups=tuple((cell,) for cell in range(len(printed))),
        domains=tuple(frozenset(every) for _ in printed),
        marks=tuple(kinds),
    )
    fillings = fillings_of(puzzle, [n + 1 for n in kinds], [(kind,) for kind in every], _build)
    places = tuple(harbor.vertices for harbor in printed)
    return CoastDeals(Harbor, (), places, ("", *TRADES), fillings, fillings.total)


def has_fixed_coast(layout: Layout) -> bool:
    """Whether the places of fishing grounds are the same on all boards: none moves, or no sea does."""
    moves = any(ground.movable for ground in layout.fishing_grounds)
    return not moves or all("sea" not in pool.pieces for pool in layout.terrain_pools)


def coast_deals(layout: Layout, rules: Rules) -> GroundDeals:
    """Return the deals on every board of a layout; none are dealt where its coast is not fixed."""
    if not layout.fishing_grounds or not has_fixed_coast(layout):
        return CoastDeals(FishingGround)
    terrain = [layout.fixed_terrain.get(t, "wool") for t in range(layout.n_tiles)]
    laid = layout.laid_harbors if rules.harbors != "none" else ()
    return ground_deals(layout, terrain, [harbor.vertices for harbor in laid])


def deal_grounds(board: Board, source: random.Random) -> Board | None:
    """Return the board with fishing grounds, each deal with the same chance; None where they have no room.

    What else is drawn from *source* afterwards is not changed by that.
    """
    layout = board.layout
    if not layout.fishing_grounds:
        return board
    dealing = beside(source)
    kept, free = _places(layout, board.terrain, [harbor.vertices for harbor in board.harbors])
    numbers = [ground.marker for ground in layout.fishing_grounds]
    n = len(numbers) - len(kept)
    for _ in range(_TRIES if n <= len(free) else 0):
        places = dealing.sample(free, n)
        taken = [part for place in places for part in _parts(layout, place)]
        if len({*taken}) == len(taken):
            dealt = zip((*kept, *places), dealing.sample(numbers, len(numbers)), strict=True)
            return _with_grounds(board, tuple(FishingGround(*each) for each in sorted(dealt)))
    deals = _deals(layout, kept, free)
    return _with_grounds(board, deals.lay([dealing.randrange(deals.total)])[0]) if deals.total else None


def _with_grounds(board: Board, grounds: tuple[FishingGround, ...]) -> Board:
    return board_of(board.layout, board.terrain, board.markers, board.harbors, grounds)


def beside(source: random.Random) -> random.Random:
    """Return a source of random numbers that follows from another one, and takes nothing from it."""
    return random.Random(repr(source.getstate()))


def ground_deals(layout: Layout, terrain: Sequence[str] = (), harbors: Collection[Pair] = ()) -> GroundDeals:
    """Return all ways to lay a layout's fishing grounds, on a *terrain* with *harbors* where some move."""
    return _deals(layout, *_places(layout, terrain, harbors))


def _places(layout: Layout, terrain: Sequence[str], harbors: Collection[Pair]) -> tuple[Threes, Threes]:
    """Return the places of the grounds that stay, and where the others may lie."""
    kept = sum(not ground.movable for ground in layout.fishing_grounds)
    free = layout.ground_places[kept:]
    return layout.ground_places[:kept], tuple(p for p in free if _is_free(layout, p, terrain, harbors))


def _parts(layout: Layout, place: Three) -> tuple[object, ...]:
    """Return what no two grounds may share of which one may move: the hexagon and the corners."""
    return layout.ground_hexagon(place), *place


def _is_free(layout: Layout, place: Three, terrain: Sequence[str], harbors: Collection[Pair]) -> bool:
    """Whether a ground that may move may lie at a place."""
    centre = layout.ground_hexagon(place)
    corners = {*layout.hexagon_vertices(centre)}
    at_sea = centre in layout.sea_frame or terrain[layout.tiles.index(centre)] == "sea"
    return (
        at_sea
        and all(terrain[t] != "sea" for t in layout.ground_sides(place))
        and not any(corners.issuperset(edge) for edge in harbors)
    )


@lru_cache(maxsize=_KEPT)
def _deals(layout: Layout, kept: Threes, free: Threes) -> GroundDeals:
    """Return the deals at all *kept* places and some of the *free* ones."""
    places, held = (*kept, *free), len(kept)
    numbers = Counter(ground.marker for ground in layout.fishing_grounds)
    markers, supply = tuple(sorted(numbers)), tuple(numbers[marker] for marker in sorted(numbers))
    none, some = len(places) - sum(supply), frozenset(range(1, len(markers) + 1))
    if none < 0:
        return CoastDeals(FishingGround, total=0)
    parts = [{*_parts(layout, place)} for place in places]
    cells = range(len(places))
    clashing = tuple((a, b) for a, b in combinations(cells, 2) if a >= held and parts[a] & parts[b])
    laid = tuple(tuple(bool(a and b) for b in range(len(markers) + 1)) for a in range(len(markers) + 1))
    puzzle = Puzzle(
        supply=(none, *supply),
        groups=tuple((cell,) for cell in cells),
        domains=tuple(some if cell < held else some | {0} for cell in cells),
        clashes=(Clash(clashing, laid),) if clashing else (),
    )
    fillings = fillings_of(puzzle, (0, *markers), ((0,), sorted(some)), _build)
    return CoastDeals(FishingGround, (), places, range(13), fillings, fillings.total)
