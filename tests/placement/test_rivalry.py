"""The draft with and without rivalry, seat by seat."""

import pytest

from catan_cp import InvalidArgument, Objective, best_moves, solve_placement
from catan_cp.placement import compare_rivalry, rivalry_table, robust_share
from tests.small_boards import random_boards

BOARDS = random_boards(6, seed=6)


def test_seats_are_averages_over_boards():
    boards = BOARDS[:4]
    first, second = compare_rivalry(boards, 2)
    games = [[solve_placement(b, 2, Objective(rivalry=r)) for b in boards] for r in (0, 1)]
    for n, seat in enumerate((first, second)):
        assert seat.value == pytest.approx([sum(p.values[n] for p in game) / 4 for game in games])
        moved = [set(a.settlements[n]) != set(b.settlements[n]) for a, b in zip(*games, strict=True)]
        assert seat.elsewhere == sum(moved) / 4
    assert first.ahead == pytest.approx([-lead for lead in second.ahead])
    assert "->" in str(first)
    steps = []
    assert compare_rivalry(boards, 2, progress=steps.append) == (first, second)
    assert [(now.done, now.total) for now in steps] == [(4, 4)]
    assert len({len(line) for line in rivalry_table((first, second)).splitlines()}) == 1
    assert all(seat.elsewhere == 0 for seat in compare_rivalry(boards, 2, rivalry=0))


def test_robust_first_moves():
    share = robust_share(BOARDS, 2, rationality=0.5)
    differ = 0
    for board in BOARDS:
        robust = best_moves(board, (), 1, 2, None, [None, 0.5])[0]
        perfect = solve_placement(board, 2)
        against = solve_placement(board, 2, placed=[(1, robust.vertex)])
        differ += against.values[0] < perfect.values[0]
    assert share == differ / 6
    assert robust_share(BOARDS[:2], 2, Objective(1, 2, 3), 1e7) == 0


@pytest.mark.parametrize("compare", [robust_share, compare_rivalry])
@pytest.mark.parametrize(("boards", "message"), [([], "no boards"), (BOARDS[0], "iterable")])
def test_invalid_boards_rejected(compare, boards, message):
    with pytest.raises(InvalidArgument, match=message):
        compare(boards, 2)
