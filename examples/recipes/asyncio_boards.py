"""Boards and pictures in a program that uses asyncio.

The functions of the library block, so they run in threads. The semaphore limits the number of threads at
work, because more threads than cores only slow each other down.
"""

import asyncio

from catan_cp import board_svg, generate_board


def picture(seed: int) -> str:
    """Return the picture of the board of a seed."""
    return board_svg(generate_board("tournament", seed=seed))


async def pictures(seeds: range, at_once: int = 4) -> list[str]:
    """Return the pictures of all seeds, in their order."""
    limit = asyncio.Semaphore(at_once)

    async def one(seed: int) -> str:
        async with limit:
            return await asyncio.to_thread(picture, seed)

    return await asyncio.gather(*map(one, seeds))


if __name__ == "__main__":
    print(len(asyncio.run(pictures(range(20)))), "pictures")
