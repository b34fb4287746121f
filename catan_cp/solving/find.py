"""The table of solvers, and the search for MiniZinc and solvers on this machine.

A new solver is one `Backend` in the table. The template below has all fields that most solvers need. Omitted
fields cost speed, never a solution:

>>> EXAMPLE = Backend(
...     name="mine",  # the name for users: solver="mine"
...     ids=("org.example.mine",),  # as in `minizinc --solvers-json`, the newest first
...     listing="unordered",  # "ordered" is checked and faster, "none" means one solution per run
...     repeats=False,  # True if it may print a solution twice
...     random_search=IN_ORDER,  # the value of the models' `search` that uses the solver's seed
...     optimises=True,  # True if `best_board` may use it
...     largest=INT32,  # the greatest number with which it computes correctly, None if it checks that itself
...     crashes=(),  # exit statuses after which another solver is used
...     aliases=("my-solver",),  # further names for users
... )
>>> EXAMPLE.lists_by
'lists without order, remembering what it has seen'

With a `CommandLine` the library starts the FlatZinc program of the solver itself, without MiniZinc, and reads
its output into numpy.

A machine may have several installations of MiniZinc. Each also lists solvers of the others, and solvers whose
library is missing. So this module does not rely on MiniZinc's search. It identifies a solver by the path of a
program and, if there is one, of a configuration file.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from catan_cp.errors import (
    SolverFailed,
    SolverNotFound,
    check_working_directory,
    did_you_mean,
    listed,
    show,
)
from catan_cp.files import from_home, shared_place
from catan_cp.processes import NO_ANSWER, complaint, run, usable_cores
from catan_cp.solving.portable import (
    EXTRA,
    PORTABLE_PROGRAM,
    carried_files,
    portable_command,
    portable_seconds,
    program_by_pip,
)

ENVIRONMENT_VARIABLE = "CATAN_CP_MINIZINC"
OLDEST = (2, 6, 4)
"""The oldest supported version of MiniZinc."""
MEMORY = 4 << 30
"""The maximum bytes of address space of a process that reads a model, which may have untrusted text."""
OWN_COMMAND = "catan-cp doctor --install"
"""The command that installs MiniZinc and its solvers without root."""

_WINDOWS = sys.platform == "win32"
_PROGRAM = "minizinc.exe" if _WINDOWS else "minizinc"
_ENVIRONMENT = ("MZN_SOLVER_PATH", "MZN_STDLIB_DIR", "PATH", "HOME")
"""The environment variables on which MiniZinc's list of configurations depends."""
_THREE_LINES = "var 1..9: x; var 1..9: y;\nconstraint x * y = 35 /\\ x < y;\nsolve satisfy;\n"
_ANSWER = {"x = 5;", "y = 7;"}
_FIND_SECONDS = 60.0


class SharedCopy(SolverNotFound):
    """Another user can change the private copy of MiniZinc."""


# The table of solvers


Listing = Literal["ordered", "unordered", "none"]
"""The order in which a solver lists solutions.

``ordered``: all of them, in ascending order of the variables in the model's search annotation.
``unordered``: all of them, in any order. ``none``: one solution per run.
"""

IN_ORDER = 1
"""The value of the models' ``search`` for ascending order."""

AUTO = ("chuffed", "gecode")
"""The solvers that ``solver="auto"`` tries, best first."""

SECOND = "cp-sat"
"""The solver that ``solver="auto"`` runs beside the first one to prove that a board is the best."""

INT32 = (1 << 31) - 2
"""The greatest number for which a solver with integers of 32 bits is used."""

_HIGHS = ("libhighs.so*", "libhighs*.dylib", "highs.dll")


@dataclass(frozen=True)
class CommandLine:
    """The options of a FlatZinc program that the library starts without MiniZinc.

    Attributes:
        seed: the option before the random seed.
        milliseconds: the option before the time limit.
        restarts: the options of a search that restarts after the Luby sequence.
    """

    seed: str
    milliseconds: str
    restarts: tuple[str, ...]


@dataclass(frozen=True)
class Backend:
    """A solver with its names, its options and its abilities.

    Attributes:
        name: the name for users.
        ids: the identifiers that versions of MiniZinc use for it, the newest first.
        listing: the order in which it lists solutions, or "none" if it finds only one per run.
        repeats: True if it may print a solution twice.
        random_search: the value of the models' ``search`` for a search that uses the random seed, or
            `IN_ORDER` if it has no random search.
        optimises: True if it minimises and maximises.
        largest: the greatest number with which it computes correctly. None if it refuses greater ones itself.
        crashes: exit statuses of a crash, besides signals.
        program: the options of its FlatZinc program, or None if MiniZinc starts it.
        plugin: returns the options with which MiniZinc finds the solver's library.
        package: the Python package that contains the solver, or None.
        aliases: other names.
    """

    name: str
    ids: tuple[str, ...]
    listing: Listing
    repeats: bool = False
    random_search: int = IN_ORDER
    optimises: bool = True
    largest: int | None = INT32
    crashes: tuple[int, ...] = ()
    program: CommandLine | None = None
    plugin: Callable[[], tuple[str, ...]] = field(default=tuple)
    package: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that users may write."""
        return self.name, *self.aliases, *self.ids

    @property
    def lists_by(self) -> str:
        """An English description of `listing`."""
        return {
            "ordered": "lists in order",
            "unordered": "lists without order, remembering what it has seen",
            "none": "finds one solution, cannot list all",
        }[self.listing]


def _highs_library() -> tuple[str, ...]:
    """Return the option for highspy's library, or () if highspy is not installed."""
    spec = find_spec("highspy")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in _HIGHS:
            for library in sorted(Path(folder).glob(pattern)):
                return ("--highs-dll", str(library))
    return ()


_TABLE = (
    # Learns clauses (lazy clause generation). It leaves parts of the search tree unfinished when it jumps
    # back, and excludes the solutions found there by clauses. If there are too many clauses, it deletes some,
    # and may find these solutions again. On some models without a solution it crashes, or runs out of memory
    # with status 1.
    Backend(
        name="chuffed",
        ids=("org.chuffed.chuffed", "org.minizinc.chuffed"),  # the second in WebAssembly
        listing="ordered",
        repeats=True,
        random_search=2,
        largest=500_000_000,  # The bounds of its variables; sums may be four times as great.
        crashes=(1,),
        program=CommandLine(
            seed="--rnd-seed", milliseconds="-t", restarts=("--restart", "luby", "--restart-scale", "50")
        ),
    ),
    # Propagates and backtracks, without learning.
    Backend(
        name="gecode",
        ids=("org.gecode.gecode", "org.minizinc.gecode_presolver"),  # the second in WebAssembly
        listing="ordered",
        random_search=3,
        largest=None,
        program=CommandLine(
            seed="-r", milliseconds="-time", restarts=("-restart", "luby", "-restart-scale", "50")
        ),
    ),
    # OR-Tools: learns clauses in several threads, so the order of its solutions is random.
    Backend(
        name="cp-sat",
        ids=("com.google.ortools.sat", "com.google.or-tools"),
        listing="unordered",
        largest=None,
        aliases=("cpsat", "or-tools", "ortools"),
    ),
    # A mixed integer solver in a library that MiniZinc loads, installed with the Python package highspy.
    Backend(
        name="highs",
        ids=("org.minizinc.mip.highs",),
        listing="none",
        largest=None,
        plugin=_highs_library,
        package="highspy",
    ),
    # COIN-OR branch and cut, a mixed integer solver that is built into MiniZinc.
    Backend(
        name="coin-bc",
        ids=("org.minizinc.mip.coin-bc",),
        listing="none",
        largest=None,
        aliases=("cbc",),
    ),
    # A mixed integer solver in a system library that MiniZinc loads.
    Backend(name="scip", ids=("org.minizinc.mip.scip",), listing="none", largest=None),
)

BACKENDS: dict[str, Backend] = {backend.name: backend for backend in _TABLE}
"""The backends by name."""


def generic(identifier: str, name: str, flags: Collection[str]) -> Backend:
    """Return the backend of a solver that is not in the table.

    Args:
        identifier: MiniZinc's identifier.
        name: MiniZinc's name.
        flags: the standard options that it takes. With ``-a`` it lists solutions in an unknown order,
            otherwise it finds one solution per run.
    """
    return Backend(
        name=identifier.rpartition(".")[2].lower(),
        ids=(identifier,),
        listing="unordered" if "-a" in flags else "none",
        aliases=(name.lower(),),
    )


# Installed solvers


@dataclass(frozen=True)
class Installation:
    """An installation of MiniZinc.

    Attributes:
        executable: the program.
        version: its version, such as ``(2, 9, 2)``.
        origin: "CATAN_CP_MINIZINC", "private copy", "PATH", "portable" or "pip".
    """

    executable: Path
    version: tuple[int, ...]
    origin: str

    @property
    def portable(self) -> bool:
        """True if it is the portable solver."""
        return _is_portable(self.executable, self.origin)

    def command(self) -> list[str]:
        """Return the command that starts it, without options."""
        return portable_command(self.executable) if self.portable else [str(self.executable)]

    @property
    def starting_seconds(self) -> float:
        """The seconds in which it surely starts, 0 for a native one."""
        return portable_seconds(self.executable) if self.portable else 0.0

    @property
    def memory(self) -> int | None:
        """The maximum bytes of address space, None for the portable solver: WebAssembly reserves more."""
        return None if self.portable else MEMORY


@dataclass(frozen=True)
class FoundSolver:
    """A solver on this machine.

    Attributes:
        name: the name for users.
        version: its version.
        executable: the program to start, which is its FlatZinc program or MiniZinc.
        config_file: its configuration, or None if it is built into MiniZinc.
        minizinc: the MiniZinc that lists it.
        backend: its options and abilities.
        entry: its configuration as MiniZinc lists it.
    """

    name: str
    version: str
    executable: Path
    config_file: Path | None
    minizinc: Installation
    backend: Backend
    entry: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def through_minizinc(self) -> bool:
        """True if MiniZinc runs it."""
        return self.executable == self.minizinc.executable

    @property
    def program(self) -> Path | None:
        """The program that MiniZinc starts for it, or None if the solver is a part of MiniZinc."""
        if not self.through_minizinc:
            return self.executable
        stated = self.entry.get("extraInfo", {}).get("executable") or self.entry.get("executable")
        return _program(stated, self.config_file, self.minizinc)

    @property
    def choice(self) -> tuple[str, ...]:
        """The options of MiniZinc that choose this solver."""
        identity = self.entry["id"] if self.config_file is None else str(self.config_file)
        return ("--solver", identity, *self.backend.plugin())

    @property
    def flags(self) -> frozenset[str]:
        """The options that it takes through MiniZinc."""
        extra = (flag[0] for flag in self.entry.get("extraFlags") or () if flag)
        return frozenset((*(self.entry.get("stdFlags") or ()), *extra))

    @property
    def names(self) -> set[str]:
        """The names that users may write, in lower case."""
        return {self.entry["id"].lower(), *self.backend.names}


def find_minizinc(*, portable: bool = True) -> Installation:
    """Return the installation of MiniZinc to use.

    If the environment variable CATAN_CP_MINIZINC is set, it is the one named there. Otherwise it is the first
    one present in this order: the private copy, the one on PATH, the portable one, the one of the extra
    ``solver``. If the file `preference` exists, the portable one comes before the private copy.

    Args:
        portable: True to include the portable one and that of the extra.

    Raises:
        SolverNotFound: none is installed, the variable names no program, or MiniZinc does not start or is
            older than 2.6.4.
    """
    check_working_directory()  # MiniZinc ends with "bad_alloc" without one
    executable, origin = _locate(portable)
    output = _query(executable, "--version", origin)
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", output)
    if match is None:
        raise SolverNotFound(
            f"{executable} (found by {origin}) is not MiniZinc: it printed {show(output)} as its version"
        )
    installation = Installation(executable, tuple(map(int, match.groups())), origin)
    if installation.version < OLDEST:
        raise SolverNotFound(
            f"MiniZinc {dotted(installation.version)} at {executable} (found by {origin}) is too old: "
            f"{dotted(OLDEST)} or newer is needed; {install_hint()}"
        )
    return installation


def find_solver(name: str = "auto") -> FoundSolver:
    """Return the solver called *name*.

    Args:
        name: "auto" for Chuffed if installed, otherwise Gecode. Or a solver that MiniZinc lists, by a name
            in the table of solvers or by MiniZinc's identifier (``org.chuffed.chuffed``). A solver that is
            not in the table also has MiniZinc's name and the last part of its identifier. Case does not
            matter.

    Raises:
        SolverNotFound: the name is unknown, or MiniZinc or the solver is not installed or does not work.
    """
    word = name.strip().lower() if isinstance(name, str) else ""
    if not word:
        raise SolverNotFound(f"unknown solver {show(name)}; solvers are {listed(['auto', *BACKENDS])}")
    installation = find_minizinc()
    candidates = AUTO if word == "auto" else (word,)
    for candidate in candidates:
        if (solver := _pick(installation, candidate)) is not None:
            return solver
    minizinc = f"MiniZinc {dotted(installation.version)} at {installation.executable}"
    backend = next((item for item in BACKENDS.values() if candidates[0] in item.names), None)
    if backend is None:
        known = dict.fromkeys(["auto", *(solver.name for solver in _solvers(installation))])
        hint = did_you_mean(name, {*known, *BACKENDS})
        raise SolverNotFound(f"unknown solver {show(name)}; {hint}{minizinc} lists {listed(known)}")
    advice = install_hint() if backend.name in AUTO else "install it, so that `minizinc --solvers` lists it"
    raise SolverNotFound(f"{minizinc} has no {' and no '.join(candidates)}; {advice}")


def found_solvers(besides: Collection[str] = ()) -> Iterator[FoundSolver]:
    """Yield the solvers that solve a small model, those of "auto" first.

    Args:
        besides: names of solvers to omit.

    Raises:
        SolverNotFound: MiniZinc is not installed.
    """
    for name in dict.fromkeys(solver.name for solver in _solvers(find_minizinc())):
        if name in besides:
            continue
        try:
            solver = find_solver(name)
            try_solver(solver.minizinc.executable, solver.choice, solver.minizinc.memory)
        except (SolverNotFound, SolverFailed):  # listed, but its library or program is missing or broken
            continue
        yield solver


def another_solver(crashed: FoundSolver) -> FoundSolver | None:
    """Return the solver to use after the solver *crashed*, or None."""
    others = (_pick(crashed.minizinc, name) for name in AUTO if name != crashed.name)
    return next(filter(None, others), None)


def second_prover(first: FoundSolver) -> FoundSolver | None:
    """Return CP-SAT, to search for a proof beside the *first* solver on another core, or None."""
    try:
        return _pick(first.minizinc, SECOND) if first.name != SECOND and usable_cores() > 1 else None
    except SolverNotFound:  # listed, but it does not work
        return None


def try_solver(minizinc: Path, choice: Sequence[str], memory: int | None = None) -> None:
    """Solve a small model with a MiniZinc program and options that choose a solver.

    It has at most *memory* bytes of address space.

    Raises:
        SolverFailed: the answer is wrong or missing. The message has the last line of output.
    """
    problem_text = f"{minizinc} {' '.join(choice)} does not solve three lines"
    try:
        result = run([minizinc, *choice, "--input-from-stdin"], _THREE_LINES, _FIND_SECONDS, memory=memory)
    except NO_ANSWER as problem:
        raise SolverFailed(f"{problem_text}: {problem}") from problem
    if result.returncode != 0 or not set(result.stdout.splitlines()) >= _ANSWER:
        raise SolverFailed(f"{problem_text}, status {result.returncode}: {complaint(result)}")


def install_commands() -> tuple[str, ...]:
    """Return the commands that install a solver on any system, best first."""
    return (EXTRA, OWN_COMMAND) if carried_files() else (OWN_COMMAND,)


def install_hint() -> str:
    """Return the remedy in an error message about a missing program."""
    return "install it with: " + ", or with: ".join(install_commands())


def private_folder() -> Path:
    """Return the folder for the private copy in the user's cache folder."""
    return _cache_folder() / "minizinc"


def portable_folder() -> Path:
    """Return the folder for the portable solver in the user's cache folder."""
    return _cache_folder() / "portable"


def preference() -> Path:
    """Return the file that, if present, puts the portable solver before native ones."""
    return portable_folder() / "first"


def check_private(program: Path) -> Path:
    """Return a program of the cache if only this user can change it.

    Raises:
        SharedCopy: another user can change the program or a folder above it.
    """
    if place := shared_place(program):
        raise SharedCopy(
            f"the private copy of MiniZinc is not started, since {place} belongs to another user, or "
            f"others may write to it; make it private (chown, chmod -R go-w), let XDG_CACHE_HOME name "
            f"another folder, or let {ENVIRONMENT_VARIABLE} name a MiniZinc that you trust"
        )
    return program


def dotted(version: tuple[int, ...]) -> str:
    """Return a version with dots."""
    return ".".join(map(str, version))


def _cache_folder() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("catan-cp", appauthor=False)


def _locate(portable: bool) -> tuple[Path, str]:
    """Return MiniZinc's program and its origin."""
    if named := os.environ.get(ENVIRONMENT_VARIABLE):
        return _configured_program(named), ENVIRONMENT_VARIABLE
    webassembly, private = portable_folder() / "bin" / PORTABLE_PROGRAM, private_folder() / "bin" / _PROGRAM
    installed = portable and webassembly.is_file()
    if installed and preference().is_file():
        return check_private(webassembly), "portable"
    if private.is_file():
        return check_private(private), "private copy"
    if on_path := shutil.which("minizinc"):
        return Path(on_path).absolute(), "PATH"
    if installed:
        return check_private(webassembly), "portable"
    if portable and (program := program_by_pip(_cache_folder())):
        return check_private(program), "pip"
    raise SolverNotFound(
        f"MiniZinc was not found: {ENVIRONMENT_VARIABLE} is not set, there is no private copy in "
        f"{private_folder()}, no minizinc on PATH, and no portable one in {portable_folder()}; "
        f"{install_hint()}"
    )


def _configured_program(value: str) -> Path:
    """Return the program of the environment variable, which names it or its folder."""
    place, is_set = from_home(value).absolute(), f"{ENVIRONMENT_VARIABLE} is set to {show(value)}"
    for candidate in (place, place / _PROGRAM, place / "bin" / _PROGRAM):
        if candidate.is_file():
            if os.access(candidate, os.X_OK):
                return candidate
            raise SolverNotFound(f"{is_set}, but {candidate} may not be executed")
    raise SolverNotFound(
        f"{is_set}, but there is no MiniZinc there; set it to the minizinc program or to the folder that "
        "holds it, or unset it"
    )


def _is_portable(executable: Path, origin: str) -> bool:
    return origin == "pip" or (executable.resolve().parents[1] / "lib/portable.cjs").is_file()


def _query(executable: Path, option: str, origin: str) -> str:
    """Return MiniZinc's output for one option, from a cache if nothing changed."""
    environment = tuple(map(os.environ.get, _ENVIRONMENT))
    return _cached_query(executable, option, origin, executable.stat().st_mtime_ns, environment)


@lru_cache
def _cached_query(
    executable: Path, option: str, origin: str, _changed: int, _environment: tuple[str | None, ...]
) -> str:
    program = f"{executable} (found by {origin})"
    command = portable_command(executable) if _is_portable(executable, origin) else [executable]
    try:
        result = run([*command, option])
    except NO_ANSWER as problem:
        raise SolverNotFound(f"{program} does not start: {problem}") from problem
    if result.returncode != 0:
        raise SolverNotFound(f"{program} {option} fails with status {result.returncode}: {complaint(result)}")
    return result.stdout


def _pick(installation: Installation, word: str) -> FoundSolver | None:
    """Return the solver called *word*, preferably of this installation, or None."""
    home = installation.executable.resolve().parent.parent
    solvers = [solver for solver in _solvers(installation) if word in solver.names]
    solvers.sort(
        key=lambda solver: solver.config_file is None or home not in solver.config_file.resolve().parents
    )
    if not solvers:
        return None
    if solvers[0].through_minizinc and not installation.portable:  # the portable one is tested by its install
        _probe(solvers[0], installation.executable.stat().st_mtime_ns)
    return solvers[0]


@lru_cache
def _probe(solver: FoundSolver, _changed: int) -> None:
    """Check that MiniZinc runs a solver.

    MiniZinc also lists solvers whose library is missing. A FlatZinc program is not tested: it exists, and its
    first run shows if it works.
    """
    try:
        try_solver(solver.minizinc.executable, solver.choice, solver.minizinc.memory)
    except SolverFailed as problem:
        package = solver.backend.package
        advice = f"pip install {package}" if package else f"install the library of {solver.name}"
        raise SolverNotFound(f"MiniZinc lists {solver.name}, but {problem}; {advice}") from problem


def _solvers(installation: Installation) -> Sequence[FoundSolver]:
    """Return the listed solvers whose programs exist, those of the table first."""
    listing = _query(installation.executable, "--solvers-json", installation.origin)
    return _read_listing(installation, listing, os.environ.get("PATH"))


@lru_cache
def _read_listing(installation: Installation, listing: str, _path: str | None) -> Sequence[FoundSolver]:
    try:
        entries = json.loads(listing)
        if not isinstance(entries, list):
            raise TypeError("not a list")
        # Graphical interfaces are listed too, and are not solvers.
        solvers = [_read_entry(entry, installation) for entry in entries if not entry.get("isGUIApplication")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise SolverNotFound(
            f"{installation.executable} (found by {installation.origin}) does not list its solvers as JSON: "
            f"{show(listing)}"
        ) from problem
    order = list(BACKENDS)
    runnable = [solver for solver in solvers if solver is not None]
    return sorted(
        runnable, key=lambda solver: order.index(solver.name) if solver.name in order else len(order)
    )


def _read_entry(entry: dict[str, Any], installation: Installation) -> FoundSolver | None:
    """Return the solver of a configuration, or None if its program is missing."""
    identity, flags, extra = entry["id"], entry.get("stdFlags") or (), entry.get("extraInfo", {})
    known = (backend for backend in BACKENDS.values() if identity in backend.ids)
    backend = next(known, None) or generic(identity, str(entry.get("name", "")), flags)
    config_file = Path(extra["configFile"]) if extra.get("configFile") else None
    program: Path | None = installation.executable
    if backend.program is not None and not identity.startswith("org.minizinc."):
        program = _program(extra.get("executable") or entry.get("executable"), config_file, installation)
    if program is None:
        return None
    version = str(entry.get("version", "unknown")).strip("<>")
    return FoundSolver(backend.name, version, program, config_file, installation, backend, entry)


def _program(stated: Any, config_file: Path | None, installation: Installation) -> Path | None:
    """Return the FlatZinc program of a configuration, or None if it is missing.

    A configuration has a path, a path relative to its file, a name on PATH, or a list with one of these. A
    list with options belongs to a program other than the solver (Gecode's Gist).
    """
    parts = stated if isinstance(stated, list) else [stated]
    if len(parts) != 1 or not parts[0]:
        return None
    beside = (config_file or Path()).parent / parts[0]
    path = os.pathsep.join((str(installation.executable.parent), os.environ.get("PATH", "")))
    program = beside if beside.is_file() else shutil.which(parts[0], path=path)
    return None if program is None else Path(os.path.abspath(program))  # noqa: PTH100 - resolve() would follow links
