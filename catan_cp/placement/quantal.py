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

from catan_cp.compiled import compiled, inlined, is_fast, prepare, zeros
from catan_cp.errors import InvalidArgument
from catan_cp.placement.lookahead import (
    ALIVE,
    DEAD,
    STOPPED,
    Draft,
    Work,
    block,
    free_place,
    pair_value,
    put,
    search,
    take,
    worth,
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
        careless: 1 where nobody need look ahead at a second settlement: none minds the others, and all find
            room; else 0.
    """

    level: Any
    value: Any
    weight: Any
    unit: float
    stop: int
    draws: int
    streams: int
    careless: int


class Room(NamedTuple):
    """What the induction writes; a row has cells: per stream every player's expected value, then lead.

    Attributes:
        mean: (2N + 1, cells) what everybody can expect from each turn on.
        options: (2N V (cells + 1)) a turn's options: such a row, and the vertex.
        chance: (N + 1, V) the chances of each player's second vertices; then, of the last first settlement.
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
    first, at = work.spots[player], player * v
    mine = (player * v + first) * v
    chances, total = 0.0, 0.0
    for u in range(v):
        room.chance[at + u] = 0.0
        if work.blocked[u] == 0:
            weight = odds.weight[mine + u]
            room.chance[at + u] = weight
            chances += weight
            total += weight * odds.value[mine + u]
    if chances <= _SMALL:  # a perfect player, or one whose best vertices are gone
        row = (draft.goal[player] * v + first) * v
        best = draft.partners[row + free_place(draft, work, row, 0)]
        most = odds.value[mine + best]
        chances, total = 0.0, 0.0
        for u in range(v):
            if work.blocked[u] == 0:
                weight = 1.0 if u == best else logit(odds.level[player], odds.value[mine + u] - most)
                room.chance[at + u] = weight
                chances += weight
                total += weight * odds.value[mine + u]
    scale = 1.0 / chances
    for u in range(v):
        room.chance[at + u] *= scale
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
def settle_rest(draft: Draft, work: Work, odds: Odds, turn: int) -> int:
    """Play the best second settlements from *turn* on, into the turn's row; return ALIVE, DEAD or STOPPED."""
    n, v = draft.players, draft.vertices
    last = 2 * n - 1
    if not odds.careless:
        return search(draft, work, turn, draft.lowest, draft.nobody, draft.nobody)
    for at in range(turn, last + 1):
        row = (draft.goal[last - at] * v + work.spots[last - at]) * v
        vertex = draft.partners[row + free_place(draft, work, row, 0)]
        put(draft, work, at, vertex)
        work.course[turn * 2 * n + at] = vertex
    for q in range(n):
        work.values[turn * n + q] = pair_value(draft, work, q)
    for at in range(turn, last + 1):
        take(draft, work, work.spots[at])
    return ALIVE


@compiled
def is_better(draft: Draft, work: Work, turn: int, vertex: int, lead: float, other: int, most: float) -> bool:
    """Say whether the player of *turn* takes a vertex with this lead and not *other*, which has *most*."""
    if abs(lead - most) > 1e-12 * (1.0 + abs(most)):
        return lead > most
    v = draft.vertices
    if turn < draft.players:
        rank = draft.goal[turn] * v
        return bool(draft.rank[rank + vertex] < draft.rank[rank + other])
    player = 2 * draft.players - 1 - turn
    row = (draft.goal[player] * v + work.spots[player]) * v
    mine, its = draft.own[row + vertex], draft.own[row + other]
    return bool(mine > its or (mine == its and vertex < other))


@compiled
def expect_end(draft: Draft, work: Work, odds: Odds, room: Room, turn: int) -> int:
    """Write what everybody has when the rest is played perfectly; return ALIVE, DEAD or STOPPED."""
    n = draft.players
    at = turn * 2 * n
    found = ALIVE if turn == 2 * n else settle_rest(draft, work, odds, turn)
    for q in range(n):
        value = worth(draft, work, q) if turn == 2 * n else work.values[turn * n + q]
        room.mean[at + q] = value / odds.unit
    for q in range(n):
        most = 0.0
        for other in range(n):
            if other != q:
                most = max(most, room.mean[at + other])
        room.mean[at + n + q] = room.mean[at + q] - draft.num[q] * most / draft.den
    return int(found)


@compiled
def choose_last(draft: Draft, work: Work, odds: Odds, room: Room, only: int) -> int:
    """Write the chance of each vertex for the last first settlement after the others' chances.

    Args:
        draft: the board and the players.
        work: with the settlements that stand.
        odds: how players err.
        room: its chances are written, and what the last player can expect into the turn's mean.
        only: the vertex to settle; -1 for any.

    Returns:
        The last player's best vertex; -1 where nothing is free.
    """
    n, v = draft.players, draft.vertices
    last, options, best = n - 1, n * v, -1
    for u in range(v):
        room.chance[options + u] = -1.0
        if work.blocked[u] == 0 and (only < 0 or u == only):
            put(draft, work, last, u)
            value = respond(draft, work, odds, room, last)
            take(draft, work, u)
            room.chance[options + u] = value
            if best < 0 or is_better(draft, work, last, u, value, best, room.chance[options + best]):
                best = u
    if best < 0:
        return best
    most, total, exact = room.chance[options + best], 0.0, 0.0
    for u in range(v):
        value, chance = room.chance[options + u], 0.0
        if value >= 0.0:
            chance = 1.0 if u == best else logit(odds.level[last], value - most)
            total += chance
            exact += chance * value
        room.chance[options + u] = chance
    for u in range(v):
        room.chance[options + u] /= total
    for stream in range(odds.streams):
        room.mean[last * odds.streams * 2 * n + stream * 2 * n + last] = exact / total
    return best


@compiled
def draw_course(draft: Draft, work: Work, odds: Odds, room: Room, at: int) -> None:
    """Draw a course from the last first settlement on, and add what it leads to to the means from *at* on."""
    n, v = draft.players, draft.vertices
    last, before = n - 1, n - 2
    put(draft, work, last, draw(room.state, room.chance, n * v, v))
    for player in range(last, -1, -1):
        value = respond(draft, work, odds, room, player)
        if player < before:
            room.mean[at + player] += value / odds.draws
        if player > 0:
            put(draft, work, 2 * n - 1 - player, draw(room.state, room.chance, player * v, v))
    for player in range(1, n):
        take(draft, work, work.spots[2 * n - 1 - player])
    take(draft, work, work.spots[last])


@compiled
def expect_last(draft: Draft, work: Work, odds: Odds, room: Room, only: int) -> int:
    """Write what everybody can expect when one first settlement is left, which is *only*, or any for -1.

    Returns:
        ALIVE; DEAD where nothing is free.
    """
    n, v = draft.players, draft.vertices
    last, before, wide = n - 1, n - 2, 2 * n
    at = last * odds.streams * wide
    for k in range(at, at + odds.streams * wide):
        room.mean[k] = 0.0
    best = choose_last(draft, work, odds, room, only)
    if best < 0:
        return DEAD
    work.course[last * wide + last] = best
    near = 0.0
    for u in range(v):
        if room.chance[n * v + u] > 0.0:
            put(draft, work, last, u)
            respond(draft, work, odds, room, last)
            near += room.chance[n * v + u] * respond_after(draft, work, odds, room, before, last)
            take(draft, work, u)
    pooled = at + STREAMS * wide
    for stream in range(STREAMS):
        if before > 0:
            for _ in range(odds.draws):
                draw_course(draft, work, odds, room, at + stream * wide)
        for player in range(before):
            room.mean[pooled + player] += room.mean[at + stream * wide + player] / STREAMS
    for stream in range(odds.streams):
        room.mean[at + stream * wide + before] = near
        for q in range(n):  # nobody minds the others, so that leads are values
            room.mean[at + stream * wide + n + q] = room.mean[at + stream * wide + q]
    return ALIVE


@compiled
def expect(draft: Draft, work: Work, odds: Odds, room: Room, turn: int) -> int:
    """Write what everybody can expect from *turn* on into its row of the means.

    The course in which everybody takes its best option is then in the turn's row of `Work.course`.

    Returns:
        ALIVE; DEAD where nobody can end the draft; STOPPED where another thread asked for it.
    """
    if work.stop[0] != 0:
        return STOPPED
    work.counts[0] += 1
    if turn == odds.stop and odds.draws > 0:
        return int(expect_last(draft, work, odds, room, draft.nobody))
    if turn == odds.stop:
        return int(expect_end(draft, work, odds, room, turn))
    n, v = draft.players, draft.vertices
    cells = odds.streams * 2 * n
    count, best = 0, -1
    for u in range(v):
        if work.blocked[u] != 0:
            continue
        put(draft, work, turn, u)
        found = expect(draft, work, odds, room, turn + 1)
        take(draft, work, u)
        if found == STOPPED:
            return STOPPED
        if found == ALIVE:
            base = (turn * v + count) * (cells + 1)
            for k in range(cells):
                room.options[base + k] = room.mean[(turn + 1) * cells + k]
            room.options[base + cells] = u
            best = better_option(draft, work, odds, room, turn, odds.streams - 1, count, best)
            if best == count:
                work.course[turn * 2 * n + turn] = u
                for later in range(turn + 1, 2 * n):
                    work.course[turn * 2 * n + later] = work.course[(turn + 1) * 2 * n + later]
            count += 1
    if count == 0:
        return DEAD
    choose(draft, work, odds, room, turn, count)
    return ALIVE


@compiled
def better_option(
    draft: Draft, work: Work, odds: Odds, room: Room, turn: int, stream: int, one: int, other: int
) -> int:
    """Return the number of the option that the player of *turn* takes, of two; -1 is none."""
    n, v = draft.players, draft.vertices
    if other < 0:
        return one
    cells = odds.streams * 2 * n
    mine = stream * 2 * n + n + (turn if turn < n else 2 * n - 1 - turn)
    a, b = (turn * v + one) * (cells + 1), (turn * v + other) * (cells + 1)
    vertex, rival = int(room.options[a + cells]), int(room.options[b + cells])
    better = is_better(draft, work, turn, vertex, room.options[a + mine], rival, room.options[b + mine])
    return one if better else other


@compiled
def choose(draft: Draft, work: Work, odds: Odds, room: Room, turn: int, count: int) -> int:
    """Let the player of *turn* choose among *count* options, stream by stream, into the turn's means.

    Returns:
        The number of the best option in the last stream.
    """
    n, v = draft.players, draft.vertices
    player = turn if turn < n else 2 * n - 1 - turn
    cells, best = odds.streams * 2 * n, -1
    for stream in range(odds.streams):
        best = -1
        for k in range(count):
            best = better_option(draft, work, odds, room, turn, stream, k, best)
        at, mine = turn * cells + stream * 2 * n, stream * 2 * n + n + player
        most = room.options[(turn * v + best) * (cells + 1) + mine]
        total = 0.0
        for q in range(2 * n):
            room.mean[at + q] = 0.0
        for k in range(count):
            base = (turn * v + k) * (cells + 1)
            ahead = room.options[base + mine]
            chance = 1.0 if k == best else logit(odds.level[player], ahead - most)
            total += chance
            for q in range(2 * n):
                room.mean[at + q] += chance * room.options[base + stream * 2 * n + q]
        for q in range(2 * n):
            room.mean[at + q] /= total
    return best


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
        return _induce(table, rationality, stop)
    if erring == "first" or _ways(table, players) > MOST_WAYS or table.turn >= players:
        raise InvalidArgument(
            f"the tree of {'first settlements' if erring == 'first' else 'settlements'} that err, of "
            f"{players} players on {table.position.board.layout.name!r}, is too large to go through; "
            "let fewer play, or say what stands already"
        )
    if table.position.minds_others or len(table.free()) <= 4 * (2 * players - 1 - table.turn):
        raise InvalidArgument(
            f"second settlements of {players} players can err only where nobody needs to look ahead at them: "
            "without rivalry and expansion, and with room for all; use erring='first'"
        )
    return simulate(table, rationality, error)


def simulate(table: Table, rationality: Sequence[float | None], error: float) -> Expected | None:
    """Return what players can expect who err at both settlements; None where nobody can end the draft.

    Args:
        table: a draft in which first settlements are left to place and nobody minds the others.
        rationality: as for `expectations`.
        error: the largest error to end with, as a share of each value.
    """
    draws, positions = 1, 0
    while True:
        found = _induce(table, rationality, table.players - 1, draws)
        if found is None:
            return None
        positions += found.positions
        shares = [e / value for e, value in zip(found.error or (), found.values, strict=True) if value]
        if max(shares, default=0.0) <= error:
            break
        draws *= 2
    for vertex in found.course[table.turn :]:
        table.put(vertex)
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
    tables = [
        array.reshape(-1) if is_fast() else array.reshape(-1).tolist() for array in (level, value, weight)
    ]
    careless = draft.roomy and not table.position.minds_others
    streams = STREAMS + 1 if draws else 1
    return Odds(tables[0], tables[1], tables[2], float(table.unit), stop, draws, streams, int(careless))


def _room(table: Table, odds: Odds, seed: int) -> Room:
    n, v, cells = table.players, table.draft.vertices, odds.streams * 2 * table.players
    sizes = ((2 * n + 1) * cells, 2 * n * v * (cells + 1), (n + 1) * v)
    mean, options, chance = (np.zeros(size) if is_fast() else [0.0] * size for size in sizes)
    state = zeros(1)
    state[0] = seed
    return Room(mean, options, chance, state)


def _induce(table: Table, rationality: Sequence[float | None], stop: int, draws: int = 0) -> Expected | None:
    """Go through the tree, or simulate once; the next player's options are shared out among the cores."""
    odds = _odds(table, rationality, stop, draws)
    draft, n, v, turn = table.draft, table.players, table.draft.vertices, table.turn
    player, cells = table.turns[turn] - 1, odds.streams * 2 * table.players
    drawn = draws > 0 and turn == stop
    after = turn if drawn else turn + 1

    def attempt(u: int) -> tuple[int, int, Work, Any]:
        work = Work(*(each.copy() for each in table.work))._replace(stop=table.work.stop)
        work.counts[0] = 0
        room = _room(table, odds, random.Random(f"{turn} {u} {draws}").randrange(1, PRIME))
        if drawn:
            found = expect_last(draft, work, odds, room, u)
        else:
            put(draft, work, turn, u)
            found = expect(draft, work, odds, room, after)
        return u, found, work, room.mean[after * cells : (after + 1) * cells]

    room = _room(table, odds, 1)
    prepare(expect, draft, table.work, odds, room, turn)
    with ThreadPoolExecutor(os.cpu_count() if is_fast() else 1) as pool:
        try:
            tried = list(pool.map(attempt, table.free()))
        except BaseException:
            table.work.stop[0] = 1
            raise
    if any(found == STOPPED for _, found, _, _ in tried):
        raise KeyboardInterrupt
    alive = [(u, work, mean) for u, found, work, mean in tried if found == ALIVE]
    if not alive:
        return None
    for k, (u, _, mean) in enumerate(alive):
        base = (turn * v + k) * (cells + 1)
        room.options[base : base + cells + 1] = [*mean, u]
    u, work, _ = alive[choose(draft, table.work, odds, room, turn, len(alive))]
    row = after * 2 * n
    course = [*map(int, table.work.spots[:turn]), u, *map(int, work.course[row + turn + 1 : row + 2 * n])]
    means = np.asarray(room.mean[turn * cells : (turn + 1) * cells], dtype=float).reshape(odds.streams, 2 * n)
    streams, answer = means[:-1, :n], means[-1, :n]
    error = None
    if draws:
        spread = streams.std(axis=0, ddof=1) / math.sqrt(STREAMS)
        error = tuple(map(float, _T_QUANTILE * spread + np.abs(streams.mean(axis=0) - answer)))
        course = course[:n]
    rows = [(u, [float(x) for x in mean[-2 * n :]]) for u, _, mean in alive]
    rows.sort(key=lambda row: (-round(row[1][n + player], 11), table.first_in_order(row[0])))
    told = [(u, row[n + player], tuple(row[:n])) for u, row in rows]
    positions = 1 + sum(int(work.counts[0]) for _, work, _ in alive)
    return Expected(course, told, tuple(map(float, answer)), error, positions)
