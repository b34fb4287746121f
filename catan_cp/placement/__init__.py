"""Where perfect players settle: the placement report's game, solved four ways."""

from catan_cp.placement.experiment import Experiment, random_boards, run_experiment
from catan_cp.placement.game import Counters, Placement, read_placed
from catan_cp.placement.objective import Objective, read_objective, vertex_values
from catan_cp.placement.solve import METHODS, Move, best_moves, solve_placement, solve_placements

__all__ = [
    "METHODS",
    "Counters",
    "Experiment",
    "Move",
    "Objective",
    "Placement",
    "best_moves",
    "random_boards",
    "read_objective",
    "read_placed",
    "run_experiment",
    "solve_placement",
    "solve_placements",
    "vertex_values",
]
