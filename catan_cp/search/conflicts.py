"""Conflicts: small sets of fields that exclude each other, for error messages.

A conflict is minimal if the rules without any one of its fields have a solution. The test of each field needs
a proof, which the caller's time limit or Ctrl-C may prevent. So each message states whether the conflict is
proven minimal.

One kind of conflict is found before anything is counted or solved: terrains with too many tiles to keep them
apart. If neither brick nor lumber may touch brick or lumber, their tiles are an independent set in the graph
of touching tiles. If there are more such tiles than the largest independent set has, there is no board.
Counts and solvers would find the same in seconds.

A worked example: in a row of five tiles, at most three do not touch each other.

>>> most_apart(frozenset(range(5)), frozenset({(0, 1), (1, 2), (2, 3), (3, 4)}))
3
"""

import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement, islice

from catan_cp.anymodel.minimal import minimal_subset
from catan_cp.boards.layout import Layout, Pair
from catan_cp.clock import Clock
from catan_cp.counting import is_countable, sample_terrains
from catan_cp.errors import Conflict, Infeasible, SolverFailed, SolverTimeout, listed
from catan_cp.problem.problem import Problem
from catan_cp.problem.tables import TerrainTables
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.patterns import PATTERN
from catan_cp.rules.rules import RULES, RulePart, Rules, only, parts_of
from catan_cp.search.model_data import joint_task, spread, terrain_task
from catan_cp.search.questions import check_none, first_row, starting_seconds
from catan_cp.search.walking import board_walk, walk_obstacle

Fields = tuple[RulePart, ...]
Pairs = frozenset[Pair]


_log = logging.getLogger("catan_cp")

_FIRST_SECONDS = 1.5
"""Seconds for the first attempt of `reject_infeasible`."""
_MOST_GROUPS = 200
"""The maximum number of sets of terrains to test: layouts may define many terrains."""
_MOST_STATES = 20_000
"""The maximum number of frontier states in `most_apart`: layouts may be wide."""


def terrain_conflict(rules: Rules, layout: Layout, solver: str, clock: Clock) -> Infeasible:
    """Return the error, with the conflict, for rules without a terrain arrangement.

    Raises:
        SolverFailed: an exact count is above 0.
        SolverTimeout: the time limit passed before that count was known.
    """
    check_none("terrain", rules, layout, clock)

    def is_infeasible(subset: Fields) -> bool:
        relaxed = only(rules, subset)
        if not is_countable(relaxed, layout, timeout=clock.left()):
            task = terrain_task(Problem.of(relaxed, layout), spread(solver))
            return first_row(task, solver, clock, 0) is None
        try:
            sample_terrains(1, relaxed, layout, seed=0, timeout=clock.left())
        except Infeasible:
            return True
        return False

    fields = parts_of(rules, "terrain")
    counted = tuple(part for part in fields if not isinstance(part, Constraint))  # These need no solver.
    return _no_terrain(rules, layout, minimal_conflict(fields, is_infeasible, [counted, *zip(fields)]))


def _no_terrain(rules: Rules, layout: Layout, conflict: Conflict) -> Infeasible:
    text = f"no terrain of {layout.name!r} satisfies the rules{_blame(rules, conflict)}"
    return Infeasible(text, conflict)


def board_conflict(
    rules: Rules, layout: Layout, solver: str, clock: Clock, proved: Fields | None = None
) -> Infeasible:
    """Return the error, with the conflict, for rules without a board.

    The conflict is part of *proved*, fields that are proved to exclude each other, or of all fields.

    Raises:
        SolverFailed: an exact count is above 0.
        SolverTimeout: the time limit passed before that count was known.
    """
    fields = parts_of(rules) if proved is None else proved
    for subset in {parts_of(rules), fields}:
        check_none("boards", only(rules, subset), layout, clock)

    def is_infeasible(subset: Fields) -> bool:
        task = joint_task(Problem.of(only(rules, subset), layout))
        return first_row(task, solver, clock, 0, free=True) is None

    custom = tuple(part for part in fields if isinstance(part, Constraint) or part == PATTERN)
    conflict = minimal_conflict(fields, is_infeasible, [custom, *_relaxations(rules)])
    if any("harbors" in rules.about(item) for item in conflict.constraints):
        # A constraint about harbors also depends on the value of this field.
        conflict = replace(conflict, fields=tuple(dict.fromkeys((*conflict.fields, "harbors"))))
    return Infeasible(f"no board of {layout.name!r} satisfies the rules{_blame(rules, conflict)}", conflict)


def _no_board(rules: Rules, layout: Layout, solver: str, clock: Clock, seconds: float) -> bool | None:
    """Return True if *rules* have no board, False if a board was found.

    The result is None if *seconds* are too few.

    Raises:
        SolverTimeout: the time of *clock* passed.
    """
    task, began = joint_task(Problem.of(rules, layout)), time.monotonic()
    try:
        least = starting_seconds(task, solver, clock)
        seconds_left = max(least, seconds - (time.monotonic() - began))
        return first_row(task, solver, Clock(clock.at_most(seconds_left)), 0, free=True) is None
    except SolverTimeout:
        clock.left()  # raises if the caller's time limit passed
        return None


def reject_crowded(problem: Problem) -> None:
    """Reject rules under which terrains have too many tiles to keep them apart.

    This takes milliseconds. Edited models may have another meaning, so the check is skipped for them.

    Raises:
        Infeasible: the rules allow no board.
    """
    rules, layout = problem.rules, problem.layout
    if problem.edits_boards or (problem.terrain is not None and not is_crowded(problem)):
        return
    supported = tuple(
        part
        for part in parts_of(rules, "terrain")
        if not isinstance(part, Constraint) and (part == PATTERN or RULES[part].restrict is not None)
    )

    def test_crowded(fields: Fields) -> bool | None:
        problem = Problem.of(only(rules, fields), layout)
        if is_crowded(problem):
            return True
        if walk_obstacle(problem):
            return None
        return False if board_walk(problem).finds_terrain(random.Random(0)) else None

    if is_crowded(Problem.of(only(rules, supported), layout)):
        raise _no_terrain(rules, layout, minimal_conflict(supported, test_crowded, zip(supported)))


def reject_infeasible(rules: Rules, layout: Layout, solver: str, clock: Clock, seconds: float) -> None:
    """Reject rules if the joint model proves within *seconds* that there is no board.

    A proof with all rules is often immediate, so it is tried for a moment first. Otherwise fewer rules may
    already exclude each other, with an easier proof. So these get *seconds* each: rules about markers that
    ignore the terrain, all rules about markers, and all rules.

    Raises:
        Infeasible: the rules allow no board.
        SolverTimeout: the time of *clock* passed.
    """
    fields = parts_of(rules)
    for subset, limit in ((fields, _FIRST_SECONDS), *((parts, seconds) for parts in _relaxations(rules))):
        try:
            refuted = _no_board(only(rules, subset), layout, solver, clock, limit)
        except SolverFailed as problem:  # The search continues without a proof.
            _log.warning("no proof was tried, since the joint model failed: %s", problem)
            return
        if refuted:
            raise board_conflict(rules, layout, solver, clock, subset)
        if refuted is False and subset == fields:
            return


def _relaxations(rules: Rules) -> Iterator[Fields]:
    """Yield growing subsets of the active fields and constraints, the last with all."""
    fields, markers = parts_of(rules), parts_of(rules, "markers")
    without_terrain = tuple(
        part
        for part in markers
        if not isinstance(part, Constraint) and part != PATTERN and not RULES[part].sees_terrain
    )
    for subset, larger in ((without_terrain, markers), (markers, fields)):
        if subset and set(subset) < set(larger):
            yield subset
    yield fields


def loosen(rules: Rules) -> str:
    """Return advice that names the active fields, or an empty text without any."""
    fields = [_part_text(part) for part in parts_of(rules) if part not in ("harbors", "adjacency")]
    return f", or loosen {' or '.join(fields)}" if fields else ""


def minimal_conflict(
    fields: Fields, is_infeasible: Callable[[Fields], bool | None], first: Iterable[Fields] = ()
) -> Conflict:
    """Return a subset of *fields* that exclude each other, minimal if all tests are decided.

    Fields are removed one by one (deletion filter; Chinneck and Dravnieks 1991). The search ends early if a
    time limit passes, or by Ctrl-C. If it takes long, a warning is logged.

    Args:
        fields: fields that exclude each other.
        is_infeasible: the test whether a subset has no solution. It returns None if it cannot decide.
        first: subsets to test before single fields are removed. ``zip(fields)`` has each field alone.
    """
    fields, minimal = minimal_subset(fields, is_infeasible, first)
    names = tuple(part for part in fields if not isinstance(part, Constraint))
    return Conflict(names, tuple(part for part in fields if isinstance(part, Constraint)), minimal)


def _part_text(part: RulePart) -> str:
    return f"the constraint {str(part)!r}" if isinstance(part, Constraint) else part


def _blame(rules: Rules, conflict: Conflict) -> str:
    """Return the end of an error message with the conflict, or an empty text."""
    fields = (f"{name}={getattr(rules, name)!r}" for name in conflict.fields)
    values = listed([*fields, *map(_part_text, conflict.constraints)])
    if not conflict.items:
        return ""
    single = len(conflict.items) == 1
    text = f"{values} alone cannot hold" if single else f"these rules cannot all hold: {values}"
    return f"; {text} ({'proven' if conflict.minimal else 'not proven'} minimal)"


# Terrains with too many tiles to keep them apart


def is_crowded(problem: Problem) -> bool:
    """Test whether some terrains have too many tiles to keep them apart.

    False does not mean that there is a board. It is also the result for unsupported rules.
    """
    tables, layout = problem.terrain, problem.layout
    if tables is None:
        return False
    for group, pairs in islice(_terrain_sets(layout, _forbidden_pairs(tables, layout)), _MOST_GROUPS):
        tiles = frozenset(t for t, domain in enumerate(tables.domains) if not domain.isdisjoint(group))
        if sum(layout.terrain_counts[name] for name in group) > most_apart(tiles, pairs):
            return True
    return False


def _forbidden_pairs(tables: TerrainTables, layout: Layout) -> dict[frozenset[str], Pairs]:
    """Return the forbidden pairs of tiles for each pair of terrains, also equal ones."""
    apart: dict[frozenset[str], Pairs] = {}
    for a, b in combinations_with_replacement(layout.terrains, 2):
        both = frozenset((a, b))
        bars = [rule.pairs for rule in tables.apart if both in rule.terrains]
        if tables.clusters and tables.clusters.size == 1 and a == b and a not in layout.unnumbered:
            bars.append(tables.clusters.pairs)
        apart[both] = frozenset((min(pair), max(pair)) for pairs in bars for pair in pairs)
    return apart


def _terrain_sets(
    layout: Layout,
    apart: dict[frozenset[str], Pairs],
    group: tuple[str, ...] = (),
    pairs: Pairs | None = None,
) -> Iterator[tuple[tuple[str, ...], Pairs]]:
    """Yield sets of terrains, with the pairs of tiles forbidden for all their pieces."""
    names = layout.terrains
    for name in names[names.index(group[-1]) + 1 :] if group else names:
        bars = [apart[frozenset((name, second_name))] for second_name in group]
        if layout.terrain_counts[name] > 1:
            bars.append(apart[frozenset((name,))])
        if pairs is not None:
            bars.append(pairs)
        # A set with a single piece has no pair of pieces, so it does not limit the shared pairs yet.
        shared = frozenset.intersection(*bars) if bars else None
        if shared is None or shared:
            if shared:
                yield (*group, name), shared
            yield from _terrain_sets(layout, apart, (*group, name), shared)


@lru_cache(maxsize=256)
def most_apart(tiles: frozenset[int], pairs: Pairs) -> int:
    """Return the size of the largest independent set of tiles, or an upper bound.

    Tiles are taken or left one by one. A state is the set of taken tiles that have a later neighbor. For each
    state, the maximum number of taken tiles is stored. With more than `_MOST_STATES` states, the result is
    the number of all tiles.

    Args:
        tiles: the tiles.
        pairs: pairs of tiles that exclude each other.
    """
    before = dict.fromkeys(tiles, 0)
    last_neighbor = {t: t for t in tiles}
    for a, b in pairs:
        if a in tiles and b in tiles:
            before[b] |= 1 << a
            last_neighbor[a] = max(last_neighbor[a], b)
    most = {0: 0}
    for tile in sorted(tiles):
        still = sum(1 << t for t, last in last_neighbor.items() if last > tile)
        now: dict[int, int] = {}
        for state, number in most.items():
            now[state & still] = max(number, now.get(state & still, 0))
            if not state & before[tile]:
                more = (state | 1 << tile) & still
                now[more] = max(number + 1, now.get(more, 0))
        if len(now) > _MOST_STATES:
            return len(tiles)
        most = now
    return max(most.values())
