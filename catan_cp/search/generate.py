"""Boards out of rules: a terrain drawn first, then harbors and markers on it.

>>> board = generate_board("base-5-6", "tournament", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catan_cp.arguments import check_count, check_seed
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout, find_layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import is_countable, sample_terrain
from catan_cp.errors import Infeasible, SolverTimeout
from catan_cp.rules.declared import terrain_matters
from catan_cp.rules.model_data import Task, harbor_task, marker_task, spread, terrain_task
from catan_cp.rules.regions import keeping_symmetries
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.search.clashes import marker_clash, terrain_clash
from catan_cp.search.enumerating import (
    Clock,
    compiled,
    enumerate_terrain,
    first_row,
    harbors_of,
    marker_numbers,
    terrain_names,
)

if TYPE_CHECKING:
    from catan_cp.solving.compiling import Compiled

Terrain = tuple[str, ...]

_BATCH = 100
_AHEAD = 2
"""So many terrains are drawn ahead, to compile their markers while the solver is busy."""
_NUMBERINGS = 8
_PATIENCE = 30
"""After so many terrains in a row without a board, go through all of them, to prove that none has one."""
_PROOF = 3.0
"""When a terrain has no board, or none is found in so many seconds, try as long to prove that none has."""


def generate_board(
    layout: str | Layout = "base",
    rules: str | Rules = "optimal",
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    entropy: int | None = None,
) -> Board:
    """Return a board that *rules* allow.

    The terrain is drawn first: exactly uniformly from all that the rules allow wherever these can be counted
    (`catan_cp.is_countable`), else by the solver, which starts from a random branch. A terrain that admits no
    markers or harbors is put back and another drawn, so among the terrains that have boards each is as likely
    as any other. Markers and harbors are the first that the solver finds from a random start: it sees the
    tiles in a random order and branches at random, so they spread over the whole space but are not uniform.

    Args:
        layout: a layout or its name.
        rules: rules or a preset's name.
        seed: any whole number; the same seed, layout, rules and solver version give the same board.
        solver: ``auto`` (Chuffed where it is, else Gecode), ``chuffed`` or ``gecode``.
        timeout: seconds until `SolverTimeout`; None for no limit.
        entropy: choose the terrain with the least `catan_cp.efficiency_error` among this many drawn ones.

    Raises:
        InvalidBoard, InvalidRules, InvalidArgument: an argument that cannot be.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
    """
    boards = generate_boards(1, layout, rules, seed=seed, solver=solver, timeout=timeout, entropy=entropy)
    return next(boards)


def generate_boards(
    n: int,
    layout: str | Layout = "base",
    rules: str | Rules = "optimal",
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    entropy: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards that *rules* allow, drawn one after the other as `generate_board` draws one.

    Boards may repeat where the rules allow few. Arguments and errors are those of `generate_board`; bad
    arguments are refused before the first board is asked for, and *timeout* is for all boards together.
    """
    place, wishes = find_layout(layout), find_rules(rules)
    wishes.check_layout(place)
    n, seed = check_count("n", n), check_seed(seed)
    choices = 1 if entropy is None else check_count("entropy", entropy, 1)
    clock = Clock(timeout)
    from catan_cp.solving.find import find_solver

    name = find_solver(solver).name
    order = _Order(place, wishes, name, clock)
    return _boards(n, order, random.Random(seed), choices)


@dataclass(frozen=True)
class _Order:
    """What is asked for: boards of a layout under rules, from a solver, in time."""

    layout: Layout
    rules: Rules
    solver: str
    clock: Clock


@dataclass(frozen=True)
class _Attempt:
    """A terrain, and the task of numbering it; tile *t* is ``numbering[t]`` there."""

    terrain: Terrain
    numbering: Sequence[int]
    task: Task


def _boards(n: int, order: _Order, rng: random.Random, choices: int) -> Iterator[Board]:
    terrains = _drawn_terrains(order, random.Random(rng.getrandbits(64)))
    if choices > 1:
        terrains = _evenest(terrains, order.layout, choices)
    numberings = _numberings(order.layout, order.rules, rng)
    attempts = _compiled_ahead(
        (_attempt(terrain, order, numberings) for terrain in terrains), order, 0 if n == 1 else _AHEAD
    )
    done, misses = 0, 0
    try:
        while done < n:
            board = _finished(next(attempts), order, rng)
            if board is None:
                misses += 1
                if done == 0 and misses == 1:
                    _refuse_clash(order)
                if misses <= _PATIENCE:
                    continue
                board = _first_board(order, rng, numberings)
            yield board
            done, misses = done + 1, 0
    except SolverTimeout as timeout:
        text = f"the time limit passed with {done} of {n} boards made; allow more time or ask for less"
        raise SolverTimeout(text, done) from timeout
    finally:
        attempts.close()


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
    try:
        row = first_row(task, order.solver, Clock(order.clock.at_most(_PROOF)), seed)
    except SolverTimeout:
        _refuse_clash(order)
        row = first_row(task, order.solver, order.clock, seed)
    if row is None:
        raise terrain_clash(order.rules, order.layout, order.solver)
    return terrain_names(row)


def _refuse_clash(order: _Order) -> None:
    """Raise `Infeasible` where rules about markers are soon proved to clash on every terrain."""
    try:
        problem = marker_clash(order.rules, order.layout, order.solver, order.clock.at_most(_PROOF))
    except SolverTimeout:
        order.clock.left()  # raises where the time that passed was the caller's
        return
    if problem is not None:
        raise problem


def _evenest(terrains: Iterator[Terrain], layout: Layout, choices: int) -> Iterator[Terrain]:
    """Yield, of every so many terrains, the one whose efficiencies are nearest to their targets."""
    from catan_cp.entropy import efficiency_error

    while True:
        drawn = (next(terrains) for _ in range(choices))
        yield min(drawn, key=lambda terrain: efficiency_error(Board(layout, terrain)))


def _numberings(layout: Layout, rules: Rules, rng: random.Random) -> list[list[int]]:
    """Return a random numbering of the tiles, with what the layout's turns make of it.

    Where the markers do not depend on the terrain, boards whose deserts turn into each other are one problem
    to the solver, which is compiled once: `_attempt` numbers each so that they look the same.
    """
    if terrain_matters(rules):
        return [rng.sample(range(layout.n_tiles), layout.n_tiles)]
    few = random.Random(rng.randrange(_NUMBERINGS))  # so that later calls meet them again
    numbers = few.sample(range(layout.n_tiles), layout.n_tiles)
    turns = keeping_symmetries(layout, rules.adjacency)
    return [[numbers[t] for t in layout.symmetries[turn]] for turn in turns]


def _attempt(terrain: Terrain, order: _Order, numberings: Sequence[Sequence[int]]) -> _Attempt:
    bare = [(t, name) for t, name in enumerate(terrain) if name in UNNUMBERED]
    numbering = min(numberings, key=lambda number: sorted((number[t], name) for t, name in bare))
    task = marker_task(order.rules, order.layout, terrain, spread(order.solver), numbering)
    return _Attempt(terrain, numbering, task)


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
    row = first_row(attempt.task, order.solver, order.clock, rng.getrandbits(30))
    if row is None:
        return None
    markers = marker_numbers([row[number] for number in attempt.numbering])
    return Board(order.layout, attempt.terrain, markers, harbors)


def _harbors(terrain: Terrain, order: _Order, rng: random.Random) -> Sequence[Harbor] | None:
    if order.rules.harbors == "none":
        return ()
    if order.rules.harbors == "printed":
        return order.layout.printed_harbors
    task = harbor_task(order.rules, order.layout, terrain, spread(order.solver))
    codes = first_row(task, order.solver, order.clock, rng.getrandbits(30))
    return None if codes is None else harbors_of(order.layout, codes)


def _first_board(order: _Order, rng: random.Random, numberings: Sequence[Sequence[int]]) -> Board:
    """Return the first board of all, terrain by terrain, or prove that there is none."""
    rules, layout = order.rules, order.layout
    problem = marker_clash(rules, layout, order.solver, order.clock.left())
    if problem is not None:
        raise problem
    tried = 0
    with enumerate_terrain(rules, layout, solver=order.solver, timeout=order.clock.left()) as terrains:
        for terrain in terrains:
            board = _finished(_attempt(terrain, order, numberings), order, rng)
            if board is not None:
                return board
            tried += 1
    raise Infeasible(
        f"none of the {tried} terrains that the rules allow admits markers and harbors that they allow"
    )
