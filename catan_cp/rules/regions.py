"""Parts of a board that rules speak of: clusters, vertices of land, corners, symmetries."""

from __future__ import annotations

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout


def keeping_symmetries(layout: Layout, adjacency: str) -> tuple[int, ...]:
    """Return the numbers of the layout's rotations and mirrors under which the same tiles touch."""
    pairs = set(layout.adjacency(adjacency))
    return tuple(
        number
        for number, p in enumerate(layout.symmetries)
        if all((min(p[a], p[b]), max(p[a], p[b])) in pairs for a, b in pairs)
    )


def corner_tiles(layout: Layout) -> tuple[int, int, int]:
    """Return the first tile, the last tile of the middle row and the first tile of the last row."""
    rows = layout.row_tiles
    return rows[0][0], rows[len(rows) // 2][-1], rows[-1][0]


def clusters(board: Board, adjacency: str) -> list[tuple[int, ...]]:
    """Return the groups of touching tiles of one terrain, each in increasing order."""
    terrain = board.terrain
    cluster = [[t] for t in range(board.layout.n_tiles)]
    for a, b in board.layout.adjacency(adjacency):
        if terrain[a] == terrain[b] and cluster[a] is not cluster[b]:
            joined = cluster[a] + cluster[b]
            for t in joined:
                cluster[t] = joined
    return sorted({tuple(sorted(each)) for each in cluster})


def islands(board: Board) -> list[tuple[int, ...]]:
    """Return the connected sets of land tiles, each in increasing order, by their lowest tile."""
    near = board.layout.tile_neighbors()
    left = {t for t, name in enumerate(board.terrain) if name != "sea"}
    found = []
    while left:
        island = [min(left)]
        left.remove(island[0])
        for tile in island:
            reached = left.intersection(near[tile])
            left -= reached
            island.extend(reached)
        found.append(tuple(sorted(island)))
    return found


def inland_vertices(board: Board) -> list[tuple[int, tuple[int, ...]]]:
    """Return the vertices of three land tiles, each with its tiles."""
    inner = board.layout.inner_vertices
    sea = {t for t, name in enumerate(board.terrain) if name == "sea"}
    return [(v, tiles) for v, tiles in inner if sea.isdisjoint(tiles)] if sea else list(inner)


def connected_sets(layout: Layout, adjacency: str, size: int, most: int) -> list[tuple[int, ...]]:
    """Return every connected set of *size* tiles, each in increasing order; none if over *most*."""
    near = layout.tile_neighbors(adjacency)
    found = {frozenset([t]) for t in range(layout.n_tiles)}
    for _ in range(size - 1):
        found = {tiles | {n} for tiles in found for t in tiles for n in near[t] if n not in tiles}
        if len(found) > most:
            return []
    return sorted(tuple(sorted(tiles)) for tiles in found)
