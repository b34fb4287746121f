from .reading import FORMATS as FORMATS
from .reading import import_board as import_board
