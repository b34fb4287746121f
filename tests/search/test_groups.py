"""Groups of tiles, fixed pieces and harbors that move: messages, repairs, and boards of boxes.

`tests/agreement` compares lists, counts and repairs with brute force.
"""

from dataclasses import replace
from math import factorial, prod

import pytest

import catan_cp as cp
from catan_cp import Board, Harbor, Layout, Rules

SHUFFLED = Rules(harbors="shuffled")
ISLE = Layout("isle", (1, 2), {"ore": 2, "sea": 1}, {4: 2})
FIRST, SECOND = ISLE.coast_edges[0], ISLE.coast_edges[3]  # tile 0 is behind the first one
DRY = Board.from_notation("o4/so4", ISLE)
WET = Board.from_notation("s/o4o4", ISLE)


def isle(*harbors, **options):
    return Layout("isle", (1, 2), {"ore": 2, "sea": 1}, {4: 2}, printed_harbors=harbors, **options)


@pytest.mark.parametrize("name", ["caravans", "rivers-of-catan"])
def test_boards_of_boxes_counted(name):
    """Without rules, each terrain occurs with each deal of the tokens of each group, and the fish."""
    layout = cp.LAYOUTS[name]
    fish = [ground.marker for ground in layout.fishing_grounds]
    assert len(set(fish)) == len(fish)
    ways = prod(
        factorial(sum(pool.pieces.values())) // prod(map(factorial, pool.pieces.values()))
        for pool in layout.marker_pools
    )
    assert cp.count_boards("open", name) == cp.count_terrains("open", name) * ways * factorial(len(fish))
    for board in cp.sample_boards(3, "tournament", name, seed=1):
        assert cp.Rules.preset("tournament").check(board) == []
        assert cp.unrank_board(cp.rank_board(board, "tournament"), "tournament", name) == board


@pytest.mark.parametrize(
    ("count", "rules", "layout", "message"),
    [
        (cp.count_boards, "open", "four-islands-3", "tie markers to terrain"),
        (cp.count_boards, "optimal", "new-shores-3", "tie markers to terrain"),
        (cp.count_terrains, "tournament", "barbarian-attack", "clusters over the groups of tiles of 'barb"),
        (
            cp.count_boards,
            SHUFFLED,
            isle(Harbor(FIRST, "3:1"), fixed_harbors={FIRST}),
            "fixed or movable harbors of 'isle'",
        ),
    ],
)
def test_uncounted_rules_named(count, rules, layout, message):
    assert cp.is_countable("open", "caravans")
    with pytest.raises(cp.CatanError, match=message):
        count(rules, layout)


def test_groups_of_terrain_checked():
    groups = Layout(
        *("groups", (3,), {"ore": 1, "wool": 1, "brick": 1}, {6: 3}),
        terrain_group=(1, 1, 0),
        group_terrain={1: {"ore": 1, "wool": 1}},
    )
    texts = map(str, Rules().check(Board.from_notation("obw", groups)))
    assert any("group 1 does not have its own terrains" in text for text in texts)


def test_misplaced_harbors_named():
    layout = isle(Harbor(FIRST, "3:1"), movable_harbors={FIRST})
    rules = SHUFFLED.replace(constraints=["harbor[1] = harbor[1]"])
    (violation,) = rules.check(Board(layout, WET.terrain, None, layout.printed_harbors))
    assert "a harbor faces no land" in str(violation)
    two = Board(layout, WET.terrain, None, tuple(Harbor(e, "3:1") for e in (SECOND, ISLE.coast_edges[6])))
    assert any("the trades are not those" in str(violation) for violation in SHUFFLED.check(two))


@pytest.mark.solver
def test_repair_removes_landless_harbor():
    layout = isle(Harbor(FIRST, "3:1"))
    dry = Board(layout, DRY.terrain, DRY.markers, layout.printed_harbors)
    pattern = WET.pattern("terrain")
    assert cp.repair_board(dry, Rules(pattern=pattern)).board.harbors == ()
    kept = cp.repair_board(dry, Rules(harbors="printed", pattern=pattern)).board
    assert kept.terrain == WET.terrain and kept.harbors == dry.harbors
    unchanged = cp.repair_board(kept, Rules())  # nothing changed, so nothing is removed
    assert unchanged == cp.BestBoard(kept, 0, 0, True)


@pytest.mark.solver
def test_repair_keeps_most_harbors():
    """Random problems rarely have nearest boards that lose different numbers of harbors."""
    layout = Layout("wet", (2, 3, 2), {"sea": 2, "ore": 5}, {4: 5})
    bare = Board.from_notation("o4o4/sso4/o4o4", layout)
    edges = [next(e for e in layout.coast_edges if layout.edge_tiles[e] == (t,)) for t in (0, 1, 5, 6)]
    board = replace(bare, harbors=tuple(Harbor(edge, "3:1") for edge in edges))
    rules = Rules(constraints=["terrain[3] != SEA"])
    with cp.enumerate_boards(rules, layout) as boards:
        costs = {
            (
                sum(a != b for a, b in zip(board.terrain, other.terrain, strict=True)),
                sum(not layout.is_on_coast(harbor.vertices, other.terrain) for harbor in board.harbors),
            )
            for other in boards
        }
    near = cp.repair_board(board, rules)
    assert (near.value, len(board.harbors) - len(near.board.harbors)) == min(costs)
    assert len({losses for changed, losses in costs if changed == near.value}) > 1


NEXT = next(edge for edge in ISLE.coast_edges if not {*edge} & {*FIRST} and any(
    w in edge for v in FIRST for w in ISLE.vertex_neighbors[v]))  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "layout", "message"),
    [
        ({"harbors_apart": True}, "base", "needs harbors="),
        ({"harbor_on_every_island": True}, "base", "harbor_on_every_island needs harbors="),
        (
            {"harbors": "printed", "harbor_on_every_island": True},
            "new-world",
            "'new-world' lays none as printed",
        ),
        (
            {"harbors": "printed", "harbors_apart": True},
            isle(Harbor(FIRST, "3:1"), Harbor(NEXT, "ore")),
            "has harbors side by side",
        ),
    ],
)
def test_impossible_harbor_rules_rejected(fields, layout, message):
    with pytest.raises(cp.InvalidRules, match=message):
        cp.generate_board(Rules(**fields), layout, seed=1)


@pytest.mark.solver
def test_harbors_of_new_world_move():
    rules = SHUFFLED.replace(
        **dict.fromkeys(("harbors_apart", "harbor_own_terrain_apart", "harbor_on_every_island"), True),
        islands_min=2,
        islands_max=4,
    )
    boards = [cp.generate_board(rules, "new-world", seed=seed) for seed in (1, 2)]
    printed = sorted(harbor.trade for harbor in cp.LAYOUTS["new-world"].printed_harbors)
    for board in boards:
        assert rules.check(board) == []
        assert sorted(harbor.trade for harbor in board.harbors) == printed
    assert boards[0].harbors != boards[1].harbors
