"""The ladder: Elo from known strengths, rotated seats, and a small run of the command."""

import re
from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("catanatron", reason="Catanatron, of the extra 'dev', is not installed")

from benchmarks.games.ladder import ANCHOR, counted, games_of, main, rows, strengths


def test_elo_is_found_from_games_of_known_strengths():
    players, rng = ["a", "b", "c", "d", ANCHOR], np.random.default_rng(1)
    elo = dict(zip(players, (300, 150, 80, -50, 0), strict=True))
    boards = []
    for _ in range(400):
        games = []
        for names in (*combinations(players, 2), *combinations(players, 4)):
            weights = np.array([10 ** (elo[name] / 400) for name in names])
            games.append((names, int(rng.choice(len(names), p=weights / weights.sum()))))
        boards.append(games)
    assert strengths(players, counted(boards)) == pytest.approx([*elo.values()], abs=30)
    lines = list(rows(players, boards, samples=30))[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| a", "| b", "| c", f"| {ANCHOR}", "| d"]
    low, high = map(int, re.search(r"(-?\d+) to (-?\d+)", lines[0]).groups())
    assert low < 300 < high < low + 100


def test_each_player_has_each_seat_and_a_seed_repeats_the_games():
    games = games_of(["greedy", "trader", ANCHOR], [2], seed=3)
    assert games == games_of(["greedy", "trader", ANCHOR], [2], seed=3)
    for seat in (0, 1):
        assert sorted(names[seat] for names, _ in games) == sorted([*["greedy", "trader", ANCHOR]] * 2)


def test_the_command_prints_a_table_and_names_who_is_left_out(capsys):
    main(["--boards", "1", "--seats", "2", "--players", "greedy"])
    out = capsys.readouterr().out
    assert "AlphaBeta is left out: No module named" in out
    assert "2 games on 1 boards, 0 without a winner" in out
    assert re.search(r"\| greedy \| \d+ \| \d+ to \d+ \| 2 \| 100% \|", out)
