"""The exact counter as a solver of MiniZinc: ``minizinc --solver count MODEL DATA``.

MiniZinc starts this module with a compiled model. The number of solutions is the number of values of the
variables that the model's output uses. It is printed as the statistic ``solutions``, and without ``-s`` as a
comment. One solution follows, or all with ``-a``.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from catan_cp.anymodel.count import LISTED_MOST, SolutionCount, compiled_count, remedy
from catan_cp.anymodel.counters import PrintedRow, installed
from catan_cp.anymodel.models import FlatModel, Model, numbers_of
from catan_cp.anymodel.racing import Race
from catan_cp.anymodel.shown import SHOWN
from catan_cp.clock import Clock
from catan_cp.errors import CatanError, SolverTimeout
from catan_cp.processes import scratch_folder
from catan_cp.solving.find import find_solver
from catan_cp.solving.flatzinc import FlatZinc
from catan_cp.workers import Workers


def main(words: Sequence[str] | None = None) -> int:
    """Count the solutions of a FlatZinc file, and return the exit status."""
    parser = argparse.ArgumentParser(prog="catan-cp-count", description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="compiled model")
    parser.add_argument("-a", action="store_true", dest="all", help="print all solutions")
    parser.add_argument("-s", action="store_true", dest="statistics", help="print statistics only")
    parser.add_argument("-t", type=int, metavar="MS", help="time limit in milliseconds")
    options = parser.parse_args(words)
    sys.set_int_max_str_digits(0)
    start = time.monotonic()
    try:
        with ExitStack() as stack:
            clock = Clock(None if options.t is None else max(0.001, options.t / 1000))
            folder, group = stack.enter_context(scratch_folder())
            model = Model((), frozenset(), find_solver("gecode"), folder, group, clock)
            flat = _flat(options.file.read_text(encoding="utf-8"), model)
            if flat.prints_floats:
                raise CatanError("the output must use no floats; name other variables in the output item")
            if flat.flatzinc.optimises:
                raise CatanError("model must be a satisfaction problem; remove the objective")
            rows = _all_rows(flat) if options.all else None
            count = compiled_count(flat) if rows is None else SolutionCount(len(rows), "a list")
            _print_count(count, time.monotonic() - start, options.statistics)
            _print_solutions(flat, [] if not count.number else rows if rows is not None else _a_row(flat))
            if options.all or not count.number:
                print("==========" if count.number else "=====UNSATISFIABLE=====", flush=True)
    except SolverTimeout:
        print("=====UNKNOWN=====", flush=True)
    except CatanError as error:
        print(f"catan-cp: {error}", file=sys.stderr)
        return 1
    return 0


def _flat(text: str, model: Model) -> FlatModel:
    """Return a compiled model in which the variables of the output are the shown ones."""
    flatzinc = FlatZinc(text)
    words = ",".join(FlatModel(model, flatzinc, model.folder).output_words)
    try:
        marked = flatzinc.adding(constraints=f"constraint {SHOWN[0]}([{words}]);\n")
    except ValueError as problem:
        raise CatanError(f"the file must be FlatZinc: {problem}") from None
    return FlatModel(model, marked, model.folder)


def _print_count(count: SolutionCount, seconds: float, statistics: bool) -> None:
    if statistics:
        print(f"%%%mzn-stat: solutions={count.number}\n%%%mzn-stat: counter={json.dumps(count.method)}")
        print(f"%%%mzn-stat: solveTime={seconds:.3f}\n%%%mzn-stat-end", flush=True)
    else:
        print(f"% {count.number} solution{'s' * (count.number != 1)}", flush=True)


def _print_solutions(flat: FlatModel, rows: Sequence[PrintedRow]) -> None:
    for text in flat.as_printed_by_solvers(rows):
        print(text, end="", flush=True)


def _a_row(flat: FlatModel) -> list[PrintedRow]:
    """Return one solution."""
    with Race[PrintedRow](flat.model.clock) as race:
        flat.first_in(race)
        answer = race.first()
        if answer is None:
            raise race.failure(remedy())
        return [answer[0]]


def _all_rows(flat: FlatModel) -> list[PrintedRow]:
    """Return all solutions, sorted."""
    with Race[list[PrintedRow] | int](flat.model.clock) as race, Workers(1) as pool:
        flat.list_in(race, LISTED_MOST, numbers_of)
        if "d4" in installed():
            flat.count_in(race, pool, "d4", LISTED_MOST)
        answer = race.first()
        if answer is None:
            raise race.failure("count the solutions without -a")
        if isinstance(answer[0], int):
            raise CatanError(f"there are {answer[0]} solutions, too many to list; count them without -a")
        return sorted(answer[0])


if __name__ == "__main__":
    sys.exit(main())
