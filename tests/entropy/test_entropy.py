"""The scorer and the official tilings: facts, and a second reading of the definition."""

import math
from collections import Counter
from functools import cache
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, InvalidArgument, Layout, efficiency, efficiency_error
from catan_cp.entropy import neighbor_counts, official_average, official_boards, official_efficiencies
from tests.small_boards import CLASSIC

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


@cache
def neighbors_by_vertices(layout):
    """Tiles that share an edge share two vertices: a second way to compute neighbors."""
    corners = [set(vertices) for vertices in layout.tile_vertices]
    return [[t for t, some in enumerate(corners) if len(some & of) == 2] for of in corners]


def efficiency_by_definition(layout, terrain):
    """The definition of dralexportfolio 2025: a distribution per terrain, and its entropy in bits."""
    results = {}
    for name in set(terrain):
        met = Counter(
            terrain[neighbor]
            for own_terrain, near in zip(terrain, neighbors_by_vertices(layout), strict=True)
            if own_terrain == name
            for neighbor in near
        )
        total = sum(met.values())
        entropy = math.fsum(n / total * math.log2(total / n) for n in met.values())
        results[name] = entropy / math.log2(len(layout.terrains))
    return results


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CLASSIC), st.data())
def test_efficiency_is_definition(name, data):
    """Some terrains of the box may be absent, and gold may be outside of the box."""
    layout = LAYOUTS[name]
    names = data.draw(st.lists(st.sampled_from((*layout.terrains, "gold")), min_size=1, unique=True))
    terrain = data.draw(st.lists(st.sampled_from(names), min_size=layout.n_tiles, max_size=layout.n_tiles))
    result, goals = efficiency_by_definition(layout, terrain), layout.target_efficiency
    assert efficiency(terrain) == pytest.approx(result, abs=1e-10)
    if scored := [name for name in goals if name in result]:
        error = fmean((result[name] - goals[name]) ** 2 for name in scored)
        assert efficiency_error(terrain) == pytest.approx(error, abs=1e-10)


def test_counts_of_small_board_by_hand():
    small = Layout("three", (1, 2), {"brick": 2, "ore": 1}, {})
    board = Board(small, ["brick", "ore", "brick"])  # each of the three tiles touches the other two
    assert neighbor_counts(board) == {"brick": {"brick": 2, "ore": 2}, "ore": {"brick": 2}}
    assert efficiency(board) == {"brick": 1.0, "ore": 0.0}


def test_terrain_without_neighbours_has_efficiency_0():
    lone = Layout("lone", (1,), {"desert": 1}, {})
    assert efficiency(Board(lone, ["desert"])) == {"desert": 0.0}
    with pytest.raises(InvalidArgument, match="undefined: 'lone' has targets for none; give"):
        efficiency_error(Board(lone, ["desert"]))


def test_forms_of_boards_score_same():
    board = Board.from_notation(BEGINNER)
    assert efficiency(BEGINNER) == efficiency(board) == efficiency(list(board.terrain))
    assert neighbor_counts(board)["desert"] == {"brick": 1, "lumber": 2, "wool": 1, "ore": 1, "grain": 1}


def average_by_definition(boards, terrain):
    """Return the average of a terrain over the boards that have it."""
    some = [board for board in boards if terrain in board.terrain]
    return fmean(efficiency_by_definition(board.layout, board.terrain)[terrain] for board in some)


@pytest.mark.parametrize(
    ("layout", "terrain", "published", "average"),
    [
        ("base", "brick", 0.91346, 0.91345963077225),
        ("seafarers-10", "desert", 0.49232, 0.49231850342862),
        ("seafarers-7", "sea", 0.84734, 0.84734108846864),
    ],
)
def test_published_averages_to_nine_places(layout, terrain, published, average):
    assert round(official_efficiencies()[layout][terrain], 5) == published
    assert average_by_definition(official_boards(layout), terrain) == pytest.approx(average, abs=1e-13)


def test_averages_over_tilings():
    """Of each tiling once, not of the layouts' averages."""
    boards = {name: official_boards(name) for name in CLASSIC}
    for name, averages in official_efficiencies().items():
        assert averages == pytest.approx(
            {t: average_by_definition(boards[name], t) for t in averages}, abs=1e-9
        )
    every = [board for name in CLASSIC for board in boards[name]]
    average = {t: average_by_definition(every, t) for t in {t for board in every for t in board.terrain}}
    assert official_average() == pytest.approx(average, abs=1e-12)


def test_official_boards_are_those_published():
    assert {name: len(official_boards(name)) for name in CLASSIC} == {
        "base": 2, "base-5-6": 2, "seafarers-6": 4, "seafarers-7": 3, "seafarers-8": 3,
        "seafarers-9": 2, "seafarers-10": 4,
    }  # fmt: skip
    first, second = official_boards("base")
    assert first.piece_differences() == {}
    assert second.piece_differences() == {"grain": 1, "lumber": -1}
    assert second.notation() == "glb/ogdo/glbww/wolg/bgw"


def test_replaced_and_renamed_targets():
    own = efficiency(BEGINNER)
    assert efficiency_error(BEGINNER, targets=own) == pytest.approx(0, abs=1e-20)
    wood = efficiency_error(BEGINNER, targets={"wood": 0.1})
    assert wood - efficiency_error(BEGINNER) == pytest.approx(
        ((own["lumber"] - 0.1) ** 2 - (own["lumber"] - 0.9) ** 2) / 6
    )
