"""How fast boards are scored and searched, beside the published way of doing it.

What is compared is an own, plain rendering of the article's program: after each swap it counts the
neighbours of the whole board anew, in dictionaries, and takes the entropies term by term.
"""

from __future__ import annotations

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import log2
from typing import Any

from catan_cp.board import Board
from catan_cp.entropy import efficiency_error, search_swaps
from catan_cp.entropy.many import search_swaps_many
from catan_cp.entropy.search import random_terrain
from catan_cp.layout import LAYOUTS, Layout

LAYOUT = "seafarers-8"


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure everything, each with the compared thing in the same run.

    A row has: ``name``; ``unit``; ``median``, ``least`` and ``most`` of the runs, in units; ``runs``, how
    many; ``target``, what it should be at least, or None; ``against``, what it is compared with;
    ``against_median``, in the same unit; ``ratio`` of the two medians.
    """
    repeats, size = (3, 1) if quick else (7, 4)
    base = LAYOUTS["base"]
    some = [Board(base, random_terrain(base, random.Random(seed))) for seed in range(500 * size)]
    scored = _rates(repeats, len(some), lambda: [efficiency_error(board) for board in some])
    plainly = _rates(repeats, len(some), lambda: [plain_error(base, board.terrain) for board in some])
    found = [_row("score base boards", "boards/s", scored, 20_000, "plain counting", plainly)]

    published = _rates(repeats, 500 * size, lambda: plain_search(LAYOUT, 500 * size, reject=True))
    for name, reject, target in (("", True, 60_000), (", every swap kept", False, None)):
        steps = 10_000 * size
        rates = _rates(repeats, steps, partial(search_swaps, LAYOUT, steps, reject=reject, seed=1))
        found.append(_row(f"plain search{name}", "swaps/s", rates, target, "counting anew", published))
    for chains, target in ((20, None), (200, 500_000), (2000, None)):
        steps = max(50, 200_000 * size // chains // 4)
        work = partial(search_swaps_many, LAYOUT, chains, steps, seed=1)
        rates = _rates(repeats, chains * steps, work)
        found.append(_row(f"{chains} chains at once", "swaps/s", rates, target, "counting anew", published))
    return found


def plain_error(layout: Layout, terrain: list[str] | tuple[str, ...]) -> float:
    """The mean squared error, by the definition."""
    met: dict[str, Counter[str]] = {name: Counter() for name in terrain}
    for i, j in layout.adjacency("hex"):
        met[terrain[i]][terrain[j]] += 1
        met[terrain[j]][terrain[i]] += 1
    return sum(e * e for e in _plain_errors(layout, met).values()) / len(met)


def plain_search(name: str, steps: int, reject: bool) -> float:
    """The swap search with power 1 and static normalisation, counting the whole board after every swap."""
    layout, rng = LAYOUTS[name], random.Random(1)
    terrain = list(random_terrain(layout, rng))
    neighbors = layout.tile_neighbors("hex")

    def errors_now() -> dict[str, float]:
        met: dict[str, Counter[str]] = {name: Counter() for name in layout.terrains}
        for tile, near in enumerate(neighbors):
            for other in near:
                met[terrain[tile]][terrain[other]] += 1
        return _plain_errors(layout, met)

    errors = errors_now()
    for _ in range(steps):
        weights = {name: e / 2 + 0.5 for name, e in errors.items()}
        first = second = ""
        while first == second:
            first = rng.choices(list(weights), list(weights.values()))[0]
            second = rng.choices(list(weights), [1 - w for w in weights.values()])[0]
        i = rng.choice([tile for tile, here in enumerate(terrain) if here == first])
        j = rng.choice([tile for tile, here in enumerate(terrain) if here == second])
        terrain[i], terrain[j] = terrain[j], terrain[i]
        after = errors_now()
        if reject and _mean_square(after) > _mean_square(errors):
            terrain[i], terrain[j] = terrain[j], terrain[i]
        else:
            errors = after
    return _mean_square(errors)


def _plain_errors(layout: Layout, met: dict[str, Counter[str]]) -> dict[str, float]:
    errors = {}
    for name, counts in met.items():
        total = sum(counts.values())
        entropy = sum(n / total * log2(total / n) for n in counts.values())
        errors[name] = entropy / log2(len(layout.terrains)) - layout.target_efficiency[name]
    return errors


def _mean_square(errors: dict[str, float]) -> float:
    return sum(e * e for e in errors.values()) / len(errors)


def _rates(repeats: int, amount: int, work: Callable[[], object]) -> list[float]:
    """How many units a second *work*, which does *amount* of them, does in each of some runs."""
    rates = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        rates.append(amount / (time.perf_counter() - begin))
    return rates


def _row(
    name: str, unit: str, rates: list[float], target: float | None, against: str, compared: list[float]
) -> dict[str, Any]:
    median, against_median = statistics.median(rates), statistics.median(compared)
    return {
        "name": f"entropy: {name}",
        "unit": unit,
        "median": median,
        "least": min(rates),
        "most": max(rates),
        "runs": len(rates),
        "target": target,
        "against": against,
        "against_median": against_median,
        "ratio": median / against_median,
    }


if __name__ == "__main__":
    for row in rows(quick=True):
        goal = f"  (target {row['target']:,})" if row["target"] else ""
        print(f"{row['name']:40} {row['median']:12,.0f} {row['unit']}  {row['ratio']:6.1f} times{goal}")
