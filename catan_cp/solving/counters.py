"""Model counters and a sampler of the extra ``count``, as functions for worker processes.

Each function reads a formula in DIMACS form from a file. It limits the memory of its process first, and
discards the output of the library that it calls. The libraries are all under the MIT license:

* d4 (Lagniez and Marquis 2017) compiles the formula to a decision diagram while it searches.
* ganak (Sharma, Roy, Soos and Meel 2019) simplifies the formula to few variables first.
* CMSGen (Golia, Soos, Chakraborty and Meel 2021) solves the formula again and again with random choices.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from catan_cp.processes import limit_memory

MEMORY = 8 << 30
"""The maximum bytes of address space of a process. d4 reserves four gigabytes at its start."""


def _prepare_process() -> None:
    """Limit the memory of this worker process, and silence the programs that it loads."""
    limit_memory(MEMORY)
    sys.set_int_max_str_digits(0)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)


def count_by_d4(path: str) -> int:
    """Return the number of projected models of a formula, counted by d4."""
    _prepare_process()
    import py_d4

    return int(py_d4.Solver(path).count().getResult())


def count_by_ganak(path: str) -> int:
    """Return the number of projected models of a formula, counted by ganak."""
    _prepare_process()
    import pyganak

    n, shown_variables, clauses = _read_formula(path)
    counter = pyganak.Counter()
    counter.new_vars(n)
    counter.add_clauses(clauses)
    counter.set_sampling_set(shown_variables)
    return int(counter.count())


def sample_by_cmsgen(path: str, size: int, seed: int) -> list[frozenset[int]]:
    """Return *size* random models of a formula, each as the set of its true variables."""
    _prepare_process()
    import pycmsgen

    n, _, clauses = _read_formula(path)
    solver = pycmsgen.Solver(seed=seed)
    solver.add_clauses([*clauses, *([v, -v] for v in range(1, n + 1))])
    return [frozenset(v for v, value in enumerate(solver.solve()[1]) if value) for _ in range(size)]


def _read_formula(path: str) -> tuple[int, list[int], list[list[int]]]:
    """Return the number of variables, the shown variables and the clauses of a file."""
    lines = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    n = next(int(words[2]) for words in lines if words[0] == "p")
    shown_variables = next([*map(int, words[3:-1])] for words in lines if words[:3] == ["c", "p", "show"])
    return n, shown_variables, [[*map(int, words[:-1])] for words in lines if words[0] not in ("c", "p")]


COUNTERS: Mapping[str, tuple[str, Callable[[str], int]]] = {
    "d4": ("py_d4", count_by_d4),
    "ganak": ("pyganak", count_by_ganak),
}
"""The module of each counter, and the function that a worker process runs."""
