"""Reading small files and writing whole ones, in one module for all rooms."""

import ast
import os
from pathlib import Path

import pytest

import catan_cp
from catan_cp import CatanError, InvalidBoard, InvalidRules, Layout, Rules
from catan_cp.files import read_small, replacing, write_whole

PACKAGE = Path(catan_cp.__file__).parent
SCRATCH = {"setup", "solving"}  # rooms that write into folders of their own, which nobody else reads
WRITING = {"write_text", "write_bytes"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    ("read", "error"), [(Rules.from_toml, InvalidRules), (Layout.from_toml, InvalidBoard)]
)
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path, read, error):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(error, match=r"pipe\.toml' is a device or a pipe; give a regular file"):
        read(tmp_path / "pipe.toml")


def test_small_files_are_read_to_their_last_byte(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_small(tmp_path / "a", 5, "note", CatanError) == "12345"
    with pytest.raises(CatanError, match=r"note '.*' is larger than 4 bytes"):
        read_small(tmp_path / "a", 4, "note", CatanError)
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfd\xc3\xa9")  # as some editors begin a file
    assert read_small(tmp_path / "a", 9, "note", CatanError) == "d\xe9"
    (tmp_path / "a").write_bytes(b"d\xe9")
    with pytest.raises(CatanError, match=r"note '.*' is not text: .utf-8. codec can't decode byte 0xe9"):
        read_small(tmp_path / "a", 9, "note", CatanError)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "a.csv"
    write_whole(target, "old\n")
    with pytest.raises(RuntimeError), replacing(target) as beside:
        beside.write_text("half")
        assert target.read_text() == "old\n"
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    with pytest.raises(CatanError, match=r"cannot write '.*': No such file or directory"):
        write_whole(tmp_path / "none" / "a.csv", b"")


def test_no_other_module_writes_files_for_users():
    """All results go through `replacing`, so that none is ever half written."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in WRITING and room not in SCRATCH:
                found.add(path.relative_to(PACKAGE).as_posix())
    assert found == {"files.py"}
