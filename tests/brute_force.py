"""A second implementation of the rules: decide each rule, and list all boards of a tiny layout.

It follows docs/rules.md, docs/write_rules.md and docs/layouts.md. It shares no code with the library. Of a
layout, it reads the fields and the numbers of vertices only. Listing is slow, and suits layouts of a few
tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations, product
from math import factorial, prod, sqrt
from typing import Any

from catan_cp import Board, Harbor, Layout, Rules
from catan_cp.boards.layout import FishingGround
from tests.plane import plane_of

CODES = ("sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold")  # codes from 1, in this order
RESOURCES = ("brick", "grain", "wool", "ore", "lumber")
LETTERS = {name: name[0] for name in CODES} | {"desert": "d", "sea": "s", "gold": "a", "lake": "k"}
CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
REDS = {6, 8}

Harbors = frozenset[tuple[tuple[int, int], str]]
Grounds = frozenset[tuple[tuple[int, int, int], int]]


def pips(number: int) -> int:
    """Return the number of ways in which two dice sum to *number*."""
    return 6 - abs(7 - number)


def orders(pieces: Counter[str] | Counter[int], n: int) -> list[tuple]:
    """Return each different sequence of *n* of the pieces once."""
    return sorted(set(permutations(pieces.elements(), n)))


def n_orders(pieces: Counter) -> int:
    """Return the number of different sequences of all the pieces."""
    return factorial(pieces.total()) // prod(map(factorial, pieces.values()))


@dataclass(frozen=True)
class Filling:
    """Terrain and number (0: none) of each tile, harbors and fishing grounds by their vertices."""

    terrain: tuple[str, ...]
    markers: tuple[int, ...]
    harbors: Harbors = frozenset()
    grounds: Grounds = frozenset()

    @classmethod
    def of(cls, board: Board) -> Filling:
        """Return the filling of a board of the library."""
        harbors = frozenset((tuple(sorted(h.vertices)), h.trade) for h in board.harbors)
        markers = board.markers or (None,) * len(board.terrain)
        grounds = frozenset((from_lower(g.vertices), g.marker) for g in board.fishing_grounds)
        return cls(tuple(board.terrain), tuple(m or 0 for m in markers), harbors, grounds)

    def board(self, layout: Layout) -> Board:
        """Return the library's board with these pieces."""
        harbors = [Harbor(place, trade) for place, trade in sorted(self.harbors)]
        grounds = [FishingGround(place, number) for place, number in sorted(self.grounds)]
        return Board(layout, self.terrain, [m or None for m in self.markers], harbors, grounds)


def from_lower(place: tuple[int, ...]) -> Any:
    """Return vertices in a row from the end with the lower number."""
    return min(place, place[::-1])


class Frame:
    """The geometry of a layout, from the centres of its tiles, and the ways to fill it."""

    def __init__(self, layout: Layout, adjacency: str = "hex"):
        self.layout = layout
        self.centres = layout.tiles
        self.n = len(self.centres)
        self.where = {centre: tile for tile, centre in enumerate(self.centres)}
        self.plane = plane_of(layout)
        self.sharing = set(self.plane.sharing_edge)
        self.touching = set(self.plane.touching(adjacency))
        around: dict[tuple[int, int], list[int]] = {}
        for tile, (x, y) in enumerate(self.centres):
            for dx, dy in CORNERS:
                around.setdefault((x + dx, y + dy), []).append(tile)
        self.around = around
        self.inner = [tuple(tiles) for tiles in around.values() if len(tiles) == 3]
        self.rim = self.plane.rim

    def neighbors(self, tile: int, pairs: set[tuple[int, int]] | None = None) -> list[int]:
        """Return the tiles that share an edge with *tile*, or are paired with it."""
        return sorted(sum(pair) - tile for pair in (pairs or self.sharing) if tile in pair)

    def groups(self, tiles, pairs) -> list[list[int]]:
        """Return the parts of *tiles* that are connected over *pairs*."""
        open_tiles, result = set(tiles), []
        while open_tiles:
            part = [min(open_tiles)]
            open_tiles.discard(part[0])
            for tile in part:
                for neighbor in sorted(open_tiles):
                    if (min(tile, neighbor), max(tile, neighbor)) in pairs:
                        part.append(neighbor)
                        open_tiles.discard(neighbor)
            result.append(sorted(part))
        return result

    @property
    def symmetries(self) -> list[list[int]]:
        """Rotations and reflections that keep the shape, the fixed pieces and the touching tiles."""
        return [turn for turn, _ in self.moves]

    @cached_property
    def moves(self) -> list[tuple[list[int], list[int]]]:
        """The symmetries, as the image of each tile and of each vertex."""
        layout, result = self.layout, []
        centres = [complex(x * sqrt(3) / 2, -y / 2) for x, y in self.centres]
        middle = sum(centres) / self.n
        vertices = [complex(x * sqrt(3) / 2, -y / 2) - middle for x, y in layout.vertices]
        for turn, vertex_turn in zip(self.plane.moves, self.plane.moves_of(vertices), strict=True):
            is_kept = all(
                layout.fixed_terrain.get(t) == layout.fixed_terrain.get(u)
                and layout.fixed_markers.get(t) == layout.fixed_markers.get(u)
                and (t in layout.unmarked) == (u in layout.unmarked)
                and layout.pips_max.get(t) == layout.pips_max.get(u)
                and all(not of or of[t] == of[u] for of in (layout.terrain_group, layout.marker_group))
                for t, u in enumerate(turn)
            )
            if is_kept and all(tuple(sorted((turn[a], turn[b]))) in self.touching for a, b in self.touching):
                result.append((turn, vertex_turn))
        return result

    def orbit(self, filling: Filling, *, harbors: bool) -> Filling:
        """Return the first of the fillings that symmetries make, with or without turned harbors."""

        def turned(turn: list[int], vertex_turn: list[int]) -> Filling:
            back = {image: v for v, image in enumerate(vertex_turn)}
            return Filling(
                tuple(filling.terrain[t] for t in turn),
                tuple(filling.markers[t] for t in turn),
                frozenset(
                    (tuple(sorted(back[v] for v in place)), trade)
                    for place, trade in filling.harbors
                    if harbors
                ),
                frozenset((from_lower(tuple(back[v] for v in place)), n) for place, n in filling.grounds),
            )

        return min(
            (turned(*move) for move in self.moves),
            key=lambda f: (f.terrain, f.markers, sorted(f.harbors), sorted(f.grounds)),
        )

    def carries(self, tile: int, name: str) -> bool:
        """Return True if a tile of this terrain has a number."""
        yields = name in CODES and name not in ("sea", "desert")
        return yields and tile not in self.layout.unmarked

    def fill_groups(self, pieces, fixed, group_of, groups, open_tiles) -> Iterator[dict[int, Any]]:
        """Yield each way to lay the pieces of each group on its open tiles."""
        rest = Counter(pieces) - Counter(fixed.values())
        for own in groups.values():
            rest -= Counter(own)
        ways = []
        for group in sorted({group_of[t] for t in open_tiles}):
            tiles = [t for t in open_tiles if group_of[t] == group]
            own = Counter(groups[group]) if group else rest
            ways.append([dict(zip(tiles, row, strict=True)) for row in orders(own, len(tiles))])
        for parts in product(*ways):
            yield {tile: piece for part in parts for tile, piece in part.items()}

    def terrains(self) -> Iterator[tuple[str, ...]]:
        """Yield every arrangement of the box's terrains that the layout allows."""
        layout = self.layout
        group_of = layout.terrain_group or (0,) * self.n
        open_tiles = [t for t in range(self.n) if t not in layout.fixed_terrain]
        for filling in self.fill_groups(
            layout.terrain_counts, layout.fixed_terrain, group_of, layout.group_terrain, open_tiles
        ):
            terrain = tuple(layout.fixed_terrain.get(t) or filling[t] for t in range(self.n))
            beside_sea = (self.rim - layout.fixed_terrain.keys()) | {
                t for pair in self.sharing for t in pair if "sea" in {terrain[u] for u in pair}
            }
            if not any(terrain[t] in layout.inland for t in beside_sea):
                yield terrain

    def numbers(self, terrain: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
        """Yield every way to lay the box's numbers on a terrain that the layout allows."""
        layout = self.layout
        group_of = layout.marker_group or layout.terrain_group or (0,) * self.n
        open_tiles = [
            t for t in range(self.n) if t not in layout.fixed_markers and self.carries(t, terrain[t])
        ]
        for filling in self.fill_groups(
            layout.marker_supply, layout.fixed_markers, group_of, layout.group_markers, open_tiles
        ):
            # A fixed marker stays in the box if its tile has no number.
            fixed = {t: m for t, m in layout.fixed_markers.items() if self.carries(t, terrain[t])}
            markers = tuple(fixed.get(t) or filling.get(t, 0) for t in range(self.n))
            if self.fits_box(terrain, markers):
                yield markers

    def fits_box(self, terrain, markers) -> bool:
        """Return True if each marker, with its second number, has the pips that the layout requires."""
        layout = self.layout
        for tile, marker in enumerate(markers):
            second = layout.second_marker.get(marker)
            n = pips(marker) + (pips(second) if second else 0)
            least = layout.terrain_marker_pips_min.get(terrain[tile], 0)
            bounds = layout.pips_max.get(tile, n), layout.terrain_marker_pips_max.get(terrain[tile], n)
            if marker and not least <= n <= min(bounds):
                return False
        return True

    def coasts(self, terrain) -> list[tuple[tuple[int, int], int]]:
        """Return each edge between land and sea or the outside: its vertices and its land tile."""
        number = {place: v for v, place in enumerate(self.layout.vertices)}
        result = []
        for tile, (x, y) in enumerate(self.centres):
            if terrain[tile] == "sea":
                continue
            for i, (dx, dy) in enumerate(CORNERS):
                ex, ey = CORNERS[(i + 1) % 6]
                neighbor = self.where.get((x + dx + ex, y + dy + ey))
                if neighbor is None or terrain[neighbor] == "sea":
                    ends = sorted((number[x + dx, y + dy], number[x + ex, y + ey]))
                    result.append(((ends[0], ends[1]), tile))
        return result

    def harbors(self, mode: str, terrain) -> Iterator[Harbors]:
        """Yield every way to lay harbors on a terrain."""
        layout = self.layout
        printed: dict[Any, str] = {tuple(sorted(h.vertices)): h.trade for h in layout.printed_harbors}
        movable = {tuple(sorted(place)) for place in layout.movable_harbors}
        stay = {tuple(sorted(place)) for place in layout.fixed_harbors}
        if mode == "none" or (mode == "printed" and movable):
            yield frozenset()
        elif mode == "printed":
            yield frozenset(printed.items())
        else:
            pool = Counter(trade for place, trade in printed.items() if place not in stay)
            standing = [place for place in printed if place not in movable]
            free = [place for place, _ in self.coasts(terrain)]
            for chosen in combinations(free, len(movable)):
                places = standing + list(chosen)
                if len({v for place in places for v in place}) < 2 * len(places):
                    continue
                dealt = [place for place in places if place not in stay or place in chosen]
                for trades in orders(pool, len(dealt)):
                    placed = dict(zip(dealt, trades, strict=True))
                    yield frozenset((place, placed.get(place) or printed[place]) for place in places)

    def grounds(self) -> Iterator[Grounds]:
        """Yield every way to lay the numbers of the fishing grounds."""
        places = [from_lower(ground.vertices) for ground in self.layout.fishing_grounds]
        for numbers in orders(Counter(ground.marker for ground in self.layout.fishing_grounds), len(places)):
            yield frozenset(zip(places, numbers, strict=True))


class View:
    """One filling on its frame: the input of rules, measures and constraints."""

    def __init__(self, frame: Frame, filling: Filling):
        self.frame, self.filling = frame, filling
        self.terrain, self.marker = filling.terrain, filling.markers
        second = frame.layout.second_marker
        self.numbers = [
            {m} | ({second[m]} if m in second else set()) if m else set() for m in filling.markers
        ]
        self.pips = [sum(map(pips, numbers)) for numbers in self.numbers]
        self.red = [bool(REDS & numbers) for numbers in self.numbers]
        self.numbered = [frame.carries(t, name) for t, name in enumerate(self.terrain)]
        numbers = dict(filling.grounds)
        self.ground = [numbers.get(from_lower(g.vertices), 0) for g in frame.layout.fishing_grounds]

    @cached_property
    def land_vertices(self):
        """The vertices of three land tiles."""
        return [tiles for tiles in self.frame.inner if all(self.terrain[t] != "sea" for t in tiles)]

    @cached_property
    def sums(self) -> list[int]:
        """The sums of numbers around vertices of three land tiles.

        A tile without one counts 7.
        """
        return [sum(sum(self.numbers[t]) or 7 for t in tiles) for tiles in self.land_vertices]

    @cached_property
    def vertex_pips(self) -> list[int]:
        """The pips around vertices of three land tiles."""
        return [sum(self.pips[t] for t in tiles) for tiles in self.land_vertices]

    @cached_property
    def islands(self) -> list[list[int]]:
        """Land that is connected over edges."""
        land = [t for t, name in enumerate(self.terrain) if name != "sea"]
        return self.frame.groups(land, self.frame.sharing)

    def terrain_pips(self) -> dict[str, int]:
        """Return the pips of each terrain of the box that carries numbers."""
        names = [n for n in self.frame.layout.terrain_counts if n in CODES and n not in ("sea", "desert")]
        return {n: sum(p for t, p in enumerate(self.pips) if self.terrain[t] == n) for n in names}

    def harbor_land(self) -> list[tuple[str, set[int]]]:
        """Return each harbor's trade, and the tiles that its vertices touch."""
        places = self.frame.layout.vertices
        return [
            (trade, {t for v in place for t in self.frame.around[places[v]]})
            for place, trade in self.filling.harbors
        ]


# ---- Measures, as `catan-cp best --measures` says them

MEASURES: dict[str, Callable[[View], int]] = {
    "largest_vertex_sum": lambda b: max(b.sums, default=0),
    "smallest_vertex_sum": lambda b: min(b.sums, default=36),
    "largest_vertex_pips": lambda b: max(b.vertex_pips, default=0),
    "smallest_vertex_pips": lambda b: min(b.vertex_pips, default=15),
    "terrain_pips_range": lambda b: (
        max(b.terrain_pips().values(), default=0) - min(b.terrain_pips().values(), default=0)
    ),
    "distinct_neighbors": lambda b: sum(b.terrain[t] != b.terrain[u] for t, u in b.frame.sharing),
    "equal_neighbors": lambda b: sum(
        b.terrain[t] == b.terrain[u] in (*RESOURCES, "gold") for t, u in b.frame.sharing
    ),
    "equal_markers_touching": lambda b: sum(bool(b.numbers[t] & b.numbers[u]) for t, u in b.frame.sharing),
    "reds_touching": lambda b: sum(b.red[t] and b.red[u] for t, u in b.frame.sharing),
}
TERRAIN_MEASURES = ("distinct_neighbors", "equal_neighbors")


# ---- Rules: each says whether a board keeps it


def cluster_max(b: View, most: int) -> bool:
    for name in set(b.terrain) & {*RESOURCES, "gold"}:
        tiles = [t for t, terrain_name in enumerate(b.terrain) if terrain_name == name]
        if any(len(group) > most for group in b.frame.groups(tiles, b.frame.touching)):
            return False
    return True


def apart(b: View, pairs) -> bool:
    return not any({b.terrain[t], b.terrain[u]} == set(pair) for pair in pairs for t, u in b.frame.sharing)


def codes(terrain) -> tuple[int, ...]:
    return tuple(CODES.index(name) if name in CODES else len(CODES) for name in terrain)


def symmetry(b: View, value: str) -> bool:
    code = codes(b.terrain)
    if value == "corners":
        rows = b.frame.layout.rows
        middle = sum(rows[: len(rows) // 2 + 1]) - 1
        return code[0] < code[middle] < code[sum(rows[:-1])]
    if value == "distinct":
        return all(code <= tuple(code[turn[t]] for t in range(b.frame.n)) for turn in b.frame.symmetries)
    return True


def desert(b: View, value: str) -> bool:
    places = {
        "any": range(b.frame.n),
        "centre": b.frame.plane.nearest_middle(b.frame.layout.terrain_counts.get("desert", 1)),
        "coast": b.frame.rim,
        "inland": set(range(b.frame.n)) - b.frame.rim,
    }[value]
    return all(t in places for t, name in enumerate(b.terrain) if name == "desert")


def main_island_complete(b: View, _on) -> bool:
    largest = max(b.islands, key=lambda tiles: (len(tiles), -tiles[0]), default=[])
    names = {b.terrain[t] for t in largest}
    return all(name in names for name in RESOURCES if b.frame.layout.terrain_counts.get(name))


def no_pair(test: Callable[[set[int], set[int]], bool]):
    """Return a rule that no two touching tiles' numbers pass a test."""
    return lambda b, _on: not any(test(b.numbers[t], b.numbers[u]) for t, u in b.frame.touching)


def distinct_per_terrain(b: View, _on) -> bool:
    return not any(
        b.terrain[t] == b.terrain[u] and b.numbers[t] & b.numbers[u]
        for t, u in combinations(range(b.frame.n), 2)
    )


def per_terrain(value, names) -> dict[str, int]:
    """Return a number for each terrain, of one number or of some with `every` for the others."""
    if isinstance(value, int):
        return dict.fromkeys(names, value)
    values = dict(value)
    return {
        name: values.get(name, values.get("every")) for name in names if name in values or "every" in values
    }


def terrain_pips_rule(compare):
    def kept(b: View, value) -> bool:
        totals, named = b.terrain_pips(), () if isinstance(value, int) else dict(value)
        bounds = per_terrain(value, [name for name in totals if name in named or name in b.terrain])
        return all(compare(totals[name], n) for name, n in bounds.items())

    return kept


def terrain_markers_max(b: View, value) -> bool:
    most = per_terrain(value, b.terrain_pips())
    return all(n <= most.get(name, n) for name, n in zip(b.terrain, b.pips, strict=True))


def marker_order(b: View, value: str) -> bool:
    for path in b.frame.plane.spirals() if value == "spiral" else ():
        markers = tuple(b.marker[t] for t in path if b.marker[t])
        if markers == b.frame.layout.spiral_order[: len(markers)]:
            return True
    return value == "free"


def harbors(b: View, value: str) -> bool:
    """Check that printed harbors are as the frame has them.

    Otherwise only their trades count.
    """
    placed = dict(b.filling.harbors)
    frame = {tuple(sorted(harbor.vertices)): harbor.trade for harbor in b.frame.layout.printed_harbors}
    if not placed or value == "none":
        return True
    if value == "printed":
        return placed == frame
    stay = bool(b.frame.layout.movable_harbors) or placed.keys() == frame.keys()
    return stay and Counter(placed.values()) == Counter(frame.values())


def harbor_own_terrain_apart(b: View, _on) -> bool:
    return not any(b.terrain[t] == trade for trade, tiles in b.harbor_land() for t in tiles)


def harbors_apart(b: View, _on) -> bool:
    joined = {(min(edge), max(edge)) for edge in b.frame.layout.edges}
    return not any(
        (min(v, w), max(v, w)) in joined
        for (one, _), (other, _) in combinations(b.filling.harbors, 2)
        for v in one
        for w in other
    )


def harbor_on_every_island(b: View, _on) -> bool:
    if not b.filling.harbors:
        return True
    corners = [[{*b.frame.around[b.frame.layout.vertices[v]]} for v in edge] for edge, _ in b.filling.harbors]
    beside = {t for one, other in corners for t in one & other}
    return all(beside & set(island) for island in b.islands)


def pattern(b: View, value: str) -> bool:
    for t, word in enumerate(pattern_words(value)):
        letter, number = word[0], word[1:]
        if letter != "x" and LETTERS[b.terrain[t]] != letter:
            return False
        if number and b.marker[t] != int(number):
            return False
    return True


def pattern_terrain(b: View, value: str) -> bool:
    """Decide the terrain part of a pattern: a tile with a number is neither desert nor sea."""
    return all(
        (word[0] in ("x", LETTERS[b.terrain[t]])) and (not word[1:] or b.frame.carries(t, b.terrain[t]))
        for t, word in enumerate(pattern_words(value))
    )


def pattern_words(value: str) -> list[str]:
    words: list[str] = []
    for char in value:
        if char.isdigit():
            words[-1] += char
        elif char != "/":
            words.append(char)
    return words


TERRAIN_RULES: dict[str, Callable[[View, Any], bool]] = {
    "terrain_cluster_max": cluster_max,
    "apart": apart,
    "symmetry": symmetry,
    "desert": desert,
    "gold_inland": lambda b, _on: not any(b.terrain[t] == "gold" for t in b.frame.rim),
    "islands_min": lambda b, least: len(b.islands) >= least,
    "islands_max": lambda b, most: len(b.islands) <= most,
    "island_size_min": lambda b, least: all(len(island) >= least for island in b.islands),
    "main_island_complete": main_island_complete,
}
MARKER_RULES: dict[str, Callable[[View, Any], bool]] = {
    "reds_apart": no_pair(lambda m, n: bool(m & REDS and n & REDS)),
    "equal_markers_apart": no_pair(lambda m, n: bool(m & n)),
    "two_twelve_apart": no_pair(lambda m, n: bool(m & {2, 12} and n & {2, 12})),
    "markers_distinct_per_terrain": distinct_per_terrain,
    "reds_per_terrain_max": lambda b, most: all(
        sum(red for t, red in enumerate(b.red) if b.terrain[t] == name) <= most for name in set(b.terrain)
    ),
    "terrain_markers_max": terrain_markers_max,
    "vertex_sum_below": lambda b, limit: all(s < limit for s in b.sums),
    "vertex_pips_min": lambda b, least: all(p >= least for p in b.vertex_pips),
    "vertex_pips_max": lambda b, most: all(p <= most for p in b.vertex_pips),
    "terrain_pips_min": terrain_pips_rule(lambda total, n: total >= n),
    "terrain_pips_max": terrain_pips_rule(lambda total, n: total <= n),
    "marker_order": marker_order,
}
HARBOR_RULES: dict[str, Callable[[View, Any], bool]] = {
    "harbors": harbors,
    "harbor_own_terrain_apart": harbor_own_terrain_apart,
    "harbors_apart": harbors_apart,
    "harbor_on_every_island": harbor_on_every_island,
}


# ---- Constraints: MiniZinc text beside the same in Python


@dataclass(frozen=True)
class Said:
    """A MiniZinc expression, the same in Python, and what of a board it looks at."""

    text: str
    value: Callable[[View], Any]
    about: frozenset[str]


TERRAIN, MARKERS, HARBORS = frozenset({"terrain"}), frozenset({"markers"}), frozenset({"harbors"})
GROUNDS = frozenset({"grounds"})
WHOLE = TERRAIN | MARKERS | HARBORS | GROUNDS


# ---- A case: a layout, rules, and all of their boards


@dataclass
class Case:
    """A tiny layout with random rules."""

    layout: Layout
    fields: dict[str, Any]
    said: list[Said] = field(default_factory=list)

    @cached_property
    def frame(self) -> Frame:
        return Frame(self.layout, str(self.fields.get("adjacency", "hex")))

    @cached_property
    def rules(self) -> Rules:
        return Rules(**self.fields, constraints=[statement.text for statement in self.said])

    @property
    def harbor_mode(self) -> str:
        return str(self.fields.get("harbors", "none"))

    def broken(self, filling: Filling, about: frozenset[str] = WHOLE) -> set[str]:
        """Return the fields that a filling breaks, of those that look at no more than *about*."""
        view, names = View(self.frame, filling), set()
        for name, value in self.fields.items():
            if name == "pattern":
                test = pattern if "markers" in about else pattern_terrain
                holds = test(view, value)
            elif name in TERRAIN_RULES and "terrain" in about:
                holds = TERRAIN_RULES[name](view, value)
            elif name in MARKER_RULES and "markers" in about:
                holds = MARKER_RULES[name](view, value)
            elif name in HARBOR_RULES and "harbors" in about:
                holds = HARBOR_RULES[name](view, value)
            else:
                holds = True
            if not holds:
                names.add(name)
        if any(statement.about <= about and not statement.value(view) for statement in self.said):
            names.add("constraints")
        return names

    @cached_property
    def box(self) -> list[tuple[str, ...]]:
        """Every terrain arrangement of the box."""
        return list(self.frame.terrains())

    @cached_property
    def terrains(self) -> list[tuple[str, ...]]:
        """The terrain arrangements that the rules about terrain alone allow."""
        return [t for t in self.box if not self.broken_by_terrain(t)]

    def broken_by_terrain(self, terrain: tuple[str, ...]) -> set[str]:
        """Return the rules that a terrain breaks with any numbers.

        Printed harbors are known before.
        """
        filling = Filling(terrain, (0,) * self.frame.n, self.printed(terrain))
        fields = self.broken(filling, TERRAIN | HARBORS if self.harbor_mode == "printed" else TERRAIN)
        constraints = all(
            statement.value(View(self.frame, filling))
            for statement in self.said
            if statement.about <= TERRAIN
        )
        return fields - {"constraints"} | (set() if constraints else {"constraints"})

    def printed(self, terrain) -> Harbors:
        return (
            next(self.frame.harbors(self.harbor_mode, terrain))
            if self.harbor_mode == "printed"
            else frozenset()
        )

    def markers(self, terrain: tuple[str, ...]) -> list[tuple[int, ...]]:
        """The numbers on one allowed terrain that the rules allow."""
        rows = self.frame.numbers(terrain)
        return [
            m for m in rows if not self.broken(Filling(terrain, m, self.printed(terrain)), TERRAIN | MARKERS)
        ]

    @cached_property
    def boards(self) -> list[Filling]:
        """Every board that the rules allow."""
        result = []
        for terrain in self.terrains:
            for markers in self.markers(terrain):
                coasts = product(self.frame.harbors(self.harbor_mode, terrain), self.frame.grounds())
                fillings = (Filling(terrain, markers, *coast) for coast in coasts)
                result += [filling for filling in fillings if not self.broken(filling)]
        return result

    def __str__(self) -> str:
        return f"{self.layout.to_toml()}\n{self.layout!r}\n{self.rules!r}"


def breaches(rules: Rules, board: Board) -> set[str]:
    """Return the fields of rules that a board breaks, and "pieces" if the box holds others."""
    case, filling = Case(board.layout, dict(rules.to_mapping())), Filling.of(board)
    is_numbered = any(filling.markers) or not any(map(case.frame.carries, range(case.frame.n), board.terrain))
    broken = case.broken(filling, TERRAIN | HARBORS | (MARKERS if is_numbered else frozenset()))
    numbers, supply = Counter(filter(None, filling.markers)), Counter(board.layout.marker_supply)
    in_box = Counter(board.terrain) == board.layout.terrain_counts and numbers <= supply
    return broken | (set() if in_box else {"pieces"})
