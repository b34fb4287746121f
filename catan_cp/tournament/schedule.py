"""Who sits at which table in each round, and in which place: runs of ``models/schedule.mzn``.

Three numbers are to be little, the first above all: how often two players meet again, where a plan is changed
how often somebody is to sit at another table than planned, and how often a player has a place again. What
happens n times counts n * (n - 1) / 2 repetitions. Bounds from below are counted here, without a solver;
where a plan reaches them, or the solver proves that none is better, the plan says so.

>>> plan = make_schedule([[4] * 4] * 4, History.none(16))
>>> plan.value, plan.bound
((0, 0, 0), (0, 0, 0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from catan_cp.errors import SolverFailed, SolverNotFound, SolverTimeout
from catan_cp.search.enumerating import Clock
from catan_cp.solving import find

Seats = tuple[tuple[tuple[int, ...], ...], ...]
"""Per round and table, the players (from 0) in the order of play."""

_TOGETHER = 0.4
"""The part of the time in which a plan is sought that reaches all bounds at once."""
_ALONE = 0.7
"""The part of the time that is left then in which the first number alone is made little."""
_NONE = -1
_GECODE = 3


@dataclass(frozen=True)
class History:
    """What was played before.

    Attributes:
        met: per pair of players, how often they met.
        had: per player and place, how often the player had it.
    """

    met: list[list[int]]
    had: list[list[int]]

    @classmethod
    def none(cls, players: int) -> History:
        """Return the history of so many players who have played nothing."""
        return cls([[0] * players for _ in range(players)], [[0] * 4 for _ in range(players)])

    def add(self, tables: Sequence[Sequence[int | None]]) -> None:
        """Add a round; None stands for a player who has left."""
        for table in tables:
            for place, player in enumerate(table):
                if player is not None:
                    self.had[player][place] += 1
                    for other in table:
                        if other is not None and other != player:
                            self.met[player][other] += 1

    @property
    def value(self) -> tuple[int, int]:
        """How often somebody met somebody again, and how often somebody had a place again."""
        pairs = combinations(range(len(self.met)), 2)
        again = sum(_repetitions(self.met[a][b]) for a, b in pairs)
        return again, sum(_repetitions(times) for row in self.had for times in row)


@dataclass(frozen=True)
class Schedule:
    """A plan of rounds.

    Attributes:
        seats: per round and table, the players in the order of play.
        value: how often two meet again, how often a player has a place again (both with what was played
            before), and how often somebody sits at another table than planned.
        bound: no plan has less of each; of the third, none that has as little of the first.
    """

    seats: Seats
    value: tuple[int, int, int]
    bound: tuple[int, int, int]


def make_schedule(
    sizes: Sequence[Sequence[int]],
    before: History,
    planned: Sequence[Sequence[int]] | None = None,
    *,
    solver: str = "auto",
    timeout: float = 10.0,
    models: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Schedule:
    """Return the best plan that is found in *timeout* seconds, whole or not proven.

    Args:
        sizes: per round, the players at each table: 3 or 4.
        before: what was played.
        planned: per round and player, the table of an older plan (from 1), 0 where there is none.
        solver: any that optimises; ``auto`` is Gecode where it is.
        timeout: seconds.
        models: the folder of edited models, if there is one.
        progress: told what is being sought.

    Raises:
        SolverTimeout: there was no plan yet.
        SolverNotFound, SolverFailed: as their names say.
    """
    return _Planning(sizes, before, planned, _solver(solver), models, timeout, progress).plan()


def _solver(name: str) -> find.FoundSolver:
    """Return a solver: for ``auto`` Gecode, whose restarts find plans soonest, else whatever is there."""
    if name == "auto":
        with suppress(SolverNotFound):
            return find.find_solver("gecode")
    return find.find_solver(name)


class _Planning:
    """One schedule in the making: the bounds, and what each run of the model asks."""

    def __init__(
        self,
        sizes: Sequence[Sequence[int]],
        before: History,
        planned: Sequence[Sequence[int]] | None,
        solver: find.FoundSolver,
        models: str | None,
        timeout: float,
        progress: Callable[[str], None] | None,
    ) -> None:
        self.players, self.rounds, self.tables = sum(sizes[0]), len(sizes), len(sizes[0])
        self._sizes, self._before, self._solver, self._models = sizes, before, solver, models
        self._timeout, self._clock = timeout, Clock(timeout)
        self._say = progress or (lambda words: None)
        none = [[0] * self.players] * self.rounds
        self._free, self._changes = none, planned is not None
        past = any(map(any, before.had))
        self._data: dict[str, Any] = {
            "players": self.players, "rounds": self.rounds, "tables": self.tables, "size": sizes,
            "met_before": before.met, "had_before": before.had, "planned": planned or none,
            "fresh": not past and planned is None, "search": solver.backend.random_search,
        }  # fmt: skip
        self.least = _fewest_meetings(sizes, before), _fewest_places(sizes, before), 0
        # Where nothing was played and meetings can be shared out evenly, no pair has more than this.
        pairs = self.players * (self.players - 1) // 2
        met = sum(size * (size - 1) // 2 for row in sizes for size in row)
        spread = not past and self.least[0] == _evenly(met, pairs)
        self._met_most = -(-met // pairs) if spread else _NONE
        self._had_most = 1 if self.least[1] == 0 else _NONE

    def plan(self) -> Schedule:
        """Look for a plan that reaches the bounds; else make one number little after the other."""
        self._say("who sits where: a plan without a repetition too many")
        return self._changed() if self._changes else self._new()

    def _new(self) -> Schedule:
        met, had, _ = self.least
        row, _ = self._run(1, (met, had, _NONE), _TOGETHER)
        if row is None:
            row, met = self._few_meetings()
            row = self._few_places(row)
        return self._schedule(row, (met, had, 0))

    def _changed(self) -> Schedule:
        met, had, sure = self.least
        row, proven = self._least(3, (met, _NONE, _NONE), _TOGETHER)
        if row is None:
            first, met = self._few_meetings()
            self._say("who sits where: as few changes as can be")
            row, proven = self._least(3, (first[0], _NONE, _NONE), _TOGETHER)
            row, proven = (first, False) if row is None else (row, proven)
        return self._schedule(self._few_places(row), (met, had, row[2] if proven else sure))

    def _few_meetings(self) -> tuple[list[int], int]:
        """Return a plan with as few meetings again as can be, and a number that none goes below."""
        self._say("who sits where: as few meetings again as can be")
        row, proven = self._least(1, (_NONE, _NONE, _NONE), _ALONE)
        if row is None:
            raise SolverTimeout(f"no plan was found in {self._timeout:g} s; allow more time")
        return row, row[0] if proven else self.least[0]

    def _few_places(self, row: list[int]) -> list[int]:
        """Return the plan with the same tables and as few places again as can be."""
        self._say("who sits where: as few places again as can be")
        given = [row[3 + r * self.players :][: self.players] for r in range(self.rounds)]
        return self._least(2, (_NONE, _NONE, _NONE), 1.0, given)[0] or row

    def _least(
        self,
        wanted: int,
        most: tuple[int, int, int],
        part: float,
        given: Sequence[Sequence[int]] | None = None,
    ) -> tuple[list[int] | None, bool]:
        """Try half of the time to reach the bound of what is wanted, then to come near to it."""
        bound = list(most)
        bound[wanted - 1] = self.least[wanted - 1]
        row, proven = self._run(wanted, (bound[0], bound[1], bound[2]), part / 2, given)
        return (row, proven) if row is not None else self._run(wanted, most, part, given)

    def _run(
        self,
        wanted: int,
        most: tuple[int, int, int],
        part: float,
        given: Sequence[Sequence[int]] | None = None,
    ) -> tuple[list[int] | None, bool]:
        """Return the best solution in *part* of the time that is left, or None; and whether it is proven."""
        from catan_cp.solving.binding import improving
        from catan_cp.solving.compiling import Task, compile_model

        least = self.least[wanted - 1]
        bounded = most[0] == self.least[0]
        data = self._data | {
            "wanted": wanted, "least": least, "most": most, "given": given or self._free,
            "met_most": self._met_most if bounded else _NONE,
            "had_most": self._had_most if most[1] == self.least[1] else _NONE,
        }  # fmt: skip
        found: list[int] | None = None
        free = self._data["search"] != _GECODE
        try:
            own = Clock(part * (self._clock.left() or 0.0))
            compiled = compile_model(Task("schedule", data, models=self._models), self._solver, own.left())
            with closing(improving(compiled, own.left, seed=0, free=free)) as rows:
                for row in rows:
                    if row is None:
                        return found, True
                    found = list(row)
                    if found[wanted - 1] == least:
                        return found, True
        except SolverTimeout:
            pass
        return found, False

    def _schedule(self, row: Sequence[int], bound: tuple[int, int, int]) -> Schedule:
        """Return the plan of a solution, once our own reading of it agrees.

        Raises:
            SolverFailed: a seat is empty or taken twice, or the solution counts otherwise.
        """
        size = self.rounds * self.players
        history = History(
            [list(each) for each in self._before.met], [list(each) for each in self._before.had]
        )
        rounds = []
        for r, sizes in enumerate(self._sizes):
            start = 3 + r * self.players
            at = zip(row[start:][: self.players], row[size + start :][: self.players], strict=True)
            taken = {spot: player for player, spot in enumerate(at)}
            spots = [[(table, place) for place in range(1, n + 1)] for table, n in enumerate(sizes, start=1)]
            if taken.keys() != {spot for table in spots for spot in table}:
                raise SolverFailed(f"{self._solver.name} made a plan with an empty seat: {list(row)}")
            rounds.append(tuple(tuple(taken[spot] for spot in table) for table in spots))
            history.add(rounds[-1])
        if history.value != (row[0], row[1]):
            raise SolverFailed(
                f"{self._solver.name} counts repetitions {row[0]} and {row[1]}, and we {history.value}; "
                "try another solver, and please report this"
            )
        return Schedule(tuple(rounds), (row[0], row[1], row[2]), bound)


# Bounds from below


def _repetitions(times: int) -> int:
    return times * (times - 1) // 2


def _evenly(total: int, parts: int) -> int:
    """The fewest repetitions when so many things happen to so many."""
    each, more = divmod(total, parts)
    return (parts - more) * _repetitions(each) + more * _repetitions(each + 1)


def _fewest_meetings(sizes: Sequence[Sequence[int]], before: History) -> int:
    """Return a bound from below for meetings again: the larger of two.

    The next meeting of a pair that met n times is n repetitions, so the cheapest ones are taken. And two
    rounds have in common at least the pairs of each table of the one that any way to spread it over the
    tables of the other leaves together.
    """
    met = [before.met[a][b] for a, b in combinations(range(len(before.met)), 2)]
    total = sum(size * (size - 1) // 2 for row in sizes for size in row)
    costs = sorted(times + more for times in met for more in range(len(sizes)))
    common = sum(_evenly(size, len(row)) for row, _ in combinations(sizes, 2) for size in row)
    return sum(map(_repetitions, met)) + max(sum(costs[:total]), common)


def _fewest_places(sizes: Sequence[Sequence[int]], before: History) -> int:
    """Return a bound from below for places again.

    A player who has place 4 in x rounds has the other places in the rest, the rarest first. What one more
    round in place 4 costs grows with x, so the places 4 that there are go to whom they cost least.
    """
    rounds = len(sizes)
    fourths = sum(size == 4 for row in sizes for size in row)
    total, costs = 0, list[int]()
    for *others, fourth in before.had:
        rest = sorted(times + more for times in others for more in range(rounds))
        least = [sum(fourth + more for more in range(x)) + sum(rest[: rounds - x]) for x in range(rounds + 1)]
        total += least[0] + sum(_repetitions(times) for times in (*others, fourth))
        costs += [after - now for now, after in pairwise(least)]
    return total + sum(sorted(costs)[:fourths])
