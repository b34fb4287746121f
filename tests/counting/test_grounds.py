"""Fishing grounds: models, samples and notation. `tests.agreement` compares them with brute force."""

from collections import Counter
from dataclasses import replace

import pytest

import catan_cp as cp
from tests.brute_force import FishingGround

LAYOUT = cp.Layout(
    *("island", (1, 2), {"ore": 2, "wool": 1}, {6: 2, 8: 1}),
    fishing_grounds=tuple(
        FishingGround(*ground) for ground in (((5, 0, 1), 4), ((8, 9, 3), 5), ((6, 12, 11), 6))
    ),
)
FISHERMEN = cp.LAYOUTS["fishermen-of-catan"]


def grounds_lie_well(board) -> bool:
    """True if the fishing grounds have the places and numbers of the layout, in any order."""
    grounds, printed = board.fishing_grounds, board.layout.fishing_grounds
    same_places = {frozenset(g.vertices) for g in grounds} == {frozenset(g.vertices) for g in printed}
    return same_places and sorted(g.marker for g in grounds) == sorted(g.marker for g in printed)


@pytest.mark.parametrize(("method", "rules", "n"), [("walk", "tournament", 5), ("uniform", "open", 5)])
def test_grounds_change_no_other_samples(method, rules, n):
    without = replace(FISHERMEN, name="own-fishermen", fishing_grounds=())
    samples = (cp.generate_boards(n, rules, layout, seed=7, method=method) for layout in (FISHERMEN, without))
    for board, plain in zip(*samples, strict=True):
        for part in ("terrain", "markers", "harbors"):
            assert getattr(board, part) == getattr(plain, part)
        assert grounds_lie_well(board) and not cp.Rules.preset(rules).check(board)


# The models are the authority


@pytest.mark.solver
def test_edited_grounds_obeyed(tmp_path):
    folder = cp.copy_models(tmp_path / "models")
    with (folder / "grounds.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint forall(g in GROUND)( ground[g] = 5 -> 1 in ground_vertices[g] );\n")
    rules = cp.Rules(models=str(folder))
    boards = [*cp.enumerate_boards("open", LAYOUT)]
    allowed = {board for board in boards if (0 in place_of(board, 5))}
    assert len(boards) == 3 * len(allowed) and {*cp.enumerate_boards(rules, LAYOUT)} == allowed
    assert {*cp.generate_boards(4, rules, LAYOUT, seed=1)} <= allowed
    for board in (boards[0], boards[-1]):
        assert (board in allowed) == (not rules.check(board))


def place_of(board, marker):
    return next(ground.vertices for ground in board.fishing_grounds if ground.marker == marker)


@pytest.mark.solver
def test_instance_and_best_board_have_grounds():
    assert grounds_lie_well(cp.Board.from_solution(cp.board_instance("open", LAYOUT).solve(), LAYOUT))
    best = cp.best_board("open", LAYOUT, minimize="sum(g in GROUND)(g * ground[g])")
    assert best.proven and grounds_lie_well(best.board)
    assert best.value == 1 * 6 + 2 * 5 + 3 * 4


@pytest.mark.solver
def test_repair_keeps_grounds():
    board = cp.unrank_board(4, "open", LAYOUT)
    first, *rest = board.fishing_grounds
    wrong = replace(board, fishing_grounds=(replace(first, marker=9), *rest))
    assert cp.repair_board(wrong, "open").board.fishing_grounds == board.fishing_grounds


# Boards with grounds


def test_grounds_in_notation():
    board = cp.unrank_board(12_345, "open", FISHERMEN)
    board = replace(board, harbors=board.layout.printed_harbors)
    assert cp.Board.from_notation(board.notation()) == board
    assert ":printed,4-3-17=" in board.notation()
    assert cp.Board.from_json(board.to_json()) == board
    turned = board.moved(3)
    assert turned != board and Counter(g.marker for g in turned.fishing_grounds) == Counter(
        g.marker for g in board.fishing_grounds
    )
    none = replace(board, fishing_grounds=())
    assert "fishing" not in none.to_json() and not cp.Rules().check(none)
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
def test_rejects_impossible_grounds(numbers, why):
    rows = FISHERMEN.beginner_board.partition("@")[0]
    with pytest.raises(cp.InvalidBoard, match=why):
        cp.Board.from_notation(f"{rows}:{numbers}@fishermen-of-catan")


@pytest.mark.parametrize(
    "value", ["[4]", '[{"vertices": 4, "marker": 6}]', '[{"vertices": [4, 3, 17]}]', "4"]
)
def test_rejects_grounds_in_json(value):
    board = cp.Board.from_notation(FISHERMEN.beginner_board)
    text = board.to_json()[:-1] + f', "fishing_grounds": {value}}}'
    with pytest.raises(cp.InvalidBoard, match="fishing"):
        cp.Board.from_json(text)


FIRST, SECOND, OTHER = (5, 0, 1), (8, 9, 3), (4, 3, 9)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({FIRST: 4, SECOND: 4}, "do not have the numbers of 'two', 4, 5"),
        ({FIRST: 4}, "do not have the numbers of 'two', 4, 5"),
        ({FIRST: 4, OTHER: 5}, "a fishing ground of 'two' is missing, at vertices 3, 8 and 9"),
    ],
)
def test_check_names_wrong_grounds(numbers, why):
    layout = replace(LAYOUT, name="two", fishing_grounds=LAYOUT.fishing_grounds[:2])
    grounds = [FishingGround(*pair) for pair in numbers.items()]
    board = cp.Board(layout, ["ore", "ore", "wool"], [6, 6, 8], (), grounds)
    assert any(why in violation.text for violation in cp.Rules().check(board))
    assert not grounds_lie_well(board)
