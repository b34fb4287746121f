"""What is asked of a solver, in what time; and all boards that the rules allow, streamed while it runs.

>>> with enumerate_terrains("blog") as solutions:
...     print(sum(1 for _ in solutions), solutions.complete)
96 True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.counting import is_countable
from catan_cp.counting.counts import counted_quickly
from catan_cp.counting.terrains import first_of_class, is_closed, turns_of
from catan_cp.errors import InvalidArgument, SolverFailed, SolverTimeout, check_limit, check_timeout
from catan_cp.rules.checking import violations_of
from catan_cp.rules.rule import Violation, keeping_symmetries
from catan_cp.rules.rules import Rules, constraints_for, is_edited, only, parts_of, read_asked
from catan_cp.search import model_data
from catan_cp.search.checking import constraint_violations
from catan_cp.search.model_data import marker_task, terrain_task
from catan_cp.solving import find
from catan_cp.solving.compiling import Compiled, Task, compile_model, with_first
from catan_cp.solving.listing import Block, Source, Told, first, listed

Row = Sequence[int]
T = TypeVar("T")

EXTERNAL_SECONDS = 300.0
"""The default time limit for rules with constraints from a file, link or store."""
_FIRST, _EVERY = 16, 64
"""The first so many terrains or markers are held against the rules' own checkers, and then one of so many."""


# What is asked of a solver, in what time, and what its rows are


class Clock:
    """A time limit for several steps: what is left of it for the next one.

    Without a *timeout*, *rules* with constraints from a file, link or store have `EXTERNAL_SECONDS`.
    """

    def __init__(self, timeout: float | None, rules: Rules | None = None) -> None:
        own = rules.constraints if rules is not None else ()
        self._is_default = timeout is None and any(each.is_external for each in own)
        self._timeout = EXTERNAL_SECONDS if self._is_default else check_timeout(timeout)
        self._end = None if self._timeout is None else time.monotonic() + self._timeout

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say in a `SolverTimeout` that the default limit passed, and how to change it."""
        try:
            yield
        except SolverTimeout as timeout:
            if self._is_default:
                limit = f"{self._timeout:g} s is the default limit for constraints from a file, link or store"
                timeout.args = (f"{timeout}; {limit}: change it with timeout=SECONDS or --timeout SECONDS",)
            raise

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


Keys = Callable[[Block], Sequence[bytes]]
"""Returns of each row what all rows of its class have in common, and no others."""


def solutions_of(
    task: Task, solver: str, clock: Clock, limit: int | None = None, keys: Keys | None = None
) -> Source:
    """Compile a task, and return what lists its solutions, each once, in order if its solver can.

    With *keys* it lists the first that comes of each class.

    Raises:
        InvalidArgument: several solutions are wanted of a solver that finds one per run.
    """
    limit = check_limit(limit)
    wanted, backend = limit if keys is None else None, find.find_solver(solver).backend
    if backend.listing == "none" and wanted != 1:
        raise InvalidArgument(
            f"solver must be one that lists all solutions, not {backend.name}, which finds one per run; "
            "use auto, chuffed or gecode"
        )
    with clock.named():
        program = compiled(task, solver, clock)

    def source(told: Told) -> Iterator[Block]:
        with clock.named():
            yield from listed(program, wanted, clock.left, told)

    return source if keys is None else partial(_one_per_class, source, keys, limit)


def first_row(task: Task, solver: str, clock: Clock, seed: int, *, free: bool = False) -> list[int] | None:
    """Return a solution of a task that *seed* chooses, or None if there is none.

    *free* lets the solver ignore the search that the model states.
    """
    from catan_cp.solving.binding import first_answer

    return first_answer(task, find.find_solver(solver), clock.left, seed=seed, free=free)


def compiled_first_row(
    task: Task, solver: str, clock: Clock, seed: int, *, free: bool = False, given: Row = ()
) -> list[int] | None:
    """Return a solution as `first_row` does, for many questions to one model, which is compiled once.

    *given* are the first numbers of the solution, if they are known.
    """
    program = with_first(compiled(task, solver, clock), given)
    return None if program is None else first(program, clock.left, seed=seed, free=free)


def compiled(task: Task, solver: str, clock: Clock) -> Compiled:
    """Return a task compiled for a solver."""
    return compile_model(task, find.find_solver(solver), clock.left())


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

    Constraints are left to `confirmed`. Only breaches of *fields* count, where these are given.

    Raises:
        SolverFailed: the board breaks the rules, so solver, models and rules do not mean the same.
    """
    violations = (each for each in violations_of(rules, board) if fields is None or each.rule in fields)
    return _without(violations, board, solver)


def confirmed(board: Board, rules: Rules, solver: str, clock: Clock) -> Board:
    """Return a board that a *solver* made, once each of the constraints holds on it alone.

    Raises:
        SolverFailed: the board breaks a constraint.
        SolverTimeout: the time limit passed.
    """
    return _without(constraint_violations(rules, board, clock.left, many=True), board, solver)


def _without(violations: Iterable[Violation], board: Board, solver: str) -> Board:
    for violation in violations:
        raise SolverFailed(
            f"{solver} made the board {board.notation()}, which breaks the rules: "
            f"{violation}; try another solver, and please report this"
        )
    return board


# All solutions


class Solutions(Generic[T]):
    """An iterator of solutions that streams while the solver runs: each solution once, in the model's order.

    The solver starts when the first solution is asked for. Closing it (``close()``, or leaving a ``with``) or
    dropping it stops the solver. Memory does not grow with the number of solutions.
    """

    def __init__(
        self,
        source: Source,
        decode: Callable[[Row], T],
        width: int,
        doubt: Callable[[], None] | None = None,
        look: Callable[[Row], object] | None = None,
        confirm: Callable[[Row], object] | None = None,
    ) -> None:
        self._decode, self._width = decode, width
        self._told = Told()
        self._blocks = _doubted(source, self._told, doubt, look, confirm)
        self._rows: Iterator[Row] = iter(())

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        while True:
            for row in self._rows:
                return self._decode(row)
            self._rows = iter(next(self._blocks).tolist())

    def array(self) -> NDArray[np.uint8]:
        """Return all solutions that were not taken yet, as an array of shape (solutions, numbers in one).

        Terrain codes, or markers, or, for boards, terrain codes, markers, the codes of the harbors' trades
        and the numbers of fishing grounds side by side; 0 stands for none.

        Raises:
            SolverTimeout: the time limit passed; its ``partial`` is the array until then.
        """
        kept = [np.array(list(self._rows), dtype=np.uint8).reshape(-1, self._width)]
        try:
            kept.extend(block.astype(np.uint8) for block in self._blocks)
        except SolverTimeout as timeout:
            timeout.partial = np.concatenate(kept)
            raise
        return np.concatenate(kept)

    @property
    def statistics(self) -> dict[str, float]:
        """What the solver reported at its end; empty before that, and where it was stopped.

        Both solvers report ``solutions``, ``nodes`` (of the search tree), ``failures`` (dead ends; Chuffed
        counts solutions among them, for it learns from both), ``peak_depth`` (choices on top of each other),
        ``propagations`` (runs of propagators), ``restarts``, ``variables`` and ``propagators`` (of the
        compiled model), ``init_time`` and ``solve_time`` (seconds; the portable Gecode tells neither).
        Chuffed adds ``nogoods`` (clauses learnt), ``backjumps`` and more.
        """
        return dict(self._told.statistics)

    @property
    def complete(self) -> bool:
        """Whether the solver proved that there are no more."""
        return self._told.complete

    @property
    def found(self) -> int:
        """How many solutions the solver has sent so far."""
        return self._told.found

    def close(self) -> None:
        """Stop the solver, from any thread; solutions that it has sent already can still be taken."""
        self._told.stop()
        with suppress(ValueError):  # another thread is reading them, and comes to their end
            self._blocks.close()

    def __enter__(self) -> Solutions[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _doubted(
    source: Source,
    told: Told,
    doubt: Callable[[], None] | None,
    look: Callable[[Row], object] | None,
    confirm: Callable[[Row], object] | None,
) -> Generator[Block, None, None]:
    """Yield a solver's blocks, some rows of each looked at; doubt it where it says that there are none.

    To *confirm* a row takes a solver, so only the first, second, fourth, eighth ... row is confirmed.
    """
    seen = 0
    for block in source(told):
        if look is not None:
            for row in (*block[: max(0, _FIRST - seen)].tolist(), *block[-seen % _EVERY :: _EVERY].tolist()):
                look(row)
        if confirm is not None:
            for power in range(seen.bit_length(), (seen + len(block)).bit_length()):
                confirm(block[2**power - 1 - seen].tolist())
        seen += len(block)
        yield block
    if doubt is not None and told.complete and not told.found:
        doubt()


def enumerate_terrains(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    up_to_symmetry: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[tuple[str, ...]]:
    """Stream every terrain that *rules* allow, as tuples of terrain names, each once.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        up_to_symmetry: list one allowed terrain arrangement of each orbit under the rotations and reflections
            of the layout that keep the adjacency; ``count_terrains(up_to_symmetry=True)`` counts as many.
        solver: ``auto`` (Chuffed where it is, else Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`, compiling included.
        limit: stop after so many.

    Raises:
        InvalidRules, InvalidBoard, InvalidArgument: an argument that cannot be.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say; the last two while iterating too.
    """
    rules, layout = read_asked(rules, layout)
    clock, names = Clock(timeout, rules), partial(terrain_names, layout)
    own = only(rules, constraints_for(rules, "terrain"))
    asked, keys = rules, None
    if (
        up_to_symmetry
        and rules.symmetry == "all"
        and is_countable(rules, layout)
        and is_closed(rules, layout)
    ):
        asked = rules.replace(symmetry="distinct")
    elif up_to_symmetry:
        keys = _keys_of_tiles(rules, layout, 1)
    source = solutions_of(terrain_task(asked, layout), solver, clock, limit, keys)
    doubt = partial(doubt_none, "terrain", rules, layout)

    def look(row: Row) -> None:
        checked(Board(layout, names(row)), rules, solver)

    def confirm(row: Row) -> Board:
        return confirmed(Board(layout, names(row)), own, solver, clock)

    believed = is_edited(rules, "terrain")
    return Solutions(source, names, layout.n_tiles, doubt, None if believed else look, confirm)


def enumerate_markers(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules,
    layout: str | Layout | None = None,
    *,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[tuple[int | None, ...]]:
    """Stream every way to put markers on *terrain* that *rules* allow: tuples with None where there is none.

    Arguments and errors are those of `enumerate_terrains`; *terrain* is a board, a sequence of names, or a
    notation. It must fit the pattern of the rules.
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout, names)
    clock, own = Clock(timeout, rules), only(rules, constraints_for(rules, "markers"))
    source = solutions_of(marker_task(rules, layout, names), solver, clock, limit)
    doubt = partial(doubt_none, "markers", rules, layout, names)
    asked = only(rules, parts_of(rules, "markers"))
    fields = {part for part in parts_of(asked) if isinstance(part, str)}

    def look(row: Row) -> None:
        checked(Board(layout, names, marker_numbers(row)), asked, solver, fields)

    def confirm(row: Row) -> Board:
        return confirmed(Board(layout, names, marker_numbers(row)), own, solver, clock)

    believed = is_edited(rules, "markers")
    return Solutions(source, marker_numbers, layout.n_tiles, doubt, None if believed else look, confirm)


def enumerate_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    up_to_symmetry: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[Board]:
    """Stream every board that *rules* allow: each terrain with each of its harbors and markers.

    Arguments and errors are those of `enumerate_terrains`. With *up_to_symmetry*, printed harbors belong to
    the frame and stay, shuffled ones turn with their board; a key of each orbit is kept in memory.
    """
    rules, layout = read_asked(rules, layout)
    keys = None
    if up_to_symmetry:
        turning = rules.harbors == "shuffled"
        keys = _keys_with_harbors(rules, layout) if turning else _keys_of_tiles(rules, layout, 2)
    clock = Clock(timeout, rules)
    source = solutions_of(model_data.joint_task(rules, layout), solver, clock, limit, keys)
    places = *model_data.harbor_edges(layout, rules.harbors), *layout.ground_places
    width = 2 * layout.n_tiles + len(places)

    def board(row: Row) -> Board:
        return checked(read_board(layout, row), rules, solver)

    def confirm(row: Row) -> Board:
        return confirmed(board(row), rules, solver, clock)

    return Solutions(source, board, width, partial(doubt_none, "boards", rules, layout), confirm=confirm)


# One of each class that rotations and mirrors make. The models can keep the first terrain of each class
# (``symmetry="distinct"``), which finds every class only where the rules do not tell a terrain from its
# image: a printed harbor, a pattern or a user's constraint may forbid the first one and allow another. So
# elsewhere all are listed, and of each class the first that comes is kept.


def _one_per_class(source: Source, keys: Keys, limit: int | None, told: Told) -> Iterator[Block]:
    """Yield the first row of each class that a source lists. One short key a class is remembered."""
    known: set[bytes] = set()
    for block in source(told):
        new = []
        for number, key in enumerate(keys(block)):
            if key not in known and len(known) != limit:
                known.add(key)
                new.append(number)
        told.found -= len(block) - len(new)
        if new:
            yield block[new]
        if told.found == limit:
            return


def _keys_of_tiles(rules: Rules, layout: Layout, columns: int) -> Keys:
    """Return the keys of rows of terrain codes (*columns* 1), with markers behind them (*columns* 2).

    Harbors that are printed belong to the frame, which does not turn.
    """
    n = layout.n_tiles
    turns = [tuple(n * k + t for k in range(columns) for t in turn) for turn in turns_of(rules, layout)]

    def keys(block: Block) -> Sequence[bytes]:
        codes = (block[:, : n * columns] + 1).astype("uint8")  # none is 0, as `first_of_class` needs it
        return [row.tobytes() for row in first_of_class(codes, turns)]

    return keys


def _keys_with_harbors(rules: Rules, layout: Layout) -> Keys:
    """Return the keys of rows of boards whose harbors turn with them."""
    numbers = keeping_symmetries(layout, rules.adjacency)

    def content(board: Board) -> bytes:
        harbors = [(harbor.vertices, harbor.trade) for harbor in board.harbors]
        return repr((board.terrain, board.markers, harbors)).encode()

    def keys(block: Block) -> Sequence[bytes]:
        boards = (read_board(layout, row) for row in block.tolist())
        return [min(content(board.moved(number)) for number in numbers) for board in boards]

    return keys
