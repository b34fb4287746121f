"""The time limit of a call, shared by its steps."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from catan_cp.errors import SolverTimeout, check_timeout

EXTERNAL_SECONDS = 300.0
"""The default time limit in seconds for rules with constraints from a file, link or store."""


class HasConstraints(Protocol):
    """Rules, of which only the constraints matter here."""

    @property
    def constraints(self) -> Sequence[Any]:
        """The custom constraints, each with the attribute ``is_external``."""


class Clock:
    """A time limit shared by several steps.

    Without a *timeout*, rules with constraints from a file, link or store have `EXTERNAL_SECONDS`.

    Args:
        timeout: the limit in seconds from now, or None.
        rules: the rules, for the default limit.
    """

    def __init__(self, timeout: float | None, rules: HasConstraints | None = None) -> None:
        constraints = () if rules is None else rules.constraints
        self._is_default = timeout is None and any(part.is_external for part in constraints)
        self._timeout = EXTERNAL_SECONDS if self._is_default else check_timeout(timeout)
        self._end = None if self._timeout is None else time.monotonic() + self._timeout

    @property
    def seconds(self) -> float | None:
        """The time limit in seconds, or None."""
        return self._timeout

    @contextmanager
    def named(self) -> Iterator[None]:
        """Add to a `SolverTimeout` that the default limit passed, and how to change it."""
        try:
            yield
        except SolverTimeout as timeout:
            if self._is_default:
                limit = f"{self._timeout:g} s is the default limit for constraints from a file, link or store"
                timeout.args = (f"{timeout}; {limit}: change it with timeout=SECONDS or --timeout SECONDS",)
            raise

    def left(self) -> float | None:
        """Return the seconds left, or None if there is no limit.

        Raises:
            SolverTimeout: the limit passed.
        """
        if self._end is None:
            return None
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise SolverTimeout(f"the time limit of {self._timeout:g} s passed; allow more time")
        return seconds

    def at_most(self, seconds: float) -> float:
        """Return the smaller of the seconds left and *seconds*.

        Raises:
            SolverTimeout: the limit passed.
        """
        seconds_left = self.left()
        return seconds if seconds_left is None else min(seconds_left, seconds)
