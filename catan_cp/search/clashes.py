"""Why no board satisfies the rules: the smallest set of fields that already clash, where soon found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import is_countable, sample_terrain
from catan_cp.counting.terrain_space import terrain_limits
from catan_cp.errors import Infeasible, SolverTimeout, listed
from catan_cp.rules.declared import only, sees_terrain, set_rules
from catan_cp.rules.model_data import marker_task, spread, terrain_task
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import Clock, first_row

Terrain = tuple[str, ...]
Fields = tuple[str, ...]

_SECONDS = 1.0
"""How long to look for the smallest set of fields that clash."""
_MANY = 60
"""More places of the unnumbered tiles than this are not gone through."""


def terrain_clash(rules: Rules, layout: Layout, solver: str) -> Infeasible:
    """Return the error for rules that no terrain satisfies, naming the fields that clash."""

    def clash(fields: Fields, clock: Clock) -> bool:
        wishes = only(rules, fields)
        if not is_countable(wishes, layout):
            return first_row(terrain_task(wishes, layout, spread(solver)), solver, clock, 0) is None
        try:
            sample_terrain(wishes, layout, 1, seed=0)
        except Infeasible:
            return True
        return False

    fields = _smallest(tuple(rule.field for rule, _ in set_rules(rules, "terrain")), clash)
    return Infeasible(f"no terrain of {layout.name!r} satisfies the rules{_blame(rules, fields)}")


def marker_clash(rules: Rules, layout: Layout, solver: str, timeout: float | None) -> Infeasible | None:
    """Return the error for rules about markers that clash whatever the terrain; None where they do not.

    Two groups of rules are looked at: those that see no more of the terrain than where tiles without markers
    are, on every such arrangement (None where these are too many), and those that do not look at where
    tiles are, on any one terrain. A rule that sees more is left out, so what is proved holds.

    Raises:
        SolverTimeout: *timeout* seconds were not enough to tell.
    """
    end = Clock(timeout)
    found = [rule for rule, _ in set_rules(rules, "markers")]
    unplaced = tuple(rule.field for rule in found if not rule.positions)
    blind = tuple(rule.field for rule in found if rule.positions and not sees_terrain(rule))
    for fields, terrains in ((unplaced, _any_terrain(layout)), (blind, _unnumbered_places(rules, layout))):
        if not fields or len(terrains) > _MANY:
            continue

        def clash(fields: Fields, clock: Clock, terrains: Sequence[Terrain] = terrains) -> bool:
            wishes = only(rules, fields)
            tasks = (marker_task(wishes, layout, terrain, spread(solver)) for terrain in terrains)
            return all(first_row(task, solver, clock, 0) is None for task in tasks)

        if clash(fields, end):
            blame = _blame(rules, _smallest(fields, clash))
            return Infeasible(f"no markers satisfy the rules, on any terrain of {layout.name!r}{blame}")
    return None


def _smallest(fields: Fields, clash: Callable[[Fields, Clock], bool]) -> Fields:
    """Return the first smallest subset of *fields* that clashes, or all when a second is not enough."""
    end = time.monotonic() + _SECONDS
    try:
        for size in range(1, len(fields)):
            for subset in combinations(fields, size):
                if clash(subset, Clock(max(0.001, end - time.monotonic()))):
                    return subset
    except SolverTimeout:
        pass
    return fields


def _blame(rules: Rules, fields: Fields) -> str:
    values = listed(f"{name}={getattr(rules, name)!r}" for name in fields)
    if not fields:
        return ""
    return f"; already {values} cannot be" if len(fields) == 1 else f"; already these clash: {values}"


def _any_terrain(layout: Layout) -> list[Terrain]:
    return [tuple(name for name, count in layout.terrain_counts.items() for _ in range(count))]


def _unnumbered_places(rules: Rules, layout: Layout) -> list[Terrain]:
    """Return a terrain for each place of the unnumbered tiles up to symmetry, or more than _MANY of them."""
    unnumbered = [name for name, n in layout.terrain_counts.items() if name in UNNUMBERED for _ in range(n)]
    if set(unnumbered) - {"desert"}:
        return [()] * (_MANY + 1)
    found: dict[Terrain, None] = {}
    limits = terrain_limits(rules, layout)
    deserts = [t for t in range(layout.n_tiles) if limits is None or "desert" in limits.domains[t]]
    for tiles in combinations(deserts, len(unnumbered)):
        shapes = []
        for symmetry in layout.symmetries:
            turned = {symmetry[t] for t in tiles}
            shapes.append(tuple("desert" if t in turned else "brick" for t in range(layout.n_tiles)))
        found[min(shapes)] = None
        if len(found) > _MANY:
            break
    return list(found)
