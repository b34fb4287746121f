"""Boards and openings of other programs."""

import json

import pytest

from catan_cp import Board, InvalidBoard, import_board
from catan_cp.placement import Draft

# A game of colonist.io: hexagons, corners and harbors with their coordinates and codes
HEXES = (
    (0, -2, 1, 6), (-1, -1, 3, 3), (-2, 0, 5, 8), (-2, 1, 2, 10), (-2, 2, 3, 9), (-1, 2, 3, 12),
    (0, 2, 1, 11), (1, 1, 0, 0), (2, 0, 4, 4), (2, -1, 2, 8), (2, -2, 5, 5), (1, -2, 1, 2), (0, -1, 5, 9),
    (-1, 0, 4, 4), (-1, 1, 4, 5), (0, 1, 1, 6), (1, 0, 2, 3), (1, -1, 4, 10), (0, 0, 3, 11),
)  # fmt: skip
CORNERS = {
    "15": (-2, 2, 0), "41": (2, -2, 1), "10": (-2, 1, 0), "51": (0, 0, 1), "3": (0, -2, 1), "48": (0, 0, 0),
    "37": (2, -1, 1), "33": (1, 0, 1),
}  # fmt: skip
PORTS = (
    (0, -2, 0, 1), (-2, 2, 2, 1), (-1, 3, 0, 5), (3, 0, 1, 1), (-1, -1, 1, 1), (-2, 1, 1, 2), (1, 2, 0, 6),
    (2, -3, 2, 3), (3, -2, 2, 4),
)  # fmt: skip
PLACED = ((5, "15"), (3, "41"), (2, "10"), (1, "51"), (1, "3"), (2, "48"), (3, "37"), (5, "33"))
NOTATION = (
    "l6l2o5/w3o9g10b8/o8g4w11b3g4/b10g5l6d/w9w12l11:"
    "4-5=3,6-9=b,11-22=w,16-17=3,26-40=l,35-36=3,45-46=o,48-49=3,50-51=g"
)


def named(values, names):
    return dict(zip(names.split(), values, strict=True))


def colonist_game():
    """Return a replay as the site writes it."""
    state = {
        "tileHexStates": {str(k): named(tile, "x y type diceNumber") for k, tile in enumerate(HEXES)},
        "tileCornerStates": {key: named(place, "x y z") for key, place in CORNERS.items()},
        "tileEdgeStates": {"0": {"x": -2, "y": 2, "z": 0}, "1": {"x": 2, "y": -2, "z": 2}},
        "portEdgeStates": {str(k): named(port, "x y z type") for k, port in enumerate(PORTS)},
    }
    events = [corner(owner, key) for owner, key in PLACED]
    events.insert(1, road(5, "0"))
    history = {"initialState": {"mapState": state}, "events": [{}, *events, corner(5, "15", 2)]}
    return {"data": {"playOrder": [5, 3, 2, 1], "eventHistory": history}}


def corner(owner, key, kind=1):
    return {"stateChange": {"mapState": {"tileCornerStates": {key: {"owner": owner, "buildingType": kind}}}}}


def road(owner, key):
    return {"stateChange": {"mapState": {"tileEdgeStates": {key: {"owner": owner, "type": 1}}}}}


def test_colonist_replay():
    draft = import_board(json.dumps(colonist_game()))
    assert isinstance(draft, Draft)
    assert draft.board == Board.from_notation(NOTATION)
    assert str(draft) == "1:38-39,2:12,3:25,4:32,4:2,3:18,2:24,1:34"
    assert draft.seats == ("color 5", "color 3", "color 2", "color 1")


def test_colonist_state():
    game = colonist_game()
    state = game["data"]["eventHistory"]["initialState"]
    frame = {"data": {"type": 4, "payload": {"gameState": state}}}
    for value in (frame, state, state["mapState"]):
        assert import_board(json.dumps(value)) == Board.from_notation(NOTATION)


REJECTED = {
    "tileHexStates.3.type must be one of 0, 1, 2, 3, 4, 5, not 6": ("tileHexStates", "3", "type", 6),
    "tileHexStates.3.x must be a number from -20 to 20, not 99": ("tileHexStates", "3", "x", 99),
    "the places of tileHexStates must be distinct": ("tileHexStates", "3", "y", 0),
    "the land tiles must have the shape of a layout": ("tileHexStates", "2", "x", -3),
    "portEdgeStates.0.type must be one of 1, 2, 3, 4, 5, 6, not True": ("portEdgeStates", "0", "type", True),
    "portEdgeStates.0.z must be a number from 0 to 2, not 3": ("portEdgeStates", "0", "z", 3),
    "a vertex must be on land": ("tileCornerStates", "15", "x", 9),
}


@pytest.mark.parametrize(("message", "change"), REJECTED.items())
def test_unknown_colonist_values(message, change):
    game = colonist_game()
    kind, key, field, value = change
    game["data"]["eventHistory"]["initialState"]["mapState"][kind][key][field] = value
    with pytest.raises(InvalidBoard, match=message):
        import_board(json.dumps(game))
