"""Ctrl-C ends every run of compiled code, and of the same code interpreted."""

import os
import signal
import subprocess
import sys
import time

import pytest

SECONDS = 5.0
"""The limit from Ctrl-C to the end: an idle machine needs less than two, and the run would take minutes."""

START = """
import catan_cp
from catan_cp import LAYOUTS, Objective, Rules, count_markers, play_games, solve_placement
board = catan_cp.Board.from_notation(LAYOUTS["base"].beginner_board)
large = catan_cp.Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
terrain, low = "dlw/bgol/owbwg/lgob/wlg", Rules(vertex_sum_below=21)
{short}
print("on", flush=True)
{long}
"""
RUNS = {
    "games": (
        "play_games(board, 2, players='trader', seed=1)",
        "play_games(board, 9_000_000, players='trader', seed=1)",
    ),
    "games in processes": (
        "play_games(board, 2, players='trader', seed=1)",
        "play_games(board, 9_000_000, players='trader', seed=1, workers=2)",
    ),
    "settlements among rivals": (
        "solve_placement(large, 2, Objective(rivalry=1))",
        "solve_placement(large, 6, Objective(rivalry=1))",
    ),
    "drafts with errors": (
        "solve_placement(board, 2, Objective(rivalry=1), rationality=2)",
        "solve_placement(board, 4, Objective(rivalry=1), rationality=2)",
    ),
    "number tokens": (
        "count_markers(terrain, low)",
        "count_markers(terrain, Rules(vertex_sum_below=28))",
    ),
}
"""Each run: a short one, which compiles, and one that takes minutes."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("compiles", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", RUNS)
def test_ctrl_c_ends_a_run(name, compiles):
    short, long = RUNS[name]
    code = START.format(short=short if compiles else "", long=long)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0" if compiles else "1"}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as child:
        try:
            assert child.stdout.readline() == b"on\n"
            time.sleep(0.5)
            assert child.poll() is None
            start = time.monotonic()
            child.send_signal(signal.SIGINT)
            _, error = child.communicate(timeout=60)
            seconds = time.monotonic() - start
        finally:
            child.kill()
    assert seconds < SECONDS
    assert b"KeyboardInterrupt" in error or b"catan_cp.errors.Interrupted" in error
