from .board import board_png as board_png
from .board import board_svg as board_svg
from .board import plot_board as plot_board
from .board import save_picture as save_picture
from .gallery import gallery_svg as gallery_svg
from .gallery import plot_gallery as plot_gallery
from .gallery import plot_pair as plot_pair
from .sheet import print_sheet as print_sheet
