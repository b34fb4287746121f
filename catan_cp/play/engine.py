"""The rules of a game of Catan, compiled: the effect of every action on the state.

A *seat* is the number of a player, from 0. The *ground* `g` never changes. It has the board's vertices, edges
and tiles, and the seats' policies. The *state* `s` has everything that changes. Both are flat tables.
`catan_cp.play.tables` defines their parts: ``s[AT.hand + 5 * p + r]`` is the number of cards of resource r in
the hand of seat p, and ``s[NOW.phase]`` is the phase. The numbers of seats, vertices,
edges and tiles are ``g[ON.size]`` to ``g[ON.size + 3]``.

Before the first turn, each seat places two *first settlements*, each with a road.

A game is a loop of two steps. The policy of the seat to decide writes an *action* into ``s[AT.act]`` and the
entries after it (`catan_cp.play.policies`). `apply` then carries out the action and sets the seat and the
*phase* of the next decision. An action may include the result of chance: a roll, or a card bought or stolen.
So a game played elsewhere can be repeated here, action by action.

The phases, and the functions that set them:

==============  =============================================  ==========================================
phase           decision                                       set by
==============  =============================================  ==========================================
settling        a first settlement                             `reset`, `_lay`
first_road      the road of a first settlement                 `_settle`
rolling         roll, or play a knight before                  `_begin_turn`, and `apply` by NOW.back
discarding      the cards to discard after a seven             `_next_discard`
robbing         the robber's tile and the seat to rob          `_next_discard`, `_play`
free_roads      a road of the road building card               `_play`
main            build, buy, play, trade or end                 `_roll`, and `_lay` or `apply` by NOW.back
building        build or end between turns at a large table    `_end`
paired          the partner's part of a turn                   `_end`, and `_lay` or `apply` by NOW.back
answering       accept or decline an offer                     `_negotiate`
over            none                                           `apply`, `_end`
==============  =============================================  ==========================================

NOW.back is the phase that follows the robber or free roads. A knight before the roll sets it to rolling.

All numbers are integers of at most 64 bits, including the state of the random number generator (`draw`). So
the same seed gives the same game on every machine, compiled or not.

A worked example: three tiles in a triangle, ore with the marker 8, grain with 5, and a desert. Seat 0 settles
vertices 2 and 4, seat 1 vertices 0 and 8. The second settlement of a seat yields a card per tile, so seat 0
gets an ore for vertex 4. Then seat 0 rolls an 8. It gets an ore for each of its vertices, and seat 1 gets an
ore for vertex 0. `act` returns the seat and the phase of the next decision:

>>> from catan_cp import Board, Layout
>>> from catan_cp.compiled import interpreted
>>> from catan_cp.play.tables import POLICY, ground_of, new_state
>>> layout = Layout("trio", (1, 2), {"desert": 1, "grain": 1, "ore": 1}, {8: 1, 5: 1})
>>> board = Board(layout, ["ore", "grain", "desert"], [8, 5, None])
>>> g, s = ground_of(board, (POLICY.greedy,) * 2), new_state()
>>> interpreted(reset)(g, s, game_words(seed=1, number=0))
>>> def act(*action):
...     s[AT.act : AT.act + len(action)] = action
...     interpreted(apply)(g, s)
...     return int(s[NOW.seat]), PHASE._fields[s[NOW.phase]]
>>> act(DO.settle, 2), act(DO.lay, layout.edges.index((2, 3)))
((0, 'first_road'), (1, 'settling'))
>>> for vertex, edge in ((0, (0, 5)), (8, (8, 9)), (4, (3, 4))):
...     decisions = act(DO.settle, vertex), act(DO.lay, layout.edges.index(edge))
>>> decisions
((0, 'first_road'), (0, 'rolling'))
>>> act(DO.roll, 8), [int(s[AT.hand + 5 * seat + 3]) for seat in (0, 1)]
((0, 'main'), [3, 1])
"""

from hashlib import blake2b
from typing import Any

from catan_cp.compiled import compiled
from catan_cp.play.tables import AT, BANK, BOOK, CARD, DO, NOW, ON, PHASE, THING

_WORD = 0xFFFFFFFF


def game_words(seed: int, number: int) -> list[int]:
    """Return the four 32-bit words that seed a game, the BLAKE2b digest of both numbers."""
    digest = blake2b(f"{seed} {number}".encode(), digest_size=16).digest()
    return [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]


@compiled
def draw(s: Any, n: Any) -> Any:
    """Return a random number from 0 to n - 1 by Marsaglia's xorshift of four words."""
    t = s[AT.random] ^ ((s[AT.random] << 11) & _WORD)
    s[AT.random], s[AT.random + 1], s[AT.random + 2] = s[AT.random + 1], s[AT.random + 2], s[AT.random + 3]
    s[AT.random + 3] = s[AT.random + 3] ^ (s[AT.random + 3] >> 19) ^ t ^ (t >> 8)
    return (s[AT.random + 3] * n) >> 32


@compiled
def reset(g: Any, s: Any, words: Any) -> Any:
    """Begin a game, with the random number generator seeded by four words."""
    for k in range(AT.score):
        s[k] = g[ON.begin + k]
    for k in range(4):
        s[AT.random + k] = words[k]
    for k in range(s[NOW.cards_left] - 1, 0, -1):
        place = draw(s, k + 1)
        s[AT.deck + k], s[AT.deck + place] = s[AT.deck + place], s[AT.deck + k]


# Queries


@compiled
def shown_points(s: Any, p: Any) -> Any:
    """Return the visible points of a seat."""
    return s[AT.built + p] + 2 * (s[NOW.road_holder] == p) + 2 * (s[NOW.army_holder] == p)


@compiled
def points(s: Any, p: Any) -> Any:
    """Return the points of a seat, hidden cards included."""
    return shown_points(s, p) + s[AT.cards + 5 * p + CARD.point]


@compiled
def hand_size(s: Any, p: Any) -> Any:
    """Return the number of resource cards of a seat."""
    total = 0
    for r in range(5):
        total += s[AT.hand + 5 * p + r]
    return total


@compiled
def reaches(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Test whether a road of the seat leads to a vertex."""
    for k in range(3 * v, 3 * v + 3):
        if g[ON.ways + k] >= 0 and s[AT.road + g[ON.ways + k]] == p:
            return True
    return False


@compiled
def can_settle(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Test whether the seat may settle on a vertex, regardless of its cards and pieces."""
    return s[AT.shut + v] == 0 and (s[NOW.phase] == PHASE.settling or reaches(g, s, p, v))


@compiled
def can_lay(g: Any, s: Any, p: Any, e: Any) -> Any:
    """Test whether the seat may build a road on an edge, regardless of cards and pieces."""
    if s[AT.road + e] >= 0:
        return False
    if s[NOW.phase] == PHASE.first_road:
        return g[ON.ends + 2 * e] == s[NOW.last] or g[ON.ends + 2 * e + 1] == s[NOW.last]
    for k in range(2 * e, 2 * e + 2):
        v = g[ON.ends + k]
        if s[AT.owner + v] == p or (s[AT.owner + v] < 0 and reaches(g, s, p, v)):
            return True
    return False


@compiled
def can_lay_any(g: Any, s: Any, p: Any) -> Any:
    """Test whether the seat has a road left and an edge for it."""
    if s[AT.left + 3 * p + THING.road] == 0:
        return False
    for e in range(g[ON.size + 2]):
        if can_lay(g, s, p, e):
            return True
    return False


@compiled
def is_shielded(g: Any, s: Any, tile: Any) -> Any:
    """Test whether the friendly robber spares a tile: a seat with few visible points has a building there."""
    if g[ON.friendly] == 1:
        for k in range(6 * tile, 6 * tile + 6):
            q = s[AT.owner + g[ON.corners + k]]
            if q >= 0 and shown_points(s, q) <= BOOK.poor:
                return True
    return False


# Effects of actions


@compiled
def _move(s: Any, giver: Any, taker: Any, r: Any, count: Any) -> Any:
    """Move cards of a resource between seats. One of them may be the bank."""
    s[AT.hand + 5 * giver + r] -= count
    s[AT.hand + 5 * taker + r] += count


@compiled
def _pay(g: Any, s: Any, p: Any, thing: Any) -> Any:
    for r in range(5):
        _move(s, p, BANK, r, g[ON.cost + 5 * thing + r])


@compiled
def _trail(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Return the length of the seat's longest trail of roads from a vertex.

    A trail uses no road twice and does not pass a building of another seat.
    """
    best = 0
    for k in range(3 * v, 3 * v + 3):
        e = g[ON.ways + k]
        if e >= 0 and s[AT.road + e] == p:
            s[AT.road + e] = -1  # marks the road as used
            far, length = g[ON.near + k], 1
            if s[AT.owner + far] < 0 or s[AT.owner + far] == p:
                length += _trail(g, s, p, far)
            s[AT.road + e] = p
            best = max(best, length)
    return best


@compiled
def measure_road(g: Any, s: Any, p: Any) -> Any:
    """Write the length of the longest road of a seat."""
    s[AT.length + p] = 0
    for k in range(2 * g[ON.size + 2]):
        if s[AT.road + k // 2] == p:
            s[AT.length + p] = max(s[AT.length + p], _trail(g, s, p, g[ON.ends + k]))


@compiled
def _most(g: Any, s: Any, part: Any, least: Any, before: Any) -> Any:
    """Return the seat with the largest entry of a part, or -1 for none.

    The entry must be at least *least*. If several seats have the largest entry, the result is *before* if it
    is one of them, otherwise -1. *before* is the result of the last call, or -1.
    """
    most, alone = least - 1, -1
    for p in range(g[ON.size]):
        if s[part + p] > most:
            most, alone = s[part + p], p
        elif s[part + p] == most:
            alone = -1
    return before if before >= 0 and s[part + before] == most >= least else alone


@compiled
def _award_road(g: Any, s: Any, p: Any) -> Any:
    """Measure the longest road of a seat and update the holder of the longest road."""
    measure_road(g, s, p)
    s[NOW.road_holder] = _most(g, s, AT.length, g[ON.least_road], s[NOW.road_holder])


@compiled
def _add_level(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Raise the building level of a vertex by 1, and add its point and pips to a seat."""
    s[AT.level + v] += 1
    s[AT.built + p] += 1
    for r in range(5):
        s[AT.output + 5 * p + r] += g[ON.yields + 5 * v + r]


@compiled
def _settle(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Build a settlement, either in the game or before its first turn.

    A new settlement may split the longest road of another seat.
    """
    before_game, is_second = s[NOW.phase] == PHASE.settling, s[NOW.placed] >= g[ON.size]
    if before_game:
        s[AT.settlements + 2 * p + is_second] = s[NOW.last] = v
        s[NOW.phase] = PHASE.first_road
    else:
        _pay(g, s, p, THING.settlement)
    _add_level(g, s, p, v)
    s[AT.owner + v] = p
    s[AT.left + 3 * p + THING.settlement] -= 1
    s[AT.shut + v] += 1
    for r in range(5):
        rate = 2 if g[ON.harbor + v] == r else 3 if g[ON.harbor + v] == BOOK.any else 4
        s[AT.rate + 5 * p + r] = min(s[AT.rate + 5 * p + r], rate)
    split_seat = -1
    for k in range(3 * v, 3 * v + 3):
        if g[ON.near + k] >= 0:
            s[AT.shut + g[ON.near + k]] += 1
            if s[AT.road + g[ON.ways + k]] not in (-1, p):
                split_seat = s[AT.road + g[ON.ways + k]]
        if before_game and is_second and g[ON.around + k] >= 0 and g[ON.kind + g[ON.around + k]] >= 0:
            _move(s, BANK, p, g[ON.kind + g[ON.around + k]], 1)
            s[AT.gained + 5 * p + g[ON.kind + g[ON.around + k]]] += 1
    if split_seat >= 0:
        _award_road(g, s, split_seat)


@compiled
def _begin_part(s: Any, p: Any, phase: Any) -> Any:
    """Begin the turn of a seat, or its part of the turn of another seat."""
    for card in range(5):
        s[AT.fresh + card] = 0
    s[NOW.card_played] = s[NOW.actions] = s[NOW.swapped] = s[NOW.offers] = 0
    s[NOW.seat] = s[NOW.active] = p
    s[NOW.phase] = phase


@compiled
def _begin_turn(s: Any, p: Any) -> Any:
    _begin_part(s, p, PHASE.rolling)
    s[NOW.turn] += 1


@compiled
def _lay(g: Any, s: Any, p: Any, e: Any) -> Any:
    """Build a road. If it is a first road or one of the road building card, set the next phase."""
    s[AT.road + e] = p
    s[AT.left + 3 * p + THING.road] -= 1
    _award_road(g, s, p)
    if s[NOW.phase] == PHASE.first_road:
        s[NOW.placed] += 1
        placed, seats = s[NOW.placed], g[ON.size]
        if placed == 2 * seats:
            _begin_turn(s, 0)
        else:
            s[NOW.seat] = placed if placed < seats else 2 * seats - 1 - placed
            s[NOW.phase] = PHASE.settling
    elif s[NOW.phase] == PHASE.free_roads:
        s[NOW.free] -= 1
        if s[NOW.free] == 0 or not can_lay_any(g, s, p):
            s[NOW.phase] = s[NOW.back]
    else:
        _pay(g, s, p, THING.road)


@compiled
def _upgrade(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Replace a settlement by a city."""
    _pay(g, s, p, THING.city)
    _add_level(g, s, p, v)
    s[AT.left + 3 * p + THING.settlement] += 1
    s[AT.left + 3 * p + THING.city] -= 1


@compiled
def _buy(g: Any, s: Any, p: Any, card: Any) -> Any:
    """Buy *card*, or the next card of the deck if it is -1."""
    _pay(g, s, p, THING.card)
    s[NOW.cards_left] -= 1
    if card < 0:
        card = s[AT.deck + s[NOW.cards_left]]
    s[AT.cards + 5 * p + card] += 1
    s[AT.fresh + card] += 1


@compiled
def _next_discard(g: Any, s: Any, first: Any) -> Any:
    """Let the next seat with too many cards discard, or else the active seat rob."""
    for p in range(first, g[ON.size]):
        if hand_size(s, p) > g[ON.hand_limit]:
            s[NOW.seat], s[NOW.phase], s[NOW.to_discard] = p, PHASE.discarding, hand_size(s, p) // 2
            return
    s[NOW.seat], s[NOW.phase] = s[NOW.active], PHASE.robbing


@compiled
def _roll(g: Any, s: Any, number: Any) -> Any:
    """Carry out a roll of *number*, or roll the dice if it is 0.

    A seven begins the discards. Any other number distributes the yield of its tiles. If the bank has too few
    cards of a resource for it, a single seat gets the rest, and several seats get none.
    """
    if number == 0:
        number = 2 + draw(s, 6) + draw(s, 6)
    s[NOW.phase], seats = PHASE.main, g[ON.size]
    if number == 7:
        s[NOW.back] = PHASE.main
        _next_discard(g, s, 0)
        return
    for k in range(5 * seats):
        s[AT.owed + k] = 0
    for tile in range(g[ON.size + 3]):
        if g[ON.number + tile] == number and tile != s[NOW.robber]:
            for k in range(6 * tile, 6 * tile + 6):
                v = g[ON.corners + k]
                if s[AT.owner + v] >= 0:
                    s[AT.owed + 5 * s[AT.owner + v] + g[ON.kind + tile]] += s[AT.level + v]
    for r in range(5):
        total, takers = 0, 0
        for p in range(seats):
            total += s[AT.owed + 5 * p + r]
            takers += s[AT.owed + 5 * p + r] > 0
        if total > s[AT.bank + r] and takers > 1:
            continue
        for p in range(seats):
            count = min(s[AT.owed + 5 * p + r], s[AT.bank + r])
            _move(s, BANK, p, r, count)
            s[AT.gained + 5 * p + r] += count


@compiled
def _rob(s: Any, p: Any, victim: Any, resource: Any) -> Any:
    """Move one card of *resource*, or a random card if it is -1."""
    if resource < 0:
        nth = draw(s, hand_size(s, victim))
        resource = 0
        while nth >= s[AT.hand + 5 * victim + resource]:
            nth -= s[AT.hand + 5 * victim + resource]
            resource += 1
    _move(s, victim, p, resource, 1)
    s[AT.robbed + victim] += 1


@compiled
def _play(g: Any, s: Any, p: Any, card: Any) -> Any:
    s[AT.cards + 5 * p + card] -= 1
    s[NOW.card_played] = 1
    if card == CARD.knight:
        s[AT.knights + p] += 1
        s[NOW.army_holder] = _most(g, s, AT.knights, BOOK.least_army, s[NOW.army_holder])
        s[NOW.back], s[NOW.phase] = s[NOW.phase], PHASE.robbing
    elif card == CARD.roads:
        s[NOW.free], s[NOW.back], s[NOW.phase] = 2, s[NOW.phase], PHASE.free_roads
    elif card == CARD.plenty:
        for k in range(2, 4):
            if s[AT.act + k] >= 0:
                _move(s, BANK, p, s[AT.act + k], 1)
    elif card == CARD.monopoly:
        for q in range(g[ON.size]):
            _move(s, q, p, s[AT.act + 2], s[AT.hand + 5 * q + s[AT.act + 2]])


@compiled
def _record_leader(s: Any, p: Any) -> Any:
    """Record the leader (-1 for none) at the end of a turn, and count changes.

    A change is counted if the leader differs from the last known leader.
    """
    if p != s[NOW.leader]:
        s[NOW.leader], s[NOW.since] = p, s[NOW.turn]
    if p >= 0:
        if s[NOW.known_leader] >= 0 and s[NOW.known_leader] != p:
            s[NOW.changes] += 1
        s[NOW.known_leader] = p


@compiled
def _record_points(g: Any, s: Any) -> Any:
    """Count all points and write them into the history of the round."""
    seats = g[ON.size]
    for p in range(seats):
        s[AT.points + p] = s[AT.history + (s[NOW.turn] - 1) // seats * seats + p] = points(s, p)


@compiled
def _end(g: Any, s: Any) -> Any:
    """End a turn or, at a large table, the part of another seat in it.

    After a turn each other seat builds, or, if players are paired, the partner has its part.
    """
    seats, after, following = g[ON.size], (s[NOW.seat] + 1) % g[ON.size], s[NOW.active] + 1
    if g[ON.paired] == 1:
        if s[NOW.phase] != PHASE.paired:
            _begin_part(s, (s[NOW.active] + BOOK.partner) % seats, PHASE.paired)
            return
        following += seats - BOOK.partner
    elif seats > BOOK.small_table and after != s[NOW.active]:
        s[NOW.seat], s[NOW.phase], s[NOW.actions] = after, PHASE.building, 0
        return
    _record_points(g, s)
    _record_leader(s, _most(g, s, AT.points, 0, s[NOW.leader]))
    if s[NOW.turn] == BOOK.most_turns:
        s[NOW.phase] = PHASE.over
    else:
        _begin_turn(s, following % seats)


@compiled
def _negotiate(s: Any, p: Any, kind: Any) -> Any:
    """Make an offer, or answer it. An accepted offer moves the cards of both seats."""
    active = s[NOW.active]
    if kind == DO.offer:
        s[NOW.gives], s[NOW.gives_count] = s[AT.act + 2], s[AT.act + 3]
        s[NOW.takes], s[NOW.takes_count] = s[AT.act + 4], s[AT.act + 5]
        s[NOW.seat], s[NOW.phase] = s[AT.act + 1], PHASE.answering
        s[NOW.offers] += 1
        return
    if kind == DO.accept:
        _move(s, active, p, s[NOW.gives], s[NOW.gives_count])
        _move(s, p, active, s[NOW.takes], s[NOW.takes_count])
        s[NOW.swapped] |= 1 << s[NOW.takes]
    s[NOW.gives] = s[NOW.gives_count] = s[NOW.takes] = s[NOW.takes_count] = 0
    s[NOW.seat], s[NOW.phase] = active, PHASE.main


@compiled
def _trade(s: Any, p: Any, kind: Any) -> Any:
    """Barter with the bank, swap a card with another seat, or negotiate.

    The entries of the action are the resource given and the resource taken, in a swap after the other seat.
    """
    if kind == DO.barter:
        rate = s[AT.act + 3] if s[AT.act + 3] > 0 else s[AT.rate + 5 * p + s[AT.act + 1]]
        _move(s, p, BANK, s[AT.act + 1], rate)
        _move(s, BANK, p, s[AT.act + 2], 1)
        s[AT.trades + 3 * p + 4 - rate] += 1
    elif kind != DO.swap:
        _negotiate(s, p, kind)
    else:
        _move(s, p, s[AT.act + 1], s[AT.act + 2], 1)
        _move(s, s[AT.act + 1], p, s[AT.act + 3], 1)
        s[NOW.swapped] |= 1 << s[AT.act + 3]


@compiled
def apply(g: Any, s: Any) -> Any:
    """Carry out the action in ``s[AT.act]``, and set the next seat and phase.

    The action must be allowed. After `BOOK.most_actions` actions the turn of a seat ends under any policy.
    """
    kind, p = s[AT.act], s[NOW.seat]
    s[NOW.actions] += 1
    if kind == DO.settle:
        _settle(g, s, p, s[AT.act + 1])
    elif kind == DO.lay:
        _lay(g, s, p, s[AT.act + 1])
    elif kind == DO.upgrade:
        _upgrade(g, s, p, s[AT.act + 1])
    elif kind == DO.buy:
        _buy(g, s, p, s[AT.act + 1])
    elif kind == DO.play:
        _play(g, s, p, s[AT.act + 1])
    elif kind in (DO.barter, DO.swap, DO.offer, DO.accept, DO.decline):
        _trade(s, p, kind)
    elif kind == DO.roll:
        _roll(g, s, s[AT.act + 1])
    elif kind == DO.discard:
        for r in range(5):
            _move(s, p, BANK, r, s[AT.act + 1 + r])
            s[NOW.to_discard] -= s[AT.act + 1 + r]
        if s[NOW.to_discard] == 0:
            _next_discard(g, s, p + 1)
    elif kind == DO.rob:
        s[NOW.robber] = s[AT.act + 1]
        if s[AT.act + 2] >= 0:
            _rob(s, p, s[AT.act + 2], s[AT.act + 3])
        s[NOW.phase] = s[NOW.back]
    else:
        _end(g, s)
    active, can_win = s[NOW.active], s[NOW.turn] > 0 and s[NOW.phase] not in (PHASE.building, PHASE.over)
    if can_win and points(s, active) >= g[ON.goal]:
        s[NOW.winner], s[NOW.phase] = active, PHASE.over
        _record_leader(s, active)
        _record_points(g, s)
    elif s[NOW.actions] >= BOOK.most_actions and s[NOW.phase] in (PHASE.main, PHASE.building, PHASE.paired):
        _end(g, s)
