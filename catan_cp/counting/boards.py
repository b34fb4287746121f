"""Complete boards: counted, drawn uniformly, and numbered.

>>> board_at(4_711_000_815, "tournament").notation()
'db11b12/b10o8o11g4/o2g3g5w6g3/l8w10l4w9/l5w9l6:printed'
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from typing import Any

import numpy as np

from catan_cp.arguments import check_count, check_timeout, random_source, whole_number
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.counting.board_space import (
    Bare,
    Block,
    BoardSpace,
    FreeBlock,
    HarborSpace,
    ProductBlock,
    bare_codes,
    bare_places,
    n_bare_places,
)
from catan_cp.counting.budget import Budget, Kept
from catan_cp.counting.classes import count_classes, free_turns, harbor_turns
from catan_cp.counting.counts import (
    MAX_STATES,
    count_terrain,
    counted_space,
    is_countable,
    listed_number,
    refuse_uncountable,
    space_of,
)
from catan_cp.counting.diagram import Progress, TooManyStates
from catan_cp.counting.marker_puzzle import count_local, marker_limits
from catan_cp.counting.marker_space import (
    DiagramMarkers,
    ListedMarkers,
    MarkerSpace,
    free_markers,
    marker_space,
)
from catan_cp.counting.terrains import TerrainSpace, terrain_space
from catan_cp.counting.weights import LISTED_MOST, WeightedTerrains, marker_weights, shipped_counts
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, InvalidBoard, InvalidRules, listed, show
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import Rules, find_rules, has_own_text, restrictions, sees_terrain, set_rules

PLACES_MOST = 1_000
"""In how many ways the bare tiles may lie for a block to be made of each."""

BLOCK_STATES = 12_000_000
"""The most states that the diagrams of all blocks may have together: about a gigabyte."""


def count_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
    store: str | PathLike[str] | None = None,
    workers: int = 1,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> int:
    """Return how many boards the rules allow: terrain, markers and harbors.

    Rules that tie markers to the terrain are counted terrain by terrain, one for each class under rotations
    and mirrors. That is a second a board and more on some layouts; the counts of the preset ``optimal`` on
    ``base`` come with the package. Constraints of your own and edited models are counted by listing.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        distinct: count boards once that the layout's rotations and mirrors (those that keep the adjacency)
            turn into each other. Printed harbors stay where they are, on the frame; those dealt anew are
            turned along. Rules that allow only some boards of a class count the classes of which they allow a
            board.
        store: a file that keeps the counts of single terrains, so that a count that was stopped goes on.
        workers: how many processes count terrains.
        timeout: seconds for listing, which constraints of your own and edited models need.
        progress: called with what is done and what there is to do: blocks, or classes of terrains.

    Raises:
        InvalidRules: rules that tie shuffled harbors to the terrain, or ``symmetry="distinct"``.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: a count needs too many states, or too many terrains.
    """
    read, where = find_rules(rules), find_layout(layout)
    read.check_layout(where)
    check_timeout(timeout)
    if has_own_text(read, "boards"):
        return _listed_boards(read, where, distinct, timeout, progress)
    space = board_space(rules, layout, store, workers, progress)
    if distinct and where.special_demand is not None:
        raise CatanError(
            f"classes of complete boards are not counted on {where.name!r}, which fixes or groups pieces; "
            "count them without distinct"
        )
    return count_classes(space, read, where, progress) if distinct else space.total


def _listed_boards(
    rules: Rules, layout: Layout, distinct: bool, timeout: float | None, progress: Progress | None
) -> int:
    """Count what only the solver knows: each board that it lists, or each class of them."""
    classes: set[tuple[object, ...]] = set()
    turns = [layout.symmetries.index(turn) for turn in harbor_turns(rules, layout)] if distinct else []

    def note(board: Board) -> None:
        if distinct:
            moved = (board.moved(turn) for turn in turns)
            shuffled = rules.harbors == "shuffled"
            classes.add(min(_content(each, shuffled) for each in moved))

    found = listed_number("enumerate_boards", "boards", (rules, layout), timeout, progress, note)
    return len(classes) if distinct else found


def _content(board: Board, with_harbors: bool) -> tuple[object, ...]:
    harbors = tuple((harbor.vertices, harbor.trade) for harbor in board.harbors) if with_harbors else ()
    return board.terrain, tuple(marker or 0 for marker in board.markers), harbors


def sample_boards(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards, each drawn uniformly from all that the rules allow, independent of the others.

    Terrain, markers and harbors are uniform together: a board is drawn by its rank (`board_at`). The same
    seed gives the same boards.

    Raises:
        InvalidArgument: *n* or *seed* is no whole number.
        Infeasible: the rules allow no board.
        InvalidRules, CatanError: as `count_boards`.
    """
    number, source = check_count("n", n), random_source(seed)
    space = board_space(rules, layout)
    if not space.total:
        raise Infeasible(f"no board on {space.layout.name!r} satisfies the rules")
    return _drawn(space, number, source)


def _drawn(space: BoardSpace, n: int, source: random.Random) -> Iterator[Board]:
    """Yield boards by their numbers: one alone, for which nobody waits long, then more and more at once."""
    at_once = 1
    while n:
        yield from space.boards([source.randrange(space.total) for _ in range(min(at_once, n))])
        n -= min(at_once, n)
        at_once = min(8 * at_once, space.at_once)


def board_at(k: int, rules: str | Rules = "optimal", layout: str | Layout = "base") -> Board:
    """Return the board number *k*, from 0, of all that the rules allow.

    The order depends on the rules and the layout alone: `rank` is the reverse.

    Raises:
        InvalidArgument: *k* is no whole number from 0 to below `count_boards`.
        InvalidRules, CatanError: as `count_boards`.
    """
    space = board_space(rules, layout)
    number = whole_number(k)
    if number is None or not 0 <= number < space.total:
        raise InvalidArgument(
            f"k is a whole number from 0 to below {space.total:,}, the number of boards, not {show(k)}"
        )
    (board,) = space.boards([number])
    return board


def rank(board: Board | str, rules: str | Rules) -> int:
    """Return the number of *board* among all that the rules allow on its layout, from 0; see `board_at`.

    Raises:
        InvalidBoard: the rules do not allow the board.
        InvalidRules, CatanError: as `count_boards`.
    """
    read = Board.from_notation(board) if isinstance(board, str) else board
    found = board_space(rules, read.layout).rank(read)
    if found is None:
        broken = find_rules(rules).check(read)
        why = f": {broken[0]}" if broken else ""
        raise InvalidBoard(f"the rules do not allow {show(read.notation())}{why}")
    return found


def is_quick(rules: Rules, layout: Layout) -> bool:
    """Whether boards can be drawn uniformly after about a second, by decision diagrams alone.

    It depends on rules, models and layout only, never on what is installed.
    """
    return not has_own_text(rules, "boards") and _is_quick(rules, layout)


@lru_cache(maxsize=256)
def _is_quick(rules: Rules, layout: Layout) -> bool:
    """Return the same for the models as shipped: whether they are edited may change from call to call."""
    if layout.special_demand is not None or rules.symmetry != "all":
        return False
    if any(sees_terrain(rule) for rule, _ in _bearing(rules)):
        return False
    if rules.harbors == "shuffled" and (layout.fixed_harbors or layout.movable_harbors):
        return False
    if restrictions(rules, layout, "markers") != [] and n_bare_places(layout) > QUICK_PLACES:
        return False
    try:
        refuse_uncountable(rules, layout)
        _board_space(rules, layout, QUICK_STATES)
    except (CatanError, InvalidRules):
        return False
    return True


def counted_quickly(
    what: str, rules: Rules, layout: Layout, terrain: Sequence[str] | None = None
) -> int | None:
    """Return how many terrains, boards, or markers on *terrain* there are, where that takes about a second.

    It holds a solver to its word: one that finds none where this is above 0 is wrong. None where it is not
    known so soon. *what* is ``"terrain"``, ``"markers"`` or ``"boards"``.
    """
    if has_own_text(rules, what):
        return None
    if what == "terrain":
        plain = rules.replace(symmetry="all") if rules.symmetry == "distinct" else rules
        return count_terrain(plain, layout) if is_countable(plain, layout) else None
    if what == "markers":
        limits = marker_limits(rules, layout)
        if terrain is None or limits is None:
            return None
        try:
            return count_local(terrain, limits, layout, QUICK_STATES)
        except TooManyStates:
            return None
    if is_quick(rules, layout) or (rules == Rules.preset("optimal") and shipped_counts(rules, layout)):
        return board_space(rules, layout).total
    return None


QUICK_STATES, QUICK_PLACES = 1_000_000, 40
"""The most states and the most ways for the bare tiles to lie with which `is_quick` agrees."""


def board_space(
    rules: str | Rules,
    layout: str | Layout,
    store: str | PathLike[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> BoardSpace:
    """Return all boards that the rules allow as one numbered space; see `count_boards`."""
    read, where = find_rules(rules), find_layout(layout)
    read.check_layout(where)
    refuse_uncountable(read, where)
    if has_own_text(read, "boards"):
        raise CatanError(
            "constraints of your own and edited models are known to the solver alone, so boards are not "
            "numbered; enumerate_boards lists them, count_boards counts by listing, and generate_board draws "
            "with the solver"
        )
    if where.special_demand is not None and _ties_markers(read, where):
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
    if any(sees_terrain(rule) for rule, _ in _bearing(read)):
        return _weighted.get(
            (read, where, None if store is None else str(store)),
            MAX_STATES,
            lambda: _weighted_space(read, where, store, workers, progress),
        )
    return _board_space(read, where, BLOCK_STATES, progress)


def _ties_markers(rules: Rules, layout: Layout) -> bool:
    bounds = layout.terrain_marker_pips_min or layout.terrain_marker_pips_max
    return bool(bounds) or any(sees_terrain(rule) for rule, _ in _bearing(rules))


def _places_markers(layout: Layout) -> bool:
    """Whether the layout lets not every marker lie on every tile that carries one."""
    return bool(layout.fixed_markers or layout.unmarked or layout.pips_max or len(layout.marker_pools) > 1)


def _bearing(rules: Rules) -> Iterator[tuple[Rule, Any]]:
    """Yield the rules set about markers, and those that tie shuffled harbors to the terrain."""
    for rule, value in set_rules(rules):
        printed = "harbors" in rule.about and rules.harbors != "shuffled"  # printed ones only bar terrains
        if "markers" in rule.about or ("harbors" in rule.about and sees_terrain(rule) and not printed):
            yield rule, value


def _weighted_space(
    rules: Rules,
    layout: Layout,
    store: str | PathLike[str] | None,
    workers: int,
    progress: Progress | None,
) -> BoardSpace:
    """Return the space of boards whose number of markers depends on the terrain."""
    for rule, _ in _bearing(rules):
        if "harbors" in rule.about:
            raise InvalidRules(
                f"under {rule.field} each terrain has its own number of harbors, which is not counted"
            )
    terrains = counted_space(rules, layout, False)
    if terrains.ranks > LISTED_MOST:
        ties = listed(rule.field for rule, _ in _bearing(rules) if sees_terrain(rule))
        raise CatanError(
            f"{ties} ties markers to the terrain, and each of {terrains.ranks:,} terrains would have to "
            f"be counted; more than {LISTED_MOST:,} are too many: count the markers of one terrain"
        )
    codes = np.concatenate([np.zeros((0, layout.n_tiles), dtype=np.uint8), *terrains.chunks()])
    weights = marker_weights(codes, rules, layout, store=store, workers=workers, progress=progress)
    block = WeightedTerrains(codes, weights, rules, layout)
    return BoardSpace(layout, (block,), HarborSpace(layout, rules.harbors))


def _board_space(
    rules: Rules, layout: Layout, max_states: int, progress: Progress | None = None
) -> BoardSpace:
    """Return the (kept) space of boards whose markers look at no more than where the bare tiles are.

    Raises:
        CatanError: it needs more than *max_states* states, or too many places of the bare tiles.
    """

    def build() -> BoardSpace:
        blocks = _blocks(rules, layout, Budget(max_states), progress)
        return BoardSpace(layout, blocks, HarborSpace(layout, rules.harbors))

    try:
        return _spaces.get((rules, layout), max_states, build)
    except TooManyStates:
        raise CatanError(
            f"the boards of these rules on {layout.name!r} need more states than are counted at once; count "
            "with fewer rules or on a smaller layout"
        ) from None


_spaces: Kept[BoardSpace] = Kept(8, lambda _: 1)
_weighted: Kept[BoardSpace] = Kept(4, lambda _: 1)


def _blocks(rules: Rules, layout: Layout, budget: Budget, progress: Progress | None) -> tuple[Block, ...]:
    if restrictions(rules, layout, "markers") == [] and not _places_markers(layout):
        terrains = space_of(rules, layout, False, 2 * budget.states)  # as many as `count_terrain` allows
        return (FreeBlock(terrains, free_markers(layout, budget), bare_codes(layout)),)
    places = n_bare_places(layout)
    if places > PLACES_MOST:
        raise CatanError(
            f"the bare tiles may lie in {places:,} ways on {layout.name!r}, each with its own markers; "
            f"more than {PLACES_MOST:,} are too many to count boards"
        )
    return _place_blocks(rules, layout, budget, progress)


def bare_families(rules: Rules, layout: Layout) -> dict[Bare, list[tuple[int, ...]]]:
    """Return the places that the bare tiles may take, one of each orbit under rotations and mirrors.

    With each, the turns that make the rest of its orbit: what is on tile *t* goes to tile ``turn[t]``.
    """
    here = tuple(range(layout.n_tiles))
    turns = free_turns(rules, layout) if layout.special_demand is None else (here,)
    families: dict[Bare, list[tuple[int, ...]]] = {}
    for bare in bare_places(layout):
        first, turn = min((tuple(sorted((turn[t], name) for t, name in bare)), turn) for turn in turns)
        back = [0] * layout.n_tiles
        for t, there in enumerate(turn):
            back[there] = t
        families.setdefault(first, []).append(tuple(back))
    return families


def _place_blocks(
    rules: Rules, layout: Layout, budget: Budget, progress: Progress | None
) -> tuple[Block, ...]:
    families = bare_families(rules, layout)
    blocks: list[Block] = []
    for done, (bare, ways) in enumerate(families.items(), start=1):
        spaces = _around(bare, rules, layout, budget)
        if spaces is not None:
            blocks.append(ProductBlock(*spaces, tuple(ways)))
        if progress is not None:
            progress(done, len(families))
    return tuple(blocks)


def _around(
    bare: Bare, rules: Rules, layout: Layout, budget: Budget
) -> tuple[TerrainSpace, MarkerSpace] | None:
    """Return terrains and markers with exactly these bare tiles; None where there are none."""
    terrains = terrain_space(rules, layout, False, budget, dict(bare))
    if not terrains.ranks:
        return None
    markers = markers_around(bare, rules, layout, budget)
    return (terrains, markers) if markers.total else None


def markers_around(
    bare: Bare, rules: Rules, layout: Layout, budget: Budget, marks: Mapping[int, int] | None = None
) -> DiagramMarkers | ListedMarkers:
    """Return the markers that go with every terrain with exactly these bare tiles; see `marker_space`.

    Raises:
        InvalidRules: the rules have no such markers.
    """
    pins = dict(bare)
    some_terrain = [pins.get(t, "wool") for t in range(layout.n_tiles)]  # any terrain that carries markers
    markers = marker_space(some_terrain, rules, layout, budget, marks)
    if markers is None:
        raise InvalidRules(
            "exact counts know only some rules about markers, and not all of these; enumerate_boards lists"
        )
    return markers
