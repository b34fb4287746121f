"""Games of Catan, played by programs: who wins from which seat, how long it takes, how close it is.

The games run on Catanatron, which ``pip install -e '.[play]'`` brings in the checkout. Nothing else needs it.
"""

from catan_cp.play.games import Game, Games, Share, wilson
from catan_cp.play.pictures import plot_games
from catan_cp.play.running import play_games
from catan_cp.play.specs import PLANS, STYLES

__all__ = ["PLANS", "STYLES", "Game", "Games", "Share", "play_games", "plot_games", "wilson"]
