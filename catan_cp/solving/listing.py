"""Every solution exactly once, whatever the solver forgets, and whatever it can do.

* A solver that lists in order meets solutions in ascending order of the variables that the model branches on.
  One that is not above the last is a repetition, if the solver may repeat itself (Chuffed drops clauses, and
  meets again what they kept it from), and else a broken promise, which is an error. A repetition must really
  have come before: eight bytes are kept of each solution of such a solver.
* A solver that lists in any order gives each solution to a set of all that came.
* A solver that gives one solution a run is asked again and again, each time without those that were found.

Where a solver crashes, another one lists what is still missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.solving.backends import Backend
from catan_cp.solving.compiling import Compiled, compile_model
from catan_cp.solving.find import another_solver
from catan_cp.solving.running import Block, Run, SolverCrashed

_log = logging.getLogger("catan_cp")
_SPREADING = np.uint64(0x9E3779B97F4A7C15)

Left = Callable[[], float | None]
"""Returns the seconds that are left, None where there is no limit."""


class Listing:
    """All solutions of a compiled model, or the first *limit*, as blocks; each comes once.

    Args:
        compiled: the model.
        limit: stop after so many.
        left: the time limit.
        fits: tells of a block whether its rows are solutions at all.
        branching: returns of a block the numbers on which the model branches, in that order; without it they
            are those of the solution as it stands.
        repeats: whether variables beside those of the solution may repeat it.

    Attributes:
        found: how many solutions came so far.
        complete: True once the solver has proved that there are no more.
        statistics: what the solver reported at its end.
    """

    def __init__(
        self,
        compiled: Compiled,
        limit: int | None,
        left: Left,
        *,
        fits: Callable[[NDArray[np.int64]], bool] | None = None,
        branching: Callable[[Block], Block] | None = None,
        repeats: bool = False,
    ) -> None:
        self.found = 0
        self.complete = False
        self.statistics: dict[str, float] = {}
        self._compiled = compiled
        self._limit = limit
        self._left = left
        self._fits = fits
        self._seen = _seen_by(compiled, branching, repeats)
        self._run = self._start(limit)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of new solutions.

        Raises:
            SolverTimeout: the time limit passed.
            SolverFailed: as `Run.blocks` does, or the solver broke its promise of an order.
        """
        asked = self._limit
        while True:
            try:
                for block in self._run.blocks():
                    new = self._seen.new(block)[: None if self._limit is None else self._limit - self.found]
                    self.found += len(new)
                    if len(new):
                        yield new
                    if asked != self._limit and self.found == self._limit:
                        break
            except SolverTimeout as timeout:
                timeout.found = self.found
                raise
            except SolverCrashed as crash:
                self._compiled = compiled_for_another(self._compiled, crash, self._left())
                self._seen.begin_again(self._compiled.solver.backend)
                self._run, asked = self._start(None), None
                continue
            ended = self._run.statistics
            self.complete = self._run.complete
            self._run.close()
            self.statistics |= ended | {"solutions": self.found}
            if self.complete or self.found == self._limit:
                return
            if self._compiled.solver.backend.listing == "one":
                self._exclude()
            else:  # the limit was spent on repetitions: once more, and further
                assert asked is not None
                asked *= 2
            self._run = self._start(asked)

    def close(self) -> None:
        """Stop the solver."""
        self._run.close()

    def _start(self, limit: int | None) -> Run:
        one = self._compiled.solver.backend.listing == "one"
        return Run(self._compiled, fits=self._fits, limit=1 if one else limit, timeout=self._left())

    def _exclude(self) -> None:
        """Compile the model again without the solutions that were found."""
        seen = self._seen
        assert isinstance(seen, _Remembered)
        now = self._compiled
        # Without a variable there was one solution at most, which the compiler told.
        more = excluding(now.variable, seen.rows()) if now.variable else "constraint false;\n"
        self._compiled = compile_model(
            now.model, now.data, now.solver, self._left(), models=now.models, own=now.own, more=more
        )


def compiled_for_another(compiled: Compiled, crash: SolverCrashed, timeout: float | None) -> Compiled:
    """Return the model compiled for another solver than the one that crashed.

    Raises:
        SolverCrashed: there is no other solver, or it was asked already.
    """
    if compiled.stands_in:
        raise crash
    other = another_solver(compiled.solver)
    if other is None:
        raise crash
    _log.info("%s; %s is asked instead", crash, other.name)
    again = compile_model(
        compiled.model, compiled.data, other, timeout, models=compiled.models, own=compiled.own
    )
    return replace(again, stands_in=True)


def excluding(variable: str, rows: Sequence[Sequence[int]]) -> str:
    """Return MiniZinc text that forbids an array *variable* to be any of *rows*."""
    lines = []
    for row in rows:
        numbers = ", ".join(map(str, row))
        lines.append(f"constraint let {{ array[int] of int: found = [{numbers}] }} in")
        lines.append(f"  exists(i in index_set(found))( array1d({variable})[i] != found[i] );")
    return "\n".join(lines) + "\n"


def _seen_by(
    compiled: Compiled, branching: Callable[[Block], Block] | None, repeats: bool
) -> _Ordered | _Remembered:
    backend = compiled.solver.backend
    if backend.listing == "ordered" and not repeats:
        return _Ordered(backend, branching)
    return _Remembered()


class _Ordered:
    """What an ordered listing needs to know of the past: the last solution, and prints of all of them."""

    def __init__(self, backend: Backend, branching: Callable[[Block], Block] | None) -> None:
        self._branching = branching
        self._last: list[int] | None = None
        self.begin_again(backend)

    def begin_again(self, backend: Backend) -> None:
        """Expect all solutions once more, from another solver; those up to the last one are known."""
        self._backend = backend
        self._known = self._last
        self._last = None
        self._prints: list[NDArray[np.uint64]] = []

    def new(self, block: Block) -> Block:
        """Return the solutions of a block that did not come before.

        Raises:
            SolverFailed: one is smaller than the last, and did not come before.
        """
        if not len(block):
            return block
        keys = block if self._branching is None else self._branching(block)
        kept = self._rising(keys)
        if self._backend.repeats:
            self._prints.append(_prints_of(keys[kept]))
        if len(kept) < len(keys):
            self._check(np.delete(keys, kept, axis=0))
        if self._known is not None:
            kept = np.array([n for n in kept if keys[n].tolist() > self._known], dtype=np.intp)
        return block if len(kept) == len(block) else block[kept]

    def _rising(self, keys: Block) -> NDArray[np.intp]:
        """Return the numbers of the rows that are above all before them."""
        before = keys[:1] if self._last is None else np.array([self._last], dtype=keys.dtype)
        steps = np.diff(keys, axis=0, prepend=before)
        rises = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)] > 0
        if self._last is None:
            rises[0] = True
        if rises.all():
            self._last = keys[-1].tolist()
            return np.arange(len(keys))
        kept = []
        for number, row in enumerate(keys.tolist()):
            if self._last is None or row > self._last:
                kept.append(number)
                self._last = row
        return np.array(kept, dtype=np.intp)

    def _check(self, keys: Block) -> None:
        """Refuse solutions out of order that are no repetitions."""
        if self._backend.repeats:
            self._prints = [np.sort(np.concatenate(self._prints))]
            known, wanted = self._prints[0], _prints_of(keys)
            places = np.searchsorted(known, wanted)
            if (known[np.minimum(places, len(known) - 1)] == wanted).all():
                return
        raise SolverFailed(
            f"{self._backend.name} promised each solution once and in ascending order, and printed "
            f"{keys[0].tolist()} after a larger one; name another solver"
        )


class _Remembered:
    """All solutions that came, for a solver whose order nobody knows."""

    def __init__(self) -> None:
        self._rows: dict[bytes, None] = {}

    def begin_again(self, backend: Backend) -> None:
        """Expect all solutions once more: nothing is different."""

    def new(self, block: Block) -> Block:
        """Return the solutions of a block that did not come before."""
        kept = []
        for number, row in enumerate(block):
            key = row.tobytes()
            if key not in self._rows:
                self._rows[key] = None
                kept.append(number)
        return block[kept]

    def rows(self) -> list[list[int]]:
        """Return all solutions that came."""
        return [np.frombuffer(key, dtype=np.int32).tolist() for key in self._rows]


def _prints_of(keys: Block) -> NDArray[np.uint64]:
    """Return 64 bits for each row: a polynomial of its numbers, by Horner's rule modulo 2**64."""
    prints = np.zeros(len(keys), dtype=np.uint64)
    for column in keys.T.astype(np.uint64):
        prints = (prints ^ column) * _SPREADING
        prints ^= prints >> np.uint64(29)
    return prints
