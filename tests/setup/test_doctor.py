"""Findings of doctor on a bare machine, on a broken one, and on this one."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import Rules, SolverFailed, generate_board
from catan_cp.setup.doctor import Finding, Report, commands, examine, other_command
from catan_cp.solving.find import OWN_COMMAND, find_solver, install_commands
from tests.command_line import python
from tests.conftest import script


def test_bare_machine_gets_every_command(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    report = examine()
    assert not report.ok
    assert [finding.what for finding in report.findings] == ["MiniZinc", "chuffed", "gecode", "models"]
    assert [finding.ok for finding in report.findings] == [False, False, False, True]
    for finding in report.findings[:3]:
        assert finding.commands == commands() == (*install_commands(), other_command())
    assert report.text().count(f" with: {OWN_COMMAND}\n") == 3
    assert report.text().endswith("by methods that need none, such as: catan-cp generate --rules tournament")
    assert generate_board("tournament", seed=1).has_markers  # as the report says
    monkeypatch.setenv("CATAN_CP_MINIZINC", "/nowhere")
    assert "CATAN_CP_MINIZINC is set to '/nowhere'" in examine().minizinc.detail


def test_this_machine_solves():
    report = examine()
    solver = find_solver()
    assert report.ok and report.minizinc.ok
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
def test_installed_solver_without_solutions(solver, tmp_path, monkeypatch):
    """A script as MiniZinc in front of the real one.

    Another script replaces Gecode's program.
    """
    real = find_solver("gecode")
    script(tmp_path / "fzn-gecode", solver)
    config = {
        **real.entry,
        "version": "0.0",
        "executable": "./fzn-gecode",
        "extraInfo": {"configFile": str(tmp_path / "gecode.msc")},
    }
    (tmp_path / "gecode.msc").write_text(json.dumps(config))
    (tmp_path / "list").write_text(json.dumps([config]))
    listing = f"[ \"$1\" = --solvers-json ] && exec /bin/cat '{tmp_path}/list'"
    named = script(tmp_path / "minizinc", f"{listing}\nexec '{real.minizinc.executable}' \"$@\"")
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(named))
    report = examine()
    assert report.minizinc.ok
    assert not report.ok
    assert [finding.ok for finding in report.solvers] == [False, False]
    assert "does not solve three lines" in report.solvers[1].detail
    assert OWN_COMMAND in report.solvers[1].commands


UNCOMPILED = Rules.preset("optimal").replace(vertex_sum_below=29, desert="coast")
"""Rules of no other test: a process keeps the models that it has compiled."""
DROP_CAPABILITY, CAP_SYS_RESOURCE = 24, 24
USE_SOLVERS = """
import catan_cp
from catan_cp.setup.doctor import examine
print(examine().text())
print(len(list(catan_cp.enumerate_terrains("blog", limit=2))))
print(catan_cp.generate_board("optimal", method="solver", seed=1).has_markers)
print(catan_cp.count_solutions("var 1..40: x; var 1..40: y; var 1..40: z; constraint x + y + z > 9;"))
"""


@pytest.mark.solver
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_lower_memory_limit_stays(tmp_path):
    if find_solver().minizinc.portable:
        pytest.skip("WebAssembly reserves more address space than the limit of this test")
    import resource

    libc = ctypes.CDLL(None)

    def limit_address_space():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        libc.prctl(DROP_CAPABILITY, CAP_SYS_RESOURCE, 0, 0, 0)  # root may not raise the limit again either

    result = python(["-c", USE_SOLVERS], tmp_path, preexec_fn=limit_address_space)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "All is well." in lines and lines[-3:] == ["2", "True", "63916"]


@pytest.mark.solver
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_doctor_applies_memory_limit(monkeypatch):
    if find_solver().minizinc.portable:
        pytest.skip("the portable solver has no such limit")
    monkeypatch.setattr("catan_cp.solving.find.MEMORY", 1 << 20)
    report = examine()
    assert not report.ok and not any(finding.ok for finding in report.solvers)
    with pytest.raises(SolverFailed):
        generate_board(UNCOMPILED, method="solver", seed=1)


def test_one_solver_is_enough():
    finding = Finding("MiniZinc", True, "2.6.4, PATH, /usr/bin/minizinc")
    chuffed = Finding("chuffed", False, "none", ("first command", "second command"))
    report = Report(finding, (chuffed, Finding("gecode", True, "6.2.0")), Finding("models", True, "/models"))
    assert report.ok
    assert report.text().splitlines() == [
        "MiniZinc  ok  2.6.4, PATH, /usr/bin/minizinc",
        "chuffed   --  none",
        "              install it with: first command",
        "              or with: second command",
        "gecode    ok  6.2.0",
        "models    ok  /models",
        "Boards can be generated, without chuffed.",
    ]
    whole = Report(finding, (Finding("gecode", True, ""),), Finding("models", True, ""))
    assert whole.text().endswith("All is well.")
    assert not Report(finding, (), whole.models).ok
    damaged = Report(finding, whole.solvers, Finding("models", False, ""))
    assert not damaged.ok
    assert damaged.text().endswith("Boards cannot be generated without the models.")


@pytest.mark.parametrize(
    ("system", "release", "command"),
    [
        ("Linux", {"ID": "debian", "VERSION_ID": "13"}, "sudo apt-get install minizinc gecode-flatzinc "),
        ("Linux", {"ID": "debian", "VERSION_ID": "12"}, "sudo snap install minizinc --classic"),
        ("Linux", {"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "24.04"}, "sudo snap install "),
        ("Linux", {"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "25.10"}, "sudo apt-get install "),
        ("Linux", {"ID": "linuxmint", "ID_LIKE": "ubuntu debian", "VERSION_ID": "99"}, "sudo snap install "),
        ("Linux", {"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install "),
        ("Linux", {"ID": "manjaro", "ID_LIKE": "arch"}, "yay "),
        ("Linux", {}, "unpack MiniZinc's bundled binary release into FOLDER, then: "),
        ("Darwin", None, "brew "),
        ("Windows", None, "winget "),
    ],
)
def test_machines_and_their_commands(system, release, command):
    assert other_command(system, release).startswith(command)


def test_conda_remembers_minizinc(tmp_path, monkeypatch):
    assert other_command("Linux", {}).endswith("export CATAN_CP_MINIZINC=FOLDER/bin")
    (tmp_path / "conda-meta").mkdir()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert other_command("Linux", {}).endswith("conda env config vars set CATAN_CP_MINIZINC=FOLDER/bin")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("solver", [True, False])
def test_make_board_goes_on_without_solver(solver, tmp_path):
    """Its board needs none."""
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "catan-cp", f'[ "$1" = generate ] && echo made || exit {int(not solver)}')
    command = ["make", "-s", "-o", ".venv/installed", "board", f"BIN={tmp_path / 'bin'}"]
    result = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert result.returncode == 0
    assert "made\n" in result.stdout
    assert ("No solver was installed" in result.stdout) == (not solver)
