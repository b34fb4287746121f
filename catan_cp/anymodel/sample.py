"""Exactly uniform samples of the solutions of any MiniZinc model."""

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from catan_cp import errors
from catan_cp.anymodel.count import HEAD_START, remedy
from catan_cp.anymodel.counters import PrintedRow, installed, more_samples
from catan_cp.anymodel.models import FlatModel, numbers_of, opened_model
from catan_cp.anymodel.racing import Race
from catan_cp.errors import Infeasible, InvalidArgument
from catan_cp.progress import Progress, Watch, watching
from catan_cp.workers import Workers

FEW_LISTED = 100_000
"""The maximum number of solutions that are listed for samples."""

_BATCH = 10_000
"""The number of samples that are made at once."""


def sample_solutions(
    model: Any,
    n: int,
    data: Any = None,
    *,
    show: Sequence[str] | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    progress: bool | Watch = True,
) -> Iterator[dict[str, object]]:
    """Yield *n* random solutions of a MiniZinc model, with replacement.

    All solutions have the same probability. If there are at most `FEW_LISTED`, they are listed. Otherwise
    samples come from the decision diagram of d4, or from counts by ganak if d4 is not installed. The same
    seed gives the same samples with the same versions of MiniZinc and of the counter.

    Args:
        model: the model, as for `count_solutions`.
        n: the number of samples.
        data: its data, as for `count_solutions`.
        show: the names of the shown variables, as for `count_solutions`.
        seed: seed of the samples; random by default.
        timeout: time limit in seconds for all samples; none by default.
        progress: True shows the step on standard error, and a function is called with a `Progress`.

    Yields:
        The values of the shown variables: numbers, Booleans, names of enum members, sets, and lists.

    Raises:
        Infeasible: the model has no solution.
        InvalidArgument: *n* or *seed* is not a whole number, or the errors of `count_solutions`.
        SolverTimeout: no exact method ended within the time limit.
        SolverNotFound, SolverFailed: as for `count_solutions`.
        CatanError: there are more solutions, and the extra ``count`` is not installed.

    Example:
        >>> list(sample_solutions("var 2..2: x; set of int: S = 1..3; array[S] of var 4..4: y;", 1))
        [{'x': 2, 'y': [4, 4, 4]}]
    """
    n, source = errors.check_count("n", n), errors.random_source(seed)
    return _samples(model, n, data, show, source, timeout, progress)


def _samples(
    model: Any,
    n: int,
    data: Any,
    show: Sequence[str] | None,
    source: random.Random,
    timeout: float | None,
    progress: bool | Watch,
) -> Iterator[dict[str, object]]:
    with opened_model(model, data, timeout) as opened, ExitStack() as stack:
        names, marked, floats = opened.shown(show)
        if floats:
            raise InvalidArgument(
                f"{floats[0]} must be of integers, Booleans or sets, not of floats; show other variables"
            )
        flat = opened.flat(names, marked)
        race = stack.enter_context(Race[list[PrintedRow] | int](opened.clock))
        pool = stack.enter_context(Workers(1))
        with watching(progress, "sampling solutions") as watch:
            if watch is not None:
                watch(Progress(text="listing or counting the solutions"))
            listed = _listed(flat, race, pool)
        for start in range(0, n, _BATCH):
            size, batch_seed = min(_BATCH, n - start), source.getrandbits(63)
            if listed is not None:
                ranks = random.Random(batch_seed)
                rows = [listed[ranks.randrange(len(listed))] for _ in range(size)]
            else:
                race.add("samples", pool.submit(more_samples, size, batch_seed).result)
                answer = race.first()
                if answer is None:
                    raise race.failure("ask for fewer samples")
                assert isinstance(answer[0], list)
                rows = answer[0]
            distinct = dict.fromkeys(rows)
            values = dict(zip(distinct, flat.printed(distinct), strict=True))
            yield from (values[row].copy() for row in rows)


def _listed(flat: FlatModel, race: Race[list[PrintedRow] | int], pool: Workers) -> list[PrintedRow] | None:
    """Return all solutions in order, or None if there are many, which the worker of the pool then samples.

    Raises:
        Infeasible: there is no solution.
        CatanError: no method has an answer.
    """
    flat.list_in(race, FEW_LISTED, numbers_of)
    answer = race.first(HEAD_START)
    if answer is None:
        for name in installed()[:1]:
            flat.count_in(race, pool, name, FEW_LISTED)
        answer = race.first()
    if answer is None:
        raise race.failure(remedy())
    if answer[0] in (0, []):
        raise Infeasible("the model has no solution; find_conflict names constraints that exclude each other")
    return sorted(answer[0]) if isinstance(answer[0], list) else None
