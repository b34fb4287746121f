"""Coordinates of two hexadecimal digits along two diagonal axes, of JSettlers2 and catanlog.

Source: R. S. Thomas, "Real-time decision making for adversarial environments using a plan-based heuristic"
(2003), appendix A. Hexagons have two odd digits, vertices an odd and an even one. Hexagons to the east differ
by 22, and those to the south-east by 20 (hexadecimal).
"""

from catan_cp.boards.geometry import Point

MOST = 0xEF


def hexagon(place: int) -> Point:
    """Return the centre of a hexagon in the units of `HexGeometry`."""
    first, second = divmod(place, 16)
    return (first + second) // 2, 3 * (first - second) // 2


def node(place: int) -> Point:
    """Return the position of a vertex."""
    first, second = divmod(place, 16)
    return (first + second - 1) // 2, (3 * (first - second) + (1 if second % 2 else -1)) // 2


def edge(place: int) -> tuple[Point, Point]:
    """Return the positions of the two vertices of an edge."""
    first, second = divmod(place, 16)
    if first % 2 == second % 2 == 0:
        return node(place + 0x01), node(place + 0x10)
    return node(place), node(place + 0x11)
