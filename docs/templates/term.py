"""A term of a placement's objective, to copy: what it is, and where it goes. The tests run this file.

1. `exact` goes into `catan_cp/placement/objective.py`: among the other terms, and under its name to the end
   of `_PARTS`. With a weight of 0 the name goes behind `odds` in the fields of `Objective` and their list.
2. `table` goes into `catan_cp/placement/tables.py`, under the same name into `_EXTRA`.
3. `docs/placement.md` has a row for each term.

That is all: weights by keyword and on the command line, the heat map and every search read it there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.tables import Batch, geometry

TERM = "gold"  # its name: 1 where a settlement touches gold, else 0


def exact(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    """Return what the term is for settlements on the vertices *spots*: as plainly as it can be said."""
    return Fraction(any(board.terrain[t] == "gold" for v in spots for t in board.layout.vertex_tiles[v]))


def table(batch: Batch, formula: Any, flags: NDArray[Any]) -> NDArray[Any]:
    """Return the same for all pairs of many boards: (board, vertex, vertex), in units of a score.

    One vertex more stands for no settlement, so that its column holds the single ones. *flags* has a bit for
    each terrain and each marker that a pair touches. Nothing may exceed 6 * 36, or a score might overflow.
    """
    gold = np.array([[*(name == "gold" for name in board.terrain), False] for board in batch.boards])
    touched = gold[:, geometry(batch.layout).vertex_tiles].any(axis=1)
    either = (touched[:, :, None] | touched[:, None, :]).astype(formula.dtype)
    scaled: NDArray[Any] = either * formula.per_board * formula.factor[TERM]
    return scaled
