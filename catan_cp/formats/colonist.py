"""Reader of games of colonist.io: replays and game states as JSON, as of 2026.

Source: the field names and keys of public replays. Hexagons have axial coordinates, x to the east and y to
the south-east. A corner or edge is named by a hexagon and z: corner 0 is its top and 1 its bottom; edge 0 is
its upper left, 1 its left and 2 its lower left edge. Public converters contradict each other on the codes of
terrain; the supply of the base game decides them.
"""

from __future__ import annotations

from collections.abc import Iterator

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import Point
from catan_cp.errors import whole_number
from catan_cp.formats.entry import Entry, distinct
from catan_cp.formats.places import Ground, Piece, axial, beside
from catan_cp.placement.judging import Draft

TERRAIN = {0: "desert", 1: "lumber", 2: "brick", 3: "wool", 4: "grain", 5: "ore"}
TRADE = {1: "3:1", 2: "lumber", 3: "brick", 4: "wool", 5: "grain", 6: "ore"}
CORNERS = ((0, -2), (0, 2))
EDGES = (((0, -2), (-1, -1)), ((-1, -1), (-1, 1)), ((-1, 1), (0, 2)))
_AROUND = ("data", "payload", "eventHistory", "initialState", "gameState")


def read(text: str) -> Board | Draft:
    """Return the opening of a replay, or the board if it has no placements.

    Pieces of a game state have no order. So it gives the board, as does a replay that begins after a piece.

    Raises:
        InvalidBoard: an unknown value, or no board of this format.
        InvalidArgument: the settlements or roads are not those of an opening.
    """
    top = Entry.of(text)
    state, game = top, top.get("data") or top
    while "mapState" not in (state.value if isinstance(state.value, dict) else {}):
        inner = state.first(*_AROUND)
        if inner is None:
            break
        state = inner
    state = state.get("mapState") or state
    hexes = state["tileHexStates"].entries()
    centres = distinct([axial(*_place(tile)) for tile in hexes], "the places of tileHexStates")
    tiles = {centre: _tile(tile) for centre, tile in zip(centres, hexes, strict=True)}
    harbors = state.get("portEdgeStates")
    ports = [(_edge(port), port["type"].choice(TRADE)) for port in harbors.entries()] if harbors else []
    ground = Ground(tiles, ports)
    history = game.get("eventHistory")
    events = history.get("events") if history else None
    if events is None or any(_owned(state.get(kind)) for kind in ("tileCornerStates", "tileEdgeStates")):
        return ground.board
    order = distinct([entry.number(0, 20) for entry in game["playOrder"].entries()], "playOrder")
    names = {color: f"color {color}" for color in order}
    users = game.get("playerUserStates")
    for user in users.entries() if users and isinstance(users.value, list) else ():
        color, name = user.get("selectedColor"), user.get("username")
        if color and name and whole_number(color.value) in names:
            names[color.number()] = name.text()
    pieces = _pieces(state, events, {color: seat for seat, color in enumerate(order, start=1)})
    return ground.opening([names[color] for color in order], pieces)


def _pieces(state: Entry, events: Entry, seats: dict[int, int]) -> Iterator[Piece]:
    """Yield the settlements and roads in the order of the events."""
    n_settlements = 0
    for event in events.entries():
        change = event.get("stateChange")
        changed = change.get("mapState") if change else None
        for kind, places in (("tileCornerStates", _corner), ("tileEdgeStates", _edge)):
            states = changed.get(kind) if changed else None
            for key, piece in states.items() if states else ():
                if piece.get("owner") is None:
                    continue
                if kind == "tileCornerStates":
                    n_settlements += 1
                    kinds = {1: "settlement"} if n_settlements <= 2 * len(seats) else {1: "", 2: "city"}
                    piece["buildingType"].choice(kinds)
                yield piece["owner"].choice(seats), places(state[kind][key])


def _owned(states: Entry | None) -> bool:
    return states is not None and any(entry.get("owner") for entry in states.entries())


def _tile(tile: Entry) -> tuple[str, int | None]:
    terrain = tile["type"].choice(TERRAIN)
    number = tile.get("diceNumber")
    return terrain, (number.number(0, 12) or None) if number else None


def _place(entry: Entry) -> tuple[int, int]:
    return entry["x"].number(-20, 20), entry["y"].number(-20, 20)


def _corner(entry: Entry) -> tuple[Point, ...]:
    return tuple(beside(axial(*_place(entry)), CORNERS[entry["z"].number(0, 1)]))


def _edge(entry: Entry) -> tuple[Point, ...]:
    return tuple(beside(axial(*_place(entry)), *EDGES[entry["z"].number(0, 2)]))
