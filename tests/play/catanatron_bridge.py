"""Catanatron's boards, actions and players as those of this library, to replay its games.

It numbers tiles, nodes (vertices here) and edges from the middle outwards, and places tiles by cube
coordinates. One step to the east is ``(1, -1, 0)``, one to the south-east ``(0, -1, 1)``.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

from catanatron.game import Game
from catanatron.models import map as theirs
from catanatron.models.actions import generate_playable_actions
from catanatron.models.enums import ActionType
from catanatron.models.player import Color
from catanatron.state import State

from catan_cp import LAYOUTS, Board
from catan_cp.play import POLICIES
from catan_cp.play import Game as OurGame
from tests.play.by_hand import AT, CARD, DO, NOW, apply, decide, ground_of, reset, table

RESOURCES = ("BRICK", "WHEAT", "SHEEP", "ORE", "WOOD")
"""Its names of the resources, in our order."""

THEIR_ORDER = ("WOOD", "BRICK", "SHEEP", "WHEAT", "ORE")
"""The order in which its bank counts them."""

CARDS = ("KNIGHT", "ROAD_BUILDING", "YEAR_OF_PLENTY", "MONOPOLY", "VICTORY_POINT")
COLORS = tuple(Color)
_OURS = dict(zip(("brick", "grain", "wool", "ore", "lumber"), RESOURCES, strict=True))
_ROW = 3  # difference of y between two rows of tiles
_CORNERS = tuple(
    theirs.NodeRef[name] for name in ("NORTHEAST", "SOUTHEAST", "SOUTH", "SOUTHWEST", "NORTHWEST", "NORTH")
)  # the corners of a tile in the order of `Layout.tile_vertices`


@dataclass(frozen=True)
class Names:
    """Catanatron's tiles, vertices and edges on ``base``, by those of the library.

    Attributes:
        coordinates: the cube coordinate of each tile.
        nodes: the node of each vertex.
        edges: its edge, the lower node first, of each edge of the library.
    """

    coordinates: tuple[tuple[int, int, int], ...]
    nodes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]


def _sea() -> dict[Any, Any]:
    """Return the tiles of its map of ``base``, all of them water, by their coordinates."""
    topology = dict.fromkeys(theirs.BASE_MAP_TEMPLATE.topology, theirs.Water)
    tiles: dict[Any, Any] = theirs.initialize_tiles(theirs.MapTemplate([], [], [], topology))
    return tiles


@cache
def names() -> Names:
    """Return the names of both sides, read off the positions of ``base`` and its own map."""
    layout = LAYOUTS["base"]
    middle_x, middle_y = layout.tiles[layout.n_tiles // 2]
    coordinates = []
    for x, y in layout.tiles:
        south_east = (y - middle_y) // _ROW
        east = (x - middle_x - south_east) // 2
        coordinates.append((east, -east - south_east, south_east))
    tiles = _sea()
    nodes = [-1] * layout.n_vertices
    for tile, place in enumerate(coordinates):
        for vertex, corner in zip(layout.tile_vertices[tile], _CORNERS, strict=True):
            nodes[vertex] = tiles[place].nodes[corner]
    edges = tuple((min(nodes[a], nodes[b]), max(nodes[a], nodes[b])) for a, b in layout.edges)
    return Names(tuple(coordinates), tuple(nodes), edges)


def their_map(board: Board) -> Any:
    """Return its map of *board*, a ``CatanMap``, harbors included.

    Its table of what each node yields is computed again: its own keeps one of two tiles of the same terrain.
    """
    nodes, tiles, lands, ports = names().nodes, _sea(), count(), count()
    land = dict(zip(names().coordinates, zip(board.terrain, board.markers, strict=True), strict=True))
    trades = {
        frozenset(nodes[v] for v in harbor.vertices): _OURS.get(harbor.trade) for harbor in board.harbors
    }
    for place, sea in tiles.items():
        if place in land:
            terrain, marker = land[place]
            tiles[place] = theirs.LandTile(next(lands), _OURS.get(terrain), marker, sea.nodes, sea.edges)
            continue
        for direction, corners in theirs.PORT_DIRECTION_TO_NODEREFS.items():
            ends = frozenset(sea.nodes[corner] for corner in corners)
            if ends in trades:
                tiles[place] = theirs.Port(next(ports), trades[ends], direction, sea.nodes, sea.edges)
    map_ = theirs.CatanMap.from_tiles(tiles)
    for node, around in map_.adjacent_tiles.items():
        map_.node_production[node] = yielded = Counter[str]()
        for tile in around:
            if tile.resource is not None:
                yielded[tile.resource] += theirs.number_probability(tile.number)
    return map_


def seated_game(board: Board, players: Sequence[Any], seed: int) -> Any:
    """Return a game of Catanatron that is about to begin, with the seats in the order given.

    Each of *players* is the name of a policy here, or a player of Catanatron's with the colour of its seat.
    """
    drawn = their_map(board)
    random.seed(seed)
    seated = [
        Ours(COLORS[seat], board, len(players), player) if isinstance(player, str) else player
        for seat, player in enumerate(players)
    ]
    game = Game([], initialize=False)
    game.seed, game.id, game.vps_to_win = seed, "", 10
    game.state = state = State(seated, drawn)
    state.players, state.colors = seated, tuple(player.color for player in seated)
    state.color_to_index = {color: seat for seat, color in enumerate(state.colors)}
    state.playable_actions = generate_playable_actions(state)
    return game


class Follower:
    """Follow a game of Catanatron in a game of the library, of which `s` is the state on the ground `g`."""

    def __init__(self, board: Board, policies: tuple[int, ...]) -> None:
        self.ours = OurGame(board, len(policies), seed=1)
        self.g, self.s, self._done = ground_of(board, policies), self.ours._s, 0
        # These four numbers of the generator keep the stored games of research/games as they are.
        reset(self.g, self.s, table([random.getrandbits(32) for _ in range(4)]))

    def step(self, game: Any, action: Any) -> None:
        """Carry out one action of its log."""
        act = to_act(game, action)
        for k, x in enumerate(act):
            self.s[AT.act + k] = x
        apply(self.g, self.s)
        self._done += 1

    def catch_up(self, game: Any) -> None:
        """Follow all actions since the last call, and copy the hands if it deals by different rules."""
        for action in game.state.actions[self._done :]:
            self.step(game, action)
        for k, resource in enumerate(RESOURCES):
            for p in range(len(game.state.colors)):
                self.s[AT.hand + 5 * p + k] = game.state.player_state[f"P{p}_{resource}_IN_HAND"]
            self.s[AT.bank + k] = game.state.resource_freqdeck[THEIR_ORDER.index(resource)]


class Ours(Follower):
    """A policy of the library as a player of Catanatron."""

    def __init__(self, color: Any, board: Board, seats: int, policy: str) -> None:
        result = COLORS.index(color)
        super().__init__(board, tuple(POLICIES.index(policy) * (seat == result) for seat in range(seats)))
        self.color = color

    def decide(self, game: Any, actions: list[Any]) -> Any:
        """Return the choice of the policy among *actions*, without a card if none is offered."""
        if len(actions) == 1:
            return actions[0]
        known = [to_act(game, action) for action in actions]
        self.catch_up(game)
        played, answer = self.s[NOW.card_played], self.choice()
        if answer not in known:
            self.s[NOW.card_played] = 1
            answer = self.choice()
            self.s[NOW.card_played] = played
        return actions[known.index(answer) if answer in known else 0]

    def choice(self) -> list[int]:
        """Return the choice of the policy as an action of the library, without chance outcomes."""
        decide(self.g, self.s)
        size = {DO.play: 4, DO.barter: 3, DO.rob: 3, DO.roll: 1, DO.buy: 1, DO.end: 1}
        act = [int(x) for x in self.s[AT.act : AT.act + size.get(int(self.s[AT.act]), 2)]]
        if act[0] == DO.play:
            act = act[: {CARD.plenty: 4, CARD.monopoly: 3}.get(act[1], 2)]
        if act[:2] == [DO.play, CARD.plenty]:
            act[2:] = sorted(act[2:], key=lambda r: (r < 0, r))
        return act


def to_act(game: Any, action: Any) -> list[int]:
    """Return an action of Catanatron as one of the library, with chance outcomes if it has them."""
    value, known, resource = action.value, names(), RESOURCES.index
    has_outcome = value is not None
    makers: dict[Any, Callable[[], list[int]]] = {
        ActionType.BUILD_SETTLEMENT: lambda: [DO.settle, known.nodes.index(value)],
        ActionType.BUILD_CITY: lambda: [DO.upgrade, known.nodes.index(value)],
        ActionType.BUILD_ROAD: lambda: [DO.lay, known.edges.index((min(value), max(value)))],
        ActionType.BUY_DEVELOPMENT_CARD: lambda: [DO.buy, *([CARDS.index(value)] if has_outcome else [])],
        ActionType.MARITIME_TRADE: lambda: [DO.barter, resource(value[0]), resource(value[-1]), 0],
        ActionType.ROLL: lambda: [DO.roll, *([sum(value)] if has_outcome else [])],
        ActionType.DISCARD: lambda: [DO.discard, *(map(value.count, RESOURCES) if has_outcome else [])],
        ActionType.MOVE_ROBBER: lambda: [
            DO.rob,
            known.coordinates.index(value[0]),
            game.state.color_to_index.get(value[1], -1),
            *([] if value[2] is None else [resource(value[2])]),
        ],
        ActionType.PLAY_YEAR_OF_PLENTY: lambda: [DO.play, CARD.plenty, *sorted(map(resource, value)), -1][:4],
        ActionType.PLAY_MONOPOLY: lambda: [DO.play, CARD.monopoly, resource(value)],
        ActionType.PLAY_KNIGHT_CARD: lambda: [DO.play, CARD.knight],
        ActionType.PLAY_ROAD_BUILDING: lambda: [DO.play, CARD.roads],
        ActionType.END_TURN: lambda: [DO.end],
    }
    return makers[action.action_type]()
