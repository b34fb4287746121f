"""Complete boards: counted, numbered, and drawn uniformly."""

import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Constraint,
    Harbor,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Problem,
    Rules,
    count_boards,
    count_markers,
    count_terrains,
    enumerate_markers,
    is_countable,
    rank_board,
    sample_boards,
    unrank_board,
)
from catan_cp.boards.pieces import TERRAINS
from catan_cp.counting import boards, counts
from catan_cp.counting.boards import board_space
from catan_cp.counting.budget import Budget, Cache, forget
from catan_cp.counting.diagram import TooManyStates
from catan_cp.counting.sums.search import marker_search
from catan_cp.counting.sums.weights import shipped_counts
from catan_cp.rules.rules import find_rules
from tests.small_boards import (
    allowed_boards,
    allowed_markers,
    allowed_terrains,
    content,
    in_token_order,
    layouts,
    marker_rules,
    needs_numba,
    terrain_rules,
    together,
)

PRESETS = ("tournament", "official", "open")


# Known counts


@pytest.mark.parametrize(
    ("rules", "boards"),
    [
        ("tournament", 92_418_935_587_878_537_792_000),
        ("official", 6 * 244_432_188_000),
        ("open", 244_432_188_000 * factorial(18) // 2**8),
        (Rules(harbors="shuffled"), 244_432_188_000 * (factorial(18) // 2**8) * factorial(9) // factorial(4)),
        ("optimal", 6_666_123_504),
        (Rules.preset("optimal").replace(desert="centre"), 0),
        pytest.param(
            Rules.preset("blog").replace(vertex_sum_below=23), 603_188, marks=[needs_numba, pytest.mark.slow]
        ),
        pytest.param(Rules.preset("blog").replace(vertex_sum_below=22), 21, marks=needs_numba),
    ],
)
def test_known_counts(rules, boards):
    assert count_boards(rules) == boards


def test_spirals_on_reflected_terrain_counted_apart():
    """Spirals run one way: of the two terrains, one has 3 ways to keep the bound, and one 4."""
    supply = dict.fromkeys((2, 3, 6, 8, 9, 11, 12), 1)
    order = (6, 8, 2, 9, 3, 11, 12)
    layout = Layout("spiral", (2, 3, 2), {"wool": 4, "ore": 3}, supply, spiral_order=order)
    rules = Rules(marker_order="spiral", terrain_pips_max={"wool": 11})
    assert count_boards(rules.replace(pattern="oo/www/ow"), layout) == 3
    assert count_boards(rules.replace(pattern="oo/www/wo"), layout) == 4


# Numbers and back


@pytest.mark.parametrize(
    ("rules", "n"), [*((preset, 15) for preset in PRESETS), ("optimal", 1), (Rules(harbors="shuffled"), 15)]
)
def test_rank_is_reverse_of_board_at(rules, n):
    total, source = count_boards(rules), random.Random(3)
    rules = find_rules(rules)
    for k in [0, 1, total - 1, *(source.randrange(total) for _ in range(n))]:
        board = unrank_board(k, rules)
        assert rules.check(board) == []
        assert rank_board(board, rules) == rank_board(board.notation(), rules) == k
    neighbors = {unrank_board(k, rules).harbors for k in (0, 1, 15_119)}
    assert len(neighbors) == (3 if rules.harbors == "shuffled" else 1)


@settings(max_examples=40, deadline=None)
@given(rules=terrain_rules, markers=marker_rules, layout=layouts(with_markers=True))
def test_small_spaces_equal_brute_force(rules, markers, layout):
    """The boards, how many they are, and the number of each."""
    size = len(layout.marker_supply) ** layout.n_tiles * 2**layout.n_tiles
    assume(rules.symmetry != "distinct" and size <= 2_000)
    both = together(rules, markers)
    try:
        both.check_layout(layout)
    except InvalidRules:
        return
    expected = allowed_boards(both, layout)
    assert count_boards(both, layout) == len(expected)
    boards = list(board_space(Problem.of(both, layout)).boards(range(min(len(expected), 300))))
    assert len({content(board) for board in boards}) == len(boards)
    assert {content(board) for board in boards} <= {*map(content, expected)}
    assert [rank_board(board, both) for board in boards[::50]] == list(range(0, len(boards), 50))


# Draws


SMALL = Layout("flower", (2, 3, 2), {"wool": 2, "ore": 2, "desert": 3}, {2: 1, 6: 2, 11: 1})


def test_cached_marker_lists_change_nothing(monkeypatch):
    rules = Rules(markers_distinct_per_terrain=True, reds_per_terrain_max=1)
    space = board_space(Problem.of(rules, SMALL))
    all_boards = list(space.boards(range(space.total)))
    monkeypatch.setattr("catan_cp.counting.sums.weights.KEPT_BYTES", 0)
    assert list(space.boards(range(0, space.total, 7))) == all_boards[::7]


def test_samples_repeat_and_keep_rules():
    for preset in PRESETS:
        first = list(sample_boards(20, preset, seed=9))
        assert first == list(sample_boards(20, preset, seed=9))
        assert len(set(first)) == 20
        assert all(Rules.preset(preset).check(board) == [] for board in first)


# The table that comes with the package


@needs_numba
def test_table_samples_equal_counts():
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    counts = shipped_counts(Problem.of(rules, layout)).counts
    assert len(counts.firsts) == 15_733
    for number in random.Random(8).sample(range(15_733), 12):
        terrain = [TERRAINS[code - 1] for code in counts.firsts[number]]
        assert (
            marker_search(terrain, Problem.of(rules, layout)).branches().tolist()
            == counts.branches[number].tolist()
        )


@pytest.mark.solver
def test_table_minimum_equals_listing():
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    counts = shipped_counts(Problem.of(rules, layout)).counts
    totals = counts.branches.sum(axis=1)
    terrain = [TERRAINS[code - 1] for code in counts.firsts[totals.argmin()]]
    listed = enumerate_markers(terrain, rules, layout).array()
    assert len(listed) == totals.min()
    assert (listed == 12).sum(axis=0).tolist() == counts.branches[totals.argmin()][:-1].tolist()


# The search


@needs_numba
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(rules=marker_rules, layout=layouts(with_markers=True))
def test_search_finds_what_brute_force_finds(rules, layout):
    terrain = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    search = marker_search(terrain, Problem.of(rules, layout))
    assume(search.count() > 1)
    listed = in_token_order(allowed_markers(terrain, rules, layout))
    expected = [[marker or 0 for marker in row] for row in listed]
    branches = search.branches()
    assert search.count() == branches.sum() == len(expected)
    assert np.concatenate(list(search.chunks())).tolist() == expected
    for space in (search, replace(search, counted=branches)):
        result = space.arrays(range(space.total))
        assert result.tolist() == expected
        assert space.arrays(range(len(expected))[::-3]).tolist() == expected[::-3]
        some = range(0, len(expected), 1 + len(expected) // 9)  # alone, each is sought from its nearer end
        assert [space.arrays([k]).tolist() for k in some] == [[expected[k]] for k in some]
        assert space.ranks(result[::7]) == list(range(0, len(expected), 7))


PIPS = {2: 1, 5: 4, 6: 5, 8: 5, 9: 4}


@pytest.mark.parametrize("field", ["terrain_pips_min", "terrain_pips_max"])
@pytest.mark.parametrize("bounded", ["ore", "every"])
def test_pip_bounds_equal_brute_force(field, bounded):
    terrain = ("ore", "ore", "wool", "wool", "brick")
    layout = Layout("small", (2, 3), Counter(terrain), dict.fromkeys(PIPS, 1))
    numbered = [(PIPS[a] + PIPS[b], PIPS[c] + PIPS[d], PIPS[e]) for a, b, c, d, e in permutations(PIPS)]
    for bound in range(1, 11):
        keep = min if field == "terrain_pips_min" else max
        sums = [all_sums[:1] if bounded == "ore" else all_sums for all_sums in numbered]
        fitting = sum(keep(*sums_of, bound) == bound for sums_of in sums)
        assert count_markers(terrain, Rules(**{field: {bounded: bound}}), layout) == fitting


@pytest.mark.parametrize("most", [0, 1, 2])
def test_red_markers_equal_brute_force(most):
    """Two markers stay in the box.

    Two tiles always have at most 10 pips, a bound that no diagram counts.
    """
    terrain = ("ore", "ore", "wool", "wool", "wool")
    layout = Layout("small", (2, 3), Counter(terrain), {2: 2, 6: 2, 8: 1, 9: 2})
    fitting = 0
    for markers in set(permutations((2, 2, 6, 6, 8, 9, 9), 5)):
        reds = [marker in (6, 8) for marker in markers]
        fitting += max(sum(reds[:2]), sum(reds[2:])) <= most
    rules = Rules(reds_per_terrain_max=most, terrain_pips_max={"ore": 10})
    assert count_markers(terrain, rules, layout) == fitting


def test_equal_triples_equal_brute_force():
    """They are the end of the search, which is counted whole.

    The first and the third may touch.
    """
    layout = Layout("wide", (3, 4), {"ore": 7}, {2: 3, 9: 1, 10: 1, 11: 1, 12: 1})
    corners = [tiles for tiles in layout.vertex_tiles if len(tiles) == 3]
    fitting = 0
    for markers in set(permutations((2, 2, 2, 9, 10, 11, 12))):
        equal = any(markers[a] == markers[b] for a, b in layout.adjacency("hex"))
        fitting += not equal and all(sum(markers[t] for t in tiles) < 31 for tiles in corners)
    rules = Rules(equal_markers_apart=True, vertex_sum_below=31)
    assert fitting > 0 and count_markers(["ore"] * 7, rules, layout) == fitting


@needs_numba
@pytest.mark.parametrize("supply", [{2: 1, 3: 3}, {2: 3, 3: 1}, {2: 2, 6: 2}, {4: 4}])
def test_equal_markers_counted_once(supply):
    """The part of the search that is counted at once may begin among equal number tokens."""
    layout = Layout("diamond", (1, 2, 1), {"brick": 4}, supply)
    search = marker_search(["brick"] * 4, Problem.of(Rules(), layout))
    assert search.count() == factorial(4) // prod(map(factorial, supply.values()))
    assert len(np.unique(search.arrays(range(search.count())), axis=0)) == search.count()


def test_without_numba_boards_are_same():
    pieces, supply = {"wool": 2, "ore": 2, "desert": 1}, {2: 1, 6: 2, 8: 1, 11: 2}
    layout = Layout("small", (2, 3), pieces, supply)
    rules = Rules(markers_distinct_per_terrain=True, terrain_cluster_max=1)
    code = f"""
from catan_cp import Layout, Rules, unrank_board, count_boards
from catan_cp.compiled import is_fast
layout, rules = Layout("small", (2, 3), {pieces}, {supply}), {rules!r}
total = count_boards(rules, layout)
print(is_fast(), total, *(unrank_board(k, rules, layout).notation() for k in range(0, total, total // 5)))
print(unrank_board(5_000_000_000, "optimal").notation())
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=600
    )
    total = count_boards(rules, layout)
    boards = [unrank_board(k, rules, layout).notation() for k in range(0, total, total // 5)]
    optimal = unrank_board(5_000_000_000, "optimal").notation()
    assert result.stdout.split() == ["False", str(total), *boards, optimal]


@needs_numba
def test_first_board_needs_no_numba():
    code = """
import sys
from catan_cp import unrank_board
from catan_cp.problem.problem import Problem
print(*((unrank_board(k, "optimal").notation(), "numba" in sys.modules) for k in (7, 8)))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    first, second = (unrank_board(k, "optimal").notation() for k in (7, 8))
    assert result.stdout.strip() == f"{(first, False)} {(second, True)}"


# Counts by brute force


FLOWER = Layout("flower", (2, 3, 2), {"wool": 3, "ore": 1, "desert": 3}, {2: 1, 6: 2, 11: 1})


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(reds_apart=True),
        Rules(reds_apart=True, vertex_pips_max=11, terrain_cluster_max=2),
        Rules(equal_markers_apart=True, adjacency="block"),
        Rules(symmetry="corners", reds_apart=True),
        Rules(pattern="xx/x6xx/xx"),
        Rules(pattern="xw/xxx/xx", equal_markers_apart=True),
        pytest.param(Rules(markers_distinct_per_terrain=True), marks=needs_numba),
        pytest.param(Rules(reds_per_terrain_max=1, two_twelve_apart=True), marks=needs_numba),
        pytest.param(Rules(terrain_pips_max=9, pattern="xx/xxx/x6x"), marks=needs_numba),
    ],
)
def test_small_layout_equals_brute_force(rules):
    boards = allowed_boards(rules, FLOWER)
    assert boards
    assert count_boards(rules, FLOWER) == len(boards)


@pytest.mark.parametrize(
    ("begin", "step", "trades"),
    [
        (0, 3, ("3:1",) * 6),
        (1, 3, ("3:1", "wool", "3:1", "ore", "ore", "3:1")),
        (0, 6, ("3:1", "wool", "ore")),
        (0, 9, ("wool", "wool")),
        (2, 5, ("3:1", "3:1", "wool", "ore")),
    ],
)
def test_shuffled_harbors_counted_by_brute_force(begin, step, trades):
    layout = Layout("plain", (2, 3, 2), {"wool": 5, "ore": 2}, {2: 7})
    places = layout.coast_edges[begin::step]
    free_edges = [edge for i, edge in enumerate(places) if not any(set(edge) & set(e) for e in places[:i])]
    harbors = tuple(Harbor(edge, trade) for edge, trade in zip(free_edges, trades, strict=False))
    framed = Layout("framed", (2, 3, 2), {"wool": 5, "ore": 2}, {2: 7}, printed_harbors=harbors)
    printed, rules = Rules(), Rules(harbors="shuffled")
    terrains = allowed_terrains(printed, layout)
    dealt = deals([harbor.vertices for harbor in harbors], Counter(harbor.trade for harbor in harbors))
    boards = [Board(framed, terrain, [2] * 7, result) for terrain in terrains for result in dealt]
    assert count_boards(rules, framed) == len(boards)
    assert count_boards(printed, framed) == len(terrains)


def deals(places, trades):
    if not places:
        return [()]
    return [
        (Harbor(places[0], trade), *rest)
        for trade in trades
        if trades[trade]
        for rest in deals(places[1:], trades - Counter([trade]))
    ]


def test_spiral_equals_brute_force():
    base = LAYOUTS["base"]
    pieces = {"wool": 18, "desert": 1}
    spiral = Layout("spiral", base.rows, pieces, base.marker_supply, spiral_order=base.spiral_order)
    rules = Rules(marker_order="spiral")
    boards = [
        Board(spiral, terrain, markers)
        for terrain in allowed_terrains(rules, spiral)
        for markers in spiral_markers(terrain, spiral)
    ]
    assert count_boards(rules, spiral) == len(boards) == 19 * 6


def spiral_markers(terrain, layout):
    results = set()
    for path in layout.spirals:
        order = iter(layout.spiral_order)
        markers = {t: next(order) for t in path if terrain[t] != "desert"}
        results.add(tuple(markers.get(t) for t in range(layout.n_tiles)))
    return results


def test_custom_constraints_equal_listing():
    rules = Rules(constraints=[Constraint("constraint terrain[1] != ORE;")])
    small = Layout("small", (1, 2, 1), {"wool": 2, "ore": 1, "desert": 1}, {2: 1, 6: 2})
    boards = [b for b in allowed_boards(Rules(), small) if b.terrain[0] != "ore"]
    assert count_boards(rules, small) == len(boards)


# Caches between calls


def test_layouts_of_one_name_counted_apart():
    rules, pieces = Rules(markers_distinct_per_terrain=True), {"wool": 2, "ore": 2, "desert": 1}
    one, other = (Layout("twice", (2, 3), pieces, supply) for supply in ({2: 1, 6: 2, 11: 1}, {2: 1, 6: 3}))
    assert count_boards(rules, one) > 0
    assert count_boards(rules, other) == 0


def test_earlier_counts_change_nothing(monkeypatch):
    """A space that a count built is still too large for draws that are to be quick."""
    rules, layout = Rules(reds_apart=True, terrain_cluster_max=1), LAYOUTS["base"]
    monkeypatch.setattr(counts, "QUICK_STATES", 100)
    forget()
    problem, few = Problem.of(rules, layout), boards.Limits(states=100, places=40)
    before = boards.rank_obstacle(problem, few), is_countable(rules, layout)
    assert count_boards(rules, layout) and count_terrains(rules, layout)
    after = boards.rank_obstacle(problem, few), is_countable(rules, layout)
    assert after == before == ("counting takes too long", False)


def test_cache_limited_by_size():
    cache, built = Cache[str](8, len), []

    def build(name, states):
        def make():
            built.append(name)
            if states > most:
                raise TooManyStates("more")
            return name

        return make

    for most, name, expected in (
        (5, "four", ["four"]),
        (5, "four", []),
        (9, "four", []),
        (3, "four", ["four", "too many"]),
        (2, "four", ["too many"]),
        (5, "four", []),
        (5, "seven", ["seven"]),  # together 9: the other goes
        (5, "four", ["four"]),
        (3, "four", ["too many"]),
    ):
        try:
            assert cache.get(name, Budget(most), build(name, 4)) == name
        except TooManyStates:
            built.append("too many")
        assert built == expected, (most, name)
        built.clear()
    forget()
    most = 5
    cache.get("four", Budget(most), build("four", 4))
    assert built == ["four"]


# Rejected arguments


@pytest.mark.parametrize(
    ("rules", "layout", "error", "message"),
    [
        (Rules(symmetry="distinct", reds_apart=True), "base", InvalidRules, "distinct"),
        (
            Rules(harbors="shuffled", harbor_own_terrain_apart=True),
            "base",
            InvalidRules,
            "harbor_own_terrain_apart",
        ),
        (
            Rules(markers_distinct_per_terrain=True),
            "base",
            CatanError,
            "per_terrain ties markers .* the maximum is 5,000,000",
        ),
        (Rules(reds_per_terrain_max=1), "base", CatanError, "reds_per_terrain_max ties markers"),
        (Rules(terrain_pips_max={"gold": 6}), "base", CatanError, "terrain_pips_max ties markers"),
        (
            Rules(reds_apart=True),
            "seafarers-10",
            CatanError,
            "the bare tiles of .* have more than 1,000 arrangements",
        ),
    ],
)
def test_boards_that_are_not_counted(rules, layout, error, message):
    with pytest.raises(error, match=message):
        count_boards(rules, layout)


def test_refusals():
    with pytest.raises(InvalidArgument, match="from 0 to below 92,418,935"):
        unrank_board(-1, "tournament")
    with pytest.raises(InvalidArgument, match="number of boards"):
        unrank_board(count_boards("tournament"), "tournament")
    with pytest.raises(InvalidArgument, match="n must be a whole number"):
        next(sample_boards(-1, "open"))
    with pytest.raises(Infeasible, match="no board"):
        next(sample_boards(1, Rules(vertex_pips_max=0)))
    with pytest.raises(InvalidBoard, match="do not allow"):
        rank_board(Board.from_notation(LAYOUTS["base"].beginner_board), Rules(vertex_pips_max=9))
    assert rank_board(unrank_board(7, Rules(harbors="none")), Rules()) == 7
    assert Harbor((0, 1), "3:1") not in unrank_board(7, "open").harbors
