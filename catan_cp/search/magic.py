"""Magic squares, the warm-up of "Optimal Catan": a model of one page, streamed like boards are.

>>> with magic_squares(3, fixed=((2, 0, 4), (0, 0, 0), (0, 0, 0))) as squares:
...     print(*squares)
((2, 9, 4), (7, 5, 3), (6, 1, 8))
>>> with magic_squares(3, constraints=["cell[1, 1] < cell[1, 3]", "cell[1, 1] < cell[3, 1]"]) as squares:
...     sum(1 for _ in squares)
2
"""

from collections.abc import Sequence

from catan_cp.errors import InvalidArgument, check_count, show
from catan_cp.rules.constraint import Constraint, own_text, read_constraints
from catan_cp.rules.model_data import dealt
from catan_cp.search.enumerating import Clock, Row, Solutions, solutions_of
from catan_cp.solving.compiling import Task

Square = tuple[tuple[int, ...], ...]

_KNOWN = dict.fromkeys(("n", "LINE", "NUMBER", "magic", "cell"), "magic_square")

MAX_ORDER = 15
"""The largest order: its numbers fit into the bytes of ``Solutions.array``."""


def magic_squares(
    order: int = 3,
    *,
    diagonals: bool = True,
    fixed: Sequence[Sequence[int]] | None = None,
    constraints: Sequence[str | Constraint] = (),
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[Square]:
    """Stream the squares of the numbers 1 to order * order whose lines all have one sum, as tuples of rows.

    Rotations and mirrors count as different squares; ``array()`` has order * order numbers in a row.

    Args:
        order: how many rows and columns.
        diagonals: whether the two diagonals have that sum too, or only the rows and columns.
        fixed: rows of numbers that are given, 0 where the cell is free.
        constraints: MiniZinc texts about ``cell[r, c]``, as in `catan_cp.Rules`.
        solver: ``auto`` (Chuffed where it is, else Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`.
        limit: stop after so many.

    Raises:
        InvalidArgument: an argument that cannot be.
        InvalidRules: a constraint that cannot be.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say; the last two while iterating too.
    """
    order = check_count("order", order, 1, MAX_ORDER)
    if not isinstance(diagonals, bool):
        raise InvalidArgument(f"diagonals is True or False, not {show(diagonals)}")
    rows = _checked(order, [[0] * order] * order if fixed is None else fixed)
    cells = [
        *range(0, order**2, order + 1),
        *(n * (order - 1) for n in range(1, order + 1)),
        *range(order**2),
    ]
    data = {"n": order, "diagonals": diagonals, "fixed": rows}
    fits = dealt([range(1, order**2 + 1)] * order**2, [0] + [1] * order**2)
    own = read_constraints(constraints)
    for constraint in own:
        constraint.check_names(_KNOWN, ())
    task = Task(
        "magic_square",
        data,
        fits,
        lambda squares: squares[:, cells],
        own=own_text(own, _KNOWN, {}),
        repeats=any(each.has_variables for each in own),
    )
    source = solutions_of(task, solver, Clock(timeout), limit)

    def square(row: Row) -> Square:
        return tuple(tuple(row[start : start + order]) for start in range(0, order * order, order))

    return Solutions(source, square, order * order)


def _checked(order: int, fixed: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the given numbers as lists."""
    if not _is_list(fixed, order) or not all(_is_list(row, order) for row in fixed):
        raise InvalidArgument(f"fixed has {order} rows of {order} numbers, 0 where free; not {show(fixed)}")
    numbers = [number for row in fixed for number in row]
    for number in numbers:
        if type(number) is not int or not 0 <= number <= order * order:
            raise InvalidArgument(f"fixed numbers are from 1 to {order * order}, or 0; not {show(number)}")
        if number and numbers.count(number) > 1:
            raise InvalidArgument(f"{number} is fixed twice, but each number stands once")
    return [list(row) for row in fixed]


def _is_list(value: object, length: int) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) == length
