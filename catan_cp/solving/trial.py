"""Does a solver really solve? Only solving tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from catan_cp.errors import SolverFailed
from catan_cp.processes import NO_ANSWER, complaint, run

MODEL = "var 1..9: x; var 1..9: y;\nconstraint x * y = 35 /\\ x < y;\nsolve satisfy;\n"
"""Three lines with one solution: x = 5 and y = 7."""

_ANSWER = ("x = 5;", "y = 7;")
_PATIENCE = 60.0


def try_solver(minizinc: Path, choice: Sequence[str]) -> None:
    """Solve `MODEL` with the program *minizinc* and the options that choose a solver.

    Raises:
        SolverFailed: it does not come to the one right answer; the message carries the last words.
    """
    what = f"{minizinc} {' '.join(choice)}"
    try:
        done = run([minizinc, *choice, "--input-from-stdin"], MODEL, _PATIENCE)
    except NO_ANSWER as problem:
        raise SolverFailed(f"{what} does not solve three lines: {problem}") from problem
    if done.returncode != 0 or not all(line in done.stdout.splitlines() for line in _ANSWER):
        how = f"status {done.returncode}: {complaint(done)}"
        raise SolverFailed(f"{what} does not solve three lines, {how}")
