"""The parts of a board in one list: terrain, markers, harbors and fishing grounds.

A board has a value at each place of a part: a terrain or a marker on a tile, a trade on an edge, a number at
three vertices. `PARTS` is the only list of parts. Functions that move, compare, rank or list boards use it.
The models have an array for each part, in the same order.

>>> from catan_cp import Board
>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> [part.field for part in PARTS], PARTS[1].codes_of(board, PARTS[1].places(board.layout))[:4]
(['terrain', 'markers', 'harbors', 'fishing_grounds'], [10, 2, 9, 12])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from catan_cp.boards.geometry import Pair
from catan_cp.boards.pieces import MARKERS, TERRAIN_CODE, TRADES, FishingGround, Harbor, Three

if TYPE_CHECKING:
    from catan_cp.boards.layout import Layout

Place = int | Pair | Three
"""A tile, or the vertices of a piece on the coast."""


class HasLayout(Protocol):
    """A board, of which only the fields of `PARTS` and the layout matter here."""

    @property
    def layout(self) -> Layout:
        """The layout."""


@dataclass(frozen=True)
class Part:
    """A part of a board.

    Attributes:
        field: its field of `Board`.
        variable: its array in the models.
        places: returns the places that a layout has for it, in the order of the array.
        codes: returns the number of each value in the models, also of None for an empty place.
        piece: the class of a piece on the coast, or None for a part with a value on each tile.
    """

    field: str
    variable: str
    places: Callable[[Layout], Sequence[Place]]
    codes: Callable[[Layout], Mapping[Any, int]]
    piece: type[Harbor] | type[FishingGround] | None = None

    def values(self, board: HasLayout) -> dict[Any, Any]:
        """Return the value at each place of a board."""
        pieces = getattr(board, self.field)
        return dict(enumerate(pieces)) if self.piece is None else {p.vertices: p.value for p in pieces}

    def pieces(self, values: Mapping[Any, Any]) -> tuple[Any, ...]:
        """Return the field of a board with these values. Empty places on the coast have none."""
        placed = [(place, values[place]) for place in sorted(values)]
        if self.piece is None:
            return tuple(value for _, value in placed)
        return tuple(self.piece(place, value) for place, value in placed if value is not None)

    def codes_of(self, board: HasLayout, places: Iterable[Place]) -> list[int]:
        """Return the numbers of the models for the values of a board at *places*."""
        values, codes = self.values(board), self.codes(board.layout)
        return [codes[values.get(place)] for place in places]

    def image(self, place: Place, layout: Layout, symmetry: int) -> Place:
        """Return the place to which a symmetry of a layout moves the piece of *place*."""
        if isinstance(place, int):
            return layout.symmetries[symmetry][place]
        vertices = tuple(layout.vertex_symmetries[symmetry][v] for v in place)
        image: Any = min(vertices, vertices[::-1])
        return image  # type: ignore[no-any-return]

    def moved(self, board: HasLayout, symmetry: int) -> tuple[Any, ...]:
        """Return the field of the board that a symmetry makes of *board*."""
        values = self.values(board).items()
        return self.pieces({self.image(place, board.layout, symmetry): value for place, value in values})


def _tiles(layout: Layout) -> Sequence[int]:
    return range(layout.n_tiles)


def trade_codes(layout: Layout) -> dict[str | None, int]:
    """Return the models' code of each trade: 0 for 3:1, otherwise that of the terrain. None is no harbor."""
    return {None: len(layout.all_terrains) + 1} | {trade: TERRAIN_CODE.get(trade, 0) for trade in TRADES}


def _marker_codes(layout: Layout) -> dict[int | None, int]:
    return {None: 0} | {marker: marker for marker in MARKERS}


TERRAIN = Part("terrain", "terrain", _tiles, lambda layout: layout.terrain_codes)
NUMBERS = Part("markers", "marker", _tiles, _marker_codes)
HARBORS = Part("harbors", "harbor", lambda layout: layout.harbor_places, trade_codes, Harbor)
GROUNDS = Part("fishing_grounds", "ground", lambda layout: layout.ground_places, _marker_codes, FishingGround)

PARTS = (TERRAIN, NUMBERS, HARBORS, GROUNDS)
"""The parts of a board, in the order of its fields."""
