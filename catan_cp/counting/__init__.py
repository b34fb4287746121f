"""How many boards there are, exactly; any one of them by its number, and some drawn uniformly."""

from catan_cp.counting.boards import (
    board_at,
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
from catan_cp.counting.means import (
    TileSum,
    exact_distribution,
    exact_mean,
    exact_share,
    red,
    terrain_pips,
    vertex_pips,
)

__all__ = [
    "TileSum",
    "board_at",
    "count_boards",
    "count_markers",
    "count_terrain",
    "counted_quickly",
    "exact_distribution",
    "exact_mean",
    "exact_share",
    "is_countable",
    "is_drawn",
    "is_quick",
    "rank",
    "red",
    "sample_boards",
    "sample_terrain",
    "terrain_pips",
    "vertex_pips",
]
