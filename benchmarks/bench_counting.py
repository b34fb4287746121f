"""Speed of counting and sampling, compared with a plain implementation.

The plain implementation is the textbook frontier method in dictionaries. It takes tile after tile in reading
order. A state consists of the remaining pieces and the terrains on the frontier. It merges no
interchangeable values and does not work on columns. The second comparison is listing with a solver. For 244
billion arrangements its time is extrapolated from the first 10,000. Memory is that of a fresh process.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from typing import Any
from unittest.mock import patch

from benchmarks.rows import Row, row, timed
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import count_markers, count_terrains, sample_boards, sample_terrains
from catan_cp.counting.budget import forget
from catan_cp.counting.marker_search import marker_search
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import enumerate_terrains
from catan_cp.search.generate import generate_board
from catan_cp.search.instances import terrain_instance
from catan_cp.search.solutions import count_solutions, installed_counters
from catan_cp.solving.counters import COUNTERS

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
laps = [time.perf_counter()]
for seed in range({seed}, {seed} + 12):
    generate_board("optimal", seed=seed, method="uniform")
    laps.append(time.perf_counter())
print(laps[1] - laps[0], laps[2] - laps[1], (laps[-1] - laps[2]) / 10)
"""


def rows(quick: bool) -> list[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    repeats = 3 if quick else 9
    base = LAYOUTS["base"]
    alone = Rules(terrain_cluster_max=1)
    nothing = _counting(Rules(), "base", repeats)
    optimal = _counting(OPTIMAL, "base", repeats)
    a_few, projected = 10_000, count_terrains("open")
    listed = [each * projected / a_few for each in timed(3, partial(_list, "open", a_few))]
    found = [
        row("count base, no rules", "s", nothing, 0.05, "listing, projected", listed),
        row("count base, optimal", "s", optimal, 1.0, "plain walk", _plain(OPTIMAL, base)),
        row("count base, optimal, classes", "s", _counting(OPTIMAL, "base", repeats, True)),
    ]
    if not quick:
        listed = timed(1, partial(_list, "optimal", None))
        found.append(row("count base, optimal, beside listing", "s", optimal, None, "listing them", listed))
        instance = terrain_instance(OPTIMAL)
        counted = timed(3, lambda: count_solutions(instance, show=["terrain"]))
        found.append(row("count base, optimal, by d4 and ganak", "s", counted, None, "listing them", listed))
        for model, text in (("a timetable", TIMETABLE), ("8 queens", QUEENS)):
            listed = _count_by([], text)
            found += [
                row(f"count {model}, by {name} alone", "s", _count_by([name], text), None, "listing", listed)
                for name in installed_counters()
            ]
    ones = _counting(alone, "base", repeats)
    if quick:
        found.append(row("count base, clusters of 1", "s", ones, 5.0))
    else:
        found.append(row("count base, clusters of 1", "s", ones, 5.0, "plain walk", _plain(alone, base)))
    twos = alone.replace(terrain_cluster_max=2)
    found += [
        row("its memory", "MiB", [_fresh(_MEMORY)[0] for _ in range(3)], 2048.0),
        row("count base, clusters of 2", "s", _counting(twos, "base", 3)),
        row("count base-5-6, clusters of 1", "s", _counting(alone, "base-5-6", 3)),
    ]
    if not quick:
        found.append(row("count seafarers-6, clusters of 1", "s", _counting(alone, "seafarers-6", 3)))

    sample_terrains(1, OPTIMAL, seed=0)
    drawn = timed(repeats, lambda: sample_terrains(10_000, OPTIMAL, seed=1))
    rejected = [_rejection(base, 20_000) for _ in range(3)]
    found.append(row("draw 10,000 optimal terrains", "s", drawn, 2.0, "rejection, projected", rejected))
    markers = OPTIMAL.replace(vertex_sum_below=None)
    spent = timed(repeats, lambda: count_markers(POST, markers))
    found.append(row("count optimal markers, sums left aside", "s", spent))
    return [*found, *_complete_boards(repeats, 2_000 if quick else 10_000)]


def _count_by(counters: list[str], model: str) -> list[float]:
    """Measure a count by these counters and no others; without one, Gecode lists."""
    with patch.dict(COUNTERS, {name: COUNTERS[name] for name in counters}, clear=True):
        return timed(3, lambda: count_solutions(model))


def _complete_boards(repeats: int, n: int) -> list[Row]:
    """Measure exact counts and uniform samples of complete boards, after a warm-up."""
    found = []
    for preset, many, target in (
        ("tournament", n, 5_000),
        ("official", n, 5_000),
        ("open", n, 5_000),
        ("optimal", 400, 300),
    ):
        list(sample_boards(2, preset, seed=0))
        draw = partial(_draw, many, preset)
        rates = [many / spent for spent in timed(3, draw, time.process_time)]  # on one core
        found.append(row(f"draw {preset} boards, uniformly", "boards/s", rates, target))
    _fresh(_FIRST.format(seed=0))  # compiles what numba keeps
    laps = [_fresh(_FIRST.format(seed=seed)) for seed in range(repeats)]
    firsts, seconds, others = zip(*laps, strict=True)
    found += [
        row("an optimal board drawn, the first of a process", "s", firsts, 0.2),
        row("an optimal board drawn, the second, which may load numba", "s", seconds),
        row("an optimal board drawn, each of the next ten", "s", others, 0.02),
    ]
    (terrain,) = sample_terrains(1, OPTIMAL, seed=1)
    count_markers(terrain, OPTIMAL)
    spent = timed(repeats, lambda: count_markers(terrain, OPTIMAL))
    found.append(row("count optimal markers", "s", spent, 0.1))
    search = marker_search(POST.terrain, Rules.preset("blog"), LAYOUTS["base"])
    assert search is not None and sum(map(len, search.chunks())) == 11_753
    spent = timed(repeats, lambda: list(search.chunks()))
    found.append(row("11,753 blog markers, by our own search", "s", spent, 0.2))
    generate_board("tournament", seed=0)
    spent = timed(repeats, lambda: generate_board("tournament", seed=1))
    found.append(row("one tournament board", "s", spent, 0.05))
    return found


def _draw(n: int, preset: str) -> None:
    for _ in sample_boards(n, preset, seed=1):
        pass


def _list(rules: str, limit: int | None) -> None:
    enumerate_terrains(rules, limit=limit).array()


def _counting(rules: Rules, layout: str, repeats: int, distinct: bool = False) -> list[float]:
    def count() -> None:
        forget()
        count_terrains(rules, layout, up_to_symmetry=distinct)

    return timed(repeats, count)


def _fresh(work: str) -> list[float]:
    """Return the numbers that a program prints in a new process."""
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def _plain(rules: Rules, layout: Layout) -> list[float]:
    """Time the plain count, and check it against the library's."""
    began = time.perf_counter()
    plainly = plain_count(rules, layout)
    spent = time.perf_counter() - began
    if plainly != count_terrains(rules, layout):
        raise AssertionError(f"the plain walk counts {plainly}, ours {count_terrains(rules, layout)}")
    return [spent]


def plain_count(rules: Rules, layout: Layout) -> int:
    """Count arrangements without equal neighbors and with pairs kept apart, in dictionaries."""
    if rules.adjacency != "hex" or rules.terrain_cluster_max != 1:
        raise ValueError("the plain walk knows clusters of 1 on hex adjacency only")
    names = layout.terrains
    apart = {frozenset(pair) for pair in rules.apart} | {
        frozenset((name,)) for name in names if name not in UNNUMBERED
    }
    near = layout.tile_neighbors("hex")
    last = [max(tiles) for tiles in near]
    states: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], int]
    states = {(tuple(layout.terrain_counts.values()), ()): 1}
    for tile in range(layout.n_tiles):
        following: Counter[Any] = Counter()
        for (left, frontier), ways in states.items():
            around = [kind for t, kind in frontier if t in near[tile]]
            for kind, name in enumerate(names):
                if left[kind] and all(frozenset((name, names[other])) not in apart for other in around):
                    after = (*left[:kind], left[kind] - 1, *left[kind + 1 :])
                    kept = tuple((t, k) for t, k in (*frontier, (tile, kind)) if last[t] > tile)
                    following[after, kept] += ways
        states = following
    return sum(states.values())


def _rejection(layout: Layout, tries: int) -> float:
    """Return the seconds that rejection sampling would take for 10,000 arrangements."""
    pieces = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    pairs = layout.adjacency("hex")
    source = random.Random(1)
    began = time.perf_counter()
    for _ in range(tries):
        source.shuffle(pieces)
        any(
            (pieces[a] == pieces[b] and pieces[a] not in UNNUMBERED)
            or {pieces[a], pieces[b]} == {"brick", "lumber"}
            for a, b in pairs
        )
    each = (time.perf_counter() - began) / tries
    return each * 10_000 * count_terrains("open") / count_terrains(OPTIMAL)
