"""The method ``solver``: sampled terrain, and a MiniZinc model of complete boards for the rest.

A terrain arrangement is sampled first, and ``joint.mzn``, compiled once, returns harbors and markers for it.
If many sampled arrangements in a row have no board, the sampling ends. If the rules allow few arrangements,
all of them are tried. If they allow many, the model also chooses the terrain. So it finds a board, or proves
that none exists.
"""

import logging
import random
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.clock import Clock
from catan_cp.counting import is_countable, sample_terrains
from catan_cp.counting.coasts import deal_grounds
from catan_cp.entropy import efficiency_error
from catan_cp.errors import CatanError, Infeasible, SolverTimeout
from catan_cp.problem.problem import Problem
from catan_cp.search.conflicts import (
    STARTING,
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
    compile_task,
    compiled_first_row,
    confirm_board,
    terrain_names,
)
from catan_cp.solving.compiling import Task

Terrain = tuple[str, ...]

_BATCH = 100
"""The number of terrain arrangements sampled at once."""
_TILE_ORDERS = 8
"""The number of tile orders for the solver, few so that models are reused."""
_PATIENCE = 30
"""The maximum number of sampled terrain arrangements in a row without a board.

Then all arrangements are searched.
"""
_FEW = 200
"""The maximum number of terrain arrangements to try one by one."""
_PROOF = 3.0
"""The minimum seconds of a search before a proof that no board exists.

It is also the minimum time limit of that proof.
"""
_QUIET = 5.0
"""Seconds without a board before a warning."""
_log = logging.getLogger("catan_cp")


def evenest(boards: Iterator[Board], choices: int) -> Board:
    """Return the board with the smallest efficiency error, of the next *choices*."""
    return next(boards) if choices == 1 else min(islice(boards, choices), key=efficiency_error)


class SolverMethod:
    """The method ``solver``: sampled terrain, and a solver for the rest of the board.

    The flags, and the methods that set them:

        flag         set by        meaning
        _has_board   `boards`      a board was found, so `_row` need not try to prove that there is none
        _is_warned   `_miss`       the warning about a long search was given

    `boards` has three local flags. ``whole`` is true if custom text joins terrain and markers, so that the
    solver chooses both. ``exhaustive`` is true if the next row decides whether any terrain arrangement has a
    board. ``grounds_solved`` is true if the solver also chooses the fishing grounds.

    *free* lets the solver ignore the search that the model states.
    """

    def __init__(self, problem: Problem, solver: str, clock: Clock, source: random.Random) -> None:
        self._problem, self._solver, self._clock = problem, solver, clock
        self._rules, self._layout = problem.rules, problem.layout
        self._random = source
        self._has_board = self._is_warned = False
        self._tried = 0

    def boards(self, n: int, choices: int) -> Iterator[Board]:
        """Yield *n* boards, each the evenest of *choices* terrain arrangements or boards.

        For each board, terrain arrangements are sampled until the solver completes one. Rules that join
        terrain and markers have no separate terrain, so the solver returns whole boards.
        """
        rules, layout, source = self._rules, self._layout, self._random
        reject_crowded(rules, layout)
        bare = map(partial(Board, layout), self.terrains(random.Random(source.getrandbits(64))))
        # There is one task for all boards, so constraints read their files once per call.
        n_tiles = layout.n_tiles
        order = random.Random(source.randrange(_TILE_ORDERS)).sample(range(n_tiles), n_tiles)
        grounds_solved, whole = self._problem.ties_grounds, self._problem.joins_parts
        task = joint_task(rules, layout, spread(self._solver), order, grounds=grounds_solved)
        n_done = misses = 0
        started = time.monotonic()
        try:
            compile_task(task, self._solver, self._clock)  # first, so custom text keeps to the time limit
            while n_done < n:
                exhaustive = misses > _PATIENCE and not whole
                if exhaustive:
                    row = self._board_of_any(task)
                else:
                    row = self._board_row(task, None if whole else evenest(bare, choices).terrain)
                self._tried += 1
                if row is None:
                    misses += 1
                    self._miss(misses, started)
                    if whole or exhaustive:
                        raise board_conflict(rules, layout, self._solver, self._clock)
                    continue
                rows = [row]
                if whole:  # No terrain was chosen, so choose among whole boards.
                    rows += filter(None, (self._board_row(task, None) for _ in range(choices - 1)))
                board = evenest((Board.from_solution(row, layout) for row in rows), len(rows))
                board = board if grounds_solved else deal_grounds(board, source)
                yield confirm_board(check_board(board, rules, self._solver), rules, self._solver, self._clock)
                self._has_board, n_done, misses = True, n_done + 1, 0
        except SolverTimeout as timeout:
            text = (
                f"the time limit passed with {n_done} of {n} boards made, {self._tried} terrains tried, and "
                f"no proof that there is none; allow more time{loosen(rules)}"
            )
            with self._clock.named():
                raise SolverTimeout(text, n_done) from timeout

    def _miss(self, misses: int, started: float) -> None:
        """Handle a terrain arrangement without a board, while no board is known.

        After a long search, a warning is logged once. After the first such arrangement, the method tries to
        prove that there is no board.

        Raises:
            Infeasible: the proof succeeded.
        """
        if self._has_board:
            return
        if not self._is_warned and time.monotonic() > started + _QUIET:
            self._is_warned = True
            text = "no board yet: none on %d terrains, and no proof that there is none; wait%s"
            _log.warning(text, self._tried, loosen(self._rules))
        if misses == 1:
            reject_infeasible(self._rules, self._layout, self._solver, self._clock, _PROOF)

    def terrains(self, source: random.Random) -> Iterator[Terrain]:
        """Yield terrain arrangements without end.

        They are uniform if countable, otherwise the solver chooses them.
        """
        rules, layout = self._rules, self._layout
        batch, is_sampled = 1, is_countable(rules, layout, timeout=self._clock.left())
        while is_sampled:
            try:
                seed, seconds_left = source.getrandbits(64), self._clock.left()
                samples = sample_terrains(batch, rules, layout, seed=seed, timeout=seconds_left)
            except Infeasible:
                raise terrain_conflict(rules, layout, self._solver, self._clock) from None
            except SolverTimeout:
                raise
            except CatanError:  # too few arrangements are the first of their orbit
                break
            yield from samples
            batch = _BATCH
        task = terrain_task(rules, layout, spread(self._solver))
        # Rules about islands need a free search, which may leave the search that the model states.
        while True:
            row = self._row(task, source.getrandbits(30), free=True)
            if row is None:
                raise terrain_conflict(rules, layout, self._solver, self._clock)
            yield terrain_names(layout, row)

    def _board_row(self, task: Task, terrain: Terrain | None) -> Row | None:
        """Return a board on a terrain arrangement or on any, or None if there is no board."""
        codes = self._layout.terrain_codes
        prefix = () if terrain is None else tuple(codes[name] for name in terrain)
        return self._row(task, self._random.getrandbits(30), free=terrain is None, prefix=prefix)

    def _board_of_any(self, task: Task) -> Row | None:
        """Return a board on any terrain arrangement, or None if there is provably none."""
        seconds_left = self._clock.left()
        solutions = enumerate_terrains(
            self._rules, self._layout, solver=self._solver, timeout=seconds_left, limit=_FEW + 1
        )
        with solutions:
            terrains = sorted(solutions)
        if len(terrains) > _FEW:
            return self._board_row(task, None)
        self._random.shuffle(terrains)
        rows = (self._board_row(task, terrain) for terrain in terrains)
        return next((row for row in rows if row is not None), None)

    def _row(self, task: Task, seed: int, *, free: bool, prefix: Row = ()) -> Row | None:
        """Return the solution of a task that *seed* selects, or None if it has none.

        If the search takes long and no board is known, the method tries to prove that there is none at all.
        Without a proof, the same search begins again with more time. So the same seed gives the same board on
        fast and slow machines.

        Raises:
            Infeasible: there is no board at all.
        """
        if self._has_board:
            return compiled_first_row(task, self._solver, self._clock, seed, free=free, prefix=prefix)
        # The limit begins after compilation. It is longer on a slow machine, which compiles more slowly.
        limit = max(_PROOF, STARTING * compile_task(task, self._solver, self._clock).seconds)
        while True:
            try:
                clock = Clock(self._clock.at_most(limit))
                return compiled_first_row(task, self._solver, clock, seed, free=free, prefix=prefix)
            except SolverTimeout:
                self._clock.left()  # raises if the caller's time limit passed
            reject_infeasible(self._rules, self._layout, self._solver, self._clock, max(2 * _PROOF, limit))
            limit *= 4
