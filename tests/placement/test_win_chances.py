"""The chance to win, and its objective: exact, in tables, and in the middle of a draft."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import catan_cp
from catan_cp import (
    LAYOUTS,
    Board,
    InvalidArgument,
    Objective,
    analyze_board,
    best_moves,
    generate_board,
    solve_placement,
    win_chances,
)
from catan_cp.placement import judge_draft, read_objective
from tests.placement.by_hand import Hand, random_board

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
RESOURCES = ("brick", "grain", "wool", "ore", "lumber")
TABLE = json.loads((Path(catan_cp.__file__).parent / "data" / "worth.json").read_text())


def test_named_objectives():
    pips = BOARD.vertex_pips()
    assert Objective.pips().value(BOARD, (42, 12)) == Fraction(pips[42] + pips[12], 36)
    assert read_objective("", "pips") == Objective.pips()
    assert read_objective("", "odds", rivalry=1).rivalry == 1
    with pytest.raises(InvalidArgument, match="with fixed weights"):
        read_objective("1,1,1", "odds")


def test_fit_holds_on_boards_kept_apart():
    """As stored by the fit: close to the old estimate, and calibrated if players maximize chances."""
    tests = TABLE["tests"]
    assert tests["own 4"]["more_than_before"][0] < 0.005
    assert 0.9 < tests["all lines"]["slope"][0] < 1.1
    assert {kind for kind, test in tests.items() if test["boards"] < 75} == set()
    for kind in ("own 3", "own 4", "perfect 4", "expert 4", "random 4"):
        assert 0.9 < tests[kind]["slope"][0] < 1.1, kind
    for tenths in TABLE["calibration"].values():
        assert all(abs(stated - won) < 0.02 for stated, won, _ in tenths)


def plain_features(board, first, second):
    """The features by their definition."""
    near, reached, order = board.layout.vertex_neighbors, {first: 0}, [first]
    for v in order:
        for u in near[v]:
            if u not in reached:
                reached[u] = reached[v] + 1
                order.append(u)
    hands = [
        [t for t in board.layout.vertex_tiles[v] if board.terrain[t] in RESOURCES] for v in (first, second)
    ]
    tiles = hands[0] + hands[1]
    pips = {t: board.layout.marker_pips(board.markers[t]) for t in tiles}
    of = {name: sum(pips[t] for t in tiles if board.terrain[t] == name) for name in RESOURCES}
    value = float(Objective.own_odds().value(board, (first, second)))
    markers = {board.markers[t] for t in tiles}
    return {
        "settlements": value,
        "settlements_squared": value**2,
        **{f"apart_{k}": int(reached[second] == k) for k in (2, 3, 4)},
        "tiles": len(tiles),
        "first_cards": len(hands[1]),
        "second_pips": sum(pips[t] for t in hands[1]),
        "pips_squared": sum(pips[t] for t in tiles) ** 2,
        "shared_pips": sum(pips[t] for t in hands[0] if t in hands[1]),
        "grain_ore": (of["grain"] * of["ore"]) ** 0.5,
        "numbers": len(markers),
        "hit": sum(6 - abs(7 - m) for m in markers),
    }


@pytest.mark.filterwarnings("ignore:the chances to win of 6 players")
@pytest.mark.parametrize(("layout", "players"), [("base", 3), ("base", 4), ("mini", 3), ("base-5-6", 6)])
def test_chances_follow_definition(layout, players):
    weights = {name: float(Fraction(weight)) for name, weight in TABLE["pairs"].items()}
    for seed in range(20):
        board = random_board(layout, seed)
        placed = Hand(board, [Objective()] * players).begun(seed, 0)
        opening = [tuple(v for p, v in placed if p == player) for player in range(1, players + 1)]
        rows = [plain_features(board, *pair) for pair in opening]
        assert {*rows[0]} == {*weights}
        odds = [math.exp(sum(weights[name] * row[name] for name in weights)) for row in rows]
        assert win_chances(board, opening) == pytest.approx([one / sum(odds) for one in odds])


def test_rest_of_draft_is_best():
    whole = best_moves(BOARD, (), 1)[0].placement.settlements
    assert win_chances(BOARD, [()] * 4) == win_chances(BOARD, whole)
    assert win_chances(BOARD, [whole[0][:1], (), (), ()]) == win_chances(BOARD, whole)


def test_verdicts_name_chances():
    order = best_moves(BOARD, (), 1, 3)[0].placement.order
    verdict = judge_draft(BOARD, order[:3], 3)[2]
    assert verdict.chance == verdict.best_chance == win_chances(BOARD, [()] * 3)[2]
    assert verdict.best_by_chance == order[2][1]
    assert f"chance {verdict.chance:.1%}, the best" in str(verdict)


def test_worse_settlement_costs_chance():
    (verdict,) = judge_draft(BOARD, "1:0", 3)
    (best,) = best_moves(BOARD, (), 1, 3)
    assert (verdict.best_by_chance, verdict.best_chance) == (best.vertex, best.chance)
    assert verdict.chance == win_chances(BOARD, [(0,), (), ()])[0] < best.chance
    assert f"chance {verdict.chance:.1%}, on {best.vertex} {best.chance:.1%}" in str(verdict)


SEA = next(
    Board.from_notation(layout.beginner_board)
    for layout in LAYOUTS.values()
    if layout.beginner_board and "sea" in layout.terrain_counts
)
_FISHED = LAYOUTS["fishermen-of-catan"]
FISH = replace(Board.from_notation(_FISHED.beginner_board), fishing_grounds=_FISHED.fishing_grounds)
KNIGHTS = replace(BOARD, layout=LAYOUTS["cities-knights"])
COMBINED = generate_board("open", "explorers-pirates-cities-knights", seed=1)
UNNAMED = replace(BOARD, layout=replace(BOARD.layout, name="own", game=""))


@pytest.mark.parametrize(
    ("board", "players", "reason"),
    [
        (BOARD, 2, "two players"),
        (SEA, 3, "the game seafarers"),
        (KNIGHTS, 4, "the game cities-knights"),
        (COMBINED, 4, r"the game explorers-pirates\+cities-knights"),
        (UNNAMED, 4, "'own', a layout that does not name its game"),
        (replace(SEA, layout=replace(SEA.layout, name="own", game="base")), 3, "a board with"),
        (replace(FISH, layout=replace(FISH.layout, name="own", game="base")), 4, "fishing grounds"),
    ],
)
def test_unmeasured_chances_are_empty(board, players, reason):
    with pytest.raises(InvalidArgument, match=reason):
        win_chances(board, [()] * players)
    with pytest.raises(InvalidArgument, match="name an objective"):
        best_moves(board, (), 1, players)


def test_values_without_measured_chances():
    for board, players in ((BOARD, 2), (SEA, 3)):
        analysis, placement = analyze_board(board, players), solve_placement(board, players)
        assert analysis.chances is placement.chances is None and "chance" not in str(placement)
        assert judge_draft(board, placement.order[:1], players)[0].chance is None
        assert best_moves(board, (), 1, players, Objective())[0].chance is None
