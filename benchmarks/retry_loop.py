"""Custom rules by a retry loop, the published method of catan-randomizer, written for this benchmark.

Tile after tile gets a random piece of those left, up to ten times until it fits the tiles before. If none
fits, the terrain begins again. The number tokens then get the same loop on that terrain. Boards with few
alternatives are therefore too frequent.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from catan_cp import Board, Layout, Rules
from catan_cp.boards.board import board_of
from catan_cp.counting.boards import ProductBlock, board_space
from catan_cp.problem.problem import Problem

Piece = TypeVar("Piece", str, int)

_TRIES = 10
_RED = (6, 8)


def retried_boards(rules: Rules, layout: Layout, source: random.Random) -> Iterator[Board]:
    """Yield boards under reds apart, equal tokens apart and the maximum size of clusters."""
    (pool,), (box,) = layout.terrain_pools, layout.marker_pools
    terrains, tokens = list(Counter(pool.pieces).elements()), list(Counter(box.pieces).elements())
    near: list[list[int]] = [[] for _ in range(layout.n_tiles)]
    for a, b in layout.adjacency(rules.adjacency):
        near[a].append(b)
        near[b].append(a)
    most = rules.terrain_cluster_max or layout.n_tiles

    def fits_cluster(pieces: Sequence[str], tile: int) -> bool:
        if most >= layout.n_tiles or pieces[tile] == "desert":
            return True
        cluster = [tile]
        for member in cluster:
            for other in near[member]:
                if other > tile and pieces[other] == pieces[tile] and other not in cluster:
                    cluster.append(other)
            if len(cluster) > most:
                return False
        return True

    while True:
        terrain = _retried(terrains, fits_cluster, source)
        numbered = [t for t, name in enumerate(terrain) if name != "desert"]
        place = {t: number for number, t in enumerate(numbered)}
        later = [[place[t] for t in near[tile] if t > tile and t in place] for tile in numbered]

        def fits(pieces: Sequence[int], number: int, later: list[list[int]] = later) -> bool:
            token = pieces[number]
            is_red = rules.reds_apart and token in _RED
            for other in later[number]:
                if (is_red and pieces[other] in _RED) or (
                    rules.equal_markers_apart and pieces[other] == token
                ):
                    return False
            return True

        markers: list[int | None] = [None] * layout.n_tiles
        for tile, token in zip(numbered, _retried(tokens, fits, source), strict=True):
            markers[tile] = token
        yield board_of(layout, tuple(terrain), tuple(markers), ())


def _retried(pieces: Sequence[Piece], fits: Callable[..., bool], source: random.Random) -> list[Piece]:
    placed = list(pieces)
    while True:
        for tile in reversed(range(len(placed))):
            for _ in range(_TRIES):
                other = int(source.random() * (tile + 1))
                placed[tile], placed[other] = placed[other], placed[tile]
                if fits(placed, tile):
                    break
            else:
                break
        else:
            return placed


def desert_chi_square(boards: Sequence[Board], rules: Rules) -> float:
    """Return the chi-square of the desert's tile, against exact counts of boards on `base`.

    There are 18 degrees of freedom. The rules must be about markers only.
    """
    space, expected = board_space(Problem.of(rules, "base")), dict[int, float]()
    for block in space.blocks:
        assert isinstance(block, ProductBlock)
        n = block.total // len(block.symmetries)
        for symmetry in range(len(block.symmetries)):
            (row,) = block.arrays([symmetry * n])
            expected[row.tolist().index(space.layout.terrain_codes["desert"])] = n / space.factors[0].total
    frequencies = Counter(board.terrain.index("desert") for board in boards)
    return sum((frequencies[t] - len(boards) * p) ** 2 / (len(boards) * p) for t, p in expected.items())
