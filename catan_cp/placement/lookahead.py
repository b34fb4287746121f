"""A draft among rivals in arrays: what stands, what it is worth, and backward induction over what follows.

Turn t is player t's first settlement for t < N and player 2N - 1 - t's second one after that, players
being numbered from 0 here. Every player p wants the most of its *lead*::

    lead(p) = den * own value - num[p] * largest own value of a rival          (num[p] / den: its rivalry)

With expansion a value depends on all settlements: a pair's own value is then a lower bound of it, and that
with the best free vertex that two roads reach now an upper bound, since later settlements only take vertices
away.

The words:

==============  ==========================================================================================
to put, block   to settle a vertex; to rule it and its neighbours out, or no longer
pair            a player's two settlements; its value is the player's own value without expansion
partner         a second vertex for a first one
candidate       a vertex that the player to move may settle
bound           the most that its player can have with a candidate
floor, mark     a lead that is known to be had already, so that only more is of interest
above           the player whose candidate is being tried, while the next one answers
==============  ==========================================================================================

`search` is depth first. What follows spares it most of the tree; none of it changes the result:

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
- *What needs no thought* (`settle_rest`). The last settlement is the best partner that is left, whoever
  rivals are, since nothing answers it. So is every second one where nobody minds the others and all find
  room.

With expansion the last settlement is a decision like any other, and only the first and third are used.

Ties: candidates for a first settlement count in the order of `Draft.rank`, those for a second one in
the order of their pairs, and among equal leads the earlier candidate wins, whatever the order of trying.

Example: two players with rivalry 1 play a zero-sum game. If player 0 has a course with lead 0 and tries
another vertex, and player 1 has an answer that leads by 4, player 0 would trail by 4: next vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from catan_cp.compiled import compiled, inlined

DEAD, ALIVE, CUT, STOPPED = 0, 1, 2, 3
"""What a search says of a position: nobody can end the draft from it, solved, not worth solving, or that
another thread has asked it to stop."""

LOWEST = -(1 << 62)

MOST_DENIALS = 2
"""So many settlements before a rival's own are looked at for its guaranteed lead; with three and more the
look costs more than it spares."""


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
        ways: (6 V) the vertices that two roads lead to from each, filled with V.
        roads: (6 V) the other ends of the first of these roads.
        extra: (G (V + 2)) what reaching each vertex adds to a value; then 0, for V; then the largest.
        place: (G V V) each second vertex's place among the partners of a first.
        roomy: 1 where nobody can be left without room, whatever is played; else 0.
        careless: 1 where, besides, nobody minds the others, so that second settlements need no thought.
        lowest: `LOWEST`, and
        nobody: -1, where arguments are meant: numba compiles a function anew for a constant.
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
    careless: int
    lowest: int = LOWEST
    nobody: int = -1


class Work(NamedTuple):
    """What the search writes; rows are turns.

    Attributes:
        blocked: (V + 1) how many settlements rule each vertex out.
        spots: (2 N) the vertex of each turn.
        course: (2 N + 1, 2 N) the best course from each turn on.
        values: (2 N + 1, N) what it gives each player.
        keys: (2 N, V) bounds of the candidates still to be tried.
        counts: positions; candidates cut by a bound.
        stop: (1) not 0 when another thread has asked to stop.
        fixed: (2 N) the other end of the road of each turn's settlement where it lies already; else -1.
    """

    blocked: Any
    spots: Any
    course: Any
    values: Any
    keys: Any
    counts: Any
    stop: Any
    fixed: Any


@inlined
def block(draft: Draft, work: Work, vertex: int, by: int) -> None:
    """Add *by* to the settlements that rule *vertex* and its neighbours out."""
    for k in range(4 * vertex, 4 * vertex + 4):
        work.blocked[draft.closed[k]] += by


@compiled
def put(draft: Draft, work: Work, turn: int, vertex: int) -> None:
    """Settle *vertex* at *turn*."""
    work.spots[turn] = vertex
    block(draft, work, vertex, 1)


@inlined
def free_place(draft: Draft, work: Work, row: int, place: int) -> int:
    """Return the place of the best free partner in a row of `Draft.partners`, from *place* on; V for none."""
    v = draft.vertices
    while place < v:
        partner = draft.partners[row + place]
        if partner < 0:
            return v
        if work.blocked[partner] == 0:
            return place
        place += 1
    return v


@inlined
def nth_pair(draft: Draft, work: Work, player: int, vertex: int, skip: int) -> int:
    """Return the value of the best pair with *vertex* that is free, after *skip* better ones; -1 for none."""
    v = draft.vertices
    row = (draft.goal[player] * v + vertex) * v
    place = free_place(draft, work, row, 0)
    while skip > 0 and place < v:
        place = free_place(draft, work, row, place + 1)
        skip -= 1
    return int(draft.own[row + draft.partners[row + place]]) if place < v else -1


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
        open_way = work.blocked[end] == 0 and (road < 0 or draft.roads[k] == road)
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
            value = draft.own[row + partner] + max(mine, reach(draft, work, player, partner, draft.nobody))
            if value > most:
                most = value
    return int(most)


@compiled
def bounds_of(draft: Draft, work: Work, turn: int) -> None:
    """Write the most that the player of *turn* can have with each vertex into its keys; -1 for nothing."""
    n, v = draft.players, draft.vertices
    player = turn if turn < n else 2 * n - 1 - turn
    first = work.spots[player]
    for u in range(v):
        key = -1
        if work.blocked[u] == 0 and turn < n:
            key = most_with(draft, work, turn, u, draft.nobody)
        elif work.blocked[u] == 0:
            key = draft.own[(draft.goal[player] * v + first) * v + u]
            if draft.expanding and key >= 0:
                mine = reach(draft, work, player, first, work.fixed[player])
                key += max(mine, reach(draft, work, player, u, draft.nobody))
        work.keys[turn * v + u] = key


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


@inlined
def lead(draft: Draft, work: Work, row: int, player: int) -> int:
    """Return the player's lead from the values in *row*."""
    start = row * draft.players
    most = 0
    for q in range(draft.players):
        if q != player and work.values[start + q] > most:
            most = work.values[start + q]
    return int(draft.den * work.values[start + player] - draft.num[player] * most)


@inlined
def wanted_place(draft: Draft, work: Work, row: int, wanted: int, place: int) -> int:
    """Return `free_place`; -1 where the pair is worth less than *wanted*."""
    place = free_place(draft, work, row, place)
    if place == draft.vertices or draft.own[row + draft.partners[row + place]] < wanted:
        return -1
    return place


@inlined
def can_deny(draft: Draft, work: Work, row: int, wanted: int, settlements: int) -> bool:
    """Say whether one or two settlements, or none, can leave no pair of *wanted* or more of a first vertex.

    The best partner that is free must be denied first, by standing on it or beside it; then the best of the
    rest: a search of at most four ways for each settlement.

    Args:
        draft: the board and the players.
        work: with the settlements that stand; those tried are taken back.
        row: where the first vertex's row of `Draft.own` and `Draft.partners` begins.
        wanted: the value to be denied.
        settlements: how many there are to deny it with, placed by anybody; `MOST_DENIALS` at most.
    """
    v = draft.vertices
    place = wanted_place(draft, work, row, wanted, 0)
    denied = place < 0
    if denied or settlements == 0:
        return denied
    best = 4 * draft.partners[row + place]
    for k in range(best, best + 4):
        u = draft.closed[k]
        if not denied and u < v and work.blocked[u] == 0:
            block(draft, work, u, 1)
            after = wanted_place(draft, work, row, wanted, place + 1)
            denied = after < 0
            if not denied and settlements > 1:
                other = 4 * draft.partners[row + after]
                for j in range(other, other + 4):
                    w = draft.closed[j]
                    if not denied and w < v and work.blocked[w] == 0:
                        block(draft, work, w, 1)
                        denied = wanted_place(draft, work, row, wanted, after + 1) < 0
                        block(draft, work, w, -1)
            block(draft, work, u, -1)
    return denied


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
def order_of(draft: Draft, work: Work, turn: int, vertex: int) -> int:
    """Return the place of a vertex among the candidates of *turn*: of two as good, the earlier is played."""
    n, v = draft.players, draft.vertices
    if turn < n:
        return int(draft.rank[draft.goal[turn] * v + vertex])
    player = 2 * n - 1 - turn
    return int(draft.place[(draft.goal[player] * v + work.spots[player]) * v + vertex])


@inlined
def next_candidate(draft: Draft, work: Work, turn: int, passed: int) -> tuple[int, int, int]:
    """Return (bound, vertex, place) of the best candidate not yet tried, and mark it; vertex -1 for none.

    Args:
        draft: the board and the players.
        work: with bounds in the keys of *turn*, where it is a first settlement or there is expansion.
        turn: the turn.
        passed: how many partners of the first settlement have been tried or passed, where there are no keys.
    """
    n, v = draft.players, draft.vertices
    bound, vertex, place = -1, -1, passed
    if turn < n or draft.expanding:
        for u in range(v):
            key = work.keys[turn * v + u]
            if key >= 0 and key >= bound:
                its = order_of(draft, work, turn, u)
                if key > bound or its < place:
                    bound, vertex, place = key, u, its
        if vertex >= 0:
            work.keys[turn * v + vertex] = -1
    else:
        player = 2 * n - 1 - turn
        row = (draft.goal[player] * v + work.spots[player]) * v
        place = free_place(draft, work, row, passed)
        if place < v:
            vertex = draft.partners[row + place]
            bound = draft.own[row + vertex]
    return bound, vertex, place


@compiled
def base_of(draft: Draft, work: Work, turn: int, player: int, above: int) -> int:
    """Return the part that its own value has in the most that the player *above* can lead by, times den."""
    if above < 0 or draft.num[above] == 0:
        return 0
    share = draft.den * draft.den - draft.num[above] * draft.num[player]
    if share <= 0:
        return 0
    if 2 * draft.players - 1 - above < turn:
        return int(share * worth(draft, work, above))
    return int(share * most_with(draft, work, above, work.spots[above], work.fixed[above]))


@inlined
def keep(draft: Draft, work: Work, turn: int, vertex: int) -> None:
    """Make *vertex* and the course of the next turn the course of this turn."""
    n = draft.players
    row = turn * 2 * n
    work.course[row + turn] = vertex
    for later in range(turn + 1, 2 * n):
        work.course[row + later] = work.course[row + 2 * n + later]
    for q in range(n):
        work.values[turn * n + q] = work.values[turn * n + n + q]


@compiled
def settle_rest(draft: Draft, work: Work, turn: int) -> int:
    """Play the best partners from *turn* on, where none need look ahead, as `search`; or say DEAD."""
    n, v = draft.players, draft.vertices
    last = 2 * n - 1
    for at in range(turn, last + 1):
        row = (draft.goal[last - at] * v + work.spots[last - at]) * v
        place = free_place(draft, work, row, 0)
        if place == v:  # at the last turn alone
            return DEAD
        put(draft, work, at, draft.partners[row + place])
        work.course[turn * 2 * n + at] = work.spots[at]
    for q in range(n):
        work.values[turn * n + q] = pair_value(draft, work, q)
    for at in range(turn, last + 1):
        block(draft, work, work.spots[at], -1)
    return ALIVE


@compiled
def search(draft: Draft, work: Work, turn: int, floor: int, above: int, above_floor: int) -> int:
    """Solve the draft from *turn* on; its course is then in the turn's row.

    Args:
        draft: the board and the players.
        work: with `Work.spots` and `Work.blocked` of the settlements that stand.
        turn: the next turn, 0 to 2N - 1.
        floor: a lead of the player to move that the search need only beat; `LOWEST` for none.
        above: a player whose lead may end the search; -1 for none.
        above_floor: that lead.

    Returns:
        ALIVE; DEAD where no course ends, or none beats the floor; CUT where the player above will lead by
        no more than *above_floor*; STOPPED where another thread asked for it.
    """
    n, last = draft.players, 2 * draft.players - 1
    if work.stop[0] != 0:
        return STOPPED
    work.counts[0] += 1
    if turn > last:
        for q in range(n):
            work.values[turn * n + q] = worth(draft, work, q)
        return ALIVE
    if (turn >= n and draft.careless) or (turn == last and not draft.expanding):
        return int(settle_rest(draft, work, turn))
    player = turn if turn < n else last - turn
    again = player == (turn + 1 if turn + 1 < n else last - turn - 1)
    num = draft.num[player]
    least = best_rival_at_least(draft, work, turn, player) if num > 0 else 0
    base = base_of(draft, work, turn, player, above)
    if turn < n or draft.expanding:
        bounds_of(draft, work, turn)
    best, best_place, state, passed = floor, -1, DEAD, 0
    while True:
        bound, vertex, place = next_candidate(draft, work, turn, passed)
        passed = place + 1
        limit = draft.den * bound - num * least
        if vertex < 0 or limit < best or (limit == best and place > best_place):
            work.counts[1] += vertex >= 0
            return state
        mark = best if place > best_place else best - 1
        put(draft, work, turn, vertex)
        hopeless = is_hopeless(draft, work, turn + 1, player, bound, mark)
        if hopeless:
            work.counts[1] += 1
            found = DEAD
        elif again:
            found = search(draft, work, turn + 1, mark, above, above_floor)
        else:
            found = search(draft, work, turn + 1, draft.lowest, player, mark)
        block(draft, work, vertex, -1)
        if found == STOPPED or (found == CUT and again):
            return found
        if hopeless and is_hopeless(draft, work, turn, player, bound, best - 1):
            return state  # so are those with smaller bounds
        ahead = lead(draft, work, turn + 1, player) if found == ALIVE else mark
        if ahead > mark:
            best, best_place, state = ahead, place, ALIVE
            keep(draft, work, turn, vertex)
            bounded = above >= 0 and draft.num[above] > 0 and above_floor > LOWEST
            if bounded and base - draft.num[above] * ahead <= draft.den * above_floor:
                work.counts[1] += 1
                return CUT
