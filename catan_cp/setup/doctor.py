"""Check of this machine: MiniZinc, its solvers and the models.

>>> print(examine().text())                                                             # doctest: +SKIP
MiniZinc  ok  2.6.4, PATH, /usr/bin/minizinc
chuffed   --  MiniZinc 2.6.4 at /usr/bin/minizinc has no chuffed
              install it with: catan-cp doctor --install
              or with: sudo snap install minizinc --classic
gecode    ok  6.2.0, solves, lists in order, /usr/bin/fzn-gecode
models    ok  /home/ada/catan_cp/models
Boards can be generated, without chuffed.
"""

import platform
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from catan_cp.errors import CatanError, SolverNotFound, listed
from catan_cp.model_files import SHIPPED, models_dir
from catan_cp.solving import find
from catan_cp.solving.find import AUTO, FoundSolver

_APT_HAS_ALL = {"debian": (13,), "ubuntu": (25, 10)}
"""The first releases that package MiniZinc, Gecode and Chuffed together."""

_SNAP = "sudo snap install minizinc --classic"
_DNF = f"sudo dnf install snapd && sudo ln -sfn /var/lib/snapd/snap /snap && {_SNAP}"
_BUNDLE = {
    "debian": _SNAP,
    "ubuntu": _SNAP,
    "fedora": _DNF,
    "rhel": _DNF,
    "arch": "yay -S minizinc-ide",
    "macos": "brew install --cask minizincide",
    "windows": 'winget install MiniZinc.MiniZincIDE && setx CATAN_CP_MINIZINC "%ProgramFiles%\\MiniZinc"',
}
"""The command per system that installs MiniZinc's bundle, which has both solvers."""

_REINSTALL = "pip install --force-reinstall .    (in the checkout that it was installed from)"


def commands() -> tuple[str, ...]:
    """Return the commands that install MiniZinc and its solvers, best first."""
    return *find.install_commands(), other_command()


def other_command(system: str | None = None, release: Mapping[str, str] | None = None) -> str:
    """Return the command that installs MiniZinc without a private copy.

    It installs packages of the system or MiniZinc's bundle.

    Args:
        system: the name of a system as `platform.system` returns it. Default: this machine's.
        release: the fields of an ``os-release`` file. Default: this machine's.
    """
    family = {"Darwin": "macos", "Windows": "windows"}.get(system or platform.system(), "")
    if not family and release is None:
        try:
            release = platform.freedesktop_os_release()
        except OSError:
            release = {}
    if not family and release is not None:
        names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
        family = next((name for name in names if name in _BUNDLE), "")
        # The version of a derived distribution is not that of Debian or Ubuntu.
        number = release.get("VERSION_ID", "").split(".") if names[0] == family else []
        first = _APT_HAS_ALL.get(family)
        if first is not None and all(map(str.isdigit, number)) and tuple(map(int, number)) >= first:
            return "sudo apt-get install minizinc gecode-flatzinc chuffed-flatzinc"
    set_variable = "conda env config vars set" if Path(sys.prefix, "conda-meta").is_dir() else "export"
    unpack = "unpack MiniZinc's bundled binary release into FOLDER, then: "
    return _BUNDLE.get(family, f"{unpack}{set_variable} CATAN_CP_MINIZINC=FOLDER/bin")


@dataclass(frozen=True)
class Finding:
    """Result of the check of MiniZinc, a solver or the models.

    Args:
        what: "MiniZinc", a solver's name, or "models".
        ok: True if it is installed and works.
        detail: its version and place, or the problem if *ok* is False.
        commands: the commands that install it on this platform, best first. Empty if *ok* is True, or if
            *detail* names another remedy.
    """

    what: str
    ok: bool
    detail: str
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Findings about MiniZinc, each solver and the models."""

    minizinc: Finding
    solvers: tuple[Finding, ...]
    models: Finding

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of `text`."""
        return (self.minizinc, *self.solvers, self.models)

    @property
    def ok(self) -> bool:
        """True if boards can be generated under all rules.

        This needs MiniZinc, the models and at least one solver.
        """
        return self.minizinc.ok and self.models.ok and any(solver.ok for solver in self.solvers)

    def text(self) -> str:
        """Return the report as plain text, with commands that install missing parts."""
        width = max(len(finding.what) for finding in self.findings)
        lines = []
        for finding in self.findings:
            lines.append(f"{finding.what:<{width}}  {'ok' if finding.ok else '--'}  {finding.detail}")
            for number, command in enumerate(finding.commands):
                lead = "or with:" if number else "install it with:"
                lines.append(f"{'':<{width}}      {lead} {command}")
        missing = [solver.what for solver in self.solvers if not solver.ok]
        verdict = f"Boards can be generated, without {missing[0]}." if missing else "All is well."
        if not self.models.ok:
            verdict = "Boards cannot be generated without the models."
        elif not self.ok:
            verdict = "Without a solver, boards can only be generated by methods that need none"
            verdict += ", such as: catan-cp generate --rules tournament"
        return "\n".join([*lines, verdict])


def examine() -> Report:
    """Check MiniZinc, each solver and the models, and return the report.

    Each solver solves a small model. Failures are findings, not exceptions.
    """
    models = _finding("models", _models, (_REINSTALL,))
    minizinc = _finding("MiniZinc", _minizinc, commands())
    if not minizinc.ok:
        missing = "cannot be used without MiniZinc"
        return Report(
            minizinc, tuple(Finding(name, False, missing, minizinc.commands) for name in AUTO), models
        )
    solvers = [_finding(name, partial(_solver, name), commands()) for name in AUTO]
    with suppress(SolverNotFound):  # MiniZinc lists no solvers, which the findings above report
        solvers += [Finding(solver.name, True, _detail(solver)) for solver in find.found_solvers(AUTO)]
    return Report(minizinc, tuple(solvers), models)


def _finding(part: str, check: Callable[[], str], commands: tuple[str, ...]) -> Finding:
    """Return the finding about a part, with the detail that *check* returns.

    If *check* raises an error, the advice at the end of its message is cut off, because the report prints
    *commands*. A `SharedCopy` names another remedy, and *commands* would fail.
    """
    try:
        return Finding(part, True, check())
    except find.SharedCopy as problem:
        return Finding(part, False, str(problem))
    except CatanError as problem:
        return Finding(part, False, str(problem).removesuffix(find.install_hint()).rstrip("; "), commands)


def _models() -> str:
    folder = models_dir()
    if lacks := sorted(f"{name}.mzn" for name in SHIPPED if not (folder / f"{name}.mzn").is_file()):
        raise CatanError(f"{folder} lacks {listed(lacks)}")
    return str(folder)


def _minizinc() -> str:
    minizinc = find.find_minizinc()
    return f"{find.dotted(minizinc.version)}, {minizinc.origin}, {minizinc.executable}"


def _solver(name: str) -> str:
    solver = find.find_solver(name)
    find.try_solver(solver.minizinc.executable, solver.choice, solver.minizinc.memory)
    return _detail(solver)


def _detail(solver: FoundSolver) -> str:
    place = "through MiniZinc" if solver.through_minizinc else str(solver.executable)
    return f"{solver.version}, solves, {solver.backend.lists_by}, {place}"
