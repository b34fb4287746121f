"""How many terrains, markers and complete boards the rules allow, exactly; and terrains drawn uniformly.

>>> count_terrain("open"), count_terrain("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
>>> from catan_cp.rules.rules import Rules
>>> len(sample_terrain(3, Rules.preset("optimal"), seed=1))
3

Complete boards are counted in orbits (*classes*) under rotations and mirrors, too. These move terrain and
markers. Printed harbors stay: they are the frame's, and the same on every board. Trades that are dealt anew
move along, by the rotations and mirrors that put harbors on harbors.

Where the rules allow every board that a turn makes of an allowed one, the number of classes is the mean, over
all turns, of the number of boards that the turn leaves as they are (Burnside's lemma). A turn leaves a board
as it is if tiles of one cycle have equal terrain and equal markers, so those boards are a puzzle with a
group for every cycle. Under the rule book's spiral only rotations lead from one allowed board to another;
then each board weighs one over the number of turns that make an allowed board of it. Other rules are
counted by looking at every board, where there are not too many.
"""

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS
from catan_cp.compiled import is_fast
from catan_cp.counting import boards, markers, terrains
from catan_cp.counting.boards import Bare, BoardSpace, Turn
from catan_cp.counting.coasts import has_fixed_coast
from catan_cp.counting.columns import Budget
from catan_cp.counting.diagram import Pieces, Progress, TooManyStates, build
from catan_cp.counting.frontier import Puzzle
from catan_cp.counting.marker_search import marker_search
from catan_cp.counting.terrains import MAX_STATES, counted_space, space_of
from catan_cp.counting.weights import LISTED_MOST, WeightedTerrains
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, SolverTimeout
from catan_cp.rules.rule import FixedOrder
from catan_cp.rules.rules import Rules, has_own_text, read_asked

QUICK_STATES = 4_000_000
"""The most states of a count that is taken to be a matter of a few seconds (`is_countable`)."""

LOOKED_AT_MOST = 2_000_000
"""The most boards that are looked at one by one where no count can be had otherwise."""

PLACES_MOST = 20_000
"""In how many ways the bare tiles may lie, such that a turn leaves them where they are."""

_STATES = 12_000_000
_CHUNK = 20_000
_CLUSTER_COST = 4  # a state with the sizes of its clusters takes so much longer than one without

_MAX_MISSES = 1_000_000


def is_countable(rules: str | Rules, layout: str | Layout = "base") -> bool:
    """Return whether the allowed terrains can be counted, and drawn from, in seconds.

    The answer is found by building the structure, up to a limit; it is kept, so what follows is quick. It
    does not depend on what was counted before.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
    """
    read, where = read_asked(rules, layout)
    try:
        bound = terrains.terrain_limits(read, where).clusters
        quick = QUICK_STATES // _CLUSTER_COST if bound is not None and bound.size > 1 else QUICK_STATES
        space_of(read, where, _wants_classes(read, where), Budget(quick))
    except CatanError:
        return False
    return True


def sample_terrain(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
) -> list[tuple[str, ...]]:
    """Return *n* terrains, each drawn uniformly from all that the rules allow, independent of the others.

    With ``symmetry="distinct"`` the classes are uniform. Only the fields that bear on terrain alone count;
    markers and shuffled harbors are not looked at. The same seed gives the same terrains.

    Raises:
        Infeasible: the rules allow no terrain.
        CatanError: too many states to count (`is_countable` tells); let a solver choose instead.
        InvalidArgument: *n* is not a whole number from 0, or *seed* is none at all.
    """
    read, where = read_asked(rules, layout)
    n, source = errors.check_count("n", n), errors.random_source(seed)
    terrains.terrain_limits(read, where)
    space = counted_space(read, where, _wants_classes(read, where))
    if space.ranks == 0:
        raise Infeasible(f"no terrain on {where.name!r} satisfies the rules")
    if read.symmetry == "distinct" and len(space.turns) == 1:
        return _sample_firsts(space, read, where, n, source)
    return _named(space.unrank([source.randrange(space.ranks) for _ in range(n)]), where)


def _wants_classes(rules: Rules, layout: Layout) -> bool:
    return rules.symmetry == "distinct" and terrains.is_closed(rules, layout)


def _sample_firsts(
    space: terrains.TerrainSpace, rules: Rules, layout: Layout, n: int, source: random.Random
) -> list[tuple[str, ...]]:
    """Draw until *n* boards are the first of their class, for rules that are not closed under the turns."""
    turns = terrains.turns_of(rules, layout)
    found: list[tuple[str, ...]] = []
    misses = 0
    while len(found) < n:
        codes = space.unrank([source.randrange(space.ranks) for _ in range(max(100, 2 * len(turns) * n))])
        kept = codes[(codes == terrains.first_of_class(codes, turns)).all(axis=1)]
        misses = 0 if len(kept) else misses + len(codes)
        if misses > _MAX_MISSES:
            raise CatanError(
                f"none of {misses:,} terrains drawn for {layout.name!r} is the first of its class; use "
                "symmetry='all', or let the solver choose"
            )
        found += _named(kept, layout)
    return found[:n]


def _named(codes: Pieces, layout: Layout) -> list[tuple[str, ...]]:
    names = layout.all_terrains
    return [tuple(names[code - 1] for code in row) for row in codes.tolist()]


def count_terrain(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
    timeout: float | None = None,
    scratch: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> int:
    """Return how many terrains the rules allow.

    Args:
        rules: rules or a preset's name; only the fields that bear on terrain alone count, printed harbors
            that keep apart from their own terrain among them.
        layout: a layout or its name.
        distinct: count boards that the layout's rotations and mirrors (those that keep the adjacency) turn
            into each other once. Rules that allow only some boards of a class count the classes
            of which they allow a board.
        timeout: seconds for listing, which constraints of your own and edited models need.
        scratch: a folder for counts that need more states than memory holds: one step at a time, of up to
            150 bytes a state. It may be used for several counts, interrupted ones among them, which go on
            where they were; it may be deleted when they are done.
        progress: called with what is done and, where it is known, what there is to do.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
        InvalidArgument: a *scratch* folder for what only listing counts.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: the count needs too many states, or classes would have to be listed and are too many.
    """
    rules, layout = read_asked(rules, layout)
    errors.check_timeout(timeout)
    if has_own_text(rules, "terrain"):
        _refuse_scratch(scratch, "constraints of your own and edited models")
        return count_listed("terrains", (rules, layout), timeout, progress, distinct=distinct)
    terrains.terrain_limits(rules, layout)
    classes = distinct or rules.symmetry == "distinct"
    if not classes or (rules.symmetry != "corners" and terrains.is_closed(rules, layout)):
        folder = None if scratch is None else errors.check_path("scratch is a folder", scratch)
        budget = Budget(MAX_STATES, progress, scratch=folder)
        return counted_space(rules, layout, classes, budget).total
    _refuse_scratch(scratch, "classes under rules that rotations and mirrors do not keep")
    space = counted_space(rules, layout, False, Budget(MAX_STATES, progress))
    return _count_classes(space, rules, layout, progress)


def _refuse_scratch(scratch: str | os.PathLike[str] | None, what: str) -> None:
    if scratch is not None:
        raise InvalidArgument(
            f"scratch={str(scratch)!r} is for counts of states; {what} are counted by listing: leave it out"
        )


def _count_classes(
    space: terrains.TerrainSpace, rules: Rules, layout: Layout, progress: Progress | None
) -> int:
    """Look at each terrain: count those that are the first of their class, or the classes that are met."""
    if space.ranks > LISTED_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.ranks:,} terrains, and more than {LISTED_MOST:,} are too many; count with "
            "symmetry='all' and without distinct"
        )
    chunks, turns = space.chunks(), terrains.turns_of(rules, layout)
    allowed = rules.symmetry == "distinct"
    return terrains.count_firsts(chunks, turns, space.ranks, progress, allowed=allowed) if space.ranks else 0


def count_markers(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules,
    layout: str | Layout | None = None,
    *,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> int:
    """Return in how many ways the rules let markers stand on *terrain*.

    Only the fields about markers count. Where the box holds more markers than there are tiles, two ways
    differ when a tile's marker does. Rules that exact counts do not know, such as bounds on a terrain's pips,
    are counted by listing with the solver, and so are bounds on vertices where a count needs many states (as
    bounds on the sum mostly do).

    Args:
        terrain: a board, a sequence of names, or a notation.
        rules: rules or a preset's name.
        layout: the layout; it follows from the terrain where it is left out.
        timeout: seconds for listing; without it, listing takes as long as it takes.
        progress: called with what is done and, where it is known, what there is to do.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such terrain.
        InvalidArgument: a *timeout* that is no number of seconds above 0.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: the count needs too many states, and no *timeout* says how long to list instead.
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout)
    errors.check_timeout(timeout)
    order = markers.fixed_order(rules, layout)
    if order is not None:
        return len(markers.ordered_markers(names, rules, layout, order))
    if len(markers.numbered_tiles(names, layout)) > sum(layout.marker_supply.values()):
        return 0
    limits = markers.marker_limits(rules, layout)
    search = marker_search(names, rules, layout) if is_fast() else None
    listable = timeout is not None or limits is None or bool(limits.vertices)
    if limits is not None and (search is None or not limits.tells_all_apart(layout)):
        try:
            most = markers.FEW_STATES if listable else markers.MARKER_STATES
            return markers.dealt_markers(names, limits, layout, Budget(most, progress)).total
        except TooManyStates:
            if not listable:
                raise CatanError(
                    f"the markers of these rules on {layout.name!r} need more than "
                    f"{markers.MARKER_STATES:,} states to count; count the markers of one terrain with a "
                    "timeout, which lists them as far as it gets"
                ) from None
    if search is not None and timeout is None:
        return search.count(progress)
    return count_listed("markers", (names, rules, layout), timeout, progress)


def count_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
    store: str | os.PathLike[str] | None = None,
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
    errors.check_timeout(timeout)
    if has_own_text(read, "boards"):
        return count_listed("boards", (read, where), timeout, progress, distinct=distinct)
    space = boards.board_space(rules, layout, store, workers, progress)
    if distinct and (where.special_demand is not None or where.fishing_grounds):
        raise CatanError(
            f"classes of complete boards are not counted on {where.name!r}, which fixes or groups pieces, or "
            "has fishing grounds; count them without distinct"
        )
    return count_classes(space, read, where, progress) if distinct else space.total


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
        limits = markers.marker_limits(rules, layout)
        if terrain is None or limits is None:
            return None
        try:
            return markers.dealt_markers(terrain, limits, layout, Budget(boards.QUICK_STATES)).total
        except TooManyStates:
            return None
    known = has_fixed_coast(layout) and boards.is_drawn(rules, layout)
    return boards.board_space(rules, layout).total if known else None


# What only a solver knows, counted by listing: the one place where counts ask the room above them


def count_listed(
    what: str, asked: tuple[Any, ...], timeout: float | None, progress: Progress | None, **options: bool
) -> int:
    """Return how many ``"terrains"``, ``"markers"`` or ``"boards"`` a solver lists, or how many classes.

    What is *asked*, and the *options*, are arguments of the function that lists.

    Raises:
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
    """
    from catan_cp import enumerate_boards, enumerate_markers, enumerate_terrain

    lists: dict[str, Any] = {"boards": enumerate_boards, "markers": enumerate_markers}
    found = 0
    try:
        with lists.get(what, enumerate_terrain)(*asked, timeout=timeout, **options) as solutions:
            for found, _ in enumerate(solutions, start=1):
                if progress is not None and found % 1000 == 0:
                    progress(found, None)
    except SolverTimeout:
        raise SolverTimeout(f"at least {found} {what}: the time limit of {timeout} s passed", found) from None
    return found


# Classes of complete boards


def count_classes(space: BoardSpace, rules: Rules, layout: Layout, progress: Progress | None = None) -> int:
    """Return how many classes of boards a space has; see the module's docstring.

    Raises:
        CatanError: the rules are not the same under rotations and mirrors, and the boards too many to be
            looked at one by one.
    """
    if not space.total:
        return 0
    moves = harbor_moves(rules, layout)
    turns = tuple(moves)
    if len(turns) == 1:
        return space.total
    weighted = next((block for block in space.blocks if isinstance(block, WeightedTerrains)), None)
    order = None if weighted else markers.fixed_order(rules, layout)
    keeping = boards.free_turns if order is None else terrains.closed_turns
    if rules.symmetry != "all" or not set(turns) <= set(keeping(rules, layout)):
        return _looked_at(space, moves, layout, progress)
    laid = None if order is None else _laid_in_order(rules, layout, order)
    classes = Fraction(0)
    for turn in turns:
        if laid is not None:
            kept = _unchanged_ordered(turn, turns, laid, rules, layout)
        elif turn == turns[0]:
            kept = Fraction(space.total // space.coasts, len(turns))
        else:
            found = _unchanged(weighted, turn) if weighted else _unchanged_products(turn, rules, layout)
            kept = Fraction(found, len(turns))
        classes += kept * _unchanged_harbors(moves[turn], layout)
    assert classes.denominator == 1, "classes come in whole numbers"
    return int(classes)


# Which turns


def harbor_moves(rules: Rules, layout: Layout) -> dict[Turn, Turn]:
    """Return the rotations and mirrors, the identity first, and how each moves harbors that are dealt anew.

    A move is a permutation of the harbors' edges, which such turns keep; it is empty where none are dealt.
    """
    turns = terrains.turns_of(rules, layout)
    if rules.harbors != "shuffled":
        return dict.fromkeys(turns, ())
    places, found = [frozenset(harbor.vertices) for harbor in layout.laid_harbors], {}
    for turn in turns:
        vertices = layout.vertex_symmetries[layout.symmetries.index(turn)]
        moved = [frozenset(vertices[v] for v in place) for place in places]
        if set(moved) == set(places):
            found[turn] = tuple(map(places.index, moved))
    return found


def _unchanged_harbors(move: Turn, layout: Layout) -> int:
    """Return how many ways to lay harbors a move leaves as they are: each cycle has harbors of one trade."""
    if not move:
        return 1
    trades = [harbor.trade for harbor in layout.laid_harbors]
    supply = tuple(trades.count(trade) for trade in sorted(set(trades)))
    cycles = terrains.cycles_of(move)
    kinds = frozenset(range(len(supply)))
    return build(Puzzle(supply, cycles, tuple(kinds for _ in cycles)), _STATES).total


# Boards that a turn leaves as they are


def _unchanged(block: WeightedTerrains, turn: Turn) -> int:
    """Return how many boards of a block a turn leaves as they are, harbors aside."""
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
    return found


def _unchanged_products(turn: Turn, rules: Rules, layout: Layout) -> int:
    """Return how many boards a turn leaves as they are, harbors aside, where terrains go with all markers.

    That is so as long as the bare tiles lie where they do. Each cycle of tiles has one marker.
    """
    cycles, limits, found = terrains.cycles_of(turn), markers.marker_limits(rules, layout), 0
    assert limits is not None, "boards of rules that no puzzle expresses are counted by weights"
    for bare in boards.bare_places(layout, PLACES_MOST, cycles):
        terrain = boards.some_terrain(bare, layout)
        puzzle = markers.plain_puzzle(terrain, limits, layout)
        if puzzle is None:
            continue
        cell = {tile: number for number, tile in enumerate(markers.numbered_tiles(terrain, layout))}
        groups = tuple(tuple(cell[t] for t in cycle) for cycle in cycles if cycle[0] in cell)
        domains = tuple(frozenset.intersection(*(puzzle.domains[c] for c in group)) for group in groups)
        turned = replace(puzzle, groups=groups, domains=domains)
        ways = Budget(_STATES).build(turned).total if groups else 1
        found += ways * _terrains(bare, cycles, rules, layout) if ways else 0
    return found


def _terrains(bare: Bare, cycles: terrains.Groups, rules: Rules, layout: Layout) -> int:
    """Return how many terrains have these bare tiles, and one terrain on each cycle."""
    return terrains.terrain_space(rules, layout, Budget(_STATES), dict(bare), cycles).total


_Laid = dict[tuple[int | str, ...], Bare]
"""Per tile the marker or what is bare there, and where the bare tiles lie."""


def _laid_in_order(rules: Rules, layout: Layout, order: FixedOrder) -> _Laid:
    """Return all ways to lay markers in their fixed order, wherever the bare tiles lie."""
    found: _Laid = {}
    for bare in boards.bare_places(layout, PLACES_MOST):
        names, terrain = dict(bare), boards.some_terrain(bare, layout)
        for row in markers.ordered_markers(terrain, rules, layout, order):
            found[tuple(marker or names.get(t, "") for t, marker in enumerate(row))] = bare
    return found


def _unchanged_ordered(
    turn: Turn, turns: Sequence[Turn], laid: _Laid, rules: Rules, layout: Layout
) -> Fraction:
    """Return how many boards a turn leaves, each as one over the turns that make an allowed board of it."""
    cycles, ways = terrains.cycles_of(turn), defaultdict[Bare, Fraction](Fraction)
    for row, bare in laid.items():
        if _moved(row, turn) == row:
            ways[bare] += Fraction(1, sum(_moved(row, each) in laid for each in turns))
    return sum((kept * _terrains(bare, cycles, rules, layout) for bare, kept in ways.items()), Fraction(0))


def _moved(row: Sequence[int | str], turn: Turn) -> tuple[int | str, ...]:
    return tuple(row[t] for t in np.argsort(turn).tolist())


# Every board


def _looked_at(space: BoardSpace, moves: dict[Turn, Turn], layout: Layout, progress: Progress | None) -> int:
    """Return the number of classes that the boards of a space are in."""
    if space.total > LOOKED_AT_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.total:,} boards, and more than {LOOKED_AT_MOST:,} are too many; count without "
            "distinct"
        )
    columns = [
        [part * layout.n_tiles + target for part, of in enumerate((turn, turn, move)) for target in of]
        for turn, move in moves.items()
    ]
    harbors = space.harbors.fillings  # None where none are dealt

    def chunks() -> Iterator[Pieces]:
        for begin in range(0, space.total, _CHUNK):
            codes, laid, coasts = space.arrays(range(begin, min(begin + _CHUNK, space.total)))
            table = [codes, laid + 1]  # no zeros, as `first_of_class` needs
            if harbors is not None:
                table.append(harbors.unrank(coasts))
            yield np.concatenate(table, axis=1)

    return terrains.count_firsts(chunks(), columns, space.total, progress)
