"""The evenness of a board: the entropy of the terrains next to each terrain.

For one terrain, take all of its tiles and all of their neighboring tiles (hexagons that share an edge). The
counts of the terrains among these neighbors are a distribution with the Shannon entropy H. The *efficiency*
is H in bits divided by its maximum, the logarithm of the number of terrains in the layout's box. An
efficiency of 1 means that all terrains of the box are equally frequent neighbors. 0 means that only one
terrain is a neighbor.

Source: dralexportfolio 2025, "Catan Boards - Part 1" (presentlylevel.com), on entropy, on efficiency, and on
target efficiencies.

>>> error = efficiency_error("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> round(error, 5)
0.00326
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.boards.pieces import TERRAINS
from catan_cp.errors import InvalidArgument, listed, real_number, show

Terrain = Board | Sequence[str] | str
"""A board, its notation, or one terrain name per tile."""

_FRACTION_BITS = 40
_FLOAT_BITS = 53


def neighbor_counts(board_or_terrain: Terrain) -> dict[str, dict[str, int]]:
    """Return, per terrain on the board, the number of neighbors of each terrain.

    Two touching tiles of the same terrain are neighbors of each other, so they count twice. Zeros are
    omitted.

    Raises:
        InvalidBoard: the argument is not a terrain arrangement.
    """
    layout, terrain = read_terrain(board_or_terrain)
    rows = zip(layout.all_terrains, _count(layout, terrain), strict=True)
    return {
        name: {other: n for other, n in zip(layout.all_terrains, row, strict=True) if n}
        for name, row in rows
        if name in terrain
    }


def efficiency(board_or_terrain: Terrain) -> dict[str, float]:
    """Return the efficiency of each terrain on the board, ordered by terrain code.

    The efficiency is ``H / log2(n)``. ``H = -sum(p * log2(p))`` is the entropy of the neighbors, with p the
    share of each terrain among them. n is the number of terrains in the layout's box. A terrain that is not
    on the board has no entry. A terrain whose tiles have no neighbors has efficiency 0. If the box has only
    one terrain, all efficiencies are 0. An efficiency exceeds 1 only on a board with more terrains than its
    box.

    >>> from catan_cp import efficiency
    >>> round(efficiency("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")["ore"], 3)
    0.847

    Args:
        board_or_terrain: a board, its notation, or one terrain name per tile.

    Raises:
        InvalidBoard: the argument is not a terrain arrangement.

    Source: dralexportfolio 2025, on entropy and efficiency.
    """
    layout, terrain = read_terrain(board_or_terrain)
    return _efficiencies(layout, terrain)


def efficiency_error(board_or_terrain: Terrain, targets: Mapping[str, float] | None = None) -> float:
    """Return the mean of (efficiency - target)² over the terrains on the board.

    Terrains without a target are omitted. So are terrains of the box that are not on the board.

    Args:
        board_or_terrain: a board, its notation, or one terrain name per tile.
        targets: efficiencies from 0 to 1 that replace those of the layout (`Layout.target_efficiency`).

    Raises:
        InvalidBoard: the first argument is not a terrain arrangement.
        InvalidArgument: a target is outside 0 to 1 or is for a terrain that the box lacks. Or no terrain on
            the board has a target, so the error is undefined.

    Source: dralexportfolio 2025, on target efficiencies.

    Example:
        >>> import catan_cp
        >>> f'{efficiency_error(catan_cp.LAYOUTS["base"].beginner_board):.4f}'
        '0.0033'
    """
    layout, terrain = read_terrain(board_or_terrain)
    goals = read_targets(layout, targets)
    errors = target_errors(_efficiencies(layout, terrain), goals)
    if not errors:
        raise InvalidArgument(
            "no terrain on the board has a target, so the error is undefined: "
            f"{layout.name!r} has targets for {listed(layout.target_efficiency) or 'none'}; give targets"
        )
    return mean_square(errors)


def read_targets(layout: str | Layout, targets: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the target efficiencies of the terrains in the box that have a target.

    The entries of *targets* replace those of the layout.

    Raises:
        InvalidBoard: the layout or a terrain is unknown.
        InvalidArgument: a target is not a number from 0 to 1, or is for a terrain that the box lacks.
    """
    layout = find_layout(layout)
    if targets is None:
        targets = {}
    elif not isinstance(targets, Mapping):
        raise InvalidArgument(f"targets must map terrains to efficiencies from 0 to 1, not {show(targets)}")
    goals = dict(layout.target_efficiency)
    for word, goal in targets.items():
        name = layout.terrain_name(word)
        if name not in layout.terrain_counts:
            raise InvalidArgument(
                f"targets must be for terrains of {layout.name!r}, not for {name}; its terrains are "
                f"{listed(layout.terrains)}"
            )
        value = real_number(goal)
        if value is None or not 0 <= value <= 1:
            raise InvalidArgument(f"the target for {name} must be a number from 0 to 1, not {show(goal)}")
        goals[name] = value
    return {name: goals[name] for name in layout.all_terrains if name in goals}


@lru_cache
def xlogx_table(total: int) -> tuple[float, ...]:
    """Return ``n * log2(n)`` for n from 0 to *total*, rounded so that sums are exact.

    Every entry is a multiple of one power of two. Any sum of entries for counts that add up to *total* fits
    the 53 bits of a float. Additions and subtractions are then exact, in any order. So a sum updated over a
    million swaps equals a newly computed sum, bit for bit. The power of two is 2**-40 for every built-in
    layout, so an efficiency has an error of about 1e-12.
    """
    exact = [n * math.log2(n) if n else 0.0 for n in range(total + 1)]
    whole_bits = math.ceil(exact[-1]).bit_length()
    grid = 2.0 ** min(_FRACTION_BITS, _FLOAT_BITS - whole_bits)
    return tuple(round(value * grid) / grid for value in exact)


def target_errors(efficiencies: Mapping[str, float], targets: Mapping[str, float]) -> list[float]:
    """Return the efficiency less the target of each terrain that has a target."""
    return [value - targets[name] for name, value in efficiencies.items() if name in targets]


def mean_square(errors: list[float]) -> float:
    """Return the mean of the squares of *errors*, or 0 if there are none."""
    return sum([e * e for e in errors]) / len(errors) if errors else 0.0


def efficiency_scale(layout: Layout) -> float:
    """Return ``1 / log2(n)`` for n terrains in the box, or 0 for one terrain."""
    return 1 / math.log2(len(layout.terrains)) if len(layout.terrains) > 1 else 0.0


def neighbor_total(layout: Layout) -> int:
    """Return the sum of the numbers of neighbors of all tiles."""
    return 2 * len(layout.adjacency("hex"))


def _efficiencies(layout: Layout, terrain: tuple[str, ...]) -> dict[str, float]:
    counts = _count(layout, terrain)
    xlogx = xlogx_table(neighbor_total(layout))
    scale = efficiency_scale(layout)
    efficiencies = {}
    for name, row in zip(layout.all_terrains, counts, strict=True):
        if name in terrain:
            total = sum(row)
            # H = log2(total) - sum(n log2 n) / total needs only one division.
            excess = xlogx[total] - sum([xlogx[n] for n in row])
            efficiencies[name] = excess * (scale / total) if total else 0.0
    return efficiencies


def _count(layout: Layout, terrain: tuple[str, ...]) -> list[list[int]]:
    """Return the number of neighbors per pair of terrains, ordered by terrain code."""
    kinds = [layout.terrain_codes[name] - 1 for name in terrain]
    counts = [[0] * len(layout.all_terrains) for _ in layout.all_terrains]
    for i, j in layout.adjacency("hex"):
        a, b = kinds[i], kinds[j]
        counts[a][b] += 1
        counts[b][a] += 1
    return counts


# The tilings published with the game are stored unchanged. The second of `base` has five grain and three
# lumber. Most of the Seafarers tilings do not use exactly the pieces of their layout.


def official_boards(layout: str | Layout) -> tuple[Board, ...]:
    """Return the published tilings of the layout, without markers.

    Raises:
        InvalidBoard: the layout is unknown.
    """
    return _official_boards().get(find_layout(layout).name, ())


def official_efficiencies() -> dict[str, dict[str, float]]:
    """Return, per layout, the average efficiencies of its published tilings.

    The average of a terrain is over the tilings that have it. A terrain that is on none of them is omitted.

    Source: dralexportfolio 2025, on the released boards.
    """
    return {
        name: _averages([efficiency(board) for board in official_boards(name)]) for name in _official_boards()
    }


def official_average() -> dict[str, float]:
    """Return the average efficiency of each terrain over all published tilings."""
    boards = [board for name in _official_boards() for board in official_boards(name)]
    return _averages([efficiency(board) for board in boards])


def _averages(tables: list[dict[str, float]]) -> dict[str, float]:
    columns = {name: [table[name] for table in tables if name in table] for name in TERRAINS}
    return {name: sum(values) / len(values) for name, values in columns.items() if values}


@cache
def _official_boards() -> Mapping[str, tuple[Board, ...]]:
    text = files("catan_cp").joinpath("data", "official_boards.json").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            name: tuple(Board.from_notation(line, name) for line in lines)
            for name, lines in json.loads(text).items()
        }
    )
