"""The models: known numbers, and the same solutions in one order from both solvers."""

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Layout,
    Rules,
    SolverNotFound,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
)

# A forgetful Chuffed takes the place of the real one, of which no public function tells the program.
from catan_cp.solving.find import find_solver
from tests.agreement.cases import random_case
from tests.brute_force import Filling
from tests.conftest import script
from tests.magic import magic_squares, magic_squares_of_package

pytestmark = pytest.mark.solver

BOTH = ("chuffed", "gecode")
PRINTED = "dlw/bgol/owbwg/lgob/wlg"


# Known numbers


@pytest.mark.parametrize("solver", BOTH)
def test_blog_has_96_terrains_in_order(solver):
    terrains = enumerate_terrains("blog", solver=solver)
    listing = list(terrains)
    assert len(listing) == len(set(listing)) == 96
    assert Board.from_notation(PRINTED).terrain in listing
    assert terrains.complete
    codes = [[LAYOUTS["base"].terrain_codes[name] for name in terrain] for terrain in listing]
    assert codes == sorted(codes)


@pytest.mark.parametrize(
    ("below", "count", "solver"),
    [
        *((below, count, solver) for below, count in ((21, 0), (22, 1)) for solver in BOTH),
        *(pytest.param(23, 11_753, solver, marks=pytest.mark.slow) for solver in BOTH),
    ],
)
def test_markers_on_printed_terrain(solver, below, count):
    rules = Rules.preset("blog").replace(vertex_sum_below=below)
    markers = enumerate_markers(PRINTED, rules, solver=solver)
    listing = list(markers)
    assert len(listing) == len(set(listing)) == count
    assert markers.complete
    if count == 1:
        assert rules.check(Board("base", Board.from_notation(PRINTED).terrain, listing[0])) == []


def test_demands_of_layout_are_in_models():
    inland = Layout("ring", (2, 3, 2), {"wool": 6, "gold": 1}, {}, inland=("gold",))
    assert [terrain.index("gold") for terrain in enumerate_terrains(Rules(), inland)] == [3]
    island = Layout("ring", (2, 3, 2), {"wool": 5, "gold": 1, "sea": 1}, {}, inland=("gold",))
    assert list(enumerate_terrains(Rules(), island)) == []  # the sea touches the only tile inland
    poor = Layout("three", (1, 2), {"wool": 3}, {2: 1, 6: 1, 8: 1}, pips_max={0: 4})
    assert {*enumerate_markers(["wool"] * 3, Rules(), poor)} == {(2, 6, 8), (2, 8, 6)}


@pytest.mark.slow
def test_optimal_has_188160_terrains():
    terrains = enumerate_terrains("optimal", solver="chuffed").array()
    assert terrains.shape == (188_160, 19)
    assert (terrains[1:] != terrains[:-1]).any(axis=1).all()


SEMI = ("cell[1, 1] = 1", "cell[1, 2] < cell[1, 3]", "cell[2, 1] < cell[3, 1]", "cell[1, 2] < cell[2, 1]")
"""Of 72 semi-magic squares, which 3! * 3! * 2 moves make of one, these lines leave 8, 4, 2 and 1."""


@pytest.mark.parametrize("solver", BOTH)
@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 8),
        ({"fixed": ((2, 0, 0), (0, 0, 0), (0, 0, 0))}, 2),
        ({"fixed": ((2, 9, 4), (7, 5, 3), (6, 8, 1))}, 0),
        *(({"diagonals": False, "constraints": SEMI[:n]}, (72, 8, 4, 2, 1)[n]) for n in range(5)),
        # A free variable makes no square twice.
        ({"constraints": ["let { var LINE: r } in cell[r, 2] > 3"]}, 8),
        ({"order": 1}, 1),
        ({"order": 2}, 0),
        pytest.param({"order": 4}, 7040, marks=pytest.mark.slow),
    ],
)
def test_magic_squares(solver, options, count):
    squares = magic_squares(**options, solver=solver)
    listing = list(squares)
    assert len(set(listing)) == len(listing) == count
    assert squares.complete
    if options.get("order", 3) == 3:
        assert {sum(line) for square in listing for line in (*square, *zip(*square, strict=True))} <= {15}


@pytest.mark.parametrize(
    ("options", "count"), [({}, 8), pytest.param({"order": 4}, 7040, marks=pytest.mark.slow)]
)
def test_magic_squares_by_package(options, count):
    listing = magic_squares_of_package(**options)
    assert len(listing) == count
    assert set(listing) == set(magic_squares(**options, solver="gecode"))


# Both solvers


QUICK = (24, 25, 29, 79, 92, 96, 171, 233, 257)
"""Seeds of small cases in which every rule occurs."""


@pytest.mark.parametrize(
    "seed", [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(600, 720))]
)
def test_solvers_list_all_in_one_order(seed):
    case, _ = random_case(seed)
    boards, others = (list(enumerate_boards(case.rules, case.layout, solver=solver)) for solver in BOTH)
    assert boards == others
    assert Counter(map(Filling.of, boards)) == Counter(case.boards)
    terrains = list(enumerate_terrains(case.rules, case.layout, solver="gecode"))
    assert sorted(terrains) == sorted(case.terrains)


# Chuffed forgets what it has learnt


@pytest.mark.parametrize(
    ("own", "count"), [(("marker[2] = 5",), 566), pytest.param((), 11_753, marks=pytest.mark.slow)]
)
def test_forgetful_solver_lists_nothing_twice(own, count, tmp_path, monkeypatch):
    chuffed = find_solver("chuffed")
    forgetful = script(tmp_path / "chuffed", f'exec "{chuffed.executable}" --n-of-learnts 1 "$@"')
    monkeypatch.setattr(
        "catan_cp.solving.find.find_solver", lambda name: replace(chuffed, executable=forgetful)
    )
    rules = Rules.preset("blog").replace(vertex_sum_below=23, constraints=own)
    everything = enumerate_markers(PRINTED, rules)
    listing = list(everything)
    assert len(listing) == len(set(listing)) == everything.statistics["solutions"] == count
    assert everything.statistics["nogoods"] > 2 * count
    some = enumerate_markers(PRINTED, rules, limit=3 * count // 4)
    assert list(some) == listing[: 3 * count // 4]
    assert not some.complete


# An older MiniZinc


@pytest.fixture
def oldest(monkeypatch):
    place = os.environ.get("CATAN_CP_OLD_MINIZINC", "")
    if not Path(place, "bin", "minizinc").is_file():
        pytest.skip("CATAN_CP_OLD_MINIZINC names no folder with a MiniZinc 2.6.4")
    monkeypatch.setenv("CATAN_CP_MINIZINC", place)


def test_every_model_runs_on_oldest_minizinc(oldest):
    with pytest.raises(SolverNotFound):
        find_solver("chuffed")
    assert len(list(enumerate_terrains("blog"))) == 96
    assert len(list(enumerate_markers(PRINTED, Rules.preset("blog").replace(vertex_sum_below=22)))) == 1
    assert len(list(magic_squares(3))) == 8
    rules = Rules(harbors="shuffled", harbor_own_terrain_apart=True, terrain_cluster_max=2)
    boards = list(enumerate_boards(rules, limit=3))
    assert [rules.check(board) for board in boards] == [[], [], []]
