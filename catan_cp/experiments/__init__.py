"""The experiments of the published works, on these boards and on others, and their figures."""

from catan_cp.experiments.chances import SwapChances, plot_swap_chances, swap_chances
from catan_cp.experiments.hypothesis import SwapHypothesis, SwapPoint, swap_hypothesis
from catan_cp.experiments.pictures import plot_skew_powers, plot_swap_hypothesis, plot_swaps
from catan_cp.experiments.skew import SkewPowers, skew_powers

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
