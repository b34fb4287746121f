"""Which boards are allowed: `Rules`, reading them from TOML files, and taking them apart.

Every field is a rule, declared in one of the modules ``*_rules``; its default restricts nothing, so fields
combine freely. `RULES` is the table of all declarations. The functions behind the class take rules apart: by
what they are about, by the model that keeps them, and as exact counts take them.

>>> Rules.preset("tournament").replace(reds_per_terrain_max=2).vertex_pips_max
12
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.errors import InvalidRules, check_path, did_you_mean, listed, show, show_path
from catan_cp.files import from_home, parse_toml, read_small
from catan_cp.model_files import declared_names, edited, models_dir
from catan_cp.rules import marker_rules, terrain_rules
from catan_cp.rules.constraint import Constraint, read_constraints, terrain_words
from catan_cp.rules.patterns import (
    PATTERN,
    check_terrain,
    only_about,
    pattern_on,
    pattern_restrictions,
    read_pattern,
)
from catan_cp.rules.requirements import layout_restrictions
from catan_cp.rules.rule import Restriction, Rule, TerrainNumbers, TerrainPairs, Violation, rules_in

RULES: Mapping[str, Rule] = rules_in(terrain_rules, marker_rules)
"""The rules by field, in the order in which they are declared. Read-only."""

_MAX_FILE = 8192  # a file of all fields has 1 kB


def set_rules(rules: Rules, about: str | None = None) -> Iterator[tuple[Rule, Any]]:
    """Yield each rule that *rules* set, with its value; only those about *about* where it is given."""
    for rule in RULES.values():
        if rule.is_set(rules) and (about is None or about in rule.about):
            yield rule, getattr(rules, rule.field)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a board must satisfy. All fields can be combined; each default restricts nothing.

    Raises:
        InvalidRules: a value of the wrong type or range, or rules that contradict each other.
    """

    # Written by docs/tools/rules.py from the declarations, for type checkers and readers.
    adjacency: str = "hex"
    terrain_cluster_max: int | None = None
    apart: TerrainPairs = ()
    symmetry: str = "all"
    desert: str = "any"
    gold_inland: bool = False
    islands_min: int | None = None
    islands_max: int | None = None
    island_size_min: int | None = None
    main_island_complete: bool = False
    reds_apart: bool = False
    equal_markers_apart: bool = False
    two_twelve_apart: bool = False
    markers_distinct_per_terrain: bool = False
    reds_per_terrain_max: int | None = None
    terrain_markers_max: TerrainNumbers = ()
    vertex_sum_below: int | None = None
    vertex_pips_min: int | None = None
    vertex_pips_max: int | None = None
    terrain_pips_min: TerrainNumbers = ()
    terrain_pips_max: TerrainNumbers = ()
    marker_order: str = "free"
    harbors: str = "none"
    harbor_own_terrain_apart: bool = False
    harbors_apart: bool = False
    harbor_on_every_island: bool = False
    # What is open: no rule of ours, but a user's own.
    pattern: str | None = None
    constraints: tuple[Constraint, ...] = ()
    models: str | None = None

    def __new__(cls, /, *given: Any, **values: Any) -> Rules:
        """Refuse unknown fields, and presets, with the library's own error."""
        if given:
            raise InvalidRules(
                f"Rules takes its fields by keyword, like Rules(reds_apart=True), not {show(given[0])}; "
                "Rules.preset('tournament') returns a preset, and Rules.from_mapping reads a mapping"
            )
        _check_names(values)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for rule in RULES.values():
            value = rule.kind.read(rule.field, getattr(self, rule.field))
            object.__setattr__(self, rule.field, value)
        object.__setattr__(self, "pattern", read_pattern(self.pattern))
        object.__setattr__(self, "models", _read_folder(self.models))
        object.__setattr__(self, "constraints", read_constraints(self.constraints))
        for constraint in self.constraints:
            constraint.check_names(declared_names(self.models))
            if self.harbors == "none" and "harbors" in self.about(constraint):
                raise InvalidRules(
                    f"the constraint {constraint} is about harbors, and harbors='none' lays none"
                )
        self._refuse(None)

    def _refuse(self, layout: Layout | None) -> None:
        for rule, value in set_rules(self):
            for objection in rule.objections(value, vars(self), layout):
                raise InvalidRules(objection)

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the rules of that name: blog, optimal, tournament, official or open.

        Raises:
            InvalidRules: no preset has that name.
        """
        if not isinstance(name, str) or name not in PRESETS:
            meant = did_you_mean(name, PRESETS)
            raise InvalidRules(f"unknown rules {show(name)}; {meant}presets are {listed(PRESETS)}")
        return PRESETS[name]

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules with these fields; the key ``preset`` names the rules to start from.

        Mappings come from files, links and stores, so constraints in them have a default time limit.

        Raises:
            InvalidRules: an unknown key or a value that does not fit.
        """
        if not isinstance(values, Mapping):
            raise InvalidRules(f"rules are a mapping of fields to values, not {show(values)}")
        given = dict(values)
        start = cls.preset(given.pop("preset", "open"))
        _check_names(given, "preset")
        if "constraints" in given:
            constraints = read_constraints(given["constraints"])
            given["constraints"] = [dataclasses.replace(each, is_external=True) for each in constraints]
        return start.replace(**given)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Rules:
        """Read rules from a TOML file of fields, e.g. ``preset = "optimal"`` and ``vertex_sum_below = 24``.

        Raises:
            InvalidRules: no such file, not TOML, an unknown key, or a value that does not fit.
        """
        where = show_path(path)
        text = read_small(path, _MAX_FILE, "rules file", InvalidRules)
        try:
            values = parse_toml(text)
        except ValueError as error:
            raise InvalidRules(f"rules file {where} is not TOML: {error}") from None
        if "models" in values:  # the file may be a stranger's, and a folder of models is read by MiniZinc
            raise InvalidRules(f"rules file {where} names models, which only Rules(models=) or --models may")
        if "constraint" in values:
            values["constraints"] = values.pop("constraint")
        try:
            return cls.from_mapping(values)
        except InvalidRules as error:
            raise InvalidRules(f"rules file {where}: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, as `from_mapping`, JSON and TOML take them."""
        found = {rule.field: rule.kind.plain(value) for rule, value in set_rules(self)}
        found |= {
            name: getattr(self, name) for name in ("pattern", "models") if getattr(self, name) is not None
        }
        if self.constraints:
            found["constraints"] = [
                {"text": each.text} | ({"says": each.says} if each.says else {}) for each in self.constraints
            ]
        return found

    def to_toml(self) -> str:
        """Return the rules as the text of a file that `from_toml` reads.

        Raises:
            InvalidRules: they name a folder of models, which no such file may.
        """
        if self.models is not None:
            raise InvalidRules(f"a rules file names no models, and these rules have {show_path(self.models)}")
        values = self.to_mapping()
        tables = values.pop("constraints", [])
        lines = [f"{name} = {_toml(value)}\n" for name, value in values.items()]
        for table in tables:
            lines += ["\n[[constraint]]\n", *(f"{name} = {_toml(value)}\n" for name, value in table.items())]
        return "".join(lines)

    def replace(self, /, **changes: Any) -> Rules:
        """Return these rules with some fields changed.

        Raises:
            InvalidRules: an unknown field or a value that does not fit.
        """
        return dataclasses.replace(self, **changes)

    def explain(self) -> list[str]:
        """Return the rules as plain English sentences, one a rule that is set."""
        found = list(set_rules(self))
        needed = {field for rule, _ in found for field in rule.needs}
        said = [
            sentence
            for rule, value in found
            if rule.about or rule.field in needed  # what touching means is said where a rule speaks of it
            for sentence in rule.says(value)
        ]
        if self.pattern is not None:
            said.append(f"The board completes the pattern {self.pattern}.")
        said += [each.says or f"MiniZinc: {each}" for each in self.constraints]
        if self.models is not None:
            said.append(f"The models are those in {self.models}.")
        return said or ["Everything is allowed."]

    def about(self, constraint: Constraint) -> tuple[str, ...]:
        """Return what one of the constraints is about: any of terrain, markers, harbors and grounds."""
        return constraint.about(declared_names(self.models))

    def check(self, board: Board) -> list[Violation]:
        """Return every rule that *board* breaks, with the tiles or vertices that break it.

        The board's pieces are checked against the layout's box too. An empty list: the board is allowed.
        Constraints, and edited models, are decided by the solver, with the board as it stands.
        """
        from catan_cp import find_violations

        return find_violations(self, board)

    def check_layout(self, layout: Layout) -> None:
        """Refuse rules that ask of *layout* what it has not.

        Raises:
            InvalidRules: say, a spiral where the layout has no fixed order, pips of a terrain that its box
                lacks, or a constraint about a terrain of another layout.
        """
        self._refuse(layout)
        if self.pattern is not None:
            pattern_on(self.pattern, layout)
        for constraint in self.constraints:
            constraint.check_names(declared_names(self.models), terrain_words(layout.terrain_codes))


def find_rules(rules: str | Rules | Mapping[str, Any]) -> Rules:
    """Return the preset of that name, the rules with those fields, or *rules* itself.

    Raises:
        InvalidRules: no preset has that name, or the mapping makes no rules.
    """
    if isinstance(rules, Mapping):
        return Rules.from_mapping(rules)
    return rules if isinstance(rules, Rules) else Rules.preset(rules)


def read_asked(
    rules: str | Rules, layout: str | Layout, terrain: Sequence[str] | None = None
) -> tuple[Rules, Layout]:
    """Return the rules and the layout that are asked for, which go together (`Rules.check_layout`).

    Raises:
        InvalidRules, InvalidBoard: invalid rules or layout, or a *terrain* that contradicts the pattern.
    """
    where, read = find_layout(layout), find_rules(rules)
    read.check_layout(where)
    if terrain is not None and read.pattern is not None:
        check_terrain(read.pattern, terrain, where)
    return read, where


def _check_names(given: Mapping[Any, object], *more: str) -> None:
    known = [*(field.name for field in dataclasses.fields(Rules)), *more]
    for name in given:
        if name not in known:
            meant = did_you_mean(name, known)
            raise InvalidRules(f"unknown field {show(name)}; {meant}rules have {listed(known)}")


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _read_folder(value: object) -> str | None:
    """Return the path of a folder of models, once it is whole."""
    if value is None:
        return None
    folder = check_path("models is the path of a folder", value, InvalidRules)
    return str(models_dir(str(from_home(folder).resolve())))


_BLOG = Rules(
    adjacency="block",
    terrain_cluster_max=1,
    apart=(("brick", "lumber"),),
    symmetry="corners",
    reds_apart=True,
    equal_markers_apart=True,
    markers_distinct_per_terrain=True,
    reds_per_terrain_max=1,
    vertex_sum_below=23,
)

PRESETS: Mapping[str, Rules] = MappingProxyType(
    {
        "blog": _BLOG,
        "optimal": _BLOG.replace(adjacency="hex", symmetry="all", harbors="printed"),
        "tournament": Rules(reds_apart=True, vertex_pips_max=12, terrain_cluster_max=2, harbors="printed"),
        "official": Rules(marker_order="spiral", harbors="printed"),
        "open": Rules(),
    }
)
"""The presets: ``blog`` as the post "Optimal Catan" states it, ``optimal`` the same rules on true hexagons,
``tournament``, ``official`` (markers along the spiral) and ``open`` (everything is allowed). Those for the
table, ``optimal``, ``tournament`` and ``official``, lay the printed harbors."""

OPEN_FIELDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pattern": ("a board's notation with x for an open tile", "tiles and markers that are given"),
        "constraints": (
            "tables [[constraint]] with text and says",
            "each `Constraint`, in MiniZinc text",
        ),
        "models": ("a folder", "an edited copy of the models (`catan_cp.copy_models`)"),
    }
)
"""The fields of `Rules` that are no rule of ours: the values of each in a file, and what it is."""

if Rules.__doc__ is not None:  # python -OO leaves no docstrings
    _before, _, _after = inspect.cleandoc(Rules.__doc__).partition(
        "Raises:"
    )  # Python 3.13 has no indentation
    _fields = "".join(f"    {rule.field}: {rule.asks}.\n" for rule in RULES.values())
    _fields += "".join(f"    {name}: {asks}: {values}.\n" for name, (values, asks) in OPEN_FIELDS.items())
    Rules.__doc__ = f"{_before}Args:\n{_fields}\nRaises:{_after}"


# ---- Rules taken apart

Part = str | Constraint
"""What can be left out of rules: a field, or one of their constraints."""


def parts_of(rules: Rules, subject: str | None = None) -> tuple[Part, ...]:
    """Return the fields that are set and the constraints; only those about *subject* where it is given.

    A pattern is about terrain and markers. A constraint is about *subject* where it is about nothing else.
    """
    fields: list[Part] = [rule.field for rule, _ in set_rules(rules, subject)]
    if rules.pattern is not None:
        fields.append(PATTERN)
    return (
        *fields,
        *(each for each in rules.constraints if subject is None or rules.about(each) == (subject,)),
    )


def only(rules: Rules, parts: tuple[Part, ...]) -> Rules:
    """Return the rules with these parts alone, those that say what they mean, and the same models."""
    fields = [part for part in parts if isinstance(part, str) and part != PATTERN]
    kept = {*fields, *(needed for field in fields for needed in RULES[field].needs)}
    if any(isinstance(part, Constraint) for part in parts):
        kept.add("adjacency")  # which decides what `here`, `there` and `neighbors` are in its text
    return Rules(
        **{field: getattr(rules, field) for field in RULES if field in kept},
        pattern=rules.pattern if PATTERN in parts else None,
        constraints=tuple(each for each in rules.constraints if each in parts),
        models=rules.models,
    )


def about(rules: Rules, subject: str) -> Rules:
    """Return only the rules about *subject*: ``"terrain"`` or ``"markers"``."""
    found = only(rules, parts_of(rules, subject))
    return found if found.pattern is None else found.replace(pattern=only_about(found.pattern, subject))


_FILES = {
    "terrain": {"layout", "board", "solve_terrain"},
    "markers": {"layout", "markers", "solve_markers"},
    "grounds": {"layout", "grounds", "joint"},
    "boards": {"layout", "board", "markers", "harbors", "grounds", "joint"},
}


def constraints_for(rules: Rules, model: str) -> tuple[Constraint, ...]:
    """Return the constraints that a model takes: what they are about is decided or known there.

    Args:
        rules: the rules.
        model: ``"terrain"``; ``"markers"``, on a terrain that is known; or ``"boards"``.
    """
    if model == "boards":
        return rules.constraints
    known = {model, "terrain"}
    about_it = ((each, rules.about(each)) for each in rules.constraints)
    return tuple(each for each, subjects in about_it if model in subjects and set(subjects) <= known)


def is_edited(rules: Rules, model: str) -> bool:
    """Whether a model's text is not the one shipped."""
    return bool(_FILES[model] & edited(rules.models))


def edits_boards(rules: Rules) -> bool:
    """Whether a model that says which boards are allowed is not the one shipped."""
    return bool(set().union(*_FILES.values()) & edited(rules.models))


def has_own_text(rules: Rules, model: str) -> bool:
    """Whether a model has text of a user's own: constraints, or edits. Then only a solver can answer."""
    return bool(constraints_for(rules, model)) or is_edited(rules, model)


def joins(rules: Rules) -> bool:
    """Whether a constraint or an edit asks for terrain, markers and harbors to be decided together."""
    subjects = [rules.about(each) for each in rules.constraints]
    together = any(len(each) > 1 or {"harbors", "grounds"}.intersection(each) for each in subjects)
    known = {"joint", "grounds"} if rules.harbors == "shuffled" else {"joint", "grounds", "harbors"}
    return together or bool(edited(rules.models) & known)


def ties_grounds(rules: Rules) -> bool:
    """Whether text of a user's own says where fishing grounds lie, so that only a solver can deal them."""
    return is_edited(rules, "grounds") or any("grounds" in rules.about(each) for each in rules.constraints)


def terrain_matters(rules: Rules) -> bool:
    """Whether the markers that *rules* allow depend on which numbered terrain a tile is."""
    return has_own_text(rules, "markers") or any(rule.sees_terrain for rule, _ in set_rules(rules, "markers"))


def by_kind(
    rules: Rules, layout: Layout, subject: str, kinds: Sequence[type[Restriction]]
) -> dict[type[Restriction], list[Any]] | None:
    """Return `restrictions` by their kind; None where there are none, or one is of none of these *kinds*."""
    found = restrictions(rules, layout, subject)
    if found is None or not set(map(type, found)) <= set(kinds):
        return None
    return {kind: [each for each in found if type(each) is kind] for kind in kinds}


def restrictions(rules: Rules, layout: Layout, subject: str) -> list[Restriction] | None:
    """Return what the rules and the layout restrict of a *subject*; None if a rule gives no restriction."""
    if has_own_text(rules, subject):
        return None
    found = layout_restrictions(layout, subject)
    found += pattern_restrictions(rules.pattern, layout, subject) if rules.pattern is not None else []
    for rule, value in set_rules(rules, subject):
        if rule.counts is None:
            return None
        found += rule.counts(value, rule.given(rules), layout)
    return found
