"""One solution of a compiled model, or better and better ones, through the `minizinc` package.

Each is one run of `minizinc.Instance.solutions` on a `KeptInstance`. What comes is believed no more than what
is listed: a solution is held against the pieces, and where a solver crashes, another one is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed
from catan_cp.processes import last_words
from catan_cp.solving.compiling import Compiled, with_first
from catan_cp.solving.listing import Left, compiled_for_another
from catan_cp.solving.running import SolverCrashed, unfinished

Fits = Callable[[NDArray[np.int64]], bool]


def first(
    compiled: Compiled, left: Left, *, fits: Fits | None = None, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None where there is none.

    With a *seed* the solver's random choices follow it, and it restarts after the Luby sequence, which curbs
    the heavy tail of a random search while it stays complete (Gomes, Selman and Kautz 1998; Luby, Sinclair
    and Zuckerman 1993). *free* lets the solver search as it likes instead of as the model says. *fits* tells
    of rows whether they are solutions at all.

    Raises:
        SolverTimeout: the time limit, *left*, passed.
        SolverFailed: the solver does not start, printed what is no solution, or stopped without an answer;
            where it crashes, another one is asked first.
    """
    try:
        return next(_rows(compiled, left(), fits, seed, free, improving=False))
    except SolverCrashed as crash:
        other = with_first(compiled_for_another(compiled, crash, left()), compiled.given)
        return None if other is None else first(other, left, fits=fits, seed=seed, free=free)


def improving(compiled: Compiled, left: Left) -> Generator[list[int] | None, None, None]:
    """Yield better and better solutions, and None once it is proved that there is no better one.

    Where the solver crashes, another one begins anew. Errors are those of `first`.
    """
    try:
        yield from _rows(compiled, left(), None, None, True, improving=True)
    except SolverCrashed as crash:
        yield from improving(compiled_for_another(compiled, crash, left()), left)


def _rows(
    compiled: Compiled,
    seconds: float | None,
    fits: Fits | None,
    seed: int | None,
    free: bool,
    *,
    improving: bool,
) -> Generator[list[int] | None, None, None]:
    """Yield solutions as they come, and None where the solver has proved that there are no more."""
    from catan_cp.solving.binding import DONE, KeptInstance, MiniZincError

    solver = compiled.solver
    known = solver.flags if solver.through_minizinc else ("-a", "-f", "-i", "-r")
    options: dict[str, object] = {"intermediate_solutions": improving and not {"-a", "-i"}.isdisjoint(known)}
    if seed is not None and "-r" in known:
        options["random_seed"] = seed % (1 << 30) + 1
    if free and "-f" in known:
        options["free_search"] = True
    deadline = None if seconds is None else time.monotonic() + seconds
    instance, found = KeptInstance(compiled), 0
    failed: Exception | None = None
    results = instance.each(seconds=seconds, **options)
    try:
        for result in results:
            if result.solution is not None:
                found += 1
                yield _checked(result.solution, fits, compiled)
            if result.status in DONE:
                yield None
                return
    except OSError as problem:
        raise SolverFailed(f"{solver.executable} does not start: {problem}") from problem
    except (MiniZincError, ValueError, LookupError, TypeError) as problem:  # what it makes of garbage
        failed = problem
    finally:
        results.close()
    status, complaints = instance.ended
    if failed is not None and status == 0:
        raise _no_solution(compiled, str(failed))
    raise unfinished(compiled, found, deadline, status, complaints)


def _checked(row: tuple[int, ...], fits: Fits | None, compiled: Compiled) -> list[int]:
    try:
        block = np.array([row], dtype=np.int64)
        fine = len(row) == (compiled.width or len(compiled.fixed or ()))
    except (OverflowError, ValueError, TypeError):
        fine = False
    if not fine or (fits is not None and not fits(block)):
        raise _no_solution(compiled, str(list(row)))
    return list(row)


def _no_solution(compiled: Compiled, said: str) -> SolverFailed:
    return SolverFailed(f"{compiled.solver.name} printed what is no solution: {last_words(said)}")
