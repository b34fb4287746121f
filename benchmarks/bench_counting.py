"""How fast terrains are counted and drawn, beside an own, plain rendering of the same walk.

What is compared is the textbook walk in dictionaries: tile after tile in reading order, a state being the
pieces left and the terrains on the frontier, with no kinds made alike and nothing in columns. The memory is
that of a fresh process.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from catan_cp.board import Board
from catan_cp.counting import count_markers, count_terrain, sample_terrain, sampling
from catan_cp.layout import LAYOUTS, Layout
from catan_cp.pieces import UNNUMBERED
from catan_cp.rules import Rules

OPTIMAL = Rules.preset("optimal")
POST = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")

_MEMORY = """
import resource
from catan_cp.counting import count_terrain
from catan_cp.rules import Rules
count_terrain(Rules(terrain_cluster_max=1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure everything, each with the compared thing in the same run.

    A row has: ``name``; ``unit``; ``median``, ``least`` and ``most`` of the runs, in units; ``runs``, how
    many; ``target``, what it should be at most, or None; ``against``, what it is compared with;
    ``against_median``, in the same unit; ``ratio``, how many times better than that.
    """
    memory = [_memory() for _ in range(3)]  # first, for a process inherits the peak of the one that starts it
    repeats = 3 if quick else 9
    base = LAYOUTS["base"]
    found = [
        _row("count base, no rules", "s", _counting(Rules(), "base", repeats), 0.05),
        _row(
            "count base, optimal",
            "s",
            _counting(OPTIMAL, "base", repeats),
            1.0,
            "plain walk",
            _plain(OPTIMAL, base),
        ),
        _row("count base, optimal, classes", "s", _counting(OPTIMAL, "base", repeats, True), None),
    ]
    alone = Rules(terrain_cluster_max=1)
    plainly = [] if quick else _plain(alone, base)
    found += [
        _row("count base, clusters of 1", "s", _counting(alone, "base", repeats), 5.0, "plain walk", plainly),
        _row("its memory", "MiB", memory, 2048.0),
        _row(
            "count base, clusters of 2", "s", _counting(alone.replace(terrain_cluster_max=2), "base", 3), None
        ),
        _row("count base-5-6, clusters of 1", "s", _counting(alone, "base-5-6", 3), None),
    ]
    if not quick:
        found.append(_row("count seafarers-6, clusters of 1", "s", _counting(alone, "seafarers-6", 3), None))

    sample_terrain(OPTIMAL, n=1, seed=0)
    drawn = _seconds(repeats, lambda: sample_terrain(OPTIMAL, n=10_000, seed=1))
    pieces = [name for name, count in base.terrain_counts.items() for _ in range(count)]
    rejected = [_rejection(pieces, base, 20_000)]
    found.append(_row("draw 10,000 optimal terrains", "s", drawn, 2.0, "rejection, projected", rejected))
    markers = OPTIMAL.replace(vertex_sum_below=None)
    spent = _seconds(repeats, lambda: count_markers(POST, markers))
    found.append(_row("count optimal markers, sums left aside", "s", spent, None))
    return found


def _counting(rules: Rules, layout: str, repeats: int, distinct: bool = False) -> list[float]:
    def count() -> None:
        sampling.forget()
        count_terrain(rules, layout, distinct=distinct)

    return _seconds(repeats, count)


def _seconds(repeats: int, work: Callable[[], object]) -> list[float]:
    runs = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        runs.append(time.perf_counter() - began)
    return runs


def _memory() -> float:
    done = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _plain(rules: Rules, layout: Layout) -> list[float]:
    """Time the plain walk, and hold it against ours."""
    began = time.perf_counter()
    plainly = plain_count(rules, layout)
    spent = time.perf_counter() - began
    if plainly != count_terrain(rules, layout):
        raise AssertionError(f"the plain walk counts {plainly}, ours {count_terrain(rules, layout)}")
    return [spent]


def plain_count(rules: Rules, layout: Layout) -> int:
    """Count terrains without two equal terrains touching, and with pairs kept apart, in dictionaries."""
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


def _rejection(pieces: list[str], layout: Layout, tries: int) -> float:
    """Return the seconds that shuffling until the rules hold would take for 10,000 terrains."""
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
    return each * 10_000 * count_terrain("open") / count_terrain(OPTIMAL)


def _row(
    name: str,
    unit: str,
    runs: list[float],
    target: float | None,
    against: str | None = None,
    others: list[float] | None = None,
) -> dict[str, Any]:
    median = statistics.median(runs)
    row: dict[str, Any] = {
        "name": name,
        "unit": unit,
        "median": median,
        "least": min(runs),
        "most": max(runs),
        "runs": len(runs),
        "target": target,
    }
    if against and others:
        other = statistics.median(others)
        row |= {"against": against, "against_median": other, "ratio": other / median}
    return row
