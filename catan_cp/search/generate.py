"""Boards that satisfy rules: drawn uniformly by their numbers, by a random walk, or made by the solver.

With the solver, a terrain is drawn first, then harbors and markers on it. The complete board is one model
(``joint.mzn``), compiled once; each board is a run of it with its terrain given. Where terrain after terrain
admits no markers, either all the others are tried, if they are few, or a run without a terrain gives a board
or proves that there is none.

>>> board = generate_board("tournament", "base-5-6", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

import logging
import math
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.counting import count_terrains, has_few, is_countable, is_quick, sample_boards, sample_terrains
from catan_cp.counting.coasts import deal_grounds
from catan_cp.entropy import efficiency_error
from catan_cp.errors import Infeasible, InvalidArgument, SolverNotFound, SolverTimeout, show
from catan_cp.rules.rules import Rules, find_rules, joins, read_asked, ties_grounds
from catan_cp.search.clashes import STARTING, board_clash, loosen, refuse_clash, refuse_crowded, terrain_clash
from catan_cp.search.enumerating import enumerate_terrains
from catan_cp.search.model_data import joint_task, spread, terrain_task
from catan_cp.search.questions import (
    Clock,
    Row,
    check_board,
    compile_task,
    compiled_first_row,
    confirm_board,
    read_board,
    terrain_names,
)
from catan_cp.search.walking import board_walk
from catan_cp.solving import find
from catan_cp.solving.compiling import Task

Terrain = tuple[str, ...]

METHODS = ("auto", "uniform", "walk", "solver")

_BATCH = 100
_TILE_ORDERS = 8
"""The solver sees the tiles in one of so few orders, so that later calls need not compile."""
_PATIENCE = 30
"""After so many terrains in a row without a board, decide terrain and markers together, or try the others."""
_FEW = 200
"""So many terrains are tried one by one: each is a small proof, while one of all together may take hours."""
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
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Board:
    """Return a board that *rules* allow.

    There are three methods. ``uniform`` draws each board that the rules allow with the same chance, as
    `catan_cp.sample_boards` does. ``walk`` deals a board at random, mends it, and then exchanges pieces at
    random as long as the rules hold. It knows rules that look at no more than touching tiles and vertices,
    and takes milliseconds on any layout. Where it finds no board, the solver decides. ``solver`` draws the
    terrain first: exactly uniformly from all that the rules allow wherever these can be counted
    (`catan_cp.is_countable`), else by the solver, which starts from a random branch. A terrain that admits no
    markers or harbors is put back and another drawn, so among the terrains that have boards each is as likely
    as any other. Markers and harbors are then the first that the solver finds: it sees the tiles in a random
    order and branches at random, so they spread over the whole space but are not uniform.

    A long random walk is uniform over the boards that exchanges connect to its start. For most rules it is
    not known whether these are all boards, or whether the walk is long enough (docs/methods.md). So ``walk``
    samples exactly if decision diagrams soon show that there are at most a million boards, harbors aside.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        seed: any whole number; the same seed, rules, layout and solver version give the same board.
        method: ``uniform``, ``walk``, ``solver``, or ``auto``: uniform where the rules let decision diagrams
            count boards in about a second (the presets ``tournament``, ``official`` and ``open`` on ``base``,
            among others) or there are few boards, else the walk where the rules let it (``tournament`` and
            ``open`` on every other layout), else the solver. Rules and layout decide, never what is
            installed.
        solver: ``auto`` (Chuffed where it is, else Gecode), or a solver's name, with which the method
            ``auto`` is ``solver``.
        timeout: seconds until `SolverTimeout`; None for no limit.
        candidates: choose, of this many drawn boards (with the solver: terrains), the one whose terrain has
            the least `catan_cp.efficiency_error`.

    Raises:
        InvalidBoard, InvalidRules, InvalidArgument: an argument that cannot be.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
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
    """Yield *n* boards that *rules* allow, drawn one after the other as `generate_board` draws one.

    Boards may repeat where the rules allow few. Arguments and errors are those of `generate_board`; bad
    arguments are refused before the first board is asked for, and *timeout* is for all boards together.
    """
    asked, where = read_asked(rules, layout)
    n, seed = errors.check_count("n", n), errors.check_seed(seed)
    choices = 1 if candidates is None else errors.check_count("candidates", candidates, 1)
    road, clock = _road(asked, where, method, solver), Clock(timeout, asked)
    source = errors.random_source(seed)

    def solved(more: int) -> Iterator[Board]:
        return _Solving(asked, where, find.find_solver(solver).name, clock, source).boards(more, choices)

    if road == "solver":
        return solved(n)
    if solver != "auto":
        if method == "uniform":
            raise InvalidArgument(
                f"solver={show(solver)} has no part in method='uniform'; name none, or take method='solver'"
            )
        find.find_solver(solver)  # an unknown solver is an error even where the walk needs none
    if road == "uniform":
        return _drawn(n, _counted(n * choices, asked, where, seed), clock, choices, solved)
    walk = board_walk(asked, where)
    if walk is None:
        raise InvalidArgument(
            "method='walk' does not know all of these rules; take 'auto', which asks the solver then"
        )
    walked = iter(lambda: walk.board(source), None)
    return _drawn(n, (check_board(board, asked, "the walk") for board in walked), clock, choices, solved)


def _road(rules: Rules, layout: Layout, method: str, solver: str) -> str:
    """Return the method that makes the boards: for ``auto`` the first that rules and layout allow.

    A random walk may be far from uniform where the rules allow few boards, so these are sampled exactly.
    """
    errors.check_choice("method", method, METHODS)
    if method == "walk":
        return "uniform" if board_walk(rules, layout) and has_few(rules, layout) else "walk"
    if method != "auto":
        return method
    if solver != "auto":
        return "solver"
    if is_quick(rules, layout) or has_few(rules, layout):
        return "uniform"
    return "walk" if board_walk(rules, layout) else "solver"


def explain_method(
    rules: str | Rules, layout: str | Layout = "base", *, method: str = "auto", solver: str = "auto"
) -> str:
    """Return in words which road `generate_board` takes for such a board, why, and how to choose another."""
    layout, rules = find_layout(layout), find_rules(rules)
    road = _road(rules, layout, method, solver)
    asked = "as asked" if method != "auto" else f"as solver={show(solver)} asks" if solver != "auto" else ""
    uncounted = "counting takes too long here"
    if road == "uniform":
        why = asked or "under these rules our own count takes about a second"
        if method == "walk":
            why = "for there are too few boards for a random walk"
        return f"counted and drawn (uniform), {why}: no MiniZinc; a solver makes it with method='solver'"
    if road == "walk":
        why = asked or f"{uncounted}, and the rules look at no more than touching tiles and vertices"
        return f"walked (walk), {why}: no MiniZinc; a solver makes it with method='solver'"
    why = asked or f"{uncounted}, and the walk does not know all of these rules"
    other = "; rules such as tournament need none"
    if (without := _road(rules, layout, "auto", "auto")) != "solver":
        other = f"; without it with method={show(without)}"
    return f"solved (solver), {why}: by MiniZinc with {find.find_solver(solver).name}{other}"


def _counted(n: int, rules: Rules, layout: Layout, seed: int | None) -> Iterator[Board]:
    """Yield *n* boards by their numbers; where there is none, name the fields that clash."""
    try:
        yield from sample_boards(n, rules, layout, seed=seed)
    except Infeasible as empty:
        raise _named_clash(rules, layout, empty) from None


def _drawn(
    n: int, boards: Iterator[Board], clock: Clock, choices: int, solved: Callable[[int], Iterator[Board]]
) -> Iterator[Board]:
    """Yield the evenest of every so many *boards*; from where these end, those that a solver makes."""
    for done in range(n):
        drawn: list[Board] = []
        try:
            for _ in range(choices):
                clock.left()
                drawn += islice(boards, 1)
        except SolverTimeout as timeout:
            text = f"the time limit passed with {done} of {n} boards made"
            raise SolverTimeout(text, done) from timeout
        if len(drawn) < choices:
            yield from solved(n - done)
            return
        yield _evenest(iter(drawn), choices)


def _evenest(boards: Iterator[Board], choices: int) -> Board:
    """Return, of the next so many boards, the one whose efficiencies are nearest to their targets."""
    return next(boards) if choices == 1 else min(islice(boards, choices), key=efficiency_error)


def _named_clash(rules: Rules, layout: Layout, empty: Infeasible) -> Infeasible:
    """Return the error that names the fields that clash; without a solver at hand, the one that is."""
    try:
        solver = find.find_solver("auto").name
    except SolverNotFound:
        return empty
    clash = board_clash if count_terrains(rules, layout) else terrain_clash
    return clash(rules, layout, solver)


class _Solving:
    """Boards of a layout under rules, from a solver, in time."""

    def __init__(
        self, rules: Rules, layout: Layout, solver: str, clock: Clock, source: random.Random
    ) -> None:
        self._rules, self._layout, self._solver, self._clock = rules, layout, solver, clock
        self._random = source
        self._possible = False  # whether it is known that there is a board

    def boards(self, n: int, choices: int) -> Iterator[Board]:
        """Yield *n* boards, each the evenest of so many terrains or boards."""
        rules, layout, source = self._rules, self._layout, self._random
        refuse_crowded(rules, layout)
        bare = map(partial(Board, layout), self.terrains(random.Random(source.getrandbits(64))))
        # One task for all boards: what it asks of files, it asks once a call.
        n_tiles = layout.n_tiles
        order = random.Random(source.randrange(_TILE_ORDERS)).sample(range(n_tiles), n_tiles)
        tied = ties_grounds(rules)
        task = joint_task(rules, layout, spread(self._solver), order, grounds=tied)
        together = joins(rules)
        done, misses, tried = 0, 0, 0
        quiet_until = time.monotonic() + _QUIET
        try:
            while done < n:
                if lost := misses > _PATIENCE and not together:
                    row = self._board_of_any(task)
                else:
                    row = self._board_row(task, None if together else _evenest(bare, choices).terrain)
                tried += 1
                if row is None:
                    misses += 1
                    if done == 0 and time.monotonic() > quiet_until:
                        quiet_until = math.inf
                        told = "no board yet: none on %d terrains, and no proof that there is none; wait%s"
                        _log.warning(told, tried, loosen(rules))
                    if done == 0 and misses == 1:
                        refuse_clash(rules, layout, self._solver, self._clock, _PROOF)
                    if together or lost:
                        raise board_clash(rules, layout, self._solver)
                    continue
                rows = [row]
                if together:  # no terrain was chosen, so whole boards are
                    rows += filter(None, (self._board_row(task, None) for _ in range(choices - 1)))
                board = _evenest((read_board(layout, each) for each in rows), len(rows))
                dealt = board if tied else deal_grounds(board, source)
                yield confirm_board(check_board(dealt, rules, self._solver), rules, self._solver, self._clock)
                self._possible, done, misses = True, done + 1, 0
        except SolverTimeout as timeout:
            text = (
                f"the time limit passed with {done} of {n} boards made, {tried} terrains tried, and no proof "
                f"that there is none; allow more time{loosen(rules)}"
            )
            with self._clock.named():
                raise SolverTimeout(text, done) from timeout

    def terrains(self, source: random.Random) -> Iterator[Terrain]:
        """Yield terrains without end: uniform where they can be counted, else from random branches."""
        rules, layout = self._rules, self._layout
        if not is_countable(rules, layout):
            task = terrain_task(rules, layout, spread(self._solver))
            while True:  # free, which begins as the model says: islands need it
                row = self._row(task, source.getrandbits(30), free=True)
                if row is None:
                    raise terrain_clash(rules, layout, self._solver)
                yield terrain_names(layout, row)
        batch = 1
        while True:
            try:
                drawn = sample_terrains(batch, rules, layout, seed=source.getrandbits(64))
            except Infeasible:
                raise terrain_clash(rules, layout, self._solver) from None
            yield from drawn
            batch = _BATCH

    def _board_row(self, task: Task, terrain: Terrain | None) -> Row | None:
        """Return a board on a terrain or on any, or None where there is none."""
        codes = self._layout.terrain_codes
        prefix = () if terrain is None else tuple(codes[name] for name in terrain)
        return self._row(task, self._random.getrandbits(30), free=terrain is None, prefix=prefix)

    def _board_of_any(self, task: Task) -> Row | None:
        """Return a board of any terrain, or None where it is proved that there is none."""
        left = self._clock.left()
        listed = enumerate_terrains(
            self._rules, self._layout, solver=self._solver, timeout=left, limit=_FEW + 1
        )
        with listed:
            terrains = sorted(listed)
        if len(terrains) > _FEW:
            return self._board_row(task, None)
        self._random.shuffle(terrains)
        rows = (self._board_row(task, terrain) for terrain in terrains)
        return next((row for row in rows if row is not None), None)

    def _row(self, task: Task, seed: int, *, free: bool, prefix: Row = ()) -> Row | None:
        """Return the solution of a task that *seed* chooses, or None where there is none.

        Where that takes long, and no board is known, it is tried to prove that there is none at all; then the
        same search begins again, with more and more time, so that the same seed gives the same board however
        fast the machine is.

        Raises:
            Infeasible: there is no board at all.
        """
        if self._possible:
            return compiled_first_row(task, self._solver, self._clock, seed, free=free, prefix=prefix)
        # Counts apart: on a slow machine it takes seconds, and a stranger's text has a limit of its own.
        limit = max(_PROOF, STARTING * compile_task(task, self._solver, self._clock).seconds)
        while True:
            try:
                clock = Clock(self._clock.at_most(limit))
                return compiled_first_row(task, self._solver, clock, seed, free=free, prefix=prefix)
            except SolverTimeout:
                self._clock.left()  # raises where the time that passed was the caller's
            refuse_clash(self._rules, self._layout, self._solver, self._clock, max(2 * _PROOF, limit))
            limit *= 4
