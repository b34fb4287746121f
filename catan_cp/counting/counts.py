"""How many terrains, markers and complete boards the rules allow, exactly; and terrains drawn uniformly.

>>> count_terrains("open"), count_terrains("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
>>> from catan_cp.rules.rules import Rules
>>> len(sample_terrains(3, Rules.preset("optimal"), seed=1))
3
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.compiled import is_fast
from catan_cp.counting import boards, markers, terrains
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import Pieces, TooManyStates
from catan_cp.counting.marker_search import marker_search
from catan_cp.counting.terrains import MAX_STATES, counted_space, space_of
from catan_cp.counting.weights import LISTED_MOST
from catan_cp.errors import CatanError, Infeasible, SolverTimeout
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules, has_own_text, read_asked

QUICK_STATES = 4_000_000
"""The most states of a count that is taken to be a matter of a few seconds (`is_countable`)."""

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


def sample_terrains(
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
    turns = terrains.symmetries_of(rules, layout)
    found: list[tuple[str, ...]] = []
    misses = 0
    while len(found) < n:
        size = min(max(100, 2 * len(turns) * (n - len(found))), _CHUNK)
        codes = space.unrank([source.randrange(space.ranks) for _ in range(size)])
        kept = codes[(codes == terrains.first_of_orbit(codes, turns)).all(axis=1)]
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


def count_terrains(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    up_to_symmetry: bool = False,
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> int:
    """Return the number of terrain arrangements that the rules allow.

    Args:
        rules: rules or the name of a preset. Only fields and constraints about terrain alone count. Among
            them are printed harbors that must not touch their own terrain.
        layout: a layout or its name.
        up_to_symmetry: count up to symmetry, under the rotations and reflections of the layout that keep the
            adjacency. An orbit counts if the rules allow one of its arrangements.
        timeout: seconds for listing, which custom constraints and edited models need.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: the count needs too many states, or classes would have to be listed and are too many.
    """
    rules, layout = read_asked(rules, layout)
    errors.check_timeout(timeout)
    with watching(progress, "counting terrain arrangements") as watch:
        if has_own_text(rules, "terrain"):
            return count_listed("terrains", (rules, layout), timeout, watch, up_to_symmetry=up_to_symmetry)
        terrains.terrain_limits(rules, layout)
        classes = up_to_symmetry or rules.symmetry == "distinct"
        if not classes or (rules.symmetry != "corners" and terrains.is_closed(rules, layout)):
            return counted_space(rules, layout, classes, Budget(MAX_STATES, watch)).total
        space = counted_space(rules, layout, False, Budget(MAX_STATES, watch))
        return _count_classes(space, rules, layout, watch)


def _count_classes(space: terrains.TerrainSpace, rules: Rules, layout: Layout, watch: Watch | None) -> int:
    """Count orbits by listing: those whose first arrangement is allowed, or those with an allowed one."""
    if space.ranks > LISTED_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.ranks:,} terrains, and more than {LISTED_MOST:,} are too many; count with "
            "symmetry='all' and without up_to_symmetry"
        )
    turns, listed = terrains.symmetries_of(rules, layout), 0
    firsts = [np.zeros((0, layout.n_tiles), dtype=np.uint8)]
    for codes in space.chunks():
        first = terrains.first_of_orbit(codes, turns)
        firsts.append(first[(codes == first).all(axis=1)] if rules.symmetry == "distinct" else first)
        listed += len(codes)
        if watch is not None:
            watch(Progress(listed, space.ranks, "arrangements"))
    return len(np.unique(np.concatenate(firsts).view(f"S{layout.n_tiles}")))


def count_markers(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules,
    layout: str | Layout | None = None,
    *,
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> int:
    """Return in how many ways the rules let markers stand on *terrain*.

    Only the fields and constraints about markers count. Where the box holds more markers than there are
    tiles, two ways differ when a tile's marker does. Rules that exact counts do not know, such as bounds on a
    terrain's pips, are counted by listing with the solver, and so are bounds on vertices where a count needs
    many states (as bounds on the sum mostly do).

    Args:
        terrain: a board, a sequence of names, or a notation.
        rules: rules or a preset's name.
        layout: the layout; it follows from the terrain where it is left out.
        timeout: seconds for listing; without it, listing takes as long as it takes.
        progress: as for `count_terrains`.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such terrain, or a terrain that
            contradicts the pattern of the rules.
        InvalidArgument: a *timeout* that is no number of seconds above 0.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: the count needs too many states, and no *timeout* says how long to list instead.
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout, names)
    errors.check_timeout(timeout)
    order = markers.fixed_order(rules, layout)
    if order is not None:
        return len(markers.ordered_markers(names, rules, layout, order))
    if len(markers.numbered_tiles(names, layout)) > sum(layout.marker_supply.values()):
        return 0
    limits = markers.marker_limits(rules, layout)
    search = marker_search(names, rules, layout) if is_fast() else None
    listable = timeout is not None or limits is None or bool(limits.vertices)
    with watching(progress, "counting marker arrangements") as watch:
        if limits is not None and (search is None or not limits.tells_all_apart(layout)):
            try:
                most = markers.FEW_STATES if listable else markers.MARKER_STATES
                return markers.dealt_markers(names, limits, layout, Budget(most, watch)).total
            except TooManyStates:
                if not listable:
                    raise CatanError(
                        f"the markers of these rules on {layout.name!r} need more than "
                        f"{markers.MARKER_STATES:,} states to count; count the markers of one terrain with a "
                        "timeout, which lists them as far as it gets"
                    ) from None
        if search is not None and timeout is None:
            return search.count(watch)
        return count_listed("markers", (names, rules, layout), timeout, watch)


def count_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> int:
    """Return the number of boards that the rules allow: terrain, markers and harbors.

    If rules tie markers to the terrain, the markers of one terrain arrangement of each orbit are counted.
    This takes a second per arrangement or more on some layouts. The counts of the preset ``optimal`` on
    ``base`` come with the package. Custom constraints and edited models are counted by listing.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        timeout: seconds for listing, which custom constraints and edited models need.
        progress: as for `count_terrains`.

    Raises:
        InvalidRules: rules that tie shuffled harbors to the terrain, or ``symmetry="distinct"``.
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
        CatanError: a count needs too many states, or too many terrains.
    """
    read, where = read_asked(rules, layout)
    errors.check_timeout(timeout)
    with watching(progress, "counting boards") as watch:
        if has_own_text(read, "boards"):
            return count_listed("boards", (read, where), timeout, watch)
        return boards.board_space(rules, layout, watch=watch).total


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
        if not is_countable(plain, layout):
            return None
        if plain is not rules and not terrains.is_closed(plain, layout):
            return None  # Other rules may forbid the first terrain of each class.
        return count_terrains(plain, layout)
    if what == "markers":
        limits = markers.marker_limits(rules, layout)
        if terrain is None or limits is None:
            return None
        try:
            return markers.dealt_markers(terrain, limits, layout, Budget(boards.QUICK_STATES)).total
        except TooManyStates:
            return None
    known = boards.is_drawn(rules, layout)
    return boards.board_space(rules, layout).total if known else None


# What only a solver knows, counted by listing: the one place where counts ask the room above them


def count_listed(
    what: str, asked: tuple[Any, ...], timeout: float | None, watch: Watch | None, **options: bool
) -> int:
    """Return how many ``"terrains"``, ``"markers"`` or ``"boards"`` a solver lists, or how many classes.

    What is *asked*, and the *options*, are arguments of the function that lists.

    Raises:
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
    """
    from catan_cp import enumerate_boards, enumerate_markers, enumerate_terrains

    lists: dict[str, Any] = {"boards": enumerate_boards, "markers": enumerate_markers}
    found = 0
    try:
        with lists.get(what, enumerate_terrains)(*asked, timeout=timeout, **options) as solutions:
            for found, _ in enumerate(solutions, start=1):
                if watch is not None and found % 1000 == 0:
                    watch(Progress(found, unit=what))
    except SolverTimeout:
        raise SolverTimeout(f"at least {found} {what}: the time limit of {timeout} s passed", found) from None
    return found
