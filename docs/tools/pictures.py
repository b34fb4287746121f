"""The pictures on the pages: ``python docs/tools/pictures.py`` draws them anew.

Boards are given in notation, so that no solver is needed and the pictures stay the same.
"""

from __future__ import annotations

from pathlib import Path

from catan_cp import Board, save_picture, solve_placement
from catan_cp.placement import vertex_values

FOLDER = Path(__file__).resolve().parent.parent / "pictures"
BOARD = "g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12"
"""The board of the tutorial."""


def draw(folder: Path) -> list[Path]:
    """Draw every picture into *folder*, and return the files."""
    board = Board.from_notation(BOARD)
    settle = save_picture(
        board,
        folder / "settle.svg",
        force=True,
        placement=solve_placement(board),
        heat=vertex_values(board),
    )
    return [settle]


if __name__ == "__main__":
    for path in draw(FOLDER):
        print(path)
