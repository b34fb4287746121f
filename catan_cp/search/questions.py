"""Questions to a solver under a time limit, and checks of its answers.

A question is a `Task`: a model with its data. Its answer is one solution or all of them, each a row of whole
numbers. Solvers have faults. So the functions below check boards with Python's reading of the rules, and an
answer "no solution" with exact counts.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.counting.counts import counted_quickly
from catan_cp.errors import InvalidArgument, SolverFailed, check_limit
from catan_cp.model_files import edited
from catan_cp.problem.problem import Problem
from catan_cp.rules.rule import Violation
from catan_cp.rules.rules import Rules
from catan_cp.search.checking import constraint_violations
from catan_cp.solving import find
from catan_cp.solving.compiling import Compiled, Task, compile_model, with_first
from catan_cp.solving.listing import SolutionBlock, Source, StreamState, distinct_blocks, first

Row = Sequence[int]

_STARTING = 2.0
"""The minimum time of a proof as a multiple of the compile time."""


# Questions


def solutions_of(task: Task, solver: str, clock: Clock, limit: int | None = None) -> Source:
    """Compile a task, and return the function that lists its solutions.

    Each solution comes once, in the order of the model if the solver keeps it. *limit* is the maximum number
    of solutions.

    Raises:
        InvalidArgument: the solver finds one solution per run, and *limit* is not 1.
    """
    limit, backend = check_limit(limit), find.find_solver(solver).backend
    if backend.listing == "none" and limit != 1:
        raise InvalidArgument(
            f"solver must be one that lists all solutions, not {backend.name}, which finds one per run; "
            "use auto, chuffed or gecode"
        )
    with clock.named():
        program = compile_task(task, solver, clock)

    def source(state: StreamState) -> Iterator[SolutionBlock]:
        with clock.named():
            yield from distinct_blocks(program, limit, clock.left, state)

    return source


def first_row(
    task: Task, solver: str, clock: Clock, seed: int, *, free: bool = False, prefix: Row = ()
) -> list[int] | None:
    """Return the solution of a task that *seed* selects, or None if infeasible, by the `minizinc` package.

    *free* lets the solver ignore the search annotations of the model. *prefix* has the terrain codes of the
    solution, if they are known.
    """
    from catan_cp.solving.binding import first_answer

    if prefix:
        task = replace(task, data={**task.data, "terrain_choices": [{code} for code in prefix]})
    return first_answer(task, find.find_solver(solver), clock.left, seed=seed, free=free)


def compiled_first_row(
    task: Task, solver: str, clock: Clock, seed: int, *, free: bool = False, prefix: Row = ()
) -> list[int] | None:
    """Return a solution as `first_row` does, from a model that is compiled once for many questions.

    *prefix* fixes the first numbers of the solution.
    """
    program = with_first(compile_task(task, solver, clock), prefix)
    return None if program is None else first(program, clock.left, seed=seed, free=free)


def compile_task(task: Task, solver: str, clock: Clock) -> Compiled:
    """Return a task compiled for a solver."""
    return compile_model(task, find.find_solver(solver), clock.left())


def starting_seconds(task: Task, solver: str, clock: Clock) -> float:
    """Return the seconds in which MiniZinc surely starts and compiles a task, besides the time to solve it.

    Custom text and edited models are compiled, so that they keep to their own time limit.
    """
    if task.own is not None or edited(task.models):
        return _STARTING * compile_task(task, solver, clock).seconds
    return find.find_solver(solver).minizinc.starting_seconds


# Answers


def terrain_names(layout: Layout, row: Row) -> tuple[str, ...]:
    """Return the terrain names of a row of terrain codes."""
    names = layout.all_terrains
    return tuple([names[code - 1] for code in row])


def marker_numbers(row: Row) -> tuple[int | None, ...]:
    """Return the markers of a row, with None for 0."""
    return tuple([marker or None for marker in row])


def check_none(
    part: str, rules: Rules, layout: Layout, clock: Clock, terrain: Sequence[str] | None = None
) -> None:
    """Check a solver's answer that there is no solution by an exact count.

    Args:
        part: ``"terrain"``, ``"markers"`` or ``"boards"`` (see `counted_quickly`).
        rules: the rules.
        layout: the layout.
        clock: the time limit.
        terrain: for ``"markers"``, the terrain arrangement.

    Raises:
        SolverFailed: the count is above 0.
        SolverTimeout: the time limit passed.
    """
    if known := counted_quickly(part, rules, layout, clock, terrain):
        raise SolverFailed(
            f"the solver says that the rules allow no {part}, but there are {known:,} on {layout.name!r}; "
            "try another solver, and please report this"
        )


def check_board(board: Board, problem: Problem, method: str, fields: Collection[str] | None = None) -> Board:
    """Return a generated board after checking it with Python's reading of the rules.

    Args:
        board: the board.
        problem: the rules, of which constraints do not count (see `confirm_board`), and the layout.
        method: the solver or method that generated the board, for the message.
        fields: the fields of the rules that count, all by default.

    Raises:
        SolverFailed: the board breaks the rules, so the models and Python read the rules differently.
    """
    violations = (v for v in problem.violations(board) if fields is None or v.rule in fields)
    return _without(violations, board, method)


def confirm_board(board: Board, problem: Problem, solver: str, clock: Clock) -> Board:
    """Return a solver's board after a solver has checked each constraint on it.

    Raises:
        SolverFailed: the board breaks a constraint.
        SolverTimeout: the time limit passed.
    """
    return _without(constraint_violations(problem, board, clock.left, many=True), board, solver)


def _without(violations: Iterable[Violation], board: Board, method: str) -> Board:
    for violation in violations:
        raise SolverFailed(
            f"{method} made the board {board.notation()}, which breaks the rules: "
            f"{violation}; try another solver, and please report this"
        )
    return board
