"""A board as a map of the engine, and which tile, vertex and edge is which on the other side.

The engine numbers tiles, nodes (our vertices) and edges from the middle outwards, and places tiles by cube
coordinates. One step to the east is ``(1, -1, 0)``, one to the south-east ``(0, -1, 1)``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from catanatron.models import map as engine
from catanatron.models.coordinate_system import UNIT_VECTORS, add

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.boards.pieces import RESOURCES
from catan_cp.errors import InvalidArgument, InvalidBoard, show

Coordinate = tuple[int, int, int]

ENGINE_RESOURCE = {"brick": "BRICK", "grain": "WHEAT", "wool": "SHEEP", "ore": "ORE", "lumber": "WOOD"}
"""The engine's name of each resource."""

ROW = 3
"""What a row further down adds to a tile's y."""

_CORNERS = tuple(
    engine.NodeRef[name] for name in ("NORTHEAST", "SOUTHEAST", "SOUTH", "SOUTHWEST", "NORTHWEST", "NORTH")
)
"""The corners of a tile in the order of `Layout.tile_vertices`."""


@dataclass(frozen=True)
class Names:
    """Which of our tiles and vertices is which of the engine's, on ``base``.

    Attributes:
        coordinates: the cube coordinate of each tile.
        tiles: the tile at each coordinate.
        nodes: the node of each vertex.
        vertices: the vertex of each node.
    """

    coordinates: tuple[Coordinate, ...]
    tiles: dict[Coordinate, int]
    nodes: tuple[int, ...]
    vertices: tuple[int, ...]

    def edge(self, a: int, b: int) -> tuple[int, int]:
        """Return the engine's edge between two vertices, the lower node first."""
        low, high = sorted((self.nodes[a], self.nodes[b]))
        return low, high


@cache
def names() -> Names:
    """Return the names of both sides, read off the positions of ``base`` and the engine's own map."""
    layout = LAYOUTS["base"]
    middle_x, middle_y = layout.tiles[layout.n_tiles // 2]
    coordinates = []
    for x, y in layout.tiles:
        south_east = (y - middle_y) // ROW
        east = (x - middle_x - south_east) // 2
        coordinates.append((east, -east - south_east, south_east))
    tiles = engine.initialize_tiles(engine.BASE_MAP_TEMPLATE)
    nodes = [-1] * layout.n_vertices
    for tile, place in enumerate(coordinates):
        for vertex, corner in zip(layout.tile_vertices[tile], _CORNERS, strict=True):
            nodes[vertex] = tiles[place].nodes[corner]
    vertices = [nodes.index(node) for node in range(layout.n_vertices)]
    return Names(tuple(coordinates), {c: t for t, c in enumerate(coordinates)}, tuple(nodes), tuple(vertices))


def check_playable(board: object) -> Board:
    """Return *board* if games can be played on it.

    Raises:
        InvalidArgument: it is no Board.
        InvalidBoard: another layout than ``base``, no markers, no desert for the robber, or a tile that the
            engine does not know.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(f"games are played on a Board, not {show(board)}")
    if board.layout != LAYOUTS["base"]:
        raise InvalidBoard(f"games are played on 'base'; this board is on {board.layout.name!r}")
    if not board.has_markers:
        raise InvalidBoard(f"the board has no markers, so no tile yields anything: {board.notation()}")
    if strange := [name for name in board.terrain if name not in (*RESOURCES, "desert")]:
        raise InvalidBoard(f"games are played on land; the engine knows no {strange[0]}: {board.notation()}")
    if "desert" not in board.terrain:
        raise InvalidBoard(f"the robber starts on a desert, and this board has none: {board.notation()}")
    return board


def engine_map(board: Board) -> Any:
    """Return the engine's map of *board*, a ``CatanMap``, harbors included.

    Its table of what each node yields is made anew: the engine's own keeps one of two tiles of the same
    terrain at a node.
    """
    check_playable(board)
    known = names()
    topology: dict[Coordinate, Any] = {}
    resources, numbers, ports = [], [], []
    for place, kind in engine.BASE_MAP_TEMPLATE.topology.items():
        if kind is not engine.LandTile:
            topology[place] = engine.Water
            continue
        topology[place] = kind
        tile = known.tiles[place]
        resources.append(ENGINE_RESOURCE.get(board.terrain[tile]))
        if resources[-1] is not None:
            numbers.append(board.markers[tile])
    at_sea = {}
    for harbor in board.harbors:
        place, direction = _port(board, harbor.vertices)
        at_sea[place] = direction, ENGINE_RESOURCE.get(harbor.trade)
    for place in topology:
        if place in at_sea:
            direction, resource = at_sea[place]
            topology[place] = engine.Port, direction
            ports.append(resource)
    # The engine takes from the end of each list. It would deal an empty list of ports anew: to no port.
    tiles = engine.initialize_tiles(
        engine.MapTemplate([], [], [], topology), numbers[::-1], ports[::-1], resources[::-1]
    )
    made = engine.CatanMap.from_tiles(tiles)
    made.node_production = {node: _production(around) for node, around in made.adjacent_tiles.items()}
    return made


def _port(board: Board, ends: tuple[int, int]) -> tuple[Coordinate, Any]:
    """Return the sea tile of a harbor, and the direction from there to its land."""
    known = names()
    [tile] = set(board.layout.vertex_tiles[ends[0]]) & set(board.layout.vertex_tiles[ends[1]])
    place = known.coordinates[tile]
    side = {known.nodes[v] for v in ends}
    corners = {node: ref for ref, node in zip(_CORNERS, _nodes(board, tile), strict=True)}
    refs = {corners[node] for node in side}
    for direction, step in UNIT_VECTORS.items():
        if refs == set(engine.PORT_DIRECTION_TO_NODEREFS[direction]):
            sea = add(place, step)
            return sea, next(back for back, step in UNIT_VECTORS.items() if add(sea, step) == place)
    raise AssertionError(f"no side of tile {tile} has the vertices {ends}")


def _nodes(board: Board, tile: int) -> list[int]:
    return [names().nodes[v] for v in board.layout.tile_vertices[tile]]


def _production(tiles: list[Any]) -> Counter[str]:
    """What a settlement amid these tiles yields a roll, on average, by resource."""
    total: Counter[str] = Counter()
    for tile in tiles:
        if tile.resource is not None:
            total[tile.resource] += engine.number_probability(tile.number)
    return total
