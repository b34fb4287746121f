"""Variants of the rules of play, against cases of the rule book, and outcomes of chance."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from catan_cp import LAYOUTS, InvalidArgument, play_games
from catan_cp.play import Game, GameRules
from tests.play.by_hand import AT, BOARD, empty, lay, path_from

LARGE = LAYOUTS["base-5-6"].beginner_board
PAIRED = GameRules(paired_players=True)


@pytest.mark.parametrize("least", [3, 4, 5])
def test_longest_road_needs_its_least_length(least):
    (game, g, s), path = empty(least_road=least), path_from(0, least)
    s[AT.owner + path[0]] = 0
    lay(g, s, 0, path[:-1])
    assert game.longest_road is None
    lay(g, s, 0, path[-2:])
    assert game.longest_road == 1


@pytest.mark.parametrize("seats", [5, 6])
def test_partner_sits_three_seats_left(seats):
    """It buys, builds, plays a card and trades with the bank. It makes no offer and does not roll."""
    game, rng, parts = Game(LARGE, seats, seed=2, rules=PAIRED), random.Random(1), []
    kinds = Counter()
    while not game.is_over:
        legal = game.legal_actions()
        action = rng.choice([a for a in legal if a != ("end",)] or legal)
        if game.phase == "paired":
            kinds[action[0]] += 1
            assert game.offers_left == 0 and game.to_play == game.active
        if game.phase in ("rolling", "paired"):
            parts.append((game.turn, game.active, game.phase))
        game.apply(action)
    turns = {(turn, phase): active for turn, active, phase in parts}
    for turn in range(1, game.turn):
        assert turns[turn, "rolling"] == (turn - 1) % seats + 1
        assert turns[turn, "paired"] == (turn + 2) % seats + 1
    assert {"buy", "road", "trade", "knight", "end"} <= {*kinds} and "roll" not in kinds


def test_partner_wins_in_its_part():
    game = Game(LARGE, 6, seed=2, rules=PAIRED)
    while game.phase != "main" or ("end",) not in game.legal_actions():
        game.apply(game.legal_actions()[0])
    active = game.active
    game._s[AT.built + (active + 2) % 6] = 10
    assert game.winner is None
    game.apply(("end",))
    assert game.winner == (active + 2) % 6 + 1


@pytest.mark.parametrize("rules", [GameRules(7, least_road=3, any_rate=True, robber_steps=True), PAIRED])
def test_policies_play_by_variants(rules):
    seats = 6 if rules.paired_players else 4
    games = play_games(
        LARGE if seats > 4 else BOARD, 12, players=["expert", "trader"] * (seats // 2), seed=1, rules=rules
    )
    assert games.unfinished == 0
    assert games.rows["points"].max(axis=1).min() >= rules.points
    assert type(games).from_json(games.to_json()) == games


# Outcomes


def decisions(kind):
    """Return a game and a legal action that needs this kind of chance."""
    rng = random.Random(4)
    game = Game(BOARD, 3, seed=5)
    while True:
        legal = game.legal_actions()
        fitting = [a for a in legal if a[0] == kind and (kind != "rob" or len(a) == 3)]
        if fitting and (kind != "rob" or sum(game.view(fitting[0][2]).hand.values()) > 3):
            return game, fitting[0]
        game.apply(rng.choice([a for a in legal if a != ("end",)] or legal))


@pytest.mark.parametrize(("kind", "freedom"), [("roll", 10), ("buy", 4), ("rob", 4)])
def test_outcomes_as_sampled(kind, freedom):
    """Pearson's statistic stays below its mean plus five standard deviations."""
    game, action = decisions(kind)
    text, outcomes = str(game), game.enumerate_outcomes(action)
    assert sum(chance for chance, _ in outcomes) == 1
    assert all(type(chance) is Fraction and chance > 0 for chance, _ in outcomes)
    rng, counts, n = random.Random(1), Counter(), 1500

    def visible(after):
        """Return the state without random numbers and the order of the deck."""
        lines = str(after).splitlines()
        return [*lines[:-2], sorted(lines[-2])]

    for _ in range(n):
        twin = game.copy()
        for k in range(4):
            twin._s[AT.random + k] = rng.getrandbits(32)
        deck = list(twin._s[AT.deck : AT.deck + game.deck_size])
        twin._s[AT.deck : AT.deck + game.deck_size] = rng.sample(deck, len(deck))
        twin.apply(action)
        counts[str(visible(twin))] += 1
    expected = Counter()
    for chance, after in outcomes:
        expected[str(visible(after))] += chance
    assert {*counts} <= {*expected} and str(game) == text
    statistic = sum(float((counts[x] - n * chance) ** 2 / (n * chance)) for x, chance in expected.items())
    assert statistic < freedom + 5 * (2 * freedom) ** 0.5


def test_single_outcomes():
    game = Game(BOARD, seed=1)
    [(chance, after)] = game.enumerate_outcomes(("settle", 24))
    assert (chance, after.settlements, game.settlements) == (1, {24: 1}, {})
    with pytest.raises(InvalidArgument, match="action must be one of"):
        game.enumerate_outcomes(("roll",))
