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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

from catan_cp.errors import InvalidBoard, InvalidRules, listed, show
from catan_cp.pieces import TERRAINS, UNNUMBERED, terrain_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Point = tuple[int, int]
Pair = tuple[int, int]

ADJACENCIES = ("hex", "block")

_CORNERS: tuple[Point, ...] = ((1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2))
_HEX_STEPS: tuple[Point, ...] = ((2, 0), (-1, 3), (1, 3))
_BLOCK_STEP: Point = (-3, 3)


@dataclass(frozen=True)
class Harbor:
    """A coast edge with a trade: ``"3:1"``, or a resource for a 2:1 harbor."""

    vertices: Pair
    trade: str


@dataclass(frozen=True)
class Layout:
    """A board's shape and the pieces that fill it. Immutable; geometry is computed on first use.

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
        InvalidBoard: rows that do not interlock, or pieces that do not fill them.
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
        if not self.rows or min(self.rows) < 1 or any(abs(a - b) != 1 for a, b in pairwise(self.rows)):
            raise InvalidBoard(f"rows {show(self.rows)} do not interlock: neighbours differ by one tile")
        counts = {terrain_name(name): count for name, count in self.terrain_counts.items()}
        ordered = {name: counts[name] for name in TERRAINS if counts.get(name)}
        if min(counts.values(), default=0) < 0 or sum(ordered.values()) != sum(self.rows):
            raise InvalidBoard(f"{show(dict(self.terrain_counts))} does not fill the {sum(self.rows)} tiles")
        object.__setattr__(self, "terrain_counts", ordered)

    def __hash__(self) -> int:
        return hash((self.name, self.rows))

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
        return {"hex": self._pairs(_HEX_STEPS), "block": self._pairs((*_HEX_STEPS, _BLOCK_STEP))}

    def _pairs(self, steps: tuple[Point, ...]) -> tuple[Pair, ...]:
        number = {centre: tile for tile, centre in enumerate(self.tiles)}
        found = (
            (tile, number[x + dx, y + dy])
            for tile, (x, y) in enumerate(self.tiles)
            for dx, dy in steps
            if (x + dx, y + dy) in number
        )
        return tuple(sorted(found))

    def tile_neighbors(self, kind: str = "hex") -> tuple[tuple[int, ...], ...]:
        """Return, per tile, the tiles that touch it, in increasing order."""
        return _neighbors(self.n_tiles, self.adjacency(kind))

    @cached_property
    def coast_tiles(self) -> frozenset[int]:
        """The tiles on the layout's rim: those with fewer than six neighbours."""
        return frozenset(t for t, around in enumerate(self.tile_neighbors()) if len(around) < 6)

    def centre_tiles(self, n: int = 1) -> frozenset[int]:
        """Return the tiles nearest the layout's centre: the *n* nearest, and all that are as near."""
        middle = 3 * (len(self.rows) - 1)
        distance = [3 * (2 * x) ** 2 + (2 * y - middle) ** 2 for x, y in self.tiles]
        limit = sorted(distance)[max(n, 1) - 1]
        return frozenset(t for t, d in enumerate(distance) if d <= limit)

    # Vertices and edges

    @cached_property
    def vertices(self) -> tuple[Point, ...]:
        """The place (x, y) of each vertex."""
        corners = [(x + dx, y + dy) for x, y in self.tiles for dx, dy in _CORNERS]
        return tuple(dict.fromkeys(corners))

    @cached_property
    def tile_vertices(self) -> tuple[tuple[int, ...], ...]:
        """Per tile, its six vertices clockwise from the upper right."""
        number = {point: v for v, point in enumerate(self.vertices)}
        return tuple(tuple(number[x + dx, y + dy] for dx, dy in _CORNERS) for x, y in self.tiles)

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
        sides = {_ordered(side) for corners in self.tile_vertices for side in _sides(corners)}
        return tuple(sorted(sides))

    @cached_property
    def vertex_neighbors(self) -> tuple[tuple[int, ...], ...]:
        """Per vertex, the two or three vertices at the other ends of its edges, in increasing order."""
        return _neighbors(self.n_vertices, self.edges)

    @cached_property
    def coast_edges(self) -> tuple[Pair, ...]:
        """The edges of the rim, lower vertex first, clockwise from the upper left edge of the first tile."""
        sides = [side for corners in self.tile_vertices for side in _sides(corners)]
        inner = {(b, a) for a, b in sides}
        following = {a: b for a, b in sides if (a, b) not in inner}
        here = first = self.tile_vertices[0][4]
        walk: list[Pair] = []
        while not walk or here != first:
            walk.append(_ordered((here, following[here])))
            here = following[here]
        return tuple(walk)

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
        middle = 3 * (len(self.rows) - 1)  # twice the y of the centre; x is centred on 0 already
        tiles = {(4 * x, 4 * y - 2 * middle): t for t, (x, y) in enumerate(self.tiles)}
        vertices = {(4 * x, 4 * y - 2 * middle): v for v, (x, y) in enumerate(self.vertices)}
        found: dict[tuple[int, ...], tuple[int, ...]] = {}
        for turn in _turns():
            moved_tiles = [tiles.get(turn(p)) for p in tiles]
            moved_vertices = [vertices.get(turn(p)) for p in vertices]
            whole = tuple(t for t in moved_tiles if t is not None)
            if len(whole) == len(tiles):
                found.setdefault(whole, tuple(v for v in moved_vertices if v is not None))
        return tuple(found.items())

    # The rule book's spiral

    @cached_property
    def spirals(self) -> tuple[tuple[int, ...], ...]:
        """From each corner, the way through all tiles: counter-clockwise along the rim, then inwards.

        Empty where the rule book gives the layout no fixed order of markers.
        """
        if not self.spiral_order:
            return ()
        around = self._clockwise_neighbors
        corners = [t for t, near in enumerate(around) if sum(n is not None for n in near) == 3]
        return tuple(self._spiral_from(corner) for corner in corners)

    @cached_property
    def _clockwise_neighbors(self) -> tuple[tuple[int | None, ...], ...]:
        number = {centre: tile for tile, centre in enumerate(self.tiles)}
        steps = ((1, -3), (2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3))
        return tuple(tuple(number.get((x + dx, y + dy)) for dx, dy in steps) for x, y in self.tiles)

    def _spiral_from(self, corner: int) -> tuple[int, ...]:
        around = self._clockwise_neighbors
        # Off along the rim, the outside on the right hand; then straight on, and left where the way ends.
        first = around[corner]
        heading = next(d for d in range(6) if first[d] is not None and first[(d + 1) % 6] is None)
        path = [corner]
        while True:
            turns = [(heading - left) % 6 for left in range(6)]
            ahead = ((d, around[path[-1]][d]) for d in turns)
            step = next(((d, t) for d, t in ahead if t is not None and t not in path), None)
            if step is None:
                return tuple(path)
            heading = step[0]
            path.append(step[1])

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


def _turns() -> list[Callable[[Point], Point]]:
    """The twelve rotations and mirrors of a hexagonal grid about the origin."""

    def power(times: int, mirrored: bool) -> Callable[[Point], Point]:
        def turn(point: Point) -> Point:
            x, y = point
            if mirrored:
                x = -x
            for _ in range(times):  # by 60 degrees; x - y is even for all these points, and stays so
                x, y = (x - y) // 2, (3 * x + y) // 2
            return x, y

        return turn

    return [power(times, mirrored) for mirrored in (False, True) for times in range(6)]


def _sides(corners: tuple[int, ...]) -> list[Pair]:
    return [(corners[i], corners[(i + 1) % 6]) for i in range(6)]


def _ordered(pair: Pair) -> Pair:
    a, b = pair
    return (a, b) if a < b else (b, a)


def _neighbors(n: int, pairs: tuple[Pair, ...]) -> tuple[tuple[int, ...], ...]:
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    return tuple(tuple(sorted(around)) for around in near)


def _read_only(array: NDArray[np.int16]) -> NDArray[np.int16]:
    array.setflags(write=False)
    return array


def _load() -> dict[str, Layout]:
    facts = json.loads(files("catan_cp").joinpath("data", "layouts.json").read_text(encoding="utf-8"))
    return {
        name: Layout(
            name=name,
            rows=tuple(fact["rows"]),
            terrain_counts=fact["terrain_counts"],
            marker_supply={int(marker): count for marker, count in fact["marker_supply"].items()},
            target_efficiency=fact["target_efficiency"],
            printed_harbors=tuple(
                Harbor((h["vertices"][0], h["vertices"][1]), h["trade"])
                for h in fact.get("printed_harbors", [])
            ),
            spiral_order=tuple(fact.get("spiral_order", [])),
            beginner_board=fact.get("beginner_board", ""),
        )
        for name, fact in facts.items()
    }


LAYOUTS: Mapping[str, Layout] = _load()
"""The seven layouts by name."""
