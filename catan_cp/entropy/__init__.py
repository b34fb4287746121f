"""How even a board is, and boards made to measure: the scorer, the swap search, the experiments."""

from catan_cp.entropy.checks import Interrupted
from catan_cp.entropy.official import official_boards, official_efficiencies
from catan_cp.entropy.scorer import efficiency, efficiency_error, neighbor_counts
from catan_cp.entropy.search import SwapResult, SwapStep, search_swaps

__all__ = [
    "Interrupted",
    "SwapResult",
    "SwapStep",
    "efficiency",
    "efficiency_error",
    "neighbor_counts",
    "official_boards",
    "official_efficiencies",
    "search_swaps",
]
