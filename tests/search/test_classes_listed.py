"""One board of every orbit under rotations and reflections: terrains and complete boards."""

from dataclasses import replace

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Harbor,
    Infeasible,
    Layout,
    Rules,
    count_boards,
    count_terrains,
    enumerate_boards,
    enumerate_terrains,
    generate_board,
    sample_terrains,
)
from catan_cp.boards.layout import FishingGround
from catan_cp.rules.rule import keeping_symmetries
from tests.small_boards import allowed_markers, allowed_terrains

TRIANGLE = Layout("triangle", (1, 2), {"ore": 3}, {2: 1, 3: 1, 4: 1})
BARE = Layout("flower", (2, 3, 2), {"wool": 2, "ore": 1, "desert": 4}, {2: 1, 6: 2})
FLOWER = Layout(
    "flower",
    (2, 3, 2),
    {"wool": 2, "ore": 1, "desert": 4},
    {2: 1, 6: 2},
    printed_harbors=(Harbor(BARE.coast_edges[0], "wool"), Harbor(BARE.coast_edges[4], "ore")),
)
RULES = [
    Rules(),
    Rules(harbors="printed", harbor_own_terrain_apart=True),
    Rules(reds_apart=True, desert="coast"),
    Rules(pattern="xx/x6xx/xx"),
    Rules(constraints=["terrain[1] = WOOL"]),
]


def first(contents, rules):
    """The first of the tuples that turning tuples of tiles makes."""
    turns = [FLOWER.symmetries[number] for number in keeping_symmetries(FLOWER, rules.adjacency)]
    return min(tuple(tuple(content[t] for t in turn) for content in contents) for turn in turns)


@pytest.mark.solver
@pytest.mark.parametrize(
    "rules", [*(pytest.param(rules, marks=pytest.mark.slow) for rules in RULES[:4]), *RULES[4:]]
)
def test_one_board_per_orbit(rules):
    plain = rules.replace(constraints=()) if rules.constraints else rules
    terrains = [t for t in allowed_terrains(plain, FLOWER) if not rules.constraints or t[0] == "wool"]
    classes = {first([terrain], rules) for terrain in terrains}
    with enumerate_terrains(rules, FLOWER, up_to_symmetry=True) as solutions:
        listed = list(solutions)
        assert solutions.complete and solutions.found == len(listed)
    assert set(listed) <= set(terrains)
    assert len(listed) == len(classes) == count_terrains(rules, FLOWER, up_to_symmetry=True)
    assert {first([terrain], rules) for terrain in listed} == classes

    boards = [
        (terrain, tuple(marker or 0 for marker in markers))
        for terrain in terrains
        for markers in allowed_markers(terrain, plain, FLOWER)
    ]
    with enumerate_boards(rules, FLOWER, up_to_symmetry=True) as solutions:
        contents = [(board.terrain, tuple(marker or 0 for marker in board.markers)) for board in solutions]
        assert solutions.complete
    assert set(contents) <= set(boards)
    assert len(contents) == len({first(board, rules) for board in boards})
    assert {first(board, rules) for board in contents} == {first(board, rules) for board in boards}


def test_no_class_of_posts_terrains_vanishes():
    """The first terrain of every orbit has a tile at a harbor of the same terrain."""
    apart = Rules.preset("blog").replace(symmetry="all", harbors="printed", harbor_own_terrain_apart=True)
    assert count_terrains(apart.replace(symmetry="distinct")) == 0
    with enumerate_terrains(apart, up_to_symmetry=True) as solutions:
        assert len(list(solutions)) == count_terrains(apart, up_to_symmetry=True) == 128


@pytest.mark.solver
def test_three_equal_tiles_one_board():
    for distinct, count in ((False, 6), (True, 1)):
        with enumerate_boards(Rules(), TRIANGLE, up_to_symmetry=distinct) as solutions:
            assert len(list(solutions)) == count


@pytest.mark.solver
def test_shuffled_harbors_turn_with_their_board():
    rules = Rules(harbors="shuffled", pattern="ww/odd/dd")
    with enumerate_boards(rules, FLOWER) as solutions:
        all_boards = list(solutions)
    classes = {
        min(
            (turned.terrain, str(turned.markers), str(turned.harbors))
            for turned in map(board.moved, keeping_symmetries(FLOWER, "hex"))
        )
        for board in all_boards
    }
    with enumerate_boards(rules, FLOWER, up_to_symmetry=True) as solutions:
        assert len(list(solutions)) == len(classes) <= len(all_boards)


GROUNDS = Layout(
    "flower",
    (2, 3, 2),
    {"wool": 2, "desert": 5},
    {6: 2},
    fishing_grounds=tuple(
        FishingGround(tuple(BARE.tile_vertices[tile][corner % 6] for corner in range(first, first + 3)), n)
        for tile, first, n in (
            (0, 3, 4),
            (4, 5, 9),
            (5, 1, 10),
        )  # a rotation by a third maps them to themselves
    ),
)


@pytest.mark.solver
@pytest.mark.parametrize("harbors", ["none", "shuffled"])
def test_fishing_grounds_move_with_their_board(harbors):
    edges = BARE.coast_edges[::6]  # a rotation by a third maps them to themselves, too
    layout = replace(GROUNDS, printed_harbors=tuple(map(Harbor, edges, ("3:1", "3:1", "ore"))))
    rules = Rules(harbors=harbors, pattern="xx/xxx/dd")
    with enumerate_boards(rules, layout) as solutions:
        boards = set(solutions)
    symmetries = keeping_symmetries(layout, "hex")
    orbits = {frozenset(board.moved(number) for number in symmetries) & boards for board in boards}
    assert len(boards) == count_boards(rules, layout) == 10 * 6 * (3 if harbors == "shuffled" else 1)
    assert len(orbits) < len(boards)
    with enumerate_boards(rules, layout, up_to_symmetry=True) as solutions:
        listed = set(solutions)
    assert len(listed) == len(orbits)
    assert {frozenset(board.moved(number) for number in symmetries) & boards for board in listed} == orbits


@pytest.mark.solver
def test_layout_without_symmetry_lists_all_boards():
    fishers = LAYOUTS["fishermen-of-catan"]
    fixed = Board.from_notation("o10w2l9/g12b6w4b10/g9l11kl3o8/l8o3g4w5/b5g6w11@fishermen-of-catan").pattern(
        range(19)
    )
    with enumerate_boards(Rules(pattern=fixed), fishers, up_to_symmetry=True) as solutions:
        rows = solutions.array()
    assert len(rows) == count_boards(Rules(pattern=fixed), fishers) == 720
    boards = [Board.from_solution(row, fishers) for row in rows]
    assert len({board.notation() for board in boards}) == 720
    assert Rules(pattern=fixed).check(boards[0]) == []


@pytest.mark.solver
def test_limit_ends_it_early():
    with enumerate_boards(Rules(), FLOWER, up_to_symmetry=True, limit=7) as solutions:
        assert len(list(solutions)) == 7 and not solutions.complete


def test_no_orbit_has_allowed_first_arrangement():
    triangle = Layout("triangle", (1, 2), {"brick": 2, "ore": 1}, {6: 2, 8: 1})
    rules = Rules(symmetry="distinct", pattern="o/xx")
    assert count_terrains(rules, triangle) == 0
    with pytest.raises(Infeasible):
        sample_terrains(2, rules, triangle, seed=1)
    for method in ("auto", "solver"):
        with pytest.raises(Infeasible, match="these rules cannot all hold"):
            generate_board(rules, triangle, seed=1, method=method)


def test_few_orbits_have_allowed_first_arrangement(monkeypatch):
    """Samples come from a list.

    If it is too long, the solver decides whether there is a board.
    """
    row = Layout("row", (6,), {"brick": 3, "ore": 3}, {6: 6})
    rules = Rules(symmetry="distinct", pattern="bxxoxx")
    firsts = set(enumerate_terrains(rules, row))
    assert 0 < len(firsts) == count_terrains(rules, row)
    assert set(sample_terrains(200, rules, row, seed=1)) == firsts
    none = Rules(symmetry="distinct", pattern="oxxxxb")
    monkeypatch.setattr("catan_cp.counting.counts.TERRAINS_MOST", 1)
    monkeypatch.setattr("catan_cp.counting.counts._MAX_MISSES", 100)
    with pytest.raises(CatanError, match="use symmetry='all', or enumerate_terrains"):
        sample_terrains(1, none, row, seed=1)
    with pytest.raises(Infeasible, match="these rules cannot all hold"):
        generate_board(none, row, seed=1)
