"""Count the solutions of "Optimal Catan" (TWright 2019). Needs MiniZinc with Gecode.

    python examples/sources/twright2019.py            # half a minute
    python examples/sources/twright2019.py --small    # a few seconds

The post starts with magic squares, as a first constraint model. Then it states the terrain and the number
tokens of a board as two models. The preset `blog` has the rules of both. MiniZinc lists all solutions here.
`--small` leaves out the squares of order 4 and the proof that no vertex sums below 21 are possible.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from math import factorial, prod
from pathlib import Path

from catan_cp import LAYOUTS, Rules, copy_models, count_terrains, enumerate_markers, terrain_instance

TERRAIN = "dlw/bgol/owbwg/lgob/wlg"
"""The terrain arrangement that the post prints."""


def magic_squares(order: int, first_row: Sequence[int] = (), *, diagonals: bool = True) -> int:
    """Count the magic squares of an order with the package minizinc.

    The number 0 is a free cell.
    """
    terrain_instance("open")  # the first instance tells the package minizinc where MiniZinc is
    import minizinc  # type: ignore[import-untyped]

    with tempfile.TemporaryDirectory() as folder:
        model = minizinc.Model(copy_models(Path(folder) / "models") / "magic_square.mzn")
        instance = minizinc.Instance(minizinc.Solver.lookup("gecode"), model)
        instance["n"], instance["diagonals"] = order, diagonals
        row = [*first_row, *[0] * (order - len(first_row))]
        instance["fixed"] = [row, *[[0] * order] * (order - 1)]
        return len(instance.solve(all_solutions=True))


def terrain_arrangements() -> int:
    """Count the terrain arrangements under the post's rules."""
    return len(terrain_instance("blog").solve(all_solutions=True))


def number_arrangements(below: int) -> int:
    """Count the arrangements of number tokens with all vertex sums below a limit."""
    rules = Rules.preset("blog").replace(vertex_sum_below=below)
    with enumerate_markers(TERRAIN, rules) as solutions:
        return sum(1 for _ in solutions)


def arrangements_without_rules() -> int:
    """Count all terrain arrangements: 19! / (4! 4! 4! 3! 3! 1!)."""
    counts = LAYOUTS["base"].terrain_counts.values()
    arrangements = factorial(sum(counts)) // prod(map(factorial, counts))
    assert arrangements == count_terrains("open")
    return arrangements


FIGURES: dict[str, tuple[int, Callable[[], int]]] = {
    "magic squares of order 3": (8, lambda: magic_squares(3)),
    "... with the top left fixed to 2": (2, lambda: magic_squares(3, (2,))),
    "... with the top right fixed to 4 as well": (1, lambda: magic_squares(3, (2, 0, 4))),
    "squares of order 3 without the diagonals": (72, lambda: magic_squares(3, diagonals=False)),
    "magic squares of order 4": (7040, lambda: magic_squares(4)),
    "terrains under the post's rules": (96, terrain_arrangements),
    "markers on the printed terrain, sums below 21": (0, lambda: number_arrangements(21)),
    "... below 22": (1, lambda: number_arrangements(22)),
    "... below 23": (11_753, lambda: number_arrangements(23)),
    "terrains without any rule": (244_432_188_000, arrangements_without_rules),
}
"""The published figure, and the function that computes it."""
LONG = ("magic squares of order 4", "markers on the printed terrain, sums below 21")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each published figure beside the computed one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="leave out the two figures that take longest")
    options = parser.parse_args(arguments)
    print(f"{'':45} {'published':>15} {'computed':>15}")
    for figure, (published, compute) in FIGURES.items():
        if not (options.small and figure in LONG):
            print(f"{figure:45} {published:15,} {compute():15,}", flush=True)


if __name__ == "__main__":
    main()
