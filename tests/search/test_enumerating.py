"""Streams of solutions: their ends, statistics, arguments and memory."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from catan_cp import (
    Board,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    SolverNotFound,
    SolverTimeout,
    count_terrains,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
    sample_terrains,
)
from catan_cp.clock import Clock
from catan_cp.search import questions
from catan_cp.solving.find import find_solver
from tests.limits import until_some

BOTH = ("chuffed", "gecode")
PRINTED = "dlw/bgol/owbwg/lgob/wlg"
TWENTY_TWO = Rules.preset("blog").replace(vertex_sum_below=22)
DRY = Layout("dry", (2, 3), {"desert": 5}, {})
ISLE = dict.fromkeys(range(3), "ore")
BARE = Layout("bare", (1, 2), {"ore": 3}, {}, fixed_terrain=ISLE, unmarked={0, 1, 2})
TINY = Layout("tiny", (1, 2), {"brick": 2, "ore": 1}, {3: 1, 4: 1, 8: 1})


@pytest.mark.parametrize(
    ("layout", "fields"), [(DRY, {"vertex_sum_below": 21}), (BARE, {"terrain_pips_min": 1})]
)
def test_marker_rules_ignore_terrain(layout, fields):
    rules = Rules(**fields)
    assert (
        list(enumerate_terrains(rules, layout))
        == sample_terrains(1, rules, layout)
        == [tuple(layout.terrain_counts) * layout.n_tiles]
    )
    assert count_terrains(rules, layout) == 1
    assert list(enumerate_boards(rules, layout)) == []


@pytest.mark.parametrize("solver", BOTH)
def test_statistics_have_same_names(solver):
    terrains = enumerate_terrains("blog", solver=solver)
    assert terrains.statistics == {}
    assert not terrains.complete
    assert len(list(terrains)) == terrains.found == 96
    assert terrains.complete
    names = {"solutions", "nodes", "failures", "peak_depth", "propagations", "restarts", "variables"}
    if solver == "chuffed" or not find_solver().minizinc.portable:  # where Gecode tells no times
        assert {"init_time", "solve_time"} <= set(terrains.statistics)
    assert names | {"propagators"} <= set(terrains.statistics)
    assert terrains.statistics["solutions"] == 96
    assert all(isinstance(terrains.statistics[name], int) for name in names)


def test_arrays():
    first, second = (enumerate_terrains("blog", solver=solver).array() for solver in BOTH)
    assert np.array_equal(first, second)
    markers = enumerate_markers(PRINTED, TWENTY_TWO).array()
    assert (markers.dtype, markers.shape, (markers == 0).sum()) == (np.uint8, (1, 19), 1)
    assert enumerate_markers(PRINTED, TWENTY_TWO.replace(vertex_sum_below=21)).array().shape == (0, 19)
    terrains = enumerate_terrains("blog")
    assert len(list(islice(terrains, 10))) + len(terrains.array()) == 96
    assert terrains.array().shape == (0, 19)
    with enumerate_terrains("open") as terrains:
        first = next(terrains)
        terrains.close()
        rest = list(terrains)  # what came already is kept
    assert len(rest) + 1 == terrains.found
    assert first not in rest
    assert not terrains.complete


@pytest.mark.parametrize("solver", BOTH)
@pytest.mark.parametrize("limit", [1, 95, 96, 97])
def test_limits(solver, limit):
    terrains = enumerate_terrains("blog", solver=solver, limit=limit)
    assert len(list(terrains)) == min(limit, 96)
    assert terrains.complete == (limit > 96)
    assert terrains.statistics["solutions"] == min(limit, 96)


@pytest.mark.parametrize("stream", [enumerate_terrains, enumerate_boards])
def test_timeout_carries_results(stream):
    def asked(seconds):
        with pytest.raises(SolverTimeout) as caught:
            solutions = stream("open", timeout=seconds)
            next(solutions)
            solutions.array()
        if caught.value.found:  # else it may have been compiling
            assert not solutions.complete
            assert caught.value.found == solutions.found == 1 + len(caught.value.partial)
        return caught.value.found

    until_some(asked)


def test_every_listed_solution_checked(monkeypatch):
    """Whatever the size of the solver's blocks: the first sixteen, then one of 64."""
    looked = []
    monkeypatch.setattr(questions, "check_board", lambda board, *rest: looked.append(board))
    assert len(list(enumerate_markers(PRINTED, "optimal", limit=1000))) == 1000
    assert len(looked) == 16 + 16


# Whole boards


@pytest.mark.parametrize("solver", BOTH)
def test_boards_are_terrains_with_markers(solver):
    boards = enumerate_boards(Rules(equal_markers_apart=True), TINY, solver=solver)
    result = list(boards)
    assert len(result) == len(set(result)) == 3 * 6
    assert boards.complete
    assert boards.statistics["solutions"] == 18
    assert enumerate_boards("open", TINY, solver=solver, limit=7).array().shape == (7, 6)


def test_boards_with_shuffled_harbors():
    rules = Rules(harbors="shuffled", harbor_own_terrain_apart=True)
    boards = enumerate_boards(rules, limit=50)
    result = list(boards)
    assert len(set(result)) == 50
    assert all(rules.check(board) == [] for board in result)
    assert len({board.harbors for board in result}) > 1
    assert enumerate_boards(rules, limit=2).array().shape == (2, 19 + 19 + 9)


# Forms of a terrain argument


def test_every_way_to_write_terrain():
    board = Board.from_notation(PRINTED)
    for terrain in (PRINTED, board, board.terrain):
        assert len(list(enumerate_markers(terrain, TWENTY_TWO))) == 1


# Refusals, before any process starts


def markers_of_the_post(rules, **options):
    return enumerate_markers(PRINTED, rules, **options)


STREAMS = (enumerate_terrains, enumerate_boards, markers_of_the_post)


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize(
    ("stream", "rules", "options", "error"),
    [
        *((enumerate_terrains, "blog", {"timeout": bad}, InvalidArgument)
          for bad in (0, -1, float("nan"), float("inf"), True, "1", [], 1e12)),
        *((stream, "blog", {"limit": bad}, InvalidArgument)
          for bad in (0, -1, 1.0, True, "1") for stream in STREAMS),
        *((stream, *bad) for stream in STREAMS[:2] for bad in (
            ("blogg", {}, InvalidRules),
            ("blog", {"layout": "bases"}, InvalidBoard),
            ("official", {"layout": "seafarers-6"}, InvalidRules),
        )),
        (enumerate_markers, "dlw/bgol", {"rules": "blog"}, InvalidBoard),
        (enumerate_markers, ["brick"] * 18, {"rules": "blog", "layout": "base"}, InvalidBoard),
    ],
)  # fmt: skip
def test_impossible_arguments_rejected(stream, rules, options, error):
    with pytest.raises(error, match=next(iter(options)) if error is InvalidArgument else None):
        stream(rules, **options)


def test_unknown_solver():
    with pytest.raises(SolverNotFound, match="unknown solver 'oracle'"):
        enumerate_terrains("blog", solver="oracle")


def test_clock():
    assert Clock(None).left() is None
    assert Clock(None).at_most(3) == 3
    assert 0 < Clock(5).at_most(9) <= 5
    assert Clock(5).at_most(0.5) == 0.5


# Memory

STREAM = """
from pathlib import Path
from catan_cp import enumerate_terrains
for number, _ in enumerate(enumerate_terrains("open", solver={solver!r}), start=1):
    if number == {most}:
        break
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("solver", ["chuffed", pytest.param("gecode", marks=pytest.mark.slow)])
def test_long_stream_stays_small(solver):
    result = subprocess.run(
        [sys.executable, "-c", STREAM.format(solver=solver, most=100_000)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert int(result.stdout) < 80_000  # KiB
