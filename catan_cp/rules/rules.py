"""`Rules`, their presets, and functions that select some of them.

Every field is a rule, declared in one of the modules ``*_rules``. Its default allows everything, so fields
combine freely. `RULES` is the table of all declarations. The functions after the class select rules by the
part of a board that they restrict.

>>> Rules.preset("tournament").replace(reds_per_terrain_max=2).vertex_pips_max
12
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.errors import (
    InvalidRules,
    check_path,
    did_you_mean,
    listed,
    show,
    show_path,
    toml_errors,
    toml_text,
)
from catan_cp.files import from_home, parse_toml, read_small
from catan_cp.model_files import declared_names, models_dir
from catan_cp.rules import marker_rules, patterns, terrain_rules
from catan_cp.rules.constraint import Constraint, read_constraints, terrain_words
from catan_cp.rules.rule import Rule, TerrainNumbers, TerrainPairs, Violation, rules_in
from catan_cp.terminal import Brief, html_text

RULES: Mapping[str, Rule] = rules_in(terrain_rules, marker_rules)
"""The rules by field, in order of declaration. Read-only."""

_MAX_FILE = 8192  # a file of all fields has 1 kB


def set_rules(rules: Rules, about: str | None = None) -> Iterator[tuple[Rule, Any]]:
    """Yield each rule that is set, with its value, or only those about *about*."""
    for rule in RULES.values():
        if rule.is_set(rules) and (about is None or about in rule.about):
            yield rule, getattr(rules, rule.field)


@dataclass(frozen=True, kw_only=True, repr=False)
class Rules(Brief):
    """Rules that a board must satisfy.

    All fields can be combined. Each default allows everything.

    Raises:
        InvalidRules: a value of the wrong type or range, or rules that contradict each other.

    Example:
        >>> rules = Rules(reds_apart=True, apart=[("brick", "lumber")])
        >>> rules.explain()
        ['Brick shares no edge with lumber.', 'No two reds (6 and 8) touch.']
        >>> Rules.preset("tournament").replace(vertex_pips_max=11).vertex_pips_max
        11
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
    # Fields without a declaration
    pattern: str | None = None
    constraints: tuple[Constraint, ...] = ()
    models: str | None = None

    def __new__(cls, /, *positional: Any, **values: Any) -> Rules:
        """Reject unknown fields and presets with an `InvalidRules`."""
        if positional:
            raise InvalidRules(
                "fields of Rules must be given by keyword, as in Rules(reds_apart=True), "
                f"not {show(positional[0])}; "
                "Rules.preset('tournament') returns a preset, and Rules.from_mapping reads a mapping"
            )
        _check_names(values)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for rule in RULES.values():
            value = rule.kind.read(rule.field, getattr(self, rule.field))
            object.__setattr__(self, rule.field, value)
        object.__setattr__(self, "pattern", patterns.read_pattern(self.pattern))
        object.__setattr__(self, "models", _read_folder(self.models))
        object.__setattr__(self, "constraints", read_constraints(self.constraints))
        for constraint in self.constraints:
            constraint.check_names(declared_names(self.models))
            if self.harbors == "none" and "harbors" in self.about(constraint):
                text = show(str(constraint))
                raise InvalidRules(
                    f"harbors must be 'printed' or 'shuffled' for the constraint {text}, not 'none'"
                )
        self._reject(None)

    def _reject(self, layout: Layout | None) -> None:
        for rule, value in set_rules(self):
            for objection in rule.objections(value, vars(self), layout):
                raise InvalidRules(objection)

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the preset called blog, optimal, tournament, official or open.

        Raises:
            InvalidRules: no preset has that name.
        """
        if not isinstance(name, str) or name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            raise InvalidRules(f"unknown rules {show(name)}; {hint}presets are {listed(PRESETS)}")
        return PRESETS[name]

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules with these fields.

        The key ``preset`` names the rules to start from. Mappings come from files, links and stores, so runs
        with constraints in them have a default time limit.

        Raises:
            InvalidRules: a key is unknown or a value invalid.
        """
        if not isinstance(values, Mapping):
            raise InvalidRules(f"rules must be a mapping of fields to values, not {show(values)}")
        fields = dict(values)
        start = cls.preset(fields.pop("preset", "open"))
        _check_names(fields, "preset")
        if "constraints" in fields:
            constraints = read_constraints(fields["constraints"])
            fields["constraints"] = [dataclasses.replace(item, is_external=True) for item in constraints]
        return start.replace(**fields)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Rules:
        """Read rules from a TOML file.

        Its keys are those of `from_mapping`, for example ``preset = "optimal"`` or ``vertex_sum_below = 24``.

        Raises:
            InvalidRules: the file is missing or not TOML, a key is unknown, or a value invalid.
        """
        name = show_path(path)
        text = read_small(path, _MAX_FILE, "rules file", InvalidRules)
        try:
            values = parse_toml(text)
        except ValueError as error:
            raise InvalidRules(f"rules file {name} is not TOML: {error}") from None
        if "models" in values:  # the file may be untrusted, and MiniZinc reads the folder of models
            raise InvalidRules(f"rules file {name} must not name models; use Rules(models=) or --models")
        if "constraint" in values:
            values["constraints"] = values.pop("constraint")
        try:
            with toml_errors():
                return cls.from_mapping(values)
        except InvalidRules as error:
            raise InvalidRules(f"rules file {name}: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, as values for JSON and TOML."""
        values = {rule.field: rule.kind.plain(value) for rule, value in set_rules(self)}
        values |= {
            name: getattr(self, name) for name in ("pattern", "models") if getattr(self, name) is not None
        }
        if self.constraints:
            values["constraints"] = [
                {"text": item.text} | ({"says": item.says} if item.says else {}) for item in self.constraints
            ]
        return values

    def to_toml(self) -> str:
        """Return the rules as TOML for `from_toml`.

        Raises:
            InvalidRules: the rules have a folder of models, which a rules file must not name.
        """
        if self.models is not None:
            raise InvalidRules(
                f"a rules file must not name models; these rules have {show_path(self.models)}"
            )
        values = self.to_mapping()
        tables = values.pop("constraints", [])
        lines = [f"{name} = {toml_text(value)}\n" for name, value in values.items()]
        for table in tables:
            lines += [
                "\n[[constraint]]\n",
                *(f"{name} = {toml_text(value)}\n" for name, value in table.items()),
            ]
        return "".join(lines)

    def replace(self, /, **changes: Any) -> Rules:
        """Return these rules with some fields changed.

        Raises:
            InvalidRules: a field is unknown or a value invalid.
        """
        return dataclasses.replace(self, **changes)

    def explain(self) -> list[str]:
        """Return English sentences for the rules that are set."""
        rules = list(set_rules(self))
        needed = {field for rule, _ in rules for field in rule.needs}
        sentences = [
            sentence
            for rule, value in rules
            if rule.about or rule.field in needed  # a definition is included only if a rule needs it
            for sentence in rule.says(value)
        ]
        if self.pattern is not None:
            sentences.append(f"The board completes the pattern {self.pattern}.")
        sentences += [item.says or f"MiniZinc: {item}" for item in self.constraints]
        if self.models is not None:
            sentences.append(f"The models are those in {self.models}.")
        return sentences or ["Everything is allowed."]

    def _repr_html_(self) -> str:
        return super()._repr_html_() + "".join(f"<div>{html_text(text)}</div>" for text in self.explain())

    def about(self, constraint: Constraint) -> tuple[str, ...]:
        """Return the parts of a constraint: any of terrain, markers, harbors and grounds."""
        return constraint.about(declared_names(self.models))

    def check(self, board: Board) -> list[Violation]:
        """Return every violation of the rules by *board*, an empty list if it is allowed.

        The pieces are compared with the box of the layout. A solver decides constraints and edited models.
        Arguments and errors are those of `catan_cp.find_violations`.
        """
        from catan_cp import find_violations

        return find_violations(self, board)

    def check_layout(self, layout: Layout) -> None:
        """Reject rules that need something that *layout* lacks.

        Raises:
            InvalidRules: for example, the layout has no spiral, or its box lacks a terrain that a bound on
                pips or a constraint names.
        """
        self._reject(layout)
        if self.pattern is not None:
            patterns.pattern_on(self.pattern, layout)
        for constraint in self.constraints:
            constraint.check_names(declared_names(self.models), terrain_words(layout.terrain_codes))


def find_rules(rules: str | Rules | Mapping[str, Any]) -> Rules:
    """Return the preset of that name, the rules with those fields, or *rules* itself.

    Raises:
        InvalidRules: no preset has that name, or the mapping has an unknown key or an invalid value.
    """
    if isinstance(rules, Mapping):
        return Rules.from_mapping(rules)
    return rules if isinstance(rules, Rules) else Rules.preset(rules)


def read_asked(
    rules: str | Rules, layout: str | Layout, terrain: Sequence[str] | None = None
) -> tuple[Rules, Layout]:
    """Return the rules and the layout, after `Rules.check_layout`.

    Raises:
        InvalidRules, InvalidBoard: invalid rules or layout, or a *terrain* that contradicts the pattern.
    """
    layout, rules = find_layout(layout), find_rules(rules)
    rules.check_layout(layout)
    if terrain is not None and rules.pattern is not None:
        patterns.check_terrain(rules.pattern, terrain, layout)
    return rules, layout


def _check_names(values: Mapping[Any, object], *more: str) -> None:
    known = [*(field.name for field in dataclasses.fields(Rules)), *more]
    for name in values:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InvalidRules(f"unknown field {show(name)}; {hint}rules have {listed(known)}")


def _read_folder(value: object) -> str | None:
    """Return the path of a folder of models that has all files."""
    if value is None:
        return None
    folder = check_path("models must be the path of a folder", value, InvalidRules)
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
"""The presets.

``blog`` has the rules of "Optimal Catan" (TWright 2019), ``optimal`` the same rules on hexagons, ``official``
the markers along the spiral, and ``open`` allows everything. ``optimal``, ``tournament`` and ``official``
place the printed harbors.
"""

OPEN_FIELDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pattern": ("a board's notation with x for an open tile", "tiles and markers that are fixed"),
        "constraints": ("tables [[constraint]] with text and says", "each `Constraint`, in MiniZinc text"),
        "models": ("a folder", "an edited copy of the models (`catan_cp.copy_models`)"),
    }
)
"""The fields of `Rules` that are not declared rules, each with its values and its meaning."""

if Rules.__doc__ is not None:  # python -OO leaves no docstrings
    _before, _, _after = inspect.cleandoc(Rules.__doc__).partition(
        "Raises:"
    )  # Python 3.13 has no indentation
    _fields = "".join(f"    {rule.field}: {rule.asks}.\n" for rule in RULES.values())
    _fields += "".join(f"    {name}: {asks}: {values}.\n" for name, (values, asks) in OPEN_FIELDS.items())
    Rules.__doc__ = f"{_before}Args:\n{_fields}\nRaises:{_after}"


# ---- Selections of rules

RulePart = str | Constraint
"""A field of rules, or one of their constraints."""


def parts_of(rules: Rules, subject: str | None = None) -> tuple[RulePart, ...]:
    """Return the fields that are set and the constraints, or only those about *subject*.

    A pattern is about terrain and markers. A constraint is about *subject* if it depends on no other part.
    """
    fields: list[RulePart] = [rule.field for rule, _ in set_rules(rules, subject)]
    if rules.pattern is not None:
        fields.append(patterns.PATTERN)
    return (
        *fields,
        *(item for item in rules.constraints if subject is None or rules.about(item) == (subject,)),
    )


def only(rules: Rules, parts: tuple[RulePart, ...]) -> Rules:
    """Return rules with these parts, the fields that they need, and the same models."""
    fields = [part for part in parts if isinstance(part, str) and part != patterns.PATTERN]
    needed = {*fields, *(need for field in fields for need in RULES[field].needs)}
    if any(isinstance(part, Constraint) for part in parts):
        needed |= {"adjacency", "harbors"}  # they define `neighbors` and `harbor` in the text
    return Rules(
        **{field: getattr(rules, field) for field in RULES if field in needed},
        pattern=rules.pattern if patterns.PATTERN in parts else None,
        constraints=tuple(item for item in rules.constraints if item in parts),
        models=rules.models,
    )


def about(rules: Rules, subject: str) -> Rules:
    """Return only the rules about *subject*: ``"terrain"`` or ``"markers"``."""
    part = only(rules, parts_of(rules, subject))
    return part if part.pattern is None else part.replace(pattern=patterns.only_about(part.pattern, subject))
