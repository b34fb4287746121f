"""Several methods at once, of which the first answer counts."""

import threading
import time
from collections.abc import Callable
from queue import Empty, Queue
from typing import Generic, TypeVar

from catan_cp.clock import Clock
from catan_cp.errors import CatanError, InvalidArgument, SolverFailed, SolverTimeout, listed

Answer = TypeVar("Answer")

_LOOK = 0.2
"""Seconds between checks of the time limit."""
_GRACE = 2.0
"""The maximum seconds to wait for a thread after its programs were killed."""


class Race(Generic[Answer]):
    """A race of methods in threads. The end of the context stops them.

    Args:
        clock: the time limit of all methods.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock, self._ends = clock, Queue[tuple[str, Answer | BaseException | None]]()
        self._stops, self._threads = list[Callable[[], object]](), list[threading.Thread]()
        self._running, self._failures = 0, dict[str, Exception | None]()

    def __enter__(self) -> "Race[Answer]":
        return self

    def __exit__(self, *_: object) -> None:
        for stop in self._stops:
            stop()
        for thread in self._threads:
            thread.join(_GRACE)

    def add(
        self, name: str, method: Callable[[], Answer | None], stop: Callable[[], object] = lambda: None
    ) -> None:
        """Start a method, which returns None if it has no answer, and which *stop* ends."""

        def follow() -> None:
            try:
                self._ends.put((name, method()))
            except BaseException as error:  # raised or reported by `first`
                self._ends.put((name, error))

        self._stops.append(stop)
        self._threads.append(threading.Thread(target=follow, daemon=True))
        self._running += 1
        self._threads[-1].start()

    def first(self, seconds: float | None = None) -> tuple[Answer, str] | None:
        """Wait for the first answer, and return it with the name of its method.

        None means that *seconds* passed, or that all methods ended without an answer (see `failure`).

        Raises:
            SolverTimeout: the time limit passed.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while self._running and (end is None or time.monotonic() < end):
            self._clock.left()
            try:
                name, answer = self._ends.get(timeout=_LOOK if seconds is None else seconds / 10)
            except Empty:
                continue
            self._running -= 1
            if isinstance(answer, SolverTimeout):
                self._clock.left()
            if isinstance(answer, Exception) or answer is None:
                self._failures[name] = answer
            elif isinstance(answer, BaseException):
                raise answer
            else:
                return answer, name
        return None

    def failure(self, remedy: str) -> CatanError:
        """Return the error after all methods ended without an answer.

        A method that returned None found too many solutions.
        """
        names: dict[str, list[str]] = {}
        for name, error in self._failures.items():
            reason = "too many solutions" if error is None else str(error) or type(error).__name__
            names.setdefault(reason, []).append(name)
        reasons = [f"{listed(same)}: {reason}" for reason, same in names.items()]
        kinds = {type(error) for error in self._failures.values()} - {type(None)}
        kind = InvalidArgument if InvalidArgument in kinds else SolverFailed if kinds else CatanError
        return kind(f"no method has an answer ({listed(reasons)}); {remedy}")
