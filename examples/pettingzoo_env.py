"""The base game as an environment of PettingZoo, for reinforcement learning.

    python examples/pettingzoo_env.py

Needs PettingZoo (``pip install pettingzoo``). An action is the index of an action in `Game.actions`. The mask
is 1 for legal actions. The winner gets the reward 1 and the other seats -1. An observation has the numbers
that a seat may see.
"""

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from catan_cp import LAYOUTS
from catan_cp.play import Game

BOARD = LAYOUTS["base"].beginner_board


class CatanEnv(AECEnv):
    """A game of Catan on one board. Each agent is a seat, named ``seat_1`` and so on."""

    metadata = {"name": "catan_cp_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, board=BOARD, players=4, render_mode=None):
        super().__init__()
        self.board, self.players, self.render_mode = board, players, render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(1, players + 1)]
        self._game = Game(board, players, seed=0)
        self._actions = self._game.actions
        self._index = {action: k for k, action in enumerate(self._actions)}
        size, n = len(self._observation(1)), len(self._actions)
        observation = Box(-1, 1000, (size,), np.float32)
        self._spaces = Dict({"observation": observation, "action_mask": Box(0, 1, (n,), np.int8)})
        self._action_spaces = {agent: Discrete(n) for agent in self.possible_agents}

    def observation_space(self, agent):
        """Return the space of observations with a mask, the same for all agents."""
        return self._spaces

    def action_space(self, agent):
        """Return the space of indices of actions."""
        return self._action_spaces[agent]

    def reset(self, seed=None, options=None):
        """Begin another game. The same seed begins the same game."""
        self._game = Game(self.board, self.players, seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self._game.to_play - 1]

    def observe(self, agent):
        """Return what a seat sees, and the mask of its legal actions."""
        seat, mask = self.possible_agents.index(agent) + 1, np.zeros(len(self._actions), np.int8)
        if seat == self._game.to_play:
            mask[[self._index[action] for action in self._game.legal_actions()]] = 1
        return {"observation": self._observation(seat), "action_mask": mask}

    def step(self, action):
        """Carry out the action of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._game.apply(self._actions[action])
        if self._game.is_over:
            winner = self._game.winner  # None after a thousand turns
            for seat, name in enumerate(self.agents, start=1):
                self.rewards[name] = 0 if winner is None else 1 if seat == winner else -1
            self.terminations = dict.fromkeys(self.agents, winner is not None)
            self.truncations = dict.fromkeys(self.agents, winner is None)
        self.agent_selection = self.agents[self._game.to_play - 1]
        self._accumulate_rewards()

    def render(self):
        """Return the full state as text."""
        return str(self._game)

    def close(self):
        """Release nothing."""

    def _observation(self, seat):
        view, layout = self._game.view(seat), self._game.board.layout
        buildings = np.zeros(layout.n_vertices)  # the seat, plus the number of seats for a city
        buildings[[*view.settlements]], roads = [*view.settlements.values()], view.roads
        for vertex, owner in view.cities.items():
            buildings[vertex] = owner + self.players
        numbers = [
            seat, view.to_play, view.active, view.turn, view.robber, view.deck_size, view.to_discard,
            view.longest_road or 0, view.largest_army or 0, view.own_points,
            *view.hand.values(), *view.cards.values(), *view.rates.values(), *view.bank.values(),
            *view.points, *view.hand_sizes, *view.card_counts, *view.knights, *view.road_lengths,
            *buildings, *(roads.get(edge, 0) for edge in layout.edges),
        ]  # fmt: skip
        return np.array(numbers, np.float32)


if __name__ == "__main__":
    from pettingzoo.test import api_test

    api_test(CatanEnv(), num_cycles=1000)
