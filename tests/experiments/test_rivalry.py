"""The draft with and without rivalry, seat by seat."""

from __future__ import annotations

import pytest

from catan_cp.experiments.placement import random_boards
from catan_cp.experiments.rivalry import compare_rivalry
from catan_cp.placement import Objective, solve_placement


def test_seats_are_averages_over_the_boards():
    boards = random_boards(4, seed=6)
    first, second = compare_rivalry(boards, 2)
    games = [[solve_placement(b, 2, Objective(rivalry=r)) for b in boards] for r in (0, 1)]
    for n, seat in enumerate((first, second)):
        assert seat.value == pytest.approx([sum(p.values[n] for p in game) / 4 for game in games])
        moved = [set(a.settlements[n]) != set(b.settlements[n]) for a, b in zip(*games, strict=True)]
        assert seat.elsewhere == sum(moved) / 4
    assert first.ahead == pytest.approx([-lead for lead in second.ahead])
    assert "->" in str(first)
    assert all(seat.elsewhere == 0 for seat in compare_rivalry(boards, 2, rivalry=0))
