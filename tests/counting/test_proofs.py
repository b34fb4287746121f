"""The long tests of exact counts and uniform samples: many ranks, terrains and boards.

They take minutes each, so they are marked slow. The other files of this folder have short versions.
"""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Layout,
    Problem,
    Rules,
    count_boards,
    enumerate_markers,
    generate_boards,
    sample_boards,
    sample_terrains,
)
from catan_cp.boards.pieces import TERRAINS
from catan_cp.counting.boards import board_space
from catan_cp.counting.spaces import chunks
from catan_cp.counting.sums.search import marker_search
from catan_cp.counting.sums.weights import WeightedTerrains
from tests.brute_force import breaches
from tests.small_boards import chi_square, content, equally_often, in_token_order, needs_numba, too_uneven

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
def test_three_methods_agree_on_optimal_terrains(part):
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    for terrain in sample_terrains(5, "optimal", seed=part):
        search = marker_search(terrain, Problem.of(rules, layout))
        listed = in_token_order(enumerate_markers(terrain, rules, layout))
        rows = search.arrays(range(search.count()))
        assert np.array_equal(rows, np.array([[m or 0 for m in row] for row in listed]))
        for row in random.Random(part).sample(listed, 20):
            assert not breaches(rules, Board(layout, terrain, row))


# Uniform draws, per board and for pairs of tiles


ROUND = (2, 3, 2)
SPACES = [  # terrain, markers, rules, and about how many boards there are
    ({"wool": 2, "ore": 1, "desert": 4}, {6: 2, 8: 1}, Rules(), 300),
    ({"wool": 2, "ore": 2, "desert": 3}, {2: 1, 6: 2, 11: 1}, Rules(reds_apart=True), 1_000),
    ({"wool": 3, "ore": 2, "desert": 2}, {2: 1, 6: 2, 11: 2}, Rules(vertex_pips_max=10), 3_000),
    ({"wool": 3, "ore": 2, "desert": 2}, {2: 2, 6: 2, 11: 1}, Rules(), 6_000),
    ({"wool": 4, "ore": 3}, {2: 2, 3: 2, 6: 2, 8: 1}, Rules(markers_distinct_per_terrain=True), 5_000),
    ({"wool": 3, "ore": 3, "desert": 1}, {2: 1, 3: 2, 6: 2, 8: 1}, Rules(), 25_000),
    ({"wool": 3, "ore": 3, "desert": 1}, {2: 1, 3: 1, 4: 1, 6: 1, 8: 1, 11: 1}, Rules(), 100_000),
]


@needs_numba
@pytest.mark.parametrize(("pieces", "supply", "rules", "least"), SPACES)
@pytest.mark.parametrize("method", ["sample_boards", "generate_boards"])
def test_frequencies_of_boards_and_pairs(pieces, supply, rules, least, method):
    layout = Layout("flower", ROUND, pieces, supply)
    space = board_space(Problem.of(rules, layout))
    assert least / 2 <= space.total <= 4 * least
    contents = list(map(content, space.boards(range(space.total))))
    n = 6 * len(contents)
    if method == "sample_boards":
        drawn = sample_boards(n, rules, layout, seed=3)
    else:
        drawn = generate_boards(n, rules, layout, method="uniform", seed=3)
    counts = Counter(map(content, drawn))
    assert equally_often(counts.elements(), contents)
    for a, b in combinations(range(layout.n_tiles), 2):

        def pair(board, a=a, b=b):
            terrain, markers = board
            return terrain[a], markers[a], terrain[b], markers[b]

        expected = Counter(map(pair, contents))
        frequencies = Counter()
        for board, times in counts.items():
            frequencies[pair(board)] += times
        rare = {key for key, ways in expected.items() if 6 * ways < 5}  # too few for chi-square
        expected_counts = {key: 6 * ways for key, ways in expected.items() if key not in rare}
        if len(expected_counts) > 1:
            assert chi_square(frequencies, expected_counts) < too_uneven(len(expected_counts) + 1)


@needs_numba
@pytest.mark.parametrize(
    "rules",
    [
        Rules.preset("optimal"),
        Rules.preset("optimal").replace(desert="coast"),
        Rules.preset("blog").replace(vertex_sum_below=23),
    ],
)
def test_frequencies_of_twelve(rules):
    """2,000 samples against exact shares: of the preset, an edit of it, and other rules."""
    space = board_space(Problem.of(rules, "base"))
    (block,) = space.blocks
    assert isinstance(block, WeightedTerrains)
    expected = Counter()
    for codes in chunks(block.terrains):
        branches = block.counts.of(codes)
        for tile in range(19):
            for code in np.unique(codes[:, tile]).tolist():
                expected[tile, code] += int(branches[codes[:, tile] == code, tile].sum())
    assert expected.total() == space.total
    n = 2_000
    codes, markers = np.hsplit(space.arrays([random.Random(k).randrange(space.total) for k in range(n)]), 2)
    rows, tiles = np.nonzero(markers == 12)
    frequencies = Counter(zip(tiles.tolist(), codes[rows, tiles].tolist(), strict=True))
    assert frequencies.total() == n
    expected_counts = {
        key: n * ways / space.total for key, ways in expected.items() if n * ways >= 5 * space.total
    }
    assert len(expected_counts) > 20
    assert chi_square(frequencies, expected_counts) < too_uneven(len(expected_counts) + 1)


@needs_numba
def test_large_sample_by_class():
    """The counts that the package includes: their sum, and a hundred of them counted again."""
    from catan_cp.counting.sums.weights import shipped_counts

    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    counts = shipped_counts(Problem.of(rules, layout)).counts
    table = dict(zip(map(bytes, counts.firsts), counts.branches.sum(axis=1).tolist(), strict=True))
    total = 0
    for row, markers in table.items():
        images = set()
        for turn in Problem.of(rules, layout).symmetries:
            image = [0] * 19
            for t, target in enumerate(turn):
                image[target] = row[t]
            images.add(bytes(image))
        total += len(images) * markers
    assert total == 6_666_123_504 == count_boards("optimal")
    for row in random.Random(1).sample(sorted(table), 100):
        search = marker_search([TERRAINS[code - 1] for code in row], Problem.of(rules, layout))
        assert search.count() == table[row]
