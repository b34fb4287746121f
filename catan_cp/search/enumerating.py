"""All solutions that rules allow, streamed while the solver runs.

>>> with enumerate_terrains("blog") as solutions:
...     print(sum(1 for _ in solutions), solutions.complete)
96 True
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.boards.parts import HARBORS, PARTS, TERRAIN, Part, Place
from catan_cp.clock import Clock
from catan_cp.counting.counts import has_countable_terrains
from catan_cp.counting.spaces import first_of_orbit
from catan_cp.errors import SolverTimeout, check_limit
from catan_cp.problem.problem import Problem
from catan_cp.rules.rule import keeping_symmetries
from catan_cp.rules.rules import Rules, about, only, parts_of, read_asked
from catan_cp.search import model_data, questions
from catan_cp.search.instances import counting_task
from catan_cp.search.model_data import marker_task, terrain_task
from catan_cp.solving.compiling import Task
from catan_cp.solving.listing import SolutionBlock, Source, StreamState
from catan_cp.terminal import html_table

Solution = TypeVar("Solution")
Counting = AbstractContextManager[dict[Future[int], str]]
"""A context with running jobs of model counters, each with the name of the counter."""

_FIRST_CHECKED, _CHECK_EVERY = 16, 64
"""Solutions to check with the rules in Python: the first 16, then every 64th."""


class Solutions(Generic[Solution]):
    """An iterator of distinct solutions in the model's order, while the solver runs.

    The solver starts with the first solution requested. It stops if the iterator is closed (``close()``, or
    the end of a ``with`` block) or garbage collected. Memory does not grow with the number of solutions.

    Attributes:
        counting: returns a context with model counters that count all solutions, or None if there is none.

    Example:
        >>> with enumerate_terrains("blog") as solutions:
        ...     n = len(list(solutions))
        >>> n, solutions.complete
        (96, True)
    """

    def __init__(
        self,
        source: Source,
        decode: Callable[[questions.Row], Solution],
        width: int,
        check_empty: Callable[[], None] | None = None,
        check: Callable[[questions.Row], object] | None = None,
        confirm: Callable[[questions.Row], object] | None = None,
        counting: Callable[[], Counting] | None = None,
    ) -> None:
        self.counting = counting
        self._decode, self._width = decode, width
        self._progress = StreamState()
        self._blocks = _checked_blocks(source, self._progress, check_empty, check, confirm)
        self._rows: Iterator[questions.Row] = iter(())

    def __iter__(self) -> Iterator[Solution]:
        return self

    def __next__(self) -> Solution:
        while True:
            for row in self._rows:
                return self._decode(row)
            self._rows = iter(next(self._blocks).tolist())

    def array(self) -> NDArray[np.uint8]:
        """Return the remaining solutions, of shape (solutions, numbers per solution).

        A row holds terrain codes or markers, 0 for no marker. A row of a board holds terrain codes, markers,
        codes of the harbors' trades and numbers of the fishing grounds. The code of a trade is 0 for 3:1,
        otherwise that of the terrain, and the number after all terrain codes for an edge without a harbor.
        `catan_cp.Board.from_solution` reads a row of a board.

        Raises:
            SolverTimeout: the time limit passed. Its ``partial`` is the array until then.
        """
        blocks = [np.array(list(self._rows), dtype=np.uint8).reshape(-1, self._width)]
        try:
            blocks.extend(block.astype(np.uint8) for block in self._blocks)
        except SolverTimeout as timeout:
            timeout.partial = np.concatenate(blocks)
            raise
        return np.concatenate(blocks)

    @property
    def statistics(self) -> dict[str, float]:
        """The statistics that the solver reported at its end, or none if it was stopped.

        Chuffed and Gecode report:

        * ``solutions`` and ``nodes`` of the search tree,
        * ``failures``: dead ends (Chuffed counts solutions too, since it learns from both),
        * ``peak_depth``: the maximum depth of the search tree,
        * ``propagations`` and ``restarts``,
        * ``variables`` and ``propagators`` of the compiled model,
        * ``init_time`` and ``solve_time`` in seconds (the portable Gecode reports neither).

        Chuffed adds ``nogoods`` (learnt clauses), ``backjumps`` and more.
        """
        return dict(self._progress.statistics)

    @property
    def complete(self) -> bool:
        """True if the solver proved that there are no more solutions."""
        return self._progress.complete

    @property
    def found(self) -> int:
        """The number of solutions that the solver has sent so far."""
        return self._progress.found

    def __repr__(self) -> str:
        return f"<Solutions: {self.found:,} so far{', complete' * self.complete}>"

    def _repr_html_(self) -> str:
        return html_table([(f"{self.found:,}", self.complete)], ("solutions so far", "complete"))

    def close(self) -> None:
        """Stop the solver, from any thread. Solutions already sent can still be taken."""
        self._progress.stop()
        with suppress(ValueError):  # Another thread is reading the blocks, and reaches their end.
            self._blocks.close()

    def __enter__(self) -> Solutions[Solution]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked_blocks(
    source: Source,
    progress: StreamState,
    check_empty: Callable[[], None] | None,
    check: Callable[[questions.Row], object] | None,
    confirm: Callable[[questions.Row], object] | None,
) -> Generator[SolutionBlock, None, None]:
    """Yield a solver's blocks, after checking some rows of each.

    Confirming a row takes a solver, so only the first, second, fourth, eighth ... row is confirmed.
    *check_empty* is called if the solver proves the task infeasible.
    """
    n_seen = 0
    for block in source(progress):
        if check is not None:
            first = block[: max(0, _FIRST_CHECKED - n_seen)].tolist()
            for row in (*first, *block[-n_seen % _CHECK_EVERY :: _CHECK_EVERY].tolist()):
                check(row)
        if confirm is not None:
            for power in range(n_seen.bit_length(), (n_seen + len(block)).bit_length()):
                confirm(block[2**power - 1 - n_seen].tolist())
        n_seen += len(block)
        yield block
    if check_empty is not None and progress.complete and not progress.found:
        check_empty()


def enumerate_terrains(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    up_to_symmetry: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[tuple[str, ...]]:
    """Stream every allowed terrain arrangement once, as tuples of terrain names.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        up_to_symmetry: list one allowed terrain arrangement of each orbit under the rotations and reflections
            of the layout that keep the adjacency. Their number is that of `count_terrains` with
            *up_to_symmetry*.
        solver: ``auto`` (Chuffed if installed, otherwise Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`, including compilation.
        limit: the maximum number of solutions.

    Raises:
        InvalidRules, InvalidBoard, InvalidArgument: an invalid argument.
        SolverNotFound: the solver is not installed.
        SolverTimeout, SolverFailed: the time limit passed, or the solver failed, also while iterating.

    Example:
        >>> with enumerate_terrains("blog", limit=2) as terrains:
        ...     [len(terrain) for terrain in terrains]
        [19, 19]
    """
    problem = Problem.of(rules, layout)
    rules, layout = problem.rules, problem.layout
    clock, names = Clock(timeout, rules), partial(questions.terrain_names, layout)
    problem, of_terrain = problem.within(clock), Problem.of(about(rules, "terrain"), layout)
    constraints = Problem.of(only(rules, problem.constraints("terrain")), layout)
    task_problem, keys = problem, None
    if (
        up_to_symmetry
        and rules.symmetry == "all"
        and not problem.text("terrain")
        and has_countable_terrains(problem, clock)
        and problem.is_closed
    ):
        task_problem = Problem.of(rules.replace(symmetry="distinct"), layout)
    elif up_to_symmetry:
        keys = _orbit_keys(rules, layout, (TERRAIN,))
    task = terrain_task(task_problem)
    source = _source(task, solver, clock, limit, keys)

    def check(row: questions.Row) -> None:
        questions.check_board(Board(layout, names(row)), of_terrain, solver)

    def confirm(row: questions.Row) -> Board:
        return questions.confirm_board(Board(layout, names(row)), constraints, solver, clock)

    check_empty = partial(questions.check_none, "terrain", rules, layout, clock)
    edited = problem.is_edited("terrain")  # An edited model may mean something else than the rules do.
    counting = partial(counting_task, task, clock) if keys is None else None
    reader = None if edited else check
    return Solutions(source, names, layout.n_tiles, check_empty, reader, confirm, counting)


def enumerate_markers(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules,
    layout: str | Layout | None = None,
    *,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[tuple[int | None, ...]]:
    """Stream every allowed marker arrangement on *terrain*, None for no marker.

    Errors are those of `enumerate_terrains`.

    Args:
        terrain: a board, a sequence of terrain names, or a notation. It must fit the pattern of the rules.
        rules: rules or the name of a preset.
        layout: a layout or its name, by default that of *terrain*.
        solver: see `enumerate_terrains`.
        timeout: seconds until `SolverTimeout`, including compilation.
        limit: the maximum number of solutions.

    Example:
        >>> with enumerate_markers("dlw/bgol/owbwg/lgob/wlg", "blog", limit=2) as arrangements:
        ...     [markers[0] for markers in arrangements]
        [None, None]
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout, names)
    problem = Problem.of(rules, layout)
    clock = Clock(timeout, rules)
    constraints = Problem.of(only(rules, problem.constraints("markers")), layout)
    task = marker_task(problem, names)
    source = questions.solutions_of(task, solver, clock, limit)
    marker_rules = only(rules, parts_of(rules, "markers"))
    of_markers = Problem.of(marker_rules, layout)
    fields = {part for part in parts_of(marker_rules) if isinstance(part, str)}

    def check(row: questions.Row) -> None:
        questions.check_board(Board(layout, names, questions.marker_numbers(row)), of_markers, solver, fields)

    def confirm(row: questions.Row) -> Board:
        return questions.confirm_board(
            Board(layout, names, questions.marker_numbers(row)), constraints, solver, clock
        )

    check_empty = partial(questions.check_none, "markers", rules, layout, clock, names)
    edited = problem.is_edited("markers")
    counting, reader = partial(counting_task, task, clock), None if edited else check
    return Solutions(source, questions.marker_numbers, layout.n_tiles, check_empty, reader, confirm, counting)


def enumerate_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    up_to_symmetry: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[Board]:
    """Stream every board that the rules allow: terrain, harbors and markers.

    Errors are those of `enumerate_terrains`. Under a symmetry, printed harbors stay with the frame, and
    shuffled harbors and fishing grounds move with the tiles.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        up_to_symmetry: list one board of each orbit. A key of each orbit is kept in memory.
        solver: as for `enumerate_terrains`.
        timeout: seconds until `SolverTimeout`, including compilation.
        limit: the maximum number of boards.

    Example:
        >>> with enumerate_boards("blog", limit=2) as boards:
        ...     [board.layout.name for board in boards]
        ['base', 'base']
    """
    problem = Problem.of(rules, layout)
    rules, layout = problem.rules, problem.layout
    keys = _orbit_keys(rules, layout, PARTS) if up_to_symmetry else None
    clock = Clock(timeout, rules)
    task = model_data.joint_task(problem)
    source = _source(task, solver, clock, limit, keys)
    width = sum(map(len, model_data.places_of(rules, layout).values()))

    def board(row: questions.Row) -> Board:
        return questions.check_board(Board.from_solution(row, layout), problem, solver)

    def confirm(row: questions.Row) -> Board:
        return questions.confirm_board(board(row), problem, solver, clock)

    check_empty = partial(questions.check_none, "boards", rules, layout, clock)
    counting = partial(counting_task, task, clock) if keys is None else None
    return Solutions(source, board, width, check_empty, confirm=confirm, counting=counting)


# One solution of each orbit. The models can keep the first terrain arrangement of each orbit
# (``symmetry="distinct"``). That finds every orbit only if the rules allow either all arrangements of an
# orbit or none: a printed harbor, a pattern or a custom constraint may forbid the first one and allow
# another. Under such rules all solutions are listed, and the first listed solution of each orbit is kept.

OrbitKeys = Callable[[SolutionBlock], Sequence[bytes]]
"""Returns a key of each row, equal for rows of the same orbit only."""


def _source(task: Task, solver: str, clock: Clock, limit: int | None, keys: OrbitKeys | None) -> Source:
    """Return `solutions_of`, or with *keys* one solution of each orbit."""
    if keys is None:
        return questions.solutions_of(task, solver, clock, limit)
    limit = check_limit(limit)
    return partial(_one_per_orbit, questions.solutions_of(task, solver, clock), keys, limit)


def _one_per_orbit(
    source: Source, keys: OrbitKeys, limit: int | None, progress: StreamState
) -> Iterator[SolutionBlock]:
    """Yield the first row of each orbit, storing one short key per orbit."""
    known: set[bytes] = set()
    for block in source(progress):
        new = []
        for number, key in enumerate(keys(block)):
            if key not in known and len(known) != limit:
                known.add(key)
                new.append(number)
        progress.found -= len(block) - len(new)
        if new:
            yield block[new]
        if progress.found == limit:
            return


def _orbit_keys(rules: Rules, layout: Layout, parts: Sequence[Part]) -> OrbitKeys:
    """Return the keys of rows with these parts of boards.

    All parts move with a symmetry, except printed harbors, which belong to the frame.
    """
    numbers = keeping_symmetries(layout, rules.adjacency)
    places = model_data.places_of(rules, layout)
    column = {key: n for n, key in enumerate((part, place) for part in parts for place in places[part])}
    moving = [key for key in column if key[0] is not HARBORS or rules.harbors == "shuffled"]

    def images(keys: Iterable[tuple[Part, Place]], number: int) -> list[tuple[Part, Place]]:
        return [(part, part.image(place, layout, number)) for part, place in keys]

    # A symmetry may move a piece to a place that rows do not have. Such places are empty in all rows.
    wide = {
        key: n for n, key in enumerate(dict.fromkeys(k for number in numbers for k in images(moving, number)))
    }
    moves = [[wide[key] for key in images(wide, number)] for number in numbers]
    empty = np.array([part.codes(layout).get(None, 0) for part, _ in wide])

    def keys(block: SolutionBlock) -> Sequence[bytes]:
        codes = np.tile(empty, (len(block), 1))
        codes[:, [wide[key] for key in moving]] = block[:, [column[key] for key in moving]]
        # `first_of_orbit` needs numbers above 0.
        return [row.tobytes() for row in first_of_orbit((codes + 1).astype("uint8"), moves)]

    return keys
