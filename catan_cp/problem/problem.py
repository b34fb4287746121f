"""`Problem`: rules on a layout, compiled to tables once.

Functions that count, sample, walk or deal ask the problem which rules its tables state, and which are beyond
them.

>>> problem = Problem.of("tournament", "base")
>>> problem.terrain.clusters.size, len(problem.markers.vertices), problem.beyond("boards")
(2, 1, ())
>>> Problem.of(Rules(constraints=["exists(t in coast)(terrain[t] = ORE)"])).beyond("terrain")
('the constraint exists(t in coast)(terrain[t] = ORE)',)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.clock import Clock
from catan_cp.errors import listed
from catan_cp.model_files import edited, edited_digest
from catan_cp.problem.constraints import MOST_TILES, allowed_terrains, named_tiles
from catan_cp.problem.tables import MarkerTables, TerrainTables, marker_tables, terrain_tables
from catan_cp.rules import patterns
from catan_cp.rules.checking import Check, checks_of
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.requirements import layout_restrictions
from catan_cp.rules.restrictions import AllowedTerrains, Restriction
from catan_cp.rules.rule import Rule, Violation, keeping_symmetries
from catan_cp.rules.rules import Rules, find_rules, set_rules

_MODELS_OF = {
    "terrain": frozenset({"layout", "board", "solve_terrain"}),
    "markers": frozenset({"layout", "markers", "solve_markers"}),
    "grounds": frozenset({"layout", "grounds", "joint"}),
    "boards": frozenset({"layout", "board", "markers", "harbors", "grounds", "joint"}),
}
"""The model files that decide each subject."""

MASK_TILES = 62
"""The maximum number of tiles of a mask in an int64, with one more bit for the box."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Rules on a layout, compiled to tables.

    A *subject* is ``"terrain"``, ``"markers"`` (on a known terrain arrangement) or ``"boards"``.

    Attributes:
        rules: the rules.
        layout: the layout.
        edits: the names of the models whose text differs from the shipped one.

    Example:
        >>> problem = Problem.of("tournament", "base")
        >>> problem.rules == Rules.preset("tournament"), problem.layout.name
        (True, 'base')
    """

    rules: Rules
    layout: Layout
    edits: frozenset[str]

    @classmethod
    def of(cls, rules: str | Rules = "optimal", layout: str | Layout = "base") -> Problem:
        """Return the problem of rules on a layout, compiled once.

        It is compiled again after an edit of a model.

        Args:
            rules: rules or the name of a preset.
            layout: a layout or its name.

        Raises:
            InvalidRules, InvalidBoard: an unknown preset or layout, or rules that need something that the
                layout lacks.
        """
        layout, rules = find_layout(layout), find_rules(rules)
        edits = edited(rules.models)
        # Constraints of a file equal those of the user, but have a default time limit.
        external = tuple(item.is_external for item in rules.constraints)
        return _compiled(rules, layout, edits, (edits and edited_digest(rules.models), *external))

    @cached_property
    def terrain(self) -> TerrainTables | None:
        """The rules about terrain, or None if they are beyond the tables."""
        restrictions = self._restrictions("terrain")
        return None if restrictions is None else terrain_tables(restrictions, self.layout)

    @cached_property
    def markers(self) -> MarkerTables | None:
        """The rules about markers, or None if they are beyond the tables."""
        restrictions = self._restrictions("markers")
        return None if restrictions is None else marker_tables(restrictions)

    def _restrictions(self, subject: str) -> list[Restriction] | None:
        if self.beyond(subject):
            return None
        rules, layout = self.rules, self.layout
        restrictions = list(layout_restrictions(layout, subject))
        restrictions += (self.constraint_tables[item] for item in self.constraints(subject))
        if rules.pattern is not None:
            restrictions += patterns.pattern_restrictions(rules.pattern, layout, subject)
        for rule, value in self.active(subject):
            restrictions += rule.restrictions(value, rule.needed_values(rules), layout) or ()
        return restrictions

    def active(self, subject: str | None = None) -> Sequence[tuple[Rule, Any]]:
        """Return the set rules with their values, all or those about *subject*."""
        return [(rule, value) for rule, value in self._active if subject is None or subject in rule.about]

    @cached_property
    def _active(self) -> tuple[tuple[Rule, Any], ...]:
        return tuple(set_rules(self.rules))

    def beyond(self, subject: str) -> tuple[str, ...]:
        """Return the reasons why tables do not state all rules of a subject."""
        active = self.active(None if subject == "boards" else subject)
        fields = [rule.field for rule, _ in active if rule.about and rule.restrict is None]
        return (*self.text(subject), *(f"{field}, which no table states" for field in fields))

    def text(self, subject: str) -> tuple[str, ...]:
        """Return the custom constraints and edited models of a subject in English."""
        names = sorted(_MODELS_OF[subject] & self.edits)
        edits = [f"the edited model{'s' * (len(names) > 1)} {listed(names)}"] if names else []
        constraints = [item for item in self.constraints(subject) if item not in self.constraint_tables]
        return (*(f"the constraint {item}" for item in constraints), *edits)

    @cached_property
    def constraint_tables(self) -> dict[Constraint, AllowedTerrains]:
        """The tables of constraints on the terrain of few tiles, evaluated by MiniZinc."""
        return self._evaluated(Clock(None))

    def within(self, clock: Clock) -> Problem:
        """Return the problem after evaluating `constraint_tables` within a time limit.

        Raises:
            SolverTimeout: the time limit passed.
        """
        if self.rules.constraints and "constraint_tables" not in vars(self):
            with clock.named():
                vars(self)["constraint_tables"] = self._evaluated(clock)
        return self

    def _evaluated(self, clock: Clock) -> dict[Constraint, AllowedTerrains]:
        """Return the tables, which together restrict combinations of at most `MOST_TILES` tiles."""
        tables, combined = {}, set[int]()
        for item in () if self.is_edited("terrain") else self.constraints("terrain"):
            tiles = named_tiles(item, self.layout)
            together = combined.union(tiles) if len(tiles) > 1 else combined
            table = allowed_terrains(item, self.layout, clock) if len(together) <= MOST_TILES else None
            if table is not None:
                tables[item], combined = table, together
        return tables

    def constraints(self, subject: str) -> tuple[Constraint, ...]:
        """Return the constraints on parts of a board that a subject decides or knows."""
        if subject == "boards" or not self.rules.constraints:
            return self.rules.constraints
        known = {subject, "terrain"}
        return tuple(item for item, parts in self._about.items() if subject in parts and set(parts) <= known)

    def is_edited(self, subject: str) -> bool:
        """Test whether a model of the subject differs from the shipped one."""
        return bool(_MODELS_OF[subject] & self.edits)

    @property
    def edits_boards(self) -> bool:
        """True if any model of a board differs from the shipped one."""
        return any(map(self.is_edited, _MODELS_OF))

    @cached_property
    def _about(self) -> dict[Constraint, tuple[str, ...]]:
        """The parts of a board on which each constraint depends."""
        return {item: self.rules.about(item) for item in self.rules.constraints}

    @property
    def joins_parts(self) -> bool:
        """True if custom text needs terrain, markers and harbors to be decided together."""
        together = any(
            len(parts) > 1 or {"harbors", "grounds"}.intersection(parts) for parts in self._about.values()
        )
        known = {"joint", "grounds"} if self.rules.harbors == "shuffled" else {"joint", "grounds", "harbors"}
        return together or bool(self.edits & known)

    @property
    def ties_grounds(self) -> bool:
        """True if custom text restricts fishing grounds, which then needs a solver."""
        return self.is_edited("grounds") or any("grounds" in parts for parts in self._about.values())

    @property
    def tie(self) -> str:
        """The sentence that names the rules that tie markers to terrain, or an empty text."""
        fields = [rule.field for rule, _ in self.active("markers") if rule.sees_terrain]
        if not fields:
            return ""
        return f"{listed(fields)} {'ties' if len(fields) == 1 else 'tie'} markers to terrain"

    @property
    def marker_tie(self) -> str:
        """The sentence of `tie`, or that about bounds on pips, or an empty text."""
        bounds = self.layout.terrain_marker_pips_min or self.layout.terrain_marker_pips_max
        sentence = f"bounds of {self.layout.name!r} on pips tie markers to terrain"
        return self.tie or (sentence if bounds else "")

    @property
    def markers_see_terrain(self) -> bool:
        """True if the allowed markers depend on the terrains of numbered tiles."""
        return bool(self.text("markers") or self.marker_tie)

    @property
    def is_searchable(self) -> bool:
        """True if the compiled search for markers supports the rules and the layout."""
        layout, tables = self.layout, self.markers
        is_one_box = len(layout.marker_boxes) <= 1 and not layout.second_marker
        return layout.n_tiles <= MASK_TILES and is_one_box and tables is not None and tables.order is None

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries of the layout that keep adjacency, the identity first.

        A symmetry moves the piece of tile *t* to tile ``symmetry[t]``.
        """
        numbers = keeping_symmetries(self.layout, self.rules.adjacency)
        return tuple(self.layout.symmetries[number] for number in numbers)

    def kept_symmetries(self, *subjects: str) -> tuple[tuple[int, ...], ...]:
        """Return the symmetries that map allowed pieces of the subjects to allowed ones.

        The field *symmetry* of the rules is ignored. Only the identity is known for rules beyond the tables.
        """
        known = {"terrain": self.terrain, "markers": self.markers}
        tables = [known[subject] for subject in subjects]
        return self.symmetries[:1] + tuple(
            symmetry
            for symmetry in self.symmetries[1:]
            if all(table is not None and table.are_kept_by(symmetry) for table in tables)
        )

    @property
    def is_closed(self) -> bool:
        """True if each symmetry maps allowed terrain arrangements to allowed ones."""
        return self.terrain is not None and len(self.kept_symmetries("terrain")) == len(self.symmetries)

    @property
    def counts_orbits(self) -> bool:
        """True if the terrain arrangements are orbits, counted by Burnside's lemma."""
        return self.rules.symmetry == "distinct" and self.is_closed

    @cached_property
    def terrain_obstacle(self) -> str:
        """The reason why no decision diagram has the terrain arrangements, or empty."""
        if self.terrain is None:
            return f"only a solver knows {listed(self.beyond('terrain'))}"
        if len(self.layout.terrain_pools) > 1 and self.terrain.clusters_cross_pools(self.layout):
            return f"exact counts do not follow clusters over the groups of tiles of {self.layout.name!r}"
        return ""

    @cached_property
    def board_obstacle(self) -> str:
        """The reason why no exact method ranks the boards, in plain English, or empty.

        Numbers of states and of terrain arrangements limit exact methods too (`catan_cp.counting.boards`).
        """
        if reasons := self.beyond("boards"):
            return f"only a solver knows {listed(reasons)}"
        if self.terrain_obstacle:
            return self.terrain_obstacle
        if self.rules.symmetry == "distinct":
            return "symmetry='distinct' is about terrain, not about boards"
        ordered = self.markers is not None and self.markers.order is not None
        if self.markers_see_terrain and not self.is_searchable and not ordered:
            return self.marker_tie
        return self.harbor_obstacle

    @property
    def harbor_obstacle(self) -> str:
        """The reason why the harbors of boards are not free, in plain English, or empty."""
        if self.rules.harbors != "shuffled":  # Fixed places restrict the terrain only.
            return ""
        if self.layout.fixed_harbors or self.layout.movable_harbors:
            return f"only a solver knows the fixed or movable harbors of {self.layout.name!r}"
        tied = [rule.field for rule, _ in self.active("harbors") if rule.sees_terrain]
        return f"under {listed(tied)} the harbors depend on the terrain" if tied else ""

    @cached_property
    def checks(self) -> tuple[tuple[Hashable, Check], ...]:
        """The checks that need no solver, each with a key that is equal for equal checks."""
        return tuple(checks_of(self.rules, self._active))

    def violations(self, board: Board) -> list[Violation]:
        """Return the violations that need no solver, those of pieces first, then by field.

        Custom constraints and edited models are not checked. Rules about markers are skipped for a board
        whose markers are not placed yet. The board must have the layout of the problem.
        """
        return [violation for _, check in self.checks for violation in check(board)]

    def check(self, board: Board) -> list[Violation]:
        """Return every violation of the rules by *board*, an empty list if it is allowed.

        Arguments and errors are those of `catan_cp.find_violations`.
        """
        return self.rules.check(board)

    def explain(self) -> list[str]:
        """Return the sentences of `Rules.explain`, and the rules that need a solver."""
        reasons = self.beyond("boards")
        return self.rules.explain() + [f"Beyond exact methods: {reason}." for reason in reasons]


@lru_cache(maxsize=256)
def _compiled(rules: Rules, layout: Layout, edits: frozenset[str], key: tuple[object, ...]) -> Problem:
    """Return the problem. The *key* only tells apart rules that are equal."""
    rules.check_layout(layout)
    return Problem(rules, layout, edits)
