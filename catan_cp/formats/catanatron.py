"""Reader of games of Catanatron as JSON, versions 3.2.1 and 3.3.

Source: ``GameEncoder`` in ``catanatron/json.py``. Tiles have cube coordinates: one step to the east is
``[1, -1, 0]``, one to the south-east ``[0, -1, 1]``. A node is named by its number, which ``nodes`` places at
a tile. The opening is the first actions.
"""

from __future__ import annotations

from collections.abc import Iterator

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import Point
from catan_cp.boards.pieces import MARKERS
from catan_cp.formats.catanlog import EDGES, NODES
from catan_cp.formats.entry import Entry, distinct
from catan_cp.formats.places import NAMES, Ground, Piece, axial, beside
from catan_cp.placement.judging import Draft

DIRECTIONS = {"N": "NORTH", "S": "SOUTH", "E": "EAST", "W": "WEST"}
RESOURCES = {word.upper(): name for word, name in NAMES.items()}
COLORS = {name: name for name in ("RED", "BLUE", "ORANGE", "WHITE")}
BUILDING = ("BUILD_SETTLEMENT", "BUILD_ROAD")


def _words(table: dict[str, tuple[Point, ...]]) -> dict[str, tuple[Point, ...]]:
    return {"".join(DIRECTIONS[letter] for letter in name): steps for name, steps in table.items()}


def read(text: str) -> Board | Draft:
    """Return the opening of a game, or the board if no settlement is placed.

    Raises:
        InvalidBoard: an unknown value, or no board of this format.
        InvalidArgument: the settlements or roads are not those of an opening.
    """
    game = Entry.of(text)
    tiles: dict[Point, tuple[str, int | None]] = {}
    ports = []
    places = game["tiles"].entries()
    centres = distinct([_centre(place["coordinate"]) for place in places], "the coordinates of tiles")
    for centre, place in zip(centres, places, strict=True):
        tile = place["tile"]
        kind = tile["type"].choice({name: name for name in ("WATER", "DESERT", "RESOURCE_TILE", "PORT")})
        if kind == "DESERT":
            tiles[centre] = "desert", None
        elif kind == "RESOURCE_TILE":
            number = tile["number"].choice({marker: marker for marker in MARKERS})
            tiles[centre] = tile["resource"].choice(RESOURCES), number
        elif kind == "PORT":
            resource = tile.get("resource")
            trade = resource.choice(RESOURCES) if resource else "3:1"
            ports.append((tuple(beside(centre, *tile["direction"].choice(_words(EDGES)))), trade))
    ground = Ground(tiles, ports)
    colors = distinct([color.choice(COLORS) for color in game["colors"].entries()], "colors")
    return ground.opening(colors, _pieces(game, {color: seat for seat, color in enumerate(colors, start=1)}))


def _pieces(game: Entry, seats: dict[str, int]) -> Iterator[Piece]:
    """Yield the settlements and roads in the order of the actions."""
    nodes = game["nodes"]

    def point(node: Entry) -> Point:
        entry = nodes[str(node.number(0))]
        (place,) = beside(_centre(entry["tile_coordinate"]), *entry["direction"].choice(_words(NODES)))
        return place

    for record in (game.get("action_records") or game["actions"]).entries():
        parts = record.entries()
        if parts and isinstance(parts[0].value, list):  # with the outcome of the action, from version 3.3
            parts = parts[0].entries()
        if len(parts) != 3:
            record.reject("a color, an action and its value")
        color, kind, value = parts
        if not isinstance(kind.value, str):
            kind.reject("the name of an action")
        if kind.value in BUILDING:
            spots = value.entries() if kind.value == "BUILD_ROAD" else [value]
            if len(spots) != 2 and kind.value == "BUILD_ROAD":
                value.reject("the two nodes of an edge")
            yield color.choice(seats), [point(spot) for spot in spots]


def _centre(entry: Entry) -> Point:
    """Return the centre of the tile at cube coordinates."""
    east, between, south_east = entry.numbers(3)
    if east + between + south_east:
        entry.reject("cube coordinates, whose sum is 0")
    return axial(east, south_east)
