"""Time limits of exact methods: each call ends within a second of its limit."""

import threading
import time
from contextlib import suppress

import pytest

import catan_cp as cp
from catan_cp import SolverTimeout
from catan_cp.clock import Clock

# No public function shows the sizes of a cache, or empties it.
from catan_cp.counting.budget import Budget, Cache, forget
from catan_cp.counting.diagram import TooManyStates
from tests.limits import until_some

SECONDS = 0.2
SLACK = 3.0
"""A second, and time for a busy machine."""
OPTIMAL = cp.Rules.preset("optimal")
SUMS = OPTIMAL.replace(vertex_sum_below=24)
CLUSTERS = cp.Rules(terrain_cluster_max=2)
# 512 combinations of terrain are allowed, and most have a large diagram.
MANY = cp.Rules(apart=[("brick", "lumber")], constraints=["terrain[1] + terrain[8] + terrain[15] > 0"])
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
        lambda t: cp.sample_terrains(1, MANY, "seafarers-10", timeout=t),
        lambda t: cp.count_terrains(MANY, "seafarers-10", timeout=t),
    ],
)
def test_time_limit_ends_exact_methods(call):
    forget()
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        call(SECONDS)
    assert time.monotonic() - began < SECONDS + SLACK


def test_generation_needs_no_diagrams():
    began = time.monotonic()
    with suppress(SolverTimeout):  # an idle machine finds that there are too many states
        assert not cp.is_countable(MANY, "seafarers-10", timeout=SECONDS)
    assert time.monotonic() - began < SECONDS + SLACK
    assert MANY.check(cp.generate_board(MANY, "seafarers-10", timeout=300)) == []


def test_unfinished_count_is_lower_bound():
    def n_counted(seconds):
        with pytest.raises(SolverTimeout, match=r"at least [\d,]+ marker arrangements") as raised:
            cp.count_markers(TERRAIN, cp.Rules(vertex_sum_below=25), timeout=seconds)
        return raised.value.found

    until_some(n_counted)


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


def test_cache_keeps_limits_and_size():
    cache, built = Cache[str](8, len), []

    def get(name, limit, states=4):
        def build():
            built.append(name)
            if states > limit:
                raise TooManyStates("more")
            return name

        try:
            return cache.get(name, Budget(limit), build)
        except TooManyStates:
            return "too many"

    for name, limit, result, is_built in (
        ("four", 5, "four", True),
        ("four", 5, "four", False),
        ("four", 9, "four", False),
        ("four", 3, "too many", True),
        ("four", 2, "too many", False),
        ("four", 5, "four", False),
        ("sevenfold", 5, "sevenfold", True),  # together more than 8: the other goes
        ("four", 5, "four", True),
        ("four", 3, "too many", False),
    ):
        built.clear()
        assert (get(name, limit), bool(built)) == (result, is_built), (name, limit)
    forget()
    assert get("four", 5) == "four" and built == ["four"]
