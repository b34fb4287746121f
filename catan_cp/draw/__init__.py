"""Pictures of boards. Made with matplotlib, which is loaded when the first picture is drawn, not before."""

from catan_cp.draw.board import plot_board
from catan_cp.draw.figures import plot_gallery, plot_pair
from catan_cp.draw.files import board_svg, save_picture
from catan_cp.draw.sheet import print_sheet

__all__ = ["board_svg", "plot_board", "plot_gallery", "plot_pair", "print_sheet", "save_picture"]
