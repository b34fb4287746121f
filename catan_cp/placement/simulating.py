"""Drafts in which second settlements err too: their expectations by simulation, with a stated error.

The tree of first settlements is gone through as a whole. What follows it is too large for that with more than
two players; but where nobody minds the others, nobody need look ahead at a second settlement: the chances of
each vertex are known, and a player's expected value is a sum over those that are free. The last player's
first settlement is chosen by such sums, too. So courses from there on are drawn, and a player's value is not
that of one vertex drawn but this sum, given what later players, who place before it, have drawn (conditional
Monte Carlo; Asmussen and Glynn, "Stochastic Simulation", 2007, section V.4). For the last two players the
average over all draws is known too, and nothing is drawn; with two players that is everybody.

A chance that depends on a simulated expectation has a bias, since the expectation stands in an exponential;
and the best of several simulated values is too large on average. So there are four streams of draws of their
own, and a fifth that pools them and has a quarter of their variance: it is the answer. Its sampling error
comes from the spread of the four, and its bias is no more than its distance from their average, since a bias
falls with the variance, or with its root. The error stated is the sum of both, at 95 %.

Example: three players. Player 3's second settlement takes vertex a with a chance of 0.6, else b. Then player
2 can expect 0.6 times what is left for it without a, and 0.4 times that without b; player 1's value is
averaged over draws of both.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from catan_cp.placement.choices import PRIME, Odds, chances_of, draw, mean_after, mean_value
from catan_cp.placement.compiled import FAST, compiled, prepare
from catan_cp.placement.kernel import ALIVE, DEAD, Draft, Work, put, take
from catan_cp.placement.rivals import Table

STREAMS = 4
"""Independent simulations; one more pools them."""

_T_QUANTILE = 3.182
"""The two-sided 95 % quantile of Student's t with `STREAMS` - 1 degrees of freedom."""


@compiled
def expect_last(
    draft: Draft, work: Work, odds: Odds, draws: int, state: Any, chance: Any, mean: Any, at: int, only: int
) -> int:
    """Write what everybody can expect when one first settlement is left, per stream, into *mean*, from *at*.

    With *only* 0 or more, the last player settles on that vertex.

    Returns:
        The last player's best vertex; -1 where nothing is free.
    """
    n, v = draft.players, draft.vertices
    last, before = n - 1, n - 2
    options = n * v  # the last player's expected value per vertex, then its chance
    best = -1
    for u in range(v):
        chance[options + u] = 0.0
        if work.blocked[u] == 0 and (only < 0 or u == only):
            put(draft, work, last, u)
            value = mean_value(draft, odds, last, u, work.blocked)
            take(draft, work, u)
            chance[options + u] = value
            close = 1e-12 * (1.0 + value)
            rank = draft.goal[last] * v
            if (
                best < 0
                or value > chance[options + best] + close
                or (
                    abs(value - chance[options + best]) <= close
                    and draft.rank[rank + u] < draft.rank[rank + best]
                )
            ):
                best = u
    if best < 0:
        return best
    most, total, exact, near = chance[options + best], 0.0, 0.0, 0.0
    for u in range(v):
        value = chance[options + u]
        chance[options + u] = 0.0
        if work.blocked[u] != 0 or not (only < 0 or u == only):
            continue
        if odds.level[last] >= 0:
            chance[options + u] = math.exp(odds.level[last] * (value - most))
        elif u == best:
            chance[options + u] = 1.0
        total += chance[options + u]
        exact += chance[options + u] * value
    for u in range(v):
        chance[options + u] /= total
        if chance[options + u] > 0.0:
            put(draft, work, last, u)
            chances_of(draft, odds, last, u, work.blocked, chance, last * v)
            near += chance[options + u] * mean_after(draft, work, odds, before, chance, last)
            take(draft, work, u)
    for k in range((STREAMS + 1) * n):
        mean[at + k] = 0.0
    for stream in range(STREAMS + 1):
        mean[at + stream * n + last] = exact / total
        mean[at + stream * n + before] = near
    if n == 2:
        return best
    for stream in range(STREAMS):
        for _ in range(draws):
            put(draft, work, last, draw(state, chance, options, v))
            for player in range(last, -1, -1):
                if player < before:
                    value = mean_value(draft, odds, player, work.spots[player], work.blocked)
                    mean[at + stream * n + player] += value / draws
                if player > 0:
                    chances_of(draft, odds, player, work.spots[player], work.blocked, chance, player * v)
                    put(draft, work, 2 * n - 1 - player, draw(state, chance, player * v, v))
            for player in range(1, n):
                take(draft, work, work.spots[2 * n - 1 - player])
            take(draft, work, work.spots[last])
        for player in range(before):
            mean[at + STREAMS * n + player] += mean[at + stream * n + player] / STREAMS
    return best


@compiled
def expect_firsts(
    draft: Draft,
    work: Work,
    odds: Odds,
    draws: int,
    state: Any,
    chance: Any,
    options: Any,
    mean: Any,
    turn: int,
) -> int:
    """Write what everybody can expect from *turn* on, per stream, into the turn's row of *mean*.

    Args:
        draft: the board and the players; none has rivalry or expansion.
        work: with the settlements that stand; the course of first settlements is in the row of *turn*.
        odds: how second settlements are chosen.
        draws: courses drawn per stream wherever one first settlement is left.
        state: (1) the state of the random numbers.
        chance: ((N + 1) V) room for chances.
        options: (N V (streams N + 1)) room for options: all that `mean` has, then the vertex.
        mean: (N, streams N).
        turn: the next turn, 0 to N - 1.

    Returns:
        ALIVE, or DEAD where nobody can end the draft.
    """
    n, v = draft.players, draft.vertices
    cells = (STREAMS + 1) * n
    work.counts[0] += 1
    if turn == n - 1:
        best = expect_last(draft, work, odds, draws, state, chance, mean, turn * cells, -1)
        work.course[turn * 2 * n + turn] = best
        return DEAD if best < 0 else ALIVE
    count = 0
    for u in range(v):
        if work.blocked[u] != 0:
            continue
        put(draft, work, turn, u)
        found = expect_firsts(draft, work, odds, draws, state, chance, options, mean, turn + 1)
        take(draft, work, u)
        if found == DEAD:
            continue
        base = (turn * v + count) * (cells + 1)
        for k in range(cells):
            options[base + k] = mean[(turn + 1) * cells + k]
        options[base + cells] = u
        count += 1
        work.keys[turn * v + u] = 0
        for later in range(turn + 1, n):
            work.keys[turn * v + u] = work.keys[turn * v + u] * v + work.course[(turn + 1) * 2 * n + later]
    if count == 0:
        return DEAD
    choose_first(draft, work, odds, options, mean, turn, count)
    return ALIVE


@compiled
def choose_first(
    draft: Draft, work: Work, odds: Odds, options: Any, mean: Any, turn: int, count: int
) -> None:
    """Let the player of *turn* choose among *count* options, stream by stream; see `expect_firsts`."""
    n, v = draft.players, draft.vertices
    cells = (STREAMS + 1) * n
    for stream in range(STREAMS + 1):
        mine = stream * n + turn
        best = 0
        for k in range(1, count):
            value = options[(turn * v + k) * (cells + 1) + mine]
            most = options[(turn * v + best) * (cells + 1) + mine]
            close = 1e-12 * (1.0 + abs(most))
            better = value > most + close
            if abs(value - most) <= close:
                rank = draft.goal[turn] * v
                one = int(options[(turn * v + k) * (cells + 1) + cells])
                other = int(options[(turn * v + best) * (cells + 1) + cells])
                better = draft.rank[rank + one] < draft.rank[rank + other]
            if better:
                best = k
        most = options[(turn * v + best) * (cells + 1) + mine]
        into = turn * cells + stream * n
        total = 0.0
        for q in range(n):
            mean[into + q] = 0.0
        for k in range(count):
            base = (turn * v + k) * (cells + 1)
            chance = 1.0 if k == best else 0.0
            if odds.level[turn] >= 0:
                chance = math.exp(odds.level[turn] * (options[base + mine] - most))
            total += chance
            for q in range(n):
                mean[into + q] += chance * options[base + stream * n + q]
        for q in range(n):
            mean[into + q] /= total
        if stream == STREAMS:
            vertex = int(options[(turn * v + best) * (cells + 1) + cells])
            work.course[turn * 2 * n + turn] = vertex
            code = work.keys[turn * v + vertex]
            for later in range(n - 1, turn, -1):
                work.course[turn * 2 * n + later] = code % v
                code //= v


class Simulated(NamedTuple):
    """What a simulation found.

    Attributes:
        options: per vertex that the next player may settle, what every player can expect.
        expected: what every player can expect before that choice.
        error: per player, the error of *expected*, at 95 %.
        course: everybody's first settlement where each takes its best option.
        leaves: how many ways to place first settlements were gone through, in all rounds.
    """

    options: tuple[tuple[int, tuple[float, ...]], ...]
    expected: tuple[float, ...]
    error: tuple[float, ...]
    course: tuple[int, ...]
    leaves: int


def simulate(table: Table, levels: Sequence[float], error: float) -> Simulated | None:
    """Return what players can expect who err at both settlements; None where nobody can end the draft.

    Args:
        table: a draft in which first settlements are left to place and nobody minds the others.
        levels: each player's rationality; negative for a perfect one.
        error: the largest error to end with, as a share of each value. A fourth of it takes sixteen times as
            long, or more.
    """
    odds, draws, leaves = _odds(table, levels), 1, 0
    while True:
        found = _round(table, odds, draws)
        if found is None:
            return None
        leaves += found.leaves
        shares = [e / value for e, value in zip(found.error, found.expected, strict=True) if value]
        if max(shares, default=0.0) <= error:
            return found._replace(leaves=leaves)
        draws *= 2


def _odds(table: Table, levels: Sequence[float]) -> Odds:
    v = table.draft.vertices
    own = np.asarray(table.draft.own, dtype=float).reshape(-1, v, v)[np.asarray(table.draft.goal)]
    value = own / table.unit
    level = np.asarray(levels, dtype=float)
    ahead = np.where(own < 0, -np.inf, value - value.max(axis=2, keepdims=True))
    weight = np.exp(np.where(level < 0, 0.0, level)[:, None, None] * np.where(own < 0, 0.0, ahead))
    weight[own < 0] = 0.0
    arrays = [np.ascontiguousarray(array).reshape(-1) for array in (level, value, weight)]
    return Odds(*(arrays if FAST else [array.tolist() for array in arrays]))


def _round(table: Table, odds: Odds, draws: int) -> Simulated | None:
    """Simulate with so many draws a stream; the next player's options are shared out among the cores."""
    n, v, turn = table.players, table.draft.vertices, table.turn
    cells = (STREAMS + 1) * n

    def room(size: int) -> Any:
        return np.zeros(size) if FAST else [0.0] * size

    def arguments(seed: int) -> tuple[Any, ...]:
        state: Any = np.array([seed]) if FAST else [seed]
        work = Work(*(each.copy() for each in table.work))
        return work, odds, draws, state, room((n + 1) * v), room(n * v * (cells + 1)), room(n * cells)

    def try_first(u: int) -> tuple[int, Any, Work, int]:
        seed = random.Random(f"{turn} {u} {draws}").randrange(1, PRIME)
        work, _, _, state, chance, options, mean = arguments(seed)
        work.counts[0] = 0
        if turn == n - 1:
            found = (
                DEAD if expect_last(table.draft, work, odds, draws, state, chance, mean, 0, u) < 0 else ALIVE
            )
            work.counts[0] = 1
            return found, mean[:cells], work, u
        put(table.draft, work, turn, u)
        found = expect_firsts(table.draft, work, odds, draws, state, chance, options, mean, turn + 1)
        return found, mean[(turn + 1) * cells : (turn + 2) * cells], work, u

    prepare(expect_firsts, table.draft, *arguments(1), 0)
    free = table.free()
    with ThreadPoolExecutor(os.cpu_count() if FAST else 1) as pool:
        try:
            tried = [one for one in pool.map(try_first, free) if one[0] == ALIVE]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if not tried:
        return None
    options, mean = room(n * v * (cells + 1)), room(n * cells)
    told = []
    for k, (_, after, work, u) in enumerate(tried):
        base = (turn * v + k) * (cells + 1)
        options[base : base + cells + 1] = [*after, u]
        later = [int(w) for w in work.course[(turn + 1) * 2 * n + turn + 1 : (turn + 1) * 2 * n + n]]
        table.work.keys[turn * v + u] = sum(w * v**k for k, w in enumerate(reversed(later)))
        told.append((u, tuple(float(x) for x in after[STREAMS * n :])))
    choose_first(table.draft, table.work, odds, options, mean, turn, len(tried))
    row = np.asarray(mean[turn * cells : (turn + 1) * cells], dtype=float).reshape(STREAMS + 1, n)
    streams, pooled = row[:STREAMS], row[STREAMS]
    spread = streams.std(axis=0, ddof=1) / math.sqrt(STREAMS)
    error = _T_QUANTILE * spread + np.abs(streams.mean(axis=0) - pooled)
    course = [int(w) for w in table.work.spots[:turn]]
    course += [int(w) for w in table.work.course[turn * 2 * n + turn : turn * 2 * n + n]]
    leaves = sum(int(work.counts[0]) for _, _, work, _ in tried)
    return Simulated(tuple(told), tuple(map(float, pooled)), tuple(map(float, error)), tuple(course), leaves)
