"""Estimate the cost of a billion boards, sampled and scored in chunks over Dask.

    python -m benchmarks.billion --boards 10000000
    python -m benchmarks.billion --boards 1000000000 --scheduler tcp://192.168.0.7:8786

Rows of a billion boards would fill a disk. Each chunk is sampled with its own seed, as arrays. It returns a
few hundred numbers, which can be added in any order. `catan_cp.run_study` computes optimal placements for
the best boards found here, and `catan_cp.unrank_board` builds boards from their ranks.
"""

import argparse
import heapq
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import short
from catan_cp import Board, unrank_board
from catan_cp.analysis.boards import WEAK
from catan_cp.boards.layout import LAYOUTS
from catan_cp.counting.boards import board_space
from catan_cp.problem.problem import Problem
from catan_cp.processes import usable_cores
from catan_cp.studies.run import chunk_seed

CHUNK, BEST = 20_000, 10
"""Number of boards per chunk, and number of best boards kept."""

MEASURES = ("vertex_pips_least", "vertex_pips_most", "vertex_pips_spread", "weak_vertices")
"""Measures that are summed, over vertices of three land tiles."""


class Sums(NamedTuple):
    """Sums over some boards.

    Attributes:
        n: number of boards.
        totals: per measure, the sum.
        squares: per measure, the sum of the squares.
        most: per number of pips, the number of boards with that many at their richest vertex.
        best: the least spreads in ascending order, each with the rank of its board.
        seconds: processor time of sampling and scoring.
    """

    n: int
    totals: tuple[float, ...]
    squares: tuple[float, ...]
    most: Counter[int]
    best: tuple[tuple[float, int], ...]
    seconds: float


def summed(rules: str, layout: str, seed: int, n: int) -> Sums:
    """Sample *n* boards uniformly, and return their sums."""
    began, source = time.process_time(), random.Random(seed)
    space, layout_ = board_space(Problem.of(rules, layout)), LAYOUTS[layout]
    ranks = [source.randrange(space.total) for _ in range(n)]
    markers = space.arrays(ranks)[:, layout_.n_tiles : 2 * layout_.n_tiles]
    pips = np.zeros(13, dtype=np.int64)
    for marker in layout_.marker_supply:
        pips[marker] = layout_.marker_pips(marker)
    corners = np.array([tiles for _, tiles in layout_.inner_vertices])
    at = pips[markers][:, corners].sum(axis=2)  # a row a board, a column a vertex
    spread = at.std(axis=1)
    measures = np.stack([at.min(axis=1), at.max(axis=1), spread, (at < WEAK).sum(axis=1)])
    first = np.argpartition(spread, min(BEST, n - 1))[:BEST].tolist()
    best = sorted((round(float(spread[i]), 9), ranks[i]) for i in first)
    totals, squares = (tuple(sums.sum(axis=1).tolist()) for sums in (measures, measures**2))
    most = Counter(at.max(axis=1).tolist())
    return Sums(n, totals, squares, most, tuple(best), time.process_time() - began)


def added(parts: Iterable[Sums]) -> Sums:
    """Return the sums over all parts, which may come in any order."""
    n, seconds, most, best = 0, 0.0, Counter[int](), list[tuple[float, int]]()
    totals, squares = np.zeros(len(MEASURES)), np.zeros(len(MEASURES))
    for part in parts:
        n, seconds, most = n + part.n, seconds + part.seconds, most + part.most
        totals, squares = totals + part.totals, squares + part.squares
        best = heapq.nsmallest(BEST, {*best, *part.best})
    return Sums(n, tuple(totals.tolist()), tuple(squares.tolist()), most, tuple(best), seconds)


def worked(client: Any, rules: str, n: int, workers: int) -> Iterator[Sums]:
    """Yield the sums of each completed chunk, and print the number of boards.

    Few chunks are in flight, so memory does not grow with *n*.
    """
    jobs = (
        client.submit(summed, rules, "base", chunk_seed(1, number), min(CHUNK, n - start), pure=False)
        for number, start in enumerate(range(0, n, CHUNK))
    )
    out: Any = import_module("distributed").as_completed(list(islice(jobs, 3 * workers)))
    count = 0
    for job in out:
        part: Sums = job.result()
        count += part.n
        print(f"\r{count:,} of {n:,}", end="", flush=True)
        yield part
        if (following := next(jobs, None)) is not None:
            out.add(following)
    print()


def means_and_spreads(sums: Sums) -> dict[str, tuple[float, float]]:
    """Return the mean and the standard deviation of each measure."""
    means = [total / sums.n for total in sums.totals]
    spreads = [max(0.0, s / sums.n - m * m) ** 0.5 for s, m in zip(sums.squares, means, strict=True)]
    return dict(zip(MEASURES, zip(means, spreads, strict=True), strict=True))


def main() -> None:
    """Sum boards, print the results, and estimate the cost of a billion."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.billion", description=__doc__)
    parser.add_argument("--boards", type=int, default=10_000_000)
    parser.add_argument("--rules", default="tournament", help="rules whose boards are drawn on base")
    parser.add_argument(
        "--scheduler", help="of a Dask cluster; else one is made of the cores of this machine"
    )
    options = parser.parse_args()
    client_of: Any = import_module("distributed").Client
    cores = usable_cores()
    local = {"n_workers": cores, "threads_per_worker": 1, "dashboard_address": None}
    began = time.monotonic()
    with client_of(options.scheduler) if options.scheduler else client_of(**local) as client:
        workers = sum(client.nthreads().values())
        sums = added(worked(client, options.rules, options.boards, workers))
    spent = time.monotonic() - began
    best, number = sums.best[0]
    board: Board = unrank_board(number, options.rules)
    print(f"{sums.n:,} boards in {spent:,.0f} s by {workers} workers")
    print(f"{sums.n / sums.seconds:,.0f} boards a second of one core")
    print(f"a billion: {10**9 / sums.n * sums.seconds / 3600:,.1f} hours of one core")
    for name, (mean, spread) in means_and_spreads(sums).items():
        print(f"{name:20} {mean:8.4f} give or take {spread:.4f}")
    print(f"least spread {short(best)}: {board.notation()}")


if __name__ == "__main__":
    from benchmarks import billion  # workers import it by its name

    billion.main()
