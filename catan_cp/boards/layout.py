"""Where everything is: tiles, vertices, edges and symmetries, computed once per layout.

A layout follows from its row lengths alone. Tiles are pointy-top hexagons numbered in reading
order; vertices are numbered in the order in which a walk through the tiles meets their corners,
round each tile clockwise from the upper right. All positions are exact integers: *x* in half
widths of a tile, *y* in quarters of a tile's height, both growing rightwards and downwards.

>>> base = LAYOUTS["base"]
>>> base.n_tiles, base.n_vertices, len(base.edges), len(base.adjacency("hex"))
(19, 54, 72, 42)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from importlib.resources import files
from itertools import pairwise
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catan_cp.arguments import whole_number
from catan_cp.boards.hexagons import (
    BLOCK_STEP,
    CORNERS,
    HEX_STEPS,
    Pair,
    Point,
    neighbors,
    ordered,
    sides,
    spirals,
    touching,
    turns,
)
from catan_cp.boards.pieces import (
    TRADES,
    UNNUMBERED,
    by_terrain,
    read_marker_supply,
    read_markers,
    read_terrain_counts,
)
from catan_cp.errors import InvalidArgument, InvalidBoard, InvalidRules, listed, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ADJACENCIES", "LAYOUTS", "Harbor", "Layout", "Pair", "find_layout"]

ADJACENCIES = ("hex", "block")


@dataclass(frozen=True)
class Harbor:
    """A coast edge with a trade: ``"3:1"``, or a resource for a 2:1 harbor."""

    vertices: Pair
    trade: str


@dataclass(frozen=True)
class Layout:
    """A board's shape and the pieces that fill it. Immutable; geometry is computed on first use.

    Layouts are equal when all of the following are, so an invented one never passes for one of the seven.

    Args:
        name: how people call it.
        rows: tiles in each row, top to bottom; neighbouring rows differ by one tile.
        terrain_counts: how many tiles of each terrain the box holds, as many as the rows have tiles.
        marker_supply: how many of each marker the box holds; may be more than there are tiles to number.
        target_efficiency: per terrain, what `catan_cp.efficiency` is on boards that a designer made.
        printed_harbors: the frame's harbors; empty where the layout has no printed frame.
        spiral_order: the rule book's fixed order of markers; empty where it gives none.
        beginner_board: the rule book's first board, in notation; empty where it gives none.

    Raises:
        InvalidBoard: rows that do not interlock, pieces that do not fill them, or harbors off the coast.
    """

    name: str
    rows: tuple[int, ...]
    terrain_counts: Mapping[str, int] = field(repr=False)
    marker_supply: Mapping[int, int] = field(repr=False)
    target_efficiency: Mapping[str, float] = field(default_factory=dict, repr=False)
    printed_harbors: tuple[Harbor, ...] = field(default=(), repr=False)
    spiral_order: tuple[int, ...] = field(default=(), repr=False)
    beginner_board: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        settle = partial(object.__setattr__, self)
        if not isinstance(self.name, str):
            raise InvalidBoard(f"a layout's name is text, not {show(self.name)}")
        settle("rows", _read_rows(self.rows))
        counts = read_terrain_counts(self.terrain_counts)
        if sum(counts.values()) != self.n_tiles:
            raise InvalidBoard(f"{show(counts)} does not fill the {self.n_tiles} tiles of {show(self.name)}")
        settle("terrain_counts", MappingProxyType(counts))
        settle("marker_supply", MappingProxyType(read_marker_supply(self.marker_supply)))
        settle("target_efficiency", MappingProxyType(_read_targets(self.target_efficiency)))
        settle("spiral_order", read_markers("spiral_order", self.spiral_order))
        settle("printed_harbors", tuple(self.check_harbors(self.printed_harbors)))
        if not isinstance(self.beginner_board, str):
            raise InvalidBoard(f"beginner_board is a notation, not {show(self.beginner_board)}")

    def __hash__(self) -> int:
        return hash((self.name, self.rows))

    def __reduce__(self) -> tuple[Callable[..., Layout], tuple[Any, ...]]:
        """Travel without geometry; one of the seven arrives as the layout that is there already."""
        if LAYOUTS.get(self.name) == self:
            return find_layout, (self.name,)
        values = (getattr(self, given.name) for given in fields(self))
        return Layout, tuple(dict(value) if isinstance(value, Mapping) else value for value in values)

    # Tiles

    @property
    def n_tiles(self) -> int:
        """How many tiles there are."""
        return sum(self.rows)

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.vertices)

    @cached_property
    def tiles(self) -> tuple[Point, ...]:
        """The centre (x, y) of each tile, in reading order."""
        return tuple((2 * i - (n - 1), 3 * row) for row, n in enumerate(self.rows) for i in range(n))

    @cached_property
    def row_tiles(self) -> tuple[tuple[int, ...], ...]:
        """The tile numbers of each row."""
        starts = [sum(self.rows[:i]) for i in range(len(self.rows))]
        return tuple(tuple(range(start, start + n)) for start, n in zip(starts, self.rows, strict=True))

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        """The terrains in the box, ordered by code."""
        return tuple(self.terrain_counts)

    @property
    def n_numbered(self) -> int:
        """How many tiles carry a marker when the box's own pieces are used."""
        return sum(n for name, n in self.terrain_counts.items() if name not in UNNUMBERED)

    def adjacency(self, kind: str = "hex") -> tuple[Pair, ...]:
        """Return the pairs of tiles (lower number first) that touch.

        ``"hex"``: tiles that share an edge. ``"block"``: those, and the other diagonal of each 2 by 2
        block when the board is written as the skewed square array of "Optimal Catan".

        Raises:
            InvalidRules: no such kind.
        """
        if kind not in ADJACENCIES:
            raise InvalidRules(f"unknown adjacency {show(kind)}; choose from {listed(ADJACENCIES)}")
        return self._adjacencies[kind]

    @cached_property
    def _adjacencies(self) -> dict[str, tuple[Pair, ...]]:
        return {
            "hex": touching(self.tiles, HEX_STEPS),
            "block": touching(self.tiles, (*HEX_STEPS, BLOCK_STEP)),
        }

    def tile_neighbors(self, kind: str = "hex") -> tuple[tuple[int, ...], ...]:
        """Return, per tile, the tiles that touch it, in increasing order."""
        return neighbors(self.n_tiles, self.adjacency(kind))

    @cached_property
    def coast_tiles(self) -> frozenset[int]:
        """The tiles on the layout's rim: those with fewer than six neighbours."""
        return frozenset(t for t, around in enumerate(self.tile_neighbors()) if len(around) < 6)

    def centre_tiles(self, n: int = 1) -> frozenset[int]:
        """Return the tiles nearest the middle of all tiles: the *n* nearest, and all that are as near.

        Raises:
            InvalidArgument: *n* is not a number of tiles, from 1 to all.
        """
        count = whole_number(n)
        if count is None or not 1 <= count <= self.n_tiles:
            raise InvalidArgument(f"n is a number of tiles from 1 to {self.n_tiles}, not {show(n)}")
        distance = [3 * x**2 + y**2 for x, y in map(self._from_middle, self.tiles)]
        limit = sorted(distance)[count - 1]
        return frozenset(t for t, d in enumerate(distance) if d <= limit)

    def _from_middle(self, point: Point) -> Point:
        """The way from the middle of all tiles to *point*, in units so small that both parts are even."""
        x, y = point
        return 2 * self.n_tiles * x, 2 * (self.n_tiles * y - sum(down for _, down in self.tiles))

    # Vertices and edges

    @cached_property
    def vertices(self) -> tuple[Point, ...]:
        """The place (x, y) of each vertex."""
        corners = [(x + dx, y + dy) for x, y in self.tiles for dx, dy in CORNERS]
        return tuple(dict.fromkeys(corners))

    @cached_property
    def tile_vertices(self) -> tuple[tuple[int, ...], ...]:
        """Per tile, its six vertices clockwise from the upper right."""
        number = {point: v for v, point in enumerate(self.vertices)}
        return tuple(tuple(number[x + dx, y + dy] for dx, dy in CORNERS) for x, y in self.tiles)

    @cached_property
    def vertex_tiles(self) -> tuple[tuple[int, ...], ...]:
        """Per vertex, the one to three tiles that it touches, in increasing order."""
        touched: list[list[int]] = [[] for _ in self.vertices]
        for tile, corners in enumerate(self.tile_vertices):
            for v in corners:
                touched[v].append(tile)
        return tuple(tuple(tiles) for tiles in touched)

    @cached_property
    def edges(self) -> tuple[Pair, ...]:
        """The pairs of vertices (lower number first) that an edge joins."""
        return tuple(sorted({ordered(side) for corners in self.tile_vertices for side in sides(corners)}))

    @cached_property
    def vertex_neighbors(self) -> tuple[tuple[int, ...], ...]:
        """Per vertex, the two or three vertices at the other ends of its edges, in increasing order."""
        return neighbors(self.n_vertices, self.edges)

    @cached_property
    def coast_edges(self) -> tuple[Pair, ...]:
        """The edges of the rim, lower vertex first, clockwise from the upper left edge of the first tile."""
        clockwise = [side for corners in self.tile_vertices for side in sides(corners)]
        inner = {(b, a) for a, b in clockwise}
        following = {a: b for a, b in clockwise if (a, b) not in inner}
        here = first = self.tile_vertices[0][4]
        walk: list[Pair] = []
        while not walk or here != first:
            walk.append(ordered((here, following[here])))
            here = following[here]
        return tuple(walk)

    def check_harbors(self, harbors: Sequence[Harbor]) -> list[Harbor]:
        """Return *harbors* with the lower vertex first, in the order given.

        Raises:
            InvalidBoard: an unknown trade, a place off the coast, or two harbors that share a vertex.
        """
        if not isinstance(harbors, (list, tuple)):
            raise InvalidBoard(f"harbors are a list, not {show(harbors)}")
        taken: set[int] = set()
        checked = [_read_harbor(harbor) for harbor in harbors]
        for harbor in checked:
            a, b = harbor.vertices
            if (a, b) not in self.coast_edges:
                raise InvalidBoard(f"{show(a)}-{show(b)} is no edge of the coast of {show(self.name)}")
            if taken & {a, b}:
                raise InvalidBoard(f"the harbor at {a}-{b} shares a vertex with another")
            taken |= {a, b}
        return checked

    # Symmetries

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The layout's rotations and mirrors as permutations of tiles, the identity first.

        A permutation *p* moves what stands on tile *t* to tile ``p[t]``.
        """
        return tuple(p for p, _ in self._symmetries)

    @cached_property
    def vertex_symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The same rotations and mirrors, in the same order, as permutations of vertices."""
        return tuple(p for _, p in self._symmetries)

    @cached_property
    def _symmetries(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        tiles = {self._from_middle(place): t for t, place in enumerate(self.tiles)}
        vertices = {self._from_middle(place): v for v, place in enumerate(self.vertices)}
        return tuple(
            (tuple(tiles[turn(place)] for place in tiles), tuple(vertices[turn(place)] for place in vertices))
            for turn in turns()
            if all(turn(place) in tiles for place in tiles)
        )

    # The rule book's spiral

    @cached_property
    def spirals(self) -> tuple[tuple[int, ...], ...]:
        """From each corner, the way through all tiles: counter-clockwise along the rim, then inwards.

        Empty where the rule book gives the layout no fixed order of markers, and on a shape that no such
        way goes through.
        """
        if not self.spiral_order:
            return ()
        return tuple(way for way in spirals(self.tiles) if len(way) == self.n_tiles)

    # Arrays for numpy

    @cached_property
    def vertex_tile_array(self) -> NDArray[np.int16]:
        """`vertex_tiles` as an array of shape (vertices, 3), filled up with -1."""
        import numpy as np

        rows = [(*tiles, -1, -1)[:3] for tiles in self.vertex_tiles]
        return _read_only(np.array(rows, dtype=np.int16))

    @cached_property
    def vertex_neighbor_array(self) -> NDArray[np.int16]:
        """`vertex_neighbors` as an array of shape (vertices, 3), filled up with -1."""
        import numpy as np

        rows = [(*near, -1)[:3] for near in self.vertex_neighbors]
        return _read_only(np.array(rows, dtype=np.int16))


def find_layout(layout: str | Layout) -> Layout:
    """Return the layout of that name, or *layout* itself where it is one.

    Raises:
        InvalidBoard: no layout has that name.
    """
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise InvalidBoard(f"unknown layout {show(layout)}; layouts are {listed(LAYOUTS)}")
    return LAYOUTS[layout]


def _read_rows(rows: object) -> tuple[int, ...]:
    lengths = [whole_number(n) for n in rows] if isinstance(rows, (list, tuple)) else []
    known = tuple(n for n in lengths if n is not None and n > 0)
    if not known or len(known) != len(lengths) or any(abs(a - b) != 1 for a, b in pairwise(known)):
        raise InvalidBoard(
            f"rows {show(rows)} do not interlock: they are numbers of tiles, and neighbours differ by one"
        )
    return known


def _read_targets(targets: object) -> dict[str, float]:
    table = by_terrain("target_efficiency", targets)
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise InvalidBoard(f"target_efficiency of {name} is a number, not {show(value)}")
    return {name: float(value) for name, value in table.items()}  # type: ignore[arg-type]


def _read_harbor(harbor: object) -> Harbor:
    if not isinstance(harbor, Harbor):
        raise InvalidBoard(f"a harbor is a Harbor(vertices, trade), not {show(harbor)}")
    if harbor.trade not in TRADES:
        raise InvalidBoard(f"unknown trade {show(harbor.trade)}; trades are {listed(TRADES)}")
    given = harbor.vertices
    ends = [whole_number(v) for v in given] if isinstance(given, (list, tuple)) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        raise InvalidBoard(f"a harbor has two vertices like (4, 5), not {show(given)}")
    return Harbor(ordered((ends[0], ends[1])), harbor.trade)


def _read_only(array: NDArray[np.int16]) -> NDArray[np.int16]:
    array.setflags(write=False)
    return array


def _load() -> Mapping[str, Layout]:
    facts = json.loads(files("catan_cp").joinpath("data", "layouts.json").read_text(encoding="utf-8"))
    return MappingProxyType({name: _from_facts(name, fact) for name, fact in facts.items()})


def _from_facts(name: str, fact: dict[str, Any]) -> Layout:
    return Layout(
        name=name,
        rows=fact["rows"],
        terrain_counts=fact["terrain_counts"],
        marker_supply={int(marker): count for marker, count in fact["marker_supply"].items()},
        target_efficiency=fact["target_efficiency"],
        printed_harbors=tuple(Harbor(h["vertices"], h["trade"]) for h in fact.get("printed_harbors", [])),
        spiral_order=tuple(fact.get("spiral_order", [])),
        beginner_board=fact.get("beginner_board", ""),
    )


LAYOUTS = _load()
"""The seven layouts by name. Read-only."""
