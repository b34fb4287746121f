"""Which player is stronger: one seat against three of another kind, all seats in turn."""

from __future__ import annotations

from collections.abc import Sequence

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.play import Share, play_games

PAIRS = (
    ("weighted", "random"),
    ("greedy", "weighted"),
    ("greedy", "victory"),
    ("greedy:optimal", "greedy"),
    ("greedy:pips", "greedy"),
)
"""Who is tried, against three of whom."""


def tournament(
    n: int, pairs: Sequence[tuple[str, str]] = PAIRS, seed: int = 1
) -> dict[tuple[str, str], Share]:
    """Return how often the first of each pair beats three of the second, which is a quarter among equals.

    All on the rule book's first board of ``base``, where every player places its own settlements.

    Args:
        n: games for each of the four seats that the first one takes in turn.
        pairs: who plays whom.
        seed: of the games.
    """
    base = LAYOUTS["base"]
    assert base.beginner_board is not None
    first = Board.from_notation(base.beginner_board)
    board = Board(base, first.terrain, first.markers, base.printed_harbors)
    found = {}
    for one, others in pairs:
        wins = 0
        for seat in range(4):
            players = [one if s == seat else others for s in range(4)]
            wins += play_games(board, n, players=players, seed=seed).wins[seat].count
        found[one, others] = Share(wins, 4 * n)
    return found


def tournament_table(found: dict[tuple[str, str], Share]) -> str:
    """Return a tournament as plain text."""
    lines = [f"{'one':16}{'against three':16}{'wins':24}{'games':>6}"]
    lines += [f"{one:16}{others:16}{share!s:24}{share.n:>6}" for (one, others), share in found.items()]
    return "\n".join(lines)
