"""Exact counts of boards, boards by their rank, and uniform samples."""

from catan_cp.counting.boards import rank_board, sample_boards, unrank_board
from catan_cp.counting.counts import (
    count_boards,
    count_markers,
    count_terrains,
    is_countable,
    sample_terrains,
)

__all__ = [
    "count_boards",
    "count_markers",
    "count_terrains",
    "is_countable",
    "rank_board",
    "sample_boards",
    "sample_terrains",
    "unrank_board",
]
