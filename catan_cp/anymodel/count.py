"""Exact numbers of solutions of any MiniZinc model.

>>> count_solutions("var 1..3: x; var 1..3: y; constraint x < y;")
3
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from catan_cp.anymodel.counters import PrintedRow, installed, running_counters
from catan_cp.anymodel.models import FlatModel, numbers_of, opened_model
from catan_cp.anymodel.racing import Race
from catan_cp.errors import extra

LISTED_MOST = 1_000_000
"""The maximum number of solutions that are counted by listing."""

HEAD_START = 0.3
"""Seconds for the solvers alone, since the start of a counter takes longer than most lists."""


class SolutionCount(NamedTuple):
    """A number of solutions, and the method that counted them."""

    number: int
    method: str


def count_solutions(
    model: Any, data: Any = None, *, show: Sequence[str] | None = None, timeout: float | None = None
) -> int:
    """Return the exact number of solutions of a MiniZinc model.

    Solutions are distinct values of the shown variables. Variables of the model that are not shown, and those
    that MiniZinc introduces, do not multiply the count.

    Gecode and Chuffed list the solutions, and the counters of the extra ``count`` count them, all at the same
    time. The first result is returned.

    Args:
        model: a `minizinc.Model` or `minizinc.Instance`, a text, or the path of a file ``*.mzn``. Of an
            instance, only model and data count, not its solver.
        data: a mapping from parameters to values, or the path of a file ``*.dzn`` or ``*.json``, or a list
            of these. Values may be numpy arrays, enum classes and their members, and None for an absent one.
        show: the names of the shown variables. By default those that MiniZinc shows without an output item:
            all variables that the model declares without a value.
        timeout: time limit in seconds; none by default.

    Raises:
        InvalidArgument: the model or its data are wrong, or it has an objective, or shows floats that
            integers and Booleans do not determine. Or it has too many solutions for a list, and a constraint
            or an unbounded variable that has no encoding as clauses. The message names it.
        SolverTimeout: the time limit passed.
        SolverNotFound: MiniZinc or Gecode is not installed.
        SolverFailed: the solvers and the counters ran out of memory or failed.
        CatanError: the extra ``count`` is not installed, and there are more than `LISTED_MOST` solutions.

    Warns:
        UserWarning: an expression is undefined, such as an index out of range. MiniZinc replaces it by false.

    Example:
        >>> queens = '''include "alldifferent.mzn";
        ... int: n;
        ... array[1..n] of var 1..n: q;
        ... constraint alldifferent(q);
        ... constraint alldifferent([q[i] + i | i in 1..n]);
        ... constraint alldifferent([q[i] - i | i in 1..n]);'''
        >>> count_solutions(queens, {"n": 6})
        4
    """
    return solution_count(model, data, show=show, timeout=timeout).number


def solution_count(
    model: Any, data: Any = None, *, show: Sequence[str] | None = None, timeout: float | None = None
) -> SolutionCount:
    """Return the number of solutions and the method. Arguments and errors are those of `count_solutions`."""
    with opened_model(model, data, timeout) as opened:
        return compiled_count(opened.flat(*opened.shown(show)))


def compiled_count(flat: FlatModel) -> SolutionCount:
    """Return the number of solutions of a compiled model, and the method."""
    with ExitStack() as stack:
        race = stack.enter_context(Race[int](flat.model.clock))
        flat.list_in(race, LISTED_MOST, len)
        answer = race.first(HEAD_START)
        if answer is None:
            for job, name in stack.enter_context(running_counters(flat.flatzinc.text, flat.words)).items():
                race.add(name, job.result)
            answer = race.first()
        if answer is None:
            raise race.failure(remedy())
        return SolutionCount(*answer)


def remedy() -> str:
    """Return the advice for a model without an answer."""
    advice = ["bound all variables", "use smaller domains"] + ([] if installed() else [extra("count")])
    return ", or ".join(advice)


def all_solutions(text: str, show: Sequence[str], timeout: float) -> list[dict[str, object]]:
    """Return all solutions of a model with at most `LISTED_MOST`.

    Raises:
        CatanError: the errors of `count_solutions`.
    """
    with opened_model(text, None, timeout) as opened, Race[list[PrintedRow]](opened.clock) as race:
        flat = opened.flat(*opened.shown(show))
        flat.list_in(race, LISTED_MOST, numbers_of)
        answer = race.first()
        if answer is None:
            raise race.failure("use smaller domains")
        return flat.printed(answer[0])
