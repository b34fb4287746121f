"""The store: its contents, its queries, and every file that it must reject and leave unchanged."""

import csv
import ctypes
import os
import shutil
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from catan_cp import CatanError, InvalidArgument, Objective, Store, Study, analyze_board
from catan_cp.analysis.measures import MEASURES, top_table
from catan_cp.rules.requirements import random_boards
from catan_cp.studies.comparing import plot_top
from catan_cp.studies.run import Chunk, work
from catan_cp.studies.store import Writer, score_row
from catan_cp.studies.tables import APPLICATION_ID, VERSION
from tests.stored import BOARDS, everything, make, names_in, score

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1 << 1, 1 << 2
GOALS = (Objective(0.5, 0.3, 0.2), Objective(harbor=1), Objective.report())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a store of #1 100%?.db"
    score(path, objective=GOALS, players=3)
    return path


@pytest.fixture
def store(finished):
    with Store(finished) as opened:
        yield opened


def test_it_keeps_boards_scores_and_arguments(store, finished):
    before = finished.read_bytes()
    rows = store.query("SELECT * FROM results ORDER BY board")
    assert [row["notation"] for row in rows] == [board.notation() for board in BOARDS]
    for place, (row, board) in enumerate(zip(rows, BOARDS, strict=True), start=1):
        report = analyze_board(board, 3, GOALS)
        assert (row["board"], row["times"]) == (place, 1)
        assert tuple(row[name] for name in MEASURES) == score_row(report)
        assert row["presets"] == " ".join(sorted(report.presets))
        assert store.board(place) == board
    study = store.study()
    expected = Study(None, "open", players=3, objective=GOALS, solver=None, chunk=10, source="given")
    assert study.study == expected and Study.from_json(expected.to_json()) == expected
    assert (study.name, study.made, study.boards, study.failures) == ("study", 60, 60, {})
    assert store.studies() == [study] and "60 boards of base, 60 different" in str(study)
    assert store.query("PRAGMA application_id") == [{"application_id": APPLICATION_ID}]
    assert store.query("PRAGMA user_version") == [{"user_version": VERSION}]
    assert names_in(finished.parent) == [finished.name] and finished.read_bytes() == before


def test_next_criterion_settles_ties(store):
    rows = store.query("SELECT * FROM results")

    def key(row):
        return round(row["value_spread"], 9), -row["efficiency_error"], row["board"]

    expected = [row["board"] for row in sorted(rows, key=key)]
    assert [row["board"] for row in store.top("value_spread, -efficiency_error", k=None)] == expected
    assert [row["board"] for row in store.top("value_spread, -efficiency_error", k=7)] == expected[:7]
    assert len({key(row)[0] for row in rows}) < len(rows)  # there were ties to settle
    for preset in ("open", "blog"):
        result = [row for row in store.top(k=None) if preset in row["presets"].split()]
        assert store.top(k=None, satisfying=preset) == result
    table = top_table(store.top("vertex_pips_most", k=2), "vertex_pips_most").splitlines()
    assert table[0].split() == ["board", "vertex_pips_most", "notation"] and len(table) == 3


def test_columns_keep_order_of_boards(store):
    rows = store.query("SELECT * FROM results ORDER BY board")
    assert store.column("value_spread") == [row["value_spread"] for row in rows]
    assert store.column("value_6") == []
    for by in ("value_6", "-value_6"):
        assert [row["board"] for row in store.top(by, k=3)] == [1, 2, 3]


def test_csv_has_one_line_per_board(store, tmp_path):
    path = store.to_csv(tmp_path / "study.csv")
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["notation"] for line in lines] == [board.notation() for board in BOARDS]
    assert [float(line["value_spread"]) for line in lines] == store.column("value_spread")
    assert {line["value_4"] for line in lines} == {""}
    with pytest.raises(InvalidArgument, match="exists; choose another name"):
        store.to_csv(path)
    assert store.to_csv(path, force=True) == path
    for place, words in (
        (tmp_path, "is a folder; name a file"),
        (tmp_path / "missing" / "study.csv", "there is no folder .*missing"),
        (7, "a file is named by a path, not 7"),
        (tmp_path / ("x" * 300), "cannot write .*: File name too long"),
        (tmp_path / "nul\0", "a file is named by a path, not "),
    ):
        with pytest.raises(CatanError, match=words):
            store.to_csv(place)
    assert names_in(tmp_path) == ["study.csv"]


def test_one_row_per_board(store, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("catan_cp.studies.store._BATCH", 7)
    frame, rows = store.to_frame(), list(store.results())
    assert list(frame.index) == list(range(1, 61)) and frame.index.name == "board"
    assert list(frame.columns) == [name for name in rows[0] if name != "board"]
    assert frame.notation.tolist() == [board.notation() for board in BOARDS]
    assert frame.value_spread.tolist() == [row["value_spread"] for row in rows]
    assert frame.value_4.isna().all() and str(frame.vertex_pips_least.dtype) == "Int64"
    written = store.to_parquet(tmp_path / "study.parquet")
    assert parquet.read_table(written).to_pylist() == rows
    with pytest.raises(InvalidArgument, match="exists"):
        store.to_parquet(written)
    store.to_parquet(written, force=True)
    assert names_in(tmp_path) == ["study.parquet"]


@pytest.mark.parametrize(("module", "ask"), [("pandas", "to_frame"), ("pyarrow", "to_parquet")])
def test_missing_parts_named(finished, tmp_path, monkeypatch, module, ask):
    monkeypatch.setitem(sys.modules, module, None)
    words = rf"needs {module}: pip install 'catan-cp\[frame\]'"
    with Store(finished) as store, pytest.raises(CatanError, match=words):
        getattr(store, ask)(*([tmp_path / "a.parquet"] if ask == "to_parquet" else []))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda s: s.query("SELECT fairness FROM results"), "no such column: fairness"),
        (lambda s: s.query("DELETE FROM boards"), "readonly"),
        (lambda s: s.query("SELECT ?", (1, 2)), "bindings"),
        (lambda s: s.top("fairness"), "unknown criterion 'fairness'; did you mean 'games_unfairness'"),
        (lambda s: s.top(satisfying="fair"), "satisfying is 'fair'; choose from "),
        (lambda s: s.top(satisfying=[]), r"satisfying is \[\]"),
        (lambda s: s.query(3), "a query is SQL text, not 3"),
        (lambda s: s.column("tied, value_1"), "name must be one measure, not 'tied, value_1'"),
        (lambda s: s.columns([[]]), r"criteria must be measures, .* not \[\]"),
        (lambda s: s.columns(["fairness"]), "unknown criterion 'fairness'"),
        (lambda s: s.top(k=0), "k must be a whole number of at least 1, not 0"),
        (lambda s: s.board(61), "no board 61"),
        (lambda s: s.board("1"), "a whole number from 1 to [0-9]*, not '1'"),
        (lambda s: s.study("other"), "no study is called 'other': it has study"),
        (lambda s: s.study(["study"]), r"no study is called \['study'\]"),
        (lambda s: plot_top(s.path), "this draws boards of a Store, not "),
        (lambda s: Store("\ud800"), "a store is a file, as in 'study.db', not "),
    ],
)
def test_questions_without_answer(store, ask, words):
    with pytest.raises(InvalidArgument, match=words):
        ask(store)
    assert store.study().boards == 60


def test_unreadable_row_blocks_no_writer(finished, tmp_path):
    path = shutil.copy(finished, tmp_path / "copy.db")
    with Store(path) as store, closing(sqlite3.connect(path, timeout=0)) as writer:
        with pytest.raises(CatanError, match="damaged") as met:
            store.query("SELECT CAST(x'ff80' AS TEXT) FROM boards")
        assert met.value.__traceback__ is not None  # which knows the query as long as it is there
        writer.execute("BEGIN EXCLUSIVE")


def test_repeated_board_stored_once(tmp_path):
    a, b, c = (board.notation() for board in BOARDS[:3])
    again = [BOARDS[i] for i in (0, 1, 0, 2, 1, 0)]
    score(tmp_path / "in_order.db", again, chunk=2)
    with Store(tmp_path / "in_order.db") as store:
        rows = store.query("SELECT board, notation, times FROM boards ORDER BY board")
        assert [tuple(row.values()) for row in rows] == [(1, a, 3), (2, b, 2), (4, c, 1)]
        assert store.study().made == 6 and store.study().boards == 3
        with pytest.raises(InvalidArgument, match=r"no board 3: .* repeated"):
            store.board(3)
    score(tmp_path / "backwards.db", [], chunk=2)
    study = Study(None, "open", chunk=2)
    with Writer(tmp_path / "backwards.db") as writer:
        for number, pair in ((2, (b, a)), (1, (a, c)), (0, (a, b))):
            writer.write(1, 2, work(Chunk(number, 2, study, pair, 9.0)))
    assert everything(tmp_path / "backwards.db") == everything(tmp_path / "in_order.db")


def test_study_rejects_other_boards(tmp_path):
    """Half a chunk is there.

    When the study grows, that half is made again and compared.
    """
    path = tmp_path / "study.db"
    make(path, n=15)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE chunks SET digest = (SELECT digest FROM chunks WHERE chunk = 0) WHERE chunk = 1")
    db.close()
    before = everything(path)
    with pytest.raises(CatanError, match="chunk 1 came out with other boards than those in"):
        make(path, n=20)
    after = everything(path)
    assert after["boards"] == before["boards"] and after["chunks"] == before["chunks"]


def test_grown_study_has_same_boards(tmp_path):
    make(tmp_path / "grown.db", n=15)
    make(tmp_path / "grown.db", n=20)
    make(tmp_path / "whole.db", n=20)
    grown, whole = everything(tmp_path / "grown.db"), everything(tmp_path / "whole.db")
    assert [grown[name] for name in ("chunks", "boards", "scores")] == [
        whole[name] for name in ("chunks", "boards", "scores")
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x"])
def test_spreadsheet_reads_no_formula(tmp_path, text):
    path = tmp_path / "study.db"
    score(path, BOARDS[:1])
    with sqlite3.connect(path) as db:
        db.execute("UPDATE boards SET notation = ?", (text,))
    db.close()
    with Store(path) as store, store.to_csv(tmp_path / "study.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["notation"] == f"'{text}"


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (["UPDATE studies SET name = 'other'"], "its study 'other' is called 'study'"),
        (
            [
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_master SET sql = replace(sql, 'STRICT', '') WHERE name = 'boards'",
                "PRAGMA writable_schema = RESET",
                "UPDATE boards SET times = 'one'",
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_master SET sql = replace(sql, ') ', ') STRICT') WHERE name = 'boards'",
            ],
            r"is damaged \(non-INTEGER value in boards.times\)",
        ),
    ],
)
def test_damaged_store_reported_first(tmp_path, statements, words):
    path = tmp_path / "study.db"
    score(path, BOARDS[:1])
    with sqlite3.connect(path, isolation_level=None) as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    with pytest.raises(CatanError, match=words), Store(path) as store:
        store.studies()


def test_several_studies_in_one_file(tmp_path):
    path = tmp_path / "two.db"
    score(path, BOARDS[:10], name="first")
    score(path, BOARDS[5:20], name="second")
    with Store(path) as store:
        assert [study.boards for study in store.studies()] == [10, 15]
        assert store.board(1, "second") == BOARDS[5]
        with pytest.raises(InvalidArgument, match="name one of its studies: it has first, second"):
            store.top()


# Files that are refused, and left as they are


def raw(*statements):
    """Return a function that makes a file by SQL.

    It is a store if it begins with the boards.
    """

    def make(path):
        if statements[0] == "store":
            score(path, BOARDS[:1])
        with sqlite3.connect(path) as db:
            for statement in statements[statements[0] == "store" :]:
                db.execute(statement)
        db.close()

    return make


def bytes_of(change):
    """Return a function that makes a store and changes its bytes."""

    def make(path):
        score(path)
        path.write_bytes(change(path.read_bytes()))

    return make


ALBUMS = "CREATE TABLE albums (title)"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (raw(ALBUMS), InvalidArgument, "another program's database"),
        (
            raw("PRAGMA journal_mode = WAL", "PRAGMA application_id = 77", ALBUMS),
            InvalidArgument,
            "another program's database",
        ),
        (
            raw("store", f"PRAGMA user_version = {VERSION + 1}"),
            InvalidArgument,
            f"version {VERSION + 1}, .* update catan-cp",
        ),
        (lambda path: path.write_text("not the boards you are looking for"), InvalidArgument, "not a store"),
        (
            bytes_of(lambda old: old[:8192] + b"\x5a" * 11808 + old[20000:]),
            CatanError,
            "damaged .*restore a copy",
        ),
        (bytes_of(lambda old: old[:9000]), CatanError, "damaged .*restore a copy"),
    ],
)
def test_rejected_files_stay_unchanged(tmp_path, make, error, words):
    path = tmp_path / "file.db"
    make(path)
    before, names = path.read_bytes(), names_in(tmp_path)
    with pytest.raises(error, match=words):
        Store(path)
    with pytest.raises(error, match=words):
        score(path)
    assert path.read_bytes() == before and names_in(tmp_path) == names


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
def test_impossible_store_places(tmp_path, make, words):
    path, devices = tmp_path / "a.db", names_in(Path("/dev"))
    make(path)
    names = names_in(tmp_path)
    for use in (Store, score):
        results = []

        def ask(use=use, results=results):
            with pytest.raises(InvalidArgument, match=words):
                use(path)
            results.append(True)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(20)
        assert results
    assert names_in(tmp_path) == names and names_in(Path("/dev")) == devices


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


@pytest.fixture
def place(tmp_path):
    """A folder in which permissions hold for root too, without the capability to bypass them."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    if sys.platform != "linux":
        pytest.skip("root can give up this right on Linux only")
    libc = ctypes.CDLL(None, use_errno=True)
    header, present = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, present) == 0
    effective, *rest = present
    bound = (ctypes.c_uint32 * 6)(effective & ~CAP_DAC_OVERRIDE & ~CAP_DAC_READ_SEARCH, *rest)
    assert libc.capset(header, bound) == 0
    try:
        yield tmp_path
    finally:
        assert libc.capset(header, present) == 0


def test_read_only_store_can_be_read(place):
    place /= "archive"
    place.mkdir()
    path, more = place / "study.db", [*BOARDS, *random_boards(5, seed=8)]
    message = r"cannot write the store .*choose a place you may write to"
    score(path)
    path.chmod(0o444)
    place.chmod(0o555)
    try:
        with Store(path) as store:
            assert store.study().boards == 60
        for target in (path, place / "new.db"):
            with pytest.raises(CatanError, match=message):
                score(target, more)
        place.chmod(0o755)
        with pytest.raises(CatanError, match=message):
            score(path, more)
    finally:
        place.chmod(0o755)
