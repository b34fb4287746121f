"""How many complete boards there are, and how many orbits (*classes*) of them under rotations and mirrors.

A rotation or mirror moves terrain and markers. Printed harbors stay: they are the frame's, and the same on
every board. Trades that are dealt anew move along, by the rotations and mirrors that put harbors on harbors.

Where the rules allow every board that a turn makes of an allowed one, the number of classes is the mean, over
all turns, of the number of boards that the turn leaves as they are (Burnside's lemma). A turn leaves a board
as it is if tiles of one cycle have equal terrain and equal markers, so those boards are a puzzle with a
group for every cycle. Under the rule book's spiral only rotations lead from one allowed board to another;
then each board weighs one over the number of turns that make an allowed board of it. Other rules are
counted by looking at every board, where there are not too many.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from os import PathLike

import numpy as np

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, TRADES
from catan_cp.counting import boards, markers, terrains
from catan_cp.counting.boards import Bare, BoardSpace, Turn
from catan_cp.counting.columns import Budget
from catan_cp.counting.counts import count_listed
from catan_cp.counting.diagram import Pieces, Progress, build
from catan_cp.counting.frontier import Puzzle
from catan_cp.counting.weights import WeightedTerrains
from catan_cp.errors import CatanError, check_timeout
from catan_cp.rules.rules import Rules, has_own_text, read_asked

LOOKED_AT_MOST = 2_000_000
"""The most boards that are looked at one by one where no count can be had otherwise."""

PLACES_MOST = 20_000
"""In how many ways the bare tiles may lie, such that a turn leaves them where they are."""

_STATES = 12_000_000
_CHUNK = 20_000


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
    read, where = read_asked(rules, layout)
    check_timeout(timeout)
    if has_own_text(read, "boards"):
        return count_listed("boards", (read, where), timeout, progress, distinct=distinct)
    space = boards.board_space(rules, layout, store, workers, progress)
    if distinct and (where.special_demand is not None or where.fishing_grounds):
        raise CatanError(
            f"classes of complete boards are not counted on {where.name!r}, which fixes or groups pieces, or "
            "has fishing grounds; count them without distinct"
        )
    return count_classes(space, read, where, progress) if distinct else space.total


def count_classes(space: BoardSpace, rules: Rules, layout: Layout, progress: Progress | None = None) -> int:
    """Return how many classes of boards a space has; see the module's docstring.

    Raises:
        CatanError: the rules are not the same under rotations and mirrors, and the boards too many to be
            looked at one by one.
    """
    if not space.total:
        return 0
    turns = harbor_turns(rules, layout)
    if len(turns) == 1:
        return space.total
    weighted = next((block for block in space.blocks if isinstance(block, WeightedTerrains)), None)
    if weighted is None and markers.fixed_order(rules, layout) is not None:
        if rules.symmetry != "all" or not set(turns) <= set(terrains.closed_turns(rules, layout)):
            return _looked_at(space, turns, rules, layout, progress)
        unchanged = [_unchanged_products(turn, turns, rules, layout) for turn in turns]
    elif set(turns) <= set(boards.free_turns(rules, layout)):
        unchanged = [Fraction(space.total, space.coasts * len(turns))]
        for turn in turns[1:]:
            kept = _unchanged(weighted, turn) if weighted else _unchanged_products(turn, turns, rules, layout)
            unchanged.append(kept / len(turns))
    else:
        return _looked_at(space, turns, rules, layout, progress)
    harbors = [_unchanged_harbors(turn, rules, layout) for turn in turns]
    classes = sum((kept * ways for kept, ways in zip(unchanged, harbors, strict=True)), Fraction(0))
    assert classes.denominator == 1, "classes come in whole numbers"
    return int(classes)


# Which turns


def harbor_turns(rules: Rules, layout: Layout) -> tuple[Turn, ...]:
    """Return the rotations and mirrors, the identity first; of harbors dealt anew, they keep the edges."""
    turns = terrains.turns_of(rules, layout)
    if rules.harbors != "shuffled":
        return turns
    places = {frozenset(harbor.vertices) for harbor in layout.laid_harbors}
    return tuple(
        turn
        for turn in turns
        if {frozenset(_vertices_of(turn, layout)[v] for v in place) for place in places} == places
    )


def _vertices_of(turn: Turn, layout: Layout) -> Turn:
    return layout.vertex_symmetries[layout.symmetries.index(turn)]


def _harbor_turn(turn: Turn, layout: Layout) -> Turn:
    """Return what a turn does to the harbors' edges, as a permutation of them."""
    vertices = _vertices_of(turn, layout)
    places = [frozenset(harbor.vertices) for harbor in layout.laid_harbors]
    return tuple(places.index(frozenset(vertices[v] for v in place)) for place in places)


def _unchanged_harbors(turn: Turn, rules: Rules, layout: Layout) -> int:
    """Return how many ways to lay harbors a turn leaves as they are: each cycle has harbors of one trade."""
    if rules.harbors != "shuffled":
        return 1
    trades = [harbor.trade for harbor in layout.laid_harbors]
    supply = tuple(trades.count(trade) for trade in sorted(set(trades)))
    cycles = terrains.cycles_of(_harbor_turn(turn, layout))
    kinds = frozenset(range(len(supply)))
    return build(Puzzle(supply, cycles, tuple(kinds for _ in cycles)), _STATES).total


# Boards that a turn leaves as they are


def _unchanged(block: WeightedTerrains, turn: Turn) -> Fraction:
    """Return how many boards of a block a turn leaves as they are, harbors aside."""
    if turn == tuple(range(len(turn))):
        return Fraction(block.total)
    limits = markers.all_limits(block.rules, block.layout)
    supply = [marker for marker in MARKERS if block.layout.marker_supply.get(marker)]
    all_differ = limits is not None and any(all(e.clash(m, m) for m in supply) for e in limits.on_terrain)
    moved = [t for t, target in enumerate(turn) if t != target]
    found = 0
    for row in block.codes[(block.codes[:, list(turn)] == block.codes).all(axis=1)]:
        carried = markers.numbered(row[None], block.layout)[0]
        if all_differ and carried[moved].any():
            continue  # two tiles of one terrain would carry the same marker
        for laid in block.markers.on(row).chunks():
            found += int((laid[:, list(turn)] == laid).all(axis=1).sum())
    return Fraction(found)


def _unchanged_products(turn: Turn, turns: Sequence[Turn], rules: Rules, layout: Layout) -> Fraction:
    """Return how many boards a turn leaves as they are, harbors aside, where terrains go with all markers.

    That is so as long as the bare tiles lie where they do. With markers in a fixed order, each board counts
    as one over the number of *turns* that make an allowed board of it.
    """
    cycles = terrains.cycles_of(turn)
    places = list(islice(boards.bare_places(layout, cycles), PLACES_MOST + 1))
    if len(places) > PLACES_MOST:
        raise CatanError(
            f"the bare tiles of {layout.name!r} may lie in more than {PLACES_MOST:,} ways, each with its "
            "own markers, which is too many to count classes; count without distinct"
        )
    ordered = markers.fixed_order(rules, layout) is not None
    found = Fraction(0)
    for bare in places:
        if ordered:
            ways = _unchanged_ordered(turn, turns, bare, rules, layout)
        else:
            ways = Fraction(_unchanged_markers(cycles, bare, rules, layout))
        if ways:
            found += ways * terrains.terrain_space(rules, layout, Budget(_STATES), dict(bare), cycles).total
    return found


def _unchanged_markers(cycles: terrains.Groups, bare: Bare, rules: Rules, layout: Layout) -> int:
    """Return in how many ways each cycle of tiles has one marker."""
    limits, terrain = markers.marker_limits(rules, layout), boards.some_terrain(bare, layout)
    assert limits is not None, "boards of rules that no puzzle expresses are counted by weights"
    puzzle = markers.plain_puzzle(terrain, limits, layout)
    if puzzle is None:
        return 0
    cell = {tile: number for number, tile in enumerate(markers.numbered_tiles(terrain, layout))}
    groups = tuple(tuple(cell[t] for t in cycle) for cycle in cycles if cycle[0] in cell)
    domains = tuple(frozenset.intersection(*(puzzle.domains[c] for c in group)) for group in groups)
    return Budget(_STATES).build(replace(puzzle, groups=groups, domains=domains)).total if groups else 1


def _unchanged_ordered(
    turn: Turn, turns: Sequence[Turn], bare: Bare, rules: Rules, layout: Layout
) -> Fraction:
    """Return how many markers in fixed order a turn leaves, each over the turns that keep it allowed."""
    found = Fraction(0)
    for row in _ordered(bare, rules, layout):
        if _moved(row, turn) == row:
            places = ((each, tuple(sorted((each[t], name) for t, name in bare))) for each in turns)
            found += Fraction(1, sum(_moved(row, each) in _ordered(to, rules, layout) for each, to in places))
    return found


def _moved(row: markers.Row, turn: Turn) -> markers.Row:
    return tuple(row[t] for t in np.argsort(turn).tolist())


@lru_cache(maxsize=PLACES_MOST)
def _ordered(bare: Bare, rules: Rules, layout: Layout) -> frozenset[markers.Row]:
    """Return the markers in their fixed order that go with these bare tiles."""
    order = markers.fixed_order(rules, layout)
    assert order is not None, "asked only under rules with a fixed order"
    return frozenset(markers.ordered_markers(boards.some_terrain(bare, layout), rules, layout, order))


# Every board


def _looked_at(
    space: BoardSpace, turns: Sequence[Turn], rules: Rules, layout: Layout, progress: Progress | None
) -> int:
    """Return the number of classes that the boards of a space are in."""
    if space.total > LOOKED_AT_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.total:,} boards, and more than {LOOKED_AT_MOST:,} are too many; count without "
            "distinct"
        )
    places = len(layout.laid_harbors) if rules.harbors == "shuffled" else 0
    wide = 2 * layout.n_tiles
    columns = [
        (
            *turn,
            *(layout.n_tiles + target for target in turn),
            *(wide + target for target in (_harbor_turn(turn, layout) if places else ())),
        )
        for turn in turns
    ]
    firsts = []
    for begin in range(0, space.total, _CHUNK):
        codes, laid, harbors = space.arrays(range(begin, min(begin + _CHUNK, space.total)))
        table = np.concatenate([codes, laid + 1], axis=1)  # no zeros, as `first_of_class` needs
        if places:
            table = np.concatenate([table, _trades(space, harbors)], axis=1)
        firsts.append(terrains.first_of_class(table, columns).view(f"S{wide + places}"))
        if progress is not None:
            progress(min(begin + _CHUNK, space.total), space.total)
    return len(np.unique(np.concatenate(firsts)))


def _trades(space: BoardSpace, ranks: Sequence[int]) -> Pieces:
    """Return the trades of these ranks, from 1, in the order of the layout's harbors."""
    here = [{harbor.vertices: harbor.trade for harbor in laid} for laid in space.harbors.harbors(ranks)]
    printed = [harbor.vertices for harbor in space.layout.laid_harbors]
    return np.array([[TRADES.index(trades[v]) + 1 for v in printed] for trades in here], dtype=np.uint8)
