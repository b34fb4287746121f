"""Catan boards as a constraint problem: generate, enumerate, count, score and draw them.

>>> import catan_cp
>>> board = catan_cp.generate_board(seed=1)  # doctest: +SKIP

Everything public is here; each name is loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = {
    "board": ("Board",),
    "checking": ("Broken",),
    "counting": ("count_boards", "count_markers", "count_terrain"),
    "draw": ("board_svg", "plot_board", "plot_gallery", "plot_pair", "print_sheet", "save_picture"),
    "entropy": ("efficiency", "efficiency_error", "official_boards", "official_efficiencies", "search_swaps"),
    "enumerating": ("Solutions", "enumerate_boards", "enumerate_markers", "enumerate_terrain"),
    "errors": (
        "CatanError",
        "Infeasible",
        "InvalidArgument",
        "InvalidBoard",
        "InvalidRules",
        "SolverFailed",
        "SolverNotFound",
        "SolverTimeout",
    ),
    "generate": ("generate_board", "generate_boards"),
    "layout": ("LAYOUTS", "Harbor", "Layout"),
    "placement": ("Objective", "Placement", "solve_placement", "solve_placements"),
    "rules": ("Rules",),
    "sampling": ("countable", "sample_terrain"),
}
_ROOM = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_ROOM)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _ROOM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOM[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
