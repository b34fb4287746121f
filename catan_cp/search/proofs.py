"""Proofs that no board satisfies some rules, for programs that check proofs.

The models with the rules as their data become clauses (`catan_cp.anymodel.clauses`). A SAT solver searches
for an assignment that satisfies them, and writes each clause that it learns in the DRAT format (Wetzler,
Heule and Hunt 2014). A checker repeats these steps, so nobody need trust the solver.
"""

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from catan_cp import __version__
from catan_cp.anymodel.clauses import dimacs
from catan_cp.anymodel.counters import MEMORY, prove_by_cadical
from catan_cp.anymodel.racing import Race
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import (
    CatanError,
    InvalidArgument,
    SolverFailed,
    SolverTimeout,
    check_path,
    extra,
    show_path,
)
from catan_cp.files import from_home, whole_folder
from catan_cp.processes import Group, last_words, run, scratch_folder
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.search.instances import compile_plain
from catan_cp.search.model_data import joint_task, terrain_task
from catan_cp.solving.compiling import Compiled
from catan_cp.solving.find import dotted
from catan_cp.workers import Workers

PROGRAMS = ("cadical", "kissat")
"""The SAT solvers on the PATH that write proofs, the preferred one first."""

_CADICAL = "CaDiCaL 1.5.3"
"""The SAT solver of the extra ``prove``."""
_CHECKER = Path(__file__).with_name("check_proof.py")

_SATISFIABLE, _UNSATISFIABLE = 10, 20
"""The exit statuses of SAT solvers."""
_NOTE = """\
Statement: no {what} of the layout below satisfies the rules below.

  clauses.cnf     The models of catan-cp {version} with rules and layout as their data, compiled by
                  MiniZinc {minizinc}, as clauses in DIMACS form. Comments give the meaning of variables.
  proof.drat      A proof by {prover} that no assignment satisfies the clauses, in DRAT form as text.
  check_proof.py  A program that checks the proof. It needs only Python. If you do not trust the sender of
                  these files, take it from the source code of catan-cp (catan_cp/search/check_proof.py).

Check the proof in this folder:

  python check_proof.py .

Other programs that check DRAT proofs work too, such as drat-trim:

  drat-trim clauses.cnf proof.drat

The check shows that the clauses have no solution, whatever the solver did. It does not show that the clauses
state the rules. That depends on the models, on MiniZinc's compiler and on the encoding. Nothing is added to
the models to exclude symmetric boards. They put equal number tokens in order, because otherwise each board
would be several solutions.

Models: {models}

Rules:

{rules}
Layout:

{layout}"""


class Proof(NamedTuple):
    """A proof that there is no *what* (terrain arrangement or board), and its sizes."""

    what: str
    clauses: int
    steps: int


def save_proof(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    folder: str | Path,
    timeout: float | None = None,
) -> Proof:
    """Write a proof that no board satisfies the rules, for other programs to check.

    If the terrain alone has no solution, the proof is about the terrain. Otherwise it is about complete
    boards. Custom constraints and edited models are part of the clauses.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        folder: a new or empty folder for ``clauses.cnf``, ``proof.drat``, ``check_proof.py``, which checks
            the proof, and ``note.txt``.
        timeout: time limit in seconds; none by default.

    Returns:
        What there is none of, and the numbers of clauses and steps.

    Raises:
        InvalidArgument: a board satisfies the rules, or MiniZinc finds the contradiction while it compiles,
            so that no clauses are left. Or a constraint has no encoding, or the folder has files.
        InvalidRules, InvalidBoard: invalid rules or layout.
        CatanError: no SAT solver is installed, or the folder cannot be written.
        SolverTimeout: the time limit passed.
        SolverNotFound, SolverFailed: MiniZinc is not installed, or a program failed.
    """
    target = from_home(check_path("folder must be the path of a folder", folder))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidArgument(f"folder must be new or empty, not {show_path(target)}; name another")
    rules, layout = read_asked(rules, layout)
    prover = _prover()
    clock = Clock(timeout, rules)
    for what, task_of in (("terrain arrangement", terrain_task), ("board", joint_task)):
        with clock.named():
            compiled = compile_plain(task_of(rules, layout), clock.left())
            if not compiled.printed[1]:
                raise InvalidArgument(
                    f"rules must not contradict each other so plainly for a proof: MiniZinc finds no {what} "
                    "while it compiles the model, so no clauses are left; leave out rules"
                )
            note = _NOTE.format(
                what=what,
                version=__version__,
                minizinc=dotted(compiled.solver.minizinc.version),
                prover=_CADICAL if prover is None else Path(prover).name,
                models=rules.models or "as shipped",
                rules=rules.replace(models=None).to_toml(),
                layout=layout.to_toml(),
            )
            if numbers := _write_proof(compiled, prover, target, note, clock):
                return Proof(what, *numbers)
    raise InvalidArgument(
        f"rules must allow no board of {layout.name!r} for a proof; generate_board makes one"
    )


def _prover() -> str | None:
    """Return the path of a SAT solver that writes proofs, None for that of the extra ``prove``."""
    if find_spec("pysolvers") is not None:
        return None
    if program := next(filter(None, map(shutil.which, PROGRAMS)), None):
        return program
    raise CatanError(
        f"a proof needs a SAT solver, and none is installed; {extra('prove')}, or put cadical or kissat on "
        "the PATH"
    )


def _write_steps(prover: str | None, clauses: Path, proof: Path, clock: Clock, group: Group) -> bool:
    """Write the steps of a proof. Return False if the clauses have a solution."""
    if prover is None:
        with Workers(1) as pool:
            job = pool.submit(prove_by_cadical, str(clauses), str(proof))
            with Race[bool](clock) as race:
                race.add(_CADICAL, job.result, pool.stop)
                answer = race.first()
                if answer is None:
                    raise race.failure("free memory, or make room for temporary files")
                return answer[0]
    done = run(
        [prover, "-q", "--no-binary", clauses, proof], timeout=clock.left(), group=group, memory=MEMORY
    )
    if done.returncode not in (_SATISFIABLE, _UNSATISFIABLE):
        raise SolverFailed(f"{prover} failed: {last_words(done.stderr or done.stdout)}")
    return done.returncode == _UNSATISFIABLE


def _write_proof(
    compiled: Compiled, prover: str | None, target: Path, note: str, clock: Clock
) -> tuple[int, int] | None:
    """Write a proof, and return the numbers of clauses and steps, or None if there is a solution."""
    text = dimacs(compiled, clock.left)
    with scratch_folder() as (folder, group):
        clauses, proof = folder / "clauses.cnf", folder / "proof.drat"
        try:
            clauses.write_text(text, encoding="ascii")
            if not _write_steps(prover, clauses, proof, clock, group):
                return None
            with whole_folder(target) as whole:
                for file in (clauses, proof, _CHECKER):
                    shutil.copyfile(file, whole / file.name)
                (whole / "note.txt").write_text(note, encoding="utf-8")
            with proof.open(encoding="ascii") as steps:
                n_steps = sum(1 for _ in steps)
        except subprocess.TimeoutExpired:
            raise SolverTimeout(f"the time limit passed while {prover} searched; allow more time") from None
        except OSError as problem:
            raise CatanError(f"cannot write the proof to {show_path(target)}: {problem}") from problem
    return sum(line[0] not in "cp" for line in text.splitlines()), n_steps
