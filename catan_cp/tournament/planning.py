"""A tournament: its rounds, each with one even map for all tables and who sits where, and late changes.

>>> tournament = plan_tournament(16, 4, seed=1)
>>> [len(round.tables) for round in tournament.rounds], tournament.value
([4, 4, 4, 4], (0, 0))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, check_count, random_source, show
from catan_cp.placement import solve_placement, win_chances
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.terminal import aligned
from catan_cp.tournament.schedule import History, Schedule, make_schedule
from catan_cp.tournament.seats import Chances, search_seats

Player = str | int
Progress = Callable[[str], None]

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
        return {size: _chances(self.board, size) for size in sorted({*map(len, self.tables)})}

    @property
    def margin(self) -> float:
        """By how many points of a hundred no seat's chance differs from an equal share of its table."""
        return _margin(self.chances)


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
        models: the folder of edited models that the schedule keeps to, if there is one.
    """

    players: tuple[Player, ...]
    rounds: tuple[Round, ...]
    value: tuple[int, int]
    bound: tuple[int, int]
    changed: int = 0
    models: str | None = None

    @property
    def proven(self) -> bool:
        """Whether no schedule is better."""
        return self.value == self.bound

    @property
    def margin(self) -> float:
        """By how many points of a hundred no seat's chance differs from an equal share, in any round."""
        return max(each.margin for each in self.rounds)

    def explain(self) -> list[str]:
        """Return in plain English what the schedule is worth, and how even the maps are."""
        met, had = self.value
        words = (
            ("nobody meets anybody twice", "players meet again", met, self.bound[0]),
            ("everybody has each place at most once", "players have a place again", had, self.bound[1]),
        )
        said = [
            f"{none}." if not value else f"{some} {value} times; {_best(value, bound)}."
            for none, some, value, bound in words
        ]
        said = [line[0].upper() + line[1:] for line in said]
        if self.changed:
            said.append(f"Against the plan before, players change table {self.changed} times.")
        return [*said, f"No seat's chance to win is more than {self.margin:.1f} points off an equal share."]

    def table(self) -> str:
        """Return the schedule as plain text."""
        lines = list[str]()
        for number, each in enumerate(self.rounds, start=1):
            seats = [(f"table {t}", *map(str, table)) for t, table in enumerate(each.tables, start=1)]
            width = max(map(len, seats))
            rows = [("", *(f"place {k}" for k in range(1, width)))] + [
                (*row, *[""] * (width - len(row))) for row in seats
            ]
            lines += [f"round {number}: {each.board.notation()}", *aligned(rows, width), ""]
        return "\n".join([*lines, *self.explain()])

    __str__ = table

    def to_json(self) -> str:
        """Return the plan as a JSON object, which `from_json` reads back, without the folder of models."""
        rounds = [{"map": each.board.notation(), "tables": each.tables} for each in self.rounds]
        value = {"players": self.players, "rounds": rounds, "bound": self.bound, "changed": self.changed}
        return json.dumps(value, ensure_ascii=False)

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
            read = [(each["map"], [(*table,) for table in each["tables"]]) for each in told["rounds"]]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InvalidArgument(
                f"this is no plan of a tournament ({error}); give one that tournament --plan, or to_json, "
                f"wrote: {show(text)}"
            ) from None
        players = _checked_names(players)
        check_count("rounds", len(read), 1, MOST_ROUNDS)
        rounds = list[Round]()
        for line, tables in read:
            seated = iter(_checked_names([player for table in tables for player in table]))
            if wrong := [table for table in tables if len(table) not in (3, 4)]:
                raise InvalidArgument(f"tables seat three or four, not {show(wrong[0])}")
            board = Board.from_notation(line, layout)
            rounds.append(Round(board, tuple(tuple(islice(seated, len(table))) for table in tables)))
        if {player for table in rounds[-1].tables for player in table} != {*players}:
            raise InvalidArgument("the last round of the plan does not seat just its players")
        met, had = _history(players, rounds).value
        if len(bound) != 2:
            raise InvalidArgument(f"the bound of a plan is two numbers, not {show(bound)}")
        bound = check_count("bound", bound[0], 0, met), check_count("bound", bound[1], 0, had)
        changed = check_count("changed", changed, 0, MOST_PLAYERS * MOST_ROUNDS)
        return cls(players, (*rounds,), (met, had), bound, changed, Rules(models=models).models)

    def replan(
        self,
        played: int,
        *,
        leave: Collection[Player] = (),
        join: Sequence[Player] = (),
        solver: str = "auto",
        timeout: float = TIMEOUT,
        progress: Progress | None = None,
    ) -> Tournament:
        """Return the tournament with the rounds that are left planned anew for whoever is there now.

        Maps stay. First of all, players meet again as seldom as can be, with what was played counted; then as
        few as can be sit at another table than planned; then places come again as seldom as can be.

        Args:
            played: how many rounds are over, or have begun.
            leave: players who go.
            join: players who come: names, or numbers that nobody has.
            solver: as for `plan_tournament`, and so the next two.
            timeout: seconds until the best plan so far is taken.
            progress: told in words what is being done.

        Raises:
            As `plan_tournament` does.
        """
        played = check_count("played", played, 0, len(self.rounds) - 1)
        if unknown := [each for each in leave if each not in self.players]:
            raise InvalidArgument(f"nobody is called {show(unknown[0])} here; nobody can leave twice")
        players = _checked_names([*(each for each in self.players if each not in {*leave}), *join])
        left = self.rounds[played:]
        planned = [_kept(each.tables, players) for each in left]
        found = make_schedule(
            [sizes for sizes, _ in planned],
            _history(players, self.rounds[:played]),
            [tables for _, tables in planned],
            solver=solver,
            timeout=timeout,
            models=self.models,
            progress=progress,
        )
        rounds = [
            Round(each.board, tables) for each, tables in zip(left, _named(found, players), strict=True)
        ]
        return replace(
            self,
            players=players,
            rounds=(*self.rounds[:played], *rounds),
            value=found.value[:2],
            bound=found.bound[:2],
            changed=found.value[2],
        )


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
    progress: Progress | None = None,
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
        progress: told in words what is being done.

    Raises:
        InvalidArgument: a number of players or rounds that cannot be, names that are not so many different
            ones, or too few maps that differ.
        InvalidRules, InvalidBoard: rules or a layout that cannot be.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
    """
    players = _checked_number(players)
    rounds = check_count("rounds", rounds, 1, MOST_ROUNDS)
    known: tuple[Player, ...] = tuple(range(1, players + 1)) if names is None else _checked_names(names)
    if len(known) != players:
        raise InvalidArgument(f"there are {len(known)} names for {players} players; give as many")
    rules, layout = read_asked(rules, layout)
    source = random_source(seed)
    sizes = _sizes(players)
    maps = _maps(rounds, {*sizes}, rules, layout, source.getrandbits(32), progress)
    found = make_schedule(
        [sizes] * rounds,
        History.none(players),
        solver=solver,
        timeout=timeout,
        models=rules.models,
        progress=progress,
    )
    shuffled = source.sample(known, players)
    seated = zip(maps, _named(found, shuffled), strict=True)
    made = tuple(Round(board, tables) for board, tables in seated)
    return Tournament(known, made, found.value[:2], found.bound[:2], models=rules.models)


def _best(value: int, bound: int) -> str:
    sure = "no schedule does better"
    return sure if value == bound else f"no schedule has fewer than {bound}, and this is the best found"


def _named(schedule: Schedule, players: Sequence[Player]) -> Iterator[tuple[tuple[Player, ...], ...]]:
    for tables in schedule.seats:
        yield tuple(tuple(players[each] for each in table) for table in tables)


# Players and tables


def _history(players: Sequence[Player], rounds: Sequence[Round]) -> History:
    """Return what rounds were to these players; others who sat there have left."""
    number = {player: i for i, player in enumerate(players)}
    found = History.none(len(players))
    for each in rounds:
        found.add([[number.get(player) for player in table] for table in each.tables])
    return found


def _checked_number(players: object) -> int:
    """Return a number of players that tables of three and four can seat."""
    number = check_count("players", players, 3, MOST_PLAYERS)
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
    full = sorted(range(len(there)), key=lambda t: (-len(there[t]), t))[: len(sizes)]
    order = sorted(full) + [len(there) + t for t in range(len(sizes) - len(full))]
    fours = {*sorted(order, key=lambda t: -len(there[t]) if t < len(there) else 0)[: sizes.count(4)]}
    planned = [0] * len(number)
    for new, old in enumerate(order, start=1):
        for player in there[old] if old < len(there) else ():
            planned[player] = new
    return [4 if old in fours else 3 for old in order], planned


# Maps


def _maps(
    n: int, sizes: set[int], rules: Rules, layout: Layout, seed: int, progress: Progress | None
) -> list[Board]:
    """Return so many maps: the evenest of those drawn of which each differs enough from those before it."""
    most = max(sizes)

    if progress is not None:
        progress(f"the evenest of {MAPS * n} maps")
    drawn = search_seats(rules, layout, players=most, candidates=MAPS * n, seed=seed)
    boards = [each.board for each in drawn]
    if len(sizes) > 1:  # the evenest for four, and of these the evenest for both
        best = boards[: MAPS // 2 * n]
        boards = sorted(best, key=lambda board: _margin({size: _chances(board, size) for size in sizes}))
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


def _chances(board: Board, players: int) -> Chances:
    return win_chances(board, solve_placement(board, players).settlements)


def _margin(chances: Mapping[int, Chances]) -> float:
    """By how many points of a hundred no seat's chance differs from an equal share."""
    return max(abs(100 * chance - 100 / size) for size, each in chances.items() for chance in each)
