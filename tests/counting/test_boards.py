"""Complete boards: counted, numbered, and drawn uniformly, by diagrams and by the compiled search."""

import random
from collections import Counter
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from small_boards import allowed_markers, allowed_terrains, layouts, marker_rules, terrain_rules

from catan_cp import (
    Board,
    Layout,
    Rules,
    board_at,
    count_boards,
    count_markers,
    count_terrain,
    enumerate_markers,
    is_countable,
    rank,
    sample_boards,
    sample_terrain,
)
from catan_cp.boards.layout import LAYOUTS, Harbor
from catan_cp.boards.pieces import TERRAINS
from catan_cp.compiled import is_fast
from catan_cp.counting import boards, counts, is_quick
from catan_cp.counting.boards import board_space
from catan_cp.counting.columns import Kept, forget
from catan_cp.counting.diagram import TooManyStates
from catan_cp.counting.marker_search import in_token_order, marker_search
from catan_cp.counting.weights import shipped_counts
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, InvalidBoard, InvalidRules

POST = "dlw/bgol/owbwg/lgob/wlg"
PRESETS = ("tournament", "official", "open")

needs_numba = pytest.mark.skipif(not is_fast(), reason="needs the extra fast (numba)")


def every_board(rules, layout):
    """All boards that the rules allow, by brute force, harbors left aside."""
    return {
        (terrain, tuple(markers))
        for terrain in allowed_terrains(rules, layout)
        for markers in allowed_markers(terrain, rules, layout)
    }


def content(board):
    return board.terrain, board.markers


def too_uneven(n):
    """A bound on chi-square that even draws of *n* boards break once in a million tries."""
    free = n - 1
    return free * (1 - 2 / (9 * free) + 4.75 * (2 / (9 * free)) ** 0.5) ** 3


# Known counts


def test_the_counts_of_the_presets():
    assert count_boards("tournament") == 92_418_935_587_878_537_792_000
    assert count_boards("official") == 6 * 244_432_188_000
    assert count_boards("open") == 244_432_188_000 * 25_009_272_288_000


@needs_numba
@pytest.mark.parametrize(("below", "boards"), [(23, 603_188), (22, 21)])
def test_complete_boards_of_the_post(below, boards):
    assert count_boards(Rules.preset("blog").replace(vertex_sum_below=below)) == boards


@needs_numba
@pytest.mark.parametrize(("below", "ways"), [(21, 0), (22, 1), (23, 11_753)])
def test_markers_of_the_post(below, ways):
    assert count_markers(POST, Rules.preset("blog").replace(vertex_sum_below=below)) == ways


def test_spirals_on_a_terrain_and_on_its_mirror_image_are_counted_apart():
    """Spirals run one way round: of the two terrains, one has 3 ways to keep the bound, and one 4."""
    supply = dict.fromkeys((2, 3, 6, 8, 9, 11, 12), 1)
    order = (6, 8, 2, 9, 3, 11, 12)
    layout = Layout("spiral", (2, 3, 2), {"wool": 4, "ore": 3}, supply, spiral_order=order)
    rules = Rules(marker_order="spiral", terrain_pips_max={"wool": 11})
    assert count_boards(rules.replace(pattern="oo/www/ow"), layout) == 3
    assert count_boards(rules.replace(pattern="oo/www/wo"), layout) == 4


# Numbers and back


@pytest.mark.parametrize("preset", PRESETS)
def test_rank_is_the_reverse_of_board_at(preset):
    total, source = count_boards(preset), random.Random(3)
    rules = Rules.preset(preset)
    for k in [0, total - 1, *(source.randrange(total) for _ in range(40))]:
        board = board_at(k, preset)
        assert rules.check(board) == []
        assert rank(board, preset) == rank(board.notation(), preset) == k


def test_harbors_are_numbered_too():
    rules = Rules(harbors="shuffled")
    total = count_boards(rules)
    assert total == count_boards("open") * 15_120
    boards = [board_at(k, rules) for k in (0, 1, 15_119, 15_120, total - 1)]
    assert [rank(board, rules) for board in boards] == [0, 1, 15_119, 15_120, total - 1]
    assert len({board.harbors for board in boards[:3]}) == 3
    assert boards[3].harbors == boards[0].harbors


@settings(max_examples=25, deadline=None)
@given(rules=terrain_rules, markers=marker_rules, layout=layouts(with_markers=True))
def test_small_spaces_are_what_brute_force_finds(rules, markers, layout):
    assume(
        rules.symmetry != "distinct"
        and len(layout.marker_supply) ** layout.n_tiles * 2**layout.n_tiles <= 600
    )
    fields = ("terrain_cluster_max", "apart", "symmetry", "desert", "gold_inland")
    both = markers.replace(**{name: getattr(rules, name) for name in fields})
    try:
        both.check_layout(layout)
    except InvalidRules:
        return
    expected = every_board(both, layout)
    assert count_boards(both, layout) == len(expected)
    boards = list(board_space(both, layout).boards(range(min(len(expected), 300))))
    assert len({content(board) for board in boards}) == len(boards)
    assert {content(board) for board in boards} <= expected
    assert [rank(board, both) for board in boards[::50]] == list(range(0, len(boards), 50))


# Draws


SMALL = Layout("flower", (2, 3, 2), {"wool": 2, "ore": 2, "desert": 3}, {2: 1, 6: 2, 11: 1})


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(reds_apart=True),
        Rules(reds_apart=True, vertex_pips_max=11, terrain_cluster_max=2),
        pytest.param(Rules(markers_distinct_per_terrain=True, reds_per_terrain_max=1), marks=needs_numba),
        pytest.param(Rules(terrain_pips_max=8, equal_markers_apart=True), marks=needs_numba),
    ],
)
def test_every_board_equally_often(rules):
    expected = every_board(rules, SMALL)
    n = 8 * len(expected)
    drawn = Counter(content(board) for board in sample_boards(n, rules, SMALL, seed=5))
    assert set(drawn) <= expected
    mean = n / len(expected)
    assert sum((drawn[board] - mean) ** 2 / mean for board in expected) < too_uneven(len(expected))


def test_draws_are_the_same_again_and_keep_the_rules():
    for preset in PRESETS:
        first = list(sample_boards(20, preset, seed=9))
        assert first == list(sample_boards(20, preset, seed=9))
        assert len(set(first)) == 20
        assert all(Rules.preset(preset).check(board) == [] for board in first)


def test_pairs_of_tiles_are_as_they_should_be():
    """Under `open`, each ordered pair of markers stands on two given tiles as often as combinatorics says."""
    drawn = list(sample_boards(20_000, "open", seed=2))
    pairs = Counter((board.markers[0], board.markers[18]) for board in drawn)
    supply = LAYOUTS["base"].marker_supply
    chi, cells = 0.0, 0
    for a in supply:
        for b in supply:
            both = supply[a] * (supply[b] - (a == b)) / (18 * 17) * (18 * 17) / (19 * 18)
            if both:
                chi += (pairs[a, b] - 20_000 * both) ** 2 / (20_000 * both)
                cells += 1
    bare = (18 * 17) / (19 * 18)
    rest = sum(n for (a, b), n in pairs.items() if a is None or b is None)
    chi += (rest - 20_000 * (1 - bare)) ** 2 / (20_000 * (1 - bare))
    assert chi < too_uneven(cells + 1)


# The table that comes with the package


def test_the_number_of_optimal_boards():
    assert count_boards("optimal") == 6_666_123_504
    k = 4_711_000_815
    assert rank(board_at(k), "optimal") == k


@needs_numba
def test_a_sample_of_the_table_is_what_the_search_counts():
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    table = shipped_counts(rules, layout)
    assert len(table) == 15_733
    for row in random.Random(8).sample(sorted(table), 12):
        terrain = [TERRAINS[code - 1] for code in row]
        assert marker_search(terrain, rules, layout).count() == table[row]


@pytest.mark.solver
def test_a_sample_of_the_table_is_what_the_solver_lists():
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    table = shipped_counts(rules, layout)
    fewest = min(table, key=table.__getitem__)
    for row in [fewest, random.Random(3).choice(sorted(table))]:
        terrain = [TERRAINS[code - 1] for code in row]
        assert sum(1 for _ in enumerate_markers(terrain, rules, layout)) == table[row]


# The search


@needs_numba
@settings(max_examples=40, deadline=None)
@given(rules=marker_rules, layout=layouts(with_markers=True))
def test_the_search_finds_what_brute_force_finds(rules, layout):
    terrain = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    search = marker_search(terrain, rules, layout)
    assume(search is not None)
    listed = in_token_order(terrain, layout, allowed_markers(terrain, rules, layout))
    expected = [[marker for marker in row if marker] for row in listed]
    assert search.total == len(expected)
    found = search.unrank(range(len(expected)))
    assert found.tolist() == expected
    assert search.rank(found[::7]) == list(range(0, len(expected), 7))


@needs_numba
@pytest.mark.parametrize("supply", [{2: 1, 3: 3}, {2: 3, 3: 1}, {2: 2, 6: 2}, {4: 4}])
def test_equal_markers_are_counted_once_where_the_end_is_counted_whole(supply):
    """The part of the search that is counted without being walked may begin among equal markers."""
    layout = Layout("diamond", (1, 2, 1), {"brick": 4}, supply)
    search = marker_search(["brick"] * 4, Rules(), layout)
    assert search.total == factorial(4) // prod(map(factorial, supply.values()))
    assert len(np.unique(search.unrank(range(search.total)), axis=0)) == search.total


@needs_numba
def test_the_search_lists_what_the_solver_lists():
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    (terrain,) = sample_terrain(1, "optimal", seed=4)
    search = marker_search(terrain, rules, layout)
    listed = in_token_order(terrain, layout, enumerate_markers(terrain, rules, layout))
    assert search.total == len(listed) == count_markers(terrain, rules)
    assert search.unrank(range(len(listed))).tolist() == [[m for m in row if m] for row in listed]


def test_without_numba_the_solver_lists_the_same_boards(monkeypatch):
    layout = Layout("small", (2, 3), {"wool": 2, "ore": 2, "desert": 1}, {2: 1, 6: 2, 8: 1, 11: 2})
    rules = Rules(markers_distinct_per_terrain=True, terrain_cluster_max=1)
    total = count_boards(rules, layout)
    wanted = [content(board_at(k, rules, layout)) for k in range(0, total, total // 5)]
    forget()
    monkeypatch.setattr("catan_cp.counting.marker_search.is_fast", lambda: False)
    assert count_boards(rules, layout) == total
    assert [content(board_at(k, rules, layout)) for k in range(0, total, total // 5)] == wanted
    forget()


# What is kept for the next call


def test_what_was_counted_before_decides_nothing(monkeypatch):
    """A space that a count built is still too large for draws that are to be quick."""
    rules, layout = Rules(reds_apart=True, terrain_cluster_max=1), LAYOUTS["base"]
    monkeypatch.setattr(boards, "QUICK_STATES", 100)
    monkeypatch.setattr(counts, "QUICK_STATES", 100)
    boards._is_quick.cache_clear()
    forget()
    before = is_quick(rules, layout), is_countable(rules, layout)
    assert count_boards(rules, layout) and count_terrain(rules, layout)
    boards._is_quick.cache_clear()
    assert (is_quick(rules, layout), is_countable(rules, layout)) == before == (False, False)
    boards._is_quick.cache_clear()


def test_a_count_before_or_after_changes_no_draw():
    """A count alone builds less than draws need, and takes what draws have built."""
    rules = Rules(terrain_cluster_max=1, apart=[("brick", "lumber")])
    forget()
    drawn = counts.sample_terrain(5, rules, seed=1)
    total = count_terrain(rules)
    forget()
    assert count_terrain(rules) == total
    assert counts.sample_terrain(5, rules, seed=1) == drawn
    assert count_terrain(rules) == total
    forget()


def test_things_are_kept_by_limit_and_forgotten_by_size():
    kept, built = Kept[str](8, len), []

    def build(name, states):
        def make():
            built.append(name)
            if states > most:
                raise TooManyStates("more")
            return name

        return make

    for most, name, wanted in (
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
            assert kept.get(name, most, build(name, 4)) == name
        except TooManyStates:
            built.append("too many")
        assert built == wanted, (most, name)
        built.clear()
    forget()
    kept.get("four", most := 5, build("four", 4))
    assert built == ["four"]


# What cannot be


def test_refusals():
    with pytest.raises(InvalidArgument, match="from 0 to below 92,418,935"):
        board_at(-1, "tournament")
    with pytest.raises(InvalidArgument, match="number of boards"):
        board_at(count_boards("tournament"), "tournament")
    with pytest.raises(InvalidArgument, match="n is a whole number"):
        next(sample_boards(-1, "open"))
    with pytest.raises(Infeasible, match="no board"):
        next(sample_boards(1, Rules(vertex_pips_max=0)))
    with pytest.raises(InvalidBoard, match="do not allow"):
        rank(Board.from_notation(LAYOUTS["base"].beginner_board), Rules(vertex_pips_max=9))
    with pytest.raises(InvalidRules, match="distinct"):
        count_boards(Rules(symmetry="distinct"))
    with pytest.raises(InvalidRules, match="harbor_own_terrain_apart"):
        count_boards(Rules(harbors="shuffled", harbor_own_terrain_apart=True))
    with pytest.raises(CatanError, match="too many"):
        count_boards(Rules(markers_distinct_per_terrain=True))
    assert rank(board_at(7, Rules(harbors="none")), Rules()) == 7
    assert Harbor((0, 1), "3:1") not in board_at(7, "open").harbors
