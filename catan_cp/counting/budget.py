"""The maximum number of states of a count, and a cache of results built within it."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from catan_cp.counting import diagram
from catan_cp.counting.diagram import Diagram, TooManyStates
from catan_cp.counting.frontier import Problem
from catan_cp.progress import Watch

Built = TypeVar("Built")


@dataclass
class Budget:
    """The number of states that diagrams may still have, and a progress callback."""

    states: int
    watch: Watch | None = None

    def build(self, problem: Problem) -> Diagram:
        """Return the diagram of a problem, and subtract its states from the budget.

        Raises:
            TooManyStates: the diagram has more states than the budget.
        """
        built = diagram.build(problem, self.states, self.watch)
        self.states -= built.n_states
        return built


class Cache(Generic[Built]):
    """The most recently used results of `get`, up to a total size.

    Each result is stored with the limit under which it was built. So the result of a call with a lower limit
    does not depend on earlier calls.

    Args:
        capacity: the maximum total size. The latest result is kept even if it is larger.
        size: the function that returns the size of a result, 1 by default.
    """

    def __init__(self, capacity: int, size: Callable[[Built], int] = lambda _: 1) -> None:
        self._capacity, self._size = capacity, size
        self._built: dict[Hashable, tuple[Built, int]] = {}  # in the order of their last use
        self._too_few: dict[Hashable, int] = {}
        self._lock = threading.RLock()
        _CACHES.append(self)

    def get(self, key: Hashable, max_states: int, build: Callable[[], Built]) -> Built:
        """Return the cached or new result of *build* with at most *max_states* states.

        Raises:
            TooManyStates: *build* raised it now, or in an earlier call with at least as many states.
        """
        with self._lock:
            if max_states <= self._too_few.get(key, 0):
                raise TooManyStates(f"more than {max_states} states")
            known = self._built.get(key)
            if known is None or known[1] > max_states:
                try:
                    known = build(), max_states
                except TooManyStates:
                    self._too_few[key] = max_states
                    raise
            self._built.pop(key, None)
            self._built[key] = known
            while len(self._built) > 1 and self._capacity < sum(
                self._size(built) for built, _ in self._built.values()
            ):
                del self._built[next(iter(self._built))]
            return known[0]

    def forget(self) -> None:
        """Free the memory of all results."""
        with self._lock:
            self._built.clear()
            self._too_few.clear()


def forget() -> None:
    """Free the memory of all caches."""
    for cache in _CACHES:
        cache.forget()


_CACHES: list[Cache[Any]] = []
