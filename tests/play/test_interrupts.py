"""Ctrl-C ends every run of compiled code, and of the same code interpreted."""

import os
import signal
import subprocess
import sys
import time

import pytest

SECONDS = 5.0
"""Seconds from Ctrl-C to the end.

An idle machine needs less than two, and the run would take minutes.
"""

START = """
import catan_cp
from catan_cp import LAYOUTS, Objective, Rules, count_markers, play_games, solve_placement
from examples.player_python import my_player
board = catan_cp.Board.from_notation(LAYOUTS["base"].beginner_board)
large = catan_cp.Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
terrain, low = "dlw/bgol/owbwg/lgob/wlg", Rules(vertex_sum_below=21)
"""
RUN = """
{short}
print("on", flush=True)
try:
    {long}
except (KeyboardInterrupt, catan_cp.errors.Interrupted):
    print("interrupted", flush=True)
"""
RUNS = {
    "games": (
        "play_games(board, 2, players='trader', seed=1)",
        "play_games(board, 9_000_000, players='trader', seed=1)",
    ),
    "games in processes": ("", "play_games(board, 9_000_000, players='trader', seed=1, workers=2)"),
    "players in processes": (
        "",
        "play_games(board, 9_000_000, players=[my_player, 'greedy'], seed=1, workers=2)",
    ),
    "settlements among rivals": (
        "solve_placement(large, 2, Objective(rivalry=1))",
        "solve_placement(large, 6, Objective(rivalry=1))",
    ),
    "drafts with errors": (
        "solve_placement(board, 2, Objective(rivalry=1), rationality=2)",
        "solve_placement(board, 4, Objective(rivalry=1), rationality=2)",
    ),
    "number tokens": ("count_markers(terrain, low)", "count_markers(terrain, Rules(vertex_sum_below=28))"),
}
"""Each run: a short one, which compiles, and one that takes minutes."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("compiles", [True, False], ids=["compiled", "interpreted"])
def test_ctrl_c_ends_each_run(compiles):
    """One process, which goes on after each Ctrl-C, so that Python and numba start once."""
    runs = [RUN.format(short=short if compiles else "", long=long) for short, long in RUNS.values()]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0" if compiles else "1"}
    with subprocess.Popen(
        [sys.executable, "-c", "".join([START, *runs])], stdout=subprocess.PIPE, env=environment
    ) as child:
        try:
            for name in RUNS:
                assert child.stdout.readline() == b"on\n", name
                time.sleep(0.5)
                start = time.monotonic()
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == b"interrupted\n", name
                assert time.monotonic() - start < SECONDS, name
            assert child.wait(60) == 0
        finally:
            child.kill()
