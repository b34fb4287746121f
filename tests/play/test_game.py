"""One game through public names: illegal actions, copies, and text as state."""

import random

import pytest

from catan_cp import LAYOUTS, Games, InvalidArgument, InvalidBoard, play_games
from catan_cp.play import Game, GameRules, View

BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"


def play(game, rng, actions=10**6):
    """Play random actions, with end as the last choice, and return their list."""
    history = []
    while not game.is_over and len(history) < actions:
        legal = game.legal_actions()
        history.append(rng.choice([action for action in legal if action != ("end",)] or legal))
        game.apply(history[-1])
    return history


@pytest.mark.parametrize("actions", [0, 1, 40, 200])
def test_equal_games_stay_equal(actions):
    game = Game(BOARD, 3, seed=4)
    history = play(game, random.Random(1), actions)
    twin = Game(BOARD, 3, seed=4)
    for action in history:
        assert twin != game
        twin.apply(action)
    assert twin == game and str(twin) == str(game)
    assert str(Game(BOARD, 3, seed=5)) != str(Game(BOARD, 3, seed=4))
    copy, text = game.copy(), str(game)
    assert play(copy, random.Random(2)) == play(twin, random.Random(2))
    assert copy.is_over and copy.legal_actions() == []
    assert str(copy) == str(twin) != text == str(game)


def test_illegal_actions_rejected_and_change_nothing():
    game = Game(BOARD, seed=1)
    for _ in range(60):
        legal, text = {*game.legal_actions()}, str(game)
        illegal = [action for action in game.actions if action not in legal]
        for action in (*illegal, "end", ("settle",), ("settle", -1), ["roll"], None, 7):
            with pytest.raises(InvalidArgument, match="action must be one of"):
                game.apply(action)
        assert str(game) == text
        play(game, random.Random(text), 1)
    play(game, random.Random(1))
    with pytest.raises(InvalidArgument, match="the game is over"):
        game.apply(("end",))


def test_view_hides_and_does_not_change():
    game, rng = Game(BOARD, seed=3), random.Random(3)
    play(game, rng, 150)
    view = game.view(2)
    state = list(view._s)
    play(game, rng, 30)
    assert list(view._s) == state
    assert game.view(2).turn > view.turn
    with pytest.raises(AttributeError):
        view.turn = 3
    with pytest.raises(TypeError):
        view.hand["ore"] = 9  # type: ignore[index]
    for seat in (0, 5, "1"):
        with pytest.raises(InvalidArgument, match="seat"):
            game.view(seat)


def test_hidden_card_seen_by_buyer():
    game, rng = Game(BOARD, 3, seed=1), random.Random(1)
    while ("buy",) not in game.legal_actions():
        game.apply(rng.choice(game.legal_actions()))
    buyer, names = game.to_play, [name for name in dir(View) if isinstance(getattr(View, name), property)]
    games = [after for _, after in game.enumerate_outcomes(("buy",))]
    assert len(games) > 2
    for seat in (1, 2, 3):
        seen = [[getattr(one.view(seat), name) for name in names] for one in games]
        hidden = [list(one.view(seat)._s) for one in games]
        for views in (seen, hidden):
            assert all((view == views[0]) == (seat != buyer) for view in views[1:])


@pytest.mark.parametrize("points", [7, 12, 15])
def test_rules_change_points_and_hands(points):
    games = [Game(BOARD, 3, seed=8, rules=GameRules(points, hand_limit=9)) for _ in range(2)]
    for game in games:
        play(game, random.Random(points))
    assert games[0] == games[1] != Game(BOARD, 3, seed=8)
    winner = games[0].winner
    assert winner is None or games[0].view(winner).own_points >= points


def test_games_keep_their_rules(tmp_path):
    rules, file = GameRules(12, friendly_robber=True), tmp_path / "games.jsonl"
    games = play_games(BOARD, 5, seed=1, rules=rules, file=file)
    assert (games.rows["points"].max(axis=1) >= 12).all()
    assert Games.from_json(games.to_json()) == games != play_games(BOARD, 5, seed=1)
    assert "rules        points 12, hand limit 7, friendly robber yes" in str(games)
    with pytest.raises(InvalidArgument, match="another rules"):
        play_games(BOARD, 5, seed=1, file=file)
    for words in ({"players": "greedy:odds"}, {"placement": "chances"}):
        with pytest.raises(InvalidArgument, match=r"(odds|chances)', not another points, friendly_robber"):
            play_games(BOARD, 5, seed=1, rules=rules, **words)
    with pytest.raises(InvalidArgument, match="paired_players must be False for 4 players"):
        play_games(BOARD, 5, seed=1, rules=GameRules(paired_players=True))


def test_arguments_checked():
    for arguments in ((1,), (7,), (4, "x"), (5,), (4, 1.5)):
        with pytest.raises(InvalidArgument):
            Game(BOARD, *arguments)
    with pytest.raises(InvalidArgument, match="rules must be a GameRules"):
        Game(BOARD, rules={"points": 12})
    for rules in ({"points": 6}, {"points": 10.5}, {"hand_limit": 4}, {"friendly_robber": 1}):
        with pytest.raises(InvalidArgument, match=r"points|limit|robber"):
            GameRules(**rules)
    with pytest.raises(InvalidBoard):
        Game("o10w2l9/g12b6w4b10/g9l11l2l3o8/l8o3g4w5/b5g6w11:printed")
    assert Game(LAYOUTS["base-5-6"].beginner_board, 6, seed=1).legal_actions()
