"""How many terrains, markers and boards the rules allow, exactly, without listing what can be counted.

>>> count_terrain("open"), count_terrain("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, factorial, prod

import numpy as np

from catan_cp.arguments import check_timeout
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting.diagram import Progress, TooManyStates
from catan_cp.counting.marker_counts import (
    FEW_STATES,
    MAX_STATES,
    count_local,
    ordered_markers,
    fixed_order,
    marker_limits,
)
from catan_cp.counting.sampling import MAX_STATES as TERRAIN_STATES
from catan_cp.counting.sampling import counted_space, refuse_uncountable
from catan_cp.counting.terrain_space import (
    Budget,
    TerrainSpace,
    first_of_class,
    is_closed,
    keeps,
    terrain_space,
    turns_of,
)
from catan_cp.errors import CatanError, InvalidRules, SolverTimeout
from catan_cp.rules.declared import sees_terrain, set_rules
from catan_cp.rules.rules import Rules, find_rules

Pins = tuple[tuple[int, str], ...]
"""Tiles and what they are."""

LISTED_MOST = 5_000_000
"""The most terrains that are looked at one by one where no count can be had otherwise: about a minute."""

PLACES_MOST = 1_000
"""In how many ways desert and sea may lie for `count_boards` to count the markers of each."""


def count_terrain(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
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
        progress: called with what is done and, where it is known, what there is to do.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
        CatanError: the count needs too many states, or classes would have to be listed and are too many.
    """
    wishes, place = find_rules(rules), find_layout(layout)
    wishes.check_layout(place)
    refuse_uncountable(wishes, place)
    if not distinct and wishes.symmetry != "distinct":
        return counted_space(wishes, place, False, progress).total
    if wishes.symmetry != "corners" and is_closed(wishes, place):
        return counted_space(wishes, place, True, progress).total
    return _count_classes(counted_space(wishes, place, False, progress), wishes, place, progress)


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
    place, names = read_terrain(terrain, layout)
    wishes = find_rules(rules)
    wishes.check_layout(place)
    check_timeout(timeout)
    order = fixed_order(wishes, place)
    if order is not None:
        return len(ordered_markers(names, wishes, place, order))
    numbered = sum(name not in UNNUMBERED for name in names)
    if numbered > sum(place.marker_supply.values()):
        return 0
    limits = marker_limits(wishes, place)
    if limits is None:
        return _listed_markers(names, wishes, place, timeout, progress)
    listable = timeout is not None or bool(limits.vertices)
    try:
        return count_local(names, limits, place, FEW_STATES if listable else MAX_STATES, progress)
    except TooManyStates:
        if listable:
            return _listed_markers(names, wishes, place, timeout, progress)
        raise _too_many_markers(place) from None


def _too_many_markers(layout: Layout) -> CatanError:
    return CatanError(
        f"the markers of these rules on {layout.name!r} need more than {MAX_STATES:,} states to count; count "
        "the markers of one terrain with a timeout, which lists them as far as it gets"
    )


def _listed_markers(
    terrain: Sequence[str], rules: Rules, layout: Layout, timeout: float | None, progress: Progress | None
) -> int:
    from catan_cp.search.enumerating import enumerate_markers

    found = 0
    try:
        with enumerate_markers(terrain, rules, layout, timeout=timeout) as solutions:
            for _ in solutions:
                found += 1
                if progress is not None and found % 1000 == 0:
                    progress(found, None)
    except SolverTimeout:
        raise SolverTimeout(
            f"at least {found} markers: the time limit of {timeout} s passed", found
        ) from None
    return found


def count_boards(
    rules: str | Rules, layout: str | Layout = "base", *, progress: Progress | None = None
) -> int:
    """Return how many boards the rules allow: terrain, markers and harbors.

    Counted as a sum of products, so the rules may tie markers to where desert and sea lie, but not to
    what the other tiles are, and harbors to no terrain unless they are printed.

    Raises:
        InvalidRules: rules that tie markers or shuffled harbors to the terrain.
        CatanError: a count needs too many states, or desert and sea may lie in too many ways.
    """
    wishes, place = find_rules(rules), find_layout(layout)
    wishes.check_layout(place)
    refuse_uncountable(wishes, place)
    _refuse_ties(wishes)
    if marker_limits(wishes, place) is None and fixed_order(wishes, place) is None:
        raise InvalidRules(
            "exact counts know only some rules about markers, and not all of these; enumerate_boards lists"
        )
    harbors = _count_harbors(wishes, place)
    if not any(set_rules(wishes, "markers")):
        terrains = count_terrain(wishes, place, progress=progress)
        any_terrain = [name for name, count in place.terrain_counts.items() for _ in range(count)]
        return terrains * _count_numberings(any_terrain, wishes, place) * harbors
    if wishes.symmetry == "distinct":
        raise InvalidRules("count_boards cannot join symmetry='distinct' with rules about markers; use 'all'")
    n_places = _n_places(place)
    if n_places > PLACES_MOST:
        raise CatanError(
            f"desert and sea may lie in {n_places:,} ways on {place.name!r}, each with its own count of "
            f"markers; count_boards takes up to {PLACES_MOST:,}"
        )
    same = turns_of(wishes, place) if _turns_freely(wishes, place) else (tuple(range(place.n_tiles)),)
    known: dict[Pins, int] = {}
    total = 0
    for done, pins in enumerate(_places(place), start=1):
        key = min(tuple(sorted((turn[t], name) for t, name in pins)) for turn in same)
        if key not in known:
            known[key] = _count_around(dict(pins), wishes, place)
        total += known[key]
        if progress is not None:
            progress(done, n_places)
    return total * harbors


def _refuse_ties(rules: Rules) -> None:
    """Refuse rules under which the number of markers or harbors depends on more than where no marker is."""
    for rule, _ in set_rules(rules):
        harbors_only = "harbors" in rule.about and rules.harbors != "shuffled"  # printed ones are as they are
        if rule.about != ("terrain",) and sees_terrain(rule) and not harbors_only and rule.about:
            raise InvalidRules(
                f"under {rule.field} each terrain has its own number of markers or harbors, so boards are no "
                "sum of products; count the terrains, and the markers of one terrain"
            )


def _count_harbors(rules: Rules, layout: Layout) -> int:
    if rules.harbors != "shuffled":
        return 1
    trades = Counter(harbor.trade for harbor in layout.printed_harbors)
    return factorial(trades.total()) // prod(map(factorial, trades.values()))


def _n_places(layout: Layout) -> int:
    left, ways = layout.n_tiles, 1
    for name in sorted(UNNUMBERED):
        count = layout.terrain_counts.get(name, 0)
        ways *= comb(left, count)
        left -= count
    return ways


def _places(layout: Layout) -> Iterator[Pins]:
    """Yield every way for deserts and sea to lie."""
    tiles = range(layout.n_tiles)
    for deserts in combinations(tiles, layout.terrain_counts.get("desert", 0)):
        others = [t for t in tiles if t not in deserts]
        for seas in combinations(others, layout.terrain_counts.get("sea", 0)):
            yield (*((t, "desert") for t in deserts), *((t, "sea") for t in seas))


def _turns_freely(rules: Rules, layout: Layout) -> bool:
    """Whether desert and sea may be rotated and mirrored without changing any count."""
    limits = marker_limits(rules, layout)
    return (
        rules.symmetry == "all"
        and limits is not None
        and is_closed(rules, layout)
        and all(keeps(turn, each.pairs) for turn in turns_of(rules, layout) for each in limits.apart)
    )


def _count_around(pins: dict[int, str], rules: Rules, layout: Layout) -> int:
    """Return the number of boards, harbors left aside, with exactly this desert and sea."""
    try:
        terrains = terrain_space(rules, layout, False, Budget(TERRAIN_STATES), pins).total
    except TooManyStates:
        raise CatanError(
            f"the terrains of these rules on {layout.name!r} need more than {TERRAIN_STATES:,} states to "
            "count; count with fewer rules or on a smaller layout"
        ) from None
    if terrains == 0:
        return 0
    some_terrain = [pins.get(t, "wool") for t in range(layout.n_tiles)]  # any land that is numbered will do
    return terrains * _count_numberings(some_terrain, rules, layout)


def _count_numberings(terrain: Sequence[str], rules: Rules, layout: Layout) -> int:
    """Return in how many ways *terrain* can be numbered, for rules that exact counts know."""
    order = fixed_order(rules, layout)
    if order is not None:
        return len(ordered_markers(terrain, rules, layout, order))
    limits = marker_limits(rules, layout)
    assert limits is not None, "count_boards has refused rules that cannot be counted"
    try:
        return count_local(terrain, limits, layout)
    except TooManyStates:
        raise _too_many_markers(layout) from None
