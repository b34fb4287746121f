"""The chance to win, and the objective that states it: exact, in tables, in the middle of a draft."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import catan_cp
from catan_cp import LAYOUTS, Board, InvalidArgument, Objective, analyze_board, solve_placement, win_chances
from catan_cp.analysis.measures import MEASURES
from catan_cp.analysis.seats import search_seats
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement.chances import measured_shares, opening_features, road_distances, shares_of
from catan_cp.placement.objective import features, read_objective, worth
from catan_cp.studies.store import score_row
from tests.placement.by_hand import random_board

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
SETTLED = ((42, 12), (24, 8), (31, 15), (2, 50))
TABLE = json.loads((Path(catan_cp.__file__).parent / "data" / "worth.json").read_text())


def wider_features(board, opening):
    """Return the features of each player of one opening."""
    found = opening_features([board], [opening])
    seats = zip(*(values[0].tolist() for values in found.values()), strict=True)
    return [dict(zip(found, seat, strict=True)) for seat in seats]


def test_pips_and_wins_are_objectives_with_names():
    pips = BOARD.vertex_pips()
    assert Objective.pips().value(BOARD, (42, 12)) == Fraction(pips[42] + pips[12], 36)
    held = features(BOARD, (42, 12))
    assert Objective.own_odds().value(BOARD, (42, 12)) == sum(worth()[name] * n for name, n in held.items())
    assert read_objective("", "pips") == Objective.pips()
    assert read_objective("", "odds", rivalry=1).rivalry == 1
    with pytest.raises(InvalidArgument, match="with fixed weights"):
        read_objective("1,1,1", "odds")


def test_coefficients_are_short_and_the_fit_holds_on_boards_kept_apart():
    assert all(1000 % value.denominator == 0 for value in worth().values())
    assert TABLE["tests"]["random 4"]["log_loss"][0] <= 1.15
    for kind, test in TABLE["tests"].items():
        assert test["boards"] >= 300
        assert test["first_less_this"][1] > 0, kind
        assert 0.9 < test["slope"] < 1.1
        assert test["stated"] > 1.1 * test["stated_first"]
    for said, won, _ in TABLE["calibration"]:
        assert abs(said - won) < 0.03


def test_chances_are_those_of_the_odds():
    found = win_chances(BOARD, SETTLED)
    worth = {name: float(Fraction(value)) for name, value in TABLE["opening"].items()}
    rows = wider_features(BOARD, SETTLED)
    odds = np.exp([sum(worth[name] * value for name, value in row.items()) for row in rows])
    assert found == pytest.approx(odds / odds.sum())
    assert [row["settlements"] for row in rows] == [
        float(Objective.own_odds().value(BOARD, pair)) for pair in SETTLED
    ]
    moved = [SETTLED[k] for k in (2, 0, 1, 3)]
    assert [win_chances(BOARD, moved)[k] for k in (1, 2, 0, 3)] == pytest.approx(found)


def test_rivals_take_room_and_safety():
    roads = road_distances(BOARD.layout)
    best = max(range(54), key=lambda v: (min(roads[v][20], roads[v][42]) == 2) * BOARD.vertex_pips()[v])
    near_pair = (best, 2)
    alone, near, far = (wider_features(BOARD, ((20, 42), pair))[0] for pair in ((), near_pair, (8, 50)))
    gains = {
        v: float(Objective.own_odds().value(BOARD, (20, 42, v)) - Objective.own_odds().value(BOARD, (20, 42)))
        for v in range(54)
    }
    reach = {v: min(roads[v][20], roads[v][42]) for v in gains}
    for rivals, row in (((), alone), (near_pair, near), ((8, 50), far)):
        free = [v for v in gains if reach[v] > 1 and all(roads[v][u] > 1 for u in rivals)]
        for k in (2, 3):
            found = [gains[v] for v in free if reach[v] == k]
            safe = [gains[v] for v in free if reach[v] == k and all(roads[v][u] > k for u in rivals)]
            assert (row[f"room_{k}"], row[f"safe_{k}"]) == pytest.approx((max(found), max(safe, default=0)))
    assert near != alone
    assert alone["first_cards"] == sum(BOARD.terrain[t] != "desert" for t in BOARD.layout.vertex_tiles[42])


def plain_features(board, opening):
    """The features by their definition, in fractions."""

    def roads(begin):
        distance, reached = dict.fromkeys(begin, 0), list(begin)
        for v in reached:
            new = [u for u in board.layout.vertex_neighbors[v] if u not in distance]
            distance |= dict.fromkeys(new, distance[v] + 1)
            reached += new
        return lambda v: distance.get(v, 99)

    value, everybody = (
        partial(Objective.own_odds().value, board),
        roads([v for pair in opening for v in pair]),
    )
    for player, pair in enumerate(opening):
        others = opening[:player] + opening[player + 1 :]
        own, rivals = roads(pair), roads([v for hand in others for v in hand])
        yields = [board.terrain[t] in RESOURCES for v in pair[-1:] for t in board.layout.vertex_tiles[v]]
        row: dict[str, Any] = {"settlements": value(pair), "first_cards": sum(yields)}
        free = [v for v in range(board.layout.n_vertices) if everybody(v) > 1]
        gains = {v: value((*pair, v)) - value(pair) for v in free if own(v) in (2, 3)}
        for kind, is_safe in (("room", False), ("safe", True)):
            for k in (2, 3):
                found = [g for v, g in gains.items() if own(v) == k and (not is_safe or rivals(v) > k)]
                row[f"{kind}_{k}"] = max(found, default=0)
        yield {name: float(number) for name, number in row.items()}


@pytest.mark.parametrize(("layout", "players"), [("base", 3), ("base", 4), ("mini", 3), ("base-5-6", 6)])
def test_features_of_many_boards_are_those_of_the_definition(layout, players):
    rng = random.Random(players)
    boards = [random_board(layout, seed) for seed in range(40)]
    openings = []
    for board in boards:
        spots: list[int] = []
        for v in rng.sample(range(board.layout.n_vertices), board.layout.n_vertices):
            if not {v, *board.layout.vertex_neighbors[v]} & {*spots}:
                spots.append(v)
        hands = [tuple(spots[k : 2 * players : players]) for k in range(players)]
        openings.append((*hands[:-1], hands[-1][: rng.randrange(3)]))
    found = opening_features(boards, openings)
    for k, (board, opening) in enumerate(zip(boards, openings, strict=True)):
        rows = list(plain_features(board, opening))
        assert {name: values[k].tolist() for name, values in found.items()} == {
            name: [row[name] for row in rows] for name in found
        }
    assert [*measured_shares([*boards, SEA], [*openings, openings[0]])] == [
        *(shares_of([b], [opening])[0] for b, opening in zip(boards, openings, strict=True)),
        None,
    ]


def test_distances_are_those_of_a_graph():
    roads = road_distances(BOARD.layout)
    edges = {frozenset(edge) for edge in BOARD.layout.edges}
    assert (roads[54] == 9).all()
    for a, row in enumerate(roads[:54]):
        for b, distance in enumerate(row):
            near = [row[u] for u in BOARD.layout.vertex_neighbors[b]]
            assert distance == (0 if a == b else min(9, 1 + min(near)))
            assert (distance == 1) == (frozenset((a, b)) in edges)


def test_in_the_middle_of_a_draft_the_rest_is_the_best():
    whole = solve_placement(BOARD, 4, Objective.own_odds()).settlements
    assert win_chances(BOARD, [()] * 4) == pytest.approx(win_chances(BOARD, whole))
    assert win_chances(BOARD, [whole[0][:1], (), (), ()]) == pytest.approx(win_chances(BOARD, whole))


SEA = next(
    Board.from_notation(layout.beginner_board)
    for layout in LAYOUTS.values()
    if layout.beginner_board and "sea" in layout.terrain_counts
)
_FISHED = LAYOUTS["fishermen-of-catan"]
FISH = replace(Board.from_notation(_FISHED.beginner_board), fishing_grounds=_FISHED.fishing_grounds)


@pytest.mark.parametrize(
    ("board", "players", "reason"),
    [(BOARD, 2, "two players"), (SEA, 3, "a board with"), (FISH, 4, "fishing grounds")],
)
def test_chances_that_no_games_have_measured_are_rejected_and_left_empty(board, players, reason):
    with pytest.raises(InvalidArgument, match=reason):
        win_chances(board, [()] * players)
    analysis = analyze_board(board, players)
    assert analysis.chances is None
    assert "wins" not in str(solve_placement(board, players))
    measures = dict(zip(MEASURES, score_row(analysis), strict=True))
    assert measures["chance_1"] is None and measures["value_1"] is not None


@pytest.mark.parametrize("players", [5, 6])
def test_chances_of_five_and_six_players_come_with_a_warning(players):
    board = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
    with pytest.warns(UserWarning, match="nearer to equal"):
        assert sum(win_chances(board, [()] * players)) == pytest.approx(1)


def test_even_boards_for_two_players_are_rejected():
    with pytest.raises(InvalidArgument, match="not for two players"):
        search_seats("open", players=2, candidates=2, seed=1)
