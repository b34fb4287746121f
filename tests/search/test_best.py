"""The best board, the nearest board, and puzzles.

`tests/agreement` compares best and nearest boards of random problems with brute force.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Constraint,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    best_board,
    enumerate_boards,
    generate_board,
    make_puzzle,
    repair_board,
)
from tests.brute_force import MEASURES, Filling, Frame, View

pytestmark = pytest.mark.solver

TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
PIRATES = Board.from_notation(LAYOUTS["pirate-islands"].beginner_board)
"""The one board of a layout that fixes everything."""
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


def test_measures_decide_one_after_other():
    """All named measures decide in this order, and then the number of tile 1."""

    def values(board):
        view = View(FRAME, Filling.of(board))
        return (*(-value(view) for value in MEASURES.values()), -(board.markers[0] or 0))

    best = best_board(Rules(), TINY, maximize=[*MEASURES, "marker[1]"], solver="gecode")
    expected = min(map(values, every_board()))
    assert values(best.board) == expected
    assert best.value == best.bound == tuple(-value for value in expected) and best.proven


def test_better_boards_stream_and_constraints_hold():
    updates: list[Any] = []
    rules = Rules(constraints=["terrain[1] = DESERT", "distinct_neighbors() >= 3"])
    best = best_board(
        rules, TINY, maximize="sum(t in TILE)(t * marker[t])", progress=lambda now: updates.append(now.best)
    )
    assert [update.value for update in updates] == sorted(update.value for update in updates)
    assert (updates[-1].board, updates[-1].value) == (best.board, best.value)
    values = [sum((m or 0) * (t + 1) for t, m in enumerate(b.markers)) for b in every_board(rules)]
    assert best.value == max(values)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # Values were once at most 100,000, and a better board with a larger value was missed.
        ("1000000 + marker[1] * 50000", lambda m, _: 1_000_000 + m * 50_000),
        # Chuffed gives up where numbers may be greater than it can hold, and another solver replaces it.
        ("marker[1] * marker[2] * 5000000 div 5000000", lambda m, n: m * n),
    ],
)
def test_large_numbers_optimised(measure, value):
    best = best_board(Rules(), TINY, maximize=measure)
    most = max(value(b.markers[0] or 0, b.markers[1] or 0) for b in every_board())
    assert (best.value, best.bound, best.proven) == (most, most, True)


def test_ctrl_c_keeps_best_so_far():
    def stop(best):
        raise KeyboardInterrupt

    best = best_board("open", minimize="largest_vertex_sum", progress=stop)
    assert (best.proven, best.bound) == (False, None)  # what the compiler leaves to a measure is no news
    assert best.value == max(vertex_sums(best.board))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, InvalidArgument, "minimize or maximize must name a measure"),
        ({"minimize": "largest_vertex_sums"}, InvalidArgument, "did you mean 'largest_vertex_sum'"),
        ({"minimize": ["reds_touching", 3]}, InvalidArgument, "a measure's name or MiniZinc text, not 3"),
        (
            {"minimize": ["reds_touching", "reds"]},
            InvalidArgument,
            r"measure 'reds'; measures are (\w+, ){8}\w+$",
        ),
        ({"minimize": "reds_touching", "maximize": "terain[1]"}, InvalidRules, "did you mean 'terrain'"),
        ({"minimize": "1.5"}, InvalidRules, "numbers must be whole"),
        ({"minimize": "{1, 2}"}, InvalidRules, "the measure"),
        ({"maximize": "sum(t in TILE)(terain[t])"}, InvalidRules, "did you mean 'terrain'"),
        ({"maximize": 'trace("x", 1)'}, InvalidRules, "is not allowed"),
    ],
)
def test_wrong_measures_rejected(options, error, message):
    """The second of two was rejected when the first had been optimised, which may take hours."""
    with pytest.raises(error, match=message):
        best_board(Rules(), TINY, progress=pytest.fail, **options)


def test_solver_without_optimisation_rejected(monkeypatch):
    solver = SimpleNamespace(name="slow", backend=SimpleNamespace(optimises=False))
    monkeypatch.setattr("catan_cp.solving.find.find_solver", lambda _: solver)
    with pytest.raises(InvalidArgument, match="slow cannot optimise; name another, such as chuffed"):
        best_board(Rules(), TINY, minimize="reds_touching", solver="slow")


@pytest.mark.parametrize(
    ("function", "layout", "text"),
    [
        (best_board, TINY, "reds_touching() > 9"),
        (best_board, PIRATES.layout, "terrain[1] = ORE"),  # which the compiler alone denies
        (lambda rules, layout, **_: repair_board(PIRATES, rules), PIRATES.layout, "terrain[1] = ORE"),
    ],
)
def test_no_board_without_solutions(function, layout, text):
    rules = Rules(constraints=[Constraint(text, says="None is there.")])
    with pytest.raises(Infeasible, match="None is there"):
        function(rules, layout, minimize="reds_touching")


CRASHES_WITHOUT_PROOF = """
REAL "$@" | grep -v "^=="
kill -SEGV $$
"""


def test_second_solver_keeps_better_board(faulty):
    """The first solver finds the best board and crashes. The second one starts with worse boards."""
    reports = []
    faulty(CRASHES_WITHOUT_PROOF)
    best = best_board("open", minimize="largest_vertex_sum", timeout=25, progress=reports.append)
    values = [report.best.value for report in reports if report.best is not None]
    assert values == sorted(set(values), reverse=True) and len(values) > 1
    assert best.value == values[-1]


# ---- Puzzles


def test_minimal_pattern_has_one_board():
    rules = Rules(equal_markers_apart=True)
    board = every_board(rules)[17]
    pattern = make_puzzle(board, rules, seed=1)
    assert every_board(rules.replace(pattern=pattern)) == [board]
    clues = [i for i, sign in enumerate(pattern.partition("@")[0]) if sign not in "x/0123456789"]
    for i in clues:
        fits = Rules(pattern=pattern[:i] + "x" + pattern[i + 1 :])
        assert sum(not fits.check(candidate) for candidate in every_board(rules)) > 1


@pytest.mark.parametrize(
    ("board", "rules", "error", "message"),
    [
        ("do/bbo", {}, InvalidBoard, "with markers"),
        ("do2/b8b8o12", {"equal_markers_apart": True}, InvalidBoard, "do not allow"),
        ("do2/b8b8o12", {"pattern": "dx/xxx"}, InvalidRules, "the rules have one"),
        ("do2/b8b8o12", {"harbors": "shuffled"}, InvalidRules, "shuffled"),
    ],
)
def test_impossible_puzzles_rejected(board, rules, error, message):
    with pytest.raises(error, match=message):
        make_puzzle(Board.from_notation(board, TINY), Rules(**rules))


def test_puzzle_has_no_fishing_grounds():
    board = generate_board("open", "fishermen-of-catan", seed=1)
    with pytest.raises(InvalidRules, match="numbers of fishing grounds"):
        make_puzzle(board, "open")
