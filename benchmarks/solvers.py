"""The same models with every installed solver.

``python -m benchmarks.solvers`` prints the table of docs/performance.md. A figure is the processor time
of Python, MiniZinc and the solver together, including compilation. Other work on the machine disturbs it
little. The limit of a task is in seconds of wall-clock time.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from benchmarks.measure import expect, processor_seconds, seconds
from catan_cp import (
    CatanError,
    InvalidArgument,
    Rules,
    SolverTimeout,
    best_board,
    enumerate_markers,
    enumerate_terrains,
    generate_board,
)
from catan_cp.solving import compiling
from catan_cp.solving.find import found_solvers

PRINTED = "dlw/bgol/owbwg/lgob/wlg"
"""The terrain arrangement printed in TWright 2019."""

BLOG = Rules.preset("blog")

Task = Callable[[str, float], None]
"""A function that works with a named solver, within a time limit in seconds."""


def _terrains(rules: str, limit: int | None, count: int, solver: str, timeout: float) -> None:
    with enumerate_terrains(rules, solver=solver, timeout=timeout, limit=limit) as solutions:
        expect(count, solutions.array())


def _markers(below: int, limit: int | None, count: int, solver: str, timeout: float) -> None:
    rules = BLOG.replace(vertex_sum_below=below)
    with enumerate_markers(PRINTED, rules, solver=solver, timeout=timeout, limit=limit) as solutions:
        expect(count, solutions.array())


def _board(solver: str, timeout: float) -> None:
    generate_board("optimal", seed=1, method="solver", solver=solver, timeout=timeout)


def _best(solver: str, timeout: float) -> None:
    best = best_board("open", minimize="largest_vertex_sum", solver=solver, timeout=timeout)
    if not best.proven:
        raise SolverTimeout(f"{best.value}, not proven")
    if best.value != 21:
        raise AssertionError(f"{best.value} instead of 21")


TASKS: Mapping[str, Task] = {
    "first terrain under `blog`": partial(_terrains, "blog", 1, 1),
    "first terrain under `optimal`": partial(_terrains, "optimal", 1, 1),
    "all 96 terrains under `blog`": partial(_terrains, "blog", None, 96),
    "first markers of the post's board": partial(_markers, 23, 1, 1),
    "all 11,753 of them": partial(_markers, 23, None, 11_753),
    "proof that none is below 21 there": partial(_markers, 21, 1, 0),
    "a complete `optimal` board": _board,
    "the best board of all, proven": _best,
}
"""Tasks by their names in the table."""


def measure(task: Task, solver: str, limit: float) -> str:
    """Return the processor seconds of a task, or the reason why it has none, as a table cell."""
    compiling._kept.clear()
    try:
        return f"{seconds(partial(task, solver, limit), processor_seconds):.1f}"
    except SolverTimeout:
        return f"not in {limit:g}"
    except InvalidArgument:  # the solver cannot list
        return "-"
    except CatanError as problem:
        return type(problem).__name__


def table(solvers: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """Return the figures as a Markdown table, one row per solver."""
    lines = [["task", *solvers], ["---"] * (len(solvers) + 1), *([name, *row] for name, row in rows.items())]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure every task with every solver, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a task")
    parser.add_argument("--only", nargs="*", help="these solvers alone")
    options = parser.parse_args()
    solvers = options.only or [backend.name for backend in found_solvers()]
    generate_board("optimal", seed=0)  # numpy is loaded, and terrains are counted
    rows: dict[str, list[str]] = {}
    for name, task in TASKS.items():
        rows[name] = [measure(task, solver, options.limit) for solver in solvers]
        print(f"{name}: {rows[name]}", flush=True)
    print(table(solvers, rows))


if __name__ == "__main__":
    main()
