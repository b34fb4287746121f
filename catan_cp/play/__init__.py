"""Games of Catan, played by programs: who wins from which seat, how long it takes, how close it is.

The engine is compiled by numba where that is installed (``pip install -e '.[play]'`` in the checkout);
without it the same games are played, some hundred times slower.
"""

from catan_cp.play.games import Games, Share, plot_games, wilson
from catan_cp.play.playing import PLANS, play_games
from catan_cp.play.policies import POLICIES

__all__ = ["PLANS", "POLICIES", "Games", "Share", "play_games", "plot_games", "wilson"]
