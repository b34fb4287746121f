"""The experiments of the published works, on these boards and on others, and their figures."""

from catan_cp.experiments.swaps import (
    SkewPowers,
    SwapChances,
    SwapHypothesis,
    SwapPoint,
    plot_skew_powers,
    plot_swap_chances,
    plot_swap_hypothesis,
    plot_swaps,
    skew_powers,
    swap_chances,
    swap_hypothesis,
)

__all__ = [
    "SkewPowers",
    "SwapChances",
    "SwapHypothesis",
    "SwapPoint",
    "plot_skew_powers",
    "plot_swap_chances",
    "plot_swap_hypothesis",
    "plot_swaps",
    "skew_powers",
    "swap_chances",
    "swap_hypothesis",
]
