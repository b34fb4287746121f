"""Files beside a store: readers change nothing, and a journal concerns only its store."""

import os
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from functools import partial

import pytest

from catan_cp import CatanError, InvalidArgument, Store, compare_studies
from catan_cp.studies import describe_study
from tests.stored import BOARDS, everything, folder_of, names_in, score

MAGIC = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture
def victim(tmp_path):
    """A file that belongs to the user."""
    (tmp_path / "victim").write_text("precious")
    return tmp_path / "victim"


def header(pages, page_size=4096):
    """The header of a hot journal without a record."""
    return (MAGIC + struct.pack(">iIIII", 0, 1, pages, 512, page_size)).ljust(512, b"\0")


def journal(pages, name=b""):
    """A hot journal without a record, which names a super-journal."""
    tail = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    return header(pages) + (tail if name else b"")


def readers(path, folder):
    """Yield each function that reads a store."""

    def asking(ask):
        def call():
            with Store(path) as store:
                ask(store)

        return call

    yield lambda: describe_study(path)
    yield lambda: compare_studies(path, path)
    for ask in (
        Store.studies,
        Store.study,
        Store.top,
        lambda store: store.row(1),
        lambda store: store.board(1),
        lambda store: store.column("value_spread"),
        lambda store: list(store.results()),
        lambda store: store.query("SELECT * FROM results ORDER BY value_spread"),
        lambda store: list(store.rows("SELECT * FROM boards")),
        lambda store: store.to_csv(folder / "out.csv", force=True),
        Store.to_frame,
        lambda store: store.to_parquet(folder / "out.parquet", force=True),
    ):
        yield asking(ask)


def in_wal_mode(_beside, path, _victim):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")


def hard_link(beside, path, victim):
    beside.write_bytes(b"\0" * 512)
    os.link(beside, path.parent.parent / "other")


def named_as_child(beside, path, victim):
    """SQLite reads the named file as a list of journals, and deletes it if none names it."""
    beside.write_bytes(journal(pages_of(path), os.fsencode(victim)))


def pages_of(path):
    return path.stat().st_size // 4096


def of_another_program(beside, path, _victim):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA application_id = 7")
    beside.write_bytes(header(1))


BESIDE = {
    "must not name another file": {
        "names a file": named_as_child,
        "names a file after its second header": lambda beside, path, victim: beside.write_bytes(
            header(1) + journal(1, os.fsencode(victim))
        ),
        "names a file, without a header": lambda beside, *_: beside.write_bytes(
            b"\0" * 512 + journal(1, b"x")[512:]
        ),
        "is nothing but the end": lambda beside, *_: beside.write_bytes(MAGIC),
    },
    "must not enlarge it": {
        "enlarges the store": lambda beside, *_: beside.write_bytes(journal(2**31)),
        "adds a page": lambda beside, path, _: beside.write_bytes(journal(pages_of(path) + 1)),
    },
    "must be a regular file without links": {
        "is a link to a file": lambda beside, path, victim: beside.symlink_to(victim),
        "is a link to nothing": lambda beside, path, victim: beside.symlink_to(victim.with_name("nothing")),
        "has two names": hard_link,
        "is a pipe": lambda beside, *_: os.mkfifo(beside),
        "is a folder": lambda beside, *_: beside.mkdir(),
    },
    "must be in rollback mode": {
        "-wal": lambda beside, path, victim: path.with_name("study.db-wal").write_bytes(b"\0" * 32),
        "-wal, empty": lambda beside, path, victim: path.with_name("study.db-wal").touch(),
        "-wal is a pipe": lambda beside, path, victim: os.mkfifo(path.with_name("study.db-wal")),
        "-shm is a link": lambda beside, path, victim: path.with_name("study.db-shm").symlink_to(victim),
        "the header names the WAL mode": in_wal_mode,
    },
    "another program's database": {"belongs to another program": of_another_program},
}
"""Damages beside a store or of it, by the words of the error in every reader and writer."""
REJECTED = {name: (make, words) for words, files in BESIDE.items() for name, make in files.items()}


def make_beside(name, path, victim):
    REJECTED[name][0](path.with_name("study.db-journal"), path, victim)


@pytest.mark.parametrize("name", REJECTED)
def test_file_beside_store_harms_no_other(tmp_path, copied, victim, name):
    make_beside(name, copied, victim)
    link = tmp_path / "link.db"
    link.symlink_to(copied)
    before = folder_of(tmp_path)
    uses = [(Store, link), (score, link), (score, copied), (partial(score, name="other"), copied)]
    for ask in (*readers(copied, tmp_path), *(partial(*use) for use in uses)):
        with pytest.raises(InvalidArgument, match=REJECTED[name][1]):
            ask()
    assert folder_of(tmp_path) == before
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("empty", [True, False], ids=["empty store", "missing store"])
def test_orphaned_journal_is_harmless(copied, victim, empty):
    named_as_child(copied.with_name("study.db-journal"), copied, victim)
    copied.write_bytes(b"") if empty else copied.unlink()
    before = folder_of(copied.parent)
    for ask in (Store, score):
        with pytest.raises(InvalidArgument, match=r"must not name another file|there is no store"):
            ask(copied)
    assert folder_of(copied.parent) == before and victim.exists()


def test_attack_works_on_sqlite_itself(copied, victim):
    """Else the tests above would show nothing."""
    named_as_child(copied.with_name("study.db-journal"), copied, victim)
    with closing(sqlite3.connect(copied)) as raw:
        raw.execute("SELECT * FROM boards").fetchone()
    assert not victim.exists()


def test_hot_journal_is_for_next_writer(copied, rows):
    """No reader rolls it back. The study, run again, does."""
    copied.with_name("study.db-journal").write_bytes(header(pages_of(copied)))
    before = folder_of(copied.parent)
    for ask in readers(copied, copied.parent.parent):
        with pytest.raises(CatanError, match=r"run that study again, which repairs the store"):
            ask()
    assert folder_of(copied.parent) == before
    assert score(copied).boards == 60
    assert everything(copied) == rows and names_in(copied.parent) == ["study.db"]


def test_readers_change_nothing(tmp_path, copied, rows):
    """Nor in a folder that may not be written, nor if an unused journal is beside the store."""
    for content in (None, b"", b"\0" * 1024):
        if content is not None:
            copied.with_name("study.db-journal").write_bytes(content)
        copied.parent.chmod(0o555)
        before = folder_of(copied.parent)
        for ask in readers(copied, tmp_path):
            ask()
        assert everything(copied) == rows
        assert folder_of(copied.parent) == before
        copied.parent.chmod(0o755)


def test_no_query_reaches_another_file(tmp_path, copied):
    target = tmp_path / "other.db"
    with Store(copied) as store:
        for sql in (f"ATTACH '{target}' AS other", f"VACUUM INTO '{target}'"):
            with pytest.raises(CatanError):
                store.query(sql)
    assert not target.exists()


def test_reader_keeps_its_lock(copied):
    """Closing a file drops all locks of the process on it, including those of SQLite."""
    attempt = f"import sqlite3; sqlite3.connect({str(copied)!r}, timeout=0).execute('BEGIN IMMEDIATE')"

    def boards():
        yield from BOARDS[:20]
        with Store(copied) as store:
            assert store.study().boards == 60
        result = subprocess.run([sys.executable, "-c", attempt], capture_output=True, text=True, check=False)
        assert "database is locked" in result.stderr
        yield from BOARDS[20:]

    score(copied, boards())
