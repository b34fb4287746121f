"""The trial on synthetic games, whose true chances are known."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from catan_cp import import_board
from research.people import synthetic
from research.people.__main__ import main
from research.people.trial import Finished, LeftOut, finished, fit, interval, losses, results
from tests.formats.files import FILES

N = 3000


@pytest.fixture(scope="module")
def played():
    return [*synthetic.games(12, seed=1)]


def drawn(truth, seed=1):
    """Return games whose winners follow the stated chances, the pips or no difference."""
    rng, games = np.random.default_rng(seed), []
    for number in range(N):
        n = 3 + number % 2
        pips = rng.integers(12, 28, n)
        odds = np.exp(rng.normal(0, 0.5, n))
        chances = odds / odds.sum()
        by_pips = np.exp(0.1 * pips) / np.exp(0.1 * pips).sum()
        winner = rng.choice(n, p={"stated": chances, "pips": by_pips, "none": np.full(n, 1 / n)}[truth])
        games.append(Finished(f"{number * 7919:x}", tuple(chances), tuple(map(int, pips)), int(winner)))
    return games


@pytest.mark.parametrize("truth", ["stated", "pips", "none"])
def test_true_forecast_wins(truth):
    games = drawn(truth)
    figures = results(games, Counter())
    stated = figures["gains"]["stated beside seats"]["verdict"]
    assert stated == {"stated": "better", "pips": "worse", "none": "worse"}[truth]
    assert figures["gains"]["stated beside pips"]["verdict"] == ("better" if truth == "stated" else "worse")
    slope, error = figures["exponent"]["value"], figures["exponent"]["standard_error"]
    assert abs(slope - (truth == "stated")) < 4 * error
    if truth == "stated":
        entropies = [-sum(p * np.log(p) for p in game.chances) for game in games]
        loss = losses(games)["stated"]
        assert abs(loss.mean() - np.mean(entropies)) < 4 * loss.std() / np.sqrt(N)


def test_fit_recovers_a_weight():
    games = drawn("pips")
    rows = np.full((N, 4), np.nan)
    for row, game in zip(rows, games, strict=True):
        row[: len(game.pips)] = game.pips
    weight, error = fit(rows, np.array([game.winner for game in games]))
    assert abs(weight - 0.1) < 4 * error < 0.05


def test_intervals_cover_the_mean():
    rng = np.random.default_rng(3)
    covered = [low <= 0 <= high for low, high in (interval(rng.normal(size=50)) for _ in range(60))]
    assert 49 <= sum(covered) <= 60


@pytest.mark.parametrize("program", FILES)
def test_files_have_the_winner(program, played):
    for draft, winner in played[:3]:
        text = synthetic.text_of(program, draft, winner)
        assert import_board(text) == draft
        assert finished(text).winner == winner


def test_command_reads_each_format(tmp_path, capsys):
    synthetic.main([str(tmp_path), "--games", "12"])
    (tmp_path / "colonist.io" / "broken.json").write_text("{")
    for program in FILES:
        main([str(tmp_path / program), "--save", str(tmp_path / program / "results.json")])
        out, figures = capsys.readouterr().out, json.loads((tmp_path / program / "results.json").read_text())
        assert figures["games"] == 12
        assert "| stated beside seats |" in out
        assert figures["log_loss"]["equal"] == pytest.approx(np.log(4))
    main([str(tmp_path)])
    out = capsys.readouterr().out
    assert out.startswith("12 games\n") and "36 (the same game as another file)" in out
    assert "5 (no board or opening that can be read)" in out, "with the four results"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["gameSettings", "victoryPointsToWin"], 12, "not 10 points to win"),
        (["eventHistory", "endGameState", "players"], {}, "not exactly one winner"),
        (["eventHistory", "endGameState"], None, "not exactly one winner"),
        (["eventHistory", "events"], [], "no opening of 3 or 4 seats"),
        (["playOrder"], [1, 2], "no board or opening"),
    ],
)
def test_reasons_to_leave_out(path, value, reason, played):
    game = json.loads(synthetic.text_of("colonist.io", *played[0]))
    *places, last = ["data", *path]
    part: Any = game
    for place in places:
        part = part[place]
    part[last] = value
    with pytest.raises(LeftOut, match=reason):
        finished(json.dumps(game))
