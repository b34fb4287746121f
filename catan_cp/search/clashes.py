"""Why no board satisfies the rules: fields that exclude each other, as few as soon found.

A conflict is minimal if without any one of its fields there is a solution. Each field takes a proof of its
own, and a time limit may prevent it. So each message tells whether the conflict is proven minimal.

What is told before anything is counted or solved: terrains that may not touch, and are too many to lie apart.
Where neither brick nor lumber may touch brick or lumber, their tiles are an independent set of the graph of
touching tiles. If they are more than the largest such set has, there is no board. Counting and solvers come
to the same end, and take seconds.
"""

import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, islice
from typing import NamedTuple

from catan_cp.boards.layout import Layout, Pair
from catan_cp.counting import is_countable, sample_terrains
from catan_cp.counting.terrains import Limits, local_limits
from catan_cp.errors import Infeasible, SolverFailed, SolverTimeout, listed
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.patterns import PATTERN
from catan_cp.rules.rules import RULES, Part, Rules, edits_boards, only, parts_of
from catan_cp.search.model_data import joint_task, spread, terrain_task
from catan_cp.search.questions import Clock, check_none, compile_task, compiled_first_row, first_row
from catan_cp.search.walking import board_walk

Fields = tuple[Part, ...]
Pairs = frozenset[Pair]


class _Conflict(NamedTuple):
    """Fields that exclude each other, and whether it is proven that fewer of them do not."""

    fields: Fields
    minimal: bool


_log = logging.getLogger("catan_cp")

_SECONDS = 1.5
"""How long one proof may take, and the search for a minimal set of fields about terrain that clash."""
STARTING = 2.0
"""A proof has at least so many times what compiling took: on a slow machine its solver starts slowly too."""
_MINIMAL = 6.0
"""How long to look for a minimal set of fields that clash on complete boards."""
_MOST_GROUPS = 200
"""So many groups of terrains are looked at; a box of a user's own may have any number of terrains."""
_MOST_STATES = 20_000
"""So many choices on the rim of what is filled are remembered; a layout may be as wide as it likes."""


def terrain_clash(rules: Rules, layout: Layout, solver: str) -> Infeasible:
    """Return the error for rules that no terrain satisfies, naming the fields that clash.

    Raises:
        SolverFailed: our own count finds some.
    """
    check_none("terrain", rules, layout)
    clock = Clock(_SECONDS)

    def clash(some: Fields) -> bool:
        kept = only(rules, some)
        if not is_countable(kept, layout):
            return first_row(terrain_task(kept, layout, spread(solver)), solver, clock, 0) is None
        try:
            sample_terrains(1, kept, layout, seed=0)
        except Infeasible:
            return True
        return False

    fields = parts_of(rules, "terrain")
    counted = tuple(part for part in fields if not isinstance(part, Constraint))  # which needs no solver
    return _no_terrain(rules, layout, _minimal(fields, clash, [counted, *zip(fields)]))


def _no_terrain(rules: Rules, layout: Layout, conflict: _Conflict) -> Infeasible:
    return Infeasible(f"no terrain of {layout.name!r} satisfies the rules{_blame(rules, conflict)}")


def board_clash(rules: Rules, layout: Layout, solver: str, proved: Fields | None = None) -> Infeasible:
    """Return the error for rules that no board satisfies, as is proved, naming the fields that clash.

    They are found among those that are *proved* to clash, or all.

    Raises:
        SolverFailed: our own count finds some board.
    """
    check_none("boards", rules, layout)
    if proved is not None:
        check_none("boards", only(rules, proved), layout)
    clock, fields = Clock(_MINIMAL), parts_of(rules) if proved is None else proved

    def clash(some: Fields) -> bool | None:
        return _no_board(only(rules, some), layout, solver, clock, _SECONDS)

    own = tuple(part for part in fields if isinstance(part, Constraint) or part == PATTERN)
    blamed = _blame(rules, _minimal(fields, clash, [own, *_relaxations(rules)]))
    return Infeasible(f"no board of {layout.name!r} satisfies the rules{blamed}")


def _no_board(rules: Rules, layout: Layout, solver: str, clock: Clock, seconds: float) -> bool | None:
    """Whether *rules* allow no board, None where so many *seconds* are not enough to tell; see `STARTING`.

    Raises:
        SolverTimeout: those of *clock* have passed.
    """
    task, began = joint_task(rules, layout), time.monotonic()
    try:
        least = STARTING * compile_task(task, solver, clock).seconds
        left = max(least, seconds - (time.monotonic() - began))
        return compiled_first_row(task, solver, Clock(clock.at_most(left)), 0, free=True) is None
    except SolverTimeout:
        clock.left()  # raises where the time that passed was the caller's
        return None


def refuse_crowded(rules: Rules, layout: Layout) -> None:
    """Raise `Infeasible` where terrains that may not touch are too many to lie apart; in milliseconds.

    Edited models may mean something else, so nothing is refused there.

    Raises:
        Infeasible: there is no board.
    """
    if edits_boards(rules):
        return
    known = tuple(
        part
        for part in parts_of(rules, "terrain")
        if not isinstance(part, Constraint) and (part == PATTERN or RULES[part].counts is not None)
    )

    def crowded(fields: Fields) -> bool | None:
        kept = only(rules, fields)
        if is_crowded(kept, layout):
            return True
        walk = board_walk(kept, layout)
        return False if walk and walk.finds_terrain(random.Random(0)) else None

    if is_crowded(only(rules, known), layout):
        raise _no_terrain(rules, layout, _minimal(known, crowded, zip(known)))


def refuse_clash(rules: Rules, layout: Layout, solver: str, clock: Clock, seconds: float) -> None:
    """Raise `Infeasible` where the joint model proves in so many *seconds* that there is no board.

    Most often all rules together are refuted at once, so they are tried for a moment first. Where they are
    not, fewer of them may clash already, which may be easier to prove. So those about markers for which all
    terrains are alike, all those about markers, and all rules again get as many seconds each.

    Raises:
        Infeasible: there is none.
        SolverTimeout: the caller's time, *clock*, has passed.
    """
    fields = parts_of(rules)
    for some, limit in ((fields, _SECONDS), *((each, seconds) for each in _relaxations(rules))):
        try:
            refuted = _no_board(only(rules, some), layout, solver, clock, limit)
        except SolverFailed as problem:  # a proof is only an extra: the search goes on without
            _log.warning("no proof was tried, since the joint model failed: %s", problem)
            return
        if refuted:
            raise board_clash(rules, layout, solver, some)
        if refuted is False and some == fields:
            return


def _relaxations(rules: Rules) -> Iterator[Fields]:
    """Yield some of the fields and constraints that are set, then more of them, at last all."""
    fields, markers = parts_of(rules), parts_of(rules, "markers")
    alike = tuple(
        part
        for part in markers
        if not isinstance(part, Constraint) and part != PATTERN and not RULES[part].sees_terrain
    )
    for some, more in ((alike, markers), (markers, fields)):
        if some and set(some) < set(more):
            yield some
    yield fields


def loosen(rules: Rules) -> str:
    """Return advice that names the fields that are set; empty where none is."""
    fields = [_named(part) for part in parts_of(rules) if part not in ("harbors", "adjacency")]
    return f", or loosen {' or '.join(fields)}" if fields else ""


def _minimal(
    fields: Fields, clash: Callable[[Fields], bool | None], before: Iterable[Fields] = ()
) -> _Conflict:
    """Return as few of *fields*, which exclude each other, as are found to do so in time.

    Field after field is left out (deletion filter; Chinneck and Dravnieks 1991), once the subsets named to be
    tried *before* were. *clash* returns None if it cannot decide whether a subset has no solution.
    """
    verdicts: list[tuple[Fields, bool | None]] = []  # of subsets that are not known to exclude each other

    def verdict(some: Fields) -> bool | None:
        known = {found for more, found in verdicts if set(some) <= set(more)}
        if known:  # a solution for more of them is a solution for these
            return None if known == {None} else False
        found = clash(some)
        if not found:
            verdicts.append((some, found))
        return found

    minimal = True
    try:
        for some in before:
            if some and set(some) < set(fields) and verdict(some):
                fields = some
        for field in fields:
            rest = tuple(each for each in fields if each != field)
            found = verdict(rest)
            if found:
                fields = rest
            minimal = minimal and found is not None
    except SolverTimeout:
        minimal = False
    return _Conflict(fields, minimal)


def _named(part: Part) -> str:
    return f"the constraint {str(part)!r}" if isinstance(part, Constraint) else part


def _blame(rules: Rules, conflict: _Conflict) -> str:
    fields, minimal = conflict
    values = listed(
        _named(part) if isinstance(part, Constraint) else f"{part}={getattr(rules, part)!r}"
        for part in fields
    )
    if not fields:
        return ""
    text = f"already {values} cannot be" if len(fields) == 1 else f"already these clash: {values}"
    return f"; {text} ({'proven' if minimal else 'not proven'} minimal)"


# Terrains that are too many to lie apart


def is_crowded(rules: Rules, layout: Layout) -> bool:
    """Whether terrains that may not touch themselves or each other are more than can lie apart.

    False is no promise of a board; it is returned, too, where the rules are not known well enough.
    """
    limits = local_limits(rules, layout)
    if limits is None:
        return False
    for group, pairs in islice(_groups(layout, _apart(limits, layout)), _MOST_GROUPS):
        tiles = frozenset(t for t, domain in enumerate(limits.domains) if not domain.isdisjoint(group))
        if sum(layout.terrain_counts[name] for name in group) > most_apart(tiles, pairs):
            return True
    return False


def _apart(limits: Limits, layout: Layout) -> dict[frozenset[str], Pairs]:
    """Return the pairs of tiles on which no two such terrains may lie, for each two and each with itself."""
    found: dict[frozenset[str], Pairs] = {}
    for a, b in combinations_with_replacement(layout.terrains, 2):
        both = frozenset((a, b))
        bars = [each.pairs for each in limits.apart if both in each.terrains]
        if limits.clusters and limits.clusters.size == 1 and a == b and a not in layout.unnumbered:
            bars.append(limits.clusters.pairs)
        found[both] = frozenset((min(pair), max(pair)) for pairs in bars for pair in pairs)
    return found


def _groups(
    layout: Layout,
    apart: dict[frozenset[str], Pairs],
    group: tuple[str, ...] = (),
    pairs: Pairs | None = None,
) -> Iterator[tuple[tuple[str, ...], Pairs]]:
    """Yield groups of terrains, with the pairs of tiles on which no two of their pieces may lie."""
    names = layout.terrains
    for name in names[names.index(group[-1]) + 1 :] if group else names:
        bars = [apart[frozenset((name, other))] for other in group]
        if layout.terrain_counts[name] > 1:
            bars.append(apart[frozenset((name,))])
        if pairs is not None:
            bars.append(pairs)
        shared = frozenset.intersection(*bars) if bars else None  # None: a single piece, barred nowhere yet
        if shared is None or shared:
            if shared:
                yield (*group, name), shared
            yield from _groups(layout, apart, (*group, name), shared)


@lru_cache(maxsize=256)
def most_apart(tiles: frozenset[int], pairs: Pairs) -> int:
    """Return the size of the largest set of *tiles* that has both tiles of none of the *pairs*.

    Tile after tile is taken or left. All that matters later is which of those taken touch a tile to come, so
    only the most tiles for each such choice are remembered. Where choices are too many, the answer is the
    number of all tiles, which is never too few.
    """
    before = dict.fromkeys(tiles, 0)
    until = {t: t for t in tiles}  # the last tile that each touches
    for a, b in pairs:
        if a in tiles and b in tiles:
            before[b] |= 1 << a
            until[a] = max(until[a], b)
    most = {0: 0}
    for tile in sorted(tiles):
        still = sum(1 << t for t, last in until.items() if last > tile)
        now: dict[int, int] = {}
        for taken, number in most.items():
            now[taken & still] = max(number, now.get(taken & still, 0))
            if not taken & before[tile]:
                more = (taken | 1 << tile) & still
                now[more] = max(number + 1, now.get(more, 0))
        if len(now) > _MOST_STATES:
            return len(tiles)
        most = now
    return max(most.values())
