"""The example environment passes PettingZoo's own test, and plays the same game as `Game`."""

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo, of the extra 'dev', is not installed")

from pettingzoo.test import api_test, seed_test

from catan_cp.play import Game
from examples.pettingzoo_env import BOARD, CatanEnv


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # a mask makes the observation a dict
@pytest.mark.parametrize("players", [2, 4])
def test_pettingzoo_accepts_environment(players):
    api_test(CatanEnv(players=players), num_cycles=2500)


def test_seed_begins_same_game():
    seed_test(CatanEnv, num_cycles=100)


def test_episode_is_game():
    env, game, rng = CatanEnv(players=3), Game(BOARD, 3, seed=5), np.random.default_rng(5)
    env.reset(seed=5)
    while not game.is_over:
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        assert [game.actions[k] for k in legal] == sorted(game.legal_actions(), key=game.actions.index)
        action = rng.choice(legal)
        env.step(action)
        game.apply(game.actions[action])
        assert env.render() == str(game)
    rewards = [1 if seat == game.winner else -1 for seat in (1, 2, 3)]
    assert [env.rewards[agent] for agent in env.possible_agents] == (rewards if game.winner else [0] * 3)
