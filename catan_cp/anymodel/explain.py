"""Constraints of any MiniZinc model that exclude each other.

>>> find_conflict("var 1..3: x; constraint x > 1; constraint x > 2; constraint x < 3;").items
('constraint x > 2', 'constraint x < 3')
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from catan_cp.anymodel.minimal import minimal_subset
from catan_cp.anymodel.models import Model, opened_model, with_seconds
from catan_cp.anymodel.racing import Race
from catan_cp.errors import Conflict, InvalidArgument, SolverTimeout, amount
from catan_cp.progress import Progress, Watch, watching
from catan_cp.solving.listing import StreamState

_OUTSIDE = re.compile(r"%[^\n]*|/\*.*?\*/|'[^'\n]*'|[^%/\"'()\[\]{};]+|.", re.DOTALL)
"""A part of a model outside strings: a comment, a quoted identifier, a sign, or other text."""
_INSIDE = re.compile(r"\\\(|\\.|\"|[^\"\\]+|.", re.DOTALL)
r"""A part of a string: the start of an expression ``\(``, an escape, its end, or other text."""
_CLOSING = {"(": ")", "[": "]", "{": "}", "\\(": ")", '"': '"'}
_INCLUDE = re.compile(r'include\s*"([^"\\]+)"')


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
        items = [item for file in opened.files if file.suffix == ".mzn" for item in _items_of(file)]
        constraints = tuple(item for item in items if re.match(r"constraint\b", item))
        rest = [item for item in items if not re.match(r"(constraint|output|solve)\b", item)]
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


def _items_of(file: Path) -> Iterator[str]:
    """Yield the items of a model's file, with absolute paths of included files beside it."""

    def absolute(match: re.Match[str]) -> str:
        path = file.parent / match[1]
        return f'include "{path.as_posix()}"' if path.is_file() else match[0]

    for item in split_items(file.read_text(encoding="utf-8", errors="replace")):
        yield _INCLUDE.sub(absolute, item) if item.startswith("include") else item


def split_items(text: str) -> list[str]:
    r"""Return the items of a model's text, without comments and semicolons.

    >>> split_items('var 1..3: x; % a comment;\n output ["\\(show(x) ++ "%;")"];')
    ['var 1..3: x', 'output ["\\(show(x) ++ "%;")"]']
    """
    items, open_until, place = [""], list[str](), 0
    while place < len(text):
        is_string = bool(open_until) and open_until[-1] == '"'
        match = (_INSIDE if is_string else _OUTSIDE).match(text, place)
        assert match is not None  # both end with any character
        part, place = match[0], match.end()
        if part[0] == "%" or part[:2] == "/*":
            part = part if is_string else " "
        if open_until and part == open_until[-1]:
            open_until.pop()
        elif part in _CLOSING and (not is_string or part == "\\("):
            open_until.append(_CLOSING[part])
        if part == ";" and not open_until:
            items.append("")
        else:
            items[-1] += part
    return [item.strip() for item in items if item.strip()]
