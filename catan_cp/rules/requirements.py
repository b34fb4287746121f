"""Requirements of layouts: their restrictions, and random boards that meet them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, Pool, find_layout
from catan_cp.boards.parts import GROUNDS
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.errors import InvalidBoard, check_count, random_source
from catan_cp.rules.restrictions import Barred, BarredMarkers, GroupPieces, Restriction, TerrainsApart
from catan_cp.rules.rule import Violation

_BOARDS_MOST = 10_000
"""The maximum number of random boards until one meets the requirements of its layout."""


@lru_cache(maxsize=64)
def layout_restrictions(layout: Layout, subject: str) -> tuple[Restriction, ...]:
    """Return the layout's restrictions of a subject, beyond the pieces of the box.

    Args:
        layout: the layout.
        subject: ``"terrain"`` or ``"markers"``.
    """
    terrains, fixed = frozenset(layout.all_terrains), layout.fixed_terrain
    pools = layout.terrain_pools if subject == "terrain" else layout.marker_pools
    # A fixed marker stays in the box if its tile is bare. It may not be on another tile then.
    has_groups = len(pools) > 1 or (subject == "markers" and bool(layout.fixed_markers))
    groups = [GroupPieces(pool.number, subject, pool.tiles, pool.pieces) for pool in pools if has_groups]
    if subject == "markers":
        pinned = [
            BarredMarkers(frozenset(product([tile], terrains, {*MARKERS} - {marker})), f"fixed as {marker}")
            for tile, marker in layout.fixed_markers.items()
        ]
        bounds = []
        if layout.pips_max or layout.terrain_marker_pips_min or layout.terrain_marker_pips_max:
            bounds.append(BarredMarkers(_out_of_bounds(layout), "beyond the bounds of the layout"))
        return (*pinned, *bounds, *groups)
    rows: list[Restriction] = []
    for name in dict.fromkeys(fixed.values()):
        tiles = [tile for tile in fixed if fixed[tile] == name]
        rows.append(Barred(frozenset(product(tiles, terrains - {name})), f"which is fixed as {name}"))
    if layout.inland:
        on_coast = frozenset(product(layout.coast_tiles - fixed.keys(), layout.inland))
        beside_sea = frozenset(frozenset((name, "sea")) for name in layout.inland)
        rows.append(Barred(on_coast, "which must be inland"))
        rows.append(TerrainsApart(layout.adjacency("hex"), beside_sea))
    return (*rows, *groups)


def _out_of_bounds(layout: Layout) -> frozenset[tuple[int, str, int]]:
    """Return the triples of tile, terrain and marker that the layout's bounds on pips do not allow."""
    barred = set()
    for tile, terrain in product(range(layout.n_tiles), layout.all_terrains):
        least = layout.terrain_marker_pips_min.get(terrain, 0)
        most = layout.terrain_marker_pips_max.get(terrain, MOST_PIPS)
        if tile not in layout.fixed_markers:
            most = min(most, layout.pips_max.get(tile, MOST_PIPS))
        barred |= {(tile, terrain, m) for m in MARKERS if not least <= layout.marker_pips(m) <= most}
    return frozenset(barred)


def misplaced_pieces(board: Board, *subjects: str) -> Iterator[Violation]:
    """Yield violations of the layout's restrictions, by default of those of terrain and markers."""
    for subject in subjects or ("terrain", "markers"):
        for restriction in layout_restrictions(board.layout, subject):
            for breach in restriction.breaches(board):
                yield Violation("pieces", *breach)


# Random boards


def random_boards(n: int, layout: str | Layout = "base", seed: int | None = None) -> list[Board]:
    """Return *n* boards of shuffled terrain tiles, number tokens and fishing grounds, without rules.

    Boards that do not meet the requirements of the layout are shuffled again. The same *seed* gives the same
    boards. Without a seed the boards of each call differ.

    Raises:
        InvalidArgument: *n* is not a whole number of at least 1.
        InvalidBoard: the box has too few markers, or random boards do not meet the layout's requirements.
    """
    layout, rng = find_layout(layout), random_source(seed)
    return [_random_board(layout, rng, with_markers=True) for _ in range(check_count("boards", n, 1))]


def random_terrain(layout: str | Layout, rng: Random) -> tuple[str, ...]:
    """Return a terrain arrangement of the box, sampled uniformly from those that the layout allows.

    Raises:
        InvalidBoard: random arrangements do not meet the layout's requirements.
    """
    return _random_board(find_layout(layout), rng, with_markers=False).terrain


def _random_board(layout: Layout, rng: Random, *, with_markers: bool) -> Board:
    tiles, numbers = range(layout.n_tiles), [ground.marker for ground in layout.fishing_grounds]
    for _ in range(_BOARDS_MOST):
        terrain, markers = dict(layout.fixed_terrain), dict[int, int]()
        for pool in layout.terrain_pools:
            terrain |= _shuffled(pool, pool.tiles, rng)
        for pool in layout.marker_pools if with_markers else ():
            markers |= _shuffled(pool, [t for t in pool.tiles if terrain[t] not in layout.unnumbered], rng)
        if with_markers:
            markers |= layout.fixed_markers
        board = Board(layout, [terrain[t] for t in tiles], [markers.get(t) for t in tiles])
        if next(misplaced_pieces(board), None) is None:
            if not numbers or not with_markers:
                return board
            dealt = zip(layout.ground_places, rng.sample(numbers, len(numbers)), strict=True)
            return Board(layout, board.terrain, board.markers, (), GROUNDS.pieces(dict(dealt)))
    raise InvalidBoard(
        f"{layout.name!r} must allow one of {_BOARDS_MOST:,} random boards, but its requirements allow none; "
        "use generate_board with the rules 'open'"
    )


def _shuffled(pool: Pool, tiles: Sequence[int], rng: Random) -> Mapping[int, Any]:
    """Return a random piece of a group for each of its *tiles*."""
    pieces = [piece for piece, count in pool.pieces.items() for _ in range(count)]
    if len(pieces) < len(tiles):
        raise InvalidBoard(
            f"group {pool.number} must have a marker for each of its {len(tiles)} numbered tiles, "
            f"not {len(pieces)} in all; add markers to the box"
        )
    rng.shuffle(pieces)
    return dict(zip(tiles, pieces, strict=False))
