"""Terrains that may not touch, and are too many to lie apart: told before anything is counted or solved.

Where neither brick nor lumber may touch brick or lumber, their tiles are an independent set of the graph of
touching tiles. If they are more than the largest such set has, there is no board. Counting and solvers come
to the same end, and take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, islice

from catan_cp.boards.layout import Layout, Pair
from catan_cp.counting.terrains import Limits, local_limits
from catan_cp.rules.rules import Rules

Pairs = frozenset[Pair]

_MOST_GROUPS = 200
"""So many groups of terrains are looked at; a box of a user's own may have any number of terrains."""
_MOST_STATES = 20_000
"""So many choices on the rim of what is filled are remembered; a layout may be as wide as it likes."""


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
