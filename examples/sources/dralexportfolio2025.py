"""Repeat the experiments of the article "Catan Boards - Part 1" (dralexportfolio 2025).

    python examples/sources/dralexportfolio2025.py targets                     # average efficiencies
    python examples/sources/dralexportfolio2025.py swaps --save swaps.png      # does the aim of a swap help?
    python examples/sources/dralexportfolio2025.py powers --save powers.png    # how much should a search aim?

The efficiency of a terrain is the entropy of its neighbors, from 0 to 1. The error of a terrain is its
efficiency less its target, and the error of a board is the mean of the squared errors of its terrains.

- targets: the average efficiencies of the published boards, from which the article took its targets.
- swaps: swap random tiles of random boards. The two terrains' normalized errors before the swap are a point.
  The article's hypothesis: the further the point is from the diagonal, the more the swap lowers the error.
  Its correlations for twenty boards are 0.27220 with all swaps kept, and 0.56734 with improving swaps kept.
- powers: search with several skew powers, and compare the mean error of the boards after each step. The
  power 0 chooses terrains at random; infinity takes the terrains with the largest and the smallest error.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product

from matplotlib.figure import Figure

import catan_cp
from catan_cp.entropy import official_average, official_efficiencies

POWERS = (0.0, 0.5, 1.0, 2.0, 4.0, math.inf)
NORMALIZATIONS = ("static", "dynamic")
KEPT = {"all": 0.27220, "improving": 0.56734}
"""Which swaps are kept, and the article's correlation."""

Point = tuple[float, float, float]
"""The normalized errors of the two terrains before a swap, and the change of the board's error."""


def swap_points(measure: str, boards: int = 20, steps: int = 1000, seed: int = 0) -> list[Point]:
    """Return the swaps of random boards.

    With "improving", swaps that raise the error are undone.
    """
    points = []
    for number in range(boards):  # the same seed starts from the same board in both runs
        steps_made = catan_cp.improve_evenness(
            "seafarers-8", steps, 0, reject=measure == "improving", seed=seed + number, record=True
        )
        assert steps_made.record is not None
        steps_kept = [step for step in steps_made.record if measure == "all" or step.change < 0]
        points += [(step.first_error, step.second_error, step.change) for step in steps_kept]
    return points


def correlation(points: Sequence[Point]) -> float:
    """Return Pearson's correlation of the distance from the diagonal with the decrease of the error."""
    distances = [abs(first - second) / math.sqrt(2) for first, second, _ in points]
    return statistics.correlation(distances, [-change for _, _, change in points])


def mean_errors(
    boards: int = 100, steps: int = 5000, seed: int = 0, workers: int | None = None
) -> dict[tuple[str, float], list[float]]:
    """Return the mean error after each step, by normalization and skew power."""
    runs = list(product(NORMALIZATIONS, POWERS))
    searches = [(*run, seed + number) for run in runs for number in range(boards)]
    with ProcessPoolExecutor(workers) as pool:  # one process would take several minutes
        errors = list(pool.map(partial(search_errors, steps), searches, chunksize=max(1, boards // 10)))
    per_run = (errors[start : start + boards] for start in range(0, len(errors), boards))
    return {
        run: [sum(step) / boards for step in zip(*curves, strict=True)]
        for run, curves in zip(runs, per_run, strict=True)
    }


def search_errors(steps: int, search: tuple[str, float, int]) -> tuple[float, ...]:
    """Return the error of one board after each step of a search."""
    normalization, power, seed = search
    return catan_cp.improve_evenness("seafarers-8", steps, power, normalization, seed=seed).errors


def plot_swaps(points: dict[str, list[Point]]) -> Figure:
    """Plot each swap as a dot: blue if it lowers the error, red if it raises it."""
    figure = Figure(figsize=(11, 5), layout="constrained")
    for ax, (measure, some) in zip(figure.subplots(1, 2), points.items(), strict=True):
        firsts, seconds, changes = zip(*some, strict=True)
        largest = statistics.quantiles(map(abs, changes), n=50)[-1]
        dots = ax.scatter(firsts, seconds, c=changes, s=4, cmap="coolwarm", vmin=-largest, vmax=largest)
        ax.axline((0.5, 0.5), slope=1, color="gray", linewidth=0.8)
        ax.set(xlabel="normalized error of the first terrain", ylabel="of the second", aspect="equal")
        ax.set_title(f"{measure} swaps kept: correlation {correlation(some):.3f}")
        figure.colorbar(dots, ax=ax, label="change of the error", extend="both")
    return figure


def plot_powers(curves: dict[tuple[str, float], list[float]]) -> Figure:
    """Plot the mean errors, one line per skew power."""
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    for ax, chosen in zip(figure.subplots(1, 2, sharey=True), NORMALIZATIONS, strict=True):
        for (name, power), curve in curves.items():
            if name == chosen:
                ax.plot(curve, label=f"power {power:g}")
        ax.set(title=f"{chosen} normalization", xlabel="step", ylabel="mean error", yscale="log")
        ax.legend()
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one experiment, and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=["targets", "swaps", "powers"])
    parser.add_argument("--boards", type=int, help="number of boards (default: swaps 20, powers 100)")
    parser.add_argument("--steps", type=int, help="swaps per board (default: swaps 1,000, powers 5,000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first board; each next one adds 1")
    parser.add_argument("--workers", type=int, help="processes for powers (default: one per core)")
    parser.add_argument("--save", metavar="FILE", help="file for a picture, such as swaps.png")
    options = parser.parse_args(arguments)
    sizes = {
        name: value for name in ("boards", "steps", "seed") if (value := getattr(options, name)) is not None
    }
    figure = None
    if options.experiment == "targets":
        for layout, row in {**official_efficiencies(), "all": official_average()}.items():
            print(f"{layout:13}", ", ".join(f"{terrain} {value:.5f}" for terrain, value in row.items()))
    elif options.experiment == "swaps":
        points = {measure: swap_points(measure, **sizes) for measure in KEPT}
        for measure, published in KEPT.items():
            line = f"correlation {correlation(points[measure]):.3f} (article: {published:.3f})"
            print(f"{measure:9} {len(points[measure]):,} swaps kept, {line}")
        figure = plot_swaps(points)
    else:
        curves = mean_errors(**sizes, workers=options.workers)
        for (normalization, power), curve in curves.items():
            print(f"{normalization:7} power {power:<4g} mean error {curve[0]:.4f} -> {curve[-1]:.6f}")
        figure = plot_powers(curves)
    if options.save and figure is not None:
        catan_cp.save_picture(figure, options.save)


if __name__ == "__main__":
    main()
