"""Running a solver: its end, in time or not, and what is left of it: nothing."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from catan_cp.boards.layout import LAYOUTS
from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.rules.model_data import harbor_task
from catan_cp.rules.rules import Rules
from catan_cp.search.tasks import Clock
from catan_cp.solving.binding import first
from catan_cp.solving.compiling import compile_model
from catan_cp.solving.find import find_solver
from catan_cp.solving.listing import Listing, statistics_name
from catan_cp.solving.models import models_dir

BOTH = ("chuffed", "gecode")
LONG = {"n": 4, "diagonals": False, "fixed": [[0] * 4] * 4}
SHORT = {"n": 3, "diagonals": True, "fixed": [[0] * 3] * 3}


def children(parent):
    """The ids of the processes that *parent* started, and those that they did."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = place.read_text()
        except OSError:  # it ended meanwhile
            continue
        state, above = text.rsplit(")", 1)[1].split()[:2]
        if int(above) == parent and state != "Z":
            child = int(place.parent.name)
            found += [child, *children(child)]
    return found


@pytest.fixture(autouse=True)
def nothing_left(tmp_path, monkeypatch):
    """Each test begins and ends without a file of ours and without a child process."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = set(children(os.getpid()))
    yield
    assert set(children(os.getpid())) <= before
    assert list((tmp_path / "scratch").iterdir()) == []


def run_of(data, solver="chuffed", *, limit=None, timeout=None):
    return listing(compile_model("magic_square", data, find_solver(solver)), limit=limit, timeout=timeout)


def listing(compiled, *, limit=None, timeout=None):
    return Listing(compiled, limit, Clock(timeout).left, repeats=True)  # which asks for no order


def fake(tmp_path, script):
    """A compiled model whose solver is a shell script."""
    place = tmp_path / "solver"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    compiled = compile_model("magic_square", SHORT, find_solver("chuffed"))
    return replace(compiled, solver=replace(compiled.solver, executable=place))


def solvers():
    """The ids of the FlatZinc programs that we have started."""
    names = {child: Path(f"/proc/{child}/cmdline").read_text() for child in children(os.getpid())}
    return [child for child, name in names.items() if "model.fzn" in name]


def ends(process_id):
    """Whether a process is gone, or soon."""
    for _ in range(100):
        if not Path(f"/proc/{process_id}").exists():
            return True
        time.sleep(0.05)
    return False


# In good order


@pytest.mark.parametrize("solver", BOTH)
def test_all_solutions_and_statistics(solver):
    run = run_of(SHORT, solver)
    squares = np.concatenate(list(run.blocks()))
    assert squares.shape == (8, 9)
    assert squares.dtype == np.int32
    assert (squares[:, :3].sum(axis=1) == 15).all()
    assert run.complete
    counts = ("solutions", "nodes", "failures", "peak_depth", "propagations", "variables", "propagators")
    assert {type(run.statistics[name]) for name in counts} == {int}
    assert run.statistics["solutions"] == run.found == 8
    assert run.statistics["nodes"] > 8
    assert 0 <= run.statistics["solve_time"] < 60


@pytest.mark.parametrize("solver", BOTH)
def test_a_limit(solver):
    run = run_of(SHORT, solver, limit=3)
    assert sum(map(len, run.blocks())) == run.found == 3
    assert not run.complete


@pytest.mark.parametrize("solver", BOTH)
def test_the_seed_chooses(solver):
    search = {"chuffed": 2, "gecode": 3}[solver]
    rules, layout = Rules(harbors="shuffled", harbor_own_terrain_apart=True), LAYOUTS["base"]
    task = harbor_task(rules, layout, ["sea"] * 19, search)
    compiled = compile_model(task.model, task.data, find_solver(solver))
    found = [first(compiled, lambda: None, seed=seed) for seed in (1, 1, 2, 3, 4)]
    assert found[0] == found[1]
    assert len(set(map(tuple, found))) > 1


def test_names_of_statistics():
    names = ("nSolutions", "peakDepth", "nodes", "solveTime", "intVars", "peak_mem")
    known = ["solutions", "peak_depth", "nodes", "solve_time", "int_vars", "peak_mem"]
    assert list(map(statistics_name, names)) == known


def test_equal_data_is_compiled_once():
    first = compile_model("magic_square", SHORT, find_solver("chuffed"))
    assert compile_model("magic_square", dict(reversed(SHORT.items())), find_solver("chuffed")) is first
    assert compile_model("magic_square", SHORT, find_solver("gecode")) is not first


# Out of time


@pytest.mark.parametrize("solver", BOTH)
def test_a_time_limit(solver):
    run = run_of(LONG, solver, timeout=0.5)
    began = time.monotonic()
    with pytest.raises(SolverTimeout, match=r"\d+ solutions found") as caught:
        for _ in run.blocks():
            pass
    assert time.monotonic() - began < 5
    assert caught.value.found == run.found
    assert not run.complete


def test_a_solver_that_ignores_its_time_limit(tmp_path):
    run = listing(fake(tmp_path, "exec sleep 60"), timeout=0.2)
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        list(run.blocks())
    assert time.monotonic() - began < 10


def test_compiling_takes_part_in_the_time_limit():
    data = {"n": 5, "diagonals": True, "fixed": [[0] * 5] * 5}
    with pytest.raises(SolverTimeout, match="compiling"):
        compile_model("magic_square", data, find_solver("chuffed"), timeout=0.001)


# Stopped early


@pytest.mark.parametrize("solver", BOTH)
def test_closing_stops_the_solver(solver):
    run = run_of(LONG, solver)
    blocks = run.blocks()
    next(blocks)
    (process_id,) = solvers()
    run.close()
    assert ends(process_id)
    run.close()


def test_dropping_stops_the_solver():
    run = run_of(LONG)
    blocks = run.blocks()
    next(blocks)
    (process_id,) = solvers()
    del run, blocks
    assert ends(process_id)


def test_dropping_before_the_first_solution():
    run = run_of(LONG)
    (process_id,) = solvers()
    del run
    assert ends(process_id)


INTERRUPTED = """
from catan_cp import enumerate_terrain
solutions = enumerate_terrain("open", solver={solver!r})
next(solutions)
print("running", flush=True)
for _ in solutions:
    pass
"""


@pytest.mark.parametrize("solver", BOTH)
def test_ctrl_c_leaves_nothing(solver, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(solver=solver)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout.readline() == "running\n"
    below = children(process.pid)
    assert below
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert all(map(ends, below))


# Gone wrong


def test_a_killed_solver():
    run = run_of(LONG, "gecode")
    blocks = run.blocks()
    next(blocks)
    os.kill(*solvers(), signal.SIGKILL)
    with pytest.raises(SolverFailed, match="killed by signal 9"):
        list(blocks)


def test_last_words(tmp_path):
    run = listing(fake(tmp_path, 'echo "out of  memory" >&2; exit 3'))
    with pytest.raises(SolverFailed, match=r"status 3 .* 0 solutions: out of memory"):
        list(run.blocks())


def test_a_solver_that_stops_in_the_middle(tmp_path):
    square = "cell = array2d(1..3,1..3,[2,9,4,7,5,3,6,1,8]);"
    run = listing(fake(tmp_path, f'echo "{square}"; echo "----------"; echo "{square}"'))
    blocks = run.blocks()
    assert next(blocks).tolist() == [[2, 9, 4, 7, 5, 3, 6, 1, 8]]
    with pytest.raises(SolverFailed, match="after 1 solutions: it said nothing"):
        list(blocks)


@pytest.mark.parametrize(
    "printed",
    [
        "cell = nonsense;",
        "cell = [1,2,3];",
        "cell = [1,2,3,4,5,6,7,8,,];",
        "cell = [1,2,3,4,5,6,7,8,];",
        "cell = [1,2,3,4,5,6,7,8,nine];",
        "cell = [1,2,3,4,5,6,7,8,9]; cell = [1,2,3,4,5,6,7,8,9];",
        "",
    ],
)
def test_garbage(tmp_path, printed):
    run = listing(fake(tmp_path, f'echo "{printed}"; echo "----------"; echo "=========="'))
    with pytest.raises(SolverFailed, match="what is no solution"):
        list(run.blocks())


def test_endless_garbage(tmp_path):
    run = listing(fake(tmp_path, "exec cat /dev/zero"))
    with pytest.raises(SolverFailed, match="what is no solution"):
        list(run.blocks())


def test_a_missing_solver(tmp_path):
    compiled = compile_model("magic_square", SHORT, find_solver("chuffed"))
    gone = replace(compiled, solver=replace(compiled.solver, executable=tmp_path / "gone"))
    with pytest.raises(SolverFailed, match="does not start"):
        listing(gone)


def test_a_model_that_does_not_compile():
    with pytest.raises(SolverFailed, match=r"could not compile magic_square.mzn .*diagonals"):
        compile_model("magic_square", {"n": 3, "fixed": SHORT["fixed"]}, find_solver("gecode"))


def test_data_is_never_read_as_a_model():
    data = {**SHORT, "n": "3; constraint false"}
    with pytest.raises(SolverFailed):
        compile_model("magic_square", data, find_solver("gecode"))


def test_the_models_are_where_they_are_looked_for():
    names = {place.name for place in models_dir().glob("*.mzn")}
    assert names >= {"board.mzn", "markers.mzn", "harbors.mzn", "magic_square.mzn"}
