"""Speed of counting and sampling, compared with a plain implementation.

The plain implementation is the readable twin of the decision diagram (`catan_cp.counting.dictionary`). The
second comparison is listing with a solver. For 244 billion arrangements its time is extrapolated from the
first 10,000. Memory is that of a fresh process.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.measure import Row, printed, rates, row, seconds, timed
from catan_cp.anymodel.count import LISTED_MOST, count_solutions
from catan_cp.anymodel.counters import COUNTERS, installed
from catan_cp.anymodel.models import opened_model
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import count_markers, count_terrains, sample_boards, sample_terrains
from catan_cp.counting.budget import Budget, forget
from catan_cp.counting.diagram import Diagram
from catan_cp.counting.dictionary import Dictionary
from catan_cp.counting.frontier import FrontierProblem
from catan_cp.counting.sums.search import marker_search
from catan_cp.counting.terrains import MAX_STATES, terrain_space
from catan_cp.problem.problem import Problem
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import enumerate_terrains
from catan_cp.search.generate import generate_board
from catan_cp.search.instances import terrain_instance
from catan_cp.solving.find import find_solver
from catan_cp.solving.listing import StreamState
from catan_cp.workers import Workers

OPTIMAL = Rules.preset("optimal")
TIMETABLE = """
% Three classes have three lessons each in six periods, the first two in this order. There are two rooms.
include "alldifferent.mzn";
array[1..9] of var 1..6: period;
constraint forall(c in 0..2)(alldifferent([period[3 * c + i] | i in 1..3]));
constraint forall(c in 0..2)(period[3 * c + 1] < period[3 * c + 2]);
constraint forall(p in 1..6)(count(period, p) <= 2);
"""
QUEENS = """
include "alldifferent.mzn";
array[1..8] of var 1..8: q;
constraint forall(sign in {-1, 0, 1})(alldifferent([q[i] + sign * i | i in 1..8]));
"""
POST = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")

_MEMORY = """
from benchmarks.memory import peak
from catan_cp.counting import count_terrains
from catan_cp.rules.rules import Rules
count_terrains(Rules(terrain_cluster_max=1))
print(peak())
"""
_FIRST = """
import time
from catan_cp import generate_board
from catan_cp.problem.problem import Problem
laps = [time.perf_counter()]
for seed in range({seed}, {seed} + 12):
    generate_board("optimal", seed=seed, method="uniform")
    laps.append(time.perf_counter())
print(laps[1] - laps[0], laps[2] - laps[1], (laps[-1] - laps[2]) / 10)
"""


def rows(quick: bool) -> Iterator[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    repeats, base, alone = 3 if quick else 9, LAYOUTS["base"], Rules(terrain_cluster_max=1)
    few, projected = 10_000, count_terrains("open") / 10_000
    listed = [projected * seconds for seconds in timed(3, partial(_list, "open", few))]
    yield row("count base, no rules", "s", _counting(Rules(), repeats), 0.05, "listing, projected", listed)
    optimal = _counting(OPTIMAL, repeats)
    yield row("count base, optimal", "s", optimal, 1.0, "readable twin", _twin(OPTIMAL))
    yield row("count base, optimal, classes", "s", _counting(OPTIMAL, repeats, distinct=True))
    if not quick:
        yield from _counters(optimal)
    against, plain = (None, []) if quick else ("readable twin", _twin(alone))
    yield row("count base, clusters of 1", "s", _counting(alone, repeats), 5.0, against, plain)
    yield row("its memory", "MiB", [printed(_MEMORY)[0] for _ in range(3)], 2048.0)
    yield row("count base, clusters of 2", "s", _counting(alone.replace(terrain_cluster_max=2), 3))
    for layout in ("base-5-6",) if quick else ("base-5-6", "seafarers-6"):
        yield row(f"count {layout}, clusters of 1", "s", _counting(alone, 3, layout))

    sample_terrains(1, OPTIMAL, seed=0)
    sampled = timed(repeats, lambda: sample_terrains(10_000, OPTIMAL, seed=1))
    rejected = [_rejection(base, 20_000) for _ in range(3)]
    yield row("draw 10,000 optimal terrains", "s", sampled, 2.0, "rejection, projected", rejected)
    markers = OPTIMAL.replace(vertex_sum_below=None)
    spent = timed(repeats, lambda: count_markers(POST, markers))
    yield row("count optimal markers, sums left aside", "s", spent)
    yield from _complete_boards(repeats, 2_000 if quick else 10_000)


def _counters(optimal: list[float]) -> Iterator[Row]:
    """Compare exact counts with lists: of the library in these seconds, and of installed counters."""
    listed = timed(1, partial(_list, "optimal", None))
    yield row("count base, optimal, beside listing", "s", optimal, None, "listing them", listed)
    terrain = terrain_instance(OPTIMAL)
    for label, model, show in (
        ("a timetable", TIMETABLE, None),
        ("8 queens", QUEENS, None),
        ("optimal terrains", terrain, ["terrain"]),
    ):
        listed = timed(3, partial(_count_alone, "", model, show))
        counted = timed(3, partial(count_solutions, model, show=show))
        yield row(f"count {label}, all methods", "s", counted, None, "listing", listed)
        for name in installed():
            if (label, name) != ("optimal terrains", "ganak"):  # It takes minutes.
                counted = timed(3, partial(_count_alone, name, model, show))
                yield row(f"count {label}, {name} alone", "s", counted, None, "listing", listed)


def _count_alone(counter: str, model: Any, show: list[str] | None) -> int:
    """Count the solutions of a model by one counter, or by a list of Gecode without one."""
    with opened_model(model, None, None) as opened:
        flat = opened.flat(*opened.shown(show))
        if not counter:
            rows = flat.rows(find_solver("gecode"), LISTED_MOST, StreamState())
            assert rows is not None
            return len(rows)
        with Workers(1) as pool:
            return pool.submit(COUNTERS[counter][1], str(flat.path), flat.words).result()


def _complete_boards(repeats: int, n: int) -> Iterator[Row]:
    """Measure exact counts and uniform samples of complete boards, after a warm-up."""
    for preset, many, target in (
        *((preset, n, 5_000) for preset in ("tournament", "official", "open")),
        ("optimal", 400, 300),
    ):
        list(sample_boards(2, preset, seed=0))
        sampled = rates(3, many, partial(_draw, many, preset), time.process_time)  # on one core
        yield row(f"draw {preset} boards, uniformly", "boards/s", sampled, target)
    printed(_FIRST.format(seed=0))  # compiles what numba keeps
    firsts, nexts, later = zip(*(printed(_FIRST.format(seed=k)) for k in range(repeats)), strict=True)
    yield row("an optimal board drawn, the first of a process", "s", firsts, 0.2)
    yield row("an optimal board drawn, the second, which may load numba", "s", nexts)
    yield row("an optimal board drawn, each of the next ten", "s", later, 0.02)
    (terrain,) = sample_terrains(1, OPTIMAL, seed=1)
    search = marker_search(POST.terrain, Problem.of("blog", "base"))
    assert search is not None and sum(map(len, search.chunks())) == 11_753
    works: tuple[tuple[str, Callable[[], object], float], ...] = (
        ("count optimal markers", lambda: count_markers(terrain, OPTIMAL), 0.1),
        ("11,753 blog markers, by our own search", lambda: list(search.chunks()), 0.2),
        ("one tournament board", lambda: generate_board("tournament", seed=1), 0.05),
    )
    for name, work, limit in works:
        work()
        yield row(name, "s", timed(repeats, work), limit)


def _draw(n: int, preset: str) -> None:
    for _ in sample_boards(n, preset, seed=1):
        pass


def _list(rules: str, limit: int | None) -> None:
    enumerate_terrains(rules, limit=limit).array()


def _counting(rules: Rules, repeats: int, layout: str = "base", *, distinct: bool = False) -> list[float]:
    def count() -> None:
        forget()
        count_terrains(rules, layout, up_to_symmetry=distinct)

    return timed(repeats, count)


@dataclass
class _Recorded(Budget):
    """A budget that keeps the problems whose diagrams are built."""

    problems: list[FrontierProblem] = field(default_factory=list)

    def build(self, problem: FrontierProblem) -> Diagram:
        """Return the diagram of a problem, and keep the problem."""
        self.problems.append(problem)
        return super().build(problem)


def _twin(rules: Rules) -> list[float]:
    """Time the readable twin of the diagrams, and compare the totals."""
    budget = _Recorded(MAX_STATES)
    total = terrain_space(Problem.of(rules, "base"), budget).total
    began = time.perf_counter()
    by_twin = sum(Dictionary(problem).total for problem in budget.problems)
    spent = time.perf_counter() - began
    if by_twin != total:
        raise AssertionError(f"the twin counts {by_twin}, the diagrams {total}")
    return [spent]


def _rejection(layout: Layout, tries: int) -> float:
    """Return the seconds that rejection sampling would take for 10,000 arrangements."""
    pieces = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    pairs = layout.adjacency("hex")
    source = random.Random(1)

    def sample() -> None:
        for _ in range(tries):
            source.shuffle(pieces)
            any(
                (pieces[a] == pieces[b] and pieces[a] not in UNNUMBERED)
                or {pieces[a], pieces[b]} == {"brick", "lumber"}
                for a, b in pairs
            )

    accepted = count_terrains(OPTIMAL) / count_terrains("open")
    return seconds(sample) / tries * 10_000 / accepted
