"""Players who err: the quantal response equilibrium of a draft, by backward induction.

A player of rationality x takes an option with a chance in proportion to ``exp(x * lead)``, where *lead* is
what the player expects to lead by with the option (without rivalry, its own value), knowing how everybody
errs: the logit agent quantal response equilibrium of McKelvey and Palfrey (1998). None is a perfect player,
who takes the best option, ties settled as ever; 0 takes any option alike. With one perfect player among
erring ones it is the report's extension of stochastic opponents: that player solves a stochastic program.

Either first settlements err and second ones are best, or both err. Where the tree can be gone through, what
is found here is an exact expectation, up to rounding.

Example: one option leads by 1, another by 0. Of rationality 0 a player takes each with a chance of 1/2, of
rationality 1 the better with e / (e + 1) = 0.73, and of rationality 10 nearly always.

**Simulation.** The tree of both settlements of three players and more is too large. But where nobody minds
the others, nobody need look ahead at a second settlement: the chances of each vertex are known, and what a
player can expect is a sum over those that are free. The last player's first settlement is chosen by such
sums, too. So only courses from there on are drawn, and a player's value is not that of one vertex drawn but
this sum, given what later players, who place before it, have drawn (conditional Monte Carlo; Asmussen and
Glynn, "Stochastic Simulation", 2007, section V.4). For the last two players the average over all draws is
known too, and nothing is drawn; with two players that is everybody.

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

from catan_cp.compiled import compiled, inlined, is_fast, prepare
from catan_cp.compiled import table as array
from catan_cp.errors import InvalidArgument
from catan_cp.placement.lookahead import (
    ALIVE,
    DEAD,
    STOPPED,
    Draft,
    Work,
    block,
    free_place,
    lead,
    order_of,
    put,
    search,
)
from catan_cp.placement.rivals import Table, too_long

PERFECT = -1.0
"""How a perfect player's rationality is written in tables."""

MOST_WAYS = 30_000_000
"""How many ways to settle are gone through: some seconds where numba is installed."""

STREAMS = 4
"""Independent simulations; one more pools them."""

_T_QUANTILE = 3.182
"""The two-sided 95 % quantile of Student's t with `STREAMS` - 1 degrees of freedom."""

LEHMER, PRIME = 48271, 2147483647
"""Park and Miller's generator ("Random number generators", 1988): the same in Python and compiled."""

_SMALL = 1e-200
"""A sum of chances below this has lost its digits."""


class Odds(NamedTuple):
    """How players err, and choose second settlements where these err: flat tables, N players, V vertices.

    Attributes:
        level: (N) each player's rationality; negative for a perfect player.
        value: (N V V) what each pair is worth.
        weight: (N V V) each second vertex's chance before scaling, 1 for the best pair of a row; 0 for a pair
            that cannot be, and for perfect players.
        unit: what the numbers in `Draft.own` are divided by to give values.
        stop: the turn from which on nobody errs, or courses are drawn.
        draws: how many courses are drawn for a stream at that turn; 0 where the tree is gone through.
        streams: how many expectations there are of everything: 1, or all `STREAMS` and the pooled one.
    """

    level: Any
    value: Any
    weight: Any
    unit: float
    stop: int
    draws: int
    streams: int


class Room(NamedTuple):
    """What the induction writes; a row has cells: per stream every player's expected value, then lead.

    Attributes:
        mean: (2N + 1, cells) what everybody can expect from each turn on.
        options: (2N V (cells + 1)) a turn's options: such a row, and the vertex. Of the last first
            settlement, where courses are drawn: what the last player expects, and the one before; and it.
        chance: (N + 1, V) the chances of each player's second vertices; then, of the options chosen from.
        state: (1) the state of the random numbers.
    """

    mean: Any
    options: Any
    chance: Any
    state: Any


@inlined
def logit(level: float, behind: float) -> float:
    """Return the chance, before scaling, of an option that is behind the best by *behind*, 0 or less."""
    return math.exp(level * behind) if level >= 0 else 0.0


@compiled
def respond(draft: Draft, work: Work, odds: Odds, room: Room, player: int) -> float:
    """Write the chances of a player's second vertices into its row; return what it can expect of them.

    Its first settlement, and one vertex at least beside it, must be there.
    """
    v = draft.vertices
    first, at, best = work.spots[player], player * v, -1
    mine = (player * v + first) * v
    while True:
        chances, total = 0.0, 0.0
        for u in range(v):
            weight = 0.0
            if work.blocked[u] == 0:
                if best < 0:
                    weight = odds.weight[mine + u]
                elif u == best:
                    weight = 1.0
                else:
                    weight = logit(odds.level[player], odds.value[mine + u] - odds.value[mine + best])
                chances += weight
                total += weight * odds.value[mine + u]
            room.chance[at + u] = weight
        if chances > _SMALL:
            break
        row = (draft.goal[player] * v + first) * v  # a perfect player, or one whose best vertices are gone
        best = draft.partners[row + free_place(draft, work, row, 0)]
    for u in range(v):
        room.chance[at + u] /= chances
    return float(total / chances)


@compiled
def respond_after(draft: Draft, work: Work, odds: Odds, room: Room, player: int, other: int) -> float:
    """Return what a player can expect of its second settlement after that of *other*, whose chances stand."""
    v = draft.vertices
    mine = (player * v + work.spots[player]) * v
    chances, total = 0.0, 0.0
    for u in range(v):
        if work.blocked[u] == 0:
            chances += odds.weight[mine + u]
            total += odds.weight[mine + u] * odds.value[mine + u]
    mean = 0.0
    for u in range(v):
        if room.chance[other * v + u] > 0.0:
            left, worth = chances, total
            for k in range(4 * u, 4 * u + 4):
                w = draft.closed[k]
                if w < v and work.blocked[w] == 0:
                    left -= odds.weight[mine + w]
                    worth -= odds.weight[mine + w] * odds.value[mine + w]
            if left > 1e-4 * chances and left > _SMALL:
                mean += room.chance[other * v + u] * worth / left
            else:  # digits would be lost
                block(draft, work, u, 1)
                mean += room.chance[other * v + u] * respond(draft, work, odds, room, player)
                block(draft, work, u, -1)
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


@compiled
def weigh(draft: Draft, work: Work, odds: Odds, room: Room, turn: int, mine: int, count: int) -> int:
    """Write the chance of each of the *count* options of a turn, which lead by what their cell *mine* says.

    Returns:
        The number of the best option.
    """
    n, v = draft.players, draft.vertices
    wide, best = odds.streams * 2 * n + 1, 0
    for k in range(1, count):
        a, b = (turn * v + k) * wide, (turn * v + best) * wide
        ahead, most = room.options[a + mine], room.options[b + mine]
        better = ahead > most
        if abs(ahead - most) <= 1e-12 * (1.0 + abs(most)):
            one, other = int(room.options[a + wide - 1]), int(room.options[b + wide - 1])
            better = order_of(draft, work, turn, one) < order_of(draft, work, turn, other)
        if better:
            best = k
    level, most = odds.level[min(turn, 2 * n - 1 - turn)], room.options[(turn * v + best) * wide + mine]
    total = 0.0
    for k in range(count):
        chance = 1.0 if k == best else logit(level, room.options[(turn * v + k) * wide + mine] - most)
        room.chance[n * v + k] = chance
        total += chance
    for k in range(count):
        room.chance[n * v + k] /= total
    return best


@compiled
def draw_course(draft: Draft, work: Work, odds: Odds, room: Room, at: int, count: int) -> None:
    """Draw a course from the last first settlement on, and add what it leads to to the means from *at* on."""
    n, v = draft.players, draft.vertices
    last, before, wide = n - 1, n - 2, odds.streams * 2 * n + 1
    drawn = draw(room.state, room.chance, n * v, count)
    put(draft, work, last, int(room.options[(last * v + drawn + 1) * wide - 1]))
    for player in range(last, -1, -1):
        value = respond(draft, work, odds, room, player)
        if player < before:
            room.mean[at + player] += value / odds.draws
        if player > 0:
            put(draft, work, 2 * n - 1 - player, draw(room.state, room.chance, player * v, v))
    for player in range(1, n):
        block(draft, work, work.spots[2 * n - 1 - player], -1)
    block(draft, work, work.spots[last], -1)


@compiled
def expect_last(draft: Draft, work: Work, odds: Odds, room: Room, only: int) -> int:
    """Write what everybody can expect when one first settlement is left, which is *only*, or any for -1.

    Returns:
        ALIVE; DEAD where nothing is free.
    """
    n, v = draft.players, draft.vertices
    last, before, wide, count = n - 1, n - 2, 2 * n, 0
    cells = odds.streams * wide
    at = last * cells
    for u in range(v):
        if work.blocked[u] == 0 and (only < 0 or u == only):
            base = (last * v + count) * (cells + 1)
            put(draft, work, last, u)
            room.options[base] = respond(draft, work, odds, room, last)
            room.options[base + 1] = respond_after(draft, work, odds, room, before, last)
            block(draft, work, u, -1)
            room.options[base + cells] = u
            count += 1
    if count == 0:
        return DEAD
    weigh(draft, work, odds, room, last, 0, count)
    for k in range(at, at + cells):
        room.mean[k] = 0.0
    for stream in range(odds.streams):
        start = at + stream * wide
        for k in range(count):
            base = (last * v + k) * (cells + 1)
            room.mean[start + last] += room.chance[n * v + k] * room.options[base]
            room.mean[start + before] += room.chance[n * v + k] * room.options[base + 1]
        if before > 0 and stream < STREAMS:
            for _ in range(odds.draws):
                draw_course(draft, work, odds, room, start, count)
            for player in range(before):
                room.mean[at + STREAMS * wide + player] += room.mean[start + player] / STREAMS
        for q in range(n):  # nobody minds the others, so that leads are values
            room.mean[start + n + q] = room.mean[start + q]
    return ALIVE


@compiled
def expect(draft: Draft, work: Work, odds: Odds, room: Room, turn: int) -> int:
    """Write what everybody can expect from *turn* on into its row of the means.

    Returns:
        ALIVE; DEAD where nobody can end the draft; STOPPED where another thread asked for it.
    """
    if work.stop[0] != 0:
        return STOPPED
    work.counts[0] += 1
    if turn == odds.stop and odds.draws > 0:
        return int(expect_last(draft, work, odds, room, draft.nobody))
    n, v = draft.players, draft.vertices
    if turn == odds.stop:  # the rest is played perfectly
        found = search(draft, work, turn, draft.lowest, draft.nobody, draft.nobody)
        for q in range(n):
            room.mean[turn * 2 * n + q] = work.values[turn * n + q] / odds.unit
            room.mean[turn * 2 * n + n + q] = lead(draft, work, turn, q) / (draft.den * odds.unit)
        return int(found)
    cells, count = odds.streams * 2 * n, 0
    for u in range(v):
        if work.blocked[u] != 0:
            continue
        put(draft, work, turn, u)
        found = expect(draft, work, odds, room, turn + 1)
        block(draft, work, u, -1)
        if found == STOPPED:
            return STOPPED
        if found == ALIVE:
            base = (turn * v + count) * (cells + 1)
            for k in range(cells):
                room.options[base + k] = room.mean[(turn + 1) * cells + k]
            room.options[base + cells] = u
            count += 1
    if count == 0:
        return DEAD
    choose(draft, work, odds, room, turn, count)
    return ALIVE


@compiled
def choose(draft: Draft, work: Work, odds: Odds, room: Room, turn: int, count: int) -> None:
    """Let the player of *turn* choose among *count* options, stream by stream, into the turn's means."""
    n, v = draft.players, draft.vertices
    cells = odds.streams * 2 * n
    for stream in range(odds.streams):
        start = stream * 2 * n
        weigh(draft, work, odds, room, turn, start + n + min(turn, 2 * n - 1 - turn), count)
        for q in range(start, start + 2 * n):
            mean = 0.0
            for k in range(count):
                mean += room.chance[n * v + k] * room.options[(turn * v + k) * (cells + 1) + q]
            room.mean[turn * cells + q] = mean


class Expected(NamedTuple):
    """What players who err can expect.

    Attributes:
        course: the one in which everybody takes its best option.
        options: the next player's, best first, as (vertex, expected lead, every player's expected value).
        values: what every player can expect; empty where nobody errs any more.
        error: where that is simulated, its error at 95 %, per player.
        positions: how many positions were gone through.
    """

    course: list[int]
    options: list[tuple[int, float, tuple[float, ...]]]
    values: tuple[float, ...]
    error: tuple[float, ...] | None
    positions: int


def expectations(
    table: Table, rationality: Sequence[float | None], erring: str, error: float = 0.005
) -> Expected | None:
    """Return what players can expect who err; None where not all find room.

    Args:
        table: the draft, with what stands.
        rationality: each player's; None for a perfect one.
        erring: ``"first"`` or ``"both"``: which settlements err.
        error: the largest error of a simulation, as a share of the values. A fourth of it takes sixteen times
            as long, or more.

    Raises:
        InvalidArgument: the tree is too large to go through, and nothing else will do; weights with
            denominators too long for 64 bits.
    """
    players = table.players
    if table.unit == 0:  # mere ranks, of which there is no expectation
        raise too_long()
    stop = players if erring == "first" else 2 * players
    if table.turn >= stop:
        return Expected(table.course(), [], (), None, 0) if table.solve() else None
    if _ways(table, stop) <= MOST_WAYS:
        return induce(table, rationality, stop)
    if erring == "first" or _ways(table, players) > MOST_WAYS or table.turn >= players:
        raise InvalidArgument(
            f"the tree of {'first settlements' if erring == 'first' else 'settlements'} that err, of "
            f"{players} players on {table.position.board.layout.name!r}, is too large to go through; "
            "let fewer play, or say what stands already"
        )
    if table.position.minds_others or not table.position.is_roomy:
        raise InvalidArgument(
            f"second settlements of {players} players can err only where nobody needs to look ahead at them: "
            "without rivalry and expansion, and with room for all; use erring='first'"
        )
    return induce(table, rationality, players, error)


def induce(
    table: Table, rationality: Sequence[float | None], stop: int, error: float | None = None
) -> Expected | None:
    """Return what players can expect who err before turn *stop*; None where nobody can end the draft.

    Args:
        table: the draft; what follows is put on it.
        rationality: as for `expectations`.
        stop: the first turn that is played perfectly.
        error: the largest error to end with, as a share of each value, where second settlements err too, and
            are simulated: nobody minds the others, *stop* is N, and first settlements are left to place.
    """
    draws, positions = int(error is not None), 0
    while (found := _induce(table, rationality, stop, draws)) is not None:
        positions += found.positions
        shares = [e / value for e, value in zip(found.error or (), found.values, strict=False) if value]
        if error is None or max(shares, default=0.0) <= error:
            break
        draws *= 2
    if found is None:
        return None
    best: Expected | None = found
    while best is not None:  # everybody takes its best option
        table.put(best.options[0][0])
        best = _induce(table, rationality, stop, draws) if table.turn < stop else None
    table.solve()
    return found._replace(course=table.course(), positions=positions)


def _ways(table: Table, stop: int) -> int:
    """Return about how many ways there are to place the settlements up to turn *stop*."""
    free = len(table.free())
    return math.prod(max(1, free - 3 * k) for k in range(stop - table.turn))


def _odds(table: Table, rationality: Sequence[float | None], stop: int, draws: int) -> Odds:
    draft, v = table.draft, table.draft.vertices
    own = np.asarray(draft.own, dtype=float).reshape(-1, v, v)[np.asarray(draft.goal)]
    value = own / table.unit
    level = np.array([PERFECT if one is None else float(one) for one in rationality])
    behind = np.where(own < 0, -np.inf, value - value.max(axis=2, keepdims=True))
    weight = np.exp(np.abs(level)[:, None, None] * np.where(own < 0, 0.0, behind))
    weight[(own < 0) | (level < 0)[:, None, None]] = 0.0
    return Odds(
        level=array(level, float),
        value=array(value.reshape(-1), float),
        weight=array(weight.reshape(-1), float),
        unit=float(table.unit),
        stop=stop - 1 if draws else stop,
        draws=draws,
        streams=STREAMS + 1 if draws else 1,
    )


def _induce(table: Table, rationality: Sequence[float | None], stop: int, draws: int) -> Expected | None:
    """Go through the tree, or simulate once; the next player's options are shared out among the cores."""
    odds = _odds(table, rationality, stop, draws)
    draft, n, v, turn = table.draft, table.players, table.draft.vertices, table.turn
    player, cells = table.turns[turn] - 1, odds.streams * 2 * table.players
    drawn = draws > 0 and turn == odds.stop
    after = turn if drawn else turn + 1

    def room(seed: int) -> Room:
        sizes = ((2 * n + 1) * cells, 2 * n * v * (cells + 1), (n + 1) * v)
        mean, options, chance = (array(np.zeros(size), float) for size in sizes)
        return Room(mean, options, chance, array([seed]))

    def attempt(u: int) -> tuple[int, int, int, Any]:
        work = Work(*(each.copy() for each in table.work))._replace(stop=table.work.stop)
        work.counts[0] = 0
        own = room(random.Random(f"{turn} {u} {draws}").randrange(1, PRIME))
        if drawn:
            found = expect_last(draft, work, odds, own, u)
        else:
            put(draft, work, turn, u)
            found = expect(draft, work, odds, own, after)
        return u, found, int(work.counts[0]), own.mean[after * cells : (after + 1) * cells]

    whole = room(1)
    prepare(expect, draft, table.work, odds, whole, turn)
    with ThreadPoolExecutor(os.cpu_count() if is_fast() else 1) as pool:
        try:
            tried = list(pool.map(attempt, table.free()))
        except BaseException:
            table.work.stop[0] = 1
            raise
    if any(found == STOPPED for _, found, _, _ in tried):
        raise KeyboardInterrupt
    alive = [(u, [float(x) for x in mean]) for u, found, _, mean in tried if found == ALIVE]
    if not alive:
        return None
    for k, (u, row) in enumerate(alive):
        base = (turn * v + k) * (cells + 1)
        whole.options[base : base + cells + 1] = [*row, u]
    choose(draft, table.work, odds, whole, turn, len(alive))
    means = np.asarray(whole.mean[turn * cells : (turn + 1) * cells], dtype=float).reshape(-1, 2 * n)
    streams, answer = means[:-1, :n], means[-1, :n]
    error = None
    if draws:
        spread = streams.std(axis=0, ddof=1) / math.sqrt(STREAMS)
        error = tuple(map(float, _T_QUANTILE * spread + np.abs(streams.mean(axis=0) - answer)))
    rows = [(u, row[-n + player], tuple(row[-2 * n : -n])) for u, row in alive]
    rows.sort(key=lambda row: (-round(row[1], 11), table.order_of(row[0])))
    return Expected([], rows, tuple(map(float, answer)), error, 1 + sum(count for _, _, count, _ in tried))
