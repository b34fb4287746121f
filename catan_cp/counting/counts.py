"""Exact counts of terrain, markers and boards, and uniform samples of terrain.

A count uses a decision diagram (`diagram`) if the rules allow it and the states are few enough. Otherwise,
markers are counted by a compiled search (`sums.search`), or their counts come with the package
(`sums.weights`).
Custom constraints on the terrain of at most three tiles need a diagram per combination of their terrains.
Under other custom constraints, edited models and other rules, a solver lists all solutions. After two
seconds, the installed model counters count the same model, side by side with the list.

>>> count_terrains("open"), count_terrains("blog")
(244432188000, 96)
>>> count_markers("dlw/bgol/owbwg/lgob/wlg", "open")
25009272288000
>>> from catan_cp.rules.rules import Rules
>>> len(sample_terrains(3, Rules.preset("optimal"), seed=1))
3
"""

import logging
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from functools import partial
from typing import Any

from catan_cp import errors
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.compiled import is_fast
from catan_cp.counting import boards, markers
from catan_cp.counting.budget import Budget
from catan_cp.counting.diagram import TooManyStates
from catan_cp.counting.spaces import Pieces, Space, distinct_rows, first_chunks, first_of_orbit, sampled
from catan_cp.counting.sums.search import marker_search
from catan_cp.counting.sums.weights import TERRAINS_MOST
from catan_cp.counting.terrains import MAX_STATES, counted_space, space_of
from catan_cp.errors import CatanError, Infeasible, SolverTimeout, amount
from catan_cp.problem.problem import Problem
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules, read_asked

QUICK_STATES = 4_000_000
"""The maximum number of states for `is_countable`: a few seconds."""

_ALONE = 2.0
"""The seconds of a list before model counters start."""
_SAMPLED_AT_ONCE = 20_000
"""The maximum number of arrangements sampled at once to find first ones of orbits."""
_CLUSTER_COST = 4  # the time for a state with clusters, relative to one without
_MAX_MISSES = 100_000
"""The maximum number of samples in a row without the first arrangement of an orbit."""

_log = logging.getLogger("catan_cp")


def is_countable(rules: str | Rules, layout: str | Layout = "base", *, timeout: float | None = None) -> bool:
    """Test whether decision diagrams count and sample the terrain arrangements.

    The function builds the diagrams, up to a limit of a few seconds. They are cached, so a count that follows
    is quick. The result does not depend on earlier counts.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        timeout: time limit in seconds; none by default.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, or an unknown preset or layout.
        SolverTimeout: the time limit passed.

    Example:
        >>> is_countable("optimal"), is_countable("optimal", "seafarers-8")
        (True, False)
    """
    return has_countable_terrains(Problem.of(rules, layout), Clock(timeout))


def has_countable_terrains(problem: Problem, clock: Clock) -> bool:
    """Return the result of `is_countable`.

    Raises:
        SolverTimeout: the time limit passed.
    """
    problem = problem.within(clock)
    limit = problem.terrain.clusters if problem.terrain is not None else None
    max_states = QUICK_STATES // _CLUSTER_COST if limit is not None and limit.size > 1 else QUICK_STATES
    try:
        space_of(problem, problem.counts_orbits, Budget(max_states, clock))
    except SolverTimeout:
        raise
    except CatanError:
        return False
    return True


def sample_terrains(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    timeout: float | None = None,
) -> list[tuple[str, ...]]:
    """Return *n* allowed terrain arrangements, sampled uniformly and independently.

    With ``symmetry="distinct"``, orbits are sampled uniformly. Only fields about terrain matter. Rules about
    markers and shuffled harbors are ignored. The same seed gives the same arrangements.

    Args:
        n: the number of terrain arrangements.
        rules: rules or the name of a preset.
        layout: a layout or its name.
        seed: a whole number. Random by default.
        timeout: time limit in seconds; none by default.

    Raises:
        SolverTimeout: the time limit passed.
        Infeasible: the rules allow no terrain arrangement.
        CatanError: the count needs too many states (see `is_countable`).
        InvalidArgument: *n* or *seed* is not a whole number, or *n* is negative.

    Example:
        >>> terrains = sample_terrains(3, "optimal", seed=1)
        >>> [len(terrain) for terrain in terrains]
        [19, 19, 19]
    """
    problem, clock = Problem.of(rules, layout), Clock(timeout)
    return terrain_samples(errors.check_count("n", n), problem, errors.random_source(seed), clock)


def terrain_samples(n: int, problem: Problem, source: random.Random, clock: Clock) -> list[tuple[str, ...]]:
    """Return the result of `sample_terrains`. Errors are those of that function."""
    layout, budget = problem.layout, Budget(MAX_STATES, clock)
    space = counted_space(problem.within(clock), problem.counts_orbits, budget)
    if space.total == 0:
        raise Infeasible(f"no terrain on {layout.name!r} satisfies the rules")
    if problem.counts_orbits or problem.rules.symmetry != "distinct":
        arrays = sampled(space, partial(source.randrange, space.total), n, _SAMPLED_AT_ONCE, budget)
    else:
        arrays = _sampled_firsts(space, problem, n, source, budget)
    return [terrain for codes in arrays for terrain in _terrain_rows(codes, layout)][:n]


def _sampled_firsts(
    space: Space, problem: Problem, n: int, source: random.Random, budget: Budget
) -> Iterator[Pieces]:
    """Yield at least *n* first arrangements of orbits, for rules that are not closed.

    Raises:
        Infeasible: no first arrangement is allowed.
        CatanError: none was sampled, and there are too many arrangements to list.
    """
    symmetries, layout = problem.symmetries, problem.layout
    misses = 0
    while n > 0:
        budget.report()
        if misses and space.total <= TERRAINS_MOST:
            firsts = distinct_rows(first_chunks(space, symmetries, budget, only=True))
            if not len(firsts):
                raise Infeasible(f"no terrain on {layout.name!r} satisfies the rules")
            yield firsts[[source.randrange(len(firsts)) for _ in range(n)]]
            return
        size = min(max(100, 2 * len(symmetries) * n), _SAMPLED_AT_ONCE)
        codes = space.arrays([source.randrange(space.total) for _ in range(size)])
        firsts = codes[(codes == first_of_orbit(codes, symmetries)).all(axis=1)]
        misses = 0 if len(firsts) else misses + len(codes)
        if misses > _MAX_MISSES:
            raise CatanError(
                f"none of {misses:,} terrain arrangements sampled for {layout.name!r} is the first of its "
                "orbit; use symmetry='all', or enumerate_terrains"
            )
        yield firsts
        n -= len(firsts)


def _terrain_rows(codes: Pieces, layout: Layout) -> list[tuple[str, ...]]:
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
        timeout: time limit in seconds; none by default.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, or an unknown preset or layout.
        SolverTimeout: the time limit passed. Its ``found`` is a lower bound.
        CatanError: the count needs too many states, or too many arrangements would have to be listed.

    Example:
        >>> count_terrains("optimal"), count_terrains("optimal", up_to_symmetry=True)
        (188160, 15733)
    """
    problem, clock = Problem.of(rules, layout), Clock(timeout)
    rules, layout = problem.rules, problem.layout
    with watching(progress, "counting terrain arrangements") as watch:
        budget = Budget(MAX_STATES, clock, watch)
        if problem.within(clock).beyond("terrain"):
            return count_listed("terrains", (rules, layout), clock, watch, up_to_symmetry=up_to_symmetry)
        orbits = up_to_symmetry or rules.symmetry == "distinct"
        if not orbits or (rules.symmetry != "corners" and problem.is_closed):
            return counted_space(problem, orbits, budget).count
        return _count_listed_orbits(counted_space(problem, False, budget), problem, budget)


def _count_listed_orbits(space: Space, problem: Problem, budget: Budget) -> int:
    """Count orbits by listing, for rules that are not closed.

    With ``symmetry="distinct"``, an orbit counts if its first arrangement is allowed.
    """
    if space.total > TERRAINS_MOST:
        raise CatanError(
            f"the rules change under rotations and reflections, so orbits are counted by listing all "
            f"{space.total:,} terrain arrangements, and the maximum is {TERRAINS_MOST:,}; count with "
            "symmetry='all' and without up_to_symmetry"
        )
    only = problem.rules.symmetry == "distinct"
    return len(distinct_rows(first_chunks(space, problem.symmetries, budget, only=only)))


def count_markers(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules,
    layout: str | Layout | None = None,
    *,
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> int:
    """Return the number of marker arrangements that the rules allow on *terrain*.

    Only the fields and constraints about markers matter. Two arrangements differ if a tile's marker differs,
    also if the layout has more markers than tiles. Rules that neither decision diagrams nor the compiled
    search support are counted by listing with a solver.

    Args:
        terrain: a board, a sequence of terrain names, or a notation.
        rules: rules or the name of a preset.
        layout: the layout, by default that of *terrain*.
        timeout: time limit in seconds; none by default.
        progress: as for `count_terrains`.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, an invalid terrain, or a terrain that
            contradicts the pattern of the rules.
        InvalidArgument: *timeout* is not a positive number.
        SolverTimeout: the time limit passed. Its ``found`` is a lower bound.
        CatanError: the count needs too many states, and without *timeout* nothing is listed instead.

    Example:
        >>> count_markers("dlw/bgol/owbwg/lgob/wlg", "blog")
        11753
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout, names)
    problem, clock = Problem.of(rules, layout), Clock(timeout)
    tables = problem.markers
    if tables is not None and tables.order is not None:
        return len(markers.ordered_markers(names, problem, tables.order))
    if len(markers.numbered_tiles(names, layout)) > sum(layout.marker_supply.values()):
        return 0
    tables = tables if tables is not None and tables.fits_diagram else None
    search = marker_search(names, problem) if problem.is_searchable and is_fast() else None
    # Listing is allowed with a time limit, and for rules that diagrams do not support or support badly.
    listable = timeout is not None or tables is None or bool(tables.vertices)
    with watching(progress, "counting marker arrangements") as watch:
        if tables is not None and (search is None or not tables.distinguish_markers(layout)):
            try:
                most = markers.FEW_STATES if listable else markers.MARKER_STATES
                budget = Budget(most, clock, watch)
                return markers.marker_arrangements(names, tables, layout, budget).total
            except TooManyStates:
                if not listable:
                    raise CatanError(
                        f"the markers of these rules on {layout.name!r} need more than "
                        f"{markers.MARKER_STATES:,} states to count; count the markers of one terrain with a "
                        "timeout, which lists as many as it allows"
                    ) from None
        if search is not None:
            try:
                return search.count(Budget(0, clock, watch))
            except SolverTimeout as timeout:
                text = f"at least {amount(timeout.found or 0, 'marker arrangement')}: {timeout}"
                raise SolverTimeout(text, timeout.found) from None
        return count_listed("markers", (names, rules, layout), clock, watch)


def count_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> int:
    """Return the number of boards that the rules allow: terrain, markers and harbors.

    If rules tie markers to the terrain, the markers of one terrain arrangement of each orbit are counted.
    On some layouts this takes a second or more per arrangement. The counts of the preset ``optimal`` on
    ``base`` come with the package. Custom constraints and edited models are counted by listing.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        timeout: time limit in seconds; none by default.
        progress: as for `count_terrains`.

    Raises:
        InvalidRules: rules that neither exact methods nor a list support (`Problem.board_obstacle`).
        SolverTimeout: the time limit passed. Its ``found`` is a lower bound.
        CatanError: a count needs too many states, or too many terrain arrangements.

    Example:
        >>> f'{count_boards("tournament"):,}'
        '92,418,935,587,878,537,792,000'
    """
    problem, clock = Problem.of(rules, layout), Clock(timeout)
    with watching(progress, "counting boards") as watch:
        if problem.within(clock).beyond("boards"):
            return count_listed("boards", (problem.rules, problem.layout), clock, watch)
        return boards.board_space(problem, Budget(boards.BLOCK_STATES, clock, watch)).total


def counted_quickly(
    part: str, rules: Rules, layout: Layout, clock: Clock, terrain: Sequence[str] | None = None
) -> int | None:
    """Return a count if it takes about a second, otherwise None.

    A count above 0 shows that a solver's answer "no solution" is wrong.

    Args:
        part: ``"terrain"``, ``"markers"`` (on *terrain*) or ``"boards"``.
        rules: the rules.
        layout: the layout.
        clock: the time limit.
        terrain: for ``"markers"``, the terrain arrangement.

    Raises:
        SolverTimeout: the time limit passed.
    """
    problem = Problem.of(rules, layout).within(clock)
    if problem.text(part):
        return None
    if part == "terrain":
        plain = rules.replace(symmetry="all") if rules.symmetry == "distinct" else rules
        plain_problem = Problem.of(plain, layout)
        if not has_countable_terrains(plain_problem, clock):
            return None
        if plain is not rules and not plain_problem.is_closed:
            return None  # Rules that are not closed may forbid the first arrangement of each orbit.
        return count_terrains(plain, layout, timeout=clock.left())
    if part == "markers":
        tables = problem.markers
        if terrain is None or tables is None or not tables.fits_diagram:
            return None
        try:
            budget = Budget(boards.QUICK.states, clock)
            return markers.marker_arrangements(terrain, tables, layout, budget).total
        except TooManyStates:
            return None
    if boards.rank_obstacle(problem, boards.QUICK, clock):
        return None
    return boards.board_space(problem, Budget(boards.BLOCK_STATES, clock)).total


def explain_count(part: str, rules: str | Rules, layout: str | Layout) -> str:
    """Return a sentence with the method of a count and the reason.

    Args:
        part: ``"terrain"``, ``"markers"`` or ``"boards"``.
        rules: rules or the name of a preset.
        layout: a layout or its name.
    """
    problem = Problem.of(rules, layout)
    if not (reasons := problem.beyond(part)):
        if problem.constraints(part):
            return (
                "decision diagrams: the constraints name the terrain of few tiles only, so each of their "
                "allowed combinations is counted"
            )
        return f"exact methods of the library: no custom constraint and no edited model is about {part}"
    return (
        f"a list by the solver and, after {_ALONE:g} s, the installed model counters (extra count), "
        f"whichever ends first: no exact method knows {errors.listed(reasons)}. "
        "On large spaces, no method is known to end"
    )


# Counts by listing with a solver: the one place where this package calls `catan_cp.search`


def count_listed(
    part: str, arguments: tuple[Any, ...], clock: Clock, watch: Watch | None, **options: bool
) -> int:
    """Return the number of solutions that a solver lists, or that a model counter finds before its end.

    Model counters start `_ALONE` seconds after the list, if they are installed and can read the model.

    Args:
        part: ``"terrains"``, ``"markers"`` or ``"boards"``.
        arguments: the positional arguments of the function that lists.
        clock: the time limit.
        watch: called with the progress.
        options: keyword arguments of the function that lists.

    Raises:
        SolverTimeout: the time limit passed. Its ``found`` is a lower bound.
    """
    from catan_cp import enumerate_boards, enumerate_markers, enumerate_terrains

    functions: dict[str, Any] = {
        "boards": enumerate_boards, "markers": enumerate_markers, "terrains": enumerate_terrains
    }  # fmt: skip
    count, jobs, start = 0, dict[Future[int], str](), time.monotonic()
    try:
        with functions[part](*arguments, timeout=clock.left(), **options) as solutions, ExitStack() as stack:
            for count, _ in enumerate(solutions, start=1):
                if watch is not None and count % 1000 == 0:
                    watch(Progress(count, unit=part))
                if solutions.counting is not None and time.monotonic() - start > _ALONE:
                    jobs, solutions.counting = stack.enter_context(solutions.counting()), None
                for job in [job for job in jobs if job.done()]:
                    name = jobs.pop(job)
                    if job.exception() is None:
                        _log.info("%s counted the %s before the list ended", name, part)
                        return job.result()
    except SolverTimeout as timeout:
        text = timeout if clock.seconds is None else f"the time limit of {clock.seconds:g} s passed"
        raise SolverTimeout(f"at least {count} {part}: {text}", count) from None
    return count
