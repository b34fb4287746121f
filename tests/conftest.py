"""Fixtures of several test files: a folder that must end empty, and faulty programs."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from catan_cp.solving.find import find_solver
from tests.kills import alive, wait_for

# Hundreds of tests start Python. Without this, each of them compiles the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A process started in the background ignores Ctrl-C, and so would every process that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


# The same examples in every run. --hypothesis-profile=default tries others each time.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture
def no_processes(monkeypatch):
    """Raise an error if a process is started."""

    def refuse(*_args, **_options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A private TMPDIR. At the end it is empty, and no running process knows it.

    The Node process of this process may have its folder there.
    """
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield folder
    wait_for(lambda: not alive(folder))
    assert [path for path in folder.iterdir() if not (path / "node").is_socket()] == []


CONFIGURED = ("id", "name", "version", "mznlib", "executable", "tags", "stdFlags", "extraFlags")
"""The parts of a solver's configuration that MiniZinc reads from a file and lists again."""


def script(path, text):
    """Write a program: a shell script with this text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def list_program(entry, program, configuration, **changes):
    """Return a listed solver of which the program is another one.

    Write its configuration.
    """
    new = {**entry, "executable": str(program), "mznlib": entry["extraInfo"]["mznlib"], **changes}
    configuration.write_text(json.dumps({key: new[key] for key in CONFIGURED if key in new}))
    extra = {**entry["extraInfo"], "executable": str(program), "configFile": str(configuration)}
    return new | {"extraInfo": extra}


def stand_in(folder, minizinc, listing, compiler='exec REAL "$@"'):
    """Write a MiniZinc with a list of solvers and a script to compile.

    REAL is the real MiniZinc.
    """
    (folder / "listing").write_text(json.dumps(listing))
    answers = f"--solvers-json) exec cat {shlex.quote(str(folder / 'listing'))};;\n"
    text = f"case $1 in\n{answers}--version|--config-dirs) exec REAL $1;;\nesac\n{compiler}"
    return script(folder / "minizinc", text.replace("REAL", shlex.quote(str(minizinc))))


@pytest.fixture
def faulty(tmp_path, scratch, monkeypatch):
    """Put a script in the place of the solver, or of MiniZinc as a compiler.

    REAL is what it replaces.
    """
    real = find_solver()
    if real.minizinc.portable:
        pytest.skip(
            "the portable solver runs Chuffed and Gecode in its own process: no program can be replaced"
        )

    def use(solver: str | None = None, compiler: str = 'exec REAL "$@"') -> Path:
        minizinc = real.minizinc.executable
        output = subprocess.run([minizinc, "--solvers-json"], capture_output=True, check=True).stdout
        listing = json.loads(output)
        program = tmp_path / "fzn-standin"
        if solver is not None:
            script(program, solver.replace("REAL", shlex.quote(str(real.executable))))
            (place,) = (
                i for i, e in enumerate(listing) if e["extraInfo"].get("configFile") == str(real.config_file)
            )
            listing[place] = list_program(listing[place], program, tmp_path / "standin.msc")
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(stand_in(tmp_path, minizinc, listing, compiler)))
        return program

    return use
