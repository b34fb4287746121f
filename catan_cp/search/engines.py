"""The methods of generating boards, in one table.

Each row of `ENGINES` states what its method cannot do (`Engine.obstacle`) and makes boards
(`Engine.boards`). The first row without an obstacle is used, so the order of the rows is the order of
preference. Errors, explanations and `generate_board` read the table. No other function decides what a method
can do.

>>> from catan_cp.clock import Clock
>>> problem = Problem.of("optimal")
>>> [engine.name for engine in ENGINES if not engine.obstacle(problem, Clock(None))]
['solver', 'uniform']
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.clock import Clock
from catan_cp.counting import count_terrains
from catan_cp.counting.boards import BLOCK_STATES, FEW, QUICK, rank_obstacle, sample_within
from catan_cp.counting.budget import Budget
from catan_cp.errors import Infeasible, SolverNotFound, SolverTimeout, amount
from catan_cp.problem.problem import Problem
from catan_cp.search.conflicts import board_conflict, terrain_conflict
from catan_cp.search.dealing import FEWEST_DEALT, board_dealer, deal_obstacle
from catan_cp.search.questions import check_board
from catan_cp.search.solver_method import SolverMethod, evenest
from catan_cp.search.walking import board_walk, walk_obstacle
from catan_cp.solving import find


@dataclass(frozen=True)
class Request:
    """A request for boards.

    Attributes:
        problem: the rules and the layout.
        n: the number of boards.
        choices: the number of candidates, of which the evenest is chosen.
        solver: the name of a solver, or ``auto``.
        clock: the time limit of all boards together.
        source: the random source.
    """

    problem: Problem
    n: int
    choices: int
    solver: str
    clock: Clock
    source: random.Random


@dataclass(frozen=True)
class Engine:
    """A method of generating boards.

    Attributes:
        name: the value of ``method=`` that asks for it.
        about: how it makes boards, for explanations.
        reason: why it is used if it has no obstacle.
        obstacle: returns why it does not apply to a problem, in plain English, or an empty text. It raises
            `SolverTimeout` if the time limit passes.
        boards: yields the boards of a request.
    """

    name: str
    about: str
    reason: str
    obstacle: Callable[[Problem, Clock], str]
    boards: Callable[[Request], Iterator[Board]]


# Boards


def _ranked(request: Request) -> Iterator[Board]:
    return _chosen(request, _by_rank(request))


def _dealt(request: Request) -> Iterator[Board]:
    return _chosen(request, board_dealer(request.problem).boards(request.source, request.clock))


def _walked(request: Request) -> Iterator[Board]:
    problem = request.problem
    boards = board_walk(problem).boards(request.source, request.clock)
    return _chosen(request, (check_board(board, problem, "the walk") for board in boards))


def _solved(request: Request) -> Iterator[Board]:
    name = find.find_solver(request.solver).name
    method = SolverMethod(request.problem, name, request.clock, request.source)
    return method.boards(request.n, request.choices)


def _by_rank(request: Request) -> Iterator[Board]:
    """Yield boards by random ranks.

    Raises:
        Infeasible: the rules allow no board. The message names the conflict if a solver is installed.
        SolverTimeout: the time limit passed.
    """
    budget = Budget(BLOCK_STATES, request.clock)
    try:
        yield from sample_within(request.n * request.choices, request.problem, request.source, budget)
    except Infeasible as empty:
        raise _with_conflict(request, empty) from None


def _with_conflict(request: Request, empty: Infeasible) -> Infeasible:
    """Return the error that names the conflict, or *empty* if no solver is installed."""
    rules, layout, clock = request.problem.rules, request.problem.layout, request.clock
    try:
        solver = find.find_solver("auto").name
    except SolverNotFound:
        return empty
    explain = board_conflict if count_terrains(rules, layout, timeout=clock.left()) else terrain_conflict
    return explain(rules, layout, solver, clock)


def _chosen(request: Request, boards: Iterator[Board]) -> Iterator[Board]:
    """Yield the boards of a request, each the evenest of the next candidates.

    If *boards* ends early, the solver generates the missing boards.
    """
    for n_done in range(request.n):
        candidates: list[Board] = []
        try:
            for _ in range(request.choices):
                request.clock.left()
                candidates += islice(boards, 1)
        except SolverTimeout as timeout:
            text = f"the time limit passed with {n_done:,} of {amount(request.n, 'board')} made"
            with request.clock.named():
                raise SolverTimeout(text, n_done) from timeout
        if len(candidates) < request.choices:
            yield from _solved(replace(request, n=request.n - n_done))
            return
        yield candidates[0] if request.choices == 1 else evenest(iter(candidates), request.choices)


# Obstacles


def _count_obstacle(problem: Problem, clock: Clock) -> str:
    if problem.tie:
        return problem.tie
    obstacle = rank_obstacle(problem, QUICK, clock)
    return obstacle if obstacle and rank_obstacle(problem, FEW, clock) else ""


def _rare_obstacle(problem: Problem, clock: Clock) -> str:
    return walk_obstacle(problem) or rank_obstacle(problem, FEW, clock)


def _no_obstacle(problem: Problem, clock: Clock) -> str:
    return ""


_DEAL = Engine(
    "deal",
    "by repeated deals (deal, uniform)",
    "enough random deals satisfy these rules",
    lambda problem, clock: deal_obstacle(problem, 5 * FEWEST_DEALT),
    _dealt,
)
_RANK = Engine(
    "uniform",
    "sampled by rank (uniform)",
    "under these rules an exact count takes about a second",
    _count_obstacle,
    _ranked,
)

ENGINES = (
    _DEAL,
    _RANK,
    replace(_DEAL, obstacle=lambda problem, clock: deal_obstacle(problem, FEWEST_DEALT)),
    replace(
        _RANK, name="walk", reason="since there are too few boards for a random walk", obstacle=_rare_obstacle
    ),
    Engine(
        "walk",
        "by a random walk (walk)",
        "the rules are about touching tiles and vertices only",
        lambda problem, clock: walk_obstacle(problem),
        _walked,
    ),
    Engine("solver", "solved (solver)", "no other method applies", _no_obstacle, _solved),
    replace(_RANK, obstacle=_no_obstacle),  # only by request: errors of the count name the obstacle
)
"""The methods in order of preference. A name can have several rows: the first without an obstacle is used."""

METHODS = ("auto", *dict.fromkeys(engine.name for engine in ENGINES))
