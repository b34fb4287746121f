"""What a game stands on: the pieces, the actions, and where all is in the engine's tables.

Tables are flat, five entries a seat for resources, three a vertex for what lies around it, so that they work
as arrays when compiled and as lists when not.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.compiled import table, zeros
from catan_cp.errors import InvalidArgument, InvalidBoard, show


def _named(**numbers: int) -> Any:
    """Return numbers by their names, as compiled code reads them."""
    made: Any = namedtuple("Numbers", list(numbers))  # type: ignore[misc]
    return made(**numbers)


KINDS = RESOURCES
"""Resources in the order in which games count them."""

THING: Any = namedtuple("THING", "road settlement city card nothing")(*range(5))
"""What can be built, and, of the first three, where the pieces left stand."""

COSTS = ((1, 0, 0, 0, 1), (1, 1, 1, 0, 1), (0, 2, 0, 3, 0), (0, 1, 1, 1, 0), (0, 0, 0, 0, 0))
PIECES = (15, 5, 4)
CARD: Any = namedtuple("CARD", "knight roads plenty monopoly point")(*range(5))
"""The development cards."""

DECK = (14, 2, 2, 2, 5)
LARGE_DECK = (20, 3, 3, 3, 5)
SUPPLY, LARGE_SUPPLY = 19, 24
"""How many cards of each resource there are."""

DO: Any = namedtuple("DO", "settle lay upgrade buy play barter swap roll discard rob end")(*range(11))
"""The actions. What follows the number of an action in ``state.act``:

- settle, upgrade: the vertex; lay: the edge
- buy: the card, or -1 for what chance brings
- play: the card; for plenty two resources (-1: none), for monopoly one
- barter, with the bank: the resource given, the resource taken
- swap, with a player, card for card: the seat, the resource given, the resource taken
- roll: the sum of the dice, or 0 for what chance brings
- discard: five numbers of cards
- rob: the tile, the seat (-1: nobody), the resource (-1: what chance brings)
"""

POLICY: Any = namedtuple("POLICY", "weighted greedy trader expert")(*range(4))
"""The policies, as `catan_cp.play.policies` says."""

PHASE: Any = namedtuple(
    "PHASE", "settling first_road rolling discarding robbing main free_roads building over"
)(*range(9))
"""What is to be decided."""

NOW: Any = namedtuple(
    "NOW",
    "seat phase active turn placed robber cards_left card_played free back last "
    "road_holder army_holder leader known_leader changes since winner actions swapped",
)(*range(20))
"""What the first numbers of a state are: who decides, what, whose turn it is, and so on. *actions* counts
those of the turn; the bits of *swapped* are the resources that its seat has taken in swaps of the turn."""

WEIGHT: Any = namedtuple(
    "WEIGHT",
    "brick grain wool ore lumber any_brick any_grain any_wool any_ore any_lumber harbor own_harbor "
    "point card patience longest_road largest_army",
)(*range(17))
"""What counts so much to who plays for goals, in fortieths of a pip: a pip of each resource, each that is not
yet yielded, a harbor, a pip of what it trades 2:1, a point, a development card, what the longest road and the
largest army add where one step brings them; and after how many tenths of a roll a gain counts half."""

GREEDY = (*[40] * 5, *[80] * 5, 40, 0, 160, 160, 80, 0, 0)
EXPERT = (24, 59, 34, 54, 31, 144, 323, 106, 88, 86, 58, 11, 327, 386, 23, 218, 224)
"""Learned from 260,000 games of two experts against a greedy player and a trader, on 240 boards of four
presets: an evolution strategy draws weights near the best so far, plays the same boards with each, and goes
on from the mean of the better half."""

BOOK = _named(
    goal=10, hand_limit=7, least_road=5, least_army=3, most_turns=1000, most_actions=200, small_table=4,
    most_seats=6, any=5,
)  # fmt: skip
"""Numbers of the rules: points to win with, the most cards that a seven leaves alone, the least longest road
and largest army, turns after which a game that nobody has won is left, actions after which a turn ends (more
than the cards of a bank can pay for, so only swaps reach it), the most seats at a small table (more play on a
large board, with its bank and deck, and build between turns) and at all, and the number of a harbor for all
resources."""

BANK = BOOK.most_seats
"""The seat of the bank."""

LARGE_TABLE = 25
"""The least tiles for more than four."""

MOST_TILES, MOST_VERTICES, MOST_EDGES = 96, 208, 304
"""The largest board that there is room for."""


def _laid_out(**sizes: int) -> tuple[Any, int]:
    """Return where each part of a flat table begins, by name, and how long it is."""
    starts = accumulate(sizes.values(), initial=0)
    return _named(**dict(zip(sizes, starts, strict=False))), sum(sizes.values())


AT, _STATE = _laid_out(
    now=len(NOW),
    act=6,
    random=4,
    hand=5 * BOOK.most_seats,
    bank=5,  # right after the hands: the hand of seat `BANK`
    cards=5 * BOOK.most_seats,  # development cards held
    fresh=5,  # of these, those bought in this turn
    deck=sum(LARGE_DECK),  # development cards; those that are left are drawn from the end
    knights=BOOK.most_seats,
    owner=MOST_VERTICES,  # the seat that has built there, -1 for none
    level=MOST_VERTICES,  # 1 for a settlement, 2 for a city
    shut=MOST_VERTICES,  # how many buildings forbid to settle there
    road=MOST_EDGES,  # the seat whose road lies there, -1 for none
    left=3 * BOOK.most_seats,  # roads, settlements, cities that a seat has left
    length=BOOK.most_seats,  # of each seat's longest road
    rate=5 * BOOK.most_seats,  # cards that the bank asks for one
    output=5 * BOOK.most_seats,  # pips of all that a seat has built
    built=BOOK.most_seats,  # points on the board
    points=BOOK.most_seats,  # all points at the end of the last turn
    gained=5 * BOOK.most_seats,  # cards that tiles yielded
    trades=3 * BOOK.most_seats,  # at 4, 3 and 2 to one
    robbed=BOOK.most_seats,
    settlements=2 * BOOK.most_seats,  # first settlements
    history=BOOK.most_turns + BOOK.most_seats,  # points after each round
    owed=5 * BOOK.most_seats,
    goal=4,  # what each thing is worth to build next, for policies
    score=MOST_TILES * (BOOK.most_seats + 1),  # room for policies
)
"""Where the parts of a state stand in its table, `s`."""

ON, _GROUND = _laid_out(
    size=4,  # seats, vertices, edges, tiles
    policy=BOOK.most_seats,  # of each seat, how it plays
    cost=25,  # five a thing that can be built
    weights=BOOK.most_seats * len(WEIGHT),  # what counts so much to each seat, by its policy
    kind=MOST_TILES,  # the resource of each tile, -1 for none
    number=MOST_TILES,  # the marker of each tile, 0 for none
    corners=6 * MOST_TILES,  # six vertices a tile
    ends=2 * MOST_EDGES,  # two vertices an edge
    near=3 * MOST_VERTICES,  # three neighbours a vertex, -1 for none
    ways=3 * MOST_VERTICES,  # the edges to them
    around=3 * MOST_VERTICES,  # three tiles a vertex, -1 for none
    yields=5 * MOST_VERTICES,  # pips of each resource, five a vertex
    pips=MOST_VERTICES,  # their sum
    worth=BOOK.most_seats * MOST_VERTICES,  # what they are worth to each seat, six a vertex
    harbor=MOST_VERTICES,  # what the harbor of a vertex trades: a resource, 5 for any, -1 for none
    begin=_STATE,  # the state that a game begins in, its deck in order
)
"""Where the parts of the ground stand in its table, `g`."""


def check_layout(layout: Layout, seats: int) -> None:
    """Check that so many can play the base game on boards of a layout.

    Raises:
        InvalidArgument: it needs ships, has tiles of two markers, is too large; or more than four players on
            less than 25 tiles.
    """
    large = layout.n_tiles > MOST_TILES or layout.n_vertices > MOST_VERTICES or len(layout.edges) > MOST_EDGES
    if "sea" in layout.terrain_counts or len(layout.parts) > 1:
        raise InvalidArgument(f"{layout.name!r} needs ships, and games are of the base game, which has none")
    if layout.second_marker:
        raise InvalidArgument(f"games are of the base game; {layout.name!r} has tiles of two markers")
    if large:
        raise InvalidArgument(f"games are played on at most {MOST_TILES} tiles; {layout.name!r} is larger")
    if seats > BOOK.small_table and layout.n_tiles < LARGE_TABLE:
        raise InvalidArgument(f"5 and 6 play on 'base-5-6', not on {layout.name!r}")


def check_playable(board: object, seats: int = BOOK.small_table) -> Board:
    """Return *board* if so many can play the base game on it.

    Raises:
        InvalidArgument: it is no Board, or as `check_layout`.
        InvalidBoard: no markers, no desert for the robber, or a tile that the base game does not have.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(f"games are played on a Board, not {show(board)}")
    check_layout(board.layout, seats)
    told = board.notation()
    if strange := [name for name in board.terrain if name not in (*KINDS, "desert")]:
        raise InvalidBoard(f"games are of the base game, which has no {strange[0]}: {told}")
    if not board.has_markers:
        raise InvalidBoard(f"the board has no markers, so no tile yields anything: {told}")
    if "desert" not in board.terrain:
        raise InvalidBoard(f"the robber starts on a desert, and this board has none: {told}")
    return board


@lru_cache(maxsize=64)
def ground_of(board: Board, policies: tuple[int, ...]) -> Any:
    """Return the ground of a board, which is checked, and of seats with these policies."""
    seats, large = len(policies), len(policies) > BOOK.small_table
    layout = check_playable(board, seats).layout
    edges = {frozenset(edge): k for k, edge in enumerate(layout.edges)}
    kinds = [KINDS.index(name) if name in KINDS else -1 for name in board.terrain]
    yields = np.zeros((layout.n_vertices, len(KINDS)), dtype=np.int64)
    for tile, vertices in enumerate(layout.tile_vertices):
        if kinds[tile] >= 0:
            yields[list(vertices), kinds[tile]] += layout.marker_pips(board.markers[tile])
    near, harbors = layout.vertex_neighbors, [-1] * layout.n_vertices
    for one in board.harbors:
        for v in one.vertices:
            harbors[v] = KINDS.index(one.trade) if one.trade in KINDS else BOOK.any
    weights = 100 * np.array([EXPERT if policy == POLICY.expert else GREEDY for policy in policies])
    worth = np.zeros((len(near), BOOK.most_seats), dtype=np.int64)
    worth[:, :seats] = yields @ weights[:, : len(KINDS)].T
    deck = np.repeat(CARD, LARGE_DECK if large else DECK)
    nobody = dict.fromkeys(("road_holder", "army_holder", "leader", "known_leader", "winner"), -1)
    now = {"robber": board.terrain.index("desert"), "cards_left": len(deck), **nobody}

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
    """Return a table with these parts, and 0 elsewhere."""
    made = np.zeros(size, dtype=np.int64)
    for name, values in parts.items():
        start = getattr(starts, name)
        made[start : start + len(values)] = values
    return made


def new_state() -> Any:
    """Return a state to play games in; `reset` begins each."""
    return zeros(_STATE)
