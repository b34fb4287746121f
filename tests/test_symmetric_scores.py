"""A board that is turned or mirrored scores the same, and so do boards alone and many at once."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Harbor, Layout, Objective, Rules
from catan_cp.checking import keeping_symmetries
from catan_cp.entropy import efficiency, efficiency_error, neighbor_counts
from catan_cp.pieces import MARKERS, TERRAINS, TRADES, UNNUMBERED
from catan_cp.placement import solve_placement, solve_placements, vertex_values
from catan_cp.reporting import report, reports, vertex_pips

INVENTED = (
    Layout("row", (4,), {"ore": 2, "wool": 2}, {}),
    Layout("lozenge", (2, 3, 2), {"ore": 2, "sea": 2, "gold": 1, "brick": 2}, {}),
    Layout("triangle", (1, 2, 3), {"lumber": 3, "desert": 1, "grain": 2}, {}),
)
"""Of other groups of symmetries than the seven have."""


@st.composite
def boards(draw, places=(*LAYOUTS.values(), *INVENTED), pieces="any", markers=MARKERS) -> Board:
    """Numbered boards with harbors; of the box's pieces, or of any."""
    layout = draw(st.sampled_from(places))
    rng = random.Random(draw(st.integers(0, 2**32)))
    if pieces == "box":
        terrain = list(Counter(layout.terrain_counts).elements())
        rng.shuffle(terrain)
    else:
        names = rng.sample(TERRAINS, draw(st.integers(1, len(TERRAINS))))
        terrain = [rng.choice(names) for _ in range(layout.n_tiles)]
    numbers = [None if name in UNNUMBERED else rng.choice(markers) for name in terrain]
    taken: set[int] = set()
    harbors = []
    for a, b in rng.sample(layout.coast_edges, draw(st.integers(0, min(9, len(layout.coast_edges))))):
        if not taken & {a, b}:
            taken |= {a, b}
            harbors.append(Harbor((a, b), rng.choice(TRADES)))
    return Board(layout, terrain, numbers, harbors)


def moves(board: Board) -> list[Board]:
    return [board.moved(number) for number in range(len(board.layout.symmetries))]


@pytest.mark.parametrize("layout", [*LAYOUTS.values(), *INVENTED], ids=lambda layout: layout.name)
def test_every_layout_has_a_symmetry_to_test_with(layout):
    assert len(layout.symmetries) > 1


@settings(max_examples=150, deadline=None)
@given(boards())
def test_evenness_is_the_same_all_the_way_round(board):
    for moved in moves(board):
        assert neighbor_counts(moved) == neighbor_counts(board)
        assert efficiency(moved) == efficiency(board)
        assert efficiency_error(moved) == efficiency_error(board)


@settings(max_examples=100, deadline=None)
@given(boards())
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
@given(boards(), goals)
def test_what_a_vertex_is_worth_moves_along(board, goal):
    assume(board.has_markers)
    before = vertex_values(board, goal)
    for turn, moved in zip(board.layout.vertex_symmetries, moves(board), strict=True):
        after = vertex_values(moved, goal)
        assert all(after[turn[v]] == value for v, value in enumerate(before))


@settings(max_examples=60, deadline=None)
@given(boards(tuple(LAYOUTS.values()), "box"), goals, st.integers(2, 4))
def test_every_seat_gets_the_same_where_nothing_is_tied(board, goal, players):
    """A tie is settled by vertex numbers, and another vertex of equal worth to one may be a loss to others."""
    found = solve_placement(board, players, goal)
    assume(not found.tied)
    turns = board.layout.vertex_symmetries
    for turn, placed in zip(turns, solve_placements(moves(board), players, goal), strict=True):
        assert placed.values == found.values
        assert not placed.tied
        assert [{turn[v] for v in pair} for pair in found.settlements] == [set(p) for p in placed.settlements]


@settings(max_examples=40, deadline=None)
@given(boards(tuple(LAYOUTS.values()), "box", (2, 6)))
def test_a_plain_choice_is_worth_the_same_however_ties_are_settled(board):
    """Two players, the first one's first vertex given: the second places both of its own in a row, and so
    takes the best pair that there is, with few markers often one of many."""
    first = max(range(board.layout.n_vertices), key=board.vertex_pips().__getitem__)
    found = solve_placement(board, 2, placed=[(1, first)])
    for turn, moved in zip(board.layout.vertex_symmetries, moves(board), strict=True):
        again = solve_placement(moved, 2, placed=[(1, turn[first])])
        assert again.values[1] == found.values[1]


RULES = tuple(
    Rules.preset(name).replace(symmetry="all", adjacency=kind, marker_order="free", harbors="none")
    for name in ("optimal", "tournament", "open")
    for kind in ("hex", "block")
) + (Rules(desert="coast"), Rules(desert="centre"), Rules(desert="inland"), Rules(terrain_pips_min=8))


@settings(max_examples=100, deadline=None)
@given(boards(pieces="box"), st.sampled_from(RULES))
def test_rules_are_broken_as_often_all_the_way_round(board, rules):
    def breaches(some):
        return Counter(broken.rule for broken in rules.check(some))

    for number in keeping_symmetries(board.layout, rules.adjacency):
        assert breaches(board.moved(number)) == breaches(board)


@settings(max_examples=30, deadline=None)
@given(st.lists(boards(tuple(LAYOUTS.values()), "box"), min_size=1, max_size=12), goals, st.integers(2, 4))
def test_many_at_once_are_one_by_one_in_any_order(some, goal, players):
    together = solve_placements(some, players, goal)
    assert together == [solve_placement(board, players, goal) for board in some]
    assert solve_placements(some[::-1], players, goal) == together[::-1]


@settings(max_examples=20, deadline=None)
@given(st.lists(boards(tuple(LAYOUTS.values()), "box"), min_size=1, max_size=8))
def test_reports_are_one_by_one_and_move_along(some):
    together = list(reports(some))
    assert together == [report(board) for board in some]
    for board, found in zip(some, together, strict=True):
        moved = report(board.moved(len(board.layout.symmetries) - 1))
        assert (moved.efficiency, moved.efficiency_error) == (found.efficiency, found.efficiency_error)
        assert (moved.terrain_pips, moved.vertex_pips) == (found.terrain_pips, found.vertex_pips)
        if not found.placement.tied:
            assert moved.seat_spread == found.seat_spread
