"""What the models' tasks give: rows from a solver in a time limit, and the boards that rows are."""

import time
from collections.abc import Collection, Sequence

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.counting.boards import counted_quickly
from catan_cp.errors import SolverFailed, SolverTimeout, check_limit, check_timeout
from catan_cp.rules.checking import violations_of
from catan_cp.rules.rules import Rules
from catan_cp.solving import compiling, find
from catan_cp.solving.listing import Listing

Row = Sequence[int]


class Clock:
    """A time limit for several steps: what is left of it for the next one."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = check_timeout(timeout)
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        """Return the seconds that are left, None where there is no limit.

        Raises:
            SolverTimeout: nothing is left.
        """
        if self._end is None:
            return None
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise SolverTimeout(f"the time limit of {self._timeout:g} s passed; allow more time")
        return seconds

    def at_most(self, seconds: float) -> float:
        """Return the seconds that are left, or *seconds* where these are fewer.

        Raises:
            SolverTimeout: nothing is left.
        """
        left = self.left()
        return seconds if left is None else min(left, seconds)


def solutions_of(task: compiling.Task, solver: str, clock: Clock, limit: int | None = None) -> Listing:
    """Start a solver that streams every solution of a task once; in ascending order, if its backend can."""
    checked = check_limit(limit)
    return Listing(compiled(task, solver, clock), checked, clock.left)


def first_row(
    task: compiling.Task, solver: str, clock: Clock, seed: int, *, free: bool = False, given: Row = ()
) -> list[int] | None:
    """Return a solution of a task that *seed* chooses, or None where there is none.

    *free* lets the solver search as it likes instead of as the model says; *given* are the first numbers of
    the solution, where they are known.
    """
    from catan_cp.solving.binding import first

    program = compiling.with_first(compiled(task, solver, clock), given)
    return None if program is None else first(program, clock.left, seed=seed, free=free)


def compiled(task: compiling.Task, solver: str, clock: Clock) -> compiling.Compiled:
    """Return a task compiled for a solver."""
    return compiling.compile_model(task, find.find_solver(solver), clock.left())


def doubt_none(what: str, rules: Rules, layout: Layout, terrain: Sequence[str] | None = None) -> None:
    """Believe a solver that there is none of *what* (see `counted_quickly`), unless our own count finds some.

    Raises:
        SolverFailed: it finds some.
    """
    if known := counted_quickly(what, rules, layout, terrain):
        raise SolverFailed(
            f"the solver says that the rules allow no {what}, but there are {known:,} on {layout.name!r}; "
            "try another solver, and please report this"
        )


def terrain_names(layout: Layout, row: Row) -> tuple[str, ...]:
    """Return the terrain names of a row of the layout's codes."""
    names = layout.all_terrains
    return tuple([names[code - 1] for code in row])


def marker_numbers(row: Row) -> tuple[int | None, ...]:
    """Return the markers of a row, None for 0."""
    return tuple([marker or None for marker in row])


def read_board(layout: Layout, row: Row) -> Board:
    """Return the board of a solution of ``joint.mzn``: terrain codes, markers, trades and grounds."""
    n, end = layout.n_tiles, len(row) - len(layout.ground_places)
    parts = {"terrain": row[:n], "marker": row[n : 2 * n], "harbor": row[2 * n : end], "ground": row[end:]}
    return Board.from_solution(parts, layout)


def checked(board: Board, rules: Rules, solver: str, fields: Collection[str] | None = None) -> Board:
    """Return a board that a *solver* made, or the walk, once our own reading of the rules agrees.

    A user's constraints have no other reading than the solver's. Only breaches of *fields* count, where these
    are given.

    Raises:
        SolverFailed: the board breaks the rules, so solver, models and rules do not mean the same.
    """
    violations = [each for each in violations_of(rules, board) if fields is None or each.rule in fields]
    if violations:
        raise SolverFailed(
            f"{solver} made the board {board.notation()}, which breaks the rules: "
            f"{violations[0]}; try another solver, and please report this"
        )
    return board
