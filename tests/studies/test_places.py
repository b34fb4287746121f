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
from catan_cp.analysis.measures import MEASURES
from catan_cp.rules.requirements import random_boards
from tests.stored import BOARDS, everything, folder_of, names_in, score

TEMPLATE = Path(__file__).parents[2] / "docs" / "templates" / "measure.py"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A whole store."""
    path = tmp_path_factory.mktemp("whole") / "study.db"
    score(path)
    return path


@pytest.fixture(scope="module")
def whole(study):
    return everything(study)


@pytest.fixture
def path(tmp_path, study):
    """A copy of the whole store."""
    return Path(shutil.copy(study, tmp_path / "study.db"))


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


# Links


@pytest.mark.parametrize("link", ["none", "symbolic", "hard", "moved"])
def test_store_in_use_is_only_read(tmp_path, whole, link):
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
        assert everything(path) == whole
    assert names_in(tmp_path) == (["a.db", "b.db"] if second.exists() else ["a.db"])


def test_dangling_link_makes_store(tmp_path, whole):
    (tmp_path / "link.db").symlink_to(tmp_path / "there.db")
    score(tmp_path / "link.db")
    assert everything(tmp_path / "there.db") == whole
    assert (tmp_path / "link.db").is_symlink()


@pytest.mark.parametrize("link", [False, True], ids=["copied", "copied and linked"])
def test_killed_run_read_and_resumed(tmp_path, killed, whole, link):
    folder = shutil.copytree(killed.parent, tmp_path / "real")
    path = tmp_path / "link.db" if link else folder / "study.db"
    if link:
        path.symlink_to(folder / "study.db")
    for _ in range(2):
        with Store(path) as store:
            assert store.study().boards == 30
    score(path)
    assert everything(folder / "study.db") == whole and names_in(folder) == ["study.db"]


def test_active_reader_stops_no_study(tmp_path, whole):
    """Between two pages of rows the study writes.

    A query that is not read to its end makes it wait.
    """
    path = tmp_path / "study.db"
    score(path, BOARDS[:20])
    with Store(path) as store:
        rows, query = store.results(), store.rows("SELECT * FROM boards")
        next(rows)
        next(query)
        reader = threading.Timer(1.5, lambda: list(query))
        reader.start()
        score(path)
        assert len(list(rows)) == 59  # boards stored meanwhile are read, too
        reader.join()
    assert everything(path) == whole


def test_study_waits_for_locked_store(path):
    """As a reader does who takes back what a killed run left half written."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        holding = threading.Timer(0.3, writer.execute, ["ROLLBACK"])
        holding.start()
        assert score(path).boards == 60
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
def test_removed_store_is_noticed(tmp_path, do, words):
    calls = []

    def boards():
        for number, board in enumerate(BOARDS):
            calls.append(number)
            if number == 20:
                do(tmp_path / "study.db")
            yield board

    with pytest.raises(CatanError, match=rf"the store .* {words} .*while the study ran"):
        score(tmp_path / "study.db", boards())
    assert len(calls) <= 31


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


def test_unfinished_transaction_has_no_effect(tmp_path, path, whole):
    """Even if part is in the file already, the next writer restores it from the journal.

    A reader explains that, and changes nothing.
    """
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "study.db"
    link.symlink_to(path)
    subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(link)], capture_output=True, check=False)
    assert path.with_name("study.db-journal").read_bytes()[:1] != b"\0"  # it is one to be read
    before = folder_of(tmp_path)
    for name in (path, link):
        with pytest.raises(
            CatanError, match=r"was stopped while it wrote: run that study again, which repairs"
        ):
            Store(name)
    assert folder_of(tmp_path) == before
    score(path)
    assert everything(path) == whole
    assert names_in(tmp_path) == ["links", "study.db"] and names_in(link.parent) == ["study.db"]


# Measures that come later


def test_measure_of_template_is_new_column(tmp_path, monkeypatch):
    path = tmp_path / "study.db"
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


# Damage


def change(path, statement):
    with sqlite3.connect(path) as raw:
        raw.execute(statement)
    raw.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "UPDATE studies SET definition = replace(definition, 'given', 'giben')",
            "its study 'study': source must be",
        ),
        ("UPDATE boards SET times = 2 WHERE board = 3", "made 60 boards, but 61 are there"),
        ("ALTER TABLE studies RENAME COLUMN library_version TO library_versiom", "its tables are not"),
        ("DELETE FROM state", "the table state"),
        (f"UPDATE boards SET times = {2**62}", "integer overflow"),
    ],
)
def test_damage_called_damage(path, statement, words):
    change(path, statement)
    with pytest.raises(CatanError, match=f"damaged .*({words})"), Store(path) as store:
        store.study()


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps the working directory")
def test_store_in_deleted_working_directory(tmp_path, monkeypatch, whole):
    (folder := tmp_path / "folder").mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(InvalidArgument, match="the working directory must exist, but it was deleted"):
        score("study.db")
    score(tmp_path / "study.db")
    monkeypatch.undo()
    assert everything(tmp_path / "study.db") == whole
