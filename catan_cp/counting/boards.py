"""Complete boards: counted, drawn uniformly, and numbered.

>>> unrank_board(4_711_000_815, "tournament").notation()
'db11b12/b10o8o11g4/o2g3g5w6g3/l8w10l4w9/l5w9l6:printed'

All boards that rules allow are a row of *blocks*. What the boards of a block have in common is all that its
markers look at:

* Rules whose markers look at no terrain have one block: every terrain goes with all markers.
* Rules whose markers look at where the bare tiles are (sea and desert, which carry none) have a block for
  each orbit of their places under rotations and mirrors: its terrains go with all its markers.
* Rules that tie markers to the terrain have a block for each terrain, whose *weight* is the number of its
  markers; see `weights`.

Within a block the order is by terrain, then by markers, then by harbors. So the k-th board is found by
division, and a uniform k is a uniform board (unranking). The order depends on rules and layout alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, islice
from typing import Any, ClassVar

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import FishingGround, Harbor, Layout, find_layout
from catan_cp.counting.budget import Budget, Cache
from catan_cp.counting.coasts import CoastDeals, beside, ground_deals, harbor_deals
from catan_cp.counting.diagram import Fillings, Pieces, TooManyStates, in_blocks
from catan_cp.counting.markers import (
    ListedMarkers,
    MarkerLimits,
    dealt_markers,
    marker_space,
    marker_turns,
    numbered,
)
from catan_cp.counting.terrains import (
    TerrainSpace,
    closed_turns,
    counted_space,
    space_of,
    terrain_limits,
    terrain_space,
)
from catan_cp.counting.weights import LISTED_MOST, WeightedTerrains, is_shipped, weighted_terrains
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, InvalidBoard, InvalidRules, listed, show
from catan_cp.progress import Progress, Watch
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import Rules, find_rules, has_own_text, restrictions, set_rules

PLACES_MOST = 1_000
"""In how many ways the bare tiles may lie for a block to be made of each."""

BLOCK_STATES = 12_000_000
"""The most states that the diagrams of all blocks may have together: about a gigabyte."""

QUICK_STATES, QUICK_PLACES = 1_000_000, 40
"""The most states and the most ways for the bare tiles to lie with which `is_quick` agrees."""

FEW_BOARDS, FEW_STATES = 1_000_000, 50_000
"""The maximum number of boards, harbors aside, and of states with which `has_few` agrees."""

Turn = tuple[int, ...]
"""A permutation of the tiles: what is on tile *t* goes to tile ``turn[t]``."""

Bare = tuple[tuple[int, str], ...]
"""The tiles without markers, in rising order, and what they are."""


# A board for every rank


@dataclass(frozen=True)
class ProductBlock:
    """Every terrain of a space with all markers of another, turned in several ways.

    Attributes:
        layout: the layout.
        terrains: the terrains, as they are before they are turned.
        markers: the markers of the numbered tiles, likewise.
        turns: per way, the permutation.
    """

    layout: Layout
    terrains: TerrainSpace
    markers: Fillings | ListedMarkers
    turns: tuple[Turn, ...]
    at_once: ClassVar[int] = 4_000

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.turns) * self.terrains.ranks * self.markers.total

    def unrank(self, ranks: Sequence[int]) -> tuple[Pieces, Pieces]:
        """Return terrain codes and markers of these ranks."""
        split = [divmod(rank, self.markers.total) for rank in ranks]
        terrains = [divmod(terrain, self.terrains.ranks) for terrain, _ in split]
        codes = self.terrains.unrank([terrain for _, terrain in terrains])
        markers = np.zeros_like(codes)
        markers[numbered(codes, self.layout)] = self.markers.unrank([rest for _, rest in split]).ravel()
        turns = np.array(self.turns)[[turn for turn, _ in terrains]]
        turned = np.empty_like(codes), np.empty_like(markers)
        for new, old in zip(turned, (codes, markers), strict=True):
            np.put_along_axis(new, turns, old, axis=1)
        return turned

    def ranks(self, codes: Pieces, markers: Pieces) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""
        found = [-1] * len(codes)
        for number, turn in enumerate(self.turns):
            here, laid = codes[:, list(turn)], markers[:, list(turn)]
            on_tiles = numbered(here, self.layout)
            fit = (on_tiles == (laid > 0)).all(axis=1).tolist()
            terrains = self.terrains.rank(here)
            rows = [row for row, rank in enumerate(terrains) if fit[row] and rank >= 0 > found[row]]
            if not rows:
                continue
            inside = self.markers.rank(laid[rows][on_tiles[rows]].reshape(len(rows), -1))
            for row, rank in zip(rows, inside, strict=True):
                if rank >= 0:
                    terrain = number * self.terrains.ranks + terrains[row]
                    found[row] = terrain * self.markers.total + rank
        return found


Block = ProductBlock | WeightedTerrains
"""Boards that share what their markers look at, harbors aside."""


@dataclass(frozen=True)
class BoardSpace:
    """All boards that rules allow on a layout; see the module's docstring.

    Attributes:
        layout: the layout.
        blocks: in their order.
        harbors: the harbors that a board may have, whatever else is on it.
        grounds: the fishing grounds that it may have.
    """

    layout: Layout
    blocks: Sequence[Block]
    harbors: CoastDeals[Harbor]
    grounds: CoastDeals[FishingGround]

    @property
    def coasts(self) -> int:
        """How many ways there are to lay harbors and fishing grounds."""
        return self.harbors.total * self.grounds.total

    @cached_property
    def _ends(self) -> list[int]:
        """How many boards there are up to the end of each block, harbors and fishing grounds aside."""
        return list(accumulate(block.total for block in self.blocks))

    @property
    def at_once(self) -> int:
        """How many boards are best asked for together: thousands, or few where each has to be searched."""
        return min((block.at_once for block in self.blocks), default=1)

    @property
    def total(self) -> int:
        """How many boards there are."""
        return self._ends[-1] * self.coasts if self._ends else 0

    def boards(self, ranks: Sequence[int]) -> Iterator[Board]:
        """Yield the boards of these ranks, in the order given."""
        codes, markers, coasts = self.arrays(ranks)
        names = np.array(("", *self.layout.all_terrains), dtype=object)[codes].tolist()
        numbers = [[marker or None for marker in row] for row in markers.tolist()]
        n = self.grounds.total
        harbors = self.harbors.lay([coast // n for coast in coasts])
        grounds = self.grounds.lay([coast % n for coast in coasts])
        for terrain, marked, laid, caught in zip(names, numbers, harbors, grounds, strict=True):
            yield board_of(self.layout, tuple(terrain), tuple(marked), laid, caught)

    def arrays(self, ranks: Sequence[int]) -> tuple[Pieces, Pieces, list[int]]:
        """Return terrain codes and markers of these ranks, each of shape (ranks, tiles), and coast ranks."""
        n = len(ranks)
        codes = np.zeros((n, self.layout.n_tiles), dtype=np.uint8)
        markers = np.zeros((n, self.layout.n_tiles), dtype=np.uint8)
        coasts = [rank % self.coasts for rank in ranks]
        for number, (rows, inside) in in_blocks([rank // self.coasts for rank in ranks], self._ends).items():
            codes[rows], markers[rows] = self.blocks[number].unrank(inside)
        return codes, markers, coasts

    def rank(self, board: Board) -> int | None:
        """Return the board's rank, or None where the rules do not allow it."""
        harbors, grounds = self.harbors.rank(board.harbors), self.grounds.rank(board.fishing_grounds)
        if harbors is None or grounds is None:
            return None
        codes = np.array([[self.layout.terrain_codes[name] for name in board.terrain]], dtype=np.uint8)
        markers = np.array([[marker or 0 for marker in board.markers]], dtype=np.uint8)
        rank = self.ranks(codes, markers, [harbors * self.grounds.total + grounds])[0]
        return None if rank < 0 else rank

    def ranks(self, codes: Pieces, markers: Pieces, coasts: Sequence[int]) -> list[int]:
        """Return the rank of each of these boards, what `arrays` makes of them; -1 for none."""
        found = [-1] * len(codes)
        left = np.arange(len(codes))
        for block, end in zip(self.blocks, self._ends, strict=True):
            for row, inside in zip(left.tolist(), block.ranks(codes[left], markers[left]), strict=True):
                if inside >= 0:
                    found[row] = (end - block.total + inside) * self.coasts + coasts[row]
            left = left[[found[row] < 0 for row in left.tolist()]]
            if not len(left):
                break
        return found


# Places of the bare tiles


def bare_places(layout: Layout, most: int = PLACES_MOST) -> list[Bare]:
    """Return all places for deserts, sea and further terrains, deserts first, in lexicographic order.

    Raises:
        CatanError: there are more than *most* of them.
    """
    fixed = {t: name for t, name in layout.fixed_terrain.items() if name in layout.unnumbered}
    pieces = [
        (sorted(pool.tiles), name, pool.pieces[name])
        for pool in layout.terrain_pools
        for name in ("desert", "sea", *layout.further_terrains)
        if pool.pieces.get(name)
    ]
    found = list(islice(_bare(fixed, pieces), most + 1))
    if len(found) > most:
        raise CatanError(
            f"the bare tiles of {layout.name!r} may lie in more than {most:,} ways, each with its own "
            "markers, which are too many to count boards; generate_board draws boards"
        )
    return found


def _bare(placed: dict[int, str], pieces: Sequence[tuple[list[int], str, int]]) -> Iterator[Bare]:
    if not pieces:
        yield tuple(sorted(placed.items()))
        return
    (tiles, name, count), *rest = pieces
    for chosen in combinations([t for t in tiles if t not in placed], count):
        yield from _bare(placed | dict.fromkeys(chosen, name), rest)


def some_terrain(bare: Bare, layout: Layout) -> list[str]:
    """Return any terrain with these bare tiles, for markers that look at no more."""
    pins = dict(bare)
    return [pins.get(t, "wool") for t in range(layout.n_tiles)]


def free_turns(rules: Rules, layout: Layout) -> tuple[Turn, ...]:
    """Return the rotations and mirrors that turn allowed boards into allowed ones; one is the identity."""
    if rules.symmetry != "all" or layout.special_demand is not None:
        return (tuple(range(layout.n_tiles)),)
    closed = set(closed_turns(rules, layout))
    return tuple(turn for turn in marker_turns(rules, layout) if turn in closed)


def bare_orbits(rules: Rules, layout: Layout) -> dict[Bare, tuple[Turn, ...]]:
    """Return the places of the bare tiles, one of each orbit, and the turns that make the rest of it.

    Raises:
        CatanError: they may lie in more than `PLACES_MOST` ways.
    """
    turns = free_turns(rules, layout)
    orbits: dict[Bare, list[Turn]] = {}
    for bare in bare_places(layout):
        first, turn = min((tuple(sorted((turn[t], name) for t, name in bare)), turn) for turn in turns)
        orbits.setdefault(first, []).append(tuple(np.argsort(turn).tolist()))
    return {bare: tuple(back) for bare, back in orbits.items()}


def product_block(
    bare: Bare,
    turns: tuple[Turn, ...],
    rules: Rules,
    layout: Layout,
    budget: Budget,
) -> ProductBlock | None:
    """Return the boards with exactly these bare tiles, turned; None where there are none.

    Raises:
        InvalidRules: the rules have no such markers.
        TooManyStates: the diagrams need more states than the budget has.
    """
    terrains = terrain_space(rules, layout, budget, dict(bare))
    if not terrains.ranks:
        return None
    markers = marker_space(some_terrain(bare, layout), rules, layout, budget)
    return ProductBlock(layout, terrains, markers, turns) if markers.total else None


# All boards


def sample_boards(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards, sampled uniformly and independently from all that the rules allow.

    All pieces are uniform together: a board is sampled by its rank (see `unrank_board`). The same seed gives
    the same boards.

    Raises:
        InvalidArgument: *n* or *seed* is no whole number.
        Infeasible: the rules allow no board.
        InvalidRules, CatanError: as `count_boards`.
    """
    number, source = errors.check_count("n", n), errors.random_source(seed)
    space = board_space(rules, layout)
    if not space.total:
        raise Infeasible(f"no board on {space.layout.name!r} satisfies the rules")
    return _drawn(space, number, source)


def _drawn(space: BoardSpace, n: int, source: random.Random) -> Iterator[Board]:
    """Yield boards by their numbers: one alone, for which nobody waits long, then more and more at once."""
    at_once, grounds = 1, space.grounds.total
    dealing = beside(source)  # so all else is drawn as without fishing grounds
    while n:
        ranks = [
            source.randrange(space.total // grounds) * grounds + dealing.randrange(grounds)
            for _ in range(min(at_once, n))
        ]
        yield from space.boards(ranks)
        n -= len(ranks)
        at_once = min(8 * at_once, space.at_once)


def unrank_board(k: int, rules: str | Rules = "optimal", layout: str | Layout = "base") -> Board:
    """Return the board number *k*, from 0, of all that the rules allow.

    The order depends on the rules and the layout alone: `rank_board` is the reverse.

    Raises:
        InvalidArgument: *k* is no whole number from 0 to below `count_boards`.
        InvalidRules, CatanError: as `count_boards`.
    """
    space = board_space(rules, layout)
    number = errors.whole_number(k)
    if number is None or not 0 <= number < space.total:
        raise InvalidArgument(
            f"k is a whole number from 0 to below {space.total:,}, the number of boards, not {show(k)}"
        )
    (board,) = space.boards([number])
    return board


def rank_board(board: Board | str, rules: str | Rules) -> int:
    """Return the number of *board* among all that the rules allow on its layout, from 0; see `unrank_board`.

    Raises:
        InvalidBoard: the rules do not allow the board.
        InvalidRules, CatanError: as `count_boards`.
    """
    read = Board.from_notation(board) if isinstance(board, str) else board
    errors.check_kind("a rank is that of a Board, or of a notation", read, Board, InvalidBoard)
    found = board_space(rules, read.layout).rank(read)
    if found is None:
        broken = find_rules(rules).check(read)
        why = f": {broken[0]}" if broken else ", or not all of its pieces are laid"
        raise InvalidBoard(f"the rules do not allow {show(read.notation())}{why}")
    return found


def is_quick(rules: Rules, layout: Layout) -> bool:
    """Whether boards can be drawn uniformly after about a second, by decision diagrams alone.

    It depends on rules, models and layout only, never on what is installed.
    """
    if layout.special_demand is not None:
        return False
    return _quick_space(rules, layout, QUICK_PLACES, QUICK_STATES) is not None


def has_few(rules: Rules, layout: Layout) -> bool:
    """Whether there are at most `FEW_BOARDS` boards, harbors aside, and small decision diagrams hold them.

    It depends on rules, models and layout only, never on what is installed.
    """
    space = _quick_space(rules, layout, PLACES_MOST, FEW_STATES)
    return space is not None and space.total <= FEW_BOARDS * space.coasts


def _quick_space(rules: Rules, layout: Layout, places: int, states: int) -> BoardSpace | None:
    """Return all boards if the bare tiles lie in few *places* and the diagrams have few *states*."""
    if has_own_text(rules, "boards") or rules.symmetry != "all":
        return None
    if any(rule.sees_terrain for rule, _ in _bearing(rules)):
        return None
    try:
        if restrictions(rules, layout, "markers") != []:
            bare_places(layout, places)
        return board_space(rules, layout, max_states=states)
    except CatanError:
        return None


def take_space(rules: Rules, layout: Layout, space: BoardSpace) -> None:
    """Keep the space of boards that another process has counted, under rules that are `is_quick`."""
    _spaces.get((rules, layout), QUICK_STATES, lambda: space)


def is_drawn(rules: Rules, layout: Layout) -> bool:
    """Whether a study draws its boards uniformly: `is_quick`, or the counts for it come with the package."""
    if is_quick(rules, layout):
        return True
    try:
        return is_shipped(rules, layout) and board_space(rules, layout).total > 0
    except CatanError:
        return False


def board_space(
    rules: str | Rules,
    layout: str | Layout,
    *,
    max_states: int = BLOCK_STATES,
    watch: Watch | None = None,
) -> BoardSpace:
    """Return all boards that the rules allow as one numbered space; see `count_boards`.

    Its diagrams may have *max_states* states.
    """
    read, where = find_rules(rules), find_layout(layout)
    read.check_layout(where)
    terrain_limits(read, where)
    if has_own_text(read, "boards"):
        raise CatanError(
            "constraints of your own and edited models are known to the solver alone, so boards are not "
            "numbered; enumerate_boards lists them, count_boards counts by listing, and generate_board draws "
            "with the solver"
        )
    tied = any(rule.sees_terrain for rule, _ in _bearing(read))
    if where.special_demand is not None and (tied or where.ties_markers):
        raise CatanError(
            f"exact counts know the terrains of {where.name!r}, but not its complete boards: rules or bounds "
            "of its own on pips, tie markers to terrain; enumerate_boards lists, and generate_board draws"
        )
    if read.harbors == "shuffled" and (where.fixed_harbors or where.movable_harbors):
        raise CatanError(
            f"exact counts do not know the fixed or movable harbors of {where.name!r}; "
            "enumerate_boards lists them, and generate_board draws with the solver"
        )
    if read.symmetry == "distinct":
        raise InvalidRules("complete boards are numbered with symmetry='all' or 'corners', not 'distinct'")

    def build() -> BoardSpace:
        if tied:
            blocks: Iterable[Block] = (_weighted_block(read, where, watch),)
        else:
            blocks = _blocks(read, where, Budget(max_states), watch)
        return BoardSpace(where, tuple(blocks), harbor_deals(where, read.harbors), ground_deals(where))

    try:
        return _spaces.get((read, where), max_states, build)
    except TooManyStates:
        raise CatanError(
            f"the boards of these rules on {where.name!r} need more states than are counted at once; count "
            "with fewer rules or on a smaller layout"
        ) from None


def _bearing(rules: Rules) -> Iterator[tuple[Rule, Any]]:
    """Yield the rules set about markers, and those that tie shuffled harbors to the terrain."""
    for rule, value in set_rules(rules):
        printed = "harbors" in rule.about and rules.harbors != "shuffled"  # printed ones only bar terrains
        if "markers" in rule.about or ("harbors" in rule.about and rule.sees_terrain and not printed):
            yield rule, value


def _weighted_block(rules: Rules, layout: Layout, watch: Watch | None) -> WeightedTerrains:
    """Return the boards whose number of markers depends on the terrain."""
    for rule, _ in _bearing(rules):
        if "harbors" in rule.about:
            raise InvalidRules(
                f"under {rule.field} each terrain has its own number of harbors, which is not counted"
            )
    terrains = counted_space(rules, layout, False)
    if terrains.ranks > LISTED_MOST:
        ties = listed(rule.field for rule, _ in _bearing(rules) if rule.sees_terrain)
        raise CatanError(
            f"{ties} ties markers to the terrain, and each of {terrains.ranks:,} terrains would have to "
            f"be counted; more than {LISTED_MOST:,} are too many: count the markers of one terrain"
        )
    return weighted_terrains(terrains, rules, layout, watch)


_spaces: Cache[BoardSpace] = Cache(12)


def _blocks(rules: Rules, layout: Layout, budget: Budget, watch: Watch | None) -> Iterator[Block]:
    placed = layout.unmarked or len(layout.marker_pools) > 1 or layout.marker_boxes != layout.marker_pools
    if restrictions(rules, layout, "markers") == [] and not placed:  # any marker on any tile that has one
        as_counted = Budget(2 * budget.states)  # as many states as `count_terrains` allows
        terrains = space_of(rules, layout, False, as_counted)
        (pool,) = layout.marker_pools
        land = pool.tiles[: layout.n_numbered]  # markers may lie on any tiles, so which they are is the same
        any_land = ["wool" if t in land else "desert" for t in range(layout.n_tiles)]
        markers = dealt_markers(any_land, MarkerLimits(), layout, budget)
        yield ProductBlock(layout, terrains, markers, (tuple(range(layout.n_tiles)),))
        return
    orbits = bare_orbits(rules, layout)
    for done, (bare, turns) in enumerate(orbits.items(), start=1):
        block = product_block(bare, turns, rules, layout, budget)
        if block is not None:
            yield block
        if watch is not None:
            watch(Progress(done, len(orbits), "orbits"))
