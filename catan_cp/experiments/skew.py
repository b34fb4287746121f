"""Which skew power finds even boards soonest, with static and with dynamic normalisation.

The article "Catan Boards - Part 1" (presentlylevel.com), on skew powers: the mean error of many boards after
each step of the swap search, for several powers, from the same random boards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catan_cp.arguments import check_count, random_source
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.entropy.search import (
    NORMALIZATIONS,
    Progress,
    check_normalization,
    check_skew_power,
)
from catan_cp.errors import Interrupted
from catan_cp.experiments.recording import recording

POWERS = (0.0, 0.5, 1.0, 2.0, 4.0, math.inf)
"""The article's skew powers."""

COLUMNS = {"normalization": "TEXT", "skew_power": "REAL", "step": "INTEGER", "mean_error": "REAL"}

Curve = tuple[float, ...]


@dataclass(frozen=True)
class SkewPowers:
    """The mean error over the boards after every step, the start's first.

    Attributes:
        layout: the boards' layout.
        boards: how many boards each mean is of.
        curves: by normalisation and skew power.
    """

    layout: Layout
    boards: int
    curves: Mapping[tuple[str, float], Curve]


def skew_powers(
    boards: int = 100,
    steps: int = 5000,
    layout: str | Layout = "seafarers-8",
    seed: int | None = 0,
    *,
    powers: Sequence[float] = POWERS,
    normalizations: Sequence[str] = NORMALIZATIONS,
    file: str | Path | None = None,
    progress: Progress | None = None,
) -> SkewPowers:
    """Search from the same random boards with each power and normalisation, undoing what raises the error.

    The article, on skew powers.

    Args:
        boards: how many random boards.
        steps: how many swaps to try on each.
        layout: a layout or its name.
        seed: the same seed gives the same curves.
        powers: skew powers, as for `search_swaps`.
        normalizations: of ``"static"`` and ``"dynamic"``.
        file: a new .csv or SQLite file, to which each curve is written when it is done.
        progress: called with the steps done and to do, of all curves.

    Raises:
        InvalidBoard: no such layout.
        InvalidArgument: any other argument out of its range, or a file that exists.
        Interrupted: Ctrl-C; its ``result`` holds the curves until then, the last one begun cut short, and
            so does the file.
    """
    from catan_cp.entropy.many import SwapStudy, search_swaps_many  # the one that needs numpy

    layout = find_layout(layout)
    boards, steps = check_count("boards", boards, 1), check_count("steps", steps)
    seeds = random_source(seed)
    runs = [
        (check_normalization(name), check_skew_power(power)) for name in normalizations for power in powers
    ]
    starts = search_swaps_many(layout, boards, 0, seed=seeds.getrandbits(64)).starts
    same_seed = seeds.getrandbits(64)
    curves: dict[tuple[str, float], Curve] = {}
    with recording(file, "mean_errors", COLUMNS) as write:

        def add(run: tuple[str, float], study: SwapStudy) -> None:
            curves[run] = tuple(study.errors.mean(axis=0).tolist())
            write([(*run, step, error) for step, error in enumerate(curves[run])])

        try:
            for number, run in enumerate(runs):
                advance = None if progress is None else _shifted(progress, number, len(runs))
                name, power = run
                study = search_swaps_many(
                    layout, boards, steps, power, name, seed=same_seed, starts=starts, progress=advance
                )
                add(run, study)
        except KeyboardInterrupt as stop:
            if isinstance(stop, Interrupted) and isinstance(stop.result, SwapStudy):
                add(run, stop.result)
            partial = SkewPowers(layout, boards, curves)
            raise Interrupted(f"stopped in curve {number + 1} of {len(runs)}", partial) from None
    return SkewPowers(layout, boards, curves)


def _shifted(progress: Progress, number: int, runs: int) -> Progress:
    """The progress of run *number* as progress of all *runs*."""
    return lambda done, to_do: progress(number * to_do + done, runs * to_do)
