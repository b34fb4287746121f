"""Expansion: vertices reachable with two roads, against games by hand, with roads as moves and without."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from catan_cp import Objective, best_moves, solve_placement
from catan_cp.placement import Draft, judge_draft, read_objective
from tests.placement.by_hand import PUBLISHED as BOARD
from tests.placement.by_hand import SMALL, Hand, random_board


def agrees(hand, placed, spots):
    """Compare the line of play and its values with a game by hand from *spots*."""
    placement = solve_placement(hand.board, 2, hand.goals, placed=placed)
    course, values, *_ = hand.play(spots)
    assert tuple(v for _, v in placement.order) == course
    assert placement.values == pytest.approx([float(value) for value in values])


@pytest.mark.parametrize("seed", [0, 1])
def test_roads_are_best_moves(seed):
    goals = [Objective(expansion=Fraction(1, 2)), Objective(1, 2, 1, expansion=1)]
    hand = Hand(random_board(SMALL[seed], seed), goals, roads_are_moves=True)
    placed = hand.begun(seed, 3)
    agrees(hand, placed, (placed[0][1],))


@pytest.mark.parametrize("rivalry", [0, 1])
def test_whole_board_by_hand(rivalry):
    agrees(Hand(BOARD, [Objective(rivalry=rivalry, expansion=0.3)] * 2), [(1, 33), (2, 14)], (33, 14))


def test_expansion_moves_players():
    without, with_it = (solve_placement(BOARD, 4, Objective(expansion=e)) for e in (0, 0.1))
    assert without.order != with_it.order
    assert without.roads == (None,) * 8
    vertices, hand = [v for _, v in with_it.order], Hand(BOARD, with_it.objectives)
    for (player, vertex), road in zip(with_it.order, with_it.roads, strict=True):
        reached = hand.reached(player - 1, vertex, vertices)
        most = max(value for _, value in reached)
        assert (road, most) in reached
        assert with_it.parts[player - 1]["expansion"] >= float(most)
    data = json.loads(with_it.to_json())
    assert data["roads"] == list(with_it.roads)
    assert data["players"][0]["expansion"] == 0.1
    assert f"{with_it.order[0][1]} towards {with_it.roads[0]}" in str(with_it)
    assert Draft.from_text(str(Draft.of(with_it))) == Draft(with_it.order, with_it.roads)


def test_missing_road_is_best_road():
    goal = Objective(expansion=0.1)
    placement = solve_placement(BOARD, 3, goal, placed=[(1, 33)])
    reached = Hand(BOARD, [goal] * 3).reached(0, 33, [vertex for _, vertex in placement.order])
    assert (placement.roads[0], max(value for _, value in reached)) in reached
    assert placement.given == 1 and placement.given_roads == (None,)
    fixed = solve_placement(BOARD, 3, goal, placed=[(1, 33, placement.roads[0])])
    assert fixed.roads[0] == placement.roads[0] and fixed.given_roads == (placement.roads[0],)
    assert placement.parts[0]["expansion"] == fixed.parts[0]["expansion"]


def test_placed_road_leads_nowhere_else():
    goal = Objective(expansion=1)
    free = solve_placement(BOARD, 2, goal, placed=[(1, 33), (2, 14), (2, 20)])
    ends = BOARD.layout.vertex_neighbors[33]
    fixed = [solve_placement(BOARD, 2, goal, placed=[(1, 33, u), (2, 14), (2, 20)]) for u in ends]
    assert max(placement.values[0] for placement in fixed) == pytest.approx(free.values[0])
    assert min(placement.values[0] for placement in fixed) < free.values[0]
    assert [placement.given_roads for placement in fixed] == [(u, None, None) for u in ends]
    assert [placement.roads[0] for placement in fixed] == [*ends]


def test_best_moves_and_verdicts_know_roads():
    goal = Objective(expansion=1)
    moves = best_moves(BOARD, [(1, 33)], 3, 2, goal)
    assert moves[0].road == moves[0].placement.roads[1]
    assert moves[0].road in BOARD.layout.vertex_neighbors[moves[0].vertex]
    assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)
    begun = "1:33-24,2:14,2:20,1:25"
    regrets = [judge_draft(BOARD, f"{begun}-{road}", 2, goal)[3].regret for road in (15, 26, 30)]
    assert min(regrets) == judge_draft(BOARD, begun, 2, goal)[3].regret < max(regrets)


def test_rivalry_and_expansion_read():
    goal = replace(Objective.report(), rivalry=Fraction(1, 2), expansion=0.7)
    assert read_objective("", "report", 0.5, 0.7) == goal
    assert goal.minds_others
    assert not Objective().minds_others
