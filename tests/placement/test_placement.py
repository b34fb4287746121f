"""Placement: facts, objectives, questions about alternatives, and methods that agree.

The methods are compared with each other and with a brute-force game.
"""

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catan_cp import (
    Board,
    Harbor,
    InvalidArgument,
    InvalidBoard,
    Layout,
    Objective,
    best_moves,
    solve_placement,
    solve_placements,
    vertex_values,
    win_chances,
)
from catan_cp.placement import METHODS, read_objective

# The exact tables of all searches. Searches show only the largest of their values.
from catan_cp.placement.tables import batch_of, score_pairs
from examples.sources.christenson2025 import METHODS as SEARCHES
from examples.sources.christenson2025 import Search
from tests.brute_force import pips
from tests.placement.by_hand import SMALL, Hand, essence, random_board, small_layout
from tests.properties import few_and_many
from tests.small_boards import CLASSIC

FACTS = json.loads((Path(__file__).parents[1] / "data" / "placement_boards.json").read_text(encoding="utf-8"))
TEN = [Board.from_notation(fact["board"]) for fact in FACTS["boards"]]
GOAL = Objective.published(**FACTS["weights"])
BEGINNER = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
LONG = Objective(0.123456789012345, 2**0.5, 3**-0.5)
LARGE = random_board("base-5-6", 1)
EXACT = ("vectorized", "rivals")


weights = st.one_of(
    st.integers(0, 5), st.floats(0, 2, allow_subnormal=False), st.fractions(0, 2, max_denominator=9)
)
objectives = st.builds(
    Objective,
    resources=st.one_of(st.just(Fraction(1, 2)), st.integers(1, 4)),
    cards=weights,
    hit=weights,
    **{term: st.one_of(st.just(0), weights) for term in ("scarcity", "harbor", "robber", "monopoly", "odds")},
    resources_as=st.sampled_from(("published", "report")),
    cards_as=st.sampled_from(("published", "report")),
)
few = {"resources": st.integers(0, 2), "cards": st.integers(0, 2), "hit": st.integers(1, 2)}
plain_objectives = st.builds(Objective, **few)
rival_objectives = st.builds(
    Objective,
    **few,
    rivalry=st.sampled_from((0, 0.5, 1, Fraction(2, 3), 2)),
    expansion=st.sampled_from((0, 0, 0, Fraction(1, 10), 0.5, 1)),
)


# The facts


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(("board", "fact"), list(zip(TEN, FACTS["boards"], strict=True)))
def test_ten_published_boards(board, fact, method):
    placement = solve_placement(board, FACTS["players"], GOAL, method=method)
    assert [list(pair) for pair in placement.settlements] == fact["settlements"]
    assert placement.values == pytest.approx(fact["values"], abs=1e-6)


@pytest.mark.parametrize(
    ("boards", "players", "goal", "detailed"),
    [
        ([*TEN, LARGE, *TEN[:3], random_board("seafarers-6", 1)], 4, GOAL, range(15)),
        ([*TEN[:3], LARGE], 2, Objective(rivalry=1), range(4)),
        ([random_board("seafarers-10", seed) for seed in range(70)], 2, None, (0, 60, 61, 69)),
    ],
    ids=("layouts", "rivals", "chunks"),
)
def test_batch_equals_single_boards(boards, players, goal, detailed):
    placements = solve_placements(iter(boards), players, goal)
    assert [p.board for p in placements] == boards
    for n in detailed:
        assert essence(placements[n]) == essence(solve_placement(boards[n], players, goal))
    assert [essence(p) for p in solve_placements(boards[::-1], players, goal)] == [
        *map(essence, placements[::-1])
    ]


# Methods that agree


PLACES = [
    *(("base", players) for players in (2, 3, 4)),
    *((name, players) for name in CLASSIC[1:] for players in (2, 3)),
    *(("base-5-6", players) for players in (5, 6)),
]


@few_and_many(6, 60, st.sampled_from(PLACES), st.integers(0, 10**6), st.data())
def test_methods_agree(place, seed, data):
    layout, players = place
    per_player = st.lists(objectives, min_size=players, max_size=players)
    goals = data.draw(st.one_of(plain_objectives, objectives, per_player))  # plain ones have many ties
    board = random_board(layout, seed)
    placement = solve_placement(board, players, goals)
    if players == 2 or (players == 3 and isinstance(goals, Objective)):
        assert essence(solve_placement(board, players, goals, method="rivals")) == essence(placement)
    own_goals = [goals] * players if isinstance(goals, Objective) else goals
    for method in SEARCHES if players == 2 and layout.startswith("base") else ("bounds",):
        assert Search(board, own_goals, method).settlements == placement.settlements
    check_rules_and_values(placement)


def check_rules_and_values(placement):
    layout, players = placement.board.layout, placement.players
    vertices = [v for _, v in placement.order]
    assert len(set(vertices)) == 2 * players
    assert not any(b in layout.vertex_neighbors[a] for a in vertices for b in vertices)
    assert all(any(placement.board.terrain[t] != "sea" for t in layout.vertex_tiles[v]) for v in vertices)
    assert [p for p, _ in placement.order] == [*range(1, players + 1), *range(players, 0, -1)]
    for player, (goal, pair) in enumerate(
        zip(placement.objectives, placement.settlements, strict=True), start=1
    ):
        assert tuple(v for p, v in placement.order if p == player) == pair
        exact = goal.value(placement.board, pair)
        assert placement.values[player - 1] == pytest.approx(float(exact), rel=1e-12)
        parts = placement.parts[player - 1]
        assert sum(float(goal.weights[t]) * parts[t] for t in parts) == pytest.approx(float(exact))


# The game by its definition


def agree_with_play_by_hand(board, goals, placed, methods):
    """Every method finds the line of play, ties, values and leads of the definition.

    If the players do not fit, every method says so.
    """
    expected = Hand(board, goals).play(tuple(v for _, v in placed))
    for method in methods:
        if expected is None:
            with pytest.raises(InvalidBoard, match="no room"):
                solve_placement(board, len(goals), goals, method=method, placed=placed)
        else:
            placement = solve_placement(board, len(goals), goals, method=method, placed=placed)
            course, values, leads, tied = expected
            assert (tuple(v for _, v in placement.order), placement.tied) == (course, tied), method
            assert placement.values == pytest.approx([float(value) for value in values])
            assert placement.leads == pytest.approx([float(lead) for lead in leads])


@few_and_many(
    25,
    100,
    st.sampled_from(SMALL),
    st.integers(0, 10**6),
    st.sampled_from((2, 3)),
    st.sampled_from((objectives, plain_objectives, rival_objectives, rival_objectives)),
    st.data(),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
def test_all_methods_equal_game_by_hand(layout, seed, players, wanted, data):
    goals = data.draw(st.lists(wanted, min_size=players, max_size=players))
    board = random_board(layout, seed)
    rest = data.draw(st.integers(1, 3 if layout.n_vertices > 16 else 4))
    placed = Hand(board, goals).begun(seed, rest)
    if placed is not None:
        minds = any(goal.minds_others for goal in goals)
        agree_with_play_by_hand(board, goals, placed, ("rivals",) if minds else METHODS)


@pytest.mark.parametrize("seed", [0, 1])
def test_tight_games_equal_game_by_hand(seed):  # some play leads nowhere
    goals = [GOAL, Objective(0, 1, 0), Objective.report()]
    agree_with_play_by_hand(random_board(SMALL[0], seed), goals, (), METHODS)


# Objectives


def pair_by_hand(board, spots, resources_as, cards_as):
    """The objective with the weights .5, .3 and .2, in other words."""
    tiles = [t for v in spots for t in board.layout.vertex_tiles[v] if board.markers[t] is not None]
    distinct = len({board.terrain[t] for t in tiles})
    resources = distinct if resources_as == "report" else 2 * distinct + 0.5 * len(tiles)
    cards = sum(pips(board.markers[t]) for t in (tiles if cards_as == "report" else set(tiles))) / 36
    hit = sum(pips(m) for m in {board.markers[t] for t in tiles}) / 36
    return 0.5 * resources + 0.3 * cards + 0.2 * hit


@pytest.mark.parametrize("resources_as", ["published", "report"])
@pytest.mark.parametrize("cards_as", ["published", "report"])
def test_objective_on_every_pair(resources_as, cards_as):
    goal = Objective(0.5, 0.3, 0.2, resources_as=resources_as, cards_as=cards_as)
    for pair in combinations(range(54), 2):
        by_hand = pair_by_hand(TEN[0], pair, resources_as, cards_as)
        assert float(goal.value(TEN[0], pair)) == pytest.approx(by_hand)


def test_further_terms_by_hand():
    # vertices 0, 1 and 2 touch only the first tile and the second or fourth. See the drawing of the layout.
    layout = small_layout((1, 2), ore=2, gold=1)
    board = Board(layout, ["ore", "ore", "gold"], [6, 8, 9], [Harbor((0, 5), "ore")])
    (middle,) = set.intersection(*map(set, layout.tile_vertices))
    for term, vertex, value in (
        ("scarcity", 5, Fraction(36, 10)),
        ("monopoly", 5, Fraction(1, 2)),
        ("monopoly", middle, 1),
        ("robber", middle, Fraction(5 + 5 + 4 - 5, 36)),
        ("harbor", 5, Fraction(5, 36) * Fraction(1, 4)),
        ("harbor", middle, 0),
    ):
        assert Objective(0, 0, 0, **{term: 1}).value(board, (vertex,)) == value, term
    assert Objective.report(1, 0, 0).value(board, (middle,)) == 2  # gold stands for one more terrain
    all_five = small_layout((2, 3, 2), brick=1, grain=1, wool=1, ore=1, lumber=1, gold=2)
    board = Board(all_five, ["brick", "grain", "wool", "ore", "lumber", "gold", "gold"], [4] * 7)
    assert Objective.report(1, 0, 0).value(board, range(all_five.n_vertices)) == 5


def test_weights_are_exact_and_normalised():
    assert Objective(0.5, 0.3, 0.2).weights == {
        "resources": Fraction(1, 2),
        "cards": Fraction(3, 10),
        "hit": Fraction(1, 5),
    }
    assert Objective() == Objective(Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)) == Objective.published()
    assert Objective(2, 2, 2) == Objective()
    assert Objective(1, 2, 1).cards == Fraction(1, 2)


@pytest.mark.parametrize("goal", [LONG, replace(LONG, scarcity=1e-30), replace(LONG, odds=3**0.5)])
def test_weights_beyond_machine_integers(goal):
    placements = [solve_placement(TEN[0], 3, goal, method=method) for method in EXACT]
    assert essence(placements[0]) == essence(placements[1])
    assert Search(TEN[0], [goal] * 3, "bounds").settlements == placements[0].settlements
    check_rules_and_values(placements[0])


def test_vertex_values():
    values = vertex_values(TEN[0], GOAL)
    assert len(values) == 54
    assert values[42] == float(GOAL.value(TEN[0], (42,)))
    sea = random_board("seafarers-10", 3)
    out = [
        v for v, tiles in enumerate(sea.layout.vertex_tiles) if all(sea.terrain[t] == "sea" for t in tiles)
    ]
    assert out
    assert all(vertex_values(sea)[v] == 0 for v in out)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(CLASSIC), st.integers(0, 10**6), objectives, st.data())
def test_tables_equal_definition(layout, seed, goal, data):
    boards = [random_board(layout, seed), random_board(layout, seed + 1)]
    vertices = st.integers(0, boards[0].layout.n_vertices - 1)
    pairs = data.draw(st.lists(st.tuples(vertices, vertices), min_size=20, max_size=20))
    tables_equal_definition(boards, goal, pairs)


def tables_equal_definition(boards, goal, pairs):
    """Compare the scores of these pairs with exact values, or their order if they have no common unit."""
    scores, n_pairs = score_pairs(batch_of(boards), goal), 0
    for number, board in enumerate(boards):
        ranked = {}
        for a, b in pairs:
            score, exact = int(scores.pairs[number, a, b]), goal.value(board, (a, b))
            if score < 0:  # one rules the other out
                continue
            ranked[score] = exact
            n_pairs += 1
            if scores.scale is not None:
                unit = scores.scale[number]
                assert Fraction(score, unit) == exact
                assert Fraction(int(scores.singles[number, a]), unit) == goal.value(board, (a,))
        assert [ranked[score] for score in sorted(ranked)] == sorted(set(ranked.values()))
    return n_pairs


def test_tables_of_six_numbers():
    """Such pairs are rare among pairs at random."""

    def numbers(pair):
        return {BEGINNER.markers[t] for v in pair for t in BEGINNER.layout.vertex_tiles[v]} - {None}

    pairs = [pair for pair in combinations(range(54), 2) if len(numbers(pair)) == 6]
    assert tables_equal_definition([BEGINNER], GOAL, pairs) > 20


def test_text_to_objective():
    assert read_objective() == Objective()
    assert read_objective("0.5, 0.3,1/5", "report") == Objective.report(0.5, 0.3, 0.2)
    assert read_objective("harbor=1, hit=2") == Objective(0, 0, 2, harbor=1)


# What if


@pytest.mark.parametrize(
    ("method", "goal"), [*((method, GOAL) for method in METHODS), ("rivals", Objective(rivalry=1))]
)
def test_perfect_play_continues_as_planned(method, goal):
    whole = solve_placement(TEN[3], 3, goal)
    for count in range(7):
        again = solve_placement(TEN[3], 3, goal, method=method, placed=whole.order[:count])
        assert (again.order, again.values) == (whole.order, whole.values)
    assert not again.tied  # nothing was left to choose


@settings(max_examples=16, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 7), st.booleans())
def test_best_moves_rank_what_follows(seed, players, done, is_rival):
    players = min(players, 3) if is_rival else players
    board, goal = random_board("base", seed), Objective(rivalry=1) if is_rival else GOAL
    hand = Hand(board, [goal] * players)
    placed = hand.begun(seed, 2 * players - min(done, 2 * players - 1))
    moves = best_moves(board, placed, 54, players, goal)
    assert sorted(move.vertex for move in moves) == hand.free([v for _, v in placed])
    assert moves[0].placement.order == solve_placement(board, players, goal, placed=placed).order
    assert [move.lead for move in moves] == sorted((move.lead for move in moves), reverse=True)
    for move in (moves[0], moves[-1]):
        after, seat = [*placed, (move.player, move.vertex)], move.player - 1
        follows = solve_placement(board, players, goal, method="rivals", placed=after)
        n = 3 if is_rival else 4  # ties are not searched after moves of rivals
        assert essence(move.placement)[:n] == essence(follows)[:n]
        assert (move.value, move.lead) == pytest.approx((follows.values[seat], follows.leads[seat]))
    assert best_moves(board, placed, 2, players, goal) == moves[:2]


# Words and numbers


def test_json_and_text_say_same():
    placement = solve_placement(TEN[0], 4, GOAL)
    value = json.loads(placement.to_json())
    assert value["board"] == TEN[0].notation()
    assert [tuple(player["settlements"]) for player in value["players"]] == list(placement.settlements)
    assert value["players"][0]["weights"] == FACTS["weights"]
    assert value["calls"] == placement.nodes > 0
    assert (
        placement.board.notation() in repr(placement) and len(repr(placement)) < 300
    )  # it was pages of fractions
    chance = win_chances(placement.board, placement.settlements)[0]
    assert f" (31): chance {chance:.0%}, worth 6.7667" in str(placement)
    assert "chances are those of this opening" in str(placement) and placement.chances[0] == chance
    assert "ore 3, brick 5, grain 6 (42)" in str(solve_placement(BEGINNER))
    assert placement.seconds > 0
    placement = solve_placement(TEN[0], 3, Objective(rivalry=1))
    assert placement.nodes and placement.cut
    line = rf"rivals: {placement.nodes:,} positions in .* ms, {placement.cut:,} cut by bounds$"
    assert re.search(line, str(placement))


# Bad input


def test_no_room():
    tile = Board(small_layout((1,), ore=1), ["ore"], [6])
    for method in METHODS:
        with pytest.raises(InvalidBoard, match="no room"):
            solve_placement(tile, 2, method=method)
    with pytest.raises(InvalidBoard, match="no room"):
        solve_placements([TEN[0], tile], 2)
    with pytest.raises(InvalidBoard, match="no room"):
        best_moves(tile, [], 1, 2, GOAL)


@pytest.mark.parametrize("method", METHODS)
def test_later_players_keep_vertices(method):
    layout = Layout("island", (4, 3), {"sea": 5, "lumber": 1, "grain": 1}, {})
    board = Board.from_notation("ssl5g5/sss", layout)
    goal, placed = Objective(0, 0, 0, robber=1), [(1, 11)]
    agree_with_play_by_hand(board, [goal, goal], placed, [method])
    placement = solve_placement(board, 2, goal, placed=placed)
    assert best_moves(board, placed, 1, 2, goal)[0].placement.order == placement.order


def test_no_move_after_last_settlement():
    with pytest.raises(InvalidArgument, match="no next move"):
        best_moves(TEN[0], solve_placement(TEN[0], 2).order, 1, 2)
