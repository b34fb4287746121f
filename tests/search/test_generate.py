"""Boards from rules: allowed, repeatable, and the choice of the method."""

import re

import pytest

from catan_cp import (
    Infeasible,
    InvalidArgument,
    InvalidRules,
    Layout,
    Rules,
    SolverNotFound,
    SolverTimeout,
    efficiency_error,
    generate_board,
    generate_boards,
    sample_boards,
)

# The command prints its sentences. A process for each would take a second.
from catan_cp.search.generate import explain_method

ROW = Layout("row", (3,), {"desert": 1, "brick": 1, "ore": 1}, {6: 2})


@pytest.mark.parametrize(("solver", "preset"), [("chuffed", "optimal"), ("gecode", "official")])
def test_seed_decides(solver, preset):
    boards = [generate_board(preset, seed=seed, solver=solver) for seed in (1, 1, -7, 2**80)]
    assert boards[0] == boards[1]
    assert len(set(boards)) == 3
    assert not any(map(Rules.preset(preset).check, boards))


def test_one_board_is_first_of_many():
    assert generate_board(seed=4) == next(generate_boards(50, seed=4))
    assert generate_board("tournament") != generate_board("tournament")
    assert list(generate_boards(0)) == []


def test_time_limit(faulty):
    faulty("exec sleep 600")
    rules = Rules.preset("optimal").replace(vertex_sum_below=21)
    with pytest.raises(SolverTimeout, match=r"0 of 3 boards made.*vertex_sum_below") as caught:
        list(generate_boards(3, rules, timeout=1))
    assert caught.value.found == 0


@pytest.mark.usefixtures("no_processes")
def test_wrong_arguments_rejected_before_first_board():
    with pytest.raises(InvalidRules, match="spiral"):
        generate_boards(1, "official", "seafarers-8")
    with pytest.raises(InvalidRules, match="pattern"):
        generate_boards(1, Rules(pattern="xxx/xxxx/xxdxx/xxxx/xxx"), "seafarers-8")
    with pytest.raises(InvalidArgument, match="seed must be a whole number"):
        generate_boards(1, "tournament", seed="x")


def test_one_compilation_serves_stream(faulty, tmp_path):
    """A third board of the solver costs a run, and no compilation."""
    log = tmp_path / "compilations"
    faulty(compiler=f'echo 1 >> "{log}"; exec REAL "$@"')
    rules = Rules.preset("optimal").replace(vertex_sum_below=24)
    stream = generate_boards(4, rules, seed=3, timeout=120)
    boards, starts = [next(stream), next(stream)], log.read_text()
    boards += stream
    assert len({board.terrain for board in boards}) == 4
    assert log.read_text() == starts


# Terrain arrangements without a board


@pytest.fixture(params=[(30, 0), (0, 0), (0, 200)])
def few_tries(request, monkeypatch):
    """Sample up to thirty arrangements, or decide about all together, or about each of few."""
    failures, few = request.param
    monkeypatch.setattr("catan_cp.search.solver_method._FAILURES_MOST", failures)
    monkeypatch.setattr("catan_cp.search.solver_method._FEW", few)
    monkeypatch.setattr("catan_cp.search.solver_method.reject_infeasible", lambda *_: None)
    return failures


def test_terrains_without_markers_put_back(few_tries):
    """Two sixes in a row of three, apart: the desert is between them."""
    boards = list(generate_boards(8, Rules(reds_apart=True), ROW, seed=1, method="solver"))
    assert {board.terrain.index("desert") for board in boards} == {1}
    if few_tries:
        assert len({board.terrain for board in boards}) == 2


@pytest.mark.usefixtures("few_tries")
def test_proof_without_markers_names_rule():
    triangle = Layout("triangle", (1, 2), {"sea": 1, "brick": 1, "ore": 1}, {6: 2})
    with pytest.raises(Infeasible, match="reds_apart=True alone cannot hold"):
        generate_board(Rules(reds_apart=True), triangle, seed=1, method="solver")


def test_misses_reported_after_failed_search(monkeypatch, caplog):
    """On a busy machine the first search may take long, and yet find a board."""
    monkeypatch.setattr("catan_cp.search.solver_method._QUIET", -1.0)
    generate_board("tournament", seed=1, method="solver")
    assert "no board yet" not in caplog.text


# Methods


def test_uniform_boards_need_no_solver(monkeypatch):
    def fail(*_):
        raise SolverNotFound("no solver is installed")

    monkeypatch.setattr("catan_cp.solving.find.find_solver", fail)
    for preset in ("tournament", "open", "optimal"):
        samples = list(sample_boards(4, preset, seed=7))
        assert preset == "optimal" or list(generate_boards(4, preset, seed=7)) == samples
        assert list(generate_boards(4, preset, seed=7, method="uniform")) == samples
        assert not any(map(Rules.preset(preset).check, samples))
    with pytest.raises(SolverNotFound):
        generate_board("tournament", seed=1, method="solver")
    with pytest.raises(SolverNotFound):  # the walk finds nothing
        generate_board(Rules(vertex_pips_max=1), "seafarers-6", seed=1)
    for name, rules in (("base", Rules(vertex_pips_max=3)), ("pirate-islands", "tournament")):
        with pytest.raises(Infeasible, match=f"no board on '{name}' satisfies the rules"):
            generate_board(rules, name)


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize("problem", [("open",), ("tournament", "seafarers-8")])
def test_evenest_candidate(problem):
    samples = list(generate_boards(6, *problem, seed=2))
    chosen = [min(samples[i : i + 3], key=efficiency_error) for i in (0, 3)]
    assert list(generate_boards(2, *problem, seed=2, candidates=3)) == chosen


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
        (Rules(reds_apart=True, terrain_cluster_max=2), {}, r"by repeated deals \(deal, uniform\)"),
    ],
)
def test_method_explained(rules, options, sentence):
    assert re.search(sentence, explain_method(rules, **options))


@pytest.mark.usefixtures("no_processes")
def test_dealt_custom_rules():
    rules = Rules(reds_apart=True, equal_markers_apart=True, terrain_cluster_max=2, harbors="shuffled")
    assert "by repeated deals (deal, uniform)" in explain_method(rules)
    first, *more = generate_boards(300, rules, seed=3)
    assert generate_board(rules, seed=3) == first
    stream = generate_boards(10**9, rules, seed=3)
    assert [first, *more[:40]] == [next(stream) for _ in range(41)]
    assert not any(rules.check(board) for board in (first, *more))
    assert len({board.harbors for board in more}) > 200


@pytest.mark.parametrize(
    ("method", "rules", "layout"),
    [
        *(("deal", preset, "base") for preset in ("blog", "optimal", "tournament", "official", "open")),
        ("deal", Rules(terrain_cluster_max=3), "base"),
        ("deal", Rules(reds_apart=True, vertex_pips_max=12), "base"),
        ("deal", Rules(desert="centre"), "base"),
        ("deal", Rules(reds_apart=True), "seafarers-8"),
        ("deal", Rules(apart=[("desert", "ore")]), "base"),
        ("deal", Rules(reds_apart=True, equal_markers_apart=True, terrain_cluster_max=1), "base-5-6"),
        ("walk", "optimal", "base"),
        ("walk", "official", "base"),
        ("walk", Rules(islands_min=2), "base"),
        ("walk", Rules(symmetry="corners"), "base"),
        ("walk", Rules(constraints=["terrain[1] = terrain[2]"]), "base"),
        ("walk", Rules(harbors="shuffled", harbor_own_terrain_apart=True), "base"),
    ],
)
def test_method_without_support_rejected(method, rules, layout):
    assert not re.match(rf"[^,]*\({method}", explain_method(rules, layout))
    with pytest.raises(InvalidArgument, match=f"method='{method}' does not support all of these rules"):
        generate_board(rules, layout, method=method)
