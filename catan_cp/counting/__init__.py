"""How many boards there are, exactly; any one of them by its number, and some drawn uniformly."""

from catan_cp.counting.boards import (
    has_few,
    is_drawn,
    is_quick,
    rank_board,
    sample_boards,
    unrank_board,
)
from catan_cp.counting.counts import (
    count_boards,
    count_markers,
    count_terrains,
    counted_quickly,
    is_countable,
    sample_terrains,
)

__all__ = [
    "count_boards",
    "count_markers",
    "count_terrains",
    "counted_quickly",
    "has_few",
    "is_countable",
    "is_drawn",
    "is_quick",
    "rank_board",
    "sample_boards",
    "sample_terrains",
    "unrank_board",
]
