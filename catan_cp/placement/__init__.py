"""Where perfect players settle: the placement report's game, solved four ways."""

from catan_cp.placement.game import (
    METHODS,
    Move,
    Placement,
    best_moves,
    solve_placement,
    solve_placements,
)
from catan_cp.placement.judging import Draft, Equilibria, Verdict, find_equilibria, judge_draft, win_chances
from catan_cp.placement.objective import Objective, read_objective, vertex_values
from catan_cp.placement.spots import Counters

__all__ = [
    "METHODS",
    "Counters",
    "Draft",
    "Equilibria",
    "Move",
    "Objective",
    "Placement",
    "Verdict",
    "best_moves",
    "find_equilibria",
    "judge_draft",
    "read_objective",
    "solve_placement",
    "solve_placements",
    "vertex_values",
    "win_chances",
]
