"""Chances to win of complete openings, as simulated games of `greedy` programs predict them.

The logarithm of a seat's odds is a weighted sum of `opening_features`: the value of its settlements by
`Objective.wins`, the cards of its second settlement, and its room to expand, which rivals limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import exp

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement.objective import log_odds, read_worth

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


def measured_shares(board: Board, settlements: Sequence[Sequence[int]]) -> tuple[float, ...] | None:
    """Return `shares_of`, or None if no games have measured the chances to win."""
    return None if unmeasured(board, len(settlements)) else shares_of(board, settlements)


def shares_of(board: Board, settlements: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return each player's chance to win with all settlements placed, in the order placed."""
    worth = _opening_worth()
    odds = [
        exp(sum(float(worth[name]) * value for name, value in found.items()))
        for found in opening_features(board, settlements)
    ]
    return tuple(value / sum(odds) for value in odds)


@cache
def _opening_worth() -> dict[str, Fraction]:
    return read_worth("opening")


@lru_cache(maxsize=32)
def road_distances(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the number of roads between every two vertices, where 9 stands for 9 and more."""
    rows = []
    for start in range(layout.n_vertices):
        row, reached = [9] * layout.n_vertices, {start}
        for distance in range(9):
            for v in reached:
                row[v] = distance
            reached = {u for v in reached for u in layout.vertex_neighbors[v] if row[u] == 9}
        rows.append(tuple(row))
    return tuple(rows)


def opening_features(board: Board, settlements: Sequence[Sequence[int]]) -> list[dict[str, float]]:
    """Return the features of each player's settlements among those of the others.

    - ``settlements``: the logarithm of the odds by `Objective.wins`
    - ``first_cards``: the cards that the last settlement yields at the start
    - ``room_2``, ``room_3``: what the best free vertex at this number of roads adds to ``settlements``
    - ``safe_2``, ``safe_3``: the same for vertices that no rival reaches with as many roads
    """
    roads = road_distances(board.layout)
    taken = {v for vertices in settlements for v in vertices}
    free = [v for v in range(board.layout.n_vertices) if all(roads[v][u] > 1 for u in taken)]
    found = []
    for player, vertices in enumerate(settlements):
        rivals = [v for rival, others in enumerate(settlements) if rival != player for v in others]
        start, scale = log_odds(board, vertices)
        row = {"settlements": start / scale, "first_cards": float(_cards(board, vertices[-1:]))}
        row |= {f"{kind}_{distance}": 0.0 for kind in ("room", "safe") for distance in ROADS}
        for v in free:
            distance = min((roads[v][u] for u in vertices), default=9)
            if distance in ROADS:
                gain = (log_odds(board, (*vertices, v))[0] - start) / scale
                row[f"room_{distance}"] = max(row[f"room_{distance}"], gain)
                if all(roads[v][u] > distance for u in rivals):
                    row[f"safe_{distance}"] = max(row[f"safe_{distance}"], gain)
        found.append(row)
    return found


def _cards(board: Board, vertices: Iterable[int]) -> int:
    """Return the number of cards of settlements at the start of a game."""
    return sum(board.terrain[t] in RESOURCES for v in vertices for t in board.layout.vertex_tiles[v])
