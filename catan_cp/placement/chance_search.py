"""Backward induction over a draft in which each player maximizes its own chance to win.

Turn t is the first settlement of player t for t < N, and the second settlement of player 2N - 1 - t after
that. Players are numbered from 0 here. A player's odds depend on its own two settlements only. Its chance is
its odds divided by the sum of all odds. Each player takes the vertex with its largest chance, and knows that
all later players do the same. Of equal chances it takes the vertex with the lowest number.

The search is exact. It knows three numbers for each player:

======  =====================================================
up      odds that the player never exceeds
sure    odds that it can have, whatever others do
low     odds that it will have in the line of play
======  =====================================================

m settlements of others spoil at most m of m + 1 vertices that are three or more roads apart. This gives
`sure`. A player's chance is therefore at least ``sure / (sure + up of the others)``, its *safe chance*. It
leaves the vertex of `sure` only if the odds of the others fall in proportion. This gives `low`. Divide the
other players into two groups. A player's chance is at most the product of two factors: 1 - the safe chances
of the first group, and ``up / (up + low of the second group)``. All divisions are tried.

A candidate is skipped if this limit is below the best chance so far. A position is left if it proves that the
player who moved last will not choose it.

In the last turn, player 0 takes its best free vertex. In the turn before, player 1 takes a vertex that blocks
this one, or the best of all others. So at most five vertices need a comparison.
"""

from typing import Any, NamedTuple

from catan_cp.compiled import compiled, inlined

DEAD, ALIVE, CUT, STOPPED = 0, 1, 2, 3
"""States of a search: no completion above the floor, solved, useless to the player above, stopped."""

CLOSE = 1e-12
"""Chances that differ by less are equal."""


class OddsTables(NamedTuple):
    """The odds of all pairs on a board with V vertices, as flat arrays.

    Attributes:
        players: N.
        vertices: V.
        odds: (V * V) the odds of a first and a second settlement, 0 if both cannot be settled.
        partners: (V * V) the second settlements of each first one, by odds, then -1.
        closed: (V * 4) each vertex and its neighbors, padded with the vertex.
        apart: (V * V) 1 for two vertices with three or more roads between them.
    """

    players: int
    vertices: int
    odds: Any
    partners: Any
    closed: Any
    apart: Any


class ChanceWork(NamedTuple):
    """Scratch space of a search, as flat arrays.

    Attributes:
        blocked: (V) the number of settlements that rule out a vertex.
        spots: (2N) the vertices placed.
        low, up, sure: (turn, player) limits of odds.
        keys: (turn, V) the largest odds with each candidate, -1 for none.
        spaced: (2N) vertices that are three or more roads apart.
        odds: (turn, N + 1) the odds at the end of the line of each turn, and their sum.
        line: (turn, 2N) the line of play from each turn on.
        counts: the number of positions.
        stop: 1 if another thread ends the search.
    """

    blocked: Any
    spots: Any
    low: Any
    up: Any
    sure: Any
    keys: Any
    spaced: Any
    odds: Any
    line: Any
    counts: Any
    stop: Any


@inlined
def block(game: OddsTables, work: ChanceWork, vertex: int, change: int) -> None:
    """Change the number of settlements that rule out a vertex and its neighbors."""
    for k in range(4):
        near = game.closed[4 * vertex + k]
        if k == 0 or near != vertex:
            work.blocked[near] += change


@compiled
def best_partner(game: OddsTables, work: ChanceWork, first: int, avoided: int) -> int:
    """Return the best free partner of *first* that is not *avoided* or next to it, or -1.

    An *avoided* of -1 avoids nothing.
    """
    row = first * game.vertices
    for k in range(game.vertices):
        vertex = game.partners[row + k]
        if vertex < 0:
            break
        if work.blocked[vertex] == 0 and (avoided < 0 or game.odds[avoided * game.vertices + vertex] > 0.0):
            return int(vertex)
    return -1


@compiled
def best_odds(game: OddsTables, work: ChanceWork, first: int) -> float:
    """Return the odds of *first* with its best free partner, or 0."""
    row = first * game.vertices
    for k in range(game.vertices):
        vertex = game.partners[row + k]
        if vertex < 0:
            break
        if work.blocked[vertex] == 0:
            return float(game.odds[row + vertex])
    return 0.0


@compiled
def sure_odds(game: OddsTables, work: ChanceWork, first: int, others: int) -> float:
    """Return odds that *first* keeps if others place a number of settlements before the second one."""
    row, count = first * game.vertices, 0
    for k in range(game.vertices):
        vertex = game.partners[row + k]
        if vertex < 0:
            break
        if work.blocked[vertex] == 0:
            is_apart = True
            for j in range(count):
                is_apart = is_apart and game.apart[work.spaced[j] * game.vertices + vertex] == 1
            if is_apart:
                if count == others:
                    return float(game.odds[row + vertex])
                work.spaced[count] = vertex
                count += 1
    return 0.0


@inlined
def largest(game: OddsTables, keys: Any, start: int) -> int:
    """Return the vertex with the largest positive key, the lowest of equals, or -1."""
    vertex, most = -1, 0.0
    for u in range(game.vertices):
        if keys[start + u] > most:
            vertex, most = u, keys[start + u]
    return vertex


@compiled
def limit_unplaced(game: OddsTables, work: ChanceWork, turn: int, player: int) -> None:
    """Write `up` and `sure` of a player without settlements. It overwrites the keys of the turn."""
    n, keys, start = game.players, work.keys, turn * game.vertices
    others, most = 2 * n - 2 - player - turn, 0.0
    for first in range(game.vertices):
        keys[start + first] = -1.0
        if work.blocked[first] == 0:
            most = max(most, best_odds(game, work, first))
            keys[start + first] = sure_odds(game, work, first, others)
    safe = 0.0
    for _ in range(player - turn + 1):  # the others spoil the best of its first vertices
        first = largest(game, keys, start)
        safe = keys[start + first] if first >= 0 else 0.0
        if first >= 0:
            for u in range(game.vertices):
                if game.apart[first * game.vertices + u] == 0:
                    keys[start + u] = -1.0
    work.up[turn * n + player], work.sure[turn * n + player] = most, safe


@compiled
def limit_all(game: OddsTables, work: ChanceWork, turn: int, mover: int) -> None:
    """Write the limits of all odds before a turn. `low` of the player who moves is 0."""
    n, low, up, sure = game.players, work.low, work.up, work.sure
    row, last = turn * n, 2 * n - 1
    for q in range(n):
        low[row + q] = 0.0
        first = work.spots[q]
        if last - q < turn:
            odds = game.odds[first * game.vertices + work.spots[last - q]]
            low[row + q] = up[row + q] = sure[row + q] = odds
        elif q < turn:
            up[row + q] = best_odds(game, work, first)
            sure[row + q] = sure_odds(game, work, first, last - q - turn)
        else:
            limit_unplaced(game, work, turn, q)
    for q in range(n):
        if last - q >= turn and q != mover:
            settled, fewest, most = 0.0, 0.0, 0.0
            for k in range(n):
                if k != q and (last - k < turn or (k > q and q < turn)):
                    settled += low[row + k]  # both settlements are placed when q chooses its second one
                elif k != q:
                    fewest, most = fewest + low[row + k], most + up[row + k]
            share = (settled + fewest) / (settled + most) if most > 0.0 else 1.0
            low[row + q] = sure[row + q] * min(1.0, share)


@compiled
def chance_limit(
    game: OddsTables,
    work: ChanceWork,
    turn: int,
    player: int,
    odds: float,
    known: int,
    chance: float,
    enough: float,
) -> float:
    """Return a limit of the chance of a player with these odds, if *known* has *chance* or more.

    A limit below *enough* need not be the smallest one.
    """
    n, row = game.players, turn * game.players
    low, up, sure = work.low, work.up, work.sure
    total, below, best = odds, odds, 1.0
    for k in range(n):
        if k != player:
            total += up[row + k]
            if k != known:
                below += low[row + k]
    fixed = 1 << player
    if known >= 0:
        fixed |= 1 << known
    for group in range(1 << min(n, 2 * n - turn)):
        if group & fixed == 0:
            share, rest = 1.0 - chance, below
            for k in range(n):
                if (group >> k) & 1 == 1:
                    safe = sure[row + k]
                    share, rest = share - safe / (total - up[row + k] + safe), rest - low[row + k]
            limit = share * odds / rest
            if limit < best:
                best = limit
                if best < enough:
                    return best
    return best


@inlined
def keep_line(game: OddsTables, work: ChanceWork, turn: int, vertex: int) -> None:
    """Store *vertex* and the line and odds of the next turn as those of this turn."""
    n, turns = game.players, 2 * game.players
    for q in range(n + 1):
        work.odds[turn * (n + 1) + q] = work.odds[turn * (n + 1) + n + 1 + q]
    for later in range(turn + 1, turns):
        work.line[turn * turns + later] = work.line[turn * turns + turns + later]
    work.line[turn * turns + turn] = vertex


@compiled
def settle_last(game: OddsTables, work: ChanceWork, turn: int) -> int:
    """Solve the last turn, or a position in which all settlements are placed."""
    n, v, last = game.players, game.vertices, 2 * game.players - 1
    if turn == last:
        vertex = best_partner(game, work, work.spots[0], -1)
        if vertex < 0:
            return DEAD
        work.spots[last] = work.line[last * (last + 1) + last] = vertex
    total, row = 0.0, turn * (n + 1)
    for q in range(n):
        work.odds[row + q] = game.odds[work.spots[q] * v + work.spots[last - q]]
        total += work.odds[row + q]
    work.odds[row + n] = total
    return ALIVE


@compiled
def settle_two(game: OddsTables, work: ChanceWork, turn: int) -> int:
    """Solve the last two turns: of player 1, who may block player 0, and of player 0."""
    n, v, odds = game.players, game.vertices, game.odds
    first, second, row = work.spots[0] * v, work.spots[1] * v, turn * (n + 1)
    target, start = best_partner(game, work, work.spots[0], -1), turn * (2 * n + 1)
    if target < 0:
        return DEAD
    rest, best, state = 0.0, -1.0, DEAD
    for q in range(2, n):
        work.odds[row + q] = odds[work.spots[q] * v + work.spots[2 * n - 1 - q]]
        rest += work.odds[row + q]
    for k in range(5):
        vertex = best_partner(game, work, work.spots[1], target) if k == 4 else game.closed[4 * target + k]
        if vertex >= 0 and work.blocked[vertex] == 0 and odds[second + vertex] > 0.0:
            reply = target if k == 4 else best_partner(game, work, work.spots[0], vertex)
            if reply >= 0:
                chance = odds[second + vertex] / (rest + odds[second + vertex] + odds[first + reply])
                is_lower = state == ALIVE and vertex < work.line[start]
                if chance > best + CLOSE or (is_lower and chance > best - CLOSE):
                    best, state = chance, ALIVE
                    work.line[start], work.line[start + 1] = vertex, reply
                    work.odds[row], work.odds[row + 1] = odds[first + reply], odds[second + vertex]
    work.odds[row + n] = rest + work.odds[row] + work.odds[row + 1]
    return state


@compiled
def write_keys(game: OddsTables, work: ChanceWork, turn: int) -> None:
    """Write the largest odds of each free vertex as a first settlement, -1 for other vertices."""
    start = turn * game.vertices
    for u in range(game.vertices):
        work.keys[start + u] = best_odds(game, work, u) if work.blocked[u] == 0 else -1.0


@inlined
def free_place(game: OddsTables, work: ChanceWork, row: int, place: int) -> int:
    """Return the place of the best free partner from a place on, or V."""
    while place < game.vertices:
        vertex = game.partners[row + place]
        if vertex < 0:
            return game.vertices
        if work.blocked[vertex] == 0:
            return place
        place += 1
    return place


@compiled
def open_turn(game: OddsTables, work: ChanceWork, turn: int, player: int, above: int, mark: float) -> int:
    """Write the limits and the keys of a turn of *player*.

    Returns DEAD if a player finds no room, and CUT if the player above gets *mark* at most. Otherwise ALIVE.
    """
    n, row = game.players, turn * game.players
    limit_all(game, work, turn, player)
    for q in range(n):
        if work.up[row + q] <= 0.0:
            return DEAD
    most = work.up[row + above] if above >= 0 else 0.0
    if above >= 0 and chance_limit(game, work, turn, above, most, -1, 0.0, mark) <= mark:
        return CUT
    if turn < n:
        write_keys(game, work, turn)
    return ALIVE


@compiled
def search(
    game: OddsTables,
    work: ChanceWork,
    turn: int,
    floor: float,
    lowest: int,
    above: int,
    mark: float,
    is_pair: bool,
) -> int:
    """Solve from a turn on and write the line of play and its odds to the row of the turn.

    Args:
        game: the board and the players.
        work: `ChanceWork.spots` and `blocked` contain the settlements placed.
        turn: the next turn.
        floor: a chance that the player to move must exceed, or -1 for none.
        lowest: of chances equal to the floor, that of a vertex below this number counts as larger.
        above: a player whose chance may end the search, or -1 for none.
        mark: the search ends if it proves that the chance of *above* is at most this.
        is_pair: True if the same player chose the vertex of the last turn in this search.

    Returns:
        ALIVE if solved. DEAD without a completion above the floor. CUT if the player above gets *mark* at
        most. STOPPED if another thread asked for it.
    """
    n, v, last = game.players, game.vertices, 2 * game.players - 1
    if work.stop[0] != 0:
        return STOPPED
    work.counts[0] += 1
    if turn >= last:
        return int(settle_last(game, work, turn))
    if turn == last - 1:
        return int(settle_two(game, work, turn))
    player = min(turn, last - turn)
    state = open_turn(game, work, turn, player, -1 if is_pair else above, mark)
    if state != ALIVE:
        return int(state)
    best, chosen, state, end = floor, lowest, DEAD, (turn + 1) * (n + 1)
    moves_on = turn == n - 1  # this player has the next turn, too
    # The player may still leave its vertex of the turn before, so the limits of that turn hold for *above*.
    free = turn - 1 if is_pair else turn
    place, partners = 0, work.spots[player] * v
    while True:
        if turn < n:
            u = largest(game, work.keys, turn * v)
        else:
            place = free_place(game, work, partners, place)
            u = game.partners[partners + place] if place < v else -1
        if u < 0:
            return state
        odds = work.keys[turn * v + u] if turn < n else game.odds[partners + u]
        worst = best - CLOSE
        if best > 0.0 and chance_limit(game, work, turn, player, odds, -1, 0.0, worst) < worst:
            return state
        work.keys[turn * v + u] = -1.0
        place += 1
        other = work.spots[turn - 1] if is_pair else -1
        if u < other and game.odds[u * v + other] == game.odds[other * v + u]:
            continue  # the same settlements in the other order
        bar = best - CLOSE if u < chosen else best + CLOSE
        work.spots[turn] = u
        block(game, work, u, 1)
        floor_next, lowest_next = (best, v if u < chosen else -1) if moves_on else (-1.0, -1)
        above_next, mark_next = (above, mark) if moves_on else (player, bar)
        # One call: code with two recursive calls crashes when numba loads it from its cache.
        outcome = search(game, work, turn + 1, floor_next, lowest_next, above_next, mark_next, moves_on)
        block(game, work, u, -1)
        if outcome == STOPPED or (outcome == CUT and moves_on):
            return outcome
        if outcome == ALIVE and work.odds[end + player] > bar * work.odds[end + n]:
            best, chosen, state = work.odds[end + player] / work.odds[end + n], u, ALIVE
            keep_line(game, work, turn, u)
            if above >= 0:
                most = work.up[free * n + above]
                if chance_limit(game, work, free, above, most, player, best, mark) <= mark:
                    return CUT
