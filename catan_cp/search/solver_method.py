"""The method ``solver``: sampled terrain, and a MiniZinc model of complete boards for the rest.

A terrain arrangement is sampled first, and ``joint.mzn`` returns harbors and markers for it. The first
questions go through the package `minizinc`, further ones to the model compiled once.
If many sampled arrangements in a row have no board, the sampling ends. If the rules allow few arrangements,
all of them are tried. If they allow many, the model also chooses the terrain. So it finds a board, or proves
that none exists.
"""

import logging
import math
import random
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.clock import Clock
from catan_cp.counting.coasts import deal_grounds
from catan_cp.counting.counts import has_countable_terrains, terrain_samples
from catan_cp.entropy import efficiency_error
from catan_cp.errors import CatanError, Infeasible, SolverTimeout, amount
from catan_cp.problem.problem import Problem
from catan_cp.search.conflicts import (
    board_conflict,
    loosen,
    reject_crowded,
    reject_infeasible,
    terrain_conflict,
)
from catan_cp.search.enumerating import enumerate_terrains
from catan_cp.search.model_data import joint_task, spread, terrain_task
from catan_cp.search.questions import (
    Row,
    check_board,
    compiled_first_row,
    confirm_board,
    first_row,
    starting_seconds,
    terrain_names,
)
from catan_cp.solving.compiling import Task

TerrainNames = tuple[str, ...]

_BATCH = 100
"""The number of terrain arrangements sampled at once."""
_TILE_ORDERS = 8
"""The number of tile orders for the solver, few so that models are reused."""
_FAILURES_MOST = 30
"""The maximum number of sampled terrain arrangements in a row without a board.

Then all arrangements are searched.
"""
_FEW = 200
"""The maximum number of terrain arrangements to try one by one."""
_PROOF = 3.0
"""The minimum seconds of a search before a proof that no board exists.

It is also the minimum time limit of that proof.
"""
_FIRST_TERRAINS = 3
"""The number of questions before the model is compiled for many of them."""
_QUIET = 5.0
"""Seconds without a board before a warning."""
_log = logging.getLogger("catan_cp")


def evenest(boards: Iterator[Board], choices: int) -> Board:
    """Return the board with the smallest efficiency error, of the next *choices*."""
    return min(islice(boards, choices), key=efficiency_error)


class SolverMethod:
    """The method ``solver``: sampled terrain, and a solver for the rest of the board.

    `boards` takes these steps, in this order:

        reject_crowded    rejects rules that leave too little room for some terrain
        per board:
        _on_sampled       completes sampled terrain arrangements, at most `_FAILURES_MOST` in a row
        _on_any           tries all terrain arrangements, or lets the solver choose one
        check and confirm compare the board with the rules and the constraints

    If custom text joins terrain and markers, the solver chooses both, so `_joined` replaces the two steps. A
    step that ends without a board is a proof that none exists.
    """

    def __init__(self, problem: Problem, solver: str, clock: Clock, source: random.Random) -> None:
        self._problem, self._solver, self._clock = problem, solver, clock
        self._rules, self._layout = problem.rules, problem.layout
        self._random = source
        self._terrains = self.terrains(random.Random(source.getrandbits(64)))
        # There is one task for all boards, so constraints read their files once per call.
        n_tiles = self._layout.n_tiles
        order = random.Random(source.randrange(_TILE_ORDERS)).sample(range(n_tiles), n_tiles)
        self._task = joint_task(problem, spread(solver), order, grounds=problem.ties_grounds)
        self._tried, self._has_board = 0, False
        self._warn_at = time.monotonic() + _QUIET

    def boards(self, n: int, choices: int) -> Iterator[Board]:
        """Yield *n* boards, each the evenest of *choices* terrain arrangements or boards."""
        rules, solver, clock = self._rules, self._solver, self._clock
        reject_crowded(self._problem)
        n_done = 0
        try:
            while n_done < n:
                if self._problem.joins_parts:
                    board = self._joined(choices)
                else:
                    board = self._on_sampled(choices) or self._on_any()
                if board is None:
                    raise board_conflict(rules, self._layout, solver, clock)
                if self._layout.fishing_grounds and not self._problem.ties_grounds:
                    board = deal_grounds(board, self._random)
                check_board(board, self._problem, solver)
                yield confirm_board(board, self._problem, solver, clock) if rules.constraints else board
                n_done += 1
        except SolverTimeout as timeout:
            text = (
                f"the time limit passed with {n_done:,} of {amount(n, 'board')} made, "
                f"{amount(self._tried, 'terrain')} tried, and "
                f"no proof that there is none; allow more time{loosen(rules)}"
            )
            with clock.named():
                raise SolverTimeout(text, n_done) from timeout

    # The steps for one board

    def _on_sampled(self, choices: int) -> Board | None:
        """Return a board on a sampled terrain arrangement, or None after too many without a board.

        Raises:
            Infeasible: after the first arrangement without a board, the solver proved that there is none.
        """
        for n_misses in range(_FAILURES_MOST + 1):
            board = self._on(self._next_terrain(choices))
            if board is not None:
                return board
            self._warn()
            if n_misses == 0 and not self._has_board:
                reject_infeasible(self._rules, self._layout, self._solver, self._clock, _PROOF)
        return None

    def _next_terrain(self, choices: int) -> TerrainNames:
        """Return the evenest of the next *choices* terrain arrangements."""
        if choices == 1:
            return next(self._terrains)
        return evenest(map(partial(Board, self._layout), self._terrains), choices).terrain

    def _on_any(self) -> Board | None:
        """Return a board on any terrain arrangement, or None if there is provably none."""
        solutions = enumerate_terrains(
            self._rules, self._layout, solver=self._solver, timeout=self._clock.left(), limit=_FEW + 1
        )
        with solutions:
            terrains = sorted(solutions)
        if len(terrains) > _FEW:
            return self._on(None)
        self._random.shuffle(terrains)
        return next((board for board in map(self._on, terrains) if board is not None), None)

    def _joined(self, choices: int) -> Board | None:
        """Return the evenest of boards whose terrain the solver chooses, or None if there is none."""
        boards = [board for _ in range(choices) if (board := self._on(None)) is not None]
        return evenest(iter(boards), len(boards)) if len(boards) > 1 else next(iter(boards), None)

    def _on(self, terrain: TerrainNames | None) -> Board | None:
        """Return a board on a terrain arrangement or on any, or None if there is no board."""
        codes = self._layout.terrain_codes
        prefix = () if terrain is None else tuple(codes[name] for name in terrain)
        row = self._row(self._task, self._random, free=terrain is None, prefix=prefix)
        self._tried += 1
        self._has_board |= row is not None
        return None if row is None else Board.from_solution(row, self._layout)

    def _warn(self) -> None:
        """Log a warning once if no board is known after a long search."""
        if not self._has_board and time.monotonic() > self._warn_at:
            self._warn_at = math.inf
            text = "no board yet: none on %d terrains, and no proof that there is none; wait%s"
            _log.warning(text, self._tried, loosen(self._rules))

    def terrains(self, source: random.Random) -> Iterator[TerrainNames]:
        """Yield terrain arrangements without end.

        They are uniform if countable, otherwise the solver chooses them.
        """
        rules, layout = self._rules, self._layout
        batch, is_sampled = 1, has_countable_terrains(self._problem, self._clock)
        while is_sampled:
            try:
                samples = terrain_samples(
                    batch, self._problem, random.Random(source.getrandbits(64)), self._clock
                )
            except Infeasible:
                raise terrain_conflict(rules, layout, self._solver, self._clock) from None
            except SolverTimeout:
                raise
            except CatanError:  # too few arrangements are the first of their orbit
                break
            yield from samples
            batch = _BATCH
        task = terrain_task(self._problem, spread(self._solver))
        # Rules about islands need a free search, which may leave the search that the model states.
        while True:
            row = self._row(task, source, free=True)
            if row is None:
                raise terrain_conflict(rules, layout, self._solver, self._clock)
            yield terrain_names(layout, row)

    def _row(self, task: Task, source: random.Random, *, free: bool, prefix: Row = ()) -> Row | None:
        """Return the solution of a task that *source* selects, or None if it has none.

        If the search takes long and no board is known, the method tries to prove that there is none at all.
        Without a proof, the same search begins again with more time. So the same seed gives the same board on
        fast and slow machines. *free* lets the solver ignore the search that the model states.

        Raises:
            Infeasible: there is no board at all.
        """
        seed = source.getrandbits(30)
        limit = max(_PROOF, starting_seconds(task, self._solver, self._clock))
        ask = first_row if self._tried < _FIRST_TERRAINS else compiled_first_row
        while not self._has_board:
            try:
                clock = Clock(self._clock.at_most(limit))
                return ask(task, self._solver, clock, seed, free=free, prefix=prefix)
            except SolverTimeout:
                self._clock.left()  # raises if the caller's time limit passed
            reject_infeasible(self._rules, self._layout, self._solver, self._clock, max(2 * _PROOF, limit))
            limit *= 4
        return compiled_first_row(task, self._solver, self._clock, seed, free=free, prefix=prefix)
