"""Two solvers prove at once: a script as CP-SAT, and Chuffed or a script for it."""

import os
import shlex
import time

import pytest

from catan_cp import Infeasible, Layout, Rules, SolverFailed, SolverTimeout, best_board
from tests.conftest import list_program, script, stand_in

SMALL = Layout("small", (2, 3, 2), {"grain": 2, "wool": 2, "ore": 2, "desert": 1}, {2: 1, 3: 2, 8: 2, 10: 1})
GOAL = "sum(t in TILE)(t * marker[t])"
LEAST = 10 * 1 + 8 * 2 + 8 * 3 + 3 * 4 + 3 * 5 + 2 * 6  # the desert is on tile 7
SLEEPS = "sleep 100"
CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
FAILS = "echo broken >&2; exit 3"

pytestmark = [pytest.mark.solver, pytest.mark.skipif(len(CORES) < 2, reason="needs two cores")]


@pytest.fixture
def race(installed, tmp_path, scratch, monkeypatch):
    """Return a function that puts scripts in the places of Chuffed and CP-SAT.

    SOLVE is a solver.
    """
    # The scripts need not solve its small model.
    monkeypatch.setattr("catan_cp.solving.find.try_solver", lambda *_: None)

    def use(first: str, second: str):
        listing = []
        for name, identifier, real, body in (
            ("chuffed", "org.chuffed.chuffed", "chuffed", first),
            ("cp-sat", "com.google.ortools.sat", "gecode", second),
        ):
            solver = installed[real]
            body = body.replace("SOLVE", f'exec {shlex.quote(str(solver.executable))} "$@"')
            body = f"echo {name} >> STARTED\n{body}".replace(
                "STARTED", shlex.quote(str(tmp_path / "started"))
            )
            program = script(tmp_path / f"fzn-{name}", body)
            listing.append(list_program(solver.entry, program, tmp_path / f"{name}.msc", id=identifier))
        named = stand_in(tmp_path, solver.minizinc.executable, listing)
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(named))
        return tmp_path / "started"

    return use


@pytest.mark.parametrize(
    ("first", "second"),
    [("SOLVE", "SOLVE"), ("SOLVE", SLEEPS), (SLEEPS, "SOLVE"), ("SOLVE", FAILS), (FAILS, "SOLVE")],
)
def test_first_proof_ends_race(race, first, second):
    """Whatever the other solver does. The fixture checks that no process and no file is left."""
    race(first, second)
    best = best_board("open", SMALL, minimize=GOAL)
    assert (best.value, best.proven) == (LEAST, True)


def test_each_measure_can_race(race):
    started = race(SLEEPS, "SOLVE")
    best = best_board("open", SMALL, minimize=(GOAL, "marker[1]"))
    assert (best.value, best.proven) == ((LEAST, 10), True)
    assert {*started.read_text().split()} == {"chuffed", "cp-sat"}


@pytest.mark.parametrize("alone", ["named", "on one core"])
def test_one_solver_runs_alone(race, alone):
    started = race("SOLVE", "SOLVE")
    if alone == "on one core":
        os.sched_setaffinity(0, {min(CORES)})
    try:
        best = best_board("open", SMALL, minimize=GOAL, solver="chuffed" if alone == "named" else "auto")
    finally:
        os.sched_setaffinity(0, CORES)
    assert best.proven
    assert "cp-sat" not in started.read_text()


def test_race_ends_without_board(race):
    """The first solver sleeps in the race only, not in the later search for a conflict."""
    race("[ -e STARTED.second ] || sleep 100; SOLVE", "sleep 0.5; touch STARTED.second; SOLVE")
    with pytest.raises(Infeasible):
        best_board(Rules(constraints=["marker[1] + marker[2] > 30"]), SMALL, minimize=GOAL, timeout=60)


def test_two_faults_are_one_error(race):
    race(FAILS, FAILS)
    with pytest.raises(SolverFailed, match="stopped with status"):
        best_board("open", SMALL, minimize=GOAL)


def test_time_limit_ends_both_solvers(race):
    race(SLEEPS, SLEEPS)
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        best_board("open", SMALL, minimize=GOAL, timeout=1.5)
    assert time.monotonic() - began < 60


def test_closing_race_ends_both_solvers(race):
    """As Ctrl-C does: the first board is there, the proof is not."""
    race("SOLVE", SLEEPS)
    boards = []

    def interrupt(progress):
        boards.append(progress.best.board)
        raise KeyboardInterrupt

    best = best_board("open", SMALL, minimize=GOAL, progress=interrupt)
    assert (best.board, best.proven) == (boards[0], False)
