"""Which boards are allowed: `Rules`, its presets, and reading them from TOML files.

Every field is a parameter of a model in ``models/``, and its default does nothing, so fields combine
freely. `Rules.check` is an independent reading of the same rules in plain Python.

>>> Rules.preset("tournament").replace(reds_per_terrain_max=2).vertex_pips_max
12
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import ADJACENCIES, Layout
from catan_cp.boards.pieces import TERRAIN_CODE, TERRAINS, UNNUMBERED, terrain_name, whole_number
from catan_cp.errors import InvalidBoard, InvalidRules, listed, show, show_path

if TYPE_CHECKING:
    from catan_cp.boards.board import Board
    from catan_cp.rules.checking import Violation

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "adjacency": ADJACENCIES,
        "symmetry": ("all", "corners", "distinct"),
        "desert": ("any", "centre", "coast", "inland"),
        "marker_order": ("free", "spiral"),
        "harbors": ("none", "printed", "shuffled"),
    }
)
"""The values of the fields that choose one of a few words."""

_LEAST = MappingProxyType(
    {
        "terrain_cluster_max": 1,
        "reds_per_terrain_max": 0,
        "vertex_sum_below": 7,
        "vertex_pips_min": 0,
        "vertex_pips_max": 0,
    }
)
_MOST = 10_000  # far above what any board reaches, and small enough for every solver's integers
_MOST_VERTEX_PIPS = 15
_MAX_FILE = 8192  # of 64 kB of dots, tomllib would make 4 GB in ten seconds; a file of all fields has 1 kB

EVERY = "every"
"""The key of a bound on pips that holds for each terrain on the board that carries markers."""

TerrainPairs = tuple[tuple[str, str], ...]
TerrainPips = tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a board must satisfy. All fields can be combined; each default does nothing.

    Args:
        adjacency: which tiles touch, for groups of terrain and for markers: ``hex``, tiles that share an
            edge, or ``block``, the 2 by 2 blocks of the array in "Optimal Catan".
        terrain_cluster_max: the largest group of touching tiles of one terrain (sea and desert exempt).
        apart: pairs of terrains that may not share an edge, under either adjacency, as in "Optimal Catan".
        symmetry: ``all`` boards; ``corners``: by terrain code, first tile < last tile of the middle row
            < first tile of the last row ("Optimal Catan"); ``distinct``: of the boards that rotations and
            mirrors turn into each other, the one whose codes in reading order come first. Rotations and
            mirrors are those of the layout that keep the adjacency (all of them for ``hex``).
        desert: where deserts stand: ``any`` place, the ``centre`` (the tiles nearest to it, as many as
            there are deserts, and all that are as near), the ``coast`` (the layout's rim), or ``inland``.
        reds_apart: no two of the markers 6 and 8 touch.
        equal_markers_apart: no two equal markers touch.
        two_twelve_apart: no 2 touches a 12 (nor a 2 a 2, nor a 12 a 12).
        markers_distinct_per_terrain: the markers on one terrain all differ.
        reds_per_terrain_max: how many tiles of one terrain may be red.
        vertex_sum_below: at every vertex of three land tiles the markers sum to less than this; a desert
            counts 7.
        vertex_pips_min, vertex_pips_max: bounds on the pips at every vertex of three land tiles.
        terrain_pips_min, terrain_pips_max: per terrain, bounds on the total pips of its tiles: a mapping
            like ``{"gold": 6}``, or one number for every terrain on the board that carries markers.
        marker_order: ``free``, or ``spiral``: the rule book's fixed order, from any corner,
            counter-clockwise inwards, the desert skipped.
        harbors: ``none``; ``printed``, the frame's own; ``shuffled``, the same edges with the trades
            dealt anew.
        harbor_own_terrain_apart: neither vertex of a 2:1 harbor touches a tile of its own terrain.

    Raises:
        InvalidRules: a value of the wrong type or range, or rules that contradict each other.
    """

    adjacency: str = "hex"
    terrain_cluster_max: int | None = None
    apart: TerrainPairs = ()
    symmetry: str = "all"
    desert: str = "any"
    reds_apart: bool = False
    equal_markers_apart: bool = False
    two_twelve_apart: bool = False
    markers_distinct_per_terrain: bool = False
    reds_per_terrain_max: int | None = None
    vertex_sum_below: int | None = None
    vertex_pips_min: int | None = None
    vertex_pips_max: int | None = None
    terrain_pips_min: TerrainPips = ()
    terrain_pips_max: TerrainPips = ()
    marker_order: str = "free"
    harbors: str = "none"
    harbor_own_terrain_apart: bool = False

    def __new__(cls, /, **values: Any) -> Rules:
        """Refuse unknown fields with the library's own error."""
        _check_names(values)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        settle = partial(object.__setattr__, self)
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise InvalidRules(f"{name} is {show(value)}; choose from {listed(allowed)}")
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool) and not isinstance(value, bool):
                raise InvalidRules(f"{field.name} is true or false, not {show(value)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            settle(name, None if value is None else _read_count(name, value, least))
        settle("apart", _read_pairs(self.apart))
        for name in ("terrain_pips_min", "terrain_pips_max"):
            settle(name, _read_pips(name, getattr(self, name)))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        low, high = self.vertex_pips_min, self.vertex_pips_max
        if low is not None and low > _MOST_VERTEX_PIPS:
            raise InvalidRules(f"vertex_pips_min is {low}, but three tiles have at most {_MOST_VERTEX_PIPS}")
        if low is not None and high is not None and low > high:
            raise InvalidRules(f"vertex_pips_min {low} is above vertex_pips_max {high}")
        # A terrain that has a minimum of its own must be on the board, so that a maximum for every one holds.
        self._refuse_crossed_pips(name for name, least in self.terrain_pips_min if least > 0)
        if self.harbor_own_terrain_apart and self.harbors == "none":
            raise InvalidRules("harbor_own_terrain_apart needs harbors='printed' or 'shuffled'")

    def _refuse_crossed_pips(self, terrains: Iterable[str]) -> None:
        for name in terrains:
            least, most = pips_bound(self.terrain_pips_min, name), pips_bound(self.terrain_pips_max, name)
            if least is not None and most is not None and least > most:
                raise InvalidRules(f"terrain_pips_min {least} is above terrain_pips_max {most} for {name}")

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the rules of that name: blog, optimal, tournament, official or open.

        Raises:
            InvalidRules: no preset has that name.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise InvalidRules(f"unknown rules {show(name)}; presets are {listed(PRESETS)}")
        return PRESETS[name]

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules with these fields; the key ``preset`` names the rules to start from.

        Raises:
            InvalidRules: an unknown key or a value that does not fit.
        """
        if not isinstance(values, Mapping):
            raise InvalidRules(f"rules are a mapping of fields to values, not {show(values)}")
        given = dict(values)
        start = cls.preset(given.pop("preset", "open"))
        _check_names(given, "preset")
        return start.replace(**given)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Rules:
        """Read rules from a TOML file of fields, e.g. ``preset = "optimal"`` and ``vertex_sum_below = 24``.

        Raises:
            InvalidRules: no such file, not TOML, an unknown key, or a value that does not fit.
        """
        if not isinstance(path, (str, PathLike)):
            raise InvalidRules(f"a rules file is a path, not {show(path)}")
        where = show_path(path)
        content = _read_file(path)
        try:
            values = tomllib.loads(content.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise InvalidRules(f"rules file {where} is not TOML: {error}") from None
        try:
            return cls.from_mapping(values)
        except InvalidRules as error:
            raise InvalidRules(f"rules file {where}: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, as `from_mapping`, JSON and TOML take them."""
        found: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value == field.default:
                continue
            if field.name in ("terrain_pips_min", "terrain_pips_max"):
                value = dict(value)
            found[field.name] = [list(pair) for pair in value] if field.name == "apart" else value
        return found

    def to_toml(self) -> str:
        """Return the rules as the text of a file that `from_toml` reads."""
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.to_mapping().items())

    def replace(self, /, **changes: Any) -> Rules:
        """Return these rules with some fields changed.

        Raises:
            InvalidRules: an unknown field or a value that does not fit.
        """
        _check_names(changes)
        return dataclasses.replace(self, **changes)

    def explain(self) -> list[str]:
        """Return the rules as plain English sentences, one a rule that is set."""
        from catan_cp.rules.explaining import sentences

        return sentences(self)

    def check(self, board: Board) -> list[Violation]:
        """Return every rule that *board* breaks, with the tiles or vertices that break it.

        The board's pieces are checked against the layout's box too. An empty list: the board is allowed.
        """
        from catan_cp.rules.checking import violations_of

        return violations_of(self, board)

    def check_layout(self, layout: Layout) -> None:
        """Refuse rules that ask of *layout* what it has not.

        Raises:
            InvalidRules: a spiral or harbors where the layout has no printed ones, or pips of a terrain that
                its box lacks, or that a bound for every terrain puts above that terrain's own.
        """
        name = show(layout.name)
        if self.marker_order == "spiral" and not layout.spirals:
            raise InvalidRules(f"marker_order='spiral' needs the rule book's order, which {name} lacks")
        if self.harbors != "none" and not layout.printed_harbors:
            raise InvalidRules(f"harbors={self.harbors!r} needs a printed frame, which {name} lacks")
        for terrain, least in self.terrain_pips_min:
            if least > 0 and terrain != EVERY and terrain not in layout.terrains:
                raise InvalidRules(f"terrain_pips_min names {terrain}, which the box of {name} lacks")
        self._refuse_crossed_pips(terrain for terrain in layout.terrains if terrain not in UNNUMBERED)


def find_rules(rules: str | Rules) -> Rules:
    """Return the preset of that name, or *rules* itself.

    Raises:
        InvalidRules: no preset has that name.
    """
    return rules if isinstance(rules, Rules) else Rules.preset(rules)


def pips_bound(bounds: TerrainPips, terrain: str) -> int | None:
    """Return what *bounds* says of *terrain*: its own number, else that of every terrain, else None."""
    table = dict(bounds)
    return table.get(terrain, table.get(EVERY))


def _check_names(given: Mapping[Any, object], *more: str) -> None:
    known = [*(field.name for field in dataclasses.fields(Rules)), *more]
    for name in given:
        if name not in known:
            raise InvalidRules(f"unknown field {show(name)}; rules have {listed(known)}")


def _read_file(path: str | PathLike[str]) -> bytes:
    where = f"rules file {show_path(path)}"
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise InvalidRules(f"cannot read the {where}: {error.strerror or error}") from None
    except ValueError as error:  # a path that no file can have
        raise InvalidRules(f"cannot read the {where}: {error}") from None
    if len(content) > _MAX_FILE:
        raise InvalidRules(f"{where} is larger than {_MAX_FILE} bytes")
    return content


def _read_count(name: str, value: object, least: int) -> int:
    count = whole_number(value)
    if count is None or not least <= count <= _MOST:
        raise InvalidRules(f"{name} is a whole number from {least} to {_MOST}, not {show(value)}")
    return count


def _read_pairs(pairs: object) -> TerrainPairs:
    if not isinstance(pairs, Sequence) or isinstance(pairs, (str, bytes)):
        raise InvalidRules(f"apart is a list of pairs of terrains, not {show(pairs)}")
    found = set()
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, (str, bytes)) or len(pair) != 2:
            raise InvalidRules(f"apart holds pairs of terrains like ('brick', 'lumber'), not {show(pair)}")
        a, b = (_rules_terrain("apart", word) for word in pair)
        found.add((a, b) if TERRAIN_CODE[a] <= TERRAIN_CODE[b] else (b, a))
    return tuple(sorted(found, key=lambda pair: (TERRAIN_CODE[pair[0]], TERRAIN_CODE[pair[1]])))


def _read_pips(name: str, bounds: object) -> TerrainPips:
    every = whole_number(bounds)
    found: dict[str, int] = {}
    for word, value in [(EVERY, every)] if every is not None else _items(name, bounds):
        terrain = EVERY if isinstance(word, str) and word == EVERY else _rules_terrain(name, word)
        if terrain in UNNUMBERED:
            raise InvalidRules(f"{name} names {terrain}, which carries no marker")
        if terrain in found:
            raise InvalidRules(f"{name} names {terrain} twice, the second time as {show(word)}")
        found[terrain] = _read_count(f"{name} of {terrain}", value, 0)
    return tuple((terrain, found[terrain]) for terrain in (EVERY, *TERRAINS) if terrain in found)


def _items(name: str, bounds: object) -> list[tuple[object, object]]:
    items = list(bounds.items()) if isinstance(bounds, Mapping) else bounds
    if isinstance(items, (list, tuple)) and all(isinstance(i, (list, tuple)) and len(i) == 2 for i in items):
        return [(word, value) for word, value in items]
    raise InvalidRules(
        f"{name} is a number, or maps terrains to numbers like {{'gold': 6}}, not {show(bounds)}"
    )


def _rules_terrain(field: str, word: object) -> str:
    try:
        return terrain_name(word)
    except InvalidBoard as error:
        raise InvalidRules(f"{field}: {error}") from None


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


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
        "optimal": _BLOG.replace(adjacency="hex", symmetry="all"),
        "tournament": Rules(reds_apart=True, vertex_pips_max=12, terrain_cluster_max=2),
        "official": Rules(marker_order="spiral", harbors="printed"),
        "open": Rules(),
    }
)
"""The presets: ``blog`` as the post "Optimal Catan" states it, ``optimal`` the same wishes on true hexagons,
``tournament``, ``official`` (spiral markers and printed harbors) and ``open`` (everything is allowed)."""
