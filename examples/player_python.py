"""A player in Python, to copy and change. It plays 100 games against three built-in players.

python examples/player_python.py
"""

import catan_cp

WORTH = {"city": 5, "settle": 4, "buy": 3, "knight": 2, "roads": 2, "road": 1}


def my_player(view, legal_actions, rng):
    """Return one of the legal actions.

    Args:
        view: everything that the seat may see now, such as `view.hand` (`catan_cp.play.View`).
        legal_actions: tuples such as ("road", 3, 4) (`catan_cp.play.Game.legal_actions`).
        rng: a `random.Random`. Choices by it are repeated with the same seed.
    """
    pips = view.board.vertex_pips()

    def worth(action):
        name, *where = action
        if name in ("settle", "city"):
            return WORTH[name], pips[where[0]]
        if name == "rob":  # a tile of the leader, if it is another seat
            victims = [view.points[seat - 1] for seat in where[1:]]
            return 0, max(victims, default=0)
        if name == "trade":  # towards a city, with the cards it does not need
            gives, takes = where
            return (0, 1) if gives in ("brick", "wool", "lumber") and takes in ("ore", "grain") else (-1, 0)
        return WORTH.get(name, 0), 0

    best = max(map(worth, legal_actions))
    return rng.choice([action for action in legal_actions if worth(action) == best])


if __name__ == "__main__":
    board = catan_cp.generate_board("tournament", seed=1)
    print(catan_cp.play_games(board, 100, players=[my_player, "greedy", "weighted", "weighted"], seed=1))
