"""Each sampler returns every allowed thing of a small space equally often, and no other.

The things are all boards by rank, or all terrain arrangements by brute force or by a solver. `test_problems`
compares ranks with brute force. To add a case, add a line to `CASES`.
"""

import random

import pytest

import catan_cp as cp
from catan_cp import Layout, Problem, Rules

# Public functions sample spaces as small as these without the walk. The command prints the explanation.
from catan_cp.search.generate import explain_method
from catan_cp.search.walking import board_walk
from tests.agreement.table import FISH
from tests.brute_force import Case
from tests.small_boards import equally_often, needs_numba

SMALL = Layout("small", (2, 3), {"wool": 2, "ore": 2, "desert": 1}, {2: 1, 6: 2, 11: 1})
FIVE = (
    Layout("five", (2, 3), {"grain": 2, "wool": 2, "desert": 1}, {6: 1, 8: 1, 4: 2}),
    Layout("clustered", (2, 3), {"grain": 3, "ore": 1, "desert": 1}, {6: 1, 8: 1, 4: 2}),
    Layout("islands", (2, 3), {"grain": 2, "wool": 1, "sea": 2}, {6: 2, 3: 1}),
)
DEALT = (
    Rules(reds_apart=True),
    Rules(equal_markers_apart=True, two_twelve_apart=True),
    Rules(terrain_cluster_max=2),
    Rules(terrain_cluster_max=2, reds_apart=True),
    Rules(terrain_cluster_max=1, adjacency="block"),
    Rules(apart=[("grain", "wool")], equal_markers_apart=True),
)
SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1, 9: 1})
# An arrangement of terrain is equal to its reflection, or has no equal neighbors, or has islands.
TERRAINS = (
    (Rules(), {"wool": 3, "ore": 2, "desert": 2}),
    (Rules(symmetry="distinct"), {"wool": 3, "ore": 2, "desert": 2}),
    (Rules(symmetry="distinct", terrain_cluster_max=3), {"wool": 3, "ore": 4}),
    (Rules(symmetry="corners"), {"wool": 3, "ore": 2, "desert": 2}),
    (Rules(terrain_cluster_max=2), {"wool": 4, "ore": 2, "sea": 1}),
    (Rules(apart=[("sea", "ore")], desert="coast"), {"wool": 3, "ore": 1, "sea": 2, "desert": 1}),
)
GROUPED = Layout(
    "grouped",
    *((2, 3), {"desert": 1, "ore": 4}, {4: 2, 6: 1, 8: 2, 9: 1}),
    marker_group=(0, 0, 1, 1, 1),
    group_markers={1: {8: 2, 9: 1}},
)
FIXED = Layout("fixed", (2, 3), {"desert": 1, "ore": 4}, {4: 2, 6: 1, 8: 2, 9: 1}, fixed_markers={0: 8, 3: 9})
# Exchanges do not connect its four arrangements of terrain. A walk returned one of them in 45 % of samples.
APART = Layout(
    *("apart", (3, 1, 2, 1), {"sea": 2, "wool": 1, "gold": 4}, {5: 3, 10: 2}),
    tiles=((-3, 0), (-1, 0), (1, 0), (-2, 3), (1, 6), (3, 6), (4, 9)),
)
FEW = Rules(apart=[("sea", "gold")], vertex_pips_min=3, vertex_pips_max=13)
# Four number tokens for three tiles.
WALKED = [
    Layout("walked", (1, 2, 1), {"ore": 2, "wool": 1, "desert": 1}, {6: 1, 8: 1, **box})
    for box in ({4: 1, 5: 1}, {4: 2})
]
PIPS = {"reds_apart": True, "vertex_pips_max": 11}
LARGE = (
    (Rules(vertex_pips_max=10), {"wool": 3, "ore": 2, "desert": 2}, {2: 1, 6: 2, 11: 2}),
    (Rules(markers_distinct_per_terrain=True), {"wool": 4, "ore": 3}, {2: 2, 3: 2, 6: 2, 8: 1}),
    (Rules(), {"wool": 3, "ore": 3, "desert": 1}, {2: 1, 3: 2, 6: 2, 8: 1}),
)
BRICK = "sum(i in 1..2)(i * terrain[4]) > 9 -> not (terrain[5] = BRICK)"


def walk(n, rules, layout, seed):
    boards, source = board_walk(Problem.of(rules, layout)), random.Random(seed)
    return [boards.board(source) for _ in range(n)]


def method(name):
    return lambda n, rules, layout, seed: cp.generate_boards(n, rules, layout, seed=seed, method=name)


def known(sampler, rules, layout):
    """Return all terrain arrangements or boards that the rules allow."""
    if sampler is not cp.sample_terrains:
        return [cp.unrank_board(k, rules, layout) for k in range(cp.count_boards(rules, layout))]
    if layout.n_tiles > 7 or rules.constraints:
        with cp.enumerate_terrains(rules, layout) as solutions:
            return list(solutions)
    return Case(layout, dict(rules.to_mapping())).terrains


# Sampler, rules, layout, and number of samples per thing.
CASES = [
    *(
        (cp.sample_terrains, rules, Layout("flower", (2, 3, 2), counts, {}), 100)
        for rules, counts in TERRAINS
    ),
    (cp.sample_terrains, Rules.preset("blog"), cp.LAYOUTS["base"], 200),
    (cp.sample_terrains, Rules(constraints=[BRICK]), SIX, 50),
    *((cp.sample_boards, rules, SMALL, 20) for rules in (Rules(), Rules(reds_apart=True))),
    (cp.sample_boards, Rules(**PIPS, terrain_cluster_max=2), SMALL, 20),
    (cp.sample_boards, Rules(markers_distinct_per_terrain=True, reds_per_terrain_max=1), SMALL, 20),
    (cp.sample_boards, Rules(terrain_pips_max=8, equal_markers_apart=True), SMALL, 20),
    (cp.sample_boards, Rules(), FISH, 100),
    *((method("deal"), rules, layout, 30) for layout in FIVE for rules in DEALT),
    *((walk, Rules(two_twelve_apart=True), layout, 100) for layout in (GROUPED, FIXED)),
    *((walk, Rules(reds_apart=apart), layout, 30) for layout in WALKED for apart in (False, True)),
    *((walk, Rules(**PIPS, terrain_cluster_max=1), layout, 30) for layout in WALKED),
    (method("walk"), FEW, APART, 50),
    # Up to 25,000 boards.
    *(
        pytest.param(
            sampler, rules, Layout("large", (2, 3, 2), *box), 6, marks=[pytest.mark.slow, needs_numba]
        )
        for sampler in (cp.sample_boards, method("uniform"))
        for rules, *box in LARGE
    ),
]


@pytest.mark.parametrize(("sampler", "rules", "layout", "times"), CASES)
def test_samples_are_uniform(sampler, rules, layout, times):
    things = known(sampler, rules, layout)
    if not things:
        with pytest.raises(cp.CatanError, match="does not support"):
            sampler(1, rules, layout, seed=4)
        return
    assert equally_often(sampler(times * len(things), rules, layout, seed=4), things)


def test_few_boards_are_not_walked():
    assert "too few boards for a random walk" in explain_method(FEW, APART, method="walk")
