"""The paper on games: its tables are those of the stored data, whose games can be played again."""

import math

import numpy as np
import pytest

from benchmarks.games import experiment, pairs, worth
from catan_cp import Board


@pytest.fixture(scope="module")
def data():
    return experiment.Data(experiment.DATA)


def test_the_page_tells_what_the_data_say(data):
    page = experiment.PAGE.read_text(encoding="utf-8")
    assert worth.told(experiment.told(page, data)) == page


def test_the_data_are_those_of_the_design(data):
    boards = experiment.BATCH * experiment.BATCHES
    for name in (*experiment.PRESET_NAMES, *experiment.SINGLE_RULES):
        assert len(data.of("free", name)) == boards
    best, unseen, _ = experiment.ROUNDS[-1]
    assert [len(data.of("free", name)) for name in data.found] == [experiment.BATCH * unseen] * best
    for arm, games in experiment.ARMS.items():
        rows = data.of(arm)
        assert len(rows) == len(experiment.PRESET_NAMES) * boards
        assert {sum(half[0] for half in row[arm]) for row in rows} == {games}


@pytest.mark.parametrize("number", [0, 3333])
@pytest.mark.parametrize("arm", ["free", "optimal", "wins", "trader", "weighted"])
def test_stored_games_are_played_again(data, number, arm):
    row = data.of(arm)[number]
    seed = experiment.seed_of(row["rules"], row["number"], arm)
    board = Board.from_notation(row["board"])
    assert experiment.play_arm(board, arm, experiment.ARMS[arm], seed) == row[arm]


def test_pairs_have_every_seat_and_stand_on_their_page(data):
    board = Board.from_notation(data.rows[0]["board"])
    won = [pairs.share(*names, board, 20, 1) for names in (("expert", "weighted"), ("weighted", "expert"))]
    assert sum(won) == 1
    assert won[0] > 0.9
    lines = pairs.PAGE.read_text(encoding="utf-8").partition("<!-- pairs -->\n")[2].splitlines()
    assert [line.startswith("|") for line in lines[:9]] == [True] * 8 + [False]


def test_intervals_and_corrections():
    found = experiment.normal("", [1.0, 2.0, 3.0, 4.0], [1.0, 3.0])
    assert (found.value, found.n) == (0.5, 4)
    assert found.high - found.value == pytest.approx(1.96 * math.sqrt(5 / 12 + 1), abs=0.001)
    assert found.p == pytest.approx(2 * (1 - 0.6628), abs=0.001)  # z is 0.42
    assert experiment.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert experiment.ranks([5, 1, 5, 9]).tolist() == [2.5, 1, 2.5, 4]
    r = experiment.correlated("", [1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    assert (r.value, r.low, r.high) == pytest.approx((0.8, -0.279, 0.986), abs=0.001)


def test_the_fit_finds_the_coefficients_of_known_games():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(4000, 4, 2))
    truth = np.array([0.7, -0.3])
    wins = np.array([draw.multinomial(20, p) for p in worth.shares(x, truth)], dtype=float)
    beta, error = worth.fit(x, wins)
    assert np.abs(beta - truth).max() < 5 * error.max() < 0.1


def test_a_run_that_was_stopped_goes_on_to_the_same_rows(tmp_path):
    arms = {"free": 4, "optimal": 4, "wins": 4, "turned": 4, "greedy:pips": 1}
    todo = [experiment.Task("open", 0, 2, arms), experiment.Task("reds_apart", 1, 1, {"free": 4})]
    files = [tmp_path / "a", tmp_path / "b"]
    rows = experiment.gather(todo, files[0], workers=1)
    files[1].write_bytes(files[0].read_bytes()[:-20])  # killed while it wrote the second batch
    assert experiment.gather(todo, files[1], workers=2) == rows
    assert [(row["rules"], row["number"]) for row in rows] == [("open", 0), ("open", 1), ("reds_apart", 10)]
    assert all(sum(row["turned"][k]) == 4 for row in rows[:2] for k in (0, 1))
