"""No process outlives the program: groups, kills during a start, forks, other interpreters."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from catan_cp import SolverFailed, enumerate_terrains, generate_board

# Inner, because no solver reads as slowly as these tests need.
from catan_cp.processes import run
from tests.kills import alive, wait_for
from tests.magic import magic_squares

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc")


def python(code):
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "begun\n"
    return process


LIST = "list(catan_cp.enumerate_terrains('open', solver={!r}))"
INSTANCE = "catan_cp.terrain_instance('open').solve(all_solutions=True)"
BOARD = "catan_cp.generate_board('optimal', seed=1, method='solver')"
SLEEPS = {"solver": "exec sleep 600"}
SOLVER = re.compile(r"fzn-|portable\.cjs|sleep 600")
"""Matches the command line of a process that solves."""


@pytest.mark.parametrize(
    ("code", "stand_in", "end", "sign"),
    [
        (LIST.format("chuffed"), {}, os.kill, signal.SIGINT),
        (LIST.format("gecode"), {}, os.kill, signal.SIGINT),
        (INSTANCE, {}, os.kill, signal.SIGINT),
        (INSTANCE, {}, os.kill, signal.SIGKILL),
        (BOARD, SLEEPS, os.kill, signal.SIGINT),
        (LIST.format("auto"), SLEEPS, os.kill, signal.SIGKILL),
        (LIST.format("auto"), {"compiler": "exec sleep 600"}, os.kill, signal.SIGKILL),
        (LIST.format("auto"), {"solver": "sleep 600 & exec sleep 600"}, os.killpg, signal.SIGKILL),
        # Rarely, a MiniZinc that is killed early leaves its file for the solver.
        pytest.param(LIST.format("other"), {"hangs": True}, os.kill, signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_ended_python_leaves_nothing(code, stand_in, end, sign, scratch, request):
    """A solver that searches in silence is not ended by a broken pipe.

    MiniZinc starts the other solver in a process group of its own.
    """
    if stand_in:
        request.getfixturevalue("other_solver" if "other" in code else "faulty")(**stand_in)
    process = python(f"import catan_cp; print('begun', flush=True); {code}")
    wait_for(lambda: any(SOLVER.search(line) for line in alive(scratch).values()))
    end(process.pid, sign)
    try:
        errors = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:  # Python drops a signal, with a message, while it runs a finalizer
        end(process.pid, sign)
        errors = process.communicate(timeout=60)[1]
        assert "Exception ignored in" in errors
    assert sign == signal.SIGKILL or errors.rstrip().endswith("KeyboardInterrupt")
    wait_for(lambda: not alive(scratch))
    wait_for(lambda: not list(scratch.iterdir()))


@pytest.mark.parametrize("delay", [0, 0.001, 0.004])
def test_killed_after_process_start(scratch, delay):
    """A process is watched from the moment of its start."""
    code = (
        "import os, signal, threading, time\n"
        "from catan_cp.processes import Group\n"
        "group = Group()\n"
        "print('begun', flush=True)\n"
        f"threading.Timer({delay}, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()\n"
        "while True: group.start(['sleep', '600'])\n"
    )
    process = python(code)
    process.communicate()
    wait_for(lambda: not alive(scratch))


def test_fork_leaves_its_parents_group_alone():
    squares = magic_squares(4, diagonals=False)
    next(squares)
    child = os.fork()
    if child == 0:
        squares.close()
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.2)
    assert sum(1 for _ in zip(squares, range(500), strict=False)) == 500


def test_fork_keeps_nothing_alive(faulty, scratch):
    """A child that was forked holds the pipe of no guard: one that did would keep it waiting."""
    terrain = "[2, 7, 5, 3, 4, 6, 7, 6, 5, 3, 5, 4, 7, 4, 6, 3, 5, 7, 4]"
    faulty(f"echo 'terrain = {terrain};'; echo ----------; exec sleep 600")
    code = (
        "import catan_cp, os, time\n"
        "solutions = catan_cp.enumerate_terrains('blog')\n"
        "next(solutions)\n"
        "if os.fork() == 0:\n"
        "    time.sleep(600)\n"
        "print('begun', flush=True)\n"
        "next(solutions)\n"
    )
    process = python(code)
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    # The guard as well, once it has cleared up: only the child is left.
    wait_for(lambda: all("os.fork" in line for line in alive(scratch).values()))
    for process_id in alive(scratch):
        os.kill(process_id, signal.SIGKILL)


@pytest.mark.parametrize("value", [None, "", "/nowhere/application"])
def test_interpreter_may_be_anything(monkeypatch, value):
    """In an application that embeds Python, `sys.executable` is that application, or nothing."""
    monkeypatch.setattr(sys, "executable", value)
    assert generate_board("tournament", seed=3) == generate_board("tournament", seed=3)


def test_no_watchdog_without_shell(monkeypatch, scratch):
    monkeypatch.setattr("catan_cp.processes._SHELL", "/nowhere/sh")
    assert len(list(enumerate_terrains("blog"))) == 96
    assert list(scratch.iterdir()) == []


# Output that does not end, or is too much


@pytest.mark.parametrize("script", ["sleep 600 &", "sleep 600 >&1 2>&1 & echo =====UNKNOWN====="])
def test_solver_that_leaves_its_output_open(faulty, scratch, script):
    """A child process holds the pipe.

    Without a time limit the program would wait for it.
    """
    faulty(script)
    began = time.monotonic()
    with pytest.raises(SolverFailed, match="stopped with status 0 before it was done"):
        list(enumerate_terrains("blog"))
    assert time.monotonic() - began < 60
    assert not alive(scratch)


def test_earlier_output_kept(faulty):
    faulty('REAL "$@"; sleep 600 &')
    assert len(list(enumerate_terrains("blog"))) == 96


def test_endless_complaints_fill_no_memory(faulty, scratch):
    faulty("head -c 300000000 /dev/zero >&2; echo last words >&2; exit 3")
    code = (
        "import resource, catan_cp\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    list(catan_cp.enumerate_terrains('blog'))\n"
        "except catan_cp.SolverFailed as failed:\n"
        "    assert 'last words' in str(failed), failed\n"
        "print('begun', flush=True)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    with python(code) as process:
        assert int(process.stdout.read()) < 100_000, "kB"
    assert not [path for path in scratch.iterdir() if Path(path).stat().st_size > 1_000_000]


def test_slow_program_reads_all_input(monkeypatch):
    monkeypatch.setattr("catan_cp.processes._PAUSE", 0.1)
    words = "word\n" * 100_000
    assert run(["sh", "-c", "sleep 0.5; cat"], words).stdout == words


def test_time_limit_holds_during_callback(monkeypatch):
    """A machine that pauses for a while calls it less often."""
    monkeypatch.setattr("catan_cp.processes._PAUSE", 0.3)
    calls = []
    with pytest.raises(subprocess.TimeoutExpired) as late:
        run(["sleep", "60"], timeout=1.0, waiting=lambda: calls.append(time.monotonic()))
    assert late.value.timeout == 1.0
    assert 1 <= len(calls) <= 3
