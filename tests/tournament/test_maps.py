"""Maps of tournaments: even for all seats, different, and named if they are uneven."""

import time
from itertools import combinations

import pytest

import catan_cp
from catan_cp import SolverTimeout, plan_tournament

pytestmark = pytest.mark.solver
PATIENT = 120.0
MAPS = [*catan_cp.sample_boards(4, "tournament", seed=1)]


def test_maps_are_even_and_differ():
    cup = plan_tournament(3, 2, seed=2, timeout=PATIENT)
    rules, boards = catan_cp.Rules.preset("tournament"), [part.board for part in cup.rounds]
    assert not any(rules.check(board) for board in boards)
    for one, other in combinations(boards, 2):
        for moved in one.layout.symmetries:
            assert sum(one.terrain[t] == other.terrain[moved[t]] for t in range(19)) <= 9
    for part in cup.rounds:
        assert part.checks == {3: catan_cp.check_seats(part.board, 3)} and part.checks[3].is_even
    assert cup.margin == max(part.margin for part in cup.rounds) <= 5
    assert f"no seat won more than {cup.margin:.1f} points above" in " ".join(cup.explain())


def test_uneven_maps_named():
    plan = plan_tournament(4, 2, maps=MAPS[:2], seed=1, timeout=PATIENT)
    assert [part.board for part in plan.rounds] == MAPS[:2]
    checks = [catan_cp.check_seats(part.board) for part in plan.rounds]
    assert [part.checks for part in plan.rounds] == [{4: check} for check in checks]
    text = " ".join(plan.explain())
    for number, check in enumerate(checks, start=1):
        assert (f"The map of round {number} is not even. {check.verdict}." in text) == (not check.is_even)
    assert ("All maps are even" in text) == all(check.is_even for check in checks)


@pytest.mark.slow
def test_sixteen_players_get_even_maps():
    start = time.monotonic()
    cup = plan_tournament(16, 4, seed=7)
    assert time.monotonic() - start < 240  # on two idle cores
    assert all(part.checks[4].is_even for part in cup.rounds)


def test_too_few_even_maps_are_error(monkeypatch):
    monkeypatch.setattr("catan_cp.tournament.planning.MAP_SECONDS", 0.01)
    with pytest.raises(SolverTimeout, match="each of 2 rounds needs an even map"):
        plan_tournament(4, 2, seed=1)
