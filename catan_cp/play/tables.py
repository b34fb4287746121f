"""The constants of a game and the layout of the engine's tables.

The tables are flat, so that they work as arrays if compiled and as lists if not. A part with resources has
five entries per seat. A part with the surroundings of a vertex has three entries per vertex.

>>> AT.bank == AT.hand + 5 * BANK  # the hand of the seat `BANK`
True
>>> THING.city, PHASE.main, KINDS[0]
(2, 5, 'brick')
"""

from collections import namedtuple
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.compiled import table, zeros
from catan_cp.errors import InvalidArgument, InvalidBoard, check_count, check_kind, show


def _named(**numbers: int) -> Any:
    """Return numbers as a named tuple, which compiled code can use."""
    kind: Any = namedtuple("Numbers", list(numbers))  # type: ignore[misc]
    return kind(**numbers)


def _numbered(names: str) -> Any:
    """Return names with the numbers from 0 on, as `_named` does."""
    return _named(**{name: number for number, name in enumerate(names.split())})


KINDS = RESOURCES
"""The resources, in the order of the tables."""

THING = _numbered("road settlement city card nothing")
"""The things that can be built or bought.

The first three index the pieces left (``AT.left``).
"""

COSTS = ((1, 0, 0, 0, 1), (1, 1, 1, 0, 1), (0, 2, 0, 3, 0), (0, 1, 1, 1, 0), (0, 0, 0, 0, 0))
PIECES = (15, 5, 4)
CARD = _numbered("knight roads plenty monopoly point")
"""The development cards."""

DECK = (14, 2, 2, 2, 5)
LARGE_DECK = (20, 3, 3, 3, 5)
SUPPLY, LARGE_SUPPLY = 19, 24
"""The number of cards of each resource, at a small and at a large table."""

DO = _numbered("settle lay upgrade buy play barter swap roll discard rob end offer accept decline")
"""The actions. After the number of an action, ``s[AT.act]`` has:

- settle, upgrade: the vertex
- lay: the edge
- buy: the card, or -1 for a random card
- play: the card, then two resources for plenty (-1: none) and one for monopoly
- barter, with the bank: the resource given, the resource taken, the cards given (0: the best rate)
- swap, with a player, card for card: the seat, the resource given, the resource taken
- roll: the sum of the dice, or 0 for a random roll
- discard: five numbers of cards
- rob: the tile, the seat (-1: none), the resource (-1: a random card)
- offer, to another seat: the seat, the resource and number of cards given, the same of cards taken
"""

POLICY = _numbered("weighted greedy trader expert")
"""The policies, as defined in `catan_cp.play.policies`."""

CUSTOM = -1
"""The policy of a seat that a function of the user plays."""

PHASE = _numbered(
    "settling first_road rolling discarding robbing main free_roads building over answering paired"
)
"""The kinds of decisions, as defined in `catan_cp.play.engine`."""

NOW = _numbered(
    "seat phase active turn placed robber cards_left card_played free back last "
    "road_holder army_holder leader known_leader changes since winner actions swapped to_discard "
    "offers gives gives_count takes takes_count"
)
"""The first numbers of a state.

They include the seat to decide, the phase, and the seat whose turn it is (*active*).

*actions* counts the actions of the turn. The bits of *swapped* are the resources that the active seat has
taken in swaps of the turn. *to_discard* is the number of cards that the seat still has to discard. *offers*
counts the offers of the turn. The four numbers after it are the offer to answer: what the active seat gives
and takes.
"""

WEIGHT = _numbered(
    "brick grain wool ore lumber any_brick any_grain any_wool any_ore any_lumber harbor own_harbor "
    "point card patience longest_road largest_army"
)
"""The weights of policies with goals, in fortieths of a pip.

The weights are for a pip of each resource, each resource not yet yielded, a harbor, a pip of the resource
that a harbor trades 2:1, a point, and a development card. *longest_road* and *largest_army* are added to the
worth of a step that brings the award. *patience* is the wait, in tenths of a roll, after which a gain counts
half.
"""

GREEDY = (*[40] * 5, *[80] * 5, 40, 0, 160, 160, 80, 0, 0)
EXPERT = (24, 59, 34, 54, 31, 144, 323, 106, 88, 86, 58, 11, 327, 386, 23, 218, 224)
"""The weights of `expert`, learned from 260,000 games.

Two experts played against a greedy player and a trader, on 240 boards of four presets. An evolution strategy
sampled weights near the best so far, played the same boards with each, and continued from the mean of the
better half.
"""

BOOK = _named(
    least_army=3, poor=2, most_turns=1000, most_actions=200, small_table=4, most_seats=6, any=5,
    partner=3,
)  # fmt: skip
"""Numbers of the rules.

- least_army: the minimum largest army
- poor: the maximum number of visible points of a seat that a friendly robber spares
- most_turns: the turns after which an unfinished game ends
- most_actions: the actions after which a turn ends. This is more than a bank's cards can pay for, so only
  swaps reach it
- small_table: the maximum number of seats at a small table. A large table has a larger board, bank and deck,
  and its seats build between turns
- most_seats: the maximum number of seats
- any: the number of a harbor for all resources
- partner: the number of seats from a seat to the partner of its turn, if players are paired
"""


@dataclass(frozen=True)
class GameRules:
    """Variants of the rules of play. The defaults are the base game.

    >>> GameRules(points=12, friendly_robber=True).friendly_robber
    True

    Attributes:
        points: the points to win, from 7 to 15.
        hand_limit: the maximum number of resource cards without a discard after a seven, from 5 to 95.
        friendly_robber: True if the robber spares seats with at most two visible points, a variant of
            *Traders & Barbarians*. It does not move to a tile at which such a seat has a building, except to
            a desert, and it takes no card from such a seat. If no tile is left, it stays.
        least_road: the minimum length of the longest road, from 3 to 5.
        any_rate: True if a seat may also trade with the bank at a rate worse than its best, such as 4:1
            although it has a harbor.
        robber_steps: True if the robber moves to a neighbor of its tile only.
        paired_players: True if five and six players play by the rule of paired players instead of the
            special building phase: after a turn, the third seat to the left builds, buys, plays a card
            and trades with the bank.
        offers: the maximum number of offers of a seat to other seats in a turn, from 0 to 50.

    Raises:
        InvalidArgument: another value.
    """

    points: int = 10
    hand_limit: int = 7
    friendly_robber: bool = False
    least_road: int = 5
    any_rate: bool = False
    robber_steps: bool = False
    paired_players: bool = False
    offers: int = 3

    def __post_init__(self) -> None:
        ranges = {"points": (7, 15), "hand_limit": (5, 95), "least_road": (3, 5), "offers": (0, 50)}
        for name, value in asdict(self).items():
            if name in ranges:
                object.__setattr__(self, name, check_count(name, value, *ranges[name]))
            else:
                check_kind(f"{name} must be True or False", value, bool)

    def __str__(self) -> str:
        texts = {"True": "yes", "False": "no"}
        values = {name.replace("_", " "): str(value) for name, value in asdict(self).items()}
        return ", ".join(f"{name} {texts.get(value, value)}" for name, value in values.items())


BASE_GAME = GameRules()

BANK = BOOK.most_seats
"""The seat of the bank."""

LARGE_TABLE = 25
"""The minimum number of tiles for more than four players."""

MOST_TILES, MOST_VERTICES, MOST_EDGES = 96, 208, 304
"""The largest board that fits the tables."""


def _table_layout(**sizes: int) -> tuple[Any, int]:
    """Return the start of each part of a flat table, by name, and the size of the table."""
    starts = accumulate(sizes.values(), initial=0)
    return _named(**dict(zip(sizes, starts, strict=False))), sum(sizes.values())


AT, _STATE = _table_layout(
    now=len(NOW),
    act=6,
    random=4,
    hand=5 * BOOK.most_seats,
    bank=5,  # directly after the hands: the hand of seat `BANK`
    cards=5 * BOOK.most_seats,  # development cards held
    fresh=5,  # of these, those bought in this turn
    deck=sum(LARGE_DECK),  # development cards, bought from the end
    knights=BOOK.most_seats,
    owner=MOST_VERTICES,  # the seat that owns the building, -1 for none
    level=MOST_VERTICES,  # 1 for a settlement, 2 for a city
    shut=MOST_VERTICES,  # the number of buildings that forbid a settlement
    road=MOST_EDGES,  # the seat that owns the road, -1 for none
    left=3 * BOOK.most_seats,  # the remaining roads, settlements and cities of each seat
    length=BOOK.most_seats,  # of each seat's longest road
    rate=5 * BOOK.most_seats,  # the number of cards that the bank takes for one
    output=5 * BOOK.most_seats,  # pips of all buildings of a seat
    built=BOOK.most_seats,  # points on the board
    points=BOOK.most_seats,  # all points at the end of the last turn
    gained=5 * BOOK.most_seats,  # cards that tiles yielded
    trades=3 * BOOK.most_seats,  # at 4, 3 and 2 to one
    robbed=BOOK.most_seats,
    settlements=2 * BOOK.most_seats,  # first settlements
    history=BOOK.most_turns + BOOK.most_seats,  # points after each round
    owed=5 * BOOK.most_seats,
    goal=4,  # the worth of each goal, for policies
    score=MOST_TILES * (BOOK.most_seats + 1),  # scratch space for policies
)
"""The start of each part of the state in its table, `s`."""

ON, _GROUND = _table_layout(
    size=4,  # seats, vertices, edges, tiles
    goal=1,  # the points to win
    hand_limit=1,  # the maximum number of cards without a discard after a seven
    friendly=1,  # 1 if the robber is friendly
    least_road=1,  # the minimum longest road
    any_rate=1,  # 1 if a seat may trade with the bank at a rate worse than its best
    robber_steps=1,  # 1 if the robber moves to a neighbor of its tile only
    paired=1,  # 1 if players are paired
    offers=1,  # the maximum number of offers in a turn
    policy=BOOK.most_seats,  # the policy of each seat
    cost=25,  # five per thing
    weights=BOOK.most_seats * len(WEIGHT),  # the weights of each seat's policy
    kind=MOST_TILES,  # the resource of each tile, -1 for none
    number=MOST_TILES,  # the marker of each tile, 0 for none
    corners=6 * MOST_TILES,  # six vertices per tile
    ends=2 * MOST_EDGES,  # two vertices per edge
    near=3 * MOST_VERTICES,  # three neighbors per vertex, -1 for none
    ways=3 * MOST_VERTICES,  # the edges to these neighbors
    around=3 * MOST_VERTICES,  # three tiles per vertex, -1 for none
    yields=5 * MOST_VERTICES,  # pips of each resource, five per vertex
    pips=MOST_VERTICES,  # their sum
    worth=BOOK.most_seats * MOST_VERTICES,  # the worth of these pips to each seat, six per vertex
    harbor=MOST_VERTICES,  # the resource of the harbor: 5 for any, -1 for no harbor
    begin=_STATE,  # the initial state of a game, with an unshuffled deck
)
"""The start of each part of the ground in its table, `g`."""


def check_layout(layout: Layout, seats: int) -> None:
    """Check that this number of seats can play the base game on boards of a layout.

    Raises:
        InvalidArgument: the layout needs ships, has tiles with two markers or is too large. Or more than four
            seats play on fewer than 25 tiles.
    """
    large = layout.n_tiles > MOST_TILES or layout.n_vertices > MOST_VERTICES or len(layout.edges) > MOST_EDGES
    name, problem = repr(layout.name), ""
    if "sea" in layout.terrain_counts or len(layout.parts) > 1:
        problem = f"be playable without ships, not {name}; games use the base game's rules"
    elif layout.second_marker:
        problem = f"have one marker per tile for games, not two on a tile as {name}"
    elif large:
        problem = f"have at most {MOST_TILES} tiles for games, not more as {name}"
    elif seats > BOOK.small_table and layout.n_tiles < LARGE_TABLE:
        problem = f"be 'base-5-6' for 5 or 6 players, not {name}"
    if problem:
        raise InvalidArgument(f"layout must {problem}")


def check_playable(board: object, seats: int = BOOK.small_table) -> Board:
    """Return a board, also from its notation, if this number of seats can play the base game on it.

    Raises:
        InvalidArgument: *board* is neither a Board nor a notation, or as `check_layout`.
        InvalidBoard: the board has no markers, no desert for the robber, or a tile that the base game lacks.
    """
    if isinstance(board, str):
        board = Board.from_notation(board)
    if not isinstance(board, Board):
        raise InvalidArgument(f"board must be a Board, not {show(board)}")
    check_layout(board.layout, seats)
    notation = board.notation()
    if strange := [name for name in board.terrain if name not in (*KINDS, "desert")]:
        raise InvalidBoard(f"board must have terrains of the base game only, not {strange[0]}: {notation}")
    if not board.has_markers:
        raise InvalidBoard(f"the board has no markers, so no tile yields a card; add markers to {notation}")
    if "desert" not in board.terrain:
        raise InvalidBoard(f"the board has no desert, where the robber starts: {notation}")
    return board


def check_rules(rules: object, seats: int) -> GameRules:
    """Return variants of the rules if this number of seats can play by them.

    Raises:
        InvalidArgument: *rules* is not a GameRules, or pairs fewer than five players.
    """
    check_kind("rules must be a GameRules", rules, GameRules)
    assert isinstance(rules, GameRules)
    if rules.paired_players and seats <= BOOK.small_table:
        raise InvalidArgument(f"paired_players must be False for {seats} players; it is for 5 and 6")
    return rules


@lru_cache(maxsize=64)
def ground_of(board: Board, policies: tuple[int, ...], rules: GameRules = BASE_GAME) -> Any:
    """Return the ground of a checked board and of seats with these policies."""
    seats, large = len(policies), len(policies) > BOOK.small_table
    layout = check_playable(board, seats).layout
    edges = {frozenset(edge): k for k, edge in enumerate(layout.edges)}
    kinds = [KINDS.index(name) if name in KINDS else -1 for name in board.terrain]
    yields = np.zeros((layout.n_vertices, len(KINDS)), dtype=np.int64)
    for tile, vertices in enumerate(layout.tile_vertices):
        if kinds[tile] >= 0:
            yields[list(vertices), kinds[tile]] += layout.marker_pips(board.markers[tile])
    near, harbors = layout.vertex_neighbors, [-1] * layout.n_vertices
    for harbor in board.harbors:
        for v in harbor.vertices:
            harbors[v] = KINDS.index(harbor.trade) if harbor.trade in KINDS else BOOK.any
    weights = 100 * np.array([EXPERT if policy == POLICY.expert else GREEDY for policy in policies])
    worth = np.zeros((len(near), BOOK.most_seats), dtype=np.int64)
    worth[:, :seats] = yields @ weights[:, : len(KINDS)].T
    deck = np.repeat(CARD, LARGE_DECK if large else DECK)
    no_seat = dict.fromkeys(("road_holder", "army_holder", "leader", "known_leader", "winner"), -1)
    now = {"robber": board.terrain.index("desert"), "cards_left": len(deck), **no_seat}

    def threes(rows: Iterable[Sequence[int]]) -> list[int]:
        return [x for row in rows for x in (*row, -1, -1, -1)[:3]]

    begin: dict[str, Any] = {
        "now": [now.get(name, 0) for name in NOW._fields],  # phase 0 is settling
        "bank": [LARGE_SUPPLY if large else SUPPLY] * len(KINDS),
        "deck": deck,
        "owner": [-1] * len(near),
        "road": [-1] * len(edges),
        "left": PIECES * seats,
        "rate": [4] * len(KINDS) * seats,
    }
    ground: dict[str, Any] = {
        "size": [seats, layout.n_vertices, len(edges), layout.n_tiles],
        "goal": [rules.points],
        "hand_limit": [rules.hand_limit],
        "friendly": [rules.friendly_robber],
        "least_road": [rules.least_road],
        "any_rate": [rules.any_rate],
        "robber_steps": [rules.robber_steps],
        "paired": [rules.paired_players],
        "offers": [rules.offers],
        "policy": policies,
        "cost": np.ravel(COSTS),
        "weights": weights.ravel(),
        "kind": kinds,
        "number": [marker or 0 for marker in board.markers],
        "corners": np.ravel(layout.tile_vertices),
        "ends": np.ravel(layout.edges),
        "near": threes(near),
        "ways": threes([[edges[frozenset((a, b))] for b in row] for a, row in enumerate(near)]),
        "around": threes(layout.vertex_tiles),
        "yields": yields.ravel(),
        "pips": yields.sum(axis=1),
        "worth": worth.ravel(),
        "harbor": harbors,
        "begin": _filled(begin, AT, _STATE),
    }
    return table(_filled(ground, ON, _GROUND))


def _filled(parts: dict[str, Any], starts: Any, size: int) -> Any:
    """Return a table with these parts and 0 in all others."""
    filled = np.zeros(size, dtype=np.int64)
    for name, values in parts.items():
        start = getattr(starts, name)
        filled[start : start + len(values)] = values
    return filled


def new_state() -> Any:
    """Return an empty state. `reset` begins each game in it."""
    return zeros(_STATE)
