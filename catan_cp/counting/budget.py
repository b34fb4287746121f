"""The limits of exact methods on states and time, and a cache of results built within them."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from catan_cp.clock import Clock
from catan_cp.counting import diagram
from catan_cp.counting.diagram import Diagram, TooManyStates
from catan_cp.counting.frontier import FrontierProblem
from catan_cp.errors import SolverTimeout
from catan_cp.progress import Progress, Watch

Built = TypeVar("Built")


@dataclass
class Budget:
    """The limits of an exact method, and its progress callback.

    Attributes:
        states: the number of states that diagrams may still have.
        clock: the time limit.
        watch: called with the progress.
    """

    states: int
    clock: Clock = field(default_factory=lambda: Clock(None))
    watch: Watch | None = None

    def report(self, done: int = 0, total: int | None = None, unit: str = "") -> None:
        """Check the time limit, and call *watch* if *unit* is not empty.

        Raises:
            SolverTimeout: the time limit passed.
        """
        self.clock.left()
        if self.watch is not None and unit:
            self.watch(Progress(done, total, unit))

    def build(self, problem: FrontierProblem) -> Diagram:
        """Return the diagram of a problem, and subtract its states from the budget.

        Raises:
            TooManyStates: the diagram has more states than the budget.
            SolverTimeout: the time limit passed.
        """
        built = diagram.build(problem, self.states, self.report)
        self.states -= built.n_states
        return built


UNLIMITED = Budget(0)
"""The budget of a method without diagrams and without a time limit."""


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

    def get(self, key: Hashable, budget: Budget, build: Callable[[], Built]) -> Built:
        """Return the cached or new result of *build* with at most the states of *budget*.

        Raises:
            TooManyStates: *build* raised it now, or in an earlier call with at least as many states.
            SolverTimeout: the time limit passed, also while another thread builds.
        """
        max_states = budget.states
        with self._locked(budget.clock):
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

    @contextmanager
    def _locked(self, clock: Clock) -> Iterator[None]:
        seconds = clock.left()
        if not self._lock.acquire(timeout=-1 if seconds is None else seconds):
            clock.left()
            raise SolverTimeout("the time limit passed while another thread was counting; allow more time")
        try:
            yield
        finally:
            self._lock.release()

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
