"""What stands at coasts: harbors and fishing grounds."""

from __future__ import annotations

from dataclasses import dataclass

from catan_cp.arguments import whole_number
from catan_cp.boards.hexagons import Pair, ordered
from catan_cp.boards.pieces import TRADES
from catan_cp.errors import InvalidBoard, listed, show


@dataclass(frozen=True)
class Harbor:
    """A coast edge with a trade: ``"3:1"``, or a resource for a 2:1 harbor."""

    vertices: Pair
    trade: str


@dataclass(frozen=True)
class FishingGround:
    """Where fish are caught: three neighbouring vertices of the coast, the middle one second.

    Args:
        vertices: the three vertices, in their order along the coast.
        marker: the number that yields fish.
        movable: whether it may stand at another coast.
    """

    vertices: tuple[int, int, int]
    marker: int
    movable: bool = False


def read_harbor(harbor: object) -> Harbor:
    """Return *harbor* with the lower vertex first.

    Raises:
        InvalidBoard: no harbor, an unknown trade, or not two vertices.
    """
    if not isinstance(harbor, Harbor):
        raise InvalidBoard(f"a harbor is a Harbor(vertices, trade), not {show(harbor)}")
    if harbor.trade not in TRADES:
        raise InvalidBoard(f"unknown trade {show(harbor.trade)}; trades are {listed(TRADES)}")
    given = harbor.vertices
    ends = [whole_number(v) for v in given] if isinstance(given, (list, tuple)) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        raise InvalidBoard(f"a harbor has two vertices like (4, 5), not {show(given)}")
    return Harbor(ordered((ends[0], ends[1])), harbor.trade)
