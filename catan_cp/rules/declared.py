"""Every rule, by its field: what the modules of rules declare, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import Layout
from catan_cp.rules import harbor_rules, island_rules, marker_rules, terrain_rules
from catan_cp.rules.restrictions import Restriction
from catan_cp.rules.rule import Rule, View

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        value.field: value
        for module in (terrain_rules, island_rules, marker_rules, harbor_rules)
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
)
"""The rules by field, in the order in which they are declared. Read-only."""


def set_rules(rules: Rules, about: str | None = None) -> Iterator[tuple[Rule, Any]]:
    """Yield each rule that is set, with its value; only those about *about* where it is given."""
    for rule in RULES.values():
        if rule.is_set(rules) and (about is None or about in rule.about):
            yield rule, getattr(rules, rule.field)


def only(rules: Rules, fields: tuple[str, ...]) -> Rules:
    """Return the rules with these fields alone, and those that say what they mean."""
    kept = {*fields, *(needed for field in fields for needed in RULES[field].needs)}
    return type(rules)(**{field: getattr(rules, field) for field in RULES if field in kept})


def about(rules: Rules, subject: str) -> Rules:
    """Return only the rules about *subject*: ``"terrain"``, ``"markers"`` or ``"harbors"``."""
    return only(rules, tuple(rule.field for rule, _ in set_rules(rules, subject)))


def sees_terrain(rule: Rule) -> bool:
    """Whether what the rule allows depends on which terrain the numbered tiles are."""
    return rule.sees in ("alike", "all")


def terrain_matters(rules: Rules) -> bool:
    """Return whether the markers that *rules* allow depend on which of the numbered terrains a tile is."""
    return any(sees_terrain(rule) for rule, _ in set_rules(rules, "markers"))


def restrictions(rules: Rules, layout: Layout, subject: str) -> list[Restriction] | None:
    """Return what exact counts have to keep of the rules about *subject*; None where they cannot."""
    found: list[Restriction] = []
    for rule, value in set_rules(rules, subject):
        if rule.counts is None:
            return None
        found += rule.counts(value, rules, layout)
    return found


def model_parameters(model: str, rules: Rules, view: View) -> dict[str, Any]:
    """Return the parameters of *model* that the rules give."""
    found: dict[str, Any] = {}
    for rule in RULES.values():
        if model in rule.data:
            found |= rule.data[model](getattr(rules, rule.field), rules, view)
    return found
