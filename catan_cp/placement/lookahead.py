"""Backward induction over all 2N settlements of a draft, with bounds: the inner loop of `rivals`.

The search is depth first, with the frames of its stack in arrays, since that compiles well. What follows
spares it most of the tree; none of it changes the result:

- *Own bound.* A candidate leads at best to its best pair that is still free, less what the best rival
  will have at least: the value of a rival who has placed both settlements; or of player 0, who places
  last, takes the best partner that is left, and to whom m settlements can deny 4 m partners at most
  (each takes a vertex and three neighbours away). Candidates are tried by this bound, the best first.
- *Guaranteed leads* (`is_hopeless`). Let w be the least that m settlements can leave rival q as its best pair
  if q moves after them, and u the most that any rival of q can still have. Then q can lead by
  ``g = den w - num[q] u`` whatever others do, and will. Player 0, who moves last, has w whatever u is.
- *Shallow pruning* (Korf, "Multi-player alpha-beta pruning", 1991). Say player p tries a vertex, and the
  next player q finds an answer that gives q a lead of g. Then q will have a lead of g or more, hence
  ``den own(q) >= g + num[q] own(p)``, and so p's lead is at most
  ``((den² - num[p] num[q]) own(p) - num[p] g) / den``. Where that is no more than p has already, p will
  not play the vertex, and nothing more need be known of q's answers. The same holds for a guaranteed lead.
- *The last two settlements* (`end`). The last one is the best partner that is left, whoever rivals are, since
  nothing answers it. So the one before either leaves that partner free, when the best such pair is
  best, or takes it away by standing on it or beside it, which are four vertices.

With expansion the last settlement is a decision like any other, and only the first and third are used.

Ties: candidates for a first settlement count in the order of `Draft.rank`, those for a second one in
the order of their pairs, and among equal leads the earlier candidate wins, whatever the order of trying.

Example: two players with rivalry 1 play a zero-sum game. If player 0 has a course with lead 0 and tries
another vertex, and player 1 has an answer that leads by 4, player 0 would trail by 4: next vertex.
"""

from __future__ import annotations

from catan_cp.placement.compiled import compiled, inlined
from catan_cp.placement.kernel import (
    ALIVE,
    CUT,
    DEAD,
    LOWEST,
    PAUSED,
    Draft,
    Work,
    best_rival_at_least,
    bounds_of,
    lead,
    most_with,
    nth_pair,
    pair_value,
    put,
    take,
    worth,
)

MOST_DENIALS = 2
"""So many settlements before a rival's own are looked at for its guaranteed lead; with three and more the
look costs more than it spares."""

BEST, RANK, STATE, NEXT, LEAST, ABOVE, FLOOR, BASE, VERTEX, TRIED, MARK = range(11)
"""The columns of the stack: the best lead and its candidate's rank, whether there is one, where to look for
the next second vertex, what the best rival will have at least, the player above, the lead to beat for it, its
own value's part of its bound, the candidate being tried, its rank, and the lead that it must beat."""

WIDTH = 11


@inlined
def can_deny(draft: Draft, work: Work, row: int, wanted: int, settlements: int) -> bool:
    """Say whether so many settlements can leave no pair of *wanted* or more in the row of a first vertex.

    The best partner that is free must be denied first, by standing on it or beside it; then the best of the
    rest, and so on: a search of at most four ways for each settlement.

    Args:
        draft: the board and the players.
        work: with the settlements that stand; those tried are taken back.
        row: where the first vertex's row of `Draft.own` and `Draft.partners` begins.
        wanted: the value to be denied.
        settlements: how many there are to deny it with, placed by anybody.
    """
    v, tried = draft.vertices, work.denials
    level, k = 0, 0
    while True:
        partner = -1
        while k < v:
            u = draft.partners[row + k]
            if u < 0 or draft.own[row + u] < wanted:
                break
            if work.blocked[u] == 0:
                partner = u
                break
            k += 1
        if partner < 0:
            for above in range(level):
                take(draft, work, draft.closed[tried[2 * above + 1]])
            return True
        if level < settlements:
            tried[2 * level], tried[2 * level + 1] = k, 4 * partner
        else:
            level -= 1
            if level < 0:
                return False
            take(draft, work, draft.closed[tried[2 * level + 1]])
            tried[2 * level + 1] += 1
        while True:  # the next way to deny the partner of this level, or of those above
            slot = tried[2 * level + 1]
            if slot == 4 * draft.partners[row + tried[2 * level]] + 4:
                level -= 1
                if level < 0:
                    return False
                take(draft, work, draft.closed[tried[2 * level + 1]])
                tried[2 * level + 1] += 1
            elif draft.closed[slot] < v and work.blocked[draft.closed[slot]] == 0:
                break
            else:
                tried[2 * level + 1] += 1
        u = draft.closed[slot]
        for j in range(4 * u, 4 * u + 4):
            work.blocked[draft.closed[j]] += 1
        k = tried[2 * level] + 1
        level += 1


@compiled
def is_hopeless(draft: Draft, work: Work, turn: int, player: int, most: int, mark: int) -> bool:
    """Say whether the player leads by *mark* at most, since some rival's lead is guaranteed.

    Args:
        draft: the board and the players.
        work: with the settlements that stand.
        turn: the next turn.
        player: the player.
        most: the most that it can have itself.
        mark: a lead.

    Returns:
        True where that is proved; False where it is not known.
    """
    n, v, den = draft.players, draft.vertices, draft.den
    num = draft.num[player]
    if draft.expanding or num == 0 or mark == LOWEST:
        return False
    last = 2 * n - 1
    for q in range(min(n, turn) - 1, -1, -1):
        before = last - q - turn
        if q == player or before < 0 or before > MOST_DENIALS or (q > 0 and draft.roomy == 0):
            continue
        minds = 0 if q == 0 else draft.num[q]
        share = den * den - num * minds
        if share < 0 or (minds > 0 and turn < n):
            continue
        rival = most
        if minds > 0:
            for r in range(n):
                if r != q and r != player:
                    if last - r < turn:
                        rival = max(rival, pair_value(draft, work, r))
                    else:
                        rival = max(rival, nth_pair(draft, work, r, work.spots[r], 0))
        wanted = -((den * mark - share * most - num * minds * rival) // (num * den))  # rounded up
        if not can_deny(draft, work, (draft.goal[q] * v + work.spots[q]) * v, wanted, before):
            return True
    return False


@inlined
def is_near(draft: Draft, vertex: int, other: int) -> bool:
    """Say whether two vertices are the same or neighbours."""
    near = False
    for k in range(4 * vertex, 4 * vertex + 4):
        near = near or draft.closed[k] == other
    return near


@compiled
def end(draft: Draft, work: Work, floor: int) -> int:
    """Solve the draft, without expansion, from the last settlement but one; see `search`."""
    n, v = draft.players, draft.vertices
    turn = 2 * n - 2
    row, final = (draft.goal[1] * v + work.spots[1]) * v, (draft.goal[0] * v + work.spots[0]) * v
    rest = 0
    for q in range(2, n):
        rest = max(rest, pair_value(draft, work, q))
    at = 0
    while at < v and draft.partners[final + at] >= 0 and work.blocked[draft.partners[final + at]] != 0:
        at += 1
    if at == v or draft.partners[final + at] < 0:
        return DEAD
    wanted = draft.partners[final + at]
    best, rank, first, second = floor, -1, -1, -1
    for k in range(v):  # the best pair that leaves it free
        u = draft.partners[row + k]
        if u < 0:
            break
        if work.blocked[u] == 0 and not is_near(draft, wanted, u):
            ahead = draft.den * draft.own[row + u] - draft.num[1] * max(rest, draft.own[final + wanted])
            if ahead > best:
                best, rank, first, second = ahead, k, u, wanted
            break
    for j in range(4 * wanted, 4 * wanted + 4):  # and those that deny it
        u = draft.closed[j]
        if u == v or work.blocked[u] != 0:
            continue
        place = draft.place[row + u]
        for k in range(at + 1, v):
            partner = draft.partners[final + k]
            if partner < 0:
                break
            if work.blocked[partner] == 0 and not is_near(draft, u, partner):
                ahead = draft.den * draft.own[row + u] - draft.num[1] * max(rest, draft.own[final + partner])
                if ahead > best or (ahead == best and place < rank):
                    best, rank, first, second = ahead, place, u, partner
                break
    if first < 0:
        return DEAD
    work.course[turn * 2 * n + turn], work.course[turn * 2 * n + turn + 1] = first, second
    work.values[turn * n], work.values[turn * n + 1] = draft.own[final + second], draft.own[row + first]
    for q in range(2, n):
        work.values[turn * n + q] = pair_value(draft, work, q)
    return ALIVE


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
            if turn == last - 1 and not draft.expanding:
                found = end(draft, work, frame[here + BEST])
                if turn == start:
                    return int(found)
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
        if is_hopeless(draft, work, turn + 1, player, bound, mark):
            work.counts[1] += 1
            take(draft, work, vertex)
            if is_hopeless(draft, work, turn, player, bound, best - 1):  # so are those with smaller bounds
                for u in range(v):
                    work.keys[turn * v + u] = -1
                frame[here + NEXT] = v
            put(draft, work, turn, vertex)
            found, entering = DEAD, False
            continue
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
