"""Time limits of exact methods: each call ends within a second of its limit."""

import threading
import time

import pytest

import catan_cp as cp
from catan_cp import SolverTimeout
from catan_cp.clock import Clock
from catan_cp.counting import budget
from catan_cp.counting.budget import Budget, Cache

SECONDS = 0.5
SLACK = 3.0
"""A second, and time for a busy machine."""
OPTIMAL = cp.Rules.preset("optimal")
SUMS = OPTIMAL.replace(vertex_sum_below=24)
CLUSTERS = cp.Rules(terrain_cluster_max=2)
TERRAIN = "dlw/bgol/owbwg/lgob/wlg"


@pytest.mark.parametrize(
    "call",
    [
        lambda t: cp.generate_board(SUMS, method="uniform", seed=1, timeout=t),
        lambda t: list(cp.generate_boards(10**6, "tournament", seed=1, timeout=t)),
        lambda t: list(cp.generate_boards(10**6, cp.Rules(reds_apart=True), seed=1, timeout=t)),
        lambda t: list(cp.generate_boards(10**6, "tournament", "seafarers-10", seed=1, timeout=t)),
        lambda t: cp.generate_board("tournament", seed=1, candidates=10**7, timeout=t),
        lambda t: cp.count_boards(SUMS, timeout=t),
        lambda t: cp.count_boards("tournament", "base-5-6", timeout=t),
        lambda t: cp.count_markers(TERRAIN, cp.Rules(vertex_sum_below=25), timeout=t),
        lambda t: cp.count_terrains(CLUSTERS, "base-5-6", up_to_symmetry=True, timeout=t),
        lambda t: cp.count_terrains(CLUSTERS.replace(constraints=["terrain[1] != terrain[19]"]), timeout=t),
        lambda t: cp.sample_terrains(1, CLUSTERS, "base-5-6", seed=1, timeout=t),
        lambda t: cp.sample_terrains(10**8, "blog", seed=1, timeout=t),
    ],
)
def test_time_limit_ends_exact_methods(call):
    budget.forget()
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        call(SECONDS)
    assert time.monotonic() - began < SECONDS + SLACK


def test_unfinished_count_is_lower_bound():
    blog = cp.Rules.preset("blog")
    assert cp.count_markers(TERRAIN, blog.replace(vertex_sum_below=22), timeout=600) == 1
    with pytest.raises(SolverTimeout, match=r"at least [\d,]+ marker arrangements") as raised:
        cp.count_markers(TERRAIN, cp.Rules(vertex_sum_below=25), timeout=2)
    assert raised.value.found > 0


def test_limit_holds_while_another_thread_counts():
    cache, started, end = Cache[int](3), threading.Event(), threading.Event()

    def slow():
        started.set()
        end.wait(60)
        return 1

    thread = threading.Thread(target=lambda: cache.get("slow", Budget(9), slow))
    thread.start()
    try:
        started.wait(60)
        with pytest.raises(SolverTimeout):
            cache.get("quick", Budget(9, Clock(0.1)), lambda: 2)
    finally:
        end.set()
        thread.join()
    assert cache.get("quick", Budget(9, Clock(60)), lambda: 2) == 2
