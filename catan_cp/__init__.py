"""Catan boards as a constraint problem: generate, enumerate, count, score and draw them.

>>> import catan_cp
>>> board = catan_cp.generate_board("tournament", seed=1)
>>> board.layout.name, catan_cp.Rules.preset("tournament").check(board)
('base', [])

Everything public is here; each name is loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from catan_cp.hooks import register

__version__ = "0.1.0"

_ROOMS = {
    "boards.board": ("Board",),
    "rules.rule": ("Violation",),
    "studies.comparing": ("compare_studies",),
    "counting": (
        "board_at",
        "count_boards",
        "count_markers",
        "count_terrain",
        "is_countable",
        "rank",
        "sample_boards",
        "sample_terrain",
    ),
    "draw": (
        "plot_board",
        "plot_gallery",
        "print_sheet",
        "save_picture",
    ),
    "entropy": (
        "efficiency",
        "efficiency_error",
        "search_swaps",
        "search_swaps_many",
    ),
    "search.enumerating": ("Solutions", "enumerate_boards", "enumerate_markers", "enumerate_terrain"),
    "errors": (
        "CatanError",
        "Infeasible",
        "Interrupted",
        "InvalidArgument",
        "InvalidBoard",
        "InvalidRules",
        "SolverFailed",
        "SolverNotFound",
        "SolverTimeout",
    ),
    "notebook.exploring": ("explore",),
    "search.best": ("Best", "best_board", "repair_board"),
    "search.generate": ("generate_board", "generate_boards"),
    "search.instances": ("marker_instance", "terrain_instance"),
    "search.puzzles": ("minimal_pattern",),
    "rules.constraint": ("Constraint",),
    "solving.models": ("copy_models",),
    "boards.layout": ("LAYOUTS", "Harbor", "Layout"),
    "placement": (
        "Objective",
        "Placement",
        "best_moves",
        "solve_placement",
        "solve_placements",
        "vertex_values",
    ),
    "play": ("Games", "play_games"),
    "studies.reporting": ("Report", "report"),
    "rules.rules": ("Rules",),
    "studies.store": ("Store",),
    "studies": ("Study", "run_study"),
}
_ROOM = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_ROOM)

# What modules below lead to without importing it (see `catan_cp.hooks`).
for _room, _functions in {
    "boards.layout_files": ("read_layout", "read_layout_file"),
    "boards.layout_text": ("write_layout",),
    "draw": ("board_png", "board_svg", "plot_board"),
    "placement.blocks": ("find_blocks",),
    "rules.own_checks": ("own_violations",),
    "search.enumerating": (
        "enumerate_boards",
        "enumerate_markers",
        "enumerate_terrain",
    ),  # what is not counted
}.items():
    for _function in _functions:
        register(_function, f"{__name__}.{_room}")

if TYPE_CHECKING:  # the same names once more, for type checkers and editors, which follow no __getattr__
    from catan_cp.boards.board import Board as Board
    from catan_cp.boards.layout import LAYOUTS as LAYOUTS
    from catan_cp.boards.layout import Harbor as Harbor
    from catan_cp.boards.layout import Layout as Layout
    from catan_cp.counting import board_at as board_at
    from catan_cp.counting import count_boards as count_boards
    from catan_cp.counting import count_markers as count_markers
    from catan_cp.counting import count_terrain as count_terrain
    from catan_cp.counting import is_countable as is_countable
    from catan_cp.counting import rank as rank
    from catan_cp.counting import sample_boards as sample_boards
    from catan_cp.counting import sample_terrain as sample_terrain
    from catan_cp.draw import plot_board as plot_board
    from catan_cp.draw import plot_gallery as plot_gallery
    from catan_cp.draw import print_sheet as print_sheet
    from catan_cp.draw import save_picture as save_picture
    from catan_cp.entropy import efficiency as efficiency
    from catan_cp.entropy import efficiency_error as efficiency_error
    from catan_cp.entropy import search_swaps as search_swaps
    from catan_cp.entropy import search_swaps_many as search_swaps_many
    from catan_cp.errors import CatanError as CatanError
    from catan_cp.errors import Infeasible as Infeasible
    from catan_cp.errors import Interrupted as Interrupted
    from catan_cp.errors import InvalidArgument as InvalidArgument
    from catan_cp.errors import InvalidBoard as InvalidBoard
    from catan_cp.errors import InvalidRules as InvalidRules
    from catan_cp.errors import SolverFailed as SolverFailed
    from catan_cp.errors import SolverNotFound as SolverNotFound
    from catan_cp.errors import SolverTimeout as SolverTimeout
    from catan_cp.notebook.exploring import explore as explore
    from catan_cp.placement import Objective as Objective
    from catan_cp.placement import Placement as Placement
    from catan_cp.placement import best_moves as best_moves
    from catan_cp.placement import solve_placement as solve_placement
    from catan_cp.placement import solve_placements as solve_placements
    from catan_cp.placement import vertex_values as vertex_values
    from catan_cp.play import Games as Games
    from catan_cp.play import play_games as play_games
    from catan_cp.rules.constraint import Constraint as Constraint
    from catan_cp.rules.rule import Violation as Violation
    from catan_cp.rules.rules import Rules as Rules
    from catan_cp.search.best import Best as Best
    from catan_cp.search.best import best_board as best_board
    from catan_cp.search.best import repair_board as repair_board
    from catan_cp.search.enumerating import Solutions as Solutions
    from catan_cp.search.enumerating import enumerate_boards as enumerate_boards
    from catan_cp.search.enumerating import enumerate_markers as enumerate_markers
    from catan_cp.search.enumerating import enumerate_terrain as enumerate_terrain
    from catan_cp.search.generate import generate_board as generate_board
    from catan_cp.search.generate import generate_boards as generate_boards
    from catan_cp.search.instances import marker_instance as marker_instance
    from catan_cp.search.instances import terrain_instance as terrain_instance
    from catan_cp.search.puzzles import minimal_pattern as minimal_pattern
    from catan_cp.solving.models import copy_models as copy_models
    from catan_cp.studies import Study as Study
    from catan_cp.studies import run_study as run_study
    from catan_cp.studies.comparing import compare_studies as compare_studies
    from catan_cp.studies.reporting import Report as Report
    from catan_cp.studies.reporting import report as report
    from catan_cp.studies.store import Store as Store


def __getattr__(name: str) -> Any:
    if name not in _ROOM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOM[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
