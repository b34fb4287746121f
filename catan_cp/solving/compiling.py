"""Compile a model and its data to FlatZinc, once for as many runs as are wanted.

The compiler is started here and not by ``Instance.flat`` of the `minizinc` package: that reads the model
twice, and leaves its files behind when it fails or is interrupted.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import signal
import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, NoReturn, Protocol

from catan_cp.errors import CatanError, InvalidRules, SolverFailed, SolverTimeout
from catan_cp.processes import last_words, run, scratch_folder
from catan_cp.solving.backends import IN_ORDER
from catan_cp.solving.find import FoundSolver
from catan_cp.solving.models import SHIPPED, fingerprint, models_dir, state_of

_KEPT_BYTES = 16 << 20
_OUTPUT = re.compile(rb"(\w+) *:: *output_array\(\[([-0-9., ]+)\]\)")
_PRINTED = re.compile(rb":: *output_array\(\[[-0-9., ]+\]\)")
_FILE_TOO_LONG = getattr(signal, "SIGXFSZ", 0)
_NOT_WRITTEN = re.compile(r"I/O error: (cannot write .*)")
_ARRAY = re.compile(r"\[([-0-9, ]+)\]")
_PLACE = re.compile(r"(?m)^(.+\.mzn):(\d+)[.:](\d+)")
OWN_SECONDS = 60.0
"""How long a user's text may take to compile at most, all attempts together."""
MEMORY = 4 << 30
"""How many bytes of address space whoever reads a model may have: it may hold a stranger's text."""
_UNUSED = (0, 10, 100, 1000)
"""So many declarations that nothing uses are added, one attempt after the other, while the compiler crashes.

MiniZinc 2.9.2 aborts (``type_specialise.cpp:568``) where its garbage collector runs while it specialises
types. When that happens depends on all that was allocated before, down to the length of the solver's name; a
few more declarations move it, and leave the FlatZinc as it is.
"""
CRASHES = frozenset(
    getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")
)
"""The signals that end a program with a mistake."""

_log = logging.getLogger("catan_cp")


@dataclass(frozen=True)
class Compiled:
    """A compiled model.

    Attributes:
        model: the model's name.
        data: the data.
        flatzinc: the text that a solver reads.
        solver: the solver it was compiled for.
        width: how many numbers the solver prints for a solution.
        variable: the name of the variable that it prints; empty where there is none to find.
        fixed: the one solution that is possible where the compiler alone could tell it (the solver tells
            whether it is one, but does not print it), empty where there is none, else None.
        stands_in: whether this is for a second solver, after the first one crashed.
        models: the folder of edited models, if there is one.
        own: the user's text that was added.
        given: the first numbers of the solution, where `with_first` gave them.
    """

    model: str
    data: Mapping[str, Any] = field(repr=False, compare=False)
    flatzinc: bytes = field(repr=False)
    solver: FoundSolver
    width: int
    variable: str
    fixed: tuple[int, ...] | None
    stands_in: bool = False
    models: str | None = None
    own: OwnText | None = None
    given: tuple[int, ...] = ()

    @property
    def optimises(self) -> bool:
        """Whether the model asks for the best solution."""
        return b"minimize" in self.flatzinc[self.flatzinc.rindex(b"\nsolve") :]

    def output_model(self) -> str:
        """Return the text with which MiniZinc prints a solver's solutions as the package reads them."""
        declared = _output(self.flatzinc)
        if declared is None:
            known, row = "", f'"{list(self.fixed or ())}"'
        else:
            name, sizes = declared[1].decode(), ", ".join(["int"] * (declared[2].count(b",") + 1))
            known, row = f"array [{sizes}] of int: {name};\n", f"showJSON(array1d({name}))"
        before = json.dumps(f'{{"type": "solution", "output": {{"json": {{"{self.printed}": ')
        return f'output [{before}, {row}, "}}}}, \\"time\\": 0}}\\n"];\n{known}'

    def as_model(self) -> bytes:
        """Return the FlatZinc as a model that MiniZinc takes with all of its options."""
        text = _PRINTED.sub(b":: output", self.flatzinc)
        return b"annotation random_order;\n" + text if b"random_order" in text else text

    @property
    def printed(self) -> str:
        """The name of the array that the solver prints."""
        declared = _output(self.flatzinc)
        return "row" if declared is None else declared[1].decode()


class OwnText(Protocol):
    """A user's text that is added to a model."""

    @property
    def text(self) -> str:
        """The text."""

    def refused(self, line: int, column: int, why: str) -> CatanError:
        """Return the error for what MiniZinc says of a place in the text."""

    def failed(self, why: str) -> CatanError:
        """Return the error for what cannot be told from one place."""


_Key = tuple[Path, tuple[str, ...], str, FoundSolver, str]
_kept: OrderedDict[_Key, Compiled] = OrderedDict()
_lock = threading.Lock()


def compile_model(
    name: str,
    data: Mapping[str, Any],
    solver: FoundSolver,
    timeout: float | None = None,
    *,
    models: str | None = None,
    own: OwnText | None = None,
    more: str = "",
) -> Compiled:
    """Return the model ``models/NAME.mzn`` with *data*, compiled for *solver*; the last few are kept.

    *models* names a folder of edited models, and *own* is a user's text that is added.

    Data may hold ``search``, which asks for ascending order where it is 1; any other value asks for a random
    search, and the solver's own one is put there. *more* is MiniZinc text that is added to the model.

    Raises:
        SolverTimeout: the compiler took more than *timeout* seconds.
        InvalidRules: the user's text, or an edited model, has a mistake; the message shows where.
        SolverFailed: the compiler refused, or crashed.
    """
    folder = models_dir(models)
    model = folder / f"{name}.mzn"
    if data.get("search", IN_ORDER) != IN_ORDER:
        data = {**data, "search": solver.backend.random_search}
    text = json.dumps(dict(data), default=_encoded, sort_keys=True)
    added = (own.text if own is not None else "") + more
    key = (model, state_of(folder), text, solver, added)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    compiled = replace(_compile(model, data, solver, timeout, added, own), models=models, own=own)
    if more:
        return compiled
    with _lock:
        _kept[key] = compiled
        while len(_kept) > 1 and sum(len(each.flatzinc) for each in _kept.values()) > _KEPT_BYTES:
            _kept.popitem(last=False)
    return compiled


def with_first(compiled: Compiled, values: Sequence[int]) -> Compiled | None:
    """Return a compiled model with the first numbers of its solutions given; None where they cannot be these.

    The constraints are added to the FlatZinc, so that one compilation serves many runs.
    """
    if compiled.fixed is not None:
        return compiled if compiled.fixed[: len(values)] == tuple(values) else None
    declared = _output(compiled.flatzinc)
    assert declared is not None
    start = compiled.flatzinc.index(b"[", declared.end())
    names = compiled.flatzinc[start + 1 : compiled.flatzinc.index(b"]", start)].split(b",")
    added = b""
    for name, value in zip(names, values, strict=False):
        if name.strip().lstrip(b"-").isdigit():
            if int(name) != value:
                return None
        else:
            added += b"constraint int_lin_eq([1],[" + name.strip() + b"],%d);\n" % value
    solve = compiled.flatzinc.rindex(b"\nsolve") + 1
    flatzinc = b"%b%b%b" % (compiled.flatzinc[:solve], added, compiled.flatzinc[solve:])
    return replace(compiled, flatzinc=flatzinc, given=tuple(values))


def _output(flatzinc: bytes) -> re.Match[bytes] | None:
    """Return the declaration of what the solver prints, found quickly by the word that it alone has."""
    place = flatzinc.find(b"output_array(")
    return None if place < 0 else _OUTPUT.search(flatzinc, flatzinc.rfind(b"\n", 0, place) + 1)


def _encoded(value: object) -> Any:
    """Return a set or a tuple as MiniZinc's JSON has it."""
    if isinstance(value, (set, frozenset, range)):
        return {"set": sorted(value)}
    raise TypeError(f"{type(value).__name__} is no data for a model")


def _compile(
    model: Path,
    data: Mapping[str, Any],
    solver: FoundSolver,
    timeout: float | None,
    more: str,
    own: OwnText | None,
) -> Compiled:
    limited = own is not None and (timeout is None or timeout > OWN_SECONDS)
    seconds = OWN_SECONDS if limited else timeout
    end = None if seconds is None else time.monotonic() + seconds
    memory = MEMORY if solver.minizinc.limits_memory else None

    def ask(command: list[str], said: str = "") -> subprocess.CompletedProcess[str]:
        """Run MiniZinc, which reads what is *said* to it, in the time that is left for all of this."""
        left = None if end is None else max(0.001, end - time.monotonic())
        try:
            return run(command, said, left, group=group, memory=memory)
        except OSError as problem:
            raise SolverFailed(f"MiniZinc does not start: {problem}") from problem

    with writing(f"what MiniZinc makes of {model.name}"), scratch_folder() as (folder, group):
        values, flatzinc, output, added = (
            folder / f"model.{ending}" for ending in ("json", "fzn", "ozn", "more.mzn")
        )
        values.write_text(json.dumps(dict(data), default=_encoded), encoding="utf-8")
        minizinc = str(solver.minizinc.executable)
        command = [minizinc, *solver.choice, "-I", str(model.parent)]
        command += ["--compile", "--fzn", str(flatzinc), "--ozn", str(output)]
        try:
            for unused in _UNUSED:
                text = more + "".join(f"int: unused_{number} = 0;\n" for number in range(unused))
                added.write_text(text, encoding="utf-8")
                files = [str(model), *([str(added)] if text else []), str(values)]
                done = ask([*command, *files])
                if -done.returncode not in CRASHES:
                    break
                _log.info("MiniZinc crashed on %s: %s", model.name, last_words(done.stderr))
            if done.returncode != 0 or _NOT_WRITTEN.search(done.stderr) or not flatzinc.exists():
                _refuse(done, model, added, own)
            program = flatzinc.read_bytes()
            printed = output.read_text(encoding="utf-8") if output.exists() else ""
            shape = _output(program)
            known = "" if shape else ask([minizinc, "--ozn-file", str(output)], "----------\n").stdout
        except subprocess.TimeoutExpired:
            if limited and own is not None:
                raise own.failed(f"were not compiled within {seconds:g} s") from None
            raise SolverTimeout(
                f"the time limit passed while MiniZinc was compiling {model.name}; allow more time"
            ) from None
    return Compiled(
        model=model.stem,
        data=data,
        flatzinc=program,
        solver=solver,
        width=_size(shape[2].decode()) if shape else 0,
        variable=_variable(shape[1].decode(), printed) if shape else "",
        fixed=None if shape else _constant(known),
    )


def _refuse(
    done: subprocess.CompletedProcess[str], model: Path, added: Path, own: OwnText | None
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
        line, column = int(match[2]), int(match[3])
        if Path(match[1]).name == added.name and own is not None:
            raise own.refused(line, column, why)
        place = Path(match[1])
        if place.parent == model.parent and place.is_file() and fingerprint(place) != SHIPPED.get(place.stem):
            lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
            text = lines[line - 1] if line <= len(lines) else ""
            raise InvalidRules(f"{place}, line {line}: {why}\n  {text}\n  {' ' * (column - 1)}^")
    if own is not None and "model inconsistency" not in said:
        raise own.failed(f"could not be compiled ({last_words(said)})")
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


def _size(shape: str) -> int:
    """Return how many numbers an array with index sets like ``1..3, 1..3`` has."""
    ranges = (part.split("..") for part in shape.split(","))
    return prod(int(last) - int(first) + 1 for first, last in ranges)


def _variable(name: str, printed: str) -> str:
    """Return the model's own name of a variable; FlatZinc has another for an array of several dimensions."""
    match = re.search(rf"(\w+) *= *array\dd\([^;]*\b{name}\)", printed)
    return match[1] if match else name


def _constant(printed: str) -> tuple[int, ...]:
    """Return the output that needs no solver; where the compiler found a contradiction there is none."""
    match = _ARRAY.search(printed)
    return () if match is None else tuple(int(word) for word in match[1].split(","))
