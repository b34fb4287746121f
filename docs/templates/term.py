"""Template of a term of an objective. The tests run this file.

1. Copy `exact` into `catan_cp/placement/objective.py`, and add it under its name to the end of `_PARTS`. Add
   the name after `odds` to the fields of `Objective` and their list, with weight 0.
2. Copy `table` into `catan_cp/placement/tables.py`, and add it under the same name to `_EXTRA`.
3. Add a row to `docs/placement.md`.

Weights by keyword and on the command line, heat maps and all searches use the declaration.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.tables import Batch, geometry

TERM = "gold"  # its name; the term is 1 if a settlement touches gold, otherwise 0


def exact(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    """Return the value of the term for settlements on the vertices *spots*, in its simplest form."""
    return Fraction(any(board.terrain[t] == "gold" for v in spots for t in board.layout.vertex_tiles[v]))


def table(batch: Batch, formula: Any, flags: NDArray[Any]) -> NDArray[Any]:
    """Return the values of all pairs on many boards, with shape (board, vertex, vertex), in units of a score.

    An additional vertex represents no settlement, so its column has the single settlements. *flags* has a bit
    for each terrain and each marker that a pair touches. No value may exceed 6 * 36, or a score can overflow.
    """
    gold = np.array([[*(name == "gold" for name in board.terrain), False] for board in batch.boards])
    touched = gold[:, geometry(batch.layout).vertex_tiles].any(axis=1)
    either = (touched[:, :, None] | touched[:, None, :]).astype(formula.dtype)
    scaled: NDArray[Any] = either * formula.per_board * formula.factor[TERM]
    return scaled
