"""Repeated deals: every allowed board of a small layout is equally frequent, and no other."""

import re
from itertools import islice

import pytest

import catan_cp as cp
from catan_cp.rules.rules import PRESETS
from catan_cp.search.generate import explain_method
from tests.small_boards import equally_often

SMALL = cp.Layout("small", (2, 3), {"grain": 2, "wool": 2, "desert": 1}, {6: 1, 8: 1, 4: 2})
CLUSTERED = cp.Layout("clustered", (2, 3), {"grain": 3, "ore": 1, "desert": 1}, {6: 1, 8: 1, 4: 2})
ISLANDS = cp.Layout("islands", (2, 3), {"grain": 2, "wool": 1, "sea": 2}, {6: 2, 3: 1})


@pytest.mark.parametrize("layout", [SMALL, CLUSTERED, ISLANDS], ids=lambda layout: layout.name)
@pytest.mark.parametrize(
    "fields",
    [
        {"reds_apart": True},
        {"equal_markers_apart": True, "two_twelve_apart": True},
        {"terrain_cluster_max": 2},
        {"terrain_cluster_max": 2, "reds_apart": True},
        {"terrain_cluster_max": 1, "adjacency": "block"},
        {"apart": [("grain", "wool")], "equal_markers_apart": True},
    ],
    ids=lambda fields: "+".join(fields),
)
def test_all_boards_come_equally_often(layout, fields, no_processes):
    """Compared with complete listings by rank.

    Terrain and markers both depend on the desert's place.
    """
    rules = cp.Rules(**fields)
    all_boards = [cp.unrank_board(k, rules, layout) for k in range(cp.count_boards(rules, layout))]
    if not all_boards:
        with pytest.raises(cp.InvalidArgument, match="method='deal' does not support"):
            cp.generate_board(rules, layout, method="deal")
        return
    assert equally_often(
        cp.generate_boards(30 * len(all_boards), rules, layout, seed=4, method="deal"), all_boards
    )


def test_dealt_custom_rules():
    rules = cp.Rules(reds_apart=True, equal_markers_apart=True, terrain_cluster_max=2, harbors="shuffled")
    assert "by repeated deals (deal, uniform)" in explain_method(rules)
    first, *more = cp.generate_boards(300, rules, seed=3)
    assert cp.generate_board(rules, seed=3) == first
    assert [first, *more[:40]] == list(islice(cp.generate_boards(10**9, rules, seed=3), 41))
    assert not any(rules.check(board) for board in (first, *more))
    assert len({board.harbors for board in more}) > 200
    for preset in PRESETS:
        assert not re.search("repeated deals", explain_method(preset))
        with pytest.raises(cp.InvalidArgument, match="does not support"):
            cp.generate_board(preset, method="deal")


@pytest.mark.parametrize(
    ("fields", "layout"),
    [
        ({"terrain_cluster_max": 3}, "base"),
        ({"reds_apart": True, "vertex_pips_max": 12}, "base"),
        ({"desert": "centre"}, "base"),
        ({"reds_apart": True}, "seafarers-8"),
        ({"apart": [("desert", "ore")]}, "base"),
        ({"reds_apart": True, "equal_markers_apart": True, "terrain_cluster_max": 1}, "base-5-6"),
    ],
)
def test_undealt_rules_and_layouts(fields, layout):
    assert "repeated deals" not in explain_method(cp.Rules(**fields), layout)
    with pytest.raises(cp.InvalidArgument, match="does not support"):
        cp.generate_board(cp.Rules(**fields), layout, method="deal")
