"""The best board, the nearest board, puzzles, and models handed out."""

import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Constraint,
    Harbor,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    best_board,
    copy_models,
    enumerate_boards,
    generate_board,
    make_puzzle,
    repair_board,
)
from catan_cp.search.best import measures
from catan_cp.search.instances import FORMATS, export_model
from catan_cp.solving.find import find_solver
from tests.brute_force import MEASURES, Filling, Frame, View

pytestmark = pytest.mark.solver

TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
PIRATES = Board.from_notation(LAYOUTS["pirate-islands"].beginner_board)
"""The one board of a layout that fixes everything."""
PRINTED = "dlw/bgol/owbwg/lgob/wlg"
FRAME = Frame(TINY)


def vertex_sums(board):
    tiles = [around for around in board.layout.vertex_tiles if len(around) == 3]
    return [sum(board.markers[t] or 7 for t in around) for around in tiles]


@cache
def every_board(rules=None):
    with enumerate_boards(rules or Rules(), TINY) as solutions:
        return list(solutions)


# ---- The best board


@pytest.mark.parametrize(
    "rules", ["optimal", *(pytest.param(rules, marks=pytest.mark.slow) for rules in ("blog", "open"))]
)
def test_smallest_largest_vertex_sum_is_21(rules):
    """Proved in a second or two. The limit is for a busy machine."""
    best = best_board(rules, minimize="largest_vertex_sum", timeout=300)
    assert (best.value, best.bound, best.proven) == (21, 21, True)
    assert max(vertex_sums(best.board)) == 21
    assert Rules.preset(rules).check(best.board) == []


def measured(board):
    """Every named measure by brute force, which shares no code with the models."""
    view = View(FRAME, Filling.of(board))
    return {name: value(view) for name, value in MEASURES.items()}


@pytest.mark.parametrize(
    ("way", "best"), [("minimize", min), pytest.param("maximize", max, marks=pytest.mark.slow)]
)
def test_best_measures_equal_brute_force(way, best):
    boards = [measured(board) for board in every_board()]
    assert set(boards[0]) == set(measures())
    for name in measures():
        best_found = best_board(Rules(), TINY, **{way: name})
        expected = best(values[name] for values in boards)
        assert (best_found.value, measured(best_found.board)[name], best_found.proven) == (
            expected,
            expected,
            True,
        ), name


def test_several_measures_decide_one_after_other():
    best = best_board(
        Rules(), TINY, minimize=["reds_touching", "marker[1]"], maximize="distinct_neighbors", solver="gecode"
    )
    expected = min(
        (m["reds_touching"], b.markers[0] or 0, -m["distinct_neighbors"])
        for b in every_board()
        for m in [measured(b)]
    )
    assert best.value == (*expected[:2], -expected[2]) == best.bound
    assert best.proven


def test_better_boards_stream_and_constraints_hold():
    updates: list[Any] = []
    rules = Rules(constraints=["terrain[1] = DESERT", "distinct_neighbors() >= 3"])
    best = best_board(
        rules, TINY, maximize="sum(t in TILE)(t * marker[t])", progress=lambda now: updates.append(now.best)
    )
    assert [update.value for update in updates] == sorted(update.value for update in updates)
    assert (updates[-1].board, updates[-1].value) == (best.board, best.value)
    assert best.board.terrain[0] == "desert"
    values = [sum((m or 0) * (t + 1) for t, m in enumerate(b.markers)) for b in every_board(rules)]
    assert best.value == max(values)


def test_measure_may_be_great():
    """Its values were once at most 100,000, and a better board with a larger value was missed."""
    most = max(b.markers[0] or 0 for b in every_board())
    for far in ("marker[1] * 50000", "1000000 + marker[1]"):
        best = best_board(Rules(), TINY, maximize=far)
        assert (best.value, best.bound, best.proven) == (eval(far, {"marker": [0, most]}),) * 2 + (True,)


def test_solver_that_cannot_optimise_refused(monkeypatch):
    chosen_solver = find_solver("gecode")
    unable = replace(chosen_solver, backend=replace(chosen_solver.backend, optimises=False))
    monkeypatch.setattr("catan_cp.solving.find.find_solver", lambda name: unable)
    with pytest.raises(InvalidArgument, match="gecode cannot optimise; name another, such as chuffed"):
        best_board(Rules(), TINY, minimize="reds_touching", solver="gecode")


def test_another_solver_replaces_crashed_one():
    """Chuffed gives up where numbers may be greater than it can hold."""
    huge = "marker[1] * marker[2] * 5000000 div 5000000"
    best = best_board(Rules(), TINY, maximize=huge)
    values = [(b.markers[0] or 0) * (b.markers[1] or 0) for b in every_board()]
    assert (best.value, best.proven) == (max(values), True)


def test_ctrl_c_keeps_best_so_far():
    def stop(best):
        raise KeyboardInterrupt

    best = best_board("open", minimize="largest_vertex_sum", progress=stop)
    assert (best.proven, best.bound) == (False, None)  # what the compiler leaves to a measure is no news
    assert best.value == max(vertex_sums(best.board))


@pytest.mark.parametrize(
    ("options", "error", "why"),
    [
        ({}, InvalidArgument, "minimize or maximize must name a measure"),
        ({"minimize": "largest_vertex_sums"}, InvalidArgument, "did you mean 'largest_vertex_sum'"),
        ({"minimize": 3}, InvalidArgument, "a measure's name or MiniZinc text, not 3"),
        ({"minimize": ["reds_touching", 3]}, InvalidArgument, "a measure's name or MiniZinc text, not 3"),
        ({"minimize": ["reds_touching", "reds"]}, InvalidArgument, "unknown measure 'reds'"),
        ({"minimize": "reds_touching", "maximize": "terain[1]"}, InvalidRules, "did you mean 'terrain'"),
        ({"minimize": "1.5"}, InvalidRules, "numbers must be whole"),
        ({"minimize": "{1, 2}"}, InvalidRules, "the measure"),
        ({"maximize": "sum(t in TILE)(terain[t])"}, InvalidRules, "did you mean 'terrain'"),
        ({"maximize": 'trace("x", 1)'}, InvalidRules, "is not allowed"),
    ],
)
def test_measures_that_cannot_be(options, error, why):
    """The second of two was refused when the first had been optimised, which may take hours."""
    with pytest.raises(error, match=why):
        best_board(Rules(), TINY, progress=pytest.fail, **options)


@pytest.mark.parametrize(
    ("ask", "layout", "text"),
    [
        (best_board, TINY, "reds_touching() > 9"),
        (best_board, PIRATES.layout, "terrain[1] = ORE"),  # which the compiler alone denies
        (lambda rules, layout, **_: repair_board(PIRATES, rules), PIRATES.layout, "terrain[1] = ORE"),
    ],
)
def test_no_board_without_solutions(ask, layout, text):
    with pytest.raises(Infeasible, match="None is there"):
        ask(Rules(constraints=[Constraint(text, says="None is there.")]), layout, minimize="reds_touching")


# ---- The nearest board


def differing(a, b):
    return sum(
        (s, m) != (t, n) for s, m, t, n in zip(a.terrain, a.markers, b.terrain, b.markers, strict=True)
    )


def test_nearest_board_equals_brute_force():
    rules = Rules(reds_apart=True, terrain_cluster_max=1)
    allowed = every_board(rules)
    for text in ("o6o8/b8b2d", "do6/o8b8b2", "b6o2/o8b8d"):
        board = Board.from_notation(text, TINY)
        near = repair_board(board, rules)
        assert near.proven
        assert near.value == differing(board, near.board) == min(differing(board, b) for b in allowed)
        assert rules.check(near.board) == []
    assert repair_board(near.board, rules) == near.__class__(near.board, 0, 0, True)
    with pytest.raises(InvalidBoard, match="board must be a Board or a notation"):
        repair_board(3, Rules())


def test_harbors_stay_where_sea_moves():
    """The fewest changed tiles first, then the fewest harbors between two land or two sea tiles."""
    layout = Layout("wet", (2, 3, 2), {"sea": 3, "ore": 2, "wool": 2}, {4: 2, 6: 1, 8: 1})
    board = Board.from_notation("so4/w8sw6/o4s", layout)
    inner = [edge for edge, tiles in layout.edge_tiles.items() if len(tiles) == 2]
    on_coast = [edge for edge in inner if layout.is_on_coast(edge, board.terrain)]
    apart = next((a, b) for a in on_coast for b in on_coast if not {*a} & {*b})
    board = replace(board, harbors=tuple(Harbor(edge, "3:1") for edge in sorted(apart)))
    rules = Rules(harbors="none", reds_apart=True, apart=[("sea", "sea")], constraints=["terrain[1] != SEA"])
    with enumerate_boards(rules, layout) as boards:
        allowed = list(boards)

    def price(other):
        staying = sum(layout.is_on_coast(harbor.vertices, other.terrain) for harbor in board.harbors)
        return differing(board, other), -staying

    near = repair_board(board, rules)
    assert near.proven and near.value == differing(board, near.board)
    assert (near.value, -len(near.board.harbors)) == min(map(price, allowed))
    assert set(near.board.harbors) <= set(board.harbors)


def test_new_world_repaired_without_harbors():
    board = generate_board(Rules(harbors="shuffled"), "new-world", seed=1)
    assert board.harbors
    other = generate_board("open", "new-world", seed=51)
    rules = Rules(harbors="none", pattern=other.pattern("terrain"))
    near = repair_board(board, rules)
    assert near.proven and rules.check(near.board) == []
    assert {*near.board.harbors} < {*board.harbors}


# ---- Puzzles


@pytest.mark.parametrize("seed", [*(pytest.param(seed, marks=pytest.mark.slow) for seed in (None, 2)), 1])
def test_minimal_pattern_has_one_board(seed):
    rules = Rules(equal_markers_apart=True)
    board = every_board(rules)[17]
    pattern = make_puzzle(board, rules, seed=seed)
    assert every_board(rules.replace(pattern=pattern)) == [board]
    clues = [i for i, sign in enumerate(pattern.partition("@")[0]) if sign not in "x/0123456789"]
    for i in clues:
        less = pattern[:i] + "x" + pattern[i + 1 :]
        fits = Rules(pattern=less)
        assert sum(not fits.check(candidate) for candidate in every_board(rules)) > 1


@pytest.mark.parametrize(
    ("text", "rules", "error", "why"),
    [
        ("do/bbo", {}, InvalidBoard, "with markers"),
        ("do2/b8b8o12", {"equal_markers_apart": True}, InvalidBoard, "do not allow"),
        ("do2/b8b8o12", {"pattern": "dx/xxx"}, InvalidRules, "the rules have one"),
        ("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11", {"harbors": "shuffled"}, InvalidRules, "shuffled"),
    ],
)
def test_puzzles_that_cannot_be(text, rules, error, why):
    with pytest.raises(error, match=why):
        make_puzzle(Board.from_notation(text, TINY if len(text) < 12 else "base"), Rules(**rules))


def test_puzzle_has_no_fishing_grounds():
    board = generate_board("open", "fishermen-of-catan", seed=1)
    with pytest.raises(InvalidRules, match="numbers of fishing grounds"):
        make_puzzle(board, "open")


# ---- Models handed out


def listed_by_minizinc(*words, solver="auto"):
    """Return the number of solutions that MiniZinc prints without a warning."""
    backend = find_solver(solver)
    command = [backend.minizinc.executable, *backend.choice, *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert result.stderr == ""
    assert "-a" not in words or "==========" in result.stdout
    return result.stdout.count("----------")


@pytest.mark.parametrize("how", [how for how in FORMATS if how != "dimacs"])
@pytest.mark.parametrize("part", ["terrain", "markers", "joint"])
def test_minizinc_runs_what_is_exported(part, how, tmp_path):
    rules = Rules.preset("blog").replace(vertex_sum_below=22)
    exported = tmp_path / f"exported.{how}"
    exported.write_text(export_model(part, rules, terrain=PRINTED, how=how), encoding="utf-8")
    model = {"terrain": "solve_terrain", "markers": "solve_markers", "joint": "joint"}[part]
    files = [exported] if how == "mzn" else [copy_models(tmp_path / "m") / f"{model}.mzn", exported]
    limit = [] if part == "joint" else ["-a"]
    assert listed_by_minizinc(*limit, *files) == {"terrain": 96, "markers": 1, "joint": 1}[part]


@pytest.mark.parametrize(
    ("model", "count"), [("post_board", 96), pytest.param("post_markers", 11_753, marks=pytest.mark.slow)]
)
def test_posts_own_models_need_no_data(model, count):
    """As docs/post_models.md shows them."""
    path = Path(__file__).parents[2] / "docs" / f"{model}.mzn"
    assert listed_by_minizinc("-a", path, solver="gecode") == count


def test_export_carries_constraints_of_ones_own(tmp_path):
    rules = Rules(constraints=["largest_vertex_pips() <= 9", "alldifferent([ marker[t] | t in {1, 2, 3} ])"])
    exported = tmp_path / "exported.mzn"
    exported.write_text(export_model("joint", rules, TINY), encoding="utf-8")
    assert listed_by_minizinc("-a", exported) == len(every_board(rules))
    with pytest.raises(InvalidArgument, match="how must be mzn or dimacs for rules with constraints"):
        export_model("joint", rules, TINY, how="dzn")
    with pytest.raises(InvalidArgument, match="terrain must be a board, names or a notation for markers"):
        export_model("markers", rules, TINY)


CRASHES_WITHOUT_PROOF = """
REAL "$@" | grep -v "^=="
kill -SEGV $$
"""


@pytest.mark.solver
def test_second_solver_keeps_better_board(faulty):
    """The first solver finds the best board and crashes. The second one starts with worse boards."""
    reports = []
    faulty(CRASHES_WITHOUT_PROOF)
    best = best_board("open", minimize="largest_vertex_sum", timeout=25, progress=reports.append)
    values = [report.best.value for report in reports if report.best is not None]
    assert values == sorted(set(values), reverse=True) and len(values) > 1
    assert best.value == values[-1]
