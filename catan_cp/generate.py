"""Boards out of rules: a terrain drawn first, then harbors and markers on it.

>>> generate_board("base", "official", seed=1).layout.name  # doctest: +SKIP
'base'
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from catan_cp.board import Board
from catan_cp.checking import keeping_symmetries
from catan_cp.clashes import marker_clash, terrain_clash
from catan_cp.enumerating import (
    Clock,
    enumerate_terrain,
    first_row,
    harbors_of,
    marker_numbers,
    terrain_names,
)
from catan_cp.errors import Infeasible, InvalidArgument, SolverTimeout, show
from catan_cp.layout import Harbor, Layout, find_layout
from catan_cp.model_data import harbor_task, marker_task, spread, terrain_matters, terrain_task
from catan_cp.pieces import UNNUMBERED
from catan_cp.rules import Rules, find_rules
from catan_cp.counting import countable, sample_terrain

Terrain = tuple[str, ...]

_BATCH = 100
_PATIENCE = 30
"""After so many terrains in a row without a board, look at all of them in order, to prove that none has one."""
_PROOF = 3.0
"""After the first terrain without a board, spend so many seconds on a proof that no terrain has one."""


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
    (`catan_cp.countable`), else by the solver, which starts from a random branch. A terrain that admits no
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
    for name, value, least in (("n", n, 0), ("entropy", 1 if entropy is None else entropy, 1)):
        if type(value) is not int or value < least:
            raise InvalidArgument(f"{name} is a whole number of at least {least}, not {show(value)}")
    if seed is not None and type(seed) is not int:
        raise InvalidArgument(f"seed is a whole number, not {show(seed)}")
    from catan_cp.solving.find import find_solver

    name = find_solver(solver).name
    return _boards(n, place, wishes, random.Random(seed), name, Clock(timeout), entropy or 1)


def _boards(
    n: int, layout: Layout, rules: Rules, rng: random.Random, solver: str, clock: Clock, choices: int
) -> Iterator[Board]:
    terrains = _drawn_terrains(layout, rules, rng, solver, clock)
    if choices > 1:
        terrains = _evenest(terrains, layout, choices)
    numberings = _numberings(layout, rules, rng)
    hopeful = False
    for done in range(n):
        try:
            board = None
            for _ in range(_PATIENCE):
                board = _finished(next(terrains), layout, rules, rng, solver, clock, numberings)
                if board is not None:
                    break
                if not hopeful:
                    _refuse_clash(layout, rules, solver, clock)
                    hopeful = True
            yield board or _first_board(layout, rules, rng, solver, clock, numberings)
            hopeful = True
        except SolverTimeout as timeout:
            text = f"the time limit passed with {done} of {n} boards made; allow more time or ask for less"
            raise SolverTimeout(text, done) from timeout


def _refuse_clash(layout: Layout, rules: Rules, solver: str, clock: Clock) -> None:
    """Raise `Infeasible` where rules about markers are soon proved to clash on every terrain."""
    left = clock.left()
    try:
        problem = marker_clash(rules, layout, solver, _PROOF if left is None else min(left, _PROOF))
    except SolverTimeout:
        clock.left()
        return
    if problem is not None:
        raise problem


def _drawn_terrains(
    layout: Layout, rules: Rules, rng: random.Random, solver: str, clock: Clock
) -> Iterator[Terrain]:
    """Yield terrains without end: uniform where they can be counted, else from random branches."""
    if countable(rules, layout):
        batch = 1
        while True:
            try:
                drawn = sample_terrain(rules, layout, batch, seed=rng.getrandbits(64))
            except Infeasible:
                raise terrain_clash(rules, layout, solver) from None
            yield from drawn
            batch = min(2 * batch, _BATCH)
    task = terrain_task(rules, layout, spread(solver))
    while True:
        row = first_row(task, solver, clock, rng.getrandbits(30))
        if row is None:
            raise terrain_clash(rules, layout, solver)
        yield terrain_names(row)


def _evenest(terrains: Iterator[Terrain], layout: Layout, choices: int) -> Iterator[Terrain]:
    """Yield, of every so many terrains, the one whose efficiencies are nearest to their targets."""
    from catan_cp.entropy import efficiency_error

    while True:
        drawn = (next(terrains) for _ in range(choices))
        yield min(drawn, key=lambda terrain: efficiency_error(Board(layout, terrain)))


def _numberings(layout: Layout, rules: Rules, rng: random.Random) -> list[list[int]]:
    """Return a random numbering of the tiles, with what the layout's turns make of it.

    Where the markers do not depend on the terrain, boards whose deserts turn into each other are one problem
    to the solver, which is compiled once: `_finished` numbers each so that they look the same.
    """
    numbers = rng.sample(range(layout.n_tiles), layout.n_tiles)
    if terrain_matters(rules):
        return [numbers]
    turns = keeping_symmetries(layout, rules.adjacency)
    return [[numbers[t] for t in layout.symmetries[turn]] for turn in turns]


def _finished(
    terrain: Terrain,
    layout: Layout,
    rules: Rules,
    rng: random.Random,
    solver: str,
    clock: Clock,
    numberings: Sequence[Sequence[int]],
) -> Board | None:
    """Return a board on *terrain*, or None where it admits no harbors or no markers."""
    harbors = _harbors(terrain, layout, rules, rng, solver, clock)
    if harbors is None:
        return None
    bare = [(t, name) for t, name in enumerate(terrain) if name in UNNUMBERED]
    numbering = min(numberings, key=lambda number: sorted((number[t], name) for t, name in bare))
    task = marker_task(rules, layout, terrain, spread(solver), numbering)
    row = first_row(task, solver, clock, rng.getrandbits(30))
    if row is None:
        return None
    return Board(layout, terrain, marker_numbers([row[number] for number in numbering]), harbors)


def _harbors(
    terrain: Terrain, layout: Layout, rules: Rules, rng: random.Random, solver: str, clock: Clock
) -> Sequence[Harbor] | None:
    if rules.harbors == "none":
        return ()
    if rules.harbors == "printed":
        return layout.printed_harbors
    task = harbor_task(rules, layout, terrain, spread(solver))
    codes = first_row(task, solver, clock, rng.getrandbits(30))
    return None if codes is None else harbors_of(layout, codes)


def _first_board(
    layout: Layout,
    rules: Rules,
    rng: random.Random,
    solver: str,
    clock: Clock,
    numberings: Sequence[Sequence[int]],
) -> Board:
    """Return the first board of all, terrain by terrain, or prove that there is none."""
    problem = marker_clash(rules, layout, solver, clock.left())
    if problem is not None:
        raise problem
    tried = 0
    with enumerate_terrain(rules, layout, solver=solver, timeout=clock.left()) as terrains:
        for terrain in terrains:
            board = _finished(terrain, layout, rules, rng, solver, clock, numberings)
            if board is not None:
                return board
            tried += 1
    raise Infeasible(
        f"none of the {tried} terrains that the rules allow admits markers and harbors that they allow"
    )
