"""How players who err choose second settlements where nobody minds the others: chances, and expected values.

Nobody need look ahead there: a player's value is that of its own pair, whatever earlier players, who place
after it, will do.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from catan_cp.placement.compiled import compiled
from catan_cp.placement.kernel import Draft, Work, put, take

LEHMER, PRIME = 48271, 2147483647
"""Park and Miller's generator ("Random number generators", 1988): the same in Python and compiled."""

_SMALL = 1e-200
"""A sum of chances below this has lost its digits."""


class Odds(NamedTuple):
    """How players choose second settlements: flat tables, N players, V vertices.

    Attributes:
        level: (N) each player's rationality; negative for a perfect player.
        value: (N V V) what each pair is worth.
        weight: (N V V) each second vertex's chance before scaling, 0 for none: 1 for the best pair of a row.
    """

    level: Any
    value: Any
    weight: Any


@compiled
def best_value(draft: Draft, odds: Odds, player: int, first: int, blocked: Any) -> float:
    """Return the most that a player can have with *first*; -1 where nothing is free."""
    v = draft.vertices
    row = (draft.goal[player] * v + first) * v
    mine = (player * v + first) * v
    for k in range(v):
        s = draft.partners[row + k]
        if s < 0:
            break
        if blocked[s] == 0:
            return float(odds.value[mine + s])
    return -1.0


@compiled
def mean_value(draft: Draft, odds: Odds, player: int, first: int, blocked: Any) -> float:
    """Return what a player can expect of its second settlement on the vertices that are free."""
    if odds.level[player] < 0:
        return float(best_value(draft, odds, player, first, blocked))
    v = draft.vertices
    mine = (player * v + first) * v
    chances, total = 0.0, 0.0
    for u in range(v):
        if blocked[u] == 0:
            chances += odds.weight[mine + u]
            total += odds.weight[mine + u] * odds.value[mine + u]
    if chances > _SMALL:
        return float(total / chances)
    most = best_value(draft, odds, player, first, blocked)
    chances, total = 0.0, 0.0
    for u in range(v):
        if blocked[u] == 0:
            chance = math.exp(odds.level[player] * (odds.value[mine + u] - most))
            chances += chance
            total += chance * odds.value[mine + u]
    return float(total / chances)


@compiled
def chances_of(draft: Draft, odds: Odds, player: int, first: int, blocked: Any, chance: Any, at: int) -> None:
    """Write the chance of each vertex into *chance*, from *at* on; they sum to 1."""
    v = draft.vertices
    row = (draft.goal[player] * v + first) * v
    mine = (player * v + first) * v
    total = 0.0
    for u in range(v):
        chance[at + u] = odds.weight[mine + u] if blocked[u] == 0 else 0.0
        total += chance[at + u]
    if odds.level[player] < 0 or total <= _SMALL:
        most = best_value(draft, odds, player, first, blocked)
        total, taken = 0.0, False
        for k in range(v):
            s = draft.partners[row + k]
            if s < 0:
                break
            if blocked[s] == 0:
                if odds.level[player] < 0:
                    chance[at + s] = 0.0 if taken else 1.0
                    taken = True
                else:
                    chance[at + s] = math.exp(odds.level[player] * (odds.value[mine + s] - most))
                total += chance[at + s]
    for u in range(v):
        chance[at + u] /= total


@compiled
def mean_after(draft: Draft, work: Work, odds: Odds, player: int, chance: Any, other: int) -> float:
    """Return what a player can expect of its second settlement after one that *other* has yet to draw."""
    v = draft.vertices
    first = work.spots[player]
    mine = (player * v + first) * v
    chances, total = 0.0, 0.0
    for u in range(v):
        if work.blocked[u] == 0:
            chances += odds.weight[mine + u]
            total += odds.weight[mine + u] * odds.value[mine + u]
    mean = 0.0
    for u in range(v):
        if chance[other * v + u] > 0.0:
            left, worth = chances, total
            for k in range(4 * u, 4 * u + 4):
                w = draft.closed[k]
                if w < v and work.blocked[w] == 0:
                    left -= odds.weight[mine + w]
                    worth -= odds.weight[mine + w] * odds.value[mine + w]
            if odds.level[player] < 0 or left <= 1e-4 * chances or left <= _SMALL:  # digits would be lost
                put(draft, work, draft.players, u)
                mean += chance[other * v + u] * mean_value(draft, odds, player, first, work.blocked)
                take(draft, work, u)
            else:
                mean += chance[other * v + u] * worth / left
    return mean


@compiled
def draw(state: Any, chance: Any, at: int, size: int) -> int:
    """Return a number below *size*, drawn with the chances from *at* on."""
    state[0] = state[0] * LEHMER % PRIME
    rest = state[0] / PRIME
    drawn = -1
    for u in range(size):
        if chance[at + u] > 0.0:
            drawn = u
            rest -= chance[at + u]
            if rest < 0.0:
                break
    return drawn
