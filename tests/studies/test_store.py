"""The content of a store, its queries and its exports."""

import csv
import ctypes
import os
import sqlite3
import sys
from concurrent.futures import Executor, Future
from contextlib import closing

import pytest

from catan_cp import CatanError, InvalidArgument, Objective, Store, Study, analyze_board
from tests.stored import BOARDS, everything, make, names_in, random_boards, score

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


def change(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        for statement in statements:
            raw.execute(statement)


def scores_of(report):
    """Return some measures of a board by name, without the functions of the store."""
    pips = {f"vertex_pips_{name}": getattr(report.vertex_pips, name) for name in ("least", "most", "spread")}
    values = dict.fromkeys((f"value_{seat}" for seat in range(1, 7)), None)
    values |= {f"value_{seat}": value for seat, value in enumerate(report.placement.values, 1)}
    names = ("value_spread", "first_seat_advantage", "efficiency_error")
    return pips | values | {name: getattr(report, name) for name in names}


def test_boards_scores_and_arguments_kept(store, finished):
    before = finished.read_bytes()
    rows = store.query("SELECT * FROM results ORDER BY board")
    assert [row["notation"] for row in rows] == [board.notation() for board in BOARDS]
    for place, (row, board) in enumerate(zip(rows, BOARDS, strict=True), start=1):
        report = analyze_board(board, 3, GOALS)
        assert (row["board"], row["times"]) == (place, 1)
        assert scores_of(report).items() <= row.items()
        assert row["presets"] == " ".join(sorted(report.presets))
        assert store.board(place) == board
    study = store.study()
    expected = Study(None, "open", players=3, objective=GOALS, solver=None, chunk=10, source="given")
    assert study.study == expected
    assert (study.name, study.made, study.boards, study.failures) == ("study", 60, 60, {})
    assert store.studies() == [study] and "60 boards of base, 60 different" in str(study)
    assert store.query("PRAGMA application_id") == [{"application_id": 0x4361743E}]
    assert store.query("PRAGMA user_version") == [{"user_version": 3}]
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
        (tmp_path / "missing" / "study.csv", "there is no folder .*missing"),
        (tmp_path / ("x" * 300), "cannot write .*: File name too long"),
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
        (lambda s: s.top("tied, -tied"), "twice"),
        (lambda s: s.top("value_spread,"), "criterion ''"),
        (lambda s: s.top("value_spread; DROP TABLE boards"), "unknown criterion"),
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
        (lambda s: Store("\ud800"), "a store is a file, as in 'study.db', not "),
    ],
)
def test_questions_without_answer(store, ask, words):
    with pytest.raises(InvalidArgument, match=words):
        ask(store)
    assert store.study().boards == 60


def test_unreadable_row_blocks_no_writer(copied):
    with Store(copied) as store, closing(sqlite3.connect(copied, timeout=0)) as writer:
        with pytest.raises(CatanError, match="damaged") as met:
            store.query("SELECT CAST(x'ff80' AS TEXT) FROM boards")
        assert met.value.__traceback__ is not None  # which knows the query as long as it is there
        writer.execute("BEGIN EXCLUSIVE")


class Backwards(Executor):
    """Complete three chunks in reverse order, each when the result of the next one is read."""

    def __init__(self):
        self.calls = []

    def submit(self, function, /, *arguments):
        future = Chained(self.go_on)
        self.calls.append(lambda: future.set_result(function(*arguments)))
        if len(self.calls) == 3 or not hasattr(arguments[0], "notations"):  # the question for the version
            self.go_on()
        return future

    def go_on(self):
        if self.calls:
            self.calls.pop()()


class Chained(Future):
    def __init__(self, go_on):
        super().__init__()
        self.go_on = go_on

    def result(self, timeout=None):
        self.go_on()
        return super().result(timeout)


def test_repeated_board_stored_once(tmp_path):
    a, b, c = (board.notation() for board in BOARDS[:3])
    repeating = [BOARDS[i] for i in (0, 1, 0, 2, 1, 0)]
    score(tmp_path / "in_order.db", repeating, chunk=2)
    with Store(tmp_path / "in_order.db") as store:
        rows = store.query("SELECT board, notation, times FROM boards ORDER BY board")
        assert [tuple(row.values()) for row in rows] == [(1, a, 3), (2, b, 2), (4, c, 1)]
        assert store.study().made == 6 and store.study().boards == 3
        with pytest.raises(InvalidArgument, match=r"no board 3: .* repeated"):
            store.board(3)
    executor = Backwards()
    score(tmp_path / "backwards.db", repeating, chunk=2, executor=executor)
    assert not executor.calls
    assert everything(tmp_path / "backwards.db") == everything(tmp_path / "in_order.db")


def test_study_rejects_other_boards(path):
    """The study grows from half a chunk, which is made again and compared."""
    make(path, n=15)
    change(path, "UPDATE chunks SET digest = (SELECT digest FROM chunks WHERE chunk = 0) WHERE chunk = 1")
    before = everything(path)
    with pytest.raises(CatanError, match="chunk 1 came out with other boards than those in"):
        make(path, n=20)
    after = everything(path)
    assert after["boards"] == before["boards"] and after["chunks"] == before["chunks"]


def test_spreadsheet_reads_no_formula(copied, tmp_path):
    texts = ["=1+1", "+1", "-1", "@x"]
    change(copied, *(f"UPDATE boards SET notation = '{t}' WHERE board = {n}" for n, t in enumerate(texts, 1)))
    with Store(copied) as store, store.to_csv(tmp_path / "study.csv").open(newline="") as file:
        notations = [line["notation"] for line in csv.DictReader(file)]
    assert notations[:4] == [f"'{text}" for text in texts]


def test_several_studies_in_one_file(tmp_path):
    path = tmp_path / "two.db"
    score(path, BOARDS[:10], name="first")
    score(path, BOARDS[5:20], name="second")
    with Store(path) as store:
        assert [study.boards for study in store.studies()] == [10, 15]
        assert store.board(1, "second") == BOARDS[5]
        with pytest.raises(InvalidArgument, match="name one of its studies: it has first, second"):
            store.top()


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
