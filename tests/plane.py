"""The geometry of hexagons again, from coordinates in the plane, without code of the library.

A tile's sides are 1 long, and complex numbers point rightwards and upwards.
"""

from cmath import exp
from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import pi, sqrt


class Plane:
    """Hexagons in the plane, and all that follows from their places.

    Their middle is at 0.
    """

    def __init__(self, places):
        middle = sum(places) / len(places)
        self.tiles = [place - middle for place in places]
        self.vertices = []
        for tile in self.tiles:
            for angle in (30, -30, -90, -150, 150, 90):
                corner = tile + turned(1, angle)
                if not any(same(corner, known) for known in self.vertices):
                    self.vertices.append(corner)
        self.round_vertex = [
            [t for t, tile in enumerate(self.tiles) if abs(abs(tile - vertex) - 1) < 0.01]
            for vertex in self.vertices
        ]
        numbers = range(len(self.tiles))
        self.sharing_edge = [
            (a, b) for a, b in combinations(numbers, 2) if abs(self.tiles[b] - self.tiles[a]) < 1.8
        ]
        self.in_block = self.sharing_edge + [
            (a, b)
            for a, b in combinations(numbers, 2)
            if same(self.tiles[b] - self.tiles[a], complex(-1.5 * sqrt(3), -1.5))
        ]
        edges = Counter(edge for edge in self.edges_of_tiles())
        self.coast = [edge for edge, tiles in edges.items() if tiles == 1]
        self.rim = {t for t in numbers if sum(t in pair for pair in self.sharing_edge) < 6}
        self.moves = self.moves_of(self.tiles)

    def touching(self, adjacency):
        return self.sharing_edge if adjacency == "hex" else self.in_block

    def edges_of_tiles(self):
        for t in range(len(self.tiles)):
            corners = [v for v, tiles in enumerate(self.round_vertex) if t in tiles]
            for a, b in combinations(corners, 2):
                if abs(self.vertices[a] - self.vertices[b]) < 1.01:
                    yield a, b

    def moves_of(self, places):
        """Each rotation and mirror about the middle that keeps the shape: where each place goes."""
        moves = []
        for mirrored in (False, True):
            for angle in range(0, 360, 60):

                def moved(place, mirrored=mirrored, angle=angle):
                    return turned(place.conjugate() if mirrored else place, angle)

                if all(find(moved(tile), self.tiles) is not None for tile in self.tiles):
                    moves.append([find(moved(place), places) for place in places])
        return moves

    def nearest_middle(self, n):
        farthest = sorted(abs(tile) for tile in self.tiles)[n - 1]
        return {t for t, tile in enumerate(self.tiles) if abs(tile) < farthest + 1e-9}

    def spirals(self):
        """Spirals from each corner along the rim: straight on, or to the left if the way is blocked."""
        for t, tile in enumerate(self.tiles):
            ways = [turned(sqrt(3), angle) for angle in range(0, 360, 60)]
            open_ways = [way for way in ways if find(tile + way, self.tiles) is not None]
            if len(open_ways) == 3:
                (way,) = [way for way in open_ways if find(tile + turned(way, -60), self.tiles) is None]
                path = [t]
                while way is not None:
                    steps = [
                        (turned(way, turn), find(self.tiles[path[-1]] + turned(way, turn), self.tiles))
                        for turn in range(0, 360, 60)
                    ]
                    way, after = next(
                        ((w, n) for w, n in steps if n is not None and n not in path), (None, None)
                    )
                    path += [] if way is None else [after]
                yield path


def turned(place, degrees):
    return place * exp(1j * pi * degrees / 180)


def same(a, b):
    return abs(a - b) < 0.01


def find(place, places):
    return next((i for i, known in enumerate(places) if same(place, known)), None)


@lru_cache
def plane(rows):
    """The tiles of rows of hexagons, each centred above the next."""
    return Plane(
        [complex(sqrt(3) * (i - (n - 1) / 2), -1.5 * row) for row, n in enumerate(rows) for i in range(n)]
    )


@lru_cache
def plane_of(layout):
    """The tiles of a layout that states their places."""
    return Plane([complex(x * sqrt(3) / 2, -y / 2) for x, y in layout.tiles])
