from .reading import FORMATS as FORMATS
from .reading import import_board as import_board
from .writing import catanlog_header as catanlog_header
