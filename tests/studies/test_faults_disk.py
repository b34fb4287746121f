"""Full disks, read-only places, jumping clocks, and two processes that write at once.

If the system allows mounts, the disks are real ones of a few kB, or read-only. Limits on the length of
files work everywhere and have a similar effect.
"""

import random
import re
import resource
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from catan_cp import (
    Board,
    CatanError,
    Rules,
    SolverFailed,
    Store,
    enumerate_terrains,
    generate_board,
    save_picture,
)
from catan_cp.solving.find import find_minizinc  # no public function returns the program
from tests.command_line import python, read_only, run, small_disk
from tests.kills import BOARD, alive
from tests.stored import BOARDS, everything, names_in, random_boards, score

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses what Linux has")


@pytest.fixture(autouse=True)
def no_half_written_modules(monkeypatch):
    """Under a limit, Python would write incomplete compiled modules, and read them later."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


def only_line(result):
    """The one line with which a command failed, without its name."""
    assert (result.returncode, result.stdout) == (1, ""), result
    lines = [line for line in result.stderr.splitlines() if line.startswith("catan-cp: ")]
    assert len(lines) == 1 and "Traceback" not in result.stderr, result.stderr
    return lines[0].removeprefix("catan-cp: ")


@contextmanager
def files_of_at_most(size):
    """A limit on the length of the files that this process writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# Under a picture


@pytest.mark.parametrize("name", ["board.png", "board.svg", "board.pdf"])
def test_limit_under_picture(tmp_path, name):
    board, path = generate_board("tournament", seed=1), tmp_path / name
    before = save_picture(board, path).read_bytes()
    message = f"cannot write '{path}': File too large"
    with files_of_at_most(9000), pytest.raises(CatanError, match=re.escape(message)):
        save_picture(board, path, force=True)
    assert path.read_bytes() == before and names_in(tmp_path) == [name]


@pytest.mark.slow
def test_full_disk_under_picture(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["-m", "catan_cp.cli", "plot", BOARD, "--save", str(disk / "board.png")]
    code = f"import os, sys, runpy, atexit; atexit.register(lambda: print(os.listdir({str(disk)!r}))); "
    code += f"sys.argv = {words[1:]!r}; runpy.run_module('catan_cp.cli', run_name='__main__')"
    result = python(["-c", code], tmp_path, small_disk(disk, "4k"))
    assert (result.returncode, result.stdout) == (1, "[]\n")
    assert f"catan-cp: cannot write '{disk / 'board.png'}': No space left on device" in result.stderr


# Under temporary files


@pytest.mark.parametrize(
    ("size", "disk"), [(2000, ""), (None, "8k"), pytest.param(None, "4k", marks=pytest.mark.slow)]
)
def test_full_disk_under_compiler(tmp_path, size, disk):
    """Under a limit, on a full disk, or on one with space for the input but not for the output."""
    (tmp_path / "tmp").mkdir()
    before = small_disk(tmp_path / "tmp", disk) if disk else ""
    with files_of_at_most(size) if size else nullcontext():
        result = run(["enumerate", "terrain"], tmp_path, before=before)
    assert "make room, or set TMPDIR to another" in only_line(result)
    assert disk or "File too large" in only_line(result)
    assert not alive(tmp_path) and not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("size", [0, pytest.param(1000, marks=pytest.mark.slow), None])
def test_full_disk_under_solver(scratch, monkeypatch, size):
    """The model is compiled already. There is space for nothing or a part, or the folder is missing."""
    listed = list(enumerate_terrains("blog"))
    message = "cannot write the model for (chuffed|gecode) into a temporary folder .*make room, or set TMPDIR"
    with files_of_at_most(size) if size is not None else nullcontext(), monkeypatch.context() as patched:
        if size is None:
            patched.setattr("tempfile.tempdir", "/nowhere/at/all")
            with pytest.raises(CatanError, match="/nowhere/at/all"):  # this model is not compiled yet
                list(enumerate_terrains(Rules(symmetry="corners", desert="centre")))
        with pytest.raises(SolverFailed, match=message):
            list(enumerate_terrains("blog"))
    assert not alive(scratch)
    assert list(enumerate_terrains("blog")) == listed


def test_full_disk_behind_standard_output(tmp_path):
    command = ["sh", "-c", 'exec "$0" "$@" > /dev/full', sys.executable, "-m", "catan_cp.cli"]
    result = subprocess.run([*command, "enumerate", "terrain"], capture_output=True, text=True, check=False)
    assert only_line(result) == "cannot write to standard output: No space left on device"


# Under a store


FILL = """
import os, resource, shutil, sys
from catan_cp import CatanError
from tests.stored import random_boards, score
if sys.argv[3] == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    score(sys.argv[1], random_boards(160, seed=7))
except CatanError as error:
    print(error)
folder = os.path.dirname(sys.argv[1])
print(sorted(set(os.listdir(folder)) - {"study.db-journal"}))
shutil.copytree(folder, sys.argv[2])
"""


@pytest.mark.parametrize("how", ["limit", pytest.param("disk", marks=pytest.mark.slow)])
def test_full_disk_under_store(tmp_path, how):
    """The stored part is kept, and the study resumes elsewhere as if nothing had happened."""
    disk, stored, whole = tmp_path / "disk", tmp_path / "kept" / "study.db", tmp_path / "whole.db"
    disk.mkdir()
    words = ["-c", FILL, str(disk / "study.db"), str(stored.parent), how]
    before = small_disk(disk, "120k") if how == "disk" else ""
    result = python(words, tmp_path, before, {"PYTHONPATH": str(ROOT)})
    assert result.returncode == 0, result.stderr
    output, names = result.stdout.splitlines()
    assert "cannot write the store" in output and "make room, then call again" in output
    assert names == "['study.db']"  # SQLite may leave data beside it if the disk is full
    with Store(stored) as store:
        assert 0 < store.study().boards < 160 and store.study().boards % 10 == 0
    for path in (stored, whole):
        score(path, random_boards(160, seed=7))
    assert everything(stored) == everything(whole)
    assert names_in(stored.parent) == ["study.db"]


AT_ONCE = """
import sys
from catan_cp import CatanError
from tests.stored import random_boards, score
boards = random_boards(200, seed=int(sys.argv[2]))
sys.stdin.readline()
try:
    score(sys.argv[1], boards, name=sys.argv[2])
except CatanError as error:
    print(error)
"""


@pytest.mark.slow
def test_two_studies_on_one_store(tmp_path):
    """Begun at once, one writes after the other or is told to wait. Called again alone, both are whole."""
    path, pipes = tmp_path / "study.db", dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    for names in (["1", "2"], ["1"], ["2"]):
        words = [[sys.executable, "-c", AT_ONCE, str(path), name] for name in names]
        processes = [subprocess.Popen(command, text=True, cwd=ROOT, **pipes) for command in words]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        results = [process.communicate(timeout=300) for process in processes]
        assert not any(process.returncode for process in processes)
        assert not any(errors for _, errors in results)
        refused = [output for output, _ in results if output]
        assert len(refused) < len(names) and all("another run writes the store" in text for text in refused)
    with Store(path) as store:
        assert {study.name: study.boards for study in store.studies()} == {"1": 200, "2": 200}
    assert names_in(tmp_path) == ["study.db"]


def test_clock_that_jumps_changes_no_study(tmp_path, monkeypatch):
    score(tmp_path / "calm.db", BOARDS[:20], n=20)
    rng, updates = random.Random(1), []
    for clock in ("time", "time_ns"):
        monkeypatch.setattr(time, clock, lambda: rng.choice((0, 10**18, -(10**9))))
    score(tmp_path / "wild.db", BOARDS[:20], n=20, progress=updates.append)
    assert updates[-1].done == 20
    begun = [update for update in updates if update.done]  # before the first board, the rate is unknown
    assert all(1 < update.rate < 1e6 and 0 <= update.seconds_left < 60 for update in begun)
    assert everything(tmp_path / "wild.db") == everything(tmp_path / "calm.db")
    assert generate_board(seed=1, timeout=60) == generate_board(seed=1)


# Under the private copy


@pytest.mark.slow
def test_cache_read_only_serves_all_same(tmp_path):
    """A complete copy is used.

    If there is none, none can be installed.
    """
    cache = tmp_path / "cache"
    (cache / "catan-cp").mkdir(parents=True)
    home = {"XDG_CACHE_HOME": str(cache), "CATAN_CP_MINIZINC": "", "PATH": "/usr/bin:/bin"}
    result = run(["doctor", "--install"], tmp_path, before=read_only(cache), environment=home)
    assert re.match("no (private copy of MiniZinc|portable solver) could be installed: ", only_line(result))
    assert "Read-only file system" in only_line(result) and "another way: " in only_line(result)
    copy = find_minizinc().executable.parent.parent
    (cache / "catan-cp/minizinc").symlink_to(copy)
    words = ["generate", "--rules", "blog", "--seed", "1", "-f", "notation"]
    result = run(words, tmp_path, before=read_only(cache), environment=home)
    lines = [
        line for line in result.stderr.splitlines() if not line.startswith("no board yet")
    ]  # busy machine
    assert (result.returncode, lines) == (0, [])
    assert not Rules.preset("blog").check(Board.from_notation(result.stdout.strip()))
    if shutil.which("apt-get"):
        result = run(["doctor", "--install"], tmp_path, before=read_only(cache), environment=home)
        assert result.returncode == 0, result.stderr
        assert f"{cache / 'catan-cp/minizinc/bin/minizinc'} is installed, and solves" in result.stderr
    assert [path.name for path in (cache / "catan-cp").iterdir()] == ["minizinc"]
