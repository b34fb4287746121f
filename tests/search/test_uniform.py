"""Distance of each method from uniform samples, measured on a layout with 108 boards.

Six tiles of one terrain are around a desert. So boards differ only in the places of the number tokens, and
symmetries map the six tiles to each other. The distance is the standard deviation of a board's chance, in
units of the mean chance, 1/108. It is 0 for uniform samples of any number. It is computed from chi-square,
without the part of chance itself.
"""

import subprocess
import sys
from collections import Counter
from math import sqrt

import pytest

from catan_cp import Layout, Rules, count_boards, generate_boards

RING = Layout("ring", (2, 3, 2), {"grain": 6, "desert": 1}, {6: 1, 8: 1, 4: 2, 10: 2})
RULES = Rules(desert="centre", reds_apart=True)
BOARDS = 108


def unevenness(samples):
    """Estimate the deviation of the boards' chances. 0 for samples that are as even as chance."""
    times, expected = Counter(samples), len(samples) / BOARDS
    chi_square = sum((n - expected) ** 2 / expected for n in times.values())
    chi_square += (BOARDS - len(times)) * expected
    return sqrt(max(0.0, (chi_square / (BOARDS - 1) - 1) / expected))


def shares_of_the_six(samples):
    """Return how often the 6 is on each tile."""
    counts = Counter(board.markers.index(6) for board in samples)
    return [counts[tile] / len(samples) for tile in range(7) if tile != 3]


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "measured"), [("chuffed", 1.07), ("gecode", 0.69)])
def test_figures_in_docs(solver, measured):
    """A solver's samples are not uniform, and the figures of the docs stay correct."""
    assert count_boards(RULES, RING) == BOARDS
    samples = list(generate_boards(540, RULES, RING, seed=1, method="solver", solver=solver))
    assert not any(RULES.check(board) for board in samples)
    assert unevenness(samples) == pytest.approx(measured, abs=0.25)
    shares = shares_of_the_six(samples)
    assert 0.04 < min(shares) < 0.13 and 0.2 < max(shares) < 0.3


FORKING = """
import os, signal, threading
from catan_cp import generate_board, sample_boards
thread = threading.Thread(target=list, args=(sample_boards(10**9, "tournament"),), daemon=True)
next(sample_boards(1, "tournament"))
thread.start()
for number in range(3):
    if not (child := os.fork()):
        signal.alarm(60)
        board = generate_board("tournament", seed=number)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the child did not return a board"
assert thread.is_alive()
os._exit(0)
"""


def test_fork_during_sampling():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], check=True, timeout=600)
