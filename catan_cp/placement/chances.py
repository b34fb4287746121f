"""Chances to win of complete openings, as simulated games of `greedy` programs predict them.

The logarithm of a seat's odds is a weighted sum of `opening_features`: the value of its settlements by
`Objective.own_odds`, the cards of its second settlement, and its room to expand, which rivals limit.
"""

import warnings
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from math import exp

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.errors import InvalidArgument
from catan_cp.placement.objective import read_worth, whole_worth
from catan_cp.placement.tables import batch_of, geometry, harbors, log_odds, production

Opening = Sequence[Sequence[int]]
"""Each player's settlements in the order placed."""

ROADS = (2, 3)
"""The numbers of roads that the room to expand considers."""


def unmeasured(board: Board, players: int) -> str:
    """Return why no games have measured the chances to win on a board, or an empty text if they have."""
    strange = sorted({*board.terrain} - {*RESOURCES, "desert"})
    if players == 2:
        return "two players"
    if board.fishing_grounds:
        return "a board with fishing grounds"
    if strange or len(board.layout.parts) > 1:
        return f"a board with {strange[0] if strange else 'several islands'}"
    return ""


def check_measured(board: Board, players: int) -> None:
    """Reject a board whose chances no games have measured, and warn for five and six players."""
    if reason := unmeasured(board, players):
        raise InvalidArgument(
            f"chances to win must be asked for 3 to 6 players on a board of the base game, not for {reason}; "
            "compare values of settlements instead (solve_placement)"
        )
    if players > 4:
        warnings.warn(
            f"the chances to win of {players} players are nearer to equal than those in games", stacklevel=3
        )


def measured_shares(
    boards: Sequence[Board], openings: Sequence[Opening]
) -> Iterator[tuple[float, ...] | None]:
    """Yield `shares_of` for each board and opening, or None if no games have measured the chances."""

    def alike(pair: tuple[Board, Opening]) -> tuple[Layout, bool, int]:
        board, opening = pair
        return board.layout, bool(unmeasured(board, len(opening))), len(opening)

    for (_, is_unmeasured, _), pairs in groupby(zip(boards, openings, strict=True), alike):
        group = list(pairs)
        yield from [None] * len(group) if is_unmeasured else shares_of(*zip(*group, strict=True))


def shares_of(boards: Sequence[Board], openings: Sequence[Opening]) -> list[tuple[float, ...]]:
    """Return each player's chance to win with all settlements placed, for each board and opening.

    The boards have the same layout, and the openings the same number of players.
    """
    exponents = np.zeros((len(boards), len(openings[0])))
    for name, values in opening_features(boards, openings).items():
        exponents += _opening_worth()[name] * values
    odds = [[exp(value) for value in row] for row in exponents.tolist()]
    return [tuple(value / sum(row) for value in row) for row in odds]


@cache
def _opening_worth() -> dict[str, float]:
    return {name: float(value) for name, value in read_worth("opening").items()}


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


def pair_log_odds(board: Board) -> NDArray[np.float64]:
    """Return the logarithm of the odds of each first and second settlement, (V, V).

    It is minus infinity for vertices that cannot both be settled. The odds depend on these two settlements
    only, not on those of others. The logarithm is rounded to 9 decimals, so that settlements of equal value
    have equal odds.
    """
    batch, (_, unit) = batch_of([board]), whole_worth()
    n, geo, distance = batch.layout.n_vertices, geometry(batch.layout), road_distances(batch.layout)[:-1]
    pips, near = production(batch, np.int64)[:, 0, :n], harbors(batch, np.int64)[:, 0, :n]
    held, trades = pips[:, :, None] + pips[:, None], np.maximum(near[:, :, None], near[:, None])
    start = log_odds(held, trades, unit)
    first, second, third = np.nonzero(np.isin(np.minimum(distance[:, None], distance[None]), ROADS))
    more = np.maximum(trades[:, first, second], near[:, third])
    gain = log_odds(held[:, first, second] + pips[:, third], more, unit) - start[first, second]
    weight = _opening_worth()
    cards = (batch.flags & (1 << len(RESOURCES)) - 1 != 0)[:, geo.vertex_tiles].sum(axis=1)[0, :n]
    total = weight["settlements"] * start / unit + weight["first_cards"] * cards
    roads = np.minimum(distance[first, third], distance[second, third])
    for number in ROADS:
        at, best = roads == number, np.zeros((n, n), dtype=np.int64)
        np.maximum.at(best, (first[at], second[at]), gain[at])
        total += (weight[f"room_{number}"] + weight[f"safe_{number}"]) * best / unit
    settled = batch.land[0]
    total[geo.too_near | ~settled[:, None] | ~settled] = -np.inf
    rounded: NDArray[np.float64] = np.round(total, 9)
    return rounded


def opening_features(boards: Sequence[Board], openings: Sequence[Opening]) -> dict[str, NDArray[np.float64]]:
    """Return the features of each player's settlements among those of the others, (board, player).

    The boards have the same layout, and the openings the same number of players.

    - ``settlements``: the logarithm of the odds by `Objective.own_odds`
    - ``first_cards``: the cards that the last settlement yields at the start
    - ``room_2``, ``room_3``: what the best free vertex at this number of roads adds to ``settlements``
    - ``safe_2``, ``safe_3``: the same for vertices that no rival reaches with as many roads
    """
    batch, (_, unit) = batch_of(boards), whole_worth()
    layout, every = batch.layout, np.arange(len(boards))[:, None]
    width = max(len(vertices) for opening in openings for vertices in opening)
    hands = np.array(
        [
            [[*[layout.n_vertices] * (width - len(vertices)), *vertices] for vertices in opening]
            for opening in openings
        ]
    )
    distance = road_distances(layout)[hands].min(axis=2)  # (board, player, vertex), as all below
    is_own = np.eye(len(openings[0]), dtype=bool)[:, :, None]
    rival = np.where(is_own, 9, distance[:, None]).min(axis=2)
    is_free = distance.min(axis=1, keepdims=True) > 1
    board, player, vertex = np.nonzero(is_free & np.isin(distance, ROADS))

    pips, near = production(batch, np.int64), harbors(batch, np.int64)
    held, trades = pips[:, every[:, None], hands].sum(axis=3), near[:, every[:, None], hands].max(axis=3)
    start = log_odds(held, trades, unit)
    more = np.maximum(trades[:, board, player], near[:, board, vertex])
    gain = np.zeros(distance.shape)
    gain[board, player, vertex] = (
        log_odds(held[:, board, player] + pips[:, board, vertex], more, unit) - start[board, player]
    ) / unit
    yields = (batch.flags & (1 << len(RESOURCES)) - 1 != 0)[:, geometry(layout).vertex_tiles].sum(axis=1)
    found = {"settlements": start / unit, "first_cards": yields[every, hands[:, :, -1]].astype(float)}
    at = {roads: gain * (distance == roads) for roads in ROADS}
    found |= {f"room_{roads}": at[roads].max(axis=2) for roads in ROADS}
    return found | {f"safe_{roads}": (at[roads] * (rival > roads)).max(axis=2) for roads in ROADS}
