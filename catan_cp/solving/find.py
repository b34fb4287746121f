"""The solvers: one table of them; and which of them, with which MiniZinc, are on this machine and solve.

A new solver is one `Backend` in the table. This is all there is to say of one, as the tests run it; what is
left out costs speed, and never a solution:

>>> EXAMPLE = Backend(
...     name="mine",  # what users write: solver="mine"
...     ids=("org.example.mine",),  # as `minizinc --solvers-json` lists it; older names behind
...     listing="unordered",  # "ordered" is checked, and faster; "none" means one solution per run
...     repeats=False,  # whether it may print a solution twice, because it forgets
...     random_search=IN_ORDER,  # the models' `search` whose choices follow the solver's seed
...     optimises=True,  # whether `best_board` may ask it
...     crashes=(),  # exit statuses on which another solver is asked
...     aliases=("my-solver",),  # what users may write as well
... )
>>> EXAMPLE.lists_by
'lists without order, remembering what it has seen'

With a `Program` its FlatZinc program is started by us and not by MiniZinc, and its output goes straight into
numpy.

A machine may hold several MiniZincs, and each lists the solvers of its neighbours as well, and solvers whose
library is missing. What is found here is always one program, and one configuration, by its file where it has
one, so that nothing is left to MiniZinc's own look-up.
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

from catan_cp.errors import SolverFailed, SolverNotFound, did_you_mean, listed, show
from catan_cp.files import from_home, shared_place
from catan_cp.processes import NO_ANSWER, complaint, run

ENVIRONMENT_VARIABLE = "CATAN_CP_MINIZINC"
OLDEST = (2, 6, 4)
"""The oldest MiniZinc that the models are written for."""
OWN_COMMAND = "catan-cp doctor --install"
"""Brings all that is needed without root: from Debian's archive, or as WebAssembly, which runs anywhere."""
BRING_IT = f"bring it with: {OWN_COMMAND}"
"""How an error message ends where something is missing."""

_WINDOWS = sys.platform == "win32"
_PROGRAM = "minizinc.exe" if _WINDOWS else "minizinc"
PORTABLE_PROGRAM = "minizinc.cmd" if _WINDOWS else "minizinc"
_SURROUNDINGS = ("MZN_SOLVER_PATH", "MZN_STDLIB_DIR", "PATH", "HOME")
"""What MiniZinc looks at when it collects configurations."""
_THREE_LINES = "var 1..9: x; var 1..9: y;\nconstraint x * y = 35 /\\ x < y;\nsolve satisfy;\n"
_ANSWER = {"x = 5;", "y = 7;"}
_PATIENCE = 60.0


# The solvers: one table, and what is made of a solver that is not in it


Listing = Literal["ordered", "unordered", "none"]
"""How a solver lists solutions.

``ordered``: all of them, in ascending order of the variables that the model branches on, as the model's
search annotation asks; ``unordered``: all of them, in any order; ``none``: one solution per run.
"""

IN_ORDER = 1
"""The models' ``search`` that asks for ascending order."""

AUTO = ("chuffed", "gecode")
"""What ``solver="auto"`` tries, best first."""

_HIGHS = ("libhighs.so*", "libhighs*.dylib", "highs.dll")


@dataclass(frozen=True)
class Program:
    """The command line of a FlatZinc program that we start ourselves, without MiniZinc in between.

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
    """A solver: how MiniZinc names it, how it is started, and what it can do.

    Attributes:
        name: what users call it.
        ids: MiniZinc's identifiers, the newest first.
        listing: how it lists solutions.
        repeats: whether it may print a solution again, because it forgets what it has seen.
        random_search: the models' ``search`` with which its random seed decides where a run starts;
            `IN_ORDER` where it has no random search.
        optimises: whether it minimises and maximises.
        crashes: exit statuses that mean a crash, beside the signals that do.
        program: how we start it; None where MiniZinc starts it.
        plugin: returns the options with which MiniZinc finds the solver's library, where it needs any.
        package: the Python package that brings it, where one does.
        aliases: other names.
    """

    name: str
    ids: tuple[str, ...]
    listing: Listing
    repeats: bool = False
    random_search: int = IN_ORDER
    optimises: bool = True
    crashes: tuple[int, ...] = ()
    program: Program | None = None
    plugin: Callable[[], tuple[str, ...]] = field(default=tuple)
    package: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All that users may call it."""
        return self.name, *self.aliases, *self.ids

    @property
    def lists_by(self) -> str:
        """How all solutions are had, each once, in words."""
        return {
            "ordered": "lists in order",
            "unordered": "lists without order, remembering what it has seen",
            "none": "finds one solution, cannot list all",
        }[self.listing]


def _highs_library() -> tuple[str, ...]:
    """Return the option that names highspy's library; none without highspy: MiniZinc looks itself then."""
    spec = find_spec("highspy")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in _HIGHS:
            for library in sorted(Path(folder).glob(pattern)):
                return ("--highs-dll", str(library))
    return ()


_TABLE = (
    # Learns clauses (lazy clause generation). It jumps back over parts of the search tree that it has not
    # finished and keeps the solutions there as clauses; when these are too many it drops some, and meets
    # those solutions again. On some models without a solution it crashes, or asks for more memory than there
    # is and ends with status 1.
    Backend(
        name="chuffed",
        ids=("org.chuffed.chuffed", "org.minizinc.chuffed"),  # the second in MiniZinc for WebAssembly
        listing="ordered",
        repeats=True,
        random_search=2,
        crashes=(1,),
        program=Program(
            seed="--rnd-seed", milliseconds="-t", restarts=("--restart", "luby", "--restart-scale", "50")
        ),
    ),
    # Propagates and backtracks, and learns nothing.
    Backend(
        name="gecode",
        ids=("org.gecode.gecode", "org.minizinc.gecode_presolver"),  # the second in MiniZinc for WebAssembly
        listing="ordered",
        random_search=3,
        program=Program(
            seed="-r", milliseconds="-time", restarts=("-restart", "luby", "-restart-scale", "50")
        ),
    ),
    # OR-Tools: learns clauses in several threads, so its order is that of chance.
    Backend(
        name="cp-sat",
        ids=("com.google.ortools.sat", "com.google.or-tools"),
        listing="unordered",
        aliases=("cpsat", "or-tools", "ortools"),
    ),
    # A mixed integer solver: a library that MiniZinc loads. The Python package highspy brings it.
    Backend(
        name="highs",
        ids=("org.minizinc.mip.highs",),
        listing="none",
        plugin=_highs_library,
        package="highspy",
    ),
    # COIN-OR branch and cut, a mixed integer solver that is built into MiniZinc.
    Backend(name="coin-bc", ids=("org.minizinc.mip.coin-bc",), listing="none", aliases=("cbc",)),
    # A mixed integer solver: a library that MiniZinc loads from where the system has its libraries.
    Backend(name="scip", ids=("org.minizinc.mip.scip",), listing="none"),
)

BACKENDS: dict[str, Backend] = {backend.name: backend for backend in _TABLE}
"""The backends by name."""


def generic(identifier: str, name: str, flags: Collection[str]) -> Backend:
    """Return the backend of a solver with MiniZinc's *identifier* and the standard *flags* that it takes.

    With ``-a`` it lists solutions in an unknown order. Otherwise it finds one solution per run.
    """
    return Backend(
        name=identifier.rpartition(".")[2].lower(),
        ids=(identifier,),
        listing="unordered" if "-a" in flags else "none",
        aliases=(name.lower(),),
    )


# Which of them are on this machine


@dataclass(frozen=True)
class Installation:
    """A MiniZinc: the program, its version such as ``(2, 9, 2)``, and where it was looked for.

    ``origin`` is "CATAN_CP_MINIZINC", "private copy", "PATH" or "portable".
    """

    executable: Path
    version: tuple[int, ...]
    origin: str

    @property
    def portable(self) -> bool:
        """Whether it is the portable solver, whoever named it."""
        return (self.executable.resolve().parent.parent / "lib/portable.cjs").is_file()


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
        """Whether MiniZinc runs it for us."""
        return self.executable == self.minizinc.executable

    @property
    def choice(self) -> tuple[str, ...]:
        """The options with which MiniZinc uses this solver and no other."""
        identity = self.entry["id"] if self.config_file is None else str(self.config_file)
        return ("--solver", identity, *self.backend.plugin())

    @property
    def flags(self) -> frozenset[str]:
        """The options that it takes through MiniZinc: standard ones and its own."""
        own = (each[0] for each in self.entry.get("extraFlags") or () if each)
        return frozenset((*(self.entry.get("stdFlags") or ()), *own))

    @property
    def names(self) -> set[str]:
        """All that users may call it, in lower case."""
        return {self.entry["id"].lower(), *self.backend.names}


def find_minizinc(*, portable: bool = True) -> Installation:
    """Return the MiniZinc to use: CATAN_CP_MINIZINC's, the private copy, PATH's, or the portable one.

    The portable one comes before the private copy where `preference` says so; not at all without *portable*.

    Raises:
        SolverNotFound: there is none, the environment variable names none, or it is older than 2.6.4.
    """
    executable, origin = _locate(portable)
    said = _ask(executable, "--version", origin)
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", said)
    if match is None:
        raise SolverNotFound(
            f"{executable} (found by {origin}) is not MiniZinc: asked for its version it said {show(said)}"
        )
    found = Installation(executable, tuple(map(int, match.groups())), origin)
    if found.version < OLDEST:
        raise SolverNotFound(
            f"MiniZinc {dotted(found.version)} at {executable} (found by {origin}) is too old: "
            f"{dotted(OLDEST)} or newer is needed; {BRING_IT}"
        )
    return found


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
        if (found := _pick(installation, candidate)) is not None:
            return found
    here = f"MiniZinc {dotted(installation.version)} at {installation.executable}"
    backend = next((each for each in BACKENDS.values() if wanted[0] in each.names), None)
    if backend is None:
        known = dict.fromkeys(["auto", *(each.name for each in _solvers(installation))])
        meant = did_you_mean(name, {*known, *BACKENDS})
        raise SolverNotFound(f"unknown solver {show(name)}; {meant}{here} lists {listed(known)}")
    advice = BRING_IT if backend.name in AUTO else "install it, so that `minizinc --solvers` lists it"
    raise SolverNotFound(f"{here} has no {' and no '.join(wanted)}; {advice}")


def found_solvers(besides: Collection[str] = ()) -> Iterator[FoundSolver]:
    """Yield the solvers that MiniZinc lists and that solve a model of three lines, our own choice first.

    Those *besides* which others are asked for are left out by their names.

    Raises:
        SolverNotFound: MiniZinc is not on this machine.
    """
    for name in dict.fromkeys(each.name for each in _solvers(find_minizinc())):
        if name in besides:
            continue
        try:
            found = find_solver(name)
            try_solver(found.minizinc.executable, found.choice)
        except (SolverNotFound, SolverFailed):  # listed, but its library or program is missing or broken
            continue
        yield found


def another_solver(crashed: FoundSolver) -> FoundSolver | None:
    """Return the solver that decides where another one crashes, if there is any."""
    others = (_pick(crashed.minizinc, name) for name in AUTO if name != crashed.name)
    return next(filter(None, others), None)


def try_solver(minizinc: Path, choice: Sequence[str]) -> None:
    """Solve a model of three lines with the program *minizinc* and the options that choose a solver.

    Raises:
        SolverFailed: it does not come to the one right answer; the message carries the last words.
    """
    what = f"{minizinc} {' '.join(choice)} does not solve three lines"
    try:
        done = run([minizinc, *choice, "--input-from-stdin"], _THREE_LINES, _PATIENCE)
    except NO_ANSWER as problem:
        raise SolverFailed(f"{what}: {problem}") from problem
    if done.returncode != 0 or not set(done.stdout.splitlines()) >= _ANSWER:
        raise SolverFailed(f"{what}, status {done.returncode}: {complaint(done)}")


def private_folder() -> Path:
    """Return the folder of the private copy, whether it is there or not: in the user's cache folder."""
    return _cache() / "minizinc"


def portable_folder() -> Path:
    """Return the folder of the portable solver, whether it is there or not: beside the private copy."""
    return _cache() / "portable"


def preference() -> Path:
    """Return the file that says, by being there, that the portable solver goes before native ones."""
    return portable_folder() / "first"


def refuse_strangers(program: Path) -> Path:
    """Return a program of our cache, unless somebody else could have put it there, as pip does.

    Raises:
        SolverNotFound: another user may change the program or a folder above it.
    """
    if place := shared_place(program):
        raise SolverNotFound(
            f"the private copy of MiniZinc is not started, since {place} belongs to another user, or "
            f"others may write to it: make it yours alone (chown, chmod go-w), let XDG_CACHE_HOME name "
            f"another folder, or let {ENVIRONMENT_VARIABLE} name a MiniZinc that you trust"
        )
    return program


def dotted(version: tuple[int, ...]) -> str:
    """Return a version as people write it."""
    return ".".join(map(str, version))


def _cache() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("catan-cp", appauthor=False)


def _locate(portable: bool) -> tuple[Path, str]:
    """Return MiniZinc's program and where it was found."""
    if named := os.environ.get(ENVIRONMENT_VARIABLE):
        return _named(named), ENVIRONMENT_VARIABLE
    anywhere, private = portable_folder() / "bin" / PORTABLE_PROGRAM, private_folder() / "bin" / _PROGRAM
    portable = portable and anywhere.is_file()
    if portable and preference().is_file():
        return refuse_strangers(anywhere), "portable"
    if private.is_file():
        return refuse_strangers(private), "private copy"
    if on_path := shutil.which("minizinc"):
        return Path(on_path).absolute(), "PATH"
    if portable:
        return refuse_strangers(anywhere), "portable"
    raise SolverNotFound(
        f"MiniZinc was not found: {ENVIRONMENT_VARIABLE} is not set, there is no private copy in "
        f"{private_folder()}, no minizinc on PATH, and no portable one in {portable_folder()}; {BRING_IT}"
    )


def _named(value: str) -> Path:
    """Return the program that the environment variable's *value* means: itself, or in that folder."""
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


def _ask(executable: Path, question: str, origin: str) -> str:
    """Return what MiniZinc prints when started with the one option *question*; it is asked once."""
    surroundings = tuple(map(os.environ.get, _SURROUNDINGS))
    return _asked(executable, question, origin, executable.stat().st_mtime_ns, surroundings)


@lru_cache
def _asked(
    executable: Path, question: str, origin: str, _changed: int, _surroundings: tuple[str | None, ...]
) -> str:
    who = f"{executable} (found by {origin})"
    try:
        done = run([executable, question])
    except NO_ANSWER as problem:
        raise SolverNotFound(f"{who} does not start: {problem}") from problem
    if done.returncode != 0:
        raise SolverNotFound(
            f"{who} fails with status {done.returncode} when asked {question}: {complaint(done)}"
        )
    return done.stdout


def _pick(installation: Installation, word: str) -> FoundSolver | None:
    """Return the configuration of *word*, its own one first, or None where none can be run."""
    home = installation.executable.resolve().parent.parent
    found = [each for each in _solvers(installation) if word in each.names]
    found.sort(key=lambda each: each.config_file is None or home not in each.config_file.resolve().parents)
    if not found:
        return None
    if found[0].through_minizinc and not installation.portable:  # which solved when it was brought
        _probe(found[0], installation.executable.stat().st_mtime_ns)
    return found[0]


@lru_cache
def _probe(found: FoundSolver, _changed: int) -> None:
    """See whether MiniZinc really runs a solver: it lists those whose library is missing too.

    A program that we start ourselves is not tried: it is there, and its first run tells.
    """
    try:
        try_solver(found.minizinc.executable, found.choice)
    except SolverFailed as problem:
        package = found.backend.package
        advice = f"pip install {package}" if package else f"install the library of {found.name}"
        raise SolverNotFound(f"MiniZinc lists {found.name}, but {problem}; {advice}") from problem


def _solvers(installation: Installation) -> Sequence[FoundSolver]:
    """Return the listed solvers whose programs exist, those of the table first."""
    said = _ask(installation.executable, "--solvers-json", installation.origin)
    return _read_listing(installation, said, os.environ.get("PATH"))


@lru_cache
def _read_listing(installation: Installation, said: str, _path: str | None) -> Sequence[FoundSolver]:
    try:
        entries = json.loads(said)
        if not isinstance(entries, list):
            raise TypeError("no list")
        # MiniZinc's own interfaces for solvers that it does not run itself are no solvers.
        found = [_found(each, installation) for each in entries if not each.get("isGUIApplication")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise SolverNotFound(
            f"{installation.executable} (found by {installation.origin}) does not list its solvers as JSON: "
            f"{show(said)}"
        ) from problem
    order = list(BACKENDS)
    here = [each for each in found if each is not None]
    return sorted(here, key=lambda each: order.index(each.name) if each.name in order else len(order))


def _found(entry: dict[str, Any], installation: Installation) -> FoundSolver | None:
    """Return the solver of a configuration, None where its program is missing."""
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
    """Return the FlatZinc program of a configuration, which may name it in any of MiniZinc's ways.

    A path, a path relative to the configuration, a bare name for PATH, or a list that starts with one of
    these. A list that goes on with options is some other program than the solver (Gecode's Gist).
    """
    parts = stated if isinstance(stated, list) else [stated]
    if len(parts) != 1 or not parts[0]:
        return None
    beside = (config_file or Path()).parent / parts[0]
    path = os.pathsep.join((str(installation.executable.parent), os.environ.get("PATH", "")))
    found = beside if beside.is_file() else shutil.which(parts[0], path=path)
    return None if found is None else Path(os.path.abspath(found))  # noqa: PTH100 - resolve() would follow links
