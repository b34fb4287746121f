"""The harbors that rules allow, whatever the terrain: none, the printed ones, or trades dealt anew.

>>> from catan_cp.boards.layout import LAYOUTS
>>> HarborSpace(LAYOUTS["base"], "shuffled").total     # nine harbors, four of them 3:1
15120
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod

from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.pieces import TRADES


@dataclass(frozen=True)
class HarborSpace:
    """The harbors that a board may have.

    Attributes:
        layout: the layout.
        rule: the value of the rule ``harbors``: ``none``, ``printed`` or ``shuffled``.
    """

    layout: Layout
    rule: str

    @cached_property
    def total(self) -> int:
        """How many there are: 1 but for trades that are dealt anew, of which it is a multinomial."""
        if self.rule != "shuffled":
            return 1
        counts = Counter(harbor.trade for harbor in self.layout.laid_harbors)
        return _ways(counts)

    def harbors(self, rank: int) -> tuple[Harbor, ...]:
        """Return the harbors of this rank, in the order of their edges.

        Ranks go by trades along the coast, in lexicographic order of `TRADES`.
        """
        printed = self.layout.laid_harbors
        if self.rule == "none":
            return ()
        if self.rule == "printed":
            return self._printed
        left = Counter(harbor.trade for harbor in printed)
        found = []
        for harbor in printed:
            for trade in (trade for trade in TRADES if left[trade]):
                left[trade] -= 1
                ways = _ways(left)
                if rank < ways:
                    found.append(Harbor(harbor.vertices, trade))
                    break
                left[trade] += 1
                rank -= ways
        return _sorted(found)

    @cached_property
    def _printed(self) -> tuple[Harbor, ...]:
        return _sorted(self.layout.laid_harbors)

    def rank(self, harbors: Sequence[Harbor]) -> int | None:
        """Return the rank of these harbors, or None where the rule does not allow them.

        A board on which none of the printed ones are laid yet counts as the board with them.
        """
        printed = self.layout.laid_harbors
        if self.rule != "shuffled":
            wanted = printed if self.rule == "printed" else ()
            return 0 if not harbors or set(harbors) == set(wanted) else None
        trades = {harbor.vertices: harbor.trade for harbor in harbors}
        left = Counter(harbor.trade for harbor in printed)
        if set(trades) != {harbor.vertices for harbor in printed} or Counter(trades.values()) != left:
            return None
        rank = 0
        for harbor in printed:
            here = trades[harbor.vertices]
            for trade in TRADES[: TRADES.index(here)]:
                if left[trade]:
                    rank += _ways(left - Counter([trade]))
            left[here] -= 1
        return rank


def _sorted(harbors: Iterable[Harbor]) -> tuple[Harbor, ...]:
    return tuple(sorted(harbors, key=lambda harbor: harbor.vertices))


def _ways(counts: Counter[str]) -> int:
    return factorial(counts.total()) // prod(map(factorial, counts.values()))
