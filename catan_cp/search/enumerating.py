"""All boards that the rules allow, streamed from the solver while it runs.

>>> with enumerate_terrain("blog") as solutions:
...     print(sum(1 for _ in solutions), solutions.complete)
96 True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.counting import is_countable
from catan_cp.counting.terrains import first_of_class, is_closed, turns_of
from catan_cp.errors import SolverTimeout, check_limit
from catan_cp.rules import model_data
from catan_cp.rules.model_data import marker_task, terrain_task
from catan_cp.rules.rule import keeping_symmetries
from catan_cp.rules.rules import Rules, is_edited, joins, only, parts_of, read_asked
from catan_cp.search import tasks
from catan_cp.search.tasks import Clock, Row, read_board, solutions_of
from catan_cp.solving.compiling import Task
from catan_cp.solving.listing import Block, Source

T = TypeVar("T")

_BOARDS = 4096
"""How many boards are put together at once."""

_FIRST, _EVERY = 16, 64
"""The first so many terrains or markers are held against the rules' own checkers, and then one of so many."""


class Solutions(Generic[T]):
    """An iterator of solutions that streams while the solver runs: each solution once, in the model's order.

    Closing it (``close()``, or leaving a ``with``) or dropping it stops the solver. Memory does not grow with
    the number of solutions.
    """

    def __init__(
        self,
        source: Source,
        decode: Callable[[Row], T],
        width: int,
        doubt: Callable[[], None] | None = None,
        look: Callable[[Row], None] | None = None,
    ) -> None:
        self._source = source
        self._decode = decode
        self._width = width
        self._blocks = _doubted(source, doubt, look)
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
        Chuffed adds ``nogoods`` (clauses learnt), ``backjumps`` and more. These are sums where there were
        several runs, peaks excepted.
        """
        return dict(self._source.statistics)

    @property
    def complete(self) -> bool:
        """Whether the solver proved that there are no more."""
        return self._source.complete

    @property
    def found(self) -> int:
        """How many solutions the solver has sent so far."""
        return self._source.found

    def close(self) -> None:
        """Stop the solver; solutions that it has sent already can still be taken."""
        self._blocks = iter(())
        self._source.close()

    def __enter__(self) -> Solutions[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _doubted(
    source: Source, doubt: Callable[[], None] | None, look: Callable[[Row], None] | None
) -> Iterator[Block]:
    """Yield a solver's blocks, some rows of each looked at; doubt it where it says that there are none."""
    seen = 0
    for block in source.blocks():
        if look is not None:
            for row in (*block[: max(0, _FIRST - seen)].tolist(), *block[-seen % _EVERY :: _EVERY].tolist()):
                look(row)
        seen += len(block)
        yield block
    if doubt is not None and source.complete and not source.found:
        doubt()


def enumerate_terrain(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[tuple[str, ...]]:
    """Stream every terrain that *rules* allow, as tuples of terrain names, each once.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        distinct: of the terrains that the layout's rotations and mirrors (those that keep the adjacency) turn
            into each other, only one that is allowed; as many as ``count_terrain(distinct=True)`` counts.
        solver: ``auto`` (Chuffed where it is, else Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`, compiling included.
        limit: stop after so many.

    Raises:
        InvalidRules, InvalidBoard, InvalidArgument: an argument that cannot be.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say; the last two while iterating too.
    """
    rules, layout = read_asked(rules, layout)
    clock, names = Clock(timeout), partial(tasks.terrain_names, layout)
    if distinct:
        source = _distinct_terrains(rules, layout, solver, clock, limit)
    else:
        source = solutions_of(terrain_task(rules, layout), solver, clock, limit)
    doubt = partial(tasks.doubt_none, "terrain", rules, layout)

    def look(row: Row) -> None:
        tasks.checked(Board(layout, names(row)), rules, solver)

    return Solutions(source, names, layout.n_tiles, doubt, None if is_edited(rules, "terrain") else look)


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

    Arguments and errors are those of `enumerate_terrain`; *terrain* is a board, a sequence of names, or a
    notation.
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout)
    source = solutions_of(marker_task(rules, layout, names), solver, Clock(timeout), limit)
    doubt = partial(tasks.doubt_none, "markers", rules, layout, names)
    asked = only(rules, parts_of(rules, "markers"))
    fields = {part for part in parts_of(asked) if isinstance(part, str)}

    def look(row: Row) -> None:
        tasks.checked(Board(layout, names, tasks.marker_numbers(row)), asked, solver, fields)

    believed = is_edited(rules, "markers")
    return Solutions(source, tasks.marker_numbers, layout.n_tiles, doubt, None if believed else look)


def enumerate_boards(
    rules: str | Rules,
    layout: str | Layout = "base",
    *,
    distinct: bool = False,
    solver: str = "auto",
    timeout: float | None = None,
    limit: int | None = None,
) -> Solutions[Board]:
    """Stream every board that *rules* allow: each terrain with each of its harbors and markers.

    Arguments and errors are those of `enumerate_terrain`. With *distinct*, printed harbors belong to the
    frame and stay, shuffled ones turn with their board; a key of each class is remembered.
    """
    rules, layout = read_asked(rules, layout)
    clock = Clock(timeout)
    most = None if distinct else check_limit(limit)
    source: Source
    movable = rules.harbors == "shuffled" and layout.movable_harbors
    if joins(rules) or movable or layout.fishing_grounds:
        source = solutions_of(model_data.joint_task(rules, layout), solver, clock, most)
    else:
        source = _Boards(rules, layout, solver, clock, most)
    if distinct:
        turning = rules.harbors == "shuffled"
        keys = _keys_with_harbors(rules, layout) if turning else _keys_of_tiles(rules, layout, 2)
        source = _OnePerClass(source, keys, limit)
    places = *model_data.harbor_edges(layout, rules.harbors), *layout.ground_places
    width = 2 * layout.n_tiles + len(places)

    def board(row: Row) -> Board:
        return tasks.checked(read_board(layout, row), rules, solver)

    return Solutions(source, board, width, partial(tasks.doubt_none, "boards", rules, layout))


def _crossed(terrain: Row, markers: Block, harbors: list[list[int]]) -> Iterator[Block]:
    """Yield the boards of a terrain with each of the markers, and each of these with each of the harbors."""
    trades = np.array(harbors, dtype=np.int32)
    step = max(1, _BOARDS // len(trades))
    for start in range(0, len(markers), step):
        some = np.repeat(markers[start : start + step], len(trades), axis=0)
        before = np.tile(np.array(terrain, dtype=np.int32), (len(some), 1))
        yield np.hstack([before, some, np.tile(trades, (len(some) // len(trades), 1))])


class _Boards(Source):
    """Blocks of whole boards: for each terrain its markers, for each of these its harbors."""

    def __init__(self, rules: Rules, layout: Layout, solver: str, clock: Clock, limit: int | None) -> None:
        super().__init__()
        self._rules, self._layout, self._solver, self._clock = rules, layout, solver, clock
        self._limit = limit
        self._open: list[Source] = [solutions_of(terrain_task(rules, layout), solver, clock)]

    def blocks(self) -> Iterator[Block]:
        """Yield boards as rows of terrain codes, markers and trades."""
        try:
            for terrain in self._rows(self._open[0]):
                harbors = self._harbors(terrain)
                if not harbors:
                    continue
                task = marker_task(self._rules, self._layout, tasks.terrain_names(self._layout, terrain))
                for markers in self._exhaust(self._opened(task)):
                    for boards in _crossed(terrain, markers, harbors):
                        wanted = boards[: None if self._limit is None else self._limit - self.found]
                        self.found += len(wanted)
                        yield wanted
                        if self.found == self._limit:
                            return
            self.complete = True
        except SolverTimeout as timeout:
            raise SolverTimeout(
                f"the time limit passed with {self.found} boards found; allow more time", self.found
            ) from timeout
        finally:
            self.statistics["solutions"] = self.found
            self.close()

    def close(self) -> None:
        """Stop all solvers that run."""
        for source in self._open:
            source.close()
        self._open.clear()

    def _harbors(self, terrain: Row) -> list[list[int]]:
        if self._rules.harbors == "none":
            return [[]]
        if self._rules.harbors == "printed":
            return [[model_data.trade_code(harbor.trade) for harbor in self._layout.laid_harbors]]
        names = tasks.terrain_names(self._layout, terrain)
        return list(self._rows(self._opened(model_data.harbor_task(self._rules, self._layout, names))))

    def _opened(self, task: Task) -> Source:
        source = solutions_of(task, self._solver, self._clock)
        self._open.append(source)
        return source

    def _rows(self, source: Source) -> Iterator[list[int]]:
        for block in self._exhaust(source):
            yield from block.tolist()

    def _exhaust(self, source: Source) -> Iterator[Block]:
        yield from source.blocks()
        for name, value in source.statistics.items():
            before = self.statistics.get(name, 0.0)
            self.statistics[name] = max(before, value) if name.startswith("peak") else before + value
        if source in self._open:
            self._open.remove(source)


# One of each class that rotations and mirrors make. The models can keep the first terrain of each class
# (``symmetry="distinct"``), which finds every class only where the rules do not tell a terrain from its
# image: a printed harbor, a pattern or a user's constraint may forbid the first one and allow another. So
# elsewhere all are listed, and of each class the first that comes is kept.

_Keys = Callable[[Block], Sequence[bytes]]
"""Returns of each row what all rows of its class have in common, and no others."""


class _OnePerClass(Source):
    """Blocks with the first row of each class that a source lists. One short key a class is remembered."""

    def __init__(self, source: Source, keys: _Keys, limit: int | None) -> None:
        super().__init__()
        self._source, self._keys, self._limit = source, keys, check_limit(limit)
        self._known: set[bytes] = set()

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of rows."""
        for block in self._source.blocks():
            new = []
            for number, key in enumerate(self._keys(block)):
                if key not in self._known and len(self._known) != self._limit:
                    self._known.add(key)
                    new.append(number)
            self.found += len(new)
            if new:
                yield block[new]
            if self.found == self._limit:
                self.close()
                return
        self.complete = self._source.complete
        self.statistics = {**self._source.statistics, "solutions": self.found}

    def close(self) -> None:
        """Stop the source."""
        self._source.close()


def _distinct_terrains(rules: Rules, layout: Layout, solver: str, clock: Clock, limit: int | None) -> Source:
    """Return a source with one terrain of each class of which *rules* allow any."""
    if rules.symmetry == "all" and is_countable(rules, layout) and is_closed(rules, layout):
        # The rules do not tell a terrain from its image, so the model can keep the first of each class.
        return solutions_of(terrain_task(rules.replace(symmetry="distinct"), layout), solver, clock, limit)
    source = solutions_of(terrain_task(rules, layout), solver, clock)
    return _OnePerClass(source, _keys_of_tiles(rules, layout, 1), limit)


def _keys_of_tiles(rules: Rules, layout: Layout, columns: int) -> _Keys:
    """Return the keys of rows of terrain codes (*columns* 1), with markers behind them (*columns* 2).

    Harbors that are printed belong to the frame, which does not turn.
    """
    n = layout.n_tiles
    turns = [tuple(n * k + t for k in range(columns) for t in turn) for turn in turns_of(rules, layout)]

    def keys(block: Block) -> Sequence[bytes]:
        codes = (block[:, : n * columns] + 1).astype("uint8")  # none is 0, as `first_of_class` needs it
        return [row.tobytes() for row in first_of_class(codes, turns)]

    return keys


def _keys_with_harbors(rules: Rules, layout: Layout) -> _Keys:
    """Return the keys of rows of boards whose harbors turn with them."""
    numbers = keeping_symmetries(layout, rules.adjacency)

    def content(board: Board) -> bytes:
        harbors = [(harbor.vertices, harbor.trade) for harbor in board.harbors]
        return repr((board.terrain, board.markers, harbors)).encode()

    def keys(block: Block) -> Sequence[bytes]:
        boards = (read_board(layout, row) for row in block.tolist())
        return [min(content(board.moved(number)) for number in numbers) for board in boards]

    return keys
