"""Play a tournament of all pairs of policies, and write its table.

    python -m benchmarks.games.pairs

On each board two players of one policy play two of another. Each policy has every seat, with the same seeds.
Intervals are 95 % intervals of the mean share of wins over boards.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.games.openings import boards_of, marked
from catan_cp import Board, play_games
from catan_cp.play import POLICIES

BOARDS, GAMES, SEED = 200, 10, 20261122
PAGE = Path(__file__).parents[2] / "docs" / "play.md"


def share(one: str, other: str, board: Board, games: int, seed: int) -> float:
    """Return the share of games won by two players of one policy against two of another.

    Each policy has each pair of seats in half of the games.
    """
    won = 0
    for turn, players in enumerate(([one, other] * 2, [other, one] * 2)):
        wins = play_games(board, games, players=players, seed=seed).wins
        won += wins[turn].count + wins[turn + 2].count
    return won / (2 * games)


def table() -> list[str]:
    """Play, and return the table's lines."""
    boards, lines = (
        boards_of("tournament", BOARDS, SEED),
        ["| two of | against two of | win | 95 % interval |"],
    )
    lines.append("| --- | --- | ---: | ---: |")
    for weaker, stronger in combinations(POLICIES, 2):
        won = np.array([share(stronger, weaker, board, GAMES, k) for k, board in enumerate(boards)])
        mean, half = won.mean(), 1.959964 * won.std(ddof=1) / np.sqrt(len(won))
        interval = f"{mean - half:.1%} to {mean + half:.1%}"
        lines.append(f"| `{stronger}` | `{weaker}` | {mean:.1%} | {interval} |")
        print(lines[-1], file=sys.stderr)
    return lines


if __name__ == "__main__":
    PAGE.write_text(marked(PAGE.read_text(encoding="utf-8"), "pairs", table()), encoding="utf-8")
