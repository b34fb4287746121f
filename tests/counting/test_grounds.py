"""Fishing grounds by a solver, by exact counts, by `check`, and by brute force."""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import pytest

import catan_cp as cp
from catan_cp.boards.pieces import FishingGround

ISLAND = """
        ~       {b}     {e}     ~
    ~       o4      {m}     o4      ~
        {c}     o4      o4      {d}
            ~       ~       ~
"""
OPEN, PRINTED, SHUFFLED = cp.Rules(), cp.Rules(harbors="printed"), cp.Rules(harbors="shuffled")
CASES = {
    "two": ({"b": "~f4S", "c": "~f5NE"}, OPEN, 2),
    "equal numbers": ({"b": "~f4S", "c": "~f4NE"}, OPEN, 1),
    "a harbor": ({"b": "~f4S", "c": "~f5NE", "d": "~3W"}, PRINTED, 2),
    "traded": ({"b": "~f4S", "e": "~f5S", "c": "~3NE", "d": "~oW"}, SHUFFLED, 4),
}
THREE = {"b": "~f4S", "c": "~f5NE", "e": "~f6S"}


def grounds_lie_well(board) -> bool:
    """True if the fishing grounds have the places and numbers of the layout, in any order."""
    grounds, printed = board.fishing_grounds, board.layout.fishing_grounds
    same_places = {frozenset(g.vertices) for g in grounds} == {frozenset(g.vertices) for g in printed}
    return same_places and sorted(g.marker for g in grounds) == sorted(g.marker for g in printed)


def island(folder, words):
    """Five tiles in a frame of sea, drawn."""
    text = ISLAND
    for key, word in ({"b": "~", "c": "~", "d": "~", "e": "~", "m": "o4"} | words).items():
        text = text.replace(f"{{{key}}}     ", word.ljust(8)).replace(f"{{{key}}}", word)
    path = folder / "island.toml"
    path.write_text(f"columns = 4\nboard = '''{text}'''\n", encoding="utf-8")
    return cp.Layout.from_toml(path)


def everything(board):
    """The board with the numbers of its layout at every choice of three vertices in a row."""
    layout = board.layout
    near = layout.vertex_neighbors
    rows = [(a, b, c) for b in range(layout.n_vertices) for a, c in product(near[b], near[b]) if a < c]
    numbers = [ground.marker for ground in layout.fishing_grounds]
    for places in permutations(rows, len(numbers)):
        grounds = [FishingGround(*pair) for pair in zip(places, numbers, strict=True)]
        yield replace(board, fishing_grounds=tuple(grounds))


def bare(board):
    return replace(board, fishing_grounds=())


@pytest.mark.solver
@pytest.mark.parametrize("case", CASES)
def test_four_ways_agree(case, tmp_path):
    words, rules, n = CASES[case]
    layout = island(tmp_path, words)
    listed = list(cp.enumerate_boards(rules, layout))
    assert len(listed) == n == cp.count_boards(rules, layout)
    candidates = [
        board for without_fish in {bare(board) for board in listed} for board in everything(without_fish)
    ]
    assert {board for board in candidates if grounds_lie_well(board)} == {*listed}
    assert {board for board in candidates if not rules.check(board)} == {*listed}
    numbered = [cp.unrank_board(k, rules, layout) for k in range(n)]
    assert {*numbered} == {*listed}
    assert [cp.rank_board(board, rules) for board in numbered] == [*range(n)]


def test_every_deal_is_as_likely(tmp_path):
    layout = island(tmp_path, THREE)
    drawn = Counter(cp.sample_boards(3_600, "open", layout, seed=3))
    assert len(drawn) == 6 and all(500 < n < 700 for n in drawn.values())
    walked = Counter(cp.generate_boards(900, "open", layout, seed=3, method="walk"))
    assert len(walked) == 6 and all(100 < n < 200 for n in walked.values())


@pytest.mark.parametrize(
    ("method", "rules", "n"),
    [
        ("walk", "tournament", 5),
        ("uniform", "open", 5),
        pytest.param("auto", "optimal", 1, marks=pytest.mark.solver),
    ],
)
def test_grounds_change_no_other_samples(method, rules, n):
    layout = cp.LAYOUTS["fishermen-of-catan"]
    without = replace(layout, name="own-fishermen", fishing_grounds=())
    samples = (
        cp.generate_boards(n, rules, one_layout, seed=7, method=method) for one_layout in (layout, without)
    )
    for board, plain in zip(*samples, strict=True):
        for part in ("terrain", "markers", "harbors"):
            assert getattr(board, part) == getattr(plain, part)
        assert grounds_lie_well(board) and not cp.Rules.preset(rules).check(board)


def test_counts_have_grounds_as_factor():
    layout = cp.LAYOUTS["fishermen-of-catan"]
    without = replace(layout, name="own-fishermen", fishing_grounds=())
    assert cp.count_boards("open", layout) == 720 * cp.count_boards("open", without)


# The models are the authority


@pytest.mark.solver
def test_constraint_on_grounds_obeyed(tmp_path):
    layout = island(tmp_path, THREE)
    rules = cp.Rules(constraints=[cp.Constraint("ground[1] = 5")])
    place = layout.ground_places[0]
    listed = list(cp.enumerate_boards(rules, layout))
    all_boards = [cp.unrank_board(k, "open", layout) for k in range(6)]
    expected = {board for board in all_boards if FishingGround(place, 5) in board.fishing_grounds}
    assert {*listed} == expected
    assert [board in expected for board in all_boards[:3]] == [
        not rules.check(board) for board in all_boards[:3]
    ]
    assert cp.count_boards(rules, layout) == len(expected) == 2
    assert cp.generate_board(rules, layout, seed=1) in expected


@pytest.mark.solver
def test_edited_grounds_obeyed(tmp_path):
    layout = island(tmp_path, THREE)
    folder = cp.copy_models(tmp_path / "models")
    with (folder / "grounds.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint forall(g in GROUND)( ground[g] = 5 -> 1 in ground_vertices[g] );\n")
    rules = cp.Rules(models=str(folder))
    expected = {
        board
        for board in cp.enumerate_boards("open", layout)
        if any(ground.marker == 5 and 0 in ground.vertices for ground in board.fishing_grounds)
    }
    assert expected and {*cp.enumerate_boards(rules, layout)} == expected
    assert {*cp.generate_boards(4, rules, layout, seed=1)} <= expected
    all_boards = list(cp.enumerate_boards("open", layout))[:3]
    assert [board in expected for board in all_boards] == [not rules.check(board) for board in all_boards]


@pytest.mark.solver
def test_instance_and_best_board_have_grounds(tmp_path):
    layout = island(tmp_path, THREE)
    instance = cp.board_instance("open", layout)
    board = cp.Board.from_solution(instance.solve(), layout)
    assert grounds_lie_well(board)
    best = cp.best_board("open", layout, minimize="sum(g in GROUND)(g * ground[g])")
    assert best.proven and grounds_lie_well(best.board)
    places = layout.ground_places
    worth = {
        candidate: sum((places.index(g.vertices) + 1) * g.marker for g in candidate.fishing_grounds)
        for candidate in (cp.unrank_board(k, "open", layout) for k in range(6))
    }
    assert best.value == min(worth.values())


@pytest.mark.solver
def test_repairing_keeps_grounds_that_may_stay(tmp_path):
    layout = island(tmp_path, THREE)
    board = cp.unrank_board(4, "open", layout)
    assert cp.repair_board(board, "open").board == board
    first, *rest = board.fishing_grounds
    wrong = replace(board, fishing_grounds=(replace(first, marker=9), *rest))
    repaired = cp.repair_board(wrong, "open").board
    assert repaired.fishing_grounds == board.fishing_grounds


# Boards with grounds


def test_grounds_in_notation():
    board = cp.unrank_board(12_345, "open", "fishermen-of-catan")
    board = replace(board, harbors=board.layout.printed_harbors)
    assert cp.Board.from_notation(board.notation()) == board
    assert ":printed,4-3-17=" in board.notation()
    assert cp.Board.from_json(board.to_json()) == board
    turned = board.moved(3)
    assert turned != board and Counter(g.marker for g in turned.fishing_grounds) == Counter(
        g.marker for g in board.fishing_grounds
    )
    none = bare(board)
    assert "fishing" not in none.to_json() and not OPEN.check(none)
    backwards = [FishingGround(ground.vertices[::-1], ground.marker) for ground in board.fishing_grounds]
    assert replace(board, fishing_grounds=tuple(backwards)) == board


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ("4-3-17", "not a harbor"),
        ("4-3-17=7", "marker of a fishing ground .* must be one of"),
        ("4-3-18=6", "three vertices in a row"),
        ("4-3-17=6,17-3-4=5", "two fishing grounds are at 4-3-17"),
        ("4-3-17=6,4-5", "not a harbor"),
    ],
)
def test_grounds_that_cannot_be_refused(numbers, why):
    rows = cp.LAYOUTS["fishermen-of-catan"].beginner_board.partition("@")[0]
    with pytest.raises(cp.InvalidBoard, match=why):
        cp.Board.from_notation(f"{rows}:{numbers}@fishermen-of-catan")


@pytest.mark.parametrize(
    "value", ["[4]", '[{"vertices": 4, "marker": 6}]', '[{"vertices": [4, 3, 17]}]', "4"]
)
def test_stranger_s_json_checked(value):
    board = cp.Board.from_notation(cp.LAYOUTS["fishermen-of-catan"].beginner_board)
    text = board.to_json()[:-1] + f', "fishing_grounds": {value}}}'
    with pytest.raises(cp.InvalidBoard, match="fishing"):
        cp.Board.from_json(text)


FIRST, SECOND, OTHER = (5, 0, 9), (3, 2, 16), (15, 14, 18)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({FIRST: 4, SECOND: 4}, "do not have the numbers of 'island', 4, 5"),
        ({FIRST: 4}, "do not have the numbers of 'island', 4, 5"),
        ({FIRST: 4, OTHER: 5}, "a fishing ground of 'island' is missing, at vertices 2, 3 and 16"),
    ],
)
def test_check_names_wrong_grounds(tmp_path, numbers, why):
    layout = island(tmp_path, CASES["a harbor"][0])
    grounds = [FishingGround(*pair) for pair in numbers.items()]
    board = cp.Board(layout, ["ore"] * 5, [4] * 5, layout.printed_harbors, grounds)
    assert any(why in violation.text for violation in PRINTED.check(board))
    assert not grounds_lie_well(board)
