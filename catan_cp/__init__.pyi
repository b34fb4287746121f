# Boards and layouts
from .boards.board import Board as Board
from .boards.layout import Layout as Layout
from .boards.layout import LAYOUTS as LAYOUTS
from .boards.layout import Harbor as Harbor

# Boards and openings of other programs
from .formats import import_board as import_board

# Rules, and checks of boards against them
from .rules.rules import Rules as Rules
from .rules.constraint import Constraint as Constraint
from .rules.rule import Violation as Violation
from .problem.problem import Problem as Problem
from .search.checking import find_violations as find_violations
from .model_files import copy_models as copy_models

# Generate, optimise and repair boards
from .search.generate import generate_board as generate_board
from .search.generate import generate_boards as generate_boards
from .search.best import best_board as best_board
from .search.best import BestBoard as BestBoard
from .search.best import repair_board as repair_board
from .search.best import make_puzzle as make_puzzle

# Enumerate all solutions of the models
from .search.enumerating import Solutions as Solutions
from .search.enumerating import enumerate_boards as enumerate_boards
from .search.enumerating import enumerate_terrains as enumerate_terrains
from .search.enumerating import enumerate_markers as enumerate_markers
from .search.instances import board_instance as board_instance
from .search.instances import terrain_instance as terrain_instance
from .search.instances import marker_instance as marker_instance

# Count, number and sample
from .counting import count_boards as count_boards
from .counting import count_terrains as count_terrains
from .counting import count_markers as count_markers
from .counting import is_countable as is_countable
from .counting import rank_board as rank_board
from .counting import unrank_board as unrank_board
from .counting import sample_boards as sample_boards
from .counting import sample_terrains as sample_terrains
from .search.proofs import save_proof as save_proof

# Count, sample and explain any MiniZinc model
from .anymodel.count import count_solutions as count_solutions
from .anymodel.sample import sample_solutions as sample_solutions
from .anymodel.explain import find_conflict as find_conflict
from .anymodel.compare import compare_solvers as compare_solvers

# Evenness
from .entropy import efficiency as efficiency
from .entropy import efficiency_error as efficiency_error
from .entropy import improve_evenness as improve_evenness

# Placement of settlements
from .placement import Objective as Objective
from .placement import Placement as Placement
from .placement import solve_placement as solve_placement
from .placement import solve_placements as solve_placements
from .placement import best_moves as best_moves
from .placement import vertex_values as vertex_values
from .placement import win_chances as win_chances

# Games
from .play import Games as Games
from .play import play_games as play_games

# Analysis and studies of many boards
from .analysis.boards import analyze_board as analyze_board
from .analysis.boards import BoardAnalysis as BoardAnalysis
from .analysis.review import Review as Review
from .analysis.review import ReviewedMove as ReviewedMove
from .analysis.review import review_opening as review_opening
from .analysis.seats import check_seats as check_seats
from .analysis.seats import SeatCheck as SeatCheck
from .studies import Study as Study
from .studies import run_study as run_study
from .studies.comparing import compare_studies as compare_studies
from .studies.store import Store as Store

# Tournaments
from .tournament import Tournament as Tournament
from .tournament import plan_tournament as plan_tournament

# Pictures and printed sheets
from .draw import board_png as board_png
from .draw import board_svg as board_svg
from .draw import plot_board as plot_board
from .draw import plot_gallery as plot_gallery
from .draw import save_picture as save_picture
from .draw import print_sheet as print_sheet

# Errors
from .errors import CatanError as CatanError
from .errors import Conflict as Conflict
from .errors import Infeasible as Infeasible
from .errors import Interrupted as Interrupted
from .errors import InvalidArgument as InvalidArgument
from .errors import InvalidBoard as InvalidBoard
from .errors import InvalidRules as InvalidRules
from .errors import SolverFailed as SolverFailed
from .errors import SolverNotFound as SolverNotFound
from .errors import SolverTimeout as SolverTimeout

# Packages
from . import boards as boards
from . import counting as counting
from . import draw as draw
from . import entropy as entropy
from . import errors as errors
from . import formats as formats
from . import placement as placement
from . import play as play
from . import rules as rules
from . import search as search
from . import studies as studies
from . import tournament as tournament

__version__: str
