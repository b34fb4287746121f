"""The long tests of exact counts: many ranks, terrains, and random arrangements of large layouts."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

import catan_cp as cp
from catan_cp import LAYOUTS, Board, Problem, Rules

# A million calls of the public functions take an hour.
from catan_cp.counting.boards import board_space
from tests.brute_force import breaches
from tests.small_boards import needs_numba

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("preset", ["tournament", "official", "open"])
@pytest.mark.parametrize("part", range(4))
def test_million_ranks_are_reversible(preset, part):
    """Over all parts and presets, 12 times 84,000 ranks: 1,008,000."""
    space, source = board_space(Problem.of(preset, "base")), random.Random(part)
    for _ in range(21):
        ranks = [source.randrange(space.total) for _ in range(4_000)]
        assert space.ranks(space.arrays(ranks)) == ranks


@pytest.mark.solver
@needs_numba
@pytest.mark.parametrize("part", range(20))
def test_three_methods_agree_on_optimal(part):
    """The markers of a terrain are listed, counted, checked, and a part of the ranks of boards."""
    rules, source = Rules.preset("optimal"), random.Random(part)
    for terrain in cp.sample_terrains(5, rules, seed=part):
        rows = list(cp.enumerate_markers(terrain, rules))
        assert len({*rows}) == len(rows) == cp.count_markers(terrain, rules)
        for row in source.sample(rows, 20):
            board = Board("base", terrain, row, LAYOUTS["base"].printed_harbors)
            assert not breaches(rules, board)
            assert cp.unrank_board(cp.rank_board(board, rules), rules) == board


@pytest.mark.parametrize(
    ("name", "column", "cluster", "apart", "millions"),
    [
        ("seafarers-8", 1, 2, False, 1),
        ("new-world", 2, 1, True, 10),
        ("seafarers-6", 2, 1, True, 20),
    ],
)
def test_share_of_documented_arrangements(name, column, cluster, apart, millions):
    """Version 0.1.0 computed these totals of `tournament` and `optimal` on a disk."""
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if re.match(rf"\| `{name}` \| \d", line))
    totals = [int(cell.split()[0].replace(",", "")) for cell in row.split(" | ")[1:]]
    layout = LAYOUTS[name]
    assert totals[0] == cp.count_terrains("open", name)
    code = layout.terrain_codes
    pieces = [code[terrain] for terrain, n in layout.terrain_counts.items() for _ in range(n)]
    pairs = np.array(layout.adjacency("hex"))
    source, n = np.random.default_rng(1), 0
    for _ in range(10 * millions):
        rows = source.permuted(np.tile(np.array(pieces, dtype=np.uint8), (100_000, 1)), axis=1)
        alike = np.zeros(rows.shape, dtype=np.uint8)
        broken = np.zeros(len(rows), dtype=bool)
        for a, b in pairs:
            equal = (rows[:, a] == rows[:, b]) & ~np.isin(rows[:, a], [code["sea"], code["desert"]])
            alike[:, a] += equal
            alike[:, b] += equal
            if apart:
                low, high = np.minimum(rows[:, a], rows[:, b]), np.maximum(rows[:, a], rows[:, b])
                broken |= (low == code["brick"]) & (high == code["lumber"])
        # A cluster of three has a tile with two equal neighbors.
        n += int((~broken & ~(alike >= cluster).any(axis=1)).sum())
    expected = millions * 1_000_000 * totals[column] / totals[0]
    assert expected > 100
    assert abs(n - expected) < 5 * expected**0.5
