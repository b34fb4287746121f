"""How even a board is, and boards made to measure: the scorer and the swap search."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from catan_cp.entropy.official import official_average, official_boards, official_efficiencies
from catan_cp.entropy.scorer import efficiency, efficiency_error, neighbor_counts
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

_WITH_NUMPY = {"search_swaps_many": "many"}
"""The names that load numpy, each with the module that it waits in until it is used."""


def __getattr__(name: str) -> Any:
    if name not in _WITH_NUMPY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WITH_NUMPY[name]}"), name)
