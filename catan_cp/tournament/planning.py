"""A tournament: its rounds, each with one even map for all tables and who sits where, and late changes.

>>> tournament = plan_tournament(16, 4, seed=1)
>>> [len(round.tables) for round in tournament.rounds], tournament.value
([4, 4, 4, 4], (0, 0))

``models/schedule.mzn`` says who sits at which table in each round, and in which place. Three numbers are to
be little, the first above all: how often two players meet again, where a plan is changed how often somebody
is to sit at another table than planned, and how often a player has a place again. What happens n times counts
n * (n - 1) / 2 repetitions. Bounds from below are counted here, without a solver; where a plan reaches them,
or the solver proves that none is better, the plan says so.

>>> plan = make_schedule([[4] * 4] * 4)
>>> plan.value, plan.bound
((0, 0, 0), (0, 0, 0))
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice, pairwise, permutations
from typing import Any

import numpy as np

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, SolverFailed, SolverNotFound, SolverTimeout, show
from catan_cp.placement import solve_placement, win_chances
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.search.questions import Clock
from catan_cp.solving import find
from catan_cp.terminal import aligned
from catan_cp.tournament.seats import Chances, search_seats

Player = str | int

MOST_PLAYERS = 60
"""The most players: a schedule of more takes solvers too long."""
MOST_ROUNDS = 12
MAPS = 100
"""So many boards are judged for each round's map."""
TIMEOUT = 20.0
"""So many seconds are spent on a schedule at most."""

_LONGEST_NAME = 40


@dataclass(frozen=True)
class Round:
    """A round of a tournament.

    Attributes:
        board: the map of all tables.
        tables: per table, its players in the order of play.
    """

    board: Board
    tables: tuple[tuple[Player, ...], ...]

    @cached_property
    def chances(self) -> Mapping[int, Chances]:
        """Per number of players at a table, each seat's chance to win, as `catan_cp.win_chances` tells it."""
        sizes = sorted({*map(len, self.tables)})
        return {n: win_chances(self.board, solve_placement(self.board, n).settlements) for n in sizes}

    @property
    def margin(self) -> float:
        """By how many points of a hundred no seat's chance differs from an equal share of its table."""
        return max(abs(100 * chance - 100 / n) for n, each in self.chances.items() for chance in each)


@dataclass(frozen=True)
class Tournament:
    """Rounds, and what is known of their schedule; made by `plan_tournament`.

    Attributes:
        players: who plays, by name or number from 1.
        rounds: the rounds.
        value: how often two players meet again, and how often a player has the same place again; what happens
            n times counts n * (n - 1) / 2 times.
        bound: no schedule of so many players and rounds has less of each.
        changed: after a late change, how many times somebody sits at another table than planned before.
        changed_bound: a lower bound of it among plans with as few meetings again; equal to it if it is
            proven to be the minimum.
        models: the folder of edited models that the schedule keeps to, if there is one.
    """

    players: tuple[Player, ...]
    rounds: tuple[Round, ...]
    value: tuple[int, int]
    bound: tuple[int, int]
    changed: int = 0
    changed_bound: int = 0
    models: str | None = None

    @property
    def proven(self) -> bool:
        """Whether no schedule is better."""
        return self.value == self.bound and self.changed == self.changed_bound

    @property
    def margin(self) -> float:
        """By how many points of a hundred no seat's chance differs from an equal share, in any round."""
        return max(each.margin for each in self.rounds)

    def explain(self) -> list[str]:
        """Return in plain English what the schedule is worth, and how even the maps are."""
        said = []
        meetings = ("Nobody meets anybody twice", "Players meet again")
        places = ("Everybody has each place at most once", "Players have a place again")
        for value, bound, (none, some) in zip(self.value, self.bound, (meetings, places), strict=True):
            sure = "no schedule does better"
            if value != bound:
                sure = f"no schedule has fewer than {bound}, and this is the best found"
            said.append(f"{some} {value} times; {sure}." if value else f"{none}.")
        if self.changed:
            sure = "no plan with as few meetings again has fewer changes"
            if self.changed != self.changed_bound:
                sure = f"not proven to be the minimum, which is at least {self.changed_bound}"
            said.append(f"Players change table {self.changed} times against the earlier plan; {sure}.")
        return [*said, f"No seat's chance to win is more than {self.margin:.1f} points off an equal share."]

    def table(self) -> str:
        """Return the schedule as plain text."""
        lines = list[str]()
        for number, each in enumerate(self.rounds, start=1):
            seats = [(f"table {t}", *map(str, table)) for t, table in enumerate(each.tables, start=1)]
            width = max(map(len, seats))
            rows = [("", *(f"place {k}" for k in range(1, width))), *seats]
            rows = [(*row, *[""] * (width - len(row))) for row in rows]
            lines += [f"round {number}: {each.board.notation()}", *aligned(rows, width), ""]
        return "\n".join([*lines, *self.explain()])

    __str__ = table

    def to_json(self) -> str:
        """Return the plan as a JSON object, which `from_json` reads back, without the folder of models."""
        rounds = [{"map": each.board.notation(), "tables": each.tables} for each in self.rounds]
        value = {"players": self.players, "rounds": rounds, "bound": self.bound, "changed": self.changed}
        return json.dumps(value | {"changed_bound": self.changed_bound}, ensure_ascii=False)

    @classmethod
    def from_json(
        cls, text: str, layout: str | Layout | None = None, *, models: str | None = None
    ) -> Tournament:
        """Read a plan from the JSON that `to_json` writes.

        Args:
            text: the JSON.
            layout: of the maps, where it is one of your own.
            models: the folder of edited models that late changes keep to, if there is one.

        Raises:
            InvalidArgument: this is no plan: the message says why.
            InvalidBoard: a map is no board.
        """
        try:
            told = json.loads(text)
            players, bound, changed = told["players"], (*told["bound"],), told["changed"]
            fewest = told["changed_bound"]
            read = [(each["map"], [(*table,) for table in each["tables"]]) for each in told["rounds"]]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InvalidArgument(
                f"this is no plan of a tournament ({show(error)}); give one that tournament --plan, or "
                f"to_json, wrote: {show(text)}"
            ) from None
        players = _checked_names(players)
        errors.check_count("rounds", len(read), 1, MOST_ROUNDS)
        rounds = list[Round]()
        for line, tables in read:
            seated = iter(_checked_names([player for table in tables for player in table]))
            if wrong := [table for table in tables if len(table) not in (3, 4)]:
                raise InvalidArgument(f"tables seat three or four, not {show(wrong[0])}")
            board = Board.from_notation(line, layout)
            rounds.append(Round(board, tuple(tuple(islice(seated, len(table))) for table in tables)))
        if {player for table in rounds[-1].tables for player in table} != {*players}:
            raise InvalidArgument("the last round of the plan does not seat just its players")
        met, had = repetitions(*tally(len(players), _numbered(players, rounds)))
        if len(bound) != 2:
            raise InvalidArgument(f"the bound of a plan is two numbers, not {show(bound)}")
        bound = errors.check_count("bound", bound[0], 0, met), errors.check_count("bound", bound[1], 0, had)
        changed = errors.check_count("changed", changed, 0, MOST_PLAYERS * MOST_ROUNDS)
        fewest = errors.check_count("changed_bound", fewest, 0, changed)
        models = Rules(models=models).models
        return cls(players, (*rounds,), (met, had), bound, changed, fewest, models)

    def replan(
        self,
        played: int,
        *,
        leave: Collection[Player] = (),
        join: Sequence[Player] = (),
        solver: str = "auto",
        timeout: float = TIMEOUT,
        progress: bool | Watch = False,
    ) -> Tournament:
        """Return the tournament with the rounds that are left planned anew for whoever is there now.

        Maps stay. Three numbers are minimized in this order: meetings again, counted with the played rounds;
        seats at another table than planned; and places again. The time limit may end each search before its
        minimum is found or proven. The attributes ``bound`` and ``changed_bound`` tell what is proven.

        Args:
            played: how many rounds are over, or have begun.
            leave: players who go.
            join: players who come: names, or numbers that nobody has.
            solver: as for `plan_tournament`, and so the next two.
            timeout: seconds until the best plan so far is taken.
            progress: as for `plan_tournament`.

        Raises:
            As `plan_tournament` does.
        """
        played = errors.check_count("played", played, 0, len(self.rounds) - 1)
        for given in (leave, join):
            if isinstance(given, str) or not isinstance(given, Collection):
                raise InvalidArgument(f"who leaves and who joins are lists of players, not {show(given)}")
        if unknown := [each for each in leave if each not in self.players]:
            raise InvalidArgument(f"nobody is called {show(unknown[0])} here; nobody can leave twice")
        players = _checked_names([*(each for each in self.players if each not in {*leave}), *join])
        over, left = self.rounds[:played], self.rounds[played:]
        sizes, tables = zip(*(_kept(each.tables, players) for each in left), strict=True)
        with watching(progress, "planning") as watch:
            found = make_schedule(
                sizes,
                _numbered(players, over),
                tables,
                solver=solver,
                timeout=timeout,
                models=self.models,
                watch=watch,
            )
        rounds = (*over, *_seated([each.board for each in left], found, players))
        (met, had, changed), bound = found.value, found.bound
        plan = replace(self, players=players, rounds=rounds, changed=changed, changed_bound=bound[2])
        return replace(plan, value=(met, had), bound=bound[:2])


def plan_tournament(
    players: int,
    rounds: int,
    *,
    rules: str | Rules = "tournament",
    layout: str | Layout = "base",
    seed: int | None = None,
    names: Sequence[str] | None = None,
    solver: str = "auto",
    timeout: float = TIMEOUT,
    progress: bool | Watch = False,
) -> Tournament:
    """Plan a tournament: for each round one map, the same for all tables, and tables of three and four.

    Nobody meets anybody twice where that can be, else as seldom as can be; everybody has each place of the
    order of play once where that can be, else as evenly as can be. Maps are those of the boards drawn whose
    seats have chances nearest to equal shares, different from those of other rounds on at least half of the
    tiles, however they are turned or mirrored.

    Args:
        players: how many; 3, 4, or 6 and more.
        rounds: how many; at least 1.
        rules: of the maps, as for `catan_cp.generate_board`.
        layout: of the maps.
        seed: any whole number: the same seed gives the same maps, and, where it is proven, the same schedule.
        names: the players' names; numbers from 1 where none are given.
        solver: ``auto``: Gecode, which was fastest here, where it is; or any that optimises.
        timeout: seconds until the best schedule so far is taken.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` whose ``text`` names each step.

    Raises:
        InvalidArgument: a number of players or rounds that cannot be, names that are not so many different
            ones, or too few maps that differ.
        InvalidRules, InvalidBoard: rules or a layout that cannot be.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
    """
    players = _checked_number(players)
    rounds = errors.check_count("rounds", rounds, 1, MOST_ROUNDS)
    known: tuple[Player, ...] = tuple(range(1, players + 1)) if names is None else _checked_names(names)
    if len(known) != players:
        raise InvalidArgument(f"there are {len(known)} names for {players} players; give as many")
    rules, layout = read_asked(rules, layout)
    source = errors.random_source(seed)
    sizes = _sizes(players)
    with watching(progress, "planning") as watch:
        maps = _maps(rounds, {*sizes}, rules, layout, source.getrandbits(32), watch)
        found = make_schedule(
            [sizes] * rounds, solver=solver, timeout=timeout, models=rules.models, watch=watch
        )
    made = tuple(_seated(maps, found, source.sample(known, players)))
    return Tournament(known, made, found.value[:2], found.bound[:2], models=rules.models)


# Players and tables


def _seated(maps: Sequence[Board], schedule: Schedule, players: Sequence[Player]) -> Iterator[Round]:
    """Yield the rounds of a schedule on these maps, with the players at their tables."""
    for board, tables in zip(maps, schedule.seats, strict=True):
        yield Round(board, tuple(tuple(players[each] for each in table) for table in tables))


def _numbered(players: Sequence[Player], rounds: Sequence[Round]) -> Rounds:
    """Return the seats of rounds with the numbers of these players; None for those who have left."""
    number = {player: i for i, player in enumerate(players)}
    return [[[number.get(player) for player in table] for table in each.tables] for each in rounds]


def _checked_number(players: object) -> int:
    """Return a number of players that tables of three and four can seat."""
    number = errors.check_count("players", players, 3, MOST_PLAYERS)
    if number == 5:
        raise InvalidArgument(
            "players cannot be 5: tables seat three or four, and nobody waits; 4 or 6 can, or one table on "
            "the layout base-5-6"
        )
    return number


def _checked_names(names: object) -> tuple[Player, ...]:
    """Return the names, or numbers, of players, in one form."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidArgument(f"names are a list of words, not {show(names)}")
    found: list[Player] = []
    for name in names:
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise InvalidArgument(f"a player's name is text, not {show(name)}")
        word: Player = " ".join(name.split()) if isinstance(name, str) else name
        if isinstance(word, str) and not (0 < len(word) <= _LONGEST_NAME and word.isprintable()):
            raise InvalidArgument(f"a player's name has 1 to {_LONGEST_NAME} letters; {show(name)} has not")
        if word in found:
            raise InvalidArgument(f"two players are called {show(word)}; tell them apart")
        found.append(word)
    _checked_number(len(found))
    return tuple(found)


def _sizes(players: int) -> list[int]:
    """Return how many sit at each table: as many fours as can be, then threes."""
    threes = -players % 4
    return [4] * ((players - 3 * threes) // 4) + [3] * threes


def _kept(tables: Sequence[Sequence[Player]], players: Sequence[Player]) -> tuple[list[int], list[int]]:
    """Return each table's size and each player's table, so that as many as can be stay where they were.

    The fullest tables keep their numbers' order; those that are left the most are tables of four.
    """
    sizes, number = _sizes(len(players)), {player: i for i, player in enumerate(players)}
    there = [[number[player] for player in table if player in number] for table in tables]
    there += [[] for _ in sizes]  # tables that are new
    order = sorted(sorted(range(len(there)), key=lambda t: -len(there[t]))[: len(sizes)])
    fours = {*sorted(order, key=lambda t: -len(there[t]))[: sizes.count(4)]}
    planned = [0] * len(number)
    for new, old in enumerate(order, start=1):
        for player in there[old]:
            planned[player] = new
    return [4 if old in fours else 3 for old in order], planned


# Maps


def _maps(
    n: int, sizes: set[int], rules: Rules, layout: Layout, seed: int, watch: Watch | None
) -> list[Board]:
    """Return so many maps: the evenest of those drawn of which each differs enough from those before it."""
    if watch is not None:
        watch(Progress(text=f"the evenest of {MAPS * n} maps"))
    drawn = search_seats(rules, layout, players=max(sizes), candidates=MAPS * n, seed=seed)
    boards = [each.board for each in drawn]
    if len(sizes) > 1:  # the evenest for four, and of these the evenest for both
        tables = tuple((0,) * size for size in sizes)
        boards = sorted(boards[: MAPS // 2 * n], key=lambda board: Round(board, tables).margin)
    chosen: list[Board] = []
    for board in boards:
        if all(2 * alike(board, other) <= layout.n_tiles for other in chosen):
            chosen.append(board)
            if len(chosen) == n:
                return chosen
    raise InvalidArgument(
        f"the rules and the layout {layout.name!r} gave {len(chosen)} maps that differ on half of the tiles, "
        f"and {n} rounds want one each; take fewer rounds, or rules that allow more"
    )


def alike(board: Board, other: Board) -> int:
    """Return on how many tiles two boards have the same terrain, at most, if one is turned or mirrored."""
    return max(
        sum(board.terrain[t] == other.terrain[moved[t]] for t in range(board.layout.n_tiles))
        for moved in board.layout.symmetries
    )


# The schedule

Rounds = Sequence[Sequence[Sequence[int | None]]]
"""Per round and table, the players (from 0) in the order of play; None is one who has left."""

_PART = 0.7
"""The part of the time that is left in which one number is made little, before the last one."""
_FREE = -1
_GECODE = 3
_MET, _HAD, _CHANGED = range(3)


def tally(players: int, rounds: Rounds) -> tuple[list[list[int]], list[list[int]]]:
    """Return how often each two of so many players met, and how often each had each of four places."""
    met, had = [[0] * players for _ in range(players)], [[0] * 4 for _ in range(players)]
    for table in chain.from_iterable(rounds):
        for place, player in enumerate(table):
            if player is not None:
                had[player][place] += 1
        for a, b in permutations((player for player in table if player is not None), 2):
            met[a][b] += 1
    return met, had


def repetitions(met: Sequence[Sequence[int]], had: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return how often somebody met somebody again, and how often somebody had a place again."""
    again = sum(_repeated(met[a][b]) for a, b in combinations(range(len(met)), 2))
    return again, sum(_repeated(times) for row in had for times in row)


@dataclass(frozen=True)
class Schedule:
    """A plan of rounds.

    Attributes:
        seats: per round and table, the players in the order of play.
        value: how often two meet again, how often a player has a place again (both with what was played
            before), and how often somebody sits at another table than planned.
        bound: no plan has less of each; of the third, none that has as little of the first.
    """

    seats: tuple[tuple[tuple[int, ...], ...], ...]
    value: tuple[int, int, int]
    bound: tuple[int, int, int]


def make_schedule(
    sizes: Sequence[Sequence[int]],
    before: Rounds = (),
    planned: Sequence[Sequence[int]] | None = None,
    *,
    solver: str = "auto",
    timeout: float = 10.0,
    models: str | None = None,
    watch: Watch | None = None,
) -> Schedule:
    """Return the best plan that is found in *timeout* seconds, whole or not proven.

    Args:
        sizes: per round, the players at each table: 3 or 4.
        before: what was played.
        planned: per round and player, the table of an older plan (from 1), 0 where there is none.
        solver: any that optimises; ``auto`` is Gecode, whose restarts find plans soonest, where it is.
        timeout: seconds.
        models: the folder of edited models, if there is one.
        watch: called with the progress at each step.

    Raises:
        SolverTimeout: there was no plan yet.
        SolverNotFound, SolverFailed: as their names say.
    """
    found = None
    with suppress(SolverNotFound):
        found = find.find_solver("gecode") if solver == "auto" else None
    used, players = found or find.find_solver(solver), sum(sizes[0])
    clock = Clock(errors.check_number("timeout in seconds", timeout, 0))
    nowhere = [[0] * players] * len(sizes)
    met, had = tally(players, before)
    data = {
        "players": players, "rounds": len(sizes), "tables": len(sizes[0]), "size": sizes,
        "met_before": met, "had_before": had, "planned": planned or nowhere, "given": nowhere,
        "fresh": planned is None and not any(map(any, had)), "search": used.backend.random_search,
    }  # fmt: skip
    changes = 0 if planned is None else _fewest_changes(sizes, planned)
    least = _fewest_meetings(sizes, met), _fewest_places(sizes, had), changes
    row, bound, most = list[int](), [*least], [_FREE] * 3
    for wanted in (_MET, _HAD) if planned is None else (_MET, _CHANGED, _HAD):
        if watch is not None:
            fewest = ("meetings again", "places again", "changes")[wanted]
            watch(Progress(text=f"who sits where: as few {fewest} as can be"))
        part = _PART
        if wanted == _HAD:
            part, data["given"] = 1.0, [row[3 + r * players :][:players] for r in range(len(sizes))]
        data |= {"wanted": wanted + 1, "least": least[wanted]}
        for limit, share in ((least[wanted], part / 2), (_FREE, part)):  # first to reach the bound
            most[wanted] = limit
            better, proven = _best(data | {"most": most}, models, used, clock, share)
            if better:
                row = better
                break
        if not row:
            raise SolverTimeout(f"no plan was found in {timeout:g} s; allow more time")
        most[wanted] = row[wanted]
        if better and proven and wanted != _HAD:
            bound[wanted] = row[wanted]
    return _read(row, sizes, before, bound, used.name)


def _best(
    data: dict[str, Any], models: str | None, solver: find.FoundSolver, clock: Clock, part: float
) -> tuple[list[int], bool]:
    """Return the best solution in *part* of the time that is left, [] for none; and whether it is proven."""
    from catan_cp.solving import binding
    from catan_cp.solving.compiling import Task

    found = list[int]()
    with suppress(SolverTimeout):
        own = Clock(part * (clock.left() or 0.0))
        task, free = Task("schedule", data, models=models), data["search"] != _GECODE
        with closing(binding.answers(task, solver, own.left, seed=0, free=free)) as rows:
            for row in rows:
                if row is None:
                    return found, True
                found = row
                if found[data["wanted"] - 1] == data["least"]:
                    return found, True
    return found, False


def _read(
    row: Sequence[int], sizes: Sequence[Sequence[int]], before: Rounds, bound: Sequence[int], solver: str
) -> Schedule:
    """Return the plan of a solution, once our own reading of it agrees.

    Raises:
        SolverFailed: a seat is empty or taken twice, or the solution counts otherwise.
    """
    players, rounds = sum(sizes[0]), []
    for size, tables, places in zip(sizes, *np.reshape(row[3:], (2, -1, players)).tolist(), strict=True):
        taken = {spot: player for player, spot in enumerate(zip(tables, places, strict=True))}
        spots = [[(table, place) for place in range(1, n + 1)] for table, n in enumerate(size, start=1)]
        if taken.keys() != {*chain.from_iterable(spots)}:
            raise SolverFailed(f"{solver} made a plan with an empty seat: {list(row)}")
        rounds.append(tuple(tuple(taken[spot] for spot in table) for table in spots))
    counted = repetitions(*tally(players, [*before, *rounds]))
    if counted != (row[0], row[1]):
        raise SolverFailed(
            f"{solver} counts repetitions {row[0]} and {row[1]}, and we {counted}; "
            "try another solver, and please report this"
        )
    return Schedule(tuple(rounds), (row[0], row[1], row[2]), (bound[0], bound[1], bound[2]))


# Bounds from below


def _repeated(times: int) -> int:
    return times * (times - 1) // 2


def _evenly(total: int, parts: int) -> int:
    """The fewest repetitions when so many things happen to so many."""
    each, more = divmod(total, parts)
    return (parts - more) * _repeated(each) + more * _repeated(each + 1)


def _fewest_meetings(sizes: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> int:
    """Return a bound from below for meetings again: the larger of two.

    The next meeting of a pair that met n times is n repetitions, so the cheapest ones are taken. And two
    rounds have in common at least the pairs of each table of the one that any way to spread it over the
    tables of the other leaves together.
    """
    met = [before[a][b] for a, b in combinations(range(len(before)), 2)]
    total = sum(size * (size - 1) // 2 for row in sizes for size in row)
    costs = sorted(times + more for times in met for more in range(len(sizes)))
    common = sum(_evenly(size, len(row)) for row, _ in combinations(sizes, 2) for size in row)
    return sum(map(_repeated, met)) + max(sum(costs[:total]), common)


def _fewest_changes(sizes: Sequence[Sequence[int]], planned: Sequence[Sequence[int]]) -> int:
    """Return a bound from below for changes: the players who are planned at a table beyond its size."""
    return sum(
        max(0, tables.count(table) - size)
        for row, tables in zip(sizes, planned, strict=True)
        for table, size in enumerate(row, start=1)
    )


def _fewest_places(sizes: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> int:
    """Return a bound from below for places again.

    A player who has place 4 in x rounds has the other places in the rest, the rarest first. What one more
    round in place 4 costs grows with x, so the places 4 that there are go to whom they cost least.
    """
    rounds = len(sizes)
    fourths = sum(size == 4 for row in sizes for size in row)
    total, costs = 0, list[int]()
    for *others, fourth in before:
        rest = sorted(times + more for times in others for more in range(rounds))
        least = [sum(fourth + more for more in range(x)) + sum(rest[: rounds - x]) for x in range(rounds + 1)]
        total += least[0] + sum(_repeated(times) for times in (*others, fourth))
        costs += [after - now for now, after in pairwise(least)]
    return total + sum(sorted(costs)[:fourths])
