"""The seats of a board: their games, when a board is even, and the search for such boards."""

import re

import pytest

import catan_cp
from catan_cp import (
    Board,
    InvalidArgument,
    Rules,
    SeatCheck,
    SolverTimeout,
    check_seats,
    play_games,
    win_chances,
)
from catan_cp.analysis.seats import even_boards, search_seats, seat_targets  # docs/tournament.md names them
from catan_cp.play import Share
from tests.command_line import status

BEGINNER = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")


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
def test_seats_without_lead_share_rest(players, lead, chances):
    assert [100 * chance for chance in seat_targets(players, lead)] == pytest.approx(chances)


@pytest.mark.parametrize("players", [3, 4])
def test_games_from_line_of_play(players, beginner_seats):
    check = beginner_seats(players)
    assert check.chances == win_chances(BEGINNER, [()] * players)
    games = play_games(BEGINNER, 4000, players=["greedy"] * players, placement="chances", seed=0)
    assert check.wins == games.wins and {share.n for share in check.wins} == {4000}
    played = {tuple(sorted(map(tuple, row))) for row in games.rows["settlements"].tolist()}
    assert played == {tuple(sorted(check.settlements))}
    assert check.shares == tuple(share.value for share in games.wins)
    assert check.margin == pytest.approx(max(abs(100 * share - 100 / players) for share in check.shares))
    assert check.is_even == (check.margin <= 5)


@pytest.mark.parametrize(
    ("wins", "verdict"),
    [
        ((1000, 960, 1080, 960), "Even: the seats win 25, 24, 27 and 24 % of 4,000 games"),
        ((1200, 800, 1000, 1000), "Even: the seats win 30, 20, 25 and 25 % of 4,000 games"),
        ((1201, 1000, 1000, 799), "Seat 1 is ahead: 30 %; seat 4 is behind: 20 % of 4,000 games"),
        (
            (1660, 780, 780, 780),
            "Seat 1 is ahead: 42 %; seats 2 and 3 and 4 are behind: 20 and 20 and 20 % of",
        ),
        ((1300, 1300, 1400), "Even: the seats win 32, 32 and 35 %"),
        (None, "Estimated, not played: the seats' chances to win are 30, 20, 25 and 25 %"),
    ],
)
def test_verdict_names_uneven_seats(wins, verdict):
    played = None if wins is None else tuple(Share(count, 4000) for count in wins)
    chances = (0.3, 0.2, 0.25, 0.25)[: len(wins or "four")]
    check = SeatCheck(BEGINNER, ((1, 2),) * len(chances), chances, played)
    assert check.verdict.startswith(verdict)
    assert check.is_even == (None if wins is None else verdict.startswith("Even"))


def test_without_compiled_games_nothing_called_even(monkeypatch):
    monkeypatch.setattr("catan_cp.analysis.seats.is_fast", lambda: False)
    check = check_seats(BEGINNER, 3)
    assert check.wins is None and check.is_even is None
    assert check.chances == win_chances(BEGINNER, [()] * 3)
    assert check.verdict.startswith("Estimated, not played: ") and "even" not in check.verdict
    monkeypatch.setattr("catan_cp.analysis.seats.SECONDS", 0.001)
    with pytest.raises(SolverTimeout, match="among 0 candidates"):
        search_seats("open", candidates=100, seed=1, workers=1)


def test_command_finds_even_board(capsys):
    best = search_seats("tournament", players=3, seed=6, workers=1, timeout=600)
    assert Rules.preset("tournament").check(best.board) == []
    assert best == check_seats(best.board, 3) and best.is_even
    words = ["best", "-r", "tournament", "-p", "3", "--seed", "6", "--timeout", "600", "-f", "notation"]
    assert status([*words, "--even"]) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == best.board.notation()
    assert best.verdict in printed.err and f"seat 1 wins {best.wins[0]}" in printed.err
    for aim in (["--lead", "5"], ["--even", "--lead", "1=5"]):
        assert status([*words, *aim]) == 1


def test_board_with_lead_played_again():
    best = search_seats("tournament", players=3, lead={1: 6}, seed=3, timeout=600)
    assert best.board not in {*catan_cp.generate_boards(1, "tournament", seed=3)}
    assert best == check_seats(best.board, 3)
    shares = [100 * share for share in best.shares]
    assert all(abs(share - aim) <= 5 for share, aim in zip(shares, (118 / 3, 91 / 3, 91 / 3), strict=True))


def test_search_without_success_says_so():
    with pytest.raises(SolverTimeout, match="no board was found with each seat within 5 points") as error:
        search_seats("tournament", players=3, lead={1: 40}, candidates=2, seed=1, timeout=600)
    assert error.value.partial.board in {*catan_cp.generate_boards(2, "tournament", seed=1)}
    with pytest.raises(InvalidArgument, match="not for two players"):
        search_seats("open", players=2, candidates=2, seed=1)


def test_stored_boards_are_even():
    checks, rules = even_boards(), Rules.preset("tournament")
    symmetries = checks[0].board.layout.symmetries
    images = {check.board.moved(number) for check in checks for number in range(len(symmetries))}
    assert len(checks) >= 100 and len(images) == len(checks) * len(symmetries), "no two are symmetric"
    for check in checks:
        assert rules.check(check.board) == [] and check.is_even
        assert len(check.wins) == 4 and sum(share.count for share in check.wins) <= 4000
    for check in (checks[0], checks[-1]):
        again = check_seats(check.board)
        assert (again.wins, again.settlements) == (check.wins, check.settlements)
        assert again.chances == pytest.approx(check.chances, abs=1e-4)


@pytest.mark.slow
def test_even_board_within_minute():
    best = search_seats("tournament", seed=5)
    assert best.is_even and best == check_seats(best.board)
    assert re.match(r"Even: the seats win .* of 4,000 games", best.verdict)
