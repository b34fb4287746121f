"""Compiling and running: statistics, limits, seeds, data, Ctrl-C.

No process or file is left afterwards.
"""

import inspect
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from catan_cp import SolverFailed, SolverTimeout
from catan_cp.solving.compiling import Task, compile_model
from catan_cp.solving.find import find_solver, generic
from tests.kills import alive, wait_for
from tests.magic import magic_squares

BOTH = pytest.mark.parametrize("solver", ["chuffed", "gecode"])
SHORT = {"n": 3, "diagonals": True, "fixed": [[0] * 3] * 3}

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc"),
    pytest.mark.usefixtures("scratch"),
]


def test_equal_data_compiled_once():
    task, again = Task("magic_square", SHORT), Task("magic_square", dict(reversed(SHORT.items())))
    first = compile_model(task, find_solver("chuffed"))
    assert compile_model(again, find_solver("chuffed")).flatzinc is first.flatzinc
    assert compile_model(task, find_solver("gecode")).flatzinc is not first.flatzinc
    second = replace(first.solver, backend=generic("org.example.other", "other", ()))  # asked in another way
    assert compile_model(task, second).solver.backend == second.backend != first.solver.backend


def test_compiling_takes_part_in_time_limit():
    nobody_elses = {"n": 7, "diagonals": False, "fixed": [[0] * 7] * 7}  # so that no kept model answers
    with pytest.raises(SolverTimeout, match="compiling"):
        compile_model(Task("magic_square", nobody_elses), find_solver("chuffed"), timeout=0.001)


@BOTH
def test_closing_and_dropping_stop_solver(solver, scratch):
    squares = magic_squares(4, diagonals=False, solver=solver)
    next(squares)
    assert alive(scratch)
    squares.close()
    assert not alive(scratch)
    squares.close()
    squares = magic_squares(4, diagonals=False, solver=solver)
    next(squares)
    del squares
    wait_for(lambda: not alive(scratch))


def test_close_from_another_thread(faulty, scratch):
    """It raised ValueError, for a generator that runs already cannot be closed."""
    faulty("echo 'cell = [2, 7, 6, 9, 5, 1, 4, 3, 8];'; echo ----------; exec sleep 600")
    squares = magic_squares(3)
    assert next(squares) == ((2, 7, 6), (9, 5, 1), (4, 3, 8))
    results = []
    reader = threading.Thread(target=lambda: results.append(list(squares)))
    reader.start()
    wait_for(lambda: inspect.getgeneratorstate(squares._blocks) == inspect.GEN_RUNNING)
    squares.close()
    reader.join(60)
    assert results == [[]]
    wait_for(lambda: not alive(scratch))
    assert (squares.found, squares.complete, squares.statistics) == (1, False, {})


def test_early_stopped_run_is_empty(scratch):
    squares = magic_squares(3)
    squares._progress.stop()  # as another thread does in the moment before the solver starts
    assert (list(squares), squares.complete) == ([], False)
    wait_for(lambda: not alive(scratch))


INTERRUPTED = """
from catan_cp import enumerate_terrains
solutions = enumerate_terrains("open", solver={solver!r})
next(solutions)
print("running", flush=True)
for _ in solutions:
    pass
"""


@BOTH
def test_ctrl_c_leaves_nothing(solver, scratch):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(solver=solver)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout.readline() == "running\n"
    assert len(alive(scratch)) > 1
    process.send_signal(signal.SIGINT)
    try:
        errors = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:  # Python drops, and says so, what comes while it runs a finalizer
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        assert "Exception ignored in" in errors
    assert errors.rstrip().endswith("KeyboardInterrupt")
    wait_for(lambda: not alive(scratch))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"n": 3, "fixed": [[0] * 3] * 3}, r"could not compile magic_square.mzn .*diagonals"),
        ({**SHORT, "n": "3; constraint false"}, "could not compile"),  # data are never read as a model
    ],
)
def test_data_that_do_not_compile(data, message):
    with pytest.raises(SolverFailed, match=message):
        compile_model(Task("magic_square", data), find_solver("gecode"))
