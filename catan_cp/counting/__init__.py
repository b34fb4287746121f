"""How many boards there are, exactly; any one of them by its number, and some drawn uniformly."""

from catan_cp.counting.boards import (
    board_at,
    has_few,
    is_drawn,
    is_quick,
    rank,
    sample_boards,
)
from catan_cp.counting.counts import (
    count_boards,
    count_markers,
    count_terrain,
    counted_quickly,
    is_countable,
    sample_terrain,
)

__all__ = [
    "board_at",
    "count_boards",
    "count_markers",
    "count_terrain",
    "counted_quickly",
    "has_few",
    "is_countable",
    "is_drawn",
    "is_quick",
    "rank",
    "sample_boards",
    "sample_terrain",
]
