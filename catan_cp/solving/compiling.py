"""Compile a model and its data to FlatZinc, once for as many runs as are wanted.

The compiler is started here and not by ``Instance.flat`` of the `minizinc` package: that reads the model
twice, and leaves its files behind when it fails or is interrupted.
"""

import errno
import json
import logging
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from catan_cp.errors import CatanError, InvalidRules, SolverFailed, SolverTimeout
from catan_cp.model_files import SHIPPED, fingerprint, model_text, models_dir, state_of
from catan_cp.processes import last_words, run, scratch_folder
from catan_cp.solving.find import IN_ORDER, FoundSolver

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEPT_BYTES = 16 << 20
_OUTPUT = re.compile(rb"(\w+) *:: *output_array\([^)]*\) *= *\[([^\]]*)\]")
_PRINTED = re.compile(rb":: *output_array\([^)]*\)")
_FILE_TOO_LONG = getattr(signal, "SIGXFSZ", 0)
_NOT_WRITTEN = re.compile(r"I/O error: (cannot write .*)")
_ARRAY = re.compile(r"\[([-0-9, ]+)\]")
_PLACE = re.compile(r"(?m)^(.+\.mzn):(\d+)[.:](\d+)")
OWN_SECONDS = 60.0
"""How long a user's text may take to compile at most, all attempts together."""
MEMORY = 4 << 30
"""How many bytes of address space whoever reads a model may have: it may hold a stranger's text.

The portable solver has no such limit: WebAssembly reserves far more than it takes.
"""
_UNUSED = (0, 10, 100, 1000)
"""So many declarations that nothing uses are added, one attempt after the other, while the compiler crashes.

MiniZinc 2.9.2 aborts (``type_specialise.cpp:568``) where its garbage collector runs while it specialises
types. When that happens depends on all that was allocated before, down to the length of the solver's name; a
few more declarations move it, and leave the FlatZinc as it is. Complete boards of an earlier model met
it in 6 of 600 compilations, today's in none of 238; 2.10 for WebAssembly in none of 92 of the former.
"""
CRASHES = frozenset(
    getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")
)
"""The signals that end a program with a mistake."""

Fits = Callable[["NDArray[np.int64]"], bool]
"""Tells of solutions, a row each, whether they are solutions at all."""
TimeLeft = Callable[[], float | None]
"""Returns the seconds that are left, None if there is no limit."""
Branching = Callable[["NDArray[np.int32]"], "NDArray[np.int32]"]
"""Returns, for solutions, the numbers on which a model branches."""

_log = logging.getLogger("catan_cp")


class CustomText(Protocol):
    """A user's text that is added to a model."""

    @property
    def text(self) -> str:
        """The text."""

    def error_at(self, line: int, column: int, why: str) -> CatanError:
        """Return the error for what MiniZinc says of a place in the text."""

    def error(self, why: str) -> CatanError:
        """Return the error for what cannot be told from one place."""


@dataclass(frozen=True)
class Task:
    """What a solver is asked, and what its answers are like.

    Attributes:
        model: the model's name.
        data: its data. ``search`` asks for ascending order where it is 1; any other value asks for a random
            search, and the solver's own one is put there.
        fits: tells whether solutions are dealt from the box, whatever the rules; None: nobody asks.
        branching: returns the numbers on which the model branches in order, in that order; None where these
            are the solution as it stands.
        models: the folder of edited models, if there is one.
        own: a user's text that is added.
        repeats: whether variables of that text may repeat a solution.
    """

    model: str
    data: dict[str, Any]
    fits: Fits | None = None
    branching: Branching | None = None
    models: str | None = None
    own: CustomText | None = None
    repeats: bool = False


@dataclass(frozen=True)
class Compiled:
    """A compiled model.

    Attributes:
        task: what is asked.
        flatzinc: the text that a solver reads.
        solver: the solver it was compiled for.
        stands_in: whether this is for a second solver, after the first one crashed.
        given: the first numbers of the solution, where `with_first` gave them.
        seconds: how long it took to compile, which tells how slow the machine and MiniZinc are.
    """

    task: Task = field(repr=False, compare=False)
    flatzinc: bytes = field(repr=False)
    solver: FoundSolver
    stands_in: bool = False
    given: tuple[int, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def optimises(self) -> bool:
        """Whether the model asks for the best solution."""
        return b"minimize" in self.flatzinc[self.flatzinc.rindex(b"\nsolve") :]

    @cached_property
    def printed(self) -> tuple[str, tuple[bytes, ...]]:
        """The name of the array that the solver prints, and its elements; none where there is none."""
        found = _output(self.flatzinc)
        return (
            ("", ()) if found is None else (found[1].decode(), tuple(map(bytes.strip, found[2].split(b","))))
        )

    @contextmanager
    def written(self) -> Iterator[Path]:
        """Write what is read into a folder: FlatZinc, or a model where MiniZinc runs the solver."""
        text, whole = self.flatzinc, self.solver.through_minizinc
        if whole:
            text = _PRINTED.sub(b":: output", text)
            text = b"annotation random_order;\n" + text if b"random_order" in text else text
        with ExitStack() as until_read:
            with writing(f"the model for {self.solver.name}"):
                folder, _ = until_read.enter_context(scratch_folder())
                place = folder / ("model.mzn" if whole else "model.fzn")
                place.write_bytes(text)
            yield place


_Key = tuple[Path, tuple[str, ...], str, FoundSolver, str]
_kept: dict[_Key, Compiled] = {}


def compile_model(task: Task, solver: FoundSolver, timeout: float | None = None) -> Compiled:
    """Return a task's model ``models/NAME.mzn`` with its data, compiled for *solver*; the last few are kept.

    Raises:
        SolverTimeout: the compiler took more than *timeout* seconds.
        InvalidRules: the user's text, or an edited model, has a mistake; the message shows where.
        SolverFailed: the compiler refused, or crashed.
    """
    folder, data, own = models_dir(task.models), data_for(task, solver), task.own
    model = folder / f"{task.model}.mzn"
    text = json.dumps(data, default=encoded, sort_keys=True)
    key = (model, state_of(folder), text, solver, "" if own is None else own.text)
    compiled = _kept.pop(key, None)
    if compiled is None:
        began = time.monotonic()
        flatzinc = _compile(model, data, solver, timeout, own)
        compiled = Compiled(task, flatzinc, solver, seconds=time.monotonic() - began)
    elif compiled.task is not task:
        compiled = replace(compiled, task=task)
    _kept[key] = compiled  # behind all others
    while len(_kept) > 1 and sum(len(each.flatzinc) for each in tuple(_kept.values())) > _KEPT_BYTES:
        _kept.pop(next(iter(_kept)), None)
    return compiled


def data_for(task: Task, solver: FoundSolver) -> dict[str, Any]:
    """Return the data of a task, in which a random search is the one that the solver has."""
    if task.data.get("search", IN_ORDER) == IN_ORDER:
        return task.data
    return {**task.data, "search": solver.backend.random_search}


def with_first(compiled: Compiled, values: Sequence[int]) -> Compiled | None:
    """Return a compiled model with the first numbers of its solutions given; None where they cannot be these.

    The constraints are added to the FlatZinc, so that one compilation serves many runs.
    """
    added = b""
    for name, value in zip(compiled.printed[1], values, strict=False):
        if name.lstrip(b"-").isdigit():
            if int(name) != value:
                return None
        else:
            added += b"constraint int_lin_eq([1],[" + name + b"],%d);\n" % value
    solve = compiled.flatzinc.rindex(b"\nsolve") + 1
    flatzinc = b"%b%b%b" % (compiled.flatzinc[:solve], added, compiled.flatzinc[solve:])
    return replace(compiled, flatzinc=flatzinc, given=tuple(values))


def _output(flatzinc: bytes) -> re.Match[bytes] | None:
    """Return the declaration of what the solver prints, found quickly by the word that it alone has."""
    place = flatzinc.find(b"output_array(")
    return None if place < 0 else _OUTPUT.search(flatzinc, flatzinc.rfind(b"\n", 0, place) + 1)


def _printing(program: bytes, known: str) -> bytes:
    """Return FlatZinc, whose one solution is *known* to the compiler, such that a solver prints it."""
    size = known.count(",") + 1
    line = f"array [1..{size}] of var int: known :: output_array([1..{size}]) = [{known}];\n"
    return re.sub(rb"(?m)^(?=constraint |solve )", line.encode(), program, count=1)


def encoded(value: object) -> Any:
    """Return a set as MiniZinc's JSON has it."""
    if isinstance(value, (set, frozenset, range)):
        return {"set": sorted(value)}
    raise TypeError(f"{type(value).__name__} is no data for a model")


def _compile(
    model: Path, data: dict[str, Any], solver: FoundSolver, timeout: float | None, own: CustomText | None
) -> bytes:
    """Return the FlatZinc; a solution that the compiler knows is printed by it like any other."""
    limited = own is not None and (timeout is None or timeout > OWN_SECONDS)
    seconds = OWN_SECONDS if limited else timeout
    end = None if seconds is None else time.monotonic() + seconds
    memory = None if solver.minizinc.portable else MEMORY

    def ask(*options: object, said: str = "") -> subprocess.CompletedProcess[str]:
        """Run MiniZinc, which reads what is *said* to it, in the time that is left for all of this."""
        left = None if end is None else max(0.001, end - time.monotonic())
        try:
            command = [str(solver.minizinc.executable), *map(str, options)]
            return run(command, said, left, group=group, memory=memory)
        except OSError as problem:
            raise SolverFailed(f"MiniZinc does not start: {problem}") from problem

    with writing(f"what MiniZinc makes of {model.name}"), scratch_folder() as (folder, group):
        names = ("model.json", "model.more.mzn", "model.fzn", "model.ozn")
        values, added, flatzinc, output = (folder / name for name in names)
        values.write_text(json.dumps(data, default=encoded), encoding="utf-8")
        goal = ("-I", model.parent, "--compile", "--fzn", flatzinc, "--ozn", output)
        try:
            for unused in _UNUSED:
                text = "" if own is None else own.text
                text += "".join(f"int: unused_{number} = 0;\n" for number in range(unused))
                added.write_text(text, encoding="utf-8")
                done = ask(*solver.choice, *goal, model, *([added] if text else []), values)
                if -done.returncode not in CRASHES:
                    break
                _log.info("MiniZinc crashed on %s: %s", model.name, last_words(done.stderr))
            if done.returncode != 0 or _NOT_WRITTEN.search(done.stderr) or not flatzinc.exists():
                _refuse(done, model, added, own)
            program = flatzinc.read_bytes()
            if _output(program) is None:
                known = _ARRAY.search(ask("--ozn-file", output, said="----------\n").stdout)
                return program if known is None else _printing(program, known[1])
            return program
        except subprocess.TimeoutExpired:
            if limited and own is not None:
                raise own.error(f"were not compiled within {seconds:g} s") from None
            raise SolverTimeout(
                f"the time limit passed while MiniZinc was compiling {model.name}; allow more time"
            ) from None


def _refuse(
    done: subprocess.CompletedProcess[str], model: Path, added: Path, own: CustomText | None
) -> NoReturn:
    """Raise the error for what the compiler complains of, with the place in a user's text if it is there."""
    said = done.stderr
    if no_room := _NOT_WRITTEN.search(said):
        raise OSError(no_room[1])
    if _FILE_TOO_LONG and done.returncode == -_FILE_TOO_LONG:
        raise OSError(os.strerror(errno.EFBIG))
    complaint = next((line for line in said.splitlines() if "rror:" in line), "MiniZinc refuses it")
    why = complaint.strip().removeprefix("Error: ").removeprefix("MiniZinc: ")
    for match in _PLACE.finditer(said):
        place, line, column = Path(match[1]), int(match[2]), int(match[3])
        if place.name == added.name and own is not None:
            raise own.error_at(line, column, why)
        if place.parent == model.parent and place.is_file() and fingerprint(place) != SHIPPED.get(place.stem):
            lines = model_text(place).splitlines()
            text = lines[line - 1] if line <= len(lines) else ""
            raise InvalidRules(f"{place}, line {line}: {why}\n  {text}\n  {' ' * (column - 1)}^")
    if own is not None and "model inconsistency" not in said:
        raise own.error(f"could not be compiled ({last_words(said)})")
    raise SolverFailed(
        f"MiniZinc could not compile {model.name} (status {done.returncode}): {last_words(said)}"
    )


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Say what could not be written where the system refuses to: no folder, no right, no room."""
    try:
        yield
    except OSError as problem:
        raise SolverFailed(
            f"cannot write {what} into a temporary folder ({problem}); make room, or set TMPDIR to another"
        ) from problem
