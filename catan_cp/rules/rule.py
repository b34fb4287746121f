"""The declaration of a rule.

A `Rule` declares a field of `Rules` with its allowed values. It also has the sentence of the rule, its data
for the models, its options on the web page, and its restrictions: the rule as tables (``restrictions``). A
rule that cannot state them has a checker in plain Python instead. The declarations are in ``terrain_rules``
and ``marker_rules``.
``docs/templates/rule.py`` is a template.

    field        the name of the rule, and its value in `Rules`
    neutral      the value that allows everything, also called unset
    kind         the values that a field takes
    needs        other fields that the rule depends on
    violation    one breach of one rule by one board
    restriction  a rule as tables, for exact counts, random walks and checks
    view         the layout and the terrains on the board, for the data of the models
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from types import MappingProxyType, ModuleType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import components
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import TERRAIN_CODE, TERRAINS, UNNUMBERED, terrain_name
from catan_cp.errors import InvalidBoard, InvalidRules, check_choice, show, whole_number
from catan_cp.rules.restrictions import Breach, Restriction

EVERY = "every"
"""The key of the number for all terrains with markers that are not named."""

TerrainPairs = tuple[tuple[str, str], ...]
TerrainNumbers = tuple[tuple[str, int], ...]

Option = tuple[str, Any]
"""The label and the value of an option on the web page."""

_MOST = 10_000  # far above any value on a board, and within the integers of every solver


@dataclass(frozen=True)
class Violation:
    """One breach of one rule.

    Attributes:
        rule: the field of `Rules`, or ``"pieces"``.
        text: an English description.
        tiles: the tiles that break the rule.
        vertices: the vertices that break the rule.

    Example:
        >>> violation = Violation("reds_apart", "8 on tile 3 touches 6 on tile 4", (3, 4))
        >>> violation.rule, violation.tiles
        ('reds_apart', (3, 4))
    """

    rule: str
    text: str
    tiles: tuple[int, ...] = ()
    vertices: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


@dataclass(frozen=True)
class View:
    """The layout and the terrains on which a rule's data for a model may depend.

    Attributes:
        layout: the layout.
        terrains: the terrains on the board.
        has_requirements: False if the data leave out the requirements of the layout.
    """

    layout: Layout
    terrains: Collection[str]
    has_requirements: bool = True

    def tiles(self, tiles: Iterable[int]) -> list[int]:
        """Return the numbers of *tiles* in the models, which start at 1."""
        return [t + 1 for t in tiles]


@dataclass(frozen=True)
class Kind:
    """The values that a field takes.

    Attributes:
        neutral: the value that allows everything.
        annotation: the field's type in `Rules`.
        values: the allowed values, for the table in the docs.
        options: the options of a menu or slider on the web page, empty for a checkbox.
        read: takes the name of the field and a value. Returns the value in normal form, or raises
            `InvalidRules`.
        plain: converts a value in normal form to one that JSON and TOML can store.
    """

    neutral: Any
    annotation: str
    values: str
    options: tuple[Option, ...]
    read: Callable[[str, object], Any]
    plain: Callable[[Any], Any] = lambda value: value


def _read_switch(name: str, value: object) -> bool:
    scalar = str(getattr(value, "dtype", "")) == "bool" and getattr(value, "ndim", 1) == 0
    if not isinstance(value, bool) and not scalar:
        raise InvalidRules(f"{name} must be true or false, not {show(value)}")
    return bool(value)


SWITCH = Kind(False, "bool", "true, false", (), _read_switch)
"""The kind of a boolean. A numpy boolean is allowed too."""


def choice(*words: str) -> Kind:
    """Return the kind of a field that is one of *words*. The first is neutral."""
    return Kind(
        words[0],
        "str",
        ", ".join(f'`"{word}"`' for word in words),
        tuple((word, word) for word in words),
        lambda name, value: check_choice(name, value, words, InvalidRules),
    )


def bound(least: int, slider: tuple[int, int], most: int = _MOST) -> Kind:
    """Return the kind of a bound, which is a whole number or None for no bound.

    Args:
        least: the lowest allowed number.
        slider: the first and the last number of the slider on the web page.
        most: the highest allowed number.
    """
    return Kind(
        None,
        "int | None",
        f"a number from {least}" if most == _MOST else f"{least} to {most}",
        tuple((str(n), n) for n in range(slider[0], slider[1] + 1)),
        lambda name, value: None if value is None else _read_number(name, value, least, most),
    )


def _read_pairs(name: str, value: object) -> TerrainPairs:
    """Return the pairs without repetitions, each with the lower terrain code first."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InvalidRules(f"{name} must be a list of pairs of terrains, not {show(value)}")
    pairs = set()
    for pair in value:
        if not isinstance(pair, Sequence) or isinstance(pair, (str, bytes)) or len(pair) != 2:
            raise InvalidRules(
                f"{name} must hold pairs of terrains like {show(('brick', 'lumber'))}, not {show(pair)}"
            )
        a, b = sorted((_read_terrain(name, word) for word in pair), key=TERRAIN_CODE.__getitem__)
        pairs.add((a, b))
    return tuple(sorted(pairs, key=lambda pair: (TERRAIN_CODE[pair[0]], TERRAIN_CODE[pair[1]])))


PAIRS_OF_TERRAINS = Kind(
    (),
    "TerrainPairs",
    "pairs of terrains",
    (("nothing", ()), ("brick, lumber", (("brick", "lumber"),))),
    _read_pairs,
    lambda pairs: [list(pair) for pair in pairs],
)
"""The kind of a list of pairs of terrains. Both orders are allowed."""


def number_per_terrain(slider: tuple[int, int], least: int = 0) -> Kind:
    """Return the kind of a whole number for all terrains, or for each named one.

    Args:
        slider: the first and the last number of the slider on the web page.
        least: the lowest allowed number.
    """

    def read(name: str, value: object) -> TerrainNumbers:
        """Return pairs of a terrain and its number: `EVERY` first, then by terrain code."""
        number_for_all = whole_number(value)
        numbers: dict[str, int] = {}
        for word, number in [(EVERY, number_for_all)] if number_for_all is not None else _items(name, value):
            terrain = EVERY if isinstance(word, str) and word == EVERY else _read_terrain(name, word)
            if terrain in UNNUMBERED:
                raise InvalidRules(f"{name} must not name {terrain}, which carries no marker")
            if terrain in numbers:
                raise InvalidRules(f"{name} must not name {terrain} twice, the second time as {show(word)}")
            numbers[terrain] = _read_number(f"{name} of {terrain}", number, least, _MOST)
        return tuple((terrain, numbers[terrain]) for terrain in (EVERY, *TERRAINS) if terrain in numbers)

    options = tuple((str(n), ((EVERY, n),)) for n in range(slider[0], slider[1] + 1))
    return Kind((), "TerrainNumbers", "a number, or one per terrain", options, read, dict)


def _items(name: str, value: object) -> list[tuple[object, object]]:
    items = list(value.items()) if isinstance(value, Mapping) else value
    if isinstance(items, (list, tuple)) and all(isinstance(i, (list, tuple)) and len(i) == 2 for i in items):
        return [(word, number) for word, number in items]
    raise InvalidRules(
        f"{name} must be a number, or map terrains to numbers like {show({'gold': 6})}, not {show(value)}"
    )


def _read_number(name: str, value: object, least: int, most: int) -> int:
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise InvalidRules(f"{name} must be a whole number from {least} to {most}, not {show(value)}")
    return number


def _read_terrain(name: str, word: object) -> str:
    try:
        return terrain_name(word)
    except InvalidBoard as error:
        raise InvalidRules(f"{name}: {error}") from None


# ---- The declaration


Says = Callable[[Any], Iterable[str]]
Needs = Mapping[str, Any]
"""The values of the fields that a rule needs, by field."""
Data = Callable[[Any, Needs, View], Mapping[str, Any]]
Checker = Callable[[Any, Needs, Board], Iterable[Breach]]
Restrict = Callable[[Any, Needs, Layout], Iterable[Restriction]]
"""Returns the restrictions of a value (`Rule.restrict`)."""
Object = Callable[[Any, Needs, Layout | None], Iterable[str]]
"""Yields the objections to a value (`Rule.objections`)."""


def no_objection(value: object, fields: Needs, layout: Layout | None) -> Iterable[str]:
    """Return no objection: every value is allowed."""
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)  # equal if identical, so that results can be cached
class Rule:
    """The declaration of a rule.

    Its functions take the value of its field first. Most also take a mapping with the values of the fields in
    *needs*, and then the board, the layout or the view.

    Attributes:
        field: its name in `Rules`.
        kind: the values that it takes.
        about: the parts that it restricts: any of ``"terrain"``, ``"markers"`` and ``"harbors"``. Empty for a
            field that only defines a term of other rules, such as ``adjacency``.
        asks: its meaning in half a sentence, for the docs.
        says: its sentences in plain English for a value that is not neutral.
        data: for each model (``board``, ``markers``, ``harbors``), a function that returns the parameters of
            that model for any value.
        restrict: returns its restrictions on terrain and markers, which exact counts, random walks and checks
            use. None if it has another form. Then a solver has to count.
        violations: its checker, which yields a `Breach` for each violation of a value that is not neutral,
            written from the sentence, not from the model. None if the restrictions are the whole rule.
        sees_terrain: True if a rule about markers or harbors depends on the terrains of numbered tiles. True
            is always correct, but slower.
        needs: the fields that it depends on.
        objections: yields the reasons to reject a value that is not neutral. It takes the value, those of all
            fields, and the layout if it is known.

    Raises:
        TypeError: the rule restricts a part and has neither restrictions nor a checker.
    """

    field: str
    kind: Kind
    about: tuple[str, ...]
    asks: str
    says: Says
    data: Mapping[str, Data] = dataclasses.field(default_factory=dict)
    restrict: Restrict | None = None
    violations: Checker | None = None
    sees_terrain: bool = True
    needs: tuple[str, ...] = ()
    objections: Object = no_objection

    def __post_init__(self) -> None:
        if self.about and self.restrict is None and self.violations is None:
            raise TypeError(f"the rule {self.field} must have restrictions or a checker (violations)")

    def needed_values(self, rules: object) -> Needs:
        """Return the fields of *rules* that this rule needs."""
        return {field: getattr(rules, field) for field in self.needs}

    def is_set(self, rules: object) -> bool:
        """Return True if this field of the rules differs from its neutral value."""
        return bool(getattr(rules, self.field) != self.kind.neutral)

    def restrictions(self, value: Any, needs: Needs, layout: Layout) -> tuple[Restriction, ...] | None:
        """Return the restrictions of a value on a layout, or None if the rule does not state them."""
        return _restrictions(self, value, tuple(needs.items()), layout)

    def breaches(self, value: Any, needs: Needs, board: Board) -> Iterator[Violation]:
        """Yield the violations of the rule by a board."""
        if self.violations is not None:
            breaches = self.violations(value, needs, board)
        else:
            restrictions = self.restrictions(value, needs, board.layout) or ()
            breaches = chain.from_iterable(restriction.breaches(board) for restriction in restrictions)
        for breach in breaches:
            yield Violation(self.field, *breach)


@lru_cache(maxsize=1024)
def _restrictions(
    rule: Rule, value: Any, needs: tuple[tuple[str, Any], ...], layout: Layout
) -> tuple[Restriction, ...] | None:
    return None if rule.restrict is None else tuple(rule.restrict(value, dict(needs), layout))


# ---- Functions that declarations share


def rules_in(*modules: ModuleType) -> Mapping[str, Rule]:
    """Return the rules that modules declare, by field, in order of declaration."""
    values = (value for module in modules for value in vars(module).values())
    return MappingProxyType({rule.field: rule for rule in values if isinstance(rule, Rule)})


def crossed(lower: str, upper: str) -> Object:
    """Return a function that rejects a lower bound above the upper bound."""

    def objections(least: int, fields: Needs, layout: Layout | None) -> Iterator[str]:
        if fields[upper] is not None and least > fields[upper]:
            yield f"{lower} {least} is above {upper} {fields[upper]}"

    return objections


def number_for(numbers: TerrainNumbers, terrain: str) -> int | None:
    """Return the number of *terrain*, otherwise that of `EVERY`, otherwise None."""
    table = dict(numbers)
    return table.get(terrain, table.get(EVERY))


# ---- Parts of a board that rules refer to


def keeping_symmetries(layout: Layout, adjacency: str) -> tuple[int, ...]:
    """Return the indices of symmetries of the layout that keep tiles adjacent."""
    pairs = set(layout.adjacency(adjacency))
    return tuple(
        number
        for number, p in enumerate(layout.symmetries)
        if all((min(p[a], p[b]), max(p[a], p[b])) in pairs for a, b in pairs)
    )


def corner_tiles(layout: Layout) -> tuple[int, int, int]:
    """Return the first tile, the last of the middle row and the first of the last row."""
    rows = layout.row_tiles
    return rows[0][0], rows[len(rows) // 2][-1], rows[-1][0]


def islands(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return the connected sets of land tiles, each sorted, in order of first tiles."""
    land = {t for t, name in enumerate(board.terrain) if name != "sea"}
    return components(land, [(a, b) for a, b in board.layout.adjacency() if a in land and b in land])


def connected_sets(layout: Layout, adjacency: str, size: int, most: int) -> list[tuple[int, ...]]:
    """Return the connected sets of *size* tiles, or an empty list for too many.

    The list is empty if there are more than *most* connected sets of any one size from 2 to *size*.
    """
    near = layout.tile_neighbors(adjacency)
    sets = {frozenset([t]) for t in range(layout.n_tiles)}
    for _ in range(size - 1):
        sets = {tiles | {n} for tiles in sets for t in tiles for n in near[t] if n not in tiles}
        if len(sets) > most:
            return []
    return sorted(tuple(sorted(tiles)) for tiles in sets)
