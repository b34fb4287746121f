"""How many boards there are, exactly, and one of them drawn uniformly, without listing any."""

from catan_cp.counting.counts import count_boards, count_markers, count_terrain
from catan_cp.counting.sampling import is_countable, sample_terrain

__all__ = ["count_boards", "count_markers", "count_terrain", "is_countable", "sample_terrain"]
