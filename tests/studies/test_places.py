"""Where a store is: links, copies, pipes, files that go away, older versions, single flipped letters."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from stored import everything, study_in

from catan_cp.boards.board import Board
from catan_cp.errors import CatanError, InvalidArgument
from catan_cp.experiments.placement import random_boards
from catan_cp.placement import Objective
from catan_cp.rules.rules import Rules
from catan_cp.studies import Study
from catan_cp.studies.measures import MEASURES, Measure
from catan_cp.studies.schema import VERSION
from catan_cp.studies.store import Store

BOARDS = random_boards(60, seed=7)
OLD = Path(__file__).parent / "data"


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
    """A store in a folder of its own whose run was killed after a few chunks, with its log beside it."""
    path = tmp_path / "real" / "study.db"
    path.parent.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent
    )
    assert process.stdout.readline() == b"stored\n"
    process.kill()
    process.communicate()
    assert path.with_name("study.db-wal").stat().st_size
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
        with pytest.raises(CatanError, match=r"a part of the store .*b\.db' is missing.*another name"):
            Store(second)
        with pytest.raises(CatanError, match=r"b\.db"):
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
        with pytest.raises(CatanError, match=r"another run writes the store .* under another of its names"):
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


def test_reading_what_a_killed_run_left_leaves_its_log(killed, whole):
    for _ in range(2):  # the first reader once put the log into the file, and the next missed it
        with Store(killed) as store:
            assert store.study().boards == 30
    score(killed)
    assert everything(killed) == whole and names_in(killed.parent) == ["study.db"]


# Files that go away, or come without a part


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (lambda path: path.unlink(), "was deleted or moved"),
        (lambda path: path.rename(path.with_name("other.db")), "was deleted or moved"),
        (lambda path: Path(shutil.copy(OLD / "version_1.db", f"{path}2")).replace(path), "was replaced"),
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


def test_a_copy_without_its_log_says_so_and_goes_on(tmp_path, killed, whole):
    copy = tmp_path / "copy.db"
    shutil.copy(killed, copy)
    before = copy.read_bytes()
    with pytest.raises(CatanError, match=r"a part of the store .*copy\.db-wal' is not beside it"):
        Store(copy)
    assert copy.read_bytes() == before and names_in(tmp_path) == ["copy.db", "real"]
    score(copy)
    assert everything(copy) == whole


def test_a_copy_with_its_log_is_whole(tmp_path, killed):
    for name in ("study.db", "study.db-wal"):
        shutil.copy(killed.with_name(name), tmp_path / name)
    with Store(tmp_path / "study.db") as store:
        assert store.study().boards == 30


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


# Older versions


def test_a_store_of_version_1_is_brought_up_to_date(tmp_path):
    path = tmp_path / "old.db"
    shutil.copy(OLD / "version_1.db", path)
    with sqlite3.connect(path) as raw:
        boards = raw.execute("SELECT study, board, notation, times FROM boards ORDER BY 1, 2").fetchall()
        spreads = raw.execute("SELECT seat_spread FROM scores ORDER BY study, board").fetchall()
        kept = raw.execute("SELECT keeps_tournament FROM scores ORDER BY study, board").fetchall()
    raw.close()
    with Store(path) as store:
        assert store.query("PRAGMA user_version") == [{"user_version": VERSION}]
        made, given, sea = store.studies()
        rules = Rules.preset("tournament").replace(harbors="none")  # as the preset was then
        assert made.study == Study(4, rules, seed=1, chunk=2, solver="chuffed", name="made")
        goals = (Objective(), Objective(harbor=1), Objective.report())
        assert given.study == Study(
            None, "open", players=3, objective=goals, chunk=3, solver=None, name="given", source="given"
        )
        assert (given.made, given.boards, sea.study.layout.name) == (7, 5, "seafarers-7")
        rows = [row for state in store.studies() for row in store.results(state.name)]
        layouts = [state.study.layout for state in store.studies() for _ in range(state.boards)]
        assert [(row["board"], row["times"]) for row in rows] == [(b[1], b[3]) for b in boards]
        for row, old, layout in zip(rows, boards, layouts, strict=True):
            board = Board.from_notation(old[2], layout)
            assert (
                row["notation"] == board.notation() and Board.from_notation(row["notation"], layout) == board
            )
        assert [(row["seat_spread"],) for row in rows] == spreads
        assert [int("tournament" in row["presets"].split()) for row in rows] == [k[0] for k in kept]
    assert names_in(tmp_path) == ["old.db"]


def test_an_old_store_takes_more_boards(tmp_path):
    path = tmp_path / "old.db"
    shutil.copy(OLD / "version_1.db", path)
    again = score(path, random_boards(5, "seafarers-7", seed=1), name="sea", layout="seafarers-7", chunk=200)
    assert again.made == 5
    assert score(path, BOARDS[:10]).boards == 10
    with pytest.raises(InvalidArgument, match="boards 1 to 5 differ"):
        score(path, random_boards(5, "seafarers-7", seed=2), name="sea", layout="seafarers-7", chunk=200)


def test_an_old_store_that_is_damaged_stays_as_it_is(tmp_path):
    path = tmp_path / "old.db"
    shutil.copy(OLD / "version_1.db", path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE boards SET notation = 'x1' WHERE study = 2 AND board = 2")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(CatanError, match="damaged"):
        Store(path)
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)
        assert raw.execute("SELECT count(*) FROM boards").fetchone() == (11,)
    raw.close()
    assert len(before) == path.stat().st_size


def test_a_new_measure_is_a_new_column(tmp_path, monkeypatch):
    path = tmp_path / "study.db"
    score(path, BOARDS[:10])
    first = {"first_marker": Measure("first_marker", int, "the first marker", lambda r: r.board.markers[0])}
    for module in ("measures", "opening", "schema", "store", "writer"):
        monkeypatch.setattr(f"catan_cp.studies.{module}.MEASURES", {**MEASURES, **first})
    place = {name: i for i, name in enumerate({**MEASURES, **first})}
    monkeypatch.setattr("catan_cp.studies.writer._PLACE", place)
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
        ("ALTER TABLE studies RENAME COLUMN library_version TO library_versiom", "other columns"),
        ("ALTER TABLE scores RENAME COLUMN tied TO tiee", "other columns|view"),
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
