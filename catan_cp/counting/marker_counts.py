"""How many ways there are to put markers on a terrain, for the rules that look at two tiles at a time.

The tiles to be numbered are the cells of a puzzle (`frontier`) whose kinds are the markers: reds,
equal markers, 2 and 12 clash on touching tiles, three markers may be banned from meeting at a vertex, and a
terrain's tiles are a scope. Markers that no rule can tell apart, not even from each other, are one kind and
dealt out at the end: 6 and 8 are, where only reds and pips count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations_with_replacement
from math import comb

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, REDS, UNNUMBERED, pips
from catan_cp.counting.diagram import Progress, build
from catan_cp.counting.frontier import Clash, Matrix, Puzzle
from catan_cp.rules.checking import violations_of
from catan_cp.rules.rules import Rules

MAX_STATES = 15_000_000
"""The most states of a count: about 1.2 GB and, at worst, half a minute."""

FEW_STATES = 800_000
"""The most states of a count that listing can take the place of."""


def needs_listing(rules: Rules) -> bool:
    """Whether the rules bound a terrain's pips, which only listing can count."""
    return bool(rules.terrain_pips_min or rules.terrain_pips_max)


def bounds_vertices(rules: Rules) -> bool:
    """Whether the rules bound sums or pips of vertices."""
    bounds = (rules.vertex_sum_below, rules.vertex_pips_min, rules.vertex_pips_max)
    return any(bound is not None for bound in bounds)


def count_local(
    terrain: Sequence[str],
    rules: Rules,
    layout: Layout,
    max_states: int = MAX_STATES,
    progress: Progress | None = None,
) -> int:
    """Return the number of ways to number *terrain*, bounds on a terrain's pips left aside.

    Raises:
        TooManyStates: the count needs more than *max_states* states.
    """
    tiles = [t for t, name in enumerate(terrain) if name not in UNNUMBERED]
    supply = [layout.marker_supply.get(marker, 0) for marker in MARKERS]
    corners = _corners(terrain, layout) if bounds_vertices(rules) else []
    if sum(supply) < len(tiles) or any(
        not _meet(rules, [None] * 3) for corner in corners if not set(corner) & set(tiles)
    ):
        return 0
    if not tiles:
        return 1
    puzzle = _puzzle(terrain, tiles, corners, rules, layout)
    if not puzzle.pairs and not puzzle.scopes and all(len(d) == puzzle.n_kinds for d in puzzle.domains):
        return count_free(len(tiles), supply)
    return build(_merged(puzzle), max_states, progress).total


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
    return all(broken.rule == "pieces" for broken in violations_of(only_markers, board))


def _corners(terrain: Sequence[str], layout: Layout) -> list[tuple[int, ...]]:
    """Return the tiles of each vertex of three land tiles."""
    threes = (tiles for tiles in layout.vertex_tiles if len(tiles) == 3)
    return [tiles for tiles in threes if all(terrain[t] != "sea" for t in tiles)]


def _meet(rules: Rules, markers: Sequence[int | None]) -> bool:
    """Whether these three markers, None on a desert, may meet at a vertex."""
    below, least, most = rules.vertex_sum_below, rules.vertex_pips_min, rules.vertex_pips_max
    worth = sum(map(pips, markers))
    return (
        (below is None or sum(marker or 7 for marker in markers) < below)
        and (least is None or worth >= least)
        and (most is None or worth <= most)
    )


def _puzzle(
    terrain: Sequence[str],
    tiles: Sequence[int],
    corners: Sequence[tuple[int, ...]],
    rules: Rules,
    layout: Layout,
) -> Puzzle:
    """Return the puzzle whose kinds are the markers in the box."""
    cell = {tile: number for number, tile in enumerate(tiles)}
    markers = [marker for marker in MARKERS if layout.marker_supply.get(marker)]
    kinds = range(len(markers))
    numbered = [[cell[t] for t in corner if t in cell] for corner in corners]
    touching = [(a, b) for a, b in layout.adjacency(rules.adjacency) if a in cell and b in cell]
    clashes = [
        Clash(tuple((cell[a], cell[b]) for a, b in touching), _matrix(markers, partial(_clash, rules))),
        Clash(
            tuple((cells[0], cells[1]) for cells in numbered if len(cells) == 2),
            _matrix(markers, lambda a, b: not _meet(rules, [a, b, None])),
        ),
    ]
    alone = {cells[0] for cells in numbered if len(cells) == 1}
    beside_deserts = frozenset(k for k in kinds if _meet(rules, [markers[k], None, None]))
    different = _matrix(markers, lambda a, b: rules.markers_distinct_per_terrain and a == b)
    names = sorted({terrain[t] for t in tiles})
    reds = frozenset(number for number, marker in enumerate(markers) if marker in REDS)
    quota = rules.reds_per_terrain_max
    if quota is None or quota >= sum(layout.marker_supply[markers[red]] for red in reds):
        quota, reds = 0, frozenset()
    threes = combinations_with_replacement(kinds, 3)
    banned = frozenset(three for three in threes if not _meet(rules, [markers[k] for k in three]))
    return Puzzle(
        supply=tuple(layout.marker_supply[marker] for marker in markers),
        groups=tuple((number,) for number in range(len(tiles))),
        domains=tuple(beside_deserts if c in alone else frozenset(kinds) for c in range(len(tiles))),
        clashes=tuple(clash for clash in clashes if clash.pairs and clash.kinds),
        corners=tuple((c[0], c[1], c[2]) for c in numbered if len(c) == 3) if banned else (),
        banned=banned,
        scopes=tuple(names.index(terrain[t]) for t in tiles) if different or reds else (),
        scope_clash=different,
        quota=quota,
        quota_kinds=reds,
        exact=False,
    )


def _merged(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle with kinds that no rule can tell apart made one."""
    classes: list[list[int]] = []
    for kind in range(puzzle.n_kinds):
        members = next((c for c in classes if _same(puzzle, c[0], kind)), None)
        if members is None:
            classes.append([kind])
        else:
            members.append(kind)
    if len(classes) == puzzle.n_kinds:
        return puzzle
    new = {kind: number for number, members in enumerate(classes) for kind in members}

    def matrix(old: Matrix) -> Matrix:
        return tuple(tuple(old[a[0]][b[0]] for b in classes) for a in classes) if old else ()

    supplies = [[puzzle.supply[kind] for kind in members] for members in classes]
    return replace(
        puzzle,
        supply=tuple(map(sum, supplies)),
        domains=tuple(frozenset(new[kind] for kind in domain) for domain in puzzle.domains),
        clashes=tuple(Clash(clash.pairs, matrix(clash.kinds)) for clash in puzzle.clashes),
        banned=frozenset(_rising(new[kind] for kind in three) for three in puzzle.banned),
        scope_clash=matrix(puzzle.scope_clash),
        quota_kinds=frozenset(new[kind] for kind in puzzle.quota_kinds),
        deals=tuple(
            tuple(count_free(sum(supply) - left, supply) for left in range(sum(supply) + 1))
            for supply in supplies
        ),
    )


def _same(puzzle: Puzzle, a: int, b: int) -> bool:
    """Whether one of these kinds may stand wherever the other does, whatever else stands there."""
    matrices = [matrix for matrix in (*(c.kinds for c in puzzle.clashes), puzzle.scope_clash) if matrix]
    as_a = {_rising(a if kind == b else kind for kind in three) for three in puzzle.banned}
    kinds = range(puzzle.n_kinds)
    everywhere = combinations_with_replacement(kinds, 3)
    return (
        all(matrix[a] == matrix[b] for matrix in matrices)
        and all((a in domain) == (b in domain) for domain in puzzle.domains)
        and (a in puzzle.quota_kinds) == (b in puzzle.quota_kinds)
        and all(
            (three in puzzle.banned) == (_rising(a if kind == b else kind for kind in three) in as_a)
            for three in everywhere
        )
    )


def _rising(kinds: Iterable[int]) -> tuple[int, int, int]:
    first, second, third = sorted(kinds)
    return first, second, third


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
