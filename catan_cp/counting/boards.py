"""Complete boards: counts, uniform samples, and boards by their rank.

>>> unrank_board(4_711_000_815, "tournament").notation()
'db11b12/b10o8o11g4/o2g3g5w6g3/l8w10l4w9/l5w9l6:printed'

The allowed boards are ranked in *blocks*. In a block, either all terrain arrangements have equally many
marker arrangements, or these are counted for each terrain arrangement.

* If the rules about markers ignore the terrain, there is one block: any terrain with any markers.
* If they depend on the places of the bare tiles (sea and desert, without markers), there is a block for each
  orbit of these places under rotations and reflections.
* If they depend on the terrain of numbered tiles, there is one block. In it, each terrain arrangement has a
  *weight*, the number of its marker arrangements (see `sums.weights`).

Within a block, boards are ordered by symmetry (see `ProductBlock`), terrain, markers, harbors and fishing
grounds, in this order of precedence. So the k-th board can be computed, and a uniform k gives a uniform
board. The order depends on rules and layout alone.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import ClassVar

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board, board_of
from catan_cp.boards.layout import FishingGround, Harbor, Layout
from catan_cp.clock import Clock
from catan_cp.counting.budget import UNLIMITED, Budget, Cache
from catan_cp.counting.coasts import CoastDeals, derived_source, ground_deals, harbor_deals
from catan_cp.counting.diagram import TooManyStates
from catan_cp.counting.markers import (
    marker_arrangements,
    marker_space,
    numbered,
)
from catan_cp.counting.spaces import Listed, Pieces, Product, Space, Symmetry, Union, sampled
from catan_cp.counting.sums.weights import TERRAINS_MOST, WeightedTerrains, shipped_counts, weighted_terrains
from catan_cp.counting.terrains import (
    MAX_STATES,
    counted_space,
    space_of,
    terrain_space,
)
from catan_cp.errors import (
    CatanError,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    SolverTimeout,
    show,
)
from catan_cp.problem.problem import Problem
from catan_cp.rules.requirements import layout_restrictions
from catan_cp.rules.rules import Rules

PLACES_MOST = 1_000
"""The maximum number of arrangements of bare tiles. Each orbit has a block."""

BLOCK_STATES = 12_000_000
"""The maximum number of states of all diagrams together: about a gigabyte."""


@dataclass(frozen=True)
class Limits:
    """Limits on the exact counts that replace other methods.

    Attributes:
        states: the maximum number of states.
        places: the maximum number of arrangements of bare tiles.
        boards: the maximum number of boards, not counting arrangements of harbors and fishing grounds.
        requirements: False to exclude layouts that restrict their pieces. A walk is faster there.
    """

    states: int
    places: int
    boards: float = math.inf
    requirements: bool = True


QUICK = Limits(states=1_000_000, places=40, requirements=False)
"""The limits of counts that take about a second."""

FEW = Limits(states=50_000, places=PLACES_MOST, boards=1_000_000)
"""The limits of spaces with few boards."""

Bare = tuple[tuple[int, str], ...]
"""The tiles without markers, in rising order, and their terrains."""


# A board for every rank


@dataclass(frozen=True)
class ProductBlock:
    """All combinations of symmetries, terrain arrangements and marker arrangements.

    Attributes:
        layout: the layout.
        symmetries: the symmetries that move terrain and markers together.
        parts: the number of a symmetry, a terrain arrangement and a marker arrangement of the numbered tiles,
            both before the symmetry moves them.
    """

    layout: Layout
    symmetries: tuple[Symmetry, ...]
    parts: Product
    at_once: ClassVar[int] = 4_000

    @property
    def total(self) -> int:
        """The number of boards, not counting arrangements of harbors and fishing grounds."""
        return self.parts.total

    @property
    def width(self) -> int:
        """The number of terrain codes and markers of a board."""
        return 2 * self.layout.n_tiles

    def arrays(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Pieces:
        """Return the terrain codes of ranks, followed by the markers."""
        n = self.layout.n_tiles
        numbers, codes, tokens = np.hsplit(self.parts.arrays(ranks), (1, 1 + n))
        markers = np.zeros_like(codes)
        markers[numbered(codes, self.layout)] = tokens.ravel()
        moves = np.array(self.symmetries)[numbers[:, 0]]
        moved = np.zeros((len(codes), 2 * n), dtype=np.uint8)
        np.put_along_axis(moved, np.hstack([moves, moves + n]), np.hstack([codes, markers]), axis=1)
        return moved

    def ranks(self, arrays: Pieces, budget: Budget = UNLIMITED) -> list[int]:
        """Return the rank of each board in the block, or -1 if it is not in the block."""
        ranks, n_numbered = [-1] * len(arrays), self.parts.width - 1 - self.layout.n_tiles
        for number, symmetry in enumerate(self.symmetries):
            codes, markers = (half[:, list(symmetry)] for half in np.hsplit(arrays, 2))
            has_marker = numbered(codes, self.layout)
            fits = (has_marker == (markers > 0)).all(axis=1) & (has_marker.sum(axis=1) == n_numbered)
            rows = [row for row in np.flatnonzero(fits).tolist() if ranks[row] < 0]
            tokens = markers[rows][has_marker[rows]].reshape(len(rows), n_numbered)
            numbers = np.full((len(rows), 1), number, dtype=np.uint8)
            inside = self.parts.ranks(np.hstack([numbers, codes[rows], tokens]))
            for row, rank in zip(rows, inside, strict=True):
                ranks[row] = rank
        return ranks


BoardBlock = ProductBlock | WeightedTerrains
"""A space of boards without harbors and fishing grounds."""


@dataclass(frozen=True)
class BoardSpace(Product):
    """All boards that rules allow on a layout: each board of the blocks with each coast.

    Attributes:
        layout: the layout.
        blocks: the blocks in order.
        harbors: the harbor arrangements.
        grounds: the arrangements of fishing grounds.
    """

    layout: Layout
    blocks: tuple[BoardBlock, ...]
    harbors: CoastDeals[Harbor]
    grounds: CoastDeals[FishingGround]

    @classmethod
    def of(cls, layout: Layout, blocks: tuple[BoardBlock, ...], harbor_rule: str) -> BoardSpace:
        """Return the space of blocks with the coasts of a layout."""
        harbors, grounds = harbor_deals(layout, harbor_rule), ground_deals(layout)
        factors = Union(blocks, 2 * layout.n_tiles), harbors.space, grounds.space
        return cls(factors, layout, blocks, harbors, grounds)

    @property
    def at_once(self) -> int:
        """The fastest number of boards to compute together: few if each needs a search."""
        return min((block.at_once for block in self.blocks), default=1)

    def boards(self, ranks: Sequence[int], budget: Budget = UNLIMITED) -> Iterator[Board]:
        """Yield the boards of ranks, in the order of the ranks."""
        return self.boards_of(self.arrays(ranks, budget))

    def boards_of(self, arrays: Pieces) -> Iterator[Board]:
        """Yield the board of each row of the space."""
        n, n_harbors = self.layout.n_tiles, self.harbors.space.width
        codes, markers, harbors, grounds = np.hsplit(arrays, (n, 2 * n, 2 * n + n_harbors))
        coasts = self.harbors.pieces_of(harbors), self.grounds.pieces_of(grounds)
        return boards_of(self.layout, codes, markers, *coasts)

    def rank(self, board: Board) -> int | None:
        """Return the rank of a board, or None if the rules do not allow it."""
        harbors, grounds = self.harbors.row_of(board.harbors), self.grounds.row_of(board.fishing_grounds)
        if harbors is None or grounds is None:
            return None
        codes = [self.layout.terrain_codes[name] for name in board.terrain]
        row = [*codes, *(marker or 0 for marker in board.markers), *harbors, *grounds]
        (rank,) = self.ranks(np.array([row], dtype=np.uint8))
        return None if rank < 0 else rank


def boards_of(
    layout: Layout,
    codes: Pieces,
    markers: Pieces,
    harbors: Sequence[tuple[Harbor, ...]],
    grounds: Sequence[tuple[FishingGround, ...]],
) -> Iterator[Board]:
    """Yield valid boards from terrain codes and markers of shape (boards, tiles), and coasts."""
    names = np.array(("", *layout.all_terrains), dtype=object)[codes].tolist()
    values = np.array((None, *range(1, 13)), dtype=object)[markers].tolist()
    for row in zip(names, values, harbors, grounds, strict=True):
        terrain, board_markers, board_harbors, board_grounds = row
        yield board_of(layout, tuple(terrain), tuple(board_markers), board_harbors, board_grounds)


# Places of the bare tiles


def bare_places(layout: Layout, most: int = PLACES_MOST) -> list[Bare]:
    """Return all arrangements of bare tiles in lexicographic order, deserts first.

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
    places = list(islice(_bare(fixed, pieces), most + 1))
    if len(places) > most:
        raise CatanError(
            f"the bare tiles of {layout.name!r} have more than {most:,} arrangements, each with its own "
            "markers, which are too many to count boards; generate_board samples boards"
        )
    return places


def _bare(placed: dict[int, str], pieces: Sequence[tuple[list[int], str, int]]) -> Iterator[Bare]:
    if not pieces:
        yield tuple(sorted(placed.items()))
        return
    (tiles, name, count), *rest = pieces
    for chosen in combinations([t for t in tiles if t not in placed], count):
        yield from _bare(placed | dict.fromkeys(chosen, name), rest)


def any_terrain(bare: Bare, layout: Layout) -> list[str]:
    """Return a terrain arrangement with these bare tiles, and wool on the other tiles."""
    pins = dict(bare)
    return [pins.get(t, "wool") for t in range(layout.n_tiles)]


def bare_orbits(problem: Problem) -> dict[Bare, tuple[Symmetry, ...]]:
    """Return one arrangement of bare tiles per orbit, with symmetries.

    There is one symmetry for each arrangement of the orbit, which maps the returned arrangement to it.

    Raises:
        CatanError: there are more than `PLACES_MOST` arrangements of bare tiles.
    """
    symmetries = problem.kept_symmetries("terrain", "markers")
    if problem.rules.symmetry != "all":
        symmetries = symmetries[:1]
    orbits: dict[Bare, list[Symmetry]] = {}
    for bare in bare_places(problem.layout):
        images = ((tuple(sorted((move[t], name) for t, name in bare)), move) for move in symmetries)
        first, symmetry = min(images)
        orbits.setdefault(first, []).append(tuple(np.argsort(symmetry).tolist()))
    return {bare: tuple(back) for bare, back in orbits.items()}


def product_block(
    bare: Bare, symmetries: tuple[Symmetry, ...], problem: Problem, budget: Budget
) -> ProductBlock | None:
    """Return the block of boards with these bare tiles, or None if there is no board.

    The block also has the images of these boards under *symmetries*.

    Raises:
        TooManyStates: the diagrams need more states than the budget has.
    """
    terrains = terrain_space(problem, budget, dict(bare))
    if not terrains.total:
        return None
    markers = marker_space(any_terrain(bare, problem.layout), problem, budget)
    return _product(problem.layout, symmetries, terrains, markers) if markers.total else None


def _product(layout: Layout, symmetries: Sequence[Symmetry], terrains: Space, markers: Space) -> ProductBlock:
    numbers = Listed(np.arange(len(symmetries), dtype=np.uint8)[:, None])
    return ProductBlock(layout, tuple(symmetries), Product((numbers, terrains, markers)))


# All boards


def sample_boards(
    n: int, rules: str | Rules = "optimal", layout: str | Layout = "base", *, seed: int | None = None
) -> Iterator[Board]:
    """Yield *n* allowed boards, sampled uniformly and independently.

    A board is sampled by its rank (see `unrank_board`), so all pieces are uniform together. The same seed
    gives the same boards.

    Args:
        n: the number of boards.
        rules: rules or the name of a preset.
        layout: a layout or its name.
        seed: a whole number. Random by default.

    Raises:
        InvalidArgument: *n* or *seed* is not a whole number.
        Infeasible: the rules allow no board.
        InvalidRules, CatanError: as `count_boards`.

    Example:
        >>> boards = list(sample_boards(3, "tournament", seed=1))
        >>> [board.layout.name for board in boards]
        ['base', 'base', 'base']
    """
    number, source = errors.check_count("n", n), errors.random_source(seed)
    return sample_within(number, Problem.of(rules, layout), source, Budget(BLOCK_STATES))


def sample_within(n: int, problem: Problem, source: random.Random, budget: Budget) -> Iterator[Board]:
    """Yield *n* boards by `sample_boards` within a budget.

    Raises:
        SolverTimeout: the time limit passed.
    """
    space = board_space(problem, budget)
    if not space.total:
        raise Infeasible(f"no board on {space.layout.name!r} satisfies the rules")
    grounds = space.grounds.total
    # Fishing grounds have a separate source, so that they do not change the other pieces of a seed.
    ground_source = derived_source(source) if grounds > 1 else None

    def rank() -> int:
        ground = ground_source.randrange(grounds) if ground_source else 0
        return source.randrange(space.total // grounds) * grounds + ground

    return chain.from_iterable(map(space.boards_of, sampled(space, rank, n, space.at_once, budget)))


def unrank_board(k: int, rules: str | Rules = "optimal", layout: str | Layout = "base") -> Board:
    """Return the board of rank *k* among all that the rules allow.

    Ranks start at 0. The order depends on the rules and the layout alone. `rank_board` is the inverse.

    Args:
        k: the rank, a whole number from 0.
        rules: rules or the name of a preset.
        layout: a layout or its name.

    Raises:
        InvalidArgument: *k* is not a whole number from 0 to below `count_boards`.
        InvalidRules, CatanError: as `count_boards`.

    Example:
        >>> unrank_board(4_711_000_815, "optimal").notation()
        'w3b10g8/l9o8w4b9/w11g2l10do5/l6o4g3b6/g11l5w12:printed'
    """
    space = board_space(Problem.of(rules, layout))
    number = errors.whole_number(k)
    if number is None or not 0 <= number < space.total:
        raise InvalidArgument(
            f"k must be a whole number from 0 to below {space.total:,}, the number of boards, not {show(k)}"
        )
    (board,) = space.boards([number])
    return board


def rank_board(board: Board | str, rules: str | Rules) -> int:
    """Return the rank of *board* among all that the rules allow (see `unrank_board`).

    Args:
        board: a complete board that the rules allow.
        rules: rules or the name of a preset.

    Raises:
        InvalidBoard: the rules do not allow the board.
        InvalidRules, CatanError: as `count_boards`.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.generate_board("tournament", seed=1)
        >>> unrank_board(rank_board(board, "tournament"), "tournament") == board
        True
    """
    board = Board.from_notation(board) if isinstance(board, str) else board
    errors.check_kind("a rank is that of a Board, or of a notation", board, Board, InvalidBoard)
    problem = Problem.of(rules, board.layout)
    rank = board_space(problem).rank(board)
    if rank is None:
        violations = problem.check(board)
        reason = f": {violations[0]}" if violations else ", or pieces are missing"
        raise InvalidBoard(f"the rules do not allow {show(board.notation())}{reason}")
    return rank


def rank_obstacle(problem: Problem, limits: Limits, clock: Clock | None = None) -> str:
    """Return why boards cannot be ranked within limits, in plain English, or an empty text.

    The result depends on rules, models and layout only, not on installed programs.

    Raises:
        SolverTimeout: the time limit of *clock* passed.
    """
    if problem.board_obstacle:
        return problem.board_obstacle
    rows = (layout_restrictions(problem.layout, subject) for subject in ("terrain", "markers"))
    if not limits.requirements and any(rows):
        return "counting takes too long"
    if problem.rules.symmetry != "all":  # Each triple of corner terrains needs its own diagrams.
        return "counting takes too long"
    if problem.markers_see_terrain and shipped_counts(problem, whole=True) is None:
        return problem.marker_tie
    try:
        if problem.markers is None or not problem.markers.is_empty:
            bare_places(problem.layout, limits.places)
        space = board_space(problem, Budget(limits.states, clock or Clock(None)))
    except SolverTimeout:
        raise
    except CatanError:
        return "counting takes too long"
    return "there are many boards" if space.factors[0].total > limits.boards else ""


def take_space(rules: Rules, layout: Layout, space: BoardSpace) -> None:
    """Cache the space of boards that another process counted."""
    _spaces.get((rules, layout), Budget(QUICK.states), lambda: space)


def board_space(problem: Problem, budget: Budget | None = None) -> BoardSpace:
    """Return the ranked space of all boards that the rules allow.

    Args:
        problem: the rules and the layout.
        budget: the limits of all decision diagrams together, by default `BLOCK_STATES` states.

    Raises:
        InvalidRules, CatanError: see `count_boards`.
        SolverTimeout: the time limit passed.
    """
    rules, layout = problem.rules, problem.layout
    if problem.board_obstacle:
        raise InvalidRules(
            f"{problem.board_obstacle}; enumerate_boards lists the boards, and generate_board samples"
        )
    limits = budget or Budget(BLOCK_STATES)

    def build() -> BoardSpace:
        fresh = dataclasses.replace(limits)  # Building diagrams uses up the budget, so this is a copy.
        if problem.markers_see_terrain:
            blocks: Iterable[BoardBlock] = (_weighted_block(problem, fresh),)
        else:
            blocks = _blocks(problem, fresh)
        return BoardSpace.of(layout, tuple(blocks), rules.harbors)

    try:
        return _spaces.get((rules, layout), limits, build)
    except TooManyStates:
        raise CatanError(
            f"the boards of these rules on {layout.name!r} need more states than are counted at once; count "
            "with fewer rules or on a smaller layout"
        ) from None


def _weighted_block(problem: Problem, budget: Budget) -> WeightedTerrains:
    """Return the block of boards whose marker arrangements depend on the terrain."""
    terrains = counted_space(problem, False, dataclasses.replace(budget, states=MAX_STATES, watch=None))
    if terrains.total > TERRAINS_MOST:
        raise CatanError(
            f"{problem.marker_tie}, so a count lists all {terrains.total:,} terrain arrangements, and the "
            f"maximum is {TERRAINS_MOST:,}; count the markers of one terrain"
        )
    return weighted_terrains(terrains, problem, budget)


_spaces: Cache[BoardSpace] = Cache(12)


def _blocks(problem: Problem, budget: Budget) -> Iterator[BoardBlock]:
    """Yield the blocks if marker arrangements depend at most on the bare tiles."""
    layout, tables = problem.layout, problem.markers
    has_places = layout.unmarked or len(layout.marker_pools) > 1 or layout.marker_boxes != layout.marker_pools
    if tables is not None and tables.is_empty and not has_places:  # Any tile may have any marker.
        # With the default budget, this is `terrains.MAX_STATES`, the limit of `count_terrains`.
        as_counted = dataclasses.replace(budget, states=2 * budget.states)
        terrains = space_of(problem, False, as_counted)
        (pool,) = layout.marker_pools
        land = pool.tiles[: layout.n_numbered]  # Any choice of numbered tiles gives the same arrangements.
        terrain = ["wool" if t in land else "desert" for t in range(layout.n_tiles)]
        markers = marker_arrangements(terrain, tables, layout, budget)
        yield _product(layout, [range(layout.n_tiles)], terrains, markers)
        return
    orbits, quiet = bare_orbits(problem), dataclasses.replace(budget, watch=None)
    for n_done, (bare, symmetries) in enumerate(orbits.items(), start=1):
        block = product_block(bare, symmetries, problem, quiet)
        if block is not None:
            yield block
        budget.report(n_done, len(orbits), "orbits")
