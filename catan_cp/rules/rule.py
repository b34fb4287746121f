"""What a rule is: one declaration, from which all else is read.

`Rule` holds everything that the library knows of one rule: its field in `Rules` and that field's values, its
sentence, its data for the models, its checker in plain Python, what exact counts make of it, and its control
on the web page. The declarations are in ``terrain_rules`` and ``marker_rules``;
``docs/templates/rule.py`` is one to copy.

    field        the rule's name, and its value in `Rules`
    neutral      the value with which it asks for nothing; a rule is set where its value is another
    kind         which values a field takes
    needs        the fields that say what the value means; the rule's functions see these and no others
    violation    one breach of one rule by one board
    restriction  what exact counts make of a rule
    view         what its data for a model may depend on: the layout, and the terrains on the board
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import components
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import TERRAIN_CODE, TERRAINS, UNNUMBERED, terrain_name
from catan_cp.errors import InvalidBoard, InvalidRules, check_choice, show, whole_number

EVERY = "every"
"""The key of a number that holds for each terrain on the board that carries markers."""

TerrainPairs = tuple[tuple[str, str], ...]
TerrainNumbers = tuple[tuple[str, int], ...]

Option = tuple[str, Any]
"""A value that the web page offers: its label and the value."""

_MOST = 10_000  # far above what any board reaches, and small enough for every solver's integers


@dataclass(frozen=True)
class Violation:
    """One breach of one rule.

    Attributes:
        rule: the field of `Rules`, or ``"pieces"``.
        text: what is wrong, in English.
        tiles: the tiles that break it.
        vertices: the vertices that break it.
    """

    rule: str
    text: str
    tiles: tuple[int, ...] = ()
    vertices: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


@dataclass(frozen=True)
class View:
    """What a rule's data for a model may depend on, beside the rules.

    Attributes:
        layout: the layout.
        terrains: the terrains on the board.
    """

    layout: Layout
    terrains: Collection[str]

    def tiles(self, tiles: Iterable[int]) -> list[int]:
        """Return the numbers of *tiles* in the model, where they begin at 1."""
        return [t + 1 for t in tiles]


@dataclass(frozen=True)
class Kind:
    """Which values a field takes.

    Attributes:
        neutral: the value with which the rule asks for nothing.
        annotation: the field's type in `Rules`.
        values: what may be given, for the table in the docs.
        options: what the web page offers in a menu or on a slider; empty for a checkbox.
        read: returns a value, of the field of that name, in one form, or raises `InvalidRules`.
        plain: returns the value as JSON and TOML take it.
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
        raise InvalidRules(f"{name} is true or false, not {show(value)}")
    return bool(value)


SWITCH = Kind(False, "bool", "true, false", (), _read_switch)
"""True or false; numpy's booleans count."""


def choice(*words: str) -> Kind:
    """Return the kind of one of a few words, the first of which asks for nothing."""
    return Kind(
        words[0],
        "str",
        ", ".join(f'`"{word}"`' for word in words),
        tuple((word, word) for word in words),
        lambda name, value: check_choice(name, value, words, InvalidRules),
    )


def bound(least: int, slider: tuple[int, int], most: int = _MOST) -> Kind:
    """Return the kind of a whole number from *least*, or None for no bound."""
    return Kind(
        None,
        "int | None",
        f"a number from {least}" if most == _MOST else f"{least} to {most}",
        tuple((str(n), n) for n in range(slider[0], slider[1] + 1)),
        lambda name, value: None if value is None else _read_number(name, value, least, most),
    )


def _read_pairs(name: str, value: object) -> TerrainPairs:
    """Return the pairs, each once and each with the lower terrain code first."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InvalidRules(f"{name} is a list of pairs of terrains, not {show(value)}")
    found = set()
    for pair in value:
        if not isinstance(pair, Sequence) or isinstance(pair, (str, bytes)) or len(pair) != 2:
            raise InvalidRules(f"{name} holds pairs of terrains like ('brick', 'lumber'), not {show(pair)}")
        a, b = sorted((_read_terrain(name, word) for word in pair), key=TERRAIN_CODE.__getitem__)
        found.add((a, b))
    return tuple(sorted(found, key=lambda pair: (TERRAIN_CODE[pair[0]], TERRAIN_CODE[pair[1]])))


PAIRS_OF_TERRAINS = Kind(
    (),
    "TerrainPairs",
    "pairs of terrains",
    (("nothing", ()), ("brick, lumber", (("brick", "lumber"),))),
    _read_pairs,
    lambda pairs: [list(pair) for pair in pairs],
)
"""Pairs of terrains, in any order."""


def number_per_terrain(slider: tuple[int, int], least: int = 0) -> Kind:
    """Return the kind of a whole number from *least* for every terrain, or of one for each named terrain."""

    def read(name: str, value: object) -> TerrainNumbers:
        """Return pairs of a terrain and its number, that of every terrain first, the others by code."""
        every = whole_number(value)
        found: dict[str, int] = {}
        for word, number in [(EVERY, every)] if every is not None else _items(name, value):
            terrain = EVERY if isinstance(word, str) and word == EVERY else _read_terrain(name, word)
            if terrain in UNNUMBERED:
                raise InvalidRules(f"{name} names {terrain}, which carries no marker")
            if terrain in found:
                raise InvalidRules(f"{name} names {terrain} twice, the second time as {show(word)}")
            found[terrain] = _read_number(f"{name} of {terrain}", number, least, _MOST)
        return tuple((terrain, found[terrain]) for terrain in (EVERY, *TERRAINS) if terrain in found)

    options = tuple((str(n), ((EVERY, n),)) for n in range(slider[0], slider[1] + 1))
    return Kind((), "TerrainNumbers", "a number, or one per terrain", options, read, dict)


def _items(name: str, value: object) -> list[tuple[object, object]]:
    items = list(value.items()) if isinstance(value, Mapping) else value
    if isinstance(items, (list, tuple)) and all(isinstance(i, (list, tuple)) and len(i) == 2 for i in items):
        return [(word, number) for word, number in items]
    raise InvalidRules(
        f"{name} is a number, or maps terrains to numbers like {{'gold': 6}}, not {show(value)}"
    )


def _read_number(name: str, value: object, least: int, most: int) -> int:
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise InvalidRules(f"{name} is a whole number from {least} to {most}, not {show(value)}")
    return number


def _read_terrain(name: str, word: object) -> str:
    try:
        return terrain_name(word)
    except InvalidBoard as error:
        raise InvalidRules(f"{name}: {error}") from None


# ---- The few forms of restriction that exact counts know. A rule that gives its restrictions is counted
# and drawn from exactly; one that gives none is left to the solver, so that forgetting them costs time only.


class Restriction:
    """What exact counts make of a rule, in one of these forms."""


@dataclass(frozen=True)
class Barred(Restriction):
    """On each of these tiles, one terrain that may not be there."""

    places: frozenset[tuple[int, str]]


@dataclass(frozen=True)
class TerrainsApart(Restriction):
    """Two terrains (or one with itself) that may not be on any of these pairs of tiles."""

    pairs: tuple[Pair, ...]
    terrains: frozenset[frozenset[str]]


@dataclass(frozen=True)
class ClusterMax(Restriction):
    """The most tiles in a cluster: tiles of one terrain that the pairs connect; sea and desert are exempt."""

    size: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Rising(Restriction):
    """Tiles whose terrain codes rise strictly, in this order."""

    tiles: tuple[int, ...]


@dataclass(frozen=True)
class FirstOfClass(Restriction):
    """Of the boards that rotations and mirrors turn into each other, the first in reading order."""


@dataclass(frozen=True)
class MarkersApart(Restriction):
    """Markers that may not be on any of these pairs of tiles: those for which *clash* is true."""

    pairs: tuple[Pair, ...]
    clash: Callable[[int, int], bool]


@dataclass(frozen=True)
class AtVertices(Restriction):
    """Which three markers, None on a desert, may meet at a vertex of three land tiles."""

    allowed: Callable[[Sequence[int | None]], bool]


@dataclass(frozen=True)
class ApartOnTerrain(Restriction):
    """Markers that may not be on two tiles of one terrain: those for which *clash* is true."""

    clash: Callable[[int, int], bool]


@dataclass(frozen=True)
class TerrainQuota(Restriction):
    """The most tiles of one terrain that may carry one of these markers."""

    markers: frozenset[int]
    most: int


@dataclass(frozen=True)
class TerrainPips(Restriction):
    """Bounds on the pips of all tiles of a terrain together, by its name; a terrain not named has none."""

    least: Mapping[str, int]
    most: Mapping[str, int]


@dataclass(frozen=True)
class BarredMarkers(Restriction):
    """Markers that a tile may not carry on a terrain: those for which *barred* is true."""

    barred: Callable[[int, str, int], bool]


@dataclass(frozen=True)
class FixedOrder(Restriction):
    """The markers in the given order along one of the paths, tiles without a marker skipped."""

    paths: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class FixedMarkers(Restriction):
    """Tiles that carry a given marker, or none (0)."""

    markers: tuple[tuple[int, int], ...]

    def misses(self, terrain: Sequence[str]) -> bool:
        """Whether a tile whose marker is given carries none on this terrain."""
        return any(marker and terrain[tile] in UNNUMBERED for tile, marker in self.markers)

    def stays(self, turn: Sequence[int]) -> bool:
        """Whether a permutation of the tiles moves these tiles to those with the same markers."""
        return {(turn[tile], marker) for tile, marker in self.markers} == set(self.markers)


# ---- The declaration


Says = Callable[[Any], Iterable[str]]
Needs = Mapping[str, Any]
"""The values of the fields that a rule declares to need, by field."""
Data = Callable[[Any, Needs, View], Mapping[str, Any]]
Breach = tuple[str, tuple[int, ...]] | tuple[str, tuple[int, ...], tuple[int, ...]]
"""What is wrong, in English; the tiles that break the rule; and the vertices, where some do."""
Check = Callable[[Any, Needs, Board], Iterable[Breach]]
Restrict = Callable[[Any, Needs, Layout], Iterable[Restriction]]
Object = Callable[[Any, Needs, Layout | None], Iterable[str]]


def no_objection(value: object, fields: Needs, layout: Layout | None) -> Iterable[str]:
    """Return nothing: the value may be."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule, declared. Functions take the field's value, and then those of the fields in *needs*.

    Attributes:
        field: its name in `Rules`.
        kind: which values it takes.
        about: what it restricts: any of ``"terrain"``, ``"markers"`` and ``"harbors"``; empty for a field
            that only says what others mean, such as ``adjacency``.
        asks: what it asks, in half a sentence, for the docs.
        says: its sentences in plain English, for a value that is not neutral.
        data: per model (``board``, ``markers``, ``harbors``), its parameters there for any value.
        violations: its checker, which yields each `Breach`, written from the sentence and not from the
            model's constraint; called for values that are not neutral. Only a field that is about nothing
            has none.
        counts: the restrictions to which it comes down for exact counts. None: counts cannot do it, and the
            solver is asked; that is always right.
        sees_terrain: whether a rule about markers or harbors looks at which terrain the numbered tiles are,
            and not only at where the others lie. To say so of one that does not costs speed only.
        needs: the fields that say what it means.
        objections: why its value, which is not neutral, cannot be beside those of the other fields, all of
            which it gets, or, where a layout is given, what it asks that the layout has not.

    Raises:
        TypeError: it restricts something, and has no checker.
    """

    field: str
    kind: Kind
    about: tuple[str, ...]
    asks: str
    says: Says
    data: Mapping[str, Data] = dataclasses.field(default_factory=dict)
    violations: Check | None = None
    counts: Restrict | None = None
    sees_terrain: bool = True
    needs: tuple[str, ...] = ()
    objections: Object = no_objection

    def __post_init__(self) -> None:
        if self.about and self.violations is None:
            raise TypeError(f"the rule {self.field} has no checker: violations is missing")

    def given(self, rules: object) -> Needs:
        """Return the fields of *rules* that this rule declares to need."""
        return {field: getattr(rules, field) for field in self.needs}

    def is_set(self, rules: object) -> bool:
        """Whether the rules ask for anything by this field."""
        return bool(getattr(rules, self.field) != self.kind.neutral)

    def breaches(self, value: object, needs: Needs, board: Board) -> Iterator[Violation]:
        """Yield what breaks the rule; nothing breaks a field that is about nothing."""
        if self.violations is not None:
            for breach in self.violations(value, needs, board):
                yield Violation(self.field, *breach)


# ---- Words that declarations share


def rules_in(*modules: ModuleType) -> Mapping[str, Rule]:
    """Return the rules that modules declare, by field, in their order."""
    found = (value for module in modules for value in vars(module).values() if isinstance(value, Rule))
    return MappingProxyType({rule.field: rule for rule in found})


def crossed(lower: str, upper: str) -> Object:
    """Return what objects to a lower bound above the upper one."""

    def objections(least: int, fields: Needs, layout: Layout | None) -> Iterator[str]:
        if fields[upper] is not None and least > fields[upper]:
            yield f"{lower} {least} is above {upper} {fields[upper]}"

    return objections


def number_for(numbers: TerrainNumbers, terrain: str) -> int | None:
    """Return the number of *terrain*: its own, else that of every terrain, else None."""
    table = dict(numbers)
    return table.get(terrain, table.get(EVERY))


def on_tiles(tiles: Iterable[int]) -> str:
    """Return ``on tile 3`` or ``on tiles 3, 7 and 8``, as violations name tiles."""
    return _numbered("on tile", tiles)


def at_vertices(vertices: Iterable[int]) -> str:
    """Return ``at vertex 3`` or ``at vertices 3 and 7``, as violations name vertices."""
    return _numbered("at vertex", vertices).replace("vertexs", "vertices")


def _numbered(what: str, numbers: Iterable[int]) -> str:
    *most, last = map(str, numbers)
    return f"{what}s {', '.join(most)} and {last}" if most else f"{what} {last}"


def amount(number: int, what: str) -> str:
    """Return ``1 pip`` or ``2 pips``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


# ---- Parts of a board that rules speak of


def keeping_symmetries(layout: Layout, adjacency: str) -> tuple[int, ...]:
    """Return the numbers of the layout's rotations and mirrors under which the same tiles touch."""
    pairs = set(layout.adjacency(adjacency))
    return tuple(
        number
        for number, p in enumerate(layout.symmetries)
        if all((min(p[a], p[b]), max(p[a], p[b])) in pairs for a, b in pairs)
    )


def corner_tiles(layout: Layout) -> tuple[int, int, int]:
    """Return the first tile, the last tile of the middle row and the first tile of the last row."""
    rows = layout.row_tiles
    return rows[0][0], rows[len(rows) // 2][-1], rows[-1][0]


def clusters(board: Board, adjacency: str) -> tuple[tuple[int, ...], ...]:
    """Return the groups of touching tiles of one terrain, each in increasing order."""
    terrain = board.terrain
    alike = [(a, b) for a, b in board.layout.adjacency(adjacency) if terrain[a] == terrain[b]]
    return components(range(board.layout.n_tiles), alike)


def islands(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return the connected sets of land tiles, each in increasing order, by their lowest tile."""
    land = {t for t, name in enumerate(board.terrain) if name != "sea"}
    return components(land, [(a, b) for a, b in board.layout.adjacency() if a in land and b in land])


def inland_vertices(board: Board) -> list[tuple[int, tuple[int, ...]]]:
    """Return the vertices of three land tiles, each with its tiles."""
    inner = board.layout.inner_vertices
    sea = {t for t, name in enumerate(board.terrain) if name == "sea"}
    return [(v, tiles) for v, tiles in inner if sea.isdisjoint(tiles)] if sea else list(inner)


def connected_sets(layout: Layout, adjacency: str, size: int, most: int) -> list[tuple[int, ...]]:
    """Return every connected set of *size* tiles, each in increasing order; none if over *most*."""
    near = layout.tile_neighbors(adjacency)
    found = {frozenset([t]) for t in range(layout.n_tiles)}
    for _ in range(size - 1):
        found = {tiles | {n} for tiles in found for t in tiles for n in near[t] if n not in tiles}
        if len(found) > most:
            return []
    return sorted(tuple(sorted(tiles)) for tiles in found)
