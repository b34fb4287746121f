"""Pictures of boards, and charts of plain numbers. matplotlib is loaded when the first picture is drawn."""

from catan_cp.draw.board import plot_board
from catan_cp.draw.charts import plot_counts, plot_curves, plot_spread
from catan_cp.draw.figures import plot_gallery, plot_pair
from catan_cp.draw.files import board_png, board_svg, save_picture
from catan_cp.draw.sheet import print_sheet

__all__ = [
    "board_png",
    "board_svg",
    "plot_board",
    "plot_counts",
    "plot_curves",
    "plot_gallery",
    "plot_pair",
    "plot_spread",
    "print_sheet",
    "save_picture",
]
