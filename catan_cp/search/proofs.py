"""Proofs that no board satisfies some rules, for programs that check proofs.

The models with the rules as their data become clauses (`catan_cp.anymodel.clauses`). A SAT solver searches
for an assignment that satisfies them, and writes each clause that it learns in the DRAT format (Wetzler,
Heule and Hunt 2014). `catan_cp.search.hints` keeps the needed steps, and adds hints. A checker repeats these
steps, so nobody need trust the solver.
"""

import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from catan_cp import __version__, check_proof
from catan_cp.anymodel.clauses import ClauseWriter, dimacs
from catan_cp.anymodel.counters import COUNTER_MEMORY, prove_by_cadical
from catan_cp.anymodel.models import opened_model
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
from catan_cp.problem.problem import Problem
from catan_cp.processes import Group, last_words, run, scratch_folder
from catan_cp.rules.rules import Rules
from catan_cp.search.hints import write_hints
from catan_cp.search.instances import compile_plain
from catan_cp.search.model_data import joint_task, terrain_task
from catan_cp.solving.find import dotted
from catan_cp.workers import Workers

Answer = TypeVar("Answer")

PROGRAMS = ("cadical", "kissat")
"""The SAT solvers on the PATH that write proofs, the preferred one first."""

_CADICAL = "CaDiCaL 1.5.3"
"""The SAT solver of the extra ``prove``."""
_CHECKER = Path(check_proof.__file__)

_SATISFIABLE, _UNSATISFIABLE = 10, 20
"""The exit statuses of SAT solvers."""
_NOTE = """\
Statement: {statement}.

  clauses.cnf     {source} compiled by
                  MiniZinc {minizinc}, as clauses in DIMACS form. Comments give the meaning of variables.
  proof.lrat      A proof by {prover} that no assignment satisfies the clauses, in LRAT form as text.
  proof.drat      The same proof without hints, in DRAT form as text.
  check_proof.py  A program that checks the proof. It needs only Python. If you do not trust the sender of
                  these files, take it from the source code of catan-cp (catan_cp/check_proof.py), or run
                  python -m catan_cp.check_proof .

Check the proof in this folder:

  python check_proof.py .

Other programs that check LRAT or DRAT proofs work too, such as cake_lpr, which is itself proven correct, and
drat-trim:

  cake_lpr clauses.cnf proof.lrat
  drat-trim clauses.cnf proof.drat

The check shows that the clauses have no solution, whatever the solver did. It does not show that the clauses
state the {subject}. That depends on MiniZinc's compiler and on the encoding.
{repeat}

{rest}"""
_BOARDS = """\
It also depends on the models. Nothing is added to the models to exclude symmetric boards. They put equal
number tokens in order, because otherwise each board would be several solutions. The same versions write the
same clauses: save the rules and the layout below as rules.toml and layout.toml, then

  catan-cp export {model} --rules rules.toml --layout layout.toml --format dimacs > clauses.cnf"""
_MODEL = """\
The same versions of catan-cp and MiniZinc write the same clauses for the files below."""


class Proof(NamedTuple):
    """A proof that there is no *what* (terrain arrangement, board or solution), and its sizes.

    Attributes:
        what: the subject.
        clauses: the number of clauses that have no solution.
        steps: the number of clauses that the proof adds.
    """

    what: str
    clauses: int
    steps: int


def save_proof(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    model: Any = None,
    data: Any = None,
    folder: str | Path,
    timeout: float | None = None,
) -> Proof:
    """Write a proof that no board satisfies the rules, for other programs to check.

    If the terrain alone has no solution, the proof is about the terrain. Otherwise it is about complete
    boards. Custom constraints and edited models are part of the clauses. With *model*, the proof is that this
    MiniZinc model has no solution.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        model: a MiniZinc model instead of rules and layout, as for `catan_cp.count_solutions`.
        data: the data of *model*, as for `catan_cp.count_solutions`.
        folder: a new or empty folder for ``clauses.cnf``, ``proof.lrat`` and ``proof.drat``,
            ``check_proof.py``, which checks the proof, and ``note.txt``.
        timeout: time limit in seconds; none by default.

    Returns:
        What there is none of, and the numbers of clauses and steps.

    Raises:
        InvalidArgument: there is a board or a solution, or MiniZinc finds the contradiction of rules while it
            compiles, so that no clauses are left. Or a constraint has no encoding, or the folder has files.
        InvalidRules, InvalidBoard: invalid rules or layout.
        CatanError: no SAT solver is installed, or the folder cannot be written.
        SolverTimeout: the time limit passed.
        SolverNotFound, SolverFailed: MiniZinc is not installed, or a program failed.

    Example:
        With the extra ``prove``, ``save_proof("optimal", "base-5-6", folder="proof").what`` is
        ``'terrain arrangement'``.
    """
    target = from_home(check_path("folder must be the path of a folder", folder))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidArgument(f"folder must be new or empty, not {show_path(target)}; name another")
    if model is not None:
        if (rules, layout) != ("optimal", "base"):
            raise InvalidArgument("a proof must be about rules or about a model, not both; leave one out")
        return _proof_of_model(model, data, target, timeout)
    if data is not None:
        raise InvalidArgument("data must belong to a model; name the model, or leave data out")
    return _proof_of_rules(Problem.of(rules, layout), target, timeout)


def _proof_of_rules(problem: Problem, target: Path, timeout: float | None) -> Proof:
    """Write a proof that rules have no terrain arrangement, or otherwise no board."""
    rules, layout = problem.rules, problem.layout
    prover, clock = _prover(), Clock(timeout, rules)
    for what, task_of in (("terrain arrangement", terrain_task), ("board", joint_task)):
        with clock.named():
            compiled = compile_plain(task_of(problem), clock.left())
            if not compiled.printed.elements:
                raise InvalidArgument(
                    f"rules must not contradict each other so plainly for a proof: MiniZinc finds no {what} "
                    "while it compiles the model, so no clauses are left; leave out rules"
                )
            note = _NOTE.format(
                statement=f"no {what} of the layout below satisfies the rules below",
                source=f"The models of catan-cp {__version__} with rules and layout as their data,",
                minizinc=dotted(compiled.solver.minizinc.version),
                prover=_prover_name(prover),
                subject="rules",
                repeat=_BOARDS.format(model="terrain" if task_of is terrain_task else "joint"),
                rest=f"Models: {rules.models or 'as shipped'}\n\nRules:\n\n"
                f"{rules.replace(models=None).to_toml()}\nLayout:\n\n{layout.to_toml()}",
            )
            text = dimacs(compiled, clock.left)
            if numbers := _write_proof(text, prover, target, note, clock):
                return Proof(what, *numbers)
    raise InvalidArgument(
        f"rules must allow no board of {layout.name!r} for a proof; generate_board makes one"
    )


def _proof_of_model(model: Any, data: Any, target: Path, timeout: float | None) -> Proof:
    """Write a proof that a MiniZinc model has no solution."""
    prover = _prover()
    with opened_model(model, data, timeout) as opened:
        flat = opened.flat([])
        writer = ClauseWriter(flat.flatzinc.text, opened.clock.left)
        meanings = {
            literal: f"c {literal} is {word}={value}"
            for word in flat.declared
            for value, literal in writer.var(word).items()
            if not isinstance(literal, bool) and literal > 0
        }
        writer.encode_all()
        note = _NOTE.format(
            statement="the model below has no solution with its data",
            source=f"The model with its data for catan-cp {__version__},",
            minizinc=dotted(opened.solver.minizinc.version),
            prover=_prover_name(prover),
            subject="model",
            repeat=_MODEL,
            rest="\n\n".join(f"{file.name}:\n\n{_text(file)}" for file in opened.files),
        )
        text = writer.text(meanings, meanings.values())
        numbers = _write_proof(text, prover, target, note, opened.clock)
    if numbers is None:
        raise InvalidArgument("model must have no solution for a proof; count_solutions counts its solutions")
    return Proof("solution", *numbers)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace").rstrip() + "\n"


def _prover_name(prover: str | None) -> str:
    return _CADICAL if prover is None else Path(prover).name


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
        return _in_process(clock, _CADICAL, prove_by_cadical, clauses, proof)
    result = run(
        [prover, "-q", "--no-binary", clauses, proof],
        timeout=clock.left(),
        group=group,
        memory=COUNTER_MEMORY,
    )
    if result.returncode not in (_SATISFIABLE, _UNSATISFIABLE):
        raise SolverFailed(f"{prover} failed: {last_words(result.stderr or result.stdout)}")
    return result.returncode == _UNSATISFIABLE


def _in_process(clock: Clock, name: str, function: Callable[..., Answer], *paths: Path) -> Answer:
    """Return the result of a function in a worker process, which ends with the time limit."""
    with Workers(1) as pool:
        job = pool.submit(function, *map(str, paths))
        with Race[Answer](clock) as race:
            race.add(name, job.result, pool.stop)
            answer = race.first()
            if answer is None:
                raise race.failure("free memory, or make room for temporary files")
            return answer[0]


def _write_proof(
    text: str, prover: str | None, target: Path, note: str, clock: Clock
) -> tuple[int, int] | None:
    """Write a proof, and return the numbers of clauses and steps, or None if there is a solution."""
    with scratch_folder() as (folder, group):
        clauses, proof = folder / "clauses.cnf", folder / "solver.drat"
        drat, lrat = folder / "proof.drat", folder / "proof.lrat"
        try:
            clauses.write_text(text, encoding="ascii")
            if not _write_steps(prover, clauses, proof, clock, group):
                return None
            n_steps = _in_process(clock, "the search for hints", write_hints, clauses, proof, drat, lrat)
            with whole_folder(target) as whole:
                for file in (clauses, lrat, drat, _CHECKER):
                    shutil.copyfile(file, whole / file.name)
                (whole / "note.txt").write_text(note, encoding="utf-8")
        except subprocess.TimeoutExpired:
            raise SolverTimeout(f"the time limit passed while {prover} searched; allow more time") from None
        except OSError as problem:
            raise CatanError(f"cannot write the proof to {show_path(target)}: {problem}") from problem
    return sum(line[0] not in "cp" for line in text.splitlines()), n_steps
