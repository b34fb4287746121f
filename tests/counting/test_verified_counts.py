"""The second program that counts the boards of ``optimal``."""

import json
import subprocess
import sys

import pytest

import catan_cp

pytest.importorskip("numba")
from benchmarks import verify_counts


def test_program_imports_no_library():
    code = "import sys, benchmarks.verify_counts; print(*(name for name in sys.modules if 'catan' in name))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=verify_counts.RESULT.parents[1], capture_output=True, check=False
    )
    assert result.stdout.split() == [] and result.returncode == 0, result.stderr


@pytest.mark.slow
def test_program_lists_terrains_and_symmetries():
    assert len(set(map(tuple, verify_counts.symmetries()))) == 12
    orbits = verify_counts.orbits()
    assert (len(orbits), sum(size for _, size in orbits)) == (15_733, 188_160)


def test_program_counts_as_library():
    """On random terrains of the library, three of 188,160."""
    names = list(verify_counts.PIECES)
    for terrain in catan_cp.sample_terrains(3, "optimal", seed=1):
        codes = tuple(map(names.index, terrain))
        assert verify_counts.count_on(codes) == catan_cp.count_markers(terrain, "optimal")


def test_stored_result_equals_library():
    """The run over all terrains takes ten minutes, so its result is stored."""
    stored = json.loads(verify_counts.RESULT.read_text(encoding="utf-8"))
    assert stored["boards"] == catan_cp.count_boards("optimal")
    assert stored["terrains"] == catan_cp.count_terrains("optimal")
    assert stored["terrains_up_to_symmetry"] == catan_cp.count_terrains("optimal", up_to_symmetry=True)
