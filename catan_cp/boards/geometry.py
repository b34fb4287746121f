"""What follows from where a layout's tiles are: vertices, edges, coasts and symmetries.

Everything is computed on first use. Tiles are pointy-top hexagons in reading order; vertices are numbered in
the order in which a walk through the tiles meets their corners, round each tile clockwise from the upper
right. Positions are exact integers: *x* in half widths of a tile, *y* in quarters of a tile's height, growing
rightwards and downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby, pairwise

from catan_cp.errors import InvalidArgument, InvalidBoard, InvalidRules, listed, show, whole_number

ADJACENCIES = ("hex", "block")

Point = tuple[int, int]
Pair = tuple[int, int]

CORNERS: tuple[Point, ...] = ((1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2))
"""From a hexagon's centre to its corners, clockwise from the upper right."""

HEX_STEPS: tuple[Point, ...] = ((2, 0), (-1, 3), (1, 3))
"""From a centre to those neighbours across an edge that come later in reading order."""

BLOCK_STEP: Point = (-3, 3)
"""Along the other diagonal of a 2 by 2 block of the skewed array, to the one later in reading order."""

_AROUND: tuple[Point, ...] = ((1, -3), (2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3))


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
    def _vertex_at(self) -> Mapping[Point, int]:
        return {point: v for v, point in enumerate(self.vertices)}

    def hexagon_vertices(self, centre: Point) -> tuple[int, ...]:
        """Return the vertices of a hexagon, clockwise from the upper right; -1 where no tile has one."""
        x, y = centre
        return tuple(self._vertex_at.get((x + dx, y + dy), -1) for dx, dy in CORNERS)

    @cached_property
    def tile_vertices(self) -> tuple[tuple[int, ...], ...]:
        """Per tile, its six vertices clockwise from the upper right."""
        return tuple(map(self.hexagon_vertices, self.tiles))

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
        return components(range(self.n_tiles), self.adjacency())

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
        ways = spirals(self.tiles) if self.spiral_order else []
        return tuple(way for way in ways if len(way) == self.n_tiles)


# What places are read from


def rowed(rows: Sequence[int]) -> tuple[Point, ...]:
    """Return the centres of rows of hexagons, each centred above the next."""
    return tuple((2 * i - (n - 1), 3 * row) for row, n in enumerate(rows) for i in range(n))


def read_rows(rows: object) -> tuple[int, ...]:
    """Return the numbers of tiles of rows that interlock.

    Raises:
        InvalidBoard: they are none, or neighbours do not differ by one.
    """
    lengths = [whole_number(n) for n in rows] if isinstance(rows, (list, tuple)) else []
    known = tuple(n for n in lengths if n is not None and n > 0)
    if not known or len(known) != len(lengths) or any(abs(a - b) != 1 for a, b in pairwise(known)):
        raise InvalidBoard(
            f"rows {show(rows)} do not interlock: they are numbers of tiles, and neighbours differ by one"
        )
    return known


def read_centres(tiles: object, frame: object) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return the centres of tiles and frame, moved so that the tiles start in row 0 and have x about 0.

    Raises:
        InvalidBoard: they are no points, out of order, or do not interlock.
    """
    centres, sea = _points(tiles), _points(frame)
    both = centres + sea
    if centres != sorted(centres, key=reading_order):
        raise InvalidBoard("the centres of tiles are given in reading order: row by row, each from the left")
    if len(set(both)) != len(both):
        raise InvalidBoard("two hexagons have the same centre")
    if any(y % 3 for _, y in both) or len({(x + y // 3) % 2 for x, y in both}) > 1:
        raise InvalidBoard("the centres of hexagons do not interlock: rows are 3 apart and shifted by 1")
    xs = [x for x, _ in centres]
    left, top = (min(xs) + max(xs)) // 2, centres[0][1]
    moved = [(x - left, y - top) for x, y in [*centres, *sorted(sea, key=reading_order)]]
    return tuple(moved[: len(centres)]), tuple(moved[len(centres) :])


def reading_order(point: Point) -> Point:
    """Return by what points are sorted row by row, each row from the left."""
    return point[1], point[0]


def _points(points: object) -> list[Point]:
    if not isinstance(points, (list, tuple)):
        raise InvalidBoard(f"centres are a list of points (x, y), not {show(points)}")
    found = []
    for point in points:
        if (pair := whole_pair(point)) is None:
            raise InvalidBoard(f"a centre is a point (x, y) of whole numbers, not {show(point)}")
        found.append(pair)
    return found


def whole_pair(value: object) -> Pair | None:
    """Return the two whole numbers that *value* is a list of; None where it is something else."""
    both = [whole_number(n) for n in value] if isinstance(value, (list, tuple)) else []
    return (both[0], both[1]) if len(both) == 2 and both[0] is not None and both[1] is not None else None


# Hexagons by their places alone


def touching(centres: Sequence[Point], steps: Sequence[Point]) -> tuple[Pair, ...]:
    """Return the pairs of hexagons, lower number first and in order, that are one of *steps* apart."""
    number = {centre: tile for tile, centre in enumerate(centres)}
    found = (
        (tile, number[x + dx, y + dy])
        for tile, (x, y) in enumerate(centres)
        for dx, dy in steps
        if (x + dx, y + dy) in number
    )
    return tuple(sorted(found))


def neighbors(n: int, pairs: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return, for each of *n* things, those that it is paired with, in increasing order."""
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    return tuple(tuple(sorted(around)) for around in near)


def components(things: Iterable[int], pairs: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return the sets of things that *pairs* of them connect, each in increasing order, by their lowest."""
    part = {thing: [thing] for thing in things}
    for a, b in pairs:
        if part[a] is not (other := part[b]):
            part[a] += other
            part.update(dict.fromkeys(other, part[a]))
    parts = {id(each): each for each in part.values()}.values()
    return tuple(sorted(tuple(sorted(each)) for each in parts))


def sides(corners: Sequence[int]) -> list[Pair]:
    """Return the edges round a hexagon, each from corner to next corner, from the first corner on."""
    return [(corners[i], corners[(i + 1) % 6]) for i in range(6)]


def ordered(pair: Pair) -> Pair:
    """Return *pair* with the lower number first."""
    a, b = pair
    return (a, b) if a < b else (b, a)


def turns() -> list[Callable[[Point], Point]]:
    """Return the twelve rotations and mirrors of the grid about (0, 0), first the one that moves nothing.

    They take points of which x - y is even, and so are those that they give.
    """
    return [partial(_turned, times, side) for side in (1, -1) for times in range(6)]


def _turned(times: int, side: int, point: Point) -> Point:
    x, y = side * point[0], point[1]
    for _ in range(times):  # by 60 degrees, clockwise
        x, y = (x - y) // 2, (3 * x + y) // 2
    return x, y


def spirals(centres: Sequence[Point]) -> list[tuple[int, ...]]:
    """Return, from each corner hexagon (one with three neighbours), the way round and inwards.

    It leaves counter-clockwise along the rim, goes straight on while it can, and turns left where it cannot.
    It ends where nothing is left to the left, which in shapes with dents may be early.
    """
    number = {centre: tile for tile, centre in enumerate(centres)}
    around = [[number.get((x + dx, y + dy), -1) for dx, dy in _AROUND] for x, y in centres]
    found = []
    for corner in (tile for tile, near in enumerate(around) if near.count(-1) == 3):
        near, path = around[corner], [corner]
        # Off along the rim: the direction with a neighbour that has none on its right hand.
        ways = [d for d in range(6) if near[d] >= 0 > near[(d + 1) % 6]]
        while ways:
            heading = ways[0]
            path.append(around[path[-1]][heading])
            near = around[path[-1]]
            ways = [d for left in range(6) if near[d := (heading - left) % 6] not in (-1, *path)]
        found.append(tuple(path))
    return found
