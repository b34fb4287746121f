"""Is a board allowed? The rules read once more, in plain Python and apart from the models.

`violations_of` is what `Rules.check` calls. Nothing here knows of MiniZinc: the tests hold the two
readings of the rules against each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import REDS, TERRAIN_CODE, TERRAINS, UNNUMBERED, pips
from catan_cp.errors import InvalidBoard, show
from catan_cp.rules.rules import EVERY, Rules, pips_bound


@dataclass(frozen=True)
class Violation:
    """One breach of one rule.

    Attributes:
        rule: the field of `Rules`, or ``"pieces"``.
        message: what is wrong, in English.
        tiles: the tiles that break it.
        vertices: the vertices that break it.
    """

    rule: str
    message: str
    tiles: tuple[int, ...] = ()
    vertices: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"


def violations_of(rules: Rules, board: Board) -> list[Violation]:
    """Return every breach of *rules* by *board*, pieces first, then field after field.

    Rules about markers are left out for a board whose markers are not on it yet; rules about harbors are not.

    Raises:
        InvalidBoard: *board* is no `Board`.
        InvalidRules: the rules ask of the board's layout what it has not.
    """
    if not isinstance(board, Board):
        raise InvalidBoard(f"check takes a Board, not {show(board)}; Board.from_notation reads one")
    rules.check_layout(board.layout)
    found = [*_pieces(board), *_terrain(rules, board)]
    if board.has_markers or not set(board.terrain) - set(UNNUMBERED):
        found += [*_touching_markers(rules, board), *_markers_per_terrain(rules, board)]
        found += [*_vertices(rules, board), *_terrain_pips(rules, board), *_marker_order(rules, board)]
    return [*found, *_harbors(rules, board)]


def keeping_symmetries(layout: Layout, adjacency: str) -> tuple[int, ...]:
    """Return the numbers of the layout's rotations and mirrors under which the same tiles touch."""
    pairs = set(layout.adjacency(adjacency))
    return tuple(
        number
        for number, p in enumerate(layout.symmetries)
        if all((min(p[a], p[b]), max(p[a], p[b])) in pairs for a, b in pairs)
    )


def _pieces(board: Board) -> Iterator[Violation]:
    for piece, difference in board.piece_differences().items():
        what = piece if isinstance(piece, str) else f"markers {piece}"
        amount = f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {what} than the box of"
        stands = (
            [t for t, name in enumerate(board.terrain) if name == piece]
            if isinstance(piece, str)
            else [t for t, marker in enumerate(board.markers) if marker == piece]
        )
        yield Violation("pieces", f"{amount} {board.layout.name!r} holds", tuple(stands))


def _terrain(rules: Rules, board: Board) -> Iterator[Violation]:
    layout, terrain = board.layout, board.terrain
    if rules.terrain_cluster_max is not None:
        for cluster in clusters(board, rules.adjacency):
            name = terrain[cluster[0]]
            if len(cluster) > rules.terrain_cluster_max and name not in UNNUMBERED:
                text = f"{len(cluster)} touching tiles of {name}, more than {rules.terrain_cluster_max}"
                yield Violation("terrain_cluster_max", text, cluster)
    apart = {frozenset(pair) for pair in rules.apart}
    for a, b in layout.adjacency("hex"):
        if frozenset((terrain[a], terrain[b])) in apart:
            yield Violation("apart", f"{terrain[a]} on tile {a} touches {terrain[b]} on tile {b}", (a, b))
    deserts = [t for t, name in enumerate(terrain) if name == "desert"]
    for t in sorted(set(deserts) - allowed_deserts(rules, layout)):
        yield Violation(
            "desert", f"the desert on tile {t} is not at the place asked for ({rules.desert})", (t,)
        )
    yield from _symmetry(rules, board)


def allowed_deserts(rules: Rules, layout: Layout) -> frozenset[int]:
    """Return the tiles where a desert may stand."""
    everywhere = frozenset(range(layout.n_tiles))
    if rules.desert == "centre":
        return layout.centre_tiles(max(layout.terrain_counts.get("desert", 0), 1))
    if rules.desert == "coast":
        return layout.coast_tiles
    return everywhere - layout.coast_tiles if rules.desert == "inland" else everywhere


def corner_tiles(layout: Layout) -> tuple[int, int, int]:
    """Return the first tile, the last tile of the middle row and the first tile of the last row."""
    rows = layout.row_tiles
    return rows[0][0], rows[len(rows) // 2][-1], rows[-1][0]


def _symmetry(rules: Rules, board: Board) -> Iterator[Violation]:
    codes = [TERRAIN_CODE[name] for name in board.terrain]
    if rules.symmetry == "corners":
        a, b, c = corner_tiles(board.layout)
        if not codes[a] < codes[b] < codes[c]:
            yield Violation("symmetry", f"the terrain codes of tiles {a}, {b}, {c} do not rise", (a, b, c))
    if rules.symmetry == "distinct":
        for number in keeping_symmetries(board.layout, rules.adjacency):
            moved = [TERRAIN_CODE[name] for name in board.moved(number).terrain]
            if moved < codes:
                text = f"the layout's symmetry {number} turns it into a board whose codes come earlier"
                yield Violation("symmetry", text, tuple(range(len(codes))))
                return


def clusters(board: Board, adjacency: str) -> list[tuple[int, ...]]:
    """Return the groups of touching tiles of one terrain, each in increasing order."""
    near = board.layout.tile_neighbors(adjacency)
    left = set(range(board.layout.n_tiles))
    groups = []
    while left:
        group = [left.pop()]
        for tile in group:
            same = {n for n in near[tile] if n in left and board.terrain[n] == board.terrain[tile]}
            left -= same
            group.extend(same)
        groups.append(tuple(sorted(group)))
    return sorted(groups)


def _touching_markers(rules: Rules, board: Board) -> Iterator[Violation]:
    markers = board.markers
    for a, b in board.layout.adjacency(rules.adjacency):
        first, second = markers[a], markers[b]
        if first is None or second is None:
            continue
        where = f"{first} on tile {a} touches {second} on tile {b}"
        if rules.reds_apart and first in REDS and second in REDS:
            yield Violation("reds_apart", where, (a, b))
        if rules.equal_markers_apart and first == second:
            yield Violation("equal_markers_apart", where, (a, b))
        if rules.two_twelve_apart and {first, second} <= {2, 12}:
            yield Violation("two_twelve_apart", where, (a, b))


def _markers_per_terrain(rules: Rules, board: Board) -> Iterator[Violation]:
    tiles: dict[str, list[int]] = defaultdict(list)
    for t, name in enumerate(board.terrain):
        if name not in UNNUMBERED:
            tiles[name].append(t)
    for name, group in tiles.items():
        numbers = [board.markers[t] for t in group]
        twice = {marker for marker, count in Counter(numbers).items() if count > 1}
        if rules.markers_distinct_per_terrain and twice:
            stands = tuple(t for t in group if board.markers[t] in twice)
            yield Violation(
                "markers_distinct_per_terrain", f"{name} has {_words(twice)} more than once", stands
            )
        reds = tuple(t for t in group if board.markers[t] in REDS)
        if rules.reds_per_terrain_max is not None and len(reds) > rules.reds_per_terrain_max:
            text = f"{name} has {len(reds)} reds, more than {rules.reds_per_terrain_max}"
            yield Violation("reds_per_terrain_max", text, reds)


def inland_vertices(board: Board) -> list[tuple[int, tuple[int, ...]]]:
    """Return the vertices of three land tiles, each with its tiles."""
    return [
        (v, tiles)
        for v, tiles in enumerate(board.layout.vertex_tiles)
        if len(tiles) == 3 and all(board.terrain[t] != "sea" for t in tiles)
    ]


def _vertices(rules: Rules, board: Board) -> Iterator[Violation]:
    below, least, most = rules.vertex_sum_below, rules.vertex_pips_min, rules.vertex_pips_max
    for v, tiles in inland_vertices(board):
        total = sum(board.markers[t] or 7 for t in tiles)
        worth = sum(pips(board.markers[t]) for t in tiles)
        if below is not None and total >= below:
            yield Violation("vertex_sum_below", f"vertex {v} sums to {total}, not below {below}", tiles, (v,))
        if least is not None and worth < least:
            yield Violation(
                "vertex_pips_min", f"vertex {v} has {worth} pips, fewer than {least}", tiles, (v,)
            )
        if most is not None and worth > most:
            yield Violation("vertex_pips_max", f"vertex {v} has {worth} pips, more than {most}", tiles, (v,))


def _terrain_pips(rules: Rules, board: Board) -> Iterator[Violation]:
    totals = board.terrain_pips()
    named = [name for name, _ in rules.terrain_pips_min if name != EVERY and name not in totals]
    totals |= dict.fromkeys(named, 0)
    for name in sorted(totals, key=TERRAINS.index):
        tiles = tuple(t for t, here in enumerate(board.terrain) if here == name)
        least, most = pips_bound(rules.terrain_pips_min, name), pips_bound(rules.terrain_pips_max, name)
        if least is not None and totals[name] < least:
            text = f"{name} has {totals[name]} pips, fewer than {least}"
            yield Violation("terrain_pips_min", text, tiles)
        if most is not None and totals[name] > most:
            yield Violation("terrain_pips_max", f"{name} has {totals[name]} pips, more than {most}", tiles)


def _marker_order(rules: Rules, board: Board) -> Iterator[Violation]:
    if rules.marker_order == "spiral":
        nearest = min((_off_spiral(board, path) for path in board.layout.spirals), key=len)
        if nearest:
            text = (
                f"from no corner do the markers follow the spiral; from the best, {len(nearest)} tiles differ"
            )
            yield Violation("marker_order", text, nearest)


def _off_spiral(board: Board, path: tuple[int, ...]) -> tuple[int, ...]:
    """The tiles on *path* whose markers are not the next of the rule book's order."""
    numbered = [t for t in path if board.markers[t] is not None]
    order = board.layout.spiral_order
    return tuple(sorted(t for i, t in enumerate(numbered) if order[i : i + 1] != (board.markers[t],)))


def _harbors(rules: Rules, board: Board) -> Iterator[Violation]:
    here, printed = set(board.harbors), set(board.layout.printed_harbors)
    name = show(board.layout.name)
    if rules.harbors == "printed" and here != printed:
        said = f"the harbors are not those printed on the frame of {name}"
        yield Violation("harbors", said, (), _ends(here ^ printed))
    if rules.harbors == "shuffled":
        edges, frame = {h.vertices for h in here}, {h.vertices for h in printed}
        if edges != frame:
            said = f"the harbors are not on the edges that the frame of {name} has them on"
            yield Violation(
                "harbors", said, (), _ends(h for h in here | printed if h.vertices in edges ^ frame)
            )
        elif Counter(h.trade for h in here) != Counter(h.trade for h in printed):
            yield Violation("harbors", f"the trades are not those of the frame of {name}", (), _ends(here))
    if rules.harbor_own_terrain_apart:
        for harbor in board.harbors:
            tiles = {t for v in harbor.vertices for t in board.layout.vertex_tiles[v]}
            own = tuple(sorted(t for t in tiles if board.terrain[t] == harbor.trade))
            if own:
                a, b = harbor.vertices
                said = f"the {harbor.trade} harbor at {a}-{b} touches its own terrain"
                yield Violation("harbor_own_terrain_apart", said, own, harbor.vertices)


def _ends(harbors: Iterable[Harbor]) -> tuple[int, ...]:
    return tuple(sorted({v for harbor in harbors for v in harbor.vertices}))


def _words(markers: Iterable[int | None]) -> str:
    return ", ".join(str(marker) for marker in sorted(m for m in markers if m is not None))
