"""Boards and openings of other programs."""

import json
import random

import pytest

from catan_cp import LAYOUTS, Board, CatanError, InvalidBoard, Rules, generate_boards, import_board
from catan_cp.formats import FORMATS, catanlog_header
from catan_cp.placement import Draft
from tests.formats.files import DRAFT, FILES

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


def test_colonist_states_give_board():
    game = colonist_game()
    state = game["data"]["eventHistory"]["initialState"]
    frame = {"data": {"type": 4, "payload": {"gameState": state}}}
    values = [json.dumps(value) for value in (frame, state, state["mapState"])]
    state["mapState"]["tileCornerStates"]["41"]["owner"] = 3  # a replay that begins after a piece
    for text in (*values, json.dumps(game)):
        assert import_board(text) == Board.from_notation(NOTATION)


def test_rejects_seats_that_no_player_has():
    game = colonist_game()
    game["data"]["playOrder"] = [5, 3, 2, -1]
    with pytest.raises(InvalidBoard, match=r"playOrder\.3 must be a number from 0 to 20, not -1"):
        import_board(json.dumps(game))


def test_long_keys_are_shortened():
    with pytest.raises(InvalidBoard) as error:
        import_board(json.dumps({"tileHexStates": {"a\n" * 10_000: {"x": 0, "y": 0, "type": 9}}}))
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 200


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


def random_draft(board, rng):
    """Return a draft of three or four players with some of the settlements and some of their roads."""
    seats = ("RED", "BLUE", "ORANGE", "WHITE")[: rng.choice((3, 4))]
    placed, roads, free = [], [], {*range(board.layout.n_vertices)}
    forth = range(1, len(seats) + 1)
    for player in (*forth, *reversed(forth))[: rng.randint(1, 2 * len(seats))]:
        vertex = rng.choice(sorted(free))
        neighbors = board.layout.vertex_neighbors[vertex]
        placed.append((player, vertex))
        roads.append(rng.choice(neighbors))
        free -= {vertex, *neighbors}
    roads[-1] = rng.choice((roads[-1], None))
    return Draft(tuple(placed), tuple(roads), board, seats)


BOARDS = generate_boards(6, Rules.preset("official").replace(harbors="shuffled"), seed=1)
DRAFTS = [random_draft(board, random.Random(k)) for k, board in enumerate(BOARDS)]


@pytest.mark.parametrize("program", FILES)
def test_openings_in_every_format(program):
    for draft in DRAFTS:
        assert import_board(FILES[program](draft)) == draft


def test_files_without_settlements():
    for draft in DRAFTS:
        bare = Draft((), (), draft.board, draft.seats)
        texts = [write(bare) for write in FILES.values()]
        for text in (*texts, catanlog_header(draft.board)):
            assert import_board(text) == draft.board
    with pytest.raises(InvalidBoard, match="board must be one of 'base' for catanlog"):
        catanlog_header(Board.from_notation(LAYOUTS["base-5-6"].beginner_board))


BROKEN = {
    "colonist.io": {
        ('"stateChange": {', '"stateChange": [], "x": {'): "events.0.stateChange must be an object, not",
    },
    "catanlog": {
        ("terrain: ", "terrain: mud "): "must be one of wood, brick, sheep, wheat, ore, desert, not 'mud'",
        ("ends turn", "sleeps"): "must be a color .* and one of buys",
        ("players: 3", "players: 9"): "line 3 must be one of 1, 2",
        ("...CATAN!", "CATAN"): "line 10 must be a line that begins with '...CATAN!'",
        ("buys settlement, builds", "buys setlement, builds"): "must be a color .* and one of buys",
        ("ports: ", f"ports: {'a(' * 20_000}"): "line 9 must be harbors such as",
    },
    "JSettlers2": {
        ('"modelVersion": 2400', '"modelVersion": 9'): "modelVersion must be one of 2300, 2400, not 9",
        ('"SETTLEMENT"', '"HUT"'): "pieces.0.pieceType must be one of",
        ('"name": "BLUE"', '"name": "RED"'): "the names of players must be distinct",
        ('"hexLayout": [', '"hexLayout": [1, '): "hexLayout must be a list of 37 numbers",
        ('"hexLayout": [17', '"hexLayout": [-15'): "hexLayout.0 must be one of 7, 8",
        ('"isSeatVacant": false', '"isSeatVacant": true'): "pieces must be empty, because the seat is vacant",
        ('"isSeatVacant": false', '"isSeatVacant": "no"'): "isSeatVacant must be true or false, not 'no'",
        ('"name": "RED"', '"name": []'): "name must be a text of one line",
        ('"name": "RED"', r'"name": "RED\n"'): "name must be a text of one line",
    },
    "Catanatron": {
        ('"WOOD"', '"MUD"'): "resource must be one of WOOD, BRICK, SHEEP, WHEAT, ORE, not 'MUD'",
        ("[2, -2, 0]", "[2, -2, 9]"): "must be cube coordinates, whose sum is 0",
        ('"BUILD_SETTLEMENT", ', '"BUILD_SETTLEMENT", 9'): "must be an object with|must be",
        ('"number": 12', '"number": 7'): "number must be one of 2, 3, 4",
        ('"BUILD_ROAD", [', '"BUILD_ROAD", [], ['): "must be a color, an action and its value",
    },
}


@pytest.mark.parametrize(("program", "change"), [(p, c) for p, changes in BROKEN.items() for c in changes])
def test_broken_files(program, change):
    text = FILES[program](next(draft for draft in DRAFTS if len(draft.seats) == 3))
    assert change[0] in text
    with pytest.raises(CatanError, match=BROKEN[program][change]):
        import_board(text.replace(*change))


def test_road_begins_at_its_settlement():
    text = FILES["Catanatron"](DRAFT)
    assert import_board(text) == DRAFT
    message = "the road of settlement 1 must begin at vertex 33, not lead from 0 to 1"
    with pytest.raises(InvalidBoard, match=message):
        import_board(text.replace("[33, 37]", "[0, 1]"))


def test_formats_by_content():
    assert [known.program for known in FORMATS] == [*FILES]
    with pytest.raises(InvalidBoard, match="source must be a file of colonist"):
        import_board("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
