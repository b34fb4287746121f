"""Games of random legal actions, compared with a second implementation of the rules by public names."""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board
from catan_cp.play import Action, Game, GameRules
from tests.brute_force import RESOURCES
from tests.properties import few_and_many

SMALL = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
LARGE = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)
COSTS = {
    "road": Counter(("brick", "lumber")),
    "settlement": Counter(("brick", "grain", "wool", "lumber")),
    "city": Counter({"grain": 2, "ore": 3}),
    "card": Counter(("grain", "wool", "ore")),
}
PIECES = Counter(road=15, settlement=5, city=4)


class Referee:
    """A game beside the legal actions of the book, from what the seats may see and earlier actions."""

    def __init__(self, board: Board, seats: int, seed: int, rules: GameRules) -> None:
        self.game = Game(board, seats, seed, rules=rules)
        self.history: list[Action] = []
        self.part: tuple[int, int] = (0, 0)
        self.bought, self.has_played = Counter[str](), False

    def apply(self, action: Action) -> None:
        """Take an action, check its price, and note the cards bought and played in this part of a turn."""
        game, seat, before = self.game, self.game.to_play, self.game.view(self.game.to_play)
        game.apply(action)
        self.history.append(action)
        after, kind = game.view(seat), {"settle": "settlement", "buy": "card"}.get(str(action[0]), action[0])
        cost = COSTS.get(kind, Counter()) if before.phase in ("main", "building", "paired") else Counter()
        if kind == "trade":
            cost = Counter({action[1]: action[3] if len(action) > 3 else before.rates[str(action[1])]})
        if cost:
            assert Counter(before.hand) - Counter(after.hand) == cost
        if kind == "card":
            self.bought += Counter(after.cards) - Counter(before.cards)
        self.has_played |= action[0] in ("knight", "roads", "plenty", "monopoly")
        if self.part != (game.turn, game.active):
            self.part, self.bought, self.has_played = (game.turn, game.active), Counter(), False

    def legal(self) -> set[Action]:
        """Return the legal actions of the seat to play, without offers."""
        game, phase, seat = self.game, self.game.phase, self.game.to_play
        hand, layout = Counter(game.view(seat).hand), game.board.layout
        buildings = game.settlements | game.cities
        reached = {v for edge, owner in game.roads.items() if owner == seat for v in edge}
        vacant = [v for v in range(layout.n_vertices) if not {v, *layout.vertex_neighbors[v]} & {*buildings}]
        starts = {v for v, owner in buildings.items() if owner == seat} | (reached - {*buildings})
        lays = {("road", *edge) for edge in layout.edges if edge not in game.roads and starts & {*edge}}
        if phase == "first_road":
            return {action for action in lays if self.history[-1][1] in action}
        simple: dict[str, set[Action]] = {
            "settling": {("settle", v) for v in vacant},
            "free_roads": lays,
            "discarding": {("discard", resource) for resource, n in hand.items() if n},
            "robbing": self.robberies() if phase == "robbing" else set(),
            "over": set(),
        }
        if phase in simple:
            return simple[phase]
        if phase == "answering":
            _, _, n, resource = game.offer or (0, "", 0, "")
            return {("decline",)} | ({("accept",)} if hand[str(resource)] >= int(n) else set())
        legal: set[Action] = set() if phase == "building" else self.cards(bool(lays))
        if phase == "rolling":
            return legal | {("roll",)}
        pieces = game.view(seat).pieces
        has = {thing: cost <= hand and pieces.get(thing, 1) > 0 for thing, cost in COSTS.items()}
        legal |= lays if has["road"] else set()
        legal |= {("settle", v) for v in vacant if has["settlement"] and v in reached}
        legal |= {("city", v) for v, owner in game.settlements.items() if has["city"] and owner == seat}
        legal |= {("buy",)} if has["card"] and game.deck_size else set()
        return legal | {("end",)} | (set() if phase == "building" else self.trades(hand, buildings))

    def trades(self, hand: Counter[str], buildings: dict[int, int]) -> set[Action]:
        """Return the trades with the bank. A rate is named if a better one exists."""
        game = self.game
        trades = {
            harbor.trade
            for harbor in game.board.harbors
            if game.to_play in {buildings.get(v) for v in harbor.vertices}
        }
        legal: set[Action] = set()
        for resource in RESOURCES:
            rates = sorted({4, *[3] * ("3:1" in trades), *[2] * (resource in trades)})
            for rate in rates if game.rules.any_rate else rates[:1]:
                named = () if rate == rates[0] else (rate,)
                others = [r for r in RESOURCES if r != resource and game.bank[r] and hand[resource] >= rate]
                legal |= {("trade", resource, other, *named) for other in others}
        return legal

    def cards(self, can_build: bool) -> set[Action]:
        """Return the development cards that may be played: one per turn, and none bought in it."""
        game = self.game
        view, bank = game.view(game.to_play), Counter(game.bank)
        playable = set() if self.has_played else {*(Counter(view.cards) - self.bought)}
        pairs = [(a, b) for k, a in enumerate(RESOURCES) for b in RESOURCES[k:]]
        plenty = [pair for pair in pairs if Counter(pair) <= bank] or [(r,) for r in RESOURCES if bank[r]]
        choices: dict[str, set[Action]] = {
            "knight": {("knight",)},
            "roads": {("roads",)} if can_build and view.pieces["road"] else set(),
            "plenty": {("plenty", *pair) for pair in plenty},
            "monopoly": {("monopoly", resource) for resource in RESOURCES},
        }
        return {action for card in playable - {"point"} for action in choices[card]}

    def robberies(self) -> set[Action]:
        """Return the moves of the robber, by the variants of its rules."""
        game, rules = self.game, self.game.rules
        corners, view = game.board.layout.tile_vertices, game.view(game.to_play)
        buildings = game.settlements | game.cities
        seats = [{buildings[v] for v in vertices if v in buildings} for vertices in corners]
        poor = {s for s, n in enumerate(view.points, 1) if n <= 2} if rules.friendly_robber else set()
        tiles = {t for t in range(len(corners)) if t != game.robber}
        if rules.robber_steps:
            tiles = {t for t in tiles if len({*corners[t]} & {*corners[game.robber]}) == 2}
        tiles = {t for t in tiles if game.board.terrain[t] == "desert" or not seats[t] & poor}
        if not tiles and rules.friendly_robber:
            tiles = {game.robber}
        legal: set[Action] = set()
        for tile in tiles:
            victims = {s for s in seats[tile] - poor - {game.to_play} if view.hand_sizes[s - 1]}
            legal |= {("rob", tile, seat) for seat in victims} or {("rob", tile)}
        return legal

    def offers(self) -> list[Action]:
        """Return the offers of one card for one, and of two cards for one."""
        game = self.game
        view = game.view(game.to_play)
        others = [s for s, n in enumerate(view.hand_sizes, 1) if s != game.to_play and n]
        return [
            ("offer", s, n, a, 1, b)
            for s in (others if game.offers_left else ())
            for n in (1, 2)
            for a in RESOURCES
            for b in RESOURCES
            if a != b and view.hand[a] >= n
        ]

    def check(self) -> None:
        """Check the legal actions, and that no card, piece or point appears or is lost."""
        game, legal = self.game, self.game.legal_actions()
        assert len({*legal}) == len(legal) and {*legal} <= {*game.actions}
        assert {*legal} == self.legal(), game
        views = [game.view(seat) for seat in range(1, game.players + 1)]
        supply = Counter(dict.fromkeys(RESOURCES, 24 if game.players > 4 else 19))
        assert sum((Counter(view.hand) for view in views), Counter(game.bank)) == supply
        assert min([*game.bank.values(), *(n for view in views for n in view.hand.values())]) >= 0
        n_cards = sum(sum(view.cards.values()) for view in views) + game.deck_size + sum(game.knights)
        assert n_cards <= (34 if game.players > 4 else 25)
        for view in views:
            owners = game.roads, game.settlements, game.cities
            placed = [[*owner.values()].count(view.seat) for owner in owners]
            assert Counter(view.pieces) + Counter(dict(zip(PIECES, placed, strict=True))) == PIECES
            awards = 2 * [game.longest_road, game.largest_army].count(view.seat)
            assert view.points[view.seat - 1] == placed[1] + 2 * placed[2] + awards
            assert view.own_points == view.points[view.seat - 1] + view.cards["point"]
            assert view.hand_sizes == tuple(sum(other.hand.values()) for other in views)


FLAGS = {name: st.booleans() for name in ("friendly_robber", "any_rate", "robber_steps", "paired_players")}
LIMITS = {"points": (7, 15), "hand_limit": (5, 12), "least_road": (3, 5), "offers": (0, 3)}
RULES = st.builds(GameRules, **FLAGS, **{name: st.integers(*limits) for name, limits in LIMITS.items()})


@few_and_many(6, 100, st.integers(2, 6), RULES, st.integers(0, 10**6), st.integers(0, 10**6))
def test_random_games_obey_book(seats, rules, seed, choices):
    rules = replace(rules, paired_players=rules.paired_players and seats > 4)
    board = LARGE if seats > 4 else SMALL
    referee, rng = Referee(board, seats, seed, rules), random.Random(choices)
    game = referee.game
    for _ in range(250):
        referee.check()
        if game.is_over:
            assert game.view(game.winner).own_points >= rules.points
            break
        offers = referee.offers()
        actions = [*game.legal_actions(), *rng.sample(offers, min(3, len(offers)))]
        kinds = sorted({action[0] for action in actions})
        kind = rng.choice([k for k in kinds if k != "end" or rng.random() < 0.7] or kinds)
        referee.apply(rng.choice([action for action in actions if action[0] == kind]))
    again = Game(board, seats, seed, rules=rules)
    for action in referee.history:
        again.apply(action)
    assert again == game
