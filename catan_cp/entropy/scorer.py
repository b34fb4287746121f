"""How even a board is: the entropy of what stands next to each terrain.

For one terrain, take all its tiles and all their neighbouring tiles (hexagons that share an edge),
and count how often each terrain is met: a distribution with the Shannon entropy H. Its *efficiency*
is H in bits divided by the most that H can be, the logarithm of the number of terrains in the
layout's box. 1: every terrain of the box is met equally often; 0: only one terrain is met at all.

The definitions are those of the article "Catan Boards - Part 1" (presentlylevel.com), of its parts on
entropy, on efficiency, and on target efficiencies.

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
"""A board, its notation, or a terrain's name per tile."""

_FRACTION_BITS = 40
_FLOAT_BITS = 53


def neighbor_counts(board_or_terrain: Terrain) -> dict[str, dict[str, int]]:
    """Return, per terrain on the board, how often each terrain is met next to its tiles.

    Two touching tiles of one terrain meet each other, so they count twice for it. Zeros are left out.

    Raises:
        InvalidBoard: it does not make a terrain.
    """
    layout, terrain = read_terrain(board_or_terrain)
    met = zip(layout.all_terrains, _count(layout, terrain), strict=True)
    return {
        name: {other: n for other, n in zip(layout.all_terrains, row, strict=True) if n}
        for name, row in met
        if name in terrain
    }


def efficiency(board_or_terrain: Terrain) -> dict[str, float]:
    """Return the efficiency of each terrain on the board, ordered by terrain code.

    ``H / log2(n)`` with ``H = -sum(p * log2(p))`` over the terrains met, and n the number of terrains in
    the layout's box (6 or 8); the article, on entropy and efficiency. A terrain that is not on the board
    has no entry. A terrain whose tiles have no neighbours has efficiency 0, and so has every terrain
    where the box holds one terrain only. On a board with more kinds of terrain than its box it can
    exceed 1.

    Raises:
        InvalidBoard: it does not make a terrain.
    """
    layout, terrain = read_terrain(board_or_terrain)
    return _efficiencies(layout, terrain)


def efficiency_error(board_or_terrain: Terrain, targets: Mapping[str, float] | None = None) -> float:
    """Return the mean, over the terrains that have a target and are on the board, of (efficiency - target)².

    The article, on target efficiencies. *targets* replaces some of the layout's own
    (`Layout.target_efficiency`). A terrain of the box that is not on the board is left out of the mean,
    as is one on the board that is not in the box.

    Raises:
        InvalidBoard: it does not make a terrain.
        InvalidArgument: a target outside 0 to 1, or for a terrain that the box lacks; no terrain on the board
            has a target, so that there is no error.
    """
    layout, terrain = read_terrain(board_or_terrain)
    goals = read_targets(layout, targets)
    errors = [value - goals[name] for name, value in _efficiencies(layout, terrain).items() if name in goals]
    if not errors:
        raise InvalidArgument(
            "no terrain on the board has a target, so the error is undefined: "
            f"{layout.name!r} has targets for {listed(layout.target_efficiency) or 'none'}; give targets"
        )
    return mean_square(errors)


def read_targets(layout: str | Layout, targets: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the target efficiency of each terrain in the box: the layout's own, with *targets* instead.

    Raises:
        InvalidBoard: an unknown layout or terrain.
        InvalidArgument: a target that is no number from 0 to 1, or for a terrain that the box lacks.
    """
    layout = find_layout(layout)
    if targets is None:
        targets = {}
    elif not isinstance(targets, Mapping):
        raise InvalidArgument(f"targets map terrains to efficiencies from 0 to 1, not {show(targets)}")
    goals = dict(layout.target_efficiency)
    for word, goal in targets.items():
        name = layout.terrain_name(word)
        if name not in layout.terrain_counts:
            raise InvalidArgument(
                f"a target for {name}, which {layout.name!r} lacks; its terrains are "
                f"{listed(layout.terrains)}"
            )
        value = real_number(goal)
        if value is None or not 0 <= value <= 1:
            raise InvalidArgument(f"the target {show(goal)} for {name} is not a number from 0 to 1")
        goals[name] = value
    return {name: goals[name] for name in layout.all_terrains if name in goals}


@lru_cache
def xlogx_table(total: int) -> tuple[float, ...]:
    """Return ``n * log2(n)`` for n from 0 to *total*, rounded to a grid so coarse that sums are exact.

    Every entry is a multiple of one power of two, and any sum of entries for counts that add up to
    *total* fits the 53 bits of a float. Adding and taking away is then free of rounding: a sum kept up
    to date over a million swaps equals the sum taken afresh, bit for bit, in any order. The grid is
    2**-40 for every built-in layout, so an efficiency is right to about 1e-12.
    """
    exact = [n * math.log2(n) if n else 0.0 for n in range(total + 1)]
    whole_bits = math.ceil(exact[-1]).bit_length()
    grid = 2.0 ** min(_FRACTION_BITS, _FLOAT_BITS - whole_bits)
    return tuple(round(value * grid) / grid for value in exact)


def mean_square(errors: list[float]) -> float:
    """Return the mean of the squares of *errors*; 0 of none."""
    return sum([e * e for e in errors]) / len(errors) if errors else 0.0


def efficiency_scale(layout: Layout) -> float:
    """Return ``1 / log2(n)``, n the number of terrains in the box; 0 where there is only one."""
    return 1 / math.log2(len(layout.terrains)) if len(layout.terrains) > 1 else 0.0


def neighbor_total(layout: Layout) -> int:
    """Return how many neighbours all tiles have together: the most that the counts can add up to."""
    return 2 * len(layout.adjacency("hex"))


def _efficiencies(layout: Layout, terrain: tuple[str, ...]) -> dict[str, float]:
    counts = _count(layout, terrain)
    xlogx = xlogx_table(neighbor_total(layout))
    scale = efficiency_scale(layout)
    found = {}
    for name, row in zip(layout.all_terrains, counts, strict=True):
        if name in terrain:
            total = sum(row)
            # H = log2(total) - sum(n log2 n) / total, which needs no divisions by term.
            excess = xlogx[total] - sum([xlogx[n] for n in row])
            found[name] = excess * (scale / total) if total else 0.0
    return found


def _count(layout: Layout, terrain: tuple[str, ...]) -> list[list[int]]:
    """How often each terrain meets each, both in the order of the layout's terrains by code."""
    kinds = [layout.terrain_codes[name] - 1 for name in terrain]
    counts = [[0] * len(layout.all_terrains) for _ in layout.all_terrains]
    for i, j in layout.adjacency("hex"):
        a, b = kinds[i], kinds[j]
        counts[a][b] += 1
        counts[b][a] += 1
    return counts


# The tilings that were published with the game are kept as published: the second of `base` has five grain and
# three lumber, and most of the Seafarers ones do not use exactly the pieces of their layout.


def official_boards(layout: str | Layout) -> tuple[Board, ...]:
    """Return the published tilings of the layout, without markers, as they stand in the books.

    Raises:
        InvalidBoard: no layout has that name.
    """
    return _official_boards().get(find_layout(layout).name, ())


def official_efficiencies() -> dict[str, dict[str, float]]:
    """Return, per layout, the average efficiency of each terrain over its published tilings.

    The article, on the released boards. A terrain's average is over the tilings that have it; a terrain
    that none of them has is left out.
    """
    return {
        name: _averages([efficiency(board) for board in official_boards(name)]) for name in _official_boards()
    }


def official_average() -> dict[str, float]:
    """Return the average efficiency of each terrain over the published tilings of all layouts."""
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
