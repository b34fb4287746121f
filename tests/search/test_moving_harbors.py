"""Movable harbors, and fixed harbors with shuffled trades: both solvers against brute force."""

from dataclasses import replace
from itertools import permutations

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Harbor,
    InvalidRules,
    Layout,
    Rules,
    best_board,
    count_boards,
    enumerate_boards,
    generate_board,
    repair_board,
)

pytestmark = pytest.mark.solver

SHUFFLED = Rules(harbors="shuffled")
BARE = Layout("isle", (1, 2), {"ore": 2, "sea": 1}, {4: 2})
RIM = BARE.coast_edges
PLACES = (RIM[0], RIM[3], RIM[6])


def isle(harbors, **options):
    return Layout("isle", (1, 2), {"ore": 2, "sea": 1}, {4: 2}, printed_harbors=harbors, **options)


def may_face(layout, terrain, edge):
    return sum(terrain[t] != "sea" for t in layout.edge_tiles[edge]) == 1


def apart(layout, edges):
    return not any(w in other for e in edges for v in e for w in layout.vertex_neighbors[v]
                   for other in edges if other != e)  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "solver"), [(SHUFFLED, "gecode"), (SHUFFLED.replace(harbors_apart=True), "chuffed")]
)
def test_movable_harbors_at_every_coast(rules, solver):
    printed = (Harbor(PLACES[0], "3:1"), Harbor(PLACES[1], "ore"))
    layout = isle(printed, movable_harbors={PLACES[0], PLACES[1]})
    expected = set()
    for sea in range(3):
        terrain = ["sea" if t == sea else "ore" for t in range(3)]
        markers = [None if t == sea else 4 for t in range(3)]
        for one, two in permutations([e for e in layout.edges if may_face(layout, terrain, e)], 2):
            if not {*one} & {*two} and (not rules.harbors_apart or apart(layout, (one, two))):
                board = Board(layout, terrain, markers, (Harbor(one, "3:1"), Harbor(two, "ore")))
                expected.add(board)
                assert rules.check(board) == []
    solutions = list(enumerate_boards(rules, layout, solver=solver))
    assert len(solutions) == len(set(solutions)) == len(expected) > 20
    assert set(solutions) == expected
    rows = enumerate_boards(rules, layout, solver=solver).array()
    assert {Board.from_solution(row, layout) for row in rows} == expected


@pytest.mark.parametrize("solver", ["chuffed", pytest.param("gecode", marks=pytest.mark.slow)])
def test_fixed_harbor_keeps_its_trade(solver):
    harbors = tuple(map(Harbor, PLACES, ("3:1", "ore", "wool")))
    layout = isle(harbors, fixed_harbors={PLACES[1]})
    terrain, markers = ["ore", "ore", "sea"], [4, 4, None]
    for trades in permutations(("3:1", "ore", "wool")):
        board = Board(layout, terrain, markers, tuple(map(Harbor, PLACES, trades)))
        assert (SHUFFLED.check(board) == []) == (trades[1] == "ore")
    dealt = {
        tuple(h.trade for h in board.harbors) for board in enumerate_boards(SHUFFLED, layout, solver=solver)
    }
    index = sorted(PLACES).index(PLACES[1])
    assert len(dealt) == 2
    assert {trades[index] for trades in dealt} == {"ore"}
    with pytest.raises(CatanError, match="fixed or movable harbors of 'isle'"):
        count_boards(SHUFFLED, layout)


def test_misplaced_harbors_found():
    layout = isle((Harbor(PLACES[0], "3:1"),), movable_harbors={PLACES[0]})
    (tile,) = layout.edge_tiles[PLACES[0]]
    terrain = ["sea" if t == tile else "ore" for t in range(3)]
    board = Board(layout, terrain, None, (Harbor(PLACES[0], "3:1"),))
    rules = SHUFFLED.replace(constraints=["harbor[1] = harbor[1]"])
    assert ["a harbor faces no land" in str(v) for v in rules.check(board)] == [True]
    two = Board(layout, terrain, None, tuple(Harbor(e, "3:1") for e in PLACES[1:]))
    assert any("the trades are not those" in str(v) for v in SHUFFLED.check(two))


@pytest.mark.parametrize("mode", ["printed", "shuffled"])
def test_constraint_on_immovable_harbor(mode):
    layout = isle((Harbor(PLACES[0], "3:1"),))
    (tile,) = layout.edge_tiles[PLACES[0]]
    terrain = ["sea" if t == tile else "ore" for t in range(3)]
    markers = [None if name == "sea" else 4 for name in terrain]
    board = Board(layout, terrain, markers, layout.printed_harbors)
    rules = Rules(harbors=mode, constraints=["harbor[1] = 0", "card(movable) = 0"])
    assert rules.check(board) == []
    assert count_boards(rules, layout) == 3 == count_boards(Rules(harbors=mode), layout)
    at_sea = rules.replace(constraints=["harbor[1] = 0", f"terrain[{tile + 1}] = SEA"])
    assert list(enumerate_boards(at_sea, layout)) == [board]
    assert generate_board(at_sea, layout, seed=1) == board
    assert best_board(at_sea, layout, maximize="largest_vertex_sum").board == board
    assert repair_board(board, rules).board == board
    assert "constraints" in {
        v.rule for v in Rules(harbors=mode, constraints=["harbor[1] = ORE"]).check(board)
    }


def test_repair_removes_landless_harbor():
    layout = isle((Harbor(PLACES[0], "3:1"),))
    (tile,) = layout.edge_tiles[PLACES[0]]
    wet = ["sea" if t == tile else "ore" for t in range(3)]
    pattern = Board(layout, wet).pattern("terrain")
    assert tile == 0
    dry = Board.from_notation("o4/so4:printed", layout)
    repaired = repair_board(dry, Rules(pattern=pattern)).board
    assert list(repaired.terrain) == wet and repaired.harbors == ()
    result = repair_board(dry, Rules(harbors="printed", pattern=pattern)).board
    assert list(result.terrain) == wet and result.harbors == dry.harbors
    assert repair_board(result, Rules()).board == result  # nothing changed, so nothing is removed


def test_repair_keeps_most_harbors():
    """Among the boards with the fewest changed tiles, one that loses the fewest harbors."""
    layout = Layout("wet", (2, 3, 2), {"sea": 2, "ore": 5}, {4: 5})
    board = Board.from_notation("o4o4/sso4/o4o4", layout)
    edges = [next(e for e in layout.coast_edges if layout.edge_tiles[e] == (t,)) for t in (0, 1, 5, 6)]
    board = replace(board, harbors=tuple(Harbor(edge, "3:1") for edge in edges))
    rules = Rules(constraints=["terrain[3] != SEA"])
    with enumerate_boards(rules, layout) as boards:
        prices = [
            (
                sum(a != b for a, b in zip(board.terrain, other.terrain, strict=True)),
                sum(not layout.is_on_coast(harbor.vertices, other.terrain) for harbor in board.harbors),
            )
            for other in boards
        ]
    near = repair_board(board, rules)
    assert (near.value, len(board.harbors) - len(near.board.harbors)) == min(prices)
    assert len({losses for changed, losses in prices if changed == near.value}) > 1


def test_adjacent_harbors_rejected_or_moved():
    near = (Harbor(RIM[0], "3:1"), Harbor(next(e for e in RIM if _next(RIM[0], e)), "ore"))
    rules = Rules(harbors="printed", harbors_apart=True)
    with pytest.raises(InvalidRules, match="has harbors side by side"):
        generate_board(rules, isle(near), seed=1)
    with pytest.raises(InvalidRules, match="needs harbors="):
        Rules(harbors_apart=True)
    assert generate_board(rules, "base", seed=1).harbors


def _next(one, other):
    return not {*one} & {*other} and any(w in other for v in one for w in BARE.vertex_neighbors[v])


def test_harbors_of_new_world_move():
    rules = SHUFFLED.replace(harbors_apart=True, harbor_own_terrain_apart=True)
    boards = [generate_board(rules, "new-world", seed=seed) for seed in (1, 2)]
    printed = sorted(harbor.trade for harbor in LAYOUTS["new-world"].printed_harbors)
    for board in boards:
        assert rules.check(board) == []
        assert sorted(harbor.trade for harbor in board.harbors) == printed
    assert boards[0].harbors != boards[1].harbors


EVERY = SHUFFLED.replace(harbor_on_every_island=True)
BARE_ROW = Layout("row", (4,), {"ore": 2, "sea": 2}, {4: 2})
FIRST, LAST = BARE_ROW.coast_edges[0], BARE_ROW.coast_edges[10]
ROW = replace(BARE_ROW, printed_harbors=(Harbor(FIRST, "3:1"),))


def has_harbor_everywhere(board):
    """Islands of a row are runs of land: each has a tile with the two ends of a harbor."""
    corners = board.layout.tile_vertices
    runs = "".join("~" if name == "sea" else chr(65 + t) for t, name in enumerate(board.terrain)).split("~")
    return all(
        any({*harbor.vertices} <= {*corners[ord(letter) - 65]} for letter in run for harbor in board.harbors)
        for run in runs
        if run
    )


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
@pytest.mark.parametrize("movable", [pytest.param(False, marks=pytest.mark.slow), True])
def test_every_island_has_harbor(solver, movable):
    harbors = (Harbor(FIRST, "3:1"), Harbor(LAST, "3:1"))
    layout = replace(ROW, printed_harbors=harbors, movable_harbors={LAST} if movable else set())
    all_boards = list(enumerate_boards(SHUFFLED, layout, solver=solver))
    allowed = [board for board in all_boards if has_harbor_everywhere(board)]
    assert 0 < len(allowed) < len(all_boards)
    solutions = list(enumerate_boards(EVERY, layout, solver=solver))
    assert sorted(solutions, key=str) == sorted(allowed, key=str)
    assert [EVERY.check(board) == [] for board in all_boards] == [
        board in set(allowed) for board in all_boards
    ]


@pytest.mark.parametrize("solver", ["chuffed", pytest.param("gecode", marks=pytest.mark.slow)])
def test_printed_harbors_bar_terrain(solver):
    rules = Rules(harbors="printed", harbor_on_every_island=True)
    solutions = list(enumerate_boards(rules, ROW, solver=solver))
    plain = list(enumerate_boards(Rules(harbors="printed"), ROW, solver=solver))
    assert set(solutions) == {board for board in plain if has_harbor_everywhere(board)}
    assert 0 < len(solutions) < len(plain)


def test_islands_that_can_have_no_harbor():
    with pytest.raises(InvalidRules, match="harbor_on_every_island needs harbors="):
        Rules(harbor_on_every_island=True)
    with pytest.raises(InvalidRules, match="'new-world' lays none as printed"):
        generate_board(Rules(harbors="printed", harbor_on_every_island=True), "new-world", seed=1)
    board = generate_board(EVERY.replace(islands_min=2, islands_max=4), "new-world", seed=1)
    assert EVERY.check(board) == []
