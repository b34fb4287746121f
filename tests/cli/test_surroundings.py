"""Commands in a deleted folder, with few processes, or if a parent ignores signals (POSIX)."""

import os
import signal
import subprocess
import sys

import pytest

from catan_cp import CatanError, Layout, Rules, count_terrains, save_proof
from tests.command_line import run, unmeasured

pytestmark = pytest.mark.skipif(os.name != "posix", reason="uses what POSIX has")

STUDY = ["study", "--db", "s.db", "-n", "10", "--rules", "tournament", "--seed", "1"]


def in_shell(before, words, folder, user=(), **variables):
    """Run a command of catan-cp after another command of the shell."""
    shell = [*user, "bash", "-c", f'{before} && exec "$0" -m catan_cp.cli "$@"', sys.executable]
    return subprocess.run(
        [*shell, *words],
        cwd=folder,
        env={**unmeasured(), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("words", [STUDY, ["doctor"]])
def test_deleted_working_directory(words, tmp_path):
    folder = tmp_path / "deleted"
    folder.mkdir()
    result = in_shell(f"rmdir '{folder}'", words, folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "catan-cp: the working directory must exist, but it was deleted; change to another, such as ~\n"
    )


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_limit_on_processes(limit, tmp_path):
    """The limit does not bind root, so the command runs as another user. Threads count too."""
    user = []
    if os.geteuid() == 0:
        rights = "+dac_override"  # the package may be in the home of root
        user = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
        user += [f"--inh-caps={rights}", f"--ambient-caps={rights}"]
    words = [*STUDY, "--workers", "2"]
    result = in_shell(f"ulimit -u {limit}", words, tmp_path, user, OPENBLAS_NUM_THREADS="1")
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
