"""The policies of the simulated players, boundedly rational and compiled.

A policy is a compiled function that writes the action of the seat to decide into ``s[AT.act]``. It returns
nothing. `decide` calls the policy of the seat:

- `weighted` chooses at random. A city has the weight 10,000, a settlement 1,000, a development card 100 and
  any other action 1.
- `greedy` pursues the goal whose gain is largest after a reduction for its wait. Goals are a city, a
  settlement, a road towards a settlement, and a development card. The gain of a city or settlement is a point
  plus the pips that it adds. The gain of a road is a part of the gain of the best settlement that it leads
  to. The gain of a card is a fixed weight. The wait is the time until production and trades supply the
  missing cards. Trades, cards and discards serve the goal. The robber goes to the tile that costs the leading
  rivals most.
- `trader` is greedy and also swaps cards one for one with other traders. Both seats must need for their goals
  the card that they get, and must not need the card that they give. No seat swaps if either is close to
  winning. In one turn a seat never gives a resource that it has taken in a swap, so no swap is undone. It
  accepts an offer of a function on the same conditions. No other policy accepts an offer.
- `expert` is greedy with weights learned from games (`EXPERT`). The weights rate resources, harbors, points
  and waits by their effect on wins. An expert also pursues the longest road and the largest army.

No policy looks at hidden cards of other seats. Chance decides among equal choices, not the seat number.

Flags and scratch parts of the state:

- ``NOW.phase``: the decision to make, written by `engine.apply`, read by all policies.
- ``NOW.card_played``: 1 after a development card was played in this turn, written by `engine.apply`, read by
  `can_play`.
- ``NOW.swapped``: the resources taken in swaps of this turn, written by `engine.apply`, read by `can_swap`.
- ``AT.goal``: the worth of each goal, written by `_aim`, read by `_build_beside`.
- ``AT.score``: the score of each choice, written by every function that compares choices, read by `_pick`
  directly afterwards.
- ``AT.act``: the action, written by `_do`, read by `engine.apply`.

A worked example: three tiles in a triangle, ore with 5 pips, grain with 4, and a desert. A seat has one
settlement on ore, one on grain, two cards of each, and no free vertex in reach. The weights are 100 times
`GREEDY`: 4,000 for a pip, 16,000 for a point or a card, and a patience of 8 rolls. The seat produces no wool.
It expects half of its 9 / 4 pips of trades for it, which is 1.125 pips. The better goal is the city:

====  ==========================  ================================  ======================================
goal  gain                        wait                              worth
====  ==========================  ================================  ======================================
city  16,000 + 5 * 4,000          36 / 5 = 7.2 rolls for one ore    36,000 / (1 + 7.2 / 8) = 18,947
card  16,000                      36 / 1.125 = 32 rolls for a wool  16,000 / (1 + 32 / 8) = 3,200
====  ==========================  ================================  ======================================

>>> from catan_cp import Board, Layout
>>> from catan_cp.compiled import interpreted
>>> from catan_cp.play.engine import apply, game_words, reset
>>> from catan_cp.play.tables import ground_of, new_state
>>> layout = Layout("trio", (1, 2), {"desert": 1, "grain": 1, "ore": 1}, {8: 1, 5: 1})
>>> board = Board(layout, ["ore", "grain", "desert"], [8, 5, None])
>>> g, s = ground_of(board, (POLICY.greedy,) * 2), new_state()
>>> interpreted(reset)(g, s, game_words(seed=1, number=0))
>>> for vertex, edge in ((2, (2, 3)), (0, (0, 5)), (8, (8, 9)), (4, (3, 4))):
...     for action in ((DO.settle, vertex), (DO.lay, layout.edges.index(edge))):
...         s[AT.act : AT.act + 2] = action
...         interpreted(apply)(g, s)
>>> s[AT.hand + 5 : AT.hand + 10] = 0, 2, 0, 2, 0  # brick, grain, wool, ore and lumber of seat 1
>>> [float(interpreted(_wait)(g, s, 1, thing)) for thing in (THING.city, THING.card)]
[7.2, 32.0]
>>> THING._fields[interpreted(_aim)(g, s, 1)]
'city'
>>> [int(s[AT.goal + thing]) for thing in (THING.city, THING.card)]
[18947, 3200]

The functions are compiled with short parameter names: `g` is the ground, `s` the state, `p` a seat, `r` a
resource, `v` a vertex and `e` an edge.
"""

from typing import Any

from catan_cp.compiled import compiled
from catan_cp.play.actions import can_pay, can_play, can_rob, decode, list_legal
from catan_cp.play.engine import can_lay, can_lay_any, can_settle, draw, hand_size, measure_road, shown_points
from catan_cp.play.tables import AT, BOOK, CARD, DO, NOW, ON, PHASE, POLICY, THING, WEIGHT

POLICIES: tuple[str, ...] = POLICY._fields
"""The names of the policies."""

NEARLY = 2
"""No seat swaps with a seat that lacks at most this many points."""

_NONE = -1_000_000


@compiled
def can_swap(s: Any, give: Any) -> Any:
    """Test whether the seat may give a resource in a swap.

    It may if it has taken none of it in a swap of this turn. So no swap is undone, and each swap leaves fewer
    cards that the seat may still give.
    """
    return s[NOW.swapped] >> give & 1 == 0


@compiled
def _do(s: Any, kind: Any, a: Any, b: Any, c: Any) -> Any:
    s[AT.act], s[AT.act + 1], s[AT.act + 2], s[AT.act + 3], s[AT.act + 4], s[AT.act + 5] = kind, a, b, c, 0, 0


@compiled
def _pick(s: Any, start: Any, n: Any) -> Any:
    """Return the index of the greatest of n scores, at random among equals.

    The result is -1 if all scores are `_NONE`.
    """
    best, index, equals = _NONE, -1, 0
    for k in range(n):
        if s[start + k] > best:
            best, index, equals = s[start + k], k, 1
        elif s[start + k] == best and index >= 0:
            equals += 1
            if draw(s, equals) == 0:
                index = k
    return index


# Random actions


@compiled
def _discard_by_chance(s: Any, p: Any) -> Any:
    held = hand_size(s, p)
    to_discard = s[NOW.to_discard]
    _do(s, DO.discard, 0, 0, 0)
    for k in range(5 * p, 5 * p + 5):  # each card is discarded with probability to_discard / held
        for _ in range(s[AT.hand + k]):
            if draw(s, held) < to_discard:
                s[AT.act + 1 + k - 5 * p] += 1
                to_discard -= 1
            held -= 1


@compiled
def weighted(g: Any, s: Any) -> Any:
    """Choose a random legal action, with large weights for building."""
    p, phase, total, code = s[NOW.seat], s[NOW.phase], 0, 0
    if phase == PHASE.discarding:
        _discard_by_chance(s, p)
        return
    if phase == PHASE.answering:
        _do(s, DO.decline, 0, 0, 0)
        return
    for k in range(list_legal(g, s)):
        kind, x = s[AT.score + k] >> 10, s[AT.score + k] & 1023
        if kind == DO.play and phase == PHASE.rolling and x >> 6 != CARD.knight:
            continue
        weight = 10_000 if kind == DO.upgrade else 1000 if kind == DO.settle else 100 if kind == DO.buy else 1
        total += weight
        if draw(s, total) < weight:  # in the end, each action has been chosen in proportion to its weight
            code = s[AT.score + k]
    decode(s, code)


# The worth of things to a seat, in pips


@compiled
def _weight(g: Any, p: Any, number: Any) -> Any:
    """Return a weight of the seat's policy, by its number in `WEIGHT`."""
    return g[ON.weights + len(WEIGHT) * p + number]


@compiled
def _worth(g: Any, s: Any, p: Any, v: Any) -> Any:
    """Return the worth of a vertex: its pips, new resources and its harbor."""
    total, trade = g[ON.worth + BOOK.most_seats * v + p], g[ON.harbor + v]
    for r in range(5):
        if g[ON.yields + 5 * v + r] > 0 and s[AT.output + 5 * p + r] == 0:
            total += _weight(g, p, WEIGHT.any_brick + r)
    if trade >= 0:
        total += _weight(g, p, WEIGHT.harbor)
    if 0 <= trade < BOOK.any:
        traded = g[ON.yields + 5 * v + trade] + s[AT.output + 5 * p + trade]
        total += traded * _weight(g, p, WEIGHT.own_harbor)
    return total


@compiled
def _road_worth(g: Any, s: Any, p: Any, e: Any) -> Any:
    """Return the worth of a road.

    It is half of the worth of the best free vertex at its ends, or a quarter if the vertex is one edge
    further. Half of the weight of a point is added if there is such a vertex.
    """
    best = 0
    for k in range(2 * e, 2 * e + 2):
        end = g[ON.ends + k]
        if s[AT.shut + end] == 0:
            best = max(best, _worth(g, s, p, end) // 2)
        if s[AT.owner + end] in (-1, p):
            for j in range(3 * end, 3 * end + 3):
                far = g[ON.near + j]
                if far >= 0 and s[AT.shut + far] == 0 and s[AT.road + g[ON.ways + j]] < 0:
                    best = max(best, _worth(g, s, p, far) // 4)
    return best + (best > 0) * (_weight(g, p, WEIGHT.point) // 2)


@compiled
def _award(g: Any, s: Any, p: Any, army: Any) -> Any:
    """Return the worth of a step towards the longest road or largest army.

    It is the weight of the award divided by the number of missing steps. It is 0 for the holder of the award,
    and if more than three steps are missing.
    """
    part, least = (AT.knights, BOOK.least_army) if army else (AT.length, g[ON.least_road])
    holder = s[NOW.road_holder + army]
    lacks = max(least, s[part + holder] + 1 if holder >= 0 else 0) - s[part + p]
    return _weight(g, p, WEIGHT.longest_road + army) // lacks if holder != p and 0 < lacks <= 3 else 0


@compiled
def _lengthens(g: Any, s: Any, p: Any, e: Any) -> Any:
    """Test whether a road on an edge extends the longest road of the seat."""
    length, s[AT.road + e] = s[AT.length + p], p
    measure_road(g, s, p)
    longer = s[AT.length + p] > length
    s[AT.road + e], s[AT.length + p] = -1, length
    return longer


@compiled
def _score_places(g: Any, s: Any, p: Any, thing: Any) -> Any:
    """Write the worth of each place for a thing to ``AT.score``. Return the largest."""
    most, point = _NONE, _weight(g, p, WEIGHT.point)
    award = _award(g, s, p, 0) if thing == THING.road else 0
    for k in range(g[ON.size + 1 + (thing == THING.road)]):
        score = _NONE
        if thing == THING.road:
            if can_lay(g, s, p, k):
                score = _road_worth(g, s, p, k)
                if award > 0 and _lengthens(g, s, p, k):
                    score += award
        elif thing == THING.settlement:
            if can_settle(g, s, p, k):
                score = point + _worth(g, s, p, k)
        elif s[AT.owner + k] == p and s[AT.level + k] == 1:
            score = point + g[ON.worth + BOOK.most_seats * k + p]
        s[AT.score + k] = score
        most = max(most, score)
    return most


@compiled
def _lacks(g: Any, s: Any, p: Any, goal: Any, r: Any) -> Any:
    """Return the number of cards of a resource that a seat lacks for a goal.

    It is negative for spare cards.
    """
    return g[ON.cost + 5 * goal + r] - s[AT.hand + 5 * p + r]


@compiled
def _wait(g: Any, s: Any, p: Any, thing: Any) -> Any:
    """Return an estimate of the number of rolls until a seat can pay for a thing.

    Each missing card comes from a tile or from trades of surplus cards. The estimate assumes that half of the
    production is available for trades. The wait for a card is at most 1,000 rolls (36 / 0.036).
    """
    spare, traded, missing = 0, 0.0, 0
    for r in range(5):
        lacks, rate = _lacks(g, s, p, thing, r), s[AT.rate + 5 * p + r]
        spare += max(0, -lacks) // rate
        missing += max(0, lacks)
        traded += s[AT.output + 5 * p + r] / rate
    if spare >= missing:
        return 0.0
    longest = 0.0
    for r in range(5):
        lacks = _lacks(g, s, p, thing, r)
        if lacks > 0:
            longest = max(longest, 36.0 * lacks / max(1.0 * s[AT.output + 5 * p + r], 0.5 * traded, 0.036))
    return longest * (1.0 - spare / missing)


@compiled
def _aim(g: Any, s: Any, p: Any) -> Any:
    """Write the worth of each goal, its gain reduced for its wait, into ``AT.goal``.

    Returns:
        The best goal, or `THING.nothing`.
    """
    pieces = AT.left + 3 * p
    for thing in (THING.settlement, THING.city, THING.road, THING.card):
        gain, s[AT.goal + thing] = _NONE, _NONE
        if thing == THING.card:
            if s[NOW.cards_left] > 0:
                gain = _weight(g, p, WEIGHT.card) + _award(g, s, p, 1)
        elif s[pieces + thing] > 0:
            # A road is a goal if a settlement has no place yet, or if it brings the longest road closer.
            needs_place = s[pieces + THING.settlement] > 0 and s[AT.goal + THING.settlement] < 0
            if thing != THING.road or needs_place or _award(g, s, p, 0) > 0:
                gain = _score_places(g, s, p, thing)
        if gain > 0:
            patience = _weight(g, p, WEIGHT.patience) / 1000.0
            s[AT.goal + thing] = int(1.0 * gain / (1.0 + _wait(g, s, p, thing) / patience))
    best = _pick(s, AT.goal, 4)
    return best if best >= 0 else THING.nothing


# Greedy decisions


@compiled
def _road_to_best(g: Any, s: Any, p: Any) -> Any:
    """Build the road of a first settlement towards the best free vertex two roads away.

    The best vertex has most pips.
    """
    for k in range(3):
        s[AT.score + k] = _NONE
        end = g[ON.near + 3 * s[NOW.last] + k]
        if end >= 0:
            s[AT.score + k] = -1
            for j in range(3 * end, 3 * end + 3):
                if g[ON.near + j] >= 0 and s[AT.shut + g[ON.near + j]] == 0:
                    s[AT.score + k] = max(s[AT.score + k], g[ON.pips + g[ON.near + j]])
    _do(s, DO.lay, g[ON.ways + 3 * s[NOW.last] + _pick(s, AT.score, 3)], 0, 0)


@compiled
def _build_best(g: Any, s: Any, p: Any, thing: Any) -> Any:
    if thing == THING.card:
        _do(s, DO.buy, -1, 0, 0)
    else:
        _score_places(g, s, p, thing)
        kind = DO.lay if thing == THING.road else DO.settle if thing == THING.settlement else DO.upgrade
        _do(s, kind, _pick(s, AT.score, g[ON.size + 1 + (thing == THING.road)]), 0, 0)


@compiled
def _discard_spare(g: Any, s: Any, p: Any) -> Any:
    """Discard cards that the goal does not need, most from the largest surplus."""
    goal = _aim(g, s, p)
    _do(s, DO.discard, 0, 0, 0)
    for _ in range(s[NOW.to_discard]):
        for r in range(5):
            remaining = s[AT.hand + 5 * p + r] - s[AT.act + 1 + r]
            s[AT.score + r] = remaining - g[ON.cost + 5 * goal + r] if remaining > 0 else _NONE
        s[AT.act + 1 + _pick(s, AT.score, 5)] += 1


@compiled
def _rob_leaders(g: Any, s: Any, p: Any) -> Any:
    seats = g[ON.size]
    for tile in range(g[ON.size + 3]):
        cost, number = 0, g[ON.number + tile]
        for k in range(6 * tile, 6 * tile + 6):
            v = g[ON.corners + k]
            if s[AT.owner + v] >= 0:
                loss = -20 if s[AT.owner + v] == p else shown_points(s, s[AT.owner + v])
                cost += s[AT.level + v] * loss * (6 - abs(7 - number) if number > 0 else 0)
        for victim in range(-1, seats):
            at = tile * (seats + 1) + victim + 1
            s[AT.score + at] = _NONE
            if can_rob(g, s, p, tile, victim):
                s[AT.score + at] = cost + (shown_points(s, victim) if victim >= 0 else 0)
    at = _pick(s, AT.score, g[ON.size + 3] * (seats + 1))
    _do(s, DO.rob, at // (seats + 1), at % (seats + 1) - 1, -1)


@compiled
def _is_robbed(g: Any, s: Any, p: Any) -> Any:
    """Test whether the robber is on a tile of the seat.

    A knight before the roll is then useful.
    """
    for k in range(6):
        if s[AT.owner + g[ON.corners + 6 * s[NOW.robber] + k]] == p:
            return True
    return False


@compiled
def _play_for(g: Any, s: Any, p: Any, goal: Any) -> Any:
    """Play a development card other than a knight if possible.

    Returns:
        True if a card was played.
    """
    if can_play(s, p, CARD.plenty):
        for r in range(5):
            s[AT.score + r] = max(0, _lacks(g, s, p, goal, r)) if s[AT.bank + r] > 0 else _NONE
        first = _pick(s, AT.score, 5)
        if first >= 0:
            s[AT.score + first] = max(0, s[AT.score + first] - 1) if s[AT.bank + first] > 1 else _NONE
            _do(s, DO.play, CARD.plenty, first, _pick(s, AT.score, 5))
            return True
    if can_play(s, p, CARD.monopoly):
        for r in range(5):
            s[AT.score + r] = 1000 * (_lacks(g, s, p, goal, r) > 0)
            for q in range(g[ON.size]):
                if q != p:
                    s[AT.score + r] += s[AT.output + 5 * q + r]
        _do(s, DO.play, CARD.monopoly, _pick(s, AT.score, 5), 0)
        return True
    if can_play(s, p, CARD.roads) and can_lay_any(g, s, p):
        _do(s, DO.play, CARD.roads, 0, 0)
        return True
    return False


@compiled
def _barter_for(g: Any, s: Any, p: Any, goal: Any) -> Any:
    """Trade spare cards with the bank for a missing card if possible.

    The number 5 * (resource given) + (resource taken) stands for a pair of resources.

    Returns:
        True if a trade was made.
    """
    for at in range(25):
        rate = s[AT.rate + 5 * p + at // 5]
        surplus = -_lacks(g, s, p, goal, at // 5) - rate
        fits = surplus >= 0 and s[AT.bank + at % 5] > 0 and _lacks(g, s, p, goal, at % 5) > 0
        s[AT.score + at] = 10 * surplus - rate if fits else _NONE
    at = _pick(s, AT.score, 25)
    if at >= 0:
        _do(s, DO.barter, at // 5, at % 5, 0)
    return at >= 0


@compiled
def _swap_for(g: Any, s: Any, p: Any, goal: Any) -> Any:
    """Swap a card with another trader if it serves both goals.

    Returns:
        True if a swap was made.
    """
    if shown_points(s, p) >= g[ON.goal] - NEARLY:
        return False
    seats = g[ON.size]
    first = draw(s, seats)
    for k in range(seats):
        q = (first + k) % seats
        if q == p or g[ON.policy + q] != POLICY.trader or shown_points(s, q) >= g[ON.goal] - NEARLY:
            continue
        q_goal = _aim(g, s, q)
        for at in range(25):
            give, get = at // 5, at % 5
            helps = can_swap(s, give) and _lacks(g, s, p, goal, give) < 0 < _lacks(g, s, p, goal, get)
            suits = _lacks(g, s, q, q_goal, get) < 0 < _lacks(g, s, q, q_goal, give)
            s[AT.score + at] = -_lacks(g, s, p, goal, give) if helps and suits else _NONE
        at = _pick(s, AT.score, 25)
        if at >= 0:
            _do(s, DO.swap, q, at // 5, at % 5)
            return True
    return False


@compiled
def _answer(g: Any, s: Any, p: Any) -> Any:
    """Accept an offer by the rules of a swap, if it gives at least as many cards as it takes.

    Only traders accept offers.
    """
    suits = g[ON.policy + p] == POLICY.trader and s[NOW.takes_count] <= s[NOW.gives_count]
    if suits and max(shown_points(s, p), shown_points(s, s[NOW.active])) < g[ON.goal] - NEARLY:
        goal = _aim(g, s, p)
        spare = -_lacks(g, s, p, goal, s[NOW.takes])
        suits = _lacks(g, s, p, goal, s[NOW.gives]) > 0 and spare >= s[NOW.takes_count]
    else:
        suits = False
    _do(s, DO.accept if suits else DO.decline, 0, 0, 0)


@compiled
def _build_beside(g: Any, s: Any, p: Any, goal: Any) -> Any:
    """Build another thing if the goal does not need its cards, or the hand is too large.

    Returns:
        True if a thing was built.
    """
    _aim(g, s, p)
    s[AT.goal + goal] = _NONE
    for _ in range(3):  # the other three of four things
        thing = _pick(s, AT.goal, 4)
        if thing < 0:
            return False
        fits = can_pay(g, s, p, thing)
        if fits and hand_size(s, p) <= g[ON.hand_limit]:
            for r in range(5):
                fits = fits and -_lacks(g, s, p, goal, r) >= g[ON.cost + 5 * thing + r]
        if fits:
            _build_best(g, s, p, thing)
            return True
        s[AT.goal + thing] = _NONE
    return False


@compiled
def _turn(g: Any, s: Any, p: Any) -> Any:
    """Decide in the seat's turn, or in the building between turns at a large table."""
    is_turn = s[NOW.phase] != PHASE.building
    if is_turn and can_play(s, p, CARD.knight):
        _do(s, DO.play, CARD.knight, 0, 0)
        return
    goal = _aim(g, s, p)
    if goal != THING.nothing and can_pay(g, s, p, goal):
        _build_best(g, s, p, goal)
        return
    acts = is_turn and (
        _play_for(g, s, p, goal)
        or (g[ON.policy + p] == POLICY.trader and s[NOW.phase] == PHASE.main and _swap_for(g, s, p, goal))
        or _barter_for(g, s, p, goal)
    )
    if not acts and (goal == THING.nothing or not _build_beside(g, s, p, goal)):
        _do(s, DO.end, 0, 0, 0)


@compiled
def greedy(g: Any, s: Any) -> Any:
    """Write the action of a greedy seat, a trader or an expert."""
    p, phase = s[NOW.seat], s[NOW.phase]
    if phase == PHASE.settling:
        _build_best(g, s, p, THING.settlement)
    elif phase == PHASE.first_road:
        _road_to_best(g, s, p)
    elif phase == PHASE.rolling:
        if can_play(s, p, CARD.knight) and _is_robbed(g, s, p):
            _do(s, DO.play, CARD.knight, 0, 0)
        else:
            _do(s, DO.roll, 0, 0, 0)
    elif phase == PHASE.discarding:
        _discard_spare(g, s, p)
    elif phase == PHASE.robbing:
        _rob_leaders(g, s, p)
    elif phase == PHASE.free_roads:
        _build_best(g, s, p, THING.road)
    elif phase == PHASE.answering:
        _answer(g, s, p)
    else:
        _turn(g, s, p)


@compiled
def decide(g: Any, s: Any) -> Any:
    """Write the action of the seat to decide, by its policy."""
    if g[ON.policy + s[NOW.seat]] == POLICY.weighted:
        weighted(g, s)
    else:
        greedy(g, s)
