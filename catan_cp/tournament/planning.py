"""Tournament plans: one even map per round, a schedule of seats, and late changes.

``models/schedule.mzn`` assigns each player a table and a place in each round. A place is a position in the
order of play. The model minimizes three numbers in this order: repeated meetings of two players, changes of
table against an earlier plan, and repeated places of a player. An event that happens n times counts
n * (n - 1) / 2 repetitions. This module computes lower bounds without a solver. A plan is proven to be
optimal if it reaches its bounds, or if the solver proves it.

>>> plan = make_schedule([[4] * 4] * 4)
>>> plan.value, plan.bound
((0, 0, 0), (0, 0, 0))
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice, pairwise, permutations, product
from operator import itemgetter
from typing import Any

import numpy as np

from catan_cp import errors
from catan_cp.analysis.seats import CLAIM, GAMES, MARGIN, SeatCheck, check_seats, judged, seat_targets
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import InvalidArgument, SolverFailed, SolverNotFound, SolverTimeout, amount, show
from catan_cp.placement.chances import check_measured
from catan_cp.placement.checks import checked_board
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.search.generate import generate_boards
from catan_cp.solving import find
from catan_cp.terminal import Brief, aligned, html_table, html_text

Player = str | int

MOST_PLAYERS = 80
"""Maximum number of players, beyond which solvers take too long."""
MOST_ROUNDS = 12
MAPS = 5000
"""Maximum number of candidate boards for the map of each round."""
MAP_SECONDS = 50.0
"""Time limit in seconds for the map of each round."""
TIMEOUT = 20.0
"""Default time limit of a schedule in seconds."""

_LONGEST_NAME = 40


@dataclass(frozen=True)
class Round:
    """Round of a tournament.

    Attributes:
        board: the map of all tables.
        tables: the players of each table in the order of play.
    """

    board: Board
    tables: tuple[tuple[Player, ...], ...]

    @cached_property
    def checks(self) -> Mapping[int, SeatCheck]:
        """The results of `catan_cp.check_seats` by number of players at a table."""
        return {n: check_seats(self.board, n) for n in sorted({*map(len, self.tables)})}

    @property
    def margin(self) -> float:
        """Largest `SeatCheck.margin` of its tables, in percentage points."""
        return max(check.margin for check in self.checks.values())


@dataclass(frozen=True, repr=False)
class Tournament(Brief):
    """Plan of a tournament, made by `plan_tournament`.

    Attributes:
        players: the players' names or numbers from 1.
        rounds: the rounds.
        value: the numbers of repeated meetings and of repeated places. An event that happens n times counts
            n * (n - 1) / 2.
        bound: lower bounds of both numbers for all schedules of these players and rounds.
        changed: after a late change, the number of seats at another table than in the earlier plan.
        changed_bound: a lower bound of *changed* for plans with the same number of repeated meetings. It
            equals *changed* if *changed* is proven to be the minimum.
        models: the folder of edited models that the schedule follows, if any.
        apart: pairs of players who never share a table.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.sample_boards(1, "tournament", seed=1)
        >>> tournament = plan_tournament(8, 1, maps=list(board))
        >>> tournament.value, tournament.bound
        ((0, 0), (0, 0))
    """

    players: tuple[Player, ...]
    rounds: tuple[Round, ...]
    value: tuple[int, int]
    bound: tuple[int, int]
    changed: int = 0
    changed_bound: int = 0
    models: str | None = None
    apart: tuple[tuple[Player, Player], ...] = ()

    @property
    def proven(self) -> bool:
        """True if the schedule is proven to be optimal."""
        return self.value == self.bound and self.changed == self.changed_bound

    @property
    def margin(self) -> float:
        """Largest `Round.margin` of all rounds, in percentage points."""
        return max(round_.margin for round_ in self.rounds)

    def explain(self) -> list[str]:
        """Return sentences on the quality of the schedule and the evenness of the maps."""
        sentences = []
        meetings = ("Nobody meets anybody twice", "Players meet again")
        places = ("Everybody has each place at most once", "Players have a place again")
        for value, bound, (never, again) in zip(self.value, self.bound, (meetings, places), strict=True):
            proof = "no schedule does better"
            if value != bound:
                proof = f"no schedule has fewer than {bound}, and this is the best found"
            sentences.append(f"{again} {amount(value, 'time')}; {proof}." if value else f"{never}.")
        if self.changed:
            proof = "no plan with as few meetings again has fewer changes"
            if self.changed != self.changed_bound:
                proof = f"not proven to be the minimum, which is at least {self.changed_bound}"
            sentences.append(
                f"Players change table {amount(self.changed, 'time')} against the earlier plan; {proof}."
            )
        return [*sentences, *self._evenness()]

    def _evenness(self) -> Iterator[str]:
        """Yield sentences on the seats of the maps."""
        numbered = [(k, check) for k, part in enumerate(self.rounds, 1) for check in part.checks.values()]
        most = f"more than {self.margin:.1f} points above or below an equal share"
        if any(check.wins is None for _, check in numbered):
            yield f"Estimated, not played: no seat's chance to win is {most}."
            return
        for number, check in numbered:
            if not check.is_even:
                yield f"The map of round {number} is not even. {check.verdict}."
        if all(check.is_even for _, check in numbered):
            yield f"All maps are even: in {GAMES:,} games on each, no seat won {most}."
        yield CLAIM.replace("\n", " ")

    def table(self) -> str:
        """Return the schedule as plain text."""
        lines = list[str]()
        for title, rows in self._seats():
            lines += [title, *aligned(rows, len(rows[0])), ""]
        return "\n".join([*lines, *self.explain()])

    def _seats(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Yield the title and the table of each round."""
        for number, round_ in enumerate(self.rounds, start=1):
            seats = [(f"table {t}", *map(str, table)) for t, table in enumerate(round_.tables, start=1)]
            width = max(map(len, seats))
            rows = [("", *(f"place {k}" for k in range(1, width))), *seats]
            yield (
                f"round {number}: {round_.board.notation()}",
                [(*row, *[""] * (width - len(row))) for row in rows],
            )

    __str__ = table

    def _repr_html_(self) -> str:
        rounds = (html_table(rows[1:], rows[0], title) for title, rows in self._seats())
        return "".join(rounds) + "".join(f"<div>{html_text(text)}</div>" for text in self.explain())

    def to_json(self) -> str:
        """Return the plan as a JSON object for `from_json`, without the folder of models."""
        rounds = [{"map": round_.board.notation(), "tables": round_.tables} for round_ in self.rounds]
        value = {"players": self.players, "rounds": rounds, "bound": self.bound, "changed": self.changed}
        value |= {"changed_bound": self.changed_bound, "apart": self.apart}
        return json.dumps(value, ensure_ascii=False)

    @classmethod
    def from_json(
        cls, text: str, layout: str | Layout | None = None, *, models: str | None = None
    ) -> Tournament:
        """Read a plan from the JSON that `to_json` writes.

        Args:
            text: the JSON.
            layout: the layout of the maps, required for a custom layout.
            models: the folder of edited models for late changes, if any.

        Raises:
            InvalidArgument: *text* is not a plan. The message has the reason.
            InvalidBoard: a map is not a board.
        """
        try:
            plan = json.loads(text)
            players, bound, changed = plan["players"], (*plan["bound"],), plan["changed"]
            changed_bound, apart = plan["changed_bound"], plan.get("apart", [])
            entries = [(entry["map"], [(*table,) for table in entry["tables"]]) for entry in plan["rounds"]]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InvalidArgument(
                f"this is not a plan of a tournament ({show(error)}); use the output of tournament --plan or "
                f"to_json, not {show(text)}"
            ) from None
        players = checked_names(players)
        errors.check_count("rounds", len(entries), 1, MOST_ROUNDS)
        rounds = list[Round]()
        for line, tables in entries:
            seated = iter(checked_names([player for table in tables for player in table]))
            if wrong := [table for table in tables if len(table) not in (3, 4)]:
                raise InvalidArgument(f"tables must seat three or four players, not {show(wrong[0])}")
            board = Board.from_notation(line, layout)
            rounds.append(Round(board, tuple(tuple(islice(seated, len(table))) for table in tables)))
        if {player for table in rounds[-1].tables for player in table} != {*players}:
            raise InvalidArgument("the last round of the plan must seat exactly its players")
        met, had = repetitions(*tally(len(players), _numbered(players, rounds)))
        if len(bound) != 2:
            raise InvalidArgument(f"the bound of a plan must be two numbers, not {show(bound)}")
        bound = errors.check_count("bound", bound[0], 0, met), errors.check_count("bound", bound[1], 0, had)
        changed = errors.check_count("changed", changed, 0, MOST_PLAYERS * MOST_ROUNDS)
        changed_bound = errors.check_count("changed_bound", changed_bound, 0, changed)
        models, apart = Rules(models=models).models, _checked_pairs(apart, players)
        return cls(players, (*rounds,), (met, had), bound, changed, changed_bound, models, apart)

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
        """Return the tournament with a new plan of the remaining rounds.

        The maps stay the same. Three numbers are minimized in this order: repeated meetings (including those
        of the played rounds), seats at another table than planned, and repeated places. The time limit may
        end each search before its minimum is found or proven. A number is proven to be the minimum if it
        equals its bound in ``bound`` or ``changed_bound``.

        Args:
            played: the number of rounds that are over or have begun.
            leave: players who leave.
            join: players who join, as new names or numbers.
            solver: as in `plan_tournament`.
            timeout: as in `plan_tournament`.
            progress: as in `plan_tournament`.

        Raises:
            CatanError: as `plan_tournament` raises.
        """
        played = errors.check_count("played", played, 0, len(self.rounds) - 1)
        for name, value in (("leave", leave), ("join", join)):
            if isinstance(value, str) or not isinstance(value, Collection):
                raise InvalidArgument(f"{name} must be a list of players, not {show(value)}")
        if unknown := [player for player in leave if player not in self.players]:
            raise InvalidArgument(f"no player is called {show(unknown[0])}; a player can leave once")
        staying = [player for player in self.players if player not in {*leave}]
        players = checked_names([*staying, *join])
        apart = tuple(pair for pair in self.apart if {*pair} <= {*players})
        over, remaining = self.rounds[:played], self.rounds[played:]
        sizes, tables = zip(*(_replanned(round_.tables, players) for round_ in remaining), strict=True)
        with watching(progress, "planning") as watch:
            schedule = make_schedule(
                sizes,
                _numbered(players, over),
                tables,
                [(players.index(a), players.index(b)) for a, b in apart],
                solver=solver,
                timeout=timeout,
                models=self.models,
                watch=watch,
            )
        rounds = (*over, *_seated([round_.board for round_ in remaining], schedule, players))
        (met, had, changed), bound = schedule.value, schedule.bound
        plan = replace(self, players=players, rounds=rounds, changed=changed, changed_bound=bound[2])
        return replace(plan, value=(met, had), bound=bound[:2], apart=apart)


def plan_tournament(
    players: int,
    rounds: int,
    *,
    rules: str | Rules = "tournament",
    layout: str | Layout = "base",
    seed: int | None = None,
    names: Sequence[str] | None = None,
    apart: Sequence[Sequence[Player]] = (),
    maps: Sequence[Board] = (),
    solver: str = "auto",
    timeout: float = TIMEOUT,
    progress: bool | Watch = False,
) -> Tournament:
    """Plan a tournament with tables of three and four players and one map per round.

    The schedule minimizes repeated meetings of two players first, and repeated places in the order of play
    second. The maps are sampled boards that are even by `catan_cp.check_seats` for all sizes of tables. Maps
    of different rounds differ on at least half of their tiles under every symmetry.

    Args:
        players: the number of players: 3, 4, or at least 6.
        rounds: the number of rounds, at least 1.
        rules: the rules of the maps, as in `catan_cp.generate_board`.
        layout: the layout of the maps.
        seed: any whole number. The same seed gives the same maps, and the same schedule if it is proven
            optimal.
        names: the players' names. The default is numbers from 1.
        apart: pairs of players, such as friends, who never share a table.
        maps: the map of each round. By default even maps are searched for at most `MAP_SECONDS` per round.
        solver: any solver that optimises. ``auto`` means Gecode if installed, the fastest in measurements.
        timeout: the time limit of the schedule in seconds, after which the best schedule so far is used.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` whose ``text`` names each step.

    Raises:
        InvalidArgument: the number of players or rounds is impossible, *names* are not distinct or not one
            per player, no schedule keeps *apart* apart, or too few maps differ enough.
        InvalidRules, InvalidBoard: the rules or the layout are invalid.
        Infeasible: no board satisfies the rules.
        SolverNotFound, SolverTimeout, SolverFailed: the solver is missing, too slow, or faulty. Or too few
            even maps were found in time.

    Example:
        >>> import catan_cp
        >>> tournament = plan_tournament(8, 2, maps=list(catan_cp.sample_boards(2, "tournament", seed=1)))
        >>> len(tournament.rounds)
        2
    """
    players = _checked_number(players)
    rounds = errors.check_count("rounds", rounds, 1, MOST_ROUNDS)
    known: tuple[Player, ...] = tuple(range(1, players + 1)) if names is None else checked_names(names)
    if len(known) != players:
        raise InvalidArgument(f"names must be one per player, {players} in all, not {len(known)}")
    pairs = _checked_pairs(apart, known)
    errors.check_number("timeout in seconds", timeout, 0)  # before the search for maps
    if solver != "auto":
        find.find_solver(solver)
    rules, layout = read_asked(rules, layout)
    source = errors.random_source(seed)
    sizes = _sizes(players)
    with watching(progress, "planning") as watch:
        map_seed = source.getrandbits(32)
        boards = checked_maps(maps, rounds, {*sizes})
        boards = boards or make_maps(rounds, {*sizes}, rules, layout, map_seed, watch)
        options: Any = {"solver": solver, "timeout": timeout, "models": rules.models, "watch": watch}
        schedule, order = make_schedule([sizes] * rounds, **options), source.sample(known, players)
        if not _separate(order, pairs, schedule):  # plan with the pairs instead
            numbers = [(order.index(a), order.index(b)) for a, b in pairs]
            schedule = make_schedule([sizes] * rounds, apart=numbers, **options)
    seated = tuple(_seated(boards, schedule, order))
    return Tournament(known, seated, schedule.value[:2], schedule.bound[:2], models=rules.models, apart=pairs)


# Players and tables


def _seated(maps: Sequence[Board], schedule: Schedule, players: Sequence[Player]) -> Iterator[Round]:
    """Yield the rounds of a schedule on these maps, with the players at their tables."""
    for board, tables in zip(maps, schedule.seats, strict=True):
        yield Round(board, tuple(tuple(players[number] for number in table) for table in tables))


def _separate(order: list[Player], pairs: Sequence[Sequence[Player]], schedule: Schedule) -> bool:
    """Swap players in *order* until no pair shares a table, and return True if that succeeds."""
    met, _ = tally(len(order), schedule.seats)

    def shared() -> list[tuple[int, int]]:
        numbers = {player: i for i, player in enumerate(order)}
        return [(numbers[a], numbers[b]) for a, b in pairs if met[numbers[a]][numbers[b]]]

    while before := shared():
        for a, b in product({*chain.from_iterable(before)}, range(len(order))):
            order[a], order[b] = order[b], order[a]
            if len(shared()) < len(before):
                break
            order[a], order[b] = order[b], order[a]
        else:
            return False
    return True


def _numbered(players: Sequence[Player], rounds: Sequence[Round]) -> Rounds:
    """Return rounds with each player as a number from 0, or None for a player who has left."""
    number = {player: i for i, player in enumerate(players)}
    return [[[number.get(player) for player in table] for table in round_.tables] for round_ in rounds]


def _checked_number(players: object) -> int:
    """Return a number of players that tables of three and four can seat."""
    number = errors.check_count("players", players, 3, MOST_PLAYERS)
    if number == 5:
        raise InvalidArgument(
            "players must not be 5, because tables seat three or four; plan for 4 or 6, or play at one table "
            "on the layout base-5-6"
        )
    return number


def checked_names(names: object) -> tuple[Player, ...]:
    """Return the names or numbers of players without extra spaces."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidArgument(f"names must be a list of words, not {show(names)}")
    checked: list[Player] = []
    for name in names:
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise InvalidArgument(f"a player's name must be text, not {show(name)}")
        word: Player = " ".join(name.split()) if isinstance(name, str) else name
        if isinstance(word, str) and not (0 < len(word) <= _LONGEST_NAME and word.isprintable()):
            raise InvalidArgument(f"a player's name must have 1 to {_LONGEST_NAME} letters, not {show(name)}")
        if word in checked:
            raise InvalidArgument(f"two players are called {show(word)}; use different names")
        checked.append(word)
    _checked_number(len(checked))
    return tuple(checked)


def _checked_pairs(pairs: object, players: Sequence[Player]) -> tuple[tuple[Player, Player], ...]:
    """Return pairs of different players."""
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InvalidArgument(f"apart must be a list of pairs of players, not {show(pairs)}")
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2 or pair[0] == pair[1]:
            raise InvalidArgument(f"apart must have pairs of two different players, not {show(pair)}")
        if unknown := [player for player in pair if player not in players]:
            raise InvalidArgument(f"apart names {show(unknown[0])}, but no player is called so")
    return tuple((a, b) for a, b in pairs)


def _sizes(players: int) -> list[int]:
    """Return the sizes of tables: the maximum number of fours, then threes."""
    threes = -players % 4
    return [4] * ((players - 3 * threes) // 4) + [3] * threes


def _replanned(tables: Sequence[Sequence[Player]], players: Sequence[Player]) -> tuple[list[int], list[int]]:
    """Return the size of each table and each player's planned table, for the fewest changes.

    The fullest of the earlier tables are kept, in the same order. The fullest of the kept tables become
    tables of four. Tables are numbered from 1. A player without a kept table has 0.
    """
    sizes, number = _sizes(len(players)), {player: i for i, player in enumerate(players)}
    present = [[number[player] for player in table if player in number] for table in tables]
    present += [[] for _ in sizes]  # new tables
    order = sorted(sorted(range(len(present)), key=lambda t: -len(present[t]))[: len(sizes)])
    fours = {*sorted(order, key=lambda t: -len(present[t]))[: sizes.count(4)]}
    planned = [0] * len(number)
    for new, old in enumerate(order, start=1):
        for player in present[old]:
            planned[player] = new
    return [4 if old in fours else 3 for old in order], planned


# Maps


def checked_maps(maps: object, rounds: int, sizes: set[int]) -> list[Board]:
    """Return the maps, one per round or none, after a check that games have measured their chances."""
    if not isinstance(maps, Sequence) or not all(isinstance(board, Board) for board in maps):
        raise InvalidArgument(f"maps must be a list of Boards, one per round, not {show(maps)}")
    if maps and len(maps) != rounds:
        raise InvalidArgument(f"maps must be one board per round, {rounds} in all, not {len(maps)}")
    for board in maps:
        for size in sizes:
            check_measured(checked_board(board), size)
    return list(maps)


def make_maps(
    n: int, sizes: set[int], rules: Rules, layout: Layout, seed: int, watch: Watch | None = None
) -> list[Board]:
    """Return *n* maps that are even for all sizes of tables and differ enough from each other.

    If games cannot be played, the maps are the candidates whose estimated chances are the most even.

    Raises:
        InvalidArgument: the rules allow too few maps that differ enough.
        SolverTimeout: too few even maps were found in time.
    """
    targets, limit = {size: seat_targets(size) for size in sizes}, MAP_SECONDS * n
    samples = generate_boards(MAPS * n, rules, layout, seed=seed)
    chosen, estimated, tried = list[Board](), list[tuple[float, Board]](), 0

    def take(board: Board) -> bool:
        """Add a map if it differs from the chosen ones, and return True if all are chosen."""
        if all(2 * alike(board, other) <= layout.n_tiles for other in chosen):
            chosen.append(board)
        return len(chosen) == n

    with closing(judged(samples, targets, Clock(None), limit=limit)) as candidates:
        for tried, checks in enumerate(candidates, start=1):
            if watch is not None:
                watch(Progress(tried, unit="boards", text=f"{len(chosen)} of {amount(n, 'even map')}"))
            if checks[-1].wins is None:
                estimated.append((max(check.margin for check in checks), checks[-1].board))
            elif checks[-1].margin <= MARGIN and take(checks[-1].board):
                return chosen
    for _, board in sorted(estimated, key=itemgetter(0)):
        if take(board):
            return chosen
    kind, error = ("a", InvalidArgument) if estimated else ("an even", SolverTimeout)
    spent = "" if estimated else f", played in at most {limit:g} s,"
    raise error(
        f"each of {amount(n, 'round')} needs {kind} map that differs on half of the tiles, but "
        f"{amount(tried, 'board')} of {layout.name!r}{spent} have {len(chosen)}; play fewer rounds, choose "
        "another seed or other rules, or name maps"
    )


def alike(board: Board, other: Board) -> int:
    """Return the maximum number of tiles with equal terrain, over all symmetries of one board."""
    return max(
        sum(board.terrain[t] == other.terrain[moved[t]] for t in range(board.layout.n_tiles))
        for moved in board.layout.symmetries
    )


# The schedule

Rounds = Sequence[Sequence[Sequence[int | None]]]
"""Players, numbered from 0, at each table of each round, in the order of play.

None is a player who left.
"""

_PART = 0.7
"""Share of the remaining time for the minimization of each number except the last."""
_FREE = -1  # the limit of a number without a limit
_GECODE = 3  # the number of Gecode's search in the model
_MET, _HAD, _CHANGED = range(3)  # the minimized numbers: meetings, places, changes of table


def tally(players: int, rounds: Rounds) -> tuple[list[list[int]], list[list[int]]]:
    """Count the meetings of each pair of players, and the places of each player.

    Returns:
        ``met[a][b]`` is the number of meetings of two players. ``had[player][place]`` is the number of rounds
        of a player in a place.
    """
    met, had = [[0] * players for _ in range(players)], [[0] * 4 for _ in range(players)]
    for table in chain.from_iterable(rounds):
        for place, player in enumerate(table):
            if player is not None:
                had[player][place] += 1
        for a, b in permutations((player for player in table if player is not None), 2):
            met[a][b] += 1
    return met, had


def repetitions(met: Sequence[Sequence[int]], had: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return the numbers of repeated meetings and of repeated places."""
    again = sum(_repeated(met[a][b]) for a, b in combinations(range(len(met)), 2))
    return again, sum(_repeated(times) for row in had for times in row)


@dataclass(frozen=True)
class Schedule:
    """Tables and places of each round.

    Attributes:
        seats: the players of each table of each round in the order of play.
        value: the numbers of repeated meetings, of repeated places (both including earlier rounds), and of
            seats at another table than planned.
        bound: lower bounds of these numbers. The third holds among plans with the minimum of the first.
    """

    seats: tuple[tuple[tuple[int, ...], ...], ...]
    value: tuple[int, int, int]
    bound: tuple[int, int, int]


def make_schedule(
    sizes: Sequence[Sequence[int]],
    before: Rounds = (),
    planned: Sequence[Sequence[int]] | None = None,
    apart: Sequence[tuple[int, int]] = (),
    *,
    solver: str = "auto",
    timeout: float = 10.0,
    models: str | None = None,
    watch: Watch | None = None,
) -> Schedule:
    """Return the best schedule found in *timeout* seconds, proven to be optimal or not.

    Args:
        sizes: the number of players (3 or 4) at each table of each round.
        before: the rounds that were played.
        planned: the table (from 1) of each player in each round of an earlier plan, 0 for a new player.
        apart: pairs of players who never share a table.
        solver: any solver that optimises. ``auto`` means Gecode if installed, whose restarts are the fastest.
        timeout: the time limit in seconds.
        models: the folder of edited models, if any.
        watch: a function that is called with the progress at each step.

    Raises:
        InvalidArgument: no schedule keeps *apart* apart.
        SolverTimeout: no schedule was found in time.
        SolverNotFound, SolverFailed: the solver is missing or faulty.
    """
    gecode = None
    with suppress(SolverNotFound):
        gecode = find.find_solver("gecode") if solver == "auto" else None
    used, players = gecode or find.find_solver(solver), sum(sizes[0])
    clock = Clock(errors.check_number("timeout in seconds", timeout, 0))
    no_tables = [[0] * players] * len(sizes)
    met, had = tally(players, before)
    # If "fresh" is true, players are interchangeable. The model numbers them as the first round seats them.
    # "given" are tables that are already decided. They are 0 until the last number, the places, is minimized.
    data = {
        "players": players, "rounds": len(sizes), "tables": len(sizes[0]), "size": sizes,
        "met_before": met, "had_before": had, "planned": planned or no_tables, "given": no_tables,
        "fresh": planned is None and not any(map(any, had)) and not apart,
        "apart_one": [a + 1 for a, _ in apart], "apart_other": [b + 1 for _, b in apart],
        "search": used.backend.random_search,
    }  # fmt: skip
    changes = 0 if planned is None else _fewest_changes(sizes, planned)
    least = _fewest_meetings(sizes, met), _fewest_places(sizes, had), changes
    # *least* are bounds without a solver, *bound* also the minima that the solver proves, *most* its limits.
    row, bound, most = list[int](), [*least], [_FREE] * 3
    for goal in (_MET, _HAD) if planned is None else (_MET, _CHANGED, _HAD):
        if watch is not None:
            repeated = ("repeated meetings", "repeated places", "changes of table")[goal]
            watch(Progress(text=f"minimizing {repeated}"))
        if goal == _MET and data["fresh"] and models is None and (row := _cyclic(sizes)):
            data["fresh"] = False  # the first round seats the players in another order
        if row and row[goal] == least[goal]:
            most[goal] = row[goal]
            continue
        part, better, proven = _PART, list[int](), False
        if goal == _HAD:
            part, data["given"] = 1.0, [row[3 + r * players :][:players] for r in range(len(sizes))]
        data |= {"wanted": goal + 1, "least": least[goal]}
        known = row[goal] if row else _FREE
        for limit, share in ((least[goal], part / 2), (known, part)):  # first try to reach the bound
            most[goal] = limit
            better, proven = _best(data | {"most": most}, models, used, clock, share)
            if better:
                row = better
                break
        if not row and proven and apart:
            raise InvalidArgument("no schedule keeps all pairs apart; name fewer pairs or play fewer rounds")
        if not row:
            raise SolverTimeout(f"no plan was found in {timeout:g} s; allow more time")
        most[goal] = row[goal]
        if better and proven and goal != _HAD:
            bound[goal] = row[goal]
    return _schedule(row, sizes, before, bound, used.name)


def _cyclic(sizes: Sequence[Sequence[int]]) -> list[int]:
    """Return a solution without repeated meetings, or an empty list if the construction fails.

    A solution has the three minimized numbers, then each player's table in each round, then the places.

    Four groups have one player per table. After each round, group 0 moves on by three tables, group 1 by two
    and group 2 by one. Tables of three lack a player of group 3, which stays.
    """
    tables, rounds = len(sizes[0]), len(sizes)
    if (
        any(step * r % tables == 0 for step in (1, 2, 3) for r in range(1, rounds))
        or [*sizes] != [sizes[0]] * rounds
    ):
        return []
    players = [(group, t) for group in range(4) for t in range(tables) if group < sizes[0][t]]
    seats = [[(t + (3 - group) * r) % tables for group, t in players] for r in range(rounds)]
    places = [
        [(group + r) % sizes[0][t] + 1 for (group, _), t in zip(players, row, strict=True)]
        for r, row in enumerate(seats)
    ]
    had = sum(_repeated(n) for by_round in zip(*places, strict=True) for n in Counter(by_round).values())
    return [0, had, 0, *(t + 1 for row in seats for t in row), *chain.from_iterable(places)]


def _best(
    data: dict[str, Any], models: str | None, solver: find.FoundSolver, clock: Clock, part: float
) -> tuple[list[int], bool]:
    """Return the best solution in a *part* of the remaining time.

    The second result is True if the solution is proven to be optimal. The solution is an empty list if none
    was found.
    """
    from catan_cp.solving import binding
    from catan_cp.solving.compiling import Task

    best = list[int]()
    with suppress(SolverTimeout):
        limit = Clock(part * (clock.left() or 0.0))
        task, free = Task("schedule", data, models=models), data["search"] != _GECODE
        with closing(binding.answers(task, [solver], limit.left, seed=0, free=free)) as rows:
            for row in rows:
                if row is None:
                    return best, True
                best = row
                if best[data["wanted"] - 1] == data["least"]:
                    return best, True
    return best, False


def _schedule(
    row: Sequence[int], sizes: Sequence[Sequence[int]], before: Rounds, bound: Sequence[int], solver: str
) -> Schedule:
    """Return the schedule of a solution after a check in Python.

    Raises:
        SolverFailed: a seat is empty or has two players, or the numbers of repetitions are wrong.
    """
    players, rounds = sum(sizes[0]), []
    for size, tables, places in zip(sizes, *np.reshape(row[3:], (2, -1, players)).tolist(), strict=True):
        players_by_seat = {seat: player for player, seat in enumerate(zip(tables, places, strict=True))}
        seats = [[(table, place) for place in range(1, n + 1)] for table, n in enumerate(size, start=1)]
        if players_by_seat.keys() != {*chain.from_iterable(seats)}:
            raise SolverFailed(f"{solver} made a plan with an empty seat: {list(row)}")
        rounds.append(tuple(tuple(players_by_seat[seat] for seat in table) for table in seats))
    counted = repetitions(*tally(players, [*before, *rounds]))
    if counted != (row[0], row[1]):
        raise SolverFailed(
            f"{solver} counts repetitions {row[0]} and {row[1]}, but they are {counted}; "
            "try another solver, and please report this"
        )
    return Schedule(tuple(rounds), (row[0], row[1], row[2]), (bound[0], bound[1], bound[2]))


# Lower bounds


def _repeated(times: int) -> int:
    return times * (times - 1) // 2


def _evenly(total: int, parts: int) -> int:
    """Return the minimum number of repetitions if *total* events are spread over *parts*."""
    times, more = divmod(total, parts)
    return (parts - more) * _repeated(times) + more * _repeated(times + 1)


def _fewest_meetings(sizes: Sequence[Sequence[int]], met_before: Sequence[Sequence[int]]) -> int:
    """Return a lower bound of repeated meetings, the larger of two bounds.

    First bound: the next meeting of a pair that met n times adds n repetitions. The sum of the cheapest
    meetings is therefore a bound. Second bound: however the players of a table are spread over the tables of
    another round, some pairs stay together.
    """
    met = [met_before[a][b] for a, b in combinations(range(len(met_before)), 2)]
    total = sum(size * (size - 1) // 2 for row in sizes for size in row)
    costs = sorted(times + more for times in met for more in range(len(sizes)))
    common = sum(_evenly(size, len(row)) for row, _ in combinations(sizes, 2) for size in row)
    return sum(map(_repeated, met)) + max(sum(costs[:total]), common)


def _fewest_changes(sizes: Sequence[Sequence[int]], planned: Sequence[Sequence[int]]) -> int:
    """Return a lower bound of changes: the number of players planned beyond each table's size."""
    return sum(
        max(0, tables.count(table) - size)
        for row, tables in zip(sizes, planned, strict=True)
        for table, size in enumerate(row, start=1)
    )


def _fewest_places(sizes: Sequence[Sequence[int]], had_before: Sequence[Sequence[int]]) -> int:
    """Return a lower bound of repeated places.

    A player who has place 4 in x rounds has other places in the remaining rounds. The cost is lowest if these
    are the places that the player had least often. The cost of one more round in place 4 grows with x. So the
    bound assigns each place 4 to the player with the lowest cost.
    """
    rounds = len(sizes)
    fourths = sum(size == 4 for row in sizes for size in row)
    total, costs = 0, list[int]()
    for *others, fourth in had_before:
        rest = sorted(times + more for times in others for more in range(rounds))
        least = [sum(fourth + more for more in range(x)) + sum(rest[: rounds - x]) for x in range(rounds + 1)]
        total += least[0] + sum(_repeated(times) for times in (*others, fourth))
        costs += [after - now for now, after in pairwise(least)]
    return total + sum(sorted(costs)[:fourths])
