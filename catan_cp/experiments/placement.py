"""The report's experiment: the same random boards for every method, with a time limit that holds.

Runs take place in another process: one worker solves boards one after the other, and where a run outlasts the
limit the worker is killed and another started.

`compare_rivalry` sets the draft among rivals beside the one in which nobody minds them: who settles
elsewhere, and who gains. `robust_share` asks how often the best start is another where rivals err.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pool, find_layout
from catan_cp.errors import InvalidArgument, SolverFailed, listed, show
from catan_cp.placement import spots
from catan_cp.placement.game import Goals, Placement, best_moves, solve_by_method, solve_placements
from catan_cp.placement.objective import Objective, Weight
from catan_cp.placement.plain import SEARCHES
from catan_cp.placement.spots import Counters, Position
from catan_cp.terminal import aligned
from catan_cp.workers import WorkerDied, Workers

METHODS = (*SEARCHES, "vectorized")
"""The report's three searches, and the library's."""

_START_LIMIT = 120.0
"""Seconds that a worker may take to start."""


@dataclass(frozen=True)
class Run:
    """One board solved by one method.

    Attributes:
        board: the board's number, from 0.
        notation: the board.
        method: the method.
        seconds: time for tables and search, as `Placement.seconds`; None where the limit passed first.
        calls: positions visited, as `Counters`; so are *cut*, *hits* and *misses*.
        settlements: what was found.
        values: what it is worth.
        tied: as `Placement.tied`.
    """

    board: int
    notation: str
    method: str
    seconds: float | None = None
    calls: int | None = None
    cut: int | None = None
    hits: int | None = None
    misses: int | None = None
    settlements: tuple[tuple[int, ...], ...] | None = None
    values: tuple[float, ...] | None = None
    tied: bool | None = None

    @property
    def counters(self) -> Counters:
        """What the search did; zeros where it did not end."""
        return Counters(self.calls or 0, self.cut or 0, self.hits or 0, self.misses or 0)

    @property
    def found(self) -> tuple[object, ...]:
        """What methods must agree on."""
        return self.settlements, self.values, self.tied


@dataclass(frozen=True)
class Experiment:
    """All runs, and what they were asked to do.

    Attributes:
        players: how many players.
        objectives: what each of them wanted.
        methods: the methods, in the order in which each board was given to them.
        time_limit: seconds that a run may take.
        boards: how many boards were to be solved.
        runs: the runs, board by board.
    """

    players: int
    objectives: tuple[Objective, ...]
    methods: tuple[str, ...]
    time_limit: float
    boards: int
    runs: tuple[Run, ...]

    @property
    def complete(self) -> bool:
        """Whether every board was given to every method; False after an interruption."""
        return len(self.runs) == self.boards * len(self.methods)

    @property
    def agree(self) -> bool:
        """Whether the methods that solved a board found the same, on every board."""
        return all(row["agrees"] for row in self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a method: times in seconds and calls over the boards it solved.

        ``pruning_rate`` is the share of candidates that a bound ruled out, ``memory_size`` the positions in
        memory at the end, and ``memory_hit_rate`` the share of calls answered from it, each averaged over
        the boards. ``speedup`` is the first method's total time over this one's on the boards that both
        solved, and ``agrees`` says whether the method found what the first one to solve each board found.
        A figure that no run stands behind is None.
        """
        return [self._row(method) for method in self.methods]

    def _row(self, method: str) -> dict[str, Any]:
        solved = [run for run in self.runs if run.seconds is not None]
        mine = [run for run in solved if run.method == method]
        times, calls = [run.seconds or 0.0 for run in mine], [run.calls or 0 for run in mine]
        before = {run.board: run.seconds or 0.0 for run in solved if run.method == self.methods[0]}
        both = [(before[run.board], run.seconds or 0.0) for run in mine if run.board in before]
        reference = {run.board: run.found for run in reversed(solved)}
        given = sum(run.method == method for run in self.runs)
        return {
            "method": method,
            "boards": given,
            "timeouts": given - len(mine),
            "seconds_average": _mean(times),
            "seconds_least": min(times, default=None),
            "seconds_most": max(times, default=None),
            "calls_average": _mean(calls),
            "calls_least": min(calls, default=None),
            "calls_most": max(calls, default=None),
            "pruning_rate": _mean([rate for run in mine if (rate := run.counters.pruning_rate)]),
            "memory_size": _mean([run.misses for run in mine if run.misses]),
            "memory_hit_rate": _mean([rate for run in mine if (rate := run.counters.hit_rate)]),
            "speedup": sum(a for a, _ in both) / sum(b for _, b in both) if both else None,
            "agrees": all(run.found == reference[run.board] for run in mine),
        }

    def table(self) -> str:
        """Return the summary as plain text, times in milliseconds."""
        heads = [head for head, _, _ in _COLUMNS]
        cells = [
            ["-" if row[name] is None else written(row[name]) for _, name, written in _COLUMNS]
            for row in self.rows()
        ]
        rules = ["-" * max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        return "\n".join(aligned([heads, rules, *cells], 1))

    def to_csv(self) -> str:
        """Return the runs as CSV, one line a board and method."""
        out = io.StringIO()
        fields = [name for name in Run.__dataclass_fields__ if name != "values"]
        writer = csv.DictWriter(out, [*fields, "values"], lineterminator="\n")
        writer.writeheader()
        for run in self.runs:
            pairs = " ".join("-".join(map(str, pair)) for pair in run.settlements or ())
            values = " ".join(map(repr, run.values or ()))
            writer.writerow({**asdict(run), "settlements": pairs, "values": values})
        return out.getvalue()

    def to_json(self) -> str:
        """Return what was asked, the summary and the runs as a JSON object."""
        value = {
            "players": self.players,
            "weights": [{term: float(w) for term, w in goal.weights.items()} for goal in self.objectives],
            "methods": self.methods,
            "time_limit": self.time_limit,
            "complete": self.complete,
            "agree": self.agree,
            "summary": self.rows(),
            "runs": [asdict(run) for run in self.runs],
        }
        return json.dumps(value)


def _mean(figures: Sequence[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.2f}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


_COLUMNS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("method", "method", str),
    ("boards", "boards", str),
    ("timeouts", "timeouts", str),
    ("average ms", "seconds_average", _milliseconds),
    ("least ms", "seconds_least", _milliseconds),
    ("most ms", "seconds_most", _milliseconds),
    ("calls", "calls_average", "{:,.1f}".format),
    ("pruned", "pruning_rate", _percent),
    ("memory", "memory_size", "{:,.1f}".format),
    ("hits", "memory_hit_rate", _percent),
    ("speed-up", "speedup", "{:,.1f}".format),
    ("agrees", "agrees", {True: "yes", False: "NO"}.__getitem__),
)
"""The heads of the table's columns, the field of a row that stands there, and how it is written."""


def random_boards(n: int, layout: str | Layout = "base", seed: int | None = None) -> list[Board]:
    """Return *n* boards with the layout's pieces shuffled, terrain and markers alike, by no rules.

    The same *seed* gives the same boards; without one they differ from call to call.

    Raises:
        InvalidArgument: *n* is not a number of 1 or more.
    """
    layout, rng = find_layout(layout), errors.random_source(seed)
    boards = []
    for _ in range(errors.check_count("boards", n, 1)):
        terrain, markers = dict(layout.fixed_terrain), dict(layout.fixed_markers)
        for pool in layout.terrain_pools:
            terrain |= zip(pool.tiles, _drawn(pool, len(pool.tiles), rng), strict=True)
        for pool in layout.marker_pools:
            tiles = [t for t in pool.tiles if terrain[t] not in layout.unnumbered]
            markers |= zip(tiles, _drawn(pool, len(tiles), rng), strict=True)
        every = range(layout.n_tiles)
        boards.append(Board(layout, [terrain[t] for t in every], [markers.get(t) for t in every]))
    return boards


def _drawn(pool: Pool, n: int, rng: random.Random) -> list[Any]:
    """Return *n* of the pool's pieces, in any order."""
    return rng.sample([piece for piece, count in pool.pieces.items() for _ in range(count)], n)


def run_experiment(
    boards: Iterable[Board],
    players: int = 4,
    objective: Goals = None,
    methods: Sequence[str] = METHODS,
    time_limit: float = 60.0,
    progress: Callable[[int, int, Run], None] | None = None,
) -> Experiment:
    """Solve every board with every method and return all times, counters and findings.

    Args:
        boards: the boards, e.g. `random_boards`.
        players: how many players.
        objective: as for `solve_placement`.
        methods: which methods; the speed-up is over the first.
        time_limit: seconds that one run may take; one that takes longer is killed and counts as a timeout.
        progress: called after each run with the runs done, the runs in all, and the run.

    Ctrl-C ends the experiment early: what was measured until then is returned, with ``complete`` False.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`; an unknown or repeated method; a time limit
            that is not a positive number.
        SolverFailed: a worker process died.
    """
    given, players = _some(boards, players)
    goals = spots.checked_objectives(objective, players)
    names = tuple(methods) if isinstance(methods, Sequence) and not isinstance(methods, str) else (methods,)
    for name in names:
        errors.check_choice("method", name, METHODS)
    if not names or len(set(names)) < len(names):
        raise InvalidArgument(f"methods are one or more of {listed(METHODS)}, each once, not {show(names)}")
    limit = errors.check_number("time_limit in seconds", time_limit, 0, 1e9)
    runs: list[Run] = []
    try:
        with closing(_runs(given, goals, names, limit)) as stream:
            for run in stream:
                runs.append(run)
                if progress is not None:
                    progress(len(runs), len(given) * len(names), run)
    except KeyboardInterrupt:
        if not runs:
            raise
    return Experiment(players, goals, names, limit, len(given), tuple(runs))


def _runs(
    boards: list[Board], goals: tuple[Objective, ...], methods: tuple[str, ...], limit: float
) -> Generator[Run]:
    """Solve boards in a process that is killed and started anew where a run outlasts its limit."""
    with ExitStack() as open_worker:
        worker = None
        for number, board in enumerate(boards):
            for method in methods:
                try:
                    if worker is None:
                        worker = open_worker.enter_context(Workers(1))
                        # A first run brings in numpy and the geometry, for which no method is charged.
                        worker.submit(_figures, board, goals[:2], "vectorized").result(_START_LIMIT)
                    figures = worker.submit(_figures, board, goals, method).result(limit)
                except TimeoutError:
                    figures = ()
                    open_worker.close()
                    worker = None
                except WorkerDied as error:
                    words = f"the process that solves board {board.notation()} with {method} died"
                    raise SolverFailed(words) from error
                yield Run(number, board.notation(), method, *figures)


def _figures(board: Board, goals: tuple[Objective, ...], method: str) -> tuple[Any, ...]:
    """Solve one board; return the figures of a `Run`."""
    found = solve_by_method(Position(board, goals), method)
    count = found.counters
    figures = found.seconds, count.calls, count.cut, count.hits, count.misses
    return *figures, found.settlements, found.values, found.tied


_TOGETHER = 50
"""How many boards are solved between two reports of progress."""


@dataclass(frozen=True)
class Seat:
    """What rivalry changes for one seat, averaged over the boards.

    Attributes:
        seat: the seat, from 1.
        elsewhere: the share of boards on which it has other vertices among rivals.
        value: what its settlements are worth where nobody minds rivals, and among rivals.
        ahead: its value less the best rival's, in both.
        best: the share of boards on which no seat has more, in both.
    """

    seat: int
    elsewhere: float
    value: tuple[float, float]
    ahead: tuple[float, float]
    best: tuple[float, float]

    def __str__(self) -> str:
        pairs = [f"{before:.3f} -> {after:.3f}" for before, after in (self.value, self.ahead)]
        best = f"{self.best[0]:.0%} -> {self.best[1]:.0%}"
        return f"{self.seat:>4}  {self.elsewhere:>9.1%}  {pairs[0]}  {pairs[1]:>16}  {best:>13}"


def compare_rivalry(
    boards: Iterable[Board],
    players: int = 4,
    objective: Goals = None,
    rivalry: Weight = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Seat, ...]:
    """Solve every board without and with rivalry, and return what changes, seat by seat.

    Args:
        boards: the boards, one or more.
        players: how many play.
        objective: as for `solve_placements`; its rivalry is left aside.
        rivalry: everybody's, in the second game.
        progress: called now and then with the number of boards done, and of all.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placements`; no board.
    """
    given, players = _some(boards, players)
    goals = spots.checked_objectives(objective, players)
    games: tuple[list[Placement], list[Placement]] = ([], [])
    for start in range(0, len(given), _TOGETHER):
        some = given[start : start + _TOGETHER]
        for game, level in zip(games, (0, rivalry), strict=True):
            game += solve_placements(some, players, [replace(goal, rivalry=level) for goal in goals])
        if progress is not None:
            progress(len(games[0]), len(given))
    return tuple(_seat(seat, *games) for seat in range(players))


def table(seats: Sequence[Seat]) -> str:
    """Return what `compare_rivalry` found as plain text, each figure without rivalry -> with it.

    Raises:
        InvalidArgument: something else.
    """
    if not isinstance(seats, Sequence) or not all(isinstance(seat, Seat) for seat in seats):
        raise InvalidArgument(f"seats are what compare_rivalry returns, not {show(seats)}")
    head = f"seat  elsewhere  {'its value':>14}  {'ahead by':>16}  {'has the most':>13}"
    return "\n".join([head, *map(str, seats)])


def robust_share(
    boards: Iterable[Board], players: int = 4, objective: Goals = None, rationality: float = 1
) -> float:
    """Return on which share of the boards player 1 begins elsewhere if the others err.

    That is, how often the best first vertex against players of this rationality (player 1 is perfect) is none
    of the best against perfect ones.

    Raises:
        InvalidArgument, InvalidBoard: as `best_moves`; no board.
    """
    given, players = _some(boards, players)
    differ = 0
    for board in given:
        robust = best_moves(board, (), 1, players, objective, [None, *[rationality] * (players - 1)])[0]
        perfect = best_moves(board, (), board.layout.n_vertices, players, objective)
        differ += robust.vertex not in {m.vertex for m in perfect if m.lead == perfect[0].lead}
    return differ / len(given)


def _some(boards: Iterable[Board], players: int) -> tuple[list[Board], int]:
    """Return one board or more, and the number of players, who can play on each."""
    given = spots.checked_boards(boards, players)
    if not given:
        raise InvalidArgument("there are no boards to solve; give at least one")
    return given, int(players)


def _seat(seat: int, without: list[Placement], among: list[Placement]) -> Seat:
    def mean(of: Sequence[float]) -> float:
        return sum(of) / len(of)

    def ahead(found: Placement) -> float:
        return found.values[seat] - max(v for q, v in enumerate(found.values) if q != seat)

    both = (without, among)
    pairs = zip(without, among, strict=True)
    moved = [set(a.settlements[seat]) != set(b.settlements[seat]) for a, b in pairs]
    value = [mean([found.values[seat] for found in game]) for game in both]
    lead = [mean([ahead(found) for found in game]) for game in both]
    best = [mean([ahead(found) >= 0 for found in game]) for game in both]
    return Seat(seat + 1, mean(moved), (value[0], value[1]), (lead[0], lead[1]), (best[0], best[1]))
