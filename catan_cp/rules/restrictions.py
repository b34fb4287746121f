"""Restrictions: rules as tables of integers and names.

Exact counts, random walks and deals read the tables, and `Restriction.breaches` checks a board with them.
So a rule that states its restrictions needs no checker. The numbers, pips and colour of a marker are looked
up once, when a table is made. The marker 0 means a tile without one.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("o6w8l9/g12b5w4b10/g9l11dl3o8/l6o3g4w5/b2g10w11")
>>> apart = MarkersApart(board.layout.adjacency("hex"), frozenset({(6, 8), (8, 6)}))
>>> [text for text, tiles in apart.breaches(board)]
['6 on tile 0 touches 8 on tile 1']
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, pairwise, repeat
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import components
from catan_cp.boards.layout import Layout, Pair
from catan_cp.boards.pieces import MARKERS, UNNUMBERED
from catan_cp.errors import amount

Breach = tuple[str, tuple[int, ...]] | tuple[str, tuple[int, ...], tuple[int, ...]]
"""The text, the tiles and, if any, the vertices of a `Violation`."""

MarkerPairs = frozenset[tuple[int, int]]
"""Pairs of markers that exclude each other, in both orders."""


@dataclass(frozen=True)
class Restriction:
    """A rule as tables."""

    def breaches(self, board: Board) -> Iterable[Breach]:
        """Yield the breaches of the restriction by a board with the pieces that it is about."""
        raise NotImplementedError

    def to_mapping(self) -> dict[str, Any]:
        """Return the tables as plain data for JSON, and the name of the class as ``kind``.

        Sets become sorted lists. Texts for messages are left out.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        tables = {name: _as_json(value) for name, value in values.items() if not isinstance(value, str)}
        return {"kind": type(self).__name__, **tables}


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset):
        return sorted(map(_as_json, value))
    return list(map(_as_json, value)) if isinstance(value, tuple) else value


def marker_pairs(layout: Layout, exclude: Callable[[int, int], bool]) -> MarkerPairs:
    """Return the pairs of markers of which a number of the first excludes one of the second.

    Args:
        layout: the layout, which states the second number of a marker.
        exclude: a symmetric relation of two numbers.
    """
    numbers = {marker: layout.numbers_of(marker) for marker in MARKERS}
    return frozenset(
        (a, b)
        for a in MARKERS
        for b in MARKERS
        if any(exclude(first, second) for first in numbers[a] for second in numbers[b])
    )


def marker_values(layout: Layout, bare: int, value: Callable[[int], int]) -> tuple[int, ...]:
    """Return the value of each marker from 0 to 12.

    Args:
        layout: the layout, which states the second number of a marker.
        bare: the value of a tile without a marker.
        value: returns the value of one number of a marker.
    """
    return (bare, *(sum(map(value, layout.numbers_of(marker))) for marker in range(1, 13)))


# ---- Terrain


@dataclass(frozen=True)
class Barred(Restriction):
    """Pairs of a tile and a terrain that is not allowed there, and the reason for messages."""

    places: frozenset[tuple[int, str]]
    reason: str = "not allowed there"

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each tile with a barred terrain."""
        for tile, name in enumerate(board.terrain):
            if (tile, name) in self.places:
                yield f"{name} on tile {tile}, {self.reason}", (tile,)


@dataclass(frozen=True)
class TerrainsApart(Restriction):
    """Terrains that must not be on both tiles of a pair.

    Each set in *terrains* has two terrains, or one that must not be on both tiles.
    """

    pairs: tuple[Pair, ...]
    terrains: frozenset[frozenset[str]]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each pair of tiles."""
        terrain = board.terrain
        for a, b in self.pairs:
            if frozenset((terrain[a], terrain[b])) in self.terrains:
                yield f"{terrain[a]} on tile {a} touches {terrain[b]} on tile {b}", (a, b)


@dataclass(frozen=True)
class ClusterMax(Restriction):
    """The maximum size of a group of tiles of one terrain, except terrains that carry no marker."""

    size: int
    pairs: tuple[Pair, ...]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each group that is too large."""
        terrain = board.terrain
        equal = [(a, b) for a, b in self.pairs if terrain[a] == terrain[b]]
        for cluster in components(range(board.layout.n_tiles), equal):
            name = terrain[cluster[0]]
            if len(cluster) > self.size and name not in board.layout.unnumbered:
                text = f"{len(cluster)} touching tiles of {name}, more than {self.size}, {on_tiles(cluster)}"
                yield text, cluster


@dataclass(frozen=True)
class GroupPieces(Restriction):
    """The pieces of a group of tiles: terrains, or markers. No piece may be there more often.

    Attributes:
        number: the number of the group in the layout.
        part: ``"terrain"`` or ``"markers"``.
        tiles: the tiles of the group without a fixed piece.
        pieces: the number of pieces of each terrain or marker.
    """

    number: int
    part: str
    tiles: tuple[int, ...]
    pieces: Mapping[Any, int]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach if the group has more of a piece."""
        placed = getattr(board, self.part)
        if Counter(placed[tile] for tile in self.tiles if placed[tile] is not None) - Counter(self.pieces):
            noun = self.part.replace("terrain", "terrains")
            yield f"group {self.number} does not have its own {noun}", self.tiles


@dataclass(frozen=True)
class Rising(Restriction):
    """Tiles whose terrain codes increase strictly in this order."""

    tiles: tuple[int, ...]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach if the codes do not increase."""
        codes = [board.layout.terrain_codes[board.terrain[tile]] for tile in self.tiles]
        if not all(a < b for a, b in pairwise(codes)):
            yield f"the terrain codes of tiles {', '.join(map(str, self.tiles))} do not increase", self.tiles


@dataclass(frozen=True)
class AllowedTerrains(Restriction):
    """Tiles whose terrains, in this order, must be one of *rows*, and the text of a breach."""

    tiles: tuple[int, ...]
    rows: frozenset[tuple[str, ...]]
    text: str

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach if the terrains are not one of the rows."""
        if tuple(board.terrain[tile] for tile in self.tiles) not in self.rows:
            yield self.text, self.tiles


@dataclass(frozen=True)
class FirstOfOrbit(Restriction):
    """One board of each orbit under *symmetries*, given by their indices in the layout.

    It is the board whose terrain codes, in reading order, come first.
    """

    symmetries: tuple[int, ...]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach if a symmetry maps the board to an earlier one."""
        code = board.layout.terrain_codes
        codes = [code[name] for name in board.terrain]
        for number in self.symmetries:
            if [code[name] for name in board.moved(number).terrain] < codes:
                text = f"the layout's symmetry {number} maps it to a board whose codes come earlier"
                yield text, tuple(range(len(codes)))
                return


# ---- Markers


@dataclass(frozen=True)
class MarkersApart(Restriction):
    """Pairs of tiles on which two markers may not be one of *excluded*."""

    pairs: tuple[Pair, ...]
    excluded: MarkerPairs

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each pair of tiles."""
        markers = board.markers
        for a, b in self.pairs:
            first, second = markers[a], markers[b]
            if first is not None and second is not None and (first, second) in self.excluded:
                words = (f"{_digits(board.layout, m)} on tile {t}" for m, t in ((first, a), (second, b)))
                yield " touches ".join(words), (a, b)


@dataclass(frozen=True)
class VertexBounds(Restriction):
    """Bounds on the sum of the values of the markers at each vertex of three land tiles.

    Attributes:
        values: the value of each marker from 0 to 12.
        least, most: the smallest and the largest allowed sum.
        text: the description of a breach, with {} for the sum.
    """

    values: tuple[int, ...]
    least: int
    most: int
    text: str

    def allows(self, markers: Sequence[int | None]) -> bool:
        """Return True if these markers, None on a tile without one, may meet at a vertex."""
        return self.least <= sum([self.values[marker or 0] for marker in markers]) <= self.most

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each vertex."""
        value = [self.values[marker or 0] for marker in board.markers]
        for vertex, tiles in inland_vertices(board):
            total = sum([value[tile] for tile in tiles])
            if not self.least <= total <= self.most:
                yield f"vertex {vertex} {self.text.format(total)}, {on_tiles(tiles)}", tiles, (vertex,)


@dataclass(frozen=True)
class ApartOnTerrain(Restriction):
    """No two markers on one terrain may be one of *excluded*."""

    excluded: MarkerPairs

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each terrain."""
        for name, group in _numbered_tiles(board).items():
            pieces = [(tile, marker) for tile in group if (marker := board.markers[tile]) is not None]
            wrong = [
                (tile, marker)
                for tile, marker in pieces
                if any(
                    tile != neighbor and (marker, partner) in self.excluded for neighbor, partner in pieces
                )
            ]
            if wrong:
                counts = Counter(number for _, marker in wrong for number in board.layout.numbers_of(marker))
                repeated = ", ".join(str(number) for number, n in sorted(counts.items()) if n > 1)
                tiles = tuple(tile for tile, _ in wrong)
                yield f"{name} has {repeated} more than once, {on_tiles(tiles)}", tiles


@dataclass(frozen=True)
class TerrainQuota(Restriction):
    """The maximum number of tiles of each terrain that carry one of *markers*, called *noun*."""

    markers: frozenset[int]
    most: int
    noun: str

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each terrain."""
        for name, group in _numbered_tiles(board).items():
            tiles = tuple(tile for tile in group if board.markers[tile] in self.markers)
            if len(tiles) > self.most:
                yield f"{name} has {len(tiles)} {self.noun}, more than {self.most}, {on_tiles(tiles)}", tiles


@dataclass(frozen=True)
class TerrainPips(Restriction):
    """Bounds on the sum of pips of some terrains.

    Attributes:
        least, most: the bounds by terrain. Other terrains have none.
        absent: the terrains whose bounds also hold for a board without them. Their sum is 0.
    """

    least: Mapping[str, int]
    most: Mapping[str, int]
    absent: frozenset[str] = frozenset()

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each bound."""
        totals = dict.fromkeys(sorted(self.absent), 0) | board.terrain_pips()
        for name, total in totals.items():
            bounds = (("fewer", self.least.get(name)), ("more", self.most.get(name)))
            for comparison, bound in bounds:
                if bound is not None and (total < bound if comparison == "fewer" else total > bound):
                    tiles = tuple(tile for tile, terrain in enumerate(board.terrain) if terrain == name)
                    place = f", {on_tiles(tiles)}" if tiles else ""
                    yield f"{name} has {amount(total, 'pip')}, {comparison} than {bound}{place}", tiles


@dataclass(frozen=True)
class BarredMarkers(Restriction):
    """Triples of a tile, its terrain and a marker that is not allowed there."""

    places: frozenset[tuple[int, str, int]]
    reason: str = "not allowed there"

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each tile with a barred marker."""
        for tile, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True)):
            if marker is not None and (tile, name, marker) in self.places:
                pips = amount(board.layout.marker_pips(marker), "pip")
                yield f"{marker} with {pips} on tile {tile}, {name}, {self.reason}", (tile,)

    def to_mapping(self) -> dict[str, Any]:
        """Return the triples as products: a terrain, markers and tiles."""
        tiles: dict[tuple[str, int], list[int]] = defaultdict(list)
        for tile, name, marker in sorted(self.places):
            tiles[name, marker].append(tile)
        markers: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
        for (name, marker), places in sorted(tiles.items()):
            markers[name, tuple(places)].append(marker)
        rows = [[name, numbers, list(places)] for (name, places), numbers in markers.items()]
        return {"kind": type(self).__name__, "places": rows}


@dataclass(frozen=True)
class FixedOrder(Restriction):
    """A fixed order of markers along one of the paths, without unnumbered tiles."""

    paths: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach with the wrong tiles of the best path, if every path has some."""
        nearest = min((self._wrong(board, path) for path in self.paths), key=len)
        if nearest:
            text = "from no corner do the markers follow the spiral; from the best, they differ"
            yield f"{text} {on_tiles(nearest)}", nearest

    def _wrong(self, board: Board, path: Sequence[int]) -> tuple[int, ...]:
        """Return the tiles on *path* whose markers differ from the order."""
        numbered = [tile for tile in path if board.markers[tile] is not None]
        order = chain(self.order, repeat(None))
        pairs = zip(numbered, order, strict=False)
        return tuple(sorted(tile for tile, marker in pairs if board.markers[tile] != marker))


@dataclass(frozen=True)
class FixedMarkers(Restriction):
    """Tiles with their fixed markers, 0 for none."""

    markers: tuple[tuple[int, int], ...]

    def breaches(self, board: Board) -> Iterator[Breach]:
        """Yield a breach for each tile with another marker."""
        for tile, marker in self.markers:
            if (board.markers[tile] or 0) != marker:
                names = [f"the marker {value}" if value else "no marker" for value in (marker, 0)]
                names[1] = f"the marker {board.markers[tile]}" if board.markers[tile] else "no marker"
                yield f"tile {tile} has {names[1]}, not {names[0]}", (tile,)

    def misses(self, terrain: Sequence[str]) -> bool:
        """Return True if a tile with a fixed marker has a terrain without markers."""
        return any(marker and terrain[tile] in UNNUMBERED for tile, marker in self.markers)

    def stays(self, permutation: Sequence[int]) -> bool:
        """Return True if a permutation of tiles maps the fixed markers to themselves."""
        return {(permutation[tile], marker) for tile, marker in self.markers} == set(self.markers)


# ---- Parts of a board, and words for messages


def inland_vertices(board: Board) -> Collection[tuple[int, tuple[int, ...]]]:
    """Return the vertices of three land tiles, each with its tiles."""
    inner = board.layout.inner_vertices
    sea = {tile for tile, name in enumerate(board.terrain) if name == "sea"}
    return [(vertex, tiles) for vertex, tiles in inner if sea.isdisjoint(tiles)] if sea else inner


def _numbered_tiles(board: Board) -> dict[str, list[int]]:
    """Return the tiles of each terrain that can carry a marker."""
    tiles: dict[str, list[int]] = defaultdict(list)
    for tile, name in enumerate(board.terrain):
        if board.layout.carries_marker(tile, name):
            tiles[name].append(tile)
    return tiles


def _digits(layout: Layout, marker: int) -> str:
    """Return the numbers of a marker as text."""
    return "+".join(map(str, layout.numbers_of(marker)))


def on_tiles(tiles: Iterable[int]) -> str:
    """Return ``on tile 3`` or ``on tiles 3, 7 and 8``, as violations name tiles."""
    return _number_words("on tile", tiles)


def at_vertices(vertices: Iterable[int]) -> str:
    """Return ``at vertex 3`` or ``at vertices 3 and 7``, as violations name vertices."""
    return _number_words("at vertex", vertices).replace("vertexs", "vertices")


def _number_words(noun: str, numbers: Iterable[int]) -> str:
    *most, last = map(str, numbers)
    return f"{noun}s {', '.join(most)} and {last}" if most else f"{noun} {last}"
