"""Streams of solutions: their ends, statistics, arguments and memory."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from catan_cp import (
    Board,
    CatanError,
    Infeasible,
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
    generate_board,
    sample_terrains,
)
from tests.limits import until_some

BOTH = ("chuffed", "gecode")
PRINTED = "dlw/bgol/owbwg/lgob/wlg"
TWENTY_TWO = Rules.preset("blog").replace(vertex_sum_below=22)
DRY = Layout("dry", (2, 3), {"desert": 5}, {})
ISLE = dict.fromkeys(range(3), "ore")
BARE = Layout("bare", (1, 2), {"ore": 3}, {}, fixed_terrain=ISLE, unmarked={0, 1, 2})


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
    if solver == "chuffed":  # The portable Gecode has no times.
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


@pytest.mark.parametrize(("solver", "limit"), [("chuffed", 95), ("gecode", 96), ("gecode", 97)])
def test_limits(solver, limit):
    terrains = enumerate_terrains("blog", solver=solver, limit=limit)
    assert len(list(terrains)) == min(limit, 96)
    assert terrains.complete == (limit > 96)
    assert terrains.statistics["solutions"] == min(limit, 96)


@pytest.mark.parametrize("stream", [enumerate_terrains, enumerate_boards])
def test_timeout_carries_results(stream):
    def count_found(seconds):
        with pytest.raises(SolverTimeout) as caught:
            solutions = stream("open", timeout=seconds)
            next(solutions)
            solutions.array()
        if caught.value.found:  # else it may have been compiling
            assert not solutions.complete
            assert caught.value.found == solutions.found == 1 + len(caught.value.partial)
        return caught.value.found

    until_some(count_found)


def test_listed_solutions_checked(faulty, monkeypatch):
    """The first sixteen and every 64th, whatever the size of the solver's blocks."""
    checked = []
    monkeypatch.setattr("catan_cp.search.questions.check_board", lambda board, *_: checked.append(board))
    faulty('REAL "$@" | { head -c 20000; sleep 0.3; cat; }')
    boards = list(enumerate_markers(PRINTED, "optimal", limit=1000))
    assert len(boards) == 1000
    assert {board.markers for board in checked} == {tuple(row) for row in (*boards[:16], *boards[::64])}


# Up to symmetry


def test_orbit_without_allowed_first_terrain_listed():
    """The first terrain of every orbit has a tile at a harbor of the same terrain."""
    apart = Rules.preset("blog").replace(symmetry="all", harbors="printed", harbor_own_terrain_apart=True)
    assert count_terrains(apart.replace(symmetry="distinct")) == 0
    with enumerate_terrains(apart, up_to_symmetry=True) as solutions:
        assert len(list(solutions)) == count_terrains(apart, up_to_symmetry=True) == 128


def test_limit_of_orbits():
    with enumerate_boards("tournament", "base", up_to_symmetry=True, limit=7) as solutions:
        assert len(list(solutions)) == 7 and not solutions.complete


def test_no_orbit_has_allowed_first_terrain():
    triangle = Layout("triangle", (1, 2), {"brick": 2, "ore": 1}, {6: 2, 8: 1})
    rules = Rules(symmetry="distinct", pattern="o/xx")
    assert count_terrains(rules, triangle) == 0
    with pytest.raises(Infeasible):
        sample_terrains(2, rules, triangle, seed=1)
    for method in ("auto", "solver"):
        with pytest.raises(Infeasible, match="these rules cannot all hold"):
            generate_board(rules, triangle, seed=1, method=method)


def test_few_orbits_have_allowed_first_terrain(monkeypatch):
    """Samples come from a list.

    If it is too long, the solver decides whether there is a board.
    """
    row = Layout("row", (6,), {"brick": 3, "ore": 3}, {6: 6})
    rules = Rules(symmetry="distinct", pattern="bxxoxx")
    firsts = set(enumerate_terrains(rules, row))
    assert 0 < len(firsts) == count_terrains(rules, row)
    assert set(sample_terrains(200, rules, row, seed=1)) == firsts
    impossible = Rules(symmetry="distinct", pattern="oxxxxb")
    monkeypatch.setattr("catan_cp.counting.counts.TERRAINS_MOST", 1)
    monkeypatch.setattr("catan_cp.counting.counts._MAX_MISSES", 100)
    with pytest.raises(CatanError, match="use symmetry='all', or enumerate_terrains"):
        sample_terrains(1, impossible, row, seed=1)
    with pytest.raises(Infeasible, match="these rules cannot all hold"):
        generate_board(impossible, row, seed=1)


# Forms of a terrain argument


def test_every_way_to_write_terrain():
    board = Board.from_notation(PRINTED)
    for terrain in (PRINTED, board, board.terrain):
        assert len(list(enumerate_markers(terrain, TWENTY_TWO))) == 1


# Rejections, before any process starts


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize(
    ("stream", "problem", "options", "error"),
    [
        (enumerate_terrains, ("blog",), {"timeout": 0}, InvalidArgument),
        (enumerate_boards, ("blog",), {"limit": 1.0}, InvalidArgument),
        (enumerate_markers, (PRINTED, "blog"), {"limit": 0}, InvalidArgument),
        (enumerate_boards, ("official", "seafarers-6"), {}, InvalidRules),
        (enumerate_markers, ("dlw/bgol", "blog"), {}, InvalidBoard),
        (enumerate_markers, (["brick"] * 18, "blog", "base"), {}, InvalidBoard),
    ],
)
def test_wrong_arguments_rejected(stream, problem, options, error):
    with pytest.raises(error, match=next(iter(options), None)):
        stream(*problem, **options)


def test_unknown_solver():
    with pytest.raises(SolverNotFound, match="unknown solver 'oracle'"):
        enumerate_terrains("blog", solver="oracle")


# Memory

STREAM = """
from pathlib import Path
from catan_cp import enumerate_terrains
for number, _ in enumerate(enumerate_terrains("open", solver="chuffed"), start=1):
    if number == 100_000:
        break
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_long_stream_stays_small():
    result = subprocess.run(
        [sys.executable, "-c", STREAM],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert int(result.stdout) < 80_000  # KiB
