"""Reader of logs of catanlog (``*.catan``), versions 0.3 to 0.9.

Source: catanlog 0.9.3 and hexgrid 0.1. A header has the players, then terrain and numbers of the 19 tiles in
a spiral from the upper left, counter-clockwise, and the harbors. Each further line is an action. A place is
``(TILE DIRECTION)``, in versions before 0.4 a coordinate of `catan_cp.formats.diagonal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from catan_cp.boards.board import Board
from catan_cp.boards.geometry import VERTEX_STEPS, Point
from catan_cp.boards.layout import LAYOUTS
from catan_cp.boards.pieces import MARKERS
from catan_cp.errors import InvalidBoard, listed
from catan_cp.formats.diagonal import MOST, edge, hexagon, node
from catan_cp.formats.entry import Entry
from catan_cp.formats.places import TERRAINS, TRADES, Ground, Piece, beside
from catan_cp.placement.judging import Draft

Steps = dict[str, tuple[Point, ...]]
NODES: Steps = {
    name: (step,) for name, step in zip(("NE", "SE", "S", "SW", "NW", "N"), VERTEX_STEPS, strict=True)
}
EDGES: Steps = {
    name: (VERTEX_STEPS[i - 1], VERTEX_STEPS[i]) for i, name in enumerate(("NE", "E", "SE", "SW", "W", "NW"))
}
NUMBERS = {"None": None} | {str(marker): marker for marker in MARKERS}
BUYS = ("buys city, ", "buys dev card", "buys road, ", "buys settlement, ")
VERBS = (*BUYS, "ends turn", "moves robber", "plays ", "rolls ", "trades ", "wins")
_PLACE = re.compile(r"\(([0-9]{1,2}) ([A-Z]{1,2})\)")
_BUYS = re.compile(r"(settlement|road), builds at (.+)")
_PORT = re.compile(r"([^\s()]{1,9})(\([^()]{1,9}\)) *")
_PLAYER = re.compile(r"(.*), color: ([^,]{1,40}), seat: ([0-9])")


def centres() -> dict[str, Point]:
    """Return the centre of each tile of ``base`` by its number in a log."""
    base = LAYOUTS["base"]
    return {str(number): base.tiles[tile] for number, tile in enumerate(base.spirals[0], start=1)}


class _Log:
    """The lines of a log, read one after the other."""

    def __init__(self, text: str) -> None:
        self.lines, self.number = [line.strip() for line in text.strip().splitlines()], 0
        self.centres = centres()

    def entry(self, value: str) -> Entry:
        """Return a value with the place of the last line."""
        return Entry(value, f"line {self.number}")

    def after(self, start: str) -> str:
        """Return the next line after its *start*."""
        self.number += 1
        line = self.lines[self.number - 1] if self.number <= len(self.lines) else ""
        if not line.startswith(start):
            self.entry(line).reject(f"a line that begins with {start!r}")
        return line[len(start) :].strip()

    def points(self, place: str, steps: Steps) -> tuple[Point, ...]:
        """Return the positions of a place."""
        if place.isascii() and place.isdigit() and len(place) < 4:
            number = Entry(int(place), f"line {self.number}").number(0, MOST)
            points = edge(number) if steps is EDGES else (node(number),)
            (x, y), (left, top) = self.centres["1"], hexagon(0x37)
            return tuple((px + x - left, py + y - top) for px, py in points)
        match = _PLACE.fullmatch(place) or self.entry(place).reject("a place such as (1 NW)")
        return tuple(beside(self.entry(match[1]).choice(self.centres), *self.entry(match[2]).choice(steps)))


def read(text: str) -> Board | Draft:
    """Return the opening of a log, or the board if no settlement is placed.

    The names of the seats are the colors.

    Raises:
        InvalidBoard: an unknown value, or no board of this format.
        InvalidArgument: the settlements or roads are not those of an opening.
    """
    log = _Log(text)
    log.after("catanlog v")
    log.after("timestamp:")
    n_players = log.entry(log.after("players:")).choice({str(n): n for n in range(1, 7)})
    seats: dict[str, int] = {}
    for seat in range(1, n_players + 1):
        line = log.after("name:")
        match = _PLAYER.fullmatch(line)
        if match is None or match[3] != str(seat) or match[2] in seats:
            log.entry(line).reject(f"NAME, color: COLOR, seat: {seat}, with another color per seat")
        seats[match[2]] = seat
    terrain = [log.entry(word).choice(TERRAINS) for word in log.after("terrain:").split()]
    markers = [log.entry(word).choice(NUMBERS) for word in log.after("numbers:").split()]
    if not len(terrain) == len(markers) == len(log.centres):
        raise InvalidBoard(f"a log must have 19 terrains and numbers, not {len(terrain)} and {len(markers)}")
    line = log.after("ports:")
    if _PORT.sub("", line):
        log.entry(line).reject("harbors such as wood(2 W)")
    ports = [(log.points(at, EDGES), log.entry(word).choice(TRADES)) for word, at in _PORT.findall(line)]
    log.after("...CATAN!")
    tiles = zip(log.centres.values(), zip(terrain, markers, strict=True), strict=True)
    return Ground(dict(tiles), ports).opening([*seats], _pieces(log, seats))


def _pieces(log: _Log, seats: dict[str, int]) -> Iterator[Piece]:
    """Yield the settlements and roads in the order of the log."""
    for line in log.lines[log.number :]:
        log.number += 1
        color = next((name for name in seats if line.startswith(f"{name} ")), "")
        action = line[len(color) + 1 :]
        if not color or not action.startswith(VERBS):
            verbs = listed(verb.strip(", ") for verb in VERBS)
            log.entry(line).reject(f"a color ({listed(seats)}) and one of {verbs}")
        if match := _BUYS.fullmatch(action.removeprefix("buys ")):
            yield seats[color], log.points(match[2], NODES if match[1] == "settlement" else EDGES)
