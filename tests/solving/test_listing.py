"""Every solution once, from solvers with a wrong order, one solution only, or crashes."""

import re
import shlex
import sys
import time

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    InvalidArgument,
    Layout,
    Rules,
    SolverFailed,
    SolverNotFound,
    SolverTimeout,
    enumerate_markers,
    enumerate_terrains,
    generate_board,
)
from tests.magic import magic_squares

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="stand-ins are shell scripts")

LISTED = list(magic_squares(3))


def filtered(program):
    """A solver whose solutions, one a line between ends, *program* rearranges.

    REAL is the true solver.
    """
    code = (
        "import sys; said = sys.stdin.read().split('----------\\n'); "
        f"rows, rest = said[:-1], said[-1]; {program}; "
        "print(''.join(row + '----------\\n' for row in rows) + rest, end='')"
    )
    return f'REAL "$@" | {shlex.quote(sys.executable)} -c {shlex.quote(code)}'


# An order that was promised


@pytest.mark.parametrize("program", ["rows.reverse()", "rows = rows[:2] + rows[3:6] + rows[2:3] + rows[6:]"])
def test_unordered_solver_reports_losses(faulty, program):
    faulty(filtered(program))
    with pytest.raises(SolverFailed, match="promised each solution once and in ascending order, and printed"):
        list(magic_squares(3))


@pytest.mark.parametrize(
    "program",
    [
        "rows = rows[:5] + rows[1:3] + rows[5:] + rows[:1]",
        "rows = ['% tried [1, 2, 3] ----------\\n' + row for row in rows]",
    ],
)
def test_repetitions_and_comments_are_not_solutions(faulty, program):
    faulty(filtered(program))
    with magic_squares(3) as squares:
        assert list(squares) == LISTED
        assert squares.complete


# Solvers without an order, or with one solution only


@pytest.mark.parametrize("flags", [("-a",), ("-a", "-n")])
def test_unknown_solver_lists_all_same(flags, other_solver, doctor):
    other_solver(*flags)
    assert re.search("other +ok .* lists without order, remembering what it has seen, through", doctor())
    with magic_squares(3, solver="other") as squares:
        assert sorted(squares) == sorted(LISTED)
        assert (squares.complete, squares.found) == (True, 8)
    assert len(list(enumerate_terrains("blog", solver="other", limit=5))) == 5
    with magic_squares(1, solver="other") as squares:  # The compiler knows the solution.
        assert list(squares) == [((1,),)]
        assert squares.complete


def test_minizinc_prints_numbers_only(other_solver, tmp_path):
    """It printed all variables, which took the portable solver most of its time."""
    output = tmp_path / "output"
    compiler = f'case "$*" in *--compile*) exec REAL "$@";; *) REAL "$@" | tee {output};; esac'
    assert sorted(magic_squares(3, solver=other_solver(compiler=compiler))) == sorted(LISTED)
    lines = {re.sub(r"\d", "9", line) for line in output.read_text().splitlines() if line[:1] != "%"}
    assert lines == {str([9] * 9), "-" * 10, "=" * 10}


def test_solver_that_cannot_list_rejected(other_solver, doctor):
    other_solver("-s")
    assert "finds one solution, cannot list all" in doctor()
    for limit in (None, 2):
        with pytest.raises(InvalidArgument, match=r"must be one that lists all solutions, not .* use auto"):
            enumerate_terrains("tournament", solver="other", limit=limit)
    with enumerate_terrains("blog", solver="other", limit=1) as solutions:
        assert len(list(solutions)) == 1
    assert generate_board("blog", seed=1, method="solver", solver="other").terrain


def test_hanging_minizinc_stopped(other_solver):
    """For one solution, only MiniZinc itself observed the time limit."""
    hangs = 'case "$*" in */model.mzn*|*/joint.mzn*) exec sleep 600;; esac; exec REAL "$@"'
    other_solver(compiler=hangs)
    for ask in (
        lambda: generate_board("blog", seed=1, method="solver", solver="other", timeout=1.5),
        lambda: list(enumerate_terrains("blog", solver="other", limit=1, timeout=2)),
    ):
        began = time.monotonic()
        with pytest.raises(SolverTimeout):
            ask()
        assert time.monotonic() - began < 60


# Installed solvers


@pytest.mark.slow
def test_installed_solvers_list_same(doctor):
    names = re.findall(r"(?m)^(\S+) +ok .* solves, lists", doctor())
    assert {"chuffed", "gecode"} <= set(names)
    on = "dlw/bgol/owbwg/lgob/wlg"
    for name in names:
        assert sorted(magic_squares(3, solver=name)) == sorted(LISTED)
        assert list(enumerate_markers(on, Rules(vertex_sum_below=15), solver=name, timeout=60)) == []
        terrain = list(enumerate_terrains("blog", solver=name, limit=2, timeout=60))
        assert len(set(terrain)) == 2
        assert all(not Rules.preset("blog").check(Board("base", tiles)) for tiles in terrain)


def test_highs_needs_its_library():
    """With highspy, MiniZinc has it, and it cannot list.

    Otherwise the message names the package to install.
    """
    with pytest.raises((InvalidArgument, SolverNotFound)) as caught:
        enumerate_terrains("tournament", solver="highs")
    message = str(caught.value)
    if caught.type is SolverNotFound:
        assert "does not solve three lines" in message and message.endswith("pip install highspy")
    else:
        assert "must be one that lists all solutions" in message


# Crashes


CRASHING = Layout("crashing", (1, 2), {"brick": 1, "desert": 2}, {8: 2})
LARGE = LAYOUTS["base-5-6"]
EVERY = [name for name, count in LARGE.terrain_counts.items() for _ in range(count)]


@pytest.mark.parametrize("solver", ["auto", "chuffed"])
@pytest.mark.parametrize(
    ("layout", "terrain", "rules"),
    [
        (CRASHING, ["brick", "desert", "desert"], Rules(vertex_sum_below=20)),
        (LARGE, EVERY, Rules(vertex_pips_max=0)),
    ],
)
def test_answer_despite_chuffed_crash(solver, layout, terrain, rules):
    """Two deserts at one vertex: signal 11. No pips at all: signal 6."""
    with enumerate_markers(terrain, rules, layout, solver=solver, timeout=60) as markers:
        assert list(markers) == []
        assert markers.complete


@pytest.mark.parametrize("after", [0, 3])
def test_after_crash_other_solver_decides(faulty, after, caplog):
    caplog.set_level("INFO", "catan_cp")
    lines = 2 * after
    faulty(f'REAL "$@" | head -n {lines}; kill -SEGV $$')
    with magic_squares(3) as squares:
        assert list(squares) == LISTED
        assert squares.complete
    assert "killed by signal 11" in caplog.text
    assert "gecode is used instead" in caplog.text
    assert generate_board("blog", seed=1).terrain


def test_if_both_crash_first_reported(faulty, monkeypatch):
    faulty("kill -ABRT $$")
    monkeypatch.setattr("catan_cp.solving.listing.another_solver", lambda _: None)
    with pytest.raises(SolverFailed, match="killed by signal 6 before it was done"):
        list(magic_squares(3))
