"""Simulated games of Catan: wins per seat, lengths and margins, and single games action by action.

numba compiles the engine if it is installed (``pip install 'catan-cp[play]'``). Without numba the
games are the same, but some hundred times slower.
"""

from catan_cp.play.actions import Action
from catan_cp.play.game import Game, View
from catan_cp.play.games import Games, Share, plot_games, wilson
from catan_cp.play.playing import PLANS, play_games
from catan_cp.play.policies import POLICIES
from catan_cp.play.tables import GameRules

__all__ = [
    "PLANS",
    "POLICIES",
    "Action",
    "Game",
    "GameRules",
    "Games",
    "Share",
    "View",
    "play_games",
    "plot_games",
    "wilson",
]
