"""Boards and PNG pictures by all cores.

PNG and PDF pictures take 70 ms of matplotlib each, and Python threads share one core. So each core gets a
process, which prepares its tables once.
"""

import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

from catan_cp import board_png, generate_board

RULES = "tournament"


def picture(seed: int) -> bytes:
    """Return the PNG picture of the board of a seed."""
    return board_png(generate_board(RULES, seed=seed))


def pictures(seeds: Iterable[int], processes: int = 2) -> Iterator[bytes]:
    """Yield the pictures of all seeds, in their order."""
    # "spawn" is safe in servers with threads. The first picture of a process builds its tables.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        yield from pool.map(picture, seeds)


if __name__ == "__main__":
    print(sum(map(len, pictures(range(8)))), "bytes of PNG")
