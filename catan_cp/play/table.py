"""One game: seat the players, play it to its end, and keep what happened.

What the engine (3.2.1) does otherwise than a game that can be played again should, and what is done about it:

- It shuffles the seats. Here they are put back in order.
- It takes seed 0 for none, and draws from Python's shared generator. Here a game's seed is never 0, and the
  shared generator is left as it was.
- It lists trades, years of plenty and robber moves in the order of a set. The hashes of text differ from
  process to process, and that of None, which stands in trades at a harbor, is an address before Python 3.12.
  Players that choose by place in the list then play another game in each process. Here those are sorted.
- It looks for edges to build on through views of a graph, which takes most of a game's time, and lists them
  in the order of a set too. Here they are read off the roads on the table, in order.
- When a settlement cuts the longest road, it gives the card to whoever has the most road, be it less than
  five, or to the first of several; by the rules (longest road, "ties") the holder keeps it among equals, and
  otherwise it is set aside unless one seat alone has five or more. Here that is put right.
- Its table of what a node yields forgets one of two tiles of the same terrain: see `catan_cp.play.bridge`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from catanatron.game import TURNS_LIMIT
from catanatron.game import Game as EngineGame
from catanatron.models.actions import generate_playable_actions
from catanatron.models.board import STATIC_GRAPH
from catanatron.models.enums import RESOURCES, Action, ActionType
from catanatron.models.player import Color
from catanatron.state import State

from catan_cp.play.bridge import ENGINE_RESOURCE, names
from catan_cp.play.games import KINDS, RATES, Game
from catan_cp.play.specs import Moves

COLORS = tuple(Color)
"""The colour of each seat."""

LONGEST_ROAD = 5
"""The least length of a road that earns the card."""

_KIND = {name: KINDS.index(ours) for ours, name in ENGINE_RESOURCE.items()}
_COST = {
    ActionType.BUILD_ROAD: ("WOOD", "BRICK"),
    ActionType.BUILD_SETTLEMENT: ("WOOD", "BRICK", "SHEEP", "WHEAT"),
    ActionType.BUILD_CITY: ("WHEAT", "WHEAT", "ORE", "ORE", "ORE"),
    ActionType.BUY_DEVELOPMENT_CARD: ("SHEEP", "WHEAT", "ORE"),
}


def game_seed(seed: int, number: int) -> int:
    """Return the seed of one game: 63 bits of the BLAKE2b of both numbers, and never 0."""
    return (int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=8).digest()) >> 1) | 1


def play_game(catan_map: Any, players: Sequence[Any], seed: int, moves: Moves = ()) -> Game:
    """Play one game and return what happened.

    Args:
        catan_map: the engine's map of the board.
        players: one a seat, in order, each with its colour of `COLORS` and a ``decide``.
        seed: of all that is drawn by chance; it fixes the game.
        moves: first settlements that are given, from the first on.
    """
    kept = random.getstate()
    try:
        random.seed(seed)
        return _play(_seated(catan_map, players), moves)
    finally:
        random.setstate(kept)


def _seated(catan_map: Any, players: Sequence[Any]) -> Any:
    """Return a game that is about to begin, with the players in the order given."""
    game = EngineGame([], initialize=False)
    game.seed, game.id, game.vps_to_win = None, "", 10
    game.state = state = State(list(players), catan_map)
    state.players = list(players)
    state.colors = tuple(player.color for player in players)
    state.color_to_index = {color: seat for seat, color in enumerate(state.colors)}
    state.board.buildable_edges = _quick_edges(state.board)
    state.playable_actions = generate_playable_actions(state)
    return game


@cache
def _land_edges() -> dict[int, tuple[tuple[int, tuple[int, int]], ...]]:
    """Return, per node on land, its neighbours on land and the edges that lead there."""
    land = len(names().nodes)
    return {
        a: tuple((b, (min(a, b), max(a, b))) for b in sorted(STATIC_GRAPH.neighbors(a)) if b < land)
        for a in range(land)
    }


def _quick_edges(board: Any) -> Callable[[Any], list[tuple[int, int]]]:
    """Return what the engine's ``Board.buildable_edges`` does, a dozen times as fast, and sorted."""
    around, roads, buildings = _land_edges(), board.roads, board.buildings

    def buildable_edges(color: Any) -> list[tuple[int, int]]:
        found = set()
        for nodes in board.connected_components[color]:
            for node in nodes:
                if node not in buildings or buildings[node][0] == color:
                    for _, edge in around[node]:
                        if edge not in roads:
                            found.add(edge)
        return sorted(found)

    return buildable_edges


def _play(game: Any, moves: Moves) -> Game:
    state = game.state
    keys = [f"P{seat}_ACTUAL_VICTORY_POINTS" for seat in range(len(state.colors))]
    values = state.player_state
    given = _given(moves)
    settlements: list[list[int]] = [[] for _ in keys]
    history = bytearray()
    leads: list[int] = []
    monopolies: list[tuple[int, int, list[int]]] = []
    leader, winner, turns = -1, None, 0
    end_turn, settle, roll, monopoly = (
        ActionType.END_TURN,
        ActionType.BUILD_SETTLEMENT,
        ActionType.ROLL,
        ActionType.PLAY_MONOPOLY,
    )
    while winner is None and state.num_turns < TURNS_LIMIT:
        actions = state.playable_actions
        if len(actions) > 1:
            put_in_order(actions)
        action = next(given, None) if state.is_initial_build_phase else None
        if action is None:
            action = state.current_player().decide(game, actions)
        kind = action.action_type
        if kind is settle:
            board = state.board
            before = board.road_color, board.road_length
            if state.is_initial_build_phase:
                settlements[state.color_to_index[action.color]].append(names().vertices[action.value])
            game.execute(action)
            if (board.road_color, board.road_length) != before:
                _settle_longest_road(state, *before)
        elif kind is monopoly:
            monopolies.append(_stolen(state, action))
            game.execute(action)
        else:
            game.execute(action)
        if kind is end_turn:
            points = [values[key] for key in keys]
            leader = _leader(points, leader)
            leads.append(leader)
            if turns % len(keys) == 0:
                history.extend(points)
        elif kind is roll:
            turns += 1
        best = max(keys, key=values.__getitem__)
        if values[best] >= game.vps_to_win:
            winner = keys.index(best)
    points = [values[key] for key in keys]
    if winner is not None:
        leads.append(winner)
    if winner is not None or turns % len(keys):
        history.extend(points)
    gained, trades, robbed = _counted(state, monopolies)
    return Game(
        winner=None if winner is None else winner + 1,
        turns=turns,
        points=tuple(points),
        lead_changes=_changes(leads),
        lead_taken=None if winner is None else _taken(leads, winner),
        gained=tuple(map(tuple, gained)),
        trades=tuple(map(tuple, trades)),
        robbed=tuple(robbed),
        settlements=tuple(map(tuple, settlements)),
        history=bytes(history),
    )


# The order of choices


def _trade_order(action: Any) -> tuple[str, ...]:
    return tuple([card or "" for card in action.value])


def _robber_order(action: Any) -> tuple[Any, str]:
    place, robbed, _ = action.value
    return place, "" if robbed is None else robbed.value


_SORTED = {
    ActionType.MARITIME_TRADE: _trade_order,
    ActionType.PLAY_YEAR_OF_PLENTY: lambda action: action.value,
    ActionType.MOVE_ROBBER: _robber_order,
}


def put_in_order(actions: list[Any]) -> None:
    """Sort, in place, each run of choices that the engine lists in the order of a set."""
    start, last = 0, len(actions)
    while start < last:
        kind = actions[start].action_type
        order = _SORTED.get(kind)
        end = start + 1
        if order is not None:
            while end < last and actions[end].action_type is kind:
                end += 1
            if end - start > 1:
                actions[start:end] = sorted(actions[start:end], key=order)
        start = end


# What is given, and what is put right


def _given(moves: Moves) -> Iterator[Any]:
    """Yield, for each decision of the settling, its action where that is given, and None where it is not."""
    node = names().nodes
    for seat, vertex, end in moves:
        color = COLORS[seat - 1]
        yield Action(color, ActionType.BUILD_SETTLEMENT, node[vertex])
        road = None if end is None else names().edge(vertex, end)
        yield None if road is None else Action(color, ActionType.BUILD_ROAD, road)


def _settle_longest_road(state: Any, holder: Any, length: int) -> None:
    """Put right who holds the longest road after a settlement has cut one."""
    board, values = state.board, state.player_state
    lengths = {color: board.road_lengths.get(color, 0) for color in state.colors}
    most = max(lengths.values())
    longest = [color for color, n in lengths.items() if n == most]
    if most < LONGEST_ROAD:
        right = None
    elif holder in longest:
        right = holder
    else:
        right = longest[0] if len(longest) == 1 else None
    board.road_color, board.road_length = right, most if right is not None else 0
    for seat, color in enumerate(state.colors):
        has = values[f"P{seat}_HAS_ROAD"]
        if has != (color == right):
            step = -2 if has else 2
            values[f"P{seat}_HAS_ROAD"] = not has
            values[f"P{seat}_VICTORY_POINTS"] += step
            values[f"P{seat}_ACTUAL_VICTORY_POINTS"] += step


# What happened


def _leader(points: Sequence[int], before: int) -> int:
    """Return the seat with the most points; among equals the one that led before, or -1 for nobody."""
    most = max(points)
    if before >= 0 and points[before] == most:
        return before
    return points.index(most) if points.count(most) == 1 else -1


def _changes(leads: Sequence[int]) -> int:
    """Return how often one seat took the lead from another; turns when nobody led do not count."""
    known = [seat for seat in leads if seat >= 0]
    return sum(a != b for a, b in pairwise(known))


def _taken(leads: Sequence[int], winner: int) -> int:
    """Return the turn, from 1, since which the winner has led without a break."""
    turn = len(leads)
    while turn > 1 and leads[turn - 2] == winner:
        turn -= 1
    return turn


def _stolen(state: Any, action: Any) -> tuple[int, int, list[int]]:
    """Return who plays a monopoly, of what, and how many cards each seat will lose."""
    thief = state.color_to_index[action.color]
    lost = [state.player_state[f"P{seat}_{action.value}_IN_HAND"] for seat in range(len(state.colors))]
    lost[thief] = 0
    return thief, _KIND[action.value], lost


def _counted(
    state: Any, monopolies: list[tuple[int, int, list[int]]]
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Return, per seat, the cards that tiles yielded, its trades with the bank, and how often it was robbed.

    What tiles yielded is what is in hand at the end, less all that came another way, plus all that went.
    """
    seats, number = len(state.colors), state.color_to_index
    cards = [[0] * len(KINDS) for _ in range(seats)]
    trades, robbed, free_roads = [[0] * len(RATES) for _ in range(seats)], [0] * seats, 0
    for seat in range(seats):
        for resource in RESOURCES:
            cards[seat][_KIND[resource]] = state.player_state[f"P{seat}_{resource}_IN_HAND"]
    for color, kind, value in state.actions[4 * seats :]:  # after two settlements and two roads each
        if kind is ActionType.END_TURN or kind is ActionType.ROLL:
            continue
        seat = number[color]
        went: Any = ()
        came: Any = ()
        if kind is ActionType.BUILD_ROAD and free_roads:  # those of a card follow it at once
            free_roads -= 1
            continue
        free_roads = 2 if kind is ActionType.PLAY_ROAD_BUILDING else 0
        if kind in _COST:
            went = _COST[kind]
        elif kind is ActionType.DISCARD:
            went = value
        elif kind is ActionType.PLAY_YEAR_OF_PLENTY:
            came = value
        elif kind is ActionType.MARITIME_TRADE:
            trades[seat][value.count(None)] += 1  # four places for what is paid, empty ones at a harbor
            went, came = [card for card in value[:-1] if card is not None], value[-1:]
        elif kind is ActionType.MOVE_ROBBER and value[1] is not None:
            came = value[2:]
            robbed[number[value[1]]] += 1
            cards[number[value[1]]][_KIND[value[2]]] += 1
        for resource in went:
            cards[seat][_KIND[resource]] += 1
        for resource in came:
            cards[seat][_KIND[resource]] -= 1
    for thief, stolen, lost in monopolies:
        for seat, count in enumerate(lost):
            cards[seat][stolen] += count
        cards[thief][stolen] -= sum(lost)
    return cards, trades, robbed
