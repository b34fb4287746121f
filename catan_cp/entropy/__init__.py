"""How even a board is, and boards made to measure: the scorer, the swap search, the article's experiments."""

from catan_cp.entropy.official import official_boards, official_efficiencies
from catan_cp.entropy.scorer import efficiency, efficiency_error, neighbor_counts
from catan_cp.entropy.search import search_swaps
