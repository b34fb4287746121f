"""Simulated games of Catan: wins per seat, lengths and margins.

numba compiles the engine if it is installed (``pip install -e '.[play]'`` in the checkout). Without numba the
games are the same, but some hundred times slower.
"""

from catan_cp.play.games import Games, Share, plot_games, wilson
from catan_cp.play.playing import PLANS, play_games
from catan_cp.play.policies import POLICIES

__all__ = ["PLANS", "POLICIES", "Games", "Share", "play_games", "plot_games", "wilson"]
