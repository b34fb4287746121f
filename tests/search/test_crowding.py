"""Too many tiles of terrains that may not touch: rejected before any count or search."""

import pickle
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import (
    Conflict,
    Infeasible,
    Layout,
    Problem,
    Rules,
    best_board,
    copy_models,
    generate_board,
)
from catan_cp.search import conflicts
from catan_cp.search.conflicts import is_crowded, most_apart, reject_crowded
from tests.small_boards import allowed_terrains, island_rules, layouts, terrain_rules

CROWDED = ("base-5-6", "caravans", "explorers-pirates", "tb-ultimate-green-4")


def refuse(*_args, **_options):
    raise AssertionError("nothing need be counted, compiled or solved")


@pytest.mark.parametrize("name", CROWDED)
@pytest.mark.parametrize(
    "ask", [generate_board, lambda *options: best_board(*options, minimize="largest_vertex_sum")]
)
@pytest.mark.solver
def test_too_many_terrains_named_at_once(ask, name, monkeypatch):
    monkeypatch.setattr("catan_cp.search.solver_method.has_countable_terrains", refuse)
    monkeypatch.setattr("catan_cp.solving.compiling.compile_model", refuse)
    with pytest.raises(
        Infeasible,
        match=r"these rules cannot all hold: terrain_cluster_max=1, apart=\(\('brick', 'l.*\(proven minimal",
    ) as raised:
        ask("optimal", name)
    assert raised.value.conflict == Conflict(("terrain_cluster_max", "apart"), (), minimal=True)
    assert pickle.loads(pickle.dumps(raised.value)).conflict == raised.value.conflict


@given(layouts(), st.one_of(terrain_rules, island_rules))
@settings(max_examples=150, deadline=None)
def test_rejected_rules_have_no_terrain(layout, rules):
    try:
        reject_crowded(Problem.of(rules, layout))
    except Infeasible:
        assert allowed_terrains(rules, layout) == []


@pytest.mark.parametrize(
    ("further", "rules", "crowded"),
    [
        ({}, {}, False),
        ({}, {"apart": [("brick", "ore")]}, True),
        ({}, {"apart": [("wool", "ore")]}, False),
        ({"fixed_terrain": {0: "brick", 2: "brick"}}, {}, False),
        ({"fixed_terrain": {0: "brick", 1: "brick"}}, {}, True),
        ({"terrain_group": (1, 0, 1, 0), "group_terrain": {1: {"brick": 2}}}, {}, False),
        ({"terrain_group": (1, 1, 0, 0), "group_terrain": {1: {"brick": 2}}}, {}, True),
    ],
)
def test_fixed_pieces_and_groups_counted_apart(further, rules, crowded):
    row = Layout("row", (4,), {"brick": 2, "ore": 1, "wool": 1}, {}, **further)
    assert is_crowded(Problem.of(Rules(terrain_cluster_max=1, **rules), row)) == crowded


@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda two: two[0] < two[1])))
def test_independent_set_equals_brute_force(pairs):
    tiles = frozenset(range(9)) - {4}
    sets = (subset for size in range(len(tiles), -1, -1) for subset in combinations(sorted(tiles), size))
    apart = next(subset for subset in sets if not any({a, b} <= set(subset) for a, b in pairs))
    assert most_apart(tiles, frozenset(pairs)) == len(apart)


def test_very_wide_layout_not_rejected(monkeypatch):
    monkeypatch.setattr(conflicts, "_MOST_STATES", 4)
    most_apart.cache_clear()
    assert not is_crowded(Problem.of("optimal", "base-5-6"))
    most_apart.cache_clear()


def test_edited_models_may_mean_something_else(tmp_path):
    rules = Rules.preset("optimal")
    with pytest.raises(Infeasible):
        reject_crowded(Problem.of(rules, "base-5-6"))
    folder = copy_models(tmp_path / "mine")
    reject_crowded(Problem.of(rules.replace(models=folder, constraints=["terrain[1] = ORE"]), "base"))
    with (folder / "layout.mzn").open("a") as file:
        file.write("constraint true;\n")
    reject_crowded(Problem.of(rules.replace(models=folder), "base-5-6"))
