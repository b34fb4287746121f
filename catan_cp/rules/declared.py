"""Rules taken apart: by what they are about, by the model that keeps them, and as exact counts take them."""

from __future__ import annotations

from catan_cp.boards.layout import Layout
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.pattern import PATTERN, only_about, pattern_restrictions
from catan_cp.rules.registry import RULES, set_rules
from catan_cp.rules.restrictions import Restriction
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import Rules
from catan_cp.solving.models import edited

Part = str | Constraint
"""What can be left out of rules: a field, or one of their constraints."""


def parts_of(rules: Rules, subject: str | None = None) -> tuple[Part, ...]:
    """Return the fields that are set and the constraints; only those about *subject* where it is given.

    A pattern is about terrain and markers. A constraint is about *subject* where it is about nothing else.
    """
    fields: list[Part] = [rule.field for rule, _ in set_rules(rules, subject)]
    if rules.pattern is not None and subject != "harbors":
        fields.append(PATTERN)
    return (
        *fields,
        *(each for each in rules.constraints if subject is None or rules.about(each) == (subject,)),
    )


def only(rules: Rules, parts: tuple[Part, ...]) -> Rules:
    """Return the rules with these parts alone, those that say what they mean, and the same models."""
    fields = [part for part in parts if isinstance(part, str) and part != PATTERN]
    kept = {*fields, *(needed for field in fields for needed in RULES[field].needs)}
    return type(rules)(
        **{field: getattr(rules, field) for field in RULES if field in kept},
        pattern=rules.pattern if PATTERN in parts else None,
        constraints=tuple(each for each in rules.constraints if each in parts),
        models=rules.models,
    )


def about(rules: Rules, subject: str) -> Rules:
    """Return only the rules about *subject*: ``"terrain"``, ``"markers"`` or ``"harbors"``."""
    found = only(rules, parts_of(rules, subject))
    if found.pattern is None or subject == "harbors":
        return found
    return found.replace(pattern=only_about(found.pattern, subject))


_FILES = {
    "terrain": {"layout", "board", "solve_terrain"},
    "markers": {"layout", "markers", "solve_markers"},
    "harbors": {"layout", "harbors", "solve_harbors"},
    "boards": {"layout", "board", "markers", "harbors", "joint"},
}


def constraints_for(rules: Rules, model: str) -> tuple[Constraint, ...]:
    """Return the constraints that a model takes: what they are about is decided or known there.

    Args:
        rules: the rules.
        model: ``"terrain"``; ``"markers"`` or ``"harbors"``, on a terrain that is known; or ``"boards"``.
    """
    if model == "boards":
        return rules.constraints
    known = {model, "terrain"}
    about_it = ((each, rules.about(each)) for each in rules.constraints)
    return tuple(each for each, subjects in about_it if model in subjects and set(subjects) <= known)


def is_edited(rules: Rules, model: str) -> bool:
    """Whether a model's text is not the one shipped."""
    return bool(_FILES[model] & edited(rules.models))


def has_own_text(rules: Rules, model: str) -> bool:
    """Whether a model has text of a user's own: constraints, or edits. Then only a solver can answer."""
    return bool(constraints_for(rules, model)) or is_edited(rules, model)


def joins(rules: Rules) -> bool:
    """Whether a constraint or an edit asks for terrain, markers and harbors to be decided together."""
    subjects = [rules.about(each) for each in rules.constraints]
    together = any(len(each) > 1 or "harbors" in each for each in subjects)
    changed = edited(rules.models) & {"joint", "harbors"} if rules.harbors != "shuffled" else frozenset()
    return bool(together or changed or "joint" in edited(rules.models))


def sees_terrain(rule: Rule) -> bool:
    """Whether what the rule allows depends on which terrain the numbered tiles are."""
    return rule.sees in ("alike", "all")


def terrain_matters(rules: Rules) -> bool:
    """Return whether the markers that *rules* allow depend on which of the numbered terrains a tile is."""
    return has_own_text(rules, "markers") or any(
        sees_terrain(rule) for rule, _ in set_rules(rules, "markers")
    )


def restrictions(rules: Rules, layout: Layout, subject: str) -> list[Restriction] | None:
    """Return what exact counts have to keep of the rules about *subject*; None where they cannot."""
    if has_own_text(rules, subject):
        return None
    found = pattern_restrictions(rules.pattern, layout, subject) if rules.pattern is not None else []
    for rule, value in set_rules(rules, subject):
        if rule.counts is None:
            return None
        found += rule.counts(value, rule.given(rules), layout)
    return found
