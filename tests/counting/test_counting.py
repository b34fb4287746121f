"""Counts: known numbers, brute force on small layouts, and other ways to the same number on large ones."""

from collections import Counter
from itertools import combinations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_boards import (
    allowed_markers,
    allowed_terrains,
    arrangements,
    canonical,
    layouts,
    marker_rules,
    terrain_rules,
)

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Harbor, Layout
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.counting import count_boards, count_markers, count_terrain
from catan_cp.errors import CatanError, InvalidArgument, InvalidBoard, InvalidRules, SolverTimeout
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import enumerate_markers, enumerate_terrain

POST = "dlw/bgol/owbwg/lgob/wlg"
OPTIMAL = Rules.preset("optimal")


# Terrain


def test_the_facts():
    assert count_terrain("open") == 244_432_188_000 == factorial(19) // (24**3 * 6**2)
    assert count_terrain("blog") == 96
    assert count_terrain("optimal") == 188_160
    assert count_terrain("official") == count_terrain(Rules(terrain_cluster_max=4))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_without_rules_the_count_is_a_multinomial_for_each_group(layout):
    ways = prod(
        factorial(len(p.tiles)) // prod(map(factorial, p.pieces.values())) for p in layout.terrain_pools
    )
    total = count_terrain("open", layout)
    free = layout.inland - set(layout.fixed_terrain.values())  # inland terrains that could come to the rim
    assert 0 < total < ways if free else total == ways
    coast, inland = (count_terrain(Rules(desert=where), layout) for where in ("coast", "inland"))
    deserts = layout.terrain_counts.get("desert", 0)
    if deserts == 0:
        assert coast == inland == total
    else:
        assert coast + inland == total if deserts == 1 else coast + inland <= total


@settings(max_examples=100, deadline=None)
@given(layouts(), terrain_rules)
def test_small_layouts_by_brute_force(layout, rules):
    terrains = allowed_terrains(rules, layout)
    assert count_terrain(rules, layout) == len(terrains)
    classes = {canonical(terrain, layout, rules.adjacency) for terrain in terrains}
    assert count_terrain(rules, layout, distinct=True) == len(classes)


@settings(max_examples=40, deadline=None)
@given(layouts(), st.data())
def test_printed_harbors_apart_from_their_own_terrain(layout, data):
    edges = [edge for edge in layout.coast_edges if not set(edge) & set(layout.coast_edges[0])]
    places = [layout.coast_edges[0], *data.draw(st.lists(st.sampled_from(edges), max_size=1))]
    harbors = tuple(Harbor(edge, data.draw(st.sampled_from(("3:1", "brick", "wool")))) for edge in places)
    framed = Layout("framed", layout.rows, layout.terrain_counts, {}, printed_harbors=harbors)
    rules = data.draw(terrain_rules).replace(harbors="printed", harbor_own_terrain_apart=True)
    every = arrangements(dict(layout.terrain_counts))
    terrains = [t for t in every if not rules.check(Board(framed, t, harbors=harbors))]
    assert count_terrain(rules, framed) == len(terrains)
    classes = {canonical(terrain, framed, rules.adjacency) for terrain in terrains}
    assert count_terrain(rules, framed, distinct=True) == len(classes)


def test_the_solver_lists_as_many_as_are_counted_and_their_classes_too():
    rules = OPTIMAL.replace(desert="inland")
    with enumerate_terrain(rules) as solutions:
        listed = solutions.array()
    assert count_terrain(rules) == len(listed)
    layout = LAYOUTS["base"]
    turns = [np.argsort(turn) for turn in layout.symmetries]
    weights = 8 ** np.arange(18, -1, -1)  # a board as one number that sorts as its codes in reading order
    firsts = np.min([listed[:, turn] @ weights for turn in turns], axis=0)
    classes = len(set(firsts.tolist()))
    assert count_terrain(rules, distinct=True) == classes
    assert count_terrain(rules.replace(symmetry="distinct")) == classes


def test_one_terrain_alone_is_counted_as_the_sets_of_tiles_that_do_not_touch():
    wool = Layout("wool", LAYOUTS["base"].rows, {"wool": 4, "sea": 15}, {})
    for adjacency in ("hex", "block"):
        pairs = set(wool.adjacency(adjacency))
        sets = sum(pairs.isdisjoint(combinations(tiles, 2)) for tiles in combinations(range(19), 4))
        assert count_terrain(Rules(adjacency=adjacency, terrain_cluster_max=1), wool) == sets


@pytest.mark.parametrize("most", [1, 2, 3])
def test_clusters_across_the_whole_base_board(most):
    wool = Layout("wool", LAYOUTS["base"].rows, {"wool": 5, "desert": 14}, {})
    near = wool.tile_neighbors()

    def largest(tiles):
        left, best = set(tiles), 0
        while left:
            group = [left.pop()]
            for tile in group:
                group += [n for n in near[tile] if n in left]
                left -= set(group)
            best = max(best, len(group))
        return best

    sets = sum(largest(tiles) <= most for tiles in combinations(range(19), 5))
    assert count_terrain(Rules(terrain_cluster_max=most), wool) == sets


def test_more_rules_never_allow_more():
    counts = [count_terrain(Rules(terrain_cluster_max=most)) for most in (1, 2, 3, 4, None)]
    assert counts == sorted(counts)
    assert counts[0] == 107_384_892
    assert counts[3] == counts[4]


def test_brick_and_lumber_apart_leave_base_5_6_without_a_terrain():
    """Eleven tiles of brick and lumber may not touch each other, and no eleven tiles are that far apart."""
    assert count_terrain("optimal", "base-5-6") == 0


def test_progress_is_told_of_every_step():
    told = []
    rules = Rules(terrain_cluster_max=1, desert="coast", apart=[("ore", "wool")])
    count_terrain(rules, progress=lambda done, total: told.append((done, total)))
    assert told == [(step, 19) for step in range(1, 20)]


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(CatanError, match="states to count"):
        count_terrain("optimal", "seafarers-10")
    with pytest.raises(CatanError, match="24,762,738,000"):
        count_terrain(Rules(symmetry="corners"), distinct=True)
    with pytest.raises(InvalidRules, match="printed frame"):
        count_terrain(Rules(harbors="shuffled"), "seafarers-6")
    with pytest.raises(InvalidRules, match="unknown rules"):
        count_terrain("optimum")
    with pytest.raises(InvalidBoard, match="unknown layout"):
        count_terrain("open", "basis")


# Markers


def by_subsets(terrain, rules, layout):
    """Count markers kind after kind, reds first, over the sets of tiles that are taken."""
    near = layout.tile_neighbors(rules.adjacency)
    tiles = [t for t, name in enumerate(terrain) if name not in UNNUMBERED]
    ways = {0: 1}
    for kinds in ((6, 8), (2, 12), (3,), (4,), (5,), (9,), (10,), (11,)):
        sets = ways_to_place(kinds, tiles, terrain, near, rules, layout)
        taken = np.array(list(ways), dtype=np.int64)
        counts = np.array([ways[mask] for mask in ways], dtype=np.int64)
        keys, values = [], []
        for mask, times in sets.items():
            free = taken & mask == 0
            keys.append(taken[free] | mask)
            values.append(counts[free] * times)
        found, where = np.unique(np.concatenate(keys), return_inverse=True)
        sums = np.zeros(len(found), dtype=np.int64)
        np.add.at(sums, where, np.concatenate(values))
        ways = dict(zip(found.tolist(), sums.tolist(), strict=True))
    return ways.get(sum(1 << t for t in tiles), 0)


def ways_to_place(kinds, tiles, terrain, near, rules, layout):
    """Per set of tiles, in how many ways all markers of these kinds may stand on exactly that set."""
    found = Counter()
    choices = [list(combinations(tiles, layout.marker_supply[kind])) for kind in kinds]
    for places in product(*choices):
        standing = {t: kind for kind, some in zip(kinds, places, strict=True) for t in some}
        if len(standing) < sum(map(len, places)):
            continue
        if all(fits(a, b, standing, terrain, near, rules) for a, b in combinations(standing, 2)):
            reds = Counter(terrain[t] for t, kind in standing.items() if kind in (6, 8))
            if (
                rules.reds_per_terrain_max is None
                or max(reds.values(), default=0) <= rules.reds_per_terrain_max
            ):
                found[sum(1 << t for t in standing)] += 1
    return found


def fits(a, b, standing, terrain, near, rules):
    first, second = standing[a], standing[b]
    if rules.markers_distinct_per_terrain and first == second and terrain[a] == terrain[b]:
        return False
    if b not in near[a]:
        return True
    both_red = {first, second} <= {6, 8}
    outer = {first, second} <= {2, 12}
    return not (
        (rules.reds_apart and both_red)
        or (rules.equal_markers_apart and first == second)
        or (rules.two_twelve_apart and outer)
    )


@pytest.mark.parametrize(
    "rules",
    [
        Rules.preset("blog").replace(vertex_sum_below=None),
        OPTIMAL.replace(vertex_sum_below=None),
        Rules(equal_markers_apart=True, two_twelve_apart=True, reds_per_terrain_max=2),
    ],
)
def test_base_markers_over_subsets_of_tiles(rules):
    board = Board.from_notation(POST)
    assert count_markers(POST, rules) == by_subsets(board.terrain, rules, board.layout)


@settings(max_examples=60, deadline=None)
@given(layouts(with_markers=True), marker_rules, st.data())
def test_small_markers_by_brute_force(layout, rules, data):
    pieces = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    terrain = data.draw(st.permutations(pieces))
    numbered = sum(name not in UNNUMBERED for name in terrain)
    assume(numbered > 0 and len(layout.marker_supply) ** numbered <= 3_000)
    assert count_markers(terrain, rules, layout) == len(allowed_markers(terrain, rules, layout))


def test_the_facts_of_the_post():
    rules = Rules.preset("blog")
    counts = [count_markers(POST, rules.replace(vertex_sum_below=most)) for most in (21, 22, 23)]
    assert counts == [0, 1, 11_753]


def test_tournament_markers_by_the_places_of_the_reds():
    """With reds apart only a red and two of 5 and 9 make more than 12 pips; the other ten do not matter."""
    board = Board.from_notation(POST)
    pairs = board.layout.adjacency("hex")
    tiles = [t for t, name in enumerate(board.terrain) if name != "desert"]
    fours = np.array([sum(1 << t for t in four) for four in combinations(tiles, 4)])
    corners = [tiles for tiles in board.layout.vertex_tiles if len(tiles) == 3]
    found = 0
    for reds in combinations(tiles, 4):
        if any(a in reds and b in reds for a, b in pairs):
            continue
        fits = fours & sum(1 << t for t in reds) == 0
        for corner in corners:
            others = sum(1 << t for t in corner if t not in reds)
            if set(corner) & set(reds):
                fits &= fours & others != others
        found += 6 * 6 * int(fits.sum()) * factorial(10) // 2**4
    assert count_markers(POST, "tournament") == found


def test_the_bounds_are_counted_as_the_checker_has_them():
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
    assert count_markers(POST, "official") == 6
    board = Board.from_notation(Board.from_notation(LAYOUTS["base"].beginner_board).notation())
    rules = Rules(marker_order="spiral", vertex_pips_max=12)
    with enumerate_markers(board, rules) as solutions:
        listed = set(solutions)
    assert count_markers(board, rules) == len(listed)


def test_markers_of_a_larger_supply_without_rules():
    layout = LAYOUTS["seafarers-10"]
    terrain = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    tiles, supply = layout.n_numbered, layout.marker_supply.values()
    spare = sum(supply) - tiles
    in_the_box = (left for left in product(*(range(most + 1) for most in supply)) if sum(left) == spare)
    expected = sum(
        factorial(tiles) // prod(factorial(most - n) for most, n in zip(supply, left, strict=True))
        for left in in_the_box
    )
    assert count_markers(terrain, "open", layout) == expected


def test_too_few_markers_are_no_way_and_no_tiles_are_one():
    assert count_markers(["wool"] * 19, "open", "base") == 0
    assert count_markers(["desert"] * 19, "open", "base") == 1


def test_a_time_limit_gives_a_lower_bound():
    with pytest.raises(SolverTimeout, match="at least") as error:
        count_markers(POST, Rules(terrain_pips_min=1), timeout=1.5)
    assert error.value.found > 0
    with pytest.raises(InvalidArgument, match="timeout"):
        count_markers(POST, "open", timeout=-1)


def test_too_many_states_for_the_markers():
    layout = LAYOUTS["seafarers-10"]
    pieces = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    terrain = [pieces[20 * i % 63] for i in range(63)]
    with pytest.raises(CatanError, match="with a timeout"):
        count_markers(terrain, OPTIMAL.replace(vertex_sum_below=None), layout)


# Boards


@settings(max_examples=40, deadline=None)
@given(layouts(with_markers=True), terrain_rules, marker_rules)
def test_boards_are_terrains_times_markers(layout, terrain_fields, marker_fields):
    assume(terrain_fields.symmetry != "distinct" and terrain_fields.adjacency == marker_fields.adjacency)
    local = {
        "markers_distinct_per_terrain": False,
        "reds_per_terrain_max": None,
        "terrain_markers_max": (),
    }
    fields = {**marker_fields.replace(**local).to_mapping(), **terrain_fields.to_mapping()}
    rules = Rules.from_mapping(fields)
    terrains = allowed_terrains(rules, layout)
    bounds = (rules.vertex_sum_below, rules.vertex_pips_min, rules.vertex_pips_max)
    assume(layout.n_numbered > 0 or bounds == (None, None, None))
    assume(len(terrains) * len(layout.marker_supply) ** layout.n_numbered <= 20_000)
    pairs = sum(len(allowed_markers(terrain, rules.replace(symmetry="all"), layout)) for terrain in terrains)
    assert count_boards(rules, layout) == pairs


def test_boards_of_the_rule_book():
    assert count_boards("official") == 6 * 244_432_188_000
    assert count_boards("open") == 244_432_188_000 * (factorial(18) // 2**8)
    deals = factorial(9) // factorial(4)
    assert count_boards(Rules(harbors="shuffled")) == deals * count_boards("open")


def test_boards_with_markers_of_their_own_on_too_many_terrains_are_refused():
    for rules, named in (
        (Rules(markers_distinct_per_terrain=True), "markers_distinct_per_terrain ties markers"),
        (Rules(reds_per_terrain_max=1), "reds_per_terrain_max ties markers"),
        (Rules(terrain_pips_max={"gold": 6}), "terrain_pips_max ties markers"),
    ):
        with pytest.raises(CatanError, match=named):
            count_boards(rules)
    with pytest.raises(InvalidRules, match="harbor_own_terrain_apart"):
        count_boards(Rules(harbors="shuffled", harbor_own_terrain_apart=True))
    with pytest.raises(InvalidRules, match="distinct"):
        count_boards(Rules(symmetry="distinct", reds_apart=True))
    with pytest.raises(CatanError, match=r"the bare tiles may lie in .* ways on 'seafarers-10'"):
        count_boards(Rules(reds_apart=True), "seafarers-10")
