"""One solution of each class that rotations and mirrors make, whatever the rules allow of the class.

The models can keep the first terrain of each class (``symmetry="distinct"``), which finds every class only
where the rules do not tell a terrain from its image. A printed harbor, a pattern or a user's constraint may
forbid the first one and allow another. So here all are listed, and of each class the first that comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from catan_cp.arguments import check_limit
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.counting import is_countable
from catan_cp.counting.terrains import first_of_class, is_closed, turns_of
from catan_cp.rules.model_data import terrain_task
from catan_cp.rules.rule import keeping_symmetries
from catan_cp.rules.rules import Rules
from catan_cp.search.tasks import Clock, Source, read_board, solutions_of
from catan_cp.solving.listing import Block

Keys = Callable[[Block], Sequence[bytes]]
"""Returns of each row what all rows of its class have in common, and no others."""


class OnePerClass:
    """Blocks with the first row of each class that a source lists. One short key a class is remembered.

    Attributes:
        found: how many came so far.
        complete: True once there are no more.
        statistics: what the source reports at its end.
    """

    def __init__(self, source: Source, keys: Keys, limit: int | None) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._source, self._keys, self._limit = source, keys, check_limit(limit)
        self._known: set[bytes] = set()

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of rows."""
        for block in self._source.blocks():
            new = []
            for number, key in enumerate(self._keys(block)):
                if key not in self._known and len(self._known) != self._limit:
                    self._known.add(key)
                    new.append(number)
            self.found += len(new)
            if new:
                yield block[new]
            if self.found == self._limit:
                self.close()
                return
        self.complete = self._source.complete
        self.statistics = {**self._source.statistics, "solutions": self.found}

    def close(self) -> None:
        """Stop the source."""
        self._source.close()


def distinct_terrains(rules: Rules, layout: Layout, solver: str, clock: Clock, limit: int | None) -> Source:
    """Return a source with one terrain of each class of which *rules* allow any."""
    if rules.symmetry == "all" and is_countable(rules, layout) and is_closed(rules, layout):
        # The rules do not tell a terrain from its image, so the model can keep the first of each class.
        return solutions_of(terrain_task(rules.replace(symmetry="distinct"), layout), solver, clock, limit)
    source = solutions_of(terrain_task(rules, layout), solver, clock)
    return OnePerClass(source, _keys_of_tiles(rules, layout, 1), limit)


def distinct_boards(source: Source, rules: Rules, layout: Layout, limit: int | None) -> Source:
    """Return a source with one board of each class among those of *source*."""
    turning = rules.harbors == "shuffled"
    keys = _keys_with_harbors(rules, layout) if turning else _keys_of_tiles(rules, layout, 2)
    return OnePerClass(source, keys, limit)


def _keys_of_tiles(rules: Rules, layout: Layout, columns: int) -> Keys:
    """Return the keys of rows of terrain codes (*columns* 1), with markers behind them (*columns* 2).

    Harbors that are printed belong to the frame, which does not turn.
    """
    n = layout.n_tiles
    turns = [tuple(n * k + t for k in range(columns) for t in turn) for turn in turns_of(rules, layout)]

    def keys(block: Block) -> Sequence[bytes]:
        codes = (block[:, : n * columns] + 1).astype(np.uint8)  # none is 0, as `first_of_class` needs it
        return [row.tobytes() for row in first_of_class(codes, turns)]

    return keys


def _keys_with_harbors(rules: Rules, layout: Layout) -> Keys:
    """Return the keys of rows of boards whose harbors turn with them."""
    numbers = keeping_symmetries(layout, rules.adjacency)

    def content(board: Board) -> bytes:
        harbors = [(harbor.vertices, harbor.trade) for harbor in board.harbors]
        return repr((board.terrain, board.markers, harbors)).encode()

    def keys(block: Block) -> Sequence[bytes]:
        boards = (read_board(layout, row) for row in block.tolist())
        return [min(content(board.moved(number)) for number in numbers) for board in boards]

    return keys
