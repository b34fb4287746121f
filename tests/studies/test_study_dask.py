"""A study on a real Dask cluster: a scheduler and two worker processes on loopback."""

import os
import re
import signal
from pathlib import Path

import pytest

import catan_cp
from catan_cp import CatanError, Store
from tests.stored import everything, random_boards, study_in

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask, and no test here concerns warnings

BOARDS = random_boards(200, seed=11)


def score(path, **options):
    return study_in(path, None, **({"boards": BOARDS, "rules": "open", "chunk": 10} | options))


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as started:
        yield started


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The rows of `BOARDS`, scored in this process."""
    path = tmp_path_factory.mktemp("whole") / "study.db"
    score(path)
    return everything(path)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["generated", "played", "listed"])
def test_cluster_makes_same(source, cluster, tmp_path):
    def make(path, **options):
        options |= {"games": 5} if source == "played" else {}
        if source != "listed":
            return study_in(path, 20, rules="tournament", seed=1, chunk=5, **options)
        with catan_cp.enumerate_boards("blog", limit=100) as boards:
            return study_in(path, None, boards, rules="blog", chunk=5, **options)

    with distributed.Client(cluster.scheduler_address) as client:
        make(tmp_path / "dask.db", executor=client.get_executor(), workers=2)
    make(tmp_path / "here.db")
    make(tmp_path / "two.db", workers=2)
    assert everything(tmp_path / "dask.db") == everything(tmp_path / "here.db")
    assert everything(tmp_path / "two.db") == everything(tmp_path / "here.db")


def test_worker_killed_midway_loses_nothing(cluster, tmp_path, whole):
    killed = []

    def boards():
        yield from BOARDS[:100]
        killed.append(next(iter(pids.values())))
        os.kill(killed[0], signal.SIGKILL)
        yield from BOARDS[100:]

    address = cluster.scheduler_address
    with distributed.Client(address) as client:
        pids = client.run(os.getpid)
        assert len(set(pids.values())) == 2 and os.getpid() not in pids.values()
        study = score(tmp_path / "dask.db", executor=client.get_executor(), workers=2, boards=boards())
    assert killed and study.failures == {}
    assert everything(tmp_path / "dask.db") == whole


def test_workers_without_package_end_call(tmp_path):
    hide = "import sys; sys.modules['catan_cp'] = None"
    options = {"n_workers": 1, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    message = r"executor must have workers with catan-cp .* importing it fails there: .*; install it there"
    with (
        distributed.LocalCluster(**options, processes=True, preload=[hide]) as lacking,
        distributed.Client(lacking) as client,
        pytest.raises(CatanError, match=message),
    ):
        score(tmp_path / "study.db", executor=client.get_executor(), workers=1)
    assert not list(tmp_path.iterdir())


def test_ended_scheduler_loses_nothing(cluster, tmp_path, whole):
    def boards():
        yield from BOARDS[:100]
        cluster.close()
        yield from BOARDS[100:]

    client = distributed.Client(cluster.scheduler_address, timeout=5)
    message = r"the executor has ended .*make a new executor, then call again"
    try:
        with pytest.raises(CatanError, match=message):
            score(tmp_path / "study.db", executor=client.get_executor(), workers=2, boards=boards())
    finally:
        client.close(timeout=1)
    with Store(tmp_path / "study.db") as store:
        assert 50 <= store.study().made < 200
    assert score(tmp_path / "study.db").made == 200
    assert everything(tmp_path / "study.db") == whole


def test_recipe_of_docs(cluster, tmp_path, monkeypatch):
    """As it is printed, with fewer boards and the address of this cluster."""
    page = Path(__file__).parents[2].joinpath("docs", "studies.md").read_text(encoding="utf-8")
    (recipe,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "Client" in code]
    for printed, used in (("tcp://192.168.0.7:8786", cluster.scheduler_address), ("1_000_000", "20")):
        assert printed in recipe
        recipe = recipe.replace(printed, used)
    monkeypatch.chdir(tmp_path)
    exec(recipe, {"catan_cp": catan_cp})
    study_in("here.db", 20, rules="tournament", seed=1)
    assert everything("fair.db") == everything("here.db")
