"""Magic squares as a small listing model: 8, 2, 1, 72 and 7,040 squares, listed like boards."""

from collections.abc import Sequence

from catan_cp import Solutions
from catan_cp.clock import Clock
from catan_cp.model_files import models_dir
from catan_cp.rules.constraint import join_constraints, read_constraints
from catan_cp.search.model_data import dealt
from catan_cp.search.questions import Row, solutions_of
from catan_cp.solving.compiling import Task

Square = tuple[tuple[int, ...], ...]

_NAMES = dict.fromkeys(("n", "LINE", "NUMBER", "magic", "cell"), "magic_square")


def magic_data(
    order: int = 3, *, diagonals: bool = True, fixed: Sequence[Sequence[int]] | None = None
) -> dict[str, object]:
    """Return the data of the model. 0 in *fixed* is a free cell."""
    rows = [[0] * order] * order if fixed is None else [list(row) for row in fixed]
    return {"n": order, "diagonals": diagonals, "fixed": rows}


def magic_squares(
    order: int = 3,
    *,
    diagonals: bool = True,
    fixed: Sequence[Sequence[int]] | None = None,
    constraints: Sequence[str] = (),
    solver: str = "auto",
) -> Solutions[Square]:
    """List the magic squares of an order, as tuples of rows."""
    cells = [
        *range(0, order**2, order + 1),
        *(n * (order - 1) for n in range(1, order + 1)),
        *range(order**2),
    ]
    own = read_constraints(constraints)
    task = Task(
        "magic_square",
        magic_data(order, diagonals=diagonals, fixed=fixed),
        dealt([range(1, order**2 + 1)] * order**2, [0] + [1] * order**2),
        lambda squares: squares[:, cells],
        own=join_constraints(own, _NAMES, {}) if own else None,
        repeats=any(constraint.has_variables for constraint in own),
    )

    def square(row: Row) -> Square:
        return tuple(tuple(row[start : start + order]) for start in range(0, order * order, order))

    return Solutions(solutions_of(task, solver, Clock(None)), square, order * order)


def magic_squares_of_package(
    order: int = 3, *, diagonals: bool = True, fixed: Sequence[Sequence[int]] | None = None
) -> list[Square]:
    """Return all squares that Gecode finds through the `minizinc` package, as notebook 1 does."""
    from catan_cp.solving.driver import package

    minizinc = package()

    model = minizinc.Model(models_dir() / "magic_square.mzn")
    instance = minizinc.Instance(minizinc.Solver.lookup("gecode"), model)
    for name, value in magic_data(order, diagonals=diagonals, fixed=fixed).items():
        instance[name] = value
    result = instance.solve(all_solutions=True)
    assert result.status is minizinc.Status.ALL_SOLUTIONS
    return [tuple(map(tuple, solution.cell)) for solution in result.solution]
