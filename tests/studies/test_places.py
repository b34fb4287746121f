"""Where a store is: links, copies, pipes, files that go away."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from runpy import run_path

import pytest

from catan_cp import CatanError, InvalidArgument, Store
from catan_cp.analysis.measures import MEASURES  # a measure is added to it, as the template says
from tests.stored import BOARDS, at_once, everything, folder_of, names_in, random_boards, score

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "docs" / "templates" / "measure.py"


# Places without a store


def circle(path):
    path.symlink_to(path.with_name("b.db"))
    path.with_name("b.db").symlink_to(path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Path.mkdir, "is a folder; name a file"),
        (circle, "cannot read the store"),
        (os.mkfifo, "a device or a pipe, not a file"),
        (lambda path: path.symlink_to("/dev/null"), "a device or a pipe, not a file"),
    ],
)
def test_impossible_store_places(path, make, words):
    devices = names_in(Path("/dev"))
    make(path)
    names = names_in(path.parent)
    for use in (Store, score):
        error = at_once(lambda use=use: use(path))
        assert isinstance(error, InvalidArgument) and words in str(error)
    assert names_in(path.parent) == names and names_in(Path("/dev")) == devices


def test_places_without_store(tmp_path):
    for use in (Store, score):
        with pytest.raises(InvalidArgument, match="a store is a file"):
            use(7)
    with pytest.raises(InvalidArgument, match=r"there is no store .*makes one"):
        Store(tmp_path / "missing.db")
    with pytest.raises(InvalidArgument, match=r"there is no folder .*make it first"):
        score(tmp_path / "missing" / "study.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(InvalidArgument, match="is empty"):
        Store(tmp_path / "empty.db")
    assert names_in(tmp_path) == ["empty.db"]
    assert score(tmp_path / "empty.db").boards == 60


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps the working directory")
def test_store_in_deleted_working_directory(tmp_path, monkeypatch, rows):
    (folder := tmp_path / "folder").mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(InvalidArgument, match="the working directory must exist, but it was deleted"):
        score("study.db")
    score(tmp_path / "study.db")
    monkeypatch.undo()
    assert everything(tmp_path / "study.db") == rows


# Links


@pytest.mark.parametrize("link", ["none", "symbolic", "hard", "moved"])
def test_store_in_use_is_only_read(tmp_path, rows, link):
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    score(first, BOARDS[:10])
    if link == "symbolic":
        second.symlink_to(first)
    elif link == "hard":
        os.link(first, second)

    def boards():
        yield from BOARDS[:20]
        if link == "moved":
            first.rename(second)
        for path in filter(Path.exists, (first, second)):
            with Store(path) as store:
                assert store.study().boards == 20
            with pytest.raises(CatanError, match=rf"another run writes the store .*{path.name}.* its end"):
                score(path)
        if link == "moved":
            second.rename(first)
        yield from BOARDS[20:]

    score(first, boards())
    for path in filter(Path.exists, (first, second)):
        assert everything(path) == rows
    assert names_in(tmp_path) == (["a.db", "b.db"] if second.exists() else ["a.db"])


KILLED = """
import sys, time
from tests.stored import BOARDS, score
def boards():
    yield from BOARDS[:30]
    print("stored", flush=True)
    time.sleep(60)
score(sys.argv[1], boards())
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A store whose run, through a link in another folder, was killed after a few chunks."""
    path, link = (tmp_path_factory.mktemp("killed") / "study.db" for _ in range(2))
    link.symlink_to(path)
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(link)], stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout.readline() == b"stored\n"
    process.kill()
    process.communicate()
    assert names_in(link.parent) == ["study.db"]
    return path


@pytest.mark.parametrize("link", [False, True], ids=["copied", "copied and linked"])
def test_killed_run_read_and_resumed(tmp_path, killed, rows, link):
    folder = shutil.copytree(killed.parent, tmp_path / "real")
    path = tmp_path / "link.db" if link else folder / "study.db"
    if link:
        path.symlink_to(folder / "study.db")
    for _ in range(2):
        with Store(path) as store:
            assert store.study().boards == 30
    score(path)
    assert everything(folder / "study.db") == rows and names_in(folder) == ["study.db"]


def test_active_reader_stops_no_study(path, rows):
    """Between two pages of rows the study writes.

    A query that is not read to its end makes it wait.
    """
    score(path, BOARDS[:20])
    with Store(path) as store:
        results, query = store.results(), store.rows("SELECT * FROM boards")
        next(results)
        next(query)
        reader = threading.Timer(1.5, lambda: list(query))
        reader.start()
        score(path)
        assert len(list(results)) == 59  # boards stored meanwhile are read, too
        reader.join()
    assert everything(path) == rows


def test_study_waits_for_locked_store(copied):
    """As a reader does who takes back what a killed run left half written."""
    with closing(sqlite3.connect(copied, isolation_level=None, check_same_thread=False)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        holding = threading.Timer(0.3, writer.execute, ["ROLLBACK"])
        holding.start()
        assert score(copied).boards == 60
        holding.join()


# Files that go away, or come without a part


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (lambda path: path.unlink(), "was deleted or moved"),
        (lambda path: path.rename(path.with_name("other.db")), "was deleted or moved"),
        (lambda path: Path(shutil.copy(path, f"{path}2")).replace(path), "was replaced"),
    ],
    ids=["deleted", "moved", "replaced"],
)
def test_removed_store_is_noticed(path, do, words):
    def boards():
        yield from BOARDS[:20]
        do(path)
        yield from BOARDS[20:31]
        pytest.fail("the study went on")

    with pytest.raises(CatanError, match=rf"the store .* {words} .*while the study ran"):
        score(path, boards())


HALF_WRITTEN = """
import os, sqlite3, sys
from catan_cp.studies.tables import open_store
from pathlib import Path
connection = open_store(Path(sys.argv[1]), to_write=True)
connection.execute("PRAGMA cache_size = 1")
connection.execute("PRAGMA cache_spill = 1")
for change in ("boards SET times = 99", "scores SET value_1 = 9", "satisfied SET preset = preset || 'x'"):
    connection.execute(f"UPDATE {change}")
print("written", flush=True)
os.kill(os.getpid(), 9)
"""


def test_unfinished_transaction_has_no_effect(tmp_path, copied, rows):
    """The next writer restores the file from the journal. A reader explains that, and changes nothing."""
    link = tmp_path / "study.db"
    link.symlink_to(copied)
    subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(link)], capture_output=True, check=False)
    assert copied.with_name("study.db-journal").read_bytes()[:1] != b"\0"  # it is one to be read
    before = folder_of(tmp_path)
    message = "was stopped while it wrote: run that study again, which repairs"
    for name in (copied, link):
        with pytest.raises(CatanError, match=message):
            Store(name)
    assert folder_of(tmp_path) == before
    score(copied)
    assert everything(copied) == rows
    assert names_in(tmp_path) == ["in", "study.db"] and names_in(copied.parent) == ["study.db"]


# Measures that come later


def test_measure_of_template_is_new_column(path, monkeypatch):
    score(path, BOARDS[:10])
    measure = run_path(str(TEMPLATE))["FIRST_MARKER"]
    monkeypatch.setitem(MEASURES, measure.name, measure)
    with Store(path) as store, pytest.raises(InvalidArgument, match="has no first_marker"):
        store.top("first_marker")
    score(path)
    with Store(path) as store:
        markers = [board.markers[0] for board in BOARDS[10:]]
        assert store.column("first_marker") == [marker for marker in markers if marker is not None]
        assert store.study().boards == 60
    monkeypatch.undo()
    with Store(path) as store:  # a library that does not know the measure reads the rest
        assert len(list(store.results())) == 60
    assert score(path, [*BOARDS, *random_boards(3, seed=9)]).boards == 63
