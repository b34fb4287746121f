"""Invented frames of any hexagons, with groups, fixed and inland tiles: several methods."""

from collections import Counter
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import catan_cp as cp
from catan_cp import Problem
from catan_cp.counting.budget import Budget
from catan_cp.counting.terrains import terrain_space
from catan_cp.rules.rule import keeping_symmetries
from tests.small_boards import terrain_rules

NAMES = ("sea", "desert", "ore", "wool", "lake")
PLACES = [(2 * column + row % 2, 3 * row) for row in range(4) for column in range(4)]


@st.composite
def frames(draw, most=8):
    """Up to *most* hexagons, connected or not, in one group or two, some fixed.

    Lakes stay inland.
    """
    tiles = sorted(draw(st.sets(st.sampled_from(PLACES), min_size=1, max_size=most)), key=lambda p: p[::-1])
    n = len(tiles)
    names = draw(st.lists(st.sampled_from(NAMES), min_size=n, max_size=n))
    group = draw(st.lists(st.sampled_from((0, 0, 2)), min_size=n, max_size=n))
    fixed = draw(st.sets(st.integers(0, n - 1), max_size=2))
    second = Counter(names[t] for t in range(n) if group[t] == 2 and t not in fixed)
    return cp.Layout(
        "frame",
        (),
        Counter(names),
        {},
        tiles=tuple(tiles),
        terrain_group=tuple(group),
        group_terrain={2: second} if second else {},
        fixed_terrain={t: names[t] for t in fixed},
        further_terrains={"lake": "k"},
        inland=frozenset({"lake"}) if draw(st.booleans()) else frozenset(),
    )


def allowed(rules, layout):
    """Every arrangement of each group's pieces that `Rules.check` finds no fault with."""
    dealt = [set(permutations(Counter(pool.pieces).elements())) for pool in layout.terrain_pools]
    for deal in product(*dealt):
        names = dict(layout.fixed_terrain)
        for pool, pieces in zip(layout.terrain_pools, deal, strict=True):
            names |= dict(zip(pool.tiles, pieces, strict=True))
        terrain = tuple(names[t] for t in range(layout.n_tiles))
        if not rules.check(cp.Board(layout, terrain)):
            yield terrain


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(frames(), terrain_rules)
def test_frame_counts_equal_brute_force(layout, rules):
    terrains = set(allowed(rules, layout))
    try:
        assert cp.count_terrains(rules, layout) == len(terrains)
    except cp.CatanError as refused:
        assert "clusters over the groups" in str(refused)
        return
    moves = keeping_symmetries(layout, rules.adjacency)
    classes = {min(cp.Board(layout, t).moved(m).terrain for m in moves) for t in terrains}
    assert cp.count_terrains(rules, layout, up_to_symmetry=True) == len(classes)
    if terrains:
        assert set(cp.sample_terrains(20, rules, layout, seed=1)) <= terrains
    if rules.symmetry == "all" and terrains:
        space = terrain_space(Problem.of(rules, layout), Budget(100_000))
        rows = space.arrays(range(space.total))
        names = layout.all_terrains
        assert {tuple(names[code - 1] for code in row) for row in rows.tolist()} == terrains
        assert space.ranks(rows) == list(range(space.total))


def test_groups_and_fixed_tile_share_terrain():
    layout = cp.Layout(
        "row", (5,), {"ore": 3, "wool": 2}, {}, terrain_group=(0, 0, 0, 2, 2),
        group_terrain={2: {"ore": 1, "wool": 1}}, fixed_terrain={0: "ore"},
    )  # fmt: skip
    assert cp.count_terrains("open", layout) == 4
    assert cp.count_terrains(cp.Rules(terrain_cluster_max=1), layout) == 1
    with pytest.raises(cp.CatanError, match="clusters over the groups of tiles of 'row'"):
        cp.count_terrains(cp.Rules(terrain_cluster_max=2), layout)


@pytest.mark.solver
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(frames(most=12), terrain_rules)
def test_both_solvers_list_what_is_counted(layout, rules):
    if not cp.is_countable(rules, layout) or not 0 < cp.count_terrains(rules, layout) <= 5000:
        return
    chuffed, gecode = (list(cp.enumerate_terrains(rules, layout, solver=s)) for s in ("chuffed", "gecode"))
    assert chuffed == gecode
    assert len(set(chuffed)) == len(chuffed) == cp.count_terrains(rules, layout)


@pytest.mark.solver
@pytest.mark.parametrize("name", ["tb-ultimate-green-5", "fog-islands-3", "barbarian-attack"])
def test_optimal_terrains_of_box_listed(name):
    n = cp.count_terrains("optimal", name)
    assert len(list(cp.enumerate_terrains("optimal", name))) == n > 0
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert row.split(" | ")[-1] == f"{n:,} |"


def spiral(groups=(0, 0, 0, 0, 0), group_markers=None, **more):
    return cp.Layout(
        "spiral", (1, 2, 2), {"sea": 2, "gold": 3}, {12: 3, 11: 1, 5: 1}, spiral_order=(12, 12, 12, 11, 5),
        tiles=((0, 0), (-1, 3), (1, 3), (0, 6), (2, 6)), marker_group=groups,
        group_markers=group_markers or {}, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    "layout, boards",
    [
        (spiral((0, 1, 0, 1, 1), {1: {12: 1}}), 3),
        pytest.param(spiral(fixed_markers={3: 12}), None, marks=pytest.mark.slow),
        pytest.param(spiral(fixed_markers={3: 5}), None, marks=pytest.mark.slow),
        pytest.param(spiral(pips_max={0: 1}), None, marks=pytest.mark.slow),
    ],
)
def test_spiral_obeys_groups_and_fixed_markers(layout, boards):
    rules = cp.Rules(marker_order="spiral")
    listed = set(cp.enumerate_boards(rules, layout))
    numbered = [cp.unrank_board(k, rules, layout) for k in range(cp.count_boards(rules, layout))]
    assert {(b.terrain, b.markers) for b in listed} == {(b.terrain, b.markers) for b in numbered}
    assert len(numbered) == len(listed) == (len(listed) if boards is None else boards)
    assert all(not rules.check(board) for board in numbered)
    assert all(not rules.check(board) for board in cp.sample_boards(20 if numbered else 0, rules, layout))
