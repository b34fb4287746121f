"""Lengths of games, margins and seats of winners: the same policies on both engines."""

import math

import numpy as np
import pytest

pytest.importorskip("catanatron", reason="Catanatron, of the extra 'dev', is not installed")

from catanatron.models.enums import ActionType

from catan_cp import play_games
from tests.play.by_hand import AT, DO, NOW
from tests.play.catanatron_bridge import COLORS, RESOURCES, seated_game
from tests.play.test_oracle import board_of


def lengths_and_seats(players, seeds, games):
    """Return turns, margins and winning seats of a Catanatron game per board, and of several games here."""
    theirs_, ours_ = [], []
    for seed in seeds:
        game = seated_game(board_of(seed), players, seed)
        while game.winning_color() is None and game.state.num_turns < 1000:
            player = game.state.current_player()
            action = player.decide(game, game.state.playable_actions)
            if action.action_type is ActionType.DISCARD:  # it would draw the cards, and ours choose
                player.catch_up(game)
                s = player.s
                if player.choice()[0] == DO.discard and COLORS[s[NOW.seat]] is player.color:
                    value = np.repeat(RESOURCES, s[AT.act + 1 : AT.act + 6]).tolist()
                    action = action._replace(value=value)
            game.execute(action, validate_action=False)
        winner, values = game.winning_color(), game.state.player_state
        ends = sorted(values[f"P{p}_ACTUAL_VICTORY_POINTS"] for p in range(4))
        turns = 1 + sum(action.action_type is ActionType.END_TURN for action in game.state.actions)
        theirs_.append((turns, ends[-1] - ends[-2], 0 if winner is None else COLORS.index(winner) + 1))
        rows = play_games(board_of(seed), games, players=players, seed=seed).rows
        final = np.sort(rows["points"].astype(int), axis=1)
        ours_ += zip(
            rows["turns"].tolist(), final[:, -1] - final[:, -2], rows["winner"].tolist(), strict=True
        )
    return np.array(theirs_), np.array(ours_)


def smirnov(a, b):
    """The two-sided p-value of Kolmogorov and Smirnov for two samples, by the limit.

    Ties make it larger.
    """
    values = np.union1d(a, b)
    shares = [np.searchsorted(np.sort(x), values, side="right") / len(x) for x in (a, b)]
    scaled = np.abs(shares[0] - shares[1]).max() * np.sqrt(len(a) * len(b) / (len(a) + len(b)))
    if scaled < 0.2:
        return 1.0
    return min(1.0, 2 * sum((-1) ** (k - 1) * np.exp(-2 * (k * scaled) ** 2) for k in range(1, 101)))


def pearson(a, b):
    """The p-value of Pearson's chi-square of four seats' wins in two samples: three degrees of freedom."""
    counts = np.array([[np.sum(x == seat) for seat in range(1, 5)] for x in (a, b)])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    x = float(((counts - expected) ** 2 / expected).sum())
    return math.erfc(math.sqrt(x / 2)) + math.sqrt(2 * x / math.pi) * math.exp(-x / 2)


def test_tests_of_distributions_against_tables():
    """At the 5 % point each p-value is 0.05: 1.358 for large samples, and 7.815 with three degrees."""
    step = 1.358 * np.sqrt(2 / 10_000)
    a = np.arange(10_000) / 10_000
    assert smirnov(a, a) == 1
    assert smirnov(a, a + step) == pytest.approx(0.05, abs=0.002)
    wins = [np.repeat([1, 2, 3, 4], n) for n in ([500, 500, 500, 500], [500, 500, 500, 500])]
    assert pearson(*wins) == 1
    shifted = np.repeat([1, 2, 3, 4], [500 + 63, 500 - 63, 500, 500])
    assert pearson(wins[0], shifted) == pytest.approx(0.047, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["weighted", "greedy"])
def test_lengths_margins_and_seats_distributed_alike(policy):
    """Four players of one policy on both engines, on 400 new boards, with Holm's correction.

    The tests were named before they were run: Smirnov's of lengths and margins, Pearson's of seats'
    wins.
    """
    their_rows, our_rows = lengths_and_seats([policy] * 4, range(2001, 2401), 4)
    p_values = [test(their_rows[:, k], our_rows[:, k]) for k, test in enumerate((smirnov, smirnov, pearson))]
    assert min(p_values) > 0.05 / 6, (p_values, their_rows.mean(axis=0), our_rows.mean(axis=0))
