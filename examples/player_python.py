"""A player in Python to copy and change. It plays 100 games with built-in players.

python examples/player_python.py
"""

from functools import cache

import catan_cp

WORTH = {"buy": 3, "knight": 2, "roads": 2, "road": 1}
vertex_pips = cache(catan_cp.Board.vertex_pips)


def my_player(view, legal_actions, rng):
    """Return one of the legal actions, which are tuples (`catan_cp.play.Game.legal_actions`).

    *view* is everything that the seat may see now (`catan_cp.play.View`). *rng* is a `random.Random`.
    """

    def worth(action):
        name, *places = action
        if name in ("settle", "city"):
            return 4 + (name == "city"), vertex_pips(view.board)[places[0]]
        if name == "rob":  # a seat with many points
            return 0, max((view.points[seat - 1] for seat in places[1:]), default=0)
        if name == "trade":  # towards a city
            is_useful = places[0] in ("brick", "wool", "lumber") and places[1] in ("ore", "grain")
            return (0, 1) if is_useful else (-1, 0)
        return WORTH.get(name, 0), 0

    worths = [worth(action) for action in legal_actions] if len(legal_actions) > 1 else [0]
    best = max(worths)
    return rng.choice([a for a, value in zip(legal_actions, worths, strict=True) if value == best])


if __name__ == "__main__":
    board = catan_cp.generate_board("tournament", seed=1)
    print(catan_cp.play_games(board, 100, players=[my_player, "greedy", "weighted", "weighted"], seed=1))
