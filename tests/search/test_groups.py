"""Boards of layouts with groups, fixed pieces and bounds: both solvers against brute force."""

from math import factorial, prod

import pytest

import catan_cp as cp
from catan_cp import is_countable
from catan_cp.boards.layout import read_layout
from tests.brute_force import Case

FRAMES = {
    "groups": """
columns = 3
board = '''
   o6:1  w8:1  b9
S     g10   d
'''
""",
    "fixed": """
columns = 3
board = '''
O6    w8!   L0
   a3    b11
'''
[pips_max]
4 = 2
""",
    "marker groups": """
columns = 3
inland = ["lake"]
board = '''
o6;2        w8;2
   b9    s     K
'''
[terrains]
lake = "k"
""",
    "inland": """
inland = ["lake"]
board = '''
    o6  w8
  G10 k   D
    b9  O5
'''
[terrains]
lake = "k"
[marker_pips_min]
wool = 4
[marker_pips_max]
brick = 4
""",
}


def every_board(layout):
    """All boards of a layout, by brute force."""
    return [filling.board(layout) for filling in Case(layout, {}).boards]


@pytest.mark.parametrize(
    ("name", "solver"),
    [
        *((name, "chuffed") for name in FRAMES),
        ("groups", "gecode"),
        *(pytest.param(name, "gecode", marks=pytest.mark.slow) for name in FRAMES if name != "groups"),
    ],
)
def test_boards_are_those_of_groups(name, solver):
    layout = read_layout(FRAMES[name], "own", "own.toml")
    expected = set(every_board(layout))
    assert expected
    assert set(cp.enumerate_boards("open", layout, solver=solver)) == expected
    assert not any(cp.Rules().check(board) for board in expected)


@pytest.mark.parametrize("rules", [cp.Rules(), cp.Rules(reds_apart=True, vertex_pips_max=12)])
@pytest.mark.parametrize("name", [*FRAMES, "second"])
def test_boards_of_groups_counted_and_numbered(name, rules):
    """Against all arrangements: terrain in groups, and tokens fixed, in groups, bounded or doubled."""
    layout = read_layout(FRAMES[name] if name != "second" else SECOND, "own", "own.toml")
    expected = {board for board in every_board(layout) if not rules.check(board)}
    assert cp.count_boards(rules, layout) == len(expected)
    n = len(expected)
    numbers = range(0, n, 1 + n // 60)
    boards = [cp.unrank_board(k, rules, layout) for k in numbers]
    assert set(boards) <= expected
    assert len(set(boards)) == len(boards)
    assert [cp.rank_board(board, rules) for board in boards[:20]] == [*numbers][:20]
    terrain = every_board(layout)[0].terrain
    markers = {board.markers for board in expected if board.terrain == terrain}
    assert cp.count_markers(cp.Board(layout, terrain), rules) == len(markers)


SECOND = """
columns = 3
board = '''
o6+4  w8    b9
   s     d
'''
"""


@pytest.mark.parametrize(
    "name", ["caravans", "rivers-of-catan", pytest.param("tb-ultimate-green-1", marks=pytest.mark.slow)]
)
def test_boards_of_boxes_counted_and_drawn(name):
    """Without rules, each terrain occurs with each deal of the tokens of each group, and the fish."""
    layout = cp.LAYOUTS[name]
    fish = [ground.marker for ground in layout.fishing_grounds]
    assert len(set(fish)) == len(fish)
    ways = prod(
        factorial(sum(pool.pieces.values())) // prod(map(factorial, pool.pieces.values()))
        for pool in layout.marker_pools
    )
    assert cp.count_boards("open", name) == cp.count_terrains("open", name) * ways * factorial(len(fish))
    for board in cp.sample_boards(3, "tournament", name, seed=1):
        assert cp.Rules.preset("tournament").check(board) == []
        assert cp.unrank_board(cp.rank_board(board, "tournament"), "tournament", name) == board


def test_violations_of_places_found():
    layout = read_layout(FRAMES["fixed"], "own", "own.toml")
    board = cp.generate_board("open", layout, seed=1)
    swapped = [*board.terrain]
    swapped[0], swapped[1] = swapped[1], swapped[0]
    texts = [str(v) for v in cp.Rules().check(cp.Board(layout, swapped, board.markers))]
    assert any("on tile 0, which is fixed as ore" in text for text in texts)
    groups = read_layout(FRAMES["groups"], "own", "own.toml")
    board = cp.Board.from_notation("obw/sgd", groups)
    assert any("group 1 does not have its own terrains" in str(v) for v in cp.Rules().check(board))


def test_markers_listed_in_order_by_group():
    board = cp.Board.from_notation(cp.LAYOUTS["tb-ultimate-green-1"].beginner_board)
    with cp.enumerate_markers(board, "tournament", limit=50) as solutions:
        several = list(solutions)
    assert len(several) == len(set(several)) == 50


def test_uncounted_rules_named():
    assert is_countable("open", "caravans")
    with pytest.raises(cp.CatanError, match="tie markers to terrain"):
        cp.count_boards("open", "four-islands-3")
    with pytest.raises(cp.CatanError, match="tie markers to terrain"):
        cp.count_boards("optimal", "new-shores-3")
    with pytest.raises(cp.CatanError, match="clusters over the groups of tiles of 'barbarian-attack'"):
        cp.count_terrains("tournament", "barbarian-attack")
