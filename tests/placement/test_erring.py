"""Players who err, and verdicts on drafts: limits, exact averages, a plain reading, texts."""

from __future__ import annotations

import json
import random

import pytest

from catan_cp.errors import InvalidArgument
from catan_cp.experiments.placement import random_boards
from catan_cp.placement import Draft, Objective, best_moves, judge_draft, solve_placement
from catan_cp.placement.quantal import expectations, induce
from catan_cp.placement.rivals import Table
from catan_cp.placement.spots import Position, free_vertices
from tests.placement.by_hand import PUBLISHED as BOARD
from tests.placement.by_hand import SEVEN, Hand, random_board


@pytest.mark.parametrize(
    ("players", "erring", "minds"),
    [
        (2, "both", {"rivalry": 1}),
        (2, "first", {}),
        (2, "first", {"expansion": 0.37}),
        (3, "first", {"rivalry": 1}),
        (3, "both", {}),
    ],
)
def test_very_rational_players_are_perfect(players, erring, minds):
    board, goal = random_boards(1, seed=4)[0], Objective(1, 2, 3, **minds)
    perfect = solve_placement(board, players, goal)
    levels = [None] + [1e7] * (players - 1)
    found = solve_placement(board, players, goal, levels, erring=erring, placed=perfect.order[:1])
    assert found.expected == pytest.approx(perfect.values, abs=1e-4)
    assert found.method == ("simulated" if (players, erring) == (3, "both") else "erring")


def test_perfect_players_in_the_whole_tree_are_perfect():
    for players, rivalry, erring in ((2, 1, "both"), (3, 1, "first"), (3, 0, "first")):
        goals = (Objective(rivalry=rivalry),) * players
        placed = ((1, 33),) if erring == "both" else ()
        found = expectations(Table(Position(BOARD, goals, placed)), (None,) * players, erring)
        perfect = solve_placement(BOARD, players, goals, placed=placed)
        assert found.course == [v for _, v in perfect.order]
        assert found.values == pytest.approx(perfect.values)


@pytest.mark.parametrize("levels", [(0, 0), (1.5, 0.5), (None, 2), (3, None)])
@pytest.mark.parametrize("rivalry", [0, 1])
def test_expectations_are_those_of_the_definition(levels, rivalry):
    goals = [Objective(rivalry=rivalry), Objective(0, 2, 1, rivalry=rivalry)]
    rng = random.Random(7)
    board = random_boards(1, seed=9)[0]
    placed = [(1, rng.randrange(54))]
    placed.append((2, rng.choice(free_vertices(board, [placed[0][1]]))))
    spots = tuple(v for _, v in placed)
    hand = Hand(board, goals)
    expected, _ = hand.expected(levels, spots, 4)
    found = solve_placement(board, 2, goals, levels, placed=placed, erring="both")
    assert found.expected == pytest.approx(expected)
    moves = best_moves(board, placed, 3, 2, goals, levels, "both")
    follows = hand.expected(levels, (*spots, moves[0].vertex), 4)
    assert (moves[0].value, moves[0].lead) == pytest.approx((follows[0][1], follows[1][1]))
    assert moves[0].lead >= moves[1].lead >= moves[2].lead


@pytest.fixture(scope="module")
def simulated():
    """Expectations of three players on a small board with one settlement on it, simulated and exact."""
    found = []
    goals = (Objective(1, 2, 3), Objective(), Objective(0, 1, 2))
    for seed, levels in enumerate([(None, 2, 0.5), (0, 0, 0), (3, None, 1), (2, 1, None), (1, 1e7, 1e7)]):
        board = random_board(SEVEN, seed)
        placed = ((1, 5),) if seed == 0 else ((1, 5), (2, 16))
        start = Position(board, goals, placed)
        rough, fine = (induce(Table(start), levels, 3, error) for error in (0.01, 0.002))
        found.append((expectations(Table(start), levels, "both"), rough, fine))
    return found


def test_what_is_simulated_is_as_close_to_the_exact_expectation_as_it_says(simulated):
    inside = 0
    for exact, rough, fine in simulated:
        for one, share in ((rough, 0.01), (fine, 0.002)):
            assert all(e <= share * v for e, v in zip(one.error, one.values, strict=True))
            off = [abs(a - b) for a, b in zip(one.values, exact.values, strict=True)]
            inside += sum(o <= e + 1e-9 for o, e in zip(off, one.error, strict=True))
            assert max(off) < 2 * share * max(exact.values)
            assert {v for v, _, _ in one.options} == {v for v, _, _ in exact.options}
    assert inside >= 27  # of 30, at 95 %
    assert fine.course[:3] == exact.course[:3]  # of the last one, where others are as good as perfect


def test_two_players_are_simulated_without_error():
    levels = [1, 0.5]
    exact = solve_placement(BOARD, 2, None, levels, placed=[(1, 20)], erring="both")
    found = induce(Table(Position(BOARD, exact.objectives, ((1, 20),))), levels, 2, 0.01)
    assert found.values == pytest.approx(exact.expected)
    assert found.error == pytest.approx((0, 0))


def test_three_players_who_err_twice_are_simulated():
    found = solve_placement(BOARD, 3, None, [None, 2, 2], erring="both")
    assert found.method == "simulated"
    assert max(e / v for e, v in zip(found.error, found.expected, strict=True)) <= 0.005
    once = solve_placement(BOARD, 3, None, [None, 2, 2])
    assert found.expected[1] < once.expected[1]
    assert f"± {found.error[0]:.4f}" in str(found)
    assert json.loads(found.to_json())["error"] == list(found.error)
    assert solve_placement(BOARD, 3, None, [None, 2, 2], erring="both").expected == found.expected
    moves = best_moves(BOARD, (), 2, 3, None, [None, 2, 2], "both")
    assert (moves[0].vertex, moves[0].value) == (found.order[0][1], pytest.approx(found.expected[0]))


def test_uniform_first_settlements_are_the_average_over_all_courses():
    board, goal = random_boards(1, seed=3)[0], Objective(rivalry=1)
    placed = [(1, 20)]
    courses = [
        solve_placement(board, 2, goal, placed=[*placed, (2, v)]).values for v in free_vertices(board, [20])
    ]
    found = solve_placement(board, 2, goal, 0, placed=placed)
    averages = [sum(column) / len(courses) for column in zip(*courses, strict=True)]
    assert found.expected == pytest.approx(averages)


def test_the_robust_first_move_is_the_best_against_players_who_err():
    levels = [None, 2, 2]
    moves = best_moves(BOARD, (), 54, 3, None, levels)
    assert len(moves) == 54
    assert moves[0].value == pytest.approx(max(move.value for move in moves))
    whole = solve_placement(BOARD, 3, None, levels)
    assert whole.expected[0] == pytest.approx(moves[0].value)
    assert whole.order[0] == (1, moves[0].vertex)


def test_a_draft_and_its_text():
    text = "1:42-41,2:24,2:7-8,1:50-51"
    draft = Draft.from_text(text)
    assert str(draft) == text
    assert draft.settlements == ((1, 42), (2, 24), (2, 7), (1, 50))
    assert draft.roads == (41, None, 8, 51)
    assert str(Draft.from_text("")) == ""
    assert Draft.from_text(" 1:20, 2:33 - 7").placed == ((1, 20, None), (2, 33, 7))
    for wrong in ("1", "1:", "1:2-", "1:-2", "a:1", "1:2:3", "1:2-3-4", "1:2,,", 5):
        with pytest.raises(InvalidArgument, match=r"PLAYER:VERTEX|a draft is text .* not 5"):
            Draft.from_text(wrong)


def test_perfect_drafts_lose_nothing_and_others_lose_their_regret():
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


@pytest.mark.parametrize(
    ("draft", "says"), [("1:0-30", "road from vertex 0"), (5, "placed is a list"), ([5], "not 5")]
)
def test_what_is_no_draft_is_refused(draft, says):
    with pytest.raises(InvalidArgument, match=says):
        judge_draft(BOARD, draft, 2)
