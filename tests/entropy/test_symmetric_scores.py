"""Rotated and reflected boards score the same, and so do single boards and batches."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catan_cp import (
    LAYOUTS,
    Board,
    Layout,
    Objective,
    Rules,
    best_moves,
    efficiency,
    efficiency_error,
    solve_placement,
    solve_placements,
    vertex_values,
)
from catan_cp.analysis.boards import vertex_pips
from catan_cp.boards.layout import CLASSIC
from catan_cp.entropy import neighbor_counts
from catan_cp.placement import find_equilibria
from catan_cp.placement.tables import batch_of, score_pairs
from catan_cp.rules.rule import keeping_symmetries
from tests.small_boards import full_boards

INVENTED = (
    Layout("row", (4,), {"ore": 2, "wool": 2}, {}),
    Layout("lozenge", (2, 3, 2), {"ore": 2, "sea": 2, "gold": 1, "brick": 2}, {}),
    Layout("triangle", (1, 2, 3), {"lumber": 3, "desert": 1, "grain": 2}, {}),
)
"""Of other groups of symmetries than the seven have."""


PLACES = (*[LAYOUTS[name] for name in CLASSIC], *INVENTED)
SEVEN = tuple([LAYOUTS[name] for name in CLASSIC])


def moves(board: Board) -> list[Board]:
    return [board.moved(number) for number in range(len(board.layout.symmetries))]


@pytest.mark.parametrize("layout", PLACES, ids=lambda layout: layout.name)
def test_layouts_have_symmetries(layout):
    assert len(layout.symmetries) > 1


@settings(max_examples=150, deadline=None)
@given(full_boards(PLACES))
def test_evenness_is_same_all_way_round(board):
    for moved in moves(board):
        assert neighbor_counts(moved) == neighbor_counts(board)
        assert efficiency(moved) == efficiency(board)
        if not set(board.layout.target_efficiency).isdisjoint(board.terrain):
            assert efficiency_error(moved) == efficiency_error(board)


@settings(max_examples=100, deadline=None)
@given(full_boards(PLACES))
def test_pips_move_along(board):
    for turn, moved in zip(board.layout.vertex_symmetries, moves(board), strict=True):
        before, after = board.vertex_pips(), moved.vertex_pips()
        assert all(after[turn[v]] == n for v, n in enumerate(before))
        assert moved.terrain_pips() == board.terrain_pips()
        if board.has_markers:
            assert vertex_pips(moved) == vertex_pips(board)
    assert moved.piece_differences() == board.piece_differences()


goals = st.one_of(
    st.builds(Objective.published, st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)),
    st.builds(Objective.report, st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)),
)


@settings(max_examples=60, deadline=None)
@given(full_boards(PLACES), goals)
def test_vertex_values_follow_symmetries(board, goal):
    """Pairs as exact whole numbers, or -1 if both cannot be settled."""
    assume(board.has_markers)
    before, pairs = vertex_values(board, goal), score_pairs(batch_of([board]), goal).pairs[0]
    for turn, moved in zip(board.layout.vertex_symmetries, moves(board), strict=True):
        after = vertex_values(moved, goal)
        assert all(after[turn[v]] == value for v, value in enumerate(before))
        assert np.array_equal(score_pairs(batch_of([moved]), goal).pairs[0][np.ix_(turn, turn)], pairs)


# If two choices have equal values, the numbers of the vertices settle the tie. Later settlements depend on
# it, also off the line of play. So a rotated board need not give each seat the same settlements.
# The test states the values that must be equal.


@settings(max_examples=40, deadline=None)
@given(full_boards((LAYOUTS["base"], LAYOUTS["base-5-6"], LAYOUTS["seafarers-6"]), "box"), goals)
def test_symmetric_seats_up_to_ties(board, goal):
    possible = find_equilibria(solve_placement(board, 2, goal))
    assert possible.exact
    assert {placed.values for placed in solve_placements(moves(board), 2, goal)} <= {*possible.values}


@settings(max_examples=20, deadline=None)
@given(full_boards(SEVEN, "box", (2, 6)), goals, st.integers(2, 4))
def test_last_seat_ignores_ties(board, goal, players):
    """It places both of its settlements in a row, and so takes the best pair that is left."""
    settlements: list[tuple[int, int]] = []
    for player in range(1, players):
        settlements.append((player, best_moves(board, settlements, 1, players, goal)[0].vertex))
    placement = solve_placement(board, players, goal, placed=settlements)
    for turn, moved in zip(board.layout.vertex_symmetries, moves(board), strict=True):
        turned = [(player, turn[v]) for player, v in settlements]
        assert solve_placement(moved, players, goal, placed=turned).values[-1] == placement.values[-1]


RULES = (
    *(
        Rules.preset(name).replace(adjacency=kind)
        for name in ("optimal", "tournament", "open")
        for kind in ("hex", "block")
    ),
    *(Rules(desert=area) for area in ("coast", "centre", "inland")),
    Rules(terrain_pips_min=8),
)


@settings(max_examples=100, deadline=None)
@given(full_boards(PLACES, pieces="box"), st.sampled_from(RULES))
def test_symmetries_keep_violations(board, rules):
    def breaches(some):
        return Counter(broken.rule for broken in rules.check(some))

    for number in keeping_symmetries(board.layout, rules.adjacency):
        assert breaches(board.moved(number)) == breaches(board)
