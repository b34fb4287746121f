"""Runs of several solvers on one model, side by side.

>>> runs = compare_solvers("var 1..9: x; var 1..9: y; constraint x * y = 35;", solvers=["gecode", "chuffed"])
>>> [(run.solver, run.solutions, run.complete) for run in runs]
[('gecode', 2, True), ('chuffed', 2, True)]
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from catan_cp.anymodel.models import opened_model
from catan_cp.errors import InvalidArgument, check_timeout, show
from catan_cp.progress import Progress, Watch, watching
from catan_cp.solving.find import FoundSolver, find_solver, found_solvers
from catan_cp.terminal import aligned, html_table


class SolverRun(NamedTuple):
    """One run of a solver on a model.

    Attributes:
        solver: the name of the solver.
        solutions: the number of different solutions found, or of better and better ones if the model has an
            objective.
        complete: True if the solver proved that there are no others, or none better.
        nodes: the nodes of its search tree; None if the solver does not report them.
        failures: the nodes without a solution below them; None if not reported.
        seconds: the solver's own time, without compilation; None if not reported.
    """

    solver: str
    solutions: int
    complete: bool
    nodes: int | None
    failures: int | None
    seconds: float | None


class SolverRuns(tuple[SolverRun, ...]):
    """A table of runs, printed as text and shown as a table in notebooks."""

    __slots__ = ()

    def _cells(self) -> list[list[str]]:
        return [
            [
                run.solver,
                f"{run.solutions:,}{'' if run.complete else ' or more'}",
                *("" if number is None else f"{number:,}" for number in (run.nodes, run.failures)),
                "" if run.seconds is None else f"{run.seconds:.3f}",
            ]
            for run in self
        ]

    def __repr__(self) -> str:
        return "\n".join(aligned([_HEAD, *self._cells()], 1))

    def _repr_html_(self) -> str:
        return html_table(self._cells(), _HEAD)


_HEAD = ["solver", "solutions", "nodes", "failures", "seconds"]


def compare_solvers(
    model: Any,
    data: Any = None,
    *,
    solvers: Sequence[str] | None = None,
    timeout: float | None = 60.0,
    progress: bool | Watch = True,
) -> SolverRuns:
    """Solve a MiniZinc model with several solvers, and return their search statistics.

    The solvers run one after the other. Each lists all solutions, or proves which one is best. Statistics are
    those of the solvers. They count nodes differently, so compare the nodes of one solver on two models
    rather than those of two solvers.

    Args:
        model: the model, as for `catan_cp.count_solutions`. It may have an objective.
        data: its data, as for `catan_cp.count_solutions`.
        solvers: names of solvers. By default those that are installed and can list all solutions.
        timeout: time limit of each run in seconds; None for no limit.
        progress: True shows the running solver on standard error, and a function is called with a `Progress`.

    Raises:
        InvalidArgument: the model is wrong, or *solvers* are not names.
        SolverNotFound: MiniZinc or a solver is not installed.
        SolverFailed: a solver crashed.

    Example:
        >>> table = compare_solvers("var 1..3: x; constraint x > 1;", solvers=["gecode"], progress=False)
        >>> [(run.solver, run.solutions) for run in table]
        [('gecode', 2)]
    """
    seconds = check_timeout(timeout)
    if isinstance(solvers, str) or not isinstance(solvers, (Sequence, type(None))):
        raise InvalidArgument(f"solvers must be names of solvers, such as ['gecode'], not {show(solvers)}")
    if solvers is None:
        chosen = [solver for solver in found_solvers() if solver.backend.listing != "none"]
    else:
        chosen = [find_solver(name) for name in solvers]
    runs: list[SolverRun] = []
    with watching(progress, "comparing solvers") as watch:
        for solver in chosen:
            if watch is not None:
                watch(Progress(len(runs), len(chosen), "solvers", solver.name))
            runs.append(_run(model, data, solver, seconds))
    return SolverRuns(runs)


def _run(model: Any, data: Any, solver: FoundSolver, seconds: float | None) -> SolverRun:
    limit = () if seconds is None else ("--time-limit", max(1, round(1000 * seconds)))
    every = ("-a",) if "-a" in solver.flags else ()
    options = (*every, "-s", "--json-stream", "--output-mode", "json", *limit)
    with opened_model(model, data, None) as opened:
        messages = opened.messages(solver, *options)
    solutions, statistics, status = set[str](), dict[str, float](), ""
    for message in messages:
        if message["type"] == "solution":
            solutions.add(json.dumps(message["output"].get("json"), sort_keys=True))
        elif message["type"] == "statistics":
            statistics |= message["statistics"]
        elif message["type"] == "status":
            status = message["status"]
    nodes, failures = (None if (value := statistics.get(name)) is None else int(value) for name in _HEAD[2:4])
    complete = status in ("ALL_SOLUTIONS", "OPTIMAL_SOLUTION", "UNSATISFIABLE")
    return SolverRun(solver.name, len(solutions), complete, nodes, failures, statistics.get("solveTime"))
