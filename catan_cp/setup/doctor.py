"""What is here and what is missing: MiniZinc, its solvers, the models.

>>> print(examine().text())                                                             # doctest: +SKIP
MiniZinc  ok  2.6.4, PATH, /usr/bin/minizinc
chuffed   --  MiniZinc 2.6.4 at /usr/bin/minizinc has no chuffed
              bring it with: catan-cp doctor --install
              or with: sudo snap install minizinc --classic
gecode    ok  6.2.0, solves, lists in order, /usr/bin/fzn-gecode
models    ok  /home/ada/catan_cp/models
Boards can be generated, without chuffed.
"""

from __future__ import annotations

from dataclasses import dataclass

from catan_cp.errors import SolverFailed, SolverNotFound
from catan_cp.solving.advice import BRING_IT_WITH, command_for, other_command_for
from catan_cp.solving.backends import AUTO
from catan_cp.solving.find import FoundSolver, find_solver, found_solvers
from catan_cp.solving.installation import find_minizinc
from catan_cp.solving.trial import try_solver

_REINSTALL = "pip install --force-reinstall .    (in the checkout that it was installed from)"
_MODELS = ("board.mzn", "harbors.mzn", "joint.mzn", "layout.mzn", "markers.mzn")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Args:
        what: "MiniZinc", a solver's name, or "models".
        ok: whether it is there and works.
        detail: version and place; or, where it is not ok, what is wrong.
        commands: the ways to bring it on this platform, best first; empty where nothing needs to be done.
    """

    what: str
    ok: bool
    detail: str
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """All findings. ``ok`` where boards can be generated: MiniZinc, the models, and at least one solver."""

    minizinc: Finding
    solvers: tuple[Finding, ...]
    models: Finding

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in the order of `text`."""
        return (self.minizinc, *self.solvers, self.models)

    @property
    def ok(self) -> bool:
        """Whether boards can be generated."""
        return self.minizinc.ok and self.models.ok and any(solver.ok for solver in self.solvers)

    def text(self) -> str:
        """Return the report as plain text: a line for each finding, and how to bring what is missing."""
        width = max(len(finding.what) for finding in self.findings)
        lines = []
        for finding in self.findings:
            lines.append(f"{finding.what:<{width}}  {'ok' if finding.ok else '--'}  {finding.detail}")
            for lead, command in zip((BRING_IT_WITH, "or with:"), finding.commands, strict=False):
                lines.append(f"{'':<{width}}      {lead} {command}")
        lines.append(self._verdict())
        return "\n".join(lines)

    def _verdict(self) -> str:
        if not self.ok:
            return "Boards cannot be generated yet."
        missing = [solver.what for solver in self.solvers if not solver.ok]
        return f"Boards can be generated, without {missing[0]}." if missing else "All is well."


def examine() -> Report:
    """Look for everything, let each solver solve a model of three lines, and report; never raises."""
    minizinc = _examine_minizinc()
    if not minizinc.ok:
        return Report(minizinc, tuple(map(_without_minizinc, AUTO)), _examine_models())
    return Report(minizinc, (*map(_examine_solver, AUTO), *_others()), _examine_models())


def _examine_minizinc() -> Finding:
    try:
        found = find_minizinc()
    except SolverNotFound as problem:
        return Finding("MiniZinc", False, _reason(problem), _ways("minizinc"))
    version = ".".join(map(str, found.version))
    return Finding("MiniZinc", True, f"{version}, {found.origin}, {found.executable}")


def _examine_solver(name: str) -> Finding:
    try:
        found = find_solver(name)
        try_solver(found.minizinc.executable, found.choice)
    except (SolverNotFound, SolverFailed) as problem:
        return Finding(name, False, _reason(problem), _ways(name))
    return _finding(found)


def _others() -> list[Finding]:
    """Return the other solvers that MiniZinc lists and that solve; nobody misses those that do not."""
    try:
        return [_finding(found) for found in found_solvers() if found.name not in AUTO]
    except SolverNotFound:  # no listing, which the solvers above report
        return []


def _finding(found: FoundSolver) -> Finding:
    place = "through MiniZinc" if found.through_minizinc else str(found.executable)
    return Finding(found.name, True, f"{found.version}, solves, {found.backend.lists_by}, {place}")


def _without_minizinc(name: str) -> Finding:
    return Finding(name, False, "cannot be used without MiniZinc", _ways(name))


def _examine_models() -> Finding:
    try:
        from catan_cp.solving.models import models_dir

        folder = models_dir()
    except Exception as problem:  # whatever is wrong with the installation is the finding
        return Finding("models", False, str(problem), (_REINSTALL,))
    missing = [name for name in _MODELS if not (folder / name).is_file()]
    if missing:
        return Finding("models", False, f"{folder} lacks {', '.join(missing)}", (_REINSTALL,))
    return Finding("models", True, str(folder))


def _reason(problem: Exception) -> str:
    """Return what *problem* says but for its advice, which the report gives in full."""
    return str(problem).partition(BRING_IT_WITH)[0].rstrip("; ")


def _ways(what: str) -> tuple[str, ...]:
    """Return the commands that bring *what*, each one once."""
    return tuple(dict.fromkeys((command_for(what), other_command_for(what))))
