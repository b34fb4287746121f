"""The joint model: complete boards, and proofs of infeasible rules, by the same constraints."""

import pytest

from catan_cp import LAYOUTS, Board, Infeasible, Layout, Rules, copy_models, generate_board
from catan_cp.clock import Clock
from catan_cp.problem.problem import Problem
from catan_cp.search import conflicts
from catan_cp.search.model_data import joint_task
from catan_cp.search.questions import first_row, solutions_of
from catan_cp.solving.listing import StreamState
from tests.small_boards import allowed_markers, allowed_terrains

TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})


EACH = (
    Rules(reds_apart=True, markers_distinct_per_terrain=True, terrain_cluster_max=1),
    Rules(equal_markers_apart=True, reds_per_terrain_max=1, vertex_sum_below=27),
    Rules(two_twelve_apart=True, vertex_pips_max=11, terrain_pips_min={"ore": 6}),
    Rules(terrain_markers_max={"ore": 4}, apart=[("brick", "ore")]),
    Rules(),
)


@pytest.mark.parametrize(
    ("rules", "solver"),
    [
        *((rules, "chuffed") for rules in EACH[:4]),
        (EACH[0], "gecode"),
        *(pytest.param(rules, "gecode", marks=pytest.mark.slow) for rules in EACH[1:]),
        pytest.param(EACH[4], "chuffed", marks=pytest.mark.slow),
    ],
)
def test_joint_boards_equal_brute_force(rules, solver):
    state, solutions = StreamState(), solutions_of(joint_task(Problem.of(rules, TINY)), solver, Clock(None))
    rows = [row for block in solutions(state) for row in block.tolist()]
    boards = {(b.terrain, b.markers) for b in (Board.from_solution(row, TINY) for row in rows)}
    expected = {
        (terrain, tuple(markers))
        for terrain in allowed_terrains(rules, TINY)
        for markers in allowed_markers(terrain, rules, TINY)
    }
    assert boards == expected
    assert state.complete


@pytest.mark.parametrize(
    "rules",
    [
        *(pytest.param(item, marks=pytest.mark.slow) for item in (Rules(), Rules.preset("blog"))),
        Rules.preset("optimal"),
    ],
)
def test_no_board_below_21(rules):
    task = joint_task(Problem.of(rules.replace(vertex_sum_below=21)), 2)
    assert first_row(task, "chuffed", Clock(60), 1, free=True) is None


@pytest.mark.slow
def test_conflict_proved_and_named():
    with pytest.raises(Infeasible, match="vertex_sum_below=21 alone cannot hold"):
        generate_board(Rules(vertex_sum_below=21), "base", seed=1, solver="chuffed", timeout=120)


@pytest.mark.parametrize("name", ["seafarers-10"])
def test_all_rules_refuted_at_once(name, monkeypatch):
    """Fewer sets were tried first, for seconds, with the random search, which proves slowly."""
    searches = []

    def noted(task, *rest, **options):
        searches.append(task.data["search"])
        return first_row(task, *rest, **options)

    monkeypatch.setattr(conflicts, "first_row", noted)
    monkeypatch.setattr(conflicts, "_FIRST_SECONDS", 20.0)  # a busy machine needs more than its users'
    monkeypatch.setattr(conflicts, "board_conflict", lambda *_: Infeasible(f"proved by {searches}"))
    with pytest.raises(Infeasible, match=r"proved by \[1\]"):
        generate_board("optimal", name, seed=1, solver="chuffed", timeout=120)


def test_slow_solver_finishes_proof(monkeypatch):
    """Where compiling alone took longer than a proof may take, none was tried."""
    monkeypatch.setattr(conflicts, "_FIRST_SECONDS", 0.001)
    monkeypatch.setattr(conflicts, "starting_seconds", lambda *_: 1000.0)
    with pytest.raises(Infeasible, match="vertex_pips_max=1 alone cannot hold"):
        conflicts.reject_infeasible(Rules(vertex_pips_max=1), LAYOUTS["base"], "chuffed", Clock(None), 0.001)


def test_conflict_of_few_rules_proved_soon():
    """A proof for all of them takes Chuffed hours.

    On this layout, the rules on number tokens cannot all hold with any terrain.
    """
    with pytest.raises(Infeasible, match="vertex_sum_below=23"):
        generate_board("optimal", "tb-ultimate-purple-2", seed=1, solver="chuffed", timeout=300)


@pytest.mark.parametrize(
    ("layout", "rules"),
    [
        (Layout("small", (1, 2), {"brick": 1, "desert": 2}, {8: 2}), Rules(vertex_sum_below=20)),
        (LAYOUTS["base"], Rules(vertex_pips_max=0)),
        (LAYOUTS["base-5-6"], Rules(vertex_pips_max=0)),
    ],
)
def test_what_crashed_chuffed_is_infeasible(layout, rules):
    with pytest.raises(Infeasible):
        generate_board(rules, layout, seed=1, solver="chuffed", timeout=60)


def test_added_line_obeyed_at_its_tile(tmp_path):
    folder = copy_models(tmp_path / "mine")
    with (folder / "markers.mzn").open("a") as file:
        file.write("constraint marker[5] = 12;\n")
    rules = Rules(markers_distinct_per_terrain=True, models=folder)  # most terrains have such boards
    for seed in range(3):  # each shows the tiles to the solver in another order
        assert generate_board(rules, "base", seed=seed).markers[4] == 12
