"""The arguments that the searches share, read and refused in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real

from catan_cp.boards.layout import Layout
from catan_cp.entropy.scorer import read_targets
from catan_cp.errors import InvalidArgument, listed, show

NORMALIZATIONS = ("static", "dynamic")

Progress = Callable[[int, int], None]
"""Called now and then with what is done and what there is to do."""


def check_skew_power(power: object) -> float:
    """Return *power* as a float: 0, a positive number, or infinity."""
    if isinstance(power, bool) or not isinstance(power, Real) or math.isnan(power) or power < 0:
        raise InvalidArgument(f"skew_power is {show(power)}; give 0, a positive number, or infinity")
    return float(power)


def check_normalization(normalization: object) -> str:
    """Return *normalization*, one of `NORMALIZATIONS`."""
    if not isinstance(normalization, str) or normalization not in NORMALIZATIONS:
        raise InvalidArgument(
            f"unknown normalization {show(normalization)}; choose from {listed(NORMALIZATIONS)}"
        )
    return normalization


def check_targets(layout: Layout, targets: Mapping[str, float] | None) -> dict[str, float]:
    """Return a target for every terrain of the box, which the draws of a search need."""
    goals = read_targets(layout, targets)
    if missing := [name for name in layout.terrains if name not in goals]:
        raise InvalidArgument(
            f"layout {layout.name!r} has no target for {listed(missing)}; give them as targets"
        )
    return goals
