"""The chance to win, and its objective: exact, in tables, and in the middle of a draft."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
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
from catan_cp.analysis.measures import MEASURES
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement import Draft, judge_draft, read_objective
from catan_cp.placement.chance_game import chance_line
from catan_cp.placement.chances import (
    pair_features,
    pair_log_odds,
    pair_worth,
    road_distances,
)
from catan_cp.placement.objective import features, worth
from catan_cp.placement.positions import snake
from catan_cp.placement.tables import batch_of
from catan_cp.studies.store import score_row
from tests.placement.by_hand import random_board

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
SETTLED = ((42, 12), (24, 8), (31, 15), (2, 50))
TABLE = json.loads((Path(catan_cp.__file__).parent / "data" / "worth.json").read_text())


def test_named_objectives():
    pips = BOARD.vertex_pips()
    assert Objective.pips().value(BOARD, (42, 12)) == Fraction(pips[42] + pips[12], 36)
    held = features(BOARD, (42, 12))
    assert Objective.own_odds().value(BOARD, (42, 12)) == sum(worth()[name] * n for name, n in held.items())
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


def test_chances_are_those_of_odds():
    chances, log_odds = win_chances(BOARD, SETTLED), pair_log_odds(BOARD)
    odds = np.exp([log_odds[pair] for pair in SETTLED])
    assert chances == pytest.approx(odds / odds.sum())
    moved = [SETTLED[k] for k in (2, 0, 1, 3)]
    assert [win_chances(BOARD, moved)[k] for k in (1, 2, 0, 3)] == pytest.approx(chances)


def plain_features(board, first, second):
    """The features by their definition."""
    near, reached = board.layout.vertex_neighbors, {first: 0}
    for v in reached_in_order(near, first):
        for u in near[v]:
            reached.setdefault(u, reached[v] + 1)
    hands = [
        [t for t in board.layout.vertex_tiles[v] if board.terrain[t] in RESOURCES] for v in (first, second)
    ]
    tiles = hands[0] + hands[1]
    pips = {t: board.layout.marker_pips(board.markers[t]) for t in tiles}
    of = {name: sum(pips[t] for t in tiles if board.terrain[t] == name) for name in RESOURCES}
    value, markers = (
        float(Objective.own_odds().value(board, (first, second))),
        {board.markers[t] for t in tiles},
    )
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


def reached_in_order(near, first):
    """Yield vertices by their distance from *first*."""
    order = [first]
    for v in order:
        yield v
        order += [u for u in near[v] if u not in order]


@pytest.mark.parametrize(("layout", "players"), [("base", 3), ("base", 4), ("mini", 3), ("base-5-6", 6)])
def test_features_follow_definition(layout, players):
    rng = random.Random(players)
    boards = [random_board(layout, seed) for seed in range(40)]
    openings = []
    for board in boards:
        spots: list[int] = []
        for v in rng.sample(range(board.layout.n_vertices), board.layout.n_vertices):
            if not {v, *board.layout.vertex_neighbors[v]} & {*spots}:
                spots.append(v)
        openings.append(tuple((spots[k], spots[players + k]) for k in range(players)))
    batch, hands = batch_of(boards), np.array(openings)
    features = pair_features(batch, np.arange(40)[:, None], hands[..., 0], hands[..., 1])
    assert list(features) == list(pair_worth())
    for k, (board, opening) in enumerate(zip(boards, openings, strict=True)):
        rows = [plain_features(board, *pair) for pair in opening]
        for name, values in features.items():
            assert values[k].tolist() == pytest.approx([row[name] for row in rows]), name


def test_distances_are_those_of_graph():
    roads = road_distances(BOARD.layout)
    edges = {frozenset(edge) for edge in BOARD.layout.edges}
    assert (roads[54] == 9).all()
    for a, row in enumerate(roads[:54]):
        for b, distance in enumerate(row):
            near = [row[u] for u in BOARD.layout.vertex_neighbors[b]]
            assert distance == (0 if a == b else min(9, 1 + min(near)))
            assert (distance == 1) == (frozenset((a, b)) in edges)


def test_rest_of_draft_is_best():
    whole = chance_line(BOARD).settlements
    assert win_chances(BOARD, [()] * 4) == win_chances(BOARD, whole) == chance_line(BOARD).chances
    assert win_chances(BOARD, [whole[0][:1], (), (), ()]) == win_chances(BOARD, whole)


@pytest.mark.parametrize("players", [3, 4])
def test_best_moves_are_those_of_chances(players):
    line, placed = chance_line(BOARD, players), list[tuple[int, int]]()
    for turn, (player, vertex) in enumerate(zip(snake(players), line.order, strict=True)):
        moves = best_moves(BOARD, placed, 3, players)
        first = moves[0]
        assert (first.player, first.vertex, first.chance) == (player, vertex, line.chances[player - 1])
        assert [move.chance for move in moves] == sorted((move.chance for move in moves), reverse=True)
        for move in moves:
            after = [*(v for _, v in placed), move.vertex]
            hands: list[list[int]] = [[] for _ in range(players)]
            for mover, v in zip(snake(players), after, strict=False):
                hands[mover - 1].append(v)
            assert win_chances(BOARD, hands)[player - 1] == move.chance
            assert [v for _, v in move.placement.order][: turn + 1] == after
        placed.append((player, vertex))
    (*_, verdict) = judge_draft(BOARD, Draft(tuple(placed[:3]), (None,) * 3), players)
    assert (
        verdict.chance == verdict.best_chance == line.chances[2] and verdict.best_by_chance == line.order[2]
    )
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
    analysis = analyze_board(board, players)
    assert analysis.chances is None
    placement = solve_placement(board, players)
    assert placement.chances is None and "chance" not in str(placement)
    assert judge_draft(board, placement.order[:1], players)[0].chance is None
    with pytest.raises(InvalidArgument, match="name an objective"):
        best_moves(board, (), 1, players)
    assert best_moves(board, (), 1, players, Objective())[0].chance is None
    measures = dict(zip(MEASURES, score_row(analysis), strict=True))
    assert measures["chance_1"] is None and measures["value_1"] is not None


@pytest.mark.parametrize("players", [5, 6])
def test_warning_for_six_players(players):
    board = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
    with pytest.warns(UserWarning, match="nearer to equal"):
        assert sum(win_chances(board, [()] * players)) == pytest.approx(1)
