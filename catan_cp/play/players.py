"""The players: the engine's, and two of ours on its interface, a colour and ``decide(game, actions)``.

`Greedy` plays for what gains most soon. `Planner` places the first settlements by a plan, and leaves the
rest to a player of any style.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from catanatron.models.board import STATIC_GRAPH
from catanatron.models.enums import RESOURCES, Action, ActionType
from catanatron.models.player import RandomPlayer
from catanatron.players.search import VictoryPointPlayer
from catanatron.players.weighted_random import WeightedRandomPlayer

from catan_cp.boards.board import Board
from catan_cp.play.bridge import names
from catan_cp.play.plans import planned_vertex, road_end
from catan_cp.play.specs import Spec
from catan_cp.play.table import COLORS

CARDS = {
    ActionType.BUILD_CITY: (0, 0, 0, 2, 3),
    ActionType.BUILD_SETTLEMENT: (1, 1, 1, 1, 0),
    ActionType.BUY_DEVELOPMENT_CARD: (0, 0, 1, 1, 1),
    ActionType.BUILD_ROAD: (1, 1, 0, 0, 0),
}
"""What things cost, in the engine's order of resources: wood, brick, sheep, wheat, ore."""

_FULL_HAND = 7
_POINT, _NEW_KIND, _HARBOR = 4 / 36, 2 / 36, 1 / 36
"""What a point, a resource not yet yielded, and a harbor are worth beside cards a roll."""

_DEVELOPMENT = 4 / 36
_PATIENCE = 8.0
"""Turns after which a gain counts half."""


class Planner:
    """Settles by a plan, lays the first roads towards the best vertices, then plays in some style."""

    def __init__(self, color: Any, board: Board, seats: int, plan: str, style: Any) -> None:
        self.color, self._board, self._seats, self._plan, self._style = color, board, seats, plan, style

    def decide(self, game: Any, actions: list[Any]) -> Any:
        """Return one of *actions*."""
        state = game.state
        if not state.is_initial_build_phase:
            return self._style.decide(game, actions)
        if actions[0].action_type is ActionType.BUILD_ROAD:
            return _first_road(self._board, state, self.color)
        placed = [
            (state.color_to_index[action.color] + 1, names().vertices[action.value])
            for action in state.actions
            if action.action_type is ActionType.BUILD_SETTLEMENT
        ]
        vertex = planned_vertex(self._board, self._seats, self._plan, tuple(placed))
        return Action(self.color, ActionType.BUILD_SETTLEMENT, names().nodes[vertex])


def _first_road(board: Board, state: Any, color: Any) -> Any:
    known = names()
    settlement = known.vertices[state.buildings_by_color[color]["SETTLEMENT"][-1]]
    taken = [known.vertices[node] for node in state.board.buildings]
    return Action(color, ActionType.BUILD_ROAD, known.edge(settlement, road_end(board, settlement, taken)))


class Greedy:
    """Plays for the greatest expected gain, discounted by the turns until it can be paid.

    It weighs four goals each turn: a city, a settlement, a road towards one, a development card. A goal's
    gain is a point, where it brings one, and the cards a roll that it adds; the wait is the time in which its
    production and trades bring the missing cards. It builds the best goal, trades surplus for what the goal
    lacks, and spends what the goal does not need. The robber goes where it costs the leading opponents most.
    It looks at no hidden card of others.
    """

    def __init__(self, color: Any, board: Board) -> None:
        self.color, self._board = color, board

    def decide(self, game: Any, actions: list[Any]) -> Any:
        """Return one of *actions*."""
        if len(actions) == 1:
            return actions[0]
        state = game.state
        first = actions[0].action_type
        if state.is_initial_build_phase:
            if first is ActionType.BUILD_ROAD:
                return _first_road(self._board, state, self.color)
            mine = _production(state, self.color)
            return max(actions, key=lambda a: _worth(state, a.value, mine))
        if first is ActionType.MOVE_ROBBER:
            return max(actions, key=_robber_gain(state, self.color))
        if first is ActionType.ROLL:
            return actions[1] if self._is_robbed(state) else actions[0]
        return self._turn(state, actions)

    def _is_robbed(self, state: Any) -> bool:
        """Whether the robber stands on a tile of ours, so that a knight pays before the roll."""
        board = state.board
        tile = board.map.land_tiles[board.robber_coordinate]
        return any(board.get_node_color(node) is self.color for node in tile.nodes.values())

    def _turn(self, state: Any, actions: list[Any]) -> Any:
        by_kind: dict[Any, list[Any]] = {}
        for action in actions:
            by_kind.setdefault(action.action_type, []).append(action)
        if ActionType.PLAY_KNIGHT_CARD in by_kind:
            return by_kind[ActionType.PLAY_KNIGHT_CARD][0]
        mine = _production(state, self.color)
        hand = _hand(state, self.color)
        targets = _road_targets(state, self.color, mine)
        if ActionType.END_TURN not in by_kind:  # the roads of a card
            return _best_road(actions, targets)
        rates = _rates(state, self.color)
        gains = self._gains(state, mine, targets)
        ranked = sorted(gains, key=lambda k: -gains[k] / (1 + _wait(CARDS[k], hand, mine, rates) / _PATIENCE))
        for kind in ranked[:1]:
            if kind in by_kind:
                return self._build(state, kind, by_kind[kind], mine, targets)
        need = CARDS[ranked[0]] if ranked else (0,) * 5
        if (played := _card(by_kind, need, hand, state, self.color)) is not None:
            return played
        if (trade := _useful_trade(by_kind.get(ActionType.MARITIME_TRADE, []), need, hand)) is not None:
            return trade
        spare = [have - want for have, want in zip(hand, need, strict=True)]
        for kind in ranked[1:]:
            fits = all(have >= cost for have, cost in zip(spare, CARDS[kind], strict=True))
            if kind in by_kind and (fits or sum(hand) > _FULL_HAND):
                return self._build(state, kind, by_kind[kind], mine, targets)
        return by_kind[ActionType.END_TURN][0]

    def _gains(self, state: Any, mine: list[float], targets: dict[Any, float]) -> dict[Any, float]:
        """Return what each goal would gain, of those that there is anything to build for."""
        seat, board = state.color_to_index[self.color], state.board
        values, found = state.player_state, {}
        own = state.buildings_by_color[self.color]["SETTLEMENT"]
        if own and values[f"P{seat}_CITIES_AVAILABLE"]:
            found[ActionType.BUILD_CITY] = _POINT + max(_yield(state, node) for node in own)
        if values[f"P{seat}_SETTLEMENTS_AVAILABLE"]:
            spots = board.buildable_node_ids(self.color)
            if spots:
                worth = max(_worth(state, node, mine) for node in spots)
                found[ActionType.BUILD_SETTLEMENT] = _POINT + worth
            elif targets and values[f"P{seat}_ROADS_AVAILABLE"]:
                found[ActionType.BUILD_ROAD] = (_POINT + max(targets.values())) / 2
        if state.development_listdeck:
            found[ActionType.BUY_DEVELOPMENT_CARD] = _DEVELOPMENT
        return found

    def _build(
        self, state: Any, kind: Any, actions: list[Any], mine: list[float], targets: dict[Any, float]
    ) -> Any:
        if kind is ActionType.BUILD_CITY:
            return max(actions, key=lambda a: _yield(state, a.value))
        if kind is ActionType.BUILD_SETTLEMENT:
            return max(actions, key=lambda a: _worth(state, a.value, mine))
        return _best_road(actions, targets) if kind is ActionType.BUILD_ROAD else actions[0]


# What things are worth


def _yield(state: Any, node: int) -> float:
    """Return the cards a roll that a settlement on *node* yields."""
    return float(sum(state.board.map.node_production[node].values()))


def _worth(state: Any, node: int, mine: list[float]) -> float:
    """Return the cards a roll that a settlement on *node* yields, with a premium for what we lack."""
    catan_map = state.board.map
    total = 0.0
    for k, resource in enumerate(RESOURCES):
        share = catan_map.node_production[node].get(resource, 0)
        if share:
            total += share + (0 if mine[k] else _NEW_KIND)
    return total + (_HARBOR if any(node in nodes for nodes in catan_map.port_nodes.values()) else 0)


def _production(state: Any, color: Any) -> list[float]:
    """Return the cards of each resource that a colour gets a roll."""
    total = [0.0] * len(RESOURCES)
    for building, factor in (("SETTLEMENT", 1), ("CITY", 2)):
        for node in state.buildings_by_color[color][building]:
            yields = state.board.map.node_production[node]
            for k, resource in enumerate(RESOURCES):
                total[k] += factor * yields.get(resource, 0)
    return total


def _hand(state: Any, color: Any) -> list[int]:
    seat = state.color_to_index[color]
    return [state.player_state[f"P{seat}_{resource}_IN_HAND"] for resource in RESOURCES]


def _rates(state: Any, color: Any) -> list[int]:
    held = set(state.board.get_player_port_resources(color))
    return [2 if resource in held else 3 if None in held else 4 for resource in RESOURCES]


def _wait(cost: tuple[int, ...], hand: list[int], mine: list[float], rates: list[int]) -> float:
    """Return about how many rolls it takes until *cost* can be paid.

    Each missing card comes from a tile, or from trading what comes too much; half of the production is
    taken to be of use for that.
    """
    spare = sum(max(0, have - want) // rate for have, want, rate in zip(hand, cost, rates, strict=True))
    traded = 0.5 * sum(share / rate for share, rate in zip(mine, rates, strict=True))
    waits = sorted(
        (want - have) / max(share, traded, 1e-3)
        for have, want, share in zip(hand, cost, mine, strict=True)
        if want > have
    )
    missing = sum(max(0, want - have) for have, want in zip(hand, cost, strict=True))
    if spare >= missing:
        return 0.0
    return waits[-1] * (1 - spare / missing)


def _road_targets(state: Any, color: Any, mine: list[float]) -> dict[tuple[int, int], float]:
    """Return, per edge that could be built next, the worth of the best vertex that it leads to.

    A vertex at the road's end counts in full, one a road further on for half.
    """
    board = state.board
    found: dict[tuple[int, int], float] = {}
    land = board.map.land_nodes
    for edge in board.buildable_edges(color):
        best = 0.0
        for end in edge:
            if end in board.board_buildable_ids:
                best = max(best, _worth(state, end, mine))
            if not board.is_enemy_node(end, color):
                for far in _neighbors(end):
                    if far in board.board_buildable_ids and far in land and (end, far) not in board.roads:
                        best = max(best, _worth(state, far, mine) / 2)
        if best:
            found[edge] = best
    return found


@cache
def _neighbors(node: int) -> tuple[int, ...]:
    return tuple(sorted(STATIC_GRAPH.neighbors(node)))


def _best_road(actions: list[Any], targets: dict[Any, float]) -> Any:
    return max(actions, key=lambda a: targets.get(a.value, 0))


def _useful_trade(trades: list[Any], need: tuple[int, ...], hand: list[int]) -> Any:
    """Return a trade of cards that the goal does not need for one that it lacks; None where there is none."""
    number = {resource: k for k, resource in enumerate(RESOURCES)}
    best, most = None, -1
    for trade in trades:
        *paid, gets = trade.value
        give, cost = number[paid[0]], sum(card is not None for card in paid)
        left = hand[give] - need[give] - cost
        if hand[number[gets]] < need[number[gets]] and left >= 0 and 10 * left - cost > most:
            best, most = trade, 10 * left - cost
    return best


def _card(by_kind: Any, need: tuple[int, ...], hand: list[int], state: Any, color: Any) -> Any:
    """Return the development card to play now, where it brings something; a knight is not asked for here."""
    lacking = {r: max(0, need[k] - hand[k]) for k, r in enumerate(RESOURCES)}
    if plenty := by_kind.get(ActionType.PLAY_YEAR_OF_PLENTY):
        return max(plenty, key=lambda a: sum(min(lacking[r], a.value.count(r)) for r in set(a.value)))
    if monopoly := by_kind.get(ActionType.PLAY_MONOPOLY):
        others = [0.0] * len(RESOURCES)
        for other in state.colors:
            if other is not color:
                others = [a + b for a, b in zip(others, _production(state, other), strict=True)]
        return max(monopoly, key=lambda a: (lacking[a.value] > 0, others[RESOURCES.index(a.value)]))
    if roads := by_kind.get(ActionType.PLAY_ROAD_BUILDING):
        return roads[0]
    return None


def _robber_gain(state: Any, color: Any) -> Callable[[Any], float]:
    """Return what tells how much a move of the robber costs others, the leading ones above all."""
    board, values = state.board, state.player_state
    shown = {c: values[f"P{seat}_VICTORY_POINTS"] for c, seat in state.color_to_index.items()}

    def gain(action: Any) -> float:
        place, robbed, _ = action.value
        tile = board.map.land_tiles[place]
        pips = 0 if tile.number is None else 6 - abs(7 - tile.number)
        total = 0.0
        for node in tile.nodes.values():
            if (building := board.buildings.get(node)) is not None:
                size = 2 if building[1] == "CITY" else 1
                total += pips * size * (-20 if building[0] is color else shown[building[0]])
        return total + (0 if robbed is None else shown[robbed])

    return gain


# Making them


def seat_players(specs: tuple[Spec, ...], board: Board) -> list[Any]:
    """Return a player for each seat."""
    made = []
    for color, spec in zip(COLORS, specs, strict=False):
        style = _style(spec.style, color, board)
        made.append(style if spec.plan is None else Planner(color, board, len(specs), spec.plan, style))
    return made


def _style(style: str, color: Any, board: Board) -> Any:
    if style == "greedy":
        return Greedy(color, board)
    engine = {"random": RandomPlayer, "weighted": WeightedRandomPlayer, "victory": VictoryPointPlayer}
    return engine[style](color)
