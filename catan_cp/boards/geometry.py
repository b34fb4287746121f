"""What follows from where a layout's tiles are: vertices, edges, coasts and symmetries.

Everything is computed on first use. Tiles are pointy-top hexagons in reading order; vertices are numbered in
the order in which a walk through the tiles meets their corners, round each tile clockwise from the upper
right. Positions are exact integers: *x* in half widths of a tile, *y* in quarters of a tile's height, growing
rightwards and downwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

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
from catan_cp.errors import InvalidArgument, InvalidRules, listed, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ADJACENCIES = ("hex", "block")


class Geometry:
    """The shape of a set of hexagons; `Layout` adds the pieces.

    Attributes:
        tiles: the centre (x, y) of each tile, in reading order.
        spiral_order: the rule book's fixed order of markers; without one there are no spirals.
    """

    tiles: tuple[Point, ...]
    spiral_order: tuple[int, ...]

    # Tiles

    @property
    def n_tiles(self) -> int:
        """How many tiles there are."""
        return len(self.tiles)

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.vertices)

    @cached_property
    def row_tiles(self) -> tuple[tuple[int, ...], ...]:
        """The tile numbers of each row that has tiles, from top to bottom."""
        rows = groupby(range(self.n_tiles), key=lambda t: self.tiles[t][1])
        return tuple(tuple(row) for _, row in rows)

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
        """Return, per tile, the tiles that touch it, in increasing order; see `adjacency`."""
        self.adjacency(kind)  # refuses what is none
        return self._tile_neighbors[kind]

    @cached_property
    def _tile_neighbors(self) -> dict[str, tuple[tuple[int, ...], ...]]:
        return {kind: neighbors(self.n_tiles, pairs) for kind, pairs in self._adjacencies.items()}

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
        (x, y), n, (across, down) = point, self.n_tiles, self._sums
        return 2 * (n * x - across), 2 * (n * y - down)

    @cached_property
    def _sums(self) -> Point:
        return sum(x for x, _ in self.tiles), sum(y for _, y in self.tiles)

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
    def inner_vertices(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The vertices that touch three tiles, each with these tiles."""
        return tuple((v, tiles) for v, tiles in enumerate(self.vertex_tiles) if len(tiles) == 3)

    @cached_property
    def edges(self) -> tuple[Pair, ...]:
        """The pairs of vertices (lower number first) that an edge joins."""
        return tuple(sorted({ordered(side) for corners in self.tile_vertices for side in sides(corners)}))

    @cached_property
    def edge_tiles(self) -> Mapping[Pair, tuple[int, ...]]:
        """Per edge, the one or two tiles that it bounds, in increasing order."""
        found: dict[Pair, tuple[int, ...]] = dict.fromkeys(self.edges, ())
        for tile, corners in enumerate(self.tile_vertices):
            for side in sides(corners):
                found[ordered(side)] += (tile,)
        return found

    @cached_property
    def vertex_neighbors(self) -> tuple[tuple[int, ...], ...]:
        """Per vertex, the two or three vertices at the other ends of its edges, in increasing order."""
        return neighbors(self.n_vertices, self.edges)

    @cached_property
    def coast_edges(self) -> tuple[Pair, ...]:
        """The edges of the rim, lower vertex first, clockwise from the upper left edge of the first tile.

        Where the rim has several parts (islands, holes), the others follow in the order of their tiles.
        """
        clockwise = [side for corners in self.tile_vertices for side in sides(corners)]
        inner = {(b, a) for a, b in clockwise}
        following = {a: b for a, b in clockwise if (a, b) not in inner}
        walk: list[Pair] = []
        for start in [corners[(4 + i) % 6] for corners in self.tile_vertices for i in range(6)]:
            here = start
            while here in following:  # each step is taken once, so the walk ends where it began
                there = following.pop(here)
                walk.append(ordered((here, there)))
                here = there
        return tuple(walk)

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The tiles that hang together, part by part, each in increasing order."""
        near, seen, found = self.tile_neighbors(), set[int](), []
        for tile in range(self.n_tiles):
            if tile not in seen:
                part, todo = {tile}, [tile]
                while todo:
                    new = [n for n in near[todo.pop()] if n not in part]
                    part.update(new)
                    todo += new
                seen |= part
                found.append(tuple(sorted(part)))
        return tuple(found)

    # Symmetries

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The layout's rotations and mirrors as permutations of tiles, the identity first.

        Those of the shape that also keep what the layout fixes. A permutation *p* moves what stands on
        tile *t* to tile ``p[t]``.
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
            and self._keeps_places([tiles[turn(place)] for place in tiles])
        )

    def _keeps_places(self, moved: Sequence[int]) -> bool:
        """Whether a permutation of the tiles moves each to one of which the layout says the same."""
        return True

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


def _read_only(array: NDArray[np.int16]) -> NDArray[np.int16]:
    array.setflags(write=False)
    return array
