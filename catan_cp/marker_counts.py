"""How many ways there are to put markers on a terrain, for the rules that look at two tiles at a time.

The tiles to be numbered are the cells of a puzzle (`catan_cp.frontier`) whose kinds are the markers: reds,
equal markers, 2 and 12 clash on touching tiles, and a terrain's tiles are a scope. Markers that the rules
treat alike are twins, which is why even the 28 tiles of the larger boards can be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import comb

from catan_cp.board import Board
from catan_cp.checking import broken_rules
from catan_cp.diagram import Progress, build
from catan_cp.frontier import Clash, Matrix, Puzzle
from catan_cp.layout import Layout
from catan_cp.pieces import MARKERS, REDS, UNNUMBERED
from catan_cp.rules import Rules

MAX_STATES = 15_000_000
"""The most states of a count: about 1.2 GB."""


def needs_listing(rules: Rules) -> bool:
    """Whether the rules bound sums or pips, which only listing the boards can count."""
    bounds = (rules.vertex_sum_below, rules.vertex_pips_min, rules.vertex_pips_max)
    return any(b is not None for b in bounds) or bool(rules.terrain_pips_min or rules.terrain_pips_max)


def count_local(
    terrain: Sequence[str], rules: Rules, layout: Layout, progress: Progress | None = None
) -> int:
    """Return the number of ways to number *terrain*, sums and pips left aside.

    Raises:
        TooManyStates: the count needs more than `MAX_STATES` states.
    """
    tiles = [t for t, name in enumerate(terrain) if name not in UNNUMBERED]
    supply = [layout.marker_supply.get(marker, 0) for marker in MARKERS]
    if sum(supply) < len(tiles):
        return 0
    if not tiles:
        return 1
    puzzle = _puzzle(terrain, tiles, supply, rules, layout)
    if not puzzle.clashes and not puzzle.scopes:
        return count_free(len(tiles), supply)
    return build(puzzle, MAX_STATES, progress).total


def count_free(tiles: int, supply: Sequence[int]) -> int:
    """Return in how many ways markers of this supply can stand on so many tiles, with no rule at all.

    Marker after marker, by how many tiles are taken: the next one takes *n* of the others in
    ``comb(others, n)`` ways.
    """
    ways = [1] + [0] * tiles
    for most in supply:
        after = [0] * (tiles + 1)
        for taken, count in enumerate(ways):
            for n in range(min(most, tiles - taken) + 1):
                after[taken + n] += count * comb(tiles - taken, n)
        ways = after
    return ways[tiles]


def count_spiral(terrain: Sequence[str], rules: Rules, layout: Layout) -> int:
    """Return how many of the rule book's spirals, one from each corner, make a board that the rules allow."""
    found: set[tuple[int | None, ...]] = set()
    order = layout.spiral_order
    for path in layout.spirals:
        tiles = [t for t in path if terrain[t] not in UNNUMBERED]
        if len(tiles) > len(order):
            return 0
        markers: list[int | None] = [None] * len(path)
        for t, marker in zip(tiles, order, strict=False):
            markers[t] = marker
        if _allowed(Board(layout, terrain, markers), rules):
            found.add(tuple(markers))
    return len(found)


def _allowed(board: Board, rules: Rules) -> bool:
    """Whether the markers satisfy the rules, whatever is to be said about terrain and harbors."""
    used = Counter(marker for marker in board.markers if marker is not None)
    if any(count > board.layout.marker_supply.get(marker, 0) for marker, count in used.items()):
        return False
    only_markers = rules.replace(
        terrain_cluster_max=None,
        apart=(),
        symmetry="all",
        desert="any",
        harbors="none",
        harbor_own_terrain_apart=False,
    )
    return all(broken.rule == "pieces" for broken in broken_rules(only_markers, board))


def _puzzle(
    terrain: Sequence[str], tiles: Sequence[int], supply: Sequence[int], rules: Rules, layout: Layout
) -> Puzzle:
    cell = {tile: number for number, tile in enumerate(tiles)}
    kinds = [number for number, count in enumerate(supply) if count]
    markers = [MARKERS[number] for number in kinds]
    touching = layout.adjacency(rules.adjacency)
    pairs = tuple((cell[a], cell[b]) for a, b in touching if a in cell and b in cell)
    apart = _matrix(markers, lambda a, b: _clash(rules, a, b))
    different = _matrix(markers, lambda a, b: rules.markers_distinct_per_terrain and a == b)
    names = sorted({terrain[t] for t in tiles})
    reds = frozenset(number for number, marker in enumerate(markers) if marker in REDS)
    quota = rules.reds_per_terrain_max
    if quota is None or quota >= sum(layout.marker_supply[markers[red]] for red in reds):
        quota, reds = 0, frozenset()
    return Puzzle(
        supply=tuple(supply[number] for number in kinds),
        groups=tuple((number,) for number in range(len(tiles))),
        domains=(frozenset(range(len(kinds))),) * len(tiles),
        clashes=(Clash(pairs, apart),) if apart else (),
        scopes=tuple(names.index(terrain[t]) for t in tiles) if different or reds else (),
        scope_clash=different,
        quota=quota,
        quota_kinds=reds,
        exact=False,
    )


def _matrix(markers: Sequence[int], clash: Callable[[int, int], bool]) -> Matrix:
    """Return which markers clash with which; empty where none does."""
    rows = tuple(tuple(clash(a, b) for b in markers) for a in markers)
    return rows if any(map(any, rows)) else ()


def _clash(rules: Rules, a: int, b: int) -> bool:
    """Whether the rules forbid these two markers to touch."""
    return (
        (rules.reds_apart and a in REDS and b in REDS)
        or (rules.equal_markers_apart and a == b)
        or (rules.two_twelve_apart and {a, b} <= {2, 12})
    )
