"""Terrains drawn uniformly from all that the rules allow, without listing them.

>>> from catan_cp.rules.rules import Rules
>>> len(sample_terrain(3, Rules.preset("optimal"), seed=1))
3
"""

from __future__ import annotations

import random
from operator import attrgetter

from catan_cp.arguments import check_count
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.counting.diagram import Progress, TooManyStates
from catan_cp.counting.kept import Kept
from catan_cp.counting.terrain_limits import (
    crosses_groups,
    is_closed,
    terrain_fields,
    terrain_limits,
    turns_of,
)
from catan_cp.counting.terrain_space import Budget, TerrainSpace, first_of_class, terrain_space
from catan_cp.errors import CatanError, Infeasible, listed
from catan_cp.rules.declared import set_rules
from catan_cp.rules.rules import Rules, find_rules

MAX_STATES = 24_000_000
"""The most states of a count: about 1.4 GB and, at worst, a minute."""

QUICK_STATES = 4_000_000
"""The most states of a count that is taken to be a matter of a few seconds (`is_countable`)."""

_CLUSTER_COST = 4  # a state with the sizes of its clusters takes so much longer than one without

_KEPT_BYTES = 512 << 20
_MAX_MISSES = 1_000_000

_kept: Kept[TerrainSpace] = Kept(_KEPT_BYTES, attrgetter("n_bytes"))


def space_of(
    rules: Rules,
    layout: Layout,
    classes: bool,
    max_states: int = MAX_STATES,
    progress: Progress | None = None,
    *,
    ranked: bool = True,
) -> TerrainSpace:
    """Return the (cached) space of allowed terrains or of their classes; see `terrain_space`.

    Where it need not be *ranked*, it may know no more than how many terrains there are.

    Raises:
        TooManyStates: it needs more than *max_states* states.
    """
    fields = terrain_fields(rules)
    if classes or fields.symmetry == "distinct":
        fields = fields.replace(symmetry="all")
    ranked = ranked or _kept.holds((fields, layout, classes, True), max_states)
    return _kept.get(
        (fields, layout, classes, ranked),
        max_states,
        lambda: terrain_space(fields, layout, classes, Budget(max_states, progress, ranked)),
    )


def is_countable(rules: str | Rules, layout: str | Layout = "base") -> bool:
    """Return whether the allowed terrains can be counted, and drawn from, in seconds.

    The answer is found by building the structure, up to a limit; it is kept, so what follows is quick. It
    does not depend on what was counted before.

    Raises:
        InvalidRules, InvalidBoard: rules that the layout cannot have, no such preset or layout.
    """
    read, where = find_rules(rules), find_layout(layout)
    read.check_layout(where)
    limits = terrain_limits(read, where)
    if limits is None:
        return False
    clusters = limits.clusters is not None and limits.clusters.size > 1
    quick = QUICK_STATES // _CLUSTER_COST if clusters else QUICK_STATES
    try:
        space_of(read, where, _wants_classes(read, where), quick)
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
        InvalidArgument: *n* or *seed* is not a whole number from 0.
    """
    read, where = find_rules(rules), find_layout(layout)
    read.check_layout(where)
    n, seed = check_count("n", n), None if seed is None else check_count("seed", seed)
    refuse_uncountable(read, where)
    space = counted_space(read, where, _wants_classes(read, where))
    if space.ranks == 0:
        raise Infeasible(f"no terrain on {where.name!r} satisfies the rules")
    source = random.Random(seed)
    if read.symmetry == "distinct" and len(space.turns) == 1:
        return _sample_firsts(space, read, where, n, source)
    return _named(space, where, [source.randrange(space.ranks) for _ in range(n)])


def refuse_uncountable(rules: Rules, layout: Layout) -> None:
    """Refuse rules about terrain, and demands of a layout, that exact counts know nothing of.

    Raises:
        CatanError: such a rule is set, or the layout has such a demand.
    """
    if terrain_limits(rules, layout) is None:
        fields = [rule.field for rule, _ in set_rules(rules, "terrain") if rule.counts is None]
        if not fields and crosses_groups(rules, layout):
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
    rules: Rules, layout: Layout, classes: bool, progress: Progress | None = None, *, ranked: bool = True
) -> TerrainSpace:
    """Return `space_of`, with an error that tells a user what to do.

    Raises:
        CatanError: too many states to count.
    """
    try:
        return space_of(rules, layout, classes, progress=progress, ranked=ranked)
    except TooManyStates:
        raise CatanError(
            f"the terrains of these rules on {layout.name!r} need more than {MAX_STATES:,} states to count; "
            "count_terrain counts them with a scratch folder, and enumerate_terrain lists some"
        ) from None


def _wants_classes(rules: Rules, layout: Layout) -> bool:
    return rules.symmetry == "distinct" and is_closed(rules, layout)


def _sample_firsts(
    space: TerrainSpace, rules: Rules, layout: Layout, n: int, source: random.Random
) -> list[tuple[str, ...]]:
    """Draw until *n* boards are the first of their class, for rules that are not closed under the turns."""
    turns = turns_of(rules, layout)
    found: list[tuple[str, ...]] = []
    misses = 0
    while len(found) < n:
        codes = space.terrains([source.randrange(space.ranks) for _ in range(max(100, 2 * len(turns) * n))])
        kept = codes[(codes == first_of_class(codes, turns)).all(axis=1)]
        misses = 0 if len(kept) else misses + len(codes)
        if misses > _MAX_MISSES:
            raise CatanError(
                f"none of {misses:,} terrains drawn for {layout.name!r} is the first of its class; use "
                "symmetry='all', or let the solver choose"
            )
        found += [tuple(layout.all_terrains[code - 1] for code in row) for row in kept.tolist()]
    return found[:n]


def _named(space: TerrainSpace, layout: Layout, ranks: list[int]) -> list[tuple[str, ...]]:
    names = layout.all_terrains
    return [tuple(names[code - 1] for code in row) for row in space.terrains(ranks).tolist()]
