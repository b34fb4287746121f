"""Boards that satisfy rules: drawn uniformly by their numbers, by a random walk, or made by the solver.

With the solver, a terrain is drawn first, then harbors and markers on it. The complete board is one model
(``joint.mzn``), compiled once; each board is a run of it with its terrain given. Where terrain after terrain
admits no markers, either all the others are tried, if they are few, or a run without a terrain gives a board
or proves that there is none.

>>> board = generate_board("tournament", "base-5-6", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from catan_cp.arguments import check_choice, check_count, random_source
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.counting import is_countable, is_quick, sample_boards, sample_terrain
from catan_cp.entropy import efficiency_error
from catan_cp.errors import Infeasible, InvalidArgument, SolverNotFound, SolverTimeout, show
from catan_cp.rules.model_data import Task, joint_task, spread, terrain_task
from catan_cp.rules.rules import Rules, find_rules, joins
from catan_cp.search.clashes import board_clash, loosen, refuse_clash, refuse_crowded, terrain_clash
from catan_cp.search.enumerating import enumerate_terrain
from catan_cp.search.tasks import Clock, Row, checked, compiled, first_row, read_board, terrain_names
from catan_cp.search.walking import BoardWalk, board_walk

Terrain = tuple[str, ...]

METHODS = ("auto", "uniform", "walk", "solver")

_BATCH = 100
_TILE_ORDERS = 8
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
    random as long as the rules hold, so that boards are nearly as likely as each other; it knows rules that
    look at no more than touching tiles and vertices, and takes milliseconds on any layout. Where it finds no
    board, the solver decides. ``solver`` draws the terrain first: exactly uniformly from all that the
    rules allow wherever these can be counted (`catan_cp.is_countable`), else by the solver, which starts from
    a random branch. A terrain that admits no markers or harbors is put back and another drawn, so among the
    terrains that have boards each is as likely as any other. Markers and harbors are then the first that the
    solver finds: it sees the tiles in a random order and branches at random, so they spread over the whole
    space but are not uniform.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        seed: any whole number; the same seed, rules, layout and solver version give the same board.
        method: ``uniform``, ``walk``, ``solver``, or ``auto``: uniform where the rules let decision diagrams
            count boards in about a second (the presets ``tournament``, ``official`` and ``open`` on ``base``,
            among others), else the walk where the rules let it (``tournament`` and ``open`` on every other
            layout), else the solver. Rules and layout decide, never what is installed.
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
    read_layout, read_rules = find_layout(layout), find_rules(rules)
    read_rules.check_layout(read_layout)
    n = check_count("n", n)
    choices = 1 if candidates is None else check_count("candidates", candidates, 1)
    check_choice("method", method, METHODS)
    clock = Clock(timeout)
    if method == "uniform" or (method == "auto" and solver == "auto" and is_quick(read_rules, read_layout)):
        if solver != "auto":
            raise InvalidArgument(
                f"solver={show(solver)} has no part in method='uniform'; name none, or take method='solver'"
            )
        return _uniform(n, read_rules, read_layout, seed, clock, choices)
    if method == "walk" or (method == "auto" and solver == "auto"):
        walk = board_walk(read_rules, read_layout)
        if walk is not None:
            return _walked(n, walk, read_rules, random_source(seed), solver, clock, choices)
        if method == "walk":
            raise InvalidArgument(
                "method='walk' does not know all of these rules; take 'auto', which asks the solver then"
            )
    from catan_cp.solving.find import find_solver

    name = find_solver(solver).name
    request = _Request(read_layout, read_rules, name, clock)
    return _boards(n, request, random_source(seed), choices)


def explain_method(
    rules: str | Rules, layout: str | Layout = "base", *, method: str = "auto", solver: str = "auto"
) -> str:
    """Return in words which road `generate_board` takes for such a board, why, and how to choose another."""
    read_layout, read_rules = find_layout(layout), find_rules(rules)
    check_choice("method", method, METHODS)
    free = method == "auto" and solver == "auto"
    quick = is_quick(read_rules, read_layout)
    asked = "as asked" if method != "auto" else f"as solver={show(solver)} asks" if solver != "auto" else ""
    if method == "uniform" or (free and quick):
        why = asked or "under these rules our own count takes about a second"
        return f"counted and drawn (uniform), {why}: no MiniZinc; a solver makes it with method='solver'"
    uncounted = "counting takes too long here"
    if method == "walk" or (free and board_walk(read_rules, read_layout) is not None):
        why = asked or f"{uncounted}, and the rules look at no more than touching tiles and vertices"
        return f"walked (walk), {why}: no MiniZinc; a solver makes it with method='solver'"
    from catan_cp.solving.find import find_solver

    why = asked or f"{uncounted}, and the walk does not know all of these rules"
    others = [
        name for name, can in (("uniform", quick), ("walk", board_walk(read_rules, read_layout))) if can
    ]
    other = (
        f"; without it with method={show(others[0])}" if others else "; rules such as tournament need none"
    )
    return f"solved (solver), {why}: by MiniZinc with {find_solver(solver).name}{other}"


def _uniform(
    n: int, rules: Rules, layout: Layout, seed: int | None, clock: Clock, choices: int
) -> Iterator[Board]:
    try:
        drawn = sample_boards(n * choices, rules, layout, seed=seed)
    except Infeasible as empty:
        raise _named_clash(rules, layout, clock, empty) from None
    for done in range(n):
        _check_time(clock, done, n)
        yield next(drawn) if choices == 1 else min(islice(drawn, choices), key=efficiency_error)


def _walked(
    n: int,
    walk: BoardWalk,
    rules: Rules,
    rng: random.Random,
    solver: str,
    clock: Clock,
    choices: int,
) -> Iterator[Board]:
    for done in range(n):
        drawn: list[Board] = []
        while len(drawn) < choices and (board := walk.board(rng)) is not None:
            drawn.append(board)
            _check_time(clock, done, n)
        if len(drawn) < choices:
            from catan_cp.solving.find import find_solver

            request = _Request(walk.layout, rules, find_solver(solver).name, clock)
            yield from _boards(n - done, request, rng, choices)
            return
        yield checked(drawn[0] if choices == 1 else min(drawn, key=efficiency_error), rules, "the walk")


def _check_time(clock: Clock, done: int, n: int) -> None:
    try:
        clock.left()
    except SolverTimeout as timeout:
        raise SolverTimeout(f"the time limit passed with {done} of {n} boards made", done) from timeout


def _named_clash(rules: Rules, layout: Layout, clock: Clock, empty: Infeasible) -> Infeasible:
    """Return the error that names the fields that clash; without a solver at hand, the one that is."""
    from catan_cp.solving.find import find_solver

    try:
        solver = find_solver("auto").name
        next(_drawn_terrains(_Request(layout, rules, solver, clock), random.Random(0)))
    except SolverNotFound:
        return empty
    except Infeasible as clash:  # already the terrains
        return clash
    return board_clash(rules, layout, solver)


@dataclass(frozen=True)
class _Request:
    """What is asked for: boards of a layout under rules, from a solver, in time; and if there are any."""

    layout: Layout
    rules: Rules
    solver: str
    clock: Clock
    possible: bool = False


def _boards(n: int, request: _Request, rng: random.Random, choices: int) -> Iterator[Board]:
    refuse_crowded(request.rules, request.layout)
    terrains = _drawn_terrains(request, random.Random(rng.getrandbits(64)))
    if choices > 1:
        terrains = _evenest(terrains, request.layout, choices)
    # One task for all boards: what it asks of files, it asks once a call.
    task = joint_task(request.rules, request.layout, spread(request.solver), _tile_order(request, rng))
    together = joins(request.rules)
    done, misses, tried = 0, 0, 0
    hint = _Hint(request)
    try:
        while done < n:
            if lost := misses > _PATIENCE and not together:
                row = _board_of_any(request, task, rng)
            else:
                terrain = None if together else next(terrains)
                row = _board_row(request, task, rng.getrandbits(30), terrain)
            tried += 1
            hint.after(tried, done)
            if row is None:
                misses += 1
                if done == 0 and misses == 1:
                    refuse_clash(request.rules, request.layout, request.solver, request.clock, _PROOF)
                if together or lost:
                    raise board_clash(request.rules, request.layout, request.solver)
                continue
            if together and choices > 1:  # no terrain was chosen, so whole boards are
                others = [_board_row(request, task, rng.getrandbits(30), None) for _ in range(choices - 1)]
                rows = [row, *(other for other in others if other is not None)]
                row = min(rows, key=lambda each: efficiency_error(read_board(request.layout, each)))
            yield checked(read_board(request.layout, row), request.rules, request.solver)
            request, done, misses = replace(request, possible=True), done + 1, 0
    except SolverTimeout as timeout:
        text = (
            f"the time limit passed with {done} of {n} boards made, {tried} terrains tried, and no proof "
            f"that there is none; allow more time{loosen(request.rules)}"
        )
        raise SolverTimeout(text, done) from timeout


class _Hint:
    """Says once, after some seconds without a board, what was tried and which fields to loosen."""

    def __init__(self, request: _Request) -> None:
        self._request = request
        self._due: float | None = time.monotonic() + _QUIET

    def after(self, tried: int, done: int) -> None:
        """Take note of the attempts so far."""
        if self._due is not None and done == 0 and time.monotonic() > self._due:
            self._due = None
            _log.warning(
                "no board yet: none on %d terrains, and no proof that there is none; wait%s",
                tried,
                loosen(self._request.rules),
            )


def _drawn_terrains(request: _Request, rng: random.Random) -> Iterator[Terrain]:
    """Yield terrains without end: uniform where they can be counted, else from random branches."""
    rules, layout = request.rules, request.layout
    if not is_countable(rules, layout):
        task = terrain_task(rules, layout, spread(request.solver))
        while True:
            yield _solved_terrain(request, task, rng.getrandbits(30))
    batch = 1
    while True:
        try:
            drawn = sample_terrain(batch, rules, layout, seed=rng.getrandbits(64))
        except Infeasible:
            raise terrain_clash(rules, layout, request.solver) from None
        yield from drawn
        batch = _BATCH


def _solved_terrain(request: _Request, task: Task, seed: int) -> Terrain:
    """Return a terrain from a random branch of the solver's search."""
    row = _row(request, task, seed, free=True)  # free, which begins as the model says: islands need it
    if row is None:
        raise terrain_clash(request.rules, request.layout, request.solver)
    return terrain_names(request.layout, row)


def _board_row(request: _Request, task: Task, seed: int, terrain: Terrain | None) -> Row | None:
    """Return the board that *seed* chooses, on a terrain or on any, or None where there is none."""
    given = () if terrain is None else tuple(map(request.layout.terrain_codes.__getitem__, terrain))
    return _row(request, task, seed, free=terrain is None, given=given)


def _board_of_any(request: _Request, task: Task, rng: random.Random) -> Row | None:
    """Return a board of any terrain, or None where it is proved that there is none."""
    rules, layout, clock = request.rules, request.layout, request.clock
    left = clock.left()
    with enumerate_terrain(rules, layout, solver=request.solver, timeout=left, limit=_FEW + 1) as listed:
        terrains = sorted(listed)
    if len(terrains) > _FEW:
        return _board_row(request, task, rng.getrandbits(30), None)
    rng.shuffle(terrains)
    rows = (_board_row(request, task, rng.getrandbits(30), terrain) for terrain in terrains)
    return next((row for row in rows if row is not None), None)


def _row(request: _Request, task: Task, seed: int, *, free: bool, given: Row = ()) -> Row | None:
    """Return the solution of a task that *seed* chooses, or None where there is none; see `first_row`.

    Where that takes long, and no board is known, it is tried to prove that there is none at all; then the
    same search begins again, with more and more time, so that the same seed gives the same board however fast
    the machine is.

    Raises:
        Infeasible: there is no board at all.
    """
    if request.possible:
        return first_row(task, request.solver, request.clock, seed, free=free, given=given)
    if request.rules.constraints:  # a stranger's text: to compile it has a limit of its own, and counts apart
        compiled(task, request.solver, request.clock)
    limit = _PROOF
    while True:
        try:
            clock = Clock(request.clock.at_most(limit))
            return first_row(task, request.solver, clock, seed, free=free, given=given)
        except SolverTimeout:
            request.clock.left()  # raises where the time that passed was the caller's
        seconds = max(2 * _PROOF, limit)
        refuse_clash(request.rules, request.layout, request.solver, request.clock, seconds)
        limit *= 4


def _evenest(terrains: Iterator[Terrain], layout: Layout, choices: int) -> Iterator[Terrain]:
    """Yield, of every so many terrains, the one whose efficiencies are nearest to their targets."""
    while True:
        drawn = (next(terrains) for _ in range(choices))
        yield min(drawn, key=lambda terrain: efficiency_error(Board(layout, terrain)))


def _tile_order(request: _Request, rng: random.Random) -> list[int]:
    """Return one of a few orders in which the solver sees the tiles, so that later calls need not compile."""
    return random.Random(rng.randrange(_TILE_ORDERS)).sample(
        range(request.layout.n_tiles), request.layout.n_tiles
    )
