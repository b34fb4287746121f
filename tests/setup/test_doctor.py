"""What doctor finds on a bare machine, on a broken one, and on this one."""

import os
from pathlib import Path

import pytest

from catan_cp.setup.doctor import Finding, Report, examine
from catan_cp.solving.advice import command_for, other_command_for
from catan_cp.solving.find import find_solver


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)


@pytest.mark.usefixtures("bare")
def test_a_bare_machine_is_told_every_command() -> None:
    report = examine()
    assert not report.ok
    assert [finding.what for finding in report.findings] == ["MiniZinc", "chuffed", "gecode", "models"]
    assert [finding.ok for finding in report.findings] == [False, False, False, True]
    for what, finding in zip(("minizinc", "chuffed", "gecode"), report.findings, strict=False):
        assert finding.commands[0] == command_for(what)
        assert finding.commands[-1] == other_command_for(what)
        assert f"bring it with: {command_for(what)}" in report.text()
    assert report.text().endswith("Boards cannot be generated yet.")


@pytest.mark.usefixtures("bare")
def test_a_wrong_variable_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CATAN_CP_MINIZINC", "/nowhere")
    report = examine()
    assert not report.ok
    assert "CATAN_CP_MINIZINC is set to '/nowhere'" in report.minizinc.detail


def test_this_machine_solves_with_what_it_has() -> None:
    report = examine()
    solver = find_solver()
    assert report.ok
    assert report.minizinc.ok
    assert str(solver.minizinc.executable) in report.minizinc.detail
    assert solver.minizinc.origin in report.minizinc.detail
    by_name = {finding.what: finding for finding in report.solvers}
    assert by_name[solver.name].ok
    assert f"{solver.version}, solves" in by_name[solver.name].detail
    assert (Path(report.models.detail) / "board.mzn").is_file()


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a solver is a shell script")
@pytest.mark.parametrize(
    "solver", ["echo 'libfoo.so: missing' >&2; exit 127", "echo '=====UNSATISFIABLE====='", "kill -9 $$"]
)
def test_a_solver_that_is_there_but_does_not_solve(
    solver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A MiniZinc of our own in front of the real one, with Gecode's program replaced by a script."""
    real = find_solver("gecode")
    broken = tmp_path / "fzn-gecode"
    broken.write_text(f"#!/bin/sh\n{solver}\n")
    broken.chmod(0o755)
    config = tmp_path / "gecode.msc"
    config.write_text(
        '{"id": "org.gecode.gecode", "name": "Gecode", "version": "0.0", "executable": "./fzn-gecode", '
        f'"mznlib": "{real.config.mznlib}", "stdFlags": ["-a"], "supportsFzn": true, "needsSolns2Out": true, '
        f'"extraInfo": {{"configFile": "{config}"}}}}'
    )
    (tmp_path / "list").write_text(f"[{config.read_text()}]")
    program = tmp_path / "minizinc"
    program.write_text(
        f"#!/bin/sh\n[ \"$1\" = --solvers-json ] && exec /bin/cat '{tmp_path}/list'\n"
        f"exec '{real.minizinc.executable}' \"$@\"\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(program))
    report = examine()
    assert report.minizinc.ok
    assert not report.ok
    assert [finding.ok for finding in report.solvers] == [False, False]
    assert "does not solve three lines" in report.solvers[1].detail
    assert report.solvers[1].commands[0] == command_for("gecode")


def test_one_solver_is_enough_and_the_text_says_which_one_is_missing() -> None:
    here = Finding("MiniZinc", True, "2.6.4, PATH, /usr/bin/minizinc")
    chuffed = Finding("chuffed", False, "none", ("first command", "second command"))
    report = Report(here, (chuffed, Finding("gecode", True, "6.2.0")), Finding("models", True, "/models"))
    assert report.ok
    lines = report.text().splitlines()
    assert lines[0] == "MiniZinc  ok  2.6.4, PATH, /usr/bin/minizinc"
    assert lines[1] == "chuffed   --  none"
    assert lines[2].split("with: ") == ["              bring it ", "first command"]
    assert lines[3].split("with: ") == ["              or ", "second command"]
    assert lines[-1] == "Boards can be generated, without chuffed."
    whole = Report(here, (Finding("gecode", True, ""),), Finding("models", True, ""))
    assert whole.text().endswith("All is well.")
    assert not Report(here, (), whole.models).ok
    assert not Report(here, whole.solvers, Finding("models", False, "")).ok
