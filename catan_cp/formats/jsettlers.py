"""Reader of saved games of JSettlers2 (``*.game.json``), model versions 2300 and 2400.

Source: JSettlers2 2.7, ``SavedGameModel``, ``SOCBoard4p``, ``SOCBoard6p`` and the messages of board layouts.
The classic board and that for 5 and 6 players are read, not sea boards and scenarios. A game has the pieces
of each player in the order placed, without settlements that became cities. The first two roads of a player
and its buildings at their ends give the opening.
"""

from __future__ import annotations

from collections.abc import Sequence

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import Point
from catan_cp.boards.pieces import MARKERS
from catan_cp.errors import InvalidBoard
from catan_cp.formats.diagonal import MOST, edge, hexagon, node
from catan_cp.formats.entry import Entry, distinct
from catan_cp.formats.places import Ground
from catan_cp.placement.judging import Draft

TERRAIN = {0: "desert", 1: "brick", 2: "ore", 3: "wool", 4: "grain", 5: "lumber"}
WATER = 6
TRADE = {0: "3:1"} | {code: name for code, name in TERRAIN.items() if code}
_ROWS = ((0x17, 4), (0x15, 5), (0x13, 6), (0x11, 7), (0x31, 6), (0x51, 5), (0x71, 4))
HEXES = tuple(first + 0x22 * i for first, n in _ROWS for i in range(n))
_PORT_EDGES = (0x27, 0x5A, 0x9C, 0xCC, 0xC9, 0xA5, 0x72, 0x42, 0x24)
PORTS = tuple(zip((0, 2, 8, 21, 32, 35, 33, 22, 9), _PORT_EDGES, strict=True))
"""The hexagon and the edge of each harbor of the classic board."""
LARGE_PORTS = (0x07, 0x3A, 0x7C, 0xAC, 0xCA, 0xC7, 0xA3, 0x70, 0x30, 0x00, 0x03)
"""The edge of each harbor of the board for 5 and 6 players."""
PORT_CODES = dict.fromkeys(range(7, 13), 0) | {16 * side + k: k for side in range(1, 7) for k in range(1, 6)}
"""The kind of the harbor per code of a hexagon, whose facing JSettlers2 ignores."""
KINDS = {"ROAD": "road", "SETTLEMENT": "settlement", "CITY": "city", 0: "road", 1: "settlement", 2: "city"}

Built = list[tuple[str, int]]
"""The kind and the coordinate of each piece of a player, in the order placed."""


def read(text: str) -> Board | Draft:
    """Return the opening of a saved game, or the board if no settlement is placed.

    Raises:
        InvalidBoard: an unknown value, or no board of this format.
        InvalidArgument: the settlements or roads are not those of an opening.
    """
    game = Entry.of(text)
    game["modelVersion"].choice({2300: None, 2400: None})
    ground, seats = ground_of(game), seats_of(game)
    openings = [_opening(name, built) for name, built in seats]
    turns = [(seat, 0) for seat in range(len(seats))] + [(seat, 1) for seat in reversed(range(len(seats)))]
    pieces = [(seat + 1, spot) for seat, turn in turns for spot in (*openings[seat], (), ())[turn]]
    return ground.opening(distinct([name for name, _ in seats], "the names of players"), pieces)


def ground_of(game: Entry) -> Ground:
    """Return the board of a saved game."""
    options, info = game.get("gameOptions"), game["boardInfo"]
    if options and ",SC=" in f",{options.value}":
        options.reject("those of a game without a scenario (SC)")
    markers = dict.fromkeys((-1, 0)) | {marker: marker for marker in MARKERS}
    if layout := info.get("layout1"):
        numbers, hexes = layout["numberLayout"], layout["hexLayout"]
        codes = hexes.numbers(len(HEXES))
        kinds = [Entry(codes[k], f"{hexes.place}.{k}") for k, _ in PORTS]
        edges, known = [place for _, place in PORTS], PORT_CODES
        markers = {-1: None} | dict(enumerate(MARKERS))
    else:
        if (form := info["layout2"]["boardEncodingFormat"]).value != 2:
            form.reject("that of a board without sea (2)")
        parts = info["layout2"]["layoutParts"]
        numbers, hexes, edges = parts["NL"], parts["HL"], list(LARGE_PORTS)
        codes, kinds, known = hexes.numbers(len(HEXES)), parts["PL"].entries(), {kind: kind for kind in TRADE}
    numbers.numbers(len(HEXES))
    sea = dict.fromkeys((WATER, *(codes[k] for k, _ in PORTS if layout)), "")
    tiles: dict[Point, tuple[str, int | None]] = {}
    for place, code, number in zip(HEXES, hexes.entries(), numbers.entries(), strict=True):
        if terrain := code.choice(sea | TERRAIN):
            tiles[hexagon(place)] = terrain, number.choice(markers)
    if len(kinds) != len(edges):
        raise InvalidBoard(f"PL must have {len(edges)} harbors, not {len(kinds)}")
    ports = [(edge(place), TRADE[kind.choice(known)]) for place, kind in zip(edges, kinds, strict=True)]
    return Ground(tiles, ports)


def seats_of(game: Entry) -> list[tuple[str, Built]]:
    """Return the name and the pieces of each player, in the order of turns."""
    chairs = game["playerSeats"].entries()
    first = game["elements"]["FIRST_PLAYER"].number(0, len(chairs) - 1)
    seats = []
    for chair in (*chairs[first:], *chairs[:first]):
        if not _is_vacant(chair):
            pieces = chair["pieces"].entries()
            built = [(piece["pieceType"].choice(KINDS), piece["coord"].number(0, MOST)) for piece in pieces]
            seats.append((chair["name"].text(), built))
    return seats


def _is_vacant(chair: Entry) -> bool:
    vacant, pieces = chair["isSeatVacant"], chair.get("pieces")
    if not isinstance(vacant.value, bool):
        vacant.reject("true or false")
    if vacant.value and pieces and pieces.entries():
        pieces.reject("empty, because the seat is vacant")
    return vacant.value


def _opening(name: str, built: Built) -> list[tuple[Sequence[Point], ...]]:
    """Return the first two settlements of a player, each with its road if it is placed."""
    buildings = {node(place) for kind, place in built if kind != "road"}
    spots: list[tuple[Sequence[Point], ...]] = []
    for road in [edge(place) for kind, place in built if kind == "road"][:2]:
        ends = [end for end in road if end in buildings]
        if len(ends) != 1:
            raise InvalidBoard(f"the first roads of {name!r} must begin at one building each, not at {ends}")
        buildings -= {ends[0]}
        spots.append((ends, road))
    settled = [node(place) for kind, place in built if kind == "settlement"]
    return [*spots, *(([point],) for point in settled if point in buildings)][:2]
