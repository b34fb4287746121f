"""Players who err, and verdicts on drafts: limits, exact averages, a plain reading, texts."""

import pytest

from catan_cp import Board, InvalidArgument, Objective, best_moves, solve_placement
from catan_cp.placement import Draft, judge_draft
from tests.placement.by_hand import PUBLISHED as BOARD
from tests.placement.by_hand import SEVEN, Hand, random_board


@pytest.mark.parametrize(
    ("players", "minds"), [(2, {"rivalry": 1}), (2, {}), (2, {"expansion": 0.37}), (3, {"rivalry": 1})]
)
def test_very_rational_players_are_perfect(players, minds):
    # Players who err choose at random among ties. This board has none on the line of play.
    board = Board.from_notation("g6w5b2/o10l8b9b4/l9dg4w3g10/l12w5w11o11/o6g3l8")
    goal = Objective(1, 2, 3, **minds)
    perfect = solve_placement(board, players, goal)
    levels = [None] + [1e7] * (players - 1)
    placement = solve_placement(board, players, goal, levels, placed=perfect.order[:1])
    assert placement.expected == pytest.approx(perfect.values, abs=1e-4)
    assert placement.method == "erring"


SHARED = [Objective(1, 2, 3), Objective(rivalry=1), Objective(0, 1, 2)]


@pytest.mark.parametrize(
    ("goals", "levels", "placed"),
    [
        *(
            ([Objective(rivalry=rivalry), Objective(0, 2, 1, rivalry=rivalry)], levels, [(1, 7)])
            for rivalry in (0, 1)
            for levels in ((0, 0), (1.5, 0.5), (None, 2), (3, None))
        ),
        (SHARED, (None, 2, 0.5), [(1, 5), (2, 16)]),
        (SHARED, (2, 1, 0), [(1, 5), (2, 16)]),
        pytest.param(SHARED, (3, None, 1), [(1, 5)], marks=pytest.mark.slow),
    ],
)
def test_expectations_are_those_of_definition(goals, levels, placed):
    players, board = len(goals), random_board(SEVEN, 3)
    hand, spots = Hand(board, goals), tuple(v for _, v in placed)
    expected, _ = hand.expected(levels, spots, players)
    placement = solve_placement(board, players, goals, levels, placed=placed)
    assert placement.expected == pytest.approx(expected)
    moves = best_moves(board, placed, 3, players, goals, levels)
    seat = len(placed)
    values, leads = hand.expected(levels, (*spots, moves[0].vertex), players)
    assert (moves[0].value, moves[0].lead) == pytest.approx((values[seat], leads[seat]))
    assert moves[0].lead >= moves[1].lead >= moves[2].lead


def test_uniform_first_settlements_are_averages():
    goal, placed = Objective(rivalry=1), [(1, 20)]
    courses = [
        solve_placement(BOARD, 2, goal, placed=[*placed, (2, v)]).values
        for v in Hand(BOARD, [goal] * 2).free([20])
    ]
    placement = solve_placement(BOARD, 2, goal, 0, placed=placed)
    averages = [sum(column) / len(courses) for column in zip(*courses, strict=True)]
    assert placement.expected == pytest.approx(averages)


def test_robust_first_move():
    levels = [None, 2, 2]
    moves = best_moves(BOARD, (), 54, 3, None, levels)
    assert len(moves) == 54
    assert moves[0].value == pytest.approx(max(move.value for move in moves))
    whole = solve_placement(BOARD, 3, None, levels)
    assert whole.expected[0] == pytest.approx(moves[0].value)
    assert whole.order[0] == (1, moves[0].vertex)


def test_draft_and_its_text():
    text = "1:42-41,2:24,2:7-8,1:50-51"
    draft = Draft.from_text(text)
    assert str(draft) == text
    assert draft.settlements == ((1, 42), (2, 24), (2, 7), (1, 50))
    assert draft.roads == (41, None, 8, 51)
    assert str(Draft.from_text("")) == ""
    assert Draft.from_text(" 1:20, 2:33 - 7").placed == ((1, 20, None), (2, 33, 7))
    for wrong in ("1", "1:", "1:2-", "1:-2", "a:1", "1:2:3", "1:2-3-4", "1:2,,", 5):
        with pytest.raises(InvalidArgument, match=r"PLAYER:VERTEX|text must be a draft .* not 5"):
            Draft.from_text(wrong)


def test_lost_value_is_regret():
    perfect = solve_placement(BOARD, 3)
    assert [v.regret for v in judge_draft(BOARD, perfect.order, 3)] == [0] * 6
    rivals = solve_placement(BOARD, 3, Objective(rivalry=1))
    assert [v.lead_regret for v in judge_draft(BOARD, rivals.order, 3)] == [0] * 6
    verdict = judge_draft(BOARD, f"1:0-{BOARD.layout.vertex_neighbors[0][0]}", 2)[0]
    best, worst = solve_placement(BOARD, 2), solve_placement(BOARD, 2, placed=[(1, 0)])
    assert verdict.regret == pytest.approx(best.values[0] - worst.values[0])
    assert verdict.regret > 0
    assert verdict.best == best.order[0][1]
    assert "player 1 on vertex 0: lost" in str(verdict)
