"""Writer of headers of catanlog."""

import re

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.errors import InvalidArgument, InvalidBoard, check_kind, show
from catan_cp.formats.catanlog import EDGES, centres
from catan_cp.formats.places import NAMES, beside
from catan_cp.placement.judging import Draft

WORDS = {name: word for word, name in NAMES.items()} | {"desert": "desert", "3:1": "3:1"}


def catanlog_header(game: Board | Draft) -> str:
    """Return a board of ``base`` as the header of a log of catanlog 0.9.3.

    Args:
        game: a board, or a draft with its board. Its seats are the colors and names of players, by
            default red, blue, orange and white.

    Raises:
        InvalidBoard: the board has another layout.
        InvalidArgument: *game* has no board, or a seat has a comma, a line end or no name.
    """
    board = (
        game
        if isinstance(game, Board)
        else check_kind("game must be a Board or Draft", game, Draft).known_board
    )
    if board.layout != LAYOUTS["base"]:
        raise InvalidBoard(f"board must be one of 'base' for catanlog, not of {board.layout.name!r}")
    colors = (game.seats if isinstance(game, Draft) else ()) or ("red", "blue", "orange", "white")
    if wrong := [color for color in colors if not re.fullmatch(r"[^,\s][^,\r\n]*", color)]:
        raise InvalidArgument(f"a seat must be a name without commas for catanlog, not {show(wrong[0])}")
    places, spiral = board.layout.vertices, board.layout.spirals[0]
    edges = {
        frozenset(beside(centre, *steps)): (int(number), name)
        for number, centre in reversed(centres().items())
        for name, steps in EDGES.items()
    }
    ports = sorted((edges[frozenset(places[v] for v in h.vertices)], WORDS[h.trade]) for h in board.harbors)
    lines = ["catanlog v0.9.3", "timestamp: 1970-01-01 00:00:00", f"players: {len(colors)}"]
    lines += [f"name: {color}, color: {color}, seat: {seat}" for seat, color in enumerate(colors, start=1)]
    lines.append("terrain: " + " ".join(WORDS[board.terrain[tile]] for tile in spiral))
    lines.append("numbers: " + " ".join(str(board.markers[tile]) for tile in spiral))
    lines.append("ports: " + " ".join(f"{word}({number} {name})" for (number, name), word in ports))
    return "\n".join([*lines, "...CATAN!", ""])
