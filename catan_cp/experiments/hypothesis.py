"""The swap hypothesis: swapping a terrain that is too even with one that is not even enough helps.

The article "Catan Boards - Part 1" (presentlylevel.com), on the swap hypothesis: tiles of random terrains
are swapped, and each swap is a point whose coordinates are the two terrains' normalised errors before
it. If the hypothesis holds, the further a point is from the diagonal, the more its swap lowers the
mean squared error.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from catan_cp.arguments import check_count, random_source
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.entropy.search import Progress, check_targets, random_terrain, search_swaps
from catan_cp.errors import Interrupted, InvalidArgument, listed, show
from catan_cp.experiments.recording import recording

KEPT = ("all", "improving")
"""Which swaps a run keeps: every one, or only those that do not raise the error."""

COLUMNS = {
    "kept": "TEXT",
    "board": "INTEGER",
    "step": "INTEGER",
    "first": "TEXT",
    "second": "TEXT",
    "first_error": "REAL",
    "second_error": "REAL",
    "change": "REAL",
}
"""The columns of a recorded swap; two for each terrain follow, as `columns` says."""


class SwapPoint(NamedTuple):
    """One swap.

    Attributes:
        kept: the run that it belongs to, one of `KEPT`.
        board: the number of its board.
        step: the number of the swap, from 1.
        first, second: the terrains drawn.
        first_error, second_error: their normalised errors before the swap.
        change: of the mean squared error.
        errors: efficiency - target of every terrain before the swap.
    """

    kept: str
    board: int
    step: int
    first: str
    second: str
    first_error: float
    second_error: float
    change: float
    errors: Mapping[str, float]

    @property
    def distance(self) -> float:
        """How far the point (first_error, second_error) is from the diagonal."""
        return abs(self.first_error - self.second_error) / math.sqrt(2)


@dataclass(frozen=True)
class SwapHypothesis:
    """The points of both runs: of ``"all"`` every swap, of ``"improving"`` those that lowered the error."""

    layout: Layout
    points: tuple[SwapPoint, ...]

    def of(self, kept: str) -> list[SwapPoint]:
        """Return the points of one run.

        Raises:
            InvalidArgument: no such run.
        """
        if kept not in KEPT:
            raise InvalidArgument(f"unknown run {show(kept)}; choose from {listed(KEPT)}")
        return [point for point in self.points if point.kept == kept]

    def correlation(self, kept: str) -> float:
        """Return Pearson's correlation of distance from the diagonal with decrease of the error.

        The article, on the swap hypothesis, has 0.272 for ``"all"`` and 0.567 for ``"improving"``, each of
        20 boards. Over 600 boards the first is 0.267, over 2,000 the second 0.543, about which 20 boards
        scatter by 0.04 (standard deviation) and 200 by 0.013. NaN where there are too few points to tell.
        """
        points = self.of(kept)
        distances, decreases = [p.distance for p in points], [-p.change for p in points]
        try:
            return statistics.correlation(distances, decreases)
        except statistics.StatisticsError:
            return math.nan

    def quartiles(self, kept: str) -> list[list[SwapPoint]]:
        """Return the points of one run in four parts by their change, the largest decreases first."""
        points = self.of(kept)
        cuts = statistics.quantiles([p.change for p in points], n=4) if len(points) > 1 else []
        parts: list[list[SwapPoint]] = [[], [], [], []]
        for point in points:
            parts[bisect(cuts, point.change)].append(point)
        return parts


def swap_hypothesis(
    boards: int = 20,
    steps: int = 1000,
    layout: str | Layout = "seafarers-8",
    seed: int | None = 0,
    *,
    file: str | Path | None = None,
    progress: Progress | None = None,
) -> SwapHypothesis:
    """Swap tiles of random boards, power 0, static: in one run keep every swap, in one improving ones.

    Both runs begin with the same boards. The second undoes swaps that raise the error, and its points are
    the swaps that lowered it (a swap that changes nothing is kept, but says nothing). The article, on the
    swap hypothesis.

    Args:
        boards: how many random boards for each run.
        steps: how many swaps to try on each.
        layout: a layout or its name.
        seed: the same seed gives the same points.
        file: a new .csv or SQLite file, to which the points are written board by board, each with the
            efficiency and the error of every terrain before the swap (`columns`).
        progress: called with the boards done and to do, of both runs.

    Raises:
        InvalidBoard: no such layout.
        InvalidArgument: a layout without targets, any other argument out of its range, or a file that exists.
        Interrupted: Ctrl-C; its ``result`` holds the points until then, and so does the file.
    """
    layout = find_layout(layout)
    check_targets(layout, None)
    boards, steps = check_count("boards", boards, 1), check_count("steps", steps)
    rng = random_source(seed)
    starts = [(random_terrain(layout, rng), rng.getrandbits(64)) for _ in range(boards)]
    points: list[SwapPoint] = []
    with recording(file, "swaps", columns(layout)) as write:
        try:
            for kept in KEPT:
                for number, (terrain, own_seed) in enumerate(starts):
                    found = _points(layout, kept, number, terrain, own_seed, steps)
                    write(_row(layout, point) for point in found)
                    points += found
                    if progress is not None:
                        progress(KEPT.index(kept) * boards + number + 1, len(KEPT) * boards)
        except KeyboardInterrupt:
            partial = SwapHypothesis(layout, tuple(points))
            raise Interrupted(f"stopped after {len(points)} swaps", partial) from None
    return SwapHypothesis(layout, tuple(points))


def columns(layout: Layout) -> dict[str, str]:
    """Return the columns of a recorded swap: `COLUMNS`, and ``efficiency_...``, ``error_...`` per terrain."""
    return {
        **COLUMNS,
        **{f"{what}_{name}": "REAL" for name in layout.terrains for what in ("efficiency", "error")},
    }


def _row(layout: Layout, point: SwapPoint) -> tuple[str | int | float, ...]:
    both = (
        (point.errors[name] + layout.target_efficiency[name], point.errors[name]) for name in layout.terrains
    )
    return (*point[:-1], *(value for pair in both for value in pair))


def _points(
    layout: Layout, kept: str, number: int, terrain: tuple[str, ...], seed: int, steps: int
) -> list[SwapPoint]:
    start = Board(layout, terrain)
    result = search_swaps(start, steps, 0, reject=kept == "improving", seed=seed, record=True)
    return [
        SwapPoint(kept, number, step, s.first, s.second, s.first_error, s.second_error, s.change, s.errors)
        for step, s in enumerate(result.record or (), start=1)
        if s.first is not None and s.second is not None and (kept == "all" or s.change < 0)
    ]
