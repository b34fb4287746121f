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


_BRICKS: tuple[Stroke, ...] = (((-0.17, 0), (0.17, 0)), ((0, 0), (0, 0.17)))
_TREE: tuple[Stroke, ...] = (
    ((-0.07, -0.05), (0, 0.12), (0.07, -0.05), (-0.07, -0.05)),
    ((0, -0.05), (0, -0.11)),
)
_CURL: tuple[Stroke, ...] = (_circle(0.055),)
_EAR: tuple[Stroke, ...] = (
    ((0, -0.12), (0, 0.12)),
    ((-0.055, 0.1), (0, 0.03), (0.055, 0.1)),
    ((-0.055, 0.0), (0, -0.07), (0.055, 0.0)),
)
_PEAKS: tuple[Stroke, ...] = (((-0.12, -0.07), (-0.04, 0.08), (0.02, -0.02), (0.06, 0.03), (0.12, -0.07)),)
_SAND: tuple[Stroke, ...] = (_circle(0.012, 3),)
_DIAMOND: tuple[Stroke, ...] = (((0, -0.09), (0.055, 0), (0, 0.09), (-0.055, 0), (0, -0.09)),)
_WAVE: tuple[Stroke, ...] = (tuple((i / 40, 0.035 * sin(i * pi / 3)) for i in range(-6, 7)),)
_TOWER: tuple[Stroke, ...] = (
    (
        (-0.08, -0.11), (-0.08, 0.11), (-0.03, 0.11), (-0.03, 0.06), (0.03, 0.06), (0.03, 0.11), (0.08, 0.11),
        (0.08, -0.11), (-0.08, -0.11),
    ),
)  # fmt: skip
_BLOCK: tuple[Stroke, ...] = (
    ((-0.1, -0.08), (-0.1, 0.04), (0.04, 0.04), (0.04, -0.08), (-0.1, -0.08)),
    ((-0.1, 0.04), (-0.04, 0.1), (0.1, 0.1), (0.1, -0.02), (0.04, -0.08)),
    ((0.04, 0.04), (0.1, 0.1)),
)
_BOTTLE: tuple[Stroke, ...] = (
    (
        (-0.06, -0.12), (-0.06, 0.02), (-0.025, 0.06), (-0.025, 0.13), (0.025, 0.13), (0.025, 0.06),
        (0.06, 0.02), (0.06, -0.12), (-0.06, -0.12),
    ),
)  # fmt: skip
_REEDS: tuple[Stroke, ...] = (
    ((-0.07, -0.1), (-0.09, 0.06)),
    ((0, -0.1), (0, 0.12)),
    ((0.07, -0.1), (0.09, 0.06)),
)
_PALM: tuple[Stroke, ...] = (
    ((0.02, -0.13), (-0.01, 0.0), (0, 0.06)),
    ((-0.12, 0.0), (-0.07, 0.08), (0, 0.06), (0.07, 0.1), (0.12, 0.02)),
    ((-0.05, 0.14), (0, 0.06), (0.06, 0.16)),
)
_MIST: tuple[Stroke, ...] = (((-0.12, 0), (0.1, 0)), ((-0.06, 0.06), (0.16, 0.06)))

_MOTIFS: dict[str, tuple[tuple[Stroke, ...], float, float]] = {
    "brick": (_BRICKS, 0.34, 0.17),
    "lumber": (_TREE, 0.24, 0.24),
    "wool": (_CURL, 0.2, 0.17),
    "grain": (_EAR, 0.18, 0.24),
    "ore": (_PEAKS, 0.3, 0.18),
    "desert": (_SAND, 0.16, 0.14),
    "gold": (_DIAMOND, 0.2, 0.19),
    "sea": (_WAVE, 0.42, 0.2),
    "lake": (_WAVE, 0.42, 0.2),
    "oasis": (_PALM, 0.34, 0.36),
    "castle": (_TOWER, 0.26, 0.32),
    "quarry": (_BLOCK, 0.3, 0.28),
    "glassworks": (_BOTTLE, 0.22, 0.34),
    "swamp": (_REEDS, 0.3, 0.28),
    "fog": (_MIST, 0.42, 0.22),
}
_ICONS: dict[str, tuple[Stroke, ...]] = {
    "brick": (
        ((-0.17, -0.09), (0.17, -0.09), (0.17, 0.09), (-0.17, 0.09), (-0.17, -0.09)),
        ((-0.17, 0), (0.17, 0)),
        ((0, 0), (0, 0.09)),
        ((-0.085, 0), (-0.085, -0.09)),
        ((0.085, 0), (0.085, -0.09)),
    ),
    "lumber": (
        ((-0.1, -0.06), (0, 0.15), (0.1, -0.06), (-0.1, -0.06)),
        ((0, -0.06), (0, -0.12)),
    ),
    "wool": (
        tuple(
            (0.13 * cos(pi / 8 * i) * (1 + 0.1 * (i % 2)), 0.09 * sin(pi / 8 * i) * (1 + 0.1 * (i % 2)))
            for i in range(17)
        ),
        ((-0.06, -0.08), (-0.06, -0.13)),
        ((0.06, -0.08), (0.06, -0.13)),
        ((0.14, 0.03), (0.19, 0.05), (0.19, 0.0), (0.14, -0.01)),
    ),
    "grain": (
        ((0, -0.13), (0, 0.14)),
        ((-0.08, 0.12), (0, 0.04), (0.08, 0.12)),
        ((-0.08, 0.03), (0, -0.05), (0.08, 0.03)),
    ),
    "ore": (((-0.18, -0.09), (-0.06, 0.12), (0.03, -0.02), (0.09, 0.05), (0.18, -0.09), (-0.18, -0.09)),),
}
_TO_THE_RIM = {"brick", "sea", "lake"}
