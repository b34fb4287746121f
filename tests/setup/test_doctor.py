"""Findings of doctor on a bare machine, on a broken one, and on this one."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import Rules, SolverFailed, generate_board
from tests.command_line import python
from tests.conftest import list_program, script, stand_in

INSTALL = "catan-cp doctor --install"


def test_bare_machine_gets_every_command(bare_machine, doctor, monkeypatch):
    report = doctor()
    parts = re.findall(r"(?m)^(\w+) +(ok|--) ", report)
    assert parts == [("MiniZinc", "--"), ("chuffed", "--"), ("gecode", "--"), ("models", "ok")]
    assert len(re.findall(rf" with: {INSTALL}\n +or with: \S", report)) == 3
    assert "by methods that need none, such as: catan-cp generate --rules tournament\n" in report
    assert generate_board("tournament", seed=1).has_markers  # as the report says
    monkeypatch.setenv("CATAN_CP_MINIZINC", "/nowhere")
    assert "CATAN_CP_MINIZINC is set to '/nowhere'" in doctor()


def test_this_machine_solves(installed, doctor):
    report = doctor()
    assert report.endswith("All is well.\n")
    assert str(installed["gecode"].minizinc.executable) in report
    for name, solver in installed.items():
        assert re.search(rf"{name} +ok +{solver.version}, solves", report)
    assert (Path(re.search("models +ok +(.*)", report)[1]) / "board.mzn").is_file()


@pytest.mark.parametrize(
    "solver", ["echo 'libfoo.so: missing' >&2; exit 127", "echo '=====UNSATISFIABLE====='", "kill -9 $$"]
)
def test_installed_solver_without_solutions(solver, installed, doctor, tmp_path, monkeypatch):
    """MiniZinc lists a script as Gecode, and no Chuffed."""
    real = installed["gecode"]
    entry = list_program(real.entry, script(tmp_path / "fzn-gecode", solver), tmp_path / "gecode.msc")
    named = stand_in(tmp_path, real.minizinc.executable, [entry])
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(named))
    chuffed, gecode = re.search(r"(?s)(chuffed +--.*)(gecode +--.*)models +ok", doctor()).groups()
    assert "does not solve three lines" in gecode
    assert f" with: {INSTALL}\n" in chuffed and f" with: {INSTALL}\n" in gecode


def test_one_solver_is_enough(fake, doctor):
    fake.add("gecode")
    with_extra = re.sub(r"(or with: |models    ok  )(?!catan-cp).*", r"\1...", doctor())
    report = re.sub(r"install it with: pip .*\n +or with: ", "install it with: ", with_extra)
    assert report.splitlines() == [
        f"MiniZinc  ok  2.8.0, CATAN_CP_MINIZINC, {fake.program}",
        f"chuffed   --  MiniZinc 2.8.0 at {fake.program} has no chuffed",
        f"              install it with: {INSTALL}",
        "              or with: ...",
        f"gecode    ok  6.2.0, solves, lists in order, {fake.bin / 'fzn-gecode'}",
        "models    ok  ...",
        "Boards can be generated, without chuffed.",
    ]


# The limit of memory


UNCOMPILED = Rules.preset("optimal").replace(vertex_sum_below=29, desert="coast")
"""Rules of no other test: a process keeps the models that it has compiled."""
DROP_CAPABILITY, CAP_SYS_RESOURCE = 24, 24
USE_SOLVERS = """
import catan_cp
from catan_cp.cli import main
try:
    main(["doctor"])
except SystemExit as ended:
    print(ended.code)
print(len(list(catan_cp.enumerate_terrains("blog", limit=2))))
print(catan_cp.generate_board("optimal", method="solver", seed=1).has_markers)
print(catan_cp.count_solutions("var 1..40: x; var 1..40: y; var 1..40: z; constraint x + y + z > 9;"))
"""


@pytest.mark.solver
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_lower_memory_limit_stays(installed, tmp_path):
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
def test_doctor_applies_memory_limit(installed, doctor, monkeypatch):
    monkeypatch.setattr("catan_cp.solving.find.MEMORY", 1 << 20)
    assert re.search("(?m)^chuffed +--.*\n(.+\n)+gecode +--", doctor())
    with pytest.raises(SolverFailed):
        generate_board(UNCOMPILED, method="solver", seed=1)


UNPACK = "unpack MiniZinc's bundled binary release into FOLDER, then: "
CONDA = f"{UNPACK}conda env config vars set CATAN_CP_MINIZINC=FOLDER/bin"
MACHINES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "sudo apt-get install minizinc gecode-flatzinc ": [
        ("Linux", {"ID": "debian", "VERSION_ID": "13"}),
        ("Linux", {"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "25.10"}),
    ],
    "sudo snap install minizinc --classic": [
        ("Linux", {"ID": "debian", "VERSION_ID": "12"}),
        ("Linux", {"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "24.04"}),
        ("Linux", {"ID": "linuxmint", "ID_LIKE": "ubuntu debian", "VERSION_ID": "99"}),
    ],
    "sudo dnf install ": [("Linux", {"ID": "rocky", "ID_LIKE": "rhel centos fedora"})],
    "yay ": [("Linux", {"ID": "manjaro", "ID_LIKE": "arch"})],
    f"{UNPACK}export CATAN_CP_MINIZINC=FOLDER/bin": [("Linux", {})],
    CONDA: [("Linux", {})],
    "brew ": [("Darwin", {})],
    "winget ": [("Windows", {})],
}


@pytest.mark.parametrize("command", MACHINES)
def test_machines_and_their_commands(command, bare_machine, doctor, tmp_path, monkeypatch):
    if command == CONDA:
        (tmp_path / "conda-meta").mkdir()
        monkeypatch.setattr("sys.prefix", str(tmp_path))
    for system, release in MACHINES[command]:
        monkeypatch.setattr("platform.system", lambda system=system: system)
        monkeypatch.setattr("platform.freedesktop_os_release", lambda release=release: release)
        assert f"or with: {command}" in doctor()


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
