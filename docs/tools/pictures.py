"""Plot the pictures of boards and counts on the pages: ``python docs/tools/pictures.py``.

Boards come from notations, so the pictures need no solver and do not change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure, SubFigure

import catan_cp
from catan_cp import LAYOUTS, Board, Rules
from catan_cp.draw import plot_gallery, plot_pair
from notebooks.charts import plot_counts

FOLDER = Path(__file__).resolve().parent.parent / "pictures"
BOARD = "g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12"
"""The board of the tutorial."""

FIRST = "w9l8d/b11g2w5l10/g6o5l12g4w8/l9g3o6b3/o10b4w11"
"""The board of the first page, with the printed harbors."""


def draw(folder: Path) -> list[Path]:
    """Plot every picture into *folder* and return the files."""
    terrain = Board.from_notation(FIRST)
    first = Board("base", terrain.terrain, terrain.markers, LAYOUTS["base"].printed_harbors)
    board = Board.from_notation(BOARD)
    settled: dict[str, Any] = {
        "placement": catan_cp.solve_placement(board),
        "heat": catan_cp.vertex_values(board),
        "heat_label": "value of a vertex to its owner",
        "key": True,
    }
    pictures = {
        "board.png": catan_cp.plot_board(first),
        "counts.png": plot_counts(terrain_counts(), label="terrain arrangements (log scale)"),
        "even.png": improved(),
    }
    drawn = [catan_cp.save_picture(board, folder / "settle.svg", force=True, **settled)]
    drawn += [
        catan_cp.save_picture(picture, folder / name, force=True, dpi=150)
        for name, picture in pictures.items()
    ]
    sheets = layouts()
    return drawn + [
        catan_cp.save_picture(sheet, folder / name, force=True, dpi=60) for name, sheet in sheets.items()
    ]


def layouts() -> dict[str, Figure | SubFigure]:
    """Return galleries of the printed arrangements, one per family of layouts."""
    families: dict[str, list[Board]] = {"classic": [], "sea": [], "ultimate": []}
    for name, layout in LAYOUTS.items():
        if layout.beginner_board:
            first = Board.from_notation(layout.beginner_board)
            coast_pieces = layout.printed_harbors, layout.fishing_grounds
            board = Board(layout, first.terrain, first.markers, *coast_pieces)
            family = "ultimate" if name.startswith("tb-ultimate") else "sea" if layout.sideways else "classic"
            families[family].append(board)
    return {
        f"layouts-{family}.png": plot_gallery(
            boards, [board.layout.name for board in boards], columns=4, patterns=False
        )
        for family, boards in families.items()
    }


def terrain_counts() -> dict[str, int]:
    """Return the number of terrain arrangements on `base` under several rules."""
    optimal = Rules.preset("optimal")
    chosen = {
        "any terrain": Rules(),
        "no group above 2": Rules(terrain_cluster_max=2),
        "lumber, brick apart": Rules(apart=(("brick", "lumber"),)),
        "no two equal touch": Rules(terrain_cluster_max=1),
        "both: optimal": optimal,
    }
    counts = {name: catan_cp.count_terrains(rules) for name, rules in chosen.items()}
    counts["up to symmetry"] = catan_cp.count_terrains(optimal, up_to_symmetry=True)
    counts["blog"] = catan_cp.count_terrains("blog")
    return counts


def improved() -> Figure | SubFigure:
    """Return a picture of a Seafarers board before and after the swaps."""
    result = catan_cp.improve_evenness("seafarers-8", 4000, seed=3)
    captions = (f"shuffled: error {result.errors[0]:.4f}", f"after 4,000 swaps: error {result.error:.4f}")
    return plot_pair(result.start, result.board, captions)


if __name__ == "__main__":
    for path in draw(FOLDER):
        print(path)
