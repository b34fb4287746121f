"""All boards that the rules allow, streamed from the solver while it runs.

>>> with enumerate_terrain("blog") as solutions:
...     print(sum(1 for _ in solutions), solutions.complete)
96 True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from catan_cp.arguments import check_limit
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.errors import SolverTimeout
from catan_cp.rules.model_data import (
    Task,
    harbor_task,
    joint_task,
    marker_task,
    terrain_task,
    trade_code,
)
from catan_cp.rules.rules import Rules, find_rules, is_edited, joins, only, parts_of
from catan_cp.search.tasks import (
    Clock,
    Row,
    Source,
    checked,
    doubt_none,
    marker_numbers,
    read_board,
    solutions_of,
    terrain_names,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from catan_cp.solving.listing import Block

T = TypeVar("T")

_BOARDS = 4096
"""How many boards are put together at once."""

_LOOKED_AT = 16
"""Of each block of terrains or markers so many, evenly spread, are held against the rules' own checkers."""


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

        Terrain codes, or markers, or, for boards, terrain codes, markers and the codes of the harbors' trades
        side by side; 0 stands for none.

        Raises:
            SolverTimeout: the time limit passed; its ``partial`` is the array until then.
        """
        import numpy as np

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
        compiled model), ``init_time`` and ``solve_time`` (seconds). Chuffed adds ``nogoods`` (clauses
        learnt), ``backjumps`` and more. These are sums where there were several runs, peaks excepted.
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
    for block in source.blocks():
        if look is not None:
            for row in block[:: -(-len(block) // _LOOKED_AT)].tolist():
                look(row)
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
    layout, rules = find_layout(layout), find_rules(rules)
    rules.check_layout(layout)
    if distinct:
        from catan_cp.search.classes import distinct_terrains

        source = distinct_terrains(rules, layout, solver, Clock(timeout), limit)
    else:
        source = solutions_of(terrain_task(rules, layout), solver, Clock(timeout), limit)
    doubt = partial(doubt_none, "terrain", rules, layout)

    def look(row: Row) -> None:
        checked(Board(layout, terrain_names(layout, row)), rules, solver)

    believed = is_edited(rules, "terrain")
    names = partial(terrain_names, layout)
    return Solutions(source, names, layout.n_tiles, doubt, None if believed else look)


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
    rules = find_rules(rules)
    rules.check_layout(layout)
    source = solutions_of(marker_task(rules, layout, names), solver, Clock(timeout), limit)
    doubt = partial(doubt_none, "markers", rules, layout, names)
    asked = only(rules, parts_of(rules, "markers"))
    fields = {part for part in parts_of(asked) if isinstance(part, str)}

    def look(row: Row) -> None:
        checked(Board(layout, names, marker_numbers(row)), asked, solver, fields)

    believed = is_edited(rules, "markers")
    return Solutions(source, marker_numbers, layout.n_tiles, doubt, None if believed else look)


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
    layout, rules = find_layout(layout), find_rules(rules)
    rules.check_layout(layout)
    clock = Clock(timeout)
    most = None if distinct else check_limit(limit)
    source: Source
    if joins(rules) or (rules.harbors == "shuffled" and layout.movable_harbors):
        source = solutions_of(joint_task(rules, layout), solver, clock, most)
    else:
        source = _Boards(rules, layout, solver, clock, most)
    if distinct:
        from catan_cp.search.classes import distinct_boards

        source = distinct_boards(source, rules, layout, limit)
    harbors = {"none": (), "printed": layout.laid_harbors, "shuffled": layout.harbor_places}
    width = 2 * layout.n_tiles + len(harbors[rules.harbors])
    return Solutions(
        source,
        partial(_checked_board, rules, layout, solver),
        width,
        partial(doubt_none, "boards", rules, layout),
    )


def _checked_board(rules: Rules, layout: Layout, solver: str, row: Row) -> Board:
    return checked(read_board(layout, row), rules, solver)


def _crossed(terrain: Row, markers: Block, harbors: list[list[int]]) -> Iterator[Block]:
    """Yield the boards of a terrain with each of the markers, and each of these with each of the harbors."""
    import numpy as np

    trades = np.array(harbors, dtype=np.int32)
    step = max(1, _BOARDS // len(trades))
    for start in range(0, len(markers), step):
        some = np.repeat(markers[start : start + step], len(trades), axis=0)
        before = np.tile(np.array(terrain, dtype=np.int32), (len(some), 1))
        yield np.hstack([before, some, np.tile(trades, (len(some) // len(trades), 1))])


class _Boards:
    """Blocks of whole boards: for each terrain its markers, for each of these its harbors."""

    def __init__(self, rules: Rules, layout: Layout, solver: str, clock: Clock, limit: int | None) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
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
                task = marker_task(self._rules, self._layout, terrain_names(self._layout, terrain))
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
            return [[trade_code(harbor.trade) for harbor in self._layout.laid_harbors]]
        names = terrain_names(self._layout, terrain)
        return list(self._rows(self._opened(harbor_task(self._rules, self._layout, names))))

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
