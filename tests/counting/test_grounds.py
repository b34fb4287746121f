"""Fishing grounds four ways: by a solver, by our count, by `check`, and all that there is, plainly judged."""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import pytest
from plain_rules import grounds_lie_well

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Constraint,
    Infeasible,
    InvalidBoard,
    Layout,
    Rules,
    best_board,
    board_at,
    board_instance,
    copy_models,
    count_boards,
    enumerate_boards,
    generate_board,
    generate_boards,
    rank,
    repair_board,
    sample_boards,
)
from catan_cp.boards.pieces import FishingGround
from catan_cp.counting.coasts import ground_deals
from catan_cp.counting.counts import counted_quickly

ISLAND = """
        ~       {b}     {e}     ~
    ~       o4      {m}     o4      ~
        {c}     o4      o4      {d}
            ~       ~       ~
"""
OPEN, PRINTED, SHUFFLED = Rules(), Rules(harbors="printed"), Rules(harbors="shuffled")
CASES = {
    "two stay": ({"b": "~f4S", "c": "~f5NE"}, OPEN, 2),
    "equal numbers": ({"b": "~f4S*", "c": "~f4NE*"}, OPEN, 9),
    "two move": ({"b": "~f4S*", "c": "~f5NE*"}, OPEN, 18),
    "one stays": ({"b": "~f4S", "c": "~f5NE*"}, OPEN, 6),
    "a harbor": ({"b": "~f4S*", "c": "~f5NE*", "d": "~3W"}, PRINTED, 10),
    "none laid": ({"b": "~f4S*", "c": "~f5NE*", "d": "~3W"}, OPEN, 18),
    "traded": ({"b": "~f4S*", "e": "~f5S*", "c": "~3NE", "d": "~oW"}, SHUFFLED, 8),
}


def island(folder, words):
    """Five tiles in a frame of sea, drawn."""
    text = ISLAND
    for key, word in ({"b": "~", "c": "~", "d": "~", "e": "~", "m": "o4"} | words).items():
        text = text.replace(f"{{{key}}}     ", word.ljust(8)).replace(f"{{{key}}}", word)
    path = folder / "island.toml"
    path.write_text(f"columns = 4\nboard = '''{text}'''\n", encoding="utf-8")
    return Layout.from_toml(path)


def everything(board):
    """The board with the numbers of its layout at every choice of three vertices in a row."""
    layout = board.layout
    near = layout.vertex_neighbors
    rows = [(a, b, c) for b in range(layout.n_vertices) for a, c in product(near[b], near[b]) if a < c]
    numbers = [ground.marker for ground in layout.fishing_grounds]
    for places in permutations(rows, len(numbers)):
        grounds = [FishingGround(*each) for each in zip(places, numbers, strict=True)]
        yield replace(board, fishing_grounds=tuple(grounds))


def lying_well(boards):
    return {board for each in boards for board in everything(each) if grounds_lie_well(board)}


def bare(board):
    return replace(board, fishing_grounds=())


@pytest.mark.solver
@pytest.mark.parametrize("case", CASES)
def test_four_ways_agree(case, tmp_path):
    words, rules, n = CASES[case]
    layout = island(tmp_path, words)
    listed = list(enumerate_boards(rules, layout))
    assert len(listed) == n == count_boards(rules, layout)
    every = [board for each in {bare(board) for board in listed} for board in everything(each)]
    assert {board for board in every if grounds_lie_well(board)} == {*listed}
    assert {board for board in every if not rules.check(board)} == {*listed}
    numbered = [board_at(k, rules, layout) for k in range(n)]
    assert {*numbered} == {*listed}
    assert [rank(board, rules) for board in numbered] == [*range(n)]


@pytest.mark.solver
def test_places_follow_the_sea(tmp_path):
    layout = island(tmp_path, {"b": "~f4S*", "c": "~f5NE*", "m": "s"})
    listed = list(enumerate_boards("open", layout))
    terrains = {bare(board) for board in listed}
    assert {*listed} == lying_well(terrains)
    assert len(listed) == sum(ground_deals(layout, board.terrain).total for board in terrains)
    assert not any(OPEN.check(board) for board in listed)
    with pytest.raises(CatanError, match="places follow the terrain"):
        count_boards("open", layout)
    drawn = Counter(sample_boards(2_000, "open", layout, seed=1))
    assert {*drawn} == {*listed}  # also boards drawn together are dealt each its own grounds
    on_each = Counter(map(bare, drawn.elements()))
    assert max(on_each.values()) < 1.3 * min(on_each.values())


def test_nobody_is_doubted_by_boards_without_their_grounds():
    """A count of those once ended, by an error, the doubt of a solver that finds no board."""
    assert counted_quickly("boards", OPEN, LAYOUTS["new-world-of-fish"]) is None


def test_every_deal_is_as_likely(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    drawn = Counter(sample_boards(3_600, "open", layout, seed=3))
    assert len(drawn) == 18 and all(140 < n < 260 for n in drawn.values())
    walked = Counter(generate_boards(900, "open", layout, seed=3, method="walk"))
    assert len(walked) == 18 and all(20 < n < 90 for n in walked.values())


@pytest.mark.parametrize(
    ("method", "rules", "n"),
    [
        ("walk", "tournament", 5),
        ("uniform", "open", 5),
        pytest.param("auto", "optimal", 1, marks=pytest.mark.solver),
    ],
)
def test_what_else_is_drawn_stays_as_it_was(method, rules, n):
    layout = LAYOUTS["fishermen-of-catan"]
    without = replace(layout, name="own-fishermen", fishing_grounds=())
    made = (generate_boards(n, rules, each, seed=7, method=method) for each in (layout, without))
    for board, plain in zip(*made, strict=True):
        for part in ("terrain", "markers", "harbors"):
            assert getattr(board, part) == getattr(plain, part)
        assert grounds_lie_well(board) and not Rules.preset(rules).check(board)


def test_counts_have_the_grounds_as_a_factor():
    layout = LAYOUTS["fishermen-of-catan"]
    without = replace(layout, name="own-fishermen", fishing_grounds=())
    assert count_boards("open", layout) == 720 * count_boards("open", without)
    with pytest.raises(CatanError, match="or has fishing grounds"):
        count_boards("open", layout, distinct=True)


@pytest.mark.parametrize(
    "name", [name for name, layout in LAYOUTS.items() if any(g.movable for g in layout.fishing_grounds)]
)
def test_the_boxes_grounds_that_move_lie_well(name):
    boards = list(generate_boards(4, "open", name, seed=1, method="walk"))
    assert all(map(grounds_lie_well, boards))
    assert len({board.fishing_grounds for board in boards}) == 4


# The models are the authority


@pytest.mark.solver
def test_a_constraint_on_grounds_is_obeyed(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    rules = Rules(constraints=[Constraint("ground[1] = 5")])
    place = layout.ground_places[0]
    listed = list(enumerate_boards(rules, layout))
    every = [board_at(k, "open", layout) for k in range(18)]
    wanted = {board for board in every if FishingGround(place, 5) in board.fishing_grounds}
    assert {*listed} == wanted
    assert [board in wanted for board in every[:3]] == [not rules.check(board) for board in every[:3]]
    assert count_boards(rules, layout) == len(wanted) == 3
    assert generate_board(rules, layout, seed=1) in wanted


@pytest.mark.solver
def test_grounds_without_room_are_no_board(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    grounds = [
        FishingGround(*each, movable=True) for each in zip(layout.ground_places, (4, 5, 6, 8, 9), strict=True)
    ]
    crowded = replace(layout, fishing_grounds=tuple(grounds))  # two of the five places share a corner
    assert count_boards("open", crowded) == 0
    for method in ("uniform", "solver", "walk"):
        with pytest.raises(Infeasible):
            generate_board("open", crowded, seed=1, method=method)
    moving = replace(crowded, terrain_counts={"ore": 4, "sea": 1}, marker_supply={4: 4})
    with pytest.raises(CatanError, match="of 1,000 boards drawn have the fishing grounds room"):
        next(sample_boards(1, "open", replace(moving, sea_frame=()), seed=1))


@pytest.mark.solver
def test_edited_grounds_are_obeyed(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    folder = copy_models(tmp_path / "models")
    with (folder / "grounds.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint forall(g in GROUND)( ground[g] = 5 -> 1 in ground_vertices[g] );\n")
    rules = Rules(models=str(folder))
    wanted = {
        board
        for board in enumerate_boards("open", layout)
        if any(ground.marker == 5 and 0 in ground.vertices for ground in board.fishing_grounds)
    }
    assert wanted and {*enumerate_boards(rules, layout)} == wanted
    assert {*generate_boards(4, rules, layout, seed=1)} <= wanted
    every = list(enumerate_boards("open", layout))[:3]
    assert [board in wanted for board in every] == [not rules.check(board) for board in every]


@pytest.mark.solver
def test_an_instance_and_the_best_board_have_grounds(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    instance = board_instance("open", layout)
    board = Board.from_solution(instance.solve(), layout)
    assert grounds_lie_well(board)
    best = best_board("open", layout, minimize="sum(g in GROUND)(g * ground[g])")
    assert best.proven and grounds_lie_well(best.board)
    places = layout.ground_places
    worth = {
        each: sum((places.index(g.vertices) + 1) * g.marker for g in each.fishing_grounds)
        for each in (board_at(k, "open", layout) for k in range(18))
    }
    assert best.value == min(worth.values())


@pytest.mark.solver
def test_repairing_keeps_the_grounds_that_may_stay(tmp_path):
    layout = island(tmp_path, CASES["two move"][0])
    board = board_at(7, "open", layout)
    assert repair_board(board, "open").board == board
    (first, second) = board.fishing_grounds
    wrong = replace(board, fishing_grounds=(first, replace(second, marker=9)))
    repaired = repair_board(wrong, "open").board
    assert repaired.fishing_grounds == board.fishing_grounds


# Boards with grounds


def test_a_board_says_its_grounds_and_reads_them():
    board = board_at(12_345, "open", "fishermen-of-catan")
    board = replace(board, harbors=board.layout.printed_harbors)
    assert Board.from_notation(board.notation()) == board
    assert ":printed,4-3-17=" in board.notation()
    assert Board.from_notation(str(board)) == board
    assert Board.from_json(board.to_json()) == board
    turned = board.moved(3)
    assert turned != board and Counter(g.marker for g in turned.fishing_grounds) == Counter(
        g.marker for g in board.fishing_grounds
    )
    none = bare(board)
    assert "fishing" not in none.to_json() and not OPEN.check(none)
    backwards = [FishingGround(ground.vertices[::-1], ground.marker) for ground in board.fishing_grounds]
    assert replace(board, fishing_grounds=tuple(backwards)) == board


@pytest.mark.parametrize(
    ("laid", "why"),
    [
        ("4-3-17", "not a harbor"),
        ("4-3-17=7", "marker of a fishing ground .* is one of"),
        ("4-3-18=6", "three vertices in a row"),
        ("4-3-17=6,17-3-4=5", "two fishing grounds lie at 4-3-17"),
        ("4-3-17=6,4-5", "not a harbor"),
    ],
)
def test_grounds_that_cannot_be_are_refused(laid, why):
    rows = LAYOUTS["fishermen-of-catan"].beginner_board.partition("@")[0]
    with pytest.raises(InvalidBoard, match=why):
        Board.from_notation(f"{rows}:{laid}@fishermen-of-catan")


@pytest.mark.parametrize(
    "value", ["[4]", '[{"vertices": 4, "marker": 6}]', '[{"vertices": [4, 3, 17]}]', "4"]
)
def test_a_stranger_s_json_is_checked(value):
    board = Board.from_notation(LAYOUTS["fishermen-of-catan"].beginner_board)
    text = board.to_json()[:-1] + f', "fishing_grounds": {value}}}'
    with pytest.raises(InvalidBoard, match="fishing"):
        Board.from_json(text)


MOVES, STAYS, BESIDE, WITH_HARBOR, OTHER = (5, 0, 9), (3, 2, 16), (9, 6, 13), (11, 12, 17), (15, 14, 18)


@pytest.mark.parametrize(
    ("laid", "middle", "why"),
    [
        ({MOVES: 4, STAYS: 4}, "ore", "do not have the numbers of 'island', 4, 5"),
        ({MOVES: 4, OTHER: 5}, "ore", "that stays is missing"),
        ({MOVES: 4, STAYS: 5}, "sea", "does not lie along two edges of coast"),
        ({STAYS: 4, WITH_HARBOR: 5}, "ore", "lies on a hexagon with a harbor"),
        ({MOVES: 4, BESIDE: 5}, "ore", "two fishing grounds share a corner"),
        ({STAYS: 4, (0, 1, 8): 5}, "ore", "does not lie on a hexagon of sea"),
    ],
)
def test_check_says_what_is_wrong(tmp_path, laid, middle, why):
    layout = island(tmp_path, {"b": "~f4S*", "c": "~f5NE", "d": "~3W"})
    terrain, markers = ["ore"] * 5, [4, None if middle == "sea" else 4, 4, 4, 4]
    terrain[1] = middle
    grounds = [FishingGround(*each) for each in laid.items()]
    board = Board(layout, terrain, markers, layout.printed_harbors, grounds)
    assert any(why in violation.text for violation in PRINTED.check(board))
    assert not grounds_lie_well(board)
