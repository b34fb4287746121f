"""Boards that satisfy rules, by one of four methods.

* ``uniform`` samples ranks (`catan_cp.counting`), so every board has the same probability.
* ``deal`` deals pieces until no rule is broken (`dealing`), so every board has the same probability.
* ``walk`` is a random walk (`walking`).
* ``solver`` samples a terrain arrangement first. Then a MiniZinc model of complete boards (``joint.mzn``),
  compiled once, returns harbors and markers for it. If many sampled arrangements in a row have no board, the
  sampling ends. If the rules allow few arrangements, all of them are tried. If they allow many, the model
  also chooses the terrain. So it finds a board, or proves that none exists.

>>> board = generate_board("tournament", "base-5-6", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

import logging
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.counting import count_terrains, has_few, is_countable, is_quick, sample_terrains
from catan_cp.counting.boards import BLOCK_STATES, sample_within
from catan_cp.counting.budget import Budget
from catan_cp.counting.coasts import deal_grounds
from catan_cp.entropy import efficiency_error
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, SolverNotFound, SolverTimeout, show
from catan_cp.problem.problem import Problem
from catan_cp.rules.rules import Rules
from catan_cp.search.conflicts import (
    STARTING,
    board_conflict,
    loosen,
    reject_crowded,
    reject_infeasible,
    terrain_conflict,
)
from catan_cp.search.dealing import BoardDealer, board_dealer
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
from catan_cp.search.walking import BoardWalk, board_walk
from catan_cp.solving import find
from catan_cp.solving.compiling import Task

Terrain = tuple[str, ...]

METHODS = ("auto", "uniform", "deal", "walk", "solver")

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


def generate_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Board:
    """Return a board that the rules allow.

    There are four methods:

    * ``uniform`` samples each allowed board with the same probability, like `catan_cp.sample_boards`.
    * ``deal`` deals all pieces at random, and again if a rule is broken. So each allowed board has the same
      probability. It supports rules about touching tiles and clusters of at most two tiles, on layouts with
      one set of pieces, if at least one deal of a thousand is allowed. It does not support presets.
    * ``walk`` deals a board at random, repairs it, and then exchanges pieces at random if the rules still
      hold. It supports rules about touching tiles and vertices, and takes milliseconds on any layout. If it
      finds no board, the solver is used. A long walk is uniform over the boards that exchanges connect with
      its start. For most rules it is unknown whether these are all boards, or whether the walk is long enough
      (docs/methods.md). Therefore ``walk`` samples by rank, like ``uniform``, if small decision diagrams show
      at most a million boards, not counting harbors and fishing grounds.
    * ``solver`` samples the terrain first: uniformly if the terrain arrangements can be counted
      (`catan_cp.is_countable`), otherwise from a random branch of the solver. If an arrangement has no board,
      another one is sampled. So countable arrangements with a board are equally likely, unless many samples
      in a row fail. Markers and harbors are the first that the solver finds. It gets the tiles in a random
      order and branches at random, so its boards vary but are not uniform.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        seed: a whole number. The same seed, rules, layout and solver version give the same board.
        method: ``uniform``, ``deal``, ``walk``, ``solver`` or ``auto``. ``auto`` is ``deal`` if one deal of
            about two hundred is allowed, or else ``uniform`` if decision diagrams count the boards in about a
            second or there are few boards. Otherwise it is the first of ``deal``, ``walk`` and ``solver``
            that supports the rules. Rules and layout decide, not installed programs.
        solver: ``auto`` (Chuffed if installed, otherwise Gecode), or the name of a solver. With a name, the
            method ``auto`` is ``solver``.
        timeout: seconds until `SolverTimeout`, without limit by default.
        candidates: the number of sampled boards (with the solver: terrain arrangements) of which the one with
            the smallest `catan_cp.efficiency_error` is chosen.

    Raises:
        InvalidBoard, InvalidRules, InvalidArgument: an invalid argument.
        Infeasible: no board satisfies the rules.
        SolverNotFound: the solver is not installed.
        SolverTimeout, SolverFailed: the time limit passed, or the solver failed.
    """
    boards = generate_boards(
        1, rules, layout, seed=seed, method=method, solver=solver, timeout=timeout, candidates=candidates
    )
    return next(boards)


def generate_boards(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards that the rules allow, each as by `generate_board`.

    Boards may repeat. Arguments and errors are those of `generate_board`. Invalid arguments raise before the
    first board is requested. *timeout* is for all boards together.
    """
    problem = Problem.of(rules, layout)
    rules, layout = problem.rules, problem.layout
    n, seed = errors.check_count("n", n), errors.check_seed(seed)
    choices = 1 if candidates is None else errors.check_count("candidates", candidates, 1)
    clock = Clock(timeout, rules)
    chosen, sampler = _method(problem, method, solver, clock)
    source = errors.random_source(seed)

    def solved(more: int) -> Iterator[Board]:
        return _SolverMethod(rules, layout, find.find_solver(solver).name, clock, source).boards(
            more, choices
        )

    if chosen == "solver":
        return solved(n)
    if solver != "auto":
        if method in ("uniform", "deal"):
            raise InvalidArgument(
                f"solver must be auto for method={show(method)}, not {show(solver)}; or use method='solver'"
            )
        find.find_solver(solver)  # An unknown solver is an error, even if the walk needs none.
    if chosen == "uniform":
        ranked = _by_rank(n * choices, problem, errors.random_source(seed), clock)
        return _sampled(n, ranked, clock, choices, solved)
    if sampler is None:
        raise InvalidArgument(f"method={show(chosen)} does not support all of these rules; use 'auto'")
    boards = sampler.boards(source, clock)
    if chosen == "walk":
        boards = (check_board(board, rules, "the walk") for board in boards)
    return _sampled(n, boards, clock, choices, solved)


def _method(
    problem: Problem, method: str, solver: str, clock: Clock
) -> tuple[str, BoardDealer | BoardWalk | None]:
    """Return the method to use, and its sampler if it is ``deal`` or ``walk`` and supports the rules.

    For ``auto``, it is the first method that rules and layout allow. A random walk may be far from uniform if
    the rules allow few boards, so these are sampled exactly.
    """
    errors.check_choice("method", method, METHODS)
    if method == "walk":
        walk = board_walk(problem)
        return ("uniform", None) if walk and has_few(problem, clock) else ("walk", walk)
    if method != "auto":
        return method, board_dealer(problem) if method == "deal" else None
    if solver != "auto":
        return "solver", None
    dealer = board_dealer(problem)
    if dealer is not None and dealer.is_fast:
        return "deal", dealer
    if is_quick(problem, clock) or has_few(problem, clock):
        return "uniform", None
    if dealer is not None:
        return "deal", dealer
    walk = board_walk(problem)
    return ("solver", None) if walk is None else ("walk", walk)


def explain_method(
    rules: str | Rules, layout: str | Layout = "base", *, method: str = "auto", solver: str = "auto"
) -> str:
    """Return a sentence with the method, the reason for it, and alternatives.

    The arguments are those of `generate_board`.
    """
    problem = Problem.of(rules, layout)
    chosen, _ = _method(problem, method, solver, Clock(None))
    request = "as asked" if method != "auto" else f"as solver={show(solver)} asks" if solver != "auto" else ""
    uncounted = "counting takes too long"
    if chosen == "uniform":
        reason = request or "under these rules an exact count takes about a second"
        if method == "walk":
            reason = "since there are too few boards for a random walk"
        return f"sampled by rank (uniform), {reason}: no MiniZinc; method='solver' uses a solver"
    if chosen == "deal":
        reason = request or "enough random deals satisfy these rules"
        return f"by repeated deals (deal, uniform), {reason}: no MiniZinc; method='solver' uses a solver"
    if chosen == "walk":
        reason = request or f"{uncounted}, and the rules are about touching tiles and vertices only"
        return f"by a random walk (walk), {reason}: no MiniZinc; method='solver' uses a solver"
    reason = request or f"{uncounted}, and the walk does not support all of these rules"
    alternative = "; rules such as tournament need none"
    if (without := _method(problem, "auto", "auto", Clock(None))[0]) != "solver":
        alternative = f"; without it with method={show(without)}"
    return f"solved (solver), {reason}: by MiniZinc with {find.find_solver(solver).name}{alternative}"


def _by_rank(n: int, problem: Problem, source: random.Random, clock: Clock) -> Iterator[Board]:
    """Yield *n* boards by random ranks.

    Raises:
        Infeasible: the rules allow no board. The message names the conflict if a solver is installed.
        SolverTimeout: the time limit passed.
    """
    try:
        yield from sample_within(n, problem, source, Budget(BLOCK_STATES, clock))
    except Infeasible as empty:
        raise _with_conflict(problem.rules, problem.layout, empty, clock) from None


def _sampled(
    n: int, boards: Iterator[Board], clock: Clock, choices: int, solved: Callable[[int], Iterator[Board]]
) -> Iterator[Board]:
    """Yield *n* boards, each the evenest of the next *choices* boards.

    If *boards* ends early, *solved* generates the missing boards with the solver.
    """
    for n_done in range(n):
        candidates: list[Board] = []
        try:
            for _ in range(choices):
                clock.left()
                candidates += islice(boards, 1)
        except SolverTimeout as timeout:
            text = f"the time limit passed with {n_done} of {n} boards made"
            with clock.named():
                raise SolverTimeout(text, n_done) from timeout
        if len(candidates) < choices:
            yield from solved(n - n_done)
            return
        yield _evenest(iter(candidates), choices)


def _evenest(boards: Iterator[Board], choices: int) -> Board:
    """Return the board with the smallest efficiency error, of the next *choices*."""
    return next(boards) if choices == 1 else min(islice(boards, choices), key=efficiency_error)


def _with_conflict(rules: Rules, layout: Layout, empty: Infeasible, clock: Clock) -> Infeasible:
    """Return the error that names the conflict, or *empty* if no solver is installed."""
    try:
        solver = find.find_solver("auto").name
    except SolverNotFound:
        return empty
    explain = board_conflict if count_terrains(rules, layout, timeout=clock.left()) else terrain_conflict
    return explain(rules, layout, solver, clock)


class _SolverMethod:
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

    def __init__(
        self, rules: Rules, layout: Layout, solver: str, clock: Clock, source: random.Random
    ) -> None:
        self._rules, self._layout, self._solver, self._clock = rules, layout, solver, clock
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
        problem = Problem.of(rules, layout)
        grounds_solved, whole = problem.ties_grounds, problem.joins_parts
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
                    row = self._board_row(task, None if whole else _evenest(bare, choices).terrain)
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
                board = _evenest((Board.from_solution(row, layout) for row in rows), len(rows))
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
