"""Fixtures of several test files: a folder that must end empty, and faulty programs."""

import importlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from catan_cp import terrain_instance
from catan_cp.solving.find import find_solver
from tests.command_line import status
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
def run(capsys, monkeypatch):
    """Run a command of catan-cp in this process. Return status, standard output and standard error."""

    def call(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        number = status(words)
        output = capsys.readouterr()
        return int(number or 0), output.out, output.err

    return call


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


@pytest.fixture(scope="session")
def installed():
    """Gecode and Chuffed as installed, by name, with their programs and listed configurations."""
    solvers = {name: find_solver(name) for name in ("gecode", "chuffed")}
    if solvers["gecode"].minizinc.portable:
        pytest.skip("the portable solver runs Chuffed and Gecode in its own process")
    return solvers


@pytest.fixture(scope="session")
def minizinc_program():
    """The installed MiniZinc."""
    return find_solver("gecode").minizinc.executable


@pytest.fixture(scope="session")
def minizinc():
    """The package `minizinc`, after the library chose its MiniZinc."""
    terrain_instance("blog")
    return importlib.import_module("minizinc")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache folder, with a space in its name.

    No other setting names a MiniZinc.
    """
    folder = tmp_path / "a cache"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)
    return folder


@pytest.fixture
def bare_machine(cache, tmp_path, monkeypatch):
    """A machine without any MiniZinc: empty cache, nothing on PATH, no variable."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.fixture
def fake(bare_machine, tmp_path, monkeypatch):
    """A script as MiniZinc, which the environment variable names."""
    from tests.fake_minizinc import FakeMiniZinc  # which imports this module

    program = FakeMiniZinc(tmp_path / "named", "2.8.0")
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(program.program))
    return program


@pytest.fixture
def doctor(capsys):
    """Return a function that runs ``catan-cp doctor`` in this process and returns its output."""

    def run(*words):
        status(["doctor", *words])
        output = capsys.readouterr()
        return output.out + output.err

    return run


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
def faulty(installed, tmp_path, scratch, monkeypatch):
    """Put a script in the place of the first solver, or of MiniZinc as a compiler.

    REAL is what it replaces.
    """
    real = installed["chuffed"]

    def use(solver: str | None = None, compiler: str = 'exec REAL "$@"') -> Path:
        program, listing = tmp_path / "fzn-standin", [solver.entry for solver in installed.values()]
        if solver is not None:
            script(program, solver.replace("REAL", shlex.quote(str(real.executable))))
            listing.remove(real.entry)
            listing.append(list_program(real.entry, program, tmp_path / "standin.msc"))
        named = stand_in(tmp_path, real.minizinc.executable, listing, compiler)
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(named))
        return program

    return use


@pytest.fixture
def other_solver(installed, tmp_path, scratch, monkeypatch):
    """List Chuffed as a solver that the package does not know, with its options for MiniZinc."""
    real = installed["chuffed"]

    def use(*flags: str, hangs: bool = False, compiler: str = 'exec REAL "$@"') -> str:
        changes = {"id": "org.example.other", "name": "other", "stdFlags": list(flags or ("-a", "-n"))}
        program, asked = real.executable, shlex.quote(str(tmp_path / "asked"))
        if hangs:  # after the small model by which the package tries a solver
            solve = f'touch {asked}\nexec {shlex.quote(str(program))} "$@"'
            program = script(tmp_path / "fzn-other", f"[ -e {asked} ] && {{ sleep 600 & wait; }}\n{solve}")
        entry = list_program(real.entry, program, tmp_path / "other.msc", **changes)
        named = stand_in(tmp_path, real.minizinc.executable, [entry], compiler)
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(named))
        return "other"

    return use
