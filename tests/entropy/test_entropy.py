"""The scorer and the official tilings: facts, and a second reading of the definition."""

import math
from collections import Counter
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, InvalidArgument, Layout, efficiency, efficiency_error
from catan_cp.boards.layout import CLASSIC
from catan_cp.entropy import neighbor_counts, official_average, official_boards, official_efficiencies
from catan_cp.entropy.scorer import xlogx_table

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


def neighbors_by_vertices(layout, tile):
    """Tiles that share an edge share two vertices: a second way to compute neighbors."""
    corners = set(layout.tile_vertices[tile])
    return [
        t
        for t, vertices in enumerate(layout.tile_vertices)
        if t != tile and len(corners & set(vertices)) == 2
    ]


def efficiency_by_definition(layout, terrain):
    """The definition of dralexportfolio 2025: a distribution per terrain, and its entropy in bits."""
    results = {}
    for name in set(terrain):
        met = Counter(
            terrain[neighbor]
            for tile, own_terrain in enumerate(terrain)
            if own_terrain == name
            for neighbor in neighbors_by_vertices(layout, tile)
        )
        total = sum(met.values())
        entropy = math.fsum(n / total * math.log2(total / n) for n in met.values())
        results[name] = entropy / math.log2(len(layout.terrains))
    return results


def terrains(layout, shuffled=True):
    """Terrains of a layout as hypothesis samples them: the box shuffled, or any terrains."""
    box = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    if shuffled:
        return st.permutations(box)
    return st.lists(st.sampled_from(layout.terrains), min_size=len(box), max_size=len(box))


@settings(deadline=None)
@given(st.sampled_from(CLASSIC).flatmap(lambda name: terrains(LAYOUTS[name], shuffled=False)))
def test_efficiency_is_definition(terrain):
    layout = next(known for known in map(LAYOUTS.get, CLASSIC) if known.n_tiles == len(terrain))
    assert efficiency(terrain) == pytest.approx(efficiency_by_definition(layout, terrain), abs=1e-10)


@settings(deadline=None)
@given(st.sampled_from(CLASSIC).flatmap(lambda name: terrains(LAYOUTS[name])))
def test_error_is_mean_square_over_box(terrain):
    layout = next(known for known in map(LAYOUTS.get, CLASSIC) if known.n_tiles == len(terrain))
    result = efficiency_by_definition(layout, terrain)
    error = fmean((result[name] - goal) ** 2 for name, goal in layout.target_efficiency.items())
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


def test_absent_terrain_has_no_entry():
    wool = ["wool"] * 18 + ["ore"]
    assert set(efficiency(wool)) == {"wool", "ore"}
    result = efficiency(wool)
    assert efficiency_error(wool) == pytest.approx(((result["wool"] - 0.9) ** 2 + (0 - 0.85) ** 2) / 2)


def test_terrain_outside_box_scored():
    golden = ["gold", *(["wool", "ore"] * 9)]
    result = efficiency(golden)
    expected = ((result["wool"] - 0.9) ** 2 + (result["ore"] - 0.85) ** 2) / 2
    assert "gold" in result
    assert efficiency_error(golden) == pytest.approx(expected)


def test_forms_of_boards_score_same():
    board = Board.from_notation(BEGINNER)
    assert efficiency(BEGINNER) == efficiency(board) == efficiency(list(board.terrain))
    assert neighbor_counts(board)["desert"] == {"brick": 1, "lumber": 2, "wool": 1, "ore": 1, "grain": 1}


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
    by_definition = [
        efficiency_by_definition(board.layout, board.terrain)[terrain] for board in official_boards(layout)
    ]
    assert fmean(by_definition) == pytest.approx(average, abs=1e-13)
    assert official_efficiencies()[layout][terrain] == pytest.approx(average, abs=1e-9)


def test_averages_leave_out_boards_without_terrain():
    with_desert = [b for b in official_boards("seafarers-8") if "desert" in b.terrain]
    assert official_efficiencies()["seafarers-8"]["desert"] == pytest.approx(
        fmean(efficiency(board)["desert"] for board in with_desert)
    )


def test_average_over_all_tilings():
    """Of each tiling once, not of the layouts' averages."""
    boards = [board for name in LAYOUTS for board in official_boards(name)]
    average = official_average()
    for terrain in {name for board in boards for name in board.terrain}:
        values = [
            efficiency_by_definition(board.layout, board.terrain)[terrain]
            for board in boards
            if terrain in board.terrain
        ]
        assert average[terrain] == pytest.approx(fmean(values), abs=1e-12)


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


def test_finest_grid_and_exact_sums():
    """Entries are multiples of 2**-40, and the largest sum needs at most 53 bits."""
    totals = {2 * len(layout.adjacency()) for layout in LAYOUTS.values()}
    assert len(LAYOUTS) > 40
    for total in totals:
        steps = [value * 2**40 for value in xlogx_table(total)]
        assert all(step.is_integer() for step in steps)
        assert max(steps) == steps[total] < 2**53
        assert all(abs(step - 2**40 * n * math.log2(n or 1)) <= 0.5 for n, step in enumerate(steps))


@pytest.mark.parametrize("layout", [LAYOUTS[name] for name in CLASSIC], ids=CLASSIC)
def test_sums_of_table_are_exact(layout):
    """In any order and after any detour, which keeps incremental sums from drifting."""
    total = 2 * len(layout.adjacency())
    table = xlogx_table(total)
    assert all(abs(value - (n * math.log2(n) if n else 0)) < 1e-12 for n, value in enumerate(table))
    forwards = sum(table[: int(math.sqrt(total))])
    assert forwards == math.fsum(table[: int(math.sqrt(total))])
    assert (table[total] + table[3]) - table[3] == table[total]
