"""A compiled player, to copy and change. It plays 1,000 games against built-in players.

python examples/player_compiled.py
"""

import catan_cp
from catan_cp.compiled import compiled
from catan_cp.play.actions import decode, list_legal
from catan_cp.play.engine import draw
from catan_cp.play.tables import AT, DO, ON


@compiled
def worth(g, code):
    """Return the worth of an action by its code, as described in `catan_cp.play.actions`."""
    kind, x = code >> 10, code & 1023
    if kind == DO.settle or kind == DO.upgrade:
        return 1000 + g[ON.pips + x]
    return 100 if kind == DO.buy else 10 if kind == DO.play else 1 if kind == DO.lay else 0


@compiled
def my_policy(g, s):
    """Write the action into ``s[AT.act]``: the most valuable one, by chance among equals.

    *g* is the board, *s* the full state with all hands (`catan_cp.play.tables`).
    """
    best, chosen, equals = -1, 0, 0
    for k in range(list_legal(g, s)):  # writes the codes of the legal actions into AT.score
        value = worth(g, s[AT.score + k])
        equals = equals + 1 if value == best else 1
        if value > best or (value == best and draw(s, equals) == 0):
            best, chosen = value, s[AT.score + k]
    decode(s, chosen)


if __name__ == "__main__":
    board = catan_cp.generate_board("tournament", seed=1)
    print(catan_cp.play_games(board, 1000, players=[my_policy, "greedy", "weighted", "weighted"], seed=1))
