"""A drawn pattern for each terrain, so that boards read without colour.

A pattern is a tuple of strokes, each a polyline inside the hexagon of side 1 about the origin (y upwards).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import cos, hypot, pi, sin, sqrt

Stroke = tuple[tuple[float, float], ...]

_APOTHEM = sqrt(3) / 2


@cache
def pattern(terrain: str, clear: float = 0.0) -> tuple[Stroke, ...]:
    """Return the strokes of a terrain's pattern, whole motifs only, none within *clear* of the centre."""
    motif, dx, dy = _MOTIFS[terrain]
    whole = []
    for x, y in _lattice(dx, dy):
        strokes = [tuple((x + px, y + py) for px, py in stroke) for stroke in motif]
        points = [point for stroke in strokes for point in stroke]
        if all(_inside(point) for point in points) and all(hypot(*point) > clear for point in points):
            whole += strokes
    return tuple(whole)


def _lattice(dx: float, dy: float) -> Iterator[tuple[float, float]]:
    """Points *dx* apart in rows *dy* apart, every other row set off by half."""
    for row in range(-8, 9):
        for column in range(-10, 11):
            yield (column + row % 2 / 2) * dx, row * dy


def _inside(point: tuple[float, float], rim: float = 0.93) -> bool:
    x, y = abs(point[0]), abs(point[1])
    return x <= rim * _APOTHEM and x / 2 + y * _APOTHEM <= rim * _APOTHEM


def _circle(radius: float, corners: int = 12) -> Stroke:
    return tuple(
        (radius * cos(2 * pi * i / corners), radius * sin(2 * pi * i / corners)) for i in range(corners + 1)
    )


_BRICK: tuple[Stroke, ...] = (((-0.13, -0.06), (0.13, -0.06), (0.13, 0.06), (-0.13, 0.06), (-0.13, -0.06)),)
_TREE: tuple[Stroke, ...] = (
    ((-0.08, -0.05), (0, 0.14), (0.08, -0.05), (-0.08, -0.05)),
    ((0, -0.05), (0, -0.12)),
)
_CURL: tuple[Stroke, ...] = (_circle(0.055),)
_EAR: tuple[Stroke, ...] = (
    ((0, -0.12), (0, 0.12)),
    ((-0.06, 0.1), (0, 0.03), (0.06, 0.1)),
    ((-0.06, 0.0), (0, -0.07), (0.06, 0.0)),
)
_PEAK: tuple[Stroke, ...] = (((-0.13, -0.08), (-0.04, 0.1), (0.02, -0.02), (0.06, 0.04), (0.13, -0.08)),)
_GRAIN_OF_SAND: tuple[Stroke, ...] = (_circle(0.012, 6),)
_DIAMOND: tuple[Stroke, ...] = (((0, -0.09), (0.06, 0), (0, 0.09), (-0.06, 0), (0, -0.09)),)
_WAVE: tuple[Stroke, ...] = (tuple((i / 40, 0.035 * sin(i * pi / 3)) for i in range(-6, 7)),)

_MOTIFS: dict[str, tuple[tuple[Stroke, ...], float, float]] = {
    "brick": (_BRICK, 0.3, 0.16),
    "lumber": (_TREE, 0.24, 0.29),
    "wool": (_CURL, 0.22, 0.19),
    "grain": (_EAR, 0.19, 0.28),
    "ore": (_PEAK, 0.32, 0.23),
    "desert": (_GRAIN_OF_SAND, 0.16, 0.14),
    "gold": (_DIAMOND, 0.21, 0.2),
    "sea": (_WAVE, 0.42, 0.2),
}
