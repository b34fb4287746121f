"""What a study is asked to do, checked before anything is touched."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from catan_cp import __version__
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement import Objective
from catan_cp.placement.game import checked_objectives, checked_players
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.studies.chunks import Chunk, chunk_seed
from catan_cp.studies.reporting import Goals
from catan_cp.studies.store import goal_values

_MOST_CHUNK = 10_000


@dataclass(frozen=True)
class Plan:
    """A study's parameters, checked; they are those of `catan_cp.run_study`."""

    name: str
    n: int | None
    layout: Layout
    rules: Rules
    given: bool
    seed: int | None
    players: int
    objectives: tuple[Objective, ...]
    solver: str
    solver_version: str | None
    timeout: float
    chunk: int

    def piece(self, number: int, size: int, notations: tuple[str, ...] | None = None) -> Chunk:
        """Return a chunk, by its number from 0: *size* boards to make, or those given."""
        return Chunk(
            number,
            size,
            self.layout.name,
            self.rules,
            None if self.seed is None else chunk_seed(self.seed, number),
            notations,
            self.players,
            self.objectives,
            self.solver,
            self.timeout,
        )


def checked_plan(
    n: int | None,
    layout: str | Layout,
    rules: str | Rules,
    boards: Iterable[Board] | None,
    players: int,
    objective: Goals,
    solver: str,
    timeout: float,
    chunk: int,
    name: str,
    workers: int,
) -> Plan:
    """Return the plan of these parameters, without its seed; refuse what cannot be."""
    place, wishes = find_layout(layout), find_rules(rules)
    if LAYOUTS.get(place.name) != place:
        raise InvalidArgument(f"a study is of one of the named layouts, which {place.name!r} is not")
    if n is None and boards is None:
        raise InvalidArgument("n is how many boards to make; only with boards given it can be None")
    _check_whole("n", 1 if n is None else n, 10**12)
    _check_whole("chunk", chunk, _MOST_CHUNK)
    _check_whole("workers", workers, 100_000)
    if boards is not None and (isinstance(boards, (str, Board)) or not isinstance(boards, Iterable)):
        raise InvalidArgument(f"boards is an iterable of Boards, not {show(boards)}")
    if not isinstance(name, str) or not name.strip() or len(name) > 200:
        raise InvalidArgument(f"a study's name is a short text, not {show(name)}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < 1e9:
        raise InvalidArgument(f"timeout is a number of seconds above 0, not {show(timeout)}")
    filled = [name for name, count in place.terrain_counts.items() for _ in range(count)]
    players = checked_players(players, Board(place, filled))
    goals = checked_objectives(objective, players)
    version = None
    if boards is None:
        from catan_cp.solving.find import find_solver

        wishes.check_layout(place)
        found = find_solver(solver)
        solver, version = found.name, found.version
    return Plan(
        name, n, place, wishes, boards is not None, None, players, goals, solver, version, timeout, chunk
    )


def _check_whole(name: str, value: object, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise InvalidArgument(f"{name} is a whole number from 1 to {most:,}, not {show(value)}")


def with_seed(plan: Plan, seed: int | None, known: int | None) -> Plan:
    """Return the plan with the seed asked for, else the one *known* from before, else one by chance."""
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**63):
        raise InvalidArgument(f"seed is a whole number from 0 to {2**63 - 1}, not {show(seed)}")
    if plan.given:
        return plan
    chosen = known if seed is None else seed
    return replace(plan, seed=random.SystemRandom().randrange(2**32) if chosen is None else chosen)


def plan_values(plan: Plan) -> dict[str, Any]:
    """Return the plan as a row of the table ``studies``."""
    return {
        "name": plan.name,
        "layout": plan.layout.name,
        "rules": json.dumps(plan.rules.to_mapping()),
        "source": "given" if plan.given else "generated",
        "n": plan.n,
        "chunk": plan.chunk,
        "seed": plan.seed,
        "players": plan.players,
        "objective": json.dumps([goal_values(goal) for goal in plan.objectives]),
        "library_version": __version__,
        "solver": None if plan.given else plan.solver,
        "solver_version": plan.solver_version,
    }
