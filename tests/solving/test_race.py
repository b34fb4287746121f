"""Two solvers prove at once: a script as CP-SAT, and Chuffed or a script for it."""

import json
import shlex
import subprocess
import time

import pytest

from catan_cp import Infeasible, Layout, Rules, SolverFailed, SolverTimeout, best_board
from catan_cp.processes import usable_cores
from catan_cp.solving import find
from tests.conftest import list_program, script, stand_in

SMALL = Layout("small", (2, 3, 2), {"grain": 2, "wool": 2, "ore": 2, "desert": 1}, {2: 1, 3: 2, 8: 2, 10: 1})
GOAL = "sum(t in TILE)(t * marker[t])"
LEAST = 10 * 1 + 8 * 2 + 8 * 3 + 3 * 4 + 3 * 5 + 2 * 6  # the desert is on tile 7
SLEEPS = "sleep 100"
FAILS = "echo broken >&2; exit 3"

pytestmark = [pytest.mark.solver, pytest.mark.skipif(usable_cores() < 2, reason="needs two cores")]


@pytest.fixture
def race(tmp_path, scratch, monkeypatch):
    """Return a function that puts scripts in the places of Chuffed and CP-SAT.

    SOLVE is a solver.
    """
    gecode, solvers = find.find_solver("gecode"), {"chuffed": find.find_solver("chuffed")}
    solvers["cp-sat"] = gecode
    if gecode.minizinc.portable:
        pytest.skip("the portable solver runs Chuffed and Gecode in its own process")
    minizinc = gecode.minizinc.executable
    listed = json.loads(subprocess.run([minizinc, "--solvers-json"], capture_output=True, check=True).stdout)
    configured = {entry["extraInfo"].get("configFile"): entry for entry in listed}

    monkeypatch.setattr(find, "try_solver", lambda *_: None)  # the scripts need not solve its small model

    def use(first: str, second: str):
        entries = []
        for name, identifier, body in (
            ("chuffed", "org.chuffed.chuffed", first),
            ("cp-sat", "com.google.ortools.sat", second),
        ):
            entry = configured[str(solvers[name].config_file)]
            body = body.replace("SOLVE", f'exec {shlex.quote(str(solvers[name].executable))} "$@"')
            started = f"echo {name} >> {shlex.quote(str(tmp_path / 'started'))}"
            program = script(tmp_path / f"fzn-{name}", f"{started}\n{body}")
            entries.append(list_program(entry, program, tmp_path / f"{name}.msc", id=identifier))
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(stand_in(tmp_path, minizinc, entries)))
        assert find.second_prover(find.find_solver()).name == "cp-sat"
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
    race(SLEEPS, "SOLVE")
    best = best_board("open", SMALL, minimize=(GOAL, "marker[1]"))
    assert best.proven
    assert best.value == (LEAST, 10)


def test_named_solver_runs_alone(race):
    started = race("SOLVE", "SOLVE")
    assert best_board("open", SMALL, minimize=GOAL, solver="chuffed").proven
    assert "cp-sat" not in started.read_text()


def test_race_ends_without_board(race):
    race(SLEEPS, "SOLVE")
    with pytest.raises(Infeasible):
        best_board(Rules(constraints=["marker[1] + marker[2] > 30"]), SMALL, minimize=GOAL, timeout=5)


def test_two_faults_are_one_error(race):
    race(FAILS, FAILS)
    with pytest.raises(SolverFailed, match="stopped with status"):
        best_board("open", SMALL, minimize=GOAL)


def test_time_limit_ends_both_solvers(race):
    race(SLEEPS, SLEEPS)
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        best_board("open", SMALL, minimize=GOAL, timeout=3)
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
