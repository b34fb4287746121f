"""Complete boards counted once where rotations and mirrors turn them into each other."""

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from small_boards import (
    allowed_boards,
    allowed_terrains,
    layouts,
    marker_rules,
    needs_numba,
    terrain_rules,
    together,
)

from catan_cp import Board, Constraint, Layout, Rules, count_boards
from catan_cp.boards.layout import LAYOUTS, Harbor
from catan_cp.errors import CatanError, InvalidRules
from catan_cp.rules.rule import keeping_symmetries

FLOWER = Layout("flower", (2, 3, 2), {"wool": 3, "ore": 1, "desert": 3}, {2: 1, 6: 2, 11: 1})


def moved(board, number, with_harbors):
    turned = board.moved(number)
    harbors = tuple((h.vertices, h.trade) for h in turned.harbors) if with_harbors else ()
    return turned.terrain, tuple(marker or 0 for marker in turned.markers), harbors


def classes(boards, layout, rules):
    """The first of each class, by turning every board in every way."""
    turns = keeping_symmetries(layout, rules.adjacency)
    shuffled = rules.harbors == "shuffled"
    return {min(moved(board, number, shuffled) for number in turns) for board in boards}


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
def test_classes_of_a_small_layout_by_brute_force(rules):
    boards = allowed_boards(rules, FLOWER)
    assert boards
    assert count_boards(rules, FLOWER) == len(boards)
    assert count_boards(rules, FLOWER, distinct=True) == len(classes(boards, FLOWER, rules))


@settings(max_examples=40, deadline=None)
@given(rules=terrain_rules, markers=marker_rules, layout=layouts(with_markers=True))
def test_classes_of_small_layouts_by_brute_force(rules, markers, layout):
    assume(
        rules.symmetry != "distinct"
        and len(layout.marker_supply) ** layout.n_tiles * 2**layout.n_tiles <= 2_000
    )
    both = together(rules, markers)
    try:
        both.check_layout(layout)
    except InvalidRules:
        return
    boards = allowed_boards(both, layout)
    assert count_boards(both, layout, distinct=True) == len(classes(boards, layout, both))


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
def test_harbors_that_are_dealt_anew_are_turned_along(begin, step, trades):
    layout = Layout("plain", (2, 3, 2), {"wool": 5, "ore": 2}, {2: 7})
    places = layout.coast_edges[begin::step]
    kept = [edge for i, edge in enumerate(places) if not any(set(edge) & set(e) for e in places[:i])]
    harbors = tuple(Harbor(edge, trade) for edge, trade in zip(kept, trades, strict=False))
    framed = Layout("framed", (2, 3, 2), {"wool": 5, "ore": 2}, {2: 7}, printed_harbors=harbors)
    printed, rules = Rules(), Rules(harbors="shuffled")
    terrains = allowed_terrains(printed, layout)
    dealt = deals([harbor.vertices for harbor in harbors], Counter(harbor.trade for harbor in harbors))
    boards = [Board(framed, terrain, [2] * 7, laid) for terrain in terrains for laid in dealt]
    assert count_boards(rules, framed) == len(boards)
    assert count_boards(rules, framed, distinct=True) == len(classes(boards, framed, rules))
    without = [Board(layout, terrain, [2] * 7) for terrain in terrains]
    assert count_boards(printed, framed, distinct=True) == len(classes(without, layout, printed))


def deals(places, trades):
    if not places:
        return [()]
    return [
        (Harbor(places[0], trade), *rest)
        for trade in trades
        if trades[trade]
        for rest in deals(places[1:], trades - Counter([trade]))
    ]


def test_the_spiral_by_turning_every_board():
    """Spirals run counter-clockwise, so mirrors make no allowed board, but rotations do."""
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
    assert count_boards(rules, spiral, distinct=True) == len(classes(boards, spiral, rules))


def spiral_markers(terrain, layout):
    found = set()
    for path in layout.spirals:
        order = iter(layout.spiral_order)
        markers = {t: next(order) for t in path if terrain[t] != "desert"}
        found.add(tuple(markers.get(t) for t in range(layout.n_tiles)))
    return found


def test_the_presets():
    assert count_boards("optimal", distinct=True) == 6_666_123_504 // 12 == 555_510_292


@pytest.mark.slow
def test_presets_that_take_seconds():
    assert count_boards("open", distinct=True) == 509_422_595_470_331_603_558_400
    assert count_boards("tournament", distinct=True) == 7_701_577_965_660_163_397_184
    assert count_boards("official", distinct=True) == 244_432_188_000
    assert count_boards("blog", distinct=True) == 558_198


def test_classes_of_your_own_constraints_are_listed():
    rules = Rules(constraints=[Constraint("constraint terrain[1] != ORE;")])
    small = Layout("small", (1, 2, 1), {"wool": 2, "ore": 1, "desert": 1}, {2: 1, 6: 2})
    boards = [b for b in allowed_boards(Rules(), small) if b.terrain[0] != "ore"]
    assert count_boards(rules, small, distinct=True) == len(classes(boards, small, rules))


def test_too_many_boards_to_look_at():
    with pytest.raises(CatanError, match="too many; count without distinct"):
        count_boards(Rules(symmetry="corners"), distinct=True)
