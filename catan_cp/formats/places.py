"""Places of other programs on a layout: tiles and vertices by their positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import Point, grid_symmetries, ordered, reading_order
from catan_cp.boards.layout import LAYOUTS, Harbor
from catan_cp.errors import InvalidBoard
from catan_cp.placement.checks import checked_placed, checked_players
from catan_cp.placement.judging import Draft

SHAPES = ("base", "base-5-6", "mini")
"""The layouts of other programs that are read."""

NAMES = {"wood": "lumber", "brick": "brick", "sheep": "wool", "wheat": "grain", "ore": "ore"}
"""The words of other programs for resources."""

Piece = tuple[int, Sequence[Point]]
"""A player from 1, and the position of its settlement or the two ends of its road."""


class Ground:
    """A board of another program and its positions.

    Args:
        tiles: the terrain and the marker of each tile, by its centre in the units of `HexGeometry`. The
            origin is the centre of any hexagon.
        harbors: the positions of the two vertices of each harbor, with its trade.

    Raises:
        InvalidBoard: the tiles do not have the shape of one of `SHAPES`, or are not a board of this layout.
    """

    def __init__(
        self,
        tiles: Mapping[Point, tuple[str, int | None]],
        harbors: Iterable[tuple[Sequence[Point], str]] = (),
    ) -> None:
        for layout in (LAYOUTS[name] for name in SHAPES if LAYOUTS[name].n_tiles == len(tiles)):
            for move in grid_symmetries()[:6]:
                centres = sorted(map(move, tiles), key=reading_order)
                shift = [a - b for a, b in zip(layout.tiles[0], centres[0], strict=True)]
                if tuple((x + shift[0], y + shift[1]) for x, y in centres) == layout.tiles:
                    self._move, self._shift, self.layout = move, shift, layout
                    ranked = {self._moved(centre): pieces for centre, pieces in tiles.items()}
                    pieces = [ranked[centre] for centre in layout.tiles]
                    coast = [
                        Harbor(ordered((self.vertex(a), self.vertex(b))), trade) for (a, b), trade in harbors
                    ]
                    terrain, markers = [name for name, _ in pieces], [marker for _, marker in pieces]
                    self.board = Board(layout, terrain, markers, coast)
                    return
        known = " or ".join(f"{LAYOUTS[name].n_tiles} ({name})" for name in SHAPES)
        raise InvalidBoard(f"the land tiles must have the shape of a layout with {known} tiles")

    def _moved(self, point: Point) -> Point:
        x, y = self._move(point)
        return x + self._shift[0], y + self._shift[1]

    def vertex(self, point: Point) -> int:
        """Return the vertex at a position.

        Raises:
            InvalidBoard: there is none.
        """
        place = self._moved(point)
        if place not in self.layout.vertices:
            raise InvalidBoard(f"a vertex must be on land, not at {point} from the origin")
        return self.layout.vertices.index(place)

    def opening(self, seats: Sequence[str], pieces: Iterable[Piece]) -> Board | Draft:
        """Return the opening, or the board if no settlement is placed.

        Args:
            seats: the name of each player, player 1 first.
            pieces: the settlements and roads of the game in the order placed. Those after the opening are
                ignored.

        Raises:
            InvalidArgument: the settlements or roads are not those of an opening.
        """
        settlements: list[tuple[int, int]] = []
        roads: dict[int, int] = {}
        for player, points in pieces:
            vertices = [*map(self.vertex, points)]
            if len(vertices) == 1:
                if len(settlements) == 2 * len(seats):
                    break
                settlements.append((player, vertices[0]))
                continue
            turns = [turn for turn, (owner, _) in enumerate(settlements) if owner == player]
            if turns and turns[-1] in roads and len(settlements) == 2 * len(seats):
                break
            if not turns or turns[-1] in roads:
                raise InvalidBoard(
                    f"each road of the opening must follow a settlement of its player, not settlement "
                    f"{len(settlements)} and a road of player {player}"
                )
            settled = settlements[turns[-1]][1]
            if settled not in vertices:
                raise InvalidBoard(
                    f"the road of settlement {turns[-1] + 1} must begin at vertex {settled}, not lead from "
                    f"{vertices[0]} to {vertices[1]}"
                )
            roads[turns[-1]] = sum(vertices) - settled
        if not settlements:
            return self.board
        ends = tuple(map(roads.get, range(len(settlements))))
        draft = Draft(tuple(settlements), ends, self.board, tuple(seats))
        checked_placed(draft.placed, self.board, checked_players(len(seats), self.board))
        return draft


def axial(x: int, y: int) -> Point:
    """Return the centre of a hexagon: *x* counts steps to the east, *y* steps to the south-east."""
    return 2 * x + y, 3 * y


def beside(centre: Point, *steps: Point) -> Iterator[Point]:
    """Yield the positions that are *steps* away from a centre."""
    return ((centre[0] + dx, centre[1] + dy) for dx, dy in steps)


TERRAINS = NAMES | {"desert": "desert"}
TRADES = NAMES | {"3:1": "3:1"}
