"""Repeated deals under custom rules."""

import re
from itertools import islice

import pytest

import catan_cp as cp
from catan_cp.rules.rules import PRESETS
from catan_cp.search.generate import explain_method


def test_dealt_custom_rules(no_processes):
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
