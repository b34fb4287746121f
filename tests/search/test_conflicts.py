"""Rules without a board: the smallest conflict is named, soon, and on slow machines too."""

import pickle
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import (
    Conflict,
    Infeasible,
    Layout,
    Rules,
    SolverTimeout,
    best_board,
    copy_models,
    generate_board,
)

# Layouts have few of the graphs on which a wrong size would reject rules that have boards.
from catan_cp.search.conflicts import most_apart
from tests.small_boards import allowed_terrains, island_rules, layouts, terrain_rules

pytestmark = pytest.mark.solver

SMALL = Layout("small", (1, 2), {"brick": 1, "desert": 2}, {8: 2})
APART = [("brick", name) for name in ("grain", "wool", "ore", "lumber")]


@pytest.mark.parametrize(
    ("layout", "rules", "message"),
    [
        ("base", Rules(vertex_sum_below=15), "vertex_sum_below=15 alone cannot hold"),
        ("base", Rules(vertex_pips_max=3, reds_apart=True), "vertex_pips_max=3 alone cannot hold"),
        ("base", Rules(reds_per_terrain_max=0), "reds_per_terrain_max=0 alone cannot hold"),
        ("base", Rules(terrain_pips_min=15), "; terrain_pips_min"),
        (
            "base",
            # One field that cannot hold is named before two fields that exclude each other.
            Rules(
                desert="coast", terrain_cluster_max=1, apart=APART, pattern="xxx/xxxx/xxdxx/xxxx/xxx"
            ),
            "; apart=",
        ),
        ("base-5-6", "optimal", "these rules cannot all hold: terrain_cluster_max=1, apart="),
        # A proof for all rules takes Chuffed hours.
        ("tb-ultimate-purple-2", "optimal", "vertex_sum_below=23"),
        # Chuffed crashed on these.
        (SMALL, Rules(vertex_sum_below=20), "vertex_sum_below=20 alone"),
        ("base", Rules(vertex_pips_max=0), "vertex_pips_max=0 alone"),
        pytest.param("base-5-6", Rules(vertex_pips_max=0), "max=0 alone", marks=pytest.mark.slow),
        pytest.param("base", Rules(vertex_sum_below=21), "below=21 alone", marks=pytest.mark.slow),
        pytest.param(
            "seafarers-10", "optimal", "reds_per_terrain_max=1 alone cannot hold", marks=pytest.mark.slow
        ),
    ],
)  # fmt: skip
def test_conflicts_named(layout, rules, message, monkeypatch):
    monkeypatch.setattr("catan_cp.search.solver_method._PROOF", 60.0)
    with pytest.raises(Infeasible, match=message) as raised:
        generate_board(rules, layout, seed=1, timeout=300)
    assert str(raised.value).endswith(" (proven minimal)")


@pytest.mark.parametrize("method", ["auto", "solver", "best"])
def test_harbors_are_in_conflict(method):
    rules = Rules.preset("tournament").replace(constraints=["harbor[1] = ORE"])
    with pytest.raises(Infeasible, match="cannot all hold: harbors='printed', the constraint 'harbor"):
        if method == "best":
            best_board(rules, minimize="largest_vertex_sum")
        generate_board(rules, seed=1, method=method)


class Searched(Exception):
    """A search began."""


def begin(*_args, **_options):
    raise Searched


# Slow machines


@pytest.mark.parametrize("end", [SolverTimeout("the time limit passed"), KeyboardInterrupt()])
def test_unfinished_conflict_is_not_minimal(end, monkeypatch):
    rules = Rules(vertex_sum_below=15, reds_apart=True, constraints=["terrain[1] = ORE"])

    def stop(*_, **__):
        raise end

    monkeypatch.setattr("catan_cp.search.conflicts.first_row", stop)
    with pytest.raises(Infeasible, match=r"vertex_sum_below=15.* \(not proven minimal\)") as raised:
        best_board(rules, minimize="largest_vertex_sum")
    conflict = raised.value.conflict
    assert not conflict.minimal
    assert conflict.items == (*conflict.fields, *rules.constraints)


def test_slow_machine_names_same_conflict(faulty, monkeypatch, caplog):
    rules = Rules(constraints=["terrain[1]=ORE", "terrain[2]=ORE", "terrain[1]=WOOL"])
    faulty('sleep 0.3; exec REAL "$@"')
    monkeypatch.setattr("catan_cp.anymodel.minimal._QUIET", 0.1)
    with pytest.raises(Infeasible, match="proven minimal") as raised:
        generate_board(rules, seed=1)
    conflict = raised.value.conflict
    assert [str(item) for item in conflict.constraints] == ["terrain[1]=ORE", "terrain[1]=WOOL"]
    assert conflict.minimal and not conflict.fields
    assert "the search for a minimal conflict takes long" in caplog.text


def test_all_rules_refuted_at_once(monkeypatch):
    """Fewer sets were tried first, for seconds, with the random search, which proves slowly."""
    monkeypatch.setattr("catan_cp.search.conflicts._FIRST_SECONDS", 20.0)  # for a busy machine
    monkeypatch.setattr(
        "catan_cp.search.conflicts.board_conflict", lambda *options: Infeasible(f"by {options[-1]}")
    )
    with pytest.raises(Infeasible, match=r"by .*'terrain_cluster_max'"):
        generate_board("optimal", "seafarers-10", seed=1, solver="chuffed", timeout=120)


def test_slow_solver_finishes_proof(monkeypatch):
    """Where compiling alone took longer than a proof may take, none was tried."""
    monkeypatch.setattr("catan_cp.search.conflicts._FIRST_SECONDS", 0.001)
    monkeypatch.setattr("catan_cp.search.solver_method._PROOF", 0.001)
    monkeypatch.setattr("catan_cp.search.conflicts.starting_seconds", lambda *_: 1000.0)
    monkeypatch.setattr("catan_cp.search.solver_method._FAILURES_MOST", 0)
    monkeypatch.setattr("catan_cp.search.solver_method.enumerate_terrains", begin)
    with pytest.raises(Infeasible, match="vertex_pips_max=1 alone cannot hold"):
        generate_board(Rules(vertex_pips_max=1), "base", seed=1, method="solver")


# Terrains with too many tiles to keep them apart


def best(rules, layout):
    best_board(rules, layout, minimize="largest_vertex_sum")


def is_crowded(rules, layout):
    """Return True if the rules are rejected before a search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("catan_cp.search.best.joint_task", begin)
        try:
            best(rules, layout)
        except Searched:
            return False
        except Infeasible:
            return True


@pytest.mark.parametrize("name", ["base-5-6", "caravans", "explorers-pirates", "tb-ultimate-green-4"])
@pytest.mark.parametrize("function", [generate_board, best])
def test_too_many_terrains_named_at_once(function, name, monkeypatch):
    monkeypatch.setattr("catan_cp.search.solver_method.has_countable_terrains", begin)
    monkeypatch.setattr("catan_cp.search.best.joint_task", begin)
    with pytest.raises(
        Infeasible,
        match=r"these rules cannot all hold: terrain_cluster_max=1, apart=\(\('brick', 'l.*\(proven minimal",
    ) as raised:
        function("optimal", name)
    assert raised.value.conflict == Conflict(("terrain_cluster_max", "apart"), (), minimal=True)
    assert pickle.loads(pickle.dumps(raised.value)).conflict == raised.value.conflict


@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1])))
def test_independent_set_equals_brute_force(pairs):
    tiles = frozenset(range(9)) - {4}
    sets = (subset for size in range(len(tiles), -1, -1) for subset in combinations(sorted(tiles), size))
    apart = next(subset for subset in sets if not any({a, b} <= set(subset) for a, b in pairs))
    assert most_apart(tiles, frozenset(pairs)) == len(apart)


@given(layouts(), st.one_of(terrain_rules, island_rules))
@settings(max_examples=60, deadline=None)
def test_crowded_rules_have_no_terrain(layout, rules):
    if is_crowded(rules, layout):
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
    assert is_crowded(Rules(terrain_cluster_max=1, **rules), row) == crowded


def test_very_wide_layout_not_rejected(monkeypatch):
    rules, counts = Rules(terrain_cluster_max=1), {"ore": 5, "wool": 4}
    assert is_crowded(rules, Layout("wide", (5, 4), counts, {}))
    monkeypatch.setattr("catan_cp.search.conflicts._MOST_STATES", 4)
    assert not is_crowded(rules, Layout("wide", (4, 5), counts, {}))


def test_edited_models_may_mean_something_else(tmp_path):
    rules, models = Rules.preset("optimal"), copy_models(tmp_path / "mine")
    assert is_crowded(rules, "base-5-6")
    assert not is_crowded(rules.replace(models=models, constraints=["terrain[1] = ORE"]), "base")
    with (models / "layout.mzn").open("a") as file:
        file.write("constraint true;\n")
    assert not is_crowded(rules.replace(models=models), "base-5-6")
