"""A study's rows as a DataFrame and as Parquet, equal to the store's; what is said without pandas."""

import sys

import pytest
from stored import study_in

from catan_cp.errors import CatanError, InvalidArgument
from catan_cp.experiments.placement import random_boards
from catan_cp.studies.store import Store

BOARDS = random_boards(30, seed=7)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "study.db"
    study_in(path, None, BOARDS, rules="open", chunk=10, players=3)
    return path


def test_a_frame_has_a_row_a_board(path):
    pandas = pytest.importorskip("pandas")
    with Store(path) as store:
        frame = store.to_frame()
        rows = list(store.results())
    assert list(frame.index) == list(range(1, 31)) and frame.index.name == "board"
    assert frame.notation.tolist() == [board.notation() for board in BOARDS]
    assert frame.seat_spread.tolist() == [row["seat_spread"] for row in rows]
    assert frame.value_4.isna().all() and str(frame.vertex_pips_least.dtype) == "Int64"
    assert list(frame.columns) == [name for name in rows[0] if name != "board"]
    assert frame.equals(pandas.DataFrame(frame))


def test_parquet_has_the_same(path, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("catan_cp.studies.store._BATCH", 7)
    with Store(path) as store:
        written = store.to_parquet(tmp_path / "study.parquet")
        assert parquet.read_table(written).to_pylist() == list(store.results())
        with pytest.raises(InvalidArgument, match="exists"):
            store.to_parquet(written)
        store.to_parquet(written, force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["study.parquet"]


@pytest.mark.parametrize(("module", "ask"), [("pandas", "to_frame"), ("pyarrow", "to_parquet")])
def test_what_is_missing_is_named(path, tmp_path, monkeypatch, module, ask):
    monkeypatch.setitem(sys.modules, module, None)
    words = rf"needs {module}: pip install -e '\.\[frame\]' in the checkout"
    with Store(path) as store, pytest.raises(CatanError, match=words):
        getattr(store, ask)(*([tmp_path / "a.parquet"] if ask == "to_parquet" else []))
    assert list(tmp_path.iterdir()) == []


def test_only_boards_that_satisfy_a_preset(path):
    with Store(path) as store:
        every = store.top(k=None)
        kept = store.top(k=None, satisfying="open")
        assert kept == [row for row in every if "open" in row["presets"].split()]
        assert store.top(satisfying="blog") == [r for r in every if "blog" in r["presets"].split()]
        with pytest.raises(InvalidArgument, match="unknown preset 'fair'; presets are "):
            store.top(satisfying="fair")
