"""Checks of boards against all rules, including those that need a solver.

`catan_cp.rules.checking` has the checks in plain Python. Here a solver decides custom constraints and edited
models, with the board as data.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.parts import GROUNDS, HARBORS
from catan_cp.errors import InvalidBoard, InvalidRules, SolverTimeout, check_kind
from catan_cp.model_files import edited
from catan_cp.problem.problem import Problem
from catan_cp.rules.checking import Check, has_layout_pieces, is_numbered
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.rule import Violation
from catan_cp.rules.rules import Rules, only
from catan_cp.search.model_data import board_values, check_task, joint_task, terrain_task
from catan_cp.solving.compiling import OWN_SECONDS, Task, TimeLeft, compile_model, with_first
from catan_cp.solving.find import find_solver


def find_violations(rules: str | Rules, board: Board, *, many: bool = False) -> list[Violation]:
    """Return every violation of *rules* by *board*.

    Violations of custom constraints and edited models come last. Constraints about markers, harbors or
    fishing grounds are skipped for a board without them.

    Args:
        rules: rules or the name of a preset.
        board: a board, also one whose markers, harbors or fishing grounds are not placed yet.
        many: compile each constraint once for all boards of the layout.

    Raises:
        InvalidBoard: *board* is not a `Board`.
        InvalidRules: the rules need something that the board's layout lacks.
        SolverTimeout: a constraint was not decided within a minute.
        SolverNotFound, SolverFailed: no solver can decide a constraint or the edited models.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
        >>> sorted({violation.rule for violation in find_violations("optimal", board)})
        ['apart', 'terrain_cluster_max', 'vertex_sum_below']
    """
    check_kind("board must be a Board, such as Board.from_notation returns", board, Board, InvalidBoard)
    problem = Problem.of(rules, board.layout)
    violations = problem.violations(board)
    violations += constraint_violations(problem, board, many=many)
    if problem.edits_boards and not _edited_models_allow(problem, board):
        text = "the edited models do not allow the board under these rules"
        violations.append(Violation("models", text))
    return violations


def satisfied(candidates: Mapping[str, Rules], boards: Iterable[Board]) -> Iterator[tuple[str, ...]]:
    """Yield, for each board, the names of the *candidates* that it satisfies.

    The result equals that of `Rules.check`, in less time. A check that several candidates share runs once per
    board, and a candidate is dropped at its first violation. Edits of the models are looked up once, before
    the first board. A board does not satisfy rules that its layout cannot have.
    """
    by_solver = {
        name: rules for name, rules in candidates.items() if rules.constraints or edited(rules.models)
    }
    fitting: dict[Layout, dict[str, Problem]] = {}
    for board in boards:
        if board.layout not in fitting:
            fitting[board.layout] = _fitting(candidates, board.layout)
        results: dict[Hashable, bool] = {}

        def passes(key: Hashable, check: Check, board: Board = board, results: Any = results) -> bool:
            if key not in results:
                results[key] = next(iter(check(board)), None) is None
            return bool(results[key])

        yield tuple(
            name
            for name, problem in fitting[board.layout].items()
            if (
                not find_violations(by_solver[name], board, many=True)
                if name in by_solver
                else all(passes(*keyed_check) for keyed_check in problem.checks)
            )
        )


def _fitting(candidates: Mapping[str, Rules], layout: Layout) -> dict[str, Problem]:
    """Return the problems of the rules that the layout can have."""
    problems = {}
    for name, rules in candidates.items():
        with suppress(InvalidRules):
            problems[name] = Problem.of(rules, layout)
    return problems


def constraint_violations(
    problem: Problem, board: Board, time_left: TimeLeft = lambda: None, *, many: bool = False
) -> Iterator[Violation]:
    """Yield each custom constraint that *board* breaks, if the board has its parts.

    Each constraint is compiled alone, so that no other constraint can change its meaning.

    Args:
        problem: the rules with the constraints, on the layout of the board.
        board: the board.
        time_left: returns the seconds left, or raises `SolverTimeout`.
        many: compile each constraint once for all boards of the layout.

    Raises:
        SolverTimeout: a constraint was not decided within `OWN_SECONDS`, or the time limit passed.
        SolverNotFound, SolverFailed: no solver can decide a constraint.
    """
    rules, tables = problem.rules, problem.constraint_tables
    for constraint in rules.constraints:
        if constraint in tables:
            yield from (Violation("constraints", *breach) for breach in tables[constraint].breaches(board))
            continue
        has_parts = _has_parts(rules.about(constraint), board)
        if has_parts and not _holds(constraint, rules, board, time_left, many):
            yield Violation("constraints", f"the board breaks {str(constraint)!r}")


def _edited_models_allow(problem: Problem, board: Board) -> bool:
    task = joint_task(problem) if is_numbered(board) else terrain_task(problem)
    data = task.data | board_values(board)
    if _has_parts(("grounds",), board):
        data["ground"] = GROUNDS.codes_of(board, board.layout.ground_places)
    return _has_solution(replace(task, data=data, own=None))


def _has_parts(parts: tuple[str, ...], board: Board) -> bool:
    """Return True if these parts (markers, harbors, fishing grounds) are on the board."""
    edges, places = HARBORS.values(board).keys(), {*board.layout.harbor_places}
    has_harbors = bool(edges) and (edges <= places if board.layout.movable_harbors else edges == places)
    grounds = GROUNDS.values(board).keys()
    has_grounds = bool(grounds) and grounds <= {*board.layout.ground_places}
    has_markers = is_numbered(board)
    present = {"markers": has_markers, "harbors": has_harbors, "grounds": has_markers and has_grounds}
    return all(present.get(part, True) for part in parts)


def _holds(constraint: Constraint, rules: Rules, board: Board, time_left: TimeLeft, many: bool) -> bool:
    """Return True if one constraint alone holds on a board, whatever its pieces are.

    A board whose pieces differ from those of the layout is checked on a model with the pieces of the board.
    For *many* boards, the model of the layout is compiled once and tried first.
    """
    parts = rules.about(constraint)
    if "harbors" in parts:  # the board's harbors count, also if the rules place none
        alone = only(rules, ("harbors", constraint)).replace(harbors="shuffled")
    else:
        alone = only(rules, (constraint,))

    def seconds() -> float:
        rest = time_left()
        return OWN_SECONDS if rest is None else min(rest, OWN_SECONDS)

    try:
        in_box = check_task(alone, board, parts, is_box=True)
        values = board_values(board)
        if many:
            row = [number for variable in values for number in values[variable]]
            task = replace(in_box, data={k: v for k, v in in_box.data.items() if k not in values})
            if _has_solution_from(task, row, seconds):
                return True
        elif has_layout_pieces(board):
            return _has_solution(in_box, seconds)
        return _has_solution(check_task(alone, board, parts, is_box=False), seconds)
    except SolverTimeout as timeout:
        time_left()  # raises if the caller's time limit passed
        text = f"the constraint {str(constraint)!r} was not decided on one board within {OWN_SECONDS:g} s"
        raise SolverTimeout(f"{text}; simplify it") from timeout


def _has_solution(task: Task, time_left: TimeLeft = lambda: None) -> bool:
    from catan_cp.solving.binding import first_answer  # loads the minizinc package

    return first_answer(replace(task, fits=None), find_solver("auto"), time_left) is not None


def _has_solution_from(task: Task, row: Sequence[int], time_left: TimeLeft) -> bool:
    """Return True if a solution begins with *row*.

    The model is compiled once for many rows.
    """
    from catan_cp.solving.listing import first

    compiled = with_first(compile_model(replace(task, fits=None), find_solver("auto"), time_left()), row)
    return compiled is not None and first(compiled, time_left) is not None
