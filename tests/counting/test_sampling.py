"""Uniform terrains: every allowed one is drawn, no other, and all equally often."""

import pytest
from hypothesis import given, settings
from small_boards import allowed_terrains, equally_often, layouts, terrain_rules

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.counting import count_terrain, is_countable, sample_terrain
from catan_cp.counting.columns import Budget
from catan_cp.counting.terrains import terrain_space
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, InvalidRules
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import enumerate_terrain

POST = "dlw/bgol/owbwg/lgob/wlg"
OPTIMAL = Rules.preset("optimal")


def test_all_terrains_of_the_post_equally_often():
    with enumerate_terrain("blog") as solutions:
        terrains = list(solutions)
    drawn = sample_terrain(20_000, "blog", seed=7)
    assert Board.from_notation(POST).terrain in drawn
    assert equally_often(drawn, terrains)


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        (Rules(), {"wool": 3, "ore": 2, "desert": 2}),
        (Rules(symmetry="distinct"), {"wool": 3, "ore": 2, "desert": 2}),
        (Rules(symmetry="distinct", terrain_cluster_max=3), {"wool": 3, "ore": 4}),
        (Rules(symmetry="corners"), {"wool": 3, "ore": 2, "desert": 2}),
        (Rules(terrain_cluster_max=2), {"wool": 4, "ore": 2, "sea": 1}),
        (Rules(apart=[("sea", "ore")], desert="coast"), {"wool": 3, "ore": 1, "sea": 2, "desert": 1}),
    ],
)
def test_small_boards_equally_often(rules, counts):
    """Boards that mirror into themselves among them: they are as frequent as any other class."""
    layout = Layout("flower", (2, 3, 2), counts, {})
    terrains = allowed_terrains(rules, layout)
    assert equally_often(sample_terrain(100 * len(terrains), rules, layout, seed=3), terrains)


@settings(max_examples=35, deadline=None)
@given(layouts(), terrain_rules)
def test_only_allowed_terrains_are_drawn_and_in_time_all(layout, rules):
    terrains = set(allowed_terrains(rules, layout))
    if not terrains:
        with pytest.raises(Infeasible, match="no terrain"):
            sample_terrain(1, rules, layout)
        return
    drawn = set(sample_terrain(20 * min(len(terrains), 50), rules, layout, seed=1))
    assert drawn <= terrains
    if len(terrains) <= 50:
        assert drawn == terrains  # missed by chance once in many millions for each terrain


@settings(max_examples=60, deadline=None)
@given(layouts(), terrain_rules)
def test_every_rank_is_another_terrain(layout, rules):
    space = terrain_space(rules.replace(symmetry="all"), layout, Budget(100_000))
    rows = [tuple(row) for codes in space.chunks(size=50) for row in codes.tolist()]
    assert len(rows) == len(set(rows)) == space.total


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
def test_drawn_terrains_keep_the_rules(name, rules):
    """Among them rules whose classes no rotation or mirror keeps: the first of each class is drawn."""
    layout = LAYOUTS[name]
    laid = layout.printed_harbors if rules.harbors == "printed" else ()
    drawn = sample_terrain(60, rules, name, seed=5)
    assert len(drawn) == 60
    assert all(rules.check(Board(layout, terrain, harbors=laid)) == [] for terrain in drawn)


def test_the_desert_of_uniform_terrains_is_where_the_counts_say():
    drawn = sample_terrain(20_000, OPTIMAL, seed=11)
    on_the_coast = sum(terrain.index("desert") in LAYOUTS["base"].coast_tiles for terrain in drawn) / 20_000
    share = count_terrain(OPTIMAL.replace(desert="coast")) / count_terrain(OPTIMAL)
    assert abs(on_the_coast - share) < 5 * (share * (1 - share) / 20_000) ** 0.5


def test_the_same_seed_draws_the_same():
    once = sample_terrain(20, OPTIMAL, seed=9)
    assert once == sample_terrain(20, OPTIMAL, seed=9)
    assert once != sample_terrain(20, OPTIMAL, seed=10)
    assert sample_terrain(20, OPTIMAL) != sample_terrain(20, OPTIMAL)
    assert sample_terrain(0, OPTIMAL) == []


def test_what_can_be_counted_in_seconds():
    assert all(is_countable(rules) for rules in ("blog", "optimal", "tournament", "official", "open"))
    assert is_countable("optimal", "new-shores-4")
    assert is_countable(Rules(terrain_cluster_max=1), "base-5-6")
    assert not is_countable("tournament", "barbarian-attack")  # clusters over groups of tiles
    assert not is_countable("tournament", "seafarers-6")


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True, None])
def test_bad_numbers_are_named(bad):
    with pytest.raises(InvalidArgument, match="n is a whole number"):
        sample_terrain(bad, "open")
    if bad not in (None, -1):  # as a seed, -1 is as good as any
        with pytest.raises(InvalidArgument, match="seed is a whole number"):
            sample_terrain(1, "open", seed=bad)


def test_refusals():
    with pytest.raises(Infeasible, match="base-5-6"):
        sample_terrain(1, "optimal", "base-5-6")
    with pytest.raises(InvalidRules, match="printed frame"):
        is_countable(Rules(harbors="shuffled"), "seafarers-6")


@pytest.mark.slow
def test_what_has_too_many_states_is_not_drawn():
    with pytest.raises(CatanError, match="states to count"):
        sample_terrain(1, "optimal", "seafarers-10")
