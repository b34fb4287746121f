"""Fishing grounds: how they can be dealt, counted and drawn uniformly.

Numbers are dealt over all grounds of a layout. A ground that may move lies on a hexagon of sea without
a harbor, along two edges of coast, and no two share a corner or a hexagon. So the deals on a coast that is
known are the independent sets of a graph of places, each with all ways to deal the numbers, and a diagram
counts them. `models/grounds.mzn` says the same to a solver, and is the authority.

>>> from catan_cp.boards.layout import LAYOUTS
>>> ground_deals(LAYOUTS["fishermen-of-catan"]).total
720
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import FishingGround, Layout, Pair
from catan_cp.boards.pieces import Three
from catan_cp.counting.diagram import Fillings, build
from catan_cp.counting.frontier import Clash, Puzzle, merged
from catan_cp.rules.rules import Rules

Threes = tuple[Three, ...]

_STATES = 2_000_000
_KEPT = 64
_TRIES = 50
"""So many places are drawn before those that do not clash are counted."""


@dataclass(frozen=True)
class GroundDeals:
    """All ways to lay a layout's fishing grounds on a coast that is known.

    Attributes:
        places: the places where one may lie, those of grounds that stay first.
        fillings: the number at each place, 0 for none; None where no grounds are dealt, or cannot be.
        total: how many ways there are.
    """

    places: Threes = ()
    fillings: Fillings | None = None
    total: int = 1

    def grounds(self, ranks: Sequence[int]) -> list[tuple[FishingGround, ...]]:
        """Return the fishing grounds of each of these ranks, in the order of their vertices."""
        if self.fillings is None:
            return [()] * len(ranks)
        rows = self.fillings.unrank(ranks).tolist()
        laid = (sorted(each for each in zip(self.places, row, strict=True) if each[1]) for row in rows)
        return [tuple(FishingGround(*each) for each in one) for one in laid]

    def rank(self, grounds: Sequence[FishingGround]) -> int | None:
        """Return the rank of these fishing grounds, or None where they may not lie so."""
        number = {ground.vertices: ground.marker for ground in grounds}
        if not number.keys() <= {*self.places}:
            return None
        row = [[number.get(place, 0) for place in self.places]]
        rank = 0 if self.fillings is None else self.fillings.rank(np.array(row, dtype=np.uint8))[0]
        return None if rank < 0 else rank


def has_fixed_coast(layout: Layout) -> bool:
    """Whether the places of fishing grounds are the same on all boards: none moves, or no sea does."""
    moves = any(ground.movable for ground in layout.fishing_grounds)
    return not moves or all("sea" not in pool.pieces for pool in layout.terrain_pools)


def coast_deals(layout: Layout, rules: Rules) -> GroundDeals:
    """Return the deals on every board of a layout; none are dealt where its coast is not fixed."""
    if not layout.fishing_grounds or not has_fixed_coast(layout):
        return GroundDeals()
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
    return _with_grounds(board, deals.grounds([dealing.randrange(deals.total)])[0]) if deals.total else None


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
        return GroundDeals(total=0)
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
    puzzle = merged(puzzle, ((0,), tuple(sorted(some))))
    fillings = Fillings(build(puzzle, _STATES), ((0,), markers), ((none,), supply))
    return GroundDeals(places, fillings, fillings.total)
