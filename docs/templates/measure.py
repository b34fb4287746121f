"""A measure of a study, to copy: what it is, and where it goes. The tests run this file.

1. Copy the `Measure` below into `_declared` of `catan_cp/studies/measures.py`, with ``yield`` before it. New
   ones go to the end: the order there is that of a store's columns.
2. `python -c "from catan_cp.studies.measures import measures_table as t; print(t())"` prints the table of
   `docs/measures.md`, which a test compares.

That is all: a store's columns, CSV and Parquet files, `--by`, comparisons and their pictures read it there.
A store that was begun before gets the column when it is next written, empty for the boards that it has. What
`catan-cp compare` is to look at unasked is named in `COMPARED`, too.
"""

from catan_cp.studies.measures import Evenness, Measure


def _first_marker(found: Evenness) -> int | None:
    """Return the number; None where a board has none: then nothing stands in its place, and it ranks last."""
    return found.board.markers[0]


FIRST_MARKER = Measure(
    "first_marker",  # small letters, digits and underscores: it is a column's name, too
    int,  # or float
    "the marker of the first tile",  # a few words for tables and pictures
    # How it is read off a `Report`; where a board alone says it, off an `Evenness`, which is all that
    # `needs` promises unless it says "placement" (where perfect players settle) or "games" (played).
    _first_marker,
    needs="board",
    better=None,  # "less" or "more" where that is fairer: ranking begins there
)
