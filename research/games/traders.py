"""Play games between four traders from random openings, and check that all of them end.

    python -m research.games.traders --games 1000000

Traders once swapped the same two cards back and forth for ever. Boards are random, without any rule.
"""

from __future__ import annotations

import argparse
import time

from research.games.openings import boards_of, drawn, rows_of

GAMES, CHUNK = 100, 100
"""The games per board, and the boards generated together."""


def main() -> None:
    """Play, and print the progress after each chunk of boards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000, help="number of games (default: 1000000)")
    parser.add_argument("--seed", type=int, default=39, help="seed of boards and games (default: 39)")
    chosen = parser.parse_args()
    began, played, unfinished = time.monotonic(), 0, 0
    while played < chosen.games:
        for board in boards_of("open", CHUNK, chosen.seed + played):
            seed, n = chosen.seed + played, min(GAMES, chosen.games - played)
            rows = rows_of(board, ["trader"] * 4, n, seed, drawn(board, 4, seed))
            played, unfinished = played + n, unfinished + int((rows["winner"] == 0).sum())
            if played == chosen.games:
                break
        seconds = time.monotonic() - began
        print(f"{played:,} games ended in {seconds:.0f} s; {unfinished} without a winner", flush=True)


if __name__ == "__main__":
    main()
