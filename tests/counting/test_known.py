"""Known counts. To add one, add a line: a layout, rules, and the number.

Numbers on large layouts are formulas, or were counted by second programs. Small layouts are compared with
brute force in `tests.agreement`.
"""

from math import factorial, prod

import pytest

import catan_cp as cp
from catan_cp import LAYOUTS, Layout, Rules
from tests.small_boards import needs_numba

POST = "dlw/bgol/owbwg/lgob/wlg"
RICH = "owl/gbwb/gldlo/logw/bgw"
OPTIMAL, BLOG = Rules.preset("optimal"), Rules.preset("blog")
PRESETS = ("blog", "optimal", "tournament", "official", "open")
TERRAINS = 244_432_188_000
NUMBERS = factorial(18) // 2**8

WOOL = Layout("wool", LAYOUTS["base"].rows, {"wool": 5, "desert": 14}, {})
ROW = Layout(
    *("row", (5,), {"ore": 3, "wool": 2}, {}),
    terrain_group=(0, 0, 0, 2, 2), group_terrain={2: {"ore": 1, "wool": 1}}, fixed_terrain={0: "ore"},
)  # fmt: skip
# Only the right answers of a cache keep layouts of one name apart.
TWICE = [
    Layout("twice", (2, 3), {"wool": 2, "ore": 2, "desert": 1}, supply)
    for supply in ({2: 1, 6: 2, 11: 1}, {2: 1, 6: 3})
]
SPIRAL = Layout(
    *("spiral", (2, 3, 2), {"wool": 4, "ore": 3}, dict.fromkeys((2, 3, 6, 8, 9, 11, 12), 1)),
    spiral_order=(6, 8, 2, 9, 3, 11, 12),
)  # fmt: skip
SPIRALS = Rules(marker_order="spiral", terrain_pips_max={"wool": 11})
DISTINCT = Rules(markers_distinct_per_terrain=True)


@pytest.mark.parametrize(
    ("layout", "rules", "n"),
    [
        ("base", "tournament", 92_418_935_587_878_537_792_000),
        ("base", "official", 6 * TERRAINS),
        ("base", "open", TERRAINS * NUMBERS),
        ("base", Rules(harbors="shuffled"), TERRAINS * NUMBERS * factorial(9) // factorial(4)),
        ("base", "optimal", 6_666_123_504),
        ("base", OPTIMAL.replace(desert="centre"), 0),
        pytest.param(
            *("base", BLOG.replace(vertex_sum_below=23), 603_188), marks=[needs_numba, pytest.mark.slow]
        ),
        pytest.param("base", BLOG.replace(vertex_sum_below=22), 21, marks=needs_numba),
        ("fishermen-of-catan", "open", 720 * 2_252_184_106_289_749_632_000_000),
        # A spiral has one direction, so reflected terrain has another number of boards.
        (SPIRAL, SPIRALS.replace(pattern="oo/www/ow"), 3),
        (SPIRAL, SPIRALS.replace(pattern="oo/www/wo"), 4),
        (TWICE[0], DISTINCT, 30 * (12 - 4)),
        (TWICE[1], DISTINCT, 0),
    ],
)  # fmt: skip
def test_known_boards(layout, rules, n):
    assert cp.count_boards(rules, layout) == n


@pytest.mark.parametrize(
    ("layout", "rules", "n"),
    [
        ("base", "open", factorial(19) // (24**3 * 6**2)),
        ("base", "blog", 96),
        ("base", "optimal", 188_160),
        ("base", "official", TERRAINS),
        ("base", Rules(terrain_cluster_max=1), 107_384_892),
        ("base", Rules(terrain_cluster_max=4), TERRAINS),
        ("base", Rules(apart=[("brick", "lumber")], constraints=["terrain[1] = terrain[19]"]), 857_152_800),
        # At most ten of eleven tiles of brick and lumber can be apart.
        ("base-5-6", "optimal", 0),
        (WOOL, Rules(adjacency="block", terrain_cluster_max=1), 113),
        (WOOL, Rules(terrain_cluster_max=1), 297),
        (WOOL, Rules(terrain_cluster_max=2), 4_569),
        (WOOL, Rules(terrain_cluster_max=3), 8_652),
        (ROW, "open", 4),
        (ROW, Rules(terrain_cluster_max=1), 1),
    ],
)
def test_known_terrains(layout, rules, n):
    assert cp.count_terrains(rules, layout) == n


@pytest.mark.parametrize(
    ("terrain", "rules", "n"),
    [
        # The numbers of the next three were counted one after another, over the sets of tiles that they take.
        (POST, BLOG.replace(vertex_sum_below=None), 5_224_011_840),
        (POST, OPTIMAL.replace(vertex_sum_below=None), 24_066_210_240),
        (
            POST,
            Rules(equal_markers_apart=True, two_twelve_apart=True, reds_per_terrain_max=2),
            1_607_223_139_200,
        ),
        (POST, BLOG.replace(vertex_sum_below=21), 0),
        (POST, BLOG.replace(vertex_sum_below=22), 1),
        (POST, BLOG.replace(vertex_sum_below=23), 11_753),
        (POST, "official", 6),
        # With reds apart, only a red and two of 5 and 9 have more than 12 pips.
        (POST, "tournament", 1_394_547_840_000),
        # Brick has three of 2, 3, 3, 11, 11 and 12. In the second line, grain has the reds.
        (RICH, Rules(terrain_markers_max={"brick": 2}), 612_972_360_000),
        (RICH, Rules(terrain_markers_max={"grain": 5, "brick": 2, "every": 4}), 449_064_000),
        (["wool"] * 19, "open", 0),
        (["desert"] * 19, "open", 1),
    ],
)
def test_known_markers(terrain, rules, n):
    assert cp.count_markers(terrain, rules, "base") == n


def test_markers_of_larger_supply():
    """The formula has a term for each choice of the number tokens that stay in the box."""
    layout = LAYOUTS["seafarers-10"]
    terrain = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    assert cp.count_markers(terrain, "open", layout) == 10_728_392_691_845_688_940_080_000_000


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_terrains_of_groups_are_multinomials(layout):
    ways = prod(
        factorial(len(p.tiles)) // prod(map(factorial, p.pieces.values())) for p in layout.terrain_pools
    )
    total = cp.count_terrains("open", layout)
    free = layout.inland - set(layout.fixed_terrain.values())  # inland terrains that could come to the rim
    assert 0 < total < ways if free else total == ways
    coast, inland = (cp.count_terrains(Rules(desert=area), layout) for area in ("coast", "inland"))
    deserts = layout.terrain_counts.get("desert", 0)
    if deserts == 0:
        assert coast == inland == total
    else:
        assert coast + inland == total if deserts == 1 else coast + inland <= total


@pytest.mark.parametrize(
    ("layout", "rules", "is_quick"),
    [
        *(("base", preset, True) for preset in PRESETS),
        ("new-shores-4", "optimal", True),
        ("base-5-6", Rules(terrain_cluster_max=1), True),
        ("barbarian-attack", "tournament", False),  # clusters over groups of tiles
        ("seafarers-6", "tournament", False),
        ("mini", Rules(islands_min=1), False),
        ("mini", Rules(constraints=["terrain[1] + terrain[2] + terrain[3] > 9"]), True),
        # Four tiles, a tile by a name, another array, and a variable.
        ("mini", Rules(constraints=["terrain[1] + terrain[2] + terrain[3] + terrain[4] > 14"]), False),
        ("mini", Rules(constraints=["exists(t in TILE)(terrain[t] = ORE /\\ terrain[1] = WOOL)"]), False),
        ("mini", Rules(constraints=["numbered[1]"]), False),
        (
            "mini",
            Rules(constraints=["let { var 1..6: t; constraint t < 3 } in terrain[1] = t + 3"]),
            False,
        ),
    ],
)
def test_countable_rules(layout, rules, is_quick):
    assert cp.is_countable(rules, layout) == is_quick


@pytest.mark.solver
@pytest.mark.parametrize("name", ["tb-ultimate-green-5", "fog-islands-3", "barbarian-attack"])
def test_terrains_of_box_listed(name):
    assert len(list(cp.enumerate_terrains("optimal", name))) == cp.count_terrains("optimal", name) > 0


@pytest.mark.slow
@pytest.mark.parametrize("up_to_symmetry", [False, True])
def test_terrains_of_base_listed(up_to_symmetry):
    rules = OPTIMAL.replace(desert="inland")
    with cp.enumerate_terrains(rules, up_to_symmetry=up_to_symmetry) as solutions:
        n = sum(1 for _ in solutions)
    assert cp.count_terrains(rules, up_to_symmetry=up_to_symmetry) == n
