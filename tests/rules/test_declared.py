"""A missing part of a declaration makes counts slower, never wrong."""

import inspect
from dataclasses import fields, replace
from pathlib import Path
from runpy import run_path
from types import MappingProxyType

import pytest

import catan_cp as cp
from catan_cp.counting.budget import forget
from catan_cp.counting.counts import explain_count
from catan_cp.problem.problem import _compiled
from catan_cp.rules import rules as table
from catan_cp.rules.rule import SWITCH, Rule, View

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


@pytest.mark.parametrize(
    ("field", "value"), [("desert", "coast"), ("gold_inland", True), ("terrain_cluster_max", 1)]
)
def test_unrestricted_terrain_rule_counted_by_list(uncounted, field, value):
    """Slower, but never wrong: samples and the quick answers still need the restrictions."""
    rules = cp.Rules(**{field: value})
    exact = [count(rules, SMALL) for count in (cp.count_terrains, cp.count_boards)]
    assert cp.is_countable(rules, SMALL)
    assert 0 < exact[0] < cp.count_terrains("open", SMALL)
    uncounted(field)
    assert not cp.is_countable(rules, SMALL)
    assert field in explain_count("terrain", rules, SMALL)
    assert [count(rules, SMALL) for count in (cp.count_terrains, cp.count_boards)] == exact
    assert cp.is_countable("open")
    with pytest.raises(cp.CatanError, match=f"only a solver knows {field}"):
        cp.sample_terrains(1, rules)


def test_unrestricted_marker_rule_counted_by_list(uncounted):
    rules = cp.Rules(vertex_pips_max=7)
    exact = cp.count_boards(rules, SMALL)
    assert cp.Problem.of(rules).markers is not None
    uncounted("vertex_pips_max")
    assert cp.Problem.of(rules).markers is None
    assert cp.Problem.of(rules).beyond("boards") == ("vertex_pips_max, which no table states",)
    assert cp.count_boards(rules, SMALL) == exact > 0


def test_rule_needs_restrictions_or_checker():
    with pytest.raises(TypeError, match="the rule shy must have restrictions or a checker"):
        Rule(field="shy", kind=SWITCH, about=("terrain",), asks="nothing", says=lambda _: [])
    for rule in table.RULES.values():
        with pytest.raises(TypeError, match=f"the rule {rule.field} must have restrictions or a checker"):
            replace(rule, about=("terrain",), restrict=None, violations=None)


@pytest.mark.parametrize("field", table.RULES)
def test_rule_gets_only_declared_fields(field):
    rule, rules = table.RULES[field], cp.Rules.preset("tournament")
    fields = rule.needed_values(rules)
    assert fields == {name: getattr(rules, name) for name in rule.needs}
    assert {*rule.needs} <= table.RULES.keys() - {field}
    if not rule.needs:
        return
    functions = [function for function in (rule.violations, rule.restrict) if function is not None]
    board = cp.Board.from_notation(cp.LAYOUTS["base"].beginner_board)
    value = rule.kind.options[-1][1] if rule.kind.options else True
    missing = set()
    for function in functions:
        try:
            list(function(value, {}, board if function is rule.violations else board.layout))
        except KeyError as error:
            missing.add(error.args[0])
    assert missing <= set(rule.needs)
    assert missing or field.startswith("harbor"), "nothing reads what it declares to need"


def test_number_for_every_terrain_with_markers():
    """Also where a layout calls such a terrain by the word for every terrain."""
    layout = cp.Layout("x", (1, 2), {"ore": 2, "every": 1}, {6: 2}, further_terrains={"every": "e"})
    data = table.RULES["terrain_pips_min"].data["markers"]((("every", 3),), {}, View(layout, layout.terrains))
    bounds = dict(zip(layout.all_terrains, data["terrain_pips_min"], strict=True))
    assert {name: least for name, least in bounds.items() if least} == {"ore": 3}


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


def test_docstring_lists_all_fields():
    lines = inspect.getdoc(cp.Rules).splitlines()
    arguments = lines[lines.index("Args:") : lines.index("Raises:")]
    names = [line.partition(":")[0].strip() for line in arguments[1:] if line.startswith("    ")]
    assert sorted(names) == sorted(field.name for field in fields(cp.Rules))
    assert lines[lines.index("Raises:") + 1].startswith("    InvalidRules: ")
