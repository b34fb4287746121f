"""Games of random legal actions: cards and pieces are conserved, and `Game` has the same actions."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board
from catan_cp.compiled import table
from catan_cp.play import Game, GameRules
from catan_cp.play.actions import can_pay, can_play, can_rob
from catan_cp.play.engine import apply, can_lay, can_lay_any, can_settle, game_words, points, reset
from catan_cp.play.tables import (
    AT,
    BASE_GAME,
    BOOK,
    CARD,
    DECK,
    DO,
    KINDS,
    LARGE_DECK,
    LARGE_SUPPLY,
    NOW,
    PHASE,
    PIECES,
    SUPPLY,
    THING,
    ground_of,
    new_state,
)
from tests.properties import few_and_many

SMALL = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
LARGE = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)


class Table:
    """A game in which any legal action may be taken."""

    def __init__(self, seats: int, seed: int, rules: GameRules = BASE_GAME) -> None:
        self.board = LARGE if seats > BOOK.small_table else SMALL
        self.seats, self.seed, self.rules = seats, seed, rules
        self.g, self.s = ground_of(self.board, (0,) * seats, rules), new_state()
        reset(self.g, self.s, table(game_words(seed, 0)))
        self.actions: list[tuple[int, ...]] = []
        self.game = Game(self.board, seats, seed, rules=rules)

    def apply(self, action: tuple[int, ...]) -> None:
        """Take an action, and record it."""
        for k, number in enumerate((*action, *[0] * (6 - len(action)))):
            self.s[AT.act + k] = number
        self.actions.append(action)
        before = int(self.s[NOW.robber])
        apply(self.g, self.s)
        if self.rules.robber_steps and action[0] == DO.rob and action[1] != before:
            vertices = self.board.layout.tile_vertices
            assert len({*vertices[before]} & {*vertices[action[1]]}) == 2, "tiles with a common edge"
        for public in self.public(action):
            self.game.apply(public)

    def public(self, action: tuple[int, ...]) -> list[tuple[str | int, ...]]:
        """Return the actions of `Game` for an action here. A discard becomes several."""
        kind, *rest = action
        names = [KINDS[r] for r in rest[1:]] if kind == DO.play else [KINDS[r % 5] for r in rest]
        if kind == DO.discard:
            return [("discard", name) for name, count in zip(KINDS, rest, strict=True) for _ in range(count)]
        if kind == DO.play:
            return [(("knight", "roads", "plenty", "monopoly")[rest[0]], *names)]
        if kind == DO.lay:
            return [("road", *self.board.layout.edges[rest[0]])]
        if kind == DO.rob:
            return [("rob", rest[0], rest[1] + 1) if rest[1] >= 0 else ("rob", rest[0])]
        if kind == DO.offer:
            return [("offer", rest[0] + 1, rest[2], KINDS[rest[1]], rest[4], KINDS[rest[3]])]
        trade = ("trade", *names[:2], *[rate for rate in rest[2:] if rate])
        named = {DO.settle: ("settle", *rest), DO.upgrade: ("city", *rest), DO.barter: trade}
        words = {DO.buy: "buy", DO.roll: "roll", DO.end: "end", DO.accept: "accept", DO.decline: "decline"}
        return [named.get(kind, (words.get(kind, ""),))]

    def replayed(self) -> Table:
        """Return another table that has seen the same actions."""
        other = Table(self.seats, self.seed, self.rules)
        for action in self.actions:
            other.apply(action)
        return other

    def hand(self, seat: int) -> list[int]:
        return [int(x) for x in self.s[AT.hand + 5 * seat : AT.hand + 5 * seat + 5]]

    def legal_actions(self, rng: random.Random) -> list[Any]:
        """Return the legal actions. Of those that discard, one."""
        g, s = self.g, self.s
        seat, phase = int(s[NOW.seat]), s[NOW.phase]
        vertices, edges = range(self.board.layout.n_vertices), range(len(self.board.layout.edges))
        lays = [(DO.lay, e) for e in edges if can_lay(g, s, seat, e)]
        if phase == PHASE.settling:
            return [(DO.settle, v) for v in vertices if can_settle(g, s, seat, v)]
        if phase in (PHASE.first_road, PHASE.free_roads):
            return lays
        if phase == PHASE.discarding:
            cards = [r for r, count in enumerate(self.hand(seat)) for _ in range(count)]
            discarded = rng.sample(cards, len(cards) // 2)
            return [(DO.discard, *(discarded.count(r) for r in range(5)))]
        if phase == PHASE.robbing:
            tiles, victims = range(self.board.layout.n_tiles), range(-1, self.seats)
            return [(DO.rob, t, q, -1) for t in tiles for q in victims if can_rob(g, s, seat, t, q)]
        if phase == PHASE.answering:
            can_accept = bool(self.hand(seat)[s[NOW.takes]] >= s[NOW.takes_count])
            return [*[(DO.accept,)] * can_accept, (DO.decline,)]
        legal = [] if phase == PHASE.building else self._cards(seat)
        if phase == PHASE.rolling:
            return [*legal, (DO.roll, 0)]
        available = [bool(s[AT.left + 3 * seat + x] > 0 and can_pay(g, s, seat, x)) for x in range(3)]
        legal += lays * available[THING.road]
        legal += [
            (DO.settle, v) for v in vertices if available[THING.settlement] and can_settle(g, s, seat, v)
        ]
        owned = [v for v in vertices if s[AT.owner + v] == seat and s[AT.level + v] == 1]
        legal += [(DO.upgrade, v) for v in owned if available[THING.city]]
        if s[NOW.cards_left] > 0 and can_pay(g, s, seat, THING.card):
            legal.append((DO.buy, -1))
        if phase != PHASE.building:
            legal += [
                (DO.barter, a, b, rate if rate > min(rates) else 0)
                for a in range(5)
                for rates in [self._rates(seat, a)]
                for rate in (rates if self.rules.any_rate else [min(rates)])
                for b in range(5)
                if a != b and self.hand(seat)[a] >= rate and s[AT.bank + b] > 0
            ]
        return [*legal, (DO.end,)]

    def _rates(self, seat: int, resource: int) -> set[int]:
        owned = {v for v in range(self.board.layout.n_vertices) if self.s[AT.owner + v] == seat}
        trades = {harbor.trade for harbor in self.board.harbors if owned & {*harbor.vertices}}
        return {4, *[3] * ("3:1" in trades), *[2] * (KINDS[resource] in trades)}

    def offers(self) -> list[tuple[int, ...]]:
        """Return the offers of one card for one, and of two cards for one."""
        s, seat = self.s, int(self.s[NOW.seat])
        if s[NOW.phase] != PHASE.main or s[NOW.offers] == self.rules.offers:
            return []
        others = [q for q in range(self.seats) if q != seat and sum(self.hand(q))]
        resources = [(a, b) for a in range(5) for b in range(5) if a != b]
        return [
            (DO.offer, q, a, n, b, 1)
            for q in others
            for a, b in resources
            for n in (1, 2)
            if self.hand(seat)[a] >= n
        ]

    def _cards(self, seat: int) -> list[tuple[int, ...]]:
        playable = {card for card in range(4) if can_play(self.s, seat, card)}
        bank = [int(x) for x in self.s[AT.bank : AT.bank + 5]]
        legal: list[tuple[int, ...]] = [(DO.play, CARD.knight)] * (CARD.knight in playable)
        if CARD.roads in playable and can_lay_any(self.g, self.s, seat):
            legal.append((DO.play, CARD.roads))
        legal += [(DO.play, CARD.monopoly, r) for r in range(5) if CARD.monopoly in playable]
        pairs = [(a, b) for a in range(5) for b in range(a, 5) if bank[a] > 0 and bank[b] > (a == b)]
        return legal + [(DO.play, CARD.plenty, *pair) for pair in pairs if CARD.plenty in playable]

    def check_game(self, legal: list[tuple[int, ...]]) -> None:
        """Check that `Game` has these legal actions, and that each view has only the cards of its seat."""
        s, listed = self.s, self.game.legal_actions()
        assert len({*listed}) == len(listed) and {*listed} <= {*self.game.actions}
        if s[NOW.phase] == PHASE.discarding:
            assert {*listed} == {("discard", KINDS[r]) for r, n in enumerate(self.hand(s[NOW.seat])) if n}
        else:
            assert {*listed} == {action for known in legal for action in self.public(known)}
        for seat in range(self.seats):
            view = self.game.view(seat + 1)
            assert list(view.hand.values()) == self.hand(seat)
            assert view.hand_sizes == tuple(sum(self.hand(other)) for other in range(self.seats))
            assert list(view.cards.values()) == list(s[AT.cards + 5 * seat : AT.cards + 5 * seat + 5])
            assert view.own_points == points(s, seat)
            assert view.points == tuple(
                points(s, p) - s[AT.cards + 5 * p + CARD.point] for p in range(self.seats)
            )

    def check(self) -> None:
        """Check what holds after every action."""
        s, seats, layout = self.s, self.seats, self.board.layout
        large = seats > BOOK.small_table
        hands = np.array(s[AT.hand : AT.hand + 5 * seats]).reshape(seats, 5)
        bank = np.array(s[AT.bank : AT.bank + 5])
        assert min(hands.min(), bank.min()) >= 0
        assert (hands.sum(axis=0) + bank == (LARGE_SUPPLY if large else SUPPLY)).all()
        owners = [int(x) for x in s[AT.owner : AT.owner + layout.n_vertices]]
        levels = [int(x) for x in s[AT.level : AT.level + layout.n_vertices]]
        roads = [int(x) for x in s[AT.road : AT.road + len(layout.edges)]]
        for seat in range(seats):
            built = [levels[v] for v, owner in enumerate(owners) if owner == seat]
            placed = roads.count(seat), built.count(1), built.count(2)
            pieces = [int(x) for x in s[AT.left + 3 * seat : AT.left + 3 * seat + 3]]
            assert [a + b for a, b in zip(placed, pieces, strict=True)] == list(PIECES)
            assert points(s, seat) >= sum(built)
        buildings = {v for v, level in enumerate(levels) if level}
        assert not any(near in buildings for v in buildings for near in layout.vertex_neighbors[v])
        cards = int(np.array(s[AT.cards : AT.cards + 5 * seats]).sum()) + int(s[NOW.cards_left])
        assert cards <= sum(LARGE_DECK if large else DECK)


FLAGS = {name: st.booleans() for name in ("friendly_robber", "any_rate", "robber_steps", "paired_players")}
LIMITS = {"points": (7, 15), "hand_limit": (5, 12), "least_road": (3, 5), "offers": (0, 3)}
RULES = st.builds(GameRules, **FLAGS, **{name: st.integers(*limits) for name, limits in LIMITS.items()})


@few_and_many(6, 100, st.integers(2, 6), RULES, st.integers(0, 10**6), st.integers(0, 10**6))
def test_random_actions_keep_cards_and_replay(seats, rules, seed, choices):
    rules = replace(rules, paired_players=rules.paired_players and seats > 4)
    game, rng = Table(seats, seed, rules), random.Random(choices)
    for _ in range(250):
        if game.s[NOW.phase] == PHASE.over:
            assert max(points(game.s, seat) for seat in range(seats)) >= rules.points
            assert game.game.is_over and game.game.winner == game.s[NOW.winner] + 1
            break
        kinds: dict[int, list[tuple[int, ...]]] = {}
        legal = game.legal_actions(rng)
        game.check_game(legal)
        for action in [*legal, *rng.sample(offers := game.offers(), min(3, len(offers)))]:
            kinds.setdefault(action[0], []).append(action)
        kind = rng.choice([kind for kind in kinds if kind != DO.end or len(kinds) == 1 or rng.random() < 0.7])
        game.apply(rng.choice(kinds[kind]))
        game.check()
    again = game.replayed()
    assert list(again.s) == list(game.s)
    assert again.game == game.game


@pytest.mark.parametrize("seats", [2, 4])
def test_replay_takes_back_actions(seats):
    game, rng = Table(seats, 1), random.Random(3)
    states = [list(game.s)]
    for _ in range(40):
        game.apply(rng.choice(game.legal_actions(rng)))
        states.append(list(game.s))
    for expected in reversed(states[30:-1]):
        game.actions.pop()
        game = game.replayed()
        assert list(game.s) == expected
