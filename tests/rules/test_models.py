"""The models: published counts, and the same solutions from both solvers and brute force."""

import os
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catan_cp import (
    Board,
    Harbor,
    InvalidRules,
    Layout,
    Rules,
    SolverNotFound,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
)
from catan_cp.boards.pieces import TERRAIN_CODE, TRADES, UNNUMBERED
from catan_cp.solving.find import ENVIRONMENT_VARIABLE, find_solver
from tests.conftest import script
from tests.magic import magic_squares, magic_squares_of_package
from tests.small_boards import (
    allowed_markers,
    allowed_terrains,
    arrangements,
    island_rules,
    layouts,
    marker_rules,
    terrain_rules,
)

pytestmark = pytest.mark.solver

BOTH = ("chuffed", "gecode")
PRINTED = "dlw/bgol/owbwg/lgob/wlg"


# Published counts


@pytest.mark.parametrize("solver", BOTH)
def test_blog_has_96_terrains_in_order(solver):
    terrains = enumerate_terrains("blog", solver=solver)
    listing = list(terrains)
    assert len(listing) == len(set(listing)) == 96
    assert Board.from_notation(PRINTED).terrain in listing
    assert terrains.complete
    codes = [[TERRAIN_CODE[name] for name in terrain] for terrain in listing]
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


@pytest.mark.parametrize("solver", BOTH)
@pytest.mark.parametrize(
    ("fixed", "diagonals", "count"),
    [
        (None, True, 8),
        (((2, 0, 0), (0, 0, 0), (0, 0, 0)), True, 2),
        (((2, 0, 4), (0, 0, 0), (0, 0, 0)), True, 1),
        (((2, 9, 4), (7, 5, 3), (6, 1, 8)), True, 1),
        (((2, 9, 4), (7, 5, 3), (6, 8, 1)), True, 0),
    ],
)
def test_magic_squares_of_order_3(solver, fixed, diagonals, count):
    squares = magic_squares(3, diagonals=diagonals, fixed=fixed, solver=solver)
    listing = list(squares)
    assert len(set(listing)) == len(listing) == count
    assert squares.complete
    for square in listing:
        assert {sum(line) for line in (*square, *zip(*square, strict=True))} == {15}


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
def test_symmetry_breaking_of_semi_magic_squares(solver):
    """Rows and columns change places, and the square is mirrored: 3!

    * 3! * 2 = 72 moves, and one square.
    """
    lines = [
        "cell[1, 1] = 1",
        "cell[1, 2] < cell[1, 3]",
        "cell[2, 1] < cell[3, 1]",
        "cell[1, 2] < cell[2, 1]",
    ]
    for n, count in enumerate((72, 8, 4, 2, 1)):
        squares = list(magic_squares(3, diagonals=False, constraints=lines[:n], solver=solver))
        assert len(squares) == len(set(squares)) == count
    free = list(magic_squares(3, constraints=["let { var LINE: r } in cell[r, 2] > 3"], solver=solver))
    assert len(free) == len(set(free)) == 8  # a free variable makes none twice


@pytest.mark.parametrize(("order", "count"), [(1, 1), (2, 0), pytest.param(4, 7040, marks=pytest.mark.slow)])
def test_magic_squares_of_other_orders(order, count):
    squares = magic_squares(order, solver="gecode").array()
    assert squares.shape == (count, order**2)
    assert len(set(map(bytes, squares))) == count


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 8),
        ({"fixed": ((2, 0, 0), (0, 0, 0), (0, 0, 0))}, 2),
        ({"fixed": ((2, 0, 4), (0, 0, 0), (0, 0, 0))}, 1),
        ({"diagonals": False}, 72),
        pytest.param({"order": 4}, 7040, marks=pytest.mark.slow),
    ],
)
def test_magic_squares_by_package_and_lists(options, count):
    listing = magic_squares_of_package(**options)
    assert len(listing) == count
    assert set(listing) == set(magic_squares(**options, solver="gecode"))


# The same solutions as brute force


def same(streams, expected):
    """True if each stream gives the expected solutions, each once, in one order."""
    first, *rest = [list(stream) for stream in streams]
    assert all(answer == first for answer in rest)
    assert Counter(first) == Counter(expected)


def same_terrains(layout, rules):
    same(
        (enumerate_terrains(rules, layout, solver=solver) for solver in BOTH), allowed_terrains(rules, layout)
    )


def same_islands(rows, n_sea, land, rules):
    pieces = Counter(["sea"] * n_sea + land[: sum(rows) - n_sea])
    same_terrains(Layout("small", rows, pieces, {}), rules)


@st.composite
def numberings(draw):
    """A small layout, a terrain on it, and rules about its markers."""
    layout = draw(layouts(with_markers=True, with_seconds=True))
    terrain = draw(st.permutations([name for name, n in layout.terrain_counts.items() for _ in range(n)]))
    land = [name for name in layout.terrains if name not in UNNUMBERED]
    bounds = st.sampled_from(({}, {"every": 3}, {land[0]: 4} if land else {}))
    rules = draw(marker_rules)
    try:
        most = draw(st.sampled_from(({}, {"every": 12}, {land[-1]: 8} if land else {})))
        rules = rules.replace(terrain_pips_min=draw(bounds), terrain_pips_max=most)
    except InvalidRules:
        pass
    return layout, tuple(terrain), rules


def same_markers(case):
    layout, terrain, rules = case
    streams = (enumerate_markers(terrain, rules, layout, solver=solver) for solver in BOTH)
    same(streams, map(tuple, allowed_markers(terrain, rules, layout)))


def same_spirals(terrain, order, reds_apart):
    counts = dict.fromkeys(terrain, 1)
    layout = Layout("small", (2, 3, 2), counts, Counter(order), spiral_order=tuple(order))
    same_markers((layout, terrain, Rules(marker_order="spiral", reds_apart=reds_apart)))


@st.composite
def harbor_layouts(draw):
    """Three tiles with harbors, and rules about them."""
    kinds = draw(
        st.sampled_from((("brick", "ore"), ("wool", "desert"), ("grain", "grain"), ("lumber", "sea")))
    )
    bare = Layout("small", draw(st.sampled_from(((1, 2), (2, 1)))), Counter((*kinds, kinds[0])), {4: 2, 8: 2})
    edges = bare.coast_edges[::3][:3]
    trades = draw(st.lists(st.sampled_from(TRADES), min_size=len(edges), max_size=len(edges)))
    harbors = tuple(Harbor(edge, trade) for edge, trade in zip(edges, trades, strict=True))
    rules = Rules(
        harbors=draw(st.sampled_from(("printed", "shuffled"))),
        harbor_own_terrain_apart=draw(st.booleans()),
        harbor_on_every_island=draw(st.booleans()),
        equal_markers_apart=draw(st.booleans()),
    )
    return replace(bare, printed_harbors=harbors), rules


def same_boards(case):
    layout, rules = case
    edges = [harbor.vertices for harbor in layout.printed_harbors]
    dealt = set(permutations(harbor.trade for harbor in layout.printed_harbors))
    expected = [
        board
        for terrain in arrangements(dict(layout.terrain_counts))
        for markers in allowed_markers(terrain, Rules(), layout)
        for trades in dealt
        if not rules.check(board := Board(layout, terrain, markers, tuple(map(Harbor, edges, trades))))
    ]
    same((enumerate_boards(rules, layout, solver=solver) for solver in BOTH), expected)


PROPERTIES = {
    same_terrains: (8, layouts(), terrain_rules),
    same_islands: (
        6,
        st.sampled_from(((1, 2, 1), (2, 3, 2), (4,))),
        st.integers(1, 3),
        st.lists(st.sampled_from(("ore", "wool", "desert")), min_size=7, max_size=7),
        island_rules,
    ),
    same_markers: (8, numberings()),
    same_spirals: (
        5,
        st.permutations(["desert", "brick", "grain", "ore", "wool", "sea", "lumber"]),
        st.lists(st.sampled_from((2, 3, 6, 8, 12)), min_size=7, max_size=7),
        st.booleans(),
    ),
    same_boards: (4, harbor_layouts()),
}
"""Brute force, with which the results of the solvers are compared.

The minimum number of examples, and their kind.
"""


@pytest.mark.parametrize("same", PROPERTIES, ids=lambda same: same.__name__)
@pytest.mark.parametrize("times", [0.25, pytest.param(6, marks=pytest.mark.slow)])
def test_small_layouts_equal_brute_force(same, times):
    examples, *cases = PROPERTIES[same]
    few = settings(
        max_examples=int(times * examples),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    few(given(*cases)(same))()


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
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, place)


def test_every_model_runs_on_oldest_minizinc(oldest):
    with pytest.raises(SolverNotFound):
        find_solver("chuffed")
    assert len(list(enumerate_terrains("blog"))) == 96
    assert len(list(enumerate_markers(PRINTED, Rules.preset("blog").replace(vertex_sum_below=22)))) == 1
    assert len(list(magic_squares(3))) == 8
    rules = Rules(harbors="shuffled", harbor_own_terrain_apart=True, terrain_cluster_max=2)
    boards = list(enumerate_boards(rules, limit=3))
    assert [rules.check(board) for board in boards] == [[], [], []]
