"""How many terrains and markers the rules allow, exactly, and terrains drawn uniformly, without listing them.

>>> count_terrain("open"), count_terrain("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
>>> from catan_cp.rules.rules import Rules
>>> len(sample_terrain(3, Rules.preset("optimal"), seed=1))
3
"""

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.compiled import is_fast
from catan_cp.counting import markers, terrains
from catan_cp.counting.columns import Budget, Kept
from catan_cp.counting.diagram import Pieces, Progress, TooManyStates
from catan_cp.counting.marker_search import marker_search
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, SolverTimeout, listed
from catan_cp.rules.rules import Rules, has_own_text, read_asked, set_rules

MAX_STATES = 24_000_000
"""The most states of a count: about 1.4 GB and, at worst, a minute."""

QUICK_STATES = 4_000_000
"""The most states of a count that is taken to be a matter of a few seconds (`is_countable`)."""

_CLUSTER_COST = 4  # a state with the sizes of its clusters takes so much longer than one without

_KEPT_BYTES = 512 << 20
_MAX_MISSES = 1_000_000

_kept: Kept[terrains.TerrainSpace] = Kept(_KEPT_BYTES, attrgetter("n_bytes"))


def space_of(rules: Rules, layout: Layout, classes: bool, budget: Budget) -> terrains.TerrainSpace:
    """Return the (cached) space of allowed terrains or of their classes; see `terrain_space`.

    Where it need not be ranked, it may know no more than how many terrains there are; with a scratch folder
    it never does, and may have any number of states.

    Raises:
        TooManyStates: it needs more states than the budget has.
        CatanError: the scratch folder cannot be written to.
    """
    fields = terrains.terrain_fields(rules)
    if classes or fields.symmetry == "distinct":
        fields = fields.replace(symmetry="all")
    space = terrains.class_space if classes else terrains.terrain_space
    if budget.scratch is not None:
        return space(fields, layout, budget)
    ranked = budget.ranked or _kept.holds((fields, layout, classes, True), budget.states)
    own = replace(budget, ranked=ranked)
    return _kept.get((fields, layout, classes, ranked), budget.states, lambda: space(fields, layout, own))


def is_countable(rules: str | Rules, layout: str | Layout = "base") -> bool:
    """Return whether the allowed terrains can be counted, and drawn from, in seconds.

    The answer is found by building the structure, up to a limit; it is kept, so what follows is quick. It
    does not depend on what was counted before.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
    """
    read, where = read_asked(rules, layout)
    limits = terrains.terrain_limits(read, where)
    if limits is None:
        return False
    clusters = limits.clusters is not None and limits.clusters.size > 1
    quick = QUICK_STATES // _CLUSTER_COST if clusters else QUICK_STATES
    try:
        space_of(read, where, _wants_classes(read, where), Budget(quick))
    except TooManyStates:
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
    refuse_uncountable(read, where)
    space = counted_space(read, where, _wants_classes(read, where))
    if space.ranks == 0:
        raise Infeasible(f"no terrain on {where.name!r} satisfies the rules")
    if read.symmetry == "distinct" and len(space.turns) == 1:
        return _sample_firsts(space, read, where, n, source)
    return _named(space.unrank([source.randrange(space.ranks) for _ in range(n)]), where)


def refuse_uncountable(rules: Rules, layout: Layout) -> None:
    """Refuse rules about terrain, and demands of a layout, that exact counts know nothing of.

    Raises:
        CatanError: such a rule is set, or the layout has such a demand.
    """
    if terrains.terrain_limits(rules, layout) is None:
        fields = [rule.field for rule, _ in set_rules(rules, "terrain") if rule.counts is None]
        if not fields and terrains.crosses_groups(rules, layout):
            raise CatanError(
                f"exact counts do not follow clusters over the groups of tiles of {layout.name!r}; "
                "enumerate_terrain lists the terrains, and generate_board draws with the solver"
            )
        which = f" ({listed(fields)})" if fields else ""
        raise CatanError(
            f"exact counts know only some rules about terrain, and not these{which}; enumerate_terrain lists "
            "the terrains, and generate_board draws with the solver"
        )


def counted_space(
    rules: Rules, layout: Layout, classes: bool, budget: Budget | None = None
) -> terrains.TerrainSpace:
    """Return `space_of` with up to `MAX_STATES` states, with an error that tells a user what to do.

    Raises:
        CatanError: too many states to count, or the scratch folder cannot be written to.
    """
    try:
        return space_of(rules, layout, classes, budget or Budget(MAX_STATES))
    except TooManyStates:
        raise CatanError(
            f"the terrains of these rules on {layout.name!r} need more than {MAX_STATES:,} states to count; "
            "count_terrain counts them with a scratch folder, and enumerate_terrain lists some"
        ) from None


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


LISTED_MOST = 5_000_000
"""The most terrains that are looked at one by one where no count can be had otherwise: about a minute."""


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
    refuse_uncountable(rules, layout)
    classes = distinct or rules.symmetry == "distinct"
    if not classes or (rules.symmetry != "corners" and terrains.is_closed(rules, layout)):
        budget = Budget(
            MAX_STATES, progress, ranked=False, scratch=None if scratch is None else Path(scratch)
        )
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
    turns = terrains.turns_of(rules, layout)
    firsts, seen = [np.empty((0, layout.n_tiles), dtype=np.uint8)], 0
    for codes in space.chunks():
        first = terrains.first_of_class(codes, turns)
        firsts.append(first[(codes == first).all(axis=1)] if rules.symmetry == "distinct" else first)
        seen += len(codes)
        if progress is not None:
            progress(seen, space.ranks)
    return len(np.unique(np.concatenate(firsts).view(f"S{layout.n_tiles}")))


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
            return markers.count_local(
                names, limits, layout, markers.FEW_STATES if listable else markers.MARKER_STATES, progress
            )
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
