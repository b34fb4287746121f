"""Both sides of the bridge say the same: every tile, harbor, vertex and edge, on random boards."""

from collections import Counter

import pytest

pytest.importorskip("catanatron", reason="the extra 'play' is not installed")

from catanatron.models.board import STATIC_GRAPH
from catanatron.models.map import LandTile, Port, number_probability

from catan_cp import LAYOUTS, Board, InvalidArgument, InvalidBoard, generate_board, play_games
from catan_cp.boards.layout import Harbor
from catan_cp.play.bridge import engine_map, names

BASE = LAYOUTS["base"]
THEIRS = {"desert": None, "brick": "BRICK", "grain": "WHEAT", "wool": "SHEEP", "ore": "ORE", "lumber": "WOOD"}
PRESETS = ("open", "official", "tournament", "optimal")


def with_harbors(board, shift):
    """The board with the printed harbors moved along the coast, by some edges, and their trades turned."""
    coast = BASE.coast_edges
    places = [coast.index(harbor.vertices) for harbor in BASE.printed_harbors]
    trades = [harbor.trade for harbor in BASE.printed_harbors]
    harbors = [
        Harbor(coast[(place + shift) % len(coast)], trades[(k + shift) % len(trades)])
        for k, place in enumerate(places)
    ]
    return Board(BASE, board.terrain, board.markers, harbors)


def check_both_sides(board):
    """Compare by positions: the engine's cube coordinates against our layout's places, edge by edge."""
    made, known = engine_map(board), names()
    assert set(made.land_tiles) == set(known.coordinates)
    for tile, (x, y) in enumerate(BASE.tiles):
        east, _, down = known.coordinates[tile]
        middle_x, middle_y = BASE.tiles[9]
        assert (x, y) == (middle_x + 2 * east + down, middle_y + 3 * down)
        land = made.land_tiles[known.coordinates[tile]]
        assert land.resource == THEIRS[board.terrain[tile]]
        assert land.number == board.markers[tile]
        assert set(land.nodes.values()) == {known.nodes[v] for v in BASE.tile_vertices[tile]}
    for vertex, tiles in enumerate(BASE.vertex_tiles):
        node = known.nodes[vertex]
        assert known.vertices[node] == vertex
        around = made.adjacent_tiles[node]
        assert Counter(map(id, around)) == Counter(id(made.land_tiles[known.coordinates[t]]) for t in tiles)
        wanted = Counter()
        for t in tiles:
            if board.markers[t] is not None:
                wanted[THEIRS[board.terrain[t]]] += number_probability(board.markers[t])
        assert made.node_production[node] == pytest.approx(wanted)
    land = {tuple(sorted(edge)) for tile in made.land_tiles.values() for edge in tile.edges.values()}
    assert land == {known.edge(a, b) for a, b in BASE.edges}
    assert all(STATIC_GRAPH.has_edge(*edge) for edge in land)
    ports = [tile for tile in made.tiles.values() if isinstance(tile, Port)]
    assert len(ports) == len(board.harbors)
    wanted_nodes = {}
    for harbor in board.harbors:
        ends = {known.nodes[v] for v in harbor.vertices}
        wanted_nodes.setdefault(THEIRS.get(harbor.trade), set()).update(ends)
        assert any(ends <= set(p.nodes.values()) and p.resource == THEIRS.get(harbor.trade) for p in ports)
    assert dict(made.port_nodes) == wanted_nodes
    assert sum(isinstance(tile, LandTile) for tile in made.tiles.values()) == 19
    assert len(made.tiles) == 37


def test_fifty_random_boards_are_the_same_on_both_sides():
    for number in range(50):
        check_both_sides(with_harbors(random_board(number), number))


def random_board(number):
    import random

    draw = random.Random(number)
    terrain = [name for name, count in BASE.terrain_counts.items() for _ in range(count)]
    markers = [marker for marker, count in BASE.marker_supply.items() for _ in range(count)]
    draw.shuffle(terrain)
    draw.shuffle(markers)
    left = iter(markers)
    return Board(BASE, terrain, [None if name == "desert" else next(left) for name in terrain])


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_250_boards_of_each_preset_are_the_same_on_both_sides(preset):
    for number in range(250):
        check_both_sides(with_harbors(generate_board(rules=preset, seed=number), number))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_board_of_each_preset_is_the_same_on_both_sides(preset):
    check_both_sides(generate_board(rules=preset, seed=1))


def test_a_board_without_harbors_has_no_ports():
    assert dict(engine_map(Board(BASE, random_board(3).terrain, random_board(3).markers)).port_nodes) == {}


def test_a_vertex_of_two_equal_tiles_yields_both():
    """The engine's own table keeps one of them."""
    board = Board.from_notation("g6g8o10/l2b3l11w9/g12l4w5o9w4/b5l6o8w10/b3g11d", "base")
    node = names().nodes[next(v for v, tiles in enumerate(BASE.vertex_tiles) if {0, 1} == set(tiles))]
    assert engine_map(board).node_production[node]["WHEAT"] == pytest.approx(10 / 36)


@pytest.mark.parametrize(
    ("notation", "says"),
    [
        ("s g8o10/l2b3l11w9/g12l4w5o9w4/b5l6o8w10/b3g11d".replace("s ", "s"), "sea"),
        ("g6g8o10/l2b3l11w9/g12l4w5o9w4/b5l6o8w10/b3g11l2", "no|none"),
        ("ggo/lblw/glwow/blow/bgd", "no markers"),
    ],
)
def test_boards_that_the_engine_cannot_play_are_refused(notation, says):
    with pytest.raises(InvalidBoard, match=says):
        play_games(notation, 1, seed=1)


def test_other_layouts_are_refused():
    with pytest.raises(InvalidBoard, match="base-5-6"):
        play_games(generate_board(rules="open", layout="base-5-6", seed=1), 1, seed=1)
    with pytest.raises(InvalidArgument, match="Board"):
        play_games(17, 1, seed=1)
