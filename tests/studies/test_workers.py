"""Python worker processes: their imports, their ends, and messages if they do not start.

The pool is not public. Studies and games use it, but choose neither the calls nor the process of a call.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from multiprocessing.spawn import get_executable
from pathlib import Path

import pytest

import catan_cp
from catan_cp import CatanError, InvalidArgument
from catan_cp.workers import Workers, cores_of, kept_workers, share_out
from tests.conftest import script
from tests.kills import wait_for

SHADOWS = ("pickle", "multiprocessing", "json", "signal", "numpy", "concurrent", "catan_cp", "sitecustomize")
USES = {
    "study": "from catan_cp import Study, run_study\n"
    "run_study(Study(4, 'open', seed=1, chunk=2), 'study.db', workers=2, progress=False)",
    "games": "from catan_cp import play_games\nfrom catan_cp import LAYOUTS\n"
    "assert len(play_games(LAYOUTS['base'].beginner_board, 600, seed=1, workers=2)) == 600",
}


@pytest.mark.parametrize(
    "use", ["study", *(pytest.param(u, marks=pytest.mark.slow) for u in USES if u != "study")]
)
def test_no_worker_imports_from_working_directory(tmp_path, use):
    """Workers of a study once ran modules from the folder of its store."""
    folder, script = tmp_path / "there", tmp_path / "script" / "run.py"
    folder.mkdir()
    script.parent.mkdir()
    for name in SHADOWS:
        (folder / f"{name}.py").write_text("open('ran', 'a').close()\nraise SystemExit('taken over')\n")
    script.write_text(USES[use])  # with no guard for `__main__`: workers do not import it either
    result = subprocess.run([sys.executable, str(script)], cwd=folder, capture_output=True, text=True)
    assert not (folder / "ran").exists()
    assert (result.returncode, result.stderr) == (0, "")


def test_checkout_as_working_directory_found(tmp_path, monkeypatch):
    monkeypatch.chdir(Path(catan_cp.__file__).parents[1])
    (number, most), *more = share_out(max, [(1, 2)], 1)
    assert (number, most, more) == (0, 2, [])


# How they end


ENDING = """
import time
from catan_cp.workers import share_out
results = share_out(time.sleep, [(0,), (600,), (600,), (600,)], 2)
print(next(results))
"""


def test_ending_program_awaits_no_call():
    """It waited for all shared chunks if some results were never taken."""
    result = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stdout, result.stderr) == (0, "(0, None)\n", "")


def test_orphaned_worker_ends_silently():
    command = [sys.executable, "-c", "from catan_cp.workers import serve; serve()"]
    orphan = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    assert (orphan.returncode, orphan.stderr) == (1, b"")


def worker_of(pool):
    return pool.submit(os.getpid).result()


def test_workers_stay_for_next_caller(monkeypatch):
    with kept_workers(1) as pool:
        first = worker_of(pool)
    with kept_workers(1) as pool, kept_workers(1) as another:
        assert worker_of(pool) == first
        spare = another._group
        assert worker_of(another) != first
    with kept_workers(1) as pool:  # of two that were kept, one is of no use any more
        assert worker_of(pool) == first
        assert not spare._end.alive
    monkeypatch.setenv("CATAN_CP_MODELS", "elsewhere")
    with kept_workers(1) as pool:
        second = worker_of(pool)
    with pytest.raises(CatanError), kept_workers(1) as pool:  # whatever they were at, they are at it no more
        assert worker_of(pool) == second
        raise CatanError
    monkeypatch.setattr("catan_cp.workers._KEPT_SECONDS", 0.0)
    with kept_workers(1) as pool:
        third = worker_of(pool)
    assert len({first, second, third}) == 3
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (first, second, third)))


def test_worker_setup_runs_once(tmp_path):
    log = tmp_path / "told"
    with Workers(1) as pool:
        pool.first(os.makedirs, str(log))
        assert pool.submit(os.listdir, str(tmp_path)).result() == ["told"]
        pool.first(os.rename, str(log), f"{log}-again")
        assert [pool.submit(os.listdir, str(tmp_path)).result() for _ in range(2)] == [["told-again"]] * 2


def test_output_of_function_is_not_result(capfd, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    with Workers(1) as pool:
        assert pool.submit(print, "words").result() is None
    assert capfd.readouterr() == ("", "words\n")


# Other programs in the place of Python


@pytest.fixture
def python():
    """Return a function that names the program of the workers."""
    before = get_executable()
    yield multiprocessing.set_executable
    multiprocessing.set_executable(before)


def dying(tmp_path, starts):
    """Return a Python that is killed while it starts, this number of times."""
    count = tmp_path / f"starts-{starts}"
    text = f'echo x >> "{count}"\n[ $(wc -l < "{count}") -gt {starts} ] || kill -KILL $$\n'
    return str(script(tmp_path / "python", f'{text}exec "{sys.executable}" "$@"'))


def test_ctrl_c_while_worker_starts(python, capfd, tmp_path):
    python(str(script(tmp_path / "python", f"touch '{tmp_path}/started'\nexec sleep 600")))

    def interrupt():
        wait_for((tmp_path / "started").exists)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), Workers(1) as pool:
        threading.Thread(target=interrupt).start()
        pool.submit(max, 1, 2).result()
    assert capfd.readouterr().err == ""


def test_worker_is_started_three_times(tmp_path, python):
    python(dying(tmp_path, 2))
    with Workers(1) as pool:
        assert pool.submit(max, 1, 2).result() == 2
    for program, words in (
        (dying(tmp_path, 3), r"ended 3 times while starting \(status -9\).*fewer workers, or workers=1"),
        ("/nowhere/python", r"cannot start '/nowhere/python'.*workers=1"),
    ):
        python(program)
        with Workers(1) as pool, pytest.raises(CatanError, match=words):
            pool.submit(max, 1, 2).result()


# Errors


def test_errors_of_workers():
    with Workers(1) as pool:
        with pytest.raises(ValueError, match="invalid literal"):
            pool.submit(int, "x").result()
        with pytest.raises(CatanError, match="JSONDecodeError"):
            pool.submit(__import__("json").loads, "{").result()
        with pytest.raises(Exception, match=r"pickle|local object"):
            pool.submit(max, lambda: 0).result()
        assert pool.submit(max, 3, 4).result() == 4
    with pytest.raises(InvalidArgument, match="workers must be a whole number from 1"):
        Workers(0)


@pytest.mark.parametrize(
    ("seats", "cores"), [(1, {0, 1}), (2, {3, 5}), (2, range(16)), (3, range(8)), (5, {0, 1})]
)
def test_workers_share_cores(seats, cores):
    shares = [cores_of(seat, seats, cores) for seat in range(seats)]
    if seats > len(cores):
        assert all(share == set(cores) for share in shares)
    else:
        assert sorted(core for share in shares for core in share) == sorted(cores)
        assert max(map(len, shares)) - min(map(len, shares)) <= 1
