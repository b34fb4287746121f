"""Text for vertices: names by the adjacent tiles, and a map of the board."""

import re
from collections.abc import Mapping

from catan_cp.boards.board import Board

_HALF_WIDTH = 3  # characters in half the width of a tile


def vertex_name(board: Board, vertex: int) -> str:
    """Return a vertex by its tiles, with its number: ``ore 3, brick 5, grain 6 (42)``."""
    tiles = board.layout.vertex_tiles[vertex]
    names = [" ".join(map(str, filter(None, (board.terrain[t], board.markers[t])))) for t in tiles]
    return f"{', '.join(names)} ({vertex})"


def vertex_map(board: Board, marks: Mapping[int, str], *, numbers: bool = False) -> str:
    r"""Return the board as text, the tiles on every third line and the vertices between.

    >>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
    >>> print("\n".join(vertex_map(board, {0: "[1]"}).splitlines()[:5]))
               ·     ·     ·
            ·    [1]    ·     ·
              g3    l11   w9
            ·     ·     ·     ·
         ·     ·     ·     ·     ·

    Args:
        board: the board.
        marks: texts of at most four characters to write at vertices, by vertex.
        numbers: True to write the number of each other vertex instead of a dot.
    """
    layout = board.layout
    tiles = re.findall(r"[a-z]\d*(?:\+\d+)?", re.split(r"[ :@]", board.notation())[0])
    cells = dict(zip(layout.tiles, tiles, strict=True))
    for vertex, place in enumerate(layout.vertices):
        cells[place] = marks.get(vertex) or (str(vertex) if numbers else "·")
    first_x = min(x for x, _ in cells)
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    lines = dict.fromkeys(rows, "")
    for (x, y), text in sorted(cells.items()):
        start = (x - first_x) * _HALF_WIDTH + 2 - len(text) // 2
        lines[y] = lines[y].ljust(start) + text
    return "\n".join(lines.values())
