"""Backward induction over a draft with rivalry, on arrays that numba can compile.

The result is the line of play of a subgame-perfect equilibrium. Turn t is the first settlement of player t
for t < N, and the second settlement of player 2N - 1 - t after that. Players are numbered from 0 here. Every
player p maximizes its *lead*, where own(p) is the value of its two settlements::

    lead(p) = den * own(p) - num[p] * largest own(q) of a rival q              (num[p] / den: its rivalry)

With expansion, a value depends on all settlements. The value of a pair is then a lower bound of it. Adding
the value of the best free vertex reachable with two roads gives an upper bound, since later settlements only
block vertices.

The terms:

==============  ==========================================================================================
put             settle a vertex
block           change the number of settlements that rule out a vertex and its neighbors
pair            a player's two settlements, with the player's own value without expansion
partner         a second vertex for a first one
candidate       a vertex that the player to move may settle
bound           an upper limit of the lead, or of the value, of a player with a candidate
floor, mark     a lead: a candidate is only played if its lead is larger
place           an index in a sorted list: of partners (`free_place`) or of candidates (`order_of`)
above           the player whose candidate is being evaluated while the next player answers
==============  ==========================================================================================

Who sets the flags:

=========================  ============================  ==================================================
flag                       set by                        effect
=========================  ============================  ==================================================
``DraftTables.expanding``  ``rivals._draft_tables``      values depend on all settlements
``DraftTables.roomy``      ``rivals._draft_tables``      all players are sure to find a free vertex
``DraftTables.careless``   ``rivals._draft_tables``      second settlements need no search
``Work.stop``              ``rivals.interruptible``      every search returns STOPPED
DEAD, ALIVE, CUT, STOPPED  `search`, `settle_rest`       the state of a position, returned to the caller
=========================  ============================  ==================================================

`search` is depth first. Four rules prune most of the tree. None of them changes the result:

- *Own bound.* The player's value is at most that of its best free pair with the candidate. The best rival's
  final value has a lower bound: the value of a rival who has placed both settlements, or the value that
  player 0 is sure of. Player 0 places last and takes the best partner left. Each earlier settlement blocks at
  most D partners (a vertex and its neighbors, 4 on boards), so m settlements block at most the best D m
  partners. The same holds for a player without rivalry who is sure to find a free vertex. Both bounds
  together limit the lead. Candidates are tried in the order of this limit, largest first.
- *Guaranteed leads* (`is_hopeless`). Suppose rival q moves after m more settlements. Let w be the value
  of the best pair that q still has after any such m settlements. Let u be the largest value that any rival
  of q can still reach. Then q can lead by ``g = den w - num[q] u`` whatever others do, so it will lead by g
  or more. Player 0, who moves last, gets w for any u.
- *Shallow pruning* (Korf, "Multi-player alpha-beta pruning", 1991). Suppose player p tries a vertex, and the
  next player q finds an answer that leads q by g. Then q will lead by g or more, so
  ``den own(q) >= g + num[q] own(p)``. The lead of p is therefore at most
  ``((den² - num[p] num[q]) own(p) - num[p] g) / den``. If this does not exceed the lead that p already has,
  p will not play the vertex, and the search of q's answers ends. The same holds for a guaranteed lead.
- *No search at the end* (`settle_rest`). The last settlement is the best partner left, since no player
  answers it. The same holds for every second settlement without rivalry and expansion, if all find room.

With expansion the last settlement is a decision like any other. Only the first and third rules apply.

Ties: candidates for a first settlement are ordered by `DraftTables.rank`, candidates for a second one by the
value of the pair. Among candidates with equal leads, the first in this order is played. The order in which
the search tries them does not matter.

A worked example: three tiles in a triangle, with 5, 4 and 2 pips, and two players who count pips. Vertex 2
touches all three tiles. Vertices 0, 4 and 5 touch only the first, vertices 7 to 9 the second, vertices 10
to 12 the third. Player 0 begins at vertex 2, with 11 pips.

========  ===========  ===========  =======  =======  ===================================================
rivalry   player 1     player 0     own(0)   own(1)   reason
========  ===========  ===========  =======  =======  ===================================================
0         0 and 4      2 and 7      11 + 4   5 + 5    both take the most pips
1         5 and 8      2 and 10     11 + 2   5 + 4    5 rules out 0 and 4, and 8 rules out 7 and 9
========  ===========  ===========  =======  =======  ===================================================

With rivalry, player 1 gives up one pip, and player 0 loses two. A lead is then a difference of pips:

>>> from catan_cp import Board, Layout, Objective
>>> from catan_cp.placement.positions import Position
>>> from catan_cp.placement.rivals import Table
>>> layout = Layout("trio", (1, 2), {"ore": 3}, {8: 1, 5: 1, 3: 1})
>>> board = Board(layout, ["ore"] * 3, [8, 5, 3])
>>> for rivalry in (0, 1):
...     goal = Objective(resources=0, cards=1, hit=0, cards_as="report", rivalry=rivalry)
...     table = Table.of(Position(board, (goal, goal)))
...     line = table.solved().line
...     print(line, table.leads(line))
[2, 0, 4, 7] [15, 10]
[2, 5, 8, 10] [4, -4]

Shallow pruning in this example: with rivalry, player 0 leads by 4 after vertex 2, and tries vertex 1. Player
1 can answer with vertex 3 and lead by 3. Player 0 would then trail by 3, so the search skips all other
answers to vertex 1.
"""

from typing import Any, NamedTuple

from catan_cp.compiled import compiled, inlined

DEAD, ALIVE, CUT, STOPPED = 0, 1, 2, 3
"""The states that a search returns for a position.

DEAD: the draft cannot be completed, or no candidate exceeds the floor. ALIVE: solved. CUT: the player above
will not play the vertex that leads to this position. STOPPED: another thread stopped the search.
"""

LOWEST = -(1 << 62)

MOST_DENIALS = 2
"""The maximum number of settlements before a rival's next turn in `is_hopeless`.

With three or more, the check costs more time than it saves.
"""


class DraftTables(NamedTuple):
    """A board and its players' objectives as flat tables.

    There are V vertices, N players and G different objectives.

    Attributes:
        players: N.
        vertices: V.
        den: the common denominator of the rivalries.
        num: (N) the numerators of the rivalries.
        goal: (N) the number of each player's objective.
        near: D, the largest number of vertices that a settlement rules out. It is 4 on boards.
        closed: (D V) each vertex and those that it rules out, padded with V.
        own: (G V V) the value of each pair.
        partners: (G V V) the partners of each vertex, by the value of the pair, then by number, padded with
            -1.
        rank: (G V) the place of each vertex in the order of candidates for first settlements.
        expanding: 1 if any objective has expansion, so that a value depends on all settlements, else 0.
        ways: (6 V) the vertices that are two roads away from each vertex, padded with V.
        roads: (6 V) the other end of the first road on each of these ways.
        extra: (G (V + 2)) the addition to a value for reaching a vertex. Index V is 0, since V is only
            padding. Index V + 1 has the largest addition.
        place: (G V V) the place of each second vertex among the partners of a first one.
        roomy: 1 if all players are sure to find a free vertex, else 0.
        careless: 1 if *roomy* is 1 and no player has rivalry or expansion, else 0. If it is 1, second
            settlements need no search.
        lowest: `LOWEST`, as a variable. numba compiles a function again for each constant argument.
        nobody: -1, as a variable, for the same reason.
    """

    players: int
    vertices: int
    den: int
    num: Any
    goal: Any
    near: int
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
    """The arrays that the search writes. Rows are turns.

    Attributes:
        blocked: (V + 1) the number of settlements that rule out each vertex.
        spots: (2 N) the vertex of each turn.
        line: (2 N + 1, 2 N) the best line of play from each turn on.
        values: (2 N + 1, N) the value of each player on that line.
        keys: (2 N, V) the bounds of the candidates still to be tried, or -1 for no candidate.
        counts: (2) the number of positions, and of candidates cut by a bound.
        stop: (1) not 0 if another thread has asked to stop.
        fixed: (2 N) the other end of the road of each turn's settlement, or -1 if the user gave none.
    """

    blocked: Any
    spots: Any
    line: Any
    values: Any
    keys: Any
    counts: Any
    stop: Any
    fixed: Any


@inlined
def block(draft: DraftTables, work: Work, vertex: int, by: int) -> None:
    """Add *by* to the number of settlements that rule out *vertex* and each neighbor."""
    for k in range(draft.near * vertex, draft.near * vertex + draft.near):
        work.blocked[draft.closed[k]] += by


@compiled
def put(draft: DraftTables, work: Work, turn: int, vertex: int) -> None:
    """Settle *vertex* at *turn*."""
    work.spots[turn] = vertex
    block(draft, work, vertex, 1)


@inlined
def free_place(draft: DraftTables, work: Work, row: int, place: int) -> int:
    """Return the place of the first free partner in a row from *place* on, or V for none."""
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
def nth_pair(draft: DraftTables, work: Work, player: int, vertex: int, skip: int) -> int:
    """Return the value of the best free pair with *vertex* after the best *skip* pairs.

    The result is -1 if no such pair is left.
    """
    v = draft.vertices
    row = (draft.goal[player] * v + vertex) * v
    place = free_place(draft, work, row, 0)
    while skip > 0 and place < v:
        place = free_place(draft, work, row, place + 1)
        skip -= 1
    return int(draft.own[row + draft.partners[row + place]]) if place < v else -1


@inlined
def pair_value(draft: DraftTables, work: Work, player: int) -> int:
    """Return the value of the player's two settlements, without expansion."""
    v = draft.vertices
    first, second = work.spots[player], work.spots[2 * draft.players - 1 - player]
    return int(draft.own[(draft.goal[player] * v + first) * v + second])


@compiled
def reach(draft: DraftTables, work: Work, player: int, vertex: int, road: int) -> int:
    """Return the largest addition to a value by a free vertex two roads from *vertex*.

    The first road leads to *road*, or to any neighbor if *road* is -1. The result is 0 for no free vertex.
    """
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
def worth(draft: DraftTables, work: Work, player: int) -> int:
    """Return the player's value, including expansion, after all settlements are placed."""
    value = pair_value(draft, work, player)
    if draft.expanding:
        second = 2 * draft.players - 1 - player
        one = reach(draft, work, player, work.spots[player], work.fixed[player])
        two = reach(draft, work, player, work.spots[second], work.fixed[second])
        value += max(one, two)
    return int(value)


@compiled
def most_with(draft: DraftTables, work: Work, player: int, first: int, road: int) -> int:
    """Return the player's largest possible value with a first settlement, or -1 for none."""
    if not draft.expanding:
        return int(nth_pair(draft, work, player, first, 0))
    v = draft.vertices
    row = (draft.goal[player] * v + first) * v
    largest = draft.extra[draft.goal[player] * (v + 2) + v + 1]
    near = reach(draft, work, player, first, road)
    most = -1
    for k in range(row, row + v):
        partner = draft.partners[k]
        if partner < 0 or draft.own[row + partner] + largest <= most:
            break
        if work.blocked[partner] == 0:
            value = draft.own[row + partner] + max(near, reach(draft, work, player, partner, draft.nobody))
            if value > most:
                most = value
    return int(most)


@compiled
def bounds_of(draft: DraftTables, work: Work, turn: int) -> None:
    """Write upper bounds of the player's value with each vertex to the keys of *turn*.

    The key of an illegal vertex is -1.
    """
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
                near = reach(draft, work, player, first, work.fixed[player])
                key += max(near, reach(draft, work, player, u, draft.nobody))
        work.keys[turn * v + u] = key


@compiled
def best_rival_at_least(draft: DraftTables, work: Work, turn: int, player: int) -> int:
    """Return a lower bound of the final value of the player's best rival."""
    last = 2 * draft.players - 1
    least = 0
    for q in range(draft.players):
        if q == player or q >= turn:
            continue
        if last - q < turn:
            value = pair_value(draft, work, q)
        # Such a rival is sure of the value of the best pair left at its turn.
        elif (draft.num[q] == 0 and (q == 0 or draft.roomy)) or (q == 0 and not draft.expanding):
            value = nth_pair(draft, work, q, work.spots[q], draft.near * (last - q - turn))
        else:
            value = 0
        if value > least:
            least = value
    return least


@inlined
def lead(draft: DraftTables, work: Work, row: int, player: int) -> int:
    """Return the player's lead, computed from the values in *row*."""
    start = row * draft.players
    most = 0
    for q in range(draft.players):
        if q != player and work.values[start + q] > most:
            most = work.values[start + q]
    return int(draft.den * work.values[start + player] - draft.num[player] * most)


@inlined
def place_of_value(draft: DraftTables, work: Work, row: int, target: int, place: int) -> int:
    """Return `free_place` if the value of that pair is at least *target*.

    The result is -1 if the value is smaller, or if no partner is free.
    """
    place = free_place(draft, work, row, place)
    if place == draft.vertices or draft.own[row + draft.partners[row + place]] < target:
        return -1
    return place


@inlined
def can_deny(draft: DraftTables, work: Work, row: int, target: int, settlements: int) -> bool:
    """Test whether settlements can rule out all pairs worth *target* or more.

    All pairs have the same first vertex. A settlement rules out a partner if it is on the partner or next to
    it. One settlement must rule out the best free partner, the next one the best of the remaining partners.
    So at most D vertices are tried for each settlement.

    Args:
        draft: the board and the players.
        work: the settlements placed. Settlements that are tried are removed again.
        row: the start of the first vertex's row in `DraftTables.own` and `DraftTables.partners`.
        target: the smallest value of a pair that must be ruled out.
        settlements: the number of settlements that may be placed for it, at most `MOST_DENIALS`.
    """
    v = draft.vertices
    place = place_of_value(draft, work, row, target, 0)
    denied = place < 0
    if denied or settlements == 0:
        return denied
    best = draft.near * draft.partners[row + place]
    for k in range(best, best + draft.near):
        u = draft.closed[k]
        if not denied and u < v and work.blocked[u] == 0:
            block(draft, work, u, 1)
            after = place_of_value(draft, work, row, target, place + 1)
            denied = after < 0
            if not denied and settlements > 1:
                second_best = draft.near * draft.partners[row + after]
                for j in range(second_best, second_best + draft.near):
                    w = draft.closed[j]
                    if not denied and w < v and work.blocked[w] == 0:
                        block(draft, work, w, 1)
                        denied = place_of_value(draft, work, row, target, after + 1) < 0
                        block(draft, work, w, -1)
            block(draft, work, u, -1)
    return denied


@compiled
def is_hopeless(draft: DraftTables, work: Work, turn: int, player: int, most: int, mark: int) -> bool:
    """Test whether a rival's guaranteed lead limits the player's lead to *mark*.

    Args:
        draft: the board and the players.
        work: the settlements placed.
        turn: the next turn.
        player: the player.
        most: an upper bound of the player's own value.
        mark: a lead.

    Returns:
        True if this is proved, False if it is not known.
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
        rivalry = 0 if q == 0 else draft.num[q]
        share = den * den - num * rivalry
        if share < 0 or (rivalry > 0 and turn < n):  # u needs the first settlements of all players
            continue
        others_most = most  # the module's docstring calls it u
        if rivalry > 0:
            for r in range(n):
                if r != q and r != player:
                    if last - r < turn:
                        others_most = max(others_most, pair_value(draft, work, r))
                    else:
                        others_most = max(others_most, nth_pair(draft, work, r, work.spots[r], 0))
        # By the formula of shallow pruning, the lead is at most *mark* if w is at least *target*.
        target = -((den * mark - share * most - num * rivalry * others_most) // (num * den))  # rounded up
        if not can_deny(draft, work, (draft.goal[q] * v + work.spots[q]) * v, target, before):
            return True
    return False


@inlined
def order_of(draft: DraftTables, work: Work, turn: int, vertex: int) -> int:
    """Return the place of a vertex among the candidates of *turn*.

    Of two candidates with equal leads, the one with the smaller place is played.
    """
    n, v = draft.players, draft.vertices
    if turn < n:
        return int(draft.rank[draft.goal[turn] * v + vertex])
    player = 2 * n - 1 - turn
    return int(draft.place[(draft.goal[player] * v + work.spots[player]) * v + vertex])


@inlined
def next_candidate(draft: DraftTables, work: Work, turn: int, passed: int) -> tuple[int, int, int]:
    """Return (bound, vertex, place) of the best candidate not yet tried, and mark it.

    The vertex is -1 if no candidate is left.

    Args:
        draft: the board and the players.
        work: the settlements placed. The keys of *turn* have bounds if it is a first settlement or if any
            objective has expansion.
        turn: the turn.
        passed: the number of partners of the first settlement already tried. Used if *turn* has no bounds.
    """
    n, v = draft.players, draft.vertices
    bound, vertex, place = -1, -1, passed
    if turn < n or draft.expanding:
        for u in range(v):
            key = work.keys[turn * v + u]
            if key >= 0 and key >= bound:
                order = order_of(draft, work, turn, u)
                if key > bound or order < place:
                    bound, vertex, place = key, u, order
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
def base_of(draft: DraftTables, work: Work, turn: int, player: int, above: int) -> int:
    """Return ``(den² - num[above] num[player]) own(above)``, a term of shallow pruning.

    The module's docstring has the formula. Before the player above has placed both settlements, its own value
    is replaced by an upper bound. The result is 0 without a player above, or if that player has no rivalry.
    It is also 0 if the factor is not positive.
    """
    if above < 0 or draft.num[above] == 0:
        return 0
    share = draft.den * draft.den - draft.num[above] * draft.num[player]
    if share <= 0:
        return 0
    if 2 * draft.players - 1 - above < turn:
        return int(share * worth(draft, work, above))
    return int(share * most_with(draft, work, above, work.spots[above], work.fixed[above]))


@inlined
def keep(draft: DraftTables, work: Work, turn: int, vertex: int) -> None:
    """Store *vertex* and the line of the next turn as the line of this turn."""
    n = draft.players
    row = turn * 2 * n
    work.line[row + turn] = vertex
    for later in range(turn + 1, 2 * n):
        work.line[row + later] = work.line[row + 2 * n + later]
    for q in range(n):
        work.values[turn * n + q] = work.values[turn * n + n + q]


@compiled
def settle_rest(draft: DraftTables, work: Work, turn: int) -> int:
    """Place the best free partner at each turn from *turn* on.

    Returns:
        ALIVE, or DEAD if no partner is free. The line of play is stored as by `search`.
    """
    n, v = draft.players, draft.vertices
    last = 2 * n - 1
    for at in range(turn, last + 1):
        row = (draft.goal[last - at] * v + work.spots[last - at]) * v
        place = free_place(draft, work, row, 0)
        if place == v:  # possible at the last turn only
            return DEAD
        put(draft, work, at, draft.partners[row + place])
        work.line[turn * 2 * n + at] = work.spots[at]
    for q in range(n):
        work.values[turn * n + q] = pair_value(draft, work, q)
    for at in range(turn, last + 1):
        block(draft, work, work.spots[at], -1)
    return ALIVE


@compiled
def search(draft: DraftTables, work: Work, turn: int, floor: int, above: int, above_floor: int) -> int:
    """Solve the draft from *turn* on and write its line of play to the row of the turn.

    Args:
        draft: the board and the players.
        work: `Work.spots` and `Work.blocked` contain the settlements placed.
        turn: the next turn, 0 to 2N - 1.
        floor: a lead that the player to move must exceed, or `LOWEST` for none.
        above: a player whose lead may end the search, or -1 for none.
        above_floor: the search ends if it proves that the lead of *above* is at most this.

    Returns:
        ALIVE if solved. DEAD if the draft cannot be completed or *floor* cannot be exceeded. CUT if the
        player above will lead by at most *above_floor*. STOPPED if another thread asked for it.
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
    # Only player N - 1 has two turns in a row, for its first and its second settlement.
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
        # Of equal leads, the one with the smaller place is played. So an earlier candidate needs only *best*.
        mark = best if place > best_place else best - 1
        put(draft, work, turn, vertex)
        hopeless = is_hopeless(draft, work, turn + 1, player, bound, mark)
        if hopeless:
            work.counts[1] += 1
            outcome = DEAD
        elif again:
            outcome = search(draft, work, turn + 1, mark, above, above_floor)
        else:
            outcome = search(draft, work, turn + 1, draft.lowest, player, mark)
        block(draft, work, vertex, -1)
        if outcome == STOPPED or (outcome == CUT and again):
            return outcome
        if hopeless and is_hopeless(draft, work, turn, player, bound, best - 1):
            return state  # candidates with smaller bounds are hopeless too
        ahead = lead(draft, work, turn + 1, player) if outcome == ALIVE else mark
        if ahead > mark:
            best, best_place, state = ahead, place, ALIVE
            keep(draft, work, turn, vertex)
            bounded = above >= 0 and draft.num[above] > 0 and above_floor > LOWEST
            if bounded and base - draft.num[above] * ahead <= draft.den * above_floor:
                work.counts[1] += 1
                return CUT
