"""The rules once more, as plainly as they can be said: is this board allowed?

Written from the table of the rules alone, to hold `Rules.check` against. It shares nothing with the library:
where tiles, vertices and symmetries are follows from coordinates in the plane (a tile's sides are 1 long, and
complex numbers point rightwards and upwards), and every rule is tested by looking at everything there is.
"""

from __future__ import annotations

from cmath import exp
from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import pi, sqrt

CODES = {"sea": 1, "desert": 2, "brick": 3, "grain": 4, "wool": 5, "ore": 6, "lumber": 7, "gold": 8}
WAYS = {2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1, None: 0}
BARE = ("sea", "desert")


class Plane:
    """Hexagons in the plane, and what follows from where they are; their middle is at 0."""

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

    def moves_keeping(self, adjacency):
        pairs = {frozenset(pair) for pair in self.touching(adjacency)}
        return [move for move in self.moves if {frozenset((move[a], move[b])) for a, b in pairs} == pairs]

    def nearest_middle(self, n):
        farthest = sorted(abs(tile) for tile in self.tiles)[n - 1]
        return {t for t, tile in enumerate(self.tiles) if abs(tile) < farthest + 1e-9}

    def spirals(self):
        """From each corner with its right hand on the rim: straight on, to the left where there is no way."""
        for t, tile in enumerate(self.tiles):
            ways = [turned(sqrt(3), angle) for angle in range(0, 360, 60)]
            open_ways = [way for way in ways if find(tile + way, self.tiles) is not None]
            if len(open_ways) == 3:
                (way,) = [way for way in open_ways if find(tile + turned(way, -60), self.tiles) is None]
                path = [t]
                while way is not None:
                    steps = [
                        (turned(way, left), find(self.tiles[path[-1]] + turned(way, left), self.tiles))
                        for left in range(0, 360, 60)
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
    """The tiles of a layout that says itself where they are."""
    return Plane([complex(x * sqrt(3) / 2, -y / 2) for x, y in layout.tiles])


def allowed(rules, board) -> bool:
    """Whether *board* is made of its box's pieces and keeps *rules*."""
    here = plane(board.layout.rows)
    tests = [pieces, cluster, apart, symmetry, desert, gold_inland, islands, harbors]
    if any(board.markers) or all(name in BARE for name in board.terrain):
        tests += [marker_pairs, marker_terrains, terrain_markers, vertices, terrain_pips, spiral]
    return all(test(rules, board, here) for test in tests)


def pieces(rules, board, here):
    for terrain in CODES:
        if board.terrain.count(terrain) != board.layout.terrain_counts.get(terrain, 0):
            return False
    return all(
        board.markers.count(marker) <= board.layout.marker_supply.get(marker, 0) for marker in WAYS if marker
    )


def cluster(rules, board, here):
    if rules.terrain_cluster_max is None:
        return True
    alike = [(a, b) for a, b in here.touching(rules.adjacency) if board.terrain[a] == board.terrain[b]]
    group = joined(len(board.terrain), alike)
    sizes = Counter(group[t] for t, terrain in enumerate(board.terrain) if terrain not in BARE)
    return all(size <= rules.terrain_cluster_max for size in sizes.values())


def joined(n, pairs):
    """For each of n things, the lowest that pairs lead to."""
    group = list(range(n))  # each its own; those of a pair become one
    for _ in group:
        for a, b in pairs:
            group[a] = group[b] = min(group[a], group[b])
    return group


def apart(rules, board, here):
    return not any(
        {board.terrain[a], board.terrain[b]} == {one, other}
        for a, b in here.sharing_edge
        for one, other in rules.apart
    )


def symmetry(rules, board, here):
    codes = [CODES[terrain] for terrain in board.terrain]
    if rules.symmetry == "corners":
        rows = board.layout.rows
        middle = len(rows) // 2
        return codes[0] < codes[sum(rows[: middle + 1]) - 1] < codes[sum(rows[:-1])]
    if rules.symmetry == "distinct":
        moves = here.moves_keeping(rules.adjacency)
        return codes == min([codes[move[t]] for t in range(len(codes))] for move in moves)
    return True


def desert(rules, board, here):
    deserts = {t for t, terrain in enumerate(board.terrain) if terrain == "desert"}
    if rules.desert == "centre":
        return not deserts or deserts <= here.nearest_middle(board.layout.terrain_counts["desert"])
    if rules.desert == "coast":
        return deserts <= here.rim
    return not deserts & here.rim if rules.desert == "inland" else True


def gold_inland(rules, board, here):
    return not rules.gold_inland or all(board.terrain[t] != "gold" for t in here.rim)


def island_numbers(board, here):
    """The lowest tile of the island that each tile is on; -1 at sea."""
    sea = {t for t, terrain in enumerate(board.terrain) if terrain == "sea"}
    group = joined(len(board.terrain), [pair for pair in here.sharing_edge if sea.isdisjoint(pair)])
    return [-1 if t in sea else number for t, number in enumerate(group)]


def islands(rules, board, here):
    group = island_numbers(board, here)
    sizes = Counter(number for number in group if number >= 0)
    if not (rules.islands_min or 0) <= len(sizes) <= (rules.islands_max or 99):
        return False
    if any(size < (rules.island_size_min or 0) for size in sizes.values()):
        return False
    main = min(sizes, key=lambda number: (-sizes[number], number), default=None)
    needed = {"brick", "grain", "wool", "ore", "lumber"} & set(board.layout.terrain_counts)
    here = {terrain for terrain, number in zip(board.terrain, group, strict=True) if number == main}
    return not rules.main_island_complete or needed <= here


def numbers_on(board):
    """The numbers on each tile: its marker, and what lies beside that."""
    beside = board.layout.second_marker
    return [{m, beside.get(m, m)} - {None} for m in board.markers]


def marker_pairs(rules, board, here):
    numbers = numbers_on(board)
    for a, b in here.touching(rules.adjacency):
        if rules.reds_apart and numbers[a] & {6, 8} and numbers[b] & {6, 8}:
            return False
        if rules.equal_markers_apart and numbers[a] & numbers[b]:
            return False
        if rules.two_twelve_apart and numbers[a] & {2, 12} and numbers[b] & {2, 12}:
            return False
    return True


def marker_terrains(rules, board, here):
    for terrain in CODES:
        tiles = [t for t, name in enumerate(board.terrain) if name == terrain not in BARE]
        numbers = [numbers_on(board)[t] for t in tiles]
        if rules.markers_distinct_per_terrain and len(set().union(*numbers)) < sum(map(len, numbers)):
            return False
        reds = sum(bool(here & {6, 8}) for here in numbers)
        if rules.reds_per_terrain_max is not None and reds > rules.reds_per_terrain_max:
            return False
    return True


def terrain_markers(rules, board, here):
    most = {"every": 10} | dict(rules.terrain_markers_max)
    return all(
        sum(map(WAYS.get, numbers)) <= most.get(terrain, most["every"])
        for terrain, numbers in zip(board.terrain, numbers_on(board), strict=True)
    )


def vertices(rules, board, here):
    numbers = numbers_on(board)
    for tiles in here.round_vertex:
        if len(tiles) < 3 or any(board.terrain[t] == "sea" for t in tiles):
            continue
        total = sum(sum(numbers[t]) or 7 for t in tiles)
        if rules.vertex_sum_below is not None and total >= rules.vertex_sum_below:
            return False
        pips = sum(WAYS[marker] for t in tiles for marker in numbers[t])
        if rules.vertex_pips_min is not None and pips < rules.vertex_pips_min:
            return False
        if rules.vertex_pips_max is not None and pips > rules.vertex_pips_max:
            return False
    return True


def terrain_pips(rules, board, here):
    least, most = dict(rules.terrain_pips_min), dict(rules.terrain_pips_max)
    for terrain in set(CODES) - set(BARE):
        own = [
            numbers for name, numbers in zip(board.terrain, numbers_on(board), strict=True) if name == terrain
        ]
        pips = sum(WAYS[marker] for numbers in own for marker in numbers)
        on_board = terrain in board.terrain
        low = least.get(terrain, least.get("every", 0) if on_board else 0)
        high = most.get(terrain, most.get("every", pips) if on_board else pips)
        if not low <= pips <= high:
            return False
    return True


def spiral(rules, board, here):
    if rules.marker_order == "free":
        return True
    for path in here.spirals():
        numbers = [board.markers[t] for t in path if board.terrain[t] not in BARE]
        if numbers == list(board.layout.spiral_order[: len(numbers)]):
            return True
    return False


def harbors(rules, board, here):
    stands = {(frozenset(harbor.vertices), harbor.trade) for harbor in board.harbors}
    frame = {(frozenset(harbor.vertices), harbor.trade) for harbor in board.layout.printed_harbors}
    if not stands:
        return True
    if rules.harbors == "printed" and stands != frame:
        return False
    if rules.harbors == "shuffled":
        if {edge for edge, _ in stands} != {edge for edge, _ in frame}:
            return False
        if sorted(trade for _, trade in stands) != sorted(trade for _, trade in frame):
            return False
    if rules.harbor_on_every_island:
        group = island_numbers(board, here)
        served = {group[t] for (a, b), _ in stands for t in here.round_vertex[a] if t in here.round_vertex[b]}
        if not set(group) - {-1} <= served:
            return False
    return not rules.harbor_own_terrain_apart or not any(
        board.terrain[t] == trade for edge, trade in stands for v in edge for t in here.round_vertex[v]
    )


def grounds_lie_well(board) -> bool:
    """Whether the fishing grounds lie where the layout has them, with its numbers in any order."""
    here, printed = board.fishing_grounds, board.layout.fishing_grounds
    if sorted(ground.marker for ground in here) != sorted(ground.marker for ground in printed):
        return False
    places = [{ground.vertices, ground.vertices[::-1]} for ground in printed]
    return all(any(ground.vertices in both for both in places) for ground in here) and all(
        any(ground.vertices in both for ground in here) for both in places
    )
