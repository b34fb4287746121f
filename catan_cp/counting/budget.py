"""What diagrams may cost, in memory or in a folder, and which of them are kept for the next call.

Whether a thing is small enough must not depend on what was asked before: a diagram that some patient call
built is still too large for a hasty one. So with each is kept under which limit it was built, and which limit
was too low.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from catan_cp.counting.columns import counted_on_disk
from catan_cp.counting.diagram import Diagram, Progress, TooManyStates, build
from catan_cp.counting.frontier import Puzzle

Built = TypeVar("Built")


@dataclass
class _Entry(Generic[Built]):
    """What is known of one key: what was built, within how many states, and how many were too few."""

    built: Built | None = None
    within: int = 0
    too_few: int = 0


class Kept(Generic[Built]):
    """Things that were built, those used last up to a limit.

    Args:
        room: the limit, in what *size* measures.
        size: how much room a thing takes.
    """

    def __init__(self, room: int, size: Callable[[Built], int]) -> None:
        self._room, self._size = room, size
        self._entries: OrderedDict[Hashable, _Entry[Built]] = OrderedDict()
        self._lock = threading.RLock()
        _EVERY.append(self)

    def get(self, key: Hashable, max_states: int, build: Callable[[], Built]) -> Built:
        """Return what *build* returns for this key with at most *max_states* states, or returned before.

        Raises:
            TooManyStates: as *build*, which is not called where fewer states were too few already.
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if max_states <= entry.too_few:
                raise TooManyStates(f"more than {max_states} states")
            if entry.built is None or max_states < entry.within:
                try:
                    entry.built = build()
                except TooManyStates:
                    entry.too_few = max_states
                    raise
                entry.within = max_states
                self._forget_oldest()
            return entry.built

    def holds(self, key: Hashable, max_states: int) -> bool:
        """Return whether `get` would return what was built before."""
        with self._lock:
            entry = self._entries.get(key, _Entry())
            return entry.built is not None and entry.too_few < max_states and entry.within <= max_states

    def _forget_oldest(self) -> None:
        """Forget what was used longest ago, but not the thing used last."""
        built = ((key, entry.built) for key, entry in self._entries.items())
        sizes = {key: self._size(thing) for key, thing in built if thing is not None}
        held = sum(sizes.values())
        for key in list(sizes)[:-1]:
            if held <= self._room:
                return
            held -= sizes[key]
            too_few = self._entries[key].too_few
            if too_few:
                self._entries[key] = _Entry(too_few=too_few)
            else:
                del self._entries[key]

    def forget(self) -> None:
        """Give back the memory of all."""
        with self._lock:
            self._entries.clear()


def forget() -> None:
    """Give back the memory of everything counted so far."""
    for each in _EVERY:
        each.forget()


_EVERY: list[Kept[Any]] = []


@dataclass
class Budget:
    """The states that diagrams may still have, whom to tell how far they are, and whether they rank.

    With a *scratch* folder diagrams know only their totals, and may have any number of states.
    """

    states: int
    progress: Progress | None = None
    ranked: bool = True
    scratch: Path | None = None

    def build(self, puzzle: Puzzle) -> Diagram:
        """Return the puzzle's diagram and take its states off.

        Raises:
            TooManyStates: it has more.
            CatanError: the scratch folder cannot be written to.
        """
        if self.scratch is not None:
            return counted_on_disk(puzzle, self.scratch, self.progress)
        diagram = build(puzzle, self.states, self.progress, ranked=self.ranked)
        self.states -= diagram.n_states
        return diagram
