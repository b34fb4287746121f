"""Every rule by its field, and what follows from the declarations alone: which are set, and their data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from catan_cp.rules import harbor_rules, marker_rules, terrain_rules
from catan_cp.rules.rule import Rule, View

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        value.field: value
        for module in (terrain_rules, marker_rules, harbor_rules)
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
)
"""The rules by field, in the order in which they are declared. Read-only."""


def set_rules(rules: object, about: str | None = None) -> Iterator[tuple[Rule, Any]]:
    """Yield each rule that *rules* set, with its value; only those about *about* where it is given."""
    for rule in RULES.values():
        if rule.is_set(rules) and (about is None or about in rule.about):
            yield rule, getattr(rules, rule.field)


def model_parameters(model: str, rules: object, view: View) -> dict[str, Any]:
    """Return the parameters of *model* that *rules* give."""
    found: dict[str, Any] = {}
    for rule in RULES.values():
        if model in rule.data:
            found |= rule.data[model](getattr(rules, rule.field), rule.given(rules), view)
    return found
