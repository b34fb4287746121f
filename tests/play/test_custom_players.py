"""Players that are functions: templates run, equal players are equal, faults are reported."""

import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from catan_cp import CatanError, InvalidArgument, play_games

# A compiled player is written with these names of inner modules, as docs/play.md says.
from catan_cp.compiled import compiled
from catan_cp.play import GameRules
from catan_cp.play.actions import decode, list_legal
from catan_cp.play.policies import greedy, weighted
from examples.player_compiled import my_policy
from examples.player_python import my_player
from tests.play.by_hand import AT, DO

EXAMPLES = Path(__file__).parents[2] / "examples"
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"


def middle(view, legal_actions, rng):
    """Return the action in the middle of the list."""
    return legal_actions[len(legal_actions) // 2]


@compiled
def middle_compiled(g, s):
    n = list_legal(g, s)
    decode(s, s[AT.score + n // 2])


def at_random(view, legal_actions, rng):
    return rng.choice(legal_actions)


def same_but_named_otherwise(view, legal_actions, rng=None):  # with a default: still a player in Python
    return rng.choice(legal_actions)


def test_templates_are_short_and_play():
    games = play_games(BOARD, 8, players=[my_player, my_policy, "weighted"], seed=1)
    assert games.players == ("my_player()", "my_policy()", "weighted")
    assert games.unfinished == 0
    for name in ("player_python.py", "player_compiled.py"):
        assert len((EXAMPLES / name).read_text().splitlines()) <= 40


def test_policies_as_functions_play_alike():
    games = play_games(BOARD, 40, players=["greedy", "weighted", "expert", "greedy"], seed=3)
    again = play_games(BOARD, 40, players=[greedy, weighted, "expert", greedy], seed=3)
    assert again.played == games.played
    placed = [
        play_games(BOARD, 5, players=[x] * 4, placement="1:42-41,2:24", seed=3) for x in ("greedy", greedy)
    ]
    assert placed[0].played == placed[1].played
    # Functions beside a seat with a plan for its settlements
    mixed = [play_games(BOARD, 5, players=[x, "greedy:pips", x], seed=3) for x in ("greedy", greedy)]
    assert mixed[0].played == mixed[1].played


def test_winner_is_not_asked_again():
    """In the last of these games, seat 2 has ten points before it rolls: another seat lost an award."""
    games = play_games(BOARD, 4, players=["expert", *["greedy"] * 3], seed=264)
    again = play_games(BOARD, 4, players=["expert", *[greedy] * 3], seed=264)
    assert again.played == games.played
    assert games.rows["winner"][3] == 2
    assert games.rows["turns"][3] % 4 == 2


@pytest.mark.parametrize("rules", [GameRules(), GameRules(12, 9, True)])
def test_compiled_players_play_same_games(rules):
    seats = [middle, "greedy", middle_compiled], [middle_compiled, "greedy", middle]
    games = [play_games(BOARD, 6, players=players, seed=3, rules=rules) for players in seats]
    assert games[0].played == games[1].played


def test_identical_players_win_equally_often():
    """The seats differ in strength, and the exchange makes up for it exactly."""
    one, two = at_random, same_but_named_otherwise
    games = [play_games(BOARD, 30, players=players, seed=9) for players in ([one, two], [two, one])]
    assert games[0].played == games[1].played
    wins = [np.bincount(series.rows["winner"], minlength=3)[1:] for series in games]
    assert wins[0][0] + wins[1][1] == wins[0][1] + wins[1][0]
    assert play_games(BOARD, 30, players=[one, two], seed=10).played != games[0].played


def test_function_games_depend_on_seed(tmp_path):
    players, file = [at_random, "greedy", my_player], tmp_path / "games.jsonl"
    games = play_games(BOARD, 12, players=players, seed=2)
    play_games(BOARD, 7, players=players, seed=2, file=file)
    assert play_games(BOARD, 12, players=players, seed=2, file=file) == games
    assert play_games(BOARD, 12, players=players, seed=2, workers=2) == games
    with pytest.raises(InvalidArgument, match=r"workers must be 1 for player player\(\); other processes"):
        play_games(BOARD, 12, players=[late(divides), "greedy"], seed=2, workers=2)


def test_players_offer_and_answer():
    """Seat 1 offers all it may, at first a bad trade. Seat 2 accepts what it can, and seat 3 is a trader."""
    answers, offers = [], []

    def merchant(view, legal_actions, rng):
        if view.offers_left:
            offers.append((view.turn, view.offers_left))
            held = [name for name, count in view.hand.items() if count]
            seat = 2 + view.offers_left % 2
            if held and view.hand_sizes[seat - 1]:
                give = rng.choice(held)
                wanted = rng.choice([name for name in view.hand if name != give])
                return ("offer", seat, 1, give, 1, wanted)
        return rng.choice(legal_actions)

    def partner(view, legal_actions, rng):
        if view.offer:
            assert view.active == 1 and view.phase == "answering"
            answers.append((("accept",) in legal_actions, view.hand[view.offer[3]] >= view.offer[2]))
        return legal_actions[0]

    rules = GameRules(offers=4)
    games = play_games(BOARD, 5, players=[merchant, partner, "trader"], seed=1, rules=rules)
    assert games.unfinished < 5
    assert answers and all(can_accept == has_cards for can_accept, has_cards in answers)
    assert {can_accept for can_accept, _ in answers} == {False, True}
    assert {left for _, left in offers} == {1, 2, 3, 4}


def test_trader_accepts_good_offers_only():
    accepted = Counter()

    def merchant(view, legal_actions, rng):
        """Offer one brick for one ore, or ask for two."""
        hand, count = view.hand["brick"], 1 + view.turn // 2 % 2
        if view.offers_left and hand and view.hand_sizes[1] >= count:
            before.append((count, hand))
            return ("offer", 2, 1, "brick", count, "ore")
        if before:
            count, bricks = before.pop()
            accepted[count, hand < bricks] += 1
        return rng.choice(legal_actions)

    before = []
    play_games(BOARD, 40, players=[merchant, "trader"], seed=1, rules=GameRules(offers=1))
    assert accepted[1, True] and accepted[1, False] and accepted[2, False] and not accepted[2, True]


@pytest.mark.parametrize(
    "offer",
    [(1, 1, "ore", 1, "brick"), (2, 1, "ore", 1, "ore"), (2, 0, "ore", 1, "brick"),
     (2, 99, "ore", 1, "brick"), (2, 1, "ore", 99, "brick"), (2, 1, "gold", 1, "brick"), (2, 1, "ore"),
     (5, 1, "ore", 1, "brick")],
)  # fmt: skip
def test_illegal_offers_reported(offer):
    def merchant(view, legal_actions, rng):
        return ("offer", *offer) if view.hand["ore"] and view.offers_left else rng.choice(legal_actions)

    with pytest.raises(InvalidArgument, match=r"player merchant\(\) of seat 1, in game 0 and turn \d+, must"):
        play_games(BOARD, 1, players=[merchant, "greedy", "greedy"], seed=1)


def late(fault):
    """A player that commits a fault in the fifth turn of the seat."""

    def player(view, legal_actions, rng):
        return fault(legal_actions) if view.turn > 8 else random.Random(view.turn).choice(legal_actions)

    return player


def divides(legal_actions):
    return legal_actions[0] / 0


@compiled
def cheats(g, s):
    greedy(g, s)
    if s[AT.act] == DO.end:
        s[AT.act], s[AT.act + 1] = DO.upgrade, 3


@compiled
def keeps_its_cards(g, s):
    greedy(g, s)
    if s[AT.act] == DO.discard:
        s[AT.act + 1 : AT.act + 6] = 0


@compiled
def discards_too_much(g, s):
    greedy(g, s)
    if s[AT.act] == DO.discard:
        s[AT.act + 1] = 19


@compiled
def stacks_the_dice(g, s):
    greedy(g, s)
    if s[AT.act] == DO.roll:
        s[AT.act + 1] = 8


@pytest.mark.parametrize("returned", [None, ("win",), ["roll"], ("settle", 0)])
def test_illegal_action_reported(returned):
    with pytest.raises(InvalidArgument, match=r"player\(\) of seat 2, in game 0 and turn \d+, must"):
        play_games(BOARD, 3, players=["greedy", late(lambda _: returned)], seed=1)


def test_faults_of_function_reported():
    with pytest.raises(CatanError, match=r"seat 1, in game 0 and turn \d+, raised TypeError") as raised:
        play_games(BOARD, 3, players=[late(divides), "greedy"], seed=1)
    assert isinstance(raised.value.__cause__, TypeError)
    with pytest.raises(CatanError, match="raised SystemExit: 3"):
        play_games(BOARD, 3, players=[late(lambda _: sys.exit(3)), "greedy"], seed=1)
    for player in (cheats, keeps_its_cards, discards_too_much):
        with pytest.raises(InvalidArgument, match=rf"player {player.__name__}\(\) of seat 1, .* must return"):
            play_games(BOARD, 20, players=[player, "greedy"], seed=1)
    for function in (len, lambda view: None):
        with pytest.raises(InvalidArgument, match="must be a function of"):
            play_games(BOARD, 3, players=[function, "greedy"], seed=1)


def test_compiled_player_cannot_choose_dice():
    games = [play_games(BOARD, 20, players=[x, "greedy"], seed=6) for x in (greedy, stacks_the_dice)]
    assert games[0].played == games[1].played


def test_ctrl_c_keeps_finished_batches(tmp_path):
    file, calls = tmp_path / "games.jsonl", []

    def player(view, legal_actions, rng):
        calls.append(view.turn)
        if len(calls) == 1500:
            raise KeyboardInterrupt
        return rng.choice(legal_actions)

    with pytest.raises(KeyboardInterrupt):
        play_games(BOARD, 60, players=[player, "greedy"], seed=6, file=file)
    assert len(file.read_text().splitlines()) > 1
    expected = play_games(BOARD, 60, players=[player, "greedy"], seed=6)
    assert play_games(BOARD, 60, players=[player, "greedy"], seed=6, file=file) == expected
