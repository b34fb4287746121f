"""The search for a small set of items that exclude each other."""

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from catan_cp.errors import SolverTimeout

Element = TypeVar("Element")

_QUIET = 5.0
"""Seconds of a search before a warning."""

_log = logging.getLogger("catan_cp")


def minimal_subset(
    items: tuple[Element, ...],
    is_infeasible: Callable[[tuple[Element, ...]], bool | None],
    first: Iterable[tuple[Element, ...]] = (),
) -> tuple[tuple[Element, ...], bool]:
    """Return a subset of items that exclude each other, and True if it is proven minimal.

    Items are removed one by one (deletion filter; Chinneck and Dravnieks 1991). The search ends early if a
    time limit passes, or by Ctrl-C. If it takes long, a warning is logged.

    Args:
        items: different items that exclude each other.
        is_infeasible: the test whether a subset has no solution. It returns None if it cannot decide.
        first: subsets to test before single items are removed. ``zip(items)`` has each item alone.
    """
    verdicts: list[tuple[tuple[Element, ...], bool | None]] = []  # of subsets not known to be infeasible

    def verdict(subset: tuple[Element, ...]) -> bool | None:
        known = {result for larger, result in verdicts if set(subset) <= set(larger)}
        if known:  # A solution for more items is a solution for these.
            return None if known == {None} else False
        result = is_infeasible(subset)
        if not result:
            verdicts.append((subset, result))
        return result

    minimal = True
    text = "the search for a minimal conflict takes long; wait, or press Ctrl-C for one that may be larger"
    timer = threading.Timer(_QUIET, _log.warning, (text,))
    timer.daemon = True
    timer.start()
    try:
        for subset in first:
            if subset and set(subset) < set(items) and verdict(subset):
                items = subset
        for item in items:
            rest = tuple(other for other in items if other != item)
            result = verdict(rest)
            if result:
                items = rest
            minimal = minimal and result is not None
    except (SolverTimeout, KeyboardInterrupt):
        minimal = False
    finally:
        timer.cancel()
    return items, minimal
