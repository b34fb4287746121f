"""Commands in a deleted folder, with few processes, or if a parent ignores signals (POSIX)."""

import os
import signal
import subprocess
import sys

import pytest

from catan_cp import CatanError, Layout, Rules, count_terrains, save_proof
from tests.command_line import run, unmeasured

pytestmark = pytest.mark.skipif(os.name != "posix", reason="uses what POSIX has")

BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
COMMANDS = [
    "study --db s.db -n 10 --rules tournament --seed 1",
    "generate --rules tournament --save x.png",
    "enumerate terrain --rules blog",
    f"play {BOARD} --games 4",
    "doctor",
]


def in_shell(before, words, folder):
    """Run a command of catan-cp after another command of the shell."""
    command = f'{before} && exec "$0" -m catan_cp.cli "$@"'
    return subprocess.run(
        ["bash", "-c", command, sys.executable, *words],
        cwd=folder,
        env=unmeasured(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_deleted_working_directory(command, tmp_path):
    folder = tmp_path / "deleted"
    folder.mkdir()
    result = in_shell(f"rmdir '{folder}'", command.split(), folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "catan-cp: the working directory must exist, but it was deleted; change to another, such as ~\n"
    )


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_limit_on_processes(limit, tmp_path):
    """The limit does not bind root, so the command runs as another user. Threads count too."""
    as_user = []
    if os.geteuid() == 0:
        rights = "+dac_override"  # the package may be in the home of root
        as_user = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
        as_user += [f"--inh-caps={rights}", f"--ambient-caps={rights}"]
    limited = [*as_user, "bash", "-c", f'ulimit -u {limit} && exec "$0" -m catan_cp.cli "$@"']
    result = subprocess.run(
        [*limited, sys.executable, *COMMANDS[0].split(), "--workers", "2"],
        cwd=tmp_path,
        env={**unmeasured(), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "ulimit -u" in result.stderr


FOUR = Layout("four", (1, 2, 1), {"brick": 2, "ore": 2}, {6: 2, 8: 2})
APART = "forall(t in TILE, u in neighbors[t])(terrain[t] != terrain[u])"


def test_parent_that_ignores_ends_of_programs(tmp_path):
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    (tmp_path / "four.toml").write_text(FOUR.to_toml())
    words = ["prove", "open", "four.toml", "--constraint", APART, "--save", "proof"]
    result = run(words, tmp_path, cwd=tmp_path, preexec_fn=ignore)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "proof" / "proof.drat").exists()


def test_ignored_child_signals_reported(tmp_path):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(CatanError, match="SIGCHLD must not be ignored, because the exit status"):
            save_proof(Rules(constraints=(APART,)), FOUR, folder=tmp_path / "proof")
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert count_terrains(Rules(constraints=(APART,)), FOUR) == 0


FIRST_DIGITS = "28179608796313976374"  # of 2 to the power of 15,000


def test_count_of_thousands_of_digits(tmp_path):
    (tmp_path / "bits.mzn").write_text("array[1..15000] of var 0..1: x;\nsolve satisfy;\n")
    texts = {}
    for how in ("notation", "json"):
        result = run(["count", "model", str(tmp_path / "bits.mzn"), "-f", how], tmp_path)
        assert result.returncode == 0, result.stderr
        texts[how] = result.stdout.strip()
    assert len(texts["notation"]) == 4516 and texts["notation"].startswith(FIRST_DIGITS)
    assert f'"count": {texts["notation"]},' in texts["json"]
