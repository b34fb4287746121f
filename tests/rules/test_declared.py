"""A missing part of a declaration makes counts slower, never wrong."""

from dataclasses import replace
from pathlib import Path
from runpy import run_path
from types import MappingProxyType

import pytest

import catan_cp as cp

# A fixture replaces a declaration in the inner table, so that what was compiled from it must be forgotten.
from catan_cp.counting.budget import forget
from catan_cp.problem.problem import _compiled
from catan_cp.rules import rules as table

SMALL = cp.Layout(
    "small", (2, 3, 2), {"lumber": 2, "ore": 2, "wool": 1, "gold": 1, "desert": 1}, {3: 4, 4: 2}
)


@pytest.fixture
def uncounted(monkeypatch):
    """Replace a rule's restrictions by a checker, as if its author could not state them."""
    forget()

    def take(field):
        rule = table.RULES[field]

        def violations(value, needs, board):
            for restriction in rule.restrictions(value, needs, board.layout):
                yield from restriction.breaches(board)

        rules = {**table.RULES, field: replace(rule, restrict=None, violations=violations)}
        monkeypatch.setattr(table, "RULES", MappingProxyType(rules))
        _compiled.cache_clear()

    yield take
    forget()
    _compiled.cache_clear()


def test_unrestricted_terrain_rule_counted_by_list(uncounted):
    """Samples and the quick answers still need the restrictions."""
    rules = cp.Rules(terrain_cluster_max=1)
    exact = [count(rules, SMALL) for count in (cp.count_terrains, cp.count_boards)]
    assert cp.is_countable(rules, SMALL)
    assert 0 < exact[0] < cp.count_terrains("open", SMALL)
    uncounted("terrain_cluster_max")
    assert not cp.is_countable(rules, SMALL)
    assert [count(rules, SMALL) for count in (cp.count_terrains, cp.count_boards)] == exact
    assert cp.is_countable("open")
    with pytest.raises(cp.CatanError, match="only a solver knows terrain_cluster_max"):
        cp.sample_terrains(1, rules)


def test_unrestricted_marker_rule_counted_by_list(uncounted):
    rules = cp.Rules(vertex_pips_max=7)
    exact = cp.count_boards(rules, SMALL)
    assert cp.Problem.of(rules).markers is not None
    uncounted("vertex_pips_max")
    assert cp.Problem.of(rules).markers is None
    assert cp.Problem.of(rules).beyond("boards") == ("vertex_pips_max, which no table states",)
    assert cp.count_boards(rules, SMALL) == exact > 0


@pytest.mark.parametrize("field", table.RULES)
def test_rule_needs_restrictions_or_checker(field):
    with pytest.raises(TypeError, match=f"the rule {field} must have restrictions or a checker"):
        replace(table.RULES[field], about=("terrain",), restrict=None, violations=None)


def test_template_is_rule_whose_readings_agree():
    wool_inland = run_path(str(Path(__file__).parents[2] / "docs" / "templates" / "rule.py"))["WOOL_INLAND"]
    layout = cp.LAYOUTS["base"]
    (barred,) = wool_inland.restrictions(True, {}, layout)
    broken = 0
    for terrain in cp.sample_terrains(40, "open", layout, seed=1):
        board = cp.Board(layout, terrain)
        by_count = {tile for tile, name in barred.places if board.terrain[tile] == name}
        by_checker = {tile for breach in wool_inland.breaches(True, {}, board) for tile in breach.tiles}
        assert by_checker == by_count
        broken += bool(by_count)
    assert broken > 20
    assert wool_inland.field not in table.RULES
    assert wool_inland.kind.read("wool_inland", True) is True
