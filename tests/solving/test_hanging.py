"""Programs that never end, and clocks that jump: time limits hold."""

import sys
import time

import pytest

from catan_cp import Rules, SolverTimeout, enumerate_terrains, generate_board
from tests.kills import alive, wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc")

TERRAINS = Rules(symmetry="corners", desert="inland")


@pytest.mark.parametrize(
    ("stand_in", "ask", "message"),
    [
        ("solver", lambda: list(enumerate_terrains("blog", timeout=1)), "the time limit"),
        ("solver", lambda: generate_board("optimal", seed=1, method="solver", timeout=1), "the time limit"),
        ("other", lambda: list(enumerate_terrains("blog", solver="other", timeout=2)), "the time limit"),
        ("compiler", lambda: list(enumerate_terrains(TERRAINS, timeout=1)), r"compiling solve_terrain\.mzn"),
    ],
)
def test_hanging_program_stopped_in_time(stand_in, ask, message, faulty, other_solver, scratch):
    """MiniZinc starts the other solver in a process group of its own."""
    if stand_in == "other":
        other_solver(hangs=True)
    else:
        faulty(**{stand_in: "trap '' INT TERM; exec sleep 600"})
    began = time.monotonic()
    with pytest.raises(SolverTimeout, match=message):
        ask()
    assert time.monotonic() - began < 60
    wait_for(lambda: not alive(scratch), 10)


def test_program_has_moment_to_end(faulty, scratch):
    """MiniZinc ends its solver when it is told to end. It would not if it were killed at once."""
    faulty(compiler="trap 'sleep 0.1; touch $TMPDIR/../ended; exit' TERM; sleep 600 & wait")
    with pytest.raises(SolverTimeout):
        list(enumerate_terrains(TERRAINS, timeout=1))
    assert (scratch.parent / "ended").exists()


def test_reset_clock_changes_no_limit(faulty, monkeypatch):
    faulty("exec sleep 600")
    jump = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: 1e9 * (-1) ** next(jump))
    began = time.monotonic()
    with pytest.raises(SolverTimeout):
        list(enumerate_terrains("blog", timeout=1))
    assert 0.9 < time.monotonic() - began < 60
