"""Reading small files and writing whole ones, in one module for all packages."""

import errno
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from catan_cp import (
    Board,
    CatanError,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    Study,
    Tournament,
    copy_models,
    save_picture,
    save_proof,
)
from catan_cp.files import is_private, shared_place  # they decide where numba stores compiled functions
from catan_cp.tournament import Round, save_kit
from tests.conftest import script
from tests.kills import wait_for

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
NAMES = ("Ann", "Bob", "Cem", "Dot")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    ("reader", "error"), [(Rules.from_toml, InvalidRules), (Layout.from_toml, InvalidBoard)]
)
def test_named_pipe_rejected(tmp_path, reader, error):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(error, match=r"pipe\.toml' is a device or a pipe; give a regular file"):
        reader(tmp_path / "pipe.toml")


def test_rules_file_of_some_editors(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf# d\xc3\xa9sert\nreds_apart = true")
    assert Rules.from_toml(tmp_path / "a.toml") == Rules(reds_apart=True)
    (tmp_path / "a.toml").write_bytes(b"# d\xe9sert")
    with pytest.raises(InvalidRules, match=r"is not text in UTF-8; save it as UTF-8 .*0xe9"):
        Rules.from_toml(tmp_path / "a.toml")


DOTS = "a." * 900 + "a = 1"  # 60,000 dots in one key take gigabytes in tomllib


@pytest.mark.parametrize(
    "text",
    [
        DOTS,
        f"[{DOTS.removesuffix(' = 1')}]",
        f"b = {{ {DOTS} }}",
        DOTS.replace("a.", '"a".'),
        DOTS.replace("a.", "'#' . "),
        f'# """\n{DOTS}\n# """',
        f'b = """\\""" \n"""\n{DOTS}\nc = """ """',
        f'b = {{ c = """ """", {DOTS}, d = "" }}',
        f"b = {{ c = ''' '''', {DOTS}, d = '' }}",
    ],
)
@pytest.mark.parametrize(
    ("reader", "error"), [(Rules.from_toml, InvalidRules), (Layout.from_toml, InvalidBoard)]
)
def test_long_keys_rejected_early(tmp_path, reader, error, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(error, match="a line must have at most 64 dots outside strings"):
        reader(path)


def test_dots_in_strings(tmp_path):
    path = tmp_path / "mine.toml"
    dots = "." * 99
    path.write_text(f"""title = "{dots}" # {dots}\nremarks = '{dots}'\nboard = '''\nd\n''' # {dots}\n""")
    assert Layout.from_toml(path).title == dots


def test_longest_stored_layout(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("board = '''\nd\n'''\n#" + "." * 70_000)
    with pytest.raises(InvalidBoard, match="larger than 65536 bytes"):
        Layout.from_toml(path)
    facts = json.loads(Study(1, "open", "mini").to_json())
    facts["layout"] = f"mine\n{path.read_text()}"
    with pytest.raises(InvalidBoard, match="the stored layout 'mine' must have at most 65,536 characters"):
        Study.from_json(json.dumps(facts))


PLAN = Tournament(NAMES, (Round(BOARD, (NAMES,)),), (0, 0), (0, 0))


def test_file_replaced_atomically(tmp_path):
    target = tmp_path / "kit.pdf"
    target.write_text("old")

    def stop(_):
        assert target.read_text() == "old"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        save_kit(PLAN, target, force=True, progress=stop)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("has_links", [True, False])
def test_file_that_appears_meanwhile_kept(tmp_path, monkeypatch, has_links):
    if not has_links:  # as on a FAT disk
        monkeypatch.setattr(os, "link", lambda *_, **__: Path("no such file").stat())
    target = tmp_path / "kit.pdf"
    with pytest.raises(InvalidArgument, match=r"kit\.pdf' exists; choose another name, or overwrite it"):
        save_kit(PLAN, target, progress=lambda _: target.write_text("of another run"))
    assert target.read_text() == "of another run"
    save_picture(BOARD, tmp_path / "new.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kit.pdf", "new.svg"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_stopped_process_leaves_no_file(tmp_path, name):
    code = f"""
import os, signal
from pathlib import Path
from catan_cp.files import whole_file
with whole_file(Path("a.csv"), force=False) as beside:
    beside.write_bytes(bytes(100_000))
    if signal.{name} != signal.SIGKILL:
        signal.signal(signal.{name}, signal.SIG_DFL)  # which `nohup` ignores
    os.kill(os.getpid(), signal.{name})
"""
    folder = tmp_path / "work"
    folder.mkdir()
    result = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, timeout=60)
    assert result.returncode == -getattr(signal, name)
    wait_for(lambda: not list(folder.iterdir()))


@pytest.mark.parametrize("is_new", [True, False])
def test_folder_filled_atomically(tmp_path, monkeypatch, is_new):
    copies, folder = itertools.count(), tmp_path / "folder"
    if not is_new:
        folder.mkdir()

    def copy(source, target):
        Path(target).write_bytes(Path(source).read_bytes())
        if next(copies):
            raise OSError(errno.ENOSPC, "No space left on device")

    model = "var 1..3: x; constraint x > 2; constraint x < 3;"
    prover = script(tmp_path / "bin" / "cadical", 'echo 0 > "$4"; exit 20')
    monkeypatch.setenv("PATH", f"{prover.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("catan_cp.search.proofs.find_spec", lambda name: None)
    with monkeypatch.context() as full:
        full.setattr("shutil.copyfile", copy)
        with pytest.raises(CatanError, match="No space left on device"):
            save_proof(model=model, folder=folder)
        with pytest.raises(CatanError, match="No space left on device"):
            copy_models(folder)
    assert folder.exists() is not is_new
    assert not is_new or list(tmp_path.iterdir()) == [prover.parent]

    def copy_late(source, target):
        Path(target).touch()
        (folder / "markers.mzn").touch()  # by another program

    folder.mkdir(exist_ok=True)
    with monkeypatch.context() as late:
        late.setattr("shutil.copyfile", copy_late)
        with pytest.raises(CatanError, match=r"markers\.mzn"):
            copy_models(folder)
    assert [path.name for path in folder.iterdir()] == ["markers.mzn"]
    (folder / "markers.mzn").unlink()
    save_proof(model=model, folder=folder)
    names = "check_proof.py clauses.cnf note.txt proof.drat proof.lrat"
    assert sorted(path.name for path in folder.iterdir()) == names.split()


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
def test_folder_above_counts_as_folder_itself(tmp_path):
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    assert is_private(inner)
    assert is_private(inner / "missing")
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    for place in (tmp_path / "a", tmp_path / "a" / "b"):
        place.chmod(0o777)
        assert shared_place(inner) == place
        assert not is_private(inner / "missing")
        assert not is_private(tmp_path / "link" / "c")
        place.chmod(0o1777)  # sticky: others may not rename what is in it
        assert is_private(inner)
        place.chmod(0o755)
    inner.chmod(0o1777)
    assert not is_private(inner)
    if os.geteuid() == 0:  # only root gives files away
        inner.chmod(0o755)
        os.chown(tmp_path / "a", 65_534, 0)
        assert shared_place(inner) == tmp_path / "a"


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
def test_group_writable_folder_is_shared(tmp_path, monkeypatch):
    """The group may differ if it has the name of its user, as on systems with one group per user."""
    import grp
    import pwd

    place = tmp_path / "a"
    place.mkdir()
    os.chown(place, -1, os.getgid() or 65_534)  # the group of root is the system's
    for name, is_shared in (("others", True), (pwd.getpwuid(os.geteuid()).pw_name, False)):
        monkeypatch.setattr(grp, "getgrgid", lambda _, name=name: SimpleNamespace(gr_name=name))
        place.chmod(0o770)
        assert (shared_place(place) == place) == is_shared
        place.chmod(0o750)
        assert is_private(place)
