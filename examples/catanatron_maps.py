"""Convert boards of the layout `base` to and from maps of the simulator Catanatron.

    python examples/catanatron_maps.py [NOTATION]

Needs Catanatron 3.2.1 (``pip install catanatron==3.2.1``; GPL). Catanatron names tiles by cube coordinates
and vertices by nodes. One step to the east is (1, -1, 0), one to the south-east (0, -1, 1).
"""

import sys
from itertools import count

from catanatron.models import map as catanatron

import catan_cp

BASE = catan_cp.LAYOUTS["base"]
RESOURCES = {"brick": "BRICK", "grain": "WHEAT", "wool": "SHEEP", "ore": "ORE", "lumber": "WOOD"}
TERRAINS = {resource: terrain for terrain, resource in RESOURCES.items()} | {None: "desert"}
CORNERS = ("NORTHEAST", "SOUTHEAST", "SOUTH", "SOUTHWEST", "NORTHWEST", "NORTH")  # as in Layout.tile_vertices

middle = BASE.tiles[BASE.n_tiles // 2]
south = [(y - middle[1]) // 3 for _, y in BASE.tiles]
east = [(x - middle[0] - s) // 2 for (x, _), s in zip(BASE.tiles, south, strict=True)]
PLACES = [(e, -e - s, s) for e, s in zip(east, south, strict=True)]


def empty_map():
    """Return water tiles by coordinate, and the node of each vertex."""
    topology = dict.fromkeys(catanatron.BASE_MAP_TEMPLATE.topology, catanatron.Water)
    tiles = catanatron.initialize_tiles(catanatron.MapTemplate([], [], [], topology))
    nodes = {
        vertex: tiles[place].nodes[catanatron.NodeRef[corner]]
        for place, vertices in zip(PLACES, BASE.tile_vertices, strict=True)
        for vertex, corner in zip(vertices, CORNERS, strict=True)
    }
    return tiles, nodes


def to_map(board):
    """Return the `CatanMap` of a board of `base`, with its harbors.

    Raises:
        InvalidBoard: the board has another layout or no markers.
    """
    if board.layout != BASE or not board.has_markers:
        raise catan_cp.InvalidBoard(
            f"board must be a board of 'base' with markers, not one of {board.layout.name!r}: {board}"
        )
    tiles, nodes = empty_map()
    trades = {frozenset(nodes[v] for v in harbor.vertices): harbor.trade for harbor in board.harbors}
    lands, ports = count(), count()
    for place, water in tiles.items():
        if place in PLACES:
            tile = PLACES.index(place)
            resource, marker = RESOURCES.get(board.terrain[tile]), board.markers[tile]
            tiles[place] = catanatron.LandTile(next(lands), resource, marker, water.nodes, water.edges)
            continue
        for direction, refs in catanatron.PORT_DIRECTION_TO_NODEREFS.items():
            trade = trades.get(frozenset(water.nodes[ref] for ref in refs))
            if trade is not None:
                port = catanatron.Port(next(ports), RESOURCES.get(trade), direction, water.nodes, water.edges)
                tiles[place] = port
    return catanatron.CatanMap.from_tiles(tiles)


def from_map(catan_map):
    """Return the board of a `CatanMap` that has the shape of `base`.

    Raises:
        InvalidBoard: the map has another shape.
    """
    if set(catan_map.land_tiles) != set(PLACES):
        raise catan_cp.InvalidBoard("map must have the 19 land tiles of 'base'; convert a map of that shape")
    land = [catan_map.land_tiles[place] for place in PLACES]
    vertices = {node: vertex for vertex, node in empty_map()[1].items()}
    harbors = []
    for port in catan_map.ports_by_id.values():
        ends = (port.nodes[ref] for ref in catanatron.PORT_DIRECTION_TO_NODEREFS[port.direction])
        trade = "3:1" if port.resource is None else TERRAINS[port.resource]
        harbors.append(catan_cp.Harbor(tuple(sorted(vertices[node] for node in ends)), trade))
    terrain = [TERRAINS[tile.resource] for tile in land]
    return catan_cp.Board(BASE, terrain, [tile.number for tile in land], harbors)


if __name__ == "__main__":
    notation = sys.argv[1] if len(sys.argv) > 1 else None
    board = catan_cp.Board.from_notation(notation) if notation else catan_cp.generate_board(seed=1)
    assert from_map(to_map(board)) == board
    print(board)
    print(
        f"{len(to_map(board).land_tiles)} land tiles, {len(board.harbors)} harbors: the same board comes back"
    )
