"""Counts: known numbers, brute force on small layouts, and second methods on large ones."""

import re
from fractions import Fraction
from itertools import combinations, product
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Harbor,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Problem,
    Rules,
    SolverTimeout,
    count_boards,
    count_markers,
    count_terrains,
    enumerate_markers,
    enumerate_terrains,
    is_countable,
    sample_terrains,
)
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import states
from catan_cp.counting.budget import Budget
from catan_cp.counting.counts import explain_count
from catan_cp.counting.spaces import Union, chunks
from catan_cp.counting.terrains import terrain_space
from tests.limits import until_some
from tests.properties import few_and_many
from tests.small_boards import (
    allowed_markers,
    allowed_terrains,
    arrangements,
    canonical,
    layouts,
    marker_rules,
    terrain_rules,
)

POST = "dlw/bgol/owbwg/lgob/wlg"
OPTIMAL = Rules.preset("optimal")
POST_BASE = "owl/gbwb/gldlo/logw/bgw"


def _dealt(markers):
    """Return the number of ways to place these number tokens on tiles.

    Equal tokens are interchangeable.
    """
    return factorial(len(markers)) // prod(factorial(markers.count(m)) for m in set(markers))


def test_million_first_terrains_sampled(monkeypatch):
    """Symmetries do not keep the rules, so terrains are sampled until enough are the first."""
    rules = OPTIMAL.replace(harbors="printed", harbor_own_terrain_apart=True, symmetry="distinct")
    sizes, arrays = [], Union.arrays
    monkeypatch.setattr(
        Union, "arrays", lambda space, ranks, *rest: sizes.append(len(ranks)) or arrays(space, ranks, *rest)
    )
    drawn = sample_terrains(6_000, rules, seed=1)
    assert drawn[:20] == sample_terrains(20, rules, seed=1)
    assert max(sizes) <= 20_000 < sum(sizes)


@pytest.mark.parametrize(
    ("bounds", "reds_on_grain", "known"),
    [({"brick": 2}, False, 612_972_360_000), ({"grain": 5, "brick": 2, "every": 4}, True, 449_064_000)],
    ids=["scarce", "wild"],
)
def test_markers_of_presets_counted_by_hand(bounds, reds_on_grain, known):
    box = [2, 12, *(m for m in (3, 4, 5, 6, 8, 9, 10, 11) for _ in "ab")]
    total = 0
    for brick in {tuple(sorted(three)) for three in combinations([2, 3, 3, 11, 11, 12], 3)}:
        rest = list(box)
        for marker in brick:
            rest.remove(marker)
        grain = [m for m in rest if reds_on_grain and m in (6, 8)]
        total += _dealt(brick) * _dealt(grain) * _dealt([m for m in rest if m not in grain])
    assert count_markers(POST_BASE, Rules(terrain_markers_max=bounds)) == total == known


# Terrain


def test_facts():
    assert count_terrains("open") == 244_432_188_000 == factorial(19) // (24**3 * 6**2)
    assert count_terrains("blog") == 96
    assert count_terrains("optimal") == 188_160
    assert count_terrains("official") == count_terrains(Rules(terrain_cluster_max=4))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_ungoverned_groups_are_multinomials(layout):
    ways = prod(
        factorial(len(p.tiles)) // prod(map(factorial, p.pieces.values())) for p in layout.terrain_pools
    )
    total = count_terrains("open", layout)
    free = layout.inland - set(layout.fixed_terrain.values())  # inland terrains that could come to the rim
    assert 0 < total < ways if free else total == ways
    coast, inland = (count_terrains(Rules(desert=area), layout) for area in ("coast", "inland"))
    deserts = layout.terrain_counts.get("desert", 0)
    if deserts == 0:
        assert coast == inland == total
    else:
        assert coast + inland == total if deserts == 1 else coast + inland <= total


@few_and_many(20, 60, layouts(), terrain_rules)
def test_small_layouts_by_brute_force(layout, rules):
    """Counted, in classes too, each with a rank, and drawn: no other, and in time all."""
    terrains = allowed_terrains(rules, layout)
    assert count_terrains(rules, layout) == len(terrains)
    classes = {canonical(terrain, layout, rules.adjacency) for terrain in terrains}
    assert count_terrains(rules, layout, up_to_symmetry=True) == len(classes)
    space = terrain_space(Problem.of(rules.replace(symmetry="all"), layout), Budget(100_000))
    rows = [tuple(row) for codes in chunks(space, size=50) for row in codes.tolist()]
    assert len(rows) == len(set(rows)) == space.total
    if not terrains:
        with pytest.raises(Infeasible, match="no terrain"):
            sample_terrains(1, rules, layout)
        return
    drawn = set(sample_terrains(20 * min(len(terrains), 50), rules, layout, seed=1))
    assert drawn <= {*terrains}
    if len(terrains) <= 50:
        assert drawn == {*terrains}  # missed by chance once in many millions for each terrain


@few_and_many(15, 40, layouts(), st.data())
def test_printed_harbors_avoid_terrain(layout, data):
    edges = [edge for edge in layout.coast_edges if not set(edge) & set(layout.coast_edges[0])]
    places = [layout.coast_edges[0], *data.draw(st.lists(st.sampled_from(edges), max_size=1))]
    harbors = tuple(Harbor(edge, data.draw(st.sampled_from(("3:1", "brick", "wool")))) for edge in places)
    framed = Layout("framed", layout.rows, layout.terrain_counts, {}, printed_harbors=harbors)
    rules = data.draw(terrain_rules).replace(harbors="printed", harbor_own_terrain_apart=True)
    candidates = arrangements(dict(layout.terrain_counts))
    terrains = [t for t in candidates if not rules.check(Board(framed, t, harbors=harbors))]
    assert count_terrains(rules, framed) == len(terrains)
    classes = {canonical(terrain, framed, rules.adjacency) for terrain in terrains}
    assert count_terrains(rules, framed, up_to_symmetry=True) == len(classes)


@pytest.mark.slow
def test_solver_lists_counted_number():
    rules = OPTIMAL.replace(desert="inland")
    with enumerate_terrains(rules) as solutions:
        listed = solutions.array()
    assert count_terrains(rules) == len(listed)
    layout = LAYOUTS["base"]
    turns = [np.argsort(turn) for turn in layout.symmetries]
    weights = 8 ** np.arange(18, -1, -1)  # a board as one number that sorts as its codes in reading order
    firsts = np.min([listed[:, turn] @ weights for turn in turns], axis=0)
    classes = len(set(firsts.tolist()))
    assert count_terrains(rules, up_to_symmetry=True) == classes
    assert count_terrains(rules.replace(symmetry="distinct")) == classes


@pytest.mark.parametrize(("adjacency", "most"), [("block", 1), ("hex", 1), ("hex", 2), ("hex", 3)])
def test_clusters_across_base_board(adjacency, most):
    wool = Layout("wool", LAYOUTS["base"].rows, {"wool": 5, "desert": 14}, {})
    near = wool.tile_neighbors(adjacency)

    def largest(tiles):
        open_tiles, best = set(tiles), 0
        while open_tiles:
            group = [open_tiles.pop()]
            for tile in group:
                group += [n for n in near[tile] if n in open_tiles]
                open_tiles -= set(group)
            best = max(best, len(group))
        return best

    sets = sum(largest(tiles) <= most for tiles in combinations(range(19), 5))
    assert count_terrains(Rules(adjacency=adjacency, terrain_cluster_max=most), wool) == sets


def test_more_rules_never_allow_more():
    counts = [count_terrains(Rules(terrain_cluster_max=most)) for most in (1, 2, 3, 4, None)]
    assert counts == sorted(counts)
    assert counts[0] == 107_384_892
    assert counts[3] == counts[4]


def test_base_5_6_brick_apart():
    """Eleven tiles of brick and lumber may not touch, but at most ten tiles are apart."""
    assert count_terrains("optimal", "base-5-6") == 0


def test_progress_of_every_step():
    updates = []
    rules = Rules(terrain_cluster_max=1, desert="coast", apart=[("ore", "wool")])
    count_terrains(rules, progress=lambda now: updates.append((now.done, now.total)))
    assert updates == [(step, 19) for step in range(1, 20)]


def test_counts_rejected():
    with pytest.raises(CatanError, match="states to count"):
        count_terrains("optimal", "seafarers-10")
    with pytest.raises(CatanError, match="24,762,738,000"):
        count_terrains(Rules(symmetry="corners"), up_to_symmetry=True)
    with pytest.raises(InvalidRules, match="printed frame"):
        count_terrains(Rules(harbors="shuffled"), "seafarers-6")
    with pytest.raises(InvalidRules, match="printed frame"):
        is_countable(Rules(harbors="shuffled"), "seafarers-6")
    with pytest.raises(Infeasible, match="base-5-6"):
        sample_terrains(1, "optimal", "base-5-6")
    with pytest.raises(InvalidRules, match="unknown rules"):
        count_terrains("optimum")
    with pytest.raises(InvalidBoard, match="unknown layout"):
        count_terrains("open", "basis")


@pytest.mark.parametrize("everything_alike", [True, False])
def test_equal_hashes_kept_apart(everything_alike, monkeypatch):
    rules = Rules(terrain_cluster_max=3)
    known = count_terrains(rules)
    few = np.uint64(0 if everything_alike else 7)
    monkeypatch.setattr(states, "hashes", lambda keys: keys[0].view(np.uint64) & few)
    assert count_terrains(rules.replace(apart=[("ore", "gold")])) == known


def totals(name):
    """Return the totals of a layout in docs/layouts.md, for `open`, `tournament` and `optimal`."""
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if re.match(rf"\| `{name}` \| \d", line))
    return [int(cell.split()[0].replace(",", "")) for cell in row.split(" | ")[1:]]


@pytest.mark.slow
def test_shares_of_allowed_clusters_documented():
    """Version 0.1.0 computed these totals on a disk.

    400,000 random arrangements have the same share.
    """
    total, allowed, _ = totals("seafarers-8")
    share = Fraction(allowed, total)
    layout = LAYOUTS["seafarers-8"]
    near = layout.tile_neighbors("hex")
    codes = [code for code in range(1, 6) for _ in range(5)] + [0] * 24
    rows = np.random.default_rng(1).permuted(np.tile(np.array(codes, dtype=np.uint8), (400_000, 1)), axis=1)
    bad = np.zeros(len(rows), dtype=bool)
    for tile in range(layout.n_tiles):  # a group of three has a tile with two neighbors of its terrain
        alike = sum((rows[:, neighbor] == rows[:, tile]).astype(np.uint8) for neighbor in near[tile])
        bad |= (alike > 1) & (rows[:, tile] > 0)
    assert abs(float(share) - (~bad).mean()) < 0.0035  # four and a half standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("name, millions", [("new-world", 10), ("seafarers-6", 20)])
def test_share_of_optimal_arrangements(name, millions):
    """Version 0.1.0 computed these totals of `optimal` on a disk."""
    layout = LAYOUTS[name]
    total, _, optimal = totals(name)
    assert total == count_terrains("open", name)
    code = layout.terrain_codes
    pieces = [code[terrain] for terrain, n in layout.terrain_counts.items() for _ in range(n)]
    firsts, seconds = np.array([tiles for tiles in layout.edge_tiles.values() if len(tiles) == 2]).T
    source, count = np.random.default_rng(1), 0
    for _ in range(10 * millions):
        rows = source.permuted(np.tile(np.array(pieces, dtype=np.uint8), (100_000, 1)), axis=1)
        a, b = rows[:, firsts], rows[:, seconds]
        broken = (a == b) & ~np.isin(a, [code["sea"], code["desert"]])
        broken |= (np.minimum(a, b) == code["brick"]) & (np.maximum(a, b) == code["lumber"])
        count += int((~broken.any(axis=1)).sum())
    expected = millions * 1_000_000 * optimal / total
    assert expected > 100
    assert abs(count - expected) < 5 * expected**0.5


# Uniform terrains: every allowed one is drawn, no other, and all equally often


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("seafarers-7", Rules()),
        ("seafarers-7", Rules(apart=[("brick", "lumber"), ("gold", "gold")], desert="inland")),
        ("base", Rules(terrain_cluster_max=2)),
        ("base", Rules(terrain_cluster_max=3, symmetry="distinct")),
        ("base", Rules(terrain_cluster_max=1, symmetry="corners")),
        ("base", OPTIMAL.replace(symmetry="distinct")),
        ("base", OPTIMAL.replace(harbors="printed", harbor_own_terrain_apart=True, symmetry="distinct")),
    ],
)
def test_drawn_terrains_keep_rules(name, rules):
    """Some rules are not kept by any symmetry: the first board of each orbit is sampled."""
    layout = LAYOUTS[name]
    result = layout.printed_harbors if rules.harbors == "printed" else ()
    drawn = sample_terrains(60, rules, name, seed=5)
    assert len(drawn) == 60
    assert all(rules.check(Board(layout, terrain, harbors=result)) == [] for terrain in drawn)


def test_desert_position_is_uniform():
    drawn = sample_terrains(20_000, OPTIMAL, seed=11)
    on_the_coast = sum(terrain.index("desert") in LAYOUTS["base"].coast_tiles for terrain in drawn) / 20_000
    share = count_terrains(OPTIMAL.replace(desert="coast")) / count_terrains(OPTIMAL)
    assert abs(on_the_coast - share) < 5 * (share * (1 - share) / 20_000) ** 0.5


def test_same_seed_draws_same():
    once = sample_terrains(20, OPTIMAL, seed=9)
    assert once == sample_terrains(20, OPTIMAL, seed=9)
    assert once != sample_terrains(20, OPTIMAL, seed=10)
    assert sample_terrains(20, OPTIMAL) != sample_terrains(20, OPTIMAL)
    assert sample_terrains(0, OPTIMAL) == []


def test_counts_within_seconds():
    assert all(is_countable(rules) for rules in ("blog", "optimal", "tournament", "official", "open"))
    assert is_countable("optimal", "new-shores-4")
    assert is_countable(Rules(terrain_cluster_max=1), "base-5-6")
    assert not is_countable("tournament", "barbarian-attack")  # clusters over groups of tiles
    assert not is_countable("tournament", "seafarers-6")


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True, None])
def test_bad_numbers_named(bad):
    with pytest.raises(InvalidArgument, match="n must be a whole number"):
        sample_terrains(bad, "open")
    if bad not in (None, -1):  # as a seed, -1 is as good as any
        with pytest.raises(InvalidArgument, match="seed must be a whole number"):
            sample_terrains(1, "open", seed=bad)


# Markers


@pytest.mark.parametrize(
    ("rules", "ways"),
    [
        (Rules.preset("blog").replace(vertex_sum_below=None), 5_224_011_840),
        (OPTIMAL.replace(vertex_sum_below=None), 24_066_210_240),
        (Rules(equal_markers_apart=True, two_twelve_apart=True, reds_per_terrain_max=2), 1_607_223_139_200),
        (Rules.preset("blog").replace(vertex_sum_below=21), 0),
        (Rules.preset("blog").replace(vertex_sum_below=22), 1),
        (Rules.preset("blog").replace(vertex_sum_below=23), 11_753),
        ("official", 6),
    ],
)
def test_known_markers_of_post(rules, ways):
    """The first three were found kind after kind, over the sets of tiles that are taken."""
    assert count_markers(POST, rules) == ways


@few_and_many(20, 60, layouts(with_markers=True), marker_rules, st.data())
def test_small_markers_by_brute_force(layout, rules, data):
    pieces = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    terrain = data.draw(st.permutations(pieces))
    numbered = sum(name not in UNNUMBERED for name in terrain)
    assume(numbered > 0 and len(layout.marker_supply) ** numbered <= 3_000)
    assert count_markers(terrain, rules, layout) == len(allowed_markers(terrain, rules, layout))


def test_tournament_markers_by_places_of_reds():
    """With reds apart only a red and two of 5 and 9 make more than 12 pips.

    The other ten do not matter.
    """
    board = Board.from_notation(POST)
    pairs = board.layout.adjacency("hex")
    tiles = [t for t, name in enumerate(board.terrain) if name != "desert"]
    fours = np.array([sum(1 << t for t in four) for four in combinations(tiles, 4)])
    corners = [tiles for tiles in board.layout.vertex_tiles if len(tiles) == 3]
    count = 0
    for reds in combinations(tiles, 4):
        if any(a in reds and b in reds for a, b in pairs):
            continue
        fits = fours & sum(1 << t for t in reds) == 0
        for corner in corners:
            bits = sum(1 << t for t in corner if t not in reds)
            if set(corner) & set(reds):
                fits &= fours & bits != bits
        count += 6 * 6 * int(fits.sum()) * factorial(10) // 2**4
    assert count_markers(POST, "tournament") == count


def test_bounds_counted_as_checker_has_them():
    small = Layout("small", (2, 3, 2), {"wool": 4, "ore": 2, "desert": 1}, {3: 2, 6: 2, 8: 1, 11: 2})
    terrain = ["wool", "ore", "wool", "desert", "ore", "wool", "wool"]
    for rules in (
        Rules(vertex_pips_max=10, reds_apart=True),
        Rules(vertex_sum_below=24),
        Rules(vertex_pips_min=4, terrain_pips_min={"ore": 5}),
        Rules(terrain_pips_max={"wool": 12}),
    ):
        expected = len(allowed_markers(terrain, rules, small))
        assert expected > 0
        assert count_markers(terrain, rules, small) == expected


def test_spirals():
    board = Board.from_notation(Board.from_notation(LAYOUTS["base"].beginner_board).notation())
    rules = Rules(marker_order="spiral", vertex_pips_max=12)
    with enumerate_markers(board, rules) as solutions:
        listed = set(solutions)
    assert count_markers(board, rules) == len(listed)


def test_markers_of_larger_supply_without_rules():
    layout = LAYOUTS["seafarers-10"]
    terrain = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    tiles, supply = layout.n_numbered, layout.marker_supply.values()
    spare = sum(supply) - tiles
    in_the_box = (unused for unused in product(*(range(most + 1) for most in supply)) if sum(unused) == spare)
    expected = sum(
        factorial(tiles) // prod(factorial(most - n) for most, n in zip(supply, unused, strict=True))
        for unused in in_the_box
    )
    assert count_markers(terrain, "open", layout) == expected


@pytest.mark.solver
@pytest.mark.parametrize(("least", "arrangements"), [(1, 35), (2, 14), (3, 2)])
def test_islands_counted_by_list(least, arrangements):
    """Three land tiles round the middle are one island in 6 of 20 ways, and three in 2."""
    layout, rules = (
        Layout("ring", (2, 3, 2), {"wool": 3, "sea": 4}, {4: 1, 5: 1, 6: 1}),
        Rules(islands_min=least),
    )
    assert not is_countable(rules, layout) and "islands_min" in explain_count("terrain", rules, layout)
    assert count_terrains(rules, layout) == arrangements
    assert count_boards(rules, layout) == 6 * arrangements
    with pytest.raises(CatanError, match=r"islands_min.*generate_board samples with the solver"):
        sample_terrains(1, rules, layout)


def test_demands_of_layout_counted():
    inland = Layout("ring", (2, 3, 2), {"wool": 6, "gold": 1}, {}, inland=("gold",))
    assert count_terrains(Rules(), inland) == 1  # in the middle
    island = Layout("ring", (2, 3, 2), {"wool": 5, "gold": 1, "sea": 1}, {}, inland=("gold",))
    assert count_terrains(Rules(), island) == 0  # the sea touches the middle
    supply = {2: 1, 5: 1, 6: 1, 8: 1}
    for demands, count in (
        ({}, 24),
        ({"pips_max": {0: 4}}, 12),  # 2 or 5 on tile 0
        ({"terrain_marker_pips_min": {"wool": 2}}, 6),  # without 2
        ({"terrain_marker_pips_max": {"wool": 4}}, 0),  # 2 and 5 for three tiles
    ):
        three = Layout("three", (1, 2), {"wool": 3}, supply, **demands)
        assert count_markers(["wool"] * 3, Rules(), three) == count


def test_too_few_markers_and_no_tiles():
    assert count_markers(["wool"] * 19, "open", "base") == 0
    assert count_markers(["desert"] * 19, "open", "base") == 1


def test_time_limit_gives_lower_bound():
    def found_within(seconds):
        with pytest.raises(SolverTimeout, match="at least") as error:
            count_markers(POST, Rules(terrain_pips_min=1), timeout=seconds)
        return error.value.found

    until_some(found_within)
    with pytest.raises(InvalidArgument, match="timeout"):
        count_markers(POST, "open", timeout=-1)


@pytest.mark.slow
def test_too_many_states_for_markers():
    layout = LAYOUTS["seafarers-10"]
    pieces = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    terrain = [pieces[20 * i % 63] for i in range(63)]
    with pytest.raises(CatanError, match="with a timeout"):
        count_markers(terrain, OPTIMAL.replace(vertex_sum_below=None), layout)
