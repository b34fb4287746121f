"""The private copy: installed into an empty cache, killed, raced, moved, repaired and rejected."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import SolverFailed, SolverNotFound

# Inner, because `doctor --install` tries other sources too, and no download may happen in these tests.
from catan_cp.setup import install, sources
from tests.conftest import script
from tests.kills import alive, wait_for

_CODE = """
from catan_cp.setup.install import install_private_copy
print(install_private_copy(lambda line: print(line, flush=True)))
"""


@pytest.fixture(scope="module")
def debian():
    """Skip on a machine that has no apt with a Debian archive."""
    try:
        sources.debian_mirror()
    except sources.DownloadFailed as problem:
        pytest.skip(str(problem))


@pytest.fixture
def final(cache):
    """The folder of the private copy."""
    return cache / "catan-cp/minizinc"


def start():
    """Start an install in a separate process. Its progress can be read line by line."""
    return subprocess.Popen(
        [sys.executable, "-c", _CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def read_until(process, pattern):
    assert process.stdout is not None and process.stderr is not None
    if not any(re.search(pattern, line) for line in process.stdout):
        pytest.fail(f"{pattern!r} never came; the install said {process.stderr.read()}")


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has a umask")
def test_copy_is_private_under_any_umask(cache, final, doctor, monkeypatch):
    answer = "echo MiniZinc, version 2.9.2; echo 'x = 5;'; echo 'y = 7;'"
    monkeypatch.setattr(
        sources, "build_native", lambda work, copy, progress: script(copy / "bin/minizinc", answer)
    )
    before = os.umask(0)
    try:
        assert install.install_private_copy(lambda line: None) == final
        assert "2.9.2, private copy" in doctor()
        assert os.umask(0) == 0  # the umask of the process is as before
        (final / "bin").chmod(0o777)
        report = doctor()
    finally:
        os.umask(before)
    assert "make it private (chown, chmod -R go-w)" in report
    assert "install it with" not in report


@pytest.mark.slow
def test_real_install_under_disturbances(debian, cache, final, tmp_path):
    """One test, because an install downloads: killed, interrupted, then twice at once, repeated, moved."""
    home = final.parent
    killed = start()
    read_until(killed, "downloading")
    killed.kill()
    killed.communicate()
    wait_for(lambda: not alive(cache))  # apt went on for a minute
    assert not final.exists()
    assert len(list(home.glob("unfinished-*"))) == 1

    interrupted = start()
    read_until(interrupted, "downloading")
    interrupted.send_signal(signal.SIGINT)
    interrupted.communicate()
    assert interrupted.returncode != 0
    assert [path.name for path in home.iterdir()] == ["install.lock"]
    wait_for(lambda: not alive(cache), 5)

    first = start()
    read_until(first, "asking apt")
    second = start()
    outputs = [process.communicate() for process in (first, second)]
    assert [process.returncode for process in (first, second)] == [0, 0], outputs
    assert [out.splitlines()[-1] for out, _ in outputs] == [str(final)] * 2
    assert "waiting for another install" in outputs[1][0]
    assert "downloading" not in outputs[1][0]
    assert sorted(path.name for path in home.iterdir()) == ["install.lock", "minizinc"]

    size = sum(path.stat().st_size for path in final.rglob("*") if not path.is_symlink())
    assert size < 150e6
    solvers = (final / "share/minizinc/solvers").iterdir()
    assert sorted(path.name for path in solvers) == ["chuffed.msc", "gecode.msc"]

    lines: list[str] = []
    assert install.install_private_copy(lines.append) == final
    assert lines == [f"the copy in {final} is in order"]

    moved = Path(shutil.move(final, tmp_path / "moved"))
    (tmp_path / "link").symlink_to(moved / "bin/minizinc")
    for program in (moved / "bin/minizinc", tmp_path / "link"):
        for solver in ("gecode", "chuffed"):
            words = [program, "--solver", moved / f"share/minizinc/solvers/{solver}.msc", "-"]
            model = "var 1..9: x; constraint x > 8;"
            result = subprocess.run(words, input=model, capture_output=True, text=True, check=True)
            assert "x = 9;" in result.stdout
    words = [moved / "bin/minizinc", "--solver", "gecode", "--input-from-stdin"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as reading:
        # The process that we started becomes the program itself.
        command = Path(f"/proc/{reading.pid}/cmdline")
        wait_for(lambda: str(moved / "bin/../libexec/minizinc") in command.read_text())
        reading.kill()


@pytest.mark.parametrize(
    ("lacking", "message"),
    [
        ("keys", r"NO_PUBKEY.*is not signed; another way: "),
        ("network", r"apt-get -q update fails .*another way: "),
    ],
)
def test_no_keys_and_no_network(lacking, message, debian, cache, tmp_path, monkeypatch):
    if lacking == "keys":
        (tmp_path / "keys.gpg").touch()
        monkeypatch.setattr(sources, "_KEYRINGS", (tmp_path / "keys.gpg",))
    else:
        monkeypatch.setattr(sources, "debian_mirror", lambda: "http://127.0.0.1:9/debian")
        monkeypatch.setattr(sources, "_SETTINGS", sources._SETTINGS + 'Acquire::Retries "0";\n')
    with pytest.raises(SolverNotFound, match=message) as caught:
        install.install_private_copy(lambda line: None)
    assert "\n" not in str(caught.value)
    assert [path.name for path in (cache / "catan-cp").iterdir()] == ["install.lock"]


def test_broken_copy_replaced_whole(final, monkeypatch):
    final.mkdir(parents=True)
    (final / "broken").touch()

    def fail(work, copy, progress):
        copy.mkdir()
        raise OSError("no space left")

    def try_solver(program, choice):
        if not (program.parents[1] / "whole").exists():
            raise SolverFailed("not whole")

    monkeypatch.setattr("catan_cp.solving.find.try_solver", try_solver)
    monkeypatch.setattr(sources, "build_native", fail)
    with pytest.raises(SolverNotFound, match="no space left; another way: "):
        install.install_private_copy(lambda line: None)
    assert [path.name for path in final.iterdir()] == ["broken"]
    monkeypatch.setattr(
        sources, "build_native", lambda work, copy, progress: (copy / "whole").mkdir(parents=True)
    )
    install.install_private_copy(lambda line: None)
    assert [path.name for path in final.iterdir()] == ["whole"]
    assert sorted(path.name for path in final.parent.iterdir()) == ["install.lock", "minizinc"]


@pytest.mark.parametrize(
    ("known", "unknown", "answer"),
    [
        ("Ubuntu|Ubuntu|noble|http://u/ubuntu/", "", "no Debian archive, only http://u/ubuntu/"),
        ("", "||noble|http://u/ubuntu/", "no Debian archive, only http://u/ubuntu/"),
        ("", "", "no Debian archive, only none at all"),
        ("Raspbian|Raspbian|bookworm|http://r/raspbian/", "", "no Debian archive"),
        ("Debian|Debian-Security|bookworm-security|http://d/security/", "", "no Debian archive"),
        ("Debian|Debian|bookworm|cdrom:[x]/", "", "no Debian archive"),
        ("Debian|Debian|bookworm|http://d/debian/", "", "http://d/debian/"),
        ("", "$(ORIGIN)|$(LABEL)|bookworm|http://d/debian/", "http://d/debian/"),
        ("x|x|s|http://x/\nDebian|Debian|sid|http://d/debian/", "", "http://d/debian/"),
    ],
)
def test_mirror_is_one_that_apt_uses(known, unknown, answer, tmp_path, monkeypatch):
    (tmp_path / "known").write_text(known)
    (tmp_path / "unknown").write_text(unknown)
    text = "f=known; for a; do [ $a = --no-release-info ] && f=unknown; done"
    for tool in ("apt-get", "apt-config", "dpkg-deb"):
        script(tmp_path / tool, f"{text}\nexec /bin/cat '{tmp_path}'/$f")
    monkeypatch.setenv("PATH", str(tmp_path))
    if answer.startswith("http"):
        assert sources.debian_mirror() == answer
    else:
        with pytest.raises(sources.DownloadFailed, match=re.escape(answer)):
            sources.debian_mirror()
