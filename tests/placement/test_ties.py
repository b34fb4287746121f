"""All equilibria: compared with a full search by the definition, and with the lower bound."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catan_cp import InvalidArgument, Objective, solve_placement
from catan_cp.placement import find_equilibria
from catan_cp.placement.equilibria import has_tie_off_path  # with a limit that no user sets
from tests.placement.by_hand import PUBLISHED as BOARD
from tests.placement.by_hand import SMALL, Hand, random_board, sets
from tests.small_boards import random_boards

tied_goals = st.builds(
    Objective,
    resources=st.integers(0, 2),
    cards=st.integers(0, 1),
    hit=st.just(1),
    rivalry=st.sampled_from((0, 0.5, 1)),
    expansion=st.sampled_from((0, 0, 0.5)),
)


def off_path_tie(hand, path, begun):
    """True if, by the definition, a tie off the line of play makes another choice equally good."""
    end, (_, leads) = sets(path), hand.leads(path)
    for turn in range(begun, len(path)):
        player = hand.turns[turn]
        for v in hand.free(path[:turn]):
            usual = None if v == path[turn] else hand.play((*path[:turn], v))
            if usual is None:
                continue
            for line, (_, ahead) in hand.equilibria((*path[:turn], v)).items():
                if ahead[player] >= leads[player] and sets(line) not in (end, sets(usual[0])):
                    return True
    return False


@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.sampled_from((2, 3)), st.data())
def test_equilibria_are_those_of_definition(layout, seed, players, data):
    goals = data.draw(st.lists(tied_goals, min_size=players, max_size=players))
    hand = Hand(random_board(layout, seed), goals)
    placed = hand.begun(seed, data.draw(st.integers(1, 3 if layout.n_vertices > 16 else 4)))
    expected = placed is not None and hand.equilibria(tuple(v for _, v in placed))
    if not expected:
        return
    placement = solve_placement(hand.board, players, goals, placed=placed)
    path, equilibria = tuple(v for _, v in placement.order), find_equilibria(placement)
    assert path == hand.play(path[: len(placed)])[0]
    assert placement.tied_off_path is off_path_tie(hand, path, len(placed))
    assert equilibria.exact
    assert equilibria.outcomes[0] == tuple(map(frozenset, placement.settlements))
    worth = {sets(course): [float(value) for value in own] for course, (own, _) in expected.items()}
    assert set(equilibria.outcomes) == worth.keys()
    for outcome, values in zip(equilibria.outcomes, equilibria.values, strict=True):
        assert values == pytest.approx(worth[outcome])
    for ends, column in zip(equilibria.ranges, zip(*worth.values(), strict=True), strict=True):
        assert ends == pytest.approx((min(column), max(column)))
    assert set(equilibria.always) == set.intersection(*(set().union(*outcome) for outcome in worth))
    if not placement.tied and not placement.tied_off_path:
        assert len(worth) == 1
    if placement.tied and goals == [goals[0]] * players and not goals[0].minds_others:
        assert len(worth) > 1


def test_unique_outcome_without_ties():
    both = set()
    for board in random_boards(12, seed=4):
        placement = solve_placement(board, 3)
        ties = placement.tied, placement.tied_off_path
        both.add(ties)
        assert (len(find_equilibria(placement).outcomes) > 1) is any(ties)
    assert (False, False) in both
    assert any(off for _, off in both)


def test_unknown_ties_off_path():
    start, order = (whole := solve_placement(BOARD, 3)).start, [v for _, v in whole.order]
    assert has_tie_off_path(start, order, limit=2) is None
    assert has_tie_off_path(start, order) is whole.tied_off_path
    assert solve_placement(BOARD, 2, rationality=1).tied_off_path is None
    assert solve_placement(BOARD, 3, placed=whole.order).tied_off_path is False


def test_some_of_too_many_found():
    count = 0
    for board in [BOARD, *random_boards(3, seed=1)]:
        placement = solve_placement(board, 3)
        full, some = find_equilibria(placement), find_equilibria(placement, limit=10)
        assert full.exact
        assert not some.exact
        assert set(some.outcomes) <= set(full.outcomes)
        assert some.outcomes[0] == full.outcomes[0]
        assert len(some.outcomes) > 1 or not placement.tied
        count += len(some.outcomes) > 1
        assert set(full.always) <= set(some.always)
    assert count


def test_known_counts():
    placement = find_equilibria(solve_placement(BOARD, 4))
    assert (len(placement.outcomes), placement.exact) == (22, True)
    assert placement.always == (20, 25, 31, 33, 44)
    assert [tuple(round(216 * end) for end in ends) for ends in placement.ranges] == [
        (1012, 1020), (1012, 1020), (1012, 1020), (1012, 1012),
    ]  # fmt: skip
    assert "there are 22 equilibrium outcomes" in str(placement)
    assert "player 4 has 4.6852" in str(placement)
    assert len(find_equilibria(solve_placement(BOARD, 2, Objective(rivalry=1))).outcomes) == 3
    whole = solve_placement(BOARD, 2)
    complete = find_equilibria(solve_placement(BOARD, 2, placed=whole.order))
    assert str(complete).startswith("there is one equilibrium outcome\n") and complete.positions == 1


def test_arguments():
    with pytest.raises(InvalidArgument, match="perfect players"):
        find_equilibria(solve_placement(BOARD, 2, rationality=1))
    with pytest.raises(InvalidArgument, match="limit"):
        find_equilibria(solve_placement(BOARD, 2), limit=0)
