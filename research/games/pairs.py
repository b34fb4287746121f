"""Play a tournament of all pairs of policies and of searching experts, and write its table.

    python -m research.games.pairs

On each board two players of one policy play two of another. Each policy has every seat, with the same seeds.
Intervals are 95 % intervals of the mean share of wins over boards.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from catan_cp import Board, play_games
from catan_cp.play import POLICIES
from research.games.openings import boards_of, interval, marked

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


def row(stronger: str, weaker: str, scale: float = 1) -> str:
    """Play a pair on all boards or a share of them, and return its row of the table."""
    boards = boards_of("tournament", max(2, round(BOARDS * scale)), SEED)
    won = np.array([share(stronger, weaker, board, GAMES, k) for k, board in enumerate(boards)])
    mean, low, high = interval(won)
    return f"| `{stronger}` | `{weaker}` | {mean:.1%} | {low:.1%} to {high:.1%} |"


def lines(scale: float = 1) -> Iterator[str]:
    """Play all pairs, and yield the lines of the table."""
    yield "| two of | against two of | win | 95 % interval |"
    yield "| --- | --- | ---: | ---: |"
    for weaker, stronger in (*combinations(POLICIES, 2), ("expert", "expert:odds")):
        yield row(stronger, weaker, scale)


def main() -> None:
    """Play all pairs, and write the table."""
    PAGE.write_text(marked(PAGE.read_text(encoding="utf-8"), "pairs", [*lines()]), encoding="utf-8")


if __name__ == "__main__":
    main()
