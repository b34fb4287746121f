"""What only a solver knows, counted by listing: the one place where counts ask the room above them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from catan_cp.counting.diagram import Progress
from catan_cp.errors import SolverTimeout


def _solutions(what: str, arguments: tuple[Any, ...], timeout: float | None) -> Any:
    from catan_cp import enumerate_boards, enumerate_markers, enumerate_terrain

    lists: dict[str, Any] = {
        "boards": enumerate_boards,
        "markers": enumerate_markers,
        "terrains": enumerate_terrain,
    }
    return lists[what](*arguments, timeout=timeout)


def count_listed(
    what: str,
    arguments: tuple[Any, ...],
    timeout: float | None,
    progress: Progress | None,
    first: Callable[[Any], Hashable] | None = None,
) -> int:
    """Return how many ``"terrains"``, ``"markers"`` or ``"boards"`` a solver lists, or how many classes.

    Classes are counted where *first* gives the first of each one's class.

    Raises:
        SolverTimeout: the time limit passed; its ``found`` is a lower bound.
    """
    found = 0
    classes: set[Hashable] = set()
    try:
        with _solutions(what, arguments, timeout) as solutions:
            for found, solution in enumerate(solutions, start=1):
                if first is not None:
                    classes.add(first(solution))
                if progress is not None and found % 1000 == 0:
                    progress(found, None)
    except SolverTimeout:
        raise SolverTimeout(f"at least {found} {what}: the time limit of {timeout} s passed", found) from None
    return found if first is None else len(classes)
