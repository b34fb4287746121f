"""The ladder: Elo from known strengths, rotated seats, and a small run of the command."""

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("catanatron", reason="Catanatron, of the extra 'dev', is not installed")

from research.games import ladder
from research.games.ladder import games_of, main, rows, tables_of

PAGE = Path(__file__).parents[3] / "docs" / "play.md"
STORED = Path(ladder.__file__).parent


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # which the command sets, and which is restored afterwards


def test_elo_is_found_from_games_of_known_strengths():
    players, rng = ["a", "b", "c", "d", "last"], np.random.default_rng(1)
    elo = dict(zip(players, (300, 150, 80, -50, 0), strict=True))
    boards = []
    for _ in range(400):
        games = []
        for names in (*combinations(players, 2), *combinations(players, 4)):
            weights = np.array([10 ** (elo[name] / 400) for name in names])
            games.append((names, int(rng.choice(len(names), p=weights / weights.sum()))))
        boards.append(games)
    lines = list(rows(players, boards, samples=30))[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| a", "| b", "| c", "| last", "| d"]
    ratings = {line.split(" | ")[0][2:]: int(line.split(" | ")[1]) for line in lines}
    assert ratings == pytest.approx(elo, abs=30)
    low, high = map(int, re.search(r"(-?\d+) to (-?\d+)", lines[0]).groups())
    assert low < 300 < high < low + 100


def test_each_player_has_each_seat_as_often():
    players = [*"abcdefg"]
    boards = [[*tables_of(players, [2, 4], seed)] for seed in range(1, 21)]
    fours = Counter(names for board in boards for names in board if len(names) == 4)
    assert set(fours.values()) == {1}
    assert len(fours) == 4 * 35
    for size in (2, 4):
        seats = Counter(
            (name, k)
            for board in boards
            for names in board
            if len(names) == size
            for k, name in enumerate(names)
        )
        assert len(set(seats.values())) == 1
        assert len(seats) == size * len(players)


def test_a_seed_repeats_the_games():
    games = games_of(["greedy", "trader", "WeightedRandom"], [2], seed=3)
    assert games == games_of(["greedy", "trader", "WeightedRandom"], [2], seed=3)


def test_the_same_command_plays_the_same_games(tmp_path):
    """Whatever the hash seed of the process, on which the order of sets depends."""
    for number in "03":
        words = ("-m", "research.games.ladder", str(tmp_path / number), "--boards", "1", "--seats", "2")
        subprocess.run(
            [sys.executable, *words, "--players", "greedy", "VictoryPoint", "WeightedRandom"],
            cwd=PAGE.parents[1],
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
        )
    assert (tmp_path / "0").read_text() == (tmp_path / "3").read_text()


def test_the_command_continues_a_file_and_writes_a_page(capsys, tmp_path):
    file, page = tmp_path / "few.jsonl", tmp_path / "page.md"
    main([str(file), "--boards", "1", "--seats", "2", "--players", "greedy", "WeightedRandom"])
    printed = capsys.readouterr()
    assert "AlphaBeta is left out: No module named" in printed.err
    assert "2 games on 1 boards, 0 without a winner." in printed.out
    assert re.search(r"\| greedy \| \d+ \| \d+ to \d+ \| 2 \| 100 \|", printed.out)
    first = file.read_text()
    page.write_text("before\n<!-- few -->\n<!-- end -->\nafter\n")
    main([str(file), "--boards", "2", "--to", str(page)])
    assert file.read_text().startswith(first)
    lines = page.read_text().splitlines()
    assert lines[:2] + lines[-2:] == ["before", "<!-- few -->", "<!-- end -->", "after"]
    assert lines[-3].startswith("4 games on 2 boards")
    for words in (
        ["--boards", "0"],
        ["--players", "greedy"],
        ["--players", "greedy", "nobody", "--seats", "2"],
    ):
        with pytest.raises(SystemExit):
            main([str(tmp_path / "new.jsonl"), *words])
        assert "a new file needs" in capsys.readouterr().err
    assert not (tmp_path / "new.jsonl").exists()
    file.write_text(first.replace("greedy", "AlphaBeta"))
    with pytest.raises(SystemExit):
        main([str(file)])
    assert "has games of AlphaBeta; name a --checkout" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ladder", "duel"])
def test_the_page_has_the_table_of_the_stored_games(name, tmp_path):
    copy = tmp_path / "play.md"
    copy.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    main([str(STORED / f"{name}.jsonl"), "--boards", "0", "--to", str(copy)])
    assert copy.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_the_page_answers_who_wins_the_duel():
    (row,) = [line for line in ladder.table(STORED / "duel.jsonl") if line.startswith("| AlphaBeta")]
    *_, games, won, between = row.strip("| ").split(" | ")
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"won {won} % of {games} games (95 % interval {between} %)" in text
    low, high = map(int, between.split(" to "))
    assert 35 < low < 50 < high < 80  # "neither the 80 nor the 35 %", and "open"
