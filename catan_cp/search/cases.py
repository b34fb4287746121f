"""Counts of the models' solutions by model counters, and the cases of constraints about few tiles."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from catan_cp.anymodel.count import all_solutions
from catan_cp.anymodel.counters import running_counters
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import CatanError, InvalidArgument, SolverFailed, SolverTimeout
from catan_cp.rules.constraint import FUNCTIONS, GLOBALS, Constraint, join_constraints, terrain_words
from catan_cp.search.instances import compile_plain
from catan_cp.solving.compiling import OWN_SECONDS, Task

MOST_TILES = 3
"""The maximum number of tiles whose combinations are counted one by one."""

_TERRAIN_AT = re.compile(r"\bterrain\b(?: \[ (\d+) \])?")
"""The number of a tile whose terrain a text names, empty for another expression."""


@contextmanager
def counting_task(task: Task, clock: Clock) -> Iterator[dict[Future[int], str]]:
    """Yield the running jobs that count the solutions of a task, none if there is no counter.

    Raises:
        SolverTimeout: the time limit passed during the compilation.
    """
    with ExitStack() as stack:
        jobs: dict[Future[int], str] = {}
        with suppress(InvalidArgument, SolverFailed):  # it cannot be compiled, so there is no job
            compiled = compile_plain(task, clock.left())
            words = [
                word for word in map(bytes.decode, compiled.printed[1]) if not word.lstrip("-").isdigit()
            ]
            if words:
                jobs = stack.enter_context(running_counters(compiled.flatzinc.decode(), words))
        yield jobs


def tile_cases(
    constraints: Sequence[Constraint], layout: Layout, timeout: float | None
) -> list[dict[int, str]] | None:
    """Return the combinations of terrains that constraints allow on the few tiles that they name.

    MiniZinc evaluates the constraints without any other rule.

    Returns:
        The terrain of each named tile, per combination. None if the constraints name other variables or
        arrays of the models, more than `MOST_TILES` tiles, or tiles by other expressions than numbers, or
        if MiniZinc cannot evaluate them.

    Raises:
        SolverTimeout: *timeout* seconds passed.
    """
    known = {"terrain", *terrain_words(layout.terrain_codes), *FUNCTIONS, *GLOBALS}
    if any(constraint.has_variables or not constraint.names <= known for constraint in constraints):
        return None
    words = " ".join(token.text for constraint in constraints for token in constraint.tokens)
    tiles = {int(index) if index else 0 for index in _TERRAIN_AT.findall(words)}
    if not 0 < len(tiles) <= MOST_TILES or not tiles <= set(range(1, layout.n_tiles + 1)):
        return None
    joined = join_constraints(constraints, {}, layout.terrain_codes)
    assert joined is not None
    names = {code: name for name, code in layout.terrain_codes.items()}
    text = (
        f"array[1..{layout.n_tiles}] of var 1..{max(names)}: terrain;\n"
        f"constraint forall(t in index_set(terrain) where not (t in {tiles}))(terrain[t] = 1);\n"
    )
    try:
        rows: list[dict[str, Any]] = all_solutions(
            text + joined.text, ["terrain"], min(timeout or OWN_SECONDS, OWN_SECONDS)
        )
    except SolverTimeout:
        if timeout is not None and timeout < OWN_SECONDS:
            raise
        return None
    except CatanError:  # An error in the text is reported with its place when the models are compiled.
        return None
    return [{t - 1: names[row["terrain"][t - 1]] for t in sorted(tiles)} for row in rows]
