"""Drafts of players who err: logit choice by backward induction.

A player of rationality x takes an option with a chance in proportion to ``exp(x * lead)``, where *lead* is
what the player expects to lead by with the option (without rivalry, its own value), knowing how everybody
errs: the logit agent quantal response equilibrium of McKelvey and Palfrey (1998). None is a perfect player,
who takes the best option, ties settled as ever; 0 takes any option alike. With one perfect player among
erring ones it is the report's extension of stochastic opponents: that player solves a stochastic program.

Either first settlements err and second ones are best, or both err. Where the tree can be gone through, what
is found here is an exact expectation, up to rounding. For both settlements of three players and more it
cannot, and `catan_cp.placement.simulating` takes over.

Example: one option leads by 1, another by 0. Of rationality 0 a player takes each with a chance of 1/2, of
rationality 1 the better with e / (e + 1) = 0.73, and of rationality 10 nearly always.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.interrupts import call_apart
from catan_cp.placement.compiled import FAST, compiled, prepare
from catan_cp.placement.game import Counters, Placed, Placement, Roads, snake
from catan_cp.placement.kernel import ALIVE, DEAD, LOWEST, Draft, Work, pair_value, put, take, worth
from catan_cp.placement.lookahead import search
from catan_cp.placement.objective import Objective
from catan_cp.placement.rivals import Table, placement_of
from catan_cp.placement.simulating import simulate

PERFECT = -1.0
"""How a perfect player's rationality is written in tables."""

MOST_WAYS = 30_000_000
"""How many ways to settle are gone through: some seconds where numba is installed."""


@compiled
def settle_rest(draft: Draft, work: Work, turn: int) -> int:
    """Play the best second settlements from *turn* on, into the turn's row; return ALIVE or DEAD."""
    n, v = draft.players, draft.vertices
    last = 2 * n - 1
    plain = True
    for q in range(n):
        plain = plain and draft.num[q] == 0 and not draft.expanding
    free = 0
    for u in range(v):
        free += 1 if work.blocked[u] == 0 else 0
    if not plain or free <= 4 * (last - turn):  # rivals answer; or a best vertex may leave no room
        return search(draft, work, turn, LOWEST, -1, 0)
    for at in range(turn, last + 1):
        player = last - at
        row = (draft.goal[player] * v + work.spots[player]) * v
        k = row
        while work.blocked[draft.partners[k]] != 0:
            k += 1
        put(draft, work, at, draft.partners[k])
        work.course[turn * 2 * n + at] = draft.partners[k]
    for q in range(n):
        work.values[turn * n + q] = pair_value(draft, work, q)
    for at in range(turn, last + 1):
        take(draft, work, work.spots[at])
    return ALIVE


@compiled
def expect(
    draft: Draft, work: Work, start: int, stop: int, rationality: Any, options: Any, mean: Any, unit: float
) -> int:
    """Find what everybody can expect from turn *start* on, when settlements before turn *stop* err.

    Args:
        draft: the board and the players.
        work: with the settlements that stand.
        start: the next turn, before *stop*.
        stop: the turn from which on everybody plays perfectly.
        rationality: (N) each player's; `PERFECT` for none.
        options: (2N V (2N + 1)) a turn's options: every player's expected value, then lead, and the vertex.
        mean: (2N + 1, 2N) per turn, every player's expected value, then lead.
        unit: what values are divided by.

    Returns:
        ALIVE or DEAD. The likeliest course is in the row of *start*.
    """
    n, v = draft.players, draft.vertices
    last, wide, width = 2 * n - 1, 2 * n, 2 * n + 1
    turn, entering, found = start, True, 0
    following = work.frame  # per turn: the vertex being tried, how many options have been found, the best one
    while True:
        here = turn * 11
        player = turn if turn < n else last - turn
        if turn == stop:
            work.counts[0] += 1
            found = DEAD
            if turn > last:
                found = ALIVE
                for q in range(n):
                    mean[turn * wide + q] = worth(draft, work, q) / unit
            else:
                found = settle_rest(draft, work, turn)
                for q in range(n):
                    mean[turn * wide + q] = work.values[turn * n + q] / unit
            for q in range(n):
                most = 0.0
                for other in range(n):
                    if other != q and mean[turn * wide + other] > most:
                        most = mean[turn * wide + other]
                mean[turn * wide + n + q] = mean[turn * wide + q] - draft.num[q] * most / draft.den
            turn -= 1
            entering = False
            continue
        if entering:
            work.counts[0] += 1
            following[here], following[here + 1], following[here + 2] = -1, 0, -1
        else:
            vertex = following[here]
            take(draft, work, vertex)
            if found == ALIVE:
                count = following[here + 1]
                base = (turn * v + count) * width
                for q in range(wide):
                    options[base + q] = mean[turn * wide + wide + q]
                lead = options[base + n + player]
                options[base + wide] = vertex
                best = following[here + 2]
                better = best < 0
                if best >= 0:
                    rest = options[(turn * v + best) * width + n + player]
                    close = 1e-12 * (1.0 + abs(rest))
                    better = lead > rest + close
                    if abs(lead - rest) <= close:
                        rival = int(options[(turn * v + best) * width + wide])
                        if turn < n:
                            rank = draft.goal[player] * v
                            better = draft.rank[rank + vertex] < draft.rank[rank + rival]
                        else:
                            row = (draft.goal[player] * v + work.spots[player]) * v
                            mine, its = draft.own[row + vertex], draft.own[row + rival]
                            better = mine > its or (mine == its and vertex < rival)
                if better:
                    following[here + 2] = count
                    row = turn * 2 * n
                    work.course[row + turn] = vertex
                    if turn < last:
                        for later in range(turn + 1, last + 1):
                            work.course[row + later] = work.course[row + 2 * n + later]
                following[here + 1] = count + 1
        vertex = -1
        for u in range(following[here] + 1, v):
            if work.blocked[u] == 0:
                vertex = u
                break
        if vertex >= 0:
            following[here] = vertex
            put(draft, work, turn, vertex)
            turn += 1
            entering = True
            continue
        found = DEAD if following[here + 1] == 0 else ALIVE
        if found == ALIVE:
            best = (turn * v + following[here + 2]) * width
            if rationality[player] < 0:
                for q in range(wide):
                    mean[turn * wide + q] = options[best + q]
            else:
                total = 0.0
                for q in range(wide):
                    mean[turn * wide + q] = 0.0
                for k in range(following[here + 1]):
                    base = (turn * v + k) * width
                    ahead = options[base + n + player] - options[best + n + player]
                    chance = math.exp(rationality[player] * ahead)
                    total += chance
                    for q in range(wide):
                        mean[turn * wide + q] += chance * options[base + q]
                for q in range(wide):
                    mean[turn * wide + q] /= total
        if turn == start:
            return found
        turn -= 1
        entering = False


class Expected(NamedTuple):
    """What players who err can expect.

    Attributes:
        table: the draft; its course is the one in which everybody takes its best option.
        options: the next player's, as (vertex, expected lead, every player's expected value).
        values: what every player can expect; empty where nobody errs any more.
        error: where that is simulated, its error at 95 %, per player.
        positions: how many positions were gone through.
    """

    table: Table
    options: list[tuple[int, float, tuple[float, ...]]]
    values: tuple[float, ...]
    error: tuple[float, ...] | None
    positions: int


def expectations(
    board: Board,
    goals: tuple[Objective, ...],
    placed: Placed,
    rationality: tuple[float | None, ...],
    erring: str,
    roads: Roads = (),
    error: float = 0.005,
) -> Expected | None:
    """Return what players can expect who err; None where not all find room.

    Args:
        board: the board.
        goals: what each player wants.
        placed: what stands.
        rationality: each player's.
        erring: ``"first"`` or ``"both"``: which settlements err.
        roads: the roads of what stands.
        error: the largest error of a simulation, as a share of the values.

    Raises:
        InvalidArgument: the tree is too large to go through, and nothing else will do.
    """
    if erring not in ("first", "both"):
        raise InvalidArgument(f"erring is 'first' or 'both', not {show(erring)}")
    if isinstance(error, bool) or not isinstance(error, (int, float)) or not 0 < error < 1:
        raise InvalidArgument(f"error is a share of the values between 0 and 1, not {show(error)}")
    players = len(goals)
    table = Table(board, goals, placed, roads)
    stop = players if erring == "first" else 2 * players
    if table.turn >= stop:
        return Expected(table, [], (), None, 0) if table.solve() else None
    levels = [PERFECT if one is None else float(one) for one in rationality]
    if _ways(table, stop) <= MOST_WAYS:
        return _exactly(table, stop, levels)
    if erring == "first" or _ways(table, players) > MOST_WAYS or table.turn >= players:
        raise InvalidArgument(
            f"the tree of {'first settlements' if erring == 'first' else 'settlements'} that err, of "
            f"{players} players on {board.layout.name!r}, is too large to go through; let fewer play, or say "
            "what stands already"
        )
    if any(goal.minds_others for goal in goals) or len(table.free()) <= 4 * (2 * players - 1 - table.turn):
        raise InvalidArgument(
            f"second settlements of {players} players can err only where nobody needs to look ahead at them: "
            "without rivalry and expansion, and with room for all; use erring='first'"
        )
    found = simulate(table, levels, error)
    if found is None:
        return None
    for vertex in found.course[table.turn :]:
        table.put(vertex)
    table.solve()
    options = [(v, values[table.turns[len(placed)] - 1], values) for v, values in found.options]
    return Expected(table, options, found.expected, found.error, found.leaves)


def _ways(table: Table, stop: int) -> int:
    """Return about how many ways there are to place the settlements up to turn *stop*."""
    free = len(table.free())
    return math.prod(max(1, free - 3 * k) for k in range(stop - table.turn))


def _exactly(table: Table, stop: int, rationality: list[float]) -> Expected | None:
    """Go through the whole tree up to turn *stop*."""
    players, vertices = table.players, table.draft.vertices
    wide, width = 2 * players, 2 * players + 1
    options: Any = np.zeros(2 * players * vertices * width)
    mean: Any = np.zeros((2 * players + 1) * wide)
    levels: Any = np.array(rationality)
    if not FAST:
        options, mean, levels = options.tolist(), mean.tolist(), levels.tolist()
    arguments = table.draft, table.work, table.turn, stop, levels, options, mean, float(table.unit)
    prepare(expect, *arguments)
    found: list[int] = []
    call_apart(lambda: found.append(expect(*arguments)))  # some seconds, in which Ctrl-C ends the wait
    if found != [ALIVE]:
        return None
    rows = []
    for k in range(int(table.work.frame[table.turn * 11 + 1])):
        base = (table.turn * vertices + k) * width
        lead = float(options[base + players + table.turns[table.turn] - 1])
        values = tuple(float(value) for value in options[base : base + players])
        rows.append((int(options[base + wide]), lead, values))
    start = table.turn * wide
    values = tuple(float(value) for value in mean[start : start + players])
    return Expected(table, rows, values, None, int(table.work.counts[0]))


def solve_erring(
    board: Board,
    goals: tuple[Objective, ...],
    placed: Placed,
    rationality: tuple[float | None, ...],
    erring: str,
    roads: Roads = (),
    error: float = 0.005,
) -> Placement | None:
    """Return the course of everybody's best options, with what can be expected, as `expectations`."""
    started = time.perf_counter()
    answer = expectations(board, goals, placed, rationality, erring, roads, error)
    if answer is None:
        return None
    counters = Counters(calls=answer.positions)
    spent = time.perf_counter() - started
    found = placement_of(board, goals, answer.table.course(), False, counters, spent, roads)
    return replace(
        found,
        method="erring" if answer.error is None else "simulated",
        rationality=rationality,
        expected=answer.values or found.values,
        error=answer.error,
    )


def rank_erring(
    board: Board,
    goals: tuple[Objective, ...],
    placed: Placed,
    rationality: tuple[float | None, ...],
    erring: str,
    roads: Roads = (),
    error: float = 0.005,
) -> list[tuple[int, float, float]]:
    """Return the next player's vertices as (vertex, expected lead, expected value), best first."""
    answer = expectations(board, goals, placed, rationality, erring, roads, error)
    if answer is None:
        return []
    player = snake(len(goals))[len(placed)] - 1
    order = Table(board, goals, placed, roads)
    ranked = sorted(answer.options, key=lambda row: (-round(row[1], 11), order.first_in_order(row[0])))
    return [(vertex, lead, values[player]) for vertex, lead, values in ranked]
