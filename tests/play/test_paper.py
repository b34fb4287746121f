"""The paper on games: its tables are those of the stored data, whose games can be played again."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.games import experiment, worth

DATA = experiment.Data(experiment.DATA)


def test_the_page_tells_what_the_data_say():
    page = experiment.PAGE.read_text(encoding="utf-8")
    assert worth.told(experiment.told(page, DATA)) == page


def test_the_data_are_those_of_the_design():
    assert len(DATA.rows) == 1730
    assert sum(row["games"] for row in DATA.rows) == 78_400
    assert sum(row.get("unfinished", 0) for row in DATA.rows) == 0
    assert len({(row["rules"], row["number"]) for row in DATA.rows}) == 430
    for row in DATA.rows:
        assert row["games"] == experiment.ARMS.get(row["arm"], 4 * experiment.PLAN_GAMES)


@pytest.mark.parametrize("number", [0, 500, 1000, 1729])
def test_stored_games_are_played_again(number):
    row = DATA.rows[number]
    games = row["games"] // (4 if ":" in row["arm"] else 1)
    assert experiment.played(row["rules"], row["number"], row["board"], row["arm"], games) == row


def test_intervals_and_corrections():
    mean, low, high, p = experiment.student(list(range(31)))  # t of 30 degrees: 2.0423
    assert (mean, low, high) == pytest.approx((15, 15 - 3.335, 15 + 3.335), abs=0.002)
    assert p < 0.001
    assert experiment.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_the_fit_finds_the_coefficients_of_known_games():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(4000, 4, 2))
    truth = np.array([0.7, -0.3])
    wins = np.array([draw.multinomial(20, p) for p in worth.shares(x, truth)], dtype=float)
    beta, error = worth.fit(x, wins)
    assert np.abs(beta - truth).max() < 5 * error.max() < 0.1


def test_a_small_run_writes_the_same_file_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "PRESET_NAMES", ("open",))
    monkeypatch.setattr(experiment, "SINGLE_RULES", {})
    files = [tmp_path / "a.gz", tmp_path / "b.gz"]
    for file, workers in zip(files, (1, 2), strict=True):
        experiment.run(file, 0.02, workers)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert Path(files[0]).stat().st_size > 100
