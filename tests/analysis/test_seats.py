"""Boards by the seats' chances to win: targets, the search, and whether games of programs bear it out."""

from statistics import fmean, stdev

import pytest

import catan_cp
from catan_cp import play_games
from catan_cp.analysis.seats import search_seats, seat_targets
from tests.command_line import status


@pytest.mark.parametrize(
    ("players", "lead", "chances"),
    [
        (4, None, (25, 25, 25, 25)),
        (4, {1: 6}, (31, 23, 23, 23)),
        (3, {2: -10 / 3}, (35, 30, 35)),
        (4, {1: 5, 4: -5}, (30, 25, 25, 20)),
        (2, {1: 10, 2: -10}, (60, 40)),
    ],
)
def test_the_seats_without_a_lead_share_the_rest(players, lead, chances):
    assert [100 * each for each in seat_targets(players, lead)] == pytest.approx(chances)


def test_the_board_nearest_to_the_target_comes_first():
    told = []
    options = {"candidates": 60, "seed": 3, "progress": lambda now: told.append((now.done, now.total))}
    found = search_seats("tournament", lead={1: 5}, **options)
    assert told == [(50, 60), (60, 60)]
    assert [each.miss for each in found] == sorted(each.miss for each in found)
    assert {each.board for each in found} == {*catan_cp.generate_boards(60, "tournament", seed=3)}
    first, targets = found[0], seat_targets(4, {1: 5})
    spots = catan_cp.solve_placement(first.board).settlements
    assert first.chances == catan_cp.win_chances(first.board, spots)
    off = [100 * abs(chance - target) for chance, target in zip(first.chances, targets, strict=True)]
    assert first.miss == pytest.approx(max(off))


def test_the_command_finds_a_board_with_a_lead(capsys):
    words = ["best", "-r", "tournament", "--seed", "3", "--candidates", "20", "-f", "notation"]
    for aim, code in ((["--lead", "1=5"], 0), (["--lead", "5"], 1), (["--even", "--lead", "1=5"], 1)):
        assert status([*words, *aim]) == code
        said = capsys.readouterr()
        if not code:
            best = search_seats("tournament", lead={1: 5}, candidates=20, seed=3)[0]
            assert said.out.strip() == best.board.notation()
            assert f"{best.miss:.1f} points" in said.err


@pytest.mark.slow
def test_boards_with_a_lead_have_it_on_average():
    found = search_seats("tournament", lead={1: 5}, candidates=600, seed=5)[:40]
    won = [play_games(each.board, 150, placement="optimal", seed=3).wins[0].value for each in found]
    margin = 1.96 * stdev(won) / len(won) ** 0.5
    assert margin < 0.05
    assert abs(fmean(won) - 0.30) < margin


@pytest.mark.slow
def test_boards_that_were_played_have_their_lead_in_other_games():
    best = search_seats("tournament", lead={1: 5}, candidates=600, games=1000, seed=5)[0]
    assert len(best.games) == 1000
    again = play_games(best.board, 2000, placement="optimal", seed=99)
    for share, target in zip(again.wins, seat_targets(4, {1: 5}), strict=True):
        assert abs(share.value - target) < 0.05
