"""Expansion: what two roads reach, against games played by hand, with roads as moves and without."""

from __future__ import annotations

import doctest
import json
import random
from fractions import Fraction

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument
from catan_cp.experiments.placement import random_boards
from catan_cp.placement import Draft, Objective, best_moves, judge_draft, solve_placement, spots
from catan_cp.placement.spots import snake
from catan_cp.studies.study import goal_values, read_goal
from tests.placement.test_placement import SMALL, random_board

BOARD = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")


class Hand:
    """Drafts with roads by their definition; of the package it knows the board and what pairs are worth."""

    def __init__(self, board, goals, *, roads_are_moves):
        self.board, self.goals, self.roads_are_moves = board, goals, roads_are_moves
        self.near = board.layout.vertex_neighbors
        self.turns = [player - 1 for player in snake(len(goals))]
        sea = [{board.terrain[t] for t in tiles} == {"sea"} for tiles in board.layout.vertex_tiles]
        self.land = [v for v in range(board.layout.n_vertices) if not sea[v]]
        self.ways = [
            [
                (u, w)
                for u in self.near[v]
                if self.open_road(v, u)
                for w in self.near[u]
                if self.open_road(u, w)
            ]
            for v in range(board.layout.n_vertices)
        ]
        self.worth = {}

    def value(self, p, *spots):
        key = p, frozenset(spots)
        if key not in self.worth:
            self.worth[key] = self.goals[p].value(self.board, spots)
        return self.worth[key]

    def free(self, spots):
        taken = {v for u in spots for v in (u, *self.near[u])}
        return [v for v in self.land if v not in taken]

    def open_road(self, a, b):
        tiles = self.board.layout.edge_tiles[min(a, b), max(a, b)]
        return any(self.board.terrain[t] != "sea" for t in tiles)

    def leads(self, spots, ends):
        n, free = len(self.goals), set(self.free(spots))
        own = []
        for p, goal in enumerate(self.goals):
            mine = [turn for turn, q in enumerate(self.turns) if q == p]
            beyond = [
                self.value(p, w)
                for turn in mine
                for u, w in self.ways[spots[turn]]
                if w in free and ends[turn] in (None, u)
            ]
            pair = self.value(p, *(spots[turn] for turn in mine))
            own.append(pair + goal.expansion * max(beyond, default=Fraction(0)))
        return own, [own[p] - self.goals[p].rivalry * max(own[:p] + own[p + 1 :]) for p in range(n)]

    def play(self, spots, ends):
        turn = len(spots)
        if turn == len(self.turns):
            return spots, *self.leads(spots, ends)
        p = self.turns[turn]
        first = turn < len(self.goals)
        before = () if first else (spots[self.turns.index(p)],)
        tries = sorted(self.free(spots), key=lambda v: (-self.value(p, *before, v), v))
        best = None
        for v in tries:
            for end in self.near[v] if self.roads_are_moves else [None]:
                found = self.play((*spots, v), (*ends, end))
                if found is not None and (best is None or found[2][p] > best[2][p]):
                    best = found
        return best


goals_with = st.builds(
    Objective,
    resources=st.integers(0, 2),
    cards=st.integers(0, 2),
    hit=st.integers(1, 2),
    rivalry=st.sampled_from((0, 0, 0.5, 1)),
    expansion=st.sampled_from((0, Fraction(1, 10), 0.5, 1)),
)


def draft_begun(board, players, seed, rest):
    rng, placed = random.Random(seed), []
    for player in snake(players)[: 2 * players - rest]:
        near = {u for _, v in placed for u in (v, *board.layout.vertex_neighbors[v])}
        free = [v for v in spots.free_vertices(board, ()) if v not in near]
        if not free:
            return None
        placed.append((player, rng.choice(free)))
    return placed


@settings(max_examples=6, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.sampled_from((2, 3)), st.data())
def test_equals_the_draft_played_by_hand(layout, seed, players, data):
    board = random_board(layout, seed)
    goals = data.draw(st.lists(goals_with, min_size=players, max_size=players))
    placed = draft_begun(board, players, seed, 3 if layout.n_vertices > 16 else 4)
    if placed is None:
        return
    hand = Hand(board, goals, roads_are_moves=False)
    expected = hand.play(tuple(v for _, v in placed), (None,) * len(placed))
    if expected is not None:
        found = solve_placement(board, players, goals, placed=placed)
        assert tuple(v for _, v in found.order) == expected[0]
        assert found.values == pytest.approx([float(value) for value in expected[1]])
        assert found.leads == pytest.approx([float(lead) for lead in expected[2]])


@pytest.mark.parametrize("seed", [0, 1])
def test_without_rivalry_roads_that_follow_are_roads_as_moves(seed):
    board = random_board(SMALL[seed % len(SMALL)], seed)
    goals = [Objective(expansion=Fraction(1, 2)), Objective(1, 2, 1, expansion=1)]
    placed = draft_begun(board, 2, seed, 3)
    expected = Hand(board, goals, roads_are_moves=True).play((placed[0][1],), (None,))
    found = solve_placement(board, 2, goals, placed=placed)
    assert (tuple(v for _, v in found.order), found.values) == (
        expected[0],
        pytest.approx([float(value) for value in expected[1]]),
    )


def test_a_whole_board_with_bounds_and_by_hand():
    for rivalry in (0, 1):
        goals = Objective(rivalry=rivalry, expansion=0.3)
        placed = [(1, 33), (2, 14)]
        found = solve_placement(BOARD, 2, goals, placed=placed)
        course, values, _ = Hand(BOARD, [goals] * 2, roads_are_moves=False).play((33, 14), (None, None))
        assert tuple(v for _, v in found.order) == course
        assert found.values == pytest.approx([float(value) for value in values])


def test_expansion_moves_players():
    without, with_it = (solve_placement(BOARD, 4, Objective(expansion=e)) for e in (0, 0.1))
    assert without.order != with_it.order
    assert without.roads == (None,) * 8
    taken = [v for _, v in with_it.order]
    for (player, vertex), road in zip(with_it.order, with_it.roads, strict=True):
        assert road in BOARD.layout.vertex_neighbors[vertex]
        way = spots.best_way(BOARD, with_it.objectives[0], vertex, taken)
        assert way.road == road
        assert with_it.parts[player - 1]["expansion"] >= float(way.value)
    said = json.loads(with_it.to_json())
    assert said["roads"] == list(with_it.roads)
    assert said["players"][0]["expansion"] == 0.1
    assert f"{with_it.order[0][1]} towards {with_it.roads[0]}" in str(with_it)
    assert Draft.from_text(str(Draft.of(with_it))) == Draft(with_it.order, with_it.roads)


def test_a_road_that_lies_leads_nowhere_else():
    goal = Objective(expansion=1)
    free = solve_placement(BOARD, 2, goal, placed=[(1, 33), (2, 14), (2, 20)])
    ends = BOARD.layout.vertex_neighbors[33]
    fixed = [solve_placement(BOARD, 2, goal, placed=[(1, 33, u), (2, 14), (2, 20)]) for u in ends]
    assert max(found.values[0] for found in fixed) == pytest.approx(free.values[0])
    assert min(found.values[0] for found in fixed) < free.values[0]
    assert [found.roads[:3] for found in fixed] == [(u, None, None) for u in ends]


def test_best_moves_and_verdicts_know_roads():
    goal = Objective(expansion=1)
    moves = best_moves(BOARD, [(1, 33)], 3, 2, goal)
    assert moves[0].road == moves[0].placement.roads[1]
    assert moves[0].road in BOARD.layout.vertex_neighbors[moves[0].vertex]
    assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)
    begun = "1:33-24,2:14,2:20,1:25"
    lost = [judge_draft(BOARD, f"{begun}-{road}", 2, goal)[3].regret for road in (15, 26, 30)]
    assert min(lost) == judge_draft(BOARD, begun, 2, goal)[3].regret < max(lost)


def test_players_who_err_expand():
    board, goal = random_boards(1, seed=4)[0], Objective(1, 2, 3, expansion=0.37)
    perfect = solve_placement(board, 2, goal)
    assert not perfect.tied
    found = solve_placement(board, 2, goal, [None, 1e7])
    assert found.expected == pytest.approx(perfect.values, abs=1e-4)


def test_ways_are_paths_of_two_roads():
    near = BOARD.layout.vertex_neighbors
    for v, found in enumerate(spots.ways(BOARD)):
        assert sorted(found) == sorted((u, w) for u in near[v] for w in near[u] if w != v)
    small = random_board(SMALL[3], 1)
    for v, found in enumerate(spots.ways(small)):
        for u, w in found:
            for a, b in ((v, u), (u, w)):
                sides = small.layout.edge_tiles[min(a, b), max(a, b)]
                assert any(small.terrain[t] != "sea" for t in sides)


def test_arguments_and_stores():
    goal = Objective(1, 2, 3, rivalry=0.3, expansion=0.7)
    assert read_goal(goal_values(goal)) == goal
    assert goal.minds_others
    assert not Objective().minds_others
    with pytest.raises(InvalidArgument, match="expansion"):
        Objective(expansion=-1)
    with pytest.raises(InvalidArgument, match="rivalry and expansion only"):
        solve_placement(BOARD, 2, Objective(expansion=1), method="bounds")
    with pytest.raises(InvalidArgument, match="road from vertex 0"):
        solve_placement(BOARD, 2, placed=[(1, 0, 30)])
    with pytest.raises(InvalidArgument, match="settlement placed is"):
        solve_placement(BOARD, 2, placed=[(1, 0, "1")])


def test_examples_in_docstrings():
    assert doctest.testmod(spots).failed == 0
