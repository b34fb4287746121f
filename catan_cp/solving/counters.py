"""Programs that read a formula, as functions for worker processes: counters, a sampler and a prover.

Each function reads a formula in DIMACS form from a file. It limits the memory of its process first, and
discards the output of the library that it calls. The libraries are all under the MIT license. Those of the
extra ``count``:

* d4 (Lagniez and Marquis 2017) compiles the formula to a decision diagram while it searches.
* ganak (Sharma, Roy, Soos and Meel 2019) simplifies the formula to few variables first.
* CMSGen (Golia, Soos, Chakraborty and Meel 2021) solves the formula again and again with random choices.

The extra ``prove`` is python-sat (Ignatiev, Morgado and Marques-Silva 2018), which contains CaDiCaL (Biere et
al. 2020). CaDiCaL writes each clause that it learns in the DRAT format (Wetzler, Heule and Hunt 2014).
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from catan_cp.processes import limit_memory

CADICAL = "cadical153"
"""CaDiCaL 1.5.3, as python-sat names it. Its CaDiCaL 1.9.5 takes a thousand times as long for `base-5-6`."""
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


def prove_by_cadical(path: str, proof: str) -> bool:
    """Write a proof that a formula has no solution, in DRAT form as text.

    Returns:
        False if the formula has a solution. Then no proof is written.

    Raises:
        OSError: the proof is incomplete.
    """
    _prepare_process()
    from pysat.solvers import Solver

    clauses = _read_formula(path)[2]
    with Solver(CADICAL, bootstrap_with=clauses, with_proof=True) as solver:
        if solver.solve():
            return False
        steps = solver.get_proof()
    if [] in clauses:  # it has no step then
        steps.append("0")
    if "0" not in steps:
        raise OSError("the proof is incomplete; the disk of temporary files may be full")
    with Path(proof).open("w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{step}\n" for step in steps)
    return True


def _read_formula(path: str) -> tuple[int, list[int], list[list[int]]]:
    """Return the number of variables, the shown variables and the clauses of a file."""
    lines = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    n = next(int(words[2]) for words in lines if words[0] == "p")
    shown_variables = [
        int(word) for words in lines if words[:3] == ["c", "p", "show"] for word in words[3:-1]
    ]
    return n, shown_variables, [[*map(int, words[:-1])] for words in lines if words[0] not in ("c", "p")]


COUNTERS: Mapping[str, tuple[str, Callable[[str], int]]] = {
    "d4": ("py_d4", count_by_d4),
    "ganak": ("pyganak", count_by_ganak),
}
"""The module of each counter, and the function that a worker process runs."""
