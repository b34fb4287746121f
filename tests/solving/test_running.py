"""Compiling and running: limits, Ctrl-C, and the ends of runs.

No process or file is left afterwards.
"""

import inspect
import sys
import threading

import pytest

from catan_cp import Rules, enumerate_terrains
from tests.kills import alive, wait_for
from tests.magic import magic_squares

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc"),
    pytest.mark.usefixtures("scratch"),
]


def test_equal_data_compiled_once(faulty, tmp_path):
    log = tmp_path / "compilations"
    faulty(compiler=f'case "$*" in *--compile*) echo >> {log};; esac; exec REAL "$@"')
    for solver, compilations in (("chuffed", 1), ("chuffed", 1), ("gecode", 2)):
        rules = Rules(symmetry="corners", desert="centre", apart=[("ore", "wool")])
        assert len(list(enumerate_terrains(rules, solver=solver, limit=1))) == 1
        assert len(log.read_text()) == compilations


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
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
