"""Means, distributions and shares over all boards: against brute force, known values and large samples."""

from collections import Counter
from fractions import Fraction

import pytest
from small_boards import needs_numba

from catan_cp import Layout, Rules, count_boards, sample_boards
from catan_cp.counting import (
    TileSum,
    exact_distribution,
    exact_mean,
    exact_share,
    red,
    terrain_pips,
    vertex_pips,
)
from catan_cp.counting.boards import board_space
from catan_cp.errors import CatanError, Infeasible, InvalidArgument

FLOWER = Layout("flower", (2, 3, 2), {"wool": 3, "ore": 1, "desert": 3}, {2: 1, 6: 2, 11: 1})

RULES = [
    Rules(),
    Rules(reds_apart=True),
    Rules(equal_markers_apart=True, adjacency="block"),
    Rules(reds_apart=True, vertex_pips_max=11, terrain_cluster_max=2),
    Rules(symmetry="corners", two_twelve_apart=True),
    Rules(pattern="xx/x6xx/xx"),
    pytest.param(Rules(markers_distinct_per_terrain=True), marks=needs_numba),
    pytest.param(Rules(reds_per_terrain_max=1), marks=needs_numba),
]


def value(measure, board):
    return sum(measure.worth(board.terrain[t], board.markers[t]) for t in measure.tiles)


@pytest.mark.parametrize("rules", RULES)
def test_all_boards_of_a_small_layout(rules):
    space = board_space(rules, FLOWER)
    boards = list(space.boards(range(space.total)))
    inland = next(v for v, tiles in enumerate(FLOWER.vertex_tiles) if len(tiles) == 3)
    marker_sums = [
        red(0),
        vertex_pips(inland, FLOWER),
        TileSum((0, 3, 6), lambda name, marker: marker or -1),  # tells all markers apart
        TileSum((3,), lambda name, marker: int(name == "desert")),
    ]
    for measure in marker_sums:
        counts = Counter(value(measure, board) for board in boards)
        expected = {v: Fraction(n, len(boards)) for v, n in sorted(counts.items())}
        assert exact_distribution(measure, rules, FLOWER) == expected
        assert exact_mean(measure, rules, FLOWER) == sum(v * share for v, share in expected.items())
    with_terrain = [
        terrain_pips("ore", FLOWER),
        TileSum((1, 3), lambda name, marker: 2 * (name == "wool") + 3 * (marker == 6)),
    ]
    for measure in with_terrain:
        mean = Fraction(sum(value(measure, board) for board in boards), len(boards))
        assert exact_mean(measure, rules, FLOWER) == mean


def test_what_symmetry_and_linearity_say():
    for preset in ("open", "official"):
        assert sum(exact_mean(red(t), preset) for t in range(19)) == 4
    assert exact_mean(vertex_pips(20), "open") == Fraction(3 * 58, 19)
    assert exact_mean(red(7), "open") == Fraction(4, 19)
    assert exact_mean(TileSum((7,), terrain_pips("ore").worth), "open") == Fraction(3, 18) * Fraction(58, 19)
    assert exact_mean(red(9), "official") == 0  # the spiral ends in the middle: 11, or 3 where the desert is


def test_the_spots_of_tournament_boards():
    """Mirrored tiles have equal chances, all four reds are somewhere, and no vertex has more than 12 pips."""
    chance = [exact_mean(red(t), "tournament") for t in range(19)]
    assert sum(chance) == 4
    assert chance[0] == chance[2] == chance[18] and chance[1] == chance[3] and chance[4] == chance[8]
    shares = exact_distribution(vertex_pips(20), "tournament")
    assert sum(shares.values()) == 1
    assert max(shares) == 12
    assert sum(v * share for v, share in shares.items()) == exact_mean(vertex_pips(20), "tournament")


@pytest.mark.parametrize("preset", ["tournament", "official", "open"])
def test_large_uniform_samples_agree(preset):
    boards = list(sample_boards(20_000, preset, seed=7))
    for measure in (red(0), red(9), vertex_pips(20), vertex_pips(0)):
        shares = exact_distribution(measure, preset)
        mean = exact_mean(measure, preset)
        spread = float(sum((v - mean) ** 2 * share for v, share in shares.items())) ** 0.5
        drawn = sum(value(measure, board) for board in boards) / len(boards)
        assert abs(drawn - float(mean)) <= 4.5 * spread / len(boards) ** 0.5
        counts = Counter(value(measure, board) for board in boards)
        assert set(counts) <= set(shares)
        for v, share in shares.items():
            expected = float(share) * len(boards)
            assert abs(counts[v] - expected) <= 5 * max(1.0, expected) ** 0.5


def test_shares():
    assert exact_share("open", desert="centre") == Fraction(1, 19)
    apart = exact_share("open", reds_apart=True)
    assert apart == Fraction(count_boards(Rules(reds_apart=True)), count_boards("open"))
    drawn = list(sample_boards(4_000, "open", seed=3))
    kept = sum(not Rules(reds_apart=True).check(board) for board in drawn) / len(drawn)
    assert abs(kept - float(apart)) < 4.5 * (float(apart) * (1 - float(apart)) / len(drawn)) ** 0.5


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda: vertex_pips(54), InvalidArgument, "a vertex of 'base' is a whole number from 0 to 53"),
        (
            lambda: exact_mean(red(19), "open"),
            InvalidArgument,
            "a tile of 'base' is a whole number from 0 to",
        ),
        (lambda: exact_mean("red", "tournament"), InvalidArgument, "a measure .* is a TileSum, not 'red'"),
        (lambda: terrain_pips("iron"), InvalidArgument, "unknown terrain"),
        (lambda: exact_mean(red(0), "optimal"), CatanError, "too many to be looked at"),
        (lambda: exact_distribution(terrain_pips("ore"), "open"), CatanError, "terrain and marker together"),
        (lambda: exact_mean(red(0), Rules(vertex_pips_max=0)), Infeasible, "no board"),
        (lambda: exact_share("tournament", reds_apart=True), InvalidArgument, "already"),
    ],
)
def test_refusals(ask, error, says):
    with pytest.raises(error, match=says):
        ask()
