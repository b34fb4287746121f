"""Solutions in ascending order, each exactly once, whatever the solver forgets.

In order, the models branch on their variables from the first to the last and try small values first, so
every solver meets the solutions in ascending order. A solver that learns (Chuffed) jumps back over parts
of the tree that it has not finished, remembers the solutions there as clauses, and throws clauses away
when they are too many: then it meets solutions again. As all smaller ones came before, a solution that is
not above the last one is such a repetition. Knowing the last one is enough, so a stream needs no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverTimeout
from catan_cp.solving.running import Block, Run


class Ascending:
    """All solutions, or the first *limit*, of the runs that *start* starts (with a limit), as blocks.

    *branching* returns of a block the numbers on which the model branches, in that order; without it they are
    those of the solution as it stands.

    Attributes:
        found: how many solutions came so far.
        complete: True once the solver has proved that there are no more.
        statistics: what the solver reported at its end.
    """

    def __init__(
        self,
        start: Callable[[int | None], Run],
        limit: int | None,
        branching: Callable[[Block], Block] | None = None,
    ) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._start = start
        self._limit = limit
        self._branching = branching
        self._last: NDArray[np.int32] | None = None
        self._run = start(limit)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of new solutions.

        Raises:
            SolverTimeout, SolverFailed: as `Run.blocks` does.
        """
        asked = self._limit
        while True:
            try:
                for block in self._run.blocks():
                    new = self._new(block)[: None if self._limit is None else self._limit - self.found]
                    self.found += len(new)
                    if len(new):
                        yield new
                    if asked != self._limit and self.found == self._limit:
                        self._run.close()
                        break
            except SolverTimeout as timeout:
                timeout.found = self.found
                raise
            self.statistics |= self._run.statistics | {"solutions": self.found}
            self.complete = self._run.complete
            if asked is None or self.complete or self.found == self._limit:
                return
            asked *= 2  # the limit was spent on repetitions: once more, and further
            self._run = self._start(asked)

    def close(self) -> None:
        """Stop the solver."""
        self._run.close()

    def _new(self, block: Block) -> Block:
        """Return the solutions that are above all that came before."""
        if not len(block):
            return block
        keys = block if self._branching is None else self._branching(block)
        before = keys[:1] if self._last is None else self._last
        steps = np.diff(keys, axis=0, prepend=before)
        first = (steps != 0).argmax(axis=1)
        rises = steps[np.arange(len(steps)), first] > 0
        if self._last is None:
            rises[0] = True
        if rises.all():
            self._last = keys[-1:]
            return block
        kept, last = [], None if self._last is None else self._last[0].tolist()
        for number, row in enumerate(keys.tolist()):
            if last is None or row > last:
                kept.append(number)
                last = row
        self._last = np.array([last], dtype=np.int32)
        return block[kept]
