"""Play games between four traders from random drafts, and check that all of them end.

    python -m benchmarks.games.traders --games 1000000

Traders once swapped the same two cards back and forth for ever. Boards are random, without any rule. Eight
random vertices are drafted on each, as the distance rule allows.
"""

from __future__ import annotations

import argparse
import random
import time

from benchmarks.games.openings import boards_of
from catan_cp import Board, play_games
from catan_cp.placement.positions import free_vertices, snake

GAMES, CHUNK = 100, 100
"""The games per board, and the boards generated together."""


def random_draft(board: Board, source: random.Random) -> str:
    """Return a draft of eight vertices, uniform among those that are free in turn."""
    vertices = list[int]()
    while len(vertices) < 8:
        vertices.append(source.choice(free_vertices(board, vertices)))
    return ",".join(f"{seat}:{vertex}" for seat, vertex in zip(snake(4), vertices, strict=True))


def main() -> None:
    """Play, and print the progress after each chunk of boards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000, help="number of games (default: 1000000)")
    parser.add_argument("--seed", type=int, default=39, help="seed of boards, drafts and games (default: 39)")
    asked = parser.parse_args()
    source, began = random.Random(asked.seed), time.monotonic()
    played = unfinished = 0
    while played < asked.games:
        for board in boards_of("open", CHUNK, source.randrange(2**31)):
            count, draft = min(GAMES, asked.games - played), random_draft(board, source)
            if count == 0:
                break
            games = play_games(board, count, players="trader", placement=draft, seed=source.randrange(2**31))
            played, unfinished = played + len(games), unfinished + games.unfinished
        seconds = time.monotonic() - began
        print(f"{played:,} games ended in {seconds:.0f} s; {unfinished} without a winner", flush=True)


if __name__ == "__main__":
    main()
