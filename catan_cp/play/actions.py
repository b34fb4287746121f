"""Legal actions: each as a number for compiled functions, and as a readable tuple.

The *code* of an action is ``kind << 10 | x``. The kind is a member of `DO`, and x has at most ten bits:

- settle, upgrade: the vertex
- lay: the edge
- play: ``card << 6 | a << 3 | b + 1`` with the resources a and b of plenty (b is -1 for a single card). A
  monopoly has its resource in a
- barter: ``rate << 6 | a << 3 | b`` with the resource given and the resource taken. The rate is 0 for the
  best one
- discard: the resource of one card
- rob: ``tile << 3 | victim + 1``
- buy, roll, end, accept, decline: 0

An offer has no code, because there are too many.
"""

from functools import lru_cache
from typing import Any

from catan_cp.boards.layout import Layout
from catan_cp.compiled import compiled
from catan_cp.play.engine import apply, can_lay, can_lay_any, can_settle, hand_size, is_shielded, shown_points
from catan_cp.play.tables import AT, BOOK, CARD, DO, KINDS, NOW, ON, PHASE, THING

Action = tuple[str | int, ...]
"""An action: its name, then numbers or names of resources, as listed for `Game.legal_actions`."""


@compiled
def can_pay(g: Any, s: Any, p: Any, thing: Any) -> Any:
    """Test whether a seat has the cards that a thing costs."""
    for r in range(5):
        if s[AT.hand + 5 * p + r] < g[ON.cost + 5 * thing + r]:
            return False
    return True


@compiled
def can_play(s: Any, p: Any, card: Any) -> Any:
    """Test whether the seat may play a development card of this kind.

    It may if it has played none in this turn and has one that it did not buy in this turn.
    """
    return s[NOW.card_played] == 0 and s[AT.cards + 5 * p + card] > s[AT.fresh + card]


@compiled
def _reaches(g: Any, s: Any, tile: Any) -> Any:
    """Test whether the robber may go from its tile to another one."""
    if tile == s[NOW.robber] or (g[ON.kind + tile] >= 0 and is_shielded(g, s, tile)):
        return False
    if g[ON.robber_steps] == 0:
        return True
    for k in range(6 * tile, 6 * tile + 6):
        for j in range(3 * g[ON.corners + k], 3 * g[ON.corners + k] + 3):
            if g[ON.around + j] == s[NOW.robber]:
                return True
    return False


@compiled
def _is_open(g: Any, s: Any, tile: Any) -> Any:
    """Test whether the robber may go to a tile, by variants of its rules. A friendly one stays if it must."""
    if tile != s[NOW.robber] or g[ON.friendly] == 0:
        return _reaches(g, s, tile)
    for target in range(g[ON.size + 3]):
        if _reaches(g, s, target):
            return False
    return True


@compiled
def can_rob(g: Any, s: Any, p: Any, tile: Any, victim: Any) -> Any:
    """Test whether the robber may go to a tile and rob a seat.

    The seat -1 means that no seat is robbed. It is legal only if no seat at the tile can be robbed. The
    robber may stay only if it is friendly and has no other tile.
    """
    has_variant = g[ON.friendly] + g[ON.robber_steps] > 0
    if tile == s[NOW.robber] if not has_variant else not _is_open(g, s, tile):
        return False
    has_victim = False
    for k in range(6 * tile, 6 * tile + 6):
        q = s[AT.owner + g[ON.corners + k]]
        spared = g[ON.friendly] == 1 and q >= 0 and shown_points(s, q) <= BOOK.poor
        if q >= 0 and q != p and hand_size(s, q) > 0 and not spared:
            has_victim = True
            if q == victim:
                return True
    return victim < 0 and not has_victim


# Lists of legal actions


@compiled
def _put(s: Any, n: Any, kind: Any, x: Any) -> Any:
    s[AT.score + n] = kind << 10 | x
    return n + 1


@compiled
def _list_cards(g: Any, s: Any, p: Any, n: Any) -> Any:
    if can_play(s, p, CARD.knight):
        n = _put(s, n, DO.play, CARD.knight << 6)
    if can_play(s, p, CARD.roads) and can_lay_any(g, s, p):
        n = _put(s, n, DO.play, CARD.roads << 6)
    supply = 0
    for r in range(5):
        supply += s[AT.bank + r]
    for r in range(5):
        if can_play(s, p, CARD.monopoly):
            n = _put(s, n, DO.play, CARD.monopoly << 6 | r << 3)
        if can_play(s, p, CARD.plenty) and s[AT.bank + r] > 0:
            if supply == 1:
                n = _put(s, n, DO.play, CARD.plenty << 6 | r << 3)
            for r2 in range(r, 5):
                if s[AT.bank + r2] > (r2 == r):
                    n = _put(s, n, DO.play, CARD.plenty << 6 | r << 3 | r2 + 1)
    return n


@compiled
def _list_robber(g: Any, s: Any, p: Any, n: Any) -> Any:
    for tile in range(g[ON.size + 3]):
        for victim in range(-1, g[ON.size]):
            if can_rob(g, s, p, tile, victim):
                n = _put(s, n, DO.rob, tile << 3 | victim + 1)
    return n


@compiled
def _list_worse_trades(g: Any, s: Any, p: Any, n: Any) -> Any:
    """List trades with the bank at 4:1, and at 3:1 with a harbor for it, if the best rate is better."""
    has_harbor = False
    for v in range(g[ON.size + 1]):
        has_harbor = has_harbor or (s[AT.owner + v] == p and g[ON.harbor + v] == BOOK.any)
    for at in range(25):
        r, r2 = at // 5, at % 5
        for rate in (3, 4):
            fits = s[AT.rate + 5 * p + r] < rate <= s[AT.hand + 5 * p + r] and (rate == 4 or has_harbor)
            if fits and r2 != r and s[AT.bank + r2] > 0:
                n = _put(s, n, DO.barter, rate << 6 | r << 3 | r2)
    return n


@compiled
def _list_trades(g: Any, s: Any, p: Any, n: Any) -> Any:
    for r in range(5):
        if s[AT.hand + 5 * p + r] >= s[AT.rate + 5 * p + r]:
            for r2 in range(5):
                if r2 != r and s[AT.bank + r2] > 0:
                    n = _put(s, n, DO.barter, r << 3 | r2)
    return _list_worse_trades(g, s, p, n) if g[ON.any_rate] == 1 else n


@compiled
def _list_building(g: Any, s: Any, p: Any, n: Any) -> Any:
    """List everything that the seat can build or buy, with its cards or for free."""
    phase, pieces = s[NOW.phase], AT.left + 3 * p
    pays = phase in (PHASE.main, PHASE.building, PHASE.paired)
    lays = phase != PHASE.settling
    if pays:
        lays = s[pieces + THING.road] > 0 and can_pay(g, s, p, THING.road)
    if lays:
        for e in range(g[ON.size + 2]):
            if can_lay(g, s, p, e):
                n = _put(s, n, DO.lay, e)
    settles = s[pieces + THING.settlement] > 0 and can_pay(g, s, p, THING.settlement)
    settles = settles if pays else phase == PHASE.settling
    raises = pays and s[pieces + THING.city] > 0 and can_pay(g, s, p, THING.city)
    if settles or raises:
        for v in range(g[ON.size + 1]):
            if settles and can_settle(g, s, p, v):
                n = _put(s, n, DO.settle, v)
            if raises and s[AT.owner + v] == p and s[AT.level + v] == 1:
                n = _put(s, n, DO.upgrade, v)
    if pays and s[NOW.cards_left] > 0 and can_pay(g, s, p, THING.card):
        n = _put(s, n, DO.buy, 0)
    return n


@compiled
def list_legal(g: Any, s: Any) -> Any:
    """Write the codes of all legal actions into ``AT.score``, and return their number.

    Swaps with other seats and offers are not among them. Discards are listed card by card.
    """
    p, phase, n = s[NOW.seat], s[NOW.phase], 0
    if phase == PHASE.discarding:
        for r in range(5):
            if s[AT.hand + 5 * p + r] > 0:
                n = _put(s, n, DO.discard, r)
    elif phase == PHASE.rolling:
        n = _list_cards(g, s, p, _put(s, n, DO.roll, 0))
    elif phase == PHASE.robbing:
        n = _list_robber(g, s, p, n)
    elif phase == PHASE.answering:
        if s[AT.hand + 5 * p + s[NOW.takes]] >= s[NOW.takes_count]:
            n = _put(s, n, DO.accept, 0)
        n = _put(s, n, DO.decline, 0)
    elif phase != PHASE.over:
        if phase in (PHASE.main, PHASE.building, PHASE.paired):
            n = _put(s, n, DO.end, 0)
        n = _list_building(g, s, p, n)
        if phase in (PHASE.main, PHASE.paired):
            n = _list_trades(g, s, p, _list_cards(g, s, p, n))
    return n


@compiled
def decode(s: Any, code: Any) -> Any:
    """Write the action of a code into ``AT.act``."""
    kind, x = code >> 10, code & 1023
    for k in range(6):
        s[AT.act + k] = 0
    s[AT.act] = kind
    if kind == DO.discard:
        s[AT.act + 1 + x] = 1
    elif kind == DO.rob:
        s[AT.act + 1], s[AT.act + 2], s[AT.act + 3] = x >> 3, (x & 7) - 1, -1
    elif kind == DO.play:
        s[AT.act + 1], s[AT.act + 2] = x >> 6, x >> 3 & 7
        s[AT.act + 3] = (x & 7) - 1 if x >> 6 == CARD.plenty else 0
    elif kind == DO.barter:
        s[AT.act + 1], s[AT.act + 2], s[AT.act + 3] = x >> 3 & 7, x & 7, x >> 6
    else:
        s[AT.act + 1] = -1 if kind == DO.buy else x


@compiled
def choose(g: Any, s: Any, code: Any) -> Any:
    """Carry out the action of a code if it is legal.

    Returns:
        True if it was legal.
    """
    for k in range(list_legal(g, s)):
        if s[AT.score + k] == code:
            decode(s, code)
            apply(g, s)
            return True
    return False


@compiled
def _encode(g: Any, s: Any) -> Any:
    """Return the code of the action in ``AT.act``, or another number if there is no such action."""
    kind, a, b, c = s[AT.act], s[AT.act + 1], s[AT.act + 2], s[AT.act + 3]
    if kind == DO.play:
        if a == CARD.plenty:
            return (
                kind << 10 | a << 6 | (min(b, c) << 3 | max(b, c) + 1 if min(b, c) >= 0 else max(b, c) << 3)
            )
        return kind << 10 | a << 6 | (b << 3 if a == CARD.monopoly else 0)
    if kind == DO.barter:
        return kind << 10 | (c << 6 if g[ON.any_rate] == 1 else 0) | a << 3 | b
    if kind == DO.rob:
        return kind << 10 | a << 3 | b + 1
    return kind << 10 | (a if kind <= DO.upgrade else 0)


@compiled
def can_offer(g: Any, s: Any) -> Any:
    """Test whether the active seat may make the offer in ``AT.act``.

    The cards that the other seat has are hidden, so it may lack them.
    """
    p, q, give, take = s[NOW.seat], s[AT.act + 1], s[AT.act + 2], s[AT.act + 4]
    if s[NOW.phase] != PHASE.main or s[NOW.offers] >= g[ON.offers] or q == p or not 0 <= q < g[ON.size]:
        return False
    if give == take or not (0 <= give < 5 and 0 <= take < 5):
        return False
    return 1 <= s[AT.act + 3] <= s[AT.hand + 5 * p + give] and 1 <= s[AT.act + 5] <= hand_size(s, q)


@compiled
def take(g: Any, s: Any) -> Any:
    """Carry out the action in ``AT.act`` if it is legal. Chance decides rolls and random cards.

    Returns:
        True if it was legal.
    """
    if s[AT.act] == DO.offer:
        is_legal = can_offer(g, s)
        if is_legal:
            apply(g, s)
        return is_legal
    if s[NOW.phase] != PHASE.discarding:
        return choose(g, s, _encode(g, s))
    total, is_legal = 0, s[AT.act] == DO.discard
    for r in range(5):
        count = s[AT.act + 1 + r]
        total += count
        is_legal = is_legal and 0 <= count <= s[AT.hand + 5 * s[NOW.seat] + r]
    if is_legal and 1 <= total <= s[NOW.to_discard]:
        apply(g, s)
        return True
    return False


@lru_cache(maxsize=64)
def action_table(
    layout: Layout, seats: int, any_rate: bool = False
) -> tuple[dict[int, Action], dict[Action, int]]:
    """Return all actions of games on a layout by code, in ascending order, and their codes by action."""
    pairs = [(a, b) for a in range(5) for b in range(5)]
    table: dict[int, Action] = {DO.settle << 10 | v: ("settle", v) for v in range(layout.n_vertices)}
    table |= {DO.lay << 10 | e: ("road", *ends) for e, ends in enumerate(layout.edges)}
    table |= {DO.upgrade << 10 | v: ("city", v) for v in range(layout.n_vertices)}
    table |= {DO.buy << 10: ("buy",), DO.play << 10 | CARD.knight << 6: ("knight",)}
    table |= {DO.play << 10 | CARD.roads << 6: ("roads",), DO.roll << 10: ("roll",), DO.end << 10: ("end",)}
    table |= {DO.accept << 10: ("accept",), DO.decline << 10: ("decline",)}
    for a, name in enumerate(KINDS):
        table[DO.play << 10 | CARD.monopoly << 6 | a << 3] = ("monopoly", name)
        table[DO.play << 10 | CARD.plenty << 6 | a << 3] = ("plenty", name)
        table[DO.discard << 10 | a] = ("discard", name)
    for a, b in pairs:
        if a <= b:
            table[DO.play << 10 | CARD.plenty << 6 | a << 3 | b + 1] = ("plenty", KINDS[a], KINDS[b])
        if a != b:
            table[DO.barter << 10 | a << 3 | b] = ("trade", KINDS[a], KINDS[b])
            for rate in (3, 4) if any_rate else ():
                table[DO.barter << 10 | rate << 6 | a << 3 | b] = ("trade", KINDS[a], KINDS[b], rate)
    for tile in range(layout.n_tiles):
        table[DO.rob << 10 | tile << 3] = ("rob", tile)
        table |= {DO.rob << 10 | tile << 3 | seat: ("rob", tile, seat) for seat in range(1, seats + 1)}
    table = dict(sorted(table.items()))
    return table, {action: code for code, action in table.items()}
