"""How many terrains, markers and boards the rules allow, exactly, without listing what can be counted.

>>> count_terrain("open"), count_terrain("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp.arguments import check_timeout
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.counting.diagram import Progress, TooManyStates
from catan_cp.counting.marker_counts import FEW_STATES, MAX_STATES, count_local
from catan_cp.counting.marker_limits import fixed_order, marker_limits, ordered_markers
from catan_cp.counting.marker_search import marker_search
from catan_cp.counting.sampling import counted_space, refuse_uncountable
from catan_cp.counting.terrain_limits import is_closed, turns_of
from catan_cp.counting.terrain_space import Budget, TerrainSpace, first_of_class, terrain_space
from catan_cp.errors import CatanError, InvalidArgument, SolverTimeout
from catan_cp.hooks import hooked
from catan_cp.rules.declared import has_own_text
from catan_cp.rules.rules import Rules, find_rules

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
    rules, layout = find_rules(rules), find_layout(layout)
    rules.check_layout(layout)
    check_timeout(timeout)
    if has_own_text(rules, "terrain"):
        _refuse_scratch(scratch, "constraints of your own and edited models")
        return _listed_terrain(rules, layout, distinct, timeout, progress)
    refuse_uncountable(rules, layout)
    classes = distinct or rules.symmetry == "distinct"
    if scratch is not None:
        if classes and not (rules.symmetry != "corners" and is_closed(rules, layout)):
            _refuse_scratch(scratch, "classes under rules that rotations and mirrors do not keep")
        plain = rules.replace(symmetry="all") if classes else rules
        return terrain_space(plain, layout, classes, Budget(0, progress, scratch=Path(scratch))).total
    if not classes:
        return counted_space(rules, layout, False, progress, ranked=False).total
    if rules.symmetry != "corners" and is_closed(rules, layout):
        return counted_space(rules, layout, True, progress, ranked=False).total
    return _count_classes(counted_space(rules, layout, False, progress), rules, layout, progress)


def _refuse_scratch(scratch: str | os.PathLike[str] | None, what: str) -> None:
    if scratch is not None:
        raise InvalidArgument(
            f"scratch={str(scratch)!r} is for counts of states; {what} are counted by listing: leave it out"
        )


def _listed_terrain(
    rules: Rules, layout: Layout, distinct: bool, timeout: float | None, progress: Progress | None
) -> int:
    """Count what only the solver knows: each terrain that it lists, or each class of them."""
    classes: set[tuple[str, ...]] = set()
    turns = turns_of(rules, layout) if distinct else ()

    def note(terrain: tuple[str, ...]) -> None:
        if distinct:
            classes.add(min(tuple(terrain[t] for t in turn) for turn in turns))

    found = listed_number("enumerate_terrain", "terrains", (rules, layout), timeout, progress, note)
    return len(classes) if distinct else found


def listed_number(
    function: str,
    what: str,
    arguments: tuple[Any, ...],
    timeout: float | None,
    progress: Progress | None,
    note: Callable[[Any], None] | None = None,
) -> int:
    """Return how many solutions a function of the room above lists, which speaks to the solver.

    Raises:
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
    """
    found = 0
    try:
        with hooked(function)(*arguments, timeout=timeout) as solutions:
            for found, solution in enumerate(solutions, start=1):
                if note is not None:
                    note(solution)
                if progress is not None and found % 1000 == 0:
                    progress(found, None)
    except SolverTimeout:
        raise SolverTimeout(f"at least {found} {what}: the time limit of {timeout} s passed", found) from None
    return found


def _count_classes(space: TerrainSpace, rules: Rules, layout: Layout, progress: Progress | None) -> int:
    """Look at each terrain: count those that are the first of their class, or the classes that are met."""
    if space.ranks > LISTED_MOST:
        raise CatanError(
            f"the rules are not the same under rotations and mirrors, so classes are counted by looking at "
            f"each of {space.ranks:,} terrains, and more than {LISTED_MOST:,} are too many; count with "
            "symmetry='all' and without distinct"
        )
    turns = turns_of(rules, layout)
    firsts = 0
    met = np.empty((0, layout.n_tiles), dtype=np.uint8)
    seen = 0
    for codes in space.chunks():
        first = first_of_class(codes, turns)
        if rules.symmetry == "distinct":
            firsts += int((codes == first).all(axis=1).sum())
        else:
            met = np.unique(np.concatenate([met, first]), axis=0)
        seen += len(codes)
        if progress is not None:
            progress(seen, space.ranks)
    return firsts + len(met)


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
    rules = find_rules(rules)
    rules.check_layout(layout)
    check_timeout(timeout)
    order = fixed_order(rules, layout)
    if order is not None:
        return len(ordered_markers(names, rules, layout, order))
    if sum(layout.carries_marker(t, name) for t, name in enumerate(names)) > sum(
        layout.marker_supply.values()
    ):
        return 0
    limits = marker_limits(rules, layout)
    search = marker_search(names, rules, layout)
    listable = timeout is not None or limits is None or bool(limits.vertices)
    if limits is not None and (search is None or not limits.tells_all_apart(layout)):
        try:
            return count_local(names, limits, layout, FEW_STATES if listable else MAX_STATES, progress)
        except TooManyStates:
            if not listable:
                raise _too_many_markers(layout) from None
    if search is not None and timeout is None:
        return search.count(progress)
    return listed_number("enumerate_markers", "markers", (names, rules, layout), timeout, progress)


def _too_many_markers(layout: Layout) -> CatanError:
    return CatanError(
        f"the markers of these rules on {layout.name!r} need more than {MAX_STATES:,} states to count; count "
        "the markers of one terrain with a timeout, which lists them as far as it gets"
    )
