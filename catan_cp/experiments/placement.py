"""The report's experiment: the same random boards for every method, with a time limit that holds.

Runs take place in another process: one worker solves boards one after the other, and where a run outlasts the
limit the worker is killed and another started.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from catan_cp.arguments import check_count, check_number, random_source
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pool, find_layout
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.experiments.worker import Run, Worker
from catan_cp.placement.game import Goals
from catan_cp.placement.objective import Objective
from catan_cp.placement.spots import Counters, Position
from catan_cp.placement.spots import checked_board, checked_objectives, checked_players
from catan_cp.placement.tree import SEARCHES

METHODS = (*SEARCHES, "vectorized")
"""The report's three searches, and the library's."""


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
        mine = [run for run in self.runs if run.method == method]
        solved = {run.board: run for run in mine if run.seconds is not None}
        times = [run.seconds or 0.0 for run in solved.values()]
        calls = [run.calls or 0 for run in solved.values()]
        first = {
            run.board: run for run in self.runs if run.method == self.methods[0] and run.seconds is not None
        }
        both = [(first[n].seconds or 0.0, run.seconds or 0.0) for n, run in solved.items() if n in first]
        reference: dict[int, Run] = {}
        for run in self.runs:
            if run.seconds is not None:
                reference.setdefault(run.board, run)
        return {
            "method": method,
            "boards": len(mine),
            "timeouts": len(mine) - len(solved),
            "seconds_average": sum(times) / len(times) if times else None,
            "seconds_least": min(times, default=None),
            "seconds_most": max(times, default=None),
            "calls_average": sum(calls) / len(calls) if calls else None,
            "calls_least": min(calls, default=None),
            "calls_most": max(calls, default=None),
            "pruning_rate": _mean([rate for run in solved.values() if (rate := run.counters.pruning_rate)]),
            "memory_size": _mean([run.misses for run in solved.values() if run.misses]),
            "memory_hit_rate": _mean([rate for run in solved.values() if (rate := run.counters.hit_rate)]),
            "speedup": sum(a for a, _ in both) / sum(b for _, b in both) if both else None,
            "agrees": all(run.found == reference[n].found for n, run in solved.items()),
        }

    def table(self) -> str:
        """Return the summary as plain text, times in milliseconds."""
        head = (
            "method",
            "boards",
            "timeouts",
            "average ms",
            "least ms",
            "most ms",
            "calls",
            "pruned",
            "memory",
            "hits",
            "speed-up",
            "agrees",
        )
        lines = [head, *(_cells(row) for row in self.rows())]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        text = [
            "  ".join(
                [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
            )
            for line in lines
        ]
        return "\n".join([text[0], "  ".join("-" * width for width in widths), *text[1:]])

    def to_csv(self) -> str:
        """Return the runs as CSV, one line a board and method."""
        out = io.StringIO()
        fields = [
            "board",
            "notation",
            "method",
            "seconds",
            "calls",
            "cut",
            "hits",
            "misses",
            "settlements",
            "tied",
        ]
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


def random_boards(n: int, layout: str | Layout = "base", seed: int | None = None) -> list[Board]:
    """Return *n* boards with the layout's pieces shuffled, terrain and markers alike, by no rules.

    The same *seed* gives the same boards; without one they differ from call to call.

    Raises:
        InvalidArgument: *n* is not a number of 1 or more.
    """
    layout, rng = find_layout(layout), random_source(seed)
    boards = []
    for _ in range(check_count("boards", n, 1)):
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
    given = [checked_board(board) for board in boards]
    if not given:
        raise InvalidArgument("there are no boards to solve; give at least one")
    for board in given:
        players = checked_players(players, board)
    goals = checked_objectives(objective, players)
    names = _checked_methods(methods)
    limit = check_number("time_limit in seconds", time_limit, 0)
    runs: list[Run] = []
    try:
        with closing(_runs(given, players, goals, names, limit)) as stream:
            for run in stream:
                runs.append(run)
                if progress is not None:
                    progress(len(runs), len(given) * len(names), run)
    except KeyboardInterrupt:
        if not runs:
            raise
    return Experiment(players, goals, names, limit, len(given), tuple(runs))


def _runs(
    boards: list[Board], players: int, goals: tuple[Objective, ...], methods: tuple[str, ...], limit: float
) -> Generator[Run, None, None]:
    with Worker() as worker:
        for number, board in enumerate(boards):
            for method in methods:
                yield worker.solve(number, board, players, goals, method, limit)


def _mean(figures: Sequence[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None


def _checked_methods(methods: Sequence[str]) -> tuple[str, ...]:
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    for name in names:
        if name not in METHODS:
            raise InvalidArgument(f"unknown method {show(name)}; methods are {listed(METHODS)}")
    if not names or len(set(names)) < len(names):
        raise InvalidArgument(f"methods are one or more of {listed(METHODS)}, each once, not {show(names)}")
    return names


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    def ms(seconds: float | None) -> str:
        return "-" if seconds is None else f"{1000 * seconds:,.2f}"

    def percent(share: float | None) -> str:
        return "-" if share is None else f"{100 * share:.2f} %"

    calls, speedup = row["calls_average"], row["speedup"]
    return (
        row["method"],
        str(row["boards"]),
        str(row["timeouts"]),
        ms(row["seconds_average"]),
        ms(row["seconds_least"]),
        ms(row["seconds_most"]),
        "-" if calls is None else f"{calls:,.1f}",
        percent(row["pruning_rate"]),
        "-" if row["memory_size"] is None else f"{row['memory_size']:,.1f}",
        percent(row["memory_hit_rate"]),
        "-" if speedup is None else f"{speedup:,.1f}",
        "yes" if row["agrees"] else "NO",
    )
