"""Boards that satisfy rules: a terrain is drawn first, then harbors and markers on it.

Where terrain after terrain admits no markers, terrain and markers are decided together (``joint.mzn``), which
gives a board or proves that there is none.

>>> board = generate_board("tournament", "base-5-6", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

from __future__ import annotations

import logging
import random
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catan_cp.arguments import check_count, check_seed
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout, find_layout
from catan_cp.counting import is_countable, sample_terrain
from catan_cp.errors import Infeasible, SolverTimeout
from catan_cp.rules.declared import joins, terrain_matters
from catan_cp.rules.model_data import Task, harbor_task, joint_task, marker_task, spread, terrain_task
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.search.clashes import board_clash, loosen, refuse_clash, terrain_clash
from catan_cp.search.enumerating import (
    Clock,
    checked,
    compiled,
    first_row,
    harbors_of,
    marker_numbers,
    read_board,
    terrain_names,
)

if TYPE_CHECKING:
    from catan_cp.solving.compiling import Compiled

Terrain = tuple[str, ...]

_BATCH = 100
_AHEAD = 2
"""So many terrains are drawn ahead, to compile their markers while the solver is busy."""
_TILE_ORDERS = 8
_PATIENCE = 30
"""After so many terrains in a row without a board, decide terrain and markers together."""
_PROOF = 3.0
"""When the first terrain has no board, or none is found in so many seconds, try as long to prove that there
is none."""
_QUIET = 5.0
"""After so many seconds without a board, say what was tried."""
_log = logging.getLogger("catan_cp")


def generate_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Board:
    """Return a board that *rules* allow.

    The terrain is drawn first: exactly uniformly from all that the rules allow wherever these can be counted
    (`catan_cp.is_countable`), else by the solver, which starts from a random branch. A terrain that admits no
    markers or harbors is put back and another drawn, so among the terrains that have boards each is as likely
    as any other. Markers and harbors are the first that the solver finds from a random start: it sees the
    tiles in a random order and branches at random, so they spread over the whole space but are not uniform.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        seed: any whole number; the same seed, rules, layout and solver version give the same board.
        solver: ``auto`` (Chuffed where it is, else Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`; None for no limit.
        candidates: choose the terrain with the least `catan_cp.efficiency_error` among this many drawn ones.

    Raises:
        InvalidBoard, InvalidRules, InvalidArgument: an argument that cannot be.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
    """
    boards = generate_boards(
        1, rules, layout, seed=seed, solver=solver, timeout=timeout, candidates=candidates
    )
    return next(boards)


def generate_boards(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards that *rules* allow, drawn one after the other as `generate_board` draws one.

    Boards may repeat where the rules allow few. Arguments and errors are those of `generate_board`; bad
    arguments are refused before the first board is asked for, and *timeout* is for all boards together.
    """
    read_layout, read_rules = find_layout(layout), find_rules(rules)
    read_rules.check_layout(read_layout)
    n, seed = check_count("n", n), check_seed(seed)
    choices = 1 if candidates is None else check_count("candidates", candidates, 1)
    clock = Clock(timeout)
    from catan_cp.solving.find import find_solver

    name = find_solver(solver).name
    order = _Order(read_layout, read_rules, name, clock)
    draw = _joint_boards if joins(read_rules) else _boards
    return draw(n, order, random.Random(seed), choices)


@dataclass(frozen=True)
class _Order:
    """What is asked for: boards of a layout under rules, from a solver, in time."""

    layout: Layout
    rules: Rules
    solver: str
    clock: Clock


@dataclass(frozen=True)
class _Attempt:
    """A terrain, and the task of numbering it."""

    terrain: Terrain
    task: Task


def _joint_boards(n: int, order: _Order, rng: random.Random, choices: int) -> Iterator[Board]:
    """Yield boards whose terrain, markers and harbors are decided together, as a constraint asks."""
    from catan_cp.entropy import efficiency_error

    for done in range(n):
        try:
            drawn = [_joint_board(order, rng) for _ in range(choices)]
        except SolverTimeout as timeout:
            raise SolverTimeout(
                f"the time limit passed with {done} of {n} boards made; allow more time{loosen(order.rules)}",
                done,
            ) from timeout
        yield checked(
            min(drawn, key=efficiency_error) if choices > 1 else drawn[0], order.rules, order.solver
        )


def _boards(n: int, order: _Order, rng: random.Random, choices: int) -> Iterator[Board]:
    terrains = _drawn_terrains(order, random.Random(rng.getrandbits(64)))
    if choices > 1:
        terrains = _evenest(terrains, order.layout, choices)
    tile_order = _tile_order(order, rng)
    attempts = _compiled_ahead(
        (_attempt(terrain, order, tile_order) for terrain in terrains), order, 0 if n == 1 else _AHEAD
    )
    done, misses, tried = 0, 0, 0
    hint = _Hint(order)
    try:
        while done < n:
            board = _finished(next(attempts), order, rng)
            tried += 1
            hint.after(tried, done)
            if board is None:
                misses += 1
                if done == 0 and misses == 1:
                    refuse_clash(order.rules, order.layout, order.solver, order.clock, _PROOF)
                if misses <= _PATIENCE:
                    continue
                board = _joint_board(order, rng)
            yield checked(board, order.rules, order.solver)
            done, misses = done + 1, 0
    except SolverTimeout as timeout:
        fields = loosen(order.rules)
        text = (
            f"the time limit passed with {done} of {n} boards made, {tried} terrains tried, and no proof "
            f"that there is none; allow more time{fields}"
        )
        raise SolverTimeout(text, done) from timeout
    finally:
        attempts.close()


class _Hint:
    """Says once, after some seconds without a board, what was tried and which fields to loosen."""

    def __init__(self, order: _Order) -> None:
        self._order = order
        self._due: float | None = time.monotonic() + _QUIET

    def after(self, tried: int, done: int) -> None:
        """Take note of the attempts so far."""
        if self._due is not None and done == 0 and time.monotonic() > self._due:
            self._due = None
            _log.warning(
                "no board yet: none on %d terrains, and no proof that there is none%s",
                tried,
                loosen(self._order.rules),
            )


def _drawn_terrains(order: _Order, rng: random.Random) -> Iterator[Terrain]:
    """Yield terrains without end: uniform where they can be counted, else from random branches."""
    rules, layout = order.rules, order.layout
    if not is_countable(rules, layout):
        while True:
            yield _solved_terrain(order, rng.getrandbits(30))
    batch = 1
    while True:
        try:
            drawn = sample_terrain(rules, layout, batch, seed=rng.getrandbits(64))
        except Infeasible:
            raise terrain_clash(rules, layout, order.solver) from None
        yield from drawn
        batch = _BATCH


def _solved_terrain(order: _Order, seed: int) -> Terrain:
    """Return a terrain from a random branch of the solver's search."""
    task = terrain_task(order.rules, order.layout, spread(order.solver))
    row = _row(task, order, seed, free=True)  # free, which begins as the model says: islands need it
    if row is None:
        raise terrain_clash(order.rules, order.layout, order.solver)
    return terrain_names(order.layout, row)


def _row(task: Task, order: _Order, seed: int, *, free: bool = False) -> list[int] | None:
    """Return the solution of a task that *seed* chooses, or None where there is none.

    Where that takes long, it is first tried to prove that there is no board at all. The search then begins
    again, without a limit of ours, so that the same seed gives the same board however fast the machine is.

    Raises:
        Infeasible: there is no board at all.
    """
    try:
        return first_row(task, order.solver, Clock(order.clock.at_most(_PROOF)), seed, free=free)
    except SolverTimeout:
        order.clock.left()  # raises where the time that passed was the caller's
        refuse_clash(order.rules, order.layout, order.solver, order.clock, 2 * _PROOF)
        return first_row(task, order.solver, order.clock, seed, free=free)


def _evenest(terrains: Iterator[Terrain], layout: Layout, choices: int) -> Iterator[Terrain]:
    """Yield, of every so many terrains, the one whose efficiencies are nearest to their targets."""
    from catan_cp.entropy import efficiency_error

    while True:
        drawn = (next(terrains) for _ in range(choices))
        yield min(drawn, key=lambda terrain: efficiency_error(Board(layout, terrain)))


def _tile_order(order: _Order, rng: random.Random) -> list[int]:
    """Return the order in which the solver sees the tiles, at random.

    Where the markers do not depend on the terrain, it is one of a few, so that later calls need not compile.
    """
    source = rng if terrain_matters(order.rules) else random.Random(rng.randrange(_TILE_ORDERS))
    return source.sample(range(order.layout.n_tiles), order.layout.n_tiles)


def _attempt(terrain: Terrain, order: _Order, tile_order: Sequence[int]) -> _Attempt:
    return _Attempt(
        terrain, marker_task(order.rules, order.layout, terrain, spread(order.solver), tile_order)
    )


def _compiled_ahead(
    attempts: Iterator[_Attempt], order: _Order, ahead: int
) -> Generator[_Attempt, None, None]:
    """Yield the attempts, each compiled; the next ones are compiled meanwhile."""
    waiting: deque[tuple[_Attempt, Future[Compiled]]] = deque()
    with ThreadPoolExecutor(_AHEAD) as pool:
        try:
            for attempt in attempts:
                waiting.append((attempt, pool.submit(compiled, attempt.task, order.solver, order.clock)))
                if len(waiting) > ahead:
                    first, ready = waiting.popleft()
                    ready.result()
                    yield first
        finally:
            for _, future in waiting:
                future.cancel()


def _finished(attempt: _Attempt, order: _Order, rng: random.Random) -> Board | None:
    """Return a board on the attempt's terrain, or None where it admits no harbors or no markers."""
    harbors = _harbors(attempt.terrain, order, rng)
    if harbors is None:
        return None
    row = _row(attempt.task, order, rng.getrandbits(30))
    if row is None:
        return None
    return Board(order.layout, attempt.terrain, marker_numbers(row), harbors)


def _harbors(terrain: Terrain, order: _Order, rng: random.Random) -> Sequence[Harbor] | None:
    if order.rules.harbors == "none":
        return ()
    if order.rules.harbors == "printed":
        return order.layout.laid_harbors
    task = harbor_task(order.rules, order.layout, terrain, spread(order.solver))
    codes = first_row(task, order.solver, order.clock, rng.getrandbits(30))
    return None if codes is None else harbors_of(order.layout, codes)


def _joint_board(order: _Order, rng: random.Random) -> Board:
    """Return a board, terrain and markers decided together, or prove that there is none."""
    tile_order = rng.sample(range(order.layout.n_tiles), order.layout.n_tiles)
    task = joint_task(order.rules, order.layout, spread(order.solver), tile_order)
    row = first_row(task, order.solver, order.clock, rng.getrandbits(30), free=True)
    if row is None:
        raise board_clash(order.rules, order.layout, order.solver)
    return read_board(order.layout, row)
