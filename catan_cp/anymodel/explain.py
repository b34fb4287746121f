"""Constraints of any MiniZinc model that exclude each other.

>>> find_conflict("var 1..3: x; constraint x > 1; constraint x > 2; constraint x < 3;").items
('constraint x > 2', 'constraint x < 3')
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from catan_cp.anymodel.minimal import minimal_subset
from catan_cp.anymodel.models import Model, opened_model, with_seconds
from catan_cp.anymodel.racing import Race
from catan_cp.errors import Conflict, InvalidArgument, SolverTimeout, amount
from catan_cp.minizinc_text import items
from catan_cp.progress import Progress, Watch, watching
from catan_cp.solving.listing import StreamState


def find_conflict(
    model: Any, data: Any = None, *, timeout: float | None = None, progress: bool | Watch = True
) -> Conflict:
    """Return constraints of a MiniZinc model that exclude each other.

    Constraint items of the model's own text are removed one by one. Gecode and Chuffed test the rest at the
    same time. Included files, declarations and data are kept. So ``items`` is empty if these have no solution
    themselves. An objective does not matter.

    Args:
        model: the model, as for `count_solutions`, of any types of variables.
        data: its data, as for `count_solutions`.
        timeout: time limit in seconds for the whole search; none by default. Each test may use half of the
            remaining time.
        progress: True shows the number of tests on standard error. A function is called with a `Progress`.

    Returns:
        The constraints as texts, and whether they are proven minimal.

    Raises:
        InvalidArgument: the model is wrong or has a solution.
        SolverTimeout: the time limit passed before the model was proved to have no solution.
        SolverNotFound: MiniZinc or the solver is not installed.
        SolverFailed: all solvers failed on the model.

    Example:
        >>> find_conflict("var 1..9: x; constraint x > 5; constraint x != 7; constraint x < 4;")
        Conflict(fields=(), constraints=('constraint x > 5', 'constraint x < 4'), minimal=True)
    """
    with opened_model(model, data, timeout) as opened, watching(progress, "finding a conflict") as watch:
        parts = [part for file in opened.files if file.suffix == ".mzn" for part in _items_of(file)]
        constraints = tuple(text for kind, text in parts if kind == "constraint")
        rest = [text for kind, text in parts if kind not in ("constraint", "output", "solve")]
        n_tests = 0

        def is_infeasible(kept: tuple[int, ...]) -> bool | None:
            nonlocal n_tests
            n_tests += 1
            if watch is not None:
                watch(Progress(n_tests, unit="tests", text=amount(len(kept), "constraint")))
            text = ";\n".join([*rest, *(constraints[number] for number in kept), "solve satisfy;\n"])
            seconds = opened.clock.left()
            try:
                return not _has_solution(with_seconds(opened, None if seconds is None else seconds / 2), text)
            except SolverTimeout:
                opened.clock.left()  # raises if the caller's time limit passed
                return None

        numbers = tuple(range(len(constraints)))  # equal texts stay apart
        verdict = is_infeasible(numbers)
        if verdict is None:
            raise SolverTimeout("no solver decided within the time limit whether the model has a solution")
        if not verdict:
            raise InvalidArgument(
                "model must have no solution; count_solutions counts the solutions of others"
            )
        kept, is_minimal = minimal_subset(numbers, is_infeasible)
        return Conflict(constraints=tuple(constraints[number] for number in kept), minimal=is_minimal)


def _has_solution(model: Model, items: str) -> bool:
    """Return True if a model of these items has a solution.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: all solvers failed.
    """
    flat = model.flat([], items=items)
    with Race[bool](model.clock) as race:
        for solver in flat.solvers(floats=True):
            state = StreamState()
            race.add(solver.name, partial(flat.has_solution, solver, state), state.stop)
        answer = race.first()
        if answer is None:
            raise race.failure("change the constraints on which the solvers fail")
        return answer[0]


def _items_of(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the first word and the text of each item of a file, with absolute paths of included files."""
    for item in items(file.read_text(encoding="utf-8", errors="replace")):
        path = None if item.included is None else file.parent / item.included
        yield item.kind, str(item) if path is None or not path.is_file() else f'include "{path.as_posix()}"'
