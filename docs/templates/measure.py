"""Template of a measure of a study. The tests run this file.

1. Copy the `Measure` to the end of `_declared` in `catan_cp/analysis/measures.py`, with ``yield`` before it.
   The order is that of the columns of a store.
2. `python -c "from catan_cp.analysis.measures import measures_table as t; print(t())"` prints the table of
   `docs/measures.md`, which a test compares.

Columns of stores, CSV and Parquet files, `--by`, comparisons and their pictures use the declaration. An older
store gets the column at the next write, with null for its boards. Add the name to `COMPARED` if
`catan-cp compare` should show the measure by default.
"""

from catan_cp.analysis.boards import Evenness
from catan_cp.analysis.measures import Measure


def _first_marker(found: Evenness) -> int | None:
    """Return the number, or None for a board without one. Such boards rank last."""
    return found.board.markers[0]


FIRST_MARKER = Measure(
    "first_marker",  # lower-case letters, digits and underscores, because it names a column
    int,  # or float
    "the marker of the first tile",  # a few words for tables and pictures
    # The function takes an `Evenness` if `needs` is "board". If `needs` is "placement" or "games", it takes a
    # `BoardAnalysis` with settlements or games.
    _first_marker,
    needs="board",
    better=None,  # "less" or "more" if that is fairer; it decides which boards rank first
)
