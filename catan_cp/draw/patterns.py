"""A drawn pattern for each terrain, so that boards read without colour.

A pattern is strokes: polylines inside the hexagon of side 1 about the origin, y upwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import cos, pi, sin, sqrt

Point = tuple[float, float]
Stroke = tuple[Point, ...]

_REACH = 0.92 * sqrt(3) / 2
"""How far from the middle of a tile, towards its sides, a pattern goes."""

_NORMALS: dict[bool, tuple[Point, ...]] = {
    flat: tuple((cos(pi / 3 * i + turn), sin(pi / 3 * i + turn)) for i in range(6))
    for flat, turn in ((False, 0.0), (True, pi / 6))
}
"""The directions of a hexagon's sides: with a corner at the top, and flat there."""


@cache
def pattern(terrain: str, size: float = 1.0, flat: bool = False) -> tuple[Stroke, ...]:
    """Return the strokes of a terrain's pattern: walls and waves run to the rim, other things stay whole.

    Of the terrains that a layout brings along, those that boxes have share a pattern by the first part of
    their names (``castle-knights``: castle); others have none.

    Args:
        terrain: what the tile is.
        size: how much the motifs are enlarged, for a tile that is drawn small.
        flat: whether the tile has a side at the top, and no corner.
    """
    kind = terrain.partition("-")[0]
    if kind not in _MOTIFS:
        return ()
    motif, dx, dy = _MOTIFS[kind]
    normals = _NORMALS[flat]
    strokes: list[Stroke] = []
    for x, y in _lattice(dx * size, dy * size):
        moved = [tuple((x + px * size, y + py * size) for px, py in stroke) for stroke in motif]
        if all(_inside(point, normals) for stroke in moved for point in stroke):
            strokes += moved
        elif kind in _TO_THE_RIM:
            strokes += [part for stroke in moved for part in _clipped(stroke, normals)]
    return tuple(strokes)


def icon(resource: str) -> tuple[Stroke, ...]:
    """Return the strokes of one resource's sign, about 0.3 high, with the origin in its middle."""
    return _ICONS[resource]


def _lattice(dx: float, dy: float) -> Iterator[Point]:
    """Points *dx* apart in rows *dy* apart, every other row set off by half."""
    rows, columns = int(1 / dy) + 1, int(1 / dx) + 1
    for row in range(-rows, rows + 1):
        for column in range(-columns, columns + 1):
            yield (column + row % 2 / 2) * dx, row * dy


def _inside(point: Point, normals: Sequence[Point]) -> bool:
    return all(nx * point[0] + ny * point[1] <= _REACH for nx, ny in normals)


def _clipped(stroke: Stroke, normals: Sequence[Point]) -> Iterator[Stroke]:
    """Each segment of the stroke, as far as it runs inside the hexagon."""
    for (x0, y0), (x1, y1) in pairwise(stroke):
        start, end = 0.0, 1.0
        for nx, ny in normals:
            gap, slope = _REACH - nx * x0 - ny * y0, nx * (x1 - x0) + ny * (y1 - y0)
            if slope > 0:
                end = min(end, gap / slope)
            elif slope < 0:
                start = max(start, gap / slope)
            elif gap < 0:
                end = -1.0
        if start < end:
            yield tuple((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in (start, end))


def _circle(radius: float, corners: int = 8) -> Stroke:
    turns = [2 * pi * i / corners for i in range(corners + 1)]
    return tuple((radius * cos(turn), radius * sin(turn)) for turn in turns)


def _strokes(text: str) -> tuple[Stroke, ...]:
    """Read strokes as the tables below have them: points in hundredths, and slashes between strokes."""
    points = ([tuple(map(float, point.split(","))) for point in part.split()] for part in text.split("/"))
    return tuple(tuple((x / 100, y / 100) for x, y in stroke) for stroke in points)


_WAVE: Stroke = tuple((i / 40, 0.035 * sin(i * pi / 3)) for i in range(-6, 7))
_FLEECE: Stroke = tuple(
    (0.13 * cos(pi / 8 * i) * (1 + 0.1 * (i % 2)), 0.09 * sin(pi / 8 * i) * (1 + 0.1 * (i % 2)))
    for i in range(17)
)

_MOTIFS: dict[str, tuple[tuple[Stroke, ...], float, float]] = {
    "brick": (_strokes("-17,0 17,0 / 0,0 0,17"), 0.34, 0.17),
    "lumber": (_strokes("-7,-5 0,12 7,-5 -7,-5 / 0,-5 0,-11"), 0.24, 0.24),
    "wool": ((_circle(0.055),), 0.2, 0.17),
    "grain": (_strokes("0,-12 0,12 / -5.5,10 0,3 5.5,10 / -5.5,0 0,-7 5.5,0"), 0.18, 0.24),
    "ore": (_strokes("-12,-7 -4,8 2,-2 6,3 12,-7"), 0.3, 0.18),
    "desert": ((_circle(0.012, 3),), 0.16, 0.14),
    "gold": (_strokes("0,-9 5.5,0 0,9 -5.5,0 0,-9"), 0.2, 0.19),
    "sea": ((_WAVE,), 0.42, 0.2),
    "lake": ((_WAVE,), 0.42, 0.2),
    "oasis": (_strokes("2,-13 -1,0 0,6 / -12,0 -7,8 0,6 7,10 12,2 / -5,14 0,6 6,16"), 0.34, 0.36),
    "castle": (_strokes("-8,-11 -8,11 -3,11 -3,6 3,6 3,11 8,11 8,-11 -8,-11"), 0.26, 0.32),
    "quarry": (
        _strokes("-10,-8 -10,4 4,4 4,-8 -10,-8 / -10,4 -4,10 10,10 10,-2 4,-8 / 4,4 10,10"),
        0.3,
        0.28,
    ),
    "glassworks": (_strokes("-6,-12 -6,2 -2.5,6 -2.5,13 2.5,13 2.5,6 6,2 6,-12 -6,-12"), 0.22, 0.34),
    "swamp": (_strokes("-7,-10 -9,6 / 0,-10 0,12 / 7,-10 9,6"), 0.3, 0.28),
    "fog": (_strokes("-12,0 10,0 / -6,6 16,6"), 0.42, 0.22),
}
"""What is drawn on a terrain again and again, how far apart in a row, and how far apart the rows are."""

_ICONS: dict[str, tuple[Stroke, ...]] = {
    "brick": _strokes(
        "-17,-9 17,-9 17,9 -17,9 -17,-9 / -17,0 17,0 / 0,0 0,9 / -8.5,0 -8.5,-9 / 8.5,0 8.5,-9"
    ),
    "lumber": _strokes("-10,-6 0,15 10,-6 -10,-6 / 0,-6 0,-12"),
    "wool": (_FLEECE, *_strokes("-6,-8 -6,-13 / 6,-8 6,-13 / 14,3 19,5 19,0 14,-1")),
    "grain": _strokes("0,-13 0,14 / -8,12 0,4 8,12 / -8,3 0,-5 8,3"),
    "ore": _strokes("-18,-9 -6,12 3,-2 9,5 18,-9 -18,-9"),
}
_TO_THE_RIM = {"brick", "sea", "lake"}
