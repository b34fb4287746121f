"""Chances to win of complete openings, as simulated games of `greedy` programs predict them.

The logarithm of a seat's odds is a weighted sum of `pair_features` of its own two settlements. A chance is
the odds of a seat divided by the sum of the odds of all.
"""

import warnings
from collections.abc import Sequence
from functools import cache, lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, RESOURCES, pips
from catan_cp.errors import InvalidArgument
from catan_cp.placement.objective import read_worth, whole_worth
from catan_cp.placement.tables import (
    MARKER_SHIFT,
    Batch,
    Ints,
    batch_of,
    geometry,
    harbors,
    log_odds,
    production,
)

Opening = Sequence[Sequence[int]]
"""Each player's two settlements in the order placed."""

_SETS = range(1 << len(MARKERS))
_COUNTS = np.array([chosen.bit_count() for chosen in _SETS])
_WAYS = np.array([sum(pips(m) for k, m in enumerate(MARKERS) if chosen >> k & 1) for chosen in _SETS])
"""The number of markers in each set of markers, and the number of ways to roll one of them."""


def unmeasured(board: Board, players: int) -> str:
    """Return why no games have measured the chances to win on a board, or an empty text if they have."""
    strange = sorted({*board.terrain} - {*RESOURCES, "desert"})
    if players == 2:
        return "two players"
    if not (game := board.layout.game):
        return f"{board.layout.name!r}, a layout that does not name its game (such as game='base')"
    if game != "base":
        return f"the game {game}"
    if board.fishing_grounds:
        return "a board with fishing grounds"
    if strange or len(board.layout.parts) > 1:
        return f"a board with {strange[0] if strange else 'several islands'}"
    return ""


def check_measured(board: Board, players: int) -> None:
    """Reject a board whose chances no games have measured, and warn for five and six players."""
    if unmeasured(board, players):
        raise unmeasured_error(board, players)
    if players > 4:
        warnings.warn(
            f"the chances to win of {players} players are nearer to equal than those in games", stacklevel=3
        )


def unmeasured_error(board: Board, players: int) -> InvalidArgument:
    """Return the error for a board whose chances no games have measured."""
    return InvalidArgument(
        "chances to win must be asked for 3 to 6 players on a board of the base game, not for "
        f"{unmeasured(board, players)}; name an objective to compare values of settlements instead"
    )


def shares_of(boards: Sequence[Board], openings: Sequence[Opening]) -> list[tuple[float, ...]]:
    """Return each player's chance to win with all settlements placed, for each board and opening.

    The boards have the same layout, and the openings the same number of players.
    """
    hands = np.array(openings, dtype=np.intp)
    exponents = _log_odds(batch_of(boards), np.arange(len(boards))[:, None], hands[..., 0], hands[..., 1])
    odds = [[exp(value) for value in row] for row in exponents.tolist()]
    return [tuple(value / sum(row) for value in row) for row in odds]


@cache
def pair_worth() -> dict[str, float]:
    """Return the weight of each of `pair_features`, fitted by ``python -m research.games.estimate``."""
    return {name: float(value) for name, value in read_worth("pairs").items()}


@lru_cache(maxsize=32)
def road_distances(layout: Layout) -> NDArray[np.uint8]:
    """Return the number of roads between vertices, (V + 1, V), where 9 stands for 9 and more.

    Vertex V means no settlement.
    """
    n = layout.n_vertices
    roads, reached = np.full((n + 1, n), 9, dtype=np.uint8), np.eye(n, dtype=bool)
    for _ in range(9):
        roads[:n] -= reached
        reached = np.logical_or.reduce(reached[geometry(layout).closed], axis=1)
    return roads


def pair_features(batch: Batch, board: Ints, first: Ints, second: Ints) -> dict[str, Ints]:
    """Return the features of a player's two settlements that state its odds to win.

    They depend on these two settlements and their order only. A tile counts if it yields a resource, and its
    pips are the number of ways to roll its marker. The arguments are numbers of boards and vertices, in
    arrays that are broadcast together.

    - ``settlements``: the logarithm of the odds by `Objective.own_odds`
    - ``settlements_squared``: its square
    - ``apart_2``, ``apart_3``, ``apart_4``: 1 if the vertices are this number of roads apart, otherwise 0
    - ``tiles``: the number of tiles of both vertices. A tile of both counts twice
    - ``first_cards``: the number of tiles of the second vertex, which yield the first cards
    - ``second_pips``: the pips of the tiles of the second vertex
    - ``pips_squared``: the square of the pips of all tiles. A tile of both vertices counts twice
    - ``shared_pips``: the pips of the tile of both vertices, otherwise 0
    - ``grain_ore``: the square root of the product of the pips of grain and of ore
    - ``numbers``: the number of different markers on the tiles
    - ``hit``: the number of ways to roll one of these markers
    """
    board, first, second = np.broadcast_arrays(board, first, second)
    geo, (_, unit) = geometry(batch.layout), whole_worth()
    output, near = production(batch, np.int64), harbors(batch, np.int64)
    held = output[:, board, first] + output[:, board, second]
    trades = np.maximum(near[:, board, first], near[:, board, second])
    settlements = log_odds(held, trades, unit) / unit
    flags = batch.flags[:, geo.vertex_tiles]
    is_land = (flags & (1 << len(RESOURCES)) - 1) != 0
    markers = np.bitwise_or.reduce(np.where(is_land, flags, 0), axis=1)
    rolled = (markers[board, first] | markers[board, second]) >> MARKER_SHIFT
    tiles, yields = is_land.sum(axis=1), np.where(is_land, batch.pips[:, geo.vertex_tiles], 0)
    roads = road_distances(batch.layout)[first, second]
    common = geo.vertex_tiles[:, None, first] == geo.vertex_tiles[None, :, second]
    shared = (common.any(axis=1) * np.moveaxis(yields[board, :, first], -1, 0)).sum(axis=0)
    return {
        "settlements": settlements,
        "settlements_squared": settlements**2,
        **{f"apart_{number}": (roads == number) * 1 for number in (2, 3, 4)},
        "tiles": tiles[board, first] + tiles[board, second],
        "first_cards": tiles[board, second],
        "second_pips": output[:, board, second].sum(axis=0),
        "pips_squared": held.sum(axis=0) ** 2,
        "shared_pips": shared,
        "grain_ore": np.sqrt(held[RESOURCES.index("grain")] * held[RESOURCES.index("ore")]),
        "numbers": _COUNTS[rolled],
        "hit": _WAYS[rolled],
    }


def pair_log_odds(board: Board) -> NDArray[np.float64]:
    """Return the logarithm of the odds of each first and second settlement, (V, V).

    It is minus infinity for vertices that cannot both be settled. The odds depend on these two settlements
    only, not on those of others. The logarithm is rounded to 9 decimals, so that settlements of equal value
    have equal odds.
    """
    batch = batch_of([board])
    numbers = np.arange(batch.layout.n_vertices)
    total = _log_odds(batch, np.array(0), numbers[:, None], numbers)
    is_open = batch.land[0]
    total[geometry(batch.layout).too_near | ~is_open[:, None] | ~is_open] = -np.inf
    return total


def _log_odds(batch: Batch, board: Ints, first: Ints, second: Ints) -> NDArray[np.float64]:
    """Return the logarithm of the odds of pairs. The arguments are those of `pair_features`."""
    total = np.zeros(np.broadcast_shapes(board.shape, first.shape, second.shape))
    for name, values in pair_features(batch, board, first, second).items():
        total += pair_worth()[name] * values
    return total.round(9)
