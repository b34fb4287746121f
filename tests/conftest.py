"""What several test files share: a folder for temporary files that must end empty, and parts that fail."""

from __future__ import annotations

import importlib.util
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

# Hundreds of tests start Python; without this each of them compiles the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A process started in the background ignores Ctrl-C, and so would every process that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


# The same examples in every run; --hypothesis-profile=default tries others each time.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

NEED = {"nbclient": "test_notebooks.py"}
"""What only the extras bring, and the tests that need it."""

absent = [name for name in NEED if importlib.util.find_spec(name) is None]
collect_ignore = [NEED[name] for name in absent]


def pytest_report_header():
    """Say at the top what cannot be tested here."""
    return [f"not tested, for want of {name}: {NEED[name]}" for name in absent]


@pytest.fixture
def no_processes(monkeypatch):
    """Refuse whoever starts a process."""

    def refuse(*_args, **_options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A private TMPDIR; at the end nothing is in it, and nobody runs who knows it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield folder
    wait_for(lambda: not alive(folder))
    assert list(folder.iterdir()) == []


CONFIGURED = ("id", "name", "version", "mznlib", "executable", "tags", "stdFlags", "extraFlags")
"""The parts of a solver's configuration that MiniZinc reads from a file and that its list repeats."""


@pytest.fixture
def faulty(tmp_path, scratch, monkeypatch):
    """Put a script in the place of the solver, or of MiniZinc as a compiler; REAL is what it replaces."""
    real = find_solver()
    if real.minizinc.portable:
        pytest.skip(
            "the portable solver runs Chuffed and Gecode in its own process: no program can be replaced"
        )

    def use(solver: str | None = None, compiler: str = 'exec REAL "$@"') -> Path:
        minizinc = real.minizinc.executable
        said = subprocess.run([minizinc, "--solvers-json"], capture_output=True, check=True).stdout
        listing = json.loads(said)
        program = tmp_path / "fzn-standin"
        if solver is not None:
            program.write_text(f"#!/bin/sh\n{solver}\n".replace("REAL", shlex.quote(str(real.executable))))
            program.chmod(0o755)
            (entry,) = (e for e in listing if e["extraInfo"].get("configFile") == str(real.config_file))
            entry["executable"] = entry["extraInfo"]["executable"] = str(program)
            entry["mznlib"] = entry["extraInfo"]["mznlib"]
            configuration = tmp_path / "standin.msc"  # which MiniZinc reads if it runs the solver
            configuration.write_text(json.dumps({k: v for k, v in entry.items() if k in CONFIGURED}))
            entry["extraInfo"]["configFile"] = str(configuration)
        (tmp_path / "listing").write_text(json.dumps(listing))
        script = tmp_path / "minizinc"
        answers = f"--solvers-json) exec cat {shlex.quote(str(tmp_path / 'listing'))};;\n"
        answers += "--version|--config-dirs) exec REAL $1;;\n"
        text = f"#!/bin/sh\ncase $1 in\n{answers}esac\n{compiler}\n"
        script.write_text(text.replace("REAL", shlex.quote(str(minizinc))))
        script.chmod(0o755)
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(script))
        return program

    return use
