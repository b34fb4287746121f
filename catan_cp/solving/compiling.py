"""Compile a model and its data to FlatZinc, once for as many runs as are wanted.

The `minizinc` package holds the model, its data and the solver's configuration. The compiler itself is
started here and not by ``Instance.flat``, which leaves its files behind when it fails or is interrupted.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from catan_cp.errors import SolverFailed, SolverTimeout, show
from catan_cp.solving.find import FoundSolver, import_minizinc
from catan_cp.solving.models import models_dir

_KEPT = 64
_CONSTANT = re.compile(r"=\s*(?:array\dd\([^\[]*)?\[([-0-9, ]+)\]")


@dataclass(frozen=True)
class Compiled:
    """A compiled model.

    Attributes:
        flatzinc: the text that a solver reads.
        solver: the solver it was compiled for.
        fixed: the output where the compiler alone could tell it, else None.
    """

    flatzinc: bytes
    solver: FoundSolver
    fixed: tuple[int, ...] | None


def compile_model(
    name: str, data: Mapping[str, Any], solver: FoundSolver, timeout: float | None = None
) -> Compiled:
    """Return the model ``models/NAME.mzn`` with *data*, compiled for *solver*; the last few are kept.

    Raises:
        SolverTimeout: the compiler took more than *timeout* seconds.
        SolverFailed: the compiler refused, or crashed.
    """
    model = models_dir() / f"{name}.mzn"
    key = json.dumps(dict(data), default=sorted, sort_keys=True)
    text, fixed = _compile(model, model.stat().st_mtime_ns, _Data(key, data), solver, _Limit(timeout))
    return Compiled(text, solver, fixed)


class _Data(str):
    """The data as text, which tells equal data from others, with the values that it stands for."""

    values: Mapping[str, Any]

    def __new__(cls, key: str, values: Mapping[str, Any]) -> _Data:
        data = super().__new__(cls, key)
        data.values = values
        return data


class _Limit:
    """A time limit, all of which are equal: it does not change what is compiled."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Limit)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=_KEPT)
def _compile(
    model: Path, _changed: int, data: _Data, solver: FoundSolver, limit: _Limit
) -> tuple[bytes, tuple[int, ...] | None]:
    package = import_minizinc(solver.minizinc.executable)
    instance = package.Instance(solver.config, package.Model(model), solver.minizinc.driver)
    for key, value in data.values.items():
        instance[key] = value
    with (
        tempfile.TemporaryDirectory(prefix="catan-cp-") as folder,
        instance.files() as files,
        solver.config.configuration() as configuration,
    ):
        flatzinc, output = Path(folder) / "model.fzn", Path(folder) / "model.ozn"
        command = [str(solver.minizinc.driver.executable), "--solver", configuration, "--compile"]
        command += ["--fzn", str(flatzinc), "--ozn", str(output), *map(str, files)]
        _start(command, model, limit.seconds)
        text = flatzinc.read_bytes()
        fixed = None if b"output_array" in text else _constant(output.read_text(encoding="utf-8"))
    return text, fixed


def _start(command: list[str], model: Path, timeout: float | None) -> None:
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        spent = time.monotonic() - began
        raise SolverTimeout(f"MiniZinc was still compiling {model.name} after {spent:.1f} s") from None
    except OSError as problem:
        raise SolverFailed(f"MiniZinc does not start: {problem}") from problem
    if done.returncode != 0:
        raise SolverFailed(
            f"MiniZinc could not compile {model.name} (status {done.returncode}): {last_words(done.stderr)}"
        )


def last_words(text: str) -> str:
    """Return the end of what a program printed, as an error message quotes it."""
    words = " ".join(text.split())
    return words[-400:] if words else "it said nothing"


def _constant(output: str) -> tuple[int, ...]:
    match = _CONSTANT.search(output)
    if match is None:
        raise SolverFailed(f"the compiled model neither has an output nor fixes it: {show(output)}")
    return tuple(int(word) for word in match[1].split(","))
