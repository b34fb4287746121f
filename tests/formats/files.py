"""Files of other programs with a board of ``base`` and an opening, by the inverted tables of the readers.

The tables are not public: only the readers need them.

python -m tests.formats.files FOLDER        write one file of each format
"""

import json
import sys
from pathlib import Path

from catan_cp import LAYOUTS, Board
from catan_cp.formats import catanatron, catanlog, catanlog_header, colonist, jsettlers
from catan_cp.formats.diagonal import edge, hexagon, node
from catan_cp.formats.places import axial, beside
from catan_cp.placement import Draft

BASE = LAYOUTS["base"]
RANGE = range(-4, 5)


def point(vertex):
    """Return the position of a vertex from the middle of the board."""
    (x, y), (middle_x, middle_y) = BASE.vertices[vertex], BASE.tiles[9]
    return x - middle_x, y - middle_y


def inverse(table):
    return {value: key for key, value in table.items()}


def colonist_file(draft):
    """Return a replay of colonist.io."""
    hexes = {axial(x, y): {"x": x, "y": y} for x in RANGE for y in RANGE}
    corners = {
        at: place | {"z": z}
        for centre, place in hexes.items()
        for z, step in enumerate(colonist.CORNERS)
        for at in beside(centre, step)
    }
    edges = {
        frozenset(beside(centre, *steps)): place | {"z": z}
        for centre, place in hexes.items()
        for z, steps in enumerate(colonist.EDGES)
    }
    terrain, trades = inverse(colonist.TERRAIN), inverse(colonist.TRADE)
    board, sides = draft.board, [frozenset(map(point, pair)) for pair in BASE.edges]
    tiles = [
        hexes[x - BASE.tiles[9][0], y - BASE.tiles[9][1]] | {"type": terrain[name], "diceNumber": marker or 0}
        for (x, y), name, marker in zip(BASE.tiles, board.terrain, board.markers, strict=True)
    ]
    ports = [edges[frozenset(map(point, h.vertices))] | {"type": trades[h.trade]} for h in board.harbors]
    events = []
    for player, vertex, road in draft.placed:
        changes = [("tileCornerStates", vertex, {"owner": player, "buildingType": 1})]
        if road is not None:
            side = sides.index(frozenset((point(vertex), point(road))))
            changes.append(("tileEdgeStates", side, {"owner": player, "type": 1}))
        events += [{"stateChange": {"mapState": {kind: {key: piece}}}} for kind, key, piece in changes]
    state = {
        "tileHexStates": dict(enumerate(tiles)),
        "portEdgeStates": dict(enumerate(ports)),
        "tileCornerStates": {v: corners[point(v)] for v in range(BASE.n_vertices)},
        "tileEdgeStates": {k: edges[side] for k, side in enumerate(sides)},
    }
    users = [{"selectedColor": seat, "username": name} for seat, name in enumerate(draft.seats, start=1)]
    history = {"initialState": {"mapState": state}, "events": events}
    order = [*range(1, len(draft.seats) + 1)]
    return json.dumps({"data": {"playOrder": order, "playerUserStates": users, "eventHistory": history}})


def jsettlers_file(draft):
    """Return a saved game of JSettlers2."""
    centre = hexagon(0x77)
    places = {(x - centre[0], y - centre[1]): k for k, (x, y) in enumerate(map(hexagon, jsettlers.HEXES))}
    nodes = {node(c): c for c in range(0xF0) if (c // 16 + c) % 2}
    edges = {frozenset(edge(c)): c for c in range(0xDD) if c // 16 % 2 == 0 or c % 2 == 0}
    terrain, trades = inverse(jsettlers.TERRAIN), inverse(jsettlers.TRADE)

    def shifted(vertex):
        x, y = point(vertex)
        return x + centre[0], y + centre[1]

    hexes, numbers = [jsettlers.WATER] * 37, [-1] * 37
    for (x, y), name, marker in zip(BASE.tiles, draft.board.terrain, draft.board.markers, strict=True):
        place = places[x - BASE.tiles[9][0], y - BASE.tiles[9][1]]
        hexes[place] = terrain[name]
        numbers[place] = -1 if marker is None else sorted(BASE.marker_supply).index(marker)
    harbors = {edges[frozenset(map(shifted, h.vertices))]: trades[h.trade] for h in draft.board.harbors}
    for place, side in jsettlers.PORTS:
        hexes[place] = 16 + harbors[side] if harbors[side] else 7
    chairs = [{"name": name, "isSeatVacant": False, "pieces": []} for name in draft.seats]
    for player, vertex, road in draft.placed:
        pieces = [{"pieceType": "SETTLEMENT", "coord": nodes[shifted(vertex)]}]
        if road is not None:
            ends = frozenset((shifted(vertex), shifted(road)))
            pieces.append({"pieceType": "ROAD", "coord": edges[ends]})
        chairs[player - 1]["pieces"] += pieces
    info = {"layout1": {"hexLayout": hexes, "numberLayout": numbers}}
    game = {"modelVersion": 2400, "boardInfo": info, "playerSeats": chairs}
    return json.dumps(game | {"elements": {"FIRST_PLAYER": 0}})


def catanlog_file(draft):
    """Return a log of catanlog."""

    def place(vertices, table):
        return next(
            f"({number} {name})"
            for number, (x, y) in catanlog.centres().items()
            for name, steps in table.items()
            if {*beside((x, y), *steps)} == {BASE.vertices[v] for v in vertices}
        )

    lines = []
    for player, vertex, road in draft.placed:
        color = draft.seats[player - 1]
        lines.append(f"{color} buys settlement, builds at {place([vertex], catanlog.NODES)}")
        if road is not None:
            lines.append(f"{color} buys road, builds at {place([vertex, road], catanlog.EDGES)}")
        lines.append(f"{color} ends turn after 15s")
    return catanlog_header(draft) + "\n".join(lines)


def catanatron_file(draft):
    """Return a game of Catanatron."""
    words = ["".join(catanatron.DIRECTIONS[letter] for letter in name) for name in catanlog.NODES]
    sides = {"".join(catanatron.DIRECTIONS[letter] for letter in name): name for name in catanlog.EDGES}
    resources = inverse(catanatron.RESOURCES)
    cube = {axial(x, y): [x, -x - y, y] for x in RANGE for y in RANGE}
    tiles, nodes = [], {}
    for tile, (x, y) in enumerate(BASE.tiles):
        name, marker = draft.board.terrain[tile], draft.board.markers[tile]
        at = cube[x - BASE.tiles[9][0], y - BASE.tiles[9][1]]
        kind = {"type": "DESERT"}
        if marker:
            kind = {"type": "RESOURCE_TILE", "resource": resources[name], "number": marker}
        tiles.append({"coordinate": at, "tile": kind})
        for vertex, word in zip(BASE.tile_vertices[tile], words, strict=True):
            nodes[str(vertex)] = {"tile_coordinate": at, "direction": word}
    land = [tile["coordinate"] for tile in tiles]
    for harbor in draft.board.harbors:
        ends = {*map(point, harbor.vertices)}
        at, word = next(
            (at, word)
            for centre, at in cube.items()
            for word, name in sides.items()
            if at not in land and {*beside(centre, *catanlog.EDGES[name])} == ends
        )
        port = {"type": "PORT", "direction": word, "resource": resources.get(harbor.trade)}
        tiles.append({"coordinate": at, "tile": port})
    actions = []
    for player, vertex, road in draft.placed:
        actions.append([draft.seats[player - 1], "BUILD_SETTLEMENT", vertex])
        if road is not None:
            actions.append([draft.seats[player - 1], "BUILD_ROAD", [vertex, road]])
    game = {"tiles": tiles, "adjacent_tiles": {}, "nodes": nodes, "actions": actions}
    return json.dumps(game | {"colors": draft.seats})


FILES = {
    "colonist.io": colonist_file,
    "JSettlers2": jsettlers_file,
    "catanlog": catanlog_file,
    "Catanatron": catanatron_file,
}

DRAFT = Draft(
    ((1, 33), (2, 29), (3, 8), (3, 38), (2, 15), (1, 46)),
    (37, 19, 7, 39, 25, 43),
    Board.from_notation("l6w11o6/b3w5b5l4/l8g3g2l9o12/w10w9dg8/o4b11g10:printed"),
    ("RED", "BLUE", "WHITE"),
)

if __name__ == "__main__":
    for program, write in FILES.items():
        Path(sys.argv[1], program).write_text(write(DRAFT), encoding="utf-8")
