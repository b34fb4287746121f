"""Backward induction over all 2N settlements of a draft, with bounds: the inner loop of `rivals`.

Turn t is player t's first settlement for t < N and player 2N - 1 - t's second one after that, players
being numbered from 0 here. Every player p wants the most of its *lead*::

    lead(p) = den * own value - num[p] * largest own value of a rival          (num[p] / den: its rivalry)

The search is depth first, with the frames of its stack in arrays, since that compiles well. Three bounds
spare it most of the tree; none changes the result:

- *Own bound.* A candidate leads at best to its best pair that is still free, less what the best rival
  will have at least: the value of a rival who has placed both settlements; or of player 0, who places
  last, takes the best partner that is left, and to whom m settlements can deny 4 m partners at most
  (each takes a vertex and three neighbours away). Candidates are tried by this bound, the best first.
- *Shallow pruning* (Korf, "Multi-player alpha-beta pruning", 1991). Say player p tries a vertex, and the
  next player q finds an answer that gives q a lead of g. Then q will have a lead of g or more, hence
  ``den * own(q) >= g + num[q] * own(p)``, and so p's lead is at most
  ``((den² - num[p] num[q]) own(p) - num[p] g) / den``. Where that is no more than p has already, p will
  not play the vertex, and nothing more need be known of q's answers.
- *The last settlement* is the best partner that is left, whoever rivals are, since nothing answers it.

With expansion a value depends on all settlements: a pair's own value is then a lower bound of it, and that
with the best free vertex that two roads reach now an upper bound, since later settlements only take vertices
away. The last settlement is a decision like any other.

Ties: candidates for a first settlement count in the order of `Draft.rank`, those for a second one in
the order of their pairs, and among equal leads the earlier candidate wins, whatever the order of trying.

Example: two players with rivalry 1 play a zero-sum game. If player 0 has a course with lead 0 and tries
another vertex, and player 1 has an answer that leads by 4, player 0 would trail by 4: next vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from catan_cp.placement.compiled import compiled

DEAD, ALIVE, CUT, PAUSED = 0, 1, 2, 3
"""What a search says of a position: nobody can end the draft from it, solved, or not worth
solving; or that it has stopped on the way, and the same call goes on."""

LOWEST = -(1 << 62)

BEST, RANK, STATE, NEXT, LEAST, ABOVE, FLOOR, BASE, VERTEX, TRIED, MARK = range(11)
"""The columns of the stack: the best lead and its candidate's rank, whether there is one, where to look for
the next second vertex, what the best rival will have at least, the player above, the lead to beat for it, its
own value's part of its bound, the candidate being tried, its rank, and the lead that it must beat."""

WIDTH = 11


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
            turn at which `search` has paused, or -1.
        fixed: (2 N) the other end of the road of each turn's settlement where it lies already; else -1.
    """

    blocked: Any
    spots: Any
    course: Any
    values: Any
    keys: Any
    frame: Any
    counts: Any
    fixed: Any


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


@compiled
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


@compiled
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
        elif draft.num[q] == 0 or (q == 0 and not draft.expanding):
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


@compiled
def search(draft: Draft, work: Work, start: int, floor: int, above: int, above_floor: int) -> int:
    """Solve the draft from turn *start* on; its course is then in row *start*.

    Args:
        draft: the board and the players.
        work: with `Work.spots` and `Work.blocked` of the settlements that stand.
        start: the next turn, 0 to 2N - 1.
        floor: a lead of the player to move that the search need only beat; `LOWEST` for none.
        above: a player whose lead may end the search; -1 for none.
        above_floor: that lead.

    Returns:
        ALIVE; DEAD where no course ends, or none beats the floor; CUT where the player above will lead by
        no more than *above_floor*; PAUSED where `Work.counts` asked for it, to return to the caller's Ctrl-C.
    """
    n, v = draft.players, draft.vertices
    last = 2 * n - 1
    turn, entering, found = start, True, 0
    frame = work.frame
    width = WIDTH
    if work.counts[3] >= 0:
        turn = work.counts[3]
        work.counts[3] = -1
    else:
        frame[start * width + ABOVE], frame[start * width + FLOOR] = above, above_floor
        frame[start * width + BEST] = floor
    while True:
        here = turn * width
        player = turn if turn < n else last - turn
        offset = draft.goal[player] * v
        if entering:
            if 0 < work.counts[2] <= work.counts[0]:
                work.counts[3] = turn
                return PAUSED
            work.counts[0] += 1
            if turn > last:
                found = ALIVE
                for q in range(n):
                    work.values[turn * n + q] = worth(draft, work, q)
                turn -= 1
                entering = False
                continue
            if turn == last and not draft.expanding:
                found = DEAD
                row = (offset + work.spots[player]) * v
                for k in range(row, row + v):
                    s = draft.partners[k]
                    if s < 0:
                        break
                    if work.blocked[s] == 0:
                        found = ALIVE
                        work.spots[turn] = s
                        work.course[turn * 2 * n + turn] = s
                        for q in range(n):
                            work.values[turn * n + q] = pair_value(draft, work, q)
                        break
                if turn == start:
                    return found
                turn -= 1
                entering = False
                continue
            frame[here + RANK], frame[here + STATE], frame[here + NEXT] = -1, DEAD, 0
            num = draft.num[player]
            frame[here + LEAST] = best_rival_at_least(draft, work, turn, player) if num > 0 else 0
            above = frame[here + ABOVE]
            frame[here + BASE] = 0
            if above >= 0 and draft.num[above] > 0:
                share = draft.den * draft.den - draft.num[above] * num
                if share > 0:
                    if last - above < turn:
                        frame[here + BASE] = share * worth(draft, work, above)
                    else:
                        road = work.fixed[above]
                        frame[here + BASE] = share * most_with(draft, work, above, work.spots[above], road)
            if turn < n or draft.expanding:
                bounds_of(draft, work, turn)
        else:  # back from the next turn
            take(draft, work, frame[here + VERTEX])
            after = turn + 1 if turn + 1 < n else last - turn - 1
            leave = found == CUT and after == player
            if found == ALIVE:
                ahead = lead(draft, work, turn + 1, player)
                if ahead > frame[here + MARK]:
                    frame[here + BEST], frame[here + RANK] = ahead, frame[here + TRIED]
                    frame[here + STATE] = ALIVE
                    row = turn * 2 * n
                    work.course[row + turn] = frame[here + VERTEX]
                    for later in range(turn + 1, last + 1):
                        work.course[row + later] = work.course[row + 2 * n + later]
                    for q in range(n):
                        work.values[turn * n + q] = work.values[turn * n + n + q]
                    above = frame[here + ABOVE]
                    if above >= 0 and draft.num[above] > 0 and frame[here + FLOOR] > LOWEST:
                        most = frame[here + BASE] - draft.num[above] * ahead
                        if most <= draft.den * frame[here + FLOOR]:
                            work.counts[1] += 1
                            leave = True
            if leave:
                if turn == start:
                    return CUT
                found = CUT
                turn -= 1
                continue
        # the next candidate: its bound, vertex and rank
        bound, vertex, rank = -1, -1, 0
        if turn < n or draft.expanding:
            for u in range(v):
                key = work.keys[turn * v + u]
                if key >= 0 and key >= bound:
                    if turn < n:
                        its = draft.rank[offset + u]
                    else:
                        its = draft.place[(offset + work.spots[player]) * v + u]
                    if key > bound or its < rank:
                        bound, vertex, rank = key, u, its
            if vertex >= 0:
                work.keys[turn * v + vertex] = -1
        else:
            row = (offset + work.spots[player]) * v
            for k in range(frame[here + NEXT], v):
                s = draft.partners[row + k]
                if s < 0:
                    break
                if work.blocked[s] == 0:
                    bound, vertex, rank = draft.own[row + s], s, k
                    frame[here + NEXT] = k + 1
                    break
        best = frame[here + BEST]
        done = vertex < 0
        if not done:
            limit = draft.den * bound - draft.num[player] * frame[here + LEAST]
            if limit < best or (limit == best and rank > frame[here + RANK]):
                work.counts[1] += 1
                done = True
        if done:
            found = frame[here + STATE]
            if turn == start:
                return int(found)
            turn -= 1
            entering = False
            continue
        mark = best if rank > frame[here + RANK] else best - 1
        frame[here + VERTEX], frame[here + TRIED], frame[here + MARK] = vertex, rank, mark
        put(draft, work, turn, vertex)
        after = turn + 1 if turn + 1 < n else last - turn - 1
        below = here + width
        if after == player:
            frame[below + ABOVE], frame[below + FLOOR] = frame[here + ABOVE], frame[here + FLOOR]
            frame[below + BEST] = mark
        else:
            frame[below + ABOVE], frame[below + FLOOR] = player, mark
            frame[below + BEST] = LOWEST
        turn += 1
        entering = True
