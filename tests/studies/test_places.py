"""Where a store is: links, copies, pipes, files that go away, single flipped letters."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from runpy import run_path

import pytest
from stored import everything, study_in

from catan_cp.errors import CatanError, InvalidArgument
from catan_cp.experiments.placement import random_boards
from catan_cp.studies.measures import MEASURES
from catan_cp.studies.store import Store

BOARDS = random_boards(60, seed=7)
TEMPLATE = Path(__file__).parents[2] / "docs" / "templates" / "measure.py"


def score(path, boards=BOARDS, **options):
    return study_in(path, None, boards, **({"rules": "open", "chunk": 10} | options))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "study.db"
    score(path)
    return everything(path)


@pytest.fixture
def killed(tmp_path):
    """A store in a folder of its own whose run was killed after a few chunks."""
    path = tmp_path / "real" / "study.db"
    path.parent.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent
    )
    assert process.stdout.readline() == b"stored\n"
    process.kill()
    process.communicate()
    return path


KILLED = """
import sys, time
from stored import study_in
from catan_cp.experiments.placement import random_boards
def boards():
    yield from random_boards(60, seed=7)[:30]
    print("stored", flush=True)
    time.sleep(60)
study_in(sys.argv[1], None, boards(), rules="open", chunk=10)
"""


# Links


def test_a_store_is_the_same_through_a_symbolic_link_while_it_runs(tmp_path, whole):
    (tmp_path / "real").mkdir()
    link, real = tmp_path / "link.db", tmp_path / "real" / "study.db"
    link.symlink_to(real)

    def boards():
        yield from BOARDS[:20]
        for path in (link, real):
            with Store(path) as store:
                assert store.study().boards == 20
            with pytest.raises(CatanError, match="another run writes the store"):
                score(path)
        yield from BOARDS[20:]

    score(link, boards())
    assert everything(link) == everything(real) == whole
    assert names_in(tmp_path) == ["link.db", "real"] and names_in(tmp_path / "real") == ["study.db"]


def test_a_killed_study_goes_on_through_a_symbolic_link(tmp_path, killed, whole):
    link = tmp_path / "link.db"
    link.symlink_to(killed)
    with Store(link) as store:
        assert store.study().boards == 30
    score(link)
    assert everything(killed) == whole


def test_two_hard_links_are_one_store(tmp_path, whole):
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    score(first, BOARDS[:10])
    os.link(first, second)

    def boards():
        yield from BOARDS[:20]
        with Store(second) as store:
            assert store.study().boards == 20
        with pytest.raises(CatanError, match=r"another run writes the store .*b\.db"):
            score(second)
        yield from BOARDS[20:]

    score(first, boards())
    assert everything(second) == whole
    assert names_in(tmp_path) == ["a.db", "b.db"]


def test_a_store_that_is_moved_while_it_is_written_has_one_writer(tmp_path, whole):
    first, second = tmp_path / "a.db", tmp_path / "b.db"

    def boards():
        yield from BOARDS[:20]
        first.rename(second)
        with pytest.raises(CatanError, match=r"another run writes the store .*b\.db"):
            score(second)
        second.rename(first)
        yield from BOARDS[20:]

    score(first, boards())
    assert everything(first) == whole


def test_links_that_lead_in_a_circle(tmp_path):
    (tmp_path / "a.db").symlink_to(tmp_path / "b.db")
    (tmp_path / "b.db").symlink_to(tmp_path / "a.db")
    for use in (Store, score):
        with pytest.raises(InvalidArgument, match="cannot read the store"):
            use(tmp_path / "a.db")


def test_a_link_to_nothing_makes_the_store_that_it_names(tmp_path, whole):
    (tmp_path / "link.db").symlink_to(tmp_path / "there.db")
    score(tmp_path / "link.db")
    assert everything(tmp_path / "there.db") == whole
    assert (tmp_path / "link.db").is_symlink()


def test_reading_what_a_killed_run_left(killed, whole):
    for _ in range(2):
        with Store(killed) as store:
            assert store.study().boards == 30
    score(killed)
    assert everything(killed) == whole and names_in(killed.parent) == ["study.db"]


def test_a_reader_in_the_midst_of_its_rows_stops_no_study(tmp_path, whole):
    """Between two pages of rows the study writes; a query that is not read to its end makes it wait."""
    path = tmp_path / "study.db"
    score(path, BOARDS[:20])
    with Store(path) as store:
        rows, query = store.results(), store.rows("SELECT * FROM boards")
        next(rows)
        next(query)
        reader = threading.Timer(1.5, lambda: list(query))
        reader.start()
        score(path)
        assert len(list(rows)) == 59  # what is stored meanwhile is read, too
        reader.join()
    assert everything(path) == whole


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
def test_a_store_that_goes_away_is_noticed_at_once(tmp_path, do, words):
    taken = []

    def boards():
        for number, board in enumerate(BOARDS):
            taken.append(number)
            if number == 20:
                do(tmp_path / "study.db")
            yield board

    with pytest.raises(CatanError, match=rf"the store .* {words} .*while the study ran"):
        score(tmp_path / "study.db", boards())
    assert len(taken) <= 31


def test_a_copy_of_what_a_killed_run_left_goes_on(tmp_path, killed, whole):
    copy = tmp_path / "copy.db"
    shutil.copy(killed, copy)
    with Store(copy) as store:
        assert store.study().boards == 30
    score(copy)
    assert everything(copy) == whole


HALF_WRITTEN = """
import os, sqlite3, sys
from catan_cp.studies.tables import open_store
from pathlib import Path
from runpy import run_path
connection = open_store(Path(sys.argv[1]), to_write=True)
connection.execute("PRAGMA cache_size = 1")
connection.execute("PRAGMA cache_spill = 1")
for change in ("boards SET times = 99", "scores SET value_1 = 9", "satisfied SET preset = preset || 'x'"):
    connection.execute(f"UPDATE {change}")
print("written", flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_transaction_that_was_cut_short_is_as_if_it_had_never_begun(tmp_path, whole):
    """Even where part of it is in the file already: the journal beside it takes that back."""
    path = tmp_path / "study.db"
    score(path)
    subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(path)], capture_output=True, check=False)
    assert path.with_name("study.db-journal").read_bytes()[:1] != b"\0"  # it is one to be read
    assert everything(path) == whole
    score(path)
    assert names_in(tmp_path) == ["study.db"]


# What is no file


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/null")])
def test_pipes_and_devices_are_refused_at_once(tmp_path, make):
    path = tmp_path / "study.db"
    make(path)
    for use in (Store, score):
        found = []

        def ask(use=use, found=found):
            try:
                use(path)
            except InvalidArgument as error:
                found.append(str(error))

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(20)
        assert found and "a device or a pipe, not a file" in found[0]
    assert names_in(tmp_path) == ["study.db"]


def test_no_file_beside_a_device():
    before = names_in(Path("/dev"))
    with pytest.raises(InvalidArgument, match="a device or a pipe"):
        score("/dev/null")
    assert names_in(Path("/dev")) == before


# Measures that come later


def test_the_measure_of_the_template_is_a_new_column(tmp_path, monkeypatch):
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


def change(path, *statements):
    with sqlite3.connect(path) as raw:
        for statement in statements:
            raw.execute(statement)
    raw.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE boards SET notation = replace(notation, 'd', 'o') WHERE board = 7",
        "UPDATE scores SET seat_spread = seat_spread + 1e-15 WHERE board = 7",
        "UPDATE scores SET pips_ore = NULL WHERE board = 7",
        "UPDATE satisfied SET preset = 'opem' WHERE board = 7",
    ],
)
def test_one_changed_value_is_noticed(tmp_path, statement):
    path = tmp_path / "study.db"
    score(path)
    change(path, statement)
    words = "damaged .*the row of board 7 is not as it was written"
    with Store(path) as store:
        for ask in (
            lambda: store.top(k=None),
            lambda: store.row(7),
            lambda: store.board(7),
            lambda: store.column("seat_spread"),
            lambda: store.to_csv(tmp_path / "study.csv"),
        ):
            with pytest.raises(CatanError, match=words):
                ask()
        assert store.row(8)["board"] == 8
    assert names_in(tmp_path) == ["study.db"]


def test_one_letter_flipped_on_the_disk_is_noticed(tmp_path):
    path = tmp_path / "study.db"
    score(path)
    content = path.read_bytes()
    notation = BOARDS[7].notation().encode()
    assert content.count(notation) == 2  # in the table, and in the index that keeps notations apart
    path.write_bytes(content.replace(notation, notation.replace(b"d", b"g", 1)))
    with Store(path) as store, pytest.raises(CatanError, match=r"damaged .*board 8"):
        store.board(8)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "UPDATE studies SET definition = replace(definition, 'given', 'giben')",
            "row of the",
        ),
        ("UPDATE boards SET times = 2 WHERE board = 3", "made 60 boards, but 61 are there"),
        ("ALTER TABLE studies RENAME COLUMN library_version TO library_versiom", "its tables are not"),
        ("ALTER TABLE scores RENAME COLUMN tied TO tiee", "its measures are not|its tables are not"),
        ("DELETE FROM state", "the table state"),
    ],
)
def test_damage_is_called_damage(tmp_path, statement, words):
    path = tmp_path / "study.db"
    score(path)
    change(path, statement)
    with pytest.raises(CatanError, match=f"damaged .*({words})"), Store(path) as store:
        store.study()


def test_no_kill_at_any_moment_leaves_a_store_that_cannot_go_on(tmp_path, whole):
    """Through a link, killed at once, twice."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real" / "study.db")
    for seconds in (0.0, 0.05, 0.1):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(link)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
        )
        try:
            process.wait(0.4 + seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
    score(link)
    assert everything(link) == whole
