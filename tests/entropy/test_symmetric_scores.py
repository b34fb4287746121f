"""Rotated and reflected boards have the same scores, values, seats and violations."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import (
    LAYOUTS,
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
from catan_cp.entropy import neighbor_counts
from catan_cp.placement import find_equilibria
from tests.small_boards import CLASSIC, full_boards, keeping_symmetries

SEVEN = tuple(LAYOUTS[name] for name in CLASSIC)
INVENTED = (  # with other groups of symmetries than the seven
    Layout("row", (4,), {"ore": 2, "wool": 2}, {}),
    Layout("lozenge", (2, 3, 2), {"ore": 2, "sea": 2, "gold": 1, "brick": 2}, {}),
    Layout("triangle", (1, 2, 3), {"lumber": 3, "desert": 1, "grain": 2}, {}),
)
PLACES = (*SEVEN, *INVENTED)

goals = st.builds(
    Objective,
    st.integers(0, 9),
    st.integers(1, 9),
    st.integers(0, 9),
    resources_as=(kinds := st.sampled_from(("published", "report"))),
    cards_as=kinds,
)


@settings(max_examples=120, deadline=None)
@given(full_boards(PLACES), goals, st.data())
def test_moved_boards_score_same(board, goal, data):
    assert len(board.layout.symmetries) > 1
    number = data.draw(st.integers(1, len(board.layout.symmetries) - 1))
    moved, turn = board.moved(number), board.layout.vertex_symmetries[number]
    assert neighbor_counts(moved) == neighbor_counts(board)
    assert efficiency(moved) == efficiency(board)
    if not set(board.layout.target_efficiency).isdisjoint(board.terrain):
        assert efficiency_error(moved) == efficiency_error(board)
    assert moved.piece_differences() == board.piece_differences()
    if not board.has_markers:
        return
    assert moved.terrain_pips() == board.terrain_pips()
    values = (
        (board.vertex_pips(), moved.vertex_pips()),
        (vertex_values(board, goal), vertex_values(moved, goal)),
    )
    for before, after in values:
        assert [after[turn[v]] for v in range(len(turn))] == [*before]
    pairs = st.tuples(*[st.integers(0, len(turn) - 1)] * 2)
    for a, b in data.draw(st.lists(pairs, min_size=3, max_size=3)):
        assert goal.value(moved, (turn[a], turn[b])) == goal.value(board, (a, b))


# If two choices have equal values, the numbers of the vertices settle the tie. Later settlements depend on
# it, also off the line of play. So a rotated board need not give each seat the same settlements.
# The test states the values that must be equal.


def moves(board):
    return [board.moved(number) for number in range(len(board.layout.symmetries))]


@settings(max_examples=15, deadline=None)
@given(full_boards((LAYOUTS["base"], LAYOUTS["base-5-6"], LAYOUTS["seafarers-6"]), "box"), goals)
def test_symmetric_seats_up_to_ties(board, goal):
    possible = find_equilibria(solve_placement(board, 2, goal))
    assert possible.exact
    assert {placed.values for placed in solve_placements(moves(board), 2, goal)} <= {*possible.values}


@pytest.mark.parametrize("players", [2, 3, 4])
@settings(max_examples=3, deadline=None)
@given(board=full_boards(SEVEN, "box", (2, 6)), goal=goals)
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


@settings(max_examples=60, deadline=None)
@given(full_boards(PLACES, pieces="box"), st.sampled_from(RULES))
def test_symmetries_keep_violations(board, rules):
    def breaches(some):
        return Counter(broken.rule for broken in rules.check(some))

    for number in keeping_symmetries(board.layout, rules.adjacency)[1:]:
        assert breaches(board.moved(number)) == breaches(board)
