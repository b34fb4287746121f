"""Compiles a model and its data to FlatZinc, once for many runs.

This module starts the compiler itself, because ``Instance.flat`` of the `minizinc` package reads the model
twice and leaves its files behind after a failure or an interrupt.
"""

import errno
import json
import logging
import os
import re
import signal
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from catan_cp.errors import (
    CatanError,
    InvalidArgument,
    InvalidRules,
    SolverFailed,
    SolverTimeout,
    at_place,
    check_path,
    listed,
    offset,
    show,
)
from catan_cp.model_files import SHIPPED, fingerprint, model_text, models_dir, state_of
from catan_cp.processes import Group, last_words, run, scratch_folder
from catan_cp.solving.find import AUTO, IN_ORDER, INT32, FoundSolver, another_solver
from catan_cp.solving.flatzinc import Array, FlatZinc
from catan_cp.solving.ranges import exceeds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEPT_BYTES = 16 << 20
_FILE_TOO_LONG = getattr(signal, "SIGXFSZ", 0)
_NOT_WRITTEN = re.compile(r"I/O error: (cannot write .*)")
_NUMBER_ARRAY = re.compile(r"\[([-0-9, ]+)\]")
_UNDEFINED = re.compile(
    r"(?m)^\s*W(?:arning|ARNING): (undefined result[^\n]*)\n((?:  ?\(.*\)\n)?)(.*:\d+[.:]\d+.*)?"
)
PLACE = re.compile(r"(?m)^(.+\.mzn):(\d+)[.:](\d+)")
OWN_SECONDS = 60.0
"""The maximum seconds to compile custom text, for all attempts together."""
_UNUSED = (0, 10, 100, 1000)
"""The numbers of unused declarations to add, in turn, while the compiler crashes.

MiniZinc 2.9.2 aborts (``type_specialise.cpp:568``) if its garbage collector runs while it specialises types.
That depends on all earlier allocations, even on the length of the solver's name. Unused declarations change
the moment of the collection, not the FlatZinc. An earlier model of complete boards aborted in 6 of 600
compilations, the current one in none of 238. MiniZinc 2.10 for WebAssembly aborted in none of 92 compilations
of the earlier model.
"""
MODEL_ENDINGS = (".mzn",)
DATA_ENDINGS = (".dzn", ".json")
_FILE_BYTES = 10_000_000
CRASHES = frozenset(
    getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")
)
"""The signals that end a crashed program."""

Fits = Callable[["NDArray[np.int64]"], bool]
"""Returns True if each row is a solution."""
TimeLeft = Callable[[], float | None]
"""Returns the seconds left, or None without a limit."""
Branching = Callable[["NDArray[np.int32]"], "NDArray[np.int32]"]
"""Returns, for each row of solutions, the numbers on which the model branches, in order."""

_log = logging.getLogger("catan_cp")


class CustomText(Protocol):
    """Custom text that is added to a model."""

    @property
    def text(self) -> str:
        """The text."""

    def error_at(self, line: int, column: int, why: str) -> CatanError:
        """Return the error for MiniZinc's message about a place in the text."""

    def error(self, why: str) -> CatanError:
        """Return the error for a fault without a known place."""


@dataclass(frozen=True)
class Task:
    """A model with its data, and properties of its solutions.

    Attributes:
        model: the name of the model.
        data: its data. If ``search`` is 1, solutions are listed in ascending order. Any other value requests
            a random search, and is replaced by the value for the solver.
        fits: returns True if solutions use the pieces of the box, whatever the rules. None: no check.
        branching: returns the numbers on which the model branches. None: they are the solution itself.
        models: the folder of edited models, if there is one.
        own: custom text to add, if there is any.
        repeats: True if variables of the custom text may repeat a solution.
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
        task: the model and its data.
        flatzinc: the text for the solver.
        solver: the solver for which it was compiled.
        stands_in: True if this is for a second solver, after the first one crashed.
        prefix: the first numbers of the solution that `with_first` fixed.
        seconds: the time to compile, a measure of the speed of the machine and MiniZinc.
    """

    task: Task = field(repr=False, compare=False)
    flatzinc: FlatZinc = field(repr=False)
    solver: FoundSolver
    stands_in: bool = False
    prefix: tuple[int, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def printed(self) -> Array:
        """The array that the solver prints, empty if there is none."""
        return self.flatzinc.printed or Array("", None, [])

    @contextmanager
    def written(self) -> Iterator[Path]:
        """Yield a temporary file with the FlatZinc, or with a model if a native MiniZinc runs the solver."""
        text, solver = self.flatzinc.text, self.solver
        through_minizinc = solver.through_minizinc and not (solver.minizinc.portable and solver.name in AUTO)
        if through_minizinc:
            # Without an output item, MiniZinc prints all variables of each solution.
            name = self.printed.name
            text = self.flatzinc.silent().text + (f'output ["\\({name})\\n"];\n' if name else "")
            text = f"annotation random_order;\n{text}" if "random_order" in text else text
        with ExitStack() as stack:
            with writing(f"the model for {self.solver.name}"):
                folder, _ = stack.enter_context(scratch_folder())
                place = folder / ("model.mzn" if through_minizinc else "model.fzn")
                place.write_text(text, encoding="utf-8")
            yield place


_Key = tuple[Path, tuple[str, ...], str, FoundSolver, str]
_kept: dict[_Key, Compiled] = {}


def compile_model(task: Task, solver: FoundSolver, timeout: float | None = None) -> Compiled:
    """Return a task's model with its data, compiled for *solver* or taken from a cache.

    Raises:
        SolverTimeout: the compiler took more than *timeout* seconds.
        InvalidRules: custom text or an edited model has an error. The message shows the place.
        SolverFailed: the compiler failed or crashed.
    """
    folder, data, own = models_dir(task.models), data_for(task, solver), task.own
    model = folder / f"{task.model}.mzn"
    text = json.dumps(data, default=encoded, sort_keys=True)
    key = (model, state_of(folder), text, solver, "" if own is None else own.text)
    compiled = _kept.pop(key, None)
    if compiled is None:
        start = time.monotonic()
        flatzinc = _compile(model, data, solver, timeout, own)
        compiled = Compiled(task, flatzinc, solver, seconds=time.monotonic() - start)
        compiled = _with_able_solver(compiled, timeout)
    elif compiled.task is not task:
        compiled = replace(compiled, task=task)
    _kept[key] = compiled  # as the newest
    while len(_kept) > 1 and sum(len(entry.flatzinc.text) for entry in tuple(_kept.values())) > _KEPT_BYTES:
        _kept.pop(next(iter(_kept)), None)
    return compiled


def data_for(task: Task, solver: FoundSolver) -> dict[str, Any]:
    """Return the data of a task, with the value of ``search`` for the solver."""
    if task.data.get("search", IN_ORDER) == IN_ORDER:
        return task.data
    return {**task.data, "search": solver.backend.random_search}


def with_first(compiled: Compiled, values: Sequence[int]) -> Compiled | None:
    """Return a compiled model that fixes the first numbers of its solutions, or None.

    The constraints are added to the FlatZinc, so that one compilation serves many runs. None means that no
    solution has these numbers.
    """
    added = ""
    for name, value in zip(compiled.printed.elements, values, strict=False):
        if not name.lstrip("-").isdigit():
            added += f"constraint int_lin_eq([1],[{name}],{value});\n"
        elif int(name) != value:
            return None
    return replace(compiled, flatzinc=compiled.flatzinc.adding(constraints=added), prefix=tuple(values))


def _printing(flatzinc: FlatZinc, known: str) -> FlatZinc:
    """Return FlatZinc that prints its one solution, which is *known* to the compiler."""
    size = known.count(",") + 1
    line = f"array [1..{size}] of var int: known :: output_array([1..{size}]) = [{known}];\n"
    return flatzinc.adding(declarations=line)


def encoded(value: object) -> Any:
    """Return a set in the form of MiniZinc's JSON."""
    if isinstance(value, (set, frozenset, range)):
        return {"set": sorted(value)}
    raise TypeError(f"{type(value).__name__} is not data for a model")


def _compile(
    model: Path, data: dict[str, Any], solver: FoundSolver, timeout: float | None, own: CustomText | None
) -> FlatZinc:
    """Return the FlatZinc, which also prints a solution that the compiler has found itself."""
    limited = own is not None and (timeout is None or timeout > OWN_SECONDS)
    seconds = OWN_SECONDS if limited else timeout
    end = None if seconds is None else time.monotonic() + seconds

    def minizinc(*options: object, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run MiniZinc with *text* as its input, in the remaining time."""
        rest = None if end is None else max(0.001, end - time.monotonic())
        return run_minizinc(solver, options, text, rest, group)

    with writing(f"the compiled {model.name}"), scratch_folder() as (folder, group):
        names = ("model.json", "model.more.mzn", "model.fzn", "model.ozn")
        values, added, flatzinc, output = (folder / name for name in names)
        values.write_text(json.dumps(data, default=encoded), encoding="utf-8")
        goal = ("-I", model.parent, "--compile", "--fzn", flatzinc, "--ozn", output)
        try:
            for unused in _UNUSED:
                text = "" if own is None else own.text
                text += "".join(f"int: unused_{number} = 0;\n" for number in range(unused))
                added.write_text(text, encoding="utf-8")
                result = minizinc(*solver.choice, *goal, model, *([added] if text else []), values)
                if -result.returncode not in CRASHES:
                    break
                _log.info("MiniZinc crashed on %s: %s", model.name, last_words(result.stderr))
            if result.returncode != 0 or _NOT_WRITTEN.search(result.stderr) or not flatzinc.exists():
                _reject(result, model, added, own)
            _warn(result.stderr, added, own)
            program = FlatZinc(flatzinc.read_text(encoding="utf-8"))
            if program.printed is None:
                known = _NUMBER_ARRAY.search(minizinc("--ozn-file", output, text="----------\n").stdout)
                return program if known is None else _printing(program, known[1])
            return program
        except subprocess.TimeoutExpired:
            if limited and own is not None:
                raise own.error(f"were not compiled within {seconds:g} s") from None
            raise SolverTimeout(
                f"the time limit passed while MiniZinc was compiling {model.name}; allow more time"
            ) from None


def model_file(name: str, path: object, endings: Sequence[str]) -> Path:
    """Return the path of a file for MiniZinc, which chooses by the ending what a file may do.

    It takes options and programs from a file ``*.mpc``. So the ending of the file itself counts, not that of
    a link to it.

    Raises:
        InvalidArgument: the file does not exist, is not a regular file, has another ending, or is too large.
    """
    file = check_path(f"{name} must be the path of a file", path).resolve()
    if not file.is_file():
        raise InvalidArgument(f"{name} must be the path of a file that exists, not {show(str(path))}")
    if file.suffix not in endings:
        raise InvalidArgument(f"{name} must be a file that ends in {listed(endings)}, not {show(file.name)}")
    if file.stat().st_size > _FILE_BYTES:
        raise InvalidArgument(f"{name} must have at most {_FILE_BYTES:,} bytes, not {file.stat().st_size:,}")
    return file


def _with_able_solver(compiled: Compiled, timeout: float | None) -> Compiled:
    """Return a compiled model, or another one for Gecode if its numbers are too large for the solver.

    Raises:
        InvalidRules: the numbers of custom text are too large for Gecode, too.
        SolverFailed: those of the model are, or Gecode is not installed.
    """
    number = exceeds(compiled.flatzinc, compiled.solver.backend)
    if number is None:
        return compiled
    name, own, other = compiled.solver.name, compiled.task.own, another_solver(compiled.solver)
    if number > INT32 or other is None:
        why = (
            f"compute numbers up to {number:,}, too large for {name}; use smaller numbers, or another solver"
        )
        raise SolverFailed(f"the models {why}") if own is None else own.error(why)
    _log.info("%s computes with smaller numbers than %s; %s is used instead", name, f"{number:,}", other.name)
    rest = None if timeout is None else max(0.001, timeout - compiled.seconds)
    return replace(compile_model(compiled.task, other, rest), stands_in=True)


def _warn(messages: str, added: Path, own: CustomText | None) -> None:
    """Warn of undefined results, such as an index out of range, with the place in custom text."""
    for text in undefined_results(messages):
        place = PLACE.search(text)
        if own is not None and place is not None and Path(place[1]).name == added.name:
            why = text.partition("\n")[0]
            text = str(own.error_at(int(place[2]), int(place[3]), why))
        warnings.warn(text, stacklevel=5)


def undefined_results(messages: str) -> Iterator[str]:
    """Yield MiniZinc's warnings of undefined results, each with its place in a second line.

    MiniZinc replaces an undefined result, such as an index out of range, by false.
    """
    for match in _UNDEFINED.finditer(messages):
        cause = match[2].strip().strip("()")
        yield "\n".join(filter(None, [f"{match[1]}{f' ({cause})' * bool(cause)}", match[3]]))


def run_minizinc(
    solver: FoundSolver, options: Iterable[object], text: str, seconds: float | None, group: Group
) -> subprocess.CompletedProcess[str]:
    """Run MiniZinc with *text* as its input.

    Raises:
        SolverFailed: it does not start.
        subprocess.TimeoutExpired: *seconds* passed.
    """
    command = [*solver.minizinc.command(), *map(str, options)]
    try:
        return run(command, text, seconds, group=group, memory=solver.minizinc.memory)
    except OSError as problem:
        raise SolverFailed(f"MiniZinc does not start: {problem}") from problem


def _reject(
    result: subprocess.CompletedProcess[str], model: Path, added: Path, own: CustomText | None
) -> NoReturn:
    """Raise the error for the compiler's messages, with the place in a text of the user."""
    messages = result.stderr
    if no_room := _NOT_WRITTEN.search(messages):
        raise OSError(no_room[1])
    if _FILE_TOO_LONG and result.returncode == -_FILE_TOO_LONG:
        raise OSError(os.strerror(errno.EFBIG))
    why = first_complaint(messages)
    for match in PLACE.finditer(messages):
        place, line, column = Path(match[1]), int(match[2]), int(match[3])
        if place.name == added.name and own is not None:
            raise own.error_at(line, column, why)
        if place.parent == model.parent and place.is_file() and fingerprint(place) != SHIPPED.get(place.stem):
            text = model_text(place)
            raise InvalidRules(f"{place}, {at_place(text, offset(text, line, column), why)}")
    if own is not None and "model inconsistency" not in messages:
        raise own.error(f"could not be compiled ({last_words(messages)})")
    raise SolverFailed(
        f"MiniZinc could not compile {model.name} (status {result.returncode}): {last_words(messages)}"
    )


def first_complaint(messages: str) -> str:
    """Return the first error in messages of MiniZinc."""
    complaint = next((line for line in messages.splitlines() if "rror:" in line), "invalid model")
    return complaint.strip().removeprefix("Error: ").removeprefix("MiniZinc: ")


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Raise `SolverFailed` for an error of the system while the file called *name* is written."""
    try:
        yield
    except OSError as problem:
        raise SolverFailed(
            f"cannot write {name} into a temporary folder ({problem}); make room, or set TMPDIR to another"
        ) from problem
