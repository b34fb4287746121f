"""Placement: facts, methods that agree with each other and with a brute-force game, objectives, what-if."""

from __future__ import annotations

import doctest
import json
import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catan_cp.boards.board import Board
from catan_cp.boards.layout import CLASSIC, Harbor, Layout
from catan_cp.boards.pieces import MARKERS, pips
from catan_cp.errors import InvalidArgument, InvalidBoard
from catan_cp.experiments.placement import table
from catan_cp.placement import (
    METHODS,
    Draft,
    Objective,
    Placement,
    best_moves,
    find_equilibria,
    judge_draft,
    objective,
    read_objective,
    rivals,
    solve_placement,
    solve_placements,
    spots,
    vertex_values,
    win_chances,
)
from catan_cp.placement.game import solve_by_method
from catan_cp.placement.plain import SEARCHES
from catan_cp.placement.spots import checked_position, corner_name
from catan_cp.placement.tables import batch_of, score_pairs
from tests.placement.by_hand import SMALL, Hand, random_board, small_layout

FACTS = json.loads((Path(__file__).parents[1] / "data" / "placement_boards.json").read_text(encoding="utf-8"))
TEN = [Board.from_notation(fact["board"]) for fact in FACTS["boards"]]
GOAL = Objective.published(**FACTS["weights"])
LONG = Objective(0.123456789012345, 2**0.5, 3**-0.5)
LARGE = random_board("base-5-6", 1)
OUT_AT_SEA = Board(small_layout((3,), sea=2, ore=1), ["sea", "sea", "ore"], [None, None, 6])
QUICK = ("bounds", "vectorized")
EVERY = (*METHODS, *SEARCHES[:2])


def solve(board: Board, players: int, goals, method: str, placed=()) -> Placement:
    """By a method of the library, or by one of the report's that its experiment alone uses."""
    if method in METHODS:
        return solve_placement(board, players, goals, method=method, placed=placed)
    return solve_by_method(checked_position(board, players, goals, placed), method)


weights = st.one_of(
    st.integers(0, 5), st.floats(0, 2, allow_subnormal=False), st.fractions(0, 2, max_denominator=9)
)
objectives = st.builds(
    Objective,
    resources=st.one_of(st.just(Fraction(1, 2)), st.integers(1, 4)),
    cards=weights,
    hit=weights,
    **{term: st.one_of(st.just(0), weights) for term in objective.TERMS[3:]},
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


def essence(placement):
    return placement.settlements, placement.order, placement.values, placement.tied


# The facts


@pytest.mark.parametrize("method", QUICK)
@pytest.mark.parametrize(("board", "fact"), list(zip(TEN, FACTS["boards"], strict=True)))
def test_ten_published_boards(board, fact, method):
    found = solve_placement(board, FACTS["players"], GOAL, method=method)
    assert [list(pair) for pair in found.settlements] == fact["settlements"]
    assert found.values == pytest.approx(fact["values"], abs=1e-6)
    assert method != "bounds" or found.nodes <= fact["reference_nodes"]


@pytest.mark.slow
def test_plain_tree_and_memory_take_the_published_calls():
    plain = solve(TEN[0], 4, GOAL, "feasibility")
    memo = solve(TEN[0], 4, GOAL, "memo")
    assert plain.nodes == 5_634_937
    assert memo.nodes == 983_839
    assert memo.counters.hits + memo.counters.misses == memo.nodes
    assert essence(plain) == essence(memo) == essence(solve_placement(TEN[0], 4, GOAL))


def published_board(seed: int) -> Board:
    """The published program's board: its pieces, in its order, shuffled by Python's generator."""
    rng = random.Random(seed)
    terrain, markers = list("llllbbbggggooowwwwd"), [m for m in MARKERS for _ in range(1 + (2 < m < 12))]
    rng.shuffle(terrain)
    rng.shuffle(markers)
    drawn = iter(markers)
    tiles = iter([letter if letter == "d" else f"{letter}{next(drawn)}" for letter in terrain])
    return Board.from_notation("/".join("".join(next(tiles) for _ in range(n)) for n in (3, 4, 5, 4, 3)))


def test_thirty_published_boards():
    """The report's boards are those of its program's seeds 0 to 29; its own counts stand beside them."""
    theirs = [fact["reference_nodes"] for fact in FACTS["thirty"]]
    assert (round(sum(theirs) / 30, 2), min(theirs), max(theirs)) == (568.93, 65, 1195)
    assert [published_board(fact["seed"]) for fact in FACTS["boards"]] == TEN
    thirty = [published_board(seed) for seed in range(30)]
    assert thirty == [Board.from_notation(fact["board"]) for fact in FACTS["thirty"]]
    found = solve_placements(thirty, 4, GOAL)
    bounds = [solve_placement(board, 4, GOAL, method="bounds") for board in thirty]
    assert [essence(p) for p in found] == [essence(p) for p in bounds]
    assert all(p.nodes <= calls for p, calls in zip(bounds, theirs, strict=True))
    assert round(sum(p.nodes for p in bounds) / 30) == 123
    rates = [p.counters.pruning_rate for p in bounds]
    assert 0.8 < min(rates) <= max(rates) < 1
    assert all(p.counters.hits + p.counters.misses == p.nodes for p in bounds)
    assert all(p.counters.hit_rate == p.counters.hits / p.nodes for p in bounds)


@pytest.mark.parametrize(
    ("boards", "players", "goal", "shown"),
    [
        ([*TEN, LARGE, *TEN[:3], random_board("seafarers-6", 1)], 4, GOAL, range(15)),
        ([*TEN[:3], LARGE], 2, Objective(rivalry=1), range(4)),
        ([random_board("seafarers-10", seed) for seed in range(70)], 2, None, (0, 60, 61, 69)),
    ],
    ids=("layouts", "rivals", "chunks"),
)
def test_a_batch_is_its_boards_one_by_one(boards, players, goal, shown):
    found = solve_placements(iter(boards), players, goal)
    assert [p.board for p in found] == boards
    for n in shown:
        assert essence(found[n]) == essence(solve_placement(boards[n], players, goal))
    assert [essence(p) for p in solve_placements(boards[::-1], players, goal)] == [*map(essence, found[::-1])]


# Methods that agree


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(CLASSIC), st.integers(0, 10**6), st.integers(2, 4), st.data())
def test_methods_agree(layout, seed, players, data):
    goals = data.draw(st.one_of(objectives, st.lists(objectives, min_size=players, max_size=players)))
    board = random_board(layout, seed)
    found = solve_placement(board, players, goals)
    methods = EVERY if players == 2 and layout.startswith("base") else QUICK
    for method in methods:
        assert essence(solve(board, players, goals, method)) == essence(found)
    check_rules_and_values(found)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), plain_objectives)
def test_methods_agree_where_much_is_tied(seed, players, goal):
    board = random_board("base", seed)
    assert essence(solve_placement(board, players, goal, method="bounds")) == essence(
        solve_placement(board, players, goal)
    )


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from((5, 6)), objectives)
def test_methods_agree_for_many_players(seed, players, goal):
    board = random_board("base-5-6", seed)
    bounds = solve_placement(board, players, goal, method="bounds")
    assert essence(bounds) == essence(solve_placement(board, players, goal))
    check_rules_and_values(bounds)


def check_rules_and_values(placement):
    layout, players = placement.board.layout, placement.players
    taken = [v for _, v in placement.order]
    assert len(set(taken)) == 2 * players
    assert not any(b in layout.vertex_neighbors[a] for a in taken for b in taken)
    assert all(any(placement.board.terrain[t] != "sea" for t in layout.vertex_tiles[v]) for v in taken)
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
    """Every method finds what the definition has: course, ties, values, leads; or no room, as there."""
    expected = Hand(board, goals).play(tuple(v for _, v in placed))
    for method in methods:
        if expected is None:
            with pytest.raises(InvalidBoard, match="no room"):
                solve(board, len(goals), goals, method, placed)
        else:
            found = solve(board, len(goals), goals, method, placed)
            course, values, leads, tied = expected
            assert (tuple(v for _, v in found.order), found.tied) == (course, tied), method
            assert found.values == pytest.approx([float(value) for value in values])
            assert found.leads == pytest.approx([float(lead) for lead in leads])


@settings(max_examples=50, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(
    st.sampled_from(SMALL),
    st.integers(0, 10**6),
    st.sampled_from((2, 3)),
    st.sampled_from((objectives, plain_objectives, rival_objectives, rival_objectives)),
    st.data(),
)
def test_all_methods_equal_the_game_by_hand(layout, seed, players, wanted, data):
    goals = data.draw(st.lists(wanted, min_size=players, max_size=players))
    board = random_board(layout, seed)
    rest = data.draw(st.integers(1, 3 if layout.n_vertices > 16 else 4))
    placed = Hand(board, goals).begun(seed, rest)
    if placed is not None:
        minds = any(goal.minds_others for goal in goals)
        agree_with_play_by_hand(board, goals, placed, ("rivals",) if minds else EVERY)


@pytest.mark.parametrize(("layout", "seeds"), [(SMALL[0], 4), (SMALL[4], 1)])
def test_three_players_equal_the_game_by_hand(layout, seeds):  # so tight that some play leads nowhere
    for seed in range(seeds):
        goals = [GOAL, Objective(0, 1, 0), Objective.report()]
        agree_with_play_by_hand(random_board(layout, seed), goals, (), EVERY)


# Objectives


def pair_by_hand(board, a, b):
    """The published program's objective, in other words; the weights are a half, .3 and .2."""
    tiles = [[t for t in board.layout.vertex_tiles[v] if board.markers[t] is not None] for v in (a, b)]
    both = tiles[0] + tiles[1]
    resources = 2 * len({board.terrain[t] for t in both}) + 0.5 * len(both)
    cards = sum(pips(board.markers[t]) for t in set(both)) / 36
    hit = sum(pips(m) for m in {board.markers[t] for t in both}) / 36
    return 0.5 * resources + 0.3 * cards + 0.2 * hit


def test_published_objective_on_every_pair():
    board = TEN[0]
    for a in range(54):
        for b in range(a):
            assert float(GOAL.value(board, (a, b))) == pytest.approx(pair_by_hand(board, a, b))


def test_report_objective_counts_a_shared_tile_twice_and_terrains_once():
    board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
    tile = board.layout.tile_vertices[4]  # the brick with a 6
    across = (tile[0], tile[3])
    mine = [t for v in across for t in board.layout.vertex_tiles[v] if board.markers[t] is not None]
    goal = Objective.report(0, 1, 0)
    assert goal.value(board, across) == Fraction(sum(pips(board.markers[t]) for t in mine), 36)
    assert goal.value(board, across) - Objective.published(0, 1, 0).value(board, across) == Fraction(5, 36)
    assert Objective.report(1, 0, 0).value(board, across) == len({board.terrain[t] for t in mine})


def test_parts_can_be_chosen_one_by_one():
    mixed = Objective(1, 1, 0, resources_as="report", cards_as="published")
    parts = mixed.parts(TEN[0], (42, 31))
    assert parts["resources"] == Objective.report(1, 0, 0).value(TEN[0], (42, 31))
    assert parts["cards"] == Objective.published(0, 1, 0).value(TEN[0], (42, 31))


def test_further_terms_by_hand():
    # vertices 0, 1 and 2 touch only the first tile and the second or fourth; see the layout's drawing
    board = Board(
        small_layout((1, 2), ore=2, gold=1),
        ["ore", "ore", "gold"],
        [6, 8, 9],
        [Harbor((0, 5), "ore")],
    )
    shared = (
        set(board.layout.tile_vertices[0])
        & set(board.layout.tile_vertices[1])
        & set(board.layout.tile_vertices[2])
    )
    middle = shared.pop()
    assert Objective(0, 0, 0, scarcity=1).value(board, (5,)) == Fraction(36, 10)
    assert Objective(0, 0, 0, monopoly=1).value(board, (5,)) == Fraction(1, 2)
    assert Objective(0, 0, 0, monopoly=1).value(board, (middle,)) == 1
    assert Objective(0, 0, 0, robber=1).value(board, (middle,)) == Fraction(5 + 5 + 4 - 5, 36)
    assert Objective(0, 0, 0, harbor=1).value(board, (5,)) == Fraction(5, 36) * Fraction(1, 4)
    assert Objective(0, 0, 0, harbor=1).value(board, (middle,)) == 0
    assert Objective.report(1, 0, 0).value(board, (middle,)) == 2  # gold stands for one more terrain


def test_gold_adds_nothing_to_five_resources():
    layout = small_layout((2, 3, 2), brick=1, grain=1, wool=1, ore=1, lumber=1, gold=2)
    board = Board(layout, ["brick", "grain", "wool", "ore", "lumber", "gold", "gold"], [4] * 7)
    everything = range(layout.n_vertices)
    assert Objective.report(1, 0, 0).value(board, everything) == 5


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
def test_weights_too_long_for_machine_integers_are_ranked(goal):
    for board in TEN[:2]:
        found = [solve_placement(board, 3, goal, method=method) for method in ("rivals", *QUICK)]
        assert essence(found[0]) == essence(found[1]) == essence(found[2])
        check_rules_and_values(found[0])


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


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CLASSIC), st.integers(0, 10**6), objectives, st.data())
def test_tables_equal_the_definition(layout, seed, goal, data):
    boards = [random_board(layout, seed), random_board(layout, seed + 1)]
    scores = score_pairs(batch_of(boards), goal)
    n = boards[0].layout.n_vertices
    for number, board in enumerate(boards):
        ranked = {}
        for _ in range(20):
            a, b = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
            score, exact = int(scores.pairs[number, a, b]), goal.value(board, (a, b))
            if score < 0:
                continue
            ranked[score] = exact
            if scores.scale is not None:
                assert Fraction(score, scores.scale[number]) == exact
                assert Fraction(int(scores.singles[number, a]), scores.scale[number]) == goal.value(
                    board, (a,)
                )
        assert [ranked[score] for score in sorted(ranked)] == sorted(set(ranked.values()))


def test_tables_know_pairs_with_six_different_numbers():
    """They are too rare to be sure of one among pairs at random."""
    board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
    scores, touched = score_pairs(batch_of([board]), GOAL), board.layout.vertex_tiles
    numbers = {
        pair: {board.markers[t] for v in pair for t in touched[v]} for pair in combinations(range(54), 2)
    }
    six = [pair for pair, here in numbers.items() if len(here - {None}) == 6 and scores.pairs[0, *pair] >= 0]
    assert len(six) > 20
    assert [Fraction(int(scores.pairs[0, *pair]), scores.scale[0]) for pair in six] == [
        GOAL.value(board, pair) for pair in six
    ]


def test_text_to_objective():
    assert read_objective() == Objective()
    assert read_objective("0.5, 0.3,1/5", "report") == Objective.report(0.5, 0.3, 0.2)
    assert read_objective("harbor=1, hit=2") == Objective(0, 0, 2, harbor=1)


@pytest.mark.parametrize(
    "text", ["1,2", "1,2,x", "1,2,1/0", "cats=1", "hit=1,hit=2", "hit=-1", "hit=nan", "0,0,0"]
)
def test_text_that_is_no_objective(text):
    with pytest.raises(InvalidArgument):
        read_objective(text)


# What if


@pytest.mark.parametrize(
    ("method", "goal"), [*((method, GOAL) for method in METHODS), ("rivals", Objective(rivalry=1))]
)
def test_perfect_play_goes_on_as_planned_from_any_point(method, goal):
    whole = solve_placement(TEN[3], 3, goal)
    for done in range(7):
        again = solve_placement(TEN[3], 3, goal, method=method, placed=whole.order[:done])
        assert (again.order, again.values) == (whole.order, whole.values)
    assert not again.tied  # nothing was left to choose


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 8))
def test_best_moves_rank_what_follows(seed, players, done):
    board = random_board("base", seed)
    rng = random.Random(seed)
    placed = []
    free = set(range(54))
    for player in [*range(1, players + 1), *range(players, 0, -1)][: min(done, 2 * players - 1)]:
        placed.append((player, rng.choice(sorted(free))))
        free -= {placed[-1][1], *board.layout.vertex_neighbors[placed[-1][1]]}
    moves = best_moves(board, placed, 54, players, GOAL)
    assert sorted(move.vertex for move in moves) == sorted(free)
    assert moves[0].placement.order == solve_placement(board, players, GOAL, placed=placed).order
    assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)
    for move in (moves[0], moves[-1]):
        follows = solve_placement(
            board, players, GOAL, method="bounds", placed=[*placed, (move.player, move.vertex)]
        )
        assert essence(move.placement) == essence(follows)
    assert best_moves(board, placed, 2, players, GOAL) == moves[:2]


# Words and numbers


def test_json_and_text_say_the_same():
    found = solve_placement(TEN[0], 4, GOAL)
    value = json.loads(found.to_json())
    assert value["board"] == TEN[0].notation()
    assert [tuple(player["settlements"]) for player in value["players"]] == list(found.settlements)
    assert value["players"][0]["weights"] == FACTS["weights"]
    assert value["calls"] == found.nodes > 0
    assert found.board.notation() in repr(found) and len(repr(found)) < 300  # it was pages of fractions
    corners = " and ".join(corner_name(found.board, vertex) for vertex in (42, 31))
    chance = win_chances(found.board, found.settlements)[0]
    assert f"player 1: {corners}: wins {chance:.0%}, worth 6.7667" in str(found)
    assert corner_name(Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"), 42) == (
        "ore 3, brick 5, grain 6 (42)"
    )
    assert found.seconds > 0


def test_text_tells_the_counters():
    text = str(solve_placement(TEN[0], 4, GOAL, method="bounds"))
    assert re.search(
        r"bounds: 256 positions in .* ms, 5,811 cut by bounds, 64 found in memory, 192 not", text
    )


@pytest.mark.parametrize("module", [objective, rivals, spots])
def test_examples_in_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


# Bad input


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"resources": -1}, "resources"),
        ({"cards": float("nan")}, "cards"),
        ({"hit": float("inf")}, "hit"),
        ({"harbor": "much"}, "harbor"),
        ({"robber": True}, "robber"),
        ({"rivalry": -1}, "rivalry"),
        ({"expansion": -1}, "expansion"),
        ({"resources": 0, "cards": 0, "hit": 0}, "all weights are 0"),
        ({"cards_as": "text"}, "'text'"),
    ],
)
def test_bad_weights(weights, says):
    with pytest.raises(InvalidArgument, match=says):
        Objective(**weights)


@pytest.mark.parametrize(("board", "players"), [(TEN[0], 5), (TEN[0], 1), (LARGE, 7), (TEN[0], "4")])
def test_players_out_of_range(board, players):
    for ask in (solve_placement, lambda board, players: solve_placements([board], players)):
        with pytest.raises(InvalidArgument, match=f"can play, not {players!r}"):
            ask(board, players)


@pytest.mark.parametrize("ask", [solve_placement, vertex_values, best_moves, win_chances, solve_placements])
def test_a_board_without_markers_or_no_board(ask):
    more = [[()] * 4] if ask is win_chances else []
    for board, error, says in (
        (Board("base", TEN[0].terrain), InvalidBoard, "no markers"),
        ("not a board", InvalidArgument, "takes a Board, not 'not a board'"),
    ):
        with pytest.raises(error, match=says):
            ask([board] if ask is solve_placements else board, *more)
    with pytest.raises(InvalidArgument, match="iterable of Boards"):
        solve_placements(TEN[0])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"method": "magic"}, "method is 'magic'"),
        ({"objective": [GOAL, GOAL]}, "4 players but 2 objectives"),
        ({"objective": 0.5}, r"not 0\.5"),
        ({"objective": Objective(rivalry=1), "method": "bounds"}, "without rivalry and expansion only"),
        ({"objective": Objective(expansion=1), "method": "bounds"}, "without rivalry and expansion only"),
        ({"objective": replace(LONG, rivalry=1)}, "too long for exact play"),
        ({"objective": LONG, "players": 2, "rationality": 1}, "too long for exact play"),
        ({"objective": LONG, "players": 2, "rationality": 1, "erring": "both"}, "too long for exact play"),
        ({"rationality": -1}, "rationality is None"),
        ({"rationality": [1, 1, None]}, "4 players but 3 rationalities"),
        ({"rationality": 1, "method": "bounds"}, "method auto only"),
        (
            {"rationality": 1, "erring": "both", "objective": Objective(rivalry=1)},
            "without rivalry and expansion",
        ),
        ({"rationality": 1, "board": LARGE, "players": 6}, "6 players on 'base-5-6', is too large"),
        ({"rationality": 1, "error": 0}, "error, a share of the values,"),
        ({"rationality": 1, "erring": "seconds"}, "erring is 'seconds'; choose from first, both"),
        ({"placed": [(2, 0)]}, "player 1's"),
        ({"placed": [(1, 54)]}, "vertex 54"),
        ({"placed": [(1, -1)]}, "vertex -1"),
        ({"placed": [(1, 0), (2, 0)]}, "vertex 0"),
        ({"placed": [(1, 0), (2, 1)]}, "next to player 1's"),
        ({"placed": [(1, 0), (2, 8), (2, 20), (2, 30)], "players": 2}, "player 1's, not player 2's"),
        ({"placed": [(1, 0, 3)]}, "the road from vertex 0 leads to 1 or 5 or 9, not to 3"),
        ({"placed": [(1, 0, "1")]}, "settlement placed is"),
        ({"placed": [(1, 0, 1, 5)]}, r"\(player, vertex\)"),
        ({"placed": [5]}, r"\(player, vertex\)"),
        ({"placed": "12"}, "list"),
        ({"placed": [(1, 0)] * 5, "players": 2}, "place 4 settlements"),
        ({"placed": [(1, 0)], "board": OUT_AT_SEA}, "touches no land"),
    ],
)
def test_what_cannot_be_asked(asked, says):
    with pytest.raises(InvalidArgument, match=says):
        solve_placement(**{"board": TEN[0], **asked})


def test_no_room():
    tile = Board(small_layout((1,), ore=1), ["ore"], [6])
    for method in METHODS:
        with pytest.raises(InvalidBoard, match="no room"):
            solve_placement(tile, 2, method=method)
    with pytest.raises(InvalidBoard, match="no room"):
        solve_placements([TEN[0], tile], 2)
    with pytest.raises(InvalidBoard, match="no room"):
        best_moves(tile, [], 1, 2)


@pytest.mark.parametrize("method", EVERY)
def test_nobody_takes_a_second_vertex_that_leaves_a_later_player_nowhere(method):
    layout = Layout("island", (4, 3), {"sea": 5, "lumber": 1, "grain": 1}, {})
    board = Board.from_notation("ssl5g5/sss", layout)
    goal, placed = Objective(0, 0, 0, robber=1), [(1, 11)]
    agree_with_play_by_hand(board, [goal, goal], placed, [method])
    found = solve_placement(board, 2, goal, placed=placed)
    assert best_moves(board, placed, 1, 2, goal)[0].placement.order == found.order


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: best_moves(TEN[0], solve_placement(TEN[0], 2).order, 1, 2), "no next move"),
        (lambda: best_moves(TEN[0], (), 0), "k is"),
        (lambda: vertex_values(TEN[0], [GOAL]), "objective is an Objective, not"),
        (lambda: GOAL.value(TEN[0], (3, 54)), "'base' has vertices 0 to 53, and none is 54"),
        (lambda: GOAL.value(TEN[0], (-1,)), "none is -1"),
        (lambda: GOAL.value("base", (3, 20)), r"vertices of a Board, not \(3, 20\) of 'base'"),
        (lambda: GOAL.value(TEN[0], 3), "vertices of a Board, not 3 of"),
        (lambda: solve_placements([], "4"), "players is a whole number from 2 to 6, not '4'"),
        (lambda: read_objective(5), "weights are text such as .*, not 5"),
        (lambda: Draft.of(5), "placement is what solve_placement returns, not 5"),
        (lambda: judge_draft(TEN[0], Draft(5, 5)), "player, vertex.* not 5 with the roads 5"),
        (lambda: str(Draft(5, 5)), "player, vertex.* not 5 with the roads 5"),
        (lambda: str(Draft(((1, 7),), ())), r"not \(\(1, 7\),\) with the roads \(\)"),
        (lambda: judge_draft(TEN[0], Draft(((1, 7),), ())), r"not \(\(1, 7\),\) with the roads \(\)"),
        (lambda: table(5), "seats are what compare_rivalry returns, not 5"),
        (lambda: find_equilibria(5), "placement is what solve_placement returns, not 5"),
    ],
)
def test_what_else_cannot_be_asked(ask, says):
    with pytest.raises(InvalidArgument, match=says):
        ask()
