"""Hexagons by their places alone: what touches, what turns into what, and the way that spirals inwards.

Hexagons are pointy-top. Places are exact integers: *x* in half widths of a hexagon, growing rightwards, and
*y* in quarters of its height, growing downwards; so a hexagon at (0, 0) has its right neighbour at (2, 0).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Point = tuple[int, int]
Pair = tuple[int, int]

CORNERS: tuple[Point, ...] = ((1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2))
"""From a hexagon's centre to its corners, clockwise from the upper right."""

HEX_STEPS: tuple[Point, ...] = ((2, 0), (-1, 3), (1, 3))
"""From a centre to those neighbours across an edge that come later in reading order."""

BLOCK_STEP: Point = (-3, 3)
"""Along the other diagonal of a 2 by 2 block of the skewed array, to the one later in reading order."""

_AROUND: tuple[Point, ...] = ((1, -3), (2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3))


def touching(centres: Sequence[Point], steps: Sequence[Point]) -> tuple[Pair, ...]:
    """Return the pairs of hexagons, lower number first and in order, that are one of *steps* apart."""
    number = {centre: tile for tile, centre in enumerate(centres)}
    found = (
        (tile, number[x + dx, y + dy])
        for tile, (x, y) in enumerate(centres)
        for dx, dy in steps
        if (x + dx, y + dy) in number
    )
    return tuple(sorted(found))


def neighbors(n: int, pairs: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return, for each of *n* things, those that it is paired with, in increasing order."""
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    return tuple(tuple(sorted(around)) for around in near)


def sides(corners: Sequence[int]) -> list[Pair]:
    """Return the edges round a hexagon, each from corner to next corner, from the first corner on."""
    return [(corners[i], corners[(i + 1) % 6]) for i in range(6)]


def ordered(pair: Pair) -> Pair:
    """Return *pair* with the lower number first."""
    a, b = pair
    return (a, b) if a < b else (b, a)


def turns() -> list[Callable[[Point], Point]]:
    """Return the twelve rotations and mirrors of the grid about (0, 0), first the one that moves nothing.

    They take points of which x - y is even, and so are those that they give.
    """

    def power(times: int, mirrored: bool) -> Callable[[Point], Point]:
        def turn(point: Point) -> Point:
            x, y = point
            if mirrored:
                x = -x
            for _ in range(times):  # by 60 degrees, clockwise
                x, y = (x - y) // 2, (3 * x + y) // 2
            return x, y

        return turn

    return [power(times, mirrored) for mirrored in (False, True) for times in range(6)]


def spirals(centres: Sequence[Point]) -> list[tuple[int, ...]]:
    """Return, from each corner hexagon (one with three neighbours), the way round and inwards.

    It leaves counter-clockwise along the rim, goes straight on while it can, and turns left where it cannot.
    It ends where nothing is left to the left, which in shapes with dents may be early.
    """
    number = {centre: tile for tile, centre in enumerate(centres)}
    around = [[number.get((x + dx, y + dy)) for dx, dy in _AROUND] for x, y in centres]
    corners = [tile for tile, near in enumerate(around) if sum(n is not None for n in near) == 3]
    return [_spiral_from(corner, around) for corner in corners]


def _spiral_from(corner: int, around: Sequence[Sequence[int | None]]) -> tuple[int, ...]:
    # Off along the rim: the direction with a neighbour that has none on its right hand.
    first = around[corner]
    heading = next(d for d in range(6) if first[d] is not None and first[(d + 1) % 6] is None)
    path = [corner]
    while True:
        ahead = ((d, around[path[-1]][d]) for d in ((heading - left) % 6 for left in range(6)))
        step = next(((d, tile) for d, tile in ahead if tile is not None and tile not in path), None)
        if step is None:
            return tuple(path)
        heading = step[0]
        path.append(step[1])
