"""Boards from rules: allowed, repeatable, spread, and an error if there is none."""

import re
import time

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    SolverNotFound,
    SolverTimeout,
    best_board,
    efficiency_error,
    generate_board,
    generate_boards,
    sample_boards,
    sample_terrains,
)
from catan_cp.boards.layout import CLASSIC
from catan_cp.boards.pieces import TERRAIN_CODE
from catan_cp.clock import Clock
from catan_cp.problem.problem import Problem
from catan_cp.rules.rules import PRESETS
from catan_cp.search import solver_method
from catan_cp.search.generate import explain_method
from catan_cp.search.model_data import joint_task
from catan_cp.search.questions import compiled_first_row, first_row
from catan_cp.solving import compiling

BOTH = ("chuffed", "gecode")
IMPOSSIBLE = {
    ("base-5-6", "blog"),
    ("base-5-6", "optimal"),
    ("seafarers-10", "optimal"),
    ("seafarers-10", "blog"),
}


def suits(layout, preset):
    try:
        Rules.preset(preset).check_layout(LAYOUTS[layout])
    except InvalidRules:
        return False
    return (layout, preset) not in IMPOSSIBLE


SLOW = [("seafarers-9", "optimal"), *((layout, "blog") for layout in CLASSIC if layout != "base")]
EVERY = [
    pytest.param(layout, preset, marks=[pytest.mark.slow] * ((layout, preset) in SLOW))
    for layout in CLASSIC
    for preset in PRESETS
    if suits(layout, preset)
]


@pytest.mark.parametrize(("layout", "preset"), EVERY)
def test_boards_allowed(layout, preset):
    for board in generate_boards(2, preset, layout, seed=5):
        assert board.layout is LAYOUTS[layout]
        assert Rules.preset(preset).check(board) == []


@pytest.mark.parametrize("solver", BOTH)
@pytest.mark.parametrize("preset", ["optimal", "official"])
def test_seed_decides(solver, preset):
    boards = [generate_board(preset, seed=seed, solver=solver) for seed in (1, 1, -7, 2**80, 3)]
    assert boards[0] == boards[1]
    assert len(set(boards)) == 4


def test_one_board_is_first_of_many():
    assert generate_board(seed=4) == next(generate_boards(50, seed=4))
    assert generate_board("tournament") != generate_board("tournament")
    assert list(generate_boards(0)) == []


@pytest.mark.parametrize("rules", ["tournament", Rules(harbors="shuffled")])
def test_boards_spread(rules):
    boards = list(generate_boards(40, rules, seed=2))
    assert len(set(boards)) == 40
    for tile in range(19):
        assert len({board.terrain[tile] for board in boards}) >= 4
        assert len({board.markers[tile] for board in boards}) >= 6
    if rules != "tournament":
        assert len({board.harbors for board in boards}) > 30


# Rules that nothing satisfies


@pytest.mark.parametrize(
    ("layout", "rules", "named"),
    [
        ("base", Rules(vertex_sum_below=15), "vertex_sum_below=15 alone cannot hold"),
        ("base", Rules(vertex_pips_max=3, reds_apart=True), "vertex_pips_max=3 alone cannot hold"),
        ("base", Rules(reds_per_terrain_max=0), "reds_per_terrain_max=0 alone cannot hold"),
        ("base", Rules(terrain_pips_min=15), "; terrain_pips_min"),
        (
            "base",
            Rules(
                desert="coast",
                terrain_cluster_max=1,
                apart=[("brick", x) for x in ("grain", "wool", "ore", "lumber")],
                pattern="xxx/xxxx/xxdxx/xxxx/xxx",  # and the coast: one field is told before two
            ),
            "; apart=",
        ),
        ("base-5-6", "optimal", "these rules cannot all hold: terrain_cluster_max=1, apart="),
        pytest.param(
            "seafarers-10", "optimal", "reds_per_terrain_max=1 alone cannot hold", marks=pytest.mark.slow
        ),
    ],
)
def test_conflicts_named(layout, rules, named, monkeypatch):
    monkeypatch.setattr("catan_cp.search.solver_method._PROOF", 60.0)
    with pytest.raises(Infeasible, match=named) as raised:
        generate_board(rules, layout, seed=1)
    assert str(raised.value).endswith(" (proven minimal)")


@pytest.mark.parametrize("end", [SolverTimeout("the time limit passed"), KeyboardInterrupt()])
def test_unfinished_conflict_is_not_minimal(end, monkeypatch):
    rules = Rules(vertex_sum_below=15, reds_apart=True, constraints=["terrain[1] = ORE"])

    def ends(*_, **__):
        raise end

    monkeypatch.setattr("catan_cp.search.conflicts.first_row", ends)
    with pytest.raises(Infeasible, match=r"vertex_sum_below=15.* \(not proven minimal\)") as raised:
        best_board(rules, minimize="largest_vertex_sum")
    conflict = raised.value.conflict
    assert not conflict.minimal
    assert conflict.items == (*conflict.fields, *rules.constraints)


def test_slow_machine_names_same_conflict(monkeypatch, caplog):
    rules = Rules(constraints=["terrain[1]=ORE", "terrain[2]=ORE", "terrain[1]=WOOL"])

    def slowly(*arguments, **options):
        time.sleep(0.8)
        return first_row(*arguments, **options)

    monkeypatch.setattr("catan_cp.search.conflicts.first_row", slowly)
    monkeypatch.setattr("catan_cp.anymodel.minimal._QUIET", 0.2)
    with pytest.raises(Infeasible, match="proven minimal") as raised:
        generate_board(rules, seed=1)
    conflict = raised.value.conflict
    assert [str(item) for item in conflict.constraints] == ["terrain[1]=ORE", "terrain[1]=WOOL"]
    assert conflict.minimal and not conflict.fields
    assert "the search for a minimal conflict takes long" in caplog.text


@pytest.mark.parametrize("method", ["auto", "solver"])
def test_constraint_against_printed_harbors_is_conflict(method):
    rules = Rules.preset("tournament").replace(constraints=["harbor[1] = ORE"])
    with pytest.raises(Infeasible, match="cannot all hold: harbors='printed', the constraint 'harbor"):
        generate_board(rules, seed=1, method=method)
    with pytest.raises(Infeasible, match="harbors='printed'"):
        best_board(rules, minimize="largest_vertex_sum")


def test_time_limit(faulty):
    faulty("exec sleep 600")
    began = time.monotonic()
    rules = Rules.preset("optimal").replace(vertex_sum_below=21)
    with pytest.raises(SolverTimeout, match=r"0 of 3 boards made.*vertex_sum_below") as caught:
        list(generate_boards(3, rules, timeout=1.5))
    assert caught.value.found == 0
    assert time.monotonic() - began < 60


# Refusals, before any process starts


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("layout", ("bases", None), InvalidBoard),
        ("rules", ("optimum",), InvalidRules),
        ("seed", ("x", 1.5, True), InvalidArgument),
        ("timeout", (-1, 0, float("nan"), "soon"), InvalidArgument),
        ("candidates", (0,), InvalidArgument),
        ("n", (-1, 1.0), InvalidArgument),
        ("solver", (None,), SolverNotFound),
    ],
)
def test_bad_arguments(name, values, error):
    for value in values:
        with pytest.raises(error):
            generate_boards(**{"n": 1, name: value})
    with pytest.raises(InvalidRules):
        generate_boards(1, "official", "seafarers-6")
    with pytest.raises(
        InvalidArgument, match="seed must be a whole number"
    ):  # it was, once a board was asked for
        generate_boards(1, "tournament", seed="x")


def test_one_compilation_serves_stream(monkeypatch):
    """A second board of the solver costs a run, and no compilation."""
    calls = []
    compile_model = compiling._compile
    monkeypatch.setattr(
        compiling, "_compile", lambda *arguments: calls.append(arguments) or compile_model(*arguments)
    )
    rules = Rules.preset("optimal").replace(vertex_sum_below=24)
    boards = list(generate_boards(4, rules, seed=3, timeout=120))
    assert len({board.terrain for board in boards}) == 4
    assert len(calls) == 1


def test_given_terrain_obeyed_by_solvers():
    rules, layout = Rules.preset("tournament"), LAYOUTS["base"]
    (terrain,) = sample_terrains(1, rules, layout, seed=8)
    codes, task = [TERRAIN_CODE[name] for name in terrain], joint_task(Problem.of(rules, layout), 2)
    for solver in ("chuffed", "gecode"):
        row = compiled_first_row(task, solver, Clock(120), 1, prefix=codes)
        assert row is not None and row[: layout.n_tiles] == codes
    clustered = [TERRAIN_CODE[name] for name in sorted(terrain)]
    assert compiled_first_row(task, "chuffed", Clock(120), 1, prefix=clustered) is None


# Rare ways


@pytest.fixture
def hurried(monkeypatch):
    """Make searches skip early proofs, and decide by their steps after some terrains or many."""

    def after(patience, few):
        monkeypatch.setattr("catan_cp.search.solver_method._FAILURES_MOST", patience)
        monkeypatch.setattr("catan_cp.search.solver_method._FEW", few)
        monkeypatch.setattr("catan_cp.search.solver_method.reject_infeasible", lambda *_: None)

    return after


WAYS = [(30, 0), (0, 0), (0, 200)]
"""Put back up to thirty.

Then decide all together. Or one by one those that were few.
"""


@pytest.mark.parametrize(("patience", "few"), WAYS)
def test_terrains_without_markers_put_back(hurried, patience, few):
    """Two sixes in a row of three, apart: the desert is between them."""
    hurried(patience, few)
    row = Layout("row", (3,), {"desert": 1, "brick": 1, "ore": 1}, {6: 2})
    boards = list(generate_boards(20, Rules(reds_apart=True), row, seed=1, method="solver"))
    assert {board.terrain.index("desert") for board in boards} == {1}
    if patience:
        assert len({board.terrain for board in boards}) == 2


@pytest.mark.parametrize(("patience", "few"), WAYS)
def test_proof_without_markers_names_rule(hurried, patience, few):
    hurried(patience, few)
    triangle = Layout("triangle", (1, 2), {"sea": 1, "brick": 1, "ore": 1}, {6: 2})
    with pytest.raises(Infeasible, match="reds_apart=True alone cannot hold"):
        generate_board(Rules(reds_apart=True), triangle, seed=1, method="solver")


@pytest.mark.parametrize("preset", ["optimal", "tournament", "official"])
def test_table_boards_keep_harbors(preset):
    base = LAYOUTS["base"]
    board = generate_board(preset, "base", seed=2)
    assert sorted(board.harbors, key=str) == sorted(base.printed_harbors, key=str)
    bare = Board(base, board.terrain, board.markers)
    assert Rules.preset(preset).check(bare) == []
    if preset == "tournament":
        assert generate_board(preset, "seafarers-6", seed=2).harbors == ()


# Methods


def test_uniform_boards_need_no_solver(monkeypatch):
    def none(*_):
        raise SolverNotFound("none here")

    monkeypatch.setattr("catan_cp.solving.find.find_solver", none)
    for preset in ("tournament", "official", "open", "optimal"):
        drawn = list(sample_boards(4, preset, seed=7))
        assert preset == "optimal" or list(generate_boards(4, preset, seed=7)) == drawn
        assert list(generate_boards(4, preset, seed=7, method="uniform")) == drawn
        assert not any(map(Rules.preset(preset).check, drawn))
    with pytest.raises(SolverNotFound):
        generate_board("tournament", seed=1, method="solver")
    with pytest.raises(SolverNotFound):  # the walk finds nothing
        generate_board(Rules(vertex_pips_max=1), "seafarers-6", seed=1)
    for name, rules in (("base", Rules(vertex_pips_max=3)), ("pirate-islands", "tournament")):
        with pytest.raises(Infeasible, match=f"no board on '{name}' satisfies the rules"):
            generate_board(rules, name)


@pytest.mark.parametrize("method", [("open",), ("tournament", "seafarers-8")])
def test_evenest_candidate(method, no_processes):
    drawn = list(generate_boards(6, *method, seed=2))
    chosen = [min(drawn[i : i + 3], key=efficiency_error) for i in (0, 3)]
    assert list(generate_boards(2, *method, seed=2, candidates=3)) == chosen


def test_named_solver_is_asked():
    by_solver = generate_board("tournament", seed=3, solver="chuffed")
    assert by_solver == generate_board("tournament", seed=3, method="solver", solver="chuffed")
    with pytest.raises(InvalidArgument, match="solver must be auto for method='uniform', not 'chuffed'"):
        generate_board("tournament", method="uniform", solver="chuffed")
    with pytest.raises(InvalidArgument, match="did you mean 'uniform'"):
        generate_board("tournament", method="unifrom")
    with pytest.raises(SolverNotFound, match="unknown solver 'oracle'"):  # it was, where the walk failed
        generate_boards(1, "tournament", method="walk", solver="oracle")


@pytest.mark.parametrize(
    ("rules", "options", "sentence"),
    [
        ("tournament", {}, r"sampled by rank \(uniform\), .* a second: no MiniZinc"),
        (
            "optimal",
            {},
            r"solved \(solver\), no other method applies "
            r"\(deal: it knows only .*; uniform, walk: .* tie markers to terrain\)",
        ),
        ("tournament", {"method": "solver"}, r"solved \(solver\), as asked: by MiniZinc .*method='uniform'"),
        ("tournament", {"layout": "base-5-6"}, r"by a random walk \(walk\), .*: no MiniZinc"),
    ],
)
def test_road_of_board_explained(rules, options, sentence):
    assert re.search(sentence, explain_method(rules, **options))


def test_misses_reported_after_failed_search(monkeypatch, caplog):
    """On a busy machine the first search may take long, and yet find a board."""
    monkeypatch.setattr(solver_method, "_QUIET", -1.0)
    generate_board("tournament", seed=1, method="solver")
    assert "no board yet" not in caplog.text


@pytest.mark.parametrize("function", [explain_method, generate_board])
def test_rules_that_layout_cannot_have_rejected(function):
    with pytest.raises(InvalidRules, match="spiral"):
        function("official", "seafarers-8")
    with pytest.raises(InvalidRules, match="pattern"):
        function(Rules(pattern="xxx/xxxx/xxdxx/xxxx/xxx"), "seafarers-8")
