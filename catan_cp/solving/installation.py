"""Find MiniZinc: which program, which version, and what it answers.

A machine may hold several MiniZincs. What is found here is always one program, so that nothing is left to
MiniZinc's own look-up.
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
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from catan_cp.errors import SolverNotFound, show
from catan_cp.files import is_private
from catan_cp.processes import NO_ANSWER, complaint, run
from catan_cp.solving.advice import bring

ENVIRONMENT_VARIABLE = "CATAN_CP_MINIZINC"
OLDEST = (2, 6, 4)
"""The oldest MiniZinc that the models are written for."""

_PROGRAM = "minizinc.exe" if sys.platform == "win32" else "minizinc"
PORTABLE_PROGRAM = "minizinc.cmd" if sys.platform == "win32" else "minizinc"
_importing = threading.Lock()


@dataclass(frozen=True)
class Installation:
    """A MiniZinc: the program, its version such as ``(2, 9, 2)``, and where it was looked for.

    ``origin`` is "CATAN_CP_MINIZINC", "private copy", "PATH" or "portable".
    """

    executable: Path
    version: tuple[int, ...]
    origin: str

    @property
    def limits_memory(self) -> bool:
        """Whether its address space may be limited: WebAssembly reserves far more than it takes."""
        return not self.portable

    @property
    def portable(self) -> bool:
        """Whether it is the portable solver, whoever named it."""
        return (self.executable.resolve().parent.parent / "lib/portable.cjs").is_file()


def find_minizinc(*, portable: bool = True) -> Installation:
    """Return the MiniZinc to use: CATAN_CP_MINIZINC's, the private copy, PATH's, or the portable one.

    The portable one comes before the private copy where `preference` says so; not at all without *portable*.

    Raises:
        SolverNotFound: there is none, the environment variable names none, or it is older than 2.6.4.
    """
    executable, origin = _locate(portable)
    version = _version(executable, executable.stat().st_mtime_ns, origin)
    if version < OLDEST:
        raise SolverNotFound(
            f"MiniZinc {dotted(version)} at {executable} (found by {origin}) is too old: "
            f"{dotted(OLDEST)} or newer is needed; {bring('minizinc')}"
        )
    return _installation(executable, version, origin)


def private_folder() -> Path:
    """Return the folder of the private copy, whether it is there or not: in the user's cache folder."""
    return _cache() / "minizinc"


def portable_folder() -> Path:
    """Return the folder of the portable solver, whether it is there or not: beside the private copy."""
    return _cache() / "portable"


def preference() -> Path:
    """Return the file that says, by being there, that the portable solver goes before native ones."""
    return portable_folder() / "first"


def _cache() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("catan-cp", appauthor=False)


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
            import minizinc  # type: ignore[import-untyped]
        finally:
            if path is None:
                del os.environ["PATH"]
            else:
                os.environ["PATH"] = path
    return minizinc


def _locate(portable: bool) -> tuple[Path, str]:
    """Return MiniZinc's program and where it was found."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return _named(named), ENVIRONMENT_VARIABLE
    anywhere = portable_folder() / "bin" / PORTABLE_PROGRAM
    portable = portable and anywhere.is_file()
    if portable and preference().is_file():
        return refuse_strangers(anywhere), "portable"
    private = private_folder() / "bin" / _PROGRAM
    if private.is_file():
        return refuse_strangers(private), "private copy"
    on_path = shutil.which("minizinc")
    if on_path is not None:
        return Path(on_path).absolute(), "PATH"
    if portable:
        return refuse_strangers(anywhere), "portable"
    raise SolverNotFound(
        f"MiniZinc was not found: {ENVIRONMENT_VARIABLE} is not set, there is no private copy in "
        f"{private_folder()}, no minizinc on PATH, and no portable one in {portable_folder()}; "
        f"{bring('minizinc')}"
    )


def refuse_strangers(program: Path) -> Path:
    """Return a program of our cache, unless somebody else could have put it there, as pip does.

    Raises:
        SolverNotFound: the program, or a folder that leads to it from the cache folder on, is not ours alone.
    """
    cache = _cache().parent
    for place in (program, *program.parents):
        if not is_private(place):
            raise SolverNotFound(
                f"the private copy of MiniZinc is not started, since {place} belongs to another user, or "
                f"others may write to it: make it yours alone (chown, chmod go-w), let XDG_CACHE_HOME name "
                f"another folder, or let {ENVIRONMENT_VARIABLE} name a MiniZinc that you trust"
            )
        if place == cache:
            break
    return program


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
    said = ask(executable, "--version", origin)
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", said)
    if match is None:
        raise SolverNotFound(
            f"{executable} (found by {origin}) is not MiniZinc: asked for its version it said {show(said)}"
        )
    return tuple(int(part) for part in match.groups())


@lru_cache
def _installation(executable: Path, version: tuple[int, ...], origin: str) -> Installation:
    return Installation(executable, version, origin)  # one object, so that its driver is made once


def ask(executable: Path, question: str, origin: str) -> str:
    """Return what MiniZinc prints when started with the one option *question*.

    Raises:
        SolverNotFound: it does not start, or fails.
    """
    try:
        done = run([executable, question])
    except NO_ANSWER as problem:
        raise SolverNotFound(f"{executable} (found by {origin}) does not start: {problem}") from problem
    if done.returncode != 0:
        raise SolverNotFound(
            f"{executable} (found by {origin}) fails with status {done.returncode} when asked {question}: "
            f"{complaint(done)}"
        )
    return done.stdout


@lru_cache
def standard_library(installation: Installation) -> Path:
    """Return the folder of MiniZinc's own standard library and solver configurations.

    Raises:
        SolverNotFound: it does not say.
    """
    said = ask(installation.executable, "--config-dirs", installation.origin)
    try:
        return Path(json.loads(said)["mznStdlibDir"])
    except (ValueError, TypeError, KeyError) as problem:
        raise SolverNotFound(
            f"{installation.executable} (found by {installation.origin}) does not say where its library is: "
            f"{show(said)}"
        ) from problem


def dotted(version: tuple[int, ...]) -> str:
    """Return a version as people write it."""
    return ".".join(map(str, version))
