"""Compile a model and its data to FlatZinc, once for as many runs as are wanted.

The `minizinc` package knows MiniZinc and the solver's configuration and writes the data. The compiler itself
is started here and not by ``Instance.flat``: that reads the model twice, and leaves its files behind when it
fails or is interrupted.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from catan_cp.errors import SolverFailed, SolverTimeout
from catan_cp.solving import guard
from catan_cp.solving.find import FoundSolver, import_minizinc
from catan_cp.solving.models import models_dir

_KEPT_BYTES = 16 << 20
_OUTPUT = re.compile(rb"output_array\(\[([-0-9., ]+)\]\)")
_FILE_TOO_LONG = getattr(signal, "SIGXFSZ", 0)
_NOT_WRITTEN = re.compile(r"I/O error: (cannot write .*)")
_ARRAY = re.compile(r"\[([0-9, ]+)\]")


@dataclass(frozen=True)
class Compiled:
    """A compiled model.

    Attributes:
        flatzinc: the text that a solver reads.
        solver: the solver it was compiled for.
        width: how many numbers the solver prints for a solution.
        fixed: the one solution that is possible where the compiler alone could tell it (the solver tells
            whether it is one, but does not print it), empty where there is none, else None.
    """

    flatzinc: bytes
    solver: FoundSolver
    width: int
    fixed: tuple[int, ...] | None


_Key = tuple[Path, int, str, FoundSolver]
_kept: OrderedDict[_Key, Compiled] = OrderedDict()
_lock = threading.Lock()


def compile_model(
    name: str, data: Mapping[str, Any], solver: FoundSolver, timeout: float | None = None
) -> Compiled:
    """Return the model ``models/NAME.mzn`` with *data*, compiled for *solver*; the last few are kept.

    Raises:
        SolverTimeout: the compiler took more than *timeout* seconds.
        SolverFailed: the compiler refused, or crashed.
    """
    model = models_dir() / f"{name}.mzn"
    key = (model, model.stat().st_mtime_ns, json.dumps(dict(data), default=sorted, sort_keys=True), solver)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    compiled = _compile(model, data, solver, timeout)
    with _lock:
        _kept[key] = compiled
        while len(_kept) > 1 and sum(len(each.flatzinc) for each in _kept.values()) > _KEPT_BYTES:
            _kept.popitem(last=False)
    return compiled


def _compile(model: Path, data: Mapping[str, Any], solver: FoundSolver, timeout: float | None) -> Compiled:
    package = import_minizinc(solver.minizinc.executable)
    with (
        writing(f"what MiniZinc makes of {model.name}"),
        _scratch() as folder,
        solver.config.configuration() as configuration,
    ):
        values, flatzinc, output = (Path(folder) / f"model.{ending}" for ending in ("json", "fzn", "ozn"))
        values.write_text(json.dumps(dict(data), cls=package.json.MZNJSONEncoder), encoding="utf-8")
        minizinc = str(solver.minizinc.driver.executable)
        command = [minizinc, "--solver", configuration, "--compile", "--fzn", str(flatzinc)]
        try:
            done = _run([*command, "--ozn", str(output), str(model), str(values)], timeout)
            if no_room := _NOT_WRITTEN.search(done.stderr):
                raise OSError(no_room[1])
            if _FILE_TOO_LONG and done.returncode == -_FILE_TOO_LONG:
                raise OSError(os.strerror(errno.EFBIG))
            if done.returncode != 0 or not flatzinc.exists():
                raise SolverFailed(
                    f"MiniZinc could not compile {model.name} (status {done.returncode}): "
                    f"{last_words(done.stderr)}"
                )
            text = flatzinc.read_bytes()
            shape = _OUTPUT.search(text)
            fixed = None if shape is not None else _constant(minizinc, output, timeout)
        except subprocess.TimeoutExpired:
            raise SolverTimeout(
                f"the time limit passed while MiniZinc was compiling {model.name}; allow more time"
            ) from None
    return Compiled(text, solver, _size(shape[1].decode()) if shape else 0, fixed)


@contextmanager
def _scratch() -> Iterator[str]:
    """Give a folder that is gone afterwards, also where we are killed meanwhile."""
    guard.post()
    scratch = tempfile.TemporaryDirectory(prefix=guard.PREFIX, ignore_cleanup_errors=True)
    guard.protect(scratch.name)
    try:
        with scratch as folder:
            yield folder
    finally:
        guard.release(scratch.name)


def _run(command: list[str], timeout: float | None, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run MiniZinc, which reads what is *said* to it."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as problem:
        raise SolverFailed(f"MiniZinc does not start: {problem}") from problem
    with process:
        try:
            guard.protect(process.pid)
            output, errors = process.communicate(said, timeout)
        except BaseException:
            process.kill()
            raise
        finally:
            guard.release(process.pid)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Say what could not be written where the system refuses to: no folder, no right, no room."""
    try:
        yield
    except OSError as problem:
        raise SolverFailed(
            f"cannot write {what} into a temporary folder ({problem}); make room, or set TMPDIR to another"
        ) from problem


def last_words(text: str) -> str:
    """Return the end of what a program printed, as an error message quotes it."""
    words = " ".join(text.split())
    return words[-400:] if words else "it said nothing"


def _size(shape: str) -> int:
    """Return how many numbers an array with index sets like ``1..3, 1..3`` has."""
    ranges = (part.split("..") for part in shape.split(","))
    return prod(int(last) - int(first) + 1 for first, last in ranges)


def _constant(minizinc: str, output: Path, timeout: float | None) -> tuple[int, ...]:
    """Return the output that needs no solver; where the compiler found a contradiction there is none."""
    done = _run([minizinc, "--ozn-file", str(output)], timeout, "----------\n")
    match = _ARRAY.search(done.stdout)
    return () if match is None else tuple(int(word) for word in match[1].split(","))
