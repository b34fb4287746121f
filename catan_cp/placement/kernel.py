"""A draft among rivals in arrays: what stands, what it is worth, and what can come of it.

Turn t is player t's first settlement for t < N and player 2N - 1 - t's second one after that, players
being numbered from 0 here. Every player p wants the most of its *lead*::

    lead(p) = den * own value - num[p] * largest own value of a rival          (num[p] / den: its rivalry)

With expansion a value depends on all settlements: a pair's own value is then a lower bound of it, and that
with the best free vertex that two roads reach now an upper bound, since later settlements only take vertices
away. `catan_cp.placement.lookahead` has the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from catan_cp.placement.compiled import compiled, inlined

DEAD, ALIVE, CUT, PAUSED = 0, 1, 2, 3
"""What a search says of a position: nobody can end the draft from it, solved, or not worth
solving; or that it has stopped on the way, and the same call goes on."""

LOWEST = -(1 << 62)


class Draft(NamedTuple):
    """A board and what its players want; all tables are flat, V vertices, N players, G different objectives.

    Attributes:
        players: N.
        vertices: V.
        den: the common denominator of the rivalries; ``num`` (N) their numerators.
        goal: (N) the number of each player's objective.
        closed: (4 V) each vertex and its neighbours, filled up with V.
        own: (G V V) the value of each pair.
        partners: (G V V) each vertex's partners, the best pair first, then by number; then -1.
        rank: (G V) each vertex's place in the order of trying first settlements.
        expanding: 1 where an objective has expansion, so that a value depends on all settlements; else 0.
        ways: (6 V) the vertices that two roads lead to from each: two behind each neighbour; filled with V.
        roads: (3 V) those neighbours.
        extra: (G (V + 2)) what reaching each vertex adds to a value; then 0, for V; then the largest.
        place: (G V V) each second vertex's place among the partners of a first.
        roomy: 1 where nobody can be left without room, whatever is played; else 0.
    """

    players: int
    vertices: int
    den: int
    num: Any
    goal: Any
    closed: Any
    own: Any
    partners: Any
    rank: Any
    expanding: int
    ways: Any
    roads: Any
    extra: Any
    place: Any
    roomy: int


class Work(NamedTuple):
    """What the search writes; rows are turns.

    Attributes:
        blocked: (V + 1) how many settlements rule each vertex out.
        spots: (2 N) the vertex of each turn.
        course: (2 N + 1, 2 N) the best course from each turn on.
        values: (2 N + 1, N) what it gives each player.
        keys: (2 N, V) bounds of the candidates still to be tried.
        frame: (2 N + 1, 11) the stack.
        counts: positions; candidates cut by a bound; the number of positions at which to pause, or 0; the
            turn at which the search has paused, or -1.
        fixed: (2 N) the other end of the road of each turn's settlement where it lies already; else -1.
        denials: (4 N) settlements tried by `lookahead.can_deny`.
    """

    blocked: Any
    spots: Any
    course: Any
    values: Any
    keys: Any
    frame: Any
    counts: Any
    fixed: Any
    denials: Any


@compiled
def put(draft: Draft, work: Work, turn: int, vertex: int) -> None:
    """Settle *vertex* at *turn*."""
    work.spots[turn] = vertex
    for k in range(4 * vertex, 4 * vertex + 4):
        work.blocked[draft.closed[k]] += 1


@compiled
def take(draft: Draft, work: Work, vertex: int) -> None:
    """Take the settlement on *vertex* back."""
    for k in range(4 * vertex, 4 * vertex + 4):
        work.blocked[draft.closed[k]] -= 1


@inlined
def nth_pair(draft: Draft, work: Work, player: int, vertex: int, skip: int) -> int:
    """Return the value of the best pair with *vertex* that is free, after *skip* better ones; -1 for none."""
    v = draft.vertices
    row = (draft.goal[player] * v + vertex) * v
    for k in range(row, row + v):
        partner = draft.partners[k]
        if partner < 0:
            return -1
        if work.blocked[partner] == 0:
            if skip == 0:
                return int(draft.own[row + partner])
            skip -= 1
    return -1


@inlined
def pair_value(draft: Draft, work: Work, player: int) -> int:
    """Return what the player's two settlements are worth to it, without expansion."""
    v = draft.vertices
    first, second = work.spots[player], work.spots[2 * draft.players - 1 - player]
    return int(draft.own[(draft.goal[player] * v + first) * v + second])


@compiled
def reach(draft: Draft, work: Work, player: int, vertex: int, road: int) -> int:
    """Return what the best free vertex adds that two roads from *vertex* reach, the first to *road* or -1."""
    v = draft.vertices
    base = draft.goal[player] * (v + 2)
    most = 0
    for k in range(6 * vertex, 6 * vertex + 6):
        end = draft.ways[k]
        open_way = work.blocked[end] == 0 and (road < 0 or draft.roads[k // 2] == road)
        if open_way and draft.extra[base + end] > most:
            most = draft.extra[base + end]
    return int(most)


@compiled
def worth(draft: Draft, work: Work, player: int) -> int:
    """Return what the player has if the draft ends with the settlements that stand, expansion included."""
    value = pair_value(draft, work, player)
    if draft.expanding:
        second = 2 * draft.players - 1 - player
        one = reach(draft, work, player, work.spots[player], work.fixed[player])
        two = reach(draft, work, player, work.spots[second], work.fixed[second])
        value += max(one, two)
    return int(value)


@compiled
def most_with(draft: Draft, work: Work, player: int, first: int, road: int) -> int:
    """Return the most that the player can have with a first settlement on *first*; -1 where none is free."""
    if not draft.expanding:
        return int(nth_pair(draft, work, player, first, 0))
    v = draft.vertices
    row = (draft.goal[player] * v + first) * v
    largest = draft.extra[draft.goal[player] * (v + 2) + v + 1]
    mine = reach(draft, work, player, first, road)
    most = -1
    for k in range(row, row + v):
        partner = draft.partners[k]
        if partner < 0 or draft.own[row + partner] + largest <= most:
            break
        if work.blocked[partner] == 0:
            value = draft.own[row + partner] + max(mine, reach(draft, work, player, partner, -1))
            if value > most:
                most = value
    return int(most)


@compiled
def bound_of(draft: Draft, work: Work, turn: int, vertex: int) -> int:
    """Return the most that the player of *turn* can have when it settles *vertex*; -1 for nothing."""
    if turn < draft.players:
        return int(most_with(draft, work, turn, vertex, -1))
    player = 2 * draft.players - 1 - turn
    first = work.spots[player]
    value = draft.own[(draft.goal[player] * draft.vertices + first) * draft.vertices + vertex]
    if draft.expanding and value >= 0:
        one = reach(draft, work, player, first, work.fixed[player])
        value += max(one, reach(draft, work, player, vertex, -1))
    return int(value)


@compiled
def bounds_of(draft: Draft, work: Work, turn: int) -> None:
    """Write `bound_of` for each vertex into the turn's keys, -1 where it is not free."""
    for u in range(draft.vertices):
        key = bound_of(draft, work, turn, u) if work.blocked[u] == 0 else -1
        work.keys[turn * draft.vertices + u] = key


@compiled
def best_rival_at_least(draft: Draft, work: Work, turn: int, player: int) -> int:
    """Return what the best of the player's rivals will have at the end, at least."""
    last = 2 * draft.players - 1
    least = 0
    for q in range(draft.players):
        if q == player or q >= turn:
            continue
        if last - q < turn:
            value = pair_value(draft, work, q)
        elif (draft.num[q] == 0 and (q == 0 or draft.roomy)) or (q == 0 and not draft.expanding):
            value = nth_pair(draft, work, q, work.spots[q], 4 * (last - q - turn))
        else:
            value = 0
        if value > least:
            least = value
    return least


@compiled
def lead(draft: Draft, work: Work, row: int, player: int) -> int:
    """Return the player's lead from the values in *row*."""
    start = row * draft.players
    most = 0
    for q in range(draft.players):
        if q != player and work.values[start + q] > most:
            most = work.values[start + q]
    return int(draft.den * work.values[start + player] - draft.num[player] * most)
