"""Files that other programs wrote: public ones, and games of Catanatron played by the tests.

The pieces at the end of a game, its points and its longest road are not public: they need inner functions.
"""

import json
import random
import re
from collections import Counter

import catanatron
import pytest
from catanatron.json import GameEncoder

from catan_cp import import_board
from catan_cp.formats.entry import Entry
from catan_cp.placement import Draft
from catan_cp.play import Game
from catan_cp.play.engine import measure_road, points
from examples.catanatron_maps import empty_map, from_map
from tests.formats.files import edge, jsettlers, node
from tests.formats.public import ADDRESSES, content
from tests.play.by_hand import AT, CARD, NOW

POINT_CARDS = {"CAP", "MARKET", "UNIV", "TEMPLE", "CHAPEL", 4, 5, 6, 7, 8}
PIECES = {"road": ("ROADS", 15), "settlement": ("SETTLEMENTS", 5), "city": ("CITIES", 4)}


def text_of(address):
    try:
        return content(address)
    except OSError as error:
        pytest.skip(f"no network, and the file is not in CATAN_CP_PUBLIC_GAMES: {error}")


@pytest.mark.slow
@pytest.mark.parametrize("address", [address for address in ADDRESSES if "JSettlers2" in address])
def test_saved_games_of_jsettlers(address):
    text = text_of(address)
    draft, game, value = import_board(text), Entry.of(text), json.loads(text)
    assert isinstance(draft, Draft)
    ground, seats = jsettlers.ground_of(game), jsettlers.seats_of(game)
    chairs = {chair["name"]: chair for chair in value["playerSeats"] if not chair["isSeatVacant"]}
    assert draft.board == ground.board
    assert draft.seats == tuple(name for name, _ in seats)
    assert not ground.board.piece_differences()
    trades = [Counter(harbor.trade for harbor in harbors) for harbors in pair_of_harbors(ground)]
    assert trades[0] == trades[1]
    played = Game(ground.board, len(seats))
    g, s = played._g, played._s
    for p, (name, built) in enumerate(seats):
        place_pieces(s, ground, p, built)
        chair, count = chairs[name], Counter(kind for kind, _ in built)
        for kind, (field, all_pieces) in PIECES.items():
            assert chair["elements"][field] == all_pieces - count[kind]
        s[AT.knights + p] = chair["elements"]["NUMKNIGHTS"]
        cards = [*chair["oldDevCards"], *chair["newDevCards"]]
        s[AT.cards + 5 * p + CARD.point] = sum(card in POINT_CARDS for card in cards)
    for p in range(len(seats)):
        measure_road(g, s, p)
    lengths = [int(s[AT.length + p]) for p in range(len(seats))]
    holder = value["elements"]["LONGEST_ROAD_PLAYER"]
    longest = [p for p, length in enumerate(lengths) if length == max(lengths) >= 5]
    names = [chair.get("name") for chair in value["playerSeats"]]
    assert [draft.seats[p] for p in longest] == ([] if holder < 0 else [names[holder]])
    army = value["elements"]["LARGEST_ARMY_PLAYER"]
    s[NOW.road_holder] = longest[0] if longest else -1
    s[NOW.army_holder] = -1 if army < 0 else draft.seats.index(names[army])
    assert [points(s, p) for p in range(len(seats))] == [chairs[name]["totalVP"] for name in draft.seats]


def pair_of_harbors(ground):
    return ground.board.harbors, ground.layout.printed_harbors


def place_pieces(s, ground, p, built):
    """Write the pieces of a seat into a state."""
    edges = ground.layout.edges
    for kind, place in built:
        if kind == "road":
            s[AT.road + edges.index(tuple(sorted(map(ground.vertex, edge(place)))))] = p
            continue
        vertex, level = ground.vertex(node(place)), 1 + (kind == "city")
        s[AT.owner + vertex], s[AT.level + vertex] = p, level
        s[AT.built + p] += level


@pytest.mark.slow
@pytest.mark.parametrize("address", [address for address in ADDRESSES if "README" in address])
def test_logs_of_catanlog(address):
    log = re.search(r"```\n(catanlog v.*?)```", text_of(address), re.DOTALL)
    assert log
    draft = import_board(log[1])
    assert isinstance(draft, Draft)
    assert draft.seats == ("green", "blue", "orange", "red")
    assert len(draft.settlements) == 8
    assert None not in draft.roads


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_of_catanatron(players):
    random.seed(players)
    game = catanatron.Game([catanatron.RandomPlayer(color) for color in [*catanatron.Color][:players]])
    game.play()
    draft = import_board(json.dumps(game, cls=GameEncoder))
    assert isinstance(draft, Draft)
    assert draft.board == from_map(game.state.board.map)
    assert draft.seats == tuple(color.value for color in game.state.colors)
    vertices = {node: vertex for vertex, node in empty_map()[1].items()}
    buildings = {vertices[at]: color.value for at, (color, _) in game.state.board.buildings.items()}
    roads = {
        frozenset(vertices[at] for at in pair): color.value for pair, color in game.state.board.roads.items()
    }
    for player, vertex, road in draft.placed:
        assert buildings[vertex] == roads[frozenset((vertex, road))] == draft.seats[player - 1]
