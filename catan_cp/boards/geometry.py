"""Geometry of a layout, from its tiles: vertices, edges, coasts and symmetries.

Every property is computed on first use. Tiles are pointy-top hexagons, numbered in reading order. Vertices
are numbered tile by tile, clockwise from the upper right. A vertex keeps the number from its first tile.
Positions are exact integers: *x* in half widths of a tile, *y* in quarters of a tile's height. *x* grows to
the right and *y* grows downwards.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby, pairwise

from catan_cp.errors import InvalidArgument, InvalidBoard, InvalidRules, listed, show, whole_number

ADJACENCIES = ("hex", "block")

Point = tuple[int, int]
Pair = tuple[int, int]

VERTEX_STEPS: tuple[Point, ...] = ((1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2))
"""Offsets from a hexagon's centre to its vertices, clockwise from the upper right."""

HEX_STEPS: tuple[Point, ...] = ((2, 0), (-1, 3), (1, 3))
"""Offsets to the neighbors that share an edge and come later in reading order."""

BLOCK_STEP: Point = (-3, 3)
"""Offset to the later tile on the other diagonal of a 2 by 2 block of the skewed array."""

_NEIGHBOR_STEPS: tuple[Point, ...] = ((1, -3), (2, 0), (1, 3), (-1, 3), (-2, 0), (-1, -3))  # clockwise


class HexGeometry:
    """Shape of a set of hexagons.

    `Layout` adds the pieces.

    Attributes:
        tiles: the centre (x, y) of each tile, in reading order.
        spiral_order: the rule book's fixed order of markers, or an empty tuple.
    """

    tiles: tuple[Point, ...]
    spiral_order: tuple[int, ...]

    # Tiles

    @property
    def n_tiles(self) -> int:
        """Number of tiles."""
        return len(self.tiles)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @cached_property
    def row_tiles(self) -> tuple[tuple[int, ...], ...]:
        """Tile numbers of each row that has tiles, from top to bottom."""
        rows = groupby(range(self.n_tiles), key=lambda t: self.tiles[t][1])
        return tuple(tuple(row) for _, row in rows)

    def adjacency(self, kind: str = "hex") -> tuple[Pair, ...]:
        """Return the pairs of adjacent tiles, lower number first.

        Args:
            kind: ``"hex"`` for tiles that share an edge. ``"block"`` adds the other diagonal of each 2 by 2
                block of the skewed square array that "Optimal Catan" uses for a board.

        Raises:
            InvalidRules: *kind* is unknown.
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
        """Return the adjacent tiles of each tile, sorted, by a kind of `adjacency`."""
        self.adjacency(kind)  # raises if the kind is unknown
        return self._tile_neighbors[kind]

    @cached_property
    def _tile_neighbors(self) -> dict[str, tuple[tuple[int, ...], ...]]:
        return {kind: neighbors(self.n_tiles, pairs) for kind, pairs in self._adjacencies.items()}

    @cached_property
    def coast_tiles(self) -> frozenset[int]:
        """Tiles on the layout's rim, which have fewer than six neighbors."""
        return frozenset(t for t, around in enumerate(self.tile_neighbors()) if len(around) < 6)

    def centre_tiles(self, n: int = 1) -> frozenset[int]:
        """Return the *n* tiles nearest to the middle, and any others at the same distance.

        Raises:
            InvalidArgument: *n* is not a whole number from 1 to the number of tiles.
        """
        count = whole_number(n)
        if count is None or not 1 <= count <= self.n_tiles:
            raise InvalidArgument(f"n must be a number of tiles from 1 to {self.n_tiles}, not {show(n)}")
        # A unit of x is sqrt(3) units of y. The squared distances have a common factor.
        distance = [3 * x**2 + y**2 for x, y in map(self._from_middle, self.tiles)]
        limit = sorted(distance)[count - 1]
        return frozenset(t for t, d in enumerate(distance) if d <= limit)

    def _from_middle(self, point: Point) -> Point:
        """Return the offset from the middle of all tiles to *point*, times 2 * `n_tiles`.

        The factor makes both coordinates even integers, so that `_rotated` halves without a remainder.
        """
        (x, y), n, (x_sum, y_sum) = point, self.n_tiles, self._coordinate_sums
        return 2 * (n * x - x_sum), 2 * (n * y - y_sum)

    @cached_property
    def _coordinate_sums(self) -> Point:
        return sum(x for x, _ in self.tiles), sum(y for _, y in self.tiles)

    # Vertices and edges

    @cached_property
    def vertices(self) -> tuple[Point, ...]:
        """Position (x, y) of each vertex."""
        points = [(x + dx, y + dy) for x, y in self.tiles for dx, dy in VERTEX_STEPS]
        return tuple(dict.fromkeys(points))

    @cached_property
    def _vertex_at(self) -> Mapping[Point, int]:
        return {point: v for v, point in enumerate(self.vertices)}

    def hexagon_vertices(self, centre: Point) -> tuple[int, ...]:
        """Return the vertices of a hexagon clockwise from the upper right.

        A vertex that is not on a tile is -1.
        """
        x, y = centre
        return tuple(self._vertex_at.get((x + dx, y + dy), -1) for dx, dy in VERTEX_STEPS)

    @cached_property
    def tile_vertices(self) -> tuple[tuple[int, ...], ...]:
        """Six vertices of each tile, clockwise from the upper right."""
        return tuple(map(self.hexagon_vertices, self.tiles))

    @cached_property
    def vertex_tiles(self) -> tuple[tuple[int, ...], ...]:
        """One to three tiles at each vertex, in increasing order."""
        touching_tiles: list[list[int]] = [[] for _ in self.vertices]
        for tile, vertices in enumerate(self.tile_vertices):
            for v in vertices:
                touching_tiles[v].append(tile)
        return tuple(tuple(tiles) for tiles in touching_tiles)

    @cached_property
    def inner_vertices(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Vertices that touch three tiles, each with these tiles."""
        return tuple((v, tiles) for v, tiles in enumerate(self.vertex_tiles) if len(tiles) == 3)

    @cached_property
    def edges(self) -> tuple[Pair, ...]:
        """Pairs of vertices that an edge joins, lower number first."""
        return tuple(sorted({ordered(e) for vertices in self.tile_vertices for e in hexagon_edges(vertices)}))

    @cached_property
    def edge_tiles(self) -> Mapping[Pair, tuple[int, ...]]:
        """One or two tiles that each edge bounds, in increasing order."""
        tiles: dict[Pair, tuple[int, ...]] = dict.fromkeys(self.edges, ())
        for tile, vertices in enumerate(self.tile_vertices):
            for edge in hexagon_edges(vertices):
                tiles[ordered(edge)] += (tile,)
        return tiles

    @cached_property
    def vertex_neighbors(self) -> tuple[tuple[int, ...], ...]:
        """Two or three vertices that share an edge with each vertex, in increasing order."""
        return neighbors(self.n_vertices, self.edges)

    @cached_property
    def coast_edges(self) -> tuple[Pair, ...]:
        """Edges of the rim, lower vertex first, in clockwise order.

        They start at the upper left edge of the first tile. If the rim has several parts (islands, holes),
        the others follow in the order of their tiles.
        """
        clockwise = [edge for vertices in self.tile_vertices for edge in hexagon_edges(vertices)]
        opposite = {(b, a) for a, b in clockwise}  # has an inner edge, since two tiles share it
        following = {a: b for a, b in clockwise if (a, b) not in opposite}
        rim: list[Pair] = []
        # Vertex 4 of a tile is the upper left one.
        for start in [vertices[(4 + i) % 6] for vertices in self.tile_vertices for i in range(6)]:
            vertex = start
            while vertex in following:  # each edge is used once, so the loop ends at its start
                successor = following.pop(vertex)
                rim.append(ordered((vertex, successor)))
                vertex = successor
        return tuple(rim)

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """Connected components of the tiles, each in increasing order."""
        return components(range(self.n_tiles), self.adjacency())

    # Symmetries

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Rotations and reflections as permutations of tiles, the identity first.

        They are the symmetries of the shape that keep the layout's requirements, such as fixed tiles. A
        permutation *p* moves the pieces on tile *t* to tile ``p[t]``.
        """
        return tuple(p for p, _ in self._symmetries)

    @cached_property
    def vertex_symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The same symmetries in the same order, as permutations of vertices."""
        return tuple(p for _, p in self._symmetries)

    @cached_property
    def _symmetries(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        tiles = {self._from_middle(place): t for t, place in enumerate(self.tiles)}
        vertices = {self._from_middle(place): v for v, place in enumerate(self.vertices)}
        return tuple(
            (tuple(tiles[move(place)] for place in tiles), tuple(vertices[move(place)] for place in vertices))
            for move in grid_symmetries()
            if all(move(place) in tiles for place in tiles)
            and self._keeps_requirements([tiles[move(place)] for place in tiles])
        )

    def _keeps_requirements(self, permutation: Sequence[int]) -> bool:
        """Return True if each tile moves to a tile with the same requirements."""
        return True

    # The rule book's spiral

    @cached_property
    def spirals(self) -> tuple[tuple[int, ...], ...]:
        """Spirals through all tiles, one from each corner tile.

        A spiral goes counter-clockwise along the rim, then inwards.

        Empty if the layout has no `spiral_order`, or if no spiral reaches all tiles of its shape.
        """
        paths = spirals(self.tiles) if self.spiral_order else []
        return tuple(path for path in paths if len(path) == self.n_tiles)


# Centres from input


def row_centres(rows: Sequence[int]) -> tuple[Point, ...]:
    """Return the centres of rows of hexagons that share one vertical axis."""
    return tuple((2 * i - (n - 1), 3 * row) for row, n in enumerate(rows) for i in range(n))


def read_rows(rows: object) -> tuple[int, ...]:
    """Return the number of tiles of each row.

    Raises:
        InvalidBoard: *rows* is not a list of positive numbers in which neighbors differ by one.
    """
    lengths = [whole_number(n) for n in rows] if isinstance(rows, (list, tuple)) else []
    known = tuple(n for n in lengths if n is not None and n > 0)
    if not known or len(known) != len(lengths) or any(abs(a - b) != 1 for a, b in pairwise(known)):
        raise InvalidBoard(
            f"rows {show(rows)} do not interlock: they must be numbers of tiles, and neighbors differ by one"
        )
    return known


def read_centres(tiles: object, frame: object) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return the centres of tiles and frame, moved to row 0 and centred on x = 0.

    Raises:
        InvalidBoard: centres are not points, not in reading order, or do not interlock.
    """
    centres, sea = _points(tiles), _points(frame)
    both = centres + sea
    if centres != sorted(centres, key=reading_order):
        raise InvalidBoard("the centres of tiles must be in reading order: row by row, each from the left")
    if len(set(both)) != len(both):
        raise InvalidBoard("two hexagons have the same centre")
    if any(y % 3 for _, y in both) or len({(x + y // 3) % 2 for x, y in both}) > 1:
        raise InvalidBoard(
            "the centres of hexagons do not interlock: rows must be 3 apart and shifted by 1 against the next"
        )
    xs = [x for x, _ in centres]
    middle, top = (min(xs) + max(xs)) // 2, centres[0][1]
    moved = [(x - middle, y - top) for x, y in [*centres, *sorted(sea, key=reading_order)]]
    return tuple(moved[: len(centres)]), tuple(moved[len(centres) :])


def reading_order(point: Point) -> Point:
    """Return the sort key of a point: row by row, each row from the left."""
    return point[1], point[0]


def _points(points: object) -> list[Point]:
    if not isinstance(points, (list, tuple)):
        raise InvalidBoard(f"centres must be a list of points (x, y), not {show(points)}")
    centres = []
    for point in points:
        if (pair := whole_pair(point)) is None:
            raise InvalidBoard(f"a centre must be a point (x, y) of whole numbers, not {show(point)}")
        centres.append(pair)
    return centres


def whole_pair(value: object) -> Pair | None:
    """Return *value* as a pair if it is a list of two whole numbers, otherwise None."""
    both = [whole_number(n) for n in value] if isinstance(value, (list, tuple)) else []
    return (both[0], both[1]) if len(both) == 2 and both[0] is not None and both[1] is not None else None


# Hexagons by their centres


def touching(centres: Sequence[Point], steps: Sequence[Point]) -> tuple[Pair, ...]:
    """Return the sorted pairs of hexagons that are one of *steps* apart.

    Each pair has the lower number first.
    """
    number = {centre: tile for tile, centre in enumerate(centres)}
    pairs = (
        (tile, number[x + dx, y + dy])
        for tile, (x, y) in enumerate(centres)
        for dx, dy in steps
        if (x + dx, y + dy) in number
    )
    return tuple(sorted(pairs))


def neighbors(n: int, pairs: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return the neighbors of each node of a graph with nodes 0 to n - 1, sorted.

    >>> neighbors(3, [(0, 2), (0, 1)])
    ((1, 2), (0,), (0,))
    """
    adjacent: list[list[int]] = [[] for _ in range(n)]
    for a, b in pairs:
        adjacent[a].append(b)
        adjacent[b].append(a)
    return tuple(tuple(sorted(nodes)) for nodes in adjacent)


def components(nodes: Iterable[int], pairs: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return the connected components of a graph, sorted by their lowest nodes.

    >>> components(range(4), [(0, 2), (1, 3)])
    ((0, 2), (1, 3))
    """
    component = {node: [node] for node in nodes}
    for a, b in pairs:
        if component[a] is not (other := component[b]):
            component[a] += other
            component.update(dict.fromkeys(other, component[a]))
    distinct = {id(members): members for members in component.values()}.values()
    return tuple(sorted(tuple(sorted(members)) for members in distinct))


def hexagon_edges(vertices: Sequence[int]) -> list[Pair]:
    """Return the edges of a hexagon, each from a vertex to the next vertex."""
    return [(vertices[i], vertices[(i + 1) % 6]) for i in range(6)]


def ordered(pair: Pair) -> Pair:
    """Return *pair* with the lower number first."""
    a, b = pair
    return (a, b) if a < b else (b, a)


def grid_symmetries() -> list[Callable[[Point], Point]]:
    """Return the twelve symmetries of the grid about (0, 0), the identity first.

    They map points with even x - y to points with even x - y.
    """
    return [partial(_rotated, times, sign) for sign in (1, -1) for times in range(6)]


def _rotated(times: int, sign: int, point: Point) -> Point:
    """Rotate a point clockwise by *times* * 60 degrees, reflected first if *sign* is -1.

    x - y must be even. Then it stays even, and both halves below are integers.
    """
    x, y = sign * point[0], point[1]
    for _ in range(times):
        x, y = (x - y) // 2, (3 * x + y) // 2
    return x, y


def spirals(centres: Sequence[Point]) -> list[tuple[int, ...]]:
    """Return the spiral that starts at each corner tile, a tile with three neighbors.

    A spiral leaves counter-clockwise along the rim, goes straight on if it can, and otherwise turns left to
    the next free tile. It ends when no neighbor is free. On shapes with dents it may end before it reached
    all tiles.

    >>> spirals(row_centres([2, 3, 2]))[0]
    (0, 2, 5, 6, 4, 1, 3)
    """
    number = {centre: tile for tile, centre in enumerate(centres)}
    around = [[number.get((x + dx, y + dy), -1) for dx, dy in _NEIGHBOR_STEPS] for x, y in centres]
    paths = []
    for start in (tile for tile, adjacent in enumerate(around) if adjacent.count(-1) == 3):
        adjacent, path = around[start], [start]
        # The first direction follows the rim: it has a neighbor, and the direction to its right has none.
        directions = [d for d in range(6) if adjacent[d] >= 0 > adjacent[(d + 1) % 6]]
        while directions:
            heading = directions[0]
            path.append(around[path[-1]][heading])
            adjacent = around[path[-1]]
            directions = [d for turn in range(6) if adjacent[d := (heading - turn) % 6] not in (-1, *path)]
        paths.append(tuple(path))
    return paths
