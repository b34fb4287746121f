"""Find MiniZinc and, in it, the one solver configuration to use.

A machine may hold several MiniZincs, and each lists the solvers of its neighbours as well. What is found
here is always one program and one configuration file, so that nothing is left to MiniZinc's own look-up.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import sys
import threading
import warnings
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catan_cp.errors import SolverNotFound, listed, show
from catan_cp.setup.install import private_folder
from catan_cp.solving.advice import bring
from catan_cp.solving.asking import NO_ANSWER, ask, last_words

if TYPE_CHECKING:
    from minizinc import Driver, Solver  # type: ignore[import-untyped]

ENVIRONMENT_VARIABLE = "CATAN_CP_MINIZINC"
OLDEST = (2, 6, 4)
"""The oldest MiniZinc that the models are written for."""

SOLVERS = {"chuffed": "org.chuffed.chuffed", "gecode": "org.gecode.gecode"}
"""The solvers that we use, best first, with the names that MiniZinc knows them by."""

_PROGRAM = "minizinc.exe" if sys.platform == "win32" else "minizinc"
_importing = threading.Lock()


@dataclass(frozen=True)
class Installation:
    """A MiniZinc: the program, its version such as ``(2, 9, 2)``, and where it was looked for.

    ``origin`` is "CATAN_CP_MINIZINC", "private copy" or "PATH".
    """

    executable: Path
    version: tuple[int, ...]
    origin: str

    @cached_property
    def driver(self) -> Driver:
        """The `minizinc` package's own handle on this program."""
        package = import_minizinc(self.executable)
        default = package.default_driver
        if default is not None and default.executable == self.executable:
            return default
        return package.Driver(self.executable)


@dataclass(frozen=True)
class FoundSolver:
    """A solver: its short name, version, FlatZinc program, configuration file, and its MiniZinc."""

    name: str
    version: str
    executable: Path
    config_file: Path
    minizinc: Installation
    _entry: dict[str, Any] = field(repr=False, compare=False)

    @cached_property
    def config(self) -> Solver:
        """The configuration for `minizinc.Instance`, pinned to this one file."""
        package = import_minizinc(self.minizinc.executable)
        known = {each.name for each in fields(package.Solver)}
        values = {key: value for key, value in self._entry.items() if key in known}
        values["executable"] = str(self.executable)
        values["mznlib"] = self._entry["extraInfo"].get("mznlib", values.get("mznlib", ""))
        solver = package.Solver(**values)
        solver._identifier = str(self.config_file)
        return solver


def find_minizinc() -> Installation:
    """Return the MiniZinc to use: the one that CATAN_CP_MINIZINC names, else the private copy, else PATH's.

    Raises:
        SolverNotFound: there is none, the environment variable names none, or it is older than 2.6.4.
    """
    executable, origin = _locate()
    version = _version(executable, executable.stat().st_mtime_ns, origin)
    if version < OLDEST:
        raise SolverNotFound(
            f"MiniZinc {_dotted(version)} at {executable} (found by {origin}) is too old: "
            f"{_dotted(OLDEST)} or newer is needed; {bring('minizinc')}"
        )
    return _installation(executable, version, origin)


def find_solver(name: str = "auto") -> FoundSolver:
    """Return the solver called *name*: "chuffed", "gecode", or "auto" for Chuffed where it is, else Gecode.

    Case does not matter, and MiniZinc's own names (``org.chuffed.chuffed``) count too.

    Raises:
        SolverNotFound: no such name, or MiniZinc or the solver is not on this machine.
    """
    wanted = _short_names(name)
    installation = find_minizinc()
    for candidate in wanted:
        found = _pick(installation, candidate)
        if found is not None:
            return found
    raise SolverNotFound(
        f"MiniZinc {_dotted(installation.version)} at {installation.executable} has no "
        f"{' and no '.join(wanted)}; {bring(wanted[0])}"
    )


def import_minizinc(executable: Path) -> Any:
    """Import the `minizinc` package, with *executable* as its default, and return it.

    On import the package starts whichever MiniZinc is first on PATH, and warns where there is none or an
    old one. Putting ours in front spares users both; a PATH that is longer for a moment harms nobody.
    """
    with _importing, warnings.catch_warnings():
        if "minizinc" in sys.modules:
            return importlib.import_module("minizinc")  # which waits for a thread that is at it
        warnings.simplefilter("ignore")
        path = os.environ.get("PATH")
        os.environ["PATH"] = os.pathsep.join(filter(None, (str(executable.parent), path)))
        try:
            import minizinc
        finally:
            if path is None:
                del os.environ["PATH"]
            else:
                os.environ["PATH"] = path
    return minizinc


def _locate() -> tuple[Path, str]:
    """Return MiniZinc's program and where it was found."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return _named(named), ENVIRONMENT_VARIABLE
    private = private_folder() / "bin" / _PROGRAM
    if private.is_file():
        return private, "private copy"
    on_path = shutil.which("minizinc")
    if on_path is not None:
        return Path(on_path).absolute(), "PATH"
    raise SolverNotFound(
        f"MiniZinc was not found: {ENVIRONMENT_VARIABLE} is not set, there is no private copy in "
        f"{private_folder()}, and no minizinc on PATH; {bring('minizinc')}"
    )


def _named(value: str) -> Path:
    """Return the program that the environment variable's *value* means: itself, or in that folder."""
    place = Path(value).expanduser().absolute()
    for candidate in (place, place / _PROGRAM, place / "bin" / _PROGRAM):
        if candidate.is_file():
            if os.access(candidate, os.X_OK):
                return candidate
            raise SolverNotFound(
                f"{ENVIRONMENT_VARIABLE} is set to {show(value)}, but {candidate} may not be executed"
            )
    raise SolverNotFound(
        f"{ENVIRONMENT_VARIABLE} is set to {show(value)}, but there is no MiniZinc there; set it to the "
        "minizinc program or to the folder that holds it, or unset it"
    )


@lru_cache
def _version(executable: Path, _changed: int, origin: str) -> tuple[int, ...]:
    said = _ask(executable, "--version", origin)
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", said)
    if match is None:
        raise SolverNotFound(
            f"{executable} (found by {origin}) is not MiniZinc: asked for its version it said {show(said)}"
        )
    return tuple(int(part) for part in match.groups())


@lru_cache
def _installation(executable: Path, version: tuple[int, ...], origin: str) -> Installation:
    return Installation(executable, version, origin)  # one object, so that its driver is made once


def _ask(executable: Path, question: str, origin: str) -> str:
    """Return what MiniZinc prints when started with the one option *question*."""
    try:
        done = ask([executable, question])
    except NO_ANSWER as problem:
        raise SolverNotFound(f"{executable} (found by {origin}) does not start: {problem}") from problem
    if done.returncode != 0:
        raise SolverNotFound(
            f"{executable} (found by {origin}) fails with status {done.returncode} when asked {question}: "
            f"{last_words(done)}"
        )
    return done.stdout


def _short_names(name: object) -> tuple[str, ...]:
    """Return the solvers that *name* allows, best first."""
    word = name.strip().lower() if isinstance(name, str) else ""
    if word == "auto":
        return tuple(SOLVERS)
    for short, full in SOLVERS.items():
        if word in (short, full):
            return (short,)
    raise SolverNotFound(f"unknown solver {show(name)}; solvers are {listed(['auto', *SOLVERS])}")


def _pick(installation: Installation, name: str) -> FoundSolver | None:
    """Return the configuration of *name* that belongs to *installation*, or None where none can be run."""
    runnable = [
        (entry, program)
        for entry in _listing(installation)
        if entry.get("id") == SOLVERS[name] and (program := _program(entry, installation)) is not None
    ]
    if not runnable:
        return None
    if len(runnable) > 1:
        library = _library(installation)
        runnable.sort(key=lambda pair: library not in _config_file(pair[0]).parents)  # stable: own ones first
    entry, program = runnable[0]
    version = str(entry.get("version", "unknown")).strip("<>")
    return FoundSolver(name, version, program, _config_file(entry), installation, entry)


def _listing(installation: Installation) -> list[dict[str, Any]]:
    """Return MiniZinc's solver configurations, each with its place under ``extraInfo``."""
    executable = installation.executable
    # These are what MiniZinc itself looks at when it collects configurations.
    surroundings = tuple(
        os.environ.get(name) for name in ("MZN_SOLVER_PATH", "MZN_STDLIB_DIR", "PATH", "HOME")
    )
    return _read_listing(executable, executable.stat().st_mtime_ns, installation.origin, surroundings)


@lru_cache
def _read_listing(
    executable: Path, _changed: int, origin: str, _surroundings: tuple[str | None, ...]
) -> list[dict[str, Any]]:
    said = _ask(executable, "--solvers-json", origin)
    try:
        entries = json.loads(said)
    except ValueError as problem:
        raise SolverNotFound(
            f"{executable} (found by {origin}) does not list its solvers as JSON: {show(said)}"
        ) from problem
    return [entry for entry in entries if entry.get("extraInfo", {}).get("configFile")]


def _config_file(entry: dict[str, Any]) -> Path:
    return Path(entry["extraInfo"]["configFile"])


def _program(entry: dict[str, Any], installation: Installation) -> Path | None:
    """Return the FlatZinc program of a configuration, which may name it in any of MiniZinc's ways.

    A path, a path relative to the configuration, a bare name for PATH, or a list that starts with one of
    these; a list that goes on with options asks for a start that is not ours to imitate.
    """
    stated = entry["extraInfo"].get("executable") or entry.get("executable")
    parts = stated if isinstance(stated, list) else [stated]
    if len(parts) != 1 or not parts[0]:
        return None
    beside = _config_file(entry).parent / parts[0]
    if beside.is_file():
        return Path(os.path.normpath(beside))
    path = os.pathsep.join((str(installation.executable.parent), os.environ.get("PATH", "")))
    found = shutil.which(parts[0], path=path)
    return Path(found).absolute() if found is not None else None


@lru_cache
def _library(installation: Installation) -> Path:
    """Return the folder of MiniZinc's own standard library and solver configurations."""
    said = _ask(installation.executable, "--config-dirs", installation.origin)
    return Path(json.loads(said)["mznStdlibDir"])


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
