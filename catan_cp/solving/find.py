"""Find a solver: which of MiniZinc's configurations it is, and whether it really solves.

Each MiniZinc lists the solvers of its neighbours as well, and solvers whose library is missing. What is found
here is always one configuration, by its file where it has one.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catan_cp.arguments import did_you_mean
from catan_cp.errors import SolverFailed, SolverNotFound, listed, show
from catan_cp.solving.advice import bring
from catan_cp.solving.backends import AUTO, BACKENDS, Backend, generic
from catan_cp.solving.installation import (
    Installation,
    ask,
    dotted,
    find_minizinc,
    import_minizinc,
    standard_library,
)
from catan_cp.solving.trial import try_solver

if TYPE_CHECKING:
    from minizinc import Solver  # type: ignore[import-untyped]

Entry = dict[str, Any]
"""A solver configuration as MiniZinc lists it."""


@dataclass(frozen=True)
class FoundSolver:
    """A solver on this machine.

    Attributes:
        name: what users call it.
        version: its own version.
        executable: the program that we start: its FlatZinc program, or MiniZinc, which runs it for us.
        config_file: its configuration; None where it is built into MiniZinc.
        minizinc: the MiniZinc that lists it.
        backend: how it is started, and what it can do.
        options: what MiniZinc needs to find its library.
    """

    name: str
    version: str
    executable: Path
    config_file: Path | None
    minizinc: Installation
    backend: Backend = field(compare=False)
    options: tuple[str, ...] = ()
    _entry: Entry = field(default_factory=dict, repr=False, compare=False)

    @property
    def through_minizinc(self) -> bool:
        """Whether MiniZinc runs it for us."""
        return self.executable == self.minizinc.executable

    @property
    def choice(self) -> tuple[str, ...]:
        """The options with which MiniZinc uses this solver and no other."""
        identity = self._entry["id"] if self.config_file is None else str(self.config_file)
        return ("--solver", identity, *self.options)

    @property
    def flags(self) -> frozenset[str]:
        """The options that it takes through MiniZinc: standard ones and its own."""
        own = (each[0] for each in self._entry.get("extraFlags") or () if each)
        return frozenset((*(self._entry.get("stdFlags") or ()), *own))

    @cached_property
    def config(self) -> Solver:
        """The configuration for `minizinc.Instance`, pinned to this one file."""
        package = import_minizinc(self.minizinc.executable)
        known = {each.name for each in fields(package.Solver)}
        values = {key: value for key, value in self._entry.items() if key in known}
        if not self.through_minizinc:
            values["executable"] = str(self.executable)
        values["mznlib"] = self._entry["extraInfo"].get("mznlib", values.get("mznlib", ""))
        solver = package.Solver(**values)
        solver._identifier = self.choice[1]
        return solver


def find_solver(name: str = "auto") -> FoundSolver:
    """Return the solver called *name*; "auto" stands for Chuffed where it is, else Gecode.

    Any solver that MiniZinc lists can be named: by its backend's name, by MiniZinc's own name, or by its
    identifier or the last part of it (``org.chuffed.chuffed``). Case does not matter.

    Raises:
        SolverNotFound: no such name, or MiniZinc or the solver is not on this machine, or does not solve.
    """
    word = name.strip().lower() if isinstance(name, str) else ""
    if not word:
        raise SolverNotFound(f"unknown solver {show(name)}; solvers are {listed(['auto', *BACKENDS])}")
    installation = find_minizinc()
    wanted = AUTO if word == "auto" else (word,)
    for candidate in wanted:
        found = _pick(installation, candidate)
        if found is not None:
            return found
    here = f"MiniZinc {dotted(installation.version)} at {installation.executable}"
    backend = next((each for each in BACKENDS.values() if wanted[0] in _names(each)), None)
    if backend is None:
        known = ["auto", *(each.name for each in _solvers(installation))]
        meant = did_you_mean(name, {*known, *BACKENDS})
        raise SolverNotFound(
            f"unknown solver {show(name)}; {meant}{here} lists {listed(dict.fromkeys(known))}"
        )
    advice = (
        bring(backend.name) if backend.name in AUTO else "install it, so that `minizinc --solvers` lists it"
    )
    raise SolverNotFound(f"{here} has no {' and no '.join(wanted)}; {advice}")


def found_solvers() -> list[FoundSolver]:
    """Return the solvers that MiniZinc lists and that solve a model of three lines, our own choice first.

    Raises:
        SolverNotFound: MiniZinc is not on this machine.
    """
    found = []
    for backend in _solvers(find_minizinc()):
        try:
            found.append(find_solver(backend.name))
        except SolverNotFound:  # listed, but its library is missing
            continue
    return found


def another_solver(crashed: FoundSolver) -> FoundSolver | None:
    """Return the solver that decides where another one crashes, if there is any."""
    for name in AUTO:
        if name != crashed.name and (found := _pick(crashed.minizinc, name)) is not None:
            return found
    return None


def _pick(installation: Installation, word: str) -> FoundSolver | None:
    """Return the configuration of *word* that belongs to *installation*, or None where none can be run."""
    runnable = [
        found
        for entry in _listing(installation)
        if word in _names(_backend(entry)) or word == entry["id"].lower()
        if (found := _found(entry, installation)) is not None
    ]
    if not runnable:
        return None
    if len(runnable) > 1:
        library = standard_library(installation)
        runnable.sort(key=lambda each: each.config_file is None or library not in each.config_file.parents)
    found = runnable[0]
    if found.through_minizinc and not installation.portable:  # which solved when it was brought
        _probe(found, installation.executable.stat().st_mtime_ns)
    return found


def _found(entry: Entry, installation: Installation) -> FoundSolver | None:
    """Return the solver of a configuration, None where its program is missing."""
    backend = _backend(entry)
    config_file = Path(entry["extraInfo"]["configFile"]) if entry["extraInfo"].get("configFile") else None
    built_in = backend.program is None or entry["id"].startswith("org.minizinc.")
    program = installation.executable if built_in else _program(entry, installation)
    if program is None:
        return None
    version = str(entry.get("version", "unknown")).strip("<>")
    return FoundSolver(
        backend.name, version, program, config_file, installation, backend, backend.plugin(), entry
    )


@lru_cache
def _probe(found: FoundSolver, _changed: int) -> None:
    """See whether MiniZinc really runs a solver: it lists those whose library is missing too.

    A program that we start ourselves is not tried: it is there, and its first run tells.

    Raises:
        SolverNotFound: it does not solve.
    """
    try:
        try_solver(found.minizinc.executable, found.choice)
    except SolverFailed as problem:
        package = found.backend.package
        advice = f"pip install {package}" if package else f"install the library of {found.name}"
        raise SolverNotFound(f"MiniZinc lists {found.name}, but {problem}; {advice}") from problem


def _names(backend: Backend) -> set[str]:
    """Return all that users may call a solver, in lower case."""
    return {backend.name, *backend.aliases, *backend.ids}


def _backend(entry: Entry) -> Backend:
    for backend in BACKENDS.values():
        if entry["id"] in backend.ids:
            return backend
    return generic(entry["id"], str(entry.get("name", "")), entry.get("stdFlags") or ())


def _solvers(installation: Installation) -> Sequence[Backend]:
    """Return the backends of all that MiniZinc lists, those with a module here first, each once."""
    here = {backend.name: backend for backend in map(_backend, _listing(installation))}
    order = list(BACKENDS)
    return sorted(
        here.values(), key=lambda each: order.index(each.name) if each.name in order else len(order)
    )


def _listing(installation: Installation) -> list[Entry]:
    """Return MiniZinc's solver configurations."""
    executable = installation.executable
    # These are what MiniZinc itself looks at when it collects configurations.
    surroundings = tuple(
        os.environ.get(name) for name in ("MZN_SOLVER_PATH", "MZN_STDLIB_DIR", "PATH", "HOME")
    )
    return _read_listing(executable, executable.stat().st_mtime_ns, installation.origin, surroundings)


@lru_cache
def _read_listing(
    executable: Path, _changed: int, origin: str, _surroundings: tuple[str | None, ...]
) -> list[Entry]:
    said = ask(executable, "--solvers-json", origin)
    try:
        entries = json.loads(said)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list) or not all(map(_is_configuration, entries)):
        raise SolverNotFound(
            f"{executable} (found by {origin}) does not list its solvers as JSON: {show(said)}"
        )
    # MiniZinc's own interfaces for solvers that it does not run itself are no solvers.
    return [{"extraInfo": {}, **entry} for entry in entries if not entry.get("isGUIApplication")]


def _is_configuration(entry: object) -> bool:
    """Tell whether *entry* has what we read of a configuration, each of its type."""
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        return False
    extra = entry.get("extraInfo", {})
    return (
        isinstance(extra, dict)
        and isinstance(extra.get("configFile", ""), str)
        and isinstance(entry.get("stdFlags") or [], list)
        and all(_is_command(each.get("executable")) for each in (entry, extra))
    )


def _is_command(stated: object) -> bool:
    return (
        stated is None
        or isinstance(stated, str)
        or (isinstance(stated, list) and all(isinstance(part, str) for part in stated))
    )


def _program(entry: Entry, installation: Installation) -> Path | None:
    """Return the FlatZinc program of a configuration, which may name it in any of MiniZinc's ways.

    A path, a path relative to the configuration, a bare name for PATH, or a list that starts with one of
    these. A list that goes on with options is some other program than the solver (Gecode's Gist).
    """
    stated = entry["extraInfo"].get("executable") or entry.get("executable")
    parts = stated if isinstance(stated, list) else [stated]
    if len(parts) != 1 or not parts[0]:
        return None
    beside = Path(entry["extraInfo"].get("configFile", "")).parent / parts[0]
    path = os.pathsep.join((str(installation.executable.parent), os.environ.get("PATH", "")))
    found = beside if beside.is_file() else shutil.which(parts[0], path=path)
    if found is None:
        return None
    return Path(os.path.abspath(found))  # noqa: PTH100 - resolve() would follow links
