"""How even a board is, and boards made to measure: the scorer and the swap search."""

from typing import TYPE_CHECKING, Any

from catan_cp.entropy.scorer import (
    efficiency,
    efficiency_error,
    neighbor_counts,
    official_average,
    official_boards,
    official_efficiencies,
)
from catan_cp.entropy.search import SwapResult, SwapStep, search_swaps

if TYPE_CHECKING:
    from catan_cp.entropy.many import search_swaps_many as search_swaps_many

__all__ = [
    "SwapResult",
    "SwapStep",
    "efficiency",
    "efficiency_error",
    "neighbor_counts",
    "official_average",
    "official_boards",
    "official_efficiencies",
    "search_swaps",
    "search_swaps_many",
]


def __getattr__(name: str) -> Any:
    if name == "search_swaps_many":  # loads numpy
        from catan_cp.entropy.many import search_swaps_many

        return search_swaps_many
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
