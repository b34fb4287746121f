"""All equilibria: against a whole tree gone through by the definition, and the lower bound against all."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catan_cp.boards.board import random_boards
from catan_cp.errors import InvalidArgument
from catan_cp.placement import Objective, find_equilibria, solve_placement
from tests.placement.by_hand import PUBLISHED as BOARD
from tests.placement.by_hand import SMALL, Hand, random_board, sets

tied_goals = st.builds(
    Objective,
    resources=st.integers(0, 2),
    cards=st.integers(0, 1),
    hit=st.just(1),
    rivalry=st.sampled_from((0, 0.5, 1)),
    expansion=st.sampled_from((0, 0, 0.5)),
)


@settings(max_examples=6, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.sampled_from((2, 3)), st.data())
def test_all_equilibria_are_those_of_the_definition(layout, seed, players, data):
    board = random_board(layout, seed)
    goals = data.draw(st.lists(tied_goals, min_size=players, max_size=players))
    hand = Hand(board, goals)
    placed = hand.begun(seed, 3)
    expected = placed and hand.equilibria(tuple(v for _, v in placed))
    if not expected:
        return
    placement = solve_placement(board, players, goals, placed=placed)
    found = find_equilibria(placement)
    assert found.exact
    assert set(found.outcomes) == {sets(course) for course in expected}
    assert found.outcomes[0] == tuple(map(frozenset, placement.settlements))
    worth = {sets(course): [float(value) for value in own] for course, (own, _) in expected.items()}
    for outcome, values in zip(found.outcomes, found.values, strict=True):
        assert values == pytest.approx(worth[outcome])
    for player, (least, most) in enumerate(found.ranges):
        column = [values[player] for values in worth.values()]
        assert (least, most) == pytest.approx((min(column), max(column)))
    played = [set().union(*outcome) for outcome in worth]
    assert set(found.always) == set.intersection(*played)
    if placement.tied and goals == [goals[0]] * players and not goals[0].minds_others:
        assert len(found.outcomes) > 1


def test_where_there_are_too_many_some_are_found():
    seen = 0
    for board in [BOARD, *random_boards(3, seed=1)]:
        placement = solve_placement(board, 3)
        every, some = find_equilibria(placement), find_equilibria(placement, limit=10)
        assert every.exact
        assert not some.exact
        assert set(some.outcomes) <= set(every.outcomes)
        assert some.outcomes[0] == every.outcomes[0]
        assert len(some.outcomes) > 1 or not placement.tied
        seen += len(some.outcomes) > 1
        assert set(every.always) <= set(some.always)
    assert seen


def test_known_counts():
    found = find_equilibria(solve_placement(BOARD, 4))
    assert (len(found.outcomes), found.exact) == (22, True)
    assert found.always == (20, 25, 31, 33, 44)
    assert [tuple(round(216 * end) for end in ends) for ends in found.ranges] == [
        (1012, 1020), (1012, 1020), (1012, 1020), (1012, 1012),
    ]  # fmt: skip
    assert "there are 22 equilibrium outcomes" in str(found)
    assert "player 4 has 4.6852" in str(found)
    assert len(find_equilibria(solve_placement(BOARD, 2, Objective(rivalry=1))).outcomes) == 3
    whole = solve_placement(BOARD, 2)
    done = find_equilibria(solve_placement(BOARD, 2, placed=whole.order))
    assert str(done).startswith("there is one equilibrium outcome\n")


def test_arguments():
    with pytest.raises(InvalidArgument, match="perfect players"):
        find_equilibria(solve_placement(BOARD, 2, rationality=1))
    with pytest.raises(InvalidArgument, match="limit"):
        find_equilibria(solve_placement(BOARD, 2), limit=0)
