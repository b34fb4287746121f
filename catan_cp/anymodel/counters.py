"""Programs that read a formula, as functions for worker processes: counters, samplers and a prover.

A counter reads a compiled model from a file, encodes it, and counts its solutions or samples from them. Each
function limits the memory of its process first, and discards the output of the library that it calls. The
libraries are all under the MIT license. Those of the extra ``count``:

* d4 (Lagniez and Marquis 2017) compiles the formula to a decision diagram while it searches.
* ganak (Sharma, Roy, Soos and Meel 2019) simplifies the formula to few variables first.

The extra ``prove`` is python-sat (Ignatiev, Morgado and Marques-Silva 2018), which contains CaDiCaL (Biere et
al. 2020). CaDiCaL writes each clause that it learns in the DRAT format (Wetzler, Heule and Hunt 2014).
"""

import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from catan_cp.anymodel.clauses import ClauseWriter
from catan_cp.anymodel.diagrams import ClauseDiagram
from catan_cp.processes import limit_memory, scratch_folder
from catan_cp.workers import Workers

CADICAL = "cadical153"
"""CaDiCaL 1.5.3, as python-sat names it. Its CaDiCaL 1.9.5 takes a thousand times as long for `base-5-6`."""
COUNTER_MEMORY = 8 << 30
"""The maximum bytes of address space of a process. d4 reserves four gigabytes at its start."""

PrintedRow = tuple[int, ...]
"""The values of the shown variables of a compiled model, in order."""


def installed() -> list[str]:
    """Return the names of the installed model counters."""
    return [name for name, (module, _) in COUNTERS.items() if find_spec(module)]


@contextmanager
def running_counters(flatzinc: str, words: Sequence[str]) -> Iterator[dict[Future[int], str]]:
    """Yield the running jobs of all installed counters, each with the counter's name.

    They end with the context.

    Args:
        flatzinc: a compiled model.
        words: its shown variables.
    """
    names = installed()
    if not names:
        yield {}
        return
    with scratch_folder() as (folder, _), Workers(len(names)) as pool:
        path = folder / "model.fzn"
        path.write_text(flatzinc, encoding="utf-8")
        yield {pool.submit(COUNTERS[name][1], str(path), words): name for name in names}


def _prepare_process() -> None:
    """Limit the memory of this worker process, and silence the programs that it loads."""
    limit_memory(COUNTER_MEMORY)
    sys.set_int_max_str_digits(0)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)


def _encoded(path: str, words: Sequence[str]) -> tuple[ClauseWriter, set[int]]:
    """Return the formula of a compiled model, and its shown Boolean variables."""
    writer = ClauseWriter(Path(path).read_text(encoding="utf-8"))
    shown = writer.shown(words)
    writer.encode_all()
    return writer, shown


def _d4_formula(path: str, words: Sequence[str]) -> tuple[str, ClauseWriter]:
    """Return the file of the formula, which d4 reads, and the formula."""
    writer, shown = _encoded(path, words)
    file = Path(path).with_suffix(".cnf")
    file.write_text(writer.text(shown), encoding="ascii")
    return str(file), writer


def count_by_d4(path: str, words: Sequence[str]) -> int:
    """Return the number of solutions of a compiled model, counted by d4."""
    _prepare_process()
    import py_d4

    file, writer = _d4_formula(path, words)
    return 0 if () in writer.clauses else int(py_d4.Solver(file).count().getResult())


def count_by_ganak(path: str, words: Sequence[str]) -> int:
    """Return the number of solutions of a compiled model, counted by ganak."""
    _prepare_process()
    writer, projected = _encoded(path, words)
    return _ganak_count(writer, projected)


def _ganak_count(writer: ClauseWriter, shown: set[int], assumed: Sequence[int] = ()) -> int:
    """Return the number of projected models of a formula in which the *assumed* literals are true."""
    import pyganak

    if () in writer.clauses:
        return 0
    counter = pyganak.Counter()
    counter.new_vars(writer.n)
    counter.add_clauses([*map(list, writer.clauses), *([literal] for literal in assumed)])
    counter.set_sampling_set(sorted(shown))
    return int(counter.count())


COUNTERS: Mapping[str, tuple[str, Callable[[str, Sequence[str]], int]]] = {
    "d4": ("py_d4", count_by_d4),
    "ganak": ("pyganak", count_by_ganak),
}
"""The module of each counter, and the function that a worker process runs."""


_sampler: Callable[[int, random.Random], list[PrintedRow]] | None = None
"""The function of this worker process that samples from the model of the last `start_d4` or `start_ganak`."""


def more_samples(n: int, seed: int) -> list[PrintedRow]:
    """Return *n* uniform samples of the solutions of the model that this worker process started with."""
    assert _sampler is not None
    return _sampler(n, random.Random(seed))


def start_d4(path: str, words: Sequence[str], most: int) -> int | list[PrintedRow]:
    """Return all solutions of a compiled model if there are at most *most*, otherwise their number.

    In the second case, `more_samples` samples from d4's decision diagram.
    """
    global _sampler
    _prepare_process()
    import py_d4

    file, writer = _d4_formula(path, words)
    if () in writer.clauses:
        return []
    diagram = ClauseDiagram(py_d4.Solver(file).compile().getNNFString(), writer.shown(words))
    terms = writer.vars(words)
    if diagram.n_models <= most:
        return [_row(terms, model) for model in diagram.models()]

    def sample(n: int, source: random.Random) -> list[PrintedRow]:
        return [_row(terms, diagram.sample(source)) for _ in range(n)]

    _sampler = sample
    return diagram.n_models


def start_ganak(path: str, words: Sequence[str], _most: int) -> int:
    """Return the number of solutions of a compiled model, from which `more_samples` then samples.

    The values of the variables are sampled one after the other. The probability of a value is the share of
    solutions with it among those with the earlier values.
    """
    global _sampler
    _prepare_process()
    writer, projected = _encoded(path, words)
    terms, counts = writer.vars(words), dict[tuple[int, ...], int]()

    def count(assumed: tuple[int, ...]) -> int:
        if assumed not in counts:
            counts[assumed] = _ganak_count(writer, projected, assumed)
        return counts[assumed]

    def solution(rank: int) -> PrintedRow:
        """Return the solution of a rank, in the order of the values of the terms."""
        assumed: tuple[int, ...] = ()
        for term in terms:
            for literal in term.values() if len(term) > 1 else ():
                if rank < count((*assumed, int(literal))):
                    assumed = (*assumed, int(literal))
                    break
                rank -= count((*assumed, int(literal)))
        return _row(terms, frozenset(literal for literal in assumed if literal > 0))

    def sample(n: int, source: random.Random) -> list[PrintedRow]:
        return [solution(source.randrange(count(()))) for _ in range(n)]

    _sampler = sample
    return count(())


SAMPLERS: Mapping[str, Callable[[str, Sequence[str], int], int | list[PrintedRow]]] = {
    "d4": start_d4,
    "ganak": start_ganak,
}
"""The function of each counter that prepares `more_samples`."""


def prove_by_cadical(path: str, proof: str) -> bool:
    """Write a proof that a formula has no solution, in DRAT form as text.

    Returns:
        False if the formula has a solution. Then no proof is written.

    Raises:
        OSError: the proof is incomplete.
    """
    _prepare_process()
    from pysat.solvers import Solver

    lines = map(str.split, Path(path).read_text(encoding="ascii").splitlines())
    clauses = [[*map(int, words[:-1])] for words in lines if words[0] not in ("c", "p")]
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


def _row(terms: Sequence[Mapping[int, int | bool]], true: frozenset[int]) -> PrintedRow:
    """Return the value of each term in a model, the set of the true variables."""
    return tuple(
        next(
            value
            for value, literal in term.items()
            if literal is True or (abs(literal) in true) == (literal > 0)
        )
        for term in terms
    )
