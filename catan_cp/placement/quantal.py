"""The quantal response equilibrium of boundedly rational players.

It covers first settlements and is computed by backward induction.

A player of rationality x chooses an option with a probability proportional to ``exp(x * lead)``. *lead* is
the expected lead with the option (without rivalry, its own expected value). Each player knows how all others
choose. This is the logit agent quantal response equilibrium of McKelvey and Palfrey (1998). A rationality of
None is a perfect player, who takes the best option and breaks ties by the fixed order. A player of
rationality 0 chooses uniformly. One perfect player among boundedly rational ones is the extension of
Christenson et al. (2025) to stochastic opponents: that player solves a stochastic program.

Only first settlements are chosen in this way. Second settlements are always the best ones. The expectation
over the whole tree is exact, up to rounding.

A worked example: three tiles in a triangle, with 5, 4 and 2 pips, and two players who count cards per roll,
which are pips / 36. Player 1 has settled the vertex of all three tiles. Nine vertices are left to player 2.

========  ======================  ===================  =========================
vertices  pips of both players    weight (x = 10)      probability of one vertex
========  ======================  ===================  =========================
0, 4      15 and 10               exp(10 * 10 / 36)    0.16
5         15 and 9                exp(10 * 9 / 36)     0.12
7, 8, 9   16 and 9                exp(10 * 9 / 36)     0.12
10 to 12  16 and 7                exp(10 * 7 / 36)     0.07
========  ======================  ===================  =========================

The expected pips of player 2 are 8.90. They are 10 for a perfect player, and 8.56 with rationality 0, which
is the plain mean.

>>> from catan_cp import Board, Layout, Objective
>>> from catan_cp.placement.positions import Position
>>> layout = Layout("trio", (1, 2), {"ore": 3}, {8: 1, 5: 1, 3: 1})
>>> goal = Objective(resources=0, cards=1, hit=0, cards_as="report")
>>> position = Position(Board(layout, ["ore"] * 3, [8, 5, 3]), (goal, goal), placed=((1, 2),))
>>> for rationality in (None, 10, 0):
...     expected = expectations(Table.of(position), [None, rationality])
...     print([round(36 * value, 2) for value in expected.values])
[15.0, 10.0]
[15.56, 8.9]
[15.67, 8.56]
>>> leads = [lead for _, lead, _ in expected.options]
>>> total = sum(math.exp(10 * lead) for lead in leads)
>>> [round(math.exp(10 * lead) / total, 2) for lead in leads]
[0.16, 0.16, 0.12, 0.12, 0.12, 0.12, 0.07, 0.07, 0.07]
"""

import math
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
    DraftTables,
    Work,
    block,
    lead,
    order_of,
    put,
    search,
)
from catan_cp.placement.rivals import Table, too_long
from catan_cp.processes import usable_cores

PERFECT = -1.0
"""The rationality of a perfect player in tables."""

MOST_WAYS = 30_000_000
"""The largest tree of first settlements: some seconds if numba is installed."""


class Odds(NamedTuple):
    """The choice model of first settlements, as flat tables for N players.

    Attributes:
        level: (N) the rationality of each player, or `PERFECT`.
        unit: the number by which `DraftTables.own` is divided to give values.
    """

    level: Any
    unit: float


class Expectations(NamedTuple):
    """The results that the induction writes.

    A row has 2N numbers: the N expected values, then the N expected leads.

    Attributes:
        mean: (N + 1, 2N) the expectations from each turn on.
        options: (N, V, 2N + 1) the options of each turn: a row, then the vertex as one more number.
        chance: (V) the probability of each option of the turn that is decided.
    """

    mean: Any
    options: Any
    chance: Any


@inlined
def logit(level: float, behind: float) -> float:
    """Return the chance of an option before normalization.

    *behind* is the option's lead minus the best lead, so it is 0 or less. The chance is relative to that of
    the best option, which is 1.
    """
    return math.exp(level * behind) if level >= 0 else 0.0


@compiled
def weigh(draft: DraftTables, work: Work, odds: Odds, means: Expectations, turn: int, count: int) -> None:
    """Write the probability of each of the *count* options of a turn."""
    n, v = draft.players, draft.vertices
    option_size, own_lead, best = 2 * n + 1, n + turn, 0
    for k in range(1, count):
        a, b = (turn * v + k) * option_size, (turn * v + best) * option_size
        ahead, most = means.options[a + own_lead], means.options[b + own_lead]
        better = ahead > most
        if abs(ahead - most) <= 1e-12 * (1.0 + abs(most)):
            vertex = int(means.options[a + option_size - 1])
            best_vertex = int(means.options[b + option_size - 1])
            better = order_of(draft, work, turn, vertex) < order_of(draft, work, turn, best_vertex)
        if better:
            best = k
    most, total = means.options[(turn * v + best) * option_size + own_lead], 0.0
    for k in range(count):
        behind = means.options[(turn * v + k) * option_size + own_lead] - most
        chance = 1.0 if k == best else logit(odds.level[turn], behind)
        means.chance[k] = chance
        total += chance
    for k in range(count):
        means.chance[k] /= total


@compiled
def expect(draft: DraftTables, work: Work, odds: Odds, means: Expectations, turn: int) -> int:
    """Write the expectations from *turn* on into its row of the means.

    Returns:
        ALIVE, or DEAD if the draft cannot be completed, or STOPPED if another thread asked for it.
    """
    if work.stop[0] != 0:
        return STOPPED
    work.counts[0] += 1
    n, v = draft.players, draft.vertices
    if turn == n:  # second settlements are best
        state = search(draft, work, turn, draft.lowest, draft.nobody, draft.nobody)
        for q in range(n):
            means.mean[turn * 2 * n + q] = work.values[turn * n + q] / odds.unit
            means.mean[turn * 2 * n + n + q] = lead(draft, work, turn, q) / (draft.den * odds.unit)
        return int(state)
    row_size, count = 2 * n, 0
    for u in range(v):
        if work.blocked[u] != 0:
            continue
        put(draft, work, turn, u)
        state = expect(draft, work, odds, means, turn + 1)
        block(draft, work, u, -1)
        if state == STOPPED:
            return STOPPED
        if state == ALIVE:
            base = (turn * v + count) * (row_size + 1)
            for k in range(row_size):
                means.options[base + k] = means.mean[(turn + 1) * row_size + k]
            means.options[base + row_size] = u
            count += 1
    if count == 0:
        return DEAD
    choose(draft, work, odds, means, turn, count)
    return ALIVE


@compiled
def choose(draft: DraftTables, work: Work, odds: Odds, means: Expectations, turn: int, count: int) -> None:
    """Write the mean over the *count* options of a turn, weighted by probability."""
    v, row_size = draft.vertices, 2 * draft.players
    weigh(draft, work, odds, means, turn, count)
    for q in range(row_size):
        mean = 0.0
        for k in range(count):
            mean += means.chance[k] * means.options[(turn * v + k) * (row_size + 1) + q]
        means.mean[turn * row_size + q] = mean


class Expected(NamedTuple):
    """Expectations of a draft with boundedly rational players.

    Attributes:
        line: the line of play on which every player takes its best option.
        options: the options of the next player, best first: (vertex, its expected lead, the expected value of
            every player).
        values: the expected value of each player, empty if only second settlements are left.
        positions: the number of positions visited.
    """

    line: list[int]
    options: list[tuple[int, float, tuple[float, ...]]]
    values: tuple[float, ...]
    positions: int


def expectations(table: Table, rationality: Sequence[float | None]) -> Expected | None:
    """Return the expectations of a draft, or None if it cannot be completed.

    Args:
        table: the draft with the settlements placed so far. The function places the first settlements of the
            line of play on it.
        rationality: one number per player, or None for a perfect one.

    Raises:
        InvalidArgument: the tree is too large, or the denominators of weights are too long for 64 bits.
    """
    if table.unit == 0:  # The table has ranks instead of values, and ranks have no expectation.
        raise too_long()
    if table.turn >= table.players:
        return Expected(table.line(), [], (), 0) if table.solve() else None
    if _ways(table) > MOST_WAYS:
        raise InvalidArgument(
            f"the tree of first settlements of {table.players} players on {table.draft.vertices} vertices "
            "is too large; use fewer players or place some settlements"
        )
    expected = at_turn = _induce(table, rationality)
    while at_turn is not None:  # On the line of play, every player takes its best option.
        table.put(at_turn.options[0][0])
        at_turn = _induce(table, rationality) if table.turn < table.players else None
    table.solve()
    return expected and expected._replace(line=table.line())


def _ways(table: Table) -> int:
    """Return an estimate of the number of ways to place the other first settlements.

    A settlement rules out one to four vertices, itself included. The estimate assumes three.
    """
    free = len(table.free())
    return math.prod(max(1, free - 3 * k) for k in range(table.players - table.turn))


def _induce(table: Table, rationality: Sequence[float | None]) -> Expected | None:
    """Return the expectations from the next turn on. Threads share its options."""
    draft, n, v, turn = table.draft, table.players, table.draft.vertices, table.turn
    level = np.array([PERFECT if x is None else float(x) for x in rationality])
    odds, row_size = Odds(array(level, float), float(table.unit)), 2 * n

    def new_means() -> Expectations:
        sizes = ((n + 1) * row_size, n * v * (row_size + 1), v)
        return Expectations(*(array(np.zeros(size), float) for size in sizes))

    def attempt(u: int) -> tuple[int, int, int, Any]:
        work = Work(*(field.copy() for field in table.work))._replace(stop=table.work.stop)
        work.counts[0] = 0
        means = new_means()
        put(draft, work, turn, u)
        state = expect(draft, work, odds, means, turn + 1)
        return u, state, int(work.counts[0]), means.mean[(turn + 1) * row_size : (turn + 2) * row_size]

    whole = new_means()
    prepare(expect, draft, table.work, odds, whole, turn)
    with ThreadPoolExecutor(usable_cores() if is_fast() else 1) as pool:
        try:
            tried = list(pool.map(attempt, table.free()))
        except BaseException:
            table.work.stop[0] = 1
            raise
    if any(state == STOPPED for _, state, _, _ in tried):
        raise KeyboardInterrupt
    alive = [(u, [float(x) for x in mean]) for u, state, _, mean in tried if state == ALIVE]
    if not alive:
        return None
    for k, (u, row) in enumerate(alive):
        base = (turn * v + k) * (row_size + 1)
        whole.options[base : base + row_size + 1] = [*row, u]
    choose(draft, table.work, odds, whole, turn, len(alive))
    values = tuple(map(float, whole.mean[turn * row_size : turn * row_size + n]))
    options = [(u, row[n + turn], tuple(row[:n])) for u, row in alive]
    options.sort(key=lambda option: (-round(option[1], 11), table.order_of(option[0])))
    return Expected([], options, values, 1 + sum(count for _, _, count, _ in tried))
