"""Speed of scoring and swap search, compared with the published method.

The plain implementation follows dralexportfolio 2025. After each swap it counts the neighbors of the whole
board again, in dictionaries, and computes the entropies term by term.
"""

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import log2

from benchmarks.measure import Row, rates, row
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.entropy import efficiency_error, improve_evenness
from catan_cp.rules.requirements import random_terrain

LAYOUT = "seafarers-8"


def rows(quick: bool) -> Iterator[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    repeats, size, base = *((3, 1) if quick else (7, 4)), LAYOUTS["base"]
    some = [Board(base, random_terrain(base, random.Random(seed))) for seed in range(500 * size)]
    scored = rates(repeats, len(some), lambda: [efficiency_error(board) for board in some])
    plainly = rates(repeats, len(some), lambda: [plain_error(base, board.terrain) for board in some])
    yield row("score base boards", "boards/s", scored, 20_000, "plain counting", plainly)

    again = rates(repeats, 500 * size, partial(plain_search, LAYOUT, 500 * size))
    steps = 10_000 * size
    for name, reject, target in (("", True, 60_000), (", every swap kept", False, None)):
        swaps = rates(repeats, steps, partial(improve_evenness, LAYOUT, steps, reject=reject, seed=1))
        yield row(f"plain search{name}", "swaps/s", swaps, target, "counting anew", again)


def plain_error(layout: Layout, terrain: list[str] | tuple[str, ...]) -> float:
    """Return the mean squared error by its definition."""
    met: dict[str, Counter[str]] = {name: Counter() for name in terrain}
    for i, j in layout.adjacency("hex"):
        met[terrain[i]][terrain[j]] += 1
        met[terrain[j]][terrain[i]] += 1
    return _mean_square(_plain_errors(layout, met))


def plain_search(name: str, steps: int) -> float:
    """Time a swap search that counts the whole board after every swap.

    It uses power 1 and static normalisation.
    """
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
        i = rng.choice([tile for tile, label in enumerate(terrain) if label == first])
        j = rng.choice([tile for tile, label in enumerate(terrain) if label == second])
        terrain[i], terrain[j] = terrain[j], terrain[i]
        after = errors_now()
        if _mean_square(after) > _mean_square(errors):
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
